#include "slide/slide.h"

#include <gtest/gtest.h>

#include "cutis/core/error.h"
#include "slide/locate.h"
#include "slide/passes.h"
#include "support/allocations.h"
#include "support/expect_error.h"
#include "support/shapes.h"

namespace cutis {
namespace {

struct Skin {
    test::Shape shape;
    Topology topology;
    Workers workers{1};
    SlideSolver solver;
    explicit Skin(const test::Shape& surface, const SlideOptions& options = {})
        : shape(surface),
          topology(shape.triangles, static_cast<int>(shape.positions.rows())),
          solver(topology, shape.positions, options, workers) {}
    MatrixX3d bent(double amount) const {
        MatrixX3d x = shape.positions;
        x.col(1).array() += amount * (4.0 * x.col(0).array()).sin();
        return x;
    }
};

// What is held with all around it is left out of steps; the rest must not notice.
TEST(slide, a_region_that_is_left_out_changes_nothing_of_what_moves) {
    SlideOptions options;
    options.rim = RimMode::free;
    options.tolerance = 1e-13;  // rows that are left out are not eliminated: sums in another order
    options.most_iterations = 4000;
    options.relax_steps = 0;
    const test::Shape shape = test::planar_grid(20, 24, 0.2);
    const int count = static_cast<int>(shape.positions.rows());
    options.region.per_vertex = VectorXd::Ones(count);
    options.region.per_vertex.tail(count / 2).setZero();
    options.region.per_vertex[3] = 0.0;
    Skin part(shape, options);
    Skin whole(shape, options);
    SlideSolver::Parts& p = whole.solver.parts();
    ASSERT_LT(part.solver.parts().model.reach.near_batches, p.model.batch_count);
    p.model.reach = {count, count, p.model.triangle_count(), p.model.batch_count, p.model.batch_count};
    p.model.has_constraints = true;
    p.system.make_rows(count, options.tolerance);
    SlideChannels part_channels;
    SlideChannels whole_channels;
    for (Skin* skin : {&part, &whole}) {
        skin->solver.reset(skin->bent(0.06), skin->workers);
        skin->solver.relax(10, 0.01, skin->workers);  // without brakes, for which rounding may decide
    }
    part.solver.fill_channels(0.006, part.workers, part_channels);
    whole.solver.fill_channels(0.006, whole.workers, whole_channels);
    EXPECT_GT(whole_channels.numbers("slide distance").maxCoeff(), 1e-3);
    EXPECT_LT((part_channels.vectors("Pref") - whole_channels.vectors("Pref")).cwiseAbs().maxCoeff(), 1e-9);
    EXPECT_LT((part_channels.numbers("major stretch") - whole_channels.numbers("major stretch")).cwiseAbs().maxCoeff(),
              1e-9);
    EXPECT_LT((part_channels.numbers("minor stretch") - whole_channels.numbers("minor stretch")).cwiseAbs().maxCoeff(),
              1e-9);
    EXPECT_LT(
        (part_channels.vectors("slide direction") - whole_channels.vectors("slide direction")).cwiseAbs().maxCoeff(),
        1e-9);
    EXPECT_NEAR(part.solver.energy(part.workers).elastic / whole.solver.energy(whole.workers).elastic, 1.0, 1e-9);
}

TEST(slide, rest_in_gives_rest_out_bit_for_bit) {
    Skin skin(test::torus_grid(12, 10, 0.35, 0.14, 0.2));
    skin.solver.reset(skin.shape.positions, skin.workers);
    for (int k = 0; k < 5; ++k) {
        skin.solver.step(skin.shape.positions, 1e-3, skin.workers);
    }
    MatrixX3d at;
    skin.solver.material_positions(at);
    EXPECT_EQ(at, skin.shape.positions);
    SlideLocator locator(skin.topology, skin.shape.positions, skin.solver);
    skin.solver.reset(skin.shape.positions, skin.workers);
    MatrixX3d located;
    locator.locate(skin.solver, skin.shape.positions, skin.workers, located);
    EXPECT_EQ(located, skin.shape.positions);
}

TEST(slide, a_pinned_skin_follows_the_body_exactly) {
    SlideOptions options;
    const test::Shape shape = test::torus_grid(12, 10);
    for (int v = 0; v < shape.positions.rows(); ++v) {
        options.pins.push_back(v);
    }
    Skin skin(shape, options);
    skin.solver.reset(skin.shape.positions, skin.workers);
    SlideLocator locator(skin.topology, shape.positions, skin.solver);
    for (int k = 1; k < 5; ++k) {
        skin.solver.step(skin.bent(0.02 * k), 1e-3, skin.workers);
    }
    MatrixX3d located;
    locator.locate(skin.solver, skin.bent(0.08), skin.workers, located);
    EXPECT_EQ((located.array() != skin.bent(0.08).array()).count(), 0);
}

#if CUTIS_COUNTS_ALLOCATIONS
TEST(slide, steps_allocate_nothing) {
    SlideOptions options;
    options.pins = {3};
    Skin skin(test::torus_grid(16, 12), options);
    skin.solver.reset(skin.shape.positions, skin.workers);
    std::vector<MatrixX3d> bodies;
    for (int k = 0; k < 40; ++k) {
        bodies.push_back(skin.bent(0.001 * k));
    }
    skin.solver.step(bodies[0], 1e-3, skin.workers);
    const long before = allocation_count();
    for (const MatrixX3d& x : bodies) {
        skin.solver.step(x, 1e-3, skin.workers);
    }
    EXPECT_EQ(allocation_count() - before, 0);
}
#endif

TEST(slide, channels_of_a_uniform_stretch_are_its_stretch) {
    SlideOptions options;
    options.rim = RimMode::pin;
    Skin skin(test::planar_grid(8, 8, 0.1), options);
    MatrixX3d x = skin.shape.positions;
    x.col(0) *= 1.3;
    x.col(1) *= 0.8;
    skin.solver.reset(x, skin.workers);
    SlideChannels channels;
    skin.solver.fill_channels(0.005, skin.workers, channels);
    constexpr double pi = 3.14159265358979323846;
    for (int v = 0; v < x.rows(); ++v) {
        EXPECT_NEAR(channels.numbers("major stretch")[v], 1.3, 1e-6);
        EXPECT_NEAR(channels.numbers("minor stretch")[v], 0.8, 1e-6);
        EXPECT_NEAR(std::abs(channels.vectors("major direction")(v, 0)), 1.0, 1e-6);
        // Arc length of ripples: 1 / 0.8 = 1 + (pi a / L)^2; crests along the stretch.
        EXPECT_NEAR(channels.numbers("wrinkle amplitude")[v], 0.005 / pi * 0.5, 1e-8);
        EXPECT_NEAR(std::abs(channels.vectors("crest direction")(v, 0)), 1.0, 1e-6);
        EXPECT_LT(channels.numbers("slide distance")[v], 1e-6);
    }
}

TEST(slide, dragged_skin_slides_where_the_force_points) {
    SlideOptions options;
    Skin plain(test::planar_grid(10, 10));
    int middle = 0;
    (plain.shape.positions.rowwise() - Eigen::RowVector3d(0.5, 0.5, 0.0)).rowwise().squaredNorm().minCoeff(&middle);
    options.drags.push_back({middle, Vector3d(2.0, 0.0, 0.0), 0.3});
    Skin skin(test::planar_grid(10, 10), options);
    skin.solver.reset(skin.shape.positions, skin.workers);
    SlideChannels channels;
    skin.solver.fill_channels(0.005, skin.workers, channels);
    EXPECT_GT(channels.numbers("slide distance")[middle], 1e-3);
    EXPECT_GT(channels.vectors("slide direction")(middle, 0), 0.99);
    EXPECT_LT(channels.vectors("Pref")(middle, 0), 0.5);  // material from behind lies here
}

TEST(slide, prescribed_slip_moves_material_at_its_speed) {
    SlideOptions options;
    Skin plain(test::planar_grid(10, 10));
    int middle = 0;
    (plain.shape.positions.rowwise() - Eigen::RowVector3d(0.5, 0.5, 0.0)).rowwise().squaredNorm().minCoeff(&middle);
    options.prescribed.push_back({middle, Vector3d(0.0, 0.1, 0.0)});
    options.relax_steps = 0;
    Skin skin(test::planar_grid(10, 10), options);
    skin.solver.reset(skin.shape.positions, skin.workers);
    for (int k = 0; k < 200; ++k) {
        skin.solver.step(skin.shape.positions, 1e-3, skin.workers);
    }
    MatrixX3d v;
    skin.solver.velocities(v);
    EXPECT_NEAR(v(middle, 1), 0.1, 1e-9);
    MatrixX3d at;
    skin.solver.material_positions(at);
    // Skin ahead is pressed together, skin behind drawn out: J = 1 by symmetry to first order.
    EXPECT_NEAR(skin.shape.positions(middle, 1) - at(middle, 1), 0.02, 0.002);
}

TEST(slide, painted_values_out_of_range_are_refused_with_their_vertex) {
    const test::Shape shape = test::torus_grid(8, 6);
    const Topology topology(shape.triangles, 48);
    const Workers workers(1);
    const auto make = [&](const SlideOptions& options) { SlideSolver(topology, shape.positions, options, workers); };
    SlideOptions o;
    o.density = 0.0;
    test::expect_error<InvalidInput>([&] { make(o); }, {"density", "above 0", "found 0"});
    o = {};
    VectorXd painted = VectorXd::Constant(48, 0.5);
    painted[17] = 1.5;
    o.stickiness = painted;
    test::expect_error<InvalidInput>([&] { make(o); }, {"stickiness", "1.5", "vertex 17"});
    o = {};
    o.stickiness = VectorXd(VectorXd::Constant(7, 0.5));
    test::expect_error<InvalidInput>([&] { make(o); }, {"stickiness", "48", "7"});
    o = {};
    o.pins = {48};
    test::expect_error<InvalidInput>([&] { make(o); }, {"pins", "47", "48"});
    o = {};
    o.region = VectorXd(VectorXd::Zero(48));
    test::expect_error<InvalidInput>([&] { make(o); }, {"region"});
    o = {};
    o.poisson_ratio = 1.0;
    test::expect_error<InvalidInput>([&] { make(o); }, {"poisson_ratio"});
    o.poisson_ratio = 0.5;  // a documented, harmless value
    EXPECT_NO_THROW(make(o));
    SlideSolver solver(topology, shape.positions, {}, workers);
    MatrixX3d bad = shape.positions;
    bad(5, 1) = std::nan("");
    test::expect_error<InvalidInput>([&] { solver.reset(bad, workers); }, {"vertex 5"});
    test::expect_error<InvalidInput>([&] { solver.restore({1.0, 2.0}, workers); }, {"state"});
}

TEST(slide, a_reset_after_a_cut_starts_anew_and_is_reported) {
    Skin skin(test::torus_grid(12, 10));
    const auto body_at = [&](double time, MatrixX3d& out) {
        out = skin.shape.positions;
        out.col(0).array() += time < 0.5 ? 0.0 : 30.0;
    };
    MatrixX3d x;
    body_at(0.0, x);
    skin.solver.reset(x, skin.workers);
    skin.solver.advance(0.4, 0.45, body_at, skin.workers);
    body_at(0.55, x);
    skin.solver.reset(x, skin.workers);
    EXPECT_EQ(skin.solver.report().starts, 2);
    MatrixX3d v;
    skin.solver.velocities(v);
    EXPECT_EQ(v.cwiseAbs().maxCoeff(), 0.0);
}

TEST(slide, stiff_specks_and_several_parts_do_not_disturb_each_other) {
    // A second part far away must not change what the first one does.
    const test::Shape one = test::torus_grid(12, 10);
    const test::Shape both =
        test::joined(one, test::moved(test::tetrahedron(), Eigen::Matrix3d::Identity(), Vector3d(5, 0, 0), 1e-3));
    SlideOptions options;  // the solver stops by the sum over all parts: ask for all digits
    options.tolerance = 1e-14;
    options.most_iterations = 4000;
    Skin alone(one, options);
    Skin joined(both, options);
    alone.solver.reset(alone.shape.positions, alone.workers);
    joined.solver.reset(joined.shape.positions, joined.workers);
    for (int k = 1; k < 10; ++k) {
        alone.solver.step(alone.bent(0.005 * k), 1e-3, alone.workers);
        joined.solver.step(joined.bent(0.005 * k), 1e-3, joined.workers);
    }
    MatrixX3d a;
    MatrixX3d b;
    alone.solver.material_positions(a);
    joined.solver.material_positions(b);
    EXPECT_TRUE(b.allFinite());
    EXPECT_LT((a - b.topRows(a.rows())).cwiseAbs().maxCoeff(), 1e-10);
}

}  // namespace
}  // namespace cutis
