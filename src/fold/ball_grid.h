#pragma once

#include <array>
#include <cmath>
#include <unordered_map>
#include <vector>

#include "cutis/core/types.h"

namespace cutis::fold_detail {

/// Balls in a grid: who covers a point?
class BallGrid {
public:
    explicit BallGrid(double cell) : cell_(cell) {}
    void insert(const Vector3d& centre, double radius, int id) {
        const auto low = cell_of(centre - Vector3d::Constant(radius));
        const auto high = cell_of(centre + Vector3d::Constant(radius));
        for (long long x = low[0]; x <= high[0]; ++x) {
            for (long long y = low[1]; y <= high[1]; ++y) {
                for (long long z = low[2]; z <= high[2]; ++z) {
                    cells_[key({x, y, z})].push_back(id);
                }
            }
        }
    }
    const std::vector<int>& at(const Vector3d& point) const {
        static const std::vector<int> none;
        const auto found = cells_.find(key(cell_of(point)));
        return found == cells_.end() ? none : found->second;
    }

private:
    std::array<long long, 3> cell_of(const Vector3d& p) const {
        return {std::llround(p[0] / cell_), std::llround(p[1] / cell_), std::llround(p[2] / cell_)};
    }
    static long long key(const std::array<long long, 3>& c) {
        return (c[0] & 0x1fffff) << 42 | (c[1] & 0x1fffff) << 21 | (c[2] & 0x1fffff);
    }
    double cell_;
    std::unordered_map<long long, std::vector<int>> cells_;
};

}  // namespace cutis::fold_detail
