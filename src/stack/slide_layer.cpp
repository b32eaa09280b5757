#include "cutis/stack/slide_layer.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "cutis/core/error.h"
#include "cutis/mesh/geometry.h"
#include "cutis/mesh/surface_point.h"
#include "slide/locate.h"
#include "slide/slide.h"
#include "slide_order.h"
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

/// Skin simulated on the mesh below all refinements, shown on whatever it stands on: each shown
/// vertex is a material point, which is looked for where the skin was simulated.
class SlideLayer : public Layer {
public:
    SlideLayer(const SlideLayerOptions& settings, const LayerInput& ground)
        : settings_(settings),
          shown_(ground),
          base_(ground.base == nullptr ? ground : *ground.base),
          options_(settings.options_for(base_)),
          order_(base_.surface->topology(), base_.surface->rest(), options_),
          solver_(order_.topology(), order_.rest(), order_.reorder(options_), ground.own_workers()),
          uv_(base_),
          tangents_(ground) {
        require(settings_.output != SlideOutput::uv || uv_.has_uv(),
                "[[layer]] slide: output = \"uv\": expected a mesh with UVs, found none; "
                "\"vertices\" moves the vertices instead");
        if (!options_.young_modulus && !options_.lame_mu) {
            report_.notes.push_back(
                concat("young_modulus: ", solver_.options().young_modulus->value,
                       " N/m for a body of ", *solver_.options().body_size, " m"));
        }
        if (is_refined()) {
            // Points of the simulated surface in the solver's numbering.
            const MeshMap& finer = ground.refined->from_below;
            for (const SurfacePoint& point : finer.down()) {
                materials_.push_back(order_.our_point(point));
            }
            locator_.emplace(order_.topology(), order_.rest(), solver_, materials_,
                             ground.surface->topology(), [this](const SurfacePoint& ours) {
                                 return shown_.refined->from_below.up(order_.surface_point(ours));
                             });
            to_art_ = ground.surface->to_art();
        } else {
            locator_.emplace(order_.topology(), order_.rest(), solver_);
            std::vector<int> rank_of_art;
            for (const int v : ground.surface->mesh().vertex_of_art) {
                rank_of_art.push_back(v < 0 ? -1 : order_.rank_of(v));
            }
            to_art_ = MeshMap::copies(std::move(rank_of_art), ground.surface->vertex_count());
        }
        for (const int pin : solver_.options().pins) {
            const int v = order_.surface_vertex(pin);
            pins_.push_back(is_refined() ? ground.refined->from_below.up(
                                               point_at_vertex(base_.surface->topology(), v))
                                         : point_at_vertex(base_.surface->topology(), v));
        }
        announce();
        write_report();
    }

    const LayerFacts& facts() const override { return facts_; }

    void advance(const LayerStep& step, MatrixX3d& surface, LayerFrame& frame) override {
        const Workers& workers = *step.workers;
        // Keys joined by straight lines jolt the skin (three times the kinetic energy); it feels a
        // smooth curve through the same keys.
        const TimeSampling felt = settings_.is_smooth_in_time ? step.between : step.sampling;
        const auto body_at = [&](double clock, MatrixX3d& out) {
            step.base->positions(clock == step.clock_to ? step.to : step.body_time(clock), felt,
                                 body_);
            order_.from_surface().values(body_, workers, out);
        };
        if (step.reset) {
            body_at(step.clock_to, ordered_);
            solver_.reset(ordered_, workers);
            locator_->reset();
        } else {
            solver_.advance(step.clock_from, step.clock_to, body_at, workers);
        }
        solver_.material_positions(material_);
        if (settings_.has_channels) {
            solver_.fill_channels(settings_.wrinkle_wavelength, workers, channels_);
        }
        if (!pins_.empty()) {
            MatrixX3d& dots = frame.line(0);
            dots.resize(static_cast<Eigen::Index>(pins_.size()), 3);
            for (size_t i = 0; i < pins_.size(); ++i) {
                dots.row(static_cast<Eigen::Index>(i)) =
                    interpolate(surface, shown_.surface->topology().triangles(), pins_[i]);
            }
        }
        write_numbers(workers, frame);
        if (facts_.changes_shape || frame.skin != nullptr) {
            locator_->search(solver_, workers);
        }
        if (frame.skin != nullptr) {
            lay(shown_.surface->rest(), workers, *frame.skin);
        }
        if (facts_.changes_shape) {
            lay(surface, workers, located_);
            offset_ = located_ - surface;
            surface = located_;
        } else if (facts_.changes_uv) {
            slide_uvs(workers, frame.uv());
        }
        if (settings_.has_channels) {
            write_channels(workers, frame);
            if (uv_.has_uv()) {
                tangents_.fill(surface, facts_.changes_uv ? frame.uv() : tangents_.rest_uv(),
                               frame.channel(slide_channels().size()));
            }
        }
        write_report();
    }

    // Layers above that take smaller steps see the skin's offset of this frame on the body between
    // frames: slide's own motion within a frame is not kept.
    void shape_at(double /*time*/, TimeSampling /*sampling*/, MatrixX3d& surface) override {
        if (facts_.changes_shape && offset_.rows() == surface.rows()) {
            surface += offset_;
        }
    }

    std::vector<double> save() const override {
        std::vector<double> state = solver_.save();
        const std::vector<double> places = locator_->save();
        state.insert(state.end(), places.begin(), places.end());
        return state;
    }

    void restore(const std::vector<double>& state) override {
        const size_t places = locator_->saved_numbers();
        require(state.size() >= places, "slide state: expected more than ", places,
                " numbers, found ", state.size());
        const auto middle = state.end() - static_cast<std::ptrdiff_t>(places);
        solver_.restore(std::vector<double>(state.begin(), middle), shown_.own_workers());
        locator_->restore(std::vector<double>(middle, state.end()), solver_);
    }

private:
    bool is_refined() const { return shown_.refined != nullptr; }

    void announce() {
        if (settings_.has_channels) {
            for (const SlideChannel& channel : slide_channels()) {
                facts_.channels.push_back(channel.info);
            }
            if (uv_.has_uv()) {
                facts_.channels.push_back({"tangent", "1", 3});
            }
        }
        facts_.numbers = {{"slide energy", "J"},
                          {"slide kinetic energy", "J"},
                          {"slide rms", "m"},
                          {"slide largest", "m"}};
        if (!pins_.empty()) {
            facts_.lines = {{"pins", "pins", static_cast<int>(pins_.size()), {}}};
        }
        facts_.has_memory = true;
        facts_.changes_shape = settings_.output == SlideOutput::vertices;
        facts_.changes_uv = settings_.output == SlideOutput::uv;
        facts_.skin = facts_.changes_shape ? SkinMotion::with_surface : SkinMotion::over_surface;
        report_.kind = "slide";
    }

    /// Shown vertices where their material lies on the shown surface in some shape.
    void lay(const MatrixX3d& shape, const Workers& workers, MatrixX3d& out) {
        if (is_refined()) {
            locator_->lay(shape, workers, out);
            return;
        }
        order_.from_surface().values(shape, workers, ordered_);
        locator_->lay(ordered_, workers, vectors_);
        order_.to_surface().values(vectors_, workers, out);
    }

    /// UVs are linear in the triangles that were simulated.
    void slide_uvs(const Workers& workers, MatrixX2d& uv) {
        points_.resize(static_cast<size_t>(base_.surface->vertex_count()));
        for (int v = 0; v < base_.surface->vertex_count(); ++v) {
            points_[static_cast<size_t>(v)] =
                order_.surface_point(solver_.material_point(order_.rank_of(v)));
        }
        order_.to_surface().values(material_, workers, body_);
        const bool has_moved_below = shown_.skin == SkinMotion::over_surface;
        MatrixX2d& own = has_moved_below ? own_uv_ : uv;
        if (is_refined()) {
            uv_.update(points_, body_, workers, base_uv_);
            const std::vector<SurfacePoint>& from = shown_.refined->uv_points;
            own.resize(static_cast<Eigen::Index>(from.size()), 2);
            for (size_t i = 0; i < from.size(); ++i) {
                own.row(static_cast<Eigen::Index>(i)) =
                    interpolate(base_uv_, base_.art->uv_triangles, from[i]);
            }
        } else {
            uv_.update(points_, body_, workers, own);
        }
        // What an earlier layer moved stays where this one moves nothing.
        const MatrixX2d& rest = tangents_.rest_uv();
        for (Eigen::Index t = 0; has_moved_below && t < rest.rows(); ++t) {
            if (own.row(t) != rest.row(t)) {
                uv.row(t) = own.row(t);
            }
        }
    }

    /// The solver measures at the vertices it moves. What a shown vertex shows is what lies where
    /// it is: numbers between the corners of that place, directions (whose signs mean nothing) of
    /// its nearest corner. Vertices that went with the skin are where their material is.
    void write_channels(const Workers& workers, LayerFrame& frame) {
        const MatrixX3i& triangles = order_.topology().triangles();
        const bool moves = facts_.changes_shape;
        const Eigen::Index count = shown_.surface->vertex_count();
        const auto place = [&](int v) -> const SurfacePoint& {
            return moves ? locator_->place(v) : materials_[static_cast<size_t>(v)];
        };
        for (size_t c = 0; c < slide_channels().size(); ++c) {
            const SlideChannel& channel = slide_channels()[c];
            if (channel.scalars != nullptr) {
                const VectorXd& values = channels_.*channel.scalars;
                const VectorXd* shown = &values;
                if (moves || is_refined()) {
                    scalars_.resize(count);
                    workers.for_chunks(static_cast<int>(count), 2048, [&](int begin, int end) {
                        for (int v = begin; v < end; ++v) {
                            scalars_[v] = interpolate(values, triangles, place(v));
                        }
                    });
                    shown = &scalars_;
                }
                numbers_.assign(shown->data(), shown->data() + shown->size());
            } else {
                const MatrixX3d& values = channels_.*channel.vectors;
                const MatrixX3d* shown = &values;
                if (channel.info.for_renderers) {
                    shown = &material_positions(values);
                } else if (moves || is_refined()) {
                    vectors_.resize(count, 3);
                    for (int v = 0; v < static_cast<int>(count); ++v) {
                        int nearest = 0;
                        place(v).barycentric.maxCoeff(&nearest);
                        vectors_.row(v) = values.row(triangles(place(v).triangle, nearest));
                    }
                    shown = &vectors_;
                }
                numbers_.assign(shown->data(), shown->data() + shown->size());
            }
            to_art_.values(numbers_, channel.info.width, workers, frame.channel(c));
        }
    }

    /// Rest positions of the material at shown vertices. A vertex that goes with the skin is its
    /// own material, as its UVs say. On a refinement the way from rest to material is carried over.
    const MatrixX3d& material_positions(const MatrixX3d& values) {
        if (facts_.changes_shape) {
            return is_refined() ? shown_.surface->rest() : order_.rest();
        }
        if (!is_refined()) {
            return values;
        }
        vectors_ = shown_.surface->rest();
        const MatrixX3i& triangles = order_.topology().triangles();
        for (size_t v = 0; v < materials_.size(); ++v) {
            vectors_.row(static_cast<Eigen::Index>(v)) +=
                interpolate(values, triangles, materials_[v]) -
                interpolate(order_.rest(), triangles, materials_[v]);
        }
        return vectors_;
    }

    void write_numbers(const Workers& workers, LayerFrame& frame) {
        const SlideEnergy energy = solver_.energy(workers);
        distances_ = (material_ - order_.rest()).rowwise().squaredNorm();
        const double largest = std::sqrt(distances_.maxCoeff());
        const double mean_square = distances_.mean();
        largest_slide_ = std::max(largest_slide_, largest);
        frame.number(0) = energy.elastic;
        frame.number(1) = energy.kinetic;
        frame.number(2) = std::sqrt(mean_square);
        frame.number(3) = largest;
    }

    void write_report() {
        for (int v = 0; v < shown_.surface->vertex_count(); ++v) {
            largest_miss_ = std::max(largest_miss_, locator_->miss(v));
        }
        const SlideReport& r = solver_.report();
        const auto steps = static_cast<double>(std::max(1L, r.steps));
        const auto number = [this](const char* name, auto value) {
            report_number(name, static_cast<double>(value));
        };
        begin_report();
        number("steps", r.steps);
        number("starts", r.starts);
        number("solver iterations per step", static_cast<double>(r.iterations) / steps);
        number("most solver iterations", r.most_iterations);
        number("steps not solved to tolerance", r.unsolved);
        number("worst residual", r.worst_residual);
        number("limited steps", r.limited_steps);
        number("halvings of a whole step", r.halved_steps);
        number("skin resets", r.given_up);
        number("limited triangles", r.limited_triangles);
        number("untangled triangles", r.untangled);
        number("steps with an inverted triangle", r.inverted_steps);
        number("least area ratio", r.smallest_area);
        number("shortened moves", r.capped_moves);
        number("Newton iterations refused", r.newton_rejected);
        number("pinned vertices", r.pinned);
        number("gliding vertices", r.gliding);
        number("largest slide (m)", largest_slide_);
        number("largest miss of a material vertex (m)", largest_miss_);
    }

    SlideLayerOptions settings_;
    LayerInput shown_;      // what it stands on
    LayerInput base_;       // what it is simulated on
    SlideOptions options_;  // for the simulated surface's own numbers of vertices
    SlideOrder order_;
    SlideSolver solver_;
    std::vector<SurfacePoint>
        materials_;  // on a refinement: each shown vertex where it is simulated
    std::optional<SlideLocator> locator_;
    MeshMap to_art_;  // from the locator's numbering of shown vertices
    SlideUv uv_;      // of the simulated surface
    SlideTangents tangents_;
    LayerFacts facts_;
    std::vector<SurfacePoint> pins_;  // of the shown surface
    MatrixX3d body_, ordered_, located_, offset_, vectors_;
    MatrixX2d base_uv_, own_uv_;
    MatrixX3d material_;  // of the solver's vertices
    VectorXd scalars_, distances_;
    std::vector<SurfacePoint> points_;
    SlideChannels channels_;
    std::vector<double> numbers_;
    double largest_slide_ = 0.0;
    double largest_miss_ = 0.0;
};

}  // namespace

std::unique_ptr<Layer> make_slide_layer(SlideLayerOptions options, const LayerInput& ground) {
    return std::make_unique<SlideLayer>(options, ground);
}

}  // namespace cutis
