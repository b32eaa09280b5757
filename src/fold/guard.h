#pragma once

#include "core/simd.h"
#include "fold/contact.h"
#include "fold/heights.h"

namespace cutis::fold_detail {

/// Holds vertices back where folding would turn a triangle against the turned rest normal, and
/// where folds meet.
///
/// The area of a triangle along a fixed normal is linear in the share of each corner: for any
/// shares from 0 to t <= 1 it falls by at most t times the sum of all terms that lower it. A
/// triangle's crowding is that sum over the area it can lose; a vertex keeps (1 + sum of eighth
/// powers of the crowding around it)^(-1/8) of its height: less than the inverse of any of them,
/// and smooth in the pose. No rounds, no state.
class FoldGuard {
public:
    /// \param rest    #N x 3;  \param normals  #N x 3, at rest
    /// \param places  must outlive this, as must the others
    FoldGuard(const Topology& topology, const MatrixX3d& rest, const MatrixX3d& normals, const FoldPlaces& places,
              const FoldLayout& layout);

    /// For heights in a pose that `places` has taken.
    /// \param contact  with the planes of this pose; none: folds may meet
    /// \return is any place held back?
    bool find_shares(const FoldHeights& heights, const FoldContact* contact, const Workers& workers);
    /// For other heights in the same pose.
    void find_shares_again(const FoldHeights& heights, const FoldContact* contact, const Workers& workers);

    /// What each place may keep of its height, as found last.
    const std::vector<float>& shares() const { return share_; }
    /// Per control: is a place that it moves held back?
    const std::vector<unsigned char>& is_held() const { return is_held_; }

private:
    /// What eight triangles lose with the heights of their corners, at most, and what they can lose.
    struct Losses {
        simd::Floats single[3];
        simd::Floats pair[3];  // of corners 0 and 1, 1 and 2, 2 and 0
        simd::Floats room;
    };
    struct Eight {
        int corner[3][8];
        float rest_area[8];  // doubled, along the rest normals
    };
    void weigh(const Eight& eight, Losses& losses) const;
    /// \param blocks  of places: only triangles that touch one of them
    void crowd(const FoldHeights& heights, const std::vector<unsigned char>& blocks, bool is_new,
               const Workers& workers);
    bool share_out(const FoldHeights& heights, bool is_new, const FoldContact* contact, const Workers& workers);

    const FoldPlaces& places_;
    const FoldLayout& layout_;
    std::vector<Eight> eights_;  // of the triangles that folds can move
    std::vector<Losses> losses_;
    std::vector<int> block_row_;  // blocks of places that each eight touches
    std::vector<int> block_;
    std::vector<int> touching_row_;  // and the other way round
    std::vector<int> touching_;
    std::vector<unsigned char> is_crowded_;  // per eight of triangles: have their corners heights?
    std::vector<unsigned char> is_changed_;  // per eight of triangles
    std::vector<float> crowding_;            // eighth powers, per triangle
    std::vector<int> around_row_;            // triangles around each place
    std::vector<int> around_;
    std::vector<float> share_;
    std::vector<unsigned char> is_held_;
};

}  // namespace cutis::fold_detail
