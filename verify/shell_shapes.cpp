#include <array>
#include <cmath>
#include <map>

#include "shell/safe_offset.h"
#include "shell_cases.h"

namespace cutis::verify::shell {

Case at_most(std::string name, double value, double limit, std::string unit, std::string source) {
    return case_at_most("shell", std::move(name), value, limit, std::move(unit), std::move(source));
}

Surface flat_grid(int columns, int rows, double width, double depth) {
    Surface out;
    out.positions.resize((columns + 1) * (rows + 1), 3);
    out.triangles.resize(2 * columns * rows, 3);
    for (int j = 0; j <= rows; ++j) {
        for (int i = 0; i <= columns; ++i) {
            out.positions.row(j * (columns + 1) + i) << width * i / columns, depth * j / rows, 0.0;
        }
    }
    for (int j = 0; j < rows; ++j) {
        for (int i = 0; i < columns; ++i) {
            const int a = j * (columns + 1) + i;
            const int b = a + 1, c = a + columns + 2, d = a + columns + 1;
            const int f = 2 * (j * columns + i);
            if ((i + j) % 2 == 0) {
                out.triangles.row(f) << a, b, c;
                out.triangles.row(f + 1) << a, c, d;
            } else {
                out.triangles.row(f) << a, b, d;
                out.triangles.row(f + 1) << b, c, d;
            }
        }
    }
    return out;
}

Surface sphere(int level, double radius) {
    std::vector<Vector3d> points = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
    std::vector<std::array<int, 3>> faces = {{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4},
                                             {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}};
    for (int l = 0; l < level; ++l) {
        std::map<std::pair<int, int>, int> middles;
        const auto middle = [&](int a, int b) {
            const auto [place, is_new] =
                middles.try_emplace({std::min(a, b), std::max(a, b)}, static_cast<int>(points.size()));
            if (is_new) {
                points.push_back((points[a] + points[b]).normalized());
            }
            return place->second;
        };
        std::vector<std::array<int, 3>> finer;
        for (const auto& [a, b, c] : faces) {
            const int ab = middle(a, b), bc = middle(b, c), ca = middle(c, a);
            finer.push_back({a, ab, ca});
            finer.push_back({b, bc, ab});
            finer.push_back({c, ca, bc});
            finer.push_back({ab, bc, ca});
        }
        faces = finer;
    }
    Surface out;
    out.positions.resize(static_cast<Eigen::Index>(points.size()), 3);
    out.triangles.resize(static_cast<Eigen::Index>(faces.size()), 3);
    for (size_t v = 0; v < points.size(); ++v) {
        out.positions.row(static_cast<Eigen::Index>(v)) = radius * points[v].transpose();
    }
    for (size_t f = 0; f < faces.size(); ++f) {
        out.triangles.row(static_cast<Eigen::Index>(f)) << faces[f][0], faces[f][1], faces[f][2];
    }
    return out;
}

Surface bumpy_sphere(int level, double amplitude, double waves) {
    Surface out = sphere(level);
    for (Eigen::Index v = 0; v < out.positions.rows(); ++v) {
        const Vector3d p = out.positions.row(v);
        const double bump = std::sin(waves * p.x()) * std::sin(waves * p.y() + 0.7) * std::sin(waves * p.z() + 1.3);
        out.positions.row(v) *= 1.0 + amplitude * bump;
    }
    return out;
}

PrismShell slab(const Surface& surface, const Vector3d& offset) {
    return {surface.topology(), surface.positions, surface.positions.rowwise() + offset.transpose()};
}

PrismShell safe_shell(const Surface& surface, double height) {
    SafeOffsetOptions options;
    options.height = height;
    const SafeOffset offset = make_safe_offset(surface.topology(), surface.positions, options, Workers(1));
    return {surface.topology(), surface.positions, offset.positions};
}

}  // namespace cutis::verify::shell
