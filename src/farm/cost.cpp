#include <algorithm>

#include "cutis/farm/plan.h"

namespace cutis::farm {

// One thread of a server, on the dancer (6,306 vertices), rounded up; `cutis bench farm` measures them anew.
const std::vector<CostRate>& cost_rates() {
    static const std::vector<CostRate> rates = {
        {"body", 1.0, 0.1, 2.0, 0.0},     {"curve", 60.0, 4.0, 3.0, 0.0},   {"fold", 1300.0, 4.0, 40.0, 0.0},
        {"slide", 25.0, 25.0, 6.0, 0.0},  {"shell", 900.0, 2.0, 5.0, 0.0},  {"pc2", 0.0, 0.1, 0.0, 12000.0},
        {"mdd", 0.0, 0.1, 0.0, 12000.0},  {"npz", 0.0, 0.1, 0.0, 30000.0},  {"glb", 0.0, 0.2, 8.0, 3000.0},
        {"obj", 0.0, 1.0, 0.0, 130000.0}, {"usda", 0.0, 0.5, 0.0, 50000.0}, {"html", 0.0, 1.0, 8.0, 6000.0},
    };
    return rates;
}

Cost estimate(const Scene& scene, int vertices, int frames) {
    constexpr double start_seconds = 0.15;  // of a process, with its files
    constexpr double start_megabytes = 60.0;
    Cost cost{start_seconds, start_megabytes, 0.0};
    const double thousands = vertices / 1000.0;
    double shown = thousands;
    const auto add = [&](const std::string& name, double size) {
        for (const CostRate& rate : cost_rates()) {
            if (rate.name == name) {
                cost.seconds += 1e-3 * size * (rate.prepare_ms + rate.frame_ms * frames);
                cost.megabytes += size * rate.megabytes;
                cost.bytes += size * rate.frame_bytes * frames;
            }
        }
    };
    add("body", thousands);
    for (const LayerScene& layer : scene.layers) {
        add(layer.kind, thousands);
        if (layer.kind == "fold") {
            constexpr double refined = 13.0;  // vertices shown for each of the garment's own
            shown = std::max(shown, refined * thousands);
        }
    }
    for (const std::string& format : scene.output.formats) {
        add(format, shown);
    }
    return cost;
}

}  // namespace cutis::farm
