// Whole clips of real characters, where the data folder is present (CUTIS_DATA, or ../shared/data
// beside the project).

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <functional>

#include "cutis/body/actors.h"
#include "cutis/body/body.h"
#include "cutis/io/gltf_read.h"
#include "cutis/slide/locate.h"
#include "cutis/stack/simulation_surface.h"
#include "verify/slide_shapes.h"

namespace cutis::verify {

namespace {

std::string data_folder() {
    if (const char* folder = std::getenv("CUTIS_DATA")) {
        return folder;
    }
    return "../shared/data";
}

struct Actor {
    std::string name;
    std::string file;  // empty: the built-in actor `mesh`
    std::string mesh, clip;
    double height = 0.0;  // metres the character is scaled to; 0: as it is
    // Largest rms slip over the clip, metres: a third of the least and three times the most of
    // thin-skin notes 12, whose skins had no tether or another one.
    double least_slip = 0.0;
    double most_slip = 0.0;
    double longest = 10.0;  // seconds of the clip that are run
    bool is_large = false;  // fewer and shorter runs
};

struct Run {
    double not_finite = 0.0;
    double inverted = 0.0;
    double slip = 0.0;    // largest rms
    double missed = 0.0;  // material vertices further from the skin than half their edges
    double ends[10] = {};
    double steps = 0.0;
};

using BodyAt = std::function<void(double, MatrixX3d&)>;

Run run(const BodyAt& body_at, const SimulationSurface& surface, double stickiness,
        double stiffness, double step, double seconds, int loops) {
    const Workers workers(1);
    SlideOptions options;
    const double size =
        (surface.rest().colwise().maxCoeff() - surface.rest().colwise().minCoeff()).maxCoeff();
    options.young_modulus = 210.0 * stiffness * (size / 1.7) * (size / 1.7);
    options.tether_radius = 0.03 * size / 1.7;
    options.stickiness = stickiness;
    options.longest_step = step;
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
        for (int frame = 1; frame <= frames; ++frame) {
            const double from = (loop * frames + frame - 1) / fps;
            solver.advance(from, from + 1.0 / fps, body_at, workers);
            solver.material_positions(at);
            const double slip = std::sqrt((at - surface.rest()).rowwise().squaredNorm().mean());
            result.slip = std::max(result.slip, slip);
            result.not_finite += at.allFinite() && std::isfinite(slip) ? 0.0 : 1.0;
            result.ends[loop] = slip;
        }
    }
    body_at(loops * frames / fps, x);
    locator.locate(solver, x, workers, located);
    result.not_finite += located.allFinite() ? 0.0 : 1.0;
    for (int v = 0; v < surface.vertex_count(); ++v) {
        double edges = 0.0;
        int count = 0;
        for (const int f : surface.topology().triangles_around(v)) {
            for (int k = 0; k < 3; ++k) {
                const double length = (surface.rest().row(surface.topology().triangles()(f, k)) -
                                       surface.rest().row(v))
                                          .norm();
                edges += length;
                count += length > 0.0 ? 1 : 0;
            }
        }
        result.missed += locator.miss(v) < 0.5 * edges / count ? 0.0 : 1.0;
    }
    result.inverted = static_cast<double>(solver.report().inverted_steps);
    result.steps = static_cast<double>(solver.report().steps);
    return result;
}

}  // namespace

std::vector<Case> verify_slide_characters() {
    std::vector<Case> cases;
    const std::vector<Actor> actors = {
        {"dancer's body", "dancer/dancer.glb", "body", "", 0.0, 3e-3, 0.08, 1.0, true},
        {"hand", "", "hand", "flex", 0.0, 1e-3, 12e-3, 3.0, true},
        {"dancer's tights", "dancer/dancer.glb", "tights", "", 0.0, 3e-3, 0.03, 10.0, false},
        {"CesiumMan", "khronos-gltf/CesiumMan.glb", "", "", 1.66, 1.8e-3, 0.027, 10.0, false},
        {"horse", "quaternius/Horse.glb", "", "Gallop", 2.4, 11e-3, 0.3, 10.0, false},
        {"T-rex", "quaternius/Trex.glb", "", "Walk", 12.0, 40e-3, 1.0, 10.0, false},
    };
    for (const Actor& actor : actors) {
        const std::filesystem::path file = std::filesystem::path(data_folder()) / actor.file;
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
        const double seconds = std::min(actor.longest, body.duration());
        Run sum;
        double least = 1e300;
        int runs = 0;
        for (const double step : {1.0 / 120.0, 1e-3}) {
            for (const double zeta : {0.0, 0.5, 1.0}) {
                for (const double stiffness : {0.3, 7.0}) {
                    // At 1 ms: stickiness 0.5 both ways, the others as they come.
                    if (step < 0.005 && (actor.is_large || (zeta != 0.5 && stiffness > 1.0))) {
                        continue;
                    }
                    const double time = std::min(seconds, actor.is_large ? 0.5
                                                          : step < 0.005 ? 1.0
                                                                         : 2.0);
                    const Run one = run(body_at, surface, zeta, stiffness, step, time, 1);
                    sum.not_finite += one.not_finite;
                    sum.inverted += one.inverted;
                    sum.steps += one.steps;
                    sum.missed += one.missed;
                    sum.slip = std::max(sum.slip, one.slip);
                    least = std::min(least, one.slip);
                    ++runs;
                }
            }
        }
        // The defaults over the whole clip, and over ten loops of its first second.
        const Run whole = run(body_at, surface, 0.5, 1.0, 1.0 / 120.0, seconds, 1);
        const Run loops = run(body_at, surface, 0.5, 1.0, 1.0 / 120.0, std::min(seconds, 1.0),
                              actor.is_large ? 2 : 10);
        const std::string what = actor.name + ", " + std::to_string(runs + 2) + " runs: ";
        const auto add = [&](const std::string& name, double value, double limit,
                             const std::string& unit, const std::string& source) {
            cases.push_back(slide_case(what + name, value, limit, unit, source));
        };
        add("frames with a number that is not finite",
            sum.not_finite + whole.not_finite + loops.not_finite, 0, "", "never NaN");
        add("steps that end with an inverted triangle",
            sum.inverted + whole.inverted + loops.inverted, 0.0,
            "of " + std::to_string(static_cast<long>(sum.steps + whole.steps + loops.steps)),
            "limiter");
        cases.push_back(slide_case_at_least(what + "the skin moves: least rms slip", least,
                                            actor.least_slip, "m", "thin-skin notes 12"));
        add("largest rms slip", std::max(sum.slip, whole.slip), actor.most_slip, "m",
            "thin-skin notes 12");
        add("material vertices not located within half an edge",
            sum.missed + whole.missed + loops.missed, 0.0, "", "every vertex found");
        const int last = actor.is_large ? 1 : 9;
        add("rms slip after the last of " + std::to_string(last + 1) + " loops over the second",
            loops.ends[last] / loops.ends[actor.is_large ? 0 : 1], 1.1, "", "no drift");
    }
    return cases;
}

}  // namespace cutis::verify
