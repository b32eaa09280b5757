#include "cutis/stack/wedge.h"

#include <charconv>

#include "cutis/core/error.h"
#include "cutis/stack/layer.h"

namespace cutis {

namespace {

std::string value_text(const Value& value) {
    switch (value.kind) {
        case Value::Kind::boolean:
            return value.boolean ? "true" : "false";
        case Value::Kind::integer:
        case Value::Kind::number:
            return concat(value.number);
        case Value::Kind::text:
            return value.text;
        case Value::Kind::list:
        case Value::Kind::table:
            break;
    }
    std::string text;
    for (const Value& item : value.list) {
        text += (text.empty() ? "" : " ") + value_text(item);
    }
    for (const auto& [key, item] : value.table) {
        text += (text.empty() ? "" : " ") + key + " " + value_text(item);
    }
    return text;
}

[[noreturn]] void refuse(const Scene& scene, const Wedge& wedge, const std::string& expected) {
    throw InvalidInput(concat(scene_place(scene.file, wedge.line, wedge.column), "[wedge] ",
                              wedge.key, ": expected ", expected));
}

// Layers the first word of a key means: "layer.2." one of them, "slide." all of that kind.
std::vector<size_t> meant_layers(const Scene& scene, const Wedge& wedge, const std::string& word,
                                 std::string& key) {
    std::vector<size_t> meant;
    if (word == "layer") {
        const size_t dot = key.find('.');
        size_t number = 0;
        const auto [end, error] =
            std::from_chars(key.data(), key.data() + std::min(dot, key.size()), number);
        if (dot == std::string::npos || error != std::errc() || end != key.data() + dot ||
            number < 1 || number > scene.layers.size()) {
            refuse(scene, wedge, concat("layer.N.KEY with N from 1 to ", scene.layers.size()));
        }
        key.erase(0, dot + 1);
        meant.push_back(number - 1);
        return meant;
    }
    for (size_t i = 0; i < scene.layers.size(); ++i) {
        if (scene.layers[i].kind == word) {
            meant.push_back(i);
        }
    }
    if (meant.empty()) {
        refuse(scene, wedge,
               "body.KEY, output.KEY, layer.N.KEY or KIND.KEY with a kind of layer in this scene");
    }
    return meant;
}

void apply(const Wedge& wedge, const Value& value, const std::vector<LayerKind>& kinds,
           Scene& scene) {
    const size_t dot = wedge.key.find('.');
    const std::string word = wedge.key.substr(0, dot);
    std::string key = dot == std::string::npos ? "" : wedge.key.substr(dot + 1);
    const size_t inner = key.find('.');
    if (word == "output" && inner != std::string::npos) {
        Value& format = scene.output.format_options[key.substr(0, inner)];
        format.kind = Value::Kind::table;
        format.table[key.substr(inner + 1)] = value;
        return;
    }
    if (word == "body" || word == "output") {
        // A mesh file has moved from options.mesh to mesh_file when the scene was read.
        const bool is_mesh = word == "body" && key == "mesh" && !scene.body.mesh_file.empty();
        read_options({{key, value}}, word == "body" ? describe_body(scene) : describe_output(scene),
                     "[" + word + "]", scene.file);
        if (is_mesh) {
            scene.body.mesh_file.swap(scene.body.options.mesh);
            scene.body.options.mesh.clear();
        }
        return;
    }
    for (const size_t i : meant_layers(scene, wedge, word, key)) {
        scene.layers[i].values[key] = value;
        scene.layers[i].plan = plan_layer(scene.layers[i], scene.file, kinds);
    }
}

}  // namespace

std::vector<WedgeScene> wedge_scenes(const Scene& scene, const std::vector<LayerKind>& kinds) {
    double count = 1.0;
    for (const Wedge& wedge : scene.wedges) {
        count *= static_cast<double>(wedge.values.size());
        if (count > max_wedges) {
            refuse(scene, wedge, concat("at most ", max_wedges, " combinations"));
        }
    }
    WedgeScene plain{"", scene};
    plain.scene.wedges.clear();
    std::vector<WedgeScene> all = {plain};
    for (const Wedge& wedge : scene.wedges) {
        std::vector<WedgeScene> next;
        for (const WedgeScene& before : all) {
            for (const Value& value : wedge.values) {
                WedgeScene one = before;
                apply(wedge, value, kinds, one.scene);
                one.label += (one.label.empty() ? "" : ", ") +
                             wedge.key.substr(wedge.key.rfind('.') + 1) + " " + value_text(value);
                next.push_back(std::move(one));
            }
        }
        all = std::move(next);
    }
    for (const WedgeScene& one : all) {
        if (!scene.wedges.empty()) {
            check_scene(one.scene);
        }
    }
    return all;
}

}  // namespace cutis
