#pragma once

#include "fold/waves.h"

namespace cutis::fold_detail {

/// A point on an edge of the mesh folds are shown on.
struct EdgePoint {
    int a = -1;
    int b = -1;
    float t = 0.0F;            ///< (1 - t) a + t b
    float raised[2] = {0, 0};  ///< what a fold of height 1 moves it along the normals of a and b

    double profile() const { return static_cast<double>(raised[0]) + raised[1]; }
};

/// Everything that is laid out once for folds on a mesh.
///
/// A vertex stands at b + n sum over fields B(v) sum_j phi_j(v) X_j: b its skinned place, n its
/// turned rest normal, B the profile of the stripes, X_j the height of control j. Lines measure:
/// each runs over the two folds around its control, on the mesh itself, with a point at every edge
/// it crosses.
struct FoldLayout {
    static constexpr int most_segments = 8;  ///< of a line that is not exact
    struct Line {
        int begin = 0;  ///< of its points
        int end = 0;
        double target = 0.0;  ///< length it must not fall below, metres
        double aim = 0.0;     ///< length it has, once folded
        double start = 1.0;   ///< of the target: length below which it begins to rise
        double fade = 1.0;    ///< of lines that see hardly any slope of a fold
    };
    int fields = 1;
    bool is_exact = false;  ///< one line per control, whose length is met exactly on the mesh
    std::vector<EdgePoint> points;
    std::vector<Line> lines;                  ///< by control, then field
    std::vector<int> first_line;              ///< of control j and field f at j * fields + f; one more at the end
    std::vector<double> width;                ///< of folds at each control
    std::vector<std::vector<float>> profile;  ///< of each field, per vertex
    Stencils spread;                          ///< phi: from controls to vertices
    Stencils shares;                          ///< from controls to lines: whose heights a line feels
};

/// What stripes are like at the vertices of the mesh folds are shown on.
struct ShownWaves {
    std::vector<std::complex<double>> phase;
    MatrixX3d slope;
    std::vector<float> profile;
};

struct LayoutPlaces {
    const Topology& topology;
    const MatrixX3d& rest;
    const MatrixX3d& normals;                      ///< of vertices
    const VectorXd& width;                         ///< per vertex
    const VectorXd& longer;                        ///< per vertex: cloth's length over that of the body
    const std::vector<unsigned char>& is_folding;  ///< per triangle: controls may lie here
};

/// Per control the vertex it has most to say on.
std::vector<int> vertices_of_controls(const FoldLayout& layout);

FoldLayout lay_out(const LayoutPlaces& places, const std::vector<ShownWaves>& waves);

}  // namespace cutis::fold_detail
