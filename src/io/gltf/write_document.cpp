#include "io/gltf/write_document.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "cutis/core/error.h"
#include "cutis/io/files.h"
#include "io/gltf/write_packed.h"

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
    return width == 1   ? GlbDocument::scalar
           : width == 2 ? GlbDocument::vec2
           : width == 3 ? GlbDocument::vec3
                        : GlbDocument::vec4;
}

void add_bounds(Json& accessor, std::span<const float> values, int width) {
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

GlbDocument::GlbDocument(const SourceDocument& source)
    : root(Json::parse(source.gltf_json, "document")), source_(&source) {
    const Json* views = root.find("bufferViews");
    first_view_ = views == nullptr ? 0 : static_cast<int>(views->size());
    root["asset"]["generator"] = "cutis";
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

int GlbDocument::view_for(int stride, int target, std::optional<int> exponent) {
    for (const int view : shared_views_) {
        if (views_[view].stride == stride && views_[view].target == target && views_[view].exponent == exponent) {
            return view;
        }
    }
    shared_views_.push_back(new_view(stride, target));
    views_.back().exponent = exponent;
    return shared_views_.back();
}

size_t GlbDocument::append(int view, const void* data, size_t bytes) {
    std::vector<unsigned char>& store = views_[view].bytes;
    const size_t offset = padded(store.size());
    store.resize(offset + bytes);
    std::memcpy(store.data() + offset, data, bytes);
    return offset;
}

int GlbDocument::add_accessor(Json accessor) {
    if (const Json* offset = accessor.find("byteOffset"); offset != nullptr && offset->as_index() == 0) {
        accessor.erase("byteOffset");
    }
    return add("accessors", std::move(accessor));
}

int GlbDocument::add_vertices(std::span<const float> values, int width, bool needs_bounds,
                              std::optional<int> exponent) {
    if (exponent && !fits_exponent(values, *exponent)) {
        exponent.reset();
    }
    const int view = view_for(width * 4, target_vertices, exponent);
    const size_t offset = append(view, values.data(), values.size_bytes());
    Json accessor = {{"bufferView", first_view_ + view},
                     {"byteOffset", offset},
                     {"componentType", type_float},
                     {"count", values.size() / static_cast<size_t>(width)},
                     {"type", type_of(width)}};
    if (needs_bounds) {
        add_bounds(accessor, values, width);
    }
    return add_accessor(std::move(accessor));
}

int GlbDocument::sparse_view(int bytes, bool has_indices, std::optional<int> exponent) {
    for (size_t v = 0; v < views_.size(); ++v) {
        const View& view = views_[v];
        if (view.sparse_bytes == bytes && view.has_sparse_indices == has_indices && view.exponent == exponent) {
            return static_cast<int>(v);
        }
    }
    const int view = new_view(0, 0);
    views_.back().sparse_bytes = bytes;
    views_.back().has_sparse_indices = has_indices;
    views_.back().exponent = exponent;
    return view;
}

int GlbDocument::add_offsets(std::span<const float> values, int width, bool needs_bounds, int exponent) {
    const auto stride = static_cast<size_t>(width);
    const size_t count = values.size() / stride;
    std::vector<std::uint32_t> rows;
    std::vector<float> kept;
    for (size_t row = 0; row < count; ++row) {
        const auto element = values.subspan(row * stride, stride);
        if (std::any_of(element.begin(), element.end(), [](float value) { return value != 0.0F; })) {
            rows.push_back(static_cast<std::uint32_t>(row));
            kept.insert(kept.end(), element.begin(), element.end());
        }
    }
    if (rows.empty()) {
        return add_zeros(static_cast<int>(count), width, needs_bounds);
    }
    constexpr size_t words = 16;  // what the document says more of a sparse accessor is worth so many offsets
    if (static_cast<double>(rows.size() + words) > sparse_share_ * static_cast<double>(count)) {
        return add_vertices(values, width, needs_bounds, exponent);
    }
    const bool fits_u16 = count <= 65536;
    const int index_view = sparse_view(fits_u16 ? 2 : 4, true, {});
    const std::vector<std::uint16_t> narrow(rows.begin(), rows.end());
    const size_t index_offset = fits_u16 ? append(index_view, narrow.data(), narrow.size() * 2)
                                         : append(index_view, rows.data(), rows.size() * 4);
    const int value_view =
        sparse_view(width * 4, false, fits_exponent(kept, exponent) ? std::optional<int>(exponent) : std::nullopt);
    const size_t value_offset = append(value_view, kept.data(), kept.size() * 4);
    Json accessor = {{"componentType", type_float}, {"count", count}, {"type", type_of(width)}};
    if (needs_bounds) {
        add_bounds(accessor, values, width);
    }
    accessor["sparse"] = {{"count", rows.size()},
                          {"indices",
                           {{"bufferView", first_view_ + index_view},
                            {"byteOffset", index_offset},
                            {"componentType", fits_u16 ? type_u16 : type_u32}}},
                          {"values", {{"bufferView", first_view_ + value_view}, {"byteOffset", value_offset}}}};
    return add_accessor(std::move(accessor));
}

int GlbDocument::add_joints(std::span<const std::uint16_t> values, bool fits_byte) {
    Json accessor = {{"componentType", fits_byte ? type_u8 : type_u16}, {"count", values.size() / 4}, {"type", vec4}};
    // Strides 4 and 8 may be those of other attributes; joints get a view of their own.
    const int view = new_view(fits_byte ? 4 : 8, target_vertices);
    if (fits_byte) {
        const std::vector<unsigned char> bytes(values.begin(), values.end());
        append(view, bytes.data(), bytes.size());
    } else {
        append(view, values.data(), values.size_bytes());
    }
    accessor["bufferView"] = first_view_ + view;
    return add_accessor(std::move(accessor));
}

int GlbDocument::add_zeros(int count, int width, bool needs_bounds) {
    for (const Zeros& known : zeros_) {
        if (known.count == count && known.width == width && known.has_bounds == needs_bounds) {
            return known.accessor;
        }
    }
    Json accessor = {{"componentType", type_float}, {"count", count}, {"type", type_of(width)}};
    if (needs_bounds) {
        const std::vector<float> zeros(static_cast<size_t>(width), 0.0F);
        accessor["min"] = zeros;
        accessor["max"] = zeros;
    }
    zeros_.push_back({count, width, needs_bounds, add_accessor(std::move(accessor))});
    return zeros_.back().accessor;
}

int GlbDocument::add_indices(std::span<const std::uint32_t> indices) {
    const int view = new_view(0, target_indices);
    const std::uint32_t largest = indices.empty() ? 0 : *std::max_element(indices.begin(), indices.end());
    // 65535 itself is the restart index and may not occur.
    const bool fits_u16 = largest < 65535;
    if (fits_u16) {
        const std::vector<std::uint16_t> narrow(indices.begin(), indices.end());
        append(view, narrow.data(), narrow.size() * 2);
    } else {
        append(view, indices.data(), indices.size_bytes());
    }
    return add_accessor({{"bufferView", first_view_ + view},
                         {"componentType", fits_u16 ? type_u16 : type_u32},
                         {"count", indices.size()},
                         {"type", scalar}});
}

int GlbDocument::add_numbers(std::span<const float> values, const char* type, bool needs_bounds,
                             std::optional<int> exponent) {
    // Inverse bind matrices may not share a view with keys of animations.
    const int width = width_of(type);
    if (exponent && !fits_exponent(values, *exponent)) {
        exponent.reset();
    }
    if (width == 16 && matrix_view_ < 0) {
        matrix_view_ = new_view(0, 0);
    }
    const int view = width == 16 ? matrix_view_ : view_for(0, 0, exponent);
    const size_t offset = append(view, values.data(), values.size_bytes());
    Json accessor = {{"bufferView", first_view_ + view},
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
    return first_view_ + view;
}

bool GlbDocument::has_weights(int animation, int node) const {
    return std::any_of(weights_.begin(), weights_.end(),
                       [&](const GlbWeights& one) { return one.animation == animation && one.node == node; });
}

void GlbDocument::drop_weights(int animation) {
    weights_.erase(std::remove_if(weights_.begin(), weights_.end(),
                                  [&](const GlbWeights& one) { return one.animation == animation; }),
                   weights_.end());
}

void GlbDocument::shift_weights() {
    for (GlbWeights& one : weights_) {
        ++one.animation;
    }
}

void GlbDocument::write_weights() {
    for (const GlbWeights& one : weights_) {
        const int mesh = std::as_const(root)["nodes"][one.node]["mesh"].as_index();
        const auto width = static_cast<size_t>(one.width);
        const auto targets = std::max(width, std::as_const(root)["meshes"][mesh]["primitives"][0]["targets"].size());
        std::vector<float> keys;
        keys.reserve(one.values.size() / width * targets);
        for (size_t i = 0; i < one.values.size(); i += width) {
            keys.insert(keys.end(), one.values.begin() + static_cast<std::ptrdiff_t>(i),
                        one.values.begin() + static_cast<std::ptrdiff_t>(i + width));
            keys.resize(keys.size() + targets - width, 0.0F);
        }
        root["animations"][one.animation]["samplers"][one.sampler]["output"] =
            add_numbers(keys, scalar, false, one.exponent);
    }
    weights_.clear();
}

/// The source's buffer as it is, then a piece for each view of ours.
void GlbDocument::lay_out(Pieces& pieces) {
    size_t offset = 0;
    const auto add_piece = [&](const std::vector<unsigned char>& bytes) {
        pieces.push_back(bytes);
        offset += padded(bytes.size());
    };
    if (source_ != nullptr && !source_->bytes.empty()) {
        add_piece(source_->bytes);
    }
    for (const View& view : views_) {
        Json object = {{"buffer", 0}, {"byteOffset", offset}, {"byteLength", view.bytes.size()}};
        if (offset == 0) {
            object.erase("byteOffset");
        }
        if (view.stride != 0) {
            object["byteStride"] = view.stride;
        }
        if (view.target != 0) {
            object["target"] = view.target;
        }
        add("bufferViews", std::move(object));
        add_piece(view.bytes);
    }
    if (offset > 0) {
        root["buffers"] = Json::array({{{"byteLength", offset}}});
    }
}

/// A piece for each view, compressed where that makes it smaller. Those live in a second buffer that no file has: the
/// place they are unpacked to.
void GlbDocument::lay_out_packed(Pieces& pieces) {
    for (const View& view : views_) {
        Json object = {{"buffer", 0}, {"byteLength", view.bytes.size()}};
        if (view.stride != 0) {
            object["byteStride"] = view.stride;
        }
        if (view.target != 0) {
            object["target"] = view.target;
        }
        add("bufferViews", std::move(object));
    }
    std::vector<ViewBytes> all =
        uses_of_views(root, source_ == nullptr ? std::span<const unsigned char>() : std::span(source_->bytes));
    for (size_t v = 0; v < views_.size(); ++v) {
        ViewBytes& view = all[static_cast<size_t>(first_view_) + v];
        view.bytes = views_[v].bytes;
        view.exponent = views_[v].exponent;
        if (views_[v].sparse_bytes > 0) {
            view.use = views_[v].has_sparse_indices ? ViewBytes::Use::indices : ViewBytes::Use::attributes;
            view.stride = views_[v].sparse_bytes;
        }
    }
    size_t packed_bytes = 0;
    size_t unpacked_bytes = 0;
    for (size_t v = 0; v < all.size(); ++v) {
        Json& object = root["bufferViews"][v];
        std::optional<PackedView> packed = pack_view(all[v]);
        const size_t offset = packed_bytes;
        pieces.push_back(packed ? std::move(packed->bytes)
                                : std::vector<unsigned char>(all[v].bytes.begin(), all[v].bytes.end()));
        packed_bytes += padded(pieces.back().size());
        if (packed) {
            packed->about["buffer"] = 0;
            packed->about["byteOffset"] = offset;
            packed->about["byteLength"] = pieces.back().size();
            object["extensions"]["EXT_meshopt_compression"] = std::move(packed->about);
            object["buffer"] = 1;
            object["byteOffset"] = unpacked_bytes;
            unpacked_bytes += padded(all[v].bytes.size());
        } else {
            object["buffer"] = 0;
            object["byteOffset"] = offset;
        }
    }
    if (packed_bytes > 0) {
        root["buffers"] = Json::array({{{"byteLength", packed_bytes}}});
    }
    if (unpacked_bytes > 0) {
        const Json about = {{"EXT_meshopt_compression", {{"fallback", true}}}};
        root["buffers"].push_back({{"byteLength", unpacked_bytes}, {"extensions", about}});
        for (const char* list : {"extensionsUsed", "extensionsRequired"}) {
            root[list].push_back("EXT_meshopt_compression");
        }
    }
}

std::uintmax_t GlbDocument::save(const std::filesystem::path& path, bool compress) {
    write_weights();
    Pieces pieces;
    if (compress) {
        lay_out_packed(pieces);
    } else {
        lay_out(pieces);
    }
    size_t binary_bytes = 0;
    for (const std::vector<unsigned char>& piece : pieces) {
        binary_bytes += padded(piece.size());
    }
    // Names from elsewhere may hold broken UTF-8: replaced, never thrown over.
    std::string text = root.dump();
    text.append(padded(text.size()) - text.size(), ' ');

    const std::uint64_t total = 12 + 8 + text.size() + (binary_bytes > 0 ? 8 + std::uint64_t{binary_bytes} : 0);
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
        const auto write_padded = [&file](const unsigned char* bytes, size_t size) {
            const char zeros[4] = {};
            file.write(bytes, size);
            file.write(zeros, padded(size) - size);
        };
        for (const std::vector<unsigned char>& piece : pieces) {
            write_padded(piece.data(), piece.size());
        }
    }
    return file.commit();
}

void GlbAnimation::add_channel(int node, const char* path, std::span<const float> values, const char* type,
                               std::optional<int> exponent) {
    if (times_ < 0) {
        std::vector<float> seconds;
        seconds.reserve(static_cast<size_t>(frames_.key_count()));
        for (int f = 0; f < frames_.frame_count; ++f) {
            seconds.push_back(static_cast<float>(frames_.start + f / frames_.fps));
        }
        if (frames_.period > 0.0) {
            seconds.push_back(static_cast<float>(frames_.start + frames_.period));
        }
        times_ = document_.add_numbers(seconds, GlbDocument::scalar, true);
    }
    std::vector<float> keys(values.begin(), values.end());
    if (frames_.period > 0.0) {
        const size_t width = values.size() / static_cast<size_t>(frames_.frame_count);
        keys.insert(keys.end(), values.begin(), values.begin() + static_cast<std::ptrdiff_t>(width));
    }
    Json sampler = {{"input", times_}, {"interpolation", "LINEAR"}};
    if (std::strcmp(path, "weights") == 0) {
        const auto width = static_cast<int>(values.size() / static_cast<size_t>(frames_.frame_count));
        weights_.push_back({0, static_cast<int>(samplers_.size()), node, width, std::move(keys), exponent});
    } else {
        sampler["output"] = document_.add_numbers(keys, type, false, exponent);
    }
    samplers_.push_back(std::move(sampler));
    channels_.push_back({{"sampler", samplers_.size() - 1}, {"target", {{"node", node}, {"path", path}}}});
}

void GlbAnimation::finish(const std::string& name, int into) {
    if (channels_.empty()) {
        return;
    }
    const Json about = {{"fps", frames_.fps}, {"first_frame", frames_.first_frame}};
    const auto add_weights = [&](int index, int first_sampler) {
        for (GlbWeights& one : weights_) {
            one.animation = index;
            one.sampler += first_sampler;
            document_.add_weights(std::move(one));
        }
    };
    if (into < 0) {
        document_.shift_weights();
        add_weights(0, 0);
        Json animation = {{"name", name},
                          {"channels", std::move(channels_)},
                          {"samplers", std::move(samplers_)},
                          {"extras", {{"cutis", about}}}};
        Json all = Json::array({std::move(animation)});
        if (document_.root.contains("animations")) {
            for (Json& other : document_.root["animations"]) {
                all.push_back(std::move(other));
            }
        }
        document_.root["animations"] = std::move(all);
        return;
    }
    Json& animation = document_.root["animations"][into];
    const auto first = animation["samplers"].size();
    add_weights(into, static_cast<int>(first));
    for (Json& channel : channels_) {
        channel["sampler"] = first + static_cast<size_t>(channel["sampler"].as_index());
        animation["channels"].push_back(std::move(channel));
    }
    for (Json& sampler : samplers_) {
        animation["samplers"].push_back(std::move(sampler));
    }
    if (!animation.contains("extras") || animation["extras"].is_object()) {
        animation["extras"]["cutis"] = about;
    }
}

}  // namespace cutis
