#pragma once

#include <string>
#include <vector>

#include "cutis/body/body.h"

namespace cutis {

/// Spring bones of a VRM file, as starting values for flesh.
///
/// A VRM 0.x or 1.0 player moves a bone's end 60 times a second by its velocity times (1 - drag) and by stiffness / 60
/// along its rest direction, and keeps its length L. Small turns so swing with (2 pi f)^2 = 60 stiffness / L, and lose
/// speed at the rate -60 ln(1 - drag) = 2 damping 2 pi f.
struct SpringBones {
    struct Collider {
        std::string node;
        Vector3d at = Vector3d::Zero();  ///< from the node, axes of the rest pose, metres
        Vector3d to = Vector3d::Zero();
        double radius = 0.0;
        bool is_capsule = false;
    };

    std::string version;  ///< empty: the file has none
    int chains = 0;
    int joints = 0;
    double frequency_hz = 0.0;  ///< mean over the joints
    double damping = 0.0;
    std::vector<Collider> colliders;
};

SpringBones find_spring_bones(const Body& body);

/// Lines of a [[layer]] of kind curve, with its colliders.
std::string spring_bone_lines(const SpringBones& springs);

}  // namespace cutis
