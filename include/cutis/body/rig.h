#pragma once

#include <Eigen/Geometry>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cutis/body/clip.h"
#include "cutis/body/skeleton.h"
#include "cutis/body/skinning.h"
#include "cutis/mesh/art_mesh.h"

namespace cutis {

/// Displacements of a morph target; `name` may be empty.
struct MorphTarget {
    std::string name;
    MatrixX3d offsets;  ///< #A x 3
};

/// Joints of a skin: nodes of the skeleton with their inverse bind matrices.
struct Skin {
    std::string name;
    std::vector<int> joints;                    ///< node indices
    std::vector<Eigen::Affine3d> inverse_bind;  ///< one per joint
};

/// One mesh placed in the scene: moved by a skin, or carried by its node, and by morph targets.
struct MeshInstance {
    std::string name;  ///< unique in the file
    ArtMesh mesh;
    int node = -1;        ///< carries the mesh when there is no skin, and its morph weights
    int skin = -1;        ///< index into Character::skins, -1: none
    SkinWeights weights;  ///< empty without skin
    std::vector<MorphTarget> morphs;
    std::vector<double> morph_defaults;  ///< one per target
    int file_node = -1;                  ///< in SourceDocument
    std::vector<int> file_primitives;    ///< of the node's mesh there, one per part of `mesh`
    bool is_mended = false;              ///< positions or weights are not those of the file
};

/// Pictures and materials of the source, carried through to GLB output untouched.
struct MaterialLibrary {
    std::string
        gltf_json;  ///< {"materials":[],"textures":[],"samplers":[],"images":[{"mimeType":..}],"extensionsUsed":[]}
    std::vector<std::vector<unsigned char>> images;
    std::map<std::string, Vector3d> colours;  ///< base colour (linear RGB) of each material that has no picture for it
};

/// The glTF document a character came from, so that what is written again is that document with what changed in it.
struct SourceDocument {
    std::string gltf_json;             ///< without buffers: all buffer views lie in `bytes`, pictures too
    std::vector<unsigned char> bytes;  ///< all buffers, one after the other
    std::vector<int> file_node;        ///< of each node of the skeleton
};

/// Everything a file says about a character.
struct Character {
    std::string source;  ///< file name, for messages
    Skeleton skeleton;   ///< all nodes of the file
    std::vector<Skin> skins;
    std::vector<MeshInstance> meshes;
    std::vector<Clip> clips;
    std::shared_ptr<const MaterialLibrary> materials;  ///< may be null
    std::shared_ptr<const SourceDocument> document;    ///< null: the meshes are not those of a glTF file
    std::vector<std::string> notes;                    ///< what the reader had to ignore or repair
};

/// The joints that move a body's skin, as its Body holds them.
struct Rig {
    std::vector<std::string> name;              ///< per joint
    std::vector<int> parent;                    ///< nearest joint above, -1: none
    std::vector<int> node;                      ///< its node in Character::skeleton
    std::vector<Eigen::Affine3d> inverse_bind;  ///< for the body's rest positions
    std::vector<Vector3d> centre;               ///< bind position; 0 where the matrix has no inverse
    SkinWeights weights;                        ///< per art vertex
    Skinning skinning = Skinning::linear_blend;
    bool is_whole_motion = false;  ///< skinning the rest positions gives the body's positions at
                                   ///< any time: no morph target moves, no rest pose of its own

    int joint_count() const { return static_cast<int>(node.size()); }
};

/// Fills name, parent and centre from node and inverse_bind.
/// \throw InvalidInput  a node the skeleton does not have, other counts of nodes and matrices
void complete_rig(const Skeleton& skeleton, Rig& rig);

/// World frame times inverse bind matrix of each joint.
/// \param frames  of all nodes
void joint_matrices(const std::vector<int>& nodes, const std::vector<Eigen::Affine3d>& inverse_bind,
                    const std::vector<Eigen::Affine3d>& frames, std::vector<Eigen::Affine3d>& out);

/// Positions as the rig's own method skins them; rest and weights may be those of another mesh on
/// the same joints. Allocates nothing after the first call with the same `out`.
/// \param matrices  of joint_matrices
void skin_by(const Rig& rig, const MatrixX3d& rest, const SkinWeights& weights,
             const std::vector<Eigen::Affine3d>& matrices, const Workers& workers, MatrixX3d& out);

/// Weights of some vertices, in the given order.
SkinWeights weights_of(const SkinWeights& weights, const std::vector<int>& vertices);

/// 1 for the joints that are one of these nodes or hang on one, else 0.
std::vector<char> joints_below(const Rig& rig, const Skeleton& skeleton, const std::vector<int>& nodes);

/// What the chosen joints weigh together at some vertices.
/// \param chosen  per joint, 0 or 1
VectorXd weight_of_joints(const SkinWeights& weights, const std::vector<char>& chosen,
                          const std::vector<int>& vertices);

}  // namespace cutis
