#include "core/printable.h"

#include <gtest/gtest.h>

namespace cutis {
namespace {

TEST(Printable, what_files_bring_reaches_no_terminal_raw) {
    EXPECT_EQ(printable("Ärmel 手 🐎"), "Ärmel 手 🐎");
    EXPECT_EQ(printable("a\x1b[31mb\x07"), "a\\x1B[31mb\\x07");
    EXPECT_EQ(printable("\xff\xc3"), "\\xFF\\xC3");           // no UTF-8, and half a character
    EXPECT_EQ(printable("\xc0\xaf"), "\\xC0\\xAF");           // a long form of /
    EXPECT_EQ(printable("\xed\xa0\x80"), "\\xED\\xA0\\x80");  // a surrogate
    EXPECT_EQ(printable("\xc2\x9b"
                        "m"),
              "\\xC2\\x9Bm");  // CSI as one character
    EXPECT_EQ(printable("two\nlines\t"), "two\nlines\t");
    EXPECT_EQ(printable("two\nlines\t", true), "two\\x0Alines\\x09");
}

}  // namespace
}  // namespace cutis
