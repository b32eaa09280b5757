// PC2 and MDD point caches.
#include <cstring>
#include <limits>
#include <random>

#include "cutis/core/error.h"
#include "cutis/io/obj_read.h"
#include "cutis/io/point_cache_read.h"
#include "support/data.h"
#include "support/expect_error.h"

namespace cutis {
namespace {

using test::expect_error;
using Bytes = std::vector<unsigned char>;

/// Words of four bytes, in either order.
class Words {
public:
    explicit Words(bool big_endian) : big_endian_(big_endian) {}
    Words& operator()(std::int32_t value) {
        for (int k = 0; k < 4; ++k) {
            const int shift = big_endian_ ? 24 - 8 * k : 8 * k;
            bytes.push_back(static_cast<unsigned char>(static_cast<std::uint32_t>(value) >> shift));
        }
        return *this;
    }
    Words& operator()(float value) {
        std::int32_t bits;
        std::memcpy(&bits, &value, 4);
        return (*this)(bits);
    }
    Bytes bytes;

private:
    bool big_endian_;
};

Bytes pc2(std::int32_t points, float start, float rate, std::int32_t samples, const std::vector<float>& numbers,
          std::int32_t version = 1) {
    Words words(false);
    const char magic[] = "POINTCACHE2";
    words.bytes.assign(magic, magic + 12);
    words(version)(points)(start)(rate)(samples);
    for (const float number : numbers) {
        words(number);
    }
    return words.bytes;
}

Bytes mdd(std::int32_t frames, std::int32_t points, const std::vector<float>& times,
          const std::vector<float>& numbers) {
    Words words(true);
    words(frames)(points);
    for (const float time : times) {
        words(time);
    }
    for (const float number : numbers) {
        words(number);
    }
    return words.bytes;
}

const std::vector<float> two_points_twice = {1, 2, 3, 4, 5, 6, -1, -2, -3, -4, -5, -6.5f};
constexpr float no_number = std::numeric_limits<float>::quiet_NaN();

TEST(Pc2Read, samples_arrive_bit_for_bit_and_frames_become_seconds) {
    const PointCache cache = read_pc2(pc2(2, 12, 0.5f, 2, two_points_twice), "a.pc2", 24.0);
    EXPECT_EQ(cache.vertex_count, 2);
    EXPECT_EQ(cache.frame_count(), 2);
    EXPECT_EQ(cache.samples, two_points_twice);
    EXPECT_DOUBLE_EQ(cache.start, 0.5);  // frame 12 of 24 a second
    EXPECT_DOUBLE_EQ(cache.rate, 48.0);  // two samples a frame
}

TEST(Pc2Read, headers_that_do_not_fit_the_file_are_refused) {
    const auto refuse = [](const Bytes& bytes, const std::vector<std::string>& pieces) {
        expect_error<InvalidInput>([&] { read_pc2(bytes, "a.pc2"); }, pieces);
    };
    refuse(Bytes(31), {"a.pc2: expected a PC2 header of 32 bytes, found 31 bytes"});
    refuse(Bytes(44), {"expected POINTCACHE2 at the start"});
    refuse(pc2(2, 0, 1, 2, two_points_twice, 2), {"expected PC2 version 1, found 2"});
    refuse(pc2(2, 0, 1, 3, two_points_twice), {"expected 3 samples of 2 points", "found 48 bytes"});
    refuse(pc2(2, 0, 1, 1, two_points_twice), {"expected 1 samples of 2 points", "found 48 bytes"});
    refuse(pc2(2147483647, 0, 1, 2147483647, two_points_twice), {"2147483647 samples"});
    refuse(pc2(0, 0, 1, 2, two_points_twice), {"found 0 points and 2 samples"});
    refuse(pc2(2, 0, 1, -2, two_points_twice), {"found 2 points and -2 samples"});
    refuse(pc2(2, 0, 0, 2, two_points_twice), {"found start 0 and rate 0"});
    refuse(pc2(2, no_number, 1, 2, two_points_twice), {"expected a finite start"});
    std::vector<float> bad = two_points_twice;
    bad[10] = no_number;
    refuse(pc2(2, 0, 1, 2, bad), {"a.pc2: frame 1, point 1: expected finite numbers, found nan"});
}

TEST(Pc2Read, every_truncation_is_refused) {
    const Bytes good = pc2(2, 0, 1, 2, two_points_twice);
    for (std::size_t size = 0; size < good.size(); ++size) {
        const Bytes part(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(size));
        EXPECT_THROW(read_pc2(part, "a.pc2"), InvalidInput) << size;
    }
}

TEST(Pc2Read, frames_a_second_must_be_positive) {
    const Bytes good = pc2(2, 0, 1, 2, two_points_twice);
    expect_error<InvalidInput>([&] { read_pc2(good, "a.pc2", 0.0); }, {"frames per second"});
    expect_error<IoError>([] { read_pc2(std::filesystem::path("no.pc2")); }, {"no such file"});
}

// Every eighth frame of the cache is also there as an OBJ file.
TEST(Pc2Data, the_dancing_bone_equals_its_obj_frames) {
    CUTIS_NEED_DATA("dem-bones/bone_anim.pc2");
    const PointCache cache = read_pc2(data_path, 24.0);
    EXPECT_EQ(cache.vertex_count, 754);
    EXPECT_EQ(cache.frame_count(), 400);
    EXPECT_DOUBLE_EQ(cache.rate, 24.0);
    const ObjSequence frames = read_obj_sequence(data_path.parent_path() / "frames" / "bone_*.obj", 3.0);
    ASSERT_EQ(frames.cache.frame_count(), 50);
    ASSERT_EQ(frames.cache.vertex_count, 754);
    double worst = 0.0;
    for (int f = 0; f < 50; ++f) {
        for (int i = 0; i < 3 * 754; ++i) {
            worst = std::max(worst, std::abs(static_cast<double>(frames.cache.samples[f * 3 * 754 + i] -
                                                                 cache.samples[8 * f * 3 * 754 + i])));
        }
    }
    EXPECT_LT(worst, 1e-4) << "OBJ text keeps fewer digits";
}

TEST(MddRead, samples_arrive_bit_for_bit_with_start_and_rate_of_the_times) {
    const PointCache cache = read_mdd(mdd(2, 2, {0.5f, 0.75f}, two_points_twice), "a.mdd");
    EXPECT_EQ(cache.vertex_count, 2);
    EXPECT_EQ(cache.samples, two_points_twice);
    EXPECT_DOUBLE_EQ(cache.start, 0.5);
    EXPECT_DOUBLE_EQ(cache.rate, 4.0);
}

TEST(MddRead, times_rounded_to_float_still_count_as_even) {
    std::vector<float> times;
    std::vector<float> numbers(3 * 3000, 1.0f);
    for (int i = 0; i < 3000; ++i) {
        times.push_back(static_cast<float>(i / 29.97));
    }
    EXPECT_NEAR(read_mdd(mdd(3000, 1, times, numbers), "a.mdd").rate, 29.97, 1e-4);
}

TEST(MddRead, uneven_times_are_refused_unless_frames_a_second_are_given) {
    const std::vector<float> numbers(9, 2.0f);
    const Bytes uneven = mdd(3, 1, {0, 0.1f, 0.3f}, numbers);
    expect_error<InvalidInput>([&] { read_mdd(uneven, "a.mdd"); },
                               {"a.mdd: time of frame 1: expected 0.15", "found 0.1"});
    EXPECT_DOUBLE_EQ(read_mdd(uneven, "a.mdd", 25.0).rate, 25.0);
    const Bytes timeless = mdd(3, 1, {0, 0, 0}, numbers);
    expect_error<InvalidInput>([&] { read_mdd(timeless, "a.mdd"); }, {"expected increasing times"});
    EXPECT_DOUBLE_EQ(read_mdd(timeless, "a.mdd", 25.0).start, 0.0);
    const Bytes broken = mdd(3, 1, {no_number, 0, 0}, numbers);
    expect_error<InvalidInput>([&] { read_mdd(broken, "a.mdd"); }, {"time of frame 0"});
    EXPECT_DOUBLE_EQ(read_mdd(broken, "a.mdd", 25.0).start, 0.0);
    EXPECT_DOUBLE_EQ(read_mdd(mdd(1, 1, {2}, {1, 2, 3}), "a.mdd").rate, 30.0);
}

TEST(MddRead, headers_that_do_not_fit_the_file_are_refused) {
    const auto refuse = [](const Bytes& bytes, const std::vector<std::string>& pieces) {
        expect_error<InvalidInput>([&] { read_mdd(bytes, "a.mdd"); }, pieces);
    };
    refuse(Bytes(7), {"a.mdd: expected an MDD header of 8 bytes, found 7 bytes"});
    refuse(mdd(3, 2, {0, 1}, two_points_twice), {"expected 3 frames of 2 points", "found 56 bytes"});
    refuse(mdd(2147483647, 2147483647, {0, 1}, two_points_twice), {"2147483647 frames"});
    refuse(mdd(0, 2, {}, {}), {"found 0 frames and 2 points"});
    refuse(mdd(2, -1, {0, 1}, two_points_twice), {"-1 points"});
    std::vector<float> bad = two_points_twice;
    bad[5] = std::numeric_limits<float>::infinity();
    refuse(mdd(2, 2, {0, 1}, bad), {"a.mdd: frame 0, point 1: expected finite numbers, found inf"});
    expect_error<InvalidInput>([&] { read_mdd(mdd(1, 1, {0}, {1, 2, 3}), "a.mdd", -1.0); }, {"frames per second"});
}

TEST(MddRead, every_truncation_is_refused) {
    const Bytes good = mdd(2, 2, {0, 1}, two_points_twice);
    for (std::size_t size = 0; size < good.size(); ++size) {
        const Bytes part(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(size));
        EXPECT_THROW(read_mdd(part, "a.mdd"), InvalidInput) << size;
    }
}

TEST(CacheRead, random_bytes_never_crash) {
    std::mt19937 random(5);
    for (int round = 0; round < 2000; ++round) {
        Bytes bytes = round % 2 == 0 ? pc2(2, 0, 1, 2, two_points_twice) : mdd(2, 2, {0, 1}, two_points_twice);
        for (int k = 0; k < 4; ++k) {
            bytes[random() % bytes.size()] = static_cast<unsigned char>(random());
        }
        for (const bool is_pc2 : {true, false}) {
            try {
                const PointCache cache = is_pc2 ? read_pc2(bytes, "a") : read_mdd(bytes, "a");
                for (const float number : cache.samples) {
                    EXPECT_TRUE(std::isfinite(number));
                }
            } catch (const InvalidInput&) {
            }
        }
    }
}

}  // namespace
}  // namespace cutis
