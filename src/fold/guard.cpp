#include "fold/guard.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <atomic>
#include <cmath>

namespace cutis::fold_detail {

namespace {

constexpr int guard_chunk = 1024;
// Of the rest area, what must stay.
constexpr double least_area = 0.02;
// Folds fade while a triangle of the base itself comes down to what must stay.
constexpr double fade = 0.1;
// Beyond this nothing is left of a height.
constexpr double most_crowding = 1e3;

using simd::Floats;
constexpr int guard_lanes = simd::lanes_in<Floats>;

template <class T>
T eighth_power(T x) {
    x *= x;
    x *= x;
    return x * x;
}

}  // namespace

FoldGuard::FoldGuard(const Topology& topology, const MatrixX3d& rest, const MatrixX3d& normals,
                     const FoldPlaces& places, const FoldLayout& layout)
    : places_(places), layout_(layout), around_row_{0} {
    const MatrixX3i& triangles = topology.triangles();
    // In the order of their first corners, so that neighbours stand together.
    std::vector<int> slot(static_cast<size_t>(topology.triangle_count()), -1);
    int count = 0;
    for (int n = 0; n < places.moved(); ++n) {
        for (const int f : topology.triangles_around(places.vertex(n))) {
            if (slot[static_cast<size_t>(f)] >= 0) {
                continue;
            }
            slot[static_cast<size_t>(f)] = count;
            const auto lane = static_cast<size_t>(count % guard_lanes);
            if (lane == 0) {
                eights_.emplace_back();  // lanes without a triangle: three times place 0
                std::fill_n(eights_.back().rest_area, guard_lanes, 1.0F);
            }
            ++count;
            Eight& eight = eights_.back();
            Vector3d corner[3];
            Vector3d normal = Vector3d::Zero();
            for (int k = 0; k < 3; ++k) {
                eight.corner[k][lane] = places.number(triangles(f, k));
                corner[k] = rest.row(triangles(f, k));
                normal += normals.row(triangles(f, k)).transpose();
            }
            const Vector3d area = (corner[1] - corner[0]).cross(corner[2] - corner[0]);
            eight.rest_area[lane] =
                static_cast<float>(std::max({area.dot(normal.normalized()), 0.2 * area.norm(), 1e-30}));
        }
    }
    for (int n = 0; n < places.moved(); ++n) {
        for (const int f : topology.triangles_around(places.vertex(n))) {
            around_.push_back(slot[static_cast<size_t>(f)]);
        }
        around_row_.push_back(static_cast<int>(around_.size()));
    }
    const int blocks = (places.moved() + FoldPlaces::block - 1) / FoldPlaces::block;
    std::vector<std::vector<int>> touching(static_cast<size_t>(blocks));
    block_row_.push_back(0);
    for (size_t e = 0; e < eights_.size(); ++e) {
        std::vector<int> touched;
        for (const auto& corners : eights_[e].corner) {
            for (const int n : corners) {
                if (n < places.moved()) {
                    touched.push_back(n / FoldPlaces::block);
                }
            }
        }
        std::sort(touched.begin(), touched.end());
        touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
        for (const int b : touched) {
            touching[static_cast<size_t>(b)].push_back(static_cast<int>(e));
        }
        block_.insert(block_.end(), touched.begin(), touched.end());
        block_row_.push_back(static_cast<int>(block_.size()));
    }
    touching_row_.push_back(0);
    for (const std::vector<int>& eights : touching) {
        touching_.insert(touching_.end(), eights.begin(), eights.end());
        touching_row_.push_back(static_cast<int>(touching_.size()));
    }
    losses_.resize(eights_.size());
    is_changed_.assign(eights_.size(), 0);
    is_crowded_.assign(eights_.size(), 0);
    crowding_.assign(eights_.size() * guard_lanes, 0.0F);
    share_.assign(static_cast<size_t>(places.count()), 1.0F);
    is_held_.assign(layout.width.size(), 0);
}

void FoldGuard::weigh(const Eight& eight, Losses& losses) const {
    using FourFloats = float __attribute__((vector_size(16)));
    simd::Triple<Floats> n[3];
    simd::Triple<Floats> edge[2];
    const auto* directions = reinterpret_cast<const FourFloats*>(places_.directions());
    for (int k = 0; k < 3; ++k) {
        FourFloats rows[guard_lanes];
        for (int i = 0; i < guard_lanes; ++i) {
            rows[i] = directions[eight.corner[k][i]];
        }
        n[k] = simd::columns3(rows);
    }
    for (int k = 0; k < 2; ++k) {
        FourFloats rows[guard_lanes];
        for (int i = 0; i < guard_lanes; ++i) {
            const auto place = [&](int c) {
                return simd::load(places_.base() + 4 * static_cast<std::ptrdiff_t>(eight.corner[c][i]));
            };
            rows[i] = __builtin_convertvector(place(k + 1) - place(0), FourFloats);
        }
        edge[k] = simd::columns3(rows);
    }
    simd::Triple<Floats> m = n[0] + n[1] + n[2];
    m = (simd::all<Floats>(1.0) / (simd::larger(length(m), simd::all<Floats>(1e-12)) * simd::load(eight.rest_area))) *
        m;
    // (a x b) . m = b . (m x a)
    const simd::Triple<Floats> u1 = cross(m, edge[0]);
    const simd::Triple<Floats> u2 = cross(m, edge[1]);
    const simd::Triple<Floats> v1 = cross(m, n[1]);
    const simd::Triple<Floats> v2 = cross(m, n[2]);
    const Floats none = simd::all<Floats>(0.0);
    // Quadratic where it begins: shares leave 0 without a kink.
    const Floats left = simd::larger(dot(edge[1], u1) - simd::all<Floats>(least_area), none);
    losses.room = left * left / (left + simd::all<Floats>(fade));
    losses.single[0] = simd::larger(dot(n[0], u1 - u2), none);
    losses.single[1] = simd::larger(dot(n[1], u2), none);
    losses.single[2] = simd::larger(-dot(n[2], u1), none);
    losses.pair[0] = simd::larger(dot(n[0], v1), none);
    losses.pair[1] = simd::larger(dot(n[1], v2), none);
    losses.pair[2] = simd::larger(-dot(n[0], v2), none);
}

void FoldGuard::crowd(const FoldHeights& heights, const std::vector<unsigned char>& blocks, bool is_new,
                      const Workers& workers) {
    const std::vector<double>& raised = heights.raised();
    workers.for_chunks(static_cast<int>(eights_.size()), guard_chunk / guard_lanes, [&](int begin, int end) {
        for (auto e = static_cast<size_t>(begin); e < static_cast<size_t>(end); ++e) {
            const Eight& eight = eights_[e];
            float* crowding = crowding_.data() + e * guard_lanes;
            const bool is_touched = std::any_of(block_.begin() + block_row_[e], block_.begin() + block_row_[e + 1],
                                                [&](int b) { return blocks[static_cast<size_t>(b)] != 0; });
            is_changed_[e] = is_touched ? 1 : 0;
            if (!is_touched && (!is_new || is_crowded_[e] == 0)) {
                continue;
            }
            float h[3][guard_lanes];
            float highest = 0.0F;
            for (int k = 0; k < 3; ++k) {
                for (int i = 0; i < guard_lanes; ++i) {
                    h[k][i] = static_cast<float>(raised[static_cast<size_t>(eight.corner[k][i])]);
                    highest = std::max(highest, h[k][i]);
                }
            }
            is_crowded_[e] = highest > 0.0F ? 1 : 0;
            if (is_crowded_[e] == 0) {
                std::fill_n(crowding, guard_lanes, 0.0F);
                continue;
            }
            Losses& losses = losses_[e];
            if (is_new) {
                weigh(eight, losses);
            }
            const Floats h0 = simd::load(h[0]);
            const Floats h1 = simd::load(h[1]);
            const Floats h2 = simd::load(h[2]);
            // All that lowers the area, as if nothing raised it.
            const Floats lost = h0 * (losses.single[0] + h1 * losses.pair[0]) +
                                h1 * (losses.single[1] + h2 * losses.pair[1]) +
                                h2 * (losses.single[2] + h0 * losses.pair[2]) + simd::all<Floats>(fade);
            simd::store(crowding,
                        eighth_power(lost / simd::larger(losses.room, lost * simd::all<Floats>(1.0 / most_crowding))));
        }
    });
}

bool FoldGuard::share_out(const FoldHeights& heights, bool is_new, const FoldContact* contact, const Workers& workers) {
    std::atomic<bool> is_any_held = false;
    const std::vector<double>& raised = heights.raised();
    const auto share_block = [&](int begin, int end) {
        for (int n = begin; n < end; ++n) {
            float& share = share_[static_cast<size_t>(n)];
            share = 1.0F;
            float sum = 0.0F;
            for (int i = around_row_[static_cast<size_t>(n)]; i < around_row_[static_cast<size_t>(n) + 1]; ++i) {
                sum += crowding_[static_cast<size_t>(around_[static_cast<size_t>(i)])];
            }
            const double height = raised[static_cast<size_t>(n)];
            if (contact != nullptr && height > 0.0) {
                sum += static_cast<float>(eighth_power(std::min(contact->crowding(n, height), most_crowding)));
            }
            sum -= 1e-5F;
            if (sum > 0.0F) {  // 1 - share is an eighth of it
                const float left = 1.0F / std::sqrt(std::sqrt(std::sqrt(1.0F + sum)));
                constexpr auto none = static_cast<float>(1.1 / most_crowding);
                share = std::max(0.0F, left - none) / (1.0F - none);
                if (share < 0.9999F) {  // what recovering less than that would add is no more than rounding
                    is_any_held = true;
                }
            }
        }
    };
    workers.for_chunks(static_cast<int>(touching_row_.size()) - 1, 8, [&](int first, int last) {
        for (int b = first; b < last; ++b) {
            const int begin = b * FoldPlaces::block;
            const int end = std::min(begin + FoldPlaces::block, places_.moved());
            if (is_new && heights.is_raised()[static_cast<size_t>(b)] == 0) {
                std::fill(share_.begin() + begin, share_.begin() + end, 1.0F);
            } else if (is_new || std::any_of(touching_.begin() + touching_row_[static_cast<size_t>(b)],
                                             touching_.begin() + touching_row_[static_cast<size_t>(b) + 1],
                                             [this](int e) { return is_changed_[static_cast<size_t>(e)] != 0; })) {
                share_block(begin, end);
            }
        }
    });
    return is_any_held;
}

bool FoldGuard::find_shares(const FoldHeights& heights, const FoldContact* contact, const Workers& workers) {
    crowd(heights, heights.is_raised(), true, workers);
    const bool is_any_held = share_out(heights, true, contact, workers);
    std::fill(is_held_.begin(), is_held_.end(), 0);
    const Stencils& spread = layout_.spread;
    for (int n = 0; is_any_held && n < places_.moved(); ++n) {
        if (share_[static_cast<size_t>(n)] < 1.0F) {
            const auto v = static_cast<size_t>(places_.vertex(n));
            for (int s = spread.offsets[v]; s < spread.offsets[v + 1]; ++s) {
                is_held_[static_cast<size_t>(spread.indices[static_cast<size_t>(s)])] = 1;
            }
        }
    }
    return is_any_held;
}

void FoldGuard::find_shares_again(const FoldHeights& heights, const FoldContact* contact, const Workers& workers) {
    crowd(heights, heights.is_changed(), false, workers);
    share_out(heights, false, contact, workers);
}

}  // namespace cutis::fold_detail
