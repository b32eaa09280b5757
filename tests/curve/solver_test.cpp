#include "curve/curve_solver.h"

#include "curve/pose_keys.h"
#include "cutis/core/error.h"
#include "support/expect_error.h"
#include "support/shapes.h"
#include "verify/paper_beam.h"

#include <numbers>

namespace cutis {
namespace {

CurvePart cylinder_part(int curves = 8, int nodes = 21, CurveDirection direction = CurveDirection::along) {
    const test::Shape shape = test::open_cylinder(16, 30, 0.05, 0.4);
    CurveLayout layout;
    layout.curves = curves;
    layout.nodes = nodes;
    layout.direction = direction;
    return lay_curves(
        whole_surface(shape.positions, Topology(shape.triangles, static_cast<int>(shape.positions.rows()))), -1, -1,
        layout);
}

/// A part carried along z (a straight cylinder) by a motion x(t), without turning.
struct Carried {
    int rows;
    std::function<Vector3d(double)> motion = [](double) { return Vector3d::Zero().eval(); };
    std::function<double(double)> bulge = [](double) { return 0.0; };
    bool is_followed = false;

    void operator()(double time, CurveDrive& drive) const {
        drive.frames.places = motion(time).transpose().replicate(rows, 1);
        drive.frames.rotations.resize(rows, 9);
        for (int i = 0; i < rows; ++i) {
            drive.frames.rotations.row(i) << 1, 0, 0, 0, 1, 0, 0, 0, 1;
        }
        drive.shape = MatrixX3d::Zero(rows, 3);
        drive.followed = MatrixX3d::Zero(rows, 3);
        (is_followed ? drive.followed : drive.shape).col(1).setConstant(bulge(time));
    }
};

MatrixX3d displacement_at(CurveSolver& solver, const Carried& body, double time) {
    CurveDrive drive;
    body(time, drive);
    MatrixX3d out;
    solver.displacement(time, drive.frames, Workers(1), out);
    return out;
}

TEST(solver, body_at_rest_and_body_in_even_motion_leave_the_flesh_in_place) {
    const CurvePart part = cylinder_part();
    CurveSolver solver(part, {});
    Carried body{part.rows()};
    body.motion = [](double t) { return Vector3d(3.0 * t, 1.0, -t); };
    const Workers workers(1);
    solver.reset(0.0, body, workers);
    for (int frame = 1; frame <= 60; ++frame) {
        solver.advance(frame / 30.0, body, workers);
        EXPECT_LT(displacement_at(solver, body, frame / 30.0).cwiseAbs().maxCoeff(), 1e-12);
    }
}

TEST(solver, asks_nothing_beyond_what_is_known_and_goes_on_at_an_even_speed) {
    const CurvePart part = cylinder_part();
    CurveSolver solver(part, {});
    const double known = 20.0 / 30.0;
    Carried body{part.rows()};
    // Even motion up to a cut, then 5 m away.
    body.motion = [=](double t) {
        EXPECT_LE(t, known + 1e-9);
        return Vector3d(2.0 * t, 0.0, 0.0);
    };
    const Workers workers(1);
    solver.reset(0.0, body, workers);
    for (int frame = 1; frame <= 20; ++frame) {
        solver.advance(frame / 30.0, body, workers, known);
        EXPECT_LT(displacement_at(solver, body, frame / 30.0).cwiseAbs().maxCoeff(), 1e-12);
    }
    // A start off the grid of 120 Hz asks nothing before itself either.
    const double start = 0.70123;
    body.motion = [=](double t) {
        EXPECT_GE(t, start);
        return Vector3d(5.0 + 2.0 * t, 0.0, 0.0);
    };
    solver.reset(start, body, workers);
    for (int frame = 1; frame <= 20; ++frame) {
        solver.advance(start + frame / 30.0, body, workers);
        EXPECT_LT(displacement_at(solver, body, start + frame / 30.0).cwiseAbs().maxCoeff(), 1e-12);
    }
}

TEST(solver, constant_acceleration_sags_to_the_clamped_beam_under_uniform_load) {
    // Static answer of the modes to -gain a: q = -gain a / (a1/a2) v^2 (1-v)^2 / 24: a clamped beam
    // under uniform load.
    const CurvePart part = cylinder_part(8, 65);
    CurveOptions options;
    options.damping = 0.7;
    options.inertia_gain = 0.5;
    options.highest_frequency_hz = 1e9;
    options.limit = 1e6;
    CurveSolver solver(part, options);
    Carried body{part.rows()};
    body.motion = [](double t) { return Vector3d(0.5 * 4.0 * t * t, 0.0, 0.0); };
    const Workers workers(1);
    solver.reset(0.0, body, workers);
    solver.advance(3.0, body, workers);
    const MatrixX3d out = displacement_at(solver, body, 3.0);
    const double stiffness = stiffness_for_frequency(64, 5.0);
    for (int n = 0; n <= 64; ++n) {
        const double v = n / 64.0;
        const double expected = -0.5 * 4.0 / stiffness * v * v * (1 - v) * (1 - v) / 24.0;
        EXPECT_NEAR(out(n * part.curve_count, 0), expected, 3e-3 * 0.5 * 4.0 / stiffness / 384.0);
    }
}

TEST(solver, sudden_stop_rings_with_the_given_frequency_and_damping) {
    const CurvePart part = cylinder_part(8, 33);
    CurveOptions options;
    options.frequency_hz = 4.0;
    options.damping = 0.1;
    options.highest_frequency_hz = 4.0;  // the first mode alone
    options.limit = 1e6;
    CurveSolver solver(part, options);
    EXPECT_EQ(solver.mode_count(), 1);
    Carried body{part.rows()};
    body.motion = [](double t) { return Vector3d(std::min(t, 0.5), 0.0, 0.0); };
    const Workers workers(1);
    solver.reset(0.0, body, workers);
    // Zero crossings half a damped period apart, amplitudes e^(-pi xi / sqrt(1 - xi^2)).
    std::vector<double> crossings;
    std::vector<double> peaks;
    double peak = 0.0;
    double before = 0.0;
    const int middle = 16 * part.curve_count;
    for (int i = 1; i < 1500; ++i) {
        const double t = i * 0.001;
        solver.advance(t, body, workers);
        const double here = displacement_at(solver, body, t)(middle, 0);
        if (t > 0.52 && before * here < 0.0) {
            crossings.push_back(t - 0.001 * std::abs(here) / (std::abs(here) + std::abs(before)));
            peaks.push_back(peak);
            peak = 0.0;
        }
        peak = std::max(peak, std::abs(here));
        before = here;
    }
    ASSERT_GE(crossings.size(), 4u);
    const double damped = std::sqrt(1.0 - 0.01);
    EXPECT_NEAR(crossings[2] - crossings[1], 0.5 / 4.0 / damped, 1e-4);
    EXPECT_NEAR(peaks[3] / peaks[2], std::exp(-std::numbers::pi * 0.1 / damped), 1e-3);
}

TEST(solver, result_does_not_depend_on_the_frame_rate) {
    const CurvePart part = cylinder_part();
    Carried body{part.rows()};
    body.motion = [](double t) { return Vector3d(0.1 * std::sin(9.0 * t), 0.05 * std::cos(13.0 * t), 0.0); };
    body.bulge = [](double t) { return 0.01 * std::sin(5.0 * t); };
    const Workers workers(1);
    MatrixX3d reference;
    for (const double fps : {24.0, 30.0, 60.0, 7.0}) {
        CurveSolver solver(part, {});
        solver.reset(0.0, body, workers);
        for (int frame = 1; frame <= static_cast<int>(2.0 * fps + 0.5); ++frame) {
            solver.advance(frame / fps, body, workers);
        }
        const MatrixX3d out = displacement_at(solver, body, 2.0);
        if (reference.size() == 0) {
            reference = out;
            EXPECT_GT(out.cwiseAbs().maxCoeff(), 1e-3);
        }
        EXPECT_LT((out - reference).cwiseAbs().maxCoeff(), 1e-14) << fps;
    }
}

TEST(solver, targets_that_move_slowly_are_reached_and_ends_always_are) {
    const CurvePart part = cylinder_part();
    CurveSolver solver(part, {});
    Carried body{part.rows()};
    body.bulge = [](double t) { return 0.02 * std::min(t, 1.0); };
    const Workers workers(1);
    solver.reset(0.0, body, workers);
    solver.advance(0.5, body, workers);
    const MatrixX3d moving = displacement_at(solver, body, 0.5);
    EXPECT_NEAR(moving(0, 1), 0.01, 1e-12);
    EXPECT_NEAR(moving(part.rows() - 1, 1), 0.01, 1e-12);
    EXPECT_LT(moving(part.rows() / 2, 1), 0.01);  // lags: 2 xi / omega behind
    solver.advance(4.0, body, workers);
    EXPECT_LT((displacement_at(solver, body, 4.0).col(1).array() - 0.02).abs().maxCoeff(), 1e-12);
}

TEST(solver, a_followed_bulge_adds_only_lag_and_overshoot) {
    const CurvePart part = cylinder_part();
    CurveSolver solver(part, {});
    Carried body{part.rows()};
    body.bulge = [](double t) { return 0.02 * std::min(4.0 * t, 1.0); };
    body.is_followed = true;
    const Workers workers(1);
    solver.reset(0.0, body, workers);
    solver.advance(0.2, body, workers);
    EXPECT_LT(displacement_at(solver, body, 0.2)(part.rows() / 2, 1), -1e-4);
    solver.advance(0.33, body, workers);
    EXPECT_GT(displacement_at(solver, body, 0.33)(part.rows() / 2, 1), 1e-4);
    solver.advance(5.0, body, workers);
    EXPECT_LT(displacement_at(solver, body, 5.0).cwiseAbs().maxCoeff(), 1e-12);
}

TEST(solver, answers_at_sub_step_times_are_those_of_a_run_that_stopped_there) {
    const CurvePart part = cylinder_part();
    Carried body{part.rows()};
    body.motion = [](double t) { return Vector3d(0.1 * std::sin(9.0 * t), 0.0, 0.0); };
    const Workers workers(1);
    CurveSolver whole(part, {});
    whole.reset(0.0, body, workers);
    whole.advance(0.5, body, workers);
    whole.advance(0.5 + 1.0 / 24.0, body, workers);
    for (const double t : {0.5, 0.507, 0.52, 0.5401}) {
        CurveSolver stopped(part, {});
        stopped.reset(0.0, body, workers);
        stopped.advance(t, body, workers);
        EXPECT_LT((displacement_at(whole, body, t) - displacement_at(stopped, body, t)).cwiseAbs().maxCoeff(), 1e-15)
            << t;
    }
}

TEST(solver, offsets_stay_below_the_limit) {
    const CurvePart part = cylinder_part();
    CurveOptions options;
    options.limit = 0.004;
    options.inertia_gain = 10.0;
    CurveSolver solver(part, options);
    Carried body{part.rows()};
    body.motion = [](double t) { return Vector3d(std::sin(31.0 * t), 0.0, 0.0); };
    const Workers workers(1);
    solver.reset(0.0, body, workers);
    for (int frame = 1; frame < 60; ++frame) {
        solver.advance(frame / 30.0, body, workers);
        EXPECT_LT(displacement_at(solver, body, frame / 30.0).rowwise().norm().maxCoeff(), 0.004);
    }
    EXPECT_GT(solver.report().largest_offset, 0.004);
}

TEST(solver, saved_state_goes_on_bit_by_bit) {
    const CurvePart part = cylinder_part();
    Carried body{part.rows()};
    body.motion = [](double t) { return Vector3d(0.1 * std::sin(9.0 * t), 0.3 * t * t, 0.0); };
    body.bulge = [](double t) { return 0.01 * std::sin(7.0 * t); };
    const Workers workers(1);
    CurveSolver solver(part, {});
    solver.reset(0.0, body, workers);
    for (int frame = 1; frame <= 7; ++frame) {
        solver.advance(frame / 24.0, body, workers);
    }
    CurveSolver other(part, {});
    other.restore(solver.save());
    for (int frame = 8; frame <= 12; ++frame) {
        solver.advance(frame / 24.0, body, workers);
        other.advance(frame / 24.0, body, workers);
        EXPECT_EQ(displacement_at(solver, body, frame / 24.0), displacement_at(other, body, frame / 24.0));
    }
    std::vector<double> state = solver.save();
    EXPECT_EQ(state, other.save());
    state.pop_back();
    test::expect_error<InvalidInput>([&] { other.restore(state); }, {"curve state"});
    state.push_back(std::nan(""));
    test::expect_error<InvalidInput>([&] { other.restore(state); }, {"finite"});
    CurveSolver fresh(part, {});
    CurveSolver fresh2(part, {});
    fresh2.restore(fresh.save());
}

TEST(solver, same_bits_for_any_number_of_threads) {
    const CurvePart part = cylinder_part(40, 33);
    Carried body{part.rows()};
    body.motion = [](double t) { return Vector3d(0.1 * std::sin(9.0 * t), 0.3 * t * t, 0.0); };
    MatrixX3d reference;
    for (const int threads : {1, 2, 3}) {
        const Workers workers(threads);
        CurveSolver solver(part, {});
        solver.reset(0.0, body, workers);
        solver.advance(0.77, body, workers);
        CurveDrive drive;
        body(0.77, drive);
        MatrixX3d out;
        solver.displacement(0.77, drive.frames, workers, out);
        if (reference.size() == 0) {
            reference = out;
        }
        EXPECT_EQ(out, reference);
    }
}

TEST(solver, a_free_tip_swings_and_rings_stay_still_at_the_ends) {
    const test::Shape shape = test::icosphere(3, 0.2);
    const Topology topology(shape.triangles, static_cast<int>(shape.positions.rows()));
    PartCuts cuts;
    cuts.from = (shape.positions.col(2).array() + 0.2) / 0.4;
    const CutPart cut = cut_part(shape.positions, topology, cuts);
    const CurvePart part = lay_curves(cut.piece, cut.first_cut, cut.second_cut, {});
    CurveSolver solver(part, {});
    Carried body{part.rows()};
    body.motion = [](double t) { return Vector3d(t * t, 0.0, 0.0); };
    const Workers workers(1);
    solver.reset(0.0, body, workers);
    solver.advance(0.3, body, workers);
    const MatrixX3d out = displacement_at(solver, body, 0.3);
    EXPECT_EQ(out.topRows(part.curve_count).cwiseAbs().maxCoeff(), 0.0);
    EXPECT_LT(out(part.rows() - 1, 0), out(part.rows() / 2, 0));

    const CurvePart rings = cylinder_part(8, 21, CurveDirection::around);
    CurveSolver ring_solver(rings, {});
    Carried ring_body{rings.rows()};
    ring_body.motion = body.motion;
    ring_solver.reset(0.0, ring_body, workers);
    ring_solver.advance(0.3, ring_body, workers);
    const MatrixX3d moved = displacement_at(ring_solver, ring_body, 0.3);
    for (int i = 0; i < rings.rows(); ++i) {
        if (rings.along[i] == 0.0 || rings.along[i] == 1.0) {
            EXPECT_EQ(moved.row(i).norm(), 0.0);
        }
    }
    EXPECT_GT(moved.cwiseAbs().maxCoeff(), 1e-4);
}

TEST(solver, options_out_of_range_are_refused) {
    const CurvePart part = cylinder_part();
    const auto with = [&](auto change) {
        CurveOptions options;
        change(options);
        CurveSolver solver(part, options);
    };
    test::expect_error<InvalidInput>([&] { with([](CurveOptions& o) { o.frequency_hz = 0.0; }); }, {"frequency"});
    test::expect_error<InvalidInput>([&] { with([](CurveOptions& o) { o.damping = std::nan(""); }); }, {"damping"});
    test::expect_error<InvalidInput>([&] { with([](CurveOptions& o) { o.rate_hz = 1.0; }); }, {"rate"});
}

TEST(pose, weights_are_one_at_their_example_and_sum_to_one) {
    std::vector<VectorXd> poses;
    for (const auto& [a, b] :
         std::vector<std::pair<double, double>>{{0, 0}, {1.05, 0}, {2.1, 0}, {1.05, 1.2}, {1.05, -1.2}}) {
        VectorXd pose(3);
        pose << a, 0.3 * a, b;
        poses.push_back(pose);
    }
    const PoseKeys keys(poses);
    VectorXd weights;
    for (size_t i = 0; i < poses.size(); ++i) {
        keys.weigh(poses[i], weights);
        EXPECT_NEAR(weights[static_cast<Eigen::Index>(i)], 1.0, 1e-10);
        EXPECT_LT((weights - VectorXd::Unit(5, static_cast<Eigen::Index>(i))).cwiseAbs().maxCoeff(), 1e-10);
    }
    test::Random random(4);
    for (int i = 0; i < 50; ++i) {
        VectorXd pose(3);
        pose << random.uniform(-3, 3), random.uniform(-3, 3), random.uniform(-3, 3);
        keys.weigh(pose, weights);
        EXPECT_NEAR(weights.sum(), 1.0, 1e-10);
        EXPECT_LT(weights.cwiseAbs().maxCoeff(), 1.5);  // the box keeps them small
    }
}

TEST(pose, two_examples_blend_linearly_and_equal_poses_are_refused) {
    VectorXd rest = VectorXd::Zero(3);
    VectorXd bent(3);
    bent << 0.0, 2.0, 0.0;
    const PoseKeys keys({rest, bent});
    VectorXd weights;
    keys.weigh(0.25 * bent, weights);
    EXPECT_NEAR(weights[1], 0.25, 1e-12);
    keys.weigh(2.0 * bent, weights);
    EXPECT_NEAR(weights[1], 1.0, 1e-12);
    test::expect_error<InvalidInput>([&] { PoseKeys({rest, bent, bent}); }, {"1 and 2 alike"});
}

TEST(pose, joint_pose_splits_swing_and_twist) {
    const Vector3d axis = Vector3d(1.0, 2.0, -0.5).normalized();
    const Eigen::Quaterniond parent(Eigen::AngleAxisd(0.8, Vector3d::UnitY()));
    const Eigen::Quaterniond twist(Eigen::AngleAxisd(0.6, axis));
    const Vector3d across = axis.cross(Vector3d::UnitX()).normalized();
    const Eigen::Quaterniond swing(Eigen::AngleAxisd(-1.1, across));
    const Vector3d pose = joint_pose(parent, parent * swing * twist, axis);
    EXPECT_NEAR(pose[2], 0.6, 1e-12);
    EXPECT_NEAR(pose.head<2>().norm(), 1.1, 1e-12);
    EXPECT_LT(joint_pose(parent, parent, axis).norm(), 1e-12);
}

TEST(frames, skinned_nodes_follow_rigid_motion_and_keep_rotations) {
    const test::Shape shape = test::open_cylinder(16, 30, 0.05, 0.4);
    const CurvePart part = cylinder_part();
    SkinWeights weights;
    weights.influences = 2;
    for (int v = 0; v < shape.positions.rows(); ++v) {
        const double w = std::clamp(shape.positions(v, 2) / 0.4, 0.0, 1.0);
        weights.joints.insert(weights.joints.end(), {0, 1});
        weights.weights.insert(weights.weights.end(), {1.0 - w, w});
    }
    const SkinnedNodes nodes(part, shape.positions, weights, 2);
    const Eigen::Affine3d motion =
        Eigen::Translation3d(1, 2, 3) * Eigen::AngleAxisd(2.0, Vector3d(1, 1, 0).normalized());
    NodeFrames frames;
    nodes.fill({motion, motion}, frames);
    MatrixX3d rest(part.rows(), 3);
    part.nodes.apply(shape.positions, Workers(1), rest);
    MatrixX3d baseline;
    for (int i = 0; i < part.rows(); ++i) {
        EXPECT_LT((motion * rest.row(i).transpose() - frames.places.row(i).transpose()).norm(), 1e-14);
        EXPECT_LT((motion.linear() - rotation_of(frames, i)).norm(), 1e-13);
    }
    for (const Skinning skinning : {Skinning::linear_blend, Skinning::dual_quaternion}) {
        nodes.baseline(skinning, {motion, motion}, Workers(1), baseline);
        EXPECT_LT((baseline - frames.places).cwiseAbs().maxCoeff(), 1e-13);
    }
    const RigidNodes rigid(part, shape.positions);
    NodeFrames fitted;
    rigid.fill(frames.places, fitted);
    EXPECT_LT((fitted.places - frames.places).cwiseAbs().maxCoeff(), 1e-13);
    EXPECT_LT((fitted.rotations - frames.rotations).cwiseAbs().maxCoeff(), 1e-12);
}

}  // namespace
}  // namespace cutis
