#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cutis/io/formats.h"
#include "cutis/stack/scene.h"

namespace cutis::app {

/// A built-in shot. What layers can do is added as scenes with [[layer]] tables.
struct Demo {
    std::string name;
    std::string about;   ///< one line
    std::string figure;  ///< which paper's figure it stands beside, for captions
    /// TOML, as in a scene file; formats are the demo's own. A path that begins with $DATA/ lies in
    /// the folder of characters that the environment's CUTIS_DATA names (default ../shared/data).
    std::string scene;
    std::string paint = "checker";
    Vector3d camera = {0.45, 0.22, 1.0};            ///< from the body to the camera
    bool follow = false;                            ///< the page's camera travels with the body
    std::optional<PageFocus> focus = std::nullopt;  ///< close-ups: what fills the picture
    std::vector<double> stills = {0.25, 0.5,
                                  0.75};  ///< moments of the clip worth a picture, 0 .. 1
};

/// All demos in the order in which they are listed; the first is the default.
const std::vector<Demo>& demos();

/// One table per layer, each in a file of its own.
std::vector<Demo> stack_demos();
std::vector<Demo> slide_demos();
std::vector<Demo> curve_demos();
std::vector<Demo> fold_demos();
std::vector<Demo> shell_demos();

/// Files of the data folder that the demo reads; none for built-in actors.
std::vector<std::string> data_files(const Demo& demo);

/// \throw InvalidInput  no such demo; lists what there is
const Demo& find_demo(const std::string& name);

/// The demo's scene, writing page, GLB and PC2.
/// \throw IoError  a file of the data folder is not there
Scene demo_scene(const Demo& demo);

/// How the demo's page begins.
PageOptions demo_page(const Demo& demo);

}  // namespace cutis::app
