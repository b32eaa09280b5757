// Skin over sharp edges: steps are tested by their energy. Skin that rests sleeps.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "slide/locate.h"
#include "slide/parts.h"
#include "support/shapes.h"

namespace cutis {
namespace {

SlideOptions untethered() {
    SlideOptions options;
    options.tether = 0.0;
    options.young_modulus = 210.0;
    options.relax_steps = 200;
    return options;
}

/// A tube of four sides, whose skin slides over its edges when it is twisted.
struct SquareTube {
    int axis = 0;
    test::Shape shape = test::open_cylinder(4 * 6, 20);
    Topology topology;
    Workers workers{1};
    SlideSolver solver;
    MatrixX3d twisted;

    explicit SquareTube(const SlideOptions& options)
        : topology(squared(shape).triangles, static_cast<int>(shape.positions.rows())),
          solver(topology, shape.positions, options, workers),
          twisted(shape.positions) {
        for (Eigen::Index v = 0; v < twisted.rows(); ++v) {
            const double angle = 2.5 * std::sin(5.0 * twisted(v, axis));
            const int a = (axis + 1) % 3;
            const int b = (axis + 2) % 3;
            const double x = twisted(v, a);
            const double y = twisted(v, b);
            const double wide = 1.0 + 0.4 * std::sin(9.0 * twisted(v, axis) + 5.0 * x);
            twisted(v, a) = wide * (std::cos(angle) * x - std::sin(angle) * y);
            twisted(v, b) = wide * (std::sin(angle) * x + std::cos(angle) * y);
        }
    }
    // The circle becomes a square.
    test::Shape& squared(test::Shape& s) {
        Vector3d size = s.positions.colwise().maxCoeff() - s.positions.colwise().minCoeff();
        size.maxCoeff(&axis);
        for (Eigen::Index v = 0; v < s.positions.rows(); ++v) {
            double& x = s.positions(v, (axis + 1) % 3);
            double& y = s.positions(v, (axis + 2) % 3);
            const double scale = 1.0 / std::max(std::abs(x), std::abs(y)) * 0.2;
            x *= scale;
            y *= scale;
        }
        return s;
    }
    double total() const { return solver.energy(workers).total(); }
    double run(int steps) {
        double rise = 0.0;
        for (int k = 0; k < steps; ++k) {
            const SlideEnergy before = solver.energy(workers);
            solver.step(twisted, 1.0 / 120.0, workers);
            rise = std::max(rise, total() - before.total() - 0.01 * before.kinetic);
        }
        return rise;
    }
};

TEST(slide_calm, energy_does_not_rise_and_skin_over_sharp_edges_comes_to_rest) {
    SlideOptions options = untethered();
    options.relax_steps = 0;
    SquareTube tube(options);
    tube.solver.reset(tube.twisted, tube.workers);
    const double start = tube.total();
    // 1e-10 of shear modulus times area a step, and what the change of mass is worth.
    EXPECT_LT(tube.run(240), 1e-6 * start);
    EXPECT_GT(tube.solver.report().braked_steps, 0);
    EXPECT_LT(tube.total(), 0.9 * start);
    MatrixX3d before;
    MatrixX3d after;
    tube.solver.material_positions(before);
    tube.run(4);
    tube.solver.material_positions(after);
    EXPECT_LT((after - before).rowwise().norm().maxCoeff(), 0.05e-3);
}

TEST(slide_calm, work_of_outer_forces_is_no_rise) {
    // Skin that gravity pulls along a flat side goes where its weight and tether balance.
    SlideOptions options;
    options.gravity = Vector3d(5.0, 5.0, 5.0);
    options.young_modulus = 1.0;
    SquareTube tube(options);
    tube.solver.reset(tube.shape.positions, tube.workers);
    MatrixX3d at;
    tube.solver.material_positions(at);
    const double balance = 2.0 * 5.0 / 2000.0;  // density g / tether, without its stiffening
    EXPECT_GT((tube.shape.positions - at).col(tube.axis).maxCoeff(), 0.5 * balance);
}

TEST(slide_calm, the_first_frame_is_as_relaxed_as_the_next) {
    SquareTube tube(untethered());
    tube.solver.reset(tube.twisted, tube.workers);
    SlideLocator locator(tube.topology, tube.shape.positions, tube.solver);
    MatrixX3d first;
    MatrixX3d second;
    locator.locate(tube.solver, tube.twisted, tube.workers, first);
    tube.run(4);
    locator.locate(tube.solver, tube.twisted, tube.workers, second);
    EXPECT_LT((second - first).rowwise().norm().maxCoeff(), 0.1e-3);
    EXPECT_GT((first - tube.twisted).rowwise().norm().maxCoeff(), 1e-3);
}

TEST(slide_calm, a_shown_vertex_moves_no_further_than_the_skin_around_it) {
    SquareTube tube(untethered());
    tube.solver.reset(tube.twisted, tube.workers);
    SlideLocator locator(tube.topology, tube.shape.positions, tube.solver);
    MatrixX3d shown;
    locator.locate(tube.solver, tube.twisted, tube.workers, shown);
    // Somewhere else: every place found last is forgotten, so the search ends where it may.
    std::vector<double> state = locator.save();
    const int count = static_cast<int>(tube.shape.positions.rows());
    for (int v = 0; v < count; ++v) {
        state[2 + 15 * static_cast<size_t>(v) + 6] = 0.01;  // a hop of 1 cm that is still to pay
    }
    locator.restore(state, tube.solver);
    MatrixX3d again;
    locator.locate(tube.solver, tube.twisted, tube.workers, again);
    const std::vector<double> left_over = locator.save();
    for (int v = 0; v < count; ++v) {
        // What is still to pay; shown is the point of the curved body below it.
        const double left = Vector3d(left_over.data() + 2 + 15 * static_cast<size_t>(v) + 6).norm();
        EXPECT_GT(left, 0.0098);  // the skin stands still: only the creep is paid off
        EXPECT_LT(left, 0.01);
    }
}

// x'' = -2 w x' - w^2 x from 1 cm behind: (1 + w t) exp(-w t), w = 1 / 0.03 s.
TEST(slide_calm, a_shown_vertex_follows_braked_skin_on_a_critically_damped_spring) {
    SquareTube tube(untethered());
    tube.solver.reset(tube.twisted, tube.workers);
    SlideLocator behind(tube.topology, tube.shape.positions, tube.solver);
    SlideLocator beside(tube.topology, tube.shape.positions, tube.solver);
    MatrixX3d shown;
    behind.locate(tube.solver, tube.twisted, tube.workers, shown);
    std::vector<double> state = behind.save();
    for (size_t v = 0; v < static_cast<size_t>(shown.rows()); ++v) {
        state[2 + 15 * v + 5] = 1.0;  // braked lately
    }
    beside.restore(state, tube.solver);
    for (size_t v = 0; v < static_cast<size_t>(shown.rows()); ++v) {
        state[2 + 15 * v + 9] = 0.01;
    }
    behind.restore(state, tube.solver);
    std::fill(tube.solver.parts().state.grip.begin(), tube.solver.parts().state.grip.end(), 0.0);
    for (int k = 0; k < 4; ++k) {
        tube.solver.step(tube.twisted, 1.0 / 120.0, tube.workers);
    }
    MatrixX3d late;
    behind.locate(tube.solver, tube.twisted, tube.workers, late);
    beside.locate(tube.solver, tube.twisted, tube.workers, shown);
    // How far each is behind; shown are the points of the curved body below.
    const std::vector<double> late_state = behind.save();
    const std::vector<double> beside_state = beside.save();
    const auto lag = [](const std::vector<double>& saved, int v) { return Vector3d(saved.data() + 2 + 15 * v + 9); };
    const double seconds = tube.solver.clock();
    EXPECT_NEAR(seconds, 4.0 / 120.0, 1e-12);
    const auto part = [&](double memory) {
        const double x = seconds / (0.03 * memory + 1e-6);
        return (1.0 + x) * std::exp(-x);
    };
    int faded = 0;
    for (int v = 0; v < shown.rows(); ++v) {
        const double left = (lag(late_state, v) - lag(beside_state, v)).norm() / 0.01;
        // Beside vertices that were braked again the memory is whole.
        const bool has_faded = std::abs(left - part(std::exp(-seconds / 0.3))) < 1e-3;
        EXPECT_TRUE(has_faded || std::abs(left - part(1.0)) < 1e-3) << left;
        faded += has_faded ? 1 : 0;
    }
    EXPECT_LT(faded, shown.rows());
}

TEST(slide_calm, a_resumed_run_remembers_its_brakes) {
    SquareTube one(untethered());
    SquareTube other(untethered());
    one.solver.reset(one.twisted, one.workers);
    one.run(10);
    const std::vector<double>& grip = one.solver.parts().state.grip;
    ASSERT_GT(*std::max_element(grip.begin(), grip.end()), 0.0);
    other.solver.restore(one.solver.save(), other.workers);
    MatrixX3d a;
    MatrixX3d b;
    for (int k = 0; k < 10; ++k) {
        const MatrixX3d body = one.twisted * (1.0 + 0.002 * k);
        one.solver.step(body, 1.0 / 120.0, one.workers);
        other.solver.step(body, 1.0 / 120.0, other.workers);
    }
    one.solver.material_positions(a);
    other.solver.material_positions(b);
    EXPECT_EQ(a, b);
}

// Skin that rests sleeps, wakes in time, and nobody sees it.

// A tube that sways slowly as a whole, and whose one end is twisted after a second.
struct Swaying {
    test::Shape shape = test::open_cylinder(24, 60);
    Topology topology{shape.triangles, static_cast<int>(shape.positions.rows())};
    Workers workers;
    SlideSolver solver;
    SlideLocator locator;
    int axis = 0;
    double low = 0.0, high = 0.0;

    Swaying(bool sleeps, int threads)
        : workers(threads),
          solver(topology, shape.positions, options(sleeps), workers),
          locator(topology, shape.positions, solver) {
        Vector3d size = shape.positions.colwise().maxCoeff() - shape.positions.colwise().minCoeff();
        size.maxCoeff(&axis);
        low = shape.positions.col(axis).minCoeff();
        high = shape.positions.col(axis).maxCoeff();
    }
    static SlideOptions options(bool sleeps) {
        SlideOptions o;
        o.use_sleeping = sleeps;
        o.tether = 20000.0;  // what is twisted stays a matter of its end
        return o;
    }
    MatrixX3d body(double time) const {
        MatrixX3d x = shape.positions;
        const double turn = time < 1.0 ? 0.0 : 0.6 * (1.0 - std::cos(3.0 * (time - 1.0)));
        for (Eigen::Index v = 0; v < x.rows(); ++v) {
            const double along = (x(v, axis) - low) / (high - low);
            const double angle = turn * std::max(0.0, 5.0 * along - 4.0);
            const double a = x(v, (axis + 1) % 3);
            const double b = x(v, (axis + 2) % 3);
            x(v, (axis + 1) % 3) = std::cos(angle) * a - std::sin(angle) * b;
            x(v, (axis + 2) % 3) = std::sin(angle) * a + std::cos(angle) * b;
        }
        x.col((axis + 1) % 3).array() += 0.002 * std::sin(2.0 * time);
        return x;
    }
    void frame(int number, MatrixX3d& shown) {
        if (number == 0) {
            solver.reset(body(0.0), workers);
        } else {
            solver.advance((number - 1) / 30.0, number / 30.0, [&](double t, MatrixX3d& out) { out = body(t); },
                           workers);
        }
        locator.locate(solver, body(number / 30.0), workers, shown);
    }
    double share_asleep() const {
        double sum = 0.0;
        for (int v = 0; v < topology.vertex_count(); ++v) {
            sum += solver.is_asleep(v) ? 1.0 : 0.0;
        }
        return sum / topology.vertex_count();
    }
};

TEST(slide_sleep, resting_skin_sleeps_wakes_where_the_body_bends_and_looks_the_same) {
    Swaying sleeping(true, 1);
    Swaying awake(false, 1);
    MatrixX3d a;
    MatrixX3d b;
    const Vector3d box = sleeping.shape.positions.colwise().maxCoeff() - sleeping.shape.positions.colwise().minCoeff();
    double furthest = 0.0;
    double slid = 0.0;
    for (int number = 0; number < 60; ++number) {
        sleeping.frame(number, a);
        awake.frame(number, b);
        furthest = std::max(furthest, (a - b).rowwise().norm().maxCoeff());
        slid = std::max(slid, (b - awake.body(number / 30.0)).rowwise().norm().maxCoeff());
        if (number == 29) {
            EXPECT_GT(sleeping.share_asleep(), 0.99);  // it only sways
        }
    }
    EXPECT_GT(sleeping.share_asleep(), 0.3);  // far from the twist
    EXPECT_LT(sleeping.share_asleep(), 0.9);
    EXPECT_EQ(awake.share_asleep(), 0.0);
    // Each of a few that wait for one another may be late by 1e-4 of the diagonal.
    EXPECT_LT(furthest, 4e-4 * box.norm());
    EXPECT_GT(slid, 10.0 * furthest);
}

TEST(slide_sleep, sleepers_do_not_stir_one_another) {
    SlideOptions options = untethered();
    options.relax_steps = 0;
    SquareTube tube(options);
    tube.solver.reset(tube.twisted, tube.workers);
    tube.run(240);
    MatrixX3d before;
    MatrixX3d after;
    tube.solver.material_positions(before);
    for (int frame = 0; frame < 20; ++frame) {
        tube.run(4);
        tube.solver.material_positions(after);
        EXPECT_LT((after - before).rowwise().norm().maxCoeff(), 0.01e-3);
        before = after;
    }
}

TEST(slide_sleep, sleepers_are_the_same_for_any_threads_and_after_a_restore) {
    Swaying one(true, 1);
    Swaying three(true, 3);
    Swaying resumed(true, 1);
    MatrixX3d a;
    MatrixX3d b;
    for (int number = 0; number < 45; ++number) {
        one.frame(number, a);
        three.frame(number, b);
        if (number == 33) {  // some sleep, some just woke
            ASSERT_GT(one.share_asleep(), 0.1);
            resumed.solver.restore(one.solver.save(), resumed.workers);
            resumed.locator.restore(one.locator.save(), resumed.solver);
        }
    }
    EXPECT_EQ(a, b);
    for (int number = 34; number < 45; ++number) {
        resumed.frame(number, b);
    }
    EXPECT_EQ(a, b);
    EXPECT_EQ(one.solver.save(), resumed.solver.save());
}

TEST(slide_sleep, forces_keep_skin_awake) {
    test::Shape shape = test::open_cylinder(12, 10);
    const Topology topology(shape.triangles, static_cast<int>(shape.positions.rows()));
    const Workers workers(1);
    SlideOptions options;
    options.gravity = Vector3d(0.0, -9.81, 0.0);
    SlideSolver solver(topology, shape.positions, options, workers);
    solver.reset(shape.positions, workers);
    for (int k = 0; k < 120; ++k) {
        solver.step(shape.positions, 1.0 / 120.0, workers);
    }
    for (int v = 0; v < topology.vertex_count(); ++v) {
        EXPECT_FALSE(solver.is_asleep(v));
    }
}

}  // namespace
}  // namespace cutis
