#include "shell/vibration.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "cutis/core/error.h"
#include "shell/vibration_state.h"

namespace cutis {

namespace {

using namespace vibration;

constexpr double point_tolerance = 1e-9;

void check_point(const PrismShell& shell, const ShellPoint& point, size_t vertex) {
    const int triangles = shell.topology().triangle_count();
    require(point.triangle >= 0 && point.triangle < triangles, "shell detail: vertex ", vertex, " lies on triangle ",
            point.triangle, ", expected 0 .. ", triangles - 1);
    const bool is_inside = point.barycentric.minCoeff() >= -point_tolerance &&
                           std::abs(point.barycentric.sum() - 1.0) <= 1e-6 && point.height >= -point_tolerance &&
                           point.height <= 1.0 + point_tolerance;
    if (!is_inside) {  // also NaN
        throw InvalidInput(concat("shell detail: vertex ", vertex, " lies outside its prism (weights ",
                                  text_of(point.barycentric), ", height ", point.height, ")"));
    }
}

void check_vibration(const VibrationOptions& options, size_t vertices) {
    check_struct(options, "shell");
    exact_step(options.material, 0.0);
    if (options.use_axes) {
        for (const Oscillation& axis : options.axes) {
            exact_step(axis, 0.0);
        }
    }
    const auto check_painted = [&](const char* name, const std::vector<double>& values, bool may_be_zero) {
        require(values.empty() || values.size() == vertices, "shell ", name, ": expected ", vertices,
                " numbers, found ", values.size());
        for (size_t v = 0; v < values.size(); ++v) {
            require((values[v] > 0.0 || (may_be_zero && values[v] == 0.0)) && std::isfinite(values[v]), "shell ", name,
                    ": detail vertex ", v, " has ", values[v]);
        }
    };
    check_painted("frequency_factor", options.frequency_factor, false);
    check_painted("damping_factor", options.damping_factor, true);
}

}  // namespace

DetailVibration::DetailVibration(const PrismShell& shell, std::vector<ShellPoint> points, const std::vector<int>& piece,
                                 const VibrationOptions& options) {
    require(!points.empty(), "shell detail: expected at least one vertex, found none");
    require(piece.empty() || piece.size() == points.size(), "shell detail: expected a piece for each of ",
            points.size(), " vertices, found ", piece.size());
    for (size_t v = 0; v < points.size(); ++v) {
        check_point(shell, points[v], v);
        require(piece.empty() || piece[v] >= 0, "shell detail: vertex ", v, " is of piece ", piece[v]);
    }
    check_vibration(options, points.size());
    if (options.precision == Precision::single) {
        kernel_ = std::make_unique<KernelOf<float>>(shell, std::move(points), piece, options);
    } else {
        kernel_ = std::make_unique<KernelOf<double>>(shell, std::move(points), piece, options);
    }
}

DetailVibration::~DetailVibration() = default;
DetailVibration::DetailVibration(DetailVibration&&) noexcept = default;

int DetailVibration::vertex_count() const {
    return static_cast<int>(kernel_->layout.slot_of_vertex.size());
}
int DetailVibration::piece_count() const {
    return kernel_->pieces;
}
const VibrationOptions& DetailVibration::options() const {
    return kernel_->options;
}
void DetailVibration::change(const Oscillation& material, double gain) {
    VibrationOptions options = kernel_->options;
    options.material = material;
    options.gain = gain;
    check_vibration(options, static_cast<size_t>(vertex_count()));
    kernel_->options = std::move(options);
}
void DetailVibration::reset(const ShellMotion& motion, const Workers& workers) {
    kernel_->reset(motion, workers);
}
void DetailVibration::advance(const ShellMotion& motion, const Workers& workers) {
    kernel_->advance(motion, workers);
}
int DetailVibration::limited_pieces() const {
    return kernel_->limited;
}
double DetailVibration::largest_share() const {
    return std::sqrt(kernel_->largest) * kernel_->options.limit;
}
size_t DetailVibration::memory_bytes() const {
    return kernel_->memory_bytes();
}

void DetailVibration::move_points(std::span<const ShellPoint> points) {
    require(kernel_->options.has_moving_points, "shell detail: points move only with has_moving_points");
    require(static_cast<int>(points.size()) == vertex_count(), "shell detail: expected ", vertex_count(),
            " points, found ", points.size());
    for (size_t v = 0; v < points.size(); ++v) {
        check_point(*kernel_->shell, points[v], v);
    }
    kernel_->move_points(points);
}

Vector3d DetailVibration::position(int vertex) const {
    const int slot = kernel_->layout.slot_of_vertex[vertex];
    return {kernel_->shown(slot, 0), kernel_->shown(slot, 1), kernel_->shown(slot, 2)};
}

void DetailVibration::write_triangle_values(const VectorXd& of_triangle, VectorXd& values) {
    const Layout& layout = kernel_->layout;
    std::vector<double>& slots = kernel_->slot_values;
    slots.resize(static_cast<size_t>(layout.slot_count));
    for (const Part& part : layout.parts) {
        for (int r = part.first_run; r < part.last_run; ++r) {
            const auto run = static_cast<size_t>(r);
            std::fill(slots.begin() + layout.runs[run].begin, slots.begin() + layout.runs[run + 1].begin,
                      of_triangle[layout.runs[run].tet / 3]);
        }
    }
    values.resize(vertex_count());
    for (int v = 0; v < vertex_count(); ++v) {
        values[v] = slots[layout.slot_of_vertex[v]];
    }
}

ShellPoint DetailVibration::place(int vertex) const {
    const Layout& layout = kernel_->layout;
    const int slot = layout.slot_of_vertex[vertex];
    const auto after = std::upper_bound(layout.runs.begin(), layout.runs.end(), slot,
                                        [](int s, const Run& run) { return s < run.begin; });
    TetPoint at;
    at.tet = std::prev(after)->tet;
    at.weights << kernel_->weight(slot, 0), kernel_->weight(slot, 1), kernel_->weight(slot, 2), 0.0;
    at.weights[3] = 1.0 - at.weights.sum();
    return kernel_->shell->point(at);
}

void DetailVibration::write_positions(MatrixX3d& positions) const {
    positions.resize(vertex_count(), 3);
    for (int v = 0; v < vertex_count(); ++v) {
        positions.row(v) = position(v).transpose();
    }
}

void DetailVibration::write_positions(std::span<float> xyz) const {
    require(xyz.size() == 3 * static_cast<size_t>(vertex_count()), "shell detail: expected room for ",
            3 * vertex_count(), " numbers, found ", xyz.size());
    for (int v = 0; v < vertex_count(); ++v) {
        const Vector3d at = position(v);
        for (int k = 0; k < 3; ++k) {
            xyz[3 * static_cast<size_t>(v) + static_cast<size_t>(k)] = static_cast<float>(at[k]);
        }
    }
}

void DetailVibration::write_amplitudes(VectorXd& amplitudes) const {
    amplitudes.resize(vertex_count());
    for (int v = 0; v < vertex_count(); ++v) {
        const int slot = kernel_->layout.slot_of_vertex[v];
        amplitudes[v] =
            Vector3d(kernel_->distance(slot, 0), kernel_->distance(slot, 1), kernel_->distance(slot, 2)).norm();
    }
}

void DetailVibration::save(std::vector<double>& state) const {
    kernel_->save(state);
}
size_t DetailVibration::state_size() const {
    return kernel_->state_size();
}
size_t DetailVibration::restore(std::span<const double> state) {
    require(state.size() >= state_size(), "shell state: expected at least ", state_size(),
            " numbers for the detail, found ", state.size());
    for (size_t i = 0; i < state_size(); ++i) {
        require(std::isfinite(state[i]), "shell state: number ", i, " of the detail is not finite");
    }
    return kernel_->restore(state);
}

}  // namespace cutis
