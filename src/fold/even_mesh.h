#pragma once

#include "fold/fold_mesh.h"
#include "stripes/stripe_mesh.h"

// Steps from poses to stripes, on an evenly refined copy of the base mesh.

namespace cutis::fold_detail {

using stripes::Dice;
using stripes::Diffusion;
using stripes::smooth_noise;
using stripes::Tensors;

struct EvenMesh : stripes::StripeMesh {
    FineMesh mesh;
    MatrixX3d sides;  ///< normals of triangles
    const Workers& workers;

    /// \param edge  median edge wanted, as far as the mesh does not grow too large
    /// \param most_vertices  budget of the mesh that is shown: a small one needs no large plan
    /// \param for_work  must outlive this
    EvenMesh(const Topology& base, const MatrixX3d& base_rest, double edge, int most_vertices, const Workers& for_work);
    EvenMesh(const EvenMesh&) = delete;
    EvenMesh& operator=(const EvenMesh&) = delete;
    const Topology& topology() const { return mesh.mesh.topology(); }
    /// Values of base vertices at the vertices of this mesh.
    VectorXd carried(const VectorXd& base_values) const;
};

/// Squares of compression of poses summed as a tensor per triangle, in 3-D.
struct Compression {
    Tensors tensors;
    VectorXd least;  ///< smallest stretch over all poses, per triangle
};
/// \param beside  unit vectors per triangle: count only what is compressed more than about 40
///                degrees off them; empty: all
Compression sum_compression(const EvenMesh& mesh, const std::vector<MatrixX3d>& poses, const MatrixX3d& beside);

}  // namespace cutis::fold_detail
