#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cutis/stack/sink.h"
#include "io/page/sections.h"

namespace cutis {

/// Numbers of whole frames, for the curves of a page and its facts.
class PageNumbers {
public:
    /// \param use_times  also what each stage of each frame took
    explicit PageNumbers(bool use_times) : use_times_(use_times) {}

    void take(const Frame& frame);

    /// meta.plots; a frame without a number has null.
    PageSections::Json plots(const BakeInfo& info) const;
    /// Each stage and the milliseconds it takes a frame.
    std::vector<std::pair<std::string, double>> stages(const BakeInfo& info) const;

private:
    bool use_times_;
    std::vector<std::vector<double>> numbers_;  ///< of each frame
    std::vector<std::vector<double>> stage_seconds_;
};

}  // namespace cutis
