#pragma once

#include "cutis/fold/field.h"
#include "fold/fold_mesh.h"

// Steps from poses to a pattern, on an evenly refined copy of the base mesh.

namespace cutis::fold_detail {

struct FieldMesh {
    FoldMesh mesh;
    MatrixX3d rest;
    MatrixX3d normals;  // of triangles
    VectorXd areas;     // of triangles
    double edge = 0.0;  // mean length

    const Workers& workers;

    /// \param for_work  must outlive this
    FieldMesh(const Topology& base, const MatrixX3d& base_rest, double width,
              const Workers& for_work);
    const Topology& topology() const { return mesh.mesh.topology(); }
    /// A point of this mesh as a point of the base.
    SurfacePoint on_base(const SurfacePoint& point) const;
    /// Values of base vertices at the vertices of this mesh (1 where there are none).
    VectorXd carried(const VectorXd& base_values) const;
};

/// What compression says about each triangle.
struct CompressionField {
    MatrixX3d direction;  // unit, in the triangle's plane; sign not yet chosen
    VectorXd coherence;   // (l1 - l2) / (l1 + l2)
    VectorXd strength;    // l1: summed squares of compression
    VectorXd least;       // smallest stretch over all poses
};
CompressionField find_compression(const FieldMesh& mesh, const std::vector<MatrixX3d>& poses,
                                  double width);

/// Stripes: a number per vertex, one fold between whole numbers; triangles that take part.
struct StripeField {
    VectorXd stripe;
    std::vector<unsigned char> is_active;  // per triangle
};
StripeField solve_stripes(const FieldMesh& mesh, const CompressionField& compression,
                          const FoldFieldOptions& options);

/// Adds smooth waves to the stripes.
void warp_stripes(const FieldMesh& mesh, double width, double amount, VectorXd& stripe);

/// Rails along the stripes' gradient.
FoldPattern lay_rails(const FieldMesh& mesh, const StripeField& field,
                      const FoldFieldOptions& options);

}  // namespace cutis::fold_detail
