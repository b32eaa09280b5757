#include "stack/wrinkle_mesh.h"

#include <algorithm>
#include <cmath>

#include "cutis/core/error.h"
#include "stack/refined_art.h"
#include "stack/regions.h"

namespace cutis {

namespace {

constexpr int fewest_poses = 12;
constexpr int layout_poses = 120;
constexpr int most_halvings = 5;

}  // namespace

std::vector<MatrixX3d> wrinkle_poses(const LayerInput& ground, double per_second) {
    const double duration = ground.body->duration();
    const int count =
        duration > 0.0 ? std::clamp(static_cast<int>(std::ceil(duration * per_second)) + 1, fewest_poses, layout_poses)
                       : 1;
    const LayerInput& base = ground.base == nullptr ? ground : *ground.base;
    std::vector<MatrixX3d> poses;
    MatrixX3d art;
    MatrixX3d coarse;
    for (int i = 0; i < count; ++i) {
        ground.body->positions(duration * i / std::max(1, count - 1), TimeSampling::exact, ground.own_workers(), art);
        base.surface->from_art().values(art, ground.own_workers(), coarse);
        poses.emplace_back();
        if (ground.refined != nullptr) {
            ground.refined->from_below.values(coarse, ground.own_workers(), poses.back());
        } else {
            poses.back() = coarse;
        }
    }
    return poses;
}

WrinkleSolver plan_wrinkles(const LayerInput& ground, const WrinkleLayerOptions& settings,
                            std::vector<MatrixX3d> poses) {
    WrinkleOptions options = settings.solver;
    if (settings.displace) {
        options.fine = 0.0;  // which the mesh would be too coarse for
        // A mesh that is fine already is cut no further.
        options.most_vertices = std::max(options.most_vertices, 2 * ground.surface->vertex_count());
    }
    look_up_regions(ground, describe(options), "[[layer]] wrinkle");
    WrinkleSource source;
    source.poses = std::move(poses);
    source.where = region_values(ground, settings.where);
    source.hops = ground.skin != SkinMotion::none || ground.body->rig() != nullptr;
    return {ground.surface->topology(), ground.surface->rest(), source, options, ground.own_workers()};
}

FineMesh WrinkleGround::plan(const LayerInput& ground, const WrinkleLayerOptions& settings) {
    require(ground.refined == nullptr,
            "wrinkle: displace: expected the body's own mesh, found one that an earlier layer (fold) has refined: "
            "leave out displace; maps work on that mesh, too");
    require(ground.skin != SkinMotion::over_surface,
            "wrinkle: displace: expected output = \"vertices\" of the slide layer below, so that vertices move with "
            "the skin");
    const Topology& topology = ground.surface->topology();
    poses = wrinkle_poses(ground, settings.poses_per_second);
    WrinkleSolver coarse = plan_wrinkles(ground, settings, poses);
    VectorXd highest = VectorXd::Zero(topology.vertex_count());
    WrinkleHeights heights;
    for (const MatrixX3d& pose : poses) {
        coarse.advance(pose, -1.0, ground.own_workers(), heights);
        highest = highest.cwiseMax(heights.height);
    }
    const WrinkleMesh wanted = plan_wrinkle_mesh(topology, ground.surface->rest(), coarse, highest, settings.mesh_edges,
                                                 most_halvings, settings.mesh_vertices);
    edges = wanted.edges;
    if (wanted.edges < 0.99 * settings.mesh_edges) {
        notes.push_back(concat("wrinkle: a mesh of ", settings.mesh_vertices, " vertices (mesh_vertices) has ",
                               std::round(10.0 * wanted.edges) / 10.0, " edges a wavelength instead of ",
                               settings.mesh_edges, ": name a smaller part in where, raise mesh_vertices or scale"));
    }
    const int finest = wanted.levels.empty() ? 0 : *std::max_element(wanted.levels.begin(), wanted.levels.end());
    return FineMesh(AdaptiveLoop(topology, 0, wanted.levels, finest), topology.vertex_count());
}

WrinkleGround::WrinkleGround(const LayerInput& ground, const WrinkleLayerOptions& settings)
    : mesh_(plan(ground, settings)), input_(ground) {
    const Workers& workers = ground.own_workers();
    bring(ground.surface->rest(), workers, rest_);
    MatrixX3d finer;
    for (MatrixX3d& pose : poses) {
        bring(pose, workers, finer);
        pose = finer;
    }
    const Refinement refinement = {&mesh_.mesh.topology(), &rest_, &mesh_.mesh.corner_points(), &mesh_.mesh.stencils(),
                                   [this](const SurfacePoint& below) { return mesh_.mesh.locate(below); }};
    SkinWeights weights;
    const Rig* rig = ground.body->rig();
    if (rig != nullptr && ground.weights->vertex_count() > 0 && !ground.body->has_separate_rest_pose()) {
        weights = refined_weights(weights_of(*ground.weights, ground.surface->mesh().art_of_vertex),
                                  mesh_.mesh.stencils(), rig->joint_count());
    }
    refined_ = refined_art(ground, refinement, std::move(weights));
    input_.surface = refined_.surface.get();
    input_.art = &refined_.art;
    input_.weights = &refined_.weights;
    input_.base = &ground;
    input_.refined = &refined_;
}

}  // namespace cutis
