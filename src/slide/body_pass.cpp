#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "cutis/core/error.h"
#include "slide/passes.h"

namespace cutis::slide {

void set_positions(const SkinModel& model, const MatrixX3d& positions, const Workers& workers, BodyFrame& frame) {
    require(positions.rows() == model.vertex_count(), "body: expected ", model.vertex_count(), " positions, found ",
            positions.rows());
    const double sum = workers.sum_chunks(model.vertex_count(), vertex_chunk, [&](int begin, int end) {
        double check = 0.0;
        for (int v = begin; v < end; ++v) {
            double* to = frame.position.at(v);
            for (int c = 0; c < 3; ++c) {
                to[c] = positions(v, c);
                check += std::abs(to[c]);
            }
        }
        return check;
    });
    if (!std::isfinite(sum)) {
        for (int v = 0; v < model.vertex_count(); ++v) {
            require(positions.row(v).allFinite(), "body: position of vertex ", v, " is not finite");
        }
    }
}

// Frames, inverse edge matrices and area vectors of the body's triangles.
void measure_body_triangles(const SkinModel& model, const BodyFrame& frame, int batches, const Workers& workers,
                            Measured& measured) {
    using namespace simd;
    const double* x = frame.position.data();
    const Doubles tiny = simd::all(1e-24 * model.mean_edge * model.mean_edge);
    const Doubles flattest = simd::all(1e-4);
    workers.for_chunks(batches, slide::batch_chunk, [&](int begin, int end) {
        for (int batch = begin; batch < end; ++batch) {
            const int* corner = model.corners.data() + 12 * static_cast<std::ptrdiff_t>(batch);
            const Doubles3 x0 = gather3(x, corner);
            const Doubles3 d1 = gather3(x, corner + 4) - x0;
            const Doubles3 d2 = gather3(x, corner + 8) - x0;
            const Doubles3 area_vector = cross(d1, d2);
            const Doubles length2 = larger(dot(d1, d1), tiny);
            const Doubles double_area2 = dot(area_vector, area_vector);
            const Doubles length = root(length2);
            const Doubles double_area = root(double_area2);
            // A triangle thinner than 1e-4 of its squared edge counts as having that area.
            const Doubles safe_area = larger(double_area, flattest * length2);
            const auto [inverse_length, inverse_safe] = inverses(length, safe_area);
            const Doubles3 axis = inverse_length * d1;
            const Doubles along = dot(d2, axis);
            const Doubles inverse_height = length * inverse_safe;
            Doubles inverse_area = inverse_safe;
            const DoubleBits is_thin = safe_area > double_area;
            if ((is_thin[0] | is_thin[1] | is_thin[2] | is_thin[3]) != 0) {
                inverse_area = simd::all(1.0) / larger(double_area, tiny);
            }
            Doubles x_part = area_vector.x;
            Doubles y_part = area_vector.y;
            Doubles z_part = area_vector.z;
            Doubles w_part = double_area;
            store(measured.body_shape.at(batch, slide::axis_x), axis.x);
            store(measured.body_shape.at(batch, slide::axis_y), axis.y);
            store(measured.body_shape.at(batch, slide::axis_z), axis.z);
            store(measured.body_shape.at(batch, slide::up_x), area_vector.x * inverse_area);
            store(measured.body_shape.at(batch, slide::up_y), area_vector.y * inverse_area);
            store(measured.body_shape.at(batch, slide::up_z), area_vector.z * inverse_area);
            store(measured.body_shape.at(batch, slide::inv00), inverse_length);
            store(measured.body_shape.at(batch, slide::inv01), -along * inverse_length * inverse_height);
            store(measured.body_shape.at(batch, slide::inv11), inverse_height);
            store(measured.body_shape.at(batch, slide::area), simd::all(0.5) * safe_area);
            simd::transpose(x_part, y_part, z_part, w_part);
            store(measured.scratch.at(4 * batch), x_part);
            store(measured.scratch.at(4 * batch + 1), y_part);
            store(measured.scratch.at(4 * batch + 2), z_part);
            store(measured.scratch.at(4 * batch + 3), w_part);
        }
    });
}

namespace {

void find_frame_carefully(const SkinModel& model, const BodyFrame& before, int v, const Vector3d& sum, double whole,
                          BodyFrame& frame) {
    const double length2 = sum.squaredNorm();
    Vector3d normal = before.normal.vector(v);  // where the fan cancels out: keep what was
    if (length2 > 1e-12 * whole * whole && length2 > 0.0) {
        normal = sum / std::sqrt(length2);
    }
    const Vector3d edge = frame.position.vector(model.reference[static_cast<size_t>(v)]) - frame.position.vector(v);
    Vector3d axis = edge - normal * normal.dot(edge);
    if (!(axis.squaredNorm() > 1e-4 * edge.squaredNorm() && axis.squaredNorm() > 0.0)) {
        const Vector3d old = before.axis.vector(v);
        axis = old - normal * normal.dot(old);
        if (!(axis.squaredNorm() > 1e-4)) {
            axis = std::abs(normal[0]) < 0.6 ? normal.cross(Vector3d::UnitX()) : normal.cross(Vector3d::UnitY());
        }
    }
    frame.normal.set(v, normal);
    frame.axis.set(v, axis.normalized());
}

}  // namespace

// Vertex normals (by area), tangent axes that follow one edge each, and velocities.
void find_body_frames(const SkinModel& model, const Measured& measured, const BodyFrame& before,
                      const FrameRange& range, const Workers& workers, BodyFrame& frame) {
    using namespace simd;
    const double inverse = range.seconds > 0.0 ? 1.0 / range.seconds : 0.0;
    const int* starts = model.fan_starts.data();
    const int* fan = model.fans.data();
    const double* parts = measured.scratch.data();
    workers.for_chunks(range.to - range.from, vertex_chunk, [&](int chunk_begin, int chunk_end) {
        const int end = range.from + chunk_end;
        for (int first = range.from + chunk_begin; first < end; first += 4) {
            alignas(32) double sums[4][4];
            int here[4];
            int there[4];
            for (int l = 0; l < 4; ++l) {
                const int v = std::min(first + l, end - 1);
                here[l] = v;
                there[l] = model.reference[static_cast<size_t>(v)];
                Doubles sum = simd::all(0.0);
                for (int i = starts[v]; i < starts[v + 1]; ++i) {
                    sum += load(parts + 4 * static_cast<std::ptrdiff_t>(fan[i] >> 2));
                }
                store(sums[l], sum);
            }
            Doubles nx = load(sums[0]);
            Doubles ny = load(sums[1]);
            Doubles nz = load(sums[2]);
            Doubles whole = load(sums[3]);
            simd::transpose(nx, ny, nz, whole);
            const Doubles length2 = nx * nx + ny * ny + nz * nz;
            const Doubles scale = simd::all(1.0) / root(length2);
            const Doubles3 normal = {nx * scale, ny * scale, nz * scale};
            const Doubles3 at = gather3(frame.position.data(), here);
            const Doubles3 edge = gather3(frame.position.data(), there) - at;
            const Doubles along = dot(normal, edge);
            Doubles3 axis = {edge.x - normal.x * along, edge.y - normal.y * along, edge.z - normal.z * along};
            const Doubles axis2 = dot(axis, axis);
            axis = (simd::all(1.0) / root(axis2)) * axis;
            const Doubles3 moved = simd::all(inverse) * (at - gather3(before.position.data(), here));
            scatter3(frame.normal.data(), here, normal);
            scatter3(frame.axis.data(), here, axis);
            scatter3(frame.velocity.data(), here, moved);
            // A fan that cancels out, or an edge along the normal: the careful way.
            const DoubleBits is_good = (length2 > simd::all(1e-12) * whole * whole) & (length2 > simd::all(0.0)) &
                                       (axis2 > simd::all(1e-4) * dot(edge, edge)) & (axis2 > simd::all(0.0));
            if ((is_good[0] & is_good[1] & is_good[2] & is_good[3]) == 0) {
                for (int l = 0; l < 4; ++l) {
                    if (is_good[l] == 0) {
                        find_frame_carefully(model, before, here[l], Vector3d(sums[l][0], sums[l][1], sums[l][2]),
                                             sums[l][3], frame);
                    }
                }
            }
        }
    });
}

}  // namespace cutis::slide
