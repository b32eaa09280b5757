#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "cutis/actors/actors.h"
#include "cutis/live/session.h"

namespace cutis {
namespace {

constexpr const char* limb_with_skin = "[body]\nactor = \"cylinder\"\nclip = \"bend\"\n[[layer]]\nkind = \"slide\"\n";

class LiveBrush : public ::testing::Test {
protected:
    LiveBrush() {
        options.workers = &workers;
        options.actors = load_actor;
        options.folder = std::filesystem::temp_directory_path();
    }
    static std::string ten_steps(Session& session) {
        for (int i = 0; i < 10; ++i) {
            EXPECT_TRUE(session.step());
        }
        return session.apply({{"do", "hash"}})["hash"].as_text();
    }
    static Json painted(double strength) {
        const Json dab = {{"sphere", std::vector<double>{0.0, 0.0, 0.0, 0.4, strength}}};
        return Json::array({Json{{"any", Json::array({dab})}}, 1.0, 0.0});
    }

    Workers workers{1};
    SessionOptions options;
};

TEST_F(LiveBrush, what_is_painted_is_saved_with_the_scene) {
    Session plain(options), brushed(options), again(options);
    EXPECT_FALSE(plain.apply({{"do", "open"}, {"scene", limb_with_skin}}).contains("error"));
    EXPECT_FALSE(brushed.apply({{"do", "open"}, {"scene", limb_with_skin}}).contains("error"));
    const Json answer = brushed.apply({{"do", "set"}, {"layer", 0}, {"key", "stickiness"}, {"value", painted(0.8)}});
    ASSERT_FALSE(answer.contains("error")) << answer.dump();
    const std::string scene = brushed.apply({{"do", "save"}})["scene"].as_text();
    EXPECT_NE(scene.find("sphere"), std::string::npos) << scene;
    const Json opened = again.apply({{"do", "open"}, {"scene", scene}});
    ASSERT_FALSE(opened.contains("error")) << opened.dump();
    const std::string seen = ten_steps(brushed);
    EXPECT_NE(seen, ten_steps(plain));
    EXPECT_EQ(seen, ten_steps(again));
}

TEST_F(LiveBrush, a_strength_above_one_is_refused) {
    Session session(options);
    session.apply({{"do", "open"}, {"scene", limb_with_skin}});
    const Json answer = session.apply({{"do", "set"}, {"layer", 0}, {"key", "stickiness"}, {"value", painted(1.5)}});
    EXPECT_NE(answer["error"].as_text().find("strength from 0 to 1"), std::string::npos) << answer.dump();
}

}  // namespace
}  // namespace cutis
