#include "cutis/anatomy/anatomy.h"

#include <algorithm>
#include <cmath>

#include "anatomy/shape.h"
#include "core/dense.h"

namespace cutis {

using namespace anatomy_detail;

const char* name_of(Tissue tissue) {
    static constexpr std::array<const char*, 4> names = {"skin", "cloth", "hair", "rigid"};
    return names[static_cast<size_t>(tissue)];
}

const char* name_of(Build build) {
    static constexpr std::array<const char*, 7> names = {"human",   "biped", "quadruped", "insect",
                                                         "swimmer", "tube",  "other"};
    return names[static_cast<size_t>(build)];
}

const char* name_of(PartKind kind) {
    static constexpr std::array<const char*, 8> names = {"arm", "leg", "neck", "torso", "tail", "ear", "fin", "tube"};
    return names[static_cast<size_t>(kind)];
}

namespace {

/// Of the box that turns with the body.
double length_to_width(const Shape& shape) {
    Vector3d mean = Vector3d::Zero();
    for (int v = 0; v < shape.vertex_count(); ++v) {
        mean += shape.vertex_area[v] / shape.area * shape.positions.row(v).transpose();
    }
    Eigen::Matrix3d spread = Eigen::Matrix3d::Zero();
    for (int v = 0; v < shape.vertex_count(); ++v) {
        const Vector3d d = shape.positions.row(v).transpose() - mean;
        spread += shape.vertex_area[v] / shape.area * d * d.transpose();
    }
    const Vector3d squares = symmetric_eigenvalues(spread);
    return std::sqrt(std::max(0.0, squares[2]) / std::max(1e-300, squares[1]));
}

}  // namespace

double Anatomy::share(Tissue tissue) const {
    double sum = 0.0;
    for (const Patch& patch : patches) {
        sum += patch.tissue == tissue ? patch.share : 0.0;
    }
    return sum;
}

Anatomy find_anatomy(const Body& body, const AnatomyOptions& given) {
    AnatomyOptions options = given;
    for (int b = 0; b <= static_cast<int>(Build::other) && !options.use_build; ++b) {
        if (body.source().build == name_of(static_cast<Build>(b))) {
            options.build = static_cast<Build>(b);
            options.use_build = true;
        }
    }
    Shape shape = make_shape(body, options.use_names);
    const bool has_skeleton = shape.joint_count() > 0 && body.source().character != nullptr;
    const bool has_regions = !has_skeleton && add_motion_joints(body, shape);
    const Mirror mirror = find_mirror(shape);
    Anatomy anatomy;
    anatomy.size = shape.size;
    anatomy.height = shape.height;
    anatomy.has_joints = has_skeleton || has_regions;
    JointTree tree;
    Plan plan;
    if (anatomy.has_joints) {
        Skeleton none;
        none.nodes.resize(has_regions ? static_cast<size_t>(shape.joint_count()) : 0);
        tree = connect_joints(shape, has_skeleton ? body.source().character->skeleton : none, mirror);
        plan = find_plan(shape, tree, mirror, options);
        constexpr double long_body = 2.0;  // to its width
        if (has_regions && !options.use_build && plan.build == Build::tube && length_to_width(shape) < long_body) {
            plan.build = Build::other;  // a face has regions in a row, too
        }
        anatomy.stray_joints = has_skeleton ? tree.strays : 0;
        if (has_regions) {
            anatomy.motion_weights = art_weights(shape);
        }
        anatomy.head =
            plan.head >= 0 && has_skeleton
                ? body.source().rig.name[static_cast<size_t>(shape.rig_joints[static_cast<size_t>(plan.head)].front())]
                : "";
    } else {
        plan.build = options.use_build ? options.build : Build::other;
    }
    anatomy.build = plan.build;
    class_patches(body, shape, tree, plan, options, anatomy);
    if (anatomy.has_joints && tree.root >= 0) {
        std::vector<char> is_soft;
        for (Eigen::Index f = 0; f < shape.triangles.rows(); ++f) {
            const Tissue tissue = anatomy.tissue(static_cast<int>(f));
            is_soft.push_back(tissue == Tissue::skin || tissue == Tissue::cloth ? 1 : 0);
        }
        anatomy.parts = find_parts(shape, tree, plan, is_soft);
    }
    return anatomy;
}

VectorXd tissue_vertices(const Anatomy& anatomy, const ArtMesh& mesh, Tissue tissue) {
    VectorXd values = VectorXd::Zero(mesh.positions.rows());
    for (Eigen::Index f = 0; f < mesh.triangles.rows(); ++f) {
        if (anatomy.tissue(static_cast<int>(f)) == tissue) {
            for (int k = 0; k < 3; ++k) {
                values[mesh.triangles(f, k)] = 1.0;
            }
        }
    }
    return values;
}

}  // namespace cutis
