/* fe_spirv_read: validate, parse, translate, and say what went wrong. */
#include "frontend/spirv/reader.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool fe_fail(struct fe_reader *r, const char *code, const char *format, ...) {
    if (r->failed)
        return false;
    r->failed = true;
    r->code = code;
    r->fail_loc = r->b.shader ? r->b.loc : r->loc;
    va_list args;
    va_start(args, format);
    vsnprintf(r->message, sizeof r->message, format, args);
    va_end(args);
    return false;
}

bool fe_step(struct fe_reader *r) {
    struct ir_arena *arena = r->arena;
    return ++r->steps <= FE_MAX_STEPS && ir_work(arena, 1) && ir_size(arena, r->shader->next_id);
}

/* The function that most of what was translated belongs to, calls of it counted each time. */
static const struct fe_function *largest_function(const struct fe_reader *r) {
    const struct fe_function *largest = NULL;
    for (uint32_t id = 0; id < r->bound; id++) {
        const struct fe_function *f = r->id[id].op == SpvOpFunction ? r->id[id].function : NULL;
        if (f && (!largest || f->steps > largest->steps))
            largest = f;
    }
    return largest;
}

bool fe_too_large(struct fe_reader *r) {
    static const char *const what[QPUCC_LIMIT_COUNT] = {[QPUCC_LIMIT_INSTRUCTIONS] = "IR instructions",
                                                        [QPUCC_LIMIT_BYTES] = "bytes of memory",
                                                        [QPUCC_LIMIT_WORK] = "steps of compile work"};
    enum qpucc_limit met = ir_limit_met(r->arena);
    if (met == QPUCC_LIMIT_COUNT && r->steps <= FE_MAX_STEPS)
        return fe_fail(r, "internal", "out of memory");
    uint64_t most = met == QPUCC_LIMIT_COUNT ? FE_MAX_STEPS : ir_limit(r->arena, met);
    const char *counts = met == QPUCC_LIMIT_COUNT || !what[met] ? "SPIR-V instructions" : what[met];
    const struct fe_function *f = r->id ? largest_function(r) : NULL;
    if (!f || !f->steps)
        return fe_fail(r, "limit", "the shader takes more than %" PRIu64 " %s", most, counts);
    fe_fail(r, "limit",
            "the shader takes more than %" PRIu64 " %s with all functions expanded: function '%s' alone "
            "is expanded %u times",
            most, counts, fe_name(r, f->id), f->instances);
    r->fail_loc = f->loc;
    return false;
}

bool fe_unsupported(struct fe_reader *r, const char *what) {
    if (strncmp(what, "more than ", 10) == 0)
        return fe_fail(r, "limit", "%s", what);
    return fe_fail(r, "unsupported", "%s: not supported on this hardware", what);
}

bool fe_malformed(struct fe_reader *r) {
    return fe_fail(r, "invalid", "malformed SPIR-V module");
}

void *fe_grow(struct fe_reader *r, void *array, uint32_t count, uint32_t *capacity, size_t element) {
    if (count < *capacity)
        return array;
    uint32_t doubled = *capacity ? *capacity * 2 : 16;
    void *larger = ir_alloc_uncleared(r->arena, doubled * element);
    if (count)
        memcpy(larger, array, count * element);
    *capacity = doubled;
    return larger;
}

const char *fe_name(struct fe_reader *r, uint32_t id) {
    if (id < r->bound && r->id[id].name && r->id[id].name[0])
        return r->id[id].name;
    return "(unnamed)";
}

/* The whole way once the module is in tables: interface, code, outputs, end. */
static bool translate(struct fe_reader *r) {
    struct ir_shader *shader = r->shader;
    struct fe_function *entry = r->id[r->entry].function;
    if (!entry || entry->nparams)
        return fe_malformed(r);
    r->b = ir_builder_at_end(shader->blocks[0]);
    r->b.loc = entry->loc;
    if (!fe_interface(r) || !fe_globals_init(r))
        return false;
    r->end_block = ir_block_create(shader);
    struct ir_inst **none = NULL;
    if (!fe_inline(r, entry, &none))
        return false;
    if (r->end_used) {
        ir_jump(&r->b, r->end_block);
        r->b.block = r->end_block;
    }
    if (!fe_finish_outputs(r))
        return false;
    if (r->discard_var) {
        shader->uses_discard = true;
        struct ir_inst *drop = ir_emit(&r->b, IR_VAR_LOAD, IR_BOOL, 0, NULL, r->discard_var - 1, 0);
        ir_emit(&r->b, IR_DISCARD, IR_VOID, 1, &drop, 0, 0);
        struct ir_builder start = ir_builder_at_end(shader->blocks[0]);
        start.before = shader->blocks[0]->first;
        struct ir_inst *keep = ir_const_b(&start, false);
        ir_emit(&start, IR_VAR_STORE, IR_VOID, 1, &keep, r->discard_var - 1, 0);
    }
    struct ir_block *last = r->b.block;
    ir_end(&r->b);
    if (ir_arena_oom(shader->arena))
        return fe_too_large(r);
    fe_drop_unreachable(r);
    ir_cfg_update(shader);
    for (uint32_t k = 0; k < shader->nblocks; k++)
        if (shader->blocks[k] == last) {
            fe_mark_used(r);
            return true;
        }
    for (uint32_t k = 0; k < shader->nblocks; k++) {
        const struct ir_block *back = shader->blocks[k];
        if (back->succ[0] && back->succ[0]->id <= back->id)
            r->b.loc = back->last->loc;
    }
    return fe_fail(r, "unsupported", "a loop that never ends");
}

static bool read_all(struct fe_reader *r) {
    if (r->count < 5 || r->words[0] != SpvMagicNumber) {
        if (r->count && r->words[0] == 0x03022307u)
            return fe_fail(r, "invalid", "SPIR-V in the other byte order");
        return fe_fail(r, "invalid", "not a SPIR-V module");
    }
    size_t words = ir_limit(r->arena, QPUCC_LIMIT_MODULE_WORDS), ids = ir_limit(r->arena, QPUCC_LIMIT_IDS);
    if (r->count > words)
        return fe_fail(r, "limit", "SPIR-V module of %zu words, the limit is %zu", r->count, words);
    r->bound = r->words[3];
    if (r->bound > ids)
        return fe_fail(r, "limit", "SPIR-V module of %u ids, the limit is %zu", r->bound, ids);
    r->id = ir_alloc(r->arena, r->bound * sizeof *r->id);
    if (ir_arena_oom(r->arena))
        return fe_too_large(r);
    /* Our own limits come first: the validator takes seconds for ten thousand functions. What we merely call
     * malformed it can name. */
    bool parsed = fe_parse_module(r), malformed = !parsed && strcmp(r->code, "invalid") == 0;
    if (!r->options->trusted && ((parsed && !r->options->valid) || malformed)) {
        struct fe_reader ours = *r;
        r->failed = false;
        r->loc = (struct ir_loc){0};
        if (fe_validate(r) && malformed)
            *r = ours;
    }
    return !r->failed && translate(r);
}

static void report(const struct fe_reader *r, struct fe_spirv_error *error) {
    memset(error, 0, sizeof *error);
    const char *file = r->options->name ? r->options->name : "shader";
    if (r->fail_loc.line && r->fail_loc.file < r->shader->nfiles && r->shader->files[r->fail_loc.file][0])
        file = r->shader->files[r->fail_loc.file];
    snprintf(error->file, sizeof error->file, "%s", file);
    snprintf(error->text, sizeof error->text, "%s", r->message);
    error->code = r->code;
    error->diagnostic = (struct fe_diagnostic){
        .severity = FE_ERROR,
        .stage = r->options->stage,
        .file = error->file,
        .line = r->fail_loc.line,
        .column = r->fail_loc.column,
        .text = error->text,
    };
}

struct ir_shader *fe_spirv_read(const uint32_t *words, size_t count, const struct fe_spirv_options *options,
                                struct fe_spirv_error *error) {
    struct fe_spirv_options defaults = {.stage = QPUCC_FRAGMENT};
    struct fe_reader r = {.options = options ? options : &defaults, .words = words, .count = count};
    enum qpucc_stage stage = r.options->stage;
    r.shader = r.options->beside ? ir_shader_beside(r.options->beside, stage) : ir_shader_create(NULL, stage);
    r.arena = r.shader ? ir_arena_beside(r.shader->arena) : NULL;
    if (!r.shader || !r.arena) {
        if (error) {
            *error = (struct fe_spirv_error){.code = "internal", .file = "shader", .text = "out of memory"};
            error->diagnostic =
                (struct fe_diagnostic){.severity = FE_ERROR, .file = error->file, .text = error->text};
        }
        ir_shader_destroy(r.shader);
        ir_arena_destroy(r.arena);
        return NULL;
    }
    ir_add_file(r.shader, r.options->name ? r.options->name : "shader");
    bool done = read_all(&r) && !r.failed;
    if (!done && error)
        report(&r, error);
    ir_arena_destroy(r.arena);
    if (done)
        return r.shader;
    ir_shader_destroy(r.shader);
    return NULL;
}
