#include "cutis/io/scene_read.h"

#include <algorithm>
#include <fstream>

#include "cutis/actors/actors.h"
#include "cutis/core/error.h"
#include "cutis/io/formats.h"
#include "cutis/io/scene_describe.h"
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

TEST(SceneRead, letters_beyond_ascii_stand_in_quotes_and_comments_only_and_control_characters_nowhere) {
    EXPECT_NO_THROW(parse_scene("# \xC3\xA9\n[body]\nactor = \"torus\"\nclip = \"\xC3\xA9\"\n", "a.toml"));
    EXPECT_THROW(parse_scene("[body]\n\xC3\xA9 = 1\n", "a.toml"), InvalidInput);
    EXPECT_THROW(parse_scene(std::string("[body]\nactor = \"to\0rus\"\n", 23), "a.toml"), InvalidInput);
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
glb.tolerance = 1e-3
glb.uv_tolerance = 2e-3
glb.keep_skin = false
npz = { float32 = true }
first_frame = 3
last_frame = 9
[output.html]
tolerance = 2e-4
times = false
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
    const SinkOptions sinks = sink_options(scene);
    EXPECT_EQ(sinks.glb.tolerance, 1e-3);
    EXPECT_EQ(sinks.glb.uv_tolerance, 2e-3);
    EXPECT_FALSE(sinks.glb.keep_skin);
    EXPECT_TRUE(sinks.npz.use_float32);
    EXPECT_EQ(sinks.html.tolerance, 2e-4);
    EXPECT_FALSE(sinks.html.use_times);
    EXPECT_EQ(scene.first_frame, 3);
    EXPECT_EQ(scene.last_frame, 9);
    EXPECT_EQ(parse_scene("[body]\nfile=\"a\"\nmotion=\"m.bvh\"", "").body.motion, "m.bvh");
}

TEST(SceneRead, the_printed_defaults_are_the_default_scene) {
    const SceneDescription description;
    const std::string sample = description.sample();
    Scene parsed = parse_scene(sample, "");
    Scene defaults;
    EXPECT_TRUE(parsed.layers.empty());
    EXPECT_TRUE(parsed.body.mesh_file.empty());
    EXPECT_EQ(hash_options(describe_body(parsed)), hash_options(describe_body(defaults)));
    EXPECT_EQ(hash_options(describe_output(parsed)), hash_options(describe_output(defaults)));
    SinkOptions sinks = sink_options(parsed);
    SinkOptions plain;
    EXPECT_EQ(hash_options(describe(sinks)), hash_options(describe(plain)));
    for (const SceneDescription::Section& section : description.sections()) {
        for (const Option& option : section.options) {
            if (is_key(option)) {
                EXPECT_FALSE(option.about.empty()) << section.name << " " << option.name;
                EXPECT_NE(sample.find(option.name), std::string::npos) << option.name;
            }
        }
    }
}

TEST(SceneRead, the_samples_of_all_layers_are_understood_and_change_nothing) {
    const SceneDescription description;
    for (const SceneDescription::Section& section : description.sections()) {
        if (!section.is_layer) {
            continue;
        }
        const std::string layer = options_sample(section.options, section.header, section.path);
        const Scene scene = parse_scene("[body]\nactor = \"torus\"\n" + layer, "");
        ASSERT_EQ(scene.layers.size(), 1u);
        EXPECT_EQ(hash_options(scene.layers[0].plan->options()), hash_options(section.options)) << section.name;
    }
}

TEST(SceneRead, no_key_of_a_section_is_there_twice) {
    const SceneDescription description;
    for (const SceneDescription::Section& section : description.sections()) {
        std::vector<std::string> names;
        for (const Option& option : section.options) {
            if (is_key(option)) {
                names.emplace_back(option.name);
            }
            names.insert(names.end(), option.was.begin(), option.was.end());
        }
        for (const std::string& name : names) {
            EXPECT_EQ(std::count(names.begin(), names.end(), name), 1) << section.name << " " << name;
        }
    }
}

TEST(SceneRead, keys_that_moved_are_refused_with_the_new_spelling) {
    const std::string torus = "[body]\nactor = \"torus\"\n";
    EXPECT_EQ(refusal(torus + "[output]\npage_tolerance = 1e-3\n"),
              "shot.toml:4:1: [output] has no key 'page_tolerance' any more; it is tolerance in "
              "[output.html] now");
    EXPECT_NE(refusal(torus + "[output.glb]\nuv_tolerance = 7\n")
                  .find("shot.toml:4:1: [output] glb "
                        "uv_tolerance: expected"),
              std::string::npos);
    const std::vector<std::pair<std::string, std::string>> moved = {
        {"kind = \"slide\"\ndrag_force = [1, 0, 0]\n",
         "shot.toml:5:1: [[layer]] slide has no key "
         "'drag_force' any more; it is 'drag' now"},
        {"kind = \"slide\"\npins = [\"box:0,0,0,1,1,1\"]\n", "{ box = [0,0,0,1,1,1] }"},
        {"kind = \"curve\"\nexamples = [\"body@1\"]\n", "it is 'example' now"},
        {"kind = \"curve\"\nexample = [\"body@1\"]\n", "write example = [{ time = ..."},
        {"kind = \"curve\"\nforces = []\n", "it is 'force' now"},
        {"kind = \"fold\"\nchains = [\"1, 2\"]\n", "it is 'chain' now"},
        {"kind = \"fold\"\ncurve_profiles = []\n", "it is 'curve' now"},
        {"kind = \"shell\"\nhandles = []\n", "it is 'handle' now"},
    };
    for (const auto& [keys, message] : moved) {
        const std::string found = refusal(torus + "[[layer]]\n" + keys);
        EXPECT_NE(found.find(message), std::string::npos) << found;
    }
    // Entries of tables have places of their own.
    EXPECT_EQ(refusal(torus + "[[layer]]\nkind = \"curve\"\n[[layer.force]]\ntime = 1\npusch = 3\n"),
              "shot.toml:7:1: [[layer]] curve force has no key 'pusch'; did you mean 'push'?");
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
    EXPECT_EQ(refusal("[bdy]\nfile = \"a.glb\"\n"), "shot.toml:1:2: unknown table 'bdy'; did you mean [body]?");
    EXPECT_EQ(refusal("[[layers]]\nkind = \"slide\"\n"),
              "shot.toml:1:3: unknown table 'layers'; did you mean [[layer]]?");
    EXPECT_NE(refusal("fps = 3\n").find("a scene has [body], [[layer]], [[decal]], [output], [recording] and [wedge]"),
              std::string::npos);
}

TEST(SceneRead, wrong_types_are_refused) {
    EXPECT_EQ(refusal("[body]\nfile = 3\n"), "shot.toml:2:1: [body] file: expected a text, found a whole number");
    EXPECT_NE(refusal("[body]\nfps = \"30\"\n").find("expected a number, found a text"), std::string::npos);
    EXPECT_NE(refusal("[body]\nfps = nan\n"), "accepted");
    EXPECT_NE(refusal("[body]\nfps = 0\n").find("from 0.001 to"), std::string::npos);
    EXPECT_NE(refusal("[body]\nfile = {a = 1}\n").find("found a table"), std::string::npos);
    EXPECT_NE(refusal("[body]\nfile = 2001-01-01\n").find("found a date"), std::string::npos);
    EXPECT_NE(refusal("body = 3\n").find("expected a table [body]"), std::string::npos);
    EXPECT_NE(refusal("[layer]\nkind = \"slide\"\n").find("double brackets"), std::string::npos);
    EXPECT_NE(refusal("[[layer]]\nstickiness = 1\n").find("expected kind"), std::string::npos);
    EXPECT_NE(refusal("[output]\nformats = [\"glb\", 3]\n").find("expected a text"), std::string::npos);
    EXPECT_NE(refusal("[output]\nformats = [\"glx\"]\n").find("did you mean \"glb\"?"), std::string::npos);
}

TEST(SceneRead, a_layer_this_build_lacks_is_refused_with_what_there_is) {
    const std::string message = refusal("[body]\nfile=\"a\"\n[[layer]]\nkind = \"slime\"\n");
    EXPECT_EQ(message.rfind("shot.toml:4:1: [[layer]] kind: expected a layer this build has", 0), 0u) << message;
}

TEST(SceneRead, files_that_examples_name_are_read_with_the_scene) {
    const test::ScratchFolder scratch;
    std::ofstream(scratch / "bent.obj") << "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
    const auto write = [&](const std::string& example) {
        std::ofstream(scratch / "shot.toml") << "[body]\nactor = \"arm\"\n[[layer]]\nkind = \"curve\"\n"
                                                "[[layer.example]]\ntime = 1\nmorph = \"biceps\"\n"
                                                "[[layer.example]]\ntime = 1.5\nfile = \""
                                             << example << "\"\n";
    };
    write("bent.obj");
    const Scene scene = read_scene(scratch / "shot.toml");
    ASSERT_EQ(scene.layers[0].meshes.size(), 1u);
    EXPECT_EQ(scene.layers[0].meshes.at("bent.obj")->positions.rows(), 3);
    write("none.obj");
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
