#include "shell/shell.h"

#include <array>
#include <cstring>

#include "cutis/core/error.h"
#include "cutis/mesh/geometry.h"
#include "shell/pieces.h"
#include "support/allocations.h"
#include "support/expect_error.h"
#include "support/shapes.h"

namespace cutis {
namespace {

using test::expect_error;

struct Torus {
    test::Shape shape = test::torus_grid(30, 20);
    Topology topology{shape.triangles, static_cast<int>(shape.positions.rows())};

    PrismShell shell(double height = 0.03) const {
        SafeOffsetOptions options;
        options.height = height;
        return make_shell(topology, shape.positions, options, Workers(1));
    }
    MatrixX3d posed(double time) const {
        MatrixX3d out = shape.positions;
        for (Eigen::Index v = 0; v < out.rows(); ++v) {
            out(v, 2) += 0.05 * std::sin(7.0 * time + 3.0 * out(v, 0));
            out(v, 0) *= 1.0 + 0.1 * std::sin(5.0 * time);
        }
        return out;
    }
};

PlacedDetail scattered(const PrismShell& shell, const char* name = "spike") {
    ScatterOptions options;
    options.size = 0.06;
    return scatter_detail(shell, make_detail(name), options, Workers(1));
}

MatrixX3d run(const Torus& torus, const ShellOptions& options, int threads, int steps = 12) {
    const Workers workers(threads);
    PrismShell prisms = torus.shell();
    PlacedDetail detail = scattered(prisms);
    Shell shell(std::move(prisms), std::move(detail), options);
    for (int i = 0; i <= steps; ++i) {
        const MatrixX3d base = torus.posed(i / 30.0);
        shell.advance({&base, 1.0 / 30.0, i == 0}, workers);
    }
    MatrixX3d out;
    shell.write_positions(out);
    return out;
}

bool same_bits(const MatrixX3d& a, const MatrixX3d& b) {
    return a.rows() == b.rows() && std::memcmp(a.data(), b.data(), static_cast<size_t>(a.size()) * sizeof(double)) == 0;
}

std::vector<ShellOptions> several_kinds() {
    std::vector<ShellOptions> kinds(5);
    kinds[1].vibration.limiter = Limiter::soft;
    kinds[1].vibration.precision = Precision::full;
    kinds[2].vibration.use_axes = true;
    kinds[2].vibration.axes = {Oscillation{3, 0.1}, Oscillation{6, 0.2}, Oscillation{9, 0.3}};
    kinds[3].vibration.damping_against = DampingAgainst::room;
    kinds[3].vibration.limiter = Limiter::vertex;
    kinds[4].vibration.has_moving_points = true;
    return kinds;
}

TEST(ShellTest, any_number_of_threads_gives_the_same_bits) {
    const Torus torus;
    for (const ShellOptions& options : several_kinds()) {
        const MatrixX3d one = run(torus, options, 1);
        EXPECT_TRUE(one.allFinite());
        EXPECT_TRUE(same_bits(one, run(torus, options, 2)));
        EXPECT_TRUE(same_bits(one, run(torus, options, 5)));
    }
}

TEST(ShellTest, a_saved_state_goes_on_bit_for_bit) {
    const Torus torus;
    const Workers workers(1);
    for (const ShellOptions& options : several_kinds()) {
        PrismShell prisms = torus.shell();
        PlacedDetail detail = scattered(prisms);
        Shell first(prisms, detail, options);
        Shell second(prisms, detail, options);
        for (int i = 0; i <= 8; ++i) {
            const MatrixX3d base = torus.posed(i / 30.0);
            first.advance({&base, 1.0 / 30.0, i == 0}, workers);
        }
        second.restore(first.save());
        for (int i = 9; i <= 14; ++i) {
            const MatrixX3d base = torus.posed(i / 30.0);
            first.advance({&base, 1.0 / 30.0}, workers);
            second.advance({&base, 1.0 / 30.0}, workers);
        }
        EXPECT_EQ(first.save(), second.save());
        std::vector<double> cut = first.save();
        cut.pop_back();
        expect_error<InvalidInput>([&] { second.restore(cut); }, {"shell state"});
    }
}

TEST(ShellTest, steps_allocate_nothing_once_they_run) {
    const Torus torus;
    const Workers workers(2);
    std::vector<MatrixX3d> bases;
    for (int i = 0; i < 8; ++i) {
        bases.push_back(torus.posed(i / 30.0));
    }
    for (const ShellOptions& options : several_kinds()) {
        PrismShell prisms = torus.shell();
        PlacedDetail detail = scattered(prisms);
        Shell shell(std::move(prisms), std::move(detail), options);
        MatrixX3d positions;
        VectorXd amplitudes, ratios;
        const auto write = [&] {
            shell.write_positions(positions);
            shell.write_amplitudes(amplitudes);
            shell.write_volume_ratios(ratios);
        };
        for (size_t i = 0; i < 4; ++i) {
            shell.advance({&bases[i], 1.0 / 30.0, i == 0}, workers);
            write();
        }
        const long before = allocation_count();
        for (size_t i = 4; i < 8; ++i) {
            shell.advance({&bases[i], 1.0 / 30.0}, workers);
            write();
        }
        EXPECT_EQ(allocation_count(), before);
        for (int v = 0; v < shell.vertex_count(); v += 97) {
            // The prism of the vertex, found the other way: by its place.
            const int f = shell.place(v).triangle;
            double rest = 0.0, now = 0.0;
            for (int tet = 3 * f; tet < 3 * f + 3; ++tet) {
                rest += shell.prisms().rest_volume(tet);
                now += shell.prisms().volume(tet, shell.base(), shell.offset());
            }
            EXPECT_NEAR(ratios[v], now / rest, 1e-12);
        }
    }
}

TEST(ShellTest, roots_stay_on_the_skin_while_tips_swing) {
    const Torus torus;
    PrismShell prisms = torus.shell();
    PlacedDetail detail = scattered(prisms);
    const std::vector<ShellPoint> points = detail.points;
    ShellOptions options;
    options.vibration.precision = Precision::full;
    Shell shell(prisms, detail, options);
    double root = 0.0;
    double tip = 0.0;
    VectorXd amplitudes;
    for (int i = 0; i <= 30; ++i) {
        const MatrixX3d base = torus.posed(i / 30.0);
        shell.advance({&base, 1.0 / 30.0, i == 0}, Workers(1));
        shell.write_amplitudes(amplitudes);
        for (size_t v = 0; v < points.size(); ++v) {
            double& most = points[v].height == 0.0 ? root : tip;
            most = std::max(most, amplitudes[static_cast<Eigen::Index>(v)]);
        }
    }
    EXPECT_LT(root, 1e-15);  // the height of a root is 0 to rounding
    EXPECT_GT(tip, 1e-3);
    EXPECT_LE(tip, 0.5 * 0.03 * (1.0 + 1e-9));  // the limiter: half the thickness
}

TEST(ShellTest, still_detail_comes_to_rest_exactly) {
    const Torus torus;
    PrismShell prisms = torus.shell();
    PlacedDetail detail = scattered(prisms);
    ShellOptions options;
    options.vibration.material = {8.0, 0.4};
    Shell shell(prisms, detail, options);
    const MatrixX3d bent = torus.posed(0.1);
    shell.advance({&torus.shape.positions, 0.0, true}, Workers(1));
    shell.advance({&torus.shape.positions, 1.0 / 30.0}, Workers(1));
    VectorXd amplitudes;
    shell.advance({&bent, 1.0 / 30.0}, Workers(1));
    shell.write_amplitudes(amplitudes);
    EXPECT_GT(amplitudes.maxCoeff(), 1e-3);
    for (int i = 0; i < 120; ++i) {
        shell.advance({&bent, 1.0 / 30.0}, Workers(1));
    }
    shell.write_amplitudes(amplitudes);
    EXPECT_EQ(amplitudes.maxCoeff(), 0.0);  // put to rest, no denormal tails
}

TEST(ShellTest, a_cut_carries_vibration_over_without_driving_it) {
    const Torus torus;
    PrismShell prisms = torus.shell();
    PlacedDetail detail = scattered(prisms);
    ShellOptions options;
    options.vibration.precision = Precision::full;
    Shell shell(prisms, detail, options);
    shell.advance({&torus.shape.positions, 0.0, true}, Workers(1));
    const MatrixX3d far = torus.shape.positions.array() + 10.0;
    shell.advance({&far, 1.0 / 30.0, false, true}, Workers(1));
    VectorXd amplitudes;
    shell.write_amplitudes(amplitudes);
    EXPECT_EQ(amplitudes.maxCoeff(), 0.0);
}

TEST(ShellTest, collapsed_triangles_leave_everything_finite) {
    const Torus torus;
    ShellOptions options;
    options.equilibrium.poisson = 0.45;
    PrismShell prisms = torus.shell();
    PlacedDetail detail = scattered(prisms);
    Shell shell(prisms, detail, options);
    shell.advance({&torus.shape.positions, 0.0, true}, Workers(1));
    for (const double scale : {0.1, 0.01, 1e-4, 0.0}) {
        MatrixX3d base = torus.shape.positions;
        base.topRows(200) *= scale;
        shell.advance({&base, 1.0 / 30.0}, Workers(1));
        EXPECT_TRUE(shell.offset().allFinite());
        MatrixX3d shown;
        shell.write_positions(shown);
        EXPECT_TRUE(shown.allFinite());
    }
    EXPECT_GT(shell.report().borrowed_normals, 0);
}

TEST(ShellTest, bends_that_turn_the_shell_over_are_set_right) {
    // A flat sheet folded sharply: the inside of the fold has no room for the shell.
    const test::Shape grid = test::planar_grid(16, 4);
    const Topology topology(grid.triangles, static_cast<int>(grid.positions.rows()));
    SafeOffsetOptions offset;
    offset.height = 0.12;
    const PrismShell prisms = make_shell(topology, grid.positions, offset, Workers(1));
    MatrixX3d folded = grid.positions;
    for (Eigen::Index v = 0; v < folded.rows(); ++v) {
        const double x = grid.positions(v, 0) - 0.5;
        if (x > 0.0) {
            folded(v, 0) = 0.5 + x * std::cos(2.6);
            folded(v, 2) = x * std::sin(2.6);
        }
        folded(v, 0) += std::abs(x) < 0.1 ? 0.3 * x * std::sin(40.0 * folded(v, 1)) : 0.0;
    }
    ShellEquilibrium equilibrium(prisms, {});
    MatrixX3d solved;
    equilibrium.solve(folded, Workers(1), solved);
    const int before = measure_shell(prisms, folded, solved).inverted;
    ASSERT_GT(before, 0);
    ShellUntangler untangler(prisms);
    EXPECT_GT(untangler.untangle(folded, Workers(1), solved), 0);
    EXPECT_EQ(measure_shell(prisms, folded, solved).inverted, 0);
}

TEST(ShellTest, handles_drag_and_let_go) {
    const Torus torus;
    PrismShell prisms = torus.shell();
    PlacedDetail detail = scattered(prisms);
    ShellOptions options;
    options.vibration.precision = Precision::full;
    Shell shell(prisms, detail, options);
    const MatrixX3d& rest = torus.shape.positions;
    shell.advance({&rest, 0.0, true}, Workers(1));
    int tip = 0;
    for (size_t v = 0; v < detail.points.size(); ++v) {
        if (detail.points[v].height > detail.points[tip].height) {
            tip = static_cast<int>(v);
        }
    }
    const Vector3d start = shell.goal(shell.place(tip));
    Handle handle;
    handle.point = shell.place(tip);
    handle.offset_stiffness = holds_exactly;
    handle.is_relative = true;
    const Vector3d pull(0.0, 0.01, 0.005);
    shell.grab({&handle, 1}, pull.transpose());
    shell.advance({&rest, 1.0 / 30.0}, Workers(1));
    EXPECT_LT((shell.goal(shell.place(tip)) - start - pull).norm(), 1e-12);
    shell.drag(2.0 * pull.transpose());
    shell.advance({&rest, 1.0 / 30.0}, Workers(1));
    EXPECT_LT((shell.goal(shell.place(tip)) - start - 2.0 * pull).norm(), 1e-12);
    shell.release();
    shell.advance({&rest, 1.0 / 30.0}, Workers(1));
    EXPECT_LT((shell.goal(shell.place(tip)) - start).norm(), 1e-12);
    EXPECT_GT((shell.position(tip) - start).norm(), 1e-4);  // it swings after release
}

TEST(ShellTest, a_stiffer_base_handle_moves_the_body_more) {
    const Torus torus;
    const PrismShell prisms = torus.shell();
    ShellEquilibrium equilibrium(prisms, {});
    std::vector<double> moved;
    for (const double stiffness : {0.01, 0.1, 1.0, 10.0}) {
        ManipulationOptions options;
        options.base.reach = 0.1;
        ShellManipulator manipulator(equilibrium, options);
        Handle handle;
        handle.point = {100, Vector3d(0.3, 0.3, 0.4), 0.8};
        handle.offset_stiffness = 0.1;
        handle.base_stiffness = stiffness;
        handle.is_relative = true;
        manipulator.grab({&handle, 1});
        MatrixX3d base, offset;
        manipulator.solve(torus.shape.positions, Eigen::RowVector3d(0.0, 0.0, 0.05), Workers(1), base, offset);
        moved.push_back((base - torus.shape.positions).rowwise().norm().maxCoeff());
    }
    EXPECT_TRUE(std::is_sorted(moved.begin(), moved.end()));
    EXPECT_GT(moved.back(), 0.03);
    EXPECT_GT(moved.front(), 0.0);
}

// A hand that holds its detail firmly and draws the base along: after a few frames of a slow drag the base is where
// rounds without end would have it, whatever the detail's own spring takes away of the pull.
TEST(ShellTest, a_base_that_is_drawn_keeps_up_with_the_hand) {
    const Torus torus;
    const PrismShell prisms = torus.shell();
    ShellEquilibrium equilibrium(prisms, {});
    for (const double stiffness : {1.0, 10.0, 100.0}) {
        ManipulationOptions options;
        options.base.reach = 0.1;
        options.base.tolerance = 1e-3;
        ManipulationOptions patient = options;
        patient.base.tolerance = 1e-6;
        patient.base.rounds = 300;
        patient.passes = 40;
        ShellManipulator manipulator(equilibrium, options);
        ShellManipulator reference(equilibrium, patient);
        Handle handle;
        handle.point = {100, Vector3d(0.3, 0.3, 0.4), 0.8};
        handle.offset_stiffness = stiffness;
        handle.base_stiffness = 0.1 * stiffness;
        handle.is_relative = true;
        manipulator.grab({&handle, 1});
        reference.grab({&handle, 1});
        MatrixX3d base = torus.shape.positions, offset;
        for (int frame = 1; frame <= 8; ++frame) {
            const double share = std::min(1.0, frame / 6.0);
            manipulator.solve(torus.shape.positions, share * Eigen::RowVector3d(0.01, 0.02, 0.05), Workers(1), base,
                              offset);
        }
        MatrixX3d settled = base, settled_offset;
        reference.solve(torus.shape.positions, Eigen::RowVector3d(0.01, 0.02, 0.05), Workers(1), settled,
                        settled_offset);
        const double pulled = (settled - torus.shape.positions).rowwise().norm().maxCoeff();
        EXPECT_GT(pulled, 1e-3) << stiffness;
        EXPECT_LT((settled - base).rowwise().norm().maxCoeff(), 0.03 * pulled) << stiffness;
    }
}

TEST(ShellTest, anchors_move_pieces_over_the_surface) {
    const Torus torus;
    const PrismShell prisms = torus.shell();
    const PlacedDetail detail = scattered(prisms);
    const PieceWalker walker(prisms, make_detail("spike"), 1.0, Workers(1));
    std::vector<ShellPoint> points(detail.points.size());
    walker.place(detail.anchors, Workers(1), points);
    for (size_t v = 0; v < points.size(); ++v) {
        EXPECT_EQ(points[v].triangle, detail.points[v].triangle);
    }
    // All pieces to one and the same anchor: copies coincide, wherever they came from.
    const std::vector<PieceAnchor> same(detail.anchors.size(), detail.anchors[3]);
    walker.place(same, Workers(2), points);
    ShellOptions options;
    options.vibration.has_moving_points = true;
    options.vibration.precision = Precision::full;
    Shell shell(prisms, detail, options);
    shell.advance({&torus.shape.positions, 0.0, true}, Workers(1));
    shell.move_points(points);
    shell.advance({&torus.shape.positions, 1.0 / 30.0}, Workers(1));
    const int copy = detail.copy_vertices;
    for (int i = 0; i < copy; ++i) {
        EXPECT_LT((shell.goal(shell.place(i)) - shell.goal(shell.place(copy + i))).norm(), 1e-9);
    }
}

TEST(ShellTest, bad_input_is_refused_by_name) {
    const Torus torus;
    SafeOffsetOptions offset;
    offset.height = 0.0;
    expect_error<InvalidInput>([&] { make_safe_offset(torus.topology, torus.shape.positions, offset, Workers(1)); },
                               {"height", "above 0"});
    const PrismShell prisms = torus.shell();
    const PlacedDetail detail = scattered(prisms);
    ShellOptions options;
    options.equilibrium.poisson = 0.6;
    expect_error<InvalidInput>([&] { Shell(prisms, detail, options); }, {"poisson", "0.6"});
    Shell shell(prisms, detail, {});
    MatrixX3d base = torus.shape.positions;
    shell.advance({&base, 0.0, true}, Workers(1));
    expect_error<InvalidInput>([&] { shell.advance({&base, 0.0}, Workers(1)); }, {"above 0 s"});
    base(17, 1) = std::nan("");
    expect_error<InvalidInput>([&] { shell.advance({&base, 0.1}, Workers(1)); }, {"position 17 is not finite"});
    // A handle on the base itself: no offset vertex can pull it.
    Handle handle;
    handle.point = {3, Vector3d(0.2, 0.3, 0.5), 0.0};
    expect_error<InvalidInput>(
        [&] {
            shell.grab({&handle, 1}, MatrixX3d::Zero(1, 3));
        },
        {"handle 0", "no offset vertex"});
    handle.point.height = 0.5;
    shell.grab({&handle, 1}, MatrixX3d::Zero(1, 3));
    MatrixX3d targets(1, 3);
    targets << 0.0, std::nan(""), 0.0;
    expect_error<InvalidInput>([&] { shell.drag(targets); }, {"handle 0 is not finite"});
    handle.offset_stiffness = -1.0;
    expect_error<InvalidInput>([&] { shell.grab({&handle, 1}, MatrixX3d::Zero(1, 3)); }, {"stiffnesses of at least 0"});
}

TEST(ShellTest, memory_for_a_detail_vertex_stays_small_enough_for_ten_million) {
    const Torus torus;
    const PrismShell prisms = torus.shell();
    std::vector<ShellPoint> points(200000);
    for (size_t v = 0; v < points.size(); ++v) {
        points[v].triangle = static_cast<int>(v % 1200);
        points[v].barycentric = Vector3d(0.2, 0.3, 0.5);
        points[v].height = static_cast<double>(v % 97) / 97.0;
    }
    const DetailVibration vibration(prisms, points, {}, {});
    const double base = 200e3 * 16;  // tables of the shell itself
    EXPECT_LT((static_cast<double>(vibration.memory_bytes()) - base) / 200e3, 60.0);
}

}  // namespace
}  // namespace cutis
