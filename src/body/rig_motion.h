#pragma once

#include "cutis/body/body.h"

namespace cutis {

/// Morph targets of a run of vertices, weighted by a node's channel.
struct MorphRun {
    int node = -1;
    int first_vertex = 0;
    std::vector<MatrixX3d> offsets;  ///< one per target, in rest space
    std::vector<double> defaults;    ///< weights that the rest positions already contain
};

/// Everything a rig needs to move its vertices; shared between a motion and its repeating version.
struct Rig {
    std::shared_ptr<const Character> character;
    Clip clip;
    MatrixX3d rest;  ///< metres, Y up, default morph weights included
    SkinWeights weights;
    std::vector<int> joint_nodes;
    std::vector<Eigen::Affine3d> inverse_bind;
    std::vector<MorphRun> morphs;
    Skinning skinning = Skinning::linear_blend;
    Eigen::Affine3d to_metres = Eigen::Affine3d::Identity();  ///< file to body space
};

/// Morph targets, then the skin, as glTF orders them.
class RigMotion : public Motion {
public:
    explicit RigMotion(std::shared_ptr<const Rig> rig, double period = 0.0);

    int vertex_count() const override { return static_cast<int>(rig_->rest.rows()); }
    double start() const override { return rig_->clip.start(); }
    double end() const override { return rig_->clip.end(); }
    double key_interval() const override { return key_interval_; }
    void positions(double time, TimeSampling sampling, const Workers& workers,
                   MatrixX3d& out) const override;
    void node_frames(double time, TimeSampling sampling,
                     std::vector<Eigen::Affine3d>& out) const override;
    std::shared_ptr<const Motion> repeating(double period) const override;

private:
    const MatrixX3d& morphed_rest(const Workers& workers) const;

    std::shared_ptr<const Rig> rig_;
    ClipSampler exact_;
    ClipSampler smooth_;
    double key_interval_ = 0.0;
    std::vector<Vector3d> joint_centres_;
    Eigen::Affine3d from_metres_ = Eigen::Affine3d::Identity();
    bool converts_ = false;
    // Scratch: a Motion is used by one thread at a time.
    mutable Pose pose_;
    mutable std::vector<Eigen::Affine3d> frames_;
    mutable std::vector<Eigen::Affine3d> matrices_;
    mutable std::vector<double> morph_changes_;
    mutable MatrixX3d morphed_;
};

}  // namespace cutis
