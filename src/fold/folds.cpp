#include "cutis/fold/folds.h"

#include <algorithm>
#include <functional>

#include "cutis/core/error.h"
#include "cutis/mesh/geometry.h"
#include "fold/fold_parts.h"

namespace cutis {

using namespace fold_detail;

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
    const Strips strips(pattern, rails->set().rest, sides, parts_of_rails(pattern, mesh.mesh));
    std::vector<std::vector<Binding>> sorted;
    std::vector<Binding> found;
    for (int v = 0; v < topology.vertex_count(); ++v) {
        found.clear();
        strips.find(
            {rest.row(v), normals.row(v), topology.part_of_vertex()[static_cast<size_t>(v)]}, v,
            0.0, found);
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
    for (const std::vector<Binding>& bindings : sorted) {
        layers.push_back(make_lift_layer(bindings, pattern, number));
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
    for (const Follower& point : on_refined) {
        for (const int x : point.number) {
            take(x / 3);
        }
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
                       const FoldOptions& options, const Workers& workers) {
    check_struct(options, "fold");
    check_pattern(pattern, base);
    require(rest.rows() == base.vertex_count(), "folds: expected ", base.vertex_count(),
            " rest positions, found ", rest.rows());
    std::vector<std::string> notes = pattern.notes;
    parts_ = std::make_unique<Parts>(make_fold_mesh(base, rest, pattern, options, workers, notes),
                                     pattern);
    parts_->notes = std::move(notes);
    refine(rest, workers, parts_->rest);
    parts_->place_rails(base, options.rails);
    parts_->bind();
    if (options.guard && options.rails.mode != FoldMode::strict) {
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

SurfacePoint FoldSolver::locate(const SurfacePoint& point) const {
    return parts_->mesh.mesh.locate(point);
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

void FoldSolver::refine(const MatrixX3d& base, const Workers& workers, MatrixX3d& refined) const {
    parts_->mesh.refine(base, workers, parts_->scratch, refined);
}

void FoldSolver::fold(const MatrixX3d& directions, const std::vector<FoldPlane>& planes,
                      const Workers& workers, MatrixX3d& refined) {
    Parts& parts = *parts_;
    require(
        refined.rows() == topology().vertex_count() && directions.rows() == parts.mesh.base_count,
        "folds: expected ", topology().vertex_count(), " refined vertices and ",
        parts.mesh.base_count, " directions, found ", refined.rows(), " and ", directions.rows());
    const int per_rail = parts.pattern.segments + 1;
    // Vertices of rails further on are asked for early: the mesh is too large for the near caches.
    constexpr int rails_ahead = 6;
    const int last_follower = static_cast<int>(parts.on_refined.size()) - 1;
    const auto base_of = [&](int rail, int begin, int end, double* out) {
        const Follower* followers = parts.on_refined.data() + rail * per_rail;
        for (int i = begin; i < end; ++i) {
            const int ahead = std::min((rail + rails_ahead) * per_rail + i, last_follower);
            const Follower& later = parts.on_refined[static_cast<size_t>(ahead)];
            for (const int number : later.number) {
                __builtin_prefetch(refined.data() + number);
            }
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
    for (const LiftLayer& layer : parts.layers) {
        if (parts.rails->single_ != nullptr) {
            lift(layer, *parts.rails->single_, workers, refined.data());
        } else {
            lift(layer, *parts.rails->double_, workers, refined.data());
        }
    }
    if (parts.guard != nullptr) {
        std::vector<unsigned char>& moved = parts.guard->moved();
        std::fill(moved.begin(), moved.end(), static_cast<unsigned char>(0));
        for (const LiftLayer& layer : parts.layers) {
            for (const StripRun& run : layer.runs) {
                for (int i = run.begin; parts.is_folding(run) && i < run.end; ++i) {
                    moved[static_cast<size_t>(layer.bindings[static_cast<size_t>(i)].vertex)] = 1;
                }
            }
        }
        parts.held = parts.guard->hold(parts.unfolded, workers, refined);
    }
}

}  // namespace cutis
