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

/// Everything that moves the vertices of a rigged character; shared between a motion and its
/// repeating version.
struct RiggedMesh {
    std::shared_ptr<const Character> character;
    Clip clip;
    MatrixX3d rest;  ///< metres, Y up, default morph weights included
    Rig rig;
    std::vector<MorphRun> morphs;
    Eigen::Affine3d to_metres = Eigen::Affine3d::Identity();  ///< file to body space
};

/// Morph targets, then the skin, as glTF orders them.
class RigMotion : public Motion {
public:
    explicit RigMotion(std::shared_ptr<const RiggedMesh> mesh, double period = 0.0);

    int vertex_count() const override { return static_cast<int>(mesh_->rest.rows()); }
    double start() const override { return mesh_->clip.start(); }
    double end() const override { return mesh_->clip.end(); }
    double key_interval() const override { return key_interval_; }
    void positions(double time, TimeSampling sampling, const Workers& workers, MatrixX3d& out) const override;
    void node_frames(double time, TimeSampling sampling, std::vector<Eigen::Affine3d>& out) const override;
    bool pose(double time, TimeSampling sampling, Pose& out) const override;
    bool frames_of(const Pose& pose, std::vector<Eigen::Affine3d>& out) const override;
    bool positions_of(const Pose& pose, const Workers& workers, MatrixX3d& out) const override;
    std::shared_ptr<const Motion> repeating(double period) const override;

private:
    const MatrixX3d& morphed_rest(const Pose& pose, const Workers& workers) const;

    std::shared_ptr<const RiggedMesh> mesh_;
    ClipSampler exact_;
    ClipSampler smooth_;
    double key_interval_ = 0.0;
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
