#include <algorithm>
#include <cmath>
#include <numeric>

#include "anatomy/shape.h"
#include "core/geometry.h"

// Joints for a body that moves without a skeleton: regions that move as rigidly as they can, found by Lloyd's
// iteration on rigid motions (James and Twigg 2005, Skinning Mesh Animations, cluster by motion, too).

namespace cutis::anatomy_detail {

namespace {

constexpr int most_regions = 24;
constexpr size_t most_samples = 6000;   // vertices that regions are fitted to
constexpr int last_rounds = 6;          // of Lloyd's iteration, once all regions are there
constexpr double good_fit = 0.004;      // of the size: mean distance at which no more regions are needed
constexpr double least_region = 0.004;  // of the area
constexpr size_t most_motion_influences = 8;

struct RigidMotion {
    Eigen::Matrix3d turn = Eigen::Matrix3d::Identity();
    Vector3d from = Vector3d::Zero();
    Vector3d to = Vector3d::Zero();
};

class MotionRegions {
public:
    MotionRegions(const Shape& shape, const std::vector<MatrixX3d>& poses) : shape_(shape), poses_(poses) {
        const auto count = static_cast<size_t>(shape.vertex_count());
        neighbours_.resize(count);
        for (Eigen::Index f = 0; f < shape.triangles.rows(); ++f) {
            for (int k = 0; k < 3; ++k) {
                neighbours_[static_cast<size_t>(shape.triangles(f, k))].push_back(shape.triangles(f, (k + 1) % 3));
                neighbours_[static_cast<size_t>(shape.triangles(f, k))].push_back(shape.triangles(f, (k + 2) % 3));
            }
        }
        for (std::vector<int>& ring : neighbours_) {
            std::sort(ring.begin(), ring.end());
            ring.erase(std::unique(ring.begin(), ring.end()), ring.end());
        }
        const size_t stride = std::max<size_t>(1, (count + most_samples - 1) / most_samples);
        for (size_t v = 0; v < count; v += stride) {
            samples_.push_back(static_cast<int>(v));
        }
        label_.assign(count, 0);
    }

    /// A region of each vertex.
    std::vector<int> run() {
        motions_.resize(1);
        fit();
        while (static_cast<int>(motions_.size()) < most_regions) {
            // A new region where the others fit worst.
            double worst = 0.0;
            int seed = -1;
            double sum = 0.0;
            for (const int v : samples_) {
                const double error = error_of(v, label_[static_cast<size_t>(v)]);
                sum += std::sqrt(error);
                if (error > worst) {
                    worst = error;
                    seed = v;
                }
            }
            if (seed < 0 || sum < good_fit * shape_.size * static_cast<double>(samples_.size())) {
                break;
            }
            motions_.push_back(fitted(ring_of(seed)));
            assign(samples_);
            fit();
        }
        for (int round = 0; round < last_rounds; ++round) {
            assign(samples_);
            fit();
        }
        assign_smoothly();
        split();
        merge();
        return label_;
    }

private:
    std::vector<int> ring_of(int v) const {
        std::vector<int> ring = neighbours_[static_cast<size_t>(v)];
        ring.push_back(v);
        for (const int n : neighbours_[static_cast<size_t>(v)]) {
            const std::vector<int>& further = neighbours_[static_cast<size_t>(n)];
            ring.insert(ring.end(), further.begin(), further.end());
        }
        return ring;
    }

    /// Best rigid motion of some vertices into every pose, by area.
    std::vector<RigidMotion> fitted(const std::vector<int>& vertices) const {
        std::vector<RigidMotion> motions(poses_.size());
        double area = 0.0;
        Vector3d from = Vector3d::Zero();
        for (const int v : vertices) {
            area += weight(v);
            from += weight(v) * shape_.positions.row(v).transpose();
        }
        for (size_t p = 0; p < poses_.size() && area > 0.0; ++p) {
            RigidMotion& motion = motions[p];
            motion.from = from / area;
            for (const int v : vertices) {
                motion.to += weight(v) / area * poses_[p].row(v).transpose();
            }
            Eigen::Matrix3d covariance = Eigen::Matrix3d::Zero();
            for (const int v : vertices) {
                covariance += weight(v) / area * (poses_[p].row(v).transpose() - motion.to) *
                              (shape_.positions.row(v).transpose() - motion.from).transpose();
            }
            const double size = covariance.norm();
            motion.turn = size > 0.0 ? polar_decomposition(covariance / size).rotation : motion.turn;
        }
        return motions;
    }

    double weight(int v) const { return std::max(shape_.vertex_area[v], 1e-9 * shape_.area); }

    void fit() {
        std::vector<std::vector<int>> members(motions_.size());
        for (const int v : samples_) {
            members[static_cast<size_t>(label_[static_cast<size_t>(v)])].push_back(v);
        }
        for (size_t r = 0; r < motions_.size(); ++r) {
            if (!members[r].empty()) {
                motions_[r] = fitted(members[r]);
            }
        }
    }

    /// Mean square distance over the poses.
    double error_of(int v, int region) const {
        double sum = 0.0;
        const std::vector<RigidMotion>& motions = motions_[static_cast<size_t>(region)];
        const Vector3d rest = shape_.positions.row(v);
        for (size_t p = 0; p < poses_.size(); ++p) {
            const RigidMotion& motion = motions[p];
            sum += (motion.turn * (rest - motion.from) + motion.to - poses_[p].row(v).transpose()).squaredNorm();
        }
        return sum / static_cast<double>(poses_.size());
    }

    void assign(const std::vector<int>& vertices) {
        for (const int v : vertices) {
            double best = error_of(v, label_[static_cast<size_t>(v)]);
            for (int r = 0; r < static_cast<int>(motions_.size()); ++r) {
                const double error = r == label_[static_cast<size_t>(v)] ? best : error_of(v, r);
                if (error < best) {
                    best = error;
                    label_[static_cast<size_t>(v)] = r;
                }
            }
        }
    }

    /// All vertices, by errors averaged over a ring: borders without teeth.
    void assign_smoothly() {
        const auto regions = static_cast<Eigen::Index>(motions_.size());
        Eigen::MatrixXd errors(regions, shape_.vertex_count());
        for (int v = 0; v < shape_.vertex_count(); ++v) {
            for (Eigen::Index r = 0; r < regions; ++r) {
                errors(r, v) = error_of(v, static_cast<int>(r));
            }
        }
        VectorXd mean(regions);
        for (int v = 0; v < shape_.vertex_count(); ++v) {
            mean = errors.col(v);
            for (const int n : neighbours_[static_cast<size_t>(v)]) {
                mean += errors.col(n);
            }
            mean.minCoeff(&label_[static_cast<size_t>(v)]);
        }
    }

    /// Pieces of a region that do not touch become regions.
    void split() {
        std::vector<int> piece(label_.size(), -1);
        int count = 0;
        for (size_t v = 0; v < label_.size(); ++v) {
            if (piece[v] >= 0) {
                continue;
            }
            std::vector<int> stack = {static_cast<int>(v)};
            piece[v] = count;
            while (!stack.empty()) {
                const int at = stack.back();
                stack.pop_back();
                for (const int n : neighbours_[static_cast<size_t>(at)]) {
                    if (piece[static_cast<size_t>(n)] < 0 && label_[static_cast<size_t>(n)] == label_[v]) {
                        piece[static_cast<size_t>(n)] = count;
                        stack.push_back(n);
                    }
                }
            }
            ++count;
        }
        label_ = piece;
    }

    /// Small regions join the neighbour they touch most, smallest first.
    void merge() {
        while (true) {
            std::map<int, double> area;
            for (size_t v = 0; v < label_.size(); ++v) {
                area[label_[v]] += shape_.vertex_area[static_cast<Eigen::Index>(v)];
            }
            std::map<int, std::map<int, int>> touches;
            for (size_t v = 0; v < label_.size(); ++v) {
                for (const int n : neighbours_[v]) {
                    if (label_[static_cast<size_t>(n)] != label_[v]) {
                        ++touches[label_[v]][label_[static_cast<size_t>(n)]];
                    }
                }
            }
            std::map<int, int> into;
            for (const auto& [region, size] : area) {
                if (size >= least_region * shape_.area || touches[region].empty()) {
                    continue;
                }
                const auto most = std::max_element(touches[region].begin(), touches[region].end(),
                                                   [](const auto& a, const auto& b) { return a.second < b.second; });
                if (into.count(most->first) == 0) {  // its turn comes in the next round
                    into[region] = most->first;
                }
            }
            if (into.empty()) {
                break;
            }
            for (int& label : label_) {
                const auto found = into.find(label);
                label = found == into.end() ? label : found->second;
            }
        }
        std::map<int, int> number;
        for (int& label : label_) {
            label = number.emplace(label, static_cast<int>(number.size())).first->second;
        }
    }

    const Shape& shape_;
    const std::vector<MatrixX3d>& poses_;
    std::vector<std::vector<int>> neighbours_;
    std::vector<int> samples_;
    std::vector<std::vector<RigidMotion>> motions_;  // per region and pose
    std::vector<int> label_;

public:
    const std::vector<std::vector<int>>& neighbours() const { return neighbours_; }
};

}  // namespace

bool add_motion_joints(const Body& body, Shape& shape) {
    const std::vector<MatrixX3d> poses = test_poses(body, shape).positions;
    double travel = 0.0;
    for (const MatrixX3d& pose : poses) {
        travel = std::max(travel, (pose - poses.front()).rowwise().norm().maxCoeff());
    }
    if (!(travel > 1e-3 * shape.size) || shape.vertex_count() < 32) {
        return false;
    }
    // Left and right pair best in the pose that is most like its own mirror image.
    const MatrixX3d rest = shape.positions;
    MatrixX3d straightest = rest;
    double least = find_mirror(shape).error;
    for (const MatrixX3d& pose : poses) {
        shape.positions = pose;
        const double error = find_mirror(shape).error;
        if (error < 0.7 * least) {
            least = error;
            straightest = pose;
        }
    }
    shape.positions = rest;
    MotionRegions regions(shape, poses);
    const std::vector<int> label = regions.run();
    const int count = *std::max_element(label.begin(), label.end()) + 1;
    if (count < 2 || count > 1000) {
        return false;
    }
    shape.positions = straightest;
    std::vector<double> area(static_cast<size_t>(count), 0.0);
    shape.centre.assign(static_cast<size_t>(count), Vector3d::Zero());
    for (int v = 0; v < shape.vertex_count(); ++v) {
        const auto r = static_cast<size_t>(label[static_cast<size_t>(v)]);
        area[r] += shape.vertex_area[v];
        shape.centre[r] += shape.vertex_area[v] * shape.positions.row(v).transpose();
    }
    for (int r = 0; r < count; ++r) {
        shape.node.push_back(r);
        shape.name.emplace_back();
        shape.rig_joints.push_back({r});
        shape.centre[static_cast<size_t>(r)] /= std::max(area[static_cast<size_t>(r)], 1e-30);
    }
    // Weights: the regions, smoothed twice.
    std::vector<std::map<int, double>> weights(label.size());
    for (size_t v = 0; v < label.size(); ++v) {
        weights[v][label[v]] = 1.0;
    }
    for (int round = 0; round < 2; ++round) {
        std::vector<std::map<int, double>> smooth(label.size());
        for (size_t v = 0; v < label.size(); ++v) {
            const std::vector<int>& ring = regions.neighbours()[v];
            const double part = 1.0 / static_cast<double>(ring.size() + 1);
            for (const auto& [r, w] : weights[v]) {
                smooth[v][r] += part * w;
            }
            for (const int n : ring) {
                for (const auto& [r, w] : weights[static_cast<size_t>(n)]) {
                    smooth[v][r] += part * w;
                }
            }
        }
        weights.swap(smooth);
    }
    for (size_t v = 0; v < label.size(); ++v) {
        Weights& own = shape.weights[v];
        own.assign(weights[v].begin(), weights[v].end());
        std::stable_sort(own.begin(), own.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
        own.resize(std::min(own.size(), most_motion_influences));
    }
    return true;
}

SkinWeights art_weights(const Shape& shape) {
    SkinWeights weights;
    weights.influences = static_cast<int>(most_motion_influences);
    weights.joints.assign(shape.vertex_of_art.size() * most_motion_influences, 0);
    weights.weights.assign(weights.joints.size(), 0.0);
    for (size_t a = 0; a < shape.vertex_of_art.size(); ++a) {
        const Weights& own = shape.weights[static_cast<size_t>(shape.vertex_of_art[a])];
        double sum = 0.0;
        for (const auto& [joint, weight] : own) {
            sum += weight;
        }
        for (size_t k = 0; k < own.size(); ++k) {
            weights.joints[a * most_motion_influences + k] = static_cast<std::uint16_t>(own[k].first);
            weights.weights[a * most_motion_influences + k] = own[k].second / sum;
        }
    }
    return weights;
}

}  // namespace cutis::anatomy_detail
