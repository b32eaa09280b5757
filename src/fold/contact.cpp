#include "fold/contact.h"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "fold/ball_grid.h"
#include "fold/smooth.h"

namespace cutis::fold_detail {

namespace {

constexpr double meeting_widths = 1.6;  // controls this near can have folds that meet
constexpr double apart_widths = 0.9;    // nearer at rest they are the same fold
constexpr double full_facing = 0.5;     // cosine
// Room never falls below this part of a width: where the base itself crosses, folds stay small
// instead of vanishing.
constexpr double room_floor = 0.05;

}  // namespace

std::vector<int> FoldContact::vertices(const FoldLayout& layout) {
    std::vector<int> vertex(layout.width.size(), 0);
    std::vector<double> most(layout.width.size(), 0.0);
    const Stencils& spread = layout.spread;
    for (int v = 0; v < spread.count(); ++v) {
        for (int s = spread.offsets[static_cast<size_t>(v)]; s < spread.offsets[static_cast<size_t>(v) + 1]; ++s) {
            const auto j = static_cast<size_t>(spread.indices[static_cast<size_t>(s)]);
            if (spread.weights[static_cast<size_t>(s)] > most[j]) {
                most[j] = spread.weights[static_cast<size_t>(s)];
                vertex[j] = v;
            }
        }
    }
    return vertex;
}

FoldContact::FoldContact(const FoldLayout& layout, const FoldPlaces& at, const MatrixX3d& rest,
                         const std::vector<MatrixX3d>& places, double thickness)
    : layout_(layout), at_(at), thickness_(thickness), vertex_(vertices(layout)), plane_(layout.width.size()) {
    std::vector<std::vector<int>> near(vertex_.size());
    const double cell =
        layout.width.empty() ? 1.0 : meeting_widths * *std::max_element(layout.width.begin(), layout.width.end());
    for (const MatrixX3d& place : places) {
        BallGrid grid(cell);
        for (size_t j = 0; j < vertex_.size(); ++j) {
            grid.insert(place.row(static_cast<Eigen::Index>(j)), meeting_widths * layout.width[j], static_cast<int>(j));
        }
        for (size_t j = 0; j < vertex_.size(); ++j) {
            const Vector3d here = place.row(static_cast<Eigen::Index>(j));
            for (const int k : grid.at(here)) {
                const double width = 0.5 * (layout.width[j] + layout.width[static_cast<size_t>(k)]);
                if ((here - Vector3d(place.row(k))).norm() < meeting_widths * width &&
                    (rest.row(vertex_[j]) - rest.row(vertex_[static_cast<size_t>(k)])).norm() > apart_widths * width) {
                    near[j].push_back(k);
                    near[static_cast<size_t>(k)].push_back(static_cast<int>(j));
                }
            }
        }
        for (std::vector<int>& list : near) {
            std::sort(list.begin(), list.end());
            list.erase(std::unique(list.begin(), list.end()), list.end());
        }
    }
    first_.push_back(0);
    for (const std::vector<int>& list : near) {
        other_.insert(other_.end(), list.begin(), list.end());
        first_.push_back(static_cast<int>(other_.size()));
    }
}

FoldContact::Plane FoldContact::plane_of(size_t control, const MatrixX3d& base, const MatrixX3d& directions) const {
    const Vector3d p = base.row(vertex_[control]);
    const Vector3d n = directions.row(vertex_[control]);
    Plane plane;
    Vector3d middle = Vector3d::Zero();
    double sum = 0.0;
    double nearness = 0.0;
    for (int i = first_[control]; i < first_[control + 1]; ++i) {
        const auto other = static_cast<size_t>(other_[static_cast<size_t>(i)]);
        const Vector3d q = base.row(vertex_[other]);
        const Vector3d way = q - p;
        const double far = meeting_widths * 0.5 * (layout_.width[control] + layout_.width[other]);
        const double size = way.norm();
        if (size >= far || size <= 1e-9 * far) {
            continue;
        }
        const Vector3d m = directions.row(vertex_[other]);
        const double facing =
            smooth_step(n.dot(way) / size / full_facing) * smooth_step(-m.dot(way) / size / full_facing);
        if (!(facing > 0.0)) {
            continue;
        }
        const double x = 1.0 - size * size / (far * far);
        const double weight = x * x * facing;
        const double part = weight / (size * size + 1e-3 * far * far);  // the nearest says most
        nearness += weight * weight * weight * weight;
        sum += part;
        plane.normal += part * (n - m).normalized();
        middle += part * 0.5 * (p + q);
    }
    const double size = plane.normal.norm();
    if (sum > 0.0 && size > 1e-6 * sum) {
        plane.normal /= size;
        plane.offset = plane.normal.dot(middle / sum);
        plane.weight = std::min(1.0, std::sqrt(std::sqrt(nearness)));
    }
    return plane;
}

bool FoldContact::find_planes(const MatrixX3d& base, const MatrixX3d& directions, const Workers& workers) {
    std::atomic<bool> has_any = false;
    workers.for_chunks(static_cast<int>(vertex_.size()), 64, [&](int begin, int end) {
        for (int j = begin; j < end; ++j) {
            plane_[static_cast<size_t>(j)] = plane_of(static_cast<size_t>(j), base, directions);
            if (plane_[static_cast<size_t>(j)].weight > 0.0) {
                has_any = true;
            }
        }
    });
    return has_any;
}

double FoldContact::crowding(int n, double height) const {
    const Stencils& spread = layout_.spread;
    const int v = at_.vertex(n);
    const FoldPlaces::Place& at = at_.place(n);
    const Vector3d place = Vector3d(at.base[0], at.base[1], at.base[2]) + at_.origin();
    const Vector3d up(at.up[0], at.up[1], at.up[2]);
    double weight = 0.0;
    double room = 0.0;
    double slope = 0.0;
    double width = 0.0;
    for (int s = spread.offsets[static_cast<size_t>(v)]; s < spread.offsets[static_cast<size_t>(v) + 1]; ++s) {
        const auto j = static_cast<size_t>(spread.indices[static_cast<size_t>(s)]);
        const Plane& plane = plane_[j];
        if (plane.weight > 0.0) {
            const double w = spread.weights[static_cast<size_t>(s)] * plane.weight;
            weight += w;
            room += w * (plane.offset - plane.normal.dot(place) - 0.5 * thickness_);
            slope += w * plane.normal.dot(up);
            width += w * layout_.width[j];
        }
    }
    if (!(slope > 0.0)) {
        return 0.0;
    }
    const double least = room_floor * width;
    return height * slope / (0.5 * (room + std::sqrt(room * room + least * least))) * smooth_step(weight / 0.8);
}

}  // namespace cutis::fold_detail
