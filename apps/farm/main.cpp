// Many shots on many machines: apart from `cutis`, which is built without it. `cutis farm` starts this program.
#include "farm.h"

int main(int argc, char** argv) {
    using namespace cutis::app;
    CLI::App program{"many shots on many machines: plan, run, status, retry, collect, submit"};
    program.name("cutis farm");
    program.set_version_flag("--version", "cutis " CUTIS_VERSION);
    program.require_subcommand(1);
    Action action;
    add_farm_verbs(program, action);
    return run_program(program, action, argc, argv);
}
