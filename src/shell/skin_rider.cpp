#include "shell/skin_rider.h"

#include <Eigen/Geometry>
#include <cmath>
#include <limits>

#include "cutis/core/error.h"
#include "cutis/mesh/geometry.h"

namespace cutis {

namespace {

constexpr TraceOptions any_length{std::numeric_limits<double>::infinity(), 10000, true};

}  // namespace

SkinRider::SkinRider(const PrismShell& shell, const PlacedDetail& detail, const ArtMesh* piece, double lift,
                     const Workers& workers)
    : shell_(&shell), tracer_(shell.topology(), any_length) {
    tracer_.update(shell.base(), workers);
    if (piece == nullptr || detail.anchors.empty()) {
        points_ = detail.points;
        return;
    }
    anchors_ = detail.anchors;
    moved_ = detail.anchors;
    walker_.emplace(shell, *piece, lift, workers);
    const MatrixX3i& corners = shell.topology().triangles();
    for (const PieceAnchor& anchor : anchors_) {
        const int f = anchor.point.triangle;
        const auto at = [&](int k) -> Vector3d { return shell.base().row(corners(f, k % 3)).transpose(); };
        // Gradients of the corners' weights along the heading: normal x opposite edge / 2A.
        const Vector3d twice_area = (at(1) - at(0)).cross(at(2) - at(0));
        Vector3d weights;
        for (int k = 0; k < 3; ++k) {
            weights[k] = twice_area.cross(at(k + 2) - at(k + 1)).dot(anchor.heading) / twice_area.squaredNorm();
        }
        heading_weights_.push_back(weights);
    }
}

void SkinRider::place(const MatrixX3d& skin, const Workers& workers, std::span<ShellPoint> points) {
    const MatrixX3d& rest = shell_->base();
    const MatrixX3i& corners = shell_->topology().triangles();
    require(skin.rows() == rest.rows() && skin.allFinite(), "shell skin: expected ", rest.rows(),
            " finite places, found ", skin.rows());
    // Sum of weights times how far each corner's material went.
    const auto shift = [&](int f, const Vector3d& weights) {
        Vector3d sum = Vector3d::Zero();
        for (int k = 0; k < 3; ++k) {
            sum += weights[k] * (skin.row(corners(f, k)) - rest.row(corners(f, k))).transpose();
        }
        return sum;
    };
    constexpr int chunk = 64;
    if (!walker_) {
        require(points.size() == points_.size(), "shell skin: expected room for ", points_.size(), " points, found ",
                points.size());
        workers.for_chunks(static_cast<int>(points_.size()), chunk, [&](int begin, int end) {
            for (int v = begin; v < end; ++v) {
                const ShellPoint& from = points_[v];
                const SurfacePoint to =
                    tracer_.trace({from.triangle, from.barycentric}, shift(from.triangle, from.barycentric)).point;
                points[v] = {to.triangle, to.barycentric, from.height};
            }
        });
        return;
    }
    workers.for_chunks(static_cast<int>(anchors_.size()), chunk, [&](int begin, int end) {
        for (int p = begin; p < end; ++p) {
            const PieceAnchor& from = anchors_[p];
            const int f = from.point.triangle;
            const Vector3d heading = from.heading + shift(f, heading_weights_[p]);
            const TraceResult walk = tracer_.trace(from.point, shift(f, from.point.barycentric), heading);
            PieceAnchor& to = moved_[p];
            to.point = walk.point;
            // Skin pressed together to nothing has no direction left: the last one stays.
            if (walk.carried.norm() > 1e-6) {
                to.heading = walk.carried.normalized();
            }
        }
    });
    walker_->place(moved_, workers, points);
}

}  // namespace cutis
