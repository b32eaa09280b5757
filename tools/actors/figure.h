#pragma once

#include "build.h"

namespace cutis::actor {

/// Where a human arm lies. Radii are for a man of 1.8 m times `girth`.
struct ArmShape {
    Vector3d shoulder, elbow, wrist;
    Vector3d front;       ///< side of the biceps, unit, across the arm
    double girth = 1.0;   ///< thickness, 0.6 .. 1.2
    double muscle = 1.0;  ///< 0 smooth .. 1 athletic
    bool has_deltoid = true;
};

/// Upper arm, elbow and forearm up to the wrist; the hand is separate.
void sculpt_arm(Sculpture& clay, const ArmShape& arm);

/// Where a hand lies: `along` to the finger tips, `palm` out of the palm, thumb towards `thumb`.
struct HandShape {
    Vector3d wrist, along, palm, thumb;
    double size = 1.0;  ///< 1: a man's hand, 0.19 m
    double fine = 0.6;  ///< edge length relative to the base
};

/// A relaxed fist: four rolled fingers and a thumb across them.
void sculpt_fist(Sculpture& clay, const HandShape& hand);

/// An open hand, fingers together but for the thumb.
void sculpt_flat_hand(Sculpture& clay, const HandShape& hand);

/// Thigh, knee, calf and foot.
struct LegShape {
    Vector3d hip, knee, ankle;
    Vector3d front;  ///< side of the kneecap, unit
    Vector3d toe;    ///< tip of the toes
    double girth = 1.0;
    double fine = 0.7;  ///< edge length at the foot relative to the base
};
void sculpt_leg(Sculpture& clay, const LegShape& leg);

/// Turns the y axis to `along` and the z axis as near to `front` as it can.
Eigen::Quaterniond frame_along(const Vector3d& along, const Vector3d& front);

/// p + t (q - p)
Vector3d between(const Vector3d& p, const Vector3d& q, double t);

/// Angles (radians) of a two-bone limb in a plane: lengths l1, l2 from the origin to `target`.
/// `first` is the direction of bone one, `second` of bone two, both measured from +x; `bend` +1 or
/// -1 picks the side of the middle joint. Targets out of reach are met as nearly as possible.
struct LimbAngles {
    double first = 0.0;
    double second = 0.0;
};
LimbAngles reach(double l1, double l2, const Vector2d& target, double bend);

}  // namespace cutis::actor
