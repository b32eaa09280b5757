#include "shell_copies.h"

#include <Eigen/Geometry>
#include <algorithm>

#include "core/geometry.h"

namespace cutis {

namespace {

constexpr double thinnest_copy = 1e-3;  // height of a copy over its size: never flat, normals stay

}  // namespace

RigidCopies::RigidCopies(const PrismShell& shell, const PlacedDetail& detail, const ArtMesh& piece, double lift)
    : copies_(std::make_shared<DetailCopies>()) {
    copies_->piece = piece;
    MatrixX3d& places = copies_->piece.positions;
    places.leftCols(2).array() -= 0.5;
    places.col(2) = (lift * places.col(2)).cwiseMax(0.0).cwiseMin(1.0);
    const double lowest = places.col(2).minCoeff();
    for (int i = 0; i < places.rows(); ++i) {
        if (places(i, 2) <= lowest + 1e-6) {
            roots_.push_back(i);
        }
    }
    copies_->sizes.resize(static_cast<Eigen::Index>(detail.anchors.size()), 3);
    for (size_t p = 0; p < detail.anchors.size(); ++p) {
        const PieceAnchor& anchor = detail.anchors[p];
        const double height = interpolate(shell.heights(), shell.topology().triangles(), anchor.point);
        copies_->sizes.row(static_cast<Eigen::Index>(p)) << anchor.size, anchor.size,
            std::max(height, thinnest_copy * anchor.size);
    }
}

void RigidCopies::fit(double bend, bool writes_places, MeshFrame& frame) {
    const MatrixX3d& piece = copies_->piece.positions;
    const Eigen::Index count = piece.rows();
    const Eigen::Index copies = copies_->sizes.rows();
    const bool has_past = frame.copy_rotations.rows() == copies;
    if (writes_places) {
        frame.copy_positions.resize(copies, 3);
        frame.copy_rotations.resize(copies, 4);
    }
    MatrixX3d& sized = sized_;
    sized.resize(count, 3);
    for (Eigen::Index p = 0; p < copies; ++p) {
        auto shown = frame.positions.middleRows(p * count, count);
        sized = piece * copies_->sizes.row(p).asDiagonal();
        const Eigen::RowVector3d mean = sized.colwise().mean();
        const Eigen::RowVector3d shown_mean = shown.colwise().mean();
        const Eigen::Matrix3d spread = (shown.rowwise() - shown_mean).transpose() * (sized.rowwise() - mean);
        const Eigen::Matrix3d rotation = polar_decomposition(spread).rotation;
        Eigen::RowVector3d root = Eigen::RowVector3d::Zero();
        Eigen::RowVector3d shown_root = Eigen::RowVector3d::Zero();
        for (const int i : roots_) {
            root += sized.row(i);
            shown_root += shown.row(i);
        }
        const double share = 1.0 / static_cast<double>(roots_.size());
        const Eigen::RowVector3d place = share * shown_root - share * root * rotation.transpose();
        sized = ((sized * rotation.transpose()).rowwise() + place).eval();
        shown = bend > 0.0 ? (sized + bend * (shown - sized)).eval() : sized;
        if (!writes_places) {
            continue;
        }
        const Eigen::Quaterniond q(rotation);
        Eigen::RowVector4d turned(q.w(), q.x(), q.y(), q.z());
        turned.normalize();
        // Of both signs the one nearer to the frame before: viewers then turn the short way.
        if (has_past ? turned.dot(frame.copy_rotations.row(p)) < 0.0 : turned[0] < 0.0) {
            turned = -turned;
        }
        frame.copy_positions.row(p) = place;
        frame.copy_rotations.row(p) = turned;
    }
}

}  // namespace cutis
