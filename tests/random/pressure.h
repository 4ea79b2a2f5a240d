/* What the programs that need many registers are made of (pressure.c, state.c). Inside of tests/random only.
 */
#ifndef TESTS_RANDOM_PRESSURE_H
#define TESTS_RANDOM_PRESSURE_H

#include "generate.h"
#include "generator.h"

struct pressure {
    struct gen *g;
    struct program *program;
    struct node *top, *body; /* declarations and functions; what main does */
};

/* A statement at the end of `to`. */
#define SAY(p, to, ...)                                                                                      \
    node_add((p)->g->pool, to, leaf((p)->g, STATEMENT, pool_text((p)->g->pool, __VA_ARGS__)))

unsigned between(struct pressure *p, unsigned least, unsigned most);
struct node *list(struct pressure *p);

/* One of these that the pixels of a quad may decide differently, or that all decide alike. */
const char *condition(struct pressure *p, bool divergent);
/* A loop that stays one; it changes no more than its body does. */
struct node *loop(struct pressure *p, bool divergent, struct node *body);
struct node *branch(struct pressure *p, bool divergent, struct node *yes, struct node *no);
/* A loop around a few operations on r, so that a branch around it stays a branch. */
struct node *small_loop(struct pressure *p, bool divergent);

/* x0 .. : as many values, of several kinds. Texels can be fetched again, others be computed again. */
void declare_values(struct pressure *p, unsigned count, unsigned kind);
/* Reads all of x0 .. into a float, in some order. */
void read_all(struct pressure *p, struct node *to, const char *into, unsigned count);

/* A program of one of these kinds, of which the seed chooses one. */
bool pressure_program(struct program *program, uint64_t seed, void (*const *kinds)(struct pressure *),
                      size_t count);

#endif
