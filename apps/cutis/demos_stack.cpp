#include "demos.h"

namespace cutis::app {

std::vector<Demo> stack_demos() {
    return {
        {.name = "creature-walk",
         .about = "a creature in a tight suit walks, stops and roars, with all four layers: flesh, "
                  "folds, a tattoo on sliding skin, spikes",
         .figure = "",
         .scene = R"([body]
actor = "creature"
clip = "walk"

# The tail swings on its own.
[[layer]]
kind = "curve"
from = "tail_1"
frequency = 1.4
damping = 0.2
inertia = 0.5

# The suit folds where the legs come forward.
[[layer]]
kind = "fold"
where = ["part:suit"]
width = 0.08
edges_per_fold = 4
most_levels = 1

# Skin slides over the flesh and takes its tattoo along; under the suit it is held.
[[layer]]
kind = "slide"
region = ["not part:suit"]
pin_creases = 0.5
stickiness = 0.3
step = 0.0168
tolerance = 0.003

# Spikes on the tail.
[[layer]]
kind = "shell"
name = "spikes"
detail = "spike"
size = 0.012
height = 0.02
axis = [0, 0, -1]
density = [{ box = [-0.08, 1.1, -2, 0.08, 2, -0.6] }, 1, 0]

[output]
html.tolerance = 0.0008
)",
         .paint = "tattoo",
         .camera = {1.0, 0.28, 0.75},
         .follow = true,
         .stills = {0.12, 0.35, 0.72}},
        {.name = "dancer-dance",
         .about = "a dancer's bodysuit with all four layers: arms that follow late, folds, cloth "
                  "that slides, sequins",
         .figure = "",
         .scene = R"([body]
file = "$DATA/dancer/dancer.glb"
mesh = "tights"

# Flesh of the arms follows late.
[[layer]]
kind = "curve"
from = "LeftArm"
frequency = 5
inertia = 0.4

[[layer]]
kind = "curve"
from = "RightArm"
frequency = 5
inertia = 0.4

# The suit folds at hip, waist and knee.
[[layer]]
kind = "fold"
width = 0.06

# Its cloth slides over the body.
[[layer]]
kind = "slide"
stickiness = 0.5
step = 0.0168
tolerance = 0.003

# Sequins on breast and shoulders.
[[layer]]
kind = "shell"
name = "sequins"
detail = "scale"
rigid = true
size = 0.016
height = 0.008
density = [{ box = [-0.3, 1.0, -0.3, 0.3, 1.25, 0.3] }, 1, 0]

[output]
last_frame = 60
html.tolerance = 0.0008
)",
         .paint = "grid",
         .camera = {0.5, 0.15, 1.0},
         .stills = {0.3, 0.6, 0.9}},
    };
}

}  // namespace cutis::app
