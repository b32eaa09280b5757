#include "io/split.h"

#include <algorithm>
#include <numeric>

namespace cutis {

namespace {

/// Numbers a list of indices anew: those in `kept`, which receives the others where it is empty.
std::vector<int> places_of(std::vector<int>& kept, Eigen::Index all, const MatrixX3i& used) {
    std::vector<int> place(static_cast<size_t>(all), -1);
    if (kept.empty()) {
        for (Eigen::Index i = 0; i < used.size(); ++i) {
            if (used.data()[i] >= 0) {
                place[static_cast<size_t>(used.data()[i])] = 0;
            }
        }
        for (size_t i = 0; i < place.size(); ++i) {
            if (place[i] == 0) {
                kept.push_back(static_cast<int>(i));
            }
        }
    }
    for (size_t i = 0; i < kept.size(); ++i) {
        place[static_cast<size_t>(kept[i])] = static_cast<int>(i);
    }
    return place;
}

void renumber(const std::vector<int>& place, MatrixX3i& triangles) {
    for (Eigen::Index i = 0; i < triangles.size(); ++i) {
        int& index = triangles.data()[i];
        index = index < 0 ? -1 : place[static_cast<size_t>(index)];
    }
}

template <class Matrix>
void take_rows(const Matrix& from, const std::vector<int>& rows, Matrix& out) {
    if (from.rows() == 0) {
        out.resize(0, from.cols());
        return;
    }
    out.resize(static_cast<Eigen::Index>(rows.size()), from.cols());
    for (size_t i = 0; i < rows.size(); ++i) {
        out.row(static_cast<Eigen::Index>(i)) = from.row(rows[i]);
    }
}

void take_values(const std::vector<double>& from, const std::vector<int>& rows, size_t width,
                 std::vector<double>& out) {
    out.clear();
    for (const int row : rows) {
        const auto first = from.begin() + static_cast<std::ptrdiff_t>(static_cast<size_t>(row) * width);
        out.insert(out.end(), first, first + static_cast<std::ptrdiff_t>(width));
    }
}

}  // namespace

SplitMesh split_parts(const MeshInfo& body, int first_part, int part_count, std::vector<int> vertices) {
    const ArtMesh& all = *body.art;
    SplitMesh split;
    split.info = body;
    auto art = std::make_shared<ArtMesh>();
    const MeshPart& first = all.parts.at(first_part);
    const MeshPart& last = all.parts.at(first_part + part_count - 1);
    const int count = last.first_triangle + last.triangle_count - first.first_triangle;
    art->triangles = all.triangles.middleRows(first.first_triangle, count);
    const std::vector<int> place = places_of(vertices, all.positions.rows(), art->triangles);
    renumber(place, art->triangles);
    take_rows(all.positions, vertices, art->positions);
    if (body.has_uv()) {
        art->uv_triangles = all.uv_triangles.middleRows(first.first_triangle, count);
        renumber(places_of(split.uvs, all.uv.rows(), art->uv_triangles), art->uv_triangles);
        take_rows(all.uv, split.uvs, art->uv);
        art->more_uv.resize(all.more_uv.size());
        for (size_t set = 0; set < all.more_uv.size(); ++set) {
            take_rows(all.more_uv[set], split.uvs, art->more_uv[set]);
        }
    }
    for (int p = 0; p < part_count; ++p) {
        MeshPart part = all.parts[first_part + p];
        part.first_triangle -= first.first_triangle;
        // A part that has vertices of its own keeps them.
        const bool owns = part.vertex_count < all.positions.rows() && part.vertex_count > 0 &&
                          part.vertex_count <= static_cast<int>(vertices.size()) &&
                          place[static_cast<size_t>(part.first_vertex)] >= 0;
        part.first_vertex = owns ? place[static_cast<size_t>(part.first_vertex)] : 0;
        part.vertex_count = owns ? part.vertex_count : static_cast<int>(vertices.size());
        art->parts.push_back(std::move(part));
    }
    for (const auto& [name, values] : all.painted) {
        VectorXd& painted = art->painted[name];
        painted.resize(static_cast<Eigen::Index>(vertices.size()));
        for (size_t v = 0; v < vertices.size(); ++v) {
            painted[static_cast<Eigen::Index>(v)] = values[vertices[v]];
        }
    }
    split.vertices = std::move(vertices);
    split.info.art = std::move(art);
    return split;
}

std::vector<SplitMesh> split_body(const BakeInfo& info) {
    const Body::Source& source = info.body->source();
    std::vector<SplitMesh> meshes;
    if (source.placed.size() < 2 || source.character == nullptr) {
        return meshes;
    }
    const bool is_own = &info.shown() == &info.body->mesh();
    for (const PlacedMesh& placed : source.placed) {
        std::vector<int> vertices;
        if (is_own) {
            vertices.resize(static_cast<size_t>(placed.vertex_count));
            std::iota(vertices.begin(), vertices.end(), placed.first_vertex);
        }
        meshes.push_back(split_parts(info.meshes.front(), placed.first_part, placed.part_count, std::move(vertices)));
        meshes.back().info.name = source.character->meshes[placed.instance].name;
    }
    return meshes;
}

void SplitMesh::take(const MeshFrame& body, MeshFrame& own) const {
    take_rows(body.positions, vertices, own.positions);
    take_rows(body.normals, vertices, own.normals);
    take_rows(body.uv, uvs, own.uv);
    own.channels.resize(body.channels.size());
    for (size_t c = 0; c < body.channels.size(); ++c) {
        take_values(body.channels[c], vertices, static_cast<size_t>(info.channels[c].width), own.channels[c]);
    }
}

}  // namespace cutis
