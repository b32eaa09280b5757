#pragma once

#include "cutis/core/progress.h"
#include "cutis/farm/run.h"

namespace cutis::farm {

/// Processes on this machine.
struct LocalOptions {
    std::filesystem::path program;   ///< cutis-farm itself
    int jobs = 0;                    ///< at once; 0: as many as there are processors
    std::vector<std::string> flags;  ///< further words of `farm run`
    int tries = 3;
    std::function<int()> stopped;
    ProgressCallback progress;
};

struct LocalReport {
    std::int64_t done = 0;    ///< now
    std::int64_t failed = 0;  ///< with those behind them
    int signal = 0;           ///< that ended it
};

/// Runs everything that is left; returns when nothing can run any more.
LocalReport submit_local(const Plan& plan, const LocalOptions& options);

/// Slurm's job arrays.
struct SlurmOptions {
    std::filesystem::path program;
    int at_once = 0;  ///< tasks of an array; 0: any number
    int bundle = 0;   ///< tasks one after the other in an element of an array; 0: as few as Slurm's limit allows
    int tries = 3;
    int threads = 1;
    double minutes = 0.0;            ///< time limit; 0: from the estimate
    std::vector<std::string> flags;  ///< of sbatch, passed on
    std::vector<std::string> run_flags;
    bool is_dry = false;  ///< says what it would do
};

/// \return a line for each array: its number and tasks
/// \throw InvalidInput  Slurm is not here, or refuses
std::vector<std::string> submit_slurm(const Plan& plan, const SlurmOptions& options);

}  // namespace cutis::farm
