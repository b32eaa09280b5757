#include "io/store/modes.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "core/dense.h"
#include "cutis/core/error.h"
#include "io/store/products.h"

namespace cutis {
namespace {

constexpr size_t block_bytes = size_t{1} << 20;

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
    Eigen::RowVectorXd sum = rows.row(0);  // row after row: columns would be walked across memory
    for (Eigen::Index f = 1; f < rows.rows(); ++f) {
        sum += rows.row(f);
    }
    return sum / static_cast<double>(rows.rows());
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
TimeModes find_time_modes(CoordinateStore& frames, const std::vector<ModeBlock>& blocks, ModeBase base,
                          const Workers& workers) {
    const int n = frames.frame_count();
    frames.file().flush();
    // Sums of a few groups of blocks side by side, as many as memory allows, whatever the number of threads.
    constexpr size_t sum_bytes = size_t{64} << 20;
    const size_t fitting = sum_bytes / (sizeof(double) * static_cast<size_t>(n) * static_cast<size_t>(n));
    const int groups = static_cast<int>(std::clamp<size_t>(std::min(fitting, blocks.size()), 1, 16));
    std::vector<Eigen::MatrixXd> sums(static_cast<size_t>(groups), Eigen::MatrixXd::Zero(n, n));
    workers.for_chunks(groups, 1, [&](int group, int /*end*/) {
        FrameRows displacements;
        for (size_t b = static_cast<size_t>(group); b < blocks.size(); b += static_cast<size_t>(groups)) {
            read_displacements(frames, blocks[b], base, displacements);
            add_gram(displacements, sums[static_cast<size_t>(group)]);
        }
    });
    Eigen::MatrixXd& gram = sums.front();
    for (size_t group = 1; group < sums.size(); ++group) {
        gram += sums[group];
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

namespace {

/// What the first modes leave of displacements.
class RestAfter {
public:
    RestAfter(const TimeModes& modes, int count)
        : modes_(modes.vectors),
          count_(count),
          along_(modes.vectors.leftCols(count).transpose()),
          back_(modes.vectors.leftCols(count)) {}

    void leave(FrameRows& rest) const {
        FrameRows projected = FrameRows::Zero(count_, rest.cols());
        add_product(along_, rest, 1.0, projected);
        add_product(back_, projected, -1.0, rest);
    }

    /// One mode after another until no point is off by 1. \return how many modes that takes
    int leave_until_small(FrameRows& rest, int width) const {
        int count = count_;
        Eigen::RowVectorXd projected(rest.cols());
        for (; count < modes_.cols() && largest_squared(rest, width) >= 1.0; ++count) {
            const auto mode = modes_.col(count);
            projected = mode(0) * rest.row(0);
            for (Eigen::Index f = 1; f < rest.rows(); ++f) {
                projected += mode(f) * rest.row(f);
            }
            for (Eigen::Index f = 0; f < rest.rows(); ++f) {
                rest.row(f) -= mode(f) * projected;
            }
        }
        return count;
    }

private:
    const Eigen::MatrixXd& modes_;
    int count_;
    ProductPanels along_, back_;
};

}  // namespace

int count_modes(CoordinateStore& frames, const std::vector<ModeBlock>& blocks, ModeBase base, const TimeModes& modes,
                const Workers& workers) {
    const int most = static_cast<int>(modes.vectors.cols());
    frames.file().flush();
    // The largest error is at least the root mean square: fewer modes than this cannot do.
    double entries = 0.0;
    for (const ModeBlock& block : blocks) {
        const auto points = block.count / block.width;
        entries += static_cast<double>(points) * static_cast<double>(frames.frame_count());
    }
    int count = 0;
    while (count < most && modes.energy_after(count) > entries) {
        ++count;
    }
    // Every block says what it needs; those that needed less are asked again with what the others need, as a largest
    // error may also grow with a mode.
    std::vector<int> needed(blocks.size(), -1);
    for (bool is_settled = false; !is_settled;) {
        const RestAfter rest_after(modes, count);
        workers.for_chunks(static_cast<int>(blocks.size()), 1, [&](int b, int /*end*/) {
            if (needed[b] == count) {
                return;
            }
            FrameRows rest;
            read_displacements(frames, blocks[b], base, rest);
            rest_after.leave(rest);
            needed[b] = rest_after.leave_until_small(rest, blocks[b].width);
        });
        const int next = needed.empty() ? count : *std::max_element(needed.begin(), needed.end());
        is_settled = next == count;
        count = next;
    }
    return count;
}

double largest_error(CoordinateStore& frames, const std::vector<ModeBlock>& blocks, ModeBase base,
                     const TimeModes& modes, int count, const Workers& workers) {
    frames.file().flush();
    const RestAfter rest_after(modes, count);
    std::vector<double> largest(blocks.size(), 0.0);
    workers.for_chunks(static_cast<int>(blocks.size()), 1, [&](int b, int /*end*/) {
        FrameRows rest;
        read_displacements(frames, blocks[b], base, rest);
        rest_after.leave(rest);
        largest[b] = largest_squared(rest, blocks[b].width);
    });
    return largest.empty() ? 0.0 : std::sqrt(*std::max_element(largest.begin(), largest.end()));
}

}  // namespace cutis
