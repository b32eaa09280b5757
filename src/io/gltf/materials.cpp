// Materials and pictures are carried, not understood: enough is checked that they can be written
// again.
#include <cstring>
#include <set>

#include "cutis/core/error.h"
#include "io/gltf/file.h"

namespace cutis {

namespace {

/// UV set a texture is looked up with; KHR_texture_transform may override it.
std::int64_t uv_set_of(const JsonAt& texture) {
    auto at = texture.find("texCoord");
    if (const auto extensions = texture.find("extensions")) {
        if (const auto moved = extensions->find("KHR_texture_transform")) {
            if (const auto other = moved->find("texCoord")) {
                at = other;
            }
        }
    }
    return at ? at->integer(0, 255) : 0;
}

/// Walks a material: checks the textures it names, and drops those that need a UV set we do not
/// keep.
void check_textures(GltfFile& file, const JsonAt& at, Json& copy) {
    std::vector<std::string> dropped;
    for (std::size_t i = 0; at.value().is_object() && i < at.value().size(); ++i) {
        const std::string& key = at.value().key(i);
        const JsonAt child = at.at(key);
        if (!child.value().is_object()) {
            continue;
        }
        if (key.ends_with("Texture")) {
            file.reference(child.at("index"), "textures");
            if (uv_set_of(child) != 0) {
                file.note(concat(child.path(),
                                 ": uses another UV set than TEXCOORD_0; GLB keeps it, other formats leave it out"));
                dropped.push_back(key);
                continue;
            }
        }
        if (key != "extras") {
            check_textures(file, child, copy[key]);
        }
    }
    for (const std::string& key : dropped) {
        copy.erase(key);
    }
}

/// Names of the extensions used below `value`.
void collect_extensions(const Json& value, std::set<std::string>& out) {
    for (std::size_t i = 0; i < value.size(); ++i) {
        if (value.is_object() && value.key(i) == "extensions" && value[i].is_object()) {
            for (std::size_t k = 0; k < value[i].size(); ++k) {
                out.insert(value[i].key(k));
            }
        }
        if (!value.is_object() || value.key(i) != "extras") {
            collect_extensions(value[i], out);
        }
    }
}

std::vector<unsigned char> read_image(GltfFile& file, const JsonAt& at) {
    if (const auto view = at.find("bufferView")) {
        const auto bytes = file.view(*view);
        file.charge(bytes.size() / 8, at.path());
        return {bytes.begin(), bytes.end()};
    }
    const auto uri = at.find("uri");
    if (!uri) {
        file.note(concat(at.path(), ": neither uri nor bufferView, left empty"));
        return {};
    }
    try {
        const auto bytes = file.load_uri(*uri);
        file.charge(bytes->size() / 8, at.path());
        return *bytes;
    } catch (const IoError& error) {
        file.note(concat("picture not found: ", error.what()));
        return {};
    }
}

Json read_images(GltfFile& file, MaterialLibrary& library) {
    Json images = Json::array();
    const int count = static_cast<int>(file.count_of("images"));
    for (int i = 0; i < count; ++i) {
        const JsonAt at = file.item("images", i);
        library.images.push_back(read_image(file, at));
        Json image = Json::object();
        std::string mime = gltf_mime_type(library.images.back());
        if (mime.empty()) {
            mime = at.text_or_empty("mimeType");
        }
        if (!mime.empty()) {
            image["mimeType"] = mime;
        }
        if (const std::string name = at.text_or_empty("name"); !name.empty()) {
            image["name"] = name;
        }
        images.push_back(std::move(image));
    }
    return images;
}

Json read_textures(GltfFile& file) {
    Json textures = Json::array();
    const int count = static_cast<int>(file.count_of("textures"));
    for (int i = 0; i < count; ++i) {
        const JsonAt at = file.item("textures", i);
        if (const auto source = at.find("source")) {
            file.reference(*source, "images");
        }
        if (const auto sampler = at.find("sampler")) {
            file.reference(*sampler, "samplers");
        }
        if (const auto extensions = at.find("extensions")) {
            for (std::size_t k = 0; extensions->value().is_object() && k < extensions->value().size(); ++k) {
                const JsonAt inner = extensions->at(extensions->value().key(k));
                if (inner.value().is_object() && inner.find("source")) {
                    file.reference(inner.at("source"), "images");
                }
            }
        }
        textures.push_back(at.value());
    }
    return textures;
}

}  // namespace

std::string gltf_mime_type(const std::vector<unsigned char>& bytes) {
    const auto begins = [&](const char* magic, std::size_t size, std::size_t offset = 0) {
        return bytes.size() >= offset + size && std::memcmp(bytes.data() + offset, magic, size) == 0;
    };
    if (begins("\x89PNG", 4)) {
        return "image/png";
    }
    if (begins("\xFF\xD8\xFF", 3)) {
        return "image/jpeg";
    }
    if (begins("RIFF", 4) && begins("WEBP", 4, 8)) {
        return "image/webp";
    }
    return begins("\xABKTX 20", 7) ? "image/ktx2" : "";
}

std::shared_ptr<const MaterialLibrary> read_gltf_materials(GltfFile& file, std::vector<std::string>& names) {
    const int count = static_cast<int>(file.count_of("materials"));
    Json materials = Json::array();
    UniqueNames unique;
    for (int i = 0; i < count; ++i) {
        const JsonAt at = file.item("materials", i);
        const std::string name = at.text_or_empty("name");
        names.push_back(unique.take(name.empty() ? concat("material#", i) : name));
        Json copy = at.value();
        check_textures(file, at, copy);
        copy["name"] = names.back();
        materials.push_back(std::move(copy));
    }
    if (count == 0) {
        return nullptr;
    }
    auto library = std::make_shared<MaterialLibrary>();
    for (const Json& material : materials) {
        const Json& surface = material["pbrMetallicRoughness"];
        const Json& factor = surface["baseColorFactor"];
        if (factor.is_array() && factor.size() >= 3 && factor[0].is_number() && factor[1].is_number() &&
            factor[2].is_number() && !surface.contains("baseColorTexture")) {
            library->colours[material["name"].as_text()] = {factor[0].as_number(), factor[1].as_number(),
                                                            factor[2].as_number()};
        }
    }
    Json all;
    all["images"] = read_images(file, *library);
    all["textures"] = read_textures(file);
    all["samplers"] = file.count_of("samplers") > 0 ? file.root().at("samplers").value() : Json::array();
    all["materials"] = std::move(materials);
    std::set<std::string> extensions;
    collect_extensions(all, extensions);
    all["extensionsUsed"] = extensions;
    library->gltf_json = all.dump();
    return library;
}

}  // namespace cutis
