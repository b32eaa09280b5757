#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "cutis/core/parallel.h"
#include "cutis/mesh/art_mesh.h"
#include "cutis/mesh/topology.h"
#include "cutis/wrinkle/options.h"

namespace cutis {

namespace wrinkle_detail {
struct WrinkleParts;
}

/// How skin is squeezed and stretched: what wrinkles are laid out from.
struct WrinkleSource {
    std::vector<MatrixX3d> poses;  ///< each #V x 3: the clips at hand
    VectorXd where;                ///< #V, 0 .. 1: part of wrinkles there; empty: 1
    bool hops = false;             ///< its stretch does: skin that slides, or that joints fold
};

/// Wrinkles of a pose, per vertex.
struct WrinkleHeights {
    VectorXd height;   ///< metres, valley to crest
    VectorXd take_up;  ///< r: how much longer the skin is than its base because of them
};

/// Skin that wrinkles where it is compressed: stripes laid out once over the material, heights for every pose.
///
///     h(x, t) = B(x) n(x) H(x, t) y(phi(x))
///
/// phi, B and n belong to material points and never move over the skin; only H and the profile's sharpness change
/// (docs/wrinkles.md). Nothing is remembered between poses but two low passes of the heights, where there are any.
class WrinkleSolver {
public:
    /// \param rest  #V x 3, metres
    /// \throw InvalidInput  options out of range; poses or paint of another mesh, or not finite
    WrinkleSolver(const Topology& topology, const MatrixX3d& rest, const WrinkleSource& source,
                  const WrinkleOptions& options, const Workers& workers = Workers(1));
    ~WrinkleSolver();
    WrinkleSolver(WrinkleSolver&&) noexcept;
    WrinkleSolver& operator=(WrinkleSolver&&) noexcept;

    bool is_empty() const;    ///< no pose compresses the skin: no wrinkles
    bool has_memory() const;  ///< there are low passes

    /// Heights for a pose. Allocates nothing after the first call; same bits for any threads.
    /// \param posed    #V x 3: where the material of each vertex is
    /// \param seconds  since the last pose, for the low passes; below 0: start anew
    void advance(const MatrixX3d& posed, double seconds, const Workers& workers, WrinkleHeights& out);
    /// State of the low passes.
    std::vector<double> save() const;
    /// \throw InvalidInput  not a state of this solver
    void restore(const std::vector<double>& state);

    const VectorXd& wavelength() const;  ///< #V, metres
    const MatrixX3d& direction() const;  ///< #V x 3, unit, at rest: across the wrinkles; 0 where there are none
    /// Unit vectors along the crests in a pose; 0 where there are none. \param out  #V x 3
    void crests(const MatrixX3d& posed, const Workers& workers, MatrixX3d& out) const;
    VectorXd phase() const;     ///< #V: cos phi; 1 and -1 in valleys; 0 where there are none
    VectorXd presence() const;  ///< #V, 0 .. 1
    double forks() const;       ///< of the wrinkling area: where stripes do not close
    int piece_count() const;    ///< triangles that wrinkles are laid out on
    const std::vector<std::string>& notes() const;

    const wrinkle_detail::WrinkleParts& parts() const { return *parts_; }

private:
    std::unique_ptr<wrinkle_detail::WrinkleParts> parts_;
};

/// Wrinkles as pictures over the UVs of a mesh.
class WrinkleMaps {
public:
    /// Where the surface's triangles are in the artist's mesh.
    struct Art {
        const ArtMesh* mesh = nullptr;           ///< with UVs; must outlive this
        std::vector<int> triangle;               ///< #F of the surface: the artist's triangle
        std::vector<std::array<int, 3>> corner;  ///< #F: the artist's corner at each of its corners
    };
    /// \param solver  must outlive this
    /// \param size    pixels of a side
    WrinkleMaps(const WrinkleSolver& solver, const Topology& topology, const MatrixX3d& rest, const Art& art, int size,
                int padding, const Workers& workers);
    ~WrinkleMaps();

    int size() const;
    long texel_count() const;            ///< that wrinkles may reach
    double texels_a_wavelength() const;  ///< the median; 0 without texels
    int tiles() const;                   ///< that UVs lie in; the maps are those of the one with most wrinkles
    double overlap() const;              ///< of those texels: part that belongs to more than one place

    /// \param posed    #V x 3: where the material of each vertex is
    /// \param heights  size * size, metres, rows from the top; \param normals  size * size * 3, tangent space (x along
    ///                 u, y along v up). Both are resized; null: not wanted.
    void paint(const MatrixX3d& posed, const WrinkleHeights& wrinkles, const Workers& workers,
               std::vector<float>* heights, std::vector<float>* normals);

private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

}  // namespace cutis
