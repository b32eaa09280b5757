#pragma once

#include <Eigen/Core>

namespace cutis {

/// Weights at least 0 with sum 1 that minimise w^T G w, only few of them above 0.
class SimplexFit {
public:
    static constexpr int most_candidates = 24;
    using Gram = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, most_candidates, most_candidates>;
    using Weights = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, most_candidates, 1>;

    /// \param gram  symmetric, positive semidefinite but for rounding; must outlive this
    explicit SimplexFit(const Gram& gram) : gram_(gram), count_(static_cast<int>(gram.rows())) {}

    /// From the best one alone. \param most  above 0 \return w^T G w
    double fit(int most, Weights& weights) const;
    /// From given weights: again and again the one more that lowers w^T G w most, in place of another where there are
    /// `most` already, until none does. \param weights  with sum 1, at most `most` of them above 0
    double improve(int most, Weights& weights) const;

private:
    double value(const Weights& w) const { return w.dot(gram_ * w); }
    bool exchange(int added, int most, double& least, Weights& weights) const;
    void solve_with(int added, Weights& weights) const;

    const Gram& gram_;
    int count_;
};

}  // namespace cutis
