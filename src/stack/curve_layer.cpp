#include "curve_layer.h"

#include <algorithm>

#include "curve_settings.h"
#include "cutis/core/error.h"

namespace cutis {

namespace {

class CurveLayer final : public Layer {
public:
    CurveLayer(const LayerGround& ground, const CurveSettings& settings, const LayerMeshes& meshes)
        : surface_(*ground.surface),
          body_{ground.body, &ground.surface->rest(), &ground.surface->topology(),
                &ground.surface->mesh().art_of_vertex, &ground.surface->mesh().vertex_of_art} {
        if (ground.art != &ground.body->mesh()) {
            throw InvalidInput(
                "curve: expected to stand before layers that refine the mesh; put it "
                "first in the scene");
        }
        flesh_ = make_flesh(ground, body_, settings, meshes);
        const auto count = static_cast<size_t>(surface_.vertex_count());
        offset_.assign(count, 0.0);
        speed_.assign(count, 0.0);
    }

    bool has_memory() const override { return flesh_->has_memory(); }
    bool changes_shape() const override { return true; }
    bool changes_uv() const override { return false; }

    LayerFacts facts() const override {
        return {"",
                {{"curve displacement", "m"}, {"curve speed", "m/s"}},
                {{"curve displacement", "m"}},
                {},
                {curve_lines()}};
    }

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
        sampling_ = step.sampling;
        flesh_->advance(step.to, step.reset, step.sampling, *step.workers);
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
        surface_.spread(offset_, 1, frame.channel(0));
        surface_.spread(speed_, 1, frame.channel(1));
        largest_displacement_ = std::max(largest_displacement_, largest);
        frame.number(0) = largest;
        frame.line(0) = flesh_->nodes();
    }

    std::vector<double> save() const override {
        return has_memory() ? flesh_->save() : std::vector<double>{};
    }
    void restore(const std::vector<double>& state) override {
        if (has_memory()) {
            flesh_->restore(state);
        } else if (!state.empty()) {
            throw InvalidInput(say("curve state: expected none, found ", state.size(), " numbers"));
        }
    }

    void shape_at(double time, MatrixX3d& surface) override {
        flesh_->displace(time, sampling_, *workers_, surface);
    }

    LayerReport report() const override {
        const CurvePart& part = flesh_->part();
        LayerReport report;
        report.kind = "curve";
        report.numbers = {{"curves", part.curve_count},
                          {"nodes", part.node_count},
                          {"vertices", static_cast<double>(part.vertices.size())},
                          {"modes", flesh_->solver().mode_count()},
                          {"flipped triangles", part.flipped},
                          {"virtual nodes", part.virtual_nodes},
                          {"length (m)", part.length},
                          {"girth (m)", part.girth},
                          {"node spacing, longest to shortest", part.spacing_ratio},
                          {"largest displacement (m)", largest_displacement_},
                          {"largest swing before the limit (m)", largest_offset_},
                          {"largest swing (m)", largest_limited_},
                          {"limit (m)", flesh_->solver().limit()}};
        if (part.flipped > 0) {
            report.notes.push_back(
                say("curve: ", part.flipped, " triangles of the part are turned over in its map"));
        }
        if (largest_offset_ > 2.0 * flesh_->solver().limit()) {
            report.notes.push_back(
                say("curve: the flesh swings far beyond its limit; raise frequency or ",
                    "damping, or lower inertia"));
        }
        return report;
    }

private:
    const SimulationSurface& surface_;
    CurveBody body_;
    std::unique_ptr<Flesh> flesh_;
    const Workers* workers_ = nullptr;
    TimeSampling sampling_ = TimeSampling::exact;
    std::vector<double> offset_, speed_;
    double largest_offset_ = 0.0, largest_limited_ = 0.0, largest_displacement_ = 0.0;
};

class CurvePlan final : public LayerPlan {
public:
    Options options() override { return describe(settings_); }

    std::unique_ptr<Layer> prepare(const LayerGround& ground,
                                   const LayerMeshes& meshes) const override {
        return std::make_unique<CurveLayer>(ground, settings_, meshes);
    }

private:
    CurveSettings settings_;
};

}  // namespace

LayerKind curve_layer_kind() {
    return {"curve", "flesh that deforms between examples with its own dynamics",
            [] { return std::make_unique<CurvePlan>(); }};
}

}  // namespace cutis
