#include "glb_write_svd.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "cutis/core/error.h"

namespace cutis {
namespace {

using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

constexpr size_t block_bytes = size_t{4} << 20;
// A block is left alone once its error is this far below the tolerance.
constexpr double settled = 0.25;

/// Coordinates of some vertices (three each) or UVs (two each) over all frames.
struct Block {
    int first = 0;
    int count = 0;  ///< coordinates
    int width = 3;
    double tolerance = 1.0;
};

std::vector<Block> make_blocks(const FrameStore& frames, const MorphTolerance& tolerance) {
    const size_t frame_bytes = sizeof(double) * static_cast<size_t>(frames.frame_count());
    const int points = static_cast<int>(std::max<size_t>(16, block_bytes / (3 * frame_bytes)));
    std::vector<Block> blocks;
    const auto add = [&](int first, int total, int width, double limit) {
        for (int p = 0; p < total; p += points) {
            const int count = std::min(points, total - p);
            blocks.push_back({first + p * width, count * width, width, limit});
        }
    };
    add(0, frames.vertex_count(), 3, tolerance.position);
    add(frames.vertex_count() * 3, frames.uv_count(), 2, tolerance.uv);
    return blocks;
}

/// Displacements from the first frame, in units of the tolerance: #frames x #coordinates. So a
/// row of length 1 is an error at the limit, for positions and UVs alike.
void read_displacements(FrameStore& frames, const Block& block, RowMatrix& out) {
    out.resize(frames.frame_count(), block.count);
    for (int f = 0; f < frames.frame_count(); ++f) {
        frames.read_coordinates(f, block.first, block.count, out.row(f).data());
    }
    for (int f = frames.frame_count() - 1; f >= 0; --f) {
        out.row(f) = (out.row(f) - out.row(0)) / block.tolerance;
    }
}

/// Longest point displacement of a block, squared.
double largest_squared(const RowMatrix& displacements, int width) {
    double largest = 0.0;
    for (Eigen::Index f = 0; f < displacements.rows(); ++f) {
        const double* x = displacements.row(f).data();
        for (Eigen::Index i = 0; i < displacements.cols(); i += width, x += width) {
            const double z = width == 3 ? x[2] : 0.0;
            largest = std::max(largest, x[0] * x[0] + x[1] * x[1] + z * z);
        }
    }
    return largest;
}

/// Right singular vectors of the displacement matrix, most important first, with the energy that
/// remains when only the first k are kept.
struct TimeModes {
    Eigen::MatrixXd vectors;  ///< #frames x #modes, orthonormal
    VectorXd energy_after;    ///< #modes + 1
};

// The Gram matrix D^T D is small and has the same right singular vectors. It squares the condition
// number, so modes below 1e-8 of the first are not accurate; they are still orthonormal, and
// displacements are projected onto them from D itself, so the only harm is a target too many.
TimeModes find_time_modes(FrameStore& frames, const std::vector<Block>& blocks) {
    const int n = frames.frame_count();
    Eigen::MatrixXd gram = Eigen::MatrixXd::Zero(n, n);
    RowMatrix displacements;
    for (const Block& block : blocks) {
        read_displacements(frames, block, displacements);
        gram.selfadjointView<Eigen::Lower>().rankUpdate(displacements);
    }
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(gram);
    if (solver.info() != Eigen::Success) {
        throw SolverFailure(
            say("glb: singular value decomposition of ", n, " frames did not converge"));
    }
    // The first frame's displacement is zero: one eigenvalue is, too.
    const int modes = n - 1;
    TimeModes result;
    result.vectors = solver.eigenvectors().rightCols(modes).rowwise().reverse();
    result.energy_after = VectorXd::Zero(modes + 1);
    for (int k = modes - 1; k >= 0; --k) {
        result.energy_after(k) =
            result.energy_after(k + 1) + std::max(0.0, solver.eigenvalues()(n - 1 - k));
        Eigen::Index largest = 0;
        result.vectors.col(k).cwiseAbs().maxCoeff(&largest);
        if (result.vectors(largest, k) < 0.0) {
            result.vectors.col(k) *= -1.0;
        }
    }
    return result;
}

/// Smallest number of modes whose largest error is below the tolerance, before rounding.
int count_modes(FrameStore& frames, const std::vector<Block>& blocks, const TimeModes& modes) {
    const int most = static_cast<int>(modes.vectors.cols());
    // The largest error is at least the root mean square: fewer modes than this cannot do.
    const double entries = static_cast<double>(frames.vertex_count() + frames.uv_count()) *
                           static_cast<double>(frames.frame_count());
    int least = 0;
    while (least < most && modes.energy_after(least) > entries) {
        ++least;
    }
    std::vector<double> largest(static_cast<size_t>(most) + 1, 0.0);
    RowMatrix rest;
    Eigen::RowVectorXd target;
    for (const Block& block : blocks) {
        read_displacements(frames, block, rest);
        const auto first = modes.vectors.leftCols(least);
        const RowMatrix projected = first.transpose() * rest;
        rest.noalias() -= first * projected;
        for (int k = least;; ++k) {
            const double now = largest_squared(rest, block.width);
            largest[static_cast<size_t>(k)] = std::max(largest[static_cast<size_t>(k)], now);
            if (k == most || now < settled * settled) {
                break;
            }
            target.noalias() = modes.vectors.col(k).transpose() * rest;
            rest.noalias() -= modes.vectors.col(k) * target;
        }
    }
    int k = least;
    while (k < most && largest[static_cast<size_t>(k)] >= 1.0) {
        ++k;
    }
    return k;
}

/// Fills targets and weights for the first `count` modes. Least squares: with orthonormal modes
/// the best targets are the projections.
void project_targets(FrameStore& frames, const std::vector<Block>& blocks, const TimeModes& modes,
                     int count, MorphBasis& basis) {
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
    RowMatrix displacements;
    for (const Block& block : blocks) {
        read_displacements(frames, block, displacements);
        const Eigen::MatrixXd targets = displacements.transpose() * first * block.tolerance;
        basis.targets.middleRows(block.first, block.count) = targets.cast<float>();
    }
}

/// Rebuilds every frame from the rounded numbers and compares.
void measure(FrameStore& frames, const std::vector<Block>& blocks, MorphBasis& basis) {
    double position_squared = 0.0;
    double uv_squared = 0.0;
    const Eigen::MatrixXd weights = basis.weights.cast<double>();
    RowMatrix truth(frames.frame_count(), 0);
    for (const Block& block : blocks) {
        truth.resize(frames.frame_count(), block.count);
        for (int f = 0; f < frames.frame_count(); ++f) {
            frames.read_coordinates(f, block.first, block.count, truth.row(f).data());
        }
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
    const std::vector<Block> blocks = make_blocks(frames, tolerance);
    if (frames.frame_count() < 2 || blocks.empty()) {
        measure(frames, blocks, basis);
        return basis;
    }
    const TimeModes modes = find_time_modes(frames, blocks);
    const int most = static_cast<int>(modes.vectors.cols());
    int count = count_modes(frames, blocks, modes);
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
