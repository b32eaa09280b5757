#include "body/simplex_fit.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace cutis {

namespace {

constexpr double tiny = 1e-300;
constexpr int most_unknowns = SimplexFit::most_candidates + 1;

/// Rows of a small linear system with its right side at the end.
using SmallSystem = std::array<std::array<double, most_unknowns + 1>, most_unknowns>;

/// Gauss-Jordan elimination with pivots; then the unknowns are a[i][n] / a[i][i]. \return false: singular
bool eliminate(SmallSystem& a, int n) {
    for (int p = 0; p < n; ++p) {
        int pivot = p;
        for (int r = p + 1; r < n; ++r) {
            pivot = std::abs(a[r][p]) > std::abs(a[pivot][p]) ? r : pivot;
        }
        std::swap(a[p], a[pivot]);
        if (!(std::abs(a[p][p]) > tiny)) {
            return false;
        }
        for (int r = 0; r < n; ++r) {
            const double factor = r == p ? 0.0 : a[r][p] / a[p][p];
            for (int c = p; c <= n && factor != 0.0; ++c) {
                a[r][c] -= factor * a[p][c];
            }
        }
    }
    return true;
}

}  // namespace

double SimplexFit::fit(int most, Weights& weights) const {
    weights = Weights::Zero(count_);
    int first = 0;
    for (int b = 1; b < count_; ++b) {
        first = gram_(b, b) < gram_(first, first) ? b : first;
    }
    weights[first] = 1.0;
    for (int round = 0; round < 4 * count_; ++round) {
        // Slope of the error as weight moves to a bone from those in use.
        const Weights slope = gram_ * weights;
        const double level = weights.dot(slope);
        int best = -1;
        double gain = -1e-12 * std::abs(level) - tiny;
        for (int b = 0; b < count_; ++b) {
            if (weights[b] == 0.0 && slope[b] - level < gain) {
                gain = slope[b] - level;
                best = b;
            }
        }
        if (best < 0) {
            break;
        }
        const Weights before = weights;
        if ((weights.array() > 0.0).count() >= most) {
            make_room(weights);
        }
        solve_with(best, weights);
        if (!(value(weights) < value(before))) {
            weights = before;
            break;
        }
    }
    return value(weights);
}

/// The least weight goes, the others share what it had.
void SimplexFit::make_room(Weights& weights) const {
    int least = -1;
    for (int b = 0; b < count_; ++b) {
        least = weights[b] > 0.0 && (least < 0 || weights[b] < weights[least]) ? b : least;
    }
    weights[least] = 0.0;
    const double left = weights.sum();
    weights /= left > 0.0 ? left : 1.0;
}

/// The minimum over those in use and one more, all at least 0.
void SimplexFit::solve_with(int added, Weights& weights) const {
    std::array<int, most_candidates> set{};
    int size = 0;
    for (int b = 0; b < count_; ++b) {
        if (weights[b] > 0.0 || b == added) {
            set[size++] = b;
        }
    }
    if (!(weights.sum() > 0.0)) {
        weights[added] = 1.0;
    }
    while (size > 0) {
        // Lagrange: G w + mu = 0, sum w = 1.
        SmallSystem a{};
        for (int i = 0; i < size; ++i) {
            for (int j = 0; j < size; ++j) {
                a[i][j] = gram_(set[i], set[j]) + (i == j ? 1e-10 * std::abs(gram_(set[i], set[i])) : 0.0);
            }
            a[i][size] = a[size][i] = 1.0;
        }
        a[size][size + 1] = 1.0;
        if (!eliminate(a, size + 1)) {
            return;
        }
        // As far towards it as no weight falls below 0; the first that would is dropped.
        double way = 1.0;
        int falls = -1;
        std::array<double, most_candidates> wanted{};
        for (int i = 0; i < size; ++i) {
            wanted[i] = a[i][size + 1] / a[i][i];
            if (wanted[i] <= 0.0) {
                const double now = weights[set[i]];
                const double here = now - wanted[i] > 0.0 ? now / (now - wanted[i]) : 0.0;
                if (falls < 0 || here < way) {
                    way = here;
                    falls = i;
                }
            }
        }
        for (int i = 0; i < size; ++i) {
            weights[set[i]] += way * (wanted[i] - weights[set[i]]);
        }
        if (falls < 0) {
            return;
        }
        weights[set[falls]] = 0.0;
        set[falls] = set[--size];
    }
}

}  // namespace cutis
