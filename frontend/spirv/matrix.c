/* Linear algebra on columns of scalars.
 *
 * Multiply and add are separate units that issue together, so sums of products are chains: each product but
 * the first rides with the sum before it. A balanced tree would need one more instruction. */
#include "frontend/spirv/reader.h"

static struct ir_inst *mul(struct fe_reader *r, struct ir_inst *a, struct ir_inst *b) {
    return ir_op2(&r->b, IR_FMUL, a, b);
}
static struct ir_inst *add(struct fe_reader *r, struct ir_inst *a, struct ir_inst *b) {
    return ir_op2(&r->b, IR_FADD, a, b);
}
static struct ir_inst *sub(struct fe_reader *r, struct ir_inst *a, struct ir_inst *b) {
    return ir_op2(&r->b, IR_FSUB, a, b);
}

struct ir_inst *fe_dot(struct fe_reader *r, struct ir_inst *const *a, struct ir_inst *const *b,
                       uint32_t count) {
    struct ir_inst *sum = mul(r, a[0], b[0]);
    for (uint32_t k = 1; k < count; k++)
        sum = add(r, sum, mul(r, a[k], b[k]));
    return sum;
}

/* A float vector or matrix operand: rows and columns; a vector is one column. */
struct operand {
    struct ir_inst **word;
    uint32_t rows, cols;
};

static bool get(struct fe_reader *r, uint32_t id, struct operand *out) {
    const struct fe_type *type = fe_value_type(r, id);
    if (!type)
        return false;
    if (type->scalar != IR_F32 || type->kind < FE_FLOAT || type->kind > FE_MATRIX)
        return fe_malformed(r);
    out->cols = type->kind == FE_MATRIX ? type->count : 1;
    out->rows = type->words / out->cols;
    out->word = fe_value(r, id);
    return out->word;
}

/* column `c` of (m * v): sum over k of m[k] * v[k] */
static void column(struct fe_reader *r, const struct operand *m, struct ir_inst *const *v,
                   struct ir_inst **out) {
    for (uint32_t row = 0; row < m->rows; row++) {
        out[row] = mul(r, m->word[row], v[0]);
        for (uint32_t k = 1; k < m->cols; k++)
            out[row] = add(r, out[row], mul(r, m->word[k * m->rows + row], v[k]));
    }
}

struct ir_inst **fe_matrix_op(struct fe_reader *r, const struct fe_op *op) {
    struct operand a = {0}, b = {0};
    if (op->op != SpvOpTranspose && op->nargs < 2)
        return fe_malformed(r), NULL;
    if (!get(r, op->arg[0], &a) || (op->op != SpvOpTranspose && !get(r, op->arg[1], &b)))
        return NULL;
    struct ir_inst **out = fe_words(r, op->type->words);
    uint32_t words = 0;
    if (r->failed)
        return NULL;
    switch (op->op) {
    case SpvOpVectorTimesScalar:
    case SpvOpMatrixTimesScalar:
        words = a.rows * a.cols;
        if (words != op->type->words || b.rows != 1)
            return fe_malformed(r), NULL;
        for (uint32_t k = 0; k < words; k++)
            out[k] = mul(r, a.word[k], b.word[0]);
        break;
    case SpvOpMatrixTimesVector:
    case SpvOpMatrixTimesMatrix:
        words = a.rows * b.cols;
        if (words != op->type->words || a.cols != b.rows)
            return fe_malformed(r), NULL;
        for (uint32_t c = 0; c < b.cols; c++)
            column(r, &a, b.word + c * b.rows, out + c * a.rows);
        break;
    case SpvOpVectorTimesMatrix:
        words = b.cols;
        if (words != op->type->words || a.cols != 1 || a.rows != b.rows)
            return fe_malformed(r), NULL;
        for (uint32_t c = 0; c < b.cols; c++)
            out[c] = fe_dot(r, a.word, b.word + c * b.rows, a.rows);
        break;
    case SpvOpOuterProduct:
        words = a.rows * b.rows;
        if (words != op->type->words)
            return fe_malformed(r), NULL;
        for (uint32_t c = 0; c < b.rows; c++)
            for (uint32_t row = 0; row < a.rows; row++)
                out[c * a.rows + row] = mul(r, a.word[row], b.word[c]);
        break;
    case SpvOpDot:
        if (op->type->words != 1 || a.rows != b.rows || a.cols != 1 || b.cols != 1)
            return fe_malformed(r), NULL;
        out[0] = fe_dot(r, a.word, b.word, a.rows);
        break;
    default: /* SpvOpTranspose */
        if (a.rows * a.cols != op->type->words)
            return fe_malformed(r), NULL;
        for (uint32_t c = 0; c < a.cols; c++)
            for (uint32_t row = 0; row < a.rows; row++)
                out[row * a.cols + c] = a.word[c * a.rows + row];
    }
    return out;
}

/* --- determinant and inverse ---------------------------------------------------------------------------- */

static struct ir_inst *det2(struct fe_reader *r, struct ir_inst *a, struct ir_inst *b, struct ir_inst *c,
                            struct ir_inst *d) {
    struct ir_inst *less = mul(r, b, c);
    return sub(r, mul(r, a, d), less);
}

/* Cofactor matrix transposed, that is the adjugate, and from it the determinant: m is n columns of n. */
static void adjugate2(struct fe_reader *r, struct ir_inst *const *m, struct ir_inst **out) {
    out[0] = m[3];
    out[1] = ir_op1(&r->b, IR_FNEG, m[1]);
    out[2] = ir_op1(&r->b, IR_FNEG, m[2]);
    out[3] = m[0];
}

static void adjugate3(struct fe_reader *r, struct ir_inst *const *m, struct ir_inst **out) {
    for (uint32_t c = 0; c < 3; c++)
        for (uint32_t row = 0; row < 3; row++) { /* cyclic indices carry the sign */
            uint32_t c1 = (c + 1) % 3, c2 = (c + 2) % 3, r1 = (row + 1) % 3, r2 = (row + 2) % 3;
            out[row * 3 + c] = det2(r, m[c1 * 3 + r1], m[c2 * 3 + r1], m[c1 * 3 + r2], m[c2 * 3 + r2]);
        }
}

/* By 2x2 determinants of the upper and the lower two rows (Laplace). */
static void minors4(struct fe_reader *r, struct ir_inst *const *m, struct ir_inst **s, struct ir_inst **c) {
    static const uint8_t pair[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
    for (int k = 0; k < 6; k++) {
        uint32_t i = pair[k][0] * 4, j = pair[k][1] * 4;
        s[k] = det2(r, m[i], m[j], m[i + 1], m[j + 1]);
        c[k] = det2(r, m[i + 2], m[j + 2], m[i + 3], m[j + 3]);
    }
}

static struct ir_inst *det4(struct fe_reader *r, struct ir_inst *const *s, struct ir_inst *const *c) {
    struct ir_inst *d = mul(r, s[1], c[4]);
    d = sub(r, mul(r, s[0], c[5]), d);
    d = add(r, d, mul(r, s[2], c[3]));
    d = add(r, d, mul(r, s[3], c[2]));
    d = sub(r, d, mul(r, s[4], c[1]));
    return add(r, d, mul(r, s[5], c[0]));
}

struct ir_inst *fe_determinant(struct fe_reader *r, struct ir_inst *const *m, uint32_t n) {
    if (n == 2)
        return det2(r, m[0], m[2], m[1], m[3]);
    if (n == 3) {
        struct ir_inst *minor[3];
        for (uint32_t k = 0; k < 3; k++)
            minor[k] =
                det2(r, m[3 + (k + 1) % 3], m[6 + (k + 1) % 3], m[3 + (k + 2) % 3], m[6 + (k + 2) % 3]);
        return fe_dot(r, m, minor, 3);
    }
    struct ir_inst *s[6], *c[6];
    minors4(r, m, s, c);
    return det4(r, s, c);
}

/* x * a - y * b + z * c, negated if `minus` */
static struct ir_inst *three(struct fe_reader *r, bool minus, struct ir_inst *x, struct ir_inst *a,
                             struct ir_inst *y, struct ir_inst *b, struct ir_inst *z, struct ir_inst *c) {
    struct ir_inst *last = mul(r, z, c), *second = minus ? mul(r, x, a) : mul(r, y, b);
    struct ir_inst *first = minus ? mul(r, y, b) : mul(r, x, a), *rest = sub(r, first, second);
    return minus ? sub(r, rest, last) : add(r, rest, last);
}

static struct ir_inst *adjugate4(struct fe_reader *r, struct ir_inst *const *m, struct ir_inst **out) {
    /* a(row, column) as on paper */
#define A(row, col) m[(col)*4 + (row)]
    static const uint8_t rest[4][3] = {{1, 2, 3}, {0, 2, 3}, {0, 1, 3}, {0, 1, 2}};
    static const uint8_t minor[4][4] = {
        {9, 0, 1, 2}, {0, 9, 3, 4}, {1, 3, 9, 5}, {2, 4, 5, 9}}; /* index of a column pair */
    struct ir_inst *s[6], *c[6];
    minors4(r, m, s, c);
    for (uint32_t i = 0; i < 4; i++)       /* row of the inverse: the column left out */
        for (uint32_t j = 0; j < 4; j++) { /* column of the inverse: the row left out */
            const uint8_t *k = rest[i];
            uint32_t row = j ^ 1; /* the other row of the same half */
            struct ir_inst *const *half = j < 2 ? c : s;
            out[j * 4 + i] = three(r, (i + j) & 1, A(row, k[0]), half[minor[k[1]][k[2]]], A(row, k[1]),
                                   half[minor[k[0]][k[2]]], A(row, k[2]), half[minor[k[0]][k[1]]]);
        }
#undef A
    return det4(r, s, c);
}

struct ir_inst **fe_inverse(struct fe_reader *r, struct ir_inst *const *m, uint32_t n) {
    struct ir_inst **out = fe_words(r, n * n), *det;
    if (r->failed)
        return NULL;
    if (n == 4) {
        det = adjugate4(r, m, out);
    } else {
        if (n == 3)
            adjugate3(r, m, out);
        else
            adjugate2(r, m, out);
        struct ir_inst *first[3]; /* row 0 of the adjugate times column 0 of m */
        for (uint32_t k = 0; k < n; k++)
            first[k] = out[k * n];
        det = fe_dot(r, first, m, n);
    }
    struct ir_inst *by = ir_op1(&r->b, IR_FRCP, det);
    for (uint32_t k = 0; k < n * n; k++)
        out[k] = mul(r, out[k], by);
    return out;
}
