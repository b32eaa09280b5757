#pragma once

namespace cutis {

/// Fewest and most curves of a part, and nodes of a curve.
constexpr int fewest_curves = 3;
constexpr int most_curves = 1024;
constexpr int fewest_nodes = 3;
constexpr int most_nodes = 4096;

}  // namespace cutis
