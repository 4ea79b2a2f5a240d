/* Random colours made of texels, constants and clamped uniforms: their bytes after pass `vectorize_bytes`
 * against those before it.
 *
 * As modelled every byte has to be within one step, in lowp and mediump. In mediump also where each product
 * of packed bytes is one step more or less than modelled (a product with zero is zero): nobody has measured
 * that rounding. At least a third of the programs have to be rewritten, or the test has lost its subject.
 * Fixed seeds; `bytes_test [first count]` runs others. */
#include "interp.h"
#include "passes/eval.h"
#include "passes/passes.h"

#include <stdlib.h>
#include <string.h>

enum { WORDS = 4, FLOATS = 8, RUNS = 40 };

typedef struct {
    struct ir_inst *c[4];
} vec;

struct gen {
    uint64_t seed;
    struct ir_builder b;
};

static uint32_t pick(struct gen *g, uint32_t n) {
    g->seed = g->seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(g->seed >> 33) % n;
}

static vec each(struct gen *g, enum ir_op op, vec x, vec y) {
    vec r;
    for (int k = 0; k < 4; k++)
        r.c[k] = pick(g, 2) && ir_op_info(op)->commutes ? ir_op2(&g->b, op, y.c[k], x.c[k])
                                                        : ir_op2(&g->b, op, x.c[k], y.c[k]);
    return r;
}

static vec splat(struct ir_inst *x) {
    return (vec){{x, x, x, x}};
}

static vec texel(struct gen *g) {
    uint32_t slot = ir_slot(
        g->b.shader, (struct ir_slot){.kind = IR_SLOT_UNIFORM, .type = IR_I32, .value = pick(g, WORDS)});
    struct ir_inst *word = ir_uniform(&g->b, IR_I32, slot);
    bool alpha = pick(g, 4) == 0;
    vec r;
    for (uint32_t k = 0; k < 4; k++)
        r.c[k] = ir_emit(&g->b, IR_UNPACK_8F, IR_F32, 1, &word, alpha ? 3 : k, 0);
    return r;
}

static vec leaf(struct gen *g) {
    vec r;
    switch (pick(g, 8)) {
    case 0:
        for (int k = 0; k < 4; k++)
            r.c[k] = ir_const_f(&g->b, pick(g, 2) ? (float)pick(g, 256) / 255 : (float)pick(g, 1000) / 999);
        return r;
    case 1:
        for (int k = 0; k < 4; k++) {
            struct ir_slot slot = {.kind = IR_SLOT_UNIFORM, .type = IR_F32, .value = WORDS + pick(g, FLOATS)};
            r.c[k] = ir_op1(&g->b, IR_FSAT, ir_uniform(&g->b, IR_F32, ir_slot(g->b.shader, slot)));
        }
        return r;
    default: return texel(g);
    }
}

static vec colour(struct gen *g, int depth) {
    if (depth == 0)
        return leaf(g);
    static const enum ir_op ops[] = {IR_FMUL, IR_FMUL, IR_FADD, IR_FSUB, IR_FMIN, IR_FMAX};
    vec x = colour(g, depth - 1), y = pick(g, 2) ? leaf(g) : colour(g, depth - 1), r;
    switch (pick(g, 11)) {
    case 0: return each(g, IR_FSUB, splat(ir_const_f(&g->b, 1)), x);
    case 1:
        for (int k = 0; k < 4; k++)
            r.c[k] = ir_op1(&g->b, IR_FSAT, x.c[k]);
        return r;
    case 2: { /* mix */
        vec t = leaf(g);
        return each(g, IR_FADD, x, each(g, IR_FMUL, each(g, IR_FSUB, y, x), t));
    }
    case 3: {
        vec t = leaf(g);
        vec rest = each(g, IR_FSUB, splat(ir_const_f(&g->b, 1)), t);
        return each(g, IR_FADD, each(g, IR_FMUL, x, rest), each(g, IR_FMUL, y, t));
    }
    case 4: {
        struct ir_slot slot = {.kind = IR_SLOT_UNIFORM, .type = IR_F32, .value = WORDS + pick(g, FLOATS)};
        struct ir_inst *u = ir_uniform(&g->b, IR_F32, ir_slot(g->b.shader, slot));
        struct ir_inst *less = ir_op2(&g->b, IR_FLT, u, ir_const_f(&g->b, 0.5f));
        for (int k = 0; k < 4; k++)
            r.c[k] = ir_op3(&g->b, IR_SELECT, less, x.c[k], y.c[k]);
        return r;
    }
    default: return each(g, ops[pick(g, 6)], x, y);
    }
}

static struct ir_shader *build(uint64_t seed, uint8_t precision) {
    struct ir_shader *shader = ir_shader_create(NULL, QPUCC_FRAGMENT);
    struct gen g = {.seed = seed * 77 + 5, .b = ir_builder_at_end(shader->blocks[0])};
    struct ir_symbol *u = ir_add_symbol(shader, &shader->uniforms, "u");
    u->rows = u->cols = 1;
    u->array_len = WORDS + FLOATS;
    u->is_array = true;
    shader->uniforms.words = WORDS + FLOATS;
    shader->lowered = true;
    g.b.precision = precision;
    vec v = colour(&g, 1 + (int)pick(&g, 3));
    if (pick(&g, 3) == 0)
        v.c[3] = ir_const_f(&g.b, (float)pick(&g, 2));
    struct ir_inst *packed = ir_emit(&g.b, IR_PACK_COLOR, IR_I32, 4, v.c, 0, 0);
    ir_emit(&g.b, IR_TLB_COLOR, IR_VOID, 1, &packed, 0, 0);
    ir_end(&g.b);
    return shader;
}

/* Every product one more or one less, but for products with zero. */
static void disturb(struct ir_shader *shader, uint64_t seed) {
    struct gen g = {.seed = seed};
    ir_for_blocks(shader, block) {
        ir_for_insts(block, inst) {
            if (inst->op != IR_V8MULD)
                continue;
            struct ir_builder b = ir_builder_before(inst);
            struct ir_inst *x = ir_value(inst->src[0]), *y = ir_value(inst->src[1]);
            uint32_t off = 0;
            for (int k = 0; k < 4; k++)
                off |= pick(&g, 2) << 8 * k;
            struct ir_inst *step = ir_op2(&b, IR_V8MIN, ir_op2(&b, IR_V8MIN, x, y), ir_const_i(&b, off));
            struct ir_inst *product = ir_op2(&b, IR_V8MULD, x, y);
            ir_replace(inst, ir_op2(&b, pick(&g, 2) ? IR_V8ADDS : IR_V8SUBS, product, step));
        }
    }
    ir_resolve(shader);
}

static uint32_t run(const struct ir_shader *shader, struct interp *in) {
    char error[200] = "";
    in->machine = true;
    if (!interp_run(shader, in, 4, error, sizeof error) || !in->color_written) {
        fprintf(stderr, "%s\n", error);
        exit(EXIT_FAILURE);
    }
    return in->color;
}

static int most_apart(uint32_t a, uint32_t b) {
    int most = 0;
    for (int shift = 0; shift < 32; shift += 8) {
        int d = abs((int)(a >> shift & 255) - (int)(b >> shift & 255));
        most = d > most ? d : most;
    }
    return most;
}

static bool check(uint64_t seed, uint8_t precision, bool *rewritten) {
    struct ir_shader *before = build(seed, precision), *after = ir_shader_clone(before), *off;
    char error[300] = "", names[] = "vectorize_bytes,dce";
    bool ok = passes_run_named(after, names, NULL, error, sizeof error);
    if (!ok)
        fprintf(stderr, "seed %u: %s\n", (unsigned)seed, error);
    *rewritten = true;
    ir_for_blocks(after, block) {
        ir_for_insts(block, inst) {
            *rewritten &= inst->op != IR_TLB_COLOR || inst->src[0]->op != IR_PACK_COLOR;
        }
    }
    off = ir_shader_clone(after);
    disturb(off, seed);
    struct gen g = {.seed = seed};
    static struct interp in;
    for (int trial = 0; ok && trial < RUNS; trial++) {
        for (int k = 0; k < WORDS; k++) {
            in.uniform[k] = 0;
            for (int shift = 0; shift < 32; shift += 8)
                in.uniform[k] |= (pick(&g, 4) ? pick(&g, 256) : pick(&g, 2) * 255) << shift;
        }
        for (int k = 0; k < FLOATS; k++)
            in.uniform[WORDS + k] = ir_float_to_bits((float)pick(&g, 3000) / 1000 - 1);
        uint32_t want = run(before, &in), got = run(after, &in), beside = run(off, &in);
        int apart = most_apart(want, got);
        if (precision != IR_LOWP && most_apart(want, beside) > apart)
            apart = most_apart(want, beside), got = beside;
        if (apart > 1) {
            fprintf(stderr, "seed %u, precision %u: %08x, should be %08x\n", (unsigned)seed, precision, got,
                    want);
            ir_print(before, stderr);
            ir_print(after, stderr);
            ok = false;
        }
    }
    ir_shader_destroy(before);
    ir_shader_destroy(after);
    ir_shader_destroy(off);
    return ok;
}

int main(int argc, char **argv) {
    uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 10) : 0,
             count = argc > 2 ? strtoull(argv[2], NULL, 10) : 4000;
    uint64_t rewritten = 0;
    for (uint64_t seed = first; seed < first + count; seed++)
        for (uint8_t precision = IR_MEDIUMP; precision <= IR_LOWP; precision++) {
            bool did;
            if (!check(seed, precision, &did))
                return EXIT_FAILURE;
            rewritten += did;
        }
    printf("%llu of %llu colours rewritten\n", (unsigned long long)rewritten,
           (unsigned long long)(2 * count));
    return rewritten * 3 > 2 * count ? EXIT_SUCCESS : EXIT_FAILURE;
}
