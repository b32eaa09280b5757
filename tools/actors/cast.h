#pragma once

#include "cutis/body/rig.h"

namespace cutis::actor {

// One maker per character that is kept as a file; main.cpp lists them.
Character make_arm();
Character make_hand();
Character make_head();
Character make_torso();
Character make_dinosaur();
Character make_creature();
Character make_horse();
Character make_dancer();
Character make_tower();
Character make_teapot();
Character make_vase();
Character make_rabbit();

}  // namespace cutis::actor
