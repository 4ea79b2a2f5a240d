/* macros.h: definition of macros (define.c) and their expansion (macros.c). */
#ifndef QPUCC_FRONTEND_GLSL_MACROS_H
#define QPUCC_FRONTEND_GLSL_MACROS_H

#include "frontend/glsl/preprocess.h"

enum special { SPECIAL_NONE, SPECIAL_LINE, SPECIAL_FILE };

struct macro {
    struct name *name;
    struct token *body;
    size_t body_count;
    const struct name **parameters;
    size_t parameter_count;
    bool function, busy, predefined;
    enum special special;
    struct macro *before; /* among all of the unit, whether they are still defined or not */
};

/* Errors in the text are diagnosed; where memory runs out run->failed is set. */

/* --- define.c ------------------------------------------------------------------------------------------- */

/* The language's names, then -D. */
void macros_predefine(struct preprocessor *pp);
/* The rest of a #define's or #undef's line; `place`: of the directive, for an error about an empty one. */
void macros_define(struct preprocessor *pp, struct place place, const struct tokens *line);
void macros_undef(struct preprocessor *pp, struct place place, const struct tokens *line);
/* A macro of the language's own, which the text can neither define nor undefine. */
void macros_define_number(struct preprocessor *pp, const char *name, const char *number);
/* Names are no macros any more. */
void macros_end(struct preprocessor *pp);

/* --- macros.c ------------------------------------------------------------------------------------------- */

/* An error whose text has one %s, the name. */
void macros_report(struct preprocessor *pp, struct place place, const char *format, const char *name);
/* One token of the text, expanded onto `out`; a call's arguments are read from pp->lexer. False: give up. */
bool macros_expand(struct preprocessor *pp, struct token token, struct tokens *out);
/* The same for a directive's line, beyond which nothing is read. */
bool macros_expand_list(struct preprocessor *pp, const struct tokens *in, struct tokens *out);

#endif
