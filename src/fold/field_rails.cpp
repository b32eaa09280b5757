#include <algorithm>
#include <cmath>
#include <optional>

#include "cutis/core/error.h"
#include "cutis/mesh/trace.h"
#include "fold/field_parts.h"
#include "fold/isolines.h"
#include "fold/rail_steps.h"

namespace cutis::fold_detail {

namespace {

constexpr int steps_per_fold = 16;
// A field whose gradient is this much smaller than wanted has lost its way.
constexpr double least_gradient = 0.25;
// Rails much shorter or longer than a fold is wide distort it.
constexpr double shortest_rail = 0.4;
constexpr double longest_rail = 2.2;
// Lines with fewer widths have no fold.
constexpr double shortest_ridge = 1.3;

/// Gradient of the stripes at vertices: mean of the active triangles around.
MatrixX3d vertex_gradients(const FieldMesh& mesh, const StripeField& field) {
    const MatrixX3i& triangles = mesh.topology().triangles();
    MatrixX3d gradient = MatrixX3d::Zero(mesh.topology().vertex_count(), 3);
    VectorXd weight = VectorXd::Zero(gradient.rows());
    for (int f = 0; f < mesh.topology().triangle_count(); ++f) {
        if (field.is_active[static_cast<size_t>(f)] == 0) {
            continue;
        }
        Vector3d sum = Vector3d::Zero();
        const Vector3d normal = mesh.normals.row(f);
        for (int k = 0; k < 3; ++k) {
            const Vector3d opposite =
                mesh.rest.row(triangles(f, (k + 2) % 3)) - mesh.rest.row(triangles(f, (k + 1) % 3));
            sum += field.stripe[triangles(f, k)] * normal.cross(opposite);  // 2 area times gradient
        }
        for (int k = 0; k < 3; ++k) {
            gradient.row(triangles(f, k)) += sum.transpose();
            weight[triangles(f, k)] += 2.0 * mesh.areas[f];
        }
    }
    for (Eigen::Index v = 0; v < gradient.rows(); ++v) {
        if (weight[v] > 0.0) {
            gradient.row(v) /= weight[v];
        }
    }
    return gradient;
}

class RailTracer {
public:
    RailTracer(const FieldMesh& mesh, const StripeField& field, const FoldFieldOptions& options)
        : mesh_(mesh),
          field_(field),
          gradient_(vertex_gradients(mesh, field)),
          width_(options.look.width.common() * mesh.carried(options.look.width.factors())),
          tracer_(mesh.topology(), trace_options()) {
        tracer_.update(mesh.rest, mesh.workers);
    }

    double stripe_at(const SurfacePoint& point) const {
        return interpolate(field_.stripe, mesh_.topology().triangles(), point);
    }
    double width_at(const SurfacePoint& point) const {
        return interpolate(width_, mesh_.topology().triangles(), point);
    }

    /// From a point on a whole-number line up (sign 1) or down (-1) to the next, at evenly spaced
    /// numbers; nothing where the field ends or fails on the way.
    std::optional<std::vector<SurfacePoint>> trace(const SurfacePoint& start, double sign,
                                                   int segments) const {
        const double first = stripe_at(start);
        std::vector<SurfacePoint> points = {start};
        SurfacePoint here = start;
        double travelled = 0.0;
        double length = 0.0;
        const double width = width_at(start);
        for (int step = 0; step < 4 * steps_per_fold; ++step) {
            if (field_.is_active[static_cast<size_t>(here.triangle)] == 0) {
                return std::nullopt;
            }
            const Vector3d gradient = interpolate(gradient_, mesh_.topology().triangles(), here);
            const double size = gradient.norm();
            if (size * width < least_gradient) {
                return std::nullopt;
            }
            const Vector3d move = (sign * width_at(here) / steps_per_fold / size) * gradient;
            const TraceResult end = tracer_.trace(here, move);
            if (end.met_boundary || end.ran_out || !end.was_finite ||
                field_.is_active[static_cast<size_t>(end.point.triangle)] == 0) {
                return std::nullopt;
            }
            const double reached = sign * (stripe_at(end.point) - first);
            if (!(reached > travelled)) {
                return std::nullopt;
            }
            // Numbers passed on this step, by straight interpolation within it.
            while (static_cast<int>(points.size()) <= segments) {
                const double wanted = static_cast<double>(points.size()) / segments;
                if (wanted > reached) {
                    break;
                }
                const double part = (wanted - travelled) / (reached - travelled);
                points.push_back(tracer_.trace(here, part * move).point);
            }
            length += move.norm();
            if (static_cast<int>(points.size()) > segments) {
                const bool is_sound =
                    length > shortest_rail * width && length < longest_rail * width;
                return is_sound ? std::make_optional(points) : std::nullopt;
            }
            travelled = reached;
            here = end.point;
        }
        return std::nullopt;
    }

private:
    static TraceOptions trace_options() {
        TraceOptions options;
        options.most_edges = 1e6;
        return options;
    }
    const FieldMesh& mesh_;
    const StripeField& field_;
    MatrixX3d gradient_;
    VectorXd width_;
    SurfaceTracer tracer_;
};

/// One line of seeds with a rail to each side, where there is one.
struct Comb {
    std::vector<std::optional<std::vector<SurfacePoint>>> rails[2];  // down, up
    std::vector<double> arc;                                         // place of each seed
    double spacing = 0.0;
    double width = 0.0;
    bool is_closed = false;
};

/// Runs of neighbouring rails of one side become folds. Returns the new rail of each seed, or -1.
std::vector<int> add_folds(const Comb& comb, int side, const FieldMesh& mesh,
                           const FoldFieldOptions& options, const VectorXd& stretch,
                           FoldPattern& pattern, int& dropped) {
    const auto& rails = comb.rails[side];
    std::vector<int> number(rails.size(), -1);
    for (size_t begin = 0; begin < rails.size();) {
        if (!rails[begin]) {
            ++begin;
            ++dropped;
            continue;
        }
        size_t end = begin;
        while (end < rails.size() && rails[end]) {
            ++end;
        }
        const bool is_whole_loop = comb.is_closed && begin == 0 && end == rails.size();
        const double length = comb.arc[end - 1] - comb.arc[begin];
        if (length + comb.spacing < shortest_ridge * comb.width) {
            dropped += static_cast<int>(end - begin);
            begin = end;
            continue;
        }
        FoldPattern::Fold fold;
        fold.curve = 0;
        fold.width = comb.width;
        fold.fade = comb.spacing;
        const int fold_number = static_cast<int>(pattern.folds.size());
        pattern.folds.push_back(fold);
        const double taper = options.is_strict ? 0.0 : options.look.taper * comb.width;
        const double common_stretch = options.look.pre_stretch.common();
        for (size_t i = begin; i < end; ++i) {
            FoldPattern::Rail rail;
            rail.fold = fold_number;
            rail.is_joined = i + 1 < end;
            std::vector<SurfacePoint> points = *rails[i];
            if (side == 0) {
                std::reverse(points.begin(), points.end());
            }
            const SurfacePoint& middle = points[points.size() / 2];
            rail.pre_stretch =
                common_stretch * interpolate(stretch, mesh.topology().triangles(), middle);
            // Ends run out within the taper, but never over more than the half of a short fold.
            const double to_end =
                std::min(comb.arc[i] - comb.arc[begin], comb.arc[end - 1] - comb.arc[i]) +
                comb.spacing;
            const double reach = std::min(taper, 0.5 * length + comb.spacing);
            rail.share = is_whole_loop || reach <= 0.0 ? 1.0 : smooth_step(to_end / reach);
            number[i] = static_cast<int>(pattern.rails.size());
            pattern.rails.push_back(rail);
            for (const SurfacePoint& point : points) {
                pattern.points.push_back(mesh.on_base(point));
            }
        }
        if (is_whole_loop) {  // the first rail once more closes the ring
            FoldPattern::Rail closing = pattern.rails[static_cast<size_t>(number[begin])];
            pattern.rails.back().is_joined = true;
            closing.is_joined = false;
            pattern.rails.push_back(closing);
            const size_t per_rail = static_cast<size_t>(pattern.segments) + 1;
            for (size_t i = 0; i < per_rail; ++i) {
                pattern.points.push_back(
                    pattern.points[static_cast<size_t>(number[begin]) * per_rail + i]);
            }
        }
        begin = end;
    }
    return number;
}

}  // namespace

FoldPattern lay_rails(const FieldMesh& mesh, const StripeField& field,
                      const FoldFieldOptions& options) {
    FoldPattern pattern;
    pattern.segments = options.look.rail_segments;
    pattern.profiles = {options.look.profile.shaped(options.look.sharpness, options.look.lean)};
    const MatrixX3i& triangles = mesh.topology().triangles();
    double low = std::numeric_limits<double>::infinity();
    double high = -low;
    for (int f = 0; f < mesh.topology().triangle_count(); ++f) {
        for (int k = 0; field.is_active[static_cast<size_t>(f)] != 0 && k < 3; ++k) {
            low = std::min(low, field.stripe[triangles(f, k)]);
            high = std::max(high, field.stripe[triangles(f, k)]);
        }
    }
    if (!(low <= high)) {
        return pattern;
    }
    constexpr double most_lines = 1e5;
    require(high - low <= most_lines, "folds: the field spans ", high - low,
            " folds, expected at most ", most_lines);
    const RailTracer tracer(mesh, field, options);
    const VectorXd stretch = mesh.carried(options.look.pre_stretch.factors());
    int dropped = 0;
    // Seeds lie on odd lines: a rail to each side of a seed, and the two may merge.
    const auto first = static_cast<long>(std::floor(low));
    for (long line = first; static_cast<double>(line) <= high; ++line) {
        if (line % 2 == 0) {
            continue;
        }
        for (const SurfaceLine& seeds : isolines(mesh.rest, mesh.topology(), field.is_active,
                                                 field.stripe, static_cast<double>(line))) {
            const double length = seeds.arc.back();
            Comb comb;
            comb.width = tracer.width_at(point_along(seeds, 0.5 * length));
            comb.is_closed = seeds.is_closed;
            if (length < shortest_ridge * comb.width) {
                continue;
            }
            const int count = std::max(
                2,
                static_cast<int>(std::lround(length / (options.look.rail_spacing * comb.width))));
            comb.spacing = length / count;
            SurfacePoint before;
            before.triangle = -1;
            for (int i = 0; i < count; ++i) {
                const double arc = (i + (comb.is_closed ? 0.0 : 0.5)) * comb.spacing;
                const SurfacePoint seed = point_along(seeds, arc);
                if (seed.triangle == before.triangle && seed.barycentric == before.barycentric) {
                    continue;  // seeds sit on crossings: two may find the same one
                }
                before = seed;
                comb.arc.push_back(arc);
                comb.rails[0].push_back(tracer.trace(seed, -1.0, pattern.segments));
                comb.rails[1].push_back(tracer.trace(seed, 1.0, pattern.segments));
            }
            if (comb.arc.empty()) {
                continue;
            }
            const std::vector<int> down =
                add_folds(comb, 0, mesh, options, stretch, pattern, dropped);
            const std::vector<int> up =
                add_folds(comb, 1, mesh, options, stretch, pattern, dropped);
            // A pair merges only between pairs: at its border one side would have no counterpart.
            const auto is_pair = [&](size_t i) {
                return i < down.size() && down[i] >= 0 && up[i] >= 0;
            };
            for (size_t i = 1; i + 1 < down.size(); ++i) {
                if (is_pair(i - 1) && is_pair(i) && is_pair(i + 1)) {
                    pattern.rails[static_cast<size_t>(down[i])].partner = up[i];
                }
            }
        }
    }
    // Rails of one fold lie together, but the order of folds must rise, too: it does, by making.
    if (dropped > 0) {
        pattern.notes.push_back(concat("folds: ", dropped, " of ",
                                       static_cast<size_t>(dropped) + pattern.rails.size(),
                                       " rails do not cross a whole fold and were left out"));
    }
    return pattern;
}

}  // namespace cutis::fold_detail

namespace cutis {

using namespace fold_detail;

namespace {

void check_field_options(const FoldFieldOptions& options, const Topology& base,
                         const MatrixX3d& rest) {
    check_struct(options.look, "fold", base.vertex_count());
    check_struct(options, "fold");
    require(rest.rows() == base.vertex_count() && rest.allFinite(), "folds: expected ",
            base.vertex_count(), " finite rest positions, found ", rest.rows());
}

}  // namespace

FoldPattern fold_pattern_from_field(const Topology& base, const MatrixX3d& rest,
                                    const std::vector<MatrixX3d>& poses,
                                    const FoldFieldOptions& options, const Workers& workers) {
    check_field_options(options, base, rest);
    for (size_t i = 0; i < poses.size(); ++i) {
        require(poses[i].rows() == rest.rows() && poses[i].allFinite(), "folds: pose ", i,
                ": expected ", rest.rows(), " finite positions, found ", poses[i].rows());
    }
    const FieldMesh mesh(base, rest, options.look.width.common(), workers);
    StripeField field =
        solve_stripes(mesh, find_compression(mesh, poses, options.look.width.common()), options);
    warp_stripes(mesh, options.look.width.common(),
                 options.is_strict ? 0.0 : options.look.irregularity, field.stripe);
    FoldPattern pattern = lay_rails(mesh, field, options);
    if (pattern.empty()) {
        pattern.notes.push_back(concat("folds: nothing is compressed below ", options.activity,
                                       " of its length over an area large enough: no folds"));
    }
    return pattern;
}

FoldPattern fold_pattern_from_paint(const Topology& base, const MatrixX3d& rest,
                                    const VectorXd& values, const FoldFieldOptions& options,
                                    const Workers& workers) {
    check_field_options(options, base, rest);
    require(values.size() == base.vertex_count(), "folds: painted field: expected ",
            base.vertex_count(), " values, found ", values.size());
    const FieldMesh mesh(base, rest, options.look.width.common(), workers);
    StripeField field;
    const Stencils& stencils = mesh.mesh.mesh.stencils();
    const VectorXd known = values.unaryExpr([](double x) { return std::isfinite(x) ? 1.0 : 0.0; });
    const VectorXd finite = values.unaryExpr([](double x) { return std::isfinite(x) ? x : 0.0; });
    VectorXd is_known(mesh.topology().vertex_count());
    field.stripe.resize(mesh.topology().vertex_count());
    stencils.apply_to_scalars(known, workers, is_known);
    stencils.apply_to_scalars(finite, workers, field.stripe);
    field.stripe /= options.look.width.common();
    const MatrixX3i& triangles = mesh.topology().triangles();
    for (int f = 0; f < mesh.topology().triangle_count(); ++f) {
        bool is_active = mesh.areas[f] > 0.0;
        for (int k = 0; k < 3; ++k) {
            is_active = is_active && is_known[triangles(f, k)] > 1.0 - 1e-9;
        }
        field.is_active.push_back(is_active ? 1 : 0);
    }
    warp_stripes(mesh, options.look.width.common(),
                 options.is_strict ? 0.0 : options.look.irregularity, field.stripe);
    return lay_rails(mesh, field, options);
}

}  // namespace cutis
