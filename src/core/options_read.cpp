#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/edit_distance.h"
#include "core/option_range.h"
#include "cutis/core/error.h"
#include "cutis/core/options.h"

namespace cutis {

namespace {

const char* kind_name(Value::Kind kind) {
    switch (kind) {
        case Value::Kind::boolean:
            return "true or false";
        case Value::Kind::integer:
            return "a whole number";
        case Value::Kind::number:
            return "a number";
        case Value::Kind::text:
            return "a text";
        case Value::Kind::list:
            return "a list";
        case Value::Kind::table:
            return "a table";
    }
    return "a value";
}

/// Where a message about a value begins.
struct Place {
    const std::string& section;
    const std::string& file;
};

// Writes one value into its field; every complaint carries the place.
class FieldReader {
public:
    FieldReader(const Option& option, const Place& place) : option_(option), place_(place) {}

    void operator()(const Value& value) const {
        std::visit([&](const auto& field) { put(value, field); }, option_.field.any());
    }

private:
    void put(const Value& value, bool* field) const {
        need(value, Value::Kind::boolean);
        *field = value.boolean;
    }
    void put(const Value& value, int* field) const {
        need(value, Value::Kind::integer);
        need_range(value);
        if (std::abs(value.number) > std::numeric_limits<int>::max()) {
            refuse(value, "a whole number of at most 31 bits", number_text(value.number));
        }
        *field = static_cast<int>(value.number);
    }
    void put(const Value& value, double* field) const {
        if (value.kind != Value::Kind::integer) {
            need(value, Value::Kind::number);
        }
        need_range(value);
        *field = value.number;
    }
    void put(const Value& value, std::string* field) const { *field = text(value); }
    void put(const Value& value, Vector3d* field) const {
        need(value, Value::Kind::list);
        if (value.list.size() != 3) {
            refuse(value, "three numbers", std::to_string(value.list.size()));
        }
        for (size_t i = 0; i < 3; ++i) {
            put(value.list[i], &(*field)[static_cast<Eigen::Index>(i)]);
        }
    }
    template <class Entry>
    void put_list(const Value& value, std::vector<Entry>* field) const {
        need(value, Value::Kind::list);
        std::vector<Entry> entries(value.list.size());
        for (size_t i = 0; i < entries.size(); ++i) {
            put(value.list[i], &entries[i]);
        }
        *field = std::move(entries);
    }
    void put(const Value& value, std::vector<int>* field) const { put_list(value, field); }
    void put(const Value& value, std::vector<double>* field) const { put_list(value, field); }
    void put(const Value& value, std::vector<std::string>* field) const {
        need(value, Value::Kind::list);
        std::vector<std::string> words;
        for (const Value& item : value.list) {
            words.push_back(text(item));
            if (std::count(words.begin(), words.end(), words.back()) > 1) {
                refuse(item, "each entry once", quoted_text(words.back()) + " twice");
            }
        }
        *field = std::move(words);
    }
    void put(const Value& value, std::optional<double>* field) const {
        double number = 0.0;
        put(value, &number);
        *field = number;
    }
    void put(const Value& value, Painted* field) const {
        Painted painted;
        const bool is_list = value.kind == Value::Kind::list;
        const bool has_numbers = is_list && std::any_of(value.list.begin(), value.list.end(), [](const Value& item) {
                                     return item.kind == Value::Kind::integer || item.kind == Value::Kind::number;
                                 });
        if (value.kind == Value::Kind::text || value.kind == Value::Kind::table || (is_list && !has_numbers)) {
            put(value, &painted.mask);
        } else if (is_list) {
            if (value.list.size() != 3) {
                refuse(value, "[REGION, inside, outside]", concat("a list of ", value.list.size()));
            }
            put(value.list[0], &painted.mask);
            put(value.list[1], &painted.inside);
            put(value.list[2], &painted.outside);
        } else {
            put(value, &painted.value);
        }
        *field = std::move(painted);
    }
    void put(const Value& value, std::optional<Painted>* field) const {
        Painted painted;
        put(value, &painted);
        *field = std::move(painted);
    }
    void put(const Value& value, Region* field) const {
        Region region;
        if (value.kind == Value::Kind::list) {
            put_list(value, &region.any);
        } else if (value.kind == Value::Kind::table) {
            put_table(value, region);
        } else {
            need(value, Value::Kind::text);
            region.name = value.text;
            if (region.name.find('\0') != std::string::npos) {
                refuse(value, "a text without zero bytes", "one inside");
            }
            const size_t box = region.name.find("box:");
            if (box == 0 || (box == 4 && region.name.compare(0, 4, "not ") == 0)) {
                refuse(value,
                       concat("{ box = [", region.name.substr(box + 4), "]", box == 0 ? "" : ", outside = true", " }"),
                       "the old spelling " + quoted_text(region.name));
            }
        }
        *field = std::move(region);
    }
    /// One shape, or regions put together; what is left out of it.
    void put_table(const Value& value, Region& region) const {
        const auto put_several = [&](const Value& inner, std::vector<Region>& field) {
            if (inner.kind == Value::Kind::list) {
                put_list(inner, &field);
            } else {
                put(inner, &field.emplace_back());
            }
        };
        int shapes = 0;
        for (const auto& [key, inner] : value.table) {
            ++shapes;
            if (key == "box" || key == "sphere") {
                const Option numbers{.name = option_.name, .field = key == "box" ? &region.box : &region.sphere};
                FieldReader(numbers, place_)(inner);
            } else if (key == "any" || key == "all") {
                put_several(inner, key == "any" ? region.any : region.all);
            } else if (key == "outside") {
                put(inner, &region.is_outside);
                --shapes;
            } else if (key == "except") {
                put_several(inner, region.except);
                --shapes;
            } else {
                refuse(inner, "box, sphere, any or all, and outside or except beside it", quoted_text(key));
            }
        }
        if (shapes != 1) {
            refuse(value,
                   "one of box = [x0, y0, z0, x1, y1, z1], sphere = [x, y, z, radius], any = [...] and all = [...]",
                   shapes == 0 ? "none" : "several");
        }
        if (value.table.count("box") > 0) {
            check_box(value, region.box);
        }
        if (value.table.count("sphere") > 0) {
            check_sphere(value, region.sphere);
        }
    }
    void put(const Value& value, const ChoiceField& field) const {
        const std::string word = one_of(value, field.names);
        field.set(static_cast<size_t>(std::find(field.names.begin(), field.names.end(), word) - field.names.begin()));
    }
    void put(const Value& value, const TablesField& field) const {
        const std::string name = concat("tables [[...", option_.name, "]]");
        if (value.kind != Value::Kind::list) {
            refuse(value, name, kind_name(value.kind));
        }
        for (const Value& item : value.list) {
            if (item.kind != Value::Kind::table) {
                refuse(item, name, concat(kind_name(item.kind), old_text(item)));
            }
        }
        field.resize(value.list.size());
        for (size_t i = 0; i < value.list.size(); ++i) {
            read_options(value.list[i].table, field.at(i), concat(place_.section, " ", option_.name), place_.file);
        }
    }
    void put(const Value& value, const TableField& field) const {
        need(value, Value::Kind::table);
        read_options(value.table, field.options(), concat(place_.section, " ", option_.name), place_.file);
    }
    [[noreturn]] void put(const Value& value, const CodeField& /*field*/) const {
        refuse(value, "nothing: it is given in code", kind_name(value.kind));
    }
    [[noreturn]] void put(const Value& value, const MovedField& field) const {
        throw InvalidInput(concat(scene_place(place_.file, value.line, value.column), place_.section, " has no key '",
                                  option_.name, "' any more; it is ", field.now, " now"));
    }

    // Where a table stands for what used to be a text, the message shows how it is written now.
    std::string old_text(const Value& item) const {
        if (item.kind != Value::Kind::text) {
            return "";
        }
        std::string keys;
        for (const Option& option : std::get<TablesField>(option_.field.any()).example()) {
            keys += concat(keys.empty() ? "" : ", ", option.name, " = ...");
        }
        return concat(" (", quoted_text(item.text), "); write ", option_.name, " = [{ ", keys, " }]");
    }

    void check_box(const Value& value, const std::vector<double>& box) const {
        bool is_good = box.size() == 6;
        for (size_t i = 0; is_good && i < 3; ++i) {
            is_good = box[i] <= box[i + 3];
        }
        if (!is_good) {
            refuse(value, "{ box = [x0, y0, z0, x1, y1, z1] } with the lower corner first",
                   box.size() == 6 ? "another order" : concat(box.size(), " numbers"));
        }
    }

    void check_sphere(const Value& value, const std::vector<double>& sphere) const {
        const bool is_dab = sphere.size() == 5;
        if ((sphere.size() != 4 && !is_dab) || !(sphere[3] > 0.0)) {
            refuse(value, "{ sphere = [x, y, z, radius] } with a radius above 0",
                   sphere.size() == 4 || is_dab ? number_text(sphere[3]) : concat(sphere.size(), " numbers"));
        }
        if (is_dab && !(sphere[4] >= 0.0 && sphere[4] <= 1.0)) {
            refuse(value, "{ sphere = [x, y, z, radius, strength] } with a strength from 0 to 1",
                   number_text(sphere[4]));
        }
    }

    [[noreturn]] void refuse(const Value& value, const std::string& expected, const std::string& found) const {
        throw InvalidInput(concat(scene_place(place_.file, value.line, value.column), place_.section, " ", option_.name,
                                  ": expected ", expected, ", found ", found));
    }

    void need(const Value& value, Value::Kind kind) const {
        if (value.kind != kind) {
            refuse(value, kind_name(kind), kind_name(value.kind));
        }
    }

    void need_range(const Value& value) const {
        if (!is_inside(option_.range, value.number)) {
            refuse(value, expected_number(option_.range),
                   concat(number_text(value.number),
                          option_.automatic.empty() ? "" : "; left out it means: ", option_.automatic));
        }
    }

    std::string one_of(const Value& value, const std::vector<std::string>& words) const {
        need(value, Value::Kind::text);
        if (value.text.find('\0') != std::string::npos) {
            refuse(value, "a text without zero bytes", "one inside");
        }
        if (!words.empty() && std::find(words.begin(), words.end(), value.text) == words.end()) {
            const std::string near = nearest_word(value.text, words);
            refuse(value, concat("one of ", word_list(words)),
                   quoted_text(value.text) + (near.empty() ? "" : "; did you mean \"" + near + "\"?"));
        }
        return value.text;
    }
    std::string text(const Value& value) const { return one_of(value, option_.choices); }

    const Option& option_;
    const Place& place_;
};

}  // namespace

bool is_inside(const Range& range, double number) {
    // Written so that NaN is refused too.
    return (range.is_open ? number > range.lowest : number >= range.lowest) && number <= range.highest &&
           std::isfinite(number);
}

std::string expected_number(const Range& range) {
    const bool has_lowest = std::isfinite(range.lowest);
    const bool has_highest = std::isfinite(range.highest);
    if (!has_lowest && !has_highest) {
        return "a finite number";
    }
    if (!range.is_open && has_lowest && has_highest) {
        return concat("a number from ", number_text(range.lowest), " to ", number_text(range.highest));
    }
    std::string text = "a number";
    if (has_lowest) {
        text += (range.is_open ? " above " : " of at least ") + number_text(range.lowest);
    }
    if (has_highest) {
        text += (has_lowest ? " and at most " : " of at most ") + number_text(range.highest);
    }
    return text;
}

void read_options(const Table& values, const Options& options, const std::string& section, const std::string& file) {
    for (const auto& [key, value] : values) {
        const Option* found = nullptr;
        std::vector<std::string> known;
        for (const Option& option : options) {
            if (is_key(option)) {
                known.emplace_back(option.name);
            }
            if (option.name == key && !std::holds_alternative<CodeField>(option.field.any())) {
                found = &option;
            }
            if (std::find(option.was.begin(), option.was.end(), key) != option.was.end()) {
                throw InvalidInput(concat(scene_place(file, value.line, value.column), section, " has no key '", key,
                                          "' any more; it is '", option.name, "' now (", option.about, ")"));
            }
        }
        if (found == nullptr) {
            const std::string near = nearest_word(key, known);
            throw InvalidInput(concat(scene_place(file, value.line, value.column), section, " has no key '", key, "'; ",
                                      near.empty() ? "it has " + word_list(known) : "did you mean '" + near + "'?"));
        }
        FieldReader(*found, {section, file})(value);
    }
}

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

std::string nearest_word(const std::string& word, const std::vector<std::string>& known) {
    std::string best;
    // More than half of the letters wrong is no typo; then listing what there is helps more.
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
    return line > 0 ? concat(name, ":", line, ":", column, ": ") : name + ": ";
}

}  // namespace cutis
