#pragma once

#include "fold/places.h"

namespace cutis::fold_detail {

/// Lets folds that face each other press against each other instead of passing through.
///
/// Controls that ever come near are paired once. Per pose each control has one plane, the mean of
/// the mid-planes to those that face it, and a vertex may rise as far as that plane. Pairs fade in
/// with distance and facing: all of it is smooth in the pose.
class FoldContact {
public:
    /// \param layout, at  must outlive this
    /// \param rest       #N x 3
    /// \param places     of the controls' own vertices() in many poses
    /// \param thickness  of the cloth, metres
    FoldContact(const FoldLayout& layout, const FoldPlaces& at, const MatrixX3d& rest,
                const std::vector<MatrixX3d>& places, double thickness);

    /// Per control the vertex it has most to say on.
    static std::vector<int> vertices(const FoldLayout& layout);

    /// Planes of this pose. \return are there any?
    bool find_planes(const MatrixX3d& base, const MatrixX3d& directions, const Workers& workers);
    /// Of a place raised by `height`: its way towards the plane over its room, 0 where nothing is near.
    double crowding(int n, double height) const;

private:
    struct Plane {
        Vector3d normal = Vector3d::Zero();  // away from the control
        double offset = 0.0;
        double weight = 0.0;  // 0: none
    };
    Plane plane_of(size_t control, const MatrixX3d& base, const MatrixX3d& directions) const;

    const FoldLayout& layout_;
    const FoldPlaces& at_;
    double thickness_;
    std::vector<int> vertex_;
    std::vector<int> first_;  // partners of control j: other_[first_[j]] ...
    std::vector<int> other_;
    std::vector<Plane> plane_;
};

}  // namespace cutis::fold_detail
