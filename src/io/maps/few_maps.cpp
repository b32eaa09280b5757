#include "io/maps/few_maps.h"

#include <algorithm>
#include <cmath>

#include "cutis/core/error.h"
#include "io/picture/picture.h"

namespace cutis {

namespace {

constexpr size_t stride = 29;        // of texels that are looked at: prime, so that no pattern falls between them
constexpr double good_enough = 1.0;  // degrees

}  // namespace

// Coordinate descent: few columns, a convex problem.
Eigen::VectorXd nonnegative_weights(const Eigen::MatrixXd& products, const Eigen::VectorXd& with) {
    Eigen::VectorXd weights = Eigen::VectorXd::Zero(with.size());
    for (int round = 0; round < 500; ++round) {
        double moved = 0.0;
        for (Eigen::Index k = 0; k < with.size(); ++k) {
            if (!(products(k, k) > 0.0)) {
                continue;
            }
            const double better = std::max(0.0, weights[k] + (with[k] - products.row(k).dot(weights)) / products(k, k));
            moved = std::max(moved, std::abs(better - weights[k]));
            weights[k] = better;
        }
        if (moved < 1e-7) {
            break;
        }
    }
    return weights;
}

void FewMaps::want(FrameStore& frames) const {
    frames.want(Stored::positions);
    for (size_t c = 0; c < layer_.channel_count; ++c) {
        frames.want(Stored::channel, 0, layer_.first_channel + c);
    }
}

void FewMaps::take(const Frame& frame) {
    layer_.maps->paint(frame.body(), layer_.first_channel, workers_, nullptr, &normals_);
    const size_t count = normals_.size() / 3;
    is_used_.resize((count + stride - 1) / stride, false);
    std::vector<Slope>& slopes = slopes_.emplace_back();
    for (size_t i = 0, at = 0; at < count; ++i, at += stride) {
        const float* n = normals_.data() + 3 * at;
        if (n[0] != 0.0F || n[1] != 0.0F) {
            const float z = std::max(n[2], 0.05F);
            slopes.push_back({static_cast<int>(i), n[0] / z, n[1] / z});
            is_used_[i] = true;
        }
    }
}

FewMaps::Result FewMaps::finish(FrameStore& frames, const BakeInfo& info, int side) {
    const size_t count = slopes_.size();
    Eigen::MatrixXd all(count, count);  // products of frames with each other
    const auto used = std::count(is_used_.begin(), is_used_.end(), true);
    for (size_t a = 0; a < count; ++a) {
        for (size_t b = 0; b <= a; ++b) {
            double sum = 0.0;
            auto other = slopes_[b].begin();
            for (const Slope& one : slopes_[a]) {
                while (other != slopes_[b].end() && other->texel < one.texel) {
                    ++other;
                }
                if (other != slopes_[b].end() && other->texel == one.texel) {
                    sum += static_cast<double>(one.x) * other->x + static_cast<double>(one.y) * other->y;
                }
            }
            all(static_cast<Eigen::Index>(a), static_cast<Eigen::Index>(b)) = sum;
            all(static_cast<Eigen::Index>(b), static_cast<Eigen::Index>(a)) = sum;
        }
    }
    Result result;
    std::vector<Eigen::VectorXd> weights(count);
    std::vector<double> missed(count);
    for (size_t f = 0; f < count; ++f) {
        missed[f] = all(static_cast<Eigen::Index>(f), static_cast<Eigen::Index>(f));
    }
    const auto degrees = [&] {
        double sum = 0.0;
        for (const double one : missed) {
            sum += std::max(0.0, one);
        }
        return std::sqrt(sum / std::max<double>(1.0, static_cast<double>(used) * static_cast<double>(count))) *
               57.29578;
    };
    while (static_cast<int>(result.frames.size()) < std::min<int>(most_, static_cast<int>(count)) &&
           degrees() > (result.frames.empty() ? 0.0 : good_enough)) {
        const auto worst = std::max_element(missed.begin(), missed.end()) - missed.begin();
        if (!(missed[static_cast<size_t>(worst)] > 1e-12)) {
            break;
        }
        result.frames.push_back(static_cast<int>(worst));
        const auto k = static_cast<Eigen::Index>(result.frames.size());
        Eigen::MatrixXd products(k, k);
        for (Eigen::Index i = 0; i < k; ++i) {
            for (Eigen::Index j = 0; j < k; ++j) {
                products(i, j) = all(result.frames[static_cast<size_t>(i)], result.frames[static_cast<size_t>(j)]);
            }
        }
        for (size_t f = 0; f < count; ++f) {
            Eigen::VectorXd with(k);
            for (Eigen::Index i = 0; i < k; ++i) {
                with[i] = all(result.frames[static_cast<size_t>(i)], static_cast<Eigen::Index>(f));
            }
            weights[f] = nonnegative_weights(products, with);
            missed[f] = all(static_cast<Eigen::Index>(f), static_cast<Eigen::Index>(f)) - 2.0 * weights[f].dot(with) +
                        weights[f].dot(products * weights[f]);
        }
    }
    result.error = degrees();
    for (size_t f = 0; f < count; ++f) {
        for (size_t k = 0; k < result.frames.size(); ++k) {
            result.weights.push_back(static_cast<float>(weights[f][static_cast<Eigen::Index>(k)]));
        }
    }
    // The frames chosen, painted once more.
    MeshFrame body = info.empty_frame().meshes.front();
    const int size = layer_.maps->size();
    result.size = size;
    while (result.size > side) {
        result.size /= 2;
    }
    const int step = size / result.size;
    for (const int frame : result.frames) {
        const auto read = [&](Stored what, size_t index, double* to, size_t numbers) {
            frames.numbers().read_coordinates(frame, frames.first(what, 0, index), static_cast<int>(numbers), to);
        };
        body.positions.resize(info.meshes.front().vertex_count(), 3);
        read(Stored::positions, 0, body.positions.data(), static_cast<size_t>(body.positions.size()));
        for (size_t c = 0; c < layer_.channel_count; ++c) {
            const size_t channel = layer_.first_channel + c;
            body.channels[channel].resize(static_cast<size_t>(info.meshes.front().vertex_count()) *
                                          static_cast<size_t>(info.meshes.front().channels[channel].width));
            read(Stored::channel, channel, body.channels[channel].data(), body.channels[channel].size());
        }
        layer_.maps->paint(body, layer_.first_channel, workers_, nullptr, &normals_);
        Picture picture{result.size, result.size, {}};
        picture.rgba.resize(4 * static_cast<size_t>(result.size) * static_cast<size_t>(result.size));
        for (int y = 0; y < result.size; ++y) {
            for (int x = 0; x < result.size; ++x) {
                Eigen::Vector3d sum = Eigen::Vector3d::Zero();
                for (int j = 0; j < step; ++j) {
                    for (int i = 0; i < step; ++i) {
                        const float* n =
                            normals_.data() + 3 * (static_cast<size_t>(y * step + j) * static_cast<size_t>(size) +
                                                   static_cast<size_t>(x * step + i));
                        sum += Eigen::Vector3d(n[0], n[1], n[2]);
                    }
                }
                sum.normalize();
                for (int c = 0; c < 3; ++c) {
                    picture.at(x, y)[c] = static_cast<unsigned char>(std::lround(127.5 + 127.5 * sum[c]));
                }
                picture.at(x, y)[3] = 255;
            }
        }
        result.pictures.push_back(write_png(picture));
    }
    return result;
}

}  // namespace cutis
