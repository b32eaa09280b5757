#pragma once

#include "cutis/body/body.h"

namespace cutis {

/// Vertices moved by samples at even times: straight between samples (exact) or Catmull-Rom
/// (smooth).
class CacheMotion : public Motion {
public:
    /// \param cache   frames of vertex_count vertices, Y up; without frames `still` is shown
    /// \param still   rest positions, metres
    /// \param scale   metres per unit of the cache
    /// \param period  seconds, 0: does not repeat
    CacheMotion(std::shared_ptr<const PointCache> cache, MatrixX3d still, double scale, double period = 0.0);

    int vertex_count() const override { return static_cast<int>(still_.rows()); }
    double start() const override { return cache_->start; }
    double end() const override;
    double key_interval() const override;
    void positions(double time, TimeSampling sampling, const Workers& workers, MatrixX3d& out) const override;
    std::shared_ptr<const Motion> repeating(double period) const override;

private:
    std::shared_ptr<const PointCache> cache_;
    MatrixX3d still_;
    double scale_ = 1.0;
    double period_ = 0.0;
};

}  // namespace cutis
