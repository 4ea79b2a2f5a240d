/* reasons.h: what is wrong with a text that glslang refuses, in the user's own words and types.
 *
 * glslang decides whether a text is legal and near which token it is not. What is wrong there is decided
 * here, on the user's tokens: so a message depends neither on the words nor on the version of glslang,
 * names types as they were written, and says where another version of the language has what is missing.
 * Where nothing is found glslang's message stays. */
#ifndef QPUCC_FRONTEND_GLSL_REASONS_H
#define QPUCC_FRONTEND_GLSL_REASONS_H

#include "frontend/essl100/essl100.h"

enum glsl_base {
    GLSL_UNKNOWN, /* nothing is said about what has this type */
    GLSL_VOID,
    GLSL_FLOAT,
    GLSL_INT,
    GLSL_UINT,
    GLSL_BOOL,
    GLSL_SAMPLER,
    GLSL_STRUCTURE,
};

struct glsl_type {
    enum glsl_base base;
    unsigned columns, rows; /* a vector has one column, a scalar one row */
    bool array;
    uint32_t members;    /* as in struct meaning */
    const char *name;    /* of a sampler or a structure */
    const char *written; /* of an integer number that stands alone: its digits */
};

/* One thing that is wrong, at a token. */
struct finding {
    size_t token;
    const char *text;
    const struct name *unknown; /* the name that is not declared, or NULL */
    bool after;                 /* the place is behind the token, where something is missing */
};
enum { MOST_FINDINGS = 4 };
struct findings {
    struct finding at[MOST_FINDINGS];
    size_t count;
};

/* --- types.c ------------------------------------------------------------------------------------------- */
bool glsl_type_of_word(const char *word, struct glsl_type *type);
const char *glsl_type_text(struct run *run, struct glsl_type type);
bool glsl_same_type(struct glsl_type a, struct glsl_type b);
/* Does the language convert by itself? Desktop GLSL does since 1.20. */
bool glsl_converts(const struct unit *unit, struct glsl_type from, struct glsl_type to);
struct glsl_type glsl_simple_type(enum glsl_base base, unsigned columns, unsigned rows);
bool glsl_is_scalar(struct glsl_type t);
bool glsl_is_number(struct glsl_type t); /* or a vector or matrix of numbers */
/* Of a variable whose type has that name. */
struct glsl_type glsl_type_of_name(const struct name *name, const struct meaning *m);
/* "(vec2, float)" */
const char *glsl_types_text(struct run *run, const struct glsl_type *types, size_t count);

/* --- typing_statement.c -------------------------------------------------------------------------------- */
/* Adds what is wrong with the statement between two tokens. */
void typing_statement(struct run *run, const struct unit *unit, const struct declarations *d, size_t begin,
                      size_t end, struct findings *out);

/* --- signatures.c: the language's functions (functions.def) --------------------------------------------- */
bool signatures_know(const struct unit *unit, const char *name);
/* The result of a call; `found` tells whether any signature fits. */
struct glsl_type signatures_result(const struct unit *unit, const char *name,
                                   const struct glsl_type *arguments, size_t count, bool *found);
/* "float mix(float, float, float) and vec2 mix(vec2, vec2, vec2)": those that fit best. */
const char *signatures_nearest(struct run *run, const struct unit *unit, const char *name,
                               const struct glsl_type *arguments, size_t count);

/* --- near.c: hints (hints.def) and names alike ---------------------------------------------------------- */
/* What to write in the unit's language instead of that word, which it lacks; NULL: nothing is known. */
const char *near_hint(const struct unit *unit, const char *name);
/* "; did you mean 'color'?", or "": the nearest of the names that may stand at that token. `call`: a
 * function; * `type`: a type. */
enum near_kind { NEAR_VALUE, NEAR_CALL, NEAR_TYPE };
const char *near_name(struct run *run, const struct unit *unit, const struct declarations *d, size_t token,
                      enum near_kind kind);
/* The nearest of a list, or NULL; *best: the distance to beat, and what was found. */
bool near_spelling(const char *word, const char *candidate, unsigned *best);
const char *near_language(struct run *run, const struct unit *unit); /* "GLSL ES 1.00" */

/* --- earlier.c: what glslang leaves out of a message about a declaration ------------------------------- */
/* "; the first is at line 3": where the name at a token was declared before in its scope, or the function
 * had its body; "": not found. */
const char *earlier_place(struct run *run, const struct unit *unit, const struct declarations *d, size_t at,
                          bool function);
/* What is wrong with an array whose declaration has the token in its brackets; NULL: it is none. */
const char *earlier_array(struct run *run, const struct unit *unit, size_t token);
/* "'a': there is no element 3", from glslang's words and the name before the bracket; NULL: the words are
 * about something else, or there is no name. */
const char *earlier_index(struct run *run, const struct unit *unit, size_t bracket, const char *text);

/* --- syntax.c: where the grammar is left ---------------------------------------------------------------- */
struct syntax_fault {
    struct finding finding;
    const char *insert; /* a token that mends it, before token `at`; NULL: there is none */
    size_t at;
    bool remove;                 /* else the finding's token is one too many */
    size_t skip_begin, skip_end; /* else tokens to be left out for the rest; equal: none are known */
};
struct syntax_fault syntax_fault(struct run *run, const struct unit *unit, const struct declarations *d,
                                 size_t token);

/* What is wrong with the values in braces that begin at a token; NULL: none begin there. */
const char *syntax_values(struct run *run, const struct unit *unit, size_t token);

/* --- statements, in the sense of messages: from behind a ';' or a curly bracket up to the next one ------ */
size_t reasons_begin(const struct unit *unit, size_t token);
size_t reasons_end(const struct unit *unit, size_t token);
/* Types as glslang renders them become the user's. */
const char *reasons_plain(struct run *run, const char *text);

#endif
