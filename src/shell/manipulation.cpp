#include "shell/manipulation.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "cutis/core/error.h"

namespace cutis {

namespace {

constexpr double least_offset_weight = 1e-6;  // of a place that can be pulled by the offset

/// Weights of the base triangle's corners where the line through g along the triangle's column
/// (base centre to offset centre) meets its plane, cut to the triangle.
Vector3d projected_weights(const Vector3d (&base)[3], const Vector3d (&offset)[3], const Vector3d& g) {
    const Vector3d normal = (base[1] - base[0]).cross(base[2] - base[0]);
    const Vector3d column = (offset[0] + offset[1] + offset[2] - base[0] - base[1] - base[2]) / 3.0;
    const double slope = normal.dot(column);
    Vector3d foot = g;
    if (slope != 0.0) {
        foot -= column * (normal.dot(g - base[0]) / slope);
    }
    const double square = normal.squaredNorm();
    Vector3d weights = Vector3d::Constant(1.0 / 3.0);
    if (square > 0.0) {
        weights[1] = normal.dot((foot - base[0]).cross(base[2] - base[0])) / square;
        weights[2] = normal.dot((base[1] - base[0]).cross(foot - base[0])) / square;
        weights[0] = 1.0 - weights[1] - weights[2];
    }
    weights = weights.cwiseMax(0.0);
    return weights / weights.sum();
}

}  // namespace

ShellManipulator::ShellManipulator(ShellEquilibrium& equilibrium, const ManipulationOptions& options)
    : equilibrium_(&equilibrium), options_(options) {
    check_options(describe(options_), "shell");
}

void ShellManipulator::grab(std::span<const Handle> handles) {
    const PrismShell& shell = equilibrium_->shell();
    const int n = shell.vertex_count();
    std::vector<SpringRow> rows;
    std::vector<TetPoint> tets;
    std::vector<int> rows_of_shell;
    std::vector<int> base_handles;
    for (size_t i = 0; i < handles.size(); ++i) {
        const Handle& handle = handles[i];
        require(handle.offset_stiffness >= 0.0 && handle.base_stiffness >= 0.0, "shell handles: handle ", i,
                " needs stiffnesses of at least 0, found ", handle.offset_stiffness, " and ", handle.base_stiffness);
        require_valid_point(shell.topology(), {handle.point.triangle, handle.point.barycentric});
        require(handle.point.height >= 0.0 && handle.point.height <= 1.0, "shell handles: handle ", i, " at height ",
                handle.point.height, ", expected 0 .. 1");
        tets.push_back(shell.place(handle.point));
        SpringRow row;
        double sum = 0.0;
        for (int k = 0; k < 4; ++k) {
            const int corner = shell.corners(tets.back().tet)[k];
            const double weight = tets.back().weights[k];
            if (corner >= n && shell.height(corner - n) > 0.0 && weight != 0.0) {
                row.indices.push_back(corner - n);
                row.weights.push_back(weight);
                sum += weight;
            }
        }
        const bool pulls = handle.offset_stiffness > 0.0 && sum > least_offset_weight;
        rows_of_shell.push_back(pulls ? static_cast<int>(rows.size()) : -1);
        if (pulls) {
            row.stiffness = handle.offset_stiffness * equilibrium_->mean_diagonal();
            rows.push_back(row);
        }
        if (handle.base_stiffness > 0.0) {
            base_handles.push_back(static_cast<int>(i));
        } else if (!pulls) {
            throw InvalidInput(concat("shell handles: handle ", i,
                                      handle.offset_stiffness > 0.0
                                          ? " is held by no offset vertex (it lies on the base, or the shell has no "
                                            "height there); give it a base stiffness"
                                          : " pulls neither the shell nor the base"));
        }
    }
    springs_.set(n, rows,
                 [this](std::span<double> values, int columns) { equilibrium_->solve_system(values, columns); });
    handles_.assign(handles.begin(), handles.end());
    tets_ = std::move(tets);
    rows_of_shell_ = std::move(rows_of_shell);
    base_handles_ = std::move(base_handles);
    shell_targets_.resize(static_cast<Eigen::Index>(rows.size()), 3);
    base_targets_.resize(static_cast<Eigen::Index>(base_handles_.size()), 3);
    if (!base_handles_.empty() && !arap_) {
        arap_ = std::make_unique<ArapDeformer>(shell.topology(), shell.base(), options_.base);
    }
}

Vector3d ShellManipulator::place(int handle, const MatrixX3d& base, const MatrixX3d& offset) const {
    return position_at(equilibrium_->shell(), base, offset, handles_[handle].point);
}

void ShellManipulator::solve_shell(const MatrixX3d& targets, const Workers& workers, const MatrixX3d& base,
                                   MatrixX3d& offset) {
    equilibrium_->solve(base, workers, offset);
    const PrismShell& shell = equilibrium_->shell();
    const int n = shell.vertex_count();
    for (size_t i = 0; i < handles_.size(); ++i) {
        if (rows_of_shell_[i] < 0) {
            continue;
        }
        // What the base contributes is not the spring's to move: t = q - Phi^b x^b.
        Vector3d target = targets.row(static_cast<Eigen::Index>(i));
        for (int k = 0; k < 4; ++k) {
            const int corner = shell.corners(tets_[i].tet)[k];
            if (corner < n || shell.height(corner - n) == 0.0) {
                target -= tets_[i].weights[k] * base.row(corner % n).transpose();
            }
        }
        shell_targets_.row(rows_of_shell_[i]) = target.transpose();
    }
    springs_.apply(offset, shell_targets_);
}

void ShellManipulator::set_base_springs(const MatrixX3d& targets, const MatrixX3d& base, const MatrixX3d& offset) {
    const PrismShell& shell = equilibrium_->shell();
    const int n = shell.vertex_count();
    base_rows_.clear();
    for (size_t c = 0; c < base_handles_.size(); ++c) {
        const int i = base_handles_[c];
        const auto h = static_cast<size_t>(i);
        const Vector3d goal = place(i, base, offset);
        SpringRow row;
        const double share = share_of_base(i);
        row.stiffness = share * handles_[h].base_stiffness * arap_->mean_diagonal();
        Vector3d carried = Vector3d::Zero();  // what the row contributes now
        const auto add = [&](int v, double weight) {
            row.indices.push_back(v);
            row.weights.push_back(weight);
            carried += weight * base.row(v).transpose();
        };
        if (options_.coupling == BaseCoupling::projected) {
            const auto corners = shell.topology().triangles().row(handles_[h].point.triangle);
            Vector3d low[3], high[3];
            for (int k = 0; k < 3; ++k) {
                low[k] = base.row(corners[k]);
                high[k] = offset.row(corners[k]);
            }
            const Vector3d weights = projected_weights(low, high, goal);
            for (int k = 0; k < 3; ++k) {
                add(corners[k], weights[k]);
            }
        } else {
            for (int k = 0; k < 4; ++k) {
                const int corner = shell.corners(tets_[h].tet)[k];
                if (corner < n) {
                    add(corner, tets_[h].weights[k]);
                }
            }
        }
        base_rows_.push_back(row);
        // Eq. 6: Psi x' = q - (g - Psi x), which takes g to go along with the base; Eq. 5 with the offset frozen has
        // the same form. Where the handle's own spring in the shell holds g back it goes by a share s of that: the
        // same pull k (q - g) at the end, reached at once with k s and Psi x' = Psi x + (q - g) / s.
        base_targets_.row(static_cast<Eigen::Index>(c)) =
            (carried + (targets.row(i).transpose() - goal) / share).transpose();
    }
    arap_->set_springs(base_rows_);
}

double ShellManipulator::share_of_base(int handle) const {
    constexpr double least = 0.02;  // a handle held exactly does not feel the base
    const int row = rows_of_shell_[static_cast<size_t>(handle)];
    return row < 0 ? 1.0 : std::max(least, springs_.yielding(row));
}

bool ShellManipulator::is_coupled(const MatrixX3d& targets, const MatrixX3d& base, const MatrixX3d& offset) const {
    if (std::isinf(options_.base.reach)) {
        return false;  // nothing says what a small miss is
    }
    for (size_t c = 0; c < base_handles_.size(); ++c) {
        const int i = base_handles_[c];
        Vector3d carried = Vector3d::Zero();
        for (size_t k = 0; k < base_rows_[c].indices.size(); ++k) {
            carried += base_rows_[c].weights[k] * base.row(base_rows_[c].indices[k]).transpose();
        }
        const Vector3d left = base_targets_.row(static_cast<Eigen::Index>(c)).transpose() - carried;
        const Vector3d miss = targets.row(i).transpose() - place(i, base, offset);
        if (!((miss - share_of_base(i) * left).norm() <= options_.base.tolerance * options_.base.reach)) {
            return false;
        }
    }
    return true;
}

void check_handle_targets(const MatrixX3d& targets, int handles) {
    require(targets.rows() == handles, "shell handles: expected ", handles, " targets, found ", targets.rows());
    for (Eigen::Index i = 0; i < targets.rows(); ++i) {
        require(targets.row(i).allFinite(), "shell handles: the target of handle ", i, " is not finite");
    }
}

void ShellManipulator::solve(const MatrixX3d& pose, const MatrixX3d& targets, const Workers& workers, MatrixX3d& base,
                             MatrixX3d& offset) {
    check_handle_targets(targets, handle_count());
    targets_ = targets;
    const bool has_relative =
        std::any_of(handles_.begin(), handles_.end(), [](const Handle& h) { return h.is_relative; });
    if (has_relative) {
        equilibrium_->solve(pose, workers, offset);
        for (size_t i = 0; i < handles_.size(); ++i) {
            if (handles_[i].is_relative) {
                targets_.row(static_cast<Eigen::Index>(i)) += place(static_cast<int>(i), pose, offset).transpose();
            }
        }
    }
    if (base_handles_.empty() || base.rows() != pose.rows()) {
        base = pose;
    }
    solve_shell(targets_, workers, base, offset);
    if (base_handles_.empty()) {
        return;
    }
    for (int pass = 0; pass < options_.passes; ++pass) {
        set_base_springs(targets_, base, offset);
        const int rounds = arap_->deform(pose, base_targets_, workers, base);
        solve_shell(targets_, workers, base, offset);
        if (rounds == 1 || (rounds <= options_.base.rounds && is_coupled(targets_, base, offset))) {
            break;
        }
    }
}

}  // namespace cutis
