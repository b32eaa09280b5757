#include <cmath>

#include "cast.h"
#include "figure.h"
#include "garment.h"

namespace cutis::actor {

namespace {

// A woman of 1.68 m; arms a little away from the body, feet slightly apart.
const Vector3d shoulder(0.150, 1.372, -0.015);
const Vector3d elbow(0.292, 1.152, -0.022);
const Vector3d wrist(0.398, 0.952, 0.010);
const Vector3d hip(0.086, 0.880, 0.0);
const Vector3d knee(0.102, 0.478, 0.008);
const Vector3d ankle(0.108, 0.078, -0.012);
const Vector3d toe(0.124, 0.020, 0.158);
const Vector3d finger_side = Vector3d(0.42, -0.89, 0.16).normalized();

void sculpt_trunk(Sculpture& clay) {
    clay.ball({0.0, 0.915, -0.004}, {0.120, 0.095, 0.088});                                        // pelvis
    clay.cone({0.0, 0.960, 0.0}, {0.0, 1.090, 0.0}, 0.104, 0.100, {.blend = 0.05, .thin = 0.76});  // waist
    clay.ball({0.0, 1.215, -0.010}, {0.122, 0.145, 0.090}, {.blend = 0.05});                       // ribs
    clay.cone({0.0, 1.355, -0.022}, {0.0, 1.470, -0.008}, 0.046, 0.042, {.blend = 0.03});          // neck
    clay.mirror(true);
    clay.cone({0.015, 1.345, -0.022}, {0.130, 1.366, -0.018}, 0.048, 0.036, {.blend = 0.035});
    clay.ball({0.062, 1.235, 0.066}, {0.050, 0.050, 0.042}, {.blend = 0.022});  // breast
    clay.ball({0.062, 1.290, -0.078}, {0.042, 0.060, 0.020}, {.blend = 0.024}, turn_z(10.0));
    clay.ball({0.066, 0.872, -0.062}, {0.070, 0.078, 0.062}, {.blend = 0.026});  // buttocks
    clay.ball({0.086, 0.895, 0.0}, {0.048, 0.085, 0.066}, {.blend = 0.040});
    clay.cone({0.020, 1.430, -0.030}, {0.125, 1.382, -0.026}, 0.020, 0.022, {.blend = 0.035});
    clay.cone({0.014, 1.378, 0.030}, {0.130, 1.392, -0.002}, 0.0070, 0.0075, {.blend = 0.014});
    clay.mirror(false);
    clay.cone({0.0, 1.000, -0.096}, {0.0, 1.320, -0.116}, 0.009, 0.009, {.blend = 0.026, .carve = true});
}

void sculpt_head(Sculpture& clay) {
    clay.layer(0.012);
    clay.ball({0.0, 1.592, -0.012}, {0.070, 0.076, 0.088}, {.fine = 0.62});
    clay.ball({0.0, 1.530, 0.024}, {0.050, 0.062, 0.050}, {.blend = 0.028, .fine = 0.62});
    clay.ball({0.0, 1.478, 0.052}, {0.022, 0.016, 0.020}, {.blend = 0.022});
    clay.mirror(true);
    clay.cone({0.045, 1.515, 0.000}, {0.014, 1.476, 0.048}, 0.014, 0.013, {.blend = 0.022});
    clay.ball({0.041, 1.532, 0.046}, {0.017, 0.014, 0.018}, {.blend = 0.018});
    clay.ball({0.028, 1.556, 0.078}, {0.019, 0.012, 0.018}, {.blend = 0.012, .carve = true});
    clay.ball({0.028, 1.556, 0.055}, {0.0125, 0.0105, 0.0120}, {.blend = 0.004, .fine = 0.4});
    clay.ball({0.071, 1.552, -0.010}, {0.007, 0.026, 0.016}, {.blend = 0.005, .fine = 0.45}, turn_y(22.0));
    clay.mirror(false);
    clay.cone({0.0, 1.562, 0.068}, {0.0, 1.526, 0.086}, 0.0070, 0.0090, {.blend = 0.012, .fine = 0.4});
    clay.cone({-0.012, 1.502, 0.0655}, {0.012, 1.502, 0.0655}, 0.0068, 0.0068, {.blend = 0.006, .fine = 0.4});
    clay.cone({-0.011, 1.494, 0.0645}, {0.011, 1.494, 0.0645}, 0.0066, 0.0066, {.blend = 0.004, .fine = 0.4});
    // Hair combed back into a bun.
    clay.layer(0.004);
    clay.ball({0.0, 1.602, -0.022}, {0.073, 0.074, 0.086}, {.fine = 0.62}, turn_x(-14.0));
    clay.layer(0.006);
    clay.ball({0.0, 1.650, -0.098}, {0.036, 0.034, 0.032}, {.fine = 0.62});
}

Sculpture sculpt() {
    Sculpture clay(0.0215);
    sculpt_trunk(clay);
    clay.mirror(true);
    sculpt_leg(clay, {.hip = hip,
                      .knee = knee,
                      .ankle = ankle,
                      .front = Vector3d(0.10, 0.0, 1.0).normalized(),
                      .toe = toe,
                      .girth = 0.92,
                      .fine = 0.55});
    clay.layer(0.022);
    sculpt_arm(clay, {.shoulder = shoulder,
                      .elbow = elbow,
                      .wrist = wrist,
                      .front = Vector3d(0.30, 0.18, 0.93),
                      .girth = 0.80,
                      .muscle = 0.7});
    sculpt_flat_hand(clay, {.wrist = wrist,
                            .along = finger_side,
                            .palm = Vector3d(-0.86, -0.46, -0.2).normalized(),
                            .thumb = Vector3d(0.05, 0.2, 0.98).normalized(),
                            .size = 0.88,
                            .fine = 0.42});
    clay.mirror(false);
    sculpt_head(clay);
    return clay;
}

std::vector<Bone> skeleton() {
    std::vector<Bone> bones = {
        {"hips", "", {0.0, 0.930, -0.005}, {0.0, 0.975, -0.005}, "trunk", "", true, 0.05},
        {"spine_1", "hips", {0.0, 1.010, -0.012}, {0.0, 1.085, -0.012}, "trunk", "", true, 0.06},
        {"spine_2", "spine_1", {0.0, 1.110, -0.016}, {0.0, 1.185, -0.016}, "trunk", "", true, 0.07},
        {"chest", "spine_2", {0.0, 1.210, -0.020}, {0.0, 1.335, -0.020}, "trunk", "", true, 0.065},
        {"neck", "chest", {0.0, 1.385, -0.022}, {0.0, 1.455, -0.012}, "head", ""},
        {"head", "neck", {0.0, 1.485, -0.008}, {0.0, 1.610, -0.010}, "head", "", true, 0.01}};
    for (const double side : {1.0, -1.0}) {
        const std::string end = side > 0.0 ? "_left" : "_right";
        const auto at = [&](const Vector3d& p) { return Vector3d(side * p.x(), p.y(), p.z()); };
        const Vector3d ball = between(ankle, toe, 0.66);
        bones.push_back({"collar" + end, "chest", at({0.022, 1.365, -0.010}), at({0.118, 1.370, -0.015}), "trunk", ""});
        bones.push_back({"upper_arm" + end, "collar" + end, at(shoulder), at(elbow), "arm" + end, ""});
        bones.push_back({"forearm" + end, "upper_arm" + end, at(elbow), at(wrist), "arm" + end, ""});
        bones.push_back({"hand" + end, "forearm" + end, at(wrist), at(wrist + 0.13 * finger_side), "arm" + end, ""});
        bones.push_back({"thigh" + end, "hips", at(hip), at(knee), "leg" + end, ""});
        bones.push_back({"shin" + end, "thigh" + end, at(knee), at(ankle), "leg" + end, ""});
        bones.push_back({"foot" + end, "shin" + end, at(ankle), at(ball), "leg" + end, ""});
        bones.push_back({"toes" + end, "foot" + end, at(ball), at(toe), "leg" + end, ""});
    }
    return bones;
}

/// Where the leotard ends: half sleeves, a scooped neck, short legs cut high at the sides.
double leotard_fence(const Vector3d& p) {
    const Vector3d q(std::abs(p.x()), p.y(), p.z());
    const Vector3d along_arm = (elbow - shoulder).normalized();
    const double sleeve = along_arm.dot(q - between(shoulder, elbow, 0.42));
    const Vector3d across_leg = Vector3d(0.45, -0.88, 0.0).normalized();
    const double leg = across_leg.dot(q - between(hip, knee, 0.24));
    const double neck = 0.098 - (q - Vector3d(0.0, 1.440, 0.028)).norm();
    const bool is_arm = sleeve > -0.10 && q.x() > 0.16 && q.y() > 1.05;
    return std::max(
        {is_arm ? sleeve : -0.05, q.y() < 0.95 && !is_arm ? leg : -0.05, q.y() > 1.25 && q.x() < 0.16 ? neck : -0.05});
}

void add_motions(Character& dancer) {
    // Arabesque: weight on the right leg, left leg back and up, trunk inclined, arms in line.
    const Ease pose{{0.2, 0.0}, {1.7, 1.0}, {2.6, 1.0}, {3.9, 0.0}};
    {
        ClipMaker motion(dancer, "arabesque", 4.2);
        motion.turn("hips", [&](double t) { return turn_x(24.0 * pose(t)); });
        motion.shift("hips", [&](double t) { return Vector3d(pose(t) * Vector3d(-0.070, -0.004, 0.010)); });
        motion.turn("thigh_right", [&](double t) { return turn_x(-24.0 * pose(t)) * turn_z(4.0 * pose(t)); });
        motion.turn("thigh_left", [&](double t) { return turn_x(66.0 * pose(t)) * turn_y(14.0 * pose(t)); });
        motion.turn("foot_left", [&](double t) { return turn_x(52.0 * pose(t)); });
        motion.turn("toes_left", [&](double t) { return turn_x(16.0 * pose(t)); });
        motion.turn("spine_1", [&](double t) { return turn_x(-9.0 * pose(t)); });
        motion.turn("spine_2", [&](double t) { return turn_x(-10.0 * pose(t)); });
        motion.turn("chest", [&](double t) { return turn_x(-8.0 * pose(t)); });
        motion.turn("neck", [&](double t) { return turn_x(-6.0 * pose(t)); });
        motion.turn("head", [&](double t) { return turn_x(-6.0 * pose(t)); });
        motion.turn("collar_right", [&](double t) { return turn_z(-10.0 * pose(t)); });
        motion.turn("upper_arm_right", [&](double t) { return turn_about({-0.95, 0.0, -0.55}, 92.0 * pose(t)); });
        motion.turn("forearm_right", [&](double t) { return turn_x(-8.0 * pose(t)); });
        motion.turn("collar_left", [&](double t) { return turn_z(6.0 * pose(t)); });
        motion.turn("upper_arm_left", [&](double t) { return turn_about({0.25, -0.25, 1.0}, 50.0 * pose(t)); });
        motion.turn("forearm_left", [&](double t) { return turn_z(8.0 * pose(t)); });
    }
    // Arms: low, to the side, overhead in a round, and down again.
    const Ease round{{0.2, 0.0}, {1.4, 0.5}, {2.6, 1.0}, {3.2, 1.0}, {4.6, 0.0}};
    {
        ClipMaker motion(dancer, "arms", 4.8);
        for (const double side : {1.0, -1.0}) {
            const std::string end = side > 0.0 ? "_left" : "_right";
            motion.turn("collar" + end, [&, side](double t) { return turn_z(side * 22.0 * round(t)); });
            motion.turn("upper_arm" + end, [&, side](double t) {
                return turn_z(side * 92.0 * round(t)) * turn_y(side * -18.0 * round(t));
            });
            motion.turn("forearm" + end, [&, side](double t) { return turn_z(side * 40.0 * round(t)); });
            motion.turn("hand" + end, [&, side](double t) { return turn_z(side * 12.0 * round(t)); });
        }
        motion.turn("chest", [&](double t) { return turn_x(-4.0 * round(t)); });
        motion.turn("head", [&](double t) { return turn_x(-8.0 * round(t)); });
    }
    // Deep knee bend with turned-out legs: hips sink straight down, feet stay where they are.
    const Ease sink{{0.2, 0.0}, {1.5, 1.0}, {1.9, 1.0}, {3.2, 0.0}};
    {
        ClipMaker motion(dancer, "knee_bend", 3.4);
        const double l1 = (knee - hip).norm();
        const double l2 = (ankle - knee).norm();
        const double full = (ankle - hip).norm();
        const auto angles = [=](double t) { return reach(l1, l2, {full - 0.34 * sink(t), 0.0}, 1.0); };
        const double rest = angles(0.0).first;
        motion.shift("hips", [&](double t) { return Vector3d(0.0, -0.34 * sink(t), 0.0); });
        for (const double side : {1.0, -1.0}) {
            const std::string end = side > 0.0 ? "_left" : "_right";
            // Knees open sideways: the bending plane is turned out by this much.
            const double out = 38.0 * side;
            const Vector3d axis = turn_y(out) * Vector3d::UnitX();
            const double deg = 180.0 / M_PI;
            motion.turn("thigh" + end, [=, this_angles = angles](double t) {
                return turn_about(axis, -deg * (this_angles(t).first - rest));
            });
            motion.turn("shin" + end, [=, this_angles = angles](double t) {
                return turn_about(axis, deg * (this_angles(t).first - this_angles(t).second));
            });
            motion.turn("foot" + end,
                        [=, this_angles = angles](double t) { return turn_about(axis, deg * this_angles(t).second); });
            motion.turn("upper_arm" + end, [&, side](double t) { return turn_z(side * 46.0 * sink(t)); });
            motion.turn("forearm" + end, [&, side](double t) { return turn_z(side * 14.0 * sink(t)); });
        }
    }
}

}  // namespace

Character make_dancer() {
    const Sculpture clay = sculpt();
    const std::vector<Bone> bones = skeleton();
    RemeshGuide guide;
    guide.edge_length = [&](const Vector3d& p) { return clay.edge_length(p); };
    guide.project = [&](const Vector3d& p) { return clay.project(p); };
    const SurfaceMesh skin = remesh(clay.polygonise(0.0125), guide);
    const Eigen::MatrixXd weights = heat_weights(skin, clay, bones);
    const ChartLabels labels = label_charts(skin, weights, bones);
    const Vector3d behind(0.0, 0.0, -1.0);
    Character dancer = build_skeleton("dancer", bones);
    add_mesh(dancer, "dancer", make_art_mesh("dancer", skin, labels.of_triangle, labels.part, behind),
             strongest_weights(weights));

    const SurfaceMesh cloth = cut_garment(clay, skin, 0.005, leotard_fence);
    const Eigen::MatrixXd cloth_weights = carry_over(skin, weights, cloth.points);
    std::vector<int> front_or_back;
    for (const Eigen::Vector3i& t : cloth.triangles) {
        const Vector3d n = (cloth.points[t[1]] - cloth.points[t[0]]).cross(cloth.points[t[2]] - cloth.points[t[0]]);
        front_or_back.push_back(n.z() > 0.0 ? 0 : 1);
    }
    add_mesh(dancer, "leotard", make_art_mesh("leotard", cloth, front_or_back, {"front", "back"}, behind),
             strongest_weights(cloth_weights));
    add_motions(dancer);
    return dancer;
}

}  // namespace cutis::actor
