#include <algorithm>
#include <cmath>

#include "anatomy/shape.h"

// Skin by its colour, where one picture covers skin and cloth.

namespace cutis::anatomy_detail {

namespace {

constexpr double one_colour = 9.0;      // distance in CIE Lab
constexpr double of_the_head = 12.0;    // of the head's colour from the hands'
constexpr double skin_distance = 14.0;  // of a face from the skin's colour
constexpr double least_of_head = 0.08;  // of its area in the skin's colour
constexpr double least_piece = 0.03;    // of a piece: less of one kind is a speck of it
constexpr size_t most_candidates = 300;
constexpr int majority_rounds = 4;

struct ColouredFaces {
    std::vector<char> is_known;
    std::vector<Vector3d> linear;
    std::vector<Vector3d> lab;
};

ColouredFaces face_colours(const Body& body, const Shape& shape) {
    ColouredFaces faces;
    const auto count = static_cast<size_t>(shape.triangles.rows());
    faces.is_known.assign(count, 0);
    const auto& painted = body.mesh().painted;
    std::array<const VectorXd*, 3> channels{};
    for (size_t c = 0; c < 3; ++c) {
        const auto found = painted.find(picture_colours[c]);
        if (found == painted.end()) {
            return faces;
        }
        channels[c] = &found->second;
    }
    faces.linear.resize(count);
    faces.lab.resize(count);
    for (size_t f = 0; f < count; ++f) {
        Vector3d sum = Vector3d::Zero();
        bool is_known = true;
        for (int k = 0; k < 3; ++k) {
            const int v = body.mesh().triangles(static_cast<Eigen::Index>(f), k);
            for (size_t c = 0; c < 3; ++c) {
                sum[static_cast<Eigen::Index>(c)] += (*channels[c])[v] / 3.0;
            }
            is_known = is_known && (*channels[0])[v] >= 0.0;
        }
        faces.is_known[f] = is_known ? 1 : 0;
        faces.linear[f] = sum;
        faces.lab[f] = lab_of(sum);
    }
    return faces;
}

/// Share of a face that some joints move.
VectorXd moved_by(const Shape& shape, const JointTree& tree, const std::vector<char>& chosen) {
    VectorXd at_vertex = VectorXd::Zero(shape.vertex_count());
    for (int v = 0; v < shape.vertex_count(); ++v) {
        for (const auto& [j, w] : shape.weights[static_cast<size_t>(v)]) {
            const int owner = tree.owner.empty() ? -1 : tree.owner[static_cast<size_t>(j)];
            at_vertex[v] += owner >= 0 && chosen[static_cast<size_t>(owner)] != 0 ? w : 0.0;
        }
    }
    VectorXd of_face(shape.triangles.rows());
    for (Eigen::Index f = 0; f < of_face.size(); ++f) {
        of_face[f] =
            (at_vertex[shape.triangles(f, 0)] + at_vertex[shape.triangles(f, 1)] + at_vertex[shape.triangles(f, 2)]) /
            3.0;
    }
    return of_face;
}

/// The colour that most area of some faces is near to; false: no such face.
bool most_common(const Shape& shape, const ColouredFaces& faces, const std::vector<int>& chosen, Vector3d& lab) {
    double most = 0.0;
    const size_t stride = std::max<size_t>(1, chosen.size() / most_candidates);
    for (size_t i = 0; i < chosen.size(); i += stride) {
        const Vector3d& candidate = faces.lab[static_cast<size_t>(chosen[i])];
        double near = 0.0;
        for (const int f : chosen) {
            near += (faces.lab[static_cast<size_t>(f)] - candidate).norm() < one_colour ? shape.triangle_area[f] : 0.0;
        }
        if (near > most) {
            most = near;
            lab = candidate;
        }
    }
    return most > 0.0;
}

bool find_skin_colour(const Shape& shape, const JointTree& tree, const Plan& plan, const ColouredFaces& faces,
                      Vector3d& skin) {
    const VectorXd on_hand = moved_by(shape, tree, plan.on_hand);
    const VectorXd on_head = moved_by(shape, tree, plan.on_head);
    std::vector<int> hands, head, toned;
    double head_area = 0.0, toned_area = 0.0;
    for (int f = 0; f < static_cast<int>(on_hand.size()); ++f) {
        if (faces.is_known[static_cast<size_t>(f)] == 0) {
            continue;
        }
        if (on_hand[f] > 0.5) {
            hands.push_back(f);
        }
        if (on_head[f] > 0.5) {
            head.push_back(f);
            head_area += shape.triangle_area[f];
            if (is_skin_tone(faces.linear[static_cast<size_t>(f)])) {
                toned.push_back(f);
                toned_area += shape.triangle_area[f];
            }
        }
    }
    if (most_common(shape, faces, hands, skin)) {
        double same = 0.0;
        for (const int f : head) {
            same += (faces.lab[static_cast<size_t>(f)] - skin).norm() < of_the_head ? shape.triangle_area[f] : 0.0;
        }
        if (same > least_of_head * head_area) {
            return true;
        }
    }
    return toned_area > least_of_head * head_area && most_common(shape, faces, toned, skin);
}

}  // namespace

std::vector<char> colour_labels(const Body& body, const Shape& shape, const JointTree& tree, const Plan& plan,
                                const std::vector<int>& piece) {
    std::vector<char> label(piece.size(), 0);
    const ColouredFaces faces = face_colours(body, shape);
    Vector3d skin;
    if (plan.build != Build::human ||
        std::none_of(faces.is_known.begin(), faces.is_known.end(), [](char known) { return known != 0; }) ||
        !find_skin_colour(shape, tree, plan, faces, skin)) {
        return label;
    }
    for (size_t f = 0; f < label.size(); ++f) {
        label[f] = faces.is_known[f] == 0 ? 0 : (faces.lab[f] - skin).norm() < skin_distance ? 1 : 2;
    }
    // Neighbours over an edge outvote specks.
    std::map<std::pair<int, int>, std::vector<int>> at_edge;
    for (size_t f = 0; f < label.size(); ++f) {
        for (int k = 0; k < 3; ++k) {
            const auto [a, b] = std::minmax(shape.triangles(static_cast<Eigen::Index>(f), k),
                                            shape.triangles(static_cast<Eigen::Index>(f), (k + 1) % 3));
            at_edge[{a, b}].push_back(static_cast<int>(f));
        }
    }
    std::vector<std::array<double, 3>> votes;
    for (int round = 0; round < majority_rounds; ++round) {
        votes.assign(label.size(), {0.0, 0.0, 0.0});
        for (size_t f = 0; f < label.size(); ++f) {
            votes[f][static_cast<size_t>(label[f])] += shape.triangle_area[static_cast<Eigen::Index>(f)];
        }
        for (const auto& [edge, around] : at_edge) {
            for (const int f : around) {
                for (const int g : around) {
                    if (f != g && piece[static_cast<size_t>(f)] == piece[static_cast<size_t>(g)]) {
                        votes[static_cast<size_t>(f)][static_cast<size_t>(label[static_cast<size_t>(g)])] +=
                            shape.triangle_area[g];
                    }
                }
            }
        }
        for (size_t f = 0; f < label.size(); ++f) {
            label[f] = label[f] == 0 ? 0 : votes[f][1] > votes[f][2] ? 1 : 2;
        }
    }
    std::map<int, std::array<double, 3>> area;
    for (size_t f = 0; f < label.size(); ++f) {
        area[piece[f]][static_cast<size_t>(label[f])] += shape.triangle_area[static_cast<Eigen::Index>(f)];
    }
    for (size_t f = 0; f < label.size(); ++f) {
        const std::array<double, 3>& own = area[piece[f]];
        const double whole = own[0] + own[1] + own[2];
        if (label[f] != 0 && std::min(own[1], own[2]) < least_piece * whole) {
            label[f] = own[1] > own[2] ? 1 : 2;
        }
    }
    return label;
}

}  // namespace cutis::anatomy_detail
