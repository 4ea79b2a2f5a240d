/* From slots and streams to their flat form (fill.h).
 *
 * Requires: each stage's slots, arguments before the expressions over them, and its stream. Keeps them.
 * What a form computes is what ir_eval gives slot by slot; tests/compiler/fill_test.c compares the two. */
#include "compiler/fill.h"
#include "compiler/program.h"
#include "passes/eval.h"

#include <string.h>

/* Expressions are ordered within groups of this size: the work stays linear. */
enum { WINDOW = 256 };

/* Forms in the making. */
struct maker {
    const struct qpucc_program *program;
    struct ir_arena *arena;  /* of the results */
    struct ir_shader *table; /* interns the slots of all stages; its arena holds what is temporary */
    uint32_t *stream[QPUCC_STAGE_COUNT]; /* as in the program, numbers of the table; NULL: no code */
    uint8_t *users;                      /* of each slot: a bit for each stage whose stream needs it */
    uint32_t *leaf, leaf_count;          /* all slots that are no expressions */
    uint32_t *order, order_count;        /* all expressions */
    uint32_t *step;                      /* of each expression: the step that it belongs to */
    /* of the form under way: */
    unsigned stages;
    uint32_t *chosen, chosen_count; /* its leaves; then its expressions, in order */
    uint32_t *value;                /* of each of them */
    uint32_t *numbers, number_count;
};

static uint32_t align(uint32_t offset, uint32_t to) {
    return (offset + to - 1) / to * to;
}

/* --- one table of slots --------------------------------------------------------------------------------- */

/* Who uses an expression uses its arguments. */
static void mark_arguments(const struct ir_slot *slots, uint32_t count, uint8_t *users) {
    for (uint32_t i = count; i-- > 0;) {
        if (!users[i] || slots[i].kind != IR_SLOT_EXPR)
            continue;
        for (unsigned k = 0; k < slots[i].narg; k++)
            users[slots[i].arg[k]] |= users[i];
    }
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
        result = slot.type == IR_F32 ? FILL_UNDEFINED : 0;
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
    uint8_t *users = ir_alloc(m->table->arena, from->slot_count + 1);
    uint32_t *map = ir_alloc_uncleared(m->table->arena, (from->slot_count + 1) * sizeof *map);
    for (size_t i = 0; i < from->stream_count; i++)
        users[from->stream[i]] = 1;
    mark_arguments(from->slots, from->slot_count, users);
    for (uint32_t i = 0; i < from->slot_count; i++)
        if (users[i])
            map[i] = from->slots[i].kind == IR_SLOT_EXPR ? enter_expression(m, from->slots[i], map)
                                                         : enter_leaf(m, from->slots[i], stage);
    m->stream[stage] =
        ir_alloc_uncleared(m->table->arena, (from->stream_count + 1) * sizeof *m->stream[stage]);
    for (size_t i = 0; i < from->stream_count; i++)
        m->stream[stage][i] = map[from->stream[i]];
}

static void find_users(struct maker *m) {
    m->users = ir_alloc(m->table->arena, m->table->nslots + 1);
    for (int s = 0; s < QPUCC_STAGE_COUNT; s++)
        for (size_t i = 0; m->stream[s] && i < m->program->stages[s].stream_count; i++)
            m->users[m->stream[s][i]] |= 1u << s;
    mark_arguments(m->table->slots, m->table->nslots, m->users);
}

/* --- order ---------------------------------------------------------------------------------------------- */

static bool is_ready(const struct ir_slot *slot, const bool *done) {
    for (unsigned k = 0; k < slot->narg; k++)
        if (!done[slot->arg[k]])
            return false;
    return true;
}

/* The same for expressions that one step can do. */
static uint64_t operation_of(const struct ir_slot *slot) {
    return (uint64_t)slot->value << 32 | (uint32_t)slot->op << 8 | (uint32_t)slot->narg << 1 |
           (slot->type == IR_F32);
}

/* Leaves as they come. Of expressions, equal operations that do not depend on each other follow each other:
 * one step does all of them, some at once. */
static void order_slots(struct maker *m) {
    const struct ir_slot *slots = m->table->slots;
    uint32_t count = m->table->nslots, waiting[WINDOW], next = 0;
    uint64_t operation[WINDOW];
    bool *done = ir_alloc(m->table->arena, count + 1);
    m->leaf = ir_alloc_uncleared(m->table->arena, (count + 1) * sizeof *m->leaf);
    m->order = ir_alloc_uncleared(m->table->arena, (count + 1) * sizeof *m->order);
    m->step = ir_alloc_uncleared(m->table->arena, (count + 1) * sizeof *m->step);
    for (uint32_t step = 0; next < count;) {
        uint32_t n = 0;
        for (; next < count && n < WINDOW; next++)
            if (slots[next].kind == IR_SLOT_EXPR) {
                operation[n] = operation_of(&slots[next]);
                waiting[n++] = next;
            } else {
                m->leaf[m->leaf_count++] = next;
                done[next] = true;
            }
        for (; n; step++) {
            uint64_t first = operation[0]; /* arguments come before it: it is ready */
            uint32_t left = 0;
            for (uint32_t i = 0; i < n; i++)
                if (operation[i] == first && is_ready(&slots[waiting[i]], done)) {
                    m->step[waiting[i]] = step;
                    m->order[m->order_count++] = waiting[i];
                } else {
                    operation[left] = operation[i];
                    waiting[left++] = waiting[i];
                }
            for (uint32_t i = m->order_count - (n - left); i < m->order_count; i++)
                done[m->order[i]] = true;
            n = left;
        }
    }
}

/* --- the form ------------------------------------------------------------------------------------------- */

static enum fill_source source_of(const struct ir_slot *slot) {
    switch ((enum ir_slot_kind)slot->kind) {
    case IR_SLOT_UNIFORM: return FILL_UNIFORM;
    case IR_SLOT_TEX: return FILL_TEXTURE;
    case IR_SLOT_STATE: return FILL_STATE;
    case IR_SLOT_STREAM: return FILL_STREAM;
    case IR_SLOT_ARRAY: return FILL_ARRAY;
    default: return FILL_SOURCES;
    }
}

static bool is_chosen(const struct maker *m, uint32_t i) {
    return m->users[i] & m->stages;
}

/* Values of the constants, then what is loaded, source by source. */
static void make_leaves(struct maker *m, struct fill *f) {
    uint32_t end[FILL_SOURCES + 1], count = 0; /* the last: of constants */
    for (uint32_t n = 0; n < m->leaf_count; n++)
        if (is_chosen(m, m->leaf[n])) {
            enum fill_source source = source_of(&m->table->slots[m->leaf[n]]);
            *(source == FILL_SOURCES ? &f->constant_count : &f->load_count[source]) += 1;
            m->chosen[count++] = m->leaf[n];
        }
    uint32_t *constants = ir_alloc_uncleared(m->arena, (f->constant_count + 1) * sizeof *constants);
    f->constants = constants;
    end[FILL_SOURCES] = 0;
    for (uint32_t source = 0, at = f->constant_count; source < FILL_SOURCES; at += f->load_count[source++])
        end[source] = at;
    for (uint32_t n = 0; n < count; n++) {
        const struct ir_slot *slot = &m->table->slots[m->chosen[n]];
        uint32_t value = m->value[m->chosen[n]] = end[source_of(slot)]++;
        if (slot->kind == IR_SLOT_CONST)
            constants[value] = slot->value;
        else
            m->numbers[value - f->constant_count] =
                slot->kind == IR_SLOT_TEX ? 4 * slot->value + (slot->param & 3) : slot->value;
    }
    f->values = count;
    m->number_count = count - f->constant_count;
}

/* The form's n-th expression. */
static const struct ir_slot *slot_at(const struct maker *m, uint32_t n) {
    return &m->table->slots[m->chosen[n]];
}

/* Numbers for a step that begins with the form's expression number `first`. Lanes without an expression
 * repeat the last one. */
static void add_operands(struct maker *m, const struct fill_step *step, uint32_t first) {
    uint32_t *out = m->numbers + m->number_count;
    m->number_count += fill_operands(step);
    for (uint32_t i = 0; i < step->count && !step->lanes; i++)
        for (unsigned k = 0; k < step->narg; k++)
            *out++ = m->value[slot_at(m, first + i)->arg[k]];
    for (uint32_t i = 0; step->lanes && i < align(step->count, FILL_LANES); i++) {
        const struct ir_slot *slot = slot_at(m, first + (i < step->count ? i : step->count - 1u));
        uint32_t *lane = out + i / FILL_LANES * 2 * FILL_LANES + i % FILL_LANES;
        lane[0] = m->value[slot->arg[0]];
        lane[FILL_LANES] = m->value[slot->arg[step->narg == 2]];
    }
}

static struct fill_step step_of(const struct ir_slot *slot, uint32_t count) {
    bool lanes = slot->narg == 2 ? slot->op == IR_FMUL || slot->op == IR_FADD || slot->op == IR_FSUB
                                 : slot->narg == 1 && slot->op == IR_FRCP;
    return (struct fill_step){.op = slot->op,
                              .count = (uint16_t)count,
                              .imm = slot->value,
                              .narg = slot->narg,
                              .lanes = lanes,
                              .floats = slot->type == IR_F32};
}

static void make_steps(struct maker *m, struct fill *f) {
    uint32_t done = 0, count = 0;
    m->chosen_count = 0;
    for (uint32_t n = 0, last = UINT32_MAX; n < m->order_count; n++) {
        uint32_t i = m->order[n];
        if (!is_chosen(m, i))
            continue;
        m->chosen[m->chosen_count++] = i;
        m->value[i] = f->values++;
        count += m->step[i] != last;
        last = m->step[i];
    }
    struct fill_step *steps = ir_alloc_uncleared(m->arena, (count + 1) * sizeof *steps);
    for (uint32_t i = 0, end; i < m->chosen_count; i = end) { /* at most WINDOW to a step */
        for (end = i + 1; end < m->chosen_count && m->step[m->chosen[end]] == m->step[m->chosen[i]];)
            end++;
        steps[f->step_count++] = step_of(slot_at(m, i), end - i);
    }
    f->steps = steps;
    for (const struct fill_step *step = steps; step < steps + f->step_count; step++) {
        add_operands(m, step, done);
        done += step->count;
    }
}

static void make_out(struct maker *m, struct fill *f, enum qpucc_stage stage) {
    f->out_count[stage] = (uint32_t)m->program->stages[stage].stream_count;
    for (uint32_t i = 0; i < f->out_count[stage]; i++)
        m->numbers[m->number_count++] = m->value[m->stream[stage][i]];
}

/* In 16 bits, unless there are too many values. Where loads come from is below that: no table is as long. */
static void keep_numbers(struct maker *m, struct fill *f) {
    f->wide = f->values > UINT16_MAX;
    f->number_count = m->number_count;
    size_t size = f->wide ? sizeof(uint32_t) : sizeof(uint16_t);
    uint16_t *narrow = ir_alloc_uncleared(m->arena, m->number_count * size);
    f->numbers = narrow;
    if (f->wide && m->number_count)
        memcpy(narrow, m->numbers, m->number_count * size);
    for (uint32_t i = 0; i < m->number_count && !f->wide; i++)
        narrow[i] = (uint16_t)m->numbers[i];
}

static const struct fill *make_fill(struct maker *m, unsigned stages) {
    struct fill *f = ir_alloc(m->arena, sizeof *f);
    m->stages = stages;
    f->stages = (uint8_t)stages;
    make_leaves(m, f);
    make_steps(m, f);
    for (int s = 0; s < QPUCC_STAGE_COUNT; s++)
        if (stages >> s & 1)
            make_out(m, f, (enum qpucc_stage)s);
    keep_numbers(m, f);
    return f;
}

/* --- uniform storage ------------------------------------------------------------------------------------ */

static void place_uniform(struct qpucc_program *program, size_t index, uint16_t *words, uint32_t *at) {
    const struct qpucc_variable *u = &program->variables[QPUCC_UNIFORMS].list[index];
    struct qpucc_uniform_place *place = &program->std140[index];
    bool apart = u->is_array || u->cols > 1;
    *at = align(*at, apart || u->rows > 2 ? 16 : 4 * u->rows);
    place->offset = *at;
    place->array_stride = u->is_array ? 16 * u->cols : 0;
    place->matrix_stride = u->cols > 1 ? 16 : 0;
    for (uint32_t k = 0; k < u->rows * u->cols * u->array_length; k++) {
        uint32_t element = k / (u->rows * u->cols), column = k / u->rows % u->cols;
        if (u->word + k < program->uniform_words)
            words[u->word + k] = (uint16_t)((place->offset + element * place->array_stride +
                                             column * place->matrix_stride + 4 * (k % u->rows)) /
                                            4);
    }
    *at += apart ? 16 * u->cols * u->array_length : 4 * u->rows;
}

/* Moves those whose names begin with the first one's first `length` characters to the list's front, without
 * changing the order of either half; returns how many. All share the first `known` characters. */
static size_t take_members(const struct qpucc_variable *table, uint32_t *list, size_t count, size_t known,
                           size_t length, uint32_t *others) {
    const char *name = table[list[0]].name + known;
    size_t members = 1, left = 0;
    for (size_t i = 1; i < count; i++)
        if (strncmp(name, table[list[i]].name + known, length - known))
            others[left++] = list[i];
        else
            list[members++] = list[i];
    if (left)
        memcpy(list + members, others, left * sizeof *list);
    return members;
}

/* Structures inside structures, as many as the front end takes. Names of strangers may have more dots. */
enum { DEEPEST = 64 };

/* Places the variables of the list: the structure to which the first `prefix` characters of their names
 * belong, or everything. Elements of arrays of structures have names like "l[1].far"; the table holds the
 * same member of all elements together, std140 holds all members of an element together. */
static void place_structure(struct qpucc_program *program, uint32_t *list, size_t count, size_t prefix,
                            unsigned depth, uint32_t *scratch, uint16_t *words) {
    const struct qpucc_variable *table = program->variables[QPUCC_UNIFORMS].list;
    uint32_t *at = &program->std140_bytes;
    while (count) {
        const char *name = table[list[0]].name, *dot = depth < DEEPEST ? strchr(name + prefix, '.') : NULL;
        size_t members = 1, longer = dot ? (size_t)(dot + 1 - name) : 0;
        if (dot) {
            members = take_members(table, list, count, prefix, longer, scratch);
            *at = align(*at, 16);
            place_structure(program, list, members, longer, depth + 1, scratch, words);
            *at = align(*at, 16);
        } else {
            place_uniform(program, list[0], words, at);
        }
        list += members;
        count -= members;
    }
}

static void place_uniforms(struct qpucc_program *program) {
    size_t count = program->variables[QPUCC_UNIFORMS].count;
    uint32_t *list = ir_alloc_uncleared(program->arena, (2 * count + 1) * sizeof *list);
    program->std140 = ir_alloc(program->arena, (count + 1) * sizeof *program->std140);
    uint16_t *words = ir_alloc(program->arena, (program->uniform_words + 1) * sizeof *words);
    program->std140_word = words;
    program->std140_bytes = 0;
    if (ir_arena_oom(program->arena))
        return;
    for (uint32_t i = 0; i < count; i++)
        list[i] = i;
    place_structure(program, list, count, 0, 0, list + count, words);
    program->std140_bytes = align(program->std140_bytes, 16);
}

/* A leaf has one, an expression up to four, or alone among lanes a group's. */
static size_t most_numbers(const struct maker *m) {
    size_t most = 2 * FILL_LANES * (size_t)m->table->nslots + 1;
    for (int s = 0; s < QPUCC_STAGE_COUNT; s++)
        most += m->program->stages[s].stream_count;
    return most;
}

void fill_prepare(struct qpucc_program *program) {
    struct maker m = {.program = program,
                      .arena = program->arena,
                      .table = ir_shader_beside(program->arena, QPUCC_FRAGMENT)};
    unsigned all = 0;
    if (!program->std140) /* a variant has its parent's */
        place_uniforms(program);
    if (!m.table) {
        ir_arena_fail(program->arena);
        return;
    }
    for (int s = 0; s < QPUCC_STAGE_COUNT; s++)
        if (program->stages[s].code) {
            enter_stage(&m, (enum qpucc_stage)s);
            all |= 1u << s;
        }
    find_users(&m);
    order_slots(&m);
    m.chosen = ir_alloc_uncleared(m.table->arena, (m.table->nslots + 1) * sizeof *m.chosen);
    m.value = ir_alloc_uncleared(m.table->arena, (m.table->nslots + 1) * sizeof *m.value);
    m.numbers = ir_alloc_uncleared(m.table->arena, most_numbers(&m) * sizeof *m.numbers);
    for (int s = 0; s < QPUCC_STAGE_COUNT; s++)
        if (all >> s & 1)
            program->stages[s].fill = make_fill(&m, 1u << s);
    program->fill = make_fill(&m, all);
    if (ir_arena_oom(m.table->arena))
        ir_arena_fail(program->arena);
    ir_shader_destroy(m.table);
}
