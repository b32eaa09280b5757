#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "core/math.h"
#include "cutis/core/error.h"
#include "fold/curves.h"
#include "fold/zero_lines.h"
#include "mesh/ray_triangle.h"

namespace cutis {

using namespace fold_detail;

namespace {

// Cloth that keeps this much of its length over `quiet_length` metres ends a curve.
constexpr double quiet_ratio = 0.95;
constexpr double quiet_length = 0.02;
// A point belongs to a joint when its two bones hold at least this much of its weight.
constexpr double own_weight = 0.5;

/// How a joint swings: bone direction at rest and the direction it swings to, both at rest.
struct Swing {
    Vector3d bone = Vector3d::Zero();
    Vector3d inner = Vector3d::Zero();  // unit, normal to the bone
    double angle = 0.0;
};

/// Child with the longest bone, or -1.
int child_of(const FoldJoints& joints, int joint) {
    int best = -1;
    double longest = 0.0;
    for (size_t j = 0; j < joints.parent.size(); ++j) {
        const double length = (joints.position[j] - joints.position[static_cast<size_t>(joint)]).norm();
        if (joints.parent[j] == joint && length > longest) {
            longest = length;
            best = static_cast<int>(j);
        }
    }
    return best;
}

std::optional<Swing> swing_of(const FoldJoints& joints, int joint, const FoldPose& pose) {
    const int parent = joints.parent[static_cast<size_t>(joint)];
    const int child = child_of(joints, joint);
    if (parent < 0 || child < 0) {
        return std::nullopt;
    }
    Swing swing;
    swing.bone =
        (joints.position[static_cast<size_t>(child)] - joints.position[static_cast<size_t>(joint)]).normalized();
    const Eigen::Matrix3d turn = pose.matrices[static_cast<size_t>(parent)].linear().inverse() *
                                 pose.matrices[static_cast<size_t>(joint)].linear();
    const Vector3d turned = (turn * swing.bone).normalized();
    const double along = std::clamp(turned.dot(swing.bone), -1.0, 1.0);
    const Vector3d aside = turned - along * swing.bone;
    swing.angle = math::acos(along);
    if (!(aside.norm() > 1e-9) || !turned.allFinite()) {
        return std::nullopt;
    }
    swing.inner = aside.normalized();
    return swing;
}

class CurveFinder {
public:
    CurveFinder(const Topology& base, const MatrixX3d& rest, const FoldJoints& joints,
                const std::vector<FoldPose>& poses)
        : base_(base), rest_(rest), joints_(joints), poses_(poses) {}

    /// The curve of one joint and swing; nothing where there is no cloth.
    /// \param length  metres; 0: as far as its cloth is compressed
    std::optional<FoldCurve> find(int joint, const Swing& swing, double length) {
        wanted_length_ = length;
        const Vector3d centre = joints_.position[static_cast<size_t>(joint)];
        owned_ = owned_weights(joint);
        const std::optional<SurfacePoint> hit = first_hit(centre, swing.inner);
        if (!hit) {
            return std::nullopt;
        }
        std::optional<FoldCurve> curve = section(*hit, centre, swing);
        if (curve) {
            curve->name = joints_.name[static_cast<size_t>(joint)];
        }
        return curve;
    }

private:
    VectorXd owned_weights(int joint) const {
        const SkinWeights& weights = *joints_.weights;
        const int parent = joints_.parent[static_cast<size_t>(joint)];
        const int child = child_of(joints_, joint);
        VectorXd sum = VectorXd::Zero(base_.vertex_count());
        for (int v = 0; v < base_.vertex_count(); ++v) {
            for (int k = 0; k < weights.influences; ++k) {
                const size_t at = static_cast<size_t>(v) * weights.influences + k;
                const int j = weights.joints[at];
                if (j == joint || j == parent || j == child) {
                    sum[v] += weights.weights[at];
                }
            }
        }
        return sum;
    }

    // The nearest hit that belongs to the joint.
    std::optional<SurfacePoint> first_hit(const Vector3d& from, const Vector3d& direction) const {
        std::optional<SurfacePoint> best;
        double nearest = std::numeric_limits<double>::infinity();
        for (int f = 0; f < base_.triangle_count(); ++f) {
            const auto corner = [&](int k) -> Vector3d { return rest_.row(base_.triangles()(f, k)); };
            const auto hit = hit_triangle(from, direction, corner(0), corner(1), corner(2));
            if (!hit || hit->distance >= nearest) {
                continue;
            }
            SurfacePoint point;
            point.triangle = f;
            point.barycentric = Vector3d(1.0 - hit->u - hit->v, hit->u, hit->v);
            if (interpolate(owned_, base_.triangles(), point) > own_weight) {
                nearest = hit->distance;
                best = point;
            }
        }
        return best;
    }

    std::optional<FoldCurve> section(const SurfacePoint& hit, const Vector3d& centre, const Swing& swing) const {
        const Vector3d normal = swing.bone.cross(swing.inner);
        const VectorXd height = (rest_ * normal).array() - centre.dot(normal);
        const Vector3d place = position_at(rest_, base_.triangles(), hit);
        // The component that passes through the hit, and the place on it.
        double nearest = std::numeric_limits<double>::infinity();
        SurfaceLine line;
        size_t start = 0;
        for (SurfaceLine& one : zero_lines(base_, height)) {
            for (size_t i = 0; i < one.points.size(); ++i) {
                const double distance = (position_at(rest_, base_.triangles(), one.points[i]) - place).norm();
                if (distance < nearest) {
                    nearest = distance;
                    line = one;
                    start = i;
                }
            }
        }
        if (line.points.size() < 3) {
            return std::nullopt;
        }
        if (line.is_closed) {  // begin opposite to the hit, so that trimming never meets the seam
            const size_t count = line.points.size() - 1;
            const size_t shift = (start + count / 2) % count;
            std::rotate(line.points.begin(), line.points.begin() + static_cast<std::ptrdiff_t>(shift),
                        line.points.end() - 1);
            line.points.back() = line.points.front();
            start = (start + count - shift) % count;
        }
        std::vector<FoldCurve::Piece> pieces;
        for (size_t i = 0; i + 1 < line.points.size(); ++i) {
            pieces.push_back(piece_between(line.points[i], line.points[i + 1]));
        }
        return trimmed(pieces, start);
    }

    // Both points lie on sides; one of the two triangles of the first holds the second as well.
    FoldCurve::Piece piece_between(const SurfacePoint& from, const SurfacePoint& to) const {
        FoldCurve::Piece piece;
        piece.triangle = to.triangle;
        piece.to = to.barycentric;
        if (from.triangle == to.triangle) {
            piece.from = from.barycentric;
            return piece;
        }
        piece.from.setZero();
        for (int k = 0; k < 3; ++k) {
            for (int l = 0; l < 3; ++l) {
                if (base_.triangles()(from.triangle, k) == base_.triangles()(to.triangle, l)) {
                    piece.from[l] = from.barycentric[k];
                }
            }
        }
        const double sum = piece.from.sum();
        if (std::abs(sum - 1.0) > 1e-9) {  // `to` is written in the triangle after: use the first's
            piece.triangle = from.triangle;
            piece.from = from.barycentric;
            piece.to.setZero();
            for (int k = 0; k < 3; ++k) {
                for (int l = 0; l < 3; ++l) {
                    if (base_.triangles()(to.triangle, k) == base_.triangles()(from.triangle, l)) {
                        piece.to[l] = to.barycentric[k];
                    }
                }
            }
        }
        return piece;
    }

    Vector3d place(const MatrixX3d& positions, int triangle, const Vector3d& weights) const {
        SurfacePoint point;
        point.triangle = triangle;
        point.barycentric = weights;
        return position_at(positions, base_.triangles(), point);
    }

    /// Smallest length of a piece over all poses over its rest length.
    double least_ratio(const FoldCurve::Piece& piece) const {
        const double rest = (place(rest_, piece.triangle, piece.to) - place(rest_, piece.triangle, piece.from)).norm();
        double least = 1.0;
        for (const FoldPose& pose : poses_) {
            const double now =
                (place(pose.positions, piece.triangle, piece.to) - place(pose.positions, piece.triangle, piece.from))
                    .norm();
            least = rest > 0.0 ? std::min(least, now / rest) : least;
        }
        return least;
    }

    /// From piece `start` outwards, as far as the cloth is compressed and belongs to the joint, or
    /// half the wanted length to each side.
    std::optional<FoldCurve> trimmed(const std::vector<FoldCurve::Piece>& pieces, size_t start) const {
        const auto walk = [&](int step, double& length) {
            length = 0.0;
            double quiet = 0.0;
            double loud_length = 0.0;
            long i = static_cast<long>(start) - (step < 0 ? 1 : 0);
            long last = i - step;
            for (; i >= 0 && i < static_cast<long>(pieces.size()); i += step) {
                const FoldCurve::Piece& piece = pieces[static_cast<size_t>(i)];
                SurfacePoint middle;
                middle.triangle = piece.triangle;
                middle.barycentric = 0.5 * (piece.from + piece.to);
                if (interpolate(owned_, base_.triangles(), middle) < own_weight) {
                    break;
                }
                const double size =
                    (place(rest_, piece.triangle, piece.to) - place(rest_, piece.triangle, piece.from)).norm();
                if (wanted_length_ > 0.0) {
                    if (length >= 0.5 * wanted_length_) {
                        break;
                    }
                    last = i;
                    loud_length = length + size;
                } else if (least_ratio(piece) < quiet_ratio) {
                    last = i;
                    quiet = 0.0;
                    loud_length = length + size;
                } else {
                    quiet += size;
                    if (quiet > quiet_length) {
                        break;
                    }
                }
                length += size;
            }
            length = loud_length;
            return last;
        };
        double before = 0.0;
        double after = 0.0;
        const long first = walk(-1, before);
        const long last = walk(1, after);
        if (last < first || !(before + after > 0.0)) {
            return std::nullopt;
        }
        FoldCurve curve;
        curve.pieces.assign(pieces.begin() + first, pieces.begin() + last + 1);
        curve.centre = before;
        return curve;
    }

    const Topology& base_;
    const MatrixX3d& rest_;
    const FoldJoints& joints_;
    const std::vector<FoldPose>& poses_;
    double wanted_length_ = 0.0;
    VectorXd owned_;
};

double distance_between(const FoldCurve& a, const FoldCurve& b, const MatrixX3d& rest, const Topology& base) {
    double nearest = std::numeric_limits<double>::infinity();
    const auto point = [&](const FoldCurve::Piece& piece) {
        SurfacePoint at;
        at.triangle = piece.triangle;
        at.barycentric = piece.from;
        return position_at(rest, base.triangles(), at);
    };
    for (const FoldCurve::Piece& one : a.pieces) {
        for (const FoldCurve::Piece& other : b.pieces) {
            nearest = std::min(nearest, (point(one) - point(other)).norm());
        }
    }
    return nearest;
}

void check_joints(const Topology& base, const FoldJoints& joints, const std::vector<FoldPose>& poses) {
    const size_t count = joints.parent.size();
    require(joints.weights != nullptr && joints.weights->vertex_count() == base.vertex_count() &&
                joints.position.size() == count && joints.name.size() == count,
            "fold joints: expected weights of ", base.vertex_count(),
            " vertices and a parent, place and name for each joint, found ", count, " parents, ",
            joints.position.size(), " places, ", joints.name.size(), " names");
    for (size_t i = 0; i < poses.size(); ++i) {
        require(poses[i].matrices.size() == count && poses[i].positions.rows() == base.vertex_count(),
                "fold joints: pose ", i, ": expected ", count, " matrices and ", base.vertex_count(),
                " positions, found ", poses[i].matrices.size(), " and ", poses[i].positions.rows());
    }
}

}  // namespace

std::vector<FoldCurve> find_joint_curves(const Topology& base, const MatrixX3d& rest, const FoldJoints& joints,
                                         const std::vector<FoldPose>& poses, const FoldJointOptions& options,
                                         double reach, std::vector<std::string>& notes) {
    check_joints(base, joints, poses);
    std::vector<int> chosen;
    for (const std::string& name : options.joints) {
        const auto at = std::find(joints.name.begin(), joints.name.end(), name);
        if (at == joints.name.end()) {
            std::string known;
            for (const std::string& one : joints.name) {
                known += (known.empty() ? "" : ", ") + one;
            }
            throw InvalidInput(concat("fold joints: expected one of ", known, "; found \"", name, "\""));
        }
        chosen.push_back(static_cast<int>(at - joints.name.begin()));
    }
    for (size_t j = 0; options.joints.empty() && j < joints.parent.size(); ++j) {
        chosen.push_back(static_cast<int>(j));
    }
    constexpr double degrees = 180.0 / 3.14159265358979324;
    CurveFinder finder(base, rest, joints, poses);
    std::vector<FoldCurve> curves;
    std::vector<std::string> bare;  // joints that bend without cloth
    double most = 0.0;              // swing of any joint, degrees
    std::string most_swinging;
    for (const int joint : chosen) {
        std::optional<Swing> widest;
        for (const FoldPose& pose : poses) {
            const std::optional<Swing> swing = swing_of(joints, joint, pose);
            if (swing && (!widest || swing->angle > widest->angle)) {
                widest = swing;
            }
        }
        const std::string& name = joints.name[static_cast<size_t>(joint)];
        const double angle = widest ? widest->angle * degrees : 0.0;
        if (angle > most) {
            most = angle;
            most_swinging = name;
        }
        const bool bends = widest && angle >= options.least_swing_deg;
        const std::optional<FoldCurve> curve = bends ? finder.find(joint, *widest, options.length) : std::nullopt;
        // Another curve's support must not reach this one, or lengths would no longer be kept.
        const bool has_room = curve && std::all_of(curves.begin(), curves.end(), [&](const FoldCurve& other) {
                                  return distance_between(*curve, other, rest, base) >= reach;
                              });
        if (has_room) {
            curves.push_back(*curve);
            continue;
        }
        if (bends) {
            bare.push_back(name);
        }
        if (!options.joints.empty()) {
            notes.push_back(concat("folds: joint ", name, ": ",
                                   bends ? std::string("no cloth on its inner side with room for a curve")
                                         : concat("it swings less than ", options.least_swing_deg, " degrees"),
                                   "; no folds"));
        }
    }
    if (options.joints.empty()) {
        if (!bare.empty()) {
            constexpr size_t most_named = 8;
            std::string names;
            for (size_t i = 0; i < std::min(bare.size(), most_named); ++i) {
                names += (i == 0 ? "" : ", ") + bare[i];
            }
            notes.push_back(concat("folds: ", names,
                                   bare.size() > most_named ? concat(" and ", bare.size() - most_named, " more") : "",
                                   ": no cloth on the inner side with room for a curve; no folds"));
        } else if (curves.empty()) {
            notes.push_back(concat(
                "folds: no joint swings ", options.least_swing_deg, " degrees or more from the bind pose (the most: ",
                most_swinging.empty() ? "none" : most_swinging, " by ", std::round(10.0 * most) / 10.0, "); no folds"));
        }
    }
    return curves;
}

}  // namespace cutis
