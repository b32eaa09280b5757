#include <array>
#include <cmath>

#include "cast.h"
#include "figure.h"

namespace cutis::actor {

namespace {

// A left arm stretched sideways, biceps up, ending in a fist.
const Vector3d shoulder(0.0, 0.0, 0.0);
const Vector3d elbow(0.30, 0.0, 0.0);
const Vector3d wrist(0.565, 0.0, 0.0);

Sculpture sculpt() {
    Sculpture clay(0.0150);
    sculpt_arm(clay, {.shoulder = shoulder, .elbow = elbow, .wrist = wrist, .front = Vector3d::UnitY(), .girth = 1.12});
    clay.ball({-0.015, -0.004, 0.0}, {0.050, 0.055, 0.052}, {.blend = 0.03});
    sculpt_fist(clay, {.wrist = wrist,
                       .along = Vector3d::UnitX(),
                       .palm = Vector3d::UnitY(),
                       .thumb = -Vector3d::UnitZ(),
                       .size = 1.12,
                       .fine = 0.66});
    return clay;
}

}  // namespace

Character make_arm() {
    ActorPlan plan{"arm", sculpt(), 0.0085, {}, Vector3d(0.0, -0.6, -0.8), {}};
    plan.bones = {{"upper_arm", "", shoulder - Vector3d(0.06, 0.0, 0.0), elbow, "upper_arm", ""}};
    // Four pieces of forearm share the twist, as the two bones of a real one do.
    std::string parent = "upper_arm";
    for (int i = 0; i < 4; ++i) {
        const std::string name = "forearm_" + std::to_string(i + 1);
        plan.bones.push_back(
            {name, parent, between(elbow, wrist, 0.25 * i), between(elbow, wrist, 0.25 * (i + 1)), "forearm", ""});
        parent = name;
    }
    plan.bones.push_back({"hand", parent, wrist, wrist + Vector3d(0.10, 0.01, 0.0), "hand", ""});
    plan.bones[0].head = shoulder;
    Character arm = build_actor(plan);
    add_morph(arm.meshes[0], "biceps", [](const Vector3d& p, const Vector3d& n) {
        const double front = std::max(n.y(), 0.0) * std::exp(-std::pow((p.x() - 0.165) / 0.058, 2.0));
        const double behind = std::max(-n.y(), 0.0) * std::exp(-std::pow((p.x() - 0.13) / 0.075, 2.0));
        return Vector3d((0.034 * front + 0.006 * behind) * n * (p.x() < elbow.x() ? 1.0 : 0.0));
    });

    const Ease bend{{0.3, 0.0}, {1.5, 1.0}, {2.1, 1.0}, {3.3, 0.0}};
    const auto none = [](double) { return 0.0; };
    {
        ClipMaker motion(arm, "bend", 3.6);
        motion.turn("forearm_1", [&](double t) { return turn_z(120.0 * bend(t)); });
        motion.morph("arm", {[&](double t) { return bend(t); }});
    }
    {
        ClipMaker motion(arm, "twist", 3.6);
        for (const char* joint : {"forearm_2", "forearm_3", "forearm_4", "hand"}) {
            motion.turn(joint, [&](double t) { return turn_x(45.0 * bend(t)); });
        }
        motion.morph("arm", {none});
    }
    return arm;
}

}  // namespace cutis::actor
