#include "demos.h"

#include "cutis/core/error.h"
#include "cutis/io/scene_read.h"
#include "cutis/stack/settings.h"

namespace cutis::app {

namespace {

// The paper whose figure a demo stands beside.
constexpr const char* thin_skin = "Thin Skin Elastodynamics (2013)";
constexpr const char* curves = "Dynamic skin deformation using finite difference solutions (2014)";
constexpr const char* folds = "Unilaterally Incompressible Skinning (2017)";
constexpr const char* shells = "Real-time Dynamics for Geometric Textures in Shell";

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

const std::vector<Demo>& demos() {
    static const std::vector<Demo> table = {
        {.name = "hand-flex",
         .about = "a hand flexes one finger after another: skin slides over the knuckles",
         .figure = "Fig. 6 of Thin Skin Elastodynamics (2013)",
         .scene = "[body]\nactor = \"hand\"\nclip = \"flex\"\n\n[[layer]]\nkind = \"slide\"\n",
         .camera = {0.35, 0.5, 1.0}},
        {.name = "torus-bulge",
         .about = "a torus of 24 x 24 bulges on top: skin comes from all around",
         .figure = "Fig. 3 of Thin Skin Elastodynamics (2013)",
         .scene = "[body]\nactor = \"torus\"\nclip = \"bulge\"\n\n[[layer]]\nkind = "
                  "\"slide\"\ntether = 0\n",
         .camera = {0.5, 0.4, 1.0}},
        {.name = "torus-shake",
         .about = "a torus is shaken and stops: skin that does not stick lags and overshoots",
         .figure = "Fig. 8 of Thin Skin Elastodynamics (2013)",
         .scene = "[body]\nactor = \"torus\"\nclip = \"shake\"\n\n[[layer]]\nkind = "
                  "\"slide\"\nstickiness = 0\ntether = 0\ndamping = 1\nstep = 0.001\n",
         .camera = {0.5, 0.4, 1.0}},
        {.name = "torus-shake-30",
         .about = "the shaken torus with a stickiness of 0.3",
         .figure = "Fig. 8 of Thin Skin Elastodynamics (2013)",
         .scene = "[body]\nactor = \"torus\"\nclip = \"shake\"\n\n[[layer]]\nkind = "
                  "\"slide\"\nstickiness = 0.3\n"
                  "tether = 0\ndamping = 1\nstep = 0.001\n",
         .camera = {0.5, 0.4, 1.0}},
        {.name = "torus-shake-60",
         .about = "the shaken torus with a stickiness of 0.6",
         .figure = "Fig. 8 of Thin Skin Elastodynamics (2013)",
         .scene = "[body]\nactor = \"torus\"\nclip = \"shake\"\n\n[[layer]]\nkind = "
                  "\"slide\"\nstickiness = 0.6\n"
                  "tether = 0\ndamping = 1\nstep = 0.001\n",
         .camera = {0.5, 0.4, 1.0}},
        {.name = "torus-shake-100",
         .about = "the shaken torus with a stickiness of 1",
         .figure = "Fig. 8 of Thin Skin Elastodynamics (2013)",
         .scene = "[body]\nactor = \"torus\"\nclip = \"shake\"\n\n[[layer]]\nkind = "
                  "\"slide\"\nstickiness = 1\n"
                  "tether = 0\ndamping = 1\nstep = 0.001\n",
         .camera = {0.5, 0.4, 1.0}},
        {.name = "torus-twist",
         .about = "a torus whose right half turns by 90 degrees: skin shares the twist",
         .figure = thin_skin,
         .scene = "[body]\nactor = \"torus\"\nclip = \"twist\"\nskinning = "
                  "\"dual-quaternion\"\n\n[[layer]]\nkind = \"slide\"\ntether = 0\n",
         .camera = {0.2, 0.3, 1.0}},
        {.name = "cylinder-twist",
         .about = "a cylinder of 22 x 30 whose right half turns: both rims pinned, the twist "
                  "becomes even",
         .figure = "Fig. 4b of Thin Skin Elastodynamics (2013)",
         .scene = "[body]\nactor = \"cylinder\"\nclip = \"twist\"\nskinning = "
                  "\"dual-quaternion\"\n\n[[layer]]\nkind = \"slide\"\ntether = 0\nrim = \"pin\"\n",
         .camera = {0.3, 0.35, 1.0}},
        {.name = "cylinder-skinned",
         .about = "the same cylinder with plain skinning: only the right half is twisted",
         .figure = "Fig. 4a of Thin Skin Elastodynamics (2013)",
         .scene =
             "[body]\nactor = \"cylinder\"\nclip = \"twist\"\nskinning = \"dual-quaternion\"\n",
         .camera = {0.3, 0.35, 1.0}},
        {.name = "cylinder-glide",
         .about = "the same cylinder, rims gliding: the body turns below the skin",
         .figure = "Fig. 4c of Thin Skin Elastodynamics (2013)",
         .scene = "[body]\nactor = \"cylinder\"\nclip = \"twist\"\nskinning = \"dual-quaternion\"\n"
                  "\n[[layer]]\nkind = \"slide\"\ntether = 0\nrim = \"glide\"\n",
         .camera = {0.3, 0.35, 1.0}},
        {.name = "cylinder-squash",
         .about = "a cylinder is squashed along its axis: skin shares the compression",
         .figure = thin_skin,
         .scene = "[body]\nactor = \"cylinder\"\nclip = \"squash\"\n\n[[layer]]\nkind = "
                  "\"slide\"\ntether = 0\n",
         .camera = {0.3, 0.35, 1.0}},
        {.name = "arm-bend",
         .about =
             "an arm that bends to 120 degrees; its bulging biceps lags, overshoots and settles",
         .figure = curves,
         .scene = "[body]\nactor = \"arm\"\nclip = \"bend\"\ntime_scale = 2.0\n"
                  "[[layer]]\nkind = \"curve\"\nto = [\"hand\"]\nfree_tip = false\n"
                  "baseline = \"linear-blend\"\nfrequency = 3.5\ndamping = 0.2\ninertia = 0.6\n",
         .camera = {0.1, 0.35, 1.0}},
        {.name = "arm-twist",
         .about = "a forearm that twists by 180 degrees",
         .figure = curves,
         .scene = "[body]\nactor = \"arm\"\nclip = \"twist\"\nskinning = \"dual-quaternion\"\n"
                  "time_scale = 2.0\n"
                  "[[layer]]\nkind = \"curve\"\nto = [\"hand\"]\nfree_tip = false\n"
                  "frequency = 4\ndamping = 0.2\ninertia = 1.5\n",
         .camera = {0.1, 0.35, 1.0}},
        {.name = "hand-fist",
         .about = "a hand closes to a fist under sliding skin",
         .figure = thin_skin,
         .scene = "[body]\nactor = \"hand\"\nclip = \"fist\"\n\n[[layer]]\nkind = \"slide\"\n",
         .camera = {0.35, 0.5, 1.0}},
        {.name = "head-lift",
         .about = "a head lifts its chin: skin of chest and neck comes along",
         .figure = "Fig. 5a of Thin Skin Elastodynamics (2013)",
         .scene = "[body]\nactor = \"head\"\nclip = \"lift\"\n\n[[layer]]\nkind = \"slide\"\n",
         .camera = {0.7, 0.1, 1.0}},
        {.name = "head-open",
         .about = "a head opens its mouth: skin of the neck comes along",
         .figure = "Fig. 5b of Thin Skin Elastodynamics (2013)",
         .scene =
             "[body]\nactor = \"head\"\nclip = \"open_mouth\"\n\n[[layer]]\nkind = \"slide\"\n",
         .camera = {0.7, 0.1, 1.0}},
        {.name = "head-swallow",
         .about = "a neck swallows: the Adam's apple moves below the skin",
         .figure = "Fig. 5c of Thin Skin Elastodynamics (2013)",
         .scene = "[body]\nactor = \"head\"\nclip = \"swallow\"\n\n[[layer]]\nkind = "
                  "\"slide\"\ntether = 500\n",
         .camera = {0.9, -0.05, 1.0}},
        {.name = "torso-lift",
         .about = "a torso in a tight shirt lifts one arm: the whole cloth shares the stretch",
         .figure = "Fig. 7b of Thin Skin Elastodynamics (2013)",
         .scene = "[body]\nactor = \"torso\"\nclip = \"lift_arm\"\n\n[[layer]]\nkind = "
                  "\"slide\"\ntether = 200\nstickiness = 0.9\n",
         .camera = {0.3, 0.15, 1.0}},
        {.name = "torso-shrug",
         .about = "a torso in a tight shirt shrugs",
         .figure = "Fig. 7c of Thin Skin Elastodynamics (2013)",
         .scene = "[body]\nactor = \"torso\"\nclip = \"shrug\"\n\n[[layer]]\nkind = "
                  "\"slide\"\ntether = 200\nstickiness = 0.9\n",
         .camera = {0.3, 0.15, 1.0}},
        {.name = "dinosaur-walk",
         .about = "a dinosaur walks and stops: its skin goes on jiggling",
         .figure = "the dinosaur of Thin Skin Elastodynamics (2013)",
         .scene = "[body]\nactor = \"dinosaur\"\nclip = \"walk\"\n\n[[layer]]\nkind = "
                  "\"slide\"\nstickiness = 0\ndamping = 2\nstep = 0.001\npin_creases = 0.5\n",
         .camera = {1.0, 0.25, 0.7}},
        {.name = "horse-run",
         .about =
             "a galloping horse in seven parts: torso, neck, tail and legs swing on their curves",
         .figure = curves,
         .scene = horse_run,
         .camera = {1.0, 0.2, 0.6}},
        {.name = "dinosaur-tail",
         .about = "a dinosaur that walks and stops; tail and belly swing on",
         .figure = curves,
         .scene = "[body]\nactor = \"dinosaur\"\nclip = \"walk\"\n"
                  "[[layer]]\nkind = \"curve\"\nfrom = \"tail_1\"\nfrequency = 1.2\n"
                  "damping = 0.2\ninertia = 0.6\n"
                  "[[layer]]\nkind = \"curve\"\nto = [\"neck_1\", \"tail_1\"]\n"
                  "without = [\"thigh_left\", \"thigh_right\", \"upper_arm_left\", "
                  "\"upper_arm_right\"]\nfrequency = 3\ndamping = 0.2\n"
                  "softness = [\"box:-2,0,-3,2,1.05,3\", 1.0, 0.2]\n",
         .camera = {1.0, 0.25, 0.3}},
        {.name = "dancer-arabesque",
         .about = "a dancer in a leotard that folds at her hip and back, arabesque; folds of 3 cm",
         .figure = "Fig. 1 of Unilaterally Incompressible Skinning (2017)",
         .scene = "[body]\nactor = \"dancer\"\nmesh = \"leotard\"\nclip = \"arabesque\"\n\n"
                  "[[layer]]\nkind = \"fold\"\nwidth = 0.03\n",
         .camera = {0.6, 0.15, 1.0}},
        {.name = "dancer-arabesque-fine",
         .about = "the same with folds of 1.5 cm",
         .figure = "Table 1 of Unilaterally Incompressible Skinning (2017)",
         .scene = "[body]\nactor = \"dancer\"\nmesh = \"leotard\"\nclip = \"arabesque\"\n\n"
                  "[[layer]]\nkind = \"fold\"\nwidth = 0.015\n",
         .camera = {0.6, 0.15, 1.0}},
        {.name = "dancer-arms",
         .about = "a dancer in a leotard that folds, moving her arms",
         .figure = folds,
         .scene = "[body]\nactor = \"dancer\"\nmesh = \"leotard\"\nclip = \"arms\"\n\n"
                  "[[layer]]\nkind = \"fold\"\nwidth = 0.022\n",
         .camera = {0.3, 0.15, 1.0}},
        {.name = "dancer-bend",
         .about = "a dancer in a leotard that folds, deep knee bend",
         .figure = folds,
         .scene = "[body]\nactor = \"dancer\"\nmesh = \"leotard\"\nclip = \"knee_bend\"\n\n"
                  "[[layer]]\nkind = \"fold\"\nwidth = 0.022\n",
         .camera = {0.6, 0.15, 1.0}},
        {.name = "sleeve-bend",
         .about = "an arm in tight cloth: exact folds of 2 cm along the elbow's inner side",
         .figure = "Figs. 3 and 4 of Unilaterally Incompressible Skinning (2017)",
         .scene = "[body]\nactor = \"arm\"\nclip = \"bend\"\n\n"
                  "[[layer]]\nkind = \"fold\"\nplace = \"joints\"\nmode = \"strict\"\n"
                  "width = 0.02\n",
         .camera = {0.1, 0.35, 1.0}},
        {.name = "sleeve-profiles",
         .about = "the same with a flatter profile and folds of 3 cm",
         .figure = "Fig. 6 of Unilaterally Incompressible Skinning (2017)",
         .scene = "[body]\nactor = \"arm\"\nclip = \"bend\"\n\n"
                  "[[layer]]\nkind = \"fold\"\nprofile = \"flat\"\nwidth = 0.03\n",
         .camera = {0.1, 0.35, 1.0}},
        {.name = "rabbit-listen",
         .about = "a sitting rabbit that listens, a base for fur and scales",
         .figure = shells,
         .scene = "[body]\nactor = \"rabbit\"\nclip = \"listen\"\n",
         .camera = {0.8, 0.2, 1.0}},
        {.name = "teapot-pour",
         .about = "Newell's teapot that pours, a base for spikes",
         .figure = shells,
         .scene = "[body]\nactor = \"teapot\"\nclip = \"pour\"\n",
         .camera = {0.1, 0.25, 1.0}},
        {.name = "vase-sway",
         .about = "a vase that sways, a base for straps",
         .figure = shells,
         .scene = "[body]\nactor = \"vase\"\nclip = \"sway\"\n",
         .camera = {0.4, 0.35, 1.0}},
        {.name = "tower-sway",
         .about = "a tower that sways, a base for bricks",
         .figure = shells,
         .scene = "[body]\nactor = \"tower\"\nclip = \"sway\"\n",
         .camera = {0.5, 0.3, 1.0}},
        {.name = "plane-bulge",
         .about = "woven strips on a plane that bulges and dents, vibration limited",
         .figure = "Fig. 3 of Real-time Dynamics for Geometric Textures in Shell",
         .scene = "[body]\n"
                  "actor = \"plane\"\n"
                  "clip = \"bulge\"\n"
                  "[[layer]]\n"
                  "kind = \"shell\"\n"
                  "detail = \"straps\"\n"
                  "place = \"tiles\"\n"
                  "tiles_u = 8\n"
                  "tiles_v = 8\n"
                  "height = 0.03\n"
                  "frequency = 3\n"
                  "damping = 0.03\n"
                  "limiter = \"piece\"\n",
         .camera = {0.5, 0.5, 1.0},
         .stills = {0.1, 0.3, 0.7}},
        {.name = "plane-bulge-unlimited",
         .about = "the same without a limiter: strips overshoot",
         .figure = "Fig. 3 of Real-time Dynamics for Geometric Textures in Shell",
         .scene = "[body]\n"
                  "actor = \"plane\"\n"
                  "clip = \"bulge\"\n"
                  "[[layer]]\n"
                  "kind = \"shell\"\n"
                  "detail = \"straps\"\n"
                  "place = \"tiles\"\n"
                  "tiles_u = 8\n"
                  "tiles_v = 8\n"
                  "height = 0.03\n"
                  "frequency = 3\n"
                  "damping = 0.03\n"
                  "limiter = \"none\"\n",
         .camera = {0.5, 0.5, 1.0},
         .stills = {0.1, 0.3, 0.7}},
        {.name = "box-compressible",
         .about =
             "a box in a thick shell, drawn to twice its length; Poisson 0 lets the volume grow",
         .figure = "Fig. 2 of Real-time Dynamics for Geometric Textures in Shell",
         .scene = "[body]\n"
                  "actor = \"box\"\n"
                  "clip = \"stretch\"\n"
                  "[[layer]]\n"
                  "kind = \"shell\"\n"
                  "detail = \"straps\"\n"
                  "place = \"tiles\"\n"
                  "tiles_u = 12\n"
                  "tiles_v = 8\n"
                  "height = 0.1\n"
                  "poisson = 0.0\n",
         .camera = {0.5, 0.4, 1.0},
         .stills = {0.05, 0.5}},
        {.name = "box-incompressible",
         .about = "the same at Poisson 0.5: the volume stays",
         .figure = "Fig. 2 of Real-time Dynamics for Geometric Textures in Shell",
         .scene = "[body]\n"
                  "actor = \"box\"\n"
                  "clip = \"stretch\"\n"
                  "[[layer]]\n"
                  "kind = \"shell\"\n"
                  "detail = \"straps\"\n"
                  "place = \"tiles\"\n"
                  "tiles_u = 12\n"
                  "tiles_v = 8\n"
                  "height = 0.1\n"
                  "poisson = 0.5\n",
         .camera = {0.5, 0.4, 1.0},
         .stills = {0.05, 0.5}},
        {.name = "teapot-straps",
         .about = "a teapot of brass straps, the same material all over",
         .figure = "Fig. 4 of Real-time Dynamics for Geometric Textures in Shell",
         .scene = "[body]\n"
                  "actor = \"teapot\"\n"
                  "clip = \"pour\"\n"
                  "[[layer]]\n"
                  "kind = \"shell\"\n"
                  "detail = \"straps\"\n"
                  "place = \"tiles\"\n"
                  "tiles_u = 14\n"
                  "tiles_v = 14\n"
                  "height = 0.02\n"
                  "limiter = \"soft\"\n"
                  "frequency = 4\n"
                  "damping = 0.05\n",
         .camera = {0.1, 0.3, 1.0}},
        {.name = "teapot-straps-painted",
         .about = "the same, stiff on handle and spout, soft on the belly",
         .figure = "Fig. 4 of Real-time Dynamics for Geometric Textures in Shell",
         .scene = "[body]\n"
                  "actor = \"teapot\"\n"
                  "clip = \"pour\"\n"
                  "[[layer]]\n"
                  "kind = \"shell\"\n"
                  "detail = \"straps\"\n"
                  "place = \"tiles\"\n"
                  "tiles_u = 14\n"
                  "tiles_v = 14\n"
                  "height = 0.02\n"
                  "limiter = \"soft\"\n"
                  "frequency = [\"box:-0.1,-1,-1,0.1,1,1\", 3, 12]\n"
                  "damping = [\"box:-0.1,-1,-1,0.1,1,1\", 0.04, 0.6]\n",
         .camera = {0.1, 0.3, 1.0}},
        {.name = "teapot-straps-axes",
         .about = "the same, free along the surface's x direction and damped across it",
         .figure = "Fig. 4 of Real-time Dynamics for Geometric Textures in Shell",
         .scene = "[body]\n"
                  "actor = \"teapot\"\n"
                  "clip = \"pour\"\n"
                  "[[layer]]\n"
                  "kind = \"shell\"\n"
                  "detail = \"straps\"\n"
                  "place = \"tiles\"\n"
                  "tiles_u = 14\n"
                  "tiles_v = 14\n"
                  "height = 0.02\n"
                  "limiter = \"soft\"\n"
                  "axes = [3, 0.03, 8, 0.8, 8, 0.8]\n"
                  "surface_axis = [1, 0, 0]\n",
         .camera = {0.1, 0.3, 1.0}},
        {.name = "tower-touch",
         .about = "bricks of a tower touched with one finger: they give way and quiver",
         .figure = "Fig. 5 of Real-time Dynamics for Geometric Textures in Shell",
         .scene = "[body]\n"
                  "actor = \"tower\"\n"
                  "clip = \"sway\"\n"
                  "time_scale = 0.05\n"
                  "[[layer]]\n"
                  "kind = \"shell\"\n"
                  "detail = \"bricks\"\n"
                  "place = \"tiles\"\n"
                  "tiles_u = 18\n"
                  "tiles_v = 18\n"
                  "height = 0.02\n"
                  "frequency = 4\n"
                  "damping = 0.06\n"
                  "handles = [\"finger 0.4 grab 0.5 3.2 1.1\", \"finger 0.9 by 0.12 0.1 0.25\", "
                  "\"finger 1.0 release\"]\n"
                  "[output]\n"
                  "last_frame = 75\n",
         .camera = {0.4, 0.2, 1.0},
         .stills = {0.3, 0.42, 0.6}},
        {.name = "tower-drag",
         .about = "a tower bent by dragging its bricks: the pull goes into the wall",
         .figure = "Fig. 5 of Real-time Dynamics for Geometric Textures in Shell",
         .scene = "[body]\n"
                  "actor = \"tower\"\n"
                  "clip = \"sway\"\n"
                  "time_scale = 0.05\n"
                  "[[layer]]\n"
                  "kind = \"shell\"\n"
                  "detail = \"bricks\"\n"
                  "place = \"tiles\"\n"
                  "tiles_u = 18\n"
                  "tiles_v = 18\n"
                  "height = 0.02\n"
                  "frequency = 4\n"
                  "damping = 0.06\n"
                  "handles = [\"hand 0.3 grab 0.0 4.2 1.1\", \"hand 1.3 by 0.9 0.0 0.3\", \"hand "
                  "1.8 by 0.9 0.0 0.3\", \"hand 2.0 release\"]\n"
                  "offset_stiffness = 0.5\n"
                  "base_stiffness = 50\n"
                  "reach = 0.35\n"
                  "passes = 4\n"
                  "[output]\n"
                  "last_frame = 80\n",
         .camera = {0.4, 0.2, 1.0},
         .stills = {0.3, 0.55, 0.8}},
        {.name = "rabbit-stiff",
         .about = "a rabbit pulled by its ear: stiff scales carry the body along",
         .figure = "Fig. 6 of Real-time Dynamics for Geometric Textures in Shell",
         .scene = "[body]\n"
                  "actor = \"rabbit\"\n"
                  "clip = \"listen\"\n"
                  "time_scale = 0.05\n"
                  "[[layer]]\n"
                  "kind = \"shell\"\n"
                  "detail = \"scale\"\n"
                  "size = 0.05\n"
                  "spacing = 0.6\n"
                  "height = 0.03\n"
                  "handles = [\"ear 0.2 grab 0.04 0.4 -0.1\", \"ear 1.0 by 0.07 0.03 0.05\", \"ear "
                  "1.4 release\"]\n"
                  "offset_stiffness = 0.02\n"
                  "base_stiffness = 20\n"
                  "reach = 0.2\n"
                  "passes = 4\n"
                  "[output]\n"
                  "last_frame = 60\n",
         .camera = {0.8, 0.2, 1.0},
         .stills = {0.1, 0.6}},
        {.name = "rabbit-soft",
         .about = "the same with soft scales: they give way first",
         .figure = "Fig. 6 of Real-time Dynamics for Geometric Textures in Shell",
         .scene = "[body]\n"
                  "actor = \"rabbit\"\n"
                  "clip = \"listen\"\n"
                  "time_scale = 0.05\n"
                  "[[layer]]\n"
                  "kind = \"shell\"\n"
                  "detail = \"scale\"\n"
                  "size = 0.05\n"
                  "spacing = 0.6\n"
                  "height = 0.03\n"
                  "handles = [\"ear 0.2 grab 0.04 0.4 -0.1\", \"ear 1.0 by 0.07 0.03 0.05\", \"ear "
                  "1.4 release\"]\n"
                  "offset_stiffness = 20\n"
                  "base_stiffness = 20\n"
                  "reach = 0.2\n"
                  "passes = 4\n"
                  "[output]\n"
                  "last_frame = 60\n",
         .camera = {0.8, 0.2, 1.0},
         .stills = {0.1, 0.6}},
        {.name = "vase-stiff",
         .about = "a vase pulled at its straps: a stiff base hardly follows",
         .figure = "Fig. 6 of Real-time Dynamics for Geometric Textures in Shell",
         .scene = "[body]\n"
                  "actor = \"vase\"\n"
                  "clip = \"sway\"\n"
                  "time_scale = 0.05\n"
                  "[[layer]]\n"
                  "kind = \"shell\"\n"
                  "detail = \"straps\"\n"
                  "place = \"tiles\"\n"
                  "tiles_u = 12\n"
                  "tiles_v = 12\n"
                  "height = 0.02\n"
                  "handles = [\"rim 0.2 grab 0.1 0.38 0.06\", \"rim 1.0 by 0.1 0.02 0.05\", \"rim "
                  "1.4 release\"]\n"
                  "offset_stiffness = 1\n"
                  "base_stiffness = 0.05\n"
                  "reach = 0.25\n"
                  "passes = 4\n"
                  "[output]\n"
                  "last_frame = 60\n",
         .camera = {0.4, 0.35, 1.0},
         .stills = {0.1, 0.6}},
        {.name = "vase-soft",
         .about = "the same with a soft base: it comes along",
         .figure = "Fig. 6 of Real-time Dynamics for Geometric Textures in Shell",
         .scene = "[body]\n"
                  "actor = \"vase\"\n"
                  "clip = \"sway\"\n"
                  "time_scale = 0.05\n"
                  "[[layer]]\n"
                  "kind = \"shell\"\n"
                  "detail = \"straps\"\n"
                  "place = \"tiles\"\n"
                  "tiles_u = 12\n"
                  "tiles_v = 12\n"
                  "height = 0.02\n"
                  "handles = [\"rim 0.2 grab 0.1 0.38 0.06\", \"rim 1.0 by 0.1 0.02 0.05\", \"rim "
                  "1.4 release\"]\n"
                  "offset_stiffness = 1\n"
                  "base_stiffness = 50\n"
                  "reach = 0.25\n"
                  "passes = 4\n"
                  "[output]\n"
                  "last_frame = 60\n",
         .camera = {0.4, 0.35, 1.0},
         .stills = {0.1, 0.6}},
        {.name = "dinosaur-scales",
         .about = "a dinosaur with scales that walks and stops",
         .figure = shells,
         .scene = "[body]\n"
                  "actor = \"dinosaur\"\n"
                  "clip = \"walk\"\n"
                  "[[layer]]\n"
                  "kind = \"shell\"\n"
                  "detail = \"scale\"\n"
                  "axis = [0, -0.2, -1]\n"
                  "frequency = 5\n"
                  "damping = 0.08\n"
                  "size = 0.03\n"
                  "spacing = 0.62\n"
                  "turn = 8\n"
                  "size_variation = 0.15\n"
                  "height = 0.015\n",
         .camera = {1.0, 0.25, 0.7}},
        {.name = "dinosaur-spikes",
         .about = "a dinosaur with spikes that walks and stops",
         .figure = shells,
         .scene = "[body]\n"
                  "actor = \"dinosaur\"\n"
                  "clip = \"walk\"\n"
                  "[[layer]]\n"
                  "kind = \"shell\"\n"
                  "detail = \"spike\"\n"
                  "axis = [0, -0.2, -1]\n"
                  "frequency = 5\n"
                  "damping = 0.08\n"
                  "size = 0.03\n"
                  "height = 0.03\n",
         .camera = {1.0, 0.25, 0.7}},
    };
    return table;
}

const Demo& find_demo(const std::string& name) {
    std::vector<std::string> names;
    for (const Demo& demo : demos()) {
        if (demo.name == name) {
            return demo;
        }
        names.push_back(demo.name);
    }
    throw InvalidInput(say("demo: expected one of ", word_list(names), "; found \"", name, "\""));
}

Scene demo_scene(const Demo& demo) {
    Scene scene = parse_scene(demo.scene, "demo " + demo.name);
    scene.output.formats = {"html", "glb", "usda", "pc2"};
    check_scene(scene);
    return scene;
}

PageOptions demo_page(const Demo& demo) {
    PageOptions page;
    page.title = demo.name;
    page.caption = demo.about + (demo.figure.empty() ? "" : "; beside " + demo.figure);
    page.paint = demo.paint;
    page.camera_direction = demo.camera;
    return page;
}

}  // namespace cutis::app
