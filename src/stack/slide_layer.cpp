#include "slide_layer.h"

#include <algorithm>
#include <cmath>

#include "cutis/core/error.h"
#include "cutis/mesh/geometry.h"
#include "cutis/mesh/surface_point.h"
#include "cutis/slide/locate.h"
#include "cutis/slide/slide.h"
#include "slide_order.h"
#include "slide_plan.h"
#include "slide_tangents.h"
#include "slide_uv.h"

namespace cutis {

namespace {

/// A channel of the solver: announced, filled and carried from this one row.
struct SlideChannel {
    ChannelInfo info;
    VectorXd SlideChannels::*scalars = nullptr;  // one of these two
    MatrixX3d SlideChannels::*vectors = nullptr;
};

const std::vector<SlideChannel>& slide_channels() {
    using C = SlideChannels;
    static const std::vector<SlideChannel> rows = {
        {{"Pref", "m", 3, 0.0, true}, nullptr, &C::material_position},
        {{"major direction", "1", 3}, nullptr, &C::major_direction},
        {{"major stretch", "1", 1, 1.0}, &C::major_stretch},
        {{"minor stretch", "1", 1, 1.0}, &C::minor_stretch},
        {{"slide direction", "1", 3}, nullptr, &C::slide_direction},
        {{"slide distance", "m"}, &C::slide_distance},
        {{"stress", "N/m"}, &C::stress},
        {{"wrinkle amplitude", "m"}, &C::wrinkle_amplitude},
        {{"wrinkle direction", "1", 3}, nullptr, &C::wrinkle_direction},
    };
    return rows;
}

/// Says where the body jumps. A smooth curve through keys would draw the jump out into the frames
/// before and after it, as a motion that nobody made.
class CutWatch {
public:
    /// \param distance  of a vertex within a frame, metres, from which it is a jump
    explicit CutWatch(double distance) : squared_distance_(distance * distance) {}

    /// Is there one in this frame or in the two before or after it?
    bool is_near(const LayerStep& step) {
        const double frame = step.to - step.from;
        if (!(frame > 0.0)) {
            return false;
        }
        const bool goes_on = std::abs(step.from - next_from_) < 1e-6 * frame &&
                             std::abs(frame - frame_) < 1e-6 * frame;
        for (int i = goes_on ? 5 : 0; i < 6; ++i) {
            step.body->positions(step.from + (i - 2) * frame, TimeSampling::exact, *step.workers,
                                 here_);
            if (i > 0) {
                std::rotate(jumps_, jumps_ + 1, jumps_ + 5);
                jumps_[4] =
                    !((here_ - before_).rowwise().squaredNorm().maxCoeff() < squared_distance_);
            }
            before_.swap(here_);
        }
        next_from_ = step.to;
        frame_ = frame;
        return std::any_of(jumps_, jumps_ + 5, [](bool is_jump) { return is_jump; });
    }

private:
    double squared_distance_;
    double next_from_ = -1e300;
    double frame_ = 0.0;
    bool jumps_[5] = {};  // of five frames, this one in the middle
    MatrixX3d before_, here_;
};

class SlideLayer : public Layer {
public:
    SlideLayer(const SlideSettings& settings, const LayerGround& ground)
        : settings_(settings),
          surface_(ground.surface),
          setup_workers_(1),
          options_(settings.options_for(ground, notes_)),
          order_(ground.surface->topology(), ground.surface->rest(), options_),
          solver_(order_.topology(), order_.rest(), order_.reorder(options_), setup_workers_),
          locator_(order_.topology(), order_.rest(), solver_),
          uv_(ground),
          tangents_(ground),
          cuts_(options_.cut_distance * bounding_box_diagonal(ground.surface->rest())) {
        if (settings_.output == SlideOutput::uv && !uv_.has_uv()) {
            throw InvalidInput(
                "[[layer]] slide: output = \"uv\": expected a mesh with UVs, found none; "
                "\"vertices\" moves the vertices instead");
        }
        has_moved_uv_below_ = ground.skin == SkinMotion::over_surface;
        stands_on_body_ =
            ground.art == &ground.body->mesh();  // no refinement below: vertices match
        for (const int pin : solver_.options().pins) {
            shown_pins_.push_back(order_.surface_vertex(pin));
        }
    }

    bool has_memory() const override { return true; }
    bool changes_shape() const override { return settings_.output == SlideOutput::vertices; }
    bool changes_uv() const override { return settings_.output == SlideOutput::uv; }

    SkinMotion skin_motion() const override {
        return changes_shape() ? SkinMotion::with_surface : SkinMotion::over_surface;
    }
    const MatrixX3d* skin_places() const override {
        return changes_shape() ? nullptr : &skin_places_;
    }

    LayerFacts facts() const override {
        LayerFacts facts;
        if (settings_.has_channels) {
            for (const SlideChannel& channel : slide_channels()) {
                facts.channels.push_back(channel.info);
            }
            if (uv_.has_uv()) {
                facts.channels.push_back({"tangent", "1", 3});
            }
        }
        facts.numbers = {{"slide energy", "J"},
                         {"slide kinetic energy", "J"},
                         {"slide rms", "m"},
                         {"slide largest", "m"}};
        if (!shown_pins_.empty()) {
            facts.lines = {{"pins", "pins", static_cast<int>(shown_pins_.size()), {}}};
        }
        return facts;
    }

    void advance(const LayerStep& step, MatrixX3d& surface, LayerFrame& frame) override {
        const Workers& workers = *step.workers;
        is_smoothing_ = settings_.is_smooth_in_time && step.sampling != TimeSampling::smooth &&
                        stands_on_body_ && !cuts_.is_near(step);
        if (step.reset) {
            body_ = surface;
            add_smoothing(step, step.to, body_);
            order_.gather(body_, ordered_);
            solver_.reset(ordered_, workers);
            locator_.reset();
        } else {
            solver_.advance(
                step.from, step.to,
                [&](double time, MatrixX3d& out) {
                    if (time == step.to) {
                        body_ = surface;
                    } else {
                        step.ground->positions(time, body_);
                    }
                    add_smoothing(step, time, body_);
                    order_.gather(body_, out);
                },
                workers);
        }
        solver_.fill_channels(settings_.wrinkle_wavelength, workers, channels_);
        if (!shown_pins_.empty()) {
            MatrixX3d& dots = frame.line(0);
            dots.resize(static_cast<Eigen::Index>(shown_pins_.size()), 3);
            for (size_t i = 0; i < shown_pins_.size(); ++i) {
                dots.row(static_cast<Eigen::Index>(i)) = surface.row(shown_pins_[i]);
            }
        }
        if (step.wants_skin && !changes_shape()) {
            locator_.locate(solver_, order_.rest(), workers, located_ordered_);
            order_.spread(located_ordered_, skin_places_);
        }
        if (settings_.output == SlideOutput::vertices) {
            order_.gather(surface, ordered_);
            locator_.locate(solver_, ordered_, workers, located_ordered_);
            order_.spread(located_ordered_, located_);
            offset_ = located_ - surface;
            surface = located_;
        } else if (settings_.output == SlideOutput::uv) {
            points_.resize(static_cast<size_t>(surface_->vertex_count()));
            for (int v = 0; v < surface_->vertex_count(); ++v) {
                points_[static_cast<size_t>(v)] =
                    order_.surface_point(solver_.material_point(order_.rank_of(v)));
            }
            order_.spread(channels_.material_position, vectors_);
            if (!has_moved_uv_below_) {
                uv_.update(points_, vectors_, workers, frame.uv());
            } else {
                // What an earlier layer moved stays where this one moves nothing.
                uv_.update(points_, vectors_, workers, own_uv_);
                const MatrixX2d& rest = tangents_.rest_uv();
                for (Eigen::Index t = 0; t < rest.rows(); ++t) {
                    if (own_uv_.row(t) != rest.row(t)) {
                        frame.uv().row(t) = own_uv_.row(t);
                    }
                }
            }
        }
        write_numbers(workers, frame);
        if (settings_.has_channels) {
            if (changes_shape()) {
                carry_channels();
            }
            write_channels(frame);
        }
        if (settings_.has_channels && uv_.has_uv()) {
            const bool has_slid = settings_.output == SlideOutput::uv;
            tangents_.fill(surface, has_slid ? frame.uv() : tangents_.rest_uv(),
                           frame.channel(slide_channels().size()));
        }
    }

    // Layers above that take smaller steps see the skin's offset of this frame on the body between
    // frames: slide's own motion within a frame is not kept.
    void shape_at(double /*time*/, MatrixX3d& surface) override {
        if (settings_.output == SlideOutput::vertices && offset_.rows() == surface.rows()) {
            surface += offset_;
        }
    }

    std::vector<double> save() const override {
        std::vector<double> state = solver_.save();
        const std::vector<double> places = locator_.save();
        state.insert(state.end(), places.begin(), places.end());
        return state;
    }

    void restore(const std::vector<double>& state) override {
        const size_t places = static_cast<size_t>(surface_->vertex_count());
        if (state.size() < places) {
            throw InvalidInput(
                say("slide state: expected more than ", places, " numbers, found ", state.size()));
        }
        const auto middle = state.end() - static_cast<std::ptrdiff_t>(places);
        solver_.restore(std::vector<double>(state.begin(), middle), setup_workers_);
        locator_.restore(std::vector<double>(middle, state.end()));
    }

    LayerReport report() const override {
        const SlideReport& r = solver_.report();
        LayerReport report;
        report.kind = "slide";
        const auto steps = static_cast<double>(std::max(1L, r.steps));
        report.numbers = {
            {"steps", static_cast<double>(r.steps)},
            {"starts", static_cast<double>(r.starts)},
            {"cuts", static_cast<double>(r.cuts)},
            {"solver iterations per step", static_cast<double>(r.iterations) / steps},
            {"most solver iterations", r.most_iterations},
            {"steps not solved to tolerance", static_cast<double>(r.unsolved)},
            {"worst residual", r.worst_residual},
            {"limited steps", static_cast<double>(r.limited_steps)},
            {"halvings of a whole step", static_cast<double>(r.halved_steps)},
            {"times the skin was given up and laid anew", static_cast<double>(r.given_up)},
            {"limited triangles", static_cast<double>(r.limited_triangles)},
            {"untangled triangles", static_cast<double>(r.untangled)},
            {"steps with an inverted triangle", static_cast<double>(r.inverted_steps)},
            {"least area ratio", r.smallest_area},
            {"shortened moves", static_cast<double>(r.capped_moves)},
            {"Newton iterations refused", static_cast<double>(r.newton_rejected)},
            {"pinned vertices", r.pinned},
            {"gliding vertices", r.gliding},
            {"largest slide (m)", largest_slide_},
            {"largest miss of a material vertex (m)", largest_miss_},
        };
        report.notes = notes_;
        return report;
    }

private:
    // Keys joined by straight lines jolt the skin (three times the kinetic energy, thin-skin notes
    // 12). The body's own smooth curve through the same keys takes their place.
    void add_smoothing(const LayerStep& step, double time, MatrixX3d& positions) {
        if (!is_smoothing_) {
            return;
        }
        step.body->positions(time, TimeSampling::exact, *step.workers, exact_art_);
        step.body->positions(time, TimeSampling::smooth, *step.workers, smooth_art_);
        surface_->gather(exact_art_, exact_);
        surface_->gather(smooth_art_, smooth_);
        positions += smooth_ - exact_;
    }

    // The solver measures at the body's vertices. Vertices that went with the skin show what lies
    // where they are now: numbers between the corners of that place, directions (whose signs mean
    // nothing) of its nearest corner.
    void carry_channels() {
        const MatrixX3i& triangles = order_.topology().triangles();
        const auto carry = [&](VectorXd& values) {
            carried_scalars_ = values;
            for (int v = 0; v < surface_->vertex_count(); ++v) {
                carried_scalars_[v] = interpolate(values, triangles, locator_.place(v));
            }
            values.swap(carried_scalars_);
        };
        const auto carry_directions = [&](MatrixX3d& values) {
            carried_vectors_ = values;
            for (int v = 0; v < surface_->vertex_count(); ++v) {
                const SurfacePoint& place = locator_.place(v);
                int nearest = 0;
                place.barycentric.maxCoeff(&nearest);
                carried_vectors_.row(v) = values.row(triangles(place.triangle, nearest));
            }
            values.swap(carried_vectors_);
        };
        for (const SlideChannel& channel : slide_channels()) {
            if (channel.scalars != nullptr) {
                carry(channels_.*channel.scalars);
            } else if (channel.info.for_renderers) {
                // Each vertex is its own material, as its UVs say.
                channels_.*channel.vectors = order_.rest();
            } else {
                carry_directions(channels_.*channel.vectors);
            }
        }
    }

    void write_numbers(const Workers& workers, LayerFrame& frame) {
        const SlideEnergy energy = solver_.energy(workers);
        const double largest = channels_.slide_distance.maxCoeff();
        const double mean_square = channels_.slide_distance.squaredNorm() /
                                   static_cast<double>(channels_.slide_distance.size());
        largest_slide_ = std::max(largest_slide_, largest);
        for (int v = 0; v < surface_->vertex_count(); ++v) {
            largest_miss_ = std::max(largest_miss_, locator_.miss(v));
        }
        frame.number(0) = energy.elastic;
        frame.number(1) = energy.kinetic;
        frame.number(2) = std::sqrt(mean_square);
        frame.number(3) = largest;
    }

    void write_channels(LayerFrame& frame) {
        for (size_t c = 0; c < slide_channels().size(); ++c) {
            const SlideChannel& channel = slide_channels()[c];
            if (channel.scalars != nullptr) {
                order_.spread(channels_.*channel.scalars, scalars_);
                numbers_.assign(scalars_.data(), scalars_.data() + scalars_.size());
            } else {
                order_.spread(channels_.*channel.vectors, vectors_);
                numbers_.assign(vectors_.data(), vectors_.data() + vectors_.size());
            }
            surface_->spread(numbers_, channel.info.width, frame.channel(c));
        }
    }

    SlideSettings settings_;
    const SimulationSurface* surface_;
    std::vector<std::string> notes_;
    Workers setup_workers_;
    SlideOptions options_;  // for the surface's own numbers of vertices
    SlideOrder order_;
    SlideSolver solver_;
    SlideLocator locator_;
    SlideUv uv_;
    SlideTangents tangents_;
    CutWatch cuts_;
    bool stands_on_body_ = true;
    bool is_smoothing_ = false;
    bool has_moved_uv_below_ = false;
    std::vector<int> shown_pins_;
    MatrixX3d skin_places_;  // material of each vertex on the rest surface, where layers above ask
    MatrixX3d body_, ordered_, located_ordered_, located_, offset_, vectors_;
    VectorXd scalars_;
    std::vector<SurfacePoint> points_;
    MatrixX2d own_uv_;
    MatrixX3d exact_art_, smooth_art_, exact_, smooth_;
    SlideChannels channels_;
    VectorXd carried_scalars_;
    MatrixX3d carried_vectors_;
    std::vector<double> numbers_;
    double largest_slide_ = 0.0;
    double largest_miss_ = 0.0;
};

class SlidePlan : public LayerPlan {
public:
    std::vector<Setting> settings() override { return settings_.table(); }
    std::unique_ptr<Layer> prepare(const LayerGround& ground) override {
        return std::make_unique<SlideLayer>(settings_, ground);
    }

private:
    SlideSettings settings_;
};

}  // namespace

LayerKind slide_layer_kind() {
    return {"slide", "skin that slides and stretches over the body",
            [] { return std::make_unique<SlidePlan>(); }};
}

}  // namespace cutis
