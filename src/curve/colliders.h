#pragma once

#include <algorithm>
#include <vector>

#include "curve/flesh.h"

namespace cutis {

/// A sphere, a capsule (of two radii), or the half-space behind a plane, at one time.
struct Collider {
    Vector3d a = Vector3d::Zero();  ///< centre, one end, or a point of the plane
    Vector3d b = Vector3d::Zero();  ///< other end, or the plane's normal
    double radius_a = 0.0;
    double radius_b = 0.0;
    bool is_plane = false;

    /// Distance of a point from its surface, negative inside.
    /// \param normal  the way out  \param t  where along the axis the nearest point is, 0 .. 1
    double distance(const Vector3d& p, Vector3d& normal, double& t) const {  // here: asked for a thousand times a step
        if (is_plane) {
            normal = b;
            t = 0.0;
            return (p - a).dot(b);
        }
        const Vector3d axis = b - a;
        const double square = axis.squaredNorm();
        t = square > 0.0 ? std::clamp((p - a).dot(axis) / square, 0.0, 1.0) : 0.0;
        normal = p - (a + t * axis);
        const double away = normal.norm();
        normal = away > 1e-12 ? Vector3d(normal / away) : Vector3d::UnitY();
        return away - (radius_a + t * (radius_b - radius_a));
    }
    double distance(const Vector3d& p) const {
        Vector3d normal;
        double t = 0.0;
        return distance(p, normal, t);
    }
};

/// A collider and what carries it.
struct CarriedCollider {
    Collider shape;           ///< at rest (joint), at body time 0 (node), or in the world
    int joint = -1;           ///< of the rig
    int node = -1;            ///< of the character's skeleton
    bool is_own = false;      ///< found on the body itself
    std::vector<int> joints;  ///< is_own: vertices these joints move are part of it
};

/// Colliders of a scene. \throw InvalidInput  a node that does not exist, sizes out of range
std::vector<CarriedCollider> given_colliders(const Body& body, const std::vector<FleshCollider>& given);

/// A capsule for every joint of the rig that moves more than specks: along the joint's bone, through the middle of the
/// vertices that follow it most, as wide as half of them are away from it.
std::vector<CarriedCollider> rig_capsules(const CurveBody& body);

/// Where carried colliders are at a body time.
class ColliderPoses {
public:
    explicit ColliderPoses(const Body& body) : body_(body) {}
    void at(const std::vector<CarriedCollider>& list, double time, TimeSampling sampling, std::vector<Collider>& out);

private:
    const Body& body_;
    std::vector<Eigen::Affine3d> matrices_, frames_;
};

}  // namespace cutis
