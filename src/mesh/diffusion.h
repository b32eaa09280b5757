#pragma once

#include <cstdint>
#include <optional>

#include "core/sparse.h"
#include "cutis/mesh/stencils.h"
#include "cutis/mesh/topology.h"

namespace cutis {

/// What diffusion on a surface needs: areas of vertices and cotangents of edges.
struct SurfaceMetric {
    const Topology& topology;
    const MatrixX3d& rest;
    VectorXd masses;      ///< areas of vertices
    VectorXd cotangents;  ///< of edges, halved and kept positive

    /// \param of, at  must outlive this
    SurfaceMetric(const Topology& of, const MatrixX3d& at);
};

/// Diffusion (M + l^2 L)^-1 M over lengths that differ from place to place.
class Diffusion {
public:
    /// \param metric   must outlive this
    /// \param lengths  unit of the lengths asked for, per vertex
    Diffusion(const SurfaceMetric& metric, const VectorXd& lengths);
    /// \param values  #V x any number of columns, replaced
    void over(double times, RowMatrixXd& values);
    void over(double times, VectorXd& values);

private:
    const SurfaceMetric& metric_;
    CompressedEntries system_;
    std::vector<double> stiffness_;  // in the places of system_
    std::vector<double> values_;
    std::optional<SparseSolver> solver_;
    double factored_ = 0.0;  // times, of the last factorization
};

/// Smooth noise: mean 0, deviation 1, features of about two lengths of the diffusion.
VectorXd smooth_noise(const SurfaceMetric& metric, Diffusion& diffusion, unsigned seed);

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

}  // namespace cutis
