#include "fold/places.h"

#include <algorithm>

namespace cutis::fold_detail {

FoldPlaces::FoldPlaces(const Topology& topology, const FoldLayout& layout) {
    const Stencils& spread = layout.spread;
    number_.assign(static_cast<size_t>(topology.vertex_count()), -1);
    // By the control that has most to say: controls are in an order of neighbours.
    std::vector<std::pair<int, int>> order;
    for (int v = 0; v < spread.count(); ++v) {
        const auto begin = spread.weights.begin() + spread.offsets[static_cast<size_t>(v)];
        const auto end = spread.weights.begin() + spread.offsets[static_cast<size_t>(v) + 1];
        if (begin < end) {
            const auto most = std::max_element(begin, end) - spread.weights.begin();
            order.emplace_back(spread.indices[static_cast<size_t>(most)], v);
        }
    }
    std::sort(order.begin(), order.end());
    const auto add = [this](int v) {
        if (number_[static_cast<size_t>(v)] < 0) {
            number_[static_cast<size_t>(v)] = static_cast<int>(vertex_.size());
            vertex_.push_back(v);
        }
    };
    for (const auto& [control, v] : order) {
        add(v);
    }
    moved_ = static_cast<int>(vertex_.size());
    for (const EdgePoint& point : layout.points) {
        add(point.a);
        add(point.b);
    }
    const MatrixX3i& triangles = topology.triangles();
    for (int n = 0; n < moved_; ++n) {
        for (const int f : topology.triangles_around(vertex_[static_cast<size_t>(n)])) {
            for (int k = 0; k < 3; ++k) {
                add(triangles(f, k));
            }
        }
    }
    base_.assign(4 * vertex_.size(), 0.0);
    directions_.assign(4 * vertex_.size(), 0.0F);
}

void FoldPlaces::take(const MatrixX3d& base, const MatrixX3d& directions, const Workers& workers) {
    workers.for_chunks(static_cast<int>(vertex_.size()), 1024, [&](int begin, int end) {
        for (int n = begin; n < end; ++n) {
            const auto from = 3 * static_cast<std::ptrdiff_t>(vertex_[static_cast<size_t>(n)]);
            double* to = base_.data() + 4 * static_cast<std::ptrdiff_t>(n);
            float* way = directions_.data() + 4 * static_cast<std::ptrdiff_t>(n);
            for (int c = 0; c < 3; ++c) {
                to[c] = base.data()[from + c];
                way[c] = static_cast<float>(directions.data()[from + c]);
            }
        }
    });
}

}  // namespace cutis::fold_detail
