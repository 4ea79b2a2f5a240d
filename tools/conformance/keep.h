/* Leaves everything of a failed case in a folder, for who has to find out why. */
#ifndef CONFORMANCE_KEEP_H
#define CONFORMANCE_KEEP_H

#include "cases.h"
#include "tools/picture.h"

#include <qpucc/qpucc.h>

struct kept {
    qpucc_program *program;            /* may be NULL */
    struct picture picture, reference; /* pixels NULL: there is none */
};

/* Writes FOLDER/NAME.vert, .frag, .asm, .log, .png and .ref.png as far as there is something to write;
 * characters that file names had better not hold become '_'. */
bool keep_failed(const struct test_case *c, const struct kept *kept, const char *name, const char *reason,
                 const char *folder, char *error, size_t size);

#endif
