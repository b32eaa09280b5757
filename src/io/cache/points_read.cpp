#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "cutis/core/error.h"
#include "cutis/io/files.h"
#include "cutis/io/point_cache_read.h"

namespace cutis {

namespace {

std::uint32_t little_u32(const unsigned char* b) {
    return static_cast<std::uint32_t>(b[0]) | static_cast<std::uint32_t>(b[1]) << 8 |
           static_cast<std::uint32_t>(b[2]) << 16 | static_cast<std::uint32_t>(b[3]) << 24;
}

std::uint32_t big_u32(const unsigned char* b) {
    return static_cast<std::uint32_t>(b[3]) | static_cast<std::uint32_t>(b[2]) << 8 |
           static_cast<std::uint32_t>(b[1]) << 16 | static_cast<std::uint32_t>(b[0]) << 24;
}

float float_of(std::uint32_t bits) {
    float value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}

/// `count` floats; refuses what is not finite, naming frame and point.
template <class Word>
std::vector<float> read_samples(const unsigned char* from, std::size_t count, std::size_t points,
                                const std::string& source, Word word) {
    std::vector<float> samples(count);
    for (std::size_t i = 0; i < count; ++i) {
        samples[i] = float_of(word(from + 4 * i));
        require(std::isfinite(samples[i]), source, ": frame ", i / (3 * points), ", point ", i / 3 % points,
                ": expected finite numbers, found ", samples[i]);
    }
    return samples;
}

/// Start and rate from evenly spaced times.
void read_times(const unsigned char* from, std::size_t frames, const std::string& source, PointCache& cache) {
    const auto time = [&](std::size_t i) { return static_cast<double>(float_of(big_u32(from + 4 * i))); };
    for (std::size_t i = 0; i < frames; ++i) {
        require(std::isfinite(time(i)), source, ": time of frame ", i, ": expected a number, found ", time(i));
    }
    cache.start = time(0);
    if (frames == 1) {
        return;
    }
    const double step = (time(frames - 1) - time(0)) / static_cast<double>(frames - 1);
    if (!(step > 0.0)) {
        throw InvalidInput(concat(source, ": expected increasing times, found ", time(0), " for the first and ",
                                  time(frames - 1), " for the last frame; give frames per second instead"));
    }
    // Times are floats: beside a thousandth of a frame, their own rounding is forgiven.
    const double largest = std::max(std::abs(time(0)), std::abs(time(frames - 1)));
    const double tolerance = 1e-3 * step + 2.4e-7 * largest;
    for (std::size_t i = 0; i < frames; ++i) {
        const double expected = time(0) + static_cast<double>(i) * step;
        require(std::abs(time(i) - expected) <= tolerance, source, ": time of frame ", i, ": expected ", expected,
                " (evenly spaced), found ", time(i), "; give frames per second to ignore the times");
    }
    cache.rate = 1.0 / step;
}

}  // namespace

PointCache read_pc2(std::span<const unsigned char> bytes, const std::string& source, double fps) {
    require(fps > 0.0 && std::isfinite(fps), source, ": expected frames per second above 0, found ", fps);
    constexpr std::size_t header = 32;
    require(bytes.size() >= header, source, ": expected a PC2 header of 32 bytes, found ", bytes.size(), " bytes");
    require(std::memcmp(bytes.data(), "POINTCACHE2\0", 12) == 0, source,
            ": expected POINTCACHE2 at the start, found another format");
    const auto integer = [&](std::size_t offset) { return static_cast<std::int32_t>(little_u32(&bytes[offset])); };
    require(integer(12) == 1, source, ": expected PC2 version 1, found ", integer(12));
    const std::int32_t points = integer(16);
    const std::int32_t samples = integer(28);
    require(points >= 1 && samples >= 1, source, ": expected at least one point and one sample, found ", points,
            " points and ", samples, " samples");
    const double start = static_cast<double>(float_of(little_u32(&bytes[20])));
    const double step = static_cast<double>(float_of(little_u32(&bytes[24])));
    require(std::isfinite(start) && std::isfinite(step) && step > 1e-6, source,
            ": expected a finite start and a rate above 0, found start ", start, " and rate ", step);
    // 2^31 * 2^31 * 12 does not fit 64 bits, so the points are compared by division.
    const std::size_t body = bytes.size() - header;
    const std::size_t per_sample = static_cast<std::size_t>(points) * 12;
    require(body / per_sample == static_cast<std::size_t>(samples) && body % per_sample == 0, source, ": expected ",
            samples, " samples of ", points, " points (", per_sample, " bytes each) after the header, found ", body,
            " bytes");
    PointCache cache;
    cache.vertex_count = points;
    cache.start = start / fps;
    cache.rate = fps / step;
    cache.samples = read_samples(&bytes[header], body / 4, static_cast<std::size_t>(points), source, little_u32);
    return cache;
}

PointCache read_pc2(const std::filesystem::path& path, double fps) {
    return read_pc2(read_file(path), path.filename().string(), fps);
}

PointCache read_mdd(std::span<const unsigned char> bytes, const std::string& source, double fps) {
    require(fps >= 0.0 && std::isfinite(fps), source, ": expected frames per second of 0 or above, found ", fps);
    require(bytes.size() >= 8, source, ": expected an MDD header of 8 bytes, found ", bytes.size(), " bytes");
    const auto frames = static_cast<std::int32_t>(big_u32(&bytes[0]));
    const auto points = static_cast<std::int32_t>(big_u32(&bytes[4]));
    require(frames >= 1 && points >= 1, source, ": expected at least one frame and one point, found ", frames,
            " frames and ", points, " points");
    // Each frame has a time and its points; compared by division, as the product may not fit 64
    // bits.
    const std::size_t body = bytes.size() - 8;
    const std::size_t per_frame = 4 + static_cast<std::size_t>(points) * 12;
    require(body / per_frame == static_cast<std::size_t>(frames) && body % per_frame == 0, source, ": expected ",
            frames, " frames of ", points, " points (", per_frame, " bytes each) after the header, found ", body,
            " bytes");
    PointCache cache;
    cache.vertex_count = points;
    if (fps > 0.0) {
        const auto first = static_cast<double>(float_of(big_u32(&bytes[8])));
        cache.start = std::isfinite(first) ? first : 0.0;
        cache.rate = fps;
    } else {
        read_times(&bytes[8], static_cast<std::size_t>(frames), source, cache);
    }
    const std::size_t data = 8 + 4 * static_cast<std::size_t>(frames);
    cache.samples =
        read_samples(&bytes[data], (bytes.size() - data) / 4, static_cast<std::size_t>(points), source, big_u32);
    return cache;
}

PointCache read_mdd(const std::filesystem::path& path, double fps) {
    return read_mdd(read_file(path), path.filename().string(), fps);
}

}  // namespace cutis
