#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "cutis/core/error.h"
#include "cutis/io/formats.h"
#include "cutis/stack/bake.h"
#include "cutis/stack/scene.h"
#include "report.h"

namespace cutis::app {

/// Where a bake writes and how it talks.
struct RunOptions {
    std::filesystem::path folder;         ///< made where missing
    std::string name;                     ///< of the output files, without extension
    std::string title;                    ///< of the page; empty: the file's name
    int threads = 0;                      ///< 0: what the machine has
    bool json = false;                    ///< the report on stdout, everything else on stderr
    bool use_report_file = false;         ///< also FOLDER/report.json
    int checkpoint_every = 0;             ///< frames between checkpoints; 0: none are written
    bool resume = false;                  ///< resume from a checkpoint where there is one
    double memory = 0.0;                  ///< bytes a bake may need; 0: half of the machine's
    std::shared_ptr<GlbClips> glb_clips;  ///< where several clips go into one GLB
    std::filesystem::path single_obj;     ///< an OBJ of one frame goes here, without frame number
    int bones = 0;                        ///< of a GLB (GlbOptions::bones)
};

/// Bytes of "4G", "500M", "100k" or "123456". \throw InvalidInput
double parse_memory(const std::string& text);

/// Ends the program without waiting for the frame under way; takes begun files away.
[[noreturn]] void end_at_once();

/// Loads the body and bakes; prints nothing.
/// \param progress  also asked whether to go on
RunReport bake_scene(const Scene& scene, const RunOptions& options, const ProgressCallback& progress);

/// Loads the body, bakes, reports. \return exit code
int run_bake(const Scene& scene, const RunOptions& options);

/// All combinations of a scene with wedges, as many at once as there are threads, each into a
/// folder of its own, and a sheet that shows them beside each other. \return exit code
int run_wedges(const Scene& scene, const RunOptions& options);

/// The sheet: pages in frames that play together.
/// \param pages  relative path and label of each
std::string sheet_text(const std::string& title, const std::vector<std::pair<std::string, std::string>>& pages);

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
