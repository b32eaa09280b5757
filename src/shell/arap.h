#pragma once

#include <memory>
#include <span>
#include <vector>

#include "core/sparse.h"
#include "cutis/core/parallel.h"
#include "cutis/mesh/topology.h"
#include "cutis/shell/options.h"
#include "shell/springs.h"

namespace cutis {

/// As-rigid-as-possible deformation of a posed surface that springs pull: minimises
/// sum of w_ij |(x_i - x_j) - R_i (p_i - p_j)|^2 over positions x and rotations R, p being the
/// pose. Without springs the pose comes back.
class ArapDeformer {
public:
    /// \param rest  #V x 3: gives the weights (cotangents, cut to be positive)
    /// \throw InvalidInput  options out of range, nothing holds a part of the surface
    ArapDeformer(const Topology& topology, const MatrixX3d& rest, const ArapOptions& options);

    /// Springs on points of the surface: rows of weights over vertices; empty releases.
    void set_springs(std::span<const SpringRow> rows);
    /// Mean of the matrix's diagonal: the scale of spring stiffnesses.
    double mean_diagonal() const { return mean_diagonal_; }

    /// Goes on from `x` (the last result brought along with the pose, or the pose).
    /// \param pose     #V x 3
    /// \param targets  springs x 3
    /// \return rounds done; 1: x was at the end to the tolerance; options.rounds + 1: it is not yet
    int deform(const MatrixX3d& pose, const MatrixX3d& targets, const Workers& workers, MatrixX3d& x);

private:
    Topology topology_;
    ArapOptions options_;
    std::vector<int> starts_;  // neighbours of each vertex
    std::vector<int> neighbours_;
    std::vector<double> neighbour_weights_;
    VectorXd hold_;
    std::vector<unsigned char> is_pinned_;
    SparseLower matrix_;
    std::unique_ptr<SparseSolver> factor_;
    LowRankSprings springs_;
    std::vector<int> spring_of_row_;          // -1: all its vertices are pinned
    std::vector<SparseEntry> pinned_shares_;  // row, vertex and weight of pinned vertices
    MatrixX3d free_targets_;
    double mean_diagonal_ = 0.0;
    std::vector<Eigen::Matrix3d> rotations_;
    MatrixX3d right_;
};

}  // namespace cutis
