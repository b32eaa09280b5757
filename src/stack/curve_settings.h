#pragma once

#include "curve/flesh_group.h"
#include "cutis/anatomy/anatomy.h"
#include "cutis/stack/curve_layer.h"

namespace cutis {

/// Flesh for a surface: on the part that is named, or on every soft part there is.
/// \param notes  what was found, and what was not
/// \throw InvalidInput  names that do not exist, values out of range
std::unique_ptr<FleshGroup> make_flesh(const LayerInput& ground, const CurveBody& body,
                                       const CurveLayerOptions& options, const LayerMeshes& meshes,
                                       std::vector<std::string>& notes);

struct FoundPart {
    PartKind kind = PartKind::tube;
    CurvePart tube;
};

/// Soft parts of a body by its anatomy, each a tube that curves lie on. What lies over a part on a
/// piece of its own (sleeves, a mane) moves with it.
std::vector<FoundPart> find_soft_parts(const LayerInput& ground, const CurveBody& body,
                                       const CurveLayerOptions& options, std::vector<std::string>& notes);

/// Morph targets keyed in the clip become examples of the pose at which they are strongest; the pose is that of
/// options.pose_joints, else of the joints of the part that turn most meanwhile. \return false: none is keyed
bool examples_from_morphs(const CurveBody& body, const CurvePart& part, FleshOptions& options);

}  // namespace cutis
