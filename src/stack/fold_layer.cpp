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

class FoldPlan final : public LayerPlan {
public:
    FoldPlan() {
        settings_.solver.guard = true;
        settings_.solver.rails.limiter = true;
    }

    std::vector<Setting> settings() override {
        FoldSettings& s = settings_;
        FoldLook& look = s.field.look;
        FoldRailOptions& rails = s.solver.rails;
        const auto choice = [](auto& target, int current) {
            return ChoiceTarget{current, [&target](int i) {
                                    target = static_cast<std::decay_t<decltype(target)>>(i);
                                }};
        };
        return {
            {.key = "place",
             .target = choice(s.place, 0),
             .about = "where folds go: compression over the clip (field), the "
                      "bending of joints, chains of vertices, or a painted field",
             .choices = {"field", "joints", "chains", "painted"}},
            {.key = "mode",
             .target = choice(rails.mode, 0),
             .about = "gate: folds grow without popping; strict: compressed "
                      "lines keep their exact length (taper, irregularity, cap, guard and limiter "
                      "are off)",
             .choices = {"gate", "strict"}},
            {"width", &s.width, "across one fold", "m", 0.001, 10.0},
            {"pre_stretch", &s.pre_stretch, "cloth gives way by this much before it folds", "", 0.0,
             1.0},
            {"taper", &look.taper, "a fold's ends run out over this many widths", "", 0.0, 10.0},
            {"irregularity", &look.irregularity, "folds wander by this many widths", "", 0.0, 1.0},
            {"sharpness", &look.sharpness, "of the crest: 0 round, 1 a ridge", "", 0.0, 1.0},
            {"lean", &look.lean, "of the crest to one side", "", -0.5, 0.5},
            {.key = "profile",
             .target = choice(s.profile, 0),
             .about = "cross-section of a fold",
             .choices = {"blob", "flat", "sharp", "custom"}},
            {"profile_heights", &s.profile_heights,
             "custom profile: heights at evenly spaced places "
             "across the fold, 0 at both ends"},
            {"curve_profiles", &s.curve_profiles,
             "joints and chains: profiles by name or as heights (\"0, 0.5, 1, 0.2, 0\"), which the "
             "curves take in turn; none: `profile` for all"},
            {"curve_widths", &s.curve_widths,
             "joints and chains: widths in metres, which the curves take in turn; none: `width`"},
            {"curve_lengths", &s.joints.lengths,
             "joints: lengths in metres, which the curves take in turn; none: `curve_length`"},
            {"gate", &rails.gate, "gate mode: compression from which folds count fully", "", 0.0,
             0.5},
            {"distortion_passes", &rails.distortion_passes,
             "passes that keep a texture even along a "
             "fold",
             "", 0.0, 10.0},
            {"height_cap", &rails.height_cap,
             "gate mode: highest fold, in lengths of its rail; 0: "
             "none",
             "", 0.0, 10.0},
            {"limiter", &rails.limiter,
             "hold folds at their end planes and joint plane, so that neighbours do not cross"},
            {"merge_from", &rails.merge_from,
             "compression at which two folds begin to merge into "
             "one; 0: never",
             "", 0.0, 1.0},
            {"merge_to", &rails.merge_to, "compression at which they are one", "", 0.0, 1.0},
            {"activity", &s.field.activity, "field: fold where the clip compresses below this", "",
             0.1, 0.99},
            {"coherence", &s.field.coherence,
             "field: how much one direction of compression must "
             "prevail",
             "", 0.0, 1.0},
            {"poses_per_second", &s.poses_per_second, "poses of the clip that are looked at", "1/s",
             0.1, 240.0},
            {"painted_field", &s.painted_field,
             "painted: region with a number per vertex, in "
             "metres; a fold between multiples of width"},
            {"joints", &s.joints.joints, "joints: by name; none: all that bend"},
            {"least_swing", &s.joints.least_swing_deg,
             "joints: swing from the bind pose that counts "
             "as bending",
             "degrees", 0.0, 180.0},
            {"curve_length", &s.joints.length,
             "joints: length of a fold curve; 0: as far as it is "
             "compressed",
             "m", 0.0, 100.0},
            {"marching", &s.joints.use_marching, "joints: along mesh edges instead of a section"},
            {"every_pose", &s.joints.use_all_poses, "joints: curves of every pose, `reach` apart"},
            {"chains", &s.chains, "chains: each a text with vertex numbers, \"12, 13, 14\""},
            {"reach", &s.reach, "joints and chains: folds reach this far to each side", "m", 1e-4,
             100.0},
            {"one_line", &s.is_one_line,
             "joints and chains: solve one line only and fade it out, as "
             "in the paper"},
            {"where", &s.where, "regions with folds"},
            {"use_normals", &s.use_normals,
             "lift along the surface's own normals instead of turned "
             "rest normals"},
            {"rail_spacing", &look.rail_spacing, "widths between rails", "", 0.1, 2.0},
            {"rail_segments", &look.rail_segments, "points solved for across a fold", "", 4.0,
             64.0},
            {"guard", &s.solver.guard,
             "hold vertices back where folding would turn a triangle over"},
            {"refine", &s.solver.refine, "subdivide the mesh where folds are"},
            {"edges_per_fold", &s.solver.edges_per_fold, "edges of the refined mesh across a fold",
             "", 4.0, 32.0},
            {"most_levels", &s.solver.most_levels, "of subdivision", "", 0.0, 8.0},
        };
    }

    std::unique_ptr<Layer> prepare(const LayerGround& ground) override {
        FoldSettings settings = settings_;
        FoldRailOptions& rails = settings.solver.rails;
        const bool is_strict = rails.mode == FoldMode::strict;
        settings.solver.guard = settings.solver.guard && !is_strict;
        rails.limiter = rails.limiter && !is_strict;
        rails.tolerance.length = is_strict ? FoldTolerance().length : 1e-5;
        refuse_idle_settings(settings);
        if (settings.place == FoldSettings::Place::painted && settings.painted_field.empty()) {
            throw InvalidInput(
                "fold: place = \"painted\": expected painted_field = \"painted:NAME\", found none");
        }
        return std::make_unique<FoldLayer>(ground, settings);
    }

private:
    /// What would have no effect is more likely a mistake than a wish.
    static void refuse_idle_settings(const FoldSettings& s) {
        const bool has_curves =
            s.place == FoldSettings::Place::joints || s.place == FoldSettings::Place::chains;
        const auto needs_curves = [&](const char* key, bool is_set) {
            if (is_set && !has_curves) {
                throw InvalidInput(say("[[layer]] fold: ", key,
                                       ": expected place = \"joints\" or \"chains\", which have "
                                       "curves"));
            }
        };
        needs_curves("curve_profiles", !s.curve_profiles.empty());
        needs_curves("curve_widths", !s.curve_widths.empty());
        needs_curves("one_line", s.is_one_line);
        if (!s.joints.lengths.empty() && s.place != FoldSettings::Place::joints) {
            throw InvalidInput("[[layer]] fold: curve_lengths: expected place = \"joints\"");
        }
        for (const double length : s.joints.lengths) {
            if (!(length >= 0.0 && length <= 100.0)) {
                throw InvalidInput(
                    say("[[layer]] fold: curve_lengths: expected 0 to 100 m, found ", length));
            }
        }
        constexpr int custom = 3;
        const bool is_used =
            s.profile == custom || std::find(s.curve_profiles.begin(), s.curve_profiles.end(),
                                             "custom") != s.curve_profiles.end();
        if (!s.profile_heights.empty() && !is_used) {
            throw InvalidInput(
                "[[layer]] fold: profile_heights: expected profile = \"custom\" to use them");
        }
        const FoldRailOptions& rails = s.solver.rails;
        if (rails.merge_from > 0.0 && !(rails.merge_to > rails.merge_from)) {
            throw InvalidInput(say("[[layer]] fold: merge_to: expected more than merge_from (",
                                   rails.merge_from, "), found ", rails.merge_to));
        }
        if (rails.merge_from == 0.0 && rails.merge_to != FoldRailOptions().merge_to) {
            throw InvalidInput(
                "[[layer]] fold: merge_to: expected merge_from above 0 beside it, found 0: nothing "
                "merges");
        }
    }

    FoldSettings settings_;
};

}  // namespace

std::unique_ptr<LayerPlan> make_fold_plan() {
    return std::make_unique<FoldPlan>();
}

}  // namespace cutis
