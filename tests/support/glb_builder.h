#pragma once

#include <cstdint>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace cutis::test {

using Bytes = std::vector<unsigned char>;

/// A glTF document built in memory, piece by piece; `json` can be bent into anything wrong.
class GlbBuilder {
public:
    GlbBuilder();

    nlohmann::json json;
    Bytes binary;

    /// The first primitive of the first mesh.
    nlohmann::json& primitive() { return json["meshes"][0]["primitives"][0]; }

    enum Type { i8 = 5120, u8 = 5121, i16 = 5122, u16 = 5123, u32 = 5125, f32 = 5126 };

    /// Numbers as bytes of a component type.
    static Bytes pack(Type type, const std::vector<double>& numbers);

    /// Appends bytes at a multiple of 4. \return index of the buffer view
    int add_view(const Bytes& bytes, int stride = 0);

    /// A tightly packed accessor with its own view. \return index of the accessor
    int add_accessor(Type type, const std::string& shape, const std::vector<double>& numbers, bool normalised = false);

    /// One triangle (0,0,0) (1,0,0) (0,1,0), in a mesh, on a node called `triangle`, in a scene.
    static GlbBuilder triangle();

    /// The triangle bent by two joints (nodes 1 and 2), with a clip that turns the second.
    static GlbBuilder skinned_triangle();

    Bytes glb() const;
    /// The same as text, the buffer as a data URI.
    std::string gltf() const;
    /// Chunks by hand.
    static Bytes container(const std::string& json_text, const Bytes& binary_chunk);

private:
    nlohmann::json finished() const;
};

std::string base64(const Bytes& bytes);

inline int components_of(const std::string& shape) {
    return shape == "SCALAR" ? 1 : shape == "MAT4" ? 16 : shape.back() - '0';
}

}  // namespace cutis::test
