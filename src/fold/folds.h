#pragma once

#include <Eigen/Geometry>
#include <memory>
#include <string>
#include <vector>

#include "cutis/body/skinning.h"
#include "cutis/core/parallel.h"
#include "cutis/fold/options.h"
#include "fold/curves.h"
#include "mesh/adaptive_loop.h"

namespace cutis {

namespace fold_detail {
struct FoldParts;
}

/// How cloth is squeezed: what folds are laid out from.
struct FoldSource {
    /// Each #V x 3, base vertices: poses of the clips at hand, and others the body can take. Best
    /// from dual quaternion skinning: linear blend collapses around joints and leads folds astray.
    std::vector<MatrixX3d> poses;
    VectorXd radius;    ///< #V: of the limb, metres; empty: not known
    double size = 0.0;  ///< of the whole body, metres; 0: that of the mesh
    VectorXd where;     ///< #V, 0 .. 1: part of folds there; empty: 1
    Vector3d down = -Vector3d::UnitY();
};

/// What a fold() did.
struct FoldReport {
    int compressed = 0;           ///< lines that are shorter than cloth may be
    int gated = 0;                ///< of them, those below the gate
    int capped = 0;               ///< controls higher than three quarters of the cap
    int held = 0;                 ///< vertices held back by the guard
    double kept = 1.0;            ///< heights over those the lines ask for, all summed
    double highest = 0.0;         ///< metres
    double worst_residual = 0.0;  ///< of Fischer-Burmeister (Ly et al. 2017 section 4.1), paper layout, metres
};

/// Tight cloth with folds: laid out once for a mesh, then evaluated for any pose.
///
/// Stripes lie over the whole garment, across the directions in which it is compressed; where it is
/// compressed at all the mesh is refined (Loop). Per pose the caller brings the refined mesh into
/// that pose: with refine() from any moving base mesh, or by skinning rest() with
/// refined_weights(). fold() then lifts the stripes until lines on that mesh have their length
/// back (docs/fold.md). Nothing is remembered between poses.
class FoldSolver {
public:
    /// \param rest  #V x 3, metres
    /// \throw InvalidInput  options out of range; poses of another size or not finite; folds too
    ///                      narrow for the finest level that is possible (says how wide they must
    ///                      be)
    FoldSolver(const Topology& base, const MatrixX3d& rest, const FoldSource& source, const FoldOptions& options,
               const Workers& workers = Workers(1));
    /// The paper's own folds: along curves, one line each, solved exactly on the refined mesh where
    /// the gate is 0, and a bulge that fades out over `reach` metres to both sides.
    /// \throw InvalidInput  options out of range, a curve of no length
    FoldSolver(const Topology& base, const MatrixX3d& rest, std::vector<FoldCurve> curves, double reach,
               const FoldOptions& options, const Workers& workers = Workers(1));
    ~FoldSolver();
    FoldSolver(FoldSolver&&) noexcept;
    FoldSolver& operator=(FoldSolver&&) noexcept;

    bool is_empty() const;  ///< nothing is compressed in any pose: no folds
    /// The refined mesh; its first vertices are those of the base, in order.
    const Topology& topology() const;
    const MatrixX3d& rest() const;     ///< #N x 3
    const MatrixX3d& normals() const;  ///< #N x 3, at rest
    const VectorXd& width() const;     ///< #N, of a fold there
    /// Corner k of refined triangle f as a point of its base triangle, at 3 f + k.
    const std::vector<SurfacePoint>& corner_points() const;
    /// A point of the base as a point of the refined mesh.
    SurfacePoint locate(const SurfacePoint& point) const;
    /// Rows of the refined vertices over those of the base, as subdivision has them (without the
    /// correction of refine()): for painted values.
    const Stencils& stencils() const;
    int levels() const;                ///< finest level used
    int uniform_vertex_count() const;  ///< vertices if that level were used everywhere

    /// Weights of the refined vertices: those of the base, subdivided; up to 8 joints each.
    /// \throw InvalidInput  not weights of the base mesh
    SkinWeights refined_weights(const SkinWeights& weights, int joint_count) const;

    /// Base vertices in any pose to refined vertices. Loop subdivision shrinks; control points are
    /// moved out first, so that the refined mesh passes through the base vertices but for some per
    /// cent of that shrinking. Allocates nothing after the first call.
    /// \param base  #V x 3;  \param refined  #N x 3, resized when needed
    void refine(const MatrixX3d& base, const Workers& workers, MatrixX3d& refined) const;

    /// Lifts the folds. Allocates nothing after the first call; same bits for any threads.
    /// \param directions  #N x 3: normals() turned into this pose, unit
    /// \param refined     #N x 3, in: the refined mesh in this pose; out: with folds
    void fold(const MatrixX3d& directions, const Workers& workers, MatrixX3d& refined);

    /// Of the last fold(), per refined vertex: height along the direction (m), compression of the
    /// cloth (0 where it is not compressed) and what the guard left of the fold (1: all).
    void fill_channels(VectorXd& height, VectorXd& compression, VectorXd& share) const;
    /// #N, 0 .. 1: of a height of 1, what a vertex takes part in (Ly et al. 2017 section 5.2:
    /// omega_l omega_o).
    VectorXd weights() const;
    /// Lines that measure, as points of a mesh in the numbering of topology(): for checks.
    struct Line {
        MatrixX3d points;
        double target = 0.0;  ///< length it must not fall below, metres
    };
    Line line(int number, const MatrixX3d& positions) const;
    const FoldReport& report() const;  ///< of the last fold()
    int line_count() const;            ///< lines that measure
    const std::vector<std::string>& notes() const;
    void add_notes(const std::vector<std::string>& more);

private:
    void prepare(const FoldOptions& options);
    std::unique_ptr<fold_detail::FoldParts> parts_;
};

/// Vertices of the refined mesh that stripes would give, about, in milliseconds.
/// \throw InvalidInput  options out of range; a width that is given and too narrow (says how wide it must be)
double estimated_fold_vertices(const Topology& base, const MatrixX3d& rest, const FoldSource& source,
                               const FoldOptions& options);

/// Rest normals turned by the blended rotation of the joints: directions for FoldSolver::fold on a
/// skinned mesh. Where rotations cancel the normal itself is kept.
/// \param normals   #V x 3, unit;  \param matrices  as for skinning;  \param out  resized
void turn_normals(const MatrixX3d& normals, const SkinWeights& weights, const std::vector<Eigen::Affine3d>& matrices,
                  const Workers& workers, MatrixX3d& out);

/// Distance of each vertex to the bones that move it, blended by its weights.
/// \param parent, position  of the joints at rest
VectorXd limb_radius(const MatrixX3d& rest, const SkinWeights& weights, const std::vector<int>& parent,
                     const std::vector<Vector3d>& position);

}  // namespace cutis
