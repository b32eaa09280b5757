#pragma once

#include <vector>

#include "cutis/core/parallel.h"
#include "cutis/core/types.h"
#include "cutis/mesh/topology.h"

namespace cutis {

/// Functions named fill_... are made for every frame: outputs are resized at the first call only,
/// nothing is allocated after that, and the bits do not depend on the number of threads. All throw
/// InvalidInput when the number of positions is not the topology's vertex count.

/// How much each triangle of a fan counts in a vertex normal.
enum class NormalWeight {
    area,   ///< by area: cheap, follows large triangles
    angle,  ///< by the angle at the vertex: independent of how the fan is cut into triangles
};

/// Unit normal and area of each triangle.
/// \param positions  #V x 3, metres
/// \param normals    #F x 3; (0, 0, 0) for a triangle of no area (thinner than 1e-15 of its length)
/// \param areas      #F, square metres
void fill_triangle_normals(const Eigen::Ref<const MatrixX3d>& positions, const Topology& topology,
                           const Workers& workers, MatrixX3d& normals, VectorXd& areas);

/// Unit normal of each vertex, gathered over its fan.
/// \param normals  #V x 3; where the sum over the fan cancels (fold-over), the normal of the fan's
///                 largest triangle; (0, 0, 0) only where no triangle of the fan has area
void fill_vertex_normals(const Eigen::Ref<const MatrixX3d>& positions, const Topology& topology, NormalWeight weight,
                         const Workers& workers, MatrixX3d& normals);

/// A third of the area of every triangle around each vertex.
/// \param triangle_areas  #F, from fill_triangle_normals
/// \param vertex_areas    #V
void fill_vertex_areas(const Eigen::Ref<const VectorXd>& triangle_areas, const Topology& topology,
                       const Workers& workers, VectorXd& vertex_areas);

/// The same for one call.
MatrixX3d triangle_normals(const Eigen::Ref<const MatrixX3d>& positions, const Topology& topology);
VectorXd triangle_areas(const Eigen::Ref<const MatrixX3d>& positions, const Topology& topology);
MatrixX3d vertex_normals(const Eigen::Ref<const MatrixX3d>& positions, const Topology& topology,
                         NormalWeight weight = NormalWeight::angle);

/// Length of the diagonal of the axis-aligned box around all positions; 0 without positions.
double bounding_box_diagonal(const Eigen::Ref<const MatrixX3d>& positions);

/// Mean over all edges; 0 without edges.
double mean_edge_length(const Eigen::Ref<const MatrixX3d>& positions, const Topology& topology);

/// Area of each connected part, in the numbering of Topology::part_of_vertex.
std::vector<double> part_areas(const Eigen::Ref<const MatrixX3d>& positions, const Topology& topology);

/// The sides of the box round a body, without specks: parts with less than a hundredth of its area
/// do not count, unless the body is made of such parts (they have more than a tenth of it
/// together).
/// \param left_out  per vertex: 1 on parts that are not of the body; empty: none
Vector3d main_box(const MatrixX3d& positions, const Topology& topology, const std::vector<char>& left_out = {});

}  // namespace cutis
