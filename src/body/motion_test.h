#pragma once

#include "cutis/body/clip.h"
#include "cutis/body/rig.h"

namespace cutis {

/// A clip for a skeleton that came without one: over four seconds every joint that moves vertices
/// swings once to either side of its rest pose and back, those of limbs by 40 degrees, those that
/// carry much of the body, and small ones, by 12; a joint follows the one above it by an eighth
/// of the time. Joints that carry everything stay. The end meets the start.
/// \param rig  with names, parents and centres filled in
Clip motion_test(const Skeleton& skeleton, const Rig& rig);

/// Does no channel change its value: a pose kept as a clip?
bool holds_still(const Clip& clip);

}  // namespace cutis
