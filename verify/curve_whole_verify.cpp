#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <map>
#include <memory>
#include <numbers>
#include <optional>

#include "cutis/actors/actors.h"
#include "cutis/io/gltf_read.h"
#include "verify/curve_cases.h"
#include "verify/curve_stage.h"
#include "verify/data.h"

// Whole animals soft at once, with the defaults, all parts that are found: is the flesh torn or creased where parts
// end? Measured on the surface that is shown.

namespace cutis::verify {

namespace {

/// Who moves how; without a clip the one that shows most by its name.
struct Performer {
    std::string who;
    std::filesystem::path file;  ///< empty: a built-in actor
};

std::vector<Performer> performers(bool all) {
    std::vector<Performer> list = {{"dinosaur", ""}, {"horse", ""}};
    for (const char* file : {"Triceratops.glb", "HVGirl.glb", "Man_Casual.glb"}) {
        list.push_back({file, characters_folder() / file});
    }
    list.push_back({"CesiumMan.glb", data_folder() / "khronos-gltf/CesiumMan.glb"});
    if (all) {
        for (const char* file : {"Bull.glb", "Dolphin.glb", "Mage.glb", "Snake.glb", "Woman_Formal.glb", "Man_Suit.glb",
                                 "Frog.glb", "Wasp.glb"}) {
            list.push_back({file, characters_folder() / file});
        }
        for (const char* file : {"dancer/dancer.glb", "quaternius/Apatosaurus.glb", "quaternius/Horse.glb",
                                 "quaternius/Superhero_Female_FullBody.glb", "quaternius/Trex.glb",
                                 "khronos-gltf/Fox.glb", "khronos-gltf/RiggedFigure.glb"}) {
            list.push_back({std::filesystem::path(file).filename().string(), data_folder() / file});
        }
    }
    return list;
}

Body performing(const Performer& one) {
    const auto character =
        std::make_shared<Character>(one.file.empty() ? load_actor(one.who) : read_gltf(one.file.string()));
    BodyOptions chosen;
    for (const char* word : {"allop", "Run", "alk", "Swim", "Samba"}) {
        for (const Clip& clip : character->clips) {
            chosen.clip = chosen.clip.empty() && clip.name.find(word) != std::string::npos ? clip.name : chosen.clip;
        }
    }
    return make_body(character, chosen);
}

/// An edge with its two triangles.
struct Hinge {
    int a = 0, b = 0;                    ///< ends
    std::array<int, 2> tips = {-1, -1};  ///< of the triangle that runs from a to b, and of the other
    bool has_both() const { return tips[0] >= 0 && tips[1] >= 0; }

    double angle(const MatrixX3d& surface) const {
        const Vector3d from = surface.row(a);
        const Vector3d along = surface.row(b).transpose() - from;
        const Vector3d left = along.cross(Vector3d(surface.row(tips[0]).transpose() - from));
        const Vector3d right = Vector3d(surface.row(tips[1]).transpose() - from).cross(along);
        return std::atan2(left.cross(right).dot(along.normalized()), left.dot(right));
    }
};

std::vector<Hinge> hinges_of(const MatrixX3i& triangles) {
    std::map<std::pair<int, int>, Hinge> found;
    for (Eigen::Index t = 0; t < triangles.rows(); ++t) {
        for (int k = 0; k < 3; ++k) {
            const int a = triangles(t, k);
            const int b = triangles(t, (k + 1) % 3);
            Hinge& hinge = found[std::minmax(a, b)];
            hinge.a = std::min(a, b);
            hinge.b = std::max(a, b);
            hinge.tips[a < b ? 0 : 1] = triangles(t, (k + 2) % 3);
        }
    }
    std::vector<Hinge> list;
    for (const auto& [ends, hinge] : found) {
        list.push_back(hinge);
    }
    return list;
}

double upper_percentile(std::vector<double>& values) {
    if (values.empty()) {
        return 0.0;
    }
    const auto at = static_cast<std::ptrdiff_t>(0.98 * static_cast<double>(values.size() - 1));
    std::nth_element(values.begin(), values.begin() + at, values.end());
    return values[static_cast<size_t>(at)];
}

struct Borders {
    double swing = 0.0;  ///< largest, of the body's size
    double slope_inside = 0.0, slope_across = 0.0;
    double crease_inside = 0.0, crease_across = 0.0;  ///< degrees, 98 of 100 are below
};

Borders borders_of(const Performer& one) {
    Stage stage(performing(one), [](CurveLayerOptions& options) { options.flesh.curve = CurveOptions(); });
    const CurveBody& view = stage.view();
    std::vector<std::uint64_t> parts(static_cast<size_t>(view.rest->rows()), 0);
    for (size_t p = 0; p < stage.group().parts().size(); ++p) {
        for (const int v : stage.group().parts()[p]->core_vertices()) {
            parts[v] |= std::uint64_t{1} << (p % 64);
        }
    }
    const std::vector<Hinge> hinges = hinges_of(view.topology->triangles());
    const double size = (view.rest->colwise().maxCoeff() - view.rest->colwise().minCoeff()).norm();
    const double seconds = std::min(1.2, stage.body().duration() > 0.0 ? stage.body().duration() : 1.2);
    constexpr int frames = 12;
    Borders found;
    std::vector<double> inside, across;
    for (int f = 0; f <= frames; ++f) {
        stage.go_to(f * seconds / frames, f == 0);
        const MatrixX3d moved = stage.shown - stage.plain;
        found.swing = worse(found.swing, moved.rowwise().norm().maxCoeff() / size);
        for (const Hinge& hinge : hinges) {
            const std::uint64_t here = parts[hinge.a];
            if (here == 0 && parts[hinge.b] == 0) {
                continue;
            }
            const double slope = (moved.row(hinge.a) - moved.row(hinge.b)).norm() /
                                 (view.rest->row(hinge.a) - view.rest->row(hinge.b)).norm();
            double& steepest = here == parts[hinge.b] ? found.slope_inside : found.slope_across;
            steepest = worse(steepest, slope);
            if (f > 0 && hinge.has_both()) {
                const double turn =
                    std::remainder(hinge.angle(stage.shown) - hinge.angle(stage.plain), 2.0 * std::numbers::pi);
                const bool is_inside =
                    here == parts[hinge.b] && here == parts[hinge.tips[0]] && here == parts[hinge.tips[1]];
                (is_inside ? inside : across).push_back(std::abs(turn) * 180.0 / std::numbers::pi);
            }
        }
    }
    found.crease_inside = upper_percentile(inside);
    found.crease_across = upper_percentile(across);
    return found;
}

}  // namespace

std::vector<Case> curve_whole_cases(bool all) {
    constexpr double unseen = 0.25;                                     // degrees: no eye finds a crease below it
    constexpr double unseen_slope = unseen * std::numbers::pi / 180.0;  // nor a surface that is tilted by less
    std::vector<Case> cases;
    double largest = 0.0;
    for (const Performer& one : performers(all)) {
        if (!one.file.empty() && !std::filesystem::exists(one.file)) {
            cases.push_back(case_skipped("curve", "whole " + one.who, missing(one.file)));
            continue;
        }
        const Borders found = borders_of(one);
        largest = std::max(largest, found.swing);
        cases.push_back(
            curve_at_most("whole " + one.who + ": slope across part borders against the largest inside",
                          std::max(found.slope_across, unseen_slope) / std::max(found.slope_inside, unseen_slope), 1.0,
                          "", "fields run on beyond cuts; the limit has the shape of the first mode"));
        cases.push_back(curve_at_most("whole " + one.who + ": crease at part borders against the inner one",
                                      std::max(found.crease_across, unseen) / std::max(found.crease_inside, unseen),
                                      1.5, "", "98 of 100 edges; a quarter of a degree is not seen"));
    }
    cases.push_back(case_at_least("curve", "whole animals: largest swing", largest, 5e-3, "of the size",
                                  "there is something to tear"));
    return cases;
}

}  // namespace cutis::verify
