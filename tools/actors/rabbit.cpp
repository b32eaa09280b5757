#include <array>
#include <cmath>

#include "cast.h"
#include "figure.h"

namespace cutis::actor {

namespace {

const Vector3d ear_root(0.020, 0.268, 0.052);
const Vector3d ear_middle(0.030, 0.325, 0.028);
const Vector3d ear_tip(0.040, 0.400, 0.010);

Sculpture sculpt() {
    Sculpture clay(0.0108);
    clay.ball({0.0, 0.105, -0.040}, {0.078, 0.090, 0.110}, {}, turn_x(-14.0));
    clay.ball({0.0, 0.135, 0.035}, {0.060, 0.078, 0.060}, {.blend = 0.03});
    clay.cone({0.0, 0.165, 0.040}, {0.0, 0.215, 0.068}, 0.046, 0.042, {.blend = 0.025});
    clay.ball({0.0, 0.232, 0.082}, {0.048, 0.046, 0.058}, {.blend = 0.015, .fine = 0.75});
    clay.ball({0.0, 0.214, 0.124}, {0.030, 0.026, 0.030}, {.blend = 0.018, .fine = 0.62});
    clay.mirror(true);
    clay.ball({0.026, 0.214, 0.100}, {0.024, 0.022, 0.030}, {.blend = 0.015});                   // cheeks
    clay.ball({0.040, 0.240, 0.108}, {0.0090, 0.0105, 0.0110}, {.blend = 0.003, .fine = 0.42});  // eyes
    clay.ball({0.010, 0.208, 0.146}, {0.0110, 0.0095, 0.0100}, {.blend = 0.003, .fine = 0.45});  // whisker pads
    clay.ball({0.058, 0.078, -0.060}, {0.044, 0.064, 0.070}, {.blend = 0.020},
              turn_x(20.0));  // haunches
    clay.cone({0.066, 0.018, -0.075}, {0.070, 0.016, 0.040}, 0.020, 0.017,
              {.blend = 0.014, .thin_axis = Vector3d::UnitY(), .thin = 0.85, .fine = 0.7});
    clay.cone({0.034, 0.120, 0.062}, {0.032, 0.020, 0.074}, 0.026, 0.016, {.blend = 0.014, .fine = 0.7});
    clay.ball({0.032, 0.014, 0.086}, {0.016, 0.013, 0.022}, {.blend = 0.010, .fine = 0.6});
    clay.mirror(false);
    clay.ball({0.0, 0.219, 0.151}, {0.0075, 0.0055, 0.0055}, {.blend = 0.003, .fine = 0.42});  // nose
    clay.ball({0.0, 0.074, -0.158}, {0.030, 0.030, 0.028}, {.blend = 0.012});                  // tail
    // Ears in a layer each side of the head, hollowed in front.
    clay.layer(0.012);
    clay.mirror(true);
    const Vector3d forward = Vector3d(0.45, 0.10, 0.88).normalized();
    const std::array<double, 5> width = {0.0150, 0.0185, 0.0205, 0.0180, 0.0095};
    const std::array<Vector3d, 5> spine = {ear_root, between(ear_root, ear_middle, 0.5), ear_middle,
                                           between(ear_middle, ear_tip, 0.55), ear_tip};
    for (size_t i = 0; i + 1 < spine.size(); ++i) {
        clay.cone(spine[i], spine[i + 1], width[i], width[i + 1],
                  {.blend = 0.004, .thin_axis = forward, .thin = 0.62, .fine = 0.62});
    }
    clay.cone(between(ear_root, ear_middle, 0.35) + 0.0155 * forward,
              between(ear_middle, ear_tip, 0.7) + 0.0105 * forward, 0.0085, 0.0045,
              {.blend = 0.006, .fine = 0.62, .carve = true});
    clay.mirror(false);
    clay.layer(0.004, true);
    clay.box({0.0, -0.500, 0.0}, {1.0, 0.500, 1.0}, 0.01);
    return clay;
}

}  // namespace

Character make_rabbit() {
    std::vector<Bone> bones = {{"body", "", {0.0, 0.080, -0.080}, {0.0, 0.130, 0.010}, "body", "", true, 0.03},
                               {"neck", "body", {0.0, 0.160, 0.040}, {0.0, 0.205, 0.060}, "body", ""},
                               {"head", "neck", {0.0, 0.215, 0.066}, {0.0, 0.220, 0.130}, "head", "", true, 0.01},
                               {"tail", "body", {0.0, 0.080, -0.135}, {0.0, 0.074, -0.165}, "body", ""}};
    for (const double side : {1.0, -1.0}) {
        const std::string end = side > 0.0 ? "_left" : "_right";
        const auto at = [&](const Vector3d& p) { return Vector3d(side * p.x(), p.y(), p.z()); };
        bones.push_back({"ear_1" + end, "head", at(ear_root), at(ear_middle), "ear" + end, ""});
        bones.push_back({"ear_2" + end, "ear_1" + end, at(ear_middle), at(ear_tip), "ear" + end, ""});
        bones.push_back({"foreleg" + end, "body", at({0.034, 0.110, 0.060}), at({0.032, 0.018, 0.084}), "body", ""});
        bones.push_back({"hindleg" + end, "body", at({0.058, 0.080, -0.060}), at({0.070, 0.018, 0.030}), "body", ""});
    }
    Character rabbit = build_actor({"rabbit", sculpt(), 0.0058, bones, Vector3d(0.0, -1.0, 0.0), {}});
    // Head turns and nods; the ears trail behind and quiver out.
    ClipMaker motion(rabbit, "listen", 4.0);
    const Ease look{{0.2, 0.0}, {0.6, 1.0}, {1.6, 1.0}, {2.1, -0.8}, {3.0, -0.8}, {3.5, 0.0}};
    motion.turn("head", [&](double t) { return turn_y(24.0 * look(t)); });
    motion.turn("neck", [&](double t) { return turn_y(12.0 * look(t)); });
    for (const double side : {1.0, -1.0}) {
        const std::string end = side > 0.0 ? "_left" : "_right";
        motion.turn("ear_1" + end, [&, side](double t) {
            return turn_z(9.0 * (look(t) - look(t - 0.10))) *
                   turn_x(-side * 12.0 * std::sin(3.0 * M_PI * t) *
                          std::exp(-std::pow((t - 1.1 - 0.9 * (side < 0.0 ? 1.0 : 0.0)) / 0.3, 2.0)));
        });
        motion.turn("ear_2" + end, [&](double t) { return turn_z(16.0 * (look(t) - look(t - 0.16))); });
    }
    return rabbit;
}

}  // namespace cutis::actor
