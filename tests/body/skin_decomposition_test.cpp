// Skinning decomposition: a motion made of rigid bones is found again, and more bones never fit worse.

#include "body/skin_decomposition.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "cutis/core/error.h"
#include "support/expect_error.h"
#include "support/shapes.h"

namespace cutis {
namespace {

/// A tube along z of three rigid pieces with a smooth passage, skinned by linear blend.
struct SkinnedTube {
    test::Shape shape = test::open_cylinder(12, 30, 0.1, 1.0);
    Topology topology{shape.triangles, static_cast<int>(shape.positions.rows())};
    std::vector<MatrixX3d> frames;

    SkinnedTube() {
        SkinWeights weights;
        weights.influences = 3;
        for (Eigen::Index v = 0; v < shape.positions.rows(); ++v) {
            const double z = shape.positions(v, 2);
            const double second = std::clamp((z - 0.28) / 0.12, 0.0, 1.0);
            const double third = std::clamp((z - 0.6) / 0.12, 0.0, 1.0);
            for (int j = 0; j < 3; ++j) {
                weights.joints.push_back(static_cast<std::uint16_t>(j));
            }
            weights.weights.insert(weights.weights.end(), {1.0 - second, second * (1.0 - third), second * third});
        }
        for (int f = 0; f < 20; ++f) {
            std::vector<Eigen::Affine3d> bones(3, Eigen::Affine3d::Identity());
            for (int b = 1; b < 3; ++b) {
                const double angle = 0.6 * std::sin(0.31 * f * b + b);
                const Vector3d joint(0.0, 0.0, b == 1 ? 0.34 : 0.66);
                const Vector3d axis = b == 1 ? Vector3d::UnitX() : Vector3d::UnitY();
                bones[b] = bones[b - 1] * Eigen::Translation3d(joint) * Eigen::AngleAxisd(angle, axis) *
                           Eigen::Translation3d(-joint);
            }
            MatrixX3d moved;
            skin_linear_blend(shape.positions, weights, bones, Workers(1), moved);
            frames.push_back(moved);
        }
    }
    SkinDecomposition found(int bones, int threads = 1) const {
        DecompositionOptions options;
        options.bones = bones;
        return decompose_skin(shape.positions, topology, frames, options, Workers(threads));
    }
};

TEST(skin_decomposition, bones_that_made_a_motion_are_found_again) {
    const SkinnedTube tube;
    const SkinDecomposition found = tube.found(3);
    EXPECT_LT(found.rms, 1e-4);  // of a tube 1 m long: the three bones fit, two could not
    EXPECT_GT(tube.found(2).rms, 20.0 * found.rms);
    double worst = 0.0;
    for (size_t f = 0; f < tube.frames.size(); ++f) {
        MatrixX3d skinned;
        skin_linear_blend(tube.shape.positions, found.weights, found.matrices[f], Workers(1), skinned);
        worst += (skinned - tube.frames[f]).squaredNorm();
        for (const Eigen::Affine3d& bone : found.matrices[f]) {  // rigid
            EXPECT_LT((bone.linear() * bone.linear().transpose() - Eigen::Matrix3d::Identity()).norm(), 1e-12);
            EXPECT_GT(bone.linear().determinant(), 0.0);
        }
    }
    const double numbers = 3.0 * static_cast<double>(tube.shape.positions.rows()) * 20.0;
    EXPECT_NEAR(std::sqrt(worst / numbers), found.rms, 1e-9);  // the error is that of what any player shows
}

TEST(skin_decomposition, one_bone_is_the_rigid_fit_and_weights_are_convex) {
    const SkinnedTube tube;
    double before = 1e9;
    for (const int bones : {1, 2, 3, 5}) {
        const SkinDecomposition found = tube.found(bones);
        EXPECT_LT(found.rms, before * (1.0 + 1e-9) + 1e-6) << bones;
        before = found.rms;
        for (int v = 0; v < found.weights.vertex_count(); ++v) {
            double sum = 0.0;
            for (int i = 0; i < 4; ++i) {
                EXPECT_GE(found.weights.weights[static_cast<size_t>(4 * v + i)], 0.0);
                sum += found.weights.weights[static_cast<size_t>(4 * v + i)];
            }
            EXPECT_NEAR(sum, 1.0, 1e-12);
        }
    }
}

TEST(skin_decomposition, same_bits_for_any_number_of_threads) {
    const SkinnedTube tube;
    const SkinDecomposition one = tube.found(4, 1);
    const SkinDecomposition three = tube.found(4, 3);
    EXPECT_EQ(one.weights.weights, three.weights.weights);
    EXPECT_EQ(one.rms, three.rms);
}

TEST(skin_decomposition, bad_input_is_refused) {
    const SkinnedTube tube;
    const auto refuse = [&](const std::vector<MatrixX3d>& frames, int bones, const std::vector<std::string>& pieces) {
        DecompositionOptions options;
        options.bones = bones;
        test::expect_error<InvalidInput>(
            [&] { decompose_skin(tube.shape.positions, tube.topology, frames, options, Workers(1)); }, pieces);
    };
    refuse({}, 3, {"at least one frame"});
    refuse(tube.frames, 0, {"bones", "found 0"});
    std::vector<MatrixX3d> other = tube.frames;
    other[3] = other[3].topRows(7);
    refuse(other, 3, {"frame 3 has 7"});
    other[3] = tube.frames[3];
    other[3](2, 1) = std::nan("");
    refuse(other, 3, {"finite", "frame 3"});
}

}  // namespace
}  // namespace cutis
