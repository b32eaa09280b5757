#include "cutis/body/skinning.h"

#include <gtest/gtest.h>

#include <limits>

#include "support.h"

namespace cutis {
namespace {

using namespace test;

TEST(Skinning, weights_that_do_not_sum_to_one_are_normalised_and_reported) {
    SkinWeights weights;
    weights.influences = 2;
    weights.joints = {0, 1, 1, 0, 0, 1};
    weights.weights = {0.25, 0.75, 0.2, 0.6, 0.0, 0.0};
    const WeightReport report = normalise_weights(weights, 2);
    EXPECT_EQ(report.renormalised, 1);
    EXPECT_EQ(report.without_weight, 1);
    EXPECT_EQ(report.first_vertex, 1);
    EXPECT_EQ(report.worst_sum, 0.0);
    EXPECT_EQ(weights.weights, (std::vector<double>{0.75, 0.25, 0.6 / 0.8, 0.2 / 0.8, 1.0, 0.0}));
    EXPECT_EQ(weights.joints, (std::vector<std::uint16_t>{1, 0, 0, 1, 0, 0}));
}

TEST(Skinning, bad_weights_are_refused_with_the_vertex) {
    SkinWeights weights;
    weights.influences = 1;
    weights.joints = {0, 3};
    weights.weights = {1.0, 1.0};
    EXPECT_NE(message_of([&] { normalise_weights(weights, 3); }).find("vertex 1"), std::string::npos);
    weights.joints = {0, 0};
    weights.weights = {1.0, std::numeric_limits<double>::quiet_NaN()};
    EXPECT_NE(message_of([&] { normalise_weights(weights, 3); }).find("vertex 1"), std::string::npos);
    weights.weights = {-0.1, 1.0};
    EXPECT_NE(message_of([&] { normalise_weights(weights, 3); }).find("vertex 0"), std::string::npos);
    weights.influences = 9;
    EXPECT_THROW(normalise_weights(weights, 3), InvalidInput);
    weights.influences = 1;
    weights.joints = {0};
    EXPECT_THROW(normalise_weights(weights, 3), InvalidInput);
}

TEST(Skinning, joints_without_a_matrix_and_wrong_sizes_are_refused) {
    const Workers workers(2);
    MatrixX3d out;
    const MatrixX3d rest = random_points(5000, 1);
    SkinWeights weights = random_weights(5000, 4, 8, 2);
    const std::vector<Eigen::Affine3d> joints = random_joints(8, 1.0, 3);
    weights.joints[4 * 4321 + 2] = 8;
    for (const auto& skin :
         {std::function<void()>([&] { skin_linear_blend(rest, weights, joints, workers, out); }),
          std::function<void()>([&] { skin_dual_quaternion(rest, weights, joints, workers, out); })}) {
        EXPECT_NE(message_of(skin).find("vertex 4321 influence 2"), std::string::npos);
    }
    EXPECT_THROW(skin_linear_blend(random_points(3, 1), weights, joints, workers, out), InvalidInput);
    std::vector<Eigen::Affine3d> broken = joints;
    broken[3](0, 1) = std::numeric_limits<double>::infinity();
    EXPECT_NE(message_of([&] { skin_linear_blend(rest, weights, broken, workers, out); }).find("joint 3"),
              std::string::npos);
}

// The definition, written out: sum of w_k M_k v.
MatrixX3d blend_by_definition(const MatrixX3d& rest, const SkinWeights& weights,
                              const std::vector<Eigen::Affine3d>& joints) {
    MatrixX3d out = MatrixX3d::Zero(rest.rows(), 3);
    for (int v = 0; v < rest.rows(); ++v) {
        for (int k = 0; k < weights.influences; ++k) {
            const size_t at = static_cast<size_t>(v * weights.influences + k);
            const Vector3d moved = joints[weights.joints[at]] * Vector3d(rest.row(v));
            out.row(v) += weights.weights[at] * moved.transpose();
        }
    }
    return out;
}

TEST(Skinning, linear_blend_is_the_weighted_sum_of_the_joints_for_one_to_eight_influences) {
    const Workers workers(1);
    std::vector<Eigen::Affine3d> joints = random_joints(12, 6.0, 3);
    joints[4].linear() *= 3.0;
    for (int influences = 1; influences <= 8; ++influences) {
        const MatrixX3d rest = random_points(103, 7);
        const SkinWeights weights = random_weights(103, influences, 12, 11);
        MatrixX3d out;
        skin_linear_blend(rest, weights, joints, workers, out);
        EXPECT_LT(largest_difference(out, blend_by_definition(rest, weights, joints)), 1e-14);
    }
}

// The definition, written out with Eigen's quaternions: blend, normalise, rotate, translate.
MatrixX3d dual_blend_by_definition(const MatrixX3d& rest, const SkinWeights& weights,
                                   const std::vector<Eigen::Affine3d>& joints) {
    MatrixX3d out(rest.rows(), 3);
    for (int v = 0; v < rest.rows(); ++v) {
        Eigen::Vector4d real = Eigen::Vector4d::Zero();
        Eigen::Vector4d dual = Eigen::Vector4d::Zero();
        Eigen::Quaterniond pivot;
        for (int k = 0; k < weights.influences; ++k) {
            const size_t at = static_cast<size_t>(v * weights.influences + k);
            const Eigen::Affine3d& joint = joints[weights.joints[at]];
            const Eigen::Quaterniond q(joint.linear());
            const Vector3d t = joint.translation();
            const Eigen::Quaterniond d = Eigen::Quaterniond(0, t.x(), t.y(), t.z()) * q;
            pivot = k == 0 ? q : pivot;
            const double w = weights.weights[at] * (q.dot(pivot) < 0.0 ? -1.0 : 1.0);
            real += w * q.coeffs();
            dual += 0.5 * w * d.coeffs();
        }
        const Eigen::Quaterniond q(Eigen::Vector4d(real / real.norm()));
        const Eigen::Quaterniond d(Eigen::Vector4d(dual / real.norm()));
        const Vector3d t = 2.0 * (d * q.conjugate()).vec();
        out.row(v) = q * Vector3d(rest.row(v)) + t;
    }
    return out;
}

TEST(Skinning, dual_quaternions_blend_by_definition_for_one_to_eight_influences) {
    const Workers workers(1);
    // Wide turns: signs differ and the rare path is taken; few vertices: no table of signs.
    for (const int vertices : {3, 203}) {
        const std::vector<Eigen::Affine3d> joints = random_joints(12, 8.0, 5);
        for (int influences = 1; influences <= 8; ++influences) {
            const MatrixX3d rest = random_points(vertices, 7);
            SkinWeights weights = random_weights(vertices, influences, 12, 13);
            MatrixX3d out;
            skin_dual_quaternion(rest, weights, joints, workers, out);
            EXPECT_LT(largest_difference(out, dual_blend_by_definition(rest, weights, joints)), 1e-12);
            weights.joint_pairs.clear();  // what it knows in advance only saves time
            skin_dual_quaternion(rest, weights, joints, workers, out);
            EXPECT_LT(largest_difference(out, dual_blend_by_definition(rest, weights, joints)), 1e-12);
        }
    }
}

TEST(Skinning, joints_of_a_chain_that_turns_round_more_than_once_are_blended_the_short_way) {
    // Neighbours are 70 degrees apart, the chain as a whole turns 16 times: signs can be chosen so
    // that neighbours agree although far joints cannot.
    const Workers workers(1);
    const int joints = 80;
    std::vector<Eigen::Affine3d> chain;
    for (int j = 0; j < joints; ++j) {
        chain.push_back(about(Vector3d(1, 1, 0.2), j * 70.0 * pi / 180.0, {0.1 * j, 0, 0}));
    }
    const MatrixX3d rest = random_points(500, 3);
    SkinWeights weights;
    weights.influences = 3;
    for (int v = 0; v < 500; ++v) {
        for (int k = 0; k < 3; ++k) {
            weights.joints.push_back(static_cast<std::uint16_t>(v % (joints - 2) + k));
            weights.weights.push_back(0.2 + 0.1 * ((v * 7 + k * 5) % 11));
        }
    }
    normalise_weights(weights, joints);
    MatrixX3d out;
    skin_dual_quaternion(rest, weights, chain, workers, out);
    EXPECT_LT(largest_difference(out, dual_blend_by_definition(rest, weights, chain)), 1e-12);
}

TEST(Skinning, joint_pairs_name_each_first_joint_with_its_weighted_partners_once) {
    SkinWeights weights;
    weights.influences = 3;
    weights.joints = {2, 1, 0, 2, 1, 4, 3, 0, 0};
    weights.weights = {0.5, 0.5, 0.0, 0.4, 0.3, 0.3, 1.0, 0.0, 0.0};
    const auto pairs = find_joint_pairs(weights, 5);
    const std::vector<std::array<std::uint16_t, 2>> expected = {{2, 2}, {2, 1}, {2, 4}, {3, 3}};
    EXPECT_EQ(pairs, expected);
    EXPECT_TRUE(find_joint_pairs(weights, 5000).empty());
}

TEST(Skinning, a_vertex_with_one_joint_follows_its_matrix_for_any_affine_matrix) {
    const Workers workers(1);
    std::vector<Eigen::Affine3d> joints = random_joints(6, 6.0, 3);
    std::mt19937 random(5);
    std::uniform_real_distribution<double> number(-2.0, 2.0);
    for (Eigen::Affine3d& joint : joints) {
        for (int i = 0; i < 12; ++i) {
            joint(i / 4, i % 4) = number(random);
        }
    }
    joints[1].linear() = Vector3d(-1.0, 1.0, 1.0).asDiagonal();    // mirrored
    joints[2].linear() = Vector3d(1.0, 0.0, 2.0).asDiagonal();     // flat
    joints[3].linear().setZero();                                  // gone
    joints[4].linear() = Vector3d(1e-6, 1e-6, 1e-6).asDiagonal();  // tiny
    const MatrixX3d rest = random_points(600, 7);
    const SkinWeights weights = random_weights(600, 1, 6, 13);
    std::vector<Vector3d> centres;
    for (int j = 0; j < 6; ++j) {
        centres.emplace_back(number(random), number(random), number(random));
    }
    const MatrixX3d expected = blend_by_definition(rest, weights, joints);
    MatrixX3d out;
    skin_linear_blend(rest, weights, joints, workers, out);
    EXPECT_LT(largest_difference(out, expected), 1e-14);
    skin_dual_quaternion(rest, weights, joints, workers, out);
    EXPECT_LT(largest_difference(out, expected), 1e-13);
    skin_dual_quaternion(rest, weights, joints, workers, out, centres);
    EXPECT_LT(largest_difference(out, expected), 1e-13);
}

TEST(Skinning, mirrored_and_singular_joints_blend_to_finite_positions) {
    const Workers workers(1);
    std::vector<Eigen::Affine3d> joints = random_joints(6, 6.0, 3);
    joints[1].linear() = Vector3d(-1.0, 1.0, 1.0).asDiagonal();
    joints[2].linear() = Vector3d(1.0, 0.0, 2.0).asDiagonal();
    joints[3].linear().setZero();
    joints[4].linear() *= 1e-300;
    joints[5].linear() *= 1e100;
    const MatrixX3d rest = random_points(400, 7);
    for (int influences = 1; influences <= 8; ++influences) {
        const SkinWeights weights = random_weights(400, influences, 6, 13);
        MatrixX3d out;
        skin_dual_quaternion(rest, weights, joints, workers, out);
        EXPECT_TRUE(out.allFinite());
    }
}

struct Tube {
    MatrixX3d rest;
    SkinWeights weights;
};

// Rings of radius one around x; the weight of the second joint grows linearly along the tube.
Tube twisted_tube(int rings, int around) {
    Tube tube;
    tube.rest.resize(rings * around, 3);
    tube.weights.influences = 2;
    for (int r = 0; r < rings; ++r) {
        const double t = static_cast<double>(r) / (rings - 1);
        for (int a = 0; a < around; ++a) {
            const double angle = 2.0 * pi * a / around;
            tube.rest.row(r * around + a) << t, std::cos(angle), std::sin(angle);
            tube.weights.joints.insert(tube.weights.joints.end(), {0, 1});
            tube.weights.weights.insert(tube.weights.weights.end(), {1.0 - t, t});
        }
    }
    return tube;
}

TEST(Skinning, dual_quaternions_keep_the_radius_of_a_twist_and_turn_by_the_blended_half_angle) {
    const Workers workers(1);
    const Tube tube = twisted_tube(21, 16);
    const double twist = pi * (1.0 - 1e-12);  // half a turn, its direction settled
    const std::vector<Eigen::Affine3d> joints = {Eigen::Affine3d::Identity(),
                                                 about(Vector3d::UnitX(), twist, Vector3d::Zero())};
    MatrixX3d out;
    skin_dual_quaternion(tube.rest, tube.weights, joints, workers, out);
    for (int v = 0; v < out.rows(); ++v) {
        const double t = tube.weights.weights[2 * v + 1];
        // (1-t) (1, 0) + t (cos a/2, sin a/2) as (w, x): a quaternion of half angle atan2(x, w)
        const double half = std::atan2(t * std::sin(twist / 2), 1.0 - t + t * std::cos(twist / 2));
        const Vector3d expected = Eigen::AngleAxisd(2.0 * half, Vector3d::UnitX()) * Vector3d(tube.rest.row(v));
        EXPECT_LT((out.row(v).transpose() - expected).norm(), 1e-12);
        EXPECT_NEAR(out.row(v).tail<2>().norm(), 1.0, 1e-14);
    }
}

TEST(Skinning, linear_blend_collapses_in_a_half_turn_as_its_formula_says) {
    const Workers workers(1);
    const Tube tube = twisted_tube(21, 16);
    const std::vector<Eigen::Affine3d> joints = {Eigen::Affine3d::Identity(),
                                                 about(Vector3d::UnitX(), pi, Vector3d::Zero())};
    MatrixX3d out;
    skin_linear_blend(tube.rest, tube.weights, joints, workers, out);
    for (int v = 0; v < out.rows(); ++v) {
        const double t = tube.weights.weights[2 * v + 1];
        EXPECT_NEAR(out.row(v).tail<2>().norm(), std::abs(1.0 - 2.0 * t), 1e-15);
    }
}

TEST(Skinning, a_whole_turn_in_small_steps_moves_the_result_rigidly_whatever_signs_are_met) {
    // q and -q are the same rotation; the sign that comes out of a matrix changes on the way round,
    // at another place for each joint. Equivariance proves that signs do not matter.
    const Workers workers(1);
    const MatrixX3d rest = random_points(301, 7);
    const SkinWeights weights = random_weights(301, 4, 9, 13);
    std::vector<Eigen::Affine3d> joints = random_joints(9, 3.0, 3);
    joints[2].linear() *= 1.3;
    joints[5].linear().col(0) *= 0.7;
    MatrixX3d at_start;
    skin_dual_quaternion(rest, weights, joints, workers, at_start);
    for (int step = 0; step < 36; ++step) {
        const Eigen::Affine3d motion = about(Vector3d(1, 2, -0.5), step * pi / 18, {3, -1, 2});
        std::vector<Eigen::Affine3d> moved;
        for (const Eigen::Affine3d& joint : joints) {
            moved.push_back(motion * joint);
        }
        MatrixX3d out;
        skin_dual_quaternion(rest, weights, moved, workers, out);
        const MatrixX3d expected =
            (at_start * motion.linear().transpose()).rowwise() + motion.translation().transpose();
        EXPECT_LT(largest_difference(out, expected), 1e-12);
        skin_linear_blend(rest, weights, moved, workers, out);
        MatrixX3d still;
        skin_linear_blend(rest, weights, joints, workers, still);
        EXPECT_LT(
            largest_difference(out, (still * motion.linear().transpose()).rowwise() + motion.translation().transpose()),
            1e-13);
    }
}

TEST(Skinning, a_joint_that_scales_about_itself_stays_in_place_between_its_neighbours) {
    // All joints agree where the centre goes; so must the blend, although one of them stretches.
    const Workers workers(1);
    const Vector3d centre(4.0, 1.0, -2.0);
    const Eigen::Affine3d turn(Eigen::AngleAxisd(1.2, Vector3d::UnitZ()));
    const Eigen::Affine3d stretch(Eigen::Scaling(Vector3d(2.0, 1.0, 0.5)));
    const Eigen::Translation3d to(centre);
    const Eigen::Translation3d from(-centre);
    const std::vector<Eigen::Affine3d> joints = {Eigen::Affine3d::Identity(), to * turn * stretch * from};
    SkinWeights weights;
    weights.influences = 2;
    weights.joints = {0, 1};
    weights.weights = {0.6, 0.4};
    MatrixX3d out;
    skin_dual_quaternion(centre.transpose(), weights, joints, workers, out, {Vector3d::Zero(), centre});
    EXPECT_LT((out.row(0).transpose() - centre).norm(), 1e-14);
}

TEST(Skinning, the_result_has_the_same_bits_for_any_number_of_threads) {
    const MatrixX3d rest = random_points(20011, 7);
    const SkinWeights weights = random_weights(20011, 4, 30, 13);
    std::vector<Eigen::Affine3d> joints = random_joints(30, 6.0, 3);
    for (const double stretch : {1.0, 1.2}) {
        joints[7].linear() *= stretch;
        MatrixX3d linear_one;
        MatrixX3d dual_one;
        const Workers one(1);
        skin_linear_blend(rest, weights, joints, one, linear_one);
        skin_dual_quaternion(rest, weights, joints, one, dual_one);
        for (const int threads : {2, 3}) {
            const Workers workers(threads);
            MatrixX3d out;
            skin_linear_blend(rest, weights, joints, workers, out);
            EXPECT_TRUE((out.array() == linear_one.array()).all());
            skin_dual_quaternion(rest, weights, joints, workers, out);
            EXPECT_TRUE((out.array() == dual_one.array()).all());
        }
    }
}

TEST(Skinning, no_vertices_give_no_positions) {
    const Workers workers(1);
    SkinWeights weights;
    MatrixX3d out(5, 3);
    skin_dual_quaternion(MatrixX3d(0, 3), weights, {}, workers, out);
    EXPECT_EQ(out.rows(), 0);
}

}  // namespace
}  // namespace cutis
