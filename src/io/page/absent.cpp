#include "cutis/core/error.h"
#include "cutis/io/formats.h"

namespace cutis {

Format html_format();  // listed in formats.cpp

Format html_format() {
    return {"html", "not in this build",
            [](const std::filesystem::path& path, const SinkOptions& /*options*/) -> std::unique_ptr<FrameSink> {
                throw InvalidInput(concat(path.string(),
                                          ": this build cannot write html (it was configured with "
                                          "CUTIS_BUILD_PAGE=OFF)"));
            }};
}

}  // namespace cutis
