#include "demos.h"

namespace cutis::app {

namespace {

// The paper whose figures these demos stand beside.
constexpr const char* thin_skin = "Thin Skin Elastodynamics (2013)";

}  // namespace

std::vector<Demo> slide_demos() {
    return {
        {.name = "hand-flex",
         .about = "a hand flexes one finger after another: skin slides over the knuckles",
         .figure = "Fig. 6 of Thin Skin Elastodynamics (2013)",
         .scene = R"([body]
actor = "hand"
clip = "flex"

[[layer]]
kind = "slide"
step = 0.00425
)",
         .paint = "bumps",
         .camera = {0.35, 0.5, 1.0}},
        {.name = "torus-bulge",
         .about = "a torus of 24 x 24 bulges on top: skin comes from all around",
         .figure = "Fig. 3 of Thin Skin Elastodynamics (2013)",
         .scene = R"([body]
actor = "torus"
clip = "bulge"

[[layer]]
kind = "slide"
tether = 0
)",
         .paint = "grid",
         .camera = {0.5, 0.4, 1.0}},
        {.name = "torus-shake",
         .about = "a torus is shaken and stops: skin that does not stick lags and overshoots",
         .figure = "Fig. 8 of Thin Skin Elastodynamics (2013)",
         .scene = R"([body]
actor = "torus"
clip = "shake"

[[layer]]
kind = "slide"
stickiness = 0
tether = 0
damping = 1
step = 0.001
)",
         .paint = "grid",
         .camera = {0.5, 0.4, 1.0},
         .stills = {0.35, 0.45, 0.633}},
        {.name = "torus-shake-30",
         .about = "the shaken torus with a stickiness of 0.3",
         .figure = "Fig. 8 of Thin Skin Elastodynamics (2013)",
         .scene = R"([body]
actor = "torus"
clip = "shake"

[[layer]]
kind = "slide"
stickiness = 0.3
tether = 0
damping = 1
step = 0.001
)",
         .paint = "grid",
         .camera = {0.5, 0.4, 1.0},
         .stills = {0.35, 0.45, 0.633}},
        {.name = "torus-shake-60",
         .about = "the shaken torus with a stickiness of 0.6",
         .figure = "Fig. 8 of Thin Skin Elastodynamics (2013)",
         .scene = R"([body]
actor = "torus"
clip = "shake"

[[layer]]
kind = "slide"
stickiness = 0.6
tether = 0
damping = 1
step = 0.001
)",
         .paint = "grid",
         .camera = {0.5, 0.4, 1.0},
         .stills = {0.35, 0.45, 0.633}},
        {.name = "torus-shake-100",
         .about = "the shaken torus with a stickiness of 1",
         .figure = "Fig. 8 of Thin Skin Elastodynamics (2013)",
         .scene = R"([body]
actor = "torus"
clip = "shake"

[[layer]]
kind = "slide"
stickiness = 1
tether = 0
damping = 1
step = 0.001
)",
         .paint = "grid",
         .camera = {0.5, 0.4, 1.0},
         .stills = {0.35, 0.45, 0.633}},
        {.name = "torus-twist",
         .about = "a torus whose right half turns by 90 degrees: skin shares the twist",
         .figure = thin_skin,
         .scene = R"([body]
actor = "torus"
clip = "twist"
skinning = "dual-quaternion"

[[layer]]
kind = "slide"
tether = 0
)",
         .camera = {0.2, 0.3, 1.0}},
        {.name = "cylinder-twist",
         .about = "a cylinder of 22 x 30 whose right half turns: both rims pinned, the twist "
                  "becomes even",
         .figure = "Fig. 4b of Thin Skin Elastodynamics (2013)",
         .scene = R"([body]
actor = "cylinder"
clip = "twist"
skinning = "dual-quaternion"

[[layer]]
kind = "slide"
tether = 0
rim = "pin"
)",
         .camera = {0.3, 0.35, 1.0}},
        {.name = "cylinder-skinned",
         .about = "the same cylinder with plain skinning: only the right half is twisted",
         .figure = "Fig. 4a of Thin Skin Elastodynamics (2013)",
         .scene = R"([body]
actor = "cylinder"
clip = "twist"
skinning = "dual-quaternion"
)",
         .camera = {0.3, 0.35, 1.0}},
        {.name = "cylinder-glide",
         .about = "the same cylinder, rims gliding: the body turns below the skin",
         .figure = "Fig. 4c of Thin Skin Elastodynamics (2013)",
         .scene = R"([body]
actor = "cylinder"
clip = "twist"
skinning = "dual-quaternion"

[[layer]]
kind = "slide"
tether = 0
rim = "glide"
)",
         .camera = {0.3, 0.35, 1.0}},
        {.name = "cylinder-squash",
         .about = "a cylinder is squashed along its axis: skin shares the compression",
         .figure = thin_skin,
         .scene = R"([body]
actor = "cylinder"
clip = "squash"

[[layer]]
kind = "slide"
tether = 0
)",
         .camera = {0.3, 0.35, 1.0}},
        {.name = "hand-fist",
         .about = "a hand closes to a fist under sliding skin",
         .figure = thin_skin,
         .scene = R"([body]
actor = "hand"
clip = "fist"

[[layer]]
kind = "slide"
)",
         .camera = {0.35, 0.5, 1.0}},
        {.name = "head-lift",
         .about = "a head lifts its chin: skin of chest and neck comes along",
         .figure = "Fig. 5a of Thin Skin Elastodynamics (2013)",
         .scene = R"([body]
actor = "head"
clip = "lift"

[[layer]]
kind = "slide"
)",
         .paint = "tattoo",
         .camera = {0.9, -0.05, 0.8},
         .focus = PageFocus{{0.0, 0.13, 0.03}, 0.11}},
        {.name = "head-open",
         .about = "a head opens its mouth: skin of the neck comes along",
         .figure = "Fig. 5b of Thin Skin Elastodynamics (2013)",
         .scene = R"([body]
actor = "head"
clip = "open_mouth"

[[layer]]
kind = "slide"
)",
         .paint = "tattoo",
         .camera = {0.9, 0.0, 0.8},
         .focus = PageFocus{{0.0, 0.15, 0.04}, 0.11}},
        {.name = "head-swallow",
         .about = "a neck swallows: the Adam's apple moves below the skin",
         .figure = "Fig. 5c of Thin Skin Elastodynamics (2013)",
         .scene = R"([body]
actor = "head"
clip = "swallow"

[[layer]]
kind = "slide"
tether = 500
)",
         .paint = "tattoo",
         .camera = {0.9, 0.0, 0.8},
         .focus = PageFocus{{0.0, 0.11, 0.03}, 0.085},
         .stills = {0.17, 0.354, 0.54}},
        {.name = "torso-lift",
         .about = "a torso in a tight shirt lifts one arm: the whole cloth shares the stretch",
         .figure = "Fig. 7b of Thin Skin Elastodynamics (2013)",
         .scene = R"([body]
actor = "torso"
clip = "lift_arm"

[[layer]]
kind = "slide"
tether = 200
stickiness = 0.9
)",
         .paint = "grid",
         .camera = {0.5, 0.1, 1.0},
         .focus = PageFocus{{0.12, 0.35, 0.0}, 0.26}},
        {.name = "torso-shrug",
         .about = "a torso in a tight shirt shrugs",
         .figure = "Fig. 7c of Thin Skin Elastodynamics (2013)",
         .scene = R"([body]
actor = "torso"
clip = "shrug"

[[layer]]
kind = "slide"
tether = 200
stickiness = 0.9
)",
         .paint = "grid",
         .camera = {0.2, 0.1, 1.0},
         .focus = PageFocus{{0.0, 0.38, 0.0}, 0.28}},
        {.name = "dinosaur-walk",
         .about = "a dinosaur walks and stops: its skin goes on jiggling",
         .figure = "the dinosaur of Thin Skin Elastodynamics (2013)",
         .scene = R"([body]
actor = "dinosaur"
clip = "walk"

[[layer]]
kind = "slide"
stickiness = 0
damping = 2
step = 0.001
pin_creases = 0.5
)",
         .camera = {1.0, 0.25, 0.7}},
        {.name = "dancer-torso",
         .about = "a dancer raises her arms: skin of the whole trunk shares the stretch",
         .figure = thin_skin,
         .scene = R"([body]
file = "$DATA/dancer/dancer.glb"
mesh = "body"

[[layer]]
kind = "slide"
step = 0.00834

[output]
first_frame = 60
last_frame = 120
)",
         .camera = {0.4, 0.15, 1.0}},
        {.name = "dancer-neck",
         .about = "a dancer turns and bends her head: skin of throat, jaw and crown, the rest held",
         .figure = thin_skin,
         .scene = R"([body]
file = "$DATA/dancer/dancer.glb"
mesh = "body"

[[layer]]
kind = "slide"
region = ["joints:Neck"]
tether = 500
step = 0.00834

[output]
first_frame = 60
last_frame = 120
)",
         .paint = "grid",
         .camera = {-1.0, 0.15, 0.6},
         .follow = true,
         .focus = PageFocus{{0.02, 1.36, 0.82}, 0.13}},
        {.name = "horse-skin",
         .about = "a horse gallops: loose skin lags behind shoulder and haunch",
         .figure = thin_skin,
         .scene = R"([body]
file = "$DATA/quaternius/Horse.glb"
clip = "AnimalArmature|Gallop"
loop = "loop"

[[layer]]
kind = "slide"
stickiness = 0.2
damping = 2
step = 0.001
pin_creases = 0.5

[output]
last_frame = 60
)",
         .camera = {1.0, 0.2, 0.5}},
        {.name = "trex-walk",
         .about = "a tyrannosaur walks: skin slides over its legs, teeth and claws stay",
         .figure = thin_skin,
         .scene = R"([body]
file = "$DATA/quaternius/Trex.glb"
clip = "Armature|TRex_Walk"
loop = "loop"

[[layer]]
kind = "slide"
stickiness = 0.2
damping = 2
step = 0.002
pin_creases = 0.5
pin_slivers = 0.02

[output]
last_frame = 60
)",
         .camera = {1.0, 0.2, 0.5}},
    };
}

}  // namespace cutis::app
