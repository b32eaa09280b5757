#include "slide_order.h"

#include <algorithm>
#include <numeric>

namespace cutis {

SlideOrder::SlideOrder(const Topology& topology, const MatrixX3d& rest, const SlideOptions& options) {
    const int count = topology.vertex_count();
    const MatrixX3i& triangles = topology.triangles();
    rank_.assign(static_cast<size_t>(count), -1);
    order_.reserve(static_cast<size_t>(count));
    const auto take = [&](int v) {
        int& rank = rank_[static_cast<size_t>(v)];
        if (rank < 0) {
            rank = static_cast<int>(order_.size());
            order_.push_back(v);
        }
    };
    size_t next = 0;
    for (int seed = 0; seed < count; ++seed) {
        take(seed);
        for (; next < order_.size(); ++next) {
            for (const int f : topology.triangles_around(order_[next])) {
                for (int k = 0; k < 3; ++k) {
                    take(triangles(f, k));
                }
            }
        }
    }
    // First what may move, then what touches it, then what is held with all around it.
    std::vector<char> class_of(static_cast<size_t>(count), 0);
    for (int v = 0; v < count; ++v) {
        const bool is_rim = options.rim == RimMode::pin && topology.is_boundary_vertex(v);
        class_of[static_cast<size_t>(v)] = is_rim ? 2 : 0;
    }
    for (const Glide& glide : options.glides) {
        class_of[static_cast<size_t>(glide.vertex)] = 0;
    }
    for (int v = 0; v < count; ++v) {
        char& own = class_of[static_cast<size_t>(v)];
        own = options.region.at(v) < 0.5 ? static_cast<char>(2) : own;
    }
    for (const int v : options.pins) {
        class_of[static_cast<size_t>(v)] = 2;
    }
    for (const PrescribedSlip& slip : options.prescribed) {
        class_of[static_cast<size_t>(slip.vertex)] = 0;
    }
    for (int f = 0; f < topology.triangle_count(); ++f) {
        bool may_move = false;
        for (int k = 0; k < 3; ++k) {
            may_move = may_move || class_of[static_cast<size_t>(triangles(f, k))] == 0;
        }
        for (int k = 0; k < 3 && may_move; ++k) {
            char& held = class_of[static_cast<size_t>(triangles(f, k))];
            held = std::min(held, static_cast<char>(1));
        }
    }
    std::stable_sort(order_.begin(), order_.end(),
                     [&](int a, int b) { return class_of[static_cast<size_t>(a)] < class_of[static_cast<size_t>(b)]; });
    for (size_t i = 0; i < order_.size(); ++i) {
        rank_[static_cast<size_t>(order_[i])] = static_cast<int>(i);
    }

    // Triangles by their first vertex; corners stay as they are, so that weights keep meaning.
    std::vector<int>& from = surface_triangle_;
    from.resize(static_cast<size_t>(topology.triangle_count()));
    std::iota(from.begin(), from.end(), 0);
    std::vector<int> first(from.size());
    MatrixX3i renumbered(triangles.rows(), 3);
    for (int f = 0; f < topology.triangle_count(); ++f) {
        first[static_cast<size_t>(f)] =
            std::min({rank_of(triangles(f, 0)), rank_of(triangles(f, 1)), rank_of(triangles(f, 2))});
    }
    std::stable_sort(from.begin(), from.end(),
                     [&](int a, int b) { return first[static_cast<size_t>(a)] < first[static_cast<size_t>(b)]; });
    for (int f = 0; f < topology.triangle_count(); ++f) {
        for (int k = 0; k < 3; ++k) {
            renumbered(f, k) = rank_of(triangles(surface_triangle(f), k));
        }
    }
    our_triangle_.resize(from.size());
    for (size_t f = 0; f < from.size(); ++f) {
        our_triangle_[static_cast<size_t>(from[f])] = static_cast<int>(f);
    }
    topology_ = Topology(std::move(renumbered), count);
    from_surface_ = MeshMap::copies(order_, count);
    to_surface_ = MeshMap::copies(rank_, count);
    from_surface_.values(rest, Workers(1), rest_);
}

SlideOptions SlideOrder::reorder(SlideOptions options) const {
    renumber_painted(describe(options), order_);
    const auto metric = options.relaxed_metric;
    for (Eigen::Index i = 0; i < metric.rows(); ++i) {
        options.relaxed_metric.row(i) = metric.row(order_[static_cast<size_t>(i)]);
    }
    const std::vector<int> shown = options.shown_vertices;
    for (size_t i = 0; i < shown.size(); ++i) {
        options.shown_vertices[i] = shown[static_cast<size_t>(order_[i])];
    }
    for (std::vector<int>* pins : {&options.pins, &options.loose_pins}) {
        for (int& v : *pins) {
            v = rank_of(v);
        }
    }
    for (Glide& glide : options.glides) {
        glide.vertex = rank_of(glide.vertex);
    }
    for (PrescribedSlip& slip : options.prescribed) {
        slip.vertex = rank_of(slip.vertex);
    }
    for (DragForce& drag : options.drags) {
        drag.vertex = rank_of(drag.vertex);
    }
    return options;
}

}  // namespace cutis
