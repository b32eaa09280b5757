#include "cutis/anatomy/anatomy.h"

#include "anatomy/shape.h"

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
