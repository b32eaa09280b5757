// Every term of a shell's motion against its formula, on a flat slab whose shell follows exactly.

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>

#include "cutis/mesh/geometry.h"
#include "shell/oscillator.h"
#include "shell/shell.h"
#include "support/shapes.h"

namespace cutis {
namespace {

constexpr double pi = 3.14159265358979323846;
constexpr double thickness = 0.2;
constexpr double step = 1.0 / 60.0;

/// A slab of 0.2 m over the unit square with points all through it, one piece each.
struct Slab {
    test::Shape shape = test::planar_grid(4, 4);
    Topology topology{shape.triangles, static_cast<int>(shape.positions.rows())};
    PrismShell prisms;
    PlacedDetail detail;

    explicit Slab(bool is_one_piece = false) : prisms(topology, shape.positions, lifted()) {
        test::Random random(7);
        for (int i = 0; i < 120; ++i) {
            ShellPoint point;
            point.triangle = random.below(topology.triangle_count());
            const double a = random.uniform(0.0, 1.0);
            const double b = random.uniform(0.0, 1.0 - a);
            point.barycentric = Vector3d(a, b, 1.0 - a - b);
            point.height = random.uniform(0.05, 1.0);
            detail.points.push_back(point);
            detail.piece.push_back(is_one_piece ? 0 : i);
        }
        detail.piece_count = is_one_piece ? 1 : 120;
    }
    MatrixX3d lifted() const { return shape.positions.rowwise() + Eigen::RowVector3d(0, 0, thickness); }
    int count() const { return static_cast<int>(detail.points.size()); }
    double height(int v) const { return detail.points[v].height; }
};

VibrationOptions plain() {
    VibrationOptions options;
    options.precision = Precision::full;
    options.limiter = Limiter::none;
    options.material = {3.0, 0.15};
    options.spanning = 1e6;
    return options;
}

/// Distance of every vertex from its goal after the base, at rest before, has gone on for `steps`
/// steps at a velocity. All that drives it is one change of velocity.
MatrixX3d distances_after(const Slab& slab, const ShellOptions& options, const Vector3d& velocity, int steps,
                          const Eigen::Matrix3d& turn = Eigen::Matrix3d::Identity()) {
    Shell shell(slab.prisms, slab.detail, options);
    const Workers workers(1);
    MatrixX3d base = slab.shape.positions * turn.transpose();
    shell.advance({&base, 0.0, true}, workers);
    shell.advance({&base, step}, workers);
    for (int i = 1; i <= steps; ++i) {
        const MatrixX3d now = base.rowwise() + (i * step * velocity).transpose();
        shell.advance({&now, step}, workers);
    }
    MatrixX3d out(slab.count(), 3);
    VectorXd amplitudes;
    shell.write_amplitudes(amplitudes);
    for (int v = 0; v < slab.count(); ++v) {
        out.row(v) = (shell.position(v) - shell.goal(slab.detail.points[v])).transpose();
        if (options.vibration.limiter != Limiter::soft) {
            EXPECT_NEAR(amplitudes[v], out.row(v).norm(), 1e-12);
        }
    }
    return out;
}

MatrixX3d distances_after(const Slab& slab, const VibrationOptions& vibration, const Vector3d& velocity, int steps) {
    ShellOptions options;
    options.vibration = vibration;
    return distances_after(slab, options, velocity, steps);
}

/// y and w of a vertex kicked by -kick, after some exact steps.
double swing(const Oscillation& material, double kick, int steps) {
    const auto s = exact_step(material, step);
    double y = 0.0;
    double w = -kick;
    for (int i = 0; i < steps; ++i) {
        const double next = s.a * y + s.b * w;
        w = s.c * y + s.d * w;
        y = next;
    }
    return y;
}

TEST(ShellTerms, a_kick_is_shown_by_gain_times_height_in_all_three_tetrahedra_of_a_prism) {
    const Slab slab;
    int tets[3] = {0, 0, 0};
    for (const ShellPoint& point : slab.detail.points) {
        ++tets[slab.prisms.place(point).tet % 3];
    }
    ASSERT_GT(std::min({tets[0], tets[1], tets[2]}), 10);
    const Vector3d velocity(0.3, -0.1, 0.2);
    for (const bool by_height : {true, false}) {
        VibrationOptions options = plain();
        options.gain = 1.7;
        options.weight_by_height = by_height;
        const MatrixX3d y = distances_after(slab, options, velocity, 3);
        const double one = swing(options.material, 1.0, 3);
        for (int v = 0; v < slab.count(); ++v) {
            const double share = 1.7 * (by_height ? slab.height(v) : 1.0);
            EXPECT_LT((y.row(v).transpose() - share * one * velocity).norm(), 1e-12) << v;
        }
    }
}

TEST(ShellTerms, damping_against_the_room_rests_behind_by_its_lag) {
    const Slab slab;
    VibrationOptions options = plain();
    options.material = {3.0, 0.4};
    options.damping_against = DampingAgainst::room;
    const Vector3d velocity(0.3, -0.1, 0.05);
    const MatrixX3d y = distances_after(slab, options, velocity, 400);
    // 2 xi v / omega
    const double lag = 2.0 * 0.4 / (2.0 * pi * 3.0);
    for (int v = 0; v < slab.count(); ++v) {
        EXPECT_LT((y.row(v).transpose() + lag * slab.height(v) * velocity).norm(), 1e-9) << v;
    }
    // Right after the start: released from lag behind, still at the goal.
    const MatrixX3d first = distances_after(slab, options, velocity, 1);
    const auto s = exact_step(options.material, step);
    for (int v = 0; v < slab.count(); ++v) {
        const double share = slab.height(v);
        const double from = lag * share;
        EXPECT_NEAR(first(v, 0), (s.a * from - s.b * share - from) * 0.3, 1e-12);
    }
}

TEST(ShellTerms, every_axis_lags_behind_the_room_by_its_own_damping) {
    const Slab slab;
    ShellOptions options;
    options.axis = Vector3d::UnitX();
    options.vibration = plain();
    options.vibration.damping_against = DampingAgainst::room;
    options.vibration.use_axes = true;
    options.vibration.axes = {Oscillation{2.0, 0.3}, Oscillation{5.0, 0.4}, Oscillation{4.0, 0.7}};
    const Vector3d velocity(0.3, -0.1, 0.2);
    const MatrixX3d y = distances_after(slab, options, velocity, 600);
    for (int v = 0; v < slab.count(); ++v) {
        for (int k = 0; k < 3; ++k) {
            const Oscillation& own = options.vibration.axes[k];
            const double lag = 2.0 * own.damping / (2.0 * pi * own.frequency_hz);
            EXPECT_NEAR(y(v, k), -lag * slab.height(v) * velocity[k], 1e-9) << v << ' ' << k;
        }
    }
}

TEST(ShellTerms, scattered_pieces_head_along_the_axis_give_or_take_their_turn) {
    const test::Shape grid = test::planar_grid(10, 10);
    const Topology topology(grid.triangles, static_cast<int>(grid.positions.rows()));
    const PrismShell prisms(topology, grid.positions, grid.positions.rowwise() + Eigen::RowVector3d(0, 0, 0.1));
    ArtMesh tile;
    tile.positions = MatrixX3d::Constant(3, 3, 0.5);
    tile.positions.row(1) << 0.6, 0.5, 0.5;
    tile.positions.row(2) << 0.5, 0.6, 0.5;
    tile.triangles.resize(1, 3);
    tile.triangles << 0, 1, 2;
    ScatterOptions options;
    options.size = 0.06;
    options.axis = Vector3d(1.0, 1.0, 3.0);  // as far as the surface lets them
    options.turn_deg = 20.0;
    const PlacedDetail detail = scatter_detail(prisms, tile, options, Workers(1));
    ASSERT_GT(detail.anchors.size(), 50u);
    double least = 180.0;
    double most = -180.0;
    for (const PieceAnchor& anchor : detail.anchors) {
        EXPECT_NEAR(anchor.heading.norm(), 1.0, 1e-12);
        const double degrees = std::atan2(anchor.heading.y(), anchor.heading.x()) * 180.0 / pi - 45.0;
        least = std::min(least, degrees);
        most = std::max(most, degrees);
        EXPECT_DOUBLE_EQ(anchor.size, 0.06);
    }
    EXPECT_GE(least, -20.0 - 1e-6);
    EXPECT_LE(most, 20.0 + 1e-6);
    EXPECT_LT(least, -10.0);
    EXPECT_GT(most, 10.0);
}

TEST(ShellTerms, the_base_is_held_by_cotangents_and_by_area_over_the_squared_reach) {
    // Right triangles on a grid of m cells: 1 across inner sides, 1/2 at the border, 0 (cut to
    // 1e-3) across diagonals.
    constexpr int m = 6;
    const test::Shape grid = test::planar_grid(m, m);
    const Topology topology(grid.triangles, static_cast<int>(grid.positions.rows()));
    ArapOptions options;
    options.reach = 0.2;
    const ArapDeformer base(topology, grid.positions, options);
    const double sides = 2.0 * m * (m - 1) + 0.5 * 4 * m + 1e-3 * m * m;
    const double vertices = (m + 1) * (m + 1);
    EXPECT_NEAR(base.mean_diagonal(), 2.0 * sides / vertices + 1.0 / vertices / (0.2 * 0.2), 1e-9);
}

TEST(ShellTerms, axes_of_the_surface_have_their_own_material_and_turn_with_it) {
    const Slab slab;
    ShellOptions options;
    options.vibration = plain();
    options.vibration.use_axes = true;
    options.vibration.axes = {Oscillation{2.0, 0.05}, Oscillation{5.0, 0.4}, Oscillation{9.0, 1.2}};
    const Vector3d velocity(0.3, -0.1, 0.2);
    const Vector3d painted = Vector3d(std::cos(0.5), std::sin(0.5), 0.7);  // as far as in the plane
    for (const bool is_painted : {false, true}) {
        options.axis = Vector3d(0, 1, 0.4);
        options.axes.resize(is_painted ? slab.topology.triangle_count() : 0, 3);
        if (is_painted) {
            options.axes = painted.transpose().replicate(slab.topology.triangle_count(), 1);
        }
        const Vector3d first = is_painted ? Vector3d(std::cos(0.5), std::sin(0.5), 0.0) : Vector3d(0, 1, 0);
        for (const double degrees : {0.0, 35.0}) {
            const Eigen::Matrix3d turn =
                Eigen::AngleAxisd(degrees * pi / 180.0, Vector3d(1, 2, 2) / 3.0).toRotationMatrix();
            const Vector3d axes[3] = {turn * first, turn * Vector3d::UnitZ().cross(first), turn * Vector3d::UnitZ()};
            const MatrixX3d y = distances_after(slab, options, velocity, 3, turn);
            for (int v = 0; v < slab.count(); ++v) {
                Vector3d expected = Vector3d::Zero();
                for (size_t a = 0; a < 3; ++a) {
                    expected += slab.height(v) * swing(options.vibration.axes[a], axes[a].dot(velocity), 3) * axes[a];
                }
                EXPECT_LT((y.row(v).transpose() - expected).norm(), 1e-10) << v;
            }
        }
    }
}

TEST(ShellTerms, painted_frequency_and_damping_are_factors_on_the_material) {
    const Slab slab;
    const Vector3d velocity(0.3, -0.1, 0.2);
    for (const bool use_axes : {false, true}) {
        VibrationOptions options = plain();
        options.use_axes = use_axes;
        options.axes = {Oscillation{2.0, 0.05}, Oscillation{5.0, 0.4}, Oscillation{9.0, 0.6}};
        for (int v = 0; v < slab.count(); ++v) {
            options.frequency_factor.push_back(0.5 + 0.02 * v);
            options.damping_factor.push_back(0.01 * v);
        }
        ShellOptions all;
        all.vibration = options;
        all.axis = Vector3d::UnitX();
        const MatrixX3d y = distances_after(slab, all, velocity, 4);
        for (int v = 0; v < slab.count(); ++v) {
            for (int k = 0; k < 3; ++k) {
                Oscillation own = use_axes ? options.axes[k] : options.material;
                own.frequency_hz *= 0.5 + 0.02 * v;
                own.damping *= 0.01 * v;
                EXPECT_NEAR(y(v, k), slab.height(v) * swing(own, velocity[k], 4), 1e-10) << v;
            }
        }
    }
}

TEST(ShellTerms, limiters_hold_vertices_or_pieces_to_their_share_of_the_thickness) {
    const Vector3d velocity(6.0, -2.0, 4.0);
    const Slab apart;
    const MatrixX3d free = distances_after(apart, plain(), velocity, 1);
    const double radius = 0.5 * thickness;
    ASSERT_GT(free.rowwise().norm().maxCoeff(), radius);
    ASSERT_LT(free.rowwise().norm().minCoeff(), 0.5 * radius);
    VibrationOptions options = plain();
    options.limiter = Limiter::vertex;
    const MatrixX3d vertex = distances_after(apart, options, velocity, 1);
    options.limiter = Limiter::soft;
    const MatrixX3d soft = distances_after(apart, options, velocity, 1);
    options.limiter = Limiter::piece;
    const Slab whole(true);
    const MatrixX3d piece = distances_after(whole, options, velocity, 1);
    const double most = free.rowwise().norm().maxCoeff();
    for (int v = 0; v < apart.count(); ++v) {
        const double far = free.row(v).norm();
        EXPECT_LT((vertex.row(v) - free.row(v) * std::min(1.0, radius / far)).norm(), 1e-12);
        EXPECT_LT((soft.row(v) - free.row(v) / std::sqrt(1.0 + far * far / (radius * radius))).norm(), 1e-12);
        EXPECT_LT((piece.row(v) - free.row(v) * radius / most).norm(), 1e-12);
    }
}

TEST(ShellTerms, a_limiter_takes_velocity_with_it_and_the_soft_one_does_not) {
    const Vector3d velocity(6.0, -2.0, 4.0);
    constexpr int steps = 13;  // past the turning point: what was held swings back sooner
    const double radius = 0.5 * thickness;
    const auto s = exact_step(plain().material, step);
    for (const bool is_piece : {false, true}) {
        const Slab slab(is_piece);
        VibrationOptions options = plain();
        options.limiter = is_piece ? Limiter::piece : Limiter::vertex;
        const MatrixX3d held = distances_after(slab, options, velocity, steps);
        double highest = 0.0;
        for (int v = 0; v < slab.count(); ++v) {
            highest = std::max(highest, slab.height(v));
        }
        for (int v = 0; v < slab.count(); ++v) {
            // A piece is held by its highest vertex.
            const double kick = (is_piece ? highest : slab.height(v)) * velocity.norm();
            double y = 0.0;
            double w = -kick;
            for (int i = 0; i < steps; ++i) {
                const double next = s.a * y + s.b * w;
                w = s.c * y + s.d * w;
                y = next;
                const double part = std::min(1.0, radius / std::max(std::abs(y), 1e-300));
                y *= part;
                w *= part;
            }
            y *= is_piece ? slab.height(v) / highest : 1.0;
            EXPECT_LT((held.row(v).transpose() - y * velocity.normalized()).norm(), 1e-12) << v;
        }
    }
    const Slab slab;
    VibrationOptions options = plain();
    options.limiter = Limiter::soft;
    const MatrixX3d soft = distances_after(slab, options, velocity, steps);
    for (int v = 0; v < slab.count(); ++v) {
        const double free = swing(options.material, slab.height(v) * velocity.norm(), steps);
        const double shown = free / std::sqrt(1.0 + free * free / (radius * radius));
        EXPECT_LT((soft.row(v).transpose() - shown * velocity.normalized()).norm(), 1e-12) << v;
    }
}

TEST(ShellTerms, points_that_may_move_but_do_not_swing_as_those_that_may_not) {
    const Slab slab;
    const Vector3d velocity(0.3, -0.1, 0.2);
    for (const DampingAgainst against : {DampingAgainst::goal, DampingAgainst::room}) {
        VibrationOptions options = plain();
        options.damping_against = against;
        const MatrixX3d fixed = distances_after(slab, options, velocity, 5);
        options.has_moving_points = true;
        const MatrixX3d moving = distances_after(slab, options, velocity, 5);
        EXPECT_LT((fixed - moving).cwiseAbs().maxCoeff(), 1e-12);
        EXPECT_GT(fixed.cwiseAbs().maxCoeff(), 1e-3);
    }
}

TEST(ShellTerms, a_place_and_its_tetrahedron_say_the_same) {
    const Slab slab;
    for (const ShellPoint& point : slab.detail.points) {
        const ShellPoint back = slab.prisms.point(slab.prisms.place(point));
        EXPECT_EQ(back.triangle, point.triangle);
        EXPECT_LT((back.barycentric - point.barycentric).norm(), 1e-14);
        EXPECT_NEAR(back.height, point.height, 1e-14);
    }
}

TEST(ShellTerms, stiffness_painted_at_random_leaves_a_slab_that_fits_everywhere_as_it_is) {
    const Slab slab;
    EquilibriumOptions options;
    options.poisson = 0.3;
    test::Random random(3);
    options.stiffness.resize(slab.topology.triangle_count());
    for (double& value : options.stiffness) {
        value = random.uniform(0.1, 10.0);
    }
    ShellEquilibrium equilibrium(slab.prisms, options);
    MatrixX3d base = slab.shape.positions;
    base.col(0) *= 1.3;
    base.col(1) *= 1.1;
    MatrixX3d offset;
    equilibrium.solve(base, Workers(1), offset);
    const double expected = thickness * std::pow(1.43, 0.3 / (0.3 - 1.0));
    EXPECT_LT(((offset - base).col(2).array() - expected).abs().maxCoeff(), 1e-12);
    EXPECT_LT((offset - base).leftCols(2).cwiseAbs().maxCoeff(), 1e-12);
}

TEST(ShellTerms, stiffer_triangles_win_where_neighbours_disagree) {
    // A ridge: the left half flat, the right half tilted. The column on the crease leans to the
    // side that is stiffer.
    const test::Shape grid = test::planar_grid(8, 4);
    const Topology topology(grid.triangles, static_cast<int>(grid.positions.rows()));
    const PrismShell prisms(topology, grid.positions, grid.positions.rowwise() + Eigen::RowVector3d(0, 0, 0.1));
    MatrixX3d bent = grid.positions;
    for (Eigen::Index v = 0; v < bent.rows(); ++v) {
        const double x = std::max(0.0, bent(v, 0) - 0.5);
        bent(v, 0) -= x * (1.0 - std::cos(0.8));
        bent(v, 2) += x * std::sin(0.8);
    }
    const auto lean = [&](double right) {
        EquilibriumOptions options;
        options.poisson = 0.0;
        options.volume_rounds = 0;
        options.stiffness = VectorXd::Ones(topology.triangle_count());
        for (int f = 0; f < topology.triangle_count(); ++f) {
            double x = 0.0;
            for (int k = 0; k < 3; ++k) {
                x += grid.positions(grid.triangles(f, k), 0) / 3.0;
            }
            options.stiffness[f] = x > 0.5 ? right : 1.0;
        }
        ShellEquilibrium equilibrium(prisms, options);
        MatrixX3d offset;
        equilibrium.solve(bent, Workers(1), offset);
        int crease = 0;
        (grid.positions.rowwise() - Eigen::RowVector3d(0.5, 0.5, 0)).rowwise().norm().minCoeff(&crease);
        const Vector3d column = (offset.row(crease) - bent.row(crease)).transpose();
        return std::atan2(-column.x(), column.z());
    };
    // Normals at 0 and at 0.8 rad from upright, towards -x.
    EXPECT_NEAR(lean(1.0), 0.4, 0.03);
    EXPECT_GT(lean(100.0), 0.7);
    EXPECT_LT(lean(0.01), 0.1);
}

TEST(ShellTerms, a_triangle_without_area_pushes_where_a_nearly_flat_one_does) {
    const test::Shape grid = test::planar_grid(4, 4);
    const Topology topology(grid.triangles, static_cast<int>(grid.positions.rows()));
    SafeOffsetOptions height;
    height.height = 0.1;
    const PrismShell prisms = make_shell(topology, grid.positions, height, Workers(1));
    const Eigen::Matrix3d turn = Eigen::AngleAxisd(0.9, Vector3d(1, 1, 0).normalized()).toRotationMatrix();
    const auto solved = [&](double left, int& borrowed) {
        // An inner vertex is drawn to the middle of the side opposite to it in one triangle.
        int inner = 0;
        (grid.positions.rowwise() - Eigen::RowVector3d(0.5, 0.5, 0)).rowwise().norm().minCoeff(&inner);
        const int f = topology.triangles_around(inner)[0];
        Vector3d middle = Vector3d::Zero();
        for (int k = 0; k < 3; ++k) {
            if (grid.triangles(f, k) != inner) {
                middle += 0.5 * grid.positions.row(grid.triangles(f, k)).transpose();
            }
        }
        MatrixX3d base = grid.positions;
        base.row(inner) = left * base.row(inner) + (1.0 - left) * middle.transpose();
        base = (base * turn.transpose()).eval();
        EquilibriumOptions springs_alone;
        springs_alone.volume_rounds = 0;
        ShellEquilibrium equilibrium(prisms, springs_alone);
        MatrixX3d offset;
        equilibrium.solve(base, Workers(1), offset);
        borrowed = equilibrium.borrowed_normals();
        return MatrixX3d((offset - base) * turn);
    };
    int borrowed = 0;
    const MatrixX3d nearly = solved(1e-7, borrowed);
    EXPECT_EQ(borrowed, 0);
    const MatrixX3d flat = solved(0.0, borrowed);
    ASSERT_GT(borrowed, 0);  // the triangle has no area left
    EXPECT_LT((nearly - flat).cwiseAbs().maxCoeff(), 1e-5);
    EXPECT_GT(flat.col(2).minCoeff(), 0.0);
}

TEST(ShellTerms, untangling_never_raises_a_column_and_lays_down_what_has_no_room) {
    // A disc drawn out to a needle: the closer its sides, the less any direction rises above all of
    // them.
    test::Shape fan = test::fan(8);
    const Topology topology(fan.triangles, static_cast<int>(fan.positions.rows()));
    SafeOffsetOptions height;
    height.height = 0.2;
    const PrismShell prisms = make_shell(topology, fan.positions, height, Workers(1));
    ShellUntangler untangler(prisms);
    double before = 1.0;
    for (const double depth : {0.0, 1.0, 5.0, 20.0, 100.0}) {
        MatrixX3d base = fan.positions;
        base(0, 2) -= depth;  // a pit: the column at its bottom looks out between the walls
        MatrixX3d offset = base.rowwise() + Eigen::RowVector3d(0.16, 0.0, 0.12);  // leaning over
        const MatrixX3d given = offset - base;
        untangler.untangle(base, Workers(1), offset);
        const MatrixX3d columns = offset - base;
        for (int v = 0; v < columns.rows(); ++v) {
            EXPECT_LE(columns.row(v).norm(), given.row(v).norm() * (1.0 + 1e-12)) << depth;
        }
        // Along the axis, and lower the steeper the walls: their normals rise by about 1 / depth.
        EXPECT_LE(columns.row(0).norm(), before * (1.0 + 1e-12)) << depth;
        before = columns.row(0).norm();
        if (depth >= 20.0) {
            EXPECT_GT(columns(0, 2), 0.99 * columns.row(0).norm());
        }
    }
    EXPECT_LT(before, 0.05 * 0.2);
}

TEST(ShellTerms, walls_opposite_leave_half_the_gap) {
    const test::Shape floor = test::planar_grid(8, 8);
    test::Shape ceiling = test::planar_grid(8, 8);
    ceiling.positions.col(2).array() += 0.1;
    ceiling.triangles.col(1).swap(ceiling.triangles.col(2));  // looks down
    const test::Shape both = test::joined(floor, ceiling);
    const Topology topology(both.triangles, static_cast<int>(both.positions.rows()));
    SafeOffsetOptions options;
    options.height = 0.08;
    for (const bool keep_off : {false, true}) {
        options.keep_off_walls = keep_off;
        const SafeOffset offset = make_safe_offset(topology, both.positions, options, Workers(1));
        for (int v = 0; v < topology.vertex_count(); ++v) {
            const bool is_inner =
                both.positions.row(v).head<2>().minCoeff() > 0.05 && both.positions.row(v).head<2>().maxCoeff() < 0.95;
            if (is_inner) {
                EXPECT_NEAR(offset.heights[v], keep_off ? 0.05 : 0.08, 1e-12) << v;
            }
        }
    }
}

TEST(ShellTerms, a_safe_offset_keeps_a_quarter_of_what_each_apex_alone_would_give) {
    test::Shape shape = test::icosphere(3);
    for (Eigen::Index v = 0; v < shape.positions.rows(); ++v) {
        const Vector3d p = shape.positions.row(v);
        shape.positions.row(v) *= 1.0 + 0.15 * std::sin(8.0 * p.x()) * std::sin(8.0 * p.y()) * std::sin(8.0 * p.z());
    }
    const Topology topology(shape.triangles, static_cast<int>(shape.positions.rows()));
    SafeOffsetOptions options;
    options.height = 0.4;
    const SafeOffset offset = make_safe_offset(topology, shape.positions, options, Workers(1));
    EXPECT_GT(offset.reduced, 10);
    double tightest = 1e9;
    for (int f = 0; f < topology.triangle_count(); ++f) {
        int v[3] = {shape.triangles(f, 0), shape.triangles(f, 1), shape.triangles(f, 2)};
        const bool is_even = (v[0] < v[1]) == ((v[1] < v[2]) == (v[0] < v[2]));
        std::sort(v, v + 3);
        Vector3d low[3], high[3];
        for (int k = 0; k < 3; ++k) {
            low[k] = shape.positions.row(v[k]);
            high[k] = offset.positions.row(v[k]);
        }
        const auto volume = [&](const Vector3d& a, const Vector3d& b, const Vector3d& c, const Vector3d& d) {
            return (is_even ? 1.0 : -1.0) * (b - a).cross(c - a).dot(d - a);
        };
        // The tetrahedra of the split, beside the same with nothing but their apex raised.
        const double ratios[2] = {volume(low[0], low[1], high[2], high[1]) / volume(low[0], low[1], low[2], high[1]),
                                  volume(low[0], high[1], high[2], high[0]) / volume(low[0], low[1], low[2], high[0])};
        for (int k = 0; k < 2; ++k) {
            EXPECT_GE(ratios[k], 0.25 - 1e-9) << f;
            tightest = std::min(tightest, ratios[k]);
        }
    }
    // Lowered no further than a tenth beyond what is asked for.
    EXPECT_LE(tightest, 0.25 * 1.1 + 0.05);
}

TEST(ShellTerms, a_piece_turned_by_thirty_degrees_lands_turned_by_thirty_degrees) {
    const test::Shape grid = test::planar_grid(10, 10);
    const Topology topology(grid.triangles, static_cast<int>(grid.positions.rows()));
    const PrismShell prisms(topology, grid.positions, grid.positions.rowwise() + Eigen::RowVector3d(0, 0, 0.1));
    ArtMesh tile;
    tile.positions.resize(4, 3);
    tile.positions << 0.1, 0.2, 0.3, 0.9, 0.3, 0.5, 0.6, 1.0, 1.0, 0.5, 0.5, 0.0;
    tile.triangles.resize(2, 3);
    tile.triangles << 0, 1, 2, 0, 2, 3;
    const PieceWalker walker(prisms, tile, 0.8, Workers(1));
    for (const double degrees : {0.0, 30.0, 200.0}) {
        const double a = degrees * pi / 180.0;
        PieceAnchor anchor;
        anchor.point = {57, Vector3d(0.2, 0.5, 0.3)};
        anchor.heading = Vector3d(-std::sin(a), std::cos(a), 0.0);
        anchor.size = 0.3;
        std::vector<ShellPoint> points(4);
        EXPECT_EQ(walker.place({&anchor, 1}, Workers(1), points), 0);
        const Vector3d at = position_at(grid.positions, grid.triangles, anchor.point);
        for (int i = 0; i < 4; ++i) {
            const ShellPoint& point = points[i];
            const Vector3d found =
                position_at(grid.positions, grid.triangles, SurfacePoint{point.triangle, point.barycentric});
            // v along the heading, u to its right.
            const double u = 0.3 * (tile.positions(i, 0) - 0.5);
            const double v = 0.3 * (tile.positions(i, 1) - 0.5);
            const Vector3d expected = at + u * Vector3d(std::cos(a), std::sin(a), 0.0) + v * anchor.heading;
            EXPECT_LT((found - expected).norm(), 1e-12) << degrees << ' ' << i;
            EXPECT_NEAR(point.height, 0.8 * tile.positions(i, 2), 1e-15);
        }
    }
}

TEST(ShellTerms, a_base_pulled_by_a_rigid_motion_follows_it_rigidly) {
    const test::Shape shape = test::icosphere(1);
    const Topology topology(shape.triangles, static_cast<int>(shape.positions.rows()));
    ArapOptions options;
    options.reach = std::numeric_limits<double>::infinity();
    options.pinned = {0};
    options.rounds = 400;
    ArapDeformer base(topology, shape.positions, options);
    const Eigen::Matrix3d turn = Eigen::AngleAxisd(0.7, Vector3d(1, -2, 0.5).normalized()).toRotationMatrix();
    const Vector3d centre = shape.positions.row(0);
    const auto moved = [&](int v) { return Vector3d(turn * (shape.positions.row(v).transpose() - centre) + centre); };
    std::vector<SpringRow> rows;
    MatrixX3d targets(4, 3);
    for (int i = 0; i < 4; ++i) {
        SpringRow row;
        row.indices = {9 * i + 5, 0};  // half of it on the pinned vertex
        row.weights = {0.5, 0.5};
        row.stiffness = 100.0 * base.mean_diagonal();
        rows.push_back(row);
        targets.row(i) = (0.5 * moved(9 * i + 5) + 0.5 * centre).transpose();
    }
    base.set_springs(rows);
    MatrixX3d x = shape.positions;
    base.deform(shape.positions, targets, Workers(1), x);
    for (int v = 0; v < topology.vertex_count(); ++v) {
        EXPECT_LT((x.row(v).transpose() - moved(v)).norm(), 1e-6) << v;
    }
}

TEST(ShellTerms, detail_rides_on_skin_by_as_much_as_the_skin_went) {
    const Slab slab;
    ShellOptions options;
    options.vibration = plain();
    // Halfway on a step the base stretches along x: goals are where the stretched slab has them.
    options.equilibrium.poisson = 0.0;
    Shell shell(slab.prisms, slab.detail, options);
    MatrixX3d base = slab.shape.positions;
    shell.advance({&base, 0.0, true}, Workers(1));
    base.col(0) *= 1.5;
    shell.advance({&base, step}, Workers(1));
    for (int v = 0; v < slab.count(); ++v) {
        const ShellPoint& point = slab.detail.points[v];
        const Vector3d on_base =
            position_at(base, slab.topology.triangles(), SurfacePoint{point.triangle, point.barycentric});
        EXPECT_LT((shell.goal(point) - on_base - Vector3d(0, 0, thickness * point.height)).norm(), 1e-12);
    }
    VectorXd ratios;
    shell.write_volume_ratios(ratios);
    EXPECT_LT((ratios.array() - 1.5).abs().maxCoeff(), 1e-12);
}

}  // namespace
}  // namespace cutis
