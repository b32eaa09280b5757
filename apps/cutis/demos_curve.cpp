#include "demos.h"

namespace cutis::app {

namespace {

// The paper whose figures these demos stand beside.
constexpr const char* curves = "Dynamic skin deformation using finite difference solutions (2014)";

// Each part its own curves, cut where the skin weights say; neighbours share their loops.
constexpr const char* horse_run = R"([body]
actor = "horse"
clip = "gallop"
loop = "loop"

[[layer]]
kind = "curve"
to = ["neck_1", "tail_1"]
without = ["shoulder_front_left", "shoulder_front_right", "shoulder_hind_left", "shoulder_hind_right"]
frequency = 4
inertia = 0.5
softness = ["box:-1,0,-2,1,1.3,2", 1.0, 0.4]

[[layer]]
kind = "curve"
from = "neck_1"
to = ["head"]
inertia = 0.4

[[layer]]
kind = "curve"
from = "tail_1"
frequency = 2
damping = 0.25
inertia = 0.4

[[layer]]
kind = "curve"
from = "shoulder_front_left"
to = ["cannon_front_left"]

[[layer]]
kind = "curve"
from = "shoulder_front_right"
to = ["cannon_front_right"]

[[layer]]
kind = "curve"
from = "shoulder_hind_left"
to = ["cannon_hind_left"]

[[layer]]
kind = "curve"
from = "shoulder_hind_right"
to = ["cannon_hind_right"]
)";

}  // namespace

std::vector<Demo> curve_demos() {
    return {
        {.name = "arm-bend",
         .about =
             "an arm that bends to 120 degrees; its bulging biceps lags, overshoots and settles",
         .figure = curves,
         .scene = R"([body]
actor = "arm"
clip = "bend"
time_scale = 2.0

[[layer]]
kind = "curve"
to = ["hand"]
free_tip = false
baseline = "linear-blend"
frequency = 3.5
damping = 0.2
inertia = 0.6
)",
         .camera = {0.1, 0.35, 1.0}},
        {.name = "arm-twist",
         .about = "a forearm that twists by 180 degrees",
         .figure = curves,
         .scene = R"([body]
actor = "arm"
clip = "twist"
skinning = "dual-quaternion"
time_scale = 2.0

[[layer]]
kind = "curve"
to = ["hand"]
free_tip = false
frequency = 4
damping = 0.2
inertia = 1.5
)",
         .camera = {0.1, 0.35, 1.0}},
        {.name = "horse-run",
         .about =
             "a galloping horse in seven parts: torso, neck, tail and legs swing on their curves",
         .figure = curves,
         .scene = horse_run,
         .camera = {1.0, 0.2, 0.6}},
        {.name = "dinosaur-tail",
         .about = "a dinosaur that walks and stops; tail and belly swing on",
         .figure = curves,
         .scene = R"([body]
actor = "dinosaur"
clip = "walk"

[[layer]]
kind = "curve"
from = "tail_1"
frequency = 1.2
damping = 0.2
inertia = 0.6

[[layer]]
kind = "curve"
to = ["neck_1", "tail_1"]
without = ["thigh_left", "thigh_right", "upper_arm_left", "upper_arm_right"]
frequency = 3
damping = 0.2
softness = ["box:-2,0,-3,2,1.05,3", 1.0, 0.2]
)",
         .camera = {1.0, 0.25, 0.3}},
    };
}

}  // namespace cutis::app
