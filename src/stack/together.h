#pragma once

#include <functional>
#include <vector>

#include "cutis/core/types.h"

namespace cutis {

/// Vertices that lie on each other: rims of shells that meet without being one surface, copies made
/// by repair. What a layer does to one of them happens to all, so that no layer opens a crack
/// that the body does not have. Each moves by the mean of what the layer asked of them.
class Together {
public:
    Together() = default;
    /// Those that lie on each other at rest and in every pose: lips that are closed at rest only
    /// are none.
    /// \param poses     calls back with each pose, #V x 3; not called where rest has none
    /// \param distance  up to which vertices lie on each other
    Together(const MatrixX3d& rest, double distance,
             const std::function<void(const std::function<void(const MatrixX3d&)>&)>& poses);

    bool empty() const { return members_.empty(); }
    /// Vertices that have company.
    int count() const { return static_cast<int>(members_.size()); }

    /// \param before  what the layer stood on;  \param after  what it made of it, in and out
    void hold(const MatrixX3d& before, MatrixX3d& after) const;
    /// The same where `before` is not known: all of them come to their middle.
    void hold(MatrixX3d& after) const;

private:
    std::vector<int> members_;  // group after group
    std::vector<int> ends_;     // of each group in members_
};

}  // namespace cutis
