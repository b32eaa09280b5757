#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cutis/shell/options.h"
#include "cutis/stack/layer.h"

namespace cutis {

/// A step of a drag.
struct ShellMove {
    double time = 0.0;
    Vector3d by = Vector3d::Zero();
};

Options describe(ShellMove& move);

/// A hold on the detail as a scene gives it.
struct ShellHandle {
    std::string name = "handle";
    Vector3d at = Vector3d::Zero();
    double grab = 0.0;
    double release = 1.0;
    std::vector<ShellMove> moves;
};

Options describe(ShellHandle& handle);

/// How detail gets into the shell.
enum class ShellPlacing { scatter, tiles, around };
/// What a piece of detail is attached to.
enum class ShellAnchor { surface, skin };
/// What a jump of the body does to vibration.
enum class ShellCut { carry, rest };

/// A shell layer. Lengths named "of the diagonal" are shares of the rest
/// pose's bounding box.
struct ShellLayerOptions {
    std::string name;
    std::string detail = "scale";
    std::string mesh;
    std::string mesh_up = "z";
    ShellPlacing place = ShellPlacing::scatter;
    ShellAnchor anchor = ShellAnchor::surface;
    bool rigid = false;
    double bend = 0.0;
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
    ShellCut cut = ShellCut::carry;
    std::vector<ShellHandle> handles;
    double offset_stiffness = 10.0;
    double base_stiffness = 0.0;
    double reach = 0.1;
    Region pinned;
    bool leaves_rigid = true;  ///< scatter: nothing grows on rigid parts and hair
};

Options describe(ShellLayerOptions& options);

/// Detail that rides on the surface, quivers, and can be grabbed (docs/shell.md).
/// \param meshes  with the file that options name, if any
/// \throw InvalidInput  options that do not fit the surface
std::unique_ptr<Layer> make_shell_layer(ShellLayerOptions options, const LayerInput& ground,
                                        const LayerMeshes& meshes = {});
/// See LayerPlan::change.
bool change_shell_layer(Layer& layer, const ShellLayerOptions& options, const std::string& key);

}  // namespace cutis
