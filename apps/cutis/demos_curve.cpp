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
softness = [{ box = [-1, 0, -2, 1, 1.3, 2] }, 1.0, 0.4]

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

/// Figs. 8 to 10: the arm in five poses, by one way of filling in between its first and last.
Demo five_poses(const std::string& name, const std::string& about, const std::string& layer) {
    Demo demo;
    demo.name = "arm-poses-" + name;
    demo.about = "an arm in five poses, 0 to 120 degrees: " + about;
    demo.figure = "Figs. 8 to 10 of " + std::string(curves);
    demo.scene =
        "[body]\nactor = \"arm\"\nclip = \"bend\"\n\n[output]\nfirst_frame = 10\nlast_frame = 46\n";
    if (!layer.empty()) {
        demo.scene +=
            "\n[[layer]]\nkind = \"curve\"\nto = [\"hand\"]\nfree_tip = false\n"
            "follow = false\ninertia = 0\n" +
            layer;
    }
    demo.camera = {0.1, 0.35, 1.0};
    demo.stills = {0.0, 0.25, 0.5, 0.75, 1.0};
    return demo;
}

std::vector<Demo> arm_poses() {
    const std::string two =
        "baseline = \"dual-quaternion\"\nexample = [{ time = 0.3 }, { time = 1.5 }]\n";
    return {
        five_poses("truth", "as the rig has them, with its biceps", ""),
        five_poses("linear-blend", "linear blend alone", "baseline = \"linear-blend\"\n"),
        five_poses("dual-quaternion", "dual quaternions alone", "baseline = \"dual-quaternion\"\n"),
        five_poses("static", "from the first and the last, without mass",
                   two + "dynamics = \"still\"\n"),
        five_poses("dynamic", "from the first and the last, by modes of 1 Hz",
                   two + "frequency = 1\n"),
    };
}

std::vector<Demo> single_demos() {
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
joint_hold = 0
)",
         .camera = {0.1, 0.35, 1.0}},
        {.name = "arm-twist",
         .about = "a forearm that twists by 180 degrees: linear blend lets it shrink, curves over "
                  "dual quaternions do not; the flesh lags and swings back",
         .figure = curves,
         .scene = R"([body]
actor = "arm"
clip = "twist"
time_scale = 2.0

[[layer]]
kind = "curve"
to = ["hand"]
free_tip = false
baseline = "dual-quaternion"
follow = false
frequency = 4
damping = 0.2
inertia = 1.5
joint_hold = 0
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
softness = [{ box = [-2, 0, -3, 2, 1.05, 3] }, 1.0, 0.2]
)",
         .camera = {1.0, 0.3, -0.2},
         .follow = true,
         .focus = PageFocus{{0.0, 1.2, -1.0}, 0.85}},
        {.name = "dancer-arm",
         .about = "a dancer's arms and thighs: flesh on her captured dance",
         .figure = curves,
         .scene = R"([body]
file = "$DATA/dancer/dancer.glb"
mesh = "body"

[[layer]]
kind = "curve"
from = "LeftArm"
to = ["LeftHand"]
frequency = 5
inertia = 0.5

[[layer]]
kind = "curve"
from = "RightArm"
to = ["RightHand"]
frequency = 5
inertia = 0.5

[[layer]]
kind = "curve"
from = "LeftUpLeg"
to = ["LeftFoot"]
frequency = 4.5
inertia = 0.5

[[layer]]
kind = "curve"
from = "RightUpLeg"
to = ["RightFoot"]
frequency = 4.5
inertia = 0.5

[output]
last_frame = 150
)",
         .camera = {0.3, 0.1, 1.0},
         .follow = true},
        {.name = "apatosaurus",
         .about = "a running Apatosaurus: neck and tail swing on, tips free",
         .figure = curves,
         .scene = R"([body]
file = "$DATA/quaternius/Apatosaurus.glb"
clip = "Armature|Apatosaurus_Run"
loop = "loop"

[[layer]]
kind = "curve"
from = "Neck"
frequency = 2.5
damping = 0.25
inertia = 0.4

[[layer]]
kind = "curve"
from = "Tail1"
frequency = 1.5
damping = 0.2
inertia = 0.5
)",
         .camera = {1.0, 0.2, 0.3}},
        {.name = "horse-gallop",
         .about =
             "49 shapes of a galloping horse, no skeleton: the neck follows what they do, late",
         .figure = curves,
         .scene = R"([body]
mesh = "$DATA/horse-gallop/horse-gallop-reference.obj"
cache = "$DATA/horse-gallop/horse-gallop-*.obj"
cache_rate = 24
scale = 0.35

[[layer]]
kind = "curve"
region = { box = [-9, 1.05, 0.6, 9, 9, 0.9] }
baseline = "rigid"
frequency = 2
damping = 0.15
inertia = 0.8
)",
         .camera = {1.0, 0.2, 0.6}},
        {.name = "soft-bone",
         .about = "an artist's dancing dog bone: its shaft lags and overshoots",
         .figure = curves,
         .scene = R"([body]
mesh = "$DATA/dem-bones/frames/bone_000.obj"
cache = "$DATA/dem-bones/bone_anim.pc2"
cache_rate = 24

[[layer]]
kind = "curve"
region = { box = [-1.22, -9, -9, 1.02, 9, 9] }
baseline = "rigid"
frequency = 1.5
damping = 0.15
inertia = 0.6

[output]
last_frame = 150
)",
         .camera = {0.3, 0.3, 1.0}},
    };
}

}  // namespace

std::vector<Demo> curve_demos() {
    std::vector<Demo> demos = single_demos();
    for (Demo& demo : arm_poses()) {
        demos.push_back(std::move(demo));
    }
    return demos;
}

}  // namespace cutis::app
