#pragma once

#include <Eigen/Geometry>
#include <array>
#include <vector>

#include "cutis/core/types.h"
#include "cutis/mesh/surface_point.h"
#include "cutis/mesh/topology.h"

namespace cutis {

/// A place in the shell: above a point of a base triangle, at a share of the shell's height there.
/// It moves with the shell and needs no search.
struct ShellPoint {
    int triangle = 0;
    Vector3d barycentric = Vector3d(1, 0, 0);  ///< of the triangle's corners, sum 1
    double height = 0.0;                       ///< 0 on the base, 1 on the offset surface
};

/// A tetrahedron of the shell and the weights of its corners: where a ShellPoint lies.
struct TetPoint {
    int tet = 0;              ///< 3 * triangle + 0, 1 or 2
    Eigen::Vector4d weights;  ///< of the corners PrismShell::corners names, sum 1
};

/// The space between a base surface and its offset copy: one prism per triangle, three tetrahedra
/// per prism, split so that neighbouring prisms agree on the diagonal of the side they share.
///
/// Shell vertices are numbered 0 .. N-1 (base) and N .. 2N-1 (offset copies). For a triangle with
/// sorted vertices a < b < c and offset copies A, B, C the tetrahedra are (a,b,c,C), (a,b,C,B) and
/// (a,B,C,A): every side's diagonal runs from the lower number on the base to the higher on the
/// offset.
class PrismShell {
public:
    PrismShell() = default;

    /// \param base    #V x 3, metres, at rest
    /// \param offset  #V x 3; where it equals the base bit for bit the shell has no height, and the
    ///                tetrahedra that would be flat are left out of volumes and energies
    /// \throw InvalidInput  sizes that do not fit, a number that is not finite, a tetrahedron that
    ///                      is inverted or flat without its apex having height 0 (names its
    ///                      triangle)
    PrismShell(const Topology& topology, MatrixX3d base, MatrixX3d offset);

    const Topology& topology() const { return topology_; }
    int vertex_count() const { return topology_.vertex_count(); }     ///< N
    int tet_count() const { return 3 * topology_.triangle_count(); }  ///< with those left out
    const MatrixX3d& base() const { return base_; }
    const MatrixX3d& offset() const { return offset_; }

    /// Distance of a vertex from its offset copy, metres; 0 exactly where there is no shell.
    double height(int v) const { return heights_[v]; }
    const VectorXd& heights() const { return heights_; }
    /// Mean height of a triangle's corners.
    double triangle_height(int f) const;

    /// Corners of a tetrahedron in shell numbers, in the sorted order above.
    const std::array<int, 4>& corners(int tet) const { return corners_[tet]; }
    /// The offset corner that carries the tetrahedron: C, B or A. Its height 0 means a flat one.
    int apex(int tet) const;
    bool is_flat(int tet) const { return heights_[apex(tet)] == 0.0; }
    /// +1, or -1 where sorting turned the triangle over: volumes of sorted corners times this are
    /// positive.
    double orientation(int f) const { return orientation_[f]; }

    /// Volume at rest, cubic metres; 0 for a flat one.
    double rest_volume(int tet) const { return rest_volumes_[tet]; }
    /// Volume in another shape, negative when inverted.
    double volume(int tet, const MatrixX3d& base, const MatrixX3d& offset) const;

    /// The closed form of a point's place: no search.
    TetPoint place(const ShellPoint& point) const;
    /// The way back; what rounding put outside the prism is brought to its border.
    ShellPoint point(const TetPoint& at) const;

private:
    Topology topology_;
    MatrixX3d base_;
    MatrixX3d offset_;
    VectorXd heights_;
    VectorXd rest_volumes_;
    std::vector<std::array<int, 4>> corners_;
    std::vector<std::array<unsigned char, 3>> sorted_;  // corner of the triangle that is a, b, c
    std::vector<signed char> orientation_;
};

/// Position of a point in any shape of the shell. \param base, offset  #V x 3
Vector3d position_at(const PrismShell& shell, const MatrixX3d& base, const MatrixX3d& offset, const ShellPoint& point);

/// Volume of a triangle's prism in any shape: its three tetrahedra in one go.
struct PrismVolume {
    double whole = 0.0;     ///< seen from a: C . (b x c + B x (b - A)) / 6
    double straight = 0.0;  ///< base area times mean height: as if all sides stood upright
};

inline PrismVolume prism_volume(const PrismShell& shell, int f, const MatrixX3d& base, const MatrixX3d& offset) {
    const std::array<int, 4>& at = shell.corners(3 * f);
    const auto from = [&](const MatrixX3d& list, int v, const Vector3d& origin) -> Vector3d {
        return list.row(v).transpose() - origin;
    };
    const Vector3d a = base.row(at[0]);
    const Vector3d b = from(base, at[1], a);
    const Vector3d c = from(base, at[2], a);
    const Vector3d top_a = from(offset, at[0], a);
    const Vector3d top_b = from(offset, at[1], a);
    const Vector3d top_c = from(offset, at[2], a);
    const Vector3d ground = b.cross(c);
    const double sixth = shell.orientation(f) / 6.0;
    return {sixth * top_c.dot(ground + top_b.cross(b - top_a)), sixth * ground.dot(top_a + top_b + top_c)};
}

/// How a shape of the shell compares with the rest.
struct ShellQuality {
    int inverted = 0;             ///< tetrahedra inverted (those without height not counted)
    double smallest_ratio = 1.0;  ///< of a volume to the rest volume
    double volume_ratio = 1.0;    ///< of the whole shell
};

/// \param ratios  out, #F: volume of each prism over its rest volume (1 where it has none)
ShellQuality measure_shell(const PrismShell& shell, const MatrixX3d& base, const MatrixX3d& offset,
                           VectorXd* ratios = nullptr);

/// Signed volume of the tetrahedron p q r s, a sixth of (q-p) x (r-p) . (s-p).
inline double tet_volume(const Vector3d& p, const Vector3d& q, const Vector3d& r, const Vector3d& s) {
    return (q - p).cross(r - p).dot(s - p) / 6.0;
}

}  // namespace cutis
