#pragma once

#include "cutis/body/skinning.h"
#include "cutis/fold/rails.h"

namespace cutis::verify {

/// The inner line of a bending arm, in the plane: a row of folds on a line at `radius` above a bone
/// that bends at the origin. Weights go from one bone to the other between -blend and blend.
struct FoldArm {
    Skinning skinning = Skinning::linear_blend;
    double radius = 1.0;
    double blend = 1.0;
    double fold_width = 0.5;
    int folds = 12;
    int segments = 20;  // of a fold
    double pre_stretch = 0.0;

    FoldRailSet rails() const;
    /// Points of the line bent by an angle, and their normals to the inner side.
    void bend(double angle, MatrixX3d& points, MatrixX3d& normals) const;
    /// Where a point at (x, y) goes.
    Vector3d bent(double x, double y, double angle) const;
    /// The bisecting plane of the joint.
    FoldPlane plane(double angle) const;
};

/// Crossings of a plane polyline with itself (rails one after the other, shared ends once).
int self_crossings(const MatrixX3d& points, int per_rail);

}  // namespace cutis::verify
