#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cutis/core/options.h"
#include "cutis/fold/profile.h"

namespace cutis {

/// Cloth by name: a style to start from.
enum class FoldCloth { plain, jersey, denim, leather, skin };

/// How folds look, in an artist's words.
struct FoldStyle {
    FoldCloth cloth = FoldCloth::plain;
    /// Metres across one fold, per base vertex. None: from the girth of the limb.
    std::optional<Painted> width;
    Painted density = 1.0;  ///< folds per width, per base vertex
    /// Cloth is worn this much longer than its own length: it gives way by that much before it
    /// folds. Per base vertex.
    Painted pre_stretch = 0.05;
    Painted slack = 0.0;        ///< cloth is this much longer than the body, per base vertex
    double irregularity = 1.0;  ///< how much widths and heights of neighbours differ
    double sharpness = 0.0;     ///< of the crest: 0 round, 1 a ridge
    double sag = 0.0;           ///< of the crest towards the ground
    FoldProfile profile = FoldProfile::blob();

    /// With the values of its cloth in place of those that still have their default.
    FoldStyle of_cloth() const;
};

Options describe(FoldStyle& look);

/// What happens to a width that is given and too narrow for the mesh and its budget.
enum class FoldWidthPolicy { refuse, widen };

struct FoldOptions {
    FoldStyle look;
    /// Compression from which folds count fully; below it heights are scaled by smoothstep, so that
    /// nothing pops. Costs up to this much length at the onset.
    double gate = 0.09;
    double height_cap = 1.3;  ///< highest fold in widths, approached smoothly; 0: none
    int rounds = 3;           ///< of the correction for what neighbours lift
    int fields = 2;           ///< 1, or 2: folds across the first ones, where cloth is twisted
    /// Hold vertices back where folding would turn a triangle against its turned rest normal.
    bool guard = true;
    /// Folds in a crease rise side by side where their normals run into each other; steep ones may hang over.
    bool lean = false;
    bool contact = false;    ///< folds stay on their own side of what they face, side by side; needs guard
    double thickness = 0.0;  ///< of the cloth, metres: what contact keeps between folds
    /// Refine the mesh where folds are. Without it folds use the vertices there are.
    bool refine = true;
    /// Edges across a fold; longer ones are halved until they fit (6: the coarsest that keeps the
    /// shape of a fold, 16: smooth).
    double edges_per_fold = 6.0;
    int most_levels = 4;                                     ///< of subdivision
    FoldWidthPolicy width_policy = FoldWidthPolicy::refuse;  ///< widths that are found out are always widened
    int most_vertices = 80000;  ///< budget of the refined mesh: beyond it folds get fewer edges
};

/// Without those of the look, which has its own.
Options describe(FoldOptions& options);

/// Joints that fold curves are found at (paper layout).
struct FoldJointOptions {
    std::vector<std::string> joints;  ///< by name; empty: all that bend
    double least_swing_deg = 10.0;    ///< from the bind pose, for a joint to count as bending
    double length = 0.0;              ///< metres of a curve; 0: as far as its cloth is compressed
};

Options describe(FoldJointOptions& options);

}  // namespace cutis
