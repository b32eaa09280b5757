#include "wrinkle/displacement.h"

#include <algorithm>
#include <cmath>

#include "core/math.h"
#include "core/simd.h"
#include "cutis/core/error.h"
#include "cutis/mesh/geometry.h"
#include "stripes/crowding.h"
#include "stripes/smooth.h"
#include "wrinkle/parts.h"
#include "wrinkle/profile.h"

namespace cutis {

namespace {

using simd::Floats;

constexpr double too_low = 0.02;  // wavelengths: wrinkles that are never higher need no finer mesh
// Edges a wavelength: with fewer nothing is displaced, with more everything.
constexpr double fewest_edges = 2.5;
constexpr double enough_edges = 4.0;
// Valleys sharper than an edge would be deep or not as vertices happen to lie. Sharpness does not change the arc
// length.
constexpr double least_sharpness = 0.3;
constexpr double held_share = 0.999;  // of its height; below it a vertex counts as held back
constexpr int guard_lanes = simd::lanes_in<Floats>;

double mean_edge(const MatrixX3d& rest, const MatrixX3i& triangles, int f) {
    double sum = 0.0;
    for (int k = 0; k < 3; ++k) {
        sum += (rest.row(triangles(f, k)) - rest.row(triangles(f, (k + 1) % 3))).norm();
    }
    return sum / 3.0;
}

}  // namespace

WrinkleMesh plan_wrinkle_mesh(const Topology& topology, const MatrixX3d& rest, const WrinkleSolver& solver,
                              const VectorXd& highest, double edges, int most_levels, int most_vertices) {
    const MatrixX3i& triangles = topology.triangles();
    require(highest.size() == topology.vertex_count(), "wrinkle mesh: expected ", topology.vertex_count(),
            " heights, found ", highest.size());
    std::vector<double> too_long(static_cast<size_t>(topology.triangle_count()), 0.0);
    for (int f = 0; f < topology.triangle_count(); ++f) {
        double narrowest = 1e300;
        bool has_wrinkles = false;
        for (int k = 0; k < 3; ++k) {
            const int v = triangles(f, k);
            narrowest = std::min(narrowest, solver.parts().layout.period[v]);
            has_wrinkles = has_wrinkles || highest[v] > too_low * solver.wavelength()[v];
        }
        if (has_wrinkles) {
            too_long[static_cast<size_t>(f)] = mean_edge(rest, triangles, f) * edges / narrowest;
        }
    }
    WrinkleMesh plan;
    plan.levels.assign(too_long.size(), 0);
    double coarser = 1.0;
    for (;; coarser *= 1.1) {
        plan.vertices = 0.0;
        for (size_t f = 0; f < too_long.size(); ++f) {
            const double ratio = too_long[f] / coarser;
            const int need = ratio > 1.0 ? static_cast<int>(std::ceil(math::log2(ratio) - 1e-9)) : 0;
            plan.levels[f] = static_cast<unsigned char>(std::min(need, most_levels));
            plan.vertices += 0.5 * std::ldexp(1.0, 2 * plan.levels[f]);  // half a vertex a triangle
        }
        if (plan.vertices <= most_vertices || coarser > 64.0) {
            break;
        }
    }
    plan.edges = edges / coarser;
    return plan;
}

struct WrinkleDisplacement::Parts {
    const WrinkleSolver* solver;
    Topology topology;
    /// A vertex that moves.
    struct Place {
        int vertex;
        double cosine;  // of phi
        double lead;
        double factor;  // to the height
    };
    std::vector<Place> places;
    /// Eight triangles that touch one of them.
    struct Eight {
        int corner[3][guard_lanes];  // vertices
        float rest_area[guard_lanes];
        int count = 0;
    };
    std::vector<Eight> eights;
    std::vector<std::vector<std::pair<int, int>>> around;  // per place: eight and lane of its triangles
    // Of the pose.
    MatrixX3d directions;
    std::vector<float> height;  // per vertex
    std::vector<Floats> power;  // per eight
    std::vector<float> shares;  // per place
    int held = 0;

    Floats power_of(const Eight& eight, const MatrixX3d& posed) const;
};

WrinkleDisplacement::WrinkleDisplacement(const WrinkleSolver& solver, const Topology& topology, const MatrixX3d& rest)
    : parts_(std::make_unique<Parts>()) {
    Parts& parts = *parts_;
    parts.solver = &solver;
    parts.topology = topology;
    const wrinkle_detail::WrinkleLayout& layout = solver.parts().layout;
    const MatrixX3i& triangles = topology.triangles();
    const VectorXd cosine = solver.phase();
    std::vector<int> slot(static_cast<size_t>(topology.triangle_count()), -1);
    for (int v = 0; v < topology.vertex_count() && !solver.is_empty(); ++v) {
        const int cut = layout.cut.vertex_of_base[static_cast<size_t>(v)];
        double longest = 0.0;  // of the triangles' means
        for (const int f : topology.triangles_around(v)) {
            longest = std::max(longest, mean_edge(rest, triangles, f));
        }
        if (cut < 0 || !(longest > 0.0)) {
            continue;
        }
        const double edges = layout.period[v] / longest;
        const double resolved = stripes::smooth_step((edges - fewest_edges) / (enough_edges - fewest_edges));
        const double factor = resolved * std::max(0.0, layout.presence[cut]) * std::max(0.0, layout.height[cut]);
        if (!(factor > 0.0)) {
            continue;
        }
        parts.places.push_back({v, cosine[v], std::clamp(layout.lead[cut], -1.0, 1.0), factor});
        parts.around.emplace_back();
        for (const int f : topology.triangles_around(v)) {
            int& own = slot[static_cast<size_t>(f)];
            if (own < 0) {
                const int lane = parts.eights.empty() ? guard_lanes : parts.eights.back().count;
                if (lane == guard_lanes) {
                    parts.eights.emplace_back();
                }
                Parts::Eight& eight = parts.eights.back();
                own = static_cast<int>(parts.eights.size() - 1) * guard_lanes + eight.count;
                Vector3d at[3];
                for (int k = 0; k < 3; ++k) {
                    at[k] = rest.row(triangles(f, k));
                }
                for (int i = eight.count; i < guard_lanes; ++i) {  // lanes behind it repeat it
                    for (int k = 0; k < 3; ++k) {
                        eight.corner[k][i] = triangles(f, k);
                    }
                    eight.rest_area[i] =
                        static_cast<float>(std::max((at[1] - at[0]).cross(at[2] - at[0]).norm(), 1e-30));
                }
                ++eight.count;
            }
            parts.around.back().emplace_back(own / guard_lanes, own % guard_lanes);
        }
    }
    parts.height.assign(static_cast<size_t>(topology.vertex_count()), 0.0F);
    parts.power.resize(parts.eights.size());
    parts.shares.assign(parts.places.size(), 1.0F);
}

WrinkleDisplacement::~WrinkleDisplacement() = default;
WrinkleDisplacement::WrinkleDisplacement(WrinkleDisplacement&&) noexcept = default;
WrinkleDisplacement& WrinkleDisplacement::operator=(WrinkleDisplacement&&) noexcept = default;

int WrinkleDisplacement::held() const {
    return parts_->held;
}

Floats WrinkleDisplacement::Parts::power_of(const Eight& eight, const MatrixX3d& posed) const {
    simd::Triple<Floats> at[3];
    simd::Triple<Floats> up[3];
    simd::Triple<Floats> sum = {simd::all<Floats>(0.0), simd::all<Floats>(0.0), simd::all<Floats>(0.0)};
    Floats h[3];
    for (int k = 0; k < 3; ++k) {
        for (int i = 0; i < guard_lanes; ++i) {
            const int v = eight.corner[k][i];
            const int origin = eight.corner[0][i];  // so that floats are precise anywhere
            at[k].x[i] = static_cast<float>(posed(v, 0) - posed(origin, 0));
            at[k].y[i] = static_cast<float>(posed(v, 1) - posed(origin, 1));
            at[k].z[i] = static_cast<float>(posed(v, 2) - posed(origin, 2));
            up[k].x[i] = static_cast<float>(directions(v, 0));
            up[k].y[i] = static_cast<float>(directions(v, 1));
            up[k].z[i] = static_cast<float>(directions(v, 2));
            h[k][i] = height[static_cast<size_t>(v)];
        }
        sum = sum + up[k];
        // Valleys lie below the surface: as heights of the opposite direction.
        const Floats none = simd::all<Floats>(0.0);
        const auto is_below = h[k] < none;
        up[k] = {simd::select(is_below, none - up[k].x, up[k].x), simd::select(is_below, none - up[k].y, up[k].y),
                 simd::select(is_below, none - up[k].z, up[k].z)};
        h[k] = simd::absolute(h[k]);
    }
    return stripes::crowding_power(at, sum, up, h, simd::load(eight.rest_area));
}

void WrinkleDisplacement::lift(const WrinkleHeights& wrinkles, const Workers& workers, MatrixX3d& posed) {
    Parts& parts = *parts_;
    require(posed.rows() == parts.topology.vertex_count() && wrinkles.height.size() == posed.rows(),
            "wrinkle displacement: expected ", parts.topology.vertex_count(), " vertices, found ", posed.rows());
    fill_vertex_normals(posed, parts.topology, NormalWeight::angle, workers, parts.directions);
    const auto count = static_cast<int>(parts.places.size());
    workers.for_chunks(count, 1024, [&](int begin, int end) {
        for (int i = begin; i < end; ++i) {
            const Parts::Place& place = parts.places[static_cast<size_t>(i)];
            const double r = wrinkles.take_up[place.vertex];
            const wrinkle_detail::WrinkleProfile<double> profile(
                std::max(least_sharpness, wrinkle_detail::sharpness_at(r)));
            const double lead = place.lead * wrinkle_detail::lead_at(r);
            const double y =
                (profile.at(std::max(0.0, 1.0 - place.cosine * place.cosine)) - wrinkle_detail::mean_height) *
                (1.0 + lead * place.cosine) / std::sqrt(1.0 + lead * lead);
            parts.height[static_cast<size_t>(place.vertex)] =
                static_cast<float>(place.factor * wrinkles.height[place.vertex] * y);
        }
    });
    workers.for_chunks(static_cast<int>(parts.eights.size()), 128, [&](int begin, int end) {
        const Floats none = simd::all<Floats>(0.0);
        for (int e = begin; e < end; ++e) {
            const Parts::Eight& eight = parts.eights[static_cast<size_t>(e)];
            parts.power[static_cast<size_t>(e)] =
                simd::larger(parts.power_of(eight, posed) - simd::all<Floats>(stripes::idle_power), none);
        }
    });
    workers.for_chunks(count, 1024, [&](int begin, int end) {
        for (int i = begin; i < end; ++i) {
            float sum = 0.0F;
            for (const auto& [eight, lane] : parts.around[static_cast<size_t>(i)]) {
                sum += parts.power[static_cast<size_t>(eight)][lane];
            }
            parts.shares[static_cast<size_t>(i)] = sum > 0.0F ? stripes::share_of(sum) : 1.0F;
        }
    });
    parts.held = 0;
    for (int i = 0; i < count; ++i) {
        const int v = parts.places[static_cast<size_t>(i)].vertex;
        const double height = static_cast<double>(parts.height[static_cast<size_t>(v)]);
        const double share = static_cast<double>(parts.shares[static_cast<size_t>(i)]);
        parts.held += share < held_share && height != 0.0 ? 1 : 0;
        posed.row(v) += share * height * parts.directions.row(v);
    }
}

}  // namespace cutis
