#include "garment.h"

#include <algorithm>
#include <cmath>

namespace cutis::actor {

namespace {

/// Barycentric coordinates of the point of triangle (a, b, c) nearest to p.
Vector3d nearest_barycentric(const Vector3d& p, const Vector3d& a, const Vector3d& b, const Vector3d& c) {
    const Vector3d n = (b - a).cross(c - a);
    const double area2 = n.squaredNorm();
    Vector3d bary((c - b).cross(p - b).dot(n), (a - c).cross(p - c).dot(n), 0.0);
    bary /= area2;
    bary[2] = 1.0 - bary[0] - bary[1];
    if (bary.minCoeff() >= 0.0) {
        return bary;
    }
    // Outside: nearest point of the three sides.
    const Vector3d corner[3] = {a, b, c};
    double best = 1e300;
    for (int k = 0; k < 3; ++k) {
        const Vector3d& u = corner[k];
        const Vector3d& v = corner[(k + 1) % 3];
        const double t = std::clamp((p - u).dot(v - u) / (v - u).squaredNorm(), 0.0, 1.0);
        const double distance = (p - u - t * (v - u)).squaredNorm();
        if (distance < best) {
            best = distance;
            bary.setZero();
            bary[k] = 1.0 - t;
            bary[(k + 1) % 3] = t;
        }
    }
    return bary;
}

}  // namespace

SurfaceMesh cut_garment(const Sculpture& clay, const SurfaceMesh& skin, double gap,
                        const std::function<double(const Vector3d&)>& fence) {
    RemeshGuide guide;
    guide.edge_length = [&](const Vector3d& p) { return clay.edge_length(p); };
    guide.project = [&](const Vector3d& p) { return clay.project(p, gap); };

    SurfaceMesh cloth;
    for (const Vector3d& p : skin.points) {
        cloth.points.push_back(clay.project(p, gap));
    }
    for (const Eigen::Vector3i& t : skin.triangles) {
        if (fence((cloth.points[t[0]] + cloth.points[t[1]] + cloth.points[t[2]]) / 3.0) < 0.0) {
            cloth.triangles.push_back(t);
        }
    }
    keep_largest_piece(cloth);

    // Onto the rim: Newton steps for the fence inside the tangent plane, then back to the surface.
    guide.project_rim = [&](const Vector3d& start) {
        Vector3d p = clay.project(start, gap);
        const double e = 0.02 * clay.base_edge();
        for (int i = 0; i < 5; ++i) {
            const double value = fence(p);
            Vector3d slope;
            for (int k = 0; k < 3; ++k) {
                slope[k] = (fence(p + e * Vector3d::Unit(k)) - fence(p - e * Vector3d::Unit(k))) / (2.0 * e);
            }
            const Vector3d n = clay.gradient(p).normalized();
            slope -= n * n.dot(slope);
            const Vector3d step = slope * (value / std::max(slope.squaredNorm(), 0.04));
            const double limit = 0.5 * clay.base_edge();
            p -= step.norm() > limit ? Vector3d(step * (limit / step.norm())) : step;
            p = clay.project(p, gap);
        }
        return p;
    };
    guide.rounds = 6;
    return remesh(cloth, guide);
}

Eigen::MatrixXd carry_over(const SurfaceMesh& body, const Eigen::MatrixXd& rows, const std::vector<Vector3d>& points) {
    std::vector<std::vector<int>> around(body.points.size());
    for (int f = 0; f < static_cast<int>(body.triangles.size()); ++f) {
        for (int k = 0; k < 3; ++k) {
            around[body.triangles[f][k]].push_back(f);
        }
    }
    Eigen::MatrixXd out(static_cast<Eigen::Index>(points.size()), rows.cols());
    for (size_t i = 0; i < points.size(); ++i) {
        int nearest = 0;
        for (int v = 1; v < static_cast<int>(body.points.size()); ++v) {
            if ((body.points[v] - points[i]).squaredNorm() < (body.points[nearest] - points[i]).squaredNorm()) {
                nearest = v;
            }
        }
        double best = 1e300;
        for (const int f : around[nearest]) {
            const Eigen::Vector3i& t = body.triangles[f];
            const Vector3d b = nearest_barycentric(points[i], body.points[t[0]], body.points[t[1]], body.points[t[2]]);
            const Vector3d at = b[0] * body.points[t[0]] + b[1] * body.points[t[1]] + b[2] * body.points[t[2]];
            if ((at - points[i]).squaredNorm() < best) {
                best = (at - points[i]).squaredNorm();
                out.row(static_cast<Eigen::Index>(i)) =
                    b[0] * rows.row(t[0]) + b[1] * rows.row(t[1]) + b[2] * rows.row(t[2]);
            }
        }
    }
    return out;
}

}  // namespace cutis::actor
