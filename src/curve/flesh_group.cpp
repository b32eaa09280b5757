#include "curve/flesh_group.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "cutis/core/error.h"

namespace cutis {

namespace {

constexpr double squeeze = 0.3;       // of the limit: how far given colliders press flesh in
constexpr double own_weight = 0.3;    // of a collider's joints at which a place belongs to it
constexpr double in_part = 0.3;       // of a joint's vertices at which the joint is the part's own
constexpr double deep = 0.3;          // radii: a body deeper in its own capsule is no collision
constexpr double least_share = 0.05;  // of the swing that shows, for a contact
constexpr int most_rings = 9;         // of a tube

/// How much a place belongs to a collider, by the weight of its joints there.
double belongs(double weight) {
    constexpr double hardly = 0.05;
    return std::clamp((weight - hardly) / (own_weight - hardly), 0.0, 1.0);
}

}  // namespace

FleshGroup::FleshGroup(const CurveBody& body, std::vector<std::unique_ptr<Flesh>> parts, bool collides,
                       const std::vector<FleshCollider>& given)
    : body_(body), parts_(std::move(parts)), poses_(*body.body) {
    carried_ = given_colliders(*body.body, given);
    tubes_.resize(parts_.size());
    members_.resize(parts_.size());
    own_joints_.resize(parts_.size());
    for (const auto& flesh : parts_) {
        is_swinging_.push_back(flesh->has_memory() && flesh->solver().steps() > 1 ? 1 : 0);
    }
    if (collides) {
        // How much of each joint's vertices lies in each part.
        std::vector<CarriedCollider> bones = rig_capsules(body);
        std::vector<std::vector<int>> own_joints(parts_.size());
        const Rig* rig = body.body->rig();
        for (CarriedCollider& bone : bones) {
            const std::vector<char> chosen = [&] {
                std::vector<char> one(static_cast<size_t>(rig->joint_count()), 0);
                one[static_cast<size_t>(bone.joint)] = 1;
                return one;
            }();
            const VectorXd weight = weight_of_joints(rig->weights, chosen, *body.art_of_vertex);
            bool is_soft = false;
            for (size_t p = 0; p < parts_.size(); ++p) {
                double inside = 0.0;
                for (const int v : parts_[p]->core_vertices()) {
                    inside += weight[v];
                }
                if (inside > in_part * weight.sum()) {
                    own_joints[p].push_back(bone.joint);
                    is_soft = true;
                }
            }
            if (!is_soft) {
                carried_.push_back(std::move(bone));
            }
        }
        for (size_t p = 0; p < parts_.size(); ++p) {
            const CurvePart& part = parts_[p]->part();
            if (part.direction != CurveDirection::along || parts_.size() < 2) {
                continue;
            }
            Tube& tube = tubes_[p];
            const int rings = std::min(most_rings, part.node_count);
            for (int r = 0; r < rings; ++r) {
                tube.rings.push_back(r * (part.node_count - 1) / (rings - 1));
            }
            tube.centre.resize(tube.rings.size());
            tube.before = tube.body = tube.centre;
            tube.radius.assign(tube.rings.size(), 0.0);
            tube.first = carried_.size() + tube_owner_.size();
            tube_owner_.insert(tube_owner_.end(), tube.rings.size() - 1, static_cast<int>(p));
        }
        own_joints_ = std::move(own_joints);
    }
    if (collider_count() == 0) {
        return;
    }
    moving_.resize(collider_count());
    for (size_t p = 0; p < parts_.size(); ++p) {
        prepare_slack(p);
    }
    prepare_links();
    refuse_enclosing();
}

/// How much nodes and vertices of a part belong to each of the body's own colliders, and how far given ones press them.
void FleshGroup::prepare_slack(size_t p) {
    const CurvePart& part = parts_[p]->part();
    Member& member = members_[p];
    const size_t count = collider_count();
    member.node_slack.assign(static_cast<size_t>(part.rows()) * count, 0.0F);
    member.vertex_slack.assign(part.vertices.size() * count, 0.0F);
    const Rig* rig = body_.body->rig();
    for (size_t k = 0; k < count; ++k) {
        const bool is_tube = k >= carried_.size();
        const int owner = is_tube ? tube_owner_[k - carried_.size()] : -1;
        VectorXd weight = VectorXd::Zero(body_.rest->rows());
        if (owner == static_cast<int>(p)) {
            weight.setOnes();
        } else if (is_own(k) && rig != nullptr) {
            std::vector<char> chosen(static_cast<size_t>(rig->joint_count()), 0);
            for (const int j : is_tube ? own_joints_[static_cast<size_t>(owner)] : carried_[k].joints) {
                chosen[static_cast<size_t>(j)] = 1;
            }
            weight = weight_of_joints(rig->weights, chosen, *body_.art_of_vertex);
        }
        if (is_tube) {
            // What moves with the other part is a part of it: all of its own vertices, less and less of its skirt.
            const CurvePart& other = parts_[static_cast<size_t>(owner)]->part();
            VectorXd share(other.transfer.count());
            other.transfer.apply_to_scalars(VectorXd::Ones(other.rows()), Workers(1), share);
            for (size_t i = 0; i < other.vertices.size(); ++i) {
                weight[other.vertices[i]] = std::max(weight[other.vertices[i]], share[static_cast<Eigen::Index>(i)]);
            }
        }
        VectorXd nodes(part.rows());
        part.nodes.apply_to_scalars(weight, Workers(1), nodes);
        for (int i = 0; i < part.rows(); ++i) {
            member.node_slack[static_cast<size_t>(i) * count + k] = static_cast<float>(belongs(nodes[i]));
        }
        for (size_t i = 0; i < part.vertices.size(); ++i) {
            member.vertex_slack[i * count + k] = static_cast<float>(belongs(weight[part.vertices[i]]));
        }
    }
    // Held ends are not pressed: the surface beyond them would stay behind.
    const CurveSolver& solver = parts_[p]->solver();
    const bool is_free = part.has_closed_end && solver.options().free_tip;
    member.node_reach.resize(part.rows());
    for (int i = 0; i < part.rows(); ++i) {
        const double s = part.along[i];
        const double x = std::clamp(is_free ? 2.0 * s : 4.0 * s * (1.0 - s), 0.0, 1.0);
        member.node_reach[i] = squeeze * solver.limit() * solver.softness(i) * x * x * (3.0 - 2.0 * x);
    }
    member.vertex_reach.resize(part.transfer.count());
    part.transfer.apply_to_scalars(member.node_reach, Workers(1), member.vertex_reach);
}

void FleshGroup::refuse_enclosing() {
    std::vector<Collider> at_start;
    poses_.at(carried_, 0.0, TimeSampling::exact, at_start);
    MatrixX3d art;
    body_.body->positions(0.0, TimeSampling::exact, Workers(1), art);
    for (size_t k = 0; k < carried_.size(); ++k) {
        for (size_t p = 0; p < parts_.size() && !carried_[k].is_own; ++p) {
            const std::vector<int>& vertices = parts_[p]->core_vertices();
            const bool encloses = std::all_of(vertices.begin(), vertices.end(), [&](int v) {
                return at_start[k].distance(art.row((*body_.art_of_vertex)[v])) < 0.0;
            });
            require(
                !encloses, "curve: collider ", k + 1,
                " encloses the whole part at the start of the clip; make it smaller, move it, or turn a plane's normal "
                "round");
        }
    }
}

/// Carried colliders at a grid time; beyond what is known they go on as they were.
void FleshGroup::sample(const FleshStep& step, double time) {
    std::swap(before_, from_);
    std::swap(from_, to_);
    const double known =
        step.lag > 0.0 || !std::isfinite(step.known) ? CurveSolver::unlimited : step.time_of(step.known);
    constexpr double rounding = 1e-8;
    if (time > known + rounding && !from_.empty() && before_.size() == from_.size()) {
        to_ = from_;
        for (size_t k = 0; k < to_.size(); ++k) {
            to_[k].a += from_[k].a - before_[k].a;
            to_[k].b += from_[k].is_plane ? Vector3d::Zero() : Vector3d(from_[k].b - before_[k].b);
        }
        return;
    }
    poses_.at(carried_, first_swinging().body_time(time), step.sampling, to_);
}

void FleshGroup::place_colliders(double x) {
    const double rate = first_swinging().solver().options().rate_hz;
    for (size_t k = 0; k < carried_.size(); ++k) {
        Moving& one = moving_[k];
        one.now = to_[k];
        one.now.a = (1.0 - x) * from_[k].a + x * to_[k].a;
        one.now.b = (1.0 - x) * from_[k].b + x * to_[k].b;
        one.speed_a = rate * (to_[k].a - from_[k].a);
        one.speed_b = rate * (to_[k].b - from_[k].b);
        if (one.now.is_plane) {
            one.now.b.normalize();
            one.speed_b = one.speed_a;
        }
        one.of_body = one.now;
    }
}

/// Tubes to where their parts are at the end of the step. \param seconds  since they were placed last; 0: at rest
void FleshGroup::move_tubes(double seconds) {
    for (size_t p = 0; p < parts_.size(); ++p) {
        Tube& tube = tubes_[p];
        if (tube.rings.empty()) {
            continue;
        }
        std::swap(tube.centre, tube.before);
        for (size_t r = 0; r < tube.rings.size(); ++r) {
            parts_[p]->solver().ring_at_step(tube.rings[r], tube.centre[r], tube.body[r], tube.radius[r]);
        }
        for (size_t r = 0; r + 1 < tube.rings.size(); ++r) {
            Moving& one = moving_[tube.first + r];
            one.now.a = tube.centre[r];
            one.now.b = tube.centre[r + 1];
            one.now.radius_a = tube.radius[r];
            one.now.radius_b = tube.radius[r + 1];
            one.of_body = one.now;
            one.of_body.a = tube.body[r];
            one.of_body.b = tube.body[r + 1];
            one.speed_a = seconds > 0.0 ? Vector3d((tube.centre[r] - tube.before[r]) / seconds) : Vector3d::Zero();
            one.speed_b =
                seconds > 0.0 ? Vector3d((tube.centre[r + 1] - tube.before[r + 1]) / seconds) : Vector3d::Zero();
        }
    }
}

double FleshGroup::Moving::distance(const Vector3d& body, const Vector3d& p, Vector3d& normal, double& t) const {
    constexpr double layer = 0.25;  // radii over which one way out becomes the other
    const double straight = now.distance(p, normal, t);
    Vector3d out;
    double at = 0.0;
    const double inside = -now.distance(body, out, at);
    if (now.is_plane || inside <= 0.0) {
        return straight;
    }
    const double share = std::min(1.0, inside / (layer * std::min(now.radius_a, now.radius_b)));
    const Vector3d mixed = (1.0 - share) * normal + share * out;
    normal = mixed.norm() > 1e-9 ? Vector3d(mixed.normalized()) : out;
    return (1.0 - share) * straight + share * (out.dot(p - body) - inside);
}

/// Distance from a collider's surface that a place may have, at most 0: what the body itself has is allowed.
double FleshGroup::allowed(size_t k, double of_body, double slack, double reach, double limit) const {
    if (!is_own(k)) {
        return std::min(0.0, of_body + reach);
    }
    const double radius = std::min(moving_[k].now.radius_a, moving_[k].now.radius_b);
    return std::min(0.0, of_body) - std::max(0.0, -of_body - deep * radius) - 2.0 * slack * limit;
}

/// Which nodes may meet which colliders during the open grid step.
void FleshGroup::open_step() {
    for (size_t p = 0; p < parts_.size(); ++p) {
        Member& member = members_[p];
        member.near.clear();
        if (!is_swinging_[p]) {
            continue;
        }
        const CurveSolver& solver = parts_[p]->solver();
        const CurvePart& part = parts_[p]->part();
        const double reach = solver.limit() + solver.largest_shape();
        const auto rings = static_cast<size_t>(part.rows() / part.curve_count);
        ring_centre_.resize(rings);
        ring_radius_.resize(rings);
        Eigen::AlignedBox3d box;
        double widest = 0.0;
        for (size_t n = 0; n < rings; ++n) {
            solver.ring_bounds(static_cast<int>(n), ring_centre_[n], ring_radius_[n]);
            box.extend(ring_centre_[n]);
            widest = std::max(widest, ring_radius_[n]);
        }
        const Vector3d middle = box.center();
        const double whole = 0.5 * box.diagonal().norm() + widest + reach;
        for (size_t k = 0; k < collider_count(); ++k) {
            const Moving& one = moving_[k];
            const bool is_self = k >= carried_.size() && tube_owner_[k - carried_.size()] == static_cast<int>(p);
            // Colliders stand where the step begins or ends; on the way they move by their speed.
            const double moved =
                std::max(one.speed_a.norm(), one.speed_b.norm()) / solver.options().rate_hz +
                (k >= carried_.size() ? parts_[static_cast<size_t>(tube_owner_[k - carried_.size()])]->solver().limit()
                                      : 0.0);
            if (is_self || one.now.distance(middle) > whole + moved) {
                continue;
            }
            for (size_t n = 0; n < rings; ++n) {
                if (one.now.distance(ring_centre_[n]) > ring_radius_[n] + reach + moved) {
                    continue;
                }
                for (int c = 0; c < part.curve_count; ++c) {
                    const int row = static_cast<int>(n) * part.curve_count + c;
                    const bool is_part_of_it =
                        is_own(k) && member.node_slack[static_cast<size_t>(row) * collider_count() + k] >= 1.0F;
                    if (!is_part_of_it && solver.softness(row) > least_share) {
                        member.near.push_back({row, static_cast<int>(k)});
                    }
                }
            }
        }
        std::sort(member.near.begin(), member.near.end(), [&](const Pair& a, const Pair& b) {
            const int curve_a = a.row % part.curve_count;
            const int curve_b = b.row % part.curve_count;
            return std::tie(curve_a, a.row, a.collider) < std::tie(curve_b, b.row, b.collider);
        });
    }
}

void FleshGroup::sub_step(size_t p, int i) {
    CurveSolver& solver = parts_[p]->moving_solver();
    Member& member = members_[p];
    solver.step(i);
    member.contacts.clear();
    CurveSolver::Where where;
    int row = -1;
    Vector3d place, normal;
    double t = 0.0;
    for (const Pair& pair : member.near) {
        if (pair.row != row) {
            row = pair.row;
            where = solver.where(row);
            place = where.place + where.turn * solver.shown(row, where.swing);
        }
        const auto k = static_cast<size_t>(pair.collider);
        const Moving& one = moving_[k];
        const double of_body = one.of_body.distance(where.body);
        const double may = allowed(k, of_body, member.node_slack[static_cast<size_t>(row) * collider_count() + k],
                                   member.node_reach[row], solver.limit());
        const double distance = one.distance(where.body, place, normal, t);
        if (distance >= may) {
            continue;
        }
        CurveContact contact;
        contact.row = row;
        contact.normal = where.turn.transpose() * normal;
        const double share = std::max(least_share, solver.tangent(row, where.swing, contact.normal));
        contact.depth = (may - distance) / share;
        const Vector3d met = (1.0 - t) * one.speed_a + t * one.speed_b;
        contact.rate = (met - where.speed).dot(normal) / share - contact.normal.dot(where.swing_speed);
        member.contacts.push_back(contact);
        report_.deepest = std::max(report_.deepest, may - distance);
    }
    if (!member.contacts.empty() || solver.is_pushed()) {
        solver.resolve(member.contacts);
    }
    report_.contacts = std::max(report_.contacts, static_cast<double>(member.contacts.size()));
}

bool FleshGroup::simulates() const {
    return collider_count() > 0 && std::find(is_swinging_.begin(), is_swinging_.end(), 1) != is_swinging_.end();
}

const Flesh& FleshGroup::first_swinging() const {
    return *parts_[static_cast<size_t>(std::find(is_swinging_.begin(), is_swinging_.end(), 1) - is_swinging_.begin())];
}

/// All parts over one step of the grid, together. \param is_open  begin() has opened it
void FleshGroup::grid_step(const FleshStep& step, bool is_open, const Workers& workers) {
    const CurveSolver& clock = first_swinging().solver();
    const double rate = clock.options().rate_hz;
    const double next = static_cast<double>(clock.newest() + 1) / rate;
    for (size_t p = 0; p < parts_.size() && !is_open; ++p) {
        if (is_swinging_[p]) {
            parts_[p]->open(step, workers);
        }
    }
    sample(step, is_open ? std::max(next, step.to) : next);
    place_colliders(0.0);
    open_step();
    for (int i = 1; i <= clock.steps(); ++i) {
        place_colliders(static_cast<double>(i) / clock.steps());
        for (size_t p = 0; p < parts_.size(); ++p) {
            if (is_swinging_[p]) {
                sub_step(p, i);
            }
        }
        move_tubes(has_tubes_ ? 1.0 / (rate * clock.steps()) : 0.0);
        has_tubes_ = true;
    }
}

/// Where everything begins that comes back after a period: in closed form without contact, then a few periods with it.
void FleshGroup::begin_loop(const FleshStep& step, const Workers& workers) {
    constexpr int most_periods = 24;
    constexpr double closed = 1e-9;  // metres
    std::vector<CurveSolver::Start> starts(parts_.size());
    for (size_t p = 0; p < parts_.size(); ++p) {
        if (is_swinging_[p]) {
            starts[p] = parts_[p]->find_start(step, workers);
        }
    }
    const auto begin_again = [&] {
        for (size_t p = 0; p < parts_.size(); ++p) {
            if (is_swinging_[p]) {
                parts_[p]->begin_loop(step, workers, &starts[p]);
            }
        }
    };
    double gap = 1.0;
    for (int period = 0; period < most_periods && gap > closed; ++period) {
        begin_again();
        for (int n = 0; n < first_swinging().period_steps(); ++n) {
            grid_step(step, false, workers);
            for (size_t p = 0; p < parts_.size(); ++p) {
                if (is_swinging_[p]) {
                    parts_[p]->moving_solver().go_on();
                }
            }
        }
        gap = 0.0;
        for (size_t p = 0; p < parts_.size(); ++p) {
            if (is_swinging_[p]) {
                gap = std::max(gap, parts_[p]->solver().distance(starts[p]));
                starts[p] = parts_[p]->solver().newest_state();
            }
        }
    }
    begin_again();
}

void FleshGroup::advance(const FleshStep& step, const Workers& workers) {
    if (!simulates()) {
        for (const auto& flesh : parts_) {
            flesh->advance(step, workers);
        }
        return;
    }
    const Flesh& first = first_swinging();
    const CurveSolver& clock = first.solver();
    const bool starts = step.reset || !clock.has_state();
    const bool repeats = starts && first.repeats(step);
    for (size_t p = 0; p < parts_.size(); ++p) {
        if (!is_swinging_[p]) {
            parts_[p]->advance(step, workers);
        } else if (starts) {
            parts_[p]->begin(step, workers);
        } else {
            parts_[p]->go_on(step);
        }
    }
    if (starts) {
        before_.clear();
        from_.clear();
        to_.clear();
        has_tubes_ = false;
        report_ = {};
        sample(step, std::max(step.to, static_cast<double>(clock.newest()) / clock.options().rate_hz));
    }
    if (repeats) {
        begin_loop(step, workers);
    } else if (starts) {
        grid_step(step, true, workers);
    }
    while (clock.lags_behind(step.to)) {
        grid_step(step, false, workers);
    }
}

std::vector<double> FleshGroup::save() const {
    std::vector<double> state;
    for (const auto& flesh : parts_) {
        if (flesh->has_memory()) {
            const std::vector<double> own = flesh->save();
            state.push_back(static_cast<double>(own.size()));
            state.insert(state.end(), own.begin(), own.end());
        }
    }
    const auto add = [&](const Vector3d& p) { state.insert(state.end(), p.data(), p.data() + 3); };
    if (collider_count() > 0 && to_.size() == carried_.size() && from_.size() == carried_.size()) {
        for (const std::vector<Collider>* list : {&from_, &to_}) {
            for (const Collider& one : *list) {
                add(one.a);
                add(one.b);
            }
        }
        for (size_t k = carried_.size(); k < moving_.size(); ++k) {
            const Moving& one = moving_[k];
            for (const Vector3d* p :
                 {&one.now.a, &one.now.b, &one.of_body.a, &one.of_body.b, &one.speed_a, &one.speed_b}) {
                add(*p);
            }
            state.push_back(one.now.radius_a);
            state.push_back(one.now.radius_b);
        }
        for (const Tube& tube : tubes_) {
            for (const Vector3d& centre : tube.centre) {
                add(centre);
            }
        }
    }
    return state;
}

void FleshGroup::restore(const std::vector<double>& state) {
    size_t at = 0;
    for (const auto& flesh : parts_) {
        if (!flesh->has_memory()) {
            continue;
        }
        const bool has_size =
            at < state.size() && state[at] >= 0.0 && state[at] <= static_cast<double>(state.size() - at - 1);
        require(has_size, "curve state: expected the size of a part's state at number ", at);
        const auto begin = state.begin() + static_cast<std::ptrdiff_t>(at) + 1;
        const auto size = static_cast<size_t>(state[at]);
        flesh->restore({begin, begin + static_cast<std::ptrdiff_t>(size)});
        at += size + 1;
    }
    size_t wanted = 12 * carried_.size() + 20 * tube_owner_.size();
    for (const Tube& tube : tubes_) {
        wanted += 3 * tube.centre.size();
    }
    const bool has_colliders = collider_count() > 0 && at != state.size();
    require(at + (has_colliders ? wanted : 0) == state.size(), "curve state: expected ",
            at + (has_colliders ? wanted : 0), " numbers, found ", state.size());
    if (!has_colliders) {
        return;
    }
    const auto take = [&](Vector3d& p) {
        for (int c = 0; c < 3; ++c) {
            require(std::isfinite(state[at]), "curve state: expected finite numbers, number ", at, " is not");
            p[c] = state[at++];
        }
    };
    for (std::vector<Collider>* list : {&from_, &to_}) {
        list->resize(carried_.size());
        for (size_t k = 0; k < carried_.size(); ++k) {
            (*list)[k] = carried_[k].shape;
            take((*list)[k].a);
            take((*list)[k].b);
        }
    }
    before_ = from_;
    has_tubes_ = true;
    for (size_t k = carried_.size(); k < moving_.size(); ++k) {
        Moving& one = moving_[k];
        for (Vector3d* p : {&one.now.a, &one.now.b, &one.of_body.a, &one.of_body.b, &one.speed_a, &one.speed_b}) {
            take(*p);
        }
        one.now.radius_a = one.of_body.radius_a = state[at++];
        one.now.radius_b = one.of_body.radius_b = state[at++];
    }
    for (Tube& tube : tubes_) {
        for (Vector3d& centre : tube.centre) {
            take(centre);
        }
    }
}

}  // namespace cutis
