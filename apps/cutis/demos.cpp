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
         .about = "a hand whose five fingers flex one after another",
         .figure = thin_skin,
         .scene = "[body]\nactor = \"hand\"\nclip = \"flex\"\n",
         .camera = {0.35, 0.5, 1.0}},
        {.name = "torus-bulge",
         .about = "a torus of 24 x 24 that bulges on top",
         .figure = thin_skin,
         .scene = "[body]\nactor = \"torus\"\nclip = \"bulge\"\n",
         .camera = {0.5, 0.4, 1.0}},
        {.name = "torus-shake",
         .about = "a torus that is shaken and suddenly stops",
         .figure = thin_skin,
         .scene = "[body]\nactor = \"torus\"\nclip = \"shake\"\n",
         .camera = {0.5, 0.4, 1.0}},
        {.name = "torus-twist",
         .about = "a torus whose right half turns by 90 degrees",
         .figure = thin_skin,
         .scene = "[body]\nactor = \"torus\"\nclip = \"twist\"\nskinning = \"dual-quaternion\"\n",
         .camera = {0.2, 0.3, 1.0}},
        {.name = "cylinder-twist",
         .about = "a cylinder of 22 x 30 whose right half turns by 90 degrees",
         .figure = "Fig. 4 of Thin Skin Elastodynamics (2013)",
         .scene =
             "[body]\nactor = \"cylinder\"\nclip = \"twist\"\nskinning = \"dual-quaternion\"\n",
         .camera = {0.3, 0.35, 1.0}},
        {.name = "cylinder-squash",
         .about = "a cylinder that is squashed along its axis",
         .figure = thin_skin,
         .scene = "[body]\nactor = \"cylinder\"\nclip = \"squash\"\n",
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
         .about = "a hand that closes to a fist",
         .figure = thin_skin,
         .scene = "[body]\nactor = \"hand\"\nclip = \"fist\"\n",
         .camera = {0.35, 0.5, 1.0}},
        {.name = "head-lift",
         .about = "a head that lifts its chin",
         .figure = thin_skin,
         .scene = "[body]\nactor = \"head\"\nclip = \"lift\"\n",
         .camera = {0.7, 0.1, 1.0}},
        {.name = "head-open",
         .about = "a head that opens its mouth",
         .figure = thin_skin,
         .scene = "[body]\nactor = \"head\"\nclip = \"open_mouth\"\n",
         .camera = {0.7, 0.1, 1.0}},
        {.name = "head-swallow",
         .about = "a neck that swallows: the Adam's apple moves below the skin",
         .figure = thin_skin,
         .scene = "[body]\nactor = \"head\"\nclip = \"swallow\"\n",
         .camera = {0.9, -0.05, 1.0}},
        {.name = "torso-lift",
         .about = "a torso that lifts one arm",
         .figure = thin_skin,
         .scene = "[body]\nactor = \"torso\"\nclip = \"lift_arm\"\n",
         .camera = {0.3, 0.15, 1.0}},
        {.name = "torso-shrug",
         .about = "a torso that shrugs",
         .figure = thin_skin,
         .scene = "[body]\nactor = \"torso\"\nclip = \"shrug\"\n",
         .camera = {0.3, 0.15, 1.0}},
        {.name = "dinosaur-walk",
         .about = "a dinosaur that walks and stops",
         .figure = thin_skin,
         .scene = "[body]\nactor = \"dinosaur\"\nclip = \"walk\"\n",
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
