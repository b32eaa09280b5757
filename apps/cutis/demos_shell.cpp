#include "demos.h"

namespace cutis::app {

namespace {

// The paper whose figures these demos stand beside.
constexpr const char* shells = "Real-time Dynamics for Geometric Textures in Shell";

}  // namespace

std::vector<Demo> shell_demos() {
    return {
        {.name = "rabbit-listen",
         .about = "a sitting rabbit that listens, a base for fur and scales",
         .figure = shells,
         .scene = R"([body]
actor = "rabbit"
clip = "listen"
)",
         .camera = {0.8, 0.2, 1.0}},
        {.name = "teapot-pour",
         .about = "Newell's teapot that pours, a base for spikes",
         .figure = shells,
         .scene = R"([body]
actor = "teapot"
clip = "pour"
)",
         .camera = {0.1, 0.25, 1.0}},
        {.name = "vase-sway",
         .about = "a vase that sways, a base for straps",
         .figure = shells,
         .scene = R"([body]
actor = "vase"
clip = "sway"
)",
         .camera = {0.4, 0.35, 1.0}},
        {.name = "tower-sway",
         .about = "a tower that sways, a base for bricks",
         .figure = shells,
         .scene = R"([body]
actor = "tower"
clip = "sway"
)",
         .camera = {0.5, 0.3, 1.0}},
        {.name = "plane-bulge",
         .about = "woven strips on a plane that bulges and dents, vibration limited",
         .figure = "Fig. 3 of Real-time Dynamics for Geometric Textures in Shell",
         .scene = R"([body]
actor = "plane"
clip = "bulge"

[[layer]]
kind = "shell"
detail = "straps"
place = "tiles"
tiles_u = 8
tiles_v = 8
height = 0.03
frequency = 3
damping = 0.03
limiter = "piece"
)",
         .camera = {0.5, 0.5, 1.0},
         .stills = {0.1, 0.3, 0.7}},
        {.name = "plane-bulge-unlimited",
         .about = "the same without a limiter: strips overshoot",
         .figure = "Fig. 3 of Real-time Dynamics for Geometric Textures in Shell",
         .scene = R"([body]
actor = "plane"
clip = "bulge"

[[layer]]
kind = "shell"
detail = "straps"
place = "tiles"
tiles_u = 8
tiles_v = 8
height = 0.03
frequency = 3
damping = 0.03
limiter = "none"
)",
         .camera = {0.5, 0.5, 1.0},
         .stills = {0.1, 0.3, 0.7}},
        {.name = "box-compressible",
         .about =
             "a box in a thick shell, drawn to twice its length; Poisson 0 lets the volume grow",
         .figure = "Fig. 2 of Real-time Dynamics for Geometric Textures in Shell",
         .scene = R"([body]
actor = "box"
clip = "stretch"

[[layer]]
kind = "shell"
detail = "straps"
place = "tiles"
tiles_u = 12
tiles_v = 8
height = 0.1
poisson = 0.0
)",
         .camera = {0.5, 0.4, 1.0},
         .stills = {0.05, 0.5}},
        {.name = "box-incompressible",
         .about = "the same at Poisson 0.5: the volume stays",
         .figure = "Fig. 2 of Real-time Dynamics for Geometric Textures in Shell",
         .scene = R"([body]
actor = "box"
clip = "stretch"

[[layer]]
kind = "shell"
detail = "straps"
place = "tiles"
tiles_u = 12
tiles_v = 8
height = 0.1
poisson = 0.5
)",
         .camera = {0.5, 0.4, 1.0},
         .stills = {0.05, 0.5}},
        {.name = "teapot-straps",
         .about = "a teapot of brass straps, the same material all over",
         .figure = "Fig. 4 of Real-time Dynamics for Geometric Textures in Shell",
         .scene = R"([body]
actor = "teapot"
clip = "pour"

[[layer]]
kind = "shell"
detail = "straps"
place = "tiles"
tiles_u = 14
tiles_v = 14
height = 0.02
limiter = "soft"
frequency = 4
damping = 0.05
)",
         .paint = "skin",
         .camera = {0.1, 0.3, 1.0}},
        {.name = "teapot-straps-painted",
         .about = "the same, stiff on handle and spout, soft on the belly",
         .figure = "Fig. 4 of Real-time Dynamics for Geometric Textures in Shell",
         .scene = R"([body]
actor = "teapot"
clip = "pour"

[[layer]]
kind = "shell"
detail = "straps"
place = "tiles"
tiles_u = 14
tiles_v = 14
height = 0.02
limiter = "soft"
frequency = [{ box = [-0.1, -1, -1, 0.1, 1, 1] }, 3, 12]
damping = [{ box = [-0.1, -1, -1, 0.1, 1, 1] }, 0.04, 0.6]
)",
         .paint = "skin",
         .camera = {0.1, 0.3, 1.0}},
        {.name = "teapot-straps-axes",
         .about = "the same, free along the surface's x direction and damped across it",
         .figure = "Fig. 4 of Real-time Dynamics for Geometric Textures in Shell",
         .scene = R"([body]
actor = "teapot"
clip = "pour"

[[layer]]
kind = "shell"
detail = "straps"
place = "tiles"
tiles_u = 14
tiles_v = 14
height = 0.02
limiter = "soft"
axes = [3, 0.03, 8, 0.8, 8, 0.8]
surface_axis = [1, 0, 0]
)",
         .paint = "skin",
         .camera = {0.1, 0.3, 1.0}},
        {.name = "tower-touch",
         .about = "bricks of a tower touched with one finger: they give way and quiver",
         .figure = "Fig. 5 of Real-time Dynamics for Geometric Textures in Shell",
         .scene = R"([body]
actor = "tower"
clip = "sway"
time_scale = 0.05

[[layer]]
kind = "shell"
detail = "bricks"
place = "tiles"
tiles_u = 18
tiles_v = 18
tiles_turn = 90
height = 0.02
frequency = 4
damping = 0.06
handle = [{ name = "finger", at = [0.5, 3.2, 1.1], grab = 0.4, release = 1.0, moves = [{ time = 0.9, by = [0.2, 0.15, 0.4] }] }]
[output]
last_frame = 75
)",
         .paint = "skin",
         .camera = {0.4, 0.2, 1.0},
         .stills = {0.1, 0.36, 0.6}},
        {.name = "tower-drag",
         .about = "a tower bent by dragging its bricks: the pull goes into the wall",
         .figure = "Fig. 5 of Real-time Dynamics for Geometric Textures in Shell",
         .scene = R"([body]
actor = "tower"
clip = "sway"
time_scale = 0.05

[[layer]]
kind = "shell"
detail = "bricks"
place = "tiles"
tiles_u = 18
tiles_v = 18
tiles_turn = 90
height = 0.02
frequency = 4
damping = 0.06
handle = [{ name = "hand", at = [0.0, 4.2, 1.1], grab = 0.3, release = 2.0, moves = [{ time = 1.3, by = [0.9, 0.0, 0.3] }, { time = 1.8, by = [0.9, 0.0, 0.3] }] }]
offset_stiffness = 0.5
base_stiffness = 50
reach = 0.35
passes = 4
[output]
last_frame = 80
)",
         .paint = "skin",
         .camera = {0.4, 0.2, 1.0},
         .stills = {0.3, 0.55, 0.8}},
        {.name = "rabbit-stiff",
         .about = "a rabbit pulled by its ear: stiff scales carry the body along",
         .figure = "Fig. 6 of Real-time Dynamics for Geometric Textures in Shell",
         .scene = R"([body]
actor = "rabbit"
clip = "listen"
time_scale = 0.05

[[layer]]
kind = "shell"
detail = "scale"
size = 0.05
spacing = 0.6
height = 0.03
handle = [{ name = "ear", at = [0.04, 0.4, -0.1], grab = 0.2, release = 1.4, moves = [{ time = 1.0, by = [0.07, 0.03, 0.05] }] }]
offset_stiffness = 0.02
base_stiffness = 20
reach = 0.2
passes = 4
[output]
last_frame = 60
)",
         .paint = "skin",
         .camera = {0.8, 0.2, 1.0},
         .stills = {0.1, 0.6}},
        {.name = "rabbit-soft",
         .about = "the same with soft scales: they give way first",
         .figure = "Fig. 6 of Real-time Dynamics for Geometric Textures in Shell",
         .scene = R"([body]
actor = "rabbit"
clip = "listen"
time_scale = 0.05

[[layer]]
kind = "shell"
detail = "scale"
size = 0.05
spacing = 0.6
height = 0.03
handle = [{ name = "ear", at = [0.04, 0.4, -0.1], grab = 0.2, release = 1.4, moves = [{ time = 1.0, by = [0.07, 0.03, 0.05] }] }]
offset_stiffness = 20
base_stiffness = 20
reach = 0.2
passes = 4
[output]
last_frame = 60
)",
         .paint = "skin",
         .camera = {0.8, 0.2, 1.0},
         .stills = {0.1, 0.6}},
        {.name = "vase-stiff",
         .about = "a vase pulled at its straps: a stiff base hardly follows",
         .figure = "Fig. 6 of Real-time Dynamics for Geometric Textures in Shell",
         .scene = R"([body]
actor = "vase"
clip = "sway"
time_scale = 0.05

[[layer]]
kind = "shell"
detail = "straps"
place = "tiles"
tiles_u = 12
tiles_v = 12
height = 0.02
handle = [{ name = "rim", at = [0.1, 0.38, 0.06], grab = 0.2, release = 1.4, moves = [{ time = 1.0, by = [0.1, 0.02, 0.05] }] }]
offset_stiffness = 1
base_stiffness = 0.05
reach = 0.25
passes = 4
[output]
last_frame = 60
)",
         .paint = "skin",
         .camera = {0.4, 0.35, 1.0},
         .stills = {0.1, 0.6}},
        {.name = "vase-soft",
         .about = "the same with a soft base: it comes along",
         .figure = "Fig. 6 of Real-time Dynamics for Geometric Textures in Shell",
         .scene = R"([body]
actor = "vase"
clip = "sway"
time_scale = 0.05

[[layer]]
kind = "shell"
detail = "straps"
place = "tiles"
tiles_u = 12
tiles_v = 12
height = 0.02
handle = [{ name = "rim", at = [0.1, 0.38, 0.06], grab = 0.2, release = 1.4, moves = [{ time = 1.0, by = [0.1, 0.02, 0.05] }] }]
offset_stiffness = 1
base_stiffness = 50
reach = 0.25
passes = 4
[output]
last_frame = 60
)",
         .paint = "skin",
         .camera = {0.4, 0.35, 1.0},
         .stills = {0.1, 0.6}},
        {.name = "dinosaur-scales",
         .about = "a dinosaur with scales that walks and stops",
         .figure = shells,
         .scene = R"([body]
actor = "dinosaur"
clip = "walk"

[[layer]]
kind = "shell"
detail = "scale"
axis = [0, -0.2, -1]
frequency = 5
damping = 0.08
size = 0.034
spacing = 0.62
turn = 8
size_variation = 0.15
height = 0.015
)",
         .paint = "skin",
         .camera = {1.0, 0.25, 0.7},
         .follow = true},
        {.name = "dinosaur-spikes",
         .about = "a dinosaur with spikes that walks and stops",
         .figure = shells,
         .scene = R"([body]
actor = "dinosaur"
clip = "walk"

[[layer]]
kind = "shell"
detail = "spike"
axis = [0, -0.2, -1]
frequency = 5
damping = 0.08
size = 0.03
height = 0.03
)",
         .paint = "skin",
         .camera = {1.0, 0.25, 0.7},
         .follow = true},
        {.name = "spot-fish",
         .about = "a cow in a coat of fish, pulled by the head and let go",
         .figure = shells,
         .scene = R"([body]
mesh = "$DATA/classic/spot_low_resolution.obj"

[[layer]]
kind = "shell"
mesh = "$DATA/classic/fish_control_mesh.obj"
mesh_up = "x"
axis = [0, -0.3, 1]
size = 0.11
spacing = 0.45
turn = 10
height = 0.04
frequency = 3.5
damping = 0.06
handle = [{ name = "head", at = [0.0, 0.75, -0.6], grab = 0.1, release = 1.2, moves = [{ time = 0.7, by = [0.3, -0.15, -0.1] }, { time = 1.1, by = [0.3, -0.15, -0.1] }] }]
offset_stiffness = 1
base_stiffness = 40
reach = 0.35
passes = 4

[output]
last_frame = 75
)",
         .paint = "skin",
         .camera = {0.6, 0.3, -1.0},
         .stills = {0.05, 0.45, 0.6}},
        {.name = "koala-hair",
         .about = "a koala with hair cards that nods",
         .figure = shells,
         .scene = R"([body]
mesh = "$DATA/classic/koala_low_resolution.obj"

[[layer]]
kind = "shell"
detail = "hair"
axis = [0, -1, -0.3]
size = 0.065
spacing = 0.6
turn = 20
size_variation = 0.3
height = 0.03
frequency = 4
damping = 0.1
handle = [{ name = "head", at = [0.0, 3.9, 3.0], grab = 0.1, release = 1.4, moves = [{ time = 0.6, by = [0.6, -0.9, 0.4] }, { time = 1.1, by = [-0.6, -0.3, 0.0] }] }]
offset_stiffness = 1
base_stiffness = 40
reach = 0.3
passes = 4

[output]
last_frame = 75
)",
         .paint = "skin",
         .camera = {0.9, 0.3, 0.8},
         .stills = {0.05, 0.25, 0.6}},
        {.name = "trex-spikes",
         .about = "a Tyrannosaurus with spikes on its walk; one spike is kept, with a place for "
                  "each copy",
         .figure = shells,
         .scene = R"([body]
file = "$DATA/quaternius/Trex.glb"
clip = "Armature|TRex_Walk"
loop = "loop"

[[layer]]
kind = "shell"
detail = "spike"
axis = [0, -0.2, -1]
size = 0.025
spacing = 1.1
height = 0.03
frequency = 6
damping = 0.1
rigid = true
)",
         .paint = "skin",
         .camera = {1.0, 0.25, 0.7}},
        {.name = "dinosaur-skin-scales",
         .about = "scales that ride on skin which slides over the body",
         .figure = shells,
         .scene = R"([body]
actor = "dinosaur"
clip = "walk"

[[layer]]
kind = "slide"
output = "uv"

[[layer]]
kind = "shell"
detail = "scale"
anchor = "skin"
axis = [0, -0.2, -1]
size = 0.045
spacing = 0.62
height = 0.015
frequency = 5
damping = 0.08

[output]
last_frame = 75
)",
         .paint = "skin",
         .camera = {1.0, 0.25, 0.7},
         .follow = true},
    };
}

}  // namespace cutis::app
