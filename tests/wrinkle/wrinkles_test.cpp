#include "wrinkle/wrinkles.h"

#include <gtest/gtest.h>

#include "support/expect_error.h"
#include "support/shapes.h"
#include "wrinkle/parts.h"

namespace cutis {
namespace {

using test::expect_error;

/// A flat strip of 0.2 x 0.1 m in the plane z = 0, pressed along x.
struct Strip {
    static constexpr int columns = 24;
    static constexpr int rows = 12;
    MatrixX3d rest;
    Topology topology;
    ArtMesh art;

    Strip() {
        rest.resize((columns + 1) * (rows + 1), 3);
        art.uv.resize(rest.rows(), 2);
        for (int j = 0; j <= rows; ++j) {
            for (int i = 0; i <= columns; ++i) {
                rest.row(j * (columns + 1) + i) << 0.2 * i / columns, 0.1 * j / rows, 0.0;
                art.uv.row(j * (columns + 1) + i) << 0.02 + 0.96 * i / columns, 0.02 + 0.48 * j / rows;
            }
        }
        MatrixX3i triangles(2 * columns * rows, 3);
        int f = 0;
        for (int j = 0; j < rows; ++j) {
            for (int i = 0; i < columns; ++i) {
                const int a = j * (columns + 1) + i;
                triangles.row(f++) << a, a + 1, a + columns + 2;
                triangles.row(f++) << a, a + columns + 2, a + columns + 1;
            }
        }
        topology = Topology(triangles, static_cast<int>(rest.rows()));
        art.positions = rest;
        art.triangles = art.uv_triangles = triangles;
    }
    MatrixX3d scaled(double x, double y) const {
        MatrixX3d posed = rest;
        posed.col(0) *= x;
        posed.col(1) *= y;
        return posed;
    }
    /// The back of a finger along x.
    MatrixX3d finger() const {
        constexpr double radius = 0.03;
        MatrixX3d round = rest;
        for (Eigen::Index v = 0; v < rest.rows(); ++v) {
            const double turn = (rest(v, 1) - 0.05) / radius;
            round.row(v) << rest(v, 0), radius * std::sin(turn), radius * std::cos(turn);
        }
        return round;
    }
    WrinkleMaps::Art art_of() const {
        WrinkleMaps::Art of;
        of.mesh = &art;
        for (int f = 0; f < topology.triangle_count(); ++f) {
            of.triangle.push_back(f);
            of.corner.push_back({0, 1, 2});
        }
        return of;
    }
};

WrinkleOptions options_of(double calm = 0.0) {
    WrinkleOptions options;
    options.wavelength = Painted(0.01);
    options.calm = calm;
    return options;
}

WrinkleSolver solver_of(const Strip& strip, const WrinkleOptions& options, double least = 0.7) {
    WrinkleSource source;
    source.poses = {strip.rest, strip.scaled(least, 1.0)};
    return {strip.topology, strip.rest, source, options, Workers(1)};
}

TEST(Wrinkles, lie_across_the_compression_and_keep_their_wavelength) {
    const Strip strip;
    const WrinkleSolver solver = solver_of(strip, options_of());
    double sum = 0.0;
    int count = 0;
    for (int v = 0; v < strip.topology.vertex_count(); ++v) {
        if (solver.direction().row(v).norm() > 0.5) {
            sum += std::abs(solver.direction()(v, 0));
            ++count;
        }
    }
    ASSERT_GT(count, 100);
    EXPECT_GT(sum / count, 0.98);
    EXPECT_LT(solver.forks(), 0.02);
}

TEST(Wrinkles, skin_that_narrows_because_it_is_pulled_does_not_wrinkle) {
    const Strip strip;
    const Workers one(1);
    WrinkleHeights heights;
    WrinkleSolver solver = solver_of(strip, options_of());
    solver.advance(strip.scaled(1.0 / std::sqrt(1.5), 1.5), -1.0, one, heights);  // as rubber does
    EXPECT_EQ(heights.height.maxCoeff(), 0.0);
    solver.advance(strip.scaled(1.0 / std::sqrt(1.5), 1.0), -1.0, one, heights);
    EXPECT_GT(heights.height.maxCoeff(), 1e-4);
}

TEST(Wrinkles, skin_in_reserve_wrinkles_at_rest_over_a_bone_and_is_smooth_when_stretched) {
    const Strip strip;
    const Workers one(1);
    // As skin over a finger, which is stretched along it; and flat, as between two knuckles.
    const MatrixX3d rest = strip.finger();
    MatrixX3d stretched = rest;
    stretched.col(0) *= 1.6;
    WrinkleSource source;
    source.poses = {rest, stretched};
    WrinkleSolver solver(strip.topology, rest, source, options_of(), one);
    WrinkleHeights heights;
    solver.advance(rest, -1.0, one, heights);
    EXPECT_GT(heights.height.maxCoeff(), 1e-4);
    solver.advance(stretched, -1.0, one, heights);
    EXPECT_EQ(heights.height.maxCoeff(), 0.0);
    source.poses = {strip.rest, strip.scaled(1.6, 1.0)};
    WrinkleSolver flat(strip.topology, strip.rest, source, options_of(), one);
    flat.advance(strip.rest, -1.0, one, heights);
    EXPECT_EQ(heights.height.maxCoeff(), 0.0);
    WrinkleOptions none = options_of();
    none.slack = 0.0;
    const WrinkleSolver plain(strip.topology, strip.rest, source, none, one);
    EXPECT_TRUE(plain.is_empty());
    EXPECT_FALSE(plain.notes().empty());
}

TEST(Wrinkles, a_joint_keeps_a_reserve_and_the_bones_beside_it_stay_smooth) {
    const Strip strip;
    const MatrixX3d rest = strip.finger();
    const auto reserve_of = [&](double joint, double bones) {
        MatrixX3d bent = rest;  // the middle quarter and the rest, stretched along x
        for (Eigen::Index v = 0; v < rest.rows(); ++v) {
            const double x = rest(v, 0) - 0.1;
            bent(v, 0) = 0.1 + bones * x + (joint - bones) * std::clamp(x, -0.025, 0.025);
        }
        WrinkleSource source;
        source.poses = {rest, bent};
        WrinkleOptions options = options_of();
        options.wavelength = Painted(0.012);
        return WrinkleSolver(strip.topology, rest, source, options, Workers(1)).parts().layout.reserve;
    };
    constexpr int middle = 6 * (Strip::columns + 1) + Strip::columns / 2;
    constexpr int bone = middle - 8;  // 67 mm away
    const VectorXd folded = reserve_of(1.6, 1.35);
    EXPECT_GT(folded[middle], 0.03);
    EXPECT_LT(folded[bone], 0.1 * folded[middle]);
    const VectorXd even = reserve_of(1.35, 1.35);
    EXPECT_GT(even[bone], 0.9 * even[middle]) << "where all is stretched alike, all of it keeps some";
    EXPECT_GT(even[middle], 0.02);
}

TEST(Wrinkles, heights_grow_with_strength_and_share_and_stay_below_the_cap) {
    const Strip strip;
    const Workers one(1);
    const auto highest = [&](auto change) {
        WrinkleOptions options = options_of();
        change(options);
        WrinkleSolver solver = solver_of(strip, options);
        WrinkleHeights heights;
        solver.advance(strip.scaled(0.8, 1.0), -1.0, one, heights);
        return heights.height.maxCoeff();
    };
    const double usual = highest([](WrinkleOptions&) {});
    EXPECT_NEAR(highest([](WrinkleOptions& o) { o.strength = 0.5; }) / usual, 0.5, 0.01);
    EXPECT_LT(highest([](WrinkleOptions& o) { o.share = 0.2; }), 0.75 * usual);
    EXPECT_LT(highest([](WrinkleOptions& o) { o.strength = 10.0; }), 0.45 * 0.01 * 1.001);
    EXPECT_EQ(highest([](WrinkleOptions& o) { o.onset = 0.3; }), 0.0);
    EXPECT_GT(highest([](WrinkleOptions& o) { o.skin = WrinkleSkin::old; }), usual);
    EXPECT_LT(highest([](WrinkleOptions& o) { o.skin = WrinkleSkin::young; }), usual);
}

TEST(Wrinkles, thickness_and_stiffness_give_wavelength_and_onset) {
    const Strip strip;
    WrinkleOptions options;
    options.thickness = 0.001;
    options.stiffness_ratio = 20.0;
    const WrinkleSolver solver = solver_of(strip, options);
    EXPECT_NEAR(solver.wavelength().maxCoeff(), 0.001 * wrinkle_wavelength(20.0), 1e-9);
    EXPECT_NEAR(*options.of_skin().onset, wrinkle_onset(20.0), 1e-15);
}

TEST(Wrinkles, a_larger_character_has_larger_wrinkles_of_the_same_shape) {
    const test::Shape ball = test::icosphere(3);
    const Topology topology = test::topology_of(ball);
    const auto longest = [&](double size) {
        WrinkleSource source;
        const MatrixX3d rest = size * ball.positions;
        MatrixX3d flat = rest;
        flat.col(1) *= 0.6;
        source.poses = {rest, flat};
        WrinkleOptions options;
        options.scale = 3.0;
        return WrinkleSolver(topology, rest, source, options, Workers(1)).wavelength().mean();
    };
    EXPECT_NEAR(longest(50.0) / longest(1.0), 50.0, 1e-6 * 50.0);
}

TEST(Wrinkles, same_bits_for_any_threads_and_after_a_resume) {
    const Strip strip;
    WrinkleSolver solver = solver_of(strip, options_of(0.02));
    WrinkleSolver other = solver_of(strip, options_of(0.02));
    ASSERT_TRUE(solver.has_memory());
    const Workers one(1);
    const Workers three(3);
    WrinkleHeights a;
    WrinkleHeights b;
    solver.advance(strip.rest, -1.0, one, a);
    solver.advance(strip.scaled(0.8, 1.0), 0.02, one, a);
    const std::vector<double> state = solver.save();
    other.restore(state);
    solver.advance(strip.scaled(0.75, 1.0), 0.02, one, a);
    other.advance(strip.scaled(0.75, 1.0), 0.02, three, b);
    EXPECT_EQ(a.height, b.height);
    EXPECT_EQ(a.take_up, b.take_up);
    EXPECT_GT(a.height.maxCoeff(), 0.0);
    // The low passes are late: without them heights are larger by now.
    WrinkleSolver quick = solver_of(strip, options_of(0.0));
    quick.advance(strip.scaled(0.75, 1.0), 0.02, one, b);
    EXPECT_LT(a.height.maxCoeff(), b.height.maxCoeff());
    expect_error<InvalidInput>([&] { other.restore({1.0, 2.0}); }, {"wrinkle state", "found 2"});
}

TEST(Wrinkles, low_passes_bound_the_second_difference_of_heights_that_hop) {
    const Strip strip;
    const Workers one(1);
    constexpr double calm = 0.03;
    constexpr double step = 1.0 / 120.0;
    WrinkleSolver solver = solver_of(strip, options_of(calm));
    WrinkleHeights now;
    solver.advance(strip.rest, -1.0, one, now);
    VectorXd last[2] = {now.height, now.height};
    double second = 0.0;
    for (int i = 0; i < 200; ++i) {  // pressed within a frame, let go within a frame
        solver.advance(i < 100 ? strip.scaled(0.7, 1.0) : strip.rest, step, one, now);
        second = std::max(second, (now.height - 2.0 * last[1] + last[0]).cwiseAbs().maxCoeff());
        last[0] = last[1];
        last[1] = now.height;
        if (i == 99) {
            const double whole = now.height.maxCoeff();
            EXPECT_GT(whole, 1e-3);
            // The response to a jump of H: second derivative H (1 - t / calm) exp(-t / calm) / calm^2.
            EXPECT_LT(second, whole * step * step / (calm * calm));
        }
    }
    EXPECT_LT(second, 1e-3 * 0.45 * 10.0 * step * step / (calm * calm));  // of the cap
    EXPECT_LT(second, 1.001 * 0.035 * 0.01 * step * step / (calm * calm)) << "of the wavelength";
    for (int i = 0; i < 100; ++i) {
        solver.advance(strip.rest, step, one, now);
    }
    EXPECT_EQ(now.height.maxCoeff(), 0.0) << "what is left is let go";
}

TEST(Wrinkles, skin_takes_up_no_more_than_its_own_length_and_smooths_where_the_base_collapses) {
    const Strip strip;
    const Workers one(1);
    WrinkleOptions options = options_of();
    options.share = Painted(1.0);
    WrinkleHeights folded;
    WrinkleHeights crushed;
    solver_of(strip, options, 0.4).advance(strip.scaled(0.4, 1.0), -1.0, one, folded);
    solver_of(strip, options, 0.1).advance(strip.scaled(0.1, 1.0), -1.0, one, crushed);
    EXPECT_LE(crushed.take_up.maxCoeff(), 1.0001);
    EXPECT_GT(crushed.take_up.maxCoeff(), 0.95);
    // The height goes with the period of the pose, a quarter of it; directions are off by a few degrees.
    EXPECT_LT(crushed.height.mean(), 0.5 * folded.height.mean());
    EXPECT_GT(folded.height.mean(), 1e-3);
}

TEST(Wrinkles, skin_that_is_pressed_far_begins_to_wrinkle_as_gently_as_it_is_quick) {
    const Strip strip;
    const Workers one(1);
    const auto height_at = [&](double least, double to) {
        WrinkleSolver solver = solver_of(strip, options_of(), least);
        WrinkleHeights heights;
        solver.advance(strip.scaled(to, 1.0), -1.0, one, heights);
        return heights.height.maxCoeff();
    };
    EXPECT_LT(height_at(0.3, 0.85), 0.7 * height_at(0.85, 0.85));
    // A fifth of the largest surplus q: 1 / (1.2 * 1.04) of it are taken up there, and heights grow as its root.
    EXPECT_GT(height_at(0.3, 0.3), 0.87 * height_at(0.85, 0.3));
}

TEST(Wrinkles, refuse_what_belongs_to_another_mesh) {
    const Strip strip;
    WrinkleSource source;
    source.poses = {strip.rest.topRows(10)};
    const auto make = [&] { WrinkleSolver(strip.topology, strip.rest, source, options_of(), Workers(1)); };
    expect_error<InvalidInput>(make, {"positions in every pose", "found 10"});
    source.poses = {strip.rest};
    source.where = VectorXd::Ones(7);
    expect_error<InvalidInput>(make, {"mask of another mesh", "found 7"});
}

TEST(Wrinkles, fine_lines_cross_the_wrinkles_and_are_closer) {
    const Strip strip;
    const WrinkleSolver solver = solver_of(strip, options_of());
    const wrinkle_detail::WrinkleLayout& layout = solver.parts().layout;
    ASSERT_EQ(layout.fine_angles.slope.size(), layout.angles.slope.size());
    double turned = 0.0;
    double closer = 0.0;
    for (size_t f = 0; f < layout.angles.slope.size(); ++f) {
        const Vector3d wave = layout.angles.slope[f][0];
        const Vector3d fine = layout.fine_angles.slope[f][0];
        turned += std::acos(std::min(1.0, std::abs(wave.normalized().dot(fine.normalized()))));
        closer += wave.norm() / fine.norm();
    }
    const auto count = static_cast<double>(layout.angles.slope.size());
    EXPECT_NEAR(turned / count, 0.7, 0.1);  // what the layout asks for
    EXPECT_NEAR(closer / count, 0.38, 0.05);
    WrinkleOptions none = options_of();
    none.fine = 0.0;
    EXPECT_TRUE(solver_of(strip, none).parts().layout.fine_angles.slope.empty());
}

TEST(WrinkleMaps, say_when_uvs_lie_in_several_tiles) {
    Strip strip;
    const WrinkleSolver solver = solver_of(strip, options_of());
    const Workers one(1);
    EXPECT_EQ(WrinkleMaps(solver, strip.topology, strip.rest, strip.art_of(), 256, 4, one).tiles(), 1);
    strip.art.uv.col(0) *= 2.0;
    EXPECT_EQ(WrinkleMaps(solver, strip.topology, strip.rest, strip.art_of(), 256, 4, one).tiles(), 2);
}

TEST(WrinkleMaps, know_what_is_coarse_and_what_overlaps) {
    Strip strip;
    const WrinkleSolver solver = solver_of(strip, options_of());
    const Workers one(1);
    const WrinkleMaps fine(solver, strip.topology, strip.rest, strip.art_of(), 1024, 4, one);
    EXPECT_NEAR(fine.texels_a_wavelength(), 0.96 / 0.2 * 0.01 * 1024, 3.0);
    EXPECT_EQ(fine.overlap(), 0.0);
    // The left half mirrored onto the right one.
    for (Eigen::Index i = 0; i < strip.art.uv.rows(); ++i) {
        strip.art.uv(i, 0) = 0.5 - std::abs(strip.art.uv(i, 0) - 0.5);
    }
    const WrinkleMaps halves(solver, strip.topology, strip.rest, strip.art_of(), 256, 4, one);
    EXPECT_GT(halves.overlap(), 0.3);
    strip.art.uv_triangles.resize(0, 3);
    expect_error<InvalidInput>([&] { WrinkleMaps(solver, strip.topology, strip.rest, strip.art_of(), 256, 4, one); },
                               {"expected a mesh with UVs"});
}

TEST(WrinkleMaps, borders_beyond_tiny_triangles_are_no_higher_than_the_wrinkles) {
    const Strip strip;
    WrinkleOptions options = options_of();
    const WrinkleSolver solver = solver_of(strip, options);
    const Workers one(1);
    WrinkleHeights wrinkles;  // at the border only
    wrinkles.height = VectorXd::Zero(strip.rest.rows());
    wrinkles.height.tail(Strip::columns + 1).setConstant(1e-3);
    wrinkles.take_up = VectorXd::Constant(strip.rest.rows(), 0.3);
    // A triangle is 1.3 pixels wide, the border 12.
    constexpr int size = 32;
    WrinkleMaps maps(solver, strip.topology, strip.rest, strip.art_of(), size, 12, one);
    std::vector<float> heights;
    maps.paint(strip.rest, wrinkles, one, &heights, nullptr);
    const auto row = [&](int y) {
        double most = 0.0;
        for (int x = 0; x < size; ++x) {
            most = std::max(most, static_cast<double>(std::abs(heights[static_cast<size_t>(y * size + x)])));
        }
        return most;
    };
    constexpr int top = size / 2;  // the strip's last row: 0.6 of the way to its border
    ASSERT_GT(row(top), 1e-4);
    EXPECT_GT(row(top - 8), 0.5 * row(top)) << "the border goes on";
    EXPECT_LT(row(top - 8), 2.5 * row(top)) << "as high as at its end";
}

TEST(WrinkleMaps, normals_are_those_of_the_heights) {
    const Strip strip;
    WrinkleSolver solver = solver_of(strip, options_of(), 0.85);
    const Workers two(2);
    constexpr int size = 1024;
    WrinkleMaps maps(solver, strip.topology, strip.rest, strip.art_of(), size, 4, two);
    WrinkleHeights wrinkles;
    const MatrixX3d posed = strip.scaled(0.8, 1.0);
    solver.advance(posed, -1.0, two, wrinkles);
    std::vector<float> heights;
    std::vector<float> normals;
    maps.paint(posed, wrinkles, two, &heights, &normals);
    // Metres of a texel along u and v in the pose.
    const double step_x = 0.8 * 0.2 / 0.96 / size;
    const double step_y = 0.1 / 0.48 / size;
    double squares = 0.0;
    double slopes = 0.0;
    for (int y = size * 3 / 5; y < size * 9 / 10; ++y) {
        for (int x = size / 4; x < size * 3 / 4; ++x) {
            const auto h = [&](int dx, int dy) {
                return static_cast<double>(heights[static_cast<size_t>((y + dy) * size + x + dx)]);
            };
            const float* n = &normals[3 * static_cast<size_t>(y * size + x)];
            const double by_x = (h(1, 0) - h(-1, 0)) / (2.0 * step_x);
            const double by_y = (h(0, -1) - h(0, 1)) / (2.0 * step_y);
            squares += std::pow(by_x + n[0] / n[2], 2) + std::pow(by_y + n[1] / n[2], 2);
            slopes += by_x * by_x + by_y * by_y;
        }
    }
    ASSERT_GT(slopes, 0.0);
    EXPECT_LT(std::sqrt(squares / slopes), 0.05);
}

}  // namespace
}  // namespace cutis
