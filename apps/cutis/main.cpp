#include <csignal>
#include <exception>
#include <iostream>
#include <new>

#include "cutis/core/error.h"
#include "verbs.h"

namespace {

using namespace cutis;
using namespace cutis::app;

int run(int argc, char** argv) {
    CLI::App program{"cutis: a living skin for animated characters"};
    program.name("cutis");
    program.set_version_flag("--version", "cutis " CUTIS_VERSION);
    program.require_subcommand(1);
    program.footer(
        "cutis VERB --help shows the flags of a verb.\n"
        "Exit codes: 0 good, 2 bad usage or input (also a missing file), 1 failure while "
        "running (also an\noutput that cannot be written), 128 + signal when interrupted.");
    Action action;
    add_bake(program, action);
    add_demo(program, action);
    add_describe(program, action);
    add_inspect(program, action);
    add_convert(program, action);
    add_verify(program, action);
    add_bench(program, action);
    try {
        program.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return program.exit(error) == 0 ? exit_good : exit_bad_input;
    }
    return action();
}

int complain(const char* message, int code) {
    std::cerr << "cutis: " << message << '\n';
    return code;
}

}  // namespace

int main(int argc, char** argv) {
    // A reader that leaves early (cutis inspect | head) must not kill a bake half-way.
    std::signal(SIGPIPE, SIG_IGN);
    try {
        const int code = run(argc, argv);
        std::cout.flush();
        if (code == exit_good && (!std::cout || std::fflush(stdout) != 0)) {
            return complain("standard output: cannot be written", exit_failure);
        }
        return code;
    } catch (const InvalidInput& error) {
        return complain(error.what(), exit_bad_input);
    } catch (const std::bad_alloc&) {
        return complain("not enough memory", exit_failure);
    } catch (const std::exception& error) {
        return complain(error.what(), exit_failure);
    }
}
