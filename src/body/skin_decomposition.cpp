#include "body/skin_decomposition.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/geometry.h"
#include "cutis/core/error.h"

namespace cutis {

namespace {

constexpr int most_influences = 8;
constexpr int candidates = 10;  // bones looked at for a vertex
constexpr int vertex_chunk = 64;

using Gram = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, candidates, candidates>;
using Right = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, candidates, 1>;

/// Weights on the simplex that minimise w^T G w - 2 g^T w, by adding bones and dropping those that would go below 0.
/// \param chosen  which may be used \return those that are
class SimplexFit {
public:
    SimplexFit(const Gram& gram, const Right& right)
        : gram_(gram), right_(right), count_(static_cast<int>(right.size())) {}

    /// Of at most `most` bones: the best one, then again and again the one whose weight lowers the error most.
    double fit(int most, Right& weights) {
        weights = Right::Zero(count_);
        int first = 0;
        for (int b = 1; b < count_; ++b) {
            first = gram_(b, b) - 2.0 * right_[b] < gram_(first, first) - 2.0 * right_[first] ? b : first;
        }
        weights[first] = 1.0;
        for (int round = 0; round < 4 * count_; ++round) {
            // Slope of the error as weight moves to a bone from those in use.
            const Right slope = gram_ * weights - right_;
            const double level = weights.dot(slope);
            int best = -1;
            double gain = -1e-12 * std::abs(level) - 1e-300;
            for (int b = 0; b < count_; ++b) {
                if (weights[b] == 0.0 && slope[b] - level < gain) {
                    gain = slope[b] - level;
                    best = b;
                }
            }
            const auto used = static_cast<int>((weights.array() > 0.0).count());
            if (best < 0) {
                break;
            }
            Right before = weights;
            const double error = value(weights);
            if (used == most) {  // one has to make room: the least
                int least = -1;
                for (int b = 0; b < count_; ++b) {
                    least = weights[b] > 0.0 && (least < 0 || weights[b] < weights[least]) ? b : least;
                }
                const double share = weights[least];
                weights[least] = 0.0;
                weights /= 1.0 - share > 0.0 ? 1.0 - share : 1.0;
                if (!(weights.sum() > 0.0)) {
                    weights[best] = 1.0;
                }
            }
            solve_with(best, weights);
            if (!(value(weights) < error * (1.0 - 1e-12) - 1e-300) && !(value(weights) < error)) {
                weights = before;
                break;
            }
        }
        return value(weights);
    }

private:
    double value(const Right& w) const { return w.dot(gram_ * w) - 2.0 * right_.dot(w); }

    /// The minimum over the bones in use and one more, all of them at least 0.
    void solve_with(int added, Right& weights) const {
        std::array<int, candidates> set{};
        int size = 0;
        for (int b = 0; b < count_; ++b) {
            if (weights[b] > 0.0 || b == added) {
                set[size++] = b;
            }
        }
        while (size > 0) {
            // Lagrange: G w + mu = g, sum w = 1; by elimination with pivots.
            constexpr int most = candidates + 1;
            std::array<std::array<double, most + 1>, most> a{};
            for (int i = 0; i < size; ++i) {
                for (int j = 0; j < size; ++j) {
                    a[i][j] = gram_(set[i], set[j]) + (i == j ? 1e-10 * gram_(set[i], set[i]) : 0.0);
                }
                a[i][size] = a[size][i] = 1.0;
                a[i][size + 1] = right_[set[i]];
            }
            a[size][size] = 0.0;
            a[size][size + 1] = 1.0;
            const int n = size + 1;
            bool is_singular = false;
            for (int p = 0; p < n; ++p) {
                int pivot = p;
                for (int r = p + 1; r < n; ++r) {
                    pivot = std::abs(a[r][p]) > std::abs(a[pivot][p]) ? r : pivot;
                }
                std::swap(a[p], a[pivot]);
                if (!(std::abs(a[p][p]) > 1e-300)) {
                    is_singular = true;
                    break;
                }
                for (int r = 0; r < n; ++r) {
                    const double factor = r == p ? 0.0 : a[r][p] / a[p][p];
                    for (int c = p; c <= n && factor != 0.0; ++c) {
                        a[r][c] -= factor * a[p][c];
                    }
                }
            }
            if (is_singular) {
                return;
            }
            // As far towards it as no weight falls below 0; the first that would is dropped.
            double way = 1.0;
            int falls = -1;
            std::array<double, candidates> wanted{};
            for (int i = 0; i < size; ++i) {
                wanted[i] = a[i][n] / a[i][i];
                if (wanted[i] <= 0.0) {
                    const double now = weights[set[i]];
                    const double here = now - wanted[i] > 0.0 ? now / (now - wanted[i]) : 0.0;
                    if (falls < 0 || here < way) {
                        way = here;
                        falls = i;
                    }
                }
            }
            for (int i = 0; i < size; ++i) {
                weights[set[i]] += way * (wanted[i] - weights[set[i]]);
            }
            if (falls < 0) {
                return;
            }
            weights[set[falls]] = 0.0;
            set[falls] = set[--size];
        }
    }

    const Gram& gram_;
    const Right& right_;
    int count_;
};

class Decomposer {
public:
    Decomposer(const MatrixX3d& rest, const Topology& topology, const std::vector<MatrixX3d>& frames,
               const DecompositionOptions& options, const Workers& workers)
        : rest_(rest), frames_(frames), options_(options), workers_(workers), vertices_(static_cast<int>(rest.rows())) {
        near_.resize(static_cast<size_t>(vertices_));
        for (const auto& [a, b] : topology.edges()) {
            near_[static_cast<size_t>(a)].push_back(b);
            near_[static_cast<size_t>(b)].push_back(a);
        }
        owner_.assign(static_cast<size_t>(vertices_), 0);
        error_.assign(static_cast<size_t>(vertices_), 0.0);
        bones_.assign(frames.size(), std::vector<Eigen::Affine3d>(1));
        fit_clusters();
    }

    void grow() {
        while (bone_count() < options_.bones && add_bone()) {
            for (int i = 0; i < 4; ++i) {
                fit_clusters();
                assign();
            }
        }
        for (int i = 0; i < 20; ++i) {
            fit_clusters();
            assign();
        }
        weights_.assign(static_cast<size_t>(vertices_) * static_cast<size_t>(options_.influences), {0, 0.0});
        for (int v = 0; v < vertices_; ++v) {
            of(v)[0] = {owner_[static_cast<size_t>(v)], 1.0};
        }
    }

    void refine(int rounds) {
        for (int round = 0; round < rounds; ++round) {
            find_weights();
            for (int i = 0; i < 3; ++i) {
                find_motions();
            }
        }
        find_weights();
    }

    /// The bone that helps least goes where the error is largest; kept where that helps.
    void move_bones() {
        for (int move = 0; move < options_.moves && bone_count() > 1; ++move) {
            const auto bones = bones_;
            const auto weights = weights_;
            const double before = sum_;
            const int least = least_useful();
            seed(least, worst_vertex());
            refine(options_.rounds / 4 + 1);
            if (!(sum_ < before)) {
                bones_ = bones;
                weights_ = weights;
                sum_ = before;
                find_errors();
                break;
            }
        }
    }

    SkinDecomposition result() const {
        SkinDecomposition found;
        found.matrices = bones_;
        found.weights.influences = options_.influences;
        for (const Influence& one : weights_) {
            found.weights.joints.push_back(static_cast<std::uint16_t>(one.bone));
            found.weights.weights.push_back(one.weight);
        }
        normalise_weights(found.weights, bone_count());
        found.rms = std::sqrt(sum_ / (3.0 * vertices_ * static_cast<double>(frames_.size())));
        return found;
    }

private:
    struct Influence {
        int bone = 0;
        double weight = 0.0;
    };

    int bone_count() const { return static_cast<int>(bones_.front().size()); }
    Influence* of(int v) { return weights_.data() + static_cast<size_t>(v) * static_cast<size_t>(options_.influences); }
    const Influence* of(int v) const {
        return weights_.data() + static_cast<size_t>(v) * static_cast<size_t>(options_.influences);
    }

    /// Rigid motion of some vertices, least squares. \param chosen  vertices and how much each counts
    Eigen::Affine3d rigid(const std::vector<std::pair<int, double>>& chosen, const MatrixX3d& shape) const {
        Vector3d from = Vector3d::Zero();
        Vector3d to = Vector3d::Zero();
        double sum = 0.0;
        for (const auto& [v, w] : chosen) {
            from += w * rest_.row(v).transpose();
            to += w * shape.row(v).transpose();
            sum += w;
        }
        from /= sum;
        to /= sum;
        Eigen::Matrix3d covariance = Eigen::Matrix3d::Zero();
        for (const auto& [v, w] : chosen) {
            covariance += w * (shape.row(v).transpose() - to) * (rest_.row(v) - from.transpose());
        }
        Eigen::Affine3d motion = Eigen::Affine3d::Identity();
        motion.linear() = polar_decomposition(covariance).rotation;
        motion.translation() = to - motion.linear() * from;
        return motion;
    }

    void fit_clusters() {
        std::vector<std::vector<std::pair<int, double>>> members(static_cast<size_t>(bone_count()));
        for (int v = 0; v < vertices_; ++v) {
            members[static_cast<size_t>(owner_[static_cast<size_t>(v)])].emplace_back(v, 1.0);
        }
        workers_.for_chunks(static_cast<int>(frames_.size()), 1, [&](int begin, int end) {
            for (int f = begin; f < end; ++f) {
                for (size_t b = 0; b < members.size(); ++b) {
                    if (!members[b].empty()) {
                        bones_[static_cast<size_t>(f)][b] = rigid(members[b], frames_[static_cast<size_t>(f)]);
                    }
                }
            }
        });
    }

    double alone(int v, int bone) const {
        double sum = 0.0;
        for (size_t f = 0; f < frames_.size(); ++f) {
            sum += (bones_[f][static_cast<size_t>(bone)] * Vector3d(rest_.row(v)) - frames_[f].row(v).transpose())
                       .squaredNorm();
        }
        return sum;
    }

    void assign() {
        workers_.for_chunks(vertices_, vertex_chunk, [&](int begin, int end) {
            for (int v = begin; v < end; ++v) {
                double least = std::numeric_limits<double>::infinity();
                for (int b = 0; b < bone_count(); ++b) {
                    const double error = alone(v, b);
                    if (error < least) {
                        least = error;
                        owner_[static_cast<size_t>(v)] = b;
                    }
                }
                error_[static_cast<size_t>(v)] = least;
            }
        });
    }

    /// Vertices around one, out to a few rings.
    std::vector<std::pair<int, double>> patch(int v) const {
        constexpr int rings = 2;
        std::vector<std::pair<int, double>> found = {{v, 1.0}};
        std::vector<int> front = {v};
        std::vector<char> is_in(static_cast<size_t>(vertices_), 0);
        is_in[static_cast<size_t>(v)] = 1;
        for (int ring = 0; ring < rings || found.size() < 4; ++ring) {
            std::vector<int> next;
            for (const int a : front) {
                for (const int b : near_[static_cast<size_t>(a)]) {
                    if (is_in[static_cast<size_t>(b)] == 0) {
                        is_in[static_cast<size_t>(b)] = 1;
                        next.push_back(b);
                        found.emplace_back(b, 1.0);
                    }
                }
            }
            if (next.empty()) {
                break;
            }
            front = next;
        }
        return found;
    }

    void seed(int bone, int v) {
        const auto chosen = patch(v);
        for (size_t f = 0; f < frames_.size(); ++f) {
            bones_[f][static_cast<size_t>(bone)] = rigid(chosen, frames_[f]);
        }
    }

    /// A bone for the worst place of the worst cluster.
    bool add_bone() {
        assign();
        std::vector<double> sums(static_cast<size_t>(bone_count()), 0.0);
        for (int v = 0; v < vertices_; ++v) {
            sums[static_cast<size_t>(owner_[static_cast<size_t>(v)])] += error_[static_cast<size_t>(v)];
        }
        const auto worst = static_cast<int>(std::max_element(sums.begin(), sums.end()) - sums.begin());
        int at = -1;
        for (int v = 0; v < vertices_; ++v) {
            if (owner_[static_cast<size_t>(v)] == worst &&
                (at < 0 || error_[static_cast<size_t>(v)] > error_[static_cast<size_t>(at)])) {
                at = v;
            }
        }
        if (at < 0 || !(error_[static_cast<size_t>(at)] > 0.0)) {
            return false;  // every vertex is where it should be
        }
        for (auto& frame : bones_) {
            frame.emplace_back();
        }
        seed(bone_count() - 1, at);
        assign();
        return true;
    }

    void find_weights() {
        workers_.for_chunks(vertices_, vertex_chunk, [&](int begin, int end) {
            std::vector<std::pair<double, int>> order(static_cast<size_t>(bone_count()));
            for (int v = begin; v < end; ++v) {
                const int count = std::min(candidates, bone_count());
                for (int b = 0; b < bone_count(); ++b) {
                    order[static_cast<size_t>(b)] = {alone(v, b), b};
                }
                for (int i = 0; i < options_.influences; ++i) {  // those in use stay in the running
                    if (of(v)[i].weight > 0.0) {
                        order[static_cast<size_t>(of(v)[i].bone)].first = -1.0;
                    }
                }
                std::partial_sort(order.begin(), order.begin() + count, order.end());
                Gram gram = Gram::Zero(count, count);
                Right right = Right::Zero(count);
                std::array<Vector3d, candidates> place;
                for (size_t f = 0; f < frames_.size(); ++f) {
                    // Relative to where the vertex should be, so that nothing cancels: weights sum to 1.
                    for (int i = 0; i < count; ++i) {
                        place[static_cast<size_t>(i)] =
                            bones_[f][static_cast<size_t>(order[static_cast<size_t>(i)].second)] *
                                Vector3d(rest_.row(v)) -
                            frames_[f].row(v).transpose();
                    }
                    for (int i = 0; i < count; ++i) {
                        for (int j = 0; j <= i; ++j) {
                            gram(i, j) += place[static_cast<size_t>(i)].dot(place[static_cast<size_t>(j)]);
                        }
                    }
                }
                for (int i = 0; i < count; ++i) {
                    for (int j = 0; j < i; ++j) {
                        gram(j, i) = gram(i, j);
                    }
                }
                Right weights;
                const double error = SimplexFit(gram, right).fit(options_.influences, weights);
                int used = 0;
                for (int i = 0; i < options_.influences; ++i) {
                    of(v)[i] = {};
                }
                for (int i = 0; i < count; ++i) {
                    if (weights[i] > 0.0) {
                        of(v)[used++] = {order[static_cast<size_t>(i)].second, weights[i]};
                    }
                }
                error_[static_cast<size_t>(v)] = std::max(0.0, error);
            }
        });
        sum_ = std::accumulate(error_.begin(), error_.end(), 0.0);
    }

    void find_errors() {
        for (int v = 0; v < vertices_; ++v) {
            error_[static_cast<size_t>(v)] = 0.0;
            for (size_t f = 0; f < frames_.size(); ++f) {
                error_[static_cast<size_t>(v)] += (blended(v, f) - frames_[f].row(v).transpose()).squaredNorm();
            }
        }
    }

    Vector3d blended(int v, size_t f) const {
        Vector3d place = Vector3d::Zero();
        for (int i = 0; i < options_.influences; ++i) {
            if (of(v)[i].weight > 0.0) {
                place += of(v)[i].weight * (bones_[f][static_cast<size_t>(of(v)[i].bone)] * Vector3d(rest_.row(v)));
            }
        }
        return place;
    }

    /// Each bone against what the others leave over, one after the other (Le and Deng 2012 Eqs. 9 to 11).
    void find_motions() {
        std::vector<std::vector<std::pair<int, double>>> members(static_cast<size_t>(bone_count()));
        for (int v = 0; v < vertices_; ++v) {
            for (int i = 0; i < options_.influences; ++i) {
                if (of(v)[i].weight > 0.0) {
                    members[static_cast<size_t>(of(v)[i].bone)].emplace_back(v, of(v)[i].weight);
                }
            }
        }
        workers_.for_chunks(static_cast<int>(frames_.size()), 1, [&](int begin, int end) {
            MatrixX3d left(vertices_, 3);
            for (int at = begin; at < end; ++at) {
                const auto f = static_cast<size_t>(at);
                for (int v = 0; v < vertices_; ++v) {
                    left.row(v) = frames_[f].row(v) - blended(v, f).transpose();
                }
                for (size_t b = 0; b < members.size(); ++b) {
                    Eigen::Affine3d& motion = bones_[f][b];
                    Vector3d from = Vector3d::Zero();
                    Vector3d to = Vector3d::Zero();
                    double squares = 0.0;
                    for (const auto& [v, w] : members[b]) {
                        const Vector3d p = rest_.row(v);
                        left.row(v) += (w * (motion * p)).transpose();  // what this bone should give
                        from += w * w * p;
                        to += w * left.row(v).transpose();
                        squares += w * w;
                    }
                    if (squares > 1e-12) {
                        from /= squares;
                        to /= squares;
                        Eigen::Matrix3d covariance = Eigen::Matrix3d::Zero();
                        for (const auto& [v, w] : members[b]) {
                            covariance += w * (left.row(v).transpose() - w * to) * (rest_.row(v) - from.transpose());
                        }
                        motion.linear() = polar_decomposition(covariance).rotation;
                        motion.translation() = to - motion.linear() * from;
                    }
                    for (const auto& [v, w] : members[b]) {
                        left.row(v) -= (w * (motion * Vector3d(rest_.row(v)))).transpose();
                    }
                }
            }
        });
    }

    /// The bone without which the error would rise least, were its vertices to follow their others.
    int least_useful() const {
        std::vector<double> rise(static_cast<size_t>(bone_count()), 0.0);
        for (int v = 0; v < vertices_; ++v) {
            for (int i = 0; i < options_.influences; ++i) {
                const Influence& one = of(v)[i];
                if (!(one.weight > 0.0)) {
                    continue;
                }
                double error = 0.0;
                if (one.weight > 0.999) {  // nobody else: the next best bone alone
                    error = std::numeric_limits<double>::infinity();
                    for (int b = 0; b < bone_count(); ++b) {
                        error = b == one.bone ? error : std::min(error, alone(v, b));
                    }
                } else {
                    for (size_t f = 0; f < frames_.size(); ++f) {
                        const Vector3d place = blended(v, f);
                        const Vector3d own = bones_[f][static_cast<size_t>(one.bone)] * Vector3d(rest_.row(v));
                        const Vector3d rest = (place - one.weight * own) / (1.0 - one.weight);
                        error += (rest - frames_[f].row(v).transpose()).squaredNorm();
                    }
                }
                rise[static_cast<size_t>(one.bone)] += error - error_[static_cast<size_t>(v)];
            }
        }
        return static_cast<int>(std::min_element(rise.begin(), rise.end()) - rise.begin());
    }

    int worst_vertex() const {
        // A place, not a speck: the mean error around it counts.
        int worst = 0;
        double most = -1.0;
        for (int v = 0; v < vertices_; ++v) {
            double sum = error_[static_cast<size_t>(v)];
            for (const int n : near_[static_cast<size_t>(v)]) {
                sum += error_[static_cast<size_t>(n)];
            }
            if (sum > most) {
                most = sum;
                worst = v;
            }
        }
        return worst;
    }

    const MatrixX3d& rest_;
    const std::vector<MatrixX3d>& frames_;
    DecompositionOptions options_;
    const Workers& workers_;
    int vertices_;
    std::vector<std::vector<int>> near_;
    std::vector<int> owner_;
    std::vector<double> error_;                        // per vertex, over all frames
    std::vector<std::vector<Eigen::Affine3d>> bones_;  // per frame
    std::vector<Influence> weights_;
    double sum_ = 0.0;
};

}  // namespace

SkinDecomposition decompose_skin(const MatrixX3d& rest, const Topology& topology, const std::vector<MatrixX3d>& frames,
                                 const DecompositionOptions& options, const Workers& workers) {
    constexpr int most_bones = 256;
    require(options.bones >= 1 && options.bones <= most_bones && options.influences >= 1 &&
                options.influences <= most_influences && options.rounds >= 1 && options.moves >= 0,
            "skin decomposition: expected 1 to ", most_bones, " bones, 1 to ", most_influences,
            " influences and at least 1 round, found ", options.bones, ", ", options.influences, " and ",
            options.rounds);
    require(!frames.empty() && rest.rows() > 0 && topology.vertex_count() == rest.rows(),
            "skin decomposition: expected a mesh and at least one frame, found ", rest.rows(), " vertices and ",
            frames.size(), " frames");
    for (size_t f = 0; f < frames.size(); ++f) {
        require(frames[f].rows() == rest.rows(), "skin decomposition: expected ", rest.rows(), " vertices, frame ", f,
                " has ", frames[f].rows());
        require(std::isfinite(frames[f].sum()), "skin decomposition: expected finite numbers, frame ", f,
                " has others");
    }
    require(std::isfinite(rest.sum()), "skin decomposition: expected finite numbers at rest");
    Decomposer decomposer(rest, topology, frames, options, workers);
    decomposer.grow();
    decomposer.refine(options.rounds);
    decomposer.move_bones();
    return decomposer.result();
}

}  // namespace cutis
