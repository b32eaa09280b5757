#pragma once

#include <Eigen/Geometry>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "cutis/core/parallel.h"
#include "cutis/core/types.h"

namespace cutis {

struct Stencils;

enum class Skinning { linear_blend, dual_quaternion };

/// Which joints move a vertex and how much. Always `influences` entries a vertex; unused ones have
/// weight 0 and joint 0.
struct SkinWeights {
    int influences = 4;                 ///< 1 .. 8
    std::vector<std::uint16_t> joints;  ///< #V * influences
    std::vector<double> weights;        ///< #V * influences, non-negative, each vertex sums to 1
    /// Joints that share vertices, as find_joint_pairs says (normalise_weights calls it): spares
    /// dual quaternion skinning a look at every vertex's signs. Empty: not known. Clear it when you
    /// change `joints`.
    std::vector<std::array<std::uint16_t, 2>> joint_pairs = {};

    int vertex_count() const { return influences == 0 ? 0 : static_cast<int>(weights.size()) / influences; }
};

/// What normalising had to change.
struct WeightReport {
    int renormalised = 0;    ///< vertices whose weights did not sum to 1 within 1e-4
    int without_weight = 0;  ///< vertices with no weight at all: given to joint 0
    int first_vertex = -1;   ///< first of those
    double worst_sum = 1.0;
};

/// Makes every vertex sum to 1 and puts its strongest joint first.
/// \throw InvalidInput  influences outside 1 .. 8, arrays of different length, negative or
/// non-finite weight, joint index >= joint_count; names the vertex
WeightReport normalise_weights(SkinWeights& weights, int joint_count);

/// Weights of the vertices of a refined mesh: those of the base, blended; up to 8 joints each.
/// \throw InvalidInput  not weights of the base mesh
SkinWeights refined_weights(const SkinWeights& weights, const Stencils& stencils, int joint_count);

/// Every pair (first joint of a vertex, another joint with weight there), once each; empty for more
/// than 4096 joints.
std::vector<std::array<std::uint16_t, 2>> find_joint_pairs(const SkinWeights& weights, int joint_count);

/// Posed vertices. `matrices` are joint world frame * inverse bind matrix, one per joint.
/// \param rest  #V x 3;  \param out  #V x 3, resized when needed, not the same object as `rest`. No
/// allocation once it has its size.
/// \throw InvalidInput  sizes that do not fit, a joint index without a matrix, a matrix that is not
/// finite
void skin_linear_blend(const MatrixX3d& rest, const SkinWeights& weights, const std::vector<Eigen::Affine3d>& matrices,
                       const Workers& workers, MatrixX3d& out);

/// The same with dual quaternions (Kavan et al. 2008): antipodal quaternions are flipped to the
/// vertex's first joint, scale and shear are blended linearly beside them and applied first. A
/// mirrored joint matrix carries its mirroring in that linear part; a singular one carries
/// everything there.
/// \param centres  bind position of each joint, about which its scale and shear act; empty: the
/// origin. A vertex with a single joint follows its matrix for any centre.
void skin_dual_quaternion(const MatrixX3d& rest, const SkinWeights& weights,
                          const std::vector<Eigen::Affine3d>& matrices, const Workers& workers, MatrixX3d& out,
                          const std::vector<Vector3d>& centres = {});

}  // namespace cutis
