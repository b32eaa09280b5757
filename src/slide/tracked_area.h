#pragma once

#include "core/simd.h"
#include "slide/parts.h"

namespace cutis::slide {

// When a step has gone too far.
constexpr double least_determinant = 0.02;  // never pushed below this by a step
constexpr double least_share = 0.1;         // nor below this share of what it was

/// Four triangles of the skin where its vertices are, against their tracked normals.
struct TrackedArea {
    simd::Doubles3 normal;  // as long as twice the area
    simd::Doubles3 tracked;
    simd::Doubles double_area;
    simd::Doubles sign;  // -1: inverted
};

EIGEN_ALWAYS_INLINE TrackedArea tracked_area(const double* p, const int* corner, const Batches& track, int batch) {
    const simd::Doubles3 p0 = simd::gather3(p, corner);
    const simd::Doubles3 n = cross((simd::gather3(p, corner + 4) - p0), (simd::gather3(p, corner + 8) - p0));
    const simd::Doubles3 ref = {simd::load(track.at(batch, ref_x)), simd::load(track.at(batch, ref_y)),
                                simd::load(track.at(batch, ref_z))};
    return {n, ref, simd::root(dot(n, n)), simd::select(dot(n, ref) < simd::all(0.0), simd::all(-1.0), simd::all(1.0))};
}

}  // namespace cutis::slide
