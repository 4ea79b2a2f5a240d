/* One tile: its configurations, clear values, and the early Z buffer.
 *
 * Early Z holds a bound for each quad: with direction lt/le no sample of the quad lies farther, with gt/ge
 * none nearer. A quad that no sample of could pass its Z test is then not shaded at all. */
#include "runtime/tile.h"

void sim_tile_size(bool multisample, bool color64, unsigned *width, unsigned *height) {
    *width = multisample ? 32 : 64;
    *height = *width / (color64 ? 2 : 1);
}

void sim_tile_configure(struct sim_tile *t, bool multisample, bool color64) {
    memset(t, 0, sizeof *t);
    t->multisample = multisample;
    t->color64 = color64;
    t->samples = multisample ? SIM_TILE_SAMPLES : 1;
    t->sample_words = color64 ? 2 : 1;
    sim_tile_size(multisample, color64, &t->width, &t->height);
}

void sim_tile_clear(struct sim_tile *t, bool color, bool depth_stencil) {
    unsigned samples = t->width * t->height * t->samples;
    if (color) {
        uint32_t pattern[2 * SIM_TILE_SAMPLES]; /* which every row repeats */
        for (unsigned i = 0; i < 2 * SIM_TILE_SAMPLES; i++)
            pattern[i] = t->clear.color[t->color64                    ? i & 1
                                        : SIM_FAULT(t, clear_columns) ? 0
                                                                      : i / t->samples & 1];
        for (unsigned i = 0; i < samples * t->sample_words; i += 2 * SIM_TILE_SAMPLES)
            memcpy(&t->color[i], pattern, sizeof pattern);
    }
    if (depth_stencil) {
        for (unsigned i = 0; i < samples; i++)
            t->depth[i] = t->clear.depth & 0xffffff;
        memset(t->stencil, t->clear.stencil, samples);
        for (unsigned i = 0; i < samples / t->samples / 4; i++)
            t->early[i] = t->clear.depth & 0xffffff;
    }
}

void sim_tile_clear_alpha(struct sim_tile *t) {
    memset(t->alpha, t->clear.alpha, t->width * t->height);
}

uint32_t sim_tile_quad_bound(const struct sim_tile *t, unsigned x, unsigned y) {
    uint32_t bound = t->early_greater ? 0xffffff : 0;
    for (unsigned row = y; row < y + 2; row++) {
        const uint32_t *depth = &t->depth[sim_tile_sample(t, x, row)];
        for (unsigned i = 0; i < 2 * t->samples; i++)
            if (t->early_greater ? depth[i] < bound : depth[i] > bound)
                bound = depth[i];
    }
    return bound;
}

void sim_tile_renew_early(struct sim_tile *t) {
    for (unsigned y = 0; y < t->height; y += 2)
        for (unsigned x = 0; x < t->width; x += 2)
            *sim_tile_early(t, x, y) = sim_tile_quad_bound(t, x, y);
}
