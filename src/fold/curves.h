#pragma once

#include <Eigen/Geometry>
#include <optional>
#include <string>
#include <vector>

#include "cutis/body/skinning.h"
#include "cutis/fold/options.h"
#include "cutis/mesh/surface_point.h"

namespace cutis {

/// A line on the base mesh along which cloth is to fold (Ly et al. 2017 section 5.1); folds lie
/// across it, one after the other.
struct FoldCurve {
    /// A straight piece within one triangle.
    struct Piece {
        int triangle = 0;
        Vector3d from = Vector3d::UnitX();  ///< barycentric
        Vector3d to = Vector3d::UnitY();
    };
    std::vector<Piece> pieces;           ///< each begins where the one before ends
    double centre = -1.0;                ///< metres from the beginning where a valley must lie; < 0: anywhere
    std::string name;                    ///< for messages
    std::optional<FoldProfile> profile;  ///< none: that of the style
    double width = 0.0;                  ///< metres across a fold; 0: that of the style
};

/// A curve along vertices of the base mesh.
/// \param vertices  at least 3, neighbours joined by an edge, none twice
/// \param shown     number of each of them in messages; empty: its own
/// \throw InvalidInput  names the vertices
FoldCurve fold_curve_from_chain(const Topology& base, const std::vector<int>& vertices,
                                const std::vector<int>& shown = {});

/// What is known about the joints of a skinned mesh, in the order of its weights.
struct FoldJoints {
    const SkinWeights* weights = nullptr;  ///< of the base vertices
    std::vector<int> parent;               ///< joint above, -1 none
    std::vector<Vector3d> position;        ///< in the rest pose
    std::vector<std::string> name;
};

/// One pose of the clip.
struct FoldPose {
    std::vector<Eigen::Affine3d> matrices;  ///< joint frame times inverse bind, one per joint
    MatrixX3d positions;                    ///< #V x 3, base vertices
};

/// Curves of the joints that bend, found as in Ly et al. 2017 section 5.1 with the departures
/// listed in docs/fold.md: swing is counted from the bind pose, the inner side is the side to which
/// the bone swings, and the curve is the component, through the inner point of the limb, of the
/// section by the plane of the swing. Joints without one are named in `notes` (they do not bend, no
/// cloth is there, or another curve is nearer than `reach`). \throw InvalidInput  unknown joint
/// name (lists what there is), sizes that differ
std::vector<FoldCurve> find_joint_curves(const Topology& base, const MatrixX3d& rest, const FoldJoints& joints,
                                         const std::vector<FoldPose>& poses, const FoldJointOptions& options,
                                         double reach, std::vector<std::string>& notes);

}  // namespace cutis
