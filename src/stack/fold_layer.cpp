#include "fold_layer.h"

#include <algorithm>
#include <cmath>

#include "cutis/core/error.h"
#include "cutis/mesh/geometry.h"

namespace cutis {

namespace {

// Shifts of the surface against its own skinning below this (metres) are rounding.
constexpr double rounding = 1e-12;

class FoldLayer final : public Layer {
public:
    FoldLayer(const LayerGround& ground, const FoldSettings& settings)
        : surface_(*ground.surface),
          skeleton_(ground),
          use_normals_(settings.use_normals || !skeleton_.has_joints()),
          solver_(surface_.topology(), surface_.rest(), plan_folds(ground, skeleton_, settings),
                  settings.solver),
          turned_(use_normals_ ? nullptr
                               : std::make_unique<FoldDirections>(
                                     solver_, vertex_normals(surface_.rest(), surface_.topology()),
                                     skeleton_.weights())) {
        refined_ = refined_art(ground, skeleton_, solver_);
        for (const int joint : solver_.rails().set().plane) {
            has_planes_ = has_planes_ || joint >= 0;
        }
        const FoldSolver::Lines lines = crest_lines(solver_.rest());
        point_count_ = static_cast<int>(lines.points.rows());
        for (size_t i = 0; i + 1 < lines.starts.size(); ++i) {
            for (int p = lines.starts[i]; p + 1 < lines.starts[i + 1]; ++p) {
                segments_.push_back({p, p + 1});
            }
        }
    }

    bool has_memory() const override { return false; }
    bool changes_shape() const override { return !is_idle(); }
    bool changes_uv() const override { return false; }
    const RefinedMesh* refined() const override { return is_idle() ? nullptr : &refined_; }

    LayerFacts facts() const override {
        LayerFacts facts;
        facts.lines = {{"fold lines", "curves", point_count_, segments_}};
        if (!is_idle()) {
            facts.channels = {
                {"fold compression"}, {"fold direction", "1", 3}, {"fold height", "m"}};
            facts.numbers = {{"folding rails", ""}, {"limited rails", ""}, {"highest fold", "m"}};
        }
        return facts;
    }

    void advance(const LayerStep& step, MatrixX3d& surface, LayerFrame& frame) override {
        workers_ = step.workers;
        sampling_ = step.sampling;
        if (is_idle()) {
            frame.line(0) = lines_.points;
            return;
        }
        shape_at(step.to, surface);
        solver_.fill_channels(height_, compression_, direction_);
        fill(compression_, frame.channel(0));
        fill(direction_, frame.channel(1));
        fill(height_, frame.channel(2));
        solver_.fill_lines(surface, lines_);
        frame.line(0) = lines_.points;

        const FoldRailReport& report = solver_.report();
        frame.number(0) = report.compressed;
        frame.number(1) = report.limited;
        frame.number(2) = report.highest;
        ++frames_;
        limited_ += report.limited;
        held_ += solver_.held_vertex_count();
        capped_ += report.capped;
        merged_ += report.merged;
        compressed_ += report.compressed;
        not_converged_ += report.not_converged;
        most_iterations_ = std::max(most_iterations_, report.most_iterations);
        worst_residual_ = std::max(worst_residual_, report.worst_fischer_burmeister);
        worst_shortening_ = std::max(worst_shortening_, report.worst_shortening);
        highest_ = std::max(highest_, report.highest);
    }

    void shape_at(double time, MatrixX3d& surface) override {
        if (is_idle()) {
            return;
        }
        coarse_.swap(surface);
        pose(time);
        base_shape(surface);
        const MatrixX3d* directions = &directions_;
        if (use_normals_) {
            fill_vertex_normals(coarse_, surface_.topology(), NormalWeight::angle, *workers_,
                                directions_);
        } else {
            directions = &turned_->turn(matrices_, *workers_);
        }
        solver_.fold(*directions, planes_, *workers_, surface);
    }

    void refine_plain(MatrixX3d& surface) override {
        coarse_.swap(surface);
        base_shape(surface);
    }

    void refine_values(const std::vector<double>& values, int width,
                       std::vector<double>& out) const override {
        const std::vector<int>& art = surface_.mesh().art_of_vertex;
        values_.resize(surface_.vertex_count(), width);
        for (Eigen::Index v = 0; v < values_.rows(); ++v) {
            for (int k = 0; k < width; ++k) {
                values_(v, k) = values[static_cast<size_t>(art[static_cast<size_t>(v)]) *
                                           static_cast<size_t>(width) +
                                       static_cast<size_t>(k)];
            }
        }
        out.resize(static_cast<size_t>(solver_.topology().vertex_count()) * width);
        Eigen::Map<RowMatrixXd> fine(out.data(), solver_.topology().vertex_count(), width);
        solver_.stencils().apply(values_, *workers_, fine);
    }

    std::vector<double> save() const override { return {}; }
    void restore(const std::vector<double>& state) override {
        if (!state.empty()) {
            throw InvalidInput(say("fold: expected an empty state, found ", state.size(),
                                   " numbers: this layer has no memory"));
        }
    }

    LayerReport report() const override {
        LayerReport report;
        report.kind = "fold";
        report.notes = solver_.notes();
        const FoldRailSet& set = solver_.rails().set();
        report.numbers = {
            {"rails", set.count()},
            {"refined vertices", solver_.topology().vertex_count()},
            {"vertices folds can move", solver_.bound_vertex_count()},
            {"vertices if uniform", solver_.uniform_vertex_count()},
            {"levels", solver_.levels()},
            {"folding rails a frame",
             frames_ == 0 ? 0.0 : static_cast<double>(compressed_) / static_cast<double>(frames_)},
            {"limited rails", static_cast<double>(limited_)},
            {"vertices held back", static_cast<double>(held_)},
            {"capped rails", static_cast<double>(capped_)},
            {"merged pairs", static_cast<double>(merged_)},
            {"rails that did not converge", static_cast<double>(not_converged_)},
            {"most iterations", most_iterations_},
            {"worst Fischer-Burmeister residual (m)", worst_residual_},
            {"worst shortening of a rail", worst_shortening_},
            {"highest fold (m)", highest_}};
        return report;
    }

private:
    /// Nothing folds in the whole clip: the body stays on the artist's own mesh, bit for bit.
    bool is_idle() const { return solver_.rails().set().count() == 0; }

    FoldSolver::Lines crest_lines(const MatrixX3d& folded) const {
        FoldSolver::Lines lines;
        solver_.fill_lines(folded, lines);
        return lines;
    }

    template <class Values>
    static void fill(const Values& values, std::vector<double>& channel) {
        channel.assign(values.data(), values.data() + values.size());
    }

    void pose(double time) {
        if (!skeleton_.has_joints()) {
            return;
        }
        skeleton_.matrices(time, sampling_, matrices_);
        if (has_planes_) {
            planes_.resize(matrices_.size());
            for (size_t j = 0; j < planes_.size(); ++j) {
                planes_[j] = joint_plane(skeleton_.joints(), static_cast<int>(j), matrices_);
            }
        }
    }

    void skin(const MatrixX3d& rest, const SkinWeights& weights, MatrixX3d& out) const {
        if (skeleton_.skinning() == Skinning::linear_blend) {
            skin_linear_blend(rest, weights, matrices_, *workers_, out);
        } else {
            skin_dual_quaternion(rest, weights, matrices_, *workers_, out, skeleton_.centres());
        }
    }

    // The refined mesh in the pose: skinned, plus what earlier layers moved; or subdivided.
    void base_shape(MatrixX3d& fine) {
        if (!skeleton_.has_skin()) {
            solver_.refine(coarse_, *workers_, fine);
            return;
        }
        skin(solver_.rest(), refined_.weights, fine);
        skin(surface_.rest(), skeleton_.weights(), skinned_);
        shift_ = coarse_ - skinned_;
        if (shift_.cwiseAbs().maxCoeff() > rounding) {
            solver_.refine(shift_, *workers_, fine_shift_);
            fine += fine_shift_;
        }
    }

    const SimulationSurface& surface_;
    FoldSkeleton skeleton_;
    bool use_normals_;
    FoldSolver solver_;
    std::unique_ptr<FoldDirections> turned_;
    RefinedMesh refined_;
    bool has_planes_ = false;
    int point_count_ = 0;
    std::vector<std::array<int, 2>> segments_;

    // Of the frame being made; nothing here matters to the next one.
    const Workers* workers_ = nullptr;
    TimeSampling sampling_ = TimeSampling::exact;
    MatrixX3d coarse_;
    MatrixX3d skinned_;
    MatrixX3d shift_;
    MatrixX3d fine_shift_;
    MatrixX3d directions_;
    std::vector<Eigen::Affine3d> matrices_;
    std::vector<FoldPlane> planes_;
    VectorXd height_;
    VectorXd compression_;
    MatrixX3d direction_;
    FoldSolver::Lines lines_;
    mutable RowMatrixXd values_;

    long frames_ = 0;
    long limited_ = 0;
    long held_ = 0;
    long capped_ = 0;
    long merged_ = 0;
    long compressed_ = 0;
    long not_converged_ = 0;
    int most_iterations_ = 0;
    double worst_residual_ = 0.0;
    double worst_shortening_ = 0.0;
    double highest_ = 0.0;
};

class FoldPlan final : public LayerPlan {
public:
    Options options() override { return describe(settings_); }

    std::unique_ptr<Layer> prepare(const LayerGround& ground,
                                   const LayerMeshes& /*meshes*/) const override {
        check_together(settings_);
        FoldSettings settings = settings_;
        // In gate mode folds are shorter by the gate anyway: single precision will do.
        settings.solver.rails.tolerance.length =
            settings.solver.rails.mode == FoldMode::strict ? FoldTolerance().length : 1e-5;
        return std::make_unique<FoldLayer>(ground, settings);
    }

private:
    FoldSettings settings_;
};

}  // namespace

std::unique_ptr<LayerPlan> make_fold_plan() {
    return std::make_unique<FoldPlan>();
}

}  // namespace cutis
