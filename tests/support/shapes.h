#pragma once

#include <Eigen/Geometry>
#include <vector>

#include "cutis/core/types.h"
#include "cutis/mesh/topology.h"

/// Small surfaces built in code, named by what they are good for. Triangles wind counter-clockwise
/// seen from outside (or from +z for flat ones). `jitter` moves vertices along the surface by up to
/// that fraction of a cell, from a seeded generator: the same seed gives the same shape on every
/// machine. Below 0.25 no triangle of a flat grid is inverted.
namespace cutis::test {

struct Shape {
    MatrixX3d positions;  ///< #V x 3
    MatrixX3i triangles;  ///< #F x 3
};

inline Topology topology_of(const Shape& shape) {
    return Topology(shape.triangles, static_cast<int>(shape.positions.rows()));
}

inline int euler_number(const Topology& topology) {
    return topology.vertex_count() - static_cast<int>(topology.edges().size()) + topology.triangle_count();
}

/// Random numbers that are the same on every machine.
class Random {
public:
    explicit Random(unsigned seed) : state_(seed * 2654435769u + 88172645463325252ull) {}
    double uniform(double low, double high);  ///< [low, high)
    int below(int count);                     ///< 0 .. count-1
    Vector3d direction();                     ///< unit vector

private:
    unsigned long long next();
    unsigned long long state_;
};

/// Unit square in z = 0, columns x rows cells, diagonals alternating in the checker pattern;
/// boundary vertices stay on the boundary line they belong to and are not jittered.
Shape planar_grid(int columns, int rows, double jitter = 0.0, unsigned seed = 1);

/// Torus around the z axis.
Shape torus_grid(int around_hole, int around_tube, double hole_radius = 0.35, double tube_radius = 0.14,
                 double jitter = 0.0, unsigned seed = 1);

/// Icosahedron split `level` times, every vertex on the sphere (12 vertices of valence 5).
Shape icosphere(int level, double radius = 1.0);

/// Cylinder round the z axis from z = 0 to z = length, two boundary loops.
Shape open_cylinder(int around, int along, double radius = 0.25, double length = 1.0, double jitter = 0.0,
                    unsigned seed = 1);

/// Tube along x for x < 0, then bent by `angle` radians in the x-y plane on an arc of radius
/// `bend_radius`; two boundary loops.
Shape bent_tube(int around, int along, double radius, double bend_radius, double angle);

Shape tetrahedron();
Shape octahedron();

/// Cube [-1, 1]^3, 12 triangles; its edges make natural creases.
Shape cube();

/// Disc of `valence` triangles round vertex 0 at the origin, in z = 0.
Shape fan(int valence);

/// Double cone: two poles of the given valence, a ring of that many vertices of valence 4. Closed.
Shape double_cone(int valence, double height = 1.0);

/// Strip with a half twist: has no consistent winding.
Shape moebius_strip(int segments);

/// Two triangles that share one vertex (vertex 0) only.
Shape bow_tie();

/// Both in one array, without sharing anything.
Shape joined(const Shape& a, const Shape& b);

/// One vertex per corner, as flat-shaded files have them.
Shape split_at_every_corner(const Shape& shape);

/// rotation * p * scale + offset for every vertex.
Shape moved(const Shape& shape, const Eigen::Matrix3d& rotation, const Vector3d& offset, double scale = 1.0);

/// (x, y, z) -> (y, z, x): a proper rotation that swaps the axes exactly, without rounding.
Shape axes_swapped(const Shape& shape);

/// A rotation with no special axis or angle.
Eigen::Matrix3d some_rotation(unsigned seed = 7);

}  // namespace cutis::test
