// KHR_draco_mesh_compression through draco, an optional part of the build.
#ifdef CUTIS_DRACO
#include <draco/compression/decode.h>
#endif

#include <cstring>

#include "cutis/core/error.h"
#include "io/gltf/file.h"

namespace cutis {

#ifdef CUTIS_DRACO

namespace {

/// A number of seven bits a byte, as draco writes counts.
std::uint64_t counted_at(std::span<const unsigned char> bytes, std::size_t& at) {
    std::uint64_t value = 0;
    for (int shift = 0; at < bytes.size() && shift < 64; shift += 7) {
        const unsigned char byte = bytes[at++];
        value |= std::uint64_t{byte & 0x7Fu} << shift;
        if (byte < 0x80) {
            break;
        }
    }
    return value;
}

/// Faces that the bytes announce; draco makes room for them before it looks at what follows.
std::uint64_t faces_announced(std::span<const unsigned char> bytes, const JsonAt& at) {
    constexpr std::size_t header = 11;
    constexpr unsigned has_metadata = 0x80;
    if (bytes.size() < header + 3 || std::memcmp(bytes.data(), "DRACO", 5) != 0) {
        at.fail("expected compressed bytes of draco, found others");
    }
    const int version = 256 * bytes[5] + bytes[6];
    if (version < 0x0202 || bytes[7] != 1 || (bytes[10] & has_metadata) != 0) {
        at.fail(concat("expected a mesh of draco 2.2 without metadata, found version ", int{bytes[5]}, ".",
                       int{bytes[6]}, bytes[7] != 1 ? ", points" : "",
                       (bytes[10] & has_metadata) != 0 ? ", metadata" : ""));
    }
    const bool is_edgebreaker = bytes[8] == 1;
    std::size_t place = header;
    if (is_edgebreaker) {
        ++place;  // the kind of traversal
        counted_at(bytes, place);
    }
    return counted_at(bytes, place);
}

template <class T>
void put_values(const draco::Mesh& mesh, const draco::PointAttribute& attribute, int components, std::size_t stride,
                Bytes& out) {
    std::array<T, 16> value{};
    for (draco::PointIndex p(0); p < mesh.num_points(); ++p) {
        attribute.ConvertValue<T>(attribute.mapped_index(p), static_cast<std::int8_t>(components), value.data());
        std::memcpy(out.data() + p.value() * stride, value.data(), components * sizeof(T));
    }
}

void put_values(const draco::Mesh& mesh, const draco::PointAttribute& attribute, const GltfAccessor& wanted,
                std::size_t stride, Bytes& out) {
    const int components = static_cast<int>(wanted.components);
    switch (wanted.component) {
        case Component::i8:
            return put_values<std::int8_t>(mesh, attribute, components, stride, out);
        case Component::u8:
            return put_values<std::uint8_t>(mesh, attribute, components, stride, out);
        case Component::i16:
            return put_values<std::int16_t>(mesh, attribute, components, stride, out);
        case Component::u16:
            return put_values<std::uint16_t>(mesh, attribute, components, stride, out);
        case Component::u32:
            return put_values<std::uint32_t>(mesh, attribute, components, stride, out);
        case Component::f32:
            return put_values<float>(mesh, attribute, components, stride, out);
    }
}

}  // namespace

bool knows_draco() {
    return true;
}

void decode_draco(const JsonAt& at, std::span<const unsigned char> packed, std::size_t index_count,
                  std::vector<DracoStream>& streams) {
    const std::uint64_t faces = faces_announced(packed, at);
    if (faces * 3 != index_count) {
        at.fail(concat("expected ", index_count, " indices (the accessor's count), found ", faces,
                       " compressed triangles"));
    }
    draco::DecoderBuffer buffer;
    buffer.Init(reinterpret_cast<const char*>(packed.data()), packed.size());
    const auto decoded = draco::Decoder().DecodeMeshFromBuffer(&buffer);
    if (!decoded.ok()) {
        at.fail(concat("expected a compressed mesh, found ", packed.size(), " broken compressed bytes"));
    }
    const draco::Mesh& mesh = *decoded.value();
    for (DracoStream& stream : streams) {
        const std::size_t count = stream.attribute ? mesh.num_points() : std::size_t{mesh.num_faces()} * 3;
        if (count != stream.wanted.count) {
            at.fail(concat("expected ", stream.wanted.count, " elements (", stream.wanted.path, "), found ", count));
        }
        stream.bytes.assign(count * stream.stride, 0);
        if (stream.attribute) {
            const draco::PointAttribute* attribute =
                mesh.GetAttributeByUniqueId(static_cast<std::uint32_t>(*stream.attribute));
            if (attribute == nullptr) {
                at.fail(concat("expected an attribute numbered ", *stream.attribute, ", found none"));
            }
            put_values(mesh, *attribute, stream.wanted, stream.stride, stream.bytes);
            continue;
        }
        std::size_t place = 0;
        for (draco::FaceIndex f(0); f < mesh.num_faces(); ++f) {
            for (const draco::PointIndex& p : mesh.face(f)) {
                const std::uint32_t index = p.value();  // little-endian: the first bytes are the narrower number
                std::memcpy(stream.bytes.data() + place, &index, stream.stride);
                place += stream.stride;
            }
        }
    }
}

#else

bool knows_draco() {
    return false;
}

void decode_draco(const JsonAt& at, std::span<const unsigned char>, std::size_t, std::vector<DracoStream>&) {
    at.fail("expected uncompressed meshes (this program was built without draco)");
}

#endif

void GltfFile::decode_primitives() {
    constexpr const char* name = "KHR_draco_mesh_compression";
    for (int m = 0; m < static_cast<int>(count_of("meshes")); ++m) {
        const JsonAt primitives = item("meshes", m).at("primitives");
        for (std::size_t p = 0; p < primitives.size(); ++p) {
            const auto extensions = primitives[p].find("extensions");
            const auto packed_at = extensions ? extensions->find(name) : std::nullopt;
            if (!packed_at) {
                continue;
            }
            const JsonAt own = primitives[p].at("attributes");
            const bool has_plain_copy =
                item("accessors", reference(own.at("POSITION"), "accessors")).find("bufferView").has_value();
            std::vector<DracoStream> streams;
            const auto add = [&](const JsonAt& accessor_at, std::optional<int> attribute) {
                DracoStream stream{reference(accessor_at, "accessors"), attribute, accessor(accessor_at), 0, {}};
                charge(stream.wanted.numbers(), stream.wanted.path);
                const std::size_t bytes = component_size(stream.wanted.component) * stream.wanted.components;
                stream.stride = attribute ? (bytes + 3) / 4 * 4 : bytes;  // attributes begin at multiples of four
                streams.push_back(std::move(stream));
            };
            if (!has_plain_copy) {
                add(primitives[p].at("indices"), std::nullopt);
                const JsonAt packed = packed_at->at("attributes");
                for (std::size_t k = 0; k < packed.value().size(); ++k) {
                    const std::string& key = packed.value().key(k);
                    add(own.at(key), static_cast<int>(packed.at(key).integer(0, 1 << 20)));
                }
                decode_draco(*packed_at, view(packed_at->at("bufferView")), streams.front().wanted.count, streams);
            }
            keep_decoded(streams);
            Json& primitive = json_["meshes"][m]["primitives"][p];
            primitive["extensions"].erase(name);
            if (primitive["extensions"].empty()) {
                primitive.erase("extensions");
            }
            has_draco_ = true;
        }
    }
}

void GltfFile::keep_decoded(std::vector<DracoStream>& streams) {
    for (DracoStream& stream : streams) {
        Json view = {{"buffer", 0}, {"byteLength", stream.bytes.size()}};
        if (stream.stride != component_size(stream.wanted.component) * stream.wanted.components) {
            view["byteStride"] = stream.stride;
        }
        json_["bufferViews"].push_back(std::move(view));
        const int index = static_cast<int>(json_["bufferViews"].size()) - 1;
        decoded_[index] = std::move(stream.bytes);
        Json& accessor = json_["accessors"][stream.accessor];
        accessor["bufferView"] = index;
        accessor["byteOffset"] = 0;
    }
}

}  // namespace cutis
