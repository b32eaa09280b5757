#include "io/page/channels.h"

#include <cmath>

namespace cutis {
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
        reach(std::hypot(values[i], values[i + 1], values[i + 2]));
    }
}

double channel_tolerance(const ChannelInfo& channel, const ChannelRange& range) {
    const bool is_scalar = channel.width == 1;
    const double span = is_scalar ? range.high - range.low : range.high;
    const double limit = span * (is_scalar ? channel_share : direction_share);
    return limit > 0.0 ? limit : 1.0;
}

PageSections::Json channel_json(const ChannelInfo& channel, const ChannelRange& range,
                                const std::string& motion, double edge_length) {
    PageSections::Json json = {{"name", channel.name},
                               {"unit", channel.unit},
                               {"width", channel.width},
                               {"motion", motion}};
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

}  // namespace cutis
