// Flesh that meets something: two tubes that are thrown at each other, a wall, a sphere.

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "curve/flesh_group.h"
#include "cutis/core/error.h"
#include "support/expect_error.h"
#include "support/shapes.h"

namespace cutis {
namespace {

constexpr double radius = 0.1;
constexpr double apart = 0.3;  // of the two axes at the start
constexpr int fps = 30;

/// Two tubes along z, side by side in x, that run towards each other and stop: their flesh goes on.
struct TwoTubes {
    Topology topology;
    std::vector<int> same;
    Body body;
    CurveBody view;

    static test::Shape shape() {
        const test::Shape one = test::open_cylinder(16, 20, radius, 1.0);
        test::Shape both;
        const auto count = static_cast<int>(one.positions.rows());
        both.positions.resize(2 * count, 3);
        both.positions.topRows(count) = one.positions.rowwise() - Eigen::RowVector3d(0.5 * apart, 0.0, 0.0);
        // The other one is its mirror image.
        both.positions.bottomRows(count) = -both.positions.topRows(count);
        both.positions.bottomRows(count).rightCols(2) *= -1.0;
        both.triangles.resize(2 * one.triangles.rows(), 3);
        both.triangles.topRows(one.triangles.rows()) = one.triangles;
        both.triangles.bottomRows(one.triangles.rows()) = one.triangles.array() + count;
        both.triangles.bottomRows(one.triangles.rows())
            .col(1)
            .swap(both.triangles.bottomRows(one.triangles.rows()).col(2));
        return both;
    }
    /// How far the first has gone to the right: 3 cm in 0.2 s, then nothing.
    static double way(double time) {
        const double x = std::min(time / 0.2, 1.0);
        return 0.03 * x * x * (3.0 - 2.0 * x);
    }
    static Body moving(const test::Shape& shape) {
        ArtMesh mesh;
        mesh.positions = shape.positions;
        mesh.triangles = shape.triangles;
        PointCache cache;
        cache.vertex_count = static_cast<int>(shape.positions.rows());
        cache.rate = 120.0;
        for (int f = 0; f <= 240; ++f) {
            for (Eigen::Index v = 0; v < shape.positions.rows(); ++v) {
                const double side = 2 * v < shape.positions.rows() ? 1.0 : -1.0;
                cache.samples.push_back(static_cast<float>(shape.positions(v, 0) + side * way(f / 120.0)));
                cache.samples.push_back(static_cast<float>(shape.positions(v, 1)));
                cache.samples.push_back(static_cast<float>(shape.positions(v, 2)));
            }
        }
        return make_body(mesh, cache, {});
    }

    explicit TwoTubes(const test::Shape& both = shape())
        : topology(both.triangles, static_cast<int>(both.positions.rows())), body(moving(both)), rest_(both.positions) {
        for (int v = 0; v < topology.vertex_count(); ++v) {
            same.push_back(v);
        }
        view = {&body, &rest_, &topology, &same, &same};
    }

    std::unique_ptr<FleshGroup> group(bool collides, const std::vector<FleshCollider>& given = {},
                                      bool both = true) const {
        std::vector<std::unique_ptr<Flesh>> parts;
        for (const bool first : {true, false}) {
            if (!first && !both) {
                break;
            }
            std::vector<bool> chosen(static_cast<size_t>(topology.triangle_count()));
            for (size_t f = 0; f < chosen.size(); ++f) {
                chosen[f] = (2 * f < chosen.size()) == first;
            }
            CurveLayout layout;
            layout.curves = 16;
            layout.nodes = 21;
            FleshOptions options;
            options.baseline = CurveBaseline::rigid;
            options.follow = false;
            options.curve.frequency_hz = 2.0;
            options.curve.damping = 0.1;
            options.curve.inertia_gain = 4.0;
            options.curve.limit = 0.1;
            options.meets = collides || !given.empty();
            parts.push_back(std::make_unique<Flesh>(
                view, lay_curves(chosen_piece(rest_, topology, chosen), -1, -1, layout), options));
        }
        return std::make_unique<FleshGroup>(view, std::move(parts), collides, given);
    }

    MatrixX3d plain(double time) const {
        MatrixX3d surface;
        body.positions(time, TimeSampling::smooth, Workers(1), surface);
        return surface;
    }
    MatrixX3d shown(FleshGroup& group, double time) const {
        MatrixX3d surface = plain(time);
        group.displace(time, TimeSampling::smooth, Workers(1), surface);
        return surface;
    }
    static void go(FleshGroup& group, double time, bool reset) {
        group.advance({.to = time, .body_to = time, .reset = reset}, Workers(1));
    }
    /// Frames at 30 a second.
    std::vector<MatrixX3d> run(FleshGroup& group, int frames) const {
        std::vector<MatrixX3d> all;
        for (int f = 0; f <= frames; ++f) {
            go(group, static_cast<double>(f) / fps, f == 0);
            all.push_back(shown(group, static_cast<double>(f) / fps));
        }
        return all;
    }

private:
    MatrixX3d rest_;
};

/// How far vertices of the first are inside the rings of the second: circles about their mean, as wide as they are on
/// average. Below 0: nowhere.
double overlap(const MatrixX3d& surface) {
    const Eigen::Index count = surface.rows() / 2;
    double deepest = -1e9;
    for (Eigen::Index ring = 0; ring * 16 < count; ++ring) {
        const auto other = surface.middleRows(count + ring * 16, 16);
        const Eigen::RowVector3d centre = other.colwise().mean();
        const double wide = (other.rowwise() - centre).rowwise().norm().mean();
        for (Eigen::Index i = 0; i < 16; ++i) {
            deepest = std::max(deepest, wide - (surface.row(ring * 16 + i) - centre).norm());
        }
    }
    return deepest;
}

/// How far the first passes the plane half way between the two: there is no place for it, for the other one is its
/// mirror image.
double passed(const MatrixX3d& surface) {
    return surface.col(0).head(surface.rows() / 2).maxCoeff();
}

TEST(contact, two_soft_parts_meet_in_the_middle_and_do_not_pass_through_each_other) {
    const TwoTubes tubes;
    const auto free = tubes.run(*tubes.group(false), 24);
    const auto group = tubes.group(true);
    const auto met = tubes.run(*group, 24);
    double free_overlap = 0.0, met_overlap = 0.0, free_passed = 0.0, met_passed = 0.0;
    double lopsided = 0.0;
    for (size_t f = 0; f < met.size(); ++f) {
        free_overlap = std::max(free_overlap, overlap(free[f]));
        met_overlap = std::max(met_overlap, overlap(met[f]));
        free_passed = std::max(free_passed, passed(free[f]));
        met_passed = std::max(met_passed, passed(met[f]));
        const Eigen::Index count = met[f].rows() / 2;
        lopsided = std::max(lopsided, (met[f].col(0).head(count) + met[f].col(0).tail(count)).cwiseAbs().maxCoeff());
    }
    EXPECT_GT(free_overlap, 0.02);  // without collision each is deep in the other
    EXPECT_LT(met_overlap, 0.005 * 2.0 * std::numbers::pi * radius);
    EXPECT_LT(met_passed, 0.6 * free_passed);  // others are met as round tubes: what is not round may pass a little
    EXPECT_GT(group->report().contacts, 0.0);
    // What one does the other does in the mirror: the first is not preferred.
    EXPECT_LT(lopsided, 2e-4);
}

TEST(contact, a_plane_a_sphere_and_a_capsule_keep_their_distance_by_definition) {
    const TwoTubes tubes;
    FleshCollider wall;
    wall.shape = ColliderShape::plane;
    wall.at = Vector3d(0.01, 0.0, 0.0);
    wall.normal = Vector3d(-1.0, 0.0, 0.0);
    FleshCollider ball;
    ball.at = Vector3d(0.05, 0.0, 0.5);
    ball.radius = 0.05;
    FleshCollider bar;
    bar.shape = ColliderShape::capsule;
    bar.at = Vector3d(0.05, 0.0, 0.2);
    bar.to = Vector3d(0.05, 0.0, 0.8);
    bar.radius = 0.05;
    for (int which = 0; which < 3; ++which) {
        const auto group = tubes.group(false, {which == 0 ? wall : which == 1 ? ball : bar}, false);
        double deepest = 0.0;
        double free = 0.0;
        const auto inside = [&](const Vector3d& p) {
            if (which == 0) {
                return p.x() - 0.01;
            }
            const double z = which == 1 ? 0.5 : std::min(std::max(p.z(), 0.2), 0.8);
            return 0.05 - (p - Vector3d(0.05, 0.0, z)).norm();
        };
        const auto plain = tubes.run(*tubes.group(false, {}, false), 24);
        const auto met = tubes.run(*group, 24);
        for (size_t f = 0; f < met.size(); ++f) {
            for (Eigen::Index v = 0; v < met[f].rows() / 2; ++v) {
                deepest = std::max(deepest, inside(met[f].row(v)));
                free = std::max(free, inside(plain[f].row(v)));
            }
        }
        EXPECT_GT(free, 0.01) << which;
        EXPECT_LT(deepest, 0.005 * 2.0 * std::numbers::pi * radius) << which;
    }
}

TEST(contact, frames_a_second_do_not_matter_and_a_saved_state_goes_on_bit_by_bit) {
    const TwoTubes tubes;
    const auto slow = tubes.group(true);
    const auto quick = tubes.group(true);
    for (int f = 0; f <= 18; ++f) {
        TwoTubes::go(*slow, f / 30.0, f == 0);
    }
    std::vector<double> state;
    for (int f = 0; f <= 144; ++f) {
        TwoTubes::go(*quick, f / 240.0, f == 0);
        if (f == 100) {
            state = quick->save();
        }
    }
    const MatrixX3d wanted = tubes.shown(*quick, 0.6);
    EXPECT_LT((tubes.shown(*slow, 0.6) - wanted).cwiseAbs().maxCoeff(), 1e-12);
    const auto resumed = tubes.group(true);
    resumed->restore(state);
    for (int f = 101; f <= 144; ++f) {
        TwoTubes::go(*resumed, f / 240.0, false);
    }
    EXPECT_EQ((tubes.shown(*resumed, 0.6) - wanted).cwiseAbs().maxCoeff(), 0.0);
    state.pop_back();
    test::expect_error<InvalidInput>([&] { resumed->restore(state); }, {"curve state", "expected"});
}

TEST(contact, bad_colliders_are_refused_with_what_to_do) {
    const TwoTubes tubes;
    FleshCollider all;
    all.radius = 5.0;
    test::expect_error<InvalidInput>([&] { tubes.group(false, {all}); }, {"collider 1", "encloses", "smaller"});
    FleshCollider nothing;
    nothing.radius = 0.0;
    test::expect_error<InvalidInput>([&] { tubes.group(false, {nothing}); }, {"collider 1", "radius above 0"});
    FleshCollider lost;
    lost.node = "tail";
    test::expect_error<InvalidInput>([&] { tubes.group(false, {lost}); }, {"collider 1", "\"tail\""});
    FleshCollider flat;
    flat.shape = ColliderShape::plane;
    flat.normal = Vector3d::Zero();
    test::expect_error<InvalidInput>([&] { tubes.group(false, {flat}); }, {"collider 1", "normal"});
}

}  // namespace
}  // namespace cutis
