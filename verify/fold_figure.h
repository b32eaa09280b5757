#pragma once

#include "cutis/body/body.h"
#include "cutis/fold/folds.h"
#include "cutis/mesh/repair.h"

// Shared by the cases and the benchmarks of the fold layer.

namespace cutis::verify {

/// A skinned character ready to fold: welded mesh, weights, and poses of its clip.
struct FoldFigure {
    Body body;
    RepairedMesh mesh;
    SkinWeights weights;
    MatrixX3d normals;
    std::vector<std::vector<Eigen::Affine3d>> poses;

    FoldFigure(Body moving, int pose_count);
    FoldFigure(const FoldFigure&) = delete;
    FoldFigure& operator=(const FoldFigure&) = delete;

    int joint_count() const { return static_cast<int>(poses.front().size()); }
    /// Folds of this width, found on the poses.
    FoldPattern pattern(double width) const;
};

Body fold_actor(const std::string& actor, const std::string& part, const std::string& clip);
Body fold_file(const std::string& path, const std::string& part);

}  // namespace cutis::verify
