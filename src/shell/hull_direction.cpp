#include <Eigen/LU>
#include <array>
#include <cmath>

#include "shell/safe_offset.h"

namespace cutis {

namespace {

/// Corners of the simplex that holds the current point, with their weights.
struct Simplex {
    std::array<Vector3d, 4> corners;
    std::array<double, 4> weights{};
    int count = 0;

    Vector3d point() const {
        Vector3d sum = Vector3d::Zero();
        for (int i = 0; i < count; ++i) {
            sum += weights[i] * corners[i];
        }
        return sum;
    }

    void remove(int i) {
        for (int k = i; k + 1 < count; ++k) {
            corners[k] = corners[static_cast<size_t>(k) + 1];
            weights[k] = weights[static_cast<size_t>(k) + 1];
        }
        --count;
    }
};

/// Weights (sum 1, any sign) of the point nearest to the origin in the plane through the corners:
/// the bordered system [0 1; 1 P^T P] (mu, w) = (1, 0).
std::array<double, 4> affine_weights(const Simplex& simplex) {
    const int n = simplex.count;
    Eigen::Matrix<double, 5, 5> system = Eigen::Matrix<double, 5, 5>::Identity();
    Eigen::Matrix<double, 5, 1> right = Eigen::Matrix<double, 5, 1>::Zero();
    system(0, 0) = 0.0;
    right[0] = 1.0;
    for (int i = 0; i < n; ++i) {
        system(0, i + 1) = system(i + 1, 0) = 1.0;
        for (int j = 0; j < n; ++j) {
            system(i + 1, j + 1) = simplex.corners[i].dot(simplex.corners[j]);
        }
    }
    const Eigen::Matrix<double, 5, 1> solution = system.fullPivLu().solve(right);
    return {solution[1], solution[2], solution[3], solution[4]};
}

}  // namespace

std::optional<Vector3d> hull_direction(std::span<const Vector3d> normals) {
    if (normals.empty()) {
        return std::nullopt;
    }
    Simplex simplex;
    simplex.corners[0] = normals[0];
    simplex.weights[0] = 1.0;
    simplex.count = 1;
    constexpr double tolerance = 1e-14;
    constexpr int most_rounds = 200;
    for (int round = 0; round < most_rounds; ++round) {
        const Vector3d nearest = simplex.point();
        size_t lowest = 0;
        double lowest_product = nearest.dot(normals[0]);
        for (size_t i = 1; i < normals.size(); ++i) {
            const double product = nearest.dot(normals[i]);
            if (product < lowest_product) {
                lowest_product = product;
                lowest = i;
            }
        }
        if (nearest.squaredNorm() - lowest_product <= tolerance || simplex.count == 4) {
            break;
        }
        simplex.corners[simplex.count] = normals[lowest];
        simplex.weights[simplex.count] = 0.0;
        ++simplex.count;
        // Walk to the nearest point of the plane; leave corners whose weight would turn negative.
        while (simplex.count > 1) {
            const std::array<double, 4> wanted = affine_weights(simplex);
            double reach = 1.0;
            int leaving = -1;
            for (int i = 0; i < simplex.count; ++i) {
                const double now = simplex.weights[i];
                const double next = wanted[i];
                if (next < tolerance && now - next > 0.0 && now / (now - next) <= reach) {
                    reach = now / (now - next);
                    leaving = i;
                }
            }
            for (int i = 0; i < simplex.count; ++i) {
                double& weight = simplex.weights[i];
                weight += reach * (wanted[i] - weight);
            }
            if (leaving < 0) {
                break;
            }
            simplex.remove(leaving);
        }
    }
    const Vector3d nearest = simplex.point();
    const double length = nearest.norm();
    // The least product of the unit direction equals the hull's distance from the origin.
    if (!(length > hull_margin)) {
        return std::nullopt;
    }
    const Vector3d direction = nearest / length;
    for (const Vector3d& normal : normals) {
        if (!(direction.dot(normal) > 0.5 * hull_margin)) {
            return std::nullopt;
        }
    }
    return direction;
}

}  // namespace cutis
