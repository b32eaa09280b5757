#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <queue>

#include "core/sparse.h"
#include "cutis/core/error.h"
#include "fold/field_parts.h"

namespace cutis::fold_detail {

namespace {

// Pieces of active cloth smaller than this many squared widths have no room for a fold.
constexpr double least_area = 2.0;

/// Pieces of active cloth: triangles that share a vertex belong together.
class Pieces {
public:
    Pieces(const Topology& topology, const std::vector<unsigned char>& is_active)
        : parent_(static_cast<size_t>(topology.vertex_count())) {
        std::iota(parent_.begin(), parent_.end(), 0);
        for (int f = 0; f < topology.triangle_count(); ++f) {
            if (is_active[static_cast<size_t>(f)] != 0) {
                join(topology.triangles()(f, 0), topology.triangles()(f, 1));
                join(topology.triangles()(f, 0), topology.triangles()(f, 2));
            }
        }
    }
    int of(int vertex) {
        while (parent_[static_cast<size_t>(vertex)] != vertex) {
            int& up = parent_[static_cast<size_t>(vertex)];
            up = parent_[static_cast<size_t>(up)];
            vertex = up;
        }
        return vertex;
    }

private:
    void join(int a, int b) {
        const int one = of(a);
        const int other = of(b);
        parent_[static_cast<size_t>(std::max(one, other))] = std::min(one, other);
    }
    std::vector<int> parent_;
};

/// Signs such that neighbouring directions agree where they can: best agreement first.
void comb(const Topology& topology, const std::vector<unsigned char>& is_active,
          const VectorXd& strength, MatrixX3d& direction) {
    struct Step {
        double agreement;
        int from;
        int to;
        bool operator<(const Step& other) const {
            return agreement != other.agreement ? agreement < other.agreement : to > other.to;
        }
    };
    std::vector<int> order;
    for (int f = 0; f < topology.triangle_count(); ++f) {
        if (is_active[static_cast<size_t>(f)] != 0) {
            order.push_back(f);
        }
    }
    std::stable_sort(order.begin(), order.end(),
                     [&](int a, int b) { return strength[a] > strength[b]; });
    std::vector<unsigned char> is_done(is_active.size(), 0);
    std::priority_queue<Step> waiting;
    for (const int seed : order) {
        waiting.push({1.0, seed, seed});
        while (!waiting.empty()) {
            const Step step = waiting.top();
            waiting.pop();
            if (is_done[static_cast<size_t>(step.to)] != 0) {
                continue;
            }
            is_done[static_cast<size_t>(step.to)] = 1;
            if (direction.row(step.from).dot(direction.row(step.to)) < 0.0) {
                direction.row(step.to) *= -1.0;
            }
            for (int k = 0; k < 3; ++k) {
                const int g = topology.neighbour(step.to, k);
                if (g >= 0 && is_active[static_cast<size_t>(g)] != 0 &&
                    is_done[static_cast<size_t>(g)] == 0) {
                    waiting.push(
                        {std::abs(direction.row(step.to).dot(direction.row(g))), step.to, g});
                }
            }
        }
    }
}

}  // namespace

StripeField solve_stripes(const FieldMesh& mesh, const CompressionField& compression,
                          const FoldFieldOptions& options) {
    const Topology& topology = mesh.topology();
    const MatrixX3i& triangles = topology.triangles();
    const int faces = topology.triangle_count();
    StripeField field;
    field.is_active.assign(static_cast<size_t>(faces), 0);
    field.stripe = VectorXd::Zero(topology.vertex_count());
    for (int f = 0; f < faces; ++f) {
        field.is_active[static_cast<size_t>(f)] = compression.least[f] < options.activity &&
                                                  compression.coherence[f] > options.coherence &&
                                                  mesh.areas[f] > 0.0;
    }
    Pieces pieces(topology, field.is_active);
    VectorXd area = VectorXd::Zero(topology.vertex_count());
    for (int f = 0; f < faces; ++f) {
        if (field.is_active[static_cast<size_t>(f)] != 0) {
            area[pieces.of(triangles(f, 0))] += mesh.areas[f];
        }
    }
    const double width = options.look.width.common();
    std::vector<int> unknown(static_cast<size_t>(topology.vertex_count()), -1);
    int unknowns = 0;
    for (int f = 0; f < faces; ++f) {
        unsigned char& is_active = field.is_active[static_cast<size_t>(f)];
        if (is_active != 0 && area[pieces.of(triangles(f, 0))] < least_area * width * width) {
            is_active = 0;
        }
        for (int k = 0; is_active != 0 && k < 3; ++k) {
            int& number = unknown[static_cast<size_t>(triangles(f, k))];
            number = number < 0 ? unknowns++ : number;
        }
    }
    if (unknowns == 0) {
        return field;
    }
    MatrixX3d direction = compression.direction;
    comb(topology, field.is_active, compression.strength, direction);

    // Least squares: sum over triangles of area * coherence * |grad u - d / width|^2.
    const VectorXd scale = mesh.carried(options.look.width.factors());
    std::vector<SparseEntry> entries;
    std::vector<double> right(static_cast<size_t>(unknowns), 0.0);
    double largest = 0.0;
    for (int f = 0; f < faces; ++f) {
        if (field.is_active[static_cast<size_t>(f)] == 0) {
            continue;
        }
        Vector3d slope[3];  // gradient of each corner's hat function
        double local_width = 0.0;
        const Vector3d normal = mesh.normals.row(f);
        for (int k = 0; k < 3; ++k) {
            const Vector3d opposite =
                mesh.rest.row(triangles(f, (k + 2) % 3)) - mesh.rest.row(triangles(f, (k + 1) % 3));
            slope[k] = normal.cross(opposite) / (2.0 * mesh.areas[f]);
            local_width += width * scale[triangles(f, k)] / 3.0;
        }
        const double weight = mesh.areas[f] * compression.coherence[f];
        const Vector3d wanted = direction.row(f).transpose() / local_width;
        for (int i = 0; i < 3; ++i) {
            const int row = unknown[static_cast<size_t>(triangles(f, i))];
            right[static_cast<size_t>(row)] += weight * slope[i].dot(wanted);
            for (int j = 0; j < 3; ++j) {
                const int column = unknown[static_cast<size_t>(triangles(f, j))];
                if (row >= column) {
                    const double value = weight * slope[i].dot(slope[j]);
                    entries.push_back({row, column, value});
                    largest = std::max(largest, value);
                }
            }
        }
    }
    for (int i = 0; i < unknowns;
         ++i) {  // each piece is free up to a constant: choose the small one
        entries.push_back({i, i, 1e-9 * largest});
    }
    const SparseSolver solver(compress_lower(unknowns, entries).matrix);
    solver.solve(right);
    for (int v = 0; v < topology.vertex_count(); ++v) {
        const int number = unknown[static_cast<size_t>(v)];
        field.stripe[v] = number < 0 ? 0.0 : right[static_cast<size_t>(number)];
    }

    // The most compressed place of each piece becomes a valley, the first odd line: there the two
    // folds of a pair meet.
    std::vector<int> strongest(static_cast<size_t>(topology.vertex_count()), -1);
    for (int f = 0; f < faces; ++f) {
        if (field.is_active[static_cast<size_t>(f)] != 0) {
            int& best = strongest[static_cast<size_t>(pieces.of(triangles(f, 0)))];
            if (best < 0 || compression.strength[f] > compression.strength[best]) {
                best = f;
            }
        }
    }
    VectorXd shift = VectorXd::Zero(topology.vertex_count());
    for (int v = 0; v < topology.vertex_count(); ++v) {
        const int f = strongest[static_cast<size_t>(v)];
        if (f >= 0) {
            shift[v] = 1.0 - (field.stripe[triangles(f, 0)] + field.stripe[triangles(f, 1)] +
                              field.stripe[triangles(f, 2)]) /
                                 3.0;
        }
    }
    for (int v = 0; v < topology.vertex_count(); ++v) {
        if (unknown[static_cast<size_t>(v)] >= 0) {
            field.stripe[v] += shift[pieces.of(v)];
        }
    }
    return field;
}

void warp_stripes(const FieldMesh& mesh, double width, double amount, VectorXd& stripe) {
    if (amount == 0.0) {
        return;
    }
    // Six plane waves, 2 to 5 widths long, directions spread by the golden angle; the sum of six
    // sines of random phase has a deviation of sqrt(3).
    constexpr int waves = 6;
    constexpr double golden_angle = 2.39996322972865332;
    for (Eigen::Index v = 0; v < stripe.size(); ++v) {
        const Vector3d p = mesh.rest.row(v);
        double sum = 0.0;
        for (int k = 0; k < waves; ++k) {
            const double z = 1.0 - (2.0 * k + 1.0) / waves;
            const double r = std::sqrt(1.0 - z * z);
            const Vector3d axis(r * std::cos(golden_angle * k), z, r * std::sin(golden_angle * k));
            const double length = width * (2.0 + 0.6 * k);
            sum += std::sin(2.0 * std::numbers::pi * axis.dot(p) / length + 1.7 * k);
        }
        stripe[v] += amount * sum / std::sqrt(3.0) * 0.5;
    }
}

}  // namespace cutis::fold_detail
