#pragma once

#include <Eigen/Geometry>
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
};

/// Pictures and materials of the source, carried through to GLB output untouched.
struct MaterialLibrary {
    std::string
        gltf_json;  ///< {"materials":[],"textures":[],"samplers":[],"images":[{"mimeType":..}],"extensionsUsed":[]}
    std::vector<std::vector<unsigned char>> images;
};

/// Everything a file says about a character.
struct Character {
    std::string source;  ///< file name, for messages
    Skeleton skeleton;   ///< all nodes of the file
    std::vector<Skin> skins;
    std::vector<MeshInstance> meshes;
    std::vector<Clip> clips;
    std::shared_ptr<const MaterialLibrary> materials;  ///< may be null
    std::vector<std::string> notes;                    ///< what the reader had to ignore or repair
};

}  // namespace cutis
