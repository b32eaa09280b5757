#include "fold/rail_steps.h"

#include <algorithm>
#include <cmath>

#include "cutis/fold/profile.h"

namespace cutis::fold_detail {

namespace {

// Part of the way to a plane (or to a segment's turning over) that may be used.
constexpr double limit_margin = 0.98;
// Rounds of choosing points of equal chords on a folded line.
constexpr int chord_rounds = 3;

Vector3d lane_vector(const LaneVector& v, int lane) {
    return {v.x[lane], v.y[lane], v.z[lane]};
}

void set_lane(LaneVector& v, int lane, const Vector3d& value) {
    v.x[lane] = value.x();
    v.y[lane] = value.y();
    v.z[lane] = value.z();
}

// y <= 1 with g0 + y g1 >= (1 - margin) g0 wherever g1 < 0 < g0.
Lane4 kept_part(const Lane4& g0, const Lane4& g1, const Lane4& kept) {
    const Lane4 bound = limit_margin * g0 / (-g1).max(1e-300);
    return (g0 > 0.0 && g1 < 0.0).select(kept.min(bound), kept);
}

}  // namespace

double smooth_step(double x) {
    const double t = std::clamp(x, 0.0, 1.0);
    return t * t * (3.0 - 2.0 * t);
}

void LaneLine::load(int lane, const double* p, const double* v, const double* b, int count) {
    for (int i = 0; i <= count; ++i, p += 3, v += 3) {
        point[i].x[lane] = p[0];
        point[i].y[lane] = p[1];
        point[i].z[lane] = p[2];
        direction[i].x[lane] = v[0];
        direction[i].y[lane] = v[1];
        direction[i].z[lane] = v[2];
        profile[i][lane] = b[i];
    }
}

void LaneLine::set_offsets_from_profile(int count) {
    for (int i = 0; i <= count; ++i) {
        direction[i] = length(direction[i]).max(1e-300).inverse() * direction[i];
        offset[i] = profile[i] * direction[i];
    }
}

void LaneLine::scale_offsets(int count, const Lane4& scale) {
    for (int i = 0; i <= count; ++i) {
        offset[i] = scale * offset[i];
    }
}

void LaneLine::fill_segments(int count, LaneSegment* segments) const {
    for (int i = 0; i < count; ++i) {
        segments[i].edge = point[i + 1] - point[i];
        segments[i].growth = offset[i + 1] - offset[i];
    }
}

Lane4 LaneLine::highest(int count) const {
    Lane4 top = Lane4::Zero();
    for (int i = 0; i <= count; ++i) {
        top = top.max(dot(offset[i], direction[i]));
    }
    return top;
}

void LaneLine::store(int lane, int count, double* offsets) const {
    for (int i = 0; i <= count; ++i, offsets += 3) {
        offsets[0] = offset[i].x[lane];
        offsets[1] = offset[i].y[lane];
        offsets[2] = offset[i].z[lane];
    }
}

Lane4 polyline_length(const double* const from[4], int count) {
    Lane4 sum = Lane4::Zero();
    for (int i = 0; i < 3 * count; i += 3) {
        LaneVector edge;
        for (int lane = 0; lane < 4; ++lane) {
            const double* p = from[lane] + i;
            edge.x[lane] = p[3] - p[0];
            edge.y[lane] = p[4] - p[1];
            edge.z[lane] = p[5] - p[2];
        }
        sum += length(edge);
    }
    return sum;
}

Lane4 grown_length(const LaneSegment* segments, int count) {
    Lane4 sum = Lane4::Zero();
    for (int i = 0; i < count; ++i) {
        sum += length(segments[i].edge + segments[i].growth);
    }
    return sum;
}

void even_out(LaneLine& line, int lane, int count, const double* fraction) {
    // Points of the folded line and arc length up to each.
    Vector3d folded[most_segments + 1];
    double arc[most_segments + 1];
    arc[0] = 0.0;
    folded[0] = lane_vector(line.point[0], lane) + lane_vector(line.offset[0], lane);
    for (int i = 1; i <= count; ++i) {
        folded[i] = lane_vector(line.point[i], lane) + lane_vector(line.offset[i], lane);
        arc[i] = arc[i - 1] + (folded[i] - folded[i - 1]).norm();
    }
    // Equal parts of the arc have unequal chords where they cut a corner: a second round gives
    // those parts more arc.
    Vector3d even[most_segments + 1];
    double part[most_segments + 1];  // arc of segment i - 1 .. i
    for (int i = 1; i <= count; ++i) {
        part[i] = (fraction[i] - fraction[i - 1]) * arc[count];
    }
    even[0] = folded[0];
    even[count] = folded[count];
    for (int round = 0; round < chord_rounds; ++round) {
        int k = 0;
        double wanted = 0.0;
        for (int i = 1; i < count; ++i) {
            wanted += part[i];
            while (k + 2 <= count && arc[k + 1] < wanted) {
                ++k;
            }
            const double span = arc[k + 1] - arc[k];
            const double t = span > 0.0 ? (wanted - arc[k]) / span : 0.0;
            even[i] = folded[k] + t * (folded[k + 1] - folded[k]);
        }
        if (round + 1 < chord_rounds) {
            double sum = 0.0;
            for (int i = 1; i <= count; ++i) {
                const double chord = (even[i] - even[i - 1]).norm();
                const double rest = (fraction[i] - fraction[i - 1]) * arc[count];
                part[i] *= std::min(2.0, rest / std::max(chord, 1e-3 * rest));
                sum += part[i];
            }
            for (int i = 1; i <= count; ++i) {
                part[i] *= arc[count] / sum;
            }
        }
    }
    for (int i = 1; i < count; ++i) {
        set_lane(line.offset[i], lane, even[i] - lane_vector(line.point[i], lane));
    }
}

Lane4 gate_factor(const Lane4& compression, double gate) {
    if (gate <= 0.0) {
        return Lane4::Ones();
    }
    const Lane4 t = (compression / gate).max(0.0).min(1.0);
    return t * t * (3.0 - 2.0 * t);
}

Lane4 cap_factor(const Lane4& height, const Lane4& cap, Mask4& is_capped) {
    Lane4 factor = Lane4::Ones();
    for (int lane = 0; lane < 4; ++lane) {
        const double free = 0.75 * cap[lane];
        const double rest = cap[lane] - free;
        is_capped[lane] = height[lane] > free;
        if (is_capped[lane]) {
            // Slope 1 at `free`, cap at infinity.
            factor[lane] = (free + rest * -std::expm1((free - height[lane]) / rest)) / height[lane];
        }
    }
    return factor;
}

Lane4 limit_factor(const LaneLine& line, int count) {
    Lane4 kept = Lane4::Ones();
    // End planes: through the end points, spanned by direction and the transverse of the line.
    const auto plane_normal = [&](int end, int next) {
        const LaneVector edge = line.point[next] - line.point[end];
        const Lane4 along = dot(edge, line.direction[end]);
        return edge - along * line.direction[end];
    };
    const LaneVector first = plane_normal(0, 1);
    const LaneVector last = plane_normal(count, count - 1);
    for (int i = 1; i < count; ++i) {
        kept =
            kept_part(dot(line.point[i] - line.point[0], first), dot(line.offset[i], first), kept);
        kept = kept_part(dot(line.point[i] - line.point[count], last), dot(line.offset[i], last),
                         kept);
    }
    // No segment may turn back: (e + y w) . e > 0.
    for (int i = 0; i < count; ++i) {
        const LaneVector edge = line.point[i + 1] - line.point[i];
        kept = kept_part(dot(edge, edge), dot(line.offset[i + 1] - line.offset[i], edge), kept);
    }
    return kept;
}

double plane_factor(const LaneLine& line, int lane, int count, const FoldPlane& plane) {
    double kept = 1.0;
    for (int i = 1; i < count; ++i) {
        double g0 = (lane_vector(line.point[i], lane) - plane.point).dot(plane.normal);
        double g1 = lane_vector(line.offset[i], lane).dot(plane.normal);
        if (g0 < 0.0) {
            g0 = -g0;
            g1 = -g1;
        }
        if (g1 < 0.0 && g0 > 0.0) {
            kept = std::min(kept, limit_margin * g0 / -g1);
        }
    }
    return kept;
}

void PairLine::load(const double* base, const double* directions, const double* offsets,
                    const double* fractions, int segments, double first_part, bool is_second) {
    count_ = 2 * segments;
    const int first = is_second ? segments : 0;
    for (int i = 0; i <= segments; ++i) {
        // The middle belongs to both; its offset there is the same.
        const int at = first + i;
        point_[at] = Eigen::Map<const Vector3d>(base + 3 * i);
        direction_[at] = Eigen::Map<const Vector3d>(directions + 3 * i);
        offset_[at] = Eigen::Map<const Vector3d>(offsets + 3 * i);
        const double arc =
            is_second ? first_part + (1.0 - first_part) * fractions[i] : first_part * fractions[i];
        place_[at] = 2.0 * arc - 1.0;
    }
}

double PairLine::solve(double rest, bool is_near, const FoldTolerance& tolerance) {
    const auto lanes = [](const Vector3d& v) {
        return LaneVector{Lane4::Constant(v.x()), Lane4::Constant(v.y()), Lane4::Constant(v.z())};
    };
    for (int i = 0; i < count_; ++i) {
        segments_[i].edge = lanes(point_[i + 1] - point_[i]);
        segments_[i].growth = lanes(offset_[i + 1] - offset_[i]);
    }
    const Mask4 first(true, false, false, false);
    const LaneRoot root = is_near ? rescale_lanes(segments_, count_, Lane4::Constant(rest),
                                                  Lane4::Constant(length(0.0)), first,
                                                  tolerance.length, tolerance.most_iterations)
                                  : solve_lanes(segments_, count_, Lane4::Constant(rest), first,
                                                tolerance.length, tolerance.most_iterations);
    return root.scale[0];
}

double PairLine::length(double scale) const {
    double sum = 0.0;
    for (int i = 0; i < count_; ++i) {
        sum += (point_[i + 1] - point_[i] + scale * (offset_[i + 1] - offset_[i])).norm();
    }
    return sum;
}

void PairLine::merge(double part, double rest, double factor, const FoldTolerance& tolerance) {
    Vector3d two[2 * most_segments + 1];
    std::copy(offset_, offset_ + count_ + 1, two);
    const double length_of_two = length(1.0);
    const FoldProfile blob = FoldProfile::blob();
    for (int i = 0; i <= count_; ++i) {
        offset_[i] = blob.at(place_[i]) * direction_[i];
    }
    const double height = factor * solve(rest, false, tolerance);
    const double wanted = (1.0 - part) * length_of_two + part * length(height);
    for (int i = 0; i <= count_; ++i) {
        offset_[i] = (1.0 - part) * two[i] + part * height * offset_[i];
    }
    // Where neither shape is longer than the base there is no length to restore.
    if (length(0.0) < wanted) {
        const double scale = solve(wanted, true, tolerance);
        for (int i = 0; i <= count_; ++i) {
            offset_[i] *= scale;
        }
    }
}

void PairLine::store(MatrixX3d& offsets, int rail, int partner, int segments) const {
    for (int i = 0; i <= segments; ++i) {
        offsets.row(rail * (segments + 1) + i) = offset_[i];
        offsets.row(partner * (segments + 1) + i) = offset_[segments + i];
    }
}

double PairLine::highest() const {
    double top = 0.0;
    for (int i = 0; i <= count_; ++i) {
        top = std::max(top, offset_[i].dot(direction_[i]));
    }
    return top;
}

}  // namespace cutis::fold_detail
