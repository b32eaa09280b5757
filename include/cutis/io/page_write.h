#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "cutis/core/options.h"
#include "cutis/stack/sink.h"

namespace cutis {

struct PageOptions {
    std::string title;           ///< empty: the file's name
    std::string caption;         ///< one line beside the title
    double tolerance = 3e-4;     ///< largest error of a vertex, fraction of the rest box's
                                 ///< diagonal: a third of a pixel in a picture 1000 pixels high
    double uv_tolerance = 3e-4;  ///< largest error of a UV, fraction of the picture
    bool use_times = true;       ///< what each stage of each frame took; false: same bytes always
    std::string paint = "checker";  ///< shown first: skin, checker, grid, tattoo, bumps or clay
    std::string heat;               ///< channel shown first as a heat map; empty: none
    bool follow = false;            ///< the camera travels with the body
    std::vector<double> camera;     ///< x y z from the body to the camera; empty: from the front, a
                                    ///< little from the left and above
    std::vector<double> focus;  ///< x y z radius of a ball that fills the picture, metres, where
                                ///< the body is in the first frame; empty: the whole clip
    std::string figure;  ///< figure of a paper that the shot stands beside, for the caption
    std::vector<double> stills = {0.25, 0.5, 0.75};  ///< moments worth a picture, 0 .. 1; for
                                                     ///< whoever takes pictures of the page
};

Options describe(PageOptions& options);

/// One HTML file that plays the bake by itself: no network, nothing beside it (see docs/page.md).
///
/// | what      | how                                                                            |
/// |-----------|--------------------------------------------------------------------------------|
/// | views     | "Plain skinning" and "cutis" where a layer changes shape or UVs or adds        |
/// |           | details, else one                                                              |
/// | motion    | mean and the fewest modes of a singular value decomposition that meet the      |
/// |           | tolerance after rounding to 16 bits, per view, UVs and channel                 |
/// | channels  | scalars as heat maps (error below 1/500 of their range), directions as strokes |
/// |           | (error below 1/50 of the longest)                                              |
/// | colours   | of the materials where they have one and no picture; pictures are not shown    |
/// | details   | in the view "cutis", each in a colour of its own, with its channels; channels  |
/// |           | of one name share a legend                                                     |
/// | lines     | curves and pins of layers, in the view "cutis", hidden at first                |
/// | skeleton  | a line from every joint to the next joint above it                             |
/// | plots     | Frame::numbers, and milliseconds per frame                                     |
///
/// OutputFile::numbers: `modes` (of positions, details and lines, all views), `max_error_m`,
/// `max_uv_error`, `tolerance_m`, all measured on the numbers of the file; where 16 bits cannot
/// reach a tolerance, the errors say what was reached.
///
/// Frames wait in a scratch file; memory holds vertices x modes and frames x frames numbers.
/// \throw InvalidInput  tolerances out of range, unknown paint, or a build without the page
std::unique_ptr<FrameSink> make_page_sink(const std::filesystem::path& path,
                                          const PageOptions& options = {});

}  // namespace cutis
