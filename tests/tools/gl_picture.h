/* Draws a scene with the system's OpenGL ES 2 (Mesa's software rasteriser, say) without any window. */
#ifndef TESTS_GL_PICTURE_H
#define TESTS_GL_PICTURE_H

#include "tools/scene.h"

/* NULL when this machine has no surfaceless EGL with GLES 2: the reason is in error. One context per process.
 */
struct gl *gl_open(char *error, size_t size);
void gl_close(struct gl *gl);
const char *gl_name(const struct gl *gl);

/* Renders the scene with all precisions forced to highp. `edges` (width * height, may be NULL) becomes true
 * where a pixel touches the outline of what was drawn, or a fold in its depth. */
bool gl_draw(struct gl *gl, const struct scene *scene, const char *vertex, const char *fragment,
             struct picture *out, bool *edges, char *error, size_t size);

#endif
