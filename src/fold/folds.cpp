#include "cutis/fold/folds.h"

#include <algorithm>
#include <limits>

#include "cutis/core/error.h"
#include "fold/parts.h"

namespace cutis {

using namespace fold_detail;

namespace {

// Shares of the guard rise from 0 to 1 over this part of a width.
constexpr double guard_spread = 1.0 / 6.0;
constexpr int vertex_chunk = 512;  // vertices

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

FoldSolver::FoldSolver(const Topology& base, const MatrixX3d& rest, std::vector<FoldCurve> curves,
                       double reach, const FoldOptions& options, const Workers& workers) {
    check_struct(options.look, "fold", base.vertex_count());
    check_struct(options, "fold");
    require(reach > 0.0, "folds: expected a reach above 0, found ", reach);
    parts_ = lay_curves(base, rest, std::move(curves), reach, options, workers);
    prepare(options);
}

void FoldSolver::prepare(const FoldOptions& options) {
    FoldParts& parts = *parts_;
    parts.heights.emplace(parts.layout, options);
    const std::vector<int>& rows = parts.layout.spread.offsets;
    for (int v = 0; v < topology().vertex_count(); ++v) {
        if (rows[static_cast<size_t>(v)] < rows[static_cast<size_t>(v) + 1]) {
            parts.reached.push_back(v);
        }
    }
    parts.raised.setZero(topology().vertex_count());
    if (options.guard) {
        parts.guard.emplace(topology(), parts.rest, parts.normals, guard_spread * parts.width);
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

void FoldSolver::fold(const MatrixX3d& directions, const Workers& workers, MatrixX3d& refined) {
    FoldParts& parts = *parts_;
    require(refined.rows() == topology().vertex_count() && directions.rows() == refined.rows(),
            "folds: expected ", topology().vertex_count(),
            " refined vertices and directions, found ", refined.rows(), " and ", directions.rows());
    parts.heights->solve(refined, directions, workers);
    workers.for_chunks(static_cast<int>(parts.reached.size()), vertex_chunk,
                       [&](int begin, int end) {
                           for (int i = begin; i < end; ++i) {
                               const int v = parts.reached[static_cast<size_t>(i)];
                               parts.raised[v] = parts.heights->height(v);
                           }
                       });
    if (parts.guard) {
        parts.guard->find_shares(refined, directions, parts.raised, workers);
    }
    parts.report = parts.heights->report();
    double wanted = 0.0;
    double kept = 0.0;
    for (const int v : parts.reached) {
        const double share = parts.guard ? parts.guard->share(v) : 1.0;
        wanted += parts.raised[v];
        parts.raised[v] *= share;
        kept += parts.raised[v];
        parts.report.held += share < 1.0 ? 1 : 0;
        refined.row(v) += parts.raised[v] * directions.row(v);
    }
    parts.report.kept = wanted > 0.0 ? kept / wanted : 1.0;
}

void FoldSolver::fill_channels(VectorXd& height, VectorXd& compression, VectorXd& share) const {
    const FoldParts& parts = *parts_;
    height = parts.raised;
    compression.setZero(topology().vertex_count());
    share.setOnes(topology().vertex_count());
    for (const int v : parts.reached) {
        compression[v] = parts.heights->compression(v);
        share[v] = parts.guard ? parts.guard->share(v) : 1.0;
    }
}

VectorXd FoldSolver::weights() const {
    VectorXd result = VectorXd::Zero(topology().vertex_count());
    const Stencils& spread = parts_->layout.spread;
    for (const int v : parts_->reached) {
        double sum = 0.0;
        for (int s = spread.offsets[static_cast<size_t>(v)];
             s < spread.offsets[static_cast<size_t>(v) + 1]; ++s) {
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

VectorXd limb_radius(const MatrixX3d& rest, const SkinWeights& weights,
                     const std::vector<int>& parent, const std::vector<Vector3d>& position) {
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
            const double t =
                size > 0.0 ? std::clamp((p - position[joint]).dot(bone) / size, 0.0, 1.0) : 0.0;
            nearest = std::min(nearest, (p - position[joint] - t * bone).norm());
        }
        return nearest;
    };
    VectorXd radius = VectorXd::Zero(rest.rows());
    for (Eigen::Index v = 0; v < rest.rows(); ++v) {
        for (int k = 0; k < weights.influences; ++k) {
            const size_t at = static_cast<size_t>(v) * static_cast<size_t>(weights.influences) +
                              static_cast<size_t>(k);
            if (weights.weights[at] > 0.0) {
                radius[v] += weights.weights[at] * distance(rest.row(v), weights.joints[at]);
            }
        }
    }
    return radius;
}

}  // namespace cutis
