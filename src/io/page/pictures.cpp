#include "io/page/pictures.h"

#include <algorithm>

#include "cutis/core/error.h"
#include "io/picture/body_pictures.h"

namespace cutis {

namespace {

struct Sort {
    const char* name;
    int most_side;
    int quality;  // of JPEG, 0 .. 100
    bool are_normals;
};
constexpr Sort base_colours = {"picture ", 2048, 88, false};
constexpr Sort normals = {"normals ", 1024, 92, true};

/// \return no bytes: it cannot be read, and its material's part keeps a colour
std::vector<unsigned char> file_for_browser(const MaterialPicture& found, const Sort& sort) {
    try {
        Picture picture = read_picture(*found.bytes, "html: picture");
        const int side = std::max(picture.width, picture.height);
        if (side > sort.most_side) {
            picture = scaled(picture, std::max(1, picture.width * sort.most_side / side),
                             std::max(1, picture.height * sort.most_side / side));
        }
        return found.has_holes ? write_png(picture) : write_jpeg(picture, sort.quality, sort.are_normals);
    } catch (const InvalidInput&) {
        return {};
    }
}

Json picture_json(const MaterialPicture& found, const std::string& section) {
    Json json = {
        {"section", section}, {"type", found.has_holes ? "image/png" : "image/jpeg"}, {"hasHoles", found.has_holes}};
    const std::vector<double> factor(found.factor.data(), found.factor.data() + 3);
    if (factor != std::vector<double>{1.0, 1.0, 1.0}) {
        json["factor"] = factor;
    }
    if (!found.place.empty()) {
        json["place"] = found.place;
    }
    if (!found.repeats[0] || !found.repeats[1]) {
        json["repeats"] = {found.repeats[0], found.repeats[1]};
    }
    return json;
}

}  // namespace

Json PagePictures::add(const Body& body, const ArtMesh& art, PageSections& sections) {
    Json list = Json::array();
    const auto add_all = [&](const std::map<std::string, MaterialPicture>& pictures, const Sort& sort, Places& places) {
        for (const auto& [material, found] : pictures) {
            const bool is_worn =
                std::any_of(art.parts.begin(), art.parts.end(),
                            [&name = material](const MeshPart& part) { return part.material == name; });
            const std::vector<unsigned char> bytes =
                is_worn ? file_for_browser(found, sort) : std::vector<unsigned char>();
            if (!bytes.empty()) {
                places[material] = list.size();
                list.push_back(picture_json(found, sections.add(sort.name + material, bytes)));
            }
        }
    };
    add_all(base_colour_pictures(body), base_colours, base_colours_);
    add_all(normal_pictures(body), normals, normals_);
    return list;
}

void PagePictures::name_in(Json& part, const std::string& material) const {
    const auto name = [&](const char* key, const Places& places) {
        if (const auto found = places.find(material); found != places.end()) {
            part[key] = found->second;
        }
    };
    name("picture", base_colours_);
    name("normals", normals_);
}

}  // namespace cutis
