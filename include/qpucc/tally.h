/* When is a program worth specialising? Counts, at draws, the values of the uniforms that control it.
 *
 *     count = qpucc_program_controls(program, controls, 16);
 *     qpucc_tally_init(&tally, controls, count < 16 ? count : 16);
 *     at each draw: set = qpucc_tally_draw(&tally, uniforms);
 *                   if (qpucc_tally_is_due(&tally, set))
 *                       have a worker make qpucc_specialise of qpucc_tally_constants(&tally, set, list);
 *                   draw with that program once it is there, else with the one that takes all values
 *
 * A few sets of values are kept, each with the number of its draws; a set is due once, when it has been drawn
 * with often enough. A new set takes the place of the one with fewest draws. A uniform that changes all the
 * time, as a clock, is left out of the sets. Nothing here allocates; a tally is the caller's, one thread at a
 * time. docs/driver-guide.md, "Values of uniforms", has the reasons and the numbers. */
#ifndef QPUCC_TALLY_H
#define QPUCC_TALLY_H

#include <qpucc/qpucc.h>

#ifdef __cplusplus
extern "C" {
#endif

#define QPUCC_TALLY_WORDS 8  /* most uniforms whose values make a set */
#define QPUCC_TALLY_SETS 8   /* most sets of values, so most specialised programs, at a time */
#define QPUCC_TALLY_DUE 64   /* draws after which a set is due */
#define QPUCC_TALLY_LEAST 12 /* operations of the IR that have to hang on a uniform, or a lookup */

/* Look at it through the functions. */
struct qpucc_tally {
    uint32_t count, draws;
    struct {
        uint32_t word, last, changes;
    } word[QPUCC_TALLY_WORDS];
    struct {
        uint32_t draws; /* halved from time to time; 0: nobody's */
        uint32_t due;   /* 1: at this draw, 2: it has been */
        uint32_t age;   /* how often this place was given to another set */
        uint32_t values[QPUCC_TALLY_WORDS];
    } set[QPUCC_TALLY_SETS];
};

/* Begins with the controls that save most. `controls` may be NULL if count is 0: then nothing is ever due. */
void qpucc_tally_init(struct qpucc_tally *tally, const struct qpucc_control *controls, size_t count);
/* Counts a draw with these uniforms (packed storage). Returns the index of their set, below QPUCC_TALLY_SETS:
 * a driver keeps its specialised programs by it, with qpucc_tally_age; or -1: no uniform is worth a set. */
int qpucc_tally_draw(struct qpucc_tally *tally, const uint32_t *uniforms);
/* Is it the draw that makes the set worth a program? False for -1. */
bool qpucc_tally_is_due(const struct qpucc_tally *tally, int set);
/* Grows when the index is given to other values: a program made for another age is not for these. */
uint32_t qpucc_tally_age(const struct qpucc_tally *tally, int set);
/* The set's values, for qpucc_specialise; returns how many. */
size_t qpucc_tally_constants(const struct qpucc_tally *tally, int set,
                             struct qpucc_constant constants[QPUCC_TALLY_WORDS]);

#ifdef __cplusplus
}
#endif

#endif
