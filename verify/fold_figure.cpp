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
    weights = weights_of(body.rig()->weights, mesh.art_of_vertex);
    normals = vertex_normals(mesh.positions, mesh.topology);
    for (int i = 0; i < pose_count; ++i) {
        poses.emplace_back();
        body.joint_matrices(body.duration() * i / std::max(1, pose_count - 1), TimeSampling::exact,
                            poses.back());
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
