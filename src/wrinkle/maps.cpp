#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "core/simd.h"
#include "cutis/core/error.h"
#include "wrinkle/map_texels.h"
#include "wrinkle/parts.h"
#include "wrinkle/profile.h"

// Wrinkles as pictures: everything that does not move is kept per texel.

namespace cutis {

using Eigen::Vector3f;
using simd::Floats;
using wrinkle_detail::MapTexels;
using wrinkle_detail::mean_height;
using wrinkle_detail::Patch;
using wrinkle_detail::TexelBlock;

namespace wrinkle_detail {

/// Heights along the posed directions of u and v, at a corner: slopes s of a height by u and v become tangent-space
/// slopes (a s_u, c s_v - b s_u).
struct PosedFrame {
    float a = 0.0F, b = 0.0F, c = 0.0F;
};

/// Of a surface vertex in the pose.
struct VertexValues {
    float height, sharpness, scale, lead;
};

}  // namespace wrinkle_detail

using wrinkle_detail::PosedFrame;
using wrinkle_detail::VertexValues;

namespace {

/// A number that changes evenly over a patch.
struct Even {
    Floats at_origin, by_column, by_row;
    Floats at(Floats column, Floats row) const { return at_origin + by_column * column + by_row * row; }
};

Floats floats_of(const std::int16_t* from) {
    using Shorts = std::int16_t __attribute__((vector_size(16)));
    return __builtin_convertvector(*reinterpret_cast<const Shorts*>(from), Floats);
}

/// All that texels of a patch share in a pose.
struct PosedPatch {
    Even height, sharpness, scale, lead;
    Even a, b, c;             // of the posed frame
    Floats along_u, along_v;  // slope of the height
    bool is_flat = true;

    /// \param step  of u and v, from one of the coordinates in blocks to the next
    PosedPatch(const Patch& patch, float step, const std::vector<VertexValues>& values,
               const std::vector<PosedFrame>& frames) {
        const VertexValues* v[3];
        const PosedFrame* f[3];
        float by_column[3];
        float by_row[3];
        for (int k = 0; k < 3; ++k) {
            v[k] = &values[static_cast<size_t>(patch.vertex[k])];
            f[k] = &frames[static_cast<size_t>(patch.uv[k])];
            by_column[k] = patch.along[k].x() * step;
            by_row[k] = -patch.along[k].y() * step;
            is_flat = is_flat && !(v[k]->height > 0.0F);
        }
        const auto sum = [](const float* factor, float x, float y, float z) {
            return simd::all<Floats>(static_cast<double>(factor[0] * x + factor[1] * y + factor[2] * z));
        };
        const auto even = [&](float x, float y, float z) {
            return Even{sum(patch.weight, x, y, z), sum(by_column, x, y, z), sum(by_row, x, y, z)};
        };
        height = even(v[0]->height, v[1]->height, v[2]->height);
        sharpness = even(v[0]->sharpness, v[1]->sharpness, v[2]->sharpness);
        scale = even(v[0]->scale, v[1]->scale, v[2]->scale);
        lead = even(v[0]->lead, v[1]->lead, v[2]->lead);
        a = even(f[0]->a, f[1]->a, f[2]->a);
        b = even(f[0]->b, f[1]->b, f[2]->b);
        c = even(f[0]->c, f[1]->c, f[2]->c);
        const float along[2][3] = {{patch.along[0].x(), patch.along[1].x(), patch.along[2].x()},
                                   {patch.along[0].y(), patch.along[1].y(), patch.along[2].y()}};
        along_u = sum(along[0], v[0]->height, v[1]->height, v[2]->height);
        along_v = sum(along[1], v[0]->height, v[1]->height, v[2]->height);
    }
};

/// Heights and normals of eight texels.
struct PaintedBlock {
    Floats height, x, y, z;
};
PaintedBlock paint_block(const PosedPatch& patch, const TexelBlock& block) {
    const Floats none = simd::all<Floats>(0.0);
    const Floats one = simd::all<Floats>(1.0);
    const Floats middle = simd::all<Floats>(mean_height);
    const Floats column = floats_of(block.column);
    const Floats row = floats_of(block.row);
    const Floats height = simd::larger(patch.height.at(column, row), none);
    const Floats sharpness = patch.sharpness.at(column, row);
    const Floats scale = patch.scale.at(column, row);
    const Floats lead = simd::load(block.lead) * patch.lead.at(column, row);
    const Floats cosine = simd::load(block.cosine);
    const Floats square = sharpness * sharpness;
    const Floats root = simd::root(simd::larger(one - cosine * cosine, none) + square);
    const Floats f = (root - sharpness) * scale - middle;
    const Floats inverse = simd::inverse_root(one + lead * lead);
    const Floats led = one + lead * cosine;
    Floats y = f * led * inverse;
    // Derivative by phi over the sine of phi, which stands in the block.
    const Floats by_phi = (cosine * scale * led / root - f * lead) * inverse;
    Floats slope_u = by_phi * simd::load(block.rise_u);
    Floats slope_v = by_phi * simd::load(block.rise_v);
    const Floats fine = simd::load(block.fine);
    if (simd::any(fine > none)) {
        const Floats fine_root = simd::root(simd::load(block.fine_square) + square);
        y += fine * ((fine_root - sharpness) * scale - middle);
        const Floats by_fine = scale / fine_root;
        slope_u += by_fine * simd::load(block.fine_rise_u);
        slope_v += by_fine * simd::load(block.fine_rise_v);
    }
    const Floats factor = simd::load(block.height);
    slope_u = factor * (height * slope_u + y * patch.along_u);
    slope_v = factor * (height * slope_v + y * patch.along_v);
    const auto is_raised = height > none;
    const Floats x = simd::select(is_raised, slope_u * patch.a.at(column, row), none);
    const Floats z =
        simd::select(is_raised, slope_v * patch.c.at(column, row) - slope_u * patch.b.at(column, row), none);
    const Floats size = simd::inverse_root(one + x * x + z * z);
    return {height * factor * y, (none - x) * size, (none - z) * size, size};
}

}  // namespace

struct WrinkleMaps::Parts {
    MapTexels texels;
    // Of the pose.
    std::vector<VertexValues> values;  // per surface vertex
    std::vector<PosedFrame> frames;
    struct Tangents {
        Vector3f u, v;  // of a patch: derivatives of the place
    };
    std::vector<Tangents> tangents;

    void pose_values(const WrinkleHeights& wrinkles, const Workers& workers);
    void pose_frames(const MatrixX3d& posed, const Workers& workers);
};

void WrinkleMaps::Parts::pose_values(const WrinkleHeights& wrinkles, const Workers& workers) {
    workers.for_chunks(static_cast<int>(values.size()), 2048, [&](int begin, int end) {
        for (int v = begin; v < end; ++v) {
            const double r = wrinkles.take_up[v];
            const double d = wrinkle_detail::sharpness_at(r);
            values[static_cast<size_t>(v)] = {static_cast<float>(wrinkles.height[v]), static_cast<float>(d),
                                              static_cast<float>(std::sqrt(1.0 + d * d) + d),
                                              static_cast<float>(wrinkle_detail::lead_at(r))};
        }
    });
}

void WrinkleMaps::Parts::pose_frames(const MatrixX3d& posed, const Workers& workers) {
    workers.for_chunks(static_cast<int>(texels.patches.size()), 1024, [&](int begin, int end) {
        for (int i = begin; i < end; ++i) {
            const Patch& patch = texels.patches[static_cast<size_t>(i)];
            Vector3d u = Vector3d::Zero();
            Vector3d v = Vector3d::Zero();
            for (int k = 0; k < 3; ++k) {
                u += static_cast<double>(patch.along[k].x()) * posed.row(patch.vertex[k]);
                v += static_cast<double>(patch.along[k].y()) * posed.row(patch.vertex[k]);
            }
            tangents[static_cast<size_t>(i)] = {u.cast<float>(), v.cast<float>()};
        }
    });
    workers.for_chunks(static_cast<int>(frames.size()), 1024, [&](int begin, int end) {
        for (int i = begin; i < end; ++i) {
            Vector3f u = Vector3f::Zero();
            Vector3f v = Vector3f::Zero();
            const int first = texels.first_fan[static_cast<size_t>(i)];
            const int last = texels.first_fan[static_cast<size_t>(i) + 1];
            for (int n = first; n < last; ++n) {
                const Tangents& tangent = tangents[static_cast<size_t>(texels.fan[static_cast<size_t>(n)])];
                u += tangent.u;
                v += tangent.v;
            }
            u /= static_cast<float>(last - first);
            v /= static_cast<float>(last - first);
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
            frames[static_cast<size_t>(i)] = frame;
        }
    });
}

WrinkleMaps::WrinkleMaps(const WrinkleSolver& solver, const Topology& topology, const MatrixX3d& rest, const Art& art,
                         int size, int padding, const Workers& workers) {
    require(size >= 16 && size <= 16384, "wrinkle maps: expected 16 to 16384 pixels a side, found ", size);
    require(
        art.mesh != nullptr && art.mesh->uv_triangles.rows() == art.mesh->triangles.rows() && art.mesh->uv.rows() > 0,
        "wrinkle maps: expected a mesh with UVs, found none");
    parts_ = std::make_unique<Parts>(
        Parts{MapTexels(solver.parts().layout, topology, rest, art, size, padding, workers), {}, {}, {}});
    parts_->values.resize(static_cast<size_t>(rest.rows()));
    parts_->tangents.resize(parts_->texels.patches.size());
    parts_->frames.resize(std::max<size_t>(1, parts_->texels.first_fan.size()) - 1);
}

WrinkleMaps::~WrinkleMaps() = default;

int WrinkleMaps::size() const {
    return parts_->texels.size;
}
long WrinkleMaps::texel_count() const {
    return parts_->texels.count;
}
double WrinkleMaps::texels_a_wavelength() const {
    return parts_->texels.wavelength;
}
int WrinkleMaps::tiles() const {
    return parts_->texels.tiles;
}
double WrinkleMaps::overlap() const {
    return parts_->texels.overlap;
}

void WrinkleMaps::paint(const MatrixX3d& posed, const WrinkleHeights& wrinkles, const Workers& workers,
                        std::vector<float>* heights, std::vector<float>* normals) {
    Parts& p = *parts_;
    const MapTexels& texels = p.texels;
    const auto count = static_cast<Eigen::Index>(p.values.size());
    require(posed.rows() == count && wrinkles.height.size() == count && wrinkles.take_up.size() == count,
            "wrinkle maps: expected ", count, " vertices, found ", posed.rows());
    const size_t pixels = static_cast<size_t>(texels.size) * static_cast<size_t>(texels.size);
    if (heights != nullptr && heights->size() != pixels) {
        heights->assign(pixels, 0.0F);
    }
    if (normals != nullptr && normals->size() != 3 * pixels) {
        normals->assign(3 * pixels, 0.0F);
        for (size_t i = 0; i < pixels; ++i) {
            (*normals)[3 * i + 2] = 1.0F;
        }
    }
    p.pose_values(wrinkles, workers);
    if (normals != nullptr) {
        p.pose_frames(posed, workers);
    }
    float* const height_out = heights != nullptr ? heights->data() : nullptr;
    float* const normal_out = normals != nullptr ? normals->data() : nullptr;
    const float step = 1.0F / static_cast<float>(texels.size * texels.parts);
    workers.for_chunks(static_cast<int>(texels.blocks.size()), 4096, [&](int begin, int end) {
        for (int i = begin; i < end;) {
            const int number = texels.blocks[static_cast<size_t>(i)].patch;
            const Patch& patch = texels.patches[static_cast<size_t>(number)];
            const PosedPatch posed_patch(patch, step, p.values, p.frames);
            for (; i < end && texels.blocks[static_cast<size_t>(i)].patch == number; ++i) {
                const TexelBlock& block = texels.blocks[static_cast<size_t>(i)];
                PaintedBlock painted = {simd::all<Floats>(0.0), simd::all<Floats>(0.0), simd::all<Floats>(0.0),
                                        simd::all<Floats>(1.0)};
                if (!posed_patch.is_flat) {
                    painted = paint_block(posed_patch, block);
                }
                for (int k = 0; k < block.count; ++k) {
                    const std::ptrdiff_t pixel = block.pixel[k];
                    if (height_out != nullptr) {
                        height_out[pixel] = painted.height[k];
                    }
                    if (normal_out != nullptr) {
                        normal_out[3 * pixel] = painted.x[k];
                        normal_out[3 * pixel + 1] = painted.y[k];
                        normal_out[3 * pixel + 2] = painted.z[k];
                    }
                }
            }
        }
    });
}

}  // namespace cutis
