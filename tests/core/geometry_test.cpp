#include "core/geometry.h"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <Eigen/SVD>
#include <limits>
#include <numbers>
#include <random>

#include "cutis/core/error.h"

namespace cutis {
namespace {

using Eigen::Matrix3d;
using Eigen::Quaterniond;

struct Random {
    std::mt19937_64 engine{5};
    std::normal_distribution<double> normal;

    Vector3d vector() { return {normal(engine), normal(engine), normal(engine)}; }
    Vector3d unit() { return vector().normalized(); }
    Matrix3d matrix() {
        Matrix3d m;
        m << vector(), vector(), vector();
        return m;
    }
    Matrix3d rotation() {
        return Quaterniond(normal(engine), normal(engine), normal(engine), normal(engine))
            .normalized()
            .toRotationMatrix();
    }
};

Matrix3d as_matrix(const Vector3d& a, const Vector3d& b) {
    Matrix3d r;
    for (int k = 0; k < 3; ++k) {
        r.col(k) = rotate_minimally(a, b, Vector3d::Unit(k));
    }
    return r;
}

TEST(minimal_rotation, is_the_rotation_about_a_cross_b_that_takes_a_to_b) {
    Random random;
    for (int i = 0; i < 1000; ++i) {
        const Vector3d a = random.unit();
        const Vector3d b = random.unit();
        if (1.0 + a.dot(b) < 0.1) {
            continue;
        }
        const Matrix3d expected = Quaterniond::FromTwoVectors(a, b).toRotationMatrix();
        ASSERT_LT((as_matrix(a, b) - expected).cwiseAbs().maxCoeff(), 1e-13);
        ASSERT_LT((least_turn(a, b).toRotationMatrix() - expected).cwiseAbs().maxCoeff(), 1e-13);
    }
    EXPECT_EQ(as_matrix(Vector3d::UnitX(), Vector3d::UnitX()), Matrix3d::Identity());
}

TEST(minimal_rotation, is_half_a_turn_between_opposite_vectors) {
    Random random;
    for (int i = 0; i < 100; ++i) {
        const Vector3d a = random.unit();
        const Quaterniond turn = least_turn(a, -a);
        ASSERT_LT((turn * a + a).norm(), 1e-14);
        ASSERT_NEAR(turn.norm(), 1.0, 1e-15);
        // Nearly opposite, too.
        const Vector3d b = (1e-5 * random.unit() - a).normalized();
        ASSERT_LT((least_turn(a, b) * a - b).norm(), 1e-9);
    }
}

TEST(minimal_rotation, projects_onto_the_plane_of_b_when_a_and_b_are_nearly_opposite) {
    const Vector3d b = Vector3d::UnitZ();
    // cos = -0.91: 1 + a.b = 0.09, just inside the guard.
    const Vector3d a(std::sqrt(1.0 - 0.91 * 0.91), 0.0, -0.91);
    EXPECT_EQ(rotate_minimally(a, b, Vector3d(1.0, 2.0, 3.0)), Vector3d(1.0, 2.0, 0.0));
    EXPECT_EQ(rotate_minimally(-b, b, Vector3d(1.0, 2.0, 3.0)), Vector3d(1.0, 2.0, 0.0));
    // cos = -0.89: still a rotation.
    const Vector3d c(std::sqrt(1.0 - 0.89 * 0.89), 0.0, -0.89);
    EXPECT_LT((as_matrix(c, b) * as_matrix(c, b).transpose() - Matrix3d::Identity()).norm(), 1e-13);
}

void expect_polar(const Matrix3d& matrix) {
    const PolarParts parts = polar_decomposition(matrix);
    const double size = matrix.cwiseAbs().maxCoeff();
    EXPECT_LT((parts.rotation.transpose() * parts.rotation - Matrix3d::Identity()).norm(), 1e-14);
    EXPECT_NEAR(parts.rotation.determinant(), 1.0, 1e-14);
    EXPECT_EQ(parts.stretch, parts.stretch.transpose());
    EXPECT_LE((parts.rotation * parts.stretch - matrix).cwiseAbs().maxCoeff(), 1e-14 * size);
}

// With A = U S V^T the nearest rotation is U diag(1, 1, det(U V^T)) V^T.
TEST(polar, equals_the_rotation_from_the_singular_value_decomposition) {
    Random random;
    for (int i = 0; i < 2000; ++i) {
        const Matrix3d matrix = random.matrix();
        expect_polar(matrix);
        const Eigen::JacobiSVD<Matrix3d> svd(matrix, Eigen::ComputeFullU | Eigen::ComputeFullV);
        const Matrix3d plain = svd.matrixU() * svd.matrixV().transpose();
        const Vector3d signs(1.0, 1.0, plain.determinant());
        const Matrix3d expected = svd.matrixU() * signs.asDiagonal() * svd.matrixV().transpose();
        const Vector3d s = svd.singularValues();
        // How sharply the nearest rotation is defined at all.
        const double sharpness = (s[1] + signs[2] * s[2]) / s[0];
        ASSERT_LT((polar_decomposition(matrix).rotation - expected).norm(), 1e-14 / sharpness);
    }
}

TEST(polar, gives_back_the_rotation_and_stretch_a_matrix_was_made_from) {
    Random random;
    for (const double smallest : {1.0, 1e-3, 1e-9, 0.0, -0.5}) {
        for (int i = 0; i < 100; ++i) {
            const Matrix3d r = random.rotation();
            const Matrix3d axes = random.rotation();
            const Matrix3d stretch = axes * Vector3d(2.0, 1.0, smallest).asDiagonal() * axes.transpose();
            const PolarParts parts = polar_decomposition(r * stretch);
            ASSERT_LT((parts.rotation - r).norm(), 1e-13) << smallest;
            ASSERT_LT((parts.stretch - stretch).norm(), 1e-13) << smallest;
        }
    }
}

TEST(polar, survives_rank_one_zero_mirrored_huge_and_tiny_matrices) {
    Random random;
    for (int i = 0; i < 100; ++i) {
        const Matrix3d rank_one = random.vector() * random.vector().transpose();
        expect_polar(rank_one);
        expect_polar(-random.rotation());
        expect_polar(1e300 * random.rotation());
        expect_polar(1e-300 * random.matrix());
    }
    expect_polar(Matrix3d::Constant(1.0));
    EXPECT_EQ(polar_decomposition(Matrix3d::Zero()).rotation, Matrix3d::Identity());
    EXPECT_EQ(polar_decomposition(Matrix3d::Identity()).rotation, Matrix3d::Identity());
    // Among equally near rotations the one nearest to the identity: here the identity itself.
    const Matrix3d line = Vector3d(1.0, 0.0, 0.0).asDiagonal();
    EXPECT_EQ(polar_decomposition(line).rotation, Matrix3d::Identity());
    // Every half turn is as near to -1 as any other; their trace is -1.
    EXPECT_NEAR(polar_decomposition(-Matrix3d::Identity()).rotation.trace(), -1.0, 1e-14);
    // x -> y with nothing else known: a quarter turn about z, and no twist about y.
    const Matrix3d x_to_y = Vector3d::UnitY() * Vector3d::UnitX().transpose();
    Matrix3d quarter_turn;
    quarter_turn << 0, -1, 0, 1, 0, 0, 0, 0, 1;
    EXPECT_LT((polar_decomposition(x_to_y).rotation - quarter_turn).norm(), 1e-14);
    // Half a turn: orthogonal to the identity in quaternion space.
    const Matrix3d half_turn = Vector3d(-1.0, -1.0, 1.0).asDiagonal();
    EXPECT_LT((polar_decomposition(half_turn).rotation - half_turn).norm(), 1e-14);
}

TEST(polar, turning_the_matrix_turns_the_rotation_and_leaves_the_stretch) {
    Random random;
    for (int i = 0; i < 100; ++i) {
        const Matrix3d matrix = random.matrix() + 3.0 * Matrix3d::Identity();
        const Matrix3d turn = random.rotation();
        const PolarParts before = polar_decomposition(matrix);
        const PolarParts after = polar_decomposition(turn * matrix);
        EXPECT_LT((after.rotation - turn * before.rotation).norm(), 1e-13);
        EXPECT_LT((after.stretch - before.stretch).norm(), 1e-13);
    }
}

TEST(polar, an_entry_that_is_not_finite_is_refused_naming_it) {
    Matrix3d matrix = Matrix3d::Identity();
    matrix(1, 2) = std::numeric_limits<double>::quiet_NaN();
    try {
        polar_decomposition(matrix);
        FAIL() << "nothing was thrown";
    } catch (const InvalidInput& error) {
        EXPECT_NE(std::string(error.what()).find("(1, 2)"), std::string::npos);
    }
}

TEST(quaternion_log_exp, undo_each_other_over_the_whole_sphere) {
    Random random;
    for (const double length : {0.0, 1e-200, 1e-12, 1e-8, 1e-4, 0.1, 1.5, 3.0, 3.1415926}) {
        const Vector3d v = length * random.unit();
        EXPECT_LE((quaternion_log(quaternion_exp(v)) - v).norm(), 1e-14 * length + 2e-16) << length;
        EXPECT_NEAR(quaternion_exp(v).norm(), 1.0, 1e-15);
    }
    for (int i = 0; i < 1000; ++i) {
        const Vector3d a = random.vector();
        const Quaterniond q = Quaterniond(random.normal(random.engine), a.x(), a.y(), a.z()).normalized();
        EXPECT_LT((quaternion_exp(quaternion_log(q)).coeffs() - q.coeffs()).norm(), 1e-14);
    }
    EXPECT_LT(
        (quaternion_exp(quaternion_log(Quaterniond(-1, 0, 0, 0))).coeffs() - Quaterniond(-1, 0, 0, 0).coeffs()).norm(),
        1e-15);
}

TEST(quaternion_log_exp, twice_the_logarithm_is_the_rotation_vector) {
    const Vector3d axis = Vector3d(1.0, 2.0, -2.0) / 3.0;
    for (const double angle : {1e-9, 0.3, 2.0, 3.1}) {
        const Quaterniond q(Eigen::AngleAxisd(angle, axis));
        EXPECT_LT((2.0 * quaternion_log(q) - angle * axis).norm(), 1e-15 * 4.0);
    }
}

// d/dt exp(t w) = w exp(t w): central differences, second order.
TEST(quaternion_log_exp, the_derivative_of_the_exponential_is_the_product_with_its_argument) {
    const Vector3d w(0.4, -0.7, 0.2);
    const double h = 1e-5;
    for (const double t : {0.0, 0.5, 2.0}) {
        const Eigen::Vector4d slope =
            (quaternion_exp((t + h) * w).coeffs() - quaternion_exp((t - h) * w).coeffs()) / (2.0 * h);
        const Quaterniond product = Quaterniond(0.0, w.x(), w.y(), w.z()) * quaternion_exp(t * w);
        EXPECT_LT((slope - product.coeffs()).norm(), 1e-9);
    }
}

}  // namespace
}  // namespace cutis
