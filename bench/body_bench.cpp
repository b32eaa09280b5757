#include <algorithm>
#include <functional>
#include <random>

#include "bench/bench.h"
#include "bench/measure.h"
#include "cutis/body/skinning.h"
#include "cutis/core/parallel.h"

namespace cutis::bench {

namespace {

constexpr int vertex_count = 1'000'000;
constexpr int influence_count = 4;
constexpr int joint_count = 64;
constexpr int skinning_repeats = 25;  // the best counts: a quiet moment on a shared machine

/// Rest, weights and joints read; result written (twice, see above).
constexpr double skinning_bytes =
    (3.0 * sizeof(double) + influence_count * (sizeof(double) + sizeof(std::uint16_t)) + 2.0 * 3.0 * sizeof(double)) *
    vertex_count;

struct Crowd {
    MatrixX3d rest = MatrixX3d(vertex_count, 3);
    SkinWeights weights;
    std::vector<Eigen::Affine3d> rigid;
    std::vector<Eigen::Affine3d> stretched;

    Crowd() {
        std::mt19937 random(7);
        std::uniform_real_distribution<double> number(0.0, 1.0);
        const auto vector = [&] { return Vector3d(number(random), number(random), number(random)); };
        weights.influences = influence_count;
        for (int v = 0; v < vertex_count; ++v) {
            rest.row(v) = vector();
            // Neighbouring vertices share joints, as on a character.
            const int joint =
                static_cast<int>(static_cast<long>(v) * (joint_count - influence_count + 1) / vertex_count);
            for (int k = 0; k < influence_count; ++k) {
                weights.joints.push_back(static_cast<std::uint16_t>(joint + k));
                weights.weights.push_back(0.1 + number(random));
            }
        }
        normalise_weights(weights, joint_count);
        // A chain, as limbs are: each joint turns up to 50 degrees from the one before.
        Eigen::Affine3d joint = Eigen::Affine3d::Identity();
        for (int j = 0; j < joint_count; ++j) {
            const Vector3d axis = (vector() - Vector3d::Constant(0.5)).normalized();
            joint = joint * Eigen::Translation3d(vector()) * Eigen::AngleAxisd(0.87 * number(random), axis);
            rigid.push_back(joint);
            stretched.push_back(joint * Eigen::Scaling(Vector3d(1.0, 1.1, 0.9)));
        }
    }
};

}  // namespace

std::vector<Row> bench_body() {
    const Crowd crowd;
    Triad triad;
    MatrixX3d posed;
    std::vector<Row> rows;
    for (const int threads : {1, 2}) {
        const Workers workers(threads);
        struct Kernel {
            std::string name;
            std::function<void()> run;
        };
        const std::vector<Kernel> kernels = {
            {"linear blend", [&] { skin_linear_blend(crowd.rest, crowd.weights, crowd.rigid, workers, posed); }},
            {"dual quaternion", [&] { skin_dual_quaternion(crowd.rest, crowd.weights, crowd.rigid, workers, posed); }},
            {"dual quaternion with stretch",
             [&] { skin_dual_quaternion(crowd.rest, crowd.weights, crowd.stretched, workers, posed); }},
        };
        for (const Kernel& kernel : kernels) {
            kernel.run();
            // Triad and kernel take turns, so that a busy machine slows both.
            double triad_ms = triad.run_ms(workers);
            double kernel_ms = milliseconds(kernel.run);
            for (int i = 1; i < skinning_repeats; ++i) {
                triad_ms = std::min(triad_ms, triad.run_ms(workers));
                kernel_ms = std::min(kernel_ms, milliseconds(kernel.run));
            }
            Row row;
            row.layer = "body";
            row.row = kernel.name + (threads == 1 ? ", 1 thread" : ", 2 threads");
            row.size = {{"vertices", vertex_count},
                        {"influences", influence_count},
                        {"joints", joint_count},
                        {"threads", threads}};
            row.ms = kernel_ms;
            row.baseline =
                "bandwidth bound (bytes moved over a triad of the same run and threads, "
                "write-allocate counted in both)";
            row.baseline_ms = triad_ms * skinning_bytes / Triad::bytes();
            rows.push_back(row);
        }
    }
    return rows;
}

}  // namespace cutis::bench
