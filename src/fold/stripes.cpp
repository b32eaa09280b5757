#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/math.h"
#include "cutis/core/error.h"
#include "cutis/mesh/geometry.h"
#include "fold/fit_width.h"
#include "fold/parts.h"
#include "fold/smooth.h"

// From poses to a layout: where folds lie, how wide they are, and on what mesh.

namespace cutis::fold_detail {

namespace {

// Widths: 1 / w = 1 / (of the limb's radius) + 1 / (of the body's size).
constexpr double of_radius = 0.58;
constexpr double of_size = 0.04;
constexpr double of_size_alone = 0.02;  // where no skeleton tells the radius
// Edges along a fold, where shapes change less, may be longer.
constexpr double along_part = 0.6;
constexpr double height_noise = 0.4;

VectorXd painted_values(const Painted& painted, int count) {
    return painted.is_painted() ? painted.per_vertex : VectorXd::Constant(count, painted.value);
}

double extent(const MatrixX3d& rest) {
    return (rest.colwise().maxCoeff() - rest.colwise().minCoeff()).maxCoeff();
}

/// Narrower than most.
double low_width(const VectorXd& width) {
    std::vector<double> sorted(width.begin(), width.end());
    const auto low = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 5);
    std::nth_element(sorted.begin(), low, sorted.end());
    return *low;
}

VectorXd base_widths(const MatrixX3d& rest, const FoldSource& source, const FoldStyle& look,
                     std::vector<std::string>& notes) {
    const auto count = static_cast<int>(rest.rows());
    VectorXd width(count);
    const double size = source.size > 0.0 ? source.size : extent(rest);
    if (look.width) {
        width = painted_values(*look.width, count);
    } else if (source.radius.size() == 0) {
        width.setConstant(of_size_alone * size);
        notes.push_back(
            concat("folds: no joints tell how thick limbs are: folds are ", width[0], " m wide; set width for others"));
    } else {
        for (int v = 0; v < count; ++v) {
            width[v] = 1.0 / (1.0 / std::max(of_radius * source.radius[v], 1e-3 * size) + 1.0 / (of_size * size));
        }
    }
    width = width.cwiseQuotient(painted_values(look.density, count));
    if (look.width) {
        // A fold wider than half the girth has no room to lie beside another.
        const auto room = [&](int v) {
            return source.radius.size() > 0 ? std::numbers::pi * source.radius[v] : 0.5 * size;
        };
        int wide = 0;
        double widest = 0.0;
        for (int v = 0; v < count; ++v) {
            wide += width[v] > room(v) ? 1 : 0;
            widest = std::max(widest, room(v));
        }
        if (wide > 0) {
            notes.push_back(
                concat("folds: width: at ", wide, " of ", count,
                       " vertices folds are wider than half the limb's girth and hardly show; expected at most ",
                       widest, " m"));
        }
    }
    return width;
}

void check(const Topology& base, const MatrixX3d& rest, const FoldSource& source) {
    const auto require_rows = [&](const char* what, Eigen::Index rows) {
        require(rows == base.vertex_count(), "folds: expected ", base.vertex_count(), " ", what, ", found ", rows);
    };
    require_rows("rest positions", rest.rows());
    for (const MatrixX3d& pose : source.poses) {
        require_rows("positions in every pose", pose.rows());
        require(pose.allFinite(),
                "folds: expected finite poses, found one that is not; are weights of the skin or joints no numbers?");
    }
    for (const VectorXd* values : {&source.radius, &source.where}) {
        if (values->size() > 0) {
            require_rows("values of radius and where", values->size());
        }
    }
}

/// Edges of each triangle over what its folds need; 0: no folds.
std::vector<double> edges_too_long(const EvenMesh& mesh, const VectorXd& widths,
                                   const std::vector<unsigned char>& is_folding, const MatrixX3d& slope,
                                   double edges_per_fold) {
    // Lines reach a width beyond the last control: so must fine triangles.
    const MatrixX3i& triangles = mesh.topology().triangles();
    std::vector<double> near(static_cast<size_t>(widths.size()), 1e30);
    for (int f = 0; f < mesh.topology().triangle_count(); ++f) {
        for (int k = 0; is_folding[static_cast<size_t>(f)] != 0 && k < 3; ++k) {
            near[static_cast<size_t>(triangles(f, k))] = 0.0;
        }
    }
    for (bool changes = true; changes;) {
        changes = false;
        for (const auto& [a, b] : mesh.topology().edges()) {
            const double length = (mesh.rest.row(a) - mesh.rest.row(b)).norm();
            for (const auto& [from, to] : {std::pair(a, b), std::pair(b, a)}) {
                const double reached = near[static_cast<size_t>(from)] + length;
                if (reached < widths[to] && reached < near[static_cast<size_t>(to)] - 1e-12) {
                    near[static_cast<size_t>(to)] = reached;
                    changes = true;
                }
            }
        }
    }
    std::vector<double> result(static_cast<size_t>(triangles.rows()), 0.0);
    for (size_t f = 0; f < result.size(); ++f) {
        double longest = 0.0;
        double width = 0.0;
        bool is_near = false;
        for (int k = 0; k < 3; ++k) {
            const int v = triangles(static_cast<Eigen::Index>(f), k);
            const int next = triangles(static_cast<Eigen::Index>(f), (k + 1) % 3);
            const Vector3d edge = mesh.rest.row(next) - mesh.rest.row(v);
            longest = std::max({longest, std::abs(edge.dot(slope.row(v).normalized())), along_part * edge.norm()});
            width += widths[v] / 3.0;
            is_near = is_near || near[static_cast<size_t>(v)] < widths[v];
        }
        result[f] = is_near ? longest * edges_per_fold / (edge_slack * width) : 0.0;
    }
    return result;
}

}  // namespace
}  // namespace cutis::fold_detail

namespace cutis {

double estimated_fold_vertices(const Topology& base, const MatrixX3d& rest, const FoldSource& source,
                               const FoldOptions& options) {
    check_struct(options.look, "fold", base.vertex_count());
    check_struct(options, "fold");
    fold_detail::check(base, rest, source);
    std::vector<std::string> notes;
    const FoldStyle look = options.look.of_cloth();
    VectorXd width = fold_detail::base_widths(rest, source, look, notes);
    return fold_detail::fit_widths(base, rest, source, look, options, width, notes);
}

}  // namespace cutis

namespace cutis::fold_detail {

std::unique_ptr<FoldParts> lay_stripes(const Topology& base, const MatrixX3d& rest, const FoldSource& source,
                                       const FoldOptions& options, const Workers& workers) {
    check(base, rest, source);
    const FoldStyle look = options.look.of_cloth();
    std::vector<std::string> notes;
    VectorXd coarse_width = base_widths(rest, source, look, notes);
    fit_widths(base, rest, source, look, options, coarse_width, notes);
    const EvenMesh even(base, rest, 0.55 * low_width(coarse_width), options.most_vertices, workers);
    const int count = base.vertex_count();

    // Smooth widths: over twice themselves.
    VectorXd width = even.carried(coarse_width).cwiseMax(0.5 * coarse_width.minCoeff());
    if (!look.width) {
        Diffusion(even, width).over(2.0, width);
    }
    Diffusion diffusion(even, width);
    const VectorXd longer =
        even.carried((1.0 + painted_values(look.slack, count).array()).matrix())
            .cwiseQuotient(even.carried((1.0 + painted_values(look.pre_stretch, count).array()).matrix()));
    const VectorXd where = source.where.size() > 0 ? VectorXd(even.carried(source.where).cwiseMax(0.0).cwiseMin(1.0))
                                                   : VectorXd::Ones(width.size());

    std::vector<Waves> waves;
    Compression compression = sum_compression(even, source.poses, {});
    const MatrixX3i& triangles = even.topology().triangles();
    std::vector<unsigned char> is_folding(static_cast<size_t>(triangles.rows()), 0);
    for (Eigen::Index f = 0; f < triangles.rows(); ++f) {
        double part = 0.0;
        double most = 0.0;
        for (int k = 0; k < 3; ++k) {
            part = std::max(part, where[triangles(f, k)]);
            most = std::max(most, longer[triangles(f, k)]);
        }
        is_folding[static_cast<size_t>(f)] = part > 0.0 && compression.least[f] < folding_stretch(most) ? 1 : 0;
    }
    for (int field = 0; field < options.fields; ++field) {
        if (field == 1) {
            MatrixX3d first(triangles.rows(), 3);
            for (Eigen::Index f = 0; f < triangles.rows(); ++f) {
                const Vector3d g = waves.front().slope.row(triangles(f, 0));
                Vector3d sum = g;
                for (int k = 1; k < 3; ++k) {
                    const Vector3d h = waves.front().slope.row(triangles(f, k));
                    sum += h.dot(g) < 0.0 ? Vector3d(-h) : h;
                }
                first.row(f) = sum.normalized();
            }
            compression = sum_compression(even, source.poses, first);
        }
        stripes::WaveLook wave;
        wave.irregularity = look.irregularity;
        wave.seed = static_cast<unsigned>(3 + 10 * field);
        waves.push_back(solve_waves(even, width, compression.tensors, diffusion, wave));
    }

    auto parts = std::make_unique<FoldParts>(make_fold_mesh(
        base, even.mesh, edges_too_long(even, width, is_folding, waves.front().slope, options.edges_per_fold), options,
        notes));
    parts->notes = std::move(notes);
    parts->mesh.refine(rest, workers, parts->scratch, parts->rest);
    const Topology& shown = parts->mesh.mesh.topology();
    parts->normals = vertex_normals(parts->rest, shown);

    // Everything the layout needs, carried to the shown mesh by places of the base's parameters.
    const int vertices = shown.vertex_count();
    std::vector<SurfacePoint> on_even(static_cast<size_t>(vertices));
    std::vector<unsigned char> shown_folding(static_cast<size_t>(shown.triangle_count()), 0);
    const std::vector<SurfacePoint>& corners = parts->mesh.mesh.corner_points();
    for (int f = 0; f < shown.triangle_count(); ++f) {
        SurfacePoint middle = corners[3 * static_cast<size_t>(f)];
        middle.barycentric.setZero();
        for (int k = 0; k < 3; ++k) {
            const SurfacePoint& corner = corners[3 * static_cast<size_t>(f) + static_cast<size_t>(k)];
            on_even[static_cast<size_t>(shown.triangles()(f, k))] = even.mesh.mesh.locate(corner);
            middle.barycentric += corner.barycentric / 3.0;
        }
        shown_folding[static_cast<size_t>(f)] = is_folding[static_cast<size_t>(even.mesh.mesh.locate(middle).triangle)];
    }
    const auto carried = [&](const VectorXd& values) {
        VectorXd result(vertices);
        for (int v = 0; v < vertices; ++v) {
            result[v] = interpolate(values, triangles, on_even[static_cast<size_t>(v)]);
        }
        return result;
    };
    parts->width = carried(width);
    const VectorXd shown_longer = carried(longer);
    const VectorXd shown_where = carried(where);
    std::vector<ShownWaves> shown_waves;
    const FoldProfile profile = look.profile.shaped(look.sharpness, 0.0);
    for (size_t field = 0; field < waves.size(); ++field) {
        // Neighbours differ in height: a fold of half the frequency is mixed in.
        VectorXd noise = smooth_noise(even, diffusion, static_cast<unsigned>(5 + 10 * field));
        noise = carried(noise);
        ShownWaves one;
        one.phase.resize(static_cast<size_t>(vertices));
        one.profile.resize(static_cast<size_t>(vertices));
        one.slope.resize(vertices, 3);
        for (int v = 0; v < vertices; ++v) {
            const Waves::Sample sample = waves[field].at(even, on_even[static_cast<size_t>(v)], parts->rest.row(v));
            const double mixed = look.irregularity * height_noise * math::tanh(1.5 * noise[v]);
            const double angle = math::arg(sample.phase);
            double place = std::remainder(2.0 * angle, 2.0 * std::numbers::pi) / std::numbers::pi;
            if (look.sag != 0.0) {  // towards the ground the crest leans
                const double lean = look.sag * sample.slope.normalized().dot(source.down.normalized());
                place = (place - lean) / (place < lean ? 1.0 + lean : 1.0 - lean);
            }
            const double height = profile.at(place) * (1.0 + mixed * math::cos(angle)) / (1.0 + std::abs(mixed));
            one.phase[static_cast<size_t>(v)] = sample.phase;
            one.slope.row(v) = sample.slope;
            one.profile[static_cast<size_t>(v)] = static_cast<float>(height * sample.presence * shown_where[v]);
        }
        shown_waves.push_back(std::move(one));
    }
    parts->layout =
        lay_out({shown, parts->rest, parts->normals, parts->width, shown_longer, shown_folding}, shown_waves);
    if ((options.lean || options.contact) && !parts->layout.lines.empty()) {
        parts->lean.emplace(parts->layout, parts->rest, parts->normals);
    }
    if (options.contact && !parts->layout.lines.empty()) {
        // In every pose, without what subdivision smooths: enough to know who comes near.
        const std::vector<int> points = FoldContact::points(parts->layout, parts->rest, parts->normals, parts->width);
        std::vector<SurfacePoint> on_base(static_cast<size_t>(vertices));
        for (size_t c = 0; c < corners.size(); ++c) {
            on_base[static_cast<size_t>(shown.triangles()(static_cast<Eigen::Index>(c / 3), static_cast<int>(c % 3)))] =
                corners[c];
        }
        std::vector<FoldContact::Pose> poses;
        for (const MatrixX3d& pose : source.poses) {
            const MatrixX3d normals = vertex_normals(pose, base);
            const auto rows = static_cast<Eigen::Index>(points.size());
            FoldContact::Pose& taken = poses.emplace_back(FoldContact::Pose{MatrixX3d(rows, 3), MatrixX3d(rows, 3)});
            for (size_t n = 0; n < points.size(); ++n) {
                const SurfacePoint& at = on_base[static_cast<size_t>(points[n])];
                const auto row = static_cast<Eigen::Index>(n);
                taken.places.row(row) = interpolate(pose, base.triangles(), at);
                taken.normals.row(row) = interpolate(normals, base.triangles(), at).normalized();
            }
        }
        parts->contact.emplace(parts->layout, points, parts->rest, parts->normals, parts->width, poses,
                               options.thickness);
    }
    return parts;
}

}  // namespace cutis::fold_detail
