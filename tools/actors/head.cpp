#include <cmath>

#include "build.h"
#include "cast.h"

namespace cutis::actor {

namespace {

const Vector3d jaw_hinge(0.0, 0.238, -0.008);
const Vector3d larynx(0.0, 0.116, 0.044);

void sculpt_skull(Sculpture& clay) {
    clay.ball({0.0, 0.296, -0.016}, {0.076, 0.080, 0.096});
    clay.ball({0.0, 0.300, 0.030}, {0.062, 0.052, 0.046}, {.blend = 0.03});
    clay.ball({0.0, 0.222, 0.022}, {0.056, 0.068, 0.050}, {.blend = 0.03});
    clay.mirror(true);
    clay.cone({0.008, 0.278, 0.071}, {0.042, 0.279, 0.052}, 0.0095, 0.0080, {.blend = 0.016});  // brow
    clay.ball({0.047, 0.234, 0.042}, {0.019, 0.015, 0.022}, {.blend = 0.018});                  // cheekbone
    clay.chain({{0.054, 0.232, -0.012, 0.014}, {0.049, 0.184, 0.002, 0.014}, {0.018, 0.158, 0.060, 0.014}},
               {.blend = 0.018});                                               // jaw
    clay.ball({0.034, 0.204, 0.046}, {0.022, 0.024, 0.024}, {.blend = 0.020});  // cheek
    clay.mirror(false);
    clay.ball({0.0, 0.159, 0.067}, {0.021, 0.015, 0.018}, {.blend = 0.014});  // chin
    clay.ball({0.0, 0.197, 0.056}, {0.033, 0.028, 0.031}, {.blend = 0.018});  // teeth
    clay.ball({0.0, 0.162, 0.028}, {0.036, 0.018, 0.038}, {.blend = 0.020});  // under the chin
}

void sculpt_face(Sculpture& clay) {
    clay.mirror(true);
    clay.ball({0.032, 0.2585, 0.080}, {0.0215, 0.0135, 0.0180}, {.blend = 0.012, .carve = true});  // eye sockets
    clay.mirror(false);
    clay.cone({0.0, 0.268, 0.072}, {0.0, 0.228, 0.095}, 0.0075, 0.0098, {.blend = 0.012, .fine = 0.6});  // nose
    clay.ball({0.0, 0.244, 0.067}, {0.017, 0.032, 0.020}, {.blend = 0.008});
    clay.ball({0.0, 0.223, 0.0975}, {0.0108, 0.0100, 0.0112}, {.blend = 0.008, .fine = 0.5});
    clay.mirror(true);
    clay.ball({0.0115, 0.2195, 0.0860}, {0.0082, 0.0085, 0.0125}, {.blend = 0.006, .fine = 0.5});
    clay.ball({0.0066, 0.2095, 0.0905}, {0.0036, 0.0046, 0.0058}, {.blend = 0.002, .fine = 0.42, .carve = true});
    // Eyes: ball, upper and lower lid.
    clay.ball({0.0315, 0.2585, 0.0555}, {0.0130, 0.0130, 0.0130}, {.blend = 0.002, .fine = 0.5});
    clay.chain({{0.0165, 0.2570, 0.0620, 0.0026},
                {0.0230, 0.2640, 0.0680, 0.0030},
                {0.0310, 0.2665, 0.0695, 0.0032},
                {0.0395, 0.2640, 0.0660, 0.0030},
                {0.0460, 0.2575, 0.0580, 0.0026}},
               {.blend = 0.0045, .fine = 0.42});
    clay.chain({{0.0165, 0.2565, 0.0620, 0.0024},
                {0.0235, 0.2520, 0.0660, 0.0026},
                {0.0315, 0.2505, 0.0665, 0.0027},
                {0.0400, 0.2525, 0.0635, 0.0026},
                {0.0460, 0.2570, 0.0580, 0.0024}},
               {.blend = 0.0045, .fine = 0.42});
    // Lips and the corners of the mouth.
    clay.chain({{0.0, 0.1990, 0.0865, 0.0052}, {0.0085, 0.2006, 0.0850, 0.0050}, {0.0260, 0.1945, 0.0725, 0.0030}},
               {.blend = 0.005, .fine = 0.42});
    clay.chain({{0.0, 0.1868, 0.0845, 0.0062}, {0.0110, 0.1878, 0.0820, 0.0056}, {0.0260, 0.1930, 0.0720, 0.0030}},
               {.blend = 0.005, .fine = 0.42});
    clay.mirror(false);
    clay.ball({0.0, 0.2075, 0.0905}, {0.0035, 0.0065, 0.0030}, {.blend = 0.003, .carve = true});  // philtrum
    clay.ball({0.0, 0.1755, 0.0860}, {0.0150, 0.0050, 0.0070}, {.blend = 0.008, .carve = true});  // below the lip
    clay.ball({0.0, 0.1932, 0.0720}, {0.0270, 0.0034, 0.0215},
              {.blend = 0.0012, .fine = 0.32, .carve = true});  // mouth
}

void sculpt_ears(Sculpture& clay) {
    clay.mirror(true);
    const Eigen::Quaterniond lean = turn_y(24.0) * turn_x(-10.0);
    clay.ball({0.0770, 0.2530, -0.0140}, {0.0085, 0.0300, 0.0185}, {.blend = 0.006, .fine = 0.55}, lean);
    clay.cone({0.0700, 0.2640, -0.0180}, {0.0820, 0.2640, -0.0220}, 0.0150, 0.0100, {.blend = 0.006});
    clay.ball({0.0870, 0.2500, -0.0110}, {0.0060, 0.0165, 0.0100}, {.blend = 0.004, .fine = 0.5, .carve = true}, lean);
    clay.chain({{0.0780, 0.2570, -0.0010, 0.0034},
                {0.0800, 0.2760, -0.0040, 0.0036},
                {0.0840, 0.2830, -0.0150, 0.0038},
                {0.0880, 0.2750, -0.0290, 0.0038},
                {0.0870, 0.2560, -0.0320, 0.0038},
                {0.0810, 0.2360, -0.0220, 0.0040},
                {0.0755, 0.2260, -0.0120, 0.0056}},
               {.blend = 0.005, .fine = 0.5});
    clay.ball({0.0775, 0.2480, -0.0010}, {0.0040, 0.0060, 0.0040}, {.blend = 0.004, .fine = 0.5});
    clay.mirror(false);
}

void sculpt_neck(Sculpture& clay) {
    clay.cone({0.0, 0.040, -0.022}, {0.0, 0.200, -0.016}, 0.0545, 0.0500, {.blend = 0.02});
    clay.mirror(true);
    clay.cone({0.056, 0.222, -0.024}, {0.014, 0.060, 0.024}, 0.0110, 0.0085, {.blend = 0.014});   // sternomastoid
    clay.cone({0.026, 0.140, -0.048}, {0.110, 0.052, -0.030}, 0.0190, 0.0220, {.blend = 0.040});  // trapezius
    clay.cone({0.014, 0.050, 0.030}, {0.110, 0.060, 0.002}, 0.0085, 0.0100, {.blend = 0.014});    // collar bone
    clay.mirror(false);
    clay.ball({0.0, 0.022, -0.016}, {0.128, 0.042, 0.064}, {.blend = 0.03});
    clay.ball({0.0, 0.195, -0.048}, {0.046, 0.060, 0.034}, {.blend = 0.030});  // nape
    clay.ball({0.0, 0.058, 0.044}, {0.0120, 0.0120, 0.0120}, {.blend = 0.010, .carve = true});
    clay.cone({0.0, 0.132, 0.018}, {0.0, 0.072, 0.020}, 0.0170, 0.0150, {.blend = 0.016});
    clay.ball(larynx - Vector3d(0.0, 0.0, 0.009), {0.0105, 0.0155, 0.0130}, {.blend = 0.008, .fine = 0.6});
}

/// Which part of head skin the jaw carries: below the line from the mouth to the hinge; sharp in
/// the middle of the lips, softer towards the corners (so that the mouth opens as an oval) and over
/// the cheeks.
double jaw_share(const Vector3d& p) {
    const double side = std::max(std::abs(p.x()) - 0.022, 0.0);
    const double depth = std::max(0.054 - p.z(), 0.0);
    const double line = 0.1932 + 0.50 * std::max(0.072 - p.z(), 0.0);
    const double corner = smooth_step(0.004, 0.027, std::abs(p.x()));
    const double width = 0.0012 + 0.45 * std::hypot(side, depth) + 0.011 * corner;
    return smooth_step(width, -width, p.y() - line) * smooth_step(-0.045, 0.005, p.z());
}

}  // namespace

Character make_head() {
    Sculpture clay(0.0090);
    sculpt_skull(clay);
    sculpt_neck(clay);
    sculpt_ears(clay);
    sculpt_face(clay);
    ActorPlan plan{"head", clay, 0.0042, {}, Vector3d(0.0, 0.0, -1.0), {}};
    plan.bones = {{"chest", "", {0.0, 0.0, -0.016}, {0.0, 0.045, -0.020}, "neck", ""},
                  {"neck_1", "chest", {0.0, 0.070, -0.022}, {0.0, 0.125, -0.020}, "neck", ""},
                  {"neck_2", "neck_1", {0.0, 0.130, -0.020}, {0.0, 0.185, -0.018}, "neck", ""},
                  {"skull", "neck_2", {0.0, 0.205, -0.018}, {0.0, 0.320, -0.010}, "skull", ""},
                  {"jaw", "skull", jaw_hinge, {0.0, 0.160, 0.068}, "skull", ""},
                  {"larynx", "neck_2", larynx, larynx, "neck", "", false}};
    const int skull = 3;
    const int jaw = 4;
    const int apple = 5;
    plan.paint = [=](const Vector3d& p, Eigen::RowVectorXd& weights) {
        const double head = weights[skull] + weights[jaw];
        weights[jaw] = head * jaw_share(p);
        weights[skull] = head - weights[jaw];
        const double spot = smooth_step(0.12, 0.85, soft_spot(p, larynx, 0.026));
        weights *= 1.0 - spot;
        weights[apple] += spot;
    };
    Character head = build_actor(plan);

    const Ease lift{{0.2, 0.0}, {1.2, 1.0}, {1.8, 1.0}, {2.8, 0.0}};
    {
        ClipMaker motion(head, "lift", 3.0);
        motion.turn("neck_1", [&](double t) { return turn_x(-14.0 * lift(t)); });
        motion.turn("neck_2", [&](double t) { return turn_x(-14.0 * lift(t)); });
        motion.turn("skull", [&](double t) { return turn_x(-16.0 * lift(t)); });
    }
    const Ease open{{0.2, 0.0}, {0.8, 1.0}, {1.3, 1.0}, {1.8, 0.0}};
    {
        ClipMaker motion(head, "open_mouth", 2.0);
        motion.turn("jaw", [&](double t) { return turn_x(21.0 * open(t)); });
        motion.shift("jaw", [&](double t) { return Vector3d(open(t) * Vector3d(0.0, -0.003, 0.004)); });
    }
    const Ease gulp{{0.3, 0.0}, {0.55, 1.0}, {0.75, 1.0}, {1.1, -0.15}, {1.3, 0.0}};
    const Ease press{{0.1, 0.0}, {0.35, 1.0}, {0.9, 1.0}, {1.3, 0.0}};
    {
        ClipMaker motion(head, "swallow", 1.6);
        motion.shift("larynx", [&](double t) { return Vector3d(gulp(t) * Vector3d(0.0, 0.024, 0.003)); });
        motion.turn("skull", [&](double t) { return turn_x(3.0 * press(t)); });
        motion.turn("jaw", [&](double t) { return turn_x(-0.8 * press(t)); });
    }
    return head;
}

}  // namespace cutis::actor
