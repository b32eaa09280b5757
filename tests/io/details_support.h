#pragma once

#include "io/write_support.h"

namespace cutis::test {

/// Four-sided tents in a row along x, 0.1 m apart, with UVs and one part: as a shell layer would
/// put them on a body.
inline ArtMesh tents(int count) {
    ArtMesh mesh;
    mesh.name = "tent";
    mesh.positions.resize(5 * count, 3);
    mesh.uv.resize(5 * count, 2);
    mesh.triangles.resize(4 * count, 3);
    for (int i = 0; i < count; ++i) {
        const double x = 0.1 * i;
        mesh.positions.middleRows(5 * i, 5) << x, 0.0, 0.01, x + 0.08, 0.0, 0.01, x + 0.08, 0.08, 0.01, x, 0.08, 0.01,
            x + 0.04, 0.04, 0.05;
        mesh.uv.middleRows(5 * i, 5) << 0.0, 0.0, 1.0, 0.0, 1.0, 1.0, 0.0, 1.0, 0.5, 0.5;
        for (int k = 0; k < 4; ++k) {
            mesh.triangles.row(4 * i + k) << 5 * i + k, 5 * i + (k + 1) % 4, 5 * i + 4;
        }
    }
    mesh.uv_triangles = mesh.triangles;
    return mesh;
}

/// A square that waves, as in the other tests of writers.
inline Body waving_body(int n) {
    const ArtMesh mesh = seamed_square(n);
    const MatrixX3d rest = mesh.positions;
    return formula_body(mesh, [rest](double time) {
        MatrixX3d positions = rest;
        positions.col(2) = 0.1 * (rest.col(0).array() * 5.0 + 3.0 * time).sin();
        return positions;
    });
}

/// The body with tents whose tops rise and sway (two modes), and as channel how high they stand;
/// a line through the tops, and pins at two corners.
inline Bake with_details(const Body& body, int frame_count) {
    Bake bake{&body, frame_count};
    const auto mesh = std::make_shared<const ArtMesh>(tents(6));
    bake.details = {{"scales", mesh, {{"height", "m"}}}};
    bake.lines = {{"ridge", "curves", 6, {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}}}, {"corners", "pins", 2, {}}};
    bake.change = [mesh](Frame& frame) {
        MeshFrame& detail = frame.meshes[1];
        detail.positions = mesh->positions;
        std::vector<double>& height = detail.channels[0];
        height.assign(30, 0.0);
        MatrixX3d ridge(6, 3);
        for (int i = 0; i < 6; ++i) {
            const int top = 5 * i + 4;
            detail.positions(top, 2) += 0.03 * std::sin(4.0 * frame.time) * (1.0 + 0.1 * i);
            detail.positions(top, 0) += 0.006 * std::cos(7.0 * frame.time) * (1.0 - 0.1 * i);
            height[size_t(top)] = detail.positions(top, 2);
            ridge.row(i) = detail.positions.row(top);
        }
        frame.lines = {ridge, detail.positions.topRows(2)};
    };
    return bake;
}

}  // namespace cutis::test
