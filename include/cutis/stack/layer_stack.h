#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "cutis/core/function_ref.h"
#include "cutis/stack/layer.h"
#include "cutis/stack/sink.h"

namespace cutis {

class BodyFrames;
class Together;

/// How layers are stacked on a body.
struct StackOptions {
    double fps = 30.0;                            ///< frame n is at (n - 1) / fps seconds
    TimeSampling sampling = TimeSampling::exact;  ///< between keys, for frames and layers alike
    bool repair = true;                           ///< weld and clean the surface layers work on; false: refuse
    double weld_distance = 0.0;                   ///< fraction of the box diagonal; 0: exact matches only
    double cut_distance = 0.5;                    ///< a vertex that moves further (of the body's box diagonal) from
                                                  ///< frame to frame makes a cut: layers restart there
    int look_ahead = 2;  ///< frames; 0: the body's future is not known (live), cuts are seen when
                         ///< they happen and layers feel straight lines between keys
};

/// Layers on a body, each prepared on what the ones before it give, and the way from the body's
/// positions to those of a frame. All that looks at the body over time (the frames ahead, cuts, the
/// two clocks) is here, once for all layers.
///
///     LayerStack stack(body, {}, workers);
///     stack.add("slide", make_slide_layer(options, stack.ground()));
///     Frame frame = stack.info().empty_frame();
///     for (int number = 1; number <= 24; ++number) {
///         stack.advance(number, frame);  // frame.body().positions
///     }
class LayerStack {
public:
    /// Body and workers must outlive the stack.
    /// \throw InvalidInput  options out of range
    LayerStack(const Body& body, const StackOptions& options, const Workers& workers);
    ~LayerStack();
    LayerStack(const LayerStack&) = delete;
    LayerStack& operator=(const LayerStack&) = delete;

    /// What the next layer is prepared on. The surface is made at the first call.
    /// \throw InvalidInput  a mesh that is no surface
    const LayerInput& ground();
    /// A layer prepared on ground(), on top of those there are.
    /// \throw InvalidInput  a name of a channel or mesh that is taken; a stack that has advanced
    void add(const std::string& kind, std::unique_ptr<Layer> layer);

    size_t size() const { return layers_.size(); }
    const Layer& layer(size_t i) const { return *layers_[i]; }
    bool has_memory() const;  ///< of any layer: frames have to come in order
    bool changes_shape() const;
    /// What the body and the layers bring to frames.
    const BakeInfo& info() const { return info_; }
    /// Notes from repairing the surface.
    std::vector<std::string> notes() const;
    /// Why layer i is not visible: it moved nothing so far, or less than can be seen. Empty where
    /// it did, and for layers that move no vertex.
    std::string note_if_unseen(size_t i) const;
    /// Numbers of the frames at which layers restarted because the body jumped.
    const std::vector<int>& cuts() const { return cuts_; }
    /// Frames also bring plain positions and the share of each layer.
    void keep_plain(bool keep) { keeps_plain_ = keep; }

    /// Makes a frame of the clip: the body and all layers at (number - 1) / fps. Where a layer has
    /// memory they come in order; the first one (also after others than the one before) starts
    /// anew. Fills the frame, its number and time included.
    void advance(int number, Frame& frame);
    /// The same off the clip's grid, for look_ahead = 0: to any body time, while layers have
    /// `seconds` to react. At a fixed body time layers continue by themselves.
    /// \throw InvalidInput  seconds not above 0, a stack that looks ahead
    void advance_to(double body_time, double seconds, Frame& frame);

    /// Between two frames, while time runs:
    /// Another layer in place of one of the same kind, prepared on the same ground(i). It continues from the state of
    /// the one before, where it can. Frames then hold what it announces: take a new empty one. \return false: one of
    /// the two refines the mesh or moves the skin otherwise, so that those above would stand on
    ///         something else
    bool replace(size_t i, std::unique_ptr<Layer>& layer);
    /// What layer i was prepared on.
    const LayerInput& ground(size_t i) const { return grounds_[i]; }
    /// Switched on again, a layer restarts.
    void set_on(size_t i, bool on);
    /// \return which of the hands layer i feels
    std::vector<bool> hold(size_t i, const std::vector<LayerGrip>& grips);
    bool change(size_t i, const LayerPlan& plan, const std::string& key) { return plan.change(*layers_[i], key); }
    /// Layers restart with the next frame: the body is elsewhere.
    void start_anew() { has_past_ = false; }

    /// Where advance_to() has come.
    struct Moment {
        int number = 0;
        double body_time = 0.0;
        double clock = 0.0;
    };
    Moment moment() const { return {number_, at_, clock_}; }
    /// Continues from a moment of another stack on the same body; layers whose state differs restart.
    void take_over(const LayerStack& before, const std::vector<int>& layer_before);

    /// State of each layer after the last advance.
    std::vector<std::vector<double>> save() const;
    /// Goes on after frame `number` (of advance()).
    /// \throw InvalidInput  another number of layers, or not their states
    void restore(const std::vector<std::vector<double>>& states, int number);

private:
    class Ground;

    double time_of(int number) const { return (number - 1) / options_.fps; }
    using BodyTimes = FunctionRef<double(int number)>;
    void make_frame(int number, bool starts, BodyTimes time_of_frame, LayerStep step, Frame& frame);
    void run(LayerStep step, Frame& frame);
    void leave_out(size_t i, LayerFrame& part);
    void refine_values(size_t i, std::vector<double>& values, int width);
    void take_share(size_t i, MeshFrame& frame);
    void find_together();

    const Body& body_;
    StackOptions options_;
    const Workers& workers_;
    std::unique_ptr<SimulationSurface> surface_;
    std::vector<std::unique_ptr<Layer>> layers_;
    std::deque<LayerInput> grounds_;                         // what each layer was prepared on, then the next one
    std::vector<std::unique_ptr<Ground>> moving_;            // the same moving; [i]: the first i layers
    std::vector<size_t> bases_;                              // per ground: how many of the layers its base stands on
    size_t base_ = 0;                                        // of the last refinement
    std::vector<std::shared_ptr<const Together>> together_;  // per ground: vertices that lie on each other
    std::vector<double> moved_;                              // by each layer so far, at most
    double body_moved_ = 0.0;                                // from its first frame, at most
    MatrixX3d first_;                                        // the body in its first frame
    BakeInfo info_;
    std::unique_ptr<BodyFrames> frames_;
    std::vector<int> cuts_;
    bool keeps_plain_ = false;
    bool has_past_ = false;
    int number_ = 0;            // of the last frame
    double at_ = 0.0;           // its body time
    double clock_ = 0.0;        // its simulated time
    std::vector<char> starts_;  // layers that restart with the next frame

    LayerStep step_;            // the current one, for moving_
    MatrixX3d body_positions_;  // art vertices at a sub-step time
    MatrixX3d before_;          // simulation vertices as the body has them
    MatrixX3d plain_;           // the same on the mesh of the layer at hand
    MatrixX3d after_;           // with all layers
    MatrixX3d stood_on_;        // what the current layer is given, at the end of the step
    MatrixX3d skin_, skin_place_;
    std::vector<double> coarse_, fine_;
};

}  // namespace cutis
