/* qpucc serve where it could not be built. */
#include "cli.h"

int command_serve(int argc, char **argv) {
    (void)argc, (void)argv;
    return complain(
        "this qpucc was built without its service, which needs libmicrohttpd, libseccomp and hiredis");
}
