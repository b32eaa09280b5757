// Whole clips of real characters, where the data folder is present (CUTIS_DATA, or ../shared/data
// beside the project).

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>

#include "cutis/body/actors.h"
#include "cutis/body/body.h"
#include "cutis/io/gltf_read.h"
#include "cutis/slide/locate.h"
#include "cutis/stack/simulation_surface.h"
#include "verify/data.h"
#include "verify/slide_shapes.h"

namespace cutis::verify {

namespace {

struct Actor {
    std::string name;
    std::string file;  // empty: the built-in actor `mesh`
    std::string mesh, clip;
    double height = 0.0;      // metres the character is scaled to; 0: as it is
    double least_slip = 0.0;  // rms in metres that thin-skin notes 12 found on it, without tether
    double most_slip = 0.0;
    double uncovered = 0.0;  // share of the vertices its search missed
    bool is_large = false;   // fewer and shorter runs
};

struct Run {
    double not_finite = 0.0;
    double inverted = 0.0;
    double slip = 0.0;         // largest rms
    double missed = 0.0;       // share of the vertices without skin within half an edge
    std::vector<double> ends;  // rms slip after each loop
    double steps = 0.0;
};

using BodyAt = std::function<void(double, MatrixX3d&)>;

struct Skin {
    double stickiness = 0.5;
    double young_modulus = 0.0;  // 0: by size
    double stiffness = 1.0;
    double step = 1.0 / 120.0;
    bool is_free = false;  // no tether
};

Run run(const BodyAt& body_at, const SimulationSurface& surface, const Skin& skin, double seconds,
        int loops) {
    const Workers workers(1);
    SlideOptions options;
    const double size =
        (surface.rest().colwise().maxCoeff() - surface.rest().colwise().minCoeff()).maxCoeff();
    options.young_modulus = skin.young_modulus > 0.0
                                ? skin.young_modulus
                                : 210.0 * skin.stiffness * (size / 1.7) * (size / 1.7);
    options.tether_radius = 0.03 * size / 1.7;
    if (skin.is_free) {
        options.tether = 0.0;
    }
    options.stickiness = skin.stickiness;
    options.longest_step = skin.step;
    options.relax_steps = 20;
    SlideSolver solver(surface.topology(), surface.rest(), options, workers);
    SlideLocator locator(surface.topology(), surface.rest(), solver);
    MatrixX3d x;
    body_at(0.0, x);
    solver.reset(x, workers);
    Run result;
    const double fps = 30.0;
    MatrixX3d at;
    MatrixX3d located;
    const int frames = std::max(1, static_cast<int>(std::lround(seconds * fps)));
    for (int loop = 0; loop < loops; ++loop) {
        result.ends.push_back(0.0);
        for (int frame = 1; frame <= frames; ++frame) {
            const double from = (loop * frames + frame - 1) / fps;
            solver.advance(from, from + 1.0 / fps, body_at, workers);
            solver.material_positions(at);
            const double slip = std::sqrt((at - surface.rest()).rowwise().squaredNorm().mean());
            result.slip = std::max(result.slip, slip);
            result.not_finite += at.allFinite() && std::isfinite(slip) ? 0.0 : 1.0;
            result.ends.back() = slip;
        }
    }
    body_at(loops * frames / fps, x);
    locator.locate(solver, x, workers, located);
    result.not_finite += located.allFinite() ? 0.0 : 1.0;
    for (int v = 0; v < surface.vertex_count(); ++v) {
        // Features too sharp to slide over are held in their own place anyway.
        const bool follows = solver.sharpness_cosine(v) > 0.5;
        result.missed += follows && !locator.is_covered(v) ? 1.0 / surface.vertex_count() : 0.0;
    }
    result.inverted = static_cast<double>(solver.report().inverted_steps);
    result.steps = static_cast<double>(solver.report().steps);
    return result;
}

}  // namespace

std::vector<Case> verify_slide_characters() {
    std::vector<Case> cases;
    const std::vector<Actor> actors = {
        {"dancer's body", "dancer/dancer.glb", "body", "", 0.0, 11e-3, 28e-3, 297.0 / 13380.0,
         true},
        {"hand", "", "hand", "flex", 0.0, 4.1e-3, 4.1e-3, 29.0 / 1159.0, true},
        {"dancer's tights", "dancer/dancer.glb", "tights", "", 0.0, 9e-3, 10.9e-3, 33.0 / 2674.0,
         false},
        {"CesiumMan", "khronos-gltf/CesiumMan.glb", "", "", 1.66, 8.7e-3, 13e-3, 36.0 / 2338.0,
         false},
        {"horse", "quaternius/Horse.glb", "", "Gallop", 2.4, 31.6e-3, 97e-3, 100.0 / 1093.0, false},
        {"T-rex", "quaternius/Trex.glb", "", "Walk", 12.0, 119e-3, 338e-3, 250.0 / 912.0, false},
    };
    for (const Actor& actor : actors) {
        const std::filesystem::path file = data_folder() / actor.file;
        const bool is_built_in = actor.file.empty();
        if (!is_built_in && !std::filesystem::exists(file)) {
            continue;
        }
        BodyOptions options;
        options.mesh = is_built_in ? "" : actor.mesh;
        const auto character = std::make_shared<const Character>(
            is_built_in ? make_actor(actor.mesh) : read_gltf(file.string()));
        for (const Clip& clip : character->clips) {
            if (!actor.clip.empty() && options.clip.empty() &&
                clip.name.find(actor.clip) != std::string::npos) {
                options.clip = clip.name;
            }
        }
        options.clock.loop = LoopMode::loop;
        if (actor.height > 0.0) {
            const Body as_it_is = make_body(character, options);
            const MatrixX3d& p = as_it_is.mesh().positions;
            options.scale =
                actor.height / (p.colwise().maxCoeff() - p.colwise().minCoeff()).maxCoeff();
        }
        const Body body = make_body(character, options);
        const SimulationSurface surface = SimulationSurface::repaired(body, {});
        const Workers workers(1);
        MatrixX3d art;
        const BodyAt body_at = [&](double time, MatrixX3d& out) {
            body.positions(time, TimeSampling::smooth, workers, art);
            surface.gather(art, out);
        };
        const double seconds = body.duration();
        Run sum;
        int runs = 0;
        const auto add_run = [&](const Skin& skin, double time) {
            const Run one = run(body_at, surface, skin, time, 1);
            sum.not_finite += one.not_finite;
            sum.inverted += one.inverted;
            sum.steps += one.steps;
            sum.missed = std::max(sum.missed, one.missed);
            ++runs;
            return one;
        };
        for (const double step : {1.0 / 120.0, 1e-3}) {
            for (const double zeta : {0.0, 0.5, 1.0}) {
                for (const double stiffness : {0.3, 7.0}) {
                    if (step < 0.005 && (actor.is_large || (zeta != 0.5 && stiffness > 1.0))) {
                        continue;  // at 1 ms: both stiffnesses at 0.5 only
                    }
                    add_run({zeta, 0.0, stiffness, step, false},
                            std::min(seconds, actor.is_large ? 0.5
                                              : step < 0.005 ? 1.0
                                                             : 2.0));
                }
            }
        }
        // The whole clip with the defaults, and as in the notes: no tether, no stickiness, the
        // modulus of a human.
        add_run({}, std::min(seconds, actor.is_large ? 2.0 : 10.0));
        const Run free = add_run({0.0, 210.0, 1.0, 1.0 / 120.0, true},
                                 std::min(seconds, actor.is_large ? 2.0 : 10.0));
        // To and fro without a jolt, ten times.
        const double whole_frames = 15.0;  // of a loop of two parts at 30 frames a second
        const double part =
            std::floor(whole_frames * std::min(seconds, actor.is_large ? 0.27 : 1.0)) /
            whole_frames;
        const BodyAt to_and_fro = [&](double time, MatrixX3d& out) {
            body_at(part * (0.5 - 0.5 * std::cos(pi * time / part)), out);
        };
        const Run loops = run(to_and_fro, surface, {}, 2.0 * part, 10);
        const std::string what = actor.name + ", " + std::to_string(runs + 1) + " runs: ";
        const auto add = [&](const std::string& name, double value, double limit,
                             const std::string& unit, const std::string& source) {
            cases.push_back(slide_case(what + name, value, limit, unit, source));
        };
        add("frames with a number that is not finite", sum.not_finite + loops.not_finite, 0, "",
            "never NaN");
        add("steps that end with an inverted triangle", sum.inverted + loops.inverted, 0.0,
            "of " + std::to_string(static_cast<long>(sum.steps + loops.steps)), "limiter");
        // The notes' runs had no damping and began otherwise.
        constexpr double apart = 2.0;
        cases.push_back(slide_case_at_least(what + "free skin moves: largest rms slip", free.slip,
                                            actor.least_slip / apart, "m",
                                            "half the least of thin-skin notes 12"));
        add("free skin: rms slip at the end", free.ends[0], actor.most_slip * apart, "m",
            "twice the most of thin-skin notes 12");
        add("most vertices held because no skin lies within half an edge",
            std::max(sum.missed, loops.missed), actor.uncovered, "of all",
            "thin-skin notes 12; every vertex is found or held");
        add("rms slip after ten loops over that after two", loops.ends[9] / loops.ends[1], 1.1, "",
            "no drift");
    }
    return cases;
}

}  // namespace cutis::verify
