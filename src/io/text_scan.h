#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace cutis {

/// Words and numbers of a text in memory, with line numbers. Spaces, tabs and (where asked for) a
/// backslash before a line end separate words; LF, CRLF and a lone CR end a line.
class TextScan {
public:
    TextScan(const unsigned char* begin, std::size_t size, bool joins_lines)
        : at_(reinterpret_cast<const char*>(begin)), end_(at_ + size), joins_lines_(joins_lines) {}

    /// Number of the current line, from 1.
    int line() const { return line_; }
    bool at_end() const { return at_ == end_; }
    std::size_t bytes_left() const { return static_cast<std::size_t>(end_ - at_); }

    /// Next word on this line; empty at its end.
    std::string_view word();
    /// Rest of this line without spaces at either end.
    std::string_view rest();
    /// Goes to the start of the next line.
    void next_line();
    /// Next word, on whichever line it is; empty at the end of the text.
    std::string_view word_anywhere();

private:
    void skip_spaces();
    bool is_line_end(const char* c) const { return *c == '\n' || *c == '\r'; }

    const char* at_;
    const char* end_;
    int line_ = 1;
    bool joins_lines_;
};

/// The whole word as a number: plain, scientific, with a leading plus. False for anything else,
/// also for nan, inf and numbers a float cannot hold.
bool parse_number(std::string_view word, double& out);

/// The whole word as an integer of at most 9 digits.
bool parse_integer(std::string_view word, int& out);

/// A word for a message: quoted, cut, unprintable bytes replaced.
std::string quoted(std::string_view word);

}  // namespace cutis
