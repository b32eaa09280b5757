#include "io/gltf/write_materials.h"

#include <functional>
#include <map>
#include <set>
#include <utility>

#include "cutis/core/error.h"

namespace cutis {

namespace {

/// The UV set a texture reference asks for; KHR_texture_transform may overrule it.
int uv_set(const Json& reference) {
    const int moved = reference["extensions"]["KHR_texture_transform"]["texCoord"].as_index();
    return moved >= 0 ? moved : std::max(0, reference["texCoord"].as_index());
}

class MaterialCopier {
public:
    MaterialCopier(GlbDocument& document, const MaterialLibrary* library) : document_(document), library_(library) {
        if (library == nullptr || library->gltf_json.empty()) {
            return;
        }
        source_ = Json::parse(library->gltf_json, "materials");
        require(source_.is_object(), "materials: expected a JSON object, found something else");
    }

    int material_named(const std::string& name, bool has_uv) {
        has_uv_ = has_uv;
        const auto known = copied_.find({name, has_uv});
        if (known != copied_.end()) {
            return known->second;
        }
        Json material = {{"name", name}};
        for (const Json& candidate : list("materials")) {
            if (candidate["name"].as_text() == name && candidate.is_object()) {
                material = candidate;
                break;
            }
        }
        copy_textures(material);
        note_extensions(material);
        const int index = document_.add("materials", std::move(material));
        copied_.emplace(std::make_pair(name, has_uv), index);
        return index;
    }

    void finish() {
        if (const Json* used = document_.root.find("extensionsUsed")) {
            for (const Json& name : *used) {
                extensions_.insert(name.as_text());
            }
        }
        if (!extensions_.empty()) {
            document_.root["extensionsUsed"] = extensions_;
        }
    }

private:
    const Json& list(const char* name) const {
        static const Json none = Json::array();
        const Json* found = source_.find(name);
        return found != nullptr && found->is_array() ? *found : none;
    }

    /// Every reference to a texture stands under a key that ends in "Texture", in glTF and in its
    /// extensions: {"index": i, ...}. Those that cannot be followed are dropped.
    void copy_textures(Json& node) {
        for (std::size_t i = 0; i < node.size();) {
            Json& entry = node[i];
            const bool is_reference =
                node.is_object() && node.key(i).ends_with("Texture") && entry.is_object() && entry.contains("index");
            if (!is_reference) {
                copy_textures(entry);
                ++i;
                continue;
            }
            const int texture = has_uv_ && uv_set(entry) == 0 ? copy_texture(entry["index"].as_index()) : -1;
            if (texture < 0) {
                node.erase_at(i);
            } else {
                entry["index"] = texture;
                ++i;
            }
        }
    }

    int copy_texture(int index) {
        return copy_once(textures_, index, [this](int i) {
            const Json& textures = list("textures");
            if (i < 0 || i >= static_cast<int>(textures.size()) || !textures[i].is_object()) {
                return -1;
            }
            Json texture = textures[i];
            const bool has_picture = copy_picture(texture);
            bool has_other_picture = false;
            if (texture.contains("extensions") && texture["extensions"].is_object()) {
                // KHR_texture_basisu, EXT_texture_webp and their like name another picture.
                Json& extensions = texture["extensions"];
                for (std::size_t k = 0; k < extensions.size();) {
                    const bool names_picture = extensions[k].contains("source");
                    if (names_picture && !copy_picture(extensions[k])) {
                        extensions.erase_at(k);
                        continue;
                    }
                    has_other_picture = has_other_picture || names_picture;
                    ++k;
                }
                if (extensions.empty()) {
                    texture.erase("extensions");
                }
            }
            if (!has_picture && !has_other_picture) {
                return -1;
            }
            const int sampler = copy_once(samplers_, std::as_const(texture)["sampler"].as_index(), [this](int s) {
                const Json& samplers = list("samplers");
                return s >= 0 && s < static_cast<int>(samplers.size()) ? document_.add("samplers", samplers[s]) : -1;
            });
            texture.erase("sampler");
            if (sampler >= 0) {
                texture["sampler"] = sampler;
            }
            note_extensions(texture);
            return document_.add("textures", std::move(texture));
        });
    }

    /// Copies the picture `holder["source"]` names and points it there; false where there is none.
    bool copy_picture(Json& holder) {
        const int picture = copy_once(images_, std::as_const(holder)["source"].as_index(), [this](int i) {
            const Json& images = list("images");
            if (i < 0 || i >= static_cast<int>(images.size()) || i >= static_cast<int>(library_->images.size()) ||
                library_->images[i].empty() || !images[i].is_object()) {
                return -1;
            }
            Json image = images[i];
            image.erase("uri");
            image["bufferView"] = document_.add_bytes(library_->images[i]);
            note_extensions(image);
            return document_.add("images", std::move(image));
        });
        holder.erase("source");
        if (picture >= 0) {
            holder["source"] = picture;
        }
        return picture >= 0;
    }

    int copy_once(std::map<int, int>& done, int index, const std::function<int(int)>& copy) {
        const auto known = done.find(index);
        if (known != done.end()) {
            return known->second;
        }
        const int made = copy(index);
        done.emplace(index, made);
        return made;
    }

    void note_extensions(const Json& node) {
        for (std::size_t i = 0; i < node.size(); ++i) {
            if (node.is_object() && node.key(i) == "extensions" && node[i].is_object()) {
                for (std::size_t k = 0; k < node[i].size(); ++k) {
                    extensions_.insert(node[i].key(k));
                }
            }
            if (!node.is_object() || node.key(i) != "extras") {
                note_extensions(node[i]);
            }
        }
    }

    GlbDocument& document_;
    const MaterialLibrary* library_;
    bool has_uv_ = false;  ///< of the mesh that asks
    Json source_;
    std::map<std::pair<std::string, bool>, int> copied_;
    std::map<int, int> textures_;
    std::map<int, int> samplers_;
    std::map<int, int> images_;
    std::set<std::string> extensions_;
};

}  // namespace

std::vector<std::vector<int>> add_materials(GlbDocument& document, const MaterialLibrary* library,
                                            const std::vector<PaintedMesh>& meshes) {
    MaterialCopier copier(document, library);
    std::vector<std::vector<int>> materials;
    for (const PaintedMesh& mesh : meshes) {
        materials.emplace_back();
        for (const MeshPart& part : *mesh.parts) {
            const bool is_used = !part.material.empty() && part.triangle_count > 0;
            materials.back().push_back(is_used ? copier.material_named(part.material, mesh.has_uv) : -1);
        }
    }
    copier.finish();
    return materials;
}

}  // namespace cutis
