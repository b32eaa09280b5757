#include "cutis/io/formats.h"
#include "io/cache/zip.h"
#include "io/write_support.h"

namespace cutis {
namespace {

using test::Bake;
using test::files_in;
using test::formula_body;
using test::ScratchFolder;
using test::seamed_square;

Body rippling_square(int n) {
    const ArtMesh mesh = seamed_square(n);
    const MatrixX3d rest = mesh.positions;
    return formula_body(mesh, [rest](double time) {
        MatrixX3d positions = rest;
        positions.col(2) = 0.1 * (rest.col(0).array() * 5.0 + time).sin();
        return positions;
    });
}

template <class Number>
Number number_at(const std::vector<unsigned char>& bytes, size_t at, bool is_big_endian = false) {
    unsigned char raw[sizeof(Number)];
    std::memcpy(raw, bytes.data() + at, sizeof(Number));
    if (is_big_endian) {
        std::reverse(raw, raw + sizeof(Number));
    }
    Number number;
    std::memcpy(&number, raw, sizeof(Number));
    return number;
}

TEST(Pc2Write, every_byte_is_where_the_format_wants_it) {
    const Body body = rippling_square(4);
    ScratchFolder folder;
    Bake bake{&body, 5, 11};
    const auto sink = make_sink(folder / "a.pc2");
    const auto files = bake.run(*sink);
    ASSERT_EQ(files.size(), 1U);
    EXPECT_EQ(files_in(folder.path()), std::set<std::string>{"a.pc2"});
    const auto bytes = read_file(folder / "a.pc2");
    EXPECT_EQ(files[0].bytes, bytes.size());
    ASSERT_EQ(bytes.size(), 32U + 5 * 25 * 12);
    EXPECT_EQ(std::memcmp(bytes.data(), "POINTCACHE2\0", 12), 0);
    EXPECT_EQ(number_at<int>(bytes, 12), 1);
    EXPECT_EQ(number_at<int>(bytes, 16), 25);
    EXPECT_EQ(number_at<float>(bytes, 20), 11.0F);
    EXPECT_EQ(number_at<float>(bytes, 24), 1.0F);
    EXPECT_EQ(number_at<int>(bytes, 28), 5);
    for (int f = 0; f < 5; ++f) {
        const Frame frame = bake.frame(f);
        for (Eigen::Index i = 0; i < 75; ++i) {
            EXPECT_EQ(number_at<float>(bytes, size_t(32 + (f * 75 + i) * 4)), float(frame.body().positions.data()[i]));
        }
    }
}

TEST(Pc2Write, moving_uvs_make_a_second_file_in_corner_order) {
    const Body body = rippling_square(4);
    ScratchFolder folder;
    Bake bake{&body, 3};
    bake.uv_changed = true;
    bake.change = [&](Frame& frame) {
        frame.body().uv = body.mesh().uv;
        frame.body().uv.array() += 0.01 * frame.number;
    };
    const auto sink = make_sink(folder / "a.b.pc2");
    EXPECT_EQ(bake.run(*sink).size(), 2U);
    EXPECT_EQ(files_in(folder.path()), (std::set<std::string>{"a.b.pc2", "a.b.uv.pc2"}));
    const auto bytes = read_file(folder / "a.b.uv.pc2");
    const int corner_count = 16 * 4;
    ASSERT_EQ(bytes.size(), size_t(32 + 3 * corner_count * 12));
    EXPECT_EQ(number_at<int>(bytes, 16), corner_count);
    // A quad's corners: 0 1 2 of its first triangle, then corner 2 of the second.
    const std::array<std::array<int, 2>, 4> corner = {{{0, 0}, {0, 1}, {0, 2}, {1, 2}}};
    for (int f = 0; f < 3; ++f) {
        for (int quad = 0; quad < 16; ++quad) {
            for (int c = 0; c < 4; ++c) {
                const int t = body.mesh().uv_triangles(2 * quad + corner[size_t(c)][0], corner[size_t(c)][1]);
                const auto at = size_t(32 + ((f * corner_count) + quad * 4 + c) * 12);
                EXPECT_EQ(number_at<float>(bytes, at), float(body.mesh().uv(t, 0) + 0.01 * (f + 1)));
                EXPECT_EQ(number_at<float>(bytes, at + 4), float(body.mesh().uv(t, 1) + 0.01 * (f + 1)));
                EXPECT_EQ(number_at<float>(bytes, at + 8), 0.0F);
            }
        }
    }
}

TEST(MddWrite, numbers_are_big_endian_and_times_are_seconds) {
    const Body body = rippling_square(4);
    ScratchFolder folder;
    const Bake bake{&body, 4, 3};
    const auto sink = make_sink(folder / "a.mdd");
    bake.run(*sink);
    const auto bytes = read_file(folder / "a.mdd");
    ASSERT_EQ(bytes.size(), 8U + 4 * 4 + 4 * 25 * 12);
    EXPECT_EQ(number_at<int>(bytes, 0, true), 4);
    EXPECT_EQ(number_at<int>(bytes, 4, true), 25);
    for (int f = 0; f < 4; ++f) {
        const Frame frame = bake.frame(f);
        EXPECT_EQ(number_at<float>(bytes, size_t(8 + 4 * f), true), float((f + 2) / 24.0));
        for (Eigen::Index i = 0; i < 75; ++i) {
            EXPECT_EQ(number_at<float>(bytes, size_t(24 + (f * 75 + i) * 4), true),
                      float(frame.body().positions.data()[i]));
        }
    }
}

/// Runs a Python script with NumPy; false where there is no NumPy on this machine.
bool has_numpy() {
    return std::system("/usr/bin/python3 -c 'import numpy' >/dev/null 2>&1") == 0;
}

int run_python(const ScratchFolder& folder, const std::string& script) {
    std::ofstream(folder / "check.py") << script;
    return std::system(("cd " + folder.path().string() + " && /usr/bin/python3 check.py").c_str());
}

TEST(NpzWrite, numpy_reads_every_array_bit_for_bit) {
    if (!has_numpy()) {
        ASSERT_EQ(std::getenv("CI"), nullptr) << "CI must run this test";
        GTEST_SKIP() << "no NumPy on this machine";
    }
    const Body body = rippling_square(4);
    for (const bool use_float32 : {false, true}) {
        ScratchFolder folder;
        Bake bake{&body, 7, 5};
        bake.uv_changed = true;
        bake.channels = {{"slide/distance", "m"}, {"direction", "1", 3}};
        bake.change = [&](Frame& frame) {
            frame.body().uv = body.mesh().uv * (1.0 + 0.125 * frame.number);
            frame.body().channels = {std::vector<double>(25, 0.5 * frame.number), std::vector<double>(75, -0.25)};
        };
        SinkOptions options;
        options.npz.use_float32 = use_float32;
        const auto sink = make_sink(folder / "a.npz", options);
        bake.run(*sink);
        std::ofstream truth(folder / "truth.bin", std::ios::binary);
        for (int f = 0; f < 7; ++f) {
            const Frame frame = bake.frame(f);
            truth.write(reinterpret_cast<const char*>(frame.body().positions.data()), 75 * 8);
        }
        truth.close();
        EXPECT_EQ(run_python(folder, std::string("kind = '") + (use_float32 ? "f4" : "f8") + R"('
import numpy, zipfile
assert zipfile.ZipFile('a.npz').testzip() is None
a = numpy.load('a.npz')
assert sorted(a.files) == sorted(['positions', 'rest', 'triangles', 'polygon_sizes', 'uv', 'uv_triangles',
    'uv_frames', 'channel_slide_distance', 'channel_direction', 'times', 'frames', 'fps']), a.files
truth = numpy.fromfile('truth.bin').reshape(7, 25, 3)
assert a['positions'].dtype == numpy.dtype(kind) and a['positions'].shape == (7, 25, 3)
assert (a['positions'] == truth.astype(kind)).all()
assert a['rest'].shape == (25, 3) and a['triangles'].shape == (32, 3) and a['triangles'].max() == 24
assert a['triangles'].dtype == numpy.int32 and (a['polygon_sizes'] == 4).all()
assert a['uv'].shape == (30, 2) and a['uv_triangles'].max() == 29
expected = numpy.stack([a['uv'] * (1.0 + 0.125 * n) for n in range(5, 12)])
assert a['uv_frames'].shape == (7, 30, 2) and (a['uv_frames'] == expected.astype(kind)).all()
assert a['channel_slide_distance'].shape == (7, 25)
assert (a['channel_slide_distance'][:, 3] == 0.5 * numpy.arange(5, 12)).all()
assert a['channel_direction'].shape == (7, 25, 3) and (a['channel_direction'] == -0.25).all()
assert (a['times'] == numpy.arange(4, 11) / 24.0).all() and (a['frames'] == numpy.arange(5, 12)).all()
assert a['fps'].shape == () and a['fps'] == 24.0
)"),
                  0);
    }
}

TEST(AtomicFiles, what_a_killed_program_began_is_removed_and_what_is_being_written_stays) {
    ScratchFolder folder;
    AtomicFile live(folder / "a.pc2");
    std::ofstream(folder / "a.pc2.part4242-0") << "half";
    std::ofstream(folder / "my.part-list") << "a user's own file";
    EXPECT_EQ(remove_abandoned_parts(folder / "."), 1);
    EXPECT_FALSE(std::filesystem::exists(folder / "a.pc2.part4242-0"));
    EXPECT_TRUE(std::filesystem::exists(folder / "my.part-list"));
    live.write("whole");
    live.commit();
    EXPECT_EQ(std::filesystem::file_size(folder / "a.pc2"), 5u);
    EXPECT_EQ(remove_abandoned_parts(folder / "."), 0);
}

TEST(NpzWrite, zip64_records_are_read_by_other_programs) {
    if (!has_numpy()) {
        ASSERT_EQ(std::getenv("CI"), nullptr) << "CI must run this test";
        GTEST_SKIP() << "no NumPy on this machine";
    }
    ScratchFolder folder;
    AtomicFile file(folder / "a.zip");
    ZipWriter zip(file, true);
    for (const std::string name : {"one", "two"}) {
        const std::string content = "content of " + name;
        zip.begin_entry(name, content.size());
        zip.write(content.data(), 3);
        zip.write(content.data() + 3, content.size() - 3);
        zip.end_entry();
    }
    zip.close();
    file.commit();
    EXPECT_EQ(run_python(folder, R"(
import zipfile
z = zipfile.ZipFile('a.zip')
assert z.testzip() is None
assert z.namelist() == ['one', 'two']
assert z.read('one') == b'content of one' and z.read('two') == b'content of two'
assert b'\x50\x4b\x06\x06' in open('a.zip', 'rb').read()
)"),
              0);
}

}  // namespace
}  // namespace cutis
