#include <algorithm>
#include <limits>
#include <numbers>

#include "curve/flesh_group.h"

// What a group of flesh shows: all parts displaced, and what is still inside of something pushed out.

namespace cutis {

namespace {

constexpr int push_rounds = 3;
constexpr int most_again = 6;
constexpr double push_slope = 0.35;  // at which what lies beside a pushed vertex follows it

}  // namespace

void FleshGroup::displace(double time, TimeSampling sampling, const Workers& workers, MatrixX3d& surface) {
    if (collider_count() == 0) {
        for (const auto& flesh : parts_) {
            flesh->displace(time, sampling, workers, surface);
        }
        return;
    }
    plain_ = surface;
    for (const auto& flesh : parts_) {
        flesh->displace(time, sampling, workers, surface);
    }
    // Where everything is now; what steps need of it is kept.
    shown_ = moving_;
    poses_.at(carried_, time, sampling, posed_);
    for (size_t k = 0; k < carried_.size(); ++k) {
        shown_[k].now = shown_[k].of_body = posed_[k];
    }
    std::swap(shown_, moving_);
    // Of two soft parts each goes half the way first; then what is left.
    const int passes = tube_owner_.empty() ? 1 : 2;
    show_tubes(plain_, true, workers);
    unpushed_ = surface;
    is_pushed_ = false;
    deepest_ = 0.0;
    furthest_ = std::numeric_limits<double>::infinity();
    for (int pass = 0; pass < passes; ++pass) {
        show_tubes(surface, false, workers);
        for (size_t p = 0; p < parts_.size(); ++p) {
            push(p, pass + 1 < passes ? 0.5 : 1.0, surface);
        }
        furthest_ = std::min(furthest_, deepest_);
    }
    // What follows a push, and a part that was pushed, may meet others.
    for (int again = 0; is_pushed_ && again < most_again; ++again) {
        spread_pushes(surface);
        show_tubes(surface, false, workers);
        is_pushed_ = false;
        for (size_t p = 0; p < parts_.size(); ++p) {
            push(p, 1.0, surface);
        }
    }
    std::swap(shown_, moving_);
}

void FleshGroup::prepare_links() {
    std::vector<char> is_soft(static_cast<size_t>(body_.rest->rows()), 0);
    for (const auto& flesh : parts_) {
        for (const int v : flesh->part().vertices) {
            is_soft[v] = 1;
        }
    }
    for (const auto& [a, b] : body_.topology->edges()) {
        if (is_soft[a] != 0 && is_soft[b] != 0) {
            links_.push_back({a, b, (body_.rest->row(a) - body_.rest->row(b)).norm()});
        }
    }
}

/// What lies beside a vertex that was pushed out goes with it, less and less: a push is no dent with a wall. Where
/// pushes of several directions meet, each adds to what it finds; but nothing goes further than two such pushes at
/// right angles would bring it, or they would lengthen each other from sweep to sweep.
void FleshGroup::spread_pushes(MatrixX3d& surface) {
    constexpr int most_sweeps = 8;
    constexpr double most = std::numbers::sqrt2;  // of the longest push around, less the slope
    constexpr double unseen = 1e-12;              // metres
    pushed_ = surface - unpushed_;
    push_reach_ = pushed_.rowwise().norm();
    const auto pull = [&](int from, int to, double length) {
        push_reach_[to] = std::max(push_reach_[to], push_reach_[from] - push_slope * length);
        const double way = pushed_.row(from).norm();
        const double wanted = way - push_slope * length;
        if (!(wanted > 0.0)) {
            return false;
        }
        const double missing = wanted - pushed_.row(from).dot(pushed_.row(to)) / way;
        if (!(missing > unseen)) {
            return false;
        }
        pushed_.row(to) += missing / way * pushed_.row(from);
        const double far = pushed_.row(to).norm();
        const double furthest = std::min(most * push_reach_[to], furthest_);
        if (far > furthest) {
            pushed_.row(to) *= furthest / far;
        }
        return true;
    };
    bool changes = true;
    for (int sweep = 0; sweep < most_sweeps && changes; ++sweep) {
        changes = false;
        for (const Link& link : links_) {
            changes = pull(link.a, link.b, link.length) || changes;
            changes = pull(link.b, link.a, link.length) || changes;
        }
    }
    for (const auto& flesh : parts_) {
        const std::vector<int>& vertices = flesh->part().vertices;
        for (size_t i = 0; i < vertices.size(); ++i) {
            const Vector3d further = (unpushed_.row(vertices[i]) + pushed_.row(vertices[i]) - surface.row(vertices[i]));
            flesh->moved_by_push(i, further);
        }
    }
    surface = unpushed_ + pushed_;
}

/// Tubes of the parts as they are shown.
void FleshGroup::show_tubes(const MatrixX3d& surface, bool is_body, const Workers& workers) {
    for (size_t p = 0; p < parts_.size(); ++p) {
        const Tube& tube = tubes_[p];
        const CurvePart& part = parts_[p]->part();
        if (tube.rings.empty()) {
            continue;
        }
        nodes_.resize(part.rows(), 3);
        part.nodes.apply(surface, workers, nodes_);
        Vector3d last = Vector3d::Zero();
        double last_radius = 0.0;
        for (size_t r = 0; r < tube.rings.size(); ++r) {
            const auto ring =
                nodes_.middleRows(static_cast<Eigen::Index>(tube.rings[r]) * part.curve_count, part.curve_count);
            const Vector3d centre = ring.colwise().mean();
            const double radius = (ring.rowwise() - centre.transpose()).rowwise().norm().mean();
            if (r > 0) {
                Moving& moving = moving_[tube.first + r - 1];
                Collider& one = is_body ? moving.of_body : moving.now;
                one.a = last;
                one.b = centre;
                one.radius_a = last_radius;
                one.radius_b = radius;
            }
            last = centre;
            last_radius = radius;
        }
    }
}

/// Vertices that are still inside go out the nearest way. \param share  of it, out of soft parts
void FleshGroup::push(size_t p, double share, MatrixX3d& surface) {
    const CurvePart& part = parts_[p]->part();
    const Member& member = members_[p];
    const double limit = parts_[p]->solver().limit();
    Eigen::AlignedBox3d box;
    for (const int v : part.vertices) {
        box.extend(surface.row(v).transpose());
    }
    const Vector3d middle = box.center();
    const double whole = 0.5 * box.diagonal().norm();
    touched_.clear();
    for (size_t k = 0; k < collider_count(); ++k) {
        const bool is_self = k >= carried_.size() && tube_owner_[k - carried_.size()] == static_cast<int>(p);
        if (!is_self && moving_[k].now.distance(middle) < whole) {
            touched_.push_back(k);
        }
    }
    if (touched_.empty()) {
        return;
    }
    Vector3d normal;
    double t = 0.0;
    for (size_t i = 0; i < part.vertices.size(); ++i) {
        const auto row = static_cast<Eigen::Index>(part.vertices[i]);
        const Vector3d body = plain_.row(row);
        const Vector3d start = surface.row(row);
        Vector3d now = start;
        for (int round = 0; round < push_rounds; ++round) {
            bool is_clear = true;
            bool is_pushed = false;
            for (const size_t k : touched_) {
                if (moving_[k].now.distance(now) >= 0.0) {
                    continue;
                }
                const double distance = moving_[k].distance(body, now, normal, t);
                const double may =
                    allowed(k, moving_[k].of_body.distance(body), member.vertex_slack[i * collider_count() + k],
                            member.vertex_reach[static_cast<Eigen::Index>(i)], limit);
                if (distance < may) {
                    const bool is_soft = k >= carried_.size();
                    deepest_ = std::max(deepest_, may - distance);
                    now += (is_soft ? share : 1.0) * (may - distance) * normal;
                    is_pushed = is_pushed || !is_soft;
                    is_clear = false;
                }
            }
            if (is_clear || (share < 1.0 && !is_pushed)) {
                break;
            }
        }
        const Vector3d way = now - unpushed_.row(row).transpose();
        if (way.norm() > furthest_) {
            now = unpushed_.row(row).transpose() + furthest_ / way.norm() * way;
        }
        if (now != start) {
            is_pushed_ = true;
            surface.row(row) = now;
            parts_[p]->moved_by_push(i, now - start);
            report_.pushed = std::max(report_.pushed, (now - start).norm());
        }
    }
}

}  // namespace cutis
