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
    const char *path; /* of the file being read */
    uint32_t base_file;
    long long source_string;
    unsigned include_depth, include_count;
    size_t included; /* bytes */
    struct conditional *conditionals;
    size_t conditional_count, conditional_base; /* groups below the base were opened by an including file */
    unsigned stray_count;
    struct place stray; /* the last one */
    bool stopped;
    bool seen_token;              /* of the text, other than directives */
    bool line_names;              /* GL_GOOGLE_cpp_style_line_directive */
    size_t expanded;              /* tokens that expansion produced, against the limit */
    struct macro *macros;         /* the last one defined */
    const struct name *outermost; /* the macro that the text calls, while it is expanded */
    unsigned argument_depth;
    size_t scanned, braces; /* tokens that were looked at for braces, and those that are open there */
    bool in_body;           /* the outermost of them is a function's */
    bool in_condition;      /* of #if: `defined` is an operator, wherever it comes from */
};

void macros_predefine(struct preprocessor *pp); /* the language's names, then -D */
void macros_define(struct preprocessor *pp, struct place place, const struct tokens *line);
void macros_define_number(struct preprocessor *pp, const char *name, const char *number);
void macros_undef(struct preprocessor *pp, struct place place, const struct tokens *line);
/* One token of the text, expanded onto `out`; a call's arguments are read from pp->lexer. False: give up. */
bool macros_expand(struct preprocessor *pp, struct token token, struct tokens *out);
/* A directive's line. */
bool macros_expand_list(struct preprocessor *pp, const struct tokens *in, struct tokens *out);
void macros_end(struct preprocessor *pp);

/* preprocess.c */
void preprocess_define_extensions(struct preprocessor *pp);
/* Reports what is no token. */
void preprocess_stray(struct preprocessor *pp, const struct token *t);

#endif
