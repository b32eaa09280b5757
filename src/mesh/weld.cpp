#include "mesh/weld.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

namespace cutis::mesh_internal {
namespace {

// Where a vertex is, as a sortable key. Comparison of doubles treats -0.0 and 0.0 as equal.
struct Place {
    int group;
    std::array<double, 3> at;

    bool operator<(const Place& other) const { return group != other.group ? group < other.group : at < other.at; }
    bool operator==(const Place& other) const { return group == other.group && at == other.at; }
};

std::vector<Place> places_of(const MatrixX3d& points, const std::vector<int>& group) {
    std::vector<Place> places(static_cast<size_t>(points.rows()));
    for (size_t v = 0; v < places.size(); ++v) {
        const Eigen::Index row = static_cast<Eigen::Index>(v);
        places[v] = {group.empty() ? 0 : group[v], {points(row, 0), points(row, 1), points(row, 2)}};
    }
    return places;
}

std::vector<int> sorted_by_place(const std::vector<Place>& places, const std::vector<unsigned char>& is_used) {
    std::vector<int> order;
    for (size_t v = 0; v < places.size(); ++v) {
        if (is_used[v] != 0) {
            order.push_back(static_cast<int>(v));
        }
    }
    std::sort(order.begin(), order.end(), [&](int a, int b) {
        const Place& p = places[a];
        const Place& q = places[b];
        return p < q || (p == q && a < b);
    });
    return order;
}

std::vector<int> weld_exactly(const MatrixX3d& positions, const std::vector<unsigned char>& is_used,
                              const std::vector<int>& group) {
    std::vector<int> kept(static_cast<size_t>(positions.rows()));
    std::iota(kept.begin(), kept.end(), 0);
    const std::vector<Place> places = places_of(positions, group);
    const std::vector<int> order = sorted_by_place(places, is_used);
    for (size_t i = 1; i < order.size(); ++i) {
        const size_t a = static_cast<size_t>(order[i - 1]);
        const size_t b = static_cast<size_t>(order[i]);
        if (places[a] == places[b]) {
            kept[b] = kept[a];
        }
    }
    return kept;
}

}  // namespace

std::vector<int> weld(const MatrixX3d& positions, const std::vector<unsigned char>& is_used,
                      const std::vector<int>& group, double distance) {
    if (!(distance > 0.0)) {
        return weld_exactly(positions, is_used, group);
    }
    std::vector<int> kept(static_cast<size_t>(positions.rows()));
    std::iota(kept.begin(), kept.end(), 0);

    // Grid of cells at least as wide as the distance; whole numbers kept as double, so that nothing
    // overflows. Cells narrower than 1e-12 of the extent would only hold rounding.
    const Vector3d low = positions.colwise().minCoeff().transpose();
    const Vector3d high = positions.colwise().maxCoeff().transpose();
    const double cell = std::max(distance, 1e-12 * (high - low).norm());
    const MatrixX3d cells = ((positions.rowwise() - low.transpose()) / cell).array().floor().matrix();
    const std::vector<Place> places = places_of(cells, group);
    const std::vector<int> order = sorted_by_place(places, is_used);

    // Unique cells in sorted order, each with a chain of the vertices kept in it so far. Kept
    // vertices of a group are at least `distance` apart, so chains stay short.
    std::vector<Place> cell_place;
    std::vector<int> cell_of(places.size(), -1);
    for (const int v : order) {
        const Place& place = places[v];
        if (cell_place.empty() || !(cell_place.back() == place)) {
            cell_place.push_back(place);
        }
        cell_of[v] = static_cast<int>(cell_place.size()) - 1;
    }
    std::vector<int> first_kept(cell_place.size(), -1);
    std::vector<int> next_kept(places.size(), -1);

    for (size_t v = 0; v < places.size(); ++v) {
        if (is_used[v] == 0) {
            continue;
        }
        const Place& home = places[v];
        const auto row = static_cast<Eigen::Index>(v);
        double nearest = distance * distance;
        int joined = -1;
        for (int dx = -1; dx <= 1; ++dx) {
            for (int dy = -1; dy <= 1; ++dy) {
                const Place from{home.group, {home.at[0] + dx, home.at[1] + dy, home.at[2] - 1}};
                const Place to{home.group, {home.at[0] + dx, home.at[1] + dy, home.at[2] + 1}};
                for (auto c = std::lower_bound(cell_place.begin(), cell_place.end(), from);
                     c != cell_place.end() && !(to < *c); ++c) {
                    for (int w = first_kept[c - cell_place.begin()]; w >= 0; w = next_kept[w]) {
                        const double apart = (positions.row(row) - positions.row(w)).squaredNorm();
                        if (apart < nearest || (apart == nearest && (joined < 0 || w < joined))) {
                            nearest = apart;
                            joined = w;
                        }
                    }
                }
            }
        }
        if (joined >= 0) {
            kept[v] = joined;
        } else {
            const size_t c = static_cast<size_t>(cell_of[v]);
            next_kept[v] = first_kept[c];
            first_kept[c] = static_cast<int>(v);
        }
    }
    return kept;
}

}  // namespace cutis::mesh_internal
