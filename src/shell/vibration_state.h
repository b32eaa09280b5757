#pragma once

#include <algorithm>
#include <cmath>

#include "core/math.h"
#include "shell/lane_array.h"
#include "shell/vibration_layout.h"

namespace cutis {

/// What is behind a DetailVibration, whatever its numbers.
struct DetailVibration::Kernel {
    Kernel(const PrismShell& shell_, const VibrationOptions& options_) : shell(&shell_), options(options_) {}
    virtual ~Kernel() = default;
    virtual void reset(const ShellMotion& motion, const Workers& workers) = 0;
    virtual void advance(const ShellMotion& motion, const Workers& workers) = 0;
    virtual void move_points(std::span<const ShellPoint> points) = 0;
    virtual double shown(int slot, int k) const = 0;
    virtual double distance(int slot, int k) const = 0;
    virtual double weight(int slot, int k) const = 0;
    virtual void save(std::vector<double>& state) const = 0;
    virtual size_t state_size() const = 0;
    virtual size_t restore(std::span<const double> state) = 0;
    virtual size_t memory_bytes() const = 0;

    const PrismShell* shell;
    VibrationOptions options;
    vibration::Layout layout;
    int pieces = 1;
    int limited = 0;
    double largest = 0.0;             // |y|^2 / r^2
    std::vector<double> slot_values;  // scratch of write_triangle_values
};

namespace vibration {

inline constexpr double lowest_thickness_share = 0.1;  // of the mean height: thinner places limit as this
inline constexpr double asleep = 1e-12;                // amplitude, as a share of r, below which a piece is put to rest

/// State and steps in one kind of numbers.
template <class Real>
class KernelOf final : public DetailVibration::Kernel {
public:
    KernelOf(const PrismShell& shell_, std::vector<ShellPoint> points, const std::vector<int>& piece,
             const VibrationOptions& options_)
        : Kernel(shell_, options_) {
        layout = make_layout(shell_, points, piece, options, lanes);
        pieces = piece.empty() ? 1 : *std::max_element(piece.begin(), piece.end()) + 1;
        const auto slots = static_cast<size_t>(layout.slot_count);
        for (int k = 0; k < 3; ++k) {
            weights_[k].assign(slots, Real(0), static_cast<size_t>(k));
        }
        for (size_t v = 0; v < points.size(); ++v) {
            keep_weights(layout.slot_of_vertex[v], shell->place(points[v]));
        }
        std::vector<ShellPoint>().swap(points);
        for (int k = 0; k < 3; ++k) {
            const auto place = static_cast<size_t>(k);
            y_[k].assign(slots, Real(0), 3 + place);
            w_[k].assign(slots, Real(0), 6 + place);
            position_[k].assign(slots, Real(0), 9 + place);
            if (options.has_moving_points) {
                goal_[k].assign(slots, Real(0));
                goal_velocity_[k].assign(slots, Real(0));
                kick_[k].assign(slots, Real(0));
            }
        }
        if (options.has_moving_points) {
            tet_of_slot_.assign(slots, -1);
            for (const Part& part : layout.parts) {
                for (int r = part.first_run; r < part.last_run; ++r) {
                    const auto run = static_cast<size_t>(r);
                    std::fill(tet_of_slot_.begin() + layout.runs[run].begin,
                              tet_of_slot_.begin() + layout.runs[run + 1].begin, layout.runs[run].tet);
                }
            }
            // Room for every vertex in a tetrahedron of its own.
            layout.runs.reserve(slots + layout.parts.size());
            part_slots_.reserve(layout.parts.size());
            for (const Part& part : layout.parts) {
                part_slots_.push_back({layout.runs[part.first_run].begin, layout.runs[part.last_run].begin});
            }
        }
        rows_.assign(static_cast<size_t>(shell->vertex_count()) * 16, Real(0));
        if (options.damping_against == DampingAgainst::room) {
            velocity_.assign(static_cast<size_t>(shell->vertex_count()) * 8, Real(0));
        }
        corners_.reserve(static_cast<size_t>(shell->tet_count()) * 4);
        for (int tet = 0; tet < shell->tet_count(); ++tet) {
            const std::array<int, 4>& corners = shell->corners(tet);
            corners_.insert(corners_.end(), corners.begin(), corners.end());
        }
        const double mean = shell->heights().mean();
        for (int f = 0; f < shell->topology().triangle_count(); ++f) {
            const double thickness = std::max(shell->triangle_height(f), lowest_thickness_share * mean);
            radius_.push_back(static_cast<Real>(1.0 / math::pow(options.limit * thickness, 2.0)));
        }
        const double slowest =
            options.use_axes
                ? std::min({options.axes[0].frequency_hz, options.axes[1].frequency_hz, options.axes[2].frequency_hz})
                : options.material.frequency_hz;
        rest_speed_ = asleep * options.limit * mean * slowest;
        task_limited_.resize(layout.tasks.size());
        task_largest_.resize(layout.tasks.size());
    }

    void reset(const ShellMotion& motion, const Workers& workers) override {
        for (int k = 0; k < 3; ++k) {
            std::fill(y_[k].begin(), y_[k].end(), Real(0));
            std::fill(w_[k].begin(), w_[k].end(), Real(0));
            std::fill(goal_velocity_[k].begin(), goal_velocity_[k].end(), Real(0));
        }
        ShellMotion still = motion;
        still.seconds = 0.0;
        still.is_cut = true;
        advance(still, workers);
    }

    void advance(const ShellMotion& motion, const Workers& workers) override {
        fill_rows(motion, workers);
        Step<Real> step = step_of(motion);
        if (options.has_moving_points) {
            fill_goals(motion, workers);
            step.goals = pointers(goal_, goal_pointers_);
            step.kicks = pointers(kick_, kick_pointers_);
            step.velocities = pointers(goal_velocity_, velocity_pointers_);
        }
        const bool is_general = step.painted != nullptr || step.use_axes || step.against_room || step.goals != nullptr;
        const Arrays<Real> arrays = view();
        workers.for_chunks(static_cast<int>(layout.tasks.size()), 1, [&](int begin, int end) {
            for (int t = begin; t < end; ++t) {
                is_general ? run_task<true>(step, arrays, t) : run_task<false>(step, arrays, t);
            }
        });
        limited = 0;
        largest = 0.0;
        for (size_t t = 0; t < layout.tasks.size(); ++t) {
            limited += task_limited_[t];
            largest = std::max(largest, static_cast<double>(task_largest_[t]));
        }
    }

    void move_points(std::span<const ShellPoint> points) override {
        for (size_t v = 0; v < points.size(); ++v) {
            const int slot = layout.slot_of_vertex[v];
            const TetPoint at = shell->place(points[v]);
            keep_weights(slot, at);
            tet_of_slot_[slot] = at.tet;
        }
        layout.runs.clear();
        for (size_t p = 0; p < layout.parts.size(); ++p) {
            Part& part = layout.parts[p];
            part.first_run = static_cast<int>(layout.runs.size());
            for (int slot = part_slots_[p].begin; slot < part_slots_[p].end; ++slot) {
                const int tet = tet_of_slot_[slot];
                if (slot == part_slots_[p].begin || layout.runs.back().tet != tet) {
                    layout.runs.push_back({slot, tet});
                }
            }
            part.last_run = static_cast<int>(layout.runs.size());
            layout.runs.push_back({part_slots_[p].end, 0});
        }
    }

    double shown(int slot, int k) const override { return static_cast<double>(position_[k][slot]); }
    double distance(int slot, int k) const override { return static_cast<double>(y_[k][slot]); }

    double weight(int slot, int k) const override { return static_cast<double>(weights_[k][slot]); }

    void save(std::vector<double>& state) const override {
        if (options.has_moving_points) {
            state.push_back(is_fresh_ ? 1.0 : 0.0);
        }
        for_state([&](const LaneArray<Real>& values) {
            for (const int slot : layout.slot_of_vertex) {
                state.push_back(static_cast<double>(values[slot]));
            }
        });
    }

    size_t state_size() const override {
        size_t arrays = 0;
        for_state([&](const LaneArray<Real>&) { ++arrays; });
        return arrays * layout.slot_of_vertex.size() + (options.has_moving_points ? 1 : 0);
    }

    size_t restore(std::span<const double> state) override {
        size_t next = 0;
        if (options.has_moving_points) {
            is_fresh_ = state[next++] == 1.0;
        }
        const auto take = [&](const LaneArray<Real>& values) {
            auto& target = const_cast<LaneArray<Real>&>(values);
            for (const int slot : layout.slot_of_vertex) {
                target[slot] = static_cast<Real>(state[next++]);
            }
        };
        for_state(take);
        return next;
    }

    size_t memory_bytes() const override {
        size_t bytes = 0;
        const auto add = [&](const auto& values) { bytes += values.capacity() * sizeof(values[0]); };
        for (int k = 0; k < 3; ++k) {
            add(weights_[k]), add(y_[k]), add(w_[k]), add(position_[k]);
            add(goal_[k]), add(goal_velocity_[k]), add(kick_[k]);
        }
        for (const std::vector<Real>& values : painted_) {
            add(values);
        }
        add(rows_), add(velocity_), add(corners_), add(radius_), add(axes_), add(tet_of_slot_);
        add(layout.slot_of_vertex), add(layout.runs), add(layout.parts), add(layout.tasks);
        return bytes;
    }

private:
    static constexpr int lanes = LaneTypes<Real>::count;

    template <class Visit>
    void for_state(const Visit& visit) const {
        for (int k = 0; k < 3; ++k) {
            visit(y_[k]);
            visit(w_[k]);
            visit(position_[k]);
            if (options.has_moving_points) {
                visit(goal_[k]);
                visit(goal_velocity_[k]);
            }
        }
    }

    void keep_weights(int slot, const TetPoint& at) {
        for (int k = 0; k < 3; ++k) {
            weights_[k][slot] = static_cast<Real>(at.weights[k]);
        }
    }

    Arrays<Real> view() {
        Arrays<Real> out;
        for (int k = 0; k < 3; ++k) {
            out.weights[k] = weights_[k].data();
            out.y[k] = y_[k].data();
            out.w[k] = w_[k].data();
            out.position[k] = position_[k].data();
        }
        return out;
    }

    static const Real* const* pointers(const std::array<LaneArray<Real>, 3>& arrays, std::array<const Real*, 3>& out) {
        for (size_t k = 0; k < 3; ++k) {
            out[k] = arrays[k].data();
        }
        return out.data();
    }

    /// Shell positions and kicks as one row of numbers per shell vertex.
    void fill_rows(const ShellMotion& motion, const Workers& workers) {
        const int n = shell->vertex_count();
        const auto fill = [&](int first, const MatrixX3d& at, const MatrixX3d* kick, const MatrixX3d* speed) {
            const double* from = at.data();
            const double* change = motion.is_cut || kick == nullptr ? nullptr : kick->data();
            const double* moving = motion.is_cut || speed == nullptr ? nullptr : speed->data();
            workers.for_chunks(n, 4096, [=, this](int begin, int end) {
                Real* row = rows_.data() + 8 * static_cast<size_t>(first + begin);
                for (int i = 3 * begin; i < 3 * end; i += 3, row += 8) {
                    row[0] = static_cast<Real>(from[i]);
                    row[1] = static_cast<Real>(from[i + 1]);
                    row[2] = static_cast<Real>(from[i + 2]);
                    row[4] = change == nullptr ? Real(0) : static_cast<Real>(change[i]);
                    row[5] = change == nullptr ? Real(0) : static_cast<Real>(change[i + 1]);
                    row[6] = change == nullptr ? Real(0) : static_cast<Real>(change[i + 2]);
                }
                if (!velocity_.empty()) {
                    Real* to = velocity_.data() + 4 * static_cast<size_t>(first + begin);
                    for (int i = 3 * begin; i < 3 * end; i += 3, to += 4) {
                        for (int k = 0; k < 3; ++k) {
                            to[k] = moving == nullptr ? Real(0) : static_cast<Real>(moving[i + k]);
                        }
                    }
                }
            });
        };
        fill(0, *motion.base, motion.base_kick, motion.base_velocity);
        fill(n, *motion.offset, motion.offset_kick, motion.offset_velocity);
        if (options.use_axes) {
            const auto count = static_cast<size_t>(shell->topology().triangle_count()) * 9;
            axes_.resize(count);
            for (size_t i = 0; i < count; ++i) {
                axes_[i] = static_cast<Real>(motion.axes->data()[i]);
            }
        }
    }

    Step<Real> step_of(const ShellMotion& motion) {
        Step<Real> step;
        step.rows = rows_.data();
        step.velocity = velocity_.empty() ? nullptr : velocity_.data();
        step.corners = corners_.data();
        step.radius = radius_.data();
        step.axes = options.use_axes ? axes_.data() : nullptr;
        step.gain = static_cast<Real>(options.gain);
        step.by_height = options.weight_by_height;
        step.against_room = options.damping_against == DampingAgainst::room;
        step.use_axes = options.use_axes;
        step.by_vertex = options.limiter == Limiter::vertex;
        step.soft = options.limiter == Limiter::soft;
        step.limits = options.limiter == Limiter::piece;
        for (int a = 0; a < 3; ++a) {
            const VibrationStep exact =
                exact_step(options.use_axes ? options.axes[a] : options.material, motion.seconds);
            step.coefficients[a][0] = static_cast<Real>(exact.a);
            step.coefficients[a][1] = static_cast<Real>(exact.b);
            step.coefficients[a][2] = static_cast<Real>(exact.c);
            step.coefficients[a][3] = static_cast<Real>(exact.d);
            step.lag[a] = static_cast<Real>(exact.lag);
        }
        if (!options.frequency_factor.empty() || !options.damping_factor.empty()) {
            fill_painted(motion.seconds);
            step.painted = painted_pointers_.data();
        }
        return step;
    }

    /// Coefficients per vertex, anew only when the step has another length.
    void fill_painted(double seconds) {
        if (seconds == painted_seconds_) {
            return;
        }
        painted_seconds_ = seconds;
        const size_t sets = options.use_axes ? 3 : 1;
        painted_.resize(5 * sets);
        for (std::vector<Real>& values : painted_) {
            values.resize(static_cast<size_t>(layout.slot_count));
        }
        for (size_t v = 0; v < layout.slot_of_vertex.size(); ++v) {
            const auto slot = static_cast<size_t>(layout.slot_of_vertex[v]);
            for (size_t set = 0; set < sets; ++set) {
                Oscillation own = options.use_axes ? options.axes[set] : options.material;
                own.frequency_hz *= options.frequency_factor.empty() ? 1.0 : options.frequency_factor[v];
                own.damping *= options.damping_factor.empty() ? 1.0 : options.damping_factor[v];
                const VibrationStep exact = exact_step(own, seconds);
                painted_[4 * set][slot] = static_cast<Real>(exact.a);
                painted_[4 * set + 1][slot] = static_cast<Real>(exact.b);
                painted_[4 * set + 2][slot] = static_cast<Real>(exact.c);
                painted_[4 * set + 3][slot] = static_cast<Real>(exact.d);
                painted_[4 * sets + set][slot] = static_cast<Real>(exact.lag);
            }
        }
        painted_pointers_.clear();
        for (const std::vector<Real>& values : painted_) {
            painted_pointers_.push_back(values.data());
        }
    }

    /// Goals of points that move within the shell, and how their velocity changed.
    void fill_goals(const ShellMotion& motion, const Workers& workers) {
        const Real per_second = motion.seconds > 0.0 ? static_cast<Real>(1.0 / motion.seconds) : Real(0);
        workers.for_chunks(static_cast<int>(layout.parts.size()), 16, [&](int begin, int end) {
            for (int p = begin; p < end; ++p) {
                const Part& part = layout.parts[p];
                for (int r = part.first_run; r < part.last_run; ++r) {
                    const auto run = static_cast<size_t>(r);
                    const int* corner = corners_.data() + 4 * layout.runs[run].tet;
                    for (auto i = static_cast<size_t>(layout.runs[run].begin);
                         i < static_cast<size_t>(layout.runs[run + 1].begin); ++i) {
                        const Real w0 = weights_[0][i], w1 = weights_[1][i], w2 = weights_[2][i];
                        for (int k = 0; k < 3; ++k) {
                            const auto at = [&](int c) { return rows_[8 * corner[c] + k]; };
                            const Real goal =
                                at(3) + w0 * (at(0) - at(3)) + w1 * (at(1) - at(3)) + w2 * (at(2) - at(3));
                            if (motion.is_cut) {
                                kick_[k][i] = Real(0);
                            } else {
                                const Real speed = (goal - goal_[k][i]) * per_second;
                                kick_[k][i] = is_fresh_ ? Real(0) : speed - goal_velocity_[k][i];
                                goal_velocity_[k][i] = speed;
                            }
                            goal_[k][i] = goal;
                        }
                    }
                }
            }
        });
        // The first step after a reset takes the goal's velocity for its own.
        is_fresh_ = motion.is_cut && motion.seconds == 0.0;
    }

    template <bool general>
    void run_task(const Step<Real>& shared, const Arrays<Real>& all_arrays, int t) {
        // Copies: what is written cannot be taken for one of these pointers.
        const Arrays<Real> arrays = all_arrays;
        const Task& task = layout.tasks[t];
        Step<Real> step = shared;
        int drawn_back = 0;
        Real furthest = 0;
        for (int p = task.first_part; p < task.last_part; ++p) {
            const Part& part = layout.parts[p];
            step.by_vertex = shared.by_vertex || (shared.limits && part.by_vertex);
            LanesOf<Real> distances{};
            for (int r = part.first_run; r < part.last_run; ++r) {
                const Run& run = layout.runs[r];
                const int end = layout.runs[static_cast<size_t>(r) + 1].begin;
                const RunConstants<Real> constants(step, run.tet);
                fetch_ahead(step, r + 2, part.last_run);
                int i = run.begin;
                for (; i + lanes <= end; i += lanes) {
                    advance_lanes<Real, general, true>(step, constants, arrays, i, lanes, distances);
                }
                if (i < end) {
                    advance_lanes<Real, general, false>(step, constants, arrays, i, end - i, distances);
                }
            }
            const Real reached = simd::largest(distances);
            furthest = std::max(furthest, reached);
            drawn_back += reached > Real(1) && (shared.limits || step.by_vertex) ? 1 : 0;
            if (reached > Real(1) && shared.limits && !part.by_vertex) {
                draw_back(arrays, part, Real(1) / std::sqrt(reached));
            }
            if (reached < Real(asleep * asleep) && is_slow(arrays, part)) {
                draw_back(arrays, part, Real(0));
            }
        }
        task_limited_[t] = drawn_back;
        task_largest_[t] = furthest;
    }

    /// Corners of a run to come: they lie anywhere in the tables.
    void fetch_ahead(const Step<Real>& step, int r, int last) const {
        if (r < last) {
            const int* corner = step.corners + 4 * static_cast<Eigen::Index>(layout.runs[r].tet);
            for (int k = 0; k < 4; ++k) {
                __builtin_prefetch(step.rows + 8 * static_cast<Eigen::Index>(corner[k]));
            }
        }
    }

    /// Whether all velocities of a piece are next to nothing, without all being nothing.
    bool is_slow(const Arrays<Real>& arrays, const Part& part) const {
        const int begin = layout.runs[part.first_run].begin;
        const int end = layout.runs[part.last_run].begin;
        const auto limit = static_cast<Real>(rest_speed_);
        bool any = false;
        for (int k = 0; k < 3; ++k) {
            for (int i = begin; i < end; ++i) {
                const Real w = arrays.w[k][i];
                if (!(std::abs(w) <= limit)) {
                    return false;
                }
                any = any || w != Real(0) || arrays.y[k][i] != Real(0);
            }
        }
        return any;
    }

    /// Scales displacement and velocity of a whole piece (Eq. 4, with the velocity).
    void draw_back(const Arrays<Real>& arrays, const Part& part, Real factor) const {
        const int begin = layout.runs[part.first_run].begin;
        const int end = layout.runs[part.last_run].begin;
        for (int k = 0; k < 3; ++k) {
            for (int i = begin; i < end; ++i) {
                arrays.position[k][i] -= (Real(1) - factor) * arrays.y[k][i];
                arrays.y[k][i] *= factor;
                arrays.w[k][i] *= factor;
            }
        }
    }

    struct Slots {
        int begin, end;
    };

    std::array<LaneArray<Real>, 3> weights_, y_, w_, position_;
    std::array<LaneArray<Real>, 3> goal_, goal_velocity_, kick_;  // moving points only
    std::array<const Real*, 3> goal_pointers_{}, kick_pointers_{}, velocity_pointers_{};
    std::vector<std::vector<Real>> painted_;
    std::vector<const Real*> painted_pointers_;
    double painted_seconds_ = -1.0;
    std::vector<Real> rows_, velocity_, radius_, axes_;
    std::vector<int> corners_;
    std::vector<int> tet_of_slot_;
    std::vector<Slots> part_slots_;
    std::vector<int> task_limited_;
    std::vector<Real> task_largest_;
    double rest_speed_ = 0.0;
    bool is_fresh_ = true;
};

}  // namespace vibration

}  // namespace cutis
