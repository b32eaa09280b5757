#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "cutis/actors/actors.h"
#include "cutis/io/files.h"
#include "cutis/live/session.h"

namespace cutis {
namespace {

/// Ten short sessions, of every layer and of all together, whose frames stand as hashes beside this file:
/// web/test/same-bits.test.mjs compares the engine in WebAssembly with them. Whoever changes what a layer computes
/// writes the new ones down, which the message names, and says why.
TEST(SameBits, every_compiler_and_machine_makes_the_frames_that_are_written_down) {
    const std::string file = std::string(CUTIS_LIVE_TESTS) + "/same_bits.json";
    const std::vector<unsigned char> bytes = read_file(file);
    const Json sessions = Json::parse(std::string(bytes.begin(), bytes.end()), file);
    ASSERT_EQ(sessions.size(), 10U);
    const Workers workers(2);
    for (const Json& one : sessions) {
        const std::string& name = one["name"].as_text();
        SessionOptions options;
        options.workers = &workers;
        options.actors = load_actor;
        options.folder = std::filesystem::temp_directory_path();
        options.packs = false;
        options.measures = false;
        Session session(options);
        const auto good = [&](const Json& command) {
            Json answer = session.apply(command);
            EXPECT_FALSE(answer.contains("error")) << name << ": " << answer.dump();
            return answer;
        };
        good({{"do", "open"}, {"scene", one["scene"].as_text()}});
        const Json& hashes = one["hashes"];
        int step = 0;
        for (size_t h = 0; h < hashes.size(); ++h) {
            for (const int last = std::stoi(hashes.key(h)); step < last;) {
                const Json& commands = one["commands"][std::to_string(++step).c_str()];
                for (size_t c = 0; c < commands.size(); ++c) {
                    good(commands[c]);
                }
                ASSERT_TRUE(session.step()) << name << ", step " << step;
            }
            EXPECT_EQ(good({{"do", "hash"}})["hash"].as_text(), hashes[h].as_text()) << name << ", step " << step;
        }
    }
}

}  // namespace
}  // namespace cutis
