#include "cutis/io/pc2_read.h"

#include "cutis/io/files.h"
#include "io/cache/point_samples.h"

namespace cutis {

PointCache read_pc2(std::span<const unsigned char> bytes, const std::string& source, double fps) {
    if (!(fps > 0.0) || !std::isfinite(fps)) {
        throw InvalidInput(say(source, ": expected frames a second above 0, found ", fps));
    }
    constexpr std::size_t header = 32;
    if (bytes.size() < header) {
        throw InvalidInput(
            say(source, ": expected a PC2 header of 32 bytes, found ", bytes.size(), " bytes"));
    }
    if (std::memcmp(bytes.data(), "POINTCACHE2\0", 12) != 0) {
        throw InvalidInput(
            say(source, ": expected POINTCACHE2 at the start, found another format"));
    }
    const auto integer = [&](std::size_t offset) {
        return static_cast<std::int32_t>(little_u32(&bytes[offset]));
    };
    if (integer(12) != 1) {
        throw InvalidInput(say(source, ": expected PC2 version 1, found ", integer(12)));
    }
    const std::int32_t points = integer(16);
    const std::int32_t samples = integer(28);
    if (points < 1 || samples < 1) {
        throw InvalidInput(say(source, ": expected at least one point and one sample, found ",
                               points, " points and ", samples, " samples"));
    }
    const double start = static_cast<double>(float_of(little_u32(&bytes[20])));
    const double step = static_cast<double>(float_of(little_u32(&bytes[24])));
    if (!std::isfinite(start) || !std::isfinite(step) || !(step > 1e-6)) {
        throw InvalidInput(say(source, ": expected a finite start and a rate above 0, found start ",
                               start, " and rate ", step));
    }
    // 2^31 * 2^31 * 12 does not fit 64 bits, so the points are compared by division.
    const std::size_t body = bytes.size() - header;
    const std::size_t per_sample = static_cast<std::size_t>(points) * 12;
    if (body / per_sample != static_cast<std::size_t>(samples) || body % per_sample != 0) {
        throw InvalidInput(say(source, ": expected ", samples, " samples of ", points, " points (",
                               per_sample, " bytes each) after the header, found ", body,
                               " bytes"));
    }
    PointCache cache;
    cache.vertex_count = points;
    cache.start = start / fps;
    cache.rate = fps / step;
    cache.samples = read_samples(&bytes[header], body / 4, static_cast<std::size_t>(points), source,
                                 little_u32);
    return cache;
}

PointCache read_pc2(const std::filesystem::path& path, double fps) {
    return read_pc2(read_file(path), path.filename().string(), fps);
}

}  // namespace cutis
