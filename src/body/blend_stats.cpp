#include "body/blend_stats.h"

#include <algorithm>
#include <numeric>

#include "core/geometry.h"

namespace cutis {

namespace {

constexpr double no_weight = 1e-12;

}  // namespace

MovingPoints::MovingPoints(const MatrixX3d& rest_shape, const std::vector<MatrixX3d>& frames) {
    const auto vertices = static_cast<size_t>(rest_shape.rows());
    // Vertices at the same places in all shapes, found by sorting; the first of each stands for the others.
    const auto compare = [&](int a, int b) {
        const auto order = [&](const MatrixX3d& shape) {
            for (int k = 0; k < 3; ++k) {
                if (shape(a, k) != shape(b, k)) {
                    return shape(a, k) < shape(b, k) ? -1 : 1;
                }
            }
            return 0;
        };
        int result = order(rest_shape);
        for (size_t f = 0; f < frames.size() && result == 0; ++f) {
            result = order(frames[f]);
        }
        return result;
    };
    std::vector<int> sorted(vertices);
    std::iota(sorted.begin(), sorted.end(), 0);
    std::sort(sorted.begin(), sorted.end(), [&](int a, int b) {
        const int order = compare(a, b);
        return order != 0 ? order < 0 : a < b;
    });
    std::vector<int> first(vertices);
    for (size_t i = 0; i < vertices; ++i) {
        first[sorted[i]] = i > 0 && compare(sorted[i - 1], sorted[i]) == 0 ? first[sorted[i - 1]] : sorted[i];
    }
    rest_centre = rest_shape.colwise().mean();
    for (const MatrixX3d& frame : frames) {
        centres.emplace_back(frame.colwise().mean());
    }
    point_of.resize(vertices);
    for (size_t v = 0; v < vertices; ++v) {
        if (first[v] != static_cast<int>(v)) {
            point_of[v] = point_of[first[v]];
            times[point_of[v]] += 1.0;
            continue;
        }
        point_of[v] = count();
        const auto row = static_cast<Eigen::Index>(v);
        Rest4 h;
        h << rest_shape.row(row).transpose() - rest_centre, 1.0;
        rest.push_back(h);
        times.push_back(1.0);
        double square = 0.0;
        for (size_t f = 0; f < frames.size(); ++f) {
            const Vector3d place = frames[f].row(row).transpose() - centres[f];
            places.insert(places.end(), place.data(), place.data() + 3);
            square += place.squaredNorm();
        }
        squares.push_back(square);
    }
}

WeightSums::WeightSums(const BoneMotions& motions, const Workers& workers)
    : bones_(motions.bones), frames_(motions.frames) {
    const size_t width = 4 * static_cast<size_t>(bones_);
    rows_.resize(3 * static_cast<size_t>(frames_) * width);
    for (int b = 0; b < bones_; ++b) {
        for (int f = 0; f < frames_; ++f) {
            const Bone& bone = motions.of(b, f);
            for (int k = 0; k < 3; ++k) {
                for (int c = 0; c < 4; ++c) {
                    rows_[(3 * static_cast<size_t>(f) + k) * width + 4 * static_cast<size_t>(b) + c] = bone(k, c);
                }
            }
        }
    }
    pairs_.resize(static_cast<size_t>(bones_) * static_cast<size_t>(bones_));
    workers.for_chunks(bones_, 1, [&](int begin, int end) {
        for (int i = begin; i < end; ++i) {
            for (int j = 0; j < bones_; ++j) {
                Eigen::Matrix4d sum = Eigen::Matrix4d::Zero();
                for (int f = 0; f < frames_; ++f) {
                    sum += motions.of(i, f).transpose() * motions.of(j, f);
                }
                pairs_[static_cast<size_t>(i) * static_cast<size_t>(bones_) + static_cast<size_t>(j)] = sum;
            }
        }
    });
}

void WeightSums::project(const double* places, double* out) const {
    const int width = 4 * bones_;
    Eigen::Map<Eigen::ArrayXd> sum(out, width);
    sum.setZero();
    const double* row = rows_.data();
    for (int k = 0; k < 3 * frames_; ++k, row += width) {
        sum += places[k] * Eigen::Map<const Eigen::ArrayXd>(row, width);
    }
}

MotionSums::MotionSums(const MovingPoints& points, const std::vector<Influence>& weights, int influences, int bones,
                       const Workers& workers)
    : bones_(bones), frames_(points.frame_count()) {
    struct Member {
        int point;
        double weight;
    };
    std::vector<std::vector<Member>> members(static_cast<size_t>(bones));
    for (int v = 0; v < points.count(); ++v) {
        for (int i = 0; i < influences; ++i) {
            const Influence& one = weights[static_cast<size_t>(v) * static_cast<size_t>(influences) + i];
            if (one.weight > 0.0) {
                members[one.bone].push_back({v, one.weight});
            }
        }
    }
    shared_.resize(static_cast<size_t>(bones));
    wanted_.resize(static_cast<size_t>(bones) * static_cast<size_t>(frames_));
    workers.for_chunks(bones, 1, [&](int begin, int end) {
        std::vector<int> slot(static_cast<size_t>(bones));
        std::vector<double> sums(12 * static_cast<size_t>(frames_));
        for (int b = begin; b < end; ++b) {
            std::fill(slot.begin(), slot.end(), -1);
            std::fill(sums.begin(), sums.end(), 0.0);
            std::vector<Other>& others = shared_[b];
            others.push_back({b, Eigen::Matrix4d::Zero()});
            slot[b] = 0;
            for (const Member& member : members[b]) {
                const Rest4& h = points.rest[member.point];
                const Rest4 weighted = points.times[member.point] * member.weight * h;
                for (int i = 0; i < influences; ++i) {
                    const Influence& other =
                        weights[static_cast<size_t>(member.point) * static_cast<size_t>(influences) + i];
                    if (!(other.weight > 0.0)) {
                        continue;
                    }
                    if (slot[other.bone] < 0) {
                        slot[other.bone] = static_cast<int>(others.size());
                        others.push_back({other.bone, Eigen::Matrix4d::Zero()});
                    }
                    others[slot[other.bone]].sum += other.weight * weighted * h.transpose();
                }
                const double* place = points.places_of(member.point);
                double* to = sums.data();
                for (int k = 0; k < 3 * frames_; ++k, to += 4) {
                    Eigen::Map<Rest4>(to) += place[k] * weighted;
                }
            }
            for (int f = 0; f < frames_; ++f) {
                using Rows = Eigen::Matrix<double, 3, 4, Eigen::RowMajor>;
                wanted_[static_cast<size_t>(b) * static_cast<size_t>(frames_) + f] =
                    Eigen::Map<const Rows>(sums.data() + 12 * static_cast<size_t>(f));
            }
        }
    });
}

void MotionSums::improve(int sweeps, const Workers& workers, BoneMotions& motions) const {
    workers.for_chunks(frames_, 1, [&](int begin, int end) {
        for (int f = begin; f < end; ++f) {
            for (int sweep = 0; sweep < sweeps; ++sweep) {
                for (int b = 0; b < bones_; ++b) {
                    const std::vector<Other>& others = shared_[b];
                    const Eigen::Matrix4d& own = others.front().sum;
                    const double mass = own(3, 3);
                    if (!(mass > no_weight)) {
                        continue;
                    }
                    Bone left = wanted_[static_cast<size_t>(b) * static_cast<size_t>(frames_) + f];
                    for (size_t k = 1; k < others.size(); ++k) {
                        left -= motions.of(others[k].bone, f) * others[k].sum;
                    }
                    const Vector3d middle = own.col(3).head<3>() / mass;
                    const Vector3d to = left.col(3) / mass;
                    const Eigen::Matrix3d covariance = left.leftCols<3>() - left.col(3) * middle.transpose();
                    Bone& bone = motions.of(b, f);
                    bone.leftCols<3>() = polar_decomposition(covariance).rotation;
                    bone.col(3) = to - bone.leftCols<3>() * middle;
                }
            }
        }
    });
}

}  // namespace cutis
