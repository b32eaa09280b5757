#include "body/motion_test.h"

#include <algorithm>
#include <cmath>

#include "body/bind_pose.h"
#include "body/rotation.h"
#include "core/math.h"

namespace cutis {

Clip motion_test(const Skeleton& skeleton, const Rig& rig) {
    constexpr double pi = 3.14159265358979323846;
    constexpr double seconds = 4.0;
    constexpr int keys = 33;
    const size_t nodes = skeleton.nodes.size();

    // What hangs on each node: its share of all weights, with everything below it.
    std::vector<double> share(nodes, 0.0);
    const double vertices = std::max(1, rig.weights.vertex_count());
    for (size_t i = 0; i < rig.weights.weights.size(); ++i) {
        share[rig.node[rig.weights.joints[i]]] += rig.weights.weights[i] / vertices;
    }
    const std::vector<double> own = share;
    for (size_t n = nodes; n-- > 0;) {
        const int parent = skeleton.nodes[n].parent;
        if (parent >= 0) {
            share[parent] += share[n];
        }
    }
    const std::vector<Eigen::Affine3d> frames = rest_frames(skeleton);
    // Towards the child that carries most.
    std::vector<int> heaviest(nodes, -1);
    for (size_t n = 0; n < nodes; ++n) {
        const int parent = skeleton.nodes[n].parent;
        if (parent >= 0 && (heaviest[parent] < 0 || share[n] > share[heaviest[parent]])) {
            heaviest[parent] = static_cast<int>(n);
        }
    }

    Clip clip;
    clip.name = "motion test";
    std::vector<int> depth(nodes, 0);
    for (size_t n = 0; n < nodes; ++n) {
        const Node& node = skeleton.nodes[n];
        depth[n] = node.parent < 0 ? 0 : depth[node.parent] + (own[node.parent] > 0.0 ? 1 : 0);
        const bool swings = own[n] > 0.0 && share[n] < 0.95 && !node.has_matrix;
        const Eigen::Matrix3d axes = frames[n].linear();
        if (!swings || !(std::abs(axes.determinant()) > 0.0)) {
            continue;
        }
        const double degrees = share[n] > 0.25 || share[n] < 0.002 ? 12.0 : 60.0;
        const int end = heaviest[n];
        Vector3d bone = end < 0 ? Vector3d(axes.col(1)) : Vector3d(frames[end].translation() - frames[n].translation());
        bone = bone.norm() > 0.0 ? Vector3d(bone.normalized()) : Vector3d(Vector3d::UnitY());
        // Forward and back for what points sideways, up or down; up and down for what points forward.
        const Vector3d across =
            bone.cross(std::abs(bone.z()) < 0.8 ? Vector3d::UnitZ() : Vector3d(Vector3d::UnitY())).normalized();
        const Vector3d axis = (axes.inverse() * across).normalized();
        if (!axis.allFinite()) {
            continue;
        }
        Channel channel;
        channel.node = static_cast<int>(n);
        channel.target = ChannelTarget::rotation;
        channel.width = 4;
        for (int k = 0; k < keys; ++k) {
            const double t = static_cast<double>(k) / (keys - 1);
            const double phase = t - 0.125 * (depth[n] % 8);
            // Starts from rest: the swing grows over the first quarter and fades over the last.
            const double window = math::pow(math::sin(pi * t), 2);
            const double angle = degrees / 180.0 * pi * window * math::sin(2.0 * pi * (2.0 * phase));
            const Eigen::Quaterniond turned = node.rest.rotation * rotation_exp(angle * axis);
            channel.times.push_back(seconds * t);
            channel.values.insert(channel.values.end(), {turned.x(), turned.y(), turned.z(), turned.w()});
        }
        clip.channels.push_back(std::move(channel));
    }
    return clip;
}

bool holds_still(const Clip& clip) {
    return std::all_of(clip.channels.begin(), clip.channels.end(), [](const Channel& channel) {
        const bool is_cubic = channel.interpolation == Interpolation::cubic_spline;
        const size_t keys = channel.times.size();
        const size_t width = keys == 0 ? 0 : channel.values.size() / keys;
        const size_t first = is_cubic ? width / 3 : 0;
        const size_t last = is_cubic ? 2 * width / 3 : width;
        for (size_t k = 1; k < keys; ++k) {
            for (size_t i = 0; i < width; ++i) {
                const bool is_tangent = i < first || i >= last;
                if (channel.values[k * width + i] != channel.values[i] || (is_tangent && channel.values[i] != 0.0)) {
                    return false;
                }
            }
        }
        return true;
    });
}

}  // namespace cutis
