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
#include "stack/regions.h"

namespace cutis {

namespace {

// The value of keys at a time, or what stands in for none.
template <class Key, class Number>
Number value_at(const std::vector<Key>& keys, double time, const Number& constant) {
    if (keys.empty()) {
        return constant;
    }
    const auto after = std::find_if(keys.begin(), keys.end(), [time](const Key& key) { return key.time > time; });
    if (after == keys.begin() || after == keys.end()) {
        return after == keys.begin() ? keys.front().value : keys.back().value;
    }
    const Key& before = *(after - 1);
    const double share = (time - before.time) / (after->time - before.time);
    return before.value + share * (after->value - before.value);
}

/// Skin simulated on the mesh below all refinements, shown on whatever it stands on: each shown
/// vertex is a material point, which is looked for where the skin was simulated.
class SlideLayer : public Layer, public HeldByHands, public TakesOver {
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
        require(!slides_uv() || uv_.has_uv(), "[[layer]] slide: output = \"",
                settings_.output == SlideOutput::uv ? "uv" : "both",
                "\": expected a mesh with UVs, found none; "
                "\"vertices\" moves the vertices instead");
        if (!options_.young_modulus && !options_.lame_mu) {
            report_.notes.push_back(concat("young_modulus: ", solver_.options().young_modulus->value,
                                           " N/m for a body of ", *solver_.options().body_size, " m"));
        }
        if (is_refined()) {
            // Points of the simulated surface in the solver's numbering.
            const MeshMap& finer = ground.refined->from_below;
            for (const SurfacePoint& point : finer.down()) {
                materials_.push_back(order_.our_point(point));
            }
            locator_.emplace(
                order_.topology(), order_.rest(), solver_, materials_, ground.surface->topology(),
                [this](const SurfacePoint& ours) { return shown_.refined->from_below.up(order_.surface_point(ours)); });
            to_art_ = ground.surface->to_art();
        } else {
            locator_.emplace(order_.topology(), order_.rest(), solver_);
            std::vector<int> rank_of_art;
            for (const int v : ground.surface->mesh().vertex_of_art) {
                rank_of_art.push_back(v < 0 ? -1 : order_.rank_of(v));
            }
            to_art_ = MeshMap::copies(std::move(rank_of_art), ground.surface->vertex_count());
        }
        const std::vector<int> named =
            settings.pins.empty() ? std::vector<int>() : region_vertices(base_, settings.pins);
        for (const int v : named) {
            pins_.push_back(is_refined() ? ground.refined->from_below.up(point_at_vertex(base_.surface->topology(), v))
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
            step.base->positions(clock == step.clock_to ? step.to : step.body_time(clock), felt, body_);
            order_.from_surface().values(body_, workers, out);
        };
        act(step, felt);
        if (step.reset) {
            body_at(step.clock_to, ordered_);
            solver_.reset(ordered_, workers);
            locator_->reset();
        } else {
            solver_.advance(step.clock_from, step.clock_to, body_at, workers);
        }
        solver_.material_positions(material_);
        if (settings_.has_channels) {
            constexpr double of_size = 0.006 / 1.7;  // fine wrinkles of a person
            solver_.fill_channels(settings_.wrinkle_wavelength.value_or(of_size * base_.surface->main_box().maxCoeff()),
                                  workers, channels_);
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
        if (frame.skin_place != nullptr) {
            lay(surface, workers, *frame.skin_place);
        }
        if (settings_.output == SlideOutput::both) {
            MatrixX3d& places = frame.mesh(0).positions;
            places = shown_.art->positions;
            shown_.surface->place(surface, places);
            slide_uvs(workers, frame.mesh(0).uv);
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
                               frame.channel(SlideChannels::infos().size()));
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
        require(state.size() >= places, "slide state: expected more than ", places, " numbers, found ", state.size());
        const auto middle = state.end() - static_cast<std::ptrdiff_t>(places);
        solver_.restore(std::vector<double>(state.begin(), middle), shown_.own_workers());
        locator_->restore(std::vector<double>(middle, state.end()), solver_);
    }

    std::vector<bool> hold(const std::vector<LayerGrip>& grips) override {
        std::vector<bool> feels(grips.size(), false);
        std::vector<DragForce> drags = order_.reorder(options_).drags;
        hand_forces_.clear();
        const double stiffness = hand_stiffness * solver_.options().young_modulus->common();
        for (size_t g = 0; g < grips.size(); ++g) {
            const int v =
                grips[g].is_detail ? -1 : shown_.surface->mesh().vertex_of_art[static_cast<size_t>(grips[g].vertex)];
            if (v < 0) {
                continue;
            }
            int simulated = is_refined() ? -1 : order_.rank_of(v);
            if (is_refined()) {
                const SurfacePoint& place = materials_[static_cast<size_t>(v)];
                int corner = 0;
                place.barycentric.maxCoeff(&corner);
                simulated = order_.topology().triangles()(place.triangle, corner);
            }
            feels[g] = !solver_.is_held(simulated);
            if (feels[g]) {
                drags.push_back({simulated, stiffness * grips[g].by, grips[g].radius});
                hand_forces_.push_back(drags.back().force);
            }
        }
        solver_.set_drags(std::move(drags));
        return feels;
    }

    bool take_over(const Layer& before) override {
        const auto* other = dynamic_cast<const SlideLayer*>(&before);
        const auto is_same = [](const SimulationSurface& a, const SimulationSurface& b) {
            return a.vertex_count() == b.vertex_count() && a.rest() == b.rest() &&
                   a.topology().triangles() == b.topology().triangles();
        };
        if (other == nullptr || !is_same(*other->base_.surface, *base_.surface)) {
            return false;
        }
        for (int v = 0; v < base_.surface->vertex_count(); ++v) {
            if (order_.rank_of(v) != other->order_.rank_of(v)) {
                return false;  // other vertices are held: places of skin belong to the order they were found in
            }
        }
        try {
            if (is_same(*other->shown_.surface, *shown_.surface)) {
                restore(before.save());
            } else {
                solver_.restore(other->solver_.save(), shown_.own_workers());
                locator_->reset();
            }
        } catch (const InvalidInput&) {
            return false;
        }
        return true;
    }

    bool change(const SlideLayerOptions& settings, const std::string& key) {
        if (key == "drag" || key == "pull_velocity") {
            return false;  // looked up on the surface
        }
        SlideLayerOptions next = settings;
        const SlideOptions options = next.options_for(base_);
        solver_.change(order_.reorder(options), shown_.own_workers());
        options_ = options;
        settings_ = std::move(next);
        return true;
    }

private:
    /// Of a hand's pull, over that of the skin: what it draws at goes most of the way.
    static constexpr double hand_stiffness = 2.0;

    bool is_refined() const { return shown_.refined != nullptr; }
    bool slides_uv() const { return settings_.output == SlideOutput::uv || settings_.output == SlideOutput::both; }

    /// Outer forces as keys have them half way, and as nodes go.
    void act(const LayerStep& step, TimeSampling sampling) {
        const SlideLayerOptions& s = settings_;
        const double time = 0.5 * (step.reset ? 2.0 * step.to : step.from + step.to);
        const bool has_keys = std::any_of(s.drags.begin(), s.drags.end(), [](const SlideDrag& drag) {
            return !drag.over_time.empty() || !drag.node.empty();
        });
        if (s.gravity_over_time.empty() && s.wind_over_time.empty() && s.pull_over_time.empty() &&
            s.pins_over_time.empty() && s.pull_node.empty() && !has_keys) {
            return;
        }
        outer_.pins_hold = value_at(s.pins_over_time, time, 1.0) >= 0.5;
        outer_.flow.reset();
        if (!s.pull_node.empty() && !step.reset) {
            outer_.flow = flow_of(step, sampling, find_node(*step.body, s.pull_node, "[[layer]] slide: pull_node"));
        }
        outer_.gravity = value_at(s.gravity_over_time, time, options_.gravity);
        outer_.wind = value_at(s.wind_over_time, time, options_.wind);
        outer_.pull = value_at(s.pull_over_time, time, 1.0);
        outer_.drags.clear();
        for (size_t d = 0; d < s.drags.size(); ++d) {
            const SlideDrag& drag = s.drags[d];
            outer_.drags.push_back(drag.node.empty() ? value_at(drag.over_time, time, drag.force)
                                                     : drag.stiffness * way_of(step, sampling, d));
        }
        outer_.drags.insert(outer_.drags.end(), hand_forces_.begin(), hand_forces_.end());
        solver_.set_outer(outer_);
    }

    /// The velocity of space that a node's motion over this step is, at places half way: with M the
    /// motion, v = (M - 1) x / h at (M + 1) x / 2.
    Eigen::Matrix<double, 3, 4> flow_of(const LayerStep& step, TimeSampling sampling, int node) {
        step.body->node_frames(step.to, sampling, nodes_);
        const Eigen::Affine3d after = nodes_[static_cast<size_t>(node)];
        step.body->node_frames(step.from, sampling, nodes_);
        const Eigen::Affine3d motion = after * nodes_[static_cast<size_t>(node)].inverse();
        const Eigen::Matrix4d one = Eigen::Matrix4d::Identity();
        Eigen::Affine3d half(0.5 * (motion.matrix() + one));
        if (std::abs(half.linear().determinant()) < 1e-6) {  // half a turn at once has no half way
            half.setIdentity();
        }
        const Eigen::Matrix4d flow = (motion.matrix() - one) * half.inverse().matrix();
        return flow.topRows<3>() / (step.clock_to - step.clock_from);
    }

    /// From the place of a drag on the body to where its node would have taken it since the first frame.
    Vector3d way_of(const LayerStep& step, TimeSampling sampling, size_t drag) {
        const int node = find_node(*step.body, settings_.drags[drag].node, "[[layer]] slide: drag node");
        const int art = base_.surface->mesh().art_of_vertex[static_cast<size_t>(options_.drags[drag].vertex)];
        const auto look = [&](double time, Eigen::Affine3d& frame) -> Vector3d {
            step.body->node_frames(time, sampling, nodes_);
            frame = nodes_[static_cast<size_t>(node)];
            step.body->positions(time, sampling, *step.workers, art_);
            return art_.row(art);
        };
        Eigen::Affine3d first;
        Eigen::Affine3d now;
        const Vector3d start = look(0.0, first);
        const Vector3d place = look(step.to, now);
        return now * (first.inverse() * start) - place;
    }

    void announce() {
        if (settings_.has_channels) {
            facts_.channels = SlideChannels::infos();
            if (uv_.has_uv()) {
                facts_.channels.push_back({"tangent", "1", 3});
            }
        }
        facts_.numbers = {
            {"slide energy", "J"}, {"slide kinetic energy", "J"}, {"slide rms", "m"}, {"slide largest", "m"}};
        if (!pins_.empty()) {
            facts_.lines = {{"pins", "pins", static_cast<int>(pins_.size()), {}}};
        }
        facts_.has_memory = true;
        facts_.changes_shape = settings_.output == SlideOutput::vertices || settings_.output == SlideOutput::both;
        if (settings_.output == SlideOutput::both) {
            MeshInfo other;
            other.name = "slid_uv";
            other.art = std::make_shared<ArtMesh>(*shown_.art);
            other.uv_changed = true;
            other.shape_changed = true;  // the body moves it
            other.is_other_view = true;
            facts_.meshes.push_back(std::move(other));
        }
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
            points_[static_cast<size_t>(v)] = order_.surface_point(solver_.material_point(order_.rank_of(v)));
        }
        order_.to_surface().values(material_, workers, body_);
        const bool has_moved_below = shown_.skin == SkinMotion::over_surface;
        MatrixX2d& own = has_moved_below ? own_uv_ : uv;
        if (is_refined()) {
            uv_.update(points_, body_, workers, base_uv_);
            const std::vector<SurfacePoint>& from = shown_.refined->uv_points;
            own.resize(static_cast<Eigen::Index>(from.size()), 2);
            for (size_t i = 0; i < from.size(); ++i) {
                own.row(static_cast<Eigen::Index>(i)) = interpolate(base_uv_, base_.art->uv_triangles, from[i]);
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
        for (size_t c = 0; c < SlideChannels::infos().size(); ++c) {
            const ChannelInfo& info = SlideChannels::infos()[c];
            if (info.width == 1) {
                const VectorXd& values = channels_.values[c].numbers;
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
                const MatrixX3d& values = channels_.values[c].vectors;
                const MatrixX3d* shown = &values;
                if (info.for_renderers) {
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
            to_art_.values(numbers_, info.width, workers, frame.channel(c));
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
                interpolate(values, triangles, materials_[v]) - interpolate(order_.rest(), triangles, materials_[v]);
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
        const auto number = [this](const char* name, auto value) { report_number(name, static_cast<double>(value)); };
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
        number("share of vertices asleep",
               r.watched > 0 ? static_cast<double>(r.asleep) / static_cast<double>(r.watched) : 0.0);
        number("steps with an inverted triangle", r.inverted_steps);
        number("least area ratio", r.smallest_area);
        number("shortened moves", r.capped_moves);
        number("Newton iterations refused", r.newton_rejected);
        number("pinned vertices", r.pinned);
        number("gliding vertices", r.gliding);
        number("largest slide (m)", largest_slide_);
        number("largest miss of a material vertex (m)", largest_miss_);
    }

    OuterForces outer_;
    std::vector<Vector3d> hand_forces_;  // after those of the options' drags
    std::vector<Eigen::Affine3d> nodes_;
    SlideLayerOptions settings_;
    LayerInput shown_;      // what it stands on
    LayerInput base_;       // what it is simulated on
    SlideOptions options_;  // for the simulated surface's own numbers of vertices
    SlideOrder order_;
    SlideSolver solver_;
    std::vector<SurfacePoint> materials_;  // on a refinement: each shown vertex where it is simulated
    std::optional<SlideLocator> locator_;
    MeshMap to_art_;  // from the locator's numbering of shown vertices
    SlideUv uv_;      // of the simulated surface
    SlideTangents tangents_;
    LayerFacts facts_;
    std::vector<SurfacePoint> pins_;  // of the shown surface
    MatrixX3d art_, body_, ordered_, located_, offset_, vectors_;
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

bool change_slide_layer(Layer& layer, const SlideLayerOptions& options, const std::string& key) {
    auto* slide = dynamic_cast<SlideLayer*>(&layer);
    return slide != nullptr && slide->change(options, key);
}

}  // namespace cutis
