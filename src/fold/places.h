#pragma once

#include "core/simd.h"
#include "fold/layout.h"

namespace cutis::fold_detail {

/// Vertices that folds touch, numbered so that neighbours lie near each other in memory, and where
/// they stand in one pose. Those that folds can move come first.
class FoldPlaces {
public:
    static constexpr int block = 32;  ///< vertices that are idle together
    using FourFloats = float __attribute__((vector_size(16)));
    /// Places from an origin near them, so that floats are precise anywhere.
    struct Place {
        FourFloats base;  ///< x, y, z and nothing
        FourFloats up;    ///< unit, away from the body; then the height along it
    };

    FoldPlaces(const Topology& topology, const FoldLayout& layout);

    /// Places of the given blocks in a pose.
    /// \param heights    per place, filled up to whole blocks
    /// \param is_needed  per block
    void take(const MatrixX3d& base, const MatrixX3d& directions, const std::vector<float>& heights,
              const std::vector<unsigned char>& is_needed, const Workers& workers);
    /// Other heights in the same pose.
    /// \param is_changed  per block of places that folds can move
    void raise(const std::vector<float>& heights, const std::vector<unsigned char>& is_changed);

    int count() const { return static_cast<int>(vertex_.size()); }
    int blocks() const { return (count() + block - 1) / block; }
    int moved() const { return moved_; }
    int moved_blocks() const { return (moved_ + block - 1) / block; }
    int vertex(int n) const { return vertex_[static_cast<size_t>(n)]; }
    int number(int v) const { return number_[static_cast<size_t>(v)]; }  ///< -1: folds do not touch it
    const Place& place(int n) const { return places_[static_cast<size_t>(n)]; }
    Vector3d origin() const { return origin_; }

private:
    std::vector<int> vertex_;
    std::vector<int> number_;
    int moved_ = 0;
    std::vector<Place> places_;
    Vector3d origin_ = Vector3d::Zero();
};

}  // namespace cutis::fold_detail
