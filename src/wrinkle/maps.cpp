#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include "core/math.h"
#include "cutis/core/error.h"
#include "stripes/smooth.h"
#include "wrinkle/parts.h"
#include "wrinkle/profile.h"

// Wrinkles as pictures: everything that does not move is kept per texel.

namespace cutis {

using wrinkle_detail::mean_height;
using wrinkle_detail::WrinkleLayout;

namespace wrinkle_detail {

using Eigen::Vector2f;
using Eigen::Vector3f;

constexpr float fine_height = 0.3F;  // of fine lines, heights of the wrinkles
constexpr double fine_texels = 8.0;   // a fine wavelength: fewer show less of it, and 3 nothing

/// A triangle of the surface over the picture.
struct Patch {
    int vertex[3];      // of the surface
    int uv[3];          // place in the list of posed frames
    Vector2f along[3];  // derivative of each corner's weight by u and v
};

/// A material point under the middle of a texel.
struct Texel {
    int pixel;
    int patch;
    float weight[2];  // of corners 0 and 1
    float cosine;     // of phi
    float sine;
    Vector2f slope;  // of phi by u and v
    float height;    // presence times the factor that breaks lines
    float lead;
    float fine;
    float fine_cosine, fine_sine;
    Vector2f fine_slope;
};

/// Heights along the posed directions of u and v, at a corner: slopes s of a height by u and v become tangent-space
/// slopes (a s_u, c s_v - b s_u).
struct PosedFrame {
    float a = 0.0F, b = 0.0F, c = 0.0F;
};

}  // namespace wrinkle_detail

using Eigen::Vector2f;
using Eigen::Vector3f;
using wrinkle_detail::fine_height;
using wrinkle_detail::fine_texels;
using wrinkle_detail::Patch;
using wrinkle_detail::PosedFrame;
using wrinkle_detail::Texel;

struct WrinkleMaps::Parts {
    const WrinkleSolver* solver = nullptr;
    int size = 0;
    double overlap = 0.0;
    int tiles = 0;
    double texels = 0.0;
    std::vector<Patch> patches;
    std::vector<Texel> list;  // rows from the top
    // Corners of patches that share surface vertex and UV share a posed frame.
    std::vector<int> first_fan;  // of each frame, and one more
    std::vector<int> fan;        // patches around it
    std::vector<PosedFrame> frames;
    std::vector<std::array<float, 4>> values;  // per surface vertex: height, sharpness, its scale, lead
    struct Frame {
        Vector3f u, v;  // of a patch: derivatives of the place
    };
    std::vector<Frame> tangents;

    void rasterize(const WrinkleLayout& layout, const Topology& topology, const MatrixX3d& rest, const Art& art,
                   int padding);
};

namespace {

double cross(const Vector2d& a, const Vector2d& b) {
    return a.x() * b.y() - a.y() * b.x();
}

}  // namespace

void WrinkleMaps::Parts::rasterize(const WrinkleLayout& layout, const Topology& topology, const MatrixX3d& rest,
                                   const Art& art, int padding) {
    const MatrixX3i& triangles = topology.triangles();
    std::vector<int> patch_of(static_cast<size_t>(topology.triangle_count()), -1);
    std::vector<std::pair<std::array<int, 2>, std::array<int, 2>>> corners;  // (vertex, uv), (patch, corner)
    const auto uv_at = [&](int f, int k) {
        return art.mesh->uv_triangles(art.triangle[static_cast<size_t>(f)],
                                      art.corner[static_cast<size_t>(f)][static_cast<size_t>(k)]);
    };
    // UVs may lie in several tiles (UDIM): the picture is of the one with most of the wrinkles.
    const auto tile_of = [&](int f) {
        Vector2d middle = Vector2d::Zero();
        for (int c = 0; c < 3; ++c) {
            middle += art.mesh->uv.row(uv_at(f, c)).transpose() / 3.0;
        }
        return std::pair(static_cast<int>(std::floor(middle.x())), static_cast<int>(std::floor(middle.y())));
    };
    const auto has_uv = [&](int f) { return uv_at(f, 0) >= 0 && uv_at(f, 1) >= 0 && uv_at(f, 2) >= 0; };
    std::map<std::pair<int, int>, double> area_of_tile;
    for (size_t piece = 0; piece < layout.cut.base_triangle.size(); ++piece) {
        if (has_uv(layout.cut.base_triangle[piece])) {
            area_of_tile[tile_of(layout.cut.base_triangle[piece])] +=
                layout.cut.mesh.areas[static_cast<Eigen::Index>(piece)];
        }
    }
    if (area_of_tile.empty()) {
        return;
    }
    for (int f = 0; f < topology.triangle_count(); ++f) {
        if (has_uv(f)) {
            area_of_tile[tile_of(f)] += 0.0;
        }
    }
    tiles = static_cast<int>(area_of_tile.size());
    const std::pair<int, int> main =
        std::max_element(area_of_tile.begin(), area_of_tile.end(), [](const auto& a, const auto& b) {
            return a.second < b.second;
        })->first;
    const Eigen::Vector2i tile(main.first, main.second);
    for (const int f : layout.cut.base_triangle) {
        if (patch_of[static_cast<size_t>(f)] >= 0 || !has_uv(f) || tile_of(f) != main) {
            continue;
        }
        patch_of[static_cast<size_t>(f)] = static_cast<int>(patches.size());
        Patch patch;
        Vector2d at[3];
        for (int k = 0; k < 3; ++k) {
            patch.vertex[k] = triangles(f, k);
            patch.uv[k] = -1;
            at[k] = art.mesh->uv.row(uv_at(f, k));
            corners.push_back({{patch.vertex[k], uv_at(f, k)}, {static_cast<int>(patches.size()), k}});
        }
        const double doubled = cross(at[1] - at[0], at[2] - at[0]);
        for (int k = 0; k < 3; ++k) {
            const Vector2d side = at[(k + 2) % 3] - at[(k + 1) % 3];
            patch.along[k] = doubled != 0.0 ? Vector2f(Vector2d(-side.y() / doubled, side.x() / doubled).cast<float>())
                                            : Vector2f(0, 0);
        }
        patches.push_back(patch);
    }
    std::sort(corners.begin(), corners.end());
    first_fan.push_back(0);
    for (size_t i = 0; i < corners.size(); ++i) {
        if (i > 0 && corners[i].first != corners[i - 1].first) {
            first_fan.push_back(static_cast<int>(i));
        }
        patches[static_cast<size_t>(corners[i].second[0])].uv[corners[i].second[1]] =
            static_cast<int>(first_fan.size()) - 1;
        fan.push_back(corners[i].second[0]);
    }
    first_fan.push_back(static_cast<int>(corners.size()));
    frames.resize(first_fan.size() - 1);
    tangents.resize(patches.size());

    // How far outside its piece a pixel lies that was given one; pieces that hold it win over those near it.
    constexpr float empty = 1e30F;
    std::vector<float> outside(static_cast<size_t>(size) * static_cast<size_t>(size), empty);
    std::vector<int> owner(outside.size(), -1);
    long inside = 0;
    long twice = 0;
    struct Raster {
        Vector2d corner[3];  // pixels
        Vector2d normal[3];  // inward, unit, of side k
        bool is_flat = false;
    };
    const auto raster_of = [&](size_t piece) {
        Raster raster;
        const int f = layout.cut.base_triangle[piece];
        for (int k = 0; k < 3; ++k) {
            Vector2d uv = Vector2d::Zero();
            for (int c = 0; c < 3; ++c) {
                uv += layout.cut.corner[piece][static_cast<size_t>(k)][c] * art.mesh->uv.row(uv_at(f, c)).transpose();
            }
            uv -= tile.cast<double>();
            raster.corner[k] = {uv.x() * size - 0.5, (1.0 - uv.y()) * size - 0.5};
        }
        const double side = cross(raster.corner[1] - raster.corner[0], raster.corner[2] - raster.corner[0]);
        for (int k = 0; k < 3; ++k) {
            const Vector2d edge = raster.corner[(k + 1) % 3] - raster.corner[k];
            raster.is_flat = raster.is_flat || !(edge.norm() > 1e-12);
            raster.normal[k] = Vector2d(-edge.y(), edge.x()).normalized() * (side < 0.0 ? -1.0 : 1.0);
        }
        raster.is_flat = raster.is_flat || !(std::abs(side) > 1e-12);
        return raster;
    };
    for (size_t piece = 0; piece < layout.cut.base_triangle.size(); ++piece) {
        if (patch_of[static_cast<size_t>(layout.cut.base_triangle[piece])] < 0) {
            continue;
        }
        const Raster raster = raster_of(piece);
        if (raster.is_flat) {
            continue;
        }
        const auto low = [&](int c) {
            return static_cast<int>(std::clamp(
                std::floor(std::min({raster.corner[0][c], raster.corner[1][c], raster.corner[2][c]})) - padding, 0.0,
                size - 1.0));
        };
        const auto high = [&](int c) {
            return static_cast<int>(std::clamp(
                std::ceil(std::max({raster.corner[0][c], raster.corner[1][c], raster.corner[2][c]})) + padding, 0.0,
                size - 1.0));
        };
        const int f = layout.cut.base_triangle[piece];
        for (int y = low(1); y <= high(1); ++y) {
            for (int x = low(0); x <= high(0); ++x) {
                double far = 0.0;
                double least = 1e30;
                for (int k = 0; k < 3; ++k) {
                    const double depth = raster.normal[k].dot(Vector2d(x, y) - raster.corner[k]);
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
                                     layout.cut.base_triangle[static_cast<size_t>(owner[pixel])] != f
                                 ? 1
                                 : 0;
                }
                const auto value = static_cast<float>(far > 0.0 ? far : -least);
                if (value < outside[pixel] && (outside[pixel] > 0.0F || outside[pixel] == empty)) {
                    outside[pixel] = value;
                    owner[pixel] = static_cast<int>(piece);
                }
            }
        }
    }
    overlap = inside > 0 ? static_cast<double>(twice) / static_cast<double>(inside) : 0.0;

    std::vector<float> lengths;
    for (size_t pixel = 0; pixel < owner.size(); ++pixel) {
        if (owner[pixel] < 0) {
            continue;
        }
        const auto piece = static_cast<size_t>(owner[pixel]);
        const Raster raster = raster_of(piece);
        const int f = layout.cut.base_triangle[piece];
        const Vector2d at(static_cast<double>(pixel % static_cast<size_t>(size)),
                          static_cast<double>(pixel / static_cast<size_t>(size)));
        const double doubled = cross(raster.corner[1] - raster.corner[0], raster.corner[2] - raster.corner[0]);
        Vector3d b;
        for (int k = 0; k < 3; ++k) {
            b[k] = cross(raster.corner[(k + 2) % 3] - raster.corner[(k + 1) % 3], at - raster.corner[(k + 1) % 3]) /
                   doubled;
        }
        Vector3d weight = Vector3d::Zero();
        Vector3d place = Vector3d::Zero();
        for (int k = 0; k < 3; ++k) {
            weight += b[k] * layout.cut.corner[piece][static_cast<size_t>(k)];
        }
        for (int c = 0; c < 3; ++c) {
            place += weight[c] * rest.row(triangles(f, c));
        }
        // Quadratic between the corners: exact where the slope changes linearly.
        double phi = 0.0;
        Vector3d slope = Vector3d::Zero();
        double fine_phi = 0.0;
        Vector3d fine_slope = Vector3d::Zero();
        Texel texel{};
        double presence = 0.0, height = 0.0, lead = 0.0, fine = 0.0;
        for (int k = 0; k < 3; ++k) {
            const int v = layout.cut.mesh.triangles(static_cast<Eigen::Index>(piece), k);
            const Vector3d from = layout.cut.mesh.rest.row(v);
            const auto add = [&](const WrinkleLayout::Angles& angles, double& phase, Vector3d& grade) {
                const Vector3d& g = angles.slope[piece][static_cast<size_t>(k)];
                phase += b[k] * (angles.phase[piece][static_cast<size_t>(k)] + 0.5 * g.dot(place - from));
                grade += b[k] * g;
            };
            add(layout.angles, phi, slope);
            if (!layout.fine_angles.phase.empty()) {
                add(layout.fine_angles, fine_phi, fine_slope);
            }
            presence += b[k] * layout.presence[v];
            height += b[k] * layout.height[v];
            lead += b[k] * layout.lead[v];
            fine += b[k] * layout.fine[v];
        }
        height = std::max(0.0, presence) * std::max(0.0, height);
        if (!(height > 0.0)) {
            continue;
        }
        const Patch& patch = patches[static_cast<size_t>(patch_of[static_cast<size_t>(f)])];
        Vector3d by_u = Vector3d::Zero();
        Vector3d by_v = Vector3d::Zero();
        for (int c = 0; c < 3; ++c) {
            by_u += static_cast<double>(patch.along[c].x()) * rest.row(triangles(f, c));
            by_v += static_cast<double>(patch.along[c].y()) * rest.row(triangles(f, c));
        }
        texel.pixel = static_cast<int>(pixel);
        texel.patch = patch_of[static_cast<size_t>(f)];
        texel.weight[0] = static_cast<float>(weight[0]);
        texel.weight[1] = static_cast<float>(weight[1]);
        texel.cosine = static_cast<float>(math::cos(phi));
        texel.sine = static_cast<float>(math::sin(phi));
        texel.slope = Vector2f(static_cast<float>(slope.dot(by_u)), static_cast<float>(slope.dot(by_v)));
        texel.height = static_cast<float>(height);
        texel.lead = static_cast<float>(std::clamp(lead, -1.0, 1.0));
        texel.fine_cosine = static_cast<float>(math::cos(fine_phi));
        texel.fine_sine = static_cast<float>(math::sin(fine_phi));
        texel.fine_slope =
            Vector2f(static_cast<float>(fine_slope.dot(by_u)), static_cast<float>(fine_slope.dot(by_v)));
        const double across = std::numbers::pi * size / std::max(1e-9, static_cast<double>(texel.fine_slope.norm()));
        texel.fine =
            static_cast<float>(std::max(0.0, fine) * stripes::smooth_step((across - 3.0) / (fine_texels - 3.0)));
        list.push_back(texel);
        if (texel.slope.norm() > 0.0F) {
            lengths.push_back(static_cast<float>(std::numbers::pi) * static_cast<float>(size) / texel.slope.norm());
        }
    }
    if (!lengths.empty()) {
        const auto middle = lengths.begin() + static_cast<std::ptrdiff_t>(lengths.size() / 2);
        std::nth_element(lengths.begin(), middle, lengths.end());
        texels = *middle;
    }
}

WrinkleMaps::WrinkleMaps(const WrinkleSolver& solver, const Topology& topology, const MatrixX3d& rest, Art art,
                         int size, int padding, const Workers& /*workers*/)
    : parts_(std::make_unique<Parts>()) {
    require(size >= 16 && size <= 16384, "wrinkle maps: expected 16 to 16384 pixels a side, found ", size);
    require(
        art.mesh != nullptr && art.mesh->uv_triangles.rows() == art.mesh->triangles.rows() && art.mesh->uv.rows() > 0,
        "wrinkle maps: expected a mesh with UVs, found none");
    parts_->solver = &solver;
    parts_->size = size;
    parts_->values.resize(static_cast<size_t>(rest.rows()));
    parts_->rasterize(solver.parts().layout, topology, rest, art, padding);
}

WrinkleMaps::~WrinkleMaps() = default;

int WrinkleMaps::size() const {
    return parts_->size;
}
long WrinkleMaps::texel_count() const {
    return static_cast<long>(parts_->list.size());
}
double WrinkleMaps::texels_a_wavelength() const {
    return parts_->texels;
}
int WrinkleMaps::tiles() const {
    return parts_->tiles;
}
double WrinkleMaps::overlap() const {
    return parts_->overlap;
}

void WrinkleMaps::paint(const MatrixX3d& posed, const WrinkleHeights& wrinkles, const Workers& workers,
                        std::vector<float>* heights, std::vector<float>* normals) {
    Parts& p = *parts_;
    const auto count = static_cast<Eigen::Index>(p.values.size());
    require(posed.rows() == count && wrinkles.height.size() == count && wrinkles.take_up.size() == count,
            "wrinkle maps: expected ", count, " vertices, found ", posed.rows());
    const size_t pixels = static_cast<size_t>(p.size) * static_cast<size_t>(p.size);
    if (heights != nullptr && heights->size() != pixels) {
        heights->assign(pixels, 0.0F);
    }
    if (normals != nullptr && normals->size() != 3 * pixels) {
        normals->assign(3 * pixels, 0.0F);
        for (size_t i = 0; i < pixels; ++i) {
            (*normals)[3 * i + 2] = 1.0F;
        }
    }
    workers.for_chunks(static_cast<int>(count), 2048, [&](int begin, int end) {
        for (int v = begin; v < end; ++v) {
            const double r = wrinkles.take_up[v];
            const double d = wrinkle_detail::sharpness_at(r);
            p.values[static_cast<size_t>(v)] = {static_cast<float>(wrinkles.height[v]), static_cast<float>(d),
                                                static_cast<float>(std::sqrt(1.0 + d * d) + d),
                                                static_cast<float>(wrinkle_detail::lead_at(r))};
        }
    });
    if (normals != nullptr) {
        workers.for_chunks(static_cast<int>(p.patches.size()), 1024, [&](int begin, int end) {
            for (int i = begin; i < end; ++i) {
                const Patch& patch = p.patches[static_cast<size_t>(i)];
                Vector3d u = Vector3d::Zero();
                Vector3d v = Vector3d::Zero();
                for (int k = 0; k < 3; ++k) {
                    u += static_cast<double>(patch.along[k].x()) * posed.row(patch.vertex[k]);
                    v += static_cast<double>(patch.along[k].y()) * posed.row(patch.vertex[k]);
                }
                p.tangents[static_cast<size_t>(i)] = {u.cast<float>(), v.cast<float>()};
            }
        });
        workers.for_chunks(static_cast<int>(p.frames.size()), 1024, [&](int begin, int end) {
            for (int i = begin; i < end; ++i) {
                Vector3f u = Vector3f::Zero();
                Vector3f v = Vector3f::Zero();
                for (int n = p.first_fan[static_cast<size_t>(i)]; n < p.first_fan[static_cast<size_t>(i) + 1]; ++n) {
                    const Parts::Frame& tangent = p.tangents[static_cast<size_t>(p.fan[static_cast<size_t>(n)])];
                    u += tangent.u;
                    v += tangent.v;
                }
                const auto fans =
                    static_cast<float>(p.first_fan[static_cast<size_t>(i) + 1] - p.first_fan[static_cast<size_t>(i)]);
                u /= fans;
                v /= fans;
                PosedFrame frame;
                const float length = u.norm();
                if (length > 0.0F) {
                    const float shear = v.dot(u) / length;
                    const float across = (v - shear / length * u).norm();
                    if (across > 1e-6F * v.norm() && across > 0.0F) {
                        frame.a = 1.0F / length;
                        frame.c = 1.0F / across;
                        frame.b = shear / (length * across);
                    }
                }
                p.frames[static_cast<size_t>(i)] = frame;
            }
        });
    }
    workers.for_chunks(static_cast<int>(p.list.size()), 8192, [&](int begin, int end) {
        for (int i = begin; i < end; ++i) {
            const Texel& t = p.list[static_cast<size_t>(i)];
            const Patch& patch = p.patches[static_cast<size_t>(t.patch)];
            const float w0 = t.weight[0];
            const float w1 = t.weight[1];
            const float w2 = 1.0F - w0 - w1;
            const std::array<float, 4>& v0 = p.values[static_cast<size_t>(patch.vertex[0])];
            const std::array<float, 4>& v1 = p.values[static_cast<size_t>(patch.vertex[1])];
            const std::array<float, 4>& v2 = p.values[static_cast<size_t>(patch.vertex[2])];
            const float height = w0 * v0[0] + w1 * v1[0] + w2 * v2[0];
            const auto pixel = static_cast<size_t>(t.pixel);
            if (!(height > 0.0F)) {
                if (heights != nullptr) {
                    (*heights)[pixel] = 0.0F;
                }
                if (normals != nullptr) {
                    (*normals)[3 * pixel] = (*normals)[3 * pixel + 1] = 0.0F;
                    (*normals)[3 * pixel + 2] = 1.0F;
                }
                continue;
            }
            const float sharp = w0 * v0[1] + w1 * v1[1] + w2 * v2[1];
            const float scale = w0 * v0[2] + w1 * v1[2] + w2 * v2[2];
            const float lead = t.lead * (w0 * v0[3] + w1 * v1[3] + w2 * v2[3]);
            const float s = t.sine * t.sine;
            const float root = std::sqrt(s + sharp * sharp);
            const float f = (root - sharp) * scale - static_cast<float>(mean_height);
            const float inverse = 1.0F / std::sqrt(1.0F + lead * lead);
            const float led = 1.0F + lead * t.cosine;
            float y = f * led * inverse;
            float by_phi = (t.sine * t.cosine / root * scale * led - f * lead * t.sine) * inverse;
            float by_fine = 0.0F;
            if (t.fine > 0.0F) {
                const float root2 = std::sqrt(t.fine_sine * t.fine_sine + sharp * sharp);
                const float part = t.fine * fine_height;
                y += part * ((root2 - sharp) * scale - static_cast<float>(mean_height));
                by_fine = part * t.fine_sine * t.fine_cosine / root2 * scale;
            }
            if (heights != nullptr) {
                (*heights)[pixel] = height * t.height * y;
            }
            if (normals != nullptr) {
                const Vector2f along = v0[0] * patch.along[0] + v1[0] * patch.along[1] + v2[0] * patch.along[2];
                const Vector2f slope = t.height * (height * (by_phi * t.slope + by_fine * t.fine_slope) + y * along);
                const PosedFrame& f0 = p.frames[static_cast<size_t>(patch.uv[0])];
                const PosedFrame& f1 = p.frames[static_cast<size_t>(patch.uv[1])];
                const PosedFrame& f2 = p.frames[static_cast<size_t>(patch.uv[2])];
                const float x = slope.x() * (w0 * f0.a + w1 * f1.a + w2 * f2.a);
                const float z =
                    slope.y() * (w0 * f0.c + w1 * f1.c + w2 * f2.c) - slope.x() * (w0 * f0.b + w1 * f1.b + w2 * f2.b);
                const float size = 1.0F / std::sqrt(1.0F + x * x + z * z);
                (*normals)[3 * pixel] = -x * size;
                (*normals)[3 * pixel + 1] = -z * size;
                (*normals)[3 * pixel + 2] = size;
            }
        }
    });
}

}  // namespace cutis
