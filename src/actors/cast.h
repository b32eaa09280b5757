#pragma once

#include "cutis/body/rig.h"

namespace cutis::actor {

// One maker per built-in character; actor_registry.cpp lists them.
Character make_torus();
Character make_cylinder();
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
Character make_plane();
Character make_box();

}  // namespace cutis::actor
