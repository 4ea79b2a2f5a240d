/* What dives and the exact search prefer for an instruction (likely.c), in sixteenths of an instruction that
 * has to follow. Found by trying, as bench/tune does it, which prints this form (bench/README.md, Tuning).
 */
/* clang-format off */
static const struct sched_dive_weights dive_fragments = {
    .tail = 16, .order = -9, .mul = 0, .either = 14, .signal = 0, .word = -26, .r4 = 37, .immediate = -3,
    .frees = 32, .later = -3, .no_result = -31, .readers = -16, .takes = -13, .opens = -8,
};
static const struct sched_dive_weights dive_vertices = {
    .tail = 16, .order = 5, .mul = 53, .either = -29, .signal = 0, .word = -13, .r4 = 38, .immediate = 0,
    .frees = 32, .later = 4, .no_result = -31, .readers = -6, .takes = -7, .opens = -5,
};
static const struct sched_dive_weights dive_coordinates = {
    .tail = 16, .order = 17, .mul = 10, .either = -5, .signal = 29, .word = 0, .r4 = 5, .immediate = -13,
    .frees = 29, .later = -5, .no_result = 3, .readers = -10, .takes = 13, .opens = -8,
};
/* clang-format on */
