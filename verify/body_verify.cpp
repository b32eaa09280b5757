#include <cmath>
#include <numbers>
#include <random>

#include "cutis/body/body.h"
#include "verify/verify.h"

// Closed forms of the body room, computed when asked for.

namespace cutis::verify {

namespace {

Case body_at_most(std::string name, double value, double limit, std::string unit, std::string source) {
    return case_at_most("body", std::move(name), value, limit, std::move(unit), std::move(source));
}

struct Sample {
    MatrixX3d rest;
    SkinWeights weights;
    std::vector<Eigen::Affine3d> joints;
};

Sample random_sample(int vertices, int joints, double stretch) {
    std::mt19937 random(11);
    std::uniform_real_distribution<double> number(-1.0, 1.0);
    const auto vector = [&] { return Vector3d(number(random), number(random), number(random)); };
    Sample sample;
    sample.rest.resize(vertices, 3);
    sample.weights.influences = 4;
    for (int v = 0; v < vertices; ++v) {
        sample.rest.row(v) = vector();
        for (int k = 0; k < 4; ++k) {
            sample.weights.joints.push_back(static_cast<std::uint16_t>((v + 3 * k) % joints));
            sample.weights.weights.push_back(0.1 + std::abs(number(random)));
        }
    }
    normalise_weights(sample.weights, joints);
    for (int j = 0; j < joints; ++j) {
        Eigen::Affine3d joint =
            Eigen::Translation3d(vector()) * Eigen::AngleAxisd(1.5 * number(random), vector().normalized());
        joint.linear().col(0) *= 1.0 + stretch * number(random);
        sample.joints.push_back(joint);
    }
    return sample;
}

using Skinner = void (*)(const MatrixX3d&, const SkinWeights&, const std::vector<Eigen::Affine3d>&, const Workers&,
                         MatrixX3d&);

void dual_quaternion(const MatrixX3d& rest, const SkinWeights& weights, const std::vector<Eigen::Affine3d>& joints,
                     const Workers& workers, MatrixX3d& out) {
    skin_dual_quaternion(rest, weights, joints, workers, out);
}

double rest_error(Skinner skin) {
    Sample sample = random_sample(2000, 20, 0.0);
    for (Eigen::Affine3d& joint : sample.joints) {
        joint.setIdentity();
    }
    MatrixX3d out;
    skin(sample.rest, sample.weights, sample.joints, Workers(1), out);
    return (out - sample.rest).cwiseAbs().maxCoeff();
}

double equivariance_error(Skinner skin) {
    const Sample sample = random_sample(2000, 20, 0.3);
    MatrixX3d still;
    skin(sample.rest, sample.weights, sample.joints, Workers(1), still);
    double worst = 0.0;
    for (int step = 1; step < 24; ++step) {
        const Eigen::Affine3d motion =
            Eigen::Translation3d(1.0, -2.0, 0.5) *
            Eigen::AngleAxisd(step * std::numbers::pi / 12.0, Vector3d(1.0, 2.0, -1.0).normalized());
        std::vector<Eigen::Affine3d> moved;
        for (const Eigen::Affine3d& joint : sample.joints) {
            moved.push_back(motion * joint);
        }
        MatrixX3d out;
        skin(sample.rest, sample.weights, moved, Workers(1), out);
        const MatrixX3d expected = (still * motion.linear().transpose()).rowwise() + motion.translation().transpose();
        worst = std::max(worst, (out - expected).cwiseAbs().maxCoeff());
    }
    return worst;
}

/// Largest error of the radius along a tube twisted by half a turn, against `radius(t)`.
double twist_error(Skinner skin, double (*radius)(double)) {
    const int count = 200;
    MatrixX3d rest(count, 3);
    SkinWeights weights;
    weights.influences = 2;
    for (int v = 0; v < count; ++v) {
        const double t = static_cast<double>(v) / (count - 1);
        rest.row(v) << t, std::cos(0.1 * v), std::sin(0.1 * v);
        weights.joints.insert(weights.joints.end(), {0, 1});
        weights.weights.insert(weights.weights.end(), {1.0 - t, t});
    }
    const std::vector<Eigen::Affine3d> joints = {
        Eigen::Affine3d::Identity(), Eigen::Affine3d(Eigen::AngleAxisd(std::numbers::pi, Vector3d::UnitX()))};
    MatrixX3d out;
    skin(rest, weights, joints, Workers(1), out);
    double worst = 0.0;
    for (int v = 0; v < count; ++v) {
        const double t = weights.weights[2 * static_cast<size_t>(v) + 1];
        worst = std::max(worst, std::abs(out.row(v).tail<2>().norm() - radius(t)));
    }
    return worst;
}

double thread_difference(Skinner skin) {
    const Sample sample = random_sample(20000, 20, 0.2);
    MatrixX3d one;
    MatrixX3d two;
    skin(sample.rest, sample.weights, sample.joints, Workers(1), one);
    skin(sample.rest, sample.weights, sample.joints, Workers(2), two);
    return static_cast<double>((one.array() != two.array()).count());
}

/// A node that moves and turns through uneven linear keys.
struct Wanderer {
    Skeleton skeleton;
    Clip clip;

    Wanderer() {
        skeleton.nodes.resize(1);
        std::mt19937 random(3);
        std::uniform_real_distribution<double> number(-1.0, 1.0);
        Channel places;
        places.node = 0;
        Channel turns = places;
        turns.target = ChannelTarget::rotation;
        turns.width = 4;
        for (int k = 0; k < 30; ++k) {
            places.times.push_back(0.1 * k + 0.03 * number(random));
            Eigen::Vector4d q(number(random), number(random), number(random), 1.0);
            q.normalize();
            turns.values.insert(turns.values.end(), q.data(), q.data() + 4);
            for (int c = 0; c < 3; ++c) {
                places.values.push_back(number(random));
            }
        }
        turns.times = places.times;
        clip.channels = {places, turns};
    }

    double key_error(TimeSampling sampling) const {
        const ClipSampler sampler(skeleton, clip, sampling);
        Pose pose;
        double worst = 0.0;
        for (size_t k = 0; k < clip.channels[0].times.size(); ++k) {
            sampler.sample(clip.channels[0].times[k], pose);
            const Vector3d place(clip.channels[0].values.data() + 3 * k);
            const Eigen::Quaterniond q(Eigen::Vector4d(clip.channels[1].values.data() + 4 * k));
            worst = std::max({worst, (pose.local[0].translation() - place).norm(),
                              (pose.local[0].linear() - q.toRotationMatrix()).norm()});
        }
        return worst;
    }

    /// Largest change of velocity across a key over the largest velocity: entries of the matrix by
    /// one-sided differences of second order.
    double velocity_jump(TimeSampling sampling) const {
        const ClipSampler sampler(skeleton, clip, sampling);
        const double h = 1e-5;
        const auto at = [&](double time) {
            Pose pose;
            sampler.sample(time, pose);
            return Eigen::Matrix4d(pose.local[0].matrix());
        };
        double jump = 0.0;
        double speed = 0.0;
        const std::vector<double>& times = clip.channels[0].times;
        for (size_t k = 1; k + 1 < times.size(); ++k) {
            const Eigen::Matrix4d here = at(times[k]);
            const Eigen::Matrix4d after = (-3.0 * here + 4.0 * at(times[k] + h) - at(times[k] + 2 * h)) / (2 * h);
            const Eigen::Matrix4d before = (3.0 * here - 4.0 * at(times[k] - h) + at(times[k] - 2 * h)) / (2 * h);
            jump = std::max(jump, (after - before).norm());
            speed = std::max(speed, after.norm());
        }
        return jump / speed;
    }
};

double constant_turn_error() {
    Skeleton skeleton;
    skeleton.nodes.resize(1);
    Channel turns;
    turns.node = 0;
    turns.target = ChannelTarget::rotation;
    turns.width = 4;
    const double speed = 179.0 * std::numbers::pi / 180.0;  // over the longest interval, one second
    const Vector3d axis = Vector3d(1.0, -2.0, 2.0) / 3.0;
    for (const double time : {0.0, 0.3, 1.0, 2.0, 2.7, 3.0}) {
        const Eigen::Quaterniond q(Eigen::AngleAxisd(speed * time, axis));
        turns.times.push_back(time);
        turns.values.insert(turns.values.end(), q.coeffs().data(), q.coeffs().data() + 4);
    }
    Clip clip;
    clip.channels = {turns};
    const ClipSampler sampler(skeleton, clip, TimeSampling::smooth);
    Pose pose;
    double worst = 0.0;
    for (int i = 0; i <= 300; ++i) {
        sampler.sample(0.01 * i, pose);
        const Eigen::Matrix3d expected(Eigen::AngleAxisd(speed * 0.01 * i, axis));
        worst = std::max(worst, (pose.local[0].linear() - expected).norm());
    }
    return worst;
}

}  // namespace

std::vector<Case> verify_body() {
    const auto one = [](double) { return 1.0; };
    const auto collapse = [](double t) { return std::abs(1.0 - 2.0 * t); };
    const std::string dqs = "Kavan et al. 2008: a blend of rigid motions is rigid";
    const Wanderer wanderer;
    const double exact_jump = wanderer.velocity_jump(TimeSampling::exact);
    std::vector<Case> cases = {
        body_at_most("linear blend at rest gives the rest pose", rest_error(skin_linear_blend), 1e-15, "m",
                     "sum of weights is 1"),
        body_at_most("dual quaternions at rest give the rest pose", rest_error(dual_quaternion), 1e-15, "m",
                     "sum of weights is 1"),
        body_at_most("linear blend moves rigidly with a rigid motion", equivariance_error(skin_linear_blend), 1e-13,
                     "m", "f(R M) = R f(M)"),
        body_at_most("dual quaternions move rigidly with a rigid motion, scale and any sign included",
                     equivariance_error(dual_quaternion), 1e-12, "m", "f(R M) = R f(M); q and -q are one"),
        body_at_most("half a turn of twist keeps the radius with dual quaternions", twist_error(dual_quaternion, one),
                     1e-14, "m", dqs),
        body_at_most("half a turn of twist collapses linear blend to |1 - 2t|",
                     twist_error(skin_linear_blend, collapse), 1e-14, "m", "(1-t) I + t R(pi)"),
        body_at_most("keys are met in exact sampling", wanderer.key_error(TimeSampling::exact), 1e-14, "",
                     "glTF 2.0 appendix C"),
        body_at_most("keys are met in smooth sampling", wanderer.key_error(TimeSampling::smooth), 1e-14, "",
                     "Hermite curves end on their keys"),
        body_at_most("smooth sampling has no velocity jump at linear keys",
                     wanderer.velocity_jump(TimeSampling::smooth), 1e-4, "of the largest velocity",
                     "Kim et al. 1995; non-uniform Catmull-Rom"),
        body_at_most("smooth sampling keeps constant angular velocity, 179 degrees between keys", constant_turn_error(),
                     1e-13, "", "Kim et al. 1995 on one axis"),
        body_at_most("linear blend: numbers that differ between 1 and 2 threads", thread_difference(skin_linear_blend),
                     0.0, "numbers", "fixed chunks"),
        body_at_most("dual quaternions: numbers that differ between 1 and 2 threads",
                     thread_difference(dual_quaternion), 0.0, "numbers", "fixed chunks"),
    };
    // The counter-proof that the velocity measure sees a jump.
    cases.push_back(case_at_least("body", "exact sampling has velocity jumps at linear keys", exact_jump, 0.1,
                                  "of the largest velocity", "glTF 2.0 C.3 is only C0"));
    return cases;
}

}  // namespace cutis::verify
