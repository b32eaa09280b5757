#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "cutis/body/rig.h"
#include "cutis/io/files.h"
#include "cutis/io/json.h"
#include "cutis/stack/sink.h"

namespace cutis {

/// Materials of a bake as UsdPreviewSurface, with their pictures in files beside: those that meshes ask for.
class UsdaMaterials {
public:
    /// \param path     of the stage;  \param root  path of the prim they stand in, "/body"
    /// \param library  may be null: then materials only have their names
    UsdaMaterials(std::filesystem::path path, std::string root, const MaterialLibrary* library);

    /// Path of a material's prim.
    std::string bind(const std::string& name);
    /// All that were asked for.
    void write_to(AtomicFile& file);
    /// Their pictures get their names.
    std::vector<OutputFile> commit();

private:
    std::string material_text(const std::string& identifier, const Json& material);
    /// A texture and, where it is moved, its transform. \return the shader's path; empty: there is no picture
    std::string add_texture(const std::string& material, const std::string& name, const Json& reference,
                            const std::string& colour_space, const std::string& more, std::string& text);
    std::string picture_file(int texture);

    std::filesystem::path path_;
    std::string root_;
    const MaterialLibrary* library_;
    Json all_;
    std::map<std::string, std::string> identifiers_;
    std::set<std::string> taken_;
    std::map<int, std::unique_ptr<AtomicFile>> pictures_;
};

}  // namespace cutis
