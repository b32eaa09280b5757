#include "fold/layout.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>

#include "core/geometry.h"
#include "core/math.h"
#include "fold/ball_grid.h"
#include "fold/smooth.h"

namespace cutis::fold_detail {

namespace {

using std::numbers::pi;

constexpr double spacing = 0.7;            // of controls, widths
constexpr double control_reach = 1.7;      // of a control, spacings
constexpr double normal_part = 0.6;        // widths for a turn of the normal by one: far sides of limbs
constexpr double fan = 25.0 / 180.0 * pi;  // of the lines beside the straight one
// Lines rise before they are too short, so that they have further to rise: up to their rest length.
constexpr double early_start = 1.055;
constexpr double shortest_line = 0.35;  // widths
// Cloth between the lines comes out this much shorter than they do: neighbours differ in height.
constexpr double more_than_target = 1.05;
// Compression at which a line of few points is made to mean the same as the line of all.
constexpr double usual_stretch = 0.8;
// Below this sum of kernels a vertex lies at the border of all controls: folds fade out.
constexpr double border_sum = 0.3;

/// Walks straight lines over the mesh at rest.
class LineWalker {
public:
    LineWalker(const LayoutPlaces& places, const ShownWaves& waves)
        : places_(places), waves_(waves), gradient_(places.topology.triangle_count(), 3) {
        for (int f = 0; f < places.topology.triangle_count(); ++f) {
            gradient_.row(f) = gradient_of(f);
        }
    }
    Vector3d gradient(int f) const { return gradient_.row(f); }
    Vector3d normal(int f) const {
        const auto& t = places_.topology.triangles();
        return (place(t(f, 1)) - place(t(f, 0))).cross(place(t(f, 2)) - place(t(f, 0))).normalized();
    }
    Vector3d centre(int f) const {
        const auto& t = places_.topology.triangles();
        return (place(t(f, 0)) + place(t(f, 1)) + place(t(f, 2))) / 3.0;
    }

    /// Edge points from the middle of triangle f on, at an angle to the gradient of the phase,
    /// until the phase has turned by pi, or so far in metres.
    void walk(int f, double angle, double side, double length, std::vector<EdgePoint>& out) const {
        constexpr int most_crossings = 400;
        Vector3d at = centre(f);
        Vector3d way = side * direction(f, angle);
        int came = -1;
        double turned = 0.0;
        double gone = 0.0;
        for (int i = 0; i < most_crossings && turned < pi && gone < length; ++i) {
            if (!(way.squaredNorm() > 0.0)) {
                return;
            }
            const Vector3d n = normal(f);
            const auto& corners = places_.topology.triangles().row(f);
            double nearest = std::numeric_limits<double>::infinity();
            int exit = -1;
            for (int k = 0; k < 3; ++k) {
                if (k == came) {
                    continue;
                }
                const Vector3d from = place(corners[k]);
                const Vector3d inward = n.cross(place(corners[(k + 1) % 3]) - from);
                const double speed = inward.dot(way);
                if (speed < -1e-12 * inward.norm()) {
                    const double t = inward.dot(from - at) / speed;
                    if (t < nearest) {
                        nearest = t;
                        exit = k;
                    }
                }
            }
            if (exit < 0) {
                return;
            }
            const Vector3d from = place(corners[exit]);
            const Vector3d edge = place(corners[(exit + 1) % 3]) - from;
            const double t =
                std::clamp((at + std::max(nearest, 0.0) * way - from).dot(edge) / edge.squaredNorm(), 0.0, 1.0);
            const Vector3d next = from + t * edge;
            turned += std::abs(gradient(f).dot(next - at));
            gone += (next - at).norm();
            EdgePoint point;
            point.a = corners[exit];
            point.b = corners[(exit + 1) % 3];
            point.t = static_cast<float>(t);
            point.raised[0] = static_cast<float>(1.0 - t) * waves_.profile[static_cast<size_t>(point.a)];
            point.raised[1] = point.t * waves_.profile[static_cast<size_t>(point.b)];
            out.push_back(point);
            const int neighbour = places_.topology.neighbour(f, exit);
            if (neighbour < 0) {
                return;
            }
            for (int k = 0; k < 3; ++k) {
                came = places_.topology.neighbour(neighbour, k) == f ? k : came;
            }
            const Vector3d flat = rotate_minimally(n, normal(neighbour), way);
            way = direction(neighbour, angle);
            if (!(way.squaredNorm() > 0.0)) {
                way = flat;
            } else if (way.dot(flat) < 0.0) {
                way = -way;
            }
            f = neighbour;
            at = next;
        }
    }
    Vector3d place(int v) const { return places_.rest.row(v); }
    Vector3d vertex_normal(int v) const { return places_.normals.row(v); }

private:
    Vector3d direction(int f, double angle) const {
        const Vector3d g = gradient(f);
        const double size = g.norm();
        if (!(size > 0.0)) {
            return Vector3d::Zero();
        }
        return (math::cos(angle) * g + math::sin(angle) * normal(f).cross(g)) / size;
    }

    /// Of the phase within a triangle; at the core of a fork, where it has none, the slope asked
    /// for.
    Vector3d gradient_of(int f) const {
        const StripeCorners stripes =
            stripe_corners(places_.topology.triangles(), places_.rest, waves_.slope, waves_.phase, f);
        const auto& corners = places_.topology.triangles().row(f);
        const double d1 = stripes.angle[1] - stripes.angle[0];
        const double d2 = stripes.angle[2] - stripes.angle[0];
        const Vector3d e1 = place(corners[1]) - place(corners[0]);
        const Vector3d e2 = place(corners[2]) - place(corners[0]);
        const Vector3d area = e1.cross(e2);
        const double doubled = area.norm();
        if (!(doubled > 0.0)) {
            return Vector3d::Zero();
        }
        const Vector3d n = area / doubled;
        if (stripes.is_fork) {
            const Vector3d mean = (stripes.slope[0] + stripes.slope[1] + stripes.slope[2]) / 3.0;
            return mean - n * n.dot(mean);
        }
        return (d2 * n.cross(e1) - d1 * n.cross(e2)) / doubled;
    }

    const LayoutPlaces& places_;
    const ShownWaves& waves_;
    MatrixX3d gradient_;
};

struct Seed {
    int triangle;
    Vector3d place;
    Vector3d normal;
    double width;
    double longer;
};

double distance2(const Seed& seed, const Vector3d& place, const Vector3d& normal) {
    const double turn = normal_part * seed.width;
    return (place - seed.place).squaredNorm() + turn * turn * (normal - seed.normal).squaredNorm();
}

double median_width(const VectorXd& width) {
    std::vector<double> sorted(width.begin(), width.end());
    const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
    std::nth_element(sorted.begin(), middle, sorted.end());
    return *middle;
}

/// Place along a curve that fills space: neighbours are mostly near each other (Morton 1966).
std::uint64_t z_order(const Vector3d& place, double cell) {
    std::uint64_t order = 0;
    for (int c = 0; c < 3; ++c) {
        const auto at = static_cast<std::uint64_t>(static_cast<std::int64_t>(std::floor(place[c] / cell)) + (1 << 20));
        for (int bit = 0; bit < 21; ++bit) {
            order |= (at >> bit & 1U) << (3 * bit + c);
        }
    }
    return order;
}

/// Dart throwing: triangles in a seeded order, kept where none is near.
std::vector<Seed> throw_controls(const LayoutPlaces& places, const LineWalker& walker) {
    std::vector<int> order;
    for (int f = 0; f < places.topology.triangle_count(); ++f) {
        if (places.is_folding[static_cast<size_t>(f)] != 0) {
            order.push_back(f);
        }
    }
    Dice dice(11);
    for (size_t i = order.size(); i > 1; --i) {
        const auto j = static_cast<size_t>(0.5 * (dice.roll() + 1.0) * static_cast<double>(i));
        std::swap(order[i - 1], order[std::min(j, i - 1)]);
    }
    std::vector<Seed> seeds;
    const double narrow = median_width(places.width);
    BallGrid grid(spacing * narrow);
    for (const int f : order) {
        const auto& t = places.topology.triangles().row(f);
        const auto mean = [&](const VectorXd& values) { return (values[t[0]] + values[t[1]] + values[t[2]]) / 3.0; };
        const Seed seed{f, walker.centre(f), walker.normal(f), mean(places.width), mean(places.longer)};
        const auto& near = grid.at(seed.place);
        const bool is_free = std::none_of(near.begin(), near.end(), [&](int j) {
            const Seed& other = seeds[static_cast<size_t>(j)];
            return distance2(other, seed.place, seed.normal) < math::pow(spacing * other.width, 2);
        });
        if (is_free) {
            grid.insert(seed.place, spacing * seed.width, static_cast<int>(seeds.size()));
            seeds.push_back(seed);
        }
    }
    // Stable: libraries differ in how they sort those of one cell.
    std::stable_sort(seeds.begin(), seeds.end(), [&](const Seed& a, const Seed& b) {
        return z_order(a.place, spacing * narrow) < z_order(b.place, spacing * narrow);
    });
    return seeds;
}

/// phi_j: smooth, of compact support, summing to 1 but at the border of all.
Stencils spread_controls(const LayoutPlaces& places, const std::vector<Seed>& seeds) {
    Stencils spread;
    spread.base_count = static_cast<int>(seeds.size());
    const double far = control_reach * spacing;
    BallGrid grid(far * median_width(places.width));
    for (size_t j = 0; j < seeds.size(); ++j) {
        grid.insert(seeds[j].place, far * seeds[j].width, static_cast<int>(j));
    }
    for (int v = 0; v < places.topology.vertex_count(); ++v) {
        const auto first = static_cast<std::ptrdiff_t>(spread.weights.size());
        double sum = 0.0;
        for (const int j : grid.at(places.rest.row(v))) {
            const Seed& seed = seeds[static_cast<size_t>(j)];
            const double x =
                1.0 - distance2(seed, places.rest.row(v), places.normals.row(v)) / math::pow(far * seed.width, 2);
            if (x > 0.0) {
                spread.indices.push_back(j);
                spread.weights.push_back(x * x * x);
                sum += x * x * x;
            }
        }
        for (auto w = spread.weights.begin() + first; w != spread.weights.end(); ++w) {
            *w /= std::max(sum, border_sum);
        }
        spread.offsets.push_back(static_cast<int>(spread.weights.size()));
    }
    return spread;
}

/// Adds the line through a control's middle at an angle to the gradient, unless it says nothing.
class LineMaker {
public:
    LineMaker(FoldLayout& layout, const std::vector<Seed>& seeds)
        : layout_(layout), seeds_(seeds), share_(seeds.size(), 0.0) {}

    void add(const LineWalker& walker, size_t control, double angle) {
        const Seed& seed = seeds_[control];
        points_.clear();
        forth_.clear();
        walker.walk(seed.triangle, angle, -1.0, 2.0 * seed.width, points_);
        walker.walk(seed.triangle, angle, 1.0, 2.0 * seed.width, forth_);
        std::reverse(points_.begin(), points_.end());
        points_.insert(points_.end(), forth_.begin(), forth_.end());
        if (points_.size() < 2) {
            return;
        }
        // All of its points say how high it rises; few of them measure it in every frame.
        const double all = length_at(walker, 0.0, 1.0);
        const double height = height_for(walker, usual_stretch, seed.longer * all);
        thin(walker, height);
        const double length = length_at(walker, 0.0, 1.0);
        double climbed = 0.0;
        for (size_t i = 0; i + 1 < points_.size(); ++i) {
            climbed += climb(i);
        }
        FoldLayout::Line line;
        line.begin = static_cast<int>(layout_.points.size());
        line.end = line.begin + static_cast<int>(points_.size());
        line.target = length * seed.longer;
        line.start = std::clamp(length / line.target, 1.0, early_start);
        // Never below the length at which it begins to rise: in between a line has no root, and where raising it
        // shortens it first, its height would drop to none at once.
        line.aim = std::max(more_than_target * length_at(walker, height, usual_stretch), line.start * line.target);
        line.fade = smooth_step((climbed - 0.6) / 1.2);
        if (length < shortest_line * seed.width || !(line.fade > 0.0)) {
            return;
        }
        for (size_t i = 0; i + 1 < points_.size(); ++i) {
            feel(points_[i].a, (1.0 - points_[i].t) * climb(i) / climbed);
            feel(points_[i].b, points_[i].t * climb(i) / climbed);
        }
        std::sort(felt_.begin(), felt_.end());
        for (const int j : felt_) {
            layout_.shares.indices.push_back(j);
            layout_.shares.weights.push_back(share_[static_cast<size_t>(j)]);
            share_[static_cast<size_t>(j)] = 0.0;
        }
        felt_.clear();
        layout_.shares.offsets.push_back(static_cast<int>(layout_.shares.indices.size()));
        layout_.points.insert(layout_.points.end(), points_.begin(), points_.end());
        layout_.lines.push_back(line);
    }

private:
    /// Of a point, with what is flat made shorter and folds raised.
    Vector3d place_at(const LineWalker& walker, const EdgePoint& p, double height, double stretch) const {
        return stretch * ((1.0 - p.t) * walker.place(p.a) + p.t * walker.place(p.b)) +
               height * (p.raised[0] * walker.vertex_normal(p.a) + p.raised[1] * walker.vertex_normal(p.b));
    }
    double length_at(const LineWalker& walker, double height, double stretch) const {
        double length = 0.0;
        for (size_t i = 0; i + 1 < points_.size(); ++i) {
            length +=
                (place_at(walker, points_[i + 1], height, stretch) - place_at(walker, points_[i], height, stretch))
                    .norm();
        }
        return length;
    }
    /// By bisection: lengths grow with the height.
    double height_for(const LineWalker& walker, double stretch, double target) const {
        double low = 0.0;
        double high = 2.0 * target;
        for (int i = 0; i < 30; ++i) {
            const double middle = 0.5 * (low + high);
            (length_at(walker, middle, stretch) < target ? low : high) = middle;
        }
        return low;
    }
    /// Leaves out the points that say least about the folded line, until few enough are left.
    void thin(const LineWalker& walker, double height) {
        while (points_.size() > FoldLayout::most_segments + 1) {
            size_t least = 1;
            double least_loss = std::numeric_limits<double>::infinity();
            Vector3d before = place_at(walker, points_[0], height, usual_stretch);
            Vector3d here = place_at(walker, points_[1], height, usual_stretch);
            for (size_t i = 1; i + 1 < points_.size(); ++i) {
                const Vector3d after = place_at(walker, points_[i + 1], height, usual_stretch);
                const double loss = (here - before).norm() + (after - here).norm() - (after - before).norm();
                if (loss < least_loss) {
                    least_loss = loss;
                    least = i;
                }
                before = here;
                here = after;
            }
            points_.erase(points_.begin() + static_cast<std::ptrdiff_t>(least));
        }
    }
    double climb(size_t i) const { return std::abs(points_[i + 1].profile() - points_[i].profile()); }
    /// Whose heights the line feels at a vertex.
    void feel(int v, double part) {
        const Stencils& spread = layout_.spread;
        for (int s = spread.offsets[static_cast<size_t>(v)];
             part > 0.0 && s < spread.offsets[static_cast<size_t>(v) + 1]; ++s) {
            const int j = spread.indices[static_cast<size_t>(s)];
            double& share = share_[static_cast<size_t>(j)];
            if (share == 0.0) {
                felt_.push_back(j);
            }
            share += part * spread.weights[static_cast<size_t>(s)];
        }
    }

    FoldLayout& layout_;
    const std::vector<Seed>& seeds_;
    std::vector<EdgePoint> points_;
    std::vector<EdgePoint> forth_;
    std::vector<double> share_;  // per control; zero between lines
    std::vector<int> felt_;
};

}  // namespace

std::vector<int> vertices_of_controls(const FoldLayout& layout) {
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

FoldLayout lay_out(const LayoutPlaces& places, const std::vector<ShownWaves>& waves) {
    FoldLayout layout;
    layout.fields = static_cast<int>(waves.size());
    std::vector<LineWalker> walkers;
    for (const ShownWaves& one : waves) {
        walkers.emplace_back(places, one);
        layout.profile.push_back(one.profile);
    }
    const std::vector<Seed> seeds = throw_controls(places, walkers.front());
    layout.spread = spread_controls(places, seeds);
    layout.shares.base_count = static_cast<int>(seeds.size());
    layout.first_line.push_back(0);
    LineMaker maker(layout, seeds);
    for (size_t j = 0; j < seeds.size(); ++j) {
        layout.width.push_back(seeds[j].width);
        for (const LineWalker& walker : walkers) {
            for (const double angle : {0.0, fan, -fan}) {
                maker.add(walker, j, angle);
            }
            layout.first_line.push_back(static_cast<int>(layout.lines.size()));
        }
    }
    return layout;
}

}  // namespace cutis::fold_detail
