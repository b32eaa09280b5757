#include "cutis/io/bvh_read.h"

#include <random>

#include "cutis/core/error.h"
#include "support/data.h"
#include "support/expect_error.h"

namespace cutis {
namespace {

using test::expect_error;

BvhMotion read(const std::string& text, double scale = 1.0) {
    const std::vector<unsigned char> bytes(text.begin(), text.end());
    return read_bvh(bytes, "walk.bvh", scale);
}

void refuse(const std::string& text, std::vector<std::string> pieces) {
    pieces.insert(pieces.begin(), "walk.bvh: ");
    expect_error<InvalidInput>([&] { read(text); }, pieces);
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
}

const std::string two_joints =
    "HIERARCHY\nROOT hip\n{\n\tOFFSET 0 1 0\n"
    "\tCHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation\n"
    "\tJOINT knee\n\t{\n\t\tOFFSET 0 -0.5 0\n\t\tCHANNELS 3 Yrotation Zrotation Xrotation\n"
    "\t\tEnd Site\n\t\t{\n\t\t\tOFFSET 0 -0.5 0\n\t\t}\n\t}\n}\n"
    "MOTION\nFrames: 2\nFrame Time: .5\n"
    "1 2 3 10 20 30 40 50 60\n4 5 6 0 0 0 90 0 0\n";

/// Rotation about an axis written out by hand, degrees.
Eigen::Matrix3d turn(char axis, double degrees) {
    const double c = std::cos(degrees * M_PI / 180.0);
    const double s = std::sin(degrees * M_PI / 180.0);
    Eigen::Matrix3d m;
    if (axis == 'x') {
        m << 1, 0, 0, 0, c, -s, 0, s, c;
    } else if (axis == 'y') {
        m << c, 0, s, 0, 1, 0, -s, 0, c;
    } else {
        m << c, -s, 0, s, c, 0, 0, 0, 1;
    }
    return m;
}

const Channel& channel(const Clip& clip, int node, ChannelTarget target) {
    for (const Channel& candidate : clip.channels) {
        if (candidate.node == node && candidate.target == target) {
            return candidate;
        }
    }
    throw std::runtime_error("no such channel");
}

Eigen::Quaterniond key(const Channel& rotation, std::size_t k) {
    return Eigen::Quaterniond(&rotation.values[4 * k]);
}

TEST(BvhRead, joints_offsets_and_times_arrive) {
    const BvhMotion motion = read(two_joints);
    ASSERT_EQ(motion.skeleton.nodes.size(), 2u);
    EXPECT_EQ(motion.skeleton.nodes[0].name, "hip");
    EXPECT_EQ(motion.skeleton.nodes[1].name, "knee");
    EXPECT_EQ(motion.skeleton.nodes[1].parent, 0);
    EXPECT_EQ(motion.skeleton.nodes[1].rest.translation, Vector3d(0, -0.5, 0));
    EXPECT_EQ(motion.clip.name, "walk");
    EXPECT_DOUBLE_EQ(motion.frame_time, 0.5);
    ASSERT_EQ(motion.clip.channels.size(), 3u);
    const Channel& travel = channel(motion.clip, 0, ChannelTarget::translation);
    EXPECT_EQ(travel.times, (std::vector<double>{0, 0.5}));
    EXPECT_EQ(travel.values, (std::vector<double>{1, 2, 3, 4, 5, 6}));
}

TEST(BvhRead, rotations_multiply_in_the_order_of_their_channels) {
    const BvhMotion motion = read(two_joints);
    const Eigen::Matrix3d hip = turn('z', 10) * turn('x', 20) * turn('y', 30);
    const Eigen::Matrix3d knee = turn('y', 40) * turn('z', 50) * turn('x', 60);
    EXPECT_TRUE(key(channel(motion.clip, 0, ChannelTarget::rotation), 0).matrix().isApprox(hip, 1e-14));
    EXPECT_TRUE(key(channel(motion.clip, 1, ChannelTarget::rotation), 0).matrix().isApprox(knee, 1e-14));
}

TEST(BvhRead, scale_moves_lengths_and_not_angles) {
    const BvhMotion motion = read(two_joints, 0.1);
    const BvhMotion plain = read(two_joints);
    EXPECT_TRUE(motion.skeleton.nodes[1].rest.translation.isApprox(Vector3d(0, -0.05, 0)));
    EXPECT_DOUBLE_EQ(channel(motion.clip, 0, ChannelTarget::translation).values[5], 0.6);
    EXPECT_EQ(channel(motion.clip, 1, ChannelTarget::rotation).values,
              channel(plain.clip, 1, ChannelTarget::rotation).values);
}

TEST(BvhRead, line_ends_and_layout_do_not_matter) {
    std::string crlf;
    for (const char c : two_joints) {
        crlf += c == '\n' ? "\r\n" : std::string(1, c);
    }
    const BvhMotion expected = read(two_joints);
    for (const std::string& text :
         {crlf, replaced(two_joints, "hip\n{", "hip {"), replaced(two_joints, "40 50 60\n4", "40\n50 60 4")}) {
        const BvhMotion motion = read(text);
        EXPECT_EQ(motion.skeleton.nodes[0].name, "hip");
        EXPECT_EQ(motion.clip.channels[2].values, expected.clip.channels[2].values);
    }
}

// 350 degrees in ten steps of 35 passes 180, where the quaternion of each frame alone changes sign.
TEST(BvhRead, quaternions_keep_a_continuous_sign) {
    std::string text =
        "HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 1 Zrotation\nEnd Site\n{\nOFFSET 0 1 "
        "0\n}\n}\n"
        "MOTION\nFrames: 11\nFrame Time: 0.1\n";
    for (int f = 0; f <= 10; ++f) {
        int angle = 35 * f;
        angle = angle > 180 ? angle - 360 : angle;
        text += std::to_string(angle) + "\n";
    }
    const Channel rotation = read(text).clip.channels[0];
    for (std::size_t k = 1; k <= 10; ++k) {
        EXPECT_NEAR(key(rotation, k).dot(key(rotation, k - 1)), std::cos(17.5 * M_PI / 180), 1e-12);
    }
}

TEST(BvhRead, positions_below_the_root_replace_or_add_to_the_offset_as_their_size_says) {
    const std::string moving = replaced(two_joints, "CHANNELS 3", "CHANNELS 6 Xposition Yposition Zposition");
    const auto knee = [&](const std::string& position) {
        std::string text = replaced(moving, "30 40 50 60\n", "30 " + position + " 40 50 60\n");
        text = replaced(text, "0 0 0 90", "0 0 0 " + position + " 90");
        const BvhMotion motion = read(text);
        const auto& values = channel(motion.clip, 1, ChannelTarget::translation).values;
        return Vector3d(values[0], values[1], values[2]);
    };
    EXPECT_TRUE(knee("0.01 -0.49 0").isApprox(Vector3d(0.01, -0.49, 0)));
    EXPECT_TRUE(knee("0.01 -0.01 0").isApprox(Vector3d(0.01, -0.51, 0)));
}

TEST(BvhRead, wrong_files_are_refused_with_their_line) {
    refuse("", {"line 1: expected HIERARCHY, found the end of the file"});
    refuse("HIERARCHIE", {"line 1: expected HIERARCHY, found 'HIERARCHIE'"});
    refuse("HIERARCHY\nMOTION\n", {"line 2: expected a ROOT before MOTION"});
    refuse(replaced(two_joints, "OFFSET 0 1 0", "OFFSET 0 up 0"), {"line 4", "found 'up'"});
    refuse(replaced(two_joints, "Yrotation\n", "Wrotation\n"),
           {"line 5: expected X, Y or Z position or rotation, found 'Wrotation'"});
    refuse(replaced(two_joints, "CHANNELS 6", "CHANNELS 7"), {"line 5: expected 0 to 6 channels, found '7'"});
    refuse(replaced(two_joints, "CHANNELS 6", "CHANNELS 5"), {"line 5", "found 'Yrotation'"});
    refuse(replaced(two_joints, "ROOT hip", "JOINT hip"), {"line 2: expected ROOT or MOTION, found 'JOINT'"});
    refuse(replaced(two_joints, "Frames: 2", "Frames: 3"), {"expected 3 frames of 9 numbers, found only 44 bytes"});
    refuse(two_joints.substr(0, two_joints.size() - 3), {"expected a number of the motion, found the end of the file"});
    refuse(replaced(two_joints, "Frames: 2", "Frames: 1"),
           {"expected the end of the file after 1 frames of 9 numbers, found '4'"});
    refuse(replaced(two_joints, "Frames: 2", "Frames: 0"), {"expected at least one frame"});
    refuse(replaced(two_joints, "Frames: 2", "Frames: 99999999"),
           {"expected 99999999 frames of 9 numbers, found only"});
    refuse(replaced(two_joints, "Time: .5", "Time: 0"), {"line 18: expected a frame time above 0"});
    refuse(replaced(two_joints, "10 20 30", "10 nan 30"), {"line 19", "found 'nan'"});
    refuse(two_joints + std::string("\0", 1), {"binary"});
    expect_error<InvalidInput>([] { read(two_joints, -1.0); }, {"scale"});
    expect_error<IoError>([] { read_bvh(std::filesystem::path("no.bvh")); }, {"no such file"});
}

TEST(BvhRead, a_deep_chain_is_read_without_recursion) {
    std::string text = "HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 1 Xrotation\n";
    const int depth = 20000;
    for (int i = 0; i < depth; ++i) {
        text += "JOINT b\n{\nOFFSET 0 1 0\n";
    }
    text += std::string(depth + 1, '\n');
    for (int i = 0; i <= depth; ++i) {
        text += "}\n";
    }
    EXPECT_EQ(read(text + "MOTION\nFrames: 1\nFrame Time: 1\n0\n").skeleton.nodes.size(), 20001u);
}

// The last number may lose digits and stay a number; before that, nothing can be missing.
TEST(BvhRead, every_truncation_is_refused) {
    for (std::size_t size = 0; size + 2 < two_joints.size(); ++size) {
        EXPECT_THROW(read(two_joints.substr(0, size)), InvalidInput) << size;
    }
}

TEST(BvhRead, random_damage_never_crashes) {
    std::mt19937 random(11);
    for (int round = 0; round < 3000; ++round) {
        std::string text = two_joints;
        for (int k = 0; k < 3; ++k) {
            text[random() % text.size()] =
                round % 2 == 0 ? static_cast<char>(random()) : two_joints[random() % text.size()];
        }
        try {
            const BvhMotion motion = read(text);
            for (const Channel& moved : motion.clip.channels) {
                for (const double value : moved.values) {
                    EXPECT_TRUE(std::isfinite(value));
                }
            }
        } catch (const InvalidInput&) {
        }
    }
}

/// World frames of a skeleton at key k of a clip.
std::vector<Eigen::Affine3d> posed(const Skeleton& skeleton, const Clip& clip, std::size_t k) {
    std::vector<Transform> local;
    for (const Node& node : skeleton.nodes) {
        local.push_back(node.rest);
    }
    for (const Channel& moved : clip.channels) {
        Transform& to = local[moved.node];
        if (moved.target == ChannelTarget::rotation) {
            to.rotation = key(moved, k);
        } else {
            to.translation = Vector3d(&moved.values[3 * k]);
        }
    }
    std::vector<Eigen::Affine3d> world;
    for (std::size_t i = 0; i < local.size(); ++i) {
        const Eigen::Affine3d frame =
            Eigen::Translation3d(local[i].translation) * local[i].rotation * Eigen::Scaling(local[i].scale);
        const int parent = skeleton.nodes[i].parent;
        world.push_back(parent < 0 ? frame : world[parent] * frame);
    }
    return world;
}

struct KnownBvh {
    const char* file;
    std::size_t joints;
    std::size_t frames;
    double frame_time;
};

class KnownBvhs : public ::testing::TestWithParam<KnownBvh> {};

TEST_P(KnownBvhs, hold_what_their_readme_says) {
    CUTIS_NEED_DATA(GetParam().file);
    const BvhMotion motion = read_bvh(data_path);
    EXPECT_EQ(motion.skeleton.nodes.size(), GetParam().joints);
    EXPECT_NEAR(motion.frame_time, GetParam().frame_time, 1e-6);
    ASSERT_FALSE(motion.clip.channels.empty());
    for (const Channel& moved : motion.clip.channels) {
        EXPECT_EQ(moved.times.size(), GetParam().frames);
        EXPECT_EQ(moved.values.size(), GetParam().frames * static_cast<std::size_t>(moved.width));
    }
}

INSTANTIATE_TEST_SUITE_P(Data, KnownBvhs,
                         ::testing::Values(KnownBvh{"cmu-mocap/02_01.bvh", 31, 344, 1.0 / 120},
                                           KnownBvh{"cmu-mocap/05_03.bvh", 31, 435, 1.0 / 120},
                                           KnownBvh{"cmu-mocap/05_04.bvh", 31, 1200, 1.0 / 120},
                                           KnownBvh{"makehuman/poses/gym01.bvh", 163, 1, 1.0 / 24},
                                           KnownBvh{"makehuman/poses/run01.bvh", 163, 1, 1.0 / 24},
                                           KnownBvh{"makehuman/poses/fight01.bvh", 163, 1, 1.0 / 24},
                                           KnownBvh{"makehuman/poses/sit01.bvh", 163, 1, 1.0 / 24},
                                           KnownBvh{"makehuman/poses/standing01.bvh", 163, 1, 1.0 / 24},
                                           KnownBvh{"makehuman/poses/tpose.bvh", 173, 1, 1.0 / 24}));

// A walking person: bones keep their lengths, and the body gets somewhere.
TEST(BvhData, the_walk_travels_and_keeps_its_bones) {
    CUTIS_NEED_DATA("cmu-mocap/02_01.bvh");
    const BvhMotion motion = read_bvh(data_path, 0.056444);
    const auto first = posed(motion.skeleton, motion.clip, 1);
    const auto last = posed(motion.skeleton, motion.clip, 343);
    EXPECT_GT((last[0].translation() - first[0].translation()).norm(), 1.0);
    for (std::size_t i = 1; i < last.size(); ++i) {
        const auto parent = static_cast<std::size_t>(motion.skeleton.nodes[i].parent);
        EXPECT_NEAR((last[i].translation() - last[parent].translation()).norm(),
                    motion.skeleton.nodes[i].rest.translation.norm(), 1e-12);
    }
    EXPECT_NEAR(first[0].translation().y(), 0.94, 0.15) << "hips of an adult";
}

}  // namespace
}  // namespace cutis
