#pragma once

#include <string>
#include <vector>

#include "cutis/core/types.h"
#include "cutis/mesh/topology.h"
#include "shell/prism_shell.h"
#include "verify.h"

// The shell's cases, by theme; verify_shell() runs them all.

namespace cutis::verify::shell {

std::vector<Case> offset_cases();       ///< split, safe offset
std::vector<Case> data_cases();         ///< safe offset on every mesh of the data folder
std::vector<Case> equilibrium_cases();  ///< rest, rigid motion, slab table, curved shells
std::vector<Case> vibration_cases();    ///< exact update, closed forms, limiter
std::vector<Case> handle_cases();       ///< low-rank update, convergence of the coupling

/// A case that passes when value <= limit (not for NaN).
Case at_most(std::string name, double value, double limit, std::string unit, std::string source);

struct Surface {
    MatrixX3d positions;
    MatrixX3i triangles;
    Topology topology() const { return {triangles, static_cast<int>(positions.rows())}; }
};

/// Rectangle in z = 0, normals up.
Surface flat_grid(int columns, int rows, double width = 1.0, double depth = 1.0);
/// Geodesic sphere: an octahedron split `level` times.
Surface sphere(int level, double radius = 1.0);
/// Sphere whose radius varies: r (1 + amplitude sin(k x) sin(k y) sin(k z)).
Surface bumpy_sphere(int level, double amplitude, double waves);

/// Offset by the same vector everywhere.
PrismShell slab(const Surface& surface, const Vector3d& offset);
/// Offset by safe directions.
PrismShell safe_shell(const Surface& surface, double height);

}  // namespace cutis::verify::shell
