#pragma once

#include <memory>
#include <vector>

#include "cutis/io/files.h"
#include "io/sink.h"

namespace cutis {

/// A cache is of no use without the mesh it moves. Adds NAME.rest.obj where the body is shown on
/// another mesh than that of its own file, and NAME.DETAIL.rest.obj for every detail.
void write_rest_meshes(const std::filesystem::path& path, const std::vector<MeshInfo>& meshes,
                       bool shows_own_mesh, std::vector<std::unique_ptr<AtomicFile>>& files);

}  // namespace cutis
