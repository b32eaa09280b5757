#include "mesh/stripe_phase.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <numbers>

namespace cutis {

namespace {

using Complex = std::complex<double>;

// Directions follow compression within half a width; where there is none nearby, that within three.
constexpr double near_widths = 0.5;
constexpr double far_widths = 3.0;
constexpr double far_share = 0.05;
// Diffusion of the phase, widths and rounds: long waves first.
struct Round {
    double widths;
    int times;
};
constexpr Round rounds[] = {{30.0, 15}, {8.0, 10}, {2.0, 8}};
constexpr double fork_widths = 0.35;

/// M + t A with A of the edge energies k |C psi_j - e^{i omega} psi_i|^2.
class PhaseSystem {
public:
    PhaseSystem(const SurfaceMetric& metric, const VectorXd& widths, const MatrixX3d& slope, const VectorXd& weight)
        : metric_(metric) {
        std::vector<SparseEntry> entries;
        const auto& edges = metric.topology.edges();
        entries.reserve(edges.size() * 8);
        for (size_t e = 0; e < edges.size(); ++e) {
            const auto [j, i] = edges[e];  // j < i
            const double k =
                metric.cotangents[static_cast<Eigen::Index>(e)] * widths[i] * widths[j] * 0.5 * (weight[i] + weight[j]);
            const double sign = slope.row(i).dot(slope.row(j)) < 0.0 ? -1.0 : 1.0;
            const double omega =
                0.5 * (slope.row(i) + sign * slope.row(j)).dot(metric.rest.row(j) - metric.rest.row(i));
            const double c = std::cos(omega);
            const double s = std::sin(omega);
            for (const int v : {2 * i, 2 * i + 1, 2 * j, 2 * j + 1}) {
                entries.push_back({v, v, k});
            }
            entries.push_back({2 * i, 2 * j, -k * c});
            entries.push_back({2 * i, 2 * j + 1, -k * sign * s});
            entries.push_back({2 * i + 1, 2 * j, k * s});
            entries.push_back({2 * i + 1, 2 * j + 1, -k * sign * c});
        }
        system_ = compress_lower(2 * metric.topology.vertex_count(), entries);
        energy_ = system_.matrix.values;
    }
    void factor(double times) {
        SparseLower& matrix = system_.matrix;
        for (size_t i = 0; i < energy_.size(); ++i) {
            matrix.values[i] = times * times * energy_[i];
        }
        for (int r = 0; r < matrix.size; ++r) {
            matrix.values[static_cast<size_t>(matrix.row_starts[static_cast<size_t>(r) + 1]) - 1] +=
                metric_.masses[r / 2];
        }
        if (solver_) {
            solver_->refactor(matrix.values);
        } else {
            solver_.emplace(matrix);
        }
    }
    void diffuse(std::vector<Complex>& phase) const {
        for (size_t v = 0; v < phase.size(); ++v) {
            phase[v] *= metric_.masses[static_cast<Eigen::Index>(v)];
        }
        solver_->solve({reinterpret_cast<double*>(phase.data()), 2 * phase.size()});
    }

private:
    const SurfaceMetric& metric_;
    CompressedEntries system_;
    std::vector<double> energy_;
    std::optional<SparseSolver> solver_;
};

Complex unit(const Complex& z) {
    const double size = std::abs(z);
    return size > 1e-300 ? z / size : Complex(1.0, 0.0);
}
double smooth_step(double t) {
    t = std::clamp(t, 0.0, 1.0);
    return t * t * (3.0 - 2.0 * t);
}

}  // namespace

StripeDirections find_stripe_directions(const SurfaceMetric& metric, const MatrixX3d& normals, const Tensors& tensors,
                                        Diffusion& diffusion) {
    const MatrixX3i& triangles = metric.topology.triangles();
    const int count = metric.topology.vertex_count();
    RowMatrixXd near = RowMatrixXd::Zero(count, 6);
    for (int f = 0; f < metric.topology.triangle_count(); ++f) {
        const auto corner = [&](int k) { return Vector3d(metric.rest.row(triangles(f, k))); };
        const double area = 0.5 * (corner(1) - corner(0)).cross(corner(2) - corner(0)).norm();
        for (int k = 0; k < 3; ++k) {
            const int v = triangles(f, k);
            near.row(v) += area / (3.0 * metric.masses[v]) * tensors.row(f);
        }
    }
    RowMatrixXd far = near;
    diffusion.over(near_widths, near);
    diffusion.over(far_widths, far);
    near += far_share * far;
    StripeDirections found{MatrixX3d(count, 3), VectorXd(count)};
    VectorXd strength(count);
    VectorXd coherence(count);
    for (int v = 0; v < count; ++v) {
        const Vector3d n = normals.row(v);
        const Vector3d x = n.unitOrthogonal();
        const Vector3d y = n.cross(x);
        const auto t = near.row(v);
        Eigen::Matrix3d tensor;
        tensor << t[0], t[5], t[4], t[5], t[1], t[3], t[4], t[3], t[2];
        const double xx = x.dot(tensor * x);
        const double xy = x.dot(tensor * y);
        const double yy = y.dot(tensor * y);
        const double radius = std::hypot(0.5 * (xx - yy), xy);
        const double angle = 0.5 * std::atan2(xy, 0.5 * (xx - yy));
        found.unit.row(v) = std::cos(angle) * x + std::sin(angle) * y;
        strength[v] = 0.5 * (xx + yy) + radius;
        coherence[v] = xx + yy > 0.0 ? 2.0 * radius / (xx + yy) : 0.0;
    }
    std::vector<double> sorted(strength.begin(), strength.end());
    const auto high = sorted.begin() + static_cast<std::ptrdiff_t>(0.9 * (count - 1));
    std::nth_element(sorted.begin(), high, sorted.end());
    const double strong = std::max(*high, 1e-12);
    for (int v = 0; v < count; ++v) {
        found.weight[v] = 0.01 + std::sqrt(std::clamp(strength[v] / strong, 0.0, 1.0)) * (0.1 + coherence[v]);
    }
    return found;
}

StripePhase solve_stripe_phase(const SurfaceMetric& metric, const VectorXd& widths, const MatrixX3d& slope,
                               const VectorXd& weight, unsigned seed) {
    PhaseSystem system(metric, widths, slope, weight);
    Dice dice(seed);
    StripePhase stripes;
    stripes.phase.resize(static_cast<size_t>(widths.size()));
    for (Complex& z : stripes.phase) {
        const double re = dice.roll();
        z = unit({re, dice.roll()});
    }
    for (const Round& round : rounds) {
        system.factor(round.widths);
        for (int i = 0; i < round.times; ++i) {
            system.diffuse(stripes.phase);
            std::transform(stripes.phase.begin(), stripes.phase.end(), stripes.phase.begin(), unit);
        }
    }
    system.factor(fork_widths);
    std::vector<Complex> smoothed = stripes.phase;
    system.diffuse(smoothed);
    stripes.presence.resize(widths.size());
    for (size_t v = 0; v < smoothed.size(); ++v) {
        stripes.presence[static_cast<Eigen::Index>(v)] = smooth_step((std::abs(smoothed[v]) - 0.35) / 0.4);
    }
    return stripes;
}

StripeCorners stripe_corners(const Topology& topology, const MatrixX3d& rest, const MatrixX3d& slope,
                             const std::vector<Complex>& phase, int triangle) {
    const auto& corners = topology.triangles().row(triangle);
    const Vector3d first = slope.row(corners[0]);
    StripeCorners result;
    Complex own[3];
    for (int k = 0; k < 3; ++k) {
        own[k] = phase[static_cast<size_t>(corners[k])];
        const Vector3d s = slope.row(corners[k]);
        const bool is_turned = s.dot(first) < 0.0;
        own[k] = is_turned ? std::conj(own[k]) : own[k];
        result.slope[k] = is_turned ? Vector3d(-s) : s;
    }
    const auto difference = [&](int i, int j) {
        const Vector3d edge = rest.row(corners[j]) - rest.row(corners[i]);
        const double expected = 0.5 * (result.slope[i] + result.slope[j]).dot(edge);
        return expected + std::remainder(std::arg(own[j] * std::conj(own[i])) - expected, 2.0 * std::numbers::pi);
    };
    result.angle[0] = std::arg(own[0]);
    result.angle[1] = result.angle[0] + difference(0, 1);
    result.angle[2] = result.angle[0] + difference(0, 2);
    // A triangle closes, or is off by whole turns.
    result.is_fork = std::abs(result.angle[1] + difference(1, 2) - result.angle[2]) > 1.0;
    return result;
}

}  // namespace cutis
