/* preprocess.h: the preprocessor's state, and what its files share. */
#ifndef QPUCC_FRONTEND_GLSL_PREPROCESS_H
#define QPUCC_FRONTEND_GLSL_PREPROCESS_H

#include "frontend/glsl/internal.h"

struct conditional {
    struct place place;
    bool had_else;
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
    bool met_version;                           /* the #version that find_version() read */
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

/* --- preprocess.c --------------------------------------------------------------------------------------- */

void preprocess_error(struct preprocessor *pp, struct place place, const char *text);
/* Reads the rest of the directive's line, unexpanded. */
void preprocess_read_line(struct preprocessor *pp, struct tokens *line);
/* Reports a token at or after `from` in a directive's line: nothing may follow there. */
void preprocess_expect_end(struct preprocessor *pp, const struct tokens *line, size_t from,
                           const char *directive);
/* Adds a line that glslang is to see (T_DIRECTIVE) to the unit's tokens. */
void preprocess_keep_line(struct preprocessor *pp, struct place place, const char *text);
/* The text in pp->lexer, to its end: the source's or an included file's. */
void preprocess_text(struct preprocessor *pp);
/* Reports what is no token; after too many of them the preprocessor stops. */
void preprocess_stray(struct preprocessor *pp, const struct token *t);

/* --- include.c ------------------------------------------------------------------------------------------ */

/* Reads the rest of #include's line, and the file's text. */
void preprocess_include(struct preprocessor *pp, struct place place);

/* --- directives.c --------------------------------------------------------------------------------------- */

/* The macros of the extensions that the unit's language may use. */
void preprocess_define_extensions(struct preprocessor *pp);
/* `word` is the directive's name, `line` what follows it, unexpanded. */
void preprocess_extension(struct preprocessor *pp, const struct token *word, const struct tokens *line);
void preprocess_pragma(struct preprocessor *pp, const struct token *word, const struct tokens *line);
void preprocess_line_directive(struct preprocessor *pp, const struct token *word, const struct tokens *line);

#endif
