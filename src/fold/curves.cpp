#include "fold/curves.h"

#include <algorithm>

#include "cutis/core/error.h"

namespace cutis {

FoldCurve fold_curve_from_chain(const Topology& base, const std::vector<int>& vertices, const std::vector<int>& shown) {
    const auto name = [&](size_t i) { return i < shown.size() ? shown[i] : vertices[i]; };
    require(vertices.size() >= 3, "fold chain: expected at least 3 vertices, found ", vertices.size());
    FoldCurve curve;
    for (size_t i = 0; i < vertices.size(); ++i) {
        require(vertices[i] >= 0 && vertices[i] < base.vertex_count(), "fold chain: entry ", i,
                ": expected a vertex of 0 to ", base.vertex_count() - 1, ", found ", name(i));
        require(std::count(vertices.begin(), vertices.end(), vertices[i]) <= 1, "fold chain: vertex ", name(i),
                " is named twice");
    }
    for (size_t i = 0; i + 1 < vertices.size(); ++i) {
        FoldCurve::Piece piece;
        piece.triangle = -1;
        for (const int f : base.triangles_around(vertices[i])) {
            for (int k = 0; k < 3; ++k) {
                if (base.triangles()(f, k) == vertices[i + 1] && piece.triangle < 0) {
                    piece.triangle = f;
                    piece.to = Vector3d::Unit(k);
                }
            }
        }
        require(piece.triangle >= 0, "fold chain: expected an edge between vertices ", name(i), " and ", name(i + 1),
                ", found none");
        for (int k = 0; k < 3; ++k) {
            if (base.triangles()(piece.triangle, k) == vertices[i]) {
                piece.from = Vector3d::Unit(k);
            }
        }
        curve.pieces.push_back(piece);
    }
    return curve;
}

}  // namespace cutis
