/* Texture coordinates at a vertex. */
#ifndef QPUCC_FRONTEND_FIXED_TEXCOORD_H
#define QPUCC_FRONTEND_FIXED_TEXCOORD_H

#include "frontend/fixed/build.h"

/* The vertex in the object's and the eye's coordinates, and its normal there. What texcoord_needs does not
 * ask for is NULL. */
struct texcoord_in {
    const val *vertex, *eye, *normal;
    val reflection[3], sphere[2]; /* made when first asked for */
};

enum texcoord_needs { TEXCOORD_EYE = 1, TEXCOORD_NORMAL = 2 };
unsigned texcoord_needs(const struct qpucc_fixed *fixed);

/* The words of a unit's coordinates that the fragment shader reads, and whether it divides by the last, q.
 * Both stages ask here. A cube map's coordinates are three. */
unsigned texcoord_words(const struct qpucc_fixed_texture *texture, bool *divides);
/* Four coordinates; q is word 3. */
void texcoord_vertex(struct fixed_builder *f, struct texcoord_in *in, unsigned unit, val out[4]);

#endif
