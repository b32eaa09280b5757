// The step loop must not allocate: counts calls of malloc between the first and the second call.

#include "support/allocations.h"

#include <gtest/gtest.h>

#include "support.h"

namespace cutis {
namespace {

using namespace test;

std::shared_ptr<Character> morphing_character() {
    auto character = std::make_shared<Character>();
    character->skeleton.nodes = {node("a", -1, {0, 0, 0}), node("b", 0, {0, 1, 0})};
    Skin skin;
    skin.joints = {0, 1};
    skin.inverse_bind.assign(2, Eigen::Affine3d::Identity());
    character->skins = {skin};
    MeshInstance mesh;
    mesh.name = "mesh";
    mesh.node = 0;
    mesh.skin = 0;
    mesh.mesh.positions = random_points(5000, 3);
    mesh.weights = random_weights(5000, 4, 2, 5);
    mesh.morphs = {{"m", random_points(5000, 4)}};
    character->meshes = {mesh};
    Clip clip;
    clip.channels = {channel(1, ChannelTarget::rotation, Interpolation::linear, {0, 1},
                             turns_about(Vector3d::UnitX(), {0.0, 1.0}), 4),
                     channel(0, ChannelTarget::morph_weights, Interpolation::linear, {0, 1}, {0, 1}, 1)};
    character->clips = {clip};
    return character;
}

TEST(Allocation, positions_and_frames_allocate_nothing_after_the_first_call) {
    for (const int threads : {1, 2}) {
        for (const Skinning skinning : {Skinning::linear_blend, Skinning::dual_quaternion}) {
            BodyOptions options;
            options.skinning = skinning;
            options.up_axis = 'z';
            const Body body = make_body(morphing_character(), options);
            const Workers workers(threads);
            MatrixX3d out;
            std::vector<Eigen::Affine3d> frames;
            for (const TimeSampling sampling : {TimeSampling::exact, TimeSampling::smooth}) {
                body.positions(0.3, sampling, workers, out);
                body.node_frames(0.3, sampling, frames);
            }
            const double* data = out.data();
            const long before = allocation_count();
            for (const TimeSampling sampling : {TimeSampling::exact, TimeSampling::smooth}) {
                body.positions(0.6, sampling, workers, out);
                body.node_frames(0.7, sampling, frames);
            }
            EXPECT_EQ(allocation_count() - before, 0);
            EXPECT_EQ(out.data(), data);
        }
    }
}

}  // namespace
}  // namespace cutis
