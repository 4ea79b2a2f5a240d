/* GLSL.std.450: GL's built-in functions in scalar operations.
 *
 * Written for this ALU: there is no fused multiply-add, multiply and add issue together, and 1/sqrt, 2^x and
 * log2 are one special function each. A function with an operation in ops.def becomes that operation;
 * lower_math decides its precision later. */
#include "frontend/spirv/reader.h"

#include <math.h>

#define B (&r->b)

static struct ir_inst *f(struct fe_reader *r, double value) {
    return ir_const_f(B, (float)value);
}
static struct ir_inst *i(struct fe_reader *r, uint32_t value) {
    return ir_const_i(B, value);
}
static struct ir_inst *mul(struct fe_reader *r, struct ir_inst *a, struct ir_inst *b) {
    return ir_op2(B, IR_FMUL, a, b);
}
static struct ir_inst *add(struct fe_reader *r, struct ir_inst *a, struct ir_inst *b) {
    return ir_op2(B, IR_FADD, a, b);
}
static struct ir_inst *sub(struct fe_reader *r, struct ir_inst *a, struct ir_inst *b) {
    return ir_op2(B, IR_FSUB, a, b);
}
static struct ir_inst *one(struct fe_reader *r, enum ir_op op, struct ir_inst *a) {
    return ir_op1(B, op, a);
}

static bool is_const_f(const struct ir_inst *x, float value) {
    return ir_is_const(x) && x->type == IR_F32 && ir_float(x) == value;
}

/* --- one component at a time ---------------------------------------------------------------------------- */

static struct ir_inst *exp_e(struct fe_reader *r, struct ir_inst *x) {
    return one(r, IR_FEXP2, mul(r, x, f(r, 1.4426950408889634)));
}
static struct ir_inst *log_e(struct fe_reader *r, struct ir_inst *x) {
    struct ir_inst *ln2 = f(r, 0.6931471805599453);
    return mul(r, one(r, IR_FLOG2, x), ln2);
}

/* x for |x| too small for the formula, which would cancel. */
static struct ir_inst *unless_small(struct fe_reader *r, struct ir_inst *x, double limit,
                                    struct ir_inst *value) {
    struct ir_inst *most = f(r, limit), *small = ir_op2(B, IR_FLT, one(r, IR_FABS, x), most);
    return ir_op3(B, IR_SELECT, small, x, value);
}

static struct ir_inst *hyperbolic(struct fe_reader *r, uint32_t op, struct ir_inst *x) {
    if (op == GLSLstd450Tanh) { /* (e^2x - 1) / (e^2x + 1); 1 beyond 10 to the last bit, and no overflow */
        struct ir_inst *low = f(r, -10), *limited = ir_op2(B, IR_FMAX, ir_op2(B, IR_FMIN, x, f(r, 10)), low);
        struct ir_inst *e = one(r, IR_FEXP2, mul(r, limited, f(r, 2.8853900817779268)));
        struct ir_inst *below = add(r, e, f(r, 1)), *above = sub(r, e, f(r, 1));
        return unless_small(r, x, 0.005, ir_op2(B, IR_FDIV, above, below));
    }
    struct ir_inst *up = exp_e(r, x), *down = exp_e(r, one(r, IR_FNEG, x)), *half = f(r, 0.5);
    if (op == GLSLstd450Cosh)
        return mul(r, add(r, up, down), half);
    return unless_small(r, x, 0.005, mul(r, sub(r, up, down), half));
}

static struct ir_inst *inverse_hyperbolic(struct fe_reader *r, uint32_t op, struct ir_inst *x) {
    struct ir_inst *root, *result, *one_f = f(r, 1);
    switch (op) {
    case GLSLstd450Asinh: /* odd: on |x| the sum does not cancel */
        root = one(r, IR_FSQRT, add(r, mul(r, x, x), one_f));
        result = one(r, IR_FSIGN, x);
        result = mul(r, log_e(r, add(r, one(r, IR_FABS, x), root)), result);
        return unless_small(r, x, 0.005, result);
    case GLSLstd450Acosh:
        root = one(r, IR_FSQRT, sub(r, mul(r, x, x), one_f));
        return log_e(r, add(r, x, root));
    default: /* Atanh */
        result = sub(r, one_f, x);
        result = log_e(r, ir_op2(B, IR_FDIV, add(r, one_f, x), result));
        return unless_small(r, x, 0.005, mul(r, result, f(r, 0.5)));
    }
}

static struct ir_inst *find_bit(struct fe_reader *r, uint32_t op, struct ir_inst *x) {
    /* ICLZ of 0 is 32, so nothing found is 31 - 32 = -1 as GLSL wants it. */
    if (op == GLSLstd450FindILsb)
        x = ir_op2(B, IR_IAND, x, one(r, IR_INEG, x));
    else if (op == GLSLstd450FindSMsb)
        x = ir_op2(B, IR_IXOR, x, ir_op2(B, IR_IASR, x, i(r, 31)));
    x = one(r, IR_ICLZ, x);
    return ir_op2(B, IR_ISUB, i(r, 31), x);
}

static struct ir_inst *ldexp_of(struct fe_reader *r, struct ir_inst *x, struct ir_inst *e) {
    /* 2^e in two halves, each a normal number for every exponent that can matter. */
    struct ir_inst *low = i(r, (uint32_t)-252),
                   *limited = ir_op2(B, IR_IMAX, ir_op2(B, IR_IMIN, e, i(r, 252)), low);
    struct ir_inst *half = ir_op2(B, IR_IASR, limited, i(r, 1)), *rest = ir_op2(B, IR_ISUB, limited, half);
    struct ir_inst *part[2] = {half, rest};
    for (int k = 0; k < 2; k++) {
        struct ir_inst *place = i(r, 23),
                       *bits = ir_op2(B, IR_ISHL, ir_op2(B, IR_IADD, part[k], i(r, 127)), place);
        x = mul(r, x, one(r, IR_IBITS, bits));
    }
    return x;
}

/* frexp: significand in 0.5..1 and exponent; 0 for 0. */
static void frexp_of(struct fe_reader *r, struct ir_inst *x, struct ir_inst **significand,
                     struct ir_inst **exponent) {
    struct ir_inst *bits = one(r, IR_FBITS, x), *zero = ir_op2(B, IR_FEQ, x, f(r, 0));
    struct ir_inst *byte = i(r, 255), *field = ir_op2(B, IR_IAND, ir_op2(B, IR_USHR, bits, i(r, 23)), byte);
    struct ir_inst *half = i(r, 0x3f000000),
                   *mantissa = ir_op2(B, IR_IOR, ir_op2(B, IR_IAND, bits, i(r, 0x807fffff)), half);
    *significand = ir_op3(B, IR_SELECT, zero, x, one(r, IR_IBITS, mantissa));
    *exponent = ir_op2(B, IR_ISUB, field, i(r, 126));
    *exponent = ir_op3(B, IR_SELECT, zero, i(r, 0), *exponent);
}

static struct ir_inst *smoothstep(struct fe_reader *r, struct ir_inst *low, struct ir_inst *high,
                                  struct ir_inst *x) {
    struct ir_inst *span = sub(r, high, low);
    struct ir_inst *t = one(r, IR_FSAT, ir_op2(B, IR_FDIV, sub(r, x, low), span));
    struct ir_inst *twice = add(r, t, t), *rest = sub(r, f(r, 3), twice);
    return mul(r, mul(r, t, t), rest);
}

static struct ir_inst *clamp(struct fe_reader *r, struct ir_inst *x, struct ir_inst *low,
                             struct ir_inst *high) {
    if (is_const_f(low, 0) && is_const_f(high, 1))
        return one(r, IR_FSAT, x);
    return ir_op2(B, IR_FMIN, ir_op2(B, IR_FMAX, x, low), high);
}

static struct ir_inst *component(struct fe_reader *r, uint32_t op, struct ir_inst *x, struct ir_inst *y,
                                 struct ir_inst *z) {
    switch (op) {
    case GLSLstd450Round: return one(r, IR_FROUND, x);
    case GLSLstd450RoundEven: return one(r, IR_FROUNDEVEN, x);
    case GLSLstd450Trunc: return one(r, IR_FTRUNC, x);
    case GLSLstd450FAbs: return one(r, IR_FABS, x);
    case GLSLstd450SAbs: return one(r, IR_IABS, x);
    case GLSLstd450FSign: return one(r, IR_FSIGN, x);
    case GLSLstd450SSign: return one(r, IR_ISIGN, x);
    case GLSLstd450Floor: return one(r, IR_FFLOOR, x);
    case GLSLstd450Ceil: return one(r, IR_FCEIL, x);
    case GLSLstd450Fract: return one(r, IR_FFRACT, x);
    case GLSLstd450Radians: return mul(r, x, f(r, 0.017453292519943295));
    case GLSLstd450Degrees: return mul(r, x, f(r, 57.29577951308232));
    case GLSLstd450Sin: return one(r, IR_FSIN, x);
    case GLSLstd450Cos: return one(r, IR_FCOS, x);
    case GLSLstd450Tan: return one(r, IR_FTAN, x);
    case GLSLstd450Asin: return one(r, IR_FASIN, x);
    case GLSLstd450Acos: return one(r, IR_FACOS, x);
    case GLSLstd450Atan: return one(r, IR_FATAN, x);
    case GLSLstd450Atan2: return ir_op2(B, IR_FATAN2, x, y);
    case GLSLstd450Sinh:
    case GLSLstd450Cosh:
    case GLSLstd450Tanh: return hyperbolic(r, op, x);
    case GLSLstd450Asinh:
    case GLSLstd450Acosh:
    case GLSLstd450Atanh: return inverse_hyperbolic(r, op, x);
    case GLSLstd450Pow: return ir_op2(B, IR_FPOW, x, y);
    case GLSLstd450Exp: return exp_e(r, x);
    case GLSLstd450Log: return log_e(r, x);
    case GLSLstd450Exp2: return one(r, IR_FEXP2, x);
    case GLSLstd450Log2: return one(r, IR_FLOG2, x);
    case GLSLstd450Sqrt: return one(r, IR_FSQRT, x);
    case GLSLstd450InverseSqrt: return one(r, IR_FRSQ, x);
    case GLSLstd450FMin:
    case GLSLstd450NMin: return ir_op2(B, IR_FMIN, x, y);
    case GLSLstd450FMax:
    case GLSLstd450NMax: return ir_op2(B, IR_FMAX, x, y);
    case GLSLstd450UMin: return ir_op2(B, IR_UMIN, x, y);
    case GLSLstd450UMax: return ir_op2(B, IR_UMAX, x, y);
    case GLSLstd450SMin: return ir_op2(B, IR_IMIN, x, y);
    case GLSLstd450SMax: return ir_op2(B, IR_IMAX, x, y);
    case GLSLstd450FClamp:
    case GLSLstd450NClamp: return clamp(r, x, y, z);
    case GLSLstd450UClamp: return ir_op2(B, IR_UMIN, ir_op2(B, IR_UMAX, x, y), z);
    case GLSLstd450SClamp: return ir_op2(B, IR_IMIN, ir_op2(B, IR_IMAX, x, y), z);
    case GLSLstd450FMix: return add(r, x, mul(r, z, sub(r, y, x)));
    case GLSLstd450Step: return one(r, IR_B2F, ir_op2(B, IR_FGE, y, x));
    case GLSLstd450SmoothStep: return smoothstep(r, x, y, z);
    case GLSLstd450Fma: return add(r, mul(r, x, y), z);
    case GLSLstd450Ldexp: return ldexp_of(r, x, y);
    case GLSLstd450FindILsb:
    case GLSLstd450FindSMsb:
    case GLSLstd450FindUMsb: return find_bit(r, op, x);
    }
    return NULL;
}

/* How many operands a componentwise function has, and of what type: 'f' or 'i' each. NULL: not componentwise.
 */
static const char *signature(uint32_t op) {
    switch (op) {
    case GLSLstd450SAbs:
    case GLSLstd450SSign:
    case GLSLstd450FindILsb:
    case GLSLstd450FindSMsb:
    case GLSLstd450FindUMsb: return "i";
    case GLSLstd450UMin:
    case GLSLstd450UMax:
    case GLSLstd450SMin:
    case GLSLstd450SMax: return "ii";
    case GLSLstd450UClamp:
    case GLSLstd450SClamp: return "iii";
    case GLSLstd450Ldexp: return "fi";
    case GLSLstd450Atan2:
    case GLSLstd450Pow:
    case GLSLstd450FMin:
    case GLSLstd450FMax:
    case GLSLstd450NMin:
    case GLSLstd450NMax:
    case GLSLstd450Step: return "ff";
    case GLSLstd450FClamp:
    case GLSLstd450NClamp:
    case GLSLstd450FMix:
    case GLSLstd450SmoothStep:
    case GLSLstd450Fma: return "fff";
    }
    if (op >= GLSLstd450Round && op <= GLSLstd450InverseSqrt)
        return "f";
    return NULL;
}

/* --- geometry ------------------------------------------------------------------------------------------- */

static struct ir_inst *length(struct fe_reader *r, struct ir_inst *const *x, uint32_t n) {
    return n == 1 ? one(r, IR_FABS, x[0]) : one(r, IR_FSQRT, fe_dot(r, x, x, n));
}

static struct ir_inst **geometry(struct fe_reader *r, uint32_t op, uint32_t n, struct ir_inst **x,
                                 struct ir_inst **y, struct ir_inst **z) {
    struct ir_inst **out = fe_words(r, n), *t;
    if (r->failed)
        return NULL;
    switch (op) {
    case GLSLstd450Length: out[0] = length(r, x, n); break;
    case GLSLstd450Distance:
        for (uint32_t k = 0; k < n; k++)
            out[k] = sub(r, x[k], y[k]);
        out[0] = length(r, out, n);
        break;
    case GLSLstd450Normalize:
        if (n == 1) {
            out[0] = one(r, IR_FSIGN, x[0]);
            break;
        }
        t = one(r, IR_FRSQ, fe_dot(r, x, x, n));
        for (uint32_t k = 0; k < n; k++)
            out[k] = mul(r, x[k], t);
        break;
    case GLSLstd450Cross:
        if (n != 3)
            return fe_malformed(r), NULL;
        for (uint32_t k = 0; k < 3; k++) {
            uint32_t a = (k + 1) % 3, b = (k + 2) % 3;
            out[k] = mul(r, y[a], x[b]);
            out[k] = sub(r, mul(r, x[a], y[b]), out[k]);
        }
        break;
    case GLSLstd450Reflect: /* I - 2 dot(N, I) N */
        t = fe_dot(r, y, x, n);
        t = add(r, t, t);
        for (uint32_t k = 0; k < n; k++)
            out[k] = sub(r, x[k], mul(r, t, y[k]));
        break;
    case GLSLstd450Refract: { /* z[0] is eta */
        struct ir_inst *d = fe_dot(r, y, x, n), *eta = z[0];
        struct ir_inst *square = mul(r, d, d), *sine = sub(r, f(r, 1), square);
        struct ir_inst *s = mul(r, mul(r, eta, eta), sine);
        struct ir_inst *rest = sub(r, f(r, 1), s), *none = ir_op2(B, IR_FLT, rest, f(r, 0));
        t = one(r, IR_FSQRT, ir_op2(B, IR_FMAX, rest, f(r, 0)));
        t = add(r, mul(r, eta, d), t);
        for (uint32_t k = 0; k < n; k++) {
            out[k] = mul(r, t, y[k]);
            out[k] = sub(r, mul(r, eta, x[k]), out[k]);
            out[k] = ir_op3(B, IR_SELECT, none, f(r, 0), out[k]);
        }
        break;
    }
    default: /* FaceForward(N, I, Nref) */
        t = f(r, 0);
        t = ir_op2(B, IR_FLT, fe_dot(r, z, y, n), t);
        for (uint32_t k = 0; k < n; k++)
            out[k] = ir_op3(B, IR_SELECT, t, x[k], one(r, IR_FNEG, x[k]));
    }
    return out;
}

/* --- packing -------------------------------------------------------------------------------------------- */

static struct ir_inst *to_field(struct fe_reader *r, struct ir_inst *x, bool is_signed, uint32_t bits) {
    uint32_t top = is_signed ? (1u << (bits - 1)) - 1 : (1u << bits) - 1;
    struct ir_inst *high = is_signed ? f(r, 1) : NULL;
    struct ir_inst *limited = is_signed ? clamp(r, x, f(r, -1), high) : one(r, IR_FSAT, x);
    struct ir_inst *whole = one(r, IR_F2I, one(r, IR_FROUND, mul(r, limited, f(r, top))));
    return is_signed ? ir_op2(B, IR_IAND, whole, i(r, (1u << bits) - 1)) : whole;
}

static struct ir_inst **pack(struct fe_reader *r, uint32_t op, struct ir_inst **x) {
    struct ir_inst **out = fe_words(r, 1), *all[4];
    bool is_signed = op == GLSLstd450PackSnorm4x8 || op == GLSLstd450PackSnorm2x16;
    uint32_t bits = op == GLSLstd450PackSnorm4x8 || op == GLSLstd450PackUnorm4x8 ? 8 : 16;
    if (r->failed)
        return NULL;
    if (op == GLSLstd450PackHalf2x16) {
        out[0] = ir_op2(B, IR_PACK_16F, x[0], x[1]);
    } else if (op == GLSLstd450PackUnorm4x8) {
        out[0] = ir_emit(B, IR_PACK_COLOR, IR_I32, 4, x, 0, 0);
    } else {
        for (uint32_t k = 0; k < 32 / bits; k++) {
            all[k] = to_field(r, x[k], is_signed, bits);
            if (k)
                all[k] = ir_op2(B, IR_ISHL, all[k], i(r, k * bits));
            out[0] = k ? ir_op2(B, IR_IOR, out[0], all[k]) : all[0];
        }
    }
    return out;
}

static struct ir_inst **unpack(struct fe_reader *r, uint32_t op, struct ir_inst *x) {
    bool bytes = op == GLSLstd450UnpackUnorm4x8 || op == GLSLstd450UnpackSnorm4x8;
    uint32_t n = bytes ? 4 : 2, bits = 32 / n;
    struct ir_inst **out = fe_words(r, n);
    if (r->failed)
        return NULL;
    for (uint32_t k = 0; k < n; k++) {
        switch (op) {
        case GLSLstd450UnpackUnorm4x8: out[k] = ir_emit(B, IR_UNPACK_8F, IR_F32, 1, &x, k, 0); break;
        case GLSLstd450UnpackHalf2x16: out[k] = ir_emit(B, IR_UNPACK_16F, IR_F32, 1, &x, k, 0); break;
        case GLSLstd450UnpackUnorm2x16: {
            struct ir_inst *field = k ? ir_op2(B, IR_USHR, x, i(r, 16)) : ir_op2(B, IR_IAND, x, i(r, 0xffff));
            out[k] = f(r, 1.0 / 65535);
            out[k] = mul(r, one(r, IR_I2F, field), out[k]);
            break;
        }
        default: { /* signed: the lowest value is one step beyond -1 */
            struct ir_inst *high = ir_op2(B, IR_ISHL, x, i(r, 32 - bits * (k + 1)));
            struct ir_inst *field = one(r, IR_I2F, ir_op2(B, IR_IASR, high, i(r, 32 - bits)));
            double top = (1u << (bits - 1)) - 1;
            out[k] = f(r, -1);
            out[k] = ir_op2(B, IR_FMAX, mul(r, field, f(r, 1.0 / top)), out[k]);
        }
        }
    }
    return out;
}

/* --- results of two parts ------------------------------------------------------------------------------- */

/* modf and frexp: the second result goes into a structure or through a pointer. */
static struct ir_inst **two_parts(struct fe_reader *r, const struct fe_op *op, uint32_t which) {
    bool structure = which == GLSLstd450ModfStruct || which == GLSLstd450FrexpStruct;
    bool exponent = which == GLSLstd450Frexp || which == GLSLstd450FrexpStruct;
    uint32_t n = structure ? op->type->words / 2 : op->type->words;
    if (op->nargs < (structure ? 3u : 4u))
        return fe_malformed(r), NULL;
    struct ir_inst **x = fe_value_n(r, op->arg[2], n), **out = fe_words(r, 2 * n);
    if (!x || r->failed)
        return NULL;
    for (uint32_t k = 0; k < n; k++) {
        if (x[k]->type != IR_F32)
            return fe_malformed(r), NULL;
        if (exponent) {
            frexp_of(r, x[k], &out[k], &out[n + k]);
        } else {
            out[n + k] = one(r, IR_FTRUNC, x[k]);
            out[k] = sub(r, x[k], out[n + k]);
        }
    }
    if (structure)
        return out;
    struct fe_pointer *to = fe_get_pointer(r, op->arg[3]);
    if (!to)
        return NULL;
    if (to->type->words != n)
        return fe_malformed(r), NULL;
    return fe_store(r, to, out + n) ? out : NULL;
}

/* --- the way in ----------------------------------------------------------------------------------------- */

/* Operand k: `count` words, all of type `type`. */
static struct ir_inst **typed(struct fe_reader *r, const struct fe_op *op, uint32_t k, uint32_t count,
                              enum ir_type type) {
    if (op->nargs < 3 + k)
        return fe_malformed(r), NULL;
    struct ir_inst **word = fe_value_n(r, op->arg[2 + k], count);
    for (uint32_t n = 0; word && n < count; n++)
        if (word[n]->type != type)
            return fe_malformed(r), NULL;
    return word;
}

static uint32_t operand_words(struct fe_reader *r, const struct fe_op *op, uint32_t k) {
    const struct fe_type *type = op->nargs >= 3 + k ? fe_value_type(r, op->arg[2 + k]) : NULL;
    return type ? type->words : 0;
}

struct ir_inst **fe_extended(struct fe_reader *r, const struct fe_op *op) {
    uint32_t which = op->nargs > 1 ? op->arg[1] : 0, n = op->type->words;
    const char *sig = signature(which);
    if (sig) {
        struct ir_inst **operand[3] = {NULL, NULL, NULL}, **out = fe_words(r, n);
        for (uint32_t k = 0; sig[k]; k++)
            if (!(operand[k] = typed(r, op, k, n, sig[k] == 'f' ? IR_F32 : IR_I32)))
                return NULL;
        for (uint32_t k = 0; k < n && !r->failed; k++) {
            out[k] = component(r, which, operand[0][k], operand[1] ? operand[1][k] : NULL,
                               operand[2] ? operand[2][k] : NULL);
            if (!out[k])
                fe_fail(r, "unsupported", "GLSL.std.450 instruction %u: not supported on this hardware",
                        which);
        }
        return r->failed ? NULL : out;
    }
    struct ir_inst **x, **y = NULL, **z = NULL;
    uint32_t words = operand_words(r, op, 0);
    if (!words)
        return fe_malformed(r), NULL;
    switch (which) {
    case GLSLstd450Length:
    case GLSLstd450Distance:
    case GLSLstd450Normalize:
    case GLSLstd450Cross:
    case GLSLstd450Reflect:
    case GLSLstd450Refract:
    case GLSLstd450FaceForward: {
        bool scalar = which == GLSLstd450Length || which == GLSLstd450Distance;
        if (n != (scalar ? 1 : words) || words > 4)
            return fe_malformed(r), NULL;
        bool single = which == GLSLstd450Length || which == GLSLstd450Normalize;
        bool triple = which == GLSLstd450Refract || which == GLSLstd450FaceForward;
        if (!(x = typed(r, op, 0, words, IR_F32)) || (!single && !(y = typed(r, op, 1, words, IR_F32))) ||
            (triple && !(z = typed(r, op, 2, which == GLSLstd450Refract ? 1 : words, IR_F32))))
            return NULL;
        return geometry(r, which, words, x, y, z);
    }
    case GLSLstd450Determinant:
    case GLSLstd450MatrixInverse: {
        uint32_t side = words == 4 ? 2 : words == 9 ? 3 : words == 16 ? 4 : 0;
        if (!side || n != (which == GLSLstd450Determinant ? 1 : words))
            return fe_malformed(r), NULL;
        if (!(x = typed(r, op, 0, words, IR_F32)))
            return NULL;
        if (which == GLSLstd450MatrixInverse)
            return fe_inverse(r, x, side);
        y = fe_words(r, 1);
        y[0] = fe_determinant(r, x, side);
        return y;
    }
    case GLSLstd450PackHalf2x16:
    case GLSLstd450PackSnorm2x16:
    case GLSLstd450PackUnorm2x16:
        return n == 1 && (x = typed(r, op, 0, 2, IR_F32)) ? pack(r, which, x) : NULL;
    case GLSLstd450PackSnorm4x8:
    case GLSLstd450PackUnorm4x8: return n == 1 && (x = typed(r, op, 0, 4, IR_F32)) ? pack(r, which, x) : NULL;
    case GLSLstd450UnpackHalf2x16:
    case GLSLstd450UnpackSnorm2x16:
    case GLSLstd450UnpackUnorm2x16:
        return n == 2 && (x = typed(r, op, 0, 1, IR_I32)) ? unpack(r, which, x[0]) : NULL;
    case GLSLstd450UnpackSnorm4x8:
    case GLSLstd450UnpackUnorm4x8:
        return n == 4 && (x = typed(r, op, 0, 1, IR_I32)) ? unpack(r, which, x[0]) : NULL;
    case GLSLstd450Modf:
    case GLSLstd450ModfStruct:
    case GLSLstd450Frexp:
    case GLSLstd450FrexpStruct: return two_parts(r, op, which);
    case GLSLstd450InterpolateAtCentroid:
    case GLSLstd450InterpolateAtSample:
    case GLSLstd450InterpolateAtOffset: return fe_unsupported(r, "interpolateAt functions"), NULL;
    }
    fe_fail(r, "unsupported", "GLSL.std.450 instruction %u: not supported on this hardware", which);
    return NULL;
}
