// EXT_meshopt_compression through meshoptimizer, an optional part of the build.
#include "io/gltf/write_packed.h"

#ifdef CUTIS_MESHOPT
#include <meshoptimizer.h>
#endif

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <map>

#include "io/gltf/file.h"

namespace cutis {

bool fits_exponent(std::span<const float> values, int exponent) {
    constexpr double most = 8388607.0;  // 24 bits, one of them the sign
    const double inverse = std::ldexp(1.0, -exponent);
    for (const float value : values) {
        const double whole = value * inverse;
        if (!(std::abs(whole) <= most) || whole != std::nearbyint(whole)) {
            return false;
        }
    }
    return exponent > -100 && exponent < 100;
}

#ifdef CUTIS_MESHOPT

namespace {

/// The filter EXPONENTIAL: 24 bits of a whole number, 8 of its exponent. Bytes are compressed each for itself, and the
/// high ones of a small number that changes its sign flip from 0 to 255: so numbers stand as high as their block
/// allows.
std::vector<unsigned char> with_exponent(std::span<const unsigned char> floats, size_t stride, int exponent) {
    constexpr size_t block_elements = 256;  // of meshoptimizer
    std::vector<unsigned char> out(floats.size());
    std::vector<std::int32_t> whole;
    const double inverse = std::ldexp(1.0, -exponent);
    for (size_t begin = 0; begin < floats.size(); begin += block_elements * stride) {
        const size_t end = std::min(floats.size(), begin + block_elements * stride);
        whole.clear();
        std::int32_t largest = 0;
        for (size_t i = begin; i < end; i += 4) {
            float value = 0.0F;
            std::memcpy(&value, floats.data() + i, 4);
            whole.push_back(static_cast<std::int32_t>(std::lrint(value * inverse)));
            largest = std::max(largest, std::abs(whole.back()));
        }
        const int shift = largest < 128 ? 16 : largest < 32768 ? 8 : 0;
        const auto high = static_cast<std::uint32_t>(exponent - shift) << 24U;
        for (size_t i = 0; i < whole.size(); ++i) {
            const std::uint32_t word = ((static_cast<std::uint32_t>(whole[i]) << shift) & 0xFFFFFFU) | high;
            std::memcpy(out.data() + begin + 4 * i, &word, 4);
        }
    }
    return out;
}

std::vector<unsigned char> pack_elements(std::span<const unsigned char> bytes, size_t stride) {
    const size_t count = bytes.size() / stride;
    std::vector<unsigned char> out(meshopt_encodeVertexBufferBound(count, stride));
    out.resize(meshopt_encodeVertexBuffer(out.data(), out.size(), bytes.data(), count, stride));
    return out;
}

std::vector<unsigned char> pack_indices(std::span<const unsigned char> bytes, size_t stride, bool are_triangles) {
    std::vector<unsigned int> indices(bytes.size() / stride);
    for (size_t i = 0; i < indices.size(); ++i) {
        std::memcpy(&indices[i], bytes.data() + i * stride, stride);
    }
    static const bool is_ready = [] {
        meshopt_encodeIndexVersion(1);  // what the extension asks for
        return true;
    }();
    static_cast<void>(is_ready);
    constexpr size_t most = 0xFFFFFFFFU;
    std::vector<unsigned char> out(are_triangles ? meshopt_encodeIndexBufferBound(indices.size(), most)
                                                 : meshopt_encodeIndexSequenceBound(indices.size(), most));
    out.resize(are_triangles ? meshopt_encodeIndexBuffer(out.data(), out.size(), indices.data(), indices.size())
                             : meshopt_encodeIndexSequence(out.data(), out.size(), indices.data(), indices.size()));
    return out;
}

}  // namespace

std::optional<PackedView> pack_view(const ViewBytes& view) {
    using Use = ViewBytes::Use;
    const auto stride = static_cast<size_t>(view.stride);
    if (view.use == Use::other || view.bytes.empty()) {
        return std::nullopt;
    }
    PackedView packed;
    const char* mode = "ATTRIBUTES";
    const bool has_filter = view.use == Use::attributes && view.exponent.has_value();
    if (view.use == Use::attributes) {
        packed.bytes = has_filter ? pack_elements(with_exponent(view.bytes, stride, *view.exponent), stride)
                                  : pack_elements(view.bytes, stride);
    } else {
        mode = view.use == Use::triangles ? "TRIANGLES" : "INDICES";
        packed.bytes = pack_indices(view.bytes, stride, view.use == Use::triangles);
    }
    constexpr size_t words = 180;  // what the document says more of a compressed view
    if (packed.bytes.empty() || packed.bytes.size() + words >= view.bytes.size()) {
        return std::nullopt;
    }
    packed.about = {{"byteStride", stride}, {"mode", mode}, {"count", view.bytes.size() / stride}};
    if (has_filter) {
        packed.about["filter"] = "EXPONENTIAL";
    }
    return packed;
}

#else

std::optional<PackedView> pack_view(const ViewBytes&) {
    return std::nullopt;
}

#endif

namespace {

constexpr int most_stride = 256;

/// What accessors and primitives say of a view.
struct SeenView {
    int element = 0;  ///< bytes of an element; -1: they differ
    int accessors = 0;
    bool is_index = false;
    bool are_triangles = true;
    bool is_other = false;  ///< a picture, a part of a sparse accessor
};

int element_bytes(const Json& accessor) {
    static const std::map<std::string, int> widths = {{"SCALAR", 1}, {"VEC2", 2}, {"VEC3", 3}, {"VEC4", 4},
                                                      {"MAT2", 4},   {"MAT3", 9}, {"MAT4", 16}};
    const auto width = widths.find(accessor["type"].as_text());
    if (width == widths.end()) {
        return -1;
    }
    return width->second *
           static_cast<int>(component_size(static_cast<Component>(accessor["componentType"].as_index())));
}

ViewBytes use_of(const Json& view, const SeenView& seen, std::span<const unsigned char> bytes) {
    ViewBytes out;
    const auto offset = static_cast<size_t>(view.contains("byteOffset") ? view["byteOffset"].as_number() : 0.0);
    const auto length = static_cast<size_t>(view["byteLength"].as_number());
    out.bytes =
        bytes.subspan(std::min(offset, bytes.size()), std::min(length, bytes.size() - std::min(offset, bytes.size())));
    if (seen.is_other || seen.accessors == 0) {
        return out;
    }
    const auto fits = [&](int stride) {
        return stride > 0 && stride <= most_stride && length % static_cast<size_t>(stride) == 0;
    };
    if (seen.is_index) {
        const bool is_known = seen.accessors == 1 && (seen.element == 2 || seen.element == 4) && fits(seen.element);
        const bool are_triangles =
            seen.are_triangles && is_known && length / static_cast<size_t>(seen.element) % 3 == 0;
        out.use = !is_known       ? ViewBytes::Use::other
                  : are_triangles ? ViewBytes::Use::triangles
                                  : ViewBytes::Use::indices;
        out.stride = seen.element;
        return out;
    }
    const int own = view.contains("byteStride") ? view["byteStride"].as_index() : seen.element;
    const int stride = own % 4 == 0 && fits(own) ? own : view.contains("byteStride") ? 0 : 4;
    if (stride % 4 == 0 && fits(stride)) {
        out.use = ViewBytes::Use::attributes;
        out.stride = stride;
    }
    return out;
}

}  // namespace

std::vector<ViewBytes> uses_of_views(const Json& root, std::span<const unsigned char> bytes) {
    std::vector<SeenView> seen(root["bufferViews"].size());
    const auto at = [&](const Json& index) -> SeenView* {
        const int i = index.as_index();
        return i < 0 || i >= static_cast<int>(seen.size()) ? nullptr : &seen[static_cast<size_t>(i)];
    };
    const auto other = [&](const Json& index) {
        if (SeenView* view = at(index)) {
            view->is_other = true;
        }
    };
    for (const Json& accessor : root["accessors"]) {
        if (SeenView* view = at(accessor["bufferView"])) {
            const int element = element_bytes(accessor);
            view->element = view->accessors == 0 || view->element == element ? element : -1;
            ++view->accessors;
        }
        other(accessor["sparse"]["indices"]["bufferView"]);
        other(accessor["sparse"]["values"]["bufferView"]);
    }
    for (const Json& image : root["images"]) {
        other(image["bufferView"]);
    }
    for (const Json& mesh : root["meshes"]) {
        for (const Json& primitive : mesh["primitives"]) {
            const int indices = primitive["indices"].as_index();
            if (indices < 0 || indices >= static_cast<int>(root["accessors"].size())) {
                continue;
            }
            if (SeenView* view = at(root["accessors"][indices]["bufferView"])) {
                view->is_index = true;
                const bool are_triangles = !primitive.contains("mode") || primitive["mode"].as_index() == 4;
                view->are_triangles = view->are_triangles && are_triangles;
            }
        }
    }
    std::vector<ViewBytes> out;
    for (size_t v = 0; v < seen.size(); ++v) {
        out.push_back(use_of(root["bufferViews"][v], seen[v], bytes));
    }
    return out;
}

}  // namespace cutis
