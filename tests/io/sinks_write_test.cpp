#include <sys/resource.h>

#include <csignal>

#include "cutis/io/formats.h"
#include "io/write_support.h"
#include "support/expect_error.h"

namespace cutis {
namespace {

using test::Bake;
using test::files_in;
using test::formula_body;
using test::message_of;
using test::ScratchFolder;
using test::seamed_square;
using test::text_of;

Body waving_square(int n) {
    const ArtMesh mesh = seamed_square(n);
    const MatrixX3d rest = mesh.positions;
    return formula_body(mesh, [rest](double time) {
        MatrixX3d positions = rest;
        positions.col(2) =
            0.1 * (rest.col(0).array() * 5.0 + time).sin() + 0.03 * (rest.col(1).array() * 3.0 - 2.0 * time).cos();
        return positions;
    });
}

/// Name of the file a format leaves for output "a" and first frame 1.
std::string first_file(const std::string& format) {
    return format == "obj" ? "a.0001.obj" : "a." + format;
}

TEST(Sinks, an_unknown_format_is_refused_with_the_list_of_known_ones) {
    const std::string message = message_of<InvalidInput>([] { make_sink("fbx", ".", "a"); });
    for (const std::string& format : known_formats()) {
        EXPECT_NE(message.find(format), std::string::npos) << message;
    }
    for (const char* name : {"", ".", "..", "../a", "b/a", "/a"}) {
        EXPECT_THROW(make_sink("glb", ".", name), InvalidInput) << name;
    }
}

TEST(Sinks, the_same_bake_gives_the_same_bytes) {
    const Body body = waving_square(8);
    for (const std::string& format : known_formats()) {
        ScratchFolder folder;
        for (const char* name : {"a", "b"}) {
            Bake{&body, 9}.run(*make_sink(format, folder.path(), name));
        }
        const auto names = files_in(folder.path());
        ASSERT_EQ(names.size(), format == "obj" ? 18U : 2U) << format;
        for (const std::string& name : names) {
            // The USDA root and the page's title carry the file's name.
            if (name[0] == 'a' && format != "usda" && format != "html") {
                std::string other = name;
                other[0] = 'b';
                EXPECT_EQ(text_of(folder / name), text_of(folder / other)) << name;
            }
        }
    }
}

TEST(Sinks, nothing_stands_under_the_final_name_before_finish) {
    const Body body = waving_square(4);
    for (const std::string& format : known_formats()) {
        ScratchFolder folder;
        std::ofstream(folder / first_file(format)) << "old";
        {
            const Bake bake{&body, 3};
            const auto sink = make_sink(format, folder.path(), "a");
            sink->begin(bake.info());
            for (int i = 0; i < 3; ++i) {
                sink->write(bake.frame(i));
            }
            EXPECT_EQ(text_of(folder / first_file(format)), "old") << format;
        }
        EXPECT_EQ(files_in(folder.path()), std::set<std::string>{first_file(format)}) << format;
        EXPECT_EQ(text_of(folder / first_file(format)), "old") << format;
        Bake{&body, 1}.run(*make_sink(format, folder.path(), "a"));
        EXPECT_NE(text_of(folder / first_file(format)), "old") << format;
    }
}

/// Lets files of this process grow to so many bytes only: a full disk, as far as a writer can
/// tell.
class SmallDisk {
public:
    explicit SmallDisk(rlim_t bytes) {
        before_handler_ = std::signal(SIGXFSZ, SIG_IGN);
        getrlimit(RLIMIT_FSIZE, &before_);
        rlimit small = before_;
        small.rlim_cur = bytes;
        setrlimit(RLIMIT_FSIZE, &small);
    }
    ~SmallDisk() {
        setrlimit(RLIMIT_FSIZE, &before_);
        std::signal(SIGXFSZ, before_handler_);
    }

private:
    rlimit before_{};
    void (*before_handler_)(int) = nullptr;
};

TEST(Sinks, a_full_disk_leaves_the_old_file_and_nothing_else) {
    const Body body = waving_square(24);
    for (const std::string& format : known_formats()) {
        ScratchFolder folder;
        std::ofstream(folder / first_file(format)) << "old";
        const Bake bake{&body, 8};
        const std::string message = message_of<IoError>([&] {
            const auto sink = make_sink(format, folder.path(), "a");
            const SmallDisk disk(10000);
            bake.run(*sink);
        });
        EXPECT_NE(message.find("cannot be written"), std::string::npos) << message;
        EXPECT_EQ(files_in(folder.path()), std::set<std::string>{first_file(format)}) << format;
        EXPECT_EQ(text_of(folder / first_file(format)), "old") << format;
    }
}

TEST(Sinks, a_folder_that_is_not_there_is_named) {
    const Body body = waving_square(4);
    ScratchFolder folder;
    for (const std::string& format : known_formats()) {
        const std::string message = message_of<IoError>([&] {
            Bake{&body, 2}.run(*make_sink(format, folder / "nowhere", "a"));
        });
        EXPECT_NE(message.find("nowhere"), std::string::npos) << message;
    }
}

TEST(Sinks, numbers_that_are_not_are_refused_with_frame_and_vertex) {
    const Body body = waving_square(4);
    for (const std::string& format : known_formats()) {
        for (const double bad : {std::nan(""), -double(INFINITY), 1e39}) {
            ScratchFolder folder;
            Bake bake{&body, 4};
            bake.change = [bad](Frame& frame) {
                if (frame.number == 3) {
                    frame.body().positions(17, 1) = bad;
                }
            };
            const auto sink = make_sink(format, folder.path(), "a");
            const std::string message = message_of<InvalidInput>([&] { bake.run(*sink); });
            EXPECT_NE(message.find("frame 3"), std::string::npos) << message;
            EXPECT_NE(message.find("vertex 17"), std::string::npos) << message;
            // After a failure the sink takes nothing more, and says so instead of crashing.
            EXPECT_THROW(sink->write(bake.frame(0)), InvalidInput);
            EXPECT_THROW(sink->finish(), InvalidInput);
        }
    }
}

TEST(Sinks, wrong_counts_are_refused) {
    const Body body = waving_square(4);
    for (const std::string& format : known_formats()) {
        ScratchFolder folder;
        const Bake good{&body, 3};
        const auto refuses = [&](const std::function<void(FrameSink&)>& use) {
            const auto sink = make_sink(format, folder.path(), "a");
            EXPECT_THROW(use(*sink), InvalidInput) << format;
        };
        const auto refuses_frame = [&](const std::function<void(Frame&)>& change, bool uv_moves) {
            refuses([&](FrameSink& sink) {
                Bake bake = good;
                bake.uv_changed = uv_moves;
                bake.change = change;
                bake.run(sink);
            });
        };
        refuses_frame([](Frame& frame) { frame.body().positions.conservativeResize(24, 3); }, false);
        refuses_frame([](Frame& frame) { frame.body().uv.setZero(29, 2); }, true);
        refuses_frame([](Frame& frame) { frame.body().uv.setZero(30, 2); }, false);
        refuses_frame([](Frame& frame) { frame.number += frame.number == 2 ? 1 : 0; }, false);
        refuses_frame([](Frame& frame) { frame.body().channels = {std::vector<double>(25)}; }, false);
        refuses_frame([](Frame& frame) { frame.numbers = {1.0}; }, false);
        const auto refuses_channels = [&](const std::vector<ChannelInfo>& channels, size_t values) {
            refuses([&](FrameSink& sink) {
                Bake bake = good;
                bake.channels = channels;
                bake.change = [=](Frame& frame) {
                    for (std::vector<double>& channel : frame.body().channels) {
                        channel.resize(values);
                    }
                };
                bake.run(sink);
            });
        };
        refuses_channels({{"too short"}}, 24);
        refuses_channels({{"too wide", "1", 17}}, 17 * 25);
        refuses_channels({{"twice"}, {"twice"}}, 25);
        refuses_channels({{"no place", "m", 1, 0.0, true}}, 25);
        refuses([&](FrameSink& sink) {  // too few
            sink.begin(good.info());
            sink.write(good.frame(0));
            sink.finish();
        });
        refuses([&](FrameSink& sink) {  // too many
            sink.begin(good.info());
            for (int i = 0; i < 4; ++i) {
                sink.write(good.frame(i));
            }
        });
        refuses([&](FrameSink& sink) { sink.write(good.frame(0)); });
        refuses([&](FrameSink& sink) {
            BakeInfo info = good.info();
            info.frame_count = 0;
            sink.begin(info);
        });
        refuses([&](FrameSink& sink) {
            BakeInfo info = good.info();
            info.fps = 0.0;
            sink.begin(info);
        });
        EXPECT_TRUE(files_in(folder.path()).empty()) << format;
    }
}

TEST(Sinks, a_mesh_with_indices_out_of_range_is_refused_with_the_triangle) {
    ArtMesh mesh = seamed_square(4);
    mesh.triangles(7, 1) = 25;
    const MatrixX3d rest = mesh.positions;
    const Body body = formula_body(mesh, [rest](double) { return rest; });
    for (const std::string& format : known_formats()) {
        ScratchFolder folder;
        const auto sink = make_sink(format, folder.path(), "a");
        const std::string message = message_of<InvalidInput>([&] { sink->begin(Bake{&body, 1}.info()); });
        EXPECT_NE(message.find("triangle 7"), std::string::npos) << message;
    }
}

}  // namespace
}  // namespace cutis
