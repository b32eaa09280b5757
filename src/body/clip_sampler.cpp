#include <algorithm>
#include <cmath>

#include "body/key_curve.h"
#include "body/rotation.h"
#include "cutis/body/clip.h"
#include "cutis/core/error.h"

namespace cutis {

namespace {

// A period that exceeds the clip by no more than this part of it has no interval to close.
constexpr double closing_tolerance = 1e-9;
// Keys nearer to the end of the clip than this (rounded times of files) need no hold, seconds.
constexpr double shortest_hold = 1e-5;

}  // namespace

/// One channel ready to be sampled: keys cover the whole clip and, when it repeats, the interval
/// that closes it.
struct ClipSampler::Track {
    enum class Curve { step, straight, hermite };

    int node = -1;
    ChannelTarget target = ChannelTarget::translation;
    bool is_spline = false;  // the file's own tangents: rotations are normalised Hermite curves
    std::vector<double> times;
    std::vector<Curve> curves;  // of each interval
    Eigen::MatrixXd values;     // width x #K, rotations unit x y z w
    Eigen::MatrixXd leaving;    // velocity at the start of each interval; rotations: see below
    Eigen::MatrixXd arriving;   // velocity at the end of each interval
    // Rotations between linear keys: q0 exp(b1 w1) exp(b2 w2) exp(b3 w3), nine numbers an interval.
    Eigen::MatrixXd turns;

    Track(const Channel& channel, TimeSampling sampling, double clip_start, double clip_end, double period);

    void find_velocities(bool is_periodic);
    void find_turns();
    Eigen::Quaterniond rotation(double time) const;
    void value(double time, double* out) const;

    Eigen::Index width() const { return values.rows(); }
    Eigen::Index interval_count() const { return static_cast<Eigen::Index>(times.size()) - 1; }
    Eigen::Quaterniond key_rotation(Eigen::Index k) const { return Eigen::Quaterniond(Eigen::Vector4d(values.col(k))); }
    double duration(Eigen::Index i) const { return times[static_cast<size_t>(i) + 1] - times[i]; }

    /// Interval that holds the time, and how far along it is, 0 .. 1.
    std::pair<Eigen::Index, double> locate(double time) const {
        const auto after = std::upper_bound(times.begin(), times.end(), time);
        if (after == times.begin()) {
            return {0, 0.0};
        }
        if (after == times.end()) {
            return {interval_count(), 0.0};
        }
        const Eigen::Index i = after - times.begin() - 1;
        return {i, (time - times[i]) / duration(i)};
    }
};

ClipSampler::Track::Track(const Channel& channel, TimeSampling sampling, double clip_start, double clip_end,
                          double period)
    : node(channel.node),
      target(channel.target),
      is_spline(channel.interpolation == Interpolation::cubic_spline),
      times(channel.times) {
    const Eigen::Index key_count = static_cast<Eigen::Index>(times.size());
    const Eigen::Index groups = is_spline ? 3 : 1;
    const Eigen::Map<const Eigen::MatrixXd> stored(channel.values.data(), channel.width, groups * key_count);
    values.resize(channel.width, key_count);
    for (Eigen::Index k = 0; k < key_count; ++k) {
        values.col(k) = stored.col(groups * k + (is_spline ? 1 : 0));
    }
    if (target == ChannelTarget::rotation && !is_spline) {
        values.colwise().normalize();
    }
    const Curve between_keys = is_spline                                      ? Curve::hermite
                               : channel.interpolation == Interpolation::step ? Curve::step
                                                                              : Curve::straight;
    curves.assign(static_cast<size_t>(key_count - 1), between_keys);
    leaving = Eigen::MatrixXd::Zero(channel.width, key_count + 2);
    arriving = leaving;
    Eigen::Index first_interval = 0;

    // Outside its keys a channel holds: an interval of its own at either end of the clip.
    const bool holds_start = times.front() > clip_start + shortest_hold;
    const bool holds_end = times.back() < clip_end - shortest_hold;
    const auto append = [&](Eigen::Index at, Eigen::Index copied, double time, Curve curve) {
        Eigen::MatrixXd longer(values.rows(), values.cols() + 1);
        longer << values.leftCols(at), values.col(copied), values.rightCols(values.cols() - at);
        values = std::move(longer);
        times.insert(times.begin() + at, time);
        curves.insert(at == 0 ? curves.begin() : curves.end(), curve);
    };
    if (holds_start) {
        append(0, 0, clip_start, Curve::step);
        first_interval = 1;
    }
    if (holds_end) {
        append(values.cols(), values.cols() - 1, clip_end, Curve::step);
    }
    const double wrap = clip_start + period;
    const bool is_periodic = period > 0.0;
    const bool has_gap = is_periodic && wrap - clip_end > closing_tolerance * std::max(period, clip_end - clip_start);
    if (has_gap) {
        append(values.cols(), 0, wrap, between_keys == Curve::step ? Curve::step : Curve::straight);
    }
    if (is_spline) {
        for (Eigen::Index k = 0; k + 1 < key_count; ++k) {
            leaving.col(first_interval + k) = stored.col(3 * k + 2);
            arriving.col(first_interval + k) = stored.col(3 * k + 3);
        }
        if (has_gap && sampling == TimeSampling::smooth && interval_count() > 1) {
            // The spline's own velocities on both sides of the gap; zero beside a hold.
            const Eigen::Index gap = interval_count() - 1;
            curves.back() = Curve::hermite;
            leaving.col(gap) = arriving.col(gap - 1);
            arriving.col(gap) = leaving.col(0);
            if (target == ChannelTarget::rotation && values.col(gap).dot(values.col(gap + 1)) < 0) {
                values.col(gap + 1) *= -1.0;  // the same rotation, the shorter way
                arriving.col(gap) *= -1.0;
            }
        }
    } else if (sampling == TimeSampling::smooth && between_keys == Curve::straight) {
        std::replace(curves.begin(), curves.end(), Curve::straight, Curve::hermite);
        find_velocities(is_periodic);
    }
    if (target == ChannelTarget::rotation) {
        find_turns();
    }
}

void ClipSampler::Track::find_velocities(bool is_periodic) {
    if (interval_count() < 1) {
        return;
    }
    const bool is_rotation = target == ChannelTarget::rotation;
    Eigen::MatrixXd steps(interval_count(), is_rotation ? 3 : width());
    for (Eigen::Index i = 0; i < interval_count(); ++i) {
        if (is_rotation) {
            steps.block<1, 3>(i, 0) = rotation_log(key_rotation(i).conjugate() * key_rotation(i + 1)).transpose();
        } else {
            steps.row(i) = (values.col(i + 1) - values.col(i)).transpose();
        }
    }
    Eigen::MatrixXd velocities = key_velocities(times, steps, is_periodic);
    // A hold is still: the keys at both its ends have no velocity.
    const Eigen::Index last = velocities.rows() - 1;
    for (Eigen::Index i = 0; i < last; ++i) {
        if (curves[i] == Curve::step) {
            velocities.middleRows(i, 2).setZero();
        }
    }
    if (is_periodic && (curves.front() == Curve::step || curves.back() == Curve::step)) {
        velocities.row(0).setZero();
        velocities.row(last).setZero();
    }
    leaving.setZero(velocities.cols(), interval_count());
    arriving.setZero(velocities.cols(), interval_count());
    for (Eigen::Index i = 0; i < interval_count(); ++i) {
        leaving.col(i) = velocities.row(i).transpose();
        arriving.col(i) = velocities.row(i + 1).transpose();
    }
}

// Kim, Kim, Shin 1995, "A general construction scheme for unit quaternion curves": a cubic Hermite
// curve in cumulative Bernstein form. Angular velocities (in the moving frame) at the ends are met
// exactly; for turns about one axis it is the scalar Hermite curve of the angle.
void ClipSampler::Track::find_turns() {
    turns.setZero(9, std::max<Eigen::Index>(interval_count(), 0));
    for (Eigen::Index i = 0; i < interval_count(); ++i) {
        const Curve curve = curves[i];
        const Eigen::Quaterniond whole = key_rotation(i).normalized().conjugate() * key_rotation(i + 1).normalized();
        if (curve == Curve::straight) {
            turns.col(i).head<3>() = rotation_log(whole);
        } else if (curve == Curve::hermite && !is_spline) {
            const Vector3d w1 = leaving.col(i).head<3>() * (duration(i) / 3.0);
            const Vector3d w3 = arriving.col(i).head<3>() * (duration(i) / 3.0);
            const Vector3d w2 = rotation_log(rotation_exp(-w1) * whole * rotation_exp(-w3));
            turns.col(i).segment<3>(0) = w1;
            turns.col(i).segment<3>(3) = w2;
            turns.col(i).segment<3>(6) = w3;
        }
    }
}

Eigen::Quaterniond ClipSampler::Track::rotation(double time) const {
    const auto [i, u] = locate(time);
    if (u == 0.0) {
        return key_rotation(i).normalized();
    }
    switch (curves[i]) {
        case Curve::step:
            break;
        case Curve::straight:  // slerp the shorter way
            return (key_rotation(i).normalized() * rotation_exp(u * Vector3d(turns.col(i).head<3>()))).normalized();
        case Curve::hermite: {
            if (is_spline) {
                Eigen::Vector4d q;
                value(time, q.data());
                const double length = q.norm();
                if (length > 1e-12) {
                    return Eigen::Quaterniond(Eigen::Vector4d(q / length));
                }
                break;  // opposite keys met halfway: no direction is better than the key's
            }
            const double v = 1.0 - u;
            const Vector3d w1 = turns.col(i).segment<3>(0) * (1.0 - v * v * v);
            const Vector3d w2 = turns.col(i).segment<3>(3) * (u * u * (3.0 - 2.0 * u));
            const Vector3d w3 = turns.col(i).segment<3>(6) * (u * u * u);
            return (key_rotation(i) * rotation_exp(w1) * rotation_exp(w2) * rotation_exp(w3)).normalized();
        }
    }
    return key_rotation(i).normalized();
}

void ClipSampler::Track::value(double time, double* out) const {
    Eigen::Map<VectorXd> result(out, width());
    const auto [i, u] = locate(time);
    const Curve curve = u == 0.0 ? Curve::step : curves[i];
    if (curve == Curve::step) {
        result = values.col(i);
    } else if (curve == Curve::straight) {
        result = (1.0 - u) * values.col(i) + u * values.col(i + 1);
    } else {
        const HermiteBasis basis(u);
        result = basis.start * values.col(i) + basis.end * values.col(i + 1) +
                 (basis.start_slope * duration(i)) * leaving.col(i) + (basis.end_slope * duration(i)) * arriving.col(i);
    }
}

ClipSampler::ClipSampler(const Skeleton& skeleton, const Clip& clip, TimeSampling sampling, double period)
    : skeleton_(&skeleton), start_(clip.start()), period_(period) {
    check_clip(clip, skeleton);
    const double length = clip.end() - clip.start();
    require(period == 0.0 || (std::isfinite(period) && period > 0.0 && period >= length * (1.0 - closing_tolerance)),
            "clip \"", clip.name, "\": expected a period of 0 or at least ", length, " s, found ", period);
    for (const Channel& channel : clip.channels) {
        tracks_.emplace_back(channel, sampling, clip.start(), clip.end(), period);
    }
    std::stable_sort(tracks_.begin(), tracks_.end(), [](const Track& a, const Track& b) { return a.node < b.node; });
}

ClipSampler::~ClipSampler() = default;
ClipSampler::ClipSampler(const ClipSampler&) = default;
ClipSampler::ClipSampler(ClipSampler&&) noexcept = default;
ClipSampler& ClipSampler::operator=(const ClipSampler&) = default;
ClipSampler& ClipSampler::operator=(ClipSampler&&) noexcept = default;

void ClipSampler::sample(double time, Pose& pose) const {
    if (period_ > 0.0) {
        const double turns = std::floor((time - start_) / period_);
        time -= turns * period_;
    }
    const size_t node_count = skeleton_->nodes.size();
    pose.local.resize(node_count);
    pose.morph_weights.resize(node_count);
    auto track = tracks_.begin();
    for (size_t n = 0; n < node_count; ++n) {
        const Node& node = skeleton_->nodes[n];
        Transform transform = node.rest;
        pose.morph_weights[n].clear();
        for (; track != tracks_.end() && track->node == static_cast<int>(n); ++track) {
            switch (track->target) {
                case ChannelTarget::translation:
                    track->value(time, transform.translation.data());
                    break;
                case ChannelTarget::rotation:
                    transform.rotation = track->rotation(time);
                    break;
                case ChannelTarget::scale:
                    track->value(time, transform.scale.data());
                    break;
                case ChannelTarget::morph_weights:
                    pose.morph_weights[n].resize(static_cast<size_t>(track->width()));
                    track->value(time, pose.morph_weights[n].data());
                    break;
            }
        }
        pose.local[n] = node.has_matrix ? node.matrix : transform.matrix();
    }
}

}  // namespace cutis
