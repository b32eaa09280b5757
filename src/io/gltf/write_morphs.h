#pragma once

#include <Eigen/Core>
#include <vector>

#include "io/gltf/write_frames.h"
#include "io/render_mesh.h"

namespace cutis {

struct MorphTolerance {
    double position = 1e-4;   ///< metres, distance of a vertex
    double uv = 1e-4;         ///< distance of a UV
    bool has_normals = true;  ///< targets move them, too
};

/// Binary exponents of what numbers are rounded to: all are whole multiples of 2 to the power of it. Few bits of them
/// are in use then, which is what compressed files are small by.
struct MorphSteps {
    std::vector<int> position, uv, normal;  ///< of each target
    int weight = 0;
};

/// Motion as base shape (the first frame) plus weighted targets, in the float32 numbers that go
/// into the file.
struct MorphBasis {
    int target_count = 0;
    Eigen::MatrixXf targets;  ///< #coordinates x #targets: displacements, positions then UVs
    Eigen::MatrixXf normals;  ///< 3 #normals x #targets: displacements of the normals
    Eigen::MatrixXf weights;  ///< #targets x #frames, each within 0 .. 1
    MorphSteps steps;
    double max_error = 0.0;  ///< metres, over all vertices and frames, against the true frames
    double max_uv_error = 0.0;
    double half_error = 0.0;  ///< a tolerance of so much halves the targets, metres; 0: there are none
};

/// Fewest targets of the truncated singular value decomposition that meet the tolerance at every
/// vertex of every frame, and one more with constant weight where modes change sign. Never more
/// than there are frames: so many give any motion back.
///
/// Memory: a block of coordinates over all frames (1 MB) per thread, the targets, frames x frames numbers.
MorphBasis fit_morph_basis(const GlbFrames& frames, const MorphTolerance& tolerance, const NormalField& normals,
                           const Workers& workers);

}  // namespace cutis
