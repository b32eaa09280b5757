#pragma once

#include <string>
#include <vector>

#include "cutis/shell/shell.h"
#include "cutis/stack/settings.h"

namespace cutis {

/// How detail gets into the shell.
enum class Placing { scatter, tiles, around };
/// What a piece of detail stands on.
enum class Anchor { surface, skin };
/// What a jump of the body does to vibration.
enum class OnCut { carry, rest };

/// What a [[layer]] table of kind shell may say. Lengths named "of the diagonal" are shares of the
/// rest pose's bounding box.
struct ShellSettings {
    std::string name;
    std::string detail = "scale";
    std::string mesh;
    std::string mesh_up = "z";
    Placing place = Placing::scatter;
    Anchor anchor = Anchor::surface;
    bool rigid = false;
    OutsideDetail outside = OutsideDetail::refuse;
    double height = 0.02;
    Paintable height_factor = everywhere(1.0);
    bool keep_off_walls = false;
    bool clip_aware = true;
    double size = 0.04;
    ScatterOptions scatter;
    std::vector<double> axis = {0, -1, 0};
    Paintable density = everywhere(1.0);
    Paintable size_factor = everywhere(1.0);
    int seed = 1;
    TileOptions tiles;
    double lift = 1.0;
    double poisson = 0.3;
    int volume_rounds = 1;
    Paintable stiffness = everywhere(1.0);
    Paintable frequency = everywhere(6.0);
    Paintable damping = everywhere(0.1);
    double paper_omega = 0.0;
    double paper_zeta = 0.05;
    double paper_fps = 30.0;
    std::vector<double> axes;
    std::vector<double> surface_axis = {0, 0, 1};
    VibrationOptions vibration;
    bool untangle = true;
    int substeps = 1;
    OnCut cut = OnCut::carry;
    std::vector<std::string> handles;
    double offset_stiffness = 10.0;
    double base_stiffness = 0.0;
    ManipulationOptions manipulation;
    double reach = 0.1;
    std::vector<std::string> pinned;
};

/// Its keys, bound to their fields.
std::vector<Setting> shell_settings(ShellSettings& settings);

}  // namespace cutis
