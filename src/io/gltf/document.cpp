// The file as a whole, kept for writing it again.
#include <cmath>
#include <cstring>
#include <map>
#include <set>
#include <utility>

#include "io/gltf/file.h"

namespace cutis {

namespace {

/// Takes names off a list of the document, and the list where it gets empty.
void drop_names(Json& root, const char* list, const std::set<std::string>& names) {
    if (!root.contains(list)) {
        return;
    }
    Json& all = root[list];
    for (std::size_t i = all.size(); i-- > 0;) {
        if (names.count(all[i].as_text()) > 0) {
            all.erase_at(i);
        }
    }
    if (all.empty()) {
        root.erase(list);
    }
}

/// Numbers of floating-point accessors that are none become 0.
/// \return  the accessors that had some
std::set<int> mend_numbers(const Json& root, std::vector<unsigned char>& bytes) {
    static const std::map<std::string, std::size_t> widths = {{"SCALAR", 1}, {"VEC2", 2}, {"VEC3", 3}, {"VEC4", 4},
                                                              {"MAT2", 4},   {"MAT3", 9}, {"MAT4", 16}};
    constexpr int type_float = 5126;
    std::set<int> mended;
    for (std::size_t i = 0; i < root["accessors"].size(); ++i) {
        const Json& accessor = root["accessors"][i];
        const int view_index = accessor["bufferView"].as_index();
        const auto width = widths.find(accessor["type"].as_text());
        if (view_index < 0 || view_index >= static_cast<int>(root["bufferViews"].size()) || width == widths.end() ||
            accessor["componentType"].as_index() != type_float) {
            continue;
        }
        const Json& view = root["bufferViews"][view_index];
        const auto number = [](const Json& value) {
            return value.is_integer() ? static_cast<std::size_t>(std::max(0.0, value.as_number())) : std::size_t{0};
        };
        const std::size_t begin = number(view["byteOffset"]) + number(accessor["byteOffset"]);
        const std::size_t stride = view.contains("byteStride") ? number(view["byteStride"]) : 4 * width->second;
        for (std::size_t row = 0; row < number(accessor["count"]); ++row) {
            const std::size_t at = begin + row * stride;
            if (at + 4 * width->second > bytes.size()) {
                break;
            }
            for (std::size_t k = 0; k < width->second; ++k) {
                float value = 0.0F;
                std::memcpy(&value, &bytes[at + 4 * k], sizeof value);
                if (!std::isfinite(value)) {
                    value = 0.0F;
                    std::memcpy(&bytes[at + 4 * k], &value, sizeof value);
                    mended.insert(static_cast<int>(i));
                }
            }
        }
    }
    return mended;
}

/// Normals and channels of clips that held numbers that are none are taken out: viewers make normals by themselves,
/// and a channel that the reader left out must not come back.
void drop_broken(Json& root, const std::set<int>& broken) {
    const auto is_broken = [&](const Json& index) { return broken.count(index.as_index()) > 0; };
    for (std::size_t m = 0; root.contains("meshes") && m < root["meshes"].size(); ++m) {
        if (!std::as_const(root)["meshes"][m]["primitives"].is_array()) {
            continue;
        }
        for (Json& primitive : root["meshes"][m]["primitives"]) {
            for (const char* name : {"NORMAL", "TANGENT"}) {
                if (is_broken(std::as_const(primitive)["attributes"][name])) {
                    primitive["attributes"].erase(name);
                }
            }
        }
    }
    for (std::size_t a = 0; root.contains("animations") && a < root["animations"].size(); ++a) {
        Json& clip = root["animations"][a];
        if (!std::as_const(clip)["channels"].is_array() || !std::as_const(clip)["samplers"].is_array()) {
            continue;
        }
        for (std::size_t c = clip["channels"].size(); c-- > 0;) {
            const int index = std::as_const(clip)["channels"][c]["sampler"].as_index();
            const bool is_known = index >= 0 && index < static_cast<int>(clip["samplers"].size());
            const Json& sampler = is_known ? std::as_const(clip)["samplers"][index] : Json();
            if (is_broken(sampler["input"]) || is_broken(sampler["output"])) {
                clip["channels"].erase_at(c);
            }
        }
    }
}

}  // namespace

std::shared_ptr<const SourceDocument> keep_document(const GltfFile& file, const GltfNodes& nodes,
                                                    const std::vector<std::vector<unsigned char>>& pictures) {
    auto document = std::make_shared<SourceDocument>();
    Json root = file.root().value();
    std::vector<unsigned char>& bytes = document->bytes;
    const auto begin = [&bytes] {
        bytes.resize((bytes.size() + 3) / 4 * 4);
        return bytes.size();
    };
    std::vector<std::size_t> starts;
    for (const auto& buffer : file.buffers()) {
        starts.push_back(begin());
        bytes.insert(bytes.end(), buffer.begin(), buffer.end());
    }
    if (file.was_compressed()) {
        for (const char* list : {"extensionsUsed", "extensionsRequired"}) {
            drop_names(root, list,
                       {"EXT_meshopt_compression", "KHR_meshopt_compression", "KHR_draco_mesh_compression"});
        }
    }
    int index = 0;
    if (root.contains("bufferViews")) {
        for (Json& view : root["bufferViews"]) {
            const auto decoded = file.decoded_views().find(index++);
            if (decoded != file.decoded_views().end()) {
                view["buffer"] = 0;
                view["byteOffset"] = begin();
                view["byteLength"] = decoded->second.size();
                view.erase("extensions");
                bytes.insert(bytes.end(), decoded->second.begin(), decoded->second.end());
                continue;
            }
            const int buffer = std::as_const(view)["buffer"].as_index();
            if (!view.is_object() || buffer < 0 || buffer >= static_cast<int>(starts.size())) {
                return nullptr;  // nothing read lies there, and nobody could write it again
            }
            const auto offset = static_cast<std::size_t>(std::as_const(view)["byteOffset"].as_number());
            view["byteOffset"] = starts[buffer] + offset;
            view["buffer"] = 0;
        }
    }
    if (const std::set<int> broken = mend_numbers(root, bytes); !broken.empty()) {
        drop_broken(root, broken);
    }
    // Pictures beside the file come along; one that is missing stays a name.
    for (std::size_t i = 0; root.contains("images") && i < root["images"].size() && i < pictures.size(); ++i) {
        Json& image = root["images"][i];
        const std::string uri = image.is_object() ? std::as_const(image)["uri"].as_text() : std::string();
        if (uri.empty() || pictures[i].empty()) {
            continue;
        }
        Json view = {{"buffer", 0}, {"byteOffset", begin()}, {"byteLength", pictures[i].size()}};
        bytes.insert(bytes.end(), pictures[i].begin(), pictures[i].end());
        root["bufferViews"].push_back(std::move(view));
        image["bufferView"] = root["bufferViews"].size() - 1;
        image.erase("uri");
        if (!image.contains("mimeType")) {
            image["mimeType"] = gltf_mime_type(pictures[i]);
        }
    }
    root.erase("buffers");
    document->gltf_json = root.dump();
    document->file_node.resize(nodes.in_order.size());
    for (const int i : nodes.in_order) {
        document->file_node[nodes.ours[i]] = i;
    }
    return document;
}

}  // namespace cutis
