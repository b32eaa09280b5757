#include "curve/flesh.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>

#include "core/dense.h"
#include "core/math.h"
#include "curve/border.h"
#include "cutis/core/error.h"

namespace cutis {

namespace {

/// The curve's options with the swing held at joints inside the part. A joint holds where one of
/// its bones is long against the limb's thickness: knees and elbows, not the joints of a spine.
CurveOptions held_at_joints(const CurveBody& body, const CurvePart& part, const FleshOptions& options) {
    CurveOptions held = options.curve;
    check_struct(options, "curve");
    // Between examples in time that are eased or splined nothing swings.
    const bool is_eased = held.dynamics == CurveDynamics::smoothstep || held.dynamics == CurveDynamics::spline;
    if (is_eased && !options.examples.empty() && options.pose_joints.empty()) {
        held.dynamics = CurveDynamics::still;
    }
    const bool is_tail = part.has_closed_end && options.curve.free_tip;
    if (body.body->rig() == nullptr || options.joint_hold == 0.0 || is_tail) {
        return held;
    }
    constexpr double long_bone = 1.5;  // of the thickness
    constexpr double reach = 1.2;      // of the radius, beyond the skin
    const double radius = part.girth / (2.0 * std::numbers::pi);
    const Rig& rig = *body.body->rig();
    std::vector<double> bone(rig.node.size(), 0.0);
    for (size_t k = 0; k < bone.size(); ++k) {
        const int above = rig.parent[k];
        for (size_t j = 0; above >= 0 && j < bone.size(); ++j) {
            // A node may be a joint of several skins.
            if (rig.node[j] == rig.node[above]) {
                const double length = (rig.centre[k] - rig.centre[j]).norm();
                bone[j] = std::max(bone[j], length);
                bone[k] = std::max(bone[k], length);
            }
        }
    }
    MatrixX3d rest(part.rows(), 3);
    part.nodes.apply(*body.rest, Workers(1), rest);
    if (held.softness.empty()) {
        held.softness.assign(static_cast<size_t>(part.rows()), 1.0);
    }
    for (size_t j = 0; j < bone.size(); ++j) {
        if (!(bone[j] > long_bone * 2.0 * radius)) {
            continue;
        }
        const Vector3d& centre = rig.centre[j];
        for (int i = 0; i < part.rows(); ++i) {
            const double beyond = std::max(0.0, (rest.row(i).transpose() - centre).norm() - radius) / (reach * radius);
            held.softness[i] *= 1.0 - options.joint_hold * math::exp(-beyond * beyond);
        }
    }
    return held;
}

}  // namespace

Flesh::Flesh(const CurveBody& body, CurvePart part, const FleshOptions& options)
    : body_(body),
      part_(std::move(part)),
      options_(options),
      core_(part_.vertices),
      solver_(part_, held_at_joints(body, part_, options),
              options.meets && (options.examples.empty() || !options.pose_joints.empty())) {
    const Rig* rig = body.body->rig();
    const bool needs_skin = options.baseline == CurveBaseline::linear_blend ||
                            options.baseline == CurveBaseline::dual_quaternion || !options.pose_joints.empty();
    require(!needs_skin || rig != nullptr,
            "curve: expected a body with a skeleton for this baseline or for "
            "examples keyed by pose, found none; use baseline rigid or body");
    if (rig != nullptr && options.baseline != CurveBaseline::rigid) {
        skin_ = std::make_unique<SkinnedNodes>(part_, *body.rest, weights_of(rig->weights, *body.art_of_vertex),
                                               rig->joint_count());
    } else {
        rigid_ = std::make_unique<RigidNodes>(part_, *body.rest);
    }
    nodes_of_art_ = part_.nodes;
    nodes_of_art_.base_count = static_cast<int>(body.body->mesh().positions.rows());
    for (int& index : nodes_of_art_.indices) {
        index = (*body.art_of_vertex)[index];
    }
    const double radius = part_.girth / (2.0 * std::numbers::pi);
    const bool is_given = !options.examples.empty() || (!options.follow && options.baseline != CurveBaseline::body);
    if (is_given) {
        window_ = border_window(*body.rest, *body.topology, options.fade * radius, part_);
    } else if (options.keep_volume) {
        constexpr double reach = 0.5;  // radii
        volume_ =
            std::make_unique<VolumeKeeper>(part_, border_window(*body.rest, *body.topology, reach * radius, part_));
    }
    add_skirt(*body.rest, *body.topology, options.skirt * radius, part_);
    const auto rows = static_cast<Eigen::Index>(part_.rows());
    body_nodes_ = base_nodes_ = residual_ = displacement_ = nodes_ = speed_world_ = MatrixX3d::Zero(rows, 3);
    moved_ = vertex_speed_ = MatrixX3d::Zero(part_.transfer.count(), 3);

    for (const std::string& name : options.pose_joints) {
        const auto found = std::find(rig->name.begin(), rig->name.end(), name);
        require(found != rig->name.end(), "curve: expected skinned joints for the pose, found \"", name, "\"");
        PoseJoint joint;
        joint.joint = static_cast<int>(found - rig->name.begin());
        joint.parent = rig->parent[joint.joint];
        // The bone: from the joint to its first skinned child, else away from its parent.
        const Vector3d& centre = rig->centre[joint.joint];
        const auto child = std::find(rig->parent.begin(), rig->parent.end(), joint.joint);
        Vector3d axis = Vector3d::UnitY();
        if (child != rig->parent.end()) {
            axis = rig->centre[child - rig->parent.begin()] - centre;
        } else if (joint.parent >= 0) {
            axis = centre - rig->centre[joint.parent];
        }
        joint.axis = axis.norm() > 1e-9 ? Vector3d(axis.normalized()) : Vector3d::UnitY();
        pose_joints_.push_back(joint);
    }
    pose_.resize(3 * static_cast<Eigen::Index>(pose_joints_.size()));
    if (!options.examples.empty()) {
        prepare_examples();
    }
    check_forces();
}

Flesh::~Flesh() = default;

/// Frames of the nodes and, where asked for, what the body has beyond the baseline in them.
void Flesh::frames_at(double time, TimeSampling sampling, const Workers& workers, NodeFrames& frames,
                      MatrixX3d* residual) {
    body_.body->joint_matrices(time, sampling, matrices_);
    const bool has_residual = options_.baseline != CurveBaseline::body;
    if (rigid_ || (has_residual && residual != nullptr)) {
        body_.body->positions(time, sampling, workers, art_);
        nodes_of_art_.apply(art_, workers, body_nodes_);
    }
    if (rigid_) {
        rigid_->fill(body_nodes_, frames);
    } else {
        skin_->fill(matrices_, frames);
    }
    if (residual == nullptr) {
        return;
    }
    residual->resize(part_.rows(), 3);
    if (!has_residual) {
        residual->setZero();
        return;
    }
    const MatrixX3d* baseline = &frames.places;
    if (options_.baseline != CurveBaseline::rigid) {
        skin_->baseline(
            options_.baseline == CurveBaseline::linear_blend ? Skinning::linear_blend : Skinning::dual_quaternion,
            matrices_, workers, base_nodes_);
        baseline = &base_nodes_;
    }
    for (Eigen::Index i = 0; i < body_nodes_.rows(); ++i) {
        residual->row(i) =
            (rotation_of(frames, i).transpose() * (body_nodes_.row(i) - baseline->row(i)).transpose()).transpose();
    }
}

void Flesh::pose_of(VectorXd& pose) const {
    for (size_t j = 0; j < pose_joints_.size(); ++j) {
        const PoseJoint& joint = pose_joints_[j];
        const Eigen::Quaterniond parent =
            joint.parent >= 0 ? rotation_of_matrix(matrices_[joint.parent]) : Eigen::Quaterniond::Identity();
        pose.segment<3>(3 * static_cast<Eigen::Index>(j)) =
            joint_pose(parent, rotation_of_matrix(matrices_[joint.joint]), joint.axis);
    }
}

MatrixX3d Flesh::morph_on_nodes(const std::string& name) const {
    const Body::Source& source = body_.body->source();
    std::set<std::string> known;
    Eigen::Index first = 0;
    if (source.character) {
        for (const MeshInstance& mesh : source.character->meshes) {
            const Eigen::Index count = mesh.mesh.positions.rows();
            for (const MorphTarget& morph : mesh.morphs) {
                known.insert(morph.name);
                // A body of one instance has its vertices alone; one of all has them in order.
                const bool is_alone = count == body_.body->mesh().positions.rows();
                const Eigen::Index at = is_alone ? 0 : first;
                if (morph.name != name || at + count > body_.body->mesh().positions.rows()) {
                    continue;
                }
                // The body's rest pose is the file's after one linear map (units, axes): found by
                // least squares, since offsets need the same.
                const MatrixX3d rest = body_.body->mesh().positions.middleRows(at, count);
                const Eigen::RowVector3d a = mesh.mesh.positions.colwise().mean();
                const Eigen::RowVector3d b = rest.colwise().mean();
                const MatrixX3d from = mesh.mesh.positions.rowwise() - a;
                const MatrixX3d to = rest.rowwise() - b;
                MatrixX3d offsets = MatrixX3d::Zero(body_.body->mesh().positions.rows(), 3);
                offsets.middleRows(at, count) = rows_times(morph.offsets, linear_map_between(from, to));
                MatrixX3d nodes(part_.rows(), 3);
                nodes_of_art_.apply(offsets, Workers(1), nodes);
                return nodes;
            }
            first += count;
        }
    }
    std::string list;
    for (const std::string& one : known) {
        list += (list.empty() ? "" : ", ") + one;
    }
    throw InvalidInput(concat("curve: expected a morph target of the body (it has ", list.empty() ? "none" : list,
                              "), found \"", name, "\""));
}

/// What a sculpted shape has beyond the baseline (or the body itself) at its time.
MatrixX3d Flesh::sculpted_residual(const FleshExample& example, const NodeFrames& frames) {
    const Eigen::Index vertices = body_.body->mesh().positions.rows();
    if (example.sculpted->rows() != vertices) {
        throw InvalidInput(concat("curve: expected a sculpted example with the body's ", vertices, " vertices, found ",
                                  example.sculpted->rows()));
    }
    require(example.sculpted->allFinite(), "curve: expected a sculpted example with finite positions");
    const Workers workers(1);
    MatrixX3d sculpted(part_.rows(), 3);
    nodes_of_art_.apply(*example.sculpted, workers, sculpted);
    MatrixX3d start = frames.places;
    if (options_.baseline == CurveBaseline::body) {
        body_.body->positions(example.time, TimeSampling::exact, workers, art_);
        nodes_of_art_.apply(art_, workers, start);
    } else if (options_.baseline != CurveBaseline::rigid) {
        start = base_nodes_;
    }
    MatrixX3d residual(part_.rows(), 3);
    for (Eigen::Index i = 0; i < residual.rows(); ++i) {
        residual.row(i) =
            (rotation_of(frames, i).transpose() * (sculpted.row(i) - start.row(i)).transpose()).transpose();
    }
    return residual;
}

void Flesh::check_forces() const {
    require(options_.forces.empty() || !in_time_,
            "curve: expected forces or examples keyed by time, found both; key the examples by "
            "pose_joints");
    for (size_t i = 0; i < options_.forces.size(); ++i) {
        const FleshForce& force = options_.forces[i];
        const bool fits = force.share.empty() || force.share.size() == static_cast<size_t>(part_.rows());
        require(std::isfinite(force.time) && force.push.allFinite() && fits, "curve: expected finite forces for ",
                part_.rows(), " nodes, force ", i, " is not");
        for (size_t k = 0; k < i; ++k) {
            const FleshForce& other = options_.forces[k];
            require(other.place != force.place || other.time < force.time,
                    "curve: expected forces at increasing times, found ", force.time, " s after ", other.time,
                    " s (force ", i, ")");
        }
    }
}

void Flesh::push_at(double time, MatrixX3d& push) const {
    push.resize(part_.rows(), 3);
    push.setZero();
    const std::vector<FleshForce>& forces = options_.forces;
    for (size_t i = 0; i < forces.size(); ++i) {
        // Weight of a key: 1 at its time, falling linearly to the neighbours of its place.
        const FleshForce& here = forces[i];
        const FleshForce* before = nullptr;
        const FleshForce* after = nullptr;
        for (size_t k = 0; k < forces.size(); ++k) {
            if (forces[k].place == here.place && k < i) {
                before = &forces[k];
            } else if (forces[k].place == here.place && k > i && after == nullptr) {
                after = &forces[k];
            }
        }
        const FleshForce* next = time < here.time ? before : after;
        const double weight =
            next == nullptr ? 1.0 : std::max(0.0, 1.0 - std::abs(time - here.time) / std::abs(next->time - here.time));
        if (weight == 0.0) {
            continue;
        }
        for (Eigen::Index n = 0; n < push.rows(); ++n) {
            const double share = here.share.empty() ? 1.0 : here.share[n];
            push.row(n) += weight * share * here.push.transpose();
        }
    }
    if (push_.rows() > 0) {
        push += push_;
    }
}

void Flesh::prepare_examples() {
    const Workers workers(1);
    NodeFrames frames;
    std::vector<MatrixX3d> shapes;
    std::vector<VectorXd> poses;
    for (const FleshExample& example : options_.examples) {
        require(std::isfinite(example.time), "curve: expected a finite example time, found ", example.time);
        MatrixX3d shape;
        frames_at(example.time, TimeSampling::exact, workers, frames, &shape);
        if (example.sculpted) {
            shape = sculpted_residual(example, frames);
        } else if (!example.morph.empty()) {
            shape = morph_on_nodes(example.morph);
        } else if (options_.baseline == CurveBaseline::body) {
            throw InvalidInput(
                "curve: expected a baseline other than the body itself for examples "
                "taken from the body");
        }
        for (Eigen::Index i = 0; i < shape.rows(); ++i) {
            shape.row(i) *= window_[i];
        }
        shapes.push_back(shape);
        if (!pose_joints_.empty()) {
            VectorXd pose(pose_.size());
            pose_of(pose);
            poses.push_back(pose);
        }
    }
    if (!pose_joints_.empty()) {
        // The rest pose is an example, too: nothing is added there, unless one is given for it.
        const bool has_rest = std::any_of(poses.begin(), poses.end(), [](const VectorXd& pose) {
            constexpr double at_rest = 1e-3;  // radians
            return pose.norm() < at_rest;
        });
        if (!has_rest) {
            poses.push_back(VectorXd::Zero(pose_.size()));
            shapes.push_back(MatrixX3d::Zero(part_.rows(), 3));
        }
        keys_ = PoseKeys(poses);
        shapes_ = std::move(shapes);
        return;
    }
    require(!options_.follow,
            "curve: examples in time replace what the body has beyond its baseline: "
            "expected follow = false, or pose joints");
    TimeExampleOptions options;
    options.dynamics = options_.curve.dynamics;
    options.frequency_hz = options_.curve.frequency_hz;
    options.damping = options_.curve.damping;
    options.extrapolate = options_.extrapolate;
    options.ends = part_.direction == CurveDirection::around ? CurveEnds::ring : CurveEnds::clamped;
    std::vector<double> times;
    std::vector<RowMatrixXd> rows;
    constexpr int least_curves = 3;  // that make a ring
    if (options_.paths == CurvePaths::turning && part_.direction == CurveDirection::along &&
        part_.curve_count >= least_curves) {
        MatrixX3d rest(part_.rows(), 3);
        part_.nodes.apply(*body_.rest, workers, rest);
        turning_ = std::make_unique<TurningShapes>(rest, part_.curve_count);
    }
    for (size_t i = 0; i < shapes.size(); ++i) {
        times.push_back(options_.examples[i].time);
        if (turning_) {
            rows.push_back(turning_->coordinates(shapes[i]));
            continue;
        }
        rows.push_back(Eigen::Map<const RowMatrixXd>(shapes[i].data(), part_.node_count, 3 * part_.curve_count));
    }
    if (times.size() >= 2) {
        const double interval = (times.back() - times.front()) / static_cast<double>(times.size() - 1);
        options.paper_steps = std::max(1, static_cast<int>(std::lround(interval * options_.paper_frames)));
    }
    in_time_ = std::make_unique<TimeExamples>(times, rows, options);
}

void Flesh::sample(double time, CurveDrive& drive, const Workers& workers) {
    frames_at(time, step_.sampling, workers, drive.frames, &drive.followed);
    drive.shape.resize(part_.rows(), 3);
    drive.shape.setZero();
    if (keys_.count() > 0) {
        pose_of(pose_);
        keys_.weigh(pose_, weights_);
        for (size_t e = 0; e < shapes_.size(); ++e) {
            drive.shape += weights_[static_cast<Eigen::Index>(e)] * shapes_[e];
        }
    }
    if (!options_.follow) {
        drive.followed.setZero();
    }
    if (!options_.forces.empty() || push_.rows() > 0) {
        push_at(time, drive.push);
    } else {
        drive.push.resize(0, 3);
    }
    drive.has_target = keys_.count() > 0 || (options_.follow && options_.baseline != CurveBaseline::body);
}

/// The drive at a simulated time of the step at hand.
void Flesh::sample_step(double time, CurveDrive& drive, const Workers& workers) {
    sample(body_time(time), drive, workers);
}

double Flesh::body_time(double time) const {
    const double here = step_.body_time(time - step_.lag);
    if (options_.period > 0.0) {  // before its start a body that repeats holds still
        return here < 0.0 ? here + options_.period * std::ceil(-here / options_.period) : here;
    }
    return step_.lag > 0.0 ? std::max(here, since_) : here;
}

double Flesh::known() const {
    return step_.lag > 0.0 || !std::isfinite(step_.known) ? CurveSolver::unlimited : step_.time_of(step_.known);
}

void Flesh::begin(const FleshStep& step, const Workers& workers) {
    step_ = step;
    since_ = step.body_to;
    const auto sampler = [&](double time, CurveDrive& drive) { sample_step(time, drive, workers); };
    solver_.begin(step.to, sampler, workers, known());
}

void Flesh::begin_loop(const FleshStep& step, const Workers& workers, const CurveSolver::Start* start) {
    step_ = step;
    since_ = step.body_to;
    const auto sampler = [&](double time, CurveDrive& drive) { sample_step(time, drive, workers); };
    solver_.begin_loop(step.to, sampler, workers, start);
}

void Flesh::go_on(const FleshStep& step) {
    step_ = step;
    solver_.go_on();
}

void Flesh::open(const FleshStep& step, const Workers& workers) {
    step_ = step;
    const auto sampler = [&](double time, CurveDrive& drive) { sample_step(time, drive, workers); };
    solver_.open(sampler, workers, known());
}

void Flesh::advance(const FleshStep& step, const Workers& workers) {
    step_ = step;
    if (in_time_) {
        return;
    }
    const auto run = [&] {
        for (int i = 1; i <= solver_.steps(); ++i) {
            solver_.step(i);
        }
    };
    if ((step.reset || !solver_.has_state()) && repeats(step)) {
        const CurveSolver::Start start = find_start(step, workers);
        begin_loop(step, workers, &start);
    } else if (step.reset || !solver_.has_state()) {
        begin(step, workers);
        run();
    } else {
        go_on(step);
    }
    while (solver_.lags_behind(step.to)) {
        open(step, workers);
        run();
    }
}

bool Flesh::repeats(const FleshStep& step) const {
    return options_.period > 0.0 && step.pace == 1.0 && solver_.options().dynamics == CurveDynamics::exact;
}

int Flesh::period_steps() const {
    return static_cast<int>(std::lround(options_.period * solver_.options().rate_hz));
}

/// Without contact: one period from zero, then the closed form.
CurveSolver::Start Flesh::find_start(const FleshStep& step, const Workers& workers) {
    begin_loop(step, workers, nullptr);
    for (int n = 0; n < period_steps(); ++n) {
        open(step, workers);
        for (int i = 1; i <= solver_.steps(); ++i) {
            solver_.step(i);
        }
        solver_.go_on();
    }
    return solver_.periodic_start(period_steps());
}

void Flesh::displace(double time, TimeSampling sampling, const Workers& workers, MatrixX3d& surface) {
    const bool replaces = !options_.follow && options_.baseline != CurveBaseline::body;
    frames_at(time, sampling, workers, now_.frames, replaces ? &residual_ : nullptr);
    if (in_time_) {
        in_time_->at(time, time_shape_);
        // Speed over a thousandth of a second: the closed form has no derivative at examples.
        constexpr double moment = 1e-3;
        in_time_->at(time - moment, time_shape_before_);
        if (turning_) {
            turning_->displacements(time_shape_, turned_);
            turning_->displacements(time_shape_before_, turned_before_);
        }
        const Eigen::Map<const MatrixX3d> here(turning_ ? turned_.data() : time_shape_.data(), part_.rows(), 3);
        const Eigen::Map<const MatrixX3d> before(turning_ ? turned_before_.data() : time_shape_before_.data(),
                                                 part_.rows(), 3);
        for (Eigen::Index i = 0; i < here.rows(); ++i) {
            displacement_.row(i) = (rotation_of(now_.frames, i) * here.row(i).transpose()).transpose();
            speed_world_.row(i) = (here.row(i) - before.row(i)) / moment;
        }
    } else {
        solver_.displacement(step_.time_of(time), now_.frames, workers, displacement_);
        speed_world_ = solver_.speed(workers);
    }
    if (replaces) {
        for (Eigen::Index i = 0; i < displacement_.rows(); ++i) {
            displacement_.row(i) -=
                window_[i] * (rotation_of(now_.frames, i) * residual_.row(i).transpose()).transpose();
        }
    }
    if (volume_) {
        part_.nodes.apply(surface, workers, nodes_);
        volume_->keep(nodes_, displacement_);
    }
    part_.transfer.apply(displacement_, workers, moved_);
    part_.transfer.apply(speed_world_, workers, vertex_speed_);
    for (size_t i = 0; i < part_.vertices.size(); ++i) {
        surface.row(part_.vertices[i]) += moved_.row(static_cast<Eigen::Index>(i));
    }
    part_.nodes.apply(surface, workers, nodes_);
}

}  // namespace cutis
