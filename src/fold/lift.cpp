#include "fold/lift.h"

#include <algorithm>
#include <numeric>

namespace cutis::fold_detail {

namespace {

constexpr int lift_lanes = simd::lanes_in<simd::Floats>;
constexpr int block_size = FoldPlaces::block;
constexpr int block_registers = block_size / lift_lanes;
constexpr int lift_chunk = 16;  // blocks

}  // namespace

FoldLift::FoldLift(const FoldLayout& layout, const FoldPlaces& places) : layout_(layout), places_(places), row_{0} {
    const Stencils& spread = layout.spread;
    const auto blocks = static_cast<size_t>(places.moved_blocks());
    const auto fields = static_cast<size_t>(layout.fields);
    std::vector<int> near;
    for (size_t b = 0; b < blocks; ++b) {
        const auto begin = static_cast<int>(b) * block_size;
        const int end = std::min(begin + block_size, places.moved());
        near.clear();
        for (int n = begin; n < end; ++n) {
            const auto v = static_cast<size_t>(places.vertex(n));
            near.insert(near.end(), spread.indices.begin() + spread.offsets[v],
                        spread.indices.begin() + spread.offsets[v + 1]);
        }
        std::sort(near.begin(), near.end());
        near.erase(std::unique(near.begin(), near.end()), near.end());
        const size_t first = weight_.size();
        weight_.resize(first + near.size() * block_size, 0.0F);
        profile_.resize(profile_.size() + fields * block_size, 0.0F);
        for (int n = begin; n < end; ++n) {
            const auto v = static_cast<size_t>(places.vertex(n));
            const auto lane = static_cast<size_t>(n - begin);
            for (int s = spread.offsets[v]; s < spread.offsets[v + 1]; ++s) {
                const auto at = static_cast<size_t>(
                    std::lower_bound(near.begin(), near.end(), spread.indices[static_cast<size_t>(s)]) - near.begin());
                weight_[first + at * block_size + lane] = static_cast<float>(spread.weights[static_cast<size_t>(s)]);
            }
            for (size_t field = 0; field < fields; ++field) {
                profile_[(b * fields + field) * block_size + lane] = layout.profile[field][v];
            }
        }
        control_.insert(control_.end(), near.begin(), near.end());
        row_.push_back(static_cast<int>(control_.size()));
    }
    raised_.assign(static_cast<size_t>(places.blocks()) * block_size, 0.0F);
    exact_.assign(layout.is_exact ? static_cast<size_t>(places.count()) : 0, 0.0);
    sum_.assign(blocks, 0.0);
    is_raised_.assign(blocks, 0);
    is_changed_.assign(blocks, 0);
}

void FoldLift::raise_block(int block, const FoldHeights& heights) {
    if (layout_.is_exact) {
        raise_exactly(block, heights);
        return;
    }
    using simd::Floats;
    const auto b = static_cast<size_t>(block);
    const int fields = layout_.fields;
    const auto none = simd::all<Floats>(0.0);
    Floats sums[2][block_registers] = {{none, none, none, none}, {none, none, none, none}};
    Floats pressed[block_registers] = {none, none, none, none};
    bool is_pressed = false;
    bool is_any = false;
    for (auto s = static_cast<size_t>(row_[b]); s < static_cast<size_t>(row_[b + 1]); ++s) {
        const float* weights = weight_.data() + s * block_size;
        for (int field = 0; field < fields; ++field) {
            const float height = heights.height(field, control_[s]);
            if (height > 0.0F) {
                is_any = true;
                for (int r = 0; r < block_registers; ++r) {
                    sums[field][r] += simd::all<Floats>(height) * simd::load(weights + r * lift_lanes);
                }
            }
        }
        const float pressure = heights.pressure(control_[s]);
        if (pressure > 0.0F) {
            is_pressed = true;
            for (int r = 0; r < block_registers; ++r) {
                pressed[r] += simd::all<Floats>(pressure) * simd::load(weights + r * lift_lanes);
            }
        }
    }
    const bool was_any = is_raised_[b] != 0;
    is_raised_[b] = is_any ? 1 : 0;
    if (!is_any && !was_any) {
        return;
    }
    float* raised = raised_.data() + b * block_size;
    const float* profile = profile_.data() + b * static_cast<size_t>(fields) * block_size;
    Floats total = none;
    for (int r = 0; r < block_registers; ++r) {
        Floats height = simd::load(profile + r * lift_lanes) * sums[0][r];
        if (fields > 1) {
            height += simd::load(profile + block_size + r * lift_lanes) * sums[1][r];
        }
        if (is_pressed) {  // crests are flattened, as of folds that press against each other
            const Floats square = height * height;
            height /= simd::root(simd::root(simd::all<Floats>(1.0) + square * square * pressed[r]));
        }
        simd::store(raised + r * lift_lanes, height);
        total += height;
    }
    sum_[b] = 0.0;
    for (int i = 0; i < lift_lanes; ++i) {
        sum_[b] += static_cast<double>(total[i]);
    }
}

/// As above in doubles: these folds are met to rounding.
void FoldLift::raise_exactly(int block, const FoldHeights& heights) {
    const auto b = static_cast<size_t>(block);
    const Stencils& spread = layout_.spread;
    sum_[b] = 0.0;
    for (int n = block * block_size; n < std::min((block + 1) * block_size, places_.moved()); ++n) {
        const auto v = static_cast<size_t>(places_.vertex(n));
        double height = 0.0;
        for (int s = spread.offsets[v]; s < spread.offsets[v + 1]; ++s) {
            height +=
                spread.weights[static_cast<size_t>(s)] * heights.exact_height(spread.indices[static_cast<size_t>(s)]);
        }
        height *= static_cast<double>(layout_.profile.front()[v]);
        exact_[static_cast<size_t>(n)] = height;
        raised_[static_cast<size_t>(n)] = static_cast<float>(height);
        sum_[b] += height;
    }
    is_raised_[b] = sum_[b] > 0.0 ? 1 : 0;
}

void FoldLift::raise(const FoldHeights& heights, const Workers& workers) {
    workers.for_chunks(static_cast<int>(is_raised_.size()), lift_chunk, [&](int first, int last) {
        for (int b = first; b < last; ++b) {
            raise_block(b, heights);
        }
    });
}

void FoldLift::raise_again(const FoldHeights& heights, const std::vector<unsigned char>& controls,
                           const Workers& workers) {
    workers.for_chunks(static_cast<int>(is_raised_.size()), lift_chunk, [&](int first, int last) {
        for (int b = first; b < last; ++b) {
            const auto at = static_cast<size_t>(b);
            is_changed_[at] = std::any_of(control_.begin() + row_[at], control_.begin() + row_[at + 1],
                                          [&](int j) { return controls[static_cast<size_t>(j)] != 0; })
                                  ? 1
                                  : 0;
            if (is_changed_[at] != 0) {
                raise_block(b, heights);
            }
        }
    });
}

double FoldLift::sum() const {
    return std::accumulate(sum_.begin(), sum_.end(), 0.0);
}

void FoldLift::mark_controls(int block, std::vector<unsigned char>& controls) const {
    const auto b = static_cast<size_t>(block);
    for (auto s = static_cast<size_t>(row_[b]); s < static_cast<size_t>(row_[b + 1]); ++s) {
        controls[static_cast<size_t>(control_[s])] = 1;
    }
}

}  // namespace cutis::fold_detail
