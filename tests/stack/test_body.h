#pragma once

#include <cmath>

#include "cutis/body/body.h"

namespace cutis::test {

/// Two triangles that share an edge, in the way files with UV seams hold it: six vertices, two
/// places twice. Moves sideways with speed 1 m/s; some coordinates are -0.
class SlidingMotion : public Motion {
public:
    SlidingMotion(MatrixX3d rest, double seconds) : rest_(std::move(rest)), seconds_(seconds) {}

    int vertex_count() const override { return static_cast<int>(rest_.rows()); }
    double start() const override { return 0.0; }
    double end() const override { return seconds_; }
    double key_interval() const override { return 0.1; }
    void positions(double time, TimeSampling /*sampling*/, const Workers& /*workers*/, MatrixX3d& out) const override {
        out = rest_;
        out.col(0).array() += std::clamp(time, 0.0, seconds_);
    }

private:
    MatrixX3d rest_;
    double seconds_;
};

inline ArtMesh split_square() {
    ArtMesh mesh;
    mesh.name = "square";
    mesh.positions.resize(6, 3);
    mesh.positions << 0.1, -0.0, 0.3, 1.1, -0.0, 0.3, 1.1, 1.0, 0.3,  //
        0.1, -0.0, 0.3, 1.1, 1.0, 0.3, 0.1, 1.0, 0.3;
    mesh.triangles.resize(2, 3);
    mesh.triangles << 0, 1, 2, 3, 4, 5;
    mesh.parts = {{"square", "", 0, 2, 0, 6}};
    return mesh;
}

inline Body sliding_square(double seconds, const ClockOptions& clock = {}) {
    Body::Source source;
    source.mesh = split_square();
    source.motion = std::make_shared<SlidingMotion>(source.mesh.positions, seconds);
    return Body(std::move(source), clock);
}

}  // namespace cutis::test
