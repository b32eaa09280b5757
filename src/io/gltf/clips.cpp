// Animations of a glTF file.
#include <cmath>
#include <set>

#include "cutis/core/error.h"
#include "io/gltf/file.h"

namespace cutis {

namespace {

std::optional<ChannelTarget> target_of(const std::string& path) {
    static const std::map<std::string, ChannelTarget> targets = {{"translation", ChannelTarget::translation},
                                                                 {"rotation", ChannelTarget::rotation},
                                                                 {"scale", ChannelTarget::scale},
                                                                 {"weights", ChannelTarget::morph_weights}};
    const auto found = targets.find(path);
    return found == targets.end() ? std::nullopt : std::optional(found->second);
}

Interpolation interpolation_of(const JsonAt& sampler) {
    const auto at = sampler.find("interpolation");
    const std::string name = at ? at->text() : "LINEAR";
    if (name == "LINEAR") {
        return Interpolation::linear;
    }
    if (name == "STEP") {
        return Interpolation::step;
    }
    if (name != "CUBICSPLINE") {
        at->wrong("LINEAR, STEP or CUBICSPLINE");
    }
    return Interpolation::cubic_spline;
}

void read_times(GltfFile& file, const JsonAt& input, Channel& channel) {
    const GltfAccessor accessor = file.accessor(input);
    if (accessor.type != "SCALAR" || accessor.component != Component::f32) {
        input.fail(concat("expected ", accessor.path, " to be SCALAR of f32"));
    }
    channel.times = file.decode(accessor);
    for (std::size_t k = 1; k < channel.times.size(); ++k) {
        if (!(channel.times[k] > channel.times[k - 1])) {
            input.fail(concat("expected increasing key times in ", accessor.path, ", found ", channel.times[k],
                              " after ", channel.times[k - 1], " at key ", k));
        }
    }
}

void read_values(GltfFile& file, const JsonAt& output, Channel& channel) {
    const GltfAccessor accessor = file.accessor(output);
    const bool is_weights = channel.target == ChannelTarget::morph_weights;
    const char* type = is_weights ? "SCALAR" : channel.target == ChannelTarget::rotation ? "VEC4" : "VEC3";
    if (accessor.type != type || accessor.component == Component::u32) {
        output.fail(concat("expected ", accessor.path, " to be ", type, " of f32 or normalised integers, found ",
                           accessor.type));
    }
    const std::size_t groups = channel.interpolation == Interpolation::cubic_spline ? 3 : 1;
    const std::size_t expected =
        channel.times.size() * groups * (is_weights ? static_cast<std::size_t>(channel.width) : 1);
    if (accessor.count != expected) {
        output.fail(concat("expected ", expected, " elements in ", accessor.path, " for ", channel.times.size(),
                           " keys, found ", accessor.count));
    }
    channel.values = file.decode(accessor);
    if (channel.target != ChannelTarget::rotation) {
        return;
    }
    // Integer keys are unit only to their own precision. Spline keys and tangents stay as they are:
    // the curve through them is normalised after it is evaluated.
    for (std::size_t k = 0; k < channel.times.size(); ++k) {
        double* q = &channel.values[4 * (groups == 3 ? 3 * k + 1 : k)];
        const double length = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
        if (!(length > 1e-6)) {
            output.fail(concat("expected unit quaternions in ", accessor.path, ", found one of length ", length,
                               " at key ", k));
        }
        for (int c = 0; groups == 1 && c < 4; ++c) {
            q[c] /= length;
        }
    }
}

/// A node's matrix cannot be animated; where it holds no shear the same pose can.
void make_animatable(GltfFile& file, const JsonAt& at, Node& node) {
    if (!node.has_matrix) {
        return;
    }
    Eigen::Matrix3d again = node.rest.rotation.toRotationMatrix() * node.rest.scale.asDiagonal();
    if ((again - node.matrix.linear()).norm() > 1e-5 * node.matrix.linear().norm()) {
        at.fail(
            concat("expected an animated node without shear, found a matrix that has it in node '", node.name, "'"));
    }
    node.has_matrix = false;
    file.note(concat(at.path(), ": moves a node given by a matrix; it was split into translation, rotation and scale"));
}

std::optional<Channel> read_channel(GltfFile& file, const JsonAt& animation, const JsonAt& at, const GltfNodes& nodes,
                                    Skeleton& skeleton) {
    const JsonAt target = at.at("target");
    const auto node_at = target.find("node");
    if (!node_at) {
        return std::nullopt;
    }
    const auto property = target_of(target.at("path").text());
    if (!property) {
        file.note(concat(target.path(), ": '", target.at("path").text(), "' is not read"));
        return std::nullopt;
    }
    const int node = file.reference(*node_at, "nodes");
    Channel channel;
    channel.node = nodes.ours[node];
    channel.target = *property;
    channel.width = *property == ChannelTarget::rotation ? 4 : 3;
    if (*property == ChannelTarget::morph_weights) {
        const auto mesh = file.item("nodes", node).find("mesh");
        const std::size_t targets = mesh ? gltf_target_count(file, file.reference(*mesh, "meshes")) : 0;
        if (targets == 0) {
            file.note(concat(at.path(), ": moves morph weights of a node without morph targets"));
            return std::nullopt;
        }
        channel.width = static_cast<int>(targets);
    } else {
        make_animatable(file, at, skeleton.nodes[channel.node]);
    }
    const JsonAt samplers = animation.at("samplers");
    const int index = at.at("sampler").index(samplers.size(), "samplers");
    const JsonAt sampler = samplers[index];
    channel.interpolation = interpolation_of(sampler);
    read_times(file, sampler.at("input"), channel);
    read_values(file, sampler.at("output"), channel);
    return channel;
}

}  // namespace

std::vector<Clip> read_gltf_clips(GltfFile& file, const GltfNodes& nodes, Skeleton& skeleton) {
    std::vector<Clip> clips;
    UniqueNames names;
    const int count = static_cast<int>(file.count_of("animations"));
    for (int i = 0; i < count; ++i) {
        const JsonAt animation = file.item("animations", i);
        Clip clip;
        const std::string name = animation.text_or_empty("name");
        clip.name = names.take(name.empty() ? concat("clip#", i) : name);
        clip.file_animation = i;
        std::set<std::pair<int, ChannelTarget>> moved;
        const JsonAt channels = animation.at("channels");
        for (std::size_t c = 0; c < channels.size(); ++c) {
            std::optional<Channel> channel;
            try {
                channel = read_channel(file, animation, channels[c], nodes, skeleton);
            } catch (const InvalidInput& error) {
                file.note(concat(error.what(), "; the channel is left out"));
            }
            if (!channel) {
                continue;
            }
            if (!moved.emplace(channel->node, channel->target).second) {
                file.note(concat(channels[c].path(), ": a second channel for the same property is ignored"));
                continue;
            }
            clip.channels.push_back(std::move(*channel));
        }
        clips.push_back(std::move(clip));
    }
    return clips;
}

}  // namespace cutis
