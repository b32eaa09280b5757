#include "uv.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <tuple>

#include "cutis/core/error.h"

namespace cutis::actor {

namespace {

/// Triangle across each side, -1 at a rim.
std::vector<Eigen::Vector3i> neighbours_of(const SurfaceMesh& mesh) {
    std::vector<std::tuple<int, int, int, int>> sides;  // low, high, triangle, side
    for (int f = 0; f < static_cast<int>(mesh.triangles.size()); ++f) {
        for (int k = 0; k < 3; ++k) {
            const int a = mesh.triangles[f][k];
            const int b = mesh.triangles[f][(k + 1) % 3];
            sides.emplace_back(std::min(a, b), std::max(a, b), f, k);
        }
    }
    std::sort(sides.begin(), sides.end());
    std::vector<Eigen::Vector3i> across(mesh.triangles.size(), Eigen::Vector3i::Constant(-1));
    for (size_t i = 0; i + 1 < sides.size(); ++i) {
        const auto& [a, b, f, k] = sides[i];
        const auto& [c, d, g, l] = sides[i + 1];
        if (a == c && b == d) {
            across[f][k] = g;
            across[g][l] = f;
        }
    }
    return across;
}

/// Smooths label borders, then gives all but the largest piece of each label to its neighbours.
void tidy_labels(const std::vector<Eigen::Vector3i>& across, std::vector<int>& label) {
    const int count = static_cast<int>(label.size());
    for (int round = 0; round < 6; ++round) {
        for (int f = 0; f < count; ++f) {
            const Eigen::Vector3i& n = across[f];
            for (int k = 0; k < 3; ++k) {
                const int a = n[k];
                const int b = n[(k + 1) % 3];
                if (a >= 0 && b >= 0 && label[a] == label[b] && label[a] != label[f]) {
                    label[f] = label[a];
                    break;
                }
            }
        }
    }
    for (int round = 0; round < 20; ++round) {
        std::vector<int> piece(label.size(), -1);
        std::vector<std::vector<int>> pieces;
        for (int f = 0; f < count; ++f) {
            if (piece[f] >= 0) {
                continue;
            }
            std::vector<int> members{f};
            piece[f] = static_cast<int>(pieces.size());
            for (size_t i = 0; i < members.size(); ++i) {
                for (int k = 0; k < 3; ++k) {
                    const int g = across[members[i]][k];
                    if (g >= 0 && piece[g] < 0 && label[g] == label[f]) {
                        piece[g] = piece[f];
                        members.push_back(g);
                    }
                }
            }
            pieces.push_back(std::move(members));
        }
        std::vector<int> largest(static_cast<size_t>(*std::max_element(label.begin(), label.end())) + 1, -1);
        for (int p = 0; p < static_cast<int>(pieces.size()); ++p) {
            int& best = largest[label[pieces[p][0]]];
            if (best < 0 || pieces[p].size() > pieces[best].size()) {
                best = p;
            }
        }
        bool changed = false;
        for (int p = 0; p < static_cast<int>(pieces.size()); ++p) {
            const int own = label[pieces[p][0]];
            if (largest[own] == p) {
                continue;
            }
            std::vector<int> votes(largest.size(), 0);
            for (const int f : pieces[p]) {
                for (int k = 0; k < 3; ++k) {
                    if (across[f][k] >= 0 && piece[across[f][k]] != p) {
                        ++votes[label[across[f][k]]];
                    }
                }
            }
            const int winner = static_cast<int>(std::max_element(votes.begin(), votes.end()) - votes.begin());
            if (votes[winner] > 0) {
                for (const int f : pieces[p]) {
                    label[f] = winner;
                }
                changed = true;
            }
        }
        if (!changed) {
            return;
        }
    }
}

/// Turns a chart upright (long side along v) with its lower left corner at the origin.
Vector2d stand_up(std::vector<Vector2d>& points) {
    double best_area = 1e300;
    double best_angle = 0.0;
    const auto box = [&](double angle) {
        const double c = std::cos(angle), s = std::sin(angle);
        Vector2d low(1e300, 1e300), high(-1e300, -1e300);
        for (const Vector2d& p : points) {
            const Vector2d q(c * p.x() - s * p.y(), s * p.x() + c * p.y());
            low = low.cwiseMin(q);
            high = high.cwiseMax(q);
        }
        return std::pair{low, Vector2d(high - low)};
    };
    for (int i = 0; i < 90; ++i) {
        const double angle = i * M_PI / 90.0;
        const Vector2d size = box(angle).second;
        if (size.x() * size.y() < best_area && size.y() >= size.x()) {
            best_area = size.x() * size.y();
            best_angle = angle;
        }
    }
    const auto [low, size] = box(best_angle);
    const double c = std::cos(best_angle), s = std::sin(best_angle);
    for (Vector2d& p : points) {
        p = Vector2d(c * p.x() - s * p.y(), s * p.x() + c * p.y()) - low;
    }
    return size;
}

/// Lower left corners of boxes packed on shelves in a square of this side; false when they do not
/// fit.
bool pack(const std::vector<Vector2d>& sizes, const std::vector<int>& order, double square, double gap,
          std::vector<Vector2d>& corner) {
    double x = gap, y = gap, shelf = 0.0;
    for (const int i : order) {
        if (x + sizes[i].x() + gap > square) {
            x = gap;
            y += shelf + gap;
            shelf = 0.0;
        }
        if (x + sizes[i].x() + gap > square || y + sizes[i].y() + gap > square) {
            return false;
        }
        corner[i] = Vector2d(x, y);
        x += sizes[i].x() + gap;
        shelf = std::max(shelf, sizes[i].y());
    }
    return true;
}

}  // namespace

UvLayout make_uv(const SurfaceMesh& mesh, std::vector<int>& chart_of_triangle, const Vector3d& seam_side) {
    const std::vector<Eigen::Vector3i> across = neighbours_of(mesh);
    tidy_labels(across, chart_of_triangle);
    std::vector<int> labels = chart_of_triangle;
    std::sort(labels.begin(), labels.end());
    labels.erase(std::unique(labels.begin(), labels.end()), labels.end());

    std::vector<Chart> charts;
    std::vector<std::vector<Vector2d>> flat;
    std::vector<Vector2d> sizes;
    double area = 0.0;
    for (const int label : labels) {
        charts.push_back(cut_to_disk(mesh, across, chart_of_triangle, label, seam_side));
        flat.push_back(flatten(charts.back()));
        sizes.push_back(stand_up(flat.back()));
        area += sizes.back().x() * sizes.back().y();
    }
    std::vector<int> order(charts.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return sizes[a].y() > sizes[b].y(); });
    std::vector<Vector2d> corner(charts.size());
    double square = std::sqrt(area);
    while (!pack(sizes, order, square, 0.01 * square, corner)) {
        square *= 1.01;
    }

    UvLayout out;
    size_t count = 0;
    for (const Chart& chart : charts) {
        count += chart.points.size();
    }
    out.uv.resize(static_cast<Eigen::Index>(count), 2);
    out.uv_triangles.resize(static_cast<Eigen::Index>(mesh.triangles.size()), 3);
    int first = 0;
    for (size_t i = 0; i < charts.size(); ++i) {
        for (size_t v = 0; v < flat[i].size(); ++v) {
            out.uv.row(first + static_cast<int>(v)) = (flat[i][v] + corner[i]).transpose() / square;
        }
        for (size_t f = 0; f < charts[i].corners.size(); ++f) {
            out.uv_triangles.row(charts[i].triangle[f]) =
                (charts[i].corners[f] + Eigen::Vector3i::Constant(first)).transpose();
        }
        first += static_cast<int>(charts[i].points.size());
    }
    return out;
}

}  // namespace cutis::actor
