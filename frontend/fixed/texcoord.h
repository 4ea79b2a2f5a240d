/* Texture coordinates at a vertex. */
#ifndef QPUCC_FRONTEND_FIXED_TEXCOORD_H
#define QPUCC_FRONTEND_FIXED_TEXCOORD_H

#include "frontend/fixed/build.h"

/* The vertex in the object's and the eye's coordinates, and its normal there, if somebody needs it. */
struct texcoord_in {
    const val *vertex, *eye, *normal;
    val reflection[3], sphere[2]; /* made when first asked for */
};

/* Is any coordinate made of the normal? */
bool texcoord_needs_normal(const struct qpucc_fixed *fixed);

/* Are all four coordinates made, so that nobody asks for the vertex's own? */
bool texcoord_generated(const struct qpucc_fixed_texture *texture);

/* The words of a unit's coordinates that the fragment shader reads, and whether it divides by the last, q.
 * Both stages ask here. A cube map's coordinates are three. */
unsigned texcoord_words(const struct qpucc_fixed_texture *texture, bool *divides);
/* Four coordinates; q is word 3. */
void texcoord_vertex(struct fixed_builder *f, struct texcoord_in *in, unsigned unit, val out[4]);

#endif
