#include "io/gltf/write_patches.h"

#include <algorithm>
#include <utility>

#include "cutis/core/error.h"
#include "io/split.h"

namespace cutis {

namespace {

/// Many players know four joints a vertex and no more; what the others would add goes into the morph targets.
SkinWeights strongest_four(const SkinWeights& all) {
    constexpr size_t four = 4;
    SkinWeights kept;
    kept.influences = four;
    const auto vertices = static_cast<size_t>(all.vertex_count());
    kept.joints.assign(vertices * four, 0);
    kept.weights.assign(vertices * four, 0.0);
    std::vector<std::pair<double, std::uint16_t>> row(static_cast<size_t>(all.influences));
    for (size_t v = 0; v < vertices; ++v) {
        for (size_t k = 0; k < row.size(); ++k) {
            row[k] = {all.weights[v * row.size() + k], all.joints[v * row.size() + k]};
        }
        std::stable_sort(row.begin(), row.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
        double sum = 0.0;
        for (size_t k = 0; k < std::min(four, row.size()); ++k) {
            sum += row[k].first;
        }
        for (size_t k = 0; k < std::min(four, row.size()) && row[k].first > 0.0; ++k) {
            kept.weights[v * four + k] = row[k].first / sum;
            kept.joints[v * four + k] = row[k].second;
        }
    }
    return kept;
}

void carry_rows(const BakeInfo& info, const MatrixX3d& own, int first, int all, const std::vector<int>& rows,
                MatrixX3d& out) {
    std::vector<double> values(static_cast<size_t>(all) * 3, 0.0);
    std::copy(own.data(), own.data() + own.size(), values.begin() + static_cast<std::ptrdiff_t>(first) * 3);
    info.carry_to_shown(values, 3);
    out.resize(static_cast<Eigen::Index>(rows.size()), 3);
    for (size_t v = 0; v < rows.size(); ++v) {
        out.row(static_cast<Eigen::Index>(v)) = Eigen::Map<const Eigen::RowVector3d>(&values[3 * size_t(rows[v])]);
    }
}

Carriage carried_by(int node) {
    Carriage carriage;
    carriage.nodes = {node};
    carriage.inverse_bind = {Eigen::Affine3d::Identity()};
    carriage.weights.influences = 0;
    return carriage;
}

}  // namespace

void PatchMaker::find_rows(const PlacedMesh& placed, MeshPatch& patch, DeviationSource& source) const {
    const ArtMesh& art = patch.instance->mesh;
    patch.info.art = std::shared_ptr<const ArtMesh>(info.body->source().character, &art);
    for (int v = 0; v < placed.vertex_count; ++v) {
        source.rows.push_back(placed.first_vertex + v);
    }
    source.rest = art.positions;
    if (frames.uv_count == 0 || art.uv.rows() == 0) {
        return;
    }
    // Merged meshes: UVs one after the other, one of its own for those without.
    int first = 0;
    for (const PlacedMesh& before : info.body->source().placed) {
        if (&before == &placed) {
            break;
        }
        const MeshInstance& other = info.body->source().character->meshes[before.instance];
        first += other.mesh.uv.rows() > 0 ? static_cast<int>(other.mesh.uv.rows()) : 1;
    }
    for (int t = 0; t < art.uv.rows(); ++t) {
        source.uvs.push_back(first + t);
    }
    source.rest_uv = art.uv;
}

void PatchMaker::take_finer(const PlacedMesh& placed, MeshPatch& patch, DeviationSource& source) const {
    const SplitMesh split = split_parts(info.meshes.front(), placed.first_part, placed.part_count, {});
    source.rows = split.vertices;
    auto art = std::make_shared<ArtMesh>(*split.info.art);
    art->name = patch.instance->mesh.name;
    const bool has_uv = patch.instance->mesh.uv.rows() > 0;
    if (!has_uv) {
        art->uv.resize(0, 2);
        art->uv_triangles.resize(0, 3);
    }
    art->more_uv.resize(has_uv ? patch.instance->mesh.more_uv.size() : 0);
    for (auto painted = art->painted.begin(); painted != art->painted.end();) {
        painted =
            patch.instance->mesh.painted.count(painted->first) > 0 ? std::next(painted) : art->painted.erase(painted);
    }
    // The file's own morph targets, and with their default weights taken out of the rest pose, its own space.
    const Eigen::Affine3d from_body = placed.to_body.inverse();
    const auto art_vertices = static_cast<int>(info.body->mesh().positions.rows());
    for (Eigen::Index v = 0; v < art->positions.rows(); ++v) {
        art->positions.row(v) = (from_body * Vector3d(art->positions.row(v).transpose())).transpose();
    }
    for (size_t t = 0; t < patch.carriage.morphs.size(); ++t) {
        MatrixX3d finer;
        carry_rows(info, patch.carriage.morphs[t], placed.first_vertex, art_vertices, source.rows, finer);
        patch.carriage.morphs[t] = std::move(finer);
        art->positions -= patch.carriage.morph_defaults[t] * patch.carriage.morphs[t];
    }
    if (patch.carriage.weights.influences > 0) {
        SkinWeights weights = strongest_four(weights_of(*info.shown_weights, source.rows));
        const size_t joints = patch.carriage.nodes.size();
        for (size_t i = 0; i < weights.joints.size(); ++i) {
            const int joint = weights.weights[i] > 0.0 ? weights.joints[i] - placed.first_joint : 0;
            require(joint >= 0 && joint < static_cast<int>(joints), "glb: mesh \"", patch.instance->name,
                    "\": expected joints of its own skin, found another's");
            weights.joints[i] = static_cast<std::uint16_t>(joint);
        }
        patch.carriage.weights = std::move(weights);
    }
    source.rest = art->positions;
    if (frames.uv_count > 0 && has_uv) {
        source.uvs = split.uvs;
        source.rest_uv = art->uv;
    }
    patch.info.art = std::move(art);
}

void PatchMaker::make(const PlacedMesh& placed, MeshPatch& patch) const {
    const Character& character = *info.body->source().character;
    patch.placed = &placed;
    const MeshInstance& instance = character.meshes.at(placed.instance);
    patch.instance = &instance;
    patch.info.name = instance.name;
    patch.is_finer = &info.shown() != &info.body->mesh();
    patch.file_targets = static_cast<int>(instance.morphs.size());
    Carriage& carriage = patch.carriage;
    if (instance.skin >= 0 && !instance.weights.weights.empty()) {
        carriage.nodes = character.skins[instance.skin].joints;
        carriage.inverse_bind = character.skins[instance.skin].inverse_bind;
        carriage.weights = instance.weights;
    } else {
        carriage = carried_by(instance.node);
    }
    carriage.morph_node = instance.node;
    for (const MorphTarget& morph : instance.morphs) {
        carriage.morphs.push_back(morph.offsets);
    }
    carriage.morph_defaults = instance.morph_defaults;
    carriage.morph_defaults.resize(instance.morphs.size(), 0.0);

    DeviationSource source;
    source.frames = frames;
    source.tolerance = tolerance.position;
    if (patch.is_finer) {
        take_finer(placed, patch, source);
    } else {
        find_rows(placed, patch, source);
    }
    patch.info.uv_changed = !source.uvs.empty();
    find_frames(source, patch);
    const Deviation& deviation = patch.deviation;
    const bool moves = deviation.largest > 0.05 * tolerance.position;
    const bool moves_uv = deviation.largest_uv > 0.05 * tolerance.uv;
    const bool has_more = patch.is_finer && patch.info.art->triangles.rows() != instance.mesh.triangles.rows();
    patch.is_changed = patch.is_carried || has_more || moves || moves_uv;
    patch.info.uv_changed = moves_uv;
    patch.mesh = std::make_unique<GlbMesh>(patch.info, std::vector<int>());
    const auto vertices = static_cast<int>(source.rows.size());
    patch.mesh->read_from(*deviation.store, 0, vertices * 3);
    patch.max_error = deviation.largest;
    patch.max_uv_error = deviation.largest_uv;
    if (patch.is_changed) {
        const double scale = deviation.scale > 0.0 ? deviation.scale : 1.0;
        MorphTolerance own = tolerance;
        own.position /= scale;
        patch.mesh->fit(own, workers);
        patch.max_error = patch.mesh->max_error() * scale;
        patch.half_error = patch.mesh->half_error() * scale;
        patch.max_uv_error = patch.mesh->max_uv_error();
    }
}

void PatchMaker::find_frames(const DeviationSource& source, MeshPatch& patch) const {
    const Body& body = *info.body;
    const bool is_skinned = patch.carriage.weights.influences > 0;
    const auto find = [&](const DeviationSource& from) {
        patch.deviation = find_deviation(body, sampling, times, node_frames, patch.carriage, from, beside, workers);
    };
    if (!is_skinned || keeps_skin) {
        find(source);
    }
    patch.is_carried = is_skinned && (!keeps_skin || patch.deviation.is_singular);
    if (patch.is_carried) {
        patch.carriage = carried_by(patch.instance->node);
        DeviationSource begun = source;
        begun.rest.resize(0, 3);
        find(begun);
    }
}

}  // namespace cutis
