#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "cutis/core/error.h"
#include "cutis/mesh/repair.h"
#include "mesh/triangle_grid.h"
#include "shell/placement.h"

namespace cutis {

namespace {

constexpr double inside_tolerance = 1e-9;  // of a barycentric weight

class TetSearch {
public:
    explicit TetSearch(const PrismShell& shell) : shell_(shell) {
        const int n = shell.vertex_count();
        MatrixX3d lower(shell.tet_count(), 3);
        MatrixX3d upper(shell.tet_count(), 3);
        inverses_.resize(static_cast<size_t>(shell.tet_count()));
        for (int tet = 0; tet < shell.tet_count(); ++tet) {
            Eigen::Matrix<double, 4, 3> p;
            for (int k = 0; k < 4; ++k) {
                const int i = shell.corners(tet)[k];
                p.row(k) = i < n ? shell.base().row(i) : shell.offset().row(i - n);
            }
            lower.row(tet) = p.colwise().minCoeff();
            upper.row(tet) = p.colwise().maxCoeff();
            if (!shell.is_flat(tet)) {
                Eigen::Matrix3d edges;
                for (int k = 0; k < 3; ++k) {
                    edges.col(k) = (p.row(k) - p.row(3)).transpose();
                }
                inverses_[tet] = {edges.inverse(), p.row(3).transpose()};
            }
        }
        grid_ = BoxGrid(lower, upper);
    }

    /// Lowest place of a position in the shell, if it lies inside.
    bool find(const Vector3d& position, ShellPoint& out) const {
        const Eigen::Vector3i cell = grid_.cell_of(position);
        double lowest = std::numeric_limits<double>::infinity();
        for (const int* tet = grid_.begin(cell); tet != grid_.end(cell); ++tet) {
            if (shell_.is_flat(*tet)) {
                continue;
            }
            const Inverse& inverse = inverses_[*tet];
            Eigen::Vector4d w;
            w.head<3>() = inverse.rows * (position - inverse.last);
            w[3] = 1.0 - w.head<3>().sum();
            if (w.minCoeff() < -inside_tolerance) {
                continue;
            }
            const ShellPoint point = shell_.point({*tet, w});
            const double above = point.height * shell_.triangle_height(point.triangle);
            if (above < lowest) {
                lowest = above;
                out = point;
            }
        }
        return std::isfinite(lowest);
    }

private:
    struct Inverse {
        Eigen::Matrix3d rows;
        Vector3d last;
    };
    const PrismShell& shell_;
    std::vector<Inverse> inverses_;
    BoxGrid grid_;
};

/// Weights of the point of a triangle nearest to p.
Vector3d nearest_weights(const Vector3d& a, const Vector3d& b, const Vector3d& c, const Vector3d& p) {
    const Vector3d ab = b - a, ac = c - a, ap = p - a;
    const double d00 = ab.dot(ab), d01 = ab.dot(ac), d11 = ac.dot(ac);
    const double d20 = ap.dot(ab), d21 = ap.dot(ac);
    const double denominator = d00 * d11 - d01 * d01;
    if (denominator > 0.0) {
        const double v = (d11 * d20 - d01 * d21) / denominator;
        const double w = (d00 * d21 - d01 * d20) / denominator;
        if (v >= 0.0 && w >= 0.0 && v + w <= 1.0) {
            return {1.0 - v - w, v, w};
        }
    }
    // Outside: the nearest point of the three sides.
    Vector3d best(1, 0, 0);
    double nearest = std::numeric_limits<double>::infinity();
    const Vector3d corners[3] = {a, b, c};
    for (int k = 0; k < 3; ++k) {
        const Vector3d& from = corners[k];
        const Vector3d side = corners[(k + 1) % 3] - from;
        const double t = std::clamp((p - from).dot(side) / side.squaredNorm(), 0.0, 1.0);
        const double distance = (from + t * side - p).squaredNorm();
        if (distance < nearest) {
            nearest = distance;
            best.setZero();
            best[k] = 1.0 - t;
            best[(k + 1) % 3] = t;
        }
    }
    return best;
}

/// The column over the nearest base point; `distance` is how far the position is from its place.
ShellPoint nearest_place(const PrismShell& shell, const Vector3d& position, double& distance) {
    ShellPoint best;
    double nearest = std::numeric_limits<double>::infinity();
    const MatrixX3i& triangles = shell.topology().triangles();
    for (int f = 0; f < triangles.rows(); ++f) {
        const Vector3d weights = nearest_weights(shell.base().row(triangles(f, 0)), shell.base().row(triangles(f, 1)),
                                                 shell.base().row(triangles(f, 2)), position);
        const Vector3d at = position_at(shell.base(), triangles, SurfacePoint{f, weights});
        const double square = (at - position).squaredNorm();
        if (square < nearest) {
            nearest = square;
            best.triangle = f;
            best.barycentric = weights;
        }
    }
    const SurfacePoint foot{best.triangle, best.barycentric};
    const Vector3d low = position_at(shell.base(), triangles, foot);
    const Vector3d column = position_at(shell.offset(), triangles, foot) - low;
    const double square = column.squaredNorm();
    best.height = square > 0.0 ? std::clamp((position - low).dot(column) / square, 0.0, 1.0) : 0.0;
    distance = (position_at(shell, shell.base(), shell.offset(), best) - position).norm();
    return best;
}

}  // namespace

int find_pieces(const MatrixX3i& triangles, int vertex_count, std::vector<int>& piece) {
    piece = connected_groups(triangles, vertex_count);
    return piece.empty() ? 0 : *std::max_element(piece.begin(), piece.end()) + 1;
}

void fill_detail_normals(const MatrixX3d& positions, const MatrixX3i& triangles, MatrixX3d& normals) {
    normals.setZero(positions.rows(), 3);
    for (Eigen::Index f = 0; f < triangles.rows(); ++f) {
        const Vector3d a = positions.row(triangles(f, 0));
        const Vector3d normal =
            (positions.row(triangles(f, 1)).transpose() - a).cross(positions.row(triangles(f, 2)).transpose() - a);
        for (int k = 0; k < 3; ++k) {
            normals.row(triangles(f, k)) += normal.transpose();
        }
    }
    for (Eigen::Index v = 0; v < normals.rows(); ++v) {
        const double length = normals.row(v).norm();
        if (length > 0.0) {
            normals.row(v) /= length;
        } else {
            normals.row(v) << 0.0, 0.0, 1.0;
        }
    }
}

PlacedDetail place_mesh(const PrismShell& shell, const ArtMesh& mesh, OutsideDetail outside) {
    const auto count = static_cast<int>(mesh.positions.rows());
    for (Eigen::Index f = 0; f < mesh.triangles.rows(); ++f) {
        for (int k = 0; k < 3; ++k) {
            require(mesh.triangles(f, k) >= 0 && mesh.triangles(f, k) < count, "shell detail '", mesh.name,
                    "': triangle ", f, " uses vertex ", mesh.triangles(f, k), " of ", count);
        }
    }
    const TetSearch search(shell);
    PlacedDetail out;
    out.points.resize(static_cast<size_t>(count));
    int first_outside = -1;
    double first_distance = 0.0;
    for (int v = 0; v < count; ++v) {
        const Vector3d position = mesh.positions.row(v);
        require(position.allFinite(), "shell detail '", mesh.name, "': position ", v, " is not finite");
        ShellPoint& point = out.points[v];
        if (search.find(position, point)) {
            continue;
        }
        ++out.outside;
        double distance = 0.0;
        if (outside == OutsideDetail::nearest || first_outside < 0) {
            point = nearest_place(shell, position, distance);
        }
        if (first_outside < 0) {
            first_outside = v;
            first_distance = distance;
        }
    }
    require(out.outside <= 0 || outside != OutsideDetail::refuse, "shell detail '", mesh.name, "': ", out.outside,
            " of ", count, " vertices lie outside the shell; the first is vertex ", first_outside, ", ", first_distance,
            " m from it (make the shell higher, or move them to the nearest "
            "place in it)");
    out.triangles = mesh.triangles;
    if (mesh.uv.rows() > 0 && mesh.uv.rows() == mesh.positions.rows() && mesh.uv_triangles == mesh.triangles) {
        out.uv = mesh.uv;
    }
    out.piece_count = find_pieces(out.triangles, count, out.piece);
    return out;
}

}  // namespace cutis
