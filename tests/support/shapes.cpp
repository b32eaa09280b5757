#include "support/shapes.h"

#include <cmath>
#include <map>
#include <numbers>
#include <utility>

namespace cutis::test {
namespace {

constexpr double pi = std::numbers::pi;

// Cell (i, j) of a grid whose index function wraps as it likes; two triangles, diagonal by parity.
template <class Index>
MatrixX3i grid_triangles(int columns, int rows, const Index& index) {
    MatrixX3i triangles(2 * columns * rows, 3);
    int next = 0;
    for (int j = 0; j < rows; ++j) {
        for (int i = 0; i < columns; ++i) {
            const int a = index(i, j);
            const int b = index(i + 1, j);
            const int c = index(i + 1, j + 1);
            const int d = index(i, j + 1);
            if ((i + j) % 2 == 0) {
                triangles.row(next++) << a, b, c;
                triangles.row(next++) << a, c, d;
            } else {
                triangles.row(next++) << a, b, d;
                triangles.row(next++) << b, c, d;
            }
        }
    }
    return triangles;
}

}  // namespace

unsigned long long Random::next() {  // xorshift64*
    state_ ^= state_ >> 12;
    state_ ^= state_ << 25;
    state_ ^= state_ >> 27;
    return state_ * 2685821657736338717ull;
}

double Random::uniform(double low, double high) {
    return low + (high - low) * (static_cast<double>(next() >> 11) * 0x1.0p-53);
}

int Random::below(int count) {
    return static_cast<int>((next() >> 33) % static_cast<unsigned long long>(count));
}

Vector3d Random::direction() {
    while (true) {
        const Vector3d v(uniform(-1, 1), uniform(-1, 1), uniform(-1, 1));
        const double length = v.norm();
        if (length > 0.1 && length < 1.0) {
            return v / length;
        }
    }
}

Shape planar_grid(int columns, int rows, double jitter, unsigned seed) {
    Random random(seed);
    Shape shape;
    shape.positions.resize((columns + 1) * (rows + 1), 3);
    for (int j = 0; j <= rows; ++j) {
        for (int i = 0; i <= columns; ++i) {
            const bool is_inside = i > 0 && i < columns && j > 0 && j < rows;
            const double di = is_inside ? jitter * random.uniform(-1, 1) : 0.0;
            const double dj = is_inside ? jitter * random.uniform(-1, 1) : 0.0;
            shape.positions.row(j * (columns + 1) + i) << (i + di) / columns, (j + dj) / rows, 0.0;
        }
    }
    shape.triangles = grid_triangles(columns, rows, [&](int i, int j) { return j * (columns + 1) + i; });
    return shape;
}

Shape torus_grid(int around_hole, int around_tube, double hole_radius, double tube_radius, double jitter,
                 unsigned seed) {
    Random random(seed);
    Shape shape;
    shape.positions.resize(around_hole * around_tube, 3);
    for (int j = 0; j < around_tube; ++j) {
        for (int i = 0; i < around_hole; ++i) {
            const double u = 2 * pi * (i + jitter * random.uniform(-1, 1)) / around_hole;
            const double w = 2 * pi * (j + jitter * random.uniform(-1, 1)) / around_tube;
            const double distance = hole_radius + tube_radius * std::cos(w);
            shape.positions.row(j * around_hole + i) << distance * std::cos(u), distance * std::sin(u),
                tube_radius * std::sin(w);
        }
    }
    shape.triangles = grid_triangles(around_hole, around_tube,
                                     [&](int i, int j) { return (j % around_tube) * around_hole + i % around_hole; });
    return shape;
}

Shape icosphere(int level, double radius) {
    const double t = (1.0 + std::sqrt(5.0)) / 2.0;
    std::vector<Vector3d> points = {{-1, t, 0},  {1, t, 0},  {-1, -t, 0}, {1, -t, 0}, {0, -1, t},  {0, 1, t},
                                    {0, -1, -t}, {0, 1, -t}, {t, 0, -1},  {t, 0, 1},  {-t, 0, -1}, {-t, 0, 1}};
    for (Vector3d& p : points) {
        p *= radius / p.norm();
    }
    MatrixX3i triangles(20, 3);
    triangles << 0, 11, 5, 0, 5, 1, 0, 1, 7, 0, 7, 10, 0, 10, 11, 1, 5, 9, 5, 11, 4, 11, 10, 2, 10, 7, 6, 7, 1, 8, 3, 9,
        4, 3, 4, 2, 3, 2, 6, 3, 6, 8, 3, 8, 9, 4, 9, 5, 2, 4, 11, 6, 2, 10, 8, 6, 7, 9, 8, 1;
    for (int step = 0; step < level; ++step) {
        std::map<std::pair<int, int>, int> middle_of;
        const auto middle = [&](int a, int b) {
            const auto [entry, is_new] = middle_of.try_emplace(std::minmax(a, b), static_cast<int>(points.size()));
            if (is_new) {
                const Vector3d sum = points[a] + points[b];
                points.push_back(sum * (radius / sum.norm()));
            }
            return entry->second;
        };
        MatrixX3i finer(4 * triangles.rows(), 3);
        for (Eigen::Index f = 0; f < triangles.rows(); ++f) {
            const int a = triangles(f, 0);
            const int b = triangles(f, 1);
            const int c = triangles(f, 2);
            const int ab = middle(a, b);
            const int bc = middle(b, c);
            const int ca = middle(c, a);
            finer.row(4 * f) << a, ab, ca;
            finer.row(4 * f + 1) << b, bc, ab;
            finer.row(4 * f + 2) << c, ca, bc;
            finer.row(4 * f + 3) << ab, bc, ca;
        }
        triangles = finer;
    }
    Shape shape;
    shape.positions.resize(static_cast<Eigen::Index>(points.size()), 3);
    for (size_t i = 0; i < points.size(); ++i) {
        shape.positions.row(static_cast<Eigen::Index>(i)) = points[i].transpose();
    }
    shape.triangles = triangles;
    return shape;
}

Shape open_cylinder(int around, int along, double radius, double length, double jitter, unsigned seed) {
    Random random(seed);
    Shape shape;
    shape.positions.resize(around * (along + 1), 3);
    for (int j = 0; j <= along; ++j) {
        const bool is_rim = j == 0 || j == along;
        for (int i = 0; i < around; ++i) {
            const double u = 2 * pi * (i + jitter * random.uniform(-1, 1)) / around;
            const double w = is_rim ? 0.0 : jitter * random.uniform(-1, 1);
            shape.positions.row(j * around + i) << radius * std::cos(u), radius * std::sin(u), length * (j + w) / along;
        }
    }
    shape.triangles = grid_triangles(around, along, [&](int i, int j) { return j * around + i % around; });
    return shape;
}

Shape bent_tube(int around, int along, double radius, double bend_radius, double angle) {
    Shape shape = open_cylinder(around, along, radius, 1.0);
    const double arc = bend_radius * angle;
    for (Eigen::Index v = 0; v < shape.positions.rows(); ++v) {
        const double a = shape.positions(v, 0);
        const double b = shape.positions(v, 1);
        const double s = (2 * shape.positions(v, 2) - 1) * arc;  // straight half, then the bend
        const double turn = std::max(0.0, s) / bend_radius;
        // Frame along the arc: tangent (cos, sin), normal (-sin, cos), binormal z.
        const double out = bend_radius - a;
        const double x = s > 0 ? out * std::sin(turn) : s;
        shape.positions.row(v) << x, bend_radius - out * std::cos(turn), b;
    }
    // Sections are now (y, z) = (a, b) with the tube along x: still seen from outside.
    return shape;
}

Shape tetrahedron() {
    Shape shape;
    shape.positions.resize(4, 3);
    shape.positions << 1, 1, 1, -1, -1, 1, -1, 1, -1, 1, -1, -1;
    shape.triangles.resize(4, 3);
    shape.triangles << 0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3;
    return shape;
}

Shape octahedron() {
    return double_cone(4);
}

Shape cube() {
    Shape shape;
    shape.positions.resize(8, 3);
    shape.positions << -1, -1, -1, 1, -1, -1, 1, 1, -1, -1, 1, -1, -1, -1, 1, 1, -1, 1, 1, 1, 1, -1, 1, 1;
    shape.triangles.resize(12, 3);
    shape.triangles << 0, 2, 1, 0, 3, 2, 4, 5, 6, 4, 6, 7, 0, 1, 5, 0, 5, 4, 1, 2, 6, 1, 6, 5, 2, 3, 7, 2, 7, 6, 3, 0,
        4, 3, 4, 7;
    return shape;
}

Shape fan(int valence) {
    Shape shape;
    shape.positions.setZero(valence + 1, 3);
    shape.triangles.resize(valence, 3);
    for (int i = 0; i < valence; ++i) {
        const double u = 2 * pi * i / valence;
        shape.positions.row(i + 1) << std::cos(u), std::sin(u), 0.0;
        shape.triangles.row(i) << 0, i + 1, (i + 1) % valence + 1;
    }
    return shape;
}

Shape double_cone(int valence, double height) {
    Shape shape;
    shape.positions.resize(valence + 2, 3);
    shape.positions.row(0) << 0, 0, height;
    shape.positions.row(1) << 0, 0, -height;
    shape.triangles.resize(2 * valence, 3);
    for (int i = 0; i < valence; ++i) {
        const double u = 2 * pi * i / valence;
        const int next = (i + 1) % valence;
        shape.positions.row(i + 2) << std::cos(u), std::sin(u), 0.0;
        shape.triangles.row(2 * i) << 0, i + 2, next + 2;
        shape.triangles.row(2 * i + 1) << 1, next + 2, i + 2;
    }
    return shape;
}

Shape moebius_strip(int segments) {
    Shape shape;
    shape.positions.resize(2 * segments, 3);
    shape.triangles.resize(2 * segments, 3);
    for (int i = 0; i < segments; ++i) {
        const double u = 2 * pi * i / segments;
        for (int side = 0; side < 2; ++side) {
            const double w = side == 0 ? -0.3 : 0.3;
            const double distance = 1.0 + w * std::cos(u / 2);
            shape.positions.row(2 * i + side) << distance * std::cos(u), distance * std::sin(u), w * std::sin(u / 2);
        }
        const bool is_last = i + 1 == segments;  // the strip closes with its sides exchanged
        const int c = is_last ? 1 : 2 * i + 2;
        const int d = is_last ? 0 : 2 * i + 3;
        shape.triangles.row(2 * i) << 2 * i, c, 2 * i + 1;
        shape.triangles.row(2 * i + 1) << c, d, 2 * i + 1;
    }
    return shape;
}

Shape bow_tie() {
    Shape shape;
    shape.positions.resize(5, 3);
    shape.positions << 0, 0, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0, -1, -1, 0;
    shape.triangles.resize(2, 3);
    shape.triangles << 0, 1, 2, 0, 3, 4;
    return shape;
}

Shape joined(const Shape& a, const Shape& b) {
    Shape shape;
    shape.positions.resize(a.positions.rows() + b.positions.rows(), 3);
    shape.positions << a.positions, b.positions;
    shape.triangles.resize(a.triangles.rows() + b.triangles.rows(), 3);
    shape.triangles << a.triangles, (b.triangles.array() + static_cast<int>(a.positions.rows()));
    return shape;
}

Shape split_at_every_corner(const Shape& shape) {
    Shape corners;
    corners.positions.resize(3 * shape.triangles.rows(), 3);
    corners.triangles.resize(shape.triangles.rows(), 3);
    for (Eigen::Index f = 0; f < shape.triangles.rows(); ++f) {
        for (int k = 0; k < 3; ++k) {
            const Eigen::Index corner = 3 * f + k;
            corners.positions.row(corner) = shape.positions.row(shape.triangles(f, k));
            corners.triangles(f, k) = static_cast<int>(corner);
        }
    }
    return corners;
}

Shape moved(const Shape& shape, const Eigen::Matrix3d& rotation, const Vector3d& offset, double scale) {
    Shape result = shape;
    for (Eigen::Index v = 0; v < shape.positions.rows(); ++v) {
        result.positions.row(v) = (scale * (rotation * shape.positions.row(v).transpose()) + offset).transpose();
    }
    return result;
}

Shape axes_swapped(const Shape& shape) {
    Shape result = shape;
    result.positions.col(0) = shape.positions.col(1);
    result.positions.col(1) = shape.positions.col(2);
    result.positions.col(2) = shape.positions.col(0);
    return result;
}

Eigen::Matrix3d some_rotation(unsigned seed) {
    Random random(seed);
    const Vector3d axis = random.direction();
    return Eigen::AngleAxisd(random.uniform(0.5, 2.5), axis).toRotationMatrix();
}

}  // namespace cutis::test
