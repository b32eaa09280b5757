#include "cutis/body/cache.h"

#include <gtest/gtest.h>

#include <limits>

#include "support.h"

namespace cutis {
namespace {

using namespace test;

ArtMesh two_points() {
    ArtMesh mesh;
    mesh.positions.resize(2, 3);
    mesh.positions << 0, 0, 0, 1, 1, 1;
    return mesh;
}

/// First vertex at (f(k), 0, 0), second at (1, f(k), 2).
PointCache cache_of(const std::vector<float>& f, double start = 2.0, double rate = 10.0) {
    PointCache cache;
    cache.vertex_count = 2;
    cache.start = start;
    cache.rate = rate;
    for (const float x : f) {
        cache.samples.insert(cache.samples.end(), {x, 0.0F, 0.0F, 1.0F, x, 2.0F});
    }
    return cache;
}

double x_at(const Body& body, double time, TimeSampling sampling = TimeSampling::exact) {
    MatrixX3d out;
    body.positions(time, sampling, Workers(1), out);
    return out(0, 0);
}

TEST(Cache, samples_are_met_exactly_and_joined_by_straight_lines_or_catmull_rom) {
    const std::vector<float> f = {0.0F, 1.0F, 0.5F, 3.0F, 3.25F};
    const Body body = make_body(two_points(), cache_of(f), {});
    EXPECT_DOUBLE_EQ(body.duration(), 0.4);
    for (size_t k = 0; k < f.size(); ++k) {
        for (const TimeSampling sampling : {TimeSampling::exact, TimeSampling::smooth}) {
            EXPECT_NEAR(x_at(body, 0.1 * static_cast<double>(k), sampling), f[k], 1e-13);
        }
    }
    EXPECT_NEAR(x_at(body, 0.125), 0.75 * 1.0 + 0.25 * 0.5, 1e-13);
    const double u = 0.25;  // Catmull-Rom between the second and the third sample
    const double expected = 0.5 * (2 * 1.0 + (0.5 - 0.0) * u + (0.0 - 5 * 1.0 + 4 * 0.5 - 3.0) * u * u +
                                   (3 * 1.0 - 0.0 - 3 * 0.5 + 3.0) * u * u * u);
    EXPECT_NEAR(x_at(body, 0.125, TimeSampling::smooth), expected, 1e-13);
    EXPECT_EQ(x_at(body, -5.0, TimeSampling::smooth), 0.0);
    EXPECT_EQ(x_at(body, 5.0, TimeSampling::smooth), 3.25);
}

TEST(Cache, parabolas_are_reproduced_to_both_ends_in_smooth_sampling) {
    const Body body = make_body(two_points(), cache_of({0.0F, 1.0F, 4.0F, 9.0F}, 0.0, 1.0), {});
    for (double time = 0.0; time <= 3.0; time += 0.125) {
        EXPECT_NEAR(x_at(body, time, TimeSampling::smooth), time * time, 1e-13);
    }
}

TEST(Cache, a_loop_that_does_not_meet_is_closed_by_one_interval_with_continuous_velocity) {
    BodyOptions options;
    options.clock.loop = LoopMode::loop;
    const Body body = make_body(two_points(), cache_of({0.0F, 0.1F, 0.3F, 0.2F}), options);
    EXPECT_NEAR(body.duration(), 0.4, 1e-15);
    EXPECT_NEAR(body.seam_gap(), 0.2, 1e-7);
    EXPECT_FALSE(body.seam_is_jump());
    EXPECT_FALSE(body.jumps_between(0.39, 0.41));
    EXPECT_NEAR(x_at(body, 0.35), 0.1, 1e-7);
    const double h = 1e-6;
    for (const double seam : {0.3, 0.4}) {
        const double before = (x_at(body, seam, TimeSampling::smooth) - x_at(body, seam - h, TimeSampling::smooth)) / h;
        const double after = (x_at(body, seam + h, TimeSampling::smooth) - x_at(body, seam, TimeSampling::smooth)) / h;
        EXPECT_NEAR(before, after, 1e-3);
    }
    for (const double time : {0.03, 0.17, 0.38}) {
        EXPECT_NEAR(x_at(body, time + 2.0, TimeSampling::smooth), x_at(body, time, TimeSampling::smooth), 1e-12);
    }
}

TEST(Cache, a_closed_loop_needs_no_interval_and_its_tangents_wrap) {
    BodyOptions options;
    options.clock.loop = LoopMode::loop;
    const Body body = make_body(two_points(), cache_of({0.0F, 0.5F, 0.25F, 0.0F}), options);
    EXPECT_NEAR(body.duration(), 0.3, 1e-15);
    // velocity at the seam: (f(1) - f(-1)) / 2 intervals = (0.5 - 0.25) / 0.2
    const double h = 1e-6;  // accelerations of some hundreds leave 1e-4
    EXPECT_NEAR((x_at(body, h, TimeSampling::smooth) - x_at(body, 0.0, TimeSampling::smooth)) / h, 1.25, 1e-3);
    EXPECT_NEAR((x_at(body, 0.3, TimeSampling::smooth) - x_at(body, 0.3 - h, TimeSampling::smooth)) / h, 1.25, 1e-3);
}

TEST(Cache, scale_and_z_up_apply_to_rest_and_motion_alike) {
    BodyOptions options;
    options.scale = 0.01;
    options.up_axis = 'z';
    const Body body = make_body(two_points(), cache_of({3.0F, 4.0F}), options);
    EXPECT_EQ(body.mesh().positions.row(1), Eigen::RowVector3d(0.01, 0.01, -0.01));
    MatrixX3d out;
    body.positions(0.1, TimeSampling::exact, Workers(1), out);
    EXPECT_LT((out.row(1) - Eigen::RowVector3d(0.01, 0.02, -0.04)).norm(), 1e-15);
}

TEST(Cache, without_frames_the_mesh_stands_still) {
    const Body body = make_body(two_points(), PointCache(), {});
    MatrixX3d out;
    body.positions(1.0, TimeSampling::smooth, Workers(1), out);
    EXPECT_EQ(out, two_points().positions);
    EXPECT_EQ(body.duration(), 0.0);
    BodyOptions looping;
    looping.clock.loop = LoopMode::loop;
    EXPECT_EQ(make_body(two_points(), PointCache(), looping).duration(), 0.0);
}

TEST(Cache, wrong_counts_and_numbers_are_refused) {
    ArtMesh three = two_points();
    three.positions.resize(3, 3);
    three.positions.setZero();
    EXPECT_NE(message_of([&] { make_body(three, cache_of({0.0F}), {}); }).find("expected 3"), std::string::npos);
    PointCache partial = cache_of({0.0F, 1.0F});
    partial.samples.pop_back();
    EXPECT_THROW(make_body(two_points(), partial, {}), InvalidInput);
    PointCache broken = cache_of({0.0F, 1.0F});
    broken.samples[9] = std::numeric_limits<float>::quiet_NaN();
    EXPECT_NE(message_of([&] { make_body(two_points(), broken, {}); }).find("frame 1 vertex 1"), std::string::npos);
    PointCache still = cache_of({0.0F, 1.0F});
    still.rate = 0.0;
    EXPECT_THROW(make_body(two_points(), still, {}), InvalidInput);
}

TEST(Cache, a_separate_rest_pose_replaces_the_rest_and_leaves_the_motion) {
    Body body = make_body(two_points(), cache_of({3.0F, 4.0F}), {});
    MatrixX3d rest(2, 3);
    rest << 0, 1, 0, 0, 2, 0;
    body.set_rest_pose(rest);
    EXPECT_TRUE(body.has_separate_rest_pose());
    EXPECT_EQ(body.mesh().positions, rest);
    EXPECT_EQ(x_at(body, 0.0), 3.0);
    EXPECT_THROW(body.set_rest_pose(MatrixX3d::Zero(3, 3)), InvalidInput);
    rest(1, 2) = std::numeric_limits<double>::infinity();
    EXPECT_NE(message_of([&] { body.set_rest_pose(rest); }).find("vertex 1"), std::string::npos);
}

}  // namespace
}  // namespace cutis
