#include "fold_plan.h"

#include <algorithm>
#include <cmath>

#include "core/geometry.h"
#include "core/math.h"
#include "cutis/core/error.h"
#include "stack/refined_art.h"
#include "stack/regions.h"

namespace cutis {

namespace {

constexpr int least_poses = 24;
constexpr int most_poses = 240;  // of a clip
constexpr double degree = 0.017453292519943295;
// Joints turn at random as far as the clips turn them and somewhat further, within these.
constexpr double least_range = 20.0 * degree;
constexpr double most_range = 80.0 * degree;
constexpr double beyond_clips = 1.2;

using JointPose = std::vector<Eigen::Affine3d>;

std::vector<double> sample_times(double duration, double per_second) {
    if (!(duration > 0.0)) {
        return {0.0};
    }
    const int count = std::clamp(static_cast<int>(std::ceil(duration * per_second)) + 1, least_poses, most_poses);
    std::vector<double> times;
    times.reserve(static_cast<size_t>(count));
    for (int i = 0; i < count; ++i) {
        times.push_back(duration * i / (count - 1));
    }
    return times;
}

/// Poses of the character's other clips, in its own units: folds only ask how cloth is stretched.
void add_other_clips(const Body& body, std::vector<JointPose>& poses) {
    const Character* character = body.source().character.get();
    if (character == nullptr) {
        return;
    }
    Pose local;
    std::vector<Eigen::Affine3d> frames;
    for (const Clip& clip : character->clips) {
        const ClipSampler sampler(character->skeleton, clip, TimeSampling::exact);
        for (const double time : sample_times(clip.end() - clip.start(), 0.0)) {
            sampler.sample(clip.start() + time, local);
            world_frames(character->skeleton, local.local, frames);
            poses.emplace_back();
            joint_matrices(body.rig()->node, body.rig()->inverse_bind, frames, poses.back());
        }
    }
}

/// Rotation of a joint against its parent's.
Eigen::Matrix3d turn_of(const Rig& rig, const JointPose& pose, size_t joint) {
    const int parent = rig.parent[joint];
    const Eigen::Matrix3d own = pose[joint].linear();
    return parent < 0 ? own : Eigen::Matrix3d(pose[static_cast<size_t>(parent)].linear().inverse() * own);
}

/// Every joint turned at random about any axis, as far as the poses so far turn it.
void add_random_poses(const Rig& rig, int count, std::vector<JointPose>& poses) {
    std::vector<double> range(static_cast<size_t>(rig.joint_count()), 0.0);
    for (const JointPose& pose : poses) {
        for (size_t j = 0; j < range.size(); ++j) {
            const Eigen::Matrix3d turn = turn_of(rig, pose, j);
            if (turn.allFinite() && turn.norm() > 0.0) {
                const double size = math::cbrt(std::max(1e-30, std::abs(turn.determinant())));
                const double cosine = 0.5 * (turn.trace() / size - 1.0);
                range[j] = std::max(range[j], math::acos(std::clamp(cosine, -1.0, 1.0)));
            }
        }
    }
    const bool is_still = std::all_of(range.begin(), range.end(), [](double angle) { return angle < 1e-3; });
    std::uint32_t state = 2463534242U;
    const auto roll = [&state] {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        return static_cast<double>(state) / 2147483648.0 - 1.0;
    };
    for (int i = 0; i < count; ++i) {
        JointPose pose(range.size(), Eigen::Affine3d::Identity());
        for (size_t j = 0; j < range.size(); ++j) {
            const double most = is_still ? most_range : std::clamp(beyond_clips * range[j], least_range, most_range);
            const double x = roll();  // one after the other: compilers differ in the order of arguments
            const double y = roll();
            const double z = roll();
            const Eigen::Affine3d turn = Eigen::Translation3d(rig.centre[j]) *
                                         quaternion_exp(0.5 * most * roll() * Vector3d(x, y, z).normalized()) *
                                         Eigen::Translation3d(-rig.centre[j]);
            const int parent = rig.parent[j];
            pose[j] = parent < 0 ? Eigen::Affine3d::Identity() : pose[static_cast<size_t>(parent)] * turn;
        }
        poses.push_back(std::move(pose));
    }
}

FoldProfile profile_of(const FoldLayerOptions& settings, FoldShape shape) {
    switch (shape) {
        case FoldShape::flat:
            return FoldProfile::flat();
        case FoldShape::sharp:
            return FoldProfile::sharp();
        case FoldShape::custom:
            try {
                return FoldProfile::sampled(settings.profile_heights);
            } catch (const InvalidInput& refused) {
                throw InvalidInput(concat("[[layer]] fold: profile_heights: ", refused.what()));
            }
        case FoldShape::blob:
            break;
    }
    return FoldProfile::blob();
}

/// The solver's options, with painted values of the surface and the cross-section asked for.
FoldOptions fold_options(const LayerInput& ground, const FoldLayerOptions& settings) {
    FoldOptions options = settings.solver;
    look_up_regions(ground, describe(options.look), "[[layer]] fold");
    options.look.profile = profile_of(settings, settings.profile);
    return options;
}

double reach_of(const LayerInput& ground, const FoldLayerOptions& settings) {
    constexpr double of_size = 0.05 / 1.7;
    return settings.reach.value_or(of_size * ground.surface->main_box().maxCoeff());
}

/// A chain of the artist's vertices to a curve along simulation vertices.
FoldCurve curve_of(const LayerInput& ground, const FoldChain& given) {
    std::vector<int> chain;
    std::vector<int> shown;
    const std::vector<int>& vertex_of_art = ground.surface->mesh().vertex_of_art;
    for (const int art : given.vertices) {
        require(
            art >= 0 && static_cast<size_t>(art) < vertex_of_art.size() && vertex_of_art[static_cast<size_t>(art)] >= 0,
            "[[layer]] fold: chain: expected a vertex of 0 to ", vertex_of_art.size() - 1,
            " that the surface uses, found ", art);
        const int vertex = vertex_of_art[static_cast<size_t>(art)];
        if (chain.empty() || chain.back() != vertex) {  // both sides of a seam are one vertex
            chain.push_back(vertex);
            shown.push_back(art);
        }
    }
    try {
        return fold_curve_from_chain(ground.surface->topology(), chain, shown);
    } catch (const InvalidInput& refused) {
        throw InvalidInput(
            concat("[[layer]] fold: chain: ", refused.what(), " (vertices on both sides of a seam are one)"));
    }
}

/// The surface as the body itself moves it.
void body_pose(const LayerInput& ground, double time, MatrixX3d& out) {
    require(ground.refined == nullptr,
            "fold: expected the body's own mesh to find folds on, found one that an earlier layer "
            "has refined");
    MatrixX3d art;
    ground.body->positions(time, TimeSampling::exact, ground.own_workers(), art);
    ground.surface->from_art().values(art, ground.own_workers(), out);
}

/// What stripes are laid out from.
/// \param is_quick  from a few poses
FoldSource fold_source(const LayerInput& ground, const FoldSkeleton& skeleton, const FoldLayerOptions& settings,
                       bool is_quick = false) {
    const Workers& workers = ground.own_workers();
    const MatrixX3d& rest = ground.surface->rest();
    FoldSource source;
    if (settings.where.name != "all") {
        source.where = region_values(ground, settings.where);
    }
    if (skeleton.has_joints()) {
        const Rig& rig = skeleton.rig();
        source.radius = limb_radius(rest, skeleton.weights(), rig.parent, rig.centre);
        Vector3d low = rig.centre.front();
        Vector3d high = low;
        for (const Vector3d& centre : rig.centre) {
            low = low.cwiseMin(centre);
            high = high.cwiseMax(centre);
        }
        source.size = (high - low).maxCoeff();
    }
    std::vector<double> times = sample_times(ground.body->duration(), settings.poses_per_second);
    if (is_quick) {
        times = {times.front(), times[times.size() / 5],     times[2 * times.size() / 5], times[3 * times.size() / 5],
                 times.back(),  times[4 * times.size() / 5], times[times.size() / 2]};
    }
    if (!skeleton.has_skin()) {
        for (const double time : times) {
            source.poses.emplace_back();
            body_pose(ground, time, source.poses.back());
        }
        return source;
    }
    // Dual quaternion poses: linear blend collapses around joints and leads stripes astray.
    std::vector<JointPose> poses;
    for (const double time : times) {
        poses.emplace_back();
        skeleton.matrices(time, TimeSampling::exact, poses.back());
    }
    if (settings.poses == FoldLayerOptions::Poses::all) {
        if (!is_quick) {
            add_other_clips(*ground.body, poses);
        }
        add_random_poses(skeleton.rig(), is_quick ? std::min(settings.random_poses, 12) : settings.random_poses, poses);
    }
    for (const JointPose& pose : poses) {
        source.poses.emplace_back();
        skin_dual_quaternion(rest, skeleton.weights(), pose, workers, source.poses.back(), skeleton.rig().centre);
    }
    return source;
}

/// The paper's curves: chains that are given, or those of the joints that bend.
std::vector<FoldCurve> curves_of(const LayerInput& ground, const FoldSkeleton& skeleton,
                                 const FoldLayerOptions& settings, std::vector<std::string>& notes) {
    std::vector<FoldCurve> curves;
    for (const FoldChain& chain : settings.chains) {
        curves.push_back(curve_of(ground, chain));
    }
    if (settings.chains.empty()) {
        require(skeleton.has_joints(),
                "fold: layout = \"paper\": expected a body with joints, or chains, found neither; "
                "use \"stripes\"");
        std::vector<FoldPose> poses;
        for (const double time : sample_times(ground.body->duration(), settings.poses_per_second)) {
            FoldPose pose;
            skeleton.matrices(time, TimeSampling::exact, pose.matrices);
            if (skeleton.has_skin()) {
                skin_dual_quaternion(ground.surface->rest(), skeleton.weights(), pose.matrices, ground.own_workers(),
                                     pose.positions, skeleton.rig().centre);
            } else {
                body_pose(ground, time, pose.positions);
            }
            poses.push_back(std::move(pose));
        }
        const Rig& rig = skeleton.rig();
        const FoldJoints joints{&skeleton.weights(), rig.parent, rig.centre, rig.name};
        curves = find_joint_curves(ground.surface->topology(), ground.surface->rest(), joints, poses, settings.joints,
                                   reach_of(ground, settings), notes);
    }
    for (size_t c = 0; c < curves.size() && !settings.curves.empty(); ++c) {
        const FoldCurveLook& look = settings.curves[c % settings.curves.size()];
        curves[c].width = look.width.value_or(0.0);
        if (look.profile != FoldCurveLook::Shape::layer) {
            curves[c].profile = profile_of(
                settings,
                static_cast<FoldShape>(static_cast<int>(look.profile) - static_cast<int>(FoldCurveLook::Shape::blob)));
        }
    }
    return curves;
}

/// Refuses what would have no effect: more likely a mistake than a wish.
void check_together(const FoldLayerOptions& settings) {
    const bool is_paper = settings.layout == FoldLayerOptions::Layout::paper;
    const auto needs_paper = [&](bool is_set, const char* key) {
        require(is_paper || !is_set, "[[layer]] fold: ", key, ": expected layout = \"paper\", which has curves");
    };
    needs_paper(!settings.chains.empty(), "chain");
    needs_paper(!settings.curves.empty(), "curve");
    needs_paper(!settings.joints.joints.empty(), "joints");
    require(!settings.solver.contact || (settings.solver.guard && !is_paper),
            "[[layer]] fold: contact: expected guard = true and layout = \"stripes\", which it works with");
    require(!settings.solver.lean || !is_paper,
            "[[layer]] fold: side_by_side: expected layout = \"stripes\", which it works with");
    require(settings.solver.contact || settings.solver.thickness == 0.0,
            "[[layer]] fold: thickness: expected contact = true, which keeps it between folds");
    require(!is_paper || settings.where.name == "all",
            "[[layer]] fold: where: expected layout = \"stripes\"; curves are chosen by joints or "
            "chain");
    require(settings.poses == FoldLayerOptions::Poses::all || settings.random_poses == FoldLayerOptions().random_poses,
            "[[layer]] fold: random_poses: expected poses = \"all\"; the clip alone has none");
    bool has_custom = settings.profile == FoldShape::custom;
    for (const FoldCurveLook& curve : settings.curves) {
        has_custom = has_custom || curve.profile == FoldCurveLook::Shape::custom;
    }
    require(settings.profile_heights.empty() || has_custom,
            "[[layer]] fold: profile_heights: expected profile = \"custom\" to use them");
}

}  // namespace

FoldSkeleton::FoldSkeleton(const LayerInput& ground) : body_(*ground.body) {
    if (body_.rig() == nullptr || ground.weights->vertex_count() == 0 || body_.has_separate_rest_pose()) {
        return;
    }
    rig_ = body_.rig();
    weights_ = weights_of(*ground.weights, ground.surface->mesh().art_of_vertex);
    // On a mesh that an earlier layer has refined, the body does not say where vertices are.
    has_skin_ = rig_->is_whole_motion && ground.refined == nullptr;
}

FoldSolver plan_folds(const LayerInput& ground, const FoldSkeleton& skeleton, const FoldLayerOptions& settings) {
    check_together(settings);
    const Topology& base = ground.surface->topology();
    const MatrixX3d& rest = ground.surface->rest();
    const FoldOptions options = fold_options(ground, settings);
    if (settings.layout == FoldLayerOptions::Layout::stripes) {
        return FoldSolver(base, rest, fold_source(ground, skeleton, settings), options, ground.own_workers());
    }
    std::vector<std::string> notes;
    std::vector<FoldCurve> curves = curves_of(ground, skeleton, settings, notes);
    FoldSolver solver(base, rest, std::move(curves), reach_of(ground, settings), options, ground.own_workers());
    solver.add_notes(notes);
    return solver;
}

LayerCost estimate_folds(const FoldLayerOptions& settings, const LayerInput& ground) {
    check_together(settings);
    if (settings.layout != FoldLayerOptions::Layout::stripes) {
        return {};
    }
    constexpr double bytes_a_vertex = 3500.0;  // of the refined mesh: layout, lines, heights, art
    constexpr double bytes_a_pose = 24.0;      // and vertex
    const FoldSkeleton skeleton(ground);
    const FoldSource source = fold_source(ground, skeleton, settings, true);
    const double vertices = estimated_fold_vertices(ground.surface->topology(), ground.surface->rest(), source,
                                                    fold_options(ground, settings));
    constexpr double poses = 300.0;
    return {vertices, bytes_a_vertex * vertices + bytes_a_pose * poses * ground.surface->vertex_count()};
}

RefinedMesh refined_art(const LayerInput& ground, const FoldSkeleton& skeleton, const FoldSolver& solver) {
    const Refinement refinement = {&solver.topology(), &solver.rest(), &solver.corner_points(), &solver.stencils(),
                                   [&solver](const SurfacePoint& below) { return solver.locate(below); }};
    return refined_art(ground, refinement,
                       skeleton.has_joints() ? solver.refined_weights(skeleton.weights(), skeleton.rig().joint_count())
                                             : SkinWeights{});
}

}  // namespace cutis
