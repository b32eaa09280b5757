#pragma once

#include <string>
#include <vector>

#include "cutis/body/skeleton.h"
#include "cutis/core/types.h"

namespace cutis {

enum class Interpolation { step, linear, cubic_spline };
enum class ChannelTarget { translation, rotation, scale, morph_weights };

/// How positions between keys are found.
enum class TimeSampling {
    exact,   ///< as glTF says: step, linear (slerp), cubic spline
    smooth,  ///< linear keys joined with continuous velocity (Catmull-Rom; rotations by cumulative
             ///< quaternion curves). For layers with memory: velocity jumps at linear keys shake a
             ///< simulation. Keys are still met exactly.
};

/// Keys of one property of one node.
struct Channel {
    int node = -1;
    ChannelTarget target = ChannelTarget::translation;
    Interpolation interpolation = Interpolation::linear;
    std::vector<double> times;   ///< strictly increasing, seconds
    int width = 3;               ///< numbers per key: 3, 4 (rotation x y z w) or the number of morph targets
    std::vector<double> values;  ///< times.size() * width; for cubic_spline three groups per key:
                                 ///< in-tangent, value, out-tangent
};

/// One animation.
struct Clip {
    std::string name;
    std::vector<Channel> channels;
    int file_animation = -1;  ///< in SourceDocument; -1: from elsewhere

    double start() const;  ///< earliest key, 0 without channels
    double end() const;    ///< latest key, 0 without channels
};

/// \throw InvalidInput  times not increasing or not finite, wrong number of values, node out of
/// range; names clip, channel and key
void check_clip(const Clip& clip, const Skeleton& skeleton);

/// Pose of every node at a time: local transforms, and morph weights per node.
struct Pose {
    std::vector<Eigen::Affine3d> local;              ///< one per node
    std::vector<std::vector<double>> morph_weights;  ///< one list per node; empty where no channel or default exists
};

/// Samples a clip without allocating after the first call with the same `pose`. Holds what smooth
/// sampling precomputes (key velocities).
///
/// Times outside a channel's keys hold the nearest key. A clip that does not loop starts and stops
/// with the velocity of its first and last keys, in both samplings. Nodes given by a matrix keep
/// it.
///
/// `period` > 0 makes the motion repeat: times wrap around, smooth velocities are continuous across
/// the seam, and where the period is longer than the clip the interval that is left leads from the
/// last pose back to the first (straight in exact sampling; steps stay steps).
class ClipSampler {
public:
    /// Keeps a pointer to `skeleton`, nothing of `clip`.
    /// \throw InvalidInput  what check_clip refuses; a period that is negative or, when not zero,
    /// shorter than the clip
    ClipSampler(const Skeleton& skeleton, const Clip& clip, TimeSampling sampling, double period = 0.0);
    ~ClipSampler();
    ClipSampler(const ClipSampler&);
    ClipSampler(ClipSampler&&) noexcept;
    ClipSampler& operator=(const ClipSampler&);
    ClipSampler& operator=(ClipSampler&&) noexcept;

    void sample(double time, Pose& pose) const;

private:
    struct Track;
    const Skeleton* skeleton_;
    std::vector<Track> tracks_;  ///< sorted by node
    double start_ = 0.0;
    double period_ = 0.0;
};

}  // namespace cutis
