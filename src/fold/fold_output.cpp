#include <algorithm>

#include "fold/fold_parts.h"

namespace cutis {

using namespace fold_detail;

void FoldSolver::fill_channels(VectorXd& height, VectorXd& compression,
                               MatrixX3d& direction) const {
    const Parts& parts = *parts_;
    const int per_rail = parts.pattern.segments + 1;
    height.setZero(topology().vertex_count());
    compression.setZero(topology().vertex_count());
    direction.setZero(topology().vertex_count(), 3);
    for (const LiftLayer& layer : parts.layers) {
        for (const StripRun& run : layer.runs) {
            for (int i = run.begin; i < run.end; ++i) {
                const Packed& binding = layer.bindings[static_cast<size_t>(i)];
                Vector3d offset = Vector3d::Zero();
                Vector3d side = Vector3d::Zero();
                for (int k = 0; k < 3; ++k) {
                    const double weight = binding.weight[k];
                    const int rail = run.first_rail + binding.point[k] / per_rail;
                    offset += weight * parts.rails->offset(rail, binding.point[k] % per_rail);
                    side += weight * parts.rails->direction(rail, binding.point[k] % per_rail);
                    compression[binding.vertex] +=
                        weight * std::max(0.0, parts.rails->compression()[rail]);
                }
                const double size = side.norm();
                if (size > 0.0) {
                    height[binding.vertex] += std::max(0.0, offset.dot(side) / size);
                    direction.row(binding.vertex) = side.transpose() / size;
                }
            }
        }
    }
}

void FoldSolver::rail_points(int rail, const MatrixX3d& refined, MatrixX3d& points) const {
    const int per_rail = parts_->pattern.segments + 1;
    points.resize(per_rail, 3);
    for (int i = 0; i < per_rail; ++i) {
        follow(parts_->on_refined[static_cast<size_t>(rail) * static_cast<size_t>(per_rail) +
                                  static_cast<size_t>(i)],
               refined.data(), points.data() + 3 * i);
    }
}

void FoldSolver::fill_lines(const MatrixX3d& folded, Lines& lines) const {
    const FoldPattern& pattern = parts_->pattern;
    const int count = static_cast<int>(pattern.rails.size());
    lines.points.resize(count, 3);
    lines.heights.resize(count);
    lines.starts.assign(1, 0);
    for (int r = 0; r < count; ++r) {
        const FoldPattern::Rail& rail = pattern.rails[static_cast<size_t>(r)];
        const int point =
            r * (pattern.segments + 1) + parts_->crest[static_cast<size_t>(rail.fold)];
        follow(parts_->on_refined[static_cast<size_t>(point)], folded.data(),
               lines.points.data() + 3 * r);
        lines.heights[r] = parts_->rails->height()[r];
        if (!rail.is_joined) {
            lines.starts.push_back(r + 1);
        }
    }
}

}  // namespace cutis
