#include <array>
#include <cmath>

#include "build.h"
#include "cast.h"

namespace cutis::actor {

namespace {

/// Right hand, fingers up, palm towards +Z, thumb towards +X.
struct Finger {
    std::string name;
    Vector3d knuckle;              // where it leaves the palm
    double fan_deg;                // sideways lean, towards +X positive
    std::array<double, 3> length;  // from knuckle to tip
    double radius;                 // at the knuckle

    /// Joint i of 0 .. 3 (3: the tip). At rest fingers curl forward a little.
    Vector3d joint(int i) const {
        Vector3d p = knuckle;
        double curl = 4.0;
        for (int k = 0; k < i; ++k) {
            p += length[k] * (turn_about(flex_axis(), curl) * (turn_z(-fan_deg) * Vector3d::UnitY()));
            curl += k == 0 ? 9.0 : 7.0;
        }
        return p;
    }
    Vector3d flex_axis() const { return turn_z(-fan_deg) * Vector3d::UnitX(); }
};

const std::array<Finger, 4>& fingers() {
    static const std::array<Finger, 4> all = {{
        {"index", {0.0298, 0.0930, 0.0000}, 8.0, {0.0450, 0.0265, 0.0225}, 0.0100},
        {"middle", {0.0074, 0.0975, -0.0015}, 1.5, {0.0500, 0.0305, 0.0235}, 0.0103},
        {"ring", {-0.0150, 0.0930, -0.0005}, -6.0, {0.0460, 0.0285, 0.0230}, 0.0098},
        {"little", {-0.0350, 0.0825, 0.0020}, -15.0, {0.0360, 0.0210, 0.0200}, 0.0086},
    }};
    return all;
}

const std::array<Vector3d, 4>& thumb_joints() {
    static const std::array<Vector3d, 4> all = {
        {{0.0230, 0.0220, 0.0080}, {0.0480, 0.0530, 0.0200}, {0.0625, 0.0800, 0.0260}, {0.0710, 0.1020, 0.0290}}};
    return all;
}

/// The thumb closes across the palm: about the axis that brings its tip towards -X and +Z.
const Vector3d thumb_axis = Vector3d(0.50, 0.10, 0.85).normalized();

void sculpt_digit(Sculpture& clay, const std::array<Vector3d, 4>& joint, double radius, const Vector3d& back,
                  const Vector3d& flex_axis) {
    clay.layer(0.006);
    const double r = radius;
    const auto mid = [](const Vector3d& a, const Vector3d& b, double t) { return Vector3d(a + t * (b - a)); };
    const auto with = [](const Vector3d& p, double radius_there) {
        return Eigen::Vector4d(p.x(), p.y(), p.z(), radius_there);
    };
    const Vector3d tip = joint[3] - (joint[3] - joint[2]).normalized() * 0.72 * r;
    // Thick at the joints, slim between them, a pad under the tip.
    clay.chain({with(joint[0], 1.0 * r), with(mid(joint[0], joint[1], 0.5), 0.97 * r), with(joint[1], 0.97 * r),
                with(mid(joint[1], joint[2], 0.5), 0.91 * r), with(joint[2], 0.88 * r), with(tip, 0.72 * r)},
               {.blend = 0.004, .thin_axis = back, .thin = 0.94});
    const Vector3d along = (joint[3] - joint[2]).normalized();
    clay.ball(mid(joint[2], tip, 0.62) - 0.22 * r * back, Vector3d(0.72 * r, 0.95 * r, 0.62 * r), {.blend = 0.004},
              Eigen::Quaterniond::FromTwoVectors(Vector3d::UnitY(), along));
    // Soft pads on the palm side of the first two bones, a knuckle on the back.
    clay.ball(mid(joint[0], joint[1], 0.5) - 0.30 * r * back, Vector3d(0.76 * r, 1.7 * r, 0.78 * r), {.blend = 0.005},
              Eigen::Quaterniond::FromTwoVectors(Vector3d::UnitY(), (joint[1] - joint[0]).normalized()));
    clay.ball(joint[1] + 0.26 * r * back, Vector3d(0.75 * r, 0.9 * r, 0.72 * r), {.blend = 0.004});
    // The nail: a thin plate set into the back of the last bone, in a frame (side, along, back).
    Eigen::Matrix3d frame;
    frame.col(1) = along;
    frame.col(0) = flex_axis;
    frame.col(2) = flex_axis.cross(along);
    const Vector3d outward = frame.col(2).dot(back) > 0.0 ? Vector3d(frame.col(2)) : Vector3d(-frame.col(2));
    clay.ball(mid(joint[2], joint[3], 0.66) + 0.66 * r * outward, Vector3d(0.60 * r, 0.80 * r, 0.20 * r),
              {.blend = 0.0005, .fine = 0.45}, Eigen::Quaterniond(frame));
}

Sculpture sculpt_hand() {
    Sculpture clay(0.0042);
    // Forearm, wrist, and one metacarpal to each knuckle.
    clay.cone({0.0, -0.075, 0.0}, {0.0, -0.005, 0.0}, 0.0290, 0.0270, {.blend = 0.02, .thin = 0.72});
    clay.cone({0.0, -0.005, 0.0}, {0.0, 0.030, 0.0}, 0.0265, 0.030, {.blend = 0.02, .thin = 0.60});
    for (const Finger& finger : fingers()) {
        const Vector3d root(0.55 * finger.knuckle.x(), 0.012, -0.001);
        clay.cone(root, finger.knuckle - Vector3d(0.0, 0.004, 0.0), 0.0125, 1.28 * finger.radius, {.blend = 0.016});
        clay.ball(finger.knuckle + Vector3d(0.0, -0.001, -0.0052), Vector3d(0.0075, 0.009, 0.0075), {.blend = 0.008});
    }
    // Muscle of the thumb, heel of the little finger, pads under the knuckles, hollow of the palm.
    clay.ball({0.0280, 0.0390, 0.0120}, {0.0165, 0.0290, 0.0150}, {.blend = 0.014}, turn_z(-32.0));
    clay.ball({-0.0260, 0.0390, 0.0085}, {0.0130, 0.0310, 0.0125}, {.blend = 0.014}, turn_z(8.0));
    clay.ball({0.0000, 0.0840, 0.0085}, {0.0330, 0.0110, 0.0085}, {.blend = 0.012}, turn_z(12.0));
    clay.ball({-0.0010, 0.0540, 0.0235}, {0.0130, 0.0220, 0.0090}, {.blend = 0.012, .carve = true});
    // Ulna head, and the web between thumb and index.
    clay.ball({-0.0210, -0.0150, -0.0110}, {0.0080, 0.0090, 0.0080}, {.blend = 0.010});
    clay.cone({0.0260, 0.0620, 0.0020}, {0.0440, 0.0500, 0.0130}, 0.0080, 0.0095, {.blend = 0.018});

    for (const Finger& finger : fingers()) {
        sculpt_digit(clay, {finger.joint(0), finger.joint(1), finger.joint(2), finger.joint(3)}, finger.radius,
                     -Vector3d::UnitZ(), finger.flex_axis());
    }
    const Vector3d along = (thumb_joints()[3] - thumb_joints()[2]).normalized();
    const Vector3d back = thumb_axis.cross(along).normalized();
    sculpt_digit(clay, thumb_joints(), 0.0108, -back, thumb_axis);
    clay.cone(thumb_joints()[0], thumb_joints()[1], 0.0150, 0.0120, {.blend = 0.012});
    return clay;
}

}  // namespace

Character make_hand() {
    ActorPlan plan{"hand", sculpt_hand(), 0.0030, {}, Vector3d(0.0, 0.0, -1.0), {}};
    plan.bones = {{"forearm", "", {0.0, -0.090, 0.0}, {0.0, -0.012, 0.0}, "palm", ""},
                  {"palm", "forearm", {0.0, 0.0, 0.0}, {0.0, 0.030, 0.0}, "palm", ""}};
    for (const Finger& finger : fingers()) {
        plan.bones.push_back({finger.name + "_palm",
                              "palm",
                              {0.55 * finger.knuckle.x(), 0.012, 0.0},
                              finger.joint(0) - Vector3d(0.0, 0.012, 0.0),
                              "palm",
                              ""});
        std::string parent = finger.name + "_palm";
        for (int i = 0; i < 3; ++i) {
            const std::string name = finger.name + "_" + std::to_string(i + 1);
            plan.bones.push_back({name, parent, finger.joint(i), finger.joint(i + 1), finger.name, ""});
            parent = name;
        }
    }
    std::string parent = "palm";
    for (int i = 0; i < 3; ++i) {
        const std::string name = "thumb_" + std::to_string(i + 1);
        plan.bones.push_back(
            {name, parent, thumb_joints()[i], thumb_joints()[static_cast<size_t>(i) + 1], "thumb", ""});
        parent = name;
    }
    Character hand = build_actor(plan);

    // Little finger first, thumb last; then all open again, also one after another.
    const auto flex = [&](const std::string& clip, double delay, double seconds) {
        ClipMaker motion(hand, clip, seconds);
        for (size_t i = 0; i < fingers().size(); ++i) {
            const Finger finger = fingers()[3 - i];
            const double t = 0.2 + delay * static_cast<double>(i);
            const double back = seconds - 1.0 - 0.6 * delay * static_cast<double>(3 - i);
            const Ease bend{{t, 0.0}, {t + 0.55, 1.0}, {back, 1.0}, {back + 0.55, 0.0}};
            const std::array<double, 3> angle = {82.0, 98.0, 62.0};
            for (int k = 0; k < 3; ++k) {
                motion.turn(finger.name + "_" + std::to_string(k + 1),
                            [&, k](double time) { return turn_about(finger.flex_axis(), bend(time) * angle[k]); });
            }
        }
        const double t = 0.2 + 4.0 * delay;
        const double back = seconds - 1.4 - 2.4 * delay;
        const Ease bend{
            {t, 0.0}, {t + 0.55, 1.0}, {std::max(back, t + 0.7), 1.0}, {std::max(back, t + 0.7) + 0.55, 0.0}};
        const std::array<double, 3> angle = {24.0, 32.0, 48.0};
        for (int k = 0; k < 3; ++k) {
            motion.turn("thumb_" + std::to_string(k + 1),
                        [&, k](double time) { return turn_about(thumb_axis, bend(time) * angle[k]); });
        }
    };
    flex("flex", 0.45, 6.0);
    flex("fist", 0.0, 3.0);
    return hand;
}

}  // namespace cutis::actor
