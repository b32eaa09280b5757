#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace cutis {

/// A JSON value: what reports, pages and glTF documents are made of. Members of an object keep the order in which they
/// came. A plain type: files that use it do not wait for a template library.
class Json {
public:
    Json();
    ~Json();
    Json(const Json& other);
    Json(Json&& other) noexcept;
    Json& operator=(Json other) noexcept;
    template <class T>
    requires std::is_arithmetic_v<T> Json(T value) : Json() {
        if constexpr (std::is_same_v<T, bool>) {
            kind_ = Kind::boolean;
            integer_ = value ? 1 : 0;
        } else if constexpr (std::is_integral_v<T>) {
            kind_ = Kind::integer;
            integer_ = static_cast<std::int64_t>(value);
        } else {
            kind_ = Kind::number;
            number_ = value;
        }
    }
    Json(std::string text);
    Json(std::string_view text) : Json(std::string(text)) {}
    Json(const char* text) : Json(std::string(text)) {}
    /// Lists of numbers or texts.
    template <class T>
    Json(const std::vector<T>& list) : Json(array()) {
        for (const T& element : list) {
            push_back(element);
        }
    }
    template <class T, std::size_t count>
    Json(const std::array<T, count>& list) : Json(std::vector<T>(list.begin(), list.end())) {}
    Json(const std::set<std::string>& names) : Json(std::vector<std::string>(names.begin(), names.end())) {}
    template <class T>
    Json(const std::map<std::string, T>& map) : Json(object()) {
        for (const auto& [name, value] : map) {
            (*this)[name] = value;
        }
    }
    /// {{"name", value}, ...} is an object, everything else an array.
    Json(std::initializer_list<Json> list);

    static Json array(std::initializer_list<Json> list = {});
    static Json object();

    /// \throw InvalidInput  not JSON, or more than 64 levels; says where
    static Json parse(std::string_view text, const std::string& source);
    /// \param indent    spaces a level; -1: all on one line
    /// \param is_ascii  other characters as \uXXXX
    /// Bytes that are not UTF-8 are replaced, numbers that are not finite are null.
    std::string dump(int indent = -1, bool is_ascii = false) const;

    bool is_boolean() const { return kind_ == Kind::boolean; }
    bool is_integer() const { return kind_ == Kind::integer; }
    bool is_number() const { return kind_ == Kind::integer || kind_ == Kind::number; }
    bool is_text() const { return kind_ == Kind::text; }
    bool is_array() const { return kind_ == Kind::array; }
    bool is_object() const { return kind_ == Kind::object; }

    bool as_boolean() const { return is_boolean() && integer_ != 0; }
    double as_number() const { return is_integer() ? static_cast<double>(integer_) : number_; }
    /// -1 where it is no integer that fits.
    int as_index() const;
    /// Empty where it is no text.
    const std::string& as_text() const;

    /// Elements of an array, members of an object.
    std::size_t size() const;
    bool empty() const { return size() == 0; }
    const Json* begin() const;
    const Json* end() const { return begin() + size(); }
    Json* begin();
    Json* end() { return begin() + size(); }
    template <class Index>
    requires std::is_integral_v<Index>
    const Json& operator[](Index i) const { return begin()[i]; }
    template <class Index>
    requires std::is_integral_v<Index> Json& operator[](Index i) { return begin()[i]; }
    Json& back() { return end()[-1]; }
    /// A null becomes an array.
    void push_back(Json value);

    /// Name of the i-th member of an object.
    const std::string& key(std::size_t i) const;
    bool contains(std::string_view key) const { return find(key) != nullptr; }
    /// The member, or none (also where this is no object).
    const Json* find(std::string_view key) const;
    /// The member, or null.
    const Json& operator[](const char* key) const;
    /// The member, made where it is missing. A null becomes an object.
    Json& operator[](std::string_view key);
    Json& operator[](const char* key) { return (*this)[std::string_view(key)]; }
    Json& operator[](const std::string& key) { return (*this)[std::string_view(key)]; }
    void erase(std::string_view key);
    /// The i-th member or element.
    void erase_at(std::size_t i);

private:
    friend class JsonParser;
    enum class Kind : unsigned char { null, boolean, integer, number, text, array, object };

    void append(std::string& out, int indent, bool is_ascii, int depth) const;

    struct Contents;

    Contents& contents();

    Kind kind_ = Kind::null;
    std::int64_t integer_ = 0;
    double number_ = 0.0;
    std::unique_ptr<Contents> contents_;  ///< of texts, arrays and objects: numbers stay small
};

}  // namespace cutis
