// The file as a whole, kept for writing it again.
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
