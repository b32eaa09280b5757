#include "cutis/io/scene_read.h"

#include <fstream>

#include "cutis/actors/actors.h"
#include "cutis/core/error.h"
#include "cutis/io/sinks.h"
#include "cutis/stack/settings.h"
#include "support/data.h"

namespace cutis {
namespace {

std::string refusal(const std::string& text) {
    try {
        check_scene(parse_scene(text, "shot.toml"));
    } catch (const InvalidInput& error) {
        return error.what();
    }
    return "accepted";
}

TEST(SceneRead,
     letters_beyond_ascii_stand_in_quotes_and_comments_only_and_control_characters_nowhere) {
    EXPECT_NO_THROW(
        parse_scene("# \xC3\xA9\n[body]\nactor = \"torus\"\nclip = \"\xC3\xA9\"\n", "a.toml"));
    EXPECT_THROW(parse_scene("[body]\n\xC3\xA9 = 1\n", "a.toml"), InvalidInput);
    EXPECT_THROW(parse_scene(std::string("[body]\nactor = \"to\0rus\"\n", 23), "a.toml"),
                 InvalidInput);
    try {
        parse_scene("[body]\n\a", "a.toml");
        FAIL();
    } catch (const InvalidInput& error) {
        EXPECT_NE(std::string(error.what()).find("a.toml:2:1"), std::string::npos) << error.what();
    }
}

TEST(SceneRead, the_sample_of_the_documentation_is_understood) {
    const Scene scene = parse_scene(R"(
[body]
file = "dancer.glb"
mesh = "tights"
clip = "ballet"
skinning = "dual-quaternion"
fps = 24
[output]
formats = ["glb", "usda", "pc2"]
)",
                                    "shot.toml");
    EXPECT_EQ(scene.body.file, "dancer.glb");
    EXPECT_EQ(scene.body.options.mesh, "tights");
    EXPECT_TRUE(scene.body.mesh_file.empty());
    EXPECT_EQ(scene.body.options.clip, "ballet");
    EXPECT_EQ(scene.body.options.skinning, Skinning::dual_quaternion);
    EXPECT_EQ(scene.fps, 24.0);
    EXPECT_EQ(scene.output.formats, (std::vector<std::string>{"glb", "usda", "pc2"}));
    check_scene(scene);
}

TEST(SceneRead, mesh_is_a_name_with_file_and_a_path_without) {
    const Scene alone = parse_scene("[body]\nmesh = \"a.obj\"\ncache = \"a.pc2\"\n", "");
    EXPECT_EQ(alone.body.mesh_file, "a.obj");
    EXPECT_TRUE(alone.body.options.mesh.empty());
    const Scene actor = parse_scene("[body]\nmesh = \"cylinder\"\nactor = \"cylinder\"\n", "");
    EXPECT_EQ(actor.body.options.mesh, "cylinder");
}

TEST(SceneRead, every_key_reaches_its_field) {
    const Scene scene = parse_scene(R"(
[body]
mesh = "a.obj"
cache = "a.*.obj"
cache_rate = 120
rest = "r.obj"
scale = 0.01
up = "z"
time_scale = 0.5
loop = "loop"
seam_tolerance = 0.002
jump_limit = 0.5
between_keys = "smooth"
pre_roll = 1.5
repair = false
weld_distance = 1e-5
[output]
tolerance = 1e-3
first_frame = 3
last_frame = 9
)",
                                    "");
    EXPECT_EQ(scene.body.cache, "a.*.obj");
    EXPECT_EQ(scene.body.cache_rate, 120.0);
    EXPECT_EQ(scene.body.rest, "r.obj");
    EXPECT_EQ(scene.body.options.scale, 0.01);
    EXPECT_EQ(scene.body.options.up_axis, 'z');
    EXPECT_EQ(scene.body.options.clock.time_scale, 0.5);
    EXPECT_EQ(scene.body.options.clock.loop, LoopMode::loop);
    EXPECT_EQ(scene.body.options.clock.seam_tolerance, 0.002);
    EXPECT_EQ(scene.body.options.clock.jump_limit, 0.5);
    EXPECT_EQ(scene.body.sampling, TimeSampling::smooth);
    EXPECT_EQ(scene.pre_roll, 1.5);
    EXPECT_FALSE(scene.body.repair);
    EXPECT_EQ(scene.body.weld_distance, 1e-5);
    EXPECT_EQ(scene.output.tolerance, 1e-3);
    EXPECT_EQ(scene.first_frame, 3);
    EXPECT_EQ(scene.last_frame, 9);
    EXPECT_EQ(parse_scene("[body]\nfile=\"a\"\nmotion=\"m.bvh\"", "").body.motion, "m.bvh");
}

TEST(SceneRead, the_printed_defaults_are_the_default_scene) {
    Scene parsed = parse_scene(annotated_defaults(), "");
    Scene defaults;
    EXPECT_TRUE(parsed.layers.empty());
    EXPECT_TRUE(parsed.body.mesh_file.empty());
    // Each key once, with the default: then the tables of both scenes print alike.
    EXPECT_EQ(settings_text(body_settings(parsed)), settings_text(body_settings(defaults)));
    EXPECT_EQ(settings_text(output_settings(parsed)), settings_text(output_settings(defaults)));
    for (const SettingsTable& table : {body_settings(defaults), output_settings(defaults)}) {
        for (const Setting& setting : table.settings) {
            EXPECT_NE(annotated_defaults().find("\n" + setting.key + " = "), std::string::npos)
                << setting.key;
            EXPECT_FALSE(setting.about.empty()) << setting.key;
        }
    }
}

TEST(SceneRead, the_formats_of_a_scene_are_those_the_library_writes) {
    Scene scene;
    for (const Setting& setting : output_settings(scene).settings) {
        if (setting.key == "formats") {
            EXPECT_EQ(setting.choices, known_formats());
        }
    }
}

TEST(SceneRead, bad_toml_is_refused_with_line_and_column) {
    const std::string message = refusal("[body]\nfile = \n");
    EXPECT_EQ(message.rfind("shot.toml:2:", 0), 0u) << message;
    EXPECT_EQ(refusal("[body]\nfps = 30\nfps = 25\n").rfind("shot.toml:3:", 0), 0u);
    EXPECT_EQ(refusal(std::string("[body]\nfile = \"a\0b\"\n", 20)).rfind("shot.toml:2:", 0), 0u);
    EXPECT_NE(refusal("\xff\xfe[body]"), "accepted");
    EXPECT_NE(refusal(std::string(20000, '[')), "accepted");
}

TEST(SceneRead, an_unknown_key_is_refused_with_its_place_and_the_nearest_one) {
    EXPECT_EQ(refusal("[body]\nfile = \"a.glb\"\n  skining = \"x\"\n"),
              "shot.toml:3:3: [body] has no key 'skining'; did you mean 'skinning'?");
    EXPECT_EQ(refusal("[bdy]\nfile = \"a.glb\"\n"),
              "shot.toml:1:2: unknown table 'bdy'; did you mean [body]?");
    EXPECT_EQ(refusal("[[layers]]\nkind = \"slide\"\n"),
              "shot.toml:1:3: unknown table 'layers'; did you mean [[layer]]?");
    EXPECT_NE(refusal("fps = 3\n").find("a scene has [body], [[layer]], [output] and [wedge]"),
              std::string::npos);
}

TEST(SceneRead, wrong_types_are_refused) {
    EXPECT_EQ(refusal("[body]\nfile = 3\n"),
              "shot.toml:2:1: [body] file: expected a text, found a whole number");
    EXPECT_NE(refusal("[body]\nfps = \"30\"\n").find("expected a number, found a text"),
              std::string::npos);
    EXPECT_NE(refusal("[body]\nfps = nan\n"), "accepted");
    EXPECT_NE(refusal("[body]\nfps = 0\n").find("from 0.001 to"), std::string::npos);
    EXPECT_NE(refusal("[body]\nfile = {a = 1}\n").find("found a table"), std::string::npos);
    EXPECT_NE(refusal("[body]\nfile = 2001-01-01\n").find("found a date"), std::string::npos);
    EXPECT_NE(refusal("body = 3\n").find("expected a table [body]"), std::string::npos);
    EXPECT_NE(refusal("[layer]\nkind = \"slide\"\n").find("double brackets"), std::string::npos);
    EXPECT_NE(refusal("[[layer]]\nstickiness = 1\n").find("expected kind"), std::string::npos);
    EXPECT_NE(refusal("[output]\nformats = [\"glb\", 3]\n").find("expected a text"),
              std::string::npos);
    EXPECT_NE(refusal("[output]\nformats = [\"glx\"]\n").find("did you mean \"glb\"?"),
              std::string::npos);
}

TEST(SceneRead, a_layer_this_build_lacks_is_refused_with_what_there_is) {
    const std::string message = refusal("[body]\nfile=\"a\"\n[[layer]]\nkind = \"slime\"\n");
    EXPECT_EQ(message.rfind("shot.toml:4:1: [[layer]] kind: expected a layer this build has", 0),
              0u)
        << message;
}

TEST(SceneRead, files_that_examples_name_are_read_with_the_scene) {
    const test::ScratchFolder scratch;
    std::ofstream(scratch / "bent.obj") << "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
    const auto write = [&](const std::string& example) {
        std::ofstream(scratch / "shot.toml")
            << "[body]\nactor = \"arm\"\n[[layer]]\nkind = \"curve\"\nexamples = [\"biceps@1\", \""
            << example << "\"]\n";
    };
    write("bent.obj@1.5");
    const Scene scene = read_scene(scratch / "shot.toml");
    ASSERT_EQ(scene.layers[0].meshes.size(), 1u);
    EXPECT_EQ(scene.layers[0].meshes.at("bent.obj")->positions.rows(), 3);
    write("none.obj@1.5");
    EXPECT_THROW(read_scene(scratch / "shot.toml"), IoError);
}

TEST(SceneRead, a_missing_scene_is_an_io_error_and_a_folder_too) {
    const test::ScratchFolder scratch;
    EXPECT_THROW(read_scene(scratch / "none.toml"), IoError);
    EXPECT_THROW(read_scene(scratch.path()), IoError);
}

TEST(SceneRead, a_program_without_built_in_characters_refuses_an_actor_and_says_what_to_hand_in) {
    Scene scene;
    scene.body.actor = "cylinder";
    try {
        load_body(scene);
        FAIL() << "accepted";
    } catch (const InvalidInput& error) {
        EXPECT_NE(std::string(error.what()).find("hand load_actor"), std::string::npos);
    }
}

TEST(SceneRead, an_actor_becomes_a_body_and_an_unknown_one_is_refused_with_the_list) {
    Scene scene;
    scene.body.actor = "cylinder";
    const Body body = load_body(scene, {}, load_actor);
    EXPECT_GT(body.mesh().positions.rows(), 100);
    EXPECT_DOUBLE_EQ(body.duration(), 3.0);
    scene.body.actor = "cube";
    try {
        load_body(scene, {}, load_actor);
        FAIL() << "accepted";
    } catch (const InvalidInput& error) {
        EXPECT_NE(std::string(error.what()).find("there are torus, cylinder"), std::string::npos);
    }
}

}  // namespace
}  // namespace cutis
