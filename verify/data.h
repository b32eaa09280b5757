#pragma once

#include <cstdlib>
#include <filesystem>

namespace cutis::verify {

/// Folder of the real characters: CUTIS_DATA, or ../shared/data beside the project.
inline std::filesystem::path data_folder() {
    const char* chosen = std::getenv("CUTIS_DATA");
    return chosen != nullptr && *chosen != '\0' ? chosen : "../shared/data";
}

}  // namespace cutis::verify
