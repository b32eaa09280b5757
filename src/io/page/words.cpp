#include "io/page/words.h"

#include <cmath>
#include <cstdio>

namespace cutis {

std::string with_digits(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.3g", value);
    return text;
}

std::string in_length(double metres) {
    const double size = std::abs(metres);
    return size == 0.0   ? "0"
           : size < 1e-3 ? with_digits(metres * 1e6) + " µm"
           : size < 1e-2 ? with_digits(metres * 1e3) + " mm"
           : size < 1.0  ? with_digits(metres * 1e2) + " cm"
                         : with_digits(metres) + " m";
}

std::string in_thousands(std::uintmax_t value) {
    const std::string digits = std::to_string(value);
    std::string text;
    for (size_t i = 0; i < digits.size(); ++i) {
        if (i > 0 && (digits.size() - i) % 3 == 0) {
            text += ',';
        }
        text += digits[i];
    }
    return text;
}

}  // namespace cutis
