#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "cutis/body/cache.h"
#include "cutis/body/clip.h"
#include "cutis/body/rig.h"
#include "cutis/core/options.h"
#include "cutis/core/parallel.h"
#include "cutis/mesh/art_mesh.h"

namespace cutis {

/// A way to move vertices: rig, cache, or code (actors). Times are the source's own seconds; times
/// before start() and after end() hold the first and last pose. A Motion keeps scratch between
/// calls: one thread at a time (the Workers handed in may have many).
class Motion {
public:
    virtual ~Motion() = default;
    virtual int vertex_count() const = 0;
    virtual double start() const = 0;
    virtual double end() const = 0;
    /// Typical distance of keys, seconds; 0 for motion without keys.
    virtual double key_interval() const = 0;
    /// Positions of all vertices; allocates nothing after the first call with the same `out`.
    virtual void positions(double time, TimeSampling sampling, const Workers& workers, MatrixX3d& out) const = 0;
    /// World frames of all nodes; empty without a skeleton.
    virtual void node_frames(double time, TimeSampling sampling, std::vector<Eigen::Affine3d>& out) const;
    /// Local poses and morph weights of all nodes, in the file's own units and axes. \return false: no skeleton
    virtual bool pose(double time, TimeSampling sampling, Pose& out) const;
    /// World frames and positions of a pose that pose() gave and somebody changed. \return false: no skeleton
    virtual bool frames_of(const Pose& pose, std::vector<Eigen::Affine3d>& out) const;
    virtual bool positions_of(const Pose& pose, const Workers& workers, MatrixX3d& out) const;
    /// The same motion repeating every `period` seconds (at least end() - start()), smooth across
    /// the seam; what the period is longer leads from the last pose back to the first. Null where
    /// the motion cannot do that.
    virtual std::shared_ptr<const Motion> repeating(double period) const;
};

/// What happens after the last key.
enum class LoopMode {
    hold,  ///< stay on the last key
    loop,  ///< start again; where last and first pose differ, one blended key interval closes the
           ///< gap
};

/// How body time (frames of a bake) maps to the source's time.
struct ClockOptions {
    double time_scale = 1.0;  ///< 2 plays twice as fast
    LoopMode loop = LoopMode::hold;
    double seam_tolerance = 1e-4;  ///< loop: largest gap between last and first pose, as a fraction
                                   ///< of the box diagonal, that counts as closed
    double jump_limit = 0.25;      ///< loop: gap as a fraction of the box diagonal beyond which the
                                   ///< seam is reported as a jump instead of blended
};

Options describe(ClockOptions& options);

/// A mesh of the character as part of the one mesh of a body.
struct PlacedMesh {
    int instance = 0;  ///< in Character::meshes
    int first_vertex = 0;
    int vertex_count = 0;
    int first_part = 0;
    int part_count = 0;
    int first_joint = 0;                                    ///< of its skin, or of the node that carries it, in the rig
    Eigen::Affine3d to_body = Eigen::Affine3d::Identity();  ///< from the mesh's own space to the body's rest pose
};

/// A surface that moves: one answer for everybody to "where is every vertex at time t".
///
/// Time 0 is the first key of the clip; before it the body holds still (pre-roll), or plays earlier cycles where it
/// loops without a jump. All lengths in metres, Y up. Used by one thread at a time: the motion keeps scratch between
/// calls.
class Body {
public:
    struct Source {
        ArtMesh mesh;  ///< positions: rest pose in metres, Y up
        std::shared_ptr<const Motion> motion;
        std::shared_ptr<const Character> character;        ///< where it came from; null for caches and plain meshes
        std::shared_ptr<const MaterialLibrary> materials;  ///< null: those of the character, if any
        std::vector<int> weld_group;                       ///< per art vertex, see repair_mesh; empty: one group
        std::vector<char> is_scenery;                      ///< per art vertex: floors, walls; empty: there are none
        Eigen::Affine3d to_metres = Eigen::Affine3d::Identity();  ///< from the file's units and axes to the body's
        Rig rig;                         ///< no joints: none; names, parents and centres are filled in where missing
        std::vector<std::string> notes;  ///< for the report
        std::array<std::vector<std::string>, 4> tissues;  ///< names declared to be skin, cloth, hair, rigid
        std::string build;               ///< kind of body that it is declared to be; empty: none declared
        std::vector<PlacedMesh> placed;  ///< the character's meshes in `mesh`, in order
        Clip clip;                       ///< that moves it; without channels: none
    };

    /// \throw InvalidInput  no motion, counts that differ, clock options out of range
    Body(Source source, const ClockOptions& clock);

    const ArtMesh& mesh() const { return source_.mesh; }
    const Source& source() const { return source_; }
    /// The joints that move the skin; null without a skin.
    const Rig* rig() const { return source_.rig.joint_count() == 0 ? nullptr : &source_.rig; }

    const ClockOptions& clock() const { return clock_; }
    /// Seconds from the first pose to the last (one period when looping).
    double duration() const { return duration_; }
    bool is_looping() const { return clock_.loop == LoopMode::loop; }
    /// Size of the seam when looping, metres, and what was done about it.
    double seam_gap() const { return seam_gap_; }
    bool seam_is_jump() const { return seam_is_jump_; }

    /// Is there a cut (teleport) between these two times: a loop seam that was not blended?
    bool jumps_between(double from, double to) const;

    /// Other materials, and the parts of the mesh that have them.
    void set_materials(std::shared_ptr<const MaterialLibrary> materials, std::vector<MeshPart> parts);

    /// A painted attribute of the mesh. \throw InvalidInput  not one number per vertex
    void set_painted(const std::string& name, VectorXd values);

    /// Replaces the rest positions by a separate static pose (the material's rest shape); the
    /// motion stays. Metres, Y up. The rig's inverse bind matrices still belong to the pose
    /// before, so skinning is no longer the whole motion.
    /// \throw InvalidInput  another number of vertices, a position that is not finite
    void set_rest_pose(const MatrixX3d& rest_positions);
    bool has_separate_rest_pose() const { return has_separate_rest_pose_; }

    void positions(double time, TimeSampling sampling, const Workers& workers, MatrixX3d& out) const;
    /// Local poses of the character's nodes and their morph weights, as its file has them. \return false: no skeleton
    bool pose(double time, TimeSampling sampling, Pose& out) const;
    /// World frame of every node of the character; empty without a skeleton.
    void node_frames(double time, TimeSampling sampling, std::vector<Eigen::Affine3d>& out) const;
    /// Node frames of the file's own space (world_frames) into the body's, which the rig's matrices belong to.
    void to_body_space(std::vector<Eigen::Affine3d>& frames) const;
    /// World frame times inverse bind matrix of every joint of the rig; empty without one.
    void joint_matrices(double time, TimeSampling sampling, std::vector<Eigen::Affine3d>& out) const;

private:
    Source source_;
    ClockOptions clock_;
    mutable std::vector<Eigen::Affine3d> node_frames_;  // scratch
    double source_time(double time) const;

    double start_ = 0.0;     // source seconds
    double duration_ = 0.0;  // body seconds
    double period_ = 0.0;    // source seconds, 0 unless looping
    double seam_gap_ = 0.0;
    bool seam_is_jump_ = false;
    bool has_separate_rest_pose_ = false;
};

/// What one unit of a file is.
enum class LengthUnit { as_scale, metre, centimetre, millimetre, inch, foot };

/// How a character becomes a body.
struct BodyOptions {
    std::string mesh;  ///< name of the mesh instance; empty: all of them as one body
    /// Materials or meshes that are skin, cloth, hair, or rigid, where what the anatomy finds out is not right.
    std::vector<std::string> skin, cloth, hair, rigid;
    std::string clip;  ///< empty: the first clip, or the still rest pose when there is none
    Skinning skinning = Skinning::linear_blend;
    /// Kind of body, where what the anatomy finds out is not right: human, biped, quadruped, insect, swimmer, tube.
    std::string build;
    double scale = 1.0;                      ///< metres per unit of the file
    LengthUnit unit = LengthUnit::as_scale;  ///< the same by name
    double size = 0.0;                       ///< height in the first pose, metres; 0: what scale or unit give
    char up_axis = 'y';                      ///< 'y' or 'z', of the file
    ClockOptions clock;
};

Options describe(BodyOptions& options);

/// Rest pose: the bind pose of skinned meshes, brought to the size and place of the posed character
/// by one similarity transform (files store bind poses 100 times smaller or with another axis up);
/// where that transform is the identity within 1e-6 the file's positions bit for bit. Default morph
/// weights are part of it. A mesh without skin rests where its node's rest pose puts it. When
/// several meshes become one body, unskinned ones among skinned get their node as an extra joint.
/// \throw InvalidInput  no such mesh or clip: the message lists what there is, nearest name first
Body make_body(std::shared_ptr<const Character> character, const BodyOptions& options);

/// A plain mesh moved by a cache (or standing still, where `cache` has no frames). The mesh's own
/// positions are the rest pose.
/// \throw InvalidInput  vertex counts differ
Body make_body(const ArtMesh& mesh, PointCache cache, const BodyOptions& options);

/// Positions in the file's units and axes to metres, Y up: x y z of a Z-up file become x z -y.
/// \throw InvalidInput  scale not positive, up_axis neither 'y' nor 'z'
MatrixX3d to_metres_y_up(const MatrixX3d& positions, double scale, char up_axis);

}  // namespace cutis
