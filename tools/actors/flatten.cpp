#include <Eigen/SparseCholesky>
#include <algorithm>
#include <cmath>
#include <limits>

#include "cutis/core/error.h"
#include "uv.h"

namespace cutis::actor {

namespace {

using Sparse = Eigen::SparseMatrix<double>;

double cross(const Vector2d& a, const Vector2d& b) {
    return a.x() * b.y() - a.y() * b.x();
}

double side(const Vector2d& a, const Vector2d& b, const Vector2d& c) {
    return cross(b - a, c - a);
}

/// Rest triangles in their own planes: inverse edge matrices and areas.
struct RestShape {
    std::vector<Eigen::Matrix2d> inverse;
    std::vector<double> area;
    double total = 0.0;

    explicit RestShape(const Chart& chart) {
        for (const Eigen::Vector3i& t : chart.corners) {
            const Vector3d e1 = chart.points[t[1]] - chart.points[t[0]];
            const Vector3d e2 = chart.points[t[2]] - chart.points[t[0]];
            const double l = e1.norm();
            const double x = e2.dot(e1) / l;
            const double y = std::sqrt(std::max(e2.squaredNorm() - x * x, 1e-30));
            Eigen::Matrix2d edges;
            edges << l, x, 0.0, y;
            inverse.push_back(edges.inverse());
            area.push_back(0.5 * l * y);
            total += area.back();
        }
    }
};

Eigen::MatrixX2d tutte(const Chart& chart) {
    const int count = static_cast<int>(chart.points.size());
    std::vector<char> fixed(chart.points.size(), 0);
    Eigen::MatrixX2d x = Eigen::MatrixX2d::Zero(count, 2);
    double length = 0.0;
    for (size_t i = 0; i < chart.rim.size(); ++i) {
        length += (chart.points[chart.rim[(i + 1) % chart.rim.size()]] - chart.points[chart.rim[i]]).norm();
    }
    double walked = 0.0;
    for (size_t i = 0; i < chart.rim.size(); ++i) {
        const double angle = 2.0 * M_PI * walked / length;
        x.row(chart.rim[i]) << std::cos(angle), std::sin(angle);
        fixed[chart.rim[i]] = 1;
        walked += (chart.points[chart.rim[(i + 1) % chart.rim.size()]] - chart.points[chart.rim[i]]).norm();
    }
    // Uniform weights: Tutte's theorem then needs nothing of the triangles' shapes.
    std::vector<Eigen::Triplet<double>> entries;
    Eigen::MatrixX2d pull = Eigen::MatrixX2d::Zero(count, 2);
    for (const Eigen::Vector3i& t : chart.corners) {
        for (int k = 0; k < 3; ++k) {
            const int a = t[k];
            const int b = t[(k + 1) % 3];
            for (const auto& [from, to] : {std::pair{a, b}, std::pair{b, a}}) {
                if (fixed[from]) {
                    continue;
                }
                entries.emplace_back(from, from, 1.0);
                if (fixed[to]) {
                    pull.row(from) += x.row(to);
                } else {
                    entries.emplace_back(from, to, -1.0);
                }
            }
        }
    }
    for (int v = 0; v < count; ++v) {
        if (fixed[v]) {
            entries.emplace_back(v, v, 1.0);
            pull.row(v) = x.row(v);
        }
    }
    Sparse matrix(count, count);
    matrix.setFromTriplets(entries.begin(), entries.end());
    const Eigen::SimplicialLDLT<Sparse> factor(matrix);
    if (factor.info() != Eigen::Success) {
        throw SolverFailure("actor: a UV chart could not be embedded");
    }
    return factor.solve(pull);
}

/// Symmetric Dirichlet energy sum A (|J|^2 + |J^-1|^2) and its gradient; infinite when flipped.
double distortion(const Chart& chart, const RestShape& rest, const Eigen::MatrixX2d& x, Eigen::MatrixX2d* gradient) {
    double energy = 0.0;
    if (gradient != nullptr) {
        gradient->setZero(x.rows(), 2);
    }
    for (size_t f = 0; f < chart.corners.size(); ++f) {
        const Eigen::Vector3i& t = chart.corners[f];
        Eigen::Matrix2d edges;
        edges.col(0) = x.row(t[1]) - x.row(t[0]);
        edges.col(1) = x.row(t[2]) - x.row(t[0]);
        const Eigen::Matrix2d J = edges * rest.inverse[f];
        const double det = J.determinant();
        if (det <= 1e-9) {
            return std::numeric_limits<double>::infinity();
        }
        const double square = J.squaredNorm();
        energy += rest.area[f] * square * (1.0 + 1.0 / (det * det));
        if (gradient != nullptr) {
            Eigen::Matrix2d cofactor;
            cofactor << J(1, 1), -J(1, 0), -J(0, 1), J(0, 0);
            const Eigen::Matrix2d stress =
                2.0 * rest.area[f] * (J * (1.0 + 1.0 / (det * det)) - cofactor * (square / (det * det * det)));
            const Eigen::Matrix2d pull = stress * rest.inverse[f].transpose();
            gradient->row(t[1]) += pull.col(0).transpose();
            gradient->row(t[2]) += pull.col(1).transpose();
            gradient->row(t[0]) -= (pull.col(0) + pull.col(1)).transpose();
        }
    }
    return energy;
}

/// Largest step along d that keeps every triangle's orientation.
double largest_step(const Chart& chart, const Eigen::MatrixX2d& x, const Eigen::MatrixX2d& d) {
    double largest = 1e9;
    for (const Eigen::Vector3i& t : chart.corners) {
        const Vector2d e1 = x.row(t[1]) - x.row(t[0]), e2 = x.row(t[2]) - x.row(t[0]);
        const Vector2d d1 = d.row(t[1]) - d.row(t[0]), d2 = d.row(t[2]) - d.row(t[0]);
        const double a = cross(d1, d2);
        const double b = cross(e1, d2) + cross(d1, e2);
        const double c = cross(e1, e2);
        // Smallest positive root of a s^2 + b s + c, in the form that does not cancel.
        const double root = b * b - 4.0 * a * c;
        if (root < 0.0) {
            continue;
        }
        const double q = -0.5 * (b + (b > 0.0 ? std::sqrt(root) : -std::sqrt(root)));
        for (const double s : {a != 0.0 ? q / a : -1.0, q != 0.0 ? c / q : -1.0}) {
            if (s > 0.0) {
                largest = std::min(largest, s);
            }
        }
    }
    return largest;
}

bool rim_is_simple(const Chart& chart, const Eigen::MatrixX2d& x) {
    std::vector<Vector2d> polygon;
    polygon.reserve(chart.rim.size());
    for (const int v : chart.rim) {
        polygon.emplace_back(x(v, 0), x(v, 1));
    }
    return is_simple(polygon);
}

}  // namespace

bool is_simple(const std::vector<Vector2d>& polygon) {
    const int n = static_cast<int>(polygon.size());
    // Sweep by x: only segments whose x ranges overlap are compared.
    std::vector<std::pair<double, int>> order;
    order.reserve(polygon.size());
    for (int i = 0; i < n; ++i) {
        order.emplace_back(std::min(polygon[i].x(), polygon[(i + 1) % n].x()), i);
    }
    std::sort(order.begin(), order.end());
    for (int i = 0; i < n; ++i) {
        const int s = order[i].second;
        const Vector2d& a = polygon[s];
        const Vector2d& b = polygon[(s + 1) % n];
        const double right = std::max(a.x(), b.x());
        const double low = std::min(a.y(), b.y()), high = std::max(a.y(), b.y());
        for (int j = i + 1; j < n && order[j].first <= right; ++j) {
            const int r = order[j].second;
            if (r == (s + 1) % n || s == (r + 1) % n) {
                continue;
            }
            const Vector2d& c = polygon[r];
            const Vector2d& d = polygon[(r + 1) % n];
            if (std::min(c.y(), d.y()) > high || std::max(c.y(), d.y()) < low) {
                continue;
            }
            if (side(a, b, c) * side(a, b, d) <= 0.0 && side(c, d, a) * side(c, d, b) <= 0.0) {
                return false;
            }
        }
    }
    return true;
}

std::vector<Vector2d> flatten(const Chart& chart) {
    constexpr int iterations = 60;
    const int count = static_cast<int>(chart.points.size());
    const RestShape rest(chart);
    Eigen::MatrixX2d x = tutte(chart) * std::sqrt(rest.total / M_PI);

    std::vector<Eigen::Triplet<double>> entries;
    for (size_t f = 0; f < chart.corners.size(); ++f) {
        const Eigen::Vector3i& t = chart.corners[f];
        Eigen::Matrix<double, 2, 3> hats;
        hats.col(1) = rest.inverse[f].row(0).transpose();
        hats.col(2) = rest.inverse[f].row(1).transpose();
        hats.col(0) = -hats.col(1) - hats.col(2);
        for (int i = 0; i < 3; ++i) {
            for (int j = 0; j < 3; ++j) {
                entries.emplace_back(t[i], t[j], 4.0 * rest.area[f] * hats.col(i).dot(hats.col(j)));
            }
        }
    }
    for (int v = 0; v < count; ++v) {
        entries.emplace_back(v, v, 1e-6);  // the energy does not see where the chart lies
    }
    Sparse proxy(count, count);
    proxy.setFromTriplets(entries.begin(), entries.end());
    const Eigen::SimplicialLDLT<Sparse> factor(proxy);
    if (factor.info() != Eigen::Success) {
        throw SolverFailure("actor: the proxy of a UV chart could not be factored");
    }

    Eigen::MatrixX2d before = x;
    Eigen::MatrixX2d gradient;
    double energy = distortion(chart, rest, x, nullptr);
    if (!std::isfinite(energy)) {
        throw SolverFailure("actor: Tutte's embedding of a UV chart is flipped");
    }
    for (int i = 0; i < iterations; ++i) {
        // Nesterov's look-ahead, when it is a legal state itself.
        const Eigen::MatrixX2d ahead = x + 0.8 * (x - before);
        before = x;
        const double energy_ahead = distortion(chart, rest, ahead, nullptr);
        if (energy_ahead < energy && rim_is_simple(chart, ahead)) {
            x = ahead;
            energy = energy_ahead;
        }
        distortion(chart, rest, x, &gradient);
        const Eigen::MatrixX2d direction = -factor.solve(gradient);
        const double slope = gradient.cwiseProduct(direction).sum();
        if (!(slope < -1e-9 * energy)) {
            break;
        }
        double step = std::min(1.0, 0.8 * largest_step(chart, x, direction));
        bool accepted = false;
        for (int tries = 0; tries < 20 && !accepted; ++tries, step *= 0.5) {
            const Eigen::MatrixX2d next = x + step * direction;
            const double energy_next = distortion(chart, rest, next, nullptr);
            if (energy_next <= energy + 1e-4 * step * slope && rim_is_simple(chart, next)) {
                x = next;
                energy = energy_next;
                accepted = true;
            }
        }
        if (!accepted) {
            break;
        }
    }
    std::vector<Vector2d> out;
    out.reserve(chart.points.size());
    for (int v = 0; v < count; ++v) {
        out.emplace_back(x(v, 0), x(v, 1));
    }
    return out;
}

}  // namespace cutis::actor
