#include "mesh/pairing.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>

#include "mesh/sides.h"

namespace cutis::mesh_internal {
namespace {

// A crowd of this many triangles at one edge is noise: nothing there is a surface.
constexpr size_t most_paired = 64;

class Pairer {
public:
    Pairer(const MatrixX3d& positions, const MatrixX3i& triangles, const MatrixX3i& unwelded)
        : positions_(positions), unwelded_(unwelded), partner_(static_cast<size_t>(triangles.size()), -1) {
        result_.triangles = triangles;
        result_.is_flipped.assign(static_cast<size_t>(triangles.rows()), 0);
    }

    Pairing run() {
        pair_edges();
        turn_islands();
        number_fans(result_.triangles);
        if (cut_what_is_left()) {
            number_fans(result_.triangles);
        }
        return std::move(result_);
    }

private:
    int vertex_count() const { return static_cast<int>(positions_.rows()); }
    int from(int side) const { return result_.triangles(side / 3, side % 3); }
    int to(int side) const { return result_.triangles(side / 3, (side % 3 + 1) % 3); }
    int apex(int side) const { return result_.triangles(side / 3, (side % 3 + 2) % 3); }

    void join(int a, int b) {
        partner_[a] = b;
        partner_[b] = a;
    }
    void part(int side) {
        const int other = partner_[side];
        if (other >= 0) {
            partner_[side] = partner_[other] = -1;
        }
    }

    // Calls use(first, last) with the range in sides of each edge that two and more sides share.
    template <class Use>
    static void for_edges(const SortedSides& sides, const Use& use) {
        for (size_t v = 0; v + 1 < sides.offsets.size(); ++v) {
            const size_t last = static_cast<size_t>(sides.offsets[v + 1]);
            for (size_t begin = static_cast<size_t>(sides.offsets[v]); begin < last;) {
                size_t end = begin + 1;
                while (end < last && sides.higher[end] == sides.higher[begin]) {
                    ++end;
                }
                if (end - begin > 1) {
                    use(sides.side.data() + begin, sides.side.data() + end);
                }
                begin = end;
            }
        }
    }

    void pair_edges() {
        const SortedSides sides = sort_sides(result_.triangles, vertex_count());
        for_edges(sides, [this](const int* begin, const int* end) {
            if (end - begin == 2) {
                if (apex(begin[0]) != apex(begin[1])) {
                    join(begin[0], begin[1]);
                }
                return;
            }
            ++result_.crowded_edges;
            pair_crowd(begin, end);
        });
    }

    bool shares_file_vertices(int a, int b) const {
        const auto corner = [this](int side, int next) { return unwelded_(side / 3, (side % 3 + next) % 3); };
        return corner(a, 0) == corner(b, 1) && corner(a, 1) == corner(b, 0);
    }

    void pair_crowd(const int* begin, const int* end) {
        if (static_cast<size_t>(end - begin) > most_paired) {
            return;
        }
        const int low = std::min(from(*begin), to(*begin));
        const int high = std::max(from(*begin), to(*begin));
        const Vector3d along = (positions_.row(high) - positions_.row(low)).transpose().normalized();
        std::vector<Vector3d> across;
        for (const int* side = begin; side != end; ++side) {
            const Vector3d arm = (positions_.row(apex(*side)) - positions_.row(low)).transpose();
            across.push_back((arm - along * along.dot(arm)).normalized());
        }
        // (not the file's own, bend from 0 for flat to 2 for folded back, sides)
        std::vector<std::tuple<bool, double, int, int>> pairs;
        for (const int* a = begin; a != end; ++a) {
            for (const int* b = a + 1; b != end; ++b) {
                if (from(*a) == to(*b) && apex(*a) != apex(*b)) {
                    pairs.emplace_back(!shares_file_vertices(*a, *b), 1.0 + across[a - begin].dot(across[b - begin]),
                                       *a, *b);
                }
            }
        }
        std::sort(pairs.begin(), pairs.end());
        for (const auto& [is_other, bend, a, b] : pairs) {
            if (partner_[a] < 0 && partner_[b] < 0) {
                join(a, b);
            }
        }
    }

    // Two neighbours agree where their common edge runs in opposite directions.
    bool agree(int side) const { return from(side) == to(partner_[side]); }

    void turn_islands() {
        const int count = static_cast<int>(result_.triangles.rows());
        std::vector<signed char> turn(static_cast<size_t>(count), -1);
        std::vector<int> island;
        for (int start = 0; start < count; ++start) {
            if (turn[start] >= 0) {
                continue;
            }
            turn[start] = 0;
            island.assign(1, start);
            double kept = 0.0;
            double turned = 0.0;
            for (size_t i = 0; i < island.size(); ++i) {
                const int f = island[i];
                const Eigen::RowVector3d p = positions_.row(result_.triangles(f, 0));
                const Eigen::RowVector3d q = positions_.row(result_.triangles(f, 1)) - p;
                const Eigen::RowVector3d r = positions_.row(result_.triangles(f, 2)) - p;
                (turn[f] != 0 ? turned : kept) += q.cross(r).norm();
                for (int side = 3 * f; side < 3 * f + 3; ++side) {
                    if (partner_[side] < 0) {
                        continue;
                    }
                    const signed char expected = agree(side) ? turn[f] : static_cast<signed char>(1 - turn[f]);
                    signed char& known = turn[partner_[side] / 3];
                    if (known < 0) {
                        known = expected;
                        island.push_back(partner_[side] / 3);
                    } else if (known != expected) {
                        part(side);
                    }
                }
            }
            const signed char minority = turned > kept ? 0 : 1;
            for (const int f : island) {
                result_.is_flipped[f] = turn[f] == minority ? 1 : 0;
            }
        }
        // Corners a b c become a c b: side k becomes side 2 - k.
        const auto moved = [this](int side) {
            return result_.is_flipped[side / 3] != 0 ? 3 * (side / 3) + 2 - side % 3 : side;
        };
        std::vector<int> partner(partner_.size(), -1);
        for (int side = 0; side < 3 * count; ++side) {
            partner[moved(side)] = partner_[side] < 0 ? -1 : moved(partner_[side]);
        }
        partner_ = std::move(partner);
        for (int f = 0; f < count; ++f) {
            if (result_.is_flipped[f] != 0) {
                std::swap(result_.triangles(f, 1), result_.triangles(f, 2));
            }
        }
    }

    void number_fans(const MatrixX3i& triangles) {
        result_.neighbours.resize(triangles.rows(), 3);
        for (size_t side = 0; side < partner_.size(); ++side) {
            result_.neighbours.data()[side] = partner_[side] < 0 ? -1 : partner_[side] / 3;
        }
        const CornersAround around = corners_around(triangles, vertex_count());
        result_.fan_of_corner.assign(around.corner.size(), -1);
        std::vector<int> fan(around.corner.size());
        for (size_t v = 0; v + 1 < around.offsets.size(); ++v) {
            int fans = 0;
            for (int i = around.offsets[v]; i < around.offsets[v + 1]; ++i) {
                const int corner = around.corner[i];
                if (result_.fan_of_corner[corner] >= 0) {
                    continue;
                }
                const int length = walk_fan(result_.neighbours, triangles, corner, fan.data());
                for (int j = 0; j < length; ++j) {
                    result_.fan_of_corner[fan[j]] = fans;
                }
                ++fans;
            }
        }
    }

    // Two sheets through one edge may hang together round both of its ends, so that splitting by
    // fans leaves the edge crowded. Then only one pair stays there; the other triangles are cut off.
    bool cut_what_is_left() {
        const SortedSides sides = sort_sides(result_.triangles, vertex_count());
        std::vector<unsigned char> is_loose(result_.is_flipped.size(), 0);
        const auto fans = [this](int side) {
            const int next = 3 * (side / 3) + (side % 3 + 1) % 3;
            const bool is_up = from(side) < to(side);
            return std::array<int, 2>{result_.fan_of_corner[is_up ? side : next],
                                      result_.fan_of_corner[is_up ? next : side]};
        };
        std::vector<std::pair<std::array<int, 2>, int>> here;
        for_edges(sides, [&](const int* begin, const int* end) {
            here.clear();
            for (const int* side = begin; side != end; ++side) {
                here.emplace_back(fans(*side), *side);
            }
            std::sort(here.begin(), here.end());
            int kept = -1;
            for (size_t i = 0; i < here.size(); ++i) {
                const int side = here[i].second;
                kept = i == 0 || here[i].first != here[i - 1].first ? -1 : kept;
                if (is_loose[side / 3] == 0 && kept < 0) {
                    kept = side;
                } else if (side != partner_[kept < 0 ? side : kept]) {
                    is_loose[side / 3] = 1;
                }
            }
        });
        for (size_t f = 0; f < is_loose.size(); ++f) {
            if (is_loose[f] != 0) {
                ++result_.loose_triangles;
                for (int side = 3 * static_cast<int>(f); side < 3 * static_cast<int>(f) + 3; ++side) {
                    part(side);
                }
            }
        }
        return result_.loose_triangles > 0;
    }

    const MatrixX3d& positions_;
    const MatrixX3i& unwelded_;
    std::vector<int> partner_;  // side 3 f + k across each side, -1: none
    Pairing result_;
};

}  // namespace

Pairing pair_sides(const MatrixX3d& positions, const MatrixX3i& triangles, const MatrixX3i& unwelded) {
    return Pairer(positions, triangles, unwelded).run();
}

}  // namespace cutis::mesh_internal
