/* typing.h: what the files of typing share.
 *
 * A typist goes over tokens of a statement that glslang has refused, with their meanings; brackets nest a
 * bounded number of levels. It reads and builds nothing. Where a type is not known, nothing is said about
 * what is made of it, so that one fault is said once. */
#ifndef QPUCC_FRONTEND_GLSL_TYPING_H
#define QPUCC_FRONTEND_GLSL_TYPING_H

#include "frontend/glsl/reasons.h"

struct typist {
    struct run *run;
    const struct unit *unit;
    const struct declarations *d;
    const struct token *at;
    size_t i, end;
    unsigned depth;
    struct findings *out;
};

enum { MOST_ARGUMENTS = 16 };

static inline bool is(const struct typist *t, const char *spelling) {
    return t->i < t->end && token_is(&t->at[t->i], spelling);
}

static inline bool accept(struct typist *t, const char *spelling) {
    bool yes = is(t, spelling);
    t->i += yes;
    return yes;
}

/* Adds what is wrong at a token. `name`: it is the one that is not declared. */
void typist_find(struct typist *t, size_t token, const struct name *name, const char *text);
const char *typist_language(const struct typist *t);
/* What to write so that a value of type `from` becomes one of type `to`; "": nothing simple. */
const char *typist_conversion(struct typist *t, struct glsl_type from, struct glsl_type to);
/* Says so if a value of type `from` stands where one of type `to` is needed. */
void typist_expect(struct typist *t, size_t token, const char *what, struct glsl_type from,
                   struct glsl_type to);
/* The same if the condition of `what` is no bool. */
void typist_condition(struct typist *t, size_t token, const char *what, struct glsl_type type);

/* Expressions, from the next token on, with commas and without. */
struct glsl_type typist_sequence(struct typist *t);
struct glsl_type typist_assignment(struct typist *t);
/* typing_call.c: from the '(' behind the name at a token */
struct glsl_type typist_call(struct typist *t, size_t token);
/* What a function of the user's gives. */
struct glsl_type typist_result_of(const struct typist *t, const struct function *f);

#endif
