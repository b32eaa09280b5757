#include "body/mend.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>
#include <vector>

namespace cutis {

namespace {

using Flags = std::vector<unsigned char>;

/// Rounds over the triangles: take(v, from) for every vertex without a value that a triangle joins
/// to one with a value; rounds end when nothing changes.
template <class Take, class Finish>
void spread(const MatrixX3i& triangles, Flags& is_good, const Take& take, const Finish& finish) {
    for (bool changed = true; changed;) {
        changed = false;
        Flags gains(is_good.size(), 0);
        for (Eigen::Index f = 0; f < triangles.rows(); ++f) {
            for (int k = 0; k < 3; ++k) {
                const int v = triangles(f, k);
                for (const int other : {triangles(f, (k + 1) % 3), triangles(f, (k + 2) % 3)}) {
                    if (is_good[v] == 0 && is_good[other] != 0) {
                        take(v, other, gains[v] == 0);
                        gains[v] = 1;
                    }
                }
            }
        }
        for (size_t v = 0; v < gains.size(); ++v) {
            if (gains[v] != 0) {
                finish(static_cast<int>(v));
                is_good[v] = 1;
                changed = true;
            }
        }
    }
}

/// The middle nine tenths of the finite values: low and high.
std::pair<double, double> middle_range(const MatrixX3d& positions, int axis) {
    std::vector<double> values;
    for (const double x : positions.col(axis)) {
        if (std::abs(x) < 1e30) {
            values.push_back(x);
        }
    }
    if (values.empty()) {
        return {0.0, 0.0};
    }
    std::sort(values.begin(), values.end());
    return {values[values.size() / 20], values[values.size() - 1 - values.size() / 20]};
}

int count_bad(const Flags& is_good) {
    return static_cast<int>(std::count(is_good.begin(), is_good.end(), 0));
}

}  // namespace

int mend_positions(const MatrixX3i& triangles, MatrixX3d& positions) {
    constexpr double far_away = 1e4;  // sizes of the mesh
    Vector3d low;
    Vector3d high;
    for (int c = 0; c < 3; ++c) {
        std::tie(low[c], high[c]) = middle_range(positions, c);
    }
    const double size = (high - low).norm();
    const double reach = far_away * (size > 0.0 ? size : std::numeric_limits<float>::max());
    Flags is_good(static_cast<size_t>(positions.rows()));
    for (Eigen::Index v = 0; v < positions.rows(); ++v) {
        const Vector3d apart = positions.row(v).transpose() - 0.5 * (low + high);
        is_good[v] = apart.allFinite() && apart.cwiseAbs().maxCoeff() <= reach ? 1 : 0;
    }
    const int bad = count_bad(is_good);
    if (bad == 0 || bad == positions.rows()) {
        return bad == 0 ? 0 : -1;
    }
    std::vector<int> givers(is_good.size(), 0);
    spread(
        triangles, is_good,
        [&](int v, int other, bool first) {
            givers[v] = first ? 1 : givers[v] + 1;
            positions.row(v) =
                (first ? Eigen::RowVector3d::Zero() : Eigen::RowVector3d(positions.row(v))) + positions.row(other);
        },
        [&](int v) { positions.row(v) /= givers[v]; });
    const Eigen::RowVector3d anywhere = 0.5 * (low + high).transpose();
    for (Eigen::Index v = 0; v < positions.rows(); ++v) {
        if (is_good[v] == 0) {
            positions.row(v) = anywhere;  // an island of such vertices: its triangles have no area now
        }
    }
    return bad;
}

int mend_weights(const MatrixX3d& positions, const MatrixX3i& triangles, int joint_count, SkinWeights& weights) {
    const int influences = weights.influences;
    const auto row_of = [&](int v) { return static_cast<std::ptrdiff_t>(v) * influences; };
    Flags is_good(static_cast<size_t>(weights.vertex_count()), 0);
    for (int v = 0; v < weights.vertex_count(); ++v) {
        bool is_whole = true;
        double sum = 0.0;
        for (std::ptrdiff_t i = row_of(v); i < row_of(v + 1); ++i) {
            double& weight = weights.weights[i];
            is_whole = is_whole && std::isfinite(weight);
            if (!(weight >= 0.0) || (weight > 0.0 && weights.joints[i] >= joint_count)) {
                weight = 0.0;
                weights.joints[i] = 0;
            }
            sum += weight;
        }
        is_good[v] = is_whole && sum >= std::numeric_limits<double>::min() && std::isfinite(sum) ? 1 : 0;
    }
    const int bad = count_bad(is_good);
    if (bad == 0 || bad == weights.vertex_count()) {
        for (int v = 0; bad > 0 && v < weights.vertex_count(); ++v) {
            std::fill_n(weights.weights.begin() + row_of(v), influences, 0.0);
        }
        return bad;
    }
    const Flags had = is_good;
    const auto copy = [&](int v, int other) {
        std::copy_n(weights.weights.begin() + row_of(other), influences, weights.weights.begin() + row_of(v));
        std::copy_n(weights.joints.begin() + row_of(other), influences, weights.joints.begin() + row_of(v));
    };
    std::vector<double> nearest(is_good.size());
    spread(
        triangles, is_good,
        [&](int v, int other, bool first) {
            const double apart = (positions.row(v) - positions.row(other)).squaredNorm();
            if (first || apart < nearest[v]) {
                nearest[v] = apart;
                copy(v, other);
            }
        },
        [](int) {});
    if (count_bad(is_good) > 0) {  // parts without any weight: the nearest vertex of another part
        std::vector<int> good;
        for (size_t v = 0; v < had.size(); ++v) {
            if (had[v] != 0) {
                good.push_back(static_cast<int>(v));
            }
        }
        // A mesh of unconnected triangles would make this quadratic: compare with some thousands only.
        const size_t stride = 1 + good.size() / 4096;
        for (int v = 0; v < weights.vertex_count(); ++v) {
            if (is_good[v] != 0) {
                continue;
            }
            int best = good.front();
            for (size_t i = 0; i < good.size(); i += stride) {
                if ((positions.row(v) - positions.row(good[i])).squaredNorm() <
                    (positions.row(v) - positions.row(best)).squaredNorm()) {
                    best = good[i];
                }
            }
            copy(v, best);
        }
    }
    return bad;
}

}  // namespace cutis
