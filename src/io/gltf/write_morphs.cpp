#include "io/gltf/write_morphs.h"

#include <algorithm>
#include <cmath>

#include "core/math.h"
#include "io/store/modes.h"
#include "io/store/products.h"

namespace cutis {
namespace {

constexpr double mode_share = 0.85;  // of the tolerance, for modes that are left out

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
                     const Workers& workers, Eigen::MatrixXf& targets) {
    targets.resize(frames.coordinate_count(), plan.weights.rows());
    const ProductPanels sources(plan.sources.transpose());
    workers.for_chunks(static_cast<int>(blocks.size()), 1, [&](int b, int /*end*/) {
        const ModeBlock& block = blocks[b];
        FrameRows displacements;
        read_displacements(*frames.store, block, ModeBase::first_frame, displacements);
        FrameRows projected = FrameRows::Zero(sources.rows(), block.count);
        add_product(sources, displacements, block.tolerance, projected);
        targets.middleRows(block.place, block.count) = projected.transpose().cast<float>();
    });
}

/// Rounds numbers to whole multiples of 2^exponent.
struct Rounding {
    explicit Rounding(int exponent) : step(std::ldexp(1.0F, exponent)), inverse(std::ldexp(1.0F, -exponent)) {}
    float operator()(float value) const { return std::nearbyint(value * inverse) * step; }
    float step, inverse;
};

/// Targets in few bits. What rounding takes from a target is missing in every frame by the target's weight; its mean
/// over time goes into the last target where that is the constant one, and only the rest of it remains.
void round_targets(const Eigen::MatrixXf& exact, const TargetPlan& plan, bool has_constant, Eigen::Index begin,
                   Eigen::Index end, int exponent, const Workers& workers, Eigen::MatrixXf& targets) {
    const Eigen::Index last = exact.cols() - 1;
    const Eigen::VectorXf means = plan.weights.rowwise().mean();
    const Rounding round(exponent);
    constexpr int chunk = 4096;
    workers.for_chunks(static_cast<int>(end - begin), chunk, [&](int from, int to) {
        float lost[chunk] = {};
        for (Eigen::Index k = 0; k <= last; ++k) {
            const bool takes_all = has_constant && k == last;
            const float* in = &exact(begin + from, k);
            float* out = &targets(begin + from, k);
            for (int i = 0; i < to - from; ++i) {
                const float value = in[i] + (takes_all ? lost[i] : 0.0F);
                out[i] = round(value);
                lost[i] += means(k) * (value - out[i]);
            }
        }
    });
}

/// Steps that make errors of about a third of the tolerance. A coordinate is off by sum_k (w_k - mean w_k) r_k, each
/// r_k evenly within half a step: a deviation of R step / sqrt(12), with R^2 the largest sum of squares in a frame. The
/// largest of a million such errors in three directions is about 4.5 times that, 1.3 R steps. Weights likewise: off by
/// sum_k a_k r_k with the length a_k of the longest displacement in target k.
MorphSteps choose_steps(const TargetPlan& plan, const Eigen::MatrixXf& exact, int positions,
                        const MorphTolerance& tolerance, int finer) {
    const Eigen::MatrixXf around = plan.weights.colwise() - plan.weights.rowwise().mean();
    const double spread = std::max(1.0, std::sqrt(static_cast<double>(around.colwise().squaredNorm().maxCoeff())));
    const auto exponent = [](double size) { return static_cast<int>(std::floor(math::log2(size))); };
    MorphSteps steps;
    steps.position = exponent(0.35 * tolerance.position / (1.3 * spread)) - finer;
    steps.uv = exponent(0.35 * tolerance.uv / (1.3 * spread)) - finer;
    const auto least_weight = [&](Eigen::Index begin, Eigen::Index count, double allowed) {
        if (count == 0 || exact.cols() == 0) {
            return 0;
        }
        const Eigen::RowVectorXf longest = exact.middleRows(begin, count).cwiseAbs().colwise().maxCoeff();
        const double sum = 1.7 * static_cast<double>(longest.norm());
        return sum > 0.0 ? exponent(0.1 * allowed / (1.3 * sum)) : 0;
    };
    steps.weight = std::min(least_weight(0, positions, tolerance.position),
                            least_weight(positions, exact.rows() - positions, tolerance.uv));
    steps.weight = std::clamp(steps.weight - finer, -24, -8);
    return steps;
}

/// Rebuilds every frame from the rounded numbers and compares.
void measure(const GlbFrames& frames, const std::vector<ModeBlock>& blocks, const Workers& workers, MorphBasis& basis) {
    const ProductPanels weights(basis.weights.cast<double>().transpose());
    std::vector<double> squared(blocks.size(), 0.0);
    workers.for_chunks(static_cast<int>(blocks.size()), 1, [&](int b, int /*end*/) {
        const ModeBlock& block = blocks[b];
        FrameRows truth;
        read_block(*frames.store, block, truth);
        const Eigen::RowVectorXd base = truth.row(0).cast<float>().cast<double>();
        const FrameRows targets = basis.targets.middleRows(block.place, block.count).transpose().cast<double>();
        add_product(weights, targets, -1.0, truth);
        truth.rowwise() -= base;
        squared[b] = largest_squared(truth, block.width);
    });
    basis.max_error = 0.0;
    basis.max_uv_error = 0.0;
    for (size_t b = 0; b < blocks.size(); ++b) {
        double& largest = blocks[b].width == 3 ? basis.max_error : basis.max_uv_error;
        largest = std::max(largest, std::sqrt(squared[b]));
    }
}

/// Normal targets: least squares against the true normals with the weights already chosen.
void fit_normals(const GlbFrames& frames, const TargetPlan& plan, bool has_constant, const NormalField& field,
                 const Workers& workers, MorphBasis& basis) {
    constexpr int batch = 16;
    constexpr int piece = 1024;  // columns
    const int columns = field.count() * 3;
    FrameRows targets = FrameRows::Zero(basis.target_count, columns);
    FrameRows turned(batch, columns);
    MatrixX3d positions;
    MatrixX3d base;
    frames.read_positions(0, positions);
    field.compute(positions, base);
    for (int begin = 0; begin < frames.frame_count(); begin += batch) {
        const int size = std::min(batch, frames.frame_count() - begin);
        workers.for_chunks(size, 1, [&](int i, int /*end*/) {
            MatrixX3d now;
            MatrixX3d normals;
            frames.read_positions(begin + i, now);
            field.compute(now, normals);
            normals -= base;
            turned.row(i) = Eigen::Map<const Eigen::RowVectorXd>(normals.data(), columns);
        });
        const ProductPanels sources(plan.sources.middleRows(begin, size).transpose());
        workers.for_chunks(columns, piece, [&](int from, int to) {
            FrameRows sum = FrameRows::Zero(sources.rows(), to - from);
            add_product(sources, turned.block(0, from, size, to - from), 1.0, sum);
            targets.middleCols(from, to - from) += sum;
        });
    }
    const Eigen::MatrixXf exact = targets.transpose().cast<float>();
    basis.normals.resize(exact.rows(), exact.cols());
    round_targets(exact, plan, has_constant, 0, exact.rows(), basis.steps.normal, workers, basis.normals);
}

}  // namespace

MorphBasis fit_morph_basis(const GlbFrames& frames, const MorphTolerance& tolerance, const NormalField& normals,
                           const Workers& workers) {
    MorphBasis basis;
    basis.weights.resize(0, frames.frame_count());
    basis.targets.resize(frames.coordinate_count(), 0);
    const std::vector<ModeBlock> blocks = blocks_of(frames, tolerance);
    frames.store->file().flush();
    if (frames.frame_count() < 2 || blocks.empty()) {
        measure(frames, blocks, workers, basis);
        return basis;
    }
    // Leaving modes out takes most of the tolerance, rounding the rest.
    const std::vector<ModeBlock> for_modes =
        blocks_of(frames, {mode_share * tolerance.position, mode_share * tolerance.uv});
    const TimeModes modes = find_time_modes(*frames.store, for_modes, ModeBase::first_frame, workers);
    const int most = static_cast<int>(modes.vectors.cols());
    int count = count_modes(*frames.store, for_modes, ModeBase::first_frame, modes, workers);
    const int positions = frames.vertex_count * 3;
    if (count > 1) {
        basis.half_error =
            tolerance.position * largest_error(*frames.store, for_modes, ModeBase::first_frame, modes, (count - 1) / 2, workers);
    }
    // Where rounding crosses the limit, finer numbers help; where float32 itself does, further targets.
    constexpr int finest = 3;
    TargetPlan plan;
    Eigen::MatrixXf exact;
    bool has_constant = false;
    for (int finer = 0;; finer < finest ? ++finer : ++count) {
        if (finer == 0 || finer == finest) {
            plan = plan_targets(modes, count);
            project_targets(frames, blocks, plan, workers, exact);
            has_constant = plan.weights.rows() > count;
            basis.target_count = static_cast<int>(plan.weights.rows());
            basis.targets.resize(exact.rows(), exact.cols());
        }
        basis.steps = choose_steps(plan, exact, positions, tolerance, finer);
        basis.weights = plan.weights.unaryExpr(Rounding(basis.steps.weight));
        round_targets(exact, plan, has_constant, 0, positions, basis.steps.position, workers, basis.targets);
        round_targets(exact, plan, has_constant, positions, exact.rows(), basis.steps.uv, workers, basis.targets);
        measure(frames, blocks, workers, basis);
        const bool is_within = basis.max_error < tolerance.position && basis.max_uv_error < tolerance.uv;
        if (is_within || (finer >= finest && count >= most)) {
            break;
        }
    }
    fit_normals(frames, plan, has_constant, normals, workers, basis);
    return basis;
}

}  // namespace cutis
