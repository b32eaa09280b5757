#include "cutis/stack/fold_layer.h"

#include <algorithm>
#include <cmath>

#include "cutis/core/error.h"
#include "cutis/mesh/geometry.h"
#include "fold_plan.h"

namespace cutis {

namespace {

// Shifts of the surface against its own skinning below this (metres) are rounding.
constexpr double rounding = 1e-12;

class FoldLayer final : public Layer {
public:
    FoldLayer(const LayerInput& ground, const FoldLayerOptions& settings)
        : surface_(*ground.surface),
          skeleton_(ground),
          use_normals_(settings.use_normals || !skeleton_.has_joints()),
          solver_(surface_.topology(), surface_.rest(), plan_folds(ground, skeleton_, settings),
                  settings.solver, ground.own_workers()),
          turned_(use_normals_ ? nullptr
                               : std::make_unique<FoldDirections>(
                                     solver_, vertex_normals(surface_.rest(), surface_.topology()),
                                     skeleton_.weights())) {
        refined_ = refined_art(ground, skeleton_, solver_);
        for (const int joint : solver_.rails().set().plane) {
            has_planes_ = has_planes_ || joint >= 0;
        }
        const FoldSolver::Lines lines = crest_lines(solver_.rest());
        std::vector<std::array<int, 2>> segments;
        for (size_t i = 0; i + 1 < lines.starts.size(); ++i) {
            for (int p = lines.starts[i]; p + 1 < lines.starts[i + 1]; ++p) {
                segments.push_back({p, p + 1});
            }
        }
        facts_.lines = {
            {"fold lines", "curves", static_cast<int>(lines.points.rows()), std::move(segments)}};
        if (!is_idle()) {
            facts_.channels = {
                {"fold compression"}, {"fold direction", "1", 3}, {"fold height", "m"}};
            facts_.numbers = {{"folding rails", ""}, {"limited rails", ""}, {"highest fold", "m"}};
            facts_.changes_shape = true;
            facts_.refined = &refined_;
        }
        report_.kind = "fold";
        report_.notes = solver_.notes();
        write_report();
    }

    const LayerFacts& facts() const override { return facts_; }

    void advance(const LayerStep& step, MatrixX3d& surface, LayerFrame& frame) override {
        workers_ = step.workers;
        if (is_idle()) {
            frame.line(0) = lines_.points;
            return;
        }
        bring_to(step.to, step.sampling, surface);
        if (frame.plain != nullptr) {
            *frame.plain = surface;
        }
        fold(surface);
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
        write_report();
    }

    void shape_at(double time, TimeSampling sampling, MatrixX3d& surface) override {
        if (!is_idle()) {
            bring_to(time, sampling, surface);
            fold(surface);
        }
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

    void write_report() {
        const FoldRailSet& set = solver_.rails().set();
        const auto number = [this](const char* name, auto value) {
            report_number(name, static_cast<double>(value));
        };
        begin_report();
        number("rails", set.count());
        number("refined vertices", solver_.topology().vertex_count());
        number("vertices folds can move", solver_.bound_vertex_count());
        number("vertices if uniform", solver_.uniform_vertex_count());
        number("levels", solver_.levels());
        number(
            "folding rails a frame",
            frames_ == 0 ? 0.0 : static_cast<double>(compressed_) / static_cast<double>(frames_));
        number("limited rails", limited_);
        number("vertices held back", held_);
        number("capped rails", capped_);
        number("merged pairs", merged_);
        number("rails that did not converge", not_converged_);
        number("most iterations", most_iterations_);
        number("worst Fischer-Burmeister residual (m)", worst_residual_);
        number("worst shortening of a rail", worst_shortening_);
        number("highest fold (m)", highest_);
    }

    /// From the surface it stands on to the refined one in the same pose, without folds.
    void bring_to(double time, TimeSampling sampling, MatrixX3d& surface) {
        coarse_.swap(surface);
        if (skeleton_.has_joints()) {
            skeleton_.matrices(time, sampling, matrices_);
        }
        base_shape(surface);
    }

    void fold(MatrixX3d& surface) {
        const MatrixX3d* directions = &directions_;
        if (use_normals_) {
            fill_vertex_normals(coarse_, surface_.topology(), NormalWeight::angle, *workers_,
                                directions_);
        } else {
            directions = &turned_->turn(matrices_, *workers_);
        }
        if (has_planes_) {
            planes_.resize(matrices_.size());
            for (size_t j = 0; j < planes_.size(); ++j) {
                planes_[j] = joint_plane(skeleton_.joints(), static_cast<int>(j), matrices_);
            }
        }
        solver_.fold(*directions, planes_, *workers_, surface);
    }

    // The refined mesh in the pose: skinned, plus what earlier layers moved; or subdivided.
    void base_shape(MatrixX3d& fine) {
        if (!skeleton_.has_skin()) {
            solver_.refine(coarse_, *workers_, fine);
            return;
        }
        const Rig& rig = skeleton_.rig();
        skin_by(rig, solver_.rest(), refined_.weights, matrices_, *workers_, fine);
        skin_by(rig, surface_.rest(), skeleton_.weights(), matrices_, *workers_, skinned_);
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
    LayerFacts facts_;

    // Of the frame being made; nothing here matters to the next one.
    const Workers* workers_ = nullptr;
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

}  // namespace

std::unique_ptr<Layer> make_fold_layer(FoldLayerOptions options, const LayerInput& ground) {
    check_together(options);
    FoldRailOptions& rails = options.solver.rails;
    const bool is_strict = rails.mode == FoldMode::strict;
    rails.limiter = rails.limiter && !is_strict;
    // In gate mode folds are shorter by the gate anyway: single precision will do.
    rails.tolerance.length = is_strict ? FoldTolerance().length : 1e-5;
    return std::make_unique<FoldLayer>(ground, options);
}

}  // namespace cutis
