#pragma once

#include <Eigen/Core>
#include <functional>
#include <string>
#include <vector>

#include "cutis/body/rig.h"

namespace cutis::actor {

/// One joint with the piece of bone it moves. Joints are not rotated at rest.
struct Bone {
    std::string name;
    std::string parent;   ///< empty: child of the root
    Vector3d head;        ///< the joint, metres
    Vector3d tail;        ///< end of the bone: weights are hottest along head-tail
    std::string chart;    ///< UV chart of the surface it moves most
    std::string part;     ///< named part of the mesh; empty: the chart's name
    bool deforms = true;  ///< false: gets no weight from heat (painted, or carries others only)
    double thick = 0.0;   ///< the bone stands for a volume of this radius (ribs) when bones compete
};

int bone_index(const std::vector<Bone>& bones, const std::string& name);

/// Skeleton and skin of a plan; its meshes are added by the caller.
Character build_skeleton(const std::string& name, const std::vector<Bone>& bones);

/// Adds a mesh instance moved by skin 0, with a node of its own for morph weights.
MeshInstance& add_mesh(Character& character, const std::string& name, ArtMesh mesh, SkinWeights weights);

/// Adds a morph target from a displacement per vertex, given position and unit normal.
void add_morph(MeshInstance& instance, const std::string& name,
               const std::function<Vector3d(const Vector3d& p, const Vector3d& n)>& offset);

/// The four largest of each row, normalised.
SkinWeights strongest_weights(const Eigen::MatrixXd& weights);

/// exp(-|p - centre|^2 / radius^2): a soft spot for painting.
double soft_spot(const Vector3d& p, const Vector3d& centre, double radius);

}  // namespace cutis::actor
