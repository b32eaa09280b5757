#pragma once

#include "core/simd.h"
#include "fold/lift.h"
#include "stripes/crowding.h"

namespace cutis::fold_detail {

/// Triangles of a crease turn over within hundredths of a second: heights there begin to fade when a triangle starts to
/// lose area or to face away, so that little is left of them to vanish at the end.
constexpr stripes::Fading guard_fading = {0.22, 1.0, 0.06};

/// Holds vertices back where folding would turn a triangle against the turned rest normal.
///
/// The area of a triangle along a fixed normal is linear in the share of each corner: for any
/// shares from 0 to t <= 1 it falls by at most t times the sum of all terms that lower it. A
/// triangle's crowding is that sum over the area it can lose; a vertex keeps (1 + sum of fourth
/// powers of the crowding around it)^(-1/4) of its height: less than the inverse of any of them,
/// and smooth in the pose. A higher power would let go of more vertices, but more suddenly. No
/// rounds, no state.
class FoldGuard {
public:
    /// \param rest    #N x 3;  \param normals  #N x 3, at rest
    /// \param places  must outlive this, as must the others
    FoldGuard(const Topology& topology, const MatrixX3d& rest, const MatrixX3d& normals, const FoldPlaces& places,
              const FoldLayout& layout, const stripes::Fading& fading);

    /// Marks the blocks of places whose pose find_shares() needs.
    void mark_needed(const FoldLift& lift, std::vector<unsigned char>& is_needed);
    /// In a pose that `places` has taken, with heights, where it is needed, after mark_needed().
    /// \return is any place held back?
    bool find_shares(const FoldLift& lift, const Workers& workers);
    /// In the same pose once `places` has been raised again.
    void find_shares_again(const FoldLift& lift, const Workers& workers);

    /// What each place may keep of its height, as found last.
    const std::vector<float>& shares() const { return share_; }
    /// Per control: may a place that it moves be held back?
    const std::vector<unsigned char>& is_held() const { return is_held_; }

private:
    struct Eight {
        int corner[3][8];
        float rest_area[8];  // doubled, along the rest normals
    };
    simd::Floats crowding_of(const Eight& eight) const;
    /// Lists the eights that touch one of the given blocks of places.
    void find_active(const std::vector<unsigned char>& blocks);
    void crowd(const Workers& workers);
    void share_out();

    const FoldPlaces& places_;
    stripes::Fading fading_;
    std::vector<Eight> eights_;      // of the triangles that folds can move
    std::vector<int> touching_row_;  // eights that touch each block of places
    std::vector<int> touching_;
    std::vector<int> beside_row_;  // blocks that share an eight with it, itself among them
    std::vector<int> beside_;
    std::vector<int> active_;                // eights to look at
    std::vector<unsigned char> is_active_;   // per eight
    std::vector<unsigned char> is_crowded_;  // per eight: is one of its triangles?
    std::vector<simd::Floats> crowding_;     // per eight: fourth powers, less what counts as none
    std::vector<int> looked_at_;             // eights that may be crowded
    std::vector<float> sum_;                 // per place: of the crowding around it
    std::vector<int> pressed_;               // places whose sum is above 0
    std::vector<float> share_;
    std::vector<unsigned char> is_held_;
};

}  // namespace cutis::fold_detail
