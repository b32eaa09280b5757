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
    places_.assign(vertex_.size(), Place{});
}

void FoldPlaces::take(const MatrixX3d& base, const MatrixX3d& directions, const std::vector<float>& heights,
                      const std::vector<unsigned char>& is_needed, const Workers& workers) {
    origin_ = vertex_.empty() ? Vector3d::Zero() : Vector3d(base.row(vertex_.front()));
    workers.for_chunks(blocks(), 32, [&](int first, int last) {
        for (int b = first; b < last; ++b) {
            if (is_needed[static_cast<size_t>(b)] == 0) {
                continue;
            }
            for (int n = b * block; n < std::min((b + 1) * block, count()); ++n) {
                const auto at = 3 * static_cast<std::ptrdiff_t>(vertex_[static_cast<size_t>(n)]);
                const double* from = base.data() + at;
                const double* way = directions.data() + at;
                Place& place = places_[static_cast<size_t>(n)];
                const simd::Doubles here = {from[0] - origin_[0], from[1] - origin_[1], from[2] - origin_[2], 0.0};
                const simd::Doubles up = {way[0], way[1], way[2], 0.0};
                place.base = __builtin_convertvector(here, FourFloats);
                place.up = __builtin_convertvector(up, FourFloats);
                place.up[3] = heights[static_cast<size_t>(n)];
            }
        }
    });
}

void FoldPlaces::raise(const std::vector<float>& heights, const std::vector<unsigned char>& is_changed) {
    for (int b = 0; b < moved_blocks(); ++b) {
        const int end = is_changed[static_cast<size_t>(b)] != 0 ? std::min((b + 1) * block, count()) : 0;
        for (int n = b * block; n < end; ++n) {
            places_[static_cast<size_t>(n)].up[3] = heights[static_cast<size_t>(n)];
        }
    }
}

}  // namespace cutis::fold_detail
