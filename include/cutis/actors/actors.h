#pragma once

#include <string>
#include <vector>

#include "cutis/body/rig.h"

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
Character load_actor(const std::string& name);

}  // namespace cutis
