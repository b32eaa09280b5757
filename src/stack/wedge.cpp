#include "cutis/stack/wedge.h"

#include <algorithm>
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
    throw InvalidInput(
        concat(scene_place(scene.file, wedge.line, wedge.column), "[wedge] ", wedge.key, ": expected ", expected));
}

// Layers the first word of a key means: "layer.2." one of them, "slide." all of that kind.
std::vector<size_t> meant_layers(const Scene& scene, const Wedge& wedge, const std::string& word, std::string& key) {
    std::vector<size_t> meant;
    if (word == "layer") {
        const size_t dot = key.find('.');
        size_t number = 0;
        const auto [end, error] = std::from_chars(key.data(), key.data() + std::min(dot, key.size()), number);
        if (dot == std::string::npos || error != std::errc() || end != key.data() + dot || number < 1 ||
            number > scene.layers.size()) {
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
        refuse(scene, wedge, "body.KEY, output.KEY, layer.N.KEY or KIND.KEY with a kind of layer in this scene");
    }
    return meant;
}

void apply(const Wedge& wedge, const Value& value, const std::vector<LayerKind>& kinds, Scene& scene) {
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
        read_options({{key, value}}, word == "body" ? describe_body(scene) : describe_output(scene), "[" + word + "]",
                     scene.file);
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

int wedge_count(const Scene& scene) {
    double count = 1.0;
    for (const Wedge& wedge : scene.wedges) {
        count *= static_cast<double>(wedge.values.size());
        if (count > max_wedges) {
            refuse(scene, wedge, concat("at most ", max_wedges, " combinations"));
        }
    }
    return static_cast<int>(count);
}

namespace {

// Values of a combination, the last wedge turning fastest.
std::vector<const Value*> chosen_values(const std::vector<Wedge>& wedges, int number) {
    int weight = 1;
    for (const Wedge& wedge : wedges) {
        weight *= static_cast<int>(wedge.values.size());
    }
    require(number >= 0 && number < weight, "wedge: expected a number from 0 to ", weight - 1, ", found ", number);
    std::vector<const Value*> chosen;
    for (const Wedge& wedge : wedges) {
        weight /= static_cast<int>(wedge.values.size());
        chosen.push_back(&wedge.values[static_cast<size_t>(number / weight) % wedge.values.size()]);
    }
    return chosen;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> wedge_choices(const std::vector<Wedge>& wedges, int number) {
    std::vector<std::pair<std::string, std::string>> choices;
    const std::vector<const Value*> chosen = chosen_values(wedges, wedges.empty() ? 0 : number);
    for (size_t i = 0; i < wedges.size(); ++i) {
        choices.emplace_back(wedges[i].key, value_text(*chosen[i]));
    }
    return choices;
}

std::string wedge_label(const std::vector<Wedge>& wedges, int number) {
    std::string label;
    for (const auto& [key, value] : wedge_choices(wedges, number)) {
        label += (label.empty() ? "" : ", ") + key.substr(key.rfind('.') + 1) + " " + value;
    }
    return label;
}

WedgeScene wedge_scene(const Scene& plain, const std::vector<Wedge>& wedges, int number,
                       const std::vector<LayerKind>& kinds) {
    WedgeScene one{wedge_label(wedges, number), plain};
    const std::vector<const Value*> chosen = chosen_values(wedges, number);
    for (size_t i = 0; i < wedges.size(); ++i) {
        apply(wedges[i], *chosen[i], kinds, one.scene);
    }
    if (!wedges.empty()) {
        check_scene(one.scene);
    }
    return one;
}

std::vector<WedgeScene> wedge_scenes(const Scene& scene, const std::vector<LayerKind>& kinds) {
    const int count = wedge_count(scene);
    Scene plain = scene;
    plain.wedges.clear();
    std::vector<WedgeScene> all;
    for (int i = 0; i < count; ++i) {
        all.push_back(wedge_scene(plain, scene.wedges, i, kinds));
    }
    return all;
}

std::string wedge_folder(int number, int count) {
    std::string digits = std::to_string(number + 1);
    const size_t width = std::to_string(count).size();
    digits.insert(0, width - digits.size(), '0');
    return "w" + digits;
}

void add_page(Scene& scene) {
    std::vector<std::string>& formats = scene.output.formats;
    if (std::find(formats.begin(), formats.end(), "html") == formats.end()) {
        formats.emplace_back("html");
    }
}

}  // namespace cutis
