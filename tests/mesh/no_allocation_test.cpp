// What runs every frame must not allocate after its first call.

#include <gtest/gtest.h>

#include "cutis/mesh/geometry.h"
#include "mesh/subdivide.h"
#include "mesh/trace.h"
#include "support/allocations.h"
#include "support/shapes.h"

#if CUTIS_COUNTS_ALLOCATIONS

namespace cutis {
namespace {

template <class Call>
long allocations_of(const Call& call) {
    call();  // the first call may
    const long before = allocation_count();
    call();
    return allocation_count() - before;
}

class NoAllocation : public testing::TestWithParam<int> {};

TEST_P(NoAllocation, in_anything_done_every_frame) {
    const Workers workers(GetParam());
    const test::Shape torus = test::torus_grid(120, 80);
    const Topology topology(torus.triangles, static_cast<int>(torus.positions.rows()));
    EXPECT_GT(allocations_of([&] { const MatrixX3d copy = torus.positions; }), 0);  // it counts

    MatrixX3d normals;
    VectorXd areas;
    VectorXd vertex_areas;
    EXPECT_EQ(allocations_of([&] {
                  fill_triangle_normals(torus.positions, topology, workers, normals, areas);
                  fill_vertex_areas(areas, topology, workers, vertex_areas);
              }),
              0);
    MatrixX3d smooth;
    EXPECT_EQ(
        allocations_of([&] { fill_vertex_normals(torus.positions, topology, NormalWeight::angle, workers, smooth); }),
        0);

    SurfaceTracer tracer(topology);
    EXPECT_EQ(allocations_of([&] { tracer.update(torus.positions, workers); }), 0);
    EXPECT_EQ(allocations_of([&] {
                  const Vector3d d(0.02, 0.03, 0.01);
                  for (int f = 0; f < 500; ++f) {
                      tracer.trace({f, Vector3d(0.2, 0.3, 0.5)}, d, d);
                      tracer.trace({f, Vector3d(1, 0, 0)}, d);
                  }
              }),
              0);

    const Stencils loop = LoopSubdivision(topology, 1).stencils();
    MatrixX3d fine(loop.count(), 3);
    VectorXd values = torus.positions.col(0);
    VectorXd fine_values(loop.count());
    EXPECT_EQ(allocations_of([&] {
                  loop.apply(torus.positions, workers, fine);
                  loop.apply_to_scalars(values, workers, fine_values);
              }),
              0);
}

INSTANTIATE_TEST_SUITE_P(Threads, NoAllocation, testing::Values(1, 2));

}  // namespace
}  // namespace cutis

#endif
