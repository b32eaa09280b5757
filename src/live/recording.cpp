#include "live/recording.h"

#include "cutis/core/error.h"
#include "live/values.h"

namespace cutis {

std::vector<RecordedCommand> read_recording(const RecordingScene& recording) {
    std::vector<RecordedCommand> commands;
    for (size_t i = 0; i < recording.commands.size(); ++i) {
        const std::string where = concat("[recording] command ", i + 1);
        RecordedCommand one;
        one.command = Json::parse(recording.commands[i], where);
        require(one.command.is_object() && one.command["step"].is_number() && one.command["do"].is_text(), where,
                ": expected an object with step and do, found ", one.command.dump().substr(0, 80));
        one.step = one.command["step"].as_number();
        require(one.step >= (commands.empty() ? 0.0 : commands.back().step), where,
                ": expected a step of at least that of the command before, found ", one.step);
        require(one.command["do"].as_text() != "open", where,
                ": expected one for the scene that is open, found \"open\"");
        commands.push_back(std::move(one));
    }
    return commands;
}

std::string with_recording(const std::string& scene, long steps, const Json& record) {
    std::string text = without_tables(scene, "recording");
    text += concat("\n[recording]\nsteps = ", steps, "\ncommands = [\n");
    for (const Json& entry : record) {
        const Json& command = entry["command"];
        if (command["do"].as_text() == "open") {
            continue;
        }
        Json line = {{"step", entry["step"]}};
        for (size_t i = 0; i < command.size(); ++i) {
            if (std::string(command.key(i)) != "seq") {
                line[command.key(i)] = command[i];
            }
        }
        const std::string json = line.dump();
        // Quotes need no escape in a literal text.
        const bool is_literal = json.find_first_of("'\n\r") == std::string::npos;
        text += "  " + (is_literal ? "'" + json + "'" : quoted_text(json)) + ",\n";
    }
    return text + "]\n";
}

}  // namespace cutis
