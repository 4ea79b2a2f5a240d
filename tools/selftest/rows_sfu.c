/* Rows of section sfu: the special functions over all inputs of their tables, and what lies outside. */
#include "rows.h"

#define ROW(name, assumptions, operands, what, unit)                                                         \
    {                                                                                                        \
        "sfu." name, assumptions, what, build_bodies, "mov " unit ", r0\nnop\nnop\nmov r2, r4", NULL,        \
            OPERANDS_##operands, false                                                                       \
    }

static const struct row rows[] = {
    ROW("recip", "recip_rsqrt_tables", MANTISSAS, "reciprocals: all inputs of the table", "recip"),
    ROW("recip.zero", "recip_of_zero", TINY, "reciprocals of zeros and denormals", "recip"),
    ROW("recip.large", "recip_of_large", LARGEST, "reciprocals of 2^126 and more", "recip"),
    ROW("rsqrt", "recip_rsqrt_tables", PARITIES, "reciprocal roots: all inputs of the table", "rsqrt"),
    ROW("rsqrt.zero", "rsqrt_of_zero", TINY, "reciprocal roots of zeros and denormals", "rsqrt"),
    ROW("rsqrt.negative", "rsqrt_of_negative", NEGATIVE, "reciprocal roots of negative numbers", "rsqrt"),
    ROW("log2", "exp2_log2_tables", LOGS, "logarithms: all inputs of the table", "log"),
    ROW("log2.zero", "log2_of_zero", TINY, "logarithms of zeros and denormals", "log"),
    ROW("log2.negative", "log2_of_negative", NEGATIVE, "logarithms of negative numbers", "log"),
    ROW("exp2", "exp2_log2_tables", EXPONENTS, "powers of two: all inputs of the table", "exp"),
    ROW("exp2.small", "exp2_of_small", SMALL_EXPONENTS, "powers of two with exponents of -126 and less",
        "exp"),
    ROW("exp2.large", "exp2_of_large", LARGE_EXPONENTS, "powers of two with exponents of 128 and more",
        "exp"),
    ROW("exp2.zero", "exp2_log2_tables", TINY, "powers of two of zeros and denormals", "exp"),
    ROW("nan.recip", "sfu_of_nan", NAN_PATTERNS, "reciprocals of NaN patterns", "recip"),
    ROW("nan.rsqrt", "sfu_of_nan", NAN_PATTERNS, "reciprocal roots of NaN patterns", "rsqrt"),
    ROW("nan.log2", "sfu_of_nan", NAN_PATTERNS, "logarithms of NaN patterns", "log"),
    ROW("nan.exp2", "sfu_of_nan", NAN_PATTERNS, "powers of two of NaN patterns", "exp"),
    {"sfu.latency", "sfu_latency", "results arrive after two instructions, whatever those do", build_bodies,
     "mov recip, r0\nadd r3, r0, r1\nfmul r3, r3, r1\nmov r2, r4|"
     "mov recip, r0\nnop\nnop\nmov rsqrt, r4\nnop\nnop\nmov r2, r4|"
     "nop; fmul exp, r0, r1\nmov ra5, r0\nmov rb5, r1\nsub r2, r4, ra5|"
     "mov log, r0\nnop\nnop\nmov r3, r4\nmov recip, r1\nnop\nnop\nxor r2, r3, r4",
     NULL, OPERANDS_FLOATS, false},
};

const struct row_section section_sfu = SECTION("sfu", "the special function unit", rows);
