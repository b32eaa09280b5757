#include <cmath>

#include "cast.h"
#include "figure.h"

namespace cutis::actor {

namespace {

// Withers at 1.55 m, 2.4 m from nose to tail.
struct HorseLeg {
    Vector3d top, upper, middle, fetlock, hoof;
};
const HorseLeg fore{
    {0.115, 1.380, 0.330}, {0.135, 1.020, 0.400}, {0.130, 0.560, 0.400}, {0.130, 0.210, 0.395}, {0.130, 0.045, 0.450}};
const HorseLeg hind{{0.125, 1.250, -0.540},
                    {0.155, 0.960, -0.400},
                    {0.145, 0.600, -0.720},
                    {0.140, 0.215, -0.680},
                    {0.140, 0.045, -0.620}};

void sculpt_body(Sculpture& clay) {
    clay.ball({0.0, 1.200, -0.040}, {0.245, 0.275, 0.560});
    clay.ball({0.0, 1.210, 0.400}, {0.195, 0.255, 0.260}, {.blend = 0.10});
    clay.ball({0.0, 1.290, -0.520}, {0.225, 0.240, 0.300}, {.blend = 0.12});
    clay.ball({0.0, 1.440, 0.240}, {0.070, 0.110, 0.260}, {.blend = 0.10});
    clay.mirror(true);
    clay.ball({0.130, 1.200, 0.380}, {0.085, 0.240, 0.140}, {.blend = 0.06}, turn_x(18.0));
    clay.ball({0.130, 1.190, -0.560}, {0.115, 0.250, 0.200}, {.blend = 0.07}, turn_x(-16.0));
    clay.ball({0.070, 1.130, 0.570}, {0.080, 0.120, 0.080}, {.blend = 0.05});
    clay.mirror(false);
    // Neck, with the crest of the mane as a thin ridge.
    clay.chain({{0.0, 1.300, 0.460, 0.225}, {0.0, 1.560, 0.720, 0.160}, {0.0, 1.800, 0.930, 0.112}},
               {.blend = 0.07, .thin_axis = Vector3d::UnitX(), .thin = 0.58});
    clay.layer(0.025);
    clay.chain({{0.0, 1.530, 0.330, 0.040},
                {0.0, 1.700, 0.600, 0.062},
                {0.0, 1.870, 0.800, 0.060},
                {0.0, 1.920, 0.900, 0.044}},
               {.blend = 0.03, .thin_axis = Vector3d::UnitX(), .thin = 0.42, .fine = 0.6});
    // Tail.
    clay.layer(0.050);
    clay.chain({{0.0, 1.420, -0.780, 0.048},
                {0.0, 1.375, -0.880, 0.056},
                {0.0, 1.260, -0.960, 0.068},
                {0.0, 1.060, -1.005, 0.082},
                {0.0, 0.820, -1.015, 0.080},
                {0.0, 0.560, -0.990, 0.034}},
               {.blend = 0.03, .fine = 0.7});
}

void sculpt_head(Sculpture& clay) {
    clay.layer(0.040);
    clay.ball({0.0, 1.815, 1.030}, {0.082, 0.110, 0.125}, {.fine = 0.6});
    clay.cone({0.0, 1.850, 1.010}, {0.0, 1.580, 1.330}, 0.098, 0.060,
              {.blend = 0.04, .thin_axis = Vector3d::UnitX(), .thin = 0.76, .fine = 0.55});
    clay.ball({0.0, 1.555, 1.345}, {0.054, 0.060, 0.062}, {.blend = 0.025, .fine = 0.5});
    clay.ball({0.0, 1.510, 1.320}, {0.036, 0.030, 0.040}, {.blend = 0.020, .fine = 0.5});
    clay.mirror(true);
    clay.ball({0.040, 1.760, 1.020}, {0.040, 0.085, 0.080}, {.blend = 0.025});
    clay.ball({0.066, 1.810, 1.110}, {0.022, 0.022, 0.026}, {.blend = 0.010, .fine = 0.45});
    clay.cone({0.062, 1.838, 1.085}, {0.050, 1.822, 1.160}, 0.016, 0.010, {.blend = 0.012, .fine = 0.45});
    clay.ball({0.034, 1.572, 1.392}, {0.011, 0.016, 0.012}, {.blend = 0.008, .fine = 0.42, .carve = true});
    clay.mirror(false);
    clay.box({0.0, 1.524, 1.400}, {0.100, 0.004, 0.034}, 0.003, {.blend = 0.010, .fine = 0.45, .carve = true},
             turn_x(40.0));
    clay.layer(0.012);
    clay.mirror(true);
    clay.chain({{0.050, 1.910, 0.990, 0.034}, {0.064, 1.985, 0.990, 0.029}, {0.070, 2.060, 1.005, 0.010}},
               {.blend = 0.01, .thin_axis = Vector3d::UnitZ(), .thin = 0.6, .fine = 0.42});
    clay.mirror(false);
}

void sculpt_leg(Sculpture& clay, const HorseLeg& leg, bool is_hind) {
    clay.layer(0.060);
    clay.mirror(true);
    if (is_hind) {
        clay.cone(leg.top, leg.upper, 0.175, 0.120, {.blend = 0.06, .thin_axis = Vector3d::UnitX(), .thin = 0.62});
        clay.cone(leg.upper, leg.middle, 0.112, 0.048, {.blend = 0.06, .thin_axis = Vector3d::UnitX(), .thin = 0.72});
        clay.ball(leg.middle + Vector3d(0.0, 0.010, -0.008), {0.040, 0.060, 0.055}, {.blend = 0.030, .fine = 0.7});
    } else {
        clay.cone(between(leg.top, leg.upper, 0.7), leg.upper, 0.125, 0.098,
                  {.blend = 0.06, .thin_axis = Vector3d::UnitX(), .thin = 0.70});
        clay.cone(leg.upper, leg.middle, 0.088, 0.050, {.blend = 0.05, .thin_axis = Vector3d::UnitX(), .thin = 0.82});
        clay.ball(leg.middle, {0.047, 0.060, 0.050}, {.blend = 0.025, .fine = 0.7});
    }
    clay.cone(leg.middle, leg.fetlock, 0.037, 0.033, {.blend = 0.025, .fine = 0.7});
    clay.ball(leg.fetlock, {0.038, 0.042, 0.044}, {.blend = 0.020, .fine = 0.65});
    clay.cone(leg.fetlock, between(leg.fetlock, leg.hoof, 0.7), 0.034, 0.038, {.blend = 0.015, .fine = 0.6});
    clay.layer(0.006);
    clay.cone(between(leg.fetlock, leg.hoof, 0.72), leg.hoof - Vector3d(0.0, 0.020, -0.008), 0.043, 0.062,
              {.fine = 0.55});
    clay.mirror(false);
}

std::vector<Bone> skeleton() {
    std::vector<Bone> bones = {{"hips", "", {0.0, 1.300, -0.450}, {0.0, 1.280, -0.250}, "torso", "", true, 0.12},
                               {"spine", "hips", {0.0, 1.280, -0.150}, {0.0, 1.280, 0.080}, "torso", "", true, 0.12},
                               {"chest", "spine", {0.0, 1.290, 0.140}, {0.0, 1.240, 0.440}, "torso", "", true, 0.14},
                               {"neck_1", "chest", {0.0, 1.370, 0.500}, {0.0, 1.550, 0.700}, "neck", ""},
                               {"neck_2", "neck_1", {0.0, 1.590, 0.740}, {0.0, 1.790, 0.920}, "neck", ""},
                               {"head", "neck_2", {0.0, 1.850, 0.980}, {0.0, 1.570, 1.330}, "head", ""}};
    const Vector3d tail[5] = {
        {0.0, 1.425, -0.770}, {0.0, 1.320, -0.925}, {0.0, 1.080, -1.000}, {0.0, 0.820, -1.015}, {0.0, 0.540, -0.990}};
    for (int i = 0; i < 4; ++i) {
        bones.push_back({"tail_" + std::to_string(i + 1), i == 0 ? "hips" : "tail_" + std::to_string(i), tail[i],
                         tail[i + 1], "tail", ""});
    }
    for (const auto& [leg, place, parent] :
         {std::tuple<const HorseLeg&, std::string, std::string>{fore, "front", "chest"}, {hind, "hind", "hips"}}) {
        for (const double side : {1.0, -1.0}) {
            const std::string end = "_" + place + (side > 0.0 ? "_left" : "_right");
            const auto at = [&](const Vector3d& p) { return Vector3d(side * p.x(), p.y(), p.z()); };
            bones.push_back({"shoulder" + end, parent, at(leg.top), at(leg.upper), "leg" + end, ""});
            bones.push_back({"upper" + end, "shoulder" + end, at(leg.upper), at(leg.middle), "leg" + end, ""});
            bones.push_back({"cannon" + end, "upper" + end, at(leg.middle), at(leg.fetlock), "leg" + end, ""});
            bones.push_back({"hoof" + end, "cannon" + end, at(leg.fetlock), at(leg.hoof), "leg" + end, ""});
        }
    }
    return bones;
}

/// Transverse gallop, two cycles that close. A turn about +X swings a hanging leg backwards.
void add_gallop(Character& horse) {
    const double period = 0.6;
    ClipMaker motion(horse, "gallop", 2.0 * period);
    const double turn = 2.0 * M_PI / period;
    const auto lift = [](double phase) { return std::pow(std::max(0.0, std::cos(phase)), 1.3); };
    struct Beat {
        const char* leg;
        double late;  // fraction of a cycle
    };
    for (const Beat& beat : {Beat{"_hind_left", 0.0}, Beat{"_hind_right", 0.12}}) {
        const auto phase = [=](double t) { return turn * t - 2.0 * M_PI * beat.late; };
        const std::string leg = beat.leg;
        motion.turn("shoulder" + leg, [=](double t) { return turn_x(-34.0 * std::sin(phase(t)) - 6.0); });
        motion.turn("upper" + leg,
                    [=](double t) { return turn_x(38.0 * lift(phase(t) + 0.5) - 8.0 * std::sin(phase(t))); });
        motion.turn("cannon" + leg,
                    [=](double t) { return turn_x(-46.0 * lift(phase(t) + 0.5) + 16.0 * std::sin(phase(t))); });
        motion.turn("hoof" + leg, [=](double t) { return turn_x(60.0 * lift(phase(t) + 0.9) - 12.0); });
    }
    for (const Beat& beat : {Beat{"_front_left", 0.46}, Beat{"_front_right", 0.60}}) {
        const auto phase = [=](double t) { return turn * t - 2.0 * M_PI * beat.late; };
        const std::string leg = beat.leg;
        motion.turn("shoulder" + leg, [=](double t) { return turn_x(-20.0 * std::sin(phase(t)) - 4.0); });
        motion.turn("upper" + leg,
                    [=](double t) { return turn_x(-30.0 * std::sin(phase(t)) - 26.0 * lift(phase(t) - 0.2)); });
        motion.turn("cannon" + leg, [=](double t) { return turn_x(92.0 * lift(phase(t) + 0.35)); });
        motion.turn("hoof" + leg, [=](double t) { return turn_x(62.0 * lift(phase(t) + 0.7) - 14.0); });
    }
    motion.shift("hips",
                 [=](double t) { return Vector3d(0.0, 0.045 * std::sin(turn * t - 0.6), 0.03 * std::sin(turn * t)); });
    motion.turn("hips", [=](double t) { return turn_x(7.0 * std::sin(turn * t + 1.2)); });
    motion.turn("spine", [=](double t) { return turn_x(-5.0 * std::sin(turn * t + 1.8)); });
    motion.turn("chest", [=](double t) { return turn_x(-5.0 * std::sin(turn * t + 1.4)); });
    motion.turn("neck_1", [=](double t) { return turn_x(8.0 + 7.0 * std::sin(turn * t + 2.6)); });
    motion.turn("neck_2", [=](double t) { return turn_x(4.0 + 4.0 * std::sin(turn * t + 2.2)); });
    motion.turn("head", [=](double t) { return turn_x(-14.0 - 6.0 * std::sin(turn * t + 2.0)); });
    for (int i = 0; i < 4; ++i) {
        motion.turn("tail_" + std::to_string(i + 1), [=](double t) {
            return turn_x((i == 0 ? 34.0 : 10.0) + 7.0 * std::sin(turn * t - 0.8 * i)) *
                   turn_z(3.0 * std::sin(turn * t - 0.5 * i));
        });
    }
}

}  // namespace

Character make_horse() {
    Sculpture clay(0.050);
    sculpt_body(clay);
    sculpt_head(clay);
    sculpt_leg(clay, fore, false);
    sculpt_leg(clay, hind, true);
    clay.layer(0.008, true);
    clay.box({0.0, -0.500, 0.0}, {1.0, 0.500, 2.5}, 0.01);
    Character horse = build_actor({"horse", clay, 0.0240, skeleton(), Vector3d(0.0, -1.0, 0.0), {}});
    add_gallop(horse);
    return horse;
}

}  // namespace cutis::actor
