#include "cutis/slide/locate.h"

#include <algorithm>
#include <cmath>

#include "cutis/core/error.h"
#include "cutis/mesh/geometry.h"

namespace cutis {

Vector3d nearest_in_triangle(const Vector3d& p, const Vector3d& a, const Vector3d& b,
                             const Vector3d& c, double& squared_distance) {
    const Vector3d ab = b - a;
    const Vector3d ac = c - a;
    const Vector3d ap = p - a;
    const double d00 = ab.squaredNorm();
    const double d01 = ab.dot(ac);
    const double d11 = ac.squaredNorm();
    const double p0 = ap.dot(ab);
    const double p1 = ap.dot(ac);
    const double determinant = d00 * d11 - d01 * d01;
    double best = -1.0;
    Vector3d weights(1, 0, 0);
    const auto consider = [&](double v, double w) {
        const double square = (ap - v * ab - w * ac).squaredNorm();
        if (best < 0.0 || square < best) {
            best = square;
            weights = Vector3d(std::max(1.0 - v - w, 0.0), v, w);
        }
    };
    if (determinant > 1e-14 * d00 * d11) {
        const double v = (d11 * p0 - d01 * p1) / determinant;
        const double w = (d00 * p1 - d01 * p0) / determinant;
        if (v >= 0.0 && w >= 0.0 && v + w <= 1.0) {
            consider(v, w);
            squared_distance = best;
            return weights;
        }
    }
    // Outside: the nearest point of the three sides.
    consider(d00 > 0.0 ? std::clamp(p0 / d00, 0.0, 1.0) : 0.0, 0.0);
    consider(0.0, d11 > 0.0 ? std::clamp(p1 / d11, 0.0, 1.0) : 0.0);
    const double d22 = d00 - 2.0 * d01 + d11;
    const double along = d22 > 0.0 ? std::clamp((p1 - p0 + d00 - d01) / d22, 0.0, 1.0) : 0.0;
    consider(1.0 - along, along);
    squared_distance = best;
    return weights;
}

namespace {

// Skin that lies further from its vertex than half an edge does not cover it (it has slid off a
// tip): the vertex goes back to its own place, smoothly from a quarter of an edge on.
double uncovered(double miss_in_edges) {
    const double x = std::clamp((miss_in_edges - 0.25) / 0.25, 0.0, 1.0);
    return x * x * (3.0 - 2.0 * x);
}

}  // namespace

SlideLocator::SlideLocator(const Topology& topology, const MatrixX3d& rest,
                           const SlideSolver& solver)
    : topology_(&topology), rest_(rest) {
    const size_t count = static_cast<size_t>(topology.vertex_count());
    places_.resize(count);
    misses_.assign(count, 0.0);
    for (int v = 0; v < topology.vertex_count(); ++v) {
        // The same fade as of the curved look-up: 0.5 is a crease, 0.75 smooth.
        const double smooth = std::clamp((solver.sharpness_cosine(v) - 0.5) / 0.25, 0.0, 1.0);
        lift_.push_back(0.5 * smooth);
        blend_.push_back(1.0 - smooth);
        double edges = 0.0;
        double others = 0.0;
        for (const int f : topology.triangles_around(v)) {
            for (int k = 0; k < 3; ++k) {
                const int other = topology.triangles()(f, k);
                edges += (rest.row(other) - rest.row(v)).norm();
                others += other == v ? 0.0 : 1.0;
            }
        }
        edges_.push_back(edges / others);
    }
    reset();
}

void SlideLocator::reset() {
    for (int v = 0; v < topology_->vertex_count(); ++v) {
        places_[static_cast<size_t>(v)] = point_at_vertex(*topology_, v);
    }
}

void SlideLocator::locate(const SlideSolver& solver, const MatrixX3d& body, const Workers& workers,
                          MatrixX3d& out) {
    if (body.rows() != rest_.rows()) {
        throw InvalidInput(say("body: expected ", rest_.rows(), " positions, found ", body.rows()));
    }
    const MatrixX3i& t = topology_->triangles();
    solver.material_positions(skin_);
    fill_vertex_normals(body, *topology_, NormalWeight::area, workers, normals_);
    out.resize(rest_.rows(), 3);
    // A ball around each triangle of skin tells most of them apart at once.
    balls_.resize(static_cast<size_t>(topology_->triangle_count()));
    workers.for_chunks(topology_->triangle_count(), 1024, [&](int begin, int end) {
        for (int f = begin; f < end; ++f) {
            Ball& ball = balls_[static_cast<size_t>(f)];
            const Vector3d a = skin_.row(t(f, 0));
            const Vector3d b = skin_.row(t(f, 1));
            const Vector3d c = skin_.row(t(f, 2));
            ball.centre = (a + b + c) / 3.0;
            ball.radius = std::sqrt(
                std::max({(a - ball.centre).squaredNorm(), (b - ball.centre).squaredNorm(),
                          (c - ball.centre).squaredNorm()}));
        }
    });
    workers.for_chunks(topology_->vertex_count(), 512, [&](int begin, int end) {
        for (int v = begin; v < end; ++v) {
            if (solver.is_held(v)) {
                places_[static_cast<size_t>(v)] = point_at_vertex(*topology_, v);
                misses_[static_cast<size_t>(v)] = 0.0;
                out.row(v) = body.row(v);
                continue;
            }
            const Vector3d target = rest_.row(v);
            SurfacePoint& place = places_[static_cast<size_t>(v)];
            const auto nearest = [&](int f, double& square) {
                return nearest_in_triangle(target, skin_.row(t(f, 0)), skin_.row(t(f, 1)),
                                           skin_.row(t(f, 2)), square);
            };
            double square = 0.0;
            int triangle = place.triangle;
            Vector3d weights = nearest(triangle, square);
            // Downhill over the triangles around. Ties go to the first: the same for any thread.
            constexpr int most_moves = 200;
            for (int move = 0; move < most_moves && square > 0.0; ++move) {
                int better = -1;
                double distance = std::sqrt(square);
                for (int k = 0; k < 3; ++k) {
                    for (const int f : topology_->triangles_around(t(triangle, k))) {
                        const Ball& ball = balls_[static_cast<size_t>(f)];
                        const double near = distance + ball.radius;
                        if (f == triangle || f == better ||
                            (target - ball.centre).squaredNorm() > near * near) {
                            continue;
                        }
                        double other = 0.0;
                        const Vector3d w = nearest(f, other);
                        if (other < square) {
                            square = other;
                            distance = std::sqrt(square);
                            weights = w;
                            better = f;
                        }
                    }
                }
                if (better < 0) {
                    break;
                }
                triangle = better;
            }
            place.triangle = triangle;
            place.barycentric = weights;
            misses_[static_cast<size_t>(v)] = std::sqrt(square);

            // Onto the curved body: p - alpha sum b_k n_k (n_k . (p - x_k)).
            Vector3d p = Vector3d::Zero();
            double alpha = 0.0;
            for (int k = 0; k < 3; ++k) {
                p += weights[k] * body.row(t(triangle, k)).transpose();
                alpha += weights[k] * lift_[static_cast<size_t>(t(triangle, k))];
            }
            Vector3d offset = Vector3d::Zero();
            for (int k = 0; k < 3; ++k) {
                const Vector3d n = normals_.row(t(triangle, k));
                offset += weights[k] * n * n.dot(p - body.row(t(triangle, k)).transpose());
            }
            const Vector3d own = body.row(v);
            const double back = std::max(
                blend_[static_cast<size_t>(v)],
                uncovered(misses_[static_cast<size_t>(v)] / edges_[static_cast<size_t>(v)]));
            const bool is_own =
                weights.maxCoeff() == 1.0 && t(triangle, weights[0] == 1.0   ? 0
                                                         : weights[1] == 1.0 ? 1
                                                                             : 2) == v;
            out.row(v) = is_own ? own : Vector3d((1.0 - back) * (p - alpha * offset) + back * own);
        }
    });
}

bool SlideLocator::is_covered(int v) const {
    return misses_[static_cast<size_t>(v)] < 0.5 * edges_[static_cast<size_t>(v)];
}

std::vector<double> SlideLocator::save() const {
    std::vector<double> state;
    for (const SurfacePoint& place : places_) {
        state.push_back(place.triangle);
    }
    return state;
}

void SlideLocator::restore(const std::vector<double>& state) {
    if (state.size() != places_.size()) {
        throw InvalidInput(
            say("slide places: expected ", places_.size(), " numbers, found ", state.size()));
    }
    for (size_t v = 0; v < state.size(); ++v) {
        if (!(state[v] >= 0.0 && state[v] < topology_->triangle_count())) {
            throw InvalidInput(say("slide places: vertex ", v, " lies in triangle ", state[v]));
        }
        places_[v].triangle = static_cast<int>(state[v]);
    }
}

}  // namespace cutis
