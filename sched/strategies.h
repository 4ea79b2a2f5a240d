/* The strategies of the scheduler's attempts, those that are made first in front. bench/tune finds them and
 * prints them in this form (bench/README.md, Tuning): nothing here is written by hand but what
 * is for pressure. */
/* clang-format off */

/* Vertex and coordinate shaders. */
static const struct sched_strategy for_vertices[] = {
    /*height order    pressure acc    reuse  stream  tmu    by           window */
    {1,     0.008,   0,       0.552, 0.4,   -1.66,  -7,    BY_SOURCE,   0},
    {1,     0,       0,       0.054, 0.031, -1.044, -12,   BY_SOURCE,   0},
    {1,     0.014,   3.222,   0.29,  0,     -0.087, -7,    BY_SOURCE,   0},
    {1,     0.085,   1.75,    0.23,  0.22,  0.37,   -12,   BY_DEPTH,    0},
    {1,     0.374,   1.5,     0.12,  0.19,  -1.34,  -7,    BY_PRESSURE, 0},
    {1,     0.366,   1.58,    0.28,  0.56,  -0.43,  -12,   BY_SOURCE,   0},
    {1,     0.219,   3.28,    0.26,  0,     -2.17,  -7,    BY_DEPTH,    0},
    {1,     0.033,   0.93,    0.6,   0,     0.76,   -12,   BY_SOURCE,   0},
    {1,     0.037,   1.79,    0.3,   0.28,  0,      -9,    BY_PRESSURE, 0},
    {1,     0.026,   0,       0.19,  1.27,  -1.75,  -5,    BY_SOURCE,   0},
};

/* Fragment shaders. */
static const struct sched_strategy for_fragments[] = {
    /*height order    pressure acc    reuse  stream  tmu    by           window */
    {1,     0.054,   2.92,    0.41,  0.67,  0.07,   -8.8,  BY_DEPTH,    0},
    {1,     0.004,   1.86,    0.11,  0.81,  -1.9,   -0.7,  BY_DEPTH,    0},
    {1,     0.193,   2.79,    0.25,  0.4,   0.76,   -5.6,  BY_SOURCE,   0},
    {1,     0.013,   0.81,    0.33,  0.14,  -0.12,  -6.5,  BY_DEPTH,    0},
    {1,     0.056,   3.45,    0.11,  1.89,  -2.46,  -4.9,  BY_SOURCE,   0},
    {1,     0.293,   1.99,    0.31,  0.2,   0,      2,     BY_PRESSURE, 0},
    {1,     0.286,   1.5,     0.17,  0.27,  -2.16,  -7.2,  BY_DEPTH,    0},
    {1,     0.262,   1.7,     0.31,  0.09,  -0.23,  -0.7,  BY_SOURCE,   0},
    {1,     0.334,   0,       0.15,  1.05,  -2.24,  -8.1,  BY_SOURCE,   0},
    {1,     0.008,   2.27,    0.2,   0.13,  0.25,   -1.3,  BY_SOURCE,   0},
};

/* For pressure that the ones above do not get under. */
static const struct sched_strategy under_pressure[] = {
    /*height order    pressure acc    reuse  stream  tmu    by           window */
    {0,     1,       2,       1,     0.3,   0,      0,     BY_DEPTH,    100},
    {0,     1,       2,       1,     0.3,   0,      0,     BY_DEPTH,    30},
    {0,     1,       2,       1,     0.3,   0,      0,     BY_SOURCE,   100},
    {0,     1,       2,       1,     0.3,   0,      0,     BY_PRESSURE, 30},
    {0,     1,       0,       1,     0.3,   0,      0,     BY_PRESSURE, 6},
    {0,     1,       0,       1,     0.3,   0,      0,     BY_PRESSURE, 2},
};

/* For an order that is made for the block, which fits in hardly any other. */
static const struct sched_strategy in_order =
    /*height order    pressure acc    reuse  stream  tmu    by           window */
    {0,     1,       2,       1,     0.3,   0,      0,     BY_PRESSURE, 60};
/* clang-format on */
