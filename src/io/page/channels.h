#pragma once

#include <limits>
#include <map>

#include "io/page/sections.h"
#include "io/sink.h"

namespace cutis {

/// Smallest and largest value of a channel over the clip; lengths where it has directions.
struct ChannelRange {
    double low = std::numeric_limits<double>::infinity();
    double high = -std::numeric_limits<double>::infinity();

    void take(const std::vector<double>& values, int width);
};

/// Ranges by name and width: channels of several meshes that share a name share a legend.
using ChannelRanges = std::map<std::pair<std::string, int>, ChannelRange>;

/// Largest error a channel may have in a page.
double channel_tolerance(const ChannelInfo& channel, const ChannelRange& range);

/// \param edge_length  mean of the mesh, which strokes of directions are fitted to
PageSections::Json channel_json(const ChannelInfo& channel, const ChannelRange& range,
                                const std::string& motion, double edge_length);

}  // namespace cutis
