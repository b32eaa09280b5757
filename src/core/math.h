#pragma once

#include <complex>

/// Elementary functions that give the same bits on every machine: sums, products, quotients and roots alone, which IEEE
/// 754 rounds in one way only, where each system's own library rounds as it likes. Within 4 units in the last place
/// unless said otherwise. What the standard fixes to the last bit (sqrt, floor, fmod, remainder, ldexp) is taken from
/// <cmath>.
namespace cutis::math {

double sin(double x);  ///< beyond a million radians the angle's own rounding shows
double cos(double x);
double acos(double x);
double atan(double x);
double atan2(double y, double x);
double exp(double x);
double expm1(double x);
double tanh(double x);
double log(double x);
double log1p(double x);
double log2(double x);   ///< whole at powers of two
double log10(double x);  ///< whole at powers of ten up to 1e22
double cbrt(double x);
double pow(double x, double y);  ///< relative error about 2e-16 (1 + |y log x|)
double hypot(double x, double y);
double hypot(double x, double y, double z);
inline double arg(const std::complex<double>& z) {
    return atan2(z.imag(), z.real());
}
inline double abs(const std::complex<double>& z) {
    return hypot(z.real(), z.imag());
}
/// e^(i angle)
inline std::complex<double> unit(double angle) {
    return {cos(angle), sin(angle)};
}

// The same of floats, rounded once.
inline float sin(float x) {
    return static_cast<float>(sin(static_cast<double>(x)));
}
inline float cos(float x) {
    return static_cast<float>(cos(static_cast<double>(x)));
}
inline float exp(float x) {
    return static_cast<float>(exp(static_cast<double>(x)));
}
inline float log(float x) {
    return static_cast<float>(log(static_cast<double>(x)));
}
inline float pow(float x, float y) {
    return static_cast<float>(pow(static_cast<double>(x), static_cast<double>(y)));
}

}  // namespace cutis::math
