#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cutis/core/parallel.h"
#include "cutis/stack/frame.h"
#include "cutis/stack/settings.h"
#include "cutis/stack/simulation_surface.h"

namespace cutis {

/// What a layer is handed for one advance.
struct LayerStep {
    const Body* body = nullptr;  ///< may be asked for positions at sub-step times
    const Workers* workers = nullptr;
    TimeSampling sampling = TimeSampling::exact;
    double from = 0.0;   ///< body time of the previous advance, seconds
    double to = 0.0;     ///< body time to reach
    bool reset = false;  ///< first advance, or a cut lies between: start anew, simulate nothing
};

/// What a layer has to say after a bake.
struct LayerReport {
    std::string kind;
    std::map<std::string, double> numbers;  ///< residuals, iterations, limits hit
    std::vector<std::string> notes;
};

/// One method on the simulation surface. Made by its LayerPlan with everything that can be computed
/// once; then advanced frame by frame.
class Layer {
public:
    virtual ~Layer() = default;

    virtual bool has_memory() const = 0;     ///< needs pre-roll and frames in order
    virtual bool changes_shape() const = 0;  ///< moves vertices
    virtual bool changes_uv() const = 0;     ///< moves UVs

    /// Moves `surface` (#V x 3, in: body and earlier layers at step.to; out: with this layer) and
    /// writes its channels, numbers or UVs into `frame`, all of them every time: the frame is used
    /// again.
    /// Allocates nothing after the first call.
    /// \throw SolverFailure
    virtual void advance(const LayerStep& step, MatrixX3d& surface, Frame& frame) = 0;

    /// What must be saved to resume: versioned, bit-exact. Empty for a layer without memory.
    virtual std::vector<double> save() const = 0;
    /// \throw InvalidInput  not a state of this layer on this surface
    virtual void restore(const std::vector<double>& state) = 0;

    virtual LayerReport report() const = 0;
};

/// The options of a layer before it is prepared: binds them to their keys, then builds the layer.
class LayerPlan {
public:
    virtual ~LayerPlan() = default;
    /// The layer's keys bound to this plan's options.
    virtual std::vector<Setting> settings() = 0;
    /// \throw InvalidInput  options that do not fit the surface
    virtual std::unique_ptr<Layer> prepare(const SimulationSurface& surface, const Body& body) = 0;
};

/// A kind of layer this build knows.
struct LayerKind {
    std::string kind;
    std::string about;
    std::function<std::unique_ptr<LayerPlan>()> plan;
};

/// All kinds, in the order in which they follow each other in a stack.
const std::vector<LayerKind>& layer_kinds();

/// The plan a [[layer]] table asks for, with its values read.
/// \throw InvalidInput  unknown kind (lists what there is), or a bad value
std::unique_ptr<LayerPlan> plan_layer(const LayerScene& layer, const std::string& file,
                                      const std::vector<LayerKind>& kinds = layer_kinds());

}  // namespace cutis
