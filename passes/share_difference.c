/* share_difference: x - y and y - x share one subtraction where the other's sign costs nothing.
 *
 * requires: SSA, no dead code.
 * keeps:    the CFG; values to the bit except for the sign of a zero, because rounding is toward zero;
 *           `exact` instructions.
 * breaks:   nothing; leaves dead code.
 *
 *     p = x - y    q = y - x             p = x - y
 *     r = 1 - a q  s = b - q      →      r = 1 + a p  s = b + p
 *
 * A sign costs nothing in a sum, a difference or beside a constant factor, and goes through products. */
#include "passes/algebraic.h"
#include "passes/passes.h"

enum { MAX_READERS = 64 }; /* of a difference and of what its sign goes through */

struct opposites {
    struct ir_shader *shader;
    /* By id: the first reader's entry + 1; by entry: the reader and the next entry + 1. */
    uint32_t *first, *next;
    struct ir_inst **reader;
    /* By id: the last candidate that met this reader, and the value through which. */
    uint32_t *met, candidate;
    const struct ir_inst **through;
    struct ir_inst **table; /* differences of this block, by their operands */
    uint32_t mask, budget;  /* of readers to look at */
};

static void find_readers(struct opposites *o) {
    uint32_t count = 0, entries = 0;
    ir_for_blocks(o->shader, counted) ir_for_insts(counted, inst) count += inst->nsrc;
    o->first = ir_alloc(o->shader->arena, o->shader->next_id * sizeof *o->first);
    o->next = ir_alloc(o->shader->arena, (count + 1) * sizeof *o->next);
    o->reader = ir_alloc(o->shader->arena, (count + 1) * sizeof(struct ir_inst *));
    o->met = ir_alloc(o->shader->arena, o->shader->next_id * sizeof *o->met);
    o->through = ir_alloc(o->shader->arena, o->shader->next_id * sizeof(struct ir_inst *));
    if (ir_arena_oom(o->shader->arena))
        return;
    ir_for_blocks(o->shader, block) ir_for_insts(block, inst) {
        for (uint32_t k = 0; k < inst->nsrc; k++) {
            o->reader[entries] = inst;
            o->next[entries] = o->first[inst->src[k]->id];
            o->first[inst->src[k]->id] = ++entries;
        }
    }
}

static bool takes_sign(struct opposites *o, const struct ir_inst *x);

/* A reader whose operands both change their signs would have to be looked at once more: none is taken. */
static bool reader_takes_sign(struct opposites *o, const struct ir_inst *x, const struct ir_inst *reader) {
    bool again = o->met[reader->id] == o->candidate && o->through[reader->id] != x;
    if (reader->exact || again || o->budget == 0)
        return false;
    o->met[reader->id] = o->candidate, o->through[reader->id] = x;
    o->budget--;
    bool twice = reader->nsrc == 2 && reader->src[0] == reader->src[1];
    switch (reader->op) {
    case IR_FABS:
    case IR_FNEG: return true;
    case IR_FADD: return !twice || takes_sign(o, reader);
    case IR_FSUB: return !twice && (reader->src[1] == x || takes_sign(o, reader));
    case IR_FMUL: return twice || ir_is_const(reader->src[reader->src[0] == x]) || takes_sign(o, reader);
    default: return false;
    }
}

static bool takes_sign(struct opposites *o, const struct ir_inst *x) {
    bool all = true;
    for (uint32_t r = o->first[x->id]; all && r; r = o->next[r - 1])
        all = reader_takes_sign(o, x, o->reader[r - 1]);
    return all;
}

/* x is -by from now on: its readers make the same of by. A reader that becomes the opposite of what it was
 * stays where it is, and so on with its readers. */
static void give_sign(struct opposites *o, const struct ir_inst *x, struct ir_inst *by) {
    for (uint32_t r = o->first[x->id]; r; r = o->next[r - 1]) {
        struct ir_inst *reader = o->reader[r - 1];
        bool first = reader->src[0] == x, second = reader->nsrc == 2 && reader->src[1] == x;
        if (!first && !second) /* seen already: it reads x twice */
            continue;
        struct ir_inst *other = first && !second && reader->nsrc == 2 ? reader->src[1] : reader->src[0];
        reader->src[0] = first ? by : other;
        if (reader->nsrc == 2)
            reader->src[1] = second ? by : other;
        if (reader->op == IR_FNEG) {
            ir_replace(reader, by);
        } else if (reader->op == IR_FMUL && first != second && ir_is_const(other)) {
            struct ir_builder b = ir_builder_before(reader);
            reader->src[first] = ir_const_f(&b, -ir_float(other));
        } else if (reader->op == IR_FADD && first != second) {
            ir_become(reader, IR_FSUB);
            reader->src[0] = other;
            reader->src[1] = by;
        } else if (reader->op == IR_FSUB) {
            ir_become(reader, IR_FADD);
            if (first)
                give_sign(o, reader, reader);
        } else if (reader->op == IR_FADD || (reader->op == IR_FMUL && first != second)) {
            give_sign(o, reader, reader);
        }
    }
}

/* The entry of a - b: that difference, or NULL where none has been seen. */
static struct ir_inst **entry(const struct opposites *o, const struct ir_inst *a, const struct ir_inst *b) {
    uint32_t at = (a->id * 0x9e3779b1u) ^ (b->id * 0x85ebca6bu);
    for (at ^= at >> 15;; at++) {
        struct ir_inst **found = &o->table[at & o->mask];
        if (!*found || ((*found)->src[0] == a && (*found)->src[1] == b))
            return found;
    }
}

static bool in_block(struct opposites *o, struct ir_block *block) {
    uint32_t count = 0;
    bool changed = false;
    ir_for_insts(block, counted) count += counted->op == IR_FSUB;
    if (count < 2)
        return false;
    for (o->mask = 3; o->mask < 2 * count;)
        o->mask = 2 * o->mask + 1;
    o->table = ir_alloc(o->shader->arena, (o->mask + 1) * sizeof(struct ir_inst *));
    if (ir_arena_oom(o->shader->arena))
        return false;
    ir_for_insts(block, inst) {
        if (inst->op != IR_FSUB || inst->exact || inst->src[0] == inst->src[1])
            continue;
        struct ir_inst *other = *entry(o, inst->src[1], inst->src[0]);
        o->budget = MAX_READERS;
        o->candidate++;
        if (other && takes_sign(o, inst)) {
            if (inst->precision < other->precision)
                other->precision = inst->precision;
            give_sign(o, inst, other);
            changed = true;
        } else {
            *entry(o, inst->src[0], inst->src[1]) = inst;
        }
    }
    return changed;
}

bool pass_share_difference(struct ir_shader *shader, const struct pass_options *options) {
    if (options->level < 1 || options->lean || shader->stage != QPUCC_FRAGMENT)
        return false;
    struct opposites o = {.shader = shader};
    find_readers(&o);
    if (ir_arena_oom(shader->arena))
        return false;
    bool changed = false;
    ir_for_blocks(shader, block) {
        changed |= in_block(&o, block);
    }
    if (changed)
        ir_resolve(shader);
    return changed;
}
