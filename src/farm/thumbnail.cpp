#include "farm/thumbnail.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "cutis/io/files.h"
#include "io/picture/picture.h"

namespace cutis::farm {

namespace {

constexpr int width = 320;
constexpr int height = 240;
constexpr int finer = 2;  // drawn larger, then made smaller: soft edges

// Orthographic, from the front, a little from the left and above, lit from the viewer's shoulder.
class Painter {
public:
    explicit Painter(const MatrixX3d& positions) {
        const Vector3d back = Vector3d(-0.45, 0.35, 1.0).normalized();
        axes_.row(0) = Vector3d::UnitY().cross(back).normalized().transpose();
        axes_.row(1) = back.cross(Vector3d(axes_.row(0))).transpose();
        axes_.row(2) = back.transpose();
        const MatrixX3d turned = positions * axes_.transpose();
        const Vector3d low = turned.colwise().minCoeff();
        const Vector3d high = turned.colwise().maxCoeff();
        middle_ = 0.5 * (low + high);
        const double size = std::max({(high[0] - low[0]) / width, (high[1] - low[1]) / height, 1e-12});
        scale_ = 0.92 * finer / size;
        picture_.width = width * finer;
        picture_.height = height * finer;
        picture_.rgba.assign(static_cast<size_t>(4) * picture_.width * picture_.height, 255);
        for (size_t i = 0; i < picture_.rgba.size(); i += 4) {
            picture_.rgba[i] = 236;
            picture_.rgba[i + 1] = 238;
            picture_.rgba[i + 2] = 242;
        }
        depth_.assign(static_cast<size_t>(picture_.width) * picture_.height, -std::numeric_limits<double>::infinity());
    }

    void draw(const MatrixX3d& positions, const MatrixX3i& triangles, const Vector3d& colour) {
        const MatrixX3d turned = (positions * axes_.transpose()).rowwise() - middle_.transpose();
        for (Eigen::Index f = 0; f < triangles.rows(); ++f) {
            Eigen::Matrix3d corner;
            for (int k = 0; k < 3; ++k) {
                corner.row(k) = turned.row(triangles(f, k)) * scale_;
                corner(k, 0) += 0.5 * picture_.width;
                corner(k, 1) = 0.5 * picture_.height - corner(k, 1);
            }
            fill(corner, colour);
        }
    }

    std::vector<unsigned char> png() const { return write_png(scaled(picture_, width, height)); }

private:
    void fill(const Eigen::Matrix3d& corner, const Vector3d& colour) {
        const Vector3d u = corner.row(1) - corner.row(0);
        const Vector3d v = corner.row(2) - corner.row(0);
        const double area = u[0] * v[1] - u[1] * v[0];
        const Vector3d normal = u.cross(v);
        if (!std::isfinite(area) || area == 0.0) {
            return;
        }
        const Vector3d light = Vector3d(-0.4, -0.5, 0.77).normalized();
        const double shade = 0.25 + 0.75 * std::abs(normal.dot(light)) / normal.norm();
        const auto from = [](double low, int most) { return std::clamp(static_cast<int>(std::floor(low)), 0, most); };
        const int right = from(corner.col(0).maxCoeff(), picture_.width - 1);
        const int bottom = from(corner.col(1).maxCoeff(), picture_.height - 1);
        for (int y = from(corner.col(1).minCoeff(), picture_.height - 1); y <= bottom; ++y) {
            for (int x = from(corner.col(0).minCoeff(), picture_.width - 1); x <= right; ++x) {
                const double px = x + 0.5 - corner(0, 0);
                const double py = y + 0.5 - corner(0, 1);
                const double b = (px * v[1] - py * v[0]) / area;
                const double c = (u[0] * py - u[1] * px) / area;
                if (b < 0.0 || c < 0.0 || b + c > 1.0) {
                    continue;
                }
                const double z = corner(0, 2) + b * u[2] + c * v[2];
                double& depth = depth_[static_cast<size_t>(y) * picture_.width + x];
                if (z > depth) {
                    depth = z;
                    for (int k = 0; k < 3; ++k) {
                        picture_.at(x, y)[k] = static_cast<unsigned char>(255.0 * std::sqrt(shade) * colour[k]);
                    }
                }
            }
        }
    }

    Eigen::Matrix3d axes_;
    Vector3d middle_;
    double scale_ = 1.0;
    Picture picture_;
    std::vector<double> depth_;
};

class ThumbnailSink final : public FrameSink {
public:
    explicit ThumbnailSink(std::filesystem::path path) : path_(std::move(path)) {}

    void begin(const BakeInfo& info) override {
        meshes_ = info.meshes;
        wanted_ = info.first_frame + info.frame_count / 2;
    }
    void write(const Frame& frame) override {
        if (frame.number != wanted_) {
            return;
        }
        Painter painter(frame.body().positions);
        for (size_t m = 0; m < meshes_.size(); ++m) {
            if (meshes_[m].copies == nullptr) {
                painter.draw(frame.meshes[m].positions, meshes_[m].art->triangles,
                             m == 0 ? Vector3d(0.87, 0.72, 0.62) : Vector3d(0.45, 0.55, 0.7));
            }
        }
        png_ = painter.png();
    }
    std::vector<OutputFile> finish() override {
        if (png_.empty()) {
            return {};
        }
        AtomicFile file(path_);
        file.write(png_.data(), png_.size());
        return {{"png", path_.string(), file.commit(), {}}};
    }

private:
    std::filesystem::path path_;
    std::vector<MeshInfo> meshes_;
    int wanted_ = 0;
    std::vector<unsigned char> png_;
};

}  // namespace

std::unique_ptr<FrameSink> make_thumbnail_sink(const std::filesystem::path& path) {
    return std::make_unique<ThumbnailSink>(path);
}

}  // namespace cutis::farm
