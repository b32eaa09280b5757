// Whole clips of real characters, where the data folder is present (CUTIS_DATA, or ../shared/data
// beside the project).

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <numbers>

#include "cutis/actors/actors.h"
#include "cutis/body/body.h"
#include "cutis/core/error.h"
#include "cutis/io/gltf_read.h"
#include "cutis/stack/simulation_surface.h"
#include "slide/locate.h"
#include "verify/data.h"
#include "verify/slide_shapes.h"

namespace cutis::verify {

namespace {

struct Actor {
    std::string name;
    std::string file;  // empty: the built-in actor `mesh`
    std::string mesh, clip;
    double height = 0.0;      // metres the character is scaled to; 0: as it is
    double least_slip = 0.0;  // rms in metres that an independent prototype found on it, without tether
    double most_slip = 0.0;
    double uncovered = 0.0;         // share of the vertices its search missed
    double long_seconds = 100.0;    // of the clip, with steps of 1/120 s
    double fine_seconds = 0.5;      // of the clip, with steps of 1 ms
    double default_seconds = 10.0;  // of the clip, with the defaults and as in the prototype
    double loop_seconds = 0.5;      // of the clip, ten times to and fro
    double least_share = 1.0;       // of least_slip that must be reached
};

struct ClipRun {
    double not_finite = 0.0;
    double inverted = 0.0;
    double slip = 0.0;         // largest rms
    double missed = 0.0;       // share of the vertices without skin within half an edge
    double lost = 0.0;         // vertices without a place on the skin
    std::vector<double> ends;  // rms slip after each loop
    double steps = 0.0;
};

using BodyAt = std::function<void(double, MatrixX3d&)>;

struct Skin {
    double stickiness = 0.5;
    double young_modulus = 0.0;  // 0: by size
    double stiffness = 1.0;
    double step = 1.0 / 120.0;
    int relax_steps = 20;
    bool is_free = false;  // no tether, no damping
};

ClipRun run_clip(const BodyAt& body_at, const SimulationSurface& surface, const Skin& skin, double seconds, int loops) {
    const Workers workers(1);
    SlideOptions options;
    const double size = (surface.rest().colwise().maxCoeff() - surface.rest().colwise().minCoeff()).maxCoeff();
    options.young_modulus =
        skin.young_modulus > 0.0 ? skin.young_modulus : 210.0 * skin.stiffness * (size / 1.7) * (size / 1.7);
    options.tether_radius = 0.03 * size / 1.7;
    if (skin.is_free) {
        options.tether = 0.0;
        options.damping = 0.0;
    }
    options.stickiness = skin.stickiness;
    options.longest_step = skin.step;
    options.relax_steps = skin.relax_steps;
    SlideSolver solver(surface.topology(), surface.rest(), options, workers);
    SlideLocator locator(surface.topology(), surface.rest(), solver);
    MatrixX3d x;
    body_at(0.0, x);
    solver.reset(x, workers);
    ClipRun result;
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
        const SurfacePoint& place = locator.place(v);
        const bool has_place = place.triangle >= 0 && place.triangle < surface.topology().triangle_count() &&
                               place.barycentric.minCoeff() >= 0.0 && std::abs(place.barycentric.sum() - 1.0) < 1e-9 &&
                               located.row(v).allFinite() && std::isfinite(locator.miss(v));
        result.lost += has_place ? 0.0 : 1.0;
        // Features too sharp to slide over are held in their own place anyway.
        const bool follows = solver.sharpness_cosine(v) > 0.5;
        result.missed += follows && !locator.is_covered(v) ? 1.0 / surface.vertex_count() : 0.0;
    }
    result.inverted = static_cast<double>(solver.report().inverted_steps);
    result.steps = static_cast<double>(solver.report().steps);
    return result;
}

// The hand of the data folder has no clip: its fingers close and open again, each phalanx about the
// first axis of its joint. The joints have no parents, so each gets the motion of all before it.
void add_flexing(Character& hand) {
    constexpr double seconds = 2.0;
    constexpr int keys = 25;
    constexpr double most = 50.0 * std::numbers::pi / 180.0;  // at each of the three joints
    Clip clip;
    clip.name = "flex";
    for (const char* finger : {"index-finger", "middle-finger", "ring-finger", "pinky-finger"}) {
        std::vector<Channel> places;
        std::vector<Channel> turns;
        for (int key = 0; key < keys; ++key) {
            const double time = seconds * key / (keys - 1);
            const double angle = 0.5 * most * (1.0 - std::cos(2.0 * std::numbers::pi * time / seconds));
            Eigen::Affine3d moved = Eigen::Affine3d::Identity();
            size_t joint = 0;
            for (const char* bone : {"-phalanx-proximal", "-phalanx-intermediate", "-phalanx-distal", "-tip"}) {
                const int node = hand.skeleton.find(std::string(finger) + bone);
                require(node >= 0, "hand: expected a joint ", finger, bone);
                const Transform& rest = hand.skeleton.nodes[static_cast<size_t>(node)].rest;
                moved = moved * Eigen::Translation3d(rest.translation) *
                        Eigen::AngleAxisd(-angle, rest.rotation * Vector3d::UnitX()) *
                        Eigen::Translation3d(-rest.translation);
                if (key == 0) {
                    Channel channel;
                    channel.node = node;
                    places.push_back(channel);
                    channel.target = ChannelTarget::rotation;
                    channel.width = 4;
                    turns.push_back(channel);
                }
                const Vector3d place = moved * rest.translation;
                const Eigen::Quaterniond turn(moved.rotation() * rest.rotation);
                places[joint].times.push_back(time);
                turns[joint].times.push_back(time);
                places[joint].values.insert(places[joint].values.end(), {place.x(), place.y(), place.z()});
                turns[joint].values.insert(turns[joint].values.end(), {turn.x(), turn.y(), turn.z(), turn.w()});
                ++joint;
            }
        }
        clip.channels.insert(clip.channels.end(), places.begin(), places.end());
        clip.channels.insert(clip.channels.end(), turns.begin(), turns.end());
    }
    hand.clips = {clip};
}

}  // namespace

std::vector<Case> verify_slide_characters(bool whole_clips) {
    std::vector<Case> cases;
    const Workers workers(0);
    const std::vector<Actor> actors = {
        {"dancer's body", "dancer/dancer.glb", "body", "", 0.0, 11e-3, 28e-3, 297.0 / 13380.0, 0.5, 0.05, 2.0, 0.14,
         0.5},  // the prototype's run was the whole clip
        {"hand (built-in)", "", "hand", "flex", 0.0, 4.1e-3, 4.1e-3, 29.0 / 1159.0, 3.0, 0.2, 2.0, 0.27,
         0.5},  // the prototype had another hand
        {"hand of the data folder", "webxr-hand/left.glb", "", "flex", 0.0, 4.1e-3, 4.1e-3, 29.0 / 1159.0, 100.0, 0.5,
         10.0, 0.5, 0.5},  // the prototype's clip was another
        // Where free skin ends is chaotic: rounding alone moves the tights' from 9.9 to 12.1 mm.
        {"dancer's tights", "dancer/dancer.glb", "tights", "", 0.0, 9e-3, 13e-3, 33.0 / 2674.0},
        {"CesiumMan", "khronos-gltf/CesiumMan.glb", "", "", 1.66, 8.7e-3, 13e-3, 36.0 / 2338.0},
        {"horse", "quaternius/Horse.glb", "", "Gallop", 2.4, 31.6e-3, 97e-3, 100.0 / 1093.0},
        {"T-rex", "quaternius/Trex.glb", "", "Walk", 12.0, 119e-3, 338e-3, 250.0 / 912.0},
    };
    for (const Actor& actor : actors) {
        const std::filesystem::path file = data_folder() / actor.file;
        const bool is_built_in = actor.file.empty();
        if (!is_built_in && !std::filesystem::exists(file)) {
            cases.push_back(case_skipped("slide", actor.name + ": its clip", missing(file)));
            continue;
        }
        BodyOptions options;
        options.mesh = is_built_in ? "" : actor.mesh;
        const auto character =
            std::make_shared<Character>(is_built_in ? load_actor(actor.mesh) : read_gltf(file.string()));
        if (actor.clip == "flex" && !is_built_in) {
            add_flexing(*character);
        }
        for (const Clip& clip : character->clips) {
            if (!actor.clip.empty() && options.clip.empty() && clip.name.find(actor.clip) != std::string::npos) {
                options.clip = clip.name;
            }
        }
        options.clock.loop = LoopMode::loop;
        if (actor.height > 0.0) {
            const Body as_it_is = make_body(character, options);
            const MatrixX3d& p = as_it_is.mesh().positions;
            options.scale = actor.height / (p.colwise().maxCoeff() - p.colwise().minCoeff()).maxCoeff();
        }
        const Body body = make_body(character, options);
        const SimulationSurface surface = SimulationSurface::repaired(body, {});
        const double clip = body.duration();

        // Stickiness 0, 0.5, 1 by soft and stiff by both steps; then the defaults, and as in the
        // notes: no tether, no stickiness, no damping, the modulus of a human; then to and fro.
        struct Plan {
            Skin skin;
            double seconds;
            double begin = 0.0;
        };
        std::vector<Plan> plans;
        const double long_seconds = whole_clips ? clip : std::min(clip, actor.long_seconds);
        const double fine_seconds = whole_clips ? clip : std::min(clip, actor.fine_seconds);
        for (const double zeta : {0.0, 0.5, 1.0}) {
            for (const double stiffness : {0.3, 7.0}) {
                // On the large meshes relaxing would take longer than the run.
                const int relax_steps = fine_seconds < 0.3 ? 3 : 20;
                plans.push_back({{zeta, 0.0, stiffness, 1.0 / 120.0, relax_steps}, long_seconds});
                plans.push_back({{zeta, 0.0, stiffness, 1e-3, relax_steps}, fine_seconds});
            }
        }
        const double default_seconds = whole_clips ? clip : std::min(clip, actor.default_seconds);
        plans.push_back({{}, default_seconds});
        plans.push_back({{0.0, 210.0, 1.0, 1.0 / 120.0, 20, true}, default_seconds});
        const double whole_frames = 15.0;  // of a loop of two parts at 30 frames per second
        const double part = std::floor(whole_frames * std::min(clip, actor.loop_seconds)) / whole_frames;
        plans.push_back({{}, 2.0 * part});
        std::vector<ClipRun> runs(plans.size());
        const size_t last = plans.size() - 1;
        for (size_t i = 0; i <= last; ++i) {
            // Parts of a clip are taken from where it moves.
            const bool is_part = i < last - 2 ? plans[i].seconds < clip : i == last;
            plans[i].begin = is_part ? 0.25 * clip : 0.0;
        }
        workers.for_chunks(static_cast<int>(plans.size()), 1, [&](int begin, int /*end*/) {
            const size_t i = last - static_cast<size_t>(begin);  // ten loops first
            const Workers alone(1);
            const Body own = make_body(character, options);  // one thread at a time
            MatrixX3d art;
            const BodyAt body_at = [&](double time, MatrixX3d& out) {
                // The last run goes to and fro without a jolt, ten times.
                const double when = i == last ? part * (0.5 - 0.5 * std::cos(std::numbers::pi * time / part)) : time;
                own.positions(plans[i].begin + when, TimeSampling::smooth, alone, art);
                surface.from_art().values(art, alone, out);
            };
            runs[i] = run_clip(body_at, surface, plans[i].skin, plans[i].seconds, i == last ? 10 : 1);
        });
        ClipRun sum;
        for (const ClipRun& one : runs) {
            sum.not_finite += one.not_finite;
            sum.inverted += one.inverted;
            sum.steps += one.steps;
            sum.lost += one.lost;
            sum.missed = std::max(sum.missed, one.missed);
        }
        const ClipRun& free = runs[last - 1];
        const ClipRun& loops = runs[last];
        const auto tenths = [](double seconds) { return concat(std::round(100.0 * seconds) / 100.0, " s"); };
        const std::string what = concat(actor.name, ", ", plans.size(), " runs (clip ", tenths(clip), "; ",
                                        tenths(long_seconds), " at 1/120 s, ", tenths(fine_seconds), " at 1 ms): ");
        const auto add = [&](const std::string& name, double value, double limit, const std::string& unit,
                             const std::string& source) {
            cases.push_back(slide_case(what + name, value, limit, unit, source));
        };
        add("frames with a number that is not finite", sum.not_finite, 0, "", "never NaN");
        add("steps that end with an inverted triangle", sum.inverted, 0.0,
            "of " + std::to_string(static_cast<long>(sum.steps)), "limiter");
        cases.push_back(slide_case_at_least(
            what + "free skin moves: largest rms slip", free.slip, actor.least_slip * actor.least_share, "m",
            actor.least_share < 1.0 ? "half the least of an independent prototype (a longer run, or another mesh)"
                                    : "the least of an independent prototype"));
        add("free skin: rms slip at the end", free.ends[0], actor.most_slip, "m",
            "the most of an independent prototype");
        add("material vertices without a place on the skin", sum.lost, 0.0, "", "every one is located");
        add("most of them so far from it (half an edge) that they are held on the body", sum.missed, actor.uncovered,
            "of all", "an independent prototype: what its search could not find");
        add("rms slip after ten loops over that after two", loops.ends[9] / loops.ends[1], 1.1, "", "no drift");
    }
    return cases;
}

}  // namespace cutis::verify
