#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "cutis/core/types.h"
#include "cutis/io/scene_read.h"

namespace cutis {

/// What one mesh of a file holds.
struct MeshSummary {
    std::string name;
    int vertices = 0;
    int triangles = 0;
    int polygons = 0;  ///< as the file counts them
    int primitives = 0;
    int welded_vertices = 0;  ///< of the surface layers would work on; 0 where it cannot be made
    bool is_closed = false;   ///< after welding
    int boundary_loops = 0;
    int connected_parts = 0;
    int joints = 0;      ///< of its skin
    int influences = 0;  ///< per vertex
    bool has_uv = false;
    std::vector<std::string> morph_targets;
    std::vector<std::string> attributes;  ///< painted on vertices
    Vector3d box_min = Vector3d::Zero();  ///< the file's units
    Vector3d box_max = Vector3d::Zero();
    std::vector<std::string> repairs;   ///< what is done to make the surface layers work on
    bool is_repaired = false;           ///< more was done than welding what lies at one place
    std::vector<std::string> problems;  ///< why layers cannot work on it
};

struct ClipSummary {
    std::string name;
    double start = 0.0;  ///< seconds
    double end = 0.0;
    int channels = 0;
    int keys = 0;  ///< of the channel with most
};

/// What is in a file, for `cutis inspect`.
struct FileSummary {
    std::string path;
    std::string kind;  ///< glTF, OBJ, PC2, MDD, BVH, scene, actor
    std::uintmax_t bytes = 0;
    std::vector<MeshSummary> meshes;
    int nodes = 0;
    std::vector<std::string> joints;  ///< names, each once
    std::vector<ClipSummary> clips;
    int cache_vertices = 0;  ///< PC2, MDD
    int cache_frames = 0;
    double cache_rate = 0.0;
    std::vector<std::string> inputs;   ///< scene: the files it reads
    std::vector<std::string> layers;   ///< scene
    std::vector<std::string> formats;  ///< scene
    int frames = 0;                    ///< scene: to be written
    std::vector<std::string> notes;
};

/// Reads a file by its extension (.glb .gltf .obj .pc2 .mdd .bvh .toml), or takes a built-in
/// character ("actor:NAME"), and says what it holds.
/// \param actors  finds built-in characters, as in load_body
/// \throw IoError, InvalidInput  as the readers do; InvalidInput for another extension
FileSummary inspect_file(const std::filesystem::path& path, const ActorLoader& actors = {});

}  // namespace cutis
