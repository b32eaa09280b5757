#pragma once

#include <Eigen/Core>
#include <limits>
#include <random>
#include <vector>

namespace cutis {

using Dense = Eigen::MatrixXd;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// Between -1 and 1.
inline std::vector<double> random_numbers(size_t count, std::mt19937_64& random) {
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    std::vector<double> numbers(count);
    for (double& number : numbers) {
        number = uniform(random);
    }
    return numbers;
}

}  // namespace cutis
