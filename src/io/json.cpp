#include "cutis/io/json.h"

#include <cmath>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>

#include "core/printable.h"
#include "cutis/core/error.h"
#include "io/number_text.h"

namespace cutis {

namespace {

constexpr int most_levels = 64;

void check_levels(std::string_view text, const std::string& source) {
    int level = 0;
    bool in_string = false;
    for (size_t i = 0; i < text.size(); ++i) {
        if (in_string) {
            i += text[i] == '\\' ? 1 : 0;
            in_string = i >= text.size() || text[i] != '"';
        } else if (text[i] == '"') {
            in_string = true;
        } else if (text[i] == '[' || text[i] == '{') {
            require(++level <= most_levels, source, ": JSON: expected at most ", most_levels,
                    " levels, found more at byte ", i);
        } else if (text[i] == ']' || text[i] == '}') {
            --level;
        }
    }
}

/// Code point at the start of `text` and the bytes it takes; what is no UTF-8 counts as one byte of U+FFFD.
char32_t code_point(std::string_view text, size_t& bytes) {
    bytes = utf8_length(text);
    const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
    if (bytes <= 1) {
        const bool is_good = bytes == 1;
        bytes = 1;
        return is_good ? byte(0) : 0xFFFD;
    }
    char32_t code = byte(0) & (0xFFU >> (bytes + 1));
    for (size_t i = 1; i < bytes; ++i) {
        code = code << 6U | (byte(i) & 0x3FU);
    }
    return code;
}

void append_unit(std::string& out, char32_t unit) {
    static constexpr char digits[] = "0123456789abcdef";
    out += "\\u";
    for (int shift = 12; shift >= 0; shift -= 4) {
        out += digits[(unit >> shift) & 15U];
    }
}

void append_text(std::string& out, std::string_view text, bool is_ascii) {
    out += '"';
    while (!text.empty()) {
        size_t bytes = 0;
        const char32_t code = code_point(text, bytes);
        static constexpr std::string_view named = "\"\\\b\f\n\r\t";
        const size_t name = code < 128 ? named.find(static_cast<char>(code)) : std::string_view::npos;
        if (name != std::string_view::npos) {
            out += '\\';
            out += "\"\\bfnrt"[name];
        } else if (code < 0x20) {
            append_unit(out, code);
        } else if (code == 0xFFFD || (is_ascii && code >= 0x7F)) {
            if (!is_ascii) {
                out += "\xEF\xBF\xBD";
            } else if (code < 0x10000) {
                append_unit(out, code);
            } else {
                append_unit(out, 0xD800 + ((code - 0x10000) >> 10U));
                append_unit(out, 0xDC00 + ((code - 0x10000) & 0x3FFU));
            }
        } else {
            out += text.substr(0, bytes);
        }
        text.remove_prefix(bytes);
    }
    out += '"';
}

}  // namespace

struct Json::Contents {
    std::string text;
    std::vector<std::string> keys;  ///< of an object
    std::vector<Json> values;
};

/// Builds a value from what the parser finds.
class JsonParser : public nlohmann::json_sax<nlohmann::json> {
public:
    explicit JsonParser(const std::string& source) : source_(source) {}

    Json result;

    bool null() override { return take(Json()); }
    bool boolean(bool value) override { return take(value); }
    bool number_integer(std::int64_t value) override { return take(value); }
    bool number_unsigned(std::uint64_t value) override {
        const bool fits = value <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
        return fits ? take(static_cast<std::int64_t>(value)) : take(static_cast<double>(value));
    }
    bool number_float(double value, const std::string& /*text*/) override { return take(value); }
    bool string(std::string& value) override { return take(std::move(value)); }
    bool binary(nlohmann::json::binary_t& /*value*/) override { return false; }
    bool start_object(std::size_t /*size*/) override { return open(Json::object()); }
    bool key(std::string& name) override {
        open_.back()->contents().keys.push_back(std::move(name));
        return true;
    }
    bool end_object() override {
        drop_repetitions(*open_.back());
        open_.pop_back();
        return true;
    }
    bool start_array(std::size_t /*size*/) override { return open(Json::array()); }
    bool end_array() override {
        open_.pop_back();
        return true;
    }
    bool parse_error(std::size_t /*position*/, const std::string& /*token*/,
                     const nlohmann::json::exception& error) override {
        throw InvalidInput(printable(concat(source_, ": JSON: ", error.what())));
    }

private:
    bool take(Json value) {
        place(std::move(value));
        return true;
    }

    Json& place(Json value) {
        if (open_.empty()) {
            return result = std::move(value);
        }
        // The parser is inside this list; its earlier elements hold nothing that is open.
        return open_.back()->contents().values.emplace_back(std::move(value));
    }

    bool open(Json value) {
        open_.push_back(&place(std::move(value)));
        return true;
    }

    /// Of members with one name the last counts.
    static void drop_repetitions(Json& object) {
        Json::Contents& all = object.contents();
        std::map<std::string_view, size_t> last;
        for (size_t i = 0; i < all.keys.size(); ++i) {
            last[all.keys[i]] = i;
        }
        if (last.size() == all.keys.size()) {
            return;
        }
        Json::Contents kept;
        for (size_t i = 0; i < all.keys.size(); ++i) {
            if (last[all.keys[i]] == i) {
                kept.keys.push_back(all.keys[i]);
                kept.values.push_back(std::move(all.values[i]));
            }
        }
        all = std::move(kept);
    }

    const std::string& source_;
    std::vector<Json*> open_;
};

Json::Json() = default;
Json::~Json() = default;
Json::Json(Json&& other) noexcept = default;
Json::Json(const Json& other)
    : kind_(other.kind_),
      integer_(other.integer_),
      number_(other.number_),
      contents_(other.contents_ ? std::make_unique<Contents>(*other.contents_) : nullptr) {}
Json& Json::operator=(Json other) noexcept {
    kind_ = other.kind_;
    integer_ = other.integer_;
    number_ = other.number_;
    contents_ = std::move(other.contents_);
    return *this;
}

Json::Json(std::string text) : kind_(Kind::text) {
    contents().text = std::move(text);
}

Json::Json(std::initializer_list<Json> list) : Json(array(list)) {
    bool is_list_of_members = list.size() > 0;
    for (const Json& element : list) {
        is_list_of_members = is_list_of_members && element.is_array() && element.size() == 2 && element[0].is_text();
    }
    if (is_list_of_members) {
        *this = object();
        for (const Json& member : list) {
            (*this)[member[0].as_text()] = member[1];
        }
    }
}

Json Json::array(std::initializer_list<Json> list) {
    Json json;
    json.kind_ = Kind::array;
    json.contents().values = list;
    return json;
}

Json Json::object() {
    Json json;
    json.kind_ = Kind::object;
    return json;
}

Json::Contents& Json::contents() {
    if (!contents_) {
        contents_ = std::make_unique<Contents>();
    }
    return *contents_;
}

Json Json::parse(std::string_view text, const std::string& source) {
    check_levels(text, source);
    JsonParser parser(source);
    nlohmann::json::sax_parse(text.begin(), text.end(), &parser);
    return std::move(parser.result);
}

int Json::as_index() const {
    return is_integer() && integer_ >= 0 && integer_ <= std::numeric_limits<int>::max() ? static_cast<int>(integer_)
                                                                                        : -1;
}

const std::string& Json::as_text() const {
    static const std::string none;
    return is_text() ? contents_->text : none;
}

std::size_t Json::size() const {
    return contents_ ? contents_->values.size() : 0;
}

const Json* Json::begin() const {
    return contents_ ? contents_->values.data() : nullptr;
}

Json* Json::begin() {
    return contents_ ? contents_->values.data() : nullptr;
}

const std::string& Json::key(std::size_t i) const {
    return contents_->keys[i];
}

void Json::push_back(Json value) {
    if (kind_ == Kind::null) {
        kind_ = Kind::array;
    }
    contents().values.push_back(std::move(value));
}

const Json* Json::find(std::string_view key) const {
    for (size_t i = 0; is_object() && i < size(); ++i) {
        if (contents_->keys[i] == key) {
            return begin() + i;
        }
    }
    return nullptr;
}

const Json& Json::operator[](const char* key) const {
    static const Json null;
    const Json* found = find(key);
    return found != nullptr ? *found : null;
}

Json& Json::operator[](std::string_view key) {
    if (kind_ == Kind::null) {
        kind_ = Kind::object;
    }
    if (const Json* found = find(key)) {
        return begin()[found - begin()];
    }
    contents().keys.emplace_back(key);
    return contents().values.emplace_back();
}

void Json::erase(std::string_view key) {
    if (const Json* found = find(key)) {
        erase_at(static_cast<size_t>(found - begin()));
    }
}

void Json::erase_at(std::size_t i) {
    const auto offset = static_cast<std::ptrdiff_t>(i);
    if (is_object()) {
        contents_->keys.erase(contents_->keys.begin() + offset);
    }
    contents_->values.erase(contents_->values.begin() + offset);
}

std::string Json::dump(int indent, bool is_ascii) const {
    std::string out;
    append(out, indent, is_ascii, 0);
    return out;
}

void Json::append(std::string& out, int indent, bool is_ascii, int depth) const {
    switch (kind_) {
        case Kind::null:
            out += "null";
            return;
        case Kind::boolean:
            out += integer_ != 0 ? "true" : "false";
            return;
        case Kind::integer:
            append_number(out, integer_);
            return;
        case Kind::number: {
            if (!std::isfinite(number_)) {
                out += "null";
                return;
            }
            const size_t begin = out.size();
            append_number(out, number_);
            if (out.find_first_of(".e", begin) == std::string::npos) {
                out += ".0";
            }
            return;
        }
        case Kind::text:
            append_text(out, as_text(), is_ascii);
            return;
        case Kind::array:
        case Kind::object:
            break;
    }
    const auto new_line = [&](int level) {
        if (indent >= 0) {
            out += '\n';
            out.append(static_cast<size_t>(indent * level), ' ');
        }
    };
    out += is_object() ? '{' : '[';
    for (size_t i = 0; i < size(); ++i) {
        out += i > 0 ? "," : "";
        new_line(depth + 1);
        if (is_object()) {
            append_text(out, key(i), is_ascii);
            out += indent >= 0 ? ": " : ":";
        }
        (*this)[i].append(out, indent, is_ascii, depth + 1);
    }
    if (!empty()) {
        new_line(depth);
    }
    out += is_object() ? '}' : ']';
}

}  // namespace cutis
