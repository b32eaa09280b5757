#include "support/data.h"

#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace cutis::test {

std::filesystem::path data_folder() {
    const char* chosen = std::getenv("CUTIS_DATA");
    return chosen != nullptr && *chosen != '\0' ? chosen : CUTIS_DEFAULT_DATA;
}

std::filesystem::path characters_folder() {
    const char* chosen = std::getenv("CUTIS_CHARACTERS");
    return chosen != nullptr && *chosen != '\0' ? chosen : data_folder().parent_path() / "characters";
}

bool is_ci() {
    const char* ci = std::getenv("CI");
    return ci != nullptr && std::string_view(ci) == "true";
}

ScratchFolder::ScratchFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "cutis-test-XXXXXX").string();
    path_ = mkdtemp(pattern.data());
}

ScratchFolder::~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
}

}  // namespace cutis::test
