#pragma once

#include <string>
#include <vector>

#include "cutis/body/body.h"

namespace cutis {

/// What a piece of surface is made of.
enum class Tissue {
    skin,
    cloth,
    hair,   ///< cards and shells of hair: follow the body
    rigid,  ///< eyes, teeth, horns, hooves, hats, props: follow the body
};

/// How a body is built.
enum class Build { human, biped, quadruped, insect, swimmer, tube, other };

/// A part with flesh on it.
enum class PartKind { arm, leg, neck, torso, tail, ear, fin, tube };

const char* name_of(Tissue tissue);
const char* name_of(Build build);
const char* name_of(PartKind kind);

/// Connected triangles of one material: the unit that has a tissue.
struct Patch {
    int island = 0;        ///< connected piece of the surface, numbered by its first triangle
    std::string mesh;      ///< part of the mesh it lies in
    std::string material;  ///< empty: none
    double share = 0.0;    ///< of the whole area
    Tissue tissue = Tissue::skin;
    bool is_prop = false;  ///< a mesh without skin that a node of a skinned character carries
    std::string why;       ///< what decided, in a few words
};

/// Flesh between joints of the rig: what `from` moves, without what `to` moves.
struct SoftPart {
    PartKind kind = PartKind::tube;
    std::string name;                    ///< of its first joint; empty: the whole island
    std::vector<std::vector<int>> from;  ///< joints of the rig at and behind each joint of its chain, first one first
    std::vector<std::vector<int>> to;    ///< the same where it may end, best first; none: at its tip
    std::vector<std::vector<int>> without;  ///< limbs that leave holes
    std::vector<int> islands;               ///< where it may lie, best first
};

/// How much a clip shows, and when and from where it does.
struct ClipScore {
    std::string name;  ///< empty: the motion of a body without clips
    double seconds = 0.0;
    double strain = 0.0;                ///< mean over the surface: how far its smaller stretch ranges
    double speed = 0.0;                 ///< mean over the surface, sizes a second
    double score = 0.0;                 ///< strain that is quick, upright, and comes back to its beginning
    double moment = 0.0;                ///< seconds from its start: then most of the surface is compressed
    Vector3d view = Vector3d::UnitZ();  ///< towards a camera that sees most of that; of the best clip
};

struct AnatomyOptions {
    bool use_names = true;   ///< false: shape, weights, motion and colours alone
    bool use_build = false;  ///< `build` is known
    Build build = Build::other;
};

/// What a character is and has. All thresholds are ratios: nothing depends on its size.
struct Anatomy {
    Build build = Build::other;
    double size = 0.0;    ///< diagonal of the box without props and specks, metres
    double height = 0.0;  ///< as it stands in the rest pose, metres
    std::vector<Patch> patches;
    std::vector<int> patch_of_triangle;  ///< per triangle of the body's mesh
    std::vector<SoftPart> parts;
    std::string head;      ///< joint; empty: none found
    int stray_joints = 0;  ///< joints that hang elsewhere in the file than on the surface
    bool has_joints = false;
    SkinWeights motion_weights;  ///< without a skeleton: of the regions that move rigidly, which serve as joints

    Tissue tissue(int triangle) const {
        return patches[static_cast<size_t>(patch_of_triangle[static_cast<size_t>(triangle)])].tissue;
    }
    double share(Tissue tissue) const;
};

/// Reads rig, meshes, names and colours of a body.
Anatomy find_anatomy(const Body& body, const AnatomyOptions& options = {});

/// Per vertex of the body's mesh, 0 or 1: on a triangle of that tissue. Vertices of two tissues
/// have both.
VectorXd tissue_vertices(const Anatomy& anatomy, const ArtMesh& mesh, Tissue tissue);

/// All clips of the body's character, best first.
std::vector<ClipScore> score_clips(const Body& body, const Anatomy& anatomy);

}  // namespace cutis
