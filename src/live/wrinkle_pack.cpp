#include "live/wrinkle_pack.h"

#include <algorithm>
#include <cmath>

#include "cutis/stack/frame.h"

namespace cutis {

namespace {

constexpr double map_height = 0.125;  // of the highest there can be: wrinkles of middling height
constexpr double map_take_up = 0.15;  // share of the length they take up, which gives their cross-section
constexpr double fine_enough = 16.0;  // texels a wavelength: a map of half the size does as well

const LayerInfo* wrinkles_of(const BakeInfo& info) {
    const auto found = std::find_if(info.layers.begin(), info.layers.end(),
                                    [](const LayerInfo& layer) { return layer.maps != nullptr; });
    return found == info.layers.end() ? nullptr : &*found;
}

/// The layer's channel of a name, among those of the body's mesh; past its last one where it has none.
size_t channel_named(const BakeInfo& info, const LayerInfo& layer, std::string_view name) {
    size_t c = layer.first_channel;
    while (c < layer.first_channel + layer.channel_count && info.meshes.front().channels[c].name != name) {
        ++c;
    }
    return c;
}

unsigned char byte_of(double normal) {
    return static_cast<unsigned char>(std::lround(127.5 + 127.5 * normal));
}

}  // namespace

void pack_wrinkle_map(const BakeInfo& info, const Workers& workers, FramePack& pack) {
    const LayerInfo* const layer = wrinkles_of(info);
    if (layer == nullptr) {
        return;
    }
    const MeshInfo& mesh = info.meshes.front();
    MeshFrame body = info.empty_frame().meshes.front();
    body.positions = mesh.art->positions;
    const auto fill = [&](std::string_view name, double value) {
        body.channels[channel_named(info, *layer, name)].assign(static_cast<size_t>(mesh.vertex_count()), value);
    };
    fill("wrinkle height", map_height * layer->maps->most_height());
    fill("wrinkle take-up", map_take_up);
    const size_t places = channel_named(info, *layer, "wrinkle place");
    if (places < layer->first_channel + layer->channel_count) {
        body.channels[places].assign(body.positions.data(), body.positions.data() + body.positions.size());
    }
    std::vector<float> normals;
    layer->maps->paint(body, layer->first_channel, workers, nullptr, &normals);
    const int size = layer->maps->size();
    const int step = layer->maps->texels_a_wavelength() >= fine_enough && size % 2 == 0 ? 2 : 1;
    const int side = size / step;
    std::vector<unsigned char> bytes;
    bytes.reserve(2 * static_cast<size_t>(side) * static_cast<size_t>(side));
    for (int y = side - 1; y >= 0; --y) {
        for (int x = 0; x < side; ++x) {
            Vector3d sum = Vector3d::Zero();
            for (int j = 0; j < step; ++j) {
                for (int i = 0; i < step; ++i) {
                    const size_t at = static_cast<size_t>(y * step + j) * static_cast<size_t>(size) +
                                      static_cast<size_t>(x * step + i);
                    sum += Vector3d(normals[3 * at], normals[3 * at + 1], normals[3 * at + 2]);
                }
            }
            sum.normalize();
            bytes.push_back(byte_of(sum.x()));
            bytes.push_back(byte_of(sum.y()));
        }
    }
    pack.add_bytes({{"kind", "wrinkles"}, {"mesh", 0}, {"size", side}}, bytes);
}

void pack_wrinkle_heights(const BakeInfo& info, const Frame& frame, FramePack& pack) {
    const LayerInfo* const layer = wrinkles_of(info);
    if (layer == nullptr) {
        return;
    }
    const double unit = map_height * layer->maps->most_height();
    std::vector<float> heights;
    for (const double height : frame.body().channels[channel_named(info, *layer, "wrinkle height")]) {
        heights.push_back(static_cast<float>(height / unit));
    }
    pack.add({{"kind", "wrinkleHeights"}, {"mesh", 0}}, heights);
}

}  // namespace cutis
