#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "cutis/body/body.h"
#include "cutis/core/parallel.h"
#include "io/gltf/write_frames.h"

namespace cutis {

/// How the nodes of a file move one of its meshes: p = sum_j w_j M_j x for the morphed rest position x of a vertex.
struct Carriage {
    std::vector<int> nodes;                     ///< of the skeleton: joints, or the one node that carries it
    std::vector<Eigen::Affine3d> inverse_bind;  ///< of each, from the mesh's own space
    SkinWeights weights;                        ///< no influences: the one node carries every vertex
    std::vector<MatrixX3d> morphs;              ///< offsets of the file's own targets
    std::vector<double> morph_defaults;
    int morph_node = -1;
};

/// What frames do beyond what the file does by itself: for each vertex the d of
///     p = sum_j w_j M_j (x + d),
/// so that morph targets for d leave skeleton, skin and the file's own morph targets in use.
struct Deviation {
    std::unique_ptr<CoordinateStore> store;  ///< rest position and UVs, then for each frame rest + d and UVs
    int uv_count = 0;                        ///< 0: UVs do not move
    double largest = 0.0;                    ///< of |p - sum_j w_j M_j x|, metres
    double largest_uv = 0.0;
    double scale = 0.0;          ///< metres that one unit of d is at most
    bool is_singular = false;    ///< a vertex that has to move lies where the blended matrix has (nearly) no inverse
    std::vector<float> weights;  ///< of the file's own targets, frame after frame
};

/// Frames of one mesh among those of a bake.
struct DeviationSource {
    GlbFrames frames;       ///< of the mesh the bake shows
    std::vector<int> rows;  ///< its vertices there
    std::vector<int> uvs;   ///< its UVs there; empty: they do not move
    MatrixX3d rest;         ///< own space; without rows: the first frame stands for it
    MatrixX2d rest_uv;
    double tolerance = 1e-4;  ///< metres; a thousandth of it counts as nothing
};

/// World frames of all nodes in a frame of the bake, as Body::node_frames() gives them.
using NodeFrames = std::function<void(size_t frame, std::vector<Eigen::Affine3d>& frames)>;

/// \param node_frames  as a file has them; empty: those of the body
/// \param beside       scratch space goes there
Deviation find_deviation(const Body& body, TimeSampling sampling, const std::vector<double>& times,
                         const NodeFrames& node_frames, const Carriage& carriage, const DeviationSource& source,
                         const std::filesystem::path& beside, const Workers& workers);

}  // namespace cutis
