#include "shell/shell.h"

#include <Eigen/Geometry>
#include <cmath>

#include "cutis/core/error.h"
#include "cutis/mesh/geometry.h"

namespace cutis {

namespace {

constexpr double state_version = 2.0;

/// First axis in each triangle's plane as weights of its corners (sum 0), so that it deforms with
/// the triangle.
MatrixX3d make_axis_weights(const PrismShell& shell, const ShellOptions& options) {
    const Topology& topology = shell.topology();
    const MatrixX3d normals = triangle_normals(shell.base(), topology);
    const VectorXd areas = triangle_areas(shell.base(), topology);
    MatrixX3d weights(topology.triangle_count(), 3);
    require(options.axes.rows() == 0 || options.axes.rows() == topology.triangle_count(), "shell axes: expected ",
            topology.triangle_count(), " directions, found ", options.axes.rows());
    for (int f = 0; f < topology.triangle_count(); ++f) {
        const Vector3d normal = normals.row(f);
        Vector3d axis = options.axes.rows() ? Vector3d(options.axes.row(f)) : options.axis;
        axis -= normal * normal.dot(axis);
        const auto at = [&](int k) -> Vector3d { return shell.base().row(topology.triangles()(f, k)).transpose(); };
        if (!(axis.norm() > 1e-9)) {
            axis = at(1) - at(0);
        }
        axis.normalize();
        for (int k = 0; k < 3; ++k) {
            const Vector3d edge = at((k + 2) % 3) - at((k + 1) % 3);
            weights(f, k) = normal.cross(edge).dot(axis) / (2.0 * areas[f]);
        }
    }
    return weights;
}

}  // namespace

Shell::Shell(PrismShell shell, PlacedDetail detail, const ShellOptions& options)
    : options_(options), prisms_(std::make_unique<PrismShell>(std::move(shell))) {
    equilibrium_ = std::make_unique<ShellEquilibrium>(*prisms_, options.equilibrium);
    if (options.untangle) {
        untangler_ = std::make_unique<ShellUntangler>(*prisms_);
    }
    if (options.vibration.use_axes) {
        axis_weights_ = make_axis_weights(*prisms_, options);
    }
    if (options.vibration.has_moving_points) {
        points_ = detail.points;
    }
    vibration_ = std::make_unique<DetailVibration>(*prisms_, std::move(detail.points), detail.piece, options.vibration);
}

Shell::~Shell() = default;

void Shell::fill_axes() {
    const Topology& topology = prisms_->topology();
    axes_.resize(3 * topology.triangle_count(), 3);
    for (int f = 0; f < topology.triangle_count(); ++f) {
        const auto corners = topology.triangles().row(f);
        const Vector3d a = base_.row(corners[0]);
        const Vector3d ab = base_.row(corners[1]).transpose() - a;
        const Vector3d ac = base_.row(corners[2]).transpose() - a;
        Vector3d normal = ab.cross(ac);
        Vector3d first = axis_weights_(f, 1) * ab + axis_weights_(f, 2) * ac;
        if (normal.norm() > 0.0 && first.norm() > 0.0) {
            normal.normalize();
            first = (first - normal * normal.dot(first)).normalized();
            axes_.row(3 * f) = first.transpose();
            axes_.row(3 * f + 1) = normal.cross(first).transpose();
            axes_.row(3 * f + 2) = normal.transpose();
        } else if (!(axes_.row(3 * f).norm() > 0.5)) {
            axes_.middleRows(3 * f, 3).setIdentity();  // collapsed from the start: any frame
        }
    }
}

void Shell::advance(const ShellStep& step, const Workers& workers) {
    const bool starts = step.reset || !has_base_;
    require(starts || (step.seconds > 0.0 && std::isfinite(step.seconds)),
            "shell step: expected a length above 0 s, found ", step.seconds);
    if (handle_count() > 0) {
        next_base_ = *step.base;
        if (manipulator_->pulls_base() && pull_.rows() == next_base_.rows() && !step.reset) {
            next_base_ += pull_;
        }
        manipulator_->solve(*step.base, targets_, workers, next_base_, next_offset_);
        if (manipulator_->pulls_base()) {
            pull_ = next_base_ - *step.base;
        } else {
            pull_.resize(0, 3);
        }
    } else {
        pull_.resize(0, 3);
        equilibrium_->solve(*step.base, workers, next_offset_);
        next_base_ = *step.base;
    }
    report_ = {};
    report_.borrowed_normals = equilibrium_->borrowed_normals();
    ShellQuality quality = measure_shell(*prisms_, next_base_, next_offset_);
    report_.inverted = quality.inverted;
    if (untangler_) {
        report_.untangled = untangler_->untangle(next_base_, workers, next_offset_);
        if (report_.untangled > 0) {
            quality = measure_shell(*prisms_, next_base_, next_offset_);
        }
    }
    report_.smallest_ratio = quality.smallest_ratio;
    report_.volume_ratio = quality.volume_ratio;

    ShellMotion motion;
    motion.seconds = starts ? 0.0 : step.seconds;
    motion.is_cut = step.is_cut || starts;
    if (!motion.is_cut) {
        // The first step after a start takes the surface's velocity for its own.
        const double rate = 1.0 / step.seconds;
        base_kick_ = (next_base_ - base_) * rate;
        offset_kick_ = (next_offset_ - offset_) * rate;
        base_velocity_.swap(base_kick_);
        offset_velocity_.swap(offset_kick_);
        if (has_velocity_) {
            base_kick_ = base_velocity_ - base_kick_;
            offset_kick_ = offset_velocity_ - offset_kick_;
        } else {
            base_kick_.setZero(base_.rows(), 3);
            offset_kick_.setZero(base_.rows(), 3);
        }
        has_velocity_ = true;
    }
    base_ = next_base_;
    offset_ = next_offset_;
    has_base_ = true;
    if (options_.vibration.use_axes) {
        fill_axes();
        motion.axes = &axes_;
    }
    motion.base = &base_;
    motion.offset = &offset_;
    motion.base_velocity = &base_velocity_;
    motion.offset_velocity = &offset_velocity_;
    motion.base_kick = &base_kick_;
    motion.offset_kick = &offset_kick_;
    if (starts) {
        base_velocity_.setZero(base_.rows(), 3);
        offset_velocity_.setZero(base_.rows(), 3);
        base_kick_.setZero(base_.rows(), 3);
        offset_kick_.setZero(base_.rows(), 3);
        has_velocity_ = false;
        vibration_->reset(motion, workers);
    } else {
        vibration_->advance(motion, workers);
    }
    report_.limited_pieces = vibration_->limited_pieces();
    report_.largest_share = vibration_->largest_share();
}

void Shell::write_volume_ratios(VectorXd& ratios) {
    measure_shell(*prisms_, base_, offset_, &prism_ratios_);
    vibration_->write_triangle_values(prism_ratios_, ratios);
}

void Shell::grab(std::span<const Handle> handles, const MatrixX3d& targets) {
    require(targets.rows() == static_cast<Eigen::Index>(handles.size()), "shell handles: expected ", handles.size(),
            " targets, found ", targets.rows());
    if (!manipulator_) {
        if (handles.empty()) {
            return;
        }
        manipulator_ = std::make_unique<ShellManipulator>(*equilibrium_, options_.manipulation);
    }
    manipulator_->grab(handles);
    targets_ = targets;
}

void Shell::drag(const MatrixX3d& targets) {
    check_handle_targets(targets, handle_count());
    targets_ = targets;
}

void Shell::move_points(std::span<const ShellPoint> points) {
    vibration_->move_points(points);
    points_.assign(points.begin(), points.end());
}

std::vector<double> Shell::save() const {
    std::vector<double> state = {state_version,
                                 static_cast<double>(prisms_->vertex_count()),
                                 static_cast<double>(vertex_count()),
                                 has_base_ ? 1.0 : 0.0,
                                 has_velocity_ ? 1.0 : 0.0,
                                 options_.vibration.has_moving_points ? 1.0 : 0.0,
                                 pull_.rows() > 0 ? 1.0 : 0.0};
    if (has_base_) {
        for (const MatrixX3d* values : {&base_, &offset_, &base_velocity_, &offset_velocity_, &pull_}) {
            state.insert(state.end(), values->data(), values->data() + values->size());
        }
        vibration_->save(state);
        if (options_.vibration.has_moving_points) {
            for (const ShellPoint& point : points_) {
                state.insert(state.end(), {static_cast<double>(point.triangle), point.barycentric[0],
                                           point.barycentric[1], point.barycentric[2], point.height});
            }
        }
    }
    return state;
}

void Shell::restore(std::span<const double> state) {
    const auto n = static_cast<size_t>(prisms_->vertex_count());
    const auto vertices = static_cast<size_t>(vertex_count());
    const bool moves = options_.vibration.has_moving_points;
    constexpr size_t head = 7;
    require(state.size() >= head && state[0] == state_version && state[1] == static_cast<double>(n) &&
                state[2] == static_cast<double>(vertices) && state[5] == (moves ? 1.0 : 0.0),
            "shell state: not a state of a shell of ", n, " base vertices and ", vertices, " detail vertices");
    const bool has_base = state[3] == 1.0;
    const bool has_pull = state[6] == 1.0;
    const size_t expected =
        head + (has_base ? (has_pull ? 15 : 12) * n + vibration_->state_size() + (moves ? 5 * vertices : 0) : 0);
    require(state.size() == expected, "shell state: expected ", expected, " numbers, found ", state.size());
    for (size_t i = 0; i < state.size(); ++i) {
        require(std::isfinite(state[i]), "shell state: number ", i, " is not finite");
    }
    has_base_ = has_base;
    has_velocity_ = state[4] == 1.0;
    if (!has_base) {
        return;
    }
    size_t next = head;
    for (MatrixX3d* values : {&base_, &offset_, &base_velocity_, &offset_velocity_, &pull_}) {
        const size_t rows = values == &pull_ && !has_pull ? 0 : n;
        values->resize(static_cast<Eigen::Index>(rows), 3);
        std::copy_n(state.begin() + static_cast<std::ptrdiff_t>(next), 3 * rows, values->data());
        next += 3 * rows;
    }
    if (moves) {
        const size_t at_points = next + vibration_->state_size();
        for (size_t v = 0; v < vertices; ++v) {
            const double* p = state.data() + at_points + 5 * v;
            points_[v] = {static_cast<int>(p[0]), Vector3d(p[1], p[2], p[3]), p[4]};
        }
        vibration_->move_points(points_);
    }
    vibration_->restore(state.subspan(next));
}

PrismShell make_shell(const Topology& topology, const MatrixX3d& rest, const SafeOffsetOptions& options,
                      const Workers& workers, SafeOffset* report) {
    SafeOffset offset = make_safe_offset(topology, rest, options, workers);
    PrismShell shell(topology, rest, offset.positions);
    if (report != nullptr) {
        *report = std::move(offset);
    }
    return shell;
}

}  // namespace cutis
