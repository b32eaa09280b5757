#include "io/text_scan.h"

#include <charconv>
#include <cmath>
#include <cstdlib>

namespace cutis {

void TextScan::skip_spaces() {
    while (at_ != end_) {
        if (*at_ == ' ' || *at_ == '\t' || *at_ == '\v' || *at_ == '\f') {
            ++at_;
        } else if (joins_lines_ && *at_ == '\\' && at_ + 1 != end_ && is_line_end(at_ + 1)) {
            ++at_;
            next_line();
        } else {
            return;
        }
    }
}

std::string_view TextScan::word() {
    skip_spaces();
    const char* begin = at_;
    while (at_ != end_ && *at_ != ' ' && *at_ != '\t' && *at_ != '\v' && *at_ != '\f' && !is_line_end(at_) &&
           !(joins_lines_ && *at_ == '\\' && at_ + 1 != end_ && is_line_end(at_ + 1))) {
        ++at_;
    }
    return {begin, static_cast<std::size_t>(at_ - begin)};
}

std::string_view TextScan::rest() {
    skip_spaces();
    const char* begin = at_;
    while (at_ != end_ && !is_line_end(at_)) {
        ++at_;
    }
    const char* last = at_;
    while (last != begin && (last[-1] == ' ' || last[-1] == '\t')) {
        --last;
    }
    return {begin, static_cast<std::size_t>(last - begin)};
}

void TextScan::next_line() {
    while (at_ != end_ && !is_line_end(at_)) {
        ++at_;
    }
    if (at_ == end_) {
        return;
    }
    if (*at_ == '\r' && at_ + 1 != end_ && at_[1] == '\n') {
        ++at_;
    }
    ++at_;
    ++line_;
}

std::string_view TextScan::word_anywhere() {
    while (true) {
        const std::string_view found = word();
        if (!found.empty() || at_end()) {
            return found;
        }
        next_line();
    }
}

bool parse_number(std::string_view word, double& out) {
    if (!word.empty() && word.front() == '+') {
        word.remove_prefix(1);
        if (!word.empty() && word.front() == '-') {
            return false;
        }
    }
    if (word.empty()) {
        return false;
    }
    const char* const end = word.data() + word.size();
    bool is_out_of_range = true;
#if defined(__cpp_lib_to_chars)
    const std::from_chars_result result = std::from_chars(word.data(), end, out);
    if (result.ec == std::errc::invalid_argument || result.ptr != end) {
        return false;
    }
    is_out_of_range = result.ec == std::errc::result_out_of_range;
#endif
    if (is_out_of_range) {
        // Too small is 0, too large is refused below; strtod tells them apart.
        const std::string copy(word);
        char* stop = nullptr;
        out = std::strtod(copy.c_str(), &stop);
        if (stop != copy.c_str() + copy.size()) {
            return false;
        }
    }
    return std::abs(out) <= 3.4028234663852886e38;
}

bool parse_integer(std::string_view word, int& out) {
    if (!word.empty() && word.front() == '+') {
        word.remove_prefix(1);
        if (!word.empty() && word.front() == '-') {
            return false;
        }
    }
    if (word.empty() || word.size() > 10) {
        return false;
    }
    const char* const end = word.data() + word.size();
    const std::from_chars_result result = std::from_chars(word.data(), end, out);
    return result.ec == std::errc() && result.ptr == end && std::abs(static_cast<long>(out)) <= 999999999L;
}

std::string quoted(std::string_view word) {
    std::string text = "'";
    for (const char c : word.substr(0, 40)) {
        text += c >= 32 && c < 127 ? c : '?';
    }
    return text + (word.size() > 40 ? "...'" : "'");
}

}  // namespace cutis
