#include <gtest/gtest.h>

#include "cutis/actors/actors.h"
#include "support/mesh_checks.h"

namespace cutis {
namespace {

const Clip& clip_named(const Character& character, const std::string& name) {
    for (const Clip& clip : character.clips) {
        if (clip.name == name) {
            return clip;
        }
    }
    throw std::runtime_error("no clip " + name);
}

int node_named(const Character& character, const std::string& name) {
    for (size_t i = 0; i < character.skeleton.nodes.size(); ++i) {
        if (character.skeleton.nodes[i].name == name) {
            return static_cast<int>(i);
        }
    }
    throw std::runtime_error("no node " + name);
}

const Channel& channel_of(const Character& character, const Clip& clip, const std::string& node, ChannelTarget target) {
    for (const Channel& channel : clip.channels) {
        if (channel.node == node_named(character, node) && channel.target == target) {
            return channel;
        }
    }
    throw std::runtime_error("no channel for " + node);
}

/// Angle of the rotation from rest at each key, degrees.
std::vector<double> angles_of(const Channel& channel) {
    std::vector<double> out;
    for (size_t k = 0; k < channel.times.size(); ++k) {
        const double* v = &channel.values[4 * k];
        out.push_back(Eigen::AngleAxisd(Eigen::Quaterniond(v[3], v[0], v[1], v[2])).angle() * 180.0 / M_PI);
    }
    return out;
}

double largest(const std::vector<double>& values) {
    return *std::max_element(values.begin(), values.end());
}

/// Largest weight any vertex gives to a joint, and to all joints in a list together.
double weight_of(const MeshInstance& mesh, int vertex, int joint) {
    for (int k = 0; k < mesh.weights.influences; ++k) {
        const size_t i = static_cast<size_t>(vertex * mesh.weights.influences + k);
        if (mesh.weights.joints[i] == joint && mesh.weights.weights[i] > 0.0) {
            return mesh.weights.weights[i];
        }
    }
    return 0.0;
}

int joint_named(const Character& character, const std::string& name) {
    const std::vector<int>& joints = character.skins[0].joints;
    return static_cast<int>(std::find(joints.begin(), joints.end(), node_named(character, name)) - joints.begin());
}

TEST(ActorMotion, torus_and_cylinder_have_the_papers_sizes) {
    const Character torus = load_actor("torus");
    EXPECT_EQ(torus.meshes[0].mesh.triangles.rows(), 1152);
    EXPECT_EQ(torus.meshes[0].mesh.positions.rows(), 24 * 24);
    for (int v = 0; v < torus.meshes[0].mesh.positions.rows(); ++v) {
        const Vector3d p = torus.meshes[0].mesh.positions.row(v);
        EXPECT_NEAR(std::hypot(std::hypot(p.x(), p.y()) - 0.35, p.z()), 0.14, 1e-12);
    }
    const Character cylinder = load_actor("cylinder");
    const MatrixX3d& x = cylinder.meshes[0].mesh.positions;
    EXPECT_EQ(cylinder.meshes[0].mesh.triangles.rows(), 1276);
    EXPECT_EQ((x.col(0).array() == x.col(0).minCoeff()).count(), 22);
    EXPECT_EQ((x.col(0).array() == x.col(0).maxCoeff()).count(), 22);
    EXPECT_DOUBLE_EQ(x.col(0).maxCoeff() - x.col(0).minCoeff(), 1.0);
}

TEST(ActorMotion, twist_turns_the_right_half_of_the_cylinder_by_90_degrees_and_leaves_the_left) {
    const Character cylinder = load_actor("cylinder");
    const Clip& clip = clip_named(cylinder, "twist");
    const size_t middle = static_cast<size_t>(std::lround(1.5 * 30.0));
    const std::vector<Eigen::Affine3d> world = test::frames_at_key(cylinder, clip, middle);
    const Eigen::AngleAxisd right(world[node_named(cylinder, "twist_6")].rotation());
    EXPECT_NEAR(right.angle(), M_PI / 2.0, 1e-9);
    EXPECT_NEAR(std::abs(right.axis().x()), 1.0, 1e-9);
    EXPECT_TRUE(world[node_named(cylinder, "twist_0")].rotation().isIdentity(1e-12));
    const MeshInstance& mesh = cylinder.meshes[0];
    for (int v = 0; v < mesh.mesh.positions.rows(); ++v) {
        if (mesh.mesh.positions(v, 0) < -0.15 || mesh.mesh.positions(v, 0) > 0.15) {
            const int end =
                mesh.mesh.positions(v, 0) < 0.0 ? joint_named(cylinder, "twist_0") : joint_named(cylinder, "twist_6");
            EXPECT_DOUBLE_EQ(weight_of(mesh, v, end), 1.0);
        }
    }
}

TEST(ActorMotion, shake_is_a_50_mm_sine_of_3_hz_that_stops_at_full_speed) {
    const Character torus = load_actor("torus");
    const Channel& channel = channel_of(torus, clip_named(torus, "shake"), "carrier", ChannelTarget::translation);
    for (size_t k = 0; k < channel.times.size(); ++k) {
        const double t = channel.times[k];
        EXPECT_NEAR(channel.values[3 * k], t < 1.0 ? 0.05 * std::sin(6.0 * M_PI * t) : 0.0, 1e-12);
    }
    const size_t stop = 120;
    const double before = (channel.values[3 * stop] - channel.values[3 * (stop - 1)]) * 120.0;
    const double after = (channel.values[3 * (stop + 1)] - channel.values[3 * stop]) * 120.0;
    EXPECT_NEAR(before, 0.05 * 6.0 * M_PI, 0.01);
    EXPECT_DOUBLE_EQ(after, 0.0);
}

TEST(ActorMotion, arm_bends_to_120_degrees_with_a_bulging_biceps_and_twists_to_180) {
    const Character arm = load_actor("arm");
    EXPECT_NEAR(static_cast<double>(arm.meshes[0].mesh.positions.rows()), 1400.0, 100.0);
    const Clip& bend = clip_named(arm, "bend");
    EXPECT_NEAR(largest(angles_of(channel_of(arm, bend, "forearm_1", ChannelTarget::rotation))), 120.0, 1e-6);
    EXPECT_NEAR(largest(channel_of(arm, bend, "arm_mesh", ChannelTarget::morph_weights).values), 1.0, 1e-12);
    // The bulge is on the biceps side of the upper arm and at least 15 mm high.
    const MorphTarget& biceps = arm.meshes[0].morphs.at(0);
    Eigen::Index top = 0;
    EXPECT_GT(biceps.offsets.rowwise().norm().maxCoeff(&top), 0.015);
    EXPECT_GT(arm.meshes[0].mesh.positions(top, 1), 0.0);
    EXPECT_NEAR(arm.meshes[0].mesh.positions(top, 0), 0.165, 0.05);
    const Clip& twist = clip_named(arm, "twist");
    const std::vector<Eigen::Affine3d> world = test::frames_at_key(arm, twist, static_cast<size_t>(1.8 * 30.0));
    const Eigen::AngleAxisd hand(world[node_named(arm, "hand")].rotation());
    EXPECT_NEAR(hand.angle(), M_PI, 1e-6);
    EXPECT_TRUE(world[node_named(arm, "forearm_1")].rotation().isIdentity(1e-12));
}

TEST(ActorMotion, fingers_flex_one_after_another_and_do_not_pull_each_other) {
    const Character hand = load_actor("hand");
    const Clip& flex = clip_named(hand, "flex");
    double last = -1.0;
    const std::vector<std::string> digits = {"little", "ring", "middle", "index", "thumb"};
    for (const std::string& digit : digits) {
        const Channel& channel = channel_of(hand, flex, digit + "_2", ChannelTarget::rotation);
        const std::vector<double> angle = angles_of(channel);
        size_t k = 0;
        while (k < angle.size() && angle[k] < 1.0) {
            ++k;
        }
        ASSERT_LT(k, angle.size());
        EXPECT_GT(channel.times[k], last + 0.2) << digit;
        last = channel.times[k];
    }
    const MeshInstance& mesh = hand.meshes[0];
    for (int v = 0; v < mesh.mesh.positions.rows(); ++v) {
        std::string pulled;
        for (const std::string& digit : digits) {
            const double share = weight_of(mesh, v, joint_named(hand, digit + "_2")) +
                                 weight_of(mesh, v, joint_named(hand, digit + "_3"));
            if (share > 0.05) {
                EXPECT_EQ(pulled, "") << "vertex " << v << " at " << mesh.mesh.positions.row(v) << " is pulled by "
                                      << digit << " too";
                pulled = digit;
            }
        }
    }
}

TEST(ActorMotion, adams_apple_moves_without_the_rest_of_the_head) {
    const Character head = load_actor("head");
    const MeshInstance& mesh = head.meshes[0];
    const int larynx = joint_named(head, "larynx");
    const Vector3d place = -head.skins[0].inverse_bind[larynx].translation();
    double strongest = 0.0;
    for (int v = 0; v < mesh.mesh.positions.rows(); ++v) {
        const double weight = weight_of(mesh, v, larynx);
        strongest = std::max(strongest, weight);
        if ((mesh.mesh.positions.row(v).transpose() - place).norm() > 0.045) {
            EXPECT_EQ(weight, 0.0);
        }
    }
    EXPECT_GT(strongest, 0.95);
    const Channel& swallow = channel_of(head, clip_named(head, "swallow"), "larynx", ChannelTarget::translation);
    double rise = 0.0;
    for (size_t k = 0; k < swallow.times.size(); ++k) {
        rise = std::max(rise, swallow.values[3 * k + 1] - swallow.values[1]);
    }
    EXPECT_NEAR(rise, 0.024, 1e-9);
}

TEST(ActorMotion, gallop_closes_on_itself) {
    const Character horse = load_actor("horse");
    for (const Channel& channel : clip_named(horse, "gallop").channels) {
        for (int i = 0; i < channel.width; ++i) {
            EXPECT_NEAR(channel.values[i],
                        channel.values[channel.values.size() - static_cast<size_t>(channel.width - i)], 1e-9);
        }
    }
    std::set<std::string> parts;
    for (const MeshPart& part : horse.meshes[0].mesh.parts) {
        parts.insert(part.name);
    }
    EXPECT_EQ(parts, (std::set<std::string>{"torso", "neck", "head", "tail", "leg_front_left", "leg_front_right",
                                            "leg_hind_left", "leg_hind_right"}));
}

TEST(ActorMotion, dinosaurs_standing_foot_does_not_slide_and_it_stops_after_its_steps) {
    const Character dinosaur = load_actor("dinosaur");
    const Clip& walk = clip_named(dinosaur, "walk");
    const auto place = [&](double time, const std::string& node) {
        return Vector3d(test::frames_at_key(dinosaur, walk,
                                            static_cast<size_t>(std::lround(time * 30.0)))[node_named(dinosaur, node)]
                            .translation());
    };
    // Left stands 0.8 .. 1.4 s and 2.0 .. 2.6 s, right 1.4 .. 2.0 s; x and y sway is the hips' own.
    for (const auto& [node, from, to] :
         {std::tuple{"toes_left", 0.85, 1.35}, {"toes_left", 2.05, 2.55}, {"toes_right", 1.45, 1.95}}) {
        for (double t = from; t < to; t += 0.1) {
            EXPECT_NEAR(place(t, node).z(), place(from, node).z(), 0.004) << node << " at " << t;
            EXPECT_NEAR(place(t, node).y(), place(from, node).y(), 0.004) << node << " at " << t;
        }
    }
    EXPECT_GT(place(3.2, "toes_left").z() - place(0.0, "toes_left").z(), 1.5);
    EXPECT_NEAR(place(4.8, "toes_left").z(), place(3.2, "toes_left").z(), 0.004);
    EXPECT_NEAR(place(4.8, "toes_left").z(), place(4.8, "toes_right").z(), 0.004);
}

TEST(ActorMotion, leotard_lies_five_millimetres_over_the_dancer) {
    const Character dancer = load_actor("dancer");
    ASSERT_EQ(dancer.meshes.size(), 2u);
    const ArtMesh& skin = dancer.meshes[0].mesh;
    const ArtMesh& cloth = dancer.meshes[1].mesh;
    MatrixX3d normals = MatrixX3d::Zero(skin.positions.rows(), 3);
    for (int f = 0; f < skin.triangles.rows(); ++f) {
        const Vector3d a = skin.positions.row(skin.triangles(f, 0));
        const Vector3d n = (skin.positions.row(skin.triangles(f, 1)).transpose() - a)
                               .cross(skin.positions.row(skin.triangles(f, 2)).transpose() - a);
        for (int k = 0; k < 3; ++k) {
            normals.row(skin.triangles(f, k)) += n.transpose();
        }
    }
    double sum = 0.0;
    for (int v = 0; v < cloth.positions.rows(); ++v) {
        Eigen::Index nearest = 0;
        (skin.positions.rowwise() - cloth.positions.row(v)).rowwise().squaredNorm().minCoeff(&nearest);
        // Height over the tangent plane of the nearest vertex, up to half an edge (10 mm) aside.
        const double height =
            (cloth.positions.row(v) - skin.positions.row(nearest)).dot(normals.row(nearest).normalized());
        EXPECT_GT(height, 0.0);
        sum += height;
    }
    EXPECT_NEAR(sum / static_cast<double>(cloth.positions.rows()), 0.005, 0.0015);
}

}  // namespace
}  // namespace cutis
