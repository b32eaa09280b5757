// Skin at rest and in slow motion: nothing trembles. Every character of both folders, where they
// are present.

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "cutis/body/body.h"
#include "cutis/core/error.h"
#include "cutis/io/gltf_read.h"
#include "cutis/stack/simulation_surface.h"
#include "slide/locate.h"
#include "stack/slide_order.h"
#include "verify/data.h"
#include "verify/slide_shapes.h"

namespace cutis::verify {

namespace {

constexpr double person = 1800.0;  // mm: lengths are those of a body of 1.8 m

/// A character as a surface with its motion.
struct Subject {
    std::shared_ptr<Body> body;
    std::unique_ptr<SimulationSurface> surface;
    std::unique_ptr<SlideOrder> order;  // vertices as the layer numbers them
    double mm = 0.0;                    // per unit of length
    double stiffness = 0.0;             // J: shear modulus times area of the skin that defaults give

    Subject(const std::filesystem::path& file, const std::string& mesh, const std::string& clip) {
        BodyOptions options;
        options.mesh = mesh;
        options.clip = clip;
        options.clock.loop = LoopMode::loop;
        body = std::make_shared<Body>(make_body(std::make_shared<Character>(read_gltf(file.string())), options));
        surface = std::make_unique<SimulationSurface>(SimulationSurface::repaired(*body, {}));
        order = std::make_unique<SlideOrder>(surface->topology(), surface->rest(), SlideOptions());
        const MatrixX3d& rest = surface->rest();
        const double size = (rest.colwise().maxCoeff() - rest.colwise().minCoeff()).maxCoeff();
        mm = person / size;
        const MatrixX3i& t = surface->topology().triangles();
        for (int f = 0; f < t.rows(); ++f) {
            const Vector3d ab = rest.row(t(f, 1)) - rest.row(t(f, 0));
            const Vector3d ac = rest.row(t(f, 2)) - rest.row(t(f, 0));
            stiffness += 70.0 * (size / 1.7) * (size / 1.7) * 0.5 * ab.cross(ac).norm();
        }
    }

    void pose(double time, MatrixX3d& out) const {
        MatrixX3d art;
        MatrixX3d welded;
        body->positions(time, TimeSampling::smooth, Workers(1), art);
        surface->from_art().values(art, Workers(1), welded);
        order->from_surface().values(welded, Workers(1), out);
    }
};

double furthest(const MatrixX3d& a, const MatrixX3d& b) {
    return std::sqrt((a - b).rowwise().squaredNorm().maxCoeff());
}

struct Stillness {
    double first = 0.0;  // mm, from the first frame shown to the second
    double later = 0.0;  // mm a frame, after ten frames
    double rise = 0.0;   // of the energy in a step beyond what is allowed, over the stiffness
    double awake = 0.0;  // share of the vertices at the end
    bool is_tangled = false;
};

// The body stands in one pose of its clip for 30 frames.
Stillness stand_still(const Subject& subject, const SlideOptions& options, double share_of_clip) {
    const Workers workers(1);
    const SlideOrder& surface = *subject.order;
    MatrixX3d body;
    subject.pose(share_of_clip * subject.body->duration(), body);
    SlideSolver solver(surface.topology(), surface.rest(), options, workers);
    SlideLocator locator(surface.topology(), surface.rest(), solver);
    solver.reset(body, workers);
    Stillness result;
    MatrixX3d shown;
    MatrixX3d last;
    locator.locate(solver, body, workers, last);
    SlideEnergy before = solver.energy(workers);
    for (int frame = 1; frame < 30; ++frame) {
        for (int step = 0; step < 4; ++step) {
            solver.step(body, 1.0 / 120.0, workers);
            const SlideEnergy now = solver.energy(workers);
            result.rise =
                std::max(result.rise, (now.total() - before.total() - 0.01 * before.kinetic) / subject.stiffness);
            before = now;
        }
        locator.locate(solver, body, workers, shown);
        const double moved = subject.mm * furthest(shown, last);
        result.first = frame == 1 ? moved : result.first;
        result.later = frame > 10 ? std::max(result.later, moved) : result.later;
        last = shown;
    }
    result.is_tangled = solver.report().untangled > 0;  // all are kept awake
    for (int v = 0; v < surface.rest().rows(); ++v) {
        result.awake +=
            solver.is_asleep(v) || solver.is_held(v) ? 0.0 : 1.0 / static_cast<double>(surface.rest().rows());
    }
    return result;
}

struct Chatter {
    double jitter = 0.0;  // mm, where the body moves less than 2 mm in 1/30 s
    double turn = 0.0;    // mm: largest second difference of the displacement where it moves less than 10
    double asleep = 0.0;  // share of the vertices
    std::vector<MatrixX3d> slid;
};

// A clip from its start.
Chatter chatter(const Subject& subject, double seconds, double fps, bool sleeps = true) {
    const Workers workers(1);
    const SlideOrder& surface = *subject.order;
    SlideOptions options;
    options.use_sleeping = sleeps;
    SlideSolver solver(surface.topology(), surface.rest(), options, workers);
    SlideLocator locator(surface.topology(), surface.rest(), solver);
    MatrixX3d body[3];
    MatrixX3d slid[3];
    Chatter worst;
    const auto body_at = [&](double time, MatrixX3d& out) { subject.pose(time, out); };
    for (int frame = 0; frame <= std::lround(seconds * fps); ++frame) {
        std::rotate(body, body + 1, body + 3);
        std::rotate(slid, slid + 1, slid + 3);
        subject.pose(frame / fps, body[2]);
        if (frame == 0) {
            solver.reset(body[2], workers);
        } else {
            solver.advance((frame - 1) / fps, frame / fps, body_at, workers);
        }
        locator.locate(solver, body[2], workers, slid[2]);
        slid[2] -= body[2];
        worst.slid.push_back(slid[2]);
        for (int v = 0; frame > fps / 15.0 && v < surface.rest().rows(); ++v) {
            const double turn = subject.mm * (slid[2].row(v) - 2.0 * slid[1].row(v) + slid[0].row(v)).norm();
            const double moved =
                subject.mm * fps / 30.0 *
                std::max((body[2].row(v) - body[1].row(v)).norm(), (body[1].row(v) - body[0].row(v)).norm());
            // A wave of some amplitude from frame to frame has four times it as second difference.
            worst.jitter = moved < 2.0 ? std::max(worst.jitter, turn / 4.0) : worst.jitter;
            worst.turn = moved < 10.0 ? std::max(worst.turn, turn) : worst.turn;
        }
    }
    const SlideReport& report = solver.report();
    worst.asleep = static_cast<double>(report.asleep) / static_cast<double>(std::max(report.watched, 1L));
    return worst;
}

struct Named {
    std::string file, mesh, clip;
};

}  // namespace

std::vector<Case> verify_slide_calm(bool all_materials) {
    std::vector<Case> cases;
    std::vector<Named> subjects;
    for (const auto& folder : {data_folder() / "khronos-gltf", data_folder() / "quaternius", characters_folder()}) {
        std::vector<std::string> files;
        if (std::filesystem::exists(folder)) {
            for (const auto& entry : std::filesystem::directory_iterator(folder)) {
                const std::string name = entry.path().filename().string();
                // Cubes, morph tests and a tower are no characters.
                const bool is_character =
                    name.find("Test") == std::string::npos && name.find("Cube") == std::string::npos &&
                    name.find("Box") == std::string::npos && name.find("Recursive") == std::string::npos &&
                    name.find("tower") == std::string::npos;
                // Refused when read: an edge of four triangles, a NaN, windings that disagree.
                const bool is_refused = name == "Mage.glb" || name == "Wasp.glb" || name == "Woman_Formal.glb";
                if (entry.path().extension() == ".glb" && is_character && !is_refused) {
                    files.push_back(entry.path().string());
                }
            }
        } else {
            cases.push_back(case_skipped("slide", "skin on a still body", missing(folder)));
        }
        std::sort(files.begin(), files.end());
        for (const std::string& file : files) {
            subjects.push_back({file, "", ""});
        }
    }
    const std::string dancer = (data_folder() / "dancer/dancer.glb").string();
    if (std::filesystem::exists(dancer)) {
        subjects.push_back({dancer, "tights", ""});
        subjects.push_back({dancer, "female_sportsuit01", ""});
        if (all_materials) {
            subjects.push_back({dancer, "body", ""});
        }
    }
    // Hard edges: these get every material and stickiness.
    const auto is_hard = [](const std::string& file) {
        return file.find("HVGirl") != std::string::npos || file.find("RiggedFigure") != std::string::npos ||
               file.find("Trex") != std::string::npos;
    };
    const std::vector<std::pair<SlideMaterial, const char*>> materials = {
        {SlideMaterial::neo_hookean, "neo-Hookean"},
        {SlideMaterial::st_venant_kirchhoff, "St. Venant-Kirchhoff"},
        {SlideMaterial::fung, "Fung"}};
    for (const Named& named : subjects) {
        const std::string name = std::filesystem::path(named.file).stem().string() + " " + named.mesh;
        std::unique_ptr<Subject> subject;
        try {
            subject = std::make_unique<Subject>(named.file, named.mesh, named.clip);
        } catch (const InvalidInput& error) {
            cases.push_back(case_skipped("slide", name + ": skin on a still body", error.what()));
            continue;
        }
        for (const auto& [material, word] : materials) {
            Stillness worst;
            const bool is_soft = material != SlideMaterial::fung;
            const bool is_wanted = all_materials || is_hard(named.file);
            if (!is_wanted && material != SlideMaterial::neo_hookean) {
                continue;
            }
            for (const double stickiness : {0.0, 0.5, 1.0}) {
                if (!is_wanted && stickiness != 0.5) {
                    continue;
                }
                SlideOptions options;
                options.material = material;
                options.stickiness = stickiness;
                const Stillness one = stand_still(*subject, options, 0.3);
                worst.first = worse(worst.first, one.first);
                worst.later = worse(worst.later, one.later);
                worst.rise = worse(worst.rise, one.rise);
                worst.awake = worse(worst.awake, one.awake);
                worst.is_tangled = worst.is_tangled || one.is_tangled;
            }
            const std::string what = name + ", " + word + ", body standing in a pose of its clip: ";
            cases.push_back(slide_case(what + "moves a frame after ten frames", worst.later, is_soft ? 0.05 : 0.2,
                                       "mm of 1.8 m", "comes to rest"));
            cases.push_back(slide_case(what + "moves from the first frame to the second", worst.first,
                                       is_soft ? 0.1 : 0.2, "mm of 1.8 m", "relaxed when shown first"));
            cases.push_back(slide_case(what + "rise of the energy in a step beyond 1 % of the "
                                              "kinetic energy",
                                       worst.rise, 1e-8, "of shear modulus times area", "energy test"));
            if (!worst.is_tangled) {
                cases.push_back(slide_case(what + "share of the skin that is awake after a second", worst.awake, 0.1,
                                           "", "who stands still costs next to nothing"));
            }
        }
    }
    const std::vector<Named> slow = {
        {(characters_folder() / "HVGirl.glb").string(), "", "Idle"},
        {(data_folder() / "quaternius/Trex.glb").string(), "", "Armature|TRex_Idle"},
        {(data_folder() / "quaternius/Horse.glb").string(), "", "AnimalArmature|Idle"},
    };
    for (const Named& named : slow) {
        const std::string name = std::filesystem::path(named.file).stem().string() + ", idle clip: ";
        if (!std::filesystem::exists(named.file)) {
            cases.push_back(case_skipped("slide", name + "chatter", missing(named.file)));
            continue;
        }
        const Subject subject(named.file, named.mesh, named.clip);
        const Chatter at_30 = chatter(subject, 2.0, 30.0);
        const Chatter at_60 = chatter(subject, 2.0, 60.0);
        const Chatter awake = chatter(subject, 2.0, 30.0, false);
        double apart = 0.0;
        double ways[2] = {0.0, 0.0};
        double slow = 0.0;
        for (size_t f = 0; f < awake.slid.size(); ++f) {
            for (int v = 0; f > 0 && v < awake.slid[0].rows(); ++v) {
                const double speed = 30.0 * subject.mm * (awake.slid[f].row(v) - awake.slid[f - 1].row(v)).norm();
                slow += speed < 0.5 ? 1.0 : 0.0;
            }
            apart += (at_30.slid[f] - awake.slid[f]).squaredNorm();
            ways[0] += at_30.slid[f].rowwise().norm().sum();
            ways[1] += awake.slid[f].rowwise().norm().sum();
        }
        apart = subject.mm * std::sqrt(apart / static_cast<double>(awake.slid.size() * awake.slid[0].rows()));
        slow /= static_cast<double>((awake.slid.size() - 1) * static_cast<size_t>(awake.slid[0].rows()));
        cases.push_back(slide_case_at_least(
            name + "share of the skin that sleeps, over the share that slides by less than 0.5 mm/s where none sleeps",
            at_30.asleep / slow, 0.75, "", "who hardly moves costs next to nothing"));
        cases.push_back(slide_case(name + "rms distance from skin that never sleeps", apart, 0.2, "mm of 1.8 m",
                                   "regions sleep and wake unseen"));
        cases.push_back(slide_case_at_least(name + "mean slide over that of skin that never sleeps", ways[0] / ways[1],
                                            0.97, "", "sleep holds nothing back"));
        cases.push_back(slide_case(name + "jitter where the body moves less than 2 mm a frame", at_30.jitter, 1.0,
                                   "mm of 1.8 m", "no chatter in motion"));
        cases.push_back(slide_case_at_least(
            name + "largest second difference of the displacement at 30 over 60 frames a second, where the body moves "
                   "less than 10 mm in 1/30 s",
            at_30.turn / at_60.turn, 1.7, "", "a hop would give 1, a kink 2, smooth motion 4"));
    }
    return cases;
}

}  // namespace cutis::verify
