#include "cutis/stack/curve_layer.h"

#include <algorithm>

#include "curve_settings.h"
#include "cutis/core/error.h"

namespace cutis {

namespace {

class CurveLayer final : public Layer {
public:
    CurveLayer(const LayerInput& ground, const CurveLayerOptions& settings,
               const LayerMeshes& meshes)
        : surface_(*ground.surface),
          body_{ground.body, &ground.surface->rest(), &ground.surface->topology(),
                &ground.surface->mesh().art_of_vertex, &ground.surface->mesh().vertex_of_art} {
        require(ground.refined == nullptr,
                "curve: expected to stand before layers that refine the mesh; put it "
                "first in the scene");
        flesh_ = make_flesh(ground, body_, settings, meshes);
        const auto count = static_cast<size_t>(surface_.vertex_count());
        offset_.assign(count, 0.0);
        speed_.assign(count, 0.0);
        // Where the body's future is not known, the drive comes late by as much.
        lag_ = ground.knows_future ? 0.0 : flesh_->solver().look_ahead();
        facts_.channels = {{"curve displacement", "m"}, {"curve speed", "m/s"}};
        facts_.numbers = {{"curve displacement", "m"}};
        facts_.lines = {curve_lines()};
        facts_.has_memory = flesh_->has_memory();
        facts_.changes_shape = true;
        facts_.look_ahead = flesh_->solver().look_ahead();
        report_.kind = "curve";
        if (flesh_->part().flipped > 0) {
            report_.notes.push_back(concat("curve: ", flesh_->part().flipped,
                                           " triangles of the part are inverted in its map"));
        }
        write_report();
    }

    const LayerFacts& facts() const override { return facts_; }

    LineSet curve_lines() const {
        const CurvePart& part = flesh_->part();
        LineSet set;
        set.name = "curves";
        set.point_count = part.rows();
        const bool is_ring = part.direction == CurveDirection::around;
        for (int c = 0; c < part.curve_count; ++c) {
            for (int n = 0; n + (is_ring ? 0 : 1) < part.node_count; ++n) {
                const int next = (n + 1) % part.node_count;
                set.segments.push_back({n * part.curve_count + c, next * part.curve_count + c});
            }
        }
        return set;
    }

    void advance(const LayerStep& step, MatrixX3d& surface, LayerFrame& frame) override {
        workers_ = step.workers;
        // Between keys the drive is smooth whatever the frames are: jumps of velocity at linear
        // keys would shake the flesh.
        flesh_->advance({.to = step.clock_to,
                         .body_to = step.to,
                         .pace = step.pace(),
                         .reset = step.reset,
                         .sampling = step.between,
                         .known = step.known,
                         .lag = lag_},
                        *step.workers);
        flesh_->displace(step.to, step.sampling, *step.workers, surface);
        largest_offset_ = std::max(largest_offset_, flesh_->report().largest_offset);
        largest_limited_ = std::max(largest_limited_, flesh_->report().largest_limited);

        const std::vector<int>& vertices = flesh_->part().vertices;
        double largest = 0.0;
        for (size_t i = 0; i < vertices.size(); ++i) {
            const auto row = static_cast<Eigen::Index>(i);
            const auto v = static_cast<size_t>(vertices[i]);
            offset_[v] = flesh_->vertex_displacement().row(row).norm();
            speed_[v] = flesh_->vertex_speed().row(row).norm();
            largest = std::max(largest, offset_[v]);
        }
        surface_.to_art().values(offset_, 1, *step.workers, frame.channel(0));
        surface_.to_art().values(speed_, 1, *step.workers, frame.channel(1));
        largest_displacement_ = std::max(largest_displacement_, largest);
        frame.number(0) = largest;
        frame.line(0) = flesh_->nodes();
        write_report();
    }

    std::vector<double> save() const override {
        return facts_.has_memory ? flesh_->save() : Layer::save();
    }
    void restore(const std::vector<double>& state) override {
        if (facts_.has_memory) {
            flesh_->restore(state);
        } else {
            Layer::restore(state);
        }
    }

    void shape_at(double time, TimeSampling sampling, MatrixX3d& surface) override {
        flesh_->displace(time, sampling, *workers_, surface);
    }

private:
    void write_report() {
        const CurvePart& part = flesh_->part();
        const auto number = [this](const char* name, auto value) {
            report_number(name, static_cast<double>(value));
        };
        begin_report();
        number("curves", part.curve_count);
        number("nodes", part.node_count);
        number("vertices", part.vertices.size());
        number("modes", flesh_->solver().mode_count());
        number("flipped triangles", part.flipped);
        number("virtual nodes", part.virtual_nodes);
        number("length (m)", part.length);
        number("girth (m)", part.girth);
        number("node spacing, longest to shortest", part.spacing_ratio);
        number("largest displacement (m)", largest_displacement_);
        number("largest swing before the limit (m)", largest_offset_);
        number("largest swing (m)", largest_limited_);
        number("limit (m)", flesh_->solver().limit());
        if (!says_far_ && largest_offset_ > 2.0 * flesh_->solver().limit()) {
            says_far_ = true;
            report_.notes.push_back(
                concat("curve: the flesh swings far beyond its limit; raise frequency or ",
                       "damping, or lower inertia"));
        }
    }

    const SimulationSurface& surface_;
    CurveBody body_;
    std::unique_ptr<Flesh> flesh_;
    const Workers* workers_ = nullptr;
    LayerFacts facts_;
    double lag_ = 0.0;
    bool says_far_ = false;
    std::vector<double> offset_, speed_;
    double largest_offset_ = 0.0, largest_limited_ = 0.0, largest_displacement_ = 0.0;
};

}  // namespace

std::unique_ptr<Layer> make_curve_layer(CurveLayerOptions options, const LayerInput& ground,
                                        const LayerMeshes& meshes) {
    return std::make_unique<CurveLayer>(ground, options, meshes);
}

}  // namespace cutis
