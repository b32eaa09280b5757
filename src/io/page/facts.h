#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "cutis/stack/sink.h"
#include "io/page/sections.h"
#include "io/sink.h"

namespace cutis {

/// Numbers as the facts of a page show them.
std::string with_digits(double value);
std::string in_length(double metres);
std::string in_thousands(std::uintmax_t value);

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
Json channel_json(const ChannelInfo& channel, const ChannelRange& range, const std::string& motion, double edge_length);

/// Numbers of whole frames, for the curves of a page and its facts.
class PageNumbers {
public:
    /// \param use_times  also what each stage of each frame took
    explicit PageNumbers(bool use_times) : use_times_(use_times) {}

    void take(const Frame& frame);

    /// meta.plots; a frame without a number has null.
    Json plots(const BakeInfo& info) const;
    /// Each stage and the milliseconds it takes a frame.
    std::vector<std::pair<std::string, double>> stages(const BakeInfo& info) const;

private:
    bool use_times_;
    std::vector<std::vector<double>> numbers_;  ///< of each frame
    std::vector<std::vector<double>> stage_seconds_;
};

}  // namespace cutis
