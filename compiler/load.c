/* A program from bytes, which nobody has to trust.
 *
 * Requires: nothing; any bytes are a question that has an answer. Keeps: what program.h says of a program. A
 * container that was cut, changed or made to do harm is refused with a reason. Every number is checked before
 * it is used as an index or a size, uniform streams by the IR's verifier, code by the rule checker and by the
 * words that it takes from its stream. */
#include "backend/isa/isa.h"
#include "compiler/container.h"
#include "compiler/fill.h"
#include "compiler/layout.h"
#include "ir/heap.h"

#include <stdio.h>
#include <string.h>

struct loader {
    struct bytes_in in;
    struct qpucc_program *program;
    struct ir_arena *shared; /* the kept arena */
    char text[300];          /* a reason that is made up */
};

static const char no_memory[] = "out of memory"; /* no fault of the container's */

static char *copy_text(struct loader *l, struct ir_arena *arena) {
    size_t length;
    const char *text = get_text(&l->in, &length);
    if (!text)
        return NULL;
    if (memchr(text, 0, length))
        get_fail(&l->in, "a text has a zero byte");
    char *copy = ir_alloc(arena, length + 1);
    memcpy(copy, text, length);
    return copy;
}

/* A text that has to be there. */
static const char *need_text(struct loader *l, struct ir_arena *arena) {
    const char *text = copy_text(l, arena);
    if (!text)
        get_fail(&l->in, "a text is missing");
    return text ? text : "";
}

static uint32_t *copy_words(struct loader *l, struct ir_arena *arena, size_t count) {
    if ((size_t)(l->in.end - l->in.at) / 4 < count) {
        get_fail(&l->in, "it ends too early");
        count = 0;
    }
    uint32_t *words = ir_alloc(arena, (count + 1) * sizeof *words);
    get_words(&l->in, words, count);
    return words;
}

/* --- what all stages share ------------------------------------------------------------------------------ */

static void get_diagnostics(struct loader *l) {
    struct qpucc_program *p = l->program;
    uint32_t count = get_count(&l->in, 24);
    p->diagnostics = ir_alloc(p->arena, (count + 1) * sizeof *p->diagnostics);
    for (uint32_t i = 0; i < count && !l->in.why; i++) {
        struct qpucc_diagnostic *d = &p->diagnostics[i];
        d->severity = (enum qpucc_severity)get_below(&l->in, QPUCC_NOTE + 1, "a diagnostic of no severity");
        if (d->severity == QPUCC_ERROR)
            get_fail(&l->in, "a program that has code has errors");
        d->line = get_u32(&l->in);
        d->column = get_u32(&l->in);
        d->file = need_text(l, p->arena);
        d->text = need_text(l, p->arena);
        d->code = need_text(l, p->arena);
    }
    p->diagnostic_count = p->diagnostic_capacity = count;
    size_t kept = get_below(&l->in, count + 1, "more diagnostics are kept than there are");
    p->diagnostic_count = kept;
    program_keep_diagnostics(p);
    p->diagnostic_count = count;
}

/* In the order of their words, and apart; of uniforms every word is somebody's. */
static void get_variables(struct loader *l, enum qpucc_interface which, uint32_t limit) {
    struct program_table *table = &l->program->variables[which];
    uint32_t count = get_count(&l->in, 47);
    uint32_t end = 0;
    table->list = ir_alloc(l->shared, (count + 1) * sizeof *table->list);
    for (uint32_t i = 0; i < count && !l->in.why; i++) {
        struct qpucc_variable *v = &table->list[i];
        v->base = (enum qpucc_base_type)get_below(&l->in, QPUCC_BASE_TYPE_COUNT, "a variable of no type");
        v->rows = get_below(&l->in, 5, "a variable has more than four rows");
        v->cols = get_below(&l->in, 5, "a variable has more than four columns");
        v->array_length = get_below(&l->in, 1 << 20, "an array is too long");
        v->is_array = get_bool(&l->in);
        v->word = get_below(&l->in, limit, "a variable lies beyond its table");
        v->used = get_bool(&l->in);
        v->name = need_text(l, l->shared);
        v->block = copy_text(l, l->shared);
        v->location = (int)get_u32(&l->in);
        v->block_offset = get_u32(&l->in);
        v->block_array_stride = get_u32(&l->in);
        v->block_matrix_stride = get_u32(&l->in);
        v->block_row_major = get_bool(&l->in);
        bool sampler = QPUCC_IS_SAMPLER(v->base);
        uint32_t words = v->array_length * (sampler ? 1 : v->rows * v->cols);
        if (!v->rows || !v->cols || !v->array_length || words > limit || v->word > limit - words)
            get_fail(&l->in, "a variable lies beyond its table");
        if (which == QPUCC_UNIFORMS ? v->word != end : v->word < end)
            get_fail(&l->in, "variables share a word, or leave one out");
        end = v->word + words;
        if (!v->is_array && v->array_length != 1)
            get_fail(&l->in, "a variable of several elements is no array");
        if (sampler != (which == QPUCC_SAMPLERS))
            get_fail(&l->in, "a sampler among other variables, or another variable among samplers");
    }
    if (which == QPUCC_UNIFORMS && end != limit)
        get_fail(&l->in, "words of uniforms are no variable's");
    table->count = count;
}

static void get_attributes(struct loader *l) {
    struct qpucc_layout *layout = &l->program->layout;
    uint32_t count = get_below(&l->in, QPUCC_MAX_ATTRIBUTES + 1, "more attributes than the hardware has");
    for (uint32_t i = 0; i < count; i++) {
        struct qpucc_attribute_slot *a = &layout->attributes[i];
        a->variable = get_u32(&l->in);
        a->column = (uint8_t)get_u8(&l->in);
        a->words = (uint8_t)get_u8(&l->in);
        a->bytes = (uint8_t)get_u8(&l->in);
        a->number = (uint8_t)get_u8(&l->in);
        for (int s = 0; s < QPUCC_STAGE_COUNT; s++)
            a->selected[s] = get_bool(&l->in);
        if (a->variable != UINT32_MAX && a->variable >= l->program->variables[QPUCC_ATTRIBUTES].count)
            get_fail(&l->in, "an attribute of no variable");
        bool sized = a->words >= 1 && a->words <= 4 && (a->bytes + 3) / 4 == a->words;
        if (!sized || a->number >= QPUCC_MAX_ATTRIBUTES || a->selected[QPUCC_FRAGMENT])
            get_fail(&l->in, "an attribute that the hardware cannot load");
    }
    layout->attribute_count = count;
}

static void get_varyings(struct loader *l) {
    struct qpucc_layout *layout = &l->program->layout;
    const struct program_table *table = &l->program->variables[QPUCC_VARYINGS];
    uint32_t count = get_below(&l->in, QPUCC_MAX_VARYINGS + 1, "more varyings than there is room for");
    for (uint32_t i = 0; i < count; i++) {
        struct qpucc_varying_slot *v = &layout->varyings[i];
        v->kind = (uint8_t)get_below(&l->in, QPUCC_VARYING_STATE + 1, "a varying of no kind");
        v->flat = get_bool(&l->in);
        v->centroid = get_bool(&l->in);
        v->perspective = get_bool(&l->in);
        v->variable = get_u32(&l->in);
        v->word = get_u32(&l->in);
        bool user = v->kind == QPUCC_VARYING_USER;
        const struct qpucc_variable *of =
            user && v->variable < table->count ? &table->list[v->variable] : NULL;
        if (user ? !of || v->word >= of->rows * of->cols * of->array_length
                 : v->variable != UINT32_MAX || v->word)
            get_fail(&l->in, "a varying of no variable");
    }
    layout->varying_count = count;
}

/* --- a stage -------------------------------------------------------------------------------------------- */

static void get_slot(struct loader *l, struct ir_slot *slot) {
    size_t length;
    slot->kind = (uint8_t)get_u8(&l->in);
    slot->param = (uint8_t)get_u8(&l->in);
    slot->type = (uint8_t)get_u8(&l->in);
    slot->narg = (uint8_t)get_u8(&l->in);
    const char *op = get_text(&l->in, &length);
    enum ir_op number = op ? ir_op_named(op, length) : IR_OP_COUNT;
    if (slot->kind == IR_SLOT_EXPR && number == IR_OP_COUNT)
        get_fail(&l->in, "an expression of an unknown operation");
    else if (slot->kind == IR_SLOT_EXPR)
        slot->op = (uint16_t)number;
    if (slot->kind == IR_SLOT_STATE) {
        const char *name = get_text(&l->in, &length);
        slot->value = IR_STATE_COUNT;
        for (uint32_t i = 0; name && i < IR_STATE_COUNT; i++)
            if (ir_state_names[i] && strlen(ir_state_names[i]) == length &&
                !memcmp(ir_state_names[i], name, length))
                slot->value = i;
    } else {
        slot->value = get_u32(&l->in);
    }
    if (slot->narg > 4)
        get_fail(&l->in, "an expression of more than four operands");
    else
        get_words(&l->in, slot->arg, slot->narg);
}

/* By the verifier, in a shader that has nothing but them. */
static void check_slots(struct loader *l, struct program_stage *stage) {
    const struct qpucc_program *p = l->program;
    struct ir_shader shader = {
        .arena = p->arena, .lowered = true, .slots = stage->slots, .nslots = stage->slot_count};
    shader.uniforms.words = (uint32_t)p->uniform_words;
    if (!ir_verify_slots(&shader, l->text, sizeof l->text))
        get_fail(&l->in, l->text);
}

static void check_code(struct loader *l, struct program_stage *stage, enum qpucc_stage which) {
    struct qpu_check_options options = {.stage = which,
                                        .profile = QPU_PROFILE_LINUX,
                                        .threaded = stage->traits & QPUCC_THREADED,
                                        .allocator = l->program->kept->from};
    struct qpu_violation found[8];
    size_t count = qpu_check(stage->code, stage->count, &options, found, 8);
    if (count && !strcmp(found[0].rule, "out-of-memory"))
        get_fail(&l->in, no_memory);
    for (size_t i = 0; i < count && i < 8; i++)
        if (!found[i].warning) {
            snprintf(l->text, sizeof l->text, "instruction %u of the %s shader breaks the rule %s",
                     found[i].index, ir_stage_names[which], found[i].rule);
            get_fail(&l->in, l->text);
        }
    size_t taken = program_index_stream(l->program, stage);
    if (taken > stage->stream_count || taken + 1 < stage->stream_count)
        get_fail(&l->in, "the code takes another number of words than its uniform stream has");
}

static void get_stats(struct loader *l, struct program_stage *stage) {
    uint32_t n[CONTAINER_STATS];
    get_words(&l->in, n, CONTAINER_STATS);
    stage->stats = (struct qpucc_stage_stats){.instructions = (unsigned)stage->count,
                                              .uniforms = (unsigned)stage->stream_count,
                                              .threads = stage->traits & QPUCC_THREADED ? 2 : 1,
                                              .regs_a = n[0],
                                              .regs_b = n[1],
                                              .accumulators = n[2],
                                              .cycles = n[3],
                                              .lower_bound = n[4],
                                              .tmu = n[5],
                                              .sfu = n[6],
                                              .blocks = n[7],
                                              .blocks_optimal = n[8]};
}

static void get_stage(struct loader *l, enum qpucc_stage which) {
    struct qpucc_program *p = l->program;
    struct program_stage *stage = &p->stages[which];
    if (!get_bool(&l->in))
        return;
    stage->traits = get_u32(&l->in);
    unsigned known = which == QPUCC_FRAGMENT ? QPUCC_POINT_SIZE - 1u : (unsigned)QPUCC_POINT_SIZE;
    if (stage->traits & ~known || stage->traits & QPUCC_SINGLE_THREADED) /* which layout_finish finds out */
        get_fail(&l->in, "a stage has traits that such a stage cannot have");
    stage->count = get_count(&l->in, 8);
    stage->code = ir_alloc(p->arena, (stage->count + 1) * sizeof *stage->code);
    for (size_t i = 0; i < stage->count; i++)
        stage->code[i] = get_u64(&l->in);
    if (get_bool(&l->in))
        stage->lines = copy_words(l, p->arena, stage->count);
    stage->slot_count = get_count(&l->in, 12);
    stage->slots = ir_alloc(p->arena, (stage->slot_count + 1) * sizeof *stage->slots);
    for (uint32_t i = 0; i < stage->slot_count && !l->in.why; i++)
        get_slot(l, &stage->slots[i]);
    stage->stream_count = get_count(&l->in, 4);
    stage->stream = copy_words(l, p->arena, stage->stream_count);
    for (size_t i = 0; i < stage->stream_count; i++)
        if (stage->stream[i] >= stage->slot_count)
            get_fail(&l->in, "a stream's word is of no kind");
    get_stats(l, stage);
    stage->ir = copy_text(l, p->arena);
    if (!l->in.why)
        check_slots(l, stage);
    if (!l->in.why)
        check_code(l, stage, which);
}

/* --- the whole ------------------------------------------------------------------------------------------ */

static void get_spirv(struct loader *l) {
    for (int s = 0; s < QPUCC_STAGE_COUNT; s++) {
        uint32_t words = get_count(&l->in, 4);
        uint32_t *module = words ? ir_heap_get(l->program->kept->from, words * sizeof *module) : NULL;
        get_words(&l->in, module, module ? words : 0);
        if (words && !program_keep_spirv(l->program, (enum qpucc_stage)s, module, words))
            get_fail(&l->in, no_memory);
    }
}

/* No more than the defaults: whoever makes a container does not decide how long its variants take. */
static void get_limits(struct loader *l) {
    static const uint64_t defaults[QPUCC_LIMIT_COUNT];
    struct program_kept *kept = l->program->kept;
    kept->account = ir_account(kept->arena);
    program_limits(defaults, kept->opt_level, kept->account.limit);
    for (int i = 0; i < CONTAINER_LIMITS; i++) {
        uint64_t *most = &kept->account.limit[container_limits[i]], own = get_u64(&l->in);
        *most = own < *most ? own : *most;
    }
    kept->account.usage.work = get_u64(&l->in);
}

static void get_kept(struct loader *l) {
    struct program_kept *kept = l->program->kept;
    kept->opt_level = (int)get_below(&l->in, 4, "no level of optimisation");
    kept->flags = get_u32(&l->in);
    kept->unroll = get_below(&l->in, QPUCC_UNROLL_MOST + 1, "not how far loops are unrolled");
    get_limits(l);
    for (int i = 0; i < 2; i++) {
        size_t length;
        const char *text = get_text(&l->in, &length);
        if (text && memchr(text, 0, length))
            get_fail(&l->in, "a text has a zero byte");
        if (text && !(kept->text[i] = ir_heap_get(kept->from, length + 1)))
            get_fail(&l->in, no_memory);
        if (kept->text[i]) {
            memcpy(kept->text[i], text, length);
            kept->text[i][length] = 0;
        }
    }
    if (!kept->text[0] && !kept->text[1])
        get_fail(&l->in, "it has no IR");
}

static void get_chip(struct loader *l) {
    size_t length = 0;
    char why[200];
    const char *text = get_text(&l->in, &length);
    if (!l->in.why && !(text && qpucc_chip_parse(text, length, &l->program->kept->chip, why, sizeof why)))
        get_fail(&l->in, "its chip profile is none of this library's");
}

static uint32_t get_header(struct loader *l, const void *bytes, size_t size) {
    struct bytes_in *in = &l->in;
    if (!bytes || size < CONTAINER_HEADER || memcmp(bytes, CONTAINER_MAGIC, 8)) {
        get_fail(in, "it is no container of this library");
        return 0;
    }
    get_bytes(in, 8);
    uint32_t version = get_u32(in), parts = get_u32(in);
    uint64_t whole = get_u64(in), sum = get_u64(in);
    if (version != CONTAINER_VERSION) {
        snprintf(l->text, sizeof l->text, "its format is version %u, but this library reads version %u",
                 version, CONTAINER_VERSION);
        get_fail(in, l->text);
    } else if (whole != size || sum != container_sum(bytes, size)) {
        get_fail(in, "it is damaged");
    } else if (parts & ~(uint32_t)(QPUCC_SAVE_IR | QPUCC_SAVE_SPIRV)) {
        get_fail(in, "it has parts that this library does not know");
    }
    return parts;
}

static void get_program(struct loader *l, uint32_t parts) {
    struct qpucc_program *p = l->program;
    need_text(l, p->arena); /* the version of the library that wrote it */
    get_chip(l);
    p->usage.bytes = get_u64(&l->in);
    p->usage.work = get_u64(&l->in);
    p->usage.search = get_u64(&l->in);
    p->usage.instructions = get_u64(&l->in);
    get_diagnostics(l);
    p->uniform_words = get_below(&l->in, QPUCC_MAX_UNIFORM_WORDS + 1, "too many words of uniforms");
    if (get_bool(&l->in))
        p->uniform_initial = copy_words(l, l->shared, p->uniform_words);
    const uint32_t limits[] = {(uint32_t)p->uniform_words, QPUCC_MAX_TEXTURES, 1 << 20, 1 << 20};
    for (int t = 0; t <= QPUCC_VARYINGS; t++)
        get_variables(l, (enum qpucc_interface)t, limits[t]);
    get_attributes(l);
    get_varyings(l);
    for (int s = 0; s < QPUCC_STAGE_COUNT; s++)
        get_stage(l, (enum qpucc_stage)s);
    if (parts & QPUCC_SAVE_SPIRV)
        get_spirv(l);
    if (parts & QPUCC_SAVE_IR)
        get_kept(l);
    if (l->in.at != l->in.end)
        get_fail(&l->in, "something follows its end");
    if (!p->stages[QPUCC_FRAGMENT].code && !p->stages[QPUCC_VERTEX].code)
        get_fail(&l->in, "it has no code");
    if (!p->stages[QPUCC_VERTEX].code != !p->stages[QPUCC_COORDINATE].code)
        get_fail(&l->in, "it has a vertex or a coordinate shader without the other");
}

/* A program that has nothing but the reason. */
static qpucc_program *refuse(struct qpucc_program *loaded, const char *why) {
    struct qpucc_program *program = program_create(NULL, loaded->kept->from);
    if (program && why == no_memory)
        program_diagnose(program, QPUCC_INTERNAL, QPUCC_ERROR, "internal", NULL, 0, 0, "%s", why);
    else if (program)
        program_diagnose(program, QPUCC_SOURCE_ERROR, QPUCC_ERROR, "container", "container", 0, 0,
                         "the container is refused: %s", why);
    qpucc_program_free(loaded);
    return program;
}

qpucc_program *container_read(const void *bytes, size_t size, const struct qpucc_allocator *from) {
    struct loader l = {.in = {bytes, bytes ? (const uint8_t *)bytes + size : NULL, NULL},
                       .program = program_create(NULL, from)};
    struct qpucc_program *program = l.program;
    if (!program)
        return NULL;
    l.shared = program->kept->arena;
    uint32_t parts = get_header(&l, bytes, size);
    if (!l.in.why)
        get_program(&l, parts);
    if (!l.in.why) {
        program->kept->complete = parts & QPUCC_SAVE_IR;
        layout_finish(program);
        fill_prepare(program);
    }
    if (ir_arena_oom(program->arena) || ir_arena_oom(l.shared)) /* which may look like damage */
        return refuse(program, no_memory);
    return l.in.why ? refuse(program, l.in.why) : program;
}

qpucc_program *qpucc_program_load_with(const void *bytes, size_t size,
                                       const struct qpucc_allocator *allocator) {
    qpucc_program *program = allocator_is_whole(allocator) ? container_read(bytes, size, allocator) : NULL;
    return program ? program_close(program) : NULL;
}

qpucc_program *qpucc_program_load(const void *bytes, size_t size) {
    return qpucc_program_load_with(bytes, size, NULL);
}
