#include "cutis/io/gltf_read.h"

#include <set>

#include "cutis/core/error.h"
#include "cutis/io/files.h"
#include "io/gltf/file.h"

namespace cutis {

namespace {

/// Required extensions that change nothing we read, or that we carry through with the materials.
bool is_harmless(const std::string& extension) {
    static const std::set<std::string> known = {"KHR_mesh_quantization", "KHR_texture_transform", "KHR_texture_basisu",
                                                "KHR_lights_punctual",   "KHR_xmp_json_ld",       "EXT_texture_webp",
                                                "EXT_texture_avif"};
    return known.count(extension) > 0 || extension.rfind("KHR_materials_", 0) == 0;
}

void check_extensions(const GltfFile& file) {
    const auto required = file.root().find("extensionsRequired");
    for (std::size_t i = 0; required && i < required->size(); ++i) {
        const std::string name = (*required)[i].text();
        const bool is_meshopt = name == "EXT_meshopt_compression" || name == "KHR_meshopt_compression";
        const bool is_draco = name == "KHR_draco_mesh_compression";
        if ((is_meshopt && knows_meshopt()) || (is_draco && knows_draco())) {
            continue;
        }
        if (is_draco || is_meshopt) {
            (*required)[i].fail(
                concat("expected uncompressed meshes, found ", name, "; save the file without mesh compression"));
        }
        if (!is_harmless(name)) {
            (*required)[i].fail(concat("expected extensions cutis knows, found ", name));
        }
    }
}

}  // namespace

Character read_gltf(std::span<const unsigned char> bytes, const std::string& source, const GltfLoader& loader) {
    GltfFile file(bytes, source, loader);
    check_extensions(file);
    file.load_buffers();
    Character character;
    character.source = source;
    const GltfNodes nodes = read_gltf_nodes(file, character.skeleton);
    character.skins = read_gltf_skins(file, nodes, character.skeleton);
    std::vector<std::string> material_names;
    character.materials = read_gltf_materials(file, material_names);
    character.meshes = read_gltf_meshes(file, nodes, character.skins, material_names);
    character.clips = read_gltf_clips(file, nodes, character.skeleton);
    character.document = keep_document(
        file, nodes, character.materials ? character.materials->images : std::vector<std::vector<unsigned char>>());
    character.notes = std::move(file.notes());
    return character;
}

Character read_gltf(const std::filesystem::path& path) {
    const std::vector<unsigned char> bytes = read_file(path);
    const GltfLoader loader = [&path](const std::string& relative) {
        try {
            return read_file(path_inside(path.parent_path(), relative));
        } catch (const std::filesystem::filesystem_error& error) {
            throw IoError(concat(relative, ": ", error.code().message()));
        }
    };
    return read_gltf(bytes, path.filename().string(), loader);
}

}  // namespace cutis
