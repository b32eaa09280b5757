#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "core/math.h"
#include "cutis/core/error.h"
#include "cutis/io/files.h"
#include "cutis/io/scene_read.h"
#include "cutis/stack/layer.h"
#include "io/picture/body_pictures.h"

namespace cutis {

namespace {

const std::string texture_word = "texture:";
const std::string own_picture = "base";
constexpr std::uintmax_t most_mask_bytes = std::uintmax_t{1} << 28;

/// "texture:FILE#g" taken apart.
struct TextureMask {
    std::string region;
    std::string file;
    int channel = 0;
};

std::vector<TextureMask> texture_masks(const Scene& scene) {
    std::vector<TextureMask> masks;
    std::set<std::string> known;
    for (const LayerScene& layer : scene.layers) {
        if (!layer.plan) {
            continue;
        }
        for_regions(layer.plan->options(), [&](const Region& region) {
            std::string name = region.name;
            while (name.starts_with("not ")) {
                name.erase(0, 4);
            }
            if (!name.starts_with(texture_word) || !known.insert(name).second) {
                return;
            }
            TextureMask mask;
            mask.region = name;
            mask.file = name.substr(texture_word.size());
            const size_t hash = mask.file.rfind('#');
            if (hash != std::string::npos) {
                const std::string channel = mask.file.substr(hash + 1);
                const size_t at = std::string("rgba").find(channel);
                require(channel.size() == 1 && at != std::string::npos, "region \"", name,
                        "\": expected #r, #g, #b or #a after the picture, found \"#", channel, "\"");
                mask.channel = static_cast<int>(at);
                mask.file.resize(hash);
            }
            masks.push_back(std::move(mask));
        });
    }
    return masks;
}

/// The picture's channel at the UV of every vertex of some triangles.
void sample_mask(const ArtMesh& mesh, const Picture& picture, int channel, int first, int count, VectorXd& values) {
    for (int f = first; f < first + count; ++f) {
        for (int k = 0; k < 3; ++k) {
            const int corner = mesh.uv_triangles(f, k);
            if (corner >= 0) {  // v counts from the bottom, rows from the top
                const Vector2d uv = mesh.uv.row(corner);
                values[mesh.triangles(f, k)] =
                    picture.sample(uv[0] * picture.width, (1.0 - uv[1]) * picture.height)[channel] / 255.0;
            }
        }
    }
}

}  // namespace

void paint_picture_colours(Body& body) {
    const ArtMesh& mesh = body.mesh();
    const std::map<std::string, MaterialPicture> own = base_colour_pictures(body);
    if (body.rig() == nullptr || own.empty() || mesh.uv.rows() == 0) {
        return;
    }
    std::map<std::string, Picture> pictures;
    std::array<VectorXd, 3> values;
    values.fill(VectorXd::Constant(mesh.positions.rows(), -1.0));
    bool is_found = false;
    for (const MeshPart& part : mesh.parts) {
        const auto found = own.find(part.material);
        if (found == own.end()) {
            continue;
        }
        const auto [picture, is_new] = pictures.try_emplace(part.material);
        try {
            if (is_new) {
                picture->second = read_picture(*found->second.bytes, "");
            }
        } catch (const InvalidInput&) {
            continue;  // of a format that only renderers read: nothing is known of its colours
        }
        if (picture->second.rgba.empty()) {
            continue;
        }
        is_found = true;
        for (int c = 0; c < 3; ++c) {
            sample_mask(mesh, picture->second, c, part.first_triangle, part.triangle_count,
                        values[static_cast<size_t>(c)]);
        }
    }
    for (size_t c = 0; c < 3 && is_found; ++c) {
        for (double& value : values[c]) {
            value = value < 0.0 ? value : math::pow(value, 2.2);
        }
        body.set_painted(std::string("picture.") + "rgb"[c], values[c]);
    }
}

std::vector<std::string> texture_mask_files(const Scene& scene) {
    std::vector<std::string> files;
    for (const TextureMask& mask : texture_masks(scene)) {
        if (mask.file != own_picture && std::find(files.begin(), files.end(), mask.file) == files.end()) {
            files.push_back(mask.file);
        }
    }
    return files;
}

void paint_texture_masks(const Scene& scene, Body& body) {
    const ArtMesh& mesh = body.mesh();
    std::map<std::string, Picture> pictures;
    for (const TextureMask& mask : texture_masks(scene)) {
        const std::string where = concat("region \"", mask.region, "\": ");
        require(mesh.uv.rows() > 0, where, "expected a mesh with UVs to lay a picture on, found none");
        VectorXd values = VectorXd::Zero(mesh.positions.rows());
        if (mask.file == own_picture) {
            const std::map<std::string, MaterialPicture> own = base_colour_pictures(body);
            bool is_found = false;
            for (const MeshPart& part : mesh.parts) {
                if (const auto found = own.find(part.material); found != own.end()) {
                    const auto [picture, is_new] = pictures.try_emplace("material " + part.material);
                    if (is_new) {
                        picture->second = read_picture(*found->second.bytes, where);
                    }
                    sample_mask(mesh, picture->second, mask.channel, part.first_triangle, part.triangle_count, values);
                    is_found = true;
                }
            }
            require(is_found, where, "expected a material with a base colour picture, found none");
        } else {
            const auto [picture, is_new] = pictures.try_emplace(mask.file);
            if (is_new) {
                picture->second = read_picture(read_file(scene_path(scene, mask.file), most_mask_bytes), where);
            }
            sample_mask(mesh, picture->second, mask.channel, 0, static_cast<int>(mesh.triangles.rows()), values);
        }
        body.set_painted(mask.region, std::move(values));
    }
}

}  // namespace cutis
