#include "fold/folds.h"

#include <algorithm>
#include <cmath>

#include "core/simd.h"
#include "cutis/core/error.h"
#include "fold/parts.h"

namespace cutis {

using namespace fold_detail;

namespace {

const std::vector<float> no_pressure;
constexpr double held_share = 0.999;  // of its height; below it a vertex counts as held back

}  // namespace

FoldSolver::FoldSolver(const Topology& base, const MatrixX3d& rest, const FoldSource& source,
                       const FoldOptions& options, const Workers& workers) {
    check_struct(options.look, "fold", base.vertex_count());
    check_struct(options, "fold");
    parts_ = lay_stripes(base, rest, source, options, workers);
    prepare(options);
    if (is_empty()) {
        parts_->notes.push_back("folds: nothing is compressed in any pose; no folds");
    }
}

FoldSolver::FoldSolver(const Topology& base, const MatrixX3d& rest, std::vector<FoldCurve> curves, double reach,
                       const FoldOptions& options, const Workers& workers) {
    check_struct(options.look, "fold", base.vertex_count());
    check_struct(options, "fold");
    require(reach > 0.0, "folds: expected a reach above 0, found ", reach);
    parts_ = lay_curves(base, rest, std::move(curves), reach, options, workers);
    prepare(options);
}

void FoldSolver::prepare(const FoldOptions& options) {
    FoldParts& parts = *parts_;
    if (!parts.places) {
        parts.places.emplace(topology(), parts.layout);
    }
    parts.heights.emplace(parts.layout, *parts.places, options);
    parts.lift.emplace(parts.layout, *parts.places);
    parts.is_needed.assign(static_cast<size_t>(parts.places->blocks()), 0);
    if (options.guard) {
        // Along directions that lean, triangles always face away.
        parts.guard.emplace(topology(), parts.rest, parts.normals, *parts.places, parts.layout,
                            parts.lean ? stripes::Fading{} : guard_fading);
    }
}

FoldSolver::~FoldSolver() = default;
FoldSolver::FoldSolver(FoldSolver&&) noexcept = default;
FoldSolver& FoldSolver::operator=(FoldSolver&&) noexcept = default;

bool FoldSolver::is_empty() const {
    return parts_->layout.lines.empty();
}

const Topology& FoldSolver::topology() const {
    return parts_->mesh.mesh.topology();
}

const MatrixX3d& FoldSolver::rest() const {
    return parts_->rest;
}

const MatrixX3d& FoldSolver::normals() const {
    return parts_->normals;
}

const VectorXd& FoldSolver::width() const {
    return parts_->width;
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

SkinWeights FoldSolver::refined_weights(const SkinWeights& weights, int joint_count) const {
    return cutis::refined_weights(weights, stencils(), joint_count);
}

const FoldReport& FoldSolver::report() const {
    return parts_->report;
}

int FoldSolver::line_count() const {
    return static_cast<int>(parts_->layout.lines.size());
}

const std::vector<std::string>& FoldSolver::notes() const {
    return parts_->notes;
}

void FoldSolver::add_notes(const std::vector<std::string>& more) {
    parts_->notes.insert(parts_->notes.end(), more.begin(), more.end());
}

void FoldSolver::refine(const MatrixX3d& base, const Workers& workers, MatrixX3d& refined) const {
    parts_->mesh.refine(base, workers, parts_->scratch, refined);
}

void FoldSolver::fold(const MatrixX3d& normals, const Workers& workers, MatrixX3d& refined) {
    FoldParts& parts = *parts_;
    require(refined.rows() == topology().vertex_count() && normals.rows() == refined.rows(), "folds: expected ",
            topology().vertex_count(), " refined vertices and directions, found ", refined.rows(), " and ",
            normals.rows());
    const MatrixX3d& directions = parts.lean ? parts.lean->find(normals, workers) : normals;
    if (parts.contact) {
        parts.contact->press(refined, directions, workers);
    }
    FoldHeights& heights = *parts.heights;
    FoldLift& lift = *parts.lift;
    heights.solve(refined, directions, parts.contact ? parts.contact->pressure() : no_pressure, workers);
    lift.raise(heights, workers);
    parts.report = heights.report();
    const double wanted = lift.sum();
    if (parts.guard) {
        FoldGuard& guard = *parts.guard;
        guard.mark_needed(lift, parts.is_needed);
        parts.places->take(refined, directions, lift.raised(), parts.is_needed, workers);
        if (guard.find_shares(lift, workers)) {
            heights.recover(guard.shares(), guard.is_held(), workers);
            lift.raise_again(heights, heights.is_recovered(), workers);
            parts.places->raise(lift.raised(), lift.is_changed());
            guard.find_shares_again(lift, workers);
        }
    }
    double kept = 0.0;
    for (int b = 0; b < parts.places->moved_blocks(); ++b) {
        if (lift.is_raised()[static_cast<size_t>(b)] == 0) {
            continue;
        }
        const int end = std::min((b + 1) * FoldPlaces::block, parts.places->moved());
        for (int n = b * FoldPlaces::block; n < end; ++n) {
            double height = lift.raised(n);
            if (parts.guard) {
                const double share = static_cast<double>(parts.guard->shares()[static_cast<size_t>(n)]);
                height *= share;
                parts.report.held += share < held_share && height > 0.0 ? 1 : 0;
            }
            kept += height;
            const auto v = static_cast<std::ptrdiff_t>(parts.places->vertex(n));
            for (std::ptrdiff_t c = 3 * v; c < 3 * v + 3; ++c) {
                refined.data()[c] += height * directions.data()[c];
            }
        }
    }
    parts.report.kept = wanted > 0.0 ? std::min(1.0, kept / wanted) : 1.0;
}

void FoldSolver::fill_channels(VectorXd& height, VectorXd& compression, VectorXd& share) const {
    const FoldParts& parts = *parts_;
    height.setZero(topology().vertex_count());
    compression.setZero(topology().vertex_count());
    share.setOnes(topology().vertex_count());
    for (int n = 0; n < parts.places->moved(); ++n) {
        const int v = parts.places->vertex(n);
        compression[v] = parts.heights->compression(v);
        share[v] = parts.guard ? static_cast<double>(parts.guard->shares()[static_cast<size_t>(n)]) : 1.0;
        height[v] = parts.lift->raised(n) * share[v];
    }
}

VectorXd FoldSolver::weights() const {
    VectorXd result = VectorXd::Zero(topology().vertex_count());
    const Stencils& spread = parts_->layout.spread;
    for (int n = 0; n < parts_->places->moved(); ++n) {
        const int v = parts_->places->vertex(n);
        double sum = 0.0;
        for (int s = spread.offsets[static_cast<size_t>(v)]; s < spread.offsets[static_cast<size_t>(v) + 1]; ++s) {
            sum += spread.weights[static_cast<size_t>(s)];
        }
        result[v] = sum * parts_->layout.profile.front()[static_cast<size_t>(v)];
    }
    return result;
}

FoldSolver::Line FoldSolver::line(int number, const MatrixX3d& positions) const {
    const FoldLayout::Line& line = parts_->layout.lines[static_cast<size_t>(number)];
    Line result;
    result.target = line.target;
    result.points.resize(line.end - line.begin, 3);
    for (int i = line.begin; i < line.end; ++i) {
        const EdgePoint& p = parts_->layout.points[static_cast<size_t>(i)];
        const double t = p.t;
        result.points.row(i - line.begin) = (1.0 - t) * positions.row(p.a) + t * positions.row(p.b);
    }
    return result;
}

void turn_normals(const MatrixX3d& normals, const SkinWeights& weights, const std::vector<Eigen::Affine3d>& matrices,
                  const Workers& workers, MatrixX3d& out) {
    thread_local std::vector<Eigen::Affine3d> turns;  // kept: the step loop allocates nothing
    turns = matrices;
    for (Eigen::Affine3d& turn : turns) {
        turn.translation().setZero();
    }
    skin_linear_blend(normals, weights, turns, workers, out);
    workers.for_chunks(static_cast<int>(out.rows()), 1024, [&](int begin, int end) {
        constexpr double cancelled = 1e-6;
        const auto normalise = [&](std::ptrdiff_t v) {
            double* n = out.data() + 3 * v;
            const double size = std::sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
            const bool is_known = size > cancelled;
            const double scale = 1.0 / (is_known ? size : 1.0);
            for (int c = 0; c < 3; ++c) {
                n[c] = is_known ? scale * n[c] : normals.data()[3 * v + c];
            }
        };
        constexpr int four = simd::lanes_in<simd::Doubles>;
        std::ptrdiff_t v = begin;
        for (; v + four <= end; v += four) {
            simd::Doubles3 n;
            simd::split_xyz(out.data() + 3 * v, n.x, n.y, n.z);
            const simd::Doubles size = simd::length(n);
            if (simd::any(~(size > simd::all(cancelled)))) {
                for (int i = 0; i < four; ++i) {
                    normalise(v + i);
                }
                continue;
            }
            const simd::Doubles scale = simd::all(1.0) / size;
            simd::join_xyz(out.data() + 3 * v, scale * n.x, scale * n.y, scale * n.z);
        }
        for (; v < end; ++v) {
            normalise(v);
        }
    });
}

VectorXd limb_radius(const MatrixX3d& rest, const SkinWeights& weights, const std::vector<int>& parent,
                     const std::vector<Vector3d>& position) {
    std::vector<std::vector<int>> children(parent.size());
    for (size_t j = 0; j < parent.size(); ++j) {
        if (parent[j] >= 0) {
            children[static_cast<size_t>(parent[j])].push_back(static_cast<int>(j));
        }
    }
    // A joint moves what lies along its bones, which end at its children.
    const auto distance = [&](const Vector3d& p, size_t joint) {
        double nearest = (p - position[joint]).norm();
        for (const int child : children[joint]) {
            const Vector3d bone = position[static_cast<size_t>(child)] - position[joint];
            const double size = bone.squaredNorm();
            const double t = size > 0.0 ? std::clamp((p - position[joint]).dot(bone) / size, 0.0, 1.0) : 0.0;
            nearest = std::min(nearest, (p - position[joint] - t * bone).norm());
        }
        return nearest;
    };
    VectorXd radius = VectorXd::Zero(rest.rows());
    for (Eigen::Index v = 0; v < rest.rows(); ++v) {
        for (int k = 0; k < weights.influences; ++k) {
            const size_t at = static_cast<size_t>(v) * static_cast<size_t>(weights.influences) + static_cast<size_t>(k);
            if (weights.weights[at] > 0.0) {
                radius[v] += weights.weights[at] * distance(rest.row(v), weights.joints[at]);
            }
        }
    }
    return radius;
}

}  // namespace cutis
