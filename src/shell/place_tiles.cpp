#include <cmath>
#include <map>
#include <unordered_map>

#include "cutis/core/error.h"
#include "cutis/shell/placement.h"
#include "shell/triangle_grid.h"

namespace cutis {

namespace {

constexpr double most_vertices = 1e8;
constexpr double border_tolerance = 1e-9;  // of a barycentric weight

/// Base triangles in the UV plane.
class ChartSearch {
public:
    ChartSearch(const MatrixX2d& uv, const MatrixX3i& triangles) : uv_(uv), triangles_(triangles) {
        MatrixX3d lower = MatrixX3d::Zero(triangles.rows(), 3);
        MatrixX3d upper = MatrixX3d::Zero(triangles.rows(), 3);
        for (Eigen::Index f = 0; f < triangles.rows(); ++f) {
            const auto a = uv.row(triangles(f, 0));
            const auto b = uv.row(triangles(f, 1));
            const auto c = uv.row(triangles(f, 2));
            lower.row(f).head<2>() = a.cwiseMin(b).cwiseMin(c);
            upper.row(f).head<2>() = a.cwiseMax(b).cwiseMax(c);
        }
        grid_ = BoxGrid(lower, upper);
    }

    bool find(const Vector2d& place, ShellPoint& out) const {
        const Eigen::Vector3i cell = grid_.cell_of({place.x(), place.y(), 0.0});
        for (const int* f = grid_.begin(cell); f != grid_.end(cell); ++f) {
            const Vector2d a = uv_.row(triangles_(*f, 0));
            const Vector2d ab = uv_.row(triangles_(*f, 1)).transpose() - a;
            const Vector2d ac = uv_.row(triangles_(*f, 2)).transpose() - a;
            const double area = ab.x() * ac.y() - ab.y() * ac.x();
            if (area == 0.0) {
                continue;
            }
            const Vector2d ap = place - a;
            const double v = (ap.x() * ac.y() - ap.y() * ac.x()) / area;
            const double w = (ab.x() * ap.y() - ab.y() * ap.x()) / area;
            if (v >= -border_tolerance && w >= -border_tolerance &&
                v + w <= 1.0 + border_tolerance) {
                out.triangle = *f;
                out.barycentric = Vector3d(1.0 - v - w, v, w).cwiseMax(0.0);
                out.barycentric /= out.barycentric.sum();
                return true;
            }
        }
        return false;
    }

private:
    const MatrixX2d& uv_;
    const MatrixX3i& triangles_;
    BoxGrid grid_;
};

struct PlaceKey {
    long long u, v, w;
    bool operator==(const PlaceKey& other) const = default;
};

struct PlaceHash {
    size_t operator()(const PlaceKey& key) const {
        const auto mix = [](unsigned long long x) { return x * 0x9E3779B97F4A7C15ull; };
        return mix(static_cast<unsigned long long>(key.u) ^
                   mix(static_cast<unsigned long long>(key.v) ^
                       mix(static_cast<unsigned long long>(key.w))));
    }
};

void check_tile(const ArtMesh& tile) {
    if (tile.triangles.rows() == 0) {
        throw InvalidInput(say("shell detail '", tile.name, "': it has no triangles"));
    }
    for (Eigen::Index v = 0; v < tile.positions.rows(); ++v) {
        if (!tile.positions.row(v).allFinite()) {
            throw InvalidInput(
                say("shell detail '", tile.name, "': position ", v, " is not finite"));
        }
    }
}

}  // namespace

PlacedDetail tile_detail(const PrismShell& shell, const MatrixX2d& uv,
                         const MatrixX3i& uv_triangles, const ArtMesh& tile,
                         const TileOptions& options) {
    if (uv_triangles.rows() != shell.topology().triangle_count() || uv.rows() == 0) {
        throw InvalidInput(say("shell tiles: the base needs UVs for its ",
                               shell.topology().triangle_count(), " triangles, found ",
                               uv_triangles.rows()));
    }
    if (!(options.tiles_u > 0.0) || !(options.tiles_v > 0.0) || !(options.lift >= 0.0)) {
        throw InvalidInput(
            say("shell tiles: expected numbers of tiles above 0 and a lift of at "
                "least 0, found ",
                options.tiles_u, ", ", options.tiles_v, " and ", options.lift));
    }
    check_tile(tile);
    Vector2d low = Vector2d::Constant(std::numeric_limits<double>::infinity());
    Vector2d high = -low;
    for (Eigen::Index f = 0; f < uv_triangles.rows(); ++f) {
        for (int k = 0; k < 3; ++k) {
            const Vector2d at = uv.row(uv_triangles(f, k));
            low = low.cwiseMin(at);
            high = high.cwiseMax(at);
        }
    }
    const Vector2d tiles(options.tiles_u, options.tiles_v);
    // A tile whose border merely touches the charts' box holds nothing of them.
    const Vector2d first = (low.cwiseProduct(tiles).array() + 1e-9).floor();
    const Vector2d last = (high.cwiseProduct(tiles).array() - 1e-9).floor();
    const double copies = (last - first + Vector2d::Ones()).prod();
    if (!(copies * static_cast<double>(tile.positions.rows()) <= most_vertices)) {
        throw InvalidInput(say("shell tiles: ", copies, " copies of '", tile.name, "' with ",
                               tile.positions.rows(), " vertices are more than ", most_vertices));
    }

    const ChartSearch charts(uv, uv_triangles);
    PlacedDetail out;
    std::unordered_map<PlaceKey, int, PlaceHash> known;  // vertices shared at tile borders
    std::vector<Vector2d> out_uv;
    std::vector<Eigen::Vector3i> triangles;
    std::vector<ShellPoint> found(static_cast<size_t>(tile.positions.rows()));
    std::vector<int> number(found.size());
    for (double j = first.y(); j <= last.y(); j += 1.0) {
        for (double i = first.x(); i <= last.x(); i += 1.0) {
            std::vector<unsigned char> is_found(found.size(), 0);
            for (size_t v = 0; v < found.size(); ++v) {
                const auto at = tile.positions.row(static_cast<Eigen::Index>(v));
                const Vector2d place =
                    (Vector2d(i, j) + Vector2d(at[0], at[1])).cwiseQuotient(tiles);
                is_found[v] = charts.find(place, found[v]) ? 1 : 0;
                found[v].height = std::clamp(at[2] * options.lift, 0.0, 1.0);
                number[v] = -1;
            }
            for (Eigen::Index f = 0; f < tile.triangles.rows(); ++f) {
                const auto corners = tile.triangles.row(f);
                if (!(is_found[static_cast<size_t>(corners[0])] &&
                      is_found[static_cast<size_t>(corners[1])] &&
                      is_found[static_cast<size_t>(corners[2])])) {
                    ++out.cut_triangles;
                    continue;
                }
                Eigen::Vector3i own;
                for (int k = 0; k < 3; ++k) {
                    const auto v = static_cast<size_t>(corners[k]);
                    if (number[v] < 0) {
                        const auto at = tile.positions.row(corners[k]);
                        constexpr double fine = 1e7;
                        const PlaceKey key{std::llround((i + at[0]) * fine),
                                           std::llround((j + at[1]) * fine),
                                           std::llround(at[2] * fine)};
                        const auto [place, is_new] =
                            known.try_emplace(key, static_cast<int>(out.points.size()));
                        if (is_new) {
                            out.points.push_back(found[v]);
                            out_uv.emplace_back(at[0], at[1]);
                        }
                        number[v] = place->second;
                    }
                    own[k] = number[v];
                }
                triangles.push_back(own);
            }
        }
    }
    if (triangles.empty()) {
        throw InvalidInput(say("shell tiles: no whole triangle of '", tile.name,
                               "' lies on a chart; use more tiles"));
    }
    out.triangles.resize(static_cast<Eigen::Index>(triangles.size()), 3);
    for (size_t f = 0; f < triangles.size(); ++f) {
        out.triangles.row(static_cast<Eigen::Index>(f)) = triangles[f].transpose();
    }
    out.uv.resize(static_cast<Eigen::Index>(out_uv.size()), 2);
    for (size_t v = 0; v < out_uv.size(); ++v) {
        out.uv.row(static_cast<Eigen::Index>(v)) = out_uv[v].transpose();
    }
    out.piece_count = find_pieces(out.triangles, static_cast<int>(out.points.size()), out.piece);
    return out;
}

ArtMesh piece_from_mesh(const ArtMesh& mesh, char up) {
    if (up != 'x' && up != 'y' && up != 'z') {
        throw InvalidInput(say("shell piece: up is x, y or z, found '", up, "'"));
    }
    check_tile(mesh);
    const int w = up - 'x';
    const int u = (w + 1) % 3;
    const int v = (w + 2) % 3;
    const Vector3d low = mesh.positions.colwise().minCoeff().transpose();
    const Vector3d high = mesh.positions.colwise().maxCoeff().transpose();
    const Vector3d extent = high - low;
    const double wide = std::max(extent[u], extent[v]);
    if (!(wide > 0.0)) {
        throw InvalidInput(say("shell piece '", mesh.name, "': it has no extent across ", up));
    }
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
