#include "cutis/stack/layer_stack.h"

#include <algorithm>
#include <cmath>

#include "body_frames.h"
#include "cutis/core/error.h"
#include "cutis/mesh/geometry.h"
#include "stage_clock.h"
#include "together.h"

namespace cutis {

/// The body with the first `depth` layers, at any time of the current step.
class LayerStack::Ground final : public MovingSurface {
public:
    Ground(LayerStack& stack, size_t depth) : stack_(stack), depth_(depth) {}

    void positions(double time, TimeSampling sampling, MatrixX3d& out) const override {
        const LayerStep& step = stack_.step_;
        if (time == step.to && sampling == step.sampling) {
            out = stack_.before_;  // the frame itself is posed already
        } else {
            stack_.body_.positions(time, sampling, *step.workers, stack_.body_positions_);
            stack_.surface_->from_art().values(stack_.body_positions_, *step.workers, out);
        }
        for (size_t i = 0; i < depth_; ++i) {
            if (!stack_.layers_[i]->is_on() && stack_.layers_[i]->facts().refined == nullptr) {
                continue;
            }
            stack_.layers_[i]->shape_at(time, sampling, out);
            if (stack_.layers_[i]->facts().changes_shape) {
                stack_.together_[i + 1]->hold(out);
            }
        }
    }

private:
    LayerStack& stack_;
    size_t depth_;
};

LayerStack::LayerStack(const Body& body, const StackOptions& options, const Workers& workers)
    : body_(body), options_(options), workers_(workers), info_(body) {
    Scene given;  // the same numbers, under their names in a scene
    given.fps = options.fps;
    given.body.weld_distance = options.weld_distance;
    given.body.cut_distance = options.cut_distance;
    check_options(describe_body(given), "layers");
    require(options.look_ahead >= 0 && options.look_ahead <= 100, "layers look_ahead: expected 0 to 100 frames, found ",
            options.look_ahead);
    info_.fps = options.fps;
    info_.sampling = options.sampling;
}

LayerStack::~LayerStack() = default;

const LayerInput& LayerStack::ground() {
    if (grounds_.empty()) {
        RepairOptions repair;
        repair.weld_distance = options_.weld_distance;
        surface_ = std::make_unique<SimulationSurface>(options_.repair ? SimulationSurface::repaired(body_, repair)
                                                                       : SimulationSurface::as_it_is(body_));
        LayerInput ground{&body_, surface_.get(), &body_.mesh(), &body_.source().rig.weights, options_.fps, &workers_};
        ground.known_anatomy = std::make_shared<KnownAnatomy>();
        ground.knows_future = options_.look_ahead > 0;
        grounds_.push_back(ground);
        moving_.push_back(std::make_unique<Ground>(*this, 0));
        bases_.push_back(0);
        find_together();
    }
    return grounds_.back();
}

// Vertices of the ground on top that lie on each other at rest and over the whole motion. Those of a
// finer mesh do where their places on the mesh below do: smoothing parts rims that meet.
void LayerStack::find_together() {
    const LayerInput& top = grounds_.back();
    if (grounds_.size() > 1 && (top.surface == grounds_[grounds_.size() - 2].surface || together_.back()->empty())) {
        together_.push_back(together_.back());
        return;
    }
    constexpr int poses = 8;
    constexpr double as_one = 1e-6;  // of the body's size
    MatrixX3d posed;
    MatrixX3d finer;
    const auto shown = [&](const MatrixX3d& below) -> const MatrixX3d& {
        if (top.refined == nullptr) {
            return below;
        }
        const MatrixX3i& triangles = top.base->surface->topology().triangles();
        finer.resize(top.surface->vertex_count(), 3);
        for (int v = 0; v < top.surface->vertex_count(); ++v) {
            finer.row(v) = interpolate(below, triangles, top.refined->from_below.down(v));
        }
        return finer;
    };
    const MatrixX3d rest = shown(surface_->rest());
    const double distance = as_one * bounding_box_diagonal(rest);
    together_.push_back(std::make_shared<Together>(rest, distance, [&](const auto& use) {
        for (int pose = 0; pose <= poses; ++pose) {
            body_.positions(body_.duration() * pose / poses, options_.sampling, workers_, body_positions_);
            surface_->from_art().values(body_positions_, workers_, posed);
            use(shown(posed));
        }
    }));
}

std::vector<std::string> LayerStack::notes() const {
    return surface_ ? surface_->mesh().notes : std::vector<std::string>{};
}

std::string LayerStack::note_if_unseen(size_t i) const {
    // Half a pixel of a picture a thousand pixels high.
    const double visible = 5e-4 * surface_->main_box().norm();
    if (!layers_[i]->facts().changes_shape || first_.rows() == 0 || moved_[i] > visible) {
        return {};
    }
    const std::string what = moved_[i] == 0.0 ? concat("moved nothing")
                                              : concat("moved the surface by ", moved_[i], " m at most, of a body of ",
                                                       surface_->main_box().norm(), " m: less than can be seen");
    const char* why = body_moved_ <= visible ? "the body hardly moves in these frames; choose another clip or range"
                                             : "masks or pins may hold all of it, or its strength is too low";
    return concat(info_.layers[i].name, " ", what, ": ", why);
}

void LayerStack::add(const std::string& kind, std::unique_ptr<Layer> layer) {
    require(!has_past_ && !frames_, "layers: expected all of them before the first frame");
    const LayerInput& below = ground();
    const LayerFacts& facts = layer->facts();
    info_.add_layer(kind, facts);
    LayerInput above = below;
    if (facts.refined != nullptr) {
        info_.show(facts.refined->art);
        info_.shown_weights = &facts.refined->weights;
        info_.carry_to_shown = [this, i = layers_.size(), before = info_.carry_to_shown](std::vector<double>& values,
                                                                                         int width) {
            if (before) {
                before(values, width);
            }
            refine_values(i, values, width);
        };
        above.surface = facts.refined->surface.get();
        above.art = &facts.refined->art;
        above.weights = &facts.refined->weights;
        above.skin = SkinMotion::none;
        above.base = &below;
        above.refined = facts.refined;
        base_ = layers_.size();
    }
    if (facts.skin != SkinMotion::none) {
        above.skin = facts.skin;
    }
    layers_.push_back(std::move(layer));
    bases_.push_back(above.base == nullptr ? layers_.size() : base_);
    moved_.push_back(0.0);
    starts_.push_back(0);
    grounds_.push_back(above);
    find_together();
    moving_.push_back(std::make_unique<Ground>(*this, layers_.size()));
}

bool LayerStack::has_memory() const {
    return std::any_of(layers_.begin(), layers_.end(), [](const auto& layer) { return layer->facts().has_memory; });
}

bool LayerStack::changes_shape() const {
    return std::any_of(layers_.begin(), layers_.end(), [](const auto& layer) { return layer->facts().changes_shape; });
}

namespace {

/// Whether a layer continues from the state of the one it stands in for.
bool goes_on_from(const Layer& before, Layer& layer) {
    if (auto* own_way = dynamic_cast<TakesOver*>(&layer)) {
        return own_way->take_over(before);
    }
    try {
        layer.restore(before.save());
        return true;
    } catch (const InvalidInput&) {
        return false;
    }
}

}  // namespace

bool LayerStack::replace(size_t i, std::unique_ptr<Layer>& layer) {
    const LayerFacts& before = layers_[i]->facts();
    const LayerFacts& after = layer->facts();
    if (before.refined != nullptr || after.refined != nullptr || before.skin != after.skin) {
        return false;
    }
    layer->set_on(layers_[i]->is_on());
    starts_[i] = goes_on_from(*layers_[i], *layer) ? starts_[i] : 1;
    layers_[i] = std::move(layer);
    // What frames hold is announced anew, in the same order.
    const std::vector<LayerInfo> kinds = std::move(info_.layers);
    const BakeInfo own = info_;
    info_ = BakeInfo(body_);
    info_.fps = own.fps;
    info_.sampling = own.sampling;
    info_.shown_weights = own.shown_weights;
    info_.carry_to_shown = own.carry_to_shown;
    for (size_t k = 0; k < layers_.size(); ++k) {
        const LayerFacts& facts = layers_[k]->facts();
        info_.add_layer(kinds[k].kind, facts);
        if (facts.refined != nullptr) {
            info_.show(facts.refined->art);
        }
    }
    return true;
}

void LayerStack::set_on(size_t i, bool on) {
    starts_[i] = on && !layers_[i]->is_on() ? 1 : starts_[i];
    layers_[i]->set_on(on);
}

std::vector<bool> LayerStack::hold(size_t i, const std::vector<LayerGrip>& grips) {
    auto* held = dynamic_cast<HeldByHands*>(layers_[i].get());
    return held != nullptr ? held->hold(grips) : std::vector<bool>(grips.size(), false);
}

void LayerStack::take_over(const LayerStack& before, const std::vector<int>& layer_before) {
    for (size_t i = 0; i < layers_.size(); ++i) {
        const int other = layer_before[i];
        const bool goes_on = other >= 0 && goes_on_from(*before.layers_[static_cast<size_t>(other)], *layers_[i]);
        starts_[i] = goes_on ? before.starts_[static_cast<size_t>(other)] : 1;
    }
    has_past_ = before.has_past_;
    number_ = before.number_;
    at_ = before.at_;
    clock_ = before.clock_;
}

std::vector<std::vector<double>> LayerStack::save() const {
    std::vector<std::vector<double>> states;
    for (const auto& layer : layers_) {
        states.push_back(layer->save());
    }
    return states;
}

void LayerStack::restore(const std::vector<std::vector<double>>& states, int number) {
    require(states.size() == layers_.size(), "saved state: expected ", layers_.size(), " layers, found ",
            states.size());
    for (size_t i = 0; i < layers_.size(); ++i) {
        layers_[i]->restore(states[i]);
    }
    has_past_ = true;
    number_ = number;
    at_ = clock_ = time_of(number);
}

void LayerStack::advance(int number, Frame& frame) {
    const bool starts = !has_past_ || number != number_ + 1;
    LayerStep step;
    step.to = step.clock_to = time_of(number);
    step.from = step.clock_from = starts ? step.to : at_;
    const auto time = [this](int n) { return time_of(n); };
    make_frame(number, starts, time, step, frame);
}

void LayerStack::advance_to(double body_time, double seconds, Frame& frame) {
    require(options_.look_ahead == 0,
            "advance: expected look_ahead = 0 for a body time off the grid of "
            "frames, found ",
            options_.look_ahead);
    require(seconds > 0.0 && std::isfinite(seconds) && std::isfinite(body_time),
            "advance: expected a finite time and a positive number of seconds, "
            "found ",
            body_time, " and ", seconds);
    const bool starts = !has_past_;
    const int number = starts ? 1 : number_ + 1;
    LayerStep step;
    step.to = body_time;
    step.from = starts ? body_time : at_;
    step.clock_to = starts ? 0.0 : clock_ + seconds;
    step.clock_from = starts ? 0.0 : clock_;
    const double before = step.from;
    const auto time = [=](int n) { return n < number ? before : body_time; };
    make_frame(number, starts, time, step, frame);
}

void LayerStack::make_frame(int number, bool starts, BodyTimes time_of_frame, LayerStep step, Frame& frame) {
    frame.number = number;
    frame.time = step.to;
    step.body = &body_;
    step.workers = &workers_;
    step.sampling = options_.sampling;
    step.between = options_.sampling;
    step.known = step.to;
    step.reset = starts;
    frame.stage_seconds.resize(layers_.size() + 1);
    StageClock clock(frame.stage_seconds[0]);
    if (!has_memory()) {
        body_.positions(step.to, options_.sampling, workers_, frame.body().positions);
    } else {
        if (!frames_) {
            double wanted = 0.0;
            for (const auto& layer : layers_) {
                wanted = std::max(wanted, layer->facts().look_ahead);
            }
            constexpr double rounding = 1e-6;  // frames
            const int ahead =
                options_.look_ahead == 0
                    ? 0
                    : std::max(options_.look_ahead, static_cast<int>(std::ceil(wanted * options_.fps - rounding)));
            frames_ = std::make_unique<BodyFrames>(body_, options_.sampling,
                                                   options_.cut_distance * surface_->main_box().norm(), ahead);
        }
        frames_->go_to(number, time_of_frame, workers_);
        frame.body().positions = frames_->positions();
        if (!starts && frames_->is_cut()) {
            cuts_.push_back(number);
            step.reset = true;
        }
        if (options_.look_ahead > 0) {
            step.between = frames_->is_near_cut() ? TimeSampling::exact : TimeSampling::smooth;
            step.known = time_of_frame(frames_->last_known());
        }
    }
    clock.stop();
    run(step, frame);
    has_past_ = true;
    number_ = number;
    at_ = step.to;
    clock_ = step.clock_to;
}

void LayerStack::refine_values(size_t i, std::vector<double>& values, int width) {
    const RefinedMesh& refined = *layers_[i]->facts().refined;
    grounds_[i].surface->from_art().values(values, width, workers_, coarse_);
    refined.from_below.values(coarse_, width, workers_, fine_);
    refined.surface->to_art().values(fine_, width, workers_, values);
}

void LayerStack::take_share(size_t i, MeshFrame& frame) {
    const LayerFacts& facts = layers_[i]->facts();
    const SimulationSurface& surface = *grounds_[i + 1].surface;
    if (facts.refined != nullptr) {
        plain_ = stood_on_;
        for (size_t earlier = 0; earlier < i; ++earlier) {
            if (!frame.shares[earlier].empty()) {
                refine_values(i, frame.shares[earlier], 3);
                surface.from_art().values(frame.shares[earlier], 3, workers_, fine_);
                plain_ -= Eigen::Map<const MatrixX3d>(fine_.data(), plain_.rows(), 3);
            }
        }
    }
    if (facts.changes_shape) {
        fine_.resize(static_cast<size_t>(after_.size()));
        Eigen::Map<MatrixX3d>(fine_.data(), after_.rows(), 3) = after_ - stood_on_;
        surface.to_art().values(fine_, 3, workers_, frame.shares[i]);
    }
}

/// A layer that is switched off: what it announced says that nothing happens.
void LayerStack::leave_out(size_t i, LayerFrame& part) {
    const LayerFacts& facts = layers_[i]->facts();
    for (size_t c = 0; c < facts.channels.size(); ++c) {
        const auto count = static_cast<size_t>(grounds_[i].art->positions.rows());
        part.channel(c).assign(count * static_cast<size_t>(facts.channels[c].width), facts.channels[c].neutral);
    }
    for (size_t n = 0; n < facts.numbers.size(); ++n) {
        part.number(n) = 0.0;
    }
    if (facts.changes_uv) {
        part.uv() = grounds_[i].art->uv;
    }
    if (part.skin != nullptr) {
        *part.skin = grounds_[i].surface->rest();
    }
}

void LayerStack::run(LayerStep step, Frame& frame) {
    if (layers_.empty()) {
        return;
    }
    MeshFrame& body = frame.body();
    step_ = step;
    surface_->from_art().values(body.positions, workers_, before_);
    after_ = before_;
    if (first_.rows() == 0) {
        first_ = before_;
    }
    body_moved_ = std::max(body_moved_, (before_ - first_).rowwise().norm().maxCoeff());
    if (keeps_plain_) {
        body.plain_positions = body.positions;
        body.shares.resize(layers_.size());
        plain_ = before_;
    }
    for (size_t i = 0; i < layers_.size(); ++i) {
        Layer& layer = *layers_[i];
        const LayerFacts& facts = layer.facts();
        step.ground = moving_[i].get();
        step.base = moving_[bases_[i]].get();
        LayerFrame part(frame, info_.layers[i]);
        const bool moves = facts.changes_shape;
        if (moves || keeps_plain_) {
            stood_on_ = after_;
            part.plain = facts.refined != nullptr ? &stood_on_ : nullptr;
        }
        const bool has_rider = std::any_of(layers_.begin() + static_cast<std::ptrdiff_t>(i) + 1, layers_.end(),
                                           [](const auto& above) { return above->facts().rides_on_skin; });
        part.skin = has_rider && facts.skin == SkinMotion::over_surface ? &skin_ : nullptr;
        part.skin_place = part.skin == nullptr ? nullptr : &skin_place_;
        if (!layer.is_on() && facts.refined == nullptr) {
            frame.stage_seconds[i + 1] = 0.0;
            leave_out(i, part);
        } else {
            const StageClock clock(frame.stage_seconds[i + 1]);
            const bool is_reset = step.reset;
            step.reset = is_reset || starts_[i] != 0;
            starts_[i] = 0;
            layer.advance(step, after_, part);
            step.reset = is_reset;
            if (moves) {
                if (facts.refined != nullptr) {
                    together_[i + 1]->hold(stood_on_);
                }
                together_[i + 1]->hold(stood_on_, after_);
                moved_[i] = std::max(moved_[i], std::sqrt((after_ - stood_on_).rowwise().squaredNorm().maxCoeff()));
            }
        }
        if (facts.skin != SkinMotion::none || facts.refined != nullptr) {
            step.skin = part.skin;
            step.skin_place = part.skin_place;
        }
        if (facts.refined != nullptr) {
            // Earlier layers have just written theirs on the coarser mesh.
            for (size_t c = 0; c < info_.layers[i].first_channel; ++c) {
                refine_values(i, body.channels[c], info_.meshes.front().channels[c].width);
            }
        }
        if (keeps_plain_) {
            take_share(i, body);
        }
    }
    const LayerInput& top = grounds_.back();
    if (top.refined == nullptr) {
        surface_->scatter(before_, after_, body.positions);
        return;
    }
    top.surface->place(after_, body.positions);
    if (keeps_plain_) {
        top.surface->place(plain_, body.plain_positions);
    }
}

}  // namespace cutis
