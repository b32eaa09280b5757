#include "curve/volume.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

namespace cutis {

VolumeKeeper::VolumeKeeper(const CurvePart& part, VectorXd window) : window_(std::move(window)) {
    if (part.direction == CurveDirection::along && part.curve_count >= 3) {
        rings_ = part.node_count;
        curves_ = part.curve_count;
        nodes_ = MatrixX3d::Zero(part.rows(), 3);
        centres_ = MatrixX3d::Zero(rings_, 3);
        before_ = after_ = VectorXd::Zero(rings_ - 1);
        if (window_.size() == 0) {
            window_ = VectorXd::Ones(part.rows());
        }
        share_.resize(rings_);
        for (int n = 0; n < rings_; ++n) {
            const bool stays = n == 0 || n + 1 == rings_;
            share_[n] = stays ? 0.0 : window_.segment(n * curves_, curves_).mean();
        }
    }
}

// Between two rings: the quads of the side as two triangles each, and a fan round the centre of either ring. Six times
// the volume of the tetrahedra to a point near by, so that places far from the origin lose no digits.
void VolumeKeeper::find_slabs(const MatrixX3d& nodes, VectorXd& slabs) {
    for (int n = 0; n < rings_; ++n) {
        centres_.row(n) = nodes.middleRows(n * curves_, curves_).colwise().mean();
    }
    for (int n = 0; n + 1 < rings_; ++n) {
        const Vector3d apex = centres_.row(n);
        const Vector3d far = centres_.row(n + 1).transpose() - apex;
        double sum = 0.0;
        for (int c = 0; c < curves_; ++c) {
            const int next = (c + 1) % curves_;
            const Vector3d a = nodes.row(n * curves_ + c).transpose() - apex;
            const Vector3d b = nodes.row(n * curves_ + next).transpose() - apex;
            const Vector3d d = nodes.row((n + 1) * curves_ + c).transpose() - apex;
            const Vector3d e = nodes.row((n + 1) * curves_ + next).transpose() - apex;
            sum += a.dot(b.cross(e)) + a.dot(e.cross(d)) + far.dot(d.cross(e));
        }
        slabs[n] = sum / 6.0;
    }
}

double VolumeKeeper::volume(const MatrixX3d& nodes) {
    find_slabs(nodes, after_);
    return std::abs(after_.sum());
}

void VolumeKeeper::keep(const MatrixX3d& body, MatrixX3d& moved) {
    constexpr double least = 0.5;        // of a slab's volume: beyond that a ring would be blown up
    constexpr double least_share = 0.5;  // of a ring that moves: the others would have to move too far
    if (rings_ < 3) {
        return;
    }
    find_slabs(body, before_);
    nodes_ = body + moved;
    find_slabs(nodes_, after_);
    for (int n = 1; n + 1 < rings_; ++n) {
        // Both slabs of a ring scale with the square of its width.
        const double ratio = (before_[n - 1] + before_[n]) / (after_[n - 1] + after_[n]);
        if (!(ratio > 0.0) || !std::isfinite(ratio)) {
            continue;  // a slab of nothing, or turned inside out
        }
        const double scale = std::sqrt(std::clamp(ratio, least, 1.0 / least));
        widen(n, (scale - 1.0) / std::max(least_share, share_[n]), moved);
    }
    // What rings near cuts left over, by all: to first order a ring's share of the volume grows by twice its widening.
    nodes_ = body + moved;
    find_slabs(nodes_, after_);
    double gain = 0.0;
    for (int n = 1; n + 1 < rings_; ++n) {
        gain += share_[n] * (after_[n - 1] + after_[n]);
    }
    const double wanted = (before_.sum() - after_.sum()) / gain;
    if (!std::isfinite(wanted)) {
        return;
    }
    constexpr double most = 0.25;
    for (int n = 1; n + 1 < rings_; ++n) {
        widen(n, std::clamp(wanted, -most, most), moved);
    }
}

void VolumeKeeper::widen(int ring, double share, MatrixX3d& moved) const {
    for (int row = ring * curves_; row < (ring + 1) * curves_; ++row) {
        moved.row(row) += share * window_[row] * (nodes_.row(row) - centres_.row(ring));
    }
}

}  // namespace cutis
