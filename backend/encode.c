/* The back end's one function, and the last step: instructions to words, the uniform stream beside them.
 *
 * The stream is built here and nowhere else, by walking the final code in its static order: one word per instruction
 * that reads one (guide section 3, "Uniforms"), texture set-up words where coordinates are written. */
#include "backend/backend.h"
#include "backend/mir.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool encode(const struct m_code *code, struct be_result *result) {
    result->code = malloc((code->count + 1) * sizeof *result->code);
    result->lines = malloc((code->count + 1) * sizeof *result->lines);
    result->uniforms = malloc((code->count + 1) * sizeof *result->uniforms);
    if (!result->code || !result->lines || !result->uniforms)
        return false;
    for (uint32_t i = 0; i < code->count; i++) {
        const struct m_inst *inst = &code->inst[i];
        result->code[i] = qpu_encode(&inst->q);
        result->lines[i] = inst->loc.line;
        if (inst->slot != M_NO_VALUE)
            result->uniforms[result->uniform_count++].slot = inst->slot;
    }
    result->count = code->count;
    return true;
}

void be_compile(struct ir_shader *shader, const struct be_options *options, struct be_result *result) {
    memset(result, 0, sizeof *result);
    struct ir_arena *arena = ir_arena_create();
    struct m_code code = {0};
    if (!arena) {
        result->status = BE_INTERNAL;
        snprintf(result->message, sizeof result->message, "out of memory");
        return;
    }
    struct mir m = {.shader = shader, .arena = arena, .options = options};
    result->threads = 1;
    if (m_select(&m, result) && m_schedule(&m, &code, result) && !encode(&code, result)) {
        result->status = BE_INTERNAL;
        snprintf(result->message, sizeof result->message, "out of memory");
    }
    free(code.inst);
    ir_arena_destroy(arena);
}

void be_result_free(struct be_result *result) {
    free(result->code);
    free(result->lines);
    free(result->uniforms);
    memset(result, 0, sizeof *result);
}
