/* qpucc-selftest: the self-test without the compiler, for a small static program. */
#include "run.h"

int main(int argc, char **argv) {
    return command_selftest(argc, argv);
}
