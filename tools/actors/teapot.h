#pragma once

#include <functional>
#include <string>

#include "implicit.h"

namespace cutis::actor {

/// Newell's teapot as one solid, 0.16 m high, spout towards +X.
struct TeapotClay {
    Sculpture clay;
    std::function<std::string(const Vector3d& centre, const Vector3d& normal)> chart;
};

TeapotClay sculpt_teapot(double edge);

}  // namespace cutis::actor
