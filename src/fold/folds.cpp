#include "cutis/fold/folds.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "core/lanes.h"
#include "cutis/core/error.h"
#include "cutis/mesh/geometry.h"
#include "fold/fold_mesh.h"
#include "fold/guard.h"
#include "fold/rail_solver.h"
#include "fold/strips.h"

namespace cutis {

using namespace fold_detail;

namespace {

constexpr int chunk_strips = 16;

/// A point that moves with three vertices.
struct Follower {
    double weight[3];
    int number[3];  ///< of each vertex' x among all coordinates
};

Follower follower(const SurfacePoint& point, const MatrixX3i& triangles) {
    Follower result{};
    for (int k = 0; k < 3; ++k) {
        result.number[k] = 3 * triangles(point.triangle, k);
        result.weight[k] = point.barycentric[k];
    }
    result.weight[0] = 1.0 - result.weight[1] - result.weight[2];
    return result;
}

void follow(const Follower& follower, const double* values, double* out) {
    using Pair = double __attribute__((vector_size(16)));
    const auto pair = [](const double* from) {
        Pair value;
        std::memcpy(&value, from, sizeof(value));
        return value;
    };
    const double* a = values + follower.number[0];
    const double* b = values + follower.number[1];
    const double* c = values + follower.number[2];
    const double* w = follower.weight;
    const Pair xy = w[0] * pair(a) + w[1] * pair(b) + w[2] * pair(c);
    std::memcpy(out, &xy, sizeof(xy));
    out[2] = w[0] * a[2] + w[1] * b[2] + w[2] * c[2];
}

/// A binding as it is walked every frame. Points count from the strip's first one.
struct Packed {
    int vertex;
    std::uint8_t point[4];
    float weight[3];
};

/// Bindings of one strip, [begin, end).
struct StripRun {
    int first_rail = 0;
    bool has_second = false;
    int begin = 0;
    int end = 0;
};

/// Four numbers in a register: an offset, and a bound of its height from below.
template <class Real>
struct QuadOf;
template <>
struct QuadOf<float> {
    using Type = float __attribute__((vector_size(16)));
};
template <>
struct QuadOf<double> {
    using Type = lanes::Lanes;
};
template <class Real>
using Quad = typename QuadOf<Real>::Type;

/// What one binding adds to its vertex. Cloth lies on the body or above it, never below: offsets
/// that are not sure to do so are measured against the direction there.
template <class Real>
Quad<Real> lifted_clear(const Packed& binding, int first_rail, int per_rail,
                        const RailSolver<Real>& rails, Quad<Real> offset) {
    Vector3d side = Vector3d::Zero();
    for (int k = 0; k < 3; ++k) {
        side += binding.weight[k] * rails.direction(first_rail + binding.point[k] / per_rail,
                                                    binding.point[k] % per_rail);
    }
    const double height = offset[0] * side[0] + offset[1] * side[1] + offset[2] * side[2];
    if (height < 0.0) {
        side *= height / side.squaredNorm();
        for (int k = 0; k < 3; ++k) {
            offset[k] -= static_cast<Real>(side[k]);
        }
    }
    return offset;
}

/// Adds the offsets of one strip to its vertices.
template <class Real>
void lift_strip(const Packed* begin, const Packed* end, int first_rail, int per_rail,
                const RailSolver<Real>& rails, double* vertices) {
    const Real* offsets = rails.offsets() + static_cast<size_t>(first_rail) * per_rail * 4;
    const auto load = [&](int point) {
        Quad<Real> value;
        std::memcpy(&value, offsets + 4 * point, sizeof(value));
        return value;
    };
    for (const Packed* binding = begin; binding != end; ++binding) {
        Quad<Real> offset = static_cast<Real>(binding->weight[0]) * load(binding->point[0]) +
                            static_cast<Real>(binding->weight[1]) * load(binding->point[1]) +
                            static_cast<Real>(binding->weight[2]) * load(binding->point[2]);
        if (offset[3] < Real(0)) {
            offset = lifted_clear(*binding, first_rail, per_rail, rails, offset);
        }
        if (std::is_same_v<Real, double> && offset[0] == 0.0 && offset[1] == 0.0 &&
            offset[2] == 0.0) {
            continue;  // adding 0 would turn -0 into +0
        }
        double* vertex = vertices + 3 * static_cast<size_t>(binding->vertex);
        const lanes::Lanes add = __builtin_convertvector(offset, lanes::Lanes);
        vertex[0] += add[0];
        vertex[1] += add[1];
        vertex[2] += add[2];
    }
}

void check_options(const FoldOptions& options) {
    if (!(options.edges_per_fold >= 4.0 && options.edges_per_fold <= 32.0)) {
        throw InvalidInput(
            say("folds: expected 4 to 32 edges per fold, found ", options.edges_per_fold));
    }
    if (options.most_levels < 0 || options.most_levels > 8) {
        throw InvalidInput(
            say("folds: expected at most 0 to 8 levels, found ", options.most_levels));
    }
}

}  // namespace

struct FoldSolver::Parts {
    FoldMesh mesh;
    FoldPattern pattern;
    std::vector<std::string> notes;
    MatrixX3d rest;
    std::unique_ptr<FoldRails> rails;
    std::vector<Follower> on_refined;  // rail points on the refined mesh
    std::vector<Follower> on_base;     // and on the base mesh, for directions
    std::vector<int> crest;            // per fold: point of a rail with the highest profile
    // A vertex reached by several curves has one binding in each layer, so that no two threads
    // ever write to the same vertex.
    struct Layer {
        std::vector<Packed> bindings;
        std::vector<StripRun> runs;
    };
    std::vector<Layer> layers;
    int bound_vertices = 0;
    std::unique_ptr<FoldGuard> guard;
    MatrixX3d unfolded;  // for the guard
    int held = 0;
    mutable FoldMesh::Scratch scratch;

    Parts(FoldMesh fold_mesh, FoldPattern fold_pattern)
        : mesh(std::move(fold_mesh)), pattern(std::move(fold_pattern)) {}

    bool is_folding(const StripRun& run) const {
        return rails->is_active(run.first_rail) ||
               (run.has_second && rails->is_active(run.first_rail + 1));
    }
    void place_rails(const Topology& base, const FoldRailOptions& options);
    void bind();
    std::vector<int> order_vertices(const std::vector<std::vector<Binding>>& bindings);
};

void FoldSolver::Parts::place_rails(const Topology& base, const FoldRailOptions& options) {
    const Topology& topology = mesh.mesh.topology();
    FoldRailSet set;
    set.segments = pattern.segments;
    const auto points = static_cast<Eigen::Index>(pattern.points.size());
    const auto count = static_cast<Eigen::Index>(pattern.rails.size());
    set.rest.resize(points, 3);
    set.profile.resize(points);
    set.pre_stretch.resize(count);
    set.share.resize(count);
    for (size_t i = 0; i < pattern.points.size(); ++i) {
        on_refined.push_back(follower(mesh.mesh.locate(pattern.points[i]), topology.triangles()));
        on_base.push_back(follower(pattern.points[i], base.triangles()));
        follow(on_refined.back(), rest.data(), set.rest.data() + 3 * i);
    }
    for (const FoldPattern::Fold& fold : pattern.folds) {
        const FoldProfile& profile = pattern.profiles[static_cast<size_t>(fold.profile)];
        int best = 0;
        double top = 0.0;
        for (int i = 0; i <= pattern.segments; ++i) {
            const double height = profile.at(-1.0 + 2.0 * i / pattern.segments);
            if (height > top) {
                top = height;
                best = i;
            }
        }
        crest.push_back(best);
    }
    for (size_t r = 0; r < pattern.rails.size(); ++r) {
        const FoldPattern::Rail& rail = pattern.rails[r];
        const FoldProfile& profile = pattern.profiles[static_cast<size_t>(
            pattern.folds[static_cast<size_t>(rail.fold)].profile)];
        for (int i = 0; i <= pattern.segments; ++i) {
            set.profile[static_cast<Eigen::Index>(r) * (pattern.segments + 1) + i] =
                i == 0 || i == pattern.segments ? 0.0
                                                : profile.at(-1.0 + 2.0 * i / pattern.segments);
        }
        set.pre_stretch[static_cast<Eigen::Index>(r)] = rail.pre_stretch;
        set.share[static_cast<Eigen::Index>(r)] = rail.share;
        set.partner.push_back(rail.partner);
        set.plane.push_back(rail.joint);
    }
    rails = std::make_unique<FoldRails>(std::move(set), options);
}

void FoldSolver::Parts::bind() {
    if (pattern.empty()) {
        return;
    }
    const Topology& topology = mesh.mesh.topology();
    const MatrixX3d normals = vertex_normals(rest, topology);
    MatrixX3d sides(rails->set().rest.rows(), 3);
    for (size_t i = 0; i < on_refined.size(); ++i) {
        follow(on_refined[i], normals.data(), sides.data() + 3 * i);
    }
    const Strips strips(pattern, rails->set().rest, sides);
    std::vector<std::vector<Binding>> sorted;
    std::vector<Binding> found;
    for (int v = 0; v < topology.vertex_count(); ++v) {
        found.clear();
        strips.find(rest.row(v), normals.row(v), v, 0.0, found);
        std::sort(found.begin(), found.end(),
                  [](const Binding& a, const Binding& b) { return a.curve < b.curve; });
        bound_vertices += found.empty() ? 0 : 1;
        sorted.resize(std::max(sorted.size(), found.size()));
        for (size_t i = 0; i < found.size(); ++i) {
            sorted[i].push_back(found[i]);
        }
    }
    for (std::vector<Binding>& bindings : sorted) {
        std::stable_sort(bindings.begin(), bindings.end(),
                         [](const Binding& a, const Binding& b) { return a.strip < b.strip; });
    }
    const std::vector<int> number = order_vertices(sorted);
    const int per_rail = pattern.segments + 1;
    for (const std::vector<Binding>& bindings : sorted) {
        Layer layer;
        for (const Binding& binding : bindings) {
            const int at = static_cast<int>(layer.bindings.size());
            if (layer.runs.empty() || layer.runs.back().first_rail != binding.strip) {
                layer.runs.push_back({binding.strip,
                                      pattern.rails[static_cast<size_t>(binding.strip)].is_joined,
                                      at, at});
            }
            layer.runs.back().end = at + 1;
            Packed packed{};
            packed.vertex = number[static_cast<size_t>(binding.vertex)];
            for (int k = 0; k < 3; ++k) {
                packed.point[k] =
                    static_cast<std::uint8_t>(binding.point[k] - binding.strip * per_rail);
                packed.weight[k] = static_cast<float>(binding.weight[k]);
            }
            layer.bindings.push_back(packed);
        }
        layers.push_back(std::move(layer));
    }
}

// Vertices in the order in which folding walks them, after those of the base. Returns the new
// number of each.
std::vector<int> FoldSolver::Parts::order_vertices(
    const std::vector<std::vector<Binding>>& bindings) {
    const int count = mesh.mesh.topology().vertex_count();
    std::vector<int> order;
    std::vector<int> number(static_cast<size_t>(count), -1);
    const auto take = [&](int v) {
        if (number[static_cast<size_t>(v)] < 0) {
            number[static_cast<size_t>(v)] = static_cast<int>(order.size());
            order.push_back(v);
        }
    };
    for (int v = 0; v < mesh.base_count; ++v) {
        take(v);
    }
    for (const std::vector<Binding>& layer : bindings) {
        for (const Binding& binding : layer) {
            take(binding.vertex);
        }
    }
    for (int v = 0; v < count; ++v) {
        take(v);
    }
    mesh.mesh.renumber(order);
    const MatrixX3d old = rest;
    for (size_t v = 0; v < order.size(); ++v) {
        rest.row(static_cast<Eigen::Index>(v)) = old.row(order[v]);
    }
    for (Follower& point : on_refined) {
        for (int& x : point.number) {
            x = 3 * number[static_cast<size_t>(x / 3)];
        }
    }
    return number;
}

FoldSolver::FoldSolver(const Topology& base, const MatrixX3d& rest, const FoldPattern& pattern,
                       const FoldOptions& options) {
    check_options(options);
    check_pattern(pattern, base);
    if (rest.rows() != base.vertex_count()) {
        throw InvalidInput(
            say("folds: expected ", base.vertex_count(), " rest positions, found ", rest.rows()));
    }
    std::vector<std::string> notes = pattern.notes;
    parts_ = std::make_unique<Parts>(make_fold_mesh(base, rest, pattern, options, notes), pattern);
    parts_->notes = std::move(notes);
    refine(rest, Workers(1), parts_->rest);
    parts_->place_rails(base, options.rails);
    parts_->bind();
    if (options.guard) {
        parts_->guard = std::make_unique<FoldGuard>(topology());
    }
}

FoldSolver::~FoldSolver() = default;
FoldSolver::FoldSolver(FoldSolver&&) noexcept = default;
FoldSolver& FoldSolver::operator=(FoldSolver&&) noexcept = default;

const Topology& FoldSolver::topology() const {
    return parts_->mesh.mesh.topology();
}

const MatrixX3d& FoldSolver::rest() const {
    return parts_->rest;
}

const std::vector<SurfacePoint>& FoldSolver::corner_points() const {
    return parts_->mesh.mesh.corner_points();
}

const Stencils& FoldSolver::stencils() const {
    return parts_->mesh.mesh.stencils();
}

int FoldSolver::levels() const {
    return parts_->mesh.mesh.levels();
}

int FoldSolver::uniform_vertex_count() const {
    return parts_->mesh.mesh.uniform_vertex_count();
}

const FoldRails& FoldSolver::rails() const {
    return *parts_->rails;
}

const FoldRailReport& FoldSolver::report() const {
    return parts_->rails->report();
}

int FoldSolver::held_vertex_count() const {
    return parts_->held;
}

int FoldSolver::bound_vertex_count() const {
    return parts_->bound_vertices;
}

const std::vector<std::string>& FoldSolver::notes() const {
    return parts_->notes;
}

SkinWeights FoldSolver::refined_weights(const SkinWeights& weights, int joint_count) const {
    const Stencils& stencils = parts_->mesh.mesh.stencils();
    if (weights.vertex_count() != stencils.base_count) {
        throw InvalidInput(say("folds: expected weights for ", stencils.base_count,
                               " vertices, found ", weights.vertex_count()));
    }
    constexpr int most_influences = 8;
    SkinWeights refined;
    refined.influences = most_influences;
    const size_t size = static_cast<size_t>(stencils.count()) * most_influences;
    refined.joints.assign(size, 0);
    refined.weights.assign(size, 0.0);
    std::vector<std::pair<int, double>> sums;  // joint, weight
    int widest = 1;
    for (int v = 0; v < stencils.count(); ++v) {
        sums.clear();
        for (int i = stencils.offsets[static_cast<size_t>(v)];
             i < stencils.offsets[static_cast<size_t>(v) + 1]; ++i) {
            const size_t row = static_cast<size_t>(stencils.indices[static_cast<size_t>(i)]) *
                               static_cast<size_t>(weights.influences);
            for (size_t k = row; k < row + static_cast<size_t>(weights.influences); ++k) {
                const double weight = stencils.weights[static_cast<size_t>(i)] * weights.weights[k];
                const int joint = weights.joints[k];
                const auto same = std::find_if(sums.begin(), sums.end(),
                                               [&](const auto& sum) { return sum.first == joint; });
                if (weight != 0.0 && same == sums.end()) {
                    sums.emplace_back(joint, weight);
                } else if (weight != 0.0) {
                    same->second += weight;
                }
            }
        }
        std::stable_sort(sums.begin(), sums.end(),
                         [](const auto& a, const auto& b) { return a.second > b.second; });
        const int kept = std::min(most_influences, static_cast<int>(sums.size()));
        widest = std::max(widest, kept);
        double sum = 0.0;
        for (int k = 0; k < kept; ++k) {
            sum += sums[static_cast<size_t>(k)].second;
        }
        for (int k = 0; k < kept; ++k) {
            const size_t at = static_cast<size_t>(v) * most_influences + static_cast<size_t>(k);
            refined.joints[at] = static_cast<std::uint16_t>(sums[static_cast<size_t>(k)].first);
            refined.weights[at] = sums[static_cast<size_t>(k)].second / sum;
        }
    }
    if (widest < most_influences) {  // narrower rows are cheaper to skin
        for (int v = 0; v < stencils.count(); ++v) {
            for (int k = 0; k < widest; ++k) {
                const size_t from = static_cast<size_t>(v) * most_influences + k;
                const size_t to = static_cast<size_t>(v) * widest + k;
                refined.joints[to] = refined.joints[from];
                refined.weights[to] = refined.weights[from];
            }
        }
        refined.influences = widest;
        refined.joints.resize(static_cast<size_t>(stencils.count()) * widest);
        refined.weights.resize(refined.joints.size());
    }
    refined.joint_pairs = find_joint_pairs(refined, joint_count);
    return refined;
}

void FoldSolver::refine(const MatrixX3d& base, const Workers& workers, MatrixX3d& refined) const {
    parts_->mesh.refine(base, workers, parts_->scratch, refined);
}

void FoldSolver::fold(const MatrixX3d& directions, const std::vector<FoldPlane>& planes,
                      const Workers& workers, MatrixX3d& refined) {
    Parts& parts = *parts_;
    if (refined.rows() != topology().vertex_count() || directions.rows() != parts.mesh.base_count) {
        throw InvalidInput(say("folds: expected ", topology().vertex_count(),
                               " refined vertices and ", parts.mesh.base_count,
                               " directions, found ", refined.rows(), " and ", directions.rows()));
    }
    const int per_rail = parts.pattern.segments + 1;
    const auto base_of = [&](int rail, int begin, int end, double* out) {
        const Follower* followers = parts.on_refined.data() + rail * per_rail;
        for (int i = begin; i < end; ++i) {
            follow(followers[i], refined.data(), out + 3 * i);
        }
    };
    const auto direction_of = [&](int rail, int begin, int end, double* out) {
        const Follower* followers = parts.on_base.data() + rail * per_rail;
        for (int i = begin; i < end; ++i) {
            follow(followers[i], directions.data(), out + 3 * i);
        }
    };
    parts.rails->solve(base_of, direction_of, planes, workers);
    if (parts.guard != nullptr) {
        parts.unfolded = refined;
    }
    const auto lift_all = [&](const auto& rails) {
        for (const Parts::Layer& layer : parts.layers) {
            const auto lift = [&](int begin, int end) {
                for (int s = begin; s < end; ++s) {
                    const StripRun& run = layer.runs[static_cast<size_t>(s)];
                    if (parts.is_folding(run)) {
                        lift_strip(layer.bindings.data() + run.begin,
                                   layer.bindings.data() + run.end, run.first_rail, per_rail, rails,
                                   refined.data());
                    }
                }
            };
            workers.for_chunks(static_cast<int>(layer.runs.size()), chunk_strips, lift);
        }
    };
    if (parts.rails->single_ != nullptr) {
        lift_all(*parts.rails->single_);
    } else {
        lift_all(*parts.rails->double_);
    }
    if (parts.guard != nullptr) {
        std::vector<unsigned char>& moved = parts.guard->moved();
        std::fill(moved.begin(), moved.end(), static_cast<unsigned char>(0));
        for (const Parts::Layer& layer : parts.layers) {
            for (const StripRun& run : layer.runs) {
                for (int i = run.begin; parts.is_folding(run) && i < run.end; ++i) {
                    moved[static_cast<size_t>(layer.bindings[static_cast<size_t>(i)].vertex)] = 1;
                }
            }
        }
        parts.held = parts.guard->hold(parts.unfolded, workers, refined);
    }
}

void FoldSolver::fill_channels(VectorXd& height, VectorXd& compression,
                               MatrixX3d& direction) const {
    const Parts& parts = *parts_;
    const int per_rail = parts.pattern.segments + 1;
    height.setZero(topology().vertex_count());
    compression.setZero(topology().vertex_count());
    direction.setZero(topology().vertex_count(), 3);
    for (const Parts::Layer& layer : parts.layers) {
        for (const StripRun& run : layer.runs) {
            for (int i = run.begin; i < run.end; ++i) {
                const Packed& binding = layer.bindings[static_cast<size_t>(i)];
                Vector3d offset = Vector3d::Zero();
                Vector3d side = Vector3d::Zero();
                for (int k = 0; k < 3; ++k) {
                    const double weight = binding.weight[k];
                    const int rail = run.first_rail + binding.point[k] / per_rail;
                    offset += weight * parts.rails->offset(rail, binding.point[k] % per_rail);
                    side += weight * parts.rails->direction(rail, binding.point[k] % per_rail);
                    compression[binding.vertex] +=
                        weight * std::max(0.0, parts.rails->compression()[rail]);
                }
                const double size = side.norm();
                if (size > 0.0) {
                    height[binding.vertex] += std::max(0.0, offset.dot(side) / size);
                    direction.row(binding.vertex) = side.transpose() / size;
                }
            }
        }
    }
}

void FoldSolver::rail_points(int rail, const MatrixX3d& refined, MatrixX3d& points) const {
    const int per_rail = parts_->pattern.segments + 1;
    points.resize(per_rail, 3);
    for (int i = 0; i < per_rail; ++i) {
        follow(parts_->on_refined[static_cast<size_t>(rail * per_rail + i)], refined.data(),
               points.data() + 3 * i);
    }
}

void FoldSolver::fill_lines(const MatrixX3d& folded, Lines& lines) const {
    const FoldPattern& pattern = parts_->pattern;
    const int count = static_cast<int>(pattern.rails.size());
    lines.points.resize(count, 3);
    lines.heights.resize(count);
    lines.starts.assign(1, 0);
    for (int r = 0; r < count; ++r) {
        const FoldPattern::Rail& rail = pattern.rails[static_cast<size_t>(r)];
        const int point =
            r * (pattern.segments + 1) + parts_->crest[static_cast<size_t>(rail.fold)];
        follow(parts_->on_refined[static_cast<size_t>(point)], folded.data(),
               lines.points.data() + 3 * r);
        lines.heights[r] = parts_->rails->height()[r];
        if (!rail.is_joined) {
            lines.starts.push_back(r + 1);
        }
    }
}

FoldDirections::FoldDirections(const FoldSolver& solver, const MatrixX3d& normals,
                               const SkinWeights& weights)
    : directions_(normals) {
    if (normals.rows() != weights.vertex_count() ||
        normals.rows() != solver.parts_->mesh.base_count) {
        throw InvalidInput(say("folds: expected normals and weights of ",
                               solver.parts_->mesh.base_count, " base vertices, found ",
                               normals.rows(), " and ", weights.vertex_count()));
    }
    std::vector<unsigned char> is_read(static_cast<size_t>(normals.rows()), 0);
    for (const Follower& point : solver.parts_->on_base) {
        for (const int x : point.number) {
            is_read[static_cast<size_t>(x / 3)] = 1;
        }
    }
    weights_.influences = weights.influences;
    for (size_t v = 0; v < is_read.size(); ++v) {
        if (is_read[v] != 0) {
            vertices_.push_back(static_cast<int>(v));
            const size_t row = v * static_cast<size_t>(weights.influences);
            for (size_t k = row; k < row + static_cast<size_t>(weights.influences); ++k) {
                weights_.joints.push_back(weights.joints[k]);
                weights_.weights.push_back(weights.weights[k]);
            }
        }
    }
    normals_.resize(static_cast<Eigen::Index>(vertices_.size()), 3);
    for (size_t i = 0; i < vertices_.size(); ++i) {
        normals_.row(static_cast<Eigen::Index>(i)) = normals.row(vertices_[i]);
    }
}

const MatrixX3d& FoldDirections::turn(const std::vector<Eigen::Affine3d>& matrices,
                                      const Workers& workers) {
    turn_normals(normals_, weights_, matrices, workers, turned_);
    for (size_t i = 0; i < vertices_.size(); ++i) {
        directions_.row(vertices_[i]) = turned_.row(static_cast<Eigen::Index>(i));
    }
    return directions_;
}

void turn_normals(const MatrixX3d& normals, const SkinWeights& weights,
                  const std::vector<Eigen::Affine3d>& matrices, const Workers& workers,
                  MatrixX3d& out) {
    thread_local std::vector<Eigen::Affine3d> turns;  // kept: the step loop allocates nothing
    turns = matrices;
    for (Eigen::Affine3d& turn : turns) {
        turn.translation().setZero();
    }
    skin_linear_blend(normals, weights, turns, workers, out);
    constexpr double cancelled = 1e-6;
    for (Eigen::Index v = 0; v < out.rows(); ++v) {
        const double size = out.row(v).norm();
        out.row(v) = size > cancelled ? Eigen::RowVector3d(out.row(v) / size)
                                      : Eigen::RowVector3d(normals.row(v));
    }
}

}  // namespace cutis
