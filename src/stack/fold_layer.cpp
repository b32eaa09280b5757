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
          solver_(plan_folds(ground, skeleton_, settings)) {
        refined_ = refined_art(ground, skeleton_, solver_);
        weight_ = solver_.weights();
        std::vector<double> widths(solver_.width().begin(), solver_.width().end());
        const auto middle = widths.begin() + static_cast<std::ptrdiff_t>(widths.size() / 2);
        std::nth_element(widths.begin(), middle, widths.end());
        median_width_ = *middle;
        if (!solver_.is_empty()) {
            facts_.channels = {{"fold compression"}, {"fold height", "m"}, {"fold share"}, {"fold weight"}};
            facts_.numbers = {{"folding lines", ""}, {"held vertices", ""}, {"highest fold", "m"}};
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
        if (solver_.is_empty()) {
            return;  // the body stays on the artist's own mesh, bit for bit
        }
        bring_to(step.to, step.sampling, surface);
        if (frame.plain != nullptr) {
            *frame.plain = surface;
        }
        fold(surface);
        solver_.fill_channels(height_, compression_, share_);
        if (!is_on()) {
            height_.setZero();
            compression_.setZero();
            share_.setZero();
        }
        fill(compression_, frame.channel(0));
        fill(height_, frame.channel(1));
        fill(share_, frame.channel(2));
        fill(weight_, frame.channel(3));

        const FoldReport& report = solver_.report();
        frame.number(0) = report.compressed;
        frame.number(1) = report.held;
        frame.number(2) = report.highest;
        ++frames_;
        sum_.compressed += report.compressed;
        sum_.gated += report.gated;
        sum_.capped += report.capped;
        sum_.held += report.held;
        kept_ += report.kept;
        sum_.highest = std::max(sum_.highest, report.highest);
        sum_.worst_residual = std::max(sum_.worst_residual, report.worst_residual);
        write_report();
    }

    void shape_at(double time, TimeSampling sampling, MatrixX3d& surface) override {
        if (!solver_.is_empty()) {
            bring_to(time, sampling, surface);
            fold(surface);
        }
    }

private:
    template <class Values>
    static void fill(const Values& values, std::vector<double>& channel) {
        channel.assign(values.data(), values.data() + values.size());
    }

    void write_report() {
        const auto a_frame = [this](int sum) {
            return frames_ == 0 ? 0.0 : static_cast<double>(sum) / static_cast<double>(frames_);
        };
        begin_report();
        report_number("refined vertices", solver_.topology().vertex_count());
        report_number("vertices if uniform", solver_.uniform_vertex_count());
        report_number("levels", solver_.levels());
        report_number("lines", solver_.line_count());
        report_number("median width (m)", median_width_);
        report_number("folding lines a frame", a_frame(sum_.compressed));
        report_number("lines below the gate a frame", a_frame(sum_.gated));
        report_number("capped heights a frame", a_frame(sum_.capped));
        report_number("vertices held back a frame", a_frame(sum_.held));
        report_number("height the guard kept", frames_ == 0 ? 1.0 : kept_ / static_cast<double>(frames_));
        report_number("highest fold (m)", sum_.highest);
        report_number("worst Fischer-Burmeister residual (m)", sum_.worst_residual);
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
        if (!is_on()) {
            return;
        }
        if (use_normals_) {
            fill_vertex_normals(surface, solver_.topology(), NormalWeight::angle, *workers_, directions_);
        } else {
            turn_normals(solver_.normals(), refined_.weights, matrices_, *workers_, directions_);
        }
        solver_.fold(directions_, *workers_, surface);
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
    RefinedMesh refined_;
    LayerFacts facts_;

    // Of the frame being made; nothing here matters to the next one.
    const Workers* workers_ = nullptr;
    MatrixX3d coarse_;
    MatrixX3d skinned_;
    MatrixX3d shift_;
    MatrixX3d fine_shift_;
    MatrixX3d directions_;
    std::vector<Eigen::Affine3d> matrices_;
    VectorXd height_;
    VectorXd compression_;
    VectorXd share_;
    VectorXd weight_;

    long frames_ = 0;
    FoldReport sum_;
    double kept_ = 0.0;
    double median_width_ = 0.0;
};

}  // namespace

std::unique_ptr<Layer> make_fold_layer(FoldLayerOptions options, const LayerInput& ground) {
    return std::make_unique<FoldLayer>(ground, options);
}

}  // namespace cutis
