#include "cutis/body/clip.h"

#include <gtest/gtest.h>

#include <limits>

#include "support.h"

namespace cutis {
namespace {

using namespace test;

Skeleton one_node() {
    Skeleton skeleton;
    skeleton.nodes = {node("root", -1, {1, 2, 3})};
    return skeleton;
}

Eigen::Affine3d local_at(const Skeleton& skeleton, const Clip& clip, TimeSampling sampling, double time,
                         double period = 0.0) {
    Pose pose;
    ClipSampler(skeleton, clip, sampling, period).sample(time, pose);
    return pose.local[0];
}

TEST(Skeleton, a_transform_scales_then_rotates_then_translates) {
    Transform transform;
    transform.translation = {1, 2, 3};
    transform.rotation = Eigen::AngleAxisd(pi / 2, Vector3d::UnitZ());
    transform.scale = {2, 3, 4};
    const Vector3d moved = transform.matrix() * Vector3d(1, 1, 1);
    EXPECT_LT((moved - Vector3d(1 - 3, 2 + 2, 3 + 4)).norm(), 1e-15);
}

TEST(Skeleton, world_frames_are_products_along_the_chain) {
    Skeleton skeleton;
    skeleton.nodes = {node("a", -1, {1, 0, 0}, Eigen::Quaterniond(Eigen::AngleAxisd(pi / 2, Vector3d::UnitZ()))),
                      node("b", 0, {1, 0, 0}), node("c", 1, {1, 0, 0})};
    std::vector<Eigen::Affine3d> local;
    for (const Node& each : skeleton.nodes) {
        local.push_back(each.rest.matrix());
    }
    std::vector<Eigen::Affine3d> world;
    world_frames(skeleton, local, world);
    EXPECT_LT((world[2].translation() - Vector3d(1, 2, 0)).norm(), 1e-15);
    EXPECT_EQ(skeleton.find("b"), 1);
    EXPECT_EQ(skeleton.find("d"), -1);
    skeleton.nodes[1].parent = 2;
    EXPECT_THROW(world_frames(skeleton, local, world), InvalidInput);
}

TEST(Clip, broken_channels_are_refused_with_channel_and_key) {
    const Skeleton skeleton = one_node();
    Clip clip;
    clip.name = "walk";
    const auto refused_with = [&](const Channel& bad, const std::string& words) {
        clip.channels = {channel(0, ChannelTarget::scale, Interpolation::linear, {0}, {1, 1, 1}), bad};
        const std::string message = message_of([&] { check_clip(clip, skeleton); });
        EXPECT_NE(message.find("clip \"walk\" channel 1"), std::string::npos) << message;
        EXPECT_NE(message.find(words), std::string::npos) << message;
    };
    const auto move = [](std::vector<double> times, std::vector<double> values) {
        return channel(0, ChannelTarget::translation, Interpolation::linear, std::move(times), std::move(values));
    };
    const double nan = std::numeric_limits<double>::quiet_NaN();
    refused_with(move({0, 1, 1}, std::vector<double>(9)), "key 2");
    refused_with(move({0, nan}, std::vector<double>(6)), "key 1");
    refused_with(move({0, 1}, {1, 2, 3, 4, nan, 6}), "key 1");
    refused_with(move({0, 1}, std::vector<double>(5)), "expected 6 values");
    refused_with(move({}, {}), "at least one key");
    Channel stray = move({0}, {1, 2, 3});
    stray.node = 1;
    refused_with(stray, "node below 1");
    refused_with(channel(0, ChannelTarget::rotation, Interpolation::linear, {0}, {0, 0, 0, 0}, 4), "key 0");
    refused_with(channel(0, ChannelTarget::rotation, Interpolation::linear, {0}, {0, 0, 1}, 3), "expected 4 numbers");
    refused_with(channel(0, ChannelTarget::scale, Interpolation::linear, {0}, {1, 1, 1}), "already");
}

TEST(Clip, joints_without_channels_keep_their_pose_and_nodes_with_a_matrix_keep_that) {
    Skeleton skeleton = one_node();
    Clip clip;
    EXPECT_EQ(local_at(skeleton, clip, TimeSampling::exact, 0.7).translation(), Vector3d(1, 2, 3));
    skeleton.nodes[0].has_matrix = true;
    skeleton.nodes[0].matrix(0, 1) = 0.5;
    clip.channels = {channel(0, ChannelTarget::translation, Interpolation::linear, {0}, {7, 7, 7})};
    EXPECT_EQ(local_at(skeleton, clip, TimeSampling::exact, 0.0).matrix(), skeleton.nodes[0].matrix.matrix());
}

TEST(Clip, step_holds_linear_goes_straight_and_times_outside_hold_the_nearest_key) {
    const Skeleton skeleton = one_node();
    Clip clip;
    clip.channels = {
        channel(0, ChannelTarget::translation, Interpolation::step, {1, 2, 4}, {0, 0, 0, 5, 0, 0, 9, 0, 0})};
    for (const TimeSampling sampling : {TimeSampling::exact, TimeSampling::smooth}) {
        EXPECT_EQ(local_at(skeleton, clip, sampling, 1.999).translation().x(), 0.0);
        EXPECT_EQ(local_at(skeleton, clip, sampling, 2.0).translation().x(), 5.0);
        EXPECT_EQ(local_at(skeleton, clip, sampling, 3.999).translation().x(), 5.0);
        EXPECT_EQ(local_at(skeleton, clip, sampling, -10.0).translation().x(), 0.0);
        EXPECT_EQ(local_at(skeleton, clip, sampling, 10.0).translation().x(), 9.0);
    }
    clip.channels[0].interpolation = Interpolation::linear;
    EXPECT_DOUBLE_EQ(local_at(skeleton, clip, TimeSampling::exact, 3.0).translation().x(), 7.0);
    EXPECT_EQ(local_at(skeleton, clip, TimeSampling::exact, 0.0).translation().x(), 0.0);
    EXPECT_EQ(local_at(skeleton, clip, TimeSampling::exact, 5.0).translation().x(), 9.0);
}

TEST(Clip, linear_rotations_turn_evenly_the_shorter_way_even_from_opposite_signs) {
    const Skeleton skeleton = one_node();
    Clip clip;
    const Vector3d axis(1, -2, 0.5);
    std::vector<double> values = turns_about(axis, {0.2, 2.7});
    for (size_t i = 4; i < 8; ++i) {
        values[i] = -values[i];  // the same rotation
    }
    clip.channels = {channel(0, ChannelTarget::rotation, Interpolation::linear, {0, 2}, values, 4)};
    for (const double time : {0.0, 0.3, 1.0, 1.9, 2.0}) {
        const Eigen::Matrix3d expected(Eigen::AngleAxisd(0.2 + 1.25 * time, axis.normalized()));
        EXPECT_LT((local_at(skeleton, clip, TimeSampling::exact, time).linear() - expected).norm(), 1e-14);
    }
}

TEST(Clip, cubic_splines_are_hermite_curves_with_tangents_times_the_interval) {
    const Skeleton skeleton = one_node();
    Clip clip;
    // x(t) = t^3 - 2 t between t = 1 and t = 3: value and derivative at the keys say it all.
    const auto x = [](double t) { return t * t * t - 2.0 * t; };
    const auto slope = [](double t) { return 3.0 * t * t - 2.0; };
    clip.channels = {channel(0, ChannelTarget::translation, Interpolation::cubic_spline, {1, 3},
                             {99, 0, 0, x(1), 0, 0, slope(1), 0, 0,  //
                              slope(3), 0, 0, x(3), 0, 0, 99, 0, 0})};
    for (const TimeSampling sampling : {TimeSampling::exact, TimeSampling::smooth}) {
        for (const double time : {1.0, 1.3, 2.0, 2.9, 3.0}) {
            EXPECT_NEAR(local_at(skeleton, clip, sampling, time).translation().x(), x(time), 1e-13);
        }
    }
}

TEST(Clip, cubic_spline_rotations_are_normalised) {
    const Skeleton skeleton = one_node();
    Clip clip;
    const std::vector<double> q = turns_about(Vector3d::UnitY(), {0.0, 2.0});
    std::vector<double> values(24, 0.0);
    std::copy(q.begin(), q.begin() + 4, values.begin() + 4);
    std::copy(q.begin() + 4, q.end(), values.begin() + 16);
    values[8 + 1] = 0.7;  // out-tangent of the first key, y
    clip.channels = {channel(0, ChannelTarget::rotation, Interpolation::cubic_spline, {0, 2}, values, 4)};
    // At u = 1/4, glTF 2.0 C.5: basis 27/32, 9/64 * 2 s, 5/32.
    Eigen::Vector4d expected = 27.0 / 32.0 * Eigen::Vector4d(q[0], q[1], q[2], q[3]) +
                               5.0 / 32.0 * Eigen::Vector4d(q[4], q[5], q[6], q[7]) +
                               2.0 * 9.0 / 64.0 * Eigen::Vector4d(0, 0.7, 0, 0);
    expected.normalize();
    const Eigen::Matrix3d turn = Eigen::Quaterniond(expected).toRotationMatrix();
    EXPECT_LT((local_at(skeleton, clip, TimeSampling::exact, 0.5).linear() - turn).norm(), 1e-14);
}

TEST(Clip, morph_weights_are_sampled_for_their_node_only) {
    Skeleton skeleton;
    skeleton.nodes = {node("a", -1, {0, 0, 0}), node("b", 0, {0, 0, 0})};
    Clip clip;
    clip.channels = {channel(1, ChannelTarget::morph_weights, Interpolation::linear, {0, 1}, {0, 1, 1, 0}, 2)};
    Pose pose;
    ClipSampler(skeleton, clip, TimeSampling::exact).sample(0.25, pose);
    EXPECT_TRUE(pose.morph_weights[0].empty());
    EXPECT_EQ(pose.morph_weights[1], (std::vector<double>{0.25, 0.75}));
}

TEST(Clip, a_period_shorter_than_the_clip_is_refused) {
    const Skeleton skeleton = one_node();
    Clip clip;
    clip.channels = {channel(0, ChannelTarget::scale, Interpolation::linear, {0, 1}, {1, 1, 1, 2, 2, 2})};
    EXPECT_THROW(ClipSampler(skeleton, clip, TimeSampling::smooth, 0.5), InvalidInput);
    EXPECT_THROW(ClipSampler(skeleton, clip, TimeSampling::smooth, -1.0), InvalidInput);
}

}  // namespace
}  // namespace cutis
