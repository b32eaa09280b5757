#include "stack/regions.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <numeric>

#include "cutis/anatomy/anatomy.h"
#include "cutis/core/error.h"
#include "cutis/mesh/geometry.h"

namespace cutis {

namespace {

bool starts_with(const std::string& text, const std::string& start) {
    return text.compare(0, start.size(), start) == 0;
}

[[noreturn]] void refuse_name(const std::string& region, const char* what, const std::string& name,
                              const std::vector<std::string>& known) {
    const std::string near = nearest_word(name, known);
    throw InvalidInput(concat("region \"", region, "\": expected ", what, " (there is ", word_list(known),
                              "), found \"", name, "\"", near.empty() ? "" : "; did you mean \"" + near + "\"?"));
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
    require(rig != nullptr && character != nullptr, "region \"", region, "\": expected a body with a skeleton");
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

// By the name of a part, of its mesh ("mesh") or of its material ("material"); "part" takes any of them.
VectorXd part_vertices(const LayerInput& ground, const std::string& region, const std::string& word,
                       const std::string& name) {
    const ArtMesh& art = *ground.art;
    VectorXd values = VectorXd::Zero(ground.surface->vertex_count());
    const std::vector<int>& corners = ground.surface->mesh().vertex_of_corner;
    std::vector<std::string> known;
    bool is_found = false;
    for (const MeshPart& part : art.parts) {
        // Of a body made of several meshes, the mesh's name stands for all of its parts.
        const std::string mesh = part.name.substr(0, part.name.find('/'));
        const auto offer = [&](const char* asked, const std::string& own) {
            if ((word == asked || word == "part") && !own.empty() &&
                std::find(known.begin(), known.end(), own) == known.end()) {
                known.push_back(own);
            }
            return (word == asked || word == "part") && own == name;
        };
        const bool is_part = word == "part" && offer("part", part.name);
        const bool is_mesh = offer("mesh", mesh);
        if (!offer("material", part.material) && !is_mesh && !is_part) {
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
        refuse_name(region,
                    word == "part"   ? "a part of the mesh"
                    : word == "mesh" ? "a mesh"
                                     : "a material",
                    name, known);
    }
    return values;
}

VectorXd island_vertices(const LayerInput& ground, const std::string& region, const std::string& name) {
    const Topology& topology = ground.surface->topology();
    int wanted = 0;
    const auto read = std::from_chars(name.data(), name.data() + name.size(), wanted);
    require(read.ec == std::errc() && read.ptr == name.data() + name.size() && wanted >= 1 &&
                wanted <= topology.part_count(),
            "region \"", region, "\": expected island:1 (the largest) to island:", topology.part_count(), ", found \"",
            name, "\"");
    const std::vector<int> numbers = island_numbers(*ground.surface);
    VectorXd values(ground.surface->vertex_count());
    for (Eigen::Index v = 0; v < values.size(); ++v) {
        values[v] = numbers[static_cast<size_t>(v)] == wanted ? 1.0 : 0.0;
    }
    return values;
}

/// A dab of a brush: full in the middle, falling smoothly to 0 where the ball ends.
double dab_at(const Region& dab, const Eigen::Array3d& p) {
    const double share = (p - Eigen::Array3d(dab.sphere.data())).matrix().norm() / dab.sphere[3];
    return share < 1.0 ? dab.sphere[4] * (1.0 - share * share * (3.0 - 2.0 * share)) : 0.0;
}

/// 1 where the rest position lies in a box or ball; of a dab its share.
VectorXd inside_values(const LayerInput& ground, const Region& region) {
    const MatrixX3d& rest = ground.surface->rest();
    VectorXd values(rest.rows());
    for (Eigen::Index v = 0; v < values.size(); ++v) {
        const Eigen::Array3d p = rest.row(v).transpose().array();
        if (region.sphere.size() == 5) {
            values[v] = dab_at(region, p);
            continue;
        }
        const bool is_inside =
            region.box.empty()
                ? (p - Eigen::Array3d(region.sphere.data())).matrix().norm() <= region.sphere[3]
                : (p >= Eigen::Array3d(region.box.data())).all() && (p <= Eigen::Array3d(region.box.data() + 3)).all();
        values[v] = is_inside ? 1.0 : 0.0;
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

/// 1 on vertices of a triangle of one of these tissues.
VectorXd tissue_values(const LayerInput& ground, const std::vector<Tissue>& tissues) {
    if (ground.refined != nullptr) {
        VectorXd fine;
        ground.refined->from_below.values(tissue_values(*ground.base, tissues), ground.own_workers(), fine);
        return fine;
    }
    const std::shared_ptr<const Anatomy> anatomy = ground.anatomy();
    const std::vector<int>& corners = ground.surface->mesh().vertex_of_corner;
    VectorXd values = VectorXd::Zero(ground.surface->vertex_count());
    for (size_t c = 0; c < corners.size(); ++c) {
        const Tissue tissue = anatomy->tissue(static_cast<int>(c / 3));
        if (corners[c] >= 0 && std::find(tissues.begin(), tissues.end(), tissue) != tissues.end()) {
            values[corners[c]] = 1.0;
        }
    }
    return values;
}

VectorXd named_values(const LayerInput& ground, const std::string& region) {
    static const std::map<std::string, std::vector<Tissue>> tissues = {{"skin", {Tissue::skin}},
                                                                       {"cloth", {Tissue::cloth}},
                                                                       {"hair", {Tissue::hair}},
                                                                       {"rigid", {Tissue::rigid}},
                                                                       {"soft", {Tissue::skin, Tissue::cloth}}};
    if (const auto found = tissues.find(region); found != tissues.end()) {
        return tissue_values(ground, found->second);
    }
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
    if (word == "texture") {  // the reader of the scene samples pictures at the vertices
        return painted(ground, region, region);
    }
    if (word == "joint" || word == "joints") {
        return joint_weights(ground, region, name, word == "joints");
    }
    if (word == "part" || word == "mesh" || word == "material") {
        return part_vertices(ground, region, word, name);
    }
    if (word == "island") {
        return island_vertices(ground, region, name);
    }
    throw InvalidInput(
        concat("region \"", region,
               "\": expected all, boundary, skin, cloth, hair, rigid, soft, painted:NAME, texture:FILE, joint:NAME, "
               "joints:NAME, mesh:NAME, material:NAME, part:NAME, island:N, { box = [x0, y0, z0, x1, y1, z1] } or "
               "{ sphere = [x, y, z, radius] } (of a brush: [x, y, z, radius, strength])"));
}

}  // namespace

// By falling area: the number stays when the file is saved again in another order.
std::vector<int> island_numbers(const SimulationSurface& surface) {
    const std::vector<double> areas = part_areas(surface.rest(), surface.topology());
    std::vector<int> order(areas.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return areas[a] > areas[b]; });
    std::vector<int> number(areas.size());
    for (size_t i = 0; i < order.size(); ++i) {
        number[static_cast<size_t>(order[i])] = static_cast<int>(i) + 1;
    }
    std::vector<int> result;
    for (const int part : surface.topology().part_of_vertex()) {
        result.push_back(number[static_cast<size_t>(part)]);
    }
    return result;
}

VectorXd region_values(const LayerInput& ground, const Region& region) {
    const auto largest = [&](const std::vector<Region>& regions) {
        VectorXd values = VectorXd::Zero(ground.surface->vertex_count());
        for (const Region& one : regions) {
            values = values.cwiseMax(region_values(ground, one)).eval();
        }
        return values;
    };
    VectorXd values;
    if (region.box.size() == 6 || region.sphere.size() >= 4) {
        values = inside_values(ground, region);
    } else if (!region.name.empty()) {
        values = named_values(ground, region.name);
    } else if (!region.all.empty()) {
        values = VectorXd::Ones(ground.surface->vertex_count());
        for (const Region& one : region.all) {
            values = values.cwiseMin(region_values(ground, one)).eval();
        }
    } else {
        values = largest(region.any);
    }
    if (region.is_outside) {
        values = (1.0 - values.array()).matrix().eval();
    }
    if (!region.except.empty()) {
        values = values.cwiseMin((1.0 - largest(region.except).array()).matrix()).eval();
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

std::vector<int> rigid_vertices(const LayerInput& ground) {
    std::vector<int> vertices;
    if (ground.body->rig() != nullptr && ground.body->source().character != nullptr) {
        const VectorXd soft = tissue_values(ground, {Tissue::skin, Tissue::cloth});
        for (Eigen::Index v = 0; v < soft.size(); ++v) {
            if (soft[v] <= 0.0) {
                vertices.push_back(static_cast<int>(v));
            }
        }
    }
    return vertices;
}

int find_node(const Body& body, const std::string& name, const std::string& what) {
    const Character* character = body.source().character.get();
    const int found = character == nullptr ? -1 : character->skeleton.find(name);
    if (found < 0) {
        std::string known;
        for (size_t i = 0; character != nullptr && i < character->skeleton.nodes.size(); ++i) {
            known += concat(i == 0 ? "" : ", ", character->skeleton.nodes[i].name);
        }
        throw InvalidInput(concat(what, ": expected a node of the character (", known.empty() ? "it has none" : known,
                                  "), found ", name));
    }
    return found;
}

void look_up_regions(const LayerInput& ground, const Options& options, const std::string& section) {
    resolve_masks(
        options, section, [&](const Region& region) { return region_values(ground, region); },
        ground.surface->mesh().art_of_vertex);
}

}  // namespace cutis
