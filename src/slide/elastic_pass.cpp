#include <algorithm>
#include <cmath>

#include "slide/element.h"
#include "slide/passes.h"

namespace cutis::slide {

using simd::Doubles;
using simd::Doubles3;
using simd::load;
using simd::store;

namespace {

EIGEN_ALWAYS_INLINE Doubles3 load3(const Batches& batches, int batch, int field) {
    return {load(batches.at(batch, field)), load(batches.at(batch, field + 1)), load(batches.at(batch, field + 2))};
}

EIGEN_ALWAYS_INLINE void store3(Batches& batches, int batch, int field, const Doubles3& v) {
    store(batches.at(batch, field), v.x);
    store(batches.at(batch, field + 1), v.y);
    store(batches.at(batch, field + 2), v.z);
}

/// Four triangles of the skin, and the map [s00 s01; 0 s11] from the body's frame to theirs.
struct MappedSkin {
    slide::SkinTriangle skin;
    Doubles s00, s01, s11;
};

EIGEN_ALWAYS_INLINE MappedSkin map_skin(const double* at, const int* corner, const Batches& track,
                                        const Batches& body_shape, int batch, double tiny) {
    const Doubles3 p0 = simd::gather3(at, corner);
    const Doubles3 d1 = simd::gather3(at, corner + 4) - p0;
    const Doubles3 d2 = simd::gather3(at, corner + 8) - p0;
    MappedSkin mapped;
    mapped.skin = slide::skin_triangle(d1, d2, load3(track, batch, slide::ref_x), tiny);
    const Doubles i00 = load(body_shape.at(batch, slide::inv00));
    const Doubles i01 = load(body_shape.at(batch, slide::inv01));
    const Doubles i11 = load(body_shape.at(batch, slide::inv11));
    mapped.s00 = mapped.skin.g00 * i00;
    mapped.s01 = mapped.skin.g00 * i01 + mapped.skin.g01 * i11;
    mapped.s11 = mapped.skin.g11 * i11;
    return mapped;
}

// In-plane parts (c, s) of the axis of a tangent basis with normal a after the smallest rotation to
// normal b: c = q1 . Rot(a -> b) axis. axis . a = 0 and q . b = 0 leave little of the formula.
// Where a and b are nearly opposite the axis is projected.
struct TurnedAxis {
    Doubles closeness;  // 1 + a . b, or so large that nothing leans
    Doubles c, s;
    EIGEN_ALWAYS_INLINE TurnedAxis(const Doubles3& a, const Doubles3& b) {
        const Doubles sum = simd::all(1.0) + dot(a, b);
        closeness = simd::select(sum < simd::all(0.1), simd::all(1e100), sum);
    }
    EIGEN_ALWAYS_INLINE void turn(const Doubles3& axis, const Doubles3& a, const Doubles3& b, const Doubles3& q1,
                                  const Doubles3& q2, Doubles inverse) {
        const Doubles lean = dot(b, axis) * inverse;
        c = dot(axis, q1) - dot(a, q1) * lean;
        s = dot(axis, q2) - dot(a, q2) * lean;
    }
};

// Numbers of a body vertex's relaxed metric, gathered for four triangles as means of their corners.
struct MetricMean {
    Doubles m[6];
    MetricMean(const std::vector<double>& metric, const int* corner) {
        for (int c = 0; c < 6; ++c) {
            Doubles sum = simd::all(0.0);
            for (int k = 0; k < 3; ++k) {
                for (int l = 0; l < 4; ++l) {
                    sum[l] += metric[6 * static_cast<size_t>(corner[4 * k + l]) + static_cast<size_t>(c)];
                }
            }
            m[c] = sum / simd::all(3.0);
        }
    }
    // a . M b
    Doubles between(const Doubles3& a, const Doubles3& b) const {
        return a.x * (m[0] * b.x + m[3] * b.y + m[5] * b.z) + a.y * (m[3] * b.x + m[1] * b.y + m[4] * b.z) +
               a.z * (m[5] * b.x + m[4] * b.y + m[2] * b.z);
    }
};

}  // namespace

// Pass 1 over triangles: S from the body's triangle to the skin's, and each corner's part of the
// nodal Jacobian. The orientation comes from the normal tracked in time, since surface normals
// mislead in creases.
void measure_skin(const SkinModel& model, const PaintedSkin& painted, const SkinState& state, const Workers& workers,
                  Measured& measured) {
    const double* at = state.places.position.data();
    const double tiny = 1e-24 * model.mean_edge * model.mean_edge;
    workers.for_chunks(model.reach.batches, slide::batch_chunk, [&](int begin, int end) {
        for (int batch = begin; batch < end; ++batch) {
            if (!state.activity.is_measured(batch)) {
                continue;
            }
            const int* corner = model.corners.data() + 12 * static_cast<std::ptrdiff_t>(batch);
            const MappedSkin mapped = map_skin(at, corner, state.track, measured.body_shape, batch, tiny);
            const slide::SkinTriangle& skin = mapped.skin;
            const Doubles s00 = mapped.s00;
            const Doubles s01 = mapped.s01;
            const Doubles s11 = mapped.s11;
            Doubles area = load(measured.body_shape.at(batch, slide::area));
            if (model.has_openings()) {
                area *= load(model.weight.at(batch, 0));
            }
            store3(measured.skin_shape, batch, slide::p1x, skin.p1);
            store3(measured.skin_shape, batch, slide::p2x, skin.p2);
            Doubles determinant = s00 * s11;
            if (model.has_metric) {
                const MetricMean metric_mean(painted.vertex_metric, corner);
                const Doubles u00 = metric_mean.between(skin.p1, skin.p1);
                const Doubles u01 = metric_mean.between(skin.p1, skin.p2);
                const Doubles u11 = metric_mean.between(skin.p2, skin.p2);
                store(measured.skin_shape.at(batch, slide::s00), u00 * s00);
                store(measured.skin_shape.at(batch, slide::s01), u00 * s01 + u01 * s11);
                store(measured.skin_shape.at(batch, slide::s10), u01 * s00);
                store(measured.skin_shape.at(batch, slide::s11), u01 * s01 + u11 * s11);
                determinant *= u00 * u11 - u01 * u01;
            } else {
                const Doubles scale = simd::all(model.uniform_scale);
                store(measured.skin_shape.at(batch, slide::s00), scale * s00);
                store(measured.skin_shape.at(batch, slide::s01), scale * s01);
                store(measured.skin_shape.at(batch, slide::s10), simd::all(0.0));
                store(measured.skin_shape.at(batch, slide::s11), scale * s11);
                determinant *= scale * scale;
            }
            store(measured.skin_shape.at(batch, slide::det), determinant);

            const Doubles3 q1 = load3(measured.body_shape, batch, slide::axis_x);
            const Doubles3 up = load3(measured.body_shape, batch, slide::up_x);
            const Doubles3 q2 = cross(up, q1);
            Records& out = measured.scratch;
            for (int k = 0; k < 3; ++k) {
                const int* vertex = corner + 4 * k;
                const Doubles3 on_body = simd::gather3(state.body.normal.data(), vertex);
                const Doubles3 on_skin = simd::gather3(measured.charts.normal.data(), vertex);
                TurnedAxis x(on_body, up);
                TurnedAxis p(on_skin, skin.normal);
                const auto [inverse_x, inverse_p] = simd::inverses(x.closeness, p.closeness);
                x.turn(simd::gather3(state.body.axis.data(), vertex), on_body, up, q1, q2, inverse_x);
                p.turn(simd::gather3(measured.charts.axis.data(), vertex), on_skin, skin.normal, skin.p1, skin.p2,
                       inverse_p);
                // area * Rp^T S Rx, R = [c -s; s c]
                const Doubles m00 = s00 * x.c + s01 * x.s;
                const Doubles m01 = s01 * x.c - s00 * x.s;
                const Doubles m10 = s11 * x.s;
                const Doubles m11 = s11 * x.c;
                Doubles j00 = area * (p.c * m00 + p.s * m10);
                Doubles j10 = area * (p.c * m10 - p.s * m00);
                Doubles j01 = area * (p.c * m01 + p.s * m11);
                Doubles j11 = area * (p.c * m11 - p.s * m01);
                simd::transpose(j00, j10, j01, j11);
                store(out.at(16 * batch + k), j00);
                store(out.at(16 * batch + 4 + k), j10);
                store(out.at(16 * batch + 8 + k), j01);
                store(out.at(16 * batch + 12 + k), j11);
            }
            const Doubles size = simd::larger(determinant, -determinant);
            Doubles third = load(painted.material.at(batch, slide::density)) * area *
                            simd::larger(size, simd::all(0.1)) * simd::all(1.0 / 3.0);
            Doubles a = area;
            Doubles unused1 = simd::all(0.0);
            Doubles unused2 = unused1;
            simd::transpose(a, third, unused1, unused2);
            store(out.at(16 * batch + 3), a);
            store(out.at(16 * batch + 7), third);
            store(out.at(16 * batch + 11), unused1);
            store(out.at(16 * batch + 15), unused2);
        }
    });
}

namespace {

// Singular values of a 2x2 matrix (column by column) clamped to [0.2, 5], determinant made
// positive: a collapsed or turned Jacobian could never pull itself out.
void clamp_jacobian(double* j) {
    // Neither below (determinant over norm) nor above (norm): nothing to do, as nearly always.
    const double determinant = j[0] * j[3] - j[1] * j[2];
    const double norm2 = j[0] * j[0] + j[1] * j[1] + j[2] * j[2] + j[3] * j[3];
    if (determinant > 0.0 && norm2 < 25.0 && determinant * determinant > 0.04 * norm2) {
        return;
    }
    const double e = 0.5 * (j[0] + j[3]);
    const double h = 0.5 * (j[1] - j[2]);
    const double f = 0.5 * (j[0] - j[3]);
    const double g = 0.5 * (j[1] + j[2]);
    const double q = std::sqrt(e * e + h * h);
    const double r = std::sqrt(f * f + g * g);
    const double high = std::clamp(q + r, 0.2, 5.0);
    const double low = std::clamp(q - r, 0.2, 5.0);
    const double new_q = 0.5 * (high + low);
    const double new_r = 0.5 * (high - low);
    const double qs = q > 1e-12 ? new_q / q : 0.0;
    const double rs = r > 1e-12 ? new_r / r : 0.0;
    const double e2 = q > 1e-12 ? e * qs : new_q;
    const double h2 = h * qs;
    const double f2 = f * rs;
    const double g2 = g * rs;
    j[0] = e2 + f2;
    j[3] = e2 - f2;
    j[1] = g2 + h2;
    j[2] = g2 - h2;
}

}  // namespace

// Nodal Jacobians: one per vertex, in the force and in the move alike, or the method does not
// converge. `jacobian` goes to chart coordinates, along_* to 3-D.
void find_jacobians(const SkinModel& model, const Activity& activity, bool keep_mass, const Workers& workers,
                    Measured& measured) {
    workers.for_chunks(model.reach.vertices, vertex_chunk, [&](int begin, int end) {
        for (int v = begin; v < end; ++v) {
            if (!activity.is_seen(v)) {
                continue;
            }
            Doubles sum = simd::all(0.0);
            Doubles sizes = sum;
            for (int i = model.fan_starts[static_cast<size_t>(v)]; i < model.fan_starts[static_cast<size_t>(v) + 1];
                 ++i) {
                const int fan = model.fans[static_cast<size_t>(i)];
                sum += load(measured.scratch.at(fan));
                sizes += load(measured.scratch.at(fan | 3));
            }
            if (!keep_mass) {
                measured.mass[static_cast<size_t>(v)] = sizes[1];
            }
            alignas(32) double j[4];
            store(j, sum * simd::all(1.0 / sizes[0]));
            const double determinant = j[0] * j[3] - j[1] * j[2];
            const double squares = j[0] * j[0] + j[1] * j[1] + j[2] * j[2] + j[3] * j[3];
            // Both singular values within [0.2, 5] for certain: the common case.
            if (!(determinant * determinant > 0.04 * squares && determinant > 0.0 && squares < 25.0)) {
                clamp_jacobian(j);
            }
            store(measured.jacobian.at(v), load(j));
            const Doubles u = load(measured.charts.along_u.at(v));
            const Doubles w = load(measured.charts.along_w.at(v));
            store(measured.along_first.at(v), u * j[0] + w * j[1]);
            store(measured.along_second.at(v), u * j[2] + w * j[3]);
        }
    });
}

// Pass 2 over triangles: force and stiffness of the strain energy in tangent coordinates.
// Per triangle 28 numbers: K_01, K_12, K_20 (2x2, row by row); per corner the diagonal block
// (00 01 11) and the force's first part; then the three second parts and the energy.
void find_forces(const SkinModel& model, const Activity& activity, const PaintedSkin& painted, const Workers& workers,
                 Measured& measured) {
    slide::with_material(model.options.material, [&](auto kind) {
        using Material = decltype(kind);
        workers.for_chunks(model.reach.batches, slide::batch_chunk, [&](int begin, int end) {
            for (int batch = begin; batch < end; ++batch) {
                if (!activity.is_acting(batch)) {
                    continue;
                }
                const int* corner = model.corners.data() + 12 * static_cast<std::ptrdiff_t>(batch);
                slide::ElementInput in;
                in.s00 = load(measured.skin_shape.at(batch, slide::s00));
                in.s01 = load(measured.skin_shape.at(batch, slide::s01));
                in.s10 = load(measured.skin_shape.at(batch, slide::s10));
                in.s11 = load(measured.skin_shape.at(batch, slide::s11));
                in.area = load(measured.body_shape.at(batch, slide::area));
                in.moduli = {
                    load(painted.material.at(batch, slide::shear)), load(painted.material.at(batch, slide::bulk)),
                    load(painted.material.at(batch, slide::fung)), load(painted.material.at(batch, slide::extra_area))};
                Doubles3 p1 = load3(measured.skin_shape, batch, slide::p1x);
                Doubles3 p2 = load3(measured.skin_shape, batch, slide::p2x);
                Doubles u00 = simd::all(model.uniform_scale);
                Doubles u01 = simd::all(0.0);
                Doubles u11 = u00;
                if (model.has_metric) {
                    const MetricMean metric_mean(painted.vertex_metric, corner);
                    u00 = metric_mean.between(p1, p1);
                    u01 = metric_mean.between(p1, p2);
                    u11 = metric_mean.between(p2, p2);
                }
                const Doubles i00 = load(measured.body_shape.at(batch, slide::inv00));
                const Doubles i01 = load(measured.body_shape.at(batch, slide::inv01));
                const Doubles i11 = load(measured.body_shape.at(batch, slide::inv11));
                // Gradients of the hat functions in the body's frame: rows of the inverse.
                in.hat[1][0] = i00;
                in.hat[1][1] = i01;
                in.hat[2][0] = simd::all(0.0);
                in.hat[2][1] = i11;
                in.hat[0][0] = -i00;
                in.hat[0][1] = -(i01 + i11);
                for (int k = 0; k < 3; ++k) {
                    const Doubles3 first = simd::gather3(measured.along_first.data(), corner + 4 * k);
                    const Doubles3 second = simd::gather3(measured.along_second.data(), corner + 4 * k);
                    const Doubles y00 = dot(p1, first);
                    const Doubles y10 = dot(p2, first);
                    const Doubles y01 = dot(p1, second);
                    const Doubles y11 = dot(p2, second);
                    in.y[k][0][0] = u00 * y00 + u01 * y10;
                    in.y[k][1][0] = u01 * y00 + u11 * y10;
                    in.y[k][0][1] = u00 * y01 + u01 * y11;
                    in.y[k][1][1] = u01 * y01 + u11 * y11;
                }
                slide::evaluate_element<Material>(in, model.has_area_term,
                                                  measured.scratch.data() + 112 * static_cast<std::ptrdiff_t>(batch));
            }
        });
    });
}

namespace {

// Energies of four triangles with their corners at p.
template <class Material>
EIGEN_ALWAYS_INLINE Doubles four_energies(const SkinModel& model, const PaintedSkin& painted, const SkinState& state,
                                          const Measured& measured, const double* p, int batch) {
    const double tiny = 1e-24 * model.mean_edge * model.mean_edge;
    const int* corner = model.corners.data() + 12 * static_cast<std::ptrdiff_t>(batch);
    const MappedSkin mapped = map_skin(p, corner, state.track, measured.body_shape, batch, tiny);
    const slide::SkinTriangle& skin = mapped.skin;
    const Doubles s00 = mapped.s00;
    const Doubles s01 = mapped.s01;
    const Doubles s11 = mapped.s11;
    Doubles m[4] = {simd::all(model.uniform_scale) * s00, simd::all(model.uniform_scale) * s01, simd::all(0.0),
                    simd::all(model.uniform_scale) * s11};
    if (model.has_metric) {
        const MetricMean metric_mean(painted.vertex_metric, corner);
        const Doubles u00 = metric_mean.between(skin.p1, skin.p1);
        const Doubles u01 = metric_mean.between(skin.p1, skin.p2);
        const Doubles u11 = metric_mean.between(skin.p2, skin.p2);
        m[0] = u00 * s00;
        m[1] = u00 * s01 + u01 * s11;
        m[2] = u01 * s00;
        m[3] = u01 * s01 + u11 * s11;
    }
    const slide::Moduli<Doubles> moduli = {
        load(painted.material.at(batch, slide::shear)), load(painted.material.at(batch, slide::bulk)),
        load(painted.material.at(batch, slide::fung)), load(painted.material.at(batch, slide::extra_area))};
    return load(measured.body_shape.at(batch, slide::area)) *
           slide::energy_density<Material>(m[0], m[1], m[2], m[3], moduli, model.has_area_term);
}

}  // namespace

double elastic_energy(const SkinModel& model, const PaintedSkin& painted, const SkinState& state,
                      const Measured& measured, const SkinPlaces& where, int batches, const Workers& workers) {
    return slide::with_material(model.options.material, [&](auto kind) {
        return workers.sum_chunks(batches, slide::batch_chunk, [&](int begin, int end) {
            double sum = 0.0;
            for (int batch = begin; batch < end; ++batch) {
                const Doubles energy =
                    four_energies<decltype(kind)>(model, painted, state, measured, where.position.data(), batch);
                const int lanes_used = std::min(4, model.triangle_count() - 4 * batch);
                for (int l = 0; l < lanes_used; ++l) {
                    sum += energy[l];
                }
            }
            return sum;
        });
    });
}

void find_energies(const SkinModel& model, const PaintedSkin& painted, const SkinState& state, const Measured& measured,
                   const SkinPlaces& where, int batch, double* four) {
    slide::with_material(model.options.material, [&](auto kind) {
        store(four, four_energies<decltype(kind)>(model, painted, state, measured, where.position.data(), batch));
    });
}

double find_energy_changes(const SkinModel& model, const PaintedSkin& painted, const SkinState& state,
                           const Measured& measured, const SkinPlaces& where, const Workers& workers,
                           Records& changes) {
    return slide::with_material(model.options.material, [&](auto kind) {
        return workers.sum_chunks(model.reach.batches, slide::batch_chunk, [&](int begin, int end) {
            double sum = 0.0;
            for (int batch = begin; batch < end; ++batch) {
                if (!state.activity.is_acting(batch)) {
                    store(changes.at(batch), simd::all(0.0));
                    continue;
                }
                const Doubles energy =
                    four_energies<decltype(kind)>(model, painted, state, measured, where.position.data(), batch);
                const double* before = element_energy(measured, 4 * batch);
                double* change = changes.at(batch);
                for (int l = 0; l < 4; ++l) {
                    const bool is_triangle = 4 * batch + l < model.triangle_count();
                    change[l] = is_triangle ? energy[l] - before[28 * l] : 0.0;
                    sum += change[l];
                }
            }
            return sum;
        });
    });
}

double tether_energy(const SkinModel& model, const SkinPlaces& where, int v) {
    const double* p = where.position.at(v);
    const double x = p[0] - model.surface.positions()(v, 0);
    const double y = p[1] - model.surface.positions()(v, 1);
    const double z = p[2] - model.surface.positions()(v, 2);
    const double d2 = x * x + y * y + z * z;
    return model.tether_stiffness[static_cast<size_t>(v)] * d2 *
           (0.5 + 0.25 * model.tether_softening[static_cast<size_t>(v)] * d2);
}

double tether_energy(const SkinModel& model, const SkinPlaces& where, const Workers& workers) {
    return workers.sum_chunks(model.vertex_count(), vertex_chunk, [&](int begin, int end) {
        double sum = 0.0;
        for (int v = begin; v < end; ++v) {
            sum += tether_energy(model, where, v);
        }
        return sum;
    });
}

}  // namespace cutis::slide
