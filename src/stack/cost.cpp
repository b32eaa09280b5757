#include "cutis/stack/cost.h"

#include <algorithm>
#include <cmath>

#include "cutis/core/error.h"
#include "cutis/stack/scene.h"

namespace cutis {

namespace {

constexpr double refined_by_folds = 13.0;  // vertices shown for each of the garment's own

}  // namespace

// One thread of a server, on the dancer (6,306 vertices), rounded up; `cutis bench farm` measures them anew.
const std::vector<CostRate>& cost_rates() {
    static const std::vector<CostRate> rates = {
        {"body", 1.0, 0.1, 2.0, 0.0},
        {"curve", 60.0, 4.0, 3.0, 0.0},
        {"fold", 1300.0 / refined_by_folds, 4.0 / refined_by_folds, 40.0 / refined_by_folds, 0.0, true},
        {"slide", 25.0, 25.0, 6.0, 0.0},
        {"wrinkle", 60.0, 4.0, 6.0, 0.0},
        {"shell", 900.0, 2.0, 5.0, 0.0},
        {"pc2", 0.0, 0.1, 0.0, 12000.0, true},
        {"mdd", 0.0, 0.1, 0.0, 12000.0, true},
        {"npz", 0.0, 0.1, 0.0, 30000.0, true},
        {"glb", 0.0, 0.2, 8.0, 3000.0, true},
        {"obj", 0.0, 1.0, 0.0, 130000.0, true},
        {"usda", 0.0, 0.5, 8.0, 50000.0, true},
        {"html", 0.0, 1.0, 8.0, 6000.0, true},
    };
    return rates;
}

Cost expected_cost(const std::vector<std::string>& names, double vertices, int frames, double refined) {
    constexpr double start_seconds = 0.15;  // of a process, with its files
    constexpr double start_megabytes = 60.0;
    Cost cost{start_seconds, start_megabytes, 0.0};
    const bool folds = std::find(names.begin(), names.end(), "fold") != names.end();
    const double finer = refined > 0.0 ? refined : refined_by_folds * vertices;
    const double shown = folds ? std::max(vertices, finer) : vertices;
    const auto add = [&](const std::string& name) {
        for (const CostRate& rate : cost_rates()) {
            if (rate.name == name) {
                const double thousands = (rate.is_of_shown ? shown : vertices) / 1000.0;
                cost.seconds += 1e-3 * thousands * (rate.prepare_ms + rate.frame_ms * frames);
                cost.megabytes += thousands * rate.megabytes;
                cost.bytes += thousands * rate.frame_bytes * frames;
            }
        }
    };
    add("body");
    for (const std::string& name : names) {
        add(name);
    }
    return cost;
}

Cost expected_scene_cost(const Scene& scene, double vertices, int frames, double refined) {
    std::vector<std::string> names = scene.output.formats;
    for (const LayerScene& layer : scene.layers) {
        names.push_back(layer.kind);
    }
    return expected_cost(names, vertices, frames, refined);
}

std::string rough_time(double seconds) {
    constexpr double minute = 60.0;
    constexpr double hour = 3600.0;
    if (seconds < 1.5 * minute) {
        return concat(std::max(1.0, std::round(seconds)), " s");
    }
    const bool is_short = seconds < 1.5 * hour;
    return concat(std::round(seconds / (is_short ? minute : hour)), is_short ? " min" : " h");
}

}  // namespace cutis
