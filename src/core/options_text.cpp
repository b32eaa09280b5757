#include <algorithm>
#include <cmath>
#include <locale>

#include "core/text.h"
#include "cutis/core/error.h"
#include "cutis/core/options.h"

namespace cutis {

namespace {

// With the point TOML wants in a float.
std::string float_text(double value) {
    const std::string text = number_text(value);
    return text.find_first_of(".en") == std::string::npos ? text + ".0" : text;
}

/// The current value of a field, as TOML (which JSON reads as well, but for regions that are
/// boxes). Empty: it has none.
struct FieldText {
    std::string operator()(const bool* field) const { return *field ? "true" : "false"; }
    std::string operator()(const int* field) const { return std::to_string(*field); }
    std::string operator()(const double* field) const { return float_text(*field); }
    std::string operator()(const std::string* field) const { return quoted_text(*field); }
    std::string operator()(const Vector3d* field) const {
        return concat("[", float_text((*field)[0]), ", ", float_text((*field)[1]), ", ", float_text((*field)[2]), "]");
    }
    template <class Entry>
    std::string list(const std::vector<Entry>& entries) const {
        std::string text;
        for (const Entry& entry : entries) {
            text += (text.empty() ? "" : ", ") + (*this)(&entry);
        }
        return "[" + text + "]";
    }
    std::string operator()(const std::vector<int>* field) const { return list(*field); }
    std::string operator()(const std::vector<double>* field) const { return list(*field); }
    std::string operator()(const std::vector<std::string>* field) const { return list(*field); }
    std::string operator()(const std::optional<double>* field) const { return *field ? float_text(**field) : ""; }
    std::string operator()(const Painted* field) const {
        if (field->mask.empty()) {
            return float_text(field->value);
        }
        return field->inside == 1.0 && field->outside == 0.0
                   ? region_text(field->mask)
                   : concat("[", region_text(field->mask), ", ", float_text(field->inside), ", ",
                            float_text(field->outside), "]");
    }
    std::string operator()(const std::optional<Painted>* field) const { return *field ? (*this)(&**field) : ""; }
    std::string operator()(const Region* field) const { return region_text(*field); }
    std::string operator()(const ChoiceField& field) const {
        return quoted_text(field.names.at(static_cast<size_t>(std::max(0, field.index()))));
    }
    std::string operator()(const TablesField&) const { return ""; }
    std::string operator()(const TableField&) const { return ""; }
    std::string operator()(const CodeField&) const { return ""; }
    std::string operator()(const MovedField&) const { return ""; }
};

const std::vector<std::string>& words_of(const Option& option) {
    const auto* choices = std::get_if<ChoiceField>(&option.field.any());
    return choices != nullptr ? choices->names : option.choices;
}

bool is_paintable(const Option& option) {
    return std::holds_alternative<Painted*>(option.field.any()) ||
           std::holds_alternative<std::optional<Painted>*>(option.field.any());
}

std::string range_text(const Range& range) {
    const bool has_lowest = std::isfinite(range.lowest);
    const bool has_highest = std::isfinite(range.highest);
    if (!has_lowest && !has_highest) {
        return "";
    }
    if (!has_highest) {
        return (range.is_open ? "above " : "at least ") + number_text(range.lowest);
    }
    if (!has_lowest) {
        return "at most " + number_text(range.highest);
    }
    return (range.is_open ? "above " : "") + number_text(range.lowest) + " to " + number_text(range.highest);
}

std::string remark(const Option& option) {
    std::string text(option.about);
    if (!option.unit.empty()) {
        text += concat(" [", option.unit, "]");
    }
    if (!words_of(option).empty()) {
        text += ": " + word_list(words_of(option), "or");
    } else if (const std::string range = range_text(option.range); !range.empty()) {
        text += ", " + range;
    }
    if (!option.automatic.empty()) {
        text += concat("; left out: ", option.automatic);
    }
    return text;
}

const char* change_name(Change change) {
    switch (change) {
        case Change::live:
            return "live";
        case Change::prepare:
            return "prepare";
        case Change::start:
            return "start";
    }
    return "";
}

std::string as_comment(const std::string& text) {
    std::string out;
    for_lines(text, [&](const std::string& line) { out += "# " + line + "\n"; });
    return out;
}

/// Members of a JSON object, one a line.
class Members {
public:
    explicit Members(int indent) : indent_(static_cast<size_t>(indent), ' ') {}
    Members& add(std::string_view name, const std::string& value) {
        text_ += (text_.empty() ? "" : ",\n") + indent_ + quoted_text(name) + ": " + value;
        return *this;
    }
    Members& add_text(std::string_view name, std::string_view value) { return add(name, quoted_text(value)); }
    /// Members that are written already.
    void add_lines(const std::string& lines) { text_ += ",\n" + lines; }
    const std::string& text() const { return text_; }

private:
    std::string indent_;
    std::string text_;
};

std::string range_members(const Range& range) {
    std::string text;
    if (std::isfinite(range.lowest)) {
        text +=
            std::string(", \"") + (range.is_open ? "exclusiveMinimum" : "minimum") + "\": " + number_text(range.lowest);
    }
    if (std::isfinite(range.highest)) {
        text += ", \"maximum\": " + number_text(range.highest);
    }
    return text;
}

std::string type_object(const std::string& type, const Range& range) {
    return "{ \"type\": \"" + type + "\"" + range_members(range) + " }";
}

constexpr char region_reference[] = "{ \"$ref\": \"#/$defs/region\" }";

/// What a field may hold, as members of its schema.
class FieldSchema {
public:
    FieldSchema(const Option& option, int indent, Members& out) : option_(option), indent_(indent), out_(out) {}

    void operator()(const bool*) const { out_.add_text("type", "boolean"); }
    void operator()(const int*) const { number("integer"); }
    void operator()(const double*) const { number("number"); }
    void operator()(const std::optional<double>*) const { number("number"); }
    void operator()(const std::string*) const { words(); }
    void operator()(const ChoiceField&) const { words(); }
    void operator()(const Vector3d*) const {
        array(type_object("number", option_.range));
        out_.add("minItems", "3").add("maxItems", "3");
    }
    void operator()(const std::vector<int>*) const { array(type_object("integer", option_.range)); }
    void operator()(const std::vector<double>*) const { array(type_object("number", option_.range)); }
    void operator()(const std::vector<std::string>*) const {
        array(option_.choices.empty() ? "{ \"type\": \"string\" }"
                                      : "{ \"enum\": " + FieldText().list(option_.choices) + " }");
        out_.add("uniqueItems", "true");
    }
    void operator()(const Painted*) const { painted(); }
    void operator()(const std::optional<Painted>*) const { painted(); }
    void operator()(const Region*) const { out_.add("$ref", "\"#/$defs/region\""); }
    void operator()(const TablesField& field) const {
        const std::string inner(static_cast<size_t>(indent_) + 2, ' ');
        array("{\n" + inner + "\"type\": \"object\",\n" + options_schema(field.example(), indent_ + 2) + "\n" +
              std::string(static_cast<size_t>(indent_), ' ') + "}");
    }
    void operator()(const TableField& field) const {
        out_.add_text("type", "object").add_lines(options_schema(field.options(), indent_));
    }
    void operator()(const CodeField&) const {}
    void operator()(const MovedField&) const {}

private:
    void number(const char* type) const {
        out_.add_text("type", type);
        if (std::isfinite(option_.range.lowest)) {
            out_.add(option_.range.is_open ? "exclusiveMinimum" : "minimum", number_text(option_.range.lowest));
        }
        if (std::isfinite(option_.range.highest)) {
            out_.add("maximum", number_text(option_.range.highest));
        }
    }
    void words() const {
        out_.add_text("type", "string");
        if (!words_of(option_).empty()) {
            out_.add("enum", FieldText().list(words_of(option_)));
        }
    }
    void array(const std::string& items) const {
        out_.add_text("type", "array");
        out_.add("items", items);
    }
    void painted() const {
        const std::string one = type_object("number", option_.range);
        out_.add("anyOf", concat("[", one, ", ", region_reference, ", { \"type\": \"array\", \"prefixItems\": [",
                                 region_reference, ", ", one, ", ", one, "], \"minItems\": 3, \"maxItems\": 3 }]"));
    }

    const Option& option_;
    int indent_;
    Members& out_;
};

std::string option_schema(const Option& option, const std::string& group, int indent) {
    Members members(indent);
    members.add_text("description", option.about);
    std::visit(FieldSchema(option, indent, members), option.field.any());
    const std::string value = std::visit(FieldText{}, option.field.any());
    if (!value.empty()) {
        members.add("default", value);
    }
    if (!option.automatic.empty()) {
        members.add_text("x-automatic", option.automatic);
    }
    if (!option.unit.empty()) {
        members.add_text("x-unit", option.unit);
    }
    if (std::isfinite(option.soft.lowest)) {
        members.add("x-soft-minimum", number_text(option.soft.lowest));
    }
    if (std::isfinite(option.soft.highest)) {
        members.add("x-soft-maximum", number_text(option.soft.highest));
    }
    if (is_paintable(option)) {
        members.add("x-paintable", "true");
    }
    if (option.is_file) {
        members.add("x-file", "true");
    }
    members.add_text("x-change", change_name(option.change));
    if (!group.empty()) {
        members.add_text("x-group", group);
    }
    if (option.advanced) {
        members.add("x-advanced", "true");
    }
    if (!option.was.empty()) {
        members.add("x-old-names", FieldText().list(option.was));
    }
    return members.text();
}

// A value in a cell of a table.
std::string cell(std::string text) {
    for (size_t at = text.find('|'); at != std::string::npos; at = text.find('|', at + 2)) {
        text.insert(at, "\\");
    }
    return text;
}

}  // namespace

std::string quoted_text(std::string_view text) {
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') {
            out += '\\';
            out += c;
        } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
            const char* digits = "0123456789ABCDEF";
            out += "\\u00";
            out += digits[static_cast<unsigned char>(c) >> 4];
            out += digits[static_cast<unsigned char>(c) & 15];
        } else {
            out += c;
        }
    }
    return out + '"';
}

std::string number_text(double value) {
    std::string text;
    for (int digits = 6; digits <= 17; ++digits) {
        text = rounded_text(value, digits);
        if (read_back(text) == value) {
            break;
        }
    }
    return text;
}

std::string region_text(const Region& region) {
    const bool is_plain = !region.is_outside && region.except.empty();
    if (!region.name.empty()) {
        return quoted_text(region.name);
    }
    if (is_plain && region.box.empty() && region.sphere.empty() && region.all.empty()) {
        return FieldText().list(region.any);
    }
    const FieldText text;
    return concat("{ ",
                  !region.box.empty()      ? "box = " + text.list(region.box)
                  : !region.sphere.empty() ? "sphere = " + text.list(region.sphere)
                  : !region.all.empty()    ? "all = " + text.list(region.all)
                                           : "any = " + text.list(region.any),
                  region.is_outside ? ", outside = true" : "",
                  region.except.empty() ? "" : ", except = " + text.list(region.except), " }");
}

std::string options_sample(const Options& options, const std::string& section, const std::string& path) {
    std::string text = section + "\n";
    std::string inner;
    for (const Option& option : options) {
        const std::string name = concat(path, ".", option.name);
        if (const auto* list = std::get_if<TablesField>(&option.field.any())) {
            inner += concat("# ", option.about, "\n") +
                     as_comment(options_sample(list->example(), "[[" + name + "]]", name));
            continue;
        }
        if (const auto* table = std::get_if<TableField>(&option.field.any())) {
            inner += concat("\n# ", option.about, "\n") + options_sample(table->options(), "[" + name + "]", name);
            continue;
        }
        if (!is_key(option)) {
            continue;
        }
        const std::string value = std::visit(FieldText{}, option.field.any());
        std::string line = concat(value.empty() ? "# " : "", option.name, " = ", value);
        line.resize(std::max<size_t>(line.size() + 2, 32), ' ');
        text += line + "# " + remark(option) + "\n";
    }
    return text + inner;
}

std::string options_markdown(const Options& options) {
    std::string text = "| key | default | unit | range | meaning |\n|---|---|---|---|---|\n";
    std::string inner;
    std::string group;
    for (const Option& option : options) {
        if (!is_key(option)) {
            continue;
        }
        if (!option.group.empty() && option.group != group) {
            group = option.group;
            text += "| **" + group + "** | | | | |\n";
        }
        std::string range = range_text(option.range);
        std::string about(option.about);
        if (!words_of(option).empty()) {
            range.clear();
            for (const std::string& word : words_of(option)) {
                range += (range.empty() ? "`" : ", `") + word + "`";
            }
        }
        if (is_paintable(option)) {
            about += " (paintable)";
        }
        std::string value = std::visit(FieldText{}, option.field.any());
        value = value.empty() ? std::string(option.automatic) : "`" + value + "`";
        Options entries;
        if (const auto* list = std::get_if<TablesField>(&option.field.any())) {
            entries = list->example();
            value = "none";
            range = "tables";
        } else if (const auto* table = std::get_if<TableField>(&option.field.any())) {
            entries = table->options();
            range = "table";
        }
        text += concat("| `", option.name, "` | ", cell(value), " | ", option.unit, " | ", cell(range), " | ",
                       cell(about), " |\n");
        if (!entries.empty()) {
            inner += concat("\nEach `", option.name, "`:\n\n") + options_markdown(entries);
        }
    }
    return text + inner;
}

std::string options_schema(const Options& options, int indent) {
    const std::string margin(static_cast<size_t>(indent), ' ');
    Members members(indent + 2);
    std::string group;
    for (const Option& option : options) {
        if (!is_key(option)) {
            continue;
        }
        group = option.group.empty() ? group : option.group;
        members.add(option.name, "{\n" + option_schema(option, group, indent + 4) + "\n" + margin + "  }");
    }
    return margin + "\"properties\": {\n" + members.text() + "\n" + margin + "},\n" + margin +
           "\"additionalProperties\": false";
}

std::string region_schema(int indent) {
    const std::string margin(static_cast<size_t>(indent), ' ');
    return margin +
           "\"description\": \"a part of the surface: a name, a box or sphere in the rest pose, a list of these, or a "
           "table that combines them\",\n" +
           margin + "\"anyOf\": [\n" + margin + "  { \"type\": \"string\" },\n" + margin +
           "  { \"type\": \"object\", \"properties\": {\n" + margin +
           "    \"box\": { \"description\": \"lower and upper corner, x0 y0 z0 x1 y1 z1\", "
           "\"type\": \"array\", \"items\": { \"type\": \"number\" }, \"minItems\": 6, "
           "\"maxItems\": 6, \"x-unit\": \"m\" },\n" +
           margin +
           "    \"sphere\": { \"description\": \"centre and radius, x y z r; for a soft dab of a brush also its "
           "strength\", "
           "\"type\": \"array\", \"items\": { \"type\": \"number\" }, \"minItems\": 4, \"maxItems\": 5, \"x-unit\": "
           "\"m\" },\n" +
           margin + "    \"any\": { \"description\": \"in one of them\", \"$ref\": \"#/$defs/region\" },\n" + margin +
           "    \"all\": { \"description\": \"in every one of them\", \"$ref\": \"#/$defs/region\" },\n" + margin +
           "    \"outside\": { \"description\": \"everything but this\", \"type\": \"boolean\", \"default\": false "
           "},\n" +
           margin + "    \"except\": { \"description\": \"without these\", \"$ref\": \"#/$defs/region\" }\n" + margin +
           "  }, \"additionalProperties\": false },\n" + margin +
           "  { \"type\": \"array\", \"items\": { \"$ref\": \"#/$defs/region\" } }\n" + margin + "]";
}

}  // namespace cutis
