#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "cutis/anatomy/anatomy.h"
#include "cutis/io/scene_read.h"
#include "cutis/stack/cost.h"

namespace cutis {

/// What a person may choose before cutis looks at a character.
struct SuggestOptions {
    std::vector<std::string> layers;  ///< kinds to use; empty: those that fit; "none": no layer
    std::string preset;               ///< human, quadruped, creature, cloth, face; empty: found out
    std::string clip;                 ///< empty: the one that shows most
    int budget = 0;                   ///< vertices of the mesh that folds refine; 0: in proportion, 16,000 to 60,000
};

/// Names of presets.
const std::vector<std::string>& suggest_presets();

/// A connected piece of the surface, by the number that regions have for it: "island:1" is the largest.
struct Island {
    double share = 0.0;    ///< of the whole area
    int triangles = 0;     ///< of the artist's
    std::string mesh;      ///< that most of it lies in
    std::string material;  ///< that most of it has
    Tissue tissue = Tissue::skin;
};

/// A scene for a character, and why it looks as it does.
struct Suggestion {
    std::string scene;                ///< commented TOML that read_scene takes
    std::vector<std::string> words;   ///< what was found and what is done about it, a sentence each
    std::vector<std::string> doubts;  ///< what may be wrong, each with the line that changes it
    Anatomy anatomy;
    std::vector<ClipScore> clips;     ///< best first
    Vector3d box = Vector3d::Zero();  ///< sides of the posed character's box, units of the file
    std::vector<Island> islands;      ///< "island:1" first
    std::vector<std::string> layers;  ///< kinds, in order
    int frames = 1;                   ///< that the scene bakes
    Cost cost;                        ///< what baking them is expected to take
    std::string unit;                 ///< likely unit: m, cm, mm; empty: not known
};

/// Looks at a character file (.glb .gltf .obj) or "actor:NAME" and writes the scene for it.
/// \param folder  the scene will be in; paths are relative to it; empty: as given
/// \throw IoError, InvalidInput  as the readers do; an unknown layer or preset
Suggestion suggest_scene(const std::string& character, const std::filesystem::path& folder,
                         const SuggestOptions& options, const ActorLoader& actors = {});

}  // namespace cutis
