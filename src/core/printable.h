#pragma once

#include <string>
#include <string_view>

namespace cutis {

/// Text as it may go to a terminal or a page: control characters (but line ends and tabs) and bytes
/// that are no UTF-8 become \xNN.
/// \param one_line  line ends and tabs, too: for names
std::string printable(std::string_view text, bool one_line = false);

/// Bytes of the UTF-8 character at the start of `text` (RFC 3629); 0: there is none.
std::size_t utf8_length(std::string_view text);

}  // namespace cutis
