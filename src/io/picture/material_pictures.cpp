#include "core/math.h"
#include "io/picture/body_pictures.h"
#include "io/picture/material_json.h"

namespace cutis {

int index_at(const Json& object, const char* key, const Json& list) {
    const int index = object[key].as_index();
    return list.is_array() && index < static_cast<int>(list.size()) ? index : -1;
}

namespace {

/// Picture of a texture: its place among the images, -1: none.
int image_of(const Json& all, const Json& reference) {
    const Json& textures = all["textures"];
    const int texture = index_at(reference, "index", textures);
    return texture < 0 ? -1 : index_at(textures[texture], "source", all["images"]);
}

double stated_or(const Json& value, double otherwise) {
    return value.is_number() ? value.as_number() : otherwise;
}

/// KHR_texture_transform looks pictures up at offset + turn scale (u, v) with v down.
std::vector<double> place_of_texture(const Json& reference) {
    const Json& moved = reference["extensions"]["KHR_texture_transform"];
    if (!moved.is_object()) {
        return {};
    }
    const auto pair = [&](const char* key, int k, double otherwise) {
        const Json& list = moved[key];
        return list.is_array() && list.size() == 2 ? stated_or(list[k], otherwise) : otherwise;
    };
    const double angle = stated_or(moved["rotation"], 0.0);
    const double c = math::cos(angle);
    const double s = math::sin(angle);
    const double x = pair("scale", 0, 1.0);
    const double y = pair("scale", 1, 1.0);
    return {c * x, -s * y, pair("offset", 0, 0.0) + s * y, s * x, c * y, 1.0 - pair("offset", 1, 0.0) - c * y};
}

/// By name of the material, for the texture that `reference_of` finds in it.
template <class ReferenceOf>
std::map<std::string, MaterialPicture> material_pictures(const Body& body, const ReferenceOf& reference_of) {
    std::map<std::string, MaterialPicture> pictures;
    const auto& library = body.source().materials;
    const Json all = materials_of(body);
    for (const Json& material : all["materials"]) {
        MaterialPicture picture;
        const Json& reference = reference_of(material, picture);
        const int image = image_of(all, reference);
        if (image < 0 || static_cast<size_t>(image) >= library->images.size() || !material.contains("name")) {
            continue;
        }
        picture.bytes = &library->images[static_cast<size_t>(image)];
        picture.place = place_of_texture(reference);
        const Json& texture = all["textures"][reference["index"].as_index()];
        if (const int sampler = index_at(texture, "sampler", all["samplers"]); sampler >= 0) {
            constexpr int clamp = 33071;
            picture.repeats = {all["samplers"][sampler]["wrapS"].as_index() != clamp,
                               all["samplers"][sampler]["wrapT"].as_index() != clamp};
        }
        pictures[material["name"].as_text()] = std::move(picture);
    }
    return pictures;
}

}  // namespace

Json materials_of(const Body& body) {
    const auto& library = body.source().materials;
    Json all =
        library != nullptr && !library->gltf_json.empty() ? Json::parse(library->gltf_json, "materials") : Json();
    if (!all.is_object()) {
        all = Json::object();
    }
    for (const char* name : {"materials", "textures", "images", "samplers"}) {
        if (!all[name].is_array()) {
            all[name] = Json::array();
        }
    }
    return all;
}

int base_picture(const Json& all, const Json& material) {
    return image_of(all, material["pbrMetallicRoughness"]["baseColorTexture"]);
}

std::map<std::string, MaterialPicture> base_colour_pictures(const Body& body) {
    return material_pictures(body, [](const Json& material, MaterialPicture& picture) -> const Json& {
        const std::string& alpha = material["alphaMode"].as_text();
        picture.has_holes = !alpha.empty() && alpha != "OPAQUE";
        const Json& surface = material["pbrMetallicRoughness"];
        const Json& factor = surface["baseColorFactor"];
        for (int k = 0; k < 3 && factor.is_array() && factor.size() >= 3; ++k) {
            picture.factor[k] = stated_or(factor[k], 1.0);
        }
        return surface["baseColorTexture"];
    });
}

std::map<std::string, MaterialPicture> normal_pictures(const Body& body) {
    return material_pictures(body, [](const Json& material, MaterialPicture& picture) -> const Json& {
        const Json& reference = material["normalTexture"];
        const double scale = stated_or(reference["scale"], 1.0);
        picture.factor = {scale, scale, 1.0};
        return reference;
    });
}

}  // namespace cutis
