#include "io/gltf/write_document.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "cutis/core/error.h"
#include "cutis/io/files.h"

namespace cutis {

namespace {

static_assert(std::endian::native == std::endian::little, "buffers are written in native order");

constexpr int type_u8 = 5121;
constexpr int type_u16 = 5123;
constexpr int type_u32 = 5125;
constexpr int type_float = 5126;
constexpr int target_vertices = 34962;
constexpr int target_indices = 34963;

int width_of(const char* type) {
    if (std::strcmp(type, GlbDocument::scalar) == 0) {
        return 1;
    }
    return std::strcmp(type, GlbDocument::mat4) == 0 ? 16 : type[3] - '0';
}

const char* type_of(int width) {
    return width == 2 ? GlbDocument::vec2 : width == 3 ? GlbDocument::vec3 : GlbDocument::vec4;
}

void add_bounds(nlohmann::json& accessor, std::span<const float> values, int width) {
    std::vector<float> low(values.begin(), values.begin() + width);
    std::vector<float> high = low;
    for (size_t i = 0; i < values.size(); ++i) {
        const size_t k = i % static_cast<size_t>(width);
        low[k] = std::min(low[k], values[i]);
        high[k] = std::max(high[k], values[i]);
    }
    accessor["min"] = low;
    accessor["max"] = high;
}

size_t padded(size_t bytes) {
    return (bytes + 3) / 4 * 4;
}

}  // namespace

GlbDocument::GlbDocument() {
    root["asset"] = {{"version", "2.0"}, {"generator", "cutis"}};
}

int GlbDocument::add(const char* array, Json object) {
    Json& list = root[array];
    list.push_back(std::move(object));
    return static_cast<int>(list.size()) - 1;
}

int GlbDocument::new_view(int stride, int target) {
    views_.push_back({{}, stride, target});
    return static_cast<int>(views_.size()) - 1;
}

int GlbDocument::view_for(int stride, int target) {
    for (const auto& [known_stride, view] : vertex_views_) {
        if (known_stride == stride) {
            return view;
        }
    }
    vertex_views_.push_back({stride, new_view(stride, target)});
    return vertex_views_.back()[1];
}

size_t GlbDocument::append(int view, const void* data, size_t bytes) {
    std::vector<unsigned char>& store = views_[view].bytes;
    const size_t offset = padded(store.size());
    store.resize(offset + bytes);
    std::memcpy(store.data() + offset, data, bytes);
    return offset;
}

int GlbDocument::add_accessor(Json accessor) {
    if (accessor.contains("byteOffset") && accessor["byteOffset"] == 0) {
        accessor.erase("byteOffset");
    }
    return add("accessors", std::move(accessor));
}

int GlbDocument::add_vertices(std::span<const float> values, int width, bool needs_bounds) {
    const int view = view_for(width * 4, target_vertices);
    const size_t offset = append(view, values.data(), values.size_bytes());
    Json accessor = {{"bufferView", view},
                     {"byteOffset", offset},
                     {"componentType", type_float},
                     {"count", values.size() / static_cast<size_t>(width)},
                     {"type", type_of(width)}};
    if (needs_bounds) {
        add_bounds(accessor, values, width);
    }
    return add_accessor(std::move(accessor));
}

int GlbDocument::add_joints(std::span<const std::uint16_t> values, bool fits_byte) {
    Json accessor = {{"componentType", fits_byte ? type_u8 : type_u16},
                     {"count", values.size() / 4},
                     {"type", vec4}};
    // Strides 4 and 8 may be those of other attributes; joints get a view of their own.
    const int view = new_view(fits_byte ? 4 : 8, target_vertices);
    if (fits_byte) {
        const std::vector<unsigned char> bytes(values.begin(), values.end());
        append(view, bytes.data(), bytes.size());
    } else {
        append(view, values.data(), values.size_bytes());
    }
    accessor["bufferView"] = view;
    return add_accessor(std::move(accessor));
}

int GlbDocument::add_zeros(int count, int width, bool needs_bounds) {
    Json accessor = {{"componentType", type_float}, {"count", count}, {"type", type_of(width)}};
    if (needs_bounds) {
        accessor["min"] = std::vector<float>(static_cast<size_t>(width), 0.0F);
        accessor["max"] = accessor["min"];
    }
    return add_accessor(std::move(accessor));
}

int GlbDocument::add_indices(std::span<const std::uint32_t> indices) {
    if (index_view_ < 0) {
        index_view_ = new_view(0, target_indices);
    }
    const std::uint32_t largest =
        indices.empty() ? 0 : *std::max_element(indices.begin(), indices.end());
    // 65535 itself is the restart index and may not occur.
    const bool fits_u16 = largest < 65535;
    size_t offset = 0;
    if (fits_u16) {
        const std::vector<std::uint16_t> narrow(indices.begin(), indices.end());
        offset = append(index_view_, narrow.data(), narrow.size() * 2);
    } else {
        offset = append(index_view_, indices.data(), indices.size_bytes());
    }
    return add_accessor({{"bufferView", index_view_},
                         {"byteOffset", offset},
                         {"componentType", fits_u16 ? type_u16 : type_u32},
                         {"count", indices.size()},
                         {"type", scalar}});
}

int GlbDocument::add_numbers(std::span<const float> values, const char* type, bool needs_bounds) {
    // Inverse bind matrices may not share a view with keys of animations.
    const int width = width_of(type);
    int& view = width == 16 ? matrix_view_ : number_view_;
    if (view < 0) {
        view = new_view(0, 0);
    }
    const size_t offset = append(view, values.data(), values.size_bytes());
    Json accessor = {{"bufferView", view},
                     {"byteOffset", offset},
                     {"componentType", type_float},
                     {"count", values.size() / static_cast<size_t>(width)},
                     {"type", type}};
    if (needs_bounds) {
        add_bounds(accessor, values, width);
    }
    return add_accessor(std::move(accessor));
}

int GlbDocument::add_bytes(std::span<const unsigned char> bytes) {
    const int view = new_view(0, 0);
    append(view, bytes.data(), bytes.size());
    return view;
}

std::uintmax_t GlbDocument::save(const std::filesystem::path& path) {
    size_t binary_bytes = 0;
    for (const View& view : views_) {
        Json object = {
            {"buffer", 0}, {"byteOffset", binary_bytes}, {"byteLength", view.bytes.size()}};
        if (binary_bytes == 0) {
            object.erase("byteOffset");
        }
        if (view.stride != 0) {
            object["byteStride"] = view.stride;
        }
        if (view.target != 0) {
            object["target"] = view.target;
        }
        add("bufferViews", std::move(object));
        binary_bytes += padded(view.bytes.size());
    }
    if (binary_bytes > 0) {
        root["buffers"] = Json::array({{{"byteLength", binary_bytes}}});
    }
    // Names from elsewhere may hold broken UTF-8: replaced, never thrown over.
    std::string text = root.dump(-1, ' ', false, Json::error_handler_t::replace);
    text.append(padded(text.size()) - text.size(), ' ');

    const std::uint64_t total =
        12 + 8 + text.size() + (binary_bytes > 0 ? 8 + std::uint64_t{binary_bytes} : 0);
    if (total > 0xFFFFFFFFU) {
        throw InvalidInput(concat(path.string(), ": ", total,
                                  " bytes, GLB holds at most 4294967295: raise the tolerance, bake "
                                  "fewer frames, or write another format"));
    }
    AtomicFile file(path);
    const auto write_u32 = [&file](std::uint64_t value) {
        const auto narrow = static_cast<std::uint32_t>(value);
        file.write(&narrow, 4);
    };
    file.write("glTF");
    write_u32(2);
    write_u32(total);
    write_u32(text.size());
    file.write("JSON");
    file.write(text);
    if (binary_bytes > 0) {
        write_u32(binary_bytes);
        file.write(std::string_view("BIN\0", 4));
        for (const View& view : views_) {
            const char zeros[4] = {};
            file.write(view.bytes.data(), view.bytes.size());
            file.write(zeros, padded(view.bytes.size()) - view.bytes.size());
        }
    }
    return file.commit();
}

void GlbAnimation::add_channel(int node, const char* path, std::span<const float> values,
                               const char* type) {
    if (times_ < 0) {
        std::vector<float> seconds;
        seconds.reserve(static_cast<size_t>(frame_count_));
        for (int f = 0; f < frame_count_; ++f) {
            seconds.push_back(static_cast<float>(f / fps_));
        }
        times_ = document_.add_numbers(seconds, GlbDocument::scalar, true);
    }
    samplers_.push_back({{"input", times_},
                         {"interpolation", "LINEAR"},
                         {"output", document_.add_numbers(values, type)}});
    channels_.push_back(
        {{"sampler", samplers_.size() - 1}, {"target", {{"node", node}, {"path", path}}}});
}

void GlbAnimation::finish() {
    if (!channels_.empty()) {
        document_.add("animations", {{"name", "bake"},
                                     {"channels", std::move(channels_)},
                                     {"samplers", std::move(samplers_)}});
    }
}

}  // namespace cutis
