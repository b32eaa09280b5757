#pragma once

#include <array>
#include <vector>

#include "cutis/core/function_ref.h"
#include "cutis/core/types.h"
#include "cutis/fold/pattern.h"
#include "cutis/mesh/adaptive_loop.h"

namespace cutis::fold_detail {

/// A vertex as a mixture of three rail points.
struct Binding {
    int vertex = 0;
    int point[3] = {0, 0, 0};
    double weight[3] = {0.0, 0.0, 0.0};  // sum: 1 within a strip, less where it fades out
    int strip = 0;                       // rail the strip begins with
    int curve = 0;
};

/// The cloth between rails as triangles at rest, to find the place of any point in it.
class Strips {
public:
    /// \param points   #P x 3 rail points, \param normals  #P x 3 of the surface there
    /// \param parts    connected part of the mesh each rail lies on
    Strips(const FoldPattern& pattern, const MatrixX3d& points, const MatrixX3d& normals,
           const std::vector<int>& parts);

    /// A point of the cloth: on one connected part of the mesh.
    struct Place {
        Vector3d point;
        Vector3d normal;
        int part;
    };
    /// Adds the place of a point in the nearest fold of each curve that reaches it. Points of the
    /// other side of a thin limb (normals that disagree) do not count, nor do those of another
    /// part: skin below a garment does not fold with it.
    /// \param slack  metres added to the reach of every fold
    void find(const Place& place, int vertex, double slack, std::vector<Binding>& found) const;
    /// Calls `visit` with width and direction of the rails of every fold (one of each curve) that
    /// reaches a point.
    void visit_near(const Place& place, double slack,
                    FunctionRef<void(double width, const Vector3d& along)> visit) const;

private:
    struct Piece {
        std::array<int, 3> point;
        std::array<bool, 3>
            is_open;  // edge k (point k to k+1) is the end of a fold, not its inside
        int strip;
        int curve;
        int part;
        double fade;
        Vector3d centre;  // of a ball around it
        double radius;
    };
    struct Hit {
        int piece = -1;
        double distance = 0.0;
        Vector3d weight;
        bool is_outside = false;  // beyond an open edge
    };
    Hit nearest(int piece, const Vector3d& point) const;
    void collect(const Place& place, double slack, std::vector<Hit>& best) const;
    long long cell_of(const Vector3d& point) const;

    const FoldPattern& pattern_;
    const MatrixX3d& points_;
    const MatrixX3d& normals_;
    std::vector<Piece> pieces_;
    double cell_size_ = 1.0;
    double most_slack_ = 0.0;
    std::vector<std::pair<long long, int>> cells_;  // sorted (cell, piece)
};

/// Connected part of the refined mesh that each rail begins on.
std::vector<int> parts_of_rails(const FoldPattern& pattern, const AdaptiveLoop& mesh);

}  // namespace cutis::fold_detail
