/* Programs about the language's front end: what the files of that generator share. Inside of tests/random
 * only. */
#ifndef TESTS_RANDOM_LANGUAGE_H
#define TESTS_RANDOM_LANGUAGE_H

#include "generator.h"

enum base { VOID, FLOAT, WHOLE, UNSIGNED, TRUTH, RECORD };

struct record;
struct type {
    enum base base;
    unsigned rows, columns; /* columns: of a matrix, 0: none */
    const struct record *record;
    unsigned length; /* of an array, 0: none */
};

enum { MOST_MEMBERS = 4, MOST_ENTITIES = 240 };

struct record {
    const char *name;
    unsigned count;
    struct type type[MOST_MEMBERS];
    const char *member[MOST_MEMBERS];
    bool arrays; /* in it: ES 1.00 neither assigns nor compares such structures */
};

struct signature {
    const char *name;
    struct type result, type[MOST_PARAMETERS];
    unsigned count;
    bool in[MOST_PARAMETERS], out[MOST_PARAMETERS], effects;
};

struct entity {
    const char *name;
    enum { A_VARIABLE, A_TYPE, A_FUNCTION } meaning;
    struct type type;
    bool writable, constant, unset; /* unset: nothing may be read from it yet */
    int value;                      /* of a constant that may be an array's size, 0: not known */
    const struct record *record;
    const struct signature *function;
};

struct language {
    struct gen g; /* its choices and its pool */
    bool modern;  /* ES 3.00 */
    bool main;    /* global variables may be written */
    bool mixed;   /* types have the names of variables */
    bool numbers; /* no uniform is a truth */
    bool loose;   /* the reference may refuse it (generate.h) */
    struct entity entities[MOST_ENTITIES];
    unsigned count, scope, globals;  /* scope: the first entity of the innermost one */
    unsigned loops, switches, trips; /* switches: between the innermost loop and here */
    int statements;                  /* left to make */
    const struct rule *rule;         /* to break (illegal.c); NULL: none */
    const char *breach_name[2];
    unsigned stage, breach_stage; /* of illegal.def */
    unsigned wait;                /* statements of main before the breach */
    bool breached;
    struct type result; /* of the function around */
};

/* An expression. All variables hold whole numbers in -16..16; `bound`: the most that its magnitude is. */
struct value {
    const char *text; /* NULL: there is none of that type here */
    long bound;
};

/* --- language_names.c ----------------------------------------------------------------------------------- */
const char *text(struct language *l, const char *format, ...) __attribute__((format(printf, 2, 3)));
struct type scalar(enum base base);
struct type vector_of(enum base base, unsigned rows);
bool same_type(struct type a, struct type b);
bool is_plain(struct type t); /* a scalar or a vector */
/* ES 1.00 assigns and compares no arrays, nor structures that hold some. */
bool is_value(const struct language *l, struct type t);
const char *type_name(struct language *l, struct type t); /* without the brackets of an array */
struct type some_type(struct language *l, bool records);
const struct entity *lookup(const struct language *l, const char *name);
const char *fresh_name(struct language *l, bool type);
struct entity *introduce(struct language *l, struct entity entity);
unsigned enter_scope(struct language *l);
void leave_scope(struct language *l, unsigned around);
/* What of that type can be read, or written: a variable, a member, an element, a component. NULL: nothing.
 * `except`: not of this variable. */
const char *some_path(struct language *l, struct type wanted, bool writable, bool constant,
                      const char *except);

/* --- language_values.c ---------------------------------------------------------------------------------- */
struct value some_value(struct language *l, struct type t, int depth, bool constant);
/* The same within -16..16. */
const char *tame_value(struct language *l, struct type t, int depth, bool constant);
/* A constant expression for the size of an array; *size is its value. */
const char *some_size(struct language *l, unsigned *size);

/* --- language_declarations.c ---------------------------------------------------------------------------- */
struct node *line(struct language *l, const char *statement);
struct node *list_node(struct language *l);
/* A number of what the path leads to is added to the sum. */
void add_note(struct language *l, struct node *list, const char *path, struct type t);
/* The same for what the innermost scope declared. */
void note_scope(struct language *l, struct node *list);
/* Assignments to what may not be read yet, from this entity on. */
void fill_unset(struct language *l, struct node *list, unsigned first);
void declare_record(struct language *l, struct node *list);
void declare_constants(struct language *l, struct node *list);
void declare_variables(struct language *l, struct node *list);

/* --- language_statements.c ------------------------------------------------------------------------------ */
struct node *language_statement(struct language *l);

#endif
