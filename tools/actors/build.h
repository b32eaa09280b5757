#pragma once

#include <functional>
#include <string>
#include <vector>

#include "actors/motion.h"
#include "actors/rigging.h"
#include "cutis/body/rig.h"
#include "implicit.h"
#include "weights.h"

namespace cutis::actor {

/// All a character made of clay needs before its motions.
struct ActorPlan {
    std::string name;
    Sculpture sculpture;
    double grid = 0.0;                              ///< spacing of the first polygonisation, metres
    std::vector<Bone> bones;                        ///< parents first
    Vector3d seam_side = Vector3d(0.0, 0.0, -1.0);  ///< UV seams prefer this side
    /// Changes the weights of a vertex after the heat solve; rows are normalised afterwards.
    std::function<void(const Vector3d& p, Eigen::RowVectorXd& weights)> paint;
    /// Names the UV chart (and part) of a triangle from its centre and unit normal; empty: by bone.
    std::function<std::string(const Vector3d& centre, const Vector3d& normal)> chart = {};
};

/// Mesh, weights, UV charts, named parts and skeleton; no clips yet. Node 0 is the root, then the
/// bones, then one node per mesh.
Character build_actor(const ActorPlan& plan);

/// Mesh with UVs and parts from triangles whose charts are known.
ArtMesh make_art_mesh(const std::string& name, const SurfaceMesh& mesh, std::vector<int> chart_of_triangle,
                      const std::vector<std::string>& part_of_chart, const Vector3d& seam_side);

/// Labels triangles by the chart of their strongest bones.
struct ChartLabels {
    std::vector<int> of_triangle;
    std::vector<std::string> part;  ///< per chart
};
ChartLabels label_charts(const SurfaceMesh& mesh, const Eigen::MatrixXd& weights, const std::vector<Bone>& bones);

/// 0 below a, 1 above b, smooth between.
double smooth_step(double a, double b, double x);

}  // namespace cutis::actor
