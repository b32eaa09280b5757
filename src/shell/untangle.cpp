#include "cutis/shell/untangle.h"

#include "cutis/mesh/geometry.h"

namespace cutis {

namespace {

constexpr double least_rise = 0.02;   // of an offset direction above each triangle around it
constexpr double kept_moving = 0.02;  // of a tetrahedron's volume, in motion
constexpr double nearly_flat = 0.02;  // ratio of volumes that lowers a prism over a clip
constexpr double clip_lowering = 0.7;

}  // namespace

int ShellUntangler::untangle(const MatrixX3d& base, const Workers& workers, MatrixX3d& offset) {
    const Topology& topology = shell_->topology();
    const int triangles = topology.triangle_count();
    // Nothing turned over: nothing to do, and by far the most frames.
    const double bad = workers.sum_chunks(triangles, 512, [&](int begin, int end) {
        int count = 0;
        for (int tet = 3 * begin; tet < 3 * end; ++tet) {
            count += !shell_->is_flat(tet) && !(shell_->volume(tet, base, offset) > 0.0) ? 1 : 0;
        }
        return static_cast<double>(count);
    });
    if (bad == 0.0) {
        return 0;
    }
    const int n = shell_->vertex_count();
    fill_triangle_normals(base, topology, workers, normals_, areas_);
    directions_.setZero(n, 3);
    lengths_.setZero(n);
    workers.for_chunks(n, 256, [&](int begin, int end) {
        std::vector<Vector3d> around;
        for (int v = begin; v < end; ++v) {
            if (shell_->height(v) == 0.0) {
                continue;
            }
            const Vector3d column = (offset.row(v) - base.row(v)).transpose();
            lengths_[v] = column.norm();
            Vector3d direction =
                lengths_[v] > 0.0 ? Vector3d(column / lengths_[v]) : Vector3d(Vector3d::Zero());
            around.clear();
            double rise = 1.0;
            for (const int f : topology.triangles_around(v)) {
                if (!normals_.row(f).isZero(0.0)) {
                    around.emplace_back(normals_.row(f).transpose());
                    rise = std::min(rise, direction.dot(around.back()));
                }
            }
            if (rise < least_rise) {
                direction = hull_direction(around).value_or(Vector3d::Zero());
            }
            directions_.row(v) = direction.transpose();
        }
    });
    before_ = lengths_;
    lower_heights(topology, base, directions_, kept_moving, lengths_);
    int changed = 0;
    for (int v = 0; v < n; ++v) {
        const Eigen::RowVector3d next = base.row(v) + lengths_[v] * directions_.row(v);
        if (lengths_[v] != before_[v] ||
            (next - offset.row(v)).squaredNorm() > 1e-24 * before_[v] * before_[v]) {
            ++changed;
            offset.row(v) = next;
        }
    }
    return changed;
}

ClipAwareOffset make_clip_aware_offset(const Topology& topology, const MatrixX3d& base,
                                       const SafeOffsetOptions& options,
                                       const EquilibriumOptions& equilibrium,
                                       const PoseSource& poses, int pose_count,
                                       const Workers& workers, int most_rounds) {
    ClipAwareOffset out;
    out.offset = make_safe_offset(topology, base, options, workers);
    SafeOffset& offset = out.offset;
    const VectorXd plain = offset.heights;
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
                        is_low[static_cast<size_t>(topology.triangles()(tet / 3, i))] = 1;
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
            if (is_low[static_cast<size_t>(v)] != 0) {
                offset.heights[v] *= clip_lowering;
            }
        }
        lower_heights(topology, base, offset.directions, 0.25, offset.heights);
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
        const double wanted =
            options.height * (options.height_factor.size() ? options.height_factor[v] : 1.0);
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
