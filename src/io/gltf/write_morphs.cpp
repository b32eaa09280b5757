#include "io/gltf/write_morphs.h"

#include <algorithm>
#include <cmath>

#include "io/store/modes.h"

namespace cutis {
namespace {

std::vector<ModeBlock> blocks_of(const GlbFrames& frames, const MorphTolerance& tolerance) {
    return make_mode_blocks({{frames.first_position, frames.vertex_count, 3, tolerance.position},
                             {frames.first_uv, frames.uv_count, 2, tolerance.uv, true}},
                            frames.frame_count());
}

/// How the first modes become targets: target = displacements over time * a column of `sources`.
struct TargetPlan {
    Eigen::MatrixXd sources;  ///< #frames x #targets
    Eigen::MatrixXf weights;  ///< #targets x #frames
};

/// Weights from 0 to 1, the size of the motion in the targets. Players clamp what is outside
/// (Blender does). A mode with both signs is therefore counted from its lowest value, and one more
/// target, whose weight is always 1, holds what all these lowest values make together:
/// v = low + (high - low) w, so that sum_k u_k v_k = sum_k u_k low_k + sum_k u_k (high_k - low_k)
/// w_k.
TargetPlan plan_targets(const TimeModes& modes, int count) {
    TargetPlan plan;
    const Eigen::Index frames = modes.vectors.rows();
    plan.sources.resize(frames, count);
    plan.weights.resize(count, frames);
    VectorXd lowest = VectorXd::Zero(frames);
    for (int k = 0; k < count; ++k) {
        VectorXd mode = modes.vectors.col(k);
        if (mode.maxCoeff() < -mode.minCoeff()) {
            mode = -mode;
        }
        double low = mode.minCoeff();
        const double high = mode.maxCoeff();
        low = low > -1e-9 * high ? 0.0 : low;  // one sign, but for rounding
        const double reach = high - low;
        lowest += low * mode;
        plan.weights.row(k) = ((mode.array() - low) / reach).max(0.0).min(1.0).matrix().transpose().cast<float>();
        plan.sources.col(k) = mode * reach;
    }
    if (!lowest.isZero(0.0)) {
        plan.sources.conservativeResize(Eigen::NoChange, count + 1);
        plan.sources.col(count) = lowest;
        plan.weights.conservativeResize(count + 1, Eigen::NoChange);
        plan.weights.row(count).setOnes();
    }
    return plan;
}

/// Least squares: with orthonormal modes the best targets are the projections.
void project_targets(const GlbFrames& frames, const std::vector<ModeBlock>& blocks, const TargetPlan& plan,
                     MorphBasis& basis) {
    basis.target_count = static_cast<int>(plan.weights.rows());
    basis.targets.resize(frames.coordinate_count(), basis.target_count);
    basis.weights = plan.weights;
    FrameRows displacements;
    for (const ModeBlock& block : blocks) {
        read_displacements(*frames.store, block, ModeBase::first_frame, displacements);
        const Eigen::MatrixXd targets = displacements.transpose() * plan.sources * block.tolerance;
        basis.targets.middleRows(block.place, block.count) = targets.cast<float>();
    }
}

/// Rebuilds every frame from the rounded numbers and compares.
void measure(const GlbFrames& frames, const std::vector<ModeBlock>& blocks, MorphBasis& basis) {
    double position_squared = 0.0;
    double uv_squared = 0.0;
    const Eigen::MatrixXd weights = basis.weights.cast<double>();
    FrameRows truth;
    for (const ModeBlock& block : blocks) {
        read_block(*frames.store, block, truth);
        const Eigen::RowVectorXd base = truth.row(0).cast<float>().cast<double>();
        const Eigen::MatrixXd targets = basis.targets.middleRows(block.place, block.count).cast<double>();
        truth.noalias() -= weights.transpose() * targets.transpose();
        truth.rowwise() -= base;
        double& largest = block.width == 3 ? position_squared : uv_squared;
        largest = std::max(largest, largest_squared(truth, block.width));
    }
    basis.max_error = std::sqrt(position_squared);
    basis.max_uv_error = std::sqrt(uv_squared);
}

/// Normal targets: least squares against the true normals with the weights already chosen.
void fit_normals(const GlbFrames& frames, const TargetPlan& plan, const NormalField& field, MorphBasis& basis) {
    constexpr int batch = 16;
    Eigen::MatrixXd targets = Eigen::MatrixXd::Zero(field.count() * 3, basis.target_count);
    Eigen::MatrixXd turned(field.count() * 3, batch);
    MatrixX3d positions;
    MatrixX3d base;
    MatrixX3d normals;
    frames.read_positions(0, positions);
    field.compute(positions, base);
    for (int begin = 0; begin < frames.frame_count(); begin += batch) {
        const int size = std::min(batch, frames.frame_count() - begin);
        for (int i = 0; i < size; ++i) {
            frames.read_positions(begin + i, positions);
            field.compute(positions, normals);
            normals -= base;
            turned.col(i) = Eigen::Map<const VectorXd>(normals.data(), normals.size());
        }
        targets.noalias() += turned.leftCols(size) * plan.sources.middleRows(begin, size);
    }
    basis.normals = targets.cast<float>();
}

}  // namespace

MorphBasis fit_morph_basis(const GlbFrames& frames, const MorphTolerance& tolerance, const NormalField& normals) {
    MorphBasis basis;
    basis.weights.resize(0, frames.frame_count());
    basis.targets.resize(frames.coordinate_count(), 0);
    const std::vector<ModeBlock> blocks = blocks_of(frames, tolerance);
    if (frames.frame_count() < 2 || blocks.empty()) {
        measure(frames, blocks, basis);
        return basis;
    }
    const TimeModes modes = find_time_modes(*frames.store, blocks, ModeBase::first_frame);
    const int most = static_cast<int>(modes.vectors.cols());
    int count = count_modes(*frames.store, blocks, ModeBase::first_frame, modes);
    // Rounding to float32 adds a little; where that crosses the limit, further targets help.
    TargetPlan plan;
    for (;; ++count) {
        plan = plan_targets(modes, count);
        project_targets(frames, blocks, plan, basis);
        measure(frames, blocks, basis);
        const bool is_within = basis.max_error < tolerance.position && basis.max_uv_error < tolerance.uv;
        if (is_within || count >= most) {
            break;
        }
    }
    fit_normals(frames, plan, normals, basis);
    return basis;
}

}  // namespace cutis
