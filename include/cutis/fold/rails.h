#pragma once

#include <memory>
#include <vector>

#include "cutis/core/function_ref.h"
#include "cutis/core/options.h"
#include "cutis/core/parallel.h"
#include "cutis/core/types.h"
#include "cutis/fold/solve.h"

namespace cutis {

namespace fold_detail {
struct RailNumbers;
template <class Real>
class RailSolver;
}  // namespace fold_detail

enum class FoldMode {
    gate,    ///< offsets grow smoothly from the onset: no popping, shorter by up to the gate
    strict,  ///< compressed lines have exactly their rest length
};

/// How rails are solved.
struct FoldRailOptions {
    FoldMode mode = FoldMode::gate;
    /// Gate mode: compression (1 - length / rest length) from which offsets count fully; below it
    /// they are scaled by smoothstep.
    double gate = 0.05;
    /// Passes that move points along the fold until segments have their rest proportions.
    int distortion_passes = 2;
    /// Largest height as a fraction of a rail's rest length, approached smoothly. 0: no cap.
    double height_cap = 0.6;
    /// Hold offsets at the fold's end planes and its joint plane: neighbours do not cross. Costs
    /// length where it acts; strict mode does without it.
    bool limiter = true;
    /// Compression of two neighbouring folds at which they begin to merge into one of double width,
    /// and at which they are one. 0 < from < to <= 1; from = 0: never.
    double merge_from = 0.0;
    double merge_to = 0.0;
    FoldTolerance tolerance;
};

Options describe(FoldRailOptions& options);

/// Lines across folds as they lie at rest, all with the same number of segments. Point i of rail r
/// stands in row r * (segments + 1) + i.
struct FoldRailSet {
    int segments = 12;         ///< per rail, 2 .. 64
    MatrixX3d rest;            ///< #R (segments + 1) x 3, metres
    VectorXd profile;          ///< one per point: not negative, 0 at both ends of a rail
    VectorXd pre_stretch;      ///< #R: cloth is this much longer than its own rest length; >= 0
    VectorXd share;            ///< #R: 0 .. 1, scales the offsets (tapered ends of a fold)
    std::vector<int> partner;  ///< #R: rail that begins where this one ends and may merge with it,
                               ///< -1 none
    std::vector<int> plane;    ///< #R: index of the joint plane it must not pass, -1 none

    int count() const { return segments < 1 ? 0 : static_cast<int>(rest.rows()) / (segments + 1); }
};

/// Plane through a joint between two bones; folds of one side stay there.
struct FoldPlane {
    Vector3d point = Vector3d::Zero();
    Vector3d normal = Vector3d::UnitX();  ///< any length
};

/// What a solve did, over all rails.
struct FoldRailReport {
    int rails = 0;
    int compressed = 0;                     ///< rails shorter than at rest
    int gated = 0;                          ///< compressed, but below the gate
    int capped = 0;                         ///< higher than three quarters of the cap
    int limited = 0;                        ///< scaled down by the limiter
    int merged = 0;                         ///< pairs at least partly merged
    int not_converged = 0;                  ///< rails that ended above 10 times the tolerance
    int most_iterations = 0;                ///< of the first solve
    double worst_fischer_burmeister = 0.0;  ///< metres, of the solved heights
    double worst_shortening = 0.0;          ///< largest 1 - length / rest length after folding
    double highest = 0.0;                   ///< metres
};

/// Solves the heights of all rails for one pose: a pure function of that pose (Ly et al. 2017
/// section 4, with a distortion correction inside the frame instead of from frame to frame).
class FoldRails {
public:
    /// \throw InvalidInput  options or arrays out of range, a rail of no length (names it)
    FoldRails(FoldRailSet set, const FoldRailOptions& options);
    ~FoldRails();
    FoldRails(FoldRails&&) noexcept;
    FoldRails& operator=(FoldRails&&) noexcept;

    const FoldRailSet& set() const;
    double rest_length(int rail) const;  ///< pre-stretch taken off

    /// Writes points (or directions) begin to end - 1 of one rail: three numbers each, point i at
    /// out + 3 i.
    using PointsOf = FunctionRef<void(int rail, int begin, int end, double* out)>;

    /// Offsets of all points. Allocates nothing after the first call; same bits for any threads.
    /// \param base        points as skinning has them; of rails that are long enough only some are
    ///                    asked for
    /// \param directions  away from the body, any length; asked for compressed rails only
    /// \param planes      joint planes of this pose, as many as `plane` refers to
    void solve(PointsOf base, PointsOf directions, const std::vector<FoldPlane>& planes,
               const Workers& workers);

    /// The same from arrays.
    /// \param base, directions  #P x 3
    /// \throw InvalidInput  sizes that differ
    void solve(const MatrixX3d& base, const MatrixX3d& directions,
               const std::vector<FoldPlane>& planes, const Workers& workers);

    Vector3d offset(int rail, int i) const;
    Vector3d direction(int rail, int i) const;  ///< unit; zero where the rail is not active
    MatrixX3d offsets() const;                  ///< #P x 3, all of them
    /// #R: 1 - length / rest length, exact where it is above 0; elsewhere some number below.
    const VectorXd& compression() const;
    const VectorXd& height() const;  ///< #R: of the crest, metres
    bool is_active(int rail) const;
    const FoldRailReport& report() const;

private:
    friend class FoldSolver;
    std::unique_ptr<fold_detail::RailNumbers> numbers_;
    // One of the two, as exact as the tolerance asks for.
    std::unique_ptr<fold_detail::RailSolver<float>> single_;
    std::unique_ptr<fold_detail::RailSolver<double>> double_;
};

}  // namespace cutis
