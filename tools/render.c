/* From a compiled program and a scene to pixels: what a GL driver does, in small. */
#include "render.h"

#include <stdlib.h>
#include <string.h>

struct qpucc_state render_state(const struct scene *scene) {
    struct qpucc_state state = {.primitive = scene->mesh.points ? QPUCC_POINTS : QPUCC_TRIANGLES,
                                .depth_test = true};
    return state;
}

struct render {
    const struct scene *scene;
    const qpucc_program *program;
    struct qpusim_memory *memory;
    uint32_t *uniforms;
    uint32_t textures[QPUCC_MAX_TEXTURES][4];
    uint32_t *streams[QPUCC_STAGE_COUNT];
    struct qpusim_program *programs[QPUCC_STAGE_COUNT];
    struct qpusim_attribute attributes[QPUCC_MAX_ATTRIBUTES];
    uint32_t *attribute_data[QPUCC_MAX_ATTRIBUTES];
    char *error;
    size_t size;
};

static bool fail(struct render *r, const char *text) {
    snprintf(r->error, r->size, "%s", text);
    return false;
}

/* Does the shader itself say what the uniform is before anybody sets it? Zero counts as not saying. */
static bool has_initial(const struct render *r, const struct qpucc_variable *u, size_t count) {
    const uint32_t *initial = qpucc_program_uniform_initial(r->program);
    for (size_t w = 0; initial && w < count; w++)
        if (initial[u->word + w])
            return true;
    return false;
}

/* The uniform storage, converted to what each type's words hold. */
static bool set_uniforms(struct render *r) {
    size_t words = qpucc_program_uniform_words(r->program);
    r->uniforms = calloc(words ? words : 1, sizeof *r->uniforms);
    if (!r->uniforms)
        return fail(r, "out of memory");
    for (size_t i = 0; i < qpucc_program_variable_count(r->program, QPUCC_UNIFORMS); i++) {
        const struct qpucc_variable *u = qpucc_program_variable(r->program, QPUCC_UNIFORMS, i);
        size_t count = (size_t)u->rows * u->cols * u->array_length;
        float *values = malloc(count * sizeof *values);
        if (!values)
            return fail(r, "out of memory");
        bool set = scene_uniform(r->scene, u->name, u->base, u->rows, u->cols, u->array_length, values);
        if (!set && has_initial(r, u, count)) {
            memcpy(r->uniforms + u->word, qpucc_program_uniform_initial(r->program) + u->word, 4 * count);
            free(values);
            continue;
        }
        for (size_t w = 0; w < count && u->word + w < words; w++) {
            if (u->base == QPUCC_FLOAT)
                memcpy(&r->uniforms[u->word + w], &values[w], 4);
            else if (u->base == QPUCC_BOOL)
                r->uniforms[u->word + w] = values[w] != 0;
            else
                r->uniforms[u->word + w] = (uint32_t)(int32_t)values[w];
        }
        free(values);
    }
    return true;
}

enum { CUBE_FACES = 6 };

/* What a texture unit shows: one picture, or six. */
struct unit {
    struct picture pictures[CUBE_FACES];
    bool cube;
};

static bool upload(struct render *r, const struct unit *unit, uint32_t words[4]) {
    struct qpusim_image images[CUBE_FACES];
    const struct picture *picture = &unit->pictures[0];
    for (int i = 0; i < CUBE_FACES; i++)
        images[i] = (struct qpusim_image){unit->pictures[i].pixels, unit->pictures[i].width,
                                          unit->pictures[i].height};
    /* GLES 2 has repetition for powers of two only */
    bool power = !(picture->width & (picture->width - 1)) && !(picture->height & (picture->height - 1));
    struct qpusim_texture_info info = {.format = QPUSIM_RGBA8888,
                                       .levels = images,
                                       .level_count = 1,
                                       .cube = unit->cube,
                                       .wrap_s = power && !unit->cube ? QPUSIM_REPEAT : QPUSIM_CLAMP,
                                       .wrap_t = power && !unit->cube ? QPUSIM_REPEAT : QPUSIM_CLAMP,
                                       .mag = QPUSIM_MAG_LINEAR,
                                       .min = QPUSIM_MIN_LINEAR};
    struct qpusim_texture texture;
    if (qpusim_upload_texture(r->memory, &info, &texture) != QPUSIM_OK)
        return fail(r, "a texture does not fit the simulated memory");
    words[0] = texture.p0;
    words[1] = texture.p1;
    words[2] = texture.p2;
    return true;
}

static bool set_textures(struct render *r) {
    struct unit units[QPUCC_MAX_TEXTURES] = {{.cube = false}};
    size_t bytes = (size_t)1 << 20;
    bool ok = true;
    for (size_t i = 0; ok && i < qpucc_program_variable_count(r->program, QPUCC_SAMPLERS); i++) {
        const struct qpucc_variable *s = qpucc_program_variable(r->program, QPUCC_SAMPLERS, i);
        for (unsigned k = 0; ok && k < s->array_length && s->word + k < QPUCC_MAX_TEXTURES; k++) {
            struct unit *u = &units[s->word + k];
            u->cube = s->base == QPUCC_SAMPLERCUBE;
            ok = u->cube ? scene_cube(r->scene, s->name, u->pictures, r->error, r->size)
                         : scene_texture(r->scene, s->name, &u->pictures[0], r->error, r->size);
            size_t each = ((size_t)u->pictures[0].width + 64) * (u->pictures[0].height + 64) * 4 + 8192;
            bytes += ok ? each * (u->cube ? CUBE_FACES : 1) : 0;
        }
    }
    if (ok) {
        r->memory = qpusim_memory_new(bytes + 4 * qpucc_program_uniform_words(r->program));
        ok = r->memory != NULL || fail(r, "out of memory");
    }
    for (unsigned i = 0; i < QPUCC_MAX_TEXTURES; i++) {
        ok = ok && (!units[i].pictures[0].pixels || upload(r, &units[i], r->textures[i]));
        for (int face = 0; face < CUBE_FACES; face++)
            picture_free(&units[i].pictures[face]);
    }
    return ok;
}

static bool set_streams(struct render *r) {
    static const enum qpusim_stage stages[] = {QPUSIM_FRAGMENT, QPUSIM_VERTEX, QPUSIM_COORDINATE};
    size_t words = qpucc_program_uniform_words(r->program);
    uint32_t address = words ? qpusim_memory_alloc(r->memory, words * 4, 16) : 0;
    if (address)
        memcpy(qpusim_memory_map(r->memory, address, words * 4), r->uniforms, words * 4);
    struct qpucc_draw_values values = {.uniforms = r->uniforms,
                                       .textures = (const uint32_t(*)[4])r->textures,
                                       .viewport_width = (float)r->scene->width,
                                       .viewport_height = (float)r->scene->height,
                                       .depth_near = 0,
                                       .depth_far = 1,
                                       .framebuffer_height = (float)r->scene->height,
                                       .stream_address = QPUSIM_STREAM_ADDRESS,
                                       .uniform_address = address};
    for (int s = 0; s < QPUCC_STAGE_COUNT; s++) {
        size_t count, stream = qpucc_uniforms_size(r->program, (enum qpucc_stage)s);
        const uint64_t *code = qpucc_program_code(r->program, (enum qpucc_stage)s, &count);
        if (!code)
            return fail(r, "a picture needs a vertex and a fragment shader");
        bool threaded = qpucc_program_stats(r->program, (enum qpucc_stage)s)->threads > 1;
        r->streams[s] = calloc(stream ? stream : 1, sizeof **r->streams);
        r->programs[s] = qpusim_program_new(code, count, stages[s], threaded);
        if (!r->streams[s] || !r->programs[s])
            return fail(r, "out of memory");
        qpucc_uniforms_fill(r->program, (enum qpucc_stage)s, &values, r->streams[s]);
    }
    return true;
}

static bool set_attributes(struct render *r, struct qpusim_draw *draw) {
    struct qpucc_attribute_slot vertex[QPUCC_MAX_ATTRIBUTES], coordinate[QPUCC_MAX_ATTRIBUTES];
    const struct mesh *mesh = &r->scene->mesh;
    size_t count = qpucc_program_attribute_slots(r->program, QPUCC_VERTEX, vertex, QPUCC_MAX_ATTRIBUTES);
    qpucc_program_attribute_slots(r->program, QPUCC_COORDINATE, coordinate, QPUCC_MAX_ATTRIBUTES);
    for (size_t i = 0; i < count; i++) {
        unsigned words = vertex[i].words;
        const struct qpucc_variable *variable =
            qpucc_program_variable(r->program, QPUCC_ATTRIBUTES, vertex[i].variable);
        uint32_t *data = calloc(mesh->count * words, sizeof *data);
        r->attribute_data[i] = data;
        if (!data)
            return fail(r, "out of memory");
        for (size_t v = 0; variable && v < mesh->count; v++) {
            float value[4];
            mesh_attribute(mesh, variable->name, v, value);
            memcpy(data + v * words, value, (words < 4 ? words : 4) * sizeof *data);
            for (unsigned w = 0; variable->base != QPUCC_FLOAT && w < words && w < 4; w++)
                data[v * words + w] = (uint32_t)(int32_t)value[w];
            if (!strcmp(variable->name, "gl_VertexID"))
                data[v * words] = (uint32_t)v;
        }
        r->attributes[i] = (struct qpusim_attribute){data, words, words * 4};
        draw->vertex_attributes |= (uint8_t)(vertex[i].loaded << i);
        draw->coordinate_attributes |= (uint8_t)(coordinate[i].loaded << i);
    }
    draw->attributes = r->attributes;
    draw->attribute_count = (unsigned)count;
    return true;
}

/* --- trace ---------------------------------------------------------------------------------------------- */

struct tracer {
    FILE *out;
    unsigned left[3], last[3];
};

static void trace_line(void *user, const struct qpusim_trace *t) {
    static const char *const names[] = {"fragment", "vertex", "coordinate"};
    struct tracer *tracer = user;
    if (t->instruction < tracer->last[t->stage] && t->instruction == 0 && tracer->left[t->stage])
        tracer->left[t->stage]--;
    tracer->last[t->stage] = t->instruction;
    if (!tracer->left[t->stage])
        return;
    fprintf(tracer->out, "%-10s %u %5u  cycle %6llu  %s\n", names[t->stage], t->thread, t->instruction,
            (unsigned long long)t->cycle, t->text);
    for (unsigned w = 0; w < t->write_count; w++) {
        fprintf(tracer->out, "           %-10s", t->writes[w].name);
        for (unsigned lane = 0; lane < QPUSIM_LANES; lane++) {
            if (t->writes[w].lanes >> lane & 1)
                fprintf(tracer->out, " %08x", t->writes[w].value[lane]);
            else
                fputs("        -", tracer->out);
        }
        fputc('\n', tracer->out);
    }
}

/* --- drawing -------------------------------------------------------------------------------------------- */

static bool draw_all(struct render *r, const struct render_options *options, struct picture *out,
                     struct qpusim_counters *counters) {
    const struct scene *scene = r->scene;
    const uint8_t *c = scene->clear;
    struct qpusim_draw draw = {.mode = scene->mesh.points ? QPUSIM_POINTS : QPUSIM_TRIANGLES,
                               .count = (unsigned)scene->mesh.count,
                               .varying_count = qpucc_program_varying_words(r->program),
                               .flat_varyings = qpucc_program_flat_varyings(r->program),
                               .point_size_written = qpucc_program_point_size(r->program),
                               .depth_test = true,
                               .depth_write = true,
                               .depth_func = QPUSIM_FUNC_LEQUAL,
                               .memory = r->memory};
    struct tracer tracer = {.out = options->trace,
                            .left = {options->trace_batches, options->trace_batches, options->trace_batches}};
    struct qpusim_options how = {.lenient = options->lenient,
                                 .trace = options->trace ? trace_line : NULL,
                                 .trace_user = &tracer,
                                 .counters = counters};
    struct qpusim_shader *shaders[] = {&draw.fragment, &draw.vertex, &draw.coordinate};
    struct qpusim_error fault = {0};
    for (int s = 0; s < QPUCC_STAGE_COUNT; s++) {
        shaders[s]->program = r->programs[s];
        shaders[s]->uniforms = (struct qpusim_stream){
            .words = r->streams[s], .count = qpucc_uniforms_size(r->program, (enum qpucc_stage)s)};
    }
    if (!set_attributes(r, &draw))
        return false;
    struct qpusim_target *target = qpusim_target_new(scene->width, scene->height);
    out->width = scene->width;
    out->height = scene->height;
    out->pixels = malloc((size_t)scene->width * scene->height * 4);
    if (!target || !out->pixels) {
        qpusim_target_free(target);
        return fail(r, "out of memory");
    }
    qpusim_target_clear(target, c[0] | (uint32_t)c[1] << 8 | (uint32_t)c[2] << 16 | (uint32_t)c[3] << 24, 1,
                        0);
    enum qpusim_status status = qpusim_draw(target, &draw, &how, &fault);
    const uint32_t *pixels = qpusim_target_pixels(target);
    for (size_t i = 0; i < (size_t)scene->width * scene->height; i++)
        for (int k = 0; k < 4; k++)
            out->pixels[4 * i + (size_t)k] = (uint8_t)(pixels[i] >> 8 * k);
    qpusim_target_free(target);
    if (status == QPUSIM_OK)
        return true;
    static const char *const stages[] = {"fragment", "vertex", "coordinate"};
    char lane[24] = "";
    if (fault.lane >= 0)
        snprintf(lane, sizeof lane, ", lane %d", fault.lane);
    snprintf(r->error, r->size, "machine: %s shader, instruction %u%s: %s: %s", stages[fault.stage % 3],
             fault.instruction, lane, fault.rule ? fault.rule : "stopped", fault.text);
    return false;
}

bool render_scene(const struct scene *scene, const qpucc_program *program,
                  const struct render_options *options, struct picture *out, struct qpusim_counters *counters,
                  char *error, size_t size) {
    struct render r = {.scene = scene, .program = program, .error = error, .size = size};
    memset(out, 0, sizeof *out);
    bool ok = set_uniforms(&r) && set_textures(&r) && set_streams(&r) && draw_all(&r, options, out, counters);
    for (int i = 0; i < QPUCC_STAGE_COUNT; i++) {
        qpusim_program_free(r.programs[i]);
        free(r.streams[i]);
    }
    for (int i = 0; i < QPUCC_MAX_ATTRIBUTES; i++)
        free(r.attribute_data[i]);
    free(r.uniforms);
    qpusim_memory_free(r.memory);
    if (!ok)
        picture_free(out);
    return ok;
}
