#include "io/scene/spring_bones.h"

#include <algorithm>
#include <cmath>

#include "body/bind_pose.h"
#include "core/math.h"
#include "core/text.h"
#include "cutis/core/options.h"
#include "cutis/io/json.h"

namespace cutis {

namespace {

constexpr double steps_a_second = 60.0;
constexpr double pi = 3.14159265358979323846;
constexpr size_t most_colliders = 16;

class SpringFinder {
public:
    explicit SpringFinder(const Body& body)
        : skeleton_(body.source().character->skeleton),
          to_metres_(body.source().to_metres),
          frames_(rest_frames(skeleton_)),
          node_of_(body.source().character->document->file_node.size(), -1) {
        const std::vector<int>& file_node = body.source().character->document->file_node;
        for (size_t n = 0; n < file_node.size(); ++n) {
            if (file_node[n] >= 0 && file_node[n] < static_cast<int>(node_of_.size())) {
                node_of_[file_node[n]] = static_cast<int>(n);
            }
        }
    }

    SpringBones run(const Json& root) {
        const Json& extensions = root["extensions"];
        if (const Json& one = extensions["VRMC_springBone"]; one.is_object()) {
            found_.version = "1.0";
            for (const Json& spring : one["springs"]) {
                const Json& joints = spring["joints"];
                for (size_t j = 0; j + 1 < joints.size(); ++j) {  // the last one only says where its parent ends
                    take_joint(node(joints[j]["node"]), number(joints[j], "stiffness", 1.0),
                               number(joints[j], "dragForce", 0.5));
                }
                ++found_.chains;
            }
            for (const Json& collider : one["colliders"]) {
                const Json& shape = collider["shape"];
                const bool is_capsule = shape["capsule"].is_object();
                const Json& round = is_capsule ? shape["capsule"] : shape["sphere"];
                take_collider(node(collider["node"]), vector(round["offset"], 1.0), vector(round["tail"], 1.0),
                              number(round, "radius", 0.0), is_capsule);
            }
        } else if (const Json& zero = extensions["VRM"]["secondaryAnimation"]; zero.is_object()) {
            found_.version = "0.x";
            for (const Json& group : zero["boneGroups"]) {
                for (const Json& bone : group["bones"]) {
                    // A group's bone and all below it; the format spells stiffness so.
                    take_chain(node(bone), number(group, "stiffiness", 1.0), number(group, "dragForce", 0.4));
                    ++found_.chains;
                }
            }
            for (const Json& group : zero["colliderGroups"]) {
                for (const Json& collider : group["colliders"]) {
                    // Unity counts z the other way.
                    take_collider(node(group["node"]), vector(collider["offset"], -1.0), Vector3d::Zero(),
                                  number(collider, "radius", 0.0), false);
                }
            }
        }
        if (found_.joints > 0) {
            found_.frequency_hz = std::clamp(frequency_ / found_.joints, 0.2, 60.0);
            found_.damping = std::clamp(damping_ / found_.joints, 0.0, 1.0);
        }
        return std::move(found_);
    }

private:
    int node(const Json& index) const {
        const int i = index.as_index();
        return i < 0 || i >= static_cast<int>(node_of_.size()) ? -1 : node_of_[i];
    }
    static double number(const Json& object, const char* key, double otherwise) {
        const Json* value = object.find(key);
        return value != nullptr && value->is_number() && std::isfinite(value->as_number()) ? value->as_number()
                                                                                           : otherwise;
    }
    static Vector3d vector(const Json& value, double z_sign) {
        if (value.is_array() && value.size() == 3) {
            return {value[0].as_number(), value[1].as_number(), value[2].as_number()};
        }
        return {value["x"].as_number(), value["y"].as_number(), z_sign * value["z"].as_number()};
    }

    void take_chain(int top, double stiffness, double drag) {
        for (size_t n = 0; top >= 0 && n < skeleton_.nodes.size(); ++n) {
            for (int above = static_cast<int>(n); above >= 0; above = skeleton_.nodes[above].parent) {
                if (above == top) {
                    take_joint(static_cast<int>(n), stiffness, drag);
                    break;
                }
            }
        }
    }

    /// Its length is the way to its first child; without one it moves nothing.
    void take_joint(int joint, double stiffness, double drag) {
        for (size_t n = 0; joint >= 0 && n < skeleton_.nodes.size(); ++n) {
            if (skeleton_.nodes[n].parent != joint) {
                continue;
            }
            const Vector3d way = to_metres_ * frames_[n].translation() - to_metres_ * frames_[joint].translation();
            const double length = way.norm();
            if (length > 0.0 && stiffness > 0.0) {
                const double omega = std::sqrt(steps_a_second * stiffness / length);
                const double loss = -steps_a_second * math::log1p(-std::clamp(drag, 0.0, 0.99));
                frequency_ += omega / (2.0 * pi);
                damping_ += std::min(1.0, loss / (2.0 * omega));
                ++found_.joints;
            }
            return;
        }
    }

    void take_collider(int carrier, const Vector3d& offset, const Vector3d& tail, double radius, bool is_capsule) {
        if (carrier < 0 || !(radius > 0.0) || found_.colliders.size() >= most_colliders) {
            return;
        }
        const Eigen::Affine3d frame = to_metres_ * frames_[carrier];
        const double scale = frame.linear().colwise().norm().maxCoeff();
        found_.colliders.push_back({skeleton_.nodes[carrier].name, frame.linear() * offset, frame.linear() * tail,
                                    radius * scale, is_capsule});
    }

    const Skeleton& skeleton_;
    const Eigen::Affine3d to_metres_;
    std::vector<Eigen::Affine3d> frames_;
    std::vector<int> node_of_;
    SpringBones found_;
    double frequency_ = 0.0;
    double damping_ = 0.0;
};

}  // namespace

SpringBones find_spring_bones(const Body& body) {
    const auto& character = body.source().character;
    if (character == nullptr || character->document == nullptr ||
        (character->document->gltf_json.find("\"VRMC_springBone\"") == std::string::npos &&
         character->document->gltf_json.find("\"secondaryAnimation\"") == std::string::npos)) {
        return {};
    }
    return SpringFinder(body).run(Json::parse(character->document->gltf_json, character->source));
}

std::string spring_bone_lines(const SpringBones& springs) {
    Text text;
    const auto rounded = [](double value) { return rounded_text(value, 3); };
    if (springs.joints > 0) {
        text << "frequency = " << rounded(springs.frequency_hz) << "  # as the file's spring bones swing, "
             << springs.joints << " joints\ndamping = " << rounded(springs.damping) << "\n";
    }
    for (const SpringBones::Collider& one : springs.colliders) {
        const auto vector = [&](const Vector3d& v) {
            return concat("[", rounded_text(v.x(), 4), ", ", rounded_text(v.y(), 4), ", ", rounded_text(v.z(), 4), "]");
        };
        text << "\n[[layer.collider]]\nshape = \"" << (one.is_capsule ? "capsule" : "sphere")
             << "\"\nnode = " << quoted_text(one.node) << "\nat = " << vector(one.at) << "\n";
        if (one.is_capsule) {
            text << "to = " << vector(one.to) << "\n";
        }
        text << "radius = " << rounded(one.radius) << "\n";
    }
    return text.str();
}

}  // namespace cutis
