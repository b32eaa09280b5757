#include "teapot.h"

#include <array>
#include <cmath>

#include "actors/motion.h"

namespace cutis::actor {

namespace {

constexpr double scale = 0.05;  // metres per unit of Newell's figures

/// Control points of a cubic Bezier curve in a plane of Newell's teapot.
using Curve = std::array<Vector2d, 4>;

Vector2d at(const Curve& c, double t) {
    const double s = 1.0 - t;
    return s * s * s * c[0] + 3.0 * s * s * t * c[1] + 3.0 * s * t * t * c[2] + t * t * t * c[3];
}

// Newell's patches cut by the plane of spout and handle: (radius or x, height).
const std::array<Curve, 6> profile = {{
    {{{0.0, 0.0}, {1.425, 0.0}, {1.5, 0.075}, {1.5, 0.15}}},           // bottom
    {{{1.5, 0.15}, {1.5, 0.225}, {2.0, 0.45}, {2.0, 0.9}}},            // lower body
    {{{2.0, 0.9}, {2.0, 1.35}, {1.75, 1.875}, {1.5, 2.4}}},            // upper body
    {{{1.5, 2.4}, {1.4375, 2.53125}, {1.3375, 2.53125}, {1.4, 2.4}}},  // rim
    {{{1.3, 2.4}, {1.3, 2.55}, {0.4, 2.55}, {0.2, 2.7}}},              // lid
    {{{0.2, 2.7}, {0.0, 2.85}, {0.8, 3.15}, {0.0, 3.15}}},             // knob
}};

/// Two edges of a tube (inner, outer) in the plane, and its half width across the plane.
struct Tube {
    Curve inner, outer;
    std::array<double, 2> half_width;
};
const std::array<Tube, 2> handle = {{
    {{{{-1.6, 2.025}, {-2.3, 2.025}, {-2.7, 2.025}, {-2.7, 1.8}}},
     {{{-1.5, 2.25}, {-2.5, 2.25}, {-3.0, 2.25}, {-3.0, 1.8}}},
     {0.225, 0.225}},
    {{{{-2.7, 1.8}, {-2.7, 1.575}, {-2.5, 1.125}, {-2.0, 0.9}}},
     {{{-3.0, 1.8}, {-3.0, 1.35}, {-2.65, 0.9375}, {-1.9, 0.6}}},
     {0.225, 0.225}},
}};
const Tube spout = {{{{1.7, 1.425}, {2.6, 1.425}, {2.3, 2.1}, {2.7, 2.4}}},
                    {{{1.7, 0.6}, {3.1, 0.825}, {2.4, 2.025}, {3.3, 2.4}}},
                    {0.495, 0.1875}};

void add_tube(Sculpture& clay, const Tube& tube, double blend, double fine) {
    constexpr int pieces = 10;
    const auto section = [&](double t) {
        const Vector2d a = at(tube.inner, t);
        const Vector2d b = at(tube.outer, t);
        const Vector2d middle = 0.5 * (a + b);
        return Eigen::Vector4d(scale * middle.x(), scale * middle.y(), 0.5 * scale * (a - b).norm(),
                               scale * (tube.half_width[0] + t * (tube.half_width[1] - tube.half_width[0])));
    };
    for (int i = 0; i < pieces; ++i) {
        const Eigen::Vector4d p = section(static_cast<double>(i) / pieces);
        const Eigen::Vector4d q = section((i + 1.0) / pieces);
        clay.cone(
            {p[0], p[1], 0.0}, {q[0], q[1], 0.0}, p[2], q[2],
            {.blend = blend, .thin_axis = Vector3d::UnitZ(), .thin = (p[3] + q[3]) / (p[2] + q[2]), .fine = fine});
    }
}

}  // namespace

TeapotClay sculpt_teapot(double edge) {
    // Where the lid sits in the rim Newell's surfaces leave a slot of no thickness; here the
    // outline leaves the rim past its crest and meets the lid in a shallow groove.
    constexpr double rim_end = 0.55;
    constexpr double lid_start = 0.15;
    std::vector<Vector2d> outline;
    for (size_t c = 0; c < profile.size(); ++c) {
        const double from = c == 4 ? lid_start : 0.0;
        const double to = c == 3 ? rim_end : 1.0;
        for (int i = 0; i <= 8; ++i) {
            const Vector2d p = scale * at(profile[c], from + (to - from) * i / 8.0);
            if (outline.empty() || (p - outline.back()).norm() > 1e-9) {
                outline.push_back(p);
            }
        }
        if (c == 3) {
            outline.push_back(scale * Vector2d(1.335, 2.455));
        }
    }
    Sculpture bowl(edge);
    bowl.lathe(outline);
    Sculpture clay(edge);
    clay.lathe(outline);
    clay.layer(0.004);
    for (const Tube& tube : handle) {
        add_tube(clay, tube, 0.002, 0.8);
    }
    clay.layer(0.006);
    add_tube(clay, spout, 0.004, 0.8);
    // The mouth of the spout.
    clay.layer(0.002, true);
    const Vector2d lip = scale * 0.5 * (spout.inner[3] + spout.outer[3]);
    clay.ball({lip.x() + 0.004, lip.y() + 0.010, 0.0}, {0.014, 0.011, 0.0085}, {.fine = 0.55});
    const auto chart = [bowl](const Vector3d& p, const Vector3d&) {
        if (bowl.distance(p) > 0.004) {
            return std::string(p.x() > 0.0 ? "spout" : "handle");
        }
        const double r = std::hypot(p.x(), p.z());
        if (p.y() > 2.42 * scale && r < 1.36 * scale) {
            return std::string("lid");
        }
        return std::string(p.y() < 0.12 * scale ? "foot" : "body");
    };
    return {clay, chart};
}

}  // namespace cutis::actor
