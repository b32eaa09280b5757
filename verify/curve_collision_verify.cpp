#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <memory>

#include "cutis/actors/actors.h"
#include "cutis/io/gltf_read.h"
#include "verify/curve_cases.h"
#include "verify/curve_stage.h"
#include "verify/data.h"

// Flesh that meets something: counted on the surface that is shown, with distances computed here.

namespace cutis::verify {

namespace {

Body actor(const std::string& name, const std::string& clip) {
    BodyOptions chosen;
    chosen.clip = clip;
    return make_body(std::make_shared<Character>(load_actor(name)), chosen);
}

PartNames dinosaur_belly() {
    PartNames belly;
    belly.to = {"neck_1", "tail_1"};
    belly.without = {"thigh_left", "thigh_right", "upper_arm_left", "upper_arm_right"};
    return belly;
}

/// A capsule beside the belly of the walking dinosaur, carried by its thigh.
void beside_belly(CurveLayerOptions& options) {
    options.part = dinosaur_belly();
    options.collide = false;
    FleshCollider thigh;
    thigh.shape = ColliderShape::capsule;
    thigh.node = "thigh_left";
    thigh.at = Vector3d(0.0, 0.05, 0.25);
    thigh.to = Vector3d(0.0, -0.25, 0.25);
    thigh.radius = 0.16;
    options.colliders = {thigh};
}

/// Distance from a capsule of two radii: the nearest of many spheres along its axis gives nearly the same.
double tapered_distance(const Vector3d& p, const Vector3d& a, const Vector3d& b, double radius_a, double radius_b) {
    const double length = (b - a).norm();
    if (length < 1e-12) {
        return (p - a).norm() - radius_a;
    }
    const Vector3d d = (b - a) / length;
    const double along = std::min(std::max((p - a).dot(d), 0.0), length);
    const double aside = ((p - a) - (p - a).dot(d) * d).norm();
    return std::hypot((p - a).dot(d) - along, aside) - (radius_a + (radius_b - radius_a) * along / length);
}

double weight_of(const Rig& rig, int vertex, const std::vector<int>& joints) {
    double sum = 0.0;
    for (int i = 0; i < rig.weights.influences; ++i) {
        const size_t at =
            static_cast<size_t>(vertex) * static_cast<size_t>(rig.weights.influences) + static_cast<size_t>(i);
        const bool counts = std::find(joints.begin(), joints.end(), rig.weights.joints[at]) != joints.end();
        sum += counts ? rig.weights.weights[at] : 0.0;
    }
    return sum;
}

struct Mover {
    std::string who, file, clip;
    bool also_free;             ///< it is also run without collision
    double frequency_hz = 3.0;  ///< as soft as it takes to meet something
    double inertia = 1.0;
    double limit = 0.0;  ///< of the body's size; 0: as without asking
};

std::vector<Mover> movers() {
    return {{"dinosaur", "", "walk", true, 1.5, 2.0},
            {"Triceratops", "Triceratops.glb", "Armature|Triceratops_Run", true, 1.5, 3.0, 0.04},
            {"Wasp", "Wasp.glb", "WaspArmature|Wasp_Flying", true},
            {"Frog", "Frog.glb", "", true, 1.5, 3.0, 0.04},
            {"HVGirl", "HVGirl.glb", "Samba", false},
            {"Bull", "Bull.glb", "AnimalArmature|Gallop", false},
            {"horse", "", "gallop", true},
            {"softer horse", "", "gallop", true, 1.5, 2.0}};
}

Body body_of(const Mover& mover) {
    if (mover.file.empty()) {
        return actor(mover.who.substr(mover.who.rfind(' ') + 1), mover.clip);
    }
    BodyOptions chosen;
    chosen.clip = mover.clip;
    return make_body(std::make_shared<Character>(read_gltf((characters_folder() / mover.file).string())), chosen);
}

/// Girths inside, beyond what the body itself has.
struct Count {
    double bones = 0.0;                  ///< in capsules of the body's bones
    double soft = 0.0, free_soft = 0.0;  ///< in other soft parts
};

/// Parts of a surface as chains of capsules through their rings of nodes.
std::vector<std::vector<Collider>> tubes_of(const Stage& stage, const MatrixX3d& surface) {
    std::vector<std::vector<Collider>> tubes;
    for (const auto& flesh : stage.group().parts()) {
        const CurvePart& part = flesh->part();
        MatrixX3d nodes(part.rows(), 3);
        part.nodes.apply(surface, Workers(1), nodes);
        std::vector<Collider> tube;
        const int rings = std::min(9, part.node_count);
        Collider last;
        for (int r = 0; r < rings; ++r) {
            const int n = r * (part.node_count - 1) / (rings - 1);
            const MatrixX3d ring = nodes.middleRows(n * part.curve_count, part.curve_count);
            const Eigen::RowVector3d centre = ring.colwise().mean();
            const double radius = (ring.rowwise() - centre).rowwise().norm().mean();
            if (r > 0) {
                tube.push_back({last.b, centre.transpose(), last.radius_b, radius});
            }
            last.b = centre.transpose();
            last.radius_b = radius;
        }
        tubes.push_back(tube);
    }
    return tubes;
}

Count count_of(const Mover& mover) {
    Count count;
    const auto staged = [&](bool collides) {
        Body body = body_of(mover);
        const MatrixX3d& rest = body.mesh().positions;
        const double size = (rest.colwise().maxCoeff() - rest.colwise().minCoeff()).norm();
        return std::make_unique<Stage>(std::move(body), [&](CurveLayerOptions& options) {
            options.collide = collides;
            options.flesh.curve.frequency_hz = mover.frequency_hz;
            options.flesh.curve.inertia_gain = mover.inertia;
            if (mover.limit > 0.0) {
                options.flesh.curve.limit = mover.limit * size;
            }
        });
    };
    const auto with = staged(true);
    Stage& stage = *with;
    const auto free = mover.also_free ? staged(false) : nullptr;
    const Rig& rig = *stage.body().rig();
    const std::vector<int>& art = *stage.view().art_of_vertex;
    std::vector<Eigen::Affine3d> matrices;
    for (int f = 0; f <= 24; ++f) {
        stage.go_to(f / 30.0, f == 0);
        if (free) {
            free->go_to(f / 30.0, f == 0);
        }
        stage.body().joint_matrices(f / 30.0, TimeSampling::smooth, matrices);
        const auto body_tubes = tubes_of(stage, stage.plain);
        const auto now_tubes = tubes_of(stage, stage.shown);
        const auto free_tubes = free ? tubes_of(*free, free->shown) : body_tubes;
        for (size_t p = 0; p < stage.group().parts().size(); ++p) {
            const Flesh& flesh = *stage.group().parts()[p];
            const double girth = flesh.part().girth;
            for (const CarriedCollider& one : stage.group().colliders()) {
                const Eigen::Affine3d& matrix = matrices[static_cast<size_t>(one.joint)];
                const Vector3d a = matrix * one.shape.a;
                const Vector3d b = matrix * one.shape.b;
                const double thin = std::min(one.shape.radius_a, one.shape.radius_b);
                for (const int v : flesh.core_vertices()) {
                    const double of_body =
                        tapered_distance(stage.plain.row(v), a, b, one.shape.radius_a, one.shape.radius_b);
                    if (of_body > flesh.solver().limit() || of_body < -0.3 * thin ||
                        weight_of(rig, art[v], one.joints) > 0.0) {
                        continue;  // far, or part of it
                    }
                    const double may = std::min(0.0, of_body);
                    const auto inside = [&](const MatrixX3d& surface) {
                        return tapered_distance(surface.row(v), a, b, one.shape.radius_a, one.shape.radius_b);
                    };
                    count.bones = worse(count.bones, (may - inside(stage.shown)) / girth);
                }
            }
            for (size_t q = 0; q < now_tubes.size(); ++q) {
                const std::vector<int>& others = stage.group().parts()[q]->part().vertices;
                for (size_t r = 0; r < now_tubes[q].size() && q != p; ++r) {
                    for (const int v : flesh.core_vertices()) {
                        const auto inside = [&](const MatrixX3d& surface, const Collider& tube) {
                            return tapered_distance(surface.row(v), tube.a, tube.b, tube.radius_a, tube.radius_b);
                        };
                        const double of_body = inside(stage.plain, body_tubes[q][r]);
                        if (of_body > 2.0 * flesh.solver().limit() || of_body < 0.0 ||
                            std::binary_search(others.begin(), others.end(), v) ||
                            weight_of(rig, art[v], stage.group().joints_of(q)) > 0.0) {
                            continue;
                        }
                        count.soft = worse(count.soft, -inside(stage.shown, now_tubes[q][r]) / girth);
                        if (free) {
                            count.free_soft = worse(count.free_soft, -inside(free->shown, free_tubes[q][r]) / girth);
                        }
                    }
                }
            }
        }
    }
    return count;
}

/// The dinosaur's belly and its thigh: flesh at 1.2 s, for different frames a second and steps.
MatrixX3d belly_at(double fps, double contact_steps) {
    Stage stage(actor("dinosaur", "walk"), [&](CurveLayerOptions& options) {
        beside_belly(options);
        options.flesh.curve.contact_steps = contact_steps;
    });
    const int last = static_cast<int>(std::lround(1.2 * fps));
    for (int f = 0; f <= last; ++f) {
        stage.go_to(f / fps, f == 0);
    }
    return stage.shown;
}

double apart(const MatrixX3d& a, const MatrixX3d& b) {
    return (a - b).rowwise().norm().maxCoeff();
}

}  // namespace

std::vector<Case> curve_collision_cases() {
    std::vector<Case> cases;
    const MatrixX3d at_30 = belly_at(30.0, 12.0);
    cases.push_back(curve_at_most("collision: the same at 30 and 240 frames a second",
                                  apart(at_30, belly_at(240.0, 12.0)), 1e-12, "m", "contacts on a fixed grid of time"));
    const MatrixX3d fine = belly_at(30.0, 48.0);
    const double coarse = apart(at_30, fine);
    const double finer = apart(belly_at(30.0, 24.0), fine);
    cases.push_back(curve_at_most("collision: steps against four times as many", coarse, 1e-3, "m",
                                  "one differential equation, its spring and damper continuous"));
    cases.push_back(curve_at_most("collision: error of half the step", finer / coarse, 0.6, "of that of the whole",
                                  "first order at least"));

    {  // stands still, pressed
        Stage stage(actor("dinosaur", "walk"), [](CurveLayerOptions& options) {
            beside_belly(options);
            options.flesh.curve.damping = 0.5;
        });
        MatrixX3d before;
        double jitter = 0.0;
        for (int f = 0; f <= 120; ++f) {
            stage.go_to(f / 30.0, f == 0, 0.5);
            jitter = f > 105 ? worse(jitter, apart(stage.shown, before)) : 0.0;
            before = stage.shown;
        }
        cases.push_back(curve_at_most("collision: change a frame at rest, pressed", jitter, 1e-9, "m",
                                      "at rest the force is a function of the place alone"));
    }
    {  // 20 times too fast
        Stage stage(actor("dinosaur", "walk"), beside_belly, 20.0);
        double largest = 0.0;
        double limit = 0.0;
        for (int f = 0; f <= 60; ++f) {
            stage.go_to(f / 30.0, f == 0);
            largest = worse(largest, apart(stage.shown, stage.plain));
        }
        for (const auto& flesh : stage.group().parts()) {
            limit = std::max(limit, flesh->solver().limit());
        }
        cases.push_back(curve_at_most("collision: swing of a clip played 20 times too fast, in limits", largest / limit,
                                      1.6, "", "limited, volume kept on top"));
    }
    {  // a limit far beyond the size of what swings
        Stage stage(actor("horse", "gallop"), [](CurveLayerOptions& options) {
            options.flesh.curve.frequency_hz = 1.5;
            options.flesh.curve.inertia_gain = 3.0;
            options.flesh.curve.limit = 0.25;
        });
        double largest = 0.0;
        for (int f = 0; f <= 24; ++f) {
            stage.go_to(f / 30.0, f == 0);
            largest = worse(largest, apart(stage.shown, stage.plain));
        }
        cases.push_back(curve_at_most("collision: pushes of many directions, in limits of swings twice the legs' width",
                                      largest / 0.25, 3.0, "", "one swing, and the way out of two"));
    }
    for (const bool collides : {false, true}) {
        // Two periods of a run that loops: the second is the first.
        const std::filesystem::path file = characters_folder() / "Triceratops.glb";
        if (!std::filesystem::exists(file)) {
            cases.push_back(case_skipped("curve", "loop: the second period against the first", missing(file)));
            continue;
        }
        BodyOptions chosen;
        chosen.clip = "Armature|Triceratops_Run";
        chosen.clock.loop = LoopMode::loop;
        Stage stage(make_body(std::make_shared<Character>(read_gltf(file.string())), chosen),
                    [&](CurveLayerOptions& options) { options.collide = collides; });
        const double period = stage.body().duration();
        constexpr int frames = 17;
        std::vector<MatrixX3d> first;
        double gap = 0.0;
        for (int f = 0; f <= 2 * frames; ++f) {
            stage.go_to(period * f / frames, f == 0);
            if (f <= frames) {
                first.push_back(stage.shown);
            }
            if (f >= frames) {
                gap = worse(gap, apart(stage.shown, first[static_cast<size_t>(f - frames)]));
            }
        }
        cases.push_back(curve_at_most(collides ? "loop: the second period against the first, with collision"
                                               : "loop: the second period against the first",
                                      gap, collides ? 1e-8 : 1e-12, "m",
                                      collides ? "a few periods with contact" : "(I - A^N)^-1 in every mode"));
    }
    for (const Mover& mover : movers()) {
        if (!mover.file.empty() && !std::filesystem::exists(characters_folder() / mover.file)) {
            cases.push_back(
                case_skipped("curve", "collision: " + mover.who, missing(characters_folder() / mover.file)));
            continue;
        }
        const Count count = count_of(mover);
        cases.push_back(curve_at_most("collision: deepest vertex of the " + mover.who + " in its own bones' capsules",
                                      count.bones, 0.005, "of the girth", "beyond what the body has"));
        cases.push_back(curve_at_most("collision: deepest vertex of the " + mover.who + " in another soft part",
                                      count.soft, 0.005, "of the girth", "soft against soft"));
        if (mover.also_free) {
            cases.push_back(case_at_least("curve", "collision: the same without, on the " + mover.who, count.free_soft,
                                          0.02, "of the girth", "there is something to prevent"));
        }
    }
    return cases;
}

}  // namespace cutis::verify
