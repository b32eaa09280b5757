#include "cutis/stack/fold_layer.h"

#include <algorithm>
#include <cmath>

#include "cutis/core/error.h"
#include "cutis/mesh/geometry.h"
#include "fold_plan.h"
#include "stack/cloth_hands.h"
#include "stack/regions.h"

namespace cutis {

namespace {

constexpr double folds_a_hand = 3.0;

// Shifts of the surface against its own skinning below this (metres) are rounding.
constexpr double rounding = 1e-12;

class FoldLayer final : public Layer, public HeldByHands {
public:
    FoldLayer(const LayerInput& ground, const FoldLayerOptions& settings)
        : surface_(*ground.surface),
          skeleton_(ground),
          use_normals_(settings.use_normals || !skeleton_.has_joints()),
          solver_(plan_folds(ground, skeleton_, settings)) {
        refined_ = refined_art(ground, skeleton_, solver_);
        weight_ = solver_.weights();
        cloth_ = VectorXd::Ones(solver_.topology().vertex_count());
        if (settings.where.name != "all" && !solver_.is_empty()) {
            solver_.stencils().apply_to_scalars(region_values(ground, settings.where), ground.own_workers(), cloth_);
        }
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
        if (step.reset) {
            hands_.rest_at_once();
        }
        hands_.advance(step.from, step.to, step.reset ? 0.0 : step.clock_to - step.clock_from);
        fold(step.to, surface);
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
            fold(time, surface);
        }
    }

    std::vector<bool> hold(const std::vector<LayerGrip>& grips) override {
        std::vector<bool> feels(grips.size(), false);
        std::vector<ClothHands::Grip> cloth;
        std::vector<size_t> those;
        for (size_t g = 0; g < grips.size() && !solver_.is_empty(); ++g) {
            const int v = grips[g].is_detail ? -1 : surface_.mesh().vertex_of_art[static_cast<size_t>(grips[g].vertex)];
            if (v >= 0) {
                // Cloth hangs together: what is narrower than a few folds would be a spike.
                const double breadth = std::max(2.0 * grips[g].radius, folds_a_hand * median_width_);
                cloth.push_back({v, grips[g].by, breadth});  // vertices of the base come first
                those.push_back(g);
            }
        }
        const std::vector<bool> held = hands_.hold(cloth, solver_.rest(), solver_.normals(), cloth_);
        for (size_t i = 0; i < those.size(); ++i) {
            feels[those[i]] = held[i];
        }
        return feels;
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

    void fold(double time, MatrixX3d& surface) {
        if (!is_on()) {
            return;
        }
        if (use_normals_) {
            fill_vertex_normals(surface, solver_.topology(), NormalWeight::angle, *workers_, directions_);
        } else {
            turn_normals(solver_.normals(), refined_.weights, matrices_, *workers_, directions_);
        }
        solver_.fold(directions_, *workers_, surface);
        hands_.move(time, directions_, surface);
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
    ClothHands hands_;
    VectorXd cloth_;  // 1 where there is some

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
