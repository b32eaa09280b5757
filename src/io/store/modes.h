#pragma once

#include <Eigen/Core>
#include <vector>

#include "cutis/core/parallel.h"
#include "io/store/spool.h"

namespace cutis {

/// Numbers over time as rows: #frames x #coordinates.
using FrameRows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Points that move: coordinates first .. first + points * width of every frame of a store.
struct ModeTrack {
    int first = 0;
    int points = 0;
    int width = 3;           ///< coordinates of a point, 1 to 3
    double tolerance = 1.0;  ///< largest distance a point may be off
    bool is_turned = false;  ///< UVs whose v is counted from the top: 1 - v
};

/// What displacements are measured from.
enum class ModeBase { first_frame, mean };

/// Some points of a track, few enough for their whole motion to stand in memory (1 MB).
struct ModeBlock {
    int first = 0;  ///< in a frame of the store
    int count = 0;  ///< coordinates
    int width = 3;
    double tolerance = 1.0;
    bool is_turned = false;
    int place = 0;  ///< among the coordinates of all tracks
};

std::vector<ModeBlock> make_mode_blocks(const std::vector<ModeTrack>& tracks, int frame_count);

/// The block's coordinates as they are.
void read_block(CoordinateStore& frames, const ModeBlock& block, FrameRows& out);

/// Base of a block as read by read_block().
Eigen::RowVectorXd base_of(const FrameRows& rows, ModeBase base);

/// Displacements from the base, in units of the tolerance. So a point at distance 1 is an error at
/// the limit, whatever the track.
void read_displacements(CoordinateStore& frames, const ModeBlock& block, ModeBase base, FrameRows& out);

/// Longest displacement of a point, squared.
double largest_squared(const FrameRows& displacements, int width);

/// Right singular vectors of the displacement matrix, most important first, with the energy that
/// remains when only the first k are kept. There are frames - 1: so many give any motion back.
struct TimeModes {
    Eigen::MatrixXd vectors;       ///< #frames x #modes, orthonormal
    Eigen::VectorXd energy_after;  ///< #modes + 1
};

/// \throw SolverFailure  no convergence
TimeModes find_time_modes(CoordinateStore& frames, const std::vector<ModeBlock>& blocks, ModeBase base,
                          const Workers& workers);

/// Modes whose largest error is below the tolerance at every point of every frame, before any
/// rounding: so many do, one less does not.
int count_modes(CoordinateStore& frames, const std::vector<ModeBlock>& blocks, ModeBase base, const TimeModes& modes,
                const Workers& workers);

/// Largest error at any point of any frame when only the first modes are kept, in units of the tolerance.
double largest_error(CoordinateStore& frames, const std::vector<ModeBlock>& blocks, ModeBase base,
                     const TimeModes& modes, int count, const Workers& workers);

}  // namespace cutis
