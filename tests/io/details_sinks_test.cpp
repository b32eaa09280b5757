#include <sys/resource.h>

#include <csignal>

#include "cutis/io/formats.h"
#include "io/details_support.h"
#include "support/expect_error.h"

namespace cutis::test {
namespace {

TEST(SinkDetails, the_same_bake_gives_the_same_bytes) {
    const Body body = waving_body(6);
    for (const std::string& format : known_formats()) {
        std::map<std::string, std::string> before;
        for (int round = 0; round < 2; ++round) {
            const ScratchFolder folder;
            SinkOptions options;
            options.html.use_times = false;
            with_details(body, 6).run(*make_sink(format, folder.path(), "a", options));
            std::map<std::string, std::string> now;
            for (const std::string& name : files_in(folder.path())) {
                now[name] = text_of(folder / name);
            }
            EXPECT_FALSE(now.empty());
            EXPECT_TRUE(round == 0 || now == before) << format;
            before = now;
        }
    }
}

TEST(SinkDetails, nothing_stands_there_before_finish_and_nothing_stays_without_it) {
    const Body body = waving_body(4);
    for (const std::string& format : known_formats()) {
        const ScratchFolder folder;
        {
            const Bake bake = with_details(body, 2);
            const auto sink = make_sink(format, folder.path(), "a");
            sink->begin(bake.info());
            sink->write(bake.frame(0));
            sink->write(bake.frame(1));
            for (const std::string& name : files_in(folder.path())) {
                EXPECT_NE(name.find(".part"), std::string::npos) << name;
            }
        }
        EXPECT_TRUE(files_in(folder.path()).empty()) << format;
    }
}

TEST(SinkDetails, of_several_files_none_appears_on_a_full_disk) {
    const Body body = waving_body(4);  // its own cache fits; that of the detail does not
    for (const std::string format : {"pc2", "mdd"}) {
        const ScratchFolder folder;
        const Bake bake = with_details(body, 8);
        const auto sink = make_sink(format, folder.path(), "a");
        auto* before_handler = std::signal(SIGXFSZ, SIG_IGN);
        rlimit before{};
        getrlimit(RLIMIT_FSIZE, &before);
        rlimit small = before;
        small.rlim_cur = 2600;  // 8 x 25 x 12 = 2400 and a header; 8 x 30 x 12 = 2880
        setrlimit(RLIMIT_FSIZE, &small);
        EXPECT_THROW(bake.run(*sink), IoError);
        setrlimit(RLIMIT_FSIZE, &before);
        std::signal(SIGXFSZ, before_handler);
        for (const std::string& name : files_in(folder.path())) {
            EXPECT_NE(name.find(".part"), std::string::npos) << name;
        }
    }
}

TEST(SinkDetails, frames_that_do_not_bring_what_was_announced_are_refused_with_the_place) {
    const Body body = waving_body(4);
    struct Case {
        std::function<void(Frame&)> change;
        const char* says;
    };
    const std::vector<Case> cases = {
        {[](Frame& f) { f.meshes.resize(1); }, "frame 2: 1 meshes, expected 2"},
        {[](Frame& f) { f.meshes[1].positions.setZero(29, 3); }, "frame 2, detail 'scales': 29 positions, expected 30"},
        {[](Frame& f) { f.meshes[1].positions(7, 2) = std::nan(""); },
         "frame 2, detail 'scales', position of vertex 7: expected finite numbers"},
        {[](Frame& f) { f.meshes[1].channels.clear(); }, "frame 2, detail 'scales': 0 channels, expected 1"},
        {[](Frame& f) { f.meshes[1].channels[0].pop_back(); },
         "detail 'scales', channel 'height': 29 values, expected 30"},
        {[](Frame& f) { f.meshes[1].channels[0][9] = INFINITY; },
         "detail 'scales', channel 'height', vertex 9: expected finite numbers"},
        {[](Frame& f) { f.lines.pop_back(); }, "1 sets of lines, expected 2"},
        {[](Frame& f) { f.lines[0].setZero(5, 3); }, "frame 2, lines 'ridge': 5 points, expected 6"},
        {[](Frame& f) { f.lines[1](1, 0) = -INFINITY; }, "frame 2, lines 'corners', point 1: expected finite numbers"},
    };
    for (const std::string& format : known_formats()) {
        for (const Case& bad : cases) {
            const ScratchFolder folder;
            Bake bake = with_details(body, 3);
            const auto good = bake.change;
            bake.change = [&](Frame& frame) {
                good(frame);
                if (frame.number == 2) {
                    bad.change(frame);
                }
            };
            {
                const auto sink = make_sink(format, folder.path(), "a");
                const std::string message = message_of([&] { bake.run(*sink); });
                EXPECT_NE(message.find(bad.says), std::string::npos) << message;
            }
            EXPECT_TRUE(files_in(folder.path()).empty()) << format;
        }
    }
}

TEST(SinkDetails, announcements_that_cannot_be_written_are_refused) {
    const Body body = waving_body(4);
    ArtMesh broken = tents(2);
    broken.triangles(3, 1) = 10;
    ArtMesh bare = tents(1);
    bare.triangles.resize(0, 3);
    bare.uv_triangles.resize(0, 3);
    struct Case {
        std::function<void(Bake&)> change;
        const char* says;
    };
    const auto named = [](const std::string& name) { return [name](Bake& bake) { bake.details[0].name = name; }; };
    const std::vector<Case> cases = {
        {named(""), "detail '': expected a plain name"},
        {named("../b"), "detail '../b': expected a plain name"},
        {named("uv"), "detail 'uv': expected another name"},
        {[](Bake& bake) { bake.details.push_back(bake.details[0]); },
         "detail 'scales': expected a name no other detail has"},
        {[](Bake& bake) { bake.details[0].art = nullptr; }, "expected a mesh with triangles"},
        {[&](Bake& bake) { bake.details[0].art = std::make_shared<ArtMesh>(bare); }, "expected a mesh with triangles"},
        {[&](Bake& bake) { bake.details[0].art = std::make_shared<ArtMesh>(broken); },
         "detail 'scales': mesh: triangle 3 names index 10, expected less than 10"},
        {[](Bake& bake) { bake.lines[0].segments[2][1] = 6; },
         "lines 'ridge', segment 2: names point 6, expected less than 6"},
        {[](Bake& bake) { bake.lines[1].point_count = -1; }, "lines 'corners': expected 0 points or more, found -1"},
        {[](Bake& bake) { bake.lines[1].show = "needles"; }, "found \"needles\""},
    };
    for (const std::string& format : known_formats()) {
        for (const Case& bad : cases) {
            const ScratchFolder folder;
            Bake bake = with_details(body, 1);
            bad.change(bake);
            const auto sink = make_sink(format, folder.path(), "a");
            const std::string message = message_of([&] { sink->begin(bake.info()); });
            EXPECT_NE(message.find(bad.says), std::string::npos) << message;
            EXPECT_TRUE(files_in(folder.path()).empty()) << format;
        }
    }
}

#define CUTIS_NEED_NUMPY()                                                        \
    if (std::system("/usr/bin/python3 -c 'import numpy' >/dev/null 2>&1") != 0) { \
        ASSERT_EQ(std::getenv("CI"), nullptr) << "CI must run this test";         \
        GTEST_SKIP() << "no NumPy on this machine";                               \
    }

TEST(NpzDetails, normals_of_details_come_out_of_npz_and_usd_frame_by_frame) {
    CUTIS_NEED_NUMPY();
    const Body body = waving_body(4);
    const ScratchFolder folder;
    Bake bake = with_details(body, 3);
    bake.details[0].has_normals = true;
    const auto positions_only = bake.change;
    bake.change = [&](Frame& frame) {
        positions_only(frame);
        MeshFrame& detail = frame.meshes[1];
        detail.normals.resize(detail.positions.rows(), 3);
        for (Eigen::Index v = 0; v < detail.normals.rows(); ++v) {
            const double angle = 0.1 * static_cast<double>(v) + 0.7 * frame.number;
            detail.normals.row(v) << std::cos(angle), 0.0, std::sin(angle);
        }
    };
    for (const char* format : {"npz", "usda"}) {
        bake.run(*make_sink(format, folder.path(), "a"));
    }
    std::ofstream(folder / "check.py") << R"(
import re, numpy
angles = 0.1 * numpy.arange(30)[None, :] + 0.7 * numpy.arange(1, 4)[:, None]
truth = numpy.stack([numpy.cos(angles), 0 * angles, numpy.sin(angles)], axis=2)
assert numpy.abs(numpy.load('a.npz')['detail_scales_normals'] - truth).max() < 1e-6
text = open('a.usda').read()
text = text[text.index('def Mesh "scales"'):]
samples = text[text.index('normals.timeSamples = {'):]
samples = samples[:samples.index('}')]
rows = re.findall(r'(\d+): \[([^\]]*)\]', samples)
assert [int(time) for time, _ in rows] == [1, 2, 3], rows
for (_, row), expected in zip(rows, truth):
    found = numpy.array([float(x) for x in re.findall(r'-?[\d.]+(?:e-?\d+)?', row)]).reshape(30, 3)
    assert numpy.abs(found - expected).max() <= 0.5001e-4
)";
    EXPECT_EQ(std::system(("cd " + folder.path().string() + " && /usr/bin/python3 check.py").c_str()), 0);
}

TEST(NpzDetails, numpy_reads_details_and_lines) {
    CUTIS_NEED_NUMPY();
    const Body body = waving_body(4);
    const ScratchFolder folder;
    const Bake bake = with_details(body, 5);
    bake.run(*make_sink(folder / "a.npz"));
    std::ofstream truth(folder / "truth.bin", std::ios::binary);
    for (int f = 0; f < 5; ++f) {
        const Frame frame = bake.frame(f);
        truth.write(reinterpret_cast<const char*>(frame.meshes[1].positions.data()), 90 * 8);
    }
    truth.close();
    std::ofstream(folder / "check.py") << R"(
import numpy
a = numpy.load('a.npz')
assert sorted(a.files) == sorted(['positions', 'rest', 'triangles', 'polygon_sizes', 'uv', 'uv_triangles',
    'detail_scales_positions', 'detail_scales_rest', 'detail_scales_triangles', 'detail_scales_uv',
    'detail_scales_uv_triangles', 'detail_scales_channel_height', 'lines_ridge', 'lines_ridge_segments',
    'lines_corners', 'lines_corners_segments', 'times', 'frames', 'fps']), a.files
truth = numpy.fromfile('truth.bin').reshape(5, 30, 3)
assert (a['detail_scales_positions'] == truth).all()
assert a['detail_scales_rest'].shape == (30, 3) and a['detail_scales_triangles'].shape == (24, 3)
assert (a['detail_scales_triangles'] == a['detail_scales_uv_triangles']).all() and a['detail_scales_uv'].shape == (30, 2)
tops = truth[:, 4::5]
assert (a['detail_scales_channel_height'][:, 4::5] == tops[:, :, 2]).all()
assert (a['lines_ridge'] == tops).all() and (a['lines_corners'] == truth[:, :2]).all()
assert (a['lines_ridge_segments'] == [[i, i + 1] for i in range(5)]).all()
assert a['lines_corners_segments'].shape == (0, 2)
)";
    EXPECT_EQ(std::system(("cd " + folder.path().string() + " && /usr/bin/python3 check.py").c_str()), 0);
}

}  // namespace
}  // namespace cutis::test
