#include "page_write_numbers.h"

#include <algorithm>
#include <limits>

#include "page_write_words.h"

namespace cutis {
namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();

/// Of a busy machine the mean would tell more about its other work.
double median_of(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

}  // namespace

void PageNumbers::put(const std::string& name, int index, double value) {
    std::vector<double>& values = numbers_[name];
    values.resize(static_cast<std::size_t>(index), none);
    values.push_back(value);
}

void PageNumbers::take(const Frame& frame, int index) {
    frame_count_ = index + 1;
    for (const auto& [name, value] : frame.numbers) {
        put(name, index, value);
    }
    if (!use_times_) {
        return;
    }
    double sum = 0.0;
    for (std::size_t i = 0; i < frame.stage_seconds.size(); ++i) {
        const auto& [stage, seconds] = frame.stage_seconds[i];
        sum += seconds;
        if (stage_seconds_.size() <= i) {
            stage_seconds_.emplace_back(stage, std::vector<double>());
        }
        stage_seconds_[i].second.push_back(seconds);
    }
    if (!frame.stage_seconds.empty()) {
        put("time per frame (ms)", index, 1e3 * sum);
    }
}

PageSections::Json PageNumbers::plots() const {
    PageSections::Json list = PageSections::Json::array();
    for (const auto& [text, found] : numbers_) {
        const auto [name, unit] = name_and_unit(text);
        std::vector<double> values = found;
        values.resize(static_cast<std::size_t>(frame_count_), none);
        list.push_back({{"name", name}, {"unit", unit}, {"values", values}});
    }
    return list;
}

std::vector<std::pair<std::string, double>> PageNumbers::stages() const {
    std::vector<std::pair<std::string, double>> out;
    for (const auto& [stage, seconds] : stage_seconds_) {
        out.emplace_back(stage, 1e3 * median_of(seconds));
    }
    return out;
}

}  // namespace cutis
