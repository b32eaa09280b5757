#pragma once

#include "fold/layout.h"

namespace cutis::fold_detail {

/// Directions in which folds rise that lean: turned rest normals, smoothed over a few widths, so that folds in a crease
/// stand side by side where their normals would run into each other.
///
/// The normals around each control have a mean, and means are spread like heights. Nothing leans
/// so far from its own normal that it would rise into the body.
class FoldLean {
public:
    /// \param layout         must outlive this
    /// \param rest, normals  #N x 3, at rest
    FoldLean(const FoldLayout& layout, const MatrixX3d& rest, const MatrixX3d& normals);

    /// In one pose.
    /// \param directions  #N x 3: turned rest normals
    /// \return #N x 3, unit
    const MatrixX3d& find(const MatrixX3d& directions, const Workers& workers);

private:
    void find_mean(int control, const MatrixX3d& directions);
    void lean_vertex(int v, const MatrixX3d& directions);

    const Stencils& spread_;
    std::vector<int> vertex_;  // of the controls
    std::vector<int> row_;     // vertices of controls around each: around_[row_[j]] ...
    std::vector<int> around_;
    std::vector<double> part_;
    std::vector<Vector3d> mean_;  // per control
    MatrixX3d lean_;
};

}  // namespace cutis::fold_detail
