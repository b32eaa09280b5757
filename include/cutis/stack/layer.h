#pragma once

#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cutis/core/parallel.h"
#include "cutis/stack/frame.h"
#include "cutis/stack/scene.h"
#include "cutis/stack/simulation_surface.h"

namespace cutis {

struct Anatomy;

/// A surface that moves under a layer.
class MovingSurface {
public:
    virtual ~MovingSurface() = default;
    /// At any body time from LayerStep::from to LayerStep::to. Allocates nothing after the first
    /// call with the same `out`. \param out  #V x 3, metres
    virtual void positions(double time, TimeSampling sampling, MatrixX3d& out) const = 0;
};

/// What a layer is handed for one advance.
///
/// Body time (which pose) and simulated time (how long the layer has to react) are two clocks. In a
/// bake they are the same; a body that is held still while time runs has only the second.
struct LayerStep {
    const Body* body = nullptr;
    const Workers* workers = nullptr;
    const MovingSurface* ground = nullptr;                   ///< its input: the body and all earlier layers
    const MovingSurface* base = nullptr;                     ///< the same on LayerInput::base, below all refinements
    TimeSampling sampling = TimeSampling::exact;             ///< between keys, as frames have it
    TimeSampling between = TimeSampling::exact;              ///< for what layers with memory feel: without
                                                             ///< jumps of velocity, exact near a cut
    double from = 0.0;                                       ///< body time of the previous advance, seconds
    double to = 0.0;                                         ///< body time to reach
    double clock_from = 0.0;                                 ///< simulated time of the previous advance, seconds
    double clock_to = 0.0;                                   ///< simulated time to reach
    double known = std::numeric_limits<double>::infinity();  ///< body time up to which the body may
                                                             ///< be asked: at least `to`
    bool reset = false;                     ///< first advance, or a cut lies between: restart, simulate nothing
    const MatrixX3d* skin = nullptr;        ///< #V x 3: where on the surface at rest the material of each
                                            ///< vertex is now; null: no layer below slides it
    const MatrixX3d* skin_place = nullptr;  ///< with it: where in this pose it is

    /// Body seconds per simulated second.
    double pace() const {
        return to == clock_to && from == clock_from ? 1.0
               : clock_to > clock_from              ? (to - from) / (clock_to - clock_from)
                                                    : 0.0;
    }
    /// Body time at a simulated time between clock_from and clock_to.
    double body_time(double clock) const {
        return to == clock_to && from == clock_from ? clock : to + (clock - clock_to) * pace();
    }
};

/// What a body is made of, found when a layer first asks and kept for the others.
class KnownAnatomy {
public:
    std::shared_ptr<const Anatomy> of(const Body& body);

private:
    std::shared_ptr<const Anatomy> found_;
};

/// What a layer is prepared on: the surface, and what its vertices carry.
struct LayerInput {
    const Body* body = nullptr;
    const SimulationSurface* surface = nullptr;
    const ArtMesh* art = nullptr;          ///< the body's mesh, or that of an earlier layer's refinement
    const SkinWeights* weights = nullptr;  ///< per vertex of `art`; no joints without a skin
    double fps = 30.0;                     ///< of the frames to come
    const Workers* workers = nullptr;      ///< to prepare with; null: one thread
    SkinMotion skin = SkinMotion::none;    ///< of the layers below
    bool knows_future = true;              ///< false: the body is not read beyond the current frame
    const LayerInput* base = nullptr;      ///< the input of the last refinement below; null: none
                                           ///< refines. Layers may simulate there.
    const RefinedMesh* refined = nullptr;  ///< that refinement
    std::shared_ptr<KnownAnatomy> known_anatomy = nullptr;  ///< shared by the layers; null: each finds its own

    std::shared_ptr<const Anatomy> anatomy() const;
    /// One thread where no workers were given.
    const Workers& own_workers() const;
};

/// A finer mesh that a layer gives its result on.
struct RefinedMesh {
    ArtMesh art;  ///< with UVs, parts and painted values
    SkinWeights weights;
    std::shared_ptr<const SimulationSurface> surface;  ///< made from `art`
    MeshMap from_below;                                ///< from its input surface to `surface`
    std::vector<SurfacePoint> uv_points;               ///< each UV of `art` as a point of the UV triangles below
};

/// A hand that holds a place of what a layer moves, while time runs.
struct LayerGrip {
    bool is_detail = false;          ///< of the first mesh the layer adds, else of the body as the layer shows it
    int vertex = 0;                  ///< art vertex of that mesh
    Vector3d by = Vector3d::Zero();  ///< how far it is drawn from where it would be, metres
    double radius = 0.0;             ///< of what the hand covers, metres
};

/// What a layer reports after a bake.
struct LayerReport {
    std::string kind;
    std::map<std::string, double> numbers;  ///< residuals, iterations, limits hit
    std::vector<std::string> notes;
};

/// One method on the simulation surface. Made by its LayerPlan, or by a function of its options,
/// with everything that can be computed once; then advanced frame by frame.
class Layer {
public:
    virtual ~Layer() = default;

    /// What it is and brings, the same from the first call on.
    virtual const LayerFacts& facts() const = 0;

    /// Moves `surface` (#V x 3, in: body and earlier layers at step.to; out: with this layer, on
    /// its refined mesh where it has one) and writes what facts() announced, or UVs, into `frame`,
    /// all of it every time: the frame is used again. Channels are per art vertex of the mesh it
    /// gives its result on; SimulationSurface::to_art brings them there. Allocates nothing after
    /// the first call.
    /// \throw SolverFailure
    virtual void advance(const LayerStep& step, MatrixX3d& surface, LayerFrame& frame) = 0;

    /// The shape at a body time inside the last advance (from .. to), for layers above that take
    /// smaller steps. A layer that changes shape must answer; after advance it equals what advance
    /// gave at step.to. \param surface  in: its input at `time`; out: with this layer
    virtual void shape_at(double time, TimeSampling sampling, MatrixX3d& surface);

    /// What must be saved to resume: versioned, bit-exact. Empty for a layer without memory.
    virtual std::vector<double> save() const;
    /// \throw InvalidInput  not a state of this layer on this surface
    virtual void restore(const std::vector<double>& state);

    /// Switched off it moves nothing; one that refines still gives its finer mesh.
    void set_on(bool on) { is_on_ = on; }
    bool is_on() const { return is_on_; }

    /// What it had to do so far: layers keep it up to date.
    const LayerReport& report() const { return report_; }

protected:
    /// A number of the report. Called with the same names in the same order after every advance,
    /// beginning with begin_report(): only the first round looks them up.
    void begin_report() { next_number_ = 0; }
    void report_number(const char* name, double value);

    LayerReport report_;

private:
    std::vector<double*> numbers_;
    size_t next_number_ = 0;
    bool is_on_ = true;
};

/// What a layer that hands can hold also is.
class HeldByHands {
public:
    virtual ~HeldByHands() = default;
    /// Hands that hold it from the next advance on, instead of those before; empty lets go. \return which of them it
    /// feels: no hand elsewhere acts on it.
    virtual std::vector<bool> hold(const std::vector<LayerGrip>& grips) = 0;
};

/// What a layer also is whose state may be taken over without fitting number by number.
class TakesOver {
public:
    virtual ~TakesOver() = default;
    /// Continues from the state of another layer of the same kind, prepared with other options on the same surface.
    /// \return false: it cannot, and restarts
    virtual bool take_over(const Layer& before) = 0;
};

/// Mesh files by name.
using LayerMeshes = std::map<std::string, std::shared_ptr<const ArtMesh>>;

/// One of them. \throw InvalidInput  it was not read
std::shared_ptr<const ArtMesh> find_mesh(const LayerMeshes& meshes, const std::string& name,
                                         const std::string& section);

/// What a layer will need, guessed in a moment before it is prepared.
struct LayerCost {
    double vertices = 0.0;  ///< of the mesh it refines; 0: it refines none
    double bytes = 0.0;     ///< of memory, beside what every layer of a body needs
};

/// The options of a layer before it is prepared: binds them to their keys, then builds the layer.
class LayerPlan {
public:
    virtual ~LayerPlan() = default;
    /// The layer's keys bound to this plan's options.
    virtual Options options() = 0;
    /// \param meshes  files that options name (is_file), by name
    /// \throw InvalidInput  options that do not fit the surface
    virtual std::unique_ptr<Layer> prepare(const LayerInput& ground, const LayerMeshes& meshes) const = 0;
    /// Gives a layer this plan's value of one option, whose description says that it may change while running.
    /// \return false: this layer cannot, and has to be prepared again
    /// \throw InvalidInput  options that do not fit the surface
    virtual bool change(Layer& layer, const std::string& key) const;
    /// \param ground  the body's own surface
    /// \throw InvalidInput  options that are seen not to fit it
    virtual LayerCost estimate(const LayerInput& ground) const;
};

/// A kind of layer this build knows.
struct LayerKind {
    std::string kind;
    std::string about;
    std::function<std::unique_ptr<LayerPlan>()> plan;
};

/// All kinds, in the order in which they follow each other in a stack.
const std::vector<LayerKind>& layer_kinds();

/// The plan a [[layer]] table asks for, with its values read again.
/// \throw InvalidInput  unknown kind (lists what there is), or a bad value
std::unique_ptr<LayerPlan> plan_layer(const LayerScene& layer, const std::string& file,
                                      const std::vector<LayerKind>& kinds = layer_kinds());

}  // namespace cutis
