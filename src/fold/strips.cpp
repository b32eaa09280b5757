#include "fold/strips.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace cutis::fold_detail {

namespace {

// Weights of the point of triangle a b c nearest to p (Ericson 2005, 5.1.5).
Vector3d nearest_weights(const Vector3d& p, const Vector3d& a, const Vector3d& b,
                         const Vector3d& c) {
    const Vector3d ab = b - a;
    const Vector3d ac = c - a;
    const Vector3d ap = p - a;
    const double d1 = ab.dot(ap);
    const double d2 = ac.dot(ap);
    if (d1 <= 0.0 && d2 <= 0.0) {
        return {1, 0, 0};
    }
    const Vector3d bp = p - b;
    const double d3 = ab.dot(bp);
    const double d4 = ac.dot(bp);
    if (d3 >= 0.0 && d4 <= d3) {
        return {0, 1, 0};
    }
    const double vc = d1 * d4 - d3 * d2;
    if (vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0) {
        const double t = d1 / (d1 - d3);
        return {1 - t, t, 0};
    }
    const Vector3d cp = p - c;
    const double d5 = ab.dot(cp);
    const double d6 = ac.dot(cp);
    if (d6 >= 0.0 && d5 <= d6) {
        return {0, 0, 1};
    }
    const double vb = d5 * d2 - d1 * d6;
    if (vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0) {
        const double t = d2 / (d2 - d6);
        return {1 - t, 0, t};
    }
    const double va = d3 * d6 - d5 * d4;
    if (va <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0) {
        const double t = (d4 - d3) / ((d4 - d3) + (d5 - d6));
        return {0, 1 - t, t};
    }
    const double sum = va + vb + vc;
    if (!(sum > 0.0)) {  // no area: the corners' own order decides
        return {1, 0, 0};
    }
    return {va / sum, vb / sum, vc / sum};
}

double blob(double x) {
    const double a = std::abs(x);
    return a >= 1.0 ? 0.0 : (1.0 - a) * (1.0 - a) * (1.0 + 2.0 * a);
}

}  // namespace

Strips::Strips(const FoldPattern& pattern, const MatrixX3d& points, const MatrixX3d& normals,
               const std::vector<int>& parts)
    : pattern_(pattern), points_(points), normals_(normals) {
    const int per_rail = pattern.segments + 1;
    const int rails = static_cast<int>(pattern.rails.size());
    for (int r = 0; r < rails; ++r) {
        const auto& rail = pattern.rails[static_cast<size_t>(r)];
        const bool was_joined = r > 0 && pattern.rails[static_cast<size_t>(r - 1)].is_joined;
        const auto add = [&](std::array<int, 3> point, std::array<bool, 3> is_open) {
            const auto& fold = pattern.folds[static_cast<size_t>(rail.fold)];
            Piece piece{point,     is_open,          r,  fold.curve, parts[static_cast<size_t>(r)],
                        fold.fade, Vector3d::Zero(), 0.0};
            for (const int p : point) {
                piece.centre += points.row(p).transpose() / 3.0;
            }
            for (const int p : point) {
                piece.radius =
                    std::max(piece.radius, (points.row(p).transpose() - piece.centre).norm());
            }
            pieces_.push_back(piece);
        };
        for (int i = r * per_rail; i < r * per_rail + pattern.segments; ++i) {
            if (!rail.is_joined && !was_joined) {
                add({i, i + 1, i + 1}, {true, true, true});
            }
            if (rail.is_joined) {
                const int j = i + per_rail;
                const bool is_last = !pattern.rails[static_cast<size_t>(r) + 1].is_joined;
                add({i, i + 1, j}, {!was_joined, false, false});
                add({i + 1, j + 1, j}, {false, is_last, false});
            }
        }
    }
    double longest = 0.0;
    for (const Piece& piece : pieces_) {
        for (int k = 0; k < 3; ++k) {
            longest = std::max(
                longest,
                (points.row(piece.point[k]) - points.row(piece.point[(k + 1) % 3])).norm());
        }
    }
    double fade = 0.0;
    double width = 0.0;
    for (const auto& fold : pattern.folds) {
        fade = std::max(fade, fold.fade);
        width = std::max(width, fold.width);
    }
    most_slack_ = 0.5 * width;
    cell_size_ = std::max({longest, fade + most_slack_, 1e-12});
    for (size_t n = 0; n < pieces_.size(); ++n) {
        const Piece& piece = pieces_[n];
        const double reach =
            most_slack_ +
            pattern.folds[static_cast<size_t>(pattern.rails[static_cast<size_t>(piece.strip)].fold)]
                .fade;
        Vector3d low = points.row(piece.point[0]);
        Vector3d high = low;
        for (int k = 1; k < 3; ++k) {
            low = low.cwiseMin(points.row(piece.point[k]).transpose());
            high = high.cwiseMax(points.row(piece.point[k]).transpose());
        }
        low.array() -= reach;
        high.array() += reach;
        for (double x = low.x(); x < high.x() + cell_size_; x += cell_size_) {
            for (double y = low.y(); y < high.y() + cell_size_; y += cell_size_) {
                for (double z = low.z(); z < high.z() + cell_size_; z += cell_size_) {
                    cells_.emplace_back(
                        cell_of(Vector3d(std::min(x, high.x()), std::min(y, high.y()),
                                         std::min(z, high.z()))),
                        static_cast<int>(n));
                }
            }
        }
    }
    std::sort(cells_.begin(), cells_.end());
    cells_.erase(std::unique(cells_.begin(), cells_.end()), cells_.end());
}

long long Strips::cell_of(const Vector3d& point) const {
    // 21 bits an axis around the origin; cells are not smaller than a fold's segment, so a
    // collision needs a character two million segments across.
    constexpr long long half = 1LL << 20;
    long long cell = 0;
    for (int k = 0; k < 3; ++k) {
        const double place = std::floor(point[k] / cell_size_);
        const long long index = static_cast<long long>(
            std::clamp(place, -static_cast<double>(half), static_cast<double>(half - 1)));
        cell = (cell << 21) | (index + half);
    }
    return cell;
}

Strips::Hit Strips::nearest(int n, const Vector3d& point) const {
    const Piece& piece = pieces_[static_cast<size_t>(n)];
    const Vector3d a = points_.row(piece.point[0]);
    const Vector3d b = points_.row(piece.point[1]);
    const Vector3d c = points_.row(piece.point[2]);
    Hit hit;
    hit.piece = n;
    if (piece.point[1] == piece.point[2]) {  // a single rail
        const Vector3d ab = b - a;
        const double square = ab.squaredNorm();
        const double t = square > 0.0 ? std::clamp((point - a).dot(ab) / square, 0.0, 1.0) : 0.0;
        hit.weight = Vector3d(1.0 - t, t, 0.0);
        hit.is_outside = true;
    } else {
        hit.weight = nearest_weights(point, a, b, c);
        for (int k = 0; k < 3; ++k) {
            // On edge k the opposite corner k+2 has no weight.
            hit.is_outside = hit.is_outside || (piece.is_open[k] && hit.weight[(k + 2) % 3] == 0.0);
        }
    }
    hit.distance = (point - hit.weight[0] * a - hit.weight[1] * b - hit.weight[2] * c).norm();
    return hit;
}

void Strips::collect(const Place& place, double slack, std::vector<Hit>& best) const {
    best.clear();
    const Vector3d& point = place.point;
    const long long cell = cell_of(point);
    for (auto at = std::lower_bound(cells_.begin(), cells_.end(), std::make_pair(cell, 0));
         at != cells_.end() && at->first == cell; ++at) {
        const Piece& piece = pieces_[static_cast<size_t>(at->second)];
        if (piece.part != place.part) {
            continue;
        }
        Hit* same = nullptr;
        for (Hit& other : best) {
            const bool is_same = pieces_[static_cast<size_t>(other.piece)].curve == piece.curve;
            same = is_same ? &other : same;
        }
        // Most pieces of a cell are too far away to be looked at; the factor is for rounding.
        const double reach = piece.fade + slack;
        const double wanted = same == nullptr ? reach : std::min(reach, same->distance);
        const double far = (piece.radius + wanted) * (1.0 + 1e-12);
        if ((point - piece.centre).squaredNorm() > far * far) {
            continue;
        }
        const Vector3d side = normals_.row(piece.point[0]);
        if (side.dot(place.normal) <= 0.0) {
            continue;
        }
        const Hit hit = nearest(at->second, point);
        if (!(hit.distance <= reach)) {
            continue;
        }
        if (same == nullptr) {
            best.push_back(hit);
        } else if (hit.distance < same->distance ||
                   (hit.distance == same->distance && same->is_outside && !hit.is_outside)) {
            *same = hit;
        }
    }
}

void Strips::find(const Place& place, int vertex, double slack, std::vector<Binding>& found) const {
    thread_local std::vector<Hit> best;
    collect(place, slack, best);
    for (const Hit& hit : best) {
        const Piece& piece = pieces_[static_cast<size_t>(hit.piece)];
        const auto& fold =
            pattern_
                .folds[static_cast<size_t>(pattern_.rails[static_cast<size_t>(piece.strip)].fold)];
        const double share = hit.is_outside ? blob(hit.distance / fold.fade) : 1.0;
        if (share <= 0.0) {
            continue;
        }
        // Only ends of rails, from a distance: beyond the fold's edge, where nothing moves.
        const int per_rail = pattern_.segments + 1;
        bool is_at_edge = true;
        for (int k = 0; k < 3; ++k) {
            const int i = piece.point[k] % per_rail;
            is_at_edge = is_at_edge && (hit.weight[k] == 0.0 || i == 0 || i == pattern_.segments);
        }
        if (is_at_edge && hit.distance > 1e-6 * fold.width) {
            continue;
        }
        Binding binding;
        binding.vertex = vertex;
        binding.strip = piece.strip;
        binding.curve = fold.curve;
        for (int k = 0; k < 3; ++k) {
            binding.point[k] = piece.point[k];
            binding.weight[k] = share * hit.weight[k];
        }
        found.push_back(binding);
    }
}

void Strips::visit_near(const Place& place, double slack,
                        FunctionRef<void(double, const Vector3d&)> visit) const {
    thread_local std::vector<Hit> best;
    collect(place, slack, best);
    for (const Hit& hit : best) {
        const Piece& piece = pieces_[static_cast<size_t>(hit.piece)];
        const int fold = pattern_.rails[static_cast<size_t>(piece.strip)].fold;
        const int last = (piece.point[0] / (pattern_.segments + 1)) * (pattern_.segments + 1) +
                         pattern_.segments;
        const int next = std::min(piece.point[0] + 1, last);
        visit(pattern_.folds[static_cast<size_t>(fold)].width,
              (points_.row(next) - points_.row(next - 1)).normalized());
    }
}

std::vector<int> parts_of_rails(const FoldPattern& pattern, const AdaptiveLoop& mesh) {
    const Topology& topology = mesh.topology();
    const auto per_rail = static_cast<size_t>(pattern.segments) + 1;
    std::vector<int> parts;
    for (size_t r = 0; r < pattern.rails.size(); ++r) {
        const SurfacePoint at = mesh.locate(pattern.points[r * per_rail]);
        const int corner = topology.triangles()(at.triangle, 0);
        parts.push_back(topology.part_of_vertex()[static_cast<size_t>(corner)]);
    }
    return parts;
}

}  // namespace cutis::fold_detail
