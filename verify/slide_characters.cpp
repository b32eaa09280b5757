// Whole clips of real characters, where the data folder is present (CUTIS_DATA, or ../shared/data
// beside the project).

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>

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
    std::string name, file, mesh, clip;
    double height = 0.0;      // metres, to scale the skin by; 0: as it is
    double seconds = 0.0;     // of the clip
    double least_slip = 0.0;  // rms at its largest, metres: the skin really moves
    double most_slip = 0.0;
};

struct Outcome {
    double not_finite = 0.0;
    double inverted = 0.0;
    double slip = 0.0;  // largest rms
    double miss = 0.0;  // of material vertices, over the mean edge, median of the last frame
    long steps = 0;
};

Outcome run(const Body& body, const SimulationSurface& surface, double stickiness, double softness,
            double step, double seconds) {
    const Workers workers(1);
    SlideOptions options;
    const double size =
        (surface.rest().colwise().maxCoeff() - surface.rest().colwise().minCoeff()).maxCoeff();
    options.young_modulus = 210.0 * softness * (size / 1.7) * (size / 1.7);
    options.tether_radius = 0.03 * size / 1.7;
    options.stickiness = stickiness;
    options.longest_step = step;
    options.relax_steps = 20;
    SlideSolver solver(surface.topology(), surface.rest(), options, workers);
    SlideLocator locator(surface.topology(), surface.rest(), solver);
    MatrixX3d art;
    const auto body_at = [&](double time, MatrixX3d& out) {
        body.positions(time, TimeSampling::smooth, workers, art);
        surface.gather(art, out);
    };
    MatrixX3d x;
    body_at(0.0, x);
    solver.reset(x, workers);
    Outcome outcome;
    const double fps = 30.0;
    SlideChannels channels;
    MatrixX3d located;
    for (int frame = 1; frame <= static_cast<int>(seconds * fps); ++frame) {
        solver.advance((frame - 1) / fps, frame / fps, body_at, workers);
        MatrixX3d at;
        solver.material_positions(at);
        MatrixX3d v;
        solver.velocities(v);
        outcome.not_finite += at.allFinite() && v.allFinite() ? 0.0 : 1.0;
        outcome.slip =
            std::max(outcome.slip, std::sqrt((at - surface.rest()).rowwise().squaredNorm().mean()));
    }
    body_at(static_cast<int>(seconds * fps) / fps, x);
    locator.locate(solver, x, workers, located);
    outcome.not_finite += located.allFinite() ? 0.0 : 1.0;
    outcome.inverted = static_cast<double>(solver.report().inverted_steps);
    outcome.steps = solver.report().steps;
    return outcome;
}

}  // namespace

std::vector<Case> verify_slide_characters() {
    std::vector<Case> cases;
    const std::vector<Actor> actors = {
        {"dancer's tights", "dancer/dancer.glb", "tights", "", 0.0, 2.0, 2e-3, 40e-3},
        {"CesiumMan", "khronos-gltf/CesiumMan.glb", "", "", 0.0, 2.0, 2e-3, 30e-3},
        {"horse", "quaternius/Horse.glb", "", "Gallop", 0.0, 1.0, 2e-3, 200e-3},
        {"T-rex", "quaternius/Trex.glb", "", "Walk", 0.0, 1.3, 2e-3, 1.0},
    };
    for (const Actor& actor : actors) {
        const std::filesystem::path file = std::filesystem::path(data_folder()) / actor.file;
        if (!std::filesystem::exists(file)) {
            continue;
        }
        BodyOptions options;
        options.mesh = actor.mesh;
        const auto character = std::make_shared<const Character>(read_gltf(file.string()));
        if (!actor.clip.empty()) {
            for (const Clip& clip : character->clips) {
                if (clip.name.find(actor.clip) != std::string::npos && options.clip.empty()) {
                    options.clip = clip.name;
                }
            }
        }
        options.clock.loop = LoopMode::loop;
        const Body body = make_body(character, options);
        const SimulationSurface surface = SimulationSurface::repaired(body, {});
        double not_finite = 0.0;
        double inverted = 0.0;
        double steps = 0.0;
        double slip = 1e300;
        double most = 0.0;
        for (const double step : {1.0 / 120.0, 1.0 / 500.0}) {
            for (const double zeta : {0.0, 0.5, 1.0}) {
                // Soft and stiff at the long step; the short one as it comes.
                for (const double softness : {0.3, 1.0, 7.0}) {
                    if (softness != 1.0 && (step < 0.005 || zeta != 0.5)) {
                        continue;
                    }
                    if (step < 0.005 && zeta == 0.5) {
                        continue;
                    }
                    const Outcome outcome = run(body, surface, zeta, softness, step, actor.seconds);
                    not_finite += outcome.not_finite;
                    inverted += outcome.inverted;
                    steps += static_cast<double>(outcome.steps);
                    slip = std::min(slip, outcome.slip);
                    most = std::max(most, outcome.slip);
                }
            }
        }
        const std::string what = actor.name + ", 7 runs: ";
        cases.push_back(slide_case(what + "frames with a number that is not finite", not_finite, 0,
                                   "", "never NaN"));
        cases.push_back(slide_case(what + "steps that end with an inverted triangle",
                                   inverted / steps, 0.0, "of all steps", "limiter"));
        cases.push_back(slide_case_at_least(what + "the skin moves: rms slip", slip,
                                            actor.least_slip, "m", "thin-skin notes 12"));
        cases.push_back(slide_case(what + "rms slip stays bounded", most, actor.most_slip, "m",
                                   "thin-skin notes 12"));
    }
    return cases;
}

}  // namespace cutis::verify
