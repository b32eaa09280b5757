#include "fold/guard.h"

#include <algorithm>
#include <cmath>

namespace cutis::fold_detail {

namespace {

constexpr int chunk_triangles = 2048;
constexpr int most_rounds = 40;
constexpr int gentle_rounds = 12;  // after them a bad triangle is laid back on the body
// The normal keeps this part of its skinned length along the skinned normal.
constexpr double least_facing = 0.02;
constexpr double margin = 0.95;

MatrixX3i movable(const Topology& topology, const std::vector<unsigned char>& is_bound) {
    std::vector<int> kept;
    for (int f = 0; f < topology.triangle_count(); ++f) {
        for (int k = 0; k < 3; ++k) {
            if (is_bound[static_cast<size_t>(topology.triangles()(f, k))] != 0) {
                kept.push_back(f);
                break;
            }
        }
    }
    MatrixX3i triangles(static_cast<Eigen::Index>(kept.size()), 3);
    for (size_t i = 0; i < kept.size(); ++i) {
        triangles.row(static_cast<Eigen::Index>(i)) = topology.triangles().row(kept[i]);
    }
    return triangles;
}

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

}  // namespace

FoldGuard::FoldGuard(const Topology& topology, const std::vector<unsigned char>& is_bound)
    : triangles_(movable(topology, is_bound)),
      part_(static_cast<size_t>(triangles_.rows()), 1.0),
      scale_(static_cast<size_t>(topology.vertex_count()), 1.0),
      is_changed_(static_cast<size_t>(topology.vertex_count()), 0) {
    touched_.reserve(static_cast<size_t>(topology.vertex_count()));
}

int FoldGuard::hold(const MatrixX3d& base, const Workers& workers, MatrixX3d& folded) {
    std::fill(scale_.begin(), scale_.end(), 1.0);
    bool is_first = true;
    int held = 0;
    for (int round = 0; round < most_rounds; ++round) {
        const auto check = [&](int begin, int end) {
            for (int f = begin; f < end; ++f) {
                const int a = triangles_(f, 0);
                const int b = triangles_(f, 1);
                const int c = triangles_(f, 2);
                double& part = part_[static_cast<size_t>(f)];
                part = 1.0;
                if (!is_first && is_changed_[static_cast<size_t>(a)] == 0 &&
                    is_changed_[static_cast<size_t>(b)] == 0 &&
                    is_changed_[static_cast<size_t>(c)] == 0) {
                    continue;
                }
                const Vector3d e1 = base.row(b) - base.row(a);
                const Vector3d e2 = base.row(c) - base.row(a);
                const Vector3d f1 = folded.row(b) - folded.row(a);
                const Vector3d f2 = folded.row(c) - folded.row(a);
                part = good_part(e1, e2, f1 - e1, f2 - e2);
            }
        };
        workers.for_chunks(static_cast<int>(triangles_.rows()), chunk_triangles, check);
        touched_.clear();
        std::fill(is_changed_.begin(), is_changed_.end(), static_cast<unsigned char>(0));
        for (Eigen::Index f = 0; f < triangles_.rows(); ++f) {
            const double part = part_[static_cast<size_t>(f)];
            if (part >= 1.0) {
                continue;
            }
            for (int k = 0; k < 3; ++k) {
                const int v = triangles_(f, k);
                if (is_changed_[static_cast<size_t>(v)] == 0) {
                    is_changed_[static_cast<size_t>(v)] = 1;
                    touched_.push_back(v);
                    held += scale_[static_cast<size_t>(v)] == 1.0 ? 1 : 0;
                    scale_[static_cast<size_t>(v)] = 0.999999;  // seen
                }
            }
        }
        if (touched_.empty()) {
            break;
        }
        // Each vertex takes the smallest part of its triangles of this round.
        for (const int v : touched_) {
            scale_[static_cast<size_t>(v)] = 1.0;
        }
        for (Eigen::Index f = 0; f < triangles_.rows(); ++f) {
            const double part = part_[static_cast<size_t>(f)];
            if (part < 1.0) {
                const double kept = round < gentle_rounds ? margin * part : 0.0;
                for (int k = 0; k < 3; ++k) {
                    double& scale = scale_[static_cast<size_t>(triangles_(f, k))];
                    scale = std::min(scale, kept);
                }
            }
        }
        for (const int v : touched_) {
            const double scale = scale_[static_cast<size_t>(v)];
            folded.row(v) = base.row(v) + scale * (folded.row(v) - base.row(v));
            scale_[static_cast<size_t>(v)] = 0.999999;
        }
        is_first = false;
    }
    return held;
}

}  // namespace cutis::fold_detail
