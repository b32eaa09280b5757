#pragma once

#include <string>

#include "cutis/mesh/art_mesh.h"

namespace cutis {

/// Where the numbers of an object begin in a file that holds several.
struct ObjOffsets {
    int vertices = 0;
    int uvs = 0;
};

/// `o`, `v` and `vt` lines. \param name  empty: no `o` line
void append_obj_points(std::string& text, const std::string& name, const MatrixX3d& positions, const MatrixX2d& uv);

/// `g`, `usemtl` and `f` lines; the same in every frame.
/// \param detail  name for parts that have none, because groups and materials of the object before
///                stay in force; empty: the first object
std::string obj_face_lines(const ArtMesh& mesh, const ObjOffsets& begin, const std::string& detail);

/// A mesh at rest as a whole file.
std::string obj_of_rest(const ArtMesh& mesh, const std::string& name);

}  // namespace cutis
