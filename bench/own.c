/* Our code on the model. */
#include "bench/own.h"

#include <stdio.h>
#include <string.h>

enum { PICTURE = 64 }; /* sides of pictures, where a uniform's name says that it is one */

qpucc_program *own_compile(json_t *pair, const struct qpucc_options *options) {
    json_t *vertex = json_object_get(pair, "vertex"), *fragment = json_object_get(pair, "fragment");
    const char *name = json_string_value(json_object_get(pair, "name"));
    struct qpucc_source sources[2] = {
        {name, json_string_value(vertex), json_string_length(vertex), QPUCC_VERTEX, QPUCC_GLSL},
        {name, json_string_value(fragment), json_string_length(fragment), QPUCC_FRAGMENT, QPUCC_GLSL}};
    return name && vertex && fragment ? qpucc_compile(sources, 2, NULL, options) : NULL;
}

static uint32_t hash(const char *name) {
    uint32_t h = 2166136261u;
    while (*name)
        h = (h ^ (unsigned char)*name++) * 16777619u;
    return h;
}

static uint32_t word_of(struct synthetic *inputs, const struct qpucc_variable *v) {
    if (v->base == QPUCC_BOOL)
        return synthetic_integer(inputs) & 1;
    if (v->base != QPUCC_FLOAT)
        return synthetic_integer(inputs);
    return synthetic_bits(strstr(v->name, "Size") ? (float)PICTURE : synthetic_float(inputs));
}

static size_t stream(struct synthetic *inputs, struct qpusim_memory *memory, const void *user,
                     const struct foreign_needs *needs, uint32_t words[FOREIGN_MAX_UNIFORMS]) {
    const qpucc_program *program = user;
    size_t count = qpucc_program_uniform_bytes(program, QPUCC_UNIFORMS_PACKED) / 4,
           size = qpucc_uniforms_size(program, QPUCC_FRAGMENT);
    static uint32_t uniforms[FOREIGN_MAX_UNIFORMS], textures[QPUCC_MAX_TEXTURES][4];
    struct synthetic own = *inputs;
    (void)needs;
    if (count > FOREIGN_MAX_UNIFORMS || size > FOREIGN_MAX_UNIFORMS)
        return 0;
    for (size_t i = 0; i < qpucc_program_variable_count(program, QPUCC_UNIFORMS); i++) {
        const struct qpucc_variable *v = qpucc_program_variable(program, QPUCC_UNIFORMS, i);
        own.state = inputs->state ^ hash(v->name);
        for (unsigned k = 0; k < v->rows * v->cols * v->array_length; k++)
            uniforms[v->word + k] = word_of(&own, v);
    }
    for (unsigned i = 0; i < QPUCC_MAX_TEXTURES; i++) {
        textures[i][0] = inputs->texture.p0;
        textures[i][1] = inputs->texture.p1;
        textures[i][2] = QPUSIM_P2_BSLOD;
    }
    struct qpucc_draw_values values = {.uniforms = uniforms,
                                       .textures = (const uint32_t(*)[4])textures,
                                       .stream_address[QPUCC_FRAGMENT] = QPUSIM_STREAM_ADDRESS,
                                       .uniform_address = qpusim_memory_alloc(memory, 4 * count + 4, 16)};
    qpucc_draw_state_viewport(&values.state, 640, 480, 0, 1, 480, false);
    if (values.uniform_address)
        memcpy(qpusim_memory_map(memory, values.uniform_address, 4 * count + 4), uniforms, 4 * count);
    return qpucc_uniforms_fill(program, QPUCC_FRAGMENT, &values, words) ? size : 0;
}

bool own_run(struct model *model, const qpucc_program *program, struct model_figures *figures,
             struct qpusim_error *error) {
    size_t count = 0;
    const uint64_t *code = program ? qpucc_program_code(program, QPUCC_FRAGMENT, &count) : NULL;
    if (code)
        return model_run(model, code, count, stream, program, figures, error);
    snprintf(error->text, sizeof error->text, "does not compile");
    return false;
}
