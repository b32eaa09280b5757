#include "mesh/fine_mesh.h"

#include <numeric>

#include "cutis/core/error.h"

namespace cutis {

namespace {

// Two steps c += 0.8 (P - Loop(c)) bring the surface back through the base vertices but for some
// per cent of the way that subdivision had moved them.
constexpr int correction_steps = 2;
constexpr double correction_gain = 0.8;

}  // namespace

FineMesh::FineMesh(AdaptiveLoop loop, int vertices) : mesh(std::move(loop)), base_count(vertices) {
    std::vector<int> rows(static_cast<size_t>(vertices));
    std::iota(rows.begin(), rows.end(), 0);
    base_rows = selected(mesh.stencils(), rows);
}

void FineMesh::refine(const MatrixX3d& base, const Workers& workers, Scratch& scratch, MatrixX3d& refined) const {
    require(base.rows() == base_count, "refined mesh: expected ", base_count, " base vertices, found ", base.rows());
    refined.resize(mesh.topology().vertex_count(), 3);
    scratch.control = base;
    scratch.smoothed.resize(base_count, 3);
    if (mesh.levels() > 0) {
        for (int step = 0; step < correction_steps; ++step) {
            base_rows.apply(scratch.control, workers, scratch.smoothed);
            scratch.control += correction_gain * (base - scratch.smoothed);
        }
    }
    mesh.stencils().apply(scratch.control, workers, refined);
}

}  // namespace cutis
