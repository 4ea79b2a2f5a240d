/* Draws a case with the system's desktop OpenGL, whose fixed functions are not ours. */
#ifndef TESTS_FIXED_GL_FIXED_H
#define TESTS_FIXED_GL_FIXED_H

#include "case.h"

/* False when this machine has no surfaceless EGL with a compatibility profile: the reason is in error. */
bool gl_fixed_open(char *error, size_t size);
void gl_fixed_close(void);
/* With `every_fragment` no fragment is discarded for its alpha, and none is blended. */
bool gl_fixed_draw(const struct fixed_case *c, bool every_fragment, struct picture *out, char *error,
                   size_t size);

#endif
