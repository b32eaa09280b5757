#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "cutis/core/error.h"

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

/// Message of the `Cause` that `action` throws; where it throws none, "nothing was thrown".
template <class Cause = InvalidInput, class Action>
std::string message_of(const Action& action) {
    try {
        action();
    } catch (const Cause& error) {
        return error.what();
    }
    return "nothing was thrown";
}

inline bool says(const std::string& message, const std::vector<std::string>& words) {
    return std::all_of(words.begin(), words.end(),
                       [&](const std::string& word) { return message.find(word) != std::string::npos; });
}

}  // namespace cutis::test
