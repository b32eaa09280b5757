#pragma once

#include <optional>

#include "fold/contact.h"
#include "fold/guard.h"
#include "fold/lean.h"

namespace cutis::fold_detail {

/// What a FoldSolver is made of.
struct FoldParts {
    FineMesh mesh;
    std::vector<std::string> notes;
    MatrixX3d rest;
    MatrixX3d normals;
    VectorXd width;
    FoldLayout layout;
    std::optional<FoldPlaces> places;
    std::optional<FoldHeights> heights;
    std::optional<FoldLift> lift;
    std::vector<unsigned char> is_needed;  // per block of places
    std::optional<FoldLean> lean;          ///< none: along the normals
    std::optional<FoldContact> contact;    ///< none: folds may meet
    std::optional<FoldGuard> guard;
    FoldReport report;
    mutable FineMesh::Scratch scratch;

    explicit FoldParts(FineMesh refined) : mesh(std::move(refined)) {}
};

/// Stripes over the whole mesh, the mesh refined under them, and their layout.
std::unique_ptr<FoldParts> lay_stripes(const Topology& base, const MatrixX3d& rest, const FoldSource& source,
                                       const FoldOptions& options, const Workers& workers);

/// The paper's folds along curves: a line each, a bulge that fades out over `reach`.
std::unique_ptr<FoldParts> lay_curves(const Topology& base, const MatrixX3d& rest, std::vector<FoldCurve> curves,
                                      double reach, const FoldOptions& options, const Workers& workers);

}  // namespace cutis::fold_detail
