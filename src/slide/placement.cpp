#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "core/math.h"
#include "slide/material.h"
#include "slide/passes.h"
#include "slide/tracked_area.h"

namespace cutis::slide {

using simd::Doubles;
using simd::Doubles3;
using simd::load;
using simd::store;

bool place_vertex(const SkinModel& model, const SkinState& state, double seconds, int v, Measured& measured,
                  SkinPlaces& next_places) {
    const size_t i = static_cast<size_t>(v);
    const double* j = measured.jacobian.at(v);
    const double v0 = -seconds * state.velocity[2 * i];
    const double v1 = -seconds * state.velocity[2 * i + 1];
    slide::SkinPoint& point = next_places.point[i];
    point = state.places.point[i];
    const bool went_all_the_way = model.surface.move(point, j[0] * v0 + j[2] * v1, j[1] * v0 + j[3] * v1);
    look_up(model, v, next_places, measured.charts);
    return went_all_the_way;
}

// dP/dt = - J v: material moves against the skin's velocity, with the Jacobian of the force.
long place(const SkinModel& model, const SkinState& state, double seconds, const Workers& workers, Measured& measured,
           SkinPlaces& next_places) {
    const double stopped = workers.sum_chunks(model.reach.vertices, slide::vertex_chunk, [&](int begin, int end) {
        double count = 0.0;
        constexpr int ahead = 6;
        for (int v = begin; v < end; ++v) {
            model.surface.prefetch(state.places.point[static_cast<size_t>(std::min(v + ahead, end - 1))]);
            if (state.activity.is_awake(v)) {
                count += place_vertex(model, state, seconds, v, measured, next_places) ? 0.0 : 1.0;
            }
        }
        return count;
    });
    return static_cast<long>(stopped);
}

double triangle_determinant(const SkinModel& model, const SkinState& state, const Measured& measured,
                            const SkinPlaces& where, int f) {
    const MatrixX3i& t = model.topology->triangles();
    const Vector3d p0 = where.position.vector(t(f, 0));
    const Vector3d n = (where.position.vector(t(f, 1)) - p0).cross(where.position.vector(t(f, 2)) - p0);
    const Vector3d ref(state.track.number(f, slide::ref_x), state.track.number(f, slide::ref_y),
                       state.track.number(f, slide::ref_z));
    const double sign = n.dot(ref) < 0.0 ? -1.0 : 1.0;
    const double ratio = sign * n.norm() / (2.0 * measured.body_shape.number(f, slide::area));
    return model.has_openings() ? std::max(ratio, model.least_seen.number(f, 0)) : ratio;
}

bool check_areas(const SkinModel& model, const SkinState& state, const Measured& measured,
                 const SkinPlaces& next_places, bool only_marked, const Workers& workers,
                 std::vector<unsigned char>& marks) {
    const double* p = next_places.position.data();
    const double scale2 = model.uniform_scale * model.uniform_scale;
    const double bad = workers.sum_chunks(model.reach.batches, slide::batch_chunk, [&](int begin, int end) {
        double count = 0.0;
        for (int batch = begin; batch < end; ++batch) {
            if (!state.activity.is_acting(batch) || (only_marked && marks[static_cast<size_t>(batch)] == 0)) {
                marks[static_cast<size_t>(batch)] = 0;
                continue;
            }
            const int* corner = model.corners.data() + 12 * static_cast<std::ptrdiff_t>(batch);
            const TrackedArea area = tracked_area(p, corner, state.track, batch);
            Doubles now =
                area.sign * area.double_area / (simd::all(2.0) * load(measured.body_shape.at(batch, slide::area)));
            if (model.has_openings()) {
                now = simd::larger(now, load(model.least_seen.at(batch, 0)));
            }
            const Doubles before = load(measured.skin_shape.at(batch, slide::det)) / simd::all(scale2);
            // Conservative and cheap; the exact rule is applied to the few that fail.
            const Doubles needed = simd::larger(simd::all(least_determinant),
                                                simd::all(least_share) * simd::smaller(before, simd::all(1.0)));
            const simd::DoubleBits fails = now < needed;
            const bool has_bad = (fails[0] | fails[1] | fails[2] | fails[3]) != 0;
            marks[static_cast<size_t>(batch)] = has_bad ? 1 : 0;
            count += has_bad ? 1.0 : 0.0;
        }
        return count;
    });
    return bad == 0.0;
}

// Sum of the angles of skin triangles round a vertex.
double winding(const SkinModel& model, const SkinPlaces& places, int v) {
    const Vector3d here = places.position.vector(v);
    const MatrixX3i& t = model.topology->triangles();
    double sum = 0.0;
    for (int i = model.fan_starts[static_cast<size_t>(v)]; i < model.fan_starts[static_cast<size_t>(v) + 1]; ++i) {
        const int fan = model.fans[static_cast<size_t>(i)];
        const Vector3d a = places.position.vector(t(fan >> 2, ((fan & 3) + 1) % 3)) - here;
        const Vector3d b = places.position.vector(t(fan >> 2, ((fan & 3) + 2) % 3)) - here;
        sum += math::atan2(a.cross(b).norm(), a.dot(b));
    }
    return sum;
}

void look_up(const SkinModel& model, int v, SkinPlaces& at, SkinCharts& charts) {
    model.surface.look_up(at.point[static_cast<size_t>(v)], at.position.at(v), charts.normal.at(v), charts.axis.at(v),
                          charts.along_u.at(v), charts.along_w.at(v));
}

// Values painted on the skin move with it: per body triangle, what lies there now.
void refresh_painted(const SkinModel& model, const SkinPlaces& places, const Workers& workers, PaintedSkin& painted) {
    const MatrixX3i& t = model.topology->triangles();
    const auto at_point = [&](const Painted& value, int v) {
        if (!value.is_painted()) {
            return value.value;
        }
        const slide::SkinPoint& point = places.point[static_cast<size_t>(v)];
        double sum = 0.0;
        for (int k = 0; k < 3; ++k) {
            sum += point.b[k] * value.per_vertex[t(point.triangle, k)];
        }
        return sum;
    };
    const auto refresh = [&](int begin, int end) {
        double stiffness = 0.0;
        for (int f = 4 * begin; f < 4 * end; ++f) {
            const int g = std::min(f, model.triangle_count() - 1);
            double young = 0.0;
            double poisson = 0.0;
            double areal = 0.0;
            double fung = 0.0;
            double extra = 0.0;
            for (int k = 0; k < 3; ++k) {
                young += at_point(*model.options.young_modulus, t(g, k)) / 3.0;
                poisson += at_point(model.options.poisson_ratio, t(g, k)) / 3.0;
                areal += at_point(model.options.density, t(g, k)) / 3.0;
                fung += at_point(model.options.fung_exponent, t(g, k)) / 3.0;
                extra += at_point(model.options.area_preservation, t(g, k)) / 3.0;
            }
            const MembraneModuli moduli = moduli_from_young(young, poisson);
            const double weight = model.has_openings() ? model.weight.number(f, 0) : 1.0;
            painted.material.number(f, slide::shear) = weight * moduli.shear;
            painted.material.number(f, slide::bulk) = weight * moduli.bulk;
            painted.material.number(f, slide::fung) = fung;
            painted.material.number(f, slide::extra_area) = weight * extra;
            painted.material.number(f, slide::density) = areal;
            stiffness += f == g ? moduli.shear * model.surface.triangle_areas()[g] : 0.0;
        }
        return stiffness;
    };
    painted.stiffness = workers.sum_chunks(model.batch_count, slide::batch_chunk, refresh);
    for (int v = 0; v < model.vertex_count(); ++v) {
        painted.damping[static_cast<size_t>(v)] = at_point(model.options.damping, v);
        if (model.has_metric) {
            const slide::SkinPoint& point = places.point[static_cast<size_t>(v)];
            for (int c = 0; c < 6; ++c) {
                double sum = 0.0;
                for (int k = 0; k < 3; ++k) {
                    sum += point.b[k] *
                           model.metric[6 * static_cast<size_t>(t(point.triangle, k)) + static_cast<size_t>(c)];
                }
                painted.vertex_metric[6 * static_cast<size_t>(v) + static_cast<size_t>(c)] = sum;
            }
        }
    }
}

}  // namespace cutis::slide
