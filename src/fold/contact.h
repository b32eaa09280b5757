#pragma once

#include "fold/places.h"

namespace cutis::fold_detail {

/// Lets folds that face each other press against each other instead of passing through.
///
/// Controls that ever come near are paired once. Per pose each keeps the partners that face it, and a
/// place may rise as far as the mid-planes between it and the partners opposite: across other limbs
/// and across the valley beside its own fold. On a hollow of radius R a height h gives a crowding of
/// h / R, as in the guard. Pairs fade in with facing and with the distance aside: all of it is smooth
/// in the pose.
class FoldContact {
public:
    /// \param layout, at  must outlive this
    /// \param places     of the controls' own vertices() in many poses
    /// \param thickness  of the cloth, metres
    FoldContact(const FoldLayout& layout, const FoldPlaces& at, const std::vector<MatrixX3d>& places, double thickness);

    /// Per control the vertex it has most to say on.
    static std::vector<int> vertices(const FoldLayout& layout);

    /// Who faces whom in the pose that all places have taken. \return does anybody?
    bool find_partners(const Workers& workers);
    /// Of a place raised by `height`: the sum of eighth powers of its way towards each mid-plane over its room.
    float crowding(int n, float height) const;

private:
    struct Partner {
        int place;
        float facing;
    };

    const FoldLayout& layout_;
    const FoldPlaces& at_;
    float thickness_;
    std::vector<int> place_;    // of each control
    std::vector<int> control_;  // of each moved place: the one with most to say
    std::vector<int> first_;    // partners of control j: other_[first_[j]] ...
    std::vector<int> other_;
    std::vector<Partner> partner_;  // those that face it, from first_[j] on
    std::vector<int> partners_;     // how many
};

}  // namespace cutis::fold_detail
