#include "figure.h"

#include <algorithm>
#include <cmath>

namespace cutis::actor {

Vector3d between(const Vector3d& p, const Vector3d& q, double t) {
    return p + t * (q - p);
}

Eigen::Quaterniond frame_along(const Vector3d& along, const Vector3d& front) {
    Eigen::Matrix3d axes;
    axes.col(1) = along.normalized();
    axes.col(0) = axes.col(1).cross(front).normalized();
    axes.col(2) = axes.col(0).cross(axes.col(1));
    return Eigen::Quaterniond(axes);
}

void sculpt_arm(Sculpture& clay, const ArmShape& arm) {
    const double g = arm.girth;
    const double m = arm.muscle;
    const double upper = (arm.elbow - arm.shoulder).norm();
    const double lower = (arm.wrist - arm.elbow).norm();
    const Eigen::Quaterniond up = frame_along(arm.elbow - arm.shoulder, arm.front);
    const Eigen::Quaterniond low = frame_along(arm.wrist - arm.elbow, arm.front);
    const auto on_upper = [&](double x, double t, double z) {
        return Vector3d(between(arm.shoulder, arm.elbow, t) + up * Vector3d(x * g, 0.0, z * g));
    };
    const auto on_lower = [&](double x, double t, double z) {
        return Vector3d(between(arm.elbow, arm.wrist, t) + low * Vector3d(x * g, 0.0, z * g));
    };
    const Stroke soft{.blend = 0.018 * g};
    clay.cone(arm.shoulder, arm.elbow, 0.036 * g, 0.032 * g, {.blend = 0.03 * g});
    if (arm.has_deltoid) {
        clay.ball(on_upper(0.0, 0.08, 0.0), {0.050 * g, 0.29 * upper, 0.048 * g}, {.blend = 0.02 * g}, up);
    }
    clay.ball(on_upper(0.0, 0.56, 0.017 * m), {0.034 * g, 0.30 * upper, 0.032 * g}, soft, up);
    clay.ball(on_upper(0.0, 0.46, -0.020 * m), {0.036 * g, 0.34 * upper, 0.030 * g}, soft, up);
    // Elbow: point of the ulna behind, the two knobs of the humerus at the sides.
    clay.ball(on_upper(0.0, 1.0, -0.016), {0.020 * g, 0.026 * g, 0.020 * g}, soft, up);
    clay.ball(on_upper(0.0, 0.98, 0.0), {0.037 * g, 0.020 * g, 0.022 * g}, soft, up);
    // Forearm: round muscle below the elbow, flat wrist.
    clay.cone(arm.elbow, arm.wrist, 0.030 * g, 0.021 * g, {.blend = 0.02 * g, .thin_axis = arm.front, .thin = 0.9});
    clay.ball(on_lower(0.014 * m, 0.24, 0.006), {0.029 * g, 0.38 * lower, 0.031 * g}, soft, low);
    clay.ball(on_lower(-0.013 * m, 0.30, 0.004), {0.030 * g, 0.44 * lower, 0.030 * g}, soft, low);
    clay.cone(between(arm.elbow, arm.wrist, 0.84), arm.wrist, 0.0275 * g, 0.029 * g,
              {.blend = 0.02 * g, .thin_axis = arm.front, .thin = 0.70});
}

void sculpt_fist(Sculpture& clay, const HandShape& hand) {
    const double s = hand.size;
    const Vector3d x = hand.along.normalized();
    const Vector3d y = hand.palm.normalized();
    const Vector3d z = hand.thumb.normalized();
    Eigen::Matrix3d axes;
    axes << x, y, x.cross(y);
    const auto at = [&](double along, double palm, double thumb) {
        return Vector3d(hand.wrist + s * (along * x + palm * y + thumb * z));
    };
    const auto bead = [&](double along, double palm, double thumb, double radius) {
        const Vector3d p = at(along, palm, thumb);
        return Eigen::Vector4d(p.x(), p.y(), p.z(), radius * s);
    };
    const double fine = hand.fine;
    clay.cone(at(-0.01, 0.0, 0.0), at(0.070, -0.002, 0.0), 0.028 * s, 0.041 * s,
              {.blend = 0.02 * s, .thin_axis = y, .thin = 0.56, .fine = fine});
    clay.box(at(0.064, 0.014, -0.002), {0.033 * s, 0.032 * s, 0.041 * s}, 0.018 * s, {.blend = 0.012 * s, .fine = fine},
             Eigen::Quaterniond(axes));
    clay.ball(at(0.036, 0.012, 0.024), {0.034 * s, 0.022 * s, 0.020 * s}, {.blend = 0.016 * s},
              Eigen::Quaterniond(axes));
    // Four rolled fingers: first bone over the front, second over the top.
    for (int i = 0; i < 4; ++i) {
        const double side = 0.0305 - 0.0210 * i;
        const double back = i == 3 ? -0.009 : (i == 0 ? -0.003 : 0.0);
        clay.layer(0.004 * s);
        clay.chain({bead(0.088 + back, -0.008, side, 0.0130), bead(0.097 + back, 0.036, side, 0.0118),
                    bead(0.066, 0.046, side, 0.0112), bead(0.050, 0.030, side, 0.0105)},
                   {.blend = 0.004 * s, .fine = fine});
    }
    clay.layer(0.005 * s);
    clay.chain({bead(0.024, 0.008, 0.034, 0.0170), bead(0.056, 0.030, 0.046, 0.0145), bead(0.086, 0.054, 0.032, 0.0130),
                bead(0.090, 0.061, 0.006, 0.0112)},
               {.blend = 0.006 * s, .fine = fine});
}

void sculpt_flat_hand(Sculpture& clay, const HandShape& hand) {
    const double s = hand.size;
    const Vector3d x = hand.along.normalized();
    const Vector3d y = hand.palm.normalized();
    const Vector3d z = hand.thumb.normalized();
    const auto at = [&](double along, double palm, double thumb) {
        return Vector3d(hand.wrist + s * (along * x + palm * y + thumb * z));
    };
    const Stroke flat{.blend = 0.012 * s, .thin_axis = y, .thin = 0.52, .fine = hand.fine};
    clay.cone(at(0.0, 0.0, 0.0), at(0.085, 0.0, 0.0), 0.024 * s, 0.036 * s,
              {.blend = 0.03 * s, .thin_axis = y, .thin = 0.48, .fine = hand.fine});
    // Fingers lie together in two pairs with a furrow between them.
    const auto bead = [&](double along, double palm, double thumb, double radius) {
        const Vector3d p = at(along, palm, thumb);
        return Eigen::Vector4d(p.x(), p.y(), p.z(), radius * s);
    };
    clay.chain(
        {bead(0.090, 0.000, 0.016, 0.0205), bead(0.140, 0.004, 0.0145, 0.0185), bead(0.174, 0.012, 0.0110, 0.0140)},
        flat);
    clay.chain(
        {bead(0.086, 0.000, -0.017, 0.0195), bead(0.130, 0.004, -0.0170, 0.0175), bead(0.162, 0.012, -0.0120, 0.0140)},
        flat);
    clay.cone(at(0.025, 0.006, 0.022), at(0.068, 0.012, 0.048), 0.0150 * s, 0.0120 * s,
              {.blend = 0.014 * s, .fine = hand.fine});
    clay.cone(at(0.068, 0.012, 0.048), at(0.102, 0.014, 0.056), 0.0115 * s, 0.0090 * s,
              {.blend = 0.008 * s, .fine = hand.fine});
}

void sculpt_leg(Sculpture& clay, const LegShape& leg) {
    const double g = leg.girth;
    const double upper = (leg.knee - leg.hip).norm();
    const double lower = (leg.ankle - leg.knee).norm();
    const Eigen::Quaterniond up = frame_along(leg.knee - leg.hip, leg.front);
    const Eigen::Quaterniond low = frame_along(leg.ankle - leg.knee, leg.front);
    const auto on_upper = [&](double x, double t, double z) {
        return Vector3d(between(leg.hip, leg.knee, t) + up * Vector3d(x * g, 0.0, z * g));
    };
    const auto on_lower = [&](double x, double t, double z) {
        return Vector3d(between(leg.knee, leg.ankle, t) + low * Vector3d(x * g, 0.0, z * g));
    };
    const Stroke soft{.blend = 0.05 * g};
    clay.cone(leg.hip, leg.knee, 0.074 * g, 0.048 * g, {.blend = 0.07 * g});
    clay.ball(on_upper(0.0, 0.45, 0.024), {0.056 * g, 0.36 * upper, 0.045 * g}, soft, up);
    clay.ball(on_upper(0.0, 0.45, -0.022), {0.056 * g, 0.34 * upper, 0.042 * g}, soft, up);
    clay.ball(on_upper(0.0, 1.0, 0.014), {0.034 * g, 0.044 * g, 0.034 * g}, {.blend = 0.03 * g}, up);
    clay.cone(leg.knee, leg.ankle, 0.046 * g, 0.030 * g, {.blend = 0.05 * g});
    clay.ball(on_lower(0.010, 0.30, -0.026), {0.038 * g, 0.27 * lower, 0.036 * g}, soft, low);
    clay.ball(on_lower(-0.014, 0.26, -0.022), {0.036 * g, 0.24 * lower, 0.034 * g}, soft, low);
    clay.ball(on_lower(0.0, 1.0, 0.0), {0.035 * g, 0.024 * g, 0.030 * g}, {.blend = 0.02 * g}, low);
    // Foot: heel, arch, ball, toes; flattened along its own up direction.
    const Vector3d heading = (leg.toe - leg.ankle).normalized();
    const Vector3d shin = (leg.knee - leg.ankle).normalized();
    const Vector3d side = heading.cross(shin).normalized();
    const Vector3d top = side.cross(heading).normalized();
    const Vector3d heel = leg.ankle - 0.028 * g * heading - 0.030 * g * top;
    const Vector3d ball = between(leg.ankle, leg.toe, 0.68) - 0.004 * g * top;
    clay.ball(heel, {0.028 * g, 0.030 * g, 0.030 * g}, {.blend = 0.03 * g, .fine = leg.fine});
    clay.cone(leg.ankle - 0.004 * g * top, ball, 0.034 * g, 0.036 * g,
              {.blend = 0.03 * g, .thin_axis = top, .thin = 0.62, .fine = leg.fine});
    clay.cone(heel, ball, 0.026 * g, 0.026 * g, {.blend = 0.02 * g, .fine = leg.fine});
    clay.cone(ball, between(leg.ankle, leg.toe, 0.93), 0.038 * g, 0.027 * g,
              {.blend = 0.02 * g, .thin_axis = top, .thin = 0.46, .fine = leg.fine});
}

LimbAngles reach(double l1, double l2, const Vector2d& target, double bend) {
    const double distance = std::clamp(target.norm(), 1.001 * std::abs(l1 - l2) + 1e-6, 0.9995 * (l1 + l2));
    const double toward = std::atan2(target.y(), target.x());
    const double corner =
        std::acos(std::clamp((l1 * l1 + distance * distance - l2 * l2) / (2.0 * l1 * distance), -1.0, 1.0));
    LimbAngles out;
    out.first = toward + bend * corner;
    const Vector2d knee(l1 * std::cos(out.first), l1 * std::sin(out.first));
    const Vector2d rest = distance * Vector2d(std::cos(toward), std::sin(toward)) - knee;
    out.second = std::atan2(rest.y(), rest.x());
    return out;
}

}  // namespace cutis::actor
