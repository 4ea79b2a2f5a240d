/* What dives and the exact search prefer for an instruction (likely.c), in sixteenths of an instruction that
 * has to follow. Found by trying, as bench/tune does it, which prints this form (bench/README.md, Tuning).
 */
/* clang-format off */
static const struct sched_dive_weights dive_fragments = {
    .tail = 16, .order = -9, .either = 14, .word = -26, .frees = 32, .later = -3, .readers = -16,
};
static const struct sched_dive_weights dive_vertices = {
    .tail = 16, .order = 5, .either = -29, .word = -13, .frees = 32, .later = 4, .readers = -6,
};
static const struct sched_dive_weights dive_coordinates = {
    .tail = 16, .order = 17, .either = -5, .word = 0, .frees = 29, .later = -5, .readers = -10,
};
/* clang-format on */
