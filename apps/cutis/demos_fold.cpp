#include "demos.h"

namespace cutis::app {

namespace {

// The paper whose figures these demos stand beside.
constexpr const char* folds = "Unilaterally Incompressible Skinning (2017)";

}  // namespace

std::vector<Demo> fold_demos() {
    return {
        {.name = "dancer-arabesque",
         .about = "a dancer in a leotard that folds at her hip and back, arabesque; folds of 3 cm",
         .figure = "Fig. 1 of Unilaterally Incompressible Skinning (2017)",
         .scene = R"([body]
actor = "dancer"
mesh = "leotard"
clip = "arabesque"

[[layer]]
kind = "fold"
width = 0.03
)",
         .camera = {0.6, 0.15, 1.0}},
        {.name = "dancer-arabesque-fine",
         .about = "the same with folds of 1.5 cm",
         .figure = "Table 1 of Unilaterally Incompressible Skinning (2017)",
         .scene = R"([body]
actor = "dancer"
mesh = "leotard"
clip = "arabesque"

[[layer]]
kind = "fold"
width = 0.015
)",
         .camera = {0.6, 0.15, 1.0}},
        {.name = "dancer-arms",
         .about = "a dancer in a leotard that folds, moving her arms",
         .figure = folds,
         .scene = R"([body]
actor = "dancer"
mesh = "leotard"
clip = "arms"

[[layer]]
kind = "fold"
width = 0.022
)",
         .camera = {0.3, 0.15, 1.0}},
        {.name = "dancer-bend",
         .about = "a dancer in a leotard that folds, deep knee bend",
         .figure = folds,
         .scene = R"([body]
actor = "dancer"
mesh = "leotard"
clip = "knee_bend"

[[layer]]
kind = "fold"
width = 0.022
)",
         .camera = {0.6, 0.15, 1.0}},
        {.name = "sleeve-bend",
         .about = "an arm in tight cloth: exact folds of 2 cm along the elbow's inner side",
         .figure = "Figs. 3 and 4 of Unilaterally Incompressible Skinning (2017)",
         .scene = R"([body]
actor = "arm"
clip = "bend"

[[layer]]
kind = "fold"
place = "joints"
mode = "strict"
width = 0.02
)",
         .camera = {0.1, 0.35, 1.0}},
        {.name = "sleeve-profiles",
         .about = "the same with a flatter profile and folds of 3 cm",
         .figure = "Fig. 6 of Unilaterally Incompressible Skinning (2017)",
         .scene = R"([body]
actor = "arm"
clip = "bend"

[[layer]]
kind = "fold"
profile = "flat"
width = 0.03
)",
         .camera = {0.1, 0.35, 1.0}},
        {.name = "dancer-tights",
         .about = "a dancer's tights fold at hip and knee through a ballet",
         .figure = "Fig. 1 of Unilaterally Incompressible Skinning (2017)",
         .scene = R"([body]
file = "$DATA/dancer/dancer.glb"
mesh = "tights"

[[layer]]
kind = "fold"
width = 0.022

[output]
first_frame = 60
last_frame = 120
)",
         .camera = {0.6, 0.15, 1.0}},
    };
}

}  // namespace cutis::app
