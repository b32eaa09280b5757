#pragma once

#include <cstdint>
#include <vector>

#include "fold/rail_solver.h"
#include "fold/strips.h"

namespace cutis::fold_detail {

/// A binding as it is walked every frame. Points count from the strip's first one.
struct Packed {
    int vertex;
    std::uint8_t point[4];
    float weight[3];
};

/// Bindings of one strip, [begin, end).
struct StripRun {
    int first_rail = 0;
    bool has_second = false;
    int begin = 0;
    int end = 0;
};

/// Vertices with the rails they follow, each vertex once: no two threads write to the same one.
struct LiftLayer {
    std::vector<Packed> bindings;
    std::vector<StripRun> runs;
};

/// \param bindings  sorted by strip
/// \param number    new number of each vertex
LiftLayer make_lift_layer(const std::vector<Binding>& bindings, const FoldPattern& pattern,
                          const std::vector<int>& number);

/// Adds the offsets of folding rails to vertices, three numbers each.
template <class Real>
void lift(const LiftLayer& layer, const RailSolver<Real>& rails, const Workers& workers,
          double* vertices);

extern template void lift(const LiftLayer&, const RailSolver<float>&, const Workers&, double*);
extern template void lift(const LiftLayer&, const RailSolver<double>&, const Workers&, double*);

}  // namespace cutis::fold_detail
