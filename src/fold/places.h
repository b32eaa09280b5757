#pragma once

#include "fold/layout.h"

namespace cutis::fold_detail {

/// Vertices that folds touch, numbered so that neighbours lie near each other in memory, and where
/// they stand in one pose. Those that folds can move come first.
class FoldPlaces {
public:
    static constexpr int block = 32;  ///< vertices that are idle together

    FoldPlaces(const Topology& topology, const FoldLayout& layout);

    void take(const MatrixX3d& base, const MatrixX3d& directions, const Workers& workers);

    int count() const { return static_cast<int>(vertex_.size()); }
    int moved() const { return moved_; }
    int vertex(int n) const { return vertex_[static_cast<size_t>(n)]; }
    int number(int v) const { return number_[static_cast<size_t>(v)]; }  ///< -1: folds do not touch it
    /// Records of four: x, y, z and one more.
    const double* base() const { return base_.data(); }
    const float* directions() const { return directions_.data(); }

private:
    std::vector<int> vertex_;
    std::vector<int> number_;
    int moved_ = 0;
    std::vector<double> base_;
    std::vector<float> directions_;
};

}  // namespace cutis::fold_detail
