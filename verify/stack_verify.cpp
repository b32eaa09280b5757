#include <cmath>

#include "cutis/actors/actors.h"
#include "cutis/core/error.h"
#include "cutis/io/scene_read.h"
#include "verify/data.h"
#include "verify/stack_takes.h"

// What must hold for layers together: takes of every subset of the layers this build has, compared
// with each other, on an actor and on a dancer of the data folder; and layers at rest on every
// character there.

namespace cutis::verify {

namespace {

Case stack_at_most(std::string name, double value, double limit, std::string unit, std::string source) {
    return case_at_most("stack", std::move(name), value, limit, std::move(unit), std::move(source));
}

/// A shot, and settings of each layer that suit its character, as a scene would write them.
struct Stage {
    std::string name;
    std::string shot;
    std::map<std::string, std::string> settings;
};

const Stage arm = {"arm",
                   "[body]\nactor = \"arm\"\nclip = \"bend\"\ntime_scale = 4.0\n[output]\nlast_frame = 8\n",
                   {
                       {"curve", "to = [\"hand\"]\nfree_tip = false\ninertia = 0.6\n"},
                       {"fold", "width = 0.03\n"},
                       {"shell", "detail = \"spike\"\nplace = \"scatter\"\nheight = 0.01\n"},
                   }};

Stage dancer(const std::string& file) {
    return {"dancer",
            "[body]\nfile = \"" + file + "\"\nmesh = \"tights\"\npre_roll = 0.0\n[output]\nlast_frame = 4\n",
            {{"curve", "from = \"LeftUpLeg\"\n"},
             {"fold", "width = 0.05\nedges_per_fold = 4\n"},
             {"slide", "step = 0.008\n"},
             {"shell", "detail = \"spike\"\nplace = \"scatter\"\nheight = 0.01\n"}}};
}

std::string layer_text(const Stage& stage, const std::string& kind) {
    const auto found = stage.settings.find(kind);
    return "[[layer]]\nkind = \"" + kind + "\"\n" + (found == stage.settings.end() ? "" : found->second);
}

std::string subset_name(const std::vector<LayerKind>& kinds, unsigned subset) {
    std::string name;
    for (size_t k = 0; k < kinds.size(); ++k) {
        if ((subset >> k & 1U) != 0) {
            name += (name.empty() ? "" : " + ") + kinds[k].kind;
        }
    }
    return name.empty() ? "no layer" : name;
}

/// Stopped after each of these frames in turn and resumed: the largest difference from one go.
double resumed(const Run& run, const std::vector<Frame>& whole, size_t first, size_t last) {
    double largest = 0.0;
    for (size_t stop = first; stop <= last; ++stop) {
        MemoryKeeper keeper;
        run.frames(1, &keeper, static_cast<int>(stop));
        keeper.restart();
        largest = std::max(largest, distance(whole, run.frames(2, &keeper)));
    }
    return largest;
}

void add_subsets(const Stage& stage, std::vector<Case>& cases) {
    const Scene plain = parse_scene(stage.shot, "verify");
    const Body body = load_body(plain, {}, load_actor);
    const std::vector<LayerKind>& kinds = layer_kinds();
    const unsigned all = (1U << kinds.size()) - 1;
    for (unsigned subset = 0; subset <= all; ++subset) {
        // Wrinkles move nothing: by themselves, and over all the others.
        bool is_needed = true;
        for (size_t k = 0; k < kinds.size(); ++k) {
            const bool has_wrinkles = (subset >> k & 1U) != 0 && kinds[k].kind == "wrinkle";
            is_needed = is_needed && (!has_wrinkles || subset == all || subset == 1U << k);
        }
        if (!is_needed) {
            continue;
        }
        std::string text = stage.shot;
        for (size_t k = 0; k < kinds.size(); ++k) {
            if ((subset >> k & 1U) != 0) {
                text += layer_text(stage, kinds[k].kind);
            }
        }
        const Run run{body, parse_scene(text, "verify")};
        const std::string name = stage.name + ", " + subset_name(kinds, subset);
        const std::vector<Frame> one = run.frames(1);
        double not_finite = 0.0;
        for (const Frame& frame : one) {
            not_finite += frame.body().positions.allFinite() ? 0.0 : 1.0;
        }
        cases.push_back(stack_at_most(name + ": frames with a number that is not finite", not_finite, 0.0, "",
                                      std::to_string(one.size()) + " frames"));
        cases.push_back(stack_at_most(name + ": difference between one and two threads", distance(one, run.frames(2)),
                                      0.0, "m", "same bits"));
        // All layers together are stopped at every frame, the other subsets half way.
        const bool has_all = subset == all;
        const size_t half = one.size() / 2;
        cases.push_back(stack_at_most(name + (has_all ? ": difference after a stop at any frame and resume"
                                                      : ": difference after a stop half way and resume"),
                                      has_all ? resumed(run, one, 1, one.size() - 1) : resumed(run, one, half, half),
                                      0.0, "m", "same bits"));
        if (subset == 0) {
            MatrixX3d positions;
            double largest = 0.0;
            for (const Frame& frame : one) {
                body.positions(frame.time, plain.body.sampling, Workers(1), positions);
                largest = std::max(largest, distance(frame.body().positions, positions));
            }
            cases.push_back(
                stack_at_most(name + ": difference from the body", largest, 0.0, "m", "identity in, identity out"));
        }
    }
}

/// A body that stands still in its first pose, with fold, slide and shell on it: nothing may move.
/// (Curves need a limb that hangs on joints; a still cache has none.)
Case still_character(const std::filesystem::path& file) {
    Scene of_file;
    of_file.body.file = file.string();
    const Body moving = load_body(of_file);
    ArtMesh mesh = moving.mesh();
    moving.positions(0.0, TimeSampling::exact, Workers(1), mesh.positions);
    // The cache holds floats, so the rest pose must be one of floats, too.
    mesh.positions = mesh.positions.cast<float>().cast<double>().eval();
    PointCache still;
    still.vertex_count = static_cast<int>(mesh.positions.rows());
    still.rate = 30.0;
    for (int frame = 0; frame < 3; ++frame) {
        still.samples.insert(still.samples.end(), mesh.positions.data(), mesh.positions.data() + mesh.positions.size());
    }
    const Body body = make_body(mesh, still, {});
    const Run run{body, parse_scene("[body]\nactor = \"box\"\n[[layer]]\nkind = \"fold\"\n"
                                    "[[layer]]\nkind = \"slide\"\n[[layer]]\nkind = \"shell\"\n"
                                    "detail = \"spike\"\n[output]\nlast_frame = 3\n",
                                    "verify")};
    const double diagonal = (mesh.positions.colwise().maxCoeff() - mesh.positions.colwise().minCoeff()).norm();
    MatrixX3d expected;
    double largest = 0.0;
    for (const Frame& frame : run.frames(2)) {
        body.positions(frame.time, TimeSampling::exact, Workers(1), expected);
        largest = std::max(largest, distance(frame.body().positions, expected) / diagonal);
    }
    return stack_at_most(file.filename().string() + ": moved by layers at rest", largest, 1e-12, "of the diagonal",
                         "fold, slide and shell on a body that stands still");
}

void add_still_characters(std::vector<Case>& cases) {
    std::vector<std::filesystem::path> files;
    for (const char* folder : {"dancer", "khronos-gltf", "quaternius", "webxr-hand"}) {
        const std::filesystem::path path = data_folder() / folder;
        if (!std::filesystem::exists(path)) {
            cases.push_back(
                case_skipped("stack", std::string("characters that stand still: ") + folder, missing(path)));
            continue;
        }
        for (const auto& entry : std::filesystem::directory_iterator(path)) {
            if (entry.path().extension() == ".glb") {
                files.push_back(entry.path());
            }
        }
    }
    std::sort(files.begin(), files.end());
    for (const std::filesystem::path& file : files) {
        cases.push_back(still_character(file));
    }
}

}  // namespace

std::vector<Case> verify_stack() {
    std::vector<Case> cases;
    add_subsets(arm, cases);
    const std::filesystem::path file = data_folder() / "dancer/dancer.glb";
    if (std::filesystem::exists(file)) {
        add_subsets(dancer(file.generic_string()), cases);
    } else {
        cases.push_back(case_skipped("stack", "subsets of the layers on the dancer", missing(file)));
    }
    add_still_characters(cases);
    return cases;
}

}  // namespace cutis::verify
