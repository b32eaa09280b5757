#pragma once

#include <string>
#include <vector>

#include "cutis/core/options.h"
#include "cutis/stack/layer.h"

namespace cutis {

/// Where on the surface: a value per simulation vertex.
///
///   all                     1 everywhere
///   painted:NAME            a vertex attribute of the file, as it is (vertex colours: NAME.r ...)
///   joint:NAME              the skin weight of that joint
///   joints:NAME             the same with all joints below it
///   mesh:NAME               1 on vertices of that mesh of the file, else 0
///   material:NAME           1 on vertices of that material, else 0
///   part:NAME               1 on vertices of that part (primitive, group, mesh or material), else 0
///   island:N                1 on the N-th connected island, the largest first, else 0
///   boundary                1 on the open borders
///   skin, cloth, hair, rigid, soft   1 on what the body's anatomy finds to be that (soft: skin and cloth)
/// A leading "not " gives one minus the value. A box is 1 inside, else 0; several regions have the
/// largest value at each vertex; an empty region is 0 everywhere.
/// \throw InvalidInput  no such word or name (lists what there is)
VectorXd region_values(const LayerInput& ground, const Region& region);

/// Vertices where it is at least one half.
std::vector<int> region_vertices(const LayerInput& ground, const Region& region);

/// Number of each vertex's connected island: 1 has the largest area.
std::vector<int> island_numbers(const SimulationSurface& surface);

/// Vertices on nothing but rigid parts and hair; none where the body has no joints to tell by.
std::vector<int> rigid_vertices(const LayerInput& ground);

/// Number of the node of the body's character that has this name.
/// \param what  start of messages
/// \throw InvalidInput  there is none (lists what there is)
int find_node(const Body& body, const std::string& name, const std::string& what);

/// Gives every painted option its values at the simulation vertices.
/// \param section  start of messages
/// \throw InvalidInput  a value out of its option's range (names the vertex), and as above
void look_up_regions(const LayerInput& ground, const Options& options, const std::string& section);

}  // namespace cutis
