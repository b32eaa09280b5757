#include "report.h"

#include "console.h"

namespace cutis::app {

Json report_json(const RunReport& report) {
    Json inputs = Json::array();
    for (const std::filesystem::path& path : report.inputs) {
        std::error_code error;
        const std::uintmax_t bytes = std::filesystem::file_size(path, error);
        Json input = {{"path", path.string()}};
        if (!error) {
            input["bytes"] = bytes;
        }
        inputs.push_back(std::move(input));
    }
    Json seconds = {{"read", report.read_seconds}};
    for (const auto& [stage, time] : report.bake.stage_seconds) {
        seconds[stage] = seconds[stage].as_number() + time;
    }
    seconds["total"] = report.total_seconds;
    Json layers = Json::array();
    for (const LayerReport& layer : report.bake.layers) {
        layers.push_back({{"kind", layer.kind}, {"numbers", layer.numbers}, {"notes", layer.notes}});
    }
    Json outputs = Json::array();
    for (const OutputFile& file : report.bake.outputs) {
        outputs.push_back(
            {{"format", file.format}, {"path", file.path}, {"bytes", file.bytes}, {"numbers", file.numbers}});
    }
    Json notes = report.notes;
    for (const std::string& note : report.bake.notes) {
        notes.push_back(note);
    }
    return {{"version", CUTIS_VERSION},
            {"inputs", inputs},
            {"body", {{"vertices", report.vertices}, {"triangles", report.triangles}}},
            {"frames",
             {{"first", report.bake.frames.first},
              {"last", report.bake.frames.last},
              {"count", report.bake.frames.count()},
              {"vertices", report.bake.vertices},
              {"fps", report.fps}}},
            {"threads", report.threads},
            {"peak_memory_mb", report.peak_memory_mb},
            {"estimated_seconds", report.bake.estimated_seconds},
            {"estimated_memory_mb", report.bake.estimated_bytes / 1048576.0},
            {"seconds", seconds},
            {"layers", layers},
            {"outputs", outputs},
            {"notes", notes}};
}

std::string json_text(const Json& json) {
    return json.dump(2) + "\n";
}

std::string report_text(const RunReport& report) {
    std::string text = std::to_string(report.bake.frames.count()) + " frames of " +
                       std::to_string(report.bake.vertices) + " vertices in " + short_number(report.total_seconds) +
                       " s, " + short_number(report.peak_memory_mb) + " MB at most\n";
    if (!report.bake.layers.empty()) {
        text += "seconds:";
        for (const auto& [stage, seconds] : report.bake.stage_seconds) {
            text += " " + stage + " " + short_number(seconds);
        }
        text += "\n";
    }
    for (const std::string& note : report.notes) {
        text += "note: " + note + "\n";
    }
    for (const std::string& note : report.bake.notes) {
        text += "note: " + note + "\n";
    }
    for (const LayerReport& layer : report.bake.layers) {
        for (const std::string& note : layer.notes) {
            text += "note: layer " + layer.kind + ": " + note + "\n";
        }
    }
    std::vector<std::vector<std::string>> rows;
    for (const OutputFile& file : report.bake.outputs) {
        std::string numbers;
        for (const auto& [name, value] : file.numbers) {
            numbers += (numbers.empty() ? "" : ", ") + name + " " + short_number(value);
        }
        rows.push_back({file.path, std::to_string(file.bytes), "bytes", numbers});
    }
    constexpr size_t most_rows = 12;  // an OBJ sequence would fill the screen
    if (rows.size() > most_rows) {
        const size_t left_out = rows.size() - most_rows;
        rows.resize(most_rows);
        rows.push_back({"... and " + std::to_string(left_out) + " more"});
    }
    return text + table_text(rows);
}

}  // namespace cutis::app
