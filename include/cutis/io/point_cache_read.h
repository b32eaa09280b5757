#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "cutis/body/cache.h"

namespace cutis {

/// PC2 point cache.
///
/// | bytes | in the file                      | read as                          |
/// |-------|----------------------------------|----------------------------------|
/// | 0     | `POINTCACHE2` and a zero byte    | must be there                    |
/// | 12    | i32 version                      | must be 1                        |
/// | 16    | i32 points                       | PointCache::vertex_count         |
/// | 20    | f32 start, in frames             | PointCache::start = start / fps  |
/// | 24    | f32 rate: frames between samples | PointCache::rate = fps / rate    |
/// | 28    | i32 samples                      | number of samples                |
/// | 32    | f32 x y z by point, by sample    | PointCache::samples, bit for bit |
///
/// All little-endian. A file of UVs (x = u, y = v) reads the same way.
///
/// \param fps  frames per second: the file counts frames, not seconds
/// \throw InvalidInput  another format, counts that do not fit the file's length (checked before
///                      memory is taken), a number that is not finite, with its frame and point
/// \throw IoError       missing or unreadable
PointCache read_pc2(const std::filesystem::path& path, double fps = 30.0);
PointCache read_pc2(std::span<const unsigned char> bytes, const std::string& source, double fps = 30.0);

/// MDD (LightWave) point cache.
///
/// | bytes   | in the file                     | read as                                    |
/// |---------|---------------------------------|--------------------------------------------|
/// | 0       | i32 frames                      | number of samples                          |
/// | 4       | i32 points                      | PointCache::vertex_count                   |
/// | 8       | f32 time of each frame, seconds | PointCache::start and rate; must be evenly |
/// |         |                                 | spaced to a thousandth of a frame          |
/// | 8 + 4 F | f32 x y z by point, by frame    | PointCache::samples, bit for bit           |
///
/// All big-endian. Some programs write no usable times (all zero): `fps` then gives them.
///
/// \param fps  0: take the times of the file; a single frame gets 30. Otherwise frames per second,
/// and
///             of the file's times only the first is used, as the start, where it is a number.
/// \throw InvalidInput  counts that do not fit the file's length (checked before memory is taken),
///                      uneven times, a number that is not finite, with its frame and point
/// \throw IoError       missing or unreadable
PointCache read_mdd(const std::filesystem::path& path, double fps = 0.0);
PointCache read_mdd(std::span<const unsigned char> bytes, const std::string& source, double fps = 0.0);

}  // namespace cutis
