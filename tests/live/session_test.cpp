#include "cutis/live/session.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <map>
#include <random>

#include "cutis/actors/actors.h"
#include "cutis/core/error.h"
#include "cutis/stack/bake.h"
#include "cutis/stack/frame.h"
#include "live/values.h"

namespace cutis {
namespace {

// A limb with skin and spikes: small enough for thousands of steps.
constexpr const char* limb = R"(
[body]
actor = "cylinder"
clip = "bend"

[[layer]]
kind = "slide"
stickiness = 0.4

[[layer]]
kind = "shell"
name = "spikes"
detail = "spike"
size = 0.05
height = 0.03
clip_aware = false
)";

// A tail that swings, with folds on the suit, skin and spikes.
constexpr const char* creature = R"(
[body]
actor = "creature"
clip = "walk"

[[layer]]
kind = "curve"
from = "tail_1"
frequency = 1.4

[[layer]]
kind = "slide"
region = ["not part:suit"]
pin_creases = 0.5
step = 0.0168
tolerance = 0.003

[[layer]]
kind = "shell"
detail = "spike"
size = 0.012
density = [{ box = [-0.08, 1.1, -2, 0.08, 2, -0.6] }, 1, 0]
)";

// The creature's suit alone.
constexpr const char* suit = R"(
[body]
actor = "creature"

[[layer]]
kind = "fold"
where = ["part:suit"]
width = 0.08
edges_per_fold = 4
most_levels = 1
)";

class LiveSession : public ::testing::Test {
protected:
    LiveSession() : folder(std::filesystem::temp_directory_path() / ("cutis-live-test-" + std::to_string(::getpid()))) {
        std::filesystem::create_directories(folder);
        options.workers = &workers;
        options.actors = load_actor;
        options.folder = folder;
        options.measures = false;
    }
    ~LiveSession() override { std::filesystem::remove_all(folder); }

    Json good(Session& session, const Json& command) {
        Json answer = session.apply(command);
        EXPECT_TRUE(answer["ok"].as_boolean()) << command.dump() << ": " << answer.dump();
        return answer;
    }
    static void run(Session& session, int steps) {
        for (int i = 0; i < steps; ++i) {
            ASSERT_TRUE(session.step());
        }
    }
    static MatrixX3d skin(const Session& session) { return session.state()->body().positions; }
    static MatrixX3d detail(const Session& session) { return session.state()->meshes.back().positions; }
    /// A vertex of the body in the middle of the limb, away from its pinned rims.
    static int middle_vertex(const Session& session) {
        const MatrixX3d places = skin(session);
        const Eigen::RowVector3d centre = places.colwise().mean();
        Eigen::Index nearest = 0;
        (places.rowwise() - (centre + Eigen::RowVector3d(0, 1, 0))).rowwise().squaredNorm().minCoeff(&nearest);
        return static_cast<int>(nearest);
    }

    Workers workers{1};
    std::filesystem::path folder;
    SessionOptions options;
};

TEST_F(LiveSession, plays_and_scrubs) {
    Session session(options);
    EXPECT_FALSE(session.step());  // nothing is open
    good(session, {{"do", "open"}, {"scene", limb}});
    run(session, 3);
    const MatrixX3d before = skin(session);
    run(session, 5);
    EXPECT_GT((skin(session) - before).norm(), 1e-3);
    good(session, {{"do", "clock"}, {"play", false}, {"pose", false}, {"time", 0.0}});
    run(session, 1);
    EXPECT_FALSE(session.step());  // it stands still
}

TEST_F(LiveSession, settles_on_a_pose) {
    Session session(options);
    good(session, {{"do", "open"}, {"scene", limb}});
    run(session, 12);
    good(session, {{"do", "clock"}, {"play", false}, {"pose", true}});
    run(session, 60);
    const MatrixX3d before = detail(session);
    run(session, 1);
    EXPECT_LT((detail(session) - before).cwiseAbs().maxCoeff(), 1e-4);  // the clip moves it by centimetres
}

TEST_F(LiveSession, a_recorded_session_gives_the_same_bits) {
    Session first(options);
    good(first, {{"do", "open"}, {"scene", limb}});
    std::vector<std::vector<unsigned char>> frames;
    for (int i = 0; i < 40; ++i) {
        if (i == 5) {
            good(first, {{"do", "grab"}, {"id", 1}, {"mesh", 0}, {"vertex", middle_vertex(first)}, {"tool", "skin"}});
        }
        if (i >= 6 && i < 15) {
            good(first, {{"do", "move"}, {"id", 1}, {"by", Json::array({0.004 * (i - 5), 0.0, 0.002})}});
        }
        if (i == 15) {
            good(first, {{"do", "release"}, {"id", 1}});
        }
        if (i == 20) {
            good(first, {{"do", "set"}, {"layer", 0}, {"key", "stickiness"}, {"value", 0.9}});
        }
        if (i == 25) {
            good(first, {{"do", "layer"}, {"layer", 1}, {"on", false}});
        }
        if (i == 30) {
            good(first, {{"do", "set"}, {"layer", 1}, {"key", "size"}, {"value", 0.08}});
            good(first, {{"do", "layer"}, {"layer", 1}, {"on", true}});
        }
        ASSERT_TRUE(first.step());
        frames.push_back(first.frame());
    }
    const Json record = good(first, {{"do", "record"}});
    Session second(options);
    good(second, {{"do", "open"}, {"scene", limb}});
    size_t next = 0;
    for (size_t i = 0; i < frames.size(); ++i) {
        for (;
             next < record["commands"].size() && record["commands"][next]["step"].as_number() == static_cast<double>(i);
             ++next) {
            if (record["commands"][next]["command"]["do"].as_text() != "open") {
                good(second, record["commands"][next]["command"]);
            }
        }
        ASSERT_TRUE(second.step());
        ASSERT_TRUE(second.frame() == frames[i]) << "step " << i;
    }
}

TEST_F(LiveSession, skin_follows_a_hand_and_comes_back) {
    Session session(options);
    good(session, {{"do", "open"}, {"scene", limb}});
    good(session, {{"do", "clock"}, {"play", false}, {"pose", true}});
    run(session, 5);
    const int vertex = middle_vertex(session);
    const MatrixX3d before = skin(session);
    EXPECT_EQ("skin", good(session, {{"do", "grab"}, {"id", 3}, {"mesh", 0}, {"vertex", vertex}})["tool"].as_text());
    good(session, {{"do", "move"}, {"id", 3}, {"by", Json::array({0.03, 0.0, 0.0})}});
    run(session, 1);
    EXPECT_GT(skin(session)(vertex, 0) - before(vertex, 0), 1e-4);  // in the next frame
    run(session, 30);
    EXPECT_GT(skin(session)(vertex, 0) - before(vertex, 0), 0.005);
    good(session, {{"do", "release"}, {"id", 3}});
    run(session, 90);
    EXPECT_LT((skin(session) - before).rowwise().norm().maxCoeff(), 0.002);
}

TEST_F(LiveSession, a_hand_keeps_hold_while_options_change) {
    Session session(options);
    good(session, {{"do", "open"}, {"scene", limb}});
    good(session, {{"do", "clock"}, {"play", false}, {"pose", true}});
    run(session, 3);
    const int vertex = middle_vertex(session);
    const MatrixX3d before = skin(session);
    good(session, {{"do", "grab"}, {"id", 3}, {"mesh", 0}, {"vertex", vertex}, {"tool", "skin"}});
    good(session, {{"do", "move"}, {"id", 3}, {"by", Json::array({0.03, 0.0, 0.0})}});
    run(session, 30);
    const double drawn = skin(session)(vertex, 0) - before(vertex, 0);
    good(session, {{"do", "set"}, {"layer", 0}, {"key", "stickiness"}, {"value", 0.6}});
    run(session, 30);
    EXPECT_NEAR(skin(session)(vertex, 0) - before(vertex, 0), drawn, 0.05 * drawn);  // the body stands still
}

TEST_F(LiveSession, detail_quivers_or_takes_the_base_along) {
    for (const double base_stiffness : {0.0, 10.0}) {
        Session session(options);
        good(session, {{"do", "open"}, {"scene", limb}});
        good(session, {{"do", "clock"}, {"play", false}, {"pose", true}});
        good(session, {{"do", "set"}, {"layer", 1}, {"key", "base_stiffness"}, {"value", base_stiffness}});
        run(session, 3);
        const MatrixX3d at_rest = detail(session);
        const MatrixX3d base = skin(session);
        Eigen::Index top = 0;
        at_rest.col(1).maxCoeff(&top);
        good(session, {{"do", "grab"}, {"id", 0}, {"mesh", 1}, {"vertex", top}});
        good(session, {{"do", "move"}, {"id", 0}, {"by", Json::array({0.0, 0.02, 0.0})}});
        run(session, 1);
        EXPECT_GT((detail(session) - at_rest).rowwise().norm().maxCoeff(), 1e-4);
        run(session, 20);
        const double moved = (skin(session) - base).rowwise().norm().maxCoeff();
        EXPECT_EQ(base_stiffness > 0.0, moved > 1e-3) << moved;
        good(session, {{"do", "release"}, {"id", 0}});
        run(session, 60);
        EXPECT_LT((detail(session) - at_rest).rowwise().norm().maxCoeff(), 1e-3);
    }
}

TEST_F(LiveSession, flesh_and_joints_follow_a_hand) {
    Session session(options);
    good(session, {{"do", "open"}, {"scene", creature}});
    good(session, {{"do", "clock"}, {"play", false}, {"pose", true}});
    run(session, 3);
    const MatrixX3d before = skin(session);
    Eigen::Index tail = 0;
    before.col(2).minCoeff(&tail);
    const Json grab = {{"do", "grab"}, {"id", 1}, {"mesh", 0}, {"vertex", tail}, {"tool", "flesh"}};
    good(session, grab);
    good(session, {{"do", "move"}, {"id", 1}, {"by", Json::array({0.2, 0.0, 0.0})}});
    run(session, 8);
    EXPECT_GT(skin(session)(tail, 0) - before(tail, 0), 0.01);
    good(session, {{"do", "release"}, {"id", 1}});
    good(session, {{"do", "grab"}, {"id", 2}, {"mesh", 0}, {"vertex", tail}, {"tool", "joint"}});
    good(session, {{"do", "move"}, {"id", 2}, {"by", Json::array({0.0, 0.1, 0.0})}});
    run(session, 4);
    good(session, {{"do", "release"}, {"id", 2}});
    run(session, 2);
    EXPECT_GT(skin(session)(tail, 1) - before(tail, 1), 0.02);
    good(session, {{"do", "straighten"}});
    run(session, 120);
    EXPECT_LT((skin(session) - before).rowwise().norm().maxCoeff(), 0.05);
}

TEST_F(LiveSession, cloth_follows_a_hand_no_further_than_it_reaches_and_springs_back) {
    Session session(options);
    good(session, {{"do", "open"}, {"scene", suit}});
    good(session, {{"do", "clock"}, {"play", false}, {"pose", true}});
    run(session, 3);
    const MatrixX3d before = skin(session);
    // On the flank of the suit.
    int vertex = -1;
    for (int v = 0; v < static_cast<int>(before.rows()); ++v) {
        const bool is_trunk = before(v, 1) > 0.9 && before(v, 1) < 1.1 && std::abs(before(v, 2)) < 0.1;
        if (is_trunk && (vertex < 0 || before(v, 0) > before(vertex, 0))) {
            vertex = v;
        }
    }
    ASSERT_GE(vertex, 0);
    EXPECT_EQ("cloth",
              good(session, {{"do", "grab"}, {"id", 1}, {"mesh", 0}, {"vertex", vertex}, {"radius", 0.05}})["tool"]
                  .as_text());
    const auto moved = [&](const Session& of) { return MatrixX3d(skin(of) - before).rowwise().norm().eval(); };
    good(session, {{"do", "move"}, {"id", 1}, {"by", Json::array({0.1, 0.0, 0.0})}});
    run(session, 1);
    EXPECT_GT(moved(session)[vertex], 0.005);  // in the next frame
    run(session, 60);
    // Half of the breadth (three folds of 0.08 m) at most: 0.12 * 0.1 / (0.12 + 0.1).
    EXPECT_NEAR(moved(session).maxCoeff(), 0.12 * 0.1 / 0.22, 0.003);
    const auto far_away = moved(session);
    for (Eigen::Index v = 0; v < before.rows(); ++v) {
        if ((before.row(v) - before.row(vertex)).norm() > 0.5) {
            ASSERT_EQ(0.0, far_away[v]) << v;
        }
    }
    good(session, {{"do", "move"}, {"id", 1}, {"by", Json::array({-0.1, 0.0, 0.0})}});
    run(session, 60);
    EXPECT_LT(before(vertex, 0) - skin(session)(vertex, 0), 0.02);  // not into the body
    good(session, {{"do", "release"}, {"id", 1}});
    run(session, 90);
    EXPECT_EQ(skin(session), before);  // the patch is forgotten
}

TEST_F(LiveSession, a_joint_is_turned_on_top_of_the_clip_or_instead_of_it) {
    const auto swung = [&](bool instead) {  // how far the clip carries a limb whose joints were all taken once
        Session session(options);
        good(session, {{"do", "open"}, {"scene", "[body]\nactor = \"cylinder\"\nclip = \"bend\"\n"}});
        run(session, 10);
        const MatrixX3d before = skin(session);
        constexpr int hands = 16;
        for (int id = 0; id < hands; ++id) {
            const auto vertex = before.rows() * id / hands;
            good(
                session,
                {{"do", "grab"}, {"id", id}, {"mesh", 0}, {"vertex", vertex}, {"tool", "joint"}, {"instead", instead}});
        }
        for (int id = 0; id < hands; ++id) {
            good(session, {{"do", "release"}, {"id", id}});
        }
        run(session, 12);
        const double moved = (skin(session) - before).rowwise().norm().maxCoeff();
        good(session, {{"do", "straighten"}});
        run(session, 1);
        return std::pair(moved, (skin(session) - before).rowwise().norm().maxCoeff());
    };
    const auto on_top = swung(false);
    const auto instead = swung(true);
    EXPECT_GT(on_top.first, 0.02);
    EXPECT_LT(instead.first, 1e-9);
    EXPECT_NEAR(instead.second, on_top.second, 1e-9);  // both are the clip again
}

TEST_F(LiveSession, stiffness_of_a_hand_changes_while_it_holds) {
    const auto pulled = [&](bool sets, double first) {
        Session session(options);
        good(session,
             {{"do", "open"}, {"scene", limb + concat("offset_stiffness = ", first, "\nbase_stiffness = 5\n")}});
        good(session, {{"do", "clock"}, {"play", false}, {"pose", true}});
        run(session, 2);
        Eigen::Index top = 0;
        detail(session).col(1).maxCoeff(&top);
        if (sets) {
            const Json set = {{"do", "set"}, {"layer", 1}, {"key", "offset_stiffness"}, {"value", 40}};
            EXPECT_FALSE(good(session, set)["prepared"].as_boolean());
        }
        good(session, {{"do", "grab"}, {"id", 0}, {"mesh", 1}, {"vertex", top}});
        good(session, {{"do", "move"}, {"id", 0}, {"by", Json::array({0.0, 0.02, 0.0})}});
        run(session, 10);
        return detail(session);
    };
    EXPECT_NE(pulled(false, 1.0), pulled(false, 40.0));
    EXPECT_EQ(pulled(true, 1.0), pulled(false, 40.0));
}

TEST_F(LiveSession, frames_bring_the_directions_that_are_looked_at) {
    Session session(options);
    good(session, {{"do", "open"}, {"scene", limb}});
    run(session, 2);
    const auto brings = [&] {
        const std::vector<unsigned char>& frame = session.frame();
        return std::string(frame.begin(), frame.end()).find("\"kind\":\"direction\"") != std::string::npos;
    };
    EXPECT_FALSE(brings());
    good(session, {{"do", "show"}, {"direction", "major direction"}});
    run(session, 1);
    EXPECT_TRUE(brings());
}

TEST_F(LiveSession, an_option_changed_live_is_as_if_the_layer_had_been_prepared_with_it) {
    const auto played = [&](const std::string& opened_with, const Json& set) {
        Session session(options);
        std::string scene = limb;
        scene.replace(scene.find("stickiness = 0.4"), 16, opened_with);
        good(session, {{"do", "open"}, {"scene", scene}});
        if (!set.empty()) {
            EXPECT_FALSE(good(session, set)["prepared"].as_boolean()) << set.dump();
        }
        run(session, 10);
        return skin(session);
    };
    const std::map<std::string, std::pair<double, double>> keys = {
        {"stickiness", {0.2, 0.9}}, {"young_modulus", {100.0, 900.0}}, {"damping", {1.0, 30.0}},
        {"density", {1.0, 6.0}},    {"tether", {500.0, 9000.0}},       {"poisson_ratio", {0.1, 0.5}},
    };
    for (const auto& [key, values] : keys) {
        const auto scene = [&key = key](double value) { return key + " = " + std::to_string(value); };
        const MatrixX3d one = played(scene(values.first), {});
        const MatrixX3d other = played(scene(values.second), {});
        EXPECT_NE(one, other) << key;
        EXPECT_EQ(other,
                  played(scene(values.first), {{"do", "set"}, {"layer", 0}, {"key", key}, {"value", values.second}}))
            << key;
    }
}

TEST_F(LiveSession, the_other_layers_keep_their_state) {
    Session session(options);
    good(session, {{"do", "open"}, {"scene", limb}});
    run(session, 20);
    Session same(options);
    good(same, {{"do", "open"}, {"scene", limb}});
    run(same, 20);
    good(session, {{"do", "set"}, {"layer", 1}, {"key", "size"}, {"value", 0.08}});
    run(session, 1);
    run(same, 1);
    EXPECT_EQ(skin(session), skin(same));
    EXPECT_NE(detail(session).rows(), detail(same).rows());
}

TEST_F(LiveSession, a_layer_is_really_off) {
    Session session(options);
    good(session, {{"do", "open"}, {"scene", limb}});
    good(session, {{"do", "layer"}, {"layer", 0}, {"on", false}});
    good(session, {{"do", "show"}, {"plain", true}});
    run(session, 20);
    EXPECT_EQ(session.state()->body().positions, session.state()->body().plain_positions);
}

TEST_F(LiveSession, a_saved_scene_is_the_one_that_is_seen) {
    Session session(options);
    good(session, {{"do", "open"}, {"scene", limb}});
    good(session, {{"do", "set"}, {"layer", 0}, {"key", "stickiness"}, {"value", 0.85}});
    const std::string saved = good(session, {{"do", "save"}})["scene"].as_text();
    const Scene scene = parse_scene(saved, "saved");
    ASSERT_EQ(2U, scene.layers.size());
    EXPECT_EQ(0.85, scene.layers[0].values.at("stickiness").number);
    EXPECT_EQ("cylinder", scene.body.actor);
    EXPECT_EQ("spike", scene.layers[1].values.at("detail").text);
}

TEST_F(LiveSession, refuses_with_words_and_goes_on) {
    Session session(options);
    const auto refused = [&](const Json& command) { return session.apply(command)["error"].as_text(); };
    EXPECT_NE("", refused({{"do", "clock"}, {"play", true}}));
    EXPECT_NE("", refused({{"do", "open"}, {"scene", "[body]\nactor = \"nobody\"\n"}}));
    EXPECT_NE("", refused({{"do", "open"}, {"scene", "[body]\nfile = \"/etc/passwd\"\n"}}));
    EXPECT_NE("", refused({{"do", "open"}, {"character", "../secret.glb"}}));
    good(session, {{"do", "open"}, {"scene", limb}});
    run(session, 2);
    EXPECT_NE("", refused({{"do", "set"}, {"layer", 0}, {"key", "stickines"}, {"value", 1}}));
    EXPECT_NE("", refused({{"do", "set"}, {"layer", 0}, {"key", "stickiness"}, {"value", 7}}));
    EXPECT_NE("", refused({{"do", "set"}, {"layer", 9}, {"key", "stickiness"}, {"value", 0.5}}));
    EXPECT_NE("", refused({{"do", "grab"}, {"id", 1}, {"mesh", 0}, {"vertex", 1000000}}));
    EXPECT_NE("", refused({{"do", "move"}, {"id", 4}, {"by", Json::array({0, 0, 0})}}));
    EXPECT_NE("", refused({{"do", "dance"}}));
    EXPECT_NE("", refused(Json::array({1, 2})));
    const std::vector<unsigned char> bad = {'g', 'l', 'T', 'F', 1, 2};
    EXPECT_NE("", session.take_file("../up.glb", bad)["error"].as_text());
    EXPECT_TRUE(session.take_file("bad.glb", bad)["ok"].as_boolean());
    EXPECT_NE("", refused({{"do", "open"}, {"character", "bad.glb"}}));
    run(session, 5);  // what was open goes on
}

/// Random commands in random order: never a number that is not finite, never an exception.
void play_at_random(Session& session, unsigned seed, int steps) {
    std::mt19937 random(seed);
    const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
    const auto share = [&] { return static_cast<double>(random() % 1000U) / 999.0; };
    const std::vector<std::string> keys = {"stickiness", "damping",  "young_modulus",   "density", "frequency", "gain",
                                           "tether",     "substeps", "initial_stretch", "size",    "nonsense"};
    const std::vector<std::string> tools = {"auto", "skin", "flesh", "detail", "joint", "body", "cloth"};
    for (int i = 0; i < steps; ++i) {
        Json command;
        switch (below(12)) {
            case 0:
                command = Json{
                    {"do", "clock"}, {"play", below(3) > 0}, {"pose", below(2) > 0}, {"speed", 0.05 + 2.0 * share()}};
                break;
            case 1:
                command = Json{{"do", "clock"}, {"time", share()}};
                break;
            case 2:
                command = Json{{"do", "set"},
                               {"layer", below(3)},
                               {"key", keys[static_cast<size_t>(below(10))]},
                               {"value", 3.0 * share()}};
                break;
            case 3:
                command = Json{{"do", "layer"}, {"layer", below(3)}, {"on", below(3) > 0}};
                break;
            case 4:
            case 5:
                command = Json{{"do", "grab"},
                               {"id", below(4)},
                               {"mesh", below(3)},
                               {"vertex", below(400)},
                               {"tool", tools[static_cast<size_t>(below(7))]},
                               {"instead", below(2) > 0}};
                break;
            case 6:
            case 7:
            case 8:
                command = Json{{"do", "move"},
                               {"id", below(4)},
                               {"by", Json::array({share() - 0.5, share() - 0.5, share() - 0.5})}};
                break;
            case 9:
                command = Json{{"do", "release"}, {"id", below(4)}};
                break;
            case 10:
                command = Json{{"do", "straighten"}};
                break;
            default:
                command = Json{{"do", "show"}, {"plain", below(2) > 0}, {"channel", "slide distance"}};
        }
        session.apply(command);
        session.step();
        for (const MeshFrame& mesh : session.state()->meshes) {
            ASSERT_TRUE(mesh.positions.allFinite()) << "step " << i << " after " << command.dump();
        }
    }
}

TEST_F(LiveSession, random_commands_do_no_harm) {
    Session session(options);
    good(session, {{"do", "open"}, {"scene", limb}});
    play_at_random(session, 7, 150);
    const Json record = good(session, {{"do", "record"}});
    EXPECT_GT(record["commands"].size(), 30U);
    // What was done goes on where it was left: the saved scene, played by another session, comes to the same bits.
    const std::string saved = good(session, {{"do", "save"}, {"hands", true}})["scene"].as_text();
    Session again(options);
    good(again, {{"do", "open"}, {"scene", saved}});
    const long steps = std::lround(record["steps"].as_number());
    while (std::lround(good(again, {{"do", "hash"}})["step"].as_number()) < steps) {
        ASSERT_TRUE(again.step()) << again.problem();
    }
    EXPECT_EQ(skin(session), skin(again));
    EXPECT_EQ(detail(session), detail(again));
    play_at_random(session, 8, 20);
}

TEST_F(LiveSession, slow_thousands_of_random_commands_do_no_harm) {
    for (const char* scene : {limb, creature}) {
        Session session(options);
        good(session, {{"do", "open"}, {"scene", scene}});
        play_at_random(session, 11, scene == limb ? 2500 : 400);
    }
}

TEST(LiveValues, layers_of_a_scene_are_replaced) {
    const std::string scene =
        "# a\n[body]\nactor = \"arm\"\n\n[[layer]]  # skin\nkind = \"slide\"\nregion = "
        "[\n[\"all\"],\n]\n\n[output]\nfps = 24\n";
    Table values;
    values["stickiness"] = value_of(Json(0.5));
    values["pins"] = value_of(Json::array({"boundary"}));
    EXPECT_EQ(
        "# a\n[body]\nactor = \"arm\"\n\n[output]\nfps = 24\n\n[[layer]]\nkind = \"slide\"\npins = "
        "[\"boundary\"]\nstickiness = 0.5\n",
        with_layers(scene, {{"slide", values}}));
}

}  // namespace
}  // namespace cutis
