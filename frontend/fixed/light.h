/* Lighting at a vertex. */
#ifndef QPUCC_FRONTEND_FIXED_LIGHT_H
#define QPUCC_FRONTEND_FIXED_LIGHT_H

#include "frontend/fixed/build.h"

struct light_in {
    val eye[3];    /* the vertex */
    val normal[3]; /* as it came out of the transformation; or the object's own, if `matrix` is not NULL */
    /* What transforms normals, row by row: where all light comes from directions, these go into the object's
     * coordinates instead, once a draw */
    const val (*matrix)[3];
    val color[4]; /* the vertex's */
};

struct light_out {
    val color[4];
    val secondary[3]; /* where specular light is separate, else NULL */
};

/* Does any light, or the viewer, ask for the vertex's place? */
bool light_needs_eye(const struct qpucc_fixed *fixed);
/* Can light be computed in the object's coordinates? */
bool light_in_object(const struct qpucc_fixed *fixed);
/* out[1] is the back face's. Colours are clamped. */
void light_vertex(struct fixed_builder *f, const struct light_in *in, struct light_out out[2]);

#endif
