#include "fold/contact.h"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "fold/ball_grid.h"

namespace cutis::fold_detail {

namespace {

// Widths.
constexpr double meeting_widths = 2.2;  // controls this near can have folds that meet
constexpr double full_aside = 0.6;      // partners no further aside count fully
constexpr double most_aside = 1.1;
// Sum of the cosines to the way between them: none, fully.
constexpr double least_facing = 0.05;
constexpr double full_facing = 0.35;
constexpr double blur_widths = 0.5;  // the way between them has no direction as they pass through each other
// Room never falls below this part of a width: where the base itself crosses, folds stay small
// instead of vanishing.
constexpr double room_floor = 0.05;

using FourFloats = FoldPlaces::FourFloats;

float dot3(FourFloats a, FourFloats b) {
    const FourFloats products = a * b;
    return products[0] + products[1] + products[2];
}

float soft_step(float t) {
    t = std::clamp(t, 0.0F, 1.0F);
    return t * t * (3.0F - 2.0F * t);
}

}  // namespace

std::vector<int> FoldContact::vertices(const FoldLayout& layout) {
    std::vector<int> vertex(layout.width.size(), 0);
    std::vector<double> most(layout.width.size(), 0.0);
    const Stencils& spread = layout.spread;
    for (int v = 0; v < spread.count(); ++v) {
        for (int s = spread.offsets[static_cast<size_t>(v)]; s < spread.offsets[static_cast<size_t>(v) + 1]; ++s) {
            const auto j = static_cast<size_t>(spread.indices[static_cast<size_t>(s)]);
            if (spread.weights[static_cast<size_t>(s)] > most[j]) {
                most[j] = spread.weights[static_cast<size_t>(s)];
                vertex[j] = v;
            }
        }
    }
    return vertex;
}

FoldContact::FoldContact(const FoldLayout& layout, const FoldPlaces& at, const std::vector<MatrixX3d>& places,
                         double thickness)
    : layout_(layout), at_(at), thickness_(static_cast<float>(thickness)) {
    const size_t count = layout.width.size();
    for (const int v : vertices(layout)) {
        place_.push_back(at.number(v));
    }
    const Stencils& spread = layout.spread;
    for (int n = 0; n < at.moved(); ++n) {
        const auto v = static_cast<size_t>(at.vertex(n));
        const auto most = std::max_element(spread.weights.begin() + spread.offsets[v],
                                           spread.weights.begin() + spread.offsets[v + 1]);
        control_.push_back(spread.indices[static_cast<size_t>(most - spread.weights.begin())]);
    }
    std::vector<std::vector<int>> near(count);
    const double cell =
        layout.width.empty() ? 1.0 : meeting_widths * *std::max_element(layout.width.begin(), layout.width.end());
    for (const MatrixX3d& place : places) {
        BallGrid grid(cell);
        for (size_t j = 0; j < count; ++j) {
            grid.insert(place.row(static_cast<Eigen::Index>(j)), meeting_widths * layout.width[j], static_cast<int>(j));
        }
        for (size_t j = 0; j < count; ++j) {
            const Vector3d here = place.row(static_cast<Eigen::Index>(j));
            for (const int k : grid.at(here)) {
                const double width = 0.5 * (layout.width[j] + layout.width[static_cast<size_t>(k)]);
                if (static_cast<size_t>(k) != j && (here - Vector3d(place.row(k))).norm() < meeting_widths * width) {
                    near[j].push_back(k);
                    near[static_cast<size_t>(k)].push_back(static_cast<int>(j));
                }
            }
        }
        for (std::vector<int>& list : near) {
            std::sort(list.begin(), list.end());
            list.erase(std::unique(list.begin(), list.end()), list.end());
        }
    }
    first_.push_back(0);
    for (const std::vector<int>& list : near) {
        other_.insert(other_.end(), list.begin(), list.end());
        first_.push_back(static_cast<int>(other_.size()));
    }
    partner_.resize(other_.size());
    partners_.assign(count, 0);
}

bool FoldContact::find_partners(const Workers& workers) {
    std::atomic<bool> has_any = false;
    workers.for_chunks(static_cast<int>(place_.size()), 64, [&](int begin, int end) {
        for (auto j = static_cast<size_t>(begin); j < static_cast<size_t>(end); ++j) {
            const FoldPlaces::Place& here = at_.place(place_[j]);
            int count = 0;
            for (int i = first_[j]; i < first_[j + 1]; ++i) {
                const auto k = static_cast<size_t>(other_[static_cast<size_t>(i)]);
                const FoldPlaces::Place& there = at_.place(place_[k]);
                const FourFloats way = there.base - here.base;
                const float square = dot3(way, way);
                const auto far = static_cast<float>(meeting_widths * 0.5 * (layout_.width[j] + layout_.width[k]));
                const float near = 1.0F - square / (far * far);
                if (!(near > 0.0F)) {
                    continue;
                }
                const auto blur = static_cast<float>(blur_widths * layout_.width[j]);
                const float cosines = dot3(way, here.up - there.up) / std::sqrt(square + blur * blur);
                const float facing = soft_step((cosines - static_cast<float>(least_facing)) /
                                               static_cast<float>(full_facing - least_facing)) *
                                     soft_step(4.0F * near);
                if (facing > 0.0F) {
                    partner_[static_cast<size_t>(first_[j] + count++)] = {place_[k], facing};
                    has_any = true;
                }
            }
            partners_[j] = count;
        }
    });
    return has_any;
}

float FoldContact::crowding(int n, float height) const {
    const auto j = static_cast<size_t>(control_[static_cast<size_t>(n)]);
    const FoldPlaces::Place& here = at_.place(n);
    const auto width = static_cast<float>(layout_.width[j]);
    const float least = static_cast<float>(room_floor) * width;
    float sum = 0.0F;
    for (int i = first_[j]; i < first_[j] + partners_[j]; ++i) {
        const Partner& partner = partner_[static_cast<size_t>(i)];
        const FoldPlaces::Place& there = at_.place(partner.place);
        const FourFloats across = here.up - there.up;
        const float size2 = dot3(across, across);
        const float rise = dot3(here.up, across);
        if (!(size2 > 1e-6F && rise > 0.0F)) {
            continue;
        }
        const FourFloats way = there.base - here.base;
        const float size = std::sqrt(size2);
        const float apart = dot3(way, across) / size;
        const float aside = std::sqrt(std::max(0.0F, dot3(way, way) - apart * apart)) / width;
        const float opposite =
            soft_step((static_cast<float>(most_aside) - aside) / static_cast<float>(most_aside - full_aside));
        if (!(opposite > 0.0F)) {
            continue;
        }
        const float half = 0.5F * (apart - thickness_);
        const float room = 0.5F * (half + std::sqrt(half * half + least * least));
        float power = std::min(100.0F, height * rise / size / room) * opposite * partner.facing;
        power *= power;
        power *= power;
        sum += power * power;
    }
    return sum;
}

}  // namespace cutis::fold_detail
