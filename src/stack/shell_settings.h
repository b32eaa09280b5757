#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cutis/shell/shell.h"
#include "shell_handles.h"

namespace cutis {

/// How detail gets into the shell.
enum class Placing { scatter, tiles, around };
/// What a piece of detail stands on.
enum class Anchor { surface, skin };
/// What a jump of the body does to vibration.
enum class OnCut { carry, rest };

/// A shell layer as a scene asks for it. Lengths named "of the diagonal" are shares of the rest
/// pose's bounding box.
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
    SafeOffsetOptions offset;
    bool clip_aware = true;
    double size = 0.04;
    ScatterOptions scatter;
    TileOptions tiles;
    double lift = 1.0;
    ShellOptions shell;
    Painted stiffness = 1.0;
    Painted frequency = 6.0;
    Painted damping = 0.1;
    std::optional<double> paper_omega;
    double paper_zeta = 0.05;
    double paper_fps = 30.0;
    std::vector<double> axes;
    int substeps = 1;
    OnCut cut = OnCut::carry;
    std::vector<ShellHandle> handles;
    double offset_stiffness = 10.0;
    double base_stiffness = 0.0;
    double reach = 0.1;
    Region pinned;
};

Options describe(ShellSettings& settings);

}  // namespace cutis
