#include "support/data.h"

#include <unistd.h>

#include <cstdlib>

namespace cutis::test {

std::filesystem::path data_folder() {
    const char* chosen = std::getenv("CUTIS_DATA");
    return chosen != nullptr && *chosen != '\0' ? chosen : CUTIS_DEFAULT_DATA;
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
