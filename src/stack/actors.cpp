#include "cutis/stack/actors.h"

#include <cmath>
#include <numbers>

#include "cutis/core/error.h"
#include "cutis/stack/settings.h"

namespace cutis {

namespace {

// A capsule along Y on three joints that bends like a knee and twists like a forearm.
namespace tube {

constexpr double radius = 0.15;
constexpr double length = 1.2;  // of the straight part
constexpr int sectors = 32;
constexpr int straight_rows = 48;
constexpr int cap_rows = 8;
constexpr int rows = straight_rows + 2 * cap_rows;
constexpr int joints = 3;
constexpr double joint_distance = length / joints;
constexpr double blend_half_width = 0.5 * radius;
constexpr double seconds = 3.0;
constexpr int keys = 37;

struct ProfilePoint {
    double radius;
    double height;
};

// Row 0 is the lower pole, row `rows` the upper one.
ProfilePoint profile(int row) {
    const double quarter = 0.5 * std::numbers::pi;
    if (row < cap_rows) {
        const double angle = quarter * (1.0 - static_cast<double>(row) / cap_rows);
        return {row == 0 ? 0.0 : radius * std::cos(angle), -radius * std::sin(angle)};
    }
    if (row > cap_rows + straight_rows) {
        const double angle = quarter * (row - cap_rows - straight_rows) / cap_rows;
        return {row == rows ? 0.0 : radius * std::cos(angle), length + radius * std::sin(angle)};
    }
    return {radius, length * (row - cap_rows) / straight_rows};
}

ArtMesh mesh() {
    ArtMesh out;
    out.name = "tube";
    // One more column than sectors: the seam's vertices stand twice, with u = 0 and u = 1.
    const int columns = sectors + 1;
    const int vertices = (rows + 1) * columns;
    out.positions.resize(vertices, 3);
    out.uv.resize(vertices, 2);
    for (int row = 0; row <= rows; ++row) {
        const ProfilePoint point = profile(row);
        for (int column = 0; column < columns; ++column) {
            const double angle = 2.0 * std::numbers::pi * (column % sectors) / sectors;
            const int v = row * columns + column;
            out.positions.row(v) << point.radius * std::sin(angle), point.height,
                point.radius * std::cos(angle);
            out.uv.row(v) << static_cast<double>(column) / sectors, static_cast<double>(row) / rows;
        }
    }
    out.triangles.resize(2 * sectors * (rows - 1), 3);
    int f = 0;
    for (int row = 0; row < rows; ++row) {
        for (int column = 0; column < sectors; ++column) {
            const int a = row * columns + column;
            if (row > 0) {
                out.triangles.row(f++) << a, a + 1, a + columns;
            }
            if (row + 1 < rows) {
                out.triangles.row(f++) << a + 1, a + columns + 1, a + columns;
            }
        }
    }
    out.uv_triangles = out.triangles;
    out.parts = {{"tube", "", 0, f, 0, vertices}};
    return out;
}

// Share of the joint above a border at distance d: smooth from 0 to 1 across the blend.
double upper_share(double d) {
    const double s = std::clamp(0.5 + 0.5 * d / blend_half_width, 0.0, 1.0);
    return s * s * (3.0 - 2.0 * s);
}

SkinWeights weights(const MatrixX3d& positions) {
    SkinWeights out;
    out.influences = joints;
    for (Eigen::Index v = 0; v < positions.rows(); ++v) {
        const double y = positions(v, 1);
        const double second = upper_share(y - joint_distance);
        const double third = upper_share(y - 2.0 * joint_distance);
        out.joints.insert(out.joints.end(), {0, 1, 2});
        out.weights.insert(out.weights.end(), {1.0 - second, second - third, third});
    }
    normalise_weights(out, joints);  // strongest joint first
    return out;
}

Channel rotation(int node, const Vector3d& bend_axis, double bend_deg, double twist_deg) {
    Channel channel;
    channel.node = node;
    channel.target = ChannelTarget::rotation;
    channel.width = 4;
    const double to_radians = std::numbers::pi / 180.0;
    for (int key = 0; key < keys; ++key) {
        const double phase = 2.0 * std::numbers::pi * key / (keys - 1);
        const double bend = bend_deg * to_radians * 0.5 * (1.0 - std::cos(phase));
        const double twist = twist_deg * to_radians * std::sin(phase);
        const Eigen::Quaterniond q =
            Eigen::AngleAxisd(bend, bend_axis) * Eigen::AngleAxisd(twist, Vector3d::UnitY());
        channel.times.push_back(seconds * key / (keys - 1));
        channel.values.insert(channel.values.end(), {q.x(), q.y(), q.z(), q.w()});
    }
    return channel;
}

std::shared_ptr<const Character> character() {
    auto out = std::make_shared<Character>();
    out->source = "actor tube";
    const char* names[joints] = {"lower", "middle", "upper"};
    Skin skin;
    skin.name = "tube";
    for (int joint = 0; joint < joints; ++joint) {
        Node node;
        node.name = names[joint];
        node.parent = joint - 1;
        node.rest.translation = {0.0, joint == 0 ? 0.0 : joint_distance, 0.0};
        out->skeleton.nodes.push_back(node);
        skin.joints.push_back(joint);
        skin.inverse_bind.emplace_back(Eigen::Translation3d(0.0, -joint_distance * joint, 0.0));
    }
    Node holder;
    holder.name = "tube";
    out->skeleton.nodes.push_back(holder);
    out->skins.push_back(std::move(skin));

    MeshInstance instance;
    instance.name = "tube";
    instance.mesh = mesh();
    instance.node = joints;
    instance.skin = 0;
    instance.weights = weights(instance.mesh.positions);
    out->meshes.push_back(std::move(instance));

    Clip clip;
    clip.name = "bend and twist";
    clip.channels = {rotation(1, Vector3d::UnitZ(), -75.0, 0.0),
                     rotation(2, Vector3d::UnitX(), 40.0, 100.0)};
    out->clips.push_back(std::move(clip));
    return out;
}

}  // namespace tube

struct Actor {
    const char* name;
    std::shared_ptr<const Character> (*make)();
};

constexpr Actor actors[] = {{"tube", tube::character}};

}  // namespace

std::vector<std::string> actor_names() {
    std::vector<std::string> names;
    for (const Actor& actor : actors) {
        names.emplace_back(actor.name);
    }
    return names;
}

std::shared_ptr<const Character> make_actor(const std::string& name) {
    for (const Actor& actor : actors) {
        if (name == actor.name) {
            return actor.make();
        }
    }
    throw InvalidInput(
        say("actor: expected one of ", word_list(actor_names()), "; found \"", name, "\""));
}

}  // namespace cutis
