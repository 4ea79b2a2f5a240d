/* The strategies of the scheduler's attempts, those that are made first in front. bench/tune finds them and prints
 * them in this form (bench/README.md, Tuning): nothing here is written by hand but the last table. */
/* clang-format off */

/* Vertex and coordinate shaders. */
static const struct sched_strategy for_vertices[] = {
    /*height order    pressure acc    reuse  stream  tmu    seed  by           window */
    {1,     0.008,   0,       0.58,  0.64,  -1.66,  -7,    0,    BY_SOURCE,   0},
    {1,     0,       0,       0.15,  0.07,  -1.02,  -12,   0,    BY_SOURCE,   0},
    {1,     0,       2,       0.3,   0.32,  0,      -7,    0,    BY_SOURCE,   0},
    {1,     0.085,   1.75,    0.23,  0.22,  0.37,   -12,   0,    BY_DEPTH,    0},
    {1,     0.374,   1.5,     0.12,  0.19,  -1.34,  -7,    0,    BY_PRESSURE, 0},
    {1,     0.366,   1.58,    0.28,  0.56,  -0.43,  -12,   0,    BY_SOURCE,   0},
    {1,     0.219,   3.28,    0.26,  0,     -2.17,  -7,    0,    BY_DEPTH,    0},
    {1,     0.033,   0.93,    0.6,   0,     0.76,   -12,   0,    BY_SOURCE,   0},
    {1,     0.037,   1.79,    0.3,   0.28,  0,      -9,    0,    BY_PRESSURE, 0},
    {1,     0.026,   0,       0.19,  1.27,  -1.75,  -5,    0,    BY_SOURCE,   0},
};

/* Fragment shaders. */
static const struct sched_strategy for_fragments[] = {
    /*height order    pressure acc    reuse  stream  tmu    seed  by           window */
    {1,     0.007,   1.84,    0.41,  0.8,   0,      0,     0,    BY_DEPTH,    0},
    {1,     0.07,    2.03,    0.26,  0.35,  -1.24,  -3.3,  0,    BY_DEPTH,    0},
    {1,     0.08,    2,       0.19,  1.06,  0.34,   -5.4,  0,    BY_SOURCE,   0},
    {1,     0.362,   1.55,    0.15,  0.77,  0,      0,     0,    BY_DEPTH,    0},
    {1,     0.192,   2.64,    0.25,  1.24,  -1.2,   2.5,   69,   BY_PRESSURE, 0},
    {1,     0.042,   2.68,    0.19,  1.05,  -1.79,  0,     421,  BY_DEPTH,    0},
    {1,     0.011,   3.18,    0.14,  0.44,  0,      0,     0,    BY_SOURCE,   0},
    {1,     0,       0,       0.24,  1,     -1.51,  -0.9,  368,  BY_DEPTH,    0},
    {1,     -0.012,  1.38,    0.33,  0.33,  -1.33,  -5,    0,    BY_SOURCE,   0},
    {1,     0.313,   3.33,    0.14,  0.2,   0.2,    0,     393,  BY_DEPTH,    0},
};

/* Fragment shaders of more than SCHED_LARGE operations. */
static const struct sched_strategy for_large[] = {
    /*height order    pressure acc    reuse  stream  tmu    seed  by           window */
    {1,     0.007,   1.84,    0.41,  0.8,   0,      0,     0,    BY_DEPTH,    0},
    {1,     0.048,   1.48,    0.26,  0.93,  -1.38,  0,     0,    BY_DEPTH,    0},
    {1,     0.223,   2.86,    0.14,  0.45,  0,      -1.5,  0,    BY_DEPTH,    0},
    {1,     0.272,   0.23,    0.13,  0.9,   -1.23,  0,     0,    BY_SOURCE,   0},
    {1,     0.037,   3.2,     0.36,  0.91,  -2.44,  -9.1,  0,    BY_DEPTH,    0},
    {1,     0.209,   3.08,    0.26,  0.77,  0.63,   0,     0,    BY_PRESSURE, 0},
    {1,     0.282,   1.01,    0.15,  1.17,  -1.09,  0,     0,    BY_PRESSURE, 0},
};

/* For pressure that the ones above do not get under. */
static const struct sched_strategy under_pressure[] = {
    /*height order    pressure acc    reuse  stream  tmu    seed  by           window */
    {0,     1,       2,       1,     0.3,   0,      0,     0,    BY_DEPTH,    100},
    {0,     1,       2,       1,     0.3,   0,      0,     0,    BY_DEPTH,    30},
    {0,     1,       2,       1,     0.3,   0,      0,     0,    BY_SOURCE,   100},
    {0,     1,       2,       1,     0.3,   0,      0,     0,    BY_SOURCE,   8},
    {0,     1,       2,       1,     0.3,   0,      0,     0,    BY_DEPTH,    8},
    {0,     1,       0,       1,     0.3,   0,      0,     0,    BY_DEPTH,    2},
    {0,     1,       2,       1,     0.3,   0,      0,     0,    BY_PRESSURE, 30},
    {0,     1,       0,       1,     0.3,   0,      0,     0,    BY_PRESSURE, 6},
    {0,     1,       0,       1,     0.3,   0,      0,     0,    BY_PRESSURE, 2},
};
/* clang-format on */
