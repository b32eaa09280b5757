#pragma once

#include <string>

#include "cutis/farm/run.h"

namespace cutis::app {

/// What `farm collect` did.
struct Collected {
    std::int64_t shots = 0;
    std::int64_t missing = 0;
    std::int64_t files = 0;
    std::string index;  ///< the page to open
};

/// Results of all done shots under their own names, an index page with thumbnails, a contact sheet for each wedge, and
/// for training sets a list of clips.
/// \throw IoError
Collected collect(const farm::Plan& plan, const std::filesystem::path& folder, int tries);

}  // namespace cutis::app
