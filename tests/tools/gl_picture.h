/* Draws a scene with the system's OpenGL ES 2 (Mesa's software rasteriser, say) without any window. */
#ifndef TESTS_GL_PICTURE_H
#define TESTS_GL_PICTURE_H

#include "tools/scene.h"

/* NULL when this machine has no surfaceless EGL with GLES 2: the reason is in error. One context per process.
 */
struct gl *gl_open(char *error, size_t size);
void gl_close(struct gl *gl);
const char *gl_name(const struct gl *gl);

/* How a reference picture is drawn; {0}: as it should be. */
struct gl_variation {
    /* Errors are put into built-in functions, attributes, uniforms and texels, of another size and sign for
     * each seed, 0: none. What changes by that is a matter of rounding that the shader amplifies. */
    unsigned seed;
    bool rough; /* errors as large as those of the QPU's special functions and texels; else those of floats */
    bool snap;  /* vertices rounded to 1/16 pixel, as the hardware does */
};

/* Renders the scene with all precisions forced to highp. `edges` (width * height, may be NULL) becomes true
 * where a pixel touches the outline of what was drawn, or a fold in its depth. */
bool gl_draw(struct gl *gl, const struct scene *scene, const char *vertex, const char *fragment,
             const struct gl_variation *how, struct picture *out, bool *edges, char *error, size_t size);

/* Does the driver compile and link the shaders as they are? If not, its errors without its warnings. */
bool gl_accepts(struct gl *gl, const char *vertex, const char *fragment, char *error, size_t size);

/* Where directives may be put into a shader: after its #version line. */
size_t gl_after_version(const char *source);

#endif
