#include "core/printable.h"

#include <algorithm>
#include <cstdio>

namespace cutis {

size_t utf8_length(std::string_view text) {
    const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char first = byte(0);
    const size_t length = first < 0x80   ? 1
                          : first < 0xC2 ? 0
                          : first < 0xE0 ? 2
                          : first < 0xF0 ? 3
                          : first < 0xF5 ? 4
                                         : 0;
    if (length == 0 || length > text.size()) {
        return 0;
    }
    for (size_t i = 1; i < length; ++i) {
        // The second byte rules out long forms, surrogates and what lies beyond Unicode.
        const unsigned char low = i > 1 ? 0x80 : first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
        const unsigned char high = i > 1 ? 0xBF : first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
        if (byte(i) < low || byte(i) > high) {
            return 0;
        }
    }
    return length;
}

std::string printable(std::string_view text, bool one_line) {
    std::string out;
    out.reserve(text.size());
    while (!text.empty()) {
        const size_t length = utf8_length(text);
        const auto first = static_cast<unsigned char>(text[0]);
        // C1 controls (U+0080 to U+009F) steer terminals as C0 does.
        const bool is_control = length == 1
                                    ? (first < 0x20 && (one_line || (first != '\n' && first != '\t'))) || first == 0x7F
                                    : length == 2 && first == 0xC2 && static_cast<unsigned char>(text[1]) < 0xA0;
        if (length > 0 && !is_control) {
            out += text.substr(0, length);
            text.remove_prefix(length);
            continue;
        }
        for (size_t i = 0; i < std::max<size_t>(length, 1); ++i) {
            char hex[8];
            std::snprintf(hex, sizeof hex, "\\x%02X", static_cast<unsigned>(static_cast<unsigned char>(text[i])));
            out += hex;
        }
        text.remove_prefix(std::max<size_t>(length, 1));
    }
    return out;
}

}  // namespace cutis
