#pragma once

#include <set>
#include <string>
#include <vector>

#include "cutis/io/files.h"
#include "cutis/stack/sink.h"

namespace cutis {

/// Cameras of the character's file as `def Camera`, where their nodes are at each time.
/// \param taken  names of prims beside them
void write_usda_cameras(AtomicFile& file, const BakeInfo& info, const std::vector<double>& times,
                        std::set<std::string>& taken);

}  // namespace cutis
