/* The fifteen equations of GL_KHR_blend_equation_advanced.
 *
 * requires: colours in 0..1, premultiplied with their alpha: s and d below, with alphas a and c.
 * keeps:    the source.
 * breaks:   nothing.
 *
 * With s = S a and d = D c the extension's f(S, D) a c + S a (1 - c) + D c (1 - a) is f a c + s (1 - c) +
 * d (1 - a), and most f a c need no division. Alpha is a + c (1 - a) always. A colour without alpha has no
 * premultiplied form: the extension takes it as black. Coherent by nature: a tile's fragments come in order.
 */
#include "passes/lower_output.h"

typedef struct ir_inst *val;

struct mix {
    struct ir_builder *b;
    val s[4], d[4]; /* premultiplied */
    val both;       /* a c */
};

static val mul(struct mix *m, val x, val y) {
    return ir_op2(m->b, IR_FMUL, x, y);
}

static val add(struct mix *m, val x, val y) {
    return ir_op2(m->b, IR_FADD, x, y);
}

static val sub(struct mix *m, val x, val y) {
    return ir_op2(m->b, IR_FSUB, x, y);
}

static val twice(struct mix *m, val x) {
    return add(m, x, x);
}

static val choose(struct mix *m, val when, val x, val y) {
    return ir_op3(m->b, IR_SELECT, when, x, y);
}

/* Both must be at least 0. x / 0 is a large number, but 0 / 0 is 0. */
static val divide(struct mix *m, val x, val y) {
    val least = out_f(m->b, IR_FMAX, y, 1e-30f);
    return mul(m, x, ir_op1(m->b, IR_FRCP, least));
}

/* --- one channel at a time: f a c ----------------------------------------------------------------------- */

/* 2 s d or a c - 2 (a - s) (c - d) */
static val hard(struct mix *m, unsigned i, val when_low) {
    val low = twice(m, mul(m, m->s[i], m->d[i]));
    val s_rest = sub(m, m->s[3], m->s[i]), d_rest = sub(m, m->d[3], m->d[i]);
    val high = sub(m, m->both, twice(m, mul(m, s_rest, d_rest)));
    return choose(m, when_low, low, high);
}

/* min(1, D / (1 - S)), 0 for D = 0, 1 for S = 1 */
static val dodge(struct mix *m, unsigned i) {
    val straight = mul(m, m->d[i], m->s[3]), s_rest = sub(m, m->s[3], m->s[i]);
    val light = divide(m, straight, s_rest);
    return mul(m, m->s[3], ir_op2(m->b, IR_FMIN, light, m->d[3]));
}

/* 1 - min(1, (1 - D) / S), 1 for D = 1, 0 for S = 0 */
static val burn(struct mix *m, unsigned i) {
    val d_rest = sub(m, m->d[3], m->d[i]);
    val dark = divide(m, mul(m, d_rest, m->s[3]), m->s[i]);
    return sub(m, m->both, mul(m, m->s[3], ir_op2(m->b, IR_FMIN, dark, m->d[3])));
}

/* With x = 2 s - a: d a + x times what D says: D (1 - D), D ((16 D - 12) D + 3) or sqrt(D) - D, times c. */
static val soft(struct mix *m, unsigned i) {
    struct ir_builder *b = m->b;
    val x = sub(m, twice(m, m->s[i]), m->s[3]);
    val D = divide(m, m->d[i], m->d[3]);
    val darken = mul(m, D, out_rest(b, D));
    val cubic = out_f(b, IR_FSUB, out_f(b, IR_FMUL, D, 16.0f), 12.0f);
    cubic = out_f(b, IR_FADD, mul(m, cubic, D), 3.0f);
    val dim = mul(m, cubic, D);
    val bright = sub(m, ir_op1(b, IR_FSQRT, D), D);
    val is_bright = out_f(b, IR_FGE, D, 0.25f);
    val lighten = choose(m, is_bright, bright, dim);
    val is_dark = out_f(b, IR_FLT, x, 0.0f);
    val curve = choose(m, is_dark, darken, lighten);
    val straight = mul(m, m->d[i], m->s[3]);
    return add(m, straight, mul(m, x, mul(m, curve, m->d[3])));
}

static val channel(struct mix *m, unsigned equation, unsigned i) {
    struct ir_builder *b = m->b;
    val sc = mul(m, m->s[i], m->d[3]), da = mul(m, m->d[i], m->s[3]), sd = mul(m, m->s[i], m->d[i]);
    switch (equation) {
    case QPUCC_BLEND_MULTIPLY: return sd;
    case QPUCC_BLEND_SCREEN: return sub(m, add(m, sc, da), sd);
    case QPUCC_BLEND_OVERLAY: return hard(m, i, ir_op2(b, IR_FGE, m->d[3], twice(m, m->d[i])));
    case QPUCC_BLEND_DARKEN: return ir_op2(b, IR_FMIN, sc, da);
    case QPUCC_BLEND_LIGHTEN: return ir_op2(b, IR_FMAX, sc, da);
    case QPUCC_BLEND_COLORDODGE: return dodge(m, i);
    case QPUCC_BLEND_COLORBURN: return burn(m, i);
    case QPUCC_BLEND_HARDLIGHT: return hard(m, i, ir_op2(b, IR_FGE, m->s[3], twice(m, m->s[i])));
    case QPUCC_BLEND_SOFTLIGHT: return soft(m, i);
    case QPUCC_BLEND_DIFFERENCE: return ir_op1(b, IR_FABS, sub(m, sc, da));
    default: sc = add(m, sc, da); return sub(m, sc, twice(m, sd)); /* EXCLUSION */
    }
}

/* --- hue, saturation, luminosity ------------------------------------------------------------------------ */

struct color {
    val c[3];
};

static val extreme(struct mix *m, enum ir_op op, const struct color *x) {
    return ir_op2(m->b, op, ir_op2(m->b, op, x->c[0], x->c[1]), x->c[2]);
}

static val luminosity(struct mix *m, const struct color *x) {
    val red = out_f(m->b, IR_FMUL, x->c[0], 0.30f), green = out_f(m->b, IR_FMUL, x->c[1], 0.59f);
    val blue = out_f(m->b, IR_FMUL, x->c[2], 0.11f);
    return add(m, add(m, red, green), blue);
}

static val saturation(struct mix *m, const struct color *x) {
    val most = extreme(m, IR_FMAX, x), least = extreme(m, IR_FMIN, x);
    return sub(m, most, least);
}

/* The same distances from `middle`, times `scale` where `when` is true. */
static void shrink(struct mix *m, struct color *x, val middle, val when, val scale) {
    for (int i = 0; i < 3; i++) {
        val nearer = add(m, middle, mul(m, sub(m, x->c[i], middle), scale));
        x->c[i] = choose(m, when, nearer, x->c[i]);
    }
}

/* `base` in the luminosity of `light`, pulled into 0..1 */
static struct color set_luminosity(struct mix *m, const struct color *base, const struct color *light) {
    struct ir_builder *b = m->b;
    val target = luminosity(m, light), own = luminosity(m, base);
    val off = sub(m, target, own);
    struct color x;
    for (int i = 0; i < 3; i++)
        x.c[i] = add(m, base->c[i], off);
    val lum = luminosity(m, &x), least = extreme(m, IR_FMIN, &x), most = extreme(m, IR_FMAX, &x);
    val below = sub(m, lum, least), above = sub(m, most, lum), rest = out_rest(b, lum);
    val down = divide(m, lum, below),
        up = divide(m, rest, above); /* of the colour before either correction */
    shrink(m, &x, lum, out_f(b, IR_FLT, least, 0.0f), down);
    val one = ir_const_f(b, 1.0f);
    shrink(m, &x, lum, ir_op2(b, IR_FLT, one, most), up);
    return x;
}

/* and the saturation of a third */
static struct color set_saturation(struct mix *m, const struct color *base, const struct color *saturated,
                                   const struct color *light) {
    val least = extreme(m, IR_FMIN, base), own = saturation(m, base), wanted = saturation(m, saturated);
    val scale = divide(m, wanted, own);
    struct color x;
    for (int i = 0; i < 3; i++) /* a colour of no saturation becomes black: all its distances are 0 */
        x.c[i] = mul(m, sub(m, base->c[i], least), scale);
    return set_luminosity(m, &x, light);
}

static struct color hsl(struct mix *m, unsigned equation) {
    struct color S, D;
    for (int i = 0; i < 3; i++) {
        S.c[i] = divide(m, m->s[i], m->s[3]);
        D.c[i] = divide(m, m->d[i], m->d[3]);
    }
    switch (equation) {
    case QPUCC_BLEND_HSL_HUE: return set_saturation(m, &S, &D, &D);
    case QPUCC_BLEND_HSL_SATURATION: return set_saturation(m, &D, &S, &D);
    case QPUCC_BLEND_HSL_COLOR: return set_luminosity(m, &S, &D);
    default: return set_luminosity(m, &D, &S); /* HSL_LUMINOSITY */
    }
}

/* --- all ------------------------------------------------------------------------------------------------ */

/* Black where alpha is 0. */
static void premultiplied(struct mix *m, val out[4], val const in[4]) {
    val none = out_f(m->b, IR_FEQ, in[3], 0.0f);
    for (int i = 0; i < 3; i++) {
        val black = ir_const_f(m->b, 0.0f);
        out[i] = choose(m, none, black, in[i]);
    }
    out[3] = in[3];
}

void lower_blend_advanced(struct ir_builder *b, unsigned equation, val const source[4], val const target[4],
                          val result[4]) {
    struct mix m = {.b = b};
    premultiplied(&m, m.s, source);
    premultiplied(&m, m.d, target);
    m.both = mul(&m, m.s[3], m.d[3]);
    val s_rest = out_rest(b, m.s[3]), d_rest = out_rest(b, m.d[3]);
    struct color x = {{NULL}};
    if (equation >= QPUCC_BLEND_HSL_HUE)
        x = hsl(&m, equation);
    for (unsigned i = 0; i < 3; i++) {
        val f = equation >= QPUCC_BLEND_HSL_HUE ? mul(&m, x.c[i], m.both) : channel(&m, equation, i);
        val s_alone = mul(&m, m.s[i], d_rest), d_alone = mul(&m, m.d[i], s_rest);
        result[i] = add(&m, add(&m, f, s_alone), d_alone);
    }
    val behind = mul(&m, m.d[3], s_rest);
    result[3] = add(&m, m.s[3], behind);
}
