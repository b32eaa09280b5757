#include <algorithm>
#include <cmath>

#include "anatomy/shape.h"
#include "body/motion_test.h"
#include "core/math.h"

namespace cutis {

using namespace anatomy_detail;

namespace {

constexpr int poses = 10;
constexpr double shortest = 0.25;    // seconds: shorter clips are poses
constexpr double longest = 10.0;     // seconds: longer ones keep people waiting
constexpr double compressed = 0.85;  // stretch below which folds and wrinkles come
constexpr double warm_up = 0.3;      // seconds, or of a clip: before, flesh and skin that lag show nothing
constexpr int pixels = 72;           // of the picture that views are compared in

/// Smaller stretch of every triangle.
void smaller_stretch(const Shape& shape, const MatrixX3d& pose, VectorXd& out) {
    out.setOnes(shape.triangles.rows());
    for (Eigen::Index f = 0; f < shape.triangles.rows(); ++f) {
        if (shape.is_prop[static_cast<size_t>(f)] != 0 || shape.triangle_area[f] <= 1e-12 * shape.area) {
            continue;
        }
        const auto edges = [&](const MatrixX3d& x) {
            return std::make_pair(Vector3d(x.row(shape.triangles(f, 1)) - x.row(shape.triangles(f, 0))),
                                  Vector3d(x.row(shape.triangles(f, 2)) - x.row(shape.triangles(f, 0))));
        };
        const auto [a, b] = edges(shape.positions);
        const auto [p, q] = edges(pose);
        // Right Cauchy-Green tensor in an orthonormal frame of the rest triangle.
        const double length = a.norm();
        const double along = a.dot(b) / length;
        const double across = 2.0 * shape.triangle_area[f] / length;
        const Vector3d x = p / length;
        const Vector3d y = (q - along * x) / across;
        const double mean = 0.5 * (x.squaredNorm() + y.squaredNorm());
        const double half = math::hypot(0.5 * (x.squaredNorm() - y.squaredNorm()), x.dot(y));
        out[f] = std::sqrt(std::max(0.0, mean - half));
    }
}

/// From 16 sides and three heights: where most of the heat is seen, all at one scale, so that a
/// view along the body, where it is small, wins nothing.
Vector3d best_view(const Shape& shape, const MatrixX3d& pose, const VectorXd& heat) {
    Vector3d middle = Vector3d::Zero();
    double area = 0.0;
    for (int v = 0; v < shape.vertex_count(); ++v) {
        middle += shape.vertex_area[v] * pose.row(v).transpose();
        area += shape.vertex_area[v];
    }
    middle /= std::max(area, 1e-300);
    Vector3d best = Vector3d::UnitZ();
    double most = -1.0;
    std::vector<double> depth;
    std::vector<int> seen;
    for (const double elevation : {5.0, 15.0, 30.0}) {
        for (int side = 0; side < 16; ++side) {
            const double turn = side * 0.39269908169872414;
            const double rise = elevation * 0.017453292519943295;
            const Vector3d view(math::sin(turn) * math::cos(rise), math::sin(rise), math::cos(turn) * math::cos(rise));
            const Vector3d right = Vector3d::UnitY().cross(view).normalized();
            const Vector3d up = view.cross(right);
            depth.assign(pixels * pixels, -1e300);
            seen.assign(pixels * pixels, -1);
            const double scale = pixels / (1.2 * shape.size);
            for (Eigen::Index f = 0; f < shape.triangles.rows(); ++f) {
                std::array<Vector3d, 3> p;
                for (int k = 0; k < 3; ++k) {
                    const Vector3d d = pose.row(shape.triangles(f, k)).transpose() - middle;
                    p[static_cast<size_t>(k)] = {0.5 * pixels + scale * right.dot(d), 0.5 * pixels + scale * up.dot(d),
                                                 view.dot(d)};
                }
                const double twice =
                    (p[1].x() - p[0].x()) * (p[2].y() - p[0].y()) - (p[2].x() - p[0].x()) * (p[1].y() - p[0].y());
                if (std::abs(twice) < 1e-12) {
                    continue;
                }
                const auto range = [](double a, double b, double c) {
                    return std::make_pair(
                        std::clamp(static_cast<int>(std::ceil(std::min({a, b, c}) - 0.5)), 0, pixels),
                        std::clamp(static_cast<int>(std::floor(std::max({a, b, c}) - 0.5)), -1, pixels - 1));
                };
                const auto [x0, x1] = range(p[0].x(), p[1].x(), p[2].x());
                const auto [y0, y1] = range(p[0].y(), p[1].y(), p[2].y());
                for (int y = y0; y <= y1; ++y) {
                    for (int x = x0; x <= x1; ++x) {
                        const double dx = x + 0.5 - p[0].x();
                        const double dy = y + 0.5 - p[0].y();
                        const double u = (dx * (p[2].y() - p[0].y()) - (p[2].x() - p[0].x()) * dy) / twice;
                        const double w = ((p[1].x() - p[0].x()) * dy - dx * (p[1].y() - p[0].y())) / twice;
                        const double z = p[0].z() + u * (p[1].z() - p[0].z()) + w * (p[2].z() - p[0].z());
                        const auto at = static_cast<size_t>(y * pixels + x);
                        if (u >= 0.0 && w >= 0.0 && u + w <= 1.0 && z > depth[at]) {
                            depth[at] = z;
                            seen[at] = static_cast<int>(f);
                        }
                    }
                }
            }
            double sum = 0.0;
            for (const int f : seen) {
                sum += f < 0 ? 0.0 : heat[f] + 1e-3;
            }
            if (sum > most * (1.0 + 1e-9)) {
                most = sum;
                best = view;
            }
        }
    }
    return best;
}

}  // namespace

std::vector<ClipScore> score_clips(const Body& body, const Anatomy& anatomy) {
    const Shape shape = make_shape(body, true);
    const auto& character = body.source().character;
    const Rig* rig = body.rig();
    const Workers workers(1);
    std::vector<double> on_head(static_cast<size_t>(shape.vertex_count()), 0.0);
    for (size_t v = 0; v < on_head.size(); ++v) {
        for (const auto& [j, w] : shape.weights[v]) {
            on_head[v] += !anatomy.head.empty() && shape.name[static_cast<size_t>(j)] == anatomy.head
                              ? w * shape.vertex_area[static_cast<Eigen::Index>(v)]
                              : 0.0;
        }
    }
    struct Sampled {
        ClipScore score;
        std::vector<double> head;  // heights, of the size
        MatrixX3d pose;            // at its moment
        VectorXd stretch;
    };
    std::vector<Sampled> all;
    MatrixX3d art, welded(shape.vertex_count(), 3), before, first;
    VectorXd stretch;
    const auto sample = [&](const std::string& name, double seconds, auto&& pose_at) {
        Sampled own;
        own.score.name = name;
        own.score.seconds = seconds;
        VectorXd low = VectorXd::Constant(shape.triangles.rows(), 1e300);
        VectorXd high = -low;
        double most = -1.0;
        for (int i = 0; i < poses; ++i) {
            pose_at(seconds * i / (poses - 1), art);
            if (!art.allFinite()) {
                return;
            }
            for (Eigen::Index v = 0; v < welded.rows(); ++v) {
                welded.row(v) = art.row(shape.art_of_vertex[static_cast<size_t>(v)]);
            }
            smaller_stretch(shape, welded, stretch);
            low = low.cwiseMin(stretch);
            high = high.cwiseMax(stretch);
            double heat = 0.0;
            for (Eigen::Index f = 0; f < stretch.size(); ++f) {
                heat += shape.is_prop[static_cast<size_t>(f)] != 0
                            ? 0.0
                            : shape.triangle_area[f] * std::max(0.0, compressed - stretch[f]);
            }
            double height = 0.0, weight = 0.0, travel = 0.0, gap = 0.0;
            for (Eigen::Index v = 0; v < welded.rows(); ++v) {
                height += on_head[static_cast<size_t>(v)] * welded(v, 1);
                weight += on_head[static_cast<size_t>(v)];
                travel += i > 0 ? shape.vertex_area[v] * (welded.row(v) - before.row(v)).norm() : 0.0;
                gap += i > 0 ? shape.vertex_area[v] * (welded.row(v) - first.row(v)).norm() : 0.0;
            }
            own.head.push_back(weight > 0.0 ? height / weight / shape.size : 0.0);
            own.score.speed += travel / shape.area / shape.size / std::max(seconds, 1e-9);
            const double time = seconds * i / (poses - 1);
            if (heat > most && time >= warm_up * std::min(1.0, seconds)) {
                most = heat;
                own.score.moment = time;
                own.pose = welded;
                own.stretch = stretch;
            }
            first = i == 0 ? welded : first;
            before = welded;
            if (i == poses - 1 && gap / shape.area < 0.01 * shape.size) {
                own.score.score = 0.15;  // comes back to its beginning
            }
        }
        for (Eigen::Index f = 0; f < stretch.size(); ++f) {
            own.score.strain += shape.is_prop[static_cast<size_t>(f)] != 0
                                    ? 0.0
                                    : shape.triangle_area[f] * (high[f] - low[f]) / shape.area;
        }
        all.push_back(std::move(own));
    };
    // Poses alone are no motion: the body swings its joints.
    if (rig != nullptr && character && !std::all_of(character->clips.begin(), character->clips.end(), holds_still)) {
        Pose local;
        std::vector<Eigen::Affine3d> frames, matrices;
        for (const Clip& clip : character->clips) {
            if (clip.end() - clip.start() < shortest && character->clips.size() > 1) {
                continue;
            }
            const ClipSampler sampler(character->skeleton, clip, TimeSampling::exact);
            sample(clip.name, clip.end() - clip.start(), [&](double time, MatrixX3d& out) {
                sampler.sample(clip.start() + time, local);
                world_frames(character->skeleton, local.local, frames);
                body.to_body_space(frames);
                joint_matrices(rig->node, rig->inverse_bind, frames, matrices);
                skin_linear_blend(body.mesh().positions, rig->weights, matrices, workers, out);
            });
        }
    }
    if (all.empty() && body.duration() > 0.0) {
        sample("", body.duration(),
               [&](double time, MatrixX3d& out) { body.positions(time, TimeSampling::exact, workers, out); });
    }
    std::vector<double> heights;
    for (const Sampled& own : all) {
        heights.insert(heights.end(), own.head.begin(), own.head.end());
    }
    double usual = 0.0;
    if (!heights.empty()) {
        std::nth_element(heights.begin(), heights.begin() + static_cast<std::ptrdiff_t>(heights.size() / 2),
                         heights.end());
        usual = heights[heights.size() / 2] - shape.standing_floor / shape.size;
    }
    for (Sampled& own : all) {
        const auto down = std::count_if(own.head.begin(), own.head.end(),
                                        [&](double h) { return h - shape.standing_floor / shape.size < 0.6 * usual; });
        const double loops = 1.0 + own.score.score;
        own.score.score = own.score.strain * (0.5 + std::min(own.score.speed, 1.0)) * loops *
                          (down > 3 && usual > 0.0 ? 0.25 : 1.0) *
                          (own.score.seconds < 0.5 ? 0.7 : std::min(1.0, longest / own.score.seconds));
    }
    std::stable_sort(all.begin(), all.end(),
                     [](const Sampled& a, const Sampled& b) { return a.score.score > b.score.score; });
    std::vector<ClipScore> scores;
    for (Sampled& own : all) {
        if (scores.empty()) {
            own.score.view = best_view(shape, own.pose, (compressed - own.stretch.array()).max(0.0).matrix());
        }
        scores.push_back(own.score);
    }
    return scores;
}

}  // namespace cutis
