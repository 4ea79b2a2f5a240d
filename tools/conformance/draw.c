/* Binds a case's attributes, uniforms and textures to a compiled program and draws. */
#include "draw.h"

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
    const qpucc_program *program;
    struct qpusim_memory *memory;
    uint32_t *uniforms;
    uint32_t textures[QPUCC_MAX_TEXTURES][4];
    uint32_t *streams[QPUCC_STAGE_COUNT];
    struct qpusim_program *programs[QPUCC_STAGE_COUNT];
    struct qpusim_attribute attributes[QPUCC_MAX_ATTRIBUTES];
    uint32_t *attribute_data[QPUCC_MAX_ATTRIBUTES];
    size_t vertices; /* that the indices reach */
    char *error;
    size_t size;
};

static bool fail(struct binding *b, const char *text) {
    snprintf(b->error, b->size, "%s", text);
    return false;
}

/* --- uniforms
 * ------------------------------------------------------------------------------------------------- */

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

static uint32_t word_of(enum qpucc_base_type base, double value) {
    float f = (float)value;
    uint32_t word;
    if (base == QPUCC_BOOL)
        return value != 0;
    if (base != QPUCC_FLOAT)
        return (uint32_t)(int64_t)value;
    memcpy(&word, &f, 4);
    return word;
}

static bool bind_uniforms(struct binding *b) {
    size_t words = qpucc_program_uniform_words(b->program);
    b->uniforms = calloc(words ? words : 1, sizeof *b->uniforms);
    if (!b->uniforms)
        return fail(b, "out of memory");
    const uint32_t *initial = qpucc_program_uniform_initial(b->program);
    if (initial)
        memcpy(b->uniforms, initial, words * sizeof *initial);
    for (size_t i = 0; i < qpucc_program_variable_count(b->program, QPUCC_UNIFORMS); i++) {
        const struct qpucc_variable *u = qpucc_program_variable(b->program, QPUCC_UNIFORMS, i);
        size_t each = (size_t)u->rows * u->cols, count = each * u->array_length;
        for (size_t k = 0; k < b->draw->uniform_count; k++) {
            const struct case_uniform *set = &b->draw->uniforms[k];
            unsigned element;
            if (!name_matches(u->name, set->name, &element))
                continue;
            for (size_t w = 0; w < set->count && element * each + w < count; w++)
                if (u->word + element * each + w < words)
                    b->uniforms[u->word + element * each + w] = word_of(u->base, set->values[w]);
        }
    }
    return true;
}

/* --- textures
 * --------------------------------------------------------------------------------------------------- */

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

static bool upload(struct binding *b, unsigned unit, bool cube, uint32_t words[4]) {
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
    struct qpusim_texture texture;
    if (qpusim_upload_texture(b->memory, &info, &texture) != QPUSIM_OK)
        return fail(b, "runner: a texture could not be stored in simulated memory");
    words[0] = texture.p0;
    words[1] = texture.p1;
    words[2] = texture.p2;
    return true;
}

static bool bind_textures(struct binding *b) {
    size_t bytes = ((size_t)1 << 20) + 4 * qpucc_program_uniform_words(b->program);
    for (size_t i = 0; i < b->draw->texture_count; i++) {
        const struct case_texture *t = &b->draw->textures[i];
        bytes += ((size_t)t->images[0][0].width + 64) * (t->images[0][0].height + 64) * 4 * 2 *
                 (t->cube ? CASE_FACES : 1) * QPUCC_MAX_TEXTURES;
    }
    b->memory = qpusim_memory_new(bytes);
    if (!b->memory)
        return fail(b, "out of memory");
    for (size_t i = 0; i < qpucc_program_variable_count(b->program, QPUCC_SAMPLERS); i++) {
        const struct qpucc_variable *s = qpucc_program_variable(b->program, QPUCC_SAMPLERS, i);
        for (unsigned k = 0; k < s->array_length && s->word + k < QPUCC_MAX_TEXTURES; k++)
            if (!upload(b, sampler_unit(b, s->name, k), s->base == QPUCC_SAMPLERCUBE,
                        b->textures[s->word + k]))
                return false;
    }
    return true;
}

/* --- attributes
 * ---------------------------------------------------------------------------------------------------- */

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
    for (size_t i = 0; i < qpucc_program_variable_count(b->program, QPUCC_ATTRIBUTES); i++)
        if (!strcmp(qpucc_program_variable(b->program, QPUCC_ATTRIBUTES, i)->name,
                    b->draw->attributes[0].name))
            return NULL;
    return &b->draw->attributes[0];
}

static bool bind_attributes(struct binding *b, struct qpusim_draw *draw) {
    struct qpucc_attribute_slot vertex[QPUCC_MAX_ATTRIBUTES], coordinate[QPUCC_MAX_ATTRIBUTES];
    size_t count = qpucc_program_attribute_slots(b->program, QPUCC_VERTEX, vertex, QPUCC_MAX_ATTRIBUTES);
    qpucc_program_attribute_slots(b->program, QPUCC_COORDINATE, coordinate, QPUCC_MAX_ATTRIBUTES);
    for (size_t i = 0; i < b->draw->count; i++)
        if (b->vertices <= b->draw->indices[i])
            b->vertices = (size_t)b->draw->indices[i] + 1;
    for (size_t i = 0; i < b->draw->attribute_count; i++)
        if (b->draw->attributes[i].vertices < b->vertices)
            return fail(b, "runner: the indices reach behind an attribute's data");
    for (size_t i = 0; i < count && i < QPUCC_MAX_ATTRIBUTES; i++) {
        unsigned words = vertex[i].words;
        const struct qpucc_variable *variable =
            qpucc_program_variable(b->program, QPUCC_ATTRIBUTES, vertex[i].variable);
        const struct case_attribute *set =
            variable ? find_attribute(b, variable->name, vertex[i].column, variable->cols) : NULL;
        if (!set && i == 0 && b->draw->by_location && vertex[i].variable == 0)
            set = first_location(b);
        float *data = calloc(b->vertices * words, sizeof *data);
        b->attribute_data[i] = (uint32_t *)data;
        if (!data)
            return fail(b, "out of memory");
        bool number = variable && !strcmp(variable->name, "gl_VertexID");
        for (size_t v = 0; v < b->vertices; v++)
            for (unsigned k = 0; k < words; k++) {
                float value = number                         ? (float)v
                              : set && k < set->components ? set->data[v * set->components + k]
                                                           : k == 3;
                uint32_t word = word_of(variable ? variable->base : QPUCC_FLOAT, value);
                memcpy(&data[v * words + k], &word, sizeof word);
            }
        b->attributes[i] = (struct qpusim_attribute){data, words, words * 4};
        draw->vertex_attributes |= (uint8_t)(vertex[i].loaded << i);
        draw->coordinate_attributes |= (uint8_t)(coordinate[i].loaded << i);
    }
    draw->attributes = b->attributes;
    draw->attribute_count = (unsigned)count;
    return true;
}

/* --- drawing
 * ------------------------------------------------------------------------------------------------------- */

static bool bind_programs(struct binding *b, struct qpusim_draw *draw) {
    static const enum qpusim_stage stages[] = {QPUSIM_FRAGMENT, QPUSIM_VERTEX, QPUSIM_COORDINATE};
    struct qpusim_shader *shaders[] = {&draw->fragment, &draw->vertex, &draw->coordinate};
    size_t words = qpucc_program_uniform_words(b->program);
    uint32_t address = words ? qpusim_memory_alloc(b->memory, words * 4, 16) : 0;
    if (address)
        memcpy(qpusim_memory_map(b->memory, address, words * 4), b->uniforms, words * 4);
    struct qpucc_draw_values values = {.uniforms = b->uniforms,
                                       .textures = (const uint32_t(*)[4])b->textures,
                                       .viewport_width = (float)b->draw->width,
                                       .viewport_height = (float)b->draw->height,
                                       .depth_far = 1,
                                       .framebuffer_height = (float)b->draw->height,
                                       .stream_address = QPUSIM_STREAM_ADDRESS,
                                       .uniform_address = address};
    for (int s = 0; s < QPUCC_STAGE_COUNT; s++) {
        size_t count, stream = qpucc_uniforms_size(b->program, (enum qpucc_stage)s);
        const uint64_t *code = qpucc_program_code(b->program, (enum qpucc_stage)s, &count);
        if (!code)
            return fail(b, "runner: a program without code for every stage");
        bool threaded = qpucc_program_stats(b->program, (enum qpucc_stage)s)->threads > 1;
        b->streams[s] = calloc(stream ? stream : 1, sizeof **b->streams);
        b->programs[s] = qpusim_program_new(code, count, stages[s], threaded);
        if (!b->streams[s] || !b->programs[s])
            return fail(b, "out of memory");
        qpucc_uniforms_fill(b->program, (enum qpucc_stage)s, &values, b->streams[s]);
        shaders[s]->program = b->programs[s];
        shaders[s]->uniforms = (struct qpusim_stream){.words = b->streams[s], .count = stream};
    }
    return true;
}

static bool draw_bound(struct binding *b, struct qpusim_draw *draw, const struct draw_options *options,
                       struct picture *out) {
    static const char *const stages[] = {"fragment", "vertex", "coordinate"};
    const uint8_t *c = options->clear;
    struct qpusim_counters counters = {0};
    struct qpusim_options how = {.poison_seed = options->seed, .counters = &counters};
    struct qpusim_error fault = {0};
    struct qpusim_target *target = qpusim_target_new(b->draw->width, b->draw->height);
    size_t count = (size_t)b->draw->width * b->draw->height;
    out->width = b->draw->width;
    out->height = b->draw->height;
    out->pixels = malloc(count * 4);
    if (!target || !out->pixels) {
        qpusim_target_free(target);
        return fail(b, "out of memory");
    }
    qpusim_target_clear(target, c[0] | (uint32_t)c[1] << 8 | (uint32_t)c[2] << 16 | (uint32_t)c[3] << 24, 1,
                        0);
    enum qpusim_status status = qpusim_draw(target, draw, &how, &fault);
    const uint32_t *pixels = qpusim_target_pixels(target);
    for (size_t i = 0; i < count; i++)
        for (unsigned k = 0; k < 4; k++)
            out->pixels[4 * i + k] = (uint8_t)(pixels[i] >> 8 * k);
    qpusim_target_free(target);
    if (status != QPUSIM_OK) {
        snprintf(b->error, b->size, "machine: %s: %s (%s shader, instruction %u, lane %d)",
                 fault.rule ? fault.rule : "stopped", fault.text, stages[fault.stage % 3], fault.instruction,
                 fault.lane);
        return false;
    }
    if (counters.position_mismatches)
        return fail(b, "machine: vertex and coordinate shader disagree on a position");
    return true;
}

bool draw_run(const struct case_draw *draw, const qpucc_program *program, const struct draw_options *options,
              struct picture *out, char *error, size_t size) {
    struct binding b = {.draw = draw, .program = program, .error = error, .size = size};
    memset(out, 0, sizeof *out);
    bool ok = bind_uniforms(&b) && bind_textures(&b);
    struct qpusim_draw machine = {.mode = (enum qpusim_mode)draw->mode,
                                  .count = draw->count,
                                  .indices = draw->indices,
                                  .varying_count = qpucc_program_varying_words(program),
                                  .flat_varyings = qpucc_program_flat_varyings(program),
                                  .point_size_written = qpucc_program_point_size(program),
                                  .memory = b.memory};
    ok = ok && bind_programs(&b, &machine) && bind_attributes(&b, &machine) &&
         draw_bound(&b, &machine, options, out);
    for (int i = 0; i < QPUCC_STAGE_COUNT; i++) {
        qpusim_program_free(b.programs[i]);
        free(b.streams[i]);
    }
    for (int i = 0; i < QPUCC_MAX_ATTRIBUTES; i++)
        free(b.attribute_data[i]);
    free(b.uniforms);
    qpusim_memory_free(b.memory);
    return ok;
}
