#pragma once

#include "core/sparse.h"
#include "fold/fold_mesh.h"

// Steps from poses to stripes, on an evenly refined copy of the base mesh.

namespace cutis::fold_detail {

/// Symmetric 3 x 3 matrices, one a row: xx, yy, zz, yz, xz, xy.
using Tensors = Eigen::Matrix<double, Eigen::Dynamic, 6, Eigen::RowMajor>;

struct EvenMesh {
    FoldMesh mesh;
    MatrixX3d rest;
    MatrixX3d normals;    ///< of vertices
    MatrixX3d sides;      ///< normals of triangles
    VectorXd areas;       ///< of triangles
    VectorXd masses;      ///< areas of vertices
    VectorXd cotangents;  ///< of edges, halved and kept positive
    const Workers& workers;

    /// \param edge  median edge wanted, as far as the mesh does not grow too large
    /// \param most_vertices  budget of the mesh that is shown: a small one needs no large plan
    /// \param for_work  must outlive this
    EvenMesh(const Topology& base, const MatrixX3d& base_rest, double edge, int most_vertices, const Workers& for_work);
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

/// Diffusion (M + l^2 L)^-1 M over lengths that differ from place to place.
class Diffusion {
public:
    /// \param lengths  unit of the lengths asked for, per vertex
    Diffusion(const EvenMesh& mesh, const VectorXd& lengths);
    /// \param values  #V x any number of columns, replaced
    void over(double times, RowMatrixXd& values);
    void over(double times, VectorXd& values);

private:
    const EvenMesh& mesh_;
    CompressedEntries system_;
    std::vector<double> stiffness_;  // in the places of system_
    std::vector<double> values_;
    std::optional<SparseSolver> solver_;
    double factored_ = 0.0;  // times, of the last factorization
};

/// Smooth noise: mean 0, deviation 1, features of about two lengths of the diffusion.
VectorXd smooth_noise(const EvenMesh& mesh, Diffusion& diffusion, unsigned seed);

/// Seeded numbers in [-1, 1), the same on every machine.
class Dice {
public:
    explicit Dice(unsigned seed) : state_(seed * 2654435761U + 88172645U) {}
    double roll() {
        state_ ^= state_ << 13;
        state_ ^= state_ >> 17;
        state_ ^= state_ << 5;
        return static_cast<double>(state_) / 2147483648.0 - 1.0;
    }

private:
    std::uint32_t state_;
};

}  // namespace cutis::fold_detail
