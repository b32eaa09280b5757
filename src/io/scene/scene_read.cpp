#include "cutis/io/scene_read.h"

// The parser asserts what it meets in bad input where it was to report it; the checks before and
// after it are ours.
#define TOML_ASSERT(expression) static_cast<void>(0)
#if defined(__EMSCRIPTEN__)
// Emscripten's library knows no fractions in <charconv>; without them the parser takes streams, and with those all
// locales come along: 20 KB. What writes is declared alone: nothing is written with the parser.
#include <charconv>
#include <cstdlib>
#include <string>
namespace std {
static from_chars_result from_chars(const char* first, const char* last, double& value) {
    const string text(first, last);
    char* end = nullptr;
    value = strtod(text.c_str(), &end);
    return {first + (end - text.c_str()), end == text.c_str() ? errc::invalid_argument : errc()};
}
template <class Number, class... Format>
requires is_floating_point_v<Number> to_chars_result to_chars(char*, char*, Number, Format...);
}  // namespace std
#define TOML_INT_CHARCONV 1
#define TOML_FLOAT_CHARCONV 1
#endif
#include <toml++/toml.h>
#include <cmath>
#include <cstdlib>

#include "cutis/core/error.h"
#include "cutis/io/files.h"
#include "cutis/io/formats.h"
#include "cutis/io/obj_read.h"
#include "cutis/stack/layer.h"
#include "cutis/stack/wedge.h"

namespace cutis {

namespace {

constexpr std::uintmax_t max_scene_bytes = std::uintmax_t{1} << 24;  // recordings are long

std::string place(const std::string& file, const toml::source_region& source) {
    return scene_place(file, static_cast<int>(source.begin.line), static_cast<int>(source.begin.column));
}

Table table_values(const toml::table& table, const std::string& section, const std::string& file);

Value convert(const toml::node& node, const std::string& where, const std::string& file) {
    Value value;
    value.line = static_cast<int>(node.source().begin.line);
    value.column = static_cast<int>(node.source().begin.column);
    if (const auto* boolean = node.as_boolean()) {
        value.kind = Value::Kind::boolean;
        value.boolean = boolean->get();
    } else if (const auto* integer = node.as_integer()) {
        value.kind = Value::Kind::integer;
        value.number = static_cast<double>(integer->get());
    } else if (const auto* number = node.as_floating_point()) {
        value.kind = Value::Kind::number;
        value.number = number->get();
    } else if (const auto* text = node.as_string()) {
        value.kind = Value::Kind::text;
        value.text = text->get();
    } else if (const auto* list = node.as_array()) {
        value.kind = Value::Kind::list;
        for (const toml::node& item : *list) {
            value.list.push_back(convert(item, where, file));
        }
    } else if (const auto* table = node.as_table()) {
        value.kind = Value::Kind::table;
        value.table = table_values(*table, where, file);
    } else {
        throw InvalidInput(concat(place(file, node.source()), where,
                                  ": expected a text, a number, true, false, a list or a table, "
                                  "found a date or time"));
    }
    return value;
}

// The key's own place, so that an unknown key is pointed at and not its value.
Table table_values(const toml::table& table, const std::string& section, const std::string& file) {
    Table values;
    for (const auto& [key, node] : table) {
        const std::string name(key.str());
        Value value = convert(node, concat(section, " ", name), file);
        value.line = static_cast<int>(key.source().begin.line);
        value.column = static_cast<int>(key.source().begin.column);
        values.emplace(name, std::move(value));
    }
    return values;
}

const toml::table& need_table(const toml::node& node, const std::string& section, const std::string& file) {
    if (const toml::table* table = node.as_table()) {
        return *table;
    }
    throw InvalidInput(concat(place(file, node.source()), "expected a table ", section, ", found a value or [[...]]"));
}

void read_layers(const toml::node& node, const std::string& file, const std::vector<LayerKind>& kinds, Scene& scene) {
    const toml::array* list = node.as_array();
    if (list == nullptr) {
        throw InvalidInput(
            concat(place(file, node.source()), "expected [[layer]] with double brackets, found [layer]"));
    }
    for (const toml::node& item : *list) {
        const toml::table& table = need_table(item, "[[layer]]", file);
        LayerScene layer;
        layer.line = static_cast<int>(table.source().begin.line);
        layer.column = static_cast<int>(table.source().begin.column);
        layer.values = table_values(table, "[[layer]]", file);
        const auto kind = layer.values.find("kind");
        if (kind == layer.values.end() || kind->second.kind != Value::Kind::text) {
            throw InvalidInput(concat(place(file, table.source()), "[[layer]] expected kind = \"...\""));
        }
        layer.kind = kind->second.text;
        layer.line = kind->second.line;
        layer.column = kind->second.column;
        layer.values.erase(kind);
        layer.plan = plan_layer(layer, file, kinds);
        scene.layers.push_back(std::move(layer));
    }
}

void read_decals(const toml::node& node, const std::string& file, Scene& scene) {
    const toml::array* list = node.as_array();
    if (list == nullptr) {
        throw InvalidInput(
            concat(place(file, node.source()), "expected [[decal]] with double brackets, found [decal]"));
    }
    for (const toml::node& item : *list) {
        const toml::table& table = need_table(item, "[[decal]]", file);
        DecalScene decal;
        read_options(table_values(table, "[[decal]]", file), describe(decal), "[[decal]]", file);
        decal.line = static_cast<int>(table.source().begin.line);
        decal.column = static_cast<int>(table.source().begin.column);
        scene.decals.push_back(std::move(decal));
    }
}

// [wedge] may be written with quoted keys or as nested tables: layer.1.stickiness = [...].
void read_wedges(const toml::table& table, const std::string& prefix, const std::string& file, Scene& scene) {
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
        const Value list = convert(node, "[wedge] " + name, file);
        if (list.kind != Value::Kind::list || list.list.empty()) {
            throw InvalidInput(
                concat(place(file, key.source()), "[wedge] ", name, ": expected a list of values to try"));
        }
        wedge.values = list.list;
        scene.wedges.push_back(std::move(wedge));
    }
}

// Tables of formats are kept for those who know them; the other keys are the scene's own.
void read_output(Table values, const std::string& file, Scene& scene) {
    SinkOptions sinks;
    for (const Option& format : describe(sinks)) {
        if (auto found = values.extract(std::string(format.name))) {
            scene.output.format_options.insert(std::move(found));
        }
    }
    Options options = describe_output(scene);
    options.front().choices = output_formats();
    read_options(values, options, "[output]", file);
    sink_options(scene);  // says now what would be refused after the body is loaded
}

/// What the parser is not trusted with: control characters, which TOML has not besides tabs and
/// ends of lines, and letters beyond ASCII outside of quotes and comments, for which version 3.3
/// runs into code it takes for unreachable.
void check_characters(const std::string& text, const std::string& file) {
    int line = 1;
    char quote = 0;        // that ends the current string
    bool is_long = false;  // it takes three of them
    bool is_comment = false;
    const auto refuse = [&](const std::string& what) { throw InvalidInput(concat(scene_place(file, line, 1), what)); };
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

Scene parse_scene(const std::string& text, const std::string& file, const std::vector<LayerKind>& kinds) {
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
            read_options(table_values(need_table(node, "[body]", file), "[body]", file), describe_body(scene), "[body]",
                         file);
        } else if (name == "output") {
            read_output(table_values(need_table(node, "[output]", file), "[output]", file), file, scene);
        } else if (name == "layer") {
            read_layers(node, file, kinds, scene);
        } else if (name == "decal") {
            read_decals(node, file, scene);
        } else if (name == "recording") {
            read_options(table_values(need_table(node, "[recording]", file), "[recording]", file),
                         describe(scene.recording), "[recording]", file);
        } else if (name == "wedge") {
            read_wedges(need_table(node, "[wedge]", file), "", file, scene);
        } else {
            const std::string near = nearest_word(name, {"body", "layer", "decal", "output", "recording", "wedge"});
            throw InvalidInput(
                concat(place(file, key.source()), "unknown ", node.is_value() ? "key '" : "table '", name, "'; ",
                       near.empty() ? "a scene has [body], [[layer]], [[decal]], [output], [recording] and [wedge]"
                       : near == "layer" || near == "decal" ? "did you mean [[" + near + "]]?"
                                                            : "did you mean [" + near + "]?"));
        }
    }
    std::sort(scene.wedges.begin(), scene.wedges.end(),
              [](const Wedge& a, const Wedge& b) { return a.line != b.line ? a.line < b.line : a.column < b.column; });
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
    const std::filesystem::path folder = chosen != nullptr && *chosen != '\0' ? chosen : "../shared/data";
    const std::filesystem::path file = folder / path.substr(word.size());
    // Of a sequence the folder must be there.
    if (!std::filesystem::exists(path.find('*') == std::string::npos ? file : file.parent_path())) {
        throw IoError(concat(scene_place(scene.file, 0, 0), "\"", file.generic_string(),
                             "\" not found; CUTIS_DATA names the folder of characters that $DATA "
                             "stands for (default ../shared/data)"));
    }
    return file;
}

void load_layer_meshes(Scene& scene, const std::vector<LayerKind>& kinds) {
    const auto load = [&](const Scene& variant) {
        for (size_t i = 0; i < scene.layers.size(); ++i) {
            const LayerScene& layer = variant.layers[i];
            const std::shared_ptr<LayerPlan> plan = layer.plan ? layer.plan : plan_layer(layer, scene.file, kinds);
            for (const std::string& name : named_files(plan->options())) {
                std::shared_ptr<const ArtMesh>& mesh = scene.layers[i].meshes[name];
                if (!mesh) {
                    mesh = std::make_shared<ArtMesh>(read_obj(scene_path(scene, name)));
                }
            }
        }
    };
    load(scene);
    if (!scene.wedges.empty()) {
        for (const WedgeScene& one : wedge_scenes(scene, kinds)) {
            load(one.scene);
        }
    }
}

Scene read_scene(const std::filesystem::path& path, const std::vector<LayerKind>& kinds) {
    const std::vector<unsigned char> bytes = read_file(path, max_scene_bytes);
    Scene scene = parse_scene(std::string(bytes.begin(), bytes.end()), path.string(), kinds);
    scene.folder = path.parent_path().string();
    check_scene(scene);
    load_layer_meshes(scene, kinds);
    return scene;
}

}  // namespace cutis
