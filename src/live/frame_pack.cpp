#include "live/frame_pack.h"

#include <cmath>
#include <cstring>

#include "io/page/surface.h"
#include "io/picture/body_pictures.h"
#include "io/polygons.h"
#include "io/render_mesh.h"

namespace cutis {

namespace {

constexpr size_t step = 4;  // bytes that sections begin at multiples of

size_t filled_up(size_t bytes) {
    return (bytes + step - 1) / step * step;
}

std::vector<float> floats_of(const double* values, size_t count) {
    return {values, values + count};
}

}  // namespace

void FramePack::begin() {
    sections_ = Json::array();
    data_.clear();
}

void FramePack::add_section(Json about, const char* type, size_t count, const void* data, size_t size) {
    about["type"] = type;
    about["count"] = count;
    about["offset"] = data_.size();
    sections_.push_back(std::move(about));
    const size_t at = data_.size();
    data_.resize(at + filled_up(size));
    if (size > 0) {
        std::memcpy(data_.data() + at, data, size);
    }
}

void FramePack::add(Json about, const std::vector<float>& values) {
    add_section(std::move(about), "f32", values.size(), values.data(), values.size() * sizeof(float));
}

void FramePack::add(Json about, const std::vector<std::uint32_t>& values) {
    add_section(std::move(about), "u32", values.size(), values.data(), values.size() * sizeof(std::uint32_t));
}

void FramePack::add_bytes(Json about, const std::vector<unsigned char>& bytes) {
    add_section(std::move(about), "u8", bytes.size(), bytes.data(), bytes.size());
}

void FramePack::add_places(Json about, const MatrixX3d& places, bool packs) {
    const auto size = static_cast<size_t>(places.size());
    if (!packs || size == 0) {
        floats_.assign(places.data(), places.data() + size);
        add(std::move(about), floats_);
        return;
    }
    const Eigen::RowVector3d low = places.colwise().minCoeff();
    const Eigen::RowVector3d high = places.colwise().maxCoeff();
    about["box"] = Json::array({low[0], low[1], low[2], high[0], high[1], high[2]});
    constexpr double most = 65535.0;
    Eigen::RowVector3d factor;
    for (int c = 0; c < 3; ++c) {
        factor[c] = high[c] > low[c] ? most / (high[c] - low[c]) : 0.0;
    }
    shares_.resize(size);
    for (size_t i = 0; i < size; ++i) {
        const auto c = static_cast<Eigen::Index>(i % 3);
        shares_[i] = static_cast<std::uint16_t>((places.data()[i] - low[c]) * factor[c] + 0.5);
    }
    add_section(std::move(about), "u16", size, shares_.data(), size * sizeof(std::uint16_t));
}

void FramePack::end(Json head) {
    head["sections"] = std::move(sections_);
    std::string text = head.dump();
    text.resize(filled_up(text.size()), ' ');
    const auto length = static_cast<std::uint32_t>(text.size());
    bytes_.resize(8 + text.size() + data_.size());
    std::memcpy(bytes_.data(), "CLF1", 4);
    std::memcpy(bytes_.data() + 4, &length, 4);
    std::memcpy(bytes_.data() + 8, text.data(), text.size());
    if (!data_.empty()) {
        std::memcpy(bytes_.data() + 8 + text.size(), data_.data(), data_.size());
    }
}

Json pack_meshes(const BakeInfo& info, FramePack& pack) {
    Json meshes = Json::array();
    const std::map<std::string, MaterialPicture> pictures = base_colour_pictures(*info.body);
    std::map<std::string, int> number_of_picture;
    for (size_t m = 0; m < info.meshes.size(); ++m) {
        const MeshInfo& mesh = info.meshes[m];
        const bool is_body = m == 0;
        const PageSurface surface = make_page_surface(*mesh.art, is_body ? info.body : nullptr);
        const auto about = [m](const char* kind) { return Json{{"kind", kind}, {"mesh", m}}; };
        pack.add(about("triangles"), surface.triangles);
        pack.add(about("source"), surface.source);
        const std::vector<int>& groups = info.body->source().weld_group;
        const bool has_groups = is_body && groups.size() == static_cast<size_t>(mesh.vertex_count());
        const NormalField normals(*mesh.art, parts_of(*mesh.art), has_groups ? groups : std::vector<int>());
        std::vector<std::uint32_t> rows;
        for (const std::uint32_t art : surface.source) {
            rows.push_back(static_cast<std::uint32_t>(normals.row_of(static_cast<int>(art))));
        }
        pack.add(about("normal"), rows);
        if (mesh.has_uv()) {
            pack.add(about("uv_source"), surface.uv_source);
            pack.add(about("uv"), floats_of(mesh.art->uv.data(), static_cast<size_t>(mesh.art->uv.size())));
        }
        if (!surface.colours.empty()) {
            pack.add(about("colour"), surface.colours);
        }
        pack.add(about("rest"), floats_of(mesh.art->positions.data(), static_cast<size_t>(mesh.art->positions.size())));
        Json parts = Json::array();
        for (const PagePart& part : surface.parts) {
            Json row = {{"first", part.first_vertex},     {"count", part.vertex_count},
                        {"firstIndex", part.first_index}, {"indexCount", part.index_count},
                        {"isGarment", part.is_garment},   {"metresPerUv", part.metres_per_uv}};
            const auto picture = pictures.find(part.material);
            if (is_body && picture != pictures.end()) {
                const auto [known, is_new] =
                    number_of_picture.emplace(part.material, static_cast<int>(number_of_picture.size()));
                if (is_new) {
                    pack.add_bytes({{"kind", "picture"}, {"mesh", 0}, {"hasHoles", picture->second.has_holes}},
                                   *picture->second.bytes);
                }
                row["picture"] = known->second;
            }
            parts.push_back(std::move(row));
        }
        Json channels = Json::array();
        for (const ChannelInfo& channel : mesh.channels) {
            if (channel.width == 1 || (channel.width == 3 && !channel.for_renderers)) {
                channels.push_back({{"name", channel.name},
                                    {"unit", channel.unit},
                                    {"width", channel.width},
                                    {"neutral", channel.neutral}});
            }
        }
        meshes.push_back({{"name", mesh.name},
                          {"vertices", mesh.vertex_count()},
                          {"drawn", surface.source.size()},
                          {"normals", normals.count()},
                          {"patternSize", surface.pattern_size},
                          {"hasUv", mesh.has_uv()},
                          {"isOtherView", mesh.is_other_view},
                          {"parts", std::move(parts)},
                          {"channels", std::move(channels)}});
    }
    return meshes;
}

}  // namespace cutis
