#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "cutis/body/rig.h"

namespace cutis::actor {

/// A number over time through (seconds, value) keys, at rest in each of them (smootherstep
/// between).
class Ease {
public:
    Ease(std::initializer_list<std::pair<double, double>> keys) : keys_(keys) {}
    double operator()(double time) const;

private:
    std::vector<std::pair<double, double>> keys_;
};

Eigen::Quaterniond turn_x(double angle_deg);
Eigen::Quaterniond turn_y(double angle_deg);
Eigen::Quaterniond turn_z(double angle_deg);
Eigen::Quaterniond turn_about(const Vector3d& axis, double angle_deg);

/// Bakes motion given as functions of time into linear keys.
class ClipMaker {
public:
    /// \param rate  keys a second
    ClipMaker(Character& character, const std::string& name, double seconds, double rate = 30.0);

    /// Rotation of a joint; axes are the world's at rest.
    void turn(const std::string& joint, const std::function<Eigen::Quaterniond(double)>& rotation);
    /// Displacement of a joint from its rest place, in its parent's frame.
    void shift(const std::string& joint, const std::function<Vector3d(double)>& offset);
    /// Morph weights of a mesh instance, one function per target.
    void morph(const std::string& mesh, const std::vector<std::function<double(double)>>& weights);

private:
    int node_named(const std::string& name) const;
    Channel& add_channel(int node, ChannelTarget target, int width);

    Character& character_;
    size_t clip_;
    std::vector<double> times_;
};

}  // namespace cutis::actor
