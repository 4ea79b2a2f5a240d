/* From slots and streams to their flat form (fill.h).
 *
 * Requires: each stage's slots, arguments before the expressions over them, and its stream. Keeps them.
 * What a form computes is what ir_eval gives slot by slot; tests/compiler/fill_test.c compares the two. */
#include "compiler/fill.h"
#include "compiler/program.h"
#include "passes/eval.h"

#include <string.h>

/* Expressions are ordered within so many at a time: the work stays linear, and so few values wait for others
 * that their memory is found in the caches. */
enum { WINDOW = 256 };

/* A form in the making. */
struct maker {
    const struct qpucc_program *program;
    struct ir_arena *arena;  /* of the result */
    struct ir_shader *table; /* interns the slots of all its stages; its arena holds what is temporary */
    uint32_t *stream[QPUCC_STAGE_COUNT]; /* as in the program, numbers of the table; NULL: not of this form */
    bool *alive;
    uint32_t *order, order_count; /* of the expressions */
    uint32_t *last_use;           /* of each slot: place in the order; UINT32_MAX: when all is done */
    uint32_t *value;              /* of each slot */
    uint32_t *idle, idle_count;   /* values that may be used again */
};

/* --- one table of slots --------------------------------------------------------------------------------- */

static void mark_alive(const struct ir_slot *slots, uint32_t count, bool *alive) {
    for (uint32_t i = count; i-- > 0;)
        for (unsigned k = 0; alive[i] && slots[i].kind == IR_SLOT_EXPR && k < slots[i].narg; k++)
            alive[slots[i].arg[k]] = true;
}

static uint32_t undefined_of(const struct ir_slot *slot) {
    /* no value in IEEE arithmetic: the hardware has no NaN and ends up at its infinity pattern */
    return slot->type == IR_F32 ? 0x7f800000u : 0;
}

static uint32_t enter_expression(struct maker *m, struct ir_slot slot, const uint32_t *map) {
    uint32_t sources[4] = {0}, result;
    bool known = true;
    for (unsigned k = 0; k < slot.narg; k++) {
        slot.arg[k] = map[slot.arg[k]];
        const struct ir_slot *argument = &m->table->slots[slot.arg[k]];
        known &= argument->kind == IR_SLOT_CONST;
        sources[k] = argument->value;
    }
    if (!known)
        return ir_slot(m->table, slot);
    if (!ir_eval((enum ir_op)slot.op, slot.value, sources, slot.narg, &result))
        result = undefined_of(&slot);
    return ir_slot_const(m->table, IR_VOID, result);
}

/* What is beyond the inputs' ends is 0. Types of leaves say nothing about a stream's word. */
static uint32_t enter_leaf(struct maker *m, struct ir_slot slot, enum qpucc_stage stage) {
    bool beyond = (slot.kind == IR_SLOT_UNIFORM && slot.value >= m->program->uniform_words) ||
                  (slot.kind == IR_SLOT_TEX && slot.value >= QPUCC_MAX_TEXTURES) ||
                  (slot.kind == IR_SLOT_STATE && slot.value >= QPUCC_DRAW_STATE_WORDS);
    if (beyond)
        return ir_slot_const(m->table, IR_VOID, 0);
    if (slot.kind == IR_SLOT_STREAM)
        slot.value = stage;
    slot.type = IR_VOID;
    return ir_slot(m->table, slot);
}

static void enter_stage(struct maker *m, enum qpucc_stage stage) {
    const struct program_stage *from = &m->program->stages[stage];
    bool *alive = ir_alloc(m->table->arena, from->slot_count + 1);
    uint32_t *map = ir_alloc(m->table->arena, (from->slot_count + 1) * sizeof *map);
    for (size_t i = 0; i < from->stream_count; i++)
        alive[from->stream[i]] = true;
    mark_alive(from->slots, from->slot_count, alive);
    for (uint32_t i = 0; i < from->slot_count; i++)
        if (alive[i])
            map[i] = from->slots[i].kind == IR_SLOT_EXPR ? enter_expression(m, from->slots[i], map)
                                                         : enter_leaf(m, from->slots[i], stage);
    m->stream[stage] = ir_alloc(m->table->arena, (from->stream_count + 1) * sizeof *m->stream[stage]);
    for (size_t i = 0; i < from->stream_count; i++)
        m->stream[stage][i] = map[from->stream[i]];
}

/* --- order ---------------------------------------------------------------------------------------------- */

static bool is_ready(const struct maker *m, const struct ir_slot *slot, const bool *done) {
    for (unsigned k = 0; k < slot->narg; k++)
        if (m->table->slots[slot->arg[k]].kind == IR_SLOT_EXPR && !done[slot->arg[k]])
            return false;
    return true;
}

static bool same_operation(const struct ir_slot *a, const struct ir_slot *b) {
    return a->op == b->op && a->narg == b->narg && a->value == b->value && undefined_of(a) == undefined_of(b);
}

/* Equal operations follow each other where what they depend on allows it: one step does all of them. */
static void order_expressions(struct maker *m) {
    const struct ir_slot *slots = m->table->slots;
    uint32_t count = m->table->nslots, waiting[WINDOW], next = 0;
    bool *done = ir_alloc(m->table->arena, count + 1);
    m->order = ir_alloc(m->table->arena, (count + 1) * sizeof *m->order);
    while (next < count) {
        uint32_t n = 0;
        for (; next < count && n < WINDOW; next++)
            if (m->alive[next] && slots[next].kind == IR_SLOT_EXPR)
                waiting[n++] = next;
        while (n) {
            const struct ir_slot *first = &slots[waiting[0]]; /* arguments come before it: it is ready */
            uint32_t left = 0;
            for (uint32_t i = 0; i < n; i++)
                if (same_operation(&slots[waiting[i]], first) && is_ready(m, &slots[waiting[i]], done)) {
                    done[waiting[i]] = true;
                    m->order[m->order_count++] = waiting[i];
                } else {
                    waiting[left++] = waiting[i];
                }
            n = left;
        }
    }
}

static void find_last_uses(struct maker *m) {
    m->last_use = ir_alloc(m->table->arena, (m->table->nslots + 1) * sizeof *m->last_use);
    for (uint32_t i = 0; i < m->order_count; i++) {
        const struct ir_slot *slot = &m->table->slots[m->order[i]];
        for (unsigned k = 0; k < slot->narg; k++)
            m->last_use[slot->arg[k]] = i;
    }
    for (int s = 0; s < QPUCC_STAGE_COUNT; s++)
        for (size_t i = 0; m->stream[s] && i < m->program->stages[s].stream_count; i++)
            m->last_use[m->stream[s][i]] = UINT32_MAX;
}

/* --- the form ------------------------------------------------------------------------------------------- */

static struct fill_copy copy_of(const struct ir_slot *slot, uint32_t to) {
    return (struct fill_copy){to,
                              slot->kind == IR_SLOT_TEX ? 4 * slot->value + (slot->param & 3) : slot->value};
}

static enum fill_source source_of(const struct ir_slot *slot) {
    switch ((enum ir_slot_kind)slot->kind) {
    case IR_SLOT_UNIFORM: return FILL_UNIFORM;
    case IR_SLOT_TEX: return FILL_TEXTURE;
    case IR_SLOT_STATE: return FILL_STATE;
    case IR_SLOT_STREAM: return FILL_STREAM;
    case IR_SLOT_ARRAY: return FILL_ARRAY;
    default: return FILL_VALUE;
    }
}

/* `slot[i]`, unless that is a constant, goes to `to[i]`, or to i where `to` is NULL. */
static void make_copies(struct maker *m, struct fill *f, struct fill_copies *out, unsigned sources,
                        const uint32_t *slot, const uint32_t *to, uint32_t count) {
    struct fill_copy *list[FILL_SOURCES];
    for (unsigned s = 0; s < sources; s++)
        out[s].count = 0;
    for (uint32_t i = 0; i < count; i++)
        if (m->table->slots[slot[i]].kind != IR_SLOT_CONST)
            out[source_of(&m->table->slots[slot[i]])].count++;
    f->uniforms |= out[FILL_UNIFORM].count > 0;
    f->textures |= out[FILL_TEXTURE].count > 0;
    for (unsigned s = 0; s < sources; s++) {
        out[s].list = list[s] = ir_alloc(m->arena, (out[s].count + 1) * sizeof **list);
        out[s].count = 0;
    }
    for (uint32_t i = 0; i < count; i++) {
        const struct ir_slot *from = &m->table->slots[slot[i]];
        enum fill_source s = source_of(from);
        if (from->kind == IR_SLOT_EXPR)
            list[s][out[s].count++] = (struct fill_copy){i, m->value[slot[i]]};
        else if (from->kind != IR_SLOT_CONST)
            list[s][out[s].count++] = copy_of(from, to ? to[i] : i);
    }
}

/* Constants, then loaded inputs, have the first values. */
static void number_leaves(struct maker *m, struct fill *f) {
    uint32_t count = m->table->nslots, *leaf = ir_alloc(m->table->arena, (count + 1) * sizeof *leaf),
             *to = ir_alloc(m->table->arena, (count + 1) * sizeof *to), leaves = 0;
    uint32_t *constants = ir_alloc(m->arena, (count + 1) * sizeof *constants);
    bool *operand = ir_alloc(m->table->arena, count + 1);
    for (uint32_t i = 0; i < m->order_count; i++)
        for (unsigned k = 0; k < m->table->slots[m->order[i]].narg; k++)
            operand[m->table->slots[m->order[i]].arg[k]] = true;
    for (uint32_t i = 0; i < count; i++)
        if (operand[i] && m->table->slots[i].kind == IR_SLOT_CONST) {
            constants[f->values] = m->table->slots[i].value;
            m->value[i] = f->values++;
        }
    f->constants = constants;
    f->constant_count = f->values;
    for (uint32_t i = 0; i < count; i++)
        if (operand[i] && m->table->slots[i].kind != IR_SLOT_CONST &&
            m->table->slots[i].kind != IR_SLOT_EXPR) {
            leaf[leaves] = i;
            to[leaves++] = m->value[i] = f->values++;
        }
    make_copies(m, f, f->load, FILL_VALUE, leaf, to, leaves);
}

static uint32_t take_value(struct maker *m, struct fill *f) {
    return m->idle_count ? m->idle[--m->idle_count] : f->values++;
}

static void make_steps(struct maker *m, struct fill *f) {
    struct fill_step *steps = ir_alloc(m->arena, (m->order_count + 1) * sizeof *steps);
    uint32_t *operands = ir_alloc(m->arena, (5 * (size_t)m->order_count + 1) * sizeof *operands), at = 0;
    m->idle = ir_alloc(m->table->arena, (m->table->nslots + 1) * sizeof *m->idle);
    for (uint32_t i = 0; i < m->order_count; i++) {
        uint32_t number = m->order[i], target = at++;
        const struct ir_slot *slot = &m->table->slots[number];
        if (i == 0 || !same_operation(slot, &m->table->slots[m->order[i - 1]]))
            steps[f->step_count++] = (struct fill_step){
                .op = slot->op, .narg = slot->narg, .imm = slot->value, .undefined = undefined_of(slot)};
        steps[f->step_count - 1].count++;
        for (unsigned k = 0; k < slot->narg; k++) {
            operands[at++] = m->value[slot->arg[k]];
            if (m->last_use[slot->arg[k]] == i) {
                m->idle[m->idle_count++] = m->value[slot->arg[k]];
                m->last_use[slot->arg[k]] = UINT32_MAX; /* it may be an operand twice */
            }
        }
        operands[target] = m->value[number] = take_value(m, f);
    }
    f->steps = steps;
    f->operands = operands;
}

static void make_out(struct maker *m, struct fill *f, enum qpucc_stage stage) {
    uint32_t count = (uint32_t)m->program->stages[stage].stream_count, *preset;
    f->out[stage].preset = preset = ir_alloc(m->arena, (count + 1) * sizeof *preset);
    f->out[stage].count = count;
    for (uint32_t i = 0; i < count; i++)
        if (m->table->slots[m->stream[stage][i]].kind == IR_SLOT_CONST)
            preset[i] = m->table->slots[m->stream[stage][i]].value;
    make_copies(m, f, f->out[stage].copy, FILL_SOURCES, m->stream[stage], NULL, count);
}

static struct fill *make_fill(struct qpucc_program *program, unsigned stages) {
    struct maker m = {.program = program,
                      .arena = program->arena,
                      .table = ir_shader_beside(program->arena, QPUCC_FRAGMENT)};
    struct fill *f = ir_alloc(program->arena, sizeof *f);
    if (!m.table) {
        ir_arena_fail(program->arena);
        return f;
    }
    for (int s = 0; s < QPUCC_STAGE_COUNT; s++)
        if (stages >> s & 1)
            enter_stage(&m, (enum qpucc_stage)s);
    m.alive = ir_alloc(m.table->arena, m.table->nslots + 1);
    m.value = ir_alloc(m.table->arena, (m.table->nslots + 1) * sizeof *m.value);
    for (int s = 0; s < QPUCC_STAGE_COUNT; s++)
        for (size_t i = 0; m.stream[s] && i < program->stages[s].stream_count; i++)
            m.alive[m.stream[s][i]] = true;
    mark_alive(m.table->slots, m.table->nslots, m.alive);
    order_expressions(&m);
    find_last_uses(&m);
    number_leaves(&m, f);
    make_steps(&m, f);
    for (int s = 0; s < QPUCC_STAGE_COUNT; s++)
        if (m.stream[s])
            make_out(&m, f, (enum qpucc_stage)s);
    if (ir_arena_oom(m.table->arena))
        ir_arena_fail(program->arena);
    ir_shader_destroy(m.table);
    return f;
}

/* --- uniform storage ------------------------------------------------------------------------------------ */

static uint32_t align(uint32_t offset, uint32_t to) {
    return (offset + to - 1) / to * to;
}

static void place_uniform(struct qpucc_program *program, size_t index, uint32_t *at) {
    const struct qpucc_variable *u = &program->variables[QPUCC_UNIFORMS].list[index];
    struct qpucc_uniform_place *place = &program->std140[index];
    bool apart = u->array_length > 1 || u->cols > 1;
    *at = align(*at, apart || u->rows > 2 ? 16 : 4 * u->rows);
    place->offset = *at;
    place->array_stride = u->array_length > 1 ? 16 * u->cols : 0;
    place->matrix_stride = u->cols > 1 ? 16 : 0;
    for (uint32_t k = 0; k < u->rows * u->cols * u->array_length; k++) {
        uint32_t element = k / (u->rows * u->cols), column = k / u->rows % u->cols;
        if (u->word + k < program->uniform_words)
            program->std140_word[u->word + k] = (place->offset + element * place->array_stride +
                                                 column * place->matrix_stride + 4 * (k % u->rows)) /
                                                4;
    }
    *at += apart ? 16 * u->cols * u->array_length : 4 * u->rows;
}

/* Places what is left of the structure to which the first `prefix` characters of the name of `first` belong.
 * Elements of arrays of structures have names like "l[1].far"; the table holds the same member of all elements
 * together, std140 holds all members of an element together. */
static void place_structure(struct qpucc_program *program, size_t first, size_t prefix, bool *placed,
                            uint32_t *at) {
    const struct program_table *table = &program->variables[QPUCC_UNIFORMS];
    const char *name = table->list[first].name;
    for (size_t i = first; i < table->count; i++) {
        const char *other = table->list[i].name;
        if (placed[i] || strncmp(name, other, prefix))
            continue;
        const char *dot = strchr(other + prefix, '.');
        if (!dot) {
            placed[i] = true;
            place_uniform(program, i, at);
            continue;
        }
        *at = align(*at, 16);
        place_structure(program, i, (size_t)(dot + 1 - other), placed, at);
        *at = align(*at, 16);
    }
}

static void place_uniforms(struct qpucc_program *program) {
    size_t count = program->variables[QPUCC_UNIFORMS].count;
    bool *placed = ir_alloc(program->arena, count + 1);
    program->std140 = ir_alloc(program->arena, (count + 1) * sizeof *program->std140);
    program->std140_word = ir_alloc(program->arena, (program->uniform_words + 1) * sizeof(uint32_t));
    if (count)
        place_structure(program, 0, 0, placed, &program->std140_bytes);
    program->std140_bytes = align(program->std140_bytes, 16);
}

void fill_prepare(struct qpucc_program *program) {
    unsigned all = 0;
    place_uniforms(program);
    for (int s = 0; s < QPUCC_STAGE_COUNT; s++)
        if (program->stages[s].code) {
            program->stages[s].fill = make_fill(program, 1u << s);
            all |= 1u << s;
        }
    program->fill = make_fill(program, all);
}
