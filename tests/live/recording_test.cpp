#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "cutis/actors/actors.h"
#include "cutis/live/bake_recording.h"
#include "cutis/live/session.h"
#include "support/expect_error.h"

namespace cutis {
namespace {

// Flesh, skin and spikes that draw the body along.
constexpr const char* swinging_tail = R"(
[body]
actor = "creature"
clip = "walk"

[[layer]]
kind = "curve"
from = "tail_1"

[[layer]]
kind = "slide"
region = ["not part:suit"]
pin_creases = 0.5
step = 0.0168

[[layer]]
kind = "shell"
detail = "spike"
size = 0.012
base_stiffness = 1
clip_aware = false
density = [{ box = [-0.08, 1.1, -2, 0.08, 2, -0.6] }, 1, 0]

[output]
formats = ["npz"]
)";

/// Keeps positions of all meshes, and where the joints of the body it was told of are.
class Tape final : public FrameSink {
public:
    explicit Tape(std::vector<std::vector<MatrixX3d>>& frames) : frames_(&frames) {}
    void begin(const BakeInfo& info) override { info_ = info; }
    void write(const Frame& frame) override {
        times_.push_back(frame.time);
        frames_->emplace_back();
        for (const MeshFrame& mesh : frame.meshes) {
            frames_->back().push_back(mesh.positions);
        }
    }
    std::vector<OutputFile> finish() override {
        // As files with skeletons are written: at the end, for all frames.
        std::vector<Eigen::Affine3d> nodes;
        MatrixX3d body;
        for (size_t f = 0; f < times_.size(); ++f) {
            info_.body->positions(times_[f], TimeSampling::exact, Workers(1), body);
            frames_->at(f).push_back(body);
        }
        return {};
    }

private:
    std::vector<std::vector<MatrixX3d>>* frames_;
    BakeInfo info_;
    std::vector<double> times_;
};

class Recording : public ::testing::Test {
protected:
    Recording() {
        options.workers = &workers;
        options.actors = load_actor;
    }
    Json good(Session& session, const Json& command) {
        Json answer = session.apply(command);
        EXPECT_TRUE(answer["ok"].as_boolean()) << command.dump() << ": " << answer.dump();
        return answer;
    }
    BakeReport baked(const std::string& text, std::vector<std::vector<MatrixX3d>>& frames, int threads,
                     const std::function<void(Scene&)>& change = {}) {
        Scene scene = parse_scene(text, "saved.toml");
        check_scene(scene);
        if (change) {
            change(scene);
        }
        const Workers lent(threads);
        std::vector<std::unique_ptr<FrameSink>> sinks;
        sinks.push_back(std::make_unique<Tape>(frames));
        BakeControls controls;
        controls.workers = &lent;
        return bake_recording(scene, load_actor, sinks, controls);
    }

    Workers workers{1};
    SessionOptions options;
};

TEST_F(Recording, a_bake_of_the_saved_scene_gives_the_frames_that_were_seen) {
    Session session(options);
    good(session, {{"do", "open"}, {"scene", swinging_tail}});
    std::vector<std::vector<MatrixX3d>> seen;
    for (int i = 0; i < 90; ++i) {
        const auto move = [&](int id, double x, double y) {
            good(session, {{"do", "move"}, {"id", id}, {"by", Json::array({x, y, 0.1 / 3.0})}});
        };
        switch (i) {
            case 3:
                good(session, {{"do", "grab"}, {"id", 1}, {"mesh", 0}, {"vertex", 100}, {"tool", "skin"}, {"seq", 7}});
                break;
            case 6:
                good(session, {{"do", "grab"}, {"id", 2}, {"mesh", 1}, {"vertex", 3}});
                break;
            case 14:
                good(session, {{"do", "release"}, {"id", 1}});
                good(session, {{"do", "set"}, {"layer", 1}, {"key", "stickiness"}, {"value", 0.1 + 0.2}});
                break;
            case 20:
                good(session, {{"do", "release"}, {"id", 2}});
                good(session, {{"do", "grab"}, {"id", 3}, {"mesh", 0}, {"vertex", 900}, {"tool", "joint"}});
                break;
            case 26:
                good(session, {{"do", "release"}, {"id", 3}});
                good(session, {{"do", "grab"}, {"id", 4}, {"mesh", 0}, {"vertex", 900}, {"tool", "body"}});
                good(session, {{"do", "clock"}, {"speed", 0.3}});
                break;
            case 34:
                good(session, {{"do", "release"}, {"id", 4}});
                good(session, {{"do", "straighten"}});
                good(session, {{"do", "clock"}, {"play", false}, {"speed", 1.0}});
                break;
            case 36:  // everything stands, but for what is asked
                good(session, {{"do", "show"}, {"channel", "slide distance"}});
                break;
            case 37:
                good(session, {{"do", "clock"}, {"play", true}, {"time", 1.5}});
                good(session, {{"do", "set"}, {"layer", 0}, {"key", "frequency"}, {"value", 2.5}});
                good(session, {{"do", "layer"}, {"layer", 2}, {"on", false}});
                break;
            default:
                break;
        }
        if (i >= 4 && i < 12) {
            move(1, 0.01 * i, 0.002);
        }
        if (i >= 7 && i < 16) {
            move(2, 0.012 * i, 0.04);
        }
        if (i >= 20 && i < 26) {
            move(3, 0.02 * (i - 19), 0.05);
        }
        if (i == 28) {
            move(4, 0.3, 0.2);
        }
        if (session.step()) {
            seen.emplace_back();
            for (const MeshFrame& mesh : session.state()->meshes) {
                seen.back().push_back(mesh.positions);
            }
        }
    }
    ASSERT_GT(seen.size(), 80U);
    const std::string text = good(session, {{"do", "save"}, {"hands", true}})["scene"].as_text();
    for (const int threads : {1, 2}) {
        std::vector<std::vector<MatrixX3d>> frames;
        const BakeReport report = baked(text, frames, threads);
        EXPECT_EQ(report.frames_done, static_cast<int>(seen.size()));
        ASSERT_EQ(frames.size(), seen.size());
        for (size_t f = 0; f < seen.size(); ++f) {
            ASSERT_TRUE(frames[f][0] == seen[f][0] && frames[f][1] == seen[f][1]) << "frame " << f + 1;
        }
        // The body that sinks ask at the end is where it was, joints that were turned included.
        EXPECT_LT((frames[25][2] - frames[25][0]).rowwise().norm().minCoeff(), 1e-9);
        std::vector<std::vector<MatrixX3d>> some;
        baked(text, some, threads, [](Scene& scene) {
            scene.first_frame = 20;
            scene.last_frame = 30;
        });
        ASSERT_EQ(some.size(), 11U);
        EXPECT_TRUE(some[10][0] == seen[29][0]);
    }
    // Hands matter: without them it is another bake.
    std::vector<std::vector<MatrixX3d>> still;
    baked(text, still, 1, [](Scene& scene) { scene.recording.commands.clear(); });
    EXPECT_GT((still[12][0] - seen[12][0]).cwiseAbs().maxCoeff(), 1e-3);

    // The page plays it, too, and what it saves then is the same.
    Session again(options);
    good(again, {{"do", "open"}, {"scene", text}});
    for (size_t f = 0; f < seen.size(); ++f) {
        ASSERT_TRUE(again.step());
        ASSERT_TRUE(again.state()->body().positions == seen[f][0]) << "step " << f + 1;
    }
    EXPECT_EQ(text, good(again, {{"do", "save"}, {"hands", true}})["scene"].as_text());
    EXPECT_EQ(std::string::npos, good(again, {{"do", "save"}})["scene"].as_text().find("[recording]"));
}

TEST_F(Recording, preparing_a_layer_again_does_not_stop_the_others) {
    options.patience = 0.0;
    Session session(options);
    good(session, {{"do", "open"}, {"scene", swinging_tail}});
    std::vector<std::vector<MatrixX3d>> seen;
    const auto step = [&] {
        ASSERT_TRUE(session.step());
        seen.emplace_back();
        for (const MeshFrame& mesh : session.state()->meshes) {
            seen.back().push_back(mesh.positions);
        }
    };
    for (int i = 0; i < 6; ++i) {
        step();
    }
    good(session, {{"do", "grab"}, {"id", 1}, {"mesh", 0}, {"vertex", 100}, {"tool", "skin"}});
    good(session, {{"do", "move"}, {"id", 1}, {"by", Json::array({0.05, 0.0, 0.02})}});
    const Eigen::Index before = seen.back()[1].rows();
    EXPECT_TRUE(good(session, {{"do", "set"}, {"layer", 2}, {"key", "size"}, {"value", 0.03}})["pending"].as_boolean());
    EXPECT_TRUE(good(session, {{"do", "set"}, {"layer", 2}, {"key", "size"}, {"value", 0.02}})["pending"].as_boolean());
    EXPECT_FALSE(
        good(session, {{"do", "set"}, {"layer", 1}, {"key", "stickiness"}, {"value", 0.7}}).contains("pending"));
    step();  // at once, with the spikes that are there
    EXPECT_EQ(seen.back()[1].rows(), before);
    // Both sizes come, one after the other.
    for (int came = 0, last = static_cast<int>(before); came < 2 && seen.size() < 5000;) {
        step();
        came += seen.back()[1].rows() != last ? 1 : 0;
        last = static_cast<int>(seen.back()[1].rows());
    }
    for (int i = 0; i < 10; ++i) {
        step();
    }
    const Json described = good(session, {{"do", "describe"}});
    const auto value_of_key = [&](size_t layer, const std::string& key) {
        for (const Json& option : described["layers"][layer]["options"]) {
            if (option["name"].as_text() == key) {
                return option["value"].as_number();
            }
        }
        return -1.0;
    };
    EXPECT_EQ(value_of_key(2, "size"), 0.02);
    EXPECT_EQ(value_of_key(1, "stickiness"), 0.7);

    // Played again where everything waits for what is prepared, it takes effect in the same steps.
    const std::string text = good(session, {{"do", "save"}, {"hands", true}})["scene"].as_text();
    options.patience = std::numeric_limits<double>::infinity();
    Session again(options);
    good(again, {{"do", "open"}, {"scene", text}});
    for (size_t f = 0; f < seen.size(); ++f) {
        ASSERT_TRUE(again.step());
        for (size_t m = 0; m < 2; ++m) {
            ASSERT_TRUE(again.state()->meshes[m].positions == seen[f][m]) << "step " << f + 1 << ", mesh " << m;
        }
    }
}

TEST_F(Recording, what_cannot_be_played_is_refused_with_its_place) {
    const auto refused = [&](const std::string& recording) {
        std::vector<std::vector<MatrixX3d>> frames;
        return test::message_of<std::exception>([&] {
            baked(
                "[body]\nactor = \"cylinder\"\nclip = \"bend\"\n[[layer]]\nkind = \"shell\"\ndetail = \"spike\"\nsize "
                "= "
                "0.05\nclip_aware = false\n" +
                    recording,
                frames, 1);
        });
    };
    EXPECT_NE(refused("[recording]\nsteps = 4\ncommands = ['{\"do\": \"release\"}']\n").find("command 1"),
              std::string::npos);
    EXPECT_NE(refused("[recording]\nsteps = 4\ncommands = ['{\"step\": 2, \"do\": \"dance\"}']\n").find("dance"),
              std::string::npos);
    EXPECT_NE(refused("[recording]\nsteps = 4\ncommands = ['{\"step\": 2, \"do\": \"clock\"}', '{\"step\": 1, \"do\": "
                      "\"clock\"}']\n")
                  .find("command 2"),
              std::string::npos);
    EXPECT_NE(
        refused("[recording]\nsteps = 4\ncommands = ['{\"step\": 2, \"do\": \"set\", \"layer\": 0, \"key\": \"size\", "
                "\"value\": 0.08}']\n")
            .find("step 3"),
        std::string::npos);
    EXPECT_NE(refused("[recording]\nsteps = 4\n[wedge]\n\"shell.size\" = [0.1, 0.2]\n").find("[wedge]"),
              std::string::npos);
    EXPECT_NE(refused("[output]\nlast_frame = 9\n[recording]\nsteps = 4\n").find("4 steps"), std::string::npos);
}

}  // namespace
}  // namespace cutis
