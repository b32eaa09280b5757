// Skinning decomposition: a motion made of rigid bones is found again, and more bones never fit worse.

#include "body/skin_decomposition.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <random>

#include "body/simplex_fit.h"
#include "cutis/core/error.h"
#include "cutis/io/obj_read.h"
#include "support/data.h"
#include "support/expect_error.h"
#include "support/shapes.h"

namespace cutis {
namespace {

/// A tube along z of three rigid pieces with a smooth passage, skinned by linear blend.
struct SkinnedTube {
    test::Shape shape = test::open_cylinder(12, 30, 0.1, 1.0);
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
        return decompose_skin(shape.positions, shape.triangles, frames, options, Workers(threads));
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

TEST(skin_decomposition, few_weights_are_mostly_the_best_of_all_choices) {
    // Three of eight, against every three; greedy growth without exchanges finds the best in 110 of these 300.
    std::mt19937 random(7);
    const auto number = [&] { return static_cast<double>(random()) / 4294967296.0 - 0.5; };
    constexpr int cases = 300, bones = 8, most = 3, equations = 12;
    int best_found = 0;
    for (int n = 0; n < cases; ++n) {
        Eigen::MatrixXd errors(equations, bones);
        for (int b = 0; b < bones; ++b) {
            for (int i = 0; i < equations; ++i) {
                errors(i, b) = number();
            }
        }
        Eigen::VectorXd inside = Eigen::VectorXd::Zero(equations);
        double sum = 0.0;
        for (int b = 0; b < bones; ++b) {
            const double weight = number() + 0.5;
            inside += weight * errors.col(b);
            sum += weight;
        }
        errors.colwise() -= inside / sum;
        const SimplexFit::Gram gram = errors.transpose() * errors;
        SimplexFit::Weights weights;
        const double found = SimplexFit(gram).fit(most, weights);
        EXPECT_LE((weights.array() > 0.0).count(), most);
        EXPECT_GE(weights.minCoeff(), 0.0);
        EXPECT_NEAR(weights.sum(), 1.0, 1e-12);
        double best = found;
        for (int i = 0; i < bones; ++i) {
            for (int j = 0; j < i; ++j) {
                for (int k = 0; k < j; ++k) {
                    const std::array<int, most> chosen = {i, j, k};
                    SimplexFit::Gram part(most, most);
                    for (int a = 0; a < most; ++a) {
                        for (int b = 0; b < most; ++b) {
                            part(a, b) = gram(chosen[a], chosen[b]);
                        }
                    }
                    best = std::min(best, SimplexFit(part).fit(most, weights));
                }
            }
        }
        best_found += found < best * (1.0 + 1e-9) ? 1 : 0;
    }
    EXPECT_GE(best_found, cases * 6 / 10);
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

TEST(skin_decomposition, the_place_in_the_world_and_the_size_change_nothing) {
    SkinnedTube tube;
    const double near = tube.found(3).rms;
    const Eigen::RowVector3d far(2000.0, -500.0, 1000.0);
    for (MatrixX3d& frame : tube.frames) {
        frame = (1000.0 * frame).rowwise() + far;
    }
    tube.shape.positions *= 1000.0;
    EXPECT_NEAR(tube.found(3).rms, 1000.0 * near, 0.2 * 1000.0 * near);
}

TEST(skin_decomposition, vertices_at_the_same_places_get_the_same_weights) {
    // As files split them at UV seams: each triangle has corners of its own.
    const SkinnedTube tube;
    const MatrixX3i& faces = tube.shape.triangles;
    const auto corners = 3 * faces.rows();
    const auto split = [&](const MatrixX3d& whole) {
        MatrixX3d own(corners, 3);
        for (Eigen::Index i = 0; i < corners; ++i) {
            own.row(i) = whole.row(faces(i / 3, i % 3));
        }
        return own;
    };
    MatrixX3i own_faces(faces.rows(), 3);
    for (Eigen::Index i = 0; i < corners; ++i) {
        own_faces(i / 3, i % 3) = static_cast<int>(i);
    }
    std::vector<MatrixX3d> frames;
    for (const MatrixX3d& frame : tube.frames) {
        frames.push_back(split(frame));
    }
    DecompositionOptions options;
    options.bones = 3;
    const SkinDecomposition found = decompose_skin(split(tube.shape.positions), own_faces, frames, options, Workers(1));
    EXPECT_LT(found.rms, 1e-4);  // neighbours are found though no triangles share a corner
    for (Eigen::Index i = 0; i < corners; ++i) {
        for (Eigen::Index j = 0; j < i; ++j) {
            if (faces(i / 3, i % 3) == faces(j / 3, j % 3)) {
                for (int k = 0; k < 4; ++k) {
                    ASSERT_EQ(found.weights.weights[static_cast<size_t>(4 * i + k)],
                              found.weights.weights[static_cast<size_t>(4 * j + k)]);
                }
                break;
            }
        }
    }
}

TEST(skin_decomposition, what_never_moves_and_specks_without_neighbours_are_no_trouble) {
    MatrixX3d rest(3, 3);
    rest << 0, 0, 0, 1, 0, 0, 0, 1, 0;
    const std::vector<MatrixX3d> frames(4, rest);
    DecompositionOptions options;
    options.bones = 7;
    const SkinDecomposition found = decompose_skin(rest, MatrixX3i(0, 3), frames, options, Workers(1));
    EXPECT_LT(found.rms, 1e-12);
    EXPECT_EQ(found.bone_count(), 1);  // nothing asks for a second
}

TEST(skin_decomposition, a_galloping_horse_is_fitted_better_than_by_dem_bones) {
    CUTIS_NEED_DATA("horse-gallop/horse-gallop-reference.obj");
    const ArtMesh rest = read_obj(data_path.string());
    std::vector<MatrixX3d> frames;
    for (int f = 1; f <= 49; ++f) {
        const std::string number = (f < 10 ? "0" : "") + std::to_string(f);
        frames.push_back(read_obj((data_path.parent_path() / ("horse-gallop-" + number + ".obj")).string()).positions);
    }
    const double diagonal = (rest.positions.colwise().maxCoeff() - rest.positions.colwise().minCoeff()).norm();
    // E_RMS of py-dem-bones 0.13.1 with four influences and its other defaults: 11.4 and 5.00.
    for (const auto& [bones, theirs] : {std::pair(5, 11.4), std::pair(10, 5.0)}) {
        DecompositionOptions options;
        options.bones = bones;
        const SkinDecomposition found = decompose_skin(rest.positions, rest.triangles, frames, options, Workers(1));
        EXPECT_LT(1000.0 * found.rms / diagonal, 0.7 * theirs) << bones;
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
            [&] { decompose_skin(tube.shape.positions, tube.shape.triangles, frames, options, Workers(1)); }, pieces);
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
