#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cutis/body/skinning.h"
#include "cutis/core/parallel.h"
#include "cutis/fold/pattern.h"
#include "cutis/fold/rails.h"
#include "cutis/mesh/adaptive_loop.h"

namespace cutis {

struct FoldOptions {
    FoldRailOptions rails;
    /// Refine the mesh where folds are. Without it folds use the vertices there are.
    bool refine = true;
    /// Edges across a fold; longer ones are halved until they fit (8: the coarsest that keeps the
    /// shape, 16: smooth).
    double edges_per_fold = 8.0;
    int most_levels = 4;  ///< of subdivision
    /// Hold vertices back where folding would turn a triangle against its skinned self. Costs some
    /// times as much as the folds themselves: for bakes, not for games. Strict mode does without.
    bool guard = true;
};

/// Without those of the rails, which have their own.
Options describe(FoldOptions& options);

/// Tight cloth with folds: prepared once for a mesh and a pattern, then evaluated for any pose.
///
/// The mesh is refined once (Loop) where folds are. Per pose the caller brings the refined mesh
/// into that pose: with refine() from any moving base mesh, or by skinning rest() with
/// refined_weights(). fold() then lifts the cloth. Nothing is remembered between poses.
class FoldSolver {
public:
    /// \param base, rest  the mesh the pattern was made for; rest #V x 3, metres
    /// \throw InvalidInput  options out of range; a pattern that does not fit; folds too narrow for
    ///                      the finest level that is possible (says how wide they must be)
    FoldSolver(const Topology& base, const MatrixX3d& rest, const FoldPattern& pattern,
               const FoldOptions& options, const Workers& workers = Workers(1));
    ~FoldSolver();
    FoldSolver(FoldSolver&&) noexcept;
    FoldSolver& operator=(FoldSolver&&) noexcept;

    /// The refined mesh; its first vertices are those of the base, in order.
    const Topology& topology() const;
    const MatrixX3d& rest() const;  ///< #N x 3
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
    /// \param directions  #V x 3, base vertices: unit vectors away from the body in this pose
    /// \param planes      per joint the pattern refers to; empty: none
    /// \param refined     #N x 3, in: the refined mesh in this pose; out: with folds
    void fold(const MatrixX3d& directions, const std::vector<FoldPlane>& planes,
              const Workers& workers, MatrixX3d& refined);

    /// Of the last fold(), per refined vertex: height along the direction (m), compression of the
    /// cloth along its rail (0 where it is not compressed) and unit direction of the offset's side
    /// (zero where there is no fold).
    void fill_channels(VectorXd& height, VectorXd& compression, MatrixX3d& direction) const;

    /// Crests as lines on the folded mesh, one for each run of joined rails: rows of `points` from
    /// starts[i] to starts[i + 1], and the height of the fold there (m).
    struct Lines {
        MatrixX3d points;
        VectorXd heights;
        std::vector<int> starts = {0};
    };
    /// \param folded  #N x 3, what fold() gave
    void fill_lines(const MatrixX3d& folded, Lines& lines) const;

    const FoldRails& rails() const;        ///< rest lines on the refined mesh, and last solution
    const FoldRailReport& report() const;  ///< of the last fold()
    int held_vertex_count() const;         ///< by the guard, in the last fold()
    int bound_vertex_count() const;        ///< refined vertices that folds can move
    const std::vector<std::string>& notes() const;
    /// Points of a rail on the refined mesh, (segments + 1) x 3. With `refined` as it was before
    /// fold(), adding the rows of rails().offsets() gives the line that was solved for.
    void rail_points(int rail, const MatrixX3d& refined, MatrixX3d& points) const;

private:
    friend class FoldDirections;
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

/// Rest normals turned by the blended rotation of the joints: directions for FoldSolver::fold on a
/// skinned mesh. Where rotations cancel the normal itself is kept.
/// \param normals   #V x 3, unit;  \param matrices  as for skinning;  \param out  resized
void turn_normals(const MatrixX3d& normals, const SkinWeights& weights,
                  const std::vector<Eigen::Affine3d>& matrices, const Workers& workers,
                  MatrixX3d& out);

/// turn_normals for one solver, only where its folds read directions.
class FoldDirections {
public:
    /// \param normals  #V x 3, unit;  \param weights  of the base vertices
    /// \throw InvalidInput  sizes that differ
    FoldDirections(const FoldSolver& solver, const MatrixX3d& normals, const SkinWeights& weights);
    /// #V x 3, for FoldSolver::fold: turned where folds read it, rest normals elsewhere.
    const MatrixX3d& turn(const std::vector<Eigen::Affine3d>& matrices, const Workers& workers);

private:
    std::vector<int> vertices_;
    SkinWeights weights_;  // of vertices_
    MatrixX3d normals_;
    MatrixX3d turned_;
    MatrixX3d directions_;
};

}  // namespace cutis
