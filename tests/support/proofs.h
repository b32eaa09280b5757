#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "support/data.h"
#include "verify/verify.h"

namespace cutis::test {

/// Runs a group of `verify` as a test: every case must pass. Where one is skipped for lack of data,
/// the test is skipped, too; in CI it fails.
inline void expect_cases(std::vector<verify::Case> (*group)()) {
    setenv("CUTIS_DATA", data_folder().c_str(), 0);
    setenv("CUTIS_CHARACTERS", characters_folder().c_str(), 0);
    const std::vector<verify::Case> cases = group();
    EXPECT_FALSE(cases.empty());
    std::string skipped;
    for (const verify::Case& one : cases) {
        EXPECT_FALSE(one.fails()) << one.name << ": " << one.value << ", expected at "
                                  << (one.bound == verify::Bound::at_most ? "most " : "least ") << one.limit << ' '
                                  << one.unit << " (" << one.source << ")";
        skipped += one.is_skipped ? one.name + ": " + one.source + "\n" : "";
    }
    if (!skipped.empty()) {
        if (is_ci()) {
            ADD_FAILURE() << "CI must run these cases:\n" << skipped;
        } else {
            GTEST_SKIP() << skipped;
        }
    }
}

}  // namespace cutis::test
