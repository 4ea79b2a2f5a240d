/* macros.h: macro definition and expansion (macros.c). */
#ifndef QPUCC_FRONTEND_GLSL_MACROS_H
#define QPUCC_FRONTEND_GLSL_MACROS_H

#include "frontend/glsl/preprocess.h"

struct frame { /* tokens waiting to be read: a macro's expansion or an argument */
    struct tokens tokens;
    size_t next;
    struct macro *macro; /* busy while the frame stands */
};

/* Errors in the text are diagnosed; where memory runs out run->failed is set. */

/* The language's names, then -D. */
void macros_predefine(struct preprocessor *pp);
/* The rest of a #define's or #undef's line; `place`: of the directive, for an error about an empty one. */
void macros_define(struct preprocessor *pp, struct place place, const struct tokens *line);
void macros_undef(struct preprocessor *pp, struct place place, const struct tokens *line);
/* A macro of the language's own, which the text can neither define nor undefine. */
void macros_define_number(struct preprocessor *pp, const char *name, const char *number);
/* One token of the text, expanded onto `out`; a call's arguments are read from pp->lexer. False: give up. */
bool macros_expand(struct preprocessor *pp, struct token token, struct tokens *out);
/* The same for a directive's line, beyond which nothing is read. */
bool macros_expand_list(struct preprocessor *pp, const struct tokens *in, struct tokens *out);
/* Names are no macros any more. */
void macros_end(struct preprocessor *pp);

#endif
