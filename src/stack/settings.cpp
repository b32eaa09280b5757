#include "cutis/stack/settings.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <sstream>

#include "cutis/core/error.h"

namespace cutis {

namespace {

// Levenshtein distance with swapped neighbours counted once: the commonest slip of the fingers.
int edit_distance(const std::string& a, const std::string& b) {
    const size_t columns = b.size() + 1;
    std::vector<int> before(columns), above(columns), row(columns);
    std::iota(above.begin(), above.end(), 0);
    for (size_t i = 1; i <= a.size(); ++i) {
        row[0] = static_cast<int>(i);
        for (size_t j = 1; j <= b.size(); ++j) {
            const int change = a[i - 1] == b[j - 1] ? 0 : 1;
            row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + change});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                row[j] = std::min(row[j], before[j - 2] + 1);
            }
        }
        before.swap(above);
        above.swap(row);
    }
    return above[b.size()];
}

std::string quoted(const std::string& text) {
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

// Six digits, or as many as it takes to read back the same number.
std::string plain_number(double value) {
    std::string text;
    for (int digits = 6; digits <= 17; ++digits) {
        std::ostringstream out;
        out.imbue(std::locale::classic());
        out.precision(digits);
        out << value;
        text = out.str();
        std::istringstream in(text);
        in.imbue(std::locale::classic());
        double back = 0.0;
        in >> back;
        if (back == value) {
            break;
        }
    }
    return text;
}

// With the point TOML wants in a float.
std::string number_text(double value) {
    const std::string text = plain_number(value);
    return text.find_first_of(".en") == std::string::npos ? text + ".0" : text;
}

std::string quoted_list(const std::vector<std::string>& words) {
    std::string out = "[";
    for (size_t i = 0; i < words.size(); ++i) {
        out += (i == 0 ? "" : ", ") + quoted(words[i]);
    }
    return out + "]";
}

const char* kind_name(SceneValue::Kind kind) {
    switch (kind) {
        case SceneValue::Kind::boolean:
            return "true or false";
        case SceneValue::Kind::integer:
            return "a whole number";
        case SceneValue::Kind::number:
            return "a number";
        case SceneValue::Kind::text:
            return "a text";
        case SceneValue::Kind::list:
            return "a list";
    }
    return "a value";
}

std::vector<std::string> keys_of(const SettingsTable& table) {
    std::vector<std::string> keys;
    for (const Setting& setting : table.settings) {
        keys.push_back(setting.key);
    }
    return keys;
}

// Writes one value into its field; every complaint carries the place.
class Filler {
public:
    Filler(const Setting& setting, const std::string& section, const std::string& file)
        : setting_(setting), section_(section), file_(file) {}

    void fill(const SceneValue& value) const {
        std::visit([&](const auto& target) { put(value, target); }, setting_.target);
    }

private:
    void put(const SceneValue& value, bool* target) const {
        need(value, SceneValue::Kind::boolean);
        *target = value.boolean;
    }

    void put(const SceneValue& value, int* target) const {
        need(value, SceneValue::Kind::integer);
        need_range(value);
        if (std::abs(value.number) > std::numeric_limits<int>::max()) {
            refuse(value, "a whole number of at most 31 bits", plain_number(value.number));
        }
        *target = static_cast<int>(value.number);
    }

    void put(const SceneValue& value, double* target) const {
        if (value.kind != SceneValue::Kind::integer) {
            need(value, SceneValue::Kind::number);
        }
        need_range(value);
        *target = value.number;
    }

    void put(const SceneValue& value, std::string* target) const { *target = text(value); }

    void put(const SceneValue& value, std::vector<std::string>* target) const {
        need(value, SceneValue::Kind::list);
        std::vector<std::string> words;
        for (const SceneValue& item : value.list) {
            words.push_back(text(item));
            if (std::count(words.begin(), words.end(), words.back()) > 1) {
                refuse(item, "each entry once", quoted(words.back()) + " twice");
            }
        }
        *target = std::move(words);
    }

    void put(const SceneValue& value, std::vector<double>* target) const {
        need(value, SceneValue::Kind::list);
        std::vector<double> numbers(value.list.size());
        for (size_t i = 0; i < numbers.size(); ++i) {
            put(value.list[i], &numbers[i]);
        }
        *target = std::move(numbers);
    }

    void put(const SceneValue& value, Paintable* target) const {
        Paintable read;
        if (value.kind == SceneValue::Kind::text) {
            read.region = text(value);
        } else if (value.kind == SceneValue::Kind::list) {
            if (value.list.size() != 3) {
                refuse(value, "[\"REGION\", inside, outside]",
                       say("a list of ", value.list.size()));
            }
            read.mixes = true;
            read.region = text(value.list[0]);
            put(value.list[1], &read.inside);
            put(value.list[2], &read.outside);
        } else {
            put(value, &read.value);
        }
        *target = read;
    }

    void put(const SceneValue& value, const ChoiceTarget& target) const {
        const std::string word = text(value);
        const auto found = std::find(setting_.choices.begin(), setting_.choices.end(), word);
        target.choose(static_cast<int>(found - setting_.choices.begin()));
    }

    [[noreturn]] void refuse(const SceneValue& value, const std::string& expected,
                             const std::string& found) const {
        throw InvalidInput(say(scene_place(file_, value.line, value.column), section_, " ",
                               setting_.key, ": expected ", expected, ", found ", found));
    }

    void need(const SceneValue& value, SceneValue::Kind kind) const {
        if (value.kind != kind) {
            refuse(value, kind_name(kind), kind_name(value.kind));
        }
    }

    void need_range(const SceneValue& value) const {
        // Written so that NaN is refused too.
        if (!(value.number >= setting_.lowest && value.number <= setting_.highest &&
              std::isfinite(value.number))) {
            const bool has_range =
                std::isfinite(setting_.lowest) || std::isfinite(setting_.highest);
            refuse(value,
                   has_range ? say("a number from ", plain_number(setting_.lowest), " to ",
                                   plain_number(setting_.highest))
                             : std::string("a finite number"),
                   plain_number(value.number));
        }
    }

    std::string text(const SceneValue& value) const {
        need(value, SceneValue::Kind::text);
        if (value.text.find('\0') != std::string::npos) {
            refuse(value, "a text without zero bytes", "one inside");
        }
        if (!setting_.choices.empty() && std::find(setting_.choices.begin(), setting_.choices.end(),
                                                   value.text) == setting_.choices.end()) {
            const std::string near = nearest_word(value.text, setting_.choices);
            refuse(value, say("one of ", word_list(setting_.choices)),
                   quoted(value.text) + (near.empty() ? "" : "; did you mean \"" + near + "\"?"));
        }
        return value.text;
    }

    const Setting& setting_;
    const std::string& section_;
    const std::string& file_;
};

// The current value as TOML.
struct ValueText {
    const Setting& setting;

    std::string operator()(const bool* value) const { return *value ? "true" : "false"; }
    std::string operator()(const int* value) const { return std::to_string(*value); }
    std::string operator()(const double* value) const { return number_text(*value); }
    std::string operator()(const std::string* value) const { return quoted(*value); }
    std::string operator()(const std::vector<std::string>* value) const {
        return quoted_list(*value);
    }
    std::string operator()(const std::vector<double>* value) const {
        std::ostringstream out;
        out << '[';
        for (size_t i = 0; i < value->size(); ++i) {
            out << (i == 0 ? "" : ", ") << number_text((*value)[i]);
        }
        out << ']';
        return out.str();
    }
    std::string operator()(const Paintable* value) const {
        if (value->region.empty()) {
            return number_text(value->value);
        }
        return value->mixes ? say("[", quoted(value->region), ", ", number_text(value->inside),
                                  ", ", number_text(value->outside), "]")
                            : quoted(value->region);
    }
    std::string operator()(const ChoiceTarget& value) const {
        return quoted(setting.choices.at(static_cast<size_t>(value.current)));
    }
};

std::string remark(const Setting& setting) {
    std::string text = setting.about;
    if (!setting.unit.empty()) {
        text += " [" + setting.unit + "]";
    }
    if (!setting.choices.empty()) {
        text += ": " + word_list(setting.choices, "or");
    } else if (std::isfinite(setting.lowest) || std::isfinite(setting.highest)) {
        text += ", " + plain_number(setting.lowest) + " to " + plain_number(setting.highest);
    }
    return text;
}

}  // namespace

std::string nearest_word(const std::string& word, const std::vector<std::string>& known) {
    std::string best;
    // More than half of the letters wrong is no slip; then listing what there is helps more.
    int best_distance = static_cast<int>(word.size() + 1) / 2 + 1;
    for (const std::string& candidate : known) {
        const int distance = edit_distance(word, candidate);
        if (distance < best_distance) {
            best_distance = distance;
            best = candidate;
        }
    }
    return best;
}

std::string word_list(const std::vector<std::string>& words, const std::string& joiner) {
    if (words.empty()) {
        return "nothing";
    }
    std::string text = words.front();
    for (size_t i = 1; i < words.size(); ++i) {
        text += (i + 1 == words.size() ? " " + joiner + " " : ", ") + words[i];
    }
    return text;
}

std::string scene_place(const std::string& file, int line, int column) {
    const std::string name = file.empty() ? "scene" : file;
    return line > 0 ? say(name, ":", line, ":", column, ": ") : name + ": ";
}

void apply_settings(const SceneValues& values, const SettingsTable& table,
                    const std::string& file) {
    for (const auto& [key, value] : values) {
        const auto setting =
            std::find_if(table.settings.begin(), table.settings.end(),
                         [&name = key](const Setting& known) { return known.key == name; });
        if (setting == table.settings.end()) {
            const std::string near = nearest_word(key, keys_of(table));
            throw InvalidInput(say(scene_place(file, value.line, value.column), table.section,
                                   " has no key '", key, "'; ",
                                   near.empty() ? "it has " + word_list(keys_of(table))
                                                : "did you mean '" + near + "'?"));
        }
        Filler(*setting, table.section, file).fill(value);
    }
}

std::string settings_text(const SettingsTable& table) {
    std::string text;
    if (!table.about.empty()) {
        text += "# " + table.about + "\n";
    }
    text += table.section + "\n";
    for (const Setting& setting : table.settings) {
        std::string line = setting.key + " = " + std::visit(ValueText{setting}, setting.target);
        line.resize(std::max<size_t>(line.size() + 2, 32), ' ');
        text += line + "# " + remark(setting) + "\n";
    }
    return text;
}

}  // namespace cutis
