#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "cutis/core/error.h"

namespace cutis {

inline std::uint32_t little_u32(const unsigned char* b) {
    return static_cast<std::uint32_t>(b[0]) | static_cast<std::uint32_t>(b[1]) << 8 |
           static_cast<std::uint32_t>(b[2]) << 16 | static_cast<std::uint32_t>(b[3]) << 24;
}

inline std::uint32_t big_u32(const unsigned char* b) {
    return static_cast<std::uint32_t>(b[3]) | static_cast<std::uint32_t>(b[2]) << 8 |
           static_cast<std::uint32_t>(b[1]) << 16 | static_cast<std::uint32_t>(b[0]) << 24;
}

inline float float_of(std::uint32_t bits) {
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
        if (!std::isfinite(samples[i])) {
            throw InvalidInput(say(source, ": frame ", i / (3 * points), ", point ", i / 3 % points,
                                   ": expected finite numbers, found ", samples[i]));
        }
    }
    return samples;
}

}  // namespace cutis
