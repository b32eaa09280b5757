#pragma once

#include <string>
#include <vector>

#include "cutis/stack/layer.h"
#include "cutis/stack/scene.h"

namespace cutis {

/// One combination of the values a scene wants to try.
struct WedgeScene {
    std::string label;  ///< "stickiness 0.5, skinning dual-quaternion"
    Scene scene;        ///< without wedges
};

inline constexpr int max_wedges = 1000;

/// All combinations, the last wedge turning fastest. A scene without wedges gives itself.
/// \throw InvalidInput  a key that is not there, a value its key refuses, more than max_wedges; all
///                      with the place in the file
/// \param kinds  layers the scene may name
std::vector<WedgeScene> wedge_scenes(const Scene& scene, const std::vector<LayerKind>& kinds = layer_kinds());

/// How many there are. \throw InvalidInput  more than max_wedges
int wedge_count(const Scene& scene);
/// One of them, by its place in that order, from 0.
/// \param plain  the scene without its wedges
WedgeScene wedge_scene(const Scene& plain, const std::vector<Wedge>& wedges, int number,
                       const std::vector<LayerKind>& kinds = layer_kinds());

/// Its label alone; empty without wedges.
std::string wedge_label(const std::vector<Wedge>& wedges, int number);
/// Keys and values it chose, in words.
std::vector<std::pair<std::string, std::string>> wedge_choices(const std::vector<Wedge>& wedges, int number);

/// Folder of a combination beside the others: "w01" to "w12".
std::string wedge_folder(int number, int count);
/// The sheet that shows combinations beside each other needs the page of each.
void add_page(Scene& scene);

}  // namespace cutis
