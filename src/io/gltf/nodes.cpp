// Nodes, the scene they belong to, and skins.
#include <algorithm>
#include <cmath>

#include "body/bind_pose.h"
#include "cutis/core/error.h"
#include "io/gltf/file.h"

namespace cutis {

namespace {

Eigen::Affine3d affine(const double* column_major) {
    Eigen::Affine3d out = Eigen::Affine3d::Identity();
    for (int column = 0; column < 4; ++column) {
        for (int row = 0; row < 3; ++row) {
            out.matrix()(row, column) = column_major[4 * column + row];
        }
    }
    return out;
}

/// Only affine maps move vertices here: the last row must be 0 0 0 1, up to rounding.
bool is_affine(const double* column_major) {
    return std::abs(column_major[3]) < 1e-4 && std::abs(column_major[7]) < 1e-4 && std::abs(column_major[11]) < 1e-4 &&
           std::abs(column_major[15] - 1.0) < 1e-4;
}

/// Nearest translation, rotation, scale: exact where the columns are orthogonal.
Transform decompose(const Eigen::Affine3d& matrix) {
    Transform out;
    out.translation = matrix.translation();
    Eigen::Matrix3d axes = matrix.linear();
    for (int c = 0; c < 3; ++c) {
        out.scale[c] = axes.col(c).norm();
    }
    if (!(out.scale.minCoeff() > 0.0)) {
        return out;  // a flat node: any rotation fits, identity is one
    }
    if (axes.determinant() < 0.0) {
        out.scale[0] = -out.scale[0];
    }
    for (int c = 0; c < 3; ++c) {
        axes.col(c) /= out.scale[c];
    }
    out.rotation = Eigen::Quaterniond(axes).normalized();
    return out;
}

void read_transform(GltfFile& file, const JsonAt& at, Node& node) {
    const auto translation = at.find("translation");
    const auto rotation = at.find("rotation");
    const auto scale = at.find("scale");
    if (const auto matrix = at.find("matrix")) {
        double numbers[16];
        matrix->numbers(numbers, 16);
        if (!is_affine(numbers)) {
            matrix->fail("expected a last row of 0 0 0 1");
        }
        if (translation || rotation || scale) {
            file.note(concat(at.path(), ": has a matrix and translation, rotation or scale; the matrix is used"));
        }
        node.has_matrix = true;
        node.matrix = affine(numbers);
        node.rest = decompose(node.matrix);
        return;
    }
    if (translation) {
        translation->numbers(node.rest.translation.data(), 3);
    }
    if (scale) {
        scale->numbers(node.rest.scale.data(), 3);
    }
    if (rotation) {
        Eigen::Vector4d q;
        rotation->numbers(q.data(), 4);
        if (q.norm() > 1e-6) {
            node.rest.rotation.coeffs() = q.normalized();
        } else {
            file.note(concat(rotation->path(), ": expected a unit quaternion, found zeros; not turned"));
        }
    }
}

std::vector<int> read_parents(const GltfFile& file, int count) {
    std::vector<int> parents(static_cast<std::size_t>(count), -1);
    for (int i = 0; i < count; ++i) {
        const auto children = file.item("nodes", i).find("children");
        for (std::size_t c = 0; children && c < children->size(); ++c) {
            const int child = file.reference((*children)[c], "nodes");
            int& parent = parents[child];
            if (parent >= 0) {
                (*children)[c].fail(concat("expected every node to have one parent, found nodes[", child,
                                           "] below nodes[", parent, "] and nodes[", i, "]"));
            }
            parent = i;
        }
    }
    return parents;
}

/// Depth first from each root, children in file order: parents always come first.
std::vector<int> tree_order(const GltfFile& file, const std::vector<int>& parents) {
    const std::size_t count = parents.size();
    std::vector<std::vector<int>> children(count);
    std::vector<int> stack;
    for (std::size_t i = count; i-- > 0;) {
        if (parents[i] >= 0) {
            children[parents[i]].push_back(static_cast<int>(i));
        } else {
            stack.push_back(static_cast<int>(i));
        }
    }
    std::vector<int> order;
    std::vector<char> is_reached(count, 0);
    while (!stack.empty()) {
        const int node = stack.back();
        stack.pop_back();
        order.push_back(node);
        is_reached[node] = 1;
        const auto& below = children[node];
        stack.insert(stack.end(), below.begin(), below.end());
    }
    for (std::size_t i = 0; i < count; ++i) {
        if (is_reached[i] == 0) {
            file.item("nodes", static_cast<int>(i)).fail("expected a tree, found a cycle of nodes");
        }
    }
    return order;
}

std::vector<char> nodes_in_scene(GltfFile& file, const std::vector<int>& parents, const std::vector<int>& order) {
    const std::size_t scenes = file.count_of("scenes");
    const auto chosen = file.root().find("scene");
    if (scenes == 0 && !chosen) {
        return std::vector<char>(parents.size(), 1);
    }
    const int scene = chosen ? file.reference(*chosen, "scenes") : 0;
    if (scenes > 1) {
        file.note(concat("scenes[", scene, "] of ", scenes, " is read"));
    }
    std::vector<char> in_scene(parents.size(), 0);
    const auto roots = file.item("scenes", scene).find("nodes");
    for (std::size_t r = 0; roots && r < roots->size(); ++r) {
        in_scene[file.reference((*roots)[r], "nodes")] = 1;
    }
    for (const int node : order) {
        const int parent = parents[node];
        if (parent >= 0 && in_scene[parent] != 0) {
            in_scene[node] = 1;
        }
    }
    // A scene of cameras, or an empty one: what there is to see stands in another.
    const auto has_mesh = [&](int node) { return file.item("nodes", node).find("mesh").has_value(); };
    const bool shows = std::any_of(order.begin(), order.end(), [&](int n) { return in_scene[n] != 0 && has_mesh(n); });
    if (!shows && std::any_of(order.begin(), order.end(), has_mesh)) {
        file.note(concat("scenes[", scene, "] has no mesh: the meshes of the whole file are read"));
        in_scene.assign(parents.size(), 1);
    }
    return in_scene;
}

}  // namespace

std::string UniqueNames::take(const std::string& wanted) {
    std::string name = wanted;
    int& times = taken_[wanted];
    while (++times > 1) {
        name = concat(wanted, "#", times);
        if (taken_.count(name) == 0) {
            taken_[name] = 1;
            break;
        }
    }
    return name;
}

GltfNodes read_gltf_nodes(GltfFile& file, Skeleton& skeleton) {
    const int count = static_cast<int>(file.count_of("nodes"));
    const std::vector<int> parents = read_parents(file, count);
    GltfNodes nodes;
    nodes.in_order = tree_order(file, parents);
    nodes.in_scene = nodes_in_scene(file, parents, nodes.in_order);
    nodes.ours.resize(parents.size());
    for (const int i : nodes.in_order) {
        const JsonAt at = file.item("nodes", i);
        nodes.ours[i] = static_cast<int>(skeleton.nodes.size());
        Node node;
        node.name = at.text_or_empty("name");
        const int parent = parents[i];
        node.parent = parent < 0 ? -1 : nodes.ours[parent];
        read_transform(file, at, node);
        skeleton.nodes.push_back(std::move(node));
    }
    return nodes;
}

std::vector<Skin> read_gltf_skins(GltfFile& file, const GltfNodes& nodes, const Skeleton& skeleton) {
    std::vector<Skin> skins;
    const std::vector<Eigen::Affine3d> frames = rest_frames(skeleton);
    const int count = static_cast<int>(file.count_of("skins"));
    for (int i = 0; i < count; ++i) {
        const JsonAt at = file.item("skins", i);
        Skin skin;
        skin.name = at.text_or_empty("name");
        const JsonAt joints = at.at("joints");
        if (joints.size() == 0 || joints.size() > 65536) {
            joints.wrong("1 to 65536 joints");
        }
        for (std::size_t j = 0; j < joints.size(); ++j) {
            const int node = file.reference(joints[j], "nodes");
            skin.joints.push_back(nodes.ours[node]);
        }
        file.charge(joints.size() * 16, at.path());
        skin.inverse_bind.assign(joints.size(), Eigen::Affine3d::Identity());
        if (const auto binds = at.find("inverseBindMatrices")) {
            const GltfAccessor accessor = file.accessor(*binds);
            if (accessor.type != "MAT4" || accessor.component != Component::f32) {
                binds->fail(concat("expected ", accessor.path, " to hold MAT4 of f32"));
            }
            file.charge(accessor.numbers(), accessor.path);
            std::vector<double> numbers(accessor.numbers());
            file.decode_any(accessor, numbers.data());
            // Without its matrix a joint is taken to be bound where it rests.
            std::size_t mended = 0;
            for (std::size_t j = 0; j < joints.size(); ++j) {
                const double* matrix = j < accessor.count ? &numbers[16 * j] : nullptr;
                if (matrix != nullptr && is_affine(matrix) && affine(matrix).matrix().allFinite()) {
                    skin.inverse_bind[j] = affine(matrix);
                    continue;
                }
                ++mended;
                const Eigen::Affine3d inverse = frames[skin.joints[j]].inverse();
                skin.inverse_bind[j] = inverse.matrix().allFinite() ? inverse : Eigen::Affine3d::Identity();
            }
            if (mended > 0) {
                file.note(concat(binds->path(), ": ", mended, " of ", joints.size(),
                                 " joints have no usable matrix; they are bound where they rest"));
            }
        }
        skins.push_back(std::move(skin));
    }
    return skins;
}

}  // namespace cutis
