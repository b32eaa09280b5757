#include "io/page/surface.h"

#include <cmath>
#include <map>
#include <set>

#include "core/math.h"
#include "cutis/io/json.h"
#include "cutis/mesh/geometry.h"
#include "io/polygons.h"
#include "io/render_mesh.h"

namespace cutis {
namespace {

using Colour = std::array<float, 3>;  // linear

// Where a file names no colour: skin, then cloths that stand apart from it and from each other.
constexpr Colour skin_colour = {0.69F, 0.38F, 0.245F};
constexpr std::array<Colour, 4> cloth_colours = {
    {{0.05F, 0.16F, 0.23F}, {0.28F, 0.06F, 0.13F}, {0.13F, 0.2F, 0.07F}, {0.33F, 0.21F, 0.05F}}};

/// Base colours by material name; those with a picture have none of their own.
std::map<std::string, Colour> material_colours(const Body& body) {
    std::map<std::string, Colour> colours;
    if (body.source().materials == nullptr || body.source().materials->gltf_json.empty()) {
        return colours;
    }
    const Json all = Json::parse(body.source().materials->gltf_json, "materials");
    for (const Json& material : all["materials"]) {
        const Json& surface = material["pbrMetallicRoughness"];
        const Json& factor = surface["baseColorFactor"];
        const bool is_good = factor.is_array() && factor.size() >= 3 && factor[0].is_number() &&
                             factor[1].is_number() && factor[2].is_number() && material["name"].is_text();
        if (is_good && !surface.contains("baseColorTexture")) {
            const auto share = [&](int k) { return static_cast<float>(factor[k].as_number()); };
            colours[material["name"].as_text()] = {share(0), share(1), share(2)};
        }
    }
    return colours;
}

/// Which mesh of the character a part came from: parts of one mesh follow each other, and a mesh
/// after the first usually lies on top of it as a garment.
std::vector<int> mesh_of_parts(const Body& body, const std::vector<MeshPart>& parts) {
    std::vector<int> meshes(parts.size(), 0);
    const Character* character = body.source().character.get();
    if (character == nullptr) {
        return meshes;
    }
    size_t next = 0;
    for (size_t m = 0; m < character->meshes.size() && next < parts.size(); ++m) {
        const size_t count = std::max<size_t>(1, character->meshes[m].mesh.parts.size());
        for (size_t i = 0; i < count && next < parts.size(); ++i) {
            meshes[next++] = static_cast<int>(m);
        }
    }
    return meshes;
}

std::vector<Colour> part_colours(const Body& body, const std::vector<MeshPart>& parts, const std::vector<int>& meshes) {
    const std::map<std::string, Colour> materials = material_colours(body);
    std::vector<Colour> colours;
    for (size_t i = 0; i < parts.size(); ++i) {
        const auto found = materials.find(parts[i].material);
        if (found != materials.end()) {
            colours.push_back(found->second);
        } else if (meshes[i] == 0) {
            colours.push_back(skin_colour);
        } else {
            colours.push_back(cloth_colours[static_cast<size_t>(meshes[i] - 1) % cloth_colours.size()]);
        }
    }
    return colours;
}

/// 1, 2 or 5 times a power of ten, at most `value`.
double round_length(double value) {
    const double power = math::pow(10.0, std::floor(math::log10(value)));
    const double digit = value / power;
    return power * (digit < 2.0 ? 1.0 : digit < 5.0 ? 2.0 : 5.0);
}

struct Areas {
    double surface = 0.0;
    double uv = 0.0;
};

/// Of the triangles of one part.
Areas areas_of(const ArtMesh& mesh, const MeshPart& part) {
    Areas areas;
    const Eigen::Index end =
        std::min<Eigen::Index>(part.first_triangle + part.triangle_count, mesh.uv_triangles.rows());
    for (Eigen::Index f = part.first_triangle; f < end; ++f) {
        if (mesh.uv_triangles.row(f).minCoeff() < 0) {
            continue;
        }
        const Vector3d a = mesh.positions.row(mesh.triangles(f, 0));
        const Vector3d b = mesh.positions.row(mesh.triangles(f, 1));
        const Vector3d c = mesh.positions.row(mesh.triangles(f, 2));
        const Eigen::Vector2d p = mesh.uv.row(mesh.uv_triangles(f, 0));
        const Eigen::Vector2d u = mesh.uv.row(mesh.uv_triangles(f, 1)).transpose() - p;
        const Eigen::Vector2d v = mesh.uv.row(mesh.uv_triangles(f, 2)).transpose() - p;
        areas.surface += 0.5 * (b - a).cross(c - a).norm();
        areas.uv += 0.5 * std::abs(u.x() * v.y() - u.y() * v.x());
    }
    return areas;
}

/// Metres of one unit of UV for each part: the same for all parts of a mesh, whose charts usually
/// share one scale, while a garment has its own.
std::vector<double> uv_scales(const ArtMesh& mesh, const std::vector<MeshPart>& parts,
                              const std::vector<int>& mesh_of_part) {
    std::map<int, Areas> sums;
    for (size_t i = 0; i < parts.size(); ++i) {
        const Areas areas = areas_of(mesh, parts[i]);
        sums[mesh_of_part[i]].surface += areas.surface;
        sums[mesh_of_part[i]].uv += areas.uv;
    }
    std::vector<double> scales;
    for (const int m : mesh_of_part) {
        const Areas& sum = sums[m];
        scales.push_back(sum.surface > 0.0 && sum.uv > 0.0 ? std::sqrt(sum.surface / sum.uv) : 1.0);
    }
    return scales;
}

void measure_lengths(const ArtMesh& mesh, PageSurface& out) {
    double edges = 0.0;
    for (Eigen::Index f = 0; f < mesh.triangles.rows(); ++f) {
        const Vector3d a = mesh.positions.row(mesh.triangles(f, 0));
        const Vector3d b = mesh.positions.row(mesh.triangles(f, 1));
        const Vector3d c = mesh.positions.row(mesh.triangles(f, 2));
        edges += (b - a).norm() + (c - b).norm() + (a - c).norm();
    }
    out.edge_length = edges / (3.0 * static_cast<double>(mesh.triangles.rows()));
    const double diagonal = bounding_box_diagonal(mesh.positions);
    constexpr double squares_along_diagonal = 30.0;
    if (diagonal > 0.0) {
        out.pattern_size = round_length(diagonal / squares_along_diagonal);
    }
}

}  // namespace

PageSurface make_page_surface(const ArtMesh& mesh, const Body* body) {
    const std::vector<MeshPart> parts = parts_of(mesh);
    const RenderMesh render(mesh, parts);
    PageSurface out;
    out.source.assign(render.art.begin(), render.art.end());
    for (const int entry : render.uv) {
        // A corner without UVs in a mesh that has some takes the first: nothing is painted well
        // there.
        out.uv_source.push_back(static_cast<std::uint32_t>(std::max(0, entry)));
    }
    for (const RenderPart& part : render.parts) {
        for (const std::uint32_t index : part.indices) {
            out.triangles.push_back(index + static_cast<std::uint32_t>(part.first_vertex));
        }
    }
    measure_lengths(mesh, out);
    const std::vector<int> meshes = body == nullptr ? std::vector<int>(parts.size(), 0) : mesh_of_parts(*body, parts);
    const std::vector<double> scales = uv_scales(mesh, parts, meshes);
    int index = 0;
    for (const RenderPart& part : render.parts) {
        const auto i = static_cast<size_t>(part.part);
        const auto count = static_cast<int>(part.indices.size());
        out.parts.push_back(
            {part.first_vertex, part.vertex_count, index, count, parts[i].material, meshes[i] > 0, scales[i]});
        index += count;
    }
    if (body == nullptr) {
        return out;
    }
    const std::vector<Colour> colours = part_colours(*body, parts, meshes);
    out.colours.resize(render.art.size() * 3);
    for (const RenderPart& part : render.parts) {
        for (int v = part.first_vertex; v < part.first_vertex + part.vertex_count; ++v) {
            const Colour& colour = colours[part.part];
            std::copy(colour.begin(), colour.end(), out.colours.begin() + v * 3);
        }
    }
    return out;
}

std::vector<std::uint32_t> joint_segments(const Body& body) {
    const Rig* rig = body.rig();
    std::vector<std::uint32_t> segments;
    std::set<int> nodes;  // one may be a joint of several skins
    for (size_t j = 0; rig != nullptr && j < rig->node.size(); ++j) {
        if (nodes.insert(rig->node[j]).second && rig->parent[j] >= 0) {
            segments.insert(segments.end(),
                            {static_cast<std::uint32_t>(rig->parent[j]), static_cast<std::uint32_t>(j)});
        }
    }
    return segments;
}

}  // namespace cutis
