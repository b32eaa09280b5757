#include "cutis/io/mdd_read.h"

#include <algorithm>

#include "cutis/io/files.h"
#include "io/cache/point_samples.h"

namespace cutis {

namespace {

/// Start and rate from evenly spaced times.
void read_times(const unsigned char* from, std::size_t frames, const std::string& source,
                PointCache& cache) {
    const auto time = [&](std::size_t i) {
        return static_cast<double>(float_of(big_u32(from + 4 * i)));
    };
    for (std::size_t i = 0; i < frames; ++i) {
        if (!std::isfinite(time(i))) {
            throw InvalidInput(
                say(source, ": time of frame ", i, ": expected a number, found ", time(i)));
        }
    }
    cache.start = time(0);
    if (frames == 1) {
        return;
    }
    const double step = (time(frames - 1) - time(0)) / static_cast<double>(frames - 1);
    if (!(step > 0.0)) {
        throw InvalidInput(say(source, ": expected increasing times, found ", time(0),
                               " for the first and ", time(frames - 1),
                               " for the last frame; give frames a second instead"));
    }
    // Times are floats: beside a thousandth of a frame, their own rounding is forgiven.
    const double largest = std::max(std::abs(time(0)), std::abs(time(frames - 1)));
    const double tolerance = 1e-3 * step + 2.4e-7 * largest;
    for (std::size_t i = 0; i < frames; ++i) {
        const double expected = time(0) + static_cast<double>(i) * step;
        if (std::abs(time(i) - expected) > tolerance) {
            throw InvalidInput(say(source, ": time of frame ", i, ": expected ", expected,
                                   " (evenly spaced), found ", time(i),
                                   "; give frames a second to ignore the times"));
        }
    }
    cache.rate = 1.0 / step;
}

}  // namespace

PointCache read_mdd(std::span<const unsigned char> bytes, const std::string& source, double fps) {
    if (!(fps >= 0.0) || !std::isfinite(fps)) {
        throw InvalidInput(say(source, ": expected frames a second of 0 or above, found ", fps));
    }
    if (bytes.size() < 8) {
        throw InvalidInput(
            say(source, ": expected an MDD header of 8 bytes, found ", bytes.size(), " bytes"));
    }
    const auto frames = static_cast<std::int32_t>(big_u32(&bytes[0]));
    const auto points = static_cast<std::int32_t>(big_u32(&bytes[4]));
    if (frames < 1 || points < 1) {
        throw InvalidInput(say(source, ": expected at least one frame and one point, found ",
                               frames, " frames and ", points, " points"));
    }
    // Each frame has a time and its points; compared by division, as the product may not fit 64
    // bits.
    const std::size_t body = bytes.size() - 8;
    const std::size_t per_frame = 4 + static_cast<std::size_t>(points) * 12;
    if (body / per_frame != static_cast<std::size_t>(frames) || body % per_frame != 0) {
        throw InvalidInput(say(source, ": expected ", frames, " frames of ", points, " points (",
                               per_frame, " bytes each) after the header, found ", body, " bytes"));
    }
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
    cache.samples = read_samples(&bytes[data], (bytes.size() - data) / 4,
                                 static_cast<std::size_t>(points), source, big_u32);
    return cache;
}

PointCache read_mdd(const std::filesystem::path& path, double fps) {
    return read_mdd(read_file(path), path.filename().string(), fps);
}

}  // namespace cutis
