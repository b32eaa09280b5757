#pragma once

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <type_traits>

namespace cutis {

/// Appends the shortest decimal that reads back as the same number; never looks at the locale.
template <class Number>
void append_number(std::string& text, Number number) {
    char digits[64];
#if defined(__cpp_lib_to_chars)
    const auto result = std::to_chars(digits, digits + sizeof(digits), number);
    text.append(digits, result.ptr);
#else
    // Libraries that cannot write fractions (Emscripten's): as few digits as read back the same.
    if constexpr (std::is_integral_v<Number>) {
        text += std::to_string(number);
    } else {
        for (int count = 1; count <= 17; ++count) {
            std::snprintf(digits, sizeof(digits), "%.*g", count, static_cast<double>(number));
            if (static_cast<Number>(std::strtod(digits, nullptr)) == number) {
                break;
            }
        }
        text += digits;
    }
#endif
}

/// A coordinate as files keep it: float32, without a minus before zero.
inline void append_float(std::string& text, double number) {
    append_number(text, static_cast<float>(number) + 0.0F);
}

}  // namespace cutis
