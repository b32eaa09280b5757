// A layer of one's own in an outside project: the body breathes. docs/extending.md walks through
// it.
#include <cutis/actors/actors.h>
#include <cutis/io/scene_read.h>
#include <cutis/mesh/geometry.h>
#include <cutis/stack/bake.h>
#include <cutis/stack/layer_stack.h>
#include <cutis/stack/slide_layer.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace {

struct BreathOptions {
    double depth = 0.01;  ///< metres
    double period = 4.0;  ///< seconds
};

class BreathLayer final : public cutis::Layer {
public:
    BreathLayer(const cutis::LayerInput& ground, const BreathOptions& options)
        : surface_(*ground.surface), options_(options) {
        facts_.numbers = {{"breath", "m"}};
        facts_.changes_shape = true;  // and has no memory: any frame in any order
    }

    const cutis::LayerFacts& facts() const override { return facts_; }

    void advance(const cutis::LayerStep& step, cutis::MatrixX3d& surface, cutis::LayerFrame& frame) override {
        shape_at(step.to, step.sampling, surface);
        frame.number(0) = swell(step.to);
    }
    void shape_at(double time, cutis::TimeSampling, cutis::MatrixX3d& surface) override {
        surface += swell(time) * cutis::vertex_normals(surface, surface_.topology());
    }

private:
    double swell(double time) const {
        return 0.5 * options_.depth * (1.0 - std::cos(2.0 * M_PI * time / options_.period));
    }
    const cutis::SimulationSurface& surface_;
    BreathOptions options_;
    cutis::LayerFacts facts_;
};

class BreathPlan final : public cutis::LayerPlan {
public:
    cutis::Options options() override {
        return {
            {.name = "depth", .field = &options_.depth, .about = "how far it swells", .unit = "m", .range = {0, 1}},
            {.name = "period", .field = &options_.period, .about = "of one breath", .unit = "s", .range = {0.1, 60}}};
    }
    std::unique_ptr<cutis::Layer> prepare(const cutis::LayerInput& ground,
                                          const cutis::LayerMeshes& /*meshes*/) const override {
        return std::make_unique<BreathLayer>(ground, options_);
    }

private:
    BreathOptions options_;
};

/// Keeps the largest height of the frames instead of writing a file.
class HighestPoint final : public cutis::FrameSink {
public:
    explicit HighestPoint(double& highest) : highest_(highest) {}
    void begin(const cutis::BakeInfo&) override {}
    void write(const cutis::Frame& frame) override {
        highest_ = std::max(highest_, frame.body().positions.col(1).maxCoeff());
    }
    std::vector<cutis::OutputFile> finish() override { return {}; }

private:
    double& highest_;
};

/// The same without a scene: a body, layers on it, frames.
double highest_point_without_a_scene(const cutis::Body& body, const cutis::Workers& workers) {
    cutis::LayerStack stack(body, {}, workers);
    stack.add("breath", std::make_unique<BreathLayer>(stack.ground(), BreathOptions{0.25, 0.2}));
    cutis::SlideLayerOptions skin;
    skin.options.stickiness = 0.8;
    stack.add("slide", cutis::make_slide_layer(skin, stack.ground()));
    cutis::Frame frame = stack.info().empty_frame();
    double highest = -1.0;
    for (int number = 1; number <= 31; ++number) {
        stack.advance(number, frame);
        highest = std::max(highest, frame.body().positions.col(1).maxCoeff());
    }
    return highest;
}

}  // namespace

int main() {
    std::vector<cutis::LayerKind> kinds = cutis::layer_kinds();
    kinds.push_back({"breath", "a body that breathes", [] { return std::make_unique<BreathPlan>(); }});

    const cutis::Scene scene = cutis::parse_scene(R"([body]
actor = "plane"
[[layer]]
kind = "breath"
depth = 0.25
period = 0.2
)",
                                                  "breath.toml", kinds);
    const cutis::Body body = cutis::load_body(scene, {}, cutis::load_actor);
    const double before = body.mesh().positions.col(1).maxCoeff();

    const cutis::Workers workers(2);
    cutis::BakeControls controls;
    controls.workers = &workers;
    controls.kinds = &kinds;
    double highest = -1.0;
    std::vector<std::unique_ptr<cutis::FrameSink>> sinks;
    sinks.push_back(std::make_unique<HighestPoint>(highest));
    const cutis::BakeReport report = cutis::bake(body, scene, sinks, controls);
    std::printf("%d frames; highest point %.3f m, at rest %.3f m\n", report.frames_done, highest, before);
    if (highest_point_without_a_scene(body, workers) < before + 0.249) {
        return 1;
    }
    // The sheet rises by the depth at the height of a breath, on top of what its own clip does.
    return highest >= before + 0.249 ? 0 : 1;
}
