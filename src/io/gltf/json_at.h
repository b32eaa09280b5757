#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cutis/io/json.h"

namespace cutis {

/// A place in a JSON document that knows its own path, so that every error can say where it is.
/// Every access checks the type and throws InvalidInput.
class JsonAt {
public:
    JsonAt(const Json& value, std::string path, const std::string& source)
        : value_(&value), path_(std::move(path)), source_(&source) {}

    const Json& value() const { return *value_; }
    const std::string& path() const { return path_; }

    [[noreturn]] void fail(const std::string& message) const;
    /// "expected EXPECTED, found <the value here>"
    [[noreturn]] void wrong(const std::string& expected) const;

    /// Member of an object, if it is there.
    std::optional<JsonAt> find(const std::string& key) const;
    /// Member of an object that must be there.
    JsonAt at(const std::string& key) const;

    /// Length of an array.
    std::size_t size() const;
    JsonAt operator[](std::size_t i) const;

    std::int64_t integer(std::int64_t lowest, std::int64_t highest) const;
    /// An index into a list of `count` things called `what`.
    int index(std::size_t count, const std::string& what) const;
    double number() const;
    std::string text() const;
    bool flag() const;

    /// Array of exactly `count` numbers.
    void numbers(double* out, std::size_t count) const;

    /// The text of member `key`, or empty.
    std::string text_or_empty(const std::string& key) const;

private:
    const Json* value_;
    std::string path_;
    const std::string* source_;
};

}  // namespace cutis
