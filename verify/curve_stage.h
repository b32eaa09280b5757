#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cutis/stack/layer_stack.h"
#include "stack/curve_settings.h"

namespace cutis::verify {

/// Soft parts of a body with what they collide with, frame by frame.
class Stage {
public:
    /// \param meshes  files that examples name
    Stage(Body body, const std::function<void(CurveLayerOptions&)>& change, double speed = 1.0,
          const LayerMeshes& meshes = {})
        : body_(std::move(body)), stack_(body_, {}, workers_), speed_(speed) {
        const LayerInput& ground = stack_.ground();
        surface_ = ground.surface;
        view_ = {&body_, &surface_->rest(), &surface_->topology(), &surface_->mesh().art_of_vertex,
                 &surface_->mesh().vertex_of_art};
        CurveLayerOptions options;
        options.flesh.curve.frequency_hz = 3.0;
        options.flesh.curve.damping = 0.2;
        options.flesh.curve.inertia_gain = 1.0;
        change(options);
        std::vector<std::string> notes;
        group_ = make_flesh(ground, view_, options, meshes, notes);
    }

    /// \param held  body time at which it stands still from then on
    void go_to(double time, bool starts, double held = 1e9) {
        const double body_to = speed_ * std::min(time, held);
        const double pace = time > held ? 0.0 : speed_;
        group_->advance({.to = time, .body_to = body_to, .pace = pace, .reset = starts}, workers_);
        body_.positions(body_to, TimeSampling::smooth, workers_, art_);
        surface_->from_art().values(art_, workers_, plain);
        shown = plain;
        group_->displace(body_to, TimeSampling::smooth, workers_, shown);
    }

    const FleshGroup& group() const { return *group_; }
    const Body& body() const { return body_; }
    const CurveBody& view() const { return view_; }
    MatrixX3d plain, shown;  ///< surface without and with flesh

private:
    Workers workers_{1};
    Body body_;
    LayerStack stack_;
    double speed_;
    const SimulationSurface* surface_ = nullptr;
    CurveBody view_;
    std::unique_ptr<FleshGroup> group_;
    MatrixX3d art_;
};

}  // namespace cutis::verify
