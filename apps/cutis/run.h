#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "cutis/core/error.h"
#include "cutis/io/page_write.h"
#include "cutis/stack/bake.h"
#include "cutis/stack/scene.h"

namespace cutis::app {

/// Where a bake writes and how it talks.
struct RunOptions {
    std::filesystem::path folder;      ///< made where missing
    std::string name;                  ///< of the output files, without extension
    int threads = 0;                   ///< 0: what the machine has
    bool json = false;                 ///< the report on stdout, everything else on stderr
    bool use_report_file = false;      ///< also FOLDER/report.json
    PageOptions page;                  ///< html: title and how it begins
    int checkpoint_every = 0;          ///< frames between checkpoints; 0: none are written
    bool resume = false;               ///< go on from a checkpoint where there is one
    std::filesystem::path single_obj;  ///< an OBJ of one frame goes here, without frame number
};

/// Loads the body, bakes, reports. \return exit code
int run_bake(const Scene& scene, const RunOptions& options);

/// A file that cannot be read is bad input, not a failure while running.
template <class Result>
Result reading(const std::function<Result()>& read) {
    try {
        return read();
    } catch (const IoError& error) {
        throw InvalidInput(error.what());
    }
}

/// "12-48", "12-" or "12" into first and last (0: the end).
/// \throw InvalidInput
void set_frames(const std::string& text, Scene& scene);

/// A plain file name from a path's stem: no folders, no control characters, never empty.
std::string output_name(const std::filesystem::path& path);

}  // namespace cutis::app
