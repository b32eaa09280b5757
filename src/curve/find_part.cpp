#include <algorithm>
#include <set>

#include "curve/flesh.h"
#include "cutis/core/error.h"

namespace cutis {

namespace {

std::string list_of(const std::set<std::string>& names) {
    std::string list;
    for (const std::string& name : names) {
        list += (list.empty() ? "" : ", ") + name;
    }
    return list.empty() ? "nothing" : list;
}

/// Node of a joint, or of what joints hang on.
int joint_node(const Body& body, const std::string& name) {
    const int node = body.source().character->skeleton.find(name);
    if (node < 0) {
        const std::vector<std::string>& known = body.rig()->name;
        throw InvalidInput(concat("curve: expected a joint of the body (it has ", list_of({known.begin(), known.end()}),
                                  "), found \"", name, "\""));
    }
    return node;
}

/// Sum of the weights of everything that hangs on the named nodes, per surface vertex.
VectorXd weight_below(const CurveBody& body, const std::vector<int>& roots) {
    const Rig& rig = *body.body->rig();
    return weight_of_joints(rig.weights, joints_below(rig, body.body->source().character->skeleton, roots),
                            *body.art_of_vertex);
}

PartCuts cuts_by_joints(const CurveBody& body, const PartNames& names) {
    require(body.body->rig() != nullptr && body.body->source().character,
            "curve: expected a body with a skeleton for a part named by joints; name a group or an "
            "attribute, or nothing for the whole surface");
    PartCuts cuts;
    cuts.level = names.level;
    if (!names.from.empty()) {
        std::vector<int> roots = {joint_node(*body.body, names.from)};
        for (const std::string& name : names.extra) {
            roots.push_back(joint_node(*body.body, name));
        }
        cuts.from = weight_below(body, roots);
    }
    for (const std::string& name : names.to) {
        cuts.to.push_back(weight_below(body, {joint_node(*body.body, name)}));
    }
    for (const std::string& name : names.without) {
        cuts.without.push_back(weight_below(body, {joint_node(*body.body, name)}));
    }
    return cuts;
}

SurfacePiece piece_of_group(const CurveBody& body, const std::string& group) {
    const ArtMesh& mesh = body.body->mesh();
    std::set<std::string> known;
    std::vector<bool> is_inside(static_cast<size_t>(body.rest->rows()), false);
    std::vector<bool> art_inside(static_cast<size_t>(mesh.positions.rows()), false);
    bool has_found = false;
    for (const MeshPart& one : mesh.parts) {
        known.insert(one.name);
        if (one.name == group) {
            has_found = true;
            for (int f = one.first_triangle; f < one.first_triangle + one.triangle_count; ++f) {
                for (int k = 0; k < 3; ++k) {
                    art_inside[mesh.triangles(f, k)] = true;
                }
            }
        }
    }
    if (!has_found) {
        throw InvalidInput(
            concat("curve: expected a group of the body (it has ", list_of(known), "), found \"", group, "\""));
    }
    for (size_t v = 0; v < is_inside.size(); ++v) {
        is_inside[v] = art_inside[(*body.art_of_vertex)[v]];
    }
    const MatrixX3i& triangles = body.topology->triangles();
    std::vector<bool> chosen(static_cast<size_t>(triangles.rows()), false);
    for (Eigen::Index f = 0; f < triangles.rows(); ++f) {
        chosen[f] = is_inside[triangles(f, 0)] && is_inside[triangles(f, 1)] && is_inside[triangles(f, 2)];
    }
    return chosen_piece(*body.rest, *body.topology, chosen);
}

VectorXd painted_field(const CurveBody& body, const std::string& name) {
    const auto& painted = body.body->mesh().painted;
    const auto found = painted.find(name);
    if (found == painted.end()) {
        std::set<std::string> known;
        for (const auto& [key, values] : painted) {
            known.insert(key);
        }
        throw InvalidInput(concat("curve: expected a painted attribute of the body (it has ", list_of(known),
                                  "), found \"", name, "\""));
    }
    VectorXd field(body.rest->rows());
    for (Eigen::Index v = 0; v < field.size(); ++v) {
        field[v] = found->second[(*body.art_of_vertex)[v]];
    }
    return field;
}

/// Sides of the artist's polygons, between surface vertices.
std::vector<std::array<int, 2>> polygon_edges(const CurveBody& body) {
    const ArtMesh& mesh = body.body->mesh();
    require(!mesh.polygon_sizes.empty() && body.vertex_of_art != nullptr,
            "edge loops: expected a mesh of quads (an OBJ file), found triangles");
    std::vector<std::array<int, 2>> edges;
    const auto add = [&](int a, int b) {
        const int from = (*body.vertex_of_art)[a];
        const int to = (*body.vertex_of_art)[b];
        if (from >= 0 && to >= 0) {
            edges.push_back({from, to});
        }
    };
    Eigen::Index f = 0;
    for (const int corners : mesh.polygon_sizes) {
        // A fan from the first corner: first side, the outer sides, last side.
        const Eigen::Index last = f + corners - 3;
        add(mesh.triangles(f, 0), mesh.triangles(f, 1));
        for (Eigen::Index t = f; t <= last; ++t) {
            add(mesh.triangles(t, 1), mesh.triangles(t, 2));
        }
        add(mesh.triangles(last, 2), mesh.triangles(last, 0));
        f = last + 1;
    }
    return edges;
}

}  // namespace

CurvePart find_part(const CurveBody& body, const PartNames& names, const CurveLayout& wish) {
    CurveLayout layout = wish;
    if (layout.edge_loops && layout.polygon_edges.empty()) {
        layout.polygon_edges = polygon_edges(body);
    }
    const bool has_joints = !names.from.empty() || !names.to.empty() || !names.without.empty();
    const bool has_field = names.field.size() > 0;
    require(static_cast<int>(has_joints) + static_cast<int>(!names.group.empty()) +
                    static_cast<int>(!names.attribute.empty()) + static_cast<int>(has_field) <=
                1,
            "curve: expected a part named by joints, a group, an attribute or a region, "
            "found more than one of them");
    if (has_joints) {
        const CutPart cut = cut_part(*body.rest, *body.topology, cuts_by_joints(body, names));
        return lay_curves(cut.piece, cut.first_cut, cut.second_cut, layout);
    }
    if (!names.group.empty()) {
        return lay_curves(piece_of_group(body, names.group), -1, -1, layout);
    }
    if (has_field && names.field.size() != body.rest->rows()) {
        throw InvalidInput(
            concat("curve: expected a field of ", body.rest->rows(), " numbers, found ", names.field.size()));
    }
    if (!names.attribute.empty() || has_field) {
        const double level = names.level > 0.0 ? names.level : 0.5;
        const SurfacePiece piece =
            cut_piece(whole_surface(*body.rest, *body.topology),
                      has_field ? names.field : painted_field(body, names.attribute), level, true, 0);
        return lay_curves(piece, 0, piece.topology.boundary_loops().size() > 1 ? 0 : -1, layout);
    }
    return lay_curves(whole_surface(*body.rest, *body.topology), -1, -1, layout);
}

}  // namespace cutis
