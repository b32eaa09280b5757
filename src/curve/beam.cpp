#include "curve/beam.h"

#include <cmath>
#include <numbers>

#include "core/math.h"

namespace cutis {

namespace {

double fourth_power(double x) {
    return x * x * x * x;
}

}  // namespace

int moved_nodes(int intervals, CurveEnds ends) {
    return ends == CurveEnds::clamped ? intervals - 1 : intervals;
}

double frequency_for_stiffness(int intervals, double a1_over_a2) {
    const double lambda = beam_modes(intervals, CurveEnds::clamped, 1).eigenvalues[0];
    return std::sqrt(a1_over_a2 * fourth_power(intervals) * lambda) / (2.0 * std::numbers::pi);
}

double paper_growth(double omega_step, double m, double M) {
    // r = 1 / (1 - i Omega): |r| = cos(theta), arg r = theta.
    const double theta = math::atan(omega_step);
    const double cosine = math::cos(theta);
    const double amplitude = 2.0 * cosine / (M * math::sin(theta) * (1.0 + cosine * cosine));
    return m / M - amplitude * math::pow(cosine, m) * math::sin(m * theta);
}

}  // namespace cutis
