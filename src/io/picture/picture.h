#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "cutis/core/types.h"

namespace cutis {

/// Colours in rows from the top, four bytes each: red, green, blue (sRGB) and how opaque.
struct Picture {
    int width = 0;
    int height = 0;
    std::vector<unsigned char> rgba;

    unsigned char* at(int x, int y) { return rgba.data() + 4 * (static_cast<size_t>(y) * width + x); }
    const unsigned char* at(int x, int y) const { return rgba.data() + 4 * (static_cast<size_t>(y) * width + x); }
    /// Between the four nearest pixels, whose centres lie at halves; beyond the borders it repeats.
    Eigen::Vector4d sample(double x, double y) const;
};

/// PNG or JPEG.
/// \param where  start of messages
/// \throw InvalidInput  neither, broken, or more than 2^26 pixels
Picture read_picture(std::span<const unsigned char> bytes, const std::string& where);

std::vector<unsigned char> write_png(const Picture& picture);
/// Sixteen bits a number, linear, rows from the top. \param channels  1 (grey) or 3 (red, green, blue) numbers a pixel
std::vector<unsigned char> write_png16(int width, int height, int channels, const std::vector<std::uint16_t>& numbers);
/// What is not opaque is lost. \param quality  1 to 100
/// \param are_numbers  all channels count alike (a normal map): none has fewer pixels than the others
std::vector<unsigned char> write_jpeg(const Picture& picture, int quality, bool are_numbers = false);

/// The same picture with other sides: means where it becomes smaller, smooth where it becomes larger.
Picture scaled(const Picture& picture, int width, int height);

/// A drawing to try decals with: a compass rose in ink, its north red.
Picture compass_picture();

}  // namespace cutis
