#include <algorithm>
#include <cmath>
#include <numbers>

#include "curve/curve_solver.h"

// Contact of curves: a spring of contact_hz and a damper, per mass, for each node that is inside something. The force
// is linear over a step like every other drive, so the modes answer it exactly; it is solved for at the step's end.

namespace cutis {

namespace {

constexpr double contact_damping = 0.8;  // ratio of the contact's own spring
constexpr int most_sweeps = 24;

}  // namespace

void CurveSolver::prepare_contact() {
    const auto nodes = static_cast<Eigen::Index>(rows_ / curve_count_);
    compliance_ = admittance_ = RowMatrixXd::Zero(nodes, nodes);
    const Eigen::Index moved = modes_.shapes.rows();
    for (Eigen::Index i = 0; i < moved; ++i) {
        for (Eigen::Index j = 0; j < moved; ++j) {
            double place = 0.0;
            double speed = 0.0;
            for (int k = 0; k < modes_.count(); ++k) {
                const double answer = modes_.shapes(i, k) * modes_.projector(k, j) / (omegas_[k] * omegas_[k]);
                place += answer * steps_[k].yu1;
                speed += answer * steps_[k].vu1;
            }
            compliance_(first_moved_ + i, first_moved_ + j) = place;
            admittance_(first_moved_ + i, first_moved_ + j) = speed;
        }
    }
}

CurveSolver::Where CurveSolver::where(int row) const {
    const Slot& now = slots_[slots_used_ - 1];
    const int node = row / curve_count_ - first_moved_;
    const Eigen::Index column = 3 * static_cast<Eigen::Index>(row % curve_count_);
    Where found;
    found.swing = found.swing_speed = Vector3d::Zero();
    if (node >= 0 && node < modes_.shapes.rows()) {
        for (int k = 0; k < modes_.count(); ++k) {
            const double shape = modes_.shapes(node, k);
            const double* place = now.place.data() + k * columns_ + column;
            const double* target = now.target.data() + k * columns_ + column;
            const double* speed = now.speed.data() + k * columns_ + column;
            for (int c = 0; c < 3; ++c) {
                found.swing[c] += shape * (place[c] - target[c]);
                found.swing_speed[c] += shape * speed[c];
            }
        }
    }
    const NodeFrames& to = middle_.frames;
    const double rate = options_.rate_hz;
    const Eigen::Matrix3d r0 = rotation_of(from_, row);
    const Eigen::Matrix3d r1 = rotation_of(to, row);
    const Vector3d p0 = from_.places.row(row);
    const Vector3d p1 = to.places.row(row);
    found.turn = (1.0 - at_) * r0 + at_ * r1;
    found.turn_rate = rate * (r1 - r0);
    found.place = (1.0 - at_) * p0 + at_ * p1;
    found.speed = rate * (p1 - p0);
    found.body = found.place;
    if (middle_.has_target) {
        const Vector3d followed = ((1.0 - at_) * from_followed_.row(row) + at_ * middle_.followed.row(row)).transpose();
        found.body += found.turn * followed;
        found.place = found.body;
    }
    if (now.has_target) {
        found.place += found.turn * now.shape.row(row).transpose();
    }
    found.speed += found.turn_rate * shown(row, found.swing);
    return found;
}

// Contacts see one limit for all nodes: one that vanishes at held ends would leave them nothing to push with there.
// What is shown is limited further (displacement()), and what that leaves inside a collider is pushed out of it.
Vector3d CurveSolver::shown(int row, const Vector3d& swing) const {
    const Vector3d soft = window_[row] * swing;
    return soft / std::sqrt(1.0 + soft.squaredNorm() / (limit_ * limit_));
}

// d shown / d swing = w a (I - a^2 s s^T / limit^2), s the soft swing and a = (1 + s^2 / limit^2)^(-1/2).
double CurveSolver::tangent(int row, const Vector3d& swing, const Vector3d& direction) const {
    const Vector3d soft = window_[row] * swing / limit_;
    const double a2 = 1.0 / (1.0 + soft.squaredNorm());
    const double along = direction.dot(soft);
    return window_[row] * std::sqrt(a2) * (1.0 - a2 * along * along);
}

void CurveSolver::ring_bounds(int node, Vector3d& centre, double& radius) const {
    const auto first = static_cast<Eigen::Index>(node) * curve_count_;
    const auto from = from_.places.middleRows(first, curve_count_);
    const auto to = middle_.frames.places.middleRows(first, curve_count_);
    centre = 0.5 * (from.colwise().mean() + to.colwise().mean()).transpose();
    double square = 0.0;
    for (Eigen::Index i = 0; i < curve_count_; ++i) {
        square = std::max(
            {square, (from.row(i).transpose() - centre).squaredNorm(), (to.row(i).transpose() - centre).squaredNorm()});
    }
    radius = std::sqrt(square);
}

void CurveSolver::ring_at_step(int node, Vector3d& centre, Vector3d& of_body, double& radius) const {
    const Slot& now = slots_[slots_used_ - 1];
    const int first = node * curve_count_;
    Vector3d swing = Vector3d::Zero();
    const int moved = node - first_moved_;
    for (int k = 0; k < modes_.count() && moved >= 0 && moved < modes_.shapes.rows(); ++k) {
        const double* place = now.place.data() + k * columns_;
        const double* target = now.target.data() + k * columns_;
        Vector3d sum = Vector3d::Zero();
        for (int c = 0; c < curve_count_; ++c) {
            for (int d = 0; d < 3; ++d) {
                sum[d] += place[3 * c + d] - target[3 * c + d];
            }
        }
        swing += modes_.shapes(moved, k) / curve_count_ * sum;
    }
    const auto from = from_.places.middleRows(first, curve_count_);
    const auto to = middle_.frames.places.middleRows(first, curve_count_);
    centre = ((1.0 - at_) * from.colwise().mean() + at_ * to.colwise().mean()).transpose();
    of_body = centre;
    radius = 0.0;
    for (int c = 0; c < curve_count_; ++c) {
        radius += ((1.0 - at_) * from.row(c) + at_ * to.row(c) - centre.transpose()).norm() / curve_count_;
    }
    // The ring turns as a few of its nodes do.
    constexpr int asked = 4;
    const Vector3d shift = shown(first, swing);
    for (int i = 0; i < asked; ++i) {
        const int row = first + i * curve_count_ / asked;
        centre += ((1.0 - at_) * (rotation_of(from_, row) * shift) + at_ * (rotation_of(middle_.frames, row) * shift)) /
                  asked;
    }
}

// Force of a contact at the step's end: max(0, k depth + c rate), and both change with all forces on the same curve:
//   depth = depth_0 - n . (C df),  rate = rate_0 - n . (A df),  df the change against the forces the step was made
//   with.
// Curves do not feel each other. The damper grows in over a thin layer: the force is continuous.
void CurveSolver::resolve(std::vector<CurveContact>& contacts) {
    const double omega = 2.0 * std::numbers::pi * contact_hz;
    const double k = omega * omega;
    const double layer = 0.02 * limit_;
    Slot& now = slots_[slots_used_ - 1];
    const int nodes = rows_ / curve_count_;
    size_t next = 0;
    for (int curve = 0; curve < curve_count_; ++curve) {
        const size_t begin = next;
        while (next < contacts.size() && contacts[next].row % curve_count_ == curve) {
            ++next;
        }
        held_.clear();  // nodes of this curve that were pushed before
        for (int n = 0; n < nodes; ++n) {
            if (!forces_.row(static_cast<Eigen::Index>(n) * curve_count_ + curve).isZero(0.0)) {
                held_.push_back(n);
            }
        }
        if (begin == next && held_.empty()) {
            continue;
        }
        const auto answer = [&](const CurveContact& one, double damper, int node) {
            const int own = one.row / curve_count_;
            return k * compliance_(own, node) + damper * admittance_(own, node);
        };
        const size_t count = next - begin;
        damper_.resize(count);
        asked_.resize(count);
        for (size_t i = 0; i < count; ++i) {
            CurveContact& one = contacts[begin + i];
            damper_[i] = 2.0 * contact_damping * omega * std::clamp(one.depth / layer, 0.0, 1.0);
            asked_[i] = k * one.depth + damper_[i] * one.rate;
            for (const int n : held_) {
                const Vector3d before = forces_.row(static_cast<Eigen::Index>(n) * curve_count_ + curve);
                asked_[i] += answer(one, damper_[i], n) * one.normal.dot(before);
            }
            one.force = std::max(0.0, one.normal.dot(forces_.row(one.row)));
        }
        for (int sweep = 0; sweep < most_sweeps; ++sweep) {
            double change = 0.0;
            double largest = 0.0;
            for (size_t i = 0; i < count; ++i) {
                CurveContact& one = contacts[begin + i];
                double rest = asked_[i];
                double own = 1.0;
                for (size_t j = 0; j < count; ++j) {
                    const CurveContact& other = contacts[begin + j];
                    const double term =
                        answer(one, damper_[i], other.row / curve_count_) * one.normal.dot(other.normal);
                    rest -= term * other.force;
                    if (i == j) {
                        rest += term * one.force;
                        own += term;
                    }
                }
                const double force = std::max(0.0, rest / own);
                change = std::max(change, std::abs(force - one.force));
                largest = std::max(largest, force);
                one.force = force;
            }
            if (change <= 1e-12 * largest) {
                break;
            }
        }
        // The change of the forces, in modes.
        const auto add = [&](int node, const Vector3d& force) {
            if (node < first_moved_ || node - first_moved_ >= modes_.projector.cols()) {
                return;
            }
            for (int m = 0; m < modes_.count(); ++m) {
                const double share = modes_.projector(m, node - first_moved_) / (omegas_[m] * omegas_[m]);
                for (int c = 0; c < 3; ++c) {
                    const double u = share * force[c];
                    const Eigen::Index column = 3 * static_cast<Eigen::Index>(curve) + c;
                    contact_(m, column) += u;
                    now.drive(m, column) += u;
                    now.place(m, column) += steps_[m].yu1 * u;
                    now.speed(m, column) += steps_[m].vu1 * u;
                }
            }
        };
        for (const int n : held_) {
            const auto row = static_cast<Eigen::Index>(n) * curve_count_ + curve;
            add(n, -forces_.row(row).transpose());
            forces_.row(row).setZero();
        }
        for (size_t i = begin; i < next; ++i) {
            add(contacts[i].row / curve_count_, contacts[i].force * contacts[i].normal);
            forces_.row(contacts[i].row) += contacts[i].force * contacts[i].normal.transpose();
        }
        if (count == 0) {  // let go: nothing of it stays by rounding
            for (int m = 0; m < modes_.count(); ++m) {
                contact_.row(m).segment<3>(3 * static_cast<Eigen::Index>(curve)).setZero();
            }
        }
    }
}

void CurveSolver::begin_loop(double time, Sampler sample, const Workers& workers, const Start* start) {
    const auto index = static_cast<long>(std::floor(time * options_.rate_hz + 1e-6));
    slots_used_ = 0;
    first_slot_ = index * sub_;
    for (const long at : {index - 1, index, index + 1}) {
        sample_at(at, sample, unlimited);
    }
    make_goal(workers);
    Slot& first = next_slot();
    first.drive = goal_.drive;
    first.target = goal_.target;
    first.shape = goal_.shape;
    first.has_target = goal_.has_target;
    first.place.setZero();
    first.speed.setZero();
    contact_.setZero();
    forces_.setZero();
    if (start != nullptr) {
        first.place = start->place;
        first.speed = start->speed;
        contact_ = start->contact;
        forces_ = start->forces;
        first.drive += contact_;
    }
    report_.largest_offset = report_.largest_limited = 0.0;
    has_state_ = true;
}

CurveSolver::Start CurveSolver::newest_state() const {
    return {slots_[slots_used_ - 1].place, slots_[slots_used_ - 1].speed, contact_, forces_};
}

double CurveSolver::distance(const Start& start) const {
    return (slots_[slots_used_ - 1].place - start.place).cwiseAbs().maxCoeff();
}

CurveSolver::Start CurveSolver::periodic_start(int grid_steps) const {
    Start start = newest_state();
    for (int k = 0; k < modes_.count(); ++k) {
        const OscillatorStep period = oscillator_step(omegas_[k], options_.damping, grid_steps / options_.rate_hz);
        // (I - A) (y, v) = (a, b), two by two.
        const double yy = 1.0 - period.yy;
        const double vv = 1.0 - period.vv;
        const double determinant = yy * vv - period.yv * period.vy;
        constexpr double resonant = 1e-9;  // nothing is damped and the period fits the mode: it would grow for ever
        if (!(std::abs(determinant) > resonant)) {
            start.place.row(k) = slots_[slots_used_ - 1].target.row(k);
            start.speed.row(k).setZero();
            continue;
        }
        const Eigen::RowVectorXd a = start.place.row(k);
        const Eigen::RowVectorXd b = start.speed.row(k);
        start.place.row(k) = (vv * a + period.yv * b) / determinant;
        start.speed.row(k) = (yy * b + period.vy * a) / determinant;
    }
    return start;
}

}  // namespace cutis
