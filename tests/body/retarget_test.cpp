#include "body/retarget.h"

#include <gtest/gtest.h>

#include "support.h"

namespace cutis {
namespace {

using namespace test;

struct JointPlace {
    std::string name;
    int parent;
    Vector3d world;
};

/// A little person, 1 m to the hips.
std::vector<JointPlace> person() {
    return {{"Hips", -1, {0, 1.0, 0}},      {"Spine", 0, {0, 1.4, 0}},     {"LeftArm", 1, {0.2, 1.5, 0}},
            {"LeftHand", 2, {0.8, 1.5, 0}}, {"LeftLeg", 0, {0.1, 0.9, 0}}, {"LeftFoot", 4, {0.1, 0.0, 0}}};
}

/// The same places in the world whatever the local axes: every joint's frame is turned by
/// `axes(j)`.
Skeleton skeleton_at(const std::vector<JointPlace>& places, const std::function<Eigen::Quaterniond(size_t)>& axes,
                     double scale = 1.0) {
    Skeleton skeleton;
    std::vector<Eigen::Affine3d> world;
    for (size_t j = 0; j < places.size(); ++j) {
        const Eigen::Affine3d frame = Eigen::Translation3d(scale * places[j].world) * axes(j);
        const int parent = places[j].parent;
        const Eigen::Affine3d local = parent < 0 ? frame : world[parent].inverse() * frame;
        skeleton.nodes.push_back(node(places[j].name, parent, local.translation(), Eigen::Quaterniond(local.linear())));
        world.push_back(frame);
    }
    return skeleton;
}

Eigen::Quaterniond plain_axes(size_t) {
    return Eigen::Quaterniond::Identity();
}

Eigen::Quaterniond odd_axes(size_t joint) {
    const double angle = 0.7 + 0.5 * static_cast<double>(joint);
    return Eigen::Quaterniond(Eigen::AngleAxisd(angle, Vector3d(1, -0.5, 0.3).normalized()));
}

/// Arm, hand, spine and hips turn; hips travel.
Clip dance(const Skeleton& skeleton) {
    const auto turn = [&](const std::string& name, const Vector3d& axis) {
        const int joint = skeleton.find(name);
        const Eigen::Quaterniond rest = skeleton.nodes[joint].rest.rotation;
        std::vector<double> values;
        for (const double angle : {0.0, 0.9, -0.4}) {
            const Eigen::Quaterniond q = rest * Eigen::Quaterniond(Eigen::AngleAxisd(angle, axis.normalized()));
            values.insert(values.end(), q.coeffs().data(), q.coeffs().data() + 4);
        }
        return channel(joint, ChannelTarget::rotation, Interpolation::linear, {0, 1, 2}, values, 4);
    };
    Clip clip;
    clip.name = "dance";
    clip.channels = {turn("LeftArm", {0, 0, 1}), turn("LeftHand", {1, 1, 0}), turn("Spine", {0, 1, 0.2}),
                     turn("Hips", {0.3, 1, 0}),
                     channel(0, ChannelTarget::translation, Interpolation::linear, {0, 1, 2},
                             {0, 1, 0, 0.5, 1.2, 0, 1.0, 0.9, 0.3})};
    return clip;
}

std::vector<Eigen::Affine3d> frames_at(const Skeleton& skeleton, const Clip& clip, double time) {
    Pose pose;
    ClipSampler(skeleton, clip, TimeSampling::exact).sample(time, pose);
    std::vector<Eigen::Affine3d> world;
    world_frames(skeleton, pose.local, world);
    return world;
}

TEST(Retarget, names_match_without_prefix_and_case) {
    EXPECT_EQ(plain_joint_name("mixamorig:LeftArm"), "leftarm");
    EXPECT_EQ(plain_joint_name("Rig|mixamorig:Hips"), "hips");
    EXPECT_EQ(plain_joint_name("Spine"), "spine");
}

TEST(Retarget, the_same_world_motion_comes_out_whatever_the_local_axes) {
    const Skeleton source = skeleton_at(person(), plain_axes);
    std::vector<JointPlace> renamed = person();
    for (JointPlace& place : renamed) {
        place.name = "mixamorig:" + place.name;
    }
    const Skeleton target = skeleton_at(renamed, odd_axes);
    const Clip clip = dance(source);
    const RetargetedClip result = retarget_clip(source, clip, target);
    EXPECT_EQ(result.matched_joints, 6);
    EXPECT_TRUE(result.unmatched_source.empty());
    EXPECT_TRUE(result.unmatched_target.empty());
    EXPECT_NEAR(result.translation_scale, 1.0, 1e-12);
    for (const double time : {0.0, 0.5, 1.0, 1.7, 2.0}) {
        const auto expected = frames_at(source, clip, time);
        const auto found = frames_at(target, result.clip, time);
        const bool is_key = time == std::floor(time);
        for (size_t j = 0; j < expected.size(); ++j) {
            // At keys the same; between them two ways to interpolate the same turns locally, the
            // same again here because each joint turns about a fixed axis of its parent.
            EXPECT_LT((found[j].translation() - expected[j].translation()).norm(), is_key ? 1e-12 : 0.2)
                << time << " joint " << j;
            if (is_key) {
                const Eigen::Matrix3d turn = found[j].linear() * odd_axes(j).conjugate().toRotationMatrix();
                EXPECT_LT((turn - expected[j].linear()).norm(), 1e-12);
            }
        }
    }
}

TEST(Retarget, on_the_same_skeleton_keys_are_taken_as_they_are_with_root_motion_and_moved_joints) {
    // A root above the hips travels, hips bob on it, a hand is stretched away: what retargeting to another body drops.
    const auto with_root = [](const Skeleton& person) {
        Skeleton skeleton;
        skeleton.nodes.push_back(node("Root", -1, Vector3d::Zero(), Eigen::Quaterniond::Identity()));
        for (Node one : person.nodes) {
            one.parent += 1;
            skeleton.nodes.push_back(one);
        }
        return skeleton;
    };
    const Skeleton source = with_root(skeleton_at(person(), odd_axes));
    Skeleton target = source;
    target.nodes[4].rest.rotation = Eigen::AngleAxisd(0.4, Vector3d::UnitZ());  // files often rest in another pose
    std::reverse(target.nodes.begin() + 5, target.nodes.end());                 // leg and foot: a parent comes first
    std::swap(target.nodes[5], target.nodes[6]);
    Clip clip;
    clip.name = "walk";
    const auto travel = [](int joint, const std::vector<double>& values) {
        return channel(joint, ChannelTarget::translation, Interpolation::linear, {0, 1}, values);
    };
    clip.channels = {travel(0, {0, 0, 0, 0, 0, 2}), travel(1, {0, 1, 0, 0, 1.1, 0}), travel(4, {0.6, 0, 0, 0.9, 0, 0})};
    const RetargetedClip moved = retarget_clip(source, clip, target);
    EXPECT_TRUE(moved.is_same_skeleton);
    ASSERT_EQ(moved.clip.channels.size(), 3U);
    for (size_t c = 0; c < 3; ++c) {
        EXPECT_EQ(moved.clip.channels[c].values, clip.channels[c].values);
    }
    Skeleton longer = source;
    longer.nodes[4].rest.translation *= 1.01;
    EXPECT_FALSE(retarget_clip(source, clip, longer).is_same_skeleton);
}

TEST(Retarget, a_clip_put_onto_its_own_skeleton_is_itself_also_without_names_and_with_morph_weights) {
    for (const bool has_names : {true, false}) {
        Skeleton skeleton = skeleton_at(person(), odd_axes);
        for (Node& one : skeleton.nodes) {
            one.name = has_names ? one.name : "";
        }
        Clip clip = dance(skeleton_at(person(), odd_axes));
        clip.channels.push_back(
            channel(5, ChannelTarget::morph_weights, Interpolation::linear, {0, 1}, {0.1, 0.2, 0.3, 0.4}, 2));
        const RetargetedClip moved = retarget_clip(skeleton, clip, skeleton);
        EXPECT_TRUE(moved.is_same_skeleton);
        ASSERT_EQ(moved.clip.channels.size(), clip.channels.size());
        for (size_t c = 0; c < clip.channels.size(); ++c) {
            EXPECT_EQ(moved.clip.channels[c].node, clip.channels[c].node);
            EXPECT_EQ(moved.clip.channels[c].target, clip.channels[c].target);
            EXPECT_EQ(moved.clip.channels[c].values, clip.channels[c].values);
        }
    }
}

TEST(Retarget, travel_scales_with_the_height_of_the_hips) {
    const Skeleton source = skeleton_at(person(), plain_axes);
    const Skeleton target = skeleton_at(person(), odd_axes, 3.0);
    const Clip clip = dance(source);
    const RetargetedClip result = retarget_clip(source, clip, target);
    EXPECT_NEAR(result.translation_scale, 3.0, 1e-12);
    for (const double time : {0.0, 1.0, 2.0}) {
        const auto expected = frames_at(source, clip, time);
        const auto found = frames_at(target, result.clip, time);
        for (size_t j = 0; j < expected.size(); ++j) {
            EXPECT_LT((found[j].translation() - 3.0 * expected[j].translation()).norm(), 1e-12);
        }
    }
}

TEST(Retarget, a_source_that_rests_with_its_hips_at_the_origin_stands_on_its_floor) {
    std::vector<JointPlace> hanging = person();
    for (JointPlace& place : hanging) {
        place.world.y() -= 1.0;  // as BVH files store it; the clip still says hips at 1 m
    }
    const Skeleton source = skeleton_at(hanging, plain_axes);
    const Skeleton target = skeleton_at(person(), odd_axes);
    const Clip clip = dance(source);
    const RetargetedClip result = retarget_clip(source, clip, target);
    for (const double time : {0.0, 1.0, 2.0}) {
        EXPECT_LT(
            (frames_at(target, result.clip, time)[0].translation() - frames_at(source, clip, time)[0].translation())
                .norm(),
            1e-12);
    }
}

TEST(Retarget, nodes_above_the_hips_and_joints_only_one_side_has_are_carried_and_reported) {
    const Skeleton source = skeleton_at(person(), plain_axes);
    // The target stands below a Z-up root of scale 0.01 and has a shoulder, but no hand.
    std::vector<JointPlace> places = person();
    places[3] = {"Finger", 2, {0.9, 1.5, 0}};
    Skeleton inner = skeleton_at(places, odd_axes);
    Skeleton target;
    Node root = node("armature", -1, {0, 0, 0}, Eigen::Quaterniond(Eigen::AngleAxisd(0.4, Vector3d::UnitX())));
    root.rest.scale = Vector3d::Constant(0.01);
    target.nodes.push_back(root);
    const Eigen::Affine3d lift = root.rest.matrix().inverse();
    for (Node each : inner.nodes) {
        if (each.parent < 0) {
            const Eigen::Quaterniond turn = root.rest.rotation.conjugate() * each.rest.rotation;
            each.rest.translation = lift * each.rest.translation;
            each.rest.rotation = turn;
        } else {
            each.rest.translation *= 100.0;
        }
        ++each.parent;
        target.nodes.push_back(each);
    }
    const Clip clip = dance(source);
    const RetargetedClip result = retarget_clip(source, clip, target);
    EXPECT_EQ(result.unmatched_source, std::vector<std::string>{"LeftHand"});
    EXPECT_EQ(result.unmatched_target, (std::vector<std::string>{"armature", "Finger"}));
    for (const double time : {0.0, 1.0, 2.0}) {
        const auto expected = frames_at(source, clip, time);
        const auto found = frames_at(target, result.clip, time);
        for (const size_t j : {0U, 1U, 2U, 4U, 5U}) {
            EXPECT_LT((found[j + 1].translation() - expected[j].translation()).norm(), 1e-12);
        }
        // The finger goes with the arm.
        const Vector3d finger = expected[2] * Vector3d(0.7, 0.0, 0.0);
        EXPECT_LT((found[4].translation() - finger).norm(), 1e-12);
    }
}

TEST(Retarget, a_pose_of_the_clip_can_stand_for_the_rest_pose) {
    const Skeleton target = skeleton_at(person(), odd_axes);
    Skeleton source = skeleton_at(person(), plain_axes);
    Clip clip = dance(source);
    // Another rest pose in the source's file, never shown: the clip's first pose is the T-pose.
    for (Node& each : source.nodes) {
        each.rest.rotation = Eigen::AngleAxisd(0.3, Vector3d::UnitZ());
    }
    for (const std::string name : {"LeftLeg", "LeftFoot"}) {
        clip.channels.push_back(
            channel(source.find(name), ChannelTarget::rotation, Interpolation::linear, {0.0}, {0, 0, 0, 1}, 4));
    }
    RetargetOptions options;
    options.source_rest_time = 0.0;
    const RetargetedClip result = retarget_clip(source, clip, target, options);
    const auto expected = frames_at(source, clip, 1.0);
    const auto found = frames_at(target, result.clip, 1.0);
    for (size_t j = 0; j < expected.size(); ++j) {
        EXPECT_LT((found[j].translation() - expected[j].translation()).norm(), 1e-12);
    }
}

TEST(Retarget, skeletons_without_a_common_joint_are_refused) {
    const Skeleton source = skeleton_at(person(), plain_axes);
    Skeleton target;
    target.nodes = {node("wheel", -1, {0, 0, 0})};
    const std::string message = message_of([&] { retarget_clip(source, dance(source), target); });
    EXPECT_NE(message.find("\"wheel\""), std::string::npos) << message;
}

}  // namespace
}  // namespace cutis
