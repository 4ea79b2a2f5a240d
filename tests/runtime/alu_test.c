/* Arithmetic: the vector forms against independent scalar formulations, operations, packs, unpacks,
 * conditions and rotations as programs see them. */
#include <math.h>

#include "machine_test.h"
#include "runtime/alu.h"

static uint64_t state = 88172645463325252ull;

static uint32_t random_word(void) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 16);
}

/* Patterns that hurt: near powers of two, equal exponents, extremes, specials, and anything. */
static uint32_t random_pattern(void) {
    static const uint32_t special[] = {0,          0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000,
                                       0x7f7fffff, 0xff7fffff, 0x00800000, 0x80800000, 0x007fffff, 0x807fffff,
                                       0x7fc00000, 0xffc00001, 0x3f7fffff, 0x3f800001, 0x4b000000, 0x4b7fffff,
                                       0xcf000000, 0x4effffff, 1,          0x7fffffff, 0xffffffff, 0x00800001,
                                       0x7e800000, 0x7f000000};
    uint32_t r = random_word();
    switch (r & 7) {
    case 0: return special[(r >> 8) % (sizeof special / sizeof *special)];
    case 1: return (random_word() & 0x807fffff) | (120 + (r >> 8) % 16) << 23;
    case 2: return (random_word() & 0x80000007) | (127 + (r >> 8) % 4) << 23;
    case 3: return (random_word() & 0x807fffff) | ((r >> 8) % 4) << 23;
    case 4: return (random_word() & 0x807fffff) | (250 + (r >> 8) % 6) << 23;
    default: return random_word();
    }
}

/* --- an independent formulation: exact integers, as sign, 600-bit magnitude ----------------------------- */

/* value = magnitude * 2^-298 (the square of the smallest denormal and everything above fits 80 words). */
#define WORDS 20
struct big {
    uint32_t w[WORDS];
};

static struct big shifted(uint64_t m, unsigned shift) {
    struct big b = {{0}};
    for (unsigned i = 0; i < 64; i++) {
        unsigned bit = i + shift;
        if (m >> i & 1 && bit < WORDS * 32)
            b.w[bit / 32] |= 1u << (bit % 32);
    }
    return b;
}

static int compare(const struct big *a, const struct big *b) {
    for (int i = WORDS - 1; i >= 0; i--)
        if (a->w[i] != b->w[i])
            return a->w[i] < b->w[i] ? -1 : 1;
    return 0;
}

static struct big add(const struct big *a, const struct big *b, bool subtract) {
    struct big r;
    int64_t carry = 0;
    for (int i = 0; i < WORDS; i++) {
        int64_t s = (int64_t)a->w[i] + (subtract ? -(int64_t)b->w[i] : (int64_t)b->w[i]) + carry;
        r.w[i] = (uint32_t)s;
        carry = s >> 32;
    }
    return r;
}

static bool zero_or_denormal(uint32_t x) {
    return (x & 0x7f800000) == 0;
}
static bool special(uint32_t x) {
    return (x & 0x7f800000) == 0x7f800000;
}

/* Truncates magnitude * 2^-(149 * scale) to a float by searching the largest float that is not above it. */
static uint32_t truncated(const struct big *m, unsigned scale, uint32_t sign) {
    uint32_t lo = 0x007fffff, hi = 0x7f800000; /* hi: too large */
    while (hi - lo > 1) {
        uint32_t mid = lo + (hi - lo) / 2;
        struct big v = shifted((mid & 0x7fffff) | 0x800000, (mid >> 23) - 1 + 149 * (scale - 1));
        if (compare(&v, m) <= 0)
            lo = mid;
        else
            hi = mid;
    }
    if (lo == 0x007fffff)
        return 0;
    if (lo == 0x7f7fffff) { /* infinity from 2^128 on */
        struct big v = shifted(0x800000, 254 + 149 * (scale - 1));
        if (compare(&v, m) <= 0)
            lo = 0x7f800000;
    }
    return sign | lo;
}

static uint32_t expected_add(uint32_t a, uint32_t b) {
    if (special(b))
        return (b & 0x80000000) | 0x7f800000;
    if (special(a))
        return (a & 0x80000000) | 0x7f800000;
    struct big x =
        zero_or_denormal(a) ? shifted(0, 0) : shifted((a & 0x7fffff) | 0x800000, (a >> 23 & 255) - 1);
    struct big y =
        zero_or_denormal(b) ? shifted(0, 0) : shifted((b & 0x7fffff) | 0x800000, (b >> 23 & 255) - 1);
    struct big m;
    uint32_t sign = a & 0x80000000;
    if ((a ^ b) & 0x80000000) {
        int c = compare(&x, &y);
        if (c == 0)
            return 0;
        m = c > 0 ? add(&x, &y, true) : add(&y, &x, true);
        if (c < 0)
            sign = b & 0x80000000;
    } else {
        m = add(&x, &y, false);
    }
    return truncated(&m, 1, sign);
}

/* The nearest float to a product whose truncation is `cut`: the next one when the exact product lies half a
 * unit above it, or more. */
static uint32_t nearest_product(uint32_t cut, uint64_t p) {
    if (!(cut & 0x7f800000) || special(cut))
        return cut;
    unsigned below = (p >> 47 & 1) + 23; /* bits that do not fit */
    return cut + (unsigned)(p >> (below - 1) & 1);
}

static uint32_t expected_mul(uint32_t a, uint32_t b) {
    uint32_t sign = (a ^ b) & 0x80000000;
    if (zero_or_denormal(a) || zero_or_denormal(b))
        return 0;
    if (special(a) || special(b))
        return sign | 0x7f800000;
    uint64_t p = (uint64_t)((a & 0x7fffff) | 0x800000) * ((b & 0x7fffff) | 0x800000);
    struct big m = shifted(p, (a >> 23 & 255) - 1 + (b >> 23 & 255) - 1);
    return nearest_product(truncated(&m, 2, sign), p);
}

START_TEST(float_arithmetic) {
    for (unsigned round = 0; round < 20000; round++) {
        u32x16 a, b;
        bool tame = round & 1; /* no exponent near the top: the fast path */
        for (unsigned i = 0; i < 16; i++) {
            a[i] = random_pattern();
            b[i] = random_pattern();
            if (tame) {
                a[i] = (a[i] & 0x80ffffff) | (96 + (random_word() & 31)) << 23;
                b[i] = round & 2 ? (b[i] & 0x80ffffff) | (96 + (random_word() & 31)) << 23
                                 : (a[i] ^ 0x80000000) + (random_word() & 7) - 3;
            }
        }
        struct sim_alu_out s, d, m;
        ck_assert(sim_add_op(QPU_A_FADD, &a, &b, true, &s));
        ck_assert(sim_add_op(QPU_A_FSUB, &a, &b, true, &d));
        ck_assert(sim_mul_op(QPU_M_FMUL, &a, &b, true, &m));
        for (unsigned i = 0; i < 16; i++) {
            uint32_t x = a[i], y = b[i];
            ck_assert_msg(s.value[i] == sim_fadd(x, y), "%08x + %08x: %08x, scalar %08x", x, y, s.value[i],
                          sim_fadd(x, y));
            ck_assert_msg(m.value[i] == sim_fmul(x, y), "%08x * %08x: %08x, scalar %08x", x, y, m.value[i],
                          sim_fmul(x, y));
            ck_assert_uint_eq(d.value[i], sim_fadd(x, y ^ 0x80000000));
            if (round % 8 < 2) {
                ck_assert_msg(s.value[i] == expected_add(x, y), "%08x + %08x: %08x, exact %08x", x, y,
                              s.value[i], expected_add(x, y));
                ck_assert_msg(m.value[i] == expected_mul(x, y), "%08x * %08x: %08x, exact %08x", x, y,
                              m.value[i], expected_mul(x, y));
            }
        }
    }
    /* Measured on hardware: 358.66622925 - 3.05026579. */
    ck_assert_uint_eq(sim_fsub(bits_of(358.66622925f), bits_of(3.05026579f)), 0x43b1ced7);
    /* Just below the smallest normal number: truncation leaves a denormal, so zero. */
    ck_assert_uint_eq(sim_fmul(0x3f7fffff, 0x00800000), 0);
    ck_assert_uint_eq(sim_fmul(0x3f7fffff, 0x00800001), 0x00800000);
    ck_assert_uint_eq(sim_fmul(0x3f7fffff, 0x7f7fffff), 0x7f7ffffe);
    ck_assert_uint_eq(sim_fmul(0x3f800001, 0x7f7fffff), 0x7f800000); /* 2^128 less than half a unit */
    ck_assert_uint_eq(sim_fadd(0x7f7fffff, 0x73000000), 0x7f7fffff); /* below 2^128 */
    ck_assert_uint_eq(sim_fadd(0x7f7fffff, 0x7f7fffff), 0x7f800000);
}
END_TEST

/* A product's bits beyond the last place, at a half, below it and above: the nearest float, a half away from
 * zero, with either sign; a carry into the next power of two. */
START_TEST(product_rounding) {
    static const struct {
        uint32_t a, b, r;
    } products[] = {
        {0x3f800001, 0x3fc00000, 0x3fc00002}, /* (1 + u) 1.5 = 1.5 + 1.5 u: a half above 1.5 + u */
        {0x3f800003, 0x3fc00000, 0x3fc00005}, /* 1.5 + 4.5 u */
        {0x3f800001, 0x3f800001, 0x3f800002}, /* 1 + 2 u and less than half */
        {0x3f800001, 0x3fa00000, 0x3fa00001}, /* 1.25 + 1.25 u */
        {0x3f800001, 0x3fe00000, 0x3fe00002}, /* 1.75 + 1.75 u */
        {0x3f7fffff, 0x3f800001, 0x3f800000}, /* just below 1 + u / 2 */
        {0x3f7ffc00, 0x3f800200, 0x3f800000}, /* Newton's step for 1/1: (1 - 2^-14) (1 + 2^-14) */
        {0x3fffffff, 0x3fffffff, 0x407ffffe},
        {0x3f800002, 0x3f7fffff, 0x3f800001}, /* a carry: 1 + u less than a half above */
    };
    for (unsigned i = 0; i < sizeof products / sizeof *products; i++)
        for (unsigned sign = 0; sign < 4; sign++) {
            uint32_t a = products[i].a | (sign & 1) << 31, b = products[i].b | (sign >> 1) << 31;
            uint32_t r = products[i].r | ((sign & 1) ^ (sign >> 1)) << 31;
            ck_assert_msg(sim_fmul(a, b) == r, "%08x * %08x: %08x, not %08x", a, b, sim_fmul(a, b), r);
            ck_assert_uint_eq(expected_mul(a, b), r);
        }
}
END_TEST

/* Where a number leaves 31 bits and 32: the low 32 bits of the whole number (Mesa divides integers by 1
 * with the former). */
START_TEST(conversions_that_wrap) {
    static const struct {
        float x;
        uint32_t r;
    } numbers[] = {{2147483520, 0x7fffff80},
                   {2147483648, 0x80000000},
                   {2147483904, 0x80000100},
                   {4294967040, 0xffffff00},
                   {4294967296, 0},
                   {4294967808, 0x200},
                   {0x1.000002p54f, 1u << 31},
                   {0x1p55f, 0},
                   {-2147483520, 0x80000080},
                   {-2147483648, 0x80000000},
                   {-2147483904, 0x7fffff00},
                   {-4294967040, 0x100},
                   {-4294967296, 0},
                   {INFINITY, 0},
                   {-INFINITY, 0}};
    for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; i++)
        ck_assert_msg(sim_ftoi(bits_of(numbers[i].x)) == numbers[i].r, "%a: %08x, not %08x",
                      (double)numbers[i].x, sim_ftoi(bits_of(numbers[i].x)), numbers[i].r);
}
END_TEST

START_TEST(conversions) {
    for (unsigned round = 0; round < 200000; round++) {
        uint32_t a = random_pattern();
        float f = float_of(a);
        if (fabsf(f) < 2147483648.0f)
            ck_assert_int_eq((int32_t)sim_ftoi(a), (int32_t)f);
        else if (!(a << 1 == 0xfefffffe)) /* fmod is exact, and so is the sum below 2^32 */
            ck_assert_uint_eq(sim_ftoi(a),
                              isfinite(f) ? (uint32_t)(int64_t)fmod((double)f, 4294967296.0) : 0);
        uint32_t w = random_word() >> (random_word() & 31);
        double exact = (int32_t)w;
        float r = float_of(sim_itof(w));
        ck_assert(fabs((double)r) <= fabs(exact));
        ck_assert(fabs((double)nextafterf(r, exact > 0 ? INFINITY : -INFINITY)) > fabs(exact) || r == exact);
        uint8_t c = sim_float_to_byte(a);
        double t = isnan(f) ? (a >> 31 ? 0 : 1) : f < 0 ? 0 : f > 1 ? 1 : f;
        ck_assert_uint_eq(c, (unsigned)floor((fabs(t) < 1e-37 ? 0 : t) * 255 + 0.5));
    }
    ck_assert_uint_eq(sim_ftoi(0x7f7fffff), 0x80000000);
    ck_assert_uint_eq(sim_ftoi(0xff7fffff), 0x80000000);
    ck_assert_uint_eq(sim_ftoi(0xcf000000), 0x80000000);
    for (unsigned n = 0; n < 256; n++) {
        float f = float_of(sim_byte_to_float((uint8_t)n));
        ck_assert((double)f * 255 <= n && (n == 0 || (double)nextafterf(f, 2) * 255 > n));
        ck_assert_uint_eq(sim_float_to_byte(sim_byte_to_float((uint8_t)n)), n);
    }
    for (unsigned h = 0; h < 65536; h++) {
        unsigned e = h >> 10 & 31, m = h & 1023;
        uint32_t f = sim_half_to_float((uint16_t)h);
        if (e && e < 31) {
            ck_assert_double_eq(float_of(f), (h >> 15 ? -1 : 1) * ldexp(1024 + m, (int)e - 25));
            ck_assert_uint_eq(sim_float_to_half(f), h);
            ck_assert_uint_eq(sim_float_to_half(f + 0x1fff), h); /* toward zero */
        } else if (!e) {
            ck_assert_uint_eq(f, (h >> 15) << 31 | m << 13);
            ck_assert_uint_eq(sim_float_to_half(f), 0);
        } else {
            ck_assert_uint_eq(sim_float_to_half(f), (h & 0x8000) | 0x7c00);
        }
    }
    ck_assert_uint_eq(sim_float_to_half(bits_of(70000.0f)), 0x7c00);
}
END_TEST

/* --- through programs ----------------------------------------------------------------------------------- */

#define ENDING "\nnop; nop; thrend\nnop\nnop\n"

/* Runs a vertex program; attribute words: row 0 `a`, row 1 `b`, read by the program itself. */
static struct qpusim_result *run_with(const char *text, const uint32_t *words, unsigned count,
                                      const uint32_t *a, const uint32_t *b) {
    static struct qpusim_result result;
    static struct qpusim_vertices v;
    struct qpusim_program *p = assemble(text, QPUSIM_VERTEX, false);
    memset(&v, 0, sizeof v);
    v.count = 16;
    v.row_count = (a != NULL) + (b != NULL);
    if (a)
        memcpy(v.rows[0], a, 64);
    if (b)
        memcpy(v.rows[1], b, 64);
    struct qpusim_run_info run = {.program = p, .uniforms = {words, count, 0}, .vertices = &v};
    struct qpusim_error error;
    enum qpusim_status status = qpusim_run(&run, NULL, &result, &error);
    ck_assert_msg(status == QPUSIM_OK, "instruction %u: %s: %s in\n%s", error.instruction, error.rule,
                  error.text, text);
    qpusim_program_free(p);
    return &result;
}

struct op_case {
    const char *op;
    uint32_t a, b, result;
    int carry; /* -1: not looked at */
};

static uint32_t f(float x) {
    return bits_of(x);
}

START_TEST(operations) {
    const struct op_case cases[] = {
        {"fadd", f(1.5f), f(2.25f), f(3.75f), 1},
        {"fsub", f(1.5f), f(2.25f), f(-0.75f), 0},
        {"fmin", f(-1), f(2), f(-1), 0},
        {"fmin", f(2), f(-1), f(-1), 1},
        {"fmin", 0xffc00000, f(-1e30f), 0xffc00000, 0},
        {"fmax", f(-1), f(2), f(2), 0},
        {"fmax", 0x7fc00000, 0x7f800000, 0x7fc00000, 1},
        {"fmax", 0x80000000, 0, 0, 0},
        {"fminabs", f(-3), f(2), f(2), 1},
        {"fminabs", f(-1), f(2), f(1), 0},
        {"fmaxabs", f(-3), f(2), f(3), 1},
        {"ftoi", f(-7.9f), 0, (uint32_t)-7, 0},
        {"itof", (uint32_t)-7, 0, f(-7), 0},
        {"itof", 0x7fffffff, 0, 0x4effffff, 1},
        {"add", 0xffffffff, 2, 1, 1},
        {"add", 5, 6, 11, 0},
        {"sub", 5, 6, 0xffffffff, 1},
        {"sub", 6, 5, 1, 0},
        {"shr", 0x80000018, 4, 0x08000001, 1},
        {"shr", 0x80000010, 36, 0x08000001, 0},
        {"asr", 0x80000010, 4, 0xf8000001, 0},
        {"asr", 0xffffffff, 31, 0xffffffff, 1},
        {"ror", 0x00000011, 4, 0x10000001, 0},
        {"ror", 0x00000018, 4, 0x80000001, 1},
        {"shl", 0x18000001, 4, 0x80000010, 1},
        {"shl", 7, 32, 7, 0},
        {"min", 0x80000000, 1, 0x80000000, 0},
        {"min", 3, 1, 1, 1},
        {"max", 0x80000000, 1, 1, 0},
        {"max", 3, 1, 3, 1},
        {"and", 0xff00ff00, 0x0ff00ff0, 0x0f000f00, 0},
        {"or", 0xff00ff00, 0x0ff00ff0, 0xfff0fff0, 0},
        {"xor", 0xff00ff00, 0x0ff00ff0, 0xf0f0f0f0, 0},
        {"not", 0x0f0f0f0f, 0, 0xf0f0f0f0, 0},
        {"clz", 0x00008000, 0, 16, 0},
        {"clz", 0, 0, 32, 0},
        {"v8adds", 0x80ff0102, 0x80010203, 0xffff0305, -1},
        {"v8subs", 0x80ff0102, 0x81010203, 0x00fe0000, -1},
        {"fmul", f(1.5f), f(-2), f(-3), 0},
        {"fmul", 0, 0x7f800000, 0, 0},
        {"mul24", 0xff000003, 0x12000005, 15, 0},
        {"mul24", 0xffffff, 0xffffff, 0xfe000001, 1},
        {"v8muld", 0xff804001, 0xff80ffff, 0xff404001, -1},
        {"v8min", 0x01ff0380, 0x02fe0281, 0x01fe0280, -1},
        {"v8max", 0x01ff0380, 0x02fe0281, 0x02ff0381, -1},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct op_case *c = &cases[i];
        char text[512];
        bool mul = c->op[0] == 'v'   ? c->op[2] == 'm'
                   : c->op[1] == 'm' ? c->op[2] == 'u'
                                     : c->op[0] == 'm' && c->op[1] == 'u';
        bool one = !strcmp(c->op, "ftoi") || !strcmp(c->op, "itof") || !strcmp(c->op, "not") ||
                   !strcmp(c->op, "clz");
        snprintf(text, sizeof text, "mov r0, unif\nmov r1, unif\n%s%s.setf r2, r0%s" ENDING,
                 mul ? "nop; " : "", c->op, one ? "" : ", r1");
        const uint32_t words[] = {c->a, c->b};
        struct qpusim_result *r = run_with(text, words, 2, NULL, NULL);
        for (unsigned l = 0; l < 16; l++)
            ck_assert_msg(r->acc[2][l] == c->result, "%s %08x %08x: %08x instead of %08x", c->op, c->a, c->b,
                          r->acc[2][l], c->result);
        ck_assert_uint_eq(r->flag_z, c->result ? 0 : 0xffff);
        ck_assert_uint_eq(r->flag_n, c->result >> 31 ? 0xffff : 0);
        if (c->carry >= 0)
            ck_assert_msg(r->flag_c == (c->carry ? 0xffff : 0), "%s %08x %08x: carry", c->op, c->a, c->b);
    }
    /* v8muld with the rounding (a b + 127) / 255, on all byte pairs. */
    for (unsigned a = 0; a < 256; a++) {
        for (unsigned b = 0; b < 256; b += 16) {
            u32x16 x = {0}, y = {0};
            for (unsigned i = 0; i < 16; i++) {
                x[i] = a << 8 | (255 - a);
                y[i] = (b + i) << 8 | (b + i);
            }
            struct sim_alu_out o;
            sim_mul_op(QPU_M_V8MULD, &x, &y, true, &o);
            for (unsigned i = 0; i < 16; i++)
                ck_assert_uint_eq(o.value[i],
                                  (a * (b + i) + 127) / 255 << 8 | ((255 - a) * (b + i) + 127) / 255);
        }
    }
}
END_TEST

START_TEST(conditions) {
    /* r0 = lane - 8: N below 8, Z at 8; C of sub: borrow below 8. */
    static const struct {
        const char *name;
        unsigned lanes;
    } conds[] = {{"zs", 0x0100}, {"zc", 0xfeff}, {"ns", 0x00ff},
                 {"nc", 0xff00}, {"cs", 0x00ff}, {"cc", 0xff00}};
    for (unsigned i = 0; i < 6; i++) {
        for (unsigned alu = 0; alu < 2; alu++) {
            char text[512];
            snprintf(text, sizeof text,
                     "mov r1, 0; mov r0, elem_num\nsub.setf nop, r0, 8\nmov r2, 1\n%smov.%s r1, r2\n"
                     "mov ra3, 0\nnop\nmov.%s ra3, r2" ENDING,
                     alu ? "nop; " : "", conds[i].name, conds[i].name);
            struct qpusim_result *r = run_with(text, NULL, 0, NULL, NULL);
            for (unsigned l = 0; l < 16; l++) {
                ck_assert_uint_eq(r->acc[1][l], conds[i].lanes >> l & 1);
                ck_assert_uint_eq(r->ra[3][l], conds[i].lanes >> l & 1);
            }
        }
    }
    /* setf under a condition changes flags only there: Z of (lane - 8) anded with Z of zero. */
    struct qpusim_result *r =
        run_with("mov r0, elem_num\nand.setf nop, r0, 1\nsub.zs.setf nop, r0, 8" ENDING, NULL, 0, NULL, NULL);
    ck_assert_uint_eq(r->flag_z, 0x0100);
    /* Flags of the mul ALU only when the add ALU does nothing. */
    r = run_with("mov r0, 0\nmov r1, 1\nmov.setf r2, r1; mov r3, r0" ENDING, NULL, 0, NULL, NULL);
    ck_assert_uint_eq(r->flag_z, 0);
    r = run_with("mov r0, 0\nmov r1, 1\nnop; mov.setf r3, r0" ENDING, NULL, 0, NULL, NULL);
    ck_assert_uint_eq(r->flag_z, 0xffff);
}
END_TEST

START_TEST(immediates) {
    struct qpusim_result *r =
        run_with("movi r0, 0x12345678\nmov r1, -16\nmov r2, 15\nmov r3, 0.5" ENDING, NULL, 0, NULL, NULL);
    ck_assert_uint_eq(r->acc[0][7], 0x12345678);
    ck_assert_uint_eq(r->acc[1][7], 0xfffffff0);
    ck_assert_uint_eq(r->acc[2][7], 15);
    ck_assert_uint_eq(r->acc[3][7], f(0.5f));
    /* Per-element loads, as words: bit i of the low half and of the high half for element i. */
    struct qpu_inst q = {.type = QPU_LDI_SIGNED,
                         .sig = QPU_SIG_LDI,
                         .cond_add = QPU_COND_ALWAYS,
                         .waddr_add = QPU_W_ACC0,
                         .waddr_mul = QPU_W_NOP,
                         .imm = 0x0f0f00ff};
    struct qpu_inst end = qpu_nop(), nop = qpu_nop();
    end.sig = QPU_SIG_THREND;
    for (unsigned sign = 0; sign < 2; sign++) {
        q.type = sign ? QPU_LDI_SIGNED : QPU_LDI_UNSIGNED;
        uint64_t code[4] = {qpu_encode(&q), qpu_encode(&end), qpu_encode(&nop), qpu_encode(&nop)};
        struct qpusim_program *p = qpusim_program_new(code, 4, QPUSIM_VERTEX, false);
        static struct qpusim_vertices v = {.count = 16};
        static struct qpusim_result out;
        struct qpusim_run_info run = {.program = p, .vertices = &v};
        ck_assert_int_eq(qpusim_run(&run, NULL, &out, NULL), QPUSIM_OK);
        for (unsigned l = 0; l < 16; l++) {
            int ls = 0x00ff >> l & 1, ms = 0x0f0f >> l & 1;
            ck_assert_int_eq((int)out.acc[0][l], sign ? ls - 2 * ms : ls + 2 * ms);
        }
        qpusim_program_free(p);
    }
}
END_TEST

START_TEST(rotations) {
    for (unsigned n = 1; n < 16; n++) {
        /* Whole rotation from r0..r3; within quads from a register file operand. Words: small immediate 48 +
         * n. */
        for (unsigned quad = 0; quad < 2; quad++) {
            struct qpu_inst set = qpu_nop(), nop = qpu_nop(), rot = qpu_nop(), end = qpu_nop();
            set.op_add = QPU_A_OR;
            set.cond_add = QPU_COND_ALWAYS;
            set.raddr_a = QPU_R_ELEM_QPU;
            set.add_a = set.add_b = QPU_MUX_A;
            set.waddr_add = quad ? 5 : QPU_W_ACC0;
            rot.sig = QPU_SIG_SMALL_IMM;
            rot.op_mul = QPU_M_V8MIN;
            rot.cond_mul = QPU_COND_ALWAYS;
            rot.raddr_a = quad ? 5 : QPU_R_NOP;
            rot.raddr_b = (uint8_t)(48 + n);
            rot.mul_a = rot.mul_b = quad ? QPU_MUX_A : QPU_MUX_R0;
            rot.waddr_mul = QPU_W_ACC0 + 1;
            end.sig = QPU_SIG_THREND;
            uint64_t code[6] = {qpu_encode(&set), qpu_encode(&nop), qpu_encode(&rot),
                                qpu_encode(&end), qpu_encode(&nop), qpu_encode(&nop)};
            struct qpusim_program *p = qpusim_program_new(code, 6, QPUSIM_VERTEX, false);
            static struct qpusim_vertices v = {.count = 16};
            static struct qpusim_result out;
            struct qpusim_run_info run = {.program = p, .vertices = &v};
            ck_assert_int_eq(qpusim_run(&run, NULL, &out, NULL), QPUSIM_OK);
            for (unsigned l = 0; l < 16; l++)
                ck_assert_uint_eq(out.acc[1][quad ? (l & 12) | ((l + n) & 3) : (l + n) & 15], l);
            qpusim_program_free(p);
        }
    }
}
END_TEST

/* Ideal arithmetic rounds to nearest and has special functions to the last bit; the rest is the chip's. */
START_TEST(ideal) {
    const float a = 0.3f, b = 0.7f;
    char text[400];
    snprintf(text, sizeof text,
             "movi r0, 0x%x\nmovi r1, 0x%x\nfadd r2, r0, r1; fmul r3, r0, r1\nmov recip, r1\nnop\nnop\n"
             "fsub r1, r0, r1; mov r0, r4\nmov exp, r2\nnop\nnop; nop; thrend\nnop\nnop\n",
             bits_of(a), bits_of(b));
    struct qpusim_program *p = assemble(text, QPUSIM_VERTEX, false);
    static struct qpusim_vertices v = {.count = 16};
    static struct qpusim_result chip, best;
    struct qpusim_run_info run = {.program = p, .vertices = &v};
    struct qpusim_options how = {.ideal = true};
    ck_assert_int_eq(qpusim_run(&run, NULL, &chip, NULL), QPUSIM_OK);
    ck_assert_int_eq(qpusim_run(&run, &how, &best, NULL), QPUSIM_OK);
    qpusim_program_free(p);
    const float sum = a + b, difference = a - b, product = a * b, inverse = 1 / b;
    const float power = (float)exp2((double)sum);
    const float nearest[] = {inverse, difference, sum, product, power};
    for (unsigned lane = 0; lane < 16; lane++)
        for (unsigned k = 0; k < 5; k++)
            ck_assert_uint_eq(best.acc[k][lane], bits_of(nearest[k]));
    ck_assert_uint_eq(chip.acc[0][3], sim_sfu_recip(bits_of(b)));
    ck_assert_uint_eq(chip.acc[3][3], sim_fmul(bits_of(a), bits_of(b)));
    ck_assert_uint_ne(chip.acc[0][3], best.acc[0][3]);
    /* sums beyond 2^23 are truncated: floor asks for that */
    u32x16 x = SIM_SPLAT(bits_of(-1.25f)), y = SIM_SPLAT(bits_of(12582912.0f));
    struct sim_alu_out out;
    ck_assert(sim_ideal_add_op(QPU_A_FADD, &x, &y, false, &out));
    ck_assert_uint_eq(out.value[5], bits_of(12582910.0f));
    /* where there is no number to be right about */
    ck_assert_uint_eq(sim_ideal_recip(0x80000000), 0xff800000);
    ck_assert_uint_eq(sim_ideal_rsqrt(0xbf800000), sim_sfu_rsqrt(0xbf800000));
    ck_assert_uint_eq(sim_ideal_log2(0), 0xff800000);
    ck_assert_uint_eq(sim_ideal_exp2(0x7f800000), 0x7f800000);
}
END_TEST

/* Positions to the nearest sixteenth, whatever the sign; other ftoi, and sums, are the chip's. */
START_TEST(nearest_positions) {
    const float x = 100.75f, y = -3.6f;
    char text[400];
    snprintf(
        text, sizeof text,
        "movi r0, 0x%x\nmovi r1, 0x%x\nftoi ra4.16a, r0\nftoi ra4.16b, r1\nftoi r2, r0\nfadd r3, r0, r1\n"
        "nop\nmov r0, ra4\nnop; nop; thrend\nnop\nnop\n",
        bits_of(x), bits_of(y));
    struct qpusim_program *p = assemble(text, QPUSIM_VERTEX, false);
    static struct qpusim_vertices v = {.count = 16};
    static struct qpusim_result chip, nearest, ideal;
    struct qpusim_run_info run = {.program = p, .vertices = &v};
    struct qpusim_options how = {.nearest_positions = true}, all = {.ideal = true};
    ck_assert_int_eq(qpusim_run(&run, NULL, &chip, NULL), QPUSIM_OK);
    ck_assert_int_eq(qpusim_run(&run, &how, &nearest, NULL), QPUSIM_OK);
    ck_assert_int_eq(qpusim_run(&run, &all, &ideal, NULL), QPUSIM_OK);
    qpusim_program_free(p);
    for (unsigned lane = 0; lane < 16; lane++) {
        ck_assert_uint_eq(chip.acc[0][lane], 0xfffd0064);
        ck_assert_uint_eq(nearest.acc[0][lane], 0xfffc0065);
        ck_assert_uint_eq(ideal.acc[0][lane], 0xfffc0065);
        ck_assert_uint_eq(nearest.acc[2][lane], 100);
        ck_assert_uint_eq(nearest.acc[3][lane], sim_fadd(bits_of(x), bits_of(y)));
    }
}
END_TEST

/* Packs of file A (pm 0) and unpacks of file A and r4, through single instruction words. */
static const struct qpusim_result *run_word(struct qpu_inst q, uint32_t a, uint32_t old) {
    static struct qpusim_vertices v = {.count = 16};
    static struct qpusim_result out;
    struct qpu_inst nop = qpu_nop(), end = qpu_nop();
    struct qpu_inst lda = {.type = QPU_LDI,
                           .sig = QPU_SIG_LDI,
                           .cond_add = QPU_COND_ALWAYS,
                           .waddr_add = 1,
                           .waddr_mul = QPU_W_NOP,
                           .imm = a};
    struct qpu_inst ldo = lda, ld0 = lda;
    ldo.waddr_add = 2;
    ldo.imm = old;
    ld0.waddr_add = QPU_W_ACC0;
    end.sig = QPU_SIG_THREND;
    uint64_t code[8] = {qpu_encode(&lda), qpu_encode(&ldo), qpu_encode(&ld0), qpu_encode(&nop),
                        qpu_encode(&q),   qpu_encode(&end), qpu_encode(&nop), qpu_encode(&nop)};
    struct qpusim_program *p = qpusim_program_new(code, 8, QPUSIM_VERTEX, false);
    struct qpusim_run_info run = {.program = p, .vertices = &v};
    struct qpusim_error error;
    ck_assert_msg(qpusim_run(&run, NULL, &out, &error) == QPUSIM_OK, "%s", error.text);
    qpusim_program_free(p);
    return &out;
}

START_TEST(packs) {
    const uint32_t old = 0xa1b2c3d4;
    static const struct {
        unsigned mode;
        bool is_float;
        uint32_t in, out;
    } cases[] = {
        {QPU_PACK_16A, false, 0x12345678, 0xa1b25678},
        {QPU_PACK_16B, false, 0x12345678, 0x5678c3d4},
        {QPU_PACK_16A, true, 0x3fc00000, 0xa1b23e00},
        {QPU_PACK_16B, true, 0xc0000000, 0xc000c3d4},
        {QPU_PACK_8888, false, 0x12345678, 0x78787878},
        {QPU_PACK_8A, false, 0x12345678, 0xa1b2c378},
        {QPU_PACK_8B, false, 0x12345678, 0xa1b278d4},
        {QPU_PACK_8C, false, 0x12345678, 0xa178c3d4},
        {QPU_PACK_8D, false, 0x12345678, 0x78b2c3d4},
        {QPU_PACK_SAT | QPU_PACK_16A, false, 0x12345678, 0xa1b27fff},
        {QPU_PACK_SAT | QPU_PACK_16B, false, 0xffff0000, 0x8000c3d4},
        {QPU_PACK_SAT | QPU_PACK_16A, false, 0xffffffff, 0xa1b2ffff},
        {QPU_PACK_SAT | QPU_PACK_8888, false, 0x00000101, 0xffffffff},
        {QPU_PACK_SAT | QPU_PACK_8A, false, 0xffffffff, 0xa1b2c300},
        {QPU_PACK_SAT | QPU_PACK_8B, false, 0x000000fe, 0xa1b2fed4},
        {QPU_PACK_SAT | QPU_PACK_8C, false, 0x7fffffff, 0xa1ffc3d4},
        {QPU_PACK_SAT | QPU_PACK_8D, false, 0x00000010, 0x10b2c3d4},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct qpu_inst q = qpu_nop();
        q.op_add = cases[i].is_float ? QPU_A_FMAX : QPU_A_OR;
        q.cond_add = QPU_COND_ALWAYS;
        q.add_a = q.add_b = QPU_MUX_R0;
        q.waddr_add = 2;
        q.pack = (uint8_t)cases[i].mode;
        uint32_t r = run_word(q, cases[i].in, old)->ra[2][9];
        ck_assert_msg(r == cases[i].out, "pack %u of %08x: %08x instead of %08x", cases[i].mode, cases[i].in,
                      r, cases[i].out);
    }
    /* The 32-bit saturation of a sum that overflowed. */
    struct qpu_inst q = qpu_nop();
    q.op_add = QPU_A_ADD;
    q.cond_add = QPU_COND_ALWAYS;
    q.add_a = q.add_b = QPU_MUX_R0;
    q.waddr_add = 2;
    q.pack = QPU_PACK_SAT;
    ck_assert_uint_eq(run_word(q, 0x60000000, old)->ra[2][0], 0x7fffffff);
    ck_assert_uint_eq(run_word(q, 0x90000000, old)->ra[2][0], 0x80000000);
    ck_assert_uint_eq(run_word(q, 0x10000000, old)->ra[2][0], 0x20000000);
    q.op_add = QPU_A_SUB;
    q.add_a = QPU_MUX_A;
    q.raddr_a = 1;
    ck_assert_uint_eq(run_word(q, 0x90000000, old)->ra[2][0], 0);
    /* The mul ALU's conversion to bytes, in file A, file B and accumulators. */
    for (unsigned mode = QPU_PACK_8888; mode <= QPU_PACK_8D; mode++) {
        q = qpu_nop();
        q.op_mul = QPU_M_FMUL;
        q.cond_mul = QPU_COND_ALWAYS;
        q.raddr_a = 1;
        q.mul_a = QPU_MUX_A;
        q.mul_b = QPU_MUX_R0;
        q.ws = 1;
        q.waddr_mul = 2;
        q.pm = 1;
        q.pack = (uint8_t)mode;
        uint32_t c = 0x40; /* 0.5 * 0.5 * 255 = 63.75 */
        uint32_t shift = 8 * (mode - QPU_PACK_8A);
        uint32_t want = mode == QPU_PACK_8888 ? c * 0x01010101 : (old & ~(0xffu << shift)) | c << shift;
        ck_assert_uint_eq(run_word(q, f(0.5f), old)->ra[2][3], want);
        ck_assert_uint_eq(run_word(q, f(-2.0f), old)->ra[2][3] >> (mode == QPU_PACK_8888 ? 0 : shift) & 255,
                          255);
    }
}
END_TEST

START_TEST(unpacks) {
    const uint32_t in = 0xc0003c80; /* halves -2 and 1.125; bytes 80 3c 00 c0 */
    static const struct {
        unsigned mode;
        uint32_t as_int;
        float as_float;
    } cases[] = {
        {QPU_UNPACK_16A, 0x00003c80, 1.125f},
        {QPU_UNPACK_16B, 0xffffc000, -2.0f},
        {QPU_UNPACK_8A, 0x80, 128.0f / 255},
        {QPU_UNPACK_8B, 0x3c, 60.0f / 255},
        {QPU_UNPACK_8C, 0x00, 0},
        {QPU_UNPACK_8D, 0xc0, 192.0f / 255},
        {QPU_UNPACK_8D_REP, 0xc0c0c0c0, 0},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct qpu_inst q = qpu_nop();
        q.op_add = QPU_A_OR;
        q.cond_add = QPU_COND_ALWAYS;
        q.raddr_a = 1;
        q.add_a = q.add_b = QPU_MUX_A;
        q.waddr_add = QPU_W_ACC0 + 1;
        q.unpack = (uint8_t)cases[i].mode;
        ck_assert_uint_eq(run_word(q, in, 0)->acc[1][2], cases[i].as_int);
        if (cases[i].mode == QPU_UNPACK_8D_REP)
            continue;
        q.op_add = QPU_A_FMAX;
        float r = float_of(run_word(q, in, 0)->acc[1][2]);
        ck_assert_float_eq_tol(r, cases[i].as_float, 6e-8f);
    }
}
END_TEST

START_TEST(broadcasts) {
    struct qpusim_result *r =
        run_with("mov r0, elem_num\nmov r5quad, r0\nmov ra1, r5\nmov r5rep, r0\nmov ra2, r5" ENDING, NULL, 0,
                 NULL, NULL);
    for (unsigned l = 0; l < 16; l++) {
        ck_assert_uint_eq(r->ra[1][l], l & 12);
        ck_assert_uint_eq(r->ra[2][l], 0);
    }
}
END_TEST

START_TEST(branches) {
    /* A loop with a uniform condition: 5 turns, three delay slots each. */
    struct qpusim_result *r = run_with(
        "mov r0, 5\nmov r1, 0\nL2:\nsub.setf r0, r0, 1\nbrr.allnz L2\nadd r1, r1, 1\nnop\nnop" ENDING, NULL,
        0, NULL, NULL);
    ck_assert_uint_eq(r->acc[1][0], 5);
    ck_assert_uint_eq(r->instructions, 2 + 5 * 5 + 3);
    /* any and all over lanes. */
    r = run_with(
        "mov r0, elem_num\nmov r1, 0\nsub.setf nop, r0, 3\nbrr.anyz L9\nnop\nnop\nnop\nmov r1, 1\nnop\n"
        "L9:\nbrr.allz L15\nnop\nnop\nnop\nadd r1, r1, 2\nL15:\nnop" ENDING,
        NULL, 0, NULL, NULL);
    ck_assert_uint_eq(r->acc[1][0], 2);
}
END_TEST

int main(void) {
    Suite *s = suite_create("alu");
    TCase *c = tcase_create("alu");
    tcase_set_timeout(c, 120);
    tcase_add_test(c, float_arithmetic);
    tcase_add_test(c, conversions);
    tcase_add_test(c, product_rounding);
    tcase_add_test(c, conversions_that_wrap);
    tcase_add_test(c, operations);
    tcase_add_test(c, conditions);
    tcase_add_test(c, immediates);
    tcase_add_test(c, rotations);
    tcase_add_test(c, ideal);
    tcase_add_test(c, nearest_positions);
    tcase_add_test(c, packs);
    tcase_add_test(c, unpacks);
    tcase_add_test(c, broadcasts);
    tcase_add_test(c, branches);
    suite_add_tcase(s, c);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_NORMAL);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed ? 1 : 0;
}
