#pragma once

#include <array>
#include <memory>
#include <span>
#include <vector>

#include "core/sparse.h"
#include "cutis/core/parallel.h"
#include "cutis/shell/options.h"
#include "shell/prism_shell.h"

namespace cutis {

/// Area ratios beyond these count as these (Eq. 2 blows up on collapsed triangles).
inline constexpr double least_area_ratio = 0.25;
inline constexpr double most_area_ratio = 4.0;

/// Where the offset surface rests above a moved base: the minimum of Eq. 1, a quadratic energy with
/// a constant matrix, factored once.
///
/// The target gradient of a prism is (in-plane gradient of its triangle) + s n^ n^T with the
/// thickness factor s = (area ratio)^(nu / (nu - 1)) of Eq. 2, so the right-hand side is a constant
/// sparse matrix times the base positions plus one constant number per triangle corner times the
/// scaled normal.
class ShellEquilibrium {
public:
    /// \param shell  must outlive this
    /// \throw InvalidInput  poisson or stiffness out of range (names the triangle)
    ShellEquilibrium(const PrismShell& shell, const EquilibriumOptions& options);

    const PrismShell& shell() const { return *shell_; }

    /// Allocates nothing after the first call; the same bits for any number of threads.
    /// \param base    #V x 3, finite
    /// \param offset  out, #V x 3
    /// \throw InvalidInput  wrong number of positions, one that is not finite (names it)
    void solve(const MatrixX3d& base, const Workers& workers, MatrixX3d& offset);

    /// A of Eq. 1, to couple springs: replaces right-hand sides by A^-1 times them, node-major.
    void solve_system(std::span<double> values, int columns) const;
    /// Mean of A's diagonal over vertices with height: the scale of spring stiffnesses.
    double mean_diagonal() const { return mean_diagonal_; }
    const SparseLower& matrix() const { return matrix_; }

    /// Triangles whose normal had to be borrowed from neighbours in the last solve.
    int borrowed_normals() const { return borrowed_normals_; }

private:
    void assemble(const EquilibriumOptions& options);
    void fit_power();
    void raise_to_exponent(double* ratios, int count) const;
    void fill_pushes(const MatrixX3d& base, const Workers& workers);
    void solve_pushes(const MatrixX3d& base, const Workers& workers, MatrixX3d& offset) const;
    void correct_volumes(const MatrixX3d& base, const Workers& workers, MatrixX3d& offset);

    const PrismShell* shell_ = nullptr;
    double exponent_ = 0.0;  // nu / (nu - 1)
    int volume_rounds_ = 0;
    SparseLower matrix_;
    std::unique_ptr<SparseSolver> factor_;
    double mean_diagonal_ = 0.0;
    // Right-hand side: row v = sum of base_weights_ * base rows + sum of push_weights_ * pushes.
    std::vector<int> base_starts_;
    std::vector<int> base_columns_;
    std::vector<double> base_weights_;
    std::vector<int> push_starts_;
    std::vector<int> push_triangles_;
    std::vector<double> push_weights_;
    std::array<double, 22> power_series_{};  // of m^exponent on [1, 2]
    std::array<double, 4> octaves_{};        // (1/4)^exponent, (1/2)^exponent, 1, 2^exponent
    VectorXd rest_areas_;
    VectorXd rest_volumes_;    // of each prism
    VectorXd wanted_volumes_;  // in the shape solved for
    VectorXd heights_short_;   // of each prism, as a share of its height
    MatrixX3d pushes_;         // s n^ of each triangle
    int borrowed_normals_ = 0;
};

}  // namespace cutis
