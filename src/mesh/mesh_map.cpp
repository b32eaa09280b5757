#include "cutis/mesh/mesh_map.h"

#include <algorithm>

#include "cutis/core/error.h"

namespace cutis {

MeshMap MeshMap::copies(std::vector<int> from_of_to, int from_count) {
    for (size_t v = 0; v < from_of_to.size(); ++v) {
        require(from_of_to[v] >= -1 && from_of_to[v] < from_count, "mesh map: expected copies of vertices 0 to ",
                from_count - 1, ", vertex ", v, " is one of ", from_of_to[v]);
    }
    MeshMap map;
    map.from_of_to_ = std::move(from_of_to);
    map.stencils_.base_count = from_count;
    return map;
}

MeshMap MeshMap::finer(Stencils stencils, const MatrixX3i& triangles, const std::vector<SurfacePoint>& corners,
                       Points up) {
    require(corners.size() == static_cast<size_t>(triangles.size()) && up, "mesh map: expected ", triangles.size(),
            " corners of the finer triangles and the way up, found ", corners.size());
    MeshMap map;
    map.down_.assign(static_cast<size_t>(stencils.count()), {-1, Vector3d::Zero()});
    for (Eigen::Index c = 0; c < triangles.size(); ++c) {
        const int v = triangles.data()[c];
        require(v >= 0 && v < stencils.count(), "mesh map: expected finer vertices 0 to ", stencils.count() - 1,
                ", found ", v);
        SurfacePoint& known = map.down_[v];
        known = known.triangle < 0 ? corners[c] : known;
    }
    for (size_t v = 0; v < map.down_.size(); ++v) {
        require(map.down_[v].triangle >= 0, "mesh map: finer vertex ", v, " belongs to no triangle");
    }
    map.stencils_ = std::move(stencils);
    map.up_ = std::move(up);
    return map;
}

void MeshMap::check(Eigen::Index rows) const {
    require(rows == from_count(), "mesh map: expected values of ", from_count(), " vertices, found ", rows);
}

void MeshMap::apply(const double* in, int width, const Workers& workers, double* out) const {
    if (up_) {
        stencils_.apply(Eigen::Map<const RowMatrixXd>(in, from_count(), width), workers,
                        Eigen::Map<RowMatrixXd>(out, to_count(), width));
        return;
    }
    constexpr int chunk = 4096;
    workers.for_chunks(to_count(), chunk, [&](int begin, int end) {
        for (int v = begin; v < end; ++v) {
            const int from = source(v);
            double* to = out + static_cast<std::ptrdiff_t>(v) * width;
            if (from < 0) {
                std::fill_n(to, width, 0.0);
            } else {
                std::copy_n(in + static_cast<std::ptrdiff_t>(from) * width, width, to);
            }
        }
    });
}

void MeshMap::values(const MatrixX3d& in, const Workers& workers, MatrixX3d& out) const {
    check(in.rows());
    out.resize(to_count(), 3);
    apply(in.data(), 3, workers, out.data());
}

void MeshMap::values(const VectorXd& in, const Workers& workers, VectorXd& out) const {
    check(in.size());
    out.resize(to_count());
    apply(in.data(), 1, workers, out.data());
}

void MeshMap::values(const std::vector<double>& in, int width, const Workers& workers, std::vector<double>& out) const {
    check(static_cast<Eigen::Index>(in.size()) / std::max(width, 1));
    out.resize(static_cast<size_t>(to_count()) * static_cast<size_t>(width));
    apply(in.data(), width, workers, out.data());
}

}  // namespace cutis
