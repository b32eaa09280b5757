#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "cutis/body/body.h"

namespace cutis {

/// Drawn vertices of one part.
struct PagePart {
    int first_vertex = 0;
    int vertex_count = 0;
    int first_index = 0;  ///< of its triangles
    int index_count = 0;
    std::string material;
    bool is_garment = false;     ///< of a mesh after the character's first
    double metres_per_uv = 1.0;  ///< mean length on its mesh of one unit of UV
};

/// A surface as a page draws it: vertices split where they have several UVs.
struct PageSurface {
    std::vector<std::uint32_t> source;     ///< art vertex of each drawn vertex
    std::vector<std::uint32_t> uv_source;  ///< UV entry of each drawn vertex; empty: no UVs
    std::vector<std::uint32_t> triangles;  ///< into the drawn vertices
    std::vector<float> colours;            ///< linear r g b per drawn vertex; empty: none known
    std::vector<PagePart> parts;
    double pattern_size = 0.05;  ///< side of a painted square, a round number of metres
    double edge_length = 0.0;    ///< mean
};

/// \param body  whose materials colour the mesh; null: no colours
PageSurface make_page_surface(const ArtMesh& mesh, const Body* body);

/// Pairs of joints of the body's rig: the next joint above each, and itself.
std::vector<std::uint32_t> joint_segments(const Body& body);

}  // namespace cutis
