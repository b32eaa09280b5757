#include "io/store/frame_store.h"

#include <gtest/gtest.h>

#include "core/math.h"
#include "cutis/io/formats.h"
#include "io/details_support.h"
#include "io/store/products.h"

namespace cutis::test {
namespace {

TEST(FrameStore, outputs_that_share_one_write_the_bytes_they_write_alone) {
    const Body body = waving_body(5);
    const Bake bake = with_details(body, 7);
    const ScratchFolder alone;
    const ScratchFolder together;
    for (const std::string& format : known_formats()) {
        bake.run(*make_sink(format, alone.path(), "a"));
    }
    const auto sinks = make_sinks(known_formats(), together.path(), "a", {});
    for (const auto& sink : sinks) {
        sink->begin(bake.info());
    }
    for (int f = 0; f < bake.frame_count; ++f) {
        for (const auto& sink : sinks) {
            sink->write(bake.frame(f));
        }
    }
    for (const auto& sink : sinks) {
        sink->finish();
    }
    ASSERT_EQ(files_in(together.path()), files_in(alone.path()));
    for (const std::string& name : files_in(alone.path())) {
        EXPECT_EQ(text_of(together / name), text_of(alone / name)) << name;
    }
}

TEST(FrameStore, whole_frames_come_back_bit_for_bit_and_damage_is_noticed) {
    const Body body = waving_body(4);
    Bake bake = with_details(body, 5);
    bake.numbers = {{"energy", "J"}};
    bake.shape_changed = true;
    bake.has_plain = true;
    bake.layers.resize(2);
    bake.layers[0].kind = bake.layers[0].name = "curve";
    bake.layers[1].kind = bake.layers[1].name = "slide";
    bake.layers[1].changes_shape = true;
    const auto details = bake.change;
    bake.change = [&](Frame& frame) {
        details(frame);
        frame.numbers = {0.1 * frame.number};
        frame.stage_seconds = {1e-3, 2e-3, 3e-3};
        frame.body().plain_positions = frame.body().positions * 0.9;
        const MatrixX3d moved = frame.body().positions - frame.body().plain_positions;
        frame.body().shares = {{}, {moved.data(), moved.data() + moved.size()}};
    };
    const ScratchFolder folder;
    const std::filesystem::path path = folder / "frames";
    FrameStore store(std::fopen(path.c_str(), "w+b"), path, 0);
    store.begin(bake.info(), "test");
    for (int f = 0; f < 5; ++f) {
        store.take(bake.frame(f), f, "test");
        store.take(bake.frame(f), f, "test");  // by another output: once is enough
    }
    EXPECT_EQ(store.frame_count(), 5);
    store.sync();
    EXPECT_EQ(std::filesystem::file_size(path), store.bytes());
    Frame back;
    for (int f = 0; f < 5; ++f) {
        const Frame frame = bake.frame(f);
        ASSERT_TRUE(store.read(f, back));
        EXPECT_EQ(back.number, frame.number);
        EXPECT_EQ(back.time, frame.time);
        EXPECT_EQ(back.numbers, frame.numbers);
        EXPECT_EQ(back.stage_seconds, frame.stage_seconds);
        EXPECT_EQ(back.lines, frame.lines);
        ASSERT_EQ(back.meshes.size(), 2U);
        for (size_t m = 0; m < 2; ++m) {
            EXPECT_EQ(back.meshes[m].positions, frame.meshes[m].positions);
            EXPECT_EQ(back.meshes[m].plain_positions, frame.meshes[m].plain_positions);
            EXPECT_EQ(back.meshes[m].shares, frame.meshes[m].shares);
            EXPECT_EQ(back.meshes[m].channels, frame.meshes[m].channels);
        }
    }
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(store.bytes() / 5 * 2 + 100));
    file.put('\x55');
    file.close();
    EXPECT_TRUE(store.read(1, back));
    EXPECT_FALSE(store.read(2, back));
}

TEST(FrameStore, keeps_only_what_an_output_asked_for) {
    const Body body = waving_body(4);
    const Bake bake = with_details(body, 3);
    const ScratchFolder folder;
    FrameStore store(folder / "a");
    store.begin(bake.info(), "test");
    store.want(Stored::positions, 1);
    for (int f = 0; f < 3; ++f) {
        store.take(bake.frame(f), f, "test");
    }
    EXPECT_EQ(store.numbers().numbers_per_frame(), 90U);
    std::vector<double> numbers(90);
    store.numbers().read_coordinates(2, store.first(Stored::positions, 1), 90, numbers.data());
    const MatrixX3d expected = bake.frame(2).meshes[1].positions;
    EXPECT_EQ(numbers, std::vector<double>(expected.data(), expected.data() + 90));
    EXPECT_THROW(store.first(Stored::positions, 0), std::out_of_range);
    EXPECT_TRUE(files_in(folder.path()).empty());  // scratch space has no name
}

// Sums in double of at most 700 numbers within 1: off by 700 roundings at most.
TEST(StoreProducts, equal_sums_written_out_for_any_number_of_rows_and_columns) {
    const auto number = [](int i, int j) { return math::sin(3.1 * i + 0.7 * j * j); };
    for (const auto& [rows, inner, columns] : std::vector<std::array<int, 3>>{{1, 1, 1}, {5, 3, 13}, {9, 6, 700}}) {
        Eigen::MatrixXd left(rows, inner);
        FrameRows right(inner, columns);
        for (int i = 0; i < inner; ++i) {
            for (int r = 0; r < rows; ++r) {
                left(r, i) = number(r, i);
            }
            for (int c = 0; c < columns; ++c) {
                right(i, c) = number(c, i);
            }
        }
        FrameRows out = FrameRows::Constant(rows, columns, 0.25);
        add_product(ProductPanels(left), right, -2.0, out);
        for (int r = 0; r < rows; ++r) {
            for (int c = 0; c < columns; ++c) {
                double sum = 0.0;
                for (int i = 0; i < inner; ++i) {
                    sum += left(r, i) * right(i, c);
                }
                ASSERT_NEAR(out(r, c), 0.25 - 2.0 * sum, 700 * 1e-15);
            }
        }
        Eigen::MatrixXd gram = Eigen::MatrixXd::Constant(inner, inner, 0.5);
        add_gram(right, gram);
        for (int a = 0; a < inner; ++a) {
            for (int b = 0; b < inner; ++b) {
                double sum = 0.5;
                for (int c = 0; b <= a && c < columns; ++c) {
                    sum += right(a, c) * right(b, c);
                }
                ASSERT_NEAR(gram(a, b), sum, 700 * 1e-14);
            }
        }
    }
}

}  // namespace
}  // namespace cutis::test
