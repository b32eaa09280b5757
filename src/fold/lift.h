#pragma once

#include "fold/heights.h"

namespace cutis::fold_detail {

/// How far the heights of controls raise each place: B sum_j phi_j X_j, by blocks of places, each with
/// all controls that move any of them.
class FoldLift {
public:
    /// \param layout, places  must outlive this
    FoldLift(const FoldLayout& layout, const FoldPlaces& places);

    void raise(const FoldHeights& heights, const Workers& workers);
    /// Where one of the given controls has changed.
    void raise_again(const FoldHeights& heights, const std::vector<unsigned char>& controls, const Workers& workers);

    /// Of a place, metres.
    double raised(int n) const {
        return exact_.empty() ? static_cast<double>(raised_[static_cast<size_t>(n)]) : exact_[static_cast<size_t>(n)];
    }
    /// Per place, filled up to whole blocks.
    const std::vector<float>& raised() const { return raised_; }
    /// Is any of a block of places raised?
    const std::vector<unsigned char>& is_raised() const { return is_raised_; }
    /// Did raise_again() change any of a block of places?
    const std::vector<unsigned char>& is_changed() const { return is_changed_; }
    double sum() const;  ///< of all heights
    /// Marks the controls that move any place of a block.
    void mark_controls(int block, std::vector<unsigned char>& controls) const;

private:
    void raise_block(int block, const FoldHeights& heights);
    void raise_exactly(int block, const FoldHeights& heights);

    const FoldLayout& layout_;
    const FoldPlaces& places_;
    std::vector<int> row_;  // per block: controls at row_[b] ... row_[b + 1]
    std::vector<int> control_;
    std::vector<float> weight_;   // phi of each of them at each place of the block
    std::vector<float> profile_;  // per block: of each field at each place
    std::vector<float> raised_;
    std::vector<double> exact_;  // paper layout
    std::vector<double> sum_;    // per block
    std::vector<unsigned char> is_raised_;
    std::vector<unsigned char> is_changed_;
};

}  // namespace cutis::fold_detail
