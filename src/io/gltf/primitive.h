#pragma once

#include <vector>

#include "io/gltf/file.h"

namespace cutis {

/// One primitive made of triangles, its sizes known and checked.
struct Primitive {
    JsonAt at;
    JsonAt attributes;
    GltfAccessor positions;
    std::optional<GltfAccessor> indices;
    int mode = 4;  ///< 4 triangles, 5 strip, 6 fan
    std::size_t vertices = 0;
    std::size_t corners = 0;  ///< indices, or vertices without them
    std::size_t triangles = 0;
    std::size_t targets = 0;  ///< morph targets, the same for all primitives of a mesh
    std::size_t first_vertex = 0;
    std::size_t first_triangle = 0;
};

/// Does this primitive hold triangles with positions?
bool is_readable(const JsonAt& primitive);

/// Primitives of triangles; points and lines are noted and left out.
std::vector<Primitive> read_primitives(GltfFile& file, const JsonAt& mesh);

/// 3 * primitive.triangles indices, moved up by primitive.first_vertex.
void read_triangles(GltfFile& file, const Primitive& primitive, int* out);

}  // namespace cutis
