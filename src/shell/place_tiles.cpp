#include <cmath>
#include <limits>
#include <numbers>
#include <unordered_map>

#include "core/math.h"
#include "cutis/core/error.h"
#include "shell/chart_search.h"
#include "shell/placement.h"

namespace cutis {

namespace {

constexpr double most_vertices = 1e8;

struct PlaceKey {
    long long u, v, w;
    int chart;
    bool operator==(const PlaceKey& other) const = default;
};

struct PlaceHash {
    size_t operator()(const PlaceKey& key) const {
        const auto mix = [](unsigned long long x) { return x * 0x9E3779B97F4A7C15ull; };
        return mix(static_cast<unsigned long long>(key.u) ^
                   mix(static_cast<unsigned long long>(key.v) ^
                       mix(static_cast<unsigned long long>(key.w) ^ mix(static_cast<unsigned long long>(key.chart)))));
    }
};

void check_tile(const ArtMesh& tile) {
    require(tile.triangles.rows() != 0, "shell detail '", tile.name, "': it has no triangles");
    for (Eigen::Index v = 0; v < tile.positions.rows(); ++v) {
        require(tile.positions.row(v).allFinite(), "shell detail '", tile.name, "': position ", v, " is not finite");
    }
}

MatrixX2d turned(const MatrixX2d& uv, double degrees) {
    const double angle = degrees * std::numbers::pi / 180.0;
    Eigen::Matrix2d turn;
    turn << math::cos(angle), -math::sin(angle), math::sin(angle), math::cos(angle);
    return uv * turn;  // rows: the charts turn back, so the tiles turn forth
}

/// Whole numbers of the tiles that meet the charts' box.
struct TileRange {
    Vector2d first, last;
    double count() const { return (last - first + Vector2d::Ones()).prod(); }
};

TileRange tiles_over(const MatrixX2d& uv, const MatrixX3i& triangles, const Vector2d& tiles) {
    Vector2d low = Vector2d::Constant(std::numeric_limits<double>::infinity());
    Vector2d high = -low;
    for (Eigen::Index f = 0; f < triangles.rows(); ++f) {
        for (int k = 0; k < 3; ++k) {
            const Vector2d at = uv.row(triangles(f, k));
            low = low.cwiseMin(at);
            high = high.cwiseMax(at);
        }
    }
    // A tile whose border merely touches the charts' box holds nothing of them.
    return {(low.cwiseProduct(tiles).array() + 1e-9).floor(), (high.cwiseProduct(tiles).array() - 1e-9).floor()};
}

/// Puts copies of a tile onto charts, vertex by vertex.
class Tiler {
public:
    Tiler(const MatrixX2d& uv, const MatrixX3i& uv_triangles, const ArtMesh& tile, const Vector2d& tiles, double lift)
        : charts_(uv, uv_triangles), tile_(tile), tiles_(tiles), lift_(lift) {
        found_.resize(static_cast<size_t>(tile.positions.rows()));
    }

    void lay(const Vector2d& where) {
        for (size_t v = 0; v < found_.size(); ++v) {
            const bool is_on_chart = charts_.find(place_of(where, static_cast<int>(v)), found_[v].point);
            found_[v].chart = is_on_chart ? charts_.chart_of(found_[v].point.triangle) : -1;
        }
        for (Eigen::Index f = 0; f < tile_.triangles.rows(); ++f) {
            const Eigen::Vector3i corners = tile_.triangles.row(f);
            const int chart = chart_of(corners);
            if (chart < 0) {
                ++cut_;
                continue;
            }
            const Eigen::Vector3i own(vertex(where, corners[0], chart), vertex(where, corners[1], chart),
                                      vertex(where, corners[2], chart));
            if (has_area(own)) {
                triangles_.push_back(own);
            } else {
                ++cut_;
            }
        }
    }

    /// What was laid; vertices that only squeezed triangles used stay behind.
    PlacedDetail take() {
        PlacedDetail out;
        out.triangles.resize(static_cast<Eigen::Index>(triangles_.size()), 3);
        out.uv.resize(static_cast<Eigen::Index>(uv_.size()), 2);
        std::vector<int> number(points_.size(), -1);
        for (size_t f = 0; f < triangles_.size(); ++f) {
            for (int k = 0; k < 3; ++k) {
                const auto v = static_cast<size_t>(triangles_[f][k]);
                if (number[v] < 0) {
                    number[v] = static_cast<int>(out.points.size());
                    out.uv.row(number[v]) = uv_[v].transpose();
                    out.points.push_back(points_[v]);
                }
                out.triangles(static_cast<Eigen::Index>(f), k) = number[v];
            }
        }
        out.uv.conservativeResize(static_cast<Eigen::Index>(out.points.size()), 2);
        out.cut_triangles = cut_;
        out.piece_count = find_pieces(out.triangles, static_cast<int>(out.points.size()), out.piece);
        return out;
    }

private:
    struct Found {
        ShellPoint point;
        int chart = -1;
    };

    Vector2d place_of(const Vector2d& where, int v) const {
        return (where + tile_.positions.row(v).head<2>().transpose()).cwiseQuotient(tiles_);
    }

    /// The chart that holds most of the corners, the first of them among equals; -1: none.
    int chart_of(const Eigen::Vector3i& corners) const {
        const auto at = [&](int k) { return found_[corners[k]].chart; };
        if (at(1) >= 0 && at(1) == at(2)) {
            return at(1);
        }
        return at(0) >= 0 ? at(0) : at(1) >= 0 ? at(1) : at(2);
    }

    /// A vertex of the detail; one that the chart does not hold goes to the chart's border.
    int vertex(const Vector2d& where, int v, int chart) {
        constexpr double fine = 1e7;
        const auto at = tile_.positions.row(v);
        const PlaceKey key{std::llround((where.x() + at[0]) * fine), std::llround((where.y() + at[1]) * fine),
                           std::llround(at[2] * fine), chart};
        const auto [known, is_new] = known_.try_emplace(key, static_cast<int>(points_.size()));
        if (is_new) {
            Found found = found_[v];
            Vector2d place = place_of(where, v);
            if (found.chart != chart) {
                place = charts_.nearest_on_border(chart, place, found.point);
            }
            found.point.height = std::clamp(at[2] * lift_, 0.0, 1.0);
            points_.push_back(found.point);
            places_.emplace_back(place.x() * tiles_.x(), place.y() * tiles_.y(), found.point.height);
            uv_.emplace_back(at[0], at[1]);
        }
        return known->second;
    }

    /// Triangles that the border has squeezed to nothing are worth nothing.
    bool has_area(const Eigen::Vector3i& corners) const {
        const Vector3d& a = places_[corners[0]];
        const Vector3d& b = places_[corners[1]];
        const Vector3d& c = places_[corners[2]];
        return (b - a).cross(c - a).norm() > 1e-9;
    }

    ChartSearch charts_;
    const ArtMesh& tile_;
    Vector2d tiles_;
    double lift_;
    std::vector<Found> found_;                            // vertices of the tile laid now
    std::unordered_map<PlaceKey, int, PlaceHash> known_;  // vertices shared at tile borders
    std::vector<ShellPoint> points_;
    std::vector<Vector3d> places_;  // in tiles and heights
    std::vector<Vector2d> uv_;
    std::vector<Eigen::Vector3i> triangles_;
    int cut_ = 0;
};

}  // namespace

PlacedDetail tile_detail(const PrismShell& shell, const MatrixX2d& uv, const MatrixX3i& uv_triangles,
                         const ArtMesh& tile, const TileOptions& options) {
    require(uv_triangles.rows() == shell.topology().triangle_count() && uv.rows() != 0,
            "shell tiles: the base needs UVs for its ", shell.topology().triangle_count(), " triangles, found ",
            uv_triangles.rows());
    check_struct(options, "shell");
    check_tile(tile);
    const MatrixX2d plane = options.turn == 0.0 ? uv : turned(uv, options.turn);
    const Vector2d tiles(options.tiles_u, options.tiles_v);
    const TileRange range = tiles_over(plane, uv_triangles, tiles);
    require(range.count() * static_cast<double>(tile.positions.rows()) <= most_vertices, "shell tiles: ", range.count(),
            " copies of '", tile.name, "' with ", tile.positions.rows(), " vertices are more than ", most_vertices);
    Tiler tiler(plane, uv_triangles, tile, tiles, options.lift);
    for (double j = range.first.y(); j <= range.last.y(); j += 1.0) {
        for (double i = range.first.x(); i <= range.last.x(); i += 1.0) {
            tiler.lay({i, j});
        }
    }
    PlacedDetail out = tiler.take();
    require(out.triangles.rows() != 0, "shell tiles: no triangle of '", tile.name, "' reaches a chart; use more tiles");
    return out;
}

ArtMesh piece_from_mesh(const ArtMesh& mesh, char up) {
    require(up == 'x' || up == 'y' || up == 'z', "shell piece: up is x, y or z, found '", up, "'");
    check_tile(mesh);
    const int w = up - 'x';
    const int u = (w + 1) % 3;
    const int v = (w + 2) % 3;
    const Vector3d low = mesh.positions.colwise().minCoeff().transpose();
    const Vector3d high = mesh.positions.colwise().maxCoeff().transpose();
    const Vector3d extent = high - low;
    const double wide = std::max(extent[u], extent[v]);
    require(wide > 0.0, "shell piece '", mesh.name, "': it has no extent across ", up);
    ArtMesh out = mesh;
    for (Eigen::Index i = 0; i < mesh.positions.rows(); ++i) {
        const Vector3d at = mesh.positions.row(i);
        out.positions(i, 0) = 0.5 + (at[u] - 0.5 * (low[u] + high[u])) / wide;
        out.positions(i, 1) = 0.5 + (at[v] - 0.5 * (low[v] + high[v])) / wide;
        out.positions(i, 2) = extent[w] > 0.0 ? (at[w] - low[w]) / extent[w] : 0.0;
    }
    return out;
}

}  // namespace cutis
