#pragma once

#include <Eigen/Geometry>
#include <vector>

#include "cutis/body/skinning.h"
#include "cutis/core/parallel.h"

namespace cutis {

struct DecompositionOptions {
    int bones = 20;      ///< 1 .. 256; fewer are made where fewer suffice
    int influences = 4;  ///< bones a vertex may follow, 1 .. 8
    int rounds = 100;    ///< of weights and motions in turn, once all bones are there
    int moves = 40;      ///< times a bone that helps least is tried at the place that needs one most
};

/// A moving mesh as linear blend skinning with rigid bones: what any game engine plays.
struct SkinDecomposition {
    SkinWeights weights;                                 ///< per vertex
    std::vector<std::vector<Eigen::Affine3d>> matrices;  ///< per frame and bone: from the rest shape
    int bone_count() const { return static_cast<int>(matrices.front().size()); }
    double rms = 0.0;  ///< sqrt(sum |p - p_true|^2 / (3 V F)), metres: the square mean of one coordinate's error
};

/// Smooth skinning decomposition with rigid bones (Le and Deng 2012): bones grow by splitting the cluster that fits
/// worst, then weights (convex, sparse) and rigid motions are found in turn, each for the other; a bone that helps
/// little is tried where one is missing. The same bits for any number of threads.
/// \param triangles  say which vertices are neighbours; any will do, also of broken meshes
/// \param frames     shapes of the same vertices
/// \throw InvalidInput  no frames, shapes of other sizes, numbers that are not finite, options out of range
SkinDecomposition decompose_skin(const MatrixX3d& rest, const MatrixX3i& triangles,
                                 const std::vector<MatrixX3d>& frames, const DecompositionOptions& options,
                                 const Workers& workers);

}  // namespace cutis
