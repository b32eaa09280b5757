#include <algorithm>

#include "bench/bench.h"
#include "cutis/io/scene_read.h"
#include "cutis/stack/bake.h"

namespace cutis::bench {

namespace {

// Takes every frame and writes none: what is measured is body and layers.
class NoSink final : public FrameSink {
public:
    void begin(const BakeInfo& info) override {
        samples.push_back({"body", {}});
        for (const LayerInfo& layer : info.layers) {
            samples.push_back({layer.name, {}});
        }
    }
    void write(const Frame& frame) override {
        for (size_t i = 0; i < samples.size(); ++i) {
            samples[i].second.push_back(1e3 * frame.stage_seconds[i]);
        }
    }
    std::vector<OutputFile> finish() override { return {}; }

    std::vector<std::pair<std::string, std::vector<double>>> samples;  // per stage, ms
};

double median(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

}  // namespace

std::vector<Row> bench_scene(const std::string& name, const Scene& scene, int threads, const ActorLoader& actors) {
    const Body body = load_body(scene, {}, actors);
    const Workers workers(threads);
    std::vector<std::unique_ptr<FrameSink>> sinks;
    sinks.push_back(std::make_unique<NoSink>());
    const BakeReport report = bake(body, scene, sinks, {&workers, {}, nullptr});
    const auto& samples = static_cast<NoSink&>(*sinks.front()).samples;

    std::vector<Row> rows;
    const double vertices = static_cast<double>(body.mesh().positions.rows());
    const double plain = median(samples.front().second);
    double sum = 0.0;
    const auto add = [&](const std::string& what, double ms, const std::string& baseline, double baseline_ms) {
        rows.push_back({"stack",
                        name + ", " + what,
                        {{"threads", workers.threads()}, {"vertices", vertices}},
                        ms,
                        baseline,
                        baseline_ms});
    };
    for (const auto& [stage, values] : samples) {
        const double ms = median(values);
        sum += ms;
        add(stage, ms, "the body alone", plain);
    }
    add("whole frame", sum, "a frame of 30 a second", 1e3 / 30.0);
    add("prepare", 1e3 * report.stage_seconds.front().second, "5 s", 5e3);
    return rows;
}

}  // namespace cutis::bench
