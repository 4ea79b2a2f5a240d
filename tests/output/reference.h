/* What GL says of a fragment after its shader, in double precision: the formulas of the specifications,
 * written without a look at how the compiler gets there. */
#ifndef TESTS_OUTPUT_REFERENCE_H
#define TESTS_OUTPUT_REFERENCE_H

#include <qpucc/qpucc.h>

/* One fragment as it leaves the shader, and what the tile buffer has at its pixel. */
struct fragment {
    double color[4], second[4];
    unsigned x, y;
    double w;             /* Wc */
    double z;             /* window Z, 0..1 */
    double fog;           /* gl_FogFragCoord, or the interpolated factor */
    double across;        /* of a line, 0..1 */
    double line_distance; /* pixels */
    uint32_t tile[4][2];  /* words of each sample */
};

/* What may come out. Sixteen-bit floats are compared as values. */
struct expected {
    bool dropped;
    unsigned samples;             /* bits that may be written; 1 without multisampling */
    double low[4][4], high[4][4]; /* of each sample: channels, in 0..1 */
    bool kept[4];                 /* channels that keep the tile's bits */
};

/* How far off each channel may be before it is put into the target's format, in 0..1. */
void reference(const struct qpucc_state *state, const struct qpucc_draw_state *draw,
               const struct fragment *in, double slack, struct expected *out);

/* Bits of one channel of a target: 8, 4, 5 or 1. */
unsigned reference_bits(const struct qpucc_state *state, unsigned channel);
/* A channel of the tile's words, 0..1, or a float's value. */
double reference_channel(const struct qpucc_state *state, const uint32_t words[2], unsigned channel);

/* Blending alone: result of four channels; in and out are not premultiplied further. */
void reference_blend(const struct qpucc_state *state, const struct qpucc_draw_state *draw, const double s[4],
                     const double second[4], const double d[4], double out[4]);

float half_to_float(uint16_t half);

#endif
