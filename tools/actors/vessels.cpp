#include <cmath>

#include "build.h"
#include "cast.h"
#include "teapot.h"

namespace cutis::actor {

namespace {

/// Joints stacked on the y axis; the chart names are the joints' own unless one is given for all.
std::vector<Bone> stack_of_joints(int count, double height, const std::string& chart) {
    std::vector<Bone> bones;
    for (int i = 0; i < count; ++i) {
        const double low = height * i / count;
        bones.push_back({"level_" + std::to_string(i + 1),
                         i == 0 ? "" : "level_" + std::to_string(i),
                         {0.0, low, 0.0},
                         {0.0, low + height / count, 0.0},
                         chart,
                         ""});
    }
    return bones;
}

/// Weights linear in height between the middles of the levels: heat would not see through a hollow.
void paint_levels(double height, const Vector3d& p, Eigen::RowVectorXd& weights) {
    const auto count = static_cast<double>(weights.size());
    const double s = std::clamp(p.y() / height * count - 0.5, 0.0, count - 1.0);
    const int below = std::min(static_cast<int>(s), static_cast<int>(count) - 2);
    weights.setZero();
    weights[below] = 1.0 - (s - below);
    weights[below + 1] = s - below;
}

void add_sway(Character& character, int levels, double angle_deg) {
    ClipMaker motion(character, "sway", 4.0);
    const Ease grow{{0.0, 0.0}, {1.0, 1.0}, {2.4, 1.0}, {2.9, 0.0}};
    for (int i = 1; i < levels; ++i) {
        motion.turn("level_" + std::to_string(i + 1), [=](double t) {
            const double swing = grow(t) * angle_deg / (levels - 1);
            return turn_z(-swing * std::sin(2.0 * M_PI * t)) * turn_x(0.4 * swing * std::sin(4.0 * M_PI * t));
        });
    }
}

/// Points of a Catmull-Rom curve through the given ones, `pieces` per span.
std::vector<Vector2d> smooth_line(const std::vector<Vector2d>& points, int pieces) {
    std::vector<Vector2d> out;
    const int last = static_cast<int>(points.size()) - 1;
    for (int i = 0; i < last; ++i) {
        const Vector2d& p0 = points[std::max(i - 1, 0)];
        const Vector2d& p1 = points[i];
        const Vector2d& p2 = points[static_cast<size_t>(i) + 1];
        const Vector2d& p3 = points[std::min(i + 2, last)];
        for (int k = 0; k < pieces; ++k) {
            const double t = static_cast<double>(k) / pieces;
            out.push_back(0.5 * (2.0 * p1 + t * (p2 - p0) + t * t * (2.0 * p0 - 5.0 * p1 + 4.0 * p2 - p3) +
                                 t * t * t * (3.0 * p1 - p0 - 3.0 * p2 + p3)));
        }
    }
    out.push_back(points.back());
    return out;
}

}  // namespace

Character make_vase() {
    constexpr double wall = 0.015;
    const std::vector<Vector2d> outer = smooth_line({{0.070, 0.000},
                                                     {0.085, 0.030},
                                                     {0.125, 0.120},
                                                     {0.132, 0.190},
                                                     {0.100, 0.270},
                                                     {0.056, 0.330},
                                                     {0.050, 0.370},
                                                     {0.075, 0.420}},
                                                    4);
    std::vector<Vector2d> outline = {{0.0, 0.0}};
    outline.insert(outline.end(), outer.begin(), outer.end());
    for (size_t i = outer.size(); i-- > 0;) {  // back down inside, a wall's width in
        const Vector2d along = outer[std::min(i + 1, outer.size() - 1)] - outer[i == 0 ? 0 : i - 1];
        const Vector2d inward = Vector2d(-along.y(), along.x()).normalized();
        const Vector2d p = outer[i] + wall * inward;
        if (p.y() > 0.030) {
            outline.push_back(p);
        }
    }
    outline.emplace_back(0.0, 0.024);
    Sculpture clay(0.0105);
    clay.lathe(outline);
    ActorPlan plan{"vase", clay, 0.0062, stack_of_joints(4, 0.42, "outside"), Vector3d(0.0, 0.0, -1.0), {}};
    plan.paint = [](const Vector3d& p, Eigen::RowVectorXd& weights) { paint_levels(0.42, p, weights); };
    plan.chart = [](const Vector3d& p, const Vector3d& n) {
        const bool faces_axis = n.x() * p.x() + n.z() * p.z() < 0.0 || std::hypot(p.x(), p.z()) < 0.03;
        return std::string(p.y() > 0.018 && p.y() < 0.415 && faces_axis ? "inside"
                                                                        : (p.y() < 0.002 ? "foot" : "outside"));
    };
    Character vase = build_actor(plan);
    add_sway(vase, 4, 50.0);
    return vase;
}

Character make_tower() {
    Sculpture clay(0.125);
    clay.lathe({{0.0, 0.0},
                {1.04, 0.0},
                {1.09, 0.02},
                {1.10, 0.07},
                {0.98, 0.35},
                {0.86, 0.80},
                {0.76, 3.40},
                {0.80, 3.60},
                {0.98, 3.85},
                {1.00, 4.05},
                {1.00, 4.35},
                {0.78, 4.35},
                {0.76, 4.15},
                {0.0, 4.15}},
               {.fine = 0.8});
    for (int i = 0; i < 8; ++i) {  // battlements
        const double a = 45.0 * i + 22.5;
        clay.box(turn_y(a) * Vector3d(0.0, 4.52, 0.89), {0.185, 0.25, 0.115}, 0.03, {.blend = 0.03, .fine = 0.62},
                 turn_y(a));
    }
    clay.box({0.0, 0.55, 1.05}, {0.26, 0.50, 0.42}, 0.05, {.blend = 0.03, .fine = 0.6, .carve = true});  // door
    clay.ball({0.0, 1.03, 1.05}, {0.26, 0.27, 0.42}, {.blend = 0.03, .fine = 0.6, .carve = true});
    for (int i = 0; i < 3; ++i) {  // windows wind up the wall
        const double a = 70.0 + 110.0 * i;
        clay.box(turn_y(a) * Vector3d(0.0, 1.7 + 0.55 * i, 0.85), {0.09, 0.24, 0.24}, 0.05,
                 {.blend = 0.03, .fine = 0.6, .carve = true}, turn_y(a));
    }
    ActorPlan plan{"tower", clay, 0.062, stack_of_joints(5, 4.8, "wall"), Vector3d(0.0, 0.0, -1.0), {}};
    plan.paint = [](const Vector3d& p, Eigen::RowVectorXd& weights) { paint_levels(4.8, p, weights); };
    plan.chart = [](const Vector3d& p, const Vector3d&) {
        const double r = std::hypot(p.x(), p.z());
        return std::string(p.y() < 0.03 && r < 1.08 ? "foot" : (p.y() > 4.0 && r < 0.90 ? "roof" : "wall"));
    };
    Character tower = build_actor(plan);
    add_sway(tower, 5, 40.0);
    return tower;
}

Character make_teapot() {
    const TeapotClay pot = sculpt_teapot(0.0052);
    ActorPlan plan{"teapot", pot.clay, 0.0036, {}, Vector3d(0.0, -1.0, 0.0), {}};
    plan.bones = {{"pot", "", {0.0, 0.0, 0.0}, {0.0, 0.100, 0.0}, "pot", ""}};
    plan.chart = pot.chart;
    Character teapot = build_actor(plan);
    const Ease tilt{{0.3, 0.0}, {1.3, 1.0}, {2.2, 1.0}, {3.0, 0.0}};
    ClipMaker motion(teapot, "pour", 3.3);
    motion.turn("pot", [&](double t) { return turn_z(-42.0 * tilt(t)); });
    motion.shift("pot", [&](double t) { return Vector3d(-0.05 * tilt(t), 0.12 * tilt(t), 0.0); });
    return teapot;
}

}  // namespace cutis::actor
