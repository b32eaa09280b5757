#include "io/gltf/write_morphs.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "core/math.h"
#include "io/store/modes.h"
#include "io/store/products.h"

namespace cutis {
namespace {

constexpr double mode_share = 0.85;  // of the tolerance, for modes that are left out
// Steps of what is rounded, of the tolerance. The largest of ten million errors in three directions, normally
// distributed, is 5.7 deviations, and so D = sqrt(12) / 5.7 = 0.6 of the tolerance; points beyond the limit are rounded
// otherwise, which succeeds up to about 1 and then takes as long as everything before.
constexpr double largest_step = 0.95;
constexpr double next_step = 0.84;
constexpr double smallest_step = 0.03;

std::vector<ModeBlock> blocks_of(const GlbFrames& frames, const MorphTolerance& tolerance) {
    return make_mode_blocks({{frames.first_position, frames.vertex_count, 3, tolerance.position},
                             {frames.first_uv, frames.uv_count, 2, tolerance.uv, true}},
                            frames.frame_count());
}

/// How the first modes become targets. Players clamp weights outside 0 .. 1 (Blender does), so a mode with both signs
/// is counted from its lowest value, and one more target, whose weight is always 1, holds what all these lowest values
/// make together: sum_k u_k v_k = sum_k u_k low_k + sum_k (u_k reach_k) ((v_k - low_k) / reach_k).
struct TargetPlan {
    Eigen::MatrixXd modes;  ///< #frames x #modes, orthonormal
    VectorXd low, reach;    ///< of each mode
    bool has_constant = false;

    int count() const { return static_cast<int>(modes.cols()); }
    int target_count() const { return count() + (has_constant ? 1 : 0); }
};

TargetPlan plan_targets(const TimeModes& modes, int count) {
    TargetPlan plan;
    plan.modes = modes.vectors.leftCols(count);
    plan.low.resize(count);
    plan.reach.resize(count);
    for (int k = 0; k < count; ++k) {
        auto mode = plan.modes.col(k);
        if (mode.maxCoeff() < -mode.minCoeff()) {
            mode *= -1.0;
        }
        const double high = mode.maxCoeff();
        const double low = mode.minCoeff();
        plan.low(k) = low > -1e-9 * high ? 0.0 : low;  // one sign, but for rounding
        plan.reach(k) = high - plan.low(k);
        plan.has_constant = plan.has_constant || plan.low(k) != 0.0;
    }
    return plan;
}

/// Least squares: with orthonormal modes the best u_k are the projections. In units of the tolerance,
/// #coordinates x #modes.
void project_modes(const GlbFrames& frames, const std::vector<ModeBlock>& blocks, const TargetPlan& plan,
                   const Workers& workers, Eigen::MatrixXf& exact) {
    exact.resize(frames.coordinate_count(), plan.count());
    const ProductPanels along(plan.modes.transpose());
    workers.for_chunks(static_cast<int>(blocks.size()), 1, [&](int b, int /*end*/) {
        const ModeBlock& block = blocks[b];
        FrameRows displacements;
        read_displacements(*frames.store, block, ModeBase::first_frame, displacements);
        FrameRows projected = FrameRows::Zero(along.rows(), block.count);
        add_product(along, displacements, 1.0, projected);
        exact.middleRows(block.place, block.count) = projected.topRows(plan.count()).transpose().cast<float>();
    });
}

/// Rounds numbers to whole multiples of 2^exponent.
struct Rounding {
    explicit Rounding(int exponent) : step(std::ldexp(1.0, exponent)), inverse(std::ldexp(1.0, -exponent)) {}
    double operator()(double value) const { return std::nearbyint(value * inverse) * step; }
    double step, inverse;
};

int exponent_below(double size) {
    return static_cast<int>(std::floor(math::log2(size)));
}

/// Targets and weights in few bits.
///
/// As modes are orthonormal, a u_k that is rounded to steps D is off by noise of the deviation D / sqrt(12) in each
/// coordinate of each frame, however many modes there are: what rate distortion theory asks for is one D for all of
/// them. Steps are powers of two in a file, so u_k is scaled up, and its weights down, until its steps are one.
class TargetRounding {
public:
    /// \param share  the step D, of the tolerance
    TargetRounding(const GlbFrames& frames, const TargetPlan& plan, const Eigen::MatrixXf& exact,
                   const MorphTolerance& tolerance, double share, MorphBasis& basis)
        : frames_(frames), plan_(plan), exact_(exact), tolerance_(tolerance), basis_(basis) {
        choose_steps(share);
        round_weights();
        means_ = basis.weights.rowwise().mean().cast<double>();
        along_.emplace(plan.modes.transpose());
        weights_.emplace(Eigen::MatrixXd(basis.weights.cast<double>().transpose()));
    }

    /// Of each mode: u_k times this is its target.
    const std::vector<double>& scale() const { return scale_; }

    /// Rounds the targets of a block. Where a point is off by more than the tolerance, what is too much in its frames
    /// is added to what is rounded until other numbers come out: there are many ways to round, and some of them are
    /// right everywhere. \return largest error, in units of the tolerance
    double round(const ModeBlock& block) const {
        FrameRows truth;
        read_block(*frames_.store, block, truth);
        const Eigen::RowVectorXd base = truth.row(0).cast<float>().cast<double>();
        truth = (truth.rowwise() - base) / block.tolerance;
        std::vector<int> points(static_cast<size_t>(block.count / block.width));
        std::iota(points.begin(), points.end(), 0);
        FrameRows aims = exact_.middleRows(block.place, block.count).transpose().cast<double>();
        FrameRows rest = truth;
        double done = 0.0;  // of points that are left as they are
        for (int round = 0;; ++round) {
            FrameRows targets = FrameRows::Zero(basis_.target_count, rest.cols());
            round_aims(block, points, aims, targets);
            add_product(*weights_, targets, -1.0, rest);
            const VectorXd largest = largest_of(rest, block.width);
            if (largest.maxCoeff() < limit || round == most_rounds) {
                return std::max(done, largest.maxCoeff());
            }
            keep_failing(block.width, largest, points, aims, rest, done);
            FrameRows more = FrameRows::Zero(along_->rows(), rest.cols());
            add_product(*along_, excess_of(rest, block.width), 1.0, more);
            aims += more.topRows(plan_.count());
            for (size_t i = 0; i < points.size(); ++i) {
                const auto to = static_cast<Eigen::Index>(i) * block.width;
                const Eigen::Index from = Eigen::Index{points[i]} * block.width;
                rest.middleCols(to, block.width) = truth.middleCols(from, block.width);
            }
        }
    }

private:
    static constexpr double limit = 0.999;
    static constexpr double aim = 0.93;  // what is above it goes
    static constexpr int most_rounds = 24;

    void choose_steps(double share) {
        const auto count = static_cast<size_t>(plan_.count());
        MorphSteps& steps = basis_.steps;
        basis_.target_count = plan_.target_count();
        steps = {};
        double step = share * tolerance_.position;
        if (!plan_.has_constant && count > 0) {  // the first weight reaches 1
            step = std::ldexp(1.0, exponent_below(step * plan_.reach(0))) / plan_.reach(0);
        }
        const double finer = step / (share * tolerance_.position);
        for (size_t k = 0; k < count; ++k) {
            const double reach = plan_.reach(static_cast<Eigen::Index>(k));
            const int exponent = -exponent_below(1.0 / (step * reach) * (1.0 + 1e-12));
            steps.position.push_back(exponent);
            const double scaled = std::ldexp(1.0, exponent) / step;
            scale_.push_back(scaled);
            steps.uv.push_back(exponent_below(finer * share * tolerance_.uv * scaled));
            steps.normal.push_back(reach / scaled > std::sqrt(0.5) ? normal_step : normal_step + 1);
        }
        if (plan_.has_constant) {  // all of its rounding is in every frame
            steps.position.push_back(exponent_below(0.25 * step));
            steps.uv.push_back(exponent_below(0.25 * share * tolerance_.uv));
            steps.normal.push_back(normal_step);
        }
    }

    /// Rounding a weight by r moves points by r times its target. Targets that move nothing far have weights of a byte,
    /// as long as all of those together stay below a third of the tolerance; the others, too, with so many bytes as
    /// that takes. The largest of many such errors in three directions is about 1.3 times the root of the sum of
    /// squares.
    void round_weights() {
        const int count = plan_.count();
        VectorXd longest(count);
        for (int k = 0; k < count; ++k) {
            longest(k) = exact_.rows() == 0 ? 0.0 : 1.7 * exact_.col(k).cwiseAbs().maxCoeff() * scale_[size_t(k)];
        }
        const double allowed = 0.3 / 1.3;
        int first_coarse = count;
        for (double sum = 0.0; first_coarse > 0; --first_coarse) {
            sum += longest(first_coarse - 1) * longest(first_coarse - 1);
            if (std::ldexp(std::sqrt(sum), -byte) > allowed) {
                break;
            }
        }
        int finest = -byte;
        const double of_fine = longest.head(first_coarse).norm();
        while (finest > -3 * byte && std::ldexp(of_fine, finest) > allowed) {
            finest -= byte;  // whole bytes: those of coarser weights are zeros, which take no space
        }
        basis_.steps.weight = finest;
        basis_.weights.setOnes(basis_.target_count, plan_.modes.rows());
        for (int k = 0; k < count; ++k) {
            const Rounding round(k < first_coarse ? finest : -byte);
            for (Eigen::Index f = 0; f < plan_.modes.rows(); ++f) {
                const double weight = (plan_.modes(f, k) - plan_.low(k)) / scale_[size_t(k)];
                basis_.weights(k, f) = static_cast<float>(round(std::clamp(weight, 0.0, 1.0)));
            }
        }
    }

    /// What rounding takes from a target is missing in every frame by the target's weight; its mean over time goes into
    /// the constant target. \param targets  in units of the tolerance
    void round_aims(const ModeBlock& block, const std::vector<int>& points, const FrameRows& aims,
                    FrameRows& targets) const {
        const std::vector<int>& exponents = block.width == 3 ? basis_.steps.position : basis_.steps.uv;
        const auto width = static_cast<Eigen::Index>(block.width);
        Eigen::RowVectorXd lowest = Eigen::RowVectorXd::Zero(aims.cols());
        const auto place = [&](Eigen::Index c) {
            return block.place + Eigen::Index{points[static_cast<size_t>(c / width)]} * width + c % width;
        };
        for (int k = 0; k < basis_.target_count; ++k) {
            const bool is_constant = k == plan_.count();
            const Rounding round(exponents[size_t(k)]);
            const double scale = is_constant ? 1.0 : scale_[size_t(k)];
            for (Eigen::Index c = 0; c < aims.cols(); ++c) {
                const double wanted = (is_constant ? lowest(c) : aims(k, c) * scale) * block.tolerance;
                const auto rounded = static_cast<float>(round(wanted));
                basis_.targets(place(c), k) = rounded;
                targets(k, c) = rounded / block.tolerance;
                if (plan_.has_constant && !is_constant) {
                    const double exact = exact_(place(c), k);
                    lowest(c) += plan_.low(k) * exact + means_(k) * (exact * scale - targets(k, c));
                }
            }
        }
    }

    static VectorXd largest_of(const FrameRows& rest, int width) {
        VectorXd squared = VectorXd::Zero(rest.cols() / width);
        for (Eigen::Index f = 0; f < rest.rows(); ++f) {
            const double* x = rest.row(f).data();
            for (Eigen::Index i = 0; i < squared.size(); ++i, x += width) {
                double sum = 0.0;
                for (int k = 0; k < width; ++k) {
                    sum += x[k] * x[k];
                }
                squared(i) = std::max(squared(i), sum);
            }
        }
        return squared.cwiseSqrt();
    }

    /// Points that are off by too much move to the front, the others are left out.
    static void keep_failing(int width, const VectorXd& largest, std::vector<int>& points, FrameRows& aims,
                             FrameRows& rest, double& done) {
        Eigen::Index kept = 0;
        for (Eigen::Index i = 0; i < largest.size(); ++i) {
            if (largest(i) < limit) {
                done = std::max(done, largest(i));
                continue;
            }
            points[static_cast<size_t>(kept)] = points[static_cast<size_t>(i)];
            for (Eigen::Index k = 0; k < width; ++k) {
                aims.col(kept * width + k) = aims.col(i * width + k).eval();
                rest.col(kept * width + k) = rest.col(i * width + k).eval();
            }
            ++kept;
        }
        points.resize(static_cast<size_t>(kept));
        aims = aims.leftCols(kept * width).eval();
        rest = rest.leftCols(kept * width).eval();
    }

    static FrameRows excess_of(const FrameRows& rest, int width) {
        FrameRows excess = FrameRows::Zero(rest.rows(), rest.cols());
        for (Eigen::Index f = 0; f < rest.rows(); ++f) {
            for (Eigen::Index c = 0; c < rest.cols(); c += width) {
                const double length = rest.row(f).segment(c, width).norm();
                if (length > aim) {
                    excess.row(f).segment(c, width) = rest.row(f).segment(c, width) * (1.0 - aim / length);
                }
            }
        }
        return excess;
    }

    static constexpr int normal_step = -7;  // half a degree, as bytes of a normal have it
    static constexpr int byte = 8;

    const GlbFrames& frames_;
    const TargetPlan& plan_;
    const Eigen::MatrixXf& exact_;
    MorphTolerance tolerance_;
    MorphBasis& basis_;
    std::vector<double> scale_;
    VectorXd means_;  ///< of the weights
    std::optional<ProductPanels> along_, weights_;
};

/// Rounds every `stride`th block. \return whether all are within the tolerance
bool round_blocks(const std::vector<ModeBlock>& blocks, int stride, const TargetRounding& rounding,
                  const MorphTolerance& tolerance, const Workers& workers, MorphBasis& basis) {
    const int count = (static_cast<int>(blocks.size()) + stride - 1) / stride;
    std::vector<double> errors(static_cast<size_t>(count));
    workers.for_chunks(count, 1, [&](int i, int /*end*/) { errors[i] = rounding.round(blocks[i * stride]); });
    basis.max_error = 0.0;
    basis.max_uv_error = 0.0;
    for (int i = 0; i < count; ++i) {
        const bool is_position = blocks[i * stride].width == 3;
        double& largest = is_position ? basis.max_error : basis.max_uv_error;
        largest = std::max(largest, errors[i] * (is_position ? tolerance.position : tolerance.uv));
    }
    return basis.max_error < tolerance.position && basis.max_uv_error < tolerance.uv;
}

/// Normal targets: least squares against the true normals with the weights already chosen.
void fit_normals(const GlbFrames& frames, const TargetPlan& plan, const std::vector<double>& scale,
                 const NormalField& field, const Workers& workers, MorphBasis& basis) {
    constexpr int batch = 16;
    constexpr int piece = 1024;  // columns
    const int columns = field.count() * 3;
    Eigen::MatrixXd all_sources(frames.frame_count(), basis.target_count);
    all_sources.leftCols(plan.count()) = plan.modes;
    if (plan.has_constant) {
        all_sources.col(plan.count()) = plan.modes * plan.low;
    }
    for (int k = 0; k < plan.count(); ++k) {
        all_sources.col(k) *= scale[size_t(k)];
    }
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
        const ProductPanels sources(all_sources.middleRows(begin, size).transpose());
        workers.for_chunks(columns, piece, [&](int from, int to) {
            FrameRows sum = FrameRows::Zero(sources.rows(), to - from);
            add_product(sources, turned.block(0, from, size, to - from), 1.0, sum);
            targets.middleCols(from, to - from) += sum;
        });
    }
    // What rounding takes goes into the constant target, as with positions.
    const VectorXd means = basis.weights.rowwise().mean().cast<double>();
    basis.normals.resize(columns, basis.target_count);
    workers.for_chunks(columns, piece, [&](int from, int to) {
        Eigen::RowVectorXd lost = Eigen::RowVectorXd::Zero(to - from);
        for (int k = 0; k < basis.target_count; ++k) {
            const bool is_constant = plan.has_constant && k == plan.count();
            const Rounding round(basis.steps.normal[size_t(k)]);
            for (int c = from; c < to; ++c) {
                const double wanted = targets(k, c) + (is_constant ? lost(c - from) : 0.0);
                const double rounded = round(wanted);
                basis.normals(c, k) = static_cast<float>(rounded);
                lost(c - from) += means(k) * (wanted - rounded);
            }
        }
    });
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
        TargetPlan none;
        none.modes.resize(frames.frame_count(), 0);
        const Eigen::MatrixXf nothing(frames.coordinate_count(), 0);
        const TargetRounding rounding(frames, none, nothing, tolerance, largest_step, basis);
        round_blocks(blocks, 1, rounding, tolerance, workers, basis);
        return basis;
    }
    const std::vector<ModeBlock> for_modes =
        blocks_of(frames, {mode_share * tolerance.position, mode_share * tolerance.uv});
    const TimeModes modes = find_time_modes(*frames.store, for_modes, ModeBase::first_frame, workers);
    const int most = static_cast<int>(modes.vectors.cols());
    int count = count_modes(*frames.store, for_modes, ModeBase::first_frame, modes, workers);
    if (count > 1) {
        basis.half_error = tolerance.position * largest_error(*frames.store, for_modes, ModeBase::first_frame, modes,
                                                              (count - 1) / 2, workers);
    }
    // The largest steps that do; a sixteenth of the blocks says which are worth trying. Where float32 itself crosses
    // the limit, further targets help.
    TargetPlan plan;
    Eigen::MatrixXf exact;
    std::vector<double> scale;
    const int stride = blocks.size() < 32 ? 1 : 16;
    for (bool is_within = false; !is_within; ++count) {
        plan = plan_targets(modes, count);
        project_modes(frames, blocks, plan, workers, exact);
        basis.targets.resize(exact.rows(), plan.target_count());
        for (double share = largest_step; !is_within && share > smallest_step; share *= next_step) {
            const TargetRounding rounding(frames, plan, exact, tolerance, share, basis);
            const bool is_last = share * next_step <= smallest_step;
            is_within = (stride == 1 || is_last || round_blocks(blocks, stride, rounding, tolerance, workers, basis)) &&
                        round_blocks(blocks, 1, rounding, tolerance, workers, basis);
            scale = rounding.scale();
        }
        if (count >= most) {
            break;
        }
    }
    if (tolerance.has_normals) {
        fit_normals(frames, plan, scale, normals, workers, basis);
    }
    return basis;
}

}  // namespace cutis
