// Flesh on a body without and with a skeleton: examples in time, fading at the ends, parts by
// joints.

#include "curve/flesh.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "cutis/core/error.h"
#include "cutis/mesh/repair.h"
#include "support/expect_error.h"
#include "support/shapes.h"

namespace cutis {
namespace {

/// A still tube of 1 m along z, its nodes on its vertices.
struct StillTube {
    test::Shape shape = test::open_cylinder(16, 20, 0.1, 1.0);
    Body body;
    Topology topology;
    std::vector<int> same;
    CurveBody view;
    CurvePart part;

    StillTube()
        : body(make_body(art(shape), PointCache{}, {})),
          topology(shape.triangles, static_cast<int>(shape.positions.rows())) {
        for (int v = 0; v < topology.vertex_count(); ++v) {
            same.push_back(v);
        }
        view = {&body, &shape.positions, &topology, &same, &same};
        CurveLayout layout;
        layout.curves = 16;
        layout.nodes = 21;
        layout.even_spacing = false;
        part = lay_curves(whole_surface(shape.positions, topology), -1, -1, layout);
    }
    static ArtMesh art(const test::Shape& shape) {
        ArtMesh mesh;
        mesh.positions = shape.positions;
        mesh.triangles = shape.triangles;
        return mesh;
    }
    /// Two examples: as it is at 0 s, moved by `offset` at 1 s.
    FleshOptions in_time(CurveDynamics dynamics, const Vector3d& offset) const {
        FleshOptions options;
        options.curve.dynamics = dynamics;
        options.baseline = CurveBaseline::body;
        options.follow = false;
        options.examples.resize(2);
        options.examples[0].sculpted = std::make_shared<MatrixX3d>(shape.positions);
        options.examples[1].sculpted = std::make_shared<MatrixX3d>(shape.positions.rowwise() + offset.transpose());
        options.examples[1].time = 1.0;
        return options;
    }
    MatrixX3d displaced(const FleshOptions& options, double time) const {
        Flesh flesh(view, part, options);
        EXPECT_FALSE(flesh.has_memory());
        MatrixX3d surface = shape.positions;
        flesh.displace(time, TimeSampling::exact, Workers(1), surface);
        return surface - shape.positions;
    }
};

TEST(flesh, eased_and_splined_examples_in_time_are_taken_and_met) {
    const StillTube tube;
    const Vector3d offset(0.02, -0.01, 0.03);
    for (const CurveDynamics dynamics : {CurveDynamics::smoothstep, CurveDynamics::spline}) {
        for (const double x : {0.25, 0.5, 1.0}) {
            // Two examples: the natural spline between them is straight.
            const double y = dynamics == CurveDynamics::spline ? x : x * x * (3.0 - 2.0 * x);
            const MatrixX3d moved = tube.displaced(tube.in_time(dynamics, offset), x);
            for (Eigen::Index v = 0; v < moved.rows(); ++v) {
                EXPECT_LT((moved.row(v).transpose() - y * offset).norm(), 1e-12);
            }
        }
    }
}

TEST(flesh, easing_without_examples_in_time_is_refused) {
    const StillTube tube;
    FleshOptions options;
    options.curve.dynamics = CurveDynamics::spline;
    test::expect_error<InvalidInput>([&] { Flesh(tube.view, tube.part, options); }, {"spline", "examples"});
}

/// The middle of a longer tube, cut out of it at z = 0.3 and 0.7 m.
struct MiddlePart : StillTube {
    MiddlePart() {
        VectorXd height = shape.positions.col(2);
        const SurfacePiece whole = whole_surface(shape.positions, topology);
        const SurfacePiece upper = cut_piece(whole, height, 0.3, true, 0);
        CurveLayout layout;
        layout.curves = 16;
        layout.nodes = 9;
        layout.even_spacing = false;
        part = lay_curves(cut_piece(upper, height, 0.7, false, 1), 0, 1, layout);
    }
};

TEST(flesh, examples_fade_towards_cuts_over_the_radii_asked_for) {
    const MiddlePart tube;
    const Vector3d offset(0.02, 0.0, 0.0);
    FleshOptions options = tube.in_time(CurveDynamics::still, offset);
    options.fade = 1.5;
    options.skirt = 0.0;
    const MatrixX3d moved = tube.displaced(options, 1.0);
    const double width = 1.5 * tube.part.girth / (2.0 * std::numbers::pi);
    for (Eigen::Index v = 0; v < moved.rows(); ++v) {
        const double z = tube.shape.positions(v, 2);
        const double x = std::clamp(std::min(z - 0.3, 0.7 - z) / width, 0.0, 1.0);
        EXPECT_NEAR(moved(v, 0), 0.02 * x * x * (3.0 - 2.0 * x), 1e-9) << z;
    }
    options.fade = 0.0;
    EXPECT_NEAR(tube.displaced(options, 1.0).col(0).maxCoeff(), 0.02, 1e-12);
}

TEST(flesh, an_open_border_of_the_body_itself_is_no_cut) {
    const StillTube tube;
    const MatrixX3d moved = tube.displaced(tube.in_time(CurveDynamics::still, Vector3d(0.02, 0.0, 0.0)), 1.0);
    EXPECT_NEAR(moved.col(0).minCoeff(), 0.02, 1e-12);
}

TEST(flesh, a_skirt_carries_on_what_the_part_does_and_lands_without_a_kink) {
    const MiddlePart tube;
    FleshOptions options = tube.in_time(CurveDynamics::still, Vector3d(0.02, 0.0, 0.0));
    options.fade = 0.0;  // a step at the cut, the hardest case
    options.skirt = 0.0;
    const auto steepest = [&](const MatrixX3d& moved) {
        double steep = 0.0;
        for (const auto& [a, b] : tube.topology.edges()) {
            steep = std::max(steep, (moved.row(a) - moved.row(b)).norm() /
                                        (tube.shape.positions.row(a) - tube.shape.positions.row(b)).norm());
        }
        return steep;
    };
    const MatrixX3d torn = tube.displaced(options, 1.0);
    EXPECT_NEAR(steepest(torn), 0.02 / 0.05, 1e-9);  // one edge of 5 cm takes it all
    options.skirt = 2.5;
    const MatrixX3d moved = tube.displaced(options, 1.0);
    // A cubic that falls from 1 to 0 over five edges (0.25 m) with no slope at either end is nowhere steeper than 1.5 /
    // 0.25; the discrete one ends within an edge of that.
    EXPECT_LT(steepest(moved), 0.02 * 1.5 / 0.2);
    for (Eigen::Index v = 0; v < moved.rows(); ++v) {
        const double z = tube.shape.positions(v, 2);
        if (z > 0.3 - 1e-9 && z < 0.7 + 1e-9) {
            EXPECT_NEAR(moved(v, 0), 0.02, 1e-12);  // the part itself keeps all of it
        }
        EXPECT_GE(moved(v, 0), -2e-4) << z;
        if (std::min(std::abs(z - 0.3), std::abs(z - 0.7)) > 0.251 && (z < 0.3 || z > 0.7)) {
            EXPECT_EQ(moved(v, 0), 0.0) << z;
        }
    }
}

TEST(flesh, a_part_that_is_squeezed_widens_and_keeps_its_volume) {
    const StillTube tube;
    VolumeKeeper keeper(tube.part);
    MatrixX3d body(tube.part.rows(), 3);
    tube.part.nodes.apply(tube.shape.positions, Workers(1), body);
    const double volume = keeper.volume(body);
    const double circle = 8.0 * std::sin(std::numbers::pi / 8.0) * 0.1 * 0.1;  // a polygon of 16 corners
    EXPECT_NEAR(volume, circle, 1e-12);
    // Shortened towards the middle, as a swing along the tube does.
    MatrixX3d moved = MatrixX3d::Zero(body.rows(), 3);
    for (Eigen::Index i = 0; i < body.rows(); ++i) {
        moved(i, 2) = 0.03 * std::sin(2.0 * std::numbers::pi * body(i, 2));
        moved(i, 0) = 0.02 * std::pow(std::sin(std::numbers::pi * body(i, 2)), 2);
    }
    MatrixX3d narrowed = moved;
    narrowed.col(0) -= 0.2 * body.col(0).cwiseProduct(moved.col(2).cwiseAbs()) / 0.03;
    narrowed.col(1) -= 0.2 * body.col(1).cwiseProduct(moved.col(2).cwiseAbs()) / 0.03;
    const double lost = std::abs(keeper.volume(body + narrowed) / volume - 1.0);
    EXPECT_GT(lost, 0.1);
    keeper.keep(body, narrowed);
    EXPECT_LT(std::abs(keeper.volume(body + narrowed) / volume - 1.0), 0.01);
    // Nothing moves: nothing changes. And a rigid turn changes nothing either.
    MatrixX3d still = MatrixX3d::Zero(body.rows(), 3);
    keeper.keep(body, still);
    EXPECT_LT(still.cwiseAbs().maxCoeff(), 1e-15);
}

TEST(flesh, forces_by_hand_are_linear_between_their_times_and_held_outside) {
    const StillTube tube;
    FleshOptions options;
    options.curve.dynamics = CurveDynamics::still;  // the static answer at once
    options.curve.limit = 1e6;
    options.forces.resize(3);
    options.forces[0].time = 1.0;
    options.forces[1] = {2.0, Vector3d(0.0, 4.0, 0.0)};
    options.forces[2] = {4.0, Vector3d(2.0, 0.0, 0.0)};
    Flesh flesh(tube.view, tube.part, options);
    const auto at = [&](double time) {
        const Workers workers(1);
        for (const bool reset : {true, false}) {
            FleshStep step;
            step.to = step.body_to = reset ? time - 0.25 : time;
            step.reset = reset;
            flesh.advance(step, workers);
        }
        MatrixX3d surface = tube.shape.positions;
        flesh.displace(time, TimeSampling::exact, workers, surface);
        return MatrixX3d(surface - tube.shape.positions);
    };
    const MatrixX3d first = at(2.0);
    const MatrixX3d second = at(4.0);
    ASSERT_GT(first.col(1).maxCoeff(), 1e-4);
    ASSERT_GT(second.col(0).maxCoeff(), 1e-4);
    EXPECT_LT((at(1.25) - 0.25 * first).cwiseAbs().maxCoeff(), 1e-9);
    EXPECT_LT((at(3.5) - 0.25 * first - 0.75 * second).cwiseAbs().maxCoeff(), 1e-9);
    EXPECT_LT((at(9.0) - second).cwiseAbs().maxCoeff(), 1e-9);
    EXPECT_EQ(at(0.5).cwiseAbs().maxCoeff(), 0.0);
}

TEST(flesh, a_limb_whose_foot_hangs_elsewhere_is_one_part_with_its_extra_joint) {
    // Skinned to hip, knee and foot from below; the foot hangs on the root, as inverse kinematics
    // has it.
    auto character = std::make_shared<Character>();
    const auto add = [&](const char* name, int parent, double height) {
        Node node;
        node.name = name;
        node.parent = parent;
        node.rest.translation = Vector3d(0.0, 0.0, height);
        character->skeleton.nodes.push_back(node);
    };
    add("root", -1, 0.0);
    add("hip", 0, 0.9);
    add("knee", 1, -0.4);
    add("foot", 0, 0.1);
    const test::Shape shape = test::open_cylinder(16, 30, 0.08, 1.2);
    Skin skin;
    skin.joints = {0, 1, 2, 3};
    for (const double height : {0.0, 0.9, 0.5, 0.1}) {
        skin.inverse_bind.emplace_back(Eigen::Translation3d(0.0, 0.0, -height));
    }
    character->skins = {skin};
    MeshInstance mesh;
    mesh.name = "leg";
    mesh.mesh.positions = shape.positions;
    mesh.mesh.triangles = shape.triangles;
    mesh.skin = 0;
    mesh.weights.influences = 2;
    const auto ramp = [](double z, double from, double to) { return std::clamp((z - from) / (to - from), 0.0, 1.0); };
    for (Eigen::Index v = 0; v < shape.positions.rows(); ++v) {
        const double z = shape.positions(v, 2);
        // Root above 1 m, then the leg down to 0.3, the foot below.
        const double root = ramp(z, 0.95, 1.05);
        const double foot = 1.0 - ramp(z, 0.25, 0.35);
        const bool is_up = z > 0.6;
        mesh.weights.joints.insert(mesh.weights.joints.end(), {static_cast<std::uint16_t>(is_up ? 0 : 3),
                                                               static_cast<std::uint16_t>(is_up ? 1 : 2)});
        const double other = is_up ? root : foot;
        mesh.weights.weights.insert(mesh.weights.weights.end(), {other, 1.0 - other});
    }
    character->meshes = {mesh};
    const Body body = make_body(std::shared_ptr<const Character>(character), {});
    const RepairedMesh welded = repair_mesh(body.mesh().positions, body.mesh().triangles, {}, body.source().weld_group);
    const CurveBody view{&body, &welded.positions, &welded.topology, &welded.art_of_vertex, &welded.vertex_of_art};
    const auto extent = [&](const PartNames& names) {
        const CurvePart part = find_part(view, names, {});
        double low = 1e9;
        double high = -1e9;
        for (const int v : part.vertices) {
            low = std::min(low, welded.positions(v, 2));
            high = std::max(high, welded.positions(v, 2));
        }
        return std::pair{low, high};
    };
    PartNames names;
    names.from = "hip";
    names.extra = {"foot"};
    const auto [low, high] = extent(names);
    EXPECT_EQ(low, 0.0);           // down to the sole's rim
    EXPECT_NEAR(high, 1.0, 0.05);  // up to where the root holds half
    // Without it the leg ends where the foot holds half: two cuts where one is expected.
    names.extra.clear();
    test::expect_error<InvalidInput>([&] { find_part(view, names, {}); }, {"2 loops"});
}

}  // namespace
}  // namespace cutis
