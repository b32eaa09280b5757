#include "cutis/io/scene_read.h"

// The parser asserts what it meets in bad input where it was to report it; the checks before and
// after it are ours.
#define TOML_ASSERT(expression) static_cast<void>(0)
#include <toml++/toml.h>
#include <cmath>
#include <cstdlib>

#include "cutis/core/error.h"
#include "cutis/io/files.h"
#include "cutis/io/obj_read.h"
#include "cutis/stack/layer.h"
#include "cutis/stack/settings.h"

namespace cutis {

namespace {

constexpr std::uintmax_t max_scene_bytes = std::uintmax_t{1} << 20;

std::string place(const std::string& file, const toml::source_region& source) {
    return scene_place(file, static_cast<int>(source.begin.line),
                       static_cast<int>(source.begin.column));
}

SceneValue convert(const toml::node& node, const std::string& where, const std::string& file) {
    SceneValue value;
    value.line = static_cast<int>(node.source().begin.line);
    value.column = static_cast<int>(node.source().begin.column);
    if (const auto* boolean = node.as_boolean()) {
        value.kind = SceneValue::Kind::boolean;
        value.boolean = boolean->get();
    } else if (const auto* integer = node.as_integer()) {
        value.kind = SceneValue::Kind::integer;
        value.number = static_cast<double>(integer->get());
    } else if (const auto* number = node.as_floating_point()) {
        value.kind = SceneValue::Kind::number;
        value.number = number->get();
    } else if (const auto* text = node.as_string()) {
        value.kind = SceneValue::Kind::text;
        value.text = text->get();
    } else if (const auto* list = node.as_array()) {
        value.kind = SceneValue::Kind::list;
        for (const toml::node& item : *list) {
            value.list.push_back(convert(item, where, file));
        }
    } else {
        throw InvalidInput(say(place(file, node.source()), where,
                               ": expected a text, a number, true, false or a list, found a ",
                               node.is_table() ? "table" : "date or time"));
    }
    return value;
}

// The key's own place, so that an unknown key is pointed at and not its value.
SceneValues table_values(const toml::table& table, const std::string& section,
                         const std::string& file) {
    SceneValues values;
    for (const auto& [key, node] : table) {
        const std::string name(key.str());
        SceneValue value = convert(node, say(section, " ", name), file);
        value.line = static_cast<int>(key.source().begin.line);
        value.column = static_cast<int>(key.source().begin.column);
        values.emplace(name, std::move(value));
    }
    return values;
}

const toml::table& need_table(const toml::node& node, const std::string& section,
                              const std::string& file) {
    if (const toml::table* table = node.as_table()) {
        return *table;
    }
    throw InvalidInput(say(place(file, node.source()), "expected a table ", section,
                           ", found a value or [[...]]"));
}

void read_layers(const toml::node& node, const std::string& file,
                 const std::vector<LayerKind>& kinds, Scene& scene) {
    const toml::array* list = node.as_array();
    if (list == nullptr) {
        throw InvalidInput(say(place(file, node.source()),
                               "expected [[layer]] with double brackets, found [layer]"));
    }
    for (const toml::node& item : *list) {
        const toml::table& table = need_table(item, "[[layer]]", file);
        LayerScene layer;
        layer.line = static_cast<int>(table.source().begin.line);
        layer.column = static_cast<int>(table.source().begin.column);
        layer.values = table_values(table, "[[layer]]", file);
        const auto kind = layer.values.find("kind");
        if (kind == layer.values.end() || kind->second.kind != SceneValue::Kind::text) {
            throw InvalidInput(
                say(place(file, table.source()), "[[layer]] expected kind = \"...\""));
        }
        layer.kind = kind->second.text;
        layer.line = kind->second.line;
        layer.column = kind->second.column;
        layer.values.erase(kind);
        plan_layer(layer, file, kinds);  // says now what would be refused after the body is loaded
        scene.layers.push_back(std::move(layer));
    }
}

// [wedge] may be written with quoted keys or as nested tables: layer.1.stickiness = [...].
void read_wedges(const toml::table& table, const std::string& prefix, const std::string& file,
                 Scene& scene) {
    for (const auto& [key, node] : table) {
        const std::string name = prefix + std::string(key.str());
        if (const toml::table* inner = node.as_table()) {
            read_wedges(*inner, name + ".", file, scene);
            continue;
        }
        Wedge wedge;
        wedge.key = name;
        wedge.line = static_cast<int>(key.source().begin.line);
        wedge.column = static_cast<int>(key.source().begin.column);
        const SceneValue list = convert(node, "[wedge] " + name, file);
        if (list.kind != SceneValue::Kind::list || list.list.empty()) {
            throw InvalidInput(say(place(file, key.source()), "[wedge] ", name,
                                   ": expected a list of values to try"));
        }
        wedge.values = list.list;
        scene.wedges.push_back(std::move(wedge));
    }
}

/// Files that a layer's keys name: `mesh = "FILE"` and `examples = ["FILE.obj@SECONDS"]`.
std::vector<std::string> named_meshes(const LayerScene& layer) {
    std::vector<std::string> names;
    const auto mesh = layer.values.find("mesh");
    if (mesh != layer.values.end() && mesh->second.kind == SceneValue::Kind::text &&
        !mesh->second.text.empty()) {
        names.push_back(mesh->second.text);
    }
    const auto examples = layer.values.find("examples");
    if (examples != layer.values.end()) {
        const std::string ending = ".obj";
        for (const SceneValue& value : examples->second.list) {
            const std::string name = value.text.substr(0, value.text.rfind('@'));
            if (name.size() > ending.size() &&
                name.compare(name.size() - ending.size(), ending.size(), ending) == 0) {
                names.push_back(name);
            }
        }
    }
    return names;
}

/// What the parser is not trusted with: control characters, which TOML has not besides tabs and
/// ends of lines, and letters beyond ASCII outside of quotes and comments, for which version 3.3
/// runs into code it takes for unreachable.
void check_characters(const std::string& text, const std::string& file) {
    int line = 1;
    char quote = 0;        // that ends the current string
    bool is_long = false;  // it takes three of them
    bool is_comment = false;
    const auto refuse = [&](const std::string& what) {
        throw InvalidInput(say(scene_place(file, line, 1), what));
    };
    for (size_t i = text.compare(0, 3, "\xEF\xBB\xBF") == 0 ? 3 : 0; i < text.size(); ++i) {
        const char c = text[i];
        const auto code = static_cast<unsigned char>(c);
        if ((code < 0x20 && c != '\t' && c != '\n' && c != '\r') || code == 0x7f) {
            refuse("expected text, found the byte " + std::to_string(code));
        }
        const bool is_triple = text.compare(i, 3, std::string(3, c)) == 0;
        if (c == '\n') {
            ++line;
            is_comment = false;
            quote = is_long ? quote : 0;
        } else if (is_comment) {
            continue;
        } else if (quote != 0) {
            if (c == '\\' && quote == '"') {
                ++i;
            } else if (c == quote && (!is_long || is_triple)) {
                i += is_long ? 2 : 0;
                quote = 0;
                is_long = false;
            }
        } else if (c == '"' || c == '\'') {
            quote = c;
            is_long = is_triple;
            i += is_long ? 2 : 0;
        } else if (c == '#') {
            is_comment = true;
        } else if (code >= 0x80) {
            refuse("expected quotes round letters that are not plain ASCII");
        }
    }
}

}  // namespace

Scene parse_scene(const std::string& text, const std::string& file,
                  const std::vector<LayerKind>& kinds) {
    check_characters(text, file);
    toml::table root;
    try {
        root = toml::parse(text, std::string_view(file));
    } catch (const toml::parse_error& error) {
        throw InvalidInput(place(file, error.source()) + std::string(error.description()));
    }
    Scene scene;
    scene.file = file;
    for (const auto& [key, node] : root) {
        const std::string name(key.str());
        if (name == "body") {
            apply_settings(table_values(need_table(node, "[body]", file), "[body]", file),
                           body_settings(scene), file);
        } else if (name == "output") {
            apply_settings(table_values(need_table(node, "[output]", file), "[output]", file),
                           output_settings(scene), file);
        } else if (name == "page") {
            apply_settings(table_values(need_table(node, "[page]", file), "[page]", file),
                           page_settings(scene), file);
        } else if (name == "layer") {
            read_layers(node, file, kinds, scene);
        } else if (name == "wedge") {
            read_wedges(need_table(node, "[wedge]", file), "", file, scene);
        } else {
            const std::string near =
                nearest_word(name, {"body", "layer", "output", "page", "wedge"});
            throw InvalidInput(say(
                place(file, key.source()), "unknown ", node.is_value() ? "key '" : "table '", name,
                "'; ",
                near.empty()
                    ? "a scene has [body], [[layer]], [output], [page] and [wedge]"
                    : say("did you mean ", near == "layer" ? "[[layer]]" : "[" + near + "]", "?")));
        }
    }
    std::sort(scene.wedges.begin(), scene.wedges.end(), [](const Wedge& a, const Wedge& b) {
        return a.line != b.line ? a.line < b.line : a.column < b.column;
    });
    BodyScene& body = scene.body;
    if (body.file.empty() && body.actor.empty()) {
        body.mesh_file.swap(body.options.mesh);
    }
    return scene;
}

std::filesystem::path scene_path(const Scene& scene, const std::string& path) {
    const std::string word = "$DATA/";
    if (path.rfind(word, 0) != 0) {
        return std::filesystem::path(scene.folder) / path;  // an absolute path stays as it is
    }
    const char* chosen = std::getenv("CUTIS_DATA");
    const std::filesystem::path folder =
        chosen != nullptr && *chosen != '\0' ? chosen : "../shared/data";
    const std::filesystem::path file = folder / path.substr(word.size());
    // Of a sequence the folder must be there.
    if (!std::filesystem::exists(path.find('*') == std::string::npos ? file : file.parent_path())) {
        throw IoError(say(scene_place(scene.file, 0, 0), "\"", file.generic_string(),
                          "\" not found; CUTIS_DATA names the folder of characters that $DATA "
                          "stands for (default ../shared/data)"));
    }
    return file;
}

void load_layer_meshes(Scene& scene) {
    for (LayerScene& layer : scene.layers) {
        for (const std::string& name : named_meshes(layer)) {
            layer.meshes[name] = std::make_shared<ArtMesh>(read_obj(scene_path(scene, name)));
        }
    }
}

Scene read_scene(const std::filesystem::path& path, const std::vector<LayerKind>& kinds) {
    const std::vector<unsigned char> bytes = read_file(path, max_scene_bytes);
    Scene scene = parse_scene(std::string(bytes.begin(), bytes.end()), path.string(), kinds);
    scene.folder = path.parent_path().string();
    check_scene(scene);
    load_layer_meshes(scene);
    return scene;
}

}  // namespace cutis
