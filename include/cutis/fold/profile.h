#pragma once

#include <vector>

namespace cutis {

/// Cross-section of a fold (Ly et al. 2017 section 4.2): height over the fold's rest width, zero at
/// both ends, 1 at the crest.
///
/// The place x runs from -1 (one end of the fold) over 0 (its middle) to 1 (the other end).
class FoldProfile {
public:
    /// 1 - 3 x^2 + 2 |x|^3, the paper's cubic blob: smooth everywhere.
    static FoldProfile blob();
    /// 1 - 10 |x|^3 + 15 x^4 - 6 |x|^5: a flatter crest with steeper sides.
    static FoldProfile flat();
    /// (1 - |x|)^2 (1 + |x|/2): smooth at the ends, a ridge with a corner at the crest.
    static FoldProfile sharp();
    /// Heights at evenly spaced places from -1 to 1, joined by a monotone cubic (no overshoot) and
    /// scaled to a highest value of 1.
    /// \param heights  at least 3, finite, not negative, the first and the last 0, one above 0
    /// \throw InvalidInput  names the sample
    static FoldProfile sampled(const std::vector<double>& heights);

    /// This profile, its crest drawn to a ridge and moved to one side.
    /// \param sharpness  0 .. 1: part of sharp() in the mixture (no effect on sampled profiles)
    /// \param lean       -0.5 .. 0.5: new place of x = 0, sides stretched linearly
    /// \throw InvalidInput  out of range
    FoldProfile shaped(double sharpness, double lean) const;

    /// Height at x; 0 for |x| >= 1.
    double at(double x) const;

private:
    enum class Kind { blob, flat, sharp, sampled };
    explicit FoldProfile(Kind kind) : kind_(kind) {}
    double sampled_at(double x) const;

    Kind kind_ = Kind::blob;
    double sharpness_ = 0.0;
    double lean_ = 0.0;
    std::vector<double> heights_;
    std::vector<double> slopes_;  // of the cubic at each sample, per sample distance
};

}  // namespace cutis
