#include "demos.h"

namespace cutis::app {

namespace {

constexpr const char* paper = "Unilaterally Incompressible Skinning (2017)";

std::string figure(const std::string& which) {
    return which + " of " + paper;
}

/// A scene of one body and one fold layer.
Demo shot(std::string name, std::string about, std::string beside, const std::string& body,
          const std::string& layer, Vector3d camera, const std::string& output = "") {
    Demo demo;
    demo.name = std::move(name);
    demo.about = std::move(about);
    demo.figure = std::move(beside);
    demo.scene = "[body]\n" + body + "\n[[layer]]\nkind = \"fold\"\n" + layer +
                 (output.empty() ? "" : "\n[output]\n" + output);
    demo.camera = camera;
    return demo;
}

}  // namespace

std::vector<Demo> fold_demos() {
    const std::string arabesque = "actor = \"dancer\"\nmesh = \"leotard\"\nclip = \"arabesque\"\n";
    const std::string arm = "actor = \"arm\"\nclip = \"bend\"\n";
    const std::string cylinder = "actor = \"cylinder\"\nclip = \"bend\"\n";
    const std::string ballet = "file = \"$DATA/dancer/dancer.glb\"\n";
    const Vector3d side(0.6, 0.15, 1.0);
    const Vector3d elbow(0.1, 0.35, 1.0);
    const Vector3d inside(0.25, 0.8, 1.0);
    return {
        shot("dancer-arabesque",
             "a dancer in a leotard that folds at her hip and back, arabesque; folds of 3 cm",
             figure("Fig. 1"), arabesque, "width = 0.03\n", side),
        shot("dancer-arabesque-middle", "the same with folds of 2.2 cm", figure("Table 1"),
             arabesque, "width = 0.022\n", side),
        shot("dancer-arabesque-fine", "the same with folds of 1.5 cm", figure("Table 1"), arabesque,
             "width = 0.015\n", side),
        shot("dancer-arms", "a dancer in a leotard that folds, moving her arms", paper,
             "actor = \"dancer\"\nmesh = \"leotard\"\nclip = \"arms\"\n", "width = 0.022\n",
             {0.3, 0.15, 1.0}),
        shot("dancer-bend", "a dancer in a leotard that folds, deep knee bend", paper,
             "actor = \"dancer\"\nmesh = \"leotard\"\nclip = \"knee_bend\"\n", "width = 0.022\n",
             side),
        shot("cylinder-bend", "a cylinder bends by 45 degrees and folds inside: folds of 3 cm",
             figure("Figs. 3 and 6"), cylinder, "width = 0.03\n", inside),
        shot("cylinder-bend-middle", "the same with folds of 2 cm", figure("Fig. 6"), cylinder,
             "width = 0.02\n", inside),
        shot("cylinder-bend-fine", "the same with folds of 1 cm", figure("Fig. 6"), cylinder,
             "width = 0.01\nmost_levels = 5\n", inside),
        shot("sleeve-bend", "an elbow in tight cloth: exact folds of 2 cm along its inner side",
             figure("Figs. 2 and 4"), arm, "place = \"joints\"\nmode = \"strict\"\nwidth = 0.02\n",
             elbow),
        shot("sleeve-uncorrected",
             "the same without distortion correction: the checker is pulled apart on the slopes",
             figure("Fig. 4"), arm,
             "place = \"joints\"\nmode = \"strict\"\nwidth = 0.02\ndistortion_passes = 0\n", elbow),
        shot("sleeve-profiles", "an elbow whose folds have a flatter profile, 3 cm", paper, arm,
             "profile = \"flat\"\nwidth = 0.03\n", elbow),
        shot("sleeve-round", "the same with the paper's round profile", paper, arm,
             "width = 0.03\n", elbow),
        shot("sleeve-sharp", "the same with a sharp profile", paper, arm,
             "profile = \"sharp\"\nwidth = 0.03\n", elbow),
        shot("dancer-tights", "a dancer's tights fold at hip and knee through a ballet",
             figure("Fig. 1"), ballet + "mesh = \"tights\"\n", "width = 0.03\n", side,
             "first_frame = 60\nlast_frame = 120\n"),
        shot("dancer-suit", "a dancer's sports suit folds like jeans", figure("Fig. 1"),
             ballet + "mesh = \"female_sportsuit01\"\n", "width = 0.03\n", side,
             "first_frame = 60\nlast_frame = 120\n"),
        shot("cesium-man", "a walking figure's overall folds", paper,
             "file = \"$DATA/khronos-gltf/CesiumMan.glb\"\n", "width = 0.05\n", side),
    };
}

}  // namespace cutis::app
