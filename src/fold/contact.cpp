#include "fold/contact.h"

#include <algorithm>
#include <cmath>

#include "fold/ball_grid.h"
#include "fold/smooth.h"

namespace cutis::fold_detail {

namespace {

constexpr double meeting_widths = 2.2;    // points this near can have folds that meet
constexpr double one_sheet_widths = 1.5;  // nearer at rest they are of one sheet,
constexpr double one_sheet_cosine = 0.3;  // unless the sheet is as steep as that between them
constexpr double beside_widths = 0.9;     // folds further aside pass each other
constexpr double floor_widths = 0.1;      // between sheets always counts as free, about half of it
constexpr double through_widths = 0.4;    // sheets of the base this far through each other are let go
constexpr double still_part = 0.06;    // of a sheet that does not rise and so leaves twice as much: 1/2 to the fourth
constexpr double worth_listing = 0.6;  // inverse of what a pair leaves, widths
constexpr double bystander_widths = 0.5;  // between points that do not rise
constexpr double bystander_cosine = 0.5;  // both sides of a thin sheet have points

}  // namespace

std::vector<int> FoldContact::points(const FoldLayout& layout, const MatrixX3d& rest, const MatrixX3d& normals,
                                     const VectorXd& width) {
    std::vector<int> vertex = vertices_of_controls(layout);
    if (vertex.empty()) {
        return vertex;
    }
    BallGrid grid(bystander_widths * width.mean());
    for (const int v : vertex) {
        grid.insert(rest.row(v), bystander_widths * width[v], v);
    }
    for (int v = 0; v < static_cast<int>(rest.rows()); ++v) {
        const std::vector<int>& near = grid.at(rest.row(v));
        if (std::none_of(near.begin(), near.end(), [&](int other) {
                return (rest.row(other) - rest.row(v)).norm() < bystander_widths * width[other] &&
                       normals.row(other).dot(normals.row(v)) > bystander_cosine;
            })) {
            grid.insert(rest.row(v), bystander_widths * width[v], v);
            vertex.push_back(v);
        }
    }
    return vertex;
}

FoldContact::Meeting FoldContact::meeting(const Vector3d& way, const Vector3d& turn, double width, double thickness) {
    const double size = turn.norm();
    if (!(size > 1e-3)) {
        return {};
    }
    const double gap = way.dot(turn) / size;
    const double aside = (way.squaredNorm() - gap * gap) / (beside_widths * beside_widths * width * width);
    const double room = gap - thickness;
    const double least = floor_widths * width;
    return {smooth_step(2.0 * (1.0 - aside)) * smooth_step(1.0 + room / (through_widths * width)),
            2.0 * size / (room + std::sqrt(room * room + least * least))};
}

FoldContact::FoldContact(const FoldLayout& layout, const std::vector<int>& points, const MatrixX3d& rest,
                         const MatrixX3d& normals, const VectorXd& width, const std::vector<Pose>& poses,
                         double thickness)
    : thickness_(thickness),
      vertex_(points.begin(), points.begin() + static_cast<std::ptrdiff_t>(layout.width.size())),
      pressure_(layout.width.size(), 0.0F) {
    const auto width_of = [&](int a, int b) { return 0.5 * (width[a] + width[b]); };
    const auto can_meet = [&](int a, int b) {
        const Vector3d way = rest.row(b) - rest.row(a);
        if (way.norm() > one_sheet_widths * width_of(a, b)) {
            return true;
        }
        const Vector3d turn = normals.row(a) - normals.row(b);
        return normals.row(a).dot(normals.row(b)) < one_sheet_cosine && way.dot(turn) > 0.0;  // a groove, no edge
    };
    std::vector<std::vector<int>> near(vertex_.size());  // numbers of points
    for (const Pose& pose : poses) {
        BallGrid grid(meeting_widths * width.mean());
        for (size_t n = 0; n < points.size(); ++n) {
            grid.insert(pose.places.row(static_cast<Eigen::Index>(n)), meeting_widths * width[points[n]],
                        static_cast<int>(n));
        }
        for (size_t j = 0; j < vertex_.size(); ++j) {
            const Vector3d here = pose.places.row(static_cast<Eigen::Index>(j));
            const Vector3d up = pose.normals.row(static_cast<Eigen::Index>(j));
            for (const int k : grid.at(here)) {
                const int other = points[static_cast<size_t>(k)];
                const double w = width_of(vertex_[j], other);
                const Vector3d way = Vector3d(pose.places.row(k)) - here;
                if (way.norm() < meeting_widths * w && can_meet(vertex_[j], other)) {
                    const Meeting found = meeting(way, up - Vector3d(pose.normals.row(k)), w, thickness);
                    if (found.weight * found.inverse * w > worth_listing) {
                        near[j].push_back(k);
                    }
                }
            }
        }
        for (std::vector<int>& list : near) {
            std::sort(list.begin(), list.end());
            list.erase(std::unique(list.begin(), list.end()), list.end());
        }
    }
    first_.push_back(0);
    for (size_t j = 0; j < near.size(); ++j) {
        for (const int k : near[j]) {
            const int other = points[static_cast<size_t>(k)];
            pairs_.push_back(
                {other, static_cast<float>(width_of(vertex_[j], other)), static_cast<size_t>(k) < vertex_.size()});
        }
        first_.push_back(static_cast<int>(pairs_.size()));
    }
}

void FoldContact::press(const MatrixX3d& base, const MatrixX3d& directions, const Workers& workers) {
    workers.for_chunks(static_cast<int>(vertex_.size()), 64, [&](int begin, int end) {
        for (int j = begin; j < end; ++j) {
            const auto at = static_cast<size_t>(j);
            const Vector3d here = base.row(vertex_[at]);
            const Vector3d up = directions.row(vertex_[at]);
            double sum = 0.0;
            double weights = 0.0;
            for (int i = first_[at]; i < first_[at + 1]; ++i) {
                const Pair& pair = pairs_[static_cast<size_t>(i)];
                const Meeting found =
                    meeting(Vector3d(base.row(pair.other)) - here, up - Vector3d(directions.row(pair.other)),
                            static_cast<double>(pair.width), thickness_);
                const double weight = found.weight * (pair.rises ? 1.0 : still_part);
                const double square = found.inverse * found.inverse;
                sum += weight * square * square;
                weights += weight;
            }
            pressure_[at] = static_cast<float>(std::min(sum / std::max(1.0, weights), 1e30));
        }
    });
}

}  // namespace cutis::fold_detail
