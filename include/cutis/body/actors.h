#pragma once

#include <string>
#include <vector>

#include "cutis/body/rig.h"
#include "cutis/mesh/art_mesh.h"

namespace cutis {

/// A built-in character, as a list for people shows it.
struct ActorInfo {
    std::string name;
    std::string line;                ///< what it is, one line
    std::vector<std::string> clips;  ///< names of its motions; empty: it stands still
};

/// Every built-in character, in the order a list shows them.
std::vector<ActorInfo> list_actors();

/// Makes a built-in character: mesh with UV charts, skeleton, weights, morph targets and clips.
///
/// Metres, Y up, facing +Z; the rest pose has no rotated joints. The same name gives the same bytes
/// every time. Meshes are closed and manifold except the cylinder, the plane and the dancer's
/// garment, whose rims are open.
/// \throw InvalidInput  unknown name; the message lists what there is
Character make_actor(const std::string& name);

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
