#include "io/store/modes.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "core/dense.h"
#include "cutis/core/error.h"

namespace cutis {
namespace {

constexpr size_t block_bytes = size_t{4} << 20;

// Four maxima side by side: a single one would wait for itself.
template <int width>
double largest_of_width(const FrameRows& displacements) {
    const auto squared = [](const double* x) {
        double sum = x[0] * x[0];
        for (int k = 1; k < width; ++k) {
            sum += x[k] * x[k];
        }
        return sum;
    };
    double largest[4] = {0.0, 0.0, 0.0, 0.0};
    const Eigen::Index points = displacements.cols() / width;
    for (Eigen::Index f = 0; f < displacements.rows(); ++f) {
        const double* x = displacements.row(f).data();
        Eigen::Index i = 0;
        for (; i + 4 <= points; i += 4, x += 4 * width) {
            for (int j = 0; j < 4; ++j) {
                const double one = squared(x + j * width);
                largest[j] = one > largest[j] ? one : largest[j];
            }
        }
        for (; i < points; ++i, x += width) {
            largest[0] = std::max(largest[0], squared(x));
        }
    }
    return std::max(std::max(largest[0], largest[1]), std::max(largest[2], largest[3]));
}

}  // namespace

std::vector<ModeBlock> make_mode_blocks(const std::vector<ModeTrack>& tracks, int frame_count) {
    const size_t frame_bytes = sizeof(double) * static_cast<size_t>(std::max(1, frame_count));
    const int points = static_cast<int>(std::max<size_t>(16, block_bytes / (3 * frame_bytes)));
    std::vector<ModeBlock> blocks;
    int place = 0;
    for (const ModeTrack& track : tracks) {
        for (int p = 0; p < track.points; p += points) {
            const int count = std::min(points, track.points - p) * track.width;
            blocks.push_back(
                {track.first + p * track.width, count, track.width, track.tolerance, track.is_turned, place});
            place += count;
        }
    }
    return blocks;
}

void read_block(CoordinateStore& frames, const ModeBlock& block, FrameRows& out) {
    out.resize(frames.frame_count(), block.count);
    for (int f = 0; f < frames.frame_count(); ++f) {
        frames.read_coordinates(f, block.first, block.count, out.row(f).data());
        for (int i = 1; block.is_turned && i < block.count; i += 2) {
            out(f, i) = 1.0 - out(f, i);
        }
    }
}

Eigen::RowVectorXd base_of(const FrameRows& rows, ModeBase base) {
    if (base == ModeBase::first_frame) {
        return rows.row(0);
    }
    return rows.colwise().mean();
}

void read_displacements(CoordinateStore& frames, const ModeBlock& block, ModeBase base, FrameRows& out) {
    read_block(frames, block, out);
    const Eigen::RowVectorXd origin = base_of(out, base);
    for (int f = 0; f < frames.frame_count(); ++f) {
        out.row(f) = (out.row(f) - origin) / block.tolerance;
    }
}

double largest_squared(const FrameRows& displacements, int width) {
    return width == 1   ? largest_of_width<1>(displacements)
           : width == 2 ? largest_of_width<2>(displacements)
                        : largest_of_width<3>(displacements);
}

// The Gram matrix D^T D is small and has the same right singular vectors. It squares the condition
// number, so modes below 1e-8 of the first are not accurate; they are still orthonormal, and
// displacements are projected onto them from D itself, so the only harm is a mode too many.
TimeModes find_time_modes(CoordinateStore& frames, const std::vector<ModeBlock>& blocks, ModeBase base) {
    const int n = frames.frame_count();
    Eigen::MatrixXd gram = Eigen::MatrixXd::Zero(n, n);
    FrameRows displacements;
    for (const ModeBlock& block : blocks) {
        read_displacements(frames, block, base, displacements);
        gram.selfadjointView<Eigen::Lower>().rankUpdate(displacements);
    }
    const SymmetricEigen solved = symmetric_eigen(gram);
    if (!solved.has_converged) {
        throw SolverFailure(concat("output: singular value decomposition of ", n, " frames did not converge"));
    }
    // Displacements from a frame, or from the mean, have one direction less than frames.
    const int modes = n - 1;
    TimeModes result;
    result.vectors = solved.vectors.rightCols(modes).rowwise().reverse();
    result.energy_after = Eigen::VectorXd::Zero(modes + 1);
    for (int k = modes - 1; k >= 0; --k) {
        result.energy_after(k) = result.energy_after(k + 1) + std::max(0.0, solved.values(n - 1 - k));
        Eigen::Index largest = 0;
        result.vectors.col(k).cwiseAbs().maxCoeff(&largest);
        if (result.vectors(largest, k) < 0.0) {
            result.vectors.col(k) *= -1.0;
        }
    }
    return result;
}

int count_modes(CoordinateStore& frames, const std::vector<ModeBlock>& blocks, ModeBase base, const TimeModes& modes) {
    const int most = static_cast<int>(modes.vectors.cols());
    // The largest error is at least the root mean square: fewer modes than this cannot do.
    double entries = 0.0;
    for (const ModeBlock& block : blocks) {
        const auto points = block.count / block.width;
        entries += static_cast<double>(points) * static_cast<double>(frames.frame_count());
    }
    int least = 0;
    while (least < most && modes.energy_after(least) > entries) {
        ++least;
    }
    // Block by block; what one needs, the next begins with. A block that asks for more gets one mode after another,
    // each a correction of the rest it has in cache.
    int count = least;
    FrameRows rest;
    FrameRows projected;
    for (const ModeBlock& block : blocks) {
        read_displacements(frames, block, base, rest);
        const auto first = modes.vectors.leftCols(count);
        projected.noalias() = first.transpose() * rest;
        rest.noalias() -= first * projected;
        for (; count < most && largest_squared(rest, block.width) >= 1.0; ++count) {
            const auto next = modes.vectors.col(count);
            projected.noalias() = next.transpose() * rest;
            rest.noalias() -= next * projected;
        }
    }
    return count;
}

double largest_error(CoordinateStore& frames, const std::vector<ModeBlock>& blocks, ModeBase base,
                     const TimeModes& modes, int count) {
    FrameRows rest;
    FrameRows projected;
    double largest = 0.0;
    const auto first = modes.vectors.leftCols(count);
    for (const ModeBlock& block : blocks) {
        read_displacements(frames, block, base, rest);
        projected.noalias() = first.transpose() * rest;
        rest.noalias() -= first * projected;
        largest = std::max(largest, largest_squared(rest, block.width));
    }
    return std::sqrt(largest);
}

}  // namespace cutis
