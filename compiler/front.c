/* Reads sources into IR and adds the front ends' diagnostics to the program's. */
#include "compiler/front.h"
#include "compiler/sha256.h"
#include "frontend/fixed/fixed.h"
#include "frontend/spirv/spirv.h"
#include "ir/heap.h"

#include <inttypes.h>
#include <string.h>

/* A compile that was cancelled or met a limit looks like one without memory; compile_finish tells which. */
static void say_no_memory(struct qpucc_program *program) {
    if (!ir_cancelled(program->arena) && ir_limit_met(program->kept->arena) == QPUCC_LIMIT_COUNT)
        program_diagnose(program, QPUCC_INTERNAL, QPUCC_ERROR, "internal", NULL, 0, 0, "out of memory");
}

bool front_keep_spirv(struct qpucc_program *program, enum qpucc_stage stage, const void *words,
                      size_t count) {
    size_t size = count * sizeof(uint32_t);
    uint32_t *copy = ir_heap_get(program->kept->from, size);
    if (copy)
        memcpy(copy, words, size);
    ir_hold(program->kept->arena, size);
    if (program_keep_spirv(program, stage, copy, count) && !ir_arena_oom(program->kept->arena))
        return true;
    say_no_memory(program);
    return false;
}

static bool read_module(struct qpucc_program *program, enum qpucc_stage stage, const uint32_t *words,
                        const struct fe_spirv_options *options, struct ir_shader *shaders[2]) {
    struct fe_spirv_error error;
    struct ir_shader *shader = fe_spirv_read(words, program->spirv->words[stage], options, &error);
    shaders[stage] = shader;
    if (shader || ir_cancelled(program->arena))
        return shader;
    bool internal = !strcmp(error.code, "internal");
    program_diagnose(program, internal ? QPUCC_INTERNAL : QPUCC_SOURCE_ERROR, QPUCC_ERROR,
                     !strcmp(error.code, "invalid") ? "source" : error.code, error.diagnostic.file,
                     error.diagnostic.line, error.diagnostic.column, "%s", error.diagnostic.text);
    return false;
}

/* The names of included files, for build systems, and the preprocessed texts, for readers. */
static bool keep_texts(struct qpucc_program *program, const struct fe_glsl_result *result) {
    if (result->file_count)
        program->included = ir_alloc(program->arena, (result->file_count + 1) * sizeof *program->included);
    for (size_t i = 0; program->included && i < result->file_count; i++)
        program->included[i] = ir_strdup(program->arena, result->files[i]);
    for (size_t i = 0; i < result->stage_count; i++)
        if (result->stages[i].preprocessed)
            program->preprocessed[result->stages[i].stage] =
                ir_strdup(program->arena, result->stages[i].preprocessed);
    return !ir_arena_oom(program->arena);
}

static void add_included(void *user, const char *path, const char *text, size_t length) {
    struct sha256 *sum = user;
    sha256_add_text(sum, path);
    sha256_add_sized(sum, text, length);
}

/* Copies what fe_fits asks about, because the front end's result is freed before the stages are linked. */
static void keep_interface(struct front_interface *interface, const struct fe_stage_result *from) {
    struct ir_arena *arena = interface->arena;
    struct fe_symbol *symbols = ir_alloc(arena, (from->symbol_count + 1) * sizeof *symbols);
    interface->stage = (struct fe_stage_result){.stage = from->stage,
                                                .version = from->version,
                                                .es = from->es,
                                                .plain = from->plain,
                                                .symbols = symbols,
                                                .symbol_count = from->symbol_count};
    for (size_t i = 0; i < from->symbol_count; i++) {
        symbols[i] = from->symbols[i];
        symbols[i].name = ir_strdup(arena, from->symbols[i].name);
        symbols[i].type_name = ir_strdup(arena, from->symbols[i].type_name);
        symbols[i].file = NULL;
    }
}

static struct fe_options options_of(const struct qpucc_options *options) {
    static const enum fe_precision precision[] = {FE_PRECISION_NONE, FE_MEDIUMP, FE_HIGHP};
    return (struct fe_options){.defines = options->defines,
                               .define_count = options->define_count,
                               .include_dirs = options->include_dirs,
                               .include_dir_count = options->include_dir_count,
                               .preprocess_only = options->flags & QPUCC_PREPROCESS_ONLY,
                               .no_include = options->flags & QPUCC_NO_INCLUDE,
                               .permissive = options->flags & QPUCC_PERMISSIVE,
                               .warnings = options->warnings,
                               .no_warnings = options->no_warnings,
                               .uniform_precision = options->uniform_precision,
                               .default_float_precision = precision[options->default_precision]};
}

static bool read_glsl(struct qpucc_program *program, const struct front_glsl *front,
                      const struct front_source *sources, size_t count, struct front_interface *interface,
                      struct ir_shader *shaders[2]) {
    static const enum qpucc_severity severity[] = {QPUCC_NOTE, QPUCC_WARNING, QPUCC_ERROR};
    if (!front) {
        program_diagnose(program, QPUCC_SOURCE_ERROR, QPUCC_ERROR, "usage", sources[0].source.name, 0, 0,
                         "this library has no GLSL front end: libqpucc has, libqpucc_core takes SPIR-V");
        return false;
    }
    struct sha256 included;
    sha256_begin(&included);
    struct fe_options common = options_of(sources[0].options), own[2];
    common.unlinked = interface != NULL;
    common.beside = program->arena;
    common.on_include = add_included;
    common.user = &included;
    struct fe_source glsl[2];
    for (size_t i = 0; i < count; i++) {
        const struct qpucc_source *s = &sources[i].source;
        own[i] = options_of(sources[i].options);
        glsl[i] = (struct fe_source){s->name, s->data, s->size, s->stage, &own[i]};
    }
    struct fe_glsl_result *result = front->compile(glsl, count, &common);
    if (!result) {
        say_no_memory(program);
        return false;
    }
    if (result->file_count)
        sha256_end(&included, program->included_sum);
    for (size_t i = 0; i < result->diagnostic_count; i++) {
        const struct fe_diagnostic *d = &result->diagnostics[i];
        program_diagnose(program, QPUCC_SOURCE_ERROR, severity[d->severity],
                         d->limit          ? "limit"
                         : d->warning_name ? d->warning_name
                                           : "source",
                         d->file, d->line, d->column, "%s", d->text);
    }
    bool ok = result->ok && keep_texts(program, result);
    if (!ok && program->status == QPUCC_OK && !ir_cancelled(program->arena))
        program_diagnose(program, QPUCC_INTERNAL, QPUCC_ERROR, "internal", sources[0].source.name, 0, 0,
                         "the front end failed without a reason");
    for (size_t i = 0; ok && !common.preprocess_only && i < result->stage_count; i++) {
        const struct fe_stage_result *s = &result->stages[i];
        const struct front_source *from = &sources[sources[0].source.stage != s->stage];
        struct fe_spirv_options read = {.stage = s->stage,
                                        .name = from->source.name,
                                        .trusted = true,
                                        .beside = program->kept->arena,
                                        .symbols = s->symbols,
                                        .symbol_count = s->symbol_count,
                                        .ignore_locations = true,
                                        .labels = from->options->flags & QPUCC_GENERATE_NAMES,
                                        .blocks_in_buffers = from->options->flags & QPUCC_BLOCKS_IN_BUFFERS,
                                        .lower_left = !s->upper_left};
        ok = front_keep_spirv(program, s->stage, s->spirv, s->spirv_words) &&
             read_module(program, s->stage, program->spirv->module[s->stage], &read, shaders);
        if (ok && interface)
            keep_interface(interface, s);
    }
    front->free_result(result);
    return ok;
}

/* A copy of the module with the options' specialisation constants for its stage. NULL: diagnosed. */
static uint32_t *specialise(struct qpucc_program *program, const struct front_source *from) {
    const struct qpucc_options *o = from->options;
    struct ir_arena *arena = program->kept->arena;
    size_t words = from->source.size / 4, count = 0;
    uint32_t *module = ir_alloc_uncleared(arena, from->source.size);
    struct fe_spec_constant *list = ir_alloc_uncleared(arena, o->spec_constant_count * sizeof *list);
    if (ir_arena_oom(arena)) {
        say_no_memory(program);
        return NULL;
    }
    memcpy(module, from->source.data, from->source.size);
    for (size_t i = 0; i < o->spec_constant_count; i++)
        if (o->spec_constants[i].stage == from->source.stage)
            list[count++] = (struct fe_spec_constant){o->spec_constants[i].id, o->spec_constants[i].bits};
    size_t known = fe_spirv_specialise(module, words, list, count);
    if (known == count)
        return module;
    program_diagnose(program, QPUCC_SOURCE_ERROR, QPUCC_ERROR, "usage", from->source.name, 0, 0,
                     "no specialisation constant has the id %" PRIu32, list[known].id);
    return NULL;
}

static bool read_spirv(struct qpucc_program *program, const struct front_source *from,
                       struct ir_shader *shaders[2]) {
    const struct qpucc_source *source = &from->source;
    if (!source->size) {
        program_diagnose(program, QPUCC_SOURCE_ERROR, QPUCC_ERROR, "source", source->name, 0, 0,
                         "not a SPIR-V module: it is empty");
        return false;
    }
    if (source->size % 4) {
        program_diagnose(program, QPUCC_SOURCE_ERROR, QPUCC_ERROR, "source", source->name, 0, 0,
                         "not a SPIR-V module: %zu bytes is not a whole number of 32-bit words",
                         source->size);
        return false;
    }
    if (source->size / 4 > ir_limit(program->arena, QPUCC_LIMIT_MODULE_WORDS)) {
        program_diagnose(program, QPUCC_SOURCE_ERROR, QPUCC_ERROR, "limit", source->name, 0, 0,
                         "a SPIR-V module of %zu words, the limit is %" PRIu64, source->size / 4,
                         ir_limit(program->arena, QPUCC_LIMIT_MODULE_WORDS));
        return false;
    }
    struct fe_spirv_options read = {.stage = source->stage,
                                    .name = source->name,
                                    .valid = from->options->flags & QPUCC_VALID_SPIRV,
                                    .beside = program->kept->arena,
                                    .labels = from->options->flags & QPUCC_GENERATE_NAMES,
                                    .blocks_in_buffers = from->options->flags & QPUCC_BLOCKS_IN_BUFFERS,
                                    .lower_left = true};
    if (!front_keep_spirv(program, source->stage, source->data, source->size / 4))
        return false;
    const uint32_t *module = program->spirv->module[source->stage];
    if (from->options->spec_constant_count && !(module = specialise(program, from)))
        return false;
    return read_module(program, source->stage, module, &read, shaders);
}

bool front_read(struct qpucc_program *program, const struct front_glsl *front,
                const struct front_source *sources, size_t count, struct front_interface *interface,
                struct ir_shader *shaders[2]) {
    struct front_source glsl[2];
    size_t glsl_count = 0;
    bool ok = true;
    for (size_t i = 0; i < count; i++) {
        if (sources[i].source.language == QPUCC_GLSL)
            glsl[glsl_count++] = sources[i];
        else
            ok &= read_spirv(program, &sources[i], shaders);
    }
    if (glsl_count)
        ok &= read_glsl(program, front, glsl, glsl_count, interface, shaders);
    return ok;
}

bool front_read_fixed(struct qpucc_program *program, const struct qpucc_fixed *fixed,
                      const struct qpucc_state *state, struct ir_shader *shaders[2]) {
    char error[200];
    if (!fixed) {
        program_diagnose(program, QPUCC_SOURCE_ERROR, QPUCC_ERROR, "usage", NULL, 0, 0, "fixed is NULL");
        return false;
    }
    if (!fixed_check(fixed, state, error, sizeof error)) {
        program_diagnose(program, QPUCC_SOURCE_ERROR, QPUCC_ERROR, "state", "fixed", 0, 0, "%s", error);
        return false;
    }
    shaders[QPUCC_VERTEX] = fixed_vertex(fixed, program->kept->arena);
    shaders[QPUCC_FRAGMENT] = fixed_fragment(fixed, program->kept->arena);
    if (shaders[QPUCC_VERTEX] && shaders[QPUCC_FRAGMENT])
        return true;
    say_no_memory(program);
    return false;
}
