#include "glb_write_svd.h"

#include <algorithm>
#include <cmath>

#include "write_modes.h"

namespace cutis {
namespace {

std::vector<ModeBlock> blocks_of(const FrameStore& frames, const MorphTolerance& tolerance) {
    return make_mode_blocks({{0, frames.vertex_count(), 3, tolerance.position},
                             {frames.vertex_count() * 3, frames.uv_count(), 2, tolerance.uv}},
                            frames.frame_count());
}

/// Fills targets and weights for the first `count` modes. Least squares: with orthonormal modes
/// the best targets are the projections.
void project_targets(FrameStore& frames, const std::vector<ModeBlock>& blocks,
                     const TimeModes& modes, int count, MorphBasis& basis) {
    basis.target_count = count;
    basis.targets.resize(frames.coordinate_count(), count);
    basis.weights.resize(count, frames.frame_count());
    Eigen::MatrixXd first = modes.vectors.leftCols(count);
    // Weights reach 1; the size of the motion is in the targets.
    const Eigen::RowVectorXd reach = first.cwiseAbs().colwise().maxCoeff();
    for (int k = 0; k < count; ++k) {
        basis.weights.row(k) = (first.col(k) / reach(k)).transpose().cast<float>();
        first.col(k) *= reach(k);
    }
    FrameRows displacements;
    for (const ModeBlock& block : blocks) {
        read_displacements(frames, block, ModeBase::first_frame, displacements);
        const Eigen::MatrixXd targets = displacements.transpose() * first * block.tolerance;
        basis.targets.middleRows(block.first, block.count) = targets.cast<float>();
    }
}

/// Rebuilds every frame from the rounded numbers and compares.
void measure(FrameStore& frames, const std::vector<ModeBlock>& blocks, MorphBasis& basis) {
    double position_squared = 0.0;
    double uv_squared = 0.0;
    const Eigen::MatrixXd weights = basis.weights.cast<double>();
    FrameRows truth;
    for (const ModeBlock& block : blocks) {
        read_block(frames, block, truth);
        const Eigen::RowVectorXd base = truth.row(0).cast<float>().cast<double>();
        const Eigen::MatrixXd targets =
            basis.targets.middleRows(block.first, block.count).cast<double>();
        truth.noalias() -= weights.transpose() * targets.transpose();
        truth.rowwise() -= base;
        double& largest = block.width == 3 ? position_squared : uv_squared;
        largest = std::max(largest, largest_squared(truth, block.width));
    }
    basis.max_error = std::sqrt(position_squared);
    basis.max_uv_error = std::sqrt(uv_squared);
}

/// Normal targets: least squares against the true normals with the weights already chosen.
void fit_normals(FrameStore& frames, const TimeModes& modes, const NormalField& field,
                 MorphBasis& basis) {
    constexpr int batch = 16;
    const int count = basis.target_count;
    Eigen::MatrixXd first = modes.vectors.leftCols(count);
    first.array().rowwise() *= first.array().abs().colwise().maxCoeff().eval();
    Eigen::MatrixXd targets = Eigen::MatrixXd::Zero(field.count() * 3, count);
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
        targets.noalias() += turned.leftCols(size) * first.middleRows(begin, size);
    }
    basis.normals = targets.cast<float>();
}

}  // namespace

MorphBasis fit_morph_basis(FrameStore& frames, const MorphTolerance& tolerance,
                           const NormalField& normals) {
    MorphBasis basis;
    basis.weights.resize(0, frames.frame_count());
    basis.targets.resize(frames.coordinate_count(), 0);
    const std::vector<ModeBlock> blocks = blocks_of(frames, tolerance);
    if (frames.frame_count() < 2 || blocks.empty()) {
        measure(frames, blocks, basis);
        return basis;
    }
    const TimeModes modes = find_time_modes(frames, blocks, ModeBase::first_frame);
    const int most = static_cast<int>(modes.vectors.cols());
    int count = count_modes(frames, blocks, ModeBase::first_frame, modes);
    // Rounding to float32 adds a little; where that crosses the limit, further targets help.
    for (;; ++count) {
        project_targets(frames, blocks, modes, count, basis);
        measure(frames, blocks, basis);
        const bool is_within =
            basis.max_error < tolerance.position && basis.max_uv_error < tolerance.uv;
        if (is_within || count >= most) {
            break;
        }
    }
    fit_normals(frames, modes, normals, basis);
    return basis;
}

}  // namespace cutis
