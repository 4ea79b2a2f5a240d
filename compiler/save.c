/* A program as bytes: what qpucc_program_load (load.c) reads back.
 *
 * Little endian, in this order: a header of 32 bytes (magic, version of the format, what is inside, size, sum
 * of all bytes after the header and of the header before it), then the program's parts as numbers and texts
 * one after the other. What changes from one version of the library to the next goes by its name: operations,
 * words of state. What follows from something else is not stored. A change of this order needs a new
 * CONTAINER_VERSION. */
#include "compiler/container.h"
#include "ir/heap.h"

#include <string.h>

static void put_diagnostics(struct bytes_out *out, const struct qpucc_program *program) {
    put_u32(out, (uint32_t)program->diagnostic_count);
    for (size_t i = 0; i < program->diagnostic_count; i++) {
        const struct qpucc_diagnostic *d = &program->diagnostics[i];
        put_u32(out, d->severity);
        put_u32(out, d->line);
        put_u32(out, d->column);
        put_text(out, d->file);
        put_text(out, d->text);
        put_text(out, d->code);
    }
}

static void put_variables(struct bytes_out *out, const struct program_table *table) {
    put_u32(out, (uint32_t)table->count);
    for (size_t i = 0; i < table->count; i++) {
        const struct qpucc_variable *v = &table->list[i];
        put_u32(out, v->base);
        put_u32(out, v->rows);
        put_u32(out, v->cols);
        put_u32(out, v->array_length);
        put_u8(out, v->is_array);
        put_u32(out, v->word);
        put_u8(out, v->used);
        put_text(out, v->name);
        put_text(out, v->block);
        put_u32(out, (uint32_t)v->location);
        put_u32(out, v->block_offset);
        put_u32(out, v->block_array_stride);
        put_u32(out, v->block_matrix_stride);
        put_u8(out, v->block_row_major);
    }
}

static void put_layout(struct bytes_out *out, const struct qpucc_layout *layout) {
    put_u32(out, layout->attribute_count);
    for (uint32_t i = 0; i < layout->attribute_count; i++) {
        const struct qpucc_attribute_slot *a = &layout->attributes[i];
        put_u32(out, a->variable);
        put_u8(out, a->column);
        put_u8(out, a->words);
        put_u8(out, a->bytes);
        put_u8(out, a->number);
        for (int s = 0; s < QPUCC_STAGE_COUNT; s++)
            put_u8(out, a->selected[s]);
    }
    put_u32(out, layout->varying_count);
    for (uint32_t i = 0; i < layout->varying_count; i++) {
        const struct qpucc_varying_slot *v = &layout->varyings[i];
        put_u32(out, v->kind);
        put_u8(out, v->flat);
        put_u8(out, v->centroid);
        put_u8(out, v->perspective);
        put_u32(out, v->variable);
        put_u32(out, v->word);
    }
}

static void put_slot(struct bytes_out *out, const struct ir_slot *slot) {
    put_u8(out, slot->kind);
    put_u8(out, slot->param);
    put_u8(out, slot->type);
    put_u8(out, slot->narg);
    put_text(out, slot->kind == IR_SLOT_EXPR ? ir_op_info((enum ir_op)slot->op)->text : NULL);
    if (slot->kind == IR_SLOT_STATE)
        put_text(out, ir_state_names[slot->value]);
    else
        put_u32(out, slot->value);
    put_words(out, slot->arg, slot->narg);
}

static void put_stream(struct bytes_out *out, const struct program_stage *stage) {
    struct stage_stream *stream = program_stream(stage, out->from);
    out->failed |= !stream;
    if (!stream)
        return;
    put_u32(out, stream->slot_count);
    for (uint32_t i = 0; i < stream->slot_count; i++)
        put_slot(out, &stream->slots[i]);
    put_u32(out, (uint32_t)stage->stream_count);
    put_words(out, stream->stream, stage->stream_count);
    ir_heap_free(stream);
}

static void put_stage(struct bytes_out *out, const struct qpucc_program *program, enum qpucc_stage which) {
    const struct program_stage *stage = &program->stages[which];
    const struct qpucc_stage_stats *s = &stage->stats;
    put_u8(out, stage->code != NULL);
    if (!stage->code)
        return;
    put_u32(out, stage->traits);
    put_u32(out, (uint32_t)stage->count);
    for (size_t i = 0; i < stage->count; i++)
        put_u64(out, stage->code[i]);
    const uint32_t *lines = qpucc_program_lines(program, which);
    out->failed |= !lines && (stage->lines || stage->packed_lines);
    put_u8(out, lines != NULL);
    if (lines)
        put_words(out, lines, stage->count);
    put_stream(out, stage);
    const uint32_t stats[CONTAINER_STATS] = {s->regs_a, s->regs_b,      s->accumulators,
                                             s->cycles, s->lower_bound, s->tmu,
                                             s->sfu,    s->blocks,      s->blocks_optimal};
    put_words(out, stats, CONTAINER_STATS);
    put_text(out, stage->ir);
}

static void put_spirv(struct bytes_out *out, const struct qpucc_program *program) {
    for (int s = 0; s < QPUCC_STAGE_COUNT; s++) {
        size_t words;
        const uint32_t *module = qpucc_program_spirv(program, (enum qpucc_stage)s, &words);
        put_u32(out, (uint32_t)words);
        put_words(out, module, words);
    }
}

/* The caller's to free; NULL: no memory. */
static char *text_of(const struct ir_packed *packed, const struct qpucc_allocator *from) {
    struct ir_arena *arena = ir_arena_create(from);
    struct ir_shader *shader = arena ? ir_unpack(packed, arena) : NULL;
    char *text = shader ? ir_print_text(shader) : NULL;
    ir_shader_destroy(shader);
    ir_arena_destroy(arena);
    return text;
}

/* The IR as the front end left it: all that follows can be made again. */
static void put_kept(struct bytes_out *out, const struct program_kept *kept) {
    const struct kept_ir *ir = atomic_load(&kept->ir);
    put_u32(out, (uint32_t)kept->opt_level);
    put_u32(out, kept->flags);
    put_u32(out, kept->unroll);
    for (int i = 0; i < CONTAINER_LIMITS; i++)
        put_u64(out, kept->account.limit[container_limits[i]]);
    put_u64(out, kept->account.usage.work);
    for (int i = 0; i < 2; i++) {
        char *text = ir && ir->read[i] ? text_of(ir->read[i], out->from) : NULL;
        out->failed |= ir && ir->read[i] && !text;
        put_text(out, text ? text : kept->text[i]);
        ir_heap_free(text);
    }
}

static void put_chip(struct bytes_out *out, const struct qpucc_chip *chip) {
    size_t length = qpucc_chip_text(chip, NULL, 0);
    char *text = ir_heap_get(out->from, length + 1);
    if (text)
        qpucc_chip_text(chip, text, length + 1);
    out->failed |= !text;
    put_text(out, text);
    ir_heap_free(text);
}

static void put_header(struct bytes_out *out, uint32_t parts) {
    struct bytes_out header = {.from = out->from};
    put_bytes(&header, CONTAINER_MAGIC, 8);
    put_u32(&header, CONTAINER_VERSION);
    put_u32(&header, parts);
    put_u64(&header, out->size);
    put_u64(&header, 0);
    out->failed |= header.failed;
    if (!out->failed) {
        memcpy(out->data, header.data, CONTAINER_HEADER);
        uint64_t sum = container_sum(out->data, out->size);
        header.size = CONTAINER_HEADER - 8;
        put_u64(&header, sum);
        memcpy(out->data, header.data, CONTAINER_HEADER);
    }
    ir_heap_free(header.data);
}

bool container_write(const struct qpucc_program *program, uint32_t parts, struct bytes_out *out) {
    static const uint8_t nothing[CONTAINER_HEADER];
    put_bytes(out, nothing, CONTAINER_HEADER);
    put_text(out, qpucc_version());
    put_chip(out, &program->kept->chip);
    put_u64(out, program->usage.bytes);
    put_u64(out, program->usage.work);
    put_u64(out, program->usage.search);
    put_u64(out, program->usage.instructions);
    put_diagnostics(out, program);
    put_u32(out, (uint32_t)program->kept->diagnostic_count);
    put_u32(out, (uint32_t)program->uniform_words);
    put_u8(out, program->uniform_initial != NULL);
    if (program->uniform_initial)
        put_words(out, program->uniform_initial, program->uniform_words);
    for (int t = 0; t <= QPUCC_VARYINGS; t++)
        put_variables(out, &program->variables[t]);
    put_layout(out, &program->layout);
    for (int s = 0; s < QPUCC_STAGE_COUNT; s++)
        put_stage(out, program, (enum qpucc_stage)s);
    if (parts & QPUCC_SAVE_SPIRV)
        put_spirv(out, program);
    if (parts & QPUCC_SAVE_IR)
        put_kept(out, program->kept);
    put_header(out, parts);
    return !out->failed;
}

size_t qpucc_program_save(const qpucc_program *program, uint32_t parts, void *buffer, size_t size) {
    struct bytes_out out = {.from = program->kept->from};
    bool has_code = program->stages[QPUCC_FRAGMENT].code || program->stages[QPUCC_VERTEX].code;
    if (program->status != QPUCC_OK || !has_code || !program->names ||
        (parts & ~(uint32_t)(QPUCC_SAVE_IR | QPUCC_SAVE_SPIRV)))
        return 0;
    if (!program->kept->complete || !program->holds_ir) /* it was loaded without its IR, or gave it up */
        parts &= ~(uint32_t)QPUCC_SAVE_IR;
    size_t needed = container_write(program, parts, &out) ? out.size : 0;
    if (buffer && needed && needed <= size)
        memcpy(buffer, out.data, needed);
    ir_heap_free(out.data);
    return needed;
}
