#include "shell_maker.h"

#include <algorithm>
#include <cmath>

#include "cutis/core/error.h"
#include "cutis/mesh/geometry.h"
#include "shell/pieces.h"
#include "stack/regions.h"

namespace cutis {

namespace {

/// A value per base vertex to the places of the detail.
std::vector<double> at_points(const VectorXd& values, const PrismShell& shell, const std::vector<ShellPoint>& points,
                              double divisor) {
    std::vector<double> out;
    out.reserve(points.size());
    for (const ShellPoint& point : points) {
        out.push_back(
            interpolate(values, shell.topology().triangles(), SurfacePoint{point.triangle, point.barycentric}) /
            divisor);
    }
    return out;
}

}  // namespace

ShellMaker::ShellMaker(const LayerInput& ground, const ShellLayerOptions& settings, ShellBase& base,
                       LayerReport& report)
    : ground_(ground),
      settings_(settings),
      base_(base),
      report_(report),
      diagonal_(bounding_box_diagonal(ground.surface->rest())) {}

Painted ShellMaker::on_base(const Painted& number) const {
    return number.is_painted() ? Painted(base_.values(number.per_vertex)) : number;
}

void ShellMaker::choose_base(bool may_change_shape) {
    if (settings_.place != ShellPlacing::scatter || !settings_.scatter.density.is_painted() ||
        settings_.anchor == ShellAnchor::skin || may_change_shape) {
        return;
    }
    const Painted& sizes = settings_.scatter.size_factor;
    const double largest = settings_.size * diagonal_ * (1.0 + settings_.scatter.size_variation) *
                           (sizes.is_painted() ? sizes.per_vertex.maxCoeff() : sizes.value);
    base_ = ShellBase(*ground_.surface, settings_.scatter.density.per_vertex, largest);
    report_.numbers["share of the surface under the shell"] =
        static_cast<double>(base_.topology().triangle_count()) / ground_.surface->topology().triangle_count();
}

PrismShell ShellMaker::prisms() {
    const Workers& workers = ground_.own_workers();
    SafeOffsetOptions options = settings_.offset;
    options.height = settings_.height * diagonal_;
    options.height_factor = on_base(options.height_factor);
    const EquilibriumOptions& equilibrium = settings_.shell.equilibrium;
    SafeOffset offset;
    const bool knows_clip = ground_.refined == nullptr && ground_.knows_future;
    if (settings_.clip_aware && knows_clip && ground_.body->duration() > 0.0) {
        constexpr int most_sampled = 240;
        const int poses = std::clamp(static_cast<int>(ground_.body->duration() * ground_.fps) + 1, 2, most_sampled);
        MatrixX3d art;
        MatrixX3d all;
        const auto pose = [&](int k, MatrixX3d& out) {
            ground_.body->positions(ground_.body->duration() * k / (poses - 1), TimeSampling::exact, workers, art);
            ground_.surface->from_art().values(art, workers, all);
            if (&base_.positions(all, workers, out) != &out) {
                out = all;
            }
        };
        const ClipAwareOffset aware =
            make_clip_aware_offset(base_.topology(), base_.rest(), options, equilibrium, pose, poses, workers);
        offset = aware.offset;
        report_.numbers["clip-aware rounds"] = aware.rounds;
        report_.numbers["vertices lowered by the clip"] = aware.lowered;
        report_.numbers["most tetrahedra inverted in a pose, before"] = aware.inverted_first;
        report_.numbers["most tetrahedra inverted in a pose, after"] = aware.inverted_last;
    } else {
        offset = make_safe_offset(base_.topology(), base_.rest(), options, workers);
    }
    report_.kind = "shell";
    report_.numbers["height asked for (m)"] = options.height;
    report_.numbers["mean share of the height"] = offset.mean_share;
    report_.numbers["lowest share of the height"] = offset.lowest_share;
    report_.numbers["vertices without height"] = offset.without_direction;
    if (offset.mean_share < 0.95) {
        report_.notes.push_back(concat("shell: height reduced where prisms would turn over; mean ",
                                       std::lround(100.0 * offset.mean_share), " % of the height asked for"));
    }
    return {base_.topology(), base_.rest(), offset.positions};
}

PlacedDetail ShellMaker::place(const PrismShell& prisms, const ArtMesh* mesh, const ArtMesh* piece) const {
    switch (settings_.place) {
        case ShellPlacing::around:
            require(mesh != nullptr, "shell place: \"around\" needs a mesh file (mesh = ...)");
            return place_mesh(prisms, *mesh, settings_.outside);
        case ShellPlacing::tiles:
            return tiled(prisms, *piece);
        default:
            return scattered(prisms, *piece);
    }
}

PlacedDetail ShellMaker::tiled(const PrismShell& prisms, const ArtMesh& piece) const {
    const RepairedMesh& repaired = ground_.surface->mesh();
    const ArtMesh& art = *ground_.art;
    require(art.uv_triangles.rows() != 0, "shell place: \"tiles\" needs a body with UVs; use \"scatter\"");
    MatrixX3i uv_triangles(prisms.topology().triangle_count(), 3);
    for (Eigen::Index f = 0; f < uv_triangles.rows(); ++f) {
        for (int k = 0; k < 3; ++k) {
            uv_triangles(f, k) =
                art.uv_triangles(repaired.art_triangle[f], repaired.art_corner(static_cast<int>(f), k));
        }
    }
    TileOptions tiles = settings_.tiles;
    tiles.lift = settings_.lift;
    return tile_detail(prisms, art.uv, uv_triangles, piece, tiles);
}

PlacedDetail ShellMaker::scattered(const PrismShell& prisms, const ArtMesh& piece) const {
    ScatterOptions scatter = settings_.scatter;
    scatter.size = settings_.size * diagonal_;
    scatter.lift = settings_.lift;
    scatter.density = on_base(scatter.density);
    scatter.size_factor = on_base(scatter.size_factor);
    return scatter_detail(prisms, piece, scatter, ground_.own_workers());
}

PlacedDetail ShellMaker::detail(const PrismShell& prisms, const ArtMesh* mesh, const ArtMesh* piece) {
    PlacedDetail detail = place(prisms, mesh, piece);
    if (detail.outside > 0) {
        report_.notes.push_back(concat("shell: ", detail.outside, " detail vertices outside the shell moved into it"));
    }
    if (detail.cut_triangles > 0) {
        report_.notes.push_back(concat("shell: ", detail.cut_triangles, " detail triangles on no chart left out"));
    }
    if (detail.stopped_walks > 0) {
        report_.notes.push_back(concat("shell: ", detail.stopped_walks, " detail vertices met the base's boundary"));
    }
    return detail;
}

ShellOptions ShellMaker::options(const PrismShell& prisms, const PlacedDetail& detail) const {
    ShellOptions options = settings_.shell;
    if (settings_.stiffness.is_painted()) {
        const VectorXd values = on_base(settings_.stiffness).per_vertex;
        options.equilibrium.stiffness.resize(prisms.topology().triangle_count());
        for (int f = 0; f < prisms.topology().triangle_count(); ++f) {
            const auto row = prisms.topology().triangles().row(f);
            options.equilibrium.stiffness[f] = (values[row[0]] + values[row[1]] + values[row[2]]) / 3.0;
        }
    }
    VibrationOptions& vibration = options.vibration;
    if (settings_.paper_omega) {
        vibration.material = from_paper(*settings_.paper_omega, settings_.paper_zeta, 1.0 / settings_.paper_fps);
    } else {
        const auto paint = [&](const Painted& number, double& common, std::vector<double>& factors) {
            const Painted values = on_base(number);
            common = values.common();
            if (values.is_painted() && common > 0.0) {
                factors = at_points(values.per_vertex, prisms, detail.points, common);
            }
        };
        paint(settings_.frequency, vibration.material.frequency_hz, vibration.frequency_factor);
        paint(settings_.damping, vibration.material.damping, vibration.damping_factor);
    }
    if (!settings_.axes.empty()) {
        require(settings_.axes.size() == 6,
                "shell axes: expected six numbers (frequency and damping "
                "along, across and out of the surface), found ",
                settings_.axes.size());
        vibration.use_axes = true;
        for (size_t a = 0; a < 3; ++a) {
            vibration.axes[a] = {settings_.axes[2 * a], settings_.axes[2 * a + 1]};
        }
        require(!options.axis.isZero(), "shell surface_axis: expected a direction, found 0 0 0");
    }
    options.manipulation.base.reach = settings_.reach * diagonal_;
    options.manipulation.base.tolerance = 1e-3;  // 0.2 mm on a person; the next frame goes on from there
    options.manipulation.base.pinned = region_vertices(ground_, settings_.pinned);
    return options;
}

}  // namespace cutis
