#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cutis/core/options.h"
#include "cutis/core/types.h"

namespace cutis {

/// Which way the curves run.
enum class CurveDirection {
    along,   ///< from loop to loop
    around,  ///< closed rings
};

/// How node displacements reach the vertices between the curves.
enum class CurveTransfer {
    bilinear,  ///< four nodes
    bicubic,   ///< sixteen nodes, smooth across curves
    centre,    ///< the paper's: mean of four nodes, or the ratio along a curve the vertex lies on
};

struct CurveLayout {
    CurveDirection direction = CurveDirection::along;
    CurveTransfer transfer = CurveTransfer::bicubic;
    int curves = 0;                   ///< lines from loop to loop, 3 .. 1024; 0: about one per vertex round the tube
    int nodes = 0;                    ///< places along each, 3 .. 4096; 0: about one per vertex along the tube
    bool even_spacing = true;         ///< equal mean arc length between nodes; false: equal s
    std::vector<int> start_vertices;  ///< surface vertices on the tube through which the lines go;
                                      ///< empty: evenly round
    bool edge_loops = false;          ///< lines follow the edge loops of a quad mesh (polygon_edges), one
                                      ///< each; `curves` is not used
    std::vector<std::array<int, 2>> polygon_edges;  ///< pairs of surface vertices, no diagonals
};

Options describe(CurveLayout& layout);

/// Which part of a body carries curves. By joints (what hangs on `from`, without what hangs on `to`
/// and `without`), or by a group of triangles, or by a painted attribute.
struct PartNames {
    std::string from;
    std::vector<std::string> to;
    std::vector<std::string> without;
    std::vector<std::string> extra;  ///< joints that belong to `from` though they hang elsewhere
                                     ///< (feet moved by inverse kinematics)
    std::string group;
    std::string attribute;  ///< painted 0 .. 1, the part is where it is at least the level
    VectorXd field;         ///< the same from the caller: per surface vertex; empty: none
    double level = 0.0;     ///< of weights or paint; 0: 0.5, and others where that gives no loop
};

Options describe(PartNames& names);

/// How a deformation passes from one example to the next.
enum class CurveDynamics {
    exact,       ///< vibration modes with frequency and damping, integrated exactly (default)
    paper,       ///< the paper's implicit scheme in closed form, restarted at each example
    still,       ///< no mass: linear in time, the paper's static solution
    smoothstep,  ///< eases in and out of every example
    spline,      ///< natural cubic spline through the examples
};

struct CurveOptions {
    double frequency_hz = 5.0;            ///< of the first mode
    double damping = 0.3;                 ///< ratio of every mode
    double inertia_gain = 0.4;            ///< how much the body's acceleration drives the flesh
    std::optional<double> limit;          ///< metres: largest way off the target, approached smoothly;
                                          ///< none: a third of the part's mean radius and at most a tenth of
                                          ///< its length, with a free tip a sixth of its length
    double highest_frequency_hz = 120.0;  ///< faster modes follow their target at once
    double rate_hz = 120.0;               ///< the drive is sampled on this grid of time
    bool free_tip = true;                 ///< a closed far end swings freely
    std::vector<double> softness;         ///< per node row 0 .. 1: share of the swing; empty: 1
    double contact_steps = 12.0;          ///< steps to a period of the contact's spring
    /// exact; paper (its implicit scheme, one step each 1 / rate_hz, its damping is numerical); or
    /// still (on the target at once, no inertia)
    CurveDynamics dynamics = CurveDynamics::exact;
};

Options describe(CurveOptions& options);

/// What the residual is measured against.
enum class CurveBaseline {
    body,             ///< the body itself: its residual is 0
    linear_blend,     ///< its skeleton by linear blend, without its morph targets
    dual_quaternion,  ///< the same by dual quaternions
    rigid,            ///< the rigid motion nearest to the part's
};

/// A shape to reach: a morph target of the body, its own shape at a time, or a sculpted one.
struct FleshExample {
    std::string morph;  ///< empty: the body's residual at `time`
    double time = 0.0;  ///< body time whose pose (or time) the shape belongs to
    /// The body as it should look at `time`: vertices of the body, metres, Y up. Null: none.
    std::shared_ptr<const MatrixX3d> sculpted = nullptr;
};

/// A force given by hand at a time; linear between those of the same place, held before the first
/// and after the last.
struct FleshForce {
    double time = 0.0;                 ///< body time, seconds
    Vector3d push = Vector3d::Zero();  ///< m/s^2 (per mass), world
    std::vector<double> share = {};    ///< per node row; empty: 1 everywhere
    int place = 0;                     ///< forces of one place belong together
};

enum class ColliderShape { sphere, capsule, plane };

/// Something flesh stays out of.
struct FleshCollider {
    ColliderShape shape = ColliderShape::sphere;
    std::string node;  ///< of the character, carries it; empty: it stands still in the world
    /// Metres along the world's axes; with a node from its place at the clip's start.
    Vector3d at = Vector3d::Zero();
    Vector3d to = Vector3d::Zero();       ///< other end of a capsule
    Vector3d normal = Vector3d::UnitY();  ///< of a plane, the way out
    double radius = 0.1;
};

Options describe(FleshCollider& collider);

/// How nodes go from one example in time to the next, and on beyond the last.
enum class CurvePaths {
    turning,   ///< rings of nodes turn: swing, twist and the rest apart
    straight,  ///< each node along a line of its own, as in the paper
};

struct FleshOptions {
    CurveOptions curve;
    CurveBaseline baseline = CurveBaseline::body;
    bool follow = true;       ///< what the body has beyond the baseline is a target; false: examples
                              ///< replace it
    double joint_hold = 0.7;  ///< how much less flesh swings at a joint inside a limb,
                              ///< where the bone lies close; joints of short bones (spines, tails)
                              ///< do not hold
    std::vector<FleshExample> examples;
    std::vector<FleshForce> forces;          ///< times of one place increasing
    std::vector<std::string> pose_joints;    ///< examples are keyed by these joints' rotations;
                                             ///< empty: by time
    bool extrapolate = false;                ///< two examples in time: past the second the force keeps rising
    CurvePaths paths = CurvePaths::turning;  ///< between examples in time
    double fade = 2.0;                       ///< radii of the part from its cuts over which examples fade in
    double skirt = 1.0;                      ///< radii beyond its cuts over which its swing dies away
    bool keep_volume = true;                 ///< swinging flesh widens where it shortens; not with examples
    bool meets = false;                      ///< there is something to collide with
    double period = 0.0;                     ///< seconds after which the body does the same again: so does the flesh,
                                             ///< from its start on; rate_hz times it a whole number. 0: never
    double paper_frames = 30.0;              ///< frames per second of the paper's scheme between examples in
                                             ///< time
};

/// Without those of the curves, which have their own.
Options describe(FleshOptions& options);

}  // namespace cutis
