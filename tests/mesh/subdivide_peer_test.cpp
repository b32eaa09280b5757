// Loop subdivision against OpenSubdiv: same rules, same points.

#include <gtest/gtest.h>

#include <cstdlib>

#ifdef CUTIS_TEST_OPENSUBDIV

#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wshadow"
#endif
#include <opensubdiv/far/primvarRefiner.h>
#include <opensubdiv/far/topologyDescriptor.h>
#include <opensubdiv/far/topologyRefinerFactory.h>
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

#include "cutis/core/error.h"
#include "mesh/subdivide.h"
#include "support/shapes.h"

namespace cutis {
namespace {

using test::Shape;
namespace Far = OpenSubdiv::Far;
namespace Sdc = OpenSubdiv::Sdc;

// What OpenSubdiv's refiner adds up.
struct Point {
    Vector3d value = Vector3d::Zero();
    void Clear(void* = nullptr) { value.setZero(); }
    void AddWithWeight(const Point& other, double weight) { value += weight * other.value; }
};

// Largest distance between our points and OpenSubdiv's at each of `levels` levels.
void expect_same_as_peer(const Shape& shape, int levels) {
    const int vertex_count = static_cast<int>(shape.positions.rows());
    const std::vector<int> sizes(static_cast<size_t>(shape.triangles.rows()), 3);
    Far::TopologyDescriptor descriptor;
    descriptor.numVertices = vertex_count;
    descriptor.numFaces = static_cast<int>(sizes.size());
    descriptor.numVertsPerFace = sizes.data();
    descriptor.vertIndicesPerFace = shape.triangles.data();

    Sdc::Options sdc;
    sdc.SetVtxBoundaryInterpolation(Sdc::Options::VTX_BOUNDARY_EDGE_AND_CORNER);
    using Factory = Far::TopologyRefinerFactory<Far::TopologyDescriptor>;
    const std::unique_ptr<Far::TopologyRefiner> refiner(
        Factory::Create(descriptor, Factory::Options(Sdc::SCHEME_LOOP, sdc)));
    ASSERT_NE(refiner, nullptr);
    Far::TopologyRefiner::UniformOptions uniform(levels);
    uniform.fullTopologyInLastLevel = true;
    refiner->RefineUniform(uniform);
    const Far::PrimvarRefinerReal<double> primvars(*refiner);

    std::vector<Point> points(static_cast<size_t>(vertex_count));
    std::vector<int> theirs(points.size());  // their index of our vertex
    for (int v = 0; v < vertex_count; ++v) {
        points[v].value = shape.positions.row(v);
        theirs[v] = v;
    }
    Topology parent(shape.triangles, vertex_count);
    for (int level = 1; level <= levels; ++level) {
        const Far::TopologyLevel& coarse = refiner->GetLevel(level - 1);
        std::vector<Point> finer(static_cast<size_t>(refiner->GetLevel(level).GetNumVertices()));
        primvars.Interpolate(level, points, finer);
        std::vector<int> finer_theirs;
        for (const int v : theirs) {
            finer_theirs.push_back(coarse.GetVertexChildVertex(v));
        }
        for (const auto& [a, b] : parent.edges()) {
            const int edge = coarse.FindEdge(theirs[a], theirs[b]);
            ASSERT_GE(edge, 0);
            finer_theirs.push_back(coarse.GetEdgeChildVertex(edge));
        }
        const LoopSubdivision loop(Topology(shape.triangles, vertex_count), level);
        ASSERT_EQ(loop.stencils().count(), static_cast<int>(finer.size()));
        MatrixX3d ours(loop.stencils().count(), 3);
        loop.stencils().apply(shape.positions, Workers(1), ours);
        double largest = 0.0;
        for (int v = 0; v < loop.stencils().count(); ++v) {
            const Point& peer = finer[finer_theirs[v]];
            largest = std::max(largest, (ours.row(v).transpose() - peer.value).norm());
        }
        EXPECT_LT(largest, 1e-6) << "level " << level;
        parent = loop.topology();
        points = std::move(finer);
        theirs = std::move(finer_theirs);
    }
}

// Not symmetric in any way, so that a swapped weight shows.
Shape dented(Shape shape, unsigned seed) {
    test::Random random(seed);
    for (Eigen::Index v = 0; v < shape.positions.rows(); ++v) {
        shape.positions.row(v) += 0.2 * random.direction().transpose();
    }
    return shape;
}

TEST(SubdividePeer, closed_meshes_equal_opensubdiv) {
    expect_same_as_peer(dented(test::torus_grid(8, 6), 1), 3);
    expect_same_as_peer(dented(test::icosphere(1), 2), 3);
    expect_same_as_peer(dented(test::tetrahedron(), 3), 3);
    expect_same_as_peer(dented(test::cube(), 4), 3);
}

TEST(SubdividePeer, irregular_valences_equal_opensubdiv) {
    for (const int valence : {3, 4, 5, 7, 8, 13, 18}) {
        expect_same_as_peer(dented(test::double_cone(valence), 5), 3);
    }
}

TEST(SubdividePeer, boundaries_equal_opensubdiv) {
    expect_same_as_peer(dented(test::planar_grid(3, 2), 6), 3);
    expect_same_as_peer(dented(test::open_cylinder(7, 3), 7), 3);
    expect_same_as_peer(dented(test::fan(5), 8), 3);
    Shape one;
    one.positions = MatrixX3d::Identity(3, 3);
    one.triangles = MatrixX3i(1, 3);
    one.triangles << 0, 1, 2;
    expect_same_as_peer(one, 3);
}

TEST(SubdividePeer, several_parts_equal_opensubdiv) {
    expect_same_as_peer(dented(test::joined(test::octahedron(), test::planar_grid(2, 2)), 11), 3);
}

}  // namespace
}  // namespace cutis

#else

TEST(SubdividePeer, equals_opensubdiv) {
    if (std::getenv("CI") != nullptr) {
        FAIL() << "libosd-dev is missing, and CI must run this test";
    }
    GTEST_SKIP() << "OpenSubdiv (libosd-dev) is not on this machine";
}

#endif
