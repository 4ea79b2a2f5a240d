/* Limits: their names, and what is said when one is met.
 *
 * The account is kept by the arenas (ir/arena.c), which every module has at hand. The front ends report their
 * own limits, because they know the token, structure, macro or function at fault. Here are those that are met
 * later, where only the IR is left to ask what grew: the loop that was unrolled to most instructions, or the
 * line that most instructions come from. */
#include "compiler/compile.h"
#include "ir/heap.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name, *counts; /* as in "more than 5 ..." */
} limits[QPUCC_LIMIT_COUNT] = {
    [QPUCC_LIMIT_SOURCE_BYTES] = {"source-bytes", "bytes of source"},
    [QPUCC_LIMIT_INCLUDES] = {"includes", "included files"},
    [QPUCC_LIMIT_INCLUDE_DEPTH] = {"include-depth", "nested includes"},
    [QPUCC_LIMIT_TOKENS] = {"tokens", "tokens"},
    [QPUCC_LIMIT_EXPANSION] = {"expansion", "tokens in macro expansions"},
    [QPUCC_LIMIT_NESTING] = {"nesting", "levels of nesting"},
    [QPUCC_LIMIT_CHAIN] = {"chain", "operators in a statement"},
    [QPUCC_LIMIT_VALUES] = {"values", "scalars in a variable"},
    [QPUCC_LIMIT_MODULE_WORDS] = {"module-words", "words of SPIR-V"},
    [QPUCC_LIMIT_IDS] = {"ids", "ids of SPIR-V"},
    [QPUCC_LIMIT_INSTRUCTIONS] = {"instructions", "IR instructions in a stage"},
    [QPUCC_LIMIT_BYTES] = {"bytes", "bytes of memory"},
    [QPUCC_LIMIT_WORK] = {"work", "steps of compile work"},
    [QPUCC_LIMIT_SEARCH] = {"search", "steps of search"},
};

const char *qpucc_limit_name(enum qpucc_limit limit) {
    return (unsigned)limit < QPUCC_LIMIT_COUNT ? limits[limit].name : NULL;
}

uint64_t qpucc_limit_default(enum qpucc_limit limit) {
    return (unsigned)limit < QPUCC_LIMIT_COUNT ? ir_limit_default(limit) : 0;
}

/* --- what grew ------------------------------------------------------------------------------------------ */

struct growth {
    struct ir_loc loc;
    uint32_t count, all; /* instructions of its line, and of the shader */
};

static int by_place(const void *a, const void *b) {
    const struct ir_loc *x = a, *y = b;
    if (x->file != y->file)
        return x->file < y->file ? -1 : 1;
    if (x->line != y->line)
        return x->line < y->line ? -1 : 1;
    return x->column < y->column ? -1 : x->column > y->column;
}

/* The line that most instructions come from. Takes memory of no arena: they may have none left. */
static struct growth heaviest_line(const struct ir_shader *shader) {
    struct growth most = {0};
    size_t n = 0;
    ir_for_blocks(shader, block) {
        for (const struct ir_inst *inst = block->first; inst; inst = inst->next)
            n++;
    }
    struct ir_loc *at = ir_heap_get(ir_allocator(shader->arena), (n + 1) * sizeof *at);
    most.all = (uint32_t)n;
    n = 0;
    if (!at)
        return most;
    ir_for_blocks(shader, b) {
        for (const struct ir_inst *inst = b->first; inst; inst = inst->next)
            if (inst->loc.line)
                at[n++] = inst->loc;
    }
    qsort(at, n, sizeof *at, by_place);
    for (size_t k = 0, end; k < n; k = end) {
        for (end = k; end < n && at[end].file == at[k].file && at[end].line == at[k].line; end++) {
        }
        if (end - k > most.count) {
            most.count = (uint32_t)(end - k);
            most.loc = at[k];
        }
    }
    ir_heap_free(at);
    return most;
}

bool compile_stopped(struct compile *c, const struct ir_shader *shader) {
    struct qpucc_program *program = c->program;
    if (!program->kept->complete && program->kept->arena) /* the front end and the linker write it up there */
        ir_account_continue(program->arena, program->kept->arena);
    enum qpucc_limit met = ir_limit_met(program->arena);
    if (ir_cancelled(program->arena)) {
        program_diagnose(program, QPUCC_CANCELLED, QPUCC_ERROR, "cancelled", NULL, 0, 0,
                         "the compile was cancelled");
        return false;
    }
    if (met == QPUCC_LIMIT_COUNT) {
        program_diagnose(program, QPUCC_INTERNAL, QPUCC_ERROR, "internal", NULL, 0, 0, "out of memory");
        return false;
    }
    char grew[200] = "";
    struct growth most = {0};
    if (shader) {
        most = heaviest_line(shader);
        if (shader->unrolled.size > most.all / 2) {
            most.loc = shader->unrolled.loc;
            /* passes after it may have removed most of them: the shader may have fewer by now */
            snprintf(grew, sizeof grew,
                     "; unrolling makes %" PRIu32 " copies of this loop, %" PRIu32 " instructions",
                     shader->unrolled.trips, shader->unrolled.size);
        } else if (most.count) {
            snprintf(grew, sizeof grew,
                     "; %" PRIu32 " of the shader's %" PRIu32 " instructions come from this line", most.count,
                     most.all);
        }
    }
    program_diagnose(program, QPUCC_SOURCE_ERROR, QPUCC_ERROR, "limit",
                     shader && most.loc.file < shader->nfiles ? shader->files[most.loc.file] : NULL,
                     most.loc.line, most.loc.column, "more than %" PRIu64 " %s (limit \"%s\")%s",
                     ir_limit(program->arena, met), limits[met].counts, limits[met].name, grew);
    return false;
}
