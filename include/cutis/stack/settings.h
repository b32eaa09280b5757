#pragma once

#include <functional>
#include <limits>
#include <string>
#include <variant>
#include <vector>

#include "cutis/stack/scene.h"

namespace cutis {

/// An enumeration behind a setting: its value is one of the setting's `choices`.
struct ChoiceTarget {
    int current = 0;  ///< index into choices before reading, that is the default
    std::function<void(int)> choose;
};

/// A number that may differ from place to place: written as a number, as a region (its values are
/// taken as they are: a painted attribute), or as ["REGION", inside, outside].
struct Paintable {
    double value = 0.0;   ///< everywhere, where no region is named
    std::string region;   ///< see regions.h; empty: the same everywhere
    bool mixes = false;   ///< the region chooses between inside and outside
    double inside = 0.0;  ///< where the region is 1
    double outside = 0.0;
};

/// A paintable number that is the same everywhere.
inline Paintable everywhere(double value) {
    Paintable number;
    number.value = value;
    return number;
}

/// One key of a scene table, bound to the field it fills. Parsing, suggestions for unknown keys,
/// the annotated defaults and the documentation all come from lists of these. The field's value
/// before reading is the default.
struct Setting {
    using Target = std::variant<bool*, int*, double*, std::string*, std::vector<std::string>*,
                                std::vector<double>*, Paintable*, ChoiceTarget>;
    std::string key;
    Target target;
    std::string about;      ///< one line, for people
    std::string unit = {};  ///< "s", "m", ...; empty: none
    double lowest = -std::numeric_limits<double>::infinity();
    double highest = std::numeric_limits<double>::infinity();
    std::vector<std::string> choices = {};  ///< allowed texts; empty: any
};

/// The keys of one table of a scene file.
struct SettingsTable {
    std::string section;  ///< as written in the file: "[body]", "[output]", "[[layer]]"
    std::string about;
    std::vector<Setting> settings;
};

/// Fills the bound fields from a file's values.
/// \param file  name for messages, which begin with file:line:column
/// \throw InvalidInput  unknown key (names the nearest known one), wrong type, out of range
void apply_settings(const SceneValues& values, const SettingsTable& table, const std::string& file);

/// The table as TOML: every key with its current value, what it is, unit and range.
std::string settings_text(const SettingsTable& table);

/// Tables of a scene, bound to its fields. `mesh` is bound to body.options.mesh; the reader moves
/// it to body.mesh_file where neither file nor actor is given.
SettingsTable body_settings(Scene& scene);
SettingsTable output_settings(Scene& scene);
SettingsTable page_settings(Scene& scene);

/// The complete annotated sample: every key of every table, the layers as comments.
std::string annotated_defaults();

/// What a scene must fulfil beyond its single values: one source, no key that has no meaning for
/// it, at least one format, frames in order.
/// \throw InvalidInput
void check_scene(const Scene& scene);

/// The known word closest to `word`; empty where none is close.
std::string nearest_word(const std::string& word, const std::vector<std::string>& known);

/// "a, b and c"; "nothing" for an empty list.
std::string word_list(const std::vector<std::string>& words, const std::string& joiner = "and");

/// Start of a message about a place in a scene file: "shot.toml:4:1: ".
std::string scene_place(const std::string& file, int line, int column);

}  // namespace cutis
