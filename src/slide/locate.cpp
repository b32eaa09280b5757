#include "slide/locate.h"

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
    : topology_(&topology), shown_(&topology) {
    for (int v = 0; v < topology.vertex_count(); ++v) {
        materials_.push_back(point_at_vertex(topology, v));
    }
    measure(rest, solver);
}

SlideLocator::SlideLocator(const Topology& topology, const MatrixX3d& rest,
                           const SlideSolver& solver, std::vector<SurfacePoint> materials,
                           const Topology& shown, Up up)
    : topology_(&topology), shown_(&shown), up_(std::move(up)), materials_(std::move(materials)) {
    measure(rest, solver);
}

void SlideLocator::measure(const MatrixX3d& rest, const SlideSolver& solver) {
    const MatrixX3i& t = topology_->triangles();
    VectorXd smooth(topology_->vertex_count());
    VectorXd edges(topology_->vertex_count());
    for (int v = 0; v < topology_->vertex_count(); ++v) {
        // The same fade as of the curved look-up: 0.5 is a crease, 0.75 smooth.
        smooth[v] = std::clamp((solver.sharpness_cosine(v) - 0.5) / 0.25, 0.0, 1.0);
        double sum = 0.0;
        double others = 0.0;
        for (const int f : topology_->triangles_around(v)) {
            for (int k = 0; k < 3; ++k) {
                sum += (rest.row(t(f, k)) - rest.row(v)).norm();
                others += t(f, k) == v ? 0.0 : 1.0;
            }
        }
        edges[v] = sum / others;
    }
    targets_.resize(static_cast<Eigen::Index>(materials_.size()), 3);
    for (size_t v = 0; v < materials_.size(); ++v) {
        const double smoothness = interpolate(smooth, t, materials_[v]);
        lift_.push_back(0.5 * smoothness);
        blend_.push_back(1.0 - smoothness);
        edges_.push_back(interpolate(edges, t, materials_[v]));
        targets_.row(static_cast<Eigen::Index>(v)) = interpolate(rest, t, materials_[v]);
    }
    misses_.assign(materials_.size(), 0.0);
    is_own_.assign(materials_.size(), 1);
    reset();
}

void SlideLocator::search(const SlideSolver& solver, const Workers& workers) {
    const MatrixX3i& t = topology_->triangles();
    solver.material_positions(skin_);
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
    workers.for_chunks(static_cast<int>(materials_.size()), 512, [&](int begin, int end) {
        for (int v = begin; v < end; ++v) {
            const SurfacePoint& material = materials_[static_cast<size_t>(v)];
            SurfacePoint& place = places_[static_cast<size_t>(v)];
            bool is_held = true;
            for (int k = 0; k < 3 && is_held; ++k) {
                is_held = material.barycentric[k] == 0.0 || solver.is_held(t(material.triangle, k));
            }
            if (is_held) {
                place = material;
                misses_[static_cast<size_t>(v)] = 0.0;
                is_own_[static_cast<size_t>(v)] = 1;
                continue;
            }
            const Vector3d target = targets_.row(v);
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
            // At a vertex the same place has a name in each triangle around.
            int corner = 0;
            int own = 0;
            const bool is_at_vertex =
                weights.maxCoeff(&corner) == 1.0 && material.barycentric.maxCoeff(&own) == 1.0;
            is_own_[static_cast<size_t>(v)] =
                is_at_vertex && t(triangle, corner) == t(material.triangle, own) ? 1 : 0;
        }
    });
}

void SlideLocator::lay(const MatrixX3d& body, const Workers& workers, MatrixX3d& out) {
    require(body.rows() == targets_.rows(), "body: expected ", targets_.rows(),
            " positions, found ", body.rows());
    const MatrixX3i& t = shown_->triangles();
    fill_vertex_normals(body, *shown_, NormalWeight::area, workers, normals_);
    out.resize(body.rows(), 3);
    workers.for_chunks(static_cast<int>(materials_.size()), 512, [&](int begin, int end) {
        for (int v = begin; v < end; ++v) {
            const Vector3d own = body.row(v);
            if (is_own_[static_cast<size_t>(v)] != 0) {
                out.row(v) = own;
                continue;
            }
            const SurfacePoint at = up_ ? up_(place(v)) : place(v);
            const Vector3d& weights = at.barycentric;
            // Onto the curved body: p - alpha sum b_k n_k (n_k . (p - x_k)).
            Vector3d p = Vector3d::Zero();
            double alpha = 0.0;
            for (int k = 0; k < 3; ++k) {
                p += weights[k] * body.row(t(at.triangle, k)).transpose();
                alpha += weights[k] * lift_[static_cast<size_t>(t(at.triangle, k))];
            }
            Vector3d offset = Vector3d::Zero();
            for (int k = 0; k < 3; ++k) {
                const Vector3d n = normals_.row(t(at.triangle, k));
                offset += weights[k] * n * n.dot(p - body.row(t(at.triangle, k)).transpose());
            }
            const double back = std::max(
                blend_[static_cast<size_t>(v)],
                uncovered(misses_[static_cast<size_t>(v)] / edges_[static_cast<size_t>(v)]));
            out.row(v) = (1.0 - back) * (p - alpha * offset) + back * own;
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
    require(state.size() == places_.size(), "slide places: expected ", places_.size(),
            " numbers, found ", state.size());
    for (size_t v = 0; v < state.size(); ++v) {
        require(state[v] >= 0.0 && state[v] < topology_->triangle_count(), "slide places: vertex ",
                v, " lies in triangle ", state[v]);
        places_[v].triangle = static_cast<int>(state[v]);
    }
}

}  // namespace cutis
