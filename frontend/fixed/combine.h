/* Texture environments in the fragment program. */
#ifndef QPUCC_FRONTEND_FIXED_COMBINE_H
#define QPUCC_FRONTEND_FIXED_COMBINE_H

#include "frontend/fixed/build.h"

struct combine_in {
    /* each unit's texel as the base format has it: what a format lacks is 0 or 1 as GL says; NULL: no texture
     */
    val (*texel)[4];
    const val *primary;
};

/* What a unit makes of the colour before it, in place. */
void combine_unit(struct fixed_builder *f, const struct combine_in *in, unsigned unit, val color[4]);

#endif
