#include "fold/guard.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace cutis::fold_detail {

namespace {

constexpr int chunk_triangles = 2048;
constexpr int most_rounds = 40;
constexpr int gentle_rounds = 12;  // after them a bad triangle is laid back on the body
// The normal keeps this part of its skinned length along the skinned normal.
constexpr double least_facing = 0.02;
constexpr double margin = 0.95;

/// Largest t <= 1 with N(t) . N(0) >= least_facing |N(0)|^2, where edges grow by t times d1 and d2.
double good_part(const Vector3d& e1, const Vector3d& e2, const Vector3d& d1, const Vector3d& d2) {
    const Vector3d n = e1.cross(e2);
    const double c = (1.0 - least_facing) * n.squaredNorm();
    const double b = (d1.cross(e2) + e1.cross(d2)).dot(n);
    const double a = d1.cross(d2).dot(n);
    if (a + b + c >= 0.0 || !(c > 0.0)) {  // good, or a base triangle of no area
        return 1.0;
    }
    // c > 0 and a + b + c < 0: exactly one root lies between 0 and 1, for either sign of a.
    const double root = std::sqrt(std::max(0.0, b * b - 4.0 * a * c));
    const double q = -0.5 * (b + (b < 0.0 ? -root : root));
    const double first = a != 0.0 ? q / a : 2.0;
    const double second = q != 0.0 ? c / q : 2.0;
    double t = 1.0;
    for (const double one : {first, second}) {
        t = one > 0.0 && one < t ? one : t;
    }
    return std::min(t, 1.0 - 1e-9);
}

/// Triangles in the order of their vertices, so that walking them walks through memory.
MatrixX3i by_vertices(const MatrixX3i& triangles) {
    std::vector<int> order(static_cast<size_t>(triangles.rows()));
    std::iota(order.begin(), order.end(), 0);
    const auto lowest = [&](int f) { return triangles.row(f).minCoeff(); };
    const auto highest = [&](int f) { return triangles.row(f).maxCoeff(); };
    // By the highest: vertices of the base come first and lie anywhere.
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
        return std::make_pair(highest(a), lowest(a)) < std::make_pair(highest(b), lowest(b));
    });
    MatrixX3i sorted(triangles.rows(), 3);
    for (size_t i = 0; i < order.size(); ++i) {
        sorted.row(static_cast<Eigen::Index>(i)) = triangles.row(order[i]);
    }
    return sorted;
}

}  // namespace

FoldGuard::FoldGuard(const Topology& topology)
    : triangles_(by_vertices(topology.triangles())),
      is_moved_(static_cast<size_t>(topology.vertex_count()), 0),
      mark_(static_cast<size_t>(topology.triangle_count()), 0),
      scale_(static_cast<size_t>(topology.vertex_count()), 1.0),
      was_held_(static_cast<size_t>(topology.vertex_count()), 0) {
    first_around_.assign(static_cast<size_t>(topology.vertex_count()) + 1, 0);
    for (Eigen::Index i = 0; i < triangles_.size(); ++i) {
        ++first_around_[static_cast<size_t>(triangles_.data()[i]) + 1];
    }
    std::partial_sum(first_around_.begin(), first_around_.end(), first_around_.begin());
    around_.resize(static_cast<size_t>(triangles_.size()));
    std::vector<int> fill(first_around_.begin(), first_around_.end() - 1);
    for (int f = 0; f < topology.triangle_count(); ++f) {
        for (int k = 0; k < 3; ++k) {
            around_[static_cast<size_t>(fill[static_cast<size_t>(triangles_(f, k))]++)] = f;
        }
    }
    bad_.reserve(mark_.size());
    next_.reserve(mark_.size());
    touched_.reserve(scale_.size());
}

bool FoldGuard::is_bad(const MatrixX3d& base, const MatrixX3d& folded, int f) const {
    const auto normal = [&](const MatrixX3d& p) {
        const double* a = p.data() + 3 * static_cast<size_t>(triangles_(f, 0));
        const double* b = p.data() + 3 * static_cast<size_t>(triangles_(f, 1));
        const double* c = p.data() + 3 * static_cast<size_t>(triangles_(f, 2));
        return Vector3d(Vector3d(b[0] - a[0], b[1] - a[1], b[2] - a[2])
                            .cross(Vector3d(c[0] - a[0], c[1] - a[1], c[2] - a[2])));
    };
    const Vector3d n = normal(base);
    return normal(folded).dot(n) < least_facing * n.squaredNorm();
}

int FoldGuard::hold(const MatrixX3d& base, const Workers& workers, MatrixX3d& folded) {
    const auto moves = [&](int f) {
        return (is_moved_[static_cast<size_t>(triangles_(f, 0))] |
                is_moved_[static_cast<size_t>(triangles_(f, 1))] |
                is_moved_[static_cast<size_t>(triangles_(f, 2))]) != 0;
    };
    const auto check = [&](int begin, int end) {
        for (int f = begin; f < end; ++f) {
            mark_[static_cast<size_t>(f)] = moves(f) && is_bad(base, folded, f) ? 1 : 0;
        }
    };
    const int count = static_cast<int>(triangles_.rows());
    workers.for_chunks(count, chunk_triangles, check);
    bad_.clear();
    for (int f = 0; f < count; ++f) {
        if (mark_[static_cast<size_t>(f)] != 0) {
            mark_[static_cast<size_t>(f)] = 0;
            bad_.push_back(f);
        }
    }
    std::fill(was_held_.begin(), was_held_.end(), static_cast<unsigned char>(0));
    int held = 0;
    for (int round = 0; round < most_rounds && !bad_.empty(); ++round) {
        // Each vertex takes the smallest part of its bad triangles.
        touched_.clear();
        for (const int f : bad_) {
            const Vector3d e1 = base.row(triangles_(f, 1)) - base.row(triangles_(f, 0));
            const Vector3d e2 = base.row(triangles_(f, 2)) - base.row(triangles_(f, 0));
            const Vector3d f1 = folded.row(triangles_(f, 1)) - folded.row(triangles_(f, 0));
            const Vector3d f2 = folded.row(triangles_(f, 2)) - folded.row(triangles_(f, 0));
            const double part = good_part(e1, e2, f1 - e1, f2 - e2);
            if (part >= 1.0) {
                continue;
            }
            const double kept = round < gentle_rounds ? margin * part : 0.0;
            for (int k = 0; k < 3; ++k) {
                const int v = triangles_(f, k);
                double& scale = scale_[static_cast<size_t>(v)];
                if (scale == 1.0) {
                    touched_.push_back(v);
                }
                scale = std::min(scale, kept);
            }
        }
        next_.clear();
        for (const int v : touched_) {
            double& scale = scale_[static_cast<size_t>(v)];
            folded.row(v) = base.row(v) + scale * (folded.row(v) - base.row(v));
            scale = 1.0;
            held += was_held_[static_cast<size_t>(v)] == 0 ? 1 : 0;
            was_held_[static_cast<size_t>(v)] = 1;
            for (int i = first_around_[static_cast<size_t>(v)];
                 i < first_around_[static_cast<size_t>(v) + 1]; ++i) {
                const int f = around_[static_cast<size_t>(i)];
                if (mark_[static_cast<size_t>(f)] == 0) {
                    mark_[static_cast<size_t>(f)] = 1;
                    next_.push_back(f);
                }
            }
        }
        bad_.clear();
        for (const int f : next_) {
            mark_[static_cast<size_t>(f)] = 0;
            if (is_bad(base, folded, f)) {
                bad_.push_back(f);
            }
        }
    }
    return held;
}

}  // namespace cutis::fold_detail
