/* Binds a case's attributes, uniforms and textures to a compiled program and draws. */
#include "draw.h"
#include "tools/machine.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct qpucc_state draw_state(unsigned mode) {
    struct qpucc_state state = {.primitive = mode == 0  ? QPUCC_POINTS
                                             : mode < 4 ? QPUCC_LINES
                                                        : QPUCC_TRIANGLES};
    return state;
}

struct binding {
    const struct case_draw *draw;
    struct machine machine;
    size_t vertices; /* that the indices reach */
};

/* --- uniforms ------------------------------------------------------------------------------------------- */

static size_t plain_length(const char *name) {
    size_t length = strlen(name);
    return length > 3 && !strcmp(name + length - 3, "[0]") ? length - 3 : length;
}

/* Does a setting for `set` reach variable `name`, as glGetUniformLocation reads names ("a", "a[0]", "a[3]")?
 * The first element it sets comes out in `element`. */
static bool name_matches(const char *name, const char *set, unsigned *element) {
    size_t length = plain_length(name), set_length = plain_length(set);
    *element = 0;
    if (length == set_length)
        return !strncmp(name, set, length);
    if (set_length < length || strncmp(name, set, length) || set[length] != '[')
        return false;
    char *end;
    unsigned long index = strtoul(set + length + 1, &end, 10);
    *element = (unsigned)index;
    return end > set + length + 1 && !strcmp(end, "]");
}

static void bind_uniforms(struct binding *b) {
    struct machine *m = &b->machine;
    for (size_t i = 0; i < qpucc_program_variable_count(m->program, QPUCC_UNIFORMS); i++) {
        const struct qpucc_variable *u = qpucc_program_variable(m->program, QPUCC_UNIFORMS, i);
        size_t each = (size_t)u->rows * u->cols, count = each * u->array_length;
        for (size_t k = 0; k < b->draw->uniform_count; k++) {
            const struct case_uniform *set = &b->draw->uniforms[k];
            unsigned element;
            if (!name_matches(u->name, set->name, &element))
                continue;
            for (size_t w = 0; w < set->count && element * each + w < count; w++)
                if (u->word + element * each + w < m->uniform_words)
                    m->uniforms[u->word + element * each + w] = machine_word(u->base, set->values[w]);
        }
    }
}

/* --- textures ------------------------------------------------------------------------------------------- */

/* The unit that element `index` of a sampler looks at: a uniform like any other, 0 when nobody sets it. */
static unsigned sampler_unit(const struct binding *b, const char *name, unsigned index) {
    for (size_t k = 0; k < b->draw->uniform_count; k++) {
        const struct case_uniform *set = &b->draw->uniforms[k];
        unsigned element;
        if (name_matches(name, set->name, &element) && index >= element && index - element < set->count)
            return (unsigned)set->values[index - element];
    }
    return 0;
}

/* unit: GL's; number: the program's. */
static bool upload(struct binding *b, unsigned unit, bool cube, unsigned number) {
    static const uint8_t black[4] = {0, 0, 0, 255}; /* an incomplete texture (ES 2.0 section 3.8.2) */
    struct qpusim_image images[CASE_FACES * CASE_LEVELS];
    struct qpusim_texture_info info = {.format = QPUSIM_RGBA8888,
                                       .levels = images,
                                       .level_count = 1,
                                       .cube = cube,
                                       .min = QPUSIM_MIN_NEAREST,
                                       .mag = QPUSIM_MAG_NEAREST};
    const struct case_texture *found = NULL;
    for (size_t i = 0; i < b->draw->texture_count; i++)
        if (b->draw->textures[i].unit == unit && b->draw->textures[i].cube == cube)
            found = &b->draw->textures[i];
    for (unsigned i = 0; i < CASE_FACES; i++)
        images[i] = (struct qpusim_image){black, 1, 1};
    if (found) {
        info.level_count = found->level_count;
        info.wrap_s = found->wrap_s;
        info.wrap_t = found->wrap_t;
        info.mag = found->mag;
        info.min = found->min;
        unsigned n = 0;
        for (unsigned face = 0; face < (cube ? CASE_FACES : 1); face++)
            for (unsigned level = 0; level < found->level_count; level++) {
                const struct case_image *image = &found->images[face][level];
                images[n++] = (struct qpusim_image){image->rgba, image->width, image->height};
            }
    }
    return machine_texture(&b->machine, number, &info);
}

static size_t texture_bytes(const struct case_draw *draw) {
    size_t bytes = 0;
    for (size_t i = 0; i < draw->texture_count; i++) {
        const struct case_texture *t = &draw->textures[i];
        bytes += ((size_t)t->images[0][0].width + 64) * (t->images[0][0].height + 64) * 4 * 2 *
                 (t->cube ? CASE_FACES : 1) * QPUCC_MAX_TEXTURES;
    }
    return bytes;
}

static bool bind_textures(struct binding *b) {
    const qpucc_program *program = b->machine.program;
    for (size_t i = 0; i < qpucc_program_variable_count(program, QPUCC_SAMPLERS); i++) {
        const struct qpucc_variable *s = qpucc_program_variable(program, QPUCC_SAMPLERS, i);
        for (unsigned k = 0; k < s->array_length && s->word + k < QPUCC_MAX_TEXTURES; k++)
            if (!upload(b, sampler_unit(b, s->name, k),
                        s->base == QPUCC_SAMPLERCUBE || s->base == QPUCC_SAMPLERCUBE_SHADOW, s->word + k))
                return false;
    }
    return true;
}

/* --- attributes ----------------------------------------------------------------------------------------- */

static const struct case_attribute *find_attribute(const struct binding *b, const char *name, unsigned column,
                                                   unsigned columns) {
    char indexed[300];
    snprintf(indexed, sizeof indexed, "%s[%u]", name, column);
    for (size_t i = 0; i < b->draw->attribute_count; i++) {
        const struct case_attribute *a = &b->draw->attributes[i];
        if (!strcmp(a->name, indexed) || (columns == 1 && !strcmp(a->name, name)))
            return a;
    }
    return NULL;
}

/* What stands at location 0 when the program has no attribute of that name: a linker gives it to another one.
 */
static const struct case_attribute *first_location(const struct binding *b) {
    const qpucc_program *program = b->machine.program;
    for (size_t i = 0; i < qpucc_program_variable_count(program, QPUCC_ATTRIBUTES); i++)
        if (!strcmp(qpucc_program_variable(program, QPUCC_ATTRIBUTES, i)->name, b->draw->attributes[0].name))
            return NULL;
    return &b->draw->attributes[0];
}

static void set_attribute(void *user, const struct qpucc_variable *variable,
                          const struct qpucc_attribute_slot *slot, size_t vertices, float *data) {
    const struct binding *b = user;
    const struct case_attribute *set = find_attribute(b, variable->name, slot->column, variable->cols);
    if (!set && b->draw->by_location && slot->variable == 0 && slot->column == 0)
        set = first_location(b);
    for (size_t v = 0; v < vertices; v++)
        for (unsigned k = 0; k < slot->words; k++)
            data[v * slot->words + k] =
                set && k < set->components ? set->data[v * set->components + k] : k == 3;
}

static bool find_vertices(struct binding *b) {
    for (size_t i = 0; i < b->draw->count; i++)
        if (b->vertices <= b->draw->indices[i])
            b->vertices = (size_t)b->draw->indices[i] + 1;
    for (size_t i = 0; i < b->draw->attribute_count; i++)
        if (b->draw->attributes[i].vertices < b->vertices)
            return machine_fail(&b->machine, "runner: the indices reach beyond an attribute's data");
    return true;
}

/* --- drawing -------------------------------------------------------------------------------------------- */

bool draw_run(const struct case_draw *draw, const qpucc_program *program, const struct draw_options *options,
              struct picture *out, char *error, size_t size) {
    struct binding b = {.draw = draw};
    struct qpusim_draw_info machine = {
        .mode = (enum qpusim_mode)draw->mode, .count = draw->count, .indices = draw->indices};
    struct qpusim_counters counters = {0};
    struct qpusim_options how = {.poison_seed = options->seed, .counters = &counters};
    memset(out, 0, sizeof *out);
    bool ok = machine_open(&b.machine, program, texture_bytes(draw), error, size);
    if (ok)
        bind_uniforms(&b);
    ok = ok && bind_textures(&b) && find_vertices(&b) &&
         machine_attributes(&b.machine, &machine, b.vertices, set_attribute, &b) &&
         machine_draw(&b.machine, &machine, draw->width, draw->height, options->clear, &how, out);
    if (ok && counters.position_mismatches)
        ok = machine_fail(&b.machine, "machine: vertex and coordinate shader disagree on a position");
    machine_close(&b.machine);
    return ok;
}
