// Folds on surfaces whose answer is known: where they lie, which way they run, what they never do.

#include <gtest/gtest.h>

#include <cmath>

#include "fold/sleeve.h"

namespace cutis {
namespace {

using namespace test;

struct Flat {
    Shape shape = planar_grid(24, 24);
    Topology topology{shape.triangles, static_cast<int>(shape.positions.rows())};
};

TEST(FoldSurface, rails_run_along_the_compression_and_are_one_width_long) {
    const Flat flat;
    for (const double degrees : {0.0, 30.0, 100.0}) {
        const double angle = degrees * 3.14159265358979 / 180.0;
        const Vector3d along(std::cos(angle), std::sin(angle), 0.0);
        const Eigen::Matrix3d squeeze =
            Eigen::Matrix3d::Identity() - 0.4 * along * along.transpose();
        FoldFieldOptions options;
        options.look.width = 0.12;
        options.look.irregularity = 0.0;
        const FoldPattern pattern = fold_pattern_from_field(
            flat.topology, flat.shape.positions,
            {flat.shape.positions, flat.shape.positions * squeeze}, options);
        ASSERT_GT(pattern.rails.size(), 20u);
        const size_t per_rail = static_cast<size_t>(pattern.segments) + 1;
        double width = 0.0;
        double half = 0.0;
        int count = 0;
        for (size_t r = 0; r < pattern.rails.size(); ++r) {
            const auto at = [&](size_t i) {
                return position_at(flat.shape.positions, flat.topology.triangles(),
                                   pattern.points[r * per_rail + i]);
            };
            const Vector3d way = at(per_rail - 1) - at(0);
            EXPECT_GT(std::abs(way.normalized().dot(along)), 0.99) << degrees;
            EXPECT_NEAR(way.norm(), 0.12, 0.012) << degrees;
            const Vector3d middle = at(per_rail / 2);
            if (middle.head<2>().minCoeff() > 0.2 && middle.head<2>().maxCoeff() < 0.8) {
                width += way.norm();
                half += (middle - at(0)).norm();
                ++count;
            }
        }
        ASSERT_GT(count, 10);
        EXPECT_NEAR(width / count, 0.12, 0.0012) << degrees;
        EXPECT_NEAR(half / count, 0.06, 0.0006) << degrees;
    }
}

TEST(FoldSurface, the_most_compressed_place_is_a_valley) {
    const Flat flat;
    // Squeezed to 0.5 half way, to 0.8 at both sides.
    MatrixX3d pose = flat.shape.positions;
    const double turn = 2.0 * 3.14159265358979;
    for (int v = 0; v < pose.rows(); ++v) {
        const double x = pose(v, 0);
        pose(v, 0) = 0.65 * x + 0.15 * std::sin(turn * x) / turn;  // slope 0.65 + 0.15 cos
    }
    FoldFieldOptions options;
    options.look.width = 0.12;
    options.look.irregularity = 0.0;
    const FoldPattern pattern =
        fold_pattern_from_field(flat.topology, flat.shape.positions, {pose}, options);
    const size_t per_rail = static_cast<size_t>(pattern.segments) + 1;
    double nearest = 1.0;
    for (size_t r = 0; r < pattern.rails.size(); ++r) {
        for (const size_t i : {size_t{0}, per_rail - 1}) {
            const Vector3d end = position_at(flat.shape.positions, flat.topology.triangles(),
                                             pattern.points[r * per_rail + i]);
            nearest = std::min(nearest, std::abs(end.x() - 0.5));
        }
    }
    EXPECT_LT(nearest, 0.025);  // folds of 0.12 whose crest lay there would begin 0.06 away
}

TEST(FoldSurface, directions_turn_with_their_bones_wherever_those_go) {
    const Sleeve sleeve;
    const Eigen::Affine3d motion = Eigen::Translation3d(3.0, -5.0, 2.0) *
                                   Eigen::AngleAxisd(1.3, Vector3d(1, 2, -1).normalized());
    MatrixX3d turned;
    turn_normals(sleeve.normals, sleeve.weights, {motion, motion, motion}, Workers(1), turned);
    EXPECT_LT((turned - sleeve.normals * motion.linear().transpose()).cwiseAbs().maxCoeff(), 1e-12);
}

TEST(FoldSurface, cloth_that_shrinks_less_than_the_activity_asks_does_not_fold) {
    const Flat flat;
    FoldFieldOptions options;
    options.look.width = 0.12;
    for (const auto& [scale, folds] : {std::pair{0.84, true}, {0.86, false}}) {
        MatrixX3d pose = flat.shape.positions;
        pose.col(0) *= scale;
        const FoldPattern pattern =
            fold_pattern_from_field(flat.topology, flat.shape.positions, {pose}, options);
        EXPECT_EQ(!pattern.empty(), folds) << scale;
    }
    // The same both ways: no direction prevails.
    const FoldPattern both = fold_pattern_from_field(
        flat.topology, flat.shape.positions, {MatrixX3d(0.7 * flat.shape.positions)}, options);
    EXPECT_TRUE(both.empty());
}

/// A curve along the middle row of the unit square, 5/6 long.
FoldCurve middle_row(const Flat& flat) {
    std::vector<int> chain;
    for (int i = 2; i <= 22; ++i) {
        int best = 0;
        (flat.shape.positions.rowwise() - Eigen::RowVector3d(i / 24.0, 0.5, 0.0))
            .rowwise()
            .norm()
            .minCoeff(&best);
        chain.push_back(best);
    }
    return fold_curve_from_chain(flat.topology, chain);
}

TEST(FoldSurface, a_curve_is_cut_into_equal_widths_on_each_side_of_its_centre) {
    const Flat flat;
    FoldCurve curve = middle_row(flat);
    curve.centre = 0.35;
    FoldCurveOptions options;
    options.look.width = 0.3;
    options.look.pre_stretch = 0.02;
    options.look.taper = 0.5;
    options.look.rail_spacing = 0.2;
    options.reach = 0.2;
    const FoldPattern pattern =
        fold_pattern_from_curves(flat.topology, flat.shape.positions, {curve}, options);
    // 0.35 is nearest to one fold of 0.3, the other 0.4833 to two.
    const double narrow = 0.5 * (5.0 / 6.0 - 0.35);
    ASSERT_EQ(pattern.folds.size(), 3u);
    EXPECT_NEAR(pattern.folds[0].width, 0.35, 1e-9);
    EXPECT_NEAR(pattern.folds[1].width, narrow, 1e-9);
    EXPECT_NEAR(pattern.folds[2].width, narrow, 1e-9);
    // Rails 0.06 apart as far as 0.2: three to each side, and one on the curve.
    ASSERT_EQ(pattern.rails.size(), 21u);
    const size_t per_rail = static_cast<size_t>(pattern.segments) + 1;
    for (size_t r = 0; r < 21; ++r) {
        const int column = static_cast<int>(r % 7) - 3;
        const auto at = [&](size_t i) {
            return position_at(flat.shape.positions, flat.topology.triangles(),
                               pattern.points[r * per_rail + i]);
        };
        // Normal cross tangent: to the left.
        EXPECT_NEAR(at(0).y(), 0.5 + 0.06 * column, 1e-9) << r;
        EXPECT_NEAR(at(per_rail - 1).x() - at(0).x(), r < 7 ? 0.35 : narrow, 1e-9);
        EXPECT_EQ(pattern.rails[r].is_joined, column < 3);
        EXPECT_NEAR(pattern.rails[r].pre_stretch, 0.02, 1e-12);
        // Ends run out over half a width.
        const double t = std::min(1.0, (4.0 - std::abs(column)) * 0.06 / 0.15);
        EXPECT_NEAR(pattern.rails[r].share, t * t * (3.0 - 2.0 * t), 1e-9) << r;
        // A valley lies at the centre: the folds beside it are a pair.
        EXPECT_EQ(pattern.rails[r].partner, r < 7 ? static_cast<int>(r) + 7 : -1) << r;
    }
}

TEST(FoldSurface, turning_the_whole_skeleton_changes_no_curve) {
    const Sleeve sleeve;
    const std::vector<FoldPose> poses = {sleeve.pose(20.0), sleeve.pose(60.0)};
    std::vector<FoldPose> turned = poses;
    const Eigen::Affine3d turn = Eigen::Translation3d(3.0, -1.0, 2.0) *
                                 Eigen::AngleAxisd(2.2, Vector3d(1, -1, 0.3).normalized());
    for (FoldPose& pose : turned) {
        for (Eigen::Affine3d& matrix : pose.matrices) {
            matrix = turn * matrix;
        }
        pose.positions =
            (pose.positions * turn.linear().transpose()).rowwise() + turn.translation().transpose();
    }
    std::vector<std::string> notes;
    const auto found = [&](const std::vector<FoldPose>& clip) {
        return find_joint_curves(sleeve.topology, sleeve.shape.positions, sleeve.joints, clip, {},
                                 0.05, notes);
    };
    const std::vector<FoldCurve> one = found(poses);
    const std::vector<FoldCurve> other = found(turned);
    ASSERT_EQ(one.size(), 1u);
    ASSERT_EQ(other.size(), 1u);
    ASSERT_EQ(one[0].pieces.size(), other[0].pieces.size());
    EXPECT_NEAR(one[0].centre, other[0].centre, 1e-9);
    for (size_t i = 0; i < one[0].pieces.size(); ++i) {
        EXPECT_EQ(one[0].pieces[i].triangle, other[0].pieces[i].triangle);
        EXPECT_LT((one[0].pieces[i].from - other[0].pieces[i].from).norm(), 1e-9);
    }
}

TEST(FoldSurface, with_every_pose_a_joint_that_bends_both_ways_has_a_curve_on_both_sides) {
    const Sleeve sleeve;
    const std::vector<FoldPose> both = {sleeve.pose(60.0), sleeve.pose(-50.0), sleeve.pose(40.0)};
    FoldJointOptions options;
    std::vector<std::string> notes;
    const auto sides = [&] {
        std::vector<double> x;
        for (const FoldCurve& curve :
             find_joint_curves(sleeve.topology, sleeve.shape.positions, sleeve.joints, both,
                               options, 0.05, notes)) {
            const FoldCurve::Piece& piece = curve.pieces[curve.pieces.size() / 2];
            SurfacePoint point;
            point.triangle = piece.triangle;
            point.barycentric = piece.from;
            x.push_back(
                position_at(sleeve.shape.positions, sleeve.topology.triangles(), point).x());
        }
        return x;
    };
    const std::vector<double> largest = sides();
    ASSERT_EQ(largest.size(), 1u);
    EXPECT_NEAR(largest[0], 0.08, 1e-3);  // the side of the largest swing alone
    options.use_all_poses = true;
    const std::vector<double> all = sides();
    // The third pose bends as the first: no room for its curve.
    ASSERT_EQ(all.size(), 2u);
    EXPECT_NEAR(all[0], 0.08, 1e-3);
    EXPECT_NEAR(all[1], -0.08, 1e-3);
}

TEST(FoldSurface, the_plane_of_a_joint_bisects_its_bones) {
    const Sleeve sleeve;
    const FoldPlane plane = joint_plane(sleeve.joints, 1, sleeve.bones(70.0));
    EXPECT_LT((plane.point - Vector3d(0, 0, 0.5)).norm(), 1e-12);
    // Bones point to (0, 0, -1) and to (sin 70, 0, cos 70).
    const double a = 70.0 * 3.14159265358979 / 180.0;
    const Vector3d expected = Vector3d(std::sin(a), 0.0, std::cos(a)) - Vector3d(0, 0, -1);
    EXPECT_LT((plane.normal.normalized() - expected.normalized()).norm(), 1e-9);
}

TEST(FoldSurface, the_guard_keeps_every_triangle_facing_the_way_it_was_skinned) {
    const Sleeve sleeve;
    for (const bool has_guard : {false, true}) {
        FoldOptions options;
        options.guard = has_guard;
        FoldSolver solver(sleeve.topology, sleeve.shape.positions, sleeve.field(0.03), options);
        MatrixX3d base;
        const MatrixX3d folded = sleeve.folded(solver, 75.0, Workers(1), &base);
        double least = 1.0;
        for (int f = 0; f < solver.topology().triangle_count(); ++f) {
            const auto normal = [&](const MatrixX3d& p) {
                const auto t = solver.topology().triangles().row(f);
                const Vector3d a = p.row(t[0]);
                return Vector3d((p.row(t[1]).transpose() - a).cross(p.row(t[2]).transpose() - a));
            };
            const Vector3d n = normal(base);
            least = std::min(least, normal(folded).dot(n) / n.squaredNorm());
        }
        if (has_guard) {
            EXPECT_GE(least, 0.02 - 1e-9);
            EXPECT_GT(solver.held_vertex_count(), 0);
        } else {
            EXPECT_LT(least, 0.0);  // counter-proof
        }
    }
}

TEST(FoldSurface, the_far_side_of_a_flat_sleeve_is_not_folded_with_the_near_one) {
    Shape shape = open_cylinder(48, 60, 0.1, 1.0);
    shape.positions.col(1) *= 0.05;  // 1 cm thick, 20 cm wide
    const Topology topology(shape.triangles, static_cast<int>(shape.positions.rows()));
    std::vector<int> chain;
    for (int i = 10; i <= 50; ++i) {
        int best = 0;
        (shape.positions.rowwise() - Eigen::RowVector3d(0.0, 0.005, i / 60.0))
            .rowwise()
            .norm()
            .minCoeff(&best);
        chain.push_back(best);
    }
    FoldCurveOptions curve;
    curve.look.width = 0.1;
    curve.look.pre_stretch = 0.0;
    curve.reach = 0.05;
    const FoldPattern pattern = fold_pattern_from_curves(
        topology, shape.positions, {fold_curve_from_chain(topology, chain)}, curve);
    FoldOptions options;
    options.refine = false;
    FoldSolver solver(topology, shape.positions, pattern, options);
    MatrixX3d pose = shape.positions;
    pose.col(2) *= 0.7;
    const MatrixX3d normals = vertex_normals(shape.positions, topology);
    MatrixX3d folded;
    solver.refine(pose, Workers(1), folded);
    const MatrixX3d base = folded;
    solver.fold(normals, {}, Workers(1), folded);
    double near = 0.0;
    double far = 0.0;
    for (int v = 0; v < folded.rows(); ++v) {
        const double moved = (folded.row(v) - base.row(v)).norm();
        (solver.rest()(v, 1) > 1e-4 ? near : far) =
            std::max(solver.rest()(v, 1) > 1e-4 ? near : far, moved);
    }
    EXPECT_GT(near, 0.02);
    EXPECT_EQ(far, 0.0);
}

TEST(FoldSurface, cloth_on_a_shrinking_arch_never_dips_below_it) {
    // Lines bent outwards: moving points along the fold would take its feet below the surface.
    const Flat flat;
    VectorXd field = flat.shape.positions.col(0);
    FoldFieldOptions look;
    look.look.width = 0.25;
    look.look.irregularity = 0.0;
    look.look.pre_stretch = 0.0;
    const FoldPattern pattern =
        fold_pattern_from_paint(flat.topology, flat.shape.positions, field, look);
    ASSERT_FALSE(pattern.empty());
    for (const FoldMode mode : {FoldMode::gate, FoldMode::strict}) {
        FoldOptions options;
        options.rails.mode = mode;
        options.rails.tolerance.length = 1e-10;
        FoldSolver solver(flat.topology, flat.shape.positions, pattern, options);
        // A half circle of radius 0.2: 0.63 m instead of 1.
        const double radius = 0.2;
        MatrixX3d pose = flat.shape.positions;
        MatrixX3d directions(pose.rows(), 3);
        for (int v = 0; v < pose.rows(); ++v) {
            const double angle = 3.14159265358979 * pose(v, 0);
            pose.row(v) << -radius * std::cos(angle), flat.shape.positions(v, 1),
                radius * std::sin(angle);
            directions.row(v) << -std::cos(angle), 0.0, std::sin(angle);
        }
        MatrixX3d folded;
        solver.refine(pose, Workers(1), folded);
        const MatrixX3d base = folded;
        solver.fold(directions, {}, Workers(1), folded);
        double highest = 0.0;
        double deepest = 0.0;
        for (int v = 0; v < folded.rows(); ++v) {
            const Vector3d up = Vector3d(base(v, 0), 0.0, base(v, 2)).normalized();
            const double rise = (folded.row(v) - base.row(v)).dot(up);
            highest = std::max(highest, rise);
            deepest = std::min(deepest, rise);
        }
        EXPECT_GT(highest, 0.03);
        EXPECT_GT(deepest, -1e-3 * highest);
    }
}

TEST(FoldSurface, between_rails_that_lean_apart_cloth_is_laid_on_the_surface) {
    // High folds lean one way, low ones the other: what is interpolated between them would point
    // into the body where the low ones have more weight.
    const Flat flat;
    FoldFieldOptions look;
    look.look.width = 0.25;
    look.look.irregularity = 0.0;
    look.look.pre_stretch = 0.0;
    look.look.taper = 0.0;
    const FoldPattern pattern = fold_pattern_from_paint(
        flat.topology, flat.shape.positions, VectorXd(flat.shape.positions.col(0)), look);
    FoldOptions options;
    options.rails.mode = FoldMode::strict;
    FoldSolver solver(flat.topology, flat.shape.positions, pattern, options);
    MatrixX3d pose = flat.shape.positions;
    MatrixX3d directions(pose.rows(), 3);
    for (int v = 0; v < pose.rows(); ++v) {
        const bool is_low = pose(v, 1) > 0.5;
        pose(v, 0) *= is_low ? 0.99 : 0.5;
        directions.row(v) << 0.0, is_low ? -4.0 : 4.0, 1.0;
    }
    directions.rowwise().normalize();
    MatrixX3d folded;
    solver.refine(pose, Workers(1), folded);
    const MatrixX3d base = folded;
    solver.fold(directions, {}, Workers(1), folded);
    VectorXd height;
    VectorXd compression;
    MatrixX3d sides;
    solver.fill_channels(height, compression, sides);
    double highest = 0.0;
    for (int v = 0; v < folded.rows(); ++v) {
        const double rise = (folded.row(v) - base.row(v)).dot(sides.row(v));
        highest = std::max(highest, rise);
        EXPECT_GT(rise, -1e-9) << v;
    }
    EXPECT_GT(highest, 0.05);
}

TEST(FoldSurface, channels_say_how_high_and_how_compressed) {
    const Flat flat;
    FoldFieldOptions look;
    look.look.width = 0.25;
    look.look.irregularity = 0.0;
    look.look.pre_stretch = 0.0;
    look.look.taper = 0.0;
    const FoldPattern pattern = fold_pattern_from_paint(
        flat.topology, flat.shape.positions, VectorXd(flat.shape.positions.col(0)), look);
    FoldSolver solver(flat.topology, flat.shape.positions, pattern, {});
    MatrixX3d pose = flat.shape.positions;
    pose.col(0) *= 0.7;
    MatrixX3d folded;
    solver.refine(pose, Workers(1), folded);
    const MatrixX3d base = folded;
    solver.fold(Eigen::RowVector3d(0, 0, 1).replicate(pose.rows(), 1), {}, Workers(1), folded);
    VectorXd height;
    VectorXd compression;
    MatrixX3d direction;
    solver.fill_channels(height, compression, direction);
    int inside = 0;
    for (int v = 0; v < folded.rows(); ++v) {
        EXPECT_NEAR(height[v], folded(v, 2) - base(v, 2), 1e-6);
        const bool is_inside = solver.rest()(v, 1) > 0.2 && solver.rest()(v, 1) < 0.8 &&
                               solver.rest()(v, 0) > 0.27 && solver.rest()(v, 0) < 0.73;
        if (is_inside) {
            ++inside;
            EXPECT_NEAR(compression[v], 0.3, 1e-3);
            EXPECT_NEAR(direction(v, 2), 1.0, 1e-6);
        }
    }
    EXPECT_GT(inside, 50);
}

}  // namespace
}  // namespace cutis
