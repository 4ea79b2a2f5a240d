/* drop_scale: drops a common scale of a vector where only its direction counts.
 *
 * requires: accurate use counts, the marks of relax_precision, the forms of lower_stage; before lower_math.
 * keeps:    the CFG, every effect; `exact` instructions. Rounding changes.
 * breaks:   nothing; leaves dead code.
 *
 *     r = rsq(v . v)        n = v r        →     m = 2 (c . v) v - (v . v) c
 *     m = 2 (c . n) n - c   c . n < 0             c . v < 0
 *     lookup of a cube map at m                   lookup of a cube map at m
 *
 * Every value that follows from n is written as r^k times a value that follows from v in the same way. The
 * latter is called the value's bare form here, k its power. Where k becomes zero, as in the quotient by the
 * major axis of a cube map's direction, and in comparisons with zero, r is gone. Where a value with a power
 * is needed, its bare form is multiplied. That is done where it takes fewer operations, in which those count
 * that lower_math would need to refine r for a lookup's coordinates, and not for a colour.
 */
#include "passes/algebraic.h"
#include "passes/passes.h"

enum {
    REACH = 600,   /* instructions after the root that are looked at */
    MAX_POWER = 4, /* of the root */
    MAX_SUM = 4,   /* depth of a sum of squares */
    LENGTH = 4,    /* operations of a length that is 1, about */
    REFINEMENT = 4 /* operations of lower_rsq beyond the unit, less one for registers */
};

enum form {
    OUTSIDE, /* has no bare form */
    PART,    /* r^k times its bare form */
    SINK,    /* the same value from bare forms: the powers cancel */
};

struct value {
    uint8_t form;
    int8_t power;
    int8_t lifted; /* 1 + the source that is multiplied by r^-2 to have the other's power */
    bool bare_use, true_use;
    struct ir_inst *bare;
};

struct scale {
    uint32_t *last_use;  /* by id: place; UINT32_MAX: in another block */
    uint32_t *place;     /* by id; what is new has that of the instruction that it was made for */
    struct value *value; /* by id; all zero between roots */
    uint32_t size;       /* of these three: room for as many new values */
    struct ir_inst *root, *square;
    struct ir_inst *list[REACH]; /* what follows the root */
    uint32_t count;
};

static const struct value *value_of(const struct scale *s, const struct ir_inst *x) {
    static const struct value outside;
    return x->id < s->size ? &s->value[x->id] : &outside;
}

static int power_of(const struct scale *s, const struct ir_inst *x) {
    return value_of(s, x)->power;
}

static bool is_part(const struct scale *s, const struct ir_inst *x) {
    return value_of(s, x)->form == PART;
}

/* Powers of both operands are the same, or zero takes any. */
static bool agree(const struct scale *s, const struct ir_inst *a, const struct ir_inst *b) {
    return alg_zero(a) || alg_zero(b) || power_of(s, a) == power_of(s, b);
}

/* Whether x is the root's square with each component v as v r, so that it is 1, and its bare form the
 * square. */
static bool mirrors(const struct scale *s, const struct ir_inst *x, const struct ir_inst *square,
                    uint32_t depth) {
    if (x->op == IR_FMUL && (x->src[0] == s->root || x->src[1] == s->root))
        return x->src[x->src[0] == s->root] == square;
    if (depth == 0 || x->op != square->op || (x->op != IR_FADD && x->op != IR_FMUL))
        return false;
    return mirrors(s, x->src[0], ir_value(square->src[0]), depth - 1) &&
           mirrors(s, x->src[1], ir_value(square->src[1]), depth - 1);
}

/* The root of what is of length 1 already: its bare form is this root again. */
static bool is_root_again(const struct scale *s, const struct ir_inst *x) {
    return x->op == IR_FRSQ && power_of(s, x->src[0]) == 2 && mirrors(s, x->src[0], s->square, MAX_SUM);
}

/* What form an instruction can have by its operands. */
static struct value form_of(const struct scale *s, const struct ir_inst *x, bool lift) {
    struct value none = {0}, part = {.form = PART};
    struct ir_inst *a = x->nsrc ? x->src[0] : NULL, *b = x->nsrc > 1 ? x->src[1] : NULL;
    bool of_root = a == s->root || b == s->root, any = false;
    for (uint32_t k = 0; k < x->nsrc; k++)
        any |= is_part(s, x->src[k]);
    if (!any || x->exact || (of_root && x->op != IR_FMUL))
        return none;
    int power;
    switch (x->op) {
    case IR_FMUL: power = power_of(s, a) + power_of(s, b); break;
    case IR_FDIV: power = power_of(s, a) - power_of(s, b); break;
    case IR_FRCP: power = -power_of(s, a); break;
    case IR_FRSQ:
        if (!is_root_again(s, x))
            return none;
        power = -1;
        break;
    case IR_FNEG:
    case IR_FABS: power = power_of(s, a); break;
    case IR_FADD:
    case IR_FSUB: {
        int p = power_of(s, a), q = power_of(s, b);
        if (p != q && (!lift || (p - q != 2 && q - p != 2)))
            return none;
        power = p > q ? p : q;
        part.lifted = p == q ? 0 : p > q ? 2 : 1;
        break;
    }
    case IR_FMIN:
    case IR_FMAX:
    case IR_FMINABS:
    case IR_FMAXABS:
        if (!agree(s, a, b))
            return none;
        power = alg_zero(a) ? power_of(s, b) : power_of(s, a);
        break;
    case IR_SELECT:
        if (!agree(s, b, x->src[2]))
            return none;
        power = alg_zero(b) ? power_of(s, x->src[2]) : power_of(s, b);
        break;
    case IR_FLT:
    case IR_FGE:
    case IR_FEQ:
    case IR_FNE:
        if (!agree(s, a, b))
            return none;
        power = 0;
        break;
    default: return none;
    }
    if (power > MAX_POWER || power < -MAX_POWER || (power == 0 && part.lifted))
        return none;
    part.power = (int8_t)power;
    part.form = power ? PART : SINK;
    return part;
}

/* Does the operation alone keep the bare form from being worth it, when nothing reads that? */
static bool is_dropped(const struct scale *s, const struct ir_inst *x, const struct value *v) {
    uint32_t parts = 0;
    for (uint32_t k = 0; k < x->nsrc; k++)
        parts += is_part(s, x->src[k]);
    return v->form == PART && !v->bare_use && (parts < 2 || v->lifted || (v->power != 1 && v->power != -1));
}

/* An error of a root that is not refined matters no more in the result than in that of a colour. */
static bool is_rough(const struct ir_inst *user) {
    if (user->op == IR_PACK_COLOR)
        return true;
    return user->type == IR_F32 && user->precision != IR_HIGHP &&
           (ir_ops[user->op].even || user->op == IR_FEXP2);
}

/* Operations that the bare forms save; *sharp: r has to be as precise as before. */
static int find_forms(struct scale *s, bool lift, bool *sharp_root) {
    bool sharp = false, squares = false, inverses = false;
    int gain = 0;
    for (uint32_t k = 0; k < s->count; k++)
        s->value[s->list[k]->id] = (struct value){0};
    s->value[s->root->id] = (struct value){.form = PART, .power = 1};
    for (uint32_t k = 0; k < s->count; k++)
        s->value[s->list[k]->id] = form_of(s, s->list[k], lift);
    uint32_t end = s->count ? s->place[s->list[s->count - 1]->id] : 0;
    for (uint32_t k = s->count; k-- > 0;) {
        const struct ir_inst *x = s->list[k];
        struct value *v = &s->value[x->id];
        v->true_use |= v->form == PART && s->last_use[x->id] > end;
        sharp |= v->form == PART && s->last_use[x->id] > end;
        if (is_dropped(s, x, v))
            *v = (struct value){0};
        for (uint32_t i = 0; i < x->nsrc; i++) {
            if (!is_part(s, x->src[i]))
                continue;
            struct value *of = &s->value[x->src[i]->id];
            *(v->form == OUTSIDE ? &of->true_use : &of->bare_use) = true;
            sharp |= v->form == OUTSIDE && !is_rough(x);
        }
        if (v->form == OUTSIDE)
            continue;
        if (x->op == IR_FRSQ) {
            gain += LENGTH;
            sharp = true;
        }
        bool of_root = x->op == IR_FMUL && (x->src[0] == s->root || x->src[1] == s->root);
        gain += of_root - (v->form == PART && v->true_use) - (v->lifted != 0);
        squares |= v->form == PART && v->true_use && v->power != 1;
        inverses |= v->form == PART && v->true_use && v->power < 0;
    }
    sharp |= s->last_use[s->root->id] > end;
    gain -= squares + inverses;
    if (s->root->precision == IR_HIGHP && !sharp)
        gain += REFINEMENT;
    *sharp_root = sharp;
    return gain;
}

static struct ir_inst *bare(const struct scale *s, struct ir_inst *x) {
    struct ir_inst *of = is_part(s, x) ? value_of(s, x)->bare : NULL;
    return of ? of : ir_value(x);
}

static struct ir_inst *bare_form(const struct scale *s, struct ir_builder *b, const struct ir_inst *x) {
    const struct value *v = value_of(s, x);
    if (x->op == IR_FMUL && (x->src[0] == s->root || x->src[1] == s->root))
        return bare(s, x->src[x->src[0] == s->root]);
    if (x->op == IR_FRSQ)
        return s->root;
    struct ir_inst *source[3];
    for (uint32_t k = 0; k < x->nsrc; k++) {
        source[k] = bare(s, x->src[k]);
        if (v->lifted == (int)k + 1)
            source[k] = ir_op2(b, IR_FMUL, source[k], s->square);
    }
    return ir_emit(b, (enum ir_op)x->op, (enum ir_type)x->type, x->nsrc, source, x->imm, x->aux);
}

/* r to the power: products of r and of its square's inverse. */
static struct ir_inst *with_power(const struct scale *s, struct ir_builder *b, struct ir_inst *x, int power) {
    for (; power < 0; power += 2)
        x = ir_op2(b, IR_FMUL, x, s->square);
    for (; power > 0; power--)
        x = ir_op2(b, IR_FMUL, x, s->root);
    return x;
}

/* Values made for x, which stand before it. */
static void enter(const struct scale *s, const struct ir_inst *x, const struct ir_inst *before) {
    for (const struct ir_inst *made = x->prev; made && made != before; made = made->prev)
        if (made->id < s->size) {
            s->place[made->id] = s->place[x->id];
            s->last_use[made->id] = s->last_use[x->id];
        }
}

static void rewrite(struct scale *s) {
    for (uint32_t k = 0; k < s->count; k++) {
        struct ir_inst *x = s->list[k], *before = x->prev;
        struct value *v = &s->value[x->id];
        if (v->form == OUTSIDE)
            continue;
        struct ir_builder b = ir_builder_before(x);
        v->bare = bare_form(s, &b, x);
        if (x->op == IR_FRSQ && s->root->precision > x->precision)
            s->root->precision = x->precision;
        struct ir_inst *by = v->form == SINK ? v->bare
                             : v->true_use   ? with_power(s, &b, v->bare, v->power)
                                             : x;
        enter(s, x, before);
        if (by != x)
            ir_replace(x, by);
    }
}

/* What follows the root in its block and may follow from it. */
static void list_values(struct scale *s, struct ir_inst *root) {
    s->root = root;
    s->square = ir_value(root->src[0]);
    s->count = 0;
    for (struct ir_inst *x = root->next; x && s->count < REACH; x = x->next) {
        for (uint32_t k = 0; k < x->nsrc; k++)
            x->src[k] = ir_value(x->src[k]);
        if (x->id < s->size && x->nsrc)
            s->list[s->count++] = x;
    }
}

static bool at_root(struct scale *s, struct ir_inst *root) {
    uint32_t products = 0;
    for (struct ir_inst *x = root->next; x && products < 2; x = x->next)
        products += x->op == IR_FMUL && (ir_value(x->src[0]) == root || ir_value(x->src[1]) == root);
    if (products < 2)
        return false;
    list_values(s, root);
    bool sharp, sharp_lifted;
    int plain = find_forms(s, false, &sharp), lifted = find_forms(s, true, &sharp_lifted);
    bool worth = plain > 0 || lifted > 0;
    if (plain >= lifted)
        find_forms(s, false, &sharp);
    else
        sharp = sharp_lifted;
    if (worth)
        rewrite(s);
    if (worth && !sharp && root->precision == IR_HIGHP)
        root->precision = IR_MEDIUMP;
    for (uint32_t k = 0; k < s->count; k++)
        s->value[s->list[k]->id] = (struct value){0};
    s->value[root->id] = (struct value){0};
    return worth;
}

static void find_places(struct ir_shader *shader, uint32_t *place, uint32_t *last_use) {
    uint32_t at = 0;
    ir_for_blocks(shader, block) {
        ir_for_insts(block, inst) {
            place[inst->id] = ++at;
        }
    }
    ir_for_blocks(shader, reader) {
        ir_for_insts(reader, inst) {
            for (uint32_t k = 0; k < inst->nsrc; k++) {
                const struct ir_inst *x = inst->src[k];
                bool here = x->block == reader && inst->op != IR_PHI;
                if (last_use[x->id] < place[inst->id])
                    last_use[x->id] = here ? place[inst->id] : UINT32_MAX;
            }
        }
    }
}

bool pass_drop_scale(struct ir_shader *shader, const struct pass_options *options) {
    if (options->level < 1 || options->lean || shader->stage != QPUCC_FRAGMENT || !ir_has(shader, IR_FRSQ))
        return false;
    struct scale *s = ir_alloc(shader->arena, sizeof *s);
    s->size = shader->next_id * 2;
    s->last_use = ir_alloc(shader->arena, s->size * sizeof *s->last_use);
    s->place = ir_alloc_uncleared(shader->arena, s->size * sizeof *s->place);
    s->value = ir_alloc(shader->arena, s->size * sizeof *s->value);
    if (ir_arena_oom(shader->arena))
        return false;
    find_places(shader, s->place, s->last_use);
    bool changed = false;
    ir_for_blocks(shader, block) {
        ir_for_insts(block, inst) {
            if (inst->op == IR_FRSQ && !inst->exact)
                changed |= at_root(s, inst);
        }
    }
    if (changed)
        ir_resolve(shader);
    return changed;
}
