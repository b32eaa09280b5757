#include "stack/regions.h"

#include <algorithm>

#include "cutis/core/error.h"

namespace cutis {

namespace {

bool starts_with(const std::string& text, const std::string& start) {
    return text.compare(0, start.size(), start) == 0;
}

[[noreturn]] void refuse_name(const std::string& region, const char* what, const std::string& name,
                              const std::vector<std::string>& known) {
    const std::string near = nearest_word(name, known);
    throw InvalidInput(concat("region \"", region, "\": expected ", what, " (there is ",
                              word_list(known), "), found \"", name, "\"",
                              near.empty() ? "" : "; did you mean \"" + near + "\"?"));
}

VectorXd painted(const LayerInput& ground, const std::string& region, const std::string& name) {
    const auto found = ground.art->painted.find(name);
    if (found == ground.art->painted.end()) {
        std::vector<std::string> known;
        for (const auto& [key, values] : ground.art->painted) {
            known.push_back(key);
        }
        refuse_name(region, "a painted vertex attribute", name, known);
    }
    const std::vector<int>& art = ground.surface->mesh().art_of_vertex;
    VectorXd values(ground.surface->vertex_count());
    for (Eigen::Index v = 0; v < values.size(); ++v) {
        values[v] = found->second[art[v]];
    }
    return values;
}

// The weight of a joint, with all below it where asked for.
VectorXd joint_weights(const LayerInput& ground, const std::string& region, const std::string& name,
                       bool with_children) {
    const Rig* rig = ground.body->rig();
    const auto& character = ground.body->source().character;
    require(rig != nullptr && character != nullptr, "region \"", region,
            "\": expected a body with a skeleton");
    std::vector<char> chosen(rig->name.size(), 0);
    if (with_children) {
        std::vector<int> roots;
        for (size_t n = 0; n < character->skeleton.nodes.size(); ++n) {
            if (character->skeleton.nodes[n].name == name) {
                roots.push_back(static_cast<int>(n));
            }
        }
        chosen = joints_below(*rig, character->skeleton, roots);
    } else {
        std::transform(rig->name.begin(), rig->name.end(), chosen.begin(),
                       [&](const std::string& joint) { return joint == name ? 1 : 0; });
    }
    if (std::find(chosen.begin(), chosen.end(), 1) == chosen.end()) {
        refuse_name(region, "a joint", name, rig->name);
    }
    return weight_of_joints(*ground.weights, chosen, ground.surface->mesh().art_of_vertex);
}

VectorXd part_vertices(const LayerInput& ground, const std::string& region,
                       const std::string& name) {
    const ArtMesh& art = *ground.art;
    VectorXd values = VectorXd::Zero(ground.surface->vertex_count());
    const std::vector<int>& corners = ground.surface->mesh().vertex_of_corner;
    std::vector<std::string> known;
    bool is_found = false;
    for (const MeshPart& part : art.parts) {
        known.push_back(part.name);
        if (!part.material.empty()) {
            known.push_back(part.material);
        }
        // Of a body made of several meshes, the mesh's name stands for all of its parts.
        if (part.name != name && part.material != name && !part.name.starts_with(name + "/")) {
            continue;
        }
        is_found = true;
        const int end = part.first_triangle + part.triangle_count;
        for (int c = 3 * part.first_triangle; c < 3 * end; ++c) {
            if (corners[c] >= 0) {
                values[corners[c]] = 1.0;
            }
        }
    }
    if (!is_found) {
        refuse_name(region, "a part of the mesh", name, known);
    }
    return values;
}

VectorXd box_vertices(const LayerInput& ground, const Region& region) {
    const Eigen::Array3d low(region.box.data());
    const Eigen::Array3d high(region.box.data() + 3);
    const MatrixX3d& rest = ground.surface->rest();
    VectorXd values(rest.rows());
    for (Eigen::Index v = 0; v < values.size(); ++v) {
        const Eigen::Array3d p = rest.row(v).transpose().array();
        const bool is_inside = (p >= low).all() && (p <= high).all();
        values[v] = is_inside != region.is_outside ? 1.0 : 0.0;
    }
    return values;
}

VectorXd boundary_vertices(const LayerInput& ground) {
    const Topology& topology = ground.surface->topology();
    VectorXd values = VectorXd::Zero(ground.surface->vertex_count());
    for (int v = 0; v < ground.surface->vertex_count(); ++v) {
        values[v] = topology.is_boundary_vertex(v) ? 1.0 : 0.0;
    }
    return values;
}

VectorXd named_values(const LayerInput& ground, const std::string& region) {
    if (starts_with(region, "not ")) {
        return 1.0 - named_values(ground, region.substr(4)).array();
    }
    if (region == "all") {
        return VectorXd::Ones(ground.surface->vertex_count());
    }
    if (region == "boundary") {
        return boundary_vertices(ground);
    }
    const size_t colon = region.find(':');
    const std::string word = region.substr(0, colon);
    const std::string name = colon == std::string::npos ? "" : region.substr(colon + 1);
    if (word == "painted") {
        return painted(ground, region, name);
    }
    if (word == "joint" || word == "joints") {
        return joint_weights(ground, region, name, word == "joints");
    }
    if (word == "part") {
        return part_vertices(ground, region, name);
    }
    throw InvalidInput(concat("region \"", region,
                              "\": expected all, boundary, painted:NAME, joint:NAME, joints:NAME, "
                              "part:NAME or { box = [x0, y0, z0, x1, y1, z1] }"));
}

}  // namespace

VectorXd region_values(const LayerInput& ground, const Region& region) {
    if (region.box.size() == 6) {
        return box_vertices(ground, region);
    }
    if (!region.name.empty()) {
        return named_values(ground, region.name);
    }
    VectorXd values = VectorXd::Zero(ground.surface->vertex_count());
    for (const Region& one : region.any) {
        values = values.cwiseMax(region_values(ground, one)).eval();
    }
    return values;
}

std::vector<int> region_vertices(const LayerInput& ground, const Region& region) {
    const VectorXd values = region_values(ground, region);
    std::vector<int> vertices;
    for (Eigen::Index v = 0; v < values.size(); ++v) {
        if (values[v] >= 0.5) {
            vertices.push_back(static_cast<int>(v));
        }
    }
    return vertices;
}

void look_up_regions(const LayerInput& ground, const Options& options, const std::string& section) {
    resolve_masks(
        options, section, [&](const Region& region) { return region_values(ground, region); },
        ground.surface->mesh().art_of_vertex);
}

}  // namespace cutis
