#include <algorithm>
#include <cmath>
#include <numeric>

#include "cutis/core/error.h"
#include "cutis/mesh/geometry.h"
#include "fold/parts.h"

// The paper's own layout (Ly et al. 2017 section 5): one line per fold, along fold curves, and a
// bulge around it that fades out to both sides.

namespace cutis::fold_detail {

namespace {

constexpr double curve_edge_slack = 1.3;

/// A curve on the shown mesh: a point at every edge it crosses.
struct Track {
    std::vector<EdgePoint> points;
    std::vector<Vector3d> places;
    std::vector<double> arc;
};

/// Where a straight piece of a base triangle crosses edges of the shown triangles inside.
void add_crossings(const FineMesh& mesh, const FoldCurve::Piece& piece, const std::vector<int>& inside,
                   std::vector<std::pair<double, EdgePoint>>& out) {
    const Topology& shown = mesh.mesh.topology();
    const Vector2d from = piece.from.tail<2>();
    const Vector2d way = piece.to.tail<2>() - from;
    const auto cross = [](const Vector2d& a, const Vector2d& b) { return a[0] * b[1] - a[1] * b[0]; };
    for (const int f : inside) {
        for (int k = 0; k < 3; ++k) {
            const auto corner = [&](int i) -> Vector2d {
                return mesh.mesh.corner_points()[3 * static_cast<size_t>(f) + static_cast<size_t>(i)]
                    .barycentric.tail<2>();
            };
            const Vector2d start = corner(k);
            const Vector2d edge = corner((k + 1) % 3) - start;
            const double area = cross(way, edge);
            if (std::abs(area) < 1e-12 * way.norm() * edge.norm()) {
                continue;  // along the edge: its ends lie on other edges
            }
            const double s = cross(start - from, edge) / area;
            const double t = cross(start - from, way) / area;
            constexpr double slip = 1e-9;
            if (s < -slip || s > 1.0 + slip || t < -slip || t > 1.0 + slip) {
                continue;
            }
            EdgePoint point;
            point.a = shown.triangles()(f, k);
            point.b = shown.triangles()(f, (k + 1) % 3);
            point.t = static_cast<float>(std::clamp(t, 0.0, 1.0));
            out.emplace_back(s, point);
        }
    }
}

Track track_of(const FineMesh& mesh, const MatrixX3d& rest, const std::vector<std::vector<int>>& inside,
               const FoldCurve& curve, double least) {
    Track track;
    for (const FoldCurve::Piece& piece : curve.pieces) {
        std::vector<std::pair<double, EdgePoint>> found;
        add_crossings(mesh, piece, inside[static_cast<size_t>(piece.triangle)], found);
        std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
        for (const auto& [s, point] : found) {
            const Vector3d place =
                (1.0 - point.t) * rest.row(point.a).transpose() + point.t * rest.row(point.b).transpose();
            const double step = track.places.empty() ? 1e30 : (place - track.places.back()).norm();
            if (step > least) {  // the same crossing is found from both sides of an edge
                track.arc.push_back(track.arc.empty() ? 0.0 : track.arc.back() + step);
                track.points.push_back(point);
                track.places.push_back(place);
            }
        }
    }
    return track;
}

/// Points at which folds begin and end: equal widths on each side of the centre, at the nearest
/// points of the track.
std::vector<size_t> fold_borders(const Track& track, double centre, double width) {
    const double length = track.arc.back();
    std::vector<double> wanted = {0.0};
    const auto cut = [&](double from, double to) {
        const int count = std::max(1, static_cast<int>(std::lround((to - from) / width)));
        for (int i = 1; i <= count; ++i) {
            wanted.push_back(from + (to - from) * i / count);
        }
    };
    if (centre > 0.5 * width && centre < length - 0.5 * width) {
        cut(0.0, centre);
        cut(centre, length);
    } else {
        cut(0.0, length);
    }
    std::vector<size_t> borders;
    for (const double arc : wanted) {
        size_t at = static_cast<size_t>(std::lower_bound(track.arc.begin(), track.arc.end(), arc) - track.arc.begin());
        at = std::min(at, track.arc.size() - 1);
        at -= at > 0 && arc - track.arc[at - 1] < track.arc[at] - arc ? 1 : 0;
        if (borders.empty() || at > borders.back() + 1) {
            borders.push_back(at);
        }
    }
    return borders;
}

/// Nearest point of a track: its distance and arc length.
struct Foot {
    double distance = 1e30;
    double arc = 0.0;
};
Foot foot_on(const Track& track, const Vector3d& p) {
    Foot best;
    for (size_t i = 0; i + 1 < track.places.size(); ++i) {
        const Vector3d way = track.places[i + 1] - track.places[i];
        const double size = way.squaredNorm();
        const double t = size > 0.0 ? std::clamp((p - track.places[i]).dot(way) / size, 0.0, 1.0) : 0.0;
        const double distance = (p - track.places[i] - t * way).norm();
        if (distance < best.distance) {
            best = {distance, track.arc[i] + t * std::sqrt(size)};
        }
    }
    return best;
}

/// A width per curve, and how much too long the even mesh's edges are near them.
std::vector<double> edges_near(const EvenMesh& even, const std::vector<FoldCurve>& curves, const MatrixX3d& base_rest,
                               const Topology& base, double reach, double edges_per_fold) {
    const MatrixX3i& triangles = even.topology().triangles();
    std::vector<double> result(static_cast<size_t>(triangles.rows()), 0.0);
    for (const FoldCurve& curve : curves) {
        Track coarse;
        for (const FoldCurve::Piece& piece : curve.pieces) {
            SurfacePoint at;
            at.triangle = piece.triangle;
            for (const Vector3d& end : {piece.from, piece.to}) {
                at.barycentric = end;
                coarse.places.push_back(position_at(base_rest, base.triangles(), at));
                coarse.arc.push_back(0.0);
            }
        }
        for (size_t f = 0; f < result.size(); ++f) {
            const auto row = triangles.row(static_cast<Eigen::Index>(f));
            const Vector3d middle = (even.rest.row(row[0]) + even.rest.row(row[1]) + even.rest.row(row[2])) / 3.0;
            double longest = 0.0;
            for (int k = 0; k < 3; ++k) {
                longest = std::max(longest, (even.rest.row(row[k]) - even.rest.row(row[(k + 1) % 3])).norm());
            }
            if (foot_on(coarse, middle).distance < reach + longest) {
                result[f] = std::max(result[f], longest * edges_per_fold / (curve_edge_slack * curve.width));
            }
        }
    }
    return result;
}

}  // namespace

std::unique_ptr<FoldParts> lay_curves(const Topology& base, const MatrixX3d& rest, std::vector<FoldCurve> curves,
                                      double reach, const FoldOptions& options, const Workers& workers) {
    const FoldStyle look = options.look.of_cloth();
    const double extent = (rest.colwise().maxCoeff() - rest.colwise().minCoeff()).maxCoeff();
    const double common = look.width ? look.width->common() : 0.02 * extent;
    double narrowest = common;
    for (FoldCurve& curve : curves) {
        require(curve.width == 0.0 || (curve.width >= 0.001 && curve.width <= 10.0), "folds: curve ", curve.name,
                ": width: expected 0.001 to 10, found ", curve.width);
        curve.width = curve.width > 0.0 ? curve.width : common;
        narrowest = std::min(narrowest, curve.width);
    }
    const EvenMesh even(base, rest, 0.5 * narrowest, options.most_vertices, workers);
    std::vector<std::string> notes;
    auto parts = std::make_unique<FoldParts>(make_fold_mesh(
        base, even.mesh, edges_near(even, curves, rest, base, reach, options.edges_per_fold), options, notes));
    parts->mesh.refine(rest, workers, parts->scratch, parts->rest);
    const Topology& shown = parts->mesh.mesh.topology();
    parts->normals = vertex_normals(parts->rest, shown);
    parts->width.setConstant(shown.vertex_count(), common);
    std::vector<std::vector<int>> inside(static_cast<size_t>(base.triangle_count()));
    for (int f = 0; f < shown.triangle_count(); ++f) {
        inside[static_cast<size_t>(parts->mesh.mesh.corner_points()[3 * static_cast<size_t>(f)].triangle)].push_back(f);
    }

    // omega_l omega_o of every fold at every vertex (Ly et al. 2017 section 5.2).
    FoldLayout& layout = parts->layout;
    layout.is_exact = true;
    layout.profile.emplace_back(static_cast<size_t>(shown.vertex_count()), 1.0F);
    std::vector<std::vector<std::pair<int, double>>> rows(static_cast<size_t>(shown.vertex_count()));
    std::vector<Track> tracks;
    std::vector<std::vector<size_t>> borders;
    for (size_t c = 0; c < curves.size(); ++c) {
        const FoldCurve& curve = curves[c];
        Track track = track_of(parts->mesh, parts->rest, inside, curve, 1e-6 * curve.width);
        require(track.points.size() >= 3 && track.arc.back() > 0.0, "folds: curve ", c, " ", curve.name,
                ": expected it to cross at least three edges, found ", track.points.size());
        const std::vector<size_t> cuts = fold_borders(track, curve.centre, curve.width);
        const FoldProfile profile = curve.profile.value_or(look.profile).shaped(look.sharpness, 0.0);
        const int first = static_cast<int>(layout.width.size());
        layout.width.insert(layout.width.end(), cuts.size() - 1, curve.width);
        const Vector3d side = parts->normals.row(track.points[track.points.size() / 2].a);
        for (int v = 0; v < shown.vertex_count(); ++v) {
            const Foot foot = foot_on(track, parts->rest.row(v));
            if (foot.distance >= reach || parts->normals.row(v).dot(side) < -0.2) {
                continue;
            }
            const double across = FoldProfile::blob().at(foot.distance / reach);
            for (size_t k = 0; k + 1 < cuts.size(); ++k) {
                const double begin = track.arc[cuts[k]];
                const double end = track.arc[cuts[k + 1]];
                const double along = profile.at((2.0 * foot.arc - begin - end) / (end - begin));
                if (along * across > 0.0) {
                    rows[static_cast<size_t>(v)].emplace_back(first + static_cast<int>(k), along * across);
                }
            }
        }
        tracks.push_back(std::move(track));
        borders.push_back(cuts);
    }
    layout.spread.base_count = static_cast<int>(layout.width.size());
    for (const auto& row : rows) {
        for (const auto& [fold, weight] : row) {
            layout.spread.indices.push_back(fold);
            layout.spread.weights.push_back(weight);
        }
        layout.spread.offsets.push_back(static_cast<int>(layout.spread.indices.size()));
    }
    layout.first_line.push_back(0);
    for (size_t c = 0; c < curves.size(); ++c) {
        const double stretch = look.pre_stretch.common();
        for (size_t k = 0; k + 1 < borders[c].size(); ++k) {
            const auto begin = static_cast<std::ptrdiff_t>(borders[c][k]);
            const auto end = static_cast<std::ptrdiff_t>(borders[c][k + 1]);
            FoldLayout::Line line;
            line.begin = static_cast<int>(layout.points.size());
            layout.points.insert(layout.points.end(), tracks[c].points.begin() + begin,
                                 tracks[c].points.begin() + end + 1);
            line.end = static_cast<int>(layout.points.size());
            line.target = (tracks[c].arc[static_cast<size_t>(end)] - tracks[c].arc[static_cast<size_t>(begin)]) *
                          (1.0 + look.slack.common()) / (1.0 + stretch);
            layout.lines.push_back(line);
            layout.first_line.push_back(static_cast<int>(layout.lines.size()));
        }
    }
    parts->notes = std::move(notes);
    return parts;
}

}  // namespace cutis::fold_detail
