#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

namespace cutis::test {

/// Folder with the real characters: CUTIS_DATA, or the default chosen at configure time.
std::filesystem::path data_folder();

/// Folder with characters as people bring them: CUTIS_CHARACTERS, or beside the data folder.
std::filesystem::path characters_folder();

/// Whether what lacks data must fail instead of being skipped: CI=true.
bool is_ci();

/// A fresh empty folder, removed when the object dies.
class ScratchFolder {
public:
    ScratchFolder();
    ~ScratchFolder();
    ScratchFolder(const ScratchFolder&) = delete;
    ScratchFolder& operator=(const ScratchFolder&) = delete;

    const std::filesystem::path& path() const { return path_; }
    std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

private:
    std::filesystem::path path_;
};

}  // namespace cutis::test

/// Skips with a clear word where the data folder is absent; in CI (CI=true) its absence is a
/// failure.
#define CUTIS_NEED_DATA(relative_path)                                                    \
    const std::filesystem::path data_path = cutis::test::data_folder() / (relative_path); \
    if (!std::filesystem::exists(data_path)) {                                            \
        if (cutis::test::is_ci()) {                                                       \
            FAIL() << data_path << " is missing, and CI must run this test";              \
        }                                                                                 \
        GTEST_SKIP() << data_path << " is not on this machine (set CUTIS_DATA)";          \
    }
