#include "io/gltf/json_at.h"

#include <cmath>

#include "core/printable.h"
#include "cutis/core/error.h"

namespace cutis {

namespace {

std::string brief(const Json& value) {
    if (value.is_object()) {
        return "an object";
    }
    if (value.is_array()) {
        return concat("a list of ", value.size());
    }
    std::string text = value.dump(-1, true);
    if (text.size() > 48) {
        text = text.substr(0, 45) + "...";
    }
    return text;
}

}  // namespace

void JsonAt::fail(const std::string& message) const {
    throw InvalidInput(printable(concat(*source_, ": ", path_.empty() ? "" : path_ + ": ", message)));
}

void JsonAt::wrong(const std::string& expected) const {
    fail(concat("expected ", expected, ", found ", brief(*value_)));
}

std::optional<JsonAt> JsonAt::find(const std::string& key) const {
    if (!value_->is_object()) {
        wrong("an object");
    }
    const Json* found = value_->find(key);
    if (found == nullptr) {
        return std::nullopt;
    }
    return JsonAt(*found, path_.empty() ? key : path_ + "." + key, *source_);
}

JsonAt JsonAt::at(const std::string& key) const {
    const std::optional<JsonAt> found = find(key);
    if (!found) {
        fail(concat("expected a member \"", key, "\", found none"));
    }
    return *found;
}

std::size_t JsonAt::size() const {
    if (!value_->is_array()) {
        wrong("a list");
    }
    return value_->size();
}

JsonAt JsonAt::operator[](std::size_t i) const {
    return JsonAt((*value_)[i], path_ + "[" + std::to_string(i) + "]", *source_);
}

std::int64_t JsonAt::integer(std::int64_t lowest, std::int64_t highest) const {
    // JSON writers may print an integer as 3.0; anything beyond 2^53 is no longer exact.
    constexpr double exact = 9007199254740992.0;
    if (value_->is_number()) {
        const double number = value_->as_number();
        if (std::abs(number) <= exact && number == std::floor(number)) {
            const auto whole = static_cast<std::int64_t>(number);
            if (whole >= lowest && whole <= highest) {
                return whole;
            }
        }
    }
    wrong(concat("an integer from ", lowest, " to ", highest));
}

int JsonAt::index(std::size_t count, const std::string& what) const {
    if (!value_->is_number() || count == 0) {
        wrong(concat("an index below ", count, " (", what, ")"));
    }
    const double number = value_->as_number();
    if (!(number >= 0.0 && number < static_cast<double>(count) && number < 2147483647.0 &&
          number == std::floor(number))) {
        wrong(concat("an index below ", count, " (", what, ")"));
    }
    return static_cast<int>(number);
}

double JsonAt::number() const {
    if (!value_->is_number()) {
        wrong("a number");
    }
    const double number = value_->as_number();
    // Everything leaves as float again: what a float cannot hold is refused here.
    if (!(std::abs(number) <= 3.4028234663852886e38)) {
        wrong("a finite number");
    }
    return number;
}

std::string JsonAt::text() const {
    if (!value_->is_text()) {
        wrong("a string");
    }
    return value_->as_text();
}

bool JsonAt::flag() const {
    if (!value_->is_boolean()) {
        wrong("true or false");
    }
    return value_->as_boolean();
}

void JsonAt::numbers(double* out, std::size_t count) const {
    if (!value_->is_array() || value_->size() != count) {
        wrong(concat("a list of ", count, " numbers"));
    }
    for (std::size_t i = 0; i < count; ++i) {
        out[i] = (*this)[i].number();
    }
}

std::string JsonAt::text_or_empty(const std::string& key) const {
    const std::optional<JsonAt> found = find(key);
    return found ? printable(found->text(), true) : std::string();
}

}  // namespace cutis
