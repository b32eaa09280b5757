#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace cutis::test {

/// Calls `action`, which must throw exactly `Cause`; its message must hold every piece.
template <class Cause, class Action>
void expect_error(const Action& action, const std::vector<std::string>& pieces) {
    try {
        action();
    } catch (const Cause& error) {
        for (const std::string& piece : pieces) {
            EXPECT_NE(std::string(error.what()).find(piece), std::string::npos)
                << "message: " << error.what() << "\nlacks: " << piece;
        }
        return;
    } catch (const std::exception& error) {
        ADD_FAILURE() << "another kind of error: " << error.what();
        return;
    }
    ADD_FAILURE() << "nothing was thrown";
}

}  // namespace cutis::test
