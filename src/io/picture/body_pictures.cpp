#include "io/picture/body_pictures.h"

#include <Eigen/Geometry>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <set>
#include <utility>

#include "core/geometry.h"
#include "core/math.h"
#include "cutis/core/error.h"
#include "cutis/io/files.h"
#include "cutis/io/json.h"
#include "cutis/io/scene_read.h"
#include "cutis/mesh/geometry.h"
#include "io/picture/canvas.h"
#include "io/picture/material_json.h"
#include "io/polygons.h"
#include "mesh/log_map.h"
#include "slide/locate.h"

namespace cutis {

namespace {

constexpr int most_side = 2048;                                         // of pictures made or enlarged here
constexpr std::array<double, 4> plain_skin = {0.69, 0.38, 0.245, 1.0};  // linear, of parts without a material

double to_linear(double srgb) {
    return srgb <= 0.04045 ? srgb / 12.92 : math::pow((srgb + 0.055) / 1.055, 2.4);
}
double to_srgb(double linear) {
    return linear <= 0.0031308 ? 12.92 * linear : 1.055 * math::pow(linear, 1.0 / 2.4) - 0.055;
}

/// A material's base colour as a picture one can paint on.
struct Canvas {
    Picture picture;
    std::vector<int> triangles;  // of the surface
    bool is_made = false;        // there was none
    bool is_painted = false;
};

class Painter {
public:
    Painter(Body& body, const WarningCallback& warn)
        : body_(body), warn_(warn), uv_(body), parts_(parts_of(body.mesh())), all_(materials_of(body)) {
        if (const auto& library = body.source().materials) {
            images_ = library->images;
        }
        name_parts();
    }

    void paint(const DecalScene& decal, const Picture& image, const std::string& where) {
        const SurfacePoint centre = place_of(decal, where);
        const MatrixX3i& triangles = uv_.surface.topology().triangles();
        const MatrixX3d& rest = uv_.surface.rest();
        const double area = triangle_area(centre.triangle);
        const double uv_area = std::abs(uv_turn(centre.triangle));
        if (!uv_.has_uv(centre.triangle) || uv_area <= 0.0) {
            throw InvalidInput(concat(
                where, "expected a place with UVs, found ", text_of(interpolate(rest, triangles, centre)),
                " on triangle ", uv_.surface.mesh().art_triangle[static_cast<size_t>(centre.triangle)], " without"));
        }
        const double height = decal.size * image.height / image.width;
        const double radius = 0.5 * math::hypot(decal.size, height);
        const LogMap map = log_map(uv_.surface.topology(), rest, centre, right_of(decal, centre), 1.3 * radius);
        std::set<std::string> touched;
        std::vector<char> is_painted(static_cast<size_t>(triangles.rows()), 0);
        for (int f = 0; f < static_cast<int>(triangles.rows()); ++f) {
            if (uv_.has_uv(f) && map.covers(rest, triangles, f) && meets(map, f, decal.size, height)) {
                is_painted[static_cast<size_t>(f)] = 1;
                touched.insert(material_of(f));
            }
        }
        for (const std::string& material : touched) {
            // Enough pixels for the picture; a copy of it with no more than that.
            Canvas& canvas = canvas_of(material, where);
            const double wanted = std::min(image.width, 256);
            const auto across = [&] {
                return decal.size * std::sqrt(uv_area / area * canvas.picture.width * canvas.picture.height);
            };
            while (across() < wanted && 2 * std::max(canvas.picture.width, canvas.picture.height) <= most_side) {
                canvas.picture = scaled(canvas.picture, 2 * canvas.picture.width, 2 * canvas.picture.height);
            }
            // Characters coloured by a palette have all UVs of a part at one spot.
            constexpr double fewest = 8.0;
            if (across() < fewest) {
                throw InvalidInput(concat(where, "expected UVs with room for a picture, found ", across(),
                                          " pixels across its width on the texture of material \"", material, "\" (",
                                          canvas.picture.width, " pixels wide)"));
            }
            const int columns = static_cast<int>(std::ceil(std::max(across(), 1.0)));
            const Picture fitting =
                columns < image.width
                    ? scaled(image, columns, std::max(1, static_cast<int>(std::lround(columns * height / decal.size))))
                    : image;
            lay(decal, fitting, height, map, is_painted, canvas);
            note_repeats(is_painted, canvas, where);
        }
    }

    void continue_pictures() {
        for (const Json& material : all_["materials"]) {
            const std::string& name = material["name"].as_text();
            if (canvases_.count(name) > 0 || base_picture(all_, material) < 0) {
                continue;
            }
            try {
                canvas_of(name, "");
            } catch (const InvalidInput& error) {
                warn_(concat("The picture of material \"", name, "\" is not continued over seams", error.what()));
            }
        }
        for (auto& [name, canvas] : canvases_) {
            if (!canvas.triangles.empty()) {
                continue_over_seams(uv_, canvas.triangles, canvas.picture);
                canvas.is_painted = true;
            }
        }
    }

    void finish() {
        bool has_changed = false;
        for (const auto& [name, canvas] : canvases_) {
            if (canvas.is_painted) {
                hang_up(name, canvas);
                has_changed = true;
            }
        }
        if (has_changed) {
            auto library = std::make_shared<MaterialLibrary>();
            library->gltf_json = all_.dump();
            library->images = images_;
            body_.set_materials(std::move(library), parts_);
        }
    }

private:
    Json* material_named(const std::string& name) {
        for (Json& material : all_["materials"]) {
            if (material.is_object() && std::as_const(material)["name"].as_text() == name) {
                return &material;
            }
        }
        return nullptr;
    }

    /// Parts without a material get one of their own name, so that they can be painted.
    void name_parts() {
        for (MeshPart& part : parts_) {
            if (part.material.empty()) {
                part.material = "skin";
                while (material_named(part.material) != nullptr) {
                    part.material += "'";
                }
            }
        }
    }

    const std::string& material_of(int f) const {
        const int a = uv_.surface.mesh().art_triangle[static_cast<size_t>(f)];
        const auto part = std::find_if(parts_.begin(), parts_.end(), [&](const MeshPart& one) {
            return a >= one.first_triangle && a < one.first_triangle + one.triangle_count;
        });
        return part->material;
    }

    double triangle_area(int f) const {
        const MatrixX3i& t = uv_.surface.topology().triangles();
        const MatrixX3d& rest = uv_.surface.rest();
        const Vector3d a = rest.row(t(f, 0));
        return (rest.row(t(f, 1)).transpose() - a).cross(rest.row(t(f, 2)).transpose() - a).norm();
    }
    double uv_turn(int f) const {
        if (!uv_.has_uv(f)) {
            return 0.0;
        }
        const Vector2d a = uv_.art->uv.row(uv_.corners(f, 0));
        const Vector2d b = uv_.art->uv.row(uv_.corners(f, 1)).transpose() - a;
        const Vector2d c = uv_.art->uv.row(uv_.corners(f, 2)).transpose() - a;
        return b[0] * c[1] - b[1] * c[0];
    }

    SurfacePoint nearest_to(const Vector3d& target, double& away) const {
        const MatrixX3i& t = uv_.surface.topology().triangles();
        const MatrixX3d& rest = uv_.surface.rest();
        SurfacePoint best;
        double least = -1.0;
        for (int f = 0; f < static_cast<int>(t.rows()); ++f) {
            double square = 0.0;
            const Vector3d weights =
                nearest_in_triangle(target, rest.row(t(f, 0)), rest.row(t(f, 1)), rest.row(t(f, 2)), square);
            if (least < 0.0 || square < least) {
                least = square;
                best = {f, weights};
            }
        }
        away = std::sqrt(least);
        return best;
    }

    SurfacePoint place_of(const DecalScene& decal, const std::string& where) const {
        if (!decal.uv.empty()) {
            return place_of_uv({decal.uv[0], decal.uv[1]}, where);
        }
        double away = 0.0;
        if (!decal.at.empty()) {
            const Vector3d target(decal.at.data());
            const SurfacePoint point = nearest_to(target, away);
            if (!(away <= 0.5 * uv_.surface.main_box().maxCoeff())) {
                throw InvalidInput(concat(where, "at: expected a place on the skin, found ", text_of(target), ", ",
                                          away, " m away from it"));
            }
            return point;
        }
        const Rig* rig = body_.rig();
        const std::vector<std::string> none;
        const std::vector<std::string>& names = rig != nullptr ? rig->name : none;
        const auto found = std::find(names.begin(), names.end(), decal.joint);
        if (found == names.end()) {
            const std::string near = nearest_word(decal.joint, names);
            throw InvalidInput(concat(where, "joint: expected a joint (there is ", word_list(names), "), found \"",
                                      decal.joint, "\"", near.empty() ? "" : "; did you mean \"" + near + "\"?"));
        }
        const Vector3d joint = rig->centre[static_cast<size_t>(found - names.begin())];
        return decal.facing.isZero() ? nearest_to(joint, away)
                                     : place_seen_from(joint, decal.facing.normalized(), where);
    }

    SurfacePoint place_of_uv(const Vector2d& uv, const std::string& where) const {
        for (int f = 0; f < static_cast<int>(uv_.corners.rows()); ++f) {
            const double turn = uv_turn(f);
            if (turn == 0.0) {
                continue;
            }
            const Vector2d a = uv_.art->uv.row(uv_.corners(f, 0));
            const Vector2d b = uv_.art->uv.row(uv_.corners(f, 1)).transpose() - a;
            const Vector2d c = uv_.art->uv.row(uv_.corners(f, 2)).transpose() - a;
            const Vector2d p = uv - a;
            const Vector2d w((p[0] * c[1] - p[1] * c[0]) / turn, (b[0] * p[1] - b[1] * p[0]) / turn);
            if (w.minCoeff() >= 0.0 && w.sum() <= 1.0) {
                return {f, Vector3d(1.0 - w.sum(), w[0], w[1])};
            }
        }
        const auto low = uv_.art->uv.colwise().minCoeff();
        const auto high = uv_.art->uv.colwise().maxCoeff();
        throw InvalidInput(concat(where, "uv: expected a place inside the mesh's UVs (which span ", low[0], " ", low[1],
                                  " to ", high[0], " ", high[1], "), found ", uv[0], " ", uv[1], " between them"));
    }

    /// Where a ray from inside first leaves the skin.
    SurfacePoint place_seen_from(const Vector3d& eye, const Vector3d& ray, const std::string& where) const {
        const MatrixX3i& t = uv_.surface.topology().triangles();
        const MatrixX3d& rest = uv_.surface.rest();
        SurfacePoint best;
        double first = std::numeric_limits<double>::infinity();
        for (int f = 0; f < static_cast<int>(t.rows()); ++f) {
            const Vector3d a = rest.row(t(f, 0));
            Eigen::Matrix3d sides;
            sides << rest.row(t(f, 1)).transpose() - a, rest.row(t(f, 2)).transpose() - a, -ray;
            const double volume = sides.determinant();
            if (volume >= 0.0) {
                continue;  // seen from outside, or along the surface
            }
            const Vector3d solved = sides.inverse() * (eye - a);
            const Vector3d weights(1.0 - solved[0] - solved[1], solved[0], solved[1]);
            if (solved[2] > 0.0 && solved[2] < first && weights.minCoeff() >= 0.0) {
                first = solved[2];
                best = {f, weights};
            }
        }
        require(std::isfinite(first), where, "facing: expected skin in that direction from the joint, found none");
        return best;
    }

    /// The picture's own right on the skin: it stands upright unless turned.
    Vector3d right_of(const DecalScene& decal, const SurfacePoint& centre) const {
        const MatrixX3d normals = vertex_normals(uv_.surface.rest(), uv_.surface.topology());
        const Vector3d n = interpolate(normals, uv_.surface.topology().triangles(), centre).normalized();
        const Vector3d up = std::abs(n.y()) < 0.99 ? Vector3d::UnitY() : Vector3d(-Vector3d::UnitZ());
        const Vector3d right = up.cross(n).normalized();
        return quaternion_exp(decal.turn * (std::numbers::pi / 360.0) * n) * right;
    }

    bool meets(const LogMap& map, int f, double width, double height) const {
        const MatrixX3i& t = uv_.surface.topology().triangles();
        Vector2d low = map.places.row(t(f, 0));
        Vector2d high = low;
        for (int k = 1; k < 3; ++k) {
            low = low.cwiseMin(map.places.row(t(f, k)).transpose());
            high = high.cwiseMax(map.places.row(t(f, k)).transpose());
        }
        return low[0] < 0.5 * width && high[0] > -0.5 * width && low[1] < 0.5 * height && high[1] > -0.5 * height;
    }

    Canvas& canvas_of(const std::string& name, const std::string& where) {
        const auto known = canvases_.find(name);
        if (known != canvases_.end()) {
            return known->second;
        }
        Canvas canvas;
        const Json* material = material_named(name);
        const int image = material != nullptr ? base_picture(all_, *material) : -1;
        std::array<double, 4> factor = plain_skin;
        if (material != nullptr) {
            const Json& given = (*material)["pbrMetallicRoughness"]["baseColorFactor"];
            for (size_t k = 0; k < 4; ++k) {
                factor[k] = given.is_array() && given.size() == 4 && given[k].is_number() ? given[k].as_number() : 1.0;
            }
        }
        if (image >= 0 && static_cast<size_t>(image) < images_.size()) {
            canvas.picture = read_picture(images_[static_cast<size_t>(image)],
                                          concat(where, where.empty() ? "" : "picture of material \"" + name + "\""));
        } else {
            canvas.is_made = true;
            canvas.picture = {512, 512, std::vector<unsigned char>(size_t{4} * 512 * 512, 255)};
        }
        // What the material multiplies its picture with becomes part of it: decals have their own colours.
        std::array<std::array<unsigned char, 256>, 4> table;
        for (size_t k = 0; k < 4; ++k) {
            for (size_t i = 0; i < 256; ++i) {
                const double value = static_cast<double>(i) / 255.0;
                const double product = k < 3 ? to_srgb(factor[k] * to_linear(value)) : factor[k] * value;
                table[k][i] = static_cast<unsigned char>(std::lround(255.0 * std::clamp(product, 0.0, 1.0)));
            }
        }
        for (size_t i = 0; i < canvas.picture.rgba.size(); ++i) {
            canvas.picture.rgba[i] = table[i % 4][canvas.picture.rgba[i]];
        }
        for (int f = 0; f < static_cast<int>(uv_.corners.rows()); ++f) {
            if (uv_.has_uv(f) && material_of(f) == name) {
                canvas.triangles.push_back(f);
            }
        }
        return canvases_.emplace(name, std::move(canvas)).first->second;
    }

    void lay(const DecalScene& decal, const Picture& image, double height, const LogMap& map,
             const std::vector<char>& is_painted, Canvas& canvas) const {
        canvas.is_painted = true;
        Picture& picture = canvas.picture;
        const MatrixX3i& t = uv_.surface.topology().triangles();
        const std::vector<int> cover = covering_triangles(uv_, canvas.triangles, picture);
        std::vector<char> done(cover.size(), 0);
        const auto blend = [&](int x, int y, const Vector2d& place) {
            const double px = (place[0] / decal.size + 0.5) * image.width;
            const double py = (0.5 - place[1] / height) * image.height;
            const size_t i = static_cast<size_t>(y) * static_cast<size_t>(picture.width) + static_cast<size_t>(x);
            if (done[i] != 0 || px < 0.0 || py < 0.0 || px > image.width || py > image.height) {
                return;
            }
            done[i] = 1;
            const Eigen::Vector4d ink =
                image.sample(std::clamp(px, 0.5, image.width - 0.5), std::clamp(py, 0.5, image.height - 0.5)) / 255.0;
            const double share = decal.opacity * ink[3];
            for (int k = 0; k < 3; ++k) {
                unsigned char& pixel = picture.at(x, y)[k];
                const double below = pixel / 255.0;
                const double above = decal.blend == DecalScene::Blend::multiply ? below * ink[k] : ink[k];
                pixel = static_cast<unsigned char>(std::lround(255.0 * (below + share * (above - below))));
            }
        };
        for (const int f : canvas.triangles) {
            if (is_painted[static_cast<size_t>(f)] == 0) {
                continue;
            }
            Eigen::Matrix<double, 3, 2> places;
            for (int k = 0; k < 3; ++k) {
                places.row(k) = map.places.row(t(f, k));
            }
            const auto corners = pixel_corners(uv_, f, picture);
            for_pixels(corners, picture,
                       [&](int x, int y, const Vector3d& weights) { blend(x, y, places.transpose() * weights); });
            // Two pixels beyond, where no triangle is: what is read at a chart's border is painted too.
            Eigen::Matrix<double, 3, 2> grown = corners;
            const Eigen::RowVector2d middle = corners.colwise().mean();
            for (int k = 0; k < 3; ++k) {
                const Eigen::RowVector2d out = corners.row(k) - middle;
                grown.row(k) += out * (4.0 / std::max(out.norm(), 1e-9));
            }
            for_pixels(grown, picture, [&](int x, int y, const Vector3d& weights) {
                if (cover[static_cast<size_t>(y) * static_cast<size_t>(picture.width) + static_cast<size_t>(x)] < 0) {
                    Eigen::Matrix3d there;  // weights of the corners themselves
                    for (int k = 0; k < 3; ++k) {
                        there.col(k) = Vector3d(corners(k, 0), corners(k, 1), 1.0);
                    }
                    const Vector2d at = grown.transpose() * weights;
                    const Vector3d own = there.inverse() * Vector3d(at[0], at[1], 1.0);
                    blend(x, y, places.transpose() * own);
                }
            });
        }
    }

    /// Mirrored characters have two triangles on one place of the texture.
    void note_repeats(const std::vector<char>& is_painted, const Canvas& canvas, const std::string& where) const {
        std::vector<char> done(canvas.picture.rgba.size() / 4, 0);
        int shared = 0;
        int own = 0;
        for (const bool is_first : {true, false}) {
            for (const int f : canvas.triangles) {
                if ((is_painted[static_cast<size_t>(f)] != 0) == is_first) {
                    for_pixels(pixel_corners(uv_, f, canvas.picture), canvas.picture,
                               [&](int x, int y, const Vector3d& weights) {
                                   char& at = done[static_cast<size_t>(y) * static_cast<size_t>(canvas.picture.width) +
                                                   static_cast<size_t>(x)];
                                   own += is_first ? 1 : 0;
                                   shared += !is_first && at != 0 && weights.minCoeff() > 0.05 ? 1 : 0;
                                   at = is_first ? 1 : at;
                               });
                }
            }
        }
        if (shared > own / 20 && warn_) {
            warn_(concat(where,
                         "its place on the texture is used by other triangles as well (a mirrored half, say): "
                         "the picture shows there too"));
        }
    }

    /// The picture becomes the material's base colour.
    void hang_up(const std::string& name, const Canvas& canvas) {
        Json* material = material_named(name);
        if (material == nullptr) {
            all_["materials"].push_back(
                {{"name", name}, {"pbrMetallicRoughness", {{"metallicFactor", 0.0}, {"roughnessFactor", 0.6}}}});
            material = &all_["materials"].back();
        }
        Json& surface = (*material)["pbrMetallicRoughness"];
        Json texture = {{"source", all_["images"].size()}};
        if (!canvas.is_made) {
            const Json& textures = all_["textures"];
            const int old = index_at(std::as_const(surface)["baseColorTexture"], "index", textures);
            if (old >= 0 && textures[old].contains("sampler")) {
                texture["sampler"] = textures[old]["sampler"];
            }
        }
        surface["baseColorTexture"] = {{"index", all_["textures"].size()}};
        surface.erase("baseColorFactor");
        all_["textures"].push_back(std::move(texture));
        all_["images"].push_back({{"mimeType", "image/png"}, {"name", name + " with decals"}});
        images_.resize(all_["images"].size() - 1);
        images_.push_back(write_png(canvas.picture));
    }

    Body& body_;
    const WarningCallback& warn_;
    UvSurface uv_;
    std::vector<MeshPart> parts_;
    Json all_;
    std::vector<std::vector<unsigned char>> images_;
    std::map<std::string, Canvas> canvases_;  // by material
};

bool slides_uvs(const Scene& scene) {
    return std::any_of(scene.layers.begin(), scene.layers.end(), [](const LayerScene& layer) {
        const auto output = layer.values.find("output");
        return layer.kind == "slide" && output != layer.values.end() &&
               (output->second.text == "uv" || output->second.text == "both");
    });
}

Picture picture_of(const Scene& scene, const DecalScene& decal, const std::string& where) {
    if (decal.image == compass) {
        return compass_picture();
    }
    const std::filesystem::path path = scene_path(scene, decal.image);
    if (!std::filesystem::exists(path)) {
        throw IoError(concat(where, "image: \"", path.generic_string(), "\" not found"));
    }
    return read_picture(read_file(path), concat(where, "image: \"", path.generic_string(), "\""));
}

}  // namespace

void paint_body(const Scene& scene, Body& body, const WarningCallback& warn) {
    const bool is_continued = slides_uvs(scene) && body.mesh().uv_triangles.rows() > 0;
    if (scene.decals.empty() && !is_continued) {
        return;
    }
    if (!scene.decals.empty() && body.mesh().uv_triangles.rows() == 0) {
        throw InvalidInput(concat(scene_place(scene.file, scene.decals[0].line, scene.decals[0].column),
                                  "[[decal]] expected a mesh with UVs, found one without"));
    }
    Painter painter(body, warn);
    for (const DecalScene& decal : scene.decals) {
        const std::string where = scene_place(scene.file, decal.line, decal.column) + "[[decal]] ";
        painter.paint(decal, picture_of(scene, decal, where), where);
    }
    if (is_continued) {
        painter.continue_pictures();
    }
    painter.finish();
}

}  // namespace cutis
