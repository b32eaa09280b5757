#include <algorithm>
#include <cmath>

#include "cutis/core/error.h"
#include "cutis/stack/regions.h"
#include "fold_plan.h"

namespace cutis {

namespace {

constexpr int least_poses = 24;
constexpr int most_poses = 600;

std::vector<double> sample_times(const Body& body, double per_second) {
    const double duration = body.duration();
    if (!(duration > 0.0)) {
        return {0.0};
    }
    const int count =
        std::clamp(static_cast<int>(std::ceil(duration * per_second)) + 1, least_poses, most_poses);
    std::vector<double> times;
    times.reserve(static_cast<size_t>(count));
    for (int i = 0; i < count; ++i) {
        times.push_back(duration * i / (count - 1));
    }
    return times;
}

/// A chain of the artist's vertices to a curve along simulation vertices.
FoldCurve curve_of(const LayerInput& ground, const FoldChain& given) {
    std::vector<int> chain;
    std::vector<int> shown;
    const std::vector<int>& vertex_of_art = ground.surface->mesh().vertex_of_art;
    for (const int art : given.vertices) {
        require(art >= 0 && static_cast<size_t>(art) < vertex_of_art.size() &&
                    vertex_of_art[static_cast<size_t>(art)] >= 0,
                "[[layer]] fold: chain: expected a vertex of 0 to ", vertex_of_art.size() - 1,
                " that the surface uses, found ", art);
        const int vertex = vertex_of_art[static_cast<size_t>(art)];
        if (chain.empty() || chain.back() != vertex) {  // both sides of a seam are one vertex
            chain.push_back(vertex);
            shown.push_back(art);
        }
    }
    try {
        return fold_curve_from_chain(ground.surface->topology(), chain, shown);
    } catch (const InvalidInput& refused) {
        throw InvalidInput(concat("[[layer]] fold: chain: ", refused.what(),
                                  " (vertices on both sides of a seam are one)"));
    }
}

FoldStyle look_of(const LayerInput& ground, const FoldLayerOptions& settings) {
    FoldStyle look = settings.look;
    look_up_regions(ground, describe(look), "[[layer]] fold");
    look.profile = profile_of(settings);
    return look;
}

/// Leaves out rails whose middle lies outside the regions.
void restrict_pattern(const LayerInput& ground, const Region& where, FoldPattern& pattern) {
    if (where.name == "all") {
        return;
    }
    const VectorXd inside = region_values(ground, where);
    const MatrixX3i& triangles = ground.surface->topology().triangles();
    const size_t per_rail = static_cast<size_t>(pattern.segments) + 1;
    std::vector<int> number(pattern.rails.size(), -1);
    FoldPattern kept = pattern;
    kept.rails.clear();
    kept.points.clear();
    for (size_t r = 0; r < pattern.rails.size(); ++r) {
        const SurfacePoint& middle = pattern.points[r * per_rail + per_rail / 2];
        if (interpolate(inside, triangles, middle) < 0.5) {
            if (r > 0 && number[r - 1] >= 0) {
                kept.rails.back().is_joined = false;
            }
            continue;
        }
        number[r] = static_cast<int>(kept.rails.size());
        kept.rails.push_back(pattern.rails[r]);
        kept.points.insert(
            kept.points.end(), pattern.points.begin() + static_cast<std::ptrdiff_t>(r * per_rail),
            pattern.points.begin() + static_cast<std::ptrdiff_t>((r + 1) * per_rail));
    }
    for (FoldPattern::Rail& rail : kept.rails) {
        rail.partner = rail.partner < 0 ? -1 : number[static_cast<size_t>(rail.partner)];
    }
    if (kept.rails.empty() && !pattern.rails.empty()) {
        kept.notes.push_back(concat("folds: none of the ", pattern.rails.size(), " rails lies in ",
                                    region_text(where), "; no folds"));
    }
    pattern = std::move(kept);
}

}  // namespace

FoldSkeleton::FoldSkeleton(const LayerInput& ground) : body_(*ground.body) {
    if (body_.rig() == nullptr || ground.weights->vertex_count() == 0 ||
        body_.has_separate_rest_pose()) {
        return;
    }
    rig_ = body_.rig();
    weights_ = weights_of(*ground.weights, ground.surface->mesh().art_of_vertex);
    joints_ = {&weights_, rig_->parent, rig_->centre, rig_->name};
    // On a mesh that an earlier layer has refined, the body does not say where vertices are.
    has_skin_ = rig_->is_whole_motion && ground.refined == nullptr;
}

FoldPattern plan_folds(const LayerInput& ground, const FoldSkeleton& skeleton,
                       const FoldLayerOptions& settings) {
    const Topology& base = ground.surface->topology();
    const MatrixX3d& rest = ground.surface->rest();
    FoldFieldOptions options = settings.field;
    options.look = look_of(ground, settings);
    options.is_strict = settings.solver.rails.mode == FoldMode::strict;
    FoldCurveOptions along = settings.along;
    along.look = options.look;
    along.is_strict = options.is_strict;
    FoldJointOptions joints = settings.joints;
    joints.lengths = curve_lengths(settings);

    // Compression is found on dual quaternion poses where there is a skin: linear blend collapses
    // around joints and leads the field astray.
    const Workers& workers = ground.own_workers();
    std::vector<FoldPose> poses;
    MatrixX3d art;
    const bool needs_poses = settings.place == FoldLayerOptions::Place::field ||
                             settings.place == FoldLayerOptions::Place::joints;
    for (const double time : sample_times(*ground.body, settings.poses_per_second)) {
        if (!needs_poses) {
            break;
        }
        FoldPose pose;
        if (skeleton.has_joints()) {
            skeleton.matrices(time, TimeSampling::exact, pose.matrices);
        }
        if (skeleton.has_skin()) {
            skin_dual_quaternion(rest, skeleton.weights(), pose.matrices, workers, pose.positions,
                                 skeleton.rig().centre);
        } else {
            ground.body->positions(time, TimeSampling::exact, workers, art);
            require(ground.refined == nullptr,
                    "fold: expected the body's own mesh to find folds on, found one "
                    "that an earlier layer has refined");
            ground.surface->from_art().values(art, workers, pose.positions);
        }
        poses.push_back(std::move(pose));
    }

    FoldPattern pattern;
    std::vector<FoldCurve> curves;
    std::vector<std::string> notes;
    switch (settings.place) {
        case FoldLayerOptions::Place::field: {
            std::vector<MatrixX3d> shapes;
            shapes.reserve(poses.size());
            for (FoldPose& pose : poses) {
                shapes.push_back(std::move(pose.positions));
            }
            pattern = fold_pattern_from_field(base, rest, shapes, options, workers);
            break;
        }
        case FoldLayerOptions::Place::joints:
            require(skeleton.has_joints(),
                    "fold: place = \"joints\": expected a body with a skin, found none; use "
                    "\"field\"");
            curves =
                find_joint_curves(base, rest, skeleton.joints(), poses, joints, along.reach, notes);
            share_looks(settings, curves);
            pattern = fold_pattern_from_curves(base, rest, curves, along, workers);
            break;
        case FoldLayerOptions::Place::chains:
            for (const FoldChain& chain : settings.chains) {
                curves.push_back(curve_of(ground, chain));
            }
            require(!curves.empty(),
                    "fold: place = \"chains\": expected at least one chain, found "
                    "none");
            share_looks(settings, curves);
            pattern = fold_pattern_from_curves(base, rest, curves, along, workers);
            break;
        case FoldLayerOptions::Place::painted:
            pattern = fold_pattern_from_paint(
                base, rest, region_values(ground, settings.painted_field), options, workers);
            break;
    }
    pattern.notes.insert(pattern.notes.end(), notes.begin(), notes.end());
    restrict_pattern(ground, settings.where, pattern);
    if (skeleton.has_joints() && settings.place != FoldLayerOptions::Place::joints) {
        assign_joints(base, skeleton.joints(), pattern);
    }
    return pattern;
}

RefinedMesh refined_art(const LayerInput& ground, const FoldSkeleton& skeleton,
                        const FoldSolver& solver) {
    const ArtMesh& art = *ground.art;
    const RepairedMesh& mesh = ground.surface->mesh();
    const Topology& topology = solver.topology();
    RefinedMesh refined;
    refined.art.name = art.name;
    refined.art.positions = solver.rest();

    // Triangles in the order of the artist's parts.
    const std::vector<SurfacePoint>& corners = solver.corner_points();
    const auto art_triangle = [&](int f) {
        return mesh.art_triangle[static_cast<size_t>(corners[3 * static_cast<size_t>(f)].triangle)];
    };
    std::vector<int> order(static_cast<size_t>(topology.triangle_count()));
    for (size_t f = 0; f < order.size(); ++f) {
        order[f] = static_cast<int>(f);
    }
    std::stable_sort(order.begin(), order.end(),
                     [&](int a, int b) { return art_triangle(a) < art_triangle(b); });
    refined.art.triangles.resize(topology.triangle_count(), 3);
    for (size_t f = 0; f < order.size(); ++f) {
        refined.art.triangles.row(static_cast<Eigen::Index>(f)) =
            topology.triangles().row(order[f]);
    }
    size_t first = 0;
    for (const MeshPart& part : art.parts) {
        MeshPart finer = part;
        const int last_triangle = part.first_triangle + part.triangle_count;
        finer.first_triangle = static_cast<int>(first);
        while (first < order.size() && art_triangle(order[first]) < last_triangle) {
            ++first;
        }
        finer.triangle_count = static_cast<int>(first) - finer.first_triangle;
        finer.first_vertex = 0;
        finer.vertex_count = topology.vertex_count();
        refined.art.parts.push_back(finer);
    }

    if (art.uv.rows() > 0) {
        // UVs stay linear in the artist's triangles; equal ones at a vertex are shared.
        std::vector<std::vector<int>> at_vertex(static_cast<size_t>(topology.vertex_count()));
        std::vector<Vector2d> uv;
        refined.art.uv_triangles.resize(topology.triangle_count(), 3);
        for (size_t f = 0; f < order.size(); ++f) {
            for (int k = 0; k < 3; ++k) {
                const SurfacePoint& corner =
                    corners[3 * static_cast<size_t>(order[f]) + static_cast<size_t>(k)];
                SurfacePoint on_art = corner;
                on_art.triangle = mesh.art_triangle[static_cast<size_t>(corner.triangle)];
                const Vector2d value = interpolate(art.uv, art.uv_triangles, on_art);
                std::vector<int>& known =
                    at_vertex[static_cast<size_t>(topology.triangles()(order[f], k))];
                const auto same = std::find_if(known.begin(), known.end(), [&](int i) {
                    return (uv[static_cast<size_t>(i)] - value).cwiseAbs().maxCoeff() < 1e-12;
                });
                int number = 0;
                if (same != known.end()) {
                    number = *same;
                } else {
                    number = static_cast<int>(uv.size());
                    uv.push_back(value);
                    known.push_back(number);
                    refined.uv_points.push_back(on_art);
                }
                refined.art.uv_triangles(static_cast<Eigen::Index>(f), k) = number;
            }
        }
        refined.art.uv.resize(static_cast<Eigen::Index>(uv.size()), 2);
        for (size_t i = 0; i < uv.size(); ++i) {
            refined.art.uv.row(static_cast<Eigen::Index>(i)) = uv[i];
        }
    }
    const Workers& workers = ground.own_workers();
    for (const auto& [name, values] : art.painted) {
        VectorXd coarse;
        ground.surface->from_art().values(values, workers, coarse);
        VectorXd& fine = refined.art.painted[name];
        fine.resize(topology.vertex_count());
        solver.stencils().apply_to_scalars(coarse, workers, fine);
    }
    if (skeleton.has_joints()) {
        refined.weights = solver.refined_weights(skeleton.weights(),
                                                 static_cast<int>(skeleton.joints().parent.size()));
    }
    std::vector<int> apart(static_cast<size_t>(topology.vertex_count()));
    for (size_t v = 0; v < apart.size(); ++v) {
        apart[v] = static_cast<int>(v);  // pieces that touch stay pieces
    }
    refined.surface =
        std::make_shared<SimulationSurface>(SimulationSurface::of_mesh(refined.art, apart));
    if (refined.surface->vertex_count() != topology.vertex_count()) {
        throw InvalidInput(concat("fold: expected triangles with an area, but ",
                                  topology.vertex_count() - refined.surface->vertex_count(),
                                  " refined vertices touch only triangles without one"));
    }
    // Triangles of the surface are those of the art, which are the solver's in another order.
    const RepairedMesh& finer = refined.surface->mesh();
    std::vector<int> surface_triangle(order.size(), -1);
    for (size_t f = 0; f < finer.art_triangle.size(); ++f) {
        surface_triangle[static_cast<size_t>(order[static_cast<size_t>(finer.art_triangle[f])])] =
            static_cast<int>(f);
    }
    refined.from_below = MeshMap::finer(
        solver.stencils(), topology.triangles(), corners,
        [&solver, surface = refined.surface,
         surface_triangle = std::move(surface_triangle)](const SurfacePoint& below) {
            SurfacePoint point = solver.locate(below);
            int nearest = 0;
            point.barycentric.maxCoeff(&nearest);
            const int v = solver.topology().triangles()(point.triangle, nearest);
            point.triangle = surface_triangle[static_cast<size_t>(point.triangle)];
            // A triangle without area was left out: one of its vertices stands for it.
            return point.triangle >= 0 ? point : point_at_vertex(surface->topology(), v);
        });
    return refined;
}

}  // namespace cutis
