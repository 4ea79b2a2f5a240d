/* What is left of a program when its compile is done: blocks of memory that hold what it keeps, and no more.
 *
 * Requires: a program whose arena is still there. Keeps all that it says. While a program is made it lies in
 * an arena, with room for more everywhere. Here it moves: one block for its own things, one for what variants
 * share with it, one for reflection. What only a few ask for, slots and source lines, is written in as few
 * bytes as it takes, and read again for whoever asks. */
#include "compiler/attempts.h"
#include "compiler/bytes.h"
#include "compiler/program.h"
#include "ir/heap.h"

#include <string.h>

/* --- slots, streams and lines as bytes ------------------------------------------------------------------ */

/* Those slots that the stream needs. A byte for kind, type and parameter, or how many operands there are,
 * then what the kind has; of operands the distance. Then the stream. Returns how many slots there are. */
static uint32_t write_stream(struct bytes_out *out, const struct program_stage *stage) {
    uint32_t *number = ir_heap_zeroed(out->from, (stage->slot_count + 1) * sizeof *number), next = 0;
    out->failed |= !number;
    for (size_t i = 0; number && i < stage->stream_count; i++)
        number[stage->stream[i]] = 1;
    for (uint32_t i = stage->slot_count; number && i-- > 0;) /* operands come first */
        for (unsigned k = 0; number[i] && stage->slots[i].kind == IR_SLOT_EXPR && k < stage->slots[i].narg;
             k++)
            number[stage->slots[i].arg[k]] = 1;
    for (uint32_t i = 0; number && i < stage->slot_count; i++) {
        const struct ir_slot *slot = &stage->slots[i];
        if (!number[i])
            continue;
        number[i] = next++;
        bool expression = slot->kind == IR_SLOT_EXPR;
        put_u8(out, slot->kind | (uint32_t)slot->type << 3 | (expression ? slot->narg : slot->param) << 5u);
        if (expression)
            put_varint(out, slot->op);
        if (slot->kind == IR_SLOT_CONST)
            put_u32(out, slot->value);
        else
            put_varint(out, slot->value);
        for (unsigned k = 0; expression && k < slot->narg; k++)
            put_varint(out, number[i] - number[slot->arg[k]]);
    }
    for (size_t i = 0; number && i < stage->stream_count; i++)
        put_varint(out, number[stage->stream[i]]);
    ir_heap_free(number);
    return next;
}

static void read_stream(const struct program_stage *stage, struct stage_stream *to) {
    struct bytes_in in = {stage->packed, stage->packed + stage->packed_bytes, NULL};
    for (uint32_t i = 0; i < stage->slot_count; i++) {
        uint32_t first = get_u8(&in), more = first >> 5;
        struct ir_slot slot = {.kind = first & 7, .type = first >> 3 & 3};
        bool expression = slot.kind == IR_SLOT_EXPR;
        if (expression)
            slot.op = (uint16_t)get_varint(&in);
        slot.value = slot.kind == IR_SLOT_CONST ? get_u32(&in) : get_varint(&in);
        *(expression ? &slot.narg : &slot.param) = (uint8_t)more;
        for (unsigned k = 0; expression && k < more; k++)
            slot.arg[k] = i - get_varint(&in);
        to->slots[i] = slot;
    }
    for (size_t i = 0; i < stage->stream_count; i++)
        to->stream[i] = get_varint(&in);
}

struct stage_stream *program_stream(const struct program_stage *stage, const struct qpucc_allocator *from) {
    size_t slots = stage->slot_count * sizeof(struct ir_slot), words = stage->stream_count * sizeof(uint32_t);
    struct stage_stream *to = ir_heap_get(from, sizeof *to + slots + words);
    if (!to)
        return NULL;
    to->slots = (struct ir_slot *)(to + 1);
    to->stream = (uint32_t *)(to->slots + stage->slot_count);
    to->slot_count = stage->slot_count;
    if (stage->packed)
        read_stream(stage, to);
    else if (stage->slots) {
        memcpy(to->slots, stage->slots, slots);
        memcpy(to->stream, stage->stream, words);
    }
    return to;
}

/* Each as the difference to the one before, whose sign is the lowest bit. */
static void write_lines(struct bytes_out *out, const struct program_stage *stage) {
    uint32_t last = 0;
    for (size_t i = 0; stage->lines && i < stage->count; last = stage->lines[i++]) {
        uint32_t step = stage->lines[i] - last;
        put_varint(out, step << 1 ^ (step >> 31 ? UINT32_MAX : 0));
    }
}

uint32_t *program_unpack_lines(const struct program_stage *stage, const struct qpucc_allocator *from) {
    struct bytes_in in = {stage->packed_lines, stage->packed_lines + stage->packed_line_bytes, NULL};
    uint32_t *lines = ir_heap_get(from, stage->count * sizeof *lines), last = 0;
    for (size_t i = 0; lines && i < stage->count; i++) {
        uint32_t step = get_varint(&in);
        lines[i] = last += step >> 1 ^ (step & 1 ? UINT32_MAX : 0);
    }
    return lines;
}

/* --- blocks --------------------------------------------------------------------------------------------- */

/* Everything is placed twice: to measure, and to copy. */
struct block {
    unsigned char *base; /* NULL: only measuring, pointers are NULL */
    size_t size;
};

static void *place(struct block *block, const void *data, size_t size, size_t alignment) {
    if (!data)
        return NULL;
    size_t at = (block->size + alignment - 1) / alignment * alignment;
    block->size = at + size;
    return !block->base ? NULL : size ? memcpy(block->base + at, data, size) : block->base + at;
}

#define PLACE(block, list, count) place(block, list, (count) * sizeof *(list), sizeof(uint64_t))
#define PLACE_WORDS(block, list, count) place(block, list, (count) * sizeof *(list), sizeof *(list))

static char *place_text(struct block *block, const char *text) {
    return place(block, text, text ? strlen(text) + 1 : 0, 1);
}

static struct qpucc_diagnostic *place_diagnostics(struct block *block, const struct qpucc_diagnostic *list,
                                                  size_t count) {
    struct qpucc_diagnostic *to = PLACE(block, list, count);
    for (size_t i = 0; i < count; i++) {
        struct qpucc_diagnostic d = list[i];
        d.file = place_text(block, d.file);
        d.text = place_text(block, d.text);
        d.code = place_text(block, d.code);
        if (to)
            to[i] = d;
    }
    return to;
}

static struct fill *place_fill(struct block *block, const struct fill *from) {
    struct fill *to = PLACE(block, from, from ? 1u : 0u);
    if (!from)
        return NULL;
    struct fill own = *from;
    own.constants = PLACE_WORDS(block, from->constants, from->constant_count);
    own.steps = place(block, from->steps, from->step_count * sizeof *from->steps, sizeof(uint32_t));
    size_t width = from->wide ? sizeof(uint32_t) : sizeof(uint16_t);
    own.numbers = place(block, from->numbers, from->number_count * width, width);
    if (to)
        *to = own;
    return to;
}

/* Slots, stream and lines of a stage, written. */
struct written {
    uint32_t slots;
    struct bytes_out stream, lines;
};

static void place_stage(struct block *block, struct program_stage *stage, const struct written *written) {
    stage->trials = PLACE(block, stage->trials, stage->trial_count);
    stage->code = PLACE(block, stage->code, stage->count);
    stage->takes = PLACE(block, stage->takes, program_take_words(stage));
    stage->fill = place_fill(block, stage->fill);
    stage->ir = place_text(block, stage->ir);
    stage->packed = place(block, written->stream.data, written->stream.size, 1);
    stage->packed_bytes = (uint32_t)written->stream.size;
    stage->packed_lines = place(block, written->lines.data, written->lines.size, 1);
    stage->packed_line_bytes = (uint32_t)written->lines.size;
    stage->slot_count = written->slots;
    stage->slots = NULL;
    stage->stream = NULL;
    stage->lines = NULL;
}

/* The texts are shared, or copied, too. */
static void place_table(struct block *block, struct program_table *table, bool texts) {
    const struct qpucc_variable *from = table->list;
    struct qpucc_variable *to = PLACE(block, from, table->count);
    for (size_t i = 0; texts && i < table->count; i++) {
        struct qpucc_variable own = from[i];
        own.name = place_text(block, own.name);
        own.block = place_text(block, own.block);
        if (to)
            to[i] = own;
    }
    table->list = to;
}

/* --- the parts ------------------------------------------------------------------------------------------ */

static void place_names(struct block *block, const struct qpucc_program *program) {
    struct program_names own = {.std140 = program->std140, .std140_bytes = program->std140_bytes},
                         *to = PLACE(block, &own, 1);
    atomic_init(&own.users, 1);
    memcpy(own.variables, program->variables, sizeof own.variables);
    for (int t = 0; t <= QPUCC_VARYINGS; t++)
        place_table(block, &own.variables[t], true);
    own.std140 = PLACE_WORDS(block, own.std140, own.variables[QPUCC_UNIFORMS].count);
    if (to)
        memcpy(to, &own, sizeof own);
}

static void place_kept(struct block *block, const struct qpucc_program *program) {
    struct program_kept own = *program->kept, *to = PLACE(block, program->kept, 1);
    own.arena = NULL;
    own.diagnostics = place_diagnostics(block, own.diagnostics, own.diagnostic_count);
    own.uniform_initial = PLACE_WORDS(block, program->uniform_initial, program->uniform_words);
    own.std140_word = PLACE_WORDS(block, program->std140_word, program->uniform_words);
    if (to)
        memcpy(to, &own, sizeof own);
}

static bool same_tables(const struct program_table *a, const struct program_table *b) {
    return a->count == b->count && (!a->count || !memcmp(a->list, b->list, a->count * sizeof *a->list));
}

/* What the names and what is kept have is not copied. */
static void place_program(struct block *block, const struct qpucc_program *program,
                          const struct written written[QPUCC_STAGE_COUNT]) {
    struct qpucc_program own = *program, *to = PLACE(block, program, 1);
    const struct program_names *names = program->names;
    own.arena = NULL;
    own.lazy = PLACE(block, own.lazy, 1);
    own.state = place(block, own.state, sizeof *own.state, 1);
    for (int s = 0; s < QPUCC_STAGE_COUNT; s++)
        place_stage(block, &own.stages[s], &written[s]);
    for (int t = 0; t <= QPUCC_VARYINGS; t++)
        if (same_tables(&own.variables[t], &names->variables[t]))
            own.variables[t] = names->variables[t];
        else
            place_table(block, &own.variables[t], false);
    own.fill = place_fill(block, own.fill);
    own.diagnostics = place_diagnostics(block, own.diagnostics, own.diagnostic_count);
    own.diagnostic_capacity = own.diagnostic_count;
    size_t included = 0;
    while (own.included && own.included[included++]) {
    }
    const char **list = own.included = place(block, own.included, included * sizeof *list, sizeof *list);
    for (size_t i = 0; i < included; i++) {
        const char *text = place_text(block, program->included[i]);
        if (list)
            list[i] = text;
    }
    for (int s = 0; s < QPUCC_STAGE_COUNT; s++)
        own.preprocessed[s] = place_text(block, own.preprocessed[s]);
    own.uniform_initial = own.kept->uniform_initial;
    if (names->std140)
        own.std140 = names->std140;
    else
        own.std140 = PLACE_WORDS(block, own.std140, own.variables[QPUCC_UNIFORMS].count);
    if (own.kept->std140_word)
        own.std140_word = own.kept->std140_word;
    else
        own.std140_word = PLACE_WORDS(block, own.std140_word, own.uniform_words);
    if (to)
        memcpy(to, &own, sizeof own);
}

/* --- closing -------------------------------------------------------------------------------------------- */

static bool make_room(struct block *block, const struct qpucc_allocator *from) {
    block->base = ir_heap_get(from, block->size);
    block->size = 0;
    return block->base;
}

/* False: out of memory. */
static bool close_names(struct qpucc_program *program) {
    struct block block = {0};
    if (program->names)
        return true;
    place_names(&block, program);
    if (!make_room(&block, program->kept->from))
        return false;
    place_names(&block, program);
    program->names = (struct program_names *)block.base;
    program->names->bytes = block.size;
    memcpy(program->variables, program->names->variables, sizeof program->variables);
    return true;
}

static bool close_kept(struct qpucc_program *program) {
    struct ir_arena *arena = program->kept->arena;
    struct block block = {0};
    place_kept(&block, program);
    if (!make_room(&block, program->kept->from))
        return false;
    place_kept(&block, program);
    program->kept = (struct program_kept *)block.base;
    program->kept->bytes = block.size;
    ir_arena_destroy(arena);
    return true;
}

static struct qpucc_program *close_program(struct qpucc_program *program) {
    struct written written[QPUCC_STAGE_COUNT] = {{0}};
    struct block block = {0};
    bool failed = false;
    for (int s = 0; s < QPUCC_STAGE_COUNT; s++) {
        written[s].stream.from = written[s].lines.from = program->kept->from;
        written[s].slots = write_stream(&written[s].stream, &program->stages[s]);
        write_lines(&written[s].lines, &program->stages[s]);
        failed |= written[s].stream.failed || written[s].lines.failed;
    }
    place_program(&block, program, written);
    failed = failed || !make_room(&block, program->kept->from);
    place_program(&block, program, written); /* without room it counts again */
    for (int s = 0; s < QPUCC_STAGE_COUNT; s++) {
        ir_heap_free(written[s].stream.data);
        ir_heap_free(written[s].lines.data);
    }
    if (failed)
        return NULL;
    ir_arena_destroy(program->arena); /* the old one lies in there */
    program = (struct qpucc_program *)block.base;
    program->bytes = block.size;
    return program;
}

/* Texts for readers of code belong to many instructions at once: such a program keeps its arena. */
static bool has_places(const struct qpucc_program *program) {
    bool places = false;
    for (int s = 0; s < QPUCC_STAGE_COUNT; s++)
        places |= program->stages[s].places != NULL;
    return places;
}

struct qpucc_program *program_close(struct qpucc_program *program) {
    struct program_kept *kept = program->kept;
    bool own = kept->arena && atomic_load(&kept->users) == 1, ok = close_names(program);
    ok = ok && (!own || close_kept(program));
    struct qpucc_program *closed = !ok || has_places(program) ? NULL : close_program(program);
    if (closed)
        return closed;
    if (!ok || !has_places(program)) {
        program_diagnose(program, QPUCC_INTERNAL, QPUCC_ERROR, "internal", NULL, 0, 0, "out of memory");
        program_drop_code(program);
    }
    if (program->kept->arena && own) {
        kept->complete = false;
        ir_arena_close(kept->arena);
    }
    ir_arena_close(program->arena);
    program->bytes = ir_account(program->arena).held;
    return program;
}
