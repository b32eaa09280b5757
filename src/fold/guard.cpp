#include "fold/guard.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

namespace cutis::fold_detail {

namespace {

constexpr int guard_chunk = 1024;
using simd::Floats;
constexpr int guard_lanes = simd::lanes_in<Floats>;

}  // namespace

FoldGuard::FoldGuard(const Topology& topology, const MatrixX3d& rest, const MatrixX3d& normals,
                     const FoldPlaces& places, const FoldLayout& layout, const stripes::Fading& fading)
    : places_(places), fading_(fading) {
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
    const int blocks = places.moved_blocks();
    std::vector<std::vector<int>> touching(static_cast<size_t>(blocks));
    std::vector<std::vector<int>> beside(static_cast<size_t>(blocks));
    for (size_t e = 0; e < eights_.size(); ++e) {
        std::vector<int> touched;
        for (const auto& corners : eights_[e].corner) {
            for (const int n : corners) {
                touched.push_back(n / FoldPlaces::block);
            }
        }
        std::sort(touched.begin(), touched.end());
        touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
        for (const int b : touched) {
            if (b >= blocks) {
                continue;
            }
            touching[static_cast<size_t>(b)].push_back(static_cast<int>(e));
            std::vector<int>& others = beside[static_cast<size_t>(b)];
            others.insert(others.end(), touched.begin(), touched.end());
        }
    }
    touching_row_.push_back(0);
    for (const std::vector<int>& eights : touching) {
        touching_.insert(touching_.end(), eights.begin(), eights.end());
        touching_row_.push_back(static_cast<int>(touching_.size()));
    }
    beside_row_.push_back(0);
    for (std::vector<int>& others : beside) {
        std::sort(others.begin(), others.end());
        others.erase(std::unique(others.begin(), others.end()), others.end());
        beside_.insert(beside_.end(), others.begin(), others.end());
        beside_row_.push_back(static_cast<int>(beside_.size()));
    }
    is_active_.assign(eights_.size(), 0);
    is_crowded_.assign(eights_.size(), 0);
    crowding_.assign(eights_.size(), simd::all<Floats>(0.0));
    active_.reserve(eights_.size());
    looked_at_.reserve(eights_.size());
    pressed_.reserve(static_cast<size_t>(places.count()));
    sum_.assign(static_cast<size_t>(places.count()), 0.0F);
    share_.assign(static_cast<size_t>(places.count()), 1.0F);
    is_held_.assign(layout.width.size(), 0);
}

/// The sum of all that lowers the area of each of eight triangles, over what they can lose: its fourth power.
simd::Floats FoldGuard::crowding_of(const Eight& eight) const {
    using FourFloats = FoldPlaces::FourFloats;
    simd::Triple<Floats> n[3];
    simd::Triple<Floats> at[3];
    Floats h[3];
    for (int k = 0; k < 3; ++k) {
        FourFloats base[guard_lanes];
        FourFloats up[guard_lanes];
        for (int i = 0; i < guard_lanes; ++i) {
            const FoldPlaces::Place& place = places_.place(eight.corner[k][i]);
            base[i] = place.base;
            up[i] = place.up;
        }
        at[k] = simd::columns3(base);
        Floats column[4];
        for (int i = 0; i < 4; ++i) {
            column[i] = __builtin_shufflevector(up[i], up[i + 4], 0, 1, 2, 3, 4, 5, 6, 7);
        }
        simd::transpose_halves(column);
        n[k] = {column[0], column[1], column[2]};
        h[k] = column[3];
    }
    return stripes::crowding_power(at, n[0] + n[1] + n[2], n, h, simd::load(eight.rest_area), fading_);
}

void FoldGuard::find_active(const std::vector<unsigned char>& blocks) {
    for (const int e : active_) {
        is_active_[static_cast<size_t>(e)] = 0;
    }
    active_.clear();
    for (size_t b = 0; b < blocks.size(); ++b) {
        for (int i = touching_row_[b]; blocks[b] != 0 && i < touching_row_[b + 1]; ++i) {
            const int e = touching_[static_cast<size_t>(i)];
            if (is_active_[static_cast<size_t>(e)] == 0) {
                is_active_[static_cast<size_t>(e)] = 1;
                active_.push_back(e);
            }
        }
    }
}

void FoldGuard::mark_needed(const FoldLift& lift, std::vector<unsigned char>& is_needed) {
    find_active(lift.is_raised());
    looked_at_ = active_;
    std::fill(is_needed.begin(), is_needed.end(), 0);
    for (size_t b = 0; b < lift.is_raised().size(); ++b) {
        for (int i = beside_row_[b]; lift.is_raised()[b] != 0 && i < beside_row_[b + 1]; ++i) {
            is_needed[static_cast<size_t>(beside_[static_cast<size_t>(i)])] = 1;
        }
    }
}

void FoldGuard::crowd(const Workers& workers) {
    workers.for_chunks(static_cast<int>(active_.size()), guard_chunk / guard_lanes, [&](int begin, int end) {
        for (int i = begin; i < end; ++i) {
            const auto e = static_cast<size_t>(active_[static_cast<size_t>(i)]);
            const Floats none = simd::all<Floats>(0.0);
            crowding_[e] = simd::larger(crowding_of(eights_[e]) - simd::all<Floats>(stripes::idle_power), none);
            is_crowded_[e] = simd::any(crowding_[e] > none) ? 1 : 0;
        }
    });
}

/// In one thread: few places are pressed, and their sums have one order.
void FoldGuard::share_out() {
    for (const int n : pressed_) {
        sum_[static_cast<size_t>(n)] = 0.0F;
        share_[static_cast<size_t>(n)] = 1.0F;
    }
    pressed_.clear();
    const auto press = [this](int n, float by) {
        float& sum = sum_[static_cast<size_t>(n)];
        if (sum == 0.0F) {
            pressed_.push_back(n);
        }
        sum += by;
    };
    for (const int at : looked_at_) {
        const auto e = static_cast<size_t>(at);
        for (int i = 0; is_crowded_[e] != 0 && i < guard_lanes; ++i) {
            for (int k = 0; crowding_[e][i] > 0.0F && k < 3; ++k) {
                press(eights_[e].corner[k][i], crowding_[e][i]);
            }
        }
    }
    for (const int n : pressed_) {  // 1 - share is a quarter of the sum
        share_[static_cast<size_t>(n)] = stripes::share_of(sum_[static_cast<size_t>(n)]);
    }
}

bool FoldGuard::find_shares(const FoldLift& lift, const Workers& workers) {
    crowd(workers);
    share_out();
    bool is_any_held = false;
    std::fill(is_held_.begin(), is_held_.end(), 0);
    for (const int n : pressed_) {
        // What recovering less than that would add is no more than rounding.
        if (n < places_.moved() && share_[static_cast<size_t>(n)] < 0.9999F &&
            lift.raised()[static_cast<size_t>(n)] > 0.0F) {
            is_any_held = true;
            lift.mark_controls(n / FoldPlaces::block, is_held_);
        }
    }
    return is_any_held;
}

void FoldGuard::find_shares_again(const FoldLift& lift, const Workers& workers) {
    find_active(lift.is_changed());
    crowd(workers);
    share_out();
}

}  // namespace cutis::fold_detail
