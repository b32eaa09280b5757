#include "io/page/facts.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <numeric>

#include "core/math.h"

namespace cutis {

std::string with_digits(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.3g", value);
    return text;
}

std::string in_length(double metres) {
    const double size = std::abs(metres);
    return size == 0.0   ? "0"
           : size < 1e-3 ? with_digits(metres * 1e6) + " µm"
           : size < 1e-2 ? with_digits(metres * 1e3) + " mm"
           : size < 1.0  ? with_digits(metres * 1e2) + " cm"
                         : with_digits(metres) + " m";
}

std::string in_thousands(std::uintmax_t value) {
    const std::string digits = std::to_string(value);
    std::string text;
    for (size_t i = 0; i < digits.size(); ++i) {
        if (i > 0 && (digits.size() - i) % 3 == 0) {
            text += ',';
        }
        text += digits[i];
    }
    return text;
}

namespace {

constexpr double channel_share = 1.0 / 100.0;   // of a scalar's range: hardly seen as colour
constexpr double direction_share = 1.0 / 10.0;  // of the longest stroke: about six degrees

}  // namespace

void ChannelRange::take(const std::vector<double>& values, int width) {
    const auto reach = [this](double value) {
        low = std::min(low, value);
        high = std::max(high, value);
    };
    if (width == 1) {
        for (const double value : values) {
            reach(value);
        }
        return;
    }
    for (std::size_t i = 0; i + 2 < values.size(); i += 3) {
        reach(math::hypot(values[i], values[i + 1], values[i + 2]));
    }
}

double channel_tolerance(const ChannelInfo& channel, const ChannelRange& range) {
    const bool is_scalar = channel.width == 1;
    const double span = is_scalar ? range.high - range.low : range.high;
    const double limit = span * (is_scalar ? channel_share : direction_share);
    return limit > 0.0 ? limit : 1.0;
}

Json channel_json(const ChannelInfo& channel, const ChannelRange& range, const std::string& motion,
                  double edge_length) {
    Json json = {{"name", channel.name}, {"unit", channel.unit}, {"width", channel.width}, {"motion", motion}};
    if (channel.width == 3) {
        json["strokeLength"] = range.high > 0.0 ? 0.8 * edge_length / range.high : 0.0;
        return json;
    }
    const double middle = channel.neutral;
    const bool is_signed = middle != 0.0 || range.low < middle;
    const double reach = std::max(std::abs(range.low - middle), std::abs(range.high - middle));
    json["low"] = is_signed ? middle - reach : range.low;
    json["high"] = is_signed ? middle + reach : range.high;
    json["isSigned"] = is_signed;
    return json;
}

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

Json PageNumbers::plots(const BakeInfo& info) const {
    const bool has_times = use_times_ && !stage_seconds_.empty() && !stage_seconds_[0].empty();
    std::map<std::string, Json> plots;  // in the order of their labels
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
    Json list = Json::array();
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
