/* qpucc run of a RetroArch preset. */
#ifndef TOOLS_RUN_PRESET_H
#define TOOLS_RUN_PRESET_H

#include "cli.h"
#include "render.h"

struct preset_run {
    const char *output; /* a PNG: what the last pass draws */
    const char *keep;   /* a folder, or NULL: for scenes that draw each pass alone, and their pictures */
    unsigned frames;    /* 1 and more; the last one is kept */
    bool alpha, cycles;
};

/* Is the only input a preset's file? */
bool run_preset_is(const struct cli_options *options);
/* `scene`: the viewport's size, uniforms for all passes, textures by name; `source` is the picture that the
 * first pass reads. An exit code. */
int run_preset(struct cli_options *options, const struct scene *scene, const struct render_options *render,
               const struct preset_run *run);

#endif
