#include "cutis/core/options.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "core/hash.h"
#include "core/option_range.h"
#include "cutis/core/error.h"

namespace cutis {

namespace {

// Values that pass a bound by less than this share of the numbers mixed are rounding: weights are
// stored in single precision.
constexpr double painted_rounding = 1e-6;

// Looks at every number of a field.
class FieldCheck {
public:
    FieldCheck(const Option& option, const std::string& section, int vertex_count)
        : option_(option), section_(section), vertex_count_(vertex_count) {}

    void operator()(const int* field) const { number(*field, ""); }
    void operator()(const double* field) const { number(*field, ""); }
    void operator()(const Vector3d* field) const {
        for (Eigen::Index i = 0; i < 3; ++i) {
            number((*field)[i], "");
        }
    }
    void operator()(const std::vector<int>* field) const {
        for (const int value : *field) {
            number(value, "");
        }
    }
    void operator()(const std::vector<double>* field) const {
        for (const double value : *field) {
            number(value, "");
        }
    }
    void operator()(const std::optional<double>* field) const {
        if (*field) {
            number(**field, "");
        }
    }
    void operator()(const Painted* field) const {
        if (!field->mask.empty() && !field->is_painted()) {
            if (vertex_count_ >= 0) {
                throw InvalidInput(concat(section_, " ", option_.name, ": the region ", region_text(field->mask),
                                          " has not been looked up"));
            }
            // As they are (1 and 0) the region's own values count, once they are looked up.
            if (field->inside != 1.0 || field->outside != 0.0) {
                number(field->inside, "");
                number(field->outside, "");
            }
            return;
        }
        if (!field->is_painted()) {
            number(field->value, "");
            return;
        }
        if (vertex_count_ >= 0 && field->per_vertex.size() != vertex_count_) {
            throw InvalidInput(concat(section_, " ", option_.name, ": expected ", vertex_count_,
                                      " painted values, found ", field->per_vertex.size()));
        }
        for (Eigen::Index v = 0; v < field->per_vertex.size(); ++v) {
            if (!is_inside(option_.range, field->per_vertex[v])) {
                number(field->per_vertex[v], concat(" at vertex ", v));
            }
        }
    }
    void operator()(const std::optional<Painted>* field) const {
        if (*field) {
            (*this)(&**field);
        }
    }
    void operator()(const TablesField& field) const {
        for (size_t i = 0; i < field.count(); ++i) {
            check_options(field.at(i), concat(section_, " ", option_.name), vertex_count_);
        }
    }
    void operator()(const TableField& field) const {
        check_options(field.options(), concat(section_, " ", option_.name), vertex_count_);
    }
    void operator()(const bool*) const {}
    void operator()(const std::string*) const {}
    void operator()(const std::vector<std::string>*) const {}
    void operator()(const Region*) const {}
    void operator()(const CodeField&) const {}
    void operator()(const MovedField&) const {}
    void operator()(const ChoiceField& field) const {
        if (field.index() < 0) {
            throw InvalidInput(concat(section_, " ", option_.name, ": expected ", word_list(field.names, "or"),
                                      ", found none of them"));
        }
    }

private:
    void number(double value, const std::string& where) const {
        if (!is_inside(option_.range, value)) {
            throw InvalidInput(concat(section_, " ", option_.name, ": expected ", expected_number(option_.range),
                                      ", found ", number_text(value), where));
        }
    }

    const Option& option_;
    const std::string& section_;
    int vertex_count_;
};

// Adds a field's value, with the length of everything that has one.
struct FieldHash {
    Hash64& hash;

    void number(double value) const { hash.add_number(value == 0.0 ? 0.0 : value); }
    void text(const std::string& value) const { hash.add_number(value.size()).add_text(value); }

    void operator()(const bool* field) const { hash.add_number(static_cast<int>(*field)); }
    void operator()(const int* field) const { hash.add_number(*field); }
    void operator()(const double* field) const { number(*field); }
    void operator()(const std::string* field) const { text(*field); }
    void operator()(const Vector3d* field) const {
        for (Eigen::Index i = 0; i < 3; ++i) {
            number((*field)[i]);
        }
    }
    template <class Entry>
    void list(const std::vector<Entry>& entries) const {
        hash.add_number(entries.size());
        for (const Entry& entry : entries) {
            (*this)(&entry);
        }
    }
    void operator()(const std::vector<int>* field) const { list(*field); }
    void operator()(const std::vector<double>* field) const { list(*field); }
    void operator()(const std::vector<std::string>* field) const { list(*field); }
    void operator()(const std::optional<double>* field) const {
        hash.add_number(static_cast<int>(field->has_value()));
        number(field->value_or(0.0));
    }
    void operator()(const Painted* field) const {
        (*this)(&field->mask);
        hash.add_number(field->per_vertex.size());
        if (!field->mask.empty()) {
            number(field->inside);
            number(field->outside);
        } else if (field->is_painted()) {
            for (Eigen::Index v = 0; v < field->per_vertex.size(); ++v) {
                number(field->per_vertex[v]);
            }
        } else {
            number(field->value);
        }
    }
    void operator()(const std::optional<Painted>* field) const {
        hash.add_number(static_cast<int>(field->has_value()));
        if (*field) {
            (*this)(&**field);
        }
    }
    void operator()(const Region* field) const {
        text(field->name);
        list(field->box);
        list(field->sphere);
        list(field->any);
        list(field->all);
        list(field->except);
        hash.add_number(static_cast<int>(field->is_outside));
    }
    void operator()(const ChoiceField& field) const { hash.add_number(field.index()); }
    void operator()(const TablesField& field) const {
        hash.add_number(field.count());
        for (size_t i = 0; i < field.count(); ++i) {
            hash.add_number(hash_options(field.at(i)));
        }
    }
    void operator()(const TableField& field) const { hash.add_number(hash_options(field.options())); }
    void operator()(const CodeField&) const {}
    void operator()(const MovedField&) const {}
};

// Calls `visit(option, painted)` for every painted field, those of tables included.
void for_painted(const Options& options, const std::function<void(const Option&, Painted&)>& visit) {
    for (const Option& option : options) {
        if (Painted* const* field = std::get_if<Painted*>(&option.field.any())) {
            visit(option, **field);
        } else if (std::optional<Painted>* const* maybe = std::get_if<std::optional<Painted>*>(&option.field.any())) {
            if (**maybe) {
                visit(option, ***maybe);
            }
        } else if (const auto* list = std::get_if<TablesField>(&option.field.any())) {
            for (size_t i = 0; i < list->count(); ++i) {
                for_painted(list->at(i), visit);
            }
        } else if (const auto* inner = std::get_if<TableField>(&option.field.any())) {
            for_painted(inner->options(), visit);
        }
    }
}

}  // namespace

OptionField::OptionField(bool* field) : any_(std::make_shared<Any>(field)) {}
OptionField::OptionField(int* field) : any_(std::make_shared<Any>(field)) {}
OptionField::OptionField(double* field) : any_(std::make_shared<Any>(field)) {}
OptionField::OptionField(std::string* field) : any_(std::make_shared<Any>(field)) {}
OptionField::OptionField(Vector3d* field) : any_(std::make_shared<Any>(field)) {}
OptionField::OptionField(std::vector<int>* field) : any_(std::make_shared<Any>(field)) {}
OptionField::OptionField(std::vector<double>* field) : any_(std::make_shared<Any>(field)) {}
OptionField::OptionField(std::vector<std::string>* field) : any_(std::make_shared<Any>(field)) {}
OptionField::OptionField(std::optional<double>* field) : any_(std::make_shared<Any>(field)) {}
OptionField::OptionField(Painted* field) : any_(std::make_shared<Any>(field)) {}
OptionField::OptionField(std::optional<Painted>* field) : any_(std::make_shared<Any>(field)) {}
OptionField::OptionField(Region* field) : any_(std::make_shared<Any>(field)) {}
OptionField::OptionField(ChoiceField field) : any_(std::make_shared<Any>(std::move(field))) {}
OptionField::OptionField(TablesField field) : any_(std::make_shared<Any>(std::move(field))) {}
OptionField::OptionField(TableField field) : any_(std::make_shared<Any>(std::move(field))) {}
OptionField::OptionField(CodeField field) : any_(std::make_shared<Any>(field)) {}
OptionField::OptionField(MovedField field) : any_(std::make_shared<Any>(std::move(field))) {}

double Painted::common() const {
    return is_painted() ? per_vertex.mean() : value;
}

VectorXd Painted::factors() const {
    const double mean = common();
    if (!is_painted() || mean == 0.0) {
        return {};
    }
    return per_vertex / mean;
}

ChoiceField choice_field(void* field, size_t bytes, std::span<const std::string_view> names, std::vector<int> values) {
    if (values.empty()) {
        values.resize(names.size());
        std::iota(values.begin(), values.end(), 0);
    }
    return {field, bytes, {names.begin(), names.end()}, std::move(values)};
}

int ChoiceField::index() const {
    int value = 0;
    std::memcpy(&value, field, std::min(bytes, sizeof(value)));  // little-endian, as all we run on
    const auto found = std::find(values.begin(), values.end(), value);
    return found == values.end() ? -1 : static_cast<int>(found - values.begin());
}

void ChoiceField::set(size_t index) const {
    const int value = values.at(index);
    std::memcpy(field, &value, std::min(bytes, sizeof(value)));
}

Options join(Options first, Options second) {
    first.insert(first.end(), std::make_move_iterator(second.begin()), std::make_move_iterator(second.end()));
    return first;
}

Options without(Options options, const std::vector<std::string>& names) {
    std::erase_if(options, [&](const Option& option) {
        return std::find(names.begin(), names.end(), option.name) != names.end();
    });
    return options;
}

void check_options(const Options& options, const std::string& section, int vertex_count) {
    for (const Option& option : options) {
        std::visit(FieldCheck(option, section, vertex_count), option.field.any());
    }
}

std::uint64_t hash_options(const Options& options) {
    Hash64 hash;
    for (const Option& option : options) {
        if (!is_key(option)) {
            continue;
        }
        hash.add_number(option.name.size()).add_text(option.name);
        std::visit(FieldHash{hash}, option.field.any());
    }
    return hash.value();
}

void resolve_masks(const Options& options, const std::string& section,
                   const std::function<VectorXd(const Region&)>& values_of, std::span<const int> shown) {
    for_painted(options, [&](const Option& option, Painted& painted) {
        if (painted.mask.empty()) {
            return;
        }
        const double in = painted.inside;
        const double out = painted.outside;
        VectorXd values = out + (in - out) * values_of(painted.mask).array();
        const double rounding = painted_rounding * std::max({1.0, std::abs(in), std::abs(out)});
        const Range& range = option.range;
        for (Eigen::Index v = 0; v < values.size(); ++v) {
            const double value = values[v];
            if (is_inside(range, value)) {
                continue;
            }
            const double clamped = std::clamp(value, range.lowest, range.highest);
            if (std::abs(value - clamped) <= rounding && is_inside(range, clamped)) {
                values[v] = clamped;
                continue;
            }
            throw InvalidInput(concat(section, " ", option.name, " = ", region_text(painted.mask), ": expected ",
                                      expected_number(range), ", found ", number_text(value), " at vertex ",
                                      shown.empty() ? static_cast<int>(v) : shown[v]));
        }
        painted.per_vertex = std::move(values);
    });
}

void renumber_painted(const Options& options, std::span<const int> order) {
    for_painted(options, [&](const Option&, Painted& painted) {
        if (!painted.is_painted()) {
            return;
        }
        VectorXd values(static_cast<Eigen::Index>(order.size()));
        for (size_t i = 0; i < order.size(); ++i) {
            if (order[i] >= painted.per_vertex.size()) {
                return;  // of another size: the solver refuses it
            }
            values[static_cast<Eigen::Index>(i)] = painted.per_vertex[order[i]];
        }
        painted.per_vertex = std::move(values);
    });
}

void for_regions(const Options& options, const std::function<void(const Region&)>& use) {
    const std::function<void(const Region&)> visit = [&](const Region& region) {
        use(region);
        for (const std::vector<Region>* inner : {&region.any, &region.all, &region.except}) {
            std::for_each(inner->begin(), inner->end(), visit);
        }
    };
    for (const Option& option : options) {
        if (const auto* list = std::get_if<TablesField>(&option.field.any())) {
            for (size_t i = 0; i < list->count(); ++i) {
                for_regions(list->at(i), use);
            }
        } else if (const auto* inner = std::get_if<TableField>(&option.field.any())) {
            for_regions(inner->options(), use);
        } else if (auto* const* region = std::get_if<Region*>(&option.field.any())) {
            visit(**region);
        } else if (auto* const* painted = std::get_if<Painted*>(&option.field.any())) {
            visit((*painted)->mask);
        } else if (auto* const* maybe = std::get_if<std::optional<Painted>*>(&option.field.any()); maybe && **maybe) {
            visit((**maybe)->mask);
        }
    }
}

std::vector<std::string> named_files(const Options& options) {
    std::vector<std::string> names;
    const auto add = [&](const Options& inner) {
        const std::vector<std::string> more = named_files(inner);
        names.insert(names.end(), more.begin(), more.end());
    };
    for (const Option& option : options) {
        if (const auto* list = std::get_if<TablesField>(&option.field.any())) {
            for (size_t i = 0; i < list->count(); ++i) {
                add(list->at(i));
            }
        } else if (const auto* inner = std::get_if<TableField>(&option.field.any())) {
            add(inner->options());
        } else if (option.is_file && !std::get<std::string*>(option.field.any())->empty()) {
            names.push_back(*std::get<std::string*>(option.field.any()));
        }
    }
    return names;
}

bool is_key(const Option& option) {
    return !std::holds_alternative<CodeField>(option.field.any()) &&
           !std::holds_alternative<MovedField>(option.field.any());
}

std::span<const std::byte> bytes_of(const Option& option) {
    const auto* bytes = static_cast<const std::byte*>(nullptr);
    size_t count = 0;
    std::visit(
        [&](const auto& field) {
            using Kind = std::decay_t<decltype(field)>;
            if constexpr (std::is_pointer_v<Kind>) {
                bytes = reinterpret_cast<const std::byte*>(field);
                count = sizeof(*field);
            } else if constexpr (!std::is_same_v<Kind, TableField> && !std::is_same_v<Kind, MovedField>) {
                bytes = static_cast<const std::byte*>(field.field);
                count = field.bytes;
            }
        },
        option.field.any());
    return {bytes, count};
}

}  // namespace cutis
