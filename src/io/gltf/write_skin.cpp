#include "io/gltf/write_skin.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "body/skin_decomposition.h"

namespace cutis {

namespace {

// Poses equal to float32 precision count as still, and axes this far from square as sheared.
constexpr double still = 1e-7;
constexpr double square = 1e-6;

Eigen::Affine3d joined(const float* t, const float* r, const float* s) {
    Eigen::Affine3d map = Eigen::Affine3d::Identity();
    const Eigen::Quaterniond rotation(r[3], r[0], r[1], r[2]);
    map.linear() = rotation.normalized().toRotationMatrix() * Vector3d(s[0], s[1], s[2]).asDiagonal();
    map.translation() = Vector3d(t[0], t[1], t[2]);
    return map;
}

/// Keeps only the first of keys that are all the same to float32 precision.
void drop_still_keys(std::vector<float>& keys, int width) {
    float largest = 0.0F;
    for (const float key : keys) {
        largest = std::max(largest, std::abs(key));
    }
    for (size_t i = static_cast<size_t>(width); i < keys.size(); ++i) {
        if (std::abs(keys[i] - keys[i % static_cast<size_t>(width)]) > still * largest) {
            return;
        }
    }
    keys.resize(static_cast<size_t>(width));
}

const float* key_at(const std::vector<float>& keys, int width, int frame) {
    return keys.data() + (keys.size() == static_cast<size_t>(width) ? 0 : frame * width);
}

Eigen::Affine3d local_at(const PoseTrack& track, int frame) {
    if (track.is_matrix) {
        Eigen::Affine3d map;
        map.matrix() = track.matrix.cast<float>().cast<double>();
        return map;
    }
    return joined(key_at(track.translation, 3, frame), key_at(track.rotation, 4, frame), key_at(track.scale, 3, frame));
}

/// Joints and all nodes above them, parents first; -1 for nodes that are not needed.
std::vector<int> choose_nodes(const Skeleton& skeleton, const std::vector<int>& joint_nodes,
                              std::vector<PoseTrack>& tracks) {
    std::vector<int> track_of(skeleton.nodes.size(), -1);
    std::vector<char> is_needed(skeleton.nodes.size(), 0);
    for (int node : joint_nodes) {
        for (; node >= 0; node = skeleton.nodes[node].parent) {
            is_needed[node] = 1;
        }
    }
    for (size_t node = 0; node < skeleton.nodes.size(); ++node) {
        if (is_needed[node] != 0) {
            PoseTrack track;
            track.name = skeleton.nodes[node].name;
            const int parent = skeleton.nodes[node].parent;
            track.parent = parent < 0 ? -1 : track_of[parent];
            track_of[node] = static_cast<int>(tracks.size());
            tracks.push_back(std::move(track));
        }
    }
    return track_of;
}

bool sample_tracks(const Body& body, const std::vector<double>& times, const std::vector<int>& track_of,
                   std::vector<PoseTrack>& tracks) {
    const Skeleton& skeleton = body.source().character->skeleton;
    std::vector<Eigen::Affine3d> world;
    Vector3d translation;
    Vector3d scale;
    Eigen::Quaterniond rotation;
    std::vector<Eigen::Quaterniond> before(tracks.size(), Eigen::Quaterniond::Identity());
    for (size_t f = 0; f < times.size(); ++f) {
        body.node_frames(times[f], TimeSampling::exact, world);
        if (world.size() != skeleton.nodes.size()) {
            return false;
        }
        for (size_t node = 0; node < world.size(); ++node) {
            if (track_of[node] < 0) {
                continue;
            }
            PoseTrack& track = tracks[track_of[node]];
            const int parent = skeleton.nodes[node].parent;
            const Eigen::Affine3d local = parent < 0 ? world[node] : world[parent].inverse() * world[node];
            if (!separate(local, translation, rotation, scale) || track.is_matrix) {
                // A sheared local frame can be a matrix node as long as it never moves.
                const bool is_usable = local.matrix().allFinite() &&
                                       (f == 0 || (track.is_matrix && local.matrix().isApprox(track.matrix, still)));
                if (!is_usable) {
                    return false;
                }
                if (f == 0) {
                    track.matrix = local.matrix();
                }
                track.is_matrix = true;
                continue;
            }
            Eigen::Quaterniond& last = before[track_of[node]];
            if (last.dot(rotation) < 0.0) {
                rotation.coeffs() = -rotation.coeffs();
            }
            last = rotation;
            for (int k = 0; k < 3; ++k) {
                track.translation.push_back(static_cast<float>(translation(k)));
                track.scale.push_back(static_cast<float>(scale(k)));
            }
            for (int k = 0; k < 4; ++k) {
                track.rotation.push_back(static_cast<float>(rotation.coeffs()(k)));
            }
        }
    }
    for (PoseTrack& track : tracks) {
        if (!track.is_matrix) {
            drop_still_keys(track.translation, 3);
            drop_still_keys(track.rotation, 4);
            drop_still_keys(track.scale, 3);
        }
    }
    return true;
}

/// glTF allows a node once in a skin; a second use (another inverse bind) gets a child that does
/// not move against it.
void assign_joints(const std::vector<int>& joint_nodes, const std::vector<int>& track_of, SkinnedMotion& motion) {
    std::vector<char> is_taken(motion.nodes.size(), 0);
    for (const int node : joint_nodes) {
        const int track = track_of[node];
        if (is_taken[track] == 0) {
            is_taken[track] = 1;
            motion.joints.push_back(track);
            continue;
        }
        PoseTrack twin;
        twin.name = motion.nodes[track].name + "_again";
        twin.parent = track;
        twin.translation = {0.0F, 0.0F, 0.0F};
        twin.rotation = {0.0F, 0.0F, 0.0F, 1.0F};
        twin.scale = {1.0F, 1.0F, 1.0F};
        motion.joints.push_back(static_cast<int>(motion.nodes.size()));
        motion.nodes.push_back(std::move(twin));
    }
}

double largest_error(const MatrixX3d& shape, const GlbFrames& frames, const SkinnedMotion& motion) {
    const size_t stride = static_cast<size_t>(motion.weights.sets) * 4;
    const MatrixX3d rest = shape.cast<float>().cast<double>();
    std::vector<Eigen::Affine3d> world(motion.nodes.size());
    std::vector<Eigen::Affine3d> matrices(motion.joints.size());
    MatrixX3d truth;
    double largest = 0.0;
    for (int f = 0; f < frames.frame_count(); ++f) {
        for (size_t n = 0; n < motion.nodes.size(); ++n) {
            const Eigen::Affine3d local = local_at(motion.nodes[n], f);
            const int parent = motion.nodes[n].parent;
            world[n] = parent < 0 ? local : world[parent] * local;
        }
        for (size_t j = 0; j < motion.joints.size(); ++j) {
            Eigen::Affine3d inverse_bind;
            inverse_bind.matrix() =
                Eigen::Map<const Eigen::Matrix4f>(motion.inverse_bind.data() + 16 * j).cast<double>();
            matrices[j] = world[motion.joints[j]] * inverse_bind;
        }
        frames.read_positions(f, truth);
        for (Eigen::Index v = 0; v < truth.rows(); ++v) {
            Eigen::Matrix<double, 3, 4> blended = Eigen::Matrix<double, 3, 4>::Zero();
            for (size_t i = static_cast<size_t>(v) * stride;
                 i < (static_cast<size_t>(v) + 1) * stride && motion.weights.weights[i] > 0.0F; ++i) {
                blended += static_cast<double>(motion.weights.weights[i]) *
                           matrices[motion.weights.joints[i]].matrix().topRows<3>();
            }
            const Vector3d posed = blended.leftCols<3>() * rest.row(v).transpose() + blended.col(3);
            const double error = (posed - truth.row(v).transpose()).norm();
            if (!(error <= largest)) {  // also catches numbers that are not
                largest = error;
            }
        }
    }
    return largest;
}

/// Where the vertices of each bone are, by weight.
std::vector<Vector3d> bone_centres(const MatrixX3d& rest, const SkinWeights& weights, size_t bones) {
    std::vector<Vector3d> centres(bones, Vector3d::Zero());
    std::vector<double> sums(bones, 0.0);
    for (size_t i = 0; i < weights.weights.size(); ++i) {
        const auto v = static_cast<Eigen::Index>(i / static_cast<size_t>(weights.influences));
        centres[weights.joints[i]] += weights.weights[i] * rest.row(v).transpose();
        sums[weights.joints[i]] += weights.weights[i];
    }
    for (size_t b = 0; b < bones; ++b) {
        centres[b] /= sums[b] > 0.0 ? sums[b] : 1.0;
    }
    return centres;
}

}  // namespace

SkinnedMotion decompose_motion(const ArtMesh& rest, const GlbFrames& frames, int bones, double& rms) {
    std::vector<MatrixX3d> shapes(static_cast<size_t>(frames.frame_count()));
    for (size_t f = 0; f < shapes.size(); ++f) {
        frames.read_positions(static_cast<int>(f), shapes[f]);
    }
    DecompositionOptions options;
    options.bones = bones;
    const SkinDecomposition found = decompose_skin(rest.positions, rest.triangles, shapes, options, Workers(1));
    rms = found.rms;
    SkinnedMotion motion;
    const auto count = static_cast<size_t>(found.bone_count());
    const std::vector<Vector3d> centres = bone_centres(rest.positions, found.weights, count);
    for (size_t b = 0; b < count; ++b) {
        PoseTrack track;
        track.name = "bone_" + std::to_string(b + 1);
        Eigen::Quaterniond before = Eigen::Quaterniond::Identity();
        for (const std::vector<Eigen::Affine3d>& frame : found.matrices) {
            const Vector3d place = frame[b] * centres[b];
            Eigen::Quaterniond turn(frame[b].linear());
            if (before.dot(turn) < 0.0) {
                turn.coeffs() = -turn.coeffs();
            }
            before = turn;
            for (int k = 0; k < 3; ++k) {
                track.translation.push_back(static_cast<float>(place(k)));
            }
            for (int k = 0; k < 4; ++k) {
                track.rotation.push_back(static_cast<float>(turn.coeffs()(k)));
            }
        }
        track.scale = {1.0F, 1.0F, 1.0F};
        drop_still_keys(track.translation, 3);
        drop_still_keys(track.rotation, 4);
        motion.nodes.push_back(std::move(track));
        motion.joints.push_back(static_cast<int>(b));
        Eigen::Matrix4f inverse_bind = Eigen::Matrix4f::Identity();
        inverse_bind.col(3).head<3>() = -centres[b].cast<float>();
        motion.inverse_bind.insert(motion.inverse_bind.end(), inverse_bind.data(), inverse_bind.data() + 16);
    }
    pack_weights(found.weights, motion.weights);
    motion.max_error = largest_error(rest.positions, frames, motion);
    return motion;
}

bool separate(const Eigen::Affine3d& map, Vector3d& translation, Eigen::Quaterniond& rotation, Vector3d& scale) {
    Eigen::Matrix3d axes = map.linear();
    for (int k = 0; k < 3; ++k) {
        scale(k) = axes.col(k).norm();
        if (!(scale(k) > 0.0) || !std::isfinite(scale(k))) {
            return false;
        }
        axes.col(k) /= scale(k);
    }
    if (axes.determinant() < 0.0) {
        axes = -axes;
        scale = -scale;
    }
    if (!(axes.transpose() * axes).isIdentity(square)) {
        return false;
    }
    rotation = Eigen::Quaterniond(axes).normalized();
    translation = map.translation();
    return translation.allFinite();
}

bool pack_weights(const SkinWeights& source, PackedWeights& packed) {
    const int vertex_count = source.vertex_count();
    std::vector<std::vector<std::pair<std::uint16_t, double>>> lists(static_cast<size_t>(vertex_count));
    size_t longest = 1;
    for (size_t v = 0; v < lists.size(); ++v) {
        auto& list = lists[v];
        double sum = 0.0;
        for (size_t i = v * static_cast<size_t>(source.influences);
             i < (v + 1) * static_cast<size_t>(source.influences); ++i) {
            if (static_cast<float>(source.weights[i]) > 0.0F) {
                const auto same = std::find_if(list.begin(), list.end(),
                                               [&](const auto& entry) { return entry.first == source.joints[i]; });
                if (same == list.end()) {
                    list.emplace_back(source.joints[i], source.weights[i]);
                } else {
                    same->second += source.weights[i];
                }
                sum += source.weights[i];
            }
        }
        if (!(sum > 0.0)) {
            return false;
        }
        std::stable_sort(list.begin(), list.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
        for (auto& entry : list) {
            entry.second /= sum;
        }
        longest = std::max(longest, list.size());
    }
    packed.sets = static_cast<int>((longest + 3) / 4);
    const size_t stride = static_cast<size_t>(packed.sets) * 4;
    packed.joints.assign(lists.size() * stride, 0);
    packed.weights.assign(lists.size() * stride, 0.0F);
    for (size_t v = 0; v < lists.size(); ++v) {
        // The largest weight takes what rounding leaves over, so that the floats sum to 1.
        double others = 0.0;
        for (size_t i = lists[v].size(); i-- > 0;) {
            const float weight = i == 0 ? static_cast<float>(1.0 - others) : static_cast<float>(lists[v][i].second);
            others += static_cast<double>(weight);
            packed.joints[v * stride + i] = lists[v][i].first;
            packed.weights[v * stride + i] = weight;
        }
    }
    return true;
}

std::optional<SkinnedMotion> sample_skin(const Body& body, const GlbFrames& frames, const std::vector<double>& times,
                                         double tolerance) {
    const Body::Source& source = body.source();
    const auto joint_count = source.rig.node.size();
    if (!source.character || joint_count == 0 || source.rig.inverse_bind.size() != joint_count ||
        source.rig.weights.vertex_count() != source.mesh.positions.rows() || source.mesh.positions.rows() == 0) {
        return std::nullopt;
    }
    for (const int node : source.rig.node) {
        if (node < 0 || node >= static_cast<int>(source.character->skeleton.nodes.size())) {
            return std::nullopt;
        }
    }
    for (const std::uint16_t joint : source.rig.weights.joints) {
        if (joint >= joint_count) {
            return std::nullopt;
        }
    }
    SkinnedMotion motion;
    const std::vector<int> track_of = choose_nodes(source.character->skeleton, source.rig.node, motion.nodes);
    if (!sample_tracks(body, times, track_of, motion.nodes) || !pack_weights(source.rig.weights, motion.weights)) {
        return std::nullopt;
    }
    assign_joints(source.rig.node, track_of, motion);
    for (const Eigen::Affine3d& inverse_bind : source.rig.inverse_bind) {
        Eigen::Matrix4f matrix = inverse_bind.matrix().cast<float>();
        matrix.row(3) << 0.0F, 0.0F, 0.0F, 1.0F;
        motion.inverse_bind.insert(motion.inverse_bind.end(), matrix.data(), matrix.data() + 16);
    }
    motion.max_error = largest_error(body.mesh().positions, frames, motion);
    if (!(motion.max_error < tolerance)) {
        return std::nullopt;
    }
    return motion;
}

int add_skin(GlbDocument& document, const SkinnedMotion& motion, GlbAnimation& animation,
             std::vector<int>& scene_nodes) {
    const auto first = static_cast<int>(document.root["nodes"].size());
    const auto add_channel = [&](int node, const char* path, const std::vector<float>& keys, const char* type,
                                 size_t width) {
        if (keys.size() != width) {
            animation.add_channel(node, path, keys, type);
        }
    };
    std::vector<int> roots;
    for (size_t n = 0; n < motion.nodes.size(); ++n) {
        const PoseTrack& track = motion.nodes[n];
        const int index = first + static_cast<int>(n);
        Json node = Json::object();
        if (!track.name.empty()) {
            node["name"] = track.name;
        }
        if (track.is_matrix) {
            const Eigen::Matrix4f matrix = track.matrix.cast<float>();
            node["matrix"] = std::vector<float>(matrix.data(), matrix.data() + 16);
        } else {
            const auto first_key = [](const std::vector<float>& keys, int width) {
                return std::vector<float>(keys.begin(), keys.begin() + width);
            };
            node["translation"] = first_key(track.translation, 3);
            node["rotation"] = first_key(track.rotation, 4);
            node["scale"] = first_key(track.scale, 3);
            add_channel(index, "translation", track.translation, GlbDocument::vec3, 3);
            add_channel(index, "rotation", track.rotation, GlbDocument::vec4, 4);
            add_channel(index, "scale", track.scale, GlbDocument::vec3, 3);
        }
        document.add("nodes", std::move(node));
        if (track.parent < 0) {
            roots.push_back(index);
        } else {
            document.root["nodes"][static_cast<size_t>(first) + static_cast<size_t>(track.parent)]["children"]
                .push_back(index);
        }
    }
    // The joints of a skin need one common root.
    scene_nodes.push_back(roots.size() == 1 ? roots[0]
                                            : document.add("nodes", {{"name", "skeleton"}, {"children", roots}}));
    std::vector<int> joints;
    for (const int joint : motion.joints) {
        joints.push_back(first + joint);
    }
    return document.add(
        "skins",
        {{"joints", joints}, {"inverseBindMatrices", document.add_numbers(motion.inverse_bind, GlbDocument::mat4)}});
}

}  // namespace cutis
