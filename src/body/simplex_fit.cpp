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
    return improve(most, weights);
}

double SimplexFit::improve(int most, Weights& weights) const {
    int largest = 0;
    for (int b = 1; b < count_; ++b) {
        largest = weights[b] > weights[largest] ? b : largest;
    }
    solve_with(largest, weights);
    double least = value(weights);
    for (int round = 0; round < 4 * count_; ++round) {
        // Slope of the error as weight moves to a bone from those in use: the steepest that helps is taken.
        const Weights slope = gram_ * weights;
        const double level = weights.dot(slope);
        const double enough = 1e-12 * std::abs(level) + tiny;
        std::array<int, most_candidates> order{};
        int size = 0;
        for (int b = 0; b < count_; ++b) {
            if (weights[b] == 0.0 && slope[b] - level < -enough) {
                order[size++] = b;
            }
        }
        std::sort(order.begin(), order.begin() + size,
                  [&](int a, int b) { return slope[a] < slope[b] || (slope[a] == slope[b] && a < b); });
        if (std::none_of(order.begin(), order.begin() + size,
                         [&](int b) { return exchange(b, most, least, weights); })) {
            break;
        }
    }
    return value(weights);
}

/// One more in use; for it, where there are enough, the one goes that is missed least. \return whether that helps
bool SimplexFit::exchange(int added, int most, double& least, Weights& weights) const {
    constexpr double noticed = 1.0 - 1e-12;
    const Weights before = weights;
    const bool is_full = (before.array() > 0.0).count() >= most;
    const double level = least * noticed;
    for (int gone = 0; gone < (is_full ? count_ : 1); ++gone) {
        if (is_full && !(before[gone] > 0.0)) {
            continue;
        }
        Weights tried = before;
        if (is_full) {
            tried[gone] = 0.0;
            const double left = tried.sum();
            tried /= left > 0.0 ? left : 1.0;
        }
        solve_with(added, tried);
        const double now = value(tried);
        if (now < level && now < least) {
            least = now;
            weights = tried;
        }
    }
    return least < level;
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
