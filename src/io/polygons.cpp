#include "io/polygons.h"

#include <algorithm>

#include "cutis/core/error.h"

namespace cutis {

std::vector<MeshPart> parts_of(const ArtMesh& mesh) {
    const int triangle_count = static_cast<int>(mesh.triangles.rows());
    if (mesh.parts.empty()) {
        MeshPart whole;
        whole.name = mesh.name;
        whole.triangle_count = triangle_count;
        whole.vertex_count = static_cast<int>(mesh.positions.rows());
        return {whole};
    }
    int next = 0;
    for (size_t i = 0; i < mesh.parts.size(); ++i) {
        const MeshPart& part = mesh.parts[i];
        require(part.first_triangle == next && part.triangle_count >= 0 && part.triangle_count <= triangle_count - next,
                "mesh: part ", i, " ('", part.name, "') holds triangles ", part.first_triangle, " + ",
                part.triangle_count, ", expected it to begin at ", next, " and end within ", triangle_count);
        next += part.triangle_count;
    }
    require(next == triangle_count, "mesh: parts cover ", next, " triangles, expected ", triangle_count);
    return mesh.parts;
}

PolygonCorners polygon_corners(const ArtMesh& mesh, const std::vector<MeshPart>& parts) {
    const int triangle_count = static_cast<int>(mesh.triangles.rows());
    const bool has_uv = mesh.uv_triangles.rows() > 0;
    PolygonCorners corners;
    corners.sizes = mesh.polygon_sizes;
    if (corners.sizes.empty()) {
        corners.sizes.assign(static_cast<size_t>(triangle_count), 3);
    }
    const auto add = [&](int f, int k) {
        corners.vertices.push_back(mesh.triangles(f, k));
        if (has_uv) {
            corners.uvs.push_back(mesh.uv_triangles(f, k));
        }
    };
    int f = 0;
    size_t part = 0;
    for (size_t polygon = 0; polygon < corners.sizes.size(); ++polygon) {
        const int size = corners.sizes[polygon];
        require(size >= 3 && size - 2 <= triangle_count - f, "mesh: polygon ", polygon, " has ", size,
                " corners, expected 3 to ", triangle_count - f + 2);
        while (part < parts.size() && parts[part].first_triangle <= f) {
            require(parts[part].first_triangle >= f || parts[part].triangle_count <= 0, "mesh: part ", part,
                    " begins inside polygon ", polygon - 1);
            corners.polygon_of_part.push_back(static_cast<int>(polygon));
            ++part;
        }
        add(f, 0);
        add(f, 1);
        for (int k = 0; k < size - 2; ++k) {
            add(f + k, 2);
        }
        f += size - 2;
    }
    require(f == triangle_count, "mesh: polygons hold ", f, " triangles, expected ", triangle_count);
    for (; part < parts.size(); ++part) {
        require(parts[part].triangle_count <= 0, "mesh: part ", part, " begins inside the last polygon");
    }
    while (corners.polygon_of_part.size() < parts.size() + 1) {
        corners.polygon_of_part.push_back(static_cast<int>(corners.sizes.size()));
    }
    return corners;
}

PolygonCorners without_repeated_corners(const PolygonCorners& all) {
    PolygonCorners kept;
    size_t first = 0;
    size_t part = 0;
    for (size_t polygon = 0; polygon <= all.sizes.size(); ++polygon) {
        for (; part < all.polygon_of_part.size() && all.polygon_of_part[part] == static_cast<int>(polygon); ++part) {
            kept.polygon_of_part.push_back(static_cast<int>(kept.sizes.size()));
        }
        if (polygon == all.sizes.size()) {
            break;
        }
        const size_t begin = kept.vertices.size();
        const size_t end = first + static_cast<size_t>(all.sizes[polygon]);
        for (size_t c = first; c < end; ++c) {
            const auto known = kept.vertices.begin() + static_cast<std::ptrdiff_t>(begin);
            if (std::find(known, kept.vertices.end(), all.vertices[c]) == kept.vertices.end()) {
                kept.vertices.push_back(all.vertices[c]);
                if (!all.uvs.empty()) {
                    kept.uvs.push_back(all.uvs[c]);
                }
            }
        }
        first = end;
        if (kept.vertices.size() - begin >= 3) {
            kept.sizes.push_back(static_cast<int>(kept.vertices.size() - begin));
        } else {
            kept.vertices.resize(begin);
            kept.uvs.resize(all.uvs.empty() ? 0 : begin);
        }
    }
    return kept;
}

}  // namespace cutis
