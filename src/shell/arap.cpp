#include "shell/arap.h"

#include <Eigen/Geometry>
#include <cmath>

#include "core/geometry.h"
#include "cutis/core/error.h"
#include "cutis/mesh/geometry.h"

namespace cutis {

namespace {

constexpr double least_weight = 1e-3;  // cotangents of obtuse corners are cut to this

/// Rotation nearest to a matrix: its quaternion is the eigenvector of the largest eigenvalue of
/// Horn's 4 x 4 matrix, found by Newton's method on the characteristic polynomial from above (all
/// roots are real: it falls monotonically), the vector from the adjugate (Theobald 2005). About ten
/// times as fast as the general decomposition, which takes over where two eigenvalues are close.
Eigen::Matrix3d nearest_rotation(const Eigen::Matrix3d& matrix) {
    const double size = matrix.norm();
    if (!(size > 0.0) || !std::isfinite(size)) {
        return polar_decomposition(matrix).rotation;
    }
    const Eigen::Matrix3d f = matrix / size;
    Eigen::Matrix4d k;
    k << f(0, 0) + f(1, 1) + f(2, 2), f(2, 1) - f(1, 2), f(0, 2) - f(2, 0), f(1, 0) - f(0, 1),  //
        0, f(0, 0) - f(1, 1) - f(2, 2), f(1, 0) + f(0, 1), f(0, 2) + f(2, 0),                   //
        0, 0, f(1, 1) - f(0, 0) - f(2, 2), f(2, 1) + f(1, 2),                                   //
        0, 0, 0, f(2, 2) - f(0, 0) - f(1, 1);
    k.triangularView<Eigen::StrictlyLower>() = k.transpose();
    // Polynomial x^4 + c2 x^2 + c1 x + c0 of the traceless matrix.
    const double c2 = -2.0;  // -2 |F|^2
    const double c1 = -8.0 * f.determinant();
    const double c0 = k.determinant();
    double x = std::sqrt(3.0);  // the singular values of a matrix of norm 1 add up to no more
    for (int i = 0; i < 60; ++i) {
        const double value = ((x * x + c2) * x + c1) * x + c0;
        const double slope = (4.0 * x * x + 2.0 * c2) * x + c1;
        const double step = slope > 0.0 ? value / slope : 0.0;
        x -= step;
        if (!(step > 1e-15)) {
            break;
        }
    }
    k.diagonal().array() -= x;
    // Columns of the adjugate are multiples of the eigenvector; the longest one is the most exact.
    Eigen::Vector4d best = Eigen::Vector4d::Zero();
    for (int column = 0; column < 4; ++column) {
        Eigen::Vector4d cofactors;
        for (int row = 0; row < 4; ++row) {
            Eigen::Matrix3d minor;
            for (int i = 0, r = 0; i < 4; ++i) {
                for (int j = 0, c = 0; i != row && j < 4; ++j) {
                    if (j != column) {
                        minor(r, c++) = k(i, j);
                    }
                }
                r += i != row ? 1 : 0;
            }
            cofactors[row] = (row + column) % 2 == 0 ? minor.determinant() : -minor.determinant();
        }
        if (cofactors.squaredNorm() > best.squaredNorm()) {
            best = cofactors;
        }
    }
    constexpr double least_gap = 1e-5;  // product of the distances to the other eigenvalues
    if (!(best.norm() > least_gap)) {
        return polar_decomposition(matrix).rotation;
    }
    best.normalize();
    return Eigen::Quaterniond(best[0], best[1], best[2], best[3]).toRotationMatrix();
}

/// The same from a rotation close to it: Newton's method for the largest trace of R^T matrix. With A = R^T matrix a
/// turn by w changes it by w.a - w.(tr A - sym A) w / 2, a being the axis of A - A^T; its only maximum is where that
/// quadratic form is positive. A third of the general way's time, two or three steps.
Eigen::Matrix3d nearest_rotation(const Eigen::Matrix3d& matrix, const Eigen::Matrix3d& guess) {
    constexpr int most_steps = 6;
    constexpr double enough = 1e-10;  // squared turn; what is left after it is as small
    Eigen::Matrix3d rotation = guess;
    for (int step = 0; step < most_steps; ++step) {
        const Eigen::Matrix3d a = rotation.transpose() * matrix;
        const double trace = a.trace();
        const double xx = trace - a(0, 0), yy = trace - a(1, 1), zz = trace - a(2, 2);
        const double xy = -0.5 * (a(0, 1) + a(1, 0)), xz = -0.5 * (a(0, 2) + a(2, 0)), yz = -0.5 * (a(1, 2) + a(2, 1));
        const double minor = xx * yy - xy * xy;
        const double first = yy * zz - yz * yz, second = xz * yz - xy * zz, third = xy * yz - xz * yy;
        const double determinant = xx * first + xy * second + xz * third;
        if (!(xx > 0.0 && minor > 1e-6 * trace * trace && determinant > 1e-9 * trace * trace * trace)) {
            break;
        }
        const Vector3d axis(a(2, 1) - a(1, 2), a(0, 2) - a(2, 0), a(1, 0) - a(0, 1));
        const Vector3d turn = Vector3d(first * axis[0] + second * axis[1] + third * axis[2],
                                       second * axis[0] + (xx * zz - xz * xz) * axis[1] + (xy * xz - xx * yz) * axis[2],
                                       third * axis[0] + (xy * xz - xx * yz) * axis[1] + minor * axis[2]) /
                              determinant;
        const double square = turn.squaredNorm();
        rotation = rotation * Eigen::Quaterniond(1.0, 0.5 * turn[0], 0.5 * turn[1], 0.5 * turn[2]).normalized();
        if (square <= enough) {
            return rotation;
        }
    }
    return nearest_rotation(matrix);
}

/// Cotangent of the angle opposite to each edge, halved and summed over its triangles.
std::vector<double> edge_weights(const Topology& topology, const MatrixX3d& rest) {
    std::vector<double> weights(topology.edges().size(), 0.0);
    for (int f = 0; f < topology.triangle_count(); ++f) {
        for (int k = 0; k < 3; ++k) {
            const Vector3d apex = rest.row(topology.triangles()(f, (k + 2) % 3));
            const Vector3d a = rest.row(topology.triangles()(f, k)).transpose() - apex;
            const Vector3d b = rest.row(topology.triangles()(f, (k + 1) % 3)).transpose() - apex;
            const double twice_area = a.cross(b).norm();
            weights[topology.edge_of_side(f, k)] += twice_area > 0.0 ? 0.5 * a.dot(b) / twice_area : 0.0;
        }
    }
    for (double& weight : weights) {
        weight = std::max(weight, least_weight);
    }
    return weights;
}

}  // namespace

ArapDeformer::ArapDeformer(const Topology& topology, const MatrixX3d& rest, const ArapOptions& options)
    : topology_(topology), options_(options) {
    const int n = topology.vertex_count();
    require(rest.rows() == n && rest.allFinite(), "shell base: expected ", n, " finite positions, found ", rest.rows());
    require(options.tolerance >= 0.0, "shell handles: expected a tolerance of at least 0, found ", options.tolerance);
    require(options.reach > 0.0 && options.rounds >= 1 && options.rounds <= 1000,
            "shell reach: expected above 0 m and 1 .. 1000 rounds, found ", options.reach, " and ", options.rounds);
    is_pinned_.assign(static_cast<size_t>(n), 0);
    std::vector<unsigned char> is_held(static_cast<size_t>(topology.part_count()), std::isinf(options.reach) ? 0 : 1);
    for (const int v : options.pinned) {
        require(v >= 0 && v < n, "shell pinned: vertex ", v, ", expected 0 .. ", n - 1);
        is_pinned_[v] = 1;
        is_held[topology.part_of_vertex()[v]] = 1;
    }
    for (size_t part = 0; part < is_held.size(); ++part) {
        require(is_held[part] != 0, "shell reach: nothing holds part ", part,
                " of the base (give it a reach or pinned vertices)");
    }
    hold_.setZero(n);
    if (!std::isinf(options.reach)) {
        const VectorXd areas = triangle_areas(rest, topology);
        fill_vertex_areas(areas, topology, Workers(1), hold_);
        hold_ /= options.reach * options.reach;
    }
    const std::vector<double> weights = edge_weights(topology, rest);
    std::vector<std::vector<std::pair<int, double>>> around(static_cast<size_t>(n));
    std::vector<SparseEntry> entries;
    VectorXd diagonal = hold_;
    for (size_t e = 0; e < weights.size(); ++e) {
        const auto [i, j] = topology.edges()[e];
        around[i].emplace_back(j, weights[e]);
        around[j].emplace_back(i, weights[e]);
        diagonal[i] += weights[e];
        diagonal[j] += weights[e];
        if (is_pinned_[i] == 0 && is_pinned_[j] == 0) {
            entries.push_back({j, i, -weights[e]});
        }
    }
    starts_ = {0};
    for (int v = 0; v < n; ++v) {
        entries.push_back({v, v, is_pinned_[v] != 0 ? 1.0 : diagonal[v]});
        for (const auto& [j, weight] : around[v]) {
            neighbours_.push_back(j);
            neighbour_weights_.push_back(weight);
        }
        starts_.push_back(static_cast<int>(neighbours_.size()));
    }
    mean_diagonal_ = diagonal.mean();
    matrix_ = compress_lower(n, entries).matrix;
    factor_ = std::make_unique<SparseSolver>(matrix_);
    rotations_.resize(static_cast<size_t>(n));
}

void ArapDeformer::set_springs(std::span<const SpringRow> rows) {
    // A pinned vertex is no unknown: what it contributes is taken off the target in deform.
    std::vector<SpringRow> free_rows;
    spring_of_row_.assign(rows.size(), -1);
    pinned_shares_.clear();
    for (size_t r = 0; r < rows.size(); ++r) {
        SpringRow row;
        row.stiffness = rows[r].stiffness;
        for (size_t i = 0; i < rows[r].indices.size(); ++i) {
            const int v = rows[r].indices[i];
            if (is_pinned_[v] != 0) {
                pinned_shares_.push_back({static_cast<int>(r), v, rows[r].weights[i]});
            } else if (rows[r].weights[i] != 0.0) {
                row.indices.push_back(v);
                row.weights.push_back(rows[r].weights[i]);
            }
        }
        if (!row.indices.empty()) {
            spring_of_row_[r] = static_cast<int>(free_rows.size());
            free_rows.push_back(row);
        }
    }
    free_targets_.resize(static_cast<Eigen::Index>(free_rows.size()), 3);
    springs_.set(topology_.vertex_count(), free_rows,
                 [this](std::span<double> values, int columns) { factor_->solve_many(values, columns); });
}

int ArapDeformer::deform(const MatrixX3d& pose, const MatrixX3d& targets, const Workers& workers, MatrixX3d& x) {
    const int n = topology_.vertex_count();
    constexpr int chunk = 256;
    for (size_t r = 0; r < spring_of_row_.size(); ++r) {
        if (spring_of_row_[r] >= 0) {
            free_targets_.row(spring_of_row_[r]) = targets.row(static_cast<Eigen::Index>(r));
        }
    }
    for (const SparseEntry& share : pinned_shares_) {
        const int spring = spring_of_row_[share.row];
        if (spring >= 0) {
            free_targets_.row(spring) -= share.value * pose.row(share.column);
        }
    }
    // Without a reach nothing says what a small step is: all rounds are done.
    const double enough = std::isinf(options_.reach) ? 0.0 : options_.tolerance * options_.reach;
    for (int round = 0; round < options_.rounds; ++round) {
        workers.for_chunks(n, chunk, [&](int begin, int end) {
            for (int v = begin; v < end; ++v) {
                Eigen::Matrix3d spread = Eigen::Matrix3d::Zero();
                for (int i = starts_[v]; i < starts_[static_cast<size_t>(v) + 1]; ++i) {
                    const int j = neighbours_[i];
                    spread += neighbour_weights_[i] * (x.row(v) - x.row(j)).transpose() * (pose.row(v) - pose.row(j));
                }
                // Not from the call before: a resumed bake has none.
                rotations_[v] = nearest_rotation(spread, round == 0 ? Eigen::Matrix3d::Identity() : rotations_[v]);
            }
        });
        right_.resize(n, 3);
        workers.for_chunks(n, chunk, [&](int begin, int end) {
            for (int v = begin; v < end; ++v) {
                if (is_pinned_[v] != 0) {
                    right_.row(v) = pose.row(v);
                    continue;
                }
                Vector3d sum = hold_[v] * pose.row(v).transpose();
                for (int i = starts_[v]; i < starts_[static_cast<size_t>(v) + 1]; ++i) {
                    const int j = neighbours_[i];
                    const double weight = neighbour_weights_[i];
                    sum += 0.5 * weight * ((rotations_[v] + rotations_[j]) * (pose.row(v) - pose.row(j)).transpose());
                    if (is_pinned_[j] != 0) {
                        sum += weight * pose.row(j).transpose();
                    }
                }
                right_.row(v) = sum.transpose();
            }
        });
        factor_->solve(right_);
        springs_.apply(right_, free_targets_);
        const double moved = (right_ - x).rowwise().squaredNorm().maxCoeff();
        x.swap(right_);
        if (moved <= enough * enough) {
            return round + 1;
        }
    }
    return options_.rounds + 1;
}

}  // namespace cutis
