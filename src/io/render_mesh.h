#pragma once

#include <cstdint>
#include <vector>

#include "cutis/mesh/art_mesh.h"

namespace cutis {

/// One glTF primitive: a range of render vertices and triangles between them.
struct RenderPart {
    int part = 0;          ///< index into the parts of the mesh
    int first_vertex = 0;  ///< of the render vertices
    int vertex_count = 0;
    std::vector<std::uint32_t> indices;  ///< relative to first_vertex
};

/// The vertices glTF needs: an art vertex with several UVs becomes several.
struct RenderMesh {
    std::vector<int> art;           ///< art vertex of each render vertex
    std::vector<int> uv;            ///< UV entry of each render vertex, -1: none; empty: mesh without UVs
    std::vector<RenderPart> parts;  ///< those with triangles

    /// Within a part, vertices keep the order of the source (by art vertex, then by UV entry).
    RenderMesh(const ArtMesh& mesh, const std::vector<MeshPart>& mesh_parts);
};

/// Vertex normals of a moving mesh, weighted by triangle area.
///
/// Art vertices at one place share a normal, so that UV seams and borders of parts do not show;
/// but where a file has split a vertex without giving the halves different UVs, it did so for a
/// hard edge, and each half keeps its own.
class NormalField {
public:
    /// \param weld_group  per art vertex or empty: only vertices of one group share
    NormalField(const ArtMesh& mesh, const std::vector<MeshPart>& parts, const std::vector<int>& weld_group);

    int count() const { return count_; }
    /// Row of the result that belongs to an art vertex.
    int row_of(int art_vertex) const { return row_of_art_[art_vertex]; }
    /// Unit normals; a vertex without area gets +Y.
    void compute(const MatrixX3d& positions, MatrixX3d& normals) const;

private:
    const ArtMesh* mesh_;
    std::vector<int> row_of_art_;
    int count_ = 0;
};

}  // namespace cutis
