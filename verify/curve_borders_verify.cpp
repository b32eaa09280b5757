#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <numbers>
#include <string>
#include <vector>

#include "cutis/actors/actors.h"
#include "cutis/mesh/geometry.h"
#include "cutis/stack/curve_layer.h"
#include "cutis/stack/layer_stack.h"
#include "verify/curve_cases.h"
#include "verify/curve_seams.h"
#include "verify/curve_stage.h"

// Swinging flesh where its part is cut out of the body, and its volume: measured on the surface that is shown.

namespace cutis::verify {

namespace {

struct SwingingPart {
    std::string actor;
    std::string clip;
    std::string name;
    PartNames names;
};

std::vector<SwingingPart> swinging_parts() {
    PartNames belly;
    belly.to = {"neck_1", "tail_1"};
    belly.without = {"thigh_left", "thigh_right", "upper_arm_left", "upper_arm_right"};
    PartNames torso;
    torso.to = {"neck_1", "tail_1"};
    torso.without = {"shoulder_front_left", "shoulder_front_right", "shoulder_hind_left", "shoulder_hind_right"};
    PartNames tail;
    tail.from = "tail_1";
    return {
        {"dinosaur", "walk", "belly", belly}, {"horse", "gallop", "torso", torso}, {"dinosaur", "walk", "tail", tail}};
}

/// Largest change of the displacement along an edge, per length: inside the part and across its cuts; and volumes.
struct Swing {
    double inside = 0.0;
    double across = 0.0;
    double largest = 0.0;  ///< displacement, m
    double volume = 0.0;   ///< relative change between the first ring and the last
};

Swing swing_of(const SwingingPart& one) {
    BodyOptions chosen;
    chosen.clip = one.clip;
    const LoadedBody loaded = loaded_body(make_body(std::make_shared<Character>(load_actor(one.actor)), chosen));
    const CurveBody& view = loaded.view;
    CurveLayout layout;
    const CurvePart part = find_part(view, one.names, layout);
    FleshOptions options;
    options.curve.frequency_hz = 3.0;
    options.curve.damping = 0.2;
    Flesh flesh(view, part, options);
    VolumeKeeper gauge(part);
    std::vector<char> is_inside(static_cast<size_t>(view.rest->rows()), 0);
    for (const int v : part.vertices) {
        is_inside[v] = 1;
    }
    const Workers workers(1);
    MatrixX3d art;
    MatrixX3d surface(view.rest->rows(), 3);
    MatrixX3d nodes(part.rows(), 3);
    Swing swing;
    constexpr int frames = 45;
    for (int f = 0; f < frames; ++f) {
        const double time = f / 30.0;
        flesh.advance({.to = time, .body_to = time, .reset = f == 0}, workers);
        view.body->positions(time, TimeSampling::smooth, workers, art);
        for (Eigen::Index v = 0; v < surface.rows(); ++v) {
            surface.row(v) = art.row((*view.art_of_vertex)[v]);
        }
        const MatrixX3d plain = surface;
        flesh.displace(time, TimeSampling::smooth, workers, surface);
        const MatrixX3d moved = surface - plain;
        swing.largest = std::max(swing.largest, moved.rowwise().norm().maxCoeff());
        for (const auto& [a, b] : view.topology->edges()) {
            const double slope = (moved.row(a) - moved.row(b)).norm() / (view.rest->row(a) - view.rest->row(b)).norm();
            double& worst = is_inside[a] == is_inside[b] ? swing.inside : swing.across;
            worst = is_inside[a] || is_inside[b] ? worse(worst, slope) : worst;
        }
        part.nodes.apply(plain, workers, nodes);
        const double before = gauge.volume(nodes);
        part.nodes.apply(surface, workers, nodes);
        swing.volume = worse(swing.volume, std::abs(gauge.volume(nodes) / before - 1.0));
    }
    return swing;
}

/// Largest displacement of flesh on a tube in even motion that is put 5 m elsewhere between two frames.
double flesh_at_a_cut() {
    constexpr int around = 12, along = 20, frames = 30, cut = 14;
    ArtMesh mesh;
    mesh.positions.resize(around * (along + 1), 3);
    mesh.triangles.resize(2 * around * along, 3);
    int f = 0;
    for (int j = 0; j <= along; ++j) {
        for (int i = 0; i < around; ++i) {
            const double angle = 2.0 * std::numbers::pi * i / around;
            mesh.positions.row(j * around + i) << 0.05 * std::cos(angle), 0.05 * std::sin(angle), 0.3 * j / along;
            if (j < along) {
                const int a = j * around + i;
                const int b = j * around + (i + 1) % around;
                mesh.triangles.row(f++) << a, b, b + around;
                mesh.triangles.row(f++) << a, b + around, a + around;
            }
        }
    }
    PointCache cache;
    cache.vertex_count = static_cast<int>(mesh.positions.rows());
    for (int frame = 0; frame < frames; ++frame) {
        for (Eigen::Index v = 0; v < mesh.positions.rows(); ++v) {
            const double x = mesh.positions(v, 0) + 0.1 * frame / 30.0 + (frame < cut ? 0.0 : 5.0);
            cache.samples.push_back(static_cast<float>(x));
            cache.samples.push_back(static_cast<float>(mesh.positions(v, 1)));
            cache.samples.push_back(static_cast<float>(mesh.positions(v, 2)));
        }
    }
    const Body body = make_body(mesh, cache, {});
    const Workers workers(1);
    LayerStack stack(body, {}, workers);
    stack.add("curve", make_curve_layer({}, stack.ground()));
    stack.keep_plain(true);
    Frame frame = stack.info().empty_frame();
    double largest = 0.0;
    constexpr int ahead = 6;  // it stops with its last sample, which is no cut
    for (int number = 1; number <= frames - ahead; ++number) {
        stack.advance(number, frame);
        const MatrixX3d moved = frame.body().positions - frame.body().plain_positions;
        largest = worse(largest, moved.rowwise().norm().maxCoeff());
    }
    return largest;
}

/// What is given to flesh beside its own swing, on a part with a cut or with holes.
struct Given {
    std::string what, actor, clip, why;
    std::function<void(CurveLayerOptions&)> change;
};

void whole_arm(CurveLayerOptions& options) {
    options.part.to = {"hand"};
    options.flesh.curve = CurveOptions();
    options.flesh.curve.free_tip = false;
}

constexpr const char* thick = "thick.obj";

std::vector<Given> given_things() {
    return {{"a baseline that replaces the body, on the twisting arm", "arm", "twist",
             "what it adds fades in over two radii",
             [](CurveLayerOptions& options) {
                 whole_arm(options);
                 options.flesh.baseline = CurveBaseline::dual_quaternion;
                 options.flesh.follow = false;
                 options.flesh.joint_hold = 0.0;
                 options.flesh.curve.inertia_gain = 1.5;
             }},
            {"a sculpt 6 mm thicker across the cut, on the bending arm", "arm", "bend", "examples fade in",
             [](CurveLayerOptions& options) {
                 whole_arm(options);
                 options.examples = {{1.5, "", thick}};
                 options.flesh.pose_joints = {"forearm_1"};
             }},
            {"splined examples in time, on the twisting arm", "arm", "twist", "they fade in, too",
             [](CurveLayerOptions& options) {
                 whole_arm(options);
                 options.flesh.curve.dynamics = CurveDynamics::spline;
                 options.flesh.baseline = CurveBaseline::dual_quaternion;
                 options.flesh.follow = false;
                 options.examples = {{0.0, "", ""}, {0.6, "", ""}, {1.2, "", ""}};
             }},
            {"a push by hand on a belly with four holes", "dinosaur", "walk", "its field runs on beyond the holes",
             [](CurveLayerOptions& options) {
                 options.part.to = {"neck_1", "tail_1"};
                 options.part.without = {"thigh_left", "thigh_right", "upper_arm_left", "upper_arm_right"};
                 options.flesh.curve = CurveOptions();
                 options.forces = {{0.1, Vector3d::Zero(), {}}, {0.3, Vector3d(-20.0, 0.0, 0.0), {}}};
             }}};
}

Seams seams_of(const Given& given) {
    BodyOptions chosen;
    chosen.clip = given.clip;
    Body body = make_body(std::make_shared<Character>(load_actor(given.actor)), chosen);
    const auto sculpt = std::make_shared<ArtMesh>(body.mesh());
    constexpr double more = 0.006;  // metres
    constexpr double sculpted_at = 1.5;
    body.positions(sculpted_at, TimeSampling::exact, Workers(1), sculpt->positions);
    const Topology topology(sculpt->triangles, static_cast<int>(sculpt->positions.rows()));
    sculpt->positions += more * vertex_normals(sculpt->positions, topology);
    Stage stage(std::move(body), given.change, 1.0, {{thick, sculpt}});
    SeamGauge gauge(stage.view());
    for (const auto& flesh : stage.group().parts()) {
        gauge.add_part(flesh->core_vertices());
    }
    constexpr int frames = 50;
    for (int f = 0; f <= frames; ++f) {
        stage.go_to(f / 30.0, f == 0);
        gauge.look(stage.plain, stage.shown, f > 0);
    }
    return gauge.seams();
}

}  // namespace

std::vector<Case> curve_border_cases() {
    std::vector<Case> cases = {curve_at_most("flesh before and after a cut, a jump of 5 m", flesh_at_a_cut(), 5e-5, "m",
                                             "nothing swings over a cut")};
    for (const SwingingPart& one : swinging_parts()) {
        const Swing swing = swing_of(one);
        const std::string who = one.actor + " " + one.name;
        cases.push_back(case_at_least("curve", "swing of the " + who, swing.largest, 2e-3, "m", "it swings at all"));
        cases.push_back(curve_at_most("slope across the border of the " + who + " against the largest inside",
                                      swing.across / swing.inside, 1.0, "", "the part's field runs on biharmonically"));
        cases.push_back(curve_at_most("volume of the swinging " + who, swing.volume, 0.01, "relative",
                                      "rings widen where flesh shortens"));
    }
    for (const Given& given : given_things()) {
        const Seams seams = seams_of(given);
        cases.push_back(
            case_at_least("curve", given.what + ": largest displacement", seams.swing, 1e-3, "of the size", "it acts"));
        add_seam_cases("border under " + given.what, given.why, seams, cases);
    }
    return cases;
}

}  // namespace cutis::verify
