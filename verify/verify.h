#pragma once

#include <string>
#include <utility>
#include <vector>

namespace cutis::verify {

/// One case of `cutis verify`, computed when asked for.
struct Case {
    std::string layer;  ///< body, slide, curve, fold, shell or stack
    std::string name;   ///< a claim, in words
    double value = 0.0;
    double limit = 0.0;  ///< `value` must not exceed it, unless the name says otherwise
    std::string unit;    ///< empty for ratios
    bool pass = false;
    std::string source;  ///< formula or paper equation that says why
};

/// A case whose value must not exceed, or not fall below, its limit; NaN does neither.
inline Case case_at_most(std::string layer, std::string name, double value, double limit,
                         std::string unit, std::string source) {
    return {std::move(layer), std::move(name),  value, limit, std::move(unit),
            value <= limit,   std::move(source)};
}
inline Case case_at_least(std::string layer, std::string name, double value, double limit,
                          std::string unit, std::string source) {
    return {std::move(layer), std::move(name),  value, limit, std::move(unit),
            value >= limit,   std::move(source)};
}

/// Closed-form cases of the body room; runs in under two seconds.
std::vector<Case> verify_body();

/// Every subset of the layers: finite, the same for any number of threads, resumable.
std::vector<Case> verify_stack();
/// The shell: closed forms, and every mesh of the data folder where there is one.
std::vector<Case> verify_shell();

/// Closed forms of the curve layer, and parts of real characters where the data folder is present.
std::vector<Case> verify_curve();
/// Folds: lines, a bending tube, and a dancer; some seconds.
std::vector<Case> verify_fold();

/// Skin that slides: derivatives, exact equilibria, waves, coupling, robustness; clips of real
/// characters where the data folder is present.
/// \param whole_clips  every run goes over the whole clip, with steps of 1 ms too: minutes
std::vector<Case> verify_slide(bool whole_clips);

}  // namespace cutis::verify
