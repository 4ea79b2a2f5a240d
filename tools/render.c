/* From a compiled program and a scene to pixels: a small GL driver. */
#include "render.h"
#include "machine.h"

#include <stdlib.h>
#include <string.h>

struct qpucc_state render_state(const struct scene *scene) {
    struct qpucc_state state = {.primitive = scene_primitive(scene), .depth_test = true};
    return state;
}

/* Does the shader give the uniform an initial value? Zero counts as none. */
static bool has_initial(const struct machine *m, const struct qpucc_variable *u, size_t count) {
    for (size_t w = 0; w < count && u->word + w < m->uniform_words; w++)
        if (m->uniforms[u->word + w])
            return true;
    return false;
}

/* The uniform storage, converted to what each type's words hold. */
static bool set_uniforms(struct machine *m, const struct scene *scene) {
    for (size_t i = 0; i < qpucc_program_variable_count(m->program, QPUCC_UNIFORMS); i++) {
        const struct qpucc_variable *u = qpucc_program_variable(m->program, QPUCC_UNIFORMS, i);
        size_t count = (size_t)u->rows * u->cols * u->array_length;
        float *values = malloc(count * sizeof *values);
        if (!values)
            return machine_fail(m, "out of memory");
        bool set = scene_uniform(scene, u->name, u->base, u->rows, u->cols, u->array_length, values);
        bool keep = !set && has_initial(m, u, count);
        for (size_t w = 0; !keep && w < count && u->word + w < m->uniform_words; w++)
            m->uniforms[u->word + w] = machine_word(u->base, values[w]);
        free(values);
    }
    return true;
}

enum { CUBE_FACES = 6 };

/* What a texture unit shows: one picture, or six. */
struct unit {
    struct picture pictures[CUBE_FACES];
    bool cube;
    const struct scene_texture *setting; /* NULL: none */
};

static bool set_texture(struct machine *m, unsigned number, const struct unit *unit, bool all_nearest) {
    const struct scene_texture *set = unit->setting;
    struct qpusim_image images[CUBE_FACES];
    const struct picture *picture = &unit->pictures[0];
    for (int i = 0; i < CUBE_FACES; i++)
        images[i] = (struct qpusim_image){unit->pictures[i].pixels, unit->pictures[i].width,
                                          unit->pictures[i].height};
    bool nearest = set && set->filter != SCENE_FILTER_DEFAULT ? set->filter == SCENE_NEAREST : all_nearest;
    bool mipmap = set && set->filter == SCENE_MIPMAP;
    /* GLES 2 has repetition for powers of two only */
    bool power = !(picture->width & (picture->width - 1)) && !(picture->height & (picture->height - 1));
    struct qpusim_texture_info info = {.format = QPUSIM_RGBA8888,
                                       .levels = images,
                                       .level_count = 1,
                                       .cube = unit->cube,
                                       .wrap_s = power && !unit->cube ? QPUSIM_REPEAT : QPUSIM_CLAMP,
                                       .wrap_t = power && !unit->cube ? QPUSIM_REPEAT : QPUSIM_CLAMP,
                                       .mag = nearest ? QPUSIM_MAG_NEAREST : QPUSIM_MAG_LINEAR,
                                       .generate_mipmaps = mipmap,
                                       .min = mipmap    ? QPUSIM_MIN_LINEAR_MIP_LINEAR
                                              : nearest ? QPUSIM_MIN_NEAREST
                                                        : QPUSIM_MIN_LINEAR};
    if (set && set->wrap != SCENE_WRAP_DEFAULT)
        info.wrap_s = info.wrap_t = set->wrap == SCENE_REPEAT   ? QPUSIM_REPEAT
                                    : set->wrap == SCENE_MIRROR ? QPUSIM_MIRROR
                                                                : QPUSIM_CLAMP;
    return machine_texture(m, number, &info);
}

/* The pictures of all units, and how much memory they take. */
static bool load_units(const struct scene *scene, const qpucc_program *program, struct unit *units,
                       size_t *bytes, char *error, size_t size) {
    bool ok = true;
    for (size_t i = 0; ok && i < qpucc_program_variable_count(program, QPUCC_SAMPLERS); i++) {
        const struct qpucc_variable *s = qpucc_program_variable(program, QPUCC_SAMPLERS, i);
        for (unsigned k = 0; ok && k < s->array_length && s->word + k < QPUCC_MAX_TEXTURES; k++) {
            struct unit *u = &units[s->word + k];
            if (s->base == QPUCC_SAMPLER2D_MS || s->base == QPUCC_UNIFORM_BLOCK) {
                snprintf(error, size, "'%s' is read from a buffer, and a scene has none", s->name);
                return false;
            }
            u->cube = s->base == QPUCC_SAMPLERCUBE || s->base == QPUCC_SAMPLERCUBE_SHADOW;
            u->setting = scene_texture_setting(scene, s->name, k);
            ok = u->cube ? scene_cube(scene, s->name, k, u->pictures, error, size)
                         : scene_texture(scene, s->name, k, &u->pictures[0], error, size);
            size_t each = ((size_t)u->pictures[0].width + 64) * (u->pictures[0].height + 64) * 6 + 16384;
            *bytes += ok ? each * (u->cube ? CUBE_FACES : 1) : 0;
        }
    }
    return ok;
}

static void set_attribute(void *user, const struct qpucc_variable *variable,
                          const struct qpucc_attribute_slot *slot, size_t vertices, float *data) {
    const struct mesh *mesh = user;
    size_t words = slot->words;
    for (size_t v = 0; v < vertices; v++) {
        float value[4];
        mesh_attribute(mesh, variable->name, v, value);
        memcpy(data + v * words, value, (words < 4 ? words : 4) * sizeof *data);
    }
}

/* --- trace ---------------------------------------------------------------------------------------------- */

struct tracer {
    FILE *out;
    unsigned left[3], last[3];
};

static void trace_line(void *user, const struct qpusim_trace *t) {
    struct tracer *tracer = user;
    if (t->instruction < tracer->last[t->stage] && t->instruction == 0 && tracer->left[t->stage])
        tracer->left[t->stage]--;
    tracer->last[t->stage] = t->instruction;
    if (!tracer->left[t->stage])
        return;
    fprintf(tracer->out, "%-10s %u %5u  cycle %6llu  %s\n", qpucc_stage_name((enum qpucc_stage)t->stage),
            t->thread, t->instruction, (unsigned long long)t->cycle, t->text);
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

static bool draw_all(struct machine *m, const struct scene *scene, const struct render_options *options,
                     struct picture *out, struct qpusim_counters *counters) {
    static const enum qpusim_mode modes[] = {QPUSIM_TRIANGLES, QPUSIM_LINES,
                                             QPUSIM_POINTS}; /* enum qpucc_primitive */
    struct mesh mesh = scene->mesh;
    struct qpusim_draw_info draw = {.mode = modes[scene_primitive(scene)],
                                    .count = (unsigned)mesh.count,
                                    .depth_test = scene->raster.depth_test,
                                    .depth_write = scene->raster.depth_write,
                                    .depth_func = (enum qpusim_func)scene->raster.depth_func,
                                    .cull = (enum qpusim_cull)scene->raster.cull,
                                    .clockwise_front = scene->raster.clockwise_front};
    struct tracer tracer = {.out = options->trace,
                            .left = {options->trace_batches, options->trace_batches, options->trace_batches}};
    struct qpusim_options how = {.lenient = options->lenient,
                                 .ideal = options->ideal,
                                 .budget = options->budget,
                                 .threads = options->threads,
                                 .timing = options->timing,
                                 .trace = options->on_trace ? options->on_trace
                                          : options->trace  ? trace_line
                                                            : NULL,
                                 .select = options->select,
                                 .trace_user = options->on_trace ? options->trace_user : &tracer,
                                 .counters = counters};
    return machine_attributes(m, &draw, mesh.count, set_attribute, &mesh) &&
           machine_draw(m, &draw, scene->width, scene->height, scene->clear, &how, out);
}

bool render_scene(const struct scene *scene, const qpucc_program *program,
                  const struct render_options *options, struct picture *out, struct qpusim_counters *counters,
                  char *error, size_t size) {
    struct machine m = {.program = NULL};
    struct unit units[QPUCC_MAX_TEXTURES] = {{.cube = false}};
    size_t bytes = 0;
    memset(out, 0, sizeof *out);
    bool ok = load_units(scene, program, units, &bytes, error, size) &&
              machine_open(&m, program, bytes, error, size) && set_uniforms(&m, scene);
    for (unsigned i = 0; i < QPUCC_MAX_TEXTURES; i++) {
        ok = ok && (!units[i].pictures[0].pixels || set_texture(&m, i, &units[i], scene->nearest));
        for (int face = 0; face < CUBE_FACES; face++)
            picture_free(&units[i].pictures[face]);
    }
    m.state = options->values;
    m.instances = scene->instances;
    m.draw_number = options->draw_number;
    m.device = options->device;
    ok = ok && draw_all(&m, scene, options, out, counters);
    machine_close(&m);
    if (!ok)
        picture_free(out);
    return ok;
}
