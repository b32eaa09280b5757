#include "io/usd/text.h"

#include "io/number_text.h"

namespace cutis {

std::string usd_identifier(const std::string& name, const std::string& otherwise, std::set<std::string>& taken) {
    std::string id;
    for (const char c : name.empty() ? otherwise : name) {
        const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
        const bool is_digit = c >= '0' && c <= '9';
        if (is_digit && id.empty()) {
            id += '_';
        }
        id += is_letter || is_digit ? c : '_';
    }
    std::string unique = id;
    for (int n = 2; !taken.insert(unique).second; ++n) {
        unique = id + "_" + std::to_string(n);
    }
    return unique;
}

std::string usd_string(const std::string& text) {
    static const char hex[] = "0123456789abcdef";
    std::string out = "\"";
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\') {
            out += '\\';
            out += c;
        } else if (byte < ' ') {
            out += "\\x";
            out += hex[byte >> 4];
            out += hex[byte & 15];
        } else {
            out += c;
        }
    }
    return out + "\"";
}

void append_tuples(std::string& text, const double* values, size_t count, int width) {
    text += '[';
    for (size_t i = 0; i < count; ++i) {
        text += i == 0 ? "" : ",";
        text += width == 1 ? "" : "(";
        for (int k = 0; k < width; ++k) {
            text += k == 0 ? "" : ",";
            append_float(text, *values++);
        }
        text += width == 1 ? "" : ")";
    }
    text += ']';
}

void append_integers(std::string& text, const std::vector<int>& values) {
    text += '[';
    for (size_t i = 0; i < values.size(); ++i) {
        text += i == 0 ? "" : ",";
        append_number(text, values[i]);
    }
    text += ']';
}

}  // namespace cutis
