#include "support/glb_builder.h"

#include <cstring>

namespace cutis::test {

using nlohmann::json;

namespace {

template <class T>
void put(Bytes& bytes, T value) {
    unsigned char raw[sizeof(T)];
    std::memcpy(raw, &value, sizeof(T));
    bytes.insert(bytes.end(), raw, raw + sizeof(T));
}

}  // namespace

GlbBuilder::GlbBuilder() : json{{"asset", {{"version", "2.0"}}}} {}

Bytes GlbBuilder::pack(Type type, const std::vector<double>& numbers) {
    Bytes bytes;
    for (const double number : numbers) {
        switch (type) {
            case i8:
                put(bytes, static_cast<std::int8_t>(number));
                break;
            case u8:
                put(bytes, static_cast<std::uint8_t>(number));
                break;
            case i16:
                put(bytes, static_cast<std::int16_t>(number));
                break;
            case u16:
                put(bytes, static_cast<std::uint16_t>(number));
                break;
            case u32:
                put(bytes, static_cast<std::uint32_t>(number));
                break;
            case f32:
                put(bytes, static_cast<float>(number));
                break;
        }
    }
    return bytes;
}

int GlbBuilder::add_view(const Bytes& bytes, int stride) {
    binary.resize((binary.size() + 3) / 4 * 4);
    nlohmann::json view = {{"buffer", 0}, {"byteOffset", binary.size()}, {"byteLength", bytes.size()}};
    if (stride > 0) {
        view["byteStride"] = stride;
    }
    binary.insert(binary.end(), bytes.begin(), bytes.end());
    json["bufferViews"].push_back(view);
    return static_cast<int>(json["bufferViews"].size()) - 1;
}

int GlbBuilder::add_accessor(Type type, const std::string& shape, const std::vector<double>& numbers, bool normalised) {
    nlohmann::json accessor = {{"bufferView", add_view(pack(type, numbers))},
                               {"componentType", static_cast<int>(type)},
                               {"type", shape},
                               {"count", numbers.size() / static_cast<std::size_t>(components_of(shape))}};
    if (normalised) {
        accessor["normalized"] = true;
    }
    json["accessors"].push_back(accessor);
    return static_cast<int>(json["accessors"].size()) - 1;
}

GlbBuilder GlbBuilder::triangle() {
    GlbBuilder builder;
    const int positions = builder.add_accessor(f32, "VEC3", {0, 0, 0, 1, 0, 0, 0, 1, 0});
    const int indices = builder.add_accessor(u16, "SCALAR", {0, 1, 2});
    builder.json["meshes"] = {{{"primitives", {{{"attributes", {{"POSITION", positions}}}, {"indices", indices}}}}}};
    builder.json["nodes"] = {{{"name", "triangle"}, {"mesh", 0}}};
    builder.json["scenes"] = {{{"nodes", {0}}}};
    builder.json["scene"] = 0;
    return builder;
}

GlbBuilder GlbBuilder::skinned_triangle() {
    GlbBuilder builder = triangle();
    auto& attributes = builder.json["meshes"][0]["primitives"][0]["attributes"];
    attributes["JOINTS_0"] = builder.add_accessor(u8, "VEC4", {0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0});
    attributes["WEIGHTS_0"] = builder.add_accessor(f32, "VEC4", {1, 0, 0, 0, 1, 0, 0, 0, 0.25, 0.75, 0, 0});
    builder.json["nodes"][0]["skin"] = 0;
    builder.json["nodes"].push_back({{"name", "hip"}, {"children", {2}}});
    builder.json["nodes"].push_back({{"name", "knee"}, {"translation", {0, 1, 0}}});
    builder.json["scenes"][0]["nodes"] = {0, 1};
    const int binds = builder.add_accessor(
        f32, "MAT4", {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, -1, 0, 1});
    builder.json["skins"] = {{{"joints", {1, 2}}, {"inverseBindMatrices", binds}}};
    const int times = builder.add_accessor(f32, "SCALAR", {0, 1});
    const int turns = builder.add_accessor(f32, "VEC4", {0, 0, 0, 1, 0, 0, 1, 0});
    builder.json["animations"] = {{{"name", "bend"},
                                   {"samplers", {{{"input", times}, {"output", turns}}}},
                                   {"channels", {{{"sampler", 0}, {"target", {{"node", 2}, {"path", "rotation"}}}}}}}};
    return builder;
}

json GlbBuilder::finished() const {
    nlohmann::json out = json;
    if (!binary.empty() && !out.contains("buffers")) {
        out["buffers"] = {{{"byteLength", binary.size()}}};
    }
    return out;
}

Bytes GlbBuilder::container(const std::string& json_text, const Bytes& binary_chunk) {
    std::string text = json_text;
    text.resize((text.size() + 3) / 4 * 4, ' ');
    Bytes padded = binary_chunk;
    padded.resize((padded.size() + 3) / 4 * 4);
    const std::size_t tail = padded.empty() ? 0 : 8 + padded.size();
    Bytes bytes;
    put<std::uint32_t>(bytes, 0x46546C67);
    put<std::uint32_t>(bytes, 2);
    put<std::uint32_t>(bytes, static_cast<std::uint32_t>(20 + text.size() + tail));
    put<std::uint32_t>(bytes, static_cast<std::uint32_t>(text.size()));
    put<std::uint32_t>(bytes, 0x4E4F534A);
    bytes.insert(bytes.end(), text.begin(), text.end());
    if (tail > 0) {
        put<std::uint32_t>(bytes, static_cast<std::uint32_t>(padded.size()));
        put<std::uint32_t>(bytes, 0x004E4942);
        bytes.insert(bytes.end(), padded.begin(), padded.end());
    }
    return bytes;
}

Bytes GlbBuilder::glb() const {
    return container(finished().dump(), binary);
}

std::string GlbBuilder::gltf() const {
    nlohmann::json out = finished();
    if (out.contains("buffers")) {
        out["buffers"][0]["uri"] = "data:application/octet-stream;base64," + base64(binary);
    }
    return out.dump();
}

std::string base64(const Bytes& bytes) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string out;
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        std::uint32_t group = 0;
        for (std::size_t k = 0; k < 3; ++k) {
            group = group << 8 | (i + k < bytes.size() ? bytes[i + k] : 0u);
        }
        for (std::size_t k = 0; k < 4; ++k) {
            out += i + k > bytes.size() ? '=' : digits[group >> (18 - 6 * k) & 63];
        }
    }
    return out;
}

}  // namespace cutis::test
