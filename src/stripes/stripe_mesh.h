#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/sparse.h"
#include "cutis/mesh/stencils.h"
#include "cutis/mesh/topology.h"

// Stripes on a surface: what folds of cloth and wrinkles of skin are laid out with.

namespace cutis::stripes {

/// Symmetric 3 x 3 matrices, one a row: xx, yy, zz, yz, xz, xy.
using Tensors = Eigen::Matrix<double, Eigen::Dynamic, 6, Eigen::RowMajor>;

/// The mesh stripes are solved on: plain arrays, so that a part of a surface may be one.
struct StripeMesh {
    MatrixX3i triangles;
    std::vector<std::array<int, 2>> edges;  ///< (i < j)
    MatrixX3d rest;
    MatrixX3d normals;    ///< of vertices
    VectorXd areas;       ///< of triangles
    VectorXd masses;      ///< areas of vertices
    VectorXd cotangents;  ///< of edges, halved and kept positive

    int vertex_count() const { return static_cast<int>(rest.rows()); }
    /// A whole surface.
    static StripeMesh of(const Topology& topology, const MatrixX3d& rest);
    /// Fills areas, masses and cotangents from the rest.
    /// \param edge_of_side  index into edges of side k (corner k to k + 1) of triangle f
    void measure(const MatrixX3i& edge_of_side);
};

/// Diffusion (M + l^2 L)^-1 M over lengths that differ from place to place.
class Diffusion {
public:
    /// \param lengths  unit of the lengths asked for, per vertex
    Diffusion(const StripeMesh& mesh, const VectorXd& lengths);
    /// \param values  #V x any number of columns, replaced
    void over(double times, RowMatrixXd& values);
    void over(double times, VectorXd& values);

private:
    const StripeMesh& mesh_;
    CompressedEntries system_;
    std::vector<double> stiffness_;  // in the places of system_
    std::vector<double> values_;
    std::optional<SparseSolver> solver_;
    double factored_ = 0.0;  // times, of the last factorization
};

/// Smooth noise: mean 0, deviation 1, features of about two lengths of the diffusion.
VectorXd smooth_noise(const StripeMesh& mesh, Diffusion& diffusion, unsigned seed);

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

}  // namespace cutis::stripes
