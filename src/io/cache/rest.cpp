#include "io/cache/rest.h"

#include "io/cache/together.h"
#include "io/obj/text.h"

namespace cutis {

void write_rest_meshes(const std::filesystem::path& path, const std::vector<MeshInfo>& meshes,
                       bool shows_own_mesh, std::vector<std::unique_ptr<AtomicFile>>& files) {
    for (const MeshInfo& mesh : meshes) {
        if (mesh.is_body && shows_own_mesh) {
            continue;
        }
        const std::string ending = mesh.is_body ? "rest.obj" : mesh.name + ".rest.obj";
        files.push_back(std::make_unique<AtomicFile>(beside(path, ending)));
        files.back()->write(obj_of_rest(*mesh.art, mesh.name));
    }
}

}  // namespace cutis
