#include "verify/fold_figure.h"

#include <algorithm>
#include <memory>

#include "cutis/actors/actors.h"
#include "cutis/fold/field.h"
#include "cutis/io/gltf_read.h"
#include "cutis/mesh/geometry.h"

namespace cutis::verify {

namespace {

Body body_of(Character character, const std::string& part, const std::string& clip) {
    BodyOptions options;
    options.mesh = part;
    options.clip = clip;
    return make_body(std::make_shared<Character>(std::move(character)), options);
}

}  // namespace

Body fold_actor(const std::string& actor, const std::string& part, const std::string& clip) {
    return body_of(load_actor(actor), part, clip);
}

Body fold_file(const std::string& path, const std::string& part) {
    return body_of(read_gltf(path), part, "");
}

FoldFigure::FoldFigure(Body moving, int pose_count)
    : body(std::move(moving)),
      mesh(
          repair_mesh(body.mesh().positions, body.mesh().triangles, {}, body.source().weld_group)) {
    const Body::Source& source = body.source();
    weights.influences = source.weights.influences;
    for (const int art : mesh.art_of_vertex) {
        for (int k = 0; k < weights.influences; ++k) {
            const size_t at = static_cast<size_t>(art) * weights.influences + k;
            weights.joints.push_back(source.weights.joints[at]);
            weights.weights.push_back(source.weights.weights[at]);
        }
    }
    weights.joint_pairs = find_joint_pairs(weights, static_cast<int>(source.joint_nodes.size()));
    normals = vertex_normals(mesh.positions, mesh.topology);
    std::vector<Eigen::Affine3d> frames;
    for (int i = 0; i < pose_count; ++i) {
        body.node_frames(body.duration() * i / std::max(1, pose_count - 1), TimeSampling::exact,
                         frames);
        poses.emplace_back();
        for (size_t j = 0; j < source.joint_nodes.size(); ++j) {
            poses.back().push_back(frames[static_cast<size_t>(source.joint_nodes[j])] *
                                   source.inverse_bind[j]);
        }
    }
}

FoldPattern FoldFigure::pattern(double width) const {
    const Workers one(1);
    std::vector<MatrixX3d> shapes(poses.size());
    for (size_t i = 0; i < poses.size(); ++i) {
        skin_dual_quaternion(mesh.positions, weights, poses[i], one, shapes[i]);
    }
    FoldFieldOptions field;
    field.look.width = width;
    return fold_pattern_from_field(mesh.topology, mesh.positions, shapes, field);
}

}  // namespace cutis::verify
