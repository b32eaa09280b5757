#pragma once

#include <memory>
#include <vector>

#include "wrinkle/wrinkles.h"

namespace cutis {

/// How fine a mesh must be to show wrinkles.
struct WrinkleMesh {
    std::vector<unsigned char> levels;  ///< #F: how often each triangle is to be halved
    double edges = 0.0;     ///< a wavelength, where there are wrinkles: as many as asked for, or what was left
    double vertices = 0.0;  ///< about
};

/// \param highest       #V, metres: of each vertex in any pose; triangles below 2 % of a wavelength stay as they are
/// \param edges         wanted a wavelength
/// \param most_vertices beyond it edges get longer
WrinkleMesh plan_wrinkle_mesh(const Topology& topology, const MatrixX3d& rest, const WrinkleSolver& solver,
                              const VectorXd& highest, double edges, int most_levels, int most_vertices);

/// Wrinkles as geometry: moves the vertices that a WrinkleSolver stands on. Where edges are too long for the wavelength
/// nothing moves; where lifting would turn a triangle over, vertices are held back.
class WrinkleDisplacement {
public:
    /// \param solver  must outlive this
    /// \param rest    #V x 3, metres, as the solver has it
    WrinkleDisplacement(const WrinkleSolver& solver, const Topology& topology, const MatrixX3d& rest);
    ~WrinkleDisplacement();
    WrinkleDisplacement(WrinkleDisplacement&&) noexcept;
    WrinkleDisplacement& operator=(WrinkleDisplacement&&) noexcept;

    /// Allocates nothing after the first call; same bits for any threads.
    /// \param posed  #V x 3; in: the surface without wrinkles, out: with them
    void lift(const WrinkleHeights& wrinkles, const Workers& workers, MatrixX3d& posed);
    int held() const;  ///< vertices that the last lift() held back

private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

}  // namespace cutis
