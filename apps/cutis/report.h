#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "cutis/io/json.h"
#include "cutis/stack/bake.h"

namespace cutis::app {

/// Everything `--json` and report.json say about a bake.
struct RunReport {
    std::vector<std::filesystem::path> inputs;
    double fps = 30.0;
    int threads = 1;
    int vertices = 0;
    int triangles = 0;
    double read_seconds = 0.0;
    double total_seconds = 0.0;
    double peak_memory_mb = 0.0;     ///< of the process so far
    std::vector<std::string> notes;  ///< of the readers and the body
    bool has_checkpoint = false;     ///< stopped, and can be resumed
    BakeReport bake;
};

Json report_json(const RunReport& report);

/// JSON text; bytes that are not UTF-8 (odd file names) are replaced.
std::string json_text(const Json& json);

/// The report for people.
std::string report_text(const RunReport& report);

}  // namespace cutis::app
