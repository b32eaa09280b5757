#pragma once

#include <array>
#include <map>
#include <utility>
#include <vector>

#include "cutis/anatomy/anatomy.h"

namespace cutis::anatomy_detail {

/// Painted attributes that hold linear colours of pictures at the vertices; below 0: none there.
inline constexpr std::array<const char*, 3> picture_colours = {"picture.r", "picture.g", "picture.b"};

using Weights = std::vector<std::pair<int, double>>;  // joint, weight

/// A character as it was bound, upright along the axes, its vertices welded. Joints of several
/// skins on the same node are one.
struct Shape {
    MatrixX3d positions;             // welded vertices
    MatrixX3i triangles;             // all of the body's, over welded vertices
    std::vector<int> art_of_vertex;  // one of each
    std::vector<int> vertex_of_art;
    VectorXd triangle_area;
    VectorXd vertex_area;  // without props
    double area = 0.0;     // without props
    double size = 0.0;
    double floor = 0.0, height = 0.0;  // y
    MatrixX3d standing;                // welded vertices in the pose of the file's nodes; empty without joints
    double standing_floor = 0.0, standing_height = 0.0;
    std::vector<int> island;  // per triangle
    int islands = 0;
    std::vector<char> is_prop;  // per triangle
    std::vector<int> part;      // per triangle: index of the mesh's part

    std::vector<Weights> weights;  // per welded vertex, strongest first; none on props
    std::vector<int> node;         // per joint
    std::vector<std::string> name;
    std::vector<Vector3d> centre;              // bind position
    std::vector<std::vector<int>> rig_joints;  // of the body's rig

    int vertex_count() const { return static_cast<int>(positions.rows()); }
    int joint_count() const { return static_cast<int>(node.size()); }
    Vector3d corner(int triangle, int k) const { return positions.row(triangles(triangle, k)); }
};

/// \param use_names  false: joints have none
Shape make_shape(const Body& body, bool use_names);

/// Mirror plane: positions[axis] = offset.
struct Mirror {
    int axis = 0;
    double offset = 0.0;
    double error = 1.0;  // mean distance of a mirrored vertex to the surface's nearest, of the size
    bool is_good() const { return error < 0.02; }  // bodies have less than 0.002, a hand 0.03
    Vector3d image(Vector3d p) const {
        p[axis] = 2.0 * offset - p[axis];
        return p;
    }
};
Mirror find_mirror(const Shape& shape);

/// Joints as the surface connects them.
struct JointTree {
    std::vector<char> is_active;
    std::vector<double> area;             // of each joint's weights, of the whole
    std::vector<Vector3d> middle;         // of what it moves
    std::vector<int> dominant;            // per vertex: joint that moves it most, -1: a prop
    std::vector<int> partner;             // mirrored joint, -1: none
    std::vector<std::vector<int>> links;  // neighbours in the tree
    std::vector<int> owner;               // itself, or the active joint above it in the file; -1: none
    int root = -1;                        // nothing behind it has more than half of the area
    int strays = 0;                       // links that are not in the file

    /// Joints on the far side of the link from a to b.
    std::vector<int> behind(int a, int b) const;
    std::vector<int> path(int from, int to) const;
    int parent(int joint) const;  // towards the root
};
JointTree connect_joints(const Shape& shape, const Skeleton& skeleton, const Mirror& mirror);

/// A branch off the spine.
struct Branch {
    PartKind kind = PartKind::arm;
    int base = -1;            // spine joint it hangs on
    std::vector<int> chain;   // first joint to the last before fingers and toes
    std::vector<int> joints;  // all
    bool is_paired = false;
    double area = 0.0;
    bool is_left = false;
};

struct Plan {
    Build build = Build::other;
    int head = -1;
    std::vector<int> spine;              // from the hind end to the head, middle joints
    std::vector<char> on_head, on_hand;  // per joint: moves the head, moves fingers
    std::vector<Branch> branches;
    std::vector<std::vector<int>> tails;  // each from its base to its tip
    std::vector<int> neck;                // from the trunk to the joint before the head
    int pelvis = -1, shoulders = -1;      // ends of the trunk
};
Plan find_plan(const Shape& shape, const JointTree& tree, const Mirror& mirror, const AnatomyOptions& options);

/// Flesh of a body plan; `is_soft` per triangle.
std::vector<SoftPart> find_parts(const Shape& shape, const JointTree& tree, const Plan& plan,
                                 const std::vector<char>& is_soft);

/// Some of the poses a body's clips reach; a swing of every joint where there are none.
struct TestPoses {
    std::vector<MatrixX3d> positions;                    // of the shape's vertices
    std::vector<std::vector<Eigen::Affine3d>> matrices;  // of the rig's joints; none without a rig
};
TestPoses test_poses(const Body& body, const Shape& shape);

/// Gives a body that moves without a skeleton joints: regions that move rigidly. False: it has none that tell.
bool add_motion_joints(const Body& body, Shape& shape);
/// Weights of the shape's joints at the body's own vertices.
SkinWeights art_weights(const Shape& shape);

/// CIE Lab of a linear colour.
Vector3d lab_of(const Vector3d& linear);
/// Hue 7 to 47 degrees, not grey and not glaring: what faces are painted with.
bool is_skin_tone(const Vector3d& linear);
/// Per triangle: 1 of the colour that hands and face share, 2 of another, 0 not known. Only people have labels, and
/// only where vertices have colours of pictures.
/// \param piece  connected triangles of one material have one number
std::vector<char> colour_labels(const Body& body, const Shape& shape, const JointTree& tree, const Plan& plan,
                                const std::vector<int>& piece);

/// Tissue of every patch.
void class_patches(const Body& body, const Shape& shape, const JointTree& tree, const Plan& plan,
                   const AnatomyOptions& options, Anatomy& anatomy);

/// Words of a name, lower case: "LeftHand_02" is left, hand.
std::vector<std::string> words_of(const std::string& name);
/// What a name says: -1 nothing, else a Tissue.
int tissue_of_name(const std::string& name);
/// A name with left and right exchanged; the same where it says neither.
std::string mirrored_name(const std::string& name);

}  // namespace cutis::anatomy_detail
