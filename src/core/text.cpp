#include "core/text.h"

#include <charconv>
#include <cstdio>
#include <cstdlib>

namespace cutis {

std::string rounded_text(double value, int digits) {
    char text[48];
#if defined(__cpp_lib_to_chars)
    const auto result = std::to_chars(text, text + sizeof(text), value, std::chars_format::general, digits);
    return {text, result.ptr};
#else
    std::snprintf(text, sizeof(text), "%.*g", digits, value);
    return text;
#endif
}

double read_back(const std::string& text) {
#if defined(__cpp_lib_to_chars)
    double value = 0.0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
#else
    return std::strtod(text.c_str(), nullptr);
#endif
}

}  // namespace cutis
