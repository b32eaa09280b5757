#pragma once

namespace cutis {

/// Exact step of the damped oscillator y'' + 2 xi w y' + w^2 y = w^2 u(t) with u linear over the
/// step: no error from the step's length, stable for any of them.
///
///   y1 = yy y0 + yv v0 + yu0 u0 + yu1 u1
///   v1 = vy y0 + vv v0 + vu0 u0 + vu1 u1
struct OscillatorStep {
    double yy = 1.0, yv = 0.0, yu0 = 0.0, yu1 = 0.0;
    double vy = 0.0, vv = 1.0, vu0 = 0.0, vu1 = 0.0;
};

/// \param omega    radians a second, > 0
/// \param damping  ratio xi, 0 .. 1
/// \param h        seconds, >= 0
OscillatorStep oscillator_step(double omega, double damping, double h);

/// Answer at time t to u = t / T from rest (T = 1): t - sin(omega t)/omega without damping.
/// Positive for every t > 0.
double ramp_answer(double omega, double damping, double t);

}  // namespace cutis
