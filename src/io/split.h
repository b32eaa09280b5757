#pragma once

#include <vector>

#include "cutis/stack/sink.h"

namespace cutis {

/// One of the meshes that a body is made of, taken out of the one mesh of its frames.
struct SplitMesh {
    MeshInfo info;              ///< its name in the file, its part of the mesh at rest
    std::vector<int> vertices;  ///< its vertices among those of the frames
    std::vector<int> uvs;       ///< and its UVs

    /// Its part of a frame.
    void take(const MeshFrame& body, MeshFrame& own) const;
};

/// The meshes of the body's file as the frames show them, in their order there: all vertices, used or not, or those of
/// a finer mesh. Empty where the body is one mesh.
std::vector<SplitMesh> split_body(const BakeInfo& info);

/// The parts from `first_part` on as a mesh of its own.
/// \param vertices  all those of its own; empty: those that its triangles use
SplitMesh split_parts(const MeshInfo& body, int first_part, int part_count, std::vector<int> vertices);

}  // namespace cutis
