#include <algorithm>

#include "cutis/core/error.h"
#include "cutis/stack/sink.h"

namespace cutis {

namespace {

std::shared_ptr<const ArtMesh> borrowed(const ArtMesh& mesh) {
    return {std::shared_ptr<const ArtMesh>(), &mesh};
}

template <class List, class Name>
size_t place_of(const List& list, Name name) {
    return static_cast<size_t>(std::find_if(list.begin(), list.end(), name) - list.begin());
}

// The body's mesh may be called anything.
bool is_body(const MeshInfo& mesh) {
    return mesh.is_body;
}
template <class Info>
bool is_body(const Info&) {
    return false;
}

/// Adds `infos` to `list` with the layer's word behind their names.
template <class Info>
void add_named(const std::vector<Info>& infos, const std::string& word, const LayerInfo& layer, const char* what,
               std::vector<Info>& list) {
    for (Info info : infos) {
        info.name += word;
        const auto has_name = [&](const Info& other) { return !is_body(other) && other.name == info.name; };
        require(place_of(list, has_name) >= list.size(), "[[layer]] ", layer.name, ": expected a ", what,
                " no other layer has, found \"", info.name, "\"");
        list.push_back(std::move(info));
    }
}

}  // namespace

BakeInfo::BakeInfo(const Body& from) : body(&from) {
    show(from.mesh());
}

void BakeInfo::show(const ArtMesh& mesh) {
    if (meshes.empty()) {
        meshes.emplace_back();
        meshes.front().is_body = true;
    }
    meshes.front().name = mesh.name;
    meshes.front().art = borrowed(mesh);
}

const LayerInfo& BakeInfo::add_layer(const std::string& kind, const LayerFacts& facts) {
    LayerInfo layer;
    layer.kind = kind;
    const auto before =
        std::count_if(layers.begin(), layers.end(), [&](const LayerInfo& other) { return other.kind == kind; });
    std::string word;
    if (before > 0) {
        word = " " + (facts.name.empty() ? std::to_string(before + 1) : facts.name);
    }
    layer.name = kind + word;
    layer.changes_shape = facts.changes_shape;
    layer.changes_uv = facts.changes_uv;
    meshes.front().shape_changed |= facts.changes_shape;
    meshes.front().uv_changed |= facts.changes_uv;
    layer.first_channel = meshes.front().channels.size();
    layer.channel_count = facts.channels.size();
    layer.first_number = numbers.size();
    layer.first_mesh = meshes.size();
    layer.mesh_count = facts.meshes.size();
    layer.first_line = lines.size();
    layer.maps = facts.maps;
    layer.line_count = facts.lines.size();
    add_named(facts.channels, word, layer, "channel", meshes.front().channels);
    add_named(facts.numbers, word, layer, "number", numbers);
    add_named(facts.meshes, "", layer, "name of a mesh", meshes);
    lines.insert(lines.end(), facts.lines.begin(), facts.lines.end());
    layers.push_back(std::move(layer));
    return layers.back();
}

Frame BakeInfo::empty_frame() const {
    Frame frame;
    frame.meshes.resize(meshes.size());
    for (size_t m = 0; m < meshes.size(); ++m) {
        frame.meshes[m].channels.resize(meshes[m].channels.size());
    }
    frame.lines.resize(lines.size());
    frame.numbers.resize(numbers.size());
    frame.stage_seconds.resize(layers.size() + 1);
    return frame;
}

const std::vector<double>* BakeInfo::channel(const Frame& frame, const std::string& name, size_t mesh) const {
    const std::vector<ChannelInfo>& list = meshes.at(mesh).channels;
    const size_t i = place_of(list, [&](const ChannelInfo& one) { return one.name == name; });
    return i < list.size() ? &frame.meshes.at(mesh).channels.at(i) : nullptr;
}

const double* BakeInfo::number(const Frame& frame, const std::string& label) const {
    const size_t i = place_of(numbers, [&](const NumberInfo& one) { return one.label() == label; });
    return i < numbers.size() ? &frame.numbers.at(i) : nullptr;
}

}  // namespace cutis
