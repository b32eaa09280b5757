#include "write_rest.h"

#include "obj_write_text.h"
#include "write_together.h"

namespace cutis {

void write_rest_meshes(const std::filesystem::path& path, const std::vector<BakedMesh>& meshes,
                       bool shows_own_mesh, std::vector<std::unique_ptr<AtomicFile>>& files) {
    for (size_t m = shows_own_mesh ? 1 : 0; m < meshes.size(); ++m) {
        const std::string ending = m == 0 ? "rest.obj" : meshes[m].name + ".rest.obj";
        files.push_back(std::make_unique<AtomicFile>(beside(path, ending)));
        files.back()->write(obj_of_rest(*meshes[m].art, meshes[m].name));
    }
}

}  // namespace cutis
