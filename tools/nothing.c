/* nothing.c: see nothing.h. */
#include "nothing.h"

#include <stdlib.h>
#include <string.h>

static bool is_clear(const struct scene *scene, const struct picture *picture) {
    for (size_t i = 0; i < (size_t)picture->width * picture->height; i++)
        if (memcmp(picture->pixels + 4 * i, scene->clear, 4) != 0)
            return false;
    return true;
}

/* A matrix that the scene leaves or sets to zeros takes every position to one point. NULL: none. */
static const struct qpucc_variable *zero_matrix(const struct scene *scene, const qpucc_program *program) {
    for (size_t i = 0; i < qpucc_program_variable_count(program, QPUCC_UNIFORMS); i++) {
        const struct qpucc_variable *v = qpucc_program_variable(program, QPUCC_UNIFORMS, i);
        float values[16] = {0};
        bool zero = v->cols > 1 && v->array_length == 1;
        if (zero)
            scene_uniform(scene, v->name, v->base, v->rows, v->cols, 1, values);
        for (unsigned k = 0; zero && k < v->rows * v->cols; k++)
            zero = values[k] == 0;
        if (zero)
            return v;
    }
    return NULL;
}

void nothing_explain(const struct scene *scene, const qpucc_program *program, const struct picture *picture,
                     const struct qpusim_counters *c, FILE *out) {
    if (!is_clear(scene, picture))
        return;
    const struct qpucc_variable *zero = zero_matrix(scene, program);
    unsigned long long all = c->primitives, gone = c->primitives_culled, pixels = c->pixels;
    fprintf(out, "qpucc: warning: nothing was drawn: ");
    if (!all)
        fprintf(out, "the mesh has no primitives\n");
    else if (!pixels && zero)
        fprintf(out, "the matrix '%s' is all zeros; --uniform %s=... sets it\n", zero->name, zero->name);
    else if (!pixels && gone == all)
        fprintf(out, "%s%llu primitives lie outside of the view%s; is gl_Position what it should be?\n",
                all > 1 ? "all " : "", all,
                scene->raster.cull ? ", have no area or are turned away (culling is on)"
                                   : " or have no area");
    else if (!pixels)
        fprintf(out, "none of %llu primitives covers the centre of a pixel\n", all);
    else if (!c->tlb_writes)
        fprintf(out, "all %llu fragments were discarded\n", pixels);
    else
        fprintf(out,
                "%llu fragments have the colour that the picture was cleared with, were discarded or failed "
                "the depth test\n",
                pixels);
}
