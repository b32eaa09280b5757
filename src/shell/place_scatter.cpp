#include <cmath>
#include <numbers>
#include <random>
#include <unordered_map>

#include "core/geometry.h"
#include "core/math.h"
#include "cutis/core/error.h"
#include "cutis/mesh/geometry.h"
#include "mesh/trace.h"
#include "shell/placement.h"

namespace cutis {

namespace {

constexpr double bare = 1e-3;  // density below which nothing grows

/// Numbers in [0, 1) that are the same with every standard library.
class Chance {
public:
    explicit Chance(unsigned seed) : engine_(seed) {}
    double next() { return static_cast<double>(engine_() >> 11) * 0x1.0p-53; }

private:
    std::mt19937_64 engine_;
};

/// Tangent headings at vertices: the wanted direction projected, then evened out between
/// neighbours, each carried over by the smallest rotation between normals.
MatrixX3d heading_field(const PrismShell& shell, const ScatterOptions& options) {
    const Topology& topology = shell.topology();
    const int n = shell.vertex_count();
    const MatrixX3d normals = vertex_normals(shell.base(), topology);
    MatrixX3d wanted(n, 3);
    for (int v = 0; v < n; ++v) {
        const Vector3d normal = normals.row(v);
        const Vector3d axis =
            options.headings.rows() == n ? Vector3d(options.headings.row(v)) : Vector3d(options.axis.normalized());
        wanted.row(v) = (axis - normal * normal.dot(axis)).transpose();
    }
    constexpr double hold = 0.05;  // of the wanted direction, against the mean of the neighbours
    MatrixX3d field = wanted;
    MatrixX3d next(n, 3);
    for (int round = 0; round < options.smoothing; ++round) {
        next = hold * wanted;
        for (const std::array<int, 2>& edge : topology.edges()) {
            const Vector3d ni = normals.row(edge[0]), nj = normals.row(edge[1]);
            const Vector3d fi = field.row(edge[0]), fj = field.row(edge[1]);
            next.row(edge[0]) += rotate_minimally(nj, ni, fj).transpose();
            next.row(edge[1]) += rotate_minimally(ni, nj, fi).transpose();
        }
        for (int v = 0; v < n; ++v) {
            const Vector3d normal = normals.row(v);
            Vector3d value = next.row(v);
            value -= normal * normal.dot(value);
            const double length = value.norm();
            field.row(v) = (length > 0.0 ? Vector3d(value / length) : Vector3d(field.row(v))).transpose();
        }
    }
    return field;
}

void check_scatter(const PrismShell& shell, const ScatterOptions& options) {
    check_struct(options, "shell", shell.vertex_count());
    require(options.axis.norm() > 0.0, "shell axis: expected a direction, found 0 0 0");
    require(options.headings.rows() == 0 || options.headings.rows() == shell.vertex_count(),
            "shell headings: expected ", shell.vertex_count(), " rows, found ", options.headings.rows());
}

/// A painted number between the corners of a triangle.
double value_at(const Painted& number, const MatrixX3i& corners, const SurfacePoint& point) {
    return number.is_painted() ? interpolate(number.per_vertex, corners, point) : number.value;
}

/// Accepted anchors in cells as long as the widest radius.
class DiskSet {
public:
    explicit DiskSet(double cell) : cell_(cell) {}

    bool is_free(const Vector3d& at, const Vector3d& normal, double radius) const {
        const Eigen::Vector3i middle = cell_of(at);
        for (int x = -1; x <= 1; ++x) {
            for (int y = -1; y <= 1; ++y) {
                for (int z = -1; z <= 1; ++z) {
                    const auto found = cells_.find(key(middle + Eigen::Vector3i(x, y, z)));
                    if (found == cells_.end()) {
                        continue;
                    }
                    for (const Disk& disk : found->second) {
                        const double near = 0.5 * (radius + disk.radius);
                        // The other side of a thin limb does not count.
                        if ((disk.at - at).squaredNorm() < near * near && disk.normal.dot(normal) > 0.0) {
                            return false;
                        }
                    }
                }
            }
        }
        return true;
    }

    void add(const Vector3d& at, const Vector3d& normal, double radius) {
        cells_[key(cell_of(at))].push_back({at, normal, radius});
    }

private:
    struct Disk {
        Vector3d at, normal;
        double radius;
    };
    Eigen::Vector3i cell_of(const Vector3d& at) const { return (at / cell_).array().floor().cast<int>(); }
    static long long key(const Eigen::Vector3i& cell) {
        return (static_cast<long long>(cell.x()) * 73856093) ^ (static_cast<long long>(cell.y()) * 19349663) ^
               (static_cast<long long>(cell.z()) * 83492791);
    }
    double cell_;
    std::unordered_map<long long, std::vector<Disk>> cells_;
};

std::vector<PieceAnchor> scatter_anchors(const PrismShell& shell, const ScatterOptions& options) {
    const Topology& topology = shell.topology();
    const MatrixX3i& corners = topology.triangles();
    const VectorXd areas = triangle_areas(shell.base(), topology);
    const MatrixX3d normals = triangle_normals(shell.base(), topology);
    const MatrixX3d field = heading_field(shell, options);
    VectorXd sums(areas.size());
    double sum = 0.0;
    for (Eigen::Index f = 0; f < areas.size(); ++f) {
        sums[f] = sum += areas[f];
    }
    const double largest_factor =
        (options.size_factor.is_painted() ? options.size_factor.per_vertex.maxCoeff() : options.size_factor.value) *
        (1.0 + options.size_variation);
    const double radius = options.spacing * options.size;
    // Dart throwing: about twenty throws for each disk that could find room.
    const double throws = 20.0 * sum / (radius * radius);
    require(throws < 40.0 * options.most_pieces, "shell scatter: about ", throws / 25.0,
            " pieces would fit, more "
            "than most_pieces = ",
            options.most_pieces, "; use a larger size or spacing");
    // Radii grow with 1 / sqrt(density); beyond this they are cut, such places stay nearly bare.
    const double widest = radius * largest_factor * std::sqrt(1.0 / 0.05);
    DiskSet disks(std::max(widest, 1e-12));
    Chance chance(static_cast<unsigned>(options.seed));
    std::vector<PieceAnchor> anchors;
    for (long long i = 0; i < static_cast<long long>(throws); ++i) {
        const double where = chance.next() * sum;
        double a = std::sqrt(chance.next());
        double b = chance.next();
        const double turn = options.turn_deg * std::numbers::pi / 180.0 * (2.0 * chance.next() - 1.0);
        const double vary = 1.0 + options.size_variation * (2.0 * chance.next() - 1.0);
        const auto f =
            static_cast<int>(std::upper_bound(sums.data(), sums.data() + sums.size() - 1, where) - sums.data());
        PieceAnchor anchor;
        anchor.point = {f, Vector3d(1.0 - a, a * (1.0 - b), a * b)};
        const double density = value_at(options.density, corners, anchor.point);
        const double factor = value_at(options.size_factor, corners, anchor.point);
        anchor.size = options.size * factor * vary;
        if (density < bare || !(anchor.size > 0.0)) {
            continue;
        }
        const double own = std::min(options.spacing * anchor.size / std::sqrt(std::max(density, 0.05)), widest);
        const Vector3d at = position_at(shell.base(), corners, anchor.point);
        const Vector3d normal = normals.row(f);
        if (!disks.is_free(at, normal, own)) {
            continue;
        }
        Vector3d heading = interpolate(field, corners, anchor.point);
        heading -= normal * normal.dot(heading);
        if (!(heading.norm() > 1e-9)) {
            heading = (shell.base().row(corners(f, 1)) - shell.base().row(corners(f, 0))).transpose();
        }
        heading.normalize();
        anchor.heading = math::cos(turn) * heading + math::sin(turn) * normal.cross(heading);
        disks.add(at, normal, own);
        anchors.push_back(anchor);
    }
    require(!anchors.empty(), "shell scatter: no piece found a place (density or size is 0)");
    return anchors;
}

}  // namespace

struct PieceWalker::Parts {
    Parts(const PrismShell& shell_, const ArtMesh& tile, double lift, const Workers& workers)
        : shell(&shell_),
          tracer(shell_.topology(), TraceOptions{std::numeric_limits<double>::infinity(), 10000, false}),
          normals(triangle_normals(shell_.base(), shell_.topology())) {
        tracer.update(shell_.base(), workers);
        places = tile.positions;
        places.col(2) = (lift * places.col(2)).cwiseMax(0.0).cwiseMin(1.0);
    }
    const PrismShell* shell;
    SurfaceTracer tracer;
    MatrixX3d normals;
    MatrixX3d places;
};

PieceWalker::PieceWalker(const PrismShell& shell, const ArtMesh& tile, double lift, const Workers& workers)
    : parts_(std::make_unique<Parts>(shell, tile, lift, workers)) {}
PieceWalker::~PieceWalker() = default;
PieceWalker::PieceWalker(PieceWalker&&) noexcept = default;

int PieceWalker::piece_vertices() const {
    return static_cast<int>(parts_->places.rows());
}

int PieceWalker::place(std::span<const PieceAnchor> anchors, const Workers& workers,
                       std::span<ShellPoint> points) const {
    const Parts& parts = *parts_;
    const int count = piece_vertices();
    require(points.size() == anchors.size() * static_cast<size_t>(count), "shell pieces: expected room for ",
            anchors.size(), " x ", count, " points, found ", points.size());
    const double stopped = workers.sum_chunks(static_cast<int>(anchors.size()), 8, [&](int begin, int end) {
        int met = 0;
        for (int p = begin; p < end; ++p) {
            const PieceAnchor& anchor = anchors[p];
            require_valid_point(parts.shell->topology(), anchor.point);
            const Vector3d normal = parts.normals.row(anchor.point.triangle);
            Vector3d ahead = anchor.heading - normal * normal.dot(anchor.heading);
            require(ahead.norm() > 1e-9 && std::isfinite(anchor.size), "shell pieces: piece ", p,
                    " has no heading in the plane of its triangle");
            ahead.normalize();
            const Vector3d aside = ahead.cross(normal);  // u x v = w
            for (int i = 0; i < count; ++i) {
                const auto place = parts.places.row(i);
                const Vector3d displacement = anchor.size * ((place[0] - 0.5) * aside + (place[1] - 0.5) * ahead);
                const TraceResult walk = parts.tracer.trace(anchor.point, displacement);
                met += walk.met_boundary ? 1 : 0;
                ShellPoint& point =
                    points[static_cast<size_t>(p) * static_cast<size_t>(count) + static_cast<size_t>(i)];
                point.triangle = walk.point.triangle;
                point.barycentric = walk.point.barycentric;
                point.height = place[2];
            }
        }
        return static_cast<double>(met);
    });
    return static_cast<int>(stopped);
}

PlacedDetail scatter_detail(const PrismShell& shell, const ArtMesh& tile, const ScatterOptions& options,
                            const Workers& workers) {
    check_scatter(shell, options);
    require(tile.triangles.rows() != 0 && tile.positions.allFinite(), "shell detail '", tile.name,
            "': expected triangles with finite positions");
    PlacedDetail out;
    out.anchors = scatter_anchors(shell, options);
    const auto pieces = static_cast<Eigen::Index>(out.anchors.size());
    require(pieces <= options.most_pieces, "shell scatter: ", pieces,
            " pieces, more than most_pieces = ", options.most_pieces);
    const PieceWalker walker(shell, tile, options.lift, workers);
    out.copy_vertices = walker.piece_vertices();
    out.points.resize(static_cast<size_t>(pieces * out.copy_vertices));
    out.stopped_walks = walker.place(out.anchors, workers, out.points);
    out.triangles.resize(pieces * tile.triangles.rows(), 3);
    out.piece.resize(out.points.size());
    if (tile.uv.rows() == tile.positions.rows()) {
        out.uv.resize(pieces * out.copy_vertices, 2);
    }
    for (Eigen::Index p = 0; p < pieces; ++p) {
        out.triangles.middleRows(p * tile.triangles.rows(), tile.triangles.rows()) =
            tile.triangles.array() + static_cast<int>(p) * out.copy_vertices;
        if (out.uv.rows() > 0) {
            out.uv.middleRows(p * out.copy_vertices, out.copy_vertices) = tile.uv;
        }
        std::fill_n(out.piece.begin() + p * out.copy_vertices, out.copy_vertices, static_cast<int>(p));
    }
    // A copy is limited as a whole even where its triangles are not connected.
    out.piece_count = static_cast<int>(pieces);
    return out;
}

}  // namespace cutis
