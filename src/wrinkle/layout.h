#pragma once

#include "wrinkle/cut_mesh.h"
#include "wrinkle/wrinkles.h"

namespace cutis::wrinkle_detail {

/// Edges of a triangle at rest to its own plane.
struct Chart {
    Vector3d x = Vector3d::UnitX();
    Vector3d y = Vector3d::UnitY();
    std::array<double, 3> inverse = {0.0, 0.0, 0.0};  ///< of the two edges from corner 0: xx, xy, yy

    Chart() = default;
    Chart(const MatrixX3d& rest, const MatrixX3i& triangles, int f);
    /// Transpose of the deformation gradient times itself: xx, xy, yy.
    Vector3d metric(const MatrixX3d& posed, const MatrixX3i& triangles, int f) const {
        return metric_of(inverse, posed, triangles, f);
    }
    static Vector3d metric_of(const std::array<double, 3>& inverse, const MatrixX3d& posed, const MatrixX3i& triangles,
                              int f) {
        const Vector3d origin = posed.row(triangles(f, 0));
        const Vector3d e1 = posed.row(triangles(f, 1)).transpose() - origin;
        const Vector3d e2 = posed.row(triangles(f, 2)).transpose() - origin;
        const Vector3d u = inverse[0] * e1;
        const Vector3d v = inverse[1] * e1 + inverse[2] * e2;
        return {u.dot(u), u.dot(v), v.dot(v)};
    }
};

/// Everything that is laid out once for wrinkles on a surface. The angle phi of the stripes turns by pi from valley to
/// valley; it has no sign, and every use of it is even.
struct WrinkleLayout {
    CutMesh cut;
    /// Per piece and corner: phi without jumps inside the piece, and its slope there (rad / m), with the piece's sign.
    struct Angles {
        std::vector<std::array<double, 3>> phase;
        std::vector<std::array<Vector3d, 3>> slope;
    };
    Angles angles;
    Angles fine_angles;  ///< of the fine lines, which cross the wrinkles; empty where there are none
    VectorXd presence;   ///< per vertex of the pieces, 0 .. 1: fades at forks, at rims of the part, where asked for
    VectorXd height;     ///< per vertex of the pieces: factor that breaks lines
    VectorXd lead;       ///< per vertex of the pieces: how much every second valley leads, -1 .. 1
    VectorXd fine;       ///< per vertex of the pieces: part of the fine lines

    MatrixX3d direction;             ///< #V: unit, across the wrinkles; 0 where there are none
    VectorXd wavelength;             ///< #V, metres
    VectorXd period;                 ///< #V: valley to valley at rest as the stripes came out, metres
    VectorXd reserve;                ///< #V: what skin is longer than the surface at rest
    std::vector<std::string> notes;  ///< for the report
    double forks = 0.0;              ///< of the area: pieces where stripes do not close
};

/// Length of the ray from each vertex inwards to the other side, metres; rays that leave the body: `most`.
VectorXd body_thickness(const Topology& topology, const MatrixX3d& rest, const MatrixX3d& normals, double most,
                        const Workers& workers);

/// \throw InvalidInput  poses or paint of another mesh, numbers that are not finite
WrinkleLayout lay_wrinkles(const Topology& topology, const MatrixX3d& rest, const WrinkleSource& source,
                           const WrinkleOptions& options, const Workers& workers);

}  // namespace cutis::wrinkle_detail
