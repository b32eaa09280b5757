#include "wrinkle/map_texels.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <optional>

#include "core/math.h"
#include "stripes/smooth.h"

namespace cutis::wrinkle_detail {

namespace {

constexpr double fine_texels = 8.0;  // a fine wavelength: fewer show less of it, and 3 nothing
constexpr float fine_height = 0.3F;  // of fine lines, heights of the wrinkles
constexpr int neighbourhood = 64;    // pixels a side: patches of one are painted one after the other

double cross(const Vector2d& a, const Vector2d& b) {
    return a.x() * b.y() - a.y() * b.x();
}

/// A piece of the cut mesh in the picture.
struct Outline {
    Vector2d corner[3];  // pixels
    Vector2d normal[3];  // inward, unit, of side k
    bool is_flat = false;
    double doubled = 0.0;  // area

    /// The point itself where it lies inside; else the nearest one on the border.
    Vector2d nearest(const Vector2d& at) const {
        Vector2d best = at;
        double least = 1e300;
        bool is_outside = false;
        for (int k = 0; k < 3; ++k) {
            is_outside = is_outside || normal[k].dot(at - corner[k]) < 0.0;
            const Vector2d edge = corner[(k + 1) % 3] - corner[k];
            const Vector2d on =
                corner[k] + std::clamp((at - corner[k]).dot(edge) / edge.squaredNorm(), 0.0, 1.0) * edge;
            if ((on - at).squaredNorm() < least) {
                least = (on - at).squaredNorm();
                best = on;
            }
        }
        return is_outside ? best : at;
    }
};

struct Texel {
    Vector2d inside;  // pixels: where in its piece values are taken
    float cosine, rise_u, rise_v, height, lead, fine, fine_square, fine_rise_u, fine_rise_v;
    float length;  // texels of a wavelength; 0: not known
};

class Rasterizer {
public:
    Rasterizer(MapTexels& texels, const WrinkleLayout& layout, const Topology& topology, const MatrixX3d& rest,
               const WrinkleMaps::Art& art)
        : texels_(texels), layout_(layout), triangles_(topology.triangles()), rest_(rest), art_(art) {}

    /// UVs may lie in several tiles (UDIM): the picture is of the one with most of the wrinkles.
    bool choose_tile();
    void gather_patches();
    void own_pixels(int padding);
    void fill(const Workers& workers);

private:
    int uv_at(int f, int k) const {
        return art_.mesh->uv_triangles(art_.triangle[static_cast<size_t>(f)],
                                       art_.corner[static_cast<size_t>(f)][static_cast<size_t>(k)]);
    }
    bool has_uv(int f) const { return uv_at(f, 0) >= 0 && uv_at(f, 1) >= 0 && uv_at(f, 2) >= 0; }
    std::pair<int, int> tile_of(int f) const;
    Outline outline_of(size_t piece) const;
    std::optional<Texel> texel_at(size_t piece, const Vector2d& at) const;
    std::vector<std::vector<int>> pixels_of_patches() const;

    MapTexels& texels_;
    const WrinkleLayout& layout_;
    const MatrixX3i& triangles_;
    const MatrixX3d& rest_;
    const WrinkleMaps::Art& art_;
    std::pair<int, int> tile_;
    std::vector<int> patch_of_;                // surface triangle
    std::vector<int> owner_;                   // of each pixel: a piece, or -1
    std::vector<Vector3d> along_u_, along_v_;  // of each frame: derivatives of the place at rest, means of its fan
};

std::pair<int, int> Rasterizer::tile_of(int f) const {
    Vector2d middle = Vector2d::Zero();
    for (int c = 0; c < 3; ++c) {
        middle += art_.mesh->uv.row(uv_at(f, c)).transpose() / 3.0;
    }
    return {static_cast<int>(std::floor(middle.x())), static_cast<int>(std::floor(middle.y()))};
}

bool Rasterizer::choose_tile() {
    std::map<std::pair<int, int>, double> area_of_tile;
    for (size_t piece = 0; piece < layout_.cut.base_triangle.size(); ++piece) {
        if (has_uv(layout_.cut.base_triangle[piece])) {
            area_of_tile[tile_of(layout_.cut.base_triangle[piece])] +=
                layout_.cut.mesh.areas[static_cast<Eigen::Index>(piece)];
        }
    }
    if (area_of_tile.empty()) {
        return false;
    }
    for (int f = 0; f < triangles_.rows(); ++f) {
        if (has_uv(f)) {
            area_of_tile[tile_of(f)] += 0.0;
        }
    }
    texels_.tiles = static_cast<int>(area_of_tile.size());
    tile_ = std::max_element(area_of_tile.begin(), area_of_tile.end(), [](const auto& a, const auto& b) {
                return a.second < b.second;
            })->first;
    return true;
}

void Rasterizer::gather_patches() {
    patch_of_.assign(static_cast<size_t>(triangles_.rows()), -1);
    std::vector<std::pair<std::array<int, 2>, std::array<int, 2>>> corners;  // (vertex, uv), (patch, corner)
    std::vector<Patch>& patches = texels_.patches;
    for (const int f : layout_.cut.base_triangle) {
        if (patch_of_[static_cast<size_t>(f)] >= 0 || !has_uv(f) || tile_of(f) != tile_) {
            continue;
        }
        patch_of_[static_cast<size_t>(f)] = static_cast<int>(patches.size());
        Patch patch{};
        Vector2d at[3];
        for (int k = 0; k < 3; ++k) {
            patch.vertex[k] = triangles_(f, k);
            patch.uv[k] = -1;
            at[k] = art_.mesh->uv.row(uv_at(f, k)).transpose() - Vector2d(tile_.first, tile_.second);
            corners.push_back({{patch.vertex[k], uv_at(f, k)}, {static_cast<int>(patches.size()), k}});
        }
        const Vector2d middle = (at[0] + at[1] + at[2]) / 3.0;
        patch.origin[0] = static_cast<int>(std::floor(middle.x() * texels_.size));
        patch.origin[1] = static_cast<int>(std::floor((1.0 - middle.y()) * texels_.size));
        const Vector2d off =
            Vector2d((patch.origin[0] + 0.5) / texels_.size, 1.0 - (patch.origin[1] + 0.5) / texels_.size) - middle;
        const double doubled = cross(at[1] - at[0], at[2] - at[0]);
        for (int k = 0; k < 3; ++k) {
            const Vector2d side = at[(k + 2) % 3] - at[(k + 1) % 3];
            const Vector2d along = doubled != 0.0 ? Vector2d(-side.y() / doubled, side.x() / doubled) : Vector2d(0, 0);
            patch.along[k] = along.cast<float>();
            patch.weight[k] = static_cast<float>(1.0 / 3.0 + along.dot(off));
        }
        patches.push_back(patch);
    }
    std::sort(corners.begin(), corners.end());
    texels_.first_fan.push_back(0);
    for (size_t i = 0; i < corners.size(); ++i) {
        if (i > 0 && corners[i].first != corners[i - 1].first) {
            texels_.first_fan.push_back(static_cast<int>(i));
        }
        patches[static_cast<size_t>(corners[i].second[0])].uv[corners[i].second[1]] =
            static_cast<int>(texels_.first_fan.size()) - 1;
        texels_.fan.push_back(corners[i].second[0]);
    }
    texels_.first_fan.push_back(static_cast<int>(corners.size()));
    for (size_t i = 0; i + 1 < texels_.first_fan.size(); ++i) {
        Vector3d u = Vector3d::Zero();
        Vector3d v = Vector3d::Zero();
        for (int n = texels_.first_fan[i]; n < texels_.first_fan[i + 1]; ++n) {
            const Patch& patch = patches[static_cast<size_t>(texels_.fan[static_cast<size_t>(n)])];
            for (int k = 0; k < 3; ++k) {
                u += static_cast<double>(patch.along[k].x()) * rest_.row(patch.vertex[k]);
                v += static_cast<double>(patch.along[k].y()) * rest_.row(patch.vertex[k]);
            }
        }
        const double count = texels_.first_fan[i + 1] - texels_.first_fan[i];
        along_u_.emplace_back(u / count);
        along_v_.emplace_back(v / count);
    }
}

Outline Rasterizer::outline_of(size_t piece) const {
    Outline outline;
    const int f = layout_.cut.base_triangle[piece];
    for (int k = 0; k < 3; ++k) {
        Vector2d uv = Vector2d::Zero();
        for (int c = 0; c < 3; ++c) {
            uv += layout_.cut.corner[piece][static_cast<size_t>(k)][c] * art_.mesh->uv.row(uv_at(f, c)).transpose();
        }
        uv -= Vector2d(tile_.first, tile_.second);
        outline.corner[k] = {uv.x() * texels_.size - 0.5, (1.0 - uv.y()) * texels_.size - 0.5};
    }
    outline.doubled = cross(outline.corner[1] - outline.corner[0], outline.corner[2] - outline.corner[0]);
    for (int k = 0; k < 3; ++k) {
        const Vector2d edge = outline.corner[(k + 1) % 3] - outline.corner[k];
        outline.is_flat = outline.is_flat || !(edge.norm() > 1e-12);
        outline.normal[k] = Vector2d(-edge.y(), edge.x()).normalized() * (outline.doubled < 0.0 ? -1.0 : 1.0);
    }
    outline.is_flat = outline.is_flat || !(std::abs(outline.doubled) > 1e-12);
    return outline;
}

void Rasterizer::own_pixels(int padding) {
    // How far outside its piece a pixel lies that was given one; pieces that hold it win over those near it.
    constexpr float empty = 1e30F;
    const int size = texels_.size;
    std::vector<float> outside(static_cast<size_t>(size) * static_cast<size_t>(size), empty);
    owner_.assign(outside.size(), -1);
    long inside = 0;
    long twice = 0;
    for (size_t piece = 0; piece < layout_.cut.base_triangle.size(); ++piece) {
        if (patch_of_[static_cast<size_t>(layout_.cut.base_triangle[piece])] < 0) {
            continue;
        }
        const Outline outline = outline_of(piece);
        if (outline.is_flat) {
            continue;
        }
        const auto low = [&](int c) {
            return static_cast<int>(std::clamp(
                std::floor(std::min({outline.corner[0][c], outline.corner[1][c], outline.corner[2][c]})) - padding, 0.0,
                size - 1.0));
        };
        const auto high = [&](int c) {
            return static_cast<int>(std::clamp(
                std::ceil(std::max({outline.corner[0][c], outline.corner[1][c], outline.corner[2][c]})) + padding, 0.0,
                size - 1.0));
        };
        const int f = layout_.cut.base_triangle[piece];
        for (int y = low(1); y <= high(1); ++y) {
            for (int x = low(0); x <= high(0); ++x) {
                double far = 0.0;
                double least = 1e30;
                for (int k = 0; k < 3; ++k) {
                    const double depth = outline.normal[k].dot(Vector2d(x, y) - outline.corner[k]);
                    far = std::max(far, -depth);
                    least = std::min(least, depth);
                }
                if (far > padding) {
                    continue;
                }
                const size_t pixel = static_cast<size_t>(y) * static_cast<size_t>(size) + static_cast<size_t>(x);
                if (far <= 0.0) {
                    ++inside;
                    // Both well inside: not the two sides of a common edge.
                    twice += outside[pixel] < -0.05F && least > 0.05 &&
                                     layout_.cut.base_triangle[static_cast<size_t>(owner_[pixel])] != f
                                 ? 1
                                 : 0;
                }
                const auto value = static_cast<float>(far > 0.0 ? far : -least);
                if (value < outside[pixel] && (outside[pixel] > 0.0F || outside[pixel] == empty)) {
                    outside[pixel] = value;
                    owner_[pixel] = static_cast<int>(piece);
                }
            }
        }
    }
    texels_.overlap = inside > 0 ? static_cast<double>(twice) / static_cast<double>(inside) : 0.0;
}

/// \return nothing where no wrinkle may be
std::optional<Texel> Rasterizer::texel_at(size_t piece, const Vector2d& at) const {
    const Outline outline = outline_of(piece);
    const int f = layout_.cut.base_triangle[piece];
    const Vector2d inside = outline.nearest(at);
    const auto weights_at = [&](const Vector2d& point) {
        Vector3d weight;
        for (int k = 0; k < 3; ++k) {
            weight[k] =
                cross(outline.corner[(k + 2) % 3] - outline.corner[(k + 1) % 3], point - outline.corner[(k + 1) % 3]) /
                outline.doubled;
        }
        return weight;
    };
    const auto of_triangle = [&](const Vector3d& b) {
        Vector3d weight = Vector3d::Zero();
        for (int k = 0; k < 3; ++k) {
            weight += b[k] * layout_.cut.corner[piece][static_cast<size_t>(k)];
        }
        return weight;
    };
    const auto place_of = [&](const Vector3d& weight) {
        Vector3d place = Vector3d::Zero();
        for (int c = 0; c < 3; ++c) {
            place += weight[c] * rest_.row(triangles_(f, c));
        }
        return place;
    };
    const Vector3d b = weights_at(inside);
    const Vector3d weight = of_triangle(b);
    const Vector3d place = place_of(weight);
    // Quadratic between the corners: exact where the slope changes linearly.
    double phi = 0.0;
    Vector3d slope = Vector3d::Zero();
    double fine_phi = 0.0;
    Vector3d fine_slope = Vector3d::Zero();
    double presence = 0.0, height = 0.0, lead = 0.0, fine = 0.0;
    for (int k = 0; k < 3; ++k) {
        const int v = layout_.cut.mesh.triangles(static_cast<Eigen::Index>(piece), k);
        const Vector3d from = layout_.cut.mesh.rest.row(v);
        const auto add = [&](const WrinkleLayout::Angles& angles, double& phase, Vector3d& grade) {
            const Vector3d& g = angles.slope[piece][static_cast<size_t>(k)];
            phase += b[k] * (angles.phase[piece][static_cast<size_t>(k)] + 0.5 * g.dot(place - from));
            grade += b[k] * g;
        };
        add(layout_.angles, phi, slope);
        if (!layout_.fine_angles.phase.empty()) {
            add(layout_.fine_angles, fine_phi, fine_slope);
        }
        presence += b[k] * layout_.presence[v];
        height += b[k] * layout_.height[v];
        lead += b[k] * layout_.lead[v];
        fine += b[k] * layout_.fine[v];
    }
    if (inside != at) {
        // Beyond the border stripes go on as straight ones, everything else stays: a piece may be far smaller than the
        // padding.
        const Vector3d beyond = place_of(of_triangle(weights_at(at))) - place;
        phi += slope.dot(beyond);
        fine_phi += fine_slope.dot(beyond);
    }
    height = std::max(0.0, presence) * std::max(0.0, height);
    if (!(height > 0.0)) {
        return std::nullopt;
    }
    // By the means of the fans, as posed frames are: where UVs are distorted from triangle to triangle, slopes by the
    // triangle's own would not fit them.
    const Patch& patch = texels_.patches[static_cast<size_t>(patch_of_[static_cast<size_t>(f)])];
    Vector3d by_u = Vector3d::Zero();
    Vector3d by_v = Vector3d::Zero();
    for (int c = 0; c < 3; ++c) {
        by_u += weight[c] * along_u_[static_cast<size_t>(patch.uv[c])];
        by_v += weight[c] * along_v_[static_cast<size_t>(patch.uv[c])];
    }
    const Vector2d in_uv(slope.dot(by_u), slope.dot(by_v));
    const Vector2d fine_in_uv(fine_slope.dot(by_u), fine_slope.dot(by_v));
    const auto texels_of = [&](const Vector2d& grade) { return std::numbers::pi * texels_.size / grade.norm(); };
    const double across = texels_of(fine_in_uv.norm() > 1e-9 ? fine_in_uv : Vector2d(1e-9, 0.0));
    fine = std::max(0.0, fine) * stripes::smooth_step((across - 3.0) / (fine_texels - 3.0)) *
           static_cast<double>(fine_height);
    const double fine_sine = math::sin(fine_phi);
    const Vector2d rise = math::sin(phi) * in_uv;
    const Vector2d fine_rise = fine * fine_sine * math::cos(fine_phi) * fine_in_uv;
    Texel texel{};
    texel.inside = inside;
    texel.cosine = static_cast<float>(math::cos(phi));
    texel.rise_u = static_cast<float>(rise.x());
    texel.rise_v = static_cast<float>(rise.y());
    texel.height = static_cast<float>(height);
    texel.lead = static_cast<float>(std::clamp(lead, -1.0, 1.0));
    texel.fine = static_cast<float>(fine);
    texel.fine_square = static_cast<float>(fine_sine * fine_sine);
    texel.fine_rise_u = static_cast<float>(fine_rise.x());
    texel.fine_rise_v = static_cast<float>(fine_rise.y());
    texel.length = in_uv.norm() > 0.0 ? static_cast<float>(texels_of(in_uv)) : 0.0F;
    return texel;
}

std::vector<std::vector<int>> Rasterizer::pixels_of_patches() const {
    std::vector<std::vector<int>> pixels(texels_.patches.size());
    for (size_t pixel = 0; pixel < owner_.size(); ++pixel) {
        if (owner_[pixel] >= 0) {
            const int f = layout_.cut.base_triangle[static_cast<size_t>(owner_[pixel])];
            pixels[static_cast<size_t>(patch_of_[static_cast<size_t>(f)])].push_back(static_cast<int>(pixel));
        }
    }
    return pixels;
}

void Rasterizer::fill(const Workers& workers) {
    const std::vector<std::vector<int>> pixels = pixels_of_patches();
    std::vector<int> order(pixels.size());
    for (size_t i = 0; i < order.size(); ++i) {
        order[i] = static_cast<int>(i);
    }
    const auto place = [&](int patch) {
        const int* origin = texels_.patches[static_cast<size_t>(patch)].origin;
        return std::array<int, 3>{origin[1] / neighbourhood, origin[0] / neighbourhood, patch};
    };
    std::sort(order.begin(), order.end(), [&](int a, int b) { return place(a) < place(b); });
    std::vector<std::vector<TexelBlock>> blocks(order.size());
    std::vector<std::vector<float>> lengths(order.size());
    const auto coordinate = [&](double at, int origin) {
        return static_cast<std::int16_t>(std::clamp(std::lround((at - origin) * texels_.parts), -32767L, 32767L));
    };
    workers.for_chunks(static_cast<int>(order.size()), 64, [&](int begin, int end) {
        for (int i = begin; i < end; ++i) {
            const int number = order[static_cast<size_t>(i)];
            const Patch& patch = texels_.patches[static_cast<size_t>(number)];
            std::vector<TexelBlock>& own = blocks[static_cast<size_t>(i)];
            for (const int pixel : pixels[static_cast<size_t>(number)]) {
                const int column = pixel % texels_.size;
                const int row = pixel / texels_.size;
                const std::optional<Texel> texel =
                    texel_at(static_cast<size_t>(owner_[static_cast<size_t>(pixel)]), Vector2d(column, row));
                if (!texel) {
                    continue;
                }
                if (own.empty() || own.back().count == TexelBlock::size) {
                    own.push_back({});
                    own.back().patch = number;
                }
                TexelBlock& block = own.back();
                for (int k = block.count; k < TexelBlock::size; ++k) {
                    block.cosine[k] = texel->cosine;
                    block.rise_u[k] = texel->rise_u;
                    block.rise_v[k] = texel->rise_v;
                    block.height[k] = texel->height;
                    block.lead[k] = texel->lead;
                    block.fine[k] = texel->fine;
                    block.fine_square[k] = texel->fine_square;
                    block.fine_rise_u[k] = texel->fine_rise_u;
                    block.fine_rise_v[k] = texel->fine_rise_v;
                    block.column[k] = coordinate(texel->inside.x(), patch.origin[0]);
                    block.row[k] = coordinate(texel->inside.y(), patch.origin[1]);
                    block.pixel[k] = pixel;
                }
                ++block.count;
                if (texel->length > 0.0F) {
                    lengths[static_cast<size_t>(i)].push_back(texel->length);
                }
            }
        }
    });
    size_t total = 0;
    for (const std::vector<TexelBlock>& own : blocks) {
        total += own.size();
    }
    texels_.blocks.reserve(total);
    std::vector<float> all;
    for (size_t i = 0; i < blocks.size(); ++i) {
        texels_.blocks.insert(texels_.blocks.end(), blocks[i].begin(), blocks[i].end());
        all.insert(all.end(), lengths[i].begin(), lengths[i].end());
        for (const TexelBlock& block : blocks[i]) {
            texels_.count += block.count;
        }
        blocks[i] = {};
    }
    if (!all.empty()) {
        const auto middle = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
        std::nth_element(all.begin(), middle, all.end());
        texels_.wavelength = *middle;
    }
}

}  // namespace

MapTexels::MapTexels(const WrinkleLayout& layout, const Topology& topology, const MatrixX3d& rest,
                     const WrinkleMaps::Art& art, int side, int padding, const Workers& workers)
    : size(side), parts(std::max(1, 32767 / side)) {
    Rasterizer rasterizer(*this, layout, topology, rest, art);
    if (!rasterizer.choose_tile()) {
        return;
    }
    rasterizer.gather_patches();
    rasterizer.own_pixels(padding);
    rasterizer.fill(workers);
}

}  // namespace cutis::wrinkle_detail
