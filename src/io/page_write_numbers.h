#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "cutis/stack/frame.h"
#include "page_write_sections.h"

namespace cutis {

/// Numbers of whole frames, for the curves of a page and its facts.
class PageNumbers {
public:
    /// \param use_times  also what each stage of each frame took
    explicit PageNumbers(bool use_times) : use_times_(use_times) {}

    /// \param index  of the frame, from 0
    void take(const Frame& frame, int index);

    /// meta.plots; a frame without a number has null.
    PageSections::Json plots() const;
    /// Each stage and the milliseconds it takes a frame.
    std::vector<std::pair<std::string, double>> stages() const;

private:
    void put(const std::string& name, int index, double value);

    bool use_times_;
    int frame_count_ = 0;
    std::map<std::string, std::vector<double>> numbers_;
    std::vector<std::pair<std::string, std::vector<double>>> stage_seconds_;
};

}  // namespace cutis
