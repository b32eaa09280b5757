// Cases that prove the layers right and benchmarks: apart from `cutis`, which is built without them
// in half the time. `cutis verify` and `cutis bench` start this program.
#include "apps/cutis/verbs.h"

int main(int argc, char** argv) {
    using namespace cutis::app;
    CLI::App program{"cutis-proofs: checks and benchmarks of cutis"};
    program.name("cutis");
    program.require_subcommand(1);
    Action action;
    add_verify(program, action);
    add_bench(program, action);
    return run_program(program, action, argc, argv);
}
