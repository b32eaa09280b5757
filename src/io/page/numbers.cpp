#include "io/page/numbers.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace cutis {
namespace {

/// Of a busy machine the mean would tell more about its other work.
double median_of(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

}  // namespace

void PageNumbers::take(const Frame& frame) {
    numbers_.push_back(frame.numbers);
    if (use_times_) {
        stage_seconds_.push_back(frame.stage_seconds);
    }
}

PageSections::Json PageNumbers::plots(const BakeInfo& info) const {
    const bool has_times = use_times_ && !stage_seconds_.empty() && !stage_seconds_[0].empty();
    std::map<std::string, PageSections::Json> plots;  // in the order of their labels
    const auto add = [&](const NumberInfo& number, const std::vector<double>& values) {
        plots[number.label()] = {{"name", number.name}, {"unit", number.unit}, {"values", values}};
    };
    std::vector<double> values(numbers_.size());
    for (size_t i = 0; i < info.numbers.size(); ++i) {
        std::transform(numbers_.begin(), numbers_.end(), values.begin(),
                       [i](const std::vector<double>& frame) { return frame[i]; });
        add(info.numbers[i], values);
    }
    if (has_times) {
        std::transform(stage_seconds_.begin(), stage_seconds_.end(), values.begin(),
                       [](const std::vector<double>& seconds) {
                           return 1e3 * std::accumulate(seconds.begin(), seconds.end(), 0.0);
                       });
        add({"time per frame", "ms"}, values);
    }
    PageSections::Json list = PageSections::Json::array();
    for (auto& [label, plot] : plots) {
        list.push_back(std::move(plot));
    }
    return list;
}

std::vector<std::pair<std::string, double>> PageNumbers::stages(const BakeInfo& info) const {
    std::vector<std::pair<std::string, double>> out;
    const size_t count = stage_seconds_.empty() ? 0 : stage_seconds_[0].size();
    for (size_t i = 0; i < count; ++i) {
        std::vector<double> seconds;
        for (const std::vector<double>& frame : stage_seconds_) {
            seconds.push_back(frame[i]);
        }
        const bool is_layer = i > 0 && i <= info.layers.size();
        out.emplace_back(is_layer ? info.layers[i - 1].name : "body", 1e3 * median_of(seconds));
    }
    return out;
}

}  // namespace cutis
