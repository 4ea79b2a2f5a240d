/* Shader objects: what glCompileShader and glLinkProgram want. A shader is parsed and checked once, alone,
 * and linked into any number of programs, which begin with its IR.
 *
 * Requires: for linking, shaders without errors. Keeps: them; any number of threads may link the same ones.
 * Where two shaders of GLSL may not fit together (fe_fits), and for a vertex shader that stays alone, the
 * front end sees the sources once more, together: it says what is wrong, in the words of qpucc_compile. */
#include "compiler/compile.h"
#include "compiler/doors.h"
#include "compiler/shader.h"
#include "compiler/usage.h"

#include <string.h>

/* --- one shader ----------------------------------------------------------------------------------------- */

static const char *const *copy_list(struct ir_arena *arena, const char *const *list, size_t count) {
    const char **copy = ir_alloc(arena, (count + 1) * sizeof *copy);
    for (size_t i = 0; i < count; i++)
        copy[i] = ir_strdup(arena, list[i]);
    return copy;
}

/* The source and what of the options is about it, for another look. */
static void keep_source(struct qpucc_shader *shader, const struct qpucc_source *source,
                        const struct qpucc_options *options) {
    struct ir_arena *arena = shader->interface.arena;
    void *text = ir_alloc_uncleared(arena, source->size + 1);
    memcpy(text, source->data, source->size);
    shader->from.source = *source;
    shader->from.source.name = source->name ? ir_strdup(arena, source->name) : NULL;
    shader->from.source.data = text;
    struct qpucc_options *own = ir_alloc(arena, sizeof *own);
    *own = *options;
    own->defines = copy_list(arena, options->defines, options->define_count);
    own->include_dirs = copy_list(arena, options->include_dirs, options->include_dir_count);
    if (options->spec_constant_count) {
        size_t bytes = options->spec_constant_count * sizeof *options->spec_constants;
        void *copy = ir_alloc(arena, bytes);
        memcpy(copy, options->spec_constants, bytes);
        own->spec_constants = copy;
    }
    own->on_ir = NULL;
    own->on_pass_time = NULL;
    own->print_after = NULL;
    own->cancel = NULL;
    shader->from.options = own;
}

static bool read_alone(struct compile *c, struct qpucc_shader *shader) {
    struct ir_shader *read[2] = {NULL};
    if (ir_arena_oom(shader->interface.arena))
        return compile_stopped(c, NULL);
    bool ok = front_read(c->program, shader->glsl, &shader->from, 1, &shader->interface, read);
    if (ok && ir_arena_oom(shader->interface.arena)) {
        ir_arena_fail(c->program->arena);
        ok = compile_stopped(c, NULL);
    }
    return compile_keep(c, ok, read);
}

/* False: no memory for one that could say so. */
static bool begin(struct compile *c, struct qpucc_shader **shader, const struct qpucc_options *options) {
    if (!compile_begin(c, NULL, options, NULL))
        return false;
    struct ir_arena *arena = ir_arena_apart(c->program->arena);
    if (!arena) {
        qpucc_program_free(c->program);
        return false;
    }
    *shader = ir_alloc(arena, sizeof **shader);
    (*shader)->interface.arena = arena;
    return true;
}

qpucc_shader *qpucc_private_shader(const struct front_glsl *glsl, const struct qpucc_source *source,
                                   const struct qpucc_options *options) {
    struct compile c;
    struct qpucc_shader *shader;
    if (!begin(&c, &shader, options))
        return NULL;
    shader->glsl = glsl;
    bool ok = compile_check_options(&c, options) && (source || USAGE_ERROR(c.program, "source is NULL")) &&
              usage_check_sources(c.program, source, 1);
    if (ok && c.options.flags & QPUCC_PREPROCESS_ONLY)
        ok = USAGE_ERROR(c.program,
                         "options.flags has QPUCC_PREPROCESS_ONLY, but a shader is compiled to be linked");
    if (ok) {
        keep_source(shader, source, &c.options);
        ok = read_alone(&c, shader);
    }
    shader->program = compile_finish(&c, compile_complete(&c, ok));
    ir_arena_close(shader->interface.arena);
    return shader;
}

void qpucc_shader_free(qpucc_shader *shader) {
    if (!shader)
        return;
    qpucc_program_free(shader->program);
    ir_arena_destroy(shader->interface.arena); /* it lies in there */
}

enum qpucc_status qpucc_shader_status(const qpucc_shader *shader) {
    return shader->program->status;
}

size_t qpucc_shader_diagnostic_count(const qpucc_shader *shader) {
    return qpucc_program_diagnostic_count(shader->program);
}

const struct qpucc_diagnostic *qpucc_shader_diagnostic(const qpucc_shader *shader, size_t index) {
    return qpucc_program_diagnostic(shader->program, index);
}

/* --- linking -------------------------------------------------------------------------------------------- */

static bool shaders_error(struct qpucc_program *program, const qpucc_shader *shader, size_t index) {
    if (shader->from.options)
        program_diagnose(program, QPUCC_SOURCE_ERROR, QPUCC_ERROR, "link", NULL, 0, 0,
                         "the %s shader has errors", qpucc_stage_name(shader->from.source.stage));
    else
        program_diagnose(program, QPUCC_SOURCE_ERROR, QPUCC_ERROR, "link", NULL, 0, 0,
                         "shaders[%zu] was refused", index);
    return false;
}

static bool check_shaders(struct qpucc_program *program, const qpucc_shader *const *shaders, size_t count) {
    if (!shaders && count)
        return USAGE_ERROR(program, "shaders is NULL, but count is %zu", count);
    if (count < 1 || count > 2)
        return USAGE_ERROR(
            program, "count is %zu, but a program is one vertex shader, one fragment shader, or both", count);
    for (size_t i = 0; i < count; i++) {
        if (!shaders[i])
            return USAGE_ERROR(program, "shaders[%zu] is NULL", i);
        if (shaders[i]->program->status != QPUCC_OK)
            return shaders_error(program, shaders[i], i);
    }
    enum qpucc_stage stage = shaders[0]->from.source.stage;
    if (count == 2 && shaders[1]->from.source.stage == stage)
        return USAGE_ERROR(program, "shaders[0] and shaders[1] are both of the %s stage",
                           qpucc_stage_name(stage));
    return true;
}

/* Is there nothing that the front end could find wrong with them together? */
static bool fits(struct compile *c, const qpucc_shader *vertex, const qpucc_shader *fragment) {
    bool v = vertex && vertex->from.source.language == QPUCC_GLSL,
         f = fragment && fragment->from.source.language == QPUCC_GLSL;
    if (v && f)
        return vertex->glsl->fits(&vertex->interface.stage, &fragment->interface.stage, c->program->arena);
    return !v || fragment;
}

/* The shader's warnings, its SPIR-V and its IR, to begin with. NULL: diagnosed. */
static struct ir_shader *take(struct compile *c, const qpucc_shader *shader) {
    const struct qpucc_program *from = shader->program;
    enum qpucc_stage stage = shader->from.source.stage;
    for (size_t i = 0; i < from->diagnostic_count; i++) {
        const struct qpucc_diagnostic *d = &from->diagnostics[i];
        if (strcmp(d->code, "chip") != 0)
            program_diagnose(c->program, QPUCC_OK, d->severity, d->code, d->file, d->line, d->column, "%s",
                             d->text);
    }
    if (!front_keep_spirv(c->program, stage, from->spirv->module[stage], from->spirv->words[stage]))
        return NULL;
    struct ir_shader *read = ir_unpack(atomic_load(&from->kept->ir)->read[stage], c->home);
    if (!read)
        compile_stopped(c, NULL);
    return read;
}

static bool take_all(struct compile *c, const qpucc_shader *const *shaders, size_t count) {
    struct ir_shader *read[2] = {NULL};
    bool ok = true;
    for (size_t i = 0; ok && i < count; i++) {
        ok = (read[shaders[i]->from.source.stage] = take(c, shaders[i])) != NULL;
        program_add_included(c->program, shaders[i]->program);
    }
    return compile_keep(c, ok && compile_link_storage(c, read), read);
}

static bool link_shaders(struct compile *c, const qpucc_shader *const *shaders, size_t count) {
    const qpucc_shader *of[2] = {NULL};
    struct front_source sources[2];
    const struct front_glsl *glsl = NULL;
    for (size_t i = 0; i < count; i++) {
        of[shaders[i]->from.source.stage] = shaders[i];
        sources[i] = shaders[i]->from;
        glsl = glsl ? glsl : shaders[i]->glsl;
    }
    return fits(c, of[QPUCC_VERTEX], of[QPUCC_FRAGMENT]) ? take_all(c, shaders, count)
                                                         : compile_read(c, glsl, sources, count);
}

qpucc_program *qpucc_link(const qpucc_shader *const *shaders, size_t count, const struct qpucc_state *state,
                          const struct qpucc_options *options) {
    struct compile c;
    const qpucc_shader *first = shaders && count ? shaders[0] : NULL;
    if (!compile_begin(&c, state, options, first ? first->program->kept->from : NULL))
        return NULL;
    bool ok = compile_check_options(&c, options) && check_shaders(c.program, shaders, count);
    if (ok && c.options.flags & QPUCC_PREPROCESS_ONLY)
        ok = USAGE_ERROR(c.program,
                         "options.flags has QPUCC_PREPROCESS_ONLY, but shaders have been read already");
    return compile_on(&c, ok && link_shaders(&c, shaders, count));
}
