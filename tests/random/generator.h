/* The generator's state, and what its files need from each other. Inside of tests/random only. */
#ifndef TESTS_RANDOM_GENERATOR_H
#define TESTS_RANDOM_GENERATOR_H

#include "tree.h"

enum { MOST_VARIABLES = 160, MOST_FUNCTIONS = 4, MOST_PARAMETERS = 4, MEMBERS = 4, DEPTH = 4 };

/* Something that can be read, and perhaps written. */
struct variable {
    const char *name;
    enum kind kind;
    unsigned length; /* of an array, 0: none */
    bool writable;
};

struct function {
    const char *name;
    enum kind result; /* STATEMENT: void */
    enum kind kind[MOST_PARAMETERS];
    bool out[MOST_PARAMETERS], effects; /* effects: some parameter is out or inout */
    unsigned count;
};

struct gen {
    struct pool *pool;
    uint64_t seed;
    struct variable variables[MOST_VARIABLES];
    unsigned count;
    struct function functions[MOST_FUNCTIONS];
    unsigned function_count;
    enum kind member[MEMBERS];
    unsigned names, loops, trips; /* loops around us; product of their trips */
    int statements;               /* left to make */
    bool fragment, in_function, structs;
};

/* --- choices (generator.c) ------------------------------------------------------------------------------ */
uint32_t pick(struct gen *g, uint32_t n); /* below n */
bool one_in(struct gen *g, uint32_t n);
enum kind some_kind(struct gen *g);

/* --- kinds (generator.c) -------------------------------------------------------------------------------- */
unsigned size_of(enum kind kind); /* components, columns */
enum kind family(enum kind kind); /* the first of its family: FUZZY for all fuzzy vectors */
enum kind vector(enum kind base, unsigned size);

/* --- names and variables (generator.c) ------------------------------------------------------------------ */
const char *new_name(struct gen *g, const char *prefix);
void declare(struct gen *g, const char *name, enum kind kind, unsigned length, bool writable);
/* A variable of that kind, NULL if none: the newer ones more often. */
const struct variable *some_variable(struct gen *g, enum kind kind, bool writable);

/* --- leaves of expressions (leaves.c) ------------------------------------------------------------------- */
struct node *leaf(struct gen *g, enum kind kind, const char *text);
struct node *literal(struct gen *g, enum kind kind);
const char *swizzle(struct gen *g, unsigned from, unsigned to, bool distinct);
/* An index below `length`, constant or not; mostly one that differs from pixel to pixel. */
struct node *index_below(struct gen *g, unsigned length, int depth);
struct node *element(struct gen *g, enum kind kind, const char *name, unsigned length, int depth);
/* A value without operations: a literal, a variable or a part of one, something that differs between pixels.
 */
struct node *small(struct gen *g, enum kind kind, int depth);

/* --- expressions.c -------------------------------------------------------------------------------------- */
struct node *expression(struct gen *g, enum kind kind, int depth);
/* An expression for a variable to keep: small again, since loops may pass there often. */
struct node *kept(struct gen *g, enum kind kind, int depth);

/* --- statements.c --------------------------------------------------------------------------------------- */
struct node *statement(struct gen *g);
/* Declares a function, and makes it known for calls. */
struct node *function(struct gen *g);

#endif
