#include "fold/lifting.h"

#include <algorithm>
#include <functional>

#include "core/simd.h"

namespace cutis::fold_detail {

namespace {

constexpr int chunk_strips = 16;

/// Four numbers in a register: an offset, and a bound of its height from below.
template <class Real>
struct QuadOf;
template <>
struct QuadOf<float> {
    using Type = float __attribute__((vector_size(16)));
    using Loose = float __attribute__((vector_size(16), aligned(4)));
};
template <>
struct QuadOf<double> {
    using Type = simd::Doubles;
    using Loose = simd::LaneTypes<double>::Loose;
};
template <class Real>
using Quad = typename QuadOf<Real>::Type;
using Pair = double __attribute__((vector_size(16), aligned(8)));

/// What one binding adds to its vertex. Cloth lies on the body or above it, never below: offsets
/// that are not sure to do so are measured against the direction there.
template <class Real>
Quad<Real> lifted_clear(const Packed& binding, int first_rail, const RailSolver<Real>& rails,
                        Quad<Real> offset) {
    const int per_rail = rails.points_per_rail();
    Vector3d side = Vector3d::Zero();
    for (int k = 0; k < 3; ++k) {
        side += binding.weight[k] * rails.direction(first_rail + binding.point[k] / per_rail,
                                                    binding.point[k] % per_rail);
    }
    const double height = offset[0] * side[0] + offset[1] * side[1] + offset[2] * side[2];
    if (height < 0.0) {
        side *= height / side.squaredNorm();
        for (int k = 0; k < 3; ++k) {
            offset[k] -= static_cast<Real>(side[k]);
        }
    }
    return offset;
}

/// Adds the offsets of one strip to its vertices.
template <class Real>
void lift_strip(const Packed* begin, const Packed* end, int first_rail,
                const RailSolver<Real>& rails, double* vertices) {
    const Real* offsets =
        rails.offsets() + static_cast<size_t>(first_rail) * rails.points_per_rail() * 4;
    const auto load = [&](int point) {
        return Quad<Real>(
            *reinterpret_cast<const typename QuadOf<Real>::Loose*>(offsets + 4 * point));
    };
    for (const Packed* binding = begin; binding != end; ++binding) {
        Quad<Real> offset = static_cast<Real>(binding->weight[0]) * load(binding->point[0]) +
                            static_cast<Real>(binding->weight[1]) * load(binding->point[1]) +
                            static_cast<Real>(binding->weight[2]) * load(binding->point[2]);
        if (offset[3] < Real(0)) {
            offset = lifted_clear(*binding, first_rail, rails, offset);
        }
        if (std::is_same_v<Real, double> && offset[0] == 0.0 && offset[1] == 0.0 &&
            offset[2] == 0.0) {
            continue;  // adding 0 would turn -0 into +0
        }
        double* vertex = vertices + 3 * static_cast<size_t>(binding->vertex);
        const simd::Doubles add = __builtin_convertvector(offset, simd::Doubles);
        *reinterpret_cast<Pair*>(vertex) += __builtin_shufflevector(add, add, 0, 1);
        vertex[2] += add[2];
    }
}

}  // namespace

LiftLayer make_lift_layer(const std::vector<Binding>& bindings, const FoldPattern& pattern,
                          const std::vector<int>& number) {
    const int per_rail = pattern.segments + 1;
    LiftLayer layer;
    for (const Binding& binding : bindings) {
        const int at = static_cast<int>(layer.bindings.size());
        if (layer.runs.empty() || layer.runs.back().first_rail != binding.strip) {
            layer.runs.push_back({binding.strip,
                                  pattern.rails[static_cast<size_t>(binding.strip)].is_joined, at,
                                  at});
        }
        layer.runs.back().end = at + 1;
        Packed packed{};
        packed.vertex = number[static_cast<size_t>(binding.vertex)];
        for (int k = 0; k < 3; ++k) {
            packed.point[k] =
                static_cast<std::uint8_t>(binding.point[k] - binding.strip * per_rail);
            packed.weight[k] = static_cast<float>(binding.weight[k]);
        }
        layer.bindings.push_back(packed);
    }
    for (const StripRun& run : layer.runs) {
        std::sort(layer.bindings.begin() + run.begin, layer.bindings.begin() + run.end,
                  [](const Packed& a, const Packed& b) { return a.vertex < b.vertex; });
    }
    return layer;
}

template <class Real>
void lift(const LiftLayer& layer, const RailSolver<Real>& rails, const Workers& workers,
          double* vertices) {
    const auto job = [&](int begin, int end) {
        for (int s = begin; s < end; ++s) {
            const StripRun& run = layer.runs[static_cast<size_t>(s)];
            if (rails.is_active(run.first_rail) ||
                (run.has_second && rails.is_active(run.first_rail + 1))) {
                lift_strip(layer.bindings.data() + run.begin, layer.bindings.data() + run.end,
                           run.first_rail, rails, vertices);
            }
        }
    };
    workers.for_chunks(static_cast<int>(layer.runs.size()), chunk_strips, std::ref(job));
}

template void lift(const LiftLayer&, const RailSolver<float>&, const Workers&, double*);
template void lift(const LiftLayer&, const RailSolver<double>&, const Workers&, double*);

}  // namespace cutis::fold_detail
