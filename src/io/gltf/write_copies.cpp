#include "io/gltf/write_copies.h"

namespace cutis {

using Json = GlbDocument::Json;

GlbCopies::GlbCopies(const std::filesystem::path& path, const MeshInfo& mesh)
    : copies_(mesh.copies.get()), baked_(piece_of(mesh)) {
    piece_ = std::make_unique<GlbMesh>(path, baked_, std::vector<int>());
    MeshFrame piece;
    piece.positions = copies_->piece.positions;
    piece_->take(piece);
}

void GlbCopies::take(const MeshFrame& frame) {
    ++frames_;
    for (Eigen::Index p = 0; p < copies_->sizes.rows(); ++p) {
        for (int k = 0; k < 3; ++k) {
            places_.push_back(static_cast<float>(frame.copy_positions(p, k)));
        }
        for (const int k : {1, 2, 3, 0}) {  // glTF has w last
            rotations_.push_back(static_cast<float>(frame.copy_rotations(p, k)));
        }
    }
}

void GlbCopies::add_to(GlbDocument& document, const std::vector<int>& materials,
                       GlbAnimation& animation, std::vector<int>& scene_nodes) {
    const int mesh = piece_->add_mesh(document, materials);
    const auto copies = static_cast<size_t>(copies_->sizes.rows());
    std::vector<int> children;
    std::vector<float> values;
    // The numbers of one copy in all frames.
    const auto keys_of = [&](const std::vector<float>& all, size_t copy, size_t width) {
        values.clear();
        for (size_t f = 0; f < static_cast<size_t>(frames_); ++f) {
            const size_t at = (f * copies + copy) * width;
            values.insert(values.end(), all.begin() + static_cast<std::ptrdiff_t>(at),
                          all.begin() + static_cast<std::ptrdiff_t>(at + width));
        }
        return std::span<const float>(values);
    };
    for (size_t p = 0; p < copies; ++p) {
        const auto size = copies_->sizes.row(static_cast<Eigen::Index>(p)).cast<float>();
        Json node = {{"name", baked_.name + "." + std::to_string(p + 1)},
                     {"mesh", mesh},
                     {"translation",
                      std::vector<float>(places_.begin() + 3 * p, places_.begin() + 3 * p + 3)},
                     {"rotation", std::vector<float>(rotations_.begin() + 4 * p,
                                                     rotations_.begin() + 4 * p + 4)},
                     {"scale", {size[0], size[1], size[2]}}};
        const int index = document.add("nodes", std::move(node));
        children.push_back(index);
        animation.add_channel(index, "translation", keys_of(places_, p, 3), GlbDocument::vec3);
        animation.add_channel(index, "rotation", keys_of(rotations_, p, 4), GlbDocument::vec4);
    }
    scene_nodes.push_back(document.add("nodes", {{"name", baked_.name}, {"children", children}}));
}

}  // namespace cutis
