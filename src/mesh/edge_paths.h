#pragma once

#include <functional>
#include <limits>
#include <vector>

#include "cutis/mesh/topology.h"

namespace cutis {

/// Shortest ways along the edges of a mesh.
struct EdgePaths {
    std::vector<double> distance;  ///< #V; infinity where none leads
    std::vector<int> from;         ///< #V: the vertex before, -1 at a source and where none leads

    /// From a source to v, both included.
    std::vector<int> path_to(int v) const;
};

/// Dijkstra 1959 from several sources at once.
/// \param positions  #V x 3
/// \param reach      ways longer than this are not gone
/// \param may_enter  vertices a way may lead through or end in; empty: all
EdgePaths edge_paths(const MatrixX3d& positions, const Topology& topology, const std::vector<int>& sources,
                     double reach = std::numeric_limits<double>::infinity(),
                     const std::function<bool(int)>& may_enter = {});

}  // namespace cutis
