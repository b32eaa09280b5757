#pragma once

#include <string>
#include <vector>

#include "cutis/io/formats.h"
#include "cutis/stack/scene.h"

namespace cutis::app {

/// A scene of the folder examples; the build puts its text into the program.
struct Demo {
    std::string name;  ///< of the file
    std::string text;
    Scene scene;       ///< without the meshes its layers name
    PageOptions page;  ///< what it shows, and how its page begins
};

/// The demo that is baked where none is named.
constexpr const char* default_demo = "creature-walk";

/// All demos, the default first, the others by name.
const std::vector<Demo>& demos();

/// \throw InvalidInput  no such demo; lists what there is
const Demo& find_demo(const std::string& name);

/// The scene, ready to be baked.
/// \throw IoError  a file of the data folder is not there
Scene demo_scene(const Demo& demo);

/// Files of the data folder that the demo reads; none for built-in actors.
std::vector<std::string> data_files(const Demo& demo);

}  // namespace cutis::app
