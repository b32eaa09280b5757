#include <csignal>
#include <exception>
#include <iostream>
#include <new>

#include "cutis/core/error.h"
#include "src/core/printable.h"
#include "verbs.h"

namespace cutis::app {

namespace {

int complain(const char* message, int code) {
    std::cerr << "cutis: " << printable(message) << '\n';
    return code;
}

int parse_and_run(CLI::App& program, Action& action, int argc, char** argv) {
    try {
        program.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return program.exit(error) == 0 ? exit_good : exit_bad_input;
    }
    return action();
}

}  // namespace

int run_program(CLI::App& program, Action& action, int argc, char** argv) {
    // A reader that leaves early (cutis inspect | head) must not kill a bake half-way.
    std::signal(SIGPIPE, SIG_IGN);
    try {
        const int code = parse_and_run(program, action, argc, argv);
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

}  // namespace cutis::app
