/* macros.h: the preprocessor's state, and macro definition and expansion (macros.c). */
#ifndef QPUCC_FRONTEND_GLSL_MACROS_H
#define QPUCC_FRONTEND_GLSL_MACROS_H

#include "frontend/glsl/internal.h"

struct conditional {
    struct place place;
    bool had_else;
};

struct frame { /* tokens waiting to be read: a macro's expansion or an argument */
    struct tokens tokens;
    size_t next;
    struct macro *macro; /* busy while the frame stands */
};

struct preprocessor {
    struct run *run;
    const struct fe_options *options;
    struct unit *unit;
    struct lexer lexer;
    const char *path;        /* of the file being read */
    uint32_t base_file;      /* the source's own, not an included one */
    long long source_string; /* what __FILE__ is: the last number of a #line */
    unsigned include_depth;  /* of the file being read; 0: the source */
    unsigned include_count;  /* of all #includes so far, against the limit */
    size_t included;         /* bytes of these files, against the limit */
    struct conditional *conditionals;
    size_t conditional_count, conditional_base; /* groups below the base were opened by an including file */
    unsigned stray_count;                       /* characters that are no token; at some number it stops */
    struct place stray;                         /* the last one */
    bool stopped;                               /* nothing more is read; diagnosed */
    bool seen_token;                            /* of the text, other than directives */
    bool line_names;                            /* GL_GOOGLE_cpp_style_line_directive */
    size_t expanded;                            /* tokens that expansion produced, against the limit */
    struct macro *macros;                       /* the last one defined */
    const struct name *outermost;               /* the macro that the text calls, while it is expanded */
    unsigned argument_depth; /* calls inside of arguments that are being expanded, against a limit */
    size_t scanned, braces;  /* tokens that were looked at for braces, and those that are open there */
    bool in_body;            /* the outermost of them is a function's */
    bool in_condition;       /* of #if: `defined` is an operator, wherever it comes from */
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

/* --- preprocess.c --------------------------------------------------------------------------------------- */

/* The macros of the extensions that the unit's language may use. */
void preprocess_define_extensions(struct preprocessor *pp);
/* Reports what is no token; after too many of them the preprocessor stops. */
void preprocess_stray(struct preprocessor *pp, const struct token *t);

#endif
