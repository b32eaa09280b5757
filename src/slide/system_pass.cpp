#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "slide/passes.h"

namespace cutis::slide {

using simd::Doubles;
using simd::load;

namespace {

// The 2x2 projector of a constrained vertex: zero for a fixed one, d d^T for a gliding one.
Eigen::Matrix2d projector(slide::Constraint constraint, const double* direction) {
    switch (constraint) {
        case slide::Constraint::fixed:
            return Eigen::Matrix2d::Zero();
        case slide::Constraint::glide: {
            const Vector2d d(direction[0], direction[1]);
            return d * d.transpose();
        }
        case slide::Constraint::free:
            break;
    }
    return Eigen::Matrix2d::Identity();
}

struct FanSum {
    Doubles diagonal;  // 00 01 11 and the first part of the force
    double second_force;
};

// Element blocks of a fan: the side towards the next neighbour, and the transposed one of the side
// before. Neighbour j lies between triangles j - 1 and j.
template <class Real>
EIGEN_ALWAYS_INLINE FanSum sum_fan(const double* elements, const int* fans, int count, bool is_open, double factor,
                                   Real* blocks) {
    FanSum sum{simd::all(0.0), 0.0};
    Doubles before = simd::all(0.0);
    Doubles first = before;
    for (int j = 0; j < count; ++j) {
        const int k = fans[j] & 3;
        const double* e = elements + 28 * static_cast<std::ptrdiff_t>(fans[j] >> 2);
        sum.diagonal += load(e + 12 + 4 * k);
        sum.second_force += e[24 + k];
        const Doubles block = __builtin_shufflevector(before, before, 0, 2, 1, 3) + load(e + 4 * k);
        first = j == 0 ? block : first;
        simd::store_four(blocks + 4 * static_cast<std::ptrdiff_t>(j), factor * block);
        before = load(e + 4 * (k == 0 ? 2 : k - 1));
    }
    const Doubles last = __builtin_shufflevector(before, before, 0, 2, 1, 3);
    if (is_open) {
        simd::store_four(blocks + 4 * static_cast<std::ptrdiff_t>(count), factor * last);
    } else {
        simd::store_four(blocks, factor * (first + last));
    }
    return sum;
}

}  // namespace

// Gravity, wind and dragging hands, in the tangent basis.
Vector2d outer_force(const SkinModel& model, const SkinState& state, const Measured& measured, int v) {
    const size_t i = static_cast<size_t>(v);
    const Vector3d axis = state.body.axis.vector(v);
    const Vector3d second = state.body.normal.vector(v).cross(axis);
    Vector3d outer = measured.mass[i] * model.options.gravity;
    if (const double drag = model.options.wind_drag.at(v); drag > 0.0) {
        outer += drag * model.surface.vertex_areas()[v] * (model.options.wind - state.body.velocity.vector(v));
    }
    for (size_t d = 0; d < model.options.drags.size(); ++d) {
        outer += model.drag_weights[d * static_cast<size_t>(model.vertex_count()) + i] * model.options.drags[d].force;
    }
    return Vector2d(outer.dot(axis), outer.dot(second));
}

// (M (1 + s c) + s^2 K) u = M v + s f with s = theta h; theta = 1 is Li et al. 2013 Eq. 7 with the
// right sign, theta = 1/2 the trapezoidal rule, whose end velocity is 2 u - v. Constraints by
// elimination: A -> C A C + m (I - C), equal to the paper's KKT system (Li et al. 2013 Eq. 10). In
// later Newton iterations the unknown is the change of u.
void assemble(const SkinModel& model, const PaintedSkin& painted, const SkinState& state, const Measured& measured,
              const Trial& trial, const SystemStep& step, const Workers& workers, BlockSystem& system) {
    const double s = step.is_static ? step.seconds : *model.options.implicitness * step.seconds;
    const double s2 = s * s;
    workers.for_chunks(model.reach.vertices, slide::vertex_chunk, [&](int begin, int end) {
        for (int v = begin; v < end; ++v) {
            if (!state.activity.is_awake(v)) {
                continue;
            }
            const size_t i = static_cast<size_t>(v);
            const int first = model.fan_starts[i];
            const int count = model.fan_starts[i + 1] - first;
            const int row = system.row_begin(v);
            const bool is_open = system.row_end(v) - row > count;
            const FanSum sum = system.is_rough() ? sum_fan(measured.scratch.data(), model.fans.data() + first, count,
                                                           is_open, s2, system.rough_blocks() + 4 * row)
                                                 : sum_fan(measured.scratch.data(), model.fans.data() + first, count,
                                                           is_open, s2, system.fine_blocks() + 4 * row);
            Vector2d force(sum.diagonal[3], sum.second_force);
            double k00 = sum.diagonal[0];
            double k01 = sum.diagonal[1];
            double k11 = sum.diagonal[2];
            const double* first_column = measured.along_first.at(v);
            const double* second_column = measured.along_second.at(v);
            const double stiffness = model.tether_stiffness[i];
            if (stiffness > 0.0) {
                const double* p = state.places.position.at(v);
                const double x = p[0] - model.surface.positions()(v, 0);
                const double y = p[1] - model.surface.positions()(v, 1);
                const double z = p[2] - model.surface.positions()(v, 2);
                const double soft = model.tether_softening[i];
                const double pull = stiffness * (1.0 + soft * (x * x + y * y + z * z));
                const double along0 = x * first_column[0] + y * first_column[1] + z * first_column[2];
                const double along1 = x * second_column[0] + y * second_column[1] + z * second_column[2];
                force[0] += pull * along0;
                force[1] += pull * along1;
                const double stiffer = 2.0 * stiffness * soft;
                const auto dot3 = [](const double* a, const double* b) {
                    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
                };
                k00 += pull * dot3(first_column, first_column) + stiffer * along0 * along0;
                k01 += pull * dot3(first_column, second_column) + stiffer * along0 * along1;
                k11 += pull * dot3(second_column, second_column) + stiffer * along1 * along1;
            }
            const double m = measured.mass[i];
            if (model.has_forces) {
                force += outer_force(model, state, measured, v);
            }
            const double damping = (step.is_static ? 0.0 : painted.damping[i]) + state.grip[i];
            const double damped = m * (1.0 + s * damping);
            double* d = system.diagonal(v);
            d[0] = damped + s2 * k00;
            d[1] = s2 * k01;
            d[2] = d[1];
            d[3] = damped + s2 * k11;
            const double* v0 = trial.start_velocity.data() + 2 * i;
            double* right = system.right(v);
            if (step.is_first) {
                right[0] = (step.is_static ? 0.0 : m * v0[0]) + s * force[0];
                right[1] = (step.is_static ? 0.0 : m * v0[1]) + s * force[1];
            } else {
                const double* now = trial.trial_velocity.data() + 2 * i;
                right[0] = m * v0[0] - damped * now[0] + s * force[0];
                right[1] = m * v0[1] - damped * now[1] + s * force[1];
            }
        }
    });
    if (!step.use_constraints) {
        return;
    }
    workers.for_chunks(model.reach.vertices, slide::vertex_chunk, [&](int begin, int end) {
        for (int v = begin; v < end; ++v) {
            if (!state.activity.is_awake(v)) {
                continue;
            }
            const size_t i = static_cast<size_t>(v);
            const Eigen::Matrix2d here = projector(model.constraint[i], model.glide_direction.data() + 2 * i);
            Eigen::Map<Vector2d> right(system.right(v));
            Eigen::Map<Eigen::Matrix2d> diagonal(system.diagonal(v));
            if (model.has_prescribed && step.is_first && !step.is_static) {
                // The known part of the velocity goes to the right side.
                right -= diagonal * Eigen::Map<const Vector2d>(model.prescribed.data() + 2 * i);
                for (int j = system.row_begin(v); j < system.row_end(v); ++j) {
                    right -=
                        system.block(j) * Eigen::Map<const Vector2d>(model.prescribed.data() + 2 * system.column(j));
                }
            }
            const bool is_free = model.constraint[i] == slide::Constraint::free;
            for (int j = system.row_begin(v); j < system.row_end(v); ++j) {
                const size_t other = static_cast<size_t>(system.column(j));
                if (is_free && model.constraint[other] == slide::Constraint::free) {
                    continue;
                }
                const Eigen::Matrix2d there =
                    projector(model.constraint[other], model.glide_direction.data() + 2 * other);
                system.set_block(j, here * system.block(j) * there);
            }
            if (!is_free) {
                diagonal = (here * diagonal * here + measured.mass[i] * (Eigen::Matrix2d::Identity() - here)).eval();
                right = (here * right).eval();
            }
        }
    });
}

}  // namespace cutis::slide
