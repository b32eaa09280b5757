#include "verify/fold_arm.h"

#include <cmath>

#include "cutis/fold/profile.h"

namespace cutis::verify {

Vector3d FoldArm::bent(double x, double y, double angle) const {
    const double t = std::min(1.0, std::max(0.0, 0.5 * (x / blend + 1.0)));
    const double w = t * t * (3.0 - 2.0 * t);
    if (skinning == Skinning::linear_blend) {
        const double c = 1.0 - w + w * std::cos(angle);
        const double s = w * std::sin(angle);
        return {c * x - s * y, s * x + c * y, 0.0};
    }
    // Two unit quaternions about one axis, blended: a turn by twice the angle of their mean.
    const double turn =
        2.0 * std::atan2(w * std::sin(0.5 * angle), 1.0 - w + w * std::cos(0.5 * angle));
    return {std::cos(turn) * x - std::sin(turn) * y, std::sin(turn) * x + std::cos(turn) * y, 0.0};
}

FoldRailSet FoldArm::rails() const {
    FoldRailSet set;
    set.segments = segments;
    MatrixX3d normals;
    bend(0.0, set.rest, normals);
    set.profile.resize(set.rest.rows());
    const FoldProfile blob = FoldProfile::blob();
    for (int k = 0; k < folds; ++k) {
        for (int i = 0; i <= segments; ++i) {
            set.profile[k * (segments + 1) + i] =
                i == 0 || i == segments ? 0.0 : blob.at(-1.0 + 2.0 * i / segments);
        }
    }
    set.pre_stretch = VectorXd::Constant(folds, pre_stretch);
    set.share = VectorXd::Ones(folds);
    set.partner.assign(static_cast<size_t>(folds), -1);
    set.plane.assign(static_cast<size_t>(folds), 0);
    return set;
}

void FoldArm::bend(double angle, MatrixX3d& points, MatrixX3d& normals) const {
    const int rows = folds * (segments + 1);
    points.resize(rows, 3);
    normals.resize(rows, 3);
    const double length = fold_width * folds;
    const double h = 1e-6;
    for (int k = 0; k < folds; ++k) {
        for (int i = 0; i <= segments; ++i) {
            const double x = -0.5 * length + fold_width * (k + static_cast<double>(i) / segments);
            const int row = k * (segments + 1) + i;
            points.row(row) = bent(x, radius, angle);
            const Vector3d tangent = bent(x + h, radius, angle) - bent(x - h, radius, angle);
            normals.row(row) = Vector3d(-tangent.y(), tangent.x(), 0.0).normalized();
        }
    }
}

FoldPlane FoldArm::plane(double angle) const {
    FoldPlane plane;  // directions to parent (-1, 0) and child (cos, sin): their difference
    plane.normal = Vector3d(std::cos(angle) + 1.0, std::sin(angle), 0.0);
    return plane;
}

int self_crossings(const MatrixX3d& points, int per_rail) {
    std::vector<Vector2d> line;
    for (Eigen::Index row = 0; row < points.rows(); ++row) {
        if (row % per_rail != 0 || row == 0) {
            line.emplace_back(points(row, 0), points(row, 1));
        }
    }
    const auto side = [](const Vector2d& a, const Vector2d& b, const Vector2d& p) {
        return (b.x() - a.x()) * (p.y() - a.y()) - (b.y() - a.y()) * (p.x() - a.x());
    };
    int crossings = 0;
    for (size_t i = 0; i + 1 < line.size(); ++i) {
        for (size_t j = i + 2; j + 1 < line.size(); ++j) {
            const double a = side(line[i], line[i + 1], line[j]);
            const double b = side(line[i], line[i + 1], line[j + 1]);
            const double c = side(line[j], line[j + 1], line[i]);
            const double d = side(line[j], line[j + 1], line[i + 1]);
            crossings += a * b < 0.0 && c * d < 0.0 ? 1 : 0;
        }
    }
    return crossings;
}

}  // namespace cutis::verify
