#include "body/merge_meshes.h"

#include <algorithm>

namespace cutis {

namespace {

template <class Matrix>
void append_rows(Matrix& to, const Matrix& rows) {
    const Eigen::Index before = to.rows();
    to.conservativeResize(before + rows.rows(), Eigen::NoChange);
    to.bottomRows(rows.rows()) = rows;
}

bool is_colour(const std::string& name) {
    const size_t dot = name.rfind('.');
    return dot != std::string::npos && dot + 2 == name.size() &&
           std::string("rgba").find(name.back()) != std::string::npos;
}

void append_parts(ArtMesh& merged, const MeshInstance& instance, int first_vertex, int first_triangle) {
    std::vector<MeshPart> parts = instance.mesh.parts;
    if (parts.empty()) {
        MeshPart whole;
        whole.triangle_count = static_cast<int>(instance.mesh.triangles.rows());
        whole.vertex_count = static_cast<int>(instance.mesh.positions.rows());
        parts.push_back(whole);
    }
    for (MeshPart& part : parts) {
        part.name = part.name.empty() || part.name == instance.name ? instance.name : instance.name + "/" + part.name;
        part.first_triangle += first_triangle;
        part.first_vertex += first_vertex;
        merged.parts.push_back(part);
    }
}

void append_uv(ArtMesh& merged, const ArtMesh& mesh) {
    const int first_uv = static_cast<int>(merged.uv.rows());
    const bool has_uv = mesh.uv_triangles.rows() == mesh.triangles.rows() && mesh.uv.rows() > 0;
    for (size_t set = 0; set < merged.more_uv.size(); ++set) {  // zeros where a mesh has fewer sets than others
        MatrixX2d& rows = merged.more_uv[set];
        append_rows(rows, MatrixX2d(MatrixX2d::Zero(has_uv ? mesh.uv.rows() : 1, 2)));
        if (has_uv && set < mesh.more_uv.size()) {
            rows.bottomRows(mesh.uv.rows()) = mesh.more_uv[set];
        }
    }
    if (has_uv) {
        append_rows(merged.uv, mesh.uv);
        append_rows(merged.uv_triangles, MatrixX3i(mesh.uv_triangles.array() + first_uv));
    } else {  // one shared point for meshes without UVs
        append_rows(merged.uv, MatrixX2d(MatrixX2d::Zero(1, 2)));
        append_rows(merged.uv_triangles, MatrixX3i(MatrixX3i::Constant(mesh.triangles.rows(), 3, first_uv)));
    }
}

}  // namespace

ArtMesh merge_meshes(const std::vector<const MeshInstance*>& instances) {
    if (instances.size() == 1) {
        return instances.front()->mesh;
    }
    ArtMesh merged;
    bool has_uv = false;
    bool has_polygons = false;
    Eigen::Index vertices = 0;
    for (const MeshInstance* instance : instances) {
        has_uv = has_uv || instance->mesh.uv.rows() > 0;
        has_polygons = has_polygons || !instance->mesh.polygon_sizes.empty();
        merged.more_uv.resize(std::max(merged.more_uv.size(), instance->mesh.more_uv.size()));
        vertices += instance->mesh.positions.rows();
        for (const auto& [name, values] : instance->mesh.painted) {
            merged.painted[name] = VectorXd();
        }
    }
    for (auto& [name, values] : merged.painted) {
        values.setConstant(vertices, is_colour(name) ? 1.0 : 0.0);
    }
    for (const MeshInstance* instance : instances) {
        const ArtMesh& mesh = instance->mesh;
        const int first_vertex = static_cast<int>(merged.positions.rows());
        const int first_triangle = static_cast<int>(merged.triangles.rows());
        append_parts(merged, *instance, first_vertex, first_triangle);
        append_rows(merged.positions, mesh.positions);
        append_rows(merged.triangles, MatrixX3i(mesh.triangles.array() + first_vertex));
        if (has_uv) {
            append_uv(merged, mesh);
        }
        if (has_polygons && mesh.polygon_sizes.empty()) {
            merged.polygon_sizes.insert(merged.polygon_sizes.end(), static_cast<size_t>(mesh.triangles.rows()), 3);
        } else {
            merged.polygon_sizes.insert(merged.polygon_sizes.end(), mesh.polygon_sizes.begin(),
                                        mesh.polygon_sizes.end());
        }
        for (const auto& [name, values] : mesh.painted) {
            merged.painted[name].segment(first_vertex, values.size()) = values;
        }
    }
    return merged;
}

}  // namespace cutis
