#include "layer_stack.h"

#include <algorithm>

#include "cutis/core/error.h"

namespace cutis {

LayerStack::LayerStack(const Body& body, const Scene& scene, const std::vector<LayerKind>& kinds,
                       std::vector<std::string>& notes,
                       const std::function<bool(const LayerScene&)>& begins)
    : body_(body), info_(body) {
    if (scene.layers.empty()) {
        return;
    }
    RepairOptions options;
    options.weld_distance = scene.body.weld_distance;
    surface_ = std::make_unique<SimulationSurface>(scene.body.repair
                                                       ? SimulationSurface::repaired(body, options)
                                                       : SimulationSurface::as_it_is(body));
    notes.insert(notes.end(), surface_->mesh().notes.begin(), surface_->mesh().notes.end());

    LayerGround ground{&body, surface_.get(), &body.mesh(), &body.source().weights, scene.fps};
    for (const LayerScene& entry : scene.layers) {
        if (!begins(entry)) {
            return;
        }
        std::unique_ptr<Layer> layer = plan_layer(entry, scene.file, kinds)->prepare(ground);
        try {
            info_.add_layer(entry.kind, layer->facts());
        } catch (const InvalidInput& error) {
            throw InvalidInput(
                say(scene_place(scene.file, entry.line, entry.column), error.what()));
        }
        info_.layers.back().changes_shape = layer->changes_shape();
        info_.layers.back().changes_uv = layer->changes_uv();
        info_.meshes.front().shape_changed |= layer->changes_shape();
        info_.meshes.front().uv_changed |= layer->changes_uv();
        if (const RefinedMesh* refined = layer->refined()) {
            refined_ = refined;
            info_.show(refined->art);
            ground.surface = refined->surface.get();
            ground.art = &refined->art;
            ground.weights = &refined->weights;
            ground.skin = SkinMotion::none;
        }
        if (layer->skin_motion() != SkinMotion::none) {
            ground.skin = layer->skin_motion();
        }
        grounds_.emplace_back(*this, layers_.size());
        layers_.push_back(std::move(layer));
    }
}

bool LayerStack::any(bool (Layer::*question)() const) const {
    for (const auto& layer : layers_) {
        if ((layer.get()->*question)()) {
            return true;
        }
    }
    return false;
}

const ArtMesh& LayerStack::art() const {
    return refined_ == nullptr ? body_.mesh() : refined_->art;
}

std::vector<std::vector<double>> LayerStack::save() const {
    std::vector<std::vector<double>> states;
    for (const auto& layer : layers_) {
        states.push_back(layer->save());
    }
    return states;
}

void LayerStack::restore(const std::vector<std::vector<double>>& states) {
    if (states.size() != layers_.size()) {
        throw InvalidInput(
            say("saved state: expected ", layers_.size(), " layers, found ", states.size()));
    }
    for (size_t i = 0; i < layers_.size(); ++i) {
        layers_[i]->restore(states[i]);
    }
}

void LayerStack::Ground::positions(double time, MatrixX3d& out) const {
    stack_.body_.positions(time, stack_.step_.sampling, *stack_.step_.workers,
                           stack_.body_positions_);
    stack_.surface_->gather(stack_.body_positions_, out);
    for (size_t i = 0; i < depth_; ++i) {
        stack_.layers_[i]->shape_at(time, out);
    }
}

void LayerStack::refine_channels(size_t i, MeshFrame& frame) {
    // Earlier layers have just written theirs on the coarser mesh.
    for (size_t c = 0; c < info_.layers[i].first_channel; ++c) {
        layers_[i]->refine_values(frame.channels[c], info_.meshes.front().channels[c].width,
                                  values_);
        frame.channels[c].swap(values_);
    }
}

void LayerStack::take_share(size_t i, const SimulationSurface& surface, MeshFrame& frame) {
    Layer& layer = *layers_[i];
    if (layer.refined() != nullptr) {
        layer.refine_plain(ground_);
        for (size_t earlier = 0; earlier < i; ++earlier) {
            if (!frame.shares[earlier].empty()) {
                layer.refine_values(frame.shares[earlier], 3, values_);
                frame.shares[earlier].swap(values_);
            }
        }
    }
    if (layer.changes_shape()) {
        moved_.resize(static_cast<size_t>(after_.size()));
        Eigen::Map<MatrixX3d>(moved_.data(), after_.rows(), 3) = after_ - ground_;
        surface.spread(moved_, 3, frame.shares[i]);
    }
}

void LayerStack::advance(LayerStep step, bool keep_body, Frame& frame,
                         std::vector<double>& seconds) {
    if (layers_.empty()) {
        return;
    }
    step_ = step;
    MeshFrame& body = frame.body();
    surface_->gather(body.positions, before_);
    after_ = before_;
    if (keep_body) {
        body.plain_positions = body.positions;
        body.shares.resize(layers_.size());
    }
    const SimulationSurface* surface = surface_.get();
    for (size_t i = 0; i < layers_.size(); ++i) {
        Layer& layer = *layers_[i];
        step.ground = &grounds_[i];
        step.wants_skin =
            std::any_of(layers_.begin() + static_cast<std::ptrdiff_t>(i) + 1, layers_.end(),
                        [](const auto& above) { return above->rides_on_skin(); });
        if (keep_body) {
            ground_ = after_;
        }
        {
            const StageClock clock(seconds[i]);
            LayerFrame part(frame, info_.layers[i]);
            layer.advance(step, after_, part);
            frame.stage_seconds[i + 1] = clock.elapsed();
        }
        if (layer.skin_motion() != SkinMotion::none || layer.refined() != nullptr) {
            step.skin = layer.skin_places();
        }
        if (layer.refined() != nullptr) {
            refine_channels(i, body);
            surface = layer.refined()->surface.get();
        }
        if (keep_body) {
            take_share(i, *surface, body);
        }
        if (layer.refined() != nullptr && keep_body) {
            layer.refine_plain(before_);
        }
    }
    if (refined_ == nullptr) {
        surface_->scatter(before_, after_, body.positions);
        return;
    }
    refined_->surface->place(after_, body.positions);
    if (keep_body) {
        refined_->surface->place(before_, body.plain_positions);
    }
}

}  // namespace cutis
