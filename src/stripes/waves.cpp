#include "stripes/waves.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <numbers>

#include "core/math.h"
#include "stripes/smooth.h"

namespace cutis::stripes {

namespace {

using Complex = std::complex<double>;

constexpr double far_share = 0.05;
// Diffusion of the phase, widths and rounds: long waves first.
struct Round {
    double widths;
    int times;
};
constexpr Round rounds[] = {{30.0, 15}, {8.0, 10}, {2.0, 8}};
constexpr double fork_widths = 0.35;

struct Directions {
    MatrixX3d unit;
    VectorXd stiffness;  // how much the direction counts, 0.01 .. 1.1
    VectorXd coherence;
};

Directions find_directions(const StripeMesh& mesh, const Tensors& squeezed, Diffusion& diffusion,
                           const WaveLook& look) {
    const int count = mesh.vertex_count();
    RowMatrixXd near = RowMatrixXd::Zero(count, 6);
    for (Eigen::Index f = 0; f < mesh.triangles.rows(); ++f) {
        for (int k = 0; k < 3; ++k) {
            const int v = mesh.triangles(f, k);
            near.row(v) += mesh.areas[f] / (3.0 * mesh.masses[v]) * squeezed.row(f);
        }
    }
    RowMatrixXd far = near;
    diffusion.over(look.near_widths, near);
    diffusion.over(look.far_widths, far);
    near += far_share * far;
    Directions found{MatrixX3d(count, 3), VectorXd(count), VectorXd(count)};
    VectorXd strength(count);
    for (int v = 0; v < count; ++v) {
        const Vector3d n = mesh.normals.row(v);
        const Vector3d x = n.unitOrthogonal();
        const Vector3d y = n.cross(x);
        const auto t = near.row(v);
        Eigen::Matrix3d tensor;
        tensor << t[0], t[5], t[4], t[5], t[1], t[3], t[4], t[3], t[2];
        const double xx = x.dot(tensor * x);
        const double xy = x.dot(tensor * y);
        const double yy = y.dot(tensor * y);
        const double radius = math::hypot(0.5 * (xx - yy), xy);
        const double angle = 0.5 * math::atan2(xy, 0.5 * (xx - yy)) + look.turn;
        found.unit.row(v) = math::cos(angle) * x + math::sin(angle) * y;
        strength[v] = 0.5 * (xx + yy) + radius;
        found.coherence[v] = xx + yy > 0.0 ? 2.0 * radius / (xx + yy) : 0.0;
    }
    std::vector<double> sorted(strength.begin(), strength.end());
    const auto high = sorted.begin() + static_cast<std::ptrdiff_t>(0.9 * (count - 1));
    std::nth_element(sorted.begin(), high, sorted.end());
    const double strong = std::max(*high, 1e-12);
    for (int v = 0; v < count; ++v) {
        found.stiffness[v] = 0.01 + std::sqrt(std::clamp(strength[v] / strong, 0.0, 1.0)) * (0.1 + found.coherence[v]);
    }
    return found;
}

/// M + t A with A of the edge energies k |C psi_j - e^{i omega} psi_i|^2.
class PhaseSystem {
public:
    PhaseSystem(const StripeMesh& mesh, const VectorXd& widths, const MatrixX3d& slope, const VectorXd& stiffness)
        : mesh_(mesh) {
        std::vector<SparseEntry> entries;
        const auto& edges = mesh.edges;
        entries.reserve(edges.size() * 8);
        for (size_t e = 0; e < edges.size(); ++e) {
            const auto [j, i] = edges[e];  // j < i
            const double k = mesh.cotangents[static_cast<Eigen::Index>(e)] * widths[i] * widths[j] * 0.5 *
                             (stiffness[i] + stiffness[j]);
            const double sign = slope.row(i).dot(slope.row(j)) < 0.0 ? -1.0 : 1.0;
            const double omega = 0.5 * (slope.row(i) + sign * slope.row(j)).dot(mesh.rest.row(j) - mesh.rest.row(i));
            const double c = math::cos(omega);
            const double s = math::sin(omega);
            for (const int v : {2 * i, 2 * i + 1, 2 * j, 2 * j + 1}) {
                entries.push_back({v, v, k});
            }
            entries.push_back({2 * i, 2 * j, -k * c});
            entries.push_back({2 * i, 2 * j + 1, -k * sign * s});
            entries.push_back({2 * i + 1, 2 * j, k * s});
            entries.push_back({2 * i + 1, 2 * j + 1, -k * sign * c});
        }
        system_ = compress_lower(2 * mesh.vertex_count(), entries);
        energy_ = system_.matrix.values;
    }
    void factor(double times) {
        SparseLower& matrix = system_.matrix;
        for (size_t i = 0; i < energy_.size(); ++i) {
            matrix.values[i] = times * times * energy_[i];
        }
        for (int r = 0; r < matrix.size; ++r) {
            matrix.values[static_cast<size_t>(matrix.row_starts[static_cast<size_t>(r) + 1]) - 1] +=
                mesh_.masses[r / 2];
        }
        if (solver_) {
            solver_->refactor(matrix.values);
        } else {
            solver_.emplace(matrix);
        }
    }
    void diffuse(std::vector<Complex>& phase) const {
        for (size_t v = 0; v < phase.size(); ++v) {
            phase[v] *= mesh_.masses[static_cast<Eigen::Index>(v)];
        }
        solver_->solve({reinterpret_cast<double*>(phase.data()), 2 * phase.size()});
    }

private:
    const StripeMesh& mesh_;
    CompressedEntries system_;
    std::vector<double> energy_;
    std::optional<SparseSolver> solver_;
};

Complex unit(const Complex& z) {
    const double size = math::abs(z);
    return size > 1e-300 ? z / size : Complex(1.0, 0.0);
}

}  // namespace

Waves solve_waves(const StripeMesh& mesh, const VectorXd& widths, const Tensors& squeezed, Diffusion& diffusion,
                  const WaveLook& look) {
    const Directions directions = find_directions(mesh, squeezed, diffusion, look);
    const VectorXd noise = smooth_noise(mesh, diffusion, look.seed);
    Waves waves;
    waves.slope.resize(mesh.rest.rows(), 3);
    for (Eigen::Index v = 0; v < widths.size(); ++v) {
        const double width = widths[v] * math::exp(0.15 * look.irregularity * noise[v]);
        waves.slope.row(v) = std::numbers::pi / width * directions.unit.row(v);
    }
    PhaseSystem system(mesh, widths, waves.slope, directions.stiffness);
    Dice dice(look.seed + 1);
    waves.phase.resize(static_cast<size_t>(widths.size()));
    for (Complex& z : waves.phase) {
        const double re = dice.roll();
        z = unit({re, dice.roll()});
    }
    for (const Round& round : rounds) {
        system.factor(round.widths);
        for (int i = 0; i < round.times; ++i) {
            system.diffuse(waves.phase);
            std::transform(waves.phase.begin(), waves.phase.end(), waves.phase.begin(), unit);
        }
    }
    system.factor(fork_widths);
    std::vector<Complex> smoothed = waves.phase;
    system.diffuse(smoothed);
    waves.coherence = directions.coherence;
    waves.presence.resize(widths.size());
    for (size_t v = 0; v < smoothed.size(); ++v) {
        waves.presence[static_cast<Eigen::Index>(v)] = smooth_step((math::abs(smoothed[v]) - 0.35) / 0.4);
    }
    return waves;
}

Waves::Sample Waves::at(const StripeMesh& mesh, const SurfacePoint& point, const Vector3d& place) const {
    int nearest = 0;
    point.barycentric.maxCoeff(&nearest);
    const auto corner = [&](int k) { return mesh.triangles(point.triangle, k); };
    const Vector3d seen = slope.row(corner(nearest));
    Sample sample{{0.0, 0.0}, Vector3d::Zero(), 0.0};
    for (int k = 0; k < 3; ++k) {
        const int v = corner(k);
        const double b = point.barycentric[k];
        const Vector3d own = slope.row(v);
        const double sign = own.dot(seen) < 0.0 ? -1.0 : 1.0;
        const Complex there = phase[static_cast<size_t>(v)] * math::unit(own.dot(place - Vector3d(mesh.rest.row(v))));
        sample.phase += b * (sign < 0.0 ? std::conj(there) : there);
        sample.slope += b * sign * own;
        sample.presence += b * presence[v];
    }
    sample.phase = unit(sample.phase);
    return sample;
}

StripeCorners stripe_corners(const MatrixX3i& triangles, const MatrixX3d& rest, const MatrixX3d& slope,
                             const std::vector<Complex>& phase, int triangle) {
    const auto& corners = triangles.row(triangle);
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
        return expected + std::remainder(math::arg(own[j] * std::conj(own[i])) - expected, 2.0 * std::numbers::pi);
    };
    result.angle[0] = math::arg(own[0]);
    result.angle[1] = result.angle[0] + difference(0, 1);
    result.angle[2] = result.angle[0] + difference(0, 2);
    // A triangle closes, or is off by whole turns.
    result.is_fork = std::abs(result.angle[1] + difference(1, 2) - result.angle[2]) > 1.0;
    return result;
}

}  // namespace cutis::stripes
