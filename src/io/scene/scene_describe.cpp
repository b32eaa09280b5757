#include "cutis/io/scene_describe.h"

#include "cutis/core/error.h"

namespace cutis {

namespace {

std::string commented(const std::string& text) {
    std::string out;
    size_t begin = 0;
    while (begin < text.size()) {
        const size_t end = text.find('\n', begin);
        out += "# " + text.substr(begin, end - begin) + "\n";
        begin = end + 1;
    }
    return out;
}

}  // namespace

SceneDescription::SceneDescription(const std::vector<LayerKind>& kinds) {
    sections_.push_back({"body", "[body]", "body",
                         "Where the body comes from: one of file, actor, or mesh without them. "
                         "Paths are relative to this file.",
                         describe_body(scene_)});
    for (const LayerKind& kind : kinds) {
        plans_.push_back(kind.plan());
        sections_.push_back({kind.kind, "[[layer]]\nkind = \"" + kind.kind + "\"", "layer", kind.about,
                             plans_.back()->options(), true});
    }
    sections_.push_back({"decal", "[[decal]]", "decal",
                         "A picture painted onto the skin and carried along by it; one table each.", describe(decal_)});
    Options output = describe_output(scene_);
    output.front().choices = output_formats();
    sections_.push_back({"output", "[output]", "output", "What is written, into the folder given with -o.",
                         join(std::move(output), describe(sinks_))});
    sections_.push_back({"recording", "[recording]", "recording",
                         "What was done to the scene in a live session (`cutis live`); a bake replays it.",
                         describe(recording_)});
}

const SceneDescription::Section& SceneDescription::section(const std::string& name) const {
    std::vector<std::string> known;
    for (const Section& section : sections_) {
        if (section.name == name) {
            return section;
        }
        known.push_back(section.name);
    }
    throw InvalidInput(concat("expected one of ", word_list(known), ", found \"", name, "\""));
}

std::string SceneDescription::sample() const {
    std::string text =
        "# A cutis scene with every key at its default. An empty text means: not given.\n"
        "# Bake it with: cutis bake SCENE.toml -o OUT\n";
    bool has_layers = false;
    for (const Section& section : sections_) {
        const std::string table =
            "# " + section.about + "\n" + options_sample(section.options, section.header, section.path);
        if (section.is_layer && !has_layers) {
            text += "\n# Layers, in this order; repeat [[layer]] for each.\n";
            has_layers = true;
        }
        // Layers as comments, so that the sample as it stands bakes the plain body.
        text += section.is_layer || section.name == "decal" || section.name == "recording" ? commented(table)
                                                                                           : "\n" + table;
    }
    return text;
}

std::string SceneDescription::schema() const {
    std::string layers;
    std::string definitions = "    \"region\": {\n" + region_schema(6) + "\n    }";
    std::string tables;
    for (const Section& section : sections_) {
        const std::string about = quoted_text(section.about);
        if (!section.is_layer) {
            const bool is_list = section.name == "decal";
            tables += "    " + quoted_text(section.name) + ": {\n      \"description\": " + about + ",\n" +
                      (is_list ? "      \"type\": \"array\",\n      \"items\": {\n" : "") +
                      "      \"type\": \"object\",\n" + options_schema(section.options, 6) +
                      (is_list ? "\n      }" : "") + "\n    },\n";
            continue;
        }
        layers += (layers.empty() ? "" : ", ");
        layers += "{ \"$ref\": \"#/$defs/" + section.name + "\" }";
        std::string keys = options_schema(section.options, 6);
        const std::string open = "\"properties\": {\n";
        keys.insert(keys.find(open) + open.size(),
                    "        \"kind\": { \"description\": \"kind of layer\", \"const\": " + quoted_text(section.name) +
                        " },\n");
        definitions += ",\n    " + quoted_text(section.name) + ": {\n      \"description\": " + about +
                       ",\n      \"type\": \"object\",\n      \"required\": [\"kind\"],\n" + keys + "\n    }";
    }
    return "{\n"
           "  \"$schema\": \"https://json-schema.org/draft/2020-12/schema\",\n"
           "  \"title\": \"cutis scene\",\n"
           "  \"type\": \"object\",\n"
           "  \"properties\": {\n" +
           tables +
           "    \"layer\": { \"description\": \"layers, in the order in which they run\", \"type\": \"array\", "
           "\"items\": { \"oneOf\": [" +
           layers +
           "] } },\n"
           "    \"wedge\": { \"description\": \"lists of values to try, by key: body.KEY, "
           "output.KEY, layer.N.KEY or KIND.KEY\", \"type\": \"object\" }\n"
           "  },\n"
           "  \"additionalProperties\": false,\n"
           "  \"$defs\": {\n" +
           definitions + "\n  }\n}\n";
}

}  // namespace cutis
