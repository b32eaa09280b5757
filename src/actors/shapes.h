#pragma once

#include "cutis/body/rig.h"

namespace cutis::actor {

// Characters that are a few lines of formula: no file, exact in double precision.
Character make_torus();
Character make_cylinder();
Character make_plane();
Character make_box();

}  // namespace cutis::actor
