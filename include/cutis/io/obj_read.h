#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "cutis/body/cache.h"
#include "cutis/core/progress.h"
#include "cutis/mesh/art_mesh.h"

namespace cutis {

/// Wavefront OBJ into an ArtMesh.
///
/// | in the file                  | read as                                                       |
/// |------------------------------|---------------------------------------------------------------|
/// | v x y z [w]                  | position; w is not used                                       |
/// | v x y z r g b                | ArtMesh::painted COLOR_0.r .g .b; vertices without are white  |
/// | vt u [v [w]]                 | ArtMesh::uv as it is: OBJ has v up, like ArtMesh              |
/// | f v, v/vt, v//vn, v/vt/vn    | polygon as a fan from its first corner; indices from 1, or    |
/// |                              | negative from the last; a corner without vt where others have |
/// |                              | one gets the UV 0 0 (warned)                                  |
/// | o, g, usemtl                 | MeshPart: name of the group, else of the object; material     |
/// | # comment, \ at a line's end | skipped; joined with the next line                            |
/// | vn, s, mtllib, l, p, others  | not read; unknown keywords are warned about once              |
///
/// \param warn  notes on what was left out; empty: silence
/// \throw InvalidInput  not a number, index 0 or out of range, face of fewer than three corners, no
///                      vertices, no faces, binary content: `a.obj: line 12: expected ...`
/// \throw IoError       missing or unreadable
ArtMesh read_obj(const std::filesystem::path& path, const WarningCallback& warn = {});

/// The same from memory. \param source  name used in messages; its stem names the mesh
ArtMesh read_obj(std::span<const unsigned char> bytes, const std::string& source, const WarningCallback& warn = {});

/// A mesh and how its vertices move.
struct ObjSequence {
    ArtMesh mesh;  ///< the first file
    PointCache cache;
    std::vector<std::filesystem::path> files;  ///< in order of their numbers
};

/// One OBJ file per frame.
///
/// \param pattern  file name with one `*`, in place of a number: `run/frame_*.obj`. Files are
///                 taken in the order of their numbers; gaps between numbers are not gaps in time.
///                 Files where the `*` would be something else (`frame_reference.obj`) are not
///                 part of the sequence.
/// \param rate     files a second
/// \throw InvalidInput  no `*` or several in the file name, no file fits, vertex count or faces
///                      differ from the first file, or anything read_obj refuses
/// \throw IoError       the folder cannot be listed, a file cannot be read
ObjSequence read_obj_sequence(const std::filesystem::path& pattern, double rate = 30.0,
                              const WarningCallback& warn = {});

/// The files a pattern matches, in the order of their numbers.
/// \throw IoError, InvalidInput  as read_obj_sequence does
std::vector<std::filesystem::path> obj_sequence_files(const std::filesystem::path& pattern);

}  // namespace cutis
