#include "mesh/adaptive_loop.h"

#include <algorithm>

#include "cutis/core/error.h"

namespace cutis {

// Faces of all levels, addressed as (level, triangle of the uniform mesh of that level).
struct AdaptiveLoop::Tree {
    const Topology& finest;
    int levels;
    std::vector<std::vector<unsigned char>> is_split;  // a split face has split ancestors

    Tree(const Topology& finest_topology, int level_count)
        : finest(finest_topology), levels(level_count), is_split(size_t(level_count) + 1) {
        for (int level = 0; level <= levels; ++level) {
            is_split[size_t(level)].assign(size_t(face_count(level)), 0);
        }
    }

    int face_count(int level) const { return finest.triangle_count() >> (2 * (levels - level)); }
    bool splits(int level, int f) const { return is_split[size_t(level)][size_t(f)] != 0; }
    bool exists(int level, int f) const { return level == 0 || splits(level - 1, f >> 2); }

    void split(int level, int f) {
        for (; level >= 0 && !splits(level, f); --level, f >>= 2) {
            is_split[size_t(level)][size_t(f)] = 1;
        }
    }
    // Corner k of a face is corner 0 of its child k, and so on down; side k begins there.
    int finest_at_corner(int level, int f, int k) const {
        return level == levels ? f : (4 * f + k) << (2 * (levels - level - 1));
    }
    int corner(int level, int f, int k) const {
        return finest.triangles()(finest_at_corner(level, f, k), level == levels ? k : 0);
    }
    int middle(int level, int f, int k) const { return corner(level + 1, 4 * f + k, 1); }
    int neighbour(int level, int f, int k) const {
        const int across = finest.neighbour(finest_at_corner(level, f, k), level == levels ? k : 0);
        return across < 0 ? -1 : across >> (2 * (levels - level));
    }
    // A side has its middle as a vertex where the face across is split.
    bool is_halved(int level, int f, int k) const {
        const int across = level < levels ? neighbour(level, f, k) : -1;
        return across >= 0 && exists(level, across) && splits(level, across);
    }
    // Is one of the halves of side k halved again by the faces across?
    bool is_quartered(int level, int f, int k) const {
        return level + 1 < levels && is_halved(level, f, k) &&
               (is_halved(level + 1, 4 * f + k, 0) || is_halved(level + 1, 4 * f + (k + 1) % 3, 2));
    }
    int halved_sides(int level, int f) const {
        return int(is_halved(level, f, 0)) + int(is_halved(level, f, 1)) + int(is_halved(level, f, 2));
    }

    // Neighbours at most one level apart; two halved sides are as good as a split.
    void balance() {
        for (bool changed = true; changed;) {
            changed = false;
            for (int level = levels - 1; level >= 0; --level) {
                for (int f = 0; f < face_count(level); ++f) {
                    if (splits(level, f) || !exists(level, f)) {
                        continue;
                    }
                    if (halved_sides(level, f) > 1 || is_quartered(level, f, 0) || is_quartered(level, f, 1) ||
                        is_quartered(level, f, 2)) {
                        split(level, f);
                        changed = true;
                    }
                }
            }
        }
    }
};

AdaptiveLoop::AdaptiveLoop(const Topology& base, int coarse_level, const std::vector<unsigned char>& wanted, int levels)
    : levels_(levels) {
    const LoopSubdivision uniform(base, levels);
    require(coarse_level >= 0 && coarse_level <= levels &&
                wanted.size() == static_cast<size_t>(base.triangle_count()) << (2 * coarse_level),
            "adaptive subdivision: expected a wanted level for each of the ", base.triangle_count(), " * 4^",
            coarse_level, " triangles, found ", wanted.size());
    uniform_vertex_count_ = uniform.topology().vertex_count();
    Tree tree(uniform.topology(), levels);
    for (size_t f = 0; f < wanted.size(); ++f) {
        require(wanted[f] <= levels, "adaptive subdivision: triangle ", f, ": expected a level of 0 to ", levels,
                ", found ", int(wanted[f]));
        const int face = static_cast<int>(f);
        for (int level = 0; level < wanted[f]; ++level) {
            if (level <= coarse_level) {
                tree.split(level, face >> (2 * (coarse_level - level)));
                continue;
            }
            const int first = face << (2 * (level - coarse_level));
            for (int i = 0; i < 1 << (2 * (level - coarse_level)); ++i) {
                tree.split(level, first + i);
            }
        }
    }
    tree.balance();

    // Leaves in order of their place: triangles with finest vertex numbers first.
    std::vector<std::array<int, 3>> triangles;
    const auto add = [&](int level, int f, std::array<int, 3> corners, const std::array<Vector3d, 3>& weights) {
        triangles.push_back(corners);
        // Corners of the face in the base's parameters: read at the finest faces in its corners.
        Vector3d at[3];
        SurfacePoint point;
        for (int k = 0; k < 3; ++k) {
            point = uniform.point_in_parent(tree.finest_at_corner(level, f, k), level == levels ? k : 0);
            at[k] = point.barycentric;
        }
        for (const Vector3d& w : weights) {
            point.barycentric = w[0] * at[0] + w[1] * at[1] + w[2] * at[2];
            corner_points_.push_back(point);
        }
    };
    leaf_.resize(static_cast<size_t>(levels) + 1);
    for (int level = 0; level <= levels; ++level) {
        std::vector<int>& leaf = leaf_[level];
        leaf.assign(static_cast<size_t>(tree.face_count(level)), -1);
        for (int f = 0; f < tree.face_count(level); ++f) {
            if (!tree.exists(level, f)) {
                continue;
            }
            if (tree.splits(level, f)) {
                leaf[f] = -2;
                continue;
            }
            leaf[f] = static_cast<int>(triangles.size());
            int side = -1;
            for (int k = 0; k < 3; ++k) {
                side = tree.is_halved(level, f, k) ? k : side;
            }
            green_side_.push_back(static_cast<short>(side));
            if (side < 0) {
                add(level, f, {tree.corner(level, f, 0), tree.corner(level, f, 1), tree.corner(level, f, 2)},
                    {Vector3d::UnitX(), Vector3d::UnitY(), Vector3d::UnitZ()});
                continue;
            }
            green_side_.push_back(-1);
            const int a = side;
            const int b = (side + 1) % 3;
            const int c = (side + 2) % 3;
            const int middle = tree.middle(level, f, side);
            const Vector3d half = 0.5 * (Vector3d::Unit(a) + Vector3d::Unit(b));
            add(level, f, {tree.corner(level, f, a), middle, tree.corner(level, f, c)},
                {Vector3d(Vector3d::Unit(a)), half, Vector3d(Vector3d::Unit(c))});
            add(level, f, {middle, tree.corner(level, f, b), tree.corner(level, f, c)},
                {half, Vector3d(Vector3d::Unit(b)), Vector3d(Vector3d::Unit(c))});
        }
    }

    std::vector<int> kept;
    std::vector<int> number(static_cast<size_t>(uniform_vertex_count_), -1);
    for (const auto& triangle : triangles) {
        for (const int v : triangle) {
            number[v] = 0;
        }
    }
    for (int v = 0; v < uniform_vertex_count_; ++v) {
        if (number[v] == 0) {
            number[v] = static_cast<int>(kept.size());
            kept.push_back(v);
        }
    }
    MatrixX3i faces(static_cast<Eigen::Index>(triangles.size()), 3);
    for (size_t f = 0; f < triangles.size(); ++f) {
        for (size_t k = 0; k < 3; ++k) {
            faces(static_cast<Eigen::Index>(f), static_cast<Eigen::Index>(k)) = number[triangles[f][k]];
        }
    }
    topology_ = Topology(std::move(faces), static_cast<int>(kept.size()));
    stencils_ = uniform.stencils(kept);
}

void AdaptiveLoop::renumber(const std::vector<int>& order) {
    std::vector<int> number(static_cast<size_t>(topology_.vertex_count()), -1);
    require(order.size() == number.size(), "adaptive subdivision: expected an order of ", number.size(),
            " vertices, found ", order.size());
    for (size_t v = 0; v < order.size(); ++v) {
        require(order[v] >= 0 && static_cast<size_t>(order[v]) < number.size() && number[order[v]] < 0,
                "adaptive subdivision: place ", v, " of the order: expected each vertex once, found ", order[v]);
        number[order[v]] = static_cast<int>(v);
    }
    MatrixX3i triangles = topology_.triangles();
    for (Eigen::Index i = 0; i < triangles.size(); ++i) {
        int& v = triangles.data()[i];
        v = number[v];
    }
    topology_ = Topology(std::move(triangles), static_cast<int>(order.size()));
    stencils_ = selected(stencils_, order);
}

SurfacePoint AdaptiveLoop::locate(const SurfacePoint& point) const {
    Vector3d b = point.barycentric;
    int f = point.triangle;
    int level = 0;
    for (; leaf_[level][f] == -2; ++level) {
        int child = 3;
        for (int k = 0; k < 3; ++k) {
            child = b[k] >= 0.5 ? k : child;
        }
        if (child == 3) {
            b = Vector3d(1.0 - 2.0 * b[2], 1.0 - 2.0 * b[0], 1.0 - 2.0 * b[1]).eval();
        } else {
            const double next = b[(child + 1) % 3];
            const double last = b[(child + 2) % 3];
            b = Vector3d(b[child] - next - last, 2.0 * next, 2.0 * last);
        }
        f = 4 * f + child;
    }
    SurfacePoint found;
    found.triangle = leaf_[level][f];
    const int side = green_side_[found.triangle];
    if (side < 0) {
        found.barycentric = b;
        return found;
    }
    const double first = b[side];
    const double second = b[(side + 1) % 3];
    const double last = b[(side + 2) % 3];
    if (first >= second) {
        found.barycentric = Vector3d(first - second, 2.0 * second, last);
    } else {
        ++found.triangle;
        found.barycentric = Vector3d(2.0 * first, second - first, last);
    }
    return found;
}

}  // namespace cutis
