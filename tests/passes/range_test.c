/* What float_range asserts of a result, against what comes out: passes take clamps and comparisons away by
 * it.
 *
 *     range_test [--samples N] [--seed N]
 *
 * Every operation of ops.def that makes a float is asked, with operands that are unknown, clamped or
 * constant; so is each value of random expressions. Where a range is asserted, the operation is lowered in
 * every precision and computed in the machine's arithmetic, and unlowered as constants are folded, for N
 * arguments or pairs of them (default: DEFAULT_SAMPLES), edges among them. A range that range.c asserts of
 * what cannot be computed here is a failure as well: nothing that it says goes unasked.
 *
 * Bits are compared as the machine orders them, by sign and magnitude. */
#include "interp.h"
#include "passes/algebraic.h"
#include "passes/eval.h"
#include "passes/lower_math.h"
#include "passes/passes.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LANES = 256, INPUTS = 3, DEFAULT_SAMPLES = 30000, EXPRESSIONS = 1500, SHOWN = 40 };

static uint64_t state = 1;
static long samples = DEFAULT_SAMPLES, asked, computed, failures;

static uint32_t random_bits(void) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 32);
}

static uint32_t below(uint32_t n) {
    return random_bits() % n;
}

static float random_in(float lo, float hi) {
    return lo + (hi - lo) * (float)((double)random_bits() / 4294967296.0);
}

/* --- arguments ------------------------------------------------------------------------------------------ */

static const uint32_t edges[] = {
    0,          0x80000000, 1,          0x007fffff, 0x00800000, 0x80800000, 0x3f800000, 0xbf800000,
    0x3f7fffff, 0x3f800001, 0x3f000000, 0x40000000, 0x40490fdb, 0x3fc90fdb, 0x40c90fdb, 0xbfc90fdb,
    0x4a800000, 0x4a800001, 0x4a7fffff, 0x4b000000, 0x4b000001, 0xcb000000, 0x4b7fffff, 0x4b800001,
    0x4c000001, 0x4f000000, 0xcf000000, 0x57000000, 0x57000001, 0xd7000001, 0x7f7fffff, 0xff7fffff,
    0x7f800000, 0xff800000, 0x7e800000, 0x01000000, 0x33800000, 0xb3800000, 0xb2000000, 0x42fe0000,
    0x43000000, 0xc2fc0000, 0x437f0000, 0x0000ff00, 0xffffffff};

static bool is_nan(uint32_t bits) {
    return (bits & 0x7fffffffu) > 0x7f800000u;
}

static uint32_t argument(void) {
    uint32_t bits;
    switch (below(8)) {
    case 0:
    case 1: bits = random_bits(); break;
    case 2: bits = edges[below(sizeof edges / sizeof *edges)]; break;
    case 3: bits = ir_float_to_bits(random_in(-100, 100)); break;
    case 4: bits = ir_float_to_bits(random_in(-1, 1)); break;
    case 5: bits = ir_float_to_bits(random_in(-8, 8)); break;
    case 6: /* near whole numbers and quarters */
        bits =
            ir_float_to_bits((float)(int32_t)(random_bits() >> (8 + below(24))) * (below(2) ? 1.0f : -0.25f));
        bits += below(5) - 2;
        break;
    default: bits = ir_float_to_bits(random_in(-1e6f, 1e6f)); break;
    }
    return bits;
}

/* Often of another argument: equal, opposite, a multiple, a part. */
static uint32_t related(uint32_t x) {
    float f = ir_bits_to_float(x), k = (float)(1 + below(20));
    switch (below(5)) {
    case 0: return x;
    case 1: return x ^ 0x80000000u;
    case 2: return ir_float_to_bits(f * k);
    default: return ir_float_to_bits(f / k);
    }
}

/* --- evaluation ----------------------------------------------------------------------------------------- */

struct batch {
    uint32_t input[INPUTS][LANES];
    uint32_t *value; /* LANES of them an instruction */
    bool *undefined;
    bool beyond[LANES]; /* mediump's range is left on the way */
};

static void fill(struct batch *b) {
    for (int i = 0; i < LANES; i++)
        for (int k = 0; k < INPUTS; k++)
            do
                b->input[k][i] = k && below(3) == 0 ? related(b->input[k - 1][i]) : argument();
            while (is_nan(b->input[k][i]));
}

/* One operation on one lane; false where the host's arithmetic leaves it to the machine. */
static bool operate(const struct ir_inst *inst, const uint32_t *s, bool machine, uint32_t *r) {
    if (machine && interp_machine_op((enum ir_op)inst->op, inst->imm, s, r))
        return true;
    if (inst->op == IR_TEXEL) {
        uint32_t byte = s[0] >> 8 * (inst->imm & 3) & 255;
        *r = ir_float_to_bits((float)byte / 255.0f);
        return !machine || interp_machine_op(IR_UNPACK_8F, inst->imm, s, r);
    }
    return ir_eval((enum ir_op)inst->op, inst->imm, s, inst->nsrc, r);
}

static void evaluate(const struct ir_shader *s, struct batch *b, bool machine) {
    ir_for_insts(s->blocks[0], inst) {
        uint32_t *value = b->value + (size_t)inst->id * LANES;
        bool *undefined = b->undefined + (size_t)inst->id * LANES;
        memset(undefined, 0, LANES);
        for (int i = 0; i < LANES; i++) {
            if (inst->op == IR_CONST)
                value[i] = inst->imm;
            else if (inst->op == IR_INPUT)
                value[i] = b->input[inst->imm][i];
            else if (inst->type != IR_VOID) {
                uint32_t source[4] = {0};
                for (uint32_t k = 0; k < inst->nsrc && k < 4; k++) {
                    source[k] = b->value[(size_t)inst->src[k]->id * LANES + (size_t)i];
                    undefined[i] |= b->undefined[(size_t)inst->src[k]->id * LANES + (size_t)i];
                }
                /* a NaN pattern, a negative number's logarithm, is no number that a range could hold */
                undefined[i] |= !operate(inst, source, machine, &value[i]) ||
                                ((inst->op == IR_SFU_LOG2 || inst->op == IR_UNPACK_16F) && is_nan(value[i]));
            }
        }
    }
}

/* Order by sign and magnitude; denormals are zero. */
static int64_t order(uint32_t bits) {
    int64_t size = bits & 0x7f800000u ? bits & 0x7fffffffu : 0;
    return bits >> 31 ? -size : size;
}

static bool inside(uint32_t bits, struct float_range range) {
    int64_t v = order(bits);
    return (range.lo == -INFINITY || v >= order(ir_float_to_bits(range.lo))) &&
           (range.hi == INFINITY || v <= order(ir_float_to_bits(range.hi)));
}

static bool says_something(struct float_range r) {
    return r.lo > -INFINITY || r.hi < INFINITY;
}

/* --- shaders -------------------------------------------------------------------------------------------- */

struct variant {
    const char *name;
    enum qpucc_stage stage;
    enum ir_precision precision;
    enum qpucc_policy policy;
};
static const struct variant variants[] = {
    {"fragment highp", QPUCC_FRAGMENT, IR_HIGHP, QPUCC_POLICY_DEFAULT},
    {"fragment mediump", QPUCC_FRAGMENT, IR_MEDIUMP, QPUCC_POLICY_DEFAULT},
    {"fragment lowp", QPUCC_FRAGMENT, IR_LOWP, QPUCC_POLICY_DEFAULT},
    {"vertex highp", QPUCC_VERTEX, IR_HIGHP, QPUCC_POLICY_DEFAULT},
    {"vertex lowp", QPUCC_VERTEX, IR_LOWP, QPUCC_POLICY_DEFAULT},
    {"-fprecise", QPUCC_FRAGMENT, IR_HIGHP, QPUCC_POLICY_PRECISE}};
enum { VARIANTS = sizeof variants / sizeof *variants };

static const struct form {
    float lo, hi; /* equal: a constant */
} forms[] = {{-INFINITY, INFINITY},
             {0, 1},
             {-1, 1},
             {0, INFINITY},
             {-INFINITY, 0},
             {0x1p-20f, INFINITY},
             {-1000, 1000},
             {1, 100},
             {-3, -0.5f},
             {0, 0x1p22f},
             {-0x1p24f, 0x1p24f},
             {1e30f, 3e38f},
             {0, 0},
             {1, 1},
             {2, 2},
             {-2, -2},
             {3, 3},
             {0.5f, 0.5f},
             {-0.75f, -0.75f},
             {40, 40}};
enum { FORMS = sizeof forms / sizeof *forms };

static struct ir_shader *new_shader(const struct variant *variant, struct ir_builder *b) {
    struct ir_shader *s = ir_shader_create(NULL, variant->stage);
    struct ir_symbol *in = ir_add_symbol(s, &s->inputs, "x");
    in->rows = INPUTS, in->cols = 1, s->inputs.words = INPUTS;
    *b = ir_builder_at_end(s->blocks[0]);
    b->precision = variant->precision;
    return s;
}

static struct ir_inst *operand(struct ir_builder *b, char kind, uint32_t word, unsigned form) {
    struct ir_inst *x = ir_emit(b, IR_INPUT, kind == 'i' ? IR_I32 : IR_F32, 0, NULL, word, 0);
    const struct form *f = &forms[form];
    if (kind == 'b')
        return ir_op2(b, IR_FLT, x, flt(b, 0.25f));
    if (kind == 'i')
        return form % 2 ? ir_emit(b, IR_UNPACK_8I, IR_I32, 1, &x, form & 3, 0) : x;
    if (f->lo == f->hi)
        return flt(b, f->lo);
    if (f->lo == 0 && f->hi == 1)
        return ir_op1(b, IR_FSAT, x);
    if (f->lo > -INFINITY)
        x = ir_op2(b, IR_FMAX, x, flt(b, f->lo));
    return f->hi < INFINITY ? ir_op2(b, IR_FMIN, x, flt(b, f->hi)) : x;
}

/* Pure functions of values in the same lane. */
static bool is_function(enum ir_op op) {
    const struct ir_op_info *info = ir_op_info(op);
    return info->pure && !info->gathers && info->min_src > 0 && info->max_src <= 3 && op != IR_INPUT &&
           op != IR_UNIFORM_AT;
}

static bool makes_float(enum ir_op op) {
    return ir_op_info(op)->result[0] == 'f' || ir_op_info(op)->result[0] == '*';
}

static char kind_of(enum ir_op op, uint32_t k) {
    char c = ir_op_info(op)->sources[k];
    return c == 'i' || c == 'b' ? c : 'f';
}

static void finish(struct ir_shader *s, struct ir_builder *b) {
    ir_end(b);
    ir_cfg_update(s);
}

static void keep(struct ir_shader *s, struct ir_builder *b, struct ir_inst *x) {
    struct ir_symbol *out = ir_add_symbol(s, &s->outputs, "y");
    out->rows = out->cols = 1, s->outputs.words = 1;
    ir_emit(b, IR_OUTPUT, IR_VOID, 1, &x, 0, 0);
}

static bool same_code(const struct ir_shader *s, const struct ir_shader *t) {
    const struct ir_inst *i = s->blocks[0]->first, *j = t->blocks[0]->first;
    for (; i && j && i->op == j->op && i->imm == j->imm; i = i->next, j = j->next) {
    }
    return !i && !j;
}

/* --- the question --------------------------------------------------------------------------------------- */

struct question {
    struct ir_shader *plain, *lowered; /* lowered NULL: as constants are folded */
    struct float_range range;
    const char *text;
};

static void show(const struct question *q, const struct batch *b, uint32_t value, int lane) {
    printf("%s, %s: %.9g (0x%08x) is outside of %.9g .. %.9g; arguments", q->text,
           q->lowered ? "machine" : "folded", ir_bits_to_float(value), value, q->range.lo, q->range.hi);
    for (int k = 0; k < INPUTS; k++)
        printf(" %.9g (0x%08x)", ir_bits_to_float(b->input[k][lane]), b->input[k][lane]);
    puts("");
}

static struct ir_inst *result(const struct ir_shader *s) {
    ir_for_insts(s->blocks[0], inst) {
        if (inst->op == IR_OUTPUT)
            return ir_value(inst->src[0]);
    }
    return NULL;
}

/* mediump and lowp end at 2^14: a larger value on the way leaves the lane undefined, and so does one that has
 * no value. */
static void find_beyond(const struct ir_shader *s, struct batch *b) {
    memset(b->beyond, 0, sizeof b->beyond);
    ir_for_insts(s->blocks[0], inst) {
        for (int i = 0; inst->type == IR_F32 && inst->precision != IR_HIGHP && i < LANES; i++)
            b->beyond[i] |= b->undefined[(size_t)inst->id * LANES + (size_t)i] ||
                            fabsf(ir_bits_to_float(b->value[(size_t)inst->id * LANES + (size_t)i])) > 0x1p14f;
    }
}

static void check(const struct question *q, long count) {
    const struct ir_shader *s = q->lowered ? q->lowered : q->plain;
    struct batch b;
    size_t most =
        q->lowered && q->lowered->next_id > q->plain->next_id ? q->lowered->next_id : q->plain->next_id;
    b.value = calloc(most + 1, LANES * sizeof *b.value);
    b.undefined = calloc(most + 1, LANES);
    bool ok = b.value && b.undefined;
    for (long done = 0; ok && done < count; done += LANES) {
        fill(&b);
        evaluate(q->plain, &b, false);
        find_beyond(q->plain, &b);
        if (q->lowered)
            evaluate(q->lowered, &b, true);
        size_t at = (size_t)result(s)->id * LANES;
        for (int i = 0; i < LANES && ok; i++) {
            uint32_t value = b.value[at + (size_t)i];
            ok = b.beyond[i] || b.undefined[at + (size_t)i] || inside(value, q->range);
            if (!ok && ++failures <= SHOWN)
                show(q, &b, value, i);
        }
        computed += LANES;
    }
    free(b.value);
    free(b.undefined);
}

/* Operands by form; same: they are one value. */
static struct ir_inst *build(struct ir_builder *b, enum ir_op op, uint32_t imm, const unsigned *form,
                             bool same) {
    struct ir_inst *x[3] = {NULL};
    uint32_t n = ir_op_info(op)->min_src;
    for (uint32_t k = 0; k < n; k++)
        x[k] = same && k ? x[0] : operand(b, kind_of(op, k), k, form[k]);
    return ir_emit(b, op, IR_F32, n, x, imm, 0);
}

static void ask(enum ir_op op, uint32_t imm, const unsigned *form, bool same, long count) {
    struct ir_shader *seen[VARIANTS] = {NULL};
    for (int v = 0; v < VARIANTS; v++) {
        struct ir_builder b;
        struct ir_shader *s = new_shader(&variants[v], &b);
        struct ir_inst *y = build(&b, op, imm, form, same);
        keep(s, &b, y);
        finish(s, &b);
        char text[200];
        struct question q = {.plain = s, .range = float_range(y), .text = text};
        bool again = !says_something(q.range);
        snprintf(text, sizeof text, "%s %u of forms %u %u %u%s, %s", ir_op_info(op)->text, imm, form[0],
                 form[1], form[2], same ? " (one value)" : "", variants[v].name);
        if (!again && v == 0) {
            asked++;
            check(&q, count / 4);
        }
        q.lowered = seen[v] = ir_shader_clone(s);
        struct pass_options options = {.policy = variants[v].policy};
        pass_lower_math(q.lowered, &options);
        for (int w = 0; w < v && !again; w++)
            again = same_code(seen[w], q.lowered) &&
                    (variants[w].precision == IR_HIGHP || variants[v].precision != IR_HIGHP);
        if (!again)
            check(&q, count);
        ir_shader_destroy(s);
    }
    for (int v = 0; v < VARIANTS; v++)
        ir_shader_destroy(seen[v]);
}

static void ask_operation(enum ir_op op) {
    const struct ir_op_info *info = ir_op_info(op);
    uint32_t n = info->min_src, imms = info->imm == IR_IMM_BYTE ? 4 : info->imm == IR_IMM_HALF ? 2 : 1;
    for (uint32_t imm = 0; imm < imms; imm++) {
        for (unsigned i = 0; i < (unsigned)FORMS; i++)
            for (unsigned j = 0; j < (n > 1 ? (unsigned)FORMS : 1); j++) {
                unsigned form[3] = {i, j, n > 2 ? below(FORMS) : 0};
                ask(op, imm, form, false, n > 1 ? samples / 8 : samples);
            }
        for (unsigned i = 0; n == 2 && kind_of(op, 0) == kind_of(op, 1) && i < (unsigned)FORMS; i++) {
            unsigned form[3] = {i, i, i};
            ask(op, imm, form, true, samples);
        }
    }
}

/* Leaves, gathers and phis: nothing may be said of them but where a pixel is. */
static void ask_leaf(enum ir_op op) {
    struct ir_builder b;
    struct ir_shader *s = new_shader(&variants[0], &b);
    struct ir_inst *x[4];
    for (uint32_t k = 0; k < 4; k++)
        x[k] = operand(&b, k < ir_op_info(op)->min_src ? kind_of(op, k) : 'f', k % INPUTS, 0);
    struct ir_inst *y = ir_emit(&b, op, IR_F32, ir_op_info(op)->min_src, x, 0, 0);
    finish(s, &b);
    bool coordinate = op == IR_BUILTIN && float_range(y).lo <= -2048 && float_range(y).hi >= 2048;
    if (op != IR_CONST && !coordinate && says_something(float_range(y))) {
        failures++;
        printf("%s: a range is asserted of what cannot be computed here\n", ir_op_info(op)->text);
    }
    ir_shader_destroy(s);
}

/* --- expressions ---------------------------------------------------------------------------------------- */

static void ask_expression(int number) {
    enum { OPS = 7, VALUES = INPUTS + OPS };
    const struct variant *variant = &variants[below(VARIANTS)];
    struct ir_builder b;
    struct ir_shader *s = new_shader(variant, &b);
    struct ir_inst *value[VALUES];
    int n = 0;
    for (; n < INPUTS; n++)
        value[n] = operand(&b, 'f', (uint32_t)n, below(FORMS));
    while (n < VALUES) {
        enum ir_op op = (enum ir_op)below(IR_UNSTATED);
        if (!is_function(op) || !makes_float(op) || op == IR_SFU_RSQ) /* which makes such patterns, too */
            continue;
        struct ir_inst *x[3];
        for (uint32_t k = 0; k < ir_op_info(op)->min_src; k++)
            x[k] = kind_of(op, k) == 'f' ? value[below((uint32_t)n)]
                                         : operand(&b, kind_of(op, k), k, below(FORMS));
        value[n++] = ir_emit(&b, op, IR_F32, ir_op_info(op)->min_src, x, below(2), 0);
    }
    struct ir_inst *y = value[VALUES - 1];
    keep(s, &b, y);
    finish(s, &b);
    char text[100];
    struct question q = {.plain = s, .range = float_range(y), .text = text};
    if (says_something(q.range)) {
        long before = failures;
        struct pass_options options = {.policy = variant->policy};
        snprintf(text, sizeof text, "expression %d, %s", number, variant->name);
        asked++;
        check(&q, 2 * LANES);
        q.lowered = ir_shader_clone(s);
        pass_lower_math(q.lowered, &options);
        check(&q, 4 * LANES);
        char *code = failures > before && failures <= SHOWN ? ir_print_to_string(s) : NULL;
        if (code)
            puts(code);
        free(code);
        ir_shader_destroy(q.lowered);
    }
    ir_shader_destroy(s);
}

/* --- sine and cosine ------------------------------------------------------------------------------------ */

/* A whole revolution in steps of what is left of an angle by the reduction, 2^-25 revolutions, every
 * stride-th of them: the results lie in -1..1, whatever is known of the argument. From 10^6 samples on, all.
 * */
static void ask_turn(enum ir_op op, const struct variant *variant) {
    struct ir_builder b;
    struct ir_shader *s = new_shader(variant, &b);
    struct ir_inst *x = operand(&b, 'f', 0, 0);
    keep(s, &b, ir_op1(&b, op, x));
    finish(s, &b);
    struct pass_options options = {.policy = variant->policy};
    pass_lower_math(s, &options);
    struct batch batch = {.value = calloc(s->next_id + 1, LANES * sizeof *batch.value),
                          .undefined = calloc(s->next_id + 1, LANES)};
    uint32_t stride = samples >= 1000000 ? 1 : 9;
    size_t at = (size_t)result(s)->id * LANES;
    bool ok = batch.value && batch.undefined;
    for (uint32_t turn = 0; ok && turn < 1u << 25; turn += LANES * stride) {
        for (uint32_t i = 0; i < LANES; i++)
            batch.input[0][i] =
                ir_float_to_bits((float)((turn + i * stride) * (6.283185307179586 * 0x1p-25)));
        evaluate(s, &batch, true);
        for (int i = 0; ok && i < LANES; i++)
            if (!inside(batch.value[at + (size_t)i], (struct float_range){-1, 1})) {
                printf("%s, %s: %.9g of %.9g\n", ir_op_info(op)->text, variant->name,
                       ir_bits_to_float(batch.value[at + (size_t)i]), ir_bits_to_float(batch.input[0][i]));
                failures++;
                ok = false;
            }
        computed += LANES;
    }
    free(batch.value);
    free(batch.undefined);
    ir_shader_destroy(s);
}

int main(int argc, char **argv) {
    for (int i = 1; i + 1 < argc; i += 2) {
        if (!strcmp(argv[i], "--samples"))
            samples = atol(argv[i + 1]);
        else if (!strcmp(argv[i], "--seed"))
            state = strtoull(argv[i + 1], NULL, 0);
    }
    for (int op = 0; op < IR_UNSTATED; op++) {
        if (!makes_float((enum ir_op)op) || ir_op_info((enum ir_op)op)->min_src > 4)
            continue;
        if (is_function((enum ir_op)op))
            ask_operation((enum ir_op)op);
        else
            ask_leaf((enum ir_op)op);
    }
    for (int i = 0; i < EXPRESSIONS; i++)
        ask_expression(i);
    for (int v = 0; v < 2; v++) {
        ask_turn(IR_FSIN, &variants[v]);
        ask_turn(IR_FCOS, &variants[v]);
    }
    printf("%ld ranges asserted, %ld results, %ld ranges left\n", asked, computed, failures);
    return failures || asked < 100;
}
