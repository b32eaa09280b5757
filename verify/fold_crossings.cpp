#include "verify/fold_crossings.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <tuple>

namespace cutis::verify {

namespace {

using Box = Eigen::AlignedBox3d;

/// Does the segment from p to q pass through the inside of triangle a b c?
bool passes_through(const Vector3d& p, const Vector3d& q, const Vector3d& a, const Vector3d& b, const Vector3d& c) {
    const Vector3d normal = (b - a).cross(c - a);
    const double above = normal.dot(p - a);
    const double below = normal.dot(q - a);
    if (!(above * below < 0.0)) {
        return false;
    }
    const Vector3d at = p + above / (above - below) * (q - p);
    return normal.dot((b - a).cross(at - a)) > 0.0 && normal.dot((c - b).cross(at - b)) > 0.0 &&
           normal.dot((a - c).cross(at - c)) > 0.0;
}

struct Entry {
    std::int64_t cell;
    int triangle;
};

}  // namespace

MatrixX3i joined_at(const MatrixX3i& triangles, const MatrixX3d& rest) {
    std::map<std::tuple<double, double, double>, int> first;
    MatrixX3i joined = triangles;
    std::vector<int> number;
    for (Eigen::Index v = 0; v < rest.rows(); ++v) {
        number.push_back(first.try_emplace({rest(v, 0), rest(v, 1), rest(v, 2)}, static_cast<int>(v)).first->second);
    }
    for (int& corner : joined.reshaped()) {
        corner = number[static_cast<size_t>(corner)];
    }
    return joined;
}

Crossings find_crossings(const MatrixX3i& corner, const MatrixX3d& positions) {
    const auto count = static_cast<int>(corner.rows());
    std::vector<Box> boxes(static_cast<size_t>(count));
    double size = 0.0;
    for (int f = 0; f < count; ++f) {
        Box& box = boxes[static_cast<size_t>(f)];
        for (int k = 0; k < 3; ++k) {
            box.extend(Vector3d(positions.row(corner(f, k))));
        }
        size += box.diagonal().norm() / count;
    }
    const auto cell_of = [size](const Vector3d& p) {
        return Eigen::Array<std::int64_t, 3, 1>((p / size).array().floor().cast<std::int64_t>());
    };
    const auto key = [](std::int64_t x, std::int64_t y, std::int64_t z) {
        return (x & 0x1fffff) << 42 | (y & 0x1fffff) << 21 | (z & 0x1fffff);
    };
    std::vector<Entry> entries;
    for (int f = 0; f < count; ++f) {
        const auto low = cell_of(boxes[static_cast<size_t>(f)].min());
        const auto high = cell_of(boxes[static_cast<size_t>(f)].max());
        for (std::int64_t x = low[0]; x <= high[0]; ++x) {
            for (std::int64_t y = low[1]; y <= high[1]; ++y) {
                for (std::int64_t z = low[2]; z <= high[2]; ++z) {
                    entries.push_back({key(x, y, z), f});
                }
            }
        }
    }
    std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
        return std::tie(a.cell, a.triangle) < std::tie(b.cell, b.triangle);
    });
    Crossings found;
    found.is_crossing.assign(static_cast<size_t>(count), 0);
    const auto shares_corner = [&](int f, int g) {
        for (int i = 0; i < 9; ++i) {
            if (corner(f, i / 3) == corner(g, i % 3)) {
                return true;
            }
        }
        return false;
    };
    const auto cuts = [&](int f, int g) {
        const auto at = [&](int t, int k) { return Vector3d(positions.row(corner(t, k % 3))); };
        for (int k = 0; k < 3; ++k) {
            if (passes_through(at(f, k), at(f, k + 1), at(g, 0), at(g, 1), at(g, 2))) {
                return true;
            }
        }
        return false;
    };
    for (size_t begin = 0; begin < entries.size();) {
        size_t end = begin;
        while (end < entries.size() && entries[end].cell == entries[begin].cell) {
            ++end;
        }
        for (size_t i = begin; i < end; ++i) {
            for (size_t j = i + 1; j < end; ++j) {
                const int f = entries[i].triangle;
                const int g = entries[j].triangle;
                const Box common = boxes[static_cast<size_t>(f)].intersection(boxes[static_cast<size_t>(g)]);
                if (common.isEmpty() || shares_corner(f, g)) {
                    continue;
                }
                const auto first = cell_of(common.min());  // each pair once: in the first cell both are in
                if (key(first[0], first[1], first[2]) == entries[begin].cell && (cuts(f, g) || cuts(g, f))) {
                    ++found.pairs;
                    found.is_crossing[static_cast<size_t>(f)] = 1;
                    found.is_crossing[static_cast<size_t>(g)] = 1;
                }
            }
        }
        begin = end;
    }
    return found;
}

int far_crossings(const Crossings& plain, const Crossings& folded, const MatrixX3i& triangles, const MatrixX3d& base,
                  double width) {
    const auto middle = [&](size_t f) {
        const auto t = triangles.row(static_cast<Eigen::Index>(f));
        return Vector3d((base.row(t[0]) + base.row(t[1]) + base.row(t[2])) / 3.0);
    };
    std::vector<Vector3d> known;
    for (size_t f = 0; f < plain.is_crossing.size(); ++f) {
        if (plain.is_crossing[f] != 0) {
            known.push_back(middle(f));
        }
    }
    int far = 0;
    for (size_t f = 0; f < folded.is_crossing.size(); ++f) {
        if (folded.is_crossing[f] != 0) {
            const Vector3d here = middle(f);
            far += std::none_of(known.begin(), known.end(),
                                [&](const Vector3d& other) { return (here - other).squaredNorm() < width * width; })
                       ? 1
                       : 0;
        }
    }
    return far;
}

}  // namespace cutis::verify
