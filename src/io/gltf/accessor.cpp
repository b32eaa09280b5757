// Accessors: from declared layout to numbers, nothing read or stored before it is known to be
// there.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "cutis/core/error.h"
#include "io/gltf/file.h"

namespace cutis {

namespace {

Component component_at(const JsonAt& at) {
    const std::int64_t code = at.integer(5120, 5126);
    if (code == 5124) {
        at.wrong("a component type (5120, 5121, 5122, 5123, 5125, 5126)");
    }
    return static_cast<Component>(code);
}

std::size_t components_of(const JsonAt& at) {
    static const std::map<std::string, std::size_t> sizes = {{"SCALAR", 1}, {"VEC2", 2}, {"VEC3", 3}, {"VEC4", 4},
                                                             {"MAT2", 4},   {"MAT3", 9}, {"MAT4", 16}};
    const auto found = sizes.find(at.text());
    if (found == sizes.end()) {
        at.wrong("SCALAR, VEC2, VEC3, VEC4, MAT2, MAT3 or MAT4");
    }
    return found->second;
}

template <class T>
T load(const unsigned char* from) {
    T value;
    std::memcpy(&value, from, sizeof(T));
    return value;
}

/// One element of a plain type; `scale` divides normalised integers, signed ones stop at -1.
template <class T>
void load_element(const unsigned char* from, std::size_t components, double divisor, double* out) {
    for (std::size_t c = 0; c < components; ++c) {
        out[c] = static_cast<double>(load<T>(from + c * sizeof(T))) / divisor;
    }
    if (divisor != 1.0 && std::is_signed_v<T>) {
        for (std::size_t c = 0; c < components; ++c) {
            out[c] = std::max(out[c], -1.0);
        }
    }
}

template <class T>
void load_elements(const GltfAccessor& accessor, double divisor, double* out) {
    if (accessor.base != nullptr) {
        for (std::size_t i = 0; i < accessor.count; ++i) {
            load_element<T>(accessor.base + i * accessor.stride, accessor.components, divisor,
                            out + i * accessor.components);
        }
    } else {
        std::fill(out, out + accessor.numbers(), 0.0);
    }
}

std::size_t load_index(const unsigned char* from, Component component, std::size_t i) {
    switch (component) {
        case Component::u8:
            return from[i];
        case Component::u16:
            return load<std::uint16_t>(from + 2 * i);
        default:
            return load<std::uint32_t>(from + 4 * i);
    }
}

template <class T>
void decode_as(const GltfAccessor& accessor, double divisor, double* out) {
    load_elements<T>(accessor, divisor, out);
    const std::size_t size = accessor.components * sizeof(T);
    for (std::size_t s = 0; s < accessor.sparse_count; ++s) {
        const std::size_t i = load_index(accessor.sparse_indices, accessor.sparse_component, s);
        load_element<T>(accessor.sparse_values + s * size, accessor.components, divisor, out + i * accessor.components);
    }
}

void check_range(const JsonAt& at, std::size_t components) {
    const auto low_at = at.find("min");
    const auto high_at = at.find("max");
    if (!low_at || !high_at) {
        return;
    }
    double low[16];
    double high[16];
    low_at->numbers(low, components);
    high_at->numbers(high, components);
    for (std::size_t c = 0; c < components; ++c) {
        if (low[c] > high[c]) {
            at.fail(concat("expected min <= max, found min[", c, "] = ", low[c], ", max[", c, "] = ", high[c]));
        }
    }
}

std::size_t offset_of(const JsonAt& at) {
    const auto offset = at.find("byteOffset");
    return static_cast<std::size_t>(offset ? offset->integer(0, furthest_byte) : 0);
}

}  // namespace

std::size_t component_size(Component component) {
    switch (component) {
        case Component::i8:
        case Component::u8:
            return 1;
        case Component::i16:
        case Component::u16:
            return 2;
        default:
            return 4;
    }
}

GltfAccessor GltfFile::accessor(int i) const {
    const JsonAt at = item("accessors", i);
    GltfAccessor accessor;
    accessor.path = at.path();
    accessor.component = component_at(at.at("componentType"));
    accessor.components = components_of(at.at("type"));
    accessor.type = at.at("type").text();
    // 2^31 elements are past every index we use; it also keeps the products below from overflowing.
    accessor.count = static_cast<std::size_t>(at.at("count").integer(1, (std::int64_t{1} << 31) - 1));
    if (const auto normalised = at.find("normalized")) {
        accessor.is_normalised = normalised->flag();
    }
    if (accessor.is_normalised && accessor.component == Component::u32) {
        at.fail("expected normalised numbers of 1 or 2 bytes, found u32");
    }
    const std::size_t element = accessor.components * component_size(accessor.component);
    if (const auto view_at = at.find("bufferView")) {
        std::size_t stride = 0;
        const auto bytes = view(*view_at, &stride);
        accessor.stride = stride == 0 ? element : stride;
        if (accessor.stride < element) {
            at.fail(concat("expected a byteStride of at least ", element, ", found ", stride));
        }
        const std::size_t offset = offset_of(at);
        const std::size_t needed = offset + (accessor.count - 1) * accessor.stride + element;
        if (needed > bytes.size()) {
            at.fail(concat("expected ", needed, " bytes in its bufferView for ", accessor.count, " elements, found ",
                           bytes.size()));
        }
        accessor.base = bytes.data() + offset;
    }
    check_range(at, accessor.components);

    const auto sparse = at.find("sparse");
    if (!sparse) {
        return accessor;
    }
    accessor.sparse_count =
        static_cast<std::size_t>(sparse->at("count").integer(1, static_cast<std::int64_t>(accessor.count)));
    const JsonAt indices = sparse->at("indices");
    accessor.sparse_component = component_at(indices.at("componentType"));
    if (accessor.sparse_component != Component::u8 && accessor.sparse_component != Component::u16 &&
        accessor.sparse_component != Component::u32) {
        indices.at("componentType").wrong("5121, 5123 or 5125 (unsigned integers)");
    }
    const auto slice = [&](const JsonAt& part, std::size_t size) {
        const auto bytes = view(part.at("bufferView"));
        const std::size_t offset = offset_of(part);
        const std::size_t needed = offset + accessor.sparse_count * size;
        if (needed > bytes.size()) {
            part.fail(concat("expected ", needed, " bytes in its bufferView for ", accessor.sparse_count,
                             " elements, found ", bytes.size()));
        }
        return bytes.data() + offset;
    };
    accessor.sparse_indices = slice(indices, component_size(accessor.sparse_component));
    accessor.sparse_values = slice(sparse->at("values"), element);
    for (std::size_t s = 0; s < accessor.sparse_count; ++s) {
        const std::size_t index = load_index(accessor.sparse_indices, accessor.sparse_component, s);
        if (index >= accessor.count) {
            indices.fail(concat("expected indices below ", accessor.count, ", found ", index, " at element ", s));
        }
        if (s > 0 && index <= load_index(accessor.sparse_indices, accessor.sparse_component, s - 1)) {
            indices.fail(concat("expected increasing indices, found ", index, " at element ", s));
        }
    }
    return accessor;
}

void GltfFile::decode_any(const GltfAccessor& accessor, double* out) const {
    const double one = 1.0;
    switch (accessor.component) {
        case Component::i8:
            decode_as<std::int8_t>(accessor, accessor.is_normalised ? 127.0 : one, out);
            break;
        case Component::u8:
            decode_as<std::uint8_t>(accessor, accessor.is_normalised ? 255.0 : one, out);
            break;
        case Component::i16:
            decode_as<std::int16_t>(accessor, accessor.is_normalised ? 32767.0 : one, out);
            break;
        case Component::u16:
            decode_as<std::uint16_t>(accessor, accessor.is_normalised ? 65535.0 : one, out);
            break;
        case Component::u32:
            decode_as<std::uint32_t>(accessor, one, out);
            break;
        case Component::f32:
            decode_as<float>(accessor, one, out);
            break;
    }
}

void GltfFile::decode(const GltfAccessor& accessor, double* out) const {
    decode_any(accessor, out);
    for (std::size_t n = 0; n < accessor.numbers(); ++n) {
        require(std::isfinite(out[n]), source_, ": ", accessor.path, ": element ", n / accessor.components,
                ": expected finite numbers, found ", out[n]);
    }
}

void GltfFile::decode_mended(const GltfAccessor& accessor, const std::string& what, double instead, double* out) {
    decode_any(accessor, out);
    std::size_t mended = 0;
    for (std::size_t n = 0; n < accessor.numbers(); ++n) {
        if (!std::isfinite(out[n])) {
            out[n] = instead;
            ++mended;
        }
    }
    if (mended > 0) {
        note(concat(what, ": ", mended, " numbers are not finite; ", instead, " is used instead"));
    }
}

std::vector<double> GltfFile::decode(const GltfAccessor& accessor) {
    charge(accessor.numbers(), accessor.path);
    std::vector<double> out(accessor.numbers());
    decode(accessor, out.data());
    return out;
}

}  // namespace cutis
