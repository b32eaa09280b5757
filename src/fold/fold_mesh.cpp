#include "fold/fold_mesh.h"

#include <algorithm>
#include <cmath>

#include "core/math.h"
#include "cutis/core/error.h"
#include "fold/fit_width.h"

namespace cutis::fold_detail {

int level_for_edge(const Topology& base, const MatrixX3d& rest, double length, int most) {
    std::vector<double> edges;
    for (const auto& [a, b] : base.edges()) {
        edges.push_back((rest.row(a) - rest.row(b)).norm());
    }
    const auto middle = edges.begin() + static_cast<std::ptrdiff_t>(edges.size() / 2);
    std::nth_element(edges.begin(), middle, edges.end());
    double edge = *middle;
    int level = 0;
    while (edge > length && level < 8 && static_cast<long long>(base.triangle_count()) << (2 * level + 2) <= most) {
        edge *= 0.5;
        ++level;
    }
    return level;
}

FineMesh make_uniform_mesh(const Topology& base, int level) {
    return FineMesh(AdaptiveLoop(base, 0,
                                 std::vector<unsigned char>(static_cast<size_t>(base.triangle_count()),
                                                            static_cast<unsigned char>(level)),
                                 level),
                    base.vertex_count());
}

FineMesh make_fold_mesh(const Topology& base, const FineMesh& even, const std::vector<double>& too_long,
                        const FoldOptions& options, std::vector<std::string>& notes) {
    const int possible = possible_levels(base, options);
    const int level = even.mesh.levels();
    std::vector<unsigned char> wanted(too_long.size(), 0);
    // Fewer edges a fold until the budget is kept.
    double coarser = 1.0;
    size_t short_of = 0;
    for (;; coarser *= 1.1) {
        double count = 0.0;
        short_of = 0;
        for (size_t f = 0; f < too_long.size(); ++f) {
            const double ratio = too_long[f] / coarser;
            const int need = ratio > 0.0 ? level + static_cast<int>(std::ceil(math::log2(ratio) - 1e-9)) : 0;
            short_of += need > possible ? 1 : 0;
            wanted[f] = static_cast<unsigned char>(std::clamp(need, 0, possible));
            // Half a vertex a triangle; coarse ones are part of a larger one.
            count += 0.5 * std::ldexp(1.0, 2 * (wanted[f] - level));
        }
        if (count <= options.most_vertices || coarser > 64.0) {
            break;
        }
    }
    if (coarser > 1.0) {
        notes.push_back(concat("folds: a budget of ", options.most_vertices, " vertices gives ",
                               std::round(10.0 * options.edges_per_fold / coarser) / 10.0, " edges a fold instead of ",
                               options.edges_per_fold, "; raise most_vertices, or make folds wider"));
    }
    if (short_of > 0) {
        notes.push_back(
            concat("folds: ", short_of, " of ",
                   std::count_if(too_long.begin(), too_long.end(), [](double ratio) { return ratio > 0.0; }),
                   " triangles under folds stay coarser than the width needs (", possible,
                   options.refine ? " levels of subdivision)" : " levels: refine = false)"));
    }
    const int finest = wanted.empty() ? 0 : *std::max_element(wanted.begin(), wanted.end());
    // Wanted levels stand on triangles of the even mesh, which may be finer than any of them.
    return FineMesh(AdaptiveLoop(base, level, wanted, std::max(level, finest)), base.vertex_count());
}

}  // namespace cutis::fold_detail
