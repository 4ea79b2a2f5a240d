/* Shader objects: what glCompileShader and glLinkProgram want. A shader is parsed and checked once, alone,
 * and linked into any number of programs, which begin with its IR.
 *
 * Requires: for linking, shaders without errors. Keeps: them; any number of threads may link the same ones.
 * Where two shaders of GLSL may not fit together (fe_fits), and for a vertex shader that stays alone, the
 * front end sees the sources once more, together: it says what is wrong, in the words of qpucc_compile. */
#include "compiler/compile.h"
#include "compiler/entry.h"
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
    struct ir_arena *arena = shader->arena;
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

/* False: no memory for one that could say so. */
static bool begin_read(struct compile *c, struct shader_read **read, const struct qpucc_options *options) {
    if (!compile_begin(c, NULL, options, NULL))
        return false;
    struct ir_arena *arena = ir_arena_apart(c->program->arena);
    if (!arena) {
        qpucc_program_free(c->program);
        return false;
    }
    *read = ir_alloc(arena, sizeof **read);
    (*read)->interface.arena = arena;
    return true;
}

static bool read_alone(struct compile *c, const struct qpucc_shader *shader,
                       struct front_interface *interface) {
    struct ir_shader *read[2] = {NULL};
    bool ok = front_read(c->program, shader->glsl, &shader->from, 1, interface, read);
    if (ok && ir_arena_oom(interface->arena)) {
        ir_arena_fail(c->program->arena);
        ok = compile_stopped(c, NULL);
    }
    return compile_keep(c, ok, read);
}

static struct shader_read *end_read(struct compile *c, const struct qpucc_shader *shader,
                                    struct shader_read *read, bool ok) {
    ok = ok &&
         (ir_arena_oom(shader->arena) ? compile_stopped(c, NULL) : read_alone(c, shader, &read->interface));
    read->program = compile_finish(c, compile_complete(c, ok));
    ir_arena_close(read->interface.arena);
    return read;
}

static void free_read(struct shader_read *read) {
    if (!read)
        return;
    qpucc_program_free(read->program);
    ir_arena_destroy(read->interface.arena);
}

/* Threads may ask at the same time; one of them wins. */
const struct shader_read *shader_read(const qpucc_shader *shader) {
    struct compile c;
    struct shader_read *known = atomic_load(shader->read), *made;
    if (known || !begin_read(&c, &made, shader->from.options))
        return known;
    made = end_read(&c, shader, made, compile_check_options(&c, shader->from.options));
    if (atomic_compare_exchange_strong(shader->read, &known, made))
        return made;
    free_read(made);
    return known;
}

/* NULL: no memory for one that could say so. */
static struct qpucc_shader *new_shader(const struct qpucc_program *program, const struct front_glsl *glsl) {
    struct ir_arena *arena = ir_arena_apart(program->arena);
    if (!arena)
        return NULL;
    struct qpucc_shader *shader = ir_alloc(arena, sizeof *shader);
    shader->arena = arena;
    shader->allocator = ir_allocator(arena);
    shader->glsl = glsl;
    shader->read = ir_alloc(arena, sizeof *shader->read);
    return shader;
}

qpucc_shader *qpucc_private_shader(const struct front_glsl *glsl, const struct qpucc_source *source,
                                   const struct qpucc_options *options) {
    struct compile c;
    struct shader_read *read;
    if (!begin_read(&c, &read, options))
        return NULL;
    struct qpucc_shader *shader = new_shader(c.program, glsl);
    bool ok = shader && compile_check_options(&c, options) &&
              (source || USAGE_ERROR(c.program, "source is NULL")) &&
              usage_check_sources(c.program, source, 1);
    if (ok && c.options.flags & QPUCC_PREPROCESS_ONLY)
        ok = USAGE_ERROR(c.program,
                         "options.flags has QPUCC_PREPROCESS_ONLY, but a shader is compiled to be linked");
    if (ok)
        keep_source(shader, source, &c.options);
    if (shader)
        ir_arena_close(shader->arena);
    bool later = ok && options && options->flags & QPUCC_READ_LATER && !ir_arena_oom(shader->arena);
    if (!shader || later) {
        read->program = c.program;
        free_read(read);
    } else {
        atomic_init(shader->read, end_read(&c, shader, read, ok));
    }
    return shader;
}

void qpucc_shader_free(qpucc_shader *shader) {
    if (!shader)
        return;
    free_read(atomic_load(shader->read));
    ir_arena_destroy(shader->arena);
}

enum qpucc_status qpucc_shader_status(const qpucc_shader *shader) {
    const struct shader_read *read = shader_read(shader);
    return read ? read->program->status : QPUCC_INTERNAL;
}

size_t qpucc_shader_diagnostic_count(const qpucc_shader *shader) {
    const struct shader_read *read = shader_read(shader);
    return read ? qpucc_program_diagnostic_count(read->program) : 0;
}

const struct qpucc_diagnostic *qpucc_shader_diagnostic(const qpucc_shader *shader, size_t index) {
    const struct shader_read *read = shader_read(shader);
    return read ? qpucc_program_diagnostic(read->program, index) : NULL;
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

/* read[]: what each of them says. */
static bool check_shaders(struct compile *c, const qpucc_shader *const *shaders, size_t count,
                          const struct shader_read *read[2]) {
    struct qpucc_program *program = c->program;
    if (!shaders && count)
        return USAGE_ERROR(program, "shaders is NULL, but count is %zu", count);
    if (count < 1 || count > 2)
        return USAGE_ERROR(
            program, "count is %zu, but a program is one vertex shader, one fragment shader, or both", count);
    for (size_t i = 0; i < count; i++) {
        if (!shaders[i])
            return USAGE_ERROR(program, "shaders[%zu] is NULL", i);
        read[i] = shader_read(shaders[i]);
        if (!read[i]) {
            ir_arena_fail(program->arena);
            return compile_stopped(c, NULL);
        }
        if (read[i]->program->status != QPUCC_OK)
            return shaders_error(program, shaders[i], i);
    }
    enum qpucc_stage stage = shaders[0]->from.source.stage;
    if (count == 2 && shaders[1]->from.source.stage == stage)
        return USAGE_ERROR(program, "shaders[0] and shaders[1] are both of the %s stage",
                           qpucc_stage_name(stage));
    return true;
}

/* Is there nothing that the front end could find wrong with them together? */
static bool fits(struct compile *c, const qpucc_shader *const *shaders, const struct shader_read *const *read,
                 size_t count) {
    const struct fe_stage_result *stage[2] = {NULL};
    bool any[2] = {false};
    for (size_t i = 0; i < count; i++) {
        const struct qpucc_source *source = &shaders[i]->from.source;
        any[source->stage] = true;
        if (source->language == QPUCC_GLSL)
            stage[source->stage] = &read[i]->interface.stage;
    }
    if (stage[QPUCC_VERTEX] && stage[QPUCC_FRAGMENT])
        return shaders[0]->glsl->fits(stage[QPUCC_VERTEX], stage[QPUCC_FRAGMENT], c->program->arena);
    return !stage[QPUCC_VERTEX] || any[QPUCC_FRAGMENT];
}

/* The shader's warnings, its SPIR-V and its IR, to begin with. NULL: diagnosed. */
static struct ir_shader *take(struct compile *c, const struct qpucc_program *from, enum qpucc_stage stage) {
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

static bool take_all(struct compile *c, const qpucc_shader *const *shaders,
                     const struct shader_read *const *read, size_t count) {
    struct ir_shader *ir[2] = {NULL};
    bool ok = true;
    for (size_t i = 0; ok && i < count; i++) {
        enum qpucc_stage stage = shaders[i]->from.source.stage;
        ok = (ir[stage] = take(c, read[i]->program, stage)) != NULL;
        program_add_included(c->program, read[i]->program);
    }
    return compile_keep(c, ok && compile_link_storage(c, ir), ir);
}

/* What concerns both shaders: what the link asks for, or else what one of them lets pass, whichever it is. */
static enum qpucc_uniform_precision uniform_precision(const struct compile *c,
                                                      const qpucc_shader *const *shaders, size_t count) {
    enum qpucc_uniform_precision mode = c->options.uniform_precision;
    uint32_t flags = c->options.flags;
    for (size_t i = 0; i < count; i++) {
        const struct qpucc_options *own = shaders[i]->from.options;
        flags |= own->flags;
        if (!c->options.uniform_precision && own->uniform_precision > mode)
            mode = own->uniform_precision;
    }
    return !mode && flags & QPUCC_PERMISSIVE ? QPUCC_UNIFORM_PRECISION_WARN : mode;
}

/* The sources once more, together. */
static bool read_again(struct compile *c, const qpucc_shader *const *shaders, size_t count) {
    struct front_source sources[2];
    struct qpucc_options own[2];
    const struct front_glsl *glsl = NULL;
    for (size_t i = 0; i < count; i++) {
        sources[i] = shaders[i]->from;
        own[i] = *shaders[i]->from.options;
        own[i].uniform_precision = uniform_precision(c, shaders, count);
        sources[i].options = &own[i];
        glsl = glsl ? glsl : shaders[i]->glsl;
    }
    return compile_read(c, glsl, sources, count);
}

qpucc_program *qpucc_link(const qpucc_shader *const *shaders, size_t count, const struct qpucc_state *state,
                          const struct qpucc_options *options) {
    struct compile c;
    const struct shader_read *read[2];
    const qpucc_shader *first = shaders && count ? shaders[0] : NULL;
    if (!compile_begin(&c, state, options, first ? first->allocator : NULL))
        return NULL;
    bool ok = compile_check_options(&c, options) && check_shaders(&c, shaders, count, read);
    if (ok && c.options.flags & QPUCC_PREPROCESS_ONLY)
        ok = USAGE_ERROR(c.program,
                         "options.flags has QPUCC_PREPROCESS_ONLY, but shaders have been read already");
    if (ok)
        ok = fits(&c, shaders, read, count) ? take_all(&c, shaders, read, count)
                                            : read_again(&c, shaders, count);
    return compile_on(&c, ok);
}
