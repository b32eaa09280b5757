#include "live/values.h"

#include <algorithm>
#include <cmath>

#include "core/text.h"
#include "cutis/core/error.h"
#include "io/number_text.h"

namespace cutis {

Value value_of(const Json& json) {
    Value value;
    if (json.is_boolean()) {
        value.kind = Value::Kind::boolean;
        value.boolean = json.as_boolean();
    } else if (json.is_number()) {
        value.kind = json.is_integer() ? Value::Kind::integer : Value::Kind::number;
        value.number = json.as_number();
    } else if (json.is_text()) {
        value.kind = Value::Kind::text;
        value.text = json.as_text();
    } else if (json.is_array()) {
        value.kind = Value::Kind::list;
        for (const Json& element : json) {
            value.list.push_back(value_of(element));
        }
    } else if (json.is_object()) {
        value.kind = Value::Kind::table;
        for (size_t i = 0; i < json.size(); ++i) {
            value.table.emplace(json.key(i), value_of(json[i]));
        }
    } else {
        throw InvalidInput("value: expected a text, a number, true, false, a list or a table, found nothing");
    }
    return value;
}

void put_value(Table& values, const Json& command) {
    const std::string& key = command["key"].as_text();
    if (command.contains("value") && (command["value"].is_boolean() || command["value"].is_number() ||
                                      command["value"].is_text() || !command["value"].empty())) {
        values[key] = value_of(command["value"]);
    } else {
        values.erase(key);
    }
}

std::string toml_text(const Value& value) {
    const auto joined = [](const auto& entries, const auto& text) {
        std::string all;
        for (const auto& entry : entries) {
            all += (all.empty() ? "" : ", ") + text(entry);
        }
        return all;
    };
    switch (value.kind) {
        case Value::Kind::boolean:
            return value.boolean ? "true" : "false";
        case Value::Kind::integer:
        case Value::Kind::number: {
            std::string text;
            append_number(text, value.number);
            const bool is_whole = text.find_first_of(".e") == std::string::npos && std::isfinite(value.number);
            return value.kind == Value::Kind::number && is_whole ? text + ".0" : text;
        }
        case Value::Kind::text:
            return quoted_text(value.text);
        case Value::Kind::list:
            return "[" + joined(value.list, [](const Value& entry) { return toml_text(entry); }) + "]";
        case Value::Kind::table:
            return "{ " +
                   joined(
                       value.table,
                       [](const auto& entry) { return quoted_text(entry.first) + " = " + toml_text(entry.second); }) +
                   " }";
    }
    return {};
}

namespace {

Json painted_value(const Painted& number) {
    if (number.is_painted()) {
        return Json{{"painted", true}, {"value", number.common()}};
    }
    return number.mask.empty() ? Json(number.value) : Json{{"region", region_text(number.mask)}};
}

struct ValueOf {
    Json operator()(bool* field) const { return *field; }
    Json operator()(int* field) const { return *field; }
    Json operator()(double* field) const { return *field; }
    Json operator()(std::string* field) const { return *field; }
    Json operator()(Vector3d* field) const { return std::vector<double>(field->data(), field->data() + 3); }
    Json operator()(std::vector<int>* field) const { return *field; }
    Json operator()(std::vector<double>* field) const { return *field; }
    Json operator()(std::vector<std::string>* field) const { return *field; }
    Json operator()(std::optional<double>* field) const { return *field ? Json(**field) : Json(); }
    Json operator()(Painted* field) const { return painted_value(*field); }
    Json operator()(std::optional<Painted>* field) const { return *field ? painted_value(**field) : Json(); }
    Json operator()(Region* field) const { return field->empty() ? Json("") : Json(region_text(*field)); }
    Json operator()(const ChoiceField& field) const {
        const int index = field.index();
        return index < 0 ? Json() : Json(field.names[static_cast<size_t>(index)]);
    }
    template <class Other>
    Json operator()(const Other&) const {
        return {};
    }
};

struct KindOf {
    std::string operator()(bool*) const { return "boolean"; }
    std::string operator()(int*) const { return "integer"; }
    std::string operator()(double*) const { return "number"; }
    std::string operator()(std::optional<double>*) const { return "number"; }
    std::string operator()(Painted*) const { return "painted"; }
    std::string operator()(std::optional<Painted>*) const { return "painted"; }
    std::string operator()(Vector3d*) const { return "vector"; }
    std::string operator()(std::string*) const { return "text"; }
    std::string operator()(Region*) const { return "region"; }
    std::string operator()(const ChoiceField&) const { return "choice"; }
    template <class Other>
    std::string operator()(const Other&) const {
        return "other";
    }
};

/// "layer" of "[[layer]]  # tail" and of "[layer]"; empty: the line begins no table.
std::string header_name(const std::string& line) {
    std::string name = line.substr(0, line.find('#'));
    const auto strip = [&name](const char* what) {
        const size_t first = name.find_first_not_of(what);
        const size_t last = name.find_last_not_of(what);
        name = first == std::string::npos ? "" : name.substr(first, last - first + 1);
    };
    strip(" \t\r");
    if (name.size() < 3 || name.front() != '[' || name.back() != ']') {
        return {};
    }
    strip("[] \t");
    const char* letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-\"";
    const bool is_number = name.find_first_not_of("0123456789.-") == std::string::npos;
    return is_number || name.find_first_not_of(letters) != std::string::npos ? "" : name;
}

Json range_json(const Range& range) {
    return Json::array({range.lowest, range.highest});
}

}  // namespace

Json option_value(const Option& option) {
    return std::visit(ValueOf(), option.field.any());
}

Json options_json(const Options& options, const Options& defaults, const std::vector<std::string>& first) {
    Json all = Json::array();
    std::string group;
    for (size_t i = 0; i < options.size(); ++i) {
        const Option& option = options[i];
        group = option.group.empty() ? group : option.group;
        if (!is_key(option)) {
            continue;
        }
        Json row = {{"name", option.name},         {"group", group},
                    {"about", option.about},       {"unit", option.unit},
                    {"advanced", option.advanced}, {"kind", std::visit(KindOf(), option.field.any())}};
        row["range"] = range_json(option.range);
        row["soft"] = range_json(option.soft);
        row["live"] = option.change == Change::live;
        row["main"] = std::find(first.begin(), first.end(), option.name) != first.end();
        if (!option.automatic.empty()) {
            row["automatic"] = option.automatic;
        }
        const auto* choice = std::get_if<ChoiceField>(&option.field.any());
        if (choice != nullptr || !option.choices.empty()) {
            row["choices"] = choice != nullptr ? choice->names : option.choices;
        }
        row["value"] = option_value(option);
        row["default"] = option_value(defaults[i]);
        all.push_back(std::move(row));
    }
    return all;
}

std::string without_tables(const std::string& scene, const std::string& table) {
    std::string text;
    bool is_left_out = false;
    for_lines(scene, [&](const std::string& line) {
        const std::string name = header_name(line);
        if (!name.empty()) {
            is_left_out = name == table || name.compare(0, table.size() + 1, table + ".") == 0;
        }
        if (!is_left_out) {
            text += line + "\n";
        }
    });
    while (text.size() > 1 && text.compare(text.size() - 2, 2, "\n\n") == 0) {
        text.pop_back();
    }
    return text;
}

std::string with_layers(const std::string& scene, const std::vector<std::pair<std::string, Table>>& layers) {
    std::string text = without_tables(scene, "layer");
    for (const auto& [kind, values] : layers) {
        text += "\n[[layer]]\nkind = " + quoted_text(kind) + "\n";
        for (const auto& [key, value] : values) {
            text += key + " = " + toml_text(value) + "\n";
        }
    }
    return text;
}

}  // namespace cutis
