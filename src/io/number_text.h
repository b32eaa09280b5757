#pragma once

#include <charconv>
#include <string>

namespace cutis {

/// Appends the shortest decimal that reads back as the same number; never looks at the locale.
template <class Number>
void append_number(std::string& text, Number number) {
    char digits[64];
    const auto result = std::to_chars(digits, digits + sizeof(digits), number);
    text.append(digits, result.ptr);
}

/// A coordinate as files keep it: float32, without a minus before zero.
inline void append_float(std::string& text, double number) {
    append_number(text, static_cast<float>(number) + 0.0F);
}

}  // namespace cutis
