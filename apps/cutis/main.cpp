#include "verbs.h"

int main(int argc, char** argv) {
    using namespace cutis::app;
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
    add_suggest(program, action);
    add_demo(program, action);
    add_describe(program, action);
    add_inspect(program, action);
    add_convert(program, action);
    add_programs_beside(program, action);
    return run_program(program, action, argc, argv);
}
