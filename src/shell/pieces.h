#pragma once

#include <string>
#include <vector>

#include "cutis/mesh/art_mesh.h"

namespace cutis {

/// A piece of detail to be repeated over a surface and grown in a shell.
struct DetailInfo {
    std::string name;
    std::string line;
};

/// Every built-in detail piece.
std::vector<DetailInfo> list_details();

/// Makes a detail piece: positions are (u, v, w) with u and v in [0, 1] across the tile and the
/// height w in [0, 1]. Copies shifted by whole tiles meet without gaps where the piece reaches the
/// tile's border.
/// \throw InvalidInput  unknown name; the message lists what there is
ArtMesh make_detail(const std::string& name);

}  // namespace cutis
