#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "cutis/mesh/art_mesh.h"

namespace cutis {

/// Rigid copies of one piece: copy i is the piece times sizes.row(i), then turned and moved.
struct DetailCopies {
    ArtMesh piece;
    MatrixX3d sizes;  ///< #copies x 3, factors along the piece's axes, above 0
};

/// A mesh that a layer adds to the body: geometry of its own, at rest. Its vertices of every frame
/// are in Frame::details.
struct DetailMesh {
    std::string name;  ///< unique in a bake; also part of file names
    std::shared_ptr<const ArtMesh> mesh;
    /// The same as copies of one piece, for formats that can keep them; null: it has none.
    std::shared_ptr<const DetailCopies> copies = nullptr;
};

/// Lines or dots a layer shows in the page (curves of flesh, fold lines, pins, handles). Points of
/// every frame are in Frame::lines.
struct LineSet {
    std::string name;
    std::string show = "curves";  ///< the page's switch: "curves" or "pins"
    int point_count = 0;
    std::vector<std::array<int, 2>> segments;  ///< pairs of points; empty: dots
};

}  // namespace cutis
