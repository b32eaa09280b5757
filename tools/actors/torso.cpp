#include <cmath>

#include "cast.h"
#include "figure.h"

namespace cutis::actor {

namespace {

const Vector3d shoulder(0.190, 0.588, -0.020);
const Vector3d elbow(0.338, 0.342, -0.025);
const Vector3d wrist(0.440, 0.112, 0.020);
const Vector3d finger_side = Vector3d(0.40, -0.90, 0.18).normalized();

Sculpture sculpt() {
    Sculpture clay(0.0185);
    clay.ball({0.0, 0.130, 0.0}, {0.160, 0.110, 0.105});
    clay.cone({0.0, 0.160, 0.004}, {0.0, 0.360, 0.002}, 0.132, 0.140, {.blend = 0.05, .thin = 0.74});
    clay.ball({0.0, 0.440, -0.008}, {0.152, 0.170, 0.112}, {.blend = 0.05});
    clay.mirror(true);
    clay.cone({0.020, 0.560, -0.025}, {0.165, 0.580, -0.022}, 0.068, 0.048, {.blend = 0.04});  // shoulder girdle
    clay.ball({0.072, 0.492, 0.078}, {0.080, 0.056, 0.034}, {.blend = 0.020},
              turn_z(10.0));  // pectorals
    clay.cone({0.110, 0.510, 0.068}, {0.185, 0.560, 0.015}, 0.032, 0.026, {.blend = 0.025});
    clay.ball({0.122, 0.420, -0.040}, {0.046, 0.140, 0.058}, {.blend = 0.040});  // latissimus
    clay.ball({0.082, 0.500, -0.098}, {0.052, 0.075, 0.026}, {.blend = 0.026},
              turn_z(12.0));                                                     // shoulder blades
    clay.ball({0.036, 0.240, -0.085}, {0.026, 0.110, 0.022}, {.blend = 0.024});  // beside the spine
    clay.ball({0.112, 0.232, 0.014}, {0.044, 0.062, 0.068}, {.blend = 0.035});   // obliques
    for (const double y : {0.366, 0.312, 0.256}) {
        clay.ball({0.034, y, 0.088}, {0.033, 0.026, 0.024}, {.blend = 0.011});  // abdominals
    }
    clay.ball({0.076, 0.082, -0.070}, {0.076, 0.084, 0.070}, {.blend = 0.026});                 // buttocks
    clay.cone({0.086, 0.090, 0.002}, {0.096, -0.050, 0.006}, 0.094, 0.084, {.blend = 0.024});   // thighs
    clay.cone({0.026, 0.700, -0.030}, {0.165, 0.612, -0.030}, 0.026, 0.030, {.blend = 0.045});  // trapezius
    clay.mirror(false);
    clay.cone({0.0, 0.600, -0.022}, {0.0, 0.735, -0.006}, 0.060, 0.055, {.blend = 0.03});
    clay.mirror(true);
    clay.cone({0.016, 0.622, 0.040}, {0.150, 0.634, -0.004}, 0.0090, 0.0095, {.blend = 0.016});  // collar bones
    clay.cone({0.050, 0.735, -0.022}, {0.014, 0.630, 0.038}, 0.0120, 0.0090, {.blend = 0.016});
    clay.mirror(false);
    clay.cone({0.0, 0.200, -0.128}, {0.0, 0.560, -0.146}, 0.012, 0.012, {.blend = 0.030, .carve = true});
    clay.ball({0.0, 0.240, 0.116}, {0.009, 0.011, 0.014}, {.blend = 0.008, .fine = 0.6, .carve = true});
    clay.cone({0.0, 0.430, 0.122}, {0.0, 0.560, 0.110}, 0.008, 0.008, {.blend = 0.020, .carve = true});
    clay.mirror(true);
    sculpt_arm(
        clay,
        {.shoulder = shoulder, .elbow = elbow, .wrist = wrist, .front = Vector3d(0.25, 0.15, 0.96), .girth = 1.12});
    sculpt_flat_hand(clay, {.wrist = wrist,
                            .along = finger_side,
                            .palm = Vector3d(-0.88, -0.42, -0.15).normalized(),
                            .thumb = Vector3d(0.05, 0.18, 0.98).normalized(),
                            .size = 1.05,
                            .fine = 0.50});
    clay.mirror(false);
    return clay;
}

std::vector<Bone> skeleton() {
    std::vector<Bone> bones = {{"hips", "", {0.0, 0.120, -0.010}, {0.0, 0.180, -0.010}, "torso", "", true, 0.08},
                               {"spine", "hips", {0.0, 0.230, -0.015}, {0.0, 0.330, -0.015}, "torso", "", true, 0.08},
                               {"chest", "spine", {0.0, 0.360, -0.020}, {0.0, 0.520, -0.025}, "torso", "", true, 0.085},
                               {"neck", "chest", {0.0, 0.615, -0.022}, {0.0, 0.740, -0.006}, "neck", ""}};
    for (const double side : {1.0, -1.0}) {
        const std::string end = side > 0.0 ? "_left" : "_right";
        const auto at = [&](const Vector3d& p) { return Vector3d(side * p.x(), p.y(), p.z()); };
        bones.push_back({"thigh" + end, "hips", at({0.085, 0.060, 0.0}), at({0.095, -0.080, 0.005}), "torso", ""});
        bones.push_back({"collar" + end, "chest", at({0.025, 0.590, -0.010}), at({0.150, 0.592, -0.020}), "torso", ""});
        bones.push_back({"upper_arm" + end, "collar" + end, at(shoulder), at(elbow), "arm" + end, ""});
        bones.push_back({"forearm" + end, "upper_arm" + end, at(elbow), at(wrist), "arm" + end, ""});
        bones.push_back({"hand" + end, "forearm" + end, at(wrist), at(wrist + 0.15 * finger_side), "hand" + end, ""});
    }
    return bones;
}

}  // namespace

Character make_torso() {
    Character torso = build_actor({"torso", sculpt(), 0.0115, skeleton(), Vector3d(0.0, 0.0, -1.0), {}});
    const Ease lift{{0.2, 0.0}, {1.6, 1.0}, {2.2, 1.0}, {3.6, 0.0}};
    {
        ClipMaker motion(torso, "lift_arm", 4.0);
        motion.turn("collar_left", [&](double t) { return turn_z(24.0 * lift(t)); });
        motion.turn("upper_arm_left", [&](double t) { return turn_z(104.0 * lift(t)) * turn_y(-12.0 * lift(t)); });
        motion.turn("forearm_left", [&](double t) { return turn_z(16.0 * lift(t)); });
        motion.turn("spine", [&](double t) { return turn_z(-4.0 * lift(t)); });
        motion.turn("chest", [&](double t) { return turn_z(-3.0 * lift(t)); });
        motion.turn("neck", [&](double t) { return turn_z(6.0 * lift(t)); });
    }
    const Ease shrug{{0.2, 0.0}, {0.7, 1.0}, {1.1, 1.0}, {1.7, 0.0}};
    {
        ClipMaker motion(torso, "shrug", 2.0);
        for (const double side : {1.0, -1.0}) {
            const std::string end = side > 0.0 ? "_left" : "_right";
            motion.turn("collar" + end, [&, side](double t) { return turn_z(side * 24.0 * shrug(t)); });
            motion.turn("upper_arm" + end, [&, side](double t) {
                return turn_z(side * -22.0 * shrug(t)) * turn_y(side * 22.0 * shrug(t));
            });
            motion.turn("forearm" + end,
                        [&, side](double t) { return turn_y(side * 20.0 * shrug(t)) * turn_x(-34.0 * shrug(t)); });
        }
        motion.turn("neck", [&](double t) { return turn_x(6.0 * shrug(t)); });
    }
    return torso;
}

}  // namespace cutis::actor
