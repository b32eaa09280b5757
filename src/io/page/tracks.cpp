#include "io/page/tracks.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "cutis/core/error.h"
#include "io/store/products.h"

namespace cutis {

namespace {

constexpr double largest_code = 32767.0;
// Shares of the tolerance: what leaving out modes may cost, and (per root of the number of modes,
// as rounding errors add like random numbers) how coarse the basis may be.
constexpr double truncation_share = 0.85;
constexpr double rounding_share = 0.7;

/// Displacements at weight 1: #modes x #coordinates; and weights that reach 1.
struct Projection {
    FrameRows modes;
    Eigen::MatrixXd weights;  ///< #modes x #frames
};

Projection project(CoordinateStore& frames, const std::vector<ModeBlock>& blocks, const TimeModes& modes,
                   const ModeTrack& track, int count, const Workers& workers) {
    Projection out;
    out.modes.resize(count, track.points * track.width);
    Eigen::MatrixXd first = modes.vectors.leftCols(count);
    const Eigen::RowVectorXd reach = first.cwiseAbs().colwise().maxCoeff();
    out.weights = (first.array().rowwise() / reach.array()).matrix().transpose();
    first.array().rowwise() *= reach.array();
    const ProductPanels sources(first.transpose());
    workers.for_chunks(static_cast<int>(blocks.size()), 1, [&](int b, int /*end*/) {
        const ModeBlock& block = blocks[b];
        FrameRows displacements;
        read_displacements(frames, block, ModeBase::mean, displacements);
        FrameRows projected = FrameRows::Zero(count, block.count);
        add_product(sources, displacements, block.tolerance, projected);
        out.modes.middleCols(block.place, block.count) = projected;
    });
    return out;
}

/// Rounds a projection; modes that are small get few different codes and pack well.
void round_modes(const Projection& projection, double step, int frame_count, PackedMotion& out) {
    out.rank = static_cast<int>(projection.modes.rows());
    const Eigen::Index size = projection.modes.cols();
    out.basis.resize(static_cast<size_t>(out.rank) * static_cast<size_t>(size));
    out.scales.resize(static_cast<size_t>(out.rank));
    out.weights.resize(static_cast<size_t>(frame_count) * static_cast<size_t>(out.rank));
    for (int k = 0; k < out.rank; ++k) {
        const double largest = projection.modes.row(k).cwiseAbs().maxCoeff();
        const double scale = std::max(largest / largest_code, step);
        out.scales[k] = scale;
        std::int16_t* row = out.basis.data() + static_cast<size_t>(k) * static_cast<size_t>(size);
        Eigen::Map<Eigen::Array<std::int16_t, 1, Eigen::Dynamic>>(row, size) =
            (projection.modes.row(k).array() / scale).rint().cast<std::int16_t>();
        for (int f = 0; f < frame_count; ++f) {
            out.weights[static_cast<size_t>(f) * static_cast<size_t>(out.rank) + static_cast<size_t>(k)] =
                static_cast<float>(projection.weights(k, f));
        }
    }
}

/// Rebuilds every frame as the page does and compares.
double measure(CoordinateStore& frames, const std::vector<ModeBlock>& blocks, const ModeTrack& track,
               const PackedMotion& motion, const Workers& workers) {
    using RowsOf16 = Eigen::Matrix<std::int16_t, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    using RowsOfFloat = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    const Eigen::Index size = track.points * track.width;
    const Eigen::Map<const RowsOf16> basis(motion.basis.data(), motion.rank, size);
    const Eigen::Map<const RowsOfFloat> weights(motion.weights.data(), frames.frame_count(), motion.rank);
    const Eigen::Map<const Eigen::RowVectorXd> scales(motion.scales.data(), motion.rank);
    const Eigen::Map<const Eigen::RowVectorXf> mean(motion.mean.data(), size);
    const ProductPanels scaled((weights.cast<double>().array().rowwise() * scales.array()).matrix());
    std::vector<double> largest(blocks.size(), 0.0);
    workers.for_chunks(static_cast<int>(blocks.size()), 1, [&](int b, int /*end*/) {
        const ModeBlock& block = blocks[b];
        FrameRows truth;
        FrameRows shown(frames.frame_count(), block.count);
        read_block(frames, block, truth);
        shown.rowwise() = mean.segment(block.place, block.count).cast<double>();
        add_product(scaled, basis.middleCols(block.place, block.count).cast<double>(), 1.0, shown);
        truth -= shown.cast<float>().cast<double>();
        largest[b] = largest_squared(truth, block.width);
    });
    return largest.empty() ? 0.0 : std::sqrt(*std::max_element(largest.begin(), largest.end()));
}

void fill_mean(CoordinateStore& frames, const std::vector<ModeBlock>& blocks, const ModeTrack& track,
               const Workers& workers, PackedMotion& out) {
    out.mean.resize(static_cast<size_t>(track.points) * static_cast<size_t>(track.width));
    workers.for_chunks(static_cast<int>(blocks.size()), 1, [&](int b, int /*end*/) {
        FrameRows rows;
        read_block(frames, blocks[b], rows);
        const Eigen::RowVectorXd mean = base_of(rows, ModeBase::mean);
        for (Eigen::Index i = 0; i < mean.size(); ++i) {
            out.mean[static_cast<size_t>(blocks[b].place + i)] = static_cast<float>(mean(i));
        }
    });
}

}  // namespace

PackedMotion pack_motion(CoordinateStore& frames, const ModeTrack& track, const Workers& workers) {
    const int frame_count = frames.frame_count();
    PackedMotion out;
    out.width = track.width;
    out.points = track.points;
    const std::vector<ModeBlock> blocks = make_mode_blocks({track}, frame_count);
    fill_mean(frames, blocks, track, workers, out);
    out.max_error = measure(frames, blocks, track, out, workers);
    if (out.max_error < track.tolerance || frame_count < 2) {
        return out;  // it stands still
    }
    ModeTrack strict = track;
    strict.tolerance *= truncation_share;
    const std::vector<ModeBlock> strict_blocks = make_mode_blocks({strict}, frame_count);
    const TimeModes modes = find_time_modes(frames, blocks, ModeBase::mean, workers);
    const int most = static_cast<int>(modes.vectors.cols());
    int count = std::max(1, count_modes(frames, strict_blocks, ModeBase::mean, modes, workers));
    double step = track.tolerance * rounding_share / std::sqrt(static_cast<double>(count));
    Projection projection;
    for (int attempt = 0;; ++attempt) {
        if (projection.modes.rows() != count) {
            projection = project(frames, blocks, modes, track, count, workers);
        }
        round_modes(projection, step, frame_count, out);
        out.max_error = measure(frames, blocks, track, out, workers);
        // After so many halvings the step is no longer what limits; the 16 bits are.
        constexpr int halvings = 6;
        if (out.max_error < track.tolerance || (count == most && attempt >= halvings)) {
            return out;
        }
        step *= 0.5;
        if (attempt >= 1) {
            count = std::min(most, count + std::max(1, count / 8));
        }
    }
}

namespace {

Json motion_json(PageSections& sections, const std::string& name, const PackedMotion& motion) {
    Json json = {{"width", motion.width}, {"count", motion.points}, {"rank", motion.rank}};
    json["mean"] = sections.add(name + ".mean", motion.mean);
    if (motion.rank > 0) {
        json["basis"] = sections.add(name + ".basis", motion.basis);
        json["weights"] = sections.add(name + ".weights", motion.weights);
    }
    json["scales"] = motion.scales;
    json["error"] = motion.max_error;
    return json;
}

}  // namespace

std::size_t PageTracks::add(const std::string& name, int points, int width, double tolerance) {
    tracks_.push_back({name, {0, points, width, tolerance}});
    return tracks_.size() - 1;
}

Json PageTracks::pack(PageSections& sections, const Workers& workers) {
    std::vector<PackedMotion> motions(tracks_.size());
    for (const Track& track : tracks_) {
        track.store->file().flush();
    }
    // The largest first: all threads on a track that is more than one thread's share, then a track a thread.
    const auto size = [&](size_t i) { return static_cast<double>(tracks_[i].place.points) * tracks_[i].place.width; };
    std::vector<size_t> order(tracks_.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return size(a) > size(b); });
    double left = 0.0;
    for (const size_t i : order) {
        left += size(i);
    }
    const auto pack_one = [&](size_t i) { motions[i] = pack_motion(*tracks_[i].store, tracks_[i].place, workers); };
    size_t done = 0;
    for (; done < order.size() && size(order[done]) * workers.threads() > left; ++done) {
        pack_one(order[done]);
        left -= size(order[done]);
    }
    workers.for_chunks(static_cast<int>(order.size() - done), 1,
                       [&](int i, int /*end*/) { pack_one(order[done + static_cast<size_t>(i)]); });
    Json json = Json::object();
    for (std::size_t i = 0; i < tracks_.size(); ++i) {
        json[tracks_[i].name] = motion_json(sections, tracks_[i].name, motions[i]);
        tracks_[i].rank = motions[i].rank;
        tracks_[i].max_error = motions[i].max_error;
        motions[i] = {};
    }
    return json;
}

}  // namespace cutis
