#pragma once

#include <Eigen/Core>

namespace cutis::fold_detail {

/// Four folds side by side: lane l of every array belongs to fold l. Eigen turns the arithmetic
/// into vector instructions where the machine has them; a lane's bits do not depend on its
/// neighbours.
using Lane4 = Eigen::Array<double, 4, 1>;
using Mask4 = Eigen::Array<bool, 4, 1>;

struct LaneVector {
    Lane4 x, y, z;
};

inline LaneVector operator-(const LaneVector& a, const LaneVector& b) {
    return {a.x - b.x, a.y - b.y, a.z - b.z};
}
inline LaneVector operator+(const LaneVector& a, const LaneVector& b) {
    return {a.x + b.x, a.y + b.y, a.z + b.z};
}
inline LaneVector operator*(const Lane4& s, const LaneVector& a) {
    return {s * a.x, s * a.y, s * a.z};
}
inline Lane4 dot(const LaneVector& a, const LaneVector& b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
inline Lane4 length(const LaneVector& a) {
    return dot(a, a).sqrt();
}

/// Differences of neighbouring points and of their offsets.
struct LaneSegment {
    LaneVector edge;    // e_i
    LaneVector growth;  // w_i
};

struct LaneRoot {
    Lane4 scale;    // X
    Lane4 stretch;  // tau(X)
    int iterations[4];
};

/// Root X >= 0 of sum |e_i + X w_i| = rest in every wanted lane whose base is shorter; others 0.
LaneRoot solve_lanes(const LaneSegment* segments, int count, const Lane4& rest, const Mask4& wanted,
                     double tolerance, int most_iterations);

/// The same for offsets that are nearly right: begins with X = 1.
/// \param base  sum |e_i|
LaneRoot rescale_lanes(const LaneSegment* segments, int count, const Lane4& rest, const Lane4& base,
                       const Mask4& wanted, double tolerance, int most_iterations);

}  // namespace cutis::fold_detail
