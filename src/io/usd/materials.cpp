#include "io/usd/materials.h"

#include <cmath>
#include <utility>

#include "core/math.h"
#include "cutis/core/error.h"
#include "io/number_text.h"
#include "io/usd/text.h"

namespace cutis {

namespace {

const std::string shader_indent = "            ";
const std::string input_indent = "                ";

std::string numbers_text(const std::vector<double>& numbers) {
    std::string text;
    for (const double number : numbers) {
        text += text.empty() ? "" : ", ";
        append_float(text, number);
    }
    return numbers.size() == 1 ? text : "(" + text + ")";
}

double number_or(const Json& value, double otherwise) {
    return value.is_number() ? value.as_number() : otherwise;
}

std::vector<double> numbers_or(const Json& list, std::vector<double> otherwise) {
    for (size_t i = 0; list.is_array() && i < std::min(list.size(), otherwise.size()); ++i) {
        otherwise[i] = number_or(list[i], otherwise[i]);
    }
    return otherwise;
}

const char* ending_of(const std::string& mime) {
    return mime == "image/jpeg" ? "jpg" : mime == "image/webp" ? "webp" : mime == "image/ktx2" ? "ktx2" : "png";
}

std::string wrap_of(const Json& sampler, const char* key) {
    const int code = sampler[key].as_index();
    return code == 33071 ? "clamp" : code == 33648 ? "mirror" : "repeat";
}

std::string shader_text(const std::string& name, const std::string& kind, const std::string& members) {
    return shader_indent + "def Shader \"" + name + "\"\n" + shader_indent + "{\n" + input_indent +
           "uniform token info:id = \"" + kind + "\"\n" + members + shader_indent + "}\n";
}

std::string line(const std::string& text) {
    return input_indent + text + "\n";
}

}  // namespace

UsdaMaterials::UsdaMaterials(std::filesystem::path path, std::string root, const MaterialLibrary* library)
    : path_(std::move(path)), root_(std::move(root)), library_(library) {
    if (library != nullptr && !library->gltf_json.empty()) {
        all_ = Json::parse(library->gltf_json, "materials");
    }
}

std::string UsdaMaterials::bind(const std::string& name) {
    auto found = identifiers_.find(name);
    if (found == identifiers_.end()) {
        found = identifiers_.emplace(name, usd_identifier(name, "material", taken_)).first;
    }
    return root_ + "/materials/" + found->second;
}

std::string UsdaMaterials::picture_file(int texture) {
    const Json& all = all_;
    const Json& textures = all["textures"];
    if (texture < 0 || texture >= static_cast<int>(textures.size())) {
        return {};
    }
    int image = textures[texture]["source"].as_index();
    const Json& extensions = textures[texture]["extensions"];
    for (size_t k = 0; image < 0 && k < extensions.size(); ++k) {
        image = extensions[k]["source"].as_index();
    }
    if (image < 0 || image >= static_cast<int>(library_->images.size()) || library_->images[image].empty()) {
        return {};
    }
    auto& file = pictures_[image];
    if (file == nullptr) {
        std::filesystem::path path = path_;
        path.replace_extension();
        path += concat(".picture", image, ".", ending_of(all["images"][image]["mimeType"].as_text()));
        file = std::make_unique<AtomicFile>(path);
        file->write(library_->images[image].data(), library_->images[image].size());
    }
    return file->path().filename().string();
}

std::string UsdaMaterials::add_texture(const std::string& material, const std::string& name, const Json& reference,
                                       const std::string& colour_space, const std::string& more, std::string& text) {
    const Json& all = all_;
    const Json& transform = reference["extensions"]["KHR_texture_transform"];
    const int texture = reference["index"].as_index();
    const std::string picture =
        std::max(reference["texCoord"].as_index(), transform["texCoord"].as_index()) > 0 ? "" : picture_file(texture);
    if (picture.empty()) {
        return {};
    }
    std::string st = material + "/uv.outputs:result";
    if (transform.is_object()) {
        // glTF counts v from the top: p -> offset + R S p becomes, with v turned up, a turn the other way round.
        const std::vector<double> offset = numbers_or(transform["offset"], {0.0, 0.0});
        const std::vector<double> scale = numbers_or(transform["scale"], {1.0, 1.0});
        const double angle = number_or(transform["rotation"], 0.0);
        const double degrees = angle * 180.0 / 3.14159265358979323846;
        text += shader_text(
            name + "_place", "UsdTransform2d",
            line("float2 inputs:in.connect = <" + st + ">") +
                line("float inputs:rotation = " + numbers_text({degrees})) +
                line("float2 inputs:scale = " + numbers_text(scale)) +
                line("float2 inputs:translation = " + numbers_text({offset[0] + math::sin(angle) * scale[1],
                                                                    1.0 - offset[1] - math::cos(angle) * scale[1]})) +
                line("float2 outputs:result"));
        st = material + "/" + name + "_place.outputs:result";
    }
    const int sampler = all["textures"][texture]["sampler"].as_index();
    const Json& samplers = all["samplers"];
    static const Json none;
    const Json& wrap = sampler >= 0 && sampler < static_cast<int>(samplers.size()) ? samplers[sampler] : none;
    text += shader_text(
        name, "UsdUVTexture",
        line("asset inputs:file = @" + picture + "@") + line("float2 inputs:st.connect = <" + st + ">") +
            line("token inputs:sourceColorSpace = \"" + colour_space + "\"") +
            line("token inputs:wrapS = \"" + wrap_of(wrap, "wrapS") + "\"") +
            line("token inputs:wrapT = \"" + wrap_of(wrap, "wrapT") + "\"") + more + line("float outputs:r") +
            line("float outputs:g") + line("float outputs:b") + line("float outputs:a") + line("float3 outputs:rgb"));
    return material + "/" + name;
}

std::string UsdaMaterials::material_text(const std::string& identifier, const Json& material) {
    const std::string prim = root_ + "/materials/" + identifier;
    const Json& surface = material["pbrMetallicRoughness"];
    std::string shaders;
    std::string inputs;
    const auto connect = [&](const std::string& input, const std::string& texture, const std::string& output) {
        inputs += line(input + ".connect = <" + texture + ".outputs:" + output + ">");
    };
    const auto value = [&](const std::string& input, const std::vector<double>& numbers) {
        inputs += line(input + " = " + numbers_text(numbers));
    };
    const auto scaled = [](const std::vector<double>& factors) {
        return line("float4 inputs:scale = " + numbers_text(factors));
    };
    const std::vector<double> base = numbers_or(surface["baseColorFactor"], {1.0, 1.0, 1.0, 1.0});
    const std::string colour =
        add_texture(prim, "base_colour", surface["baseColorTexture"], "sRGB", scaled(base), shaders);
    if (colour.empty()) {
        value("color3f inputs:diffuseColor", {base[0], base[1], base[2]});
    } else {
        connect("color3f inputs:diffuseColor", colour, "rgb");
    }
    const std::string& alpha = material["alphaMode"].as_text();
    if (alpha == "MASK" || alpha == "BLEND") {
        if (colour.empty()) {
            value("float inputs:opacity", {base[3]});
        } else {
            connect("float inputs:opacity", colour, "a");
        }
        if (alpha == "MASK") {
            value("float inputs:opacityThreshold", {number_or(material["alphaCutoff"], 0.5)});
        }
    }
    const double metallic = number_or(surface["metallicFactor"], 1.0);
    const double roughness = number_or(surface["roughnessFactor"], 1.0);
    const std::string rough = add_texture(prim, "metal_rough", surface["metallicRoughnessTexture"], "raw",
                                          scaled({1.0, roughness, metallic, 1.0}), shaders);
    if (rough.empty()) {
        value("float inputs:metallic", {metallic});
        value("float inputs:roughness", {roughness});
    } else {
        connect("float inputs:metallic", rough, "b");
        connect("float inputs:roughness", rough, "g");
    }
    const double depth = 2.0 * number_or(material["normalTexture"]["scale"], 1.0);
    const std::string normal =
        add_texture(prim, "normal", material["normalTexture"], "raw",
                    scaled({depth, depth, 2.0, 1.0}) +
                        line("float4 inputs:bias = " + numbers_text({-0.5 * depth, -0.5 * depth, -1.0, 0.0})),
                    shaders);
    if (!normal.empty()) {
        connect("normal3f inputs:normal", normal, "rgb");
    }
    const std::string occlusion = add_texture(prim, "occlusion", material["occlusionTexture"], "raw", "", shaders);
    if (!occlusion.empty()) {
        connect("float inputs:occlusion", occlusion, "r");
    }
    const std::vector<double> light = numbers_or(material["emissiveFactor"], {0.0, 0.0, 0.0});
    const std::string emissive = add_texture(prim, "emissive", material["emissiveTexture"], "sRGB",
                                             scaled({light[0], light[1], light[2], 1.0}), shaders);
    if (!emissive.empty()) {
        connect("color3f inputs:emissiveColor", emissive, "rgb");
    } else if (light != std::vector<double>{0.0, 0.0, 0.0}) {
        value("color3f inputs:emissiveColor", light);
    }
    if (!shaders.empty()) {
        shaders += shader_text("uv", "UsdPrimvarReader_float2",
                               line("string inputs:varname = \"st\"") + line("float2 outputs:result"));
    }
    const std::string member = "            ";
    return "        def Material \"" + identifier + "\"\n        {\n" + member + "token outputs:surface.connect = <" +
           prim + "/surface.outputs:surface>\n\n" +
           shader_text("surface", "UsdPreviewSurface", inputs + line("token outputs:surface")) + shaders +
           "        }\n";
}

void UsdaMaterials::write_to(AtomicFile& file) {
    if (identifiers_.empty()) {
        return;
    }
    file.write("\n    def Scope \"materials\"\n    {\n");
    const Json& all = all_;
    for (const auto& [name, identifier] : identifiers_) {
        Json plain = {{"name", name}, {"pbrMetallicRoughness", {{"metallicFactor", 0.0}, {"roughnessFactor", 0.7}}}};
        const Json* material = &plain;
        for (const Json& candidate : all["materials"]) {
            material = candidate["name"].as_text() == name ? &candidate : material;
        }
        file.write(material_text(identifier, *material));
    }
    file.write("    }\n");
}

std::vector<OutputFile> UsdaMaterials::commit() {
    std::vector<OutputFile> files;
    for (const auto& [image, file] : pictures_) {
        files.push_back({"usda", file->path().string(), file->commit(), {}});
    }
    return files;
}

}  // namespace cutis
