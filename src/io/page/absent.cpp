#include "cutis/core/error.h"
#include "cutis/io/page_write.h"

namespace cutis {

std::unique_ptr<FrameSink> make_page_sink(const std::filesystem::path& path, const PageOptions&) {
    throw InvalidInput(say(path.string(),
                           ": this build cannot write html (it was configured with "
                           "CUTIS_BUILD_PAGE=OFF)"));
}

}  // namespace cutis
