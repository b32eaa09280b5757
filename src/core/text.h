#pragma once

#include <algorithm>
#include <string>

#include "cutis/core/error.h"

namespace cutis {

/// Text written piece by piece, as into a stream: numbers with six digits. A std::ostringstream would bring all locales
/// of the C++ library into the engine of the live page.
class Text {
public:
    Text& operator<<(const Piece& piece) {
        piece.append_to(text_);
        return *this;
    }
    const std::string& str() const { return text_; }

private:
    std::string text_;
};

/// The number with so many digits, as %g writes it; never looks at the locale where the library has to_chars.
std::string rounded_text(double value, int digits);

/// What `text` says, which is a number and nothing else.
double read_back(const std::string& text);

/// Calls `use` for every line, without its end.
template <class Use>
void for_lines(const std::string& text, const Use& use) {
    for (size_t begin = 0; begin < text.size();) {
        const size_t end = std::min(text.find('\n', begin), text.size());
        use(text.substr(begin, end - begin));
        begin = end + 1;
    }
}

}  // namespace cutis
