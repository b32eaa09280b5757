#include "fold/fit_width.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/math.h"
#include "cutis/core/error.h"
#include "fold/parts.h"
#include "fold/smooth.h"

namespace cutis::fold_detail {

namespace {

constexpr int most_uniform_triangles = 8'000'000;
constexpr size_t most_fit_poses = 48;
constexpr double fewest_edges = 3.0;    // across a fold: with fewer there is none to be seen
constexpr double good_edges = 5.0;      // what widths that are found out must give
constexpr double most_short_of = 0.05;  // of the folding triangles may want more levels than there are
constexpr double widest = 0.16 * 2.0 * std::numbers::pi;  // of the limb's radius: a sixth of its girth
constexpr double adaptive_cost = 1.1;                     // triangles between levels, and a width around what folds
constexpr double most_unknown = 4.0;                      // factor where no joint tells how thick limbs are
constexpr double step = 1.08;
constexpr double most_factor = 200.0;

VectorXd of_painted(const Painted& painted, Eigen::Index count) {
    return painted.is_painted() ? painted.per_vertex : VectorXd::Constant(count, painted.value);
}

}  // namespace

int possible_levels(const Topology& base, const FoldOptions& options) {
    const auto triangles = static_cast<long long>(base.triangle_count());
    int possible = 0;
    while (options.refine && possible < options.most_levels &&
           triangles << (2 * possible + 2) <= most_uniform_triangles) {
        ++possible;
    }
    return possible;
}

WidthFit::WidthFit(const Topology& base, const MatrixX3d& rest, const FoldSource& source, const VectorXd& width,
                   const VectorXd& longer, const VectorXd& room, const FoldOptions& options)
    : base_vertices_(base.vertex_count()),
      levels_(possible_levels(base, options)),
      most_vertices_(options.most_vertices) {
    const MatrixX3i& triangles = base.triangles();
    const size_t stride = std::max<size_t>(1, (source.poses.size() + most_fit_poses - 1) / most_fit_poses);
    for (int f = 0; f < base.triangle_count(); ++f) {
        double where = source.where.size() == 0 ? 1.0 : 0.0;
        Folding own{0.0, 0.0, 0.0};
        double most = 0.0;
        for (int k = 0; k < 3; ++k) {
            const int v = triangles(f, k);
            where = source.where.size() == 0 ? 1.0 : std::max(where, source.where[v]);
            most = std::max(most, longer[v]);
            own.edge = std::max(own.edge, (rest.row(triangles(f, (k + 1) % 3)) - rest.row(v)).norm());
            own.width += width[v] / 3.0;
            own.room += room[v] / 3.0;
        }
        const Vector3d a = rest.row(triangles(f, 1)) - rest.row(triangles(f, 0));
        const Vector3d b = rest.row(triangles(f, 2)) - rest.row(triangles(f, 0));
        const double length = a.norm();
        const double along = length > 0.0 ? a.dot(b) / length : 0.0;
        const double height = std::sqrt(std::max(0.0, b.squaredNorm() - along * along));
        if (!(where > 0.0) || !(length * height > 0.0)) {
            continue;
        }
        bool folds = false;
        for (size_t p = 0; p < source.poses.size() && !folds; p += stride) {
            const MatrixX3d& pose = source.poses[p];
            const Vector3d u = (pose.row(triangles(f, 1)) - pose.row(triangles(f, 0))).transpose() / length;
            const Vector3d to = (pose.row(triangles(f, 2)) - pose.row(triangles(f, 0))).transpose();
            const Vector3d v = (to - along * u) / height;
            folds = smallest_stretch(u.dot(u), u.dot(v), v.dot(v)).stretch < folding_stretch(most);
        }
        if (folds) {
            folding_.push_back(own);
        }
    }
}

int WidthFit::level(const Folding& triangle, double edges, double factor) const {
    const double ratio = triangle.edge * edges / (edge_slack * std::min(factor, triangle.room) * triangle.width);
    return ratio > 1.0 ? static_cast<int>(std::ceil(math::log2(ratio) - 1e-9)) : 0;
}

double WidthFit::vertices(double edges, double factor) const {
    double more = 0.0;
    for (const Folding& triangle : folding_) {
        more += 0.5 * (std::ldexp(1.0, 2 * std::min(level(triangle, edges, factor), levels_)) - 1.0);
    }
    return base_vertices_ + adaptive_cost * more;
}

bool WidthFit::fits(double edges, double factor) const {
    const auto short_of = std::count_if(folding_.begin(), folding_.end(), [&](const Folding& triangle) {
        return level(triangle, edges, factor) > levels_;
    });
    return static_cast<double>(short_of) <= most_short_of * static_cast<double>(folding_.size()) &&
           vertices(edges, factor) <= std::max(most_vertices_, base_vertices_);
}

double WidthFit::factor(double edges) const {
    double factor = 1.0;
    while (factor < most_factor && !fits(edges, factor)) {
        factor *= step;
    }
    return factor;
}

double fit_widths(const Topology& base, const MatrixX3d& rest, const FoldSource& source, const FoldStyle& look,
                  const FoldOptions& options, VectorXd& width, std::vector<std::string>& notes) {
    if (!options.refine) {
        return static_cast<double>(rest.rows());  // folds use the vertices there are
    }
    const Eigen::Index count = rest.rows();
    const VectorXd longer =
        (1.0 + of_painted(look.slack, count).array()) / (1.0 + of_painted(look.pre_stretch, count).array()).array();
    const double most = options.most_vertices;
    VectorXd room = VectorXd::Constant(count, most_factor);
    if (source.radius.size() == 0 && !look.width) {
        room.setConstant(most_unknown);
    }
    for (Eigen::Index v = 0; v < count && !look.width && source.radius.size() > 0; ++v) {
        room[v] = std::max(1.0, widest * source.radius[v] / width[v]);
    }
    const WidthFit fit(base, rest, source, width, longer, room, options);
    if (look.width) {
        const double factor = fit.factor(fewest_edges);
        if (factor == 1.0) {
            return std::min(fit.vertices(options.edges_per_fold, 1.0), most);
        }
        const double least = factor * width.minCoeff();
        require(options.width_policy == FoldWidthPolicy::widen, "[[layer]] fold: width: expected at least ", least,
                " m on this mesh (", options.most_vertices, " vertices, ", possible_levels(base, options),
                " levels of subdivision), found ", width.minCoeff(),
                "; most_vertices or most_levels allow finer folds, "
                "width_policy = \"widen\" widens them");
        width *= factor;
        notes.push_back(concat("folds: ", factor, " times wider than asked for, ", width.minCoeff(),
                               " m at least: the mesh and its budget show no finer ones"));
        return std::min(fit.vertices(options.edges_per_fold, factor), most);
    }
    const double factor = fit.factor(std::min(options.edges_per_fold, good_edges));
    if (factor > 1.0) {
        const VectorXd factors = room.cwiseMin(factor);
        width = width.cwiseProduct(factors);
        notes.push_back(concat("folds: ", std::round(10.0 * factors.mean()) / 10.0,
                               " times wider than limbs suggest, to stay below ", options.most_vertices,
                               " vertices; a larger budget (most_vertices) gives finer ones"));
    }
    return std::min(fit.vertices(options.edges_per_fold, factor), most);
}

}  // namespace cutis::fold_detail
