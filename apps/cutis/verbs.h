#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace cutis::app {

/// What the chosen verb runs; returns the exit code.
using Action = std::function<int()>;

/// Exit codes of the program.
enum ExitCode {
    exit_good = 0,
    exit_failure = 1,    ///< while running: a solve, a disk, an output that cannot be written
    exit_bad_input = 2,  ///< usage, a scene, a file that is missing or cannot be used
    exit_later = 75,     ///< a farm's task that may succeed elsewhere or later (EX_TEMPFAIL of sysexits.h)
    exit_signal = 128,   ///< plus the number of the signal that ended the run
};

/// Parses the command line, runs the chosen verb and turns what it throws into an exit code.
int run_program(CLI::App& program, Action& action, int argc, char** argv);

/// Each adds one verb and sets `action` when the verb is chosen.
void add_bake(CLI::App& program, Action& action);
void add_suggest(CLI::App& program, Action& action);
void add_inspect(CLI::App& program, Action& action);
void add_convert(CLI::App& program, Action& action);
void add_demo(CLI::App& program, Action& action);
void add_describe(CLI::App& program, Action& action);
/// Verbs that are programs of their own beside this one, which is built without them: `farm` (apps/farm), `live`
/// (apps/live), `verify` and `bench` (apps/proofs). Names them in the help and hands every word that follows to them.
void add_programs_beside(CLI::App& program, Action& action);
/// The verbs of apps/proofs.
void add_verify(CLI::App& program, Action& action);
void add_bench(CLI::App& program, Action& action);

}  // namespace cutis::app
