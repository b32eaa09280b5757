#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

namespace cutis::verify {

/// A folder named by an environment variable, or one beside the project.
inline std::filesystem::path folder_of(const char* variable, const std::filesystem::path& otherwise) {
    const char* chosen = std::getenv(variable);
    return chosen != nullptr && *chosen != '\0' ? std::filesystem::path(chosen) : otherwise;
}

/// Folder of the real characters and meshes.
inline std::filesystem::path data_folder() {
    return folder_of("CUTIS_DATA", "../shared/data");
}

/// Folder of characters as people bring them; beside the other one unless the environment says
/// where.
inline std::filesystem::path characters_folder() {
    return folder_of("CUTIS_CHARACTERS", data_folder() / "../characters");
}

/// What a skipped case says.
inline std::string missing(const std::filesystem::path& path) {
    return path.string() + " not found (set CUTIS_DATA, CUTIS_CHARACTERS)";
}

}  // namespace cutis::verify
