#pragma once

#include <vector>

#include "cutis/core/parallel.h"
#include "cutis/fold/look.h"
#include "cutis/fold/pattern.h"

namespace cutis {

struct FoldFieldOptions {
    FoldStyle look;
    /// Cloth folds where it is compressed below this fraction of its length in at least one pose.
    double activity = 0.85;
    double coherence = 0.25;  ///< how much one direction of compression must prevail
    bool is_strict = false;   ///< whole rails only, none tapered
};

/// Without those of the look, which has its own.
Options describe(FoldFieldOptions& options);

/// Folds from the compression a surface undergoes: no skeleton needed.
///
/// The squares of compression of all poses are summed as a tensor; its main direction, made the
/// gradient of a scalar field as well as one can, gives folds as stripes between its isolines and
/// rails as its gradient lines. Find the field on poses of dual quaternion skinning where there is
/// a choice: linear blend collapses around joints and leads it astray.
/// \param rest   #V x 3, metres
/// \param poses  each #V x 3: a sample of the clip, some six poses a second
/// \throw InvalidInput  options out of range, poses of another size or not finite
FoldPattern fold_pattern_from_field(const Topology& base, const MatrixX3d& rest,
                                    const std::vector<MatrixX3d>& poses,
                                    const FoldFieldOptions& options,
                                    const Workers& workers = Workers(1));

/// Folds from a painted field: the same, with stripes given by the user. One fold lies between
/// whole numbers of `field` / look.width.
/// \param field  per base vertex, metres; vertices that are not finite have no folds
FoldPattern fold_pattern_from_paint(const Topology& base, const MatrixX3d& rest,
                                    const VectorXd& field, const FoldFieldOptions& options,
                                    const Workers& workers = Workers(1));

}  // namespace cutis
