/* Shadertoy's shaders: a function mainImage without the rest. */
#ifndef TOOLS_SHADERTOY_H
#define TOOLS_SHADERTOY_H

#include <stdbool.h>
#include <stddef.h>

/* Does the text define mainImage and no main? */
bool shadertoy_is(const char *text, size_t size);
/* The whole fragment shader, GLSL ES 3.00: Shadertoy's uniforms, the text with its own line numbers, a main
 * with the line of mainImage, so that no message and no instruction points to a line that the text does not
 * have. shadertoy_is has said yes. malloc'ed; NULL: out of memory. */
char *shadertoy_wrap(const char *text, size_t size, size_t *wrapped);
/* The vertex shader for a fragment shader that comes alone, a mainImage or a whole one: the mesh as it is,
 * which is a full picture for the quad. malloc'ed; NULL: out of memory. */
char *shadertoy_vertex(const char *fragment, size_t size);

#endif
