#include "verify/slide_shapes.h"

#include <array>
#include <cmath>
#include <map>
#include <numbers>

#include "mesh/subdivide.h"

namespace cutis::verify {

double Dice::roll() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return static_cast<double>(state_ >> 11) * (2.0 / 9007199254740992.0) - 1.0;
}

SlideShape slide_torus(int around, int tube, double jitter, double hole_radius, double tube_radius) {
    SlideShape s;
    s.positions.resize(around * tube, 3);
    s.triangles.resize(2 * around * tube, 3);
    Dice dice(5);
    for (int i = 0; i < around; ++i) {
        for (int j = 0; j < tube; ++j) {
            const double u = 2.0 * std::numbers::pi * (i + jitter * dice.roll()) / around;
            const double v = 2.0 * std::numbers::pi * (j + jitter * dice.roll()) / tube;
            const double r = hole_radius + tube_radius * std::cos(v);
            s.positions.row(i * tube + j) << r * std::cos(u), r * std::sin(u), tube_radius * std::sin(v);
            const int a = i * tube + j;
            const int b = (i + 1) % around * tube + j;
            const int c = (i + 1) % around * tube + (j + 1) % tube;
            const int d = i * tube + (j + 1) % tube;
            s.triangles.row(2 * a) << a, b, c;
            s.triangles.row(2 * a + 1) << a, c, d;
        }
    }
    return s;
}

SlideShape slide_cylinder(int around, int along, double radius, double length, bool is_staggered) {
    SlideShape s;
    s.positions.resize(around * along, 3);
    s.triangles.resize(2 * around * (along - 1), 3);
    int f = 0;
    for (int j = 0; j < along; ++j) {
        for (int i = 0; i < around; ++i) {
            const double u = 2.0 * std::numbers::pi * (i + (is_staggered ? 0.5 * (j % 2) : 0.0)) / around;
            s.positions.row(j * around + i) << radius * std::cos(u), radius * std::sin(u), length * j / (along - 1);
        }
    }
    for (int j = 0; j + 1 < along; ++j) {
        for (int i = 0; i < around; ++i) {
            const int a = j * around + i;
            const int b = j * around + (i + 1) % around;
            const int c = (j + 1) * around + i;
            const int d = (j + 1) * around + (i + 1) % around;
            if (j % 2 == 0) {
                s.triangles.row(f++) << a, b, c;
                s.triangles.row(f++) << b, d, c;
            } else {
                s.triangles.row(f++) << a, b, d;
                s.triangles.row(f++) << a, d, c;
            }
        }
    }
    return s;
}

SlideShape slide_sphere(int level) {
    const double g = 0.5 * (1.0 + std::sqrt(5.0));
    std::vector<Vector3d> points;
    for (const double a : {-1.0, 1.0}) {
        for (const double b : {-g, g}) {
            points.emplace_back(0, a, b);
            points.emplace_back(a, b, 0);
            points.emplace_back(b, 0, a);
        }
    }
    std::vector<std::array<int, 3>> faces;
    for (int a = 0; a < 12; ++a) {
        for (int b = 0; b < 12; ++b) {
            for (int c = 0; c < 12; ++c) {
                const auto near = [&](int i, int j) {
                    return std::abs((points[static_cast<size_t>(i)] - points[static_cast<size_t>(j)]).norm() - 2.0) <
                           1e-9;
                };
                if (a < b && a < c && near(a, b) && near(b, c) && near(c, a)) {
                    const Vector3d n = (points[static_cast<size_t>(b)] - points[static_cast<size_t>(a)])
                                           .cross(points[static_cast<size_t>(c)] - points[static_cast<size_t>(a)]);
                    if (n.dot(points[static_cast<size_t>(a)]) > 0.0) {
                        faces.push_back({a, b, c});
                    }
                }
            }
        }
    }
    for (int l = 0; l < level; ++l) {
        std::map<std::pair<int, int>, int> middle;
        const auto between = [&](int a, int b) {
            const auto key = std::make_pair(std::min(a, b), std::max(a, b));
            const auto found = middle.find(key);
            if (found != middle.end()) {
                return found->second;
            }
            points.push_back(points[static_cast<size_t>(a)] + points[static_cast<size_t>(b)]);
            return middle[key] = static_cast<int>(points.size()) - 1;
        };
        std::vector<std::array<int, 3>> finer;
        for (const auto& [a, b, c] : faces) {
            const int ab = between(a, b);
            const int bc = between(b, c);
            const int ca = between(c, a);
            finer.push_back({a, ab, ca});
            finer.push_back({ab, b, bc});
            finer.push_back({ca, bc, c});
            finer.push_back({ab, bc, ca});
        }
        faces = finer;
        for (Vector3d& p : points) {
            p.normalize();
        }
    }
    SlideShape s;
    s.positions.resize(static_cast<Eigen::Index>(points.size()), 3);
    s.triangles.resize(static_cast<Eigen::Index>(faces.size()), 3);
    for (size_t i = 0; i < points.size(); ++i) {
        s.positions.row(static_cast<Eigen::Index>(i)) = points[i].normalized();
    }
    for (size_t i = 0; i < faces.size(); ++i) {
        s.triangles.row(static_cast<Eigen::Index>(i)) << faces[i][0], faces[i][1], faces[i][2];
    }
    return s;
}

SlideShape slide_disc(int rings) {
    SlideShape s;
    s.positions.resize(1 + 3 * rings * (rings + 1), 3);
    s.positions.row(0).setZero();
    std::vector<std::array<int, 3>> faces;
    const auto start = [](int ring) { return ring == 0 ? 0 : 1 + 3 * ring * (ring - 1); };
    for (int r = 1; r <= rings; ++r) {
        for (int i = 0; i < 6 * r; ++i) {
            const double u = 2.0 * std::numbers::pi * i / (6 * r);
            s.positions.row(start(r) + i) << std::cos(u) * r / rings, std::sin(u) * r / rings, 0.0;
        }
        for (int sector = 0; sector < 6; ++sector) {
            for (int i = 0; i < r; ++i) {
                const int outer = start(r) + (sector * r + i) % (6 * r);
                const int outer_next = start(r) + (sector * r + i + 1) % (6 * r);
                const int inner = r == 1 ? 0 : start(r - 1) + (sector * (r - 1) + i) % (6 * (r - 1));
                faces.push_back({outer, outer_next, inner});
                if (i + 1 < r) {
                    const int inner_next = start(r - 1) + (sector * (r - 1) + i + 1) % (6 * (r - 1));
                    faces.push_back({inner, outer_next, inner_next});
                }
            }
        }
    }
    s.triangles.resize(static_cast<Eigen::Index>(faces.size()), 3);
    for (size_t i = 0; i < faces.size(); ++i) {
        s.triangles.row(static_cast<Eigen::Index>(i)) << faces[i][0], faces[i][1], faces[i][2];
    }
    return s;
}

SlideShape slide_genus_two(int levels) {
    // A plate of 5 x 3 cubes without the second and the fourth of the middle row.
    const auto is_solid = [](int x, int y, int z) {
        return x >= 0 && x < 5 && y >= 0 && y < 3 && z == 0 && !(y == 1 && (x == 1 || x == 3));
    };
    std::map<std::array<int, 3>, int> index;
    std::vector<Vector3d> points;
    const auto vertex = [&](int x, int y, int z) {
        const auto [at, is_new] = index.try_emplace({x, y, z}, static_cast<int>(points.size()));
        if (is_new) {
            points.emplace_back(0.1 * (x - 2.5), 0.1 * (y - 1.5), 0.1 * (z - 0.5));
        }
        return at->second;
    };
    std::vector<std::array<int, 3>> faces;
    for (int x = 0; x < 5; ++x) {
        for (int y = 0; y < 3; ++y) {
            if (!is_solid(x, y, 0)) {
                continue;
            }
            for (int axis = 0; axis < 3; ++axis) {
                for (const int side : {0, 1}) {
                    std::array<int, 3> other = {x, y, 0};
                    other[static_cast<size_t>(axis)] += side == 0 ? -1 : 1;
                    if (is_solid(other[0], other[1], other[2])) {
                        continue;
                    }
                    const size_t b = static_cast<size_t>((axis + 1) % 3);
                    const size_t c = static_cast<size_t>((axis + 2) % 3);
                    int corner[4];
                    for (int k = 0; k < 4; ++k) {
                        std::array<int, 3> at = {x, y, 0};
                        at[static_cast<size_t>(axis)] += side;
                        at[b] += k == 1 || k == 2 ? 1 : 0;
                        at[c] += k >= 2 ? 1 : 0;
                        corner[k] = vertex(at[0], at[1], at[2]);
                    }
                    if (side == 1) {
                        faces.push_back({corner[0], corner[1], corner[2]});
                        faces.push_back({corner[0], corner[2], corner[3]});
                    } else {
                        faces.push_back({corner[0], corner[2], corner[1]});
                        faces.push_back({corner[0], corner[3], corner[2]});
                    }
                }
            }
        }
    }
    MatrixX3i triangles(static_cast<Eigen::Index>(faces.size()), 3);
    for (size_t i = 0; i < faces.size(); ++i) {
        triangles.row(static_cast<Eigen::Index>(i)) << faces[i][0], faces[i][1], faces[i][2];
    }
    MatrixX3d positions(static_cast<Eigen::Index>(points.size()), 3);
    for (size_t i = 0; i < points.size(); ++i) {
        positions.row(static_cast<Eigen::Index>(i)) = points[i];
    }
    const Topology base(triangles, static_cast<int>(points.size()));
    const LoopSubdivision fine(base, levels);
    SlideShape s;
    s.triangles = fine.topology().triangles();
    s.positions.resize(fine.stencils().count(), 3);
    fine.stencils().apply(positions, Workers(1), s.positions);
    return s;
}

SlideSetup::SlideSetup(SlideShape surface, const SlideOptions& options)
    : shape(std::move(surface)),
      topology(std::make_unique<Topology>(shape.triangles, static_cast<int>(shape.positions.rows()))),
      solver(std::make_unique<SlideSolver>(*topology, shape.positions, options, workers)) {}

SlideOptions plain_skin() {
    SlideOptions o;
    o.young_modulus = 4.0 * 100.0 * 50.0 / 150.0;  // mu = 50, k = 100
    o.poisson_ratio = (100.0 - 50.0) / 150.0;
    o.density = 1.0;
    o.damping = 0.0;
    o.stickiness = 0.0;
    o.tether = 0.0;
    o.relax_steps = 0;
    o.implicitness = 1.0;
    o.tolerance = 1e-4;
    return o;
}

Case slide_case(std::string name, double value, double limit, std::string unit, std::string source) {
    return case_at_most("slide", std::move(name), value, limit, std::move(unit), std::move(source));
}

Case slide_case_at_least(std::string name, double value, double limit, std::string unit, std::string source) {
    return case_at_least("slide", std::move(name), value, limit, std::move(unit), std::move(source));
}

}  // namespace cutis::verify
