#include "io/picture/picture.h"

#include <algorithm>
#include <cmath>

#include "cutis/core/error.h"

namespace cutis {

Eigen::Vector4d Picture::sample(double x, double y) const {
    const double x0 = std::floor(x - 0.5);
    const double y0 = std::floor(y - 0.5);
    const double fx = x - 0.5 - x0;
    const double fy = y - 0.5 - y0;
    const auto wrapped = [](double at, int count) {
        const double rest = std::fmod(at, static_cast<double>(count));
        return static_cast<int>(rest < 0.0 ? rest + count : rest);
    };
    Eigen::Vector4d sum = Eigen::Vector4d::Zero();
    for (int k = 0; k < 4; ++k) {
        const double weight = ((k & 1) != 0 ? fx : 1.0 - fx) * ((k & 2) != 0 ? fy : 1.0 - fy);
        const unsigned char* pixel = at(wrapped(x0 + (k & 1), width), wrapped(y0 + (k >> 1), height));
        sum += weight * Eigen::Vector4d(pixel[0], pixel[1], pixel[2], pixel[3]);
    }
    return sum;
}

Picture scaled(const Picture& picture, int width, int height) {
    Picture out{width, height, {}};
    out.rgba.resize(4 * static_cast<size_t>(width) * static_cast<size_t>(height));
    const double sx = static_cast<double>(picture.width) / width;
    const double sy = static_cast<double>(picture.height) / height;
    const int nx = std::max(1, static_cast<int>(std::ceil(sx)));
    const int ny = std::max(1, static_cast<int>(std::ceil(sy)));
    for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) {
            Eigen::Vector4d sum = Eigen::Vector4d::Zero();
            for (int j = 0; j < ny; ++j) {
                for (int i = 0; i < nx; ++i) {
                    // Colours of what cannot be seen do not count.
                    const double px = std::clamp((x + (i + 0.5) / nx) * sx, 0.5, picture.width - 0.5);
                    const double py = std::clamp((y + (j + 0.5) / ny) * sy, 0.5, picture.height - 0.5);
                    Eigen::Vector4d colour = picture.sample(px, py);
                    colour.head<3>() *= colour[3];
                    sum += colour;
                }
            }
            sum.head<3>() /= std::max(sum[3], 1e-9);
            sum[3] /= nx * ny;
            for (int k = 0; k < 4; ++k) {
                out.at(x, y)[k] = static_cast<unsigned char>(std::lround(std::clamp(sum[k], 0.0, 255.0)));
            }
        }
    }
    return out;
}

}  // namespace cutis
