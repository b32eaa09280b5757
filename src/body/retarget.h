#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cutis/body/clip.h"
#include "cutis/body/skeleton.h"

namespace cutis {

/// How a clip moves from one skeleton to another.
struct RetargetOptions {
    /// Source pose that corresponds to the target's rest pose: the source's own rest pose when
    /// empty, or its pose at this time (motion capture often begins with a T-pose).
    std::optional<double> source_rest_time = std::nullopt;
    Vector3d up = Vector3d::UnitY();  ///< of both skeletons; hip heights are measured along it
};

/// A clip for the target skeleton, and what could not be matched.
struct RetargetedClip {
    Clip clip;
    int matched_joints = 0;
    std::vector<std::string> unmatched_source;  ///< joints of the source the target does not have
    std::vector<std::string> unmatched_target;  ///< joints of the target that keep their rest pose
                                                ///< relative to their parents
    double translation_scale = 1.0;             ///< target hip height / source hip height
    bool is_same_skeleton = false;              ///< keys are those of the source
};

/// Joint name as compared: lower case, without a prefix that ends in ':' or '|'.
std::string plain_joint_name(const std::string& name);

/// Puts a clip onto another skeleton with the same joint names ("mixamorig:LeftArm" is "leftarm").
///
/// Where it is the same skeleton (every joint that the clip moves has a namesake, as far from its parent in the same
/// directions of its axes, to a thousandth of the skeleton's size), the keys are taken as they are: turns, places,
/// sizes, and weights of morph targets of nodes of the same name. Two skeletons of the same nodes under the same
/// parents need no names.
///
/// Else each matched joint turns in the world as its namesake does, measured from the two rest poses, so
/// that local axes may differ; rest poses must stand alike and face the same way. The topmost
/// matched joint also moves: its displacement from rest, times the ratio of hip heights above the
/// lowest joint. A source whose rest pose hangs below its floor (BVH files put the hips at the
/// origin) is first stood on it.
/// Keys lie at all key times of the source; rotations and the one translation are linear.
/// \throw InvalidInput  no joint matches, or what check_clip refuses
RetargetedClip retarget_clip(const Skeleton& source, const Clip& clip, const Skeleton& target,
                             const RetargetOptions& options = {});

}  // namespace cutis
