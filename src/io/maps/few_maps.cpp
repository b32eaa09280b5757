#include "io/maps/few_maps.h"

#include <algorithm>
#include <cmath>

#include "cutis/core/error.h"
#include "io/picture/picture.h"

namespace cutis {

namespace {

constexpr size_t stride = 29;        // of texels that are looked at: prime, so that no pattern falls between them
constexpr double good_enough = 1.0;  // degrees, over all frames
constexpr double faint = 0.02;       // of the square of the deepest frame's slopes: fainter ones may be lost
constexpr double lost = 0.25;        // of the square of a frame's slopes: more than that missing is too much
constexpr Eigen::Index most_candidates = 64;

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

namespace {

/// Frames whose maps are kept, and how the others are blended of them.
struct Choice {
    std::vector<int> frames;
    std::vector<Eigen::VectorXd> weights;  // per frame
    std::vector<double> missed;            // per frame: square of the slopes that are not shown
    double worth = 0.0;                    // of what is missed
    double degrees = 0.0;
};

/// The best blends of these frames.
Choice blend(const Eigen::MatrixXd& all, const std::vector<int>& frames, const Eigen::VectorXd& worth) {
    Choice choice;
    choice.frames = frames;
    const auto k = static_cast<Eigen::Index>(frames.size());
    Eigen::MatrixXd products(k, k);
    for (Eigen::Index i = 0; i < k; ++i) {
        for (Eigen::Index j = 0; j < k; ++j) {
            products(i, j) = all(frames[static_cast<size_t>(i)], frames[static_cast<size_t>(j)]);
        }
    }
    for (Eigen::Index f = 0; f < all.rows(); ++f) {
        Eigen::VectorXd with(k);
        for (Eigen::Index i = 0; i < k; ++i) {
            with[i] = all(frames[static_cast<size_t>(i)], f);
        }
        choice.weights.push_back(nonnegative_weights(products, with));
        const Eigen::VectorXd& w = choice.weights.back();
        choice.missed.push_back(std::max(0.0, all(f, f) - 2.0 * w.dot(with) + w.dot(products * w)));
        choice.worth += worth[f] * choice.missed.back();
    }
    return choice;
}

/// Frames, one after the other, each the one that shows most of what the others do not; then each once more.
/// \param all   products of the frames' slopes with each other;  \param used  texels
Choice choose(const Eigen::MatrixXd& all, double used, int most) {
    const Eigen::Index count = all.rows();
    // Faint wrinkles of some frames (knuckles of a straight hand, before it closes) count nearly as much as deep ones.
    const double deep = count > 0 ? all.diagonal().maxCoeff() : 0.0;
    const Eigen::VectorXd worth = (all.diagonal().array() + faint * deep + 1e-300).inverse();
    std::vector<int> candidates;
    const Eigen::Index step = (count + most_candidates - 1) / most_candidates;
    for (Eigen::Index f = 0; f < count; f += std::max<Eigen::Index>(1, step)) {
        candidates.push_back(static_cast<int>(f));
    }
    Choice best = blend(all, {}, worth);
    const auto finish = [&] {
        double sum = 0.0;
        bool is_shown = true;
        for (Eigen::Index f = 0; f < count; ++f) {
            sum += best.missed[static_cast<size_t>(f)];
            is_shown = is_shown && (all(f, f) < faint * deep || best.missed[static_cast<size_t>(f)] < lost * all(f, f));
        }
        best.degrees = std::sqrt(sum / std::max(1.0, used * static_cast<double>(count))) * 57.29578;
        return is_shown && best.degrees <= good_enough;
    };
    /// \param place  of the frame that is chosen anew; the number of frames: one more
    const auto improve = [&](size_t place) {
        std::vector<int> frames = best.frames;
        frames.resize(std::max(frames.size(), place + 1));
        bool is_better = false;
        for (const int candidate : candidates) {
            frames[place] = candidate;
            Choice other = blend(all, frames, worth);
            if (other.worth < best.worth - 1e-12) {
                best = std::move(other);
                is_better = true;
            }
        }
        return is_better;
    };
    while (deep > 0.0 && !finish() && best.frames.size() < static_cast<size_t>(most) && improve(best.frames.size())) {
        for (size_t place = 0; place + 1 < best.frames.size(); ++place) {
            improve(place);
        }
    }
    finish();
    return best;
}

}  // namespace

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
    const Choice choice = choose(all, static_cast<double>(used), most_);
    result.frames = choice.frames;
    const std::vector<Eigen::VectorXd>& weights = choice.weights;
    result.error = choice.degrees;
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
