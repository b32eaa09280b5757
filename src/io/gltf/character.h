#pragma once

#include <string>
#include <vector>

#include "cutis/body/rig.h"
#include "io/gltf/file.h"

namespace cutis {

/// Names already given; a second `a` becomes `a#2`.
class UniqueNames {
public:
    std::string take(const std::string& wanted);

private:
    std::map<std::string, int> taken_;
};

/// The node tree, and how the file's numbering maps to ours.
struct GltfNodes {
    std::vector<int> ours;       ///< per node of the file: index into Skeleton::nodes
    std::vector<int> in_order;   ///< nodes of the file, parents first
    std::vector<char> in_scene;  ///< per node of the file
};

/// \throw InvalidInput  a cycle, a node with two parents, a bad transform
GltfNodes read_gltf_nodes(GltfFile& file, Skeleton& skeleton);

std::vector<Skin> read_gltf_skins(GltfFile& file, const GltfNodes& nodes);

/// Carries materials and pictures; `names` receives the unique name of each material.
std::shared_ptr<const MaterialLibrary> read_gltf_materials(GltfFile& file,
                                                           std::vector<std::string>& names);

/// Instances of all meshes of the scene.
std::vector<MeshInstance> read_gltf_meshes(GltfFile& file, const GltfNodes& nodes,
                                           const std::vector<Skin>& skins,
                                           const std::vector<std::string>& material_names);

/// Animations. A node given by a matrix becomes translation, rotation, scale when a clip moves it.
std::vector<Clip> read_gltf_clips(GltfFile& file, const GltfNodes& nodes, Skeleton& skeleton);

/// Number of morph targets of a mesh of the file.
std::size_t gltf_target_count(const GltfFile& file, int mesh);

}  // namespace cutis
