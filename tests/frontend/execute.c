#include "execute.h"
#include "tools/render.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 4 };

static void print_diagnostics(const qpucc_program *program, char *out, size_t size) {
    static const char *const severities[] = {"error", "warning", "note"};
    size_t at = 0;
    const struct qpucc_diagnostic *d;
    for (size_t i = 0; (d = qpucc_program_diagnostic(program, i)) && at + 1 < size; i++) {
        int n = snprintf(out + at, size - at, "%s:%u:%u: %s: %s\n", d->file ? d->file : "", d->line,
                         d->column, severities[d->severity], d->text);
        at += n > 0 ? (size_t)n : 0;
    }
}

void execute_pair(const char *vertex, const char *fragment, const char *const *uniforms, int level,
                  struct executed *out) {
    *out = (struct executed){0};
    struct qpucc_source sources[2] = {{"a.vert", vertex, strlen(vertex), QPUCC_VERTEX, QPUCC_GLSL},
                                      {"a.frag", fragment, strlen(fragment), QPUCC_FRAGMENT, QPUCC_GLSL}};
    struct scene scene;
    scene_init(&scene);
    scene.width = scene.height = SIDE;
    scene.mesh_name = strdup("quad");
    bool ready = scene.mesh_name != NULL;
    for (size_t i = 0; ready && uniforms && uniforms[i]; i++)
        ready = scene_uniform_option(&scene, uniforms[i], out->text, sizeof out->text);
    ready = ready && scene_prepare(&scene, out->text, sizeof out->text);
    struct qpucc_options options = qpucc_options_default();
    options.opt_level = level;
    struct qpucc_state state = render_state(&scene);
    qpucc_program *program = ready ? qpucc_compile(sources, 2, &state, &options) : NULL;
    out->compiled = program && qpucc_program_status(program) == QPUCC_OK;
    out->internal = program && qpucc_program_status(program) == QPUCC_INTERNAL;
    if (program)
        print_diagnostics(program, out->text, sizeof out->text);
    if (out->compiled) {
        struct picture picture = {0};
        struct qpusim_counters counters = {0};
        out->drawn = render_scene(&scene, program, &(struct render_options){0}, &picture, &counters,
                                  out->text, sizeof out->text);
        if (out->drawn)
            memcpy(out->pixel, picture.pixels + 4 * (SIDE * SIDE / 2 + SIDE / 2), 4);
        picture_free(&picture);
    }
    qpucc_program_free(program);
    scene_free(&scene);
}
