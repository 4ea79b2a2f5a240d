/* Files that are part of the program, for where there is no file system. */
#ifndef TOOLS_BUILTIN_H
#define TOOLS_BUILTIN_H

#include <stddef.h>
#include <stdint.h>

struct builtin_file {
    const char *name; /* "balloons.png", "openapi.json" */
    const uint8_t *data;
    size_t size;
};

/* NULL: there is none of that name. */
const struct builtin_file *builtin_file(const char *name);

#endif
