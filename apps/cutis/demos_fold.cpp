#include "demos.h"

namespace cutis::app {

namespace {

constexpr const char* paper = "Unilaterally Incompressible Skinning (2017)";

std::string figure(const std::string& which) {
    return which + " of " + paper;
}

/// A scene of one body and one fold layer.
Demo shot(std::string name, std::string about, std::string beside, const std::string& body,
          const std::string& layer, const Vector3d& camera, const std::string& output = "") {
    Demo demo;
    demo.name = std::move(name);
    demo.about = std::move(about);
    demo.figure = std::move(beside);
    demo.scene = "[body]\n" + body + "\n[[layer]]\nkind = \"fold\"\n" + layer +
                 (output.empty() ? "" : "\n[output]\n" + output);
    demo.paint = "clay";  // a pattern hides the shape of folds
    demo.camera = camera;
    return demo;
}

Demo close_up(Demo demo, const Vector3d& point, double radius) {
    demo.focus = PageFocus{point, radius};
    return demo;
}

/// A close-up whose camera travels with what it shows.
Demo following(Demo demo) {
    demo.follow = true;
    return demo;
}

Demo at_moments(Demo demo, std::vector<double> stills) {
    demo.stills = std::move(stills);
    return demo;
}

Demo in_colour(Demo demo) {
    demo.paint = "skin";
    return demo;
}

Demo with_checker(Demo demo) {
    demo.paint = "checker";
    return demo;
}

/// Vertices along the cylinder's axis, in the middle of its length.
std::string cylinder_chain(int column) {
    constexpr int around = 22;
    std::string chain;
    for (int ring = 7; ring <= 22; ++ring) {
        chain += (chain.empty() ? "" : ", ") + std::to_string(ring * around + column);
    }
    return "{ vertices = [" + chain + "] }";
}

}  // namespace

std::vector<Demo> fold_demos() {
    const std::string dancer = "actor = \"dancer\"\n";
    const std::string leotard = "where = [\"part:leotard\"]\n";
    const Vector3d hip(0.0, 0.95, 0.0);
    const std::string arm = "actor = \"arm\"\nclip = \"bend\"\n";
    const std::string cylinder = "actor = \"cylinder\"\nclip = \"bend\"\n";
    const std::string ballet = "file = \"$DATA/dancer/dancer.glb\"\n";
    // At 15 frames a second, about the moments at which knees and elbows are bent most.
    const std::string tights = ballet + "mesh = \"tights\"\nfps = 15\n";
    const std::string jump = "first_frame = 116\nlast_frame = 126\nhtml.tolerance = 6e-4\n";
    const std::string landing = "first_frame = 111\nlast_frame = 121\nhtml.tolerance = 4e-4\n";
    const std::string exact = "place = \"joints\"\nmode = \"strict\"\nwidth = 0.02\n";
    const Vector3d side(0.6, 0.15, 1.0);
    const Vector3d behind(1.0, 0.3, -0.7);
    const Vector3d elbow(0.1, 0.35, 1.0);
    const Vector3d inside(0.25, 0.8, 1.0);
    const Vector3d inner_elbow(0.28, 0.02, 0.0);
    const auto sleeve = [&](std::string name, std::string about, std::string beside,
                            const std::string& layer) {
        return close_up(
            shot(std::move(name), std::move(about), std::move(beside), arm, layer, elbow),
            inner_elbow, 0.13);
    };
    return {
        close_up(in_colour(shot("dancer-arabesque",
                                "a dancer whose leotard folds at her hip, arabesque; folds of 3 cm",
                                figure("Fig. 1"), dancer + "clip = \"arabesque\"\n",
                                leotard + "width = 0.03\n", behind)),
                 {0.0, 1.08, 0.0}, 0.68),
        close_up(in_colour(shot("dancer-arabesque-middle", "the same with folds of 2.2 cm",
                                figure("Table 1"), dancer + "clip = \"arabesque\"\n",
                                leotard + "width = 0.022\n", behind)),
                 hip, 0.3),
        close_up(in_colour(shot("dancer-arabesque-fine", "the same with folds of 1.5 cm",
                                figure("Table 1"), dancer + "clip = \"arabesque\"\n",
                                leotard + "width = 0.015\n", behind)),
                 hip, 0.3),
        close_up(in_colour(shot("dancer-arms", "a dancer moves her arms, her leotard folds", paper,
                                dancer + "clip = \"arms\"\n", leotard + "width = 0.022\n",
                                {0.3, 0.15, 1.0})),
                 {0.0, 1.35, 0.0}, 0.42),
        in_colour(shot("dancer-bend", "a dancer bends her knees deeply, her leotard folds", paper,
                       dancer + "clip = \"knee_bend\"\n", leotard + "width = 0.022\n", side)),
        shot("cylinder-bend", "a cylinder bends by 45 degrees and folds inside: folds of 3 cm",
             figure("Figs. 3 and 6"), cylinder, "width = 0.03\n", inside),
        shot("cylinder-bend-middle", "the same with folds of 2 cm", figure("Fig. 6"), cylinder,
             "width = 0.02\n", inside),
        shot("cylinder-bend-fine", "the same with folds of 1 cm", figure("Fig. 6"), cylinder,
             "width = 0.01\nmost_levels = 5\n", inside),
        close_up(shot("cylinder-profiles",
                      "one cylinder, three profiles side by side: sharp, the paper's round one, "
                      "flat; folds of 6 cm",
                      paper, cylinder,
                      "place = \"chains\"\nchain = [" + cylinder_chain(20) + ", " +
                          cylinder_chain(0) + ", " + cylinder_chain(2) +
                          "]\ncurve = [{ profile = \"sharp\" }, { profile = \"blob\" }, { profile "
                          "= \"flat\" }]\n"
                          "reach = 0.05\nwidth = 0.06\n",
                      {0.2, 1.0, 0.7}),
                 {0.0, 0.2, 0.0}, 0.28),
        with_checker(sleeve("sleeve-bend",
                            "an elbow in tight cloth: exact folds of 2 cm along its inner side",
                            figure("Figs. 2 and 4"), exact)),
        with_checker(sleeve(
            "sleeve-uncorrected",
            "the same without distortion correction: the checker is pulled apart on the slopes",
            figure("Fig. 4"), exact + "distortion_passes = 0\n")),
        shot("dancer-tights", "a dancer's tights fold at back, hip and knee in a ballet",
             figure("Fig. 1"), tights, "width = 0.03\nedges_per_fold = 6\n", {0.35, 0.12, 1.0},
             jump),
        following(close_up(
            shot("dancer-knee", "the hollow of a knee in tights; folds of 2.2 cm", figure("Fig. 1"),
                 tights, "width = 0.022\nwhere = [\"joints:RightUpLeg\"]\n", {0.6, 0.1, 1.0},
                 landing),
            {0.151, 0.455, -1.068}, 0.2)),
        at_moments(
            following(close_up(
                shot("dancer-elbow", "the crook of an elbow in tights; folds of 1.8 cm",
                     figure("Fig. 1"), tights, "width = 0.018\nwhere = [\"joints:RightArm\"]\n",
                     {-0.8, 0.9, 0.2}, jump),
                {0.134, 1.225, -1.2}, 0.17)),
            {0.15, 0.25, 0.35}),
        shot("dancer-suit", "a dancer's sports suit folds like jeans", figure("Fig. 1"),
             ballet + "mesh = \"female_sportsuit01\"\nfps = 15\n", "width = 0.03\n",
             {0.35, 0.12, 1.0}, jump),
        shot("cesium-man", "a walking figure's overall folds", paper,
             "file = \"$DATA/khronos-gltf/CesiumMan.glb\"\n", "width = 0.05\n", side),
    };
}

}  // namespace cutis::app
