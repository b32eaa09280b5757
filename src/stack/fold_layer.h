#pragma once

#include "cutis/fold/curves.h"
#include "cutis/fold/field.h"
#include "cutis/fold/folds.h"
#include "cutis/stack/layer.h"

namespace cutis {

/// Everything a [[layer]] kind = "fold" can say.
struct FoldSettings {
    enum class Place { field, joints, chains, painted };
    Place place = Place::field;
    FoldFieldOptions field;
    FoldJointOptions joints;
    FoldOptions solver;
    Paintable width = constant(0.03);
    Paintable pre_stretch = constant(0.05);
    double reach = 0.05;
    bool is_one_line = false;
    std::vector<std::string> chains;
    std::string painted_field;
    std::vector<std::string> where = {"all"};
    int profile = 0;
    std::vector<double> profile_heights;
    std::vector<std::string> curve_profiles;  // by name or heights; curves take them in turn
    std::vector<double> curve_widths;         // metres; curves take them in turn
    double poses_per_second = 6.0;
    bool use_normals = false;

    static Paintable constant(double value) {
        Paintable number;
        number.value = value;
        return number;
    }
};

/// The pose of a body's joints as the fold layer needs it.
class FoldSkeleton {
public:
    explicit FoldSkeleton(const LayerGround& ground);
    FoldSkeleton(const FoldSkeleton&) = delete;
    FoldSkeleton& operator=(const FoldSkeleton&) = delete;

    /// Is there a skin? Weights, joints and matrices() are there then.
    bool has_joints() const { return rig_ != nullptr; }
    /// Does the skin alone move the body (no morph targets, no cache)?
    bool has_skin() const { return has_skin_; }
    const Rig& rig() const { return *rig_; }
    const SkinWeights& weights() const { return weights_; }  ///< of simulation vertices
    const FoldJoints& joints() const { return joints_; }
    void matrices(double time, TimeSampling sampling, std::vector<Eigen::Affine3d>& out) const {
        body_.joint_matrices(time, sampling, out);
    }

private:
    const Body& body_;
    const Rig* rig_ = nullptr;  // null: none that folds can use
    SkinWeights weights_;
    FoldJoints joints_;
    bool has_skin_ = false;
};

/// Where the folds go, on the simulation surface.
FoldPattern plan_folds(const LayerGround& ground, const FoldSkeleton& skeleton,
                       const FoldSettings& settings);

/// The refined mesh as an artist's mesh: UVs, parts, painted values and weights carried over.
/// \param solver  must outlive it
RefinedMesh refined_art(const LayerGround& ground, const FoldSkeleton& skeleton,
                        const FoldSolver& solver);

std::unique_ptr<LayerPlan> make_fold_plan();

}  // namespace cutis
