#include "body/bind_pose.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "core/geometry.h"
#include "core/math.h"
#include "cutis/core/parallel.h"

namespace cutis {

namespace {

constexpr double identity_tolerance = 1e-6;
constexpr double same_bind_tolerance = 1e-5;

/// Group of each skin, numbered by its lowest skin.
std::vector<size_t> bind_spaces(const std::vector<Skin>& skins) {
    struct KnownBind {
        size_t group;
        Eigen::Matrix4d inverse_bind;
    };
    // A file with many different bind poses of one joint is compared with the first few only.
    constexpr size_t most_compared = 16;
    std::map<int, std::vector<KnownBind>> known_of_node;
    std::vector<size_t> group(skins.size());
    std::iota(group.begin(), group.end(), size_t{0});
    for (size_t s = 0; s < skins.size(); ++s) {
        const Skin& skin = skins[s];
        const size_t joints = std::min(skin.joints.size(), skin.inverse_bind.size());
        for (size_t j = 0; j < joints && group[s] == s; ++j) {
            const Eigen::Matrix4d& m = skin.inverse_bind[j].matrix();
            for (const KnownBind& known : known_of_node[skin.joints[j]]) {
                if ((m - known.inverse_bind).norm() <= same_bind_tolerance * m.norm()) {
                    group[s] = known.group;
                    break;
                }
            }
        }
        for (size_t j = 0; j < joints; ++j) {
            std::vector<KnownBind>& known = known_of_node[skin.joints[j]];
            if (known.size() < most_compared) {
                known.push_back({group[s], skin.inverse_bind[j].matrix()});
            }
        }
    }
    return group;
}

/// Sums over the vertices of a bind space.
struct Fit {
    std::vector<Vector3d> bind;
    std::vector<Vector3d> posed;
    double scale_sum = 0.0;

    Similarity solve() const {
        Similarity result;
        if (bind.empty()) {
            return result;
        }
        const double count = static_cast<double>(bind.size());
        const double scale = scale_sum / count;
        if (std::isfinite(scale) && scale > 1e-12) {
            result.scale = scale;
        }
        Vector3d bind_mean = Vector3d::Zero();
        Vector3d posed_mean = Vector3d::Zero();
        for (size_t i = 0; i < bind.size(); ++i) {
            bind_mean += bind[i] / count;
            posed_mean += posed[i] / count;
        }
        Eigen::Matrix3d covariance = Eigen::Matrix3d::Zero();
        double size = 0.0;
        for (size_t i = 0; i < bind.size(); ++i) {
            covariance += (posed[i] - posed_mean) * (bind[i] - bind_mean).transpose();
            size = std::max(size, (posed[i] - posed_mean).norm());
        }
        // Kabsch: the rotation nearest to the covariance.
        result.rotation = polar_decomposition(covariance).rotation;
        result.translation = posed_mean - result.scale * (result.rotation * bind_mean);
        result.is_identity =
            std::abs(result.scale - 1.0) <= identity_tolerance &&
            (result.rotation - Eigen::Matrix3d::Identity()).norm() <= identity_tolerance &&
            (result.rotation * bind_mean + result.translation - bind_mean).norm() <= identity_tolerance * size;
        if (result.is_identity) {
            return {};
        }
        return result;
    }
};

}  // namespace

Eigen::Affine3d Similarity::matrix() const {
    Eigen::Affine3d m = Eigen::Affine3d::Identity();
    m.linear() = scale * rotation;
    m.translation() = translation;
    return m;
}

Eigen::Affine3d Similarity::inverse() const {
    Eigen::Affine3d m = Eigen::Affine3d::Identity();
    m.linear() = rotation.transpose() / scale;
    m.translation() = -(m.linear() * translation);
    return m;
}

std::vector<Eigen::Affine3d> rest_frames(const Skeleton& skeleton) {
    std::vector<Eigen::Affine3d> local;
    for (const Node& node : skeleton.nodes) {
        local.push_back(node.has_matrix ? node.matrix : node.rest.matrix());
    }
    std::vector<Eigen::Affine3d> world;
    world_frames(skeleton, local, world);
    return world;
}

std::vector<Similarity> fit_bind_poses(const Character& character, const std::vector<SkinWeights>& weights,
                                       const std::vector<Eigen::Affine3d>& node_frames) {
    const std::vector<size_t> group = bind_spaces(character.skins);
    std::vector<Fit> fits(character.skins.size());
    const Workers workers(1);
    MatrixX3d posed;
    std::vector<Eigen::Affine3d> matrices;
    for (size_t i = 0; i < character.meshes.size(); ++i) {
        if (weights[i].weights.empty()) {
            continue;
        }
        const size_t skin = static_cast<size_t>(character.meshes[i].skin);
        joint_matrices(character.skins[skin].joints, character.skins[skin].inverse_bind, node_frames, matrices);
        std::vector<double> sizes;
        sizes.reserve(matrices.size());
        for (const Eigen::Affine3d& matrix : matrices) {
            sizes.push_back(math::cbrt(std::abs(matrix.linear().determinant())));
        }
        const MatrixX3d& bind = character.meshes[i].mesh.positions;
        skin_linear_blend(bind, weights[i], matrices, workers, posed);
        Fit& fit = fits[group[skin]];
        for (Eigen::Index v = 0; v < bind.rows(); ++v) {
            fit.bind.push_back(bind.row(v));
            fit.posed.push_back(posed.row(v));
        }
        for (size_t k = 0; k < weights[i].weights.size(); ++k) {
            fit.scale_sum += weights[i].weights[k] * sizes[weights[i].joints[k]];
        }
    }
    std::vector<Similarity> result(character.skins.size());
    for (size_t s = 0; s < result.size(); ++s) {
        result[s] = group[s] == s ? fits[s].solve() : result[group[s]];
    }
    return result;
}

}  // namespace cutis
