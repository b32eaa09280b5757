#include "io/render_mesh.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <set>

namespace cutis {
namespace {

/// glTF style: each part owns a range of vertices that no other part touches.
bool parts_own_vertices(const ArtMesh& mesh, const std::vector<MeshPart>& parts) {
    std::vector<std::array<int, 2>> ranges;
    for (const MeshPart& part : parts) {
        const int end = part.first_vertex + part.vertex_count;
        if (part.first_vertex < 0 || part.vertex_count < 0 || end > mesh.positions.rows()) {
            return false;
        }
        ranges.push_back({part.first_vertex, end});
        for (int f = part.first_triangle; f < part.first_triangle + part.triangle_count; ++f) {
            for (int k = 0; k < 3; ++k) {
                if (mesh.triangles(f, k) < part.first_vertex || mesh.triangles(f, k) >= end) {
                    return false;
                }
            }
        }
    }
    std::sort(ranges.begin(), ranges.end());
    for (size_t i = 1; i < ranges.size(); ++i) {
        if (ranges[i][0] < ranges[i - 1][1]) {
            return false;
        }
    }
    return true;
}

}  // namespace

RenderMesh::RenderMesh(const ArtMesh& mesh, const std::vector<MeshPart>& mesh_parts) {
    using Corner = std::array<int, 2>;  // art vertex, UV entry
    const bool has_uv = mesh.uv_triangles.rows() > 0 && mesh.uv.rows() > 0;
    // A file that gives each part its own vertices gets all of them back, used or not, so that
    // its vertex order survives.
    const bool keeps_unused = parts_own_vertices(mesh, mesh_parts);
    for (size_t p = 0; p < mesh_parts.size(); ++p) {
        const MeshPart& part = mesh_parts[p];
        if (part.triangle_count == 0) {
            continue;
        }
        std::vector<Corner> corners;
        corners.reserve(static_cast<size_t>(part.triangle_count) * 3);
        for (int f = part.first_triangle; f < part.first_triangle + part.triangle_count; ++f) {
            for (int k = 0; k < 3; ++k) {
                corners.push_back({mesh.triangles(f, k), has_uv ? mesh.uv_triangles(f, k) : -1});
            }
        }
        std::vector<Corner> vertices = corners;
        std::sort(vertices.begin(), vertices.end());
        vertices.erase(std::unique(vertices.begin(), vertices.end()), vertices.end());
        if (keeps_unused) {
            std::vector<Corner> unused;
            size_t next = 0;
            for (int v = part.first_vertex; v < part.first_vertex + part.vertex_count; ++v) {
                while (next < vertices.size() && vertices[next][0] < v) {
                    ++next;
                }
                if (next == vertices.size() || vertices[next][0] != v) {
                    unused.push_back({v, has_uv && mesh.uv.rows() == mesh.positions.rows() ? v : -1});
                }
            }
            vertices.insert(vertices.end(), unused.begin(), unused.end());
            std::sort(vertices.begin(), vertices.end());
        }
        RenderPart render;
        render.part = static_cast<int>(p);
        render.first_vertex = static_cast<int>(art.size());
        render.vertex_count = static_cast<int>(vertices.size());
        render.indices.reserve(corners.size());
        for (const Corner& corner : corners) {
            const auto found = std::lower_bound(vertices.begin(), vertices.end(), corner);
            render.indices.push_back(static_cast<std::uint32_t>(found - vertices.begin()));
        }
        for (const Corner& vertex : vertices) {
            art.push_back(vertex[0]);
            if (has_uv) {
                uv.push_back(vertex[1]);
            }
        }
        parts.push_back(std::move(render));
    }
}

NormalField::NormalField(const ArtMesh& mesh, const std::vector<MeshPart>& parts, const std::vector<int>& weld_group)
    : mesh_(&mesh) {
    const auto vertex_count = static_cast<size_t>(mesh.positions.rows());
    const bool has_uv = mesh.uv_triangles.rows() > 0 && mesh.uv.rows() > 0;
    // A part and a UV of each art vertex: what its first corner says.
    std::vector<int> part_of(vertex_count, -1);
    std::vector<Vector2d> uv_of(vertex_count, Vector2d::Zero());
    for (size_t p = 0; p < parts.size(); ++p) {
        const int end = parts[p].first_triangle + parts[p].triangle_count;
        for (int f = parts[p].first_triangle; f < end; ++f) {
            for (int k = 0; k < 3; ++k) {
                const auto v = static_cast<size_t>(mesh.triangles(f, k));
                if (part_of[v] < 0) {
                    part_of[v] = static_cast<int>(p);
                    if (has_uv && mesh.uv_triangles(f, k) >= 0) {
                        uv_of[v] = mesh.uv.row(mesh.uv_triangles(f, k)).transpose();
                    }
                }
            }
        }
    }
    const auto place = [&](int v) {
        const int group = weld_group.size() == vertex_count ? weld_group[v] : 0;
        return std::make_tuple(group, mesh.positions(v, 0), mesh.positions(v, 1), mesh.positions(v, 2));
    };
    std::vector<int> order(vertex_count);
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(),
              [&](int a, int b) { return std::make_pair(place(a), a) < std::make_pair(place(b), b); });

    row_of_art_.resize(vertex_count);
    for (size_t begin = 0; begin < vertex_count;) {
        size_t end = begin + 1;
        while (end < vertex_count && place(order[end]) == place(order[begin])) {
            ++end;
        }
        std::set<std::tuple<int, double, double>> seen;
        bool is_hard = false;
        for (size_t i = begin; i < end; ++i) {
            const auto v = static_cast<size_t>(order[i]);
            if (part_of[v] >= 0) {
                is_hard = !seen.insert({part_of[v], uv_of[v].x(), uv_of[v].y()}).second || is_hard;
            }
        }
        for (size_t i = begin; i < end; ++i) {
            count_ += is_hard || i == begin ? 1 : 0;
            row_of_art_[order[i]] = count_ - 1;
        }
        begin = end;
    }
}

void NormalField::compute(const MatrixX3d& positions, MatrixX3d& normals) const {
    normals.setZero(count_, 3);
    for (Eigen::Index f = 0; f < mesh_->triangles.rows(); ++f) {
        const int a = mesh_->triangles(f, 0);
        const int b = mesh_->triangles(f, 1);
        const int c = mesh_->triangles(f, 2);
        const Vector3d ab = positions.row(b) - positions.row(a);
        const Vector3d ac = positions.row(c) - positions.row(a);
        const Eigen::RowVector3d twice_area = ab.cross(ac).transpose();
        normals.row(row_of(a)) += twice_area;
        normals.row(row_of(b)) += twice_area;
        normals.row(row_of(c)) += twice_area;
    }
    for (Eigen::Index v = 0; v < normals.rows(); ++v) {
        const double length = normals.row(v).norm();
        if (length > 0.0 && std::isfinite(length)) {
            normals.row(v) /= length;
        } else {
            normals.row(v) = Eigen::RowVector3d::UnitY();
        }
    }
}

}  // namespace cutis
