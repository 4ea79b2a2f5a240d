/* Programs as trees, so that they can be made smaller: a node is a piece of text with holes for its children,
 * or a list of statements. */
#ifndef TESTS_RANDOM_TREE_H
#define TESTS_RANDOM_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Kinds of values. FUZZY floats lie between -1 and 1 and may differ in their last bits between machines;
 * nothing discontinuous is done with them. EXACT floats are multiples of a power of two that every machine
 * computes alike. In GLSL both are float or vecN. The vector sizes of a kind follow each other. */
enum kind {
    STATEMENT,
    LIST, /* of statements */
    FUZZY,
    EXACT = FUZZY + 4,
    INT = EXACT + 4,
    BOOL = INT + 4,
    MATRIX = BOOL + 4, /* 2, 3, 4 */
    STRUCT = MATRIX + 3,
    KINDS
};

struct node {
    enum kind kind;
    const char *text; /* "%0" to "%9" are children; NULL: a list, all of them */
    struct node **child;
    unsigned count, capacity;
};

struct pool; /* all of a program's memory */
struct pool *pool_new(void);
void pool_free(struct pool *pool);
void *pool_take(struct pool *pool, size_t size); /* zeros */
char *pool_text(struct pool *pool, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* `children` are `count` struct node *. */
struct node *node_new(struct pool *pool, enum kind kind, const char *text, unsigned count, ...);
void node_add(struct pool *pool, struct node *list, struct node *child);

const char *kind_name(enum kind kind);    /* in GLSL: "vec3" */
const char *kind_literal(enum kind kind); /* some value of that kind; NULL for statements and structures */

/* As GLSL, indented; malloc'ed. NULL when memory ran out. */
char *tree_print(const struct node *root);

/* Makes the trees smaller as long as `fails` says that the fault is still there. Returns how often it asked.
 */
unsigned tree_reduce(struct pool *pool, struct node *const *roots, unsigned root_count,
                     bool (*fails)(void *user), void *user, unsigned most);

#endif
