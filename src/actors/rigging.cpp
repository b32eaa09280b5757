#include "actors/rigging.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>

#include "core/math.h"
#include "cutis/core/error.h"

namespace cutis::actor {

int bone_index(const std::vector<Bone>& bones, const std::string& name) {
    for (size_t i = 0; i < bones.size(); ++i) {
        if (bones[i].name == name) {
            return static_cast<int>(i);
        }
    }
    throw InvalidInput(concat("actor: no bone named ", name));
}

Character build_skeleton(const std::string& name, const std::vector<Bone>& bones) {
    Character character;
    character.source = "actor:" + name;
    Node root;
    root.name = name;
    character.skeleton.nodes.push_back(root);
    Skin skin;
    skin.name = name;
    for (size_t i = 0; i < bones.size(); ++i) {
        const Bone& bone = bones[i];
        Node node;
        node.name = bone.name;
        node.parent = 0;
        Vector3d parent_head = Vector3d::Zero();
        if (!bone.parent.empty()) {
            const int parent = bone_index(bones, bone.parent);
            node.parent = parent + 1;
            parent_head = bones[parent].head;
        }
        node.rest.translation = bone.head - parent_head;
        character.skeleton.nodes.push_back(node);
        skin.joints.push_back(static_cast<int>(i) + 1);
        skin.inverse_bind.emplace_back(Eigen::Translation3d(-bone.head));
    }
    character.skins.push_back(skin);
    return character;
}

MeshInstance& add_mesh(Character& character, const std::string& name, ArtMesh mesh, SkinWeights weights) {
    Node node;
    node.name = name + "_mesh";
    node.parent = 0;
    MeshInstance instance;
    instance.name = name;
    instance.mesh = std::move(mesh);
    instance.weights = std::move(weights);
    instance.skin = 0;
    instance.node = static_cast<int>(character.skeleton.nodes.size());
    character.skeleton.nodes.push_back(node);
    character.meshes.push_back(std::move(instance));
    return character.meshes.back();
}

void add_morph(MeshInstance& instance, const std::string& name,
               const std::function<Vector3d(const Vector3d&, const Vector3d&)>& offset) {
    const MatrixX3d& x = instance.mesh.positions;
    MatrixX3d normals = MatrixX3d::Zero(x.rows(), 3);
    for (int f = 0; f < instance.mesh.triangles.rows(); ++f) {
        const Eigen::RowVector3i t = instance.mesh.triangles.row(f);
        const Vector3d e1 = x.row(t[1]) - x.row(t[0]);
        const Vector3d e2 = x.row(t[2]) - x.row(t[0]);
        const Vector3d n = e1.cross(e2);
        for (int k = 0; k < 3; ++k) {
            normals.row(t[k]) += n.transpose();
        }
    }
    MorphTarget target;
    target.name = name;
    target.offsets.resize(x.rows(), 3);
    for (int v = 0; v < x.rows(); ++v) {
        target.offsets.row(v) = offset(x.row(v).transpose(), normals.row(v).normalized().transpose()).transpose();
    }
    instance.morphs.push_back(std::move(target));
    instance.morph_defaults.push_back(0.0);
}

SkinWeights strongest_weights(const Eigen::MatrixXd& weights) {
    constexpr int kept = 4;
    SkinWeights out;
    out.influences = kept;
    out.joints.assign(static_cast<size_t>(weights.rows()) * kept, 0);
    out.weights.assign(static_cast<size_t>(weights.rows()) * kept, 0.0);
    std::vector<int> order(static_cast<size_t>(weights.cols()));
    for (int v = 0; v < weights.rows(); ++v) {
        std::iota(order.begin(), order.end(), 0);
        std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return weights(v, a) > weights(v, b); });
        double sum = 0.0;
        int used = 0;
        while (used < std::min<int>(kept, static_cast<int>(order.size())) && weights(v, order[used]) > 1e-3) {
            sum += weights(v, order[used]);
            ++used;
        }
        for (int i = 0; i < used; ++i) {
            out.joints[static_cast<size_t>(v) * kept + i] = static_cast<std::uint16_t>(order[i]);
            out.weights[static_cast<size_t>(v) * kept + i] = weights(v, order[i]) / sum;
        }
    }
    return out;
}

double soft_spot(const Vector3d& p, const Vector3d& centre, double radius) {
    return math::exp(-(p - centre).squaredNorm() / (radius * radius));
}

}  // namespace cutis::actor
