#include <algorithm>
#include <cstdint>

#include "cutis/body/skinning.h"
#include "cutis/core/error.h"
#include "cutis/mesh/stencils.h"

namespace cutis {

SkinWeights refined_weights(const SkinWeights& weights, const Stencils& stencils, int joint_count) {
    require(weights.vertex_count() == stencils.base_count, "refined mesh: expected weights for ", stencils.base_count,
            " vertices, found ", weights.vertex_count());
    constexpr int most_influences = 8;
    SkinWeights refined;
    refined.influences = most_influences;
    const size_t size = static_cast<size_t>(stencils.count()) * most_influences;
    refined.joints.assign(size, 0);
    refined.weights.assign(size, 0.0);
    std::vector<std::pair<int, double>> sums;  // joint, weight
    int widest = 1;
    for (int v = 0; v < stencils.count(); ++v) {
        sums.clear();
        for (int i = stencils.offsets[static_cast<size_t>(v)]; i < stencils.offsets[static_cast<size_t>(v) + 1]; ++i) {
            const size_t row =
                static_cast<size_t>(stencils.indices[static_cast<size_t>(i)]) * static_cast<size_t>(weights.influences);
            for (size_t k = row; k < row + static_cast<size_t>(weights.influences); ++k) {
                const double weight = stencils.weights[static_cast<size_t>(i)] * weights.weights[k];
                const int joint = weights.joints[k];
                const auto same =
                    std::find_if(sums.begin(), sums.end(), [&](const auto& sum) { return sum.first == joint; });
                if (weight != 0.0 && same == sums.end()) {
                    sums.emplace_back(joint, weight);
                } else if (weight != 0.0) {
                    same->second += weight;
                }
            }
        }
        std::stable_sort(sums.begin(), sums.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
        const int kept = std::min(most_influences, static_cast<int>(sums.size()));
        widest = std::max(widest, kept);
        double sum = 0.0;
        for (int k = 0; k < kept; ++k) {
            sum += sums[static_cast<size_t>(k)].second;
        }
        for (int k = 0; k < kept; ++k) {
            const size_t at = static_cast<size_t>(v) * most_influences + static_cast<size_t>(k);
            refined.joints[at] = static_cast<std::uint16_t>(sums[static_cast<size_t>(k)].first);
            refined.weights[at] = sums[static_cast<size_t>(k)].second / sum;
        }
    }
    if (widest < most_influences) {  // narrower rows are cheaper to skin
        for (int v = 0; v < stencils.count(); ++v) {
            for (int k = 0; k < widest; ++k) {
                const size_t from = static_cast<size_t>(v) * most_influences + k;
                const size_t to = static_cast<size_t>(v) * widest + k;
                refined.joints[to] = refined.joints[from];
                refined.weights[to] = refined.weights[from];
            }
        }
        refined.influences = widest;
        refined.joints.resize(static_cast<size_t>(stencils.count()) * widest);
        refined.weights.resize(refined.joints.size());
    }
    refined.joint_pairs = find_joint_pairs(refined, joint_count);
    return refined;
}

}  // namespace cutis
