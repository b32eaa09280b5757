#pragma once

#include <string>
#include <utility>
#include <vector>

namespace cutis::verify {

/// Which side of its limit a value must stay on.
enum class Bound { at_most, at_least };

/// One case of `verify`, computed when asked for: a value that holds, fails, or was never computed
/// because what it needs is not on this machine.
struct Case {
    std::string layer;  ///< body, slide, curve, fold, wrinkle, shell or stack
    std::string name;   ///< a claim, in words
    double value = 0.0;
    Bound bound = Bound::at_most;
    double limit = 0.0;
    std::string unit;         ///< empty for ratios
    std::string source;       ///< formula or paper equation that says why; of a skipped case: what is missing
    bool is_skipped = false;  ///< neither a pass nor a failure

    /// NaN is on neither side of a limit.
    bool passes() const { return !is_skipped && (bound == Bound::at_most ? value <= limit : value >= limit); }
    bool fails() const { return !is_skipped && !passes(); }
};

inline Case case_at_most(std::string layer, std::string name, double value, double limit, std::string unit,
                         std::string source) {
    return {std::move(layer), std::move(name), value, Bound::at_most, limit, std::move(unit), std::move(source)};
}
inline Case case_at_least(std::string layer, std::string name, double value, double limit, std::string unit,
                          std::string source) {
    return {std::move(layer), std::move(name), value, Bound::at_least, limit, std::move(unit), std::move(source)};
}
inline Case case_skipped(std::string layer, std::string name, std::string missing) {
    Case one;
    one.layer = std::move(layer);
    one.name = std::move(name);
    one.source = std::move(missing);
    one.is_skipped = true;
    return one;
}

/// The larger of two errors, where NaN is the largest of all (`std::max` would lose it).
inline double worse(double a, double b) {
    return a >= b || a != a ? a : b;
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
/// Wrinkles on shapes whose compression is known: length, seams, drift, motion.
std::vector<Case> verify_wrinkle();

/// Skin that slides: derivatives, exact equilibria, waves, coupling, robustness; clips of real
/// characters where the data folder is present.
/// \param whole_clips  every run goes over the whole clip, with steps of 1 ms too: minutes
std::vector<Case> verify_slide(bool whole_clips);

}  // namespace cutis::verify
