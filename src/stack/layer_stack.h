#pragma once

#include <chrono>
#include <functional>

#include "cutis/stack/layer.h"
#include "cutis/stack/sink.h"

namespace cutis {

/// Adds the seconds spent in a scope to one stage.
class StageClock {
public:
    explicit StageClock(double& seconds) : seconds_(seconds) {}
    ~StageClock() { seconds_ += elapsed(); }
    double elapsed() const { return std::chrono::duration<double>(Clock::now() - begin_).count(); }
    StageClock(const StageClock&) = delete;
    StageClock& operator=(const StageClock&) = delete;

private:
    using Clock = std::chrono::steady_clock;
    double& seconds_;
    Clock::time_point begin_ = Clock::now();
};

/// The layers of a scene, each prepared on what the ones before it give, and the way from the
/// body's positions to those of a frame.
class LayerStack {
public:
    /// \param notes   what repairing the surface had to say is added here
    /// \param begins  called before a layer is prepared; false leaves out it and those after it
    /// \throw InvalidInput
    LayerStack(const Body& body, const Scene& scene, const std::vector<LayerKind>& kinds,
               std::vector<std::string>& notes,
               const std::function<bool(const LayerScene&)>& begins);
    LayerStack(const LayerStack&) = delete;
    LayerStack& operator=(const LayerStack&) = delete;

    size_t size() const { return layers_.size(); }
    const Layer& layer(size_t i) const { return *layers_[i]; }
    bool any(bool (Layer::*question)() const) const;
    /// The mesh frames are given on.
    const ArtMesh& art() const;
    /// What the body and the layers bring to frames.
    const BakeInfo& info() const { return info_; }

    std::vector<std::vector<double>> save() const;
    /// \throw InvalidInput  another number of layers, or not their states
    void restore(const std::vector<std::vector<double>>& states);

    /// Runs all layers on the body's positions in the frame (at step.to). Where a layer refines the
    /// mesh, they end on that.
    /// \param keep_body  also fill plain_positions and shares
    /// \param seconds    per layer, added to
    void advance(LayerStep step, bool keep_body, Frame& frame, std::vector<double>& seconds);

private:
    // The body with the first `depth` layers, at any time of the current step.
    class Ground final : public MovingSurface {
    public:
        Ground(LayerStack& stack, size_t depth) : stack_(stack), depth_(depth) {}
        void positions(double time, MatrixX3d& out) const override;

    private:
        LayerStack& stack_;
        size_t depth_;
    };

    void refine_channels(size_t i, MeshFrame& frame);
    void take_share(size_t i, const SimulationSurface& surface, MeshFrame& frame);

    const Body& body_;
    std::unique_ptr<SimulationSurface> surface_;
    std::vector<std::unique_ptr<Layer>> layers_;
    std::vector<Ground> grounds_;           // what each layer stands on
    const RefinedMesh* refined_ = nullptr;  // of the last layer that refines
    BakeInfo info_;
    LayerStep step_;            // the current one, for grounds
    MatrixX3d body_positions_;  // art vertices at a sub-step time
    MatrixX3d before_;          // simulation vertices as the body has them
    MatrixX3d after_;           // with all layers
    MatrixX3d ground_;          // what the current layer stands on, at the end of the step
    std::vector<double> moved_;
    std::vector<double> values_;
};

}  // namespace cutis
