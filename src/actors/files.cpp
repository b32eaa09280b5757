#include "actors/files.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "cutis/core/error.h"
#include "cutis/io/gltf_read.h"

namespace cutis::actor {

namespace {

/// Rows of values per cut vertex to one row per vertex; copies of a vertex hold the same.
MatrixX3d join_rows(const MatrixX3d& cut, const std::vector<int>& vertex, int count) {
    MatrixX3d out(count, 3);
    for (size_t v = 0; v < vertex.size(); ++v) {
        out.row(vertex[v]) = cut.row(static_cast<Eigen::Index>(v));
    }
    return out;
}

SkinWeights join_weights(const SkinWeights& cut, const std::vector<int>& vertex, int count) {
    SkinWeights out = cut;
    const auto width = static_cast<size_t>(cut.influences);
    out.joints.resize(width * static_cast<size_t>(count));
    out.weights.resize(width * static_cast<size_t>(count));
    for (size_t v = 0; v < vertex.size(); ++v) {
        for (size_t k = 0; k < width; ++k) {
            const size_t to = width * static_cast<size_t>(vertex[v]) + k;
            out.joints[to] = cut.joints[width * v + k];
            out.weights[to] = cut.weights[width * v + k];
        }
    }
    return out;
}

void join_vertices(MeshInstance& instance) {
    ArtMesh& mesh = instance.mesh;
    const auto numbers = mesh.painted.find("_VERTEX");
    require(numbers != mesh.painted.end(), "actor: mesh ", mesh.name, ": expected the attribute _VERTEX");
    std::vector<int> vertex;
    for (const double number : numbers->second) {
        vertex.push_back(static_cast<int>(std::lround(number)));
    }
    mesh.painted.erase(numbers);
    const int count = *std::max_element(vertex.begin(), vertex.end()) + 1;
    // A row of the file's vertices is a UV corner: uv and uv_triangles stay as they are.
    mesh.positions = join_rows(mesh.positions, vertex, count);
    for (Eigen::Index i = 0; i < mesh.triangles.size(); ++i) {
        int& corner = mesh.triangles.data()[i];
        corner = vertex[corner];
    }
    for (MeshPart& part : mesh.parts) {
        part.name = std::move(part.material);
        part.material.clear();
        part.first_vertex = 0;
        part.vertex_count = count;
    }
    instance.weights = join_weights(instance.weights, vertex, count);
    for (MorphTarget& morph : instance.morphs) {
        morph.offsets = join_rows(morph.offsets, vertex, count);
    }
    instance.name = mesh.name;  // the node has a name of its own
}

}  // namespace

Character read_actor_file(std::string_view bytes, const std::string& name) {
    const std::span data(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
    Character character = read_gltf(data, "actor:" + name);
    character.materials = nullptr;  // they only name the parts
    character.document = nullptr;   // its meshes have more vertices
    for (MeshInstance& instance : character.meshes) {
        join_vertices(instance);
    }
    return character;
}

Character read_actor_file(const std::string& name) {
    const auto found = embedded_actors().find(name);
    require(found != embedded_actors().end(), "actor: expected the file actors/", name,
            ".glb in this build, found none");
    return read_actor_file(found->second, name);
}

}  // namespace cutis::actor
