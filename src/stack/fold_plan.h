#pragma once

#include "cutis/stack/fold_layer.h"
#include "fold/folds.h"

namespace cutis {

/// The pose of a body's joints as the fold layer needs it.
class FoldSkeleton {
public:
    explicit FoldSkeleton(const LayerInput& ground);
    FoldSkeleton(const FoldSkeleton&) = delete;
    FoldSkeleton& operator=(const FoldSkeleton&) = delete;

    /// Is there a skin? Weights, joints and matrices() are there then.
    bool has_joints() const { return rig_ != nullptr; }
    /// Does the skin alone move the body (no morph targets, no cache)?
    bool has_skin() const { return has_skin_; }
    const Rig& rig() const { return *rig_; }
    const SkinWeights& weights() const { return weights_; }  ///< of simulation vertices
    void matrices(double time, TimeSampling sampling, std::vector<Eigen::Affine3d>& out) const {
        body_.joint_matrices(time, sampling, out);
    }

private:
    const Body& body_;
    const Rig* rig_ = nullptr;  // null: none that folds can use
    SkinWeights weights_;
    bool has_skin_ = false;
};

/// Folds of the surface as the options ask for them.
FoldSolver plan_folds(const LayerInput& ground, const FoldSkeleton& skeleton, const FoldLayerOptions& options);

/// Vertices and memory it will take, from a few poses.
/// \throw InvalidInput  a width that is given and too narrow
LayerCost estimate_folds(const FoldLayerOptions& options, const LayerInput& ground);

/// The refined mesh as an artist's mesh. \param solver  must outlive it
RefinedMesh refined_art(const LayerInput& ground, const FoldSkeleton& skeleton, const FoldSolver& solver);

}  // namespace cutis
