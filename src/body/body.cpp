#include "cutis/body/body.h"

#include <algorithm>
#include <cmath>

#include "cutis/core/error.h"
#include "cutis/mesh/geometry.h"

namespace cutis {

void Motion::node_frames(double, TimeSampling, std::vector<Eigen::Affine3d>& out) const {
    out.clear();
}

bool Motion::pose(double, TimeSampling, Pose&) const {
    return false;
}

bool Motion::frames_of(const Pose&, std::vector<Eigen::Affine3d>&) const {
    return false;
}

bool Motion::positions_of(const Pose&, const Workers&, MatrixX3d&) const {
    return false;
}

std::shared_ptr<const Motion> Motion::repeating(double) const {
    return nullptr;
}

Body::Body(Source source, const ClockOptions& clock) : source_(std::move(source)), clock_(clock) {
    check_struct(clock_, "body");
    require(source_.motion != nullptr, "body: expected a motion, found none");
    const int vertices = static_cast<int>(source_.mesh.positions.rows());
    if (source_.motion->vertex_count() != vertices) {
        throw InvalidInput(
            concat("body: expected a motion of ", vertices, " vertices, found ", source_.motion->vertex_count()));
    }
    Rig& rig = source_.rig;
    if (rig.name.size() != rig.node.size()) {
        Skeleton without_tree;
        without_tree.nodes.resize(
            static_cast<size_t>(std::max(0, *std::max_element(rig.node.begin(), rig.node.end()) + 1)));
        complete_rig(source_.character ? source_.character->skeleton : without_tree, rig);
    }
    if (!source_.materials && source_.character) {
        source_.materials = source_.character->materials;
    }
    const Motion& motion = *source_.motion;
    start_ = motion.start();
    const double length = motion.end() - start_;
    if (!(length >= 0.0) || !std::isfinite(length) || !std::isfinite(start_)) {
        throw InvalidInput(
            concat("body: expected motion with a finite start and end, found ", start_, " s and ", motion.end(), " s"));
    }
    duration_ = length / clock_.time_scale;
    if (clock_.loop == LoopMode::hold || length == 0.0) {
        return;
    }

    const Workers workers(1);
    MatrixX3d first;
    MatrixX3d last;
    motion.positions(start_, TimeSampling::exact, workers, first);
    motion.positions(motion.end(), TimeSampling::exact, workers, last);
    seam_gap_ = vertices == 0 ? 0.0 : (last - first).rowwise().norm().maxCoeff();
    const double size = bounding_box_diagonal(first);
    const bool is_closed = seam_gap_ <= clock_.seam_tolerance * size;
    seam_is_jump_ = seam_gap_ > clock_.jump_limit * size;
    period_ = is_closed || seam_is_jump_ ? length : length + motion.key_interval();
    if (!seam_is_jump_) {
        std::shared_ptr<const Motion> repeating =
            is_closed || motion.key_interval() > 0.0 ? motion.repeating(period_) : nullptr;
        if (repeating) {
            source_.motion = std::move(repeating);
        } else if (!is_closed) {
            seam_is_jump_ = true;
            period_ = length;
        }
    }
    duration_ = period_ / clock_.time_scale;
    if (!is_closed) {
        source_.notes.push_back(concat(
            "loop: the last pose is ", seam_gap_, " m from the first; ",
            seam_is_jump_ ? "left as a jump" : concat("closed by a blended interval of ", period_ - length, " s")));
    }
}

double Body::source_time(double time) const {
    // Pre-roll: before its first key the body holds still, or plays the end of the cycle before.
    const bool repeats = period_ > 0.0 && !seam_is_jump_;
    const double elapsed = (repeats ? time : std::max(time, 0.0)) * clock_.time_scale;
    if (period_ > 0.0) {
        return start_ + (elapsed - std::floor(elapsed / period_) * period_);
    }
    return std::min(start_ + elapsed, source_.motion->end());
}

bool Body::jumps_between(double from, double to) const {
    if (!seam_is_jump_ || period_ <= 0.0) {
        return false;
    }
    const auto turn = [this](double time) { return std::floor(std::max(time, 0.0) * clock_.time_scale / period_); };
    return turn(from) != turn(to);
}

void Body::set_painted(const std::string& name, VectorXd values) {
    require(values.size() == source_.mesh.positions.rows(), "painted ", name, ": expected ",
            source_.mesh.positions.rows(), " values, found ", values.size());
    source_.mesh.painted[name] = std::move(values);
}

void Body::set_materials(std::shared_ptr<const MaterialLibrary> materials, std::vector<MeshPart> parts) {
    source_.materials = std::move(materials);
    source_.mesh.parts = std::move(parts);
}

void Body::set_rest_pose(const MatrixX3d& rest_positions) {
    require(rest_positions.rows() == source_.mesh.positions.rows(), "rest pose: expected ",
            source_.mesh.positions.rows(), " vertices as the body has, found ", rest_positions.rows());
    for (Eigen::Index v = 0; v < rest_positions.rows(); ++v) {
        require(rest_positions.row(v).allFinite(), "rest pose: vertex ", v, " is not finite");
    }
    source_.mesh.positions = rest_positions;
    source_.rig.is_whole_motion = false;
    has_separate_rest_pose_ = true;
}

void Body::positions(double time, TimeSampling sampling, const Workers& workers, MatrixX3d& out) const {
    source_.motion->positions(source_time(time), sampling, workers, out);
}

void Body::to_body_space(std::vector<Eigen::Affine3d>& frames) const {
    if (!source_.to_metres.matrix().isIdentity(0.0)) {
        const Eigen::Affine3d from_metres = source_.to_metres.inverse();
        for (Eigen::Affine3d& frame : frames) {
            frame = source_.to_metres * frame * from_metres;
        }
    }
}

void Body::node_frames(double time, TimeSampling sampling, std::vector<Eigen::Affine3d>& out) const {
    source_.motion->node_frames(source_time(time), sampling, out);
}

bool Body::pose(double time, TimeSampling sampling, Pose& out) const {
    return source_.motion->pose(source_time(time), sampling, out);
}

void Body::joint_matrices(double time, TimeSampling sampling, std::vector<Eigen::Affine3d>& out) const {
    out.clear();
    if (rig() != nullptr) {
        node_frames(time, sampling, node_frames_);
        cutis::joint_matrices(source_.rig.node, source_.rig.inverse_bind, node_frames_, out);
    }
}

}  // namespace cutis
