/* index: run-time indices of variables become selections; and so do those of uniforms that are the same in a
 * whole draw.
 *
 * requires: nothing.
 * keeps:    the CFG; SSA of values.
 * breaks:   nothing.
 *
 * The QPU has no addressable memory for a shader's variables, and its registers cannot be indexed. So a load
 * becomes a selection among the words its offset can reach, and a store writes each of those words, with the
 * old value where the offset names another word. The ssa pass then removes the variable. This should run
 * after unrolling: an offset that became a constant costs nothing.
 *
 * The words that an offset can reach follow from the arithmetic that computes it: the reader clamps indices
 * and multiplies them by the element's size. For the same reason the comparisons use the index before the
 * clamp and the multiplication, which then mostly become dead.
 *
 * A uniform array is looked up in memory. If the index depends on uniforms alone, the host can choose
 * instead: pass `uniforms` takes the selection out of the shader. */
#include "passes/index.h"
#include "passes/known.h"
#include "passes/passes.h"

/* Instructions made in all. What would need more stays, and selection refuses it. */
enum { MOST_MADE = 30000 };

/* What an offset may be: lo, lo + step, ..., hi. step 0: one value. */
struct reach {
    int64_t lo, hi, step;
};

static int64_t common_step(int64_t a, int64_t b) {
    a = a < 0 ? -a : a;
    b = b < 0 ? -b : b;
    while (b) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static struct reach reach_of(const struct ir_inst *x, int depth);

static struct reach anything(void) {
    return (struct reach){INT32_MIN, INT32_MAX, 1};
}

/* 32-bit arithmetic wraps round: what might do so is unknown. */
static struct reach in_range(struct reach r) {
    return r.lo < INT32_MIN || r.hi > INT32_MAX ? anything() : r;
}

static struct reach times(struct reach r, int64_t factor) {
    if (factor < 0 || factor > INT32_MAX)
        return anything();
    return in_range((struct reach){r.lo * factor, r.hi * factor, r.step * factor});
}

static struct reach either(struct reach a, struct reach b) {
    return (struct reach){a.lo < b.lo ? a.lo : b.lo, a.hi > b.hi ? a.hi : b.hi,
                          common_step(common_step(a.step, b.step), a.lo - b.lo)};
}

static struct reach smaller(struct reach a, struct reach b) {
    struct reach r = either(a, b);
    r.hi = a.hi < b.hi ? a.hi : b.hi;
    return r;
}

static struct reach larger(struct reach a, struct reach b) {
    struct reach r = either(a, b);
    if ((a.lo > b.lo ? a.lo : b.lo) > r.lo && r.step)
        r.lo += ((a.lo > b.lo ? a.lo : b.lo) - r.lo) / r.step * r.step;
    return r;
}

static bool in_24_bits(struct reach r) {
    return r.lo >= 0 && r.hi < 1 << 24;
}

static struct reach product(struct reach a, struct reach b) {
    return b.step == 0 ? times(a, b.lo) : a.step == 0 ? times(b, a.lo) : anything();
}

static struct reach of_two(const struct ir_inst *x, int depth) {
    struct reach a = reach_of(ir_value(x->src[0]), depth), b = reach_of(ir_value(x->src[1]), depth);
    switch (x->op) {
    case IR_IMIN: return smaller(a, b);
    case IR_IMAX: return larger(a, b);
    case IR_ISHL: return b.step == 0 ? times(a, (int64_t)1 << (b.lo & 31)) : anything();
    case IR_IMUL: return product(a, b);
    case IR_UMUL24: return in_24_bits(a) && in_24_bits(b) ? product(a, b) : anything();
    case IR_IAND: {
        int64_t mask = a.step == 0 ? a.lo : b.step == 0 ? b.lo : -1;
        return mask < 0 ? anything() : (struct reach){0, mask, 1};
    }
    case IR_IADD:
        if (ir_value(x->src[0]) == ir_value(x->src[1]))
            return times(a, 2);
        return in_range((struct reach){a.lo + b.lo, a.hi + b.hi, common_step(a.step, b.step)});
    default: return anything();
    }
}

static struct reach reach_of(const struct ir_inst *x, int depth) {
    if (ir_is_const(x))
        return (struct reach){(int32_t)x->imm, (int32_t)x->imm, 0};
    if (depth == 0)
        return anything();
    switch (x->op) {
    case IR_IMIN:
    case IR_IMAX:
    case IR_ISHL:
    case IR_IMUL:
    case IR_UMUL24:
    case IR_IAND:
    case IR_IADD: return of_two(x, depth - 1);
    case IR_B2I: return (struct reach){0, 1, 1};
    case IR_UNPACK_8I: return (struct reach){0, 255, 1};
    case IR_SELECT:
        return either(reach_of(ir_value(x->src[1]), depth - 1), reach_of(ir_value(x->src[2]), depth - 1));
    default: return anything();
    }
}

enum { DEPTH = 6 };

const struct ir_inst *index_constant(const struct ir_inst *x, struct ir_inst **other) {
    struct ir_inst *a = ir_value(x->src[0]), *b = ir_value(x->src[1]);
    *other = ir_is_const(b) ? a : b;
    return ir_is_const(b) ? b : ir_is_const(a) ? a : NULL;
}

/* Without limits that make no difference to a comparison with k. */
static struct ir_inst *unlimited(struct ir_inst *x, enum ir_op limit, int64_t k) {
    struct ir_inst *inner;
    const struct ir_inst *c = x->op == limit ? index_constant(x, &inner) : NULL;
    return c && (limit == IR_IMIN ? k < (int32_t)c->imm : k > (int32_t)c->imm) ? inner : x;
}

/* By what x multiplies `*inner`, without wrapping round; 0: by nothing. `c`: x's constant, or NULL. */
static int64_t factor_of(const struct ir_inst *x, const struct ir_inst *c, struct ir_inst **inner) {
    int64_t by = c ? (int32_t)c->imm : 0, factor = 0;
    if (x->op == IR_IADD && ir_value(x->src[0]) == ir_value(x->src[1])) {
        *inner = ir_value(x->src[0]);
        factor = 2;
    } else if (x->op == IR_ISHL && c && c == ir_value(x->src[1]) && by > 0 && by < 31) {
        factor = (int64_t)1 << by;
    } else if ((x->op == IR_IMUL || x->op == IR_UMUL24) && by > 1) {
        factor = by;
    }
    if (!factor)
        return 0;
    struct reach r = reach_of(*inner, DEPTH);
    bool wraps = r.lo * factor < INT32_MIN || r.hi * factor > INT32_MAX;
    bool cut = x->op == IR_UMUL24 && (!in_24_bits(r) || factor >= 1 << 24);
    return wraps || cut ? 0 : factor;
}

/* x == k, for a k that x can reach. */
static struct ir_inst *is(struct ir_builder *b, struct ir_inst *x, int64_t k) {
    for (;;) {
        struct ir_inst *inner = NULL;
        const struct ir_inst *c = x->nsrc == 2 ? index_constant(x, &inner) : NULL;
        int64_t by = c ? (int32_t)c->imm : 0;
        if (x->op == IR_IMIN && c && k == by)
            return ir_op2(b, IR_IGE, unlimited(inner, IR_IMAX, by), ir_const_i(b, (uint32_t)by));
        if (x->op == IR_IMAX && c && k == by && by < INT32_MAX)
            return ir_op2(b, IR_ILT, unlimited(inner, IR_IMIN, by), ir_const_i(b, (uint32_t)(by + 1)));
        int64_t factor = factor_of(x, c, &inner);
        if ((x->op == IR_IMIN && c && k < by) || (x->op == IR_IMAX && c && k > by))
            x = inner;
        else if (x->op == IR_IADD && c)
            x = inner, k = (int32_t)((uint32_t)k - (uint32_t)by);
        else if (factor && k % factor == 0)
            x = inner, k /= factor;
        else
            return ir_op2(b, IR_IEQ, x, ir_const_i(b, (uint32_t)k));
    }
}

/* The part of an offset's reach that lies in the variable. What an access outside of it does is undefined in
 * GLSL: here a load gets some word of the variable, and a store writes none, or the first or last one. */
static struct reach words_of(const struct ir_shader *shader, const struct ir_inst *inst,
                             const struct ir_inst *offset) {
    struct reach r = reach_of(offset, DEPTH);
    int64_t least = -(int64_t)inst->aux, most = (int64_t)shader->vars[inst->imm].words - 1 - inst->aux;
    if (r.lo > most)
        return (struct reach){most, most, 0};
    if (r.hi < least)
        return (struct reach){least, least, 0};
    if (r.step == 0)
        return r;
    if (r.lo < least)
        r.lo += (least - r.lo + r.step - 1) / r.step * r.step;
    if (r.hi > most)
        r.hi = most;
    if (r.hi < r.lo)
        return (struct reach){least, least, 0};
    r.hi = r.lo + (r.hi - r.lo) / r.step * r.step;
    return r;
}

static struct ir_inst *load_word(struct ir_builder *b, const struct ir_inst *access, uint8_t type,
                                 int64_t k) {
    return ir_emit(b, IR_VAR_LOAD, type, 0, NULL, access->imm, (uint32_t)(access->aux + k));
}

static struct ir_inst *test(struct ir_builder *b, struct ir_inst *offset, int64_t k) {
    uint8_t precision = b->precision;
    bool exact = b->exact;
    b->precision = IR_HIGHP;
    b->exact = false;
    struct ir_inst *result = is(b, offset, k);
    b->precision = precision;
    b->exact = exact;
    return result;
}

static struct ir_inst *load(struct ir_inst *inst, struct reach r, struct ir_inst *offset) {
    struct ir_builder b = ir_builder_before(inst);
    struct ir_inst *value = load_word(&b, inst, inst->type, r.hi);
    for (int64_t k = r.hi - r.step; r.step && k >= r.lo; k -= r.step) {
        struct ir_inst *word = load_word(&b, inst, inst->type, k);
        value = ir_op3(&b, IR_SELECT, test(&b, offset, k), word, value);
    }
    return value;
}

static void store(struct ir_inst *inst, uint8_t type, struct reach r, struct ir_inst *offset) {
    struct ir_builder b = ir_builder_before(inst);
    for (int64_t k = r.lo; k <= r.hi; k += r.step) {
        struct ir_inst *value = ir_value(inst->src[0]);
        if (r.step) {
            struct ir_inst *word = load_word(&b, inst, type, k);
            value = ir_op3(&b, IR_SELECT, test(&b, offset, k), value, word);
        }
        ir_emit(&b, IR_VAR_STORE, IR_VOID, 1, &value, inst->imm, (uint32_t)(inst->aux + k));
        if (!r.step)
            break;
    }
}

static int64_t count_of(struct reach r) {
    return r.step ? (r.hi - r.lo) / r.step + 1 : 1;
}

uint32_t index_words(const struct ir_shader *shader, const struct ir_inst *access) {
    return (uint32_t)count_of(words_of(shader, access, ir_value(access->src[access->op == IR_VAR_STORE])));
}

enum { MOST_ELEMENTS = 16 }; /* that a host chooses from */

/* The word of a uniform array that an index picks on the host; NULL: there are too many elements. */
static struct ir_inst *chosen_per_draw(struct ir_inst *access, int64_t *made) {
    struct ir_inst *index = ir_value(access->src[0]), *inner = NULL;
    const struct ir_inst *c = index->op == IR_UMUL24 ? index_constant(index, &inner) : NULL;
    uint32_t each = c && c->imm ? c->imm : 1, elements = (access->aux - 1) / each + 1;
    if (elements > MOST_ELEMENTS || (*made += elements * 2) > MOST_MADE)
        return NULL;
    struct ir_builder b = ir_builder_before(access);
    struct ir_inst *value = NULL;
    for (uint32_t k = 0; k < elements; k++) {
        struct ir_slot slot = {
            .kind = IR_SLOT_UNIFORM, .type = access->type, .value = access->imm + k * each};
        struct ir_inst *word = ir_uniform(&b, (enum ir_type)access->type, ir_slot(b.shader, slot));
        value = k ? ir_op3(&b, IR_SELECT, ir_op2(&b, IR_IGE, each > 1 ? inner : index, ir_const_i(&b, k)),
                           word, value)
                  : word;
    }
    return value;
}

/* One step: an element may be the index of the next. */
static bool choose_uniforms(struct ir_shader *shader, const struct pass_options *options, int64_t *made) {
    uint32_t size = shader->next_id;
    const bool *known = ir_has(shader, IR_UNIFORM_AT) ? known_per_draw(shader, options) : NULL;
    bool changed = false;
    if (!known || ir_arena_oom(shader->arena))
        return false;
    ir_for_blocks(shader, block) {
        ir_for_insts(block, inst) {
            const struct ir_inst *index = inst->op == IR_UNIFORM_AT ? ir_value(inst->src[0]) : NULL;
            struct ir_inst *value =
                index && index->id < size && known[index->id] ? chosen_per_draw(inst, made) : NULL;
            if (value)
                ir_replace(inst, value);
            changed |= value != NULL;
        }
    }
    if (changed)
        ir_resolve(shader);
    return changed;
}

bool pass_index(struct ir_shader *shader, const struct pass_options *options) {
    int64_t made = 0;
    bool changed = false;
    while (options->level > 0 && choose_uniforms(shader, options, &made))
        changed = true;
    made = 0;
    ir_for_blocks(shader, block) {
        ir_for_insts(block, inst) {
            uint32_t at = inst->op == IR_VAR_LOAD ? 0 : 1;
            if ((inst->op != IR_VAR_LOAD && inst->op != IR_VAR_STORE) || inst->nsrc <= at)
                continue;
            struct ir_inst *offset = ir_value(inst->src[at]);
            struct reach r = words_of(shader, inst, offset);
            /* each word's constant, comparison, load, selection and store */
            made += r.step ? count_of(r) * (inst->op == IR_VAR_LOAD ? 4 : 5) : 1;
            if (made > MOST_MADE)
                break;
            if (inst->op == IR_VAR_LOAD) {
                ir_replace(inst, load(inst, r, offset));
            } else {
                store(inst, shader->vars[inst->imm].type, r, offset);
                ir_remove(inst);
            }
            changed = true;
        }
    }
    if (changed)
        ir_resolve(shader);
    return changed;
}
