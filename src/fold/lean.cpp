#include "fold/lean.h"

#include <algorithm>
#include <cmath>

#include "fold/ball_grid.h"

namespace cutis::fold_detail {

namespace {

constexpr double mean_widths = 3.0;  // radius of a control's mean
constexpr double turn_widths = 0.6;  // that a normal turned by one counts for: far sides of limbs lie further away
// Of the angle to the own normal: below it that one takes over.
constexpr double upright_cosine = 0.4;
constexpr double agreement = 0.1;  // of normals: a mean shorter than this says little
constexpr double upright_range = 0.2;

}  // namespace

FoldLean::FoldLean(const FoldLayout& layout, const MatrixX3d& rest, const MatrixX3d& normals)
    : spread_(layout.spread), vertex_(vertices_of_controls(layout)), row_{0}, mean_(vertex_.size()) {
    const double widest = vertex_.empty() ? 1.0 : *std::max_element(layout.width.begin(), layout.width.end());
    BallGrid grid(mean_widths * widest);
    for (const int v : vertex_) {
        grid.insert(rest.row(v), mean_widths * widest, v);
    }
    for (size_t j = 0; j < vertex_.size(); ++j) {
        const int v = vertex_[j];
        const double far = mean_widths * layout.width[j];
        const double turn = turn_widths * layout.width[j];
        for (const int other : grid.at(rest.row(v))) {
            const double x = 1.0 - ((rest.row(v) - rest.row(other)).squaredNorm() +
                                    turn * turn * (normals.row(v) - normals.row(other)).squaredNorm()) /
                                       (far * far);
            if (x > 0.0) {
                around_.push_back(other);
                part_.push_back(x * x);
            }
        }
        row_.push_back(static_cast<int>(around_.size()));
    }
}

void FoldLean::find_mean(int control, const MatrixX3d& directions) {
    const auto j = static_cast<size_t>(control);
    Vector3d sum = Vector3d::Zero();
    double all = 0.0;
    for (auto i = static_cast<size_t>(row_[j]); i < static_cast<size_t>(row_[j + 1]); ++i) {
        sum += part_[i] * Vector3d(directions.row(around_[i]));
        all += part_[i];
    }
    // Short where normals cancel each other: a mean of unit length would turn round at once.
    mean_[j] = sum / std::sqrt(sum.squaredNorm() + agreement * agreement * all * all);
}

void FoldLean::lean_vertex(int v, const MatrixX3d& directions) {
    const Vector3d own = directions.row(v);
    Vector3d sum = Vector3d::Zero();
    for (auto s = static_cast<size_t>(spread_.offsets[static_cast<size_t>(v)]);
         s < static_cast<size_t>(spread_.offsets[static_cast<size_t>(v) + 1]); ++s) {
        sum += spread_.weights[s] * mean_[static_cast<size_t>(spread_.indices[s])];
    }
    // Where controls end the own normal makes up for those that are missing.
    const double missing = std::max(0.0, 1.0 - sum.norm());
    const double low = upright_cosine - own.dot(sum);
    sum += (missing + 0.5 * (low + std::sqrt(low * low + upright_range * upright_range))) * own;
    lean_.row(v) = sum / (sum.norm() + 1e-12);
}

const MatrixX3d& FoldLean::find(const MatrixX3d& directions, const Workers& workers) {
    lean_.resize(directions.rows(), 3);
    workers.for_chunks(static_cast<int>(mean_.size()), 64, [&](int begin, int end) {
        for (int j = begin; j < end; ++j) {
            find_mean(j, directions);
        }
    });
    workers.for_chunks(static_cast<int>(directions.rows()), 1024, [&](int begin, int end) {
        for (int v = begin; v < end; ++v) {
            lean_vertex(v, directions);
        }
    });
    return lean_;
}

}  // namespace cutis::fold_detail
