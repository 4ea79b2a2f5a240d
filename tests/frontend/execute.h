/* A pair of shaders from text to a pixel: compiled, drawn on the simulated machine. */
#ifndef TESTS_FRONTEND_EXECUTE_H
#define TESTS_FRONTEND_EXECUTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct executed {
    bool compiled, drawn;
    bool internal;    /* not compiled, and that is the compiler's fault */
    uint8_t pixel[4]; /* of the middle of a square that covers the target */
    char text[4000];  /* all diagnostics, "file:line:column: severity: text" a line, or what stopped the
                         machine */
};

/* The attribute a_position is the square's corner. `uniforms`: "name=1,2", up to a NULL; may be NULL. */
void execute_pair(const char *vertex, const char *fragment, const char *const *uniforms, int level,
                  struct executed *out);

#endif
