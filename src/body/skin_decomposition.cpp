#include "body/skin_decomposition.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "body/blend_stats.h"
#include "body/simplex_fit.h"
#include "core/geometry.h"
#include "cutis/core/error.h"

namespace cutis {

namespace {

constexpr int most_influences = 8;
constexpr int point_chunk = 64;
constexpr int sweeps = 5;             // of motions for each choice of weights
constexpr double little = 1e-4;       // of the error: a round that gains less is the last
constexpr double hardly = 1e-5;       // the same, where the bones have their places
constexpr int failures_in_a_row = 8;  // of moved bones

class Decomposer {
public:
    Decomposer(const MatrixX3d& rest, const MatrixX3i& triangles, const std::vector<MatrixX3d>& frames,
               const DecompositionOptions& options, const Workers& workers)
        : points_(rest, frames), options_(options), workers_(workers) {
        near_.resize(static_cast<size_t>(points_.count()));
        for (Eigen::Index t = 0; t < triangles.rows(); ++t) {
            for (int k = 0; k < 3; ++k) {
                const int p = points_.point_of[triangles(t, k)];
                const int q = points_.point_of[triangles(t, (k + 1) % 3)];
                near_[p].push_back(q);
                near_[q].push_back(p);
            }
        }
        for (size_t v = 0; v < near_.size(); ++v) {
            std::vector<int>& near = near_[v];
            std::sort(near.begin(), near.end());
            near.erase(std::unique(near.begin(), near.end()), near.end());
            near.erase(std::remove(near.begin(), near.end(), static_cast<int>(v)), near.end());
        }
        error_.assign(static_cast<size_t>(points_.count()), 0.0);
        weights_.assign(static_cast<size_t>(points_.count()) * static_cast<size_t>(options_.influences), {0, 0.0});
        for (int v = 0; v < points_.count(); ++v) {
            of(v)[0] = {0, 1.0};
        }
        add_bone({});
        find_motions();
        find_weights(1);
    }

    /// Bones one by one, each where a cluster fits worst; points follow one bone each.
    void grow() {
        while (motions_.bones < options_.bones && worst_of_worst() >= 0) {
            add_bone(patch(worst_of_worst()));
            for (int i = 0; i < 4; ++i) {
                find_weights(1);
                find_motions();
            }
        }
        for (int i = 0; i < 10; ++i) {
            find_weights(1);
            find_motions();
        }
    }

    void refine(int rounds, double least_gain = little) {
        find_weights(options_.influences);
        for (int round = 0; round < rounds; ++round) {
            const double before = sum_;
            find_motions();
            find_weights(options_.influences);
            if (!(sum_ < before * (1.0 - least_gain))) {
                break;
            }
        }
    }

    /// A bone that helps little goes where the error is largest; kept where that helps.
    void move_bones() {
        std::vector<char> was_tried(static_cast<size_t>(points_.count()), 0);
        int failures = 0;
        for (int move = 0; move < options_.moves && failures < failures_in_a_row && motions_.bones > 1; ++move) {
            const BoneMotions motions = motions_;
            const std::vector<Influence> weights = weights_;
            const std::vector<double> error = error_;
            const double before = sum_;
            const int place = worst_place(was_tried);
            if (place < 0) {
                return;
            }
            const std::vector<int> chosen = patch(place);
            seed(least_useful(), chosen);
            constexpr int first_rounds = 6;
            constexpr double hopeful = 1.2;  // of the error before
            refine(std::min(first_rounds, options_.rounds), 0.0);
            if (sum_ < hopeful * before) {
                refine(options_.rounds);
            }
            if (sum_ < before) {
                failures = 0;
                continue;
            }
            ++failures;
            for (const int v : chosen) {
                was_tried[v] = 1;
            }
            motions_ = motions;
            weights_ = weights;
            error_ = error;
            sum_ = before;
        }
    }

    /// Weights from those there are, so that the error only falls; longer than refine().
    void polish() {
        keeps_weights_ = true;
        refine(4 * options_.rounds, hardly);
    }

    SkinDecomposition result(const MatrixX3d& rest, const std::vector<MatrixX3d>& frames) const {
        SkinDecomposition found;
        found.weights.influences = options_.influences;
        for (const int point : points_.point_of) {
            for (int i = 0; i < options_.influences; ++i) {
                found.weights.joints.push_back(static_cast<std::uint16_t>(of(point)[i].bone));
                found.weights.weights.push_back(of(point)[i].weight);
            }
        }
        normalise_weights(found.weights, motions_.bones);
        double sum = 0.0;
        MatrixX3d shown;
        for (int f = 0; f < motions_.frames; ++f) {
            std::vector<Eigen::Affine3d> bones(static_cast<size_t>(motions_.bones), Eigen::Affine3d::Identity());
            for (int b = 0; b < motions_.bones; ++b) {
                const Bone& bone = motions_.of(b, f);
                bones[b].linear() = bone.leftCols<3>();
                bones[b].translation() = bone.col(3) + points_.centres[f] - bone.leftCols<3>() * points_.rest_centre;
            }
            skin_linear_blend(rest, found.weights, bones, workers_, shown);
            sum += (shown - frames[f]).squaredNorm();
            found.matrices.push_back(std::move(bones));
        }
        found.rms = std::sqrt(sum / (3.0 * static_cast<double>(rest.rows()) * motions_.frames));
        return found;
    }

private:
    Influence* of(int v) { return weights_.data() + static_cast<size_t>(v) * static_cast<size_t>(options_.influences); }
    const Influence* of(int v) const {
        return weights_.data() + static_cast<size_t>(v) * static_cast<size_t>(options_.influences);
    }

    /// One more bone, moving as some points do; as nothing does where there are none.
    void add_bone(const std::vector<int>& chosen) {
        ++motions_.bones;
        motions_.frames = points_.frame_count();
        Bone still = Bone::Zero();
        still.leftCols<3>().setIdentity();
        motions_.at.resize(motions_.at.size() + static_cast<size_t>(motions_.frames), still);
        seed(motions_.bones - 1, chosen);
    }

    /// The rigid motion of some points, of least squares.
    void seed(int bone, const std::vector<int>& chosen) {
        for (int f = 0; f < motions_.frames && !chosen.empty(); ++f) {
            Vector3d from = Vector3d::Zero();
            Vector3d to = Vector3d::Zero();
            const auto place = [&](int v) { return Eigen::Map<const Vector3d>(points_.places_of(v) + 3 * f); };
            for (const int v : chosen) {
                from += points_.rest[v].head<3>() / static_cast<double>(chosen.size());
                to += place(v) / static_cast<double>(chosen.size());
            }
            Eigen::Matrix3d covariance = Eigen::Matrix3d::Zero();
            for (const int v : chosen) {
                covariance += (place(v) - to) * (points_.rest[v].head<3>() - from).transpose();
            }
            Bone& motion = motions_.of(bone, f);
            motion.leftCols<3>() = polar_decomposition(covariance).rotation;
            motion.col(3) = to - motion.leftCols<3>() * from;
        }
    }

    /// Best weights for the motions, at most so many for each point.
    void find_weights(int most) {
        const WeightSums sums(motions_, workers_);
        const int bones = motions_.bones;
        const int count = std::min(SimplexFit::most_candidates, bones);
        workers_.for_chunks(points_.count(), point_chunk, [&](int begin, int end) {
            std::vector<double> d(4 * static_cast<size_t>(bones));
            std::vector<std::pair<double, int>> order(static_cast<size_t>(bones));
            SimplexFit::Gram gram;
            SimplexFit::Weights found;
            std::array<Influence, most_influences> before;
            for (int v = begin; v < end; ++v) {
                const Rest4& h = points_.rest[v];
                sums.project(points_.places_of(v), d.data());
                for (int b = 0; b < bones; ++b) {
                    order[b] = {sums.gram(b, b, h, d.data(), points_.squares[v]), b};
                }
                for (int i = 0; i < options_.influences && most > 1; ++i) {  // those in use stay in the running
                    if (of(v)[i].weight > 0.0) {
                        order[of(v)[i].bone].first = -1.0;
                    }
                }
                std::partial_sort(order.begin(), order.begin() + count, order.end());
                Influence* own = of(v);
                std::copy(own, own + options_.influences, before.begin());
                std::fill(own, own + options_.influences, Influence());
                if (most == 1) {
                    own[0] = {order[0].second, 1.0};
                    error_[v] = points_.times[v] * std::max(0.0, order[0].first);
                    continue;
                }
                gram.resize(count, count);
                for (int i = 0; i < count; ++i) {
                    for (int j = 0; j <= i; ++j) {
                        gram(i, j) = gram(j, i) =
                            sums.gram(order[i].second, order[j].second, h, d.data(), points_.squares[v]);
                    }
                }
                const SimplexFit fit(gram);
                double least = 0.0;
                if (keeps_weights_) {
                    found = SimplexFit::Weights::Zero(count);
                    for (int i = 0; i < count; ++i) {
                        for (int k = 0; k < options_.influences; ++k) {
                            found[i] += before[k].bone == order[i].second ? before[k].weight : 0.0;
                        }
                    }
                    least = fit.improve(most, found);
                } else {
                    least = fit.fit(most, found);
                }
                error_[v] = points_.times[v] * std::max(0.0, least);
                for (int i = 0, used = 0; i < count; ++i) {
                    if (found[i] > 0.0) {
                        own[used++] = {order[i].second, found[i]};
                    }
                }
            }
        });
        sum_ = std::accumulate(error_.begin(), error_.end(), 0.0);
    }

    void find_motions() {
        MotionSums(points_, weights_, options_.influences, motions_.bones, workers_)
            .improve(sweeps, workers_, motions_);
    }

    /// Points around one, out to a few rings.
    std::vector<int> patch(int v) const {
        constexpr int rings = 2;
        std::vector<int> found = {v};
        std::vector<char> is_in(static_cast<size_t>(points_.count()), 0);
        is_in[v] = 1;
        size_t first = 0;
        for (int ring = 0; ring < rings || found.size() < 4; ++ring) {
            const size_t last = found.size();
            for (; first < last; ++first) {
                for (const int n : near_[found[first]]) {
                    if (is_in[n] == 0) {
                        is_in[n] = 1;
                        found.push_back(n);
                    }
                }
            }
            if (found.size() == last) {
                break;
            }
        }
        return found;
    }

    /// The worst point of the cluster that fits worst; -1: every point is where it should be.
    int worst_of_worst() const {
        std::vector<double> sums(static_cast<size_t>(motions_.bones), 0.0);
        for (int v = 0; v < points_.count(); ++v) {
            sums[of(v)[0].bone] += error_[v];
        }
        const auto worst = static_cast<int>(std::max_element(sums.begin(), sums.end()) - sums.begin());
        int at = -1;
        for (int v = 0; v < points_.count(); ++v) {
            if (of(v)[0].bone == worst && error_[v] > (at < 0 ? 0.0 : error_[at])) {
                at = v;
            }
        }
        return at;
    }

    /// Where the error is largest: a place, not a speck, so what lies around it counts. -1: nowhere
    int worst_place(const std::vector<char>& was_tried) const {
        int worst = -1;
        double most = 0.0;
        for (int v = 0; v < points_.count(); ++v) {
            double sum = error_[v];
            for (const int n : near_[v]) {
                sum += error_[n];
            }
            if (sum > most && was_tried[v] == 0) {
                most = sum;
                worst = v;
            }
        }
        return worst;
    }

    /// The bone without which the error would rise least, were its points to follow their others, or the next best
    /// bone.
    int least_useful() const {
        const WeightSums sums(motions_, workers_);
        std::vector<double> rise(static_cast<size_t>(motions_.bones), 0.0);
        std::vector<double> d(4 * static_cast<size_t>(motions_.bones));
        for (int v = 0; v < points_.count(); ++v) {
            const Rest4& h = points_.rest[v];
            sums.project(points_.places_of(v), d.data());
            const auto gram = [&](int i, int j) { return sums.gram(i, j, h, d.data(), points_.squares[v]); };
            for (int i = 0; i < options_.influences; ++i) {
                const Influence& gone = of(v)[i];
                if (!(gone.weight > 0.0)) {
                    continue;
                }
                double error = 0.0;
                if (gone.weight > 0.999) {
                    error = std::numeric_limits<double>::infinity();
                    for (int b = 0; b < motions_.bones; ++b) {
                        error = b == gone.bone ? error : std::min(error, gram(b, b));
                    }
                } else {
                    for (int j = 0; j < options_.influences; ++j) {
                        for (int k = 0; k < options_.influences && j != i; ++k) {
                            if (k != i && of(v)[j].weight > 0.0 && of(v)[k].weight > 0.0) {
                                error += of(v)[j].weight * of(v)[k].weight * gram(of(v)[j].bone, of(v)[k].bone);
                            }
                        }
                    }
                    error /= (1.0 - gone.weight) * (1.0 - gone.weight);
                }
                rise[gone.bone] += points_.times[v] * error - error_[v];
            }
        }
        return static_cast<int>(std::min_element(rise.begin(), rise.end()) - rise.begin());
    }

    MovingPoints points_;
    DecompositionOptions options_;
    const Workers& workers_;
    std::vector<std::vector<int>> near_;
    BoneMotions motions_;
    std::vector<Influence> weights_;  // per point
    std::vector<double> error_;       // per point, over all frames and the vertices it stands for
    double sum_ = 0.0;
    bool keeps_weights_ = false;
};

}  // namespace

SkinDecomposition decompose_skin(const MatrixX3d& rest, const MatrixX3i& triangles,
                                 const std::vector<MatrixX3d>& frames, const DecompositionOptions& options,
                                 const Workers& workers) {
    constexpr int most_bones = 256;
    require(options.bones >= 1 && options.bones <= most_bones && options.influences >= 1 &&
                options.influences <= most_influences && options.rounds >= 1 && options.moves >= 0,
            "skin decomposition: expected 1 to ", most_bones, " bones, 1 to ", most_influences,
            " influences and at least 1 round, found ", options.bones, ", ", options.influences, " and ",
            options.rounds);
    require(!frames.empty() && rest.rows() > 0, "skin decomposition: expected a mesh and at least one frame, found ",
            rest.rows(), " vertices and ", frames.size(), " frames");
    for (size_t f = 0; f < frames.size(); ++f) {
        require(frames[f].rows() == rest.rows(), "skin decomposition: expected ", rest.rows(), " vertices, frame ", f,
                " has ", frames[f].rows());
        require(std::isfinite(frames[f].sum()), "skin decomposition: expected finite numbers, frame ", f,
                " has others");
    }
    require(triangles.size() == 0 || (triangles.minCoeff() >= 0 && triangles.maxCoeff() < rest.rows()),
            "skin decomposition: expected triangles of ", rest.rows(), " vertices, found others");
    require(std::isfinite(rest.sum()), "skin decomposition: expected finite numbers at rest");
    Decomposer decomposer(rest, triangles, frames, options, workers);
    decomposer.grow();
    decomposer.refine(options.rounds);
    decomposer.move_bones();
    decomposer.polish();
    return decomposer.result(rest, frames);
}

}  // namespace cutis
