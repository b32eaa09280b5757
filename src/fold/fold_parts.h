#pragma once

#include "cutis/fold/folds.h"
#include "fold/fold_mesh.h"
#include "fold/follower.h"
#include "fold/guard.h"
#include "fold/lifting.h"

namespace cutis {

/// What a FoldSolver is made of.
struct FoldSolver::Parts {
    using FoldMesh = fold_detail::FoldMesh;
    using Follower = fold_detail::Follower;
    using LiftLayer = fold_detail::LiftLayer;
    using StripRun = fold_detail::StripRun;
    using FoldGuard = fold_detail::FoldGuard;

    FoldMesh mesh;
    FoldPattern pattern;
    std::vector<std::string> notes;
    MatrixX3d rest;
    std::unique_ptr<FoldRails> rails;
    std::vector<Follower> on_refined;  // rail points on the refined mesh
    std::vector<Follower> on_base;     // and on the base mesh, for directions
    std::vector<int> crest;            // per fold: point of a rail with the highest profile
    std::vector<LiftLayer> layers;     // as many as curves reach one vertex
    int bound_vertices = 0;
    std::unique_ptr<FoldGuard> guard;
    MatrixX3d unfolded;  // for the guard
    int held = 0;
    mutable FoldMesh::Scratch scratch;

    Parts(FoldMesh fold_mesh, FoldPattern fold_pattern)
        : mesh(std::move(fold_mesh)), pattern(std::move(fold_pattern)) {}

    bool is_folding(const StripRun& run) const {
        return rails->is_active(run.first_rail) ||
               (run.has_second && rails->is_active(run.first_rail + 1));
    }
    void place_rails(const Topology& base, const FoldRailOptions& options);
    void bind();
    std::vector<int> order_vertices(const std::vector<std::vector<fold_detail::Binding>>& bindings);
};

}  // namespace cutis
