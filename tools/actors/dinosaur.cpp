#include <cmath>

#include "cast.h"
#include "figure.h"
#include "garment.h"

namespace cutis::actor {

namespace {

// A theropod, 3.5 m from snout to tail, hips at 1.05 m.
const Vector3d hip(0.165, 1.020, -0.080);
const Vector3d knee(0.215, 0.680, 0.190);
const Vector3d ankle(0.215, 0.350, -0.120);
const Vector3d foot(0.215, 0.075, 0.030);
const Vector3d shoulder(0.140, 1.040, 0.720);
const Vector3d elbow(0.190, 0.870, 0.660);
const Vector3d wrist(0.165, 0.800, 0.820);

void sculpt_body(Sculpture& clay, int knobs) {
    clay.ball({0.0, 1.050, -0.100}, {0.195, 0.250, 0.320});
    clay.ball({0.0, 1.020, 0.280}, {0.225, 0.265, 0.420}, {.blend = 0.12});
    clay.ball({0.0, 1.100, 0.620}, {0.175, 0.215, 0.240}, {.blend = 0.10});
    clay.chain({{0.0, 1.190, 0.700, 0.170}, {0.0, 1.370, 0.920, 0.142}, {0.0, 1.540, 1.080, 0.136}},
               {.blend = 0.09, .thin_axis = Vector3d::UnitX(), .thin = 0.85});
    // Blends between pieces of one line swell where they meet: only the root is blended wide.
    clay.cone({0.0, 1.060, -0.280}, {0.0, 1.050, -0.540}, 0.200, 0.165,
              {.blend = 0.10, .thin_axis = Vector3d::UnitX(), .thin = 0.82});
    clay.chain({{0.0, 1.050, -0.540, 0.165}, {0.0, 1.040, -0.800, 0.130}, {0.0, 1.060, -1.320, 0.074}},
               {.blend = 0.012, .thin_axis = Vector3d::UnitX(), .thin = 0.82});
    clay.cone({0.0, 1.060, -1.320}, {0.0, 1.140, -1.900}, 0.074, 0.026,
              {.blend = 0.05, .thin_axis = Vector3d::UnitX(), .thin = 0.82, .fine = 0.6});
    // A low crest of knobs, each set on the back where it stands.
    for (int i = 0; i < knobs; ++i) {
        const double z = 0.62 - 0.17 * i;
        double y = 1.6;
        while (clay.distance({0.0, y, z}) > 0.0) {
            y -= 0.002;
        }
        const double size = 0.055 - 0.0022 * i;
        clay.ball({0.0, y, z}, {0.024, size, size}, {.blend = 0.012, .fine = 0.6});
    }
}

void sculpt_head(Sculpture& clay) {
    // Drawn at one size and enlarged about the nape.
    const double s = 1.22;
    const auto at = [&](double x, double y, double z) {
        return Vector3d(s * x, 1.540 + s * (y - 1.540), 1.080 + s * (z - 1.080));
    };
    const auto size = [&](double x, double y, double z) { return Vector3d(s * x, s * y, s * z); };
    clay.layer(0.040);
    clay.ball(at(0.0, 1.610, 1.150), size(0.112, 0.118, 0.165), {.fine = 0.62});
    clay.cone(at(0.0, 1.615, 1.220), at(0.0, 1.585, 1.540), s * 0.108, s * 0.072,
              {.blend = 0.04, .thin_axis = Vector3d::UnitX(), .thin = 0.82, .fine = 0.62});
    clay.ball(at(0.0, 1.598, 1.560), size(0.054, 0.058, 0.062), {.blend = 0.03, .fine = 0.62});
    clay.mirror(true);
    clay.cone(at(0.070, 1.700, 1.190), at(0.052, 1.680, 1.330), s * 0.028, s * 0.022,
              {.blend = 0.020, .fine = 0.55});                                                      // brow
    clay.ball(at(0.092, 1.640, 1.255), size(0.020, 0.024, 0.026), {.blend = 0.006, .fine = 0.45});  // eye
    clay.ball(at(0.036, 1.632, 1.590), size(0.012, 0.012, 0.016),
              {.blend = 0.008, .fine = 0.45, .carve = true});                         // nostril
    clay.ball(at(0.085, 1.560, 1.120), size(0.040, 0.070, 0.090), {.blend = 0.030});  // cheek
    clay.mirror(false);
    // Lower jaw, then the gap between the jaws.
    clay.cone(at(0.0, 1.498, 1.130), at(0.0, 1.470, 1.510), s * 0.080, s * 0.050,
              {.blend = 0.03, .thin_axis = Vector3d::UnitY(), .thin = 0.62, .fine = 0.62});
    clay.box(at(0.0, 1.527, 1.480), size(0.200, 0.013, 0.250), s * 0.012, {.blend = 0.012, .fine = 0.5, .carve = true},
             turn_x(3.0));
    // Teeth of the upper jaw.
    clay.mirror(true);
    for (int i = 0; i < 5; ++i) {
        const double z = 1.310 + 0.058 * i;
        const double x = 0.074 - 0.006 * i;
        clay.cone(at(x, 1.550, z), at(x, 1.527, z), s * 0.0130, s * 0.0055, {.blend = 0.006, .fine = 0.34});
    }
    clay.mirror(false);
}

void sculpt_limbs(Sculpture& clay) {
    clay.layer(0.060);
    clay.mirror(true);
    clay.cone(hip, knee, 0.175, 0.098, {.blend = 0.05, .thin_axis = Vector3d::UnitX(), .thin = 0.62});
    clay.ball(between(hip, knee, 0.35) + Vector3d(0.01, 0.0, -0.05), {0.085, 0.190, 0.140}, {.blend = 0.06});
    clay.cone(knee, ankle, 0.088, 0.044, {.blend = 0.04});
    clay.ball(between(knee, ankle, 0.28) + Vector3d(0.0, -0.01, -0.035), {0.058, 0.120, 0.072}, {.blend = 0.04},
              frame_along(ankle - knee, Vector3d::UnitZ()));
    clay.cone(ankle, foot, 0.046, 0.048, {.blend = 0.03, .fine = 0.7});
    clay.layer(0.020);
    for (const Vector3d& toe :
         {Vector3d(0.215, 0.032, 0.270), Vector3d(0.305, 0.032, 0.210), Vector3d(0.130, 0.032, 0.220)}) {
        clay.cone(foot - Vector3d(0.0, 0.022, 0.010), toe, 0.050, 0.032, {.blend = 0.015, .fine = 0.6});
        const Vector3d ahead = (toe - foot).cwiseProduct(Vector3d(1.0, 0.0, 1.0)).normalized();
        clay.cone(toe, toe + 0.060 * ahead - Vector3d(0.0, 0.010, 0.0), 0.024, 0.008, {.blend = 0.010, .fine = 0.45});
    }
    clay.cone(foot - Vector3d(0.0, 0.020, 0.0), foot + Vector3d(-0.02, -0.030, -0.095), 0.034, 0.016,
              {.blend = 0.015, .fine = 0.5});
    clay.layer(0.030);
    clay.cone(shoulder, elbow, 0.060, 0.040, {.blend = 0.03, .fine = 0.7});
    clay.cone(elbow, wrist, 0.038, 0.027, {.blend = 0.02, .fine = 0.6});
    clay.cone(wrist, wrist + Vector3d(0.016, -0.048, 0.070), 0.024, 0.013, {.blend = 0.010, .fine = 0.36});
    clay.cone(wrist, wrist + Vector3d(-0.044, -0.052, 0.050), 0.024, 0.013, {.blend = 0.010, .fine = 0.36});
    clay.mirror(false);
    clay.layer(0.015, true);  // the ground flattens the soles
    clay.box({0.0, -0.500, 0.0}, {1.0, 0.505, 2.5}, 0.01);
}

std::vector<Bone> skeleton() {
    std::vector<Bone> bones = {{"hips", "", {0.0, 1.080, -0.100}, {0.0, 1.070, 0.050}, "trunk", "", true, 0.08},
                               {"spine", "hips", {0.0, 1.060, 0.120}, {0.0, 1.060, 0.350}, "trunk", "", true, 0.10},
                               {"chest", "spine", {0.0, 1.080, 0.430}, {0.0, 1.130, 0.650}, "trunk", "", true, 0.08},
                               {"neck_1", "chest", {0.0, 1.200, 0.740}, {0.0, 1.350, 0.900}, "neck", ""},
                               {"neck_2", "neck_1", {0.0, 1.390, 0.940}, {0.0, 1.530, 1.060}, "neck", ""},
                               {"head", "neck_2", {0.0, 1.590, 1.110}, {0.0, 1.620, 1.640}, "head", "", true, 0.02},
                               {"jaw", "head", {0.0, 1.525, 1.120}, {0.0, 1.460, 1.600}, "head", ""}};
    const Vector3d tail[6] = {{0.0, 1.060, -0.360}, {0.0, 1.048, -0.650}, {0.0, 1.042, -0.930},
                              {0.0, 1.052, -1.210}, {0.0, 1.085, -1.520}, {0.0, 1.140, -1.900}};
    for (int i = 0; i < 5; ++i) {
        bones.push_back({"tail_" + std::to_string(i + 1), i == 0 ? "hips" : "tail_" + std::to_string(i), tail[i],
                         tail[i + 1], "tail", ""});
    }
    for (const double side : {1.0, -1.0}) {
        const std::string end = side > 0.0 ? "_left" : "_right";
        const auto at = [&](const Vector3d& p) { return Vector3d(side * p.x(), p.y(), p.z()); };
        bones.push_back({"thigh" + end, "hips", at(hip), at(knee), "leg" + end, ""});
        bones.push_back({"shin" + end, "thigh" + end, at(knee), at(ankle), "leg" + end, ""});
        bones.push_back({"foot" + end, "shin" + end, at(ankle), at(foot), "leg" + end, ""});
        bones.push_back({"toes" + end, "foot" + end, at(foot), at(foot + Vector3d(0.0, -0.04, 0.24)), "leg" + end, ""});
        bones.push_back({"upper_arm" + end, "chest", at(shoulder), at(elbow), "arm" + end, ""});
        bones.push_back(
            {"forearm" + end, "upper_arm" + end, at(elbow), at(wrist + Vector3d(0.0, -0.03, 0.05)), "arm" + end, ""});
    }
    return bones;
}

/// Footsteps: (lift-off, landing, metres forward so far) for each foot; the last two stand level.
struct Steps {
    Ease forward;
    std::vector<std::pair<double, double>> swings;
    double lift(double t) const {
        for (const auto& [from, to] : swings) {
            if (t > from && t < to) {
                const double s = (t - from) / (to - from);
                return std::pow(std::sin(M_PI * s), 2.0);
            }
        }
        return 0.0;
    }
};

void add_walk(Character& dinosaur) {
    const Steps left{{{0.2, 0.0}, {0.8, 0.42}, {1.4, 0.42}, {2.0, 1.26}, {2.6, 1.26}, {3.1, 1.68}},
                     {{0.2, 0.8}, {1.4, 2.0}, {2.6, 3.1}}};
    const Steps right{{{0.8, 0.0}, {1.4, 0.84}, {2.0, 0.84}, {2.6, 1.68}}, {{0.8, 1.4}, {2.0, 2.6}}};
    // The hips ride between the feet, then swing out after the stop.
    const auto travel = [=](double t) { return 0.5 * (left.forward(t) + right.forward(t)); };
    const auto swing = [](double t) {
        return t < 3.05 ? 0.0 : 0.07 * std::exp(-2.6 * (t - 3.05)) * std::sin(7.5 * (t - 3.05));
    };
    const auto hips_offset = [=](double t) {
        const double stride = smooth_step(0.2, 0.8, t) * (1.0 - smooth_step(2.7, 3.3, t));
        const double bob = -0.030 * stride * (1.0 + std::cos(2.0 * M_PI * (t - 0.5) / 0.6)) * 0.5 - 0.02 * stride;
        const double sway = 0.035 * stride * std::cos(2.0 * M_PI * (t - 0.5) / 1.2);
        return Vector3d(-sway, bob - 0.4 * std::abs(swing(t)), travel(t) + swing(t));
    };
    ClipMaker motion(dinosaur, "walk", 4.8);
    motion.shift("hips", hips_offset);
    const double deg = 180.0 / M_PI;
    for (const double side : {1.0, -1.0}) {
        const std::string end = side > 0.0 ? "_left" : "_right";
        const Steps steps = side > 0.0 ? left : right;
        const Vector2d thigh(knee.z() - hip.z(), knee.y() - hip.y());
        const Vector2d shin(ankle.z() - knee.z(), ankle.y() - knee.y());
        const double rest1 = std::atan2(thigh.y(), thigh.x());
        const double rest2 = std::atan2(shin.y(), shin.x());
        // Heel up while swinging: the foot turns about its toes, which fixes where the ankle must
        // be.
        const auto pitch = [=](double t) { return 34.0 * steps.lift(t); };
        const auto angles = [=](double t) {
            const Vector3d lifted = turn_x(pitch(t)) * (ankle - foot);
            const Vector3d target = foot + lifted + Vector3d(0.0, 0.14 * steps.lift(t), steps.forward(t));
            const Vector3d from = hip + hips_offset(t);
            return reach(thigh.norm(), shin.norm(), {target.z() - from.z(), target.y() - from.y()}, 1.0);
        };
        const auto unwrap = [](double a) { return std::remainder(a, 2.0 * M_PI); };
        motion.turn("thigh" + end, [=](double t) { return turn_x(-deg * unwrap(angles(t).first - rest1)); });
        motion.turn("shin" + end, [=](double t) {
            const LimbAngles a = angles(t);
            return turn_x(-deg * (unwrap(a.second - rest2) - unwrap(a.first - rest1)));
        });
        motion.turn("foot" + end, [=](double t) { return turn_x(pitch(t) + deg * unwrap(angles(t).second - rest2)); });
        motion.turn("toes" + end, [=](double t) { return turn_x(0.4 * pitch(t)); });
        motion.turn("upper_arm" + end,
                    [=](double t) { return turn_x(-60.0 * swing(t) + side * 5.0 * std::sin(2.0 * M_PI * t / 1.2)); });
    }
    const auto stride = [](double t) { return smooth_step(0.2, 0.8, t) * (1.0 - smooth_step(2.8, 3.4, t)); };
    for (int i = 0; i < 5; ++i) {
        motion.turn("tail_" + std::to_string(i + 1), [=](double t) {
            const double wave = 7.0 * stride(t) * std::sin(2.0 * M_PI * t / 1.2 - 0.7 * i);
            return turn_y(wave) * turn_x(-70.0 * swing(t - 0.05 * i));
        });
    }
    motion.turn("neck_1",
                [=](double t) { return turn_x(2.0 * stride(t) * std::sin(2.0 * M_PI * t / 0.6) + 110.0 * swing(t)); });
    motion.turn("neck_2", [=](double t) { return turn_x(60.0 * swing(t - 0.06)); });
    motion.turn("head", [=](double t) {
        return turn_x(-2.0 * stride(t) * std::sin(2.0 * M_PI * t / 0.6) - 90.0 * swing(t - 0.03));
    });
    const Ease roar{{3.5, 0.0}, {3.9, 1.0}, {4.3, 1.0}, {4.7, 0.0}};
    motion.turn("jaw", [=](double t) { return turn_x(18.0 * roar(t)); });
}

Sculpture sculpt(int knobs) {
    Sculpture clay(0.050);
    sculpt_body(clay, knobs);
    sculpt_head(clay);
    sculpt_limbs(clay);
    return clay;
}

Character build(const std::string& name, const Sculpture& clay) {
    ActorPlan plan{name, clay, 0.0215, skeleton(), Vector3d(0.0, -1.0, 0.0), {}};
    const int head = bone_index(plan.bones, "head");
    const int jaw = bone_index(plan.bones, "jaw");
    plan.paint = [=](const Vector3d& p, Eigen::RowVectorXd& weights) {
        // The gap between the jaws decides, sharply in front and softly at its corner.
        const double both = weights[head] + weights[jaw];
        const double line = 1.5241 + 0.05 * (1.568 - p.z());  // middle of the enlarged gap
        const double width = 0.006 + 0.5 * std::max(1.29 - p.z(), 0.0);
        weights[jaw] = both * smooth_step(width, -width, p.y() - line) * smooth_step(1.02, 1.20, p.z());
        weights[head] = both - weights[jaw];
    };
    Character dinosaur = build_actor(plan);
    add_walk(dinosaur);
    return dinosaur;
}

double distance_to_segment(const Vector3d& p, const Vector3d& a, const Vector3d& b) {
    const double along = (b - a).dot(p - a) / (b - a).squaredNorm();
    return (p - between(a, b, std::clamp(along, 0.0, 1.0))).norm();
}

/// Where the suit ends: round the neck, behind the hips, below the knees, round the arms.
double suit_fence(const Vector3d& p) {
    const Vector3d q(std::abs(p.x()), p.y(), p.z());
    const double collar = Vector3d(0.0, 0.63, 0.77).dot(q - Vector3d(0.0, 1.235, 0.755));
    const double tail = -0.50 - q.z();
    const double leg = Vector3d(0.0, -0.97, -0.24).dot(q - Vector3d(0.215, 0.600, 0.120));
    const double armhole =
        0.088 - std::min(distance_to_segment(q, shoulder, elbow), distance_to_segment(q, elbow, wrist));
    return std::max({collar, tail, leg, armhole});
}

/// Rows of all bones at the vertices, from the strongest ones a mesh keeps.
Eigen::MatrixXd weight_rows(const MeshInstance& mesh, size_t bone_count) {
    Eigen::MatrixXd rows = Eigen::MatrixXd::Zero(mesh.mesh.positions.rows(), static_cast<Eigen::Index>(bone_count));
    const auto influences = static_cast<size_t>(mesh.weights.influences);
    for (size_t k = 0; k < mesh.weights.weights.size(); ++k) {
        rows(static_cast<Eigen::Index>(k / influences), mesh.weights.joints[k]) += mesh.weights.weights[k];
    }
    return rows;
}

SurfaceMesh surface_of(const ArtMesh& art) {
    SurfaceMesh surface;
    for (Eigen::Index v = 0; v < art.positions.rows(); ++v) {
        surface.points.push_back(art.positions.row(v).transpose());
    }
    for (Eigen::Index f = 0; f < art.triangles.rows(); ++f) {
        surface.triangles.push_back(art.triangles.row(f).transpose());
    }
    return surface;
}

void paint_parts(MeshInstance& mesh, const std::string& material) {
    for (MeshPart& part : mesh.mesh.parts) {
        part.material = material;
    }
}

}  // namespace

Character make_dinosaur() {
    return build("dinosaur", sculpt(11));
}

Character make_creature() {
    const Sculpture clay = sculpt(0);  // no crest: what grows there is the shell's
    Character creature = build("creature", clay);
    const SurfaceMesh skin = surface_of(creature.meshes[0].mesh);
    const SurfaceMesh cloth = cut_garment(clay, skin, 0.008, suit_fence);
    std::vector<int> side;
    for (const Eigen::Vector3i& t : cloth.triangles) {
        const Vector3d centre = (cloth.points[t[0]] + cloth.points[t[1]] + cloth.points[t[2]]) / 3.0;
        side.push_back(centre.x() > 0.0 ? 0 : 1);
    }
    const Eigen::MatrixXd weights =
        carry_over(skin, weight_rows(creature.meshes[0], creature.skins[0].joints.size()), cloth.points);
    add_mesh(creature, "suit", make_art_mesh("suit", cloth, side, {"suit", "suit"}, Vector3d(0.0, -1.0, 0.0)),
             strongest_weights(weights));
    paint_parts(creature.meshes[0], "hide");
    paint_parts(creature.meshes[1], "suit");
    const auto library = std::make_shared<MaterialLibrary>();
    library->gltf_json = R"({"materials":[
{"name":"hide","pbrMetallicRoughness":{"baseColorFactor":[0.42,0.55,0.27,1],"metallicFactor":0,"roughnessFactor":0.6}},
{"name":"suit","doubleSided":true,"pbrMetallicRoughness":{"baseColorFactor":[0.72,0.12,0.08,1],"metallicFactor":0,"roughnessFactor":0.75}}
],"textures":[],"samplers":[],"images":[],"extensionsUsed":[]})";
    creature.materials = library;
    return creature;
}

}  // namespace cutis::actor
