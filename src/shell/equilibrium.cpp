#include "shell/equilibrium.h"

#include <Eigen/LU>
#include <cmath>
#include <map>
#include <numbers>

#include "core/math.h"
#include "cutis/core/error.h"
#include "cutis/mesh/geometry.h"

namespace cutis {

namespace {

constexpr int chunk = 512;
constexpr int lanes = 16;
static_assert(chunk % lanes == 0);
constexpr double thin_area = 1e-12;         // of the rest area: the normal is rounding
constexpr double largest_correction = 0.5;  // of a height, in one round

void check_material(const PrismShell& shell, const EquilibriumOptions& options) {
    check_struct(options, "shell");
    const int triangles = shell.topology().triangle_count();
    const VectorXd& stiffness = options.stiffness;
    require(stiffness.size() == 0 || stiffness.size() == triangles, "shell stiffness: expected ", triangles,
            " numbers, found ", stiffness.size());
    for (Eigen::Index f = 0; f < stiffness.size(); ++f) {
        require(stiffness[f] > 0.0 && std::isfinite(stiffness[f]), "shell stiffness: triangle ", f, " has ",
                stiffness[f], ", expected a number above 0");
    }
}

/// Gradients of the four weights of a tetrahedron, one per row: rows of the inverse of
/// [q1-q4, q2-q4, q3-q4], the fourth minus their sum.
Eigen::Matrix<double, 4, 3> weight_gradients(const PrismShell& shell, int tet) {
    const std::array<int, 4>& corners = shell.corners(tet);
    const int n = shell.vertex_count();
    const auto at = [&](int i) -> Vector3d {
        return i < n ? shell.base().row(i).transpose() : shell.offset().row(i - n).transpose();
    };
    const Vector3d last = at(corners[3]);
    Eigen::Matrix3d edges;
    edges << at(corners[0]) - last, at(corners[1]) - last, at(corners[2]) - last;
    const Eigen::Matrix3d inverse = edges.inverse();
    Eigen::Matrix<double, 4, 3> gradients;
    gradients.topRows<3>() = inverse;
    gradients.row(3) = -inverse.colwise().sum();
    return gradients;
}

}  // namespace

ShellEquilibrium::ShellEquilibrium(const PrismShell& shell, const EquilibriumOptions& options)
    : shell_(&shell), exponent_(options.poisson / (options.poisson - 1.0)), volume_rounds_(options.volume_rounds) {
    check_material(shell, options);
    assemble(options);
    fit_power();
    factor_ = std::make_unique<SparseSolver>(matrix_);
}

void ShellEquilibrium::assemble(const EquilibriumOptions& options) {
    const PrismShell& shell = *shell_;
    const Topology& topology = shell.topology();
    const int n = shell.vertex_count();
    const int triangles = topology.triangle_count();
    const MatrixX3d normals = triangle_normals(shell.base(), topology);
    rest_areas_ = triangle_areas(shell.base(), topology);
    rest_volumes_.setZero(triangles);
    wanted_volumes_.resize(triangles);
    heights_short_.resize(triangles);

    std::vector<SparseEntry> entries;
    entries.reserve(static_cast<size_t>(triangles) * 12);
    std::vector<std::map<int, double>> base_rows(static_cast<size_t>(n));
    MatrixX3d push = MatrixX3d::Zero(triangles, 3);
    for (int f = 0; f < triangles; ++f) {
        const double modulus = options.stiffness.size() ? options.stiffness[f] : 1.0;
        Eigen::Matrix3d sums = Eigen::Matrix3d::Zero();  // sum of W g over the prism, row = corner
        const auto corner_of = [&](int v) {
            const auto row = topology.triangles().row(f);
            return row[0] == v ? 0 : row[1] == v ? 1 : 2;
        };
        for (int tet = 3 * f; tet < 3 * f + 3; ++tet) {
            if (shell.is_flat(tet)) {
                continue;
            }
            rest_volumes_[f] += shell.rest_volume(tet);
            const double weight = modulus * shell.rest_volume(tet);
            const Eigen::Matrix<double, 4, 3> gradients = weight_gradients(shell, tet);
            const std::array<int, 4>& corners = shell.corners(tet);
            // An offset copy without height is its base vertex, not an unknown.
            const auto is_unknown = [&](int i) { return i >= n && shell.height(i - n) > 0.0; };
            for (int i = 0; i < 4; ++i) {
                const int at_i = corners[i];
                if (!is_unknown(at_i)) {
                    continue;
                }
                const int row = at_i - n;
                sums.row(corner_of(row)) += weight * gradients.row(i);
                for (int j = 0; j < 4; ++j) {
                    const int at_j = corners[j];
                    const double value = weight * gradients.row(i).dot(gradients.row(j));
                    if (!is_unknown(at_j)) {
                        base_rows[row][at_j % n] -= value;
                    } else if (at_j <= at_i) {
                        entries.push_back({row, at_j - n, value});
                    }
                }
            }
        }
        // Gradients of the triangle's own weights, in its plane: normal x opposite edge / 2A.
        const Vector3d normal = normals.row(f);
        for (int k = 0; k < 3; ++k) {
            const int from = topology.triangles()(f, (k + 1) % 3);
            const int to = topology.triangles()(f, (k + 2) % 3);
            const Vector3d edge = (shell.base().row(to) - shell.base().row(from)).transpose();
            const Vector3d gradient = normal.cross(edge) / (2.0 * rest_areas_[f]);
            for (int i = 0; i < 3; ++i) {
                const int row = topology.triangles()(f, i);
                if (shell.height(row) > 0.0) {
                    base_rows[row][topology.triangles()(f, k)] += sums.row(i).dot(gradient);
                }
            }
            push(f, k) = sums.row(k).dot(normal);
        }
    }
    double diagonal_sum = 0.0;
    int with_height = 0;
    for (int v = 0; v < n; ++v) {
        if (shell.height(v) == 0.0) {
            entries.push_back({v, v, 1.0});
            base_rows[v] = {{v, 1.0}};
        }
    }
    matrix_ = compress_lower(n, entries).matrix;
    base_starts_ = {0};
    push_starts_ = {0};
    for (int v = 0; v < n; ++v) {
        if (shell.height(v) > 0.0) {
            diagonal_sum += matrix_.values[matrix_.row_starts[static_cast<size_t>(v) + 1] - 1];
            ++with_height;
        }
        for (const auto& [column, value] : base_rows[v]) {
            base_columns_.push_back(column);
            base_weights_.push_back(value);
        }
        base_starts_.push_back(static_cast<int>(base_columns_.size()));
        for (const int f : topology.triangles_around(v)) {
            const auto row = topology.triangles().row(f);
            push_triangles_.push_back(f);
            push_weights_.push_back(push(f, row[0] == v ? 0 : row[1] == v ? 1 : 2));
        }
        push_starts_.push_back(static_cast<int>(push_triangles_.size()));
    }
    require(with_height != 0, "shell: no vertex has any height");
    mean_diagonal_ = diagonal_sum / with_height;
}

/// Chebyshev series of m^exponent on [1, 2]. Its terms fall by 3 + sqrt(8) each: the singularity at
/// 0 lies three half-lengths from the middle.
void ShellEquilibrium::fit_power() {
    const auto count = power_series_.size();
    std::vector<double> samples(2 * count);
    const auto points = static_cast<double>(samples.size());
    for (size_t i = 0; i < samples.size(); ++i) {
        samples[i] =
            math::pow(1.5 + 0.5 * math::cos(std::numbers::pi * (static_cast<double>(i) + 0.5) / points), exponent_);
    }
    for (size_t k = 0; k < count; ++k) {
        double sum = 0.0;
        for (size_t i = 0; i < samples.size(); ++i) {
            sum += samples[i] *
                   math::cos(std::numbers::pi * static_cast<double>(k) * (static_cast<double>(i) + 0.5) / points);
        }
        power_series_[k] = (k == 0 ? 1.0 : 2.0) * sum / points;
    }
    for (size_t i = 0; i < octaves_.size(); ++i) {  // from a quarter up
        octaves_[i] = math::pow(2.0, (static_cast<double>(i) - 2.0) * exponent_);
    }
}

/// Replaces area ratios by thickness factors: r = 2^k m, r^e = (2^k)^e m^e. `count` is a multiple
/// of `lanes`: as many as hide how long each step of the recurrence takes.
void ShellEquilibrium::raise_to_exponent(double* ratios, int count) const {
    for (int i = 0; i < count; i += lanes) {
        using Lanes = Eigen::Array<double, lanes, 1>;
        Lanes scale, t;
        for (int k = 0; k < lanes; ++k) {
            const double r = std::clamp(ratios[i + k], least_area_ratio, most_area_ratio);
            const int octave = r < 0.5 ? 0 : r < 1.0 ? 1 : r < 2.0 ? 2 : 3;
            constexpr double lengths[4] = {4.0, 2.0, 1.0, 0.5};
            scale[k] = octaves_[octave];
            t[k] = 2.0 * (r * lengths[octave]) - 3.0;
        }
        // Clenshaw's recurrence.
        Lanes ahead = Lanes::Zero();
        Lanes further = Lanes::Zero();
        for (size_t j = power_series_.size() - 1; j >= 1; --j) {
            const Lanes next = (power_series_[j] - further) + (2.0 * t) * ahead;
            further = ahead;
            ahead = next;
        }
        Eigen::Map<Lanes>(ratios + i) = scale * ((power_series_[0] - further) + t * ahead);
    }
}

void ShellEquilibrium::fill_pushes(const MatrixX3d& base, const Workers& workers) {
    const Topology& topology = shell_->topology();
    const int triangles = topology.triangle_count();
    pushes_.resize(triangles, 3);
    const auto twice_area = [&](int f) -> Vector3d {
        const auto corners = topology.triangles().row(f);
        const Vector3d a = base.row(corners[0]);
        return (base.row(corners[1]).transpose() - a).cross(base.row(corners[2]).transpose() - a);
    };
    const double borrowed = workers.sum_chunks(triangles, chunk, [&](int begin, int end) {
        double ratios[chunk];
        double area_ratios[chunk];
        int count = 0;
        for (int f = begin; f < end; ++f) {
            Vector3d normal = twice_area(f);
            double length = normal.norm();
            area_ratios[f - begin] = ratios[f - begin] = 0.5 * length / rest_areas_[f];
            if (!(length > thin_area * rest_areas_[f])) {
                // A triangle of no area takes the mean normal of the triangles around its corners.
                ++count;
                normal.setZero();
                for (int k = 0; k < 3; ++k) {
                    for (const int g : topology.triangles_around(topology.triangles()(f, k))) {
                        normal += twice_area(g);
                    }
                }
                length = normal.norm();
            }
            const double inverse = length > 0.0 ? 1.0 / length : 0.0;
            pushes_.row(f) = inverse * normal.transpose();
        }
        int filled = end - begin;
        while (filled % lanes != 0) {
            ratios[filled++] = 1.0;
        }
        raise_to_exponent(ratios, filled);
        for (int f = begin; f < end; ++f) {
            pushes_.row(f) *= ratios[f - begin];
            wanted_volumes_[f] = rest_volumes_[f] * area_ratios[f - begin] * ratios[f - begin];
        }
        return static_cast<double>(count);
    });
    borrowed_normals_ = static_cast<int>(borrowed);
}

void ShellEquilibrium::solve(const MatrixX3d& base, const Workers& workers, MatrixX3d& offset) {
    const int n = shell_->vertex_count();
    require(base.rows() == n, "shell base: expected ", n, " positions, found ", base.rows());
    if (!base.allFinite()) {
        for (int v = 0; v < n; ++v) {
            require(base.row(v).allFinite(), "shell base: position ", v, " is not finite");
        }
    }
    fill_pushes(base, workers);
    offset.resize(n, 3);
    solve_pushes(base, workers, offset);
    for (int round = 0; round < volume_rounds_; ++round) {
        correct_volumes(base, workers, offset);
    }
}

/// Higher where prisms fall short of the volume Eq. 2 means them to have, lower where they exceed
/// it: the area of a triangle stands for that of all heights above it, which holds while the shell
/// is flat. All heights of a prism times 1 + t change its volume by t (2 whole - straight), nearly:
/// sides that lean make the upper part count more.
void ShellEquilibrium::correct_volumes(const MatrixX3d& base, const Workers& workers, MatrixX3d& offset) {
    const Topology& topology = shell_->topology();
    workers.for_chunks(topology.triangle_count(), chunk, [&](int begin, int end) {
        for (int f = begin; f < end; ++f) {
            const PrismVolume volume = prism_volume(*shell_, f, base, offset);
            const double slope = 2.0 * volume.whole - volume.straight;
            const bool is_sound = volume.whole > 0.0 && slope > 0.5 * volume.whole;
            heights_short_[f] = is_sound ? std::clamp((wanted_volumes_[f] - volume.whole) / slope, -largest_correction,
                                                      largest_correction)
                                         : 0.0;
        }
    });
    workers.for_chunks(shell_->vertex_count(), chunk, [&](int begin, int end) {
        for (int v = begin; v < end; ++v) {
            double sum = 0.0;
            double area = 0.0;
            for (const int f : topology.triangles_around(v)) {
                sum += rest_areas_[f] * heights_short_[f];
                area += rest_areas_[f];
            }
            offset.row(v) += sum / area * (offset.row(v) - base.row(v));
        }
    });
}

void ShellEquilibrium::solve_pushes(const MatrixX3d& base, const Workers& workers, MatrixX3d& offset) const {
    const int n = shell_->vertex_count();
    workers.for_chunks(n, chunk, [&](int begin, int end) {
        for (int v = begin; v < end; ++v) {
            const auto row = static_cast<size_t>(v);
            double x = 0.0, y = 0.0, z = 0.0;
            for (int i = base_starts_[row]; i < base_starts_[row + 1]; ++i) {
                const double* p = base.data() + 3 * base_columns_[i];
                const double weight = base_weights_[i];
                x += weight * p[0];
                y += weight * p[1];
                z += weight * p[2];
            }
            for (int i = push_starts_[row]; i < push_starts_[row + 1]; ++i) {
                const double* p = pushes_.data() + 3 * push_triangles_[i];
                const double weight = push_weights_[i];
                x += weight * p[0];
                y += weight * p[1];
                z += weight * p[2];
            }
            double* to = offset.data() + 3 * static_cast<Eigen::Index>(v);
            to[0] = x;
            to[1] = y;
            to[2] = z;
        }
    });
    factor_->solve(offset);
}

void ShellEquilibrium::solve_system(std::span<double> values, int columns) const {
    factor_->solve_many(values, columns);
}

}  // namespace cutis
