// Any bytes give a sound character or a cutis::Error; anything else is a finding.
#include <cstdlib>

#include "cutis/core/error.h"
#include "cutis/io/gltf_read.h"

namespace {

void check(bool is_sound) {
    if (!is_sound) {
        std::abort();
    }
}

void check_instance(const cutis::Character& character, const cutis::MeshInstance& instance) {
    const auto vertices = instance.mesh.positions.rows();
    check(instance.mesh.positions.allFinite());
    check(instance.mesh.triangles.rows() > 0 && instance.mesh.triangles.minCoeff() >= 0 &&
          instance.mesh.triangles.maxCoeff() < vertices);
    check(instance.mesh.uv.rows() == 0 || instance.mesh.uv.rows() == vertices);
    check(instance.morphs.size() == instance.morph_defaults.size());
    if (instance.skin >= 0) {
        check(instance.weights.vertex_count() == vertices);
        const auto joints = character.skins[static_cast<std::size_t>(instance.skin)].joints.size();
        for (const auto joint : instance.weights.joints) {
            check(joint < joints);
        }
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
    const cutis::GltfLoader loader = [](const std::string& path) {
        if (path.size() % 2 == 1) {
            throw cutis::IoError("no such file");
        }
        return std::vector<unsigned char>(64, 1);
    };
    try {
        const cutis::Character character = cutis::read_gltf({data, size}, "fuzz.glb", loader);
        for (const auto& instance : character.meshes) {
            check_instance(character, instance);
        }
        for (std::size_t i = 0; i < character.skeleton.nodes.size(); ++i) {
            check(character.skeleton.nodes[i].parent < static_cast<int>(i));
        }
        for (const auto& clip : character.clips) {
            for (const auto& channel : clip.channels) {
                const std::size_t groups = channel.interpolation == cutis::Interpolation::cubic_spline ? 3 : 1;
                check(channel.values.size() == channel.times.size() * groups * static_cast<std::size_t>(channel.width));
            }
        }
    } catch (const cutis::Error&) {
    }
    return 0;
}
