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

/// The surface a layer stands on while it advances: the body and all earlier layers.
class MovingSurface {
public:
    virtual ~MovingSurface() = default;
    /// At any time from LayerStep::from to LayerStep::to. Allocates nothing after the first call
    /// with the same `out`. \param out  #V x 3, metres
    virtual void positions(double time, MatrixX3d& out) const = 0;
};

/// How the skin's material moves under what stands on it.
enum class SkinMotion {
    none,          ///< no layer below moves it
    with_surface,  ///< vertices move with it
    over_surface,  ///< it slides over vertices that stay (UVs move instead)
};

/// What a layer is handed for one advance.
struct LayerStep {
    const Body* body = nullptr;
    const Workers* workers = nullptr;
    const MovingSurface* ground = nullptr;  ///< what it stands on, also at sub-step times
    TimeSampling sampling = TimeSampling::exact;
    double from = 0.0;   ///< body time of the previous advance, seconds
    double to = 0.0;     ///< body time to reach
    bool reset = false;  ///< first advance, or a cut lies between: start anew, simulate nothing
    bool wants_skin = false;          ///< a layer above rides on the skin: say where it is
    const MatrixX3d* skin = nullptr;  ///< #V x 3: where on the surface at rest the material of each
                                      ///< vertex is now; null: no layer below slides it
};

/// What a layer is prepared on: the surface, and what its vertices carry.
struct LayerGround {
    const Body* body = nullptr;
    const SimulationSurface* surface = nullptr;
    const ArtMesh* art = nullptr;  ///< the body's mesh, or that of an earlier layer's refinement
    const SkinWeights* weights = nullptr;  ///< per vertex of `art`; no joints without a skin
    double fps = 30.0;                     ///< of the frames to come
    SkinMotion skin = SkinMotion::none;    ///< of the layers below
};

/// A finer mesh that a layer gives its result on.
struct RefinedMesh {
    ArtMesh art;  ///< with UVs, parts and painted values
    SkinWeights weights;
    std::shared_ptr<const SimulationSurface> surface;  ///< made from `art`
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

    /// The finer mesh this layer gives its result on; null: the one it stands on.
    virtual const RefinedMesh* refined() const { return nullptr; }
    /// What it brings to every frame: channels, numbers, meshes, lines. Fixed once prepared.
    virtual LayerFacts facts() const { return {}; }

    /// Moves `surface` (#V x 3, in: body and earlier layers at step.to; out: with this layer, on
    /// its refined mesh where it has one) and writes what facts() announced, or UVs, into `frame`,
    /// all of it every time: the frame is used again. Channels are per art vertex of the mesh it
    /// gives its result on; SimulationSurface::spread brings them there. Allocates nothing after
    /// the first call.
    /// \throw SolverFailure
    virtual void advance(const LayerStep& step, MatrixX3d& surface, LayerFrame& frame) = 0;

    /// What must be saved to resume: versioned, bit-exact. Empty for a layer without memory.
    virtual std::vector<double> save() const = 0;
    /// \throw InvalidInput  not a state of this layer on this surface
    virtual void restore(const std::vector<double>& state) = 0;

    virtual LayerReport report() const = 0;

    /// The shape at a time inside the last advance (from .. to), for layers above that take smaller
    /// steps. A layer that changes shape must answer; after advance it equals what advance gave at
    /// step.to. \param surface  in: what it stands on at `time`; out: with this layer
    virtual void shape_at(double /*time*/, MatrixX3d& /*surface*/) {}

    /// The body as it would be on the refined mesh without this layer, for side by side. Called
    /// after advance. \param surface  in: body on what this layer stands on; out: refined
    virtual void refine_plain(MatrixX3d& /*surface*/) {}

    /// Values of the art vertices it stands on, to those of its refined mesh (channels of earlier
    /// layers). Called after advance. \param values  #A * width
    virtual void refine_values(const std::vector<double>& /*values*/, int /*width*/,
                               std::vector<double>& /*out*/) const {}

    /// What it does with the skin's material.
    virtual SkinMotion skin_motion() const { return SkinMotion::none; }
    /// After an advance that wants_skin, for material that slides over the surface: see
    /// LayerStep::skin.
    virtual const MatrixX3d* skin_places() const { return nullptr; }
    /// Whether it needs LayerStep::skin.
    virtual bool rides_on_skin() const { return false; }
};

/// The options of a layer before it is prepared: binds them to their keys, then builds the layer.
class LayerPlan {
public:
    virtual ~LayerPlan() = default;
    /// The layer's keys bound to this plan's options.
    virtual std::vector<Setting> settings() = 0;
    /// A mesh the layer's key `mesh` names, before prepare.
    // NOLINTNEXTLINE(performance-unnecessary-value-param): those who override keep the mesh
    virtual void take_mesh(const std::string& /*name*/, std::shared_ptr<const ArtMesh> /*mesh*/) {}
    /// \throw InvalidInput  options that do not fit the surface
    virtual std::unique_ptr<Layer> prepare(const LayerGround& ground) = 0;
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
