#include "cutis/stack/settings.h"

#include <gtest/gtest.h>

#include "cutis/core/error.h"
#include "cutis/stack/layer.h"

namespace cutis {
namespace {

SceneValue number(double value, int line = 1, int column = 1) {
    SceneValue out;
    out.kind = SceneValue::Kind::number;
    out.number = value;
    out.line = line;
    out.column = column;
    return out;
}

SceneValue whole(double value) {
    SceneValue out = number(value);
    out.kind = SceneValue::Kind::integer;
    return out;
}

SceneValue text(const std::string& value) {
    SceneValue out;
    out.text = value;
    return out;
}

SceneValue list(const std::vector<std::string>& words) {
    SceneValue out;
    out.kind = SceneValue::Kind::list;
    for (const std::string& word : words) {
        out.list.push_back(text(word));
    }
    return out;
}

struct Options {
    bool use_history = true;
    int count = 3;
    double stickiness = 0.3;
    std::string name = "a";
    std::vector<std::string> words = {"x"};
    char axis = 'y';
    std::vector<double> direction = {0.0, -1.0, 0.0};
    Paintable density = {1.5, "", false, 0.0, 0.0};
};

SettingsTable table_of(Options& options) {
    return {"[test]",
            "",
            {{"use_history", &options.use_history, "a switch"},
             {"count", &options.count, "a count", "", 1, 10},
             {"stickiness", &options.stickiness, "a share", "1", 0.0, 1.0},
             {"name", &options.name, "a text"},
             {.key = "words", .target = &options.words, .about = "", .choices = {"x", "yes"}},
             {"direction", &options.direction, "a direction", "", -1.0, 1.0},
             {"density", &options.density, "a number that may be painted", "kg/m^2", 0.0, 9.0},
             {.key = "axis",
              .target = ChoiceTarget{options.axis == 'z' ? 1 : 0,
                                     [&options](int i) { options.axis = i == 1 ? 'z' : 'y'; }},
              .about = "an axis",
              .choices = {"y", "z"}}}};
}

std::string refusal(const SceneValues& values) {
    Options options;
    try {
        apply_settings(values, table_of(options), "shot.toml");
    } catch (const InvalidInput& error) {
        return error.what();
    }
    return "accepted";
}

TEST(Settings, every_kind_of_value_reaches_its_field) {
    Options options;
    SceneValue off;
    off.kind = SceneValue::Kind::boolean;
    apply_settings({{"use_history", off},
                    {"count", whole(7)},
                    {"stickiness", number(0.25)},
                    {"name", text("b")},
                    {"words", list({"yes", "x"})},
                    {"axis", text("z")}},
                   table_of(options), "shot.toml");
    EXPECT_FALSE(options.use_history);
    EXPECT_EQ(options.count, 7);
    EXPECT_EQ(options.stickiness, 0.25);
    EXPECT_EQ(options.name, "b");
    EXPECT_EQ(options.words, (std::vector<std::string>{"yes", "x"}));
    EXPECT_EQ(options.axis, 'z');
}

SceneValue items(std::vector<SceneValue> values) {
    SceneValue out;
    out.kind = SceneValue::Kind::list;
    out.list = std::move(values);
    return out;
}

TEST(Settings, lists_of_numbers_and_paintable_numbers_are_read_in_all_their_forms) {
    Options options;
    apply_settings(
        {{"direction", items({number(1), whole(0), number(0.5)})}, {"density", number(2.0)}},
        table_of(options), "");
    EXPECT_EQ(options.direction, (std::vector<double>{1.0, 0.0, 0.5}));
    EXPECT_EQ(options.density.value, 2.0);
    apply_settings({{"density", text("painted:thick")}}, table_of(options), "");
    EXPECT_EQ(options.density.region, "painted:thick");
    EXPECT_FALSE(options.density.mixes);
    EXPECT_NE(settings_text(table_of(options)).find("density = \"painted:thick\""),
              std::string::npos);
    apply_settings({{"density", items({text("joint:jaw"), number(3), number(1)})}},
                   table_of(options), "");
    EXPECT_TRUE(options.density.mixes);
    EXPECT_EQ(options.density.inside, 3.0);
    EXPECT_EQ(options.density.outside, 1.0);
    EXPECT_NE(settings_text(table_of(options)).find("density = [\"joint:jaw\", 3.0, 1.0]"),
              std::string::npos);
    EXPECT_NE(settings_text(table_of(options)).find("direction = [1.0, 0.0, 0.5]"),
              std::string::npos);
    EXPECT_NE(refusal({{"density", items({text("all"), number(30), number(1)})}}), "accepted");
    EXPECT_NE(refusal({{"density", items({text("all"), number(3)})}}), "accepted");
    EXPECT_NE(refusal({{"direction", items({number(2)})}}), "accepted");
}

TEST(Settings, a_whole_number_is_a_number_but_not_the_other_way_round) {
    Options options;
    apply_settings({{"stickiness", whole(1)}}, table_of(options), "");
    EXPECT_EQ(options.stickiness, 1.0);
    EXPECT_EQ(refusal({{"count", number(2.5, 4, 9)}}),
              "shot.toml:4:9: [test] count: expected a whole number, found a number");
}

TEST(Settings, an_unknown_key_names_the_nearest_one) {
    EXPECT_EQ(refusal({{"stickines", number(0.1, 5, 2)}}),
              "shot.toml:5:2: [test] has no key 'stickines'; did you mean 'stickiness'?");
    EXPECT_NE(refusal({{"use-history", number(1)}}).find("'use_history'"), std::string::npos);
    EXPECT_NE(refusal({{"cuont", number(1)}}).find("'count'"), std::string::npos);
    EXPECT_NE(
        refusal({{"qqqqqqqqqqqq", number(1)}})
            .find(
                "it has use_history, count, stickiness, name, words, direction, density and axis"),
        std::string::npos);
}

TEST(Settings, numbers_out_of_range_and_not_finite_are_refused) {
    EXPECT_EQ(refusal({{"stickiness", number(1.5, 2, 3)}}),
              "shot.toml:2:3: [test] stickiness: expected a number from 0 to 1, found 1.5");
    EXPECT_NE(refusal({{"stickiness", number(std::nan(""))}}), "accepted");
    EXPECT_NE(refusal({{"count", whole(0)}}), "accepted");
    EXPECT_NE(refusal({{"count", whole(1e18)}}), "accepted");
}

TEST(Settings, words_outside_the_choices_and_repeated_words_are_refused) {
    EXPECT_NE(refusal({{"axis", text("x")}}).find("expected one of y and z, found \"x\""),
              std::string::npos);
    EXPECT_NE(refusal({{"words", list({"ye"})}}).find("did you mean \"yes\"?"), std::string::npos);
    EXPECT_NE(refusal({{"words", list({"x", "x"})}}).find("twice"), std::string::npos);
    EXPECT_NE(refusal({{"words", text("x")}}).find("expected a list, found a text"),
              std::string::npos);
}

TEST(Settings, a_table_as_text_shows_value_unit_range_and_choices) {
    Options options;
    options.name = "a\"b\\c\n";
    const std::string shown = settings_text(table_of(options));
    EXPECT_NE(shown.find("stickiness = 0.3"), std::string::npos);
    EXPECT_NE(shown.find("# a share [1], 0 to 1"), std::string::npos);
    EXPECT_NE(shown.find("axis = \"y\""), std::string::npos);
    EXPECT_NE(shown.find("# an axis: y or z"), std::string::npos);
    EXPECT_NE(shown.find("name = \"a\\\"b\\\\c\\u000A\""), std::string::npos);
}

TEST(Settings, a_scene_needs_exactly_one_source_and_keys_that_go_with_it) {
    const auto complaint = [](const Scene& scene) -> std::string {
        try {
            check_scene(scene);
        } catch (const InvalidInput& error) {
            return error.what();
        }
        return "accepted";
    };
    Scene scene;
    EXPECT_NE(complaint(scene).find("expected one of file, actor, or mesh; found none"),
              std::string::npos);
    scene.body.file = "a.glb";
    EXPECT_EQ(complaint(scene), "accepted");
    scene.body.cache = "a.pc2";
    EXPECT_NE(complaint(scene).find("cache goes with an OBJ mesh"), std::string::npos);
    scene.body.cache.clear();
    scene.body.actor = "cylinder";
    EXPECT_NE(complaint(scene).find("found file and actor"), std::string::npos);
    scene.body.actor.clear();
    scene.output.formats.clear();
    EXPECT_NE(complaint(scene).find("empty list"), std::string::npos);
    scene.output.formats = {"glb", "pc2", "glb"};
    EXPECT_NE(complaint(scene).find("found \"glb\" twice"), std::string::npos);
    scene.output.formats = {"glb"};
    scene.first_frame = 5;
    scene.last_frame = 4;
    EXPECT_NE(complaint(scene).find("first_frame <= last_frame"), std::string::npos);
    scene.last_frame = 0;
    scene.body.motion = "a.bvh";
    scene.body.options.clip = "walk";
    EXPECT_NE(complaint(scene).find("clip or motion"), std::string::npos);
}

TEST(Settings, a_kind_of_layer_this_build_lacks_is_refused_with_what_there_is) {
    LayerScene layer;
    layer.kind = "slime";
    layer.line = 7;
    layer.column = 1;
    const std::vector<LayerKind> kinds = {{"slide", "", {}}, {"fold", "", {}}};
    try {
        plan_layer(layer, "shot.toml", kinds);
        FAIL() << "accepted";
    } catch (const InvalidInput& error) {
        EXPECT_STREQ(error.what(),
                     "shot.toml:7:1: [[layer]] kind: expected a layer this build has (it has slide "
                     "and fold), found \"slime\"");
    }
}

}  // namespace
}  // namespace cutis
