#include "cutis/body/skinning.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>

#include "body/skinning_detail.h"
#include "core/simd.h"
#include "cutis/core/error.h"

namespace cutis {

namespace {

constexpr int max_influences = 8;
constexpr double sum_tolerance = 1e-4;

void check_weight_arrays(const SkinWeights& weights) {
    require(weights.influences >= 1 && weights.influences <= max_influences, "skin weights: expected 1 to ",
            max_influences, " influences a vertex, found ", weights.influences);
    require(weights.joints.size() == weights.weights.size() &&
                weights.weights.size() % static_cast<size_t>(weights.influences) == 0,
            "skin weights: expected as many joints as weights and a multiple of ", weights.influences, ", found ",
            weights.joints.size(), " joints and ", weights.weights.size(), " weights");
}

// Insertion sort: at most eight entries, equal weights keep their order.
void strongest_first(double* weights, std::uint16_t* joints, int count) {
    for (int i = 1; i < count; ++i) {
        const double weight = weights[i];
        const std::uint16_t joint = joints[i];
        int k = i;
        for (; k > 0 && weights[k - 1] < weight; --k) {
            weights[k] = weights[k - 1];
            joints[k] = joints[k - 1];
        }
        weights[k] = weight;
        joints[k] = joint;
    }
}

}  // namespace

WeightReport normalise_weights(SkinWeights& weights, int joint_count) {
    check_weight_arrays(weights);
    WeightReport report;
    const int influences = weights.influences;
    const int vertices = weights.vertex_count();
    for (int v = 0; v < vertices; ++v) {
        double* w = weights.weights.data() + static_cast<size_t>(v) * influences;
        std::uint16_t* j = weights.joints.data() + static_cast<size_t>(v) * influences;
        double sum = 0.0;
        for (int k = 0; k < influences; ++k) {
            require(std::isfinite(w[k]) && w[k] >= 0.0, "skin weights: vertex ", v, " influence ", k,
                    ": expected a weight of at least 0, found ", w[k]);
            if (w[k] == 0.0) {
                j[k] = 0;  // files leave anything beside a weight of zero
            }
            require(j[k] < joint_count, "skin weights: vertex ", v, " influence ", k, ": expected a joint below ",
                    joint_count, ", found ", j[k]);
            sum += w[k];
        }
        const bool is_off = !(std::abs(sum - 1.0) <= sum_tolerance);
        if (is_off) {
            report.first_vertex = report.first_vertex < 0 ? v : report.first_vertex;
            if (std::abs(sum - 1.0) > std::abs(report.worst_sum - 1.0)) {
                report.worst_sum = sum;
            }
        }
        if (sum < std::numeric_limits<double>::min() || !std::isfinite(sum)) {
            ++report.without_weight;
            std::fill(w, w + influences, 0.0);
            std::fill(j, j + influences, std::uint16_t{0});
            w[0] = 1.0;
            continue;
        }
        report.renormalised += is_off ? 1 : 0;
        for (int k = 0; k < influences; ++k) {
            w[k] /= sum;
        }
        strongest_first(w, j, influences);
    }
    weights.joint_pairs = find_joint_pairs(weights, joint_count);
    return report;
}

std::vector<std::array<std::uint16_t, 2>> find_joint_pairs(const SkinWeights& weights, int joint_count) {
    constexpr int most_joints = 4096;  // two megabytes of bits
    std::vector<std::array<std::uint16_t, 2>> pairs;
    if (joint_count > most_joints || joint_count < 1) {
        return pairs;
    }
    std::vector<bool> seen(static_cast<size_t>(joint_count) * joint_count, false);
    const size_t influences = static_cast<size_t>(weights.influences);
    for (size_t row = 0; row + influences <= weights.joints.size(); row += influences) {
        const std::uint16_t first = weights.joints[row];
        for (size_t k = 0; k < influences; ++k) {
            const std::uint16_t other = weights.joints[row + k];
            if (weights.weights[row + k] == 0.0 || first >= joint_count || other >= joint_count) {
                continue;
            }
            const size_t pair = static_cast<size_t>(first) * joint_count + other;
            if (!seen[pair]) {
                seen[pair] = true;
                pairs.push_back({first, other});
            }
        }
    }
    return pairs;
}

namespace skinning_detail {

Streams check_and_size(const MatrixX3d& rest, const SkinWeights& weights, const std::vector<Eigen::Affine3d>& matrices,
                       MatrixX3d& out) {
    check_weight_arrays(weights);
    require(rest.rows() == weights.vertex_count(), "skinning: expected weights for ", rest.rows(), " vertices, found ",
            weights.vertex_count());
    require(&rest != &out, "skinning: expected `out` to be another matrix than `rest`");
    for (size_t j = 0; j < matrices.size(); ++j) {
        require(matrices[j].matrix().allFinite(), "skinning: the matrix of joint ", j, " is not finite");
    }
    out.resize(rest.rows(), 3);
    return {rest.data(), weights.joints.data(), weights.weights.data(), out.data(), weights.influences};
}

void check_joints(const Streams& streams, int begin, int end, int joint_count) {
    const size_t first = static_cast<size_t>(begin) * streams.influences;
    const size_t last = static_cast<size_t>(end) * streams.influences;
    // Sixteen at a time: as scalars this check would take a fifth of the time of skinning.
    using Group = std::uint16_t __attribute__((vector_size(32)));
    constexpr size_t group_size = sizeof(Group) / sizeof(std::uint16_t);
    Group tops{};
    size_t done = first;
    for (; done + group_size <= last; done += group_size) {
        Group group;
        std::memcpy(&group, streams.joints + done, sizeof(group));
        tops = group > tops ? group : tops;
    }
    std::uint16_t highest = 0;
    for (size_t k = 0; k < group_size; ++k) {
        highest = std::max(highest, static_cast<std::uint16_t>(tops[k]));
    }
    for (; done < last; ++done) {
        highest = std::max(highest, streams.joints[done]);
    }
    if (highest < joint_count) {
        return;
    }
    size_t i = first;
    while (streams.joints[i] < joint_count) {
        ++i;
    }
    throw InvalidInput(concat("skinning: vertex ", i / streams.influences, " influence ", i % streams.influences,
                              ": expected a joint below ", joint_count, ", found ", streams.joints[i]));
}

void set_columns(JointColumns& columns, Eigen::Index joint, const Eigen::Matrix<double, 3, 4>& m) {
    for (int c = 0; c < 4; ++c) {
        columns.col(joint).segment<3>(4 * c) = m.col(c);
        columns(4 * c + 3, joint) = 0.0;
    }
}

namespace {

using simd::Doubles;

// Blended matrix by columns, then times (x y z 1): no sum across lanes anywhere.
template <int Influences>
void blend(const Streams& streams, const double* __restrict columns, int begin, int end) {
    const double* __restrict rest = streams.rest + static_cast<size_t>(begin) * 3;
    const double* __restrict weights = streams.weights + static_cast<size_t>(begin) * Influences;
    const std::uint16_t* __restrict joints = streams.joints + static_cast<size_t>(begin) * Influences;
    double* __restrict out = streams.out + static_cast<size_t>(begin) * 3;
    for (int v = begin; v < end; ++v) {
        const double* first = columns + static_cast<size_t>(joints[0]) * 16;
        Doubles weight = simd::all(weights[0]);
        Doubles x_column = weight * simd::load(first);
        Doubles y_column = weight * simd::load(first + 4);
        Doubles z_column = weight * simd::load(first + 8);
        Doubles sum = weight * simd::load(first + 12);
        for (int k = 1; k < Influences; ++k) {
            const double* next = columns + static_cast<size_t>(joints[k]) * 16;
            weight = simd::all(weights[k]);
            x_column += weight * simd::load(next);
            y_column += weight * simd::load(next + 4);
            z_column += weight * simd::load(next + 8);
            sum += weight * simd::load(next + 12);
        }
        sum += x_column * simd::all(rest[0]);
        sum += y_column * simd::all(rest[1]);
        sum += z_column * simd::all(rest[2]);
        if (v + 1 < end) {
            simd::store(out, sum);  // the fourth lane is overwritten by the next vertex
        } else {
            for (int c = 0; c < 3; ++c) {
                out[c] = sum[c];
            }
        }
        rest += 3;
        weights += Influences;
        joints += Influences;
        out += 3;
    }
}

}  // namespace

void blend_vertices(const Streams& streams, const JointColumns& columns, int begin, int end) {
    using Kernel = void (*)(const Streams&, const double*, int, int);
    static constexpr Kernel kernels[max_influences] = {blend<1>, blend<2>, blend<3>, blend<4>,
                                                       blend<5>, blend<6>, blend<7>, blend<8>};
    kernels[streams.influences - 1](streams, columns.data(), begin, end);
}

}  // namespace skinning_detail

void skin_linear_blend(const MatrixX3d& rest, const SkinWeights& weights, const std::vector<Eigen::Affine3d>& matrices,
                       const Workers& workers, MatrixX3d& out) {
    using namespace skinning_detail;
    const Streams streams = check_and_size(rest, weights, matrices, out);
    const int joint_count = static_cast<int>(matrices.size());
    thread_local JointColumns columns;  // kept between calls: the step loop allocates nothing
    if (columns.cols() < joint_count) {
        columns.resize(16, joint_count);
    }
    for (int j = 0; j < joint_count; ++j) {
        set_columns(columns, j, matrices[j].matrix().topRows<3>());
    }
    const JointColumns& shared_columns = columns;  // the caller's, not each worker's own
    const auto job = [&](int begin, int end) {
        check_joints(streams, begin, end, joint_count);
        blend_vertices(streams, shared_columns, begin, end);
    };
    workers.for_chunks(static_cast<int>(rest.rows()), chunk_vertices, std::ref(job));
}

}  // namespace cutis
