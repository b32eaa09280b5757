#include "cutis/core/error.h"
#include "fold/fold_parts.h"

namespace cutis {

using namespace fold_detail;

FoldDirections::FoldDirections(const FoldSolver& solver, const MatrixX3d& normals,
                               const SkinWeights& weights)
    : directions_(normals) {
    if (normals.rows() != weights.vertex_count() ||
        normals.rows() != solver.parts_->mesh.base_count) {
        throw InvalidInput(concat("folds: expected normals and weights of ",
                                  solver.parts_->mesh.base_count, " base vertices, found ",
                                  normals.rows(), " and ", weights.vertex_count()));
    }
    std::vector<unsigned char> is_read(static_cast<size_t>(normals.rows()), 0);
    for (const Follower& point : solver.parts_->on_base) {
        for (const int x : point.number) {
            is_read[static_cast<size_t>(x / 3)] = 1;
        }
    }
    weights_.influences = weights.influences;
    for (size_t v = 0; v < is_read.size(); ++v) {
        if (is_read[v] != 0) {
            vertices_.push_back(static_cast<int>(v));
            const size_t row = v * static_cast<size_t>(weights.influences);
            for (size_t k = row; k < row + static_cast<size_t>(weights.influences); ++k) {
                weights_.joints.push_back(weights.joints[k]);
                weights_.weights.push_back(weights.weights[k]);
            }
        }
    }
    normals_.resize(static_cast<Eigen::Index>(vertices_.size()), 3);
    for (size_t i = 0; i < vertices_.size(); ++i) {
        normals_.row(static_cast<Eigen::Index>(i)) = normals.row(vertices_[i]);
    }
}

const MatrixX3d& FoldDirections::turn(const std::vector<Eigen::Affine3d>& matrices,
                                      const Workers& workers) {
    turn_normals(normals_, weights_, matrices, workers, turned_);
    for (size_t i = 0; i < vertices_.size(); ++i) {
        directions_.row(vertices_[i]) = turned_.row(static_cast<Eigen::Index>(i));
    }
    return directions_;
}

void turn_normals(const MatrixX3d& normals, const SkinWeights& weights,
                  const std::vector<Eigen::Affine3d>& matrices, const Workers& workers,
                  MatrixX3d& out) {
    thread_local std::vector<Eigen::Affine3d> turns;  // kept: the step loop allocates nothing
    turns = matrices;
    for (Eigen::Affine3d& turn : turns) {
        turn.translation().setZero();
    }
    skin_linear_blend(normals, weights, turns, workers, out);
    constexpr double cancelled = 1e-6;
    for (Eigen::Index v = 0; v < out.rows(); ++v) {
        const double size = out.row(v).norm();
        out.row(v) = size > cancelled ? Eigen::RowVector3d(out.row(v) / size)
                                      : Eigen::RowVector3d(normals.row(v));
    }
}

}  // namespace cutis
