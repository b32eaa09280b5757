#include <cmath>

#include "core/math.h"
#include "io/picture/picture.h"

namespace cutis {

namespace {

struct Ink {
    bool is_there = false;
    bool is_red = false;
};

/// A compass rose at a place of the unit disc, y up.
Ink ink_at(double x, double y) {
    const double r = math::hypot(x, y);
    const auto near = [](double value, double target, double half) { return std::abs(value - target) < half; };
    if (near(r, 0.94, 0.022) || near(r, 0.87, 0.01) || near(r, 0.42, 0.012)) {
        return {true};
    }
    const double half_turn = math::acos(-1.0);
    const double turn = math::atan2(x, y);  // from north, clockwise
    const double tick = turn / (half_turn / 36.0);
    if (r > 0.87 && r < 0.94 && std::abs(tick - std::round(tick)) * r * half_turn / 36.0 < 0.008) {
        return {true};
    }
    const double sector = std::round(turn / (half_turn / 4.0));
    const bool is_main = std::fmod(std::abs(sector), 2.0) == 0.0;
    // In the axes of its point: along it, and to its right.
    const double along = x * math::sin(sector * half_turn / 4.0) + y * math::cos(sector * half_turn / 4.0);
    const double across = x * math::cos(sector * half_turn / 4.0) - y * math::sin(sector * half_turn / 4.0);
    const double length = is_main ? 0.82 : 0.6;
    const double half = 0.16 * (length - along) / (length - 0.2);
    const double width = along > 0.2 ? half : 0.8 * along;
    if (std::abs(across) > width || along > length) {
        return {};
    }
    const bool is_edge = std::abs(across) > width - 0.014 || std::abs(across) < 0.007;
    return {across < 0.0 || is_edge, sector == 0.0};
}

}  // namespace

Picture compass_picture() {
    constexpr int side = 512;
    constexpr int fine = 3;
    Picture picture{side, side, std::vector<unsigned char>(size_t{4} * side * side, 0)};
    for (int y = 0; y < side; ++y) {
        for (int x = 0; x < side; ++x) {
            int inked = 0;
            int red = 0;
            for (int k = 0; k < fine * fine; ++k) {
                const double px = (x + (k % fine + 0.5) / fine) / side;
                const double py = (y + (k / fine + 0.5) / fine) / side;
                const Ink ink = ink_at(2.0 * px - 1.0, 1.0 - 2.0 * py);
                inked += ink.is_there ? 1 : 0;
                red += ink.is_there && ink.is_red ? 1 : 0;
            }
            const bool is_red = 2 * red > inked;
            unsigned char* pixel = picture.at(x, y);
            pixel[0] = is_red ? 150 : 18;
            pixel[1] = is_red ? 26 : 32;
            pixel[2] = is_red ? 28 : 60;
            pixel[3] = static_cast<unsigned char>(255 * inked / (fine * fine));
        }
    }
    return picture;
}

}  // namespace cutis
