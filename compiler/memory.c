/* What programs hold, and giving some of it up.
 *
 * Requires: programs that are done (keep.c). What several of them share is counted by its users: here one
 * goes. */
#include "compiler/program.h"
#include "ir/heap.h"

#include <string.h>

static size_t fill_bytes(const struct fill *f) {
    return !f ? 0
              : sizeof *f + f->constant_count * sizeof *f->constants + f->step_count * sizeof *f->steps +
                    f->number_count * (f->wide ? sizeof(uint32_t) : sizeof(uint16_t));
}

static size_t stream_bytes(const qpucc_program *program) {
    size_t sum = fill_bytes(program->fill);
    for (int i = 0; i < QPUCC_STAGE_COUNT; i++) {
        const struct program_stage *s = &program->stages[i];
        sum += s->packed_bytes + fill_bytes(s->fill);
        sum += s->takes ? program_take_words(s) * sizeof *s->takes : 0;
    }
    return sum;
}

static size_t code_bytes(const qpucc_program *program) {
    size_t sum = 0;
    for (int s = 0; s < QPUCC_STAGE_COUNT; s++)
        sum += program->stages[s].code ? program->stages[s].count * sizeof(uint64_t) : 0;
    return sum;
}

static size_t ir_bytes(const qpucc_program *program) {
    const struct kept_ir *ir = program_ir(program);
    size_t sum = ir ? sizeof *ir : 0;
    for (int i = 0; i < 2; i++) {
        const char *text = program->holds_ir ? program->kept->text[i] : NULL;
        sum += ir ? ir_packed_bytes(ir->read[i]) + ir_packed_bytes(ir->linked[i]) : 0;
        sum += text ? strlen(text) + 1 : 0;
    }
    return sum;
}

static size_t spirv_bytes(const qpucc_program *program) {
    size_t sum = program->spirv ? sizeof *program->spirv : 0;
    for (int s = 0; program->spirv && s < QPUCC_STAGE_COUNT; s++)
        sum += program->spirv->words[s] * sizeof(uint32_t);
    return sum;
}

static size_t name_bytes(const qpucc_program *program) {
    size_t sum = program->names ? program->names->bytes : 0;
    for (int i = 0; i < QPUCC_STAGE_COUNT; i++) {
        const struct program_stage *s = &program->stages[i];
        char **text = atomic_load(&program->lazy->stream_text[i]);
        for (size_t k = 0; text && k < s->stream_count; k++)
            sum += sizeof *text + strlen(text[k]) + 1;
        sum += atomic_load(&program->lazy->lines[i]) ? s->count * sizeof(uint32_t) : 0;
    }
    return sum;
}

size_t qpucc_program_bytes(const qpucc_program *program, enum qpucc_memory what) {
    size_t code = code_bytes(program), streams = stream_bytes(program),
           blocks = program->bytes + program->kept->bytes;
    switch (what) {
    case QPUCC_MEMORY_CODE: return code;
    case QPUCC_MEMORY_STREAMS: return streams;
    case QPUCC_MEMORY_LAYOUT: return blocks - code - streams;
    case QPUCC_MEMORY_IR: return ir_bytes(program);
    case QPUCC_MEMORY_SPIRV: return spirv_bytes(program);
    case QPUCC_MEMORY_NAMES: return name_bytes(program);
    case QPUCC_MEMORY_ALL: return blocks + ir_bytes(program) + spirv_bytes(program) + name_bytes(program);
    default: return 0;
    }
}

static void drop_names(qpucc_program *program) {
    for (int s = 0; s < QPUCC_STAGE_COUNT; s++) {
        ir_heap_free(atomic_exchange(&program->lazy->stream_text[s], NULL));
        ir_heap_free(atomic_exchange(&program->lazy->lines[s], NULL));
    }
    memset(program->variables, 0, sizeof program->variables);
    program->std140 = NULL;
    program_names_release(program->names);
    program->names = NULL;
}

bool qpucc_program_drop(qpucc_program *program, enum qpucc_memory what) {
    switch (what) {
    case QPUCC_MEMORY_IR: program_drop_ir(program); return true;
    case QPUCC_MEMORY_SPIRV:
        program_spirv_release(program->spirv);
        program->spirv = NULL;
        return true;
    case QPUCC_MEMORY_NAMES: drop_names(program); return true;
    default: return false;
    }
}
