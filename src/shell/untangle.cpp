#include "shell/untangle.h"

#include <algorithm>

#include "cutis/mesh/geometry.h"

namespace cutis {

namespace {

constexpr double kept_moving = 0.02;  // of a tetrahedron's volume, in motion
constexpr double nearly_flat = 0.02;  // ratio of volumes that lowers a prism over a clip
constexpr double clip_lowering = 0.7;
// Rises (sines of the angle above the lowest triangle around) between which an offset vector leans
// over to the safe direction; at most these shares of the rise at rest.
constexpr double begins_leaning = 0.2, leans_fully = 0.02;
constexpr double share_begins = 0.5, share_fully = 0.1;
constexpr double full_height_rise = 0.1;  // of the safe direction; below it heights shrink

double least_rise(const Vector3d& direction, const std::vector<Vector3d>& normals) {
    double rise = 1.0;
    for (const Vector3d& normal : normals) {
        rise = std::min(rise, direction.dot(normal));
    }
    return rise;
}

double smooth_step(double from, double to, double x) {
    const double t = std::clamp((x - from) / (to - from), 0.0, 1.0);
    return t * t * (3.0 - 2.0 * t);
}

}  // namespace

ShellUntangler::ShellUntangler(const PrismShell& shell) : shell_(&shell) {
    const Topology& topology = shell.topology();
    const MatrixX3d normals = triangle_normals(shell.base(), topology);
    rest_rises_.setOnes(shell.vertex_count());
    for (int v = 0; v < shell.vertex_count(); ++v) {
        const Vector3d column = (shell.offset().row(v) - shell.base().row(v)).transpose();
        for (const int f : topology.triangles_around(v)) {
            if (shell.height(v) > 0.0) {
                rest_rises_[v] = std::min(rest_rises_[v], normals.row(f).dot(column) / shell.height(v));
            }
        }
    }
}

int ShellUntangler::untangle(const MatrixX3d& base, const Workers& workers, MatrixX3d& offset) {
    const Topology& topology = shell_->topology();
    const int n = shell_->vertex_count();
    fill_triangle_normals(base, topology, workers, normals_, areas_);
    directions_.resize(n, 3);
    lengths_.resize(n);
    is_bent_.resize(static_cast<size_t>(n));
    workers.for_chunks(n, 256, [&](int begin, int end) {
        std::vector<Vector3d> around;
        for (int v = begin; v < end; ++v) {
            const Vector3d column = (offset.row(v) - base.row(v)).transpose();
            lengths_[v] = column.norm();
            Vector3d direction = lengths_[v] > 0.0 ? Vector3d(column / lengths_[v]) : Vector3d(Vector3d::Zero());
            const double starts = std::min(begins_leaning, share_begins * rest_rises_[v]);
            double rise = 1.0;
            for (const int f : topology.triangles_around(v)) {
                // A triangle without area has no side to lie on.
                rise = std::min(rise, areas_[f] > 0.0 ? normals_.row(f).dot(direction) : 1.0);
            }
            const bool is_bent = lengths_[v] > 0.0 && rise < starts;
            is_bent_[v] = is_bent ? 1 : 0;
            if (is_bent) {
                around.clear();
                for (const int f : topology.triangles_around(v)) {
                    if (areas_[f] > 0.0) {
                        around.emplace_back(normals_.row(f).transpose());
                    }
                }
                const double ends = std::min(leans_fully, share_fully * rest_rises_[v]);
                const double lean = 1.0 - smooth_step(ends, starts, rise);
                const Vector3d safe = hull_direction(around).value_or(Vector3d::Zero());
                const double enough = std::min(full_height_rise, share_begins * rest_rises_[v]);
                const double room = smooth_step(0.0, enough, least_rise(safe, around));
                lengths_[v] *= 1.0 - lean * (1.0 - room);
                direction = (1.0 - lean) * direction + lean * safe;
                const double length = direction.norm();
                direction = length > 0.0 ? Vector3d(direction / length) : Vector3d::Zero();
            }
            directions_.row(v) = direction.transpose();
        }
    });
    before_ = lengths_;
    lower_heights(topology, base, directions_, kept_moving, lengths_, scratch_);
    int changed = 0;
    for (int v = 0; v < n; ++v) {
        if (is_bent_[v] != 0 || lengths_[v] != before_[v]) {
            ++changed;
            offset.row(v) = base.row(v) + lengths_[v] * directions_.row(v);
        }
    }
    return changed;
}

ClipAwareOffset make_clip_aware_offset(const Topology& topology, const MatrixX3d& base,
                                       const SafeOffsetOptions& options, const EquilibriumOptions& equilibrium,
                                       const PoseSource& poses, int pose_count, const Workers& workers,
                                       int most_rounds) {
    ClipAwareOffset out;
    out.offset = make_safe_offset(topology, base, options, workers);
    SafeOffset& offset = out.offset;
    const VectorXd plain = offset.heights;
    LoweringScratch scratch;
    MatrixX3d posed;
    MatrixX3d solved;
    while (true) {
        const PrismShell shell(topology, base, offset.positions);
        ShellEquilibrium solver(shell, equilibrium);
        std::vector<unsigned char> is_low(static_cast<size_t>(topology.vertex_count()), 0);
        bool any = false;
        int most_inverted = 0;
        for (int k = 0; k < pose_count; ++k) {
            poses(k, posed);
            solver.solve(posed, workers, solved);
            int inverted = 0;
            for (int tet = 0; tet < shell.tet_count(); ++tet) {
                if (shell.is_flat(tet)) {
                    continue;
                }
                const double volume = shell.volume(tet, posed, solved);
                inverted += volume <= 0.0 ? 1 : 0;
                if (volume < nearly_flat * shell.rest_volume(tet)) {
                    any = true;
                    for (int i = 0; i < 3; ++i) {
                        is_low[topology.triangles()(tet / 3, i)] = 1;
                    }
                }
            }
            most_inverted = std::max(most_inverted, inverted);
        }
        if (out.rounds == 0) {
            out.inverted_first = most_inverted;
        }
        out.inverted_last = most_inverted;
        if (!any || out.rounds == most_rounds) {
            break;
        }
        ++out.rounds;
        for (int v = 0; v < topology.vertex_count(); ++v) {
            if (is_low[v] != 0) {
                offset.heights[v] *= clip_lowering;
            }
        }
        lower_heights(topology, base, offset.directions, 0.25, offset.heights, scratch);
        for (int v = 0; v < topology.vertex_count(); ++v) {
            offset.positions.row(v) = base.row(v);
            if (offset.heights[v] > 0.0) {
                offset.positions.row(v) += offset.heights[v] * offset.directions.row(v);
            }
        }
    }
    double sum = 0.0;
    int asked = 0;
    for (int v = 0; v < topology.vertex_count(); ++v) {
        out.lowered += offset.heights[v] < plain[v] ? 1 : 0;
        const double wanted = options.height * options.height_factor.at(v);
        if (wanted > 0.0) {
            const double share = offset.heights[v] / wanted;
            offset.lowest_share = std::min(offset.lowest_share, share);
            sum += share;
            ++asked;
        }
    }
    offset.mean_share = asked > 0 ? sum / asked : 1.0;
    return out;
}

}  // namespace cutis
