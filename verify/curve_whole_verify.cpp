#include <algorithm>
#include <filesystem>
#include <memory>

#include "cutis/actors/actors.h"
#include "cutis/io/gltf_read.h"
#include "verify/curve_cases.h"
#include "verify/curve_seams.h"
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

Seams seams_of(const Performer& one) {
    Stage stage(performing(one), [](CurveLayerOptions& options) { options.flesh.curve = CurveOptions(); });
    SeamGauge gauge(stage.view());
    for (const auto& flesh : stage.group().parts()) {
        gauge.add_part(flesh->core_vertices());
    }
    const double seconds = std::min(1.2, stage.body().duration() > 0.0 ? stage.body().duration() : 1.2);
    constexpr int frames = 12;
    for (int f = 0; f <= frames; ++f) {
        stage.go_to(f * seconds / frames, f == 0);
        gauge.look(stage.plain, stage.shown, f > 0);
    }
    return gauge.seams();
}

}  // namespace

std::vector<Case> curve_whole_cases(bool all) {
    std::vector<Case> cases;
    double largest = 0.0;
    for (const Performer& one : performers(all)) {
        if (!one.file.empty() && !std::filesystem::exists(one.file)) {
            cases.push_back(case_skipped("curve", "whole " + one.who, missing(one.file)));
            continue;
        }
        const Seams found = seams_of(one);
        largest = std::max(largest, found.swing);
        add_seam_cases("whole " + one.who, "fields run on beyond cuts; the limit has the shape of the first mode",
                       found, cases);
    }
    cases.push_back(case_at_least("curve", "whole animals: largest swing", largest, 5e-3, "of the size",
                                  "there is something to tear"));
    return cases;
}

}  // namespace cutis::verify
