#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "cutis/core/types.h"

namespace cutis {

/// The contents of a scene file, or of another front end: plain values in a tree, each
/// with its place (line 0: none).
struct Value {
    enum class Kind { boolean, integer, number, text, list, table } kind = Kind::text;
    bool boolean = false;
    double number = 0.0;
    std::string text = {};
    std::vector<Value> list = {};
    std::map<std::string, Value> table = {};
    int line = 0;
    int column = 0;
};

/// Values by key. The place of an entry is that of its key.
using Table = std::map<std::string, Value>;

/// A part of a surface, by name ("all", "boundary", "painted:NAME", "joint:NAME", "joints:NAME",
/// "part:NAME", any of them after "not "), as a box or ball of the rest pose, or made of others.
struct Region {
    std::string name = {};
    std::vector<double> box = {};     ///< x0 y0 z0 x1 y1 z1, metres; empty: none
    std::vector<double> sphere = {};  ///< x y z radius, metres; empty: none
    bool is_outside = false;          ///< all but the box, the ball, `any` or `all`
    std::vector<Region> any = {};     ///< what lies in at least one of them
    std::vector<Region> all = {};     ///< what lies in every one of them
    std::vector<Region> except = {};  ///< without what lies in one of these

    Region() = default;
    Region(std::string named) : name(std::move(named)) {}             // NOLINT: a name is a region
    Region(const char* named) : name(named) {}                        // NOLINT
    Region(std::vector<Region> several) : any(std::move(several)) {}  // NOLINT
    bool empty() const { return name.empty() && box.empty() && sphere.empty() && any.empty() && all.empty(); }
};

/// As a scene would write it, for messages.
std::string region_text(const Region& region);

/// A number that may differ from place to place. Written as a number, as a region (its values are
/// taken as they are), or as [REGION, inside, outside].
struct Painted {
    double value = 0.0;        ///< everywhere, where nothing is painted
    VectorXd per_vertex = {};  ///< #V, or empty
    Region mask = {};          ///< becomes per_vertex in resolve_masks
    double inside = 1.0;       ///< where the mask is 1
    double outside = 0.0;      ///< where it is 0

    Painted(double everywhere = 0.0) : value(everywhere) {}                // NOLINT
    Painted(VectorXd of_vertices) : per_vertex(std::move(of_vertices)) {}  // NOLINT
    bool is_painted() const { return per_vertex.size() > 0; }
    /// Neither painted nor about to be.
    bool is_uniform() const { return !is_painted() && mask.empty(); }
    double at(int v) const { return is_painted() ? per_vertex[v] : value; }
    /// The same number as one value (the mean where it is painted) and factors to it per vertex
    /// (empty: 1 everywhere).
    double common() const;
    VectorXd factors() const;
};

/// From lowest to highest.
struct Range {
    double lowest = -std::numeric_limits<double>::infinity();
    double highest = std::numeric_limits<double>::infinity();
    bool is_open = false;  ///< lowest itself is not allowed
};

/// When a new value of an option takes effect.
enum class Change {
    live,     ///< in the next step
    prepare,  ///< once the layer is prepared again
    start,    ///< once the bake restarts: the body itself is another one
};

struct Option;
using Options = std::vector<Option>;

/// An enumeration (or a character) whose values have names.
struct ChoiceField {
    void* field = nullptr;
    size_t bytes = 0;
    std::vector<std::string> names = {};
    std::vector<int> values = {};  ///< one per name

    int index() const;
    void set(size_t index) const;
};

/// \param values  of the names; empty: 0, 1, 2, ...
ChoiceField choice_field(void* field, size_t bytes, std::span<const std::string_view> names, std::vector<int> values);

template <class Choice>
ChoiceField choice(Choice& field, std::initializer_list<std::string_view> names, std::vector<int> values = {}) {
    return choice_field(&field, sizeof(field), {names.begin(), names.size()}, std::move(values));
}

/// A list of structs, each with its own describe(): an array of tables in a scene file.
struct TablesField {
    void* field = nullptr;
    size_t bytes = 0;
    std::function<size_t()> count = {};
    std::function<void(size_t)> resize = {};
    std::function<Options(size_t)> at = {};
    std::function<Options()> example = {};  ///< of an entry with its defaults
};

template <class Entry>
TablesField tables(std::vector<Entry>& list) {
    auto spare = std::make_shared<Entry>();
    return {&list,
            sizeof(list),
            [&list] { return list.size(); },
            [&list](size_t count) { list.assign(count, Entry()); },
            [&list](size_t i) { return describe(list[i]); },
            [spare] { return describe(*spare); }};
}

/// A struct with its own describe(): a table in a scene file.
struct TableField {
    std::function<Options()> options = {};
};

template <class Inner>
TableField table(Inner& inner) {
    return {[&inner] { return describe(inner); }};
}

/// What only code can give: arrays over vertices and the like. Not read, not written.
struct CodeField {
    const void* field = nullptr;
    size_t bytes = 0;
};

template <class Field>
CodeField in_code(const Field& field) {
    return {&field, sizeof(field)};
}

/// A key that has moved to another table: refused with where it is now.
struct MovedField {
    std::string_view now = {};  ///< "cut_distance in [body]"
};

/// What an option is bound to. A value of one of these kinds, held where copying it costs a compiler nothing: every
/// file that describes options would otherwise build the variant's own members.
class OptionField {
public:
    using Any = std::variant<bool*, int*, double*, std::string*, Vector3d*, std::vector<int>*, std::vector<double>*,
                             std::vector<std::string>*, std::optional<double>*, Painted*, std::optional<Painted>*,
                             Region*, ChoiceField, TablesField, TableField, CodeField, MovedField>;
    // NOLINTBEGIN: a field is what it is bound to
    OptionField(bool* field);
    OptionField(int* field);
    OptionField(double* field);
    OptionField(std::string* field);
    OptionField(Vector3d* field);
    OptionField(std::vector<int>* field);
    OptionField(std::vector<double>* field);
    OptionField(std::vector<std::string>* field);
    OptionField(std::optional<double>* field);
    OptionField(Painted* field);
    OptionField(std::optional<Painted>* field);
    OptionField(Region* field);
    OptionField(ChoiceField field);
    OptionField(TablesField field);
    OptionField(TableField field);
    OptionField(CodeField field);
    OptionField(MovedField field);
    // NOLINTEND
    const Any& any() const { return *any_; }

private:
    std::shared_ptr<const Any> any_;
};

/// One option: a field of a plain struct, whose value before reading is the default, and everything
/// there is to know about it. Reader, checks, hash, samples, documentation and schema are all made
/// from lists of these. Its words are literals: built text would be a third of what a description compiles to.
struct Option {
    std::string_view group = {};  ///< empty: that of the option before
    std::string_view name = {};
    OptionField field = static_cast<bool*>(nullptr);
    std::string_view about = {};  ///< one sentence
    std::string_view unit = {};   ///< "s", "m", ...; empty: none
    Range range = {};             ///< of numbers, and of those in lists
    Range soft = {};              ///< where values usually lie, for sliders; infinite: as range
    Change change = Change::prepare;
    bool advanced = false;
    std::string_view automatic = {};        ///< what leaving it out means, where it has no default
    std::vector<std::string> was = {};      ///< old spellings, refused with the new one
    std::vector<std::string> choices = {};  ///< texts that are allowed; empty: any
    bool is_file = false;                   ///< the text names a mesh file
};

/// Both lists, one after the other.
Options join(Options first, Options second);

/// All but some: those that a struct around them gives in another way.
Options without(Options options, const std::vector<std::string>& names);

/// Fills the fields from a file's values.
/// \param section  as written in the file: "[body]", "[[layer]] slide"
/// \param file     for messages, which begin with file:line:column
/// \throw InvalidInput  unknown key (names the nearest known one, or the new spelling of an old
///                      one), wrong type, out of range
void read_options(const Table& values, const Options& options, const std::string& section, const std::string& file);

/// What a solver does first: every number finite and in its range, painted values one per vertex.
/// \param section       start of messages: "slide"
/// \param vertex_count  -1: not known, painted values may have any size
/// \throw InvalidInput
void check_options(const Options& options, const std::string& section, int vertex_count = -1);

/// The same for a struct that has a describe().
template <class Struct>
void check_struct(const Struct& options, const std::string& section, int vertex_count = -1) {
    Struct copy = options;  // descriptions are bound to fields that can be written
    check_options(describe(copy), section, vertex_count);
}

/// Of the values: 1, 1.0 and a default that is left out give the same number.
std::uint64_t hash_options(const Options& options);

/// Every painted field with a mask gets its values. What passes its range by rounding alone is
/// brought back into it.
/// \param shown  number of each vertex in messages; empty: its own
/// \throw InvalidInput  a value out of range (names the vertex), and what `values_of` throws
void resolve_masks(const Options& options, const std::string& section,
                   const std::function<VectorXd(const Region&)>& values_of, std::span<const int> shown = {});

/// Painted values of other vertices: new vertex i is old vertex order[i].
void renumber_painted(const Options& options, std::span<const int> order);

/// Every region that the options name, those inside others too.
void for_regions(const Options& options, const std::function<void(const Region&)>& use);

/// Files that texts marked is_file name, in order; no empty ones.
std::vector<std::string> named_files(const Options& options);

/// Annotated TOML: every key with its value, what it is, unit and range.
/// \param section  header as written in the file; sub-tables are written with `path` before them
std::string options_sample(const Options& options, const std::string& section, const std::string& path);

/// A table for the documentation, one row per option.
std::string options_markdown(const Options& options);

/// The inside of a JSON Schema object: "properties": { ... }, "additionalProperties": false.
/// Regions refer to #/$defs/region, see region_schema. \param indent  of the lines, in spaces
std::string options_schema(const Options& options, int indent);
std::string region_schema(int indent);

/// Whether a scene may give it: neither for code alone nor moved away.
bool is_key(const Option& option);

/// The bytes a field occupies; for tests that no field of a struct is left undescribed.
std::span<const std::byte> bytes_of(const Option& option);

/// The known word closest to `word`; empty where none is close.
std::string nearest_word(const std::string& word, const std::vector<std::string>& known);

/// "a, b and c"; "nothing" for an empty list.
std::string word_list(const std::vector<std::string>& words, const std::string& joiner = "and");

/// Start of a message about a place in a scene file: "shot.toml:4:1: ".
std::string scene_place(const std::string& file, int line, int column);

/// In double quotes, as TOML and JSON want it.
std::string quoted_text(std::string_view text);

/// Six digits, or as many as it takes to read back the same number.
std::string number_text(double value);

}  // namespace cutis
