/* Uniform streams, textures, attributes and targets for a draw on the simulated machine. */
#include "machine.h"

#include "device_draw.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool machine_fail(struct machine *m, const char *text) {
    snprintf(m->error, m->size, "%s", text);
    return false;
}

bool machine_open(struct machine *m, const qpucc_program *program, size_t texture_bytes, char *error,
                  size_t size) {
    *m = (struct machine){.program = program,
                          .uniform_words = qpucc_program_uniform_bytes(program, QPUCC_UNIFORMS_PACKED) / 4,
                          .error = error,
                          .size = size};
    m->uniforms = calloc(m->uniform_words ? m->uniform_words : 1, sizeof *m->uniforms);
    m->memory = qpusim_memory_new(((size_t)1 << 20) + texture_bytes + 4 * m->uniform_words);
    if (!m->uniforms || !m->memory)
        return machine_fail(m, "out of memory");
    const uint32_t *initial = qpucc_program_uniform_initial(program);
    if (initial)
        memcpy(m->uniforms, initial, m->uniform_words * sizeof *initial);
    return true;
}

void machine_close(struct machine *m) {
    for (int i = 0; i < QPUCC_STAGE_COUNT; i++) {
        qpusim_program_free(m->programs[i]);
        free(m->streams[i]);
    }
    for (int i = 0; i < QPUCC_MAX_ATTRIBUTES; i++)
        free(m->attribute_data[i]);
    free(m->uniforms);
    qpusim_memory_free(m->memory);
}

uint32_t machine_word(enum qpucc_base_type base, double value) {
    float f = (float)value;
    uint32_t word;
    if (base == QPUCC_BOOL)
        return value != 0;
    if (base != QPUCC_FLOAT) /* beyond 64 bits a conversion has no meaning */
        return value > -9e18 && value < 9e18 ? (uint32_t)(int64_t)value : 0;
    memcpy(&word, &f, 4);
    return word;
}

bool machine_texture(struct machine *m, unsigned unit, const struct qpusim_texture_info *info) {
    struct qpusim_texture texture;
    if (qpusim_upload_texture(m->memory, info, &texture) != QPUSIM_OK)
        return machine_fail(m, "a texture does not fit the simulated memory");
    m->textures[unit][0] = texture.p0;
    m->textures[unit][1] = texture.p1;
    m->textures[unit][2] = texture.p2;
    return true;
}

bool machine_attributes(struct machine *m, struct qpusim_draw_info *draw, size_t vertices,
                        machine_attribute *fill, void *user) {
    const struct qpucc_layout *layout = qpucc_program_layout(m->program);
    for (uint32_t i = 0; i < layout->attribute_count; i++) {
        const struct qpucc_attribute_slot *slot = &layout->attributes[i];
        unsigned words = slot->words;
        const struct qpucc_variable *variable =
            qpucc_program_variable(m->program, QPUCC_ATTRIBUTES, slot->variable);
        float *data = calloc(vertices * words, sizeof *data);
        m->attribute_data[i] = data;
        if (!data)
            return machine_fail(m, "out of memory");
        if (variable) { /* a shader without attributes has a stub of one word */
            bool number = !strcmp(variable->name, "gl_VertexID");
            if (!number)
                fill(user, variable, slot, vertices, data);
            for (size_t k = 0; k < vertices * words; k++) {
                uint32_t word = machine_word(variable->base, number ? (double)(k / words) : (double)data[k]);
                memcpy(&data[k], &word, sizeof word);
            }
        }
        m->attributes[i] = (struct qpusim_attribute){.data = data, .components = words, .stride = words * 4};
    }
    draw->vertex_attributes = layout->attribute_select[QPUCC_VERTEX];
    draw->coordinate_attributes = layout->attribute_select[QPUCC_COORDINATE];
    draw->attributes = m->attributes;
    draw->attribute_count = layout->attribute_count;
    return true;
}

/* The streams for what the uniforms are now. */
static bool fill_streams(struct machine *m) {
    size_t bytes = m->uniform_words * 4;
    if (m->values.uniform_address)
        memcpy(qpusim_memory_map(m->memory, m->values.uniform_address, bytes), m->uniforms, bytes);
    return qpucc_uniforms_fill_all(m->program, &m->values, m->streams) ||
           machine_fail(m, "a uniform or texture has no value");
}

/* gl_InstanceID is a uniform like others: an instance is a draw. */
static bool begin_instance(struct machine *m, unsigned instance) {
    if (m->draw_number)
        *m->draw_number = instance;
    for (size_t i = 0; i < qpucc_program_variable_count(m->program, QPUCC_UNIFORMS); i++) {
        const struct qpucc_variable *u = qpucc_program_variable(m->program, QPUCC_UNIFORMS, i);
        if (!strcmp(u->name, "gl_InstanceID"))
            m->uniforms[u->word] = instance;
    }
    return fill_streams(m);
}

/* Programs and their streams. A driver uploads the uniform storage once, for lookups at run-time indices. */
static bool bind_stages(struct machine *m, struct qpusim_draw_info *draw, unsigned width, unsigned height) {
    static const enum qpusim_stage stages[] = {QPUSIM_FRAGMENT, QPUSIM_VERTEX, QPUSIM_COORDINATE};
    struct qpusim_shader *shaders[] = {&draw->fragment, &draw->vertex, &draw->coordinate};
    size_t bytes = m->uniform_words * 4;
    m->values = (struct qpucc_draw_values){
        .uniforms = m->uniforms,
        .textures = (const uint32_t(*)[4])m->textures,
        .stream_address = {QPUSIM_STREAM_ADDRESS, QPUSIM_STREAM_ADDRESS, QPUSIM_STREAM_ADDRESS},
        .state = m->state,
        .uniform_address = bytes ? qpusim_memory_alloc(m->memory, bytes, 16) : 0};
    qpucc_draw_state_viewport(&m->values.state, (float)width, (float)height, 0, 1, (float)height, false);
    for (int s = 0; s < QPUCC_STAGE_COUNT; s++) {
        enum qpucc_stage stage = (enum qpucc_stage)s;
        size_t count, stream = qpucc_uniforms_size(m->program, stage);
        const uint64_t *code = qpucc_program_code(m->program, stage, &count);
        if (!code)
            return machine_fail(m, "a picture needs a vertex and a fragment shader");
        bool threaded = stage == QPUCC_FRAGMENT && qpucc_program_layout(m->program)->flags & QPUCC_THREADED;
        m->streams[s] = calloc(stream ? stream : 1, sizeof **m->streams);
        m->programs[s] = qpusim_program_new(code, count, stages[s], threaded);
        if (!m->streams[s] || !m->programs[s])
            return machine_fail(m, "out of memory");
        shaders[s]->program = m->programs[s];
        shaders[s]->uniforms = (struct qpusim_stream){.words = m->streams[s], .count = stream};
    }
    const struct qpucc_layout *layout = qpucc_program_layout(m->program);
    draw->varying_count = layout->varying_words;
    draw->flat_varyings = layout->flat_varyings;
    draw->point_size_written = layout->flags & QPUCC_POINT_SIZE;
    draw->memory = m->memory;
    return true;
}

static bool machine_stopped(struct machine *m, const struct qpusim_error *fault) {
    char lane[24] = "";
    if (fault->lane >= 0)
        snprintf(lane, sizeof lane, ", lane %d", fault->lane);
    snprintf(m->error, m->size, "machine: %s: %s (%s shader, instruction %u%s)",
             fault->rule ? fault->rule : "stopped", fault->text,
             qpucc_stage_name((enum qpucc_stage)(fault->stage % 3)), fault->instruction, lane);
    return false;
}

static bool draw_on_device(struct machine *m, const struct qpusim_draw_info *draw, const uint8_t clear[4],
                           struct picture *out) {
    struct device_draw *d = device_draw_open(m->device, m, draw, out->width, out->height, m->error, m->size);
    bool ok = d != NULL;
    for (unsigned k = 0; ok && k < (m->instances ? m->instances : 1); k++)
        ok = (m->instances ? begin_instance(m, k) : fill_streams(m)) && device_draw_add(d);
    ok = ok && device_draw_finish(d, clear, out);
    device_draw_close(d);
    return ok;
}

bool machine_draw(struct machine *m, struct qpusim_draw_info *draw, unsigned width, unsigned height,
                  const uint8_t c[4], const struct qpusim_options *options, struct picture *out) {
    struct qpusim_error fault = {0};
    size_t count = (size_t)width * height;
    *out = (struct picture){width, height, NULL};
    if (!bind_stages(m, draw, width, height))
        return false;
    if (m->device)
        return draw_on_device(m, draw, c, out);
    struct qpusim_target *target = qpusim_target_new(width, height);
    out->pixels = malloc(count * 4);
    if (!target || !out->pixels) {
        qpusim_target_free(target);
        return machine_fail(m, "out of memory");
    }
    qpusim_target_clear(target, c[0] | (uint32_t)c[1] << 8 | (uint32_t)c[2] << 16 | (uint32_t)c[3] << 24, 1,
                        0);
    if (m->tile)
        memcpy(qpusim_target_pixels(target), m->tile, count * 4);
    enum qpusim_status status = QPUSIM_OK;
    bool filled = true;
    for (unsigned k = 0; filled && status == QPUSIM_OK && k < (m->instances ? m->instances : 1); k++) {
        filled = m->instances ? begin_instance(m, k) : fill_streams(m);
        if (filled)
            status = qpusim_draw(target, draw, options, &fault);
    }
    const uint32_t *pixels = qpusim_target_pixels(target);
    for (size_t i = 0; i < count; i++)
        for (unsigned k = 0; k < 4; k++)
            out->pixels[4 * i + k] = (uint8_t)(pixels[i] >> 8 * k);
    qpusim_target_free(target);
    return filled && (status == QPUSIM_OK || machine_stopped(m, &fault));
}
