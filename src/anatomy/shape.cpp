#include "anatomy/shape.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "body/bind_pose.h"
#include "core/dense.h"
#include "core/geometry.h"
#include "core/math.h"
#include "cutis/mesh/geometry.h"
#include "mesh/weld.h"

namespace cutis::anatomy_detail {

namespace {

constexpr double weld_share = 1e-5;   // of the box diagonal
constexpr double most_snap = 0.6109;  // 35 degrees
constexpr double trimmed = 0.005;     // of the area at each end of the box

/// Instance of the file that each of the body's vertices comes from; -1: no file.
std::vector<int> instance_of_vertices(const Body& body) {
    const auto& character = body.source().character;
    std::vector<int> instance(static_cast<size_t>(body.mesh().positions.rows()), -1);
    if (!character) {
        return instance;
    }
    if (!body.source().weld_group.empty()) {
        return body.source().weld_group;
    }
    for (size_t i = 0; i < character->meshes.size(); ++i) {
        if (character->meshes[i].mesh.positions.rows() == body.mesh().positions.rows()) {
            std::fill(instance.begin(), instance.end(), static_cast<int>(i));
            break;
        }
    }
    return instance;
}

/// Rest poses often stand as a clip's frame does, leaning. The turn that brings the stored shape
/// back to the nearest of the 24 axis directions, as its artist modelled it.
Eigen::Matrix3d upright_turn(const Body& body, const std::vector<int>& instance) {
    const auto& character = body.source().character;
    if (body.rig() == nullptr || !character) {
        return Eigen::Matrix3d::Identity();
    }
    Eigen::Matrix3d covariance = Eigen::Matrix3d::Zero();
    Eigen::Index first = 0;
    Eigen::Index most = 0;
    const Eigen::Index all = body.mesh().positions.rows();
    while (first < all) {
        Eigen::Index last = first;
        while (last < all && instance[static_cast<size_t>(last)] == instance[static_cast<size_t>(first)]) {
            ++last;
        }
        const int index = instance[static_cast<size_t>(first)];
        if (index >= 0 && static_cast<size_t>(index) < character->meshes.size()) {
            const MeshInstance& mesh = character->meshes[static_cast<size_t>(index)];
            const Eigen::Index count = last - first;
            if (mesh.skin >= 0 && mesh.mesh.positions.rows() == count && count > most) {
                most = count;
                const Vector3d from = mesh.mesh.positions.colwise().mean();
                const Vector3d to = body.mesh().positions.middleRows(first, count).colwise().mean();
                covariance.setZero();
                for (Eigen::Index v = 0; v < count; ++v) {
                    covariance += (body.mesh().positions.row(first + v).transpose() - to) *
                                  (mesh.mesh.positions.row(v).transpose() - from).transpose();
                }
            }
        }
        first = last;
    }
    if (most == 0 || !covariance.allFinite() || covariance.norm() == 0.0) {
        return Eigen::Matrix3d::Identity();
    }
    const Eigen::Matrix3d turn = polar_decomposition(covariance).rotation;
    Eigen::Matrix3d nearest = Eigen::Matrix3d::Identity();
    double best = -4.0;
    std::array<int, 3> axes = {0, 1, 2};
    do {
        for (int signs = 0; signs < 8; ++signs) {
            Eigen::Matrix3d candidate = Eigen::Matrix3d::Zero();
            for (int k = 0; k < 3; ++k) {
                candidate(axes[static_cast<size_t>(k)], k) = (signs >> k & 1) != 0 ? -1.0 : 1.0;
            }
            const double closeness = candidate.cwiseProduct(turn).sum();
            if (candidate.determinant() > 0.0 && closeness > best) {
                best = closeness;
                nearest = candidate;
            }
        }
    } while (std::next_permutation(axes.begin(), axes.end()));
    const double angle = math::acos(std::clamp(0.5 * (best - 1.0), -1.0, 1.0));
    return angle < most_snap ? Eigen::Matrix3d(nearest * turn.transpose()) : Eigen::Matrix3d::Identity();
}

/// Of the box of the body without scenery.
double own_diagonal(const Body& body) {
    const MatrixX3d& positions = body.mesh().positions;
    const std::vector<char>& scenery = body.source().is_scenery;
    MatrixX3d own(positions.rows(), 3);
    Eigen::Index count = 0;
    for (Eigen::Index v = 0; v < positions.rows(); ++v) {
        if (scenery.empty() || scenery[static_cast<size_t>(v)] == 0) {
            own.row(count++) = positions.row(v);
        }
    }
    return bounding_box_diagonal(own.topRows(count));
}

void join_joints(const Body& body, bool use_names, const Eigen::Matrix3d& turn, const std::vector<char>& is_prop_vertex,
                 Shape& shape) {
    const Rig* rig = body.rig();
    shape.weights.resize(static_cast<size_t>(shape.vertex_count()));
    if (rig == nullptr) {
        return;
    }
    std::map<int, int> joint_of_node;
    std::vector<int> joint(static_cast<size_t>(rig->joint_count()));
    for (size_t j = 0; j < joint.size(); ++j) {
        const auto [place, is_new] = joint_of_node.emplace(rig->node[j], shape.joint_count());
        joint[j] = place->second;
        if (is_new) {
            shape.node.push_back(rig->node[j]);
            shape.name.push_back(use_names ? rig->name[j] : "");
            shape.centre.push_back(turn * rig->centre[j]);
            shape.rig_joints.emplace_back();
        }
        shape.rig_joints[static_cast<size_t>(joint[j])].push_back(static_cast<int>(j));
    }
    const auto influences = static_cast<size_t>(rig->weights.influences);
    for (size_t v = 0; v < shape.weights.size(); ++v) {
        const auto art = static_cast<size_t>(shape.art_of_vertex[v]);
        if (is_prop_vertex[v] != 0) {
            continue;
        }
        Weights& own = shape.weights[v];
        for (size_t k = art * influences; k < (art + 1) * influences; ++k) {
            const double weight = rig->weights.weights[k];
            if (!(weight > 0.0)) {
                continue;
            }
            const int j = joint[rig->weights.joints[k]];
            const auto known = std::find_if(own.begin(), own.end(), [j](const auto& w) { return w.first == j; });
            if (known == own.end()) {
                own.emplace_back(j, weight);
            } else {
                known->second += weight;
            }
        }
        std::stable_sort(own.begin(), own.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
    }
}

/// Diagonal of the box that leaves out the outermost area, and floor and height.
void measure(Shape& shape) {
    Vector3d low, high;
    std::vector<int> order(static_cast<size_t>(shape.vertex_count()));
    std::iota(order.begin(), order.end(), 0);
    for (int axis = 0; axis < 3; ++axis) {
        std::sort(order.begin(), order.end(), [&](int a, int b) {
            return std::make_pair(shape.positions(a, axis), a) < std::make_pair(shape.positions(b, axis), b);
        });
        double sum = 0.0;
        bool has_low = false;
        low[axis] = high[axis] = 0.0;
        for (const int v : order) {
            if (shape.vertex_area[v] <= 0.0) {
                continue;
            }
            if (!has_low && sum + shape.vertex_area[v] >= trimmed * shape.area) {
                low[axis] = shape.positions(v, axis);
                has_low = true;
            }
            if (sum <= (1.0 - trimmed) * shape.area) {
                high[axis] = shape.positions(v, axis);
            }
            sum += shape.vertex_area[v];
        }
    }
    shape.size = (high - low).norm();
    shape.floor = low.y();
    shape.height = high.y() - low.y();
}

/// Feet that a leaning bind pose lifts stand on the floor here.
void stand(const Body& body, Shape& shape) {
    const auto& character = body.source().character;
    if (body.rig() == nullptr || !character) {
        return;
    }
    std::vector<Eigen::Affine3d> frames = rest_frames(character->skeleton), matrices;
    body.to_body_space(frames);
    joint_matrices(body.rig()->node, body.rig()->inverse_bind, frames, matrices);
    MatrixX3d art;
    skin_linear_blend(body.mesh().positions, body.rig()->weights, matrices, Workers(1), art);
    if (!art.allFinite()) {
        return;
    }
    shape.standing.resize(shape.vertex_count(), 3);
    double low = std::numeric_limits<double>::infinity();
    double high = -low;
    for (Eigen::Index v = 0; v < shape.standing.rows(); ++v) {
        shape.standing.row(v) = art.row(shape.art_of_vertex[static_cast<size_t>(v)]);
        if (shape.vertex_area[v] > 0.0) {
            low = std::min(low, shape.standing(v, 1));
            high = std::max(high, shape.standing(v, 1));
        }
    }
    shape.standing_floor = low;
    shape.standing_height = high - low;
}

double distance_to_edge(const Vector3d& p, const Vector3d& a, const Vector3d& b) {
    const double square = (b - a).squaredNorm();
    const double t = square > 0.0 ? std::clamp((p - a).dot(b - a) / square, 0.0, 1.0) : 0.0;
    return (a + t * (b - a) - p).norm();
}

double distance_to_triangle(const Shape& shape, int f, const Vector3d& p) {
    const std::array<Vector3d, 3> c = {shape.corner(f, 0), shape.corner(f, 1), shape.corner(f, 2)};
    const Vector3d across = (c[1] - c[0]).cross(c[2] - c[0]);
    double least = std::numeric_limits<double>::infinity();
    bool is_over = across.squaredNorm() > 0.0;
    for (size_t k = 0; k < 3; ++k) {
        const Vector3d& a = c[k];
        const Vector3d& b = c[(k + 1) % 3];
        least = std::min(least, distance_to_edge(p, a, b));
        is_over = is_over && across.cross(b - a).dot(p - a) >= 0.0;
    }
    return is_over ? std::abs(across.normalized().dot(p - c[0])) : least;
}

}  // namespace

Shape make_shape(const Body& body, bool use_names) {
    const ArtMesh& mesh = body.mesh();
    const std::vector<int> instance = instance_of_vertices(body);
    const Eigen::Matrix3d turn = upright_turn(body, instance);
    Shape shape;
    const std::vector<int> root = mesh_internal::weld(mesh.positions, std::vector<unsigned char>(instance.size(), 1),
                                                      instance, weld_share * own_diagonal(body));
    shape.vertex_of_art.assign(root.size(), -1);
    for (size_t a = 0; a < root.size(); ++a) {
        if (root[a] == static_cast<int>(a)) {
            shape.vertex_of_art[a] = static_cast<int>(shape.art_of_vertex.size());
            shape.art_of_vertex.push_back(static_cast<int>(a));
        } else {
            shape.vertex_of_art[a] = shape.vertex_of_art[static_cast<size_t>(root[a])];
        }
    }
    shape.positions.resize(static_cast<Eigen::Index>(shape.art_of_vertex.size()), 3);
    for (Eigen::Index v = 0; v < shape.positions.rows(); ++v) {
        shape.positions.row(v) = turn * mesh.positions.row(shape.art_of_vertex[static_cast<size_t>(v)]).transpose();
    }
    shape.triangles = mesh.triangles.unaryExpr([&](int a) { return shape.vertex_of_art[static_cast<size_t>(a)]; });

    const auto& character = body.source().character;
    const Eigen::Index count = shape.triangles.rows();
    shape.triangle_area.resize(count);
    shape.vertex_area.setZero(shape.positions.rows());
    shape.is_prop.assign(static_cast<size_t>(count), 0);
    std::vector<char> is_prop_vertex(shape.art_of_vertex.size(), 0);
    for (Eigen::Index f = 0; f < count; ++f) {
        const Vector3d a = shape.corner(static_cast<int>(f), 0);
        shape.triangle_area[f] =
            0.5 * (shape.corner(static_cast<int>(f), 1) - a).cross(shape.corner(static_cast<int>(f), 2) - a).norm();
        const int owner = instance[static_cast<size_t>(mesh.triangles(f, 0))];
        const bool is_prop =
            body.rig() != nullptr && owner >= 0 && character->meshes[static_cast<size_t>(owner)].skin < 0;
        shape.is_prop[static_cast<size_t>(f)] = is_prop ? 1 : 0;
        for (int k = 0; k < 3; ++k) {
            if (is_prop) {
                is_prop_vertex[static_cast<size_t>(shape.triangles(f, k))] = 1;
            } else {
                shape.vertex_area[shape.triangles(f, k)] += shape.triangle_area[f] / 3.0;
            }
        }
    }
    shape.area = shape.vertex_area.sum();

    std::vector<int> up(shape.art_of_vertex.size());
    std::iota(up.begin(), up.end(), 0);
    const auto find = [&](int v) {
        while (up[static_cast<size_t>(v)] != v) {
            v = up[static_cast<size_t>(v)] = up[static_cast<size_t>(up[static_cast<size_t>(v)])];
        }
        return v;
    };
    for (Eigen::Index f = 0; f < count; ++f) {
        for (int k = 1; k < 3; ++k) {
            up[static_cast<size_t>(find(shape.triangles(f, k)))] = find(shape.triangles(f, 0));
        }
    }
    std::map<int, int> number;
    for (Eigen::Index f = 0; f < count; ++f) {
        const auto place = number.emplace(find(shape.triangles(f, 0)), static_cast<int>(number.size())).first;
        shape.island.push_back(place->second);
    }
    shape.islands = static_cast<int>(number.size());
    shape.part.assign(static_cast<size_t>(count), 0);
    for (size_t p = 0; p < mesh.parts.size(); ++p) {
        const MeshPart& part = mesh.parts[p];
        std::fill_n(shape.part.begin() + part.first_triangle, part.triangle_count, static_cast<int>(p));
    }
    join_joints(body, use_names, turn, is_prop_vertex, shape);
    measure(shape);
    stand(body, shape);
    return shape;
}

Mirror find_mirror(const Shape& shape) {
    std::vector<int> own;
    for (int v = 0; v < shape.vertex_count(); ++v) {
        if (shape.vertex_area[v] > 0.0) {
            own.push_back(v);
        }
    }
    Mirror best;
    if (own.empty() || !(shape.size > 0.0)) {
        return best;
    }
    std::vector<std::vector<int>> around(static_cast<size_t>(shape.vertex_count()));
    for (Eigen::Index f = 0; f < shape.triangles.rows(); ++f) {
        for (int k = 0; k < 3 && shape.is_prop[static_cast<size_t>(f)] == 0; ++k) {
            around[static_cast<size_t>(shape.triangles(f, k))].push_back(static_cast<int>(f));
        }
    }
    constexpr size_t most_samples = 300;
    const size_t stride = std::max<size_t>(1, own.size() / most_samples);
    for (const int axis : {0, 2}) {
        std::vector<double> values;
        for (const int v : own) {
            values.push_back(shape.positions(v, axis));
        }
        const auto [low, high] = std::minmax_element(values.begin(), values.end());
        const double middle = 0.5 * (*low + *high);
        std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
        for (const double offset : {0.0, middle, values[values.size() / 2]}) {
            Mirror mirror{axis, offset, 0.0};
            int samples = 0;
            for (size_t i = 0; i < own.size(); i += stride) {
                const Vector3d image = mirror.image(shape.positions.row(own[i]));
                double least = std::numeric_limits<double>::infinity();
                int nearest = own.front();
                for (const int v : own) {
                    const double away = (shape.positions.row(v).transpose() - image).squaredNorm();
                    if (away < least) {
                        least = away;
                        nearest = v;
                    }
                }
                // Triangles of both sides need not be alike: what counts is the surface.
                least = std::sqrt(least);
                for (const int f : around[static_cast<size_t>(nearest)]) {
                    least = std::min(least, distance_to_triangle(shape, f, image));
                }
                mirror.error += std::min(1.0, least / shape.size);
                ++samples;
            }
            mirror.error /= samples;
            if (mirror.error < best.error - 1e-9) {
                best = mirror;
            }
        }
    }
    return best;
}

}  // namespace cutis::anatomy_detail
