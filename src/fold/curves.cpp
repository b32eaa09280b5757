#include "cutis/fold/curves.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "cutis/core/error.h"
#include "cutis/mesh/geometry.h"
#include "cutis/mesh/trace.h"
#include "fold/field_parts.h"
#include "fold/rail_steps.h"

namespace cutis {

using namespace fold_detail;

namespace {

// Rails much shorter or longer than their fold is wide distort it.
constexpr double shortest_rail = 0.4;
constexpr double longest_rail = 2.2;
constexpr int samples_per_piece = 8;

/// A curve on the refined mesh, finely sampled.
class Track {
public:
    Track(const FoldCurve& curve, const FieldMesh& mesh) : mesh_(mesh) {
        for (const FoldCurve::Piece& piece : curve.pieces) {
            for (int i = points_.empty() ? 0 : 1; i <= samples_per_piece; ++i) {
                const double t = static_cast<double>(i) / samples_per_piece;
                SurfacePoint point;
                point.triangle = piece.triangle;
                point.barycentric = (1.0 - t) * piece.from + t * piece.to;
                const Vector3d place = place_of(point);
                arc_.push_back(arc_.empty() ? 0.0 : arc_.back() + (place - last_).norm());
                last_ = place;
                points_.push_back(point);
            }
        }
    }
    double length() const { return arc_.empty() ? 0.0 : arc_.back(); }

    /// Point of the base at an arc length: between two samples of one triangle.
    SurfacePoint at(double arc) const {
        const auto after = std::lower_bound(arc_.begin(), arc_.end(), arc);
        const size_t i =
            std::clamp<size_t>(static_cast<size_t>(after - arc_.begin()), 1, arc_.size() - 1);
        const double span = arc_[i] - arc_[i - 1];
        const double t = span > 0.0 ? std::clamp((arc - arc_[i - 1]) / span, 0.0, 1.0) : 0.0;
        // The first sample of a piece is written in the triangle of the piece before.
        SurfacePoint point = points_[i];
        if (points_[i - 1].triangle == point.triangle) {
            point.barycentric = (1.0 - t) * points_[i - 1].barycentric + t * points_[i].barycentric;
        } else {
            point = t < 0.5 ? points_[i - 1] : points_[i];
        }
        return point;
    }
    Vector3d place_of(const SurfacePoint& base_point) const {
        return position_at(mesh_.rest, mesh_.topology().triangles(),
                           mesh_.mesh.mesh.locate(base_point));
    }

private:
    const FieldMesh& mesh_;
    std::vector<SurfacePoint> points_;
    std::vector<double> arc_;
    Vector3d last_ = Vector3d::Zero();
};

/// Borders of the folds along a curve: equal widths on each side of the centre.
std::vector<double> fold_borders(double length, double centre, double width) {
    const auto cut = [&](double from, double to, std::vector<double>& borders) {
        const int count = std::max(1, static_cast<int>(std::lround((to - from) / width)));
        for (int i = 1; i <= count; ++i) {
            borders.push_back(from + (to - from) * i / count);
        }
    };
    std::vector<double> borders = {0.0};
    if (centre > 0.5 * width && centre < length - 0.5 * width) {
        cut(0.0, centre, borders);
        cut(centre, length, borders);
    } else {
        cut(0.0, length, borders);
    }
    return borders;
}

}  // namespace

FoldCurve fold_curve_from_chain(const Topology& base, const std::vector<int>& vertices,
                                const std::vector<int>& shown) {
    const auto name = [&](size_t i) { return i < shown.size() ? shown[i] : vertices[i]; };
    require(vertices.size() >= 3, "fold chain: expected at least 3 vertices, found ",
            vertices.size());
    FoldCurve curve;
    for (size_t i = 0; i < vertices.size(); ++i) {
        require(vertices[i] >= 0 && vertices[i] < base.vertex_count(), "fold chain: entry ", i,
                ": expected a vertex of 0 to ", base.vertex_count() - 1, ", found ", name(i));
        require(std::count(vertices.begin(), vertices.end(), vertices[i]) <= 1,
                "fold chain: vertex ", name(i), " stands in it twice");
    }
    for (size_t i = 0; i + 1 < vertices.size(); ++i) {
        FoldCurve::Piece piece;
        piece.triangle = -1;
        for (const int f : base.triangles_around(vertices[i])) {
            for (int k = 0; k < 3; ++k) {
                if (base.triangles()(f, k) == vertices[i + 1] && piece.triangle < 0) {
                    piece.triangle = f;
                    piece.to = Vector3d::Unit(k);
                }
            }
        }
        require(piece.triangle >= 0, "fold chain: expected an edge between vertices ", name(i),
                " and ", name(i + 1), ", found none");
        for (int k = 0; k < 3; ++k) {
            if (base.triangles()(piece.triangle, k) == vertices[i]) {
                piece.from = Vector3d::Unit(k);
            }
        }
        curve.pieces.push_back(piece);
    }
    return curve;
}

FoldPattern fold_pattern_from_curves(const Topology& base, const MatrixX3d& rest,
                                     const std::vector<FoldCurve>& curves,
                                     const FoldCurveOptions& options, const Workers& workers) {
    check_struct(options.look, "fold", base.vertex_count());
    check_struct(options, "fold");
    const double common_width = options.look.width.common();
    const double common_stretch = options.look.pre_stretch.common();
    FoldPattern pattern;
    const int segments = options.look.rail_segments;
    pattern.segments = segments;
    pattern.profiles = {options.look.profile.shaped(options.look.sharpness, options.look.lean)};
    if (curves.empty()) {
        return pattern;
    }
    double narrowest = common_width;
    for (const FoldCurve& curve : curves) {
        require(curve.width == 0.0 || (curve.width >= 0.001 && curve.width <= 10.0),
                "folds: curve ", curve.name, ": width: expected 0.001 to 10, found ", curve.width);
        narrowest = curve.width > 0.0 ? std::min(narrowest, curve.width) : narrowest;
    }
    const FieldMesh mesh(base, rest, narrowest, workers);
    const MatrixX3i& triangles = mesh.topology().triangles();
    const MatrixX3d normals = vertex_normals(mesh.rest, mesh.topology());
    const VectorXd width_scale = mesh.carried(options.look.width.factors());
    const VectorXd stretch_scale = mesh.carried(options.look.pre_stretch.factors());
    TraceOptions far;
    far.most_edges = 1e6;
    SurfaceTracer tracer(mesh.topology(), far);
    tracer.update(mesh.rest, workers);
    int dropped = 0;
    for (size_t c = 0; c < curves.size(); ++c) {
        const FoldCurve& curve = curves[c];
        int profile = 0;
        if (curve.profile) {
            profile = static_cast<int>(pattern.profiles.size());
            pattern.profiles.push_back(
                curve.profile->shaped(options.look.sharpness, options.look.lean));
        }
        const Track track(curve, mesh);
        require(track.length() > 0.0, "folds: curve ", c, " ", curve.name,
                ": expected a length above 0, found ", track.length());
        const SurfacePoint middle = mesh.mesh.mesh.locate(track.at(0.5 * track.length()));
        const double width = curve.width > 0.0
                                 ? curve.width
                                 : common_width * interpolate(width_scale, triangles, middle);
        const double spacing = options.look.rail_spacing * width;
        const int side_rails =
            options.is_one_line ? 0 : static_cast<int>(std::floor(options.reach / spacing + 1e-9));
        const std::vector<double> borders = fold_borders(track.length(), curve.centre, width);
        const int folds = static_cast<int>(borders.size()) - 1;
        const int columns = 2 * side_rails + 1;

        // A grid of points: stations along the curve, columns beside it.
        const int stations = folds * segments + 1;
        std::vector<std::optional<SurfacePoint>> grid(static_cast<size_t>(stations * columns));
        for (int i = 0; i < stations; ++i) {
            const int k = std::min(i / segments, folds - 1);
            const auto border = borders.begin() + k;
            const double arc = border[0] + (border[1] - border[0]) * (i - k * segments) / segments;
            const SurfacePoint here = track.at(arc);
            const double probe = 0.25 * width;
            const Vector3d tangent =
                track.place_of(track.at(arc + probe)) - track.place_of(track.at(arc - probe));
            const SurfacePoint start = mesh.mesh.mesh.locate(here);
            const Vector3d normal = interpolate(normals, triangles, start);
            const Vector3d across = normal.cross(tangent).normalized();
            for (int j = 0; j < columns; ++j) {
                auto& cell = grid[static_cast<size_t>(i) * static_cast<size_t>(columns) +
                                  static_cast<size_t>(j)];
                if (j == side_rails) {
                    cell = here;  // exactly on the curve
                    continue;
                }
                const TraceResult end = tracer.trace(start, (j - side_rails) * spacing * across);
                if (!end.met_boundary && !end.ran_out && end.was_finite) {
                    cell = mesh.on_base(end.point);
                }
            }
        }

        const double taper = options.is_strict ? 0.0 : options.look.taper * width;
        // Pairs that may merge meet at the centre.
        int paired = 0;
        for (int k = 1; k < folds; ++k) {
            paired = std::abs(borders[static_cast<size_t>(k)] - curve.centre) < 1e-9 ? (k + 1) % 2
                                                                                     : paired;
        }
        std::vector<int> before(static_cast<size_t>(columns), -1);
        for (int k = 0; k < folds; ++k) {
            FoldPattern::Fold fold;
            fold.curve = static_cast<int>(c);
            fold.profile = profile;
            fold.width = borders[static_cast<size_t>(k) + 1] - borders[static_cast<size_t>(k)];
            fold.fade = options.is_one_line ? options.reach : spacing;
            const int number = static_cast<int>(pattern.folds.size());
            std::vector<int> rails(static_cast<size_t>(columns), -1);
            for (int j = 0; j < columns; ++j) {
                std::vector<SurfacePoint> points;
                double length = 0.0;
                Vector3d last = Vector3d::Zero();
                for (int i = k * segments; i <= (k + 1) * segments; ++i) {
                    const auto& cell = grid[static_cast<size_t>(i) * static_cast<size_t>(columns) +
                                            static_cast<size_t>(j)];
                    if (!cell) {
                        break;
                    }
                    const Vector3d place = track.place_of(*cell);
                    length += points.empty() ? 0.0 : (place - last).norm();
                    last = place;
                    points.push_back(*cell);
                }
                if (static_cast<int>(points.size()) <= segments ||
                    length < shortest_rail * fold.width || length > longest_rail * fold.width) {
                    ++dropped;
                    continue;
                }
                FoldPattern::Rail rail;
                rail.fold = number;
                rail.joint = curve.joint;
                rail.pre_stretch =
                    common_stretch * interpolate(stretch_scale, triangles,
                                                 mesh.mesh.mesh.locate(points[points.size() / 2]));
                if (!options.is_one_line && taper > 0.0) {
                    const double to_end = (side_rails + 1 - std::abs(j - side_rails)) * spacing;
                    rail.share = smooth_step(to_end / std::min(taper, options.reach + spacing));
                }
                rails[static_cast<size_t>(j)] = static_cast<int>(pattern.rails.size());
                if (j > 0 && rails[static_cast<size_t>(j) - 1] >= 0) {
                    pattern.rails.back().is_joined = true;
                }
                pattern.rails.push_back(rail);
                pattern.points.insert(pattern.points.end(), points.begin(), points.end());
            }
            if (std::any_of(rails.begin(), rails.end(), [](int r) { return r >= 0; })) {
                pattern.folds.push_back(fold);
            }
            const auto is_pair = [&](int j) {
                return j < 0 || j >= columns ||
                       (rails[static_cast<size_t>(j)] >= 0 && before[static_cast<size_t>(j)] >= 0);
            };
            for (int j = 0; j < columns && k % 2 != paired; ++j) {
                if (is_pair(j - 1) && is_pair(j) && is_pair(j + 1)) {
                    pattern.rails[static_cast<size_t>(before[static_cast<size_t>(j)])].partner =
                        rails[static_cast<size_t>(j)];
                }
            }
            before = rails;
        }
    }
    if (dropped > 0) {
        pattern.notes.push_back(concat("folds: ", dropped, " of ",
                                       static_cast<size_t>(dropped) + pattern.rails.size(),
                                       " rails meet a border of the cloth and were left out"));
    }
    return pattern;
}

}  // namespace cutis
