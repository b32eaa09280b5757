#pragma once

#include <string>
#include <vector>

#include "cutis/stack/layer.h"

namespace cutis {

/// Where on the surface: a value per simulation vertex.
///
///   all                     1 everywhere
///   painted:NAME            a vertex attribute of the file, as it is (vertex colours: NAME.r ...)
///   joint:NAME              the skin weight of that joint
///   joints:NAME             the same with all joints below it
///   part:NAME               1 on vertices of that part (primitive, group or material), else 0
///   box:X0,Y0,Z0,X1,Y1,Z1   1 inside this box of the rest pose (metres), else 0
///   boundary                1 on the open borders
/// A leading "not " gives one minus the value.
/// \throw InvalidInput  no such word, name (lists what there is), or numbers that are no box
VectorXd region_values(const LayerGround& ground, const std::string& region);

/// The union of several: the largest value at each vertex. An empty list gives 0 everywhere.
VectorXd region_values(const LayerGround& ground, const std::vector<std::string>& regions);

/// Vertices where the union is at least one half.
std::vector<int> region_vertices(const LayerGround& ground,
                                 const std::vector<std::string>& regions);

/// A paintable number at every simulation vertex.
/// \param key     for messages
/// \throw InvalidInput  a value outside lowest .. highest (names the vertex), and as above
VectorXd painted_values(const LayerGround& ground, const Paintable& number, const std::string& key,
                        double lowest, double highest);

}  // namespace cutis
