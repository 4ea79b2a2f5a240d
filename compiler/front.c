/* Sources to IR, their diagnostics to the program's. */
#include "compiler/front.h"
#include "compiler/sha256.h"
#include "frontend/fixed/fixed.h"
#include "frontend/spirv/spirv.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* compile_finish says so where the caller has cancelled. */
static void say_no_memory(struct qpucc_program *program) {
    if (!ir_cancelled(program->arena))
        program_diagnose(program, QPUCC_INTERNAL, QPUCC_ERROR, "internal", NULL, 0, 0, "out of memory");
}

static bool keep_spirv(struct qpucc_program *program, enum qpucc_stage stage, const void *words,
                       size_t count) {
    size_t size = count * sizeof(uint32_t);
    uint32_t *copy = malloc(size + sizeof *copy);
    if (copy)
        memcpy(copy, words, size);
    ir_hold(program->kept->arena, size);
    if (program_keep_spirv(program, stage, copy, count) && !ir_arena_oom(program->kept->arena))
        return true;
    say_no_memory(program);
    return false;
}

static bool read_module(struct qpucc_program *program, enum qpucc_stage stage,
                        const struct fe_spirv_options *options, struct ir_shader *shaders[2]) {
    struct fe_spirv_error error;
    struct ir_shader *shader =
        fe_spirv_read(program->spirv->module[stage], program->spirv->words[stage], options, &error);
    shaders[stage] = shader;
    if (shader || ir_cancelled(program->arena))
        return shader;
    bool internal = !strcmp(error.code, "internal");
    program_diagnose(program, internal ? QPUCC_INTERNAL : QPUCC_SOURCE_ERROR, QPUCC_ERROR,
                     !strcmp(error.code, "invalid") ? "source" : error.code, error.diagnostic.file,
                     error.diagnostic.line, error.diagnostic.column, "%s", error.diagnostic.text);
    return false;
}

/* What build systems and readers want of the front end. */
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

static bool read_glsl(struct qpucc_program *program, const struct front_glsl *front,
                      const struct qpucc_source *sources, size_t count, const struct qpucc_options *options,
                      struct ir_shader *shaders[2]) {
    static const enum fe_precision precision[] = {FE_PRECISION_NONE, FE_MEDIUMP, FE_HIGHP};
    static const enum qpucc_severity severity[] = {QPUCC_NOTE, QPUCC_WARNING, QPUCC_ERROR};
    if (!front) {
        program_diagnose(program, QPUCC_SOURCE_ERROR, QPUCC_ERROR, "usage", sources[0].name, 0, 0,
                         "this library has no GLSL front end: libqpucc has, libqpucc_core takes SPIR-V");
        return false;
    }
    struct sha256 included;
    sha256_begin(&included);
    struct fe_options fe = {.defines = options->defines,
                            .define_count = options->define_count,
                            .include_dirs = options->include_dirs,
                            .include_dir_count = options->include_dir_count,
                            .preprocess_only = options->flags & QPUCC_PREPROCESS_ONLY,
                            .no_include = options->flags & QPUCC_NO_INCLUDE,
                            .beside = program->arena,
                            .on_include = add_included,
                            .user = &included,
                            .default_float_precision = precision[options->default_precision]};
    struct fe_source glsl[2];
    for (size_t i = 0; i < count; i++)
        glsl[i] = (struct fe_source){sources[i].name, sources[i].data, sources[i].size, sources[i].stage};
    struct fe_glsl_result *result = front->compile(glsl, count, &fe);
    if (!result) {
        say_no_memory(program);
        return false;
    }
    if (result->file_count)
        sha256_end(&included, program->included_sum);
    for (size_t i = 0; i < result->diagnostic_count; i++) {
        const struct fe_diagnostic *d = &result->diagnostics[i];
        program_diagnose(program, QPUCC_SOURCE_ERROR, severity[d->severity], d->limit ? "limit" : "source",
                         d->file, d->line, d->column, "%s", d->text);
    }
    bool ok = result->ok && keep_texts(program, result);
    if (!ok && program->status == QPUCC_OK && !ir_cancelled(program->arena))
        program_diagnose(program, QPUCC_INTERNAL, QPUCC_ERROR, "internal", sources[0].name, 0, 0,
                         "the front end failed without a reason");
    for (size_t i = 0; ok && !fe.preprocess_only && i < result->stage_count; i++) {
        const struct fe_stage_result *s = &result->stages[i];
        const char *name = NULL;
        for (size_t k = 0; k < count; k++)
            if (sources[k].stage == s->stage)
                name = sources[k].name;
        struct fe_spirv_options read = {.stage = s->stage,
                                        .name = name,
                                        .trusted = true,
                                        .beside = program->kept->arena,
                                        .symbols = s->symbols,
                                        .symbol_count = s->symbol_count,
                                        .ignore_locations = true,
                                        .labels = options->flags & QPUCC_GENERATE_NAMES,
                                        .lower_left = !s->upper_left};
        ok = keep_spirv(program, s->stage, s->spirv, s->spirv_words) &&
             read_module(program, s->stage, &read, shaders);
    }
    front->free_result(result);
    return ok;
}

static bool read_spirv(struct qpucc_program *program, const struct qpucc_source *source,
                       const struct qpucc_options *options, struct ir_shader *shaders[2]) {
    if (source->size % 4 || !source->size) {
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
                                    .beside = program->kept->arena,
                                    .labels = options->flags & QPUCC_GENERATE_NAMES,
                                    .lower_left = true};
    return keep_spirv(program, source->stage, source->data, source->size / 4) &&
           read_module(program, source->stage, &read, shaders);
}

bool front_read(struct qpucc_program *program, const struct front_glsl *front,
                const struct qpucc_source *sources, size_t count, const struct qpucc_options *options,
                struct ir_shader *shaders[2]) {
    struct qpucc_source glsl[2];
    size_t glsl_count = 0;
    bool ok = true;
    for (size_t i = 0; i < count; i++) {
        if (sources[i].language == QPUCC_GLSL)
            glsl[glsl_count++] = sources[i];
        else
            ok &= read_spirv(program, &sources[i], options, shaders);
    }
    if (glsl_count)
        ok &= read_glsl(program, front, glsl, glsl_count, options, shaders);
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
