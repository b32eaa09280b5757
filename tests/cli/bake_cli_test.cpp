#include <gtest/gtest.h>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <regex>
#include <set>

#include "cli/program.h"
#include "cutis/actors/actors.h"
#include "cutis/body/body.h"
#include "cutis/io/formats.h"
#include "cutis/io/point_cache_read.h"
#include "cutis/io/scene_read.h"

namespace cutis::test {
namespace {

namespace fs = std::filesystem;

TEST(BakeProgram, without_layers_the_outputs_hold_the_body) {
    const ScratchFolder scratch;
    write_text(scratch / "shot.toml", cylinder_scene("fps = 10", "\"pc2\""));
    const Outcome outcome = run({"bake", scratch / "shot.toml", "-o", scratch / "a/b/out"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const PointCache cache = read_pc2(scratch / "a/b/out/shot.pc2");
    BodyOptions options;
    options.clip = "twist";
    const Body body = make_body(std::make_shared<const Character>(load_actor("cylinder")), options);
    // 3 s at 10 frames per second, both ends.
    ASSERT_EQ(cache.frame_count(), 31);
    ASSERT_EQ(cache.vertex_count, body.mesh().positions.rows());
    const Workers workers(1);
    MatrixX3d expected;
    size_t at = 0;
    for (int frame = 0; frame < 31; ++frame) {
        body.positions(frame / 10.0, TimeSampling::exact, workers, expected);
        for (Eigen::Index i = 0; i < expected.size(); ++i) {
            ASSERT_EQ(cache.samples[at++], static_cast<float>(expected.data()[i])) << frame;
        }
    }
}

TEST(BakeProgram, every_format_is_written_and_listed_with_its_size) {
    const ScratchFolder scratch;
    write_text(scratch / "shot.toml",
               cylinder_scene("fps = 5", R"("glb", "usda", "obj", "pc2", "mdd", "npz", "html")"));
    const Outcome outcome = run({"bake", scratch / "shot.toml", "-o", scratch / "out", "--frames", "2-4", "--json"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const auto json = nlohmann::json::parse(outcome.out);
    EXPECT_TRUE(json.at("version").is_string());
    EXPECT_EQ(json.at("inputs").at(0).at("path"), (scratch / "shot.toml").string());
    EXPECT_EQ(json.at("frames").at("first"), 2);
    EXPECT_EQ(json.at("frames").at("last"), 4);
    EXPECT_EQ(json.at("frames").at("count"), 3);
    EXPECT_TRUE(json.at("layers").empty());
    for (const char* stage : {"read", "prepare", "body", "write", "total"}) {
        EXPECT_GE(json.at("seconds").at(stage).get<double>(), 0.0) << stage;
    }
    std::vector<std::string> listed;
    for (const auto& file : json.at("outputs")) {
        const fs::path path = file.at("path").get<std::string>();
        // One entry may stand for a whole sequence; a plain file has its size on disk.
        if (fs::is_regular_file(path)) {
            EXPECT_EQ(file.at("bytes").get<std::uintmax_t>(), fs::file_size(path)) << path;
        }
        listed.push_back(file.at("format"));
    }
    for (const char* format : {"glb", "usda", "obj", "pc2", "mdd", "npz", "html"}) {
        EXPECT_TRUE(std::find(listed.begin(), listed.end(), format) != listed.end()) << format;
    }
    EXPECT_TRUE(contains(outcome.err, "Progress: 100% frame 3/3")) << outcome.err;
    for (const std::string& name : names_in(scratch / "out")) {
        EXPECT_EQ(name.rfind("shot.", 0), 0u) << name;
    }
}

TEST(BakeProgram, one_and_two_threads_write_the_same_bytes) {
    const ScratchFolder scratch;
    // Without the times in it, the page is the same, too.
    write_text(scratch / "shot.toml", cylinder_scene("fps = 5\nskinning = \"dual-quaternion\"",
                                                     R"("glb", "usda", "obj", "pc2", "mdd", "npz", "html")") +
                                          "html.times = false\n");
    for (const char* threads : {"1", "2"}) {
        ASSERT_EQ(run({"bake", scratch / "shot.toml", "-o", scratch / threads, "--threads", threads}).code, 0);
    }
    const std::vector<std::string> names = names_in(scratch / "1");
    ASSERT_GE(names.size(), 7u);
    ASSERT_EQ(names, names_in(scratch / "2"));
    for (const std::string& name : names) {
        EXPECT_EQ(read_text(scratch / "1" / name), read_text(scratch / "2" / name)) << name;
    }
}

TEST(BakeProgram, the_printed_defaults_are_a_scene_that_only_lacks_its_source) {
    const Outcome defaults = run({"bake", "--print-defaults"});
    ASSERT_EQ(defaults.code, 0);
    const ScratchFolder scratch;
    write_text(scratch / "all.toml", defaults.out);
    const Outcome lacking = run({"bake", scratch / "all.toml", "-o", scratch / "out"});
    EXPECT_EQ(lacking.code, 2);
    EXPECT_TRUE(contains(lacking.err, "expected one of file, actor, or mesh")) << lacking.err;
    const std::string given = std::regex_replace(defaults.out, std::regex("\nactor = \"\""), "\nactor = \"cylinder\"");
    write_text(scratch / "all.toml", given);
    const Outcome good = run({"bake", scratch / "all.toml", "-o", scratch / "out", "--frames", "1-2"});
    EXPECT_EQ(good.code, 0) << good.err;
    EXPECT_EQ(names_in(scratch / "out"), std::vector<std::string>{"all.glb"});
}

TEST(BakeProgram, a_bad_scene_is_refused_with_its_place_and_leaves_no_folder) {
    const ScratchFolder scratch;
    const auto refused = [&](const std::string& text, const std::string& part) {
        write_text(scratch / "shot.toml", text);
        const Outcome outcome = run({"bake", scratch / "shot.toml", "-o", scratch / "out"});
        EXPECT_EQ(outcome.code, 2) << text;
        EXPECT_TRUE(contains(outcome.err, part)) << outcome.err;
        EXPECT_FALSE(fs::exists(scratch / "out"));
    };
    refused("[body]\nactor = \"cylinder\"\nskining = \"x\"\n",
            "shot.toml:3:1: [body] has no key 'skining'; did you mean 'skinning'?");
    refused("[body\n", "shot.toml:1:");
    refused("[body]\nactor = \"cube\"\n", "there are torus, cylinder");
    refused("[body]\nactor = \"cylinder\"\nclip = \"jig\"\n", "twist");
    refused("[body]\nactor = \"cylinder\"\nmesh = \"pipe\"\n", "cylinder");
    refused("[body]\nactor = \"cylinder\"\n[[layer]]\nkind = \"slime\"\n", "shot.toml:4:1: [[layer]]");
    refused("[body]\nactor = \"cylinder\"\n[output]\nformats = []\n", "empty list");
    refused("[body]\nactor = \"cylinder\"\n[output]\nfirst_frame = 1000\n", "expected a first frame");
    refused("[body]\nfile = \"none.glb\"\n", "no such file");
    refused(std::string("\0\1\2\xff\xfe", 5), "shot.toml");
}

TEST(BakeProgram, frames_and_formats_on_the_command_line_are_checked) {
    const ScratchFolder scratch;
    write_text(scratch / "shot.toml", cylinder_scene("", "\"pc2\""));
    for (const char* frames : {"0-3", "5-2", "a-b", "1-2-3", "-3", "99999999999", "1.5-2"}) {
        const Outcome outcome =
            run({"bake", scratch / "shot.toml", "-o", scratch / "out", std::string("--frames=") + frames});
        EXPECT_EQ(outcome.code, 2) << frames;
        EXPECT_TRUE(contains(outcome.err, "--frames: expected A-B")) << outcome.err;
    }
    for (const char* formats : {"glx", "pc2,pc2"}) {
        EXPECT_EQ(run({"bake", scratch / "shot.toml", "-o", scratch / "out", "--format", formats}).code, 2) << formats;
        EXPECT_FALSE(fs::exists(scratch / "out"));
    }
    ASSERT_EQ(run({"bake", scratch / "shot.toml", "-o", scratch / "out", "--frames", "90-"}).code, 0);
    EXPECT_EQ(read_pc2(scratch / "out/shot.pc2").frame_count(), 2);  // 90 and 91, at 3 s
    ASSERT_EQ(run({"bake", scratch / "shot.toml", "-o", scratch / "out", "--frames", "7"}).code, 0);
    EXPECT_EQ(read_pc2(scratch / "out/shot.pc2").frame_count(), 1);
}

TEST(BakeProgram, a_file_in_place_of_the_folder_is_refused_and_an_unwritable_one_fails) {
    const ScratchFolder scratch;
    write_text(scratch / "shot.toml", cylinder_scene("", "\"pc2\""));
    write_text(scratch / "file", "old");
    const Outcome file = run({"bake", scratch / "shot.toml", "-o", scratch / "file"});
    EXPECT_EQ(file.code, 2);
    EXPECT_TRUE(contains(file.err, "expected a folder to write into, found a file")) << file.err;
    EXPECT_EQ(read_text(scratch / "file"), "old");
    const Outcome below = run({"bake", scratch / "shot.toml", "-o", scratch / "file/out"});
    EXPECT_EQ(below.code, 1);
    EXPECT_TRUE(contains(below.err, "folder cannot be made")) << below.err;
    const Outcome proc = run({"bake", scratch / "shot.toml", "-o", "/proc/1/cutis-out"});
    EXPECT_EQ(proc.code, 1);
}

TEST(BakeProgram, odd_scene_names_become_plain_output_names) {
    const ScratchFolder scratch;
    for (const char* name :
         {"with space.toml", "-dash.toml", "a\nb.toml", ".toml", "ünï.toml", "back\\slash.toml", "\xff\xfe.toml"}) {
        const fs::path folder = scratch / "out";
        write_text(scratch / name, cylinder_scene("", "\"pc2\""));
        const Outcome outcome = run({"bake", scratch / name, "-o", folder, "--frames", "1", "--json"});
        ASSERT_EQ(outcome.code, 0) << name << outcome.err;
        EXPECT_TRUE(nlohmann::json::accept(outcome.out)) << name;
        const std::vector<std::string> names = names_in(folder);
        ASSERT_EQ(names.size(), 1u) << name;
        EXPECT_EQ(names[0].find_first_of("\n\\"), std::string::npos);
        EXPECT_NE(names[0].front(), '-');
        EXPECT_NE(names[0].front(), '.');
        fs::remove_all(folder);
    }
}

TEST(BakeProgram, json_to_a_full_disk_is_a_failure) {
    if (!fs::exists("/dev/full")) {
        GTEST_SKIP() << "no /dev/full here";
    }
    const ScratchFolder scratch;
    write_text(scratch / "shot.toml", cylinder_scene("", "\"pc2\""));
    const std::string command = std::string(CUTIS_PROGRAM) + " bake " + (scratch / "shot.toml").string() +
                                " --frames 1 --json -o " + (scratch / "out").string() + " > /dev/full 2> /dev/null";
    const int status = std::system(command.c_str());
    EXPECT_EQ(WEXITSTATUS(status), 1);
}

TEST(BakeProgram, the_demo_writes_its_files_and_says_where_to_look) {
    const ScratchFolder scratch;
    const Outcome outcome = run({"demo", "cylinder-twist", "-o", scratch / "out"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_TRUE(contains(outcome.out, "Open " + (scratch / "out/cylinder-twist.html").string()));
    for (const char* name : {"cylinder-twist.html", "cylinder-twist.glb", "cylinder-twist.pc2", "report.json"}) {
        EXPECT_TRUE(fs::exists(scratch / "out" / name)) << name;
    }
    const auto json = nlohmann::json::parse(read_text(scratch / "out/report.json"));
    EXPECT_EQ(json.at("frames").at("count"), 91);
}

TEST(BakeProgram, a_demo_without_its_file_says_which_and_where_it_looked) {
    const char* chosen = std::getenv("CUTIS_DATA");
    const std::string before = chosen != nullptr ? chosen : "";
    ::setenv("CUTIS_DATA", "/no/such/folder", 1);
    const Outcome outcome = run({"demo", "dancer-tights"});
    ::setenv("CUTIS_DATA", before.c_str(), 1);
    EXPECT_NE(outcome.code, 0);
    EXPECT_TRUE(contains(outcome.err, "/no/such/folder/dancer/dancer.glb")) << outcome.err;
    EXPECT_TRUE(contains(outcome.err, "CUTIS_DATA")) << outcome.err;
}

TEST(BakeProgram, every_demo_is_listed_and_names_an_actor_and_a_clip_that_exist) {
    const auto list = nlohmann::json::parse(run({"demo", "--list", "--json"}).out);
    const std::string text = run({"demo", "--list"}).out;
    const std::vector<ActorInfo> actors = list_actors();
    ASSERT_GE(list.size(), 20u);
    std::set<std::string> names;
    for (const auto& demo : list) {
        const std::string name = demo.at("name");
        EXPECT_TRUE(names.insert(name).second) << name << " stands twice";
        EXPECT_TRUE(contains(text, name + " ")) << name;
        EXPECT_FALSE(demo.at("about").get<std::string>().empty());
        const Scene scene = parse_scene(demo.at("scene"), name);
        if (!demo.at("data").empty()) {
            EXPECT_TRUE(contains(text, demo.at("data").at(0).get<std::string>())) << name;
            continue;
        }
        const auto actor = std::find_if(actors.begin(), actors.end(),
                                        [&](const ActorInfo& info) { return info.name == scene.body.actor; });
        ASSERT_TRUE(actor != actors.end()) << name;
        EXPECT_EQ(std::count(actor->clips.begin(), actor->clips.end(), scene.body.options.clip), 1) << name;
    }
}

std::vector<fs::path> examples() {
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(CUTIS_EXAMPLES)) {
        if (entry.path().extension() == ".toml") {
            files.push_back(entry.path());
        }
    }
    std::sort(files.begin(), files.end());
    return files;
}

TEST(BakeProgram, every_example_is_a_demo_that_says_what_it_shows_and_writes_a_page) {
    const auto list = nlohmann::json::parse(run({"demo", "--list", "--json"}).out);
    ASSERT_EQ(list.size(), examples().size());
    EXPECT_EQ(list.at(0).at("name"), "creature-walk") << "the default comes first";
    for (const fs::path& file : examples()) {
        const auto demo = std::find_if(list.begin(), list.end(), [&](const nlohmann::json& one) {
            return one.at("name") == file.stem().string();
        });
        ASSERT_TRUE(demo != list.end()) << file;
        EXPECT_EQ(demo->at("scene"), read_text(file)) << file;
        const Scene scene = parse_scene(read_text(file), file.string());
        EXPECT_NO_THROW(check_scene(scene)) << file;
        for (const char* format : {"html", "glb"}) {
            EXPECT_EQ(std::count(scene.output.formats.begin(), scene.output.formats.end(), format), 1)
                << file << " " << format;
        }
        EXPECT_FALSE(sink_options(scene).html.caption.empty()) << file;
    }
}

TEST(BakeProgram, an_example_bakes_as_a_file_to_the_page_its_demo_writes) {
    const ScratchFolder scratch;
    const fs::path file = fs::path(CUTIS_EXAMPLES) / "plane-bulge.toml";
    ASSERT_EQ(run({"bake", file, "-o", scratch / "bake"}).code, 0);
    ASSERT_EQ(run({"demo", "plane-bulge", "-o", scratch / "demo"}).code, 0);
    for (const char* name : {"plane-bulge.glb", "plane-bulge.pc2"}) {
        ASSERT_TRUE(fs::exists(scratch / "bake" / name)) << name;
        EXPECT_EQ(read_text(scratch / "bake" / name), read_text(scratch / "demo" / name)) << name;
    }
    const std::string caption = sink_options(parse_scene(read_text(file), "example")).html.caption;
    for (const char* verb : {"bake", "demo"}) {
        EXPECT_TRUE(contains(read_text(scratch / verb / "plane-bulge.html"), caption)) << verb;
    }
}

TEST(BakeProgram, slow_every_example_bakes) {
    int baked = 0;
    for (const fs::path& file : examples()) {
        if (contains(read_text(file), "$DATA/") && !fs::exists(data_folder())) {
            EXPECT_FALSE(is_ci()) << file << " needs " << data_folder();
            continue;
        }
        const ScratchFolder scratch;
        const Outcome outcome = run({"bake", file, "-o", scratch / "out", "--frames", "1-3"});
        EXPECT_EQ(outcome.code, 0) << file << outcome.err;
        EXPECT_FALSE(names_in(scratch / "out").empty()) << file;
        ++baked;
    }
    EXPECT_GE(baked, 50);
}

}  // namespace
}  // namespace cutis::test
