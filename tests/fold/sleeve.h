#pragma once

#include "cutis/body/skinning.h"
#include "cutis/mesh/geometry.h"
#include "fold/curves.h"
#include "fold/folds.h"
#include "support/shapes.h"

namespace cutis::test {

/// A tube of 1 m with a radius of 8 cm along z, two joints, bending at its middle towards +x.
struct Sleeve {
    Shape shape;
    Topology topology;
    SkinWeights weights;
    FoldJoints joints;
    MatrixX3d normals;

    explicit Sleeve(int around = 24, int along = 40)
        : shape(open_cylinder(around, along, 0.08, 1.0)),
          topology(shape.triangles, static_cast<int>(shape.positions.rows())) {
        weights.influences = 2;
        for (Eigen::Index v = 0; v < shape.positions.rows(); ++v) {
            const double t = std::clamp((shape.positions(v, 2) - 0.4) / 0.2, 0.0, 1.0);
            const double w = t * t * (3.0 - 2.0 * t);
            weights.joints.insert(weights.joints.end(), {0, 1});
            weights.weights.insert(weights.weights.end(), {1.0 - w, w});
        }
        normals = vertex_normals(shape.positions, topology);
        joints.weights = &weights;
        joints.parent = {-1, 0, 1};
        joints.position = {Vector3d(0, 0, 0), Vector3d(0, 0, 0.5), Vector3d(0, 0, 1.0)};
        joints.name = {"upper", "lower", "end"};
    }
    Sleeve(const Sleeve&) = delete;
    Sleeve& operator=(const Sleeve&) = delete;

    std::vector<Eigen::Affine3d> bones(double degrees) const {
        const double angle = degrees * 3.14159265358979323846 / 180.0;
        const Vector3d middle(0, 0, 0.5);
        const Eigen::Affine3d lower =
            Eigen::Translation3d(middle) * Eigen::AngleAxisd(angle, Vector3d::UnitY()) * Eigen::Translation3d(-middle);
        return {Eigen::Affine3d::Identity(), lower, lower};
    }
    FoldPose pose(double degrees) const {
        FoldPose result;
        result.matrices = bones(degrees);
        skin_linear_blend(shape.positions, weights, result.matrices, Workers(1), result.positions);
        return result;
    }
    std::vector<MatrixX3d> shapes() const {
        std::vector<MatrixX3d> result;
        for (int degrees = 0; degrees <= 60; degrees += 10) {
            result.push_back(pose(degrees).positions);
        }
        return result;
    }
    FoldSource source() const {
        FoldSource result;
        result.poses = shapes();
        result.radius = limb_radius(shape.positions, weights, joints.parent, joints.position);
        return result;
    }
    FoldSolver stripes(const FoldOptions& options = {}) const {
        return FoldSolver(topology, shape.positions, source(), options);
    }
    /// Folded surface at an angle, and the refined surface before.
    MatrixX3d folded(FoldSolver& solver, double degrees, const Workers& workers, MatrixX3d* base = nullptr) const {
        const FoldPose now = pose(degrees);
        MatrixX3d directions;
        MatrixX3d refined;
        turn_normals(solver.normals(), solver.refined_weights(weights, 3), now.matrices, workers, directions);
        solver.refine(now.positions, workers, refined);
        if (base != nullptr) {
            *base = refined;
        }
        solver.fold(directions, workers, refined);
        return refined;
    }
};

}  // namespace cutis::test
