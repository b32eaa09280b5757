// Smooth sampling: the same keys, met with continuous velocity.

#include "cutis/body/clip.h"

#include <gtest/gtest.h>
#include "support.h"

namespace cutis {
namespace {

using namespace test;

struct Fixture {
    Skeleton skeleton;
    Clip clip;

    Fixture() { skeleton.nodes = {node("root", -1, {0, 0, 0})}; }

    Eigen::Affine3d at(double time, TimeSampling sampling = TimeSampling::smooth, double period = 0.0) const {
        Pose pose;
        ClipSampler(skeleton, clip, sampling, period).sample(time, pose);
        return pose.local[0];
    }

    /// Velocity of translation and rotation (in the moving frame), just before and after a time.
    Eigen::Matrix<double, 6, 1> velocity(double time, double h, TimeSampling sampling, double period = 0.0) const {
        const Eigen::Affine3d from = at(time, sampling, period);
        const Eigen::Affine3d to = at(time + h, sampling, period);
        const Eigen::AngleAxisd turn(Eigen::Matrix3d(from.linear().transpose() * to.linear()));
        Eigen::Matrix<double, 6, 1> result;
        result << (to.translation() - from.translation()) / h, turn.angle() * turn.axis() / h;
        return result;
    }

    double velocity_jump(double time, TimeSampling sampling, double period = 0.0) const {
        const double h = 1e-5;
        return (velocity(time, h, sampling, period) - velocity(time, -h, sampling, period)).norm();
    }
};

// A wandering motion: unequal intervals, turns about changing axes.
Fixture wandering(int keys, double wildness) {
    Fixture f;
    std::mt19937 random(3);
    std::uniform_real_distribution<double> number(-1.0, 1.0);
    std::vector<double> times;
    std::vector<double> places;
    std::vector<double> turns;
    Eigen::Quaterniond q = Eigen::Quaterniond::Identity();
    double time = 0.5;
    for (int k = 0; k < keys; ++k) {
        times.push_back(time);
        time += 0.1 * (1.3 + number(random));
        for (int c = 0; c < 3; ++c) {
            places.push_back(number(random));
        }
        const Vector3d axis(number(random), number(random), number(random));
        q = q * Eigen::Quaterniond(Eigen::AngleAxisd(wildness * number(random), axis.normalized()));
        const double sign = k % 3 == 1 ? -1.0 : 1.0;  // files do this
        for (int c = 0; c < 4; ++c) {
            turns.push_back(sign * q.coeffs()[c]);
        }
    }
    f.clip.channels = {channel(0, ChannelTarget::translation, Interpolation::linear, times, places),
                       channel(0, ChannelTarget::rotation, Interpolation::linear, times, turns, 4)};
    return f;
}

TEST(SmoothClip, keys_are_met_exactly_in_both_samplings) {
    const Fixture f = wandering(12, 3.0);
    const Channel& places = f.clip.channels[0];
    const Channel& turns = f.clip.channels[1];
    for (size_t k = 0; k < places.times.size(); ++k) {
        const Eigen::Quaterniond q(Eigen::Vector4d(turns.values.data() + 4 * k));
        for (const TimeSampling sampling : {TimeSampling::exact, TimeSampling::smooth}) {
            for (const double side : {-1e-13, 0.0}) {  // as the end and as the start of an interval
                const Eigen::Affine3d frame = f.at(places.times[k] + side, sampling);
                EXPECT_LT((frame.linear() - q.toRotationMatrix()).norm(), 1e-10);
                EXPECT_LT((frame.translation() - Vector3d(places.values.data() + 3 * k)).norm(),
                          side == 0.0 ? 0.0 + 1e-300 : 1e-10);
            }
        }
    }
}

TEST(SmoothClip, velocity_is_continuous_at_keys_in_smooth_sampling_and_jumps_in_exact) {
    const Fixture f = wandering(12, 2.0);
    const std::vector<double>& times = f.clip.channels[0].times;
    for (size_t k = 1; k + 1 < times.size(); ++k) {
        EXPECT_GT(f.velocity_jump(times[k], TimeSampling::exact), 0.5);
        // second derivatives of some hundreds times the step of the difference
        EXPECT_LT(f.velocity_jump(times[k], TimeSampling::smooth), 0.05);
    }
}

TEST(SmoothClip, velocity_is_continuous_across_the_seam_of_a_loop) {
    Fixture f = wandering(9, 2.0);
    const double start = f.clip.start();
    const double end = f.clip.end();
    // Open: an interval of 0.15 s leads back to the first pose.
    const double open_period = end - start + 0.15;
    EXPECT_LT(f.velocity_jump(end, TimeSampling::smooth, open_period), 0.05);
    EXPECT_LT(f.velocity_jump(start + open_period, TimeSampling::smooth, open_period), 0.05);
    EXPECT_LT((f.at(start + open_period - 1e-12, TimeSampling::smooth, open_period).matrix() -
               f.at(start, TimeSampling::smooth, open_period).matrix())
                  .norm(),
              1e-9);
    // Half way through, exact sampling is half way.
    const Vector3d middle = f.at(end + 0.075, TimeSampling::exact, open_period).translation();
    EXPECT_LT(
        (middle - 0.5 * (f.at(start, TimeSampling::exact).translation() + f.at(end, TimeSampling::exact).translation()))
            .norm(),
        1e-12);
    // Closed: the last key repeats the first.
    for (Channel& each : f.clip.channels) {
        std::copy(each.values.begin(), each.values.begin() + each.width, each.values.end() - each.width);
    }
    EXPECT_LT(f.velocity_jump(end, TimeSampling::smooth, end - start), 0.05);
    EXPECT_GT(f.velocity_jump(end, TimeSampling::exact, end - start), 0.5);
}

TEST(SmoothClip, constant_angular_velocity_is_kept_exactly_at_uneven_keys) {
    for (const double step : {0.3, 179.0 * pi / 180.0}) {
        Fixture f;
        const Vector3d axis = Vector3d(1, 2, -2).normalized();
        // uneven times, angle proportional to time; `step` is the turn over the longest interval
        const std::vector<double> times = {0.0, 0.4, 1.0, 2.0, 2.9, 3.5};
        std::vector<double> angles;
        for (const double time : times) {
            angles.push_back(step * time + 0.2);
        }
        f.clip.channels = {
            channel(0, ChannelTarget::rotation, Interpolation::linear, times, turns_about(axis, angles), 4)};
        for (double time = 0.0; time <= 3.5; time += 0.05) {
            const Eigen::Matrix3d expected(Eigen::AngleAxisd(step * time + 0.2, axis));
            EXPECT_LT((f.at(time).linear() - expected).norm(), 1e-13) << step << " " << time;
        }
    }
}

TEST(SmoothClip, turns_about_one_axis_are_catmull_rom_curves_of_the_angle) {
    Fixture f;
    const std::vector<double> angles = {0.0, 1.0, 0.6, 2.0, 2.4};
    f.clip.channels = {channel(0, ChannelTarget::rotation, Interpolation::linear, {0, 1, 2, 3, 4},
                               turns_about(Vector3d::UnitX(), angles), 4)};
    const auto catmull_rom = [](double a, double b, double c, double d, double u) {
        return 0.5 * (2 * b + (c - a) * u + (2 * a - 5 * b + 4 * c - d) * u * u + (3 * b - a - 3 * c + d) * u * u * u);
    };
    for (const double u : {0.1, 0.5, 0.8}) {
        const double angle = catmull_rom(angles[0], angles[1], angles[2], angles[3], u);
        const Eigen::Matrix3d expected(Eigen::AngleAxisd(angle, Vector3d::UnitX()));
        EXPECT_LT((f.at(1.0 + u).linear() - expected).norm(), 1e-14);
    }
}

TEST(SmoothClip, parabolas_through_uneven_keys_are_reproduced_ends_included) {
    Fixture f;
    const std::vector<double> times = {0.0, 0.7, 1.1, 2.0, 2.6};
    std::vector<double> values;
    const auto place = [](double t) { return Vector3d(t * t, 3.0 - t, (t - 1.5) * (t + 4.0)); };
    for (const double time : times) {
        const Vector3d p = place(time);
        values.insert(values.end(), p.data(), p.data() + 3);
    }
    f.clip.channels = {channel(0, ChannelTarget::translation, Interpolation::linear, times, values)};
    for (double time = 0.0; time < 2.6; time += 0.05) {
        EXPECT_LT((f.at(time).translation() - place(time)).norm(), 1e-13);
    }
}

TEST(SmoothClip, alternating_turns_of_179_degrees_stay_between_their_keys) {
    Fixture f;
    const double wide = 179.0 * pi / 180.0;
    f.clip.channels = {channel(0, ChannelTarget::rotation, Interpolation::linear, {0, 1, 2, 3, 4, 5},
                               turns_about(Vector3d::UnitZ(), {0, wide, 0, wide, 0, wide}), 4)};
    for (double time = 1.0; time <= 4.0; time += 0.05) {
        // Tangents vanish at the turning points: a smoothstep between 0 and 179 degrees.
        const double u = time - std::floor(time);
        const double rise = u * u * (3 - 2 * u);
        const double angle = wide * (static_cast<int>(std::floor(time)) % 2 == 0 ? rise : 1.0 - rise);
        const Eigen::Matrix3d expected(Eigen::AngleAxisd(angle, Vector3d::UnitZ()));
        EXPECT_LT((f.at(time).linear() - expected).norm(), 1e-12);
    }
}

TEST(SmoothClip, wild_turns_about_changing_axes_stay_unit_and_continuous) {
    const Fixture f = wandering(20, 2.0 * 179.0 * pi / 180.0);
    Eigen::Matrix3d before = f.at(f.clip.start()).linear();
    for (double time = f.clip.start(); time <= f.clip.end(); time += 1e-4) {
        const Eigen::Matrix3d now = f.at(time).linear();
        ASSERT_LT((now.transpose() * now - Eigen::Matrix3d::Identity()).norm(), 1e-13);
        // intervals of 0.03 s and more, at most 1.5 turns of pi per interval: below 500 rad/s
        ASSERT_LT((now - before).norm(), 0.1) << time;
        before = now;
    }
}

TEST(SmoothClip, two_keys_a_millisecond_apart_do_not_throw_the_curve_far_out) {
    Fixture f;
    f.clip.channels = {channel(0, ChannelTarget::translation, Interpolation::linear, {0.0, 1.0, 1.001, 2.0},
                               {0, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0})};
    for (double time = 0.0; time <= 2.0; time += 0.001) {
        const double x = f.at(time).translation().x();
        // Velocities reach at most 1.5 steps: -1.5 u (1 - u) in the end intervals.
        EXPECT_GE(x, -0.375 - 1e-12);
        EXPECT_LE(x, 1.375 + 1e-12);
    }
}

TEST(SmoothClip, a_channel_that_starts_late_holds_still_and_sets_off_smoothly) {
    Fixture f;
    f.clip.channels = {
        channel(0, ChannelTarget::scale, Interpolation::linear, {0, 4}, {1, 1, 1, 1, 1, 1}),
        channel(0, ChannelTarget::translation, Interpolation::linear, {1, 2, 3}, {5, 0, 0, 6, 0, 0, 8, 0, 0})};
    for (const double time : {0.0, 0.5, 1.0}) {
        EXPECT_EQ(f.at(time).translation().x(), 5.0);
    }
    EXPECT_EQ(f.at(3.5).translation().x(), 8.0);
    EXPECT_LT(f.velocity_jump(1.0, TimeSampling::smooth), 1e-3);
    EXPECT_LT(f.velocity_jump(2.0, TimeSampling::smooth), 1e-3);
    EXPECT_LT(f.velocity_jump(3.0, TimeSampling::smooth), 1e-3);
}

TEST(SmoothClip, a_spline_clip_that_does_not_close_is_led_back_with_continuous_velocity) {
    Fixture f;
    const std::vector<double> q = turns_about(Vector3d::UnitY(), {0.3, 1.4});
    std::vector<double> turns(24, 0.0);
    for (size_t c = 0; c < 4; ++c) {
        turns[4 + c] = q[c];
        turns[16 + c] = -q[4 + c];
    }
    turns[9] = 0.5;
    f.clip.channels = {channel(0, ChannelTarget::translation, Interpolation::cubic_spline, {0, 1},
                               {9, 9, 9, 0, 0, 0, 1, 2, 0, 0, -1, 3, 1, 1, 1, 9, 9, 9}),
                       channel(0, ChannelTarget::rotation, Interpolation::cubic_spline, {0, 1}, turns, 4)};
    EXPECT_LT(f.velocity_jump(1.0, TimeSampling::smooth, 1.5), 1e-3);
    EXPECT_LT(f.velocity_jump(1.5, TimeSampling::smooth, 1.5), 1e-3);
    EXPECT_GT(f.velocity_jump(1.0, TimeSampling::exact, 1.5), 0.5);
}

}  // namespace
}  // namespace cutis
