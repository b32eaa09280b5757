#pragma once

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <functional>
#include <random>

#include "cutis/body/body.h"
#include "cutis/body/clip.h"
#include "cutis/body/skinning.h"
#include "cutis/core/error.h"
#include "support/expect_error.h"

namespace cutis::test {

constexpr double pi = 3.14159265358979323846;

inline double largest_difference(const MatrixX3d& a, const MatrixX3d& b) {
    return (a - b).cwiseAbs().maxCoeff();
}

inline Eigen::Affine3d about(const Vector3d& axis, double angle, const Vector3d& shift) {
    return Eigen::Translation3d(shift) * Eigen::AngleAxisd(angle, axis.normalized());
}

inline MatrixX3d random_points(int count, unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> number(-1.0, 1.0);
    MatrixX3d points(count, 3);
    for (int i = 0; i < count; ++i) {
        for (int c = 0; c < 3; ++c) {
            points(i, c) = number(random);
        }
    }
    return points;
}

/// Random joints and weights, normalised.
inline SkinWeights random_weights(int vertices, int influences, int joints, unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_int_distribution<int> joint(0, joints - 1);
    std::uniform_real_distribution<double> weight(0.05, 1.0);
    SkinWeights weights;
    weights.influences = influences;
    for (int i = 0; i < vertices * influences; ++i) {
        weights.joints.push_back(static_cast<std::uint16_t>(joint(random)));
        weights.weights.push_back(weight(random));
    }
    normalise_weights(weights, joints);
    return weights;
}

/// Joints within `angle` of each other, so that every blend is well defined.
inline std::vector<Eigen::Affine3d> random_joints(int count, double angle, unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> number(-1.0, 1.0);
    std::vector<Eigen::Affine3d> joints;
    for (int j = 0; j < count; ++j) {
        const Vector3d axis(number(random), number(random), number(random));
        const Vector3d shift(number(random), number(random), number(random));
        joints.push_back(about(axis, 0.5 * angle * number(random), shift));
    }
    return joints;
}

inline Node node(const std::string& name, int parent, const Vector3d& translation,
                 const Eigen::Quaterniond& rotation = Eigen::Quaterniond::Identity()) {
    Node result;
    result.name = name;
    result.parent = parent;
    result.rest.translation = translation;
    result.rest.rotation = rotation;
    return result;
}

inline Channel channel(int node_index, ChannelTarget target, Interpolation interpolation, std::vector<double> times,
                       std::vector<double> values, int width = 3) {
    Channel result;
    result.node = node_index;
    result.target = target;
    result.interpolation = interpolation;
    result.times = std::move(times);
    result.values = std::move(values);
    result.width = width;
    return result;
}

/// x y z w of turns about one axis.
inline std::vector<double> turns_about(const Vector3d& axis, const std::vector<double>& angles) {
    std::vector<double> values;
    for (const double angle : angles) {
        const Eigen::Quaterniond q(Eigen::AngleAxisd(angle, axis.normalized()));
        values.insert(values.end(), q.coeffs().data(), q.coeffs().data() + 4);
    }
    return values;
}

}  // namespace cutis::test
