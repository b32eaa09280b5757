#include <algorithm>
#include <cmath>

#include "core/math.h"
#include "slide/passes.h"

namespace cutis {

namespace {

constexpr int most_brake_rounds = 24;
// Allowances: of the kinetic energy the step began with, and of the skin's stiffness.
constexpr double kinetic_share = 0.01;
constexpr double stiffness_share = 1e-10;
// Skin that moves by less than this share of the body in a step, and uphill, stays at once.
constexpr double still_share = 1e-7;

}  // namespace

// The look-up's derivative jumps at sharp edges of the rest surface, where a linear solve can miss
// by far. So a step is tested: kinetic, elastic and tether energy less the work of outer forces
// must not rise while the body stands where it is now. Where they do, the fewest vertices that make
// them fall are braked; where nothing helps the skin stays. It is friction that acts where the
// model is wrong, without a threshold. Prescribed vertices go their way: the skin is compared with
// one that stands still while they move.
void SlideSolver::Parts::brake(double seconds, bool is_static, const Workers& workers) {
    const auto is_pulled = [&](int v) {
        const double* pull = model.prescribed.data() + 2 * v;
        return model.has_prescribed && (pull[0] != 0.0 || pull[1] != 0.0);
    };
    const auto kinetic = [&](int v) {
        return 0.5 * measured.mass[static_cast<size_t>(v)] * end_velocity(v).squaredNorm();
    };
    const auto start_kinetic = [&](int v) {
        const double* v0 = trial.start_velocity.data() + 2 * v;
        return 0.5 * measured.mass[static_cast<size_t>(v)] * (v0[0] * v0[0] + v0[1] * v0[1]);
    };
    const auto own_change = [&](int v) {
        if (is_pulled(v)) {
            return 0.0;
        }
        double change = tether_energy(model, trial.next_places, v) - tether_energy(model, state.places, v);
        if (!is_static) {
            change += kinetic(v) - start_kinetic(v);
        }
        if (model.has_forces) {
            change -=
                seconds *
                outer_force(model, state, measured, v).dot(Eigen::Map<const Vector2d>(state.velocity.data() + 2 * v));
        }
        return change;
    };
    const auto gain_of = [&](int v) {
        double sum = 0.0;
        for (int i = model.fan_starts[static_cast<size_t>(v)]; i < model.fan_starts[static_cast<size_t>(v) + 1]; ++i) {
            sum += trial.changes.data()[model.fans[static_cast<size_t>(i)] >> 2];
        }
        return trial.own[static_cast<size_t>(v)] + sum / 3.0;
    };
    const auto may_brake = [&](int v) {
        const double* u = state.velocity.data() + 2 * v;
        return trial.gain[static_cast<size_t>(v)] > 0.0 && (u[0] != 0.0 || u[1] != 0.0) && !is_pulled(v);
    };

    for (const PrescribedSlip& slip : model.options.prescribed) {
        slide::Records& now = state.places.position;
        const Vector3d old = now.vector(slip.vertex);
        now.set(slip.vertex, trial.next_places.position.vector(slip.vertex));
        for (int i = model.fan_starts[static_cast<size_t>(slip.vertex)];
             i < model.fan_starts[static_cast<size_t>(slip.vertex) + 1]; ++i) {
            const int f = model.fans[static_cast<size_t>(i)] >> 2;
            alignas(32) double four[4];
            find_energies(model, painted, state, measured, state.places, f / 4, four);
            *element_energy(measured, f) = four[f % 4];
        }
        now.set(slip.vertex, old);
    }

    double rise = workers.sum_chunks(model.reach.vertices, slide::vertex_chunk, [&](int begin, int end) {
        double sum = 0.0;
        for (int v = begin; v < end; ++v) {
            if (!state.activity.is_awake(v)) {
                trial.own[static_cast<size_t>(v)] = 0.0;
                continue;
            }
            trial.own[static_cast<size_t>(v)] = own_change(v);
            sum += trial.own[static_cast<size_t>(v)] - (is_static ? 0.0 : kinetic_share * start_kinetic(v));
        }
        return sum;
    });
    rise += find_energy_changes(model, painted, state, measured, trial.next_places, workers, trial.changes) -
            stiffness_share * painted.stiffness;
    trial.energy_change = rise;
    if (rise <= 0.0) {
        return;
    }
    trial.was_braked = true;
    ++report.braked_steps;
    workers.for_chunks(model.reach.vertices, slide::vertex_chunk, [&](int begin, int end) {
        for (int v = begin; v < end; ++v) {
            trial.gain[static_cast<size_t>(v)] = gain_of(v);
        }
    });
    std::fill(trial.is_gaining.begin(), trial.is_gaining.end(), static_cast<unsigned char>(0));
    std::fill(trial.suspects.begin(), trial.suspects.end(), static_cast<unsigned char>(0));
    trial.gaining.clear();
    for (int v = 0; v < model.reach.vertices; ++v) {
        note_gain(v);
    }

    // Halves a vertex once more. Whoever stands beside one that was halved k times is halved at
    // least k - 1 times: a single vertex that stops in a patch that moves would strain all around.
    const auto slow_down = [&](int v, int halvings) {
        unsigned char& done = trial.is_braked[static_cast<size_t>(v)];
        if (done < halvings && !is_pulled(v) && v < model.reach.vertices && state.activity.is_awake(v)) {
            const double factor = std::ldexp(1.0, done - halvings);
            state.velocity[2 * static_cast<size_t>(v)] *= factor;
            state.velocity[2 * static_cast<size_t>(v) + 1] *= factor;
            done = static_cast<unsigned char>(halvings);
            if (trial.touch_marks[static_cast<size_t>(v)] == 0) {
                trial.touch_marks[static_cast<size_t>(v)] = 1;
                trial.touched.push_back(v);
            }
        }
    };
    const double still = still_share * model.box_diagonal / seconds;
    bool is_still = true;
    for (int v = 0; is_still && v < model.reach.vertices; ++v) {
        is_still = Vector2d(state.velocity.data() + 2 * v).squaredNorm() < still * still;
    }
    for (int round = 0; round < most_brake_rounds && !is_still; ++round) {
        trial.touched.clear();
        trial.gainers.clear();
        for (const int v : trial.gaining) {
            if (may_brake(v)) {
                trial.gainers.emplace_back(trial.gain[static_cast<size_t>(v)], v);
            }
        }
        std::make_heap(trial.gainers.begin(), trial.gainers.end());
        for (double left = std::ldexp(rise, round / 4); left > 0.0 && !trial.gainers.empty();) {
            std::pop_heap(trial.gainers.begin(), trial.gainers.end());
            const auto [gain, v] = trial.gainers.back();
            left -= gain;
            slow_down(v, trial.is_braked[static_cast<size_t>(v)] + 1);
            trial.gainers.pop_back();
        }
        for (size_t k = 0; k < trial.touched.size(); ++k) {
            const int v = trial.touched[k];
            for (int i = 2 * model.fan_starts[static_cast<size_t>(v)];
                 i < 2 * model.fan_starts[static_cast<size_t>(v) + 1]; ++i) {
                slow_down(model.fan_vertices[static_cast<size_t>(i)], trial.is_braked[static_cast<size_t>(v)] - 1);
            }
        }
        for (const int v : trial.touched) {
            trial.touch_marks[static_cast<size_t>(v)] = 0;
        }
        rise += renew_changes(seconds, own_change, gain_of);
        trial.energy_change = rise;
        if (rise <= 0.0) {
            return;
        }
    }
    trial.energy_change = 0.0;
    for (int v = 0; v < model.reach.vertices; ++v) {
        if (!is_pulled(v)) {
            trial.is_braked[static_cast<size_t>(v)] = 1;
            state.velocity[2 * static_cast<size_t>(v)] = 0.0;
            state.velocity[2 * static_cast<size_t>(v) + 1] = 0.0;
        }
    }
    try_places(seconds, workers);
}

// Places touched vertices again and renews what depends on them, gains included; the batches around
// them become suspects of the limiter. \return  by how much the energy changed
double SlideSolver::Parts::renew_changes(double seconds, VertexValue own_change, VertexValue gain_of) {
    double sum = 0.0;
    trial.renewed.clear();
    for (const int v : trial.touched) {
        place_vertex(model, state, seconds, v, measured, trial.next_places);
        double& own = trial.own[static_cast<size_t>(v)];
        const double now = own_change(v);
        sum += now - own;
        own = now;
        for (int i = model.fan_starts[static_cast<size_t>(v)]; i < model.fan_starts[static_cast<size_t>(v) + 1]; ++i) {
            const int batch = model.fans[static_cast<size_t>(i)] >> 4;
            if (trial.batch_marks[static_cast<size_t>(batch)] == 0) {
                trial.batch_marks[static_cast<size_t>(batch)] = 1;
                trial.suspects[static_cast<size_t>(batch)] = 1;
                trial.renewed.push_back(batch);
            }
        }
    }
    for (const int batch : trial.renewed) {
        trial.batch_marks[static_cast<size_t>(batch)] = 0;
        alignas(32) double four[4];
        find_energies(model, painted, state, measured, trial.next_places, batch, four);
        for (int l = 0; l < 4 && 4 * batch + l < model.triangle_count(); ++l) {
            double& change = trial.changes.at(batch)[l];
            const double now = four[l] - *element_energy(measured, 4 * batch + l);
            sum += now - change;
            change = now;
        }
    }
    for (const int batch : trial.renewed) {
        for (size_t c = 12 * static_cast<size_t>(batch); c < 12 * static_cast<size_t>(batch) + 12; ++c) {
            const int v = model.corners[c];
            if (v < model.reach.vertices) {
                trial.gain[static_cast<size_t>(v)] = gain_of(v);
                note_gain(v);
            }
        }
    }
    return sum;
}

// Rounds look at those alone that gained energy at some time in this step.
void SlideSolver::Parts::note_gain(int v) {
    unsigned char& is_noted = trial.is_gaining[static_cast<size_t>(v)];
    if (is_noted == 0 && trial.gain[static_cast<size_t>(v)] > 0.0) {
        is_noted = 1;
        trial.gaining.push_back(v);
    }
}

// Braked vertices are held by a damping that fades soon where the body moves, slowly where it
// stands still: it tells the next solve what will not move. Between the two by the square of the
// speed: in proportion to it skin on a body that creeps sticks and slips.
void SlideSolver::Parts::renew_grip(double seconds, const Workers& workers) {
    constexpr double still_rate = 1.0 / 0.8;      // 1/s
    constexpr double moving_rate = 1.0 / 0.0056;  // 1/s
    constexpr double none = 1e-3;                 // 1/s
    constexpr double growth = 4.0;
    constexpr double firmest = 64.0;                              // over the step; firmer ones make skin stick and slip
    const double moving_speed = 0.05 * model.box_diagonal / 2.0;  // m/s for a body of 2 m
    workers.for_chunks(model.reach.vertices, slide::vertex_chunk, [&](int begin, int end) {
        for (int v = begin; v < end; ++v) {
            double& grip = state.grip[static_cast<size_t>(v)];
            if (!state.activity.is_awake(v)) {
                continue;
            }
            if (trial.is_braked[static_cast<size_t>(v)] != 0) {
                grip = std::clamp(growth * grip, 1.0 / seconds, firmest / seconds);
                state.acceleration[2 * static_cast<size_t>(v)] = 0.0;
                state.acceleration[2 * static_cast<size_t>(v) + 1] = 0.0;
            } else if (grip > 0.0) {
                const double moving = std::min(state.body.velocity.vector(v).norm() / moving_speed, 1.0);
                grip *= math::exp(-seconds * (still_rate + moving * moving * (moving_rate - still_rate)));
                grip = grip < none ? 0.0 : grip;
            }
        }
    });
}

}  // namespace cutis
