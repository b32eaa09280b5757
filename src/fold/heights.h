#pragma once

#include "fold/layout.h"

namespace cutis::fold_detail {

/// Heights of all controls in one pose: a pure function of that pose.
class FoldHeights {
public:
    /// \param layout  must outlive this
    FoldHeights(const FoldLayout& layout, const FoldOptions& options);

    /// \param base        #N x 3: the mesh before folding
    /// \param directions  #N x 3: unit, away from the body
    void solve(const MatrixX3d& base, const MatrixX3d& directions, const Workers& workers);

    /// How far folds raise a vertex.
    double height(int v) const;
    /// Of the lines around a vertex: 1 - length / rest length, the largest of each control.
    double compression(int v) const;
    bool is_live(int control) const { return live_[static_cast<size_t>(control)] != 0; }
    FoldReport report() const;

private:
    void measure(int control, const MatrixX3d& base, const MatrixX3d& directions);
    void compete(int control);
    void gather(int control);
    void solve_exactly(const MatrixX3d& base, const MatrixX3d& directions);

    const FoldLayout& layout_;
    double gate_;
    double cap_;
    int rounds_;
    double residual_ = 0.0;
    // Per line
    std::vector<double> squeezed_;  // 1 - length / target, 0 where it is long enough
    std::vector<double> root_;      // height that gives it its length back
    std::vector<double> wanted_;    // the root behind its gate
    std::vector<double> tried_;     // what the rounds make of it
    // Per control and field
    std::vector<double> height_;
    std::vector<unsigned char> live_;  // per control
};

}  // namespace cutis::fold_detail
