#include "cutis/body/body.h"

#include <gtest/gtest.h>

#include "support.h"

namespace cutis {
namespace {

using namespace test;

/// Two joints along y below a root that turns Z up into Y up, a mesh stored 100 times smaller and
/// Z up: what the animal files look like. The second joint rests bent.
std::shared_ptr<Character> small_z_up_character(double rest_bend) {
    auto character = std::make_shared<Character>();
    character->source = "animal.glb";
    Skeleton& skeleton = character->skeleton;
    skeleton.nodes = {
        node("armature", -1, {0, 0, 0}, Eigen::Quaterniond(Eigen::AngleAxisd(-pi / 2, Vector3d::UnitX()))),
        node("low", 0, {0, 0, 1}),
        node("high", 1, {0, 0, 1}, Eigen::Quaterniond(Eigen::AngleAxisd(rest_bend, Vector3d::UnitX()))),
        node("holder", -1, {50, 60, 70}),  // a skinned mesh ignores its node
        node("prop", 2, {0, 0.5, 0})};
    skeleton.nodes[0].rest.scale = Vector3d::Constant(100.0);

    Skin skin;
    skin.name = "skin";
    skin.joints = {1, 2};
    // bind frames in the mesh's own space: unit-sized, straight
    skin.inverse_bind = {Eigen::Affine3d(Eigen::Translation3d(0, 0, -1)),
                         Eigen::Affine3d(Eigen::Translation3d(0, 0, -2))};
    character->skins = {skin};

    MeshInstance body;
    body.name = "body";
    body.node = 3;
    body.skin = 0;
    body.mesh.positions = random_points(60, 5);
    body.mesh.positions.col(2) = 1.5 * (body.mesh.positions.col(2).array() + 1.0);
    body.mesh.triangles.resize(1, 3);
    body.mesh.triangles << 0, 1, 2;
    body.weights.influences = 2;
    for (int v = 0; v < 60; ++v) {
        const double high = body.mesh.positions(v, 2) / 3.0;
        body.weights.joints.insert(body.weights.joints.end(), {0, 1});
        body.weights.weights.insert(body.weights.weights.end(), {1.0 - high, high});
    }
    MeshInstance prop;
    prop.name = "prop";
    prop.node = 4;
    prop.mesh.positions = random_points(4, 6);
    prop.mesh.triangles.resize(2, 3);
    prop.mesh.triangles << 0, 1, 2, 0, 2, 3;
    prop.mesh.uv = MatrixX2d::Ones(4, 2);
    prop.mesh.uv_triangles = prop.mesh.triangles;
    prop.mesh.painted["mask"] = VectorXd::Constant(4, 0.5);
    prop.morphs = {{"grow", MatrixX3d::Constant(4, 3, 0.25)}, {"other", random_points(4, 8)}};
    prop.morph_defaults = {0.5, 0.0};
    character->meshes = {body, prop};

    Clip bend;
    bend.name = "bend";
    bend.channels = {
        channel(2, ChannelTarget::rotation, Interpolation::linear, {1.0, 1.5, 2.0},
                turns_about(Vector3d::UnitX(), {rest_bend, 0.8, 0.4}), 4),
        channel(4, ChannelTarget::morph_weights, Interpolation::linear, {1.0, 2.0}, {0.5, 0.0, 1.0, 2.0}, 2)};
    Clip wave;
    wave.name = "wave";
    wave.channels = {channel(1, ChannelTarget::translation, Interpolation::linear, {0.0, 1.0}, {0, 0, 1, 1, 0, 1})};
    character->clips = {bend, wave};
    return character;
}

/// What glTF says, from the file's own numbers: body vertices, then the prop's.
MatrixX3d posed_by_definition(const Character& character, const Clip& clip, double time) {
    Pose pose;
    ClipSampler(character.skeleton, clip, TimeSampling::exact).sample(time, pose);
    std::vector<Eigen::Affine3d> world;
    world_frames(character.skeleton, pose.local, world);
    const MeshInstance& body = character.meshes[0];
    const MeshInstance& prop = character.meshes[1];
    const Skin& skin = character.skins[0];
    MatrixX3d out(body.mesh.positions.rows() + prop.mesh.positions.rows(), 3);
    for (int v = 0; v < body.mesh.positions.rows(); ++v) {
        Vector3d sum = Vector3d::Zero();
        for (size_t k = 0; k < 2; ++k) {
            const size_t at = static_cast<size_t>(v) * 2 + k;
            const size_t joint = body.weights.joints[at];
            sum += body.weights.weights[at] *
                   (world[skin.joints[joint]] * skin.inverse_bind[joint] * Vector3d(body.mesh.positions.row(v)));
        }
        out.row(v) = sum;
    }
    std::vector<double> morph = pose.morph_weights[4];
    if (morph.empty()) {
        morph = prop.morph_defaults;
    }
    for (int v = 0; v < prop.mesh.positions.rows(); ++v) {
        Vector3d place = prop.mesh.positions.row(v);
        for (size_t t = 0; t < morph.size(); ++t) {
            place += morph[t] * prop.morphs[t].offsets.row(v).transpose();
        }
        out.row(body.mesh.positions.rows() + v) = world[4] * place;
    }
    return out;
}

BodyOptions of_mesh(const std::string& name, const std::string& clip = {}) {
    BodyOptions options;
    options.mesh = name;
    options.clip = clip;
    return options;
}

TEST(Body, posed_vertices_are_what_the_file_says_although_the_rest_pose_was_resized) {
    const auto character = small_z_up_character(0.3);
    BodyOptions options;
    options.clip = "bend";
    const Body body = make_body(character, options);
    const Workers workers(2);
    MatrixX3d out;
    for (const double time : {0.0, 0.2, 0.5, 0.9, 1.0}) {
        body.positions(time, TimeSampling::exact, workers, out);
        const MatrixX3d expected = posed_by_definition(*character, character->clips[0], 1.0 + time);
        EXPECT_LT(largest_difference(out, expected), 1e-12 * 400);
    }
    // Skinning the body's own rest positions with its own frames says the same.
    std::vector<Eigen::Affine3d> frames;
    body.node_frames(0.5, TimeSampling::exact, frames);
    std::vector<Eigen::Affine3d> matrices;
    for (size_t j = 0; j < body.source().rig.node.size(); ++j) {
        matrices.push_back(frames[body.source().rig.node[j]] * body.source().rig.inverse_bind[j]);
    }
    skin_linear_blend(body.mesh().positions, body.source().rig.weights, matrices, workers, out);
    const MatrixX3d expected = posed_by_definition(*character, character->clips[0], 1.5);
    EXPECT_LT(largest_difference(out.topRows(60), expected.topRows(60)), 1e-12 * 400);
}

TEST(Body, the_bind_pose_takes_posed_size_and_orientation) {
    // Straight rest pose: the similarity is known, x y z -> 100 (x, z, -y).
    const auto character = small_z_up_character(0.0);
    const Body body = make_body(character, of_mesh("body"));
    const MatrixX3d& file = character->meshes[0].mesh.positions;
    MatrixX3d expected(60, 3);
    expected << 100 * file.col(0), 100 * file.col(2), -100 * file.col(1);
    EXPECT_LT(largest_difference(body.mesh().positions, expected), 1e-10);
    // Bent at rest: still a similarity of the file's positions, 100 times larger, turned as little
    // as the bent vertices ask for.
    const Body bent = make_body(small_z_up_character(0.3), of_mesh("body"));
    const double file_length = (file.row(0) - file.row(1)).norm();
    const double rest_length = (bent.mesh().positions.row(0) - bent.mesh().positions.row(1)).norm();
    EXPECT_NEAR(rest_length / file_length, 100.0, 1e-9);
    EXPECT_LT(largest_difference(bent.mesh().positions, expected), 100.0);
}

TEST(Body, a_bind_pose_already_in_place_keeps_the_files_positions_bit_for_bit) {
    auto character = small_z_up_character(0.0);
    character->skeleton.nodes[0].rest = Transform();
    // inverse binds as a float file rounds them
    for (Eigen::Affine3d& matrix : character->skins[0].inverse_bind) {
        matrix.translation() *= 1.0 + 3e-8;
    }
    const Body body = make_body(character, of_mesh("body"));
    EXPECT_TRUE((body.mesh().positions.array() == character->meshes[0].mesh.positions.array()).all());
    EXPECT_EQ(body.source().rig.inverse_bind[1].matrix(), character->skins[0].inverse_bind[1].matrix());
}

TEST(Body, all_meshes_together_are_one_body_with_parts_groups_and_joints) {
    const auto character = small_z_up_character(0.0);
    const Body body = make_body(character, {});
    const ArtMesh& mesh = body.mesh();
    ASSERT_EQ(mesh.positions.rows(), 64);
    EXPECT_EQ(mesh.triangles.row(2), Eigen::RowVector3i(60, 62, 63));
    ASSERT_EQ(mesh.parts.size(), 2U);
    EXPECT_EQ(mesh.parts[1].name, "prop");
    EXPECT_EQ(mesh.parts[1].first_triangle, 1);
    EXPECT_EQ(mesh.parts[1].first_vertex, 60);
    EXPECT_EQ(mesh.uv_triangles.rows(), 3);
    EXPECT_LT(mesh.uv_triangles.maxCoeff(), mesh.uv.rows());
    EXPECT_EQ(mesh.painted.at("mask")[0], 0.0);
    EXPECT_EQ(mesh.painted.at("mask")[63], 0.5);
    EXPECT_EQ(body.source().weld_group[59], 0);
    EXPECT_EQ(body.source().weld_group[60], 1);
    EXPECT_EQ(body.source().rig.node, (std::vector<int>{1, 2, 4}));
    EXPECT_EQ(body.source().rig.weights.joints[2 * 61], 2);
    EXPECT_EQ(body.source().rig.weights.weights[2 * 61], 1.0);
}

TEST(Body, the_rig_says_by_itself_how_its_skin_moves) {
    const auto character = small_z_up_character(0.3);
    const Workers workers(1);
    for (const Skinning skinning : {Skinning::linear_blend, Skinning::dual_quaternion}) {
        BodyOptions options;
        options.mesh = "body";
        options.skinning = skinning;
        Body body = make_body(character, options);
        const Rig* rig = body.rig();
        ASSERT_NE(rig, nullptr);
        EXPECT_EQ(rig->name, (std::vector<std::string>{"low", "high"}));
        EXPECT_EQ(rig->parent, (std::vector<int>{-1, 0}));
        EXPECT_EQ(rig->skinning, skinning);
        EXPECT_LT((rig->inverse_bind[1] * rig->centre[1]).norm(), 1e-12 * 400);
        EXPECT_TRUE(rig->is_whole_motion);
        std::vector<Eigen::Affine3d> matrices;
        MatrixX3d posed;
        MatrixX3d skinned;
        for (const double time : {0.0, 0.3, 0.77}) {
            body.positions(time, TimeSampling::exact, workers, posed);
            body.joint_matrices(time, TimeSampling::exact, matrices);
            skin_by(*rig, body.mesh().positions, rig->weights, matrices, workers, skinned);
            EXPECT_EQ(skinned, posed);
        }
        body.set_rest_pose(posed);
        EXPECT_FALSE(body.rig()->is_whole_motion);
    }
}

TEST(Body, morph_targets_that_move_are_more_than_the_rigs_skinning) {
    const auto character = small_z_up_character(0.3);
    BodyOptions options;  // the clip "bend" moves the prop's morph targets, "wave" none
    options.clip = "bend";
    EXPECT_FALSE(make_body(character, options).rig()->is_whole_motion);
    options.clip = "wave";
    EXPECT_TRUE(make_body(character, options).rig()->is_whole_motion);
    options.mesh = "prop";  // carried by a node, without a skin
    EXPECT_EQ(make_body(character, options).rig(), nullptr);
}

TEST(Body, a_rig_made_by_hand_gets_names_parents_and_centres) {
    const auto character = small_z_up_character(0.3);
    Rig rig;
    rig.node = {4, 1};
    rig.inverse_bind = {Eigen::Affine3d(Eigen::Translation3d(1, 2, 3)), Eigen::Affine3d(Eigen::Scaling(0.0))};
    complete_rig(character->skeleton, rig);
    EXPECT_EQ(rig.name, (std::vector<std::string>{"prop", "low"}));
    EXPECT_EQ(rig.parent, (std::vector<int>{1, -1}));  // past "high", which is no joint
    EXPECT_EQ(rig.centre[0], Vector3d(-1, -2, -3));
    EXPECT_EQ(rig.centre[1], Vector3d(0, 0, 0));
    EXPECT_EQ(joints_below(rig, character->skeleton, {2}), (std::vector<char>{1, 0}));
    rig.node[0] = 9;
    EXPECT_THROW(complete_rig(character->skeleton, rig), InvalidInput);
}

TEST(Body, a_mesh_without_skin_rests_where_its_node_puts_it_default_morphs_included) {
    const auto character = small_z_up_character(0.3);
    const Body body = make_body(character, of_mesh("prop"));
    EXPECT_TRUE(body.source().rig.weights.weights.empty());
    Clip none;
    const MatrixX3d expected = posed_by_definition(*character, none, 0.0).bottomRows(4);
    EXPECT_LT(largest_difference(body.mesh().positions, expected), 1e-12 * 400);
    auto still = small_z_up_character(0.3);
    still->clips.clear();
    const Body without_clip = make_body(still, of_mesh("prop"));
    MatrixX3d out;
    without_clip.positions(3.0, TimeSampling::smooth, Workers(1), out);
    EXPECT_LT(largest_difference(out, expected), 1e-12 * 400);
    EXPECT_EQ(without_clip.duration(), 0.0);
}

TEST(Body, clips_that_hold_one_pose_are_no_motion_unless_they_are_named) {
    const auto posed = small_z_up_character(0.3);
    for (Clip& clip : posed->clips) {
        for (Channel& channel : clip.channels) {
            const auto width = static_cast<size_t>(channel.width);
            for (size_t i = width; i < channel.values.size(); ++i) {
                channel.values[i] = channel.values[i - width];
            }
        }
    }
    auto without = small_z_up_character(0.3);
    without->clips.clear();
    const Body test = make_body(without, {});
    const Body body = make_body(posed, {});
    ASSERT_GT(test.duration(), 0.0);
    EXPECT_EQ(body.duration(), test.duration());
    MatrixX3d out;
    MatrixX3d expected;
    body.positions(0.7, TimeSampling::exact, Workers(1), out);
    test.positions(0.7, TimeSampling::exact, Workers(1), expected);
    EXPECT_EQ(out, expected);
    const Body named = make_body(posed, of_mesh("", "bend"));
    named.positions(0.7, TimeSampling::exact, Workers(1), out);
    EXPECT_LT(largest_difference(out, posed_by_definition(*posed, posed->clips[0], 1.7)), 1e-10);
    // One channel that moves is a motion: the first clip plays.
    posed->clips[1].channels[0].values.back() += 1.0;
    EXPECT_EQ(make_body(posed, {}).duration(), 1.0);
}

TEST(Body, what_nothing_moves_beside_a_skin_is_scenery) {
    const auto character = small_z_up_character(0.3);
    EXPECT_TRUE(make_body(character, {}).source().is_scenery.empty());  // its prop hangs on a joint
    MeshInstance& prop = character->meshes[1];
    prop.morphs.clear();
    prop.morph_defaults.clear();
    character->clips[0].channels.pop_back();
    EXPECT_TRUE(make_body(character, {}).source().is_scenery.empty());  // the joint above it moves
    prop.node = 3;                                                      // beside the joints
    const std::vector<char> scenery = make_body(character, {}).source().is_scenery;
    ASSERT_EQ(scenery.size(), 64u);
    EXPECT_EQ(std::count(scenery.begin(), scenery.begin() + 60, 0), 60);
    EXPECT_EQ(std::count(scenery.begin() + 60, scenery.end(), 1), 4);
    character->clips[1].channels.push_back(character->clips[1].channels[0]);
    character->clips[1].channels.back().node = 3;  // another clip moves it
    EXPECT_TRUE(make_body(character, {}).source().is_scenery.empty());
}

TEST(Body, scale_and_up_axis_apply_to_rest_motion_frames_and_inverse_binds_alike) {
    const auto character = small_z_up_character(0.2);
    const Body plain = make_body(character, {});
    BodyOptions options;
    options.scale = 0.01;
    options.up_axis = 'z';
    const auto converted = [](const Vector3d& p) { return Vector3d(0.01 * Vector3d(p.x(), p.z(), -p.y())); };
    for (const Skinning skinning : {Skinning::linear_blend, Skinning::dual_quaternion}) {
        options.skinning = skinning;
        BodyOptions same;
        same.skinning = skinning;
        const Body reference = make_body(character, same);
        const Body body = make_body(character, options);
        MatrixX3d out;
        MatrixX3d expected;
        for (const double time : {0.0, 0.3, 0.8}) {
            body.positions(time, TimeSampling::smooth, Workers(1), out);
            reference.positions(time, TimeSampling::smooth, Workers(1), expected);
            for (int v = 0; v < out.rows(); ++v) {
                EXPECT_LT((out.row(v).transpose() - converted(expected.row(v))).norm(), 1e-12);
            }
        }
    }
    const Body body = make_body(character, options);
    for (int v = 0; v < 64; ++v) {
        EXPECT_LT((body.mesh().positions.row(v).transpose() - converted(plain.mesh().positions.row(v))).norm(), 1e-12);
    }
    std::vector<Eigen::Affine3d> frames;
    std::vector<Eigen::Affine3d> plain_frames;
    body.node_frames(0.4, TimeSampling::exact, frames);
    plain.node_frames(0.4, TimeSampling::exact, plain_frames);
    EXPECT_LT((frames[2].translation() - converted(plain_frames[2].translation())).norm(), 1e-13);
}

TEST(Body, missing_names_are_answered_with_what_there_is_nearest_first) {
    const auto character = small_z_up_character(0.0);
    const std::string mesh = message_of([&] { make_body(character, of_mesh("Prob")); });
    EXPECT_NE(mesh.find("animal.glb: no mesh named \"Prob\"; there is \"prop\", \"body\""), std::string::npos) << mesh;
    const std::string clip = message_of([&] { make_body(character, of_mesh({}, "waev")); });
    EXPECT_NE(clip.find("there is \"wave\", \"bend\""), std::string::npos) << clip;
    character->meshes.clear();
    EXPECT_NE(message_of([&] { make_body(character, {}); }).find("found none"), std::string::npos);
    EXPECT_THROW(make_body(nullptr, {}), InvalidInput);
}

TEST(Body, weights_that_had_to_be_normalised_are_noted) {
    auto character = small_z_up_character(0.0);
    for (double& weight : character->meshes[0].weights.weights) {
        weight *= 0.5;
    }
    const Body body = make_body(character, {});
    ASSERT_EQ(body.source().notes.size(), 1U);
    EXPECT_NE(body.source().notes[0].find("60 vertices did not sum to 1"), std::string::npos);
}

TEST(Body, inconsistent_characters_are_refused) {
    const auto refused = [](const std::function<void(Character&)>& damage) {
        auto character = small_z_up_character(0.0);
        damage(*character);
        EXPECT_THROW(make_body(character, {}), InvalidInput);
    };
    refused([](Character& c) { c.meshes[0].skin = 7; });
    refused([](Character& c) { c.skins[0].inverse_bind.pop_back(); });
    refused([](Character& c) { c.skins[0].joints[1] = 99; });
    refused([](Character& c) { c.meshes[1].node = -1; });
    refused([](Character& c) { c.meshes[0].mesh.positions.conservativeResize(59, 3); });
    refused([](Character& c) { c.meshes[1].morphs[0].offsets.resize(3, 3); });
    refused([](Character& c) { c.meshes[1].mesh.positions(2, 1) = std::nan(""); });
    refused([](Character& c) { c.skins[0].inverse_bind[0](0, 0) = std::nan(""); });
    const auto good = small_z_up_character(0.0);
    for (const double scale : {0.0, -1.0, std::nan("")}) {
        BodyOptions options;
        options.scale = scale;
        EXPECT_THROW(make_body(good, options), InvalidInput);
    }
    BodyOptions options;
    options.up_axis = 'x';
    EXPECT_THROW(make_body(good, options), InvalidInput);
    options = {};
    options.clock.time_scale = 0.0;
    EXPECT_THROW(make_body(good, options), InvalidInput);
}

TEST(BodyClock, time_zero_is_the_first_key_and_negative_times_hold_it) {
    const auto character = small_z_up_character(0.1);
    BodyOptions options;
    options.clip = "bend";
    options.clock.time_scale = 2.0;
    const Body body = make_body(character, options);
    EXPECT_DOUBLE_EQ(body.duration(), 0.5);
    const auto same = [&](double time, double clip_time) {
        MatrixX3d out;
        body.positions(time, TimeSampling::exact, Workers(1), out);
        const MatrixX3d expected = posed_by_definition(*character, character->clips[0], clip_time);
        EXPECT_LT(largest_difference(out, expected), 1e-12 * 400) << time;
    };
    same(-3.0, 1.0);
    same(0.0, 1.0);
    same(0.1, 1.2);
    same(0.5, 2.0);
    same(9.0, 2.0);
    EXPECT_FALSE(body.jumps_between(0.0, 100.0));
}

TEST(BodyClock, an_open_loop_is_closed_by_one_key_interval_at_the_joints) {
    const auto character = small_z_up_character(0.0);
    BodyOptions options;
    options.mesh = "body";
    options.clip = "bend";
    options.clock.loop = LoopMode::loop;
    const Body body = make_body(character, options);
    EXPECT_NEAR(body.duration(), 1.0 + 0.5, 1e-15);  // three keys, 0.5 s apart
    EXPECT_GT(body.seam_gap(), 1.0);
    EXPECT_FALSE(body.seam_is_jump());
    ASSERT_FALSE(body.source().notes.empty());
    // Half way back, the joint is half way between 0.4 and 0.
    std::vector<Eigen::Affine3d> frames;
    body.node_frames(1.25, TimeSampling::exact, frames);
    const Eigen::Matrix3d local = frames[1].linear().inverse() * frames[2].linear();
    EXPECT_LT((local - Eigen::Matrix3d(Eigen::AngleAxisd(0.2, Vector3d::UnitX()))).norm(), 1e-12);
    MatrixX3d now;
    MatrixX3d later;
    body.positions(0.7, TimeSampling::smooth, Workers(1), now);
    body.positions(0.7 + 3 * 1.5, TimeSampling::smooth, Workers(1), later);
    EXPECT_LT(largest_difference(now, later), 1e-9);
}

TEST(BodyClock, a_gap_beyond_the_limit_is_reported_as_a_jump) {
    BodyOptions options;
    options.mesh = "body";
    options.clip = "bend";
    options.clock.loop = LoopMode::loop;
    options.clock.jump_limit = 0.01;
    const Body body = make_body(small_z_up_character(0.0), options);
    EXPECT_TRUE(body.seam_is_jump());
    EXPECT_DOUBLE_EQ(body.duration(), 1.0);
    EXPECT_TRUE(body.jumps_between(0.99, 1.01));
    EXPECT_FALSE(body.jumps_between(0.2, 0.99));
    EXPECT_FALSE(body.jumps_between(-1.0, 0.5));
    MatrixX3d first;
    MatrixX3d again;
    body.positions(0.0, TimeSampling::exact, Workers(1), first);
    body.positions(1.0, TimeSampling::exact, Workers(1), again);
    EXPECT_EQ(first, again);
}

TEST(Body, results_have_the_same_bits_for_any_number_of_threads) {
    const auto character = small_z_up_character(0.3);
    for (const Skinning skinning : {Skinning::linear_blend, Skinning::dual_quaternion}) {
        BodyOptions options;
        options.skinning = skinning;
        const Body body = make_body(character, options);
        MatrixX3d one;
        MatrixX3d three;
        body.positions(0.37, TimeSampling::smooth, Workers(1), one);
        body.positions(0.37, TimeSampling::smooth, Workers(3), three);
        EXPECT_TRUE((one.array() == three.array()).all());
    }
}

}  // namespace
}  // namespace cutis
