#pragma once

#include <string>
#include <vector>

namespace cutis::bench {

/// One row of `cutis bench curve --compare`: how well a method fills in the frames between
/// examples.
struct CompareRow {
    std::string sequence;  ///< what moves, and whose truth it is
    std::string method;
    int examples = 0;
    double rms = 0.0;        ///< 1000 sqrt(sum |p - p_true|^2 / (3 V F)), box diagonal = 1, on held-out
                             ///< frames of a motion the parameters were not chosen on
    double largest = 0.0;    ///< largest distance on these frames, thousandths of the diagonal
    double jump = 0.0;       ///< largest change of velocity at an inner example over the largest speed
    double kilobytes = 0.0;  ///< of examples stored
    std::string chosen;      ///< parameters, chosen on another motion
};

/// Held-out frames of a finite-element limb and of an artist's sequence (where the data folder is
/// present). About half a minute.
std::vector<CompareRow> compare_curve();

}  // namespace cutis::bench
