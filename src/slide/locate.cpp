#include "slide/locate.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "core/math.h"
#include "cutis/core/error.h"
#include "cutis/mesh/geometry.h"

namespace cutis {

Vector3d nearest_in_triangle(const Vector3d& p, const Vector3d& a, const Vector3d& b, const Vector3d& c,
                             double& squared_distance) {
    const Vector3d ab = b - a;
    const Vector3d ac = c - a;
    const Vector3d ap = p - a;
    const double d00 = ab.squaredNorm();
    const double d01 = ab.dot(ac);
    const double d11 = ac.squaredNorm();
    const double p0 = ap.dot(ab);
    const double p1 = ap.dot(ac);
    const double determinant = d00 * d11 - d01 * d01;
    const double v = d11 * p0 - d01 * p1;  // times the determinant
    const double w = d00 * p1 - d01 * p0;
    const auto distance = [&](double along_ab, double along_ac) {
        return (ap - along_ab * ab - along_ac * ac).squaredNorm();
    };
    if (v >= 0.0 && w >= 0.0 && v + w <= determinant && determinant > 1e-14 * d00 * d11) {
        const double inverse = 1.0 / determinant;
        squared_distance = distance(v * inverse, w * inverse);
        return {std::max(1.0 - (v + w) * inverse, 0.0), v * inverse, w * inverse};
    }
    // Outside: the nearest point of the three sides.
    const double on_ab = d00 > 0.0 ? std::clamp(p0 / d00, 0.0, 1.0) : 0.0;
    const double on_ac = d11 > 0.0 ? std::clamp(p1 / d11, 0.0, 1.0) : 0.0;
    const double d22 = d00 - 2.0 * d01 + d11;
    const double on_bc = d22 > 0.0 ? std::clamp((p1 - p0 + d00 - d01) / d22, 0.0, 1.0) : 0.0;
    Vector3d weights(1.0 - on_ab, on_ab, 0.0);
    squared_distance = distance(on_ab, 0.0);
    if (const double square = distance(0.0, on_ac); square < squared_distance) {
        squared_distance = square;
        weights = {1.0 - on_ac, 0.0, on_ac};
    }
    if (const double square = distance(1.0 - on_bc, on_bc); square < squared_distance) {
        squared_distance = square;
        weights = {0.0, 1.0 - on_bc, on_bc};
    }
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

SlideLocator::SlideLocator(const Topology& topology, const MatrixX3d& rest, const SlideSolver& solver)
    : topology_(&topology), shown_(&topology) {
    for (int v = 0; v < topology.vertex_count(); ++v) {
        materials_.push_back(point_at_vertex(topology, v));
    }
    measure(rest, solver);
}

SlideLocator::SlideLocator(const Topology& topology, const MatrixX3d& rest, const SlideSolver& solver,
                           std::vector<SurfacePoint> materials, const Topology& shown, Up up)
    : topology_(&topology), shown_(&shown), up_(std::move(up)), materials_(std::move(materials)) {
    measure(rest, solver);
}

void SlideLocator::measure(const MatrixX3d& rest, const SlideSolver& solver) {
    const MatrixX3i& t = topology_->triangles();
    VectorXd smooth(topology_->vertex_count());
    VectorXd edges(topology_->vertex_count());
    round_.resize(topology_->vertex_count());
    for (int v = 0; v < topology_->vertex_count(); ++v) {
        // The same fade as of the curved look-up: 0.5 is a crease, 0.75 smooth.
        smooth[v] = std::clamp((solver.sharpness_cosine(v) - 0.5) / 0.25, 0.0, 1.0);
        round_[v] = std::clamp((solver.sharpness_cosine(v) - 0.94) / 0.03, 0.0, 1.0);  // 20 and 14 degrees
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
    const double diagonal = (rest.colwise().maxCoeff() - rest.colwise().minCoeff()).norm();
    creep_ = 1e-5 * diagonal;
    slow_ = 0.15 * diagonal;  // 0.3 m/s for a person
    quickness_.assign(materials_.size(), 0.0);
    misses_.assign(materials_.size(), 0.0);
    caps_.assign(materials_.size(), 0.0);
    balls_.assign(4 * static_cast<size_t>(t.rows()), 0.0);
    reset();
}

void SlideLocator::reset() {
    has_last_ = false;
    places_ = materials_;
    backs_.assign(materials_.size(), 1.0);
    for (MatrixX3d* numbers : {&residuals_, &lags_, &rates_}) {
        numbers->setZero(targets_.rows(), 3);
    }
    stickings_.assign(materials_.size(), 0.0);
    clock_ = 0.0;
}

SurfacePoint SlideLocator::find(const Vector3d& target, int triangle, double edge, double& miss) const {
    const MatrixX3i& t = topology_->triangles();
    const auto nearest = [&](int f, double& square) {
        return nearest_in_triangle(target, skin_.row(t(f, 0)), skin_.row(t(f, 1)), skin_.row(t(f, 2)), square);
    };
    // A point of the inside this near is where the material is; walking over sides gets there.
    constexpr double near = 0.03;
    constexpr double inside = 1e-12;
    constexpr int most_moves = 200;
    double square = 0.0;
    Vector3d weights = nearest(triangle, square);
    bool is_walking = true;
    for (int move = 0; move < most_moves && square > 0.0; ++move) {
        if (weights.minCoeff() > inside && square < near * near * edge * edge) {
            break;
        }
        int better = -1;
        const auto consider = [&](int f) {
            const double* ball = balls_.data() + 4 * static_cast<std::ptrdiff_t>(f);
            const double reach = ball[3] + std::sqrt(square);
            if ((target - Vector3d::Map(ball)).squaredNorm() > reach * reach) {
                return;
            }
            double other = 0.0;
            const Vector3d w = nearest(f, other);
            if (other < square) {
                square = other;
                weights = w;
                better = f;
            }
        };
        if (is_walking) {
            const Vector3d here = weights;
            for (int k = 0; k < 3; ++k) {
                const int across = topology_->neighbour(triangle, (k + 1) % 3);
                if (here[k] == 0.0 && across >= 0) {
                    consider(across);
                }
            }
        }
        // Downhill over the triangles around. Ties go to the first: the same for any thread.
        if (better < 0) {
            is_walking = false;
            for (int k = 0; k < 3; ++k) {
                for (const int f : topology_->triangles_around(t(triangle, k))) {
                    if (f != triangle && f != better) {
                        consider(f);
                    }
                }
            }
        }
        if (better < 0) {
            break;
        }
        triangle = better;
    }
    miss = std::sqrt(square);
    return {triangle, weights};
}

// Around each triangle of skin: what lies further from its ball than from a place found already is passed over.
void SlideLocator::draw_balls(const Workers& workers) {
    constexpr double rounding = 1.0 + 1e-12;
    const MatrixX3i& t = topology_->triangles();
    workers.for_chunks(static_cast<int>(t.rows()), 1024, [&](int begin, int end) {
        for (int f = begin; f < end; ++f) {
            const Vector3d a = skin_.row(t(f, 0));
            const Vector3d b = skin_.row(t(f, 1));
            const Vector3d c = skin_.row(t(f, 2));
            const Vector3d centre = (a + b + c) / 3.0;
            const double square =
                std::max({(a - centre).squaredNorm(), (b - centre).squaredNorm(), (c - centre).squaredNorm()});
            double* ball = balls_.data() + 4 * static_cast<std::ptrdiff_t>(f);
            Vector3d::Map(ball) = centre;
            ball[3] = rounding * std::sqrt(square);
        }
    });
}

void SlideLocator::search(const SlideSolver& solver, const Workers& workers) {
    const MatrixX3i& t = topology_->triangles();
    last_skin_.swap(skin_);
    solver.material_positions(skin_);
    draw_balls(workers);
    last_places_ = places_;
    last_backs_ = backs_;
    last_residuals_ = residuals_;
    last_lags_ = lags_;
    last_rates_ = rates_;
    seconds_ = solver.clock() - clock_;
    clock_ = solver.clock();
    // What is found first after a start depends on where the search began.
    const int rounds = has_last_ ? 1 : 2;
    const double forgotten = math::exp(-seconds_ / 0.3);
    is_following_ = has_last_;
    has_last_ = true;
    const auto has_not_moved = [&](int f) {
        return skin_.row(t(f, 0)) == last_skin_.row(t(f, 0)) && skin_.row(t(f, 1)) == last_skin_.row(t(f, 1)) &&
               skin_.row(t(f, 2)) == last_skin_.row(t(f, 2));
    };
    workers.for_chunks(static_cast<int>(materials_.size()), 512, [&](int begin, int end) {
        for (int v = begin; v < end; ++v) {
            const size_t i = static_cast<size_t>(v);
            const SurfacePoint& material = materials_[i];
            SurfacePoint& place = places_[i];
            bool is_held = true;
            for (int k = 0; k < 3 && is_held; ++k) {
                is_held = material.barycentric[k] == 0.0 || solver.is_held(t(material.triangle, k));
            }
            // Where the skin did not move, its material is where it was.
            const bool is_still = is_following_ && has_not_moved(place.triangle);
            if (is_held) {
                place = material;
                misses_[i] = 0.0;
                backs_[i] = 1.0;
            } else if (!is_still) {
                for (int round = 0; round < rounds; ++round) {
                    place = find(targets_.row(v), place.triangle, edges_[i], misses_[i]);
                }
                // At a vertex the same place has a name in each triangle around.
                int corner = 0;
                int own = 0;
                const bool is_own = place.barycentric.maxCoeff(&corner) == 1.0 &&
                                    material.barycentric.maxCoeff(&own) == 1.0 &&
                                    t(place.triangle, corner) == t(material.triangle, own);
                backs_[i] = is_own ? 1.0 : std::max(blend_[i], uncovered(misses_[i] / edges_[i]));
            }
            if (is_following_) {
                double moved = 0.0;
                double apart = 0.0;  // of neighbours
                double speed = 0.0;
                bool is_held_back = false;
                const int triangles[2] = {place.triangle, last_places_[i].triangle};
                for (int n = 0; n < (triangles[0] == triangles[1] ? 1 : 2); ++n) {
                    const int f = triangles[n];
                    const auto move = [&](int k) -> Vector3d { return skin_.row(t(f, k)) - last_skin_.row(t(f, k)); };
                    for (int k = 0; k < 3; ++k) {
                        moved = std::max(moved, move(k).norm());
                        apart = std::max(apart, (move(k) - move((k + 1) % 3)).norm());
                        speed = std::max(speed, solver.body_speed(t(f, k)));
                        is_held_back = is_held_back || solver.is_gripped(t(f, k));
                    }
                }
                caps_[i] = moved + creep_;
                const double unlike = std::clamp(2.0 * apart / (moved + creep_) - 1.0, 0.0, 1.0);
                stickings_[i] = is_held_back ? 1.0 : std::max(stickings_[i] * forgotten, unlike);
                const double share = speed / slow_;
                quickness_[i] = (1.0 + share * share) / (0.03 * stickings_[i] + 1e-6);
            }
        }
    });
}

// A place of the skin on the shown body, drawn back to the vertex's own place by a share.
Vector3d SlideLocator::read_out(const SurfacePoint& ours, double back, const MatrixX3d& body, int v) const {
    const Vector3d own = body.row(v);
    if (back == 1.0) {
        return own;
    }
    const SurfacePoint at = up_ ? up_(ours) : ours;
    Vector3d normal;
    const Vector3d on = on_curved(at, body, normal);
    // The straight line back to its own place leaves the body.
    return back == 0.0 ? on : raised((1.0 - back) * on + back * own, at.triangle, body);
}

// Onto the curved body: p - alpha sum b_k n_k (n_k . (p - x_k)), which is right to second order with alpha = 1/2.
Vector3d SlideLocator::on_curved(const SurfacePoint& at, const MatrixX3d& body, Vector3d& normal) const {
    const MatrixX3i& t = shown_->triangles();
    const Vector3d& weights = at.barycentric;
    const Vector3d p = interpolate(body, t, at);
    Vector3d offset = Vector3d::Zero();
    double alpha = 0.0;
    normal.setZero();
    for (int k = 0; k < 3; ++k) {
        const Vector3d n = normals_.row(t(at.triangle, k));
        alpha += weights[k] * lift_[static_cast<size_t>(t(at.triangle, k))];
        offset += weights[k] * n * n.dot(p - body.row(t(at.triangle, k)).transpose());
        normal += weights[k] * n;
    }
    normal.normalize();
    return p - alpha * offset;
}

// What moves a place beside another onto the body: the way between them is straight and would leave a round one. At
// edges, where a place near the one side would hop to the other, it stays straight.
Vector3d SlideLocator::lift(const Vector3d& place, const Vector3d& way, int v, const MatrixX3d& body) const {
    const size_t i = static_cast<size_t>(v);
    const double unseen = 10.0 * creep_;
    double share = (1.0 - backs_[i]) * std::clamp(way.norm() / unseen - 1.0, 0.0, 1.0);
    for (int k = 0; k < 3; ++k) {
        share = std::min(share, round_[topology_->triangles()(places_[i].triangle, k)]);
    }
    if (share == 0.0) {
        return Vector3d::Zero();
    }
    const int triangle = up_ ? up_(places_[i]).triangle : places_[i].triangle;
    const Vector3d straight = place + way;
    return share * (raised(straight, triangle, body) - straight);
}

// A place beside the body (between two of its places, say) moved along the normal onto the curved body near a triangle.
Vector3d SlideLocator::raised(const Vector3d& place, int triangle, const MatrixX3d& body) const {
    const MatrixX3i& t = shown_->triangles();
    double square = -1.0;
    SurfacePoint at;
    const auto consider = [&](int f) {
        double other = 0.0;
        const Vector3d w = nearest_in_triangle(place, body.row(t(f, 0)), body.row(t(f, 1)), body.row(t(f, 2)), other);
        if (square < 0.0 || other < square) {
            square = other;
            at = {f, w};
        }
    };
    consider(triangle);
    // A place close above the inside of a triangle lies beside no other.
    constexpr double close = 0.02;
    const auto is_beside = [&] {
        const Vector3d a = body.row(t(at.triangle, 0));
        const Vector3d ab = body.row(t(at.triangle, 1)) - a.transpose();
        const Vector3d ac = body.row(t(at.triangle, 2)) - a.transpose();
        return at.barycentric.minCoeff() > 0.0 && square < close * close * ab.cross(ac).norm();
    };
    for (int from = -1, move = 0; from != at.triangle && !is_beside() && move < 200; ++move) {
        from = at.triangle;
        for (int k = 0; k < 3; ++k) {
            for (const int f : shown_->triangles_around(t(from, k))) {
                consider(f);
            }
        }
    }
    Vector3d normal;
    const Vector3d on = on_curved(at, body, normal);
    return place + normal * normal.dot(on - place);
}

void SlideLocator::lay(const MatrixX3d& body, const Workers& workers, MatrixX3d& out) {
    require(body.rows() == targets_.rows(), "body: expected ", targets_.rows(), " positions, found ", body.rows());
    fill_vertex_normals(body, *shown_, NormalWeight::area, workers, normals_);
    out.resize(body.rows(), 3);
    // Axes that turn with the body: residuals are kept in them.
    const auto axes_at = [&](int v) {
        const MatrixX3i& t = shown_->triangles();
        const int f = shown_->triangles_around(v).front();
        const Vector3d side = (body.row(t(f, 1)) - body.row(t(f, 0))).normalized();
        const Vector3d up = side.cross((body.row(t(f, 2)) - body.row(t(f, 0))).transpose()).normalized();
        Eigen::Matrix3d axes;
        axes << side, up, side.cross(up);
        return axes;
    };
    workers.for_chunks(static_cast<int>(materials_.size()), 512, [&](int begin, int end) {
        for (int v = begin; v < end; ++v) {
            const size_t i = static_cast<size_t>(v);
            const Vector3d target = read_out(places_[i], backs_[i], body, v);
            out.row(v) = target;
            const Vector3d residual = last_residuals_.row(v);
            const Vector3d lag = last_lags_.row(v);
            const Vector3d rate = last_rates_.row(v);
            const bool is_same = backs_[i] == last_backs_[i] &&
                                 (backs_[i] == 1.0 || (places_[i].triangle == last_places_[i].triangle &&
                                                       places_[i].barycentric == last_places_[i].barycentric));
            if (!is_following_ || (is_same && residual.isZero() && lag.isZero() && rate.isZero())) {
                continue;
            }
            const Eigen::Matrix3d axes = axes_at(v);
            Vector3d hop = residual;
            if (!is_same) {
                hop += axes.transpose() * (read_out(last_places_[i], last_backs_[i], body, v) - target);
            }
            const double length = hop.norm();
            Vector3d kept = length > caps_[i] ? Vector3d(hop * (1.0 - caps_[i] / length)) : Vector3d::Zero();
            // x'' = -2 w x' - w^2 x from where it was shown, exactly.
            const double w = quickness_[i];
            const double fade = math::exp(-w * seconds_);
            const Vector3d start = hop - kept + lag;
            const Vector3d pull = rate + w * start;
            Vector3d behind = (start + seconds_ * pull) * fade;
            Vector3d speed = w * seconds_ < 4.0 ? Vector3d((rate - seconds_ * w * pull) * fade)
                                                : Vector3d((behind - start) / seconds_);
            // Without time between frames (material set by hand) nothing lags.
            if (seconds_ <= 0.0 || (behind.squaredNorm() < 1e-6 * creep_ * creep_ &&
                                    (seconds_ * speed).squaredNorm() < 1e-6 * creep_ * creep_)) {
                behind.setZero();
                speed.setZero();
            }
            // With still skin nothing may move, not even onto the body.
            const Vector3d up = axes.transpose() * lift(target, axes * kept, v, body);
            kept += up * std::min(1.0, caps_[i] / std::max(up.norm(), 1e-300));
            residuals_.row(v) = kept;
            lags_.row(v) = behind;
            rates_.row(v) = speed;
            const Vector3d ahead = target + axes * kept;
            const Vector3d way = axes * behind;
            out.row(v) = ahead + way + lift(ahead, way, v, body);
        }
    });
}

bool SlideLocator::is_covered(int v) const {
    return misses_[static_cast<size_t>(v)] < 0.5 * edges_[static_cast<size_t>(v)];
}

std::vector<double> SlideLocator::save() const {
    std::vector<double> state = {has_last_ ? 1.0 : 0.0, clock_};
    for (size_t v = 0; v < places_.size(); ++v) {
        const Vector3d& weights = places_[v].barycentric;
        state.insert(state.end(), {static_cast<double>(places_[v].triangle), weights[0], weights[1], weights[2],
                                   backs_[v], stickings_[v]});
        for (const MatrixX3d* numbers : {&residuals_, &lags_, &rates_}) {
            const double* row = numbers->data() + 3 * v;
            state.insert(state.end(), row, row + 3);
        }
    }
    return state;
}

void SlideLocator::restore(const std::vector<double>& state, const SlideSolver& solver) {
    require(state.size() == saved_numbers(), "slide places: expected ", saved_numbers(), " numbers, found ",
            state.size());
    const double* from = state.data() + 2;
    for (size_t v = 0; v < places_.size(); ++v, from += 15) {
        require(from[0] >= 0.0 && from[0] < topology_->triangle_count(), "slide places: vertex ", v,
                " lies in triangle ", from[0]);
        places_[v] = {static_cast<int>(from[0]), Vector3d(from + 1)};
        require_valid_point(*topology_, places_[v]);
        backs_[v] = from[4];
        stickings_[v] = from[5];
        int at = 6;
        for (MatrixX3d* numbers : {&residuals_, &lags_, &rates_}) {
            numbers->row(static_cast<Eigen::Index>(v)) = Vector3d(from + at);
            at += 3;
        }
    }
    clock_ = state[1];
    has_last_ = state[0] == 1.0;
    solver.material_positions(skin_);
}

}  // namespace cutis
