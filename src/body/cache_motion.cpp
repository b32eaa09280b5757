#include "body/cache_motion.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "cutis/core/error.h"

namespace cutis {

namespace {

constexpr int cache_chunk = 4096;
constexpr double sample_tolerance = 1e-9;  // of a sample interval

/// Up to four frames and how much each counts.
struct FrameMix {
    std::array<int, 4> frame = {0, 0, 0, 0};
    std::array<double, 4> weight = {0.0, 0.0, 0.0, 0.0};
};

/// What lies beyond the ends of the sequence.
enum class Ends {
    open,         ///< nothing: continued by the parabola through the last three frames
    meeting,      ///< the last frame is the first again
    a_gap_apart,  ///< one more interval leads from the last frame to the first
};

FrameMix mix_frames(double position, int frames, Ends ends, TimeSampling sampling) {
    const int intervals = ends == Ends::a_gap_apart ? frames : frames - 1;
    FrameMix mix;
    const int i = std::clamp(static_cast<int>(std::floor(position)), 0, std::max(intervals - 1, 0));
    const double u = std::clamp(position - i, 0.0, 1.0);
    if (intervals < 1) {
        mix.weight[0] = 1.0;
        return mix;
    }
    const int next = (i + 1) % frames;
    if (sampling == TimeSampling::exact || frames < 3) {
        mix.frame = {i, next, i, i};
        mix.weight = {1.0 - u, u, 0.0, 0.0};
        return mix;
    }
    // Uniform Catmull-Rom weights of the frames before, at, after and after next.
    const double v = 1.0 - u;
    std::array<double, 4> w = {-0.5 * u * v * v, 1.0 + u * u * (1.5 * u - 2.5), 0.5 * u * (1.0 + u * (4.0 - 3.0 * u)),
                               -0.5 * u * u * v};
    int before = i - 1;
    int after = i + 2;
    if (ends == Ends::a_gap_apart) {
        before = (before + frames) % frames;
        after = after % frames;
    } else if (ends == Ends::meeting) {
        before = before < 0 ? frames - 2 : before;
        after = after >= frames ? after - (frames - 1) : after;
    } else {
        // p(-1) = 3 p(0) - 3 p(1) + p(2): the parabola through the end goes on.
        if (before < 0) {
            w = {0.0, w[1] + 3.0 * w[0], w[2] - 3.0 * w[0], w[3] + w[0]};
            before = i;
        }
        if (after >= frames) {
            w = {w[0] + w[3], w[1] - 3.0 * w[3], w[2] + 3.0 * w[3], 0.0};
            after = next;
        }
    }
    mix.frame = {before, i, next, after};
    mix.weight = w;
    return mix;
}

}  // namespace

CacheMotion::CacheMotion(std::shared_ptr<const PointCache> cache, MatrixX3d still, double scale, double period)
    : cache_(std::move(cache)), still_(std::move(still)), scale_(scale), period_(period) {
    const PointCache& samples = *cache_;
    if (samples.samples.empty()) {
        return;
    }
    require(samples.vertex_count == still_.rows(), "point cache: expected ", still_.rows(),
            " vertices as the mesh has, found ", samples.vertex_count);
    const size_t frame_size = static_cast<size_t>(samples.vertex_count) * 3;
    require(samples.samples.size() % frame_size == 0, "point cache: expected whole frames of ", frame_size,
            " numbers, found ", samples.samples.size(), " numbers");
    require(std::isfinite(samples.rate) && samples.rate > 0.0 && std::isfinite(samples.start),
            "point cache: expected a rate above 0 and a finite start, found ", samples.rate, " and ", samples.start);
    for (size_t i = 0; i < samples.samples.size(); ++i) {
        require(std::isfinite(samples.samples[i]), "point cache: frame ", i / frame_size, " vertex ",
                i % frame_size / 3, " is not finite");
    }
}

double CacheMotion::end() const {
    return start() + std::max(cache_->frame_count() - 1, 0) * key_interval();
}

double CacheMotion::key_interval() const {
    return cache_->frame_count() > 1 ? 1.0 / cache_->rate : 0.0;
}

void CacheMotion::positions(double time, TimeSampling sampling, const Workers& workers, MatrixX3d& out) const {
    const int frames = cache_->frame_count();
    if (frames == 0) {
        out = still_;
        return;
    }
    double position = (time - start()) * cache_->rate;
    Ends ends = Ends::open;
    if (period_ > 0.0) {
        const double period_frames = period_ * cache_->rate;
        position -= std::floor(position / period_frames) * period_frames;
        const double gap = period_frames - (frames - 1);
        ends = gap > 1e-6 ? Ends::a_gap_apart : Ends::meeting;
        if (gap > 1e-6 && position > frames - 1) {
            position = frames - 1 + (position - (frames - 1)) / gap;
        }
    }
    // Times that mean a sample meet it although they were rounded on the way.
    if (std::abs(position - std::round(position)) < sample_tolerance) {
        position = std::round(position);
    }
    FrameMix mix = mix_frames(std::isfinite(position) ? position : 0.0, frames, ends, sampling);
    for (double& weight : mix.weight) {
        weight *= scale_;
    }
    out.resize(still_.rows(), 3);
    const size_t frame_size = static_cast<size_t>(cache_->vertex_count) * 3;
    std::array<const float*, 4> from;
    for (size_t k = 0; k < 4; ++k) {
        from[k] = cache_->samples.data() + static_cast<size_t>(mix.frame[k]) * frame_size;
    }
    const auto job = [&](int begin, int end) {
        double* to = out.data();
        for (size_t i = static_cast<size_t>(begin) * 3; i < static_cast<size_t>(end) * 3; ++i) {
            to[i] = mix.weight[0] * from[0][i] + mix.weight[1] * from[1][i] + mix.weight[2] * from[2][i] +
                    mix.weight[3] * from[3][i];
        }
    };
    workers.for_chunks(vertex_count(), cache_chunk, std::ref(job));
}

std::shared_ptr<const Motion> CacheMotion::repeating(double period) const {
    if (cache_->frame_count() < 2) {
        return nullptr;
    }
    return std::make_shared<CacheMotion>(cache_, still_, scale_, period);
}

}  // namespace cutis
