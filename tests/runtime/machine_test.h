/* Helpers for tests that assemble small programs and run or draw with them. */
#ifndef MACHINE_TEST_H
#define MACHINE_TEST_H

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <qpucc/qpusim.h>

#include "backend/isa/isa.h"

static inline uint32_t bits_of(float f) {
    uint32_t u;
    memcpy(&u, &f, 4);
    return u;
}

static inline float float_of(uint32_t u) {
    float f;
    memcpy(&f, &u, 4);
    return f;
}

static inline struct qpusim_program *assemble(const char *text, enum qpusim_stage stage, bool threaded) {
    struct qpu_asm_result a = qpu_assemble(text, strlen(text));
    ck_assert_msg(a.code != NULL, "line %u: %s in\n%s", a.line, a.error, text);
    struct qpusim_program *p = qpusim_program_new(a.code, a.count, stage, threaded);
    ck_assert_ptr_nonnull(p);
    free(a.code);
    return p;
}

/* A coordinate and a vertex shader that read x, y, z, w and `varyings` more words, and pass them on.
 * Uniforms: x scale, y scale, z scale, z offset. `size`: one more attribute word, after the position, is the
 * point size. */
static inline char *vertex_shader(unsigned varyings, bool coordinate, bool size, char *out, size_t capacity) {
    unsigned extra = (coordinate ? 0 : varyings) + size;
    size_t n = 0;
#define EMIT(...) n += (size_t)snprintf(out + n, n < capacity ? capacity - n : 0, __VA_ARGS__)
    EMIT("movi vr_setup, 0x%x\nmovi vw_setup, 0x1a00\n", 0x1a00 | ((4 + extra) & 15) << 20);
    EMIT("mov ra0, vpm\nmov ra1, vpm\nmov ra2, vpm\nmov ra3, vpm\n");
    for (unsigned i = 0; i < extra; i++)
        EMIT("mov ra%u, vpm\n", 8 + i);
    EMIT("nop\nmov recip, ra3\nnop\nnop\n");
    /* One Newton step: r (2 - w r). */
    EMIT("mov r0, r4\nfmul r1, r0, ra3\nfsub r1, 2.0, r1\nfmul r3, r0, r1\n");
    EMIT("fmul r0, ra0, r3\nfmul r0, r0, unif\nftoi ra4.16a, r0\n");
    EMIT("fmul r0, ra1, r3\nfmul r0, r0, unif\nftoi ra4.16b, r0\n");
    EMIT("fmul r0, ra2, r3\nfmul r0, r0, unif\nfadd r2, r0, unif\n");
    if (coordinate)
        EMIT("mov vpm, ra0\nmov vpm, ra1\nmov vpm, ra2\nmov vpm, ra3\n");
    EMIT("mov vpm, ra4\nmov vpm, r2\nmov vpm, r3\n");
    for (unsigned i = 0; i < extra; i++)
        EMIT("mov vpm, ra%u\n", 8 + i);
    EMIT("nop; nop; thrend\nnop\nnop\n");
#undef EMIT
    ck_assert_uint_lt(n, capacity);
    return out;
}

#endif
