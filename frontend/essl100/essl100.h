/* essl100.h: what of GLSL glslang has no code for, or refuses, and the rules that it does not enforce.
 *
 * Most of this reads tokens, because it comes before there is a tree: costs.c and the limits in rules.c bound
 * what glslang would do with the text; nested.c, numbers.c, declarations.c, scopes.c, shapes.c and
 * constants.c find the words that source.c spells in another way, or glslang would refuse the text. What
 * explains an error (frontend/glsl: typing.c, near.c, earlier.c) has no tree either: glslang leaves none of a
 * text that it refuses. */
#ifndef QPUCC_FRONTEND_ESSL100_H
#define QPUCC_FRONTEND_ESSL100_H

#include "frontend/glsl/internal.h"

/* The values of gl_Max…: what the hardware has (8 attributes of the VPM, 32 varying components), memory-bound
 * ones as a driver of this chip offers them. The text for code must agree with the checked one on them. */
enum {
    ESSL_MAX_VERTEX_ATTRIBS = 8,
    ESSL_MAX_VERTEX_UNIFORM_VECTORS = 256,
    ESSL_MAX_VARYING_VECTORS = 8,
    ESSL_MAX_VERTEX_TEXTURE_IMAGE_UNITS = 16,
    ESSL_MAX_COMBINED_TEXTURE_IMAGE_UNITS = 32,
    ESSL_MAX_TEXTURE_IMAGE_UNITS = 16,
    ESSL_MAX_FRAGMENT_UNIFORM_VECTORS = 256,
    ESSL_MAX_DRAW_BUFFERS = 1,
    /* More than gl_MaxVaryingVectors is let through: the hardware counts live components, which only the back
       end knows. */
    ESSL_MOST_VARYING_ROWS = 16,
};

enum text_use {
    TEXT_CHECK, /* what is wrong with it is the user's; `differs` tells whether code needs the other one */
    TEXT_CODE,
};

/* --- names.c: the closed list of the language's own names ----------------------------------------------- */
enum word_kind {
    WORD_USER,     /* none of the language's */
    WORD_SAME,     /* keyword, type, built-in variable */
    WORD_FUNCTION, /* built-in function when a bracket follows, a user's name otherwise */
    WORD_SWIZZLE,  /* made of one swizzle set: components, or a user's name */
};
enum word_kind essl_word(const struct name *name);
/* What a word is in the unit's language. */
enum word_kind essl_unit_word(const struct unit *unit, const struct name *name);
/* names300.c: the same for GLSL ES 3.00. */
enum word_kind essl300_word(const struct name *name);
/* names_desktop.c: the same for desktop GLSL, whatever its version. */
enum word_kind desktop_word(const struct unit *unit, const struct name *name);
/* A word that the unit's language leaves to the user although glslang takes it for its own, or for reserved.
 */
bool essl_is_foreign(const struct unit *unit, const struct name *name);
/* A function of extensions that glslang has in every shader of a version, whether they are on or not. */
bool essl_is_foreign_function(const struct unit *unit, const struct name *name);
/* One that glslang leaves to the user as well, but does not know again as the name of a structure: it looks
 * for no such names after the words of types. */
bool essl_is_foreign_type(const struct unit *unit, const struct name *name);

/* --- declarations.c: what is declared at global scope --------------------------------------------------- */
enum storage { STORE_NONE, STORE_CONST, STORE_UNIFORM, STORE_ATTRIBUTE, STORE_VARYING, STORE_OUTPUT };

struct structure {
    const struct name *name;           /* NULL: anonymous */
    size_t first_member, member_count; /* in declarations.members */
    bool holds_sampler;
    size_t open, close; /* token indices of its braces */
};
struct variable {
    const struct name *name, *type;
    const struct structure *structure; /* NULL: a built-in type */
    size_t structure_index;            /* + 1; 0: none */
    size_t token;                      /* of the name */
    size_t array_open, array_close;    /* of the brackets; equal: no array */
    size_t begin, end;                 /* of the statement, end at the ';' */
    enum storage storage;
    enum fe_precision precision;
    bool invariant, flat, noperspective, centroid;
    bool block;                  /* an instance of a block, whose name is its type's */
    int location;                /* what layout(location) says, or -1 */
    bool fetched;                /* inout: an output that begins as what the framebuffer holds */
    bool array_type;             /* GLSL ES 3.00: the brackets stand at the type */
    size_t type_begin, type_end; /* tokens of the type and those brackets; of a body the } */
    bool used; /* its name stands outside its declaration (static use, section 4.3.4): scopes.c finds out */
};
struct function {
    const struct name *name;
    size_t token, open, close;    /* name, parameter brackets */
    size_t body_open, body_close; /* equal: a prototype */
    enum fe_precision precision;  /* of what it returns */
};
enum meaning_kind {
    MEANS_NOTHING, /* no name, or one of the language's */
    MEANS_GLOBAL,
    MEANS_LOCAL,  /* or a parameter, or a member of a block without a name */
    MEANS_MEMBER, /* of a structure or a block, or components */
    MEANS_TYPE,   /* a structure */
    MEANS_BLOCK,
    MEANS_FUNCTION,
    MEANS_LAYOUT, /* a word between the brackets of layout(...) or of [[...]] */
    MEANS_EMPTY,  /* a ';' that declares nothing, or the colon of a label that a statement follows */
};
struct meaning {
    enum meaning_kind kind;
    uint32_t
        variable; /* of a global: its index; of a member with a type's name: where its declaration begins */
    bool hides_type; /* of a local: the name is a type's in a scope around, or belongs to such a one */
    bool constant;   /* of a local: declared const */
    bool structure;  /* of a global or a local: its type is one (or an array of them) */
    bool array;      /* of a local */
    const struct name *type; /* of a local; NULL: a structure that is defined there */
    uint32_t members;        /* of a structure, or of a variable of its type: the brace before them, or 0 */
};
struct declarations {
    struct meaning *meanings; /* by token */
    size_t redeclared;        /* the first local that has the name of a parameter of its function; 0: none */
    struct structure *structures;
    size_t structure_count, structure_capacity;
    struct variable *members;
    size_t member_count, member_capacity;
    struct variable *variables;
    size_t variable_count, variable_capacity;
    struct function *functions;
    size_t function_count, function_capacity;
    size_t *invariants; /* tokens: the names in `invariant a, b;` */
    size_t invariant_count, invariant_capacity;
    bool *sequence_operands; /* by token: of a constant sequence, before its last comma; NULL: none */
};
void declarations_read(struct run *run, const struct unit *unit, enum fe_precision default_float,
                       struct declarations *out);
/* scopes.c: fills `meanings` and `used`, and `invariant` from `invariant a;`. */
void scopes_resolve(struct run *run, const struct unit *unit, struct declarations *d);
void declarations_free(struct declarations *d);
const struct variable *declarations_find(const struct declarations *d, const struct name *name);
bool declarations_invariant(const struct unit *unit, const struct declarations *d, const char *name);
bool declarations_defines(const struct declarations *d, const struct name *function);
/* Index of the bracket that closes the one at `open`, or the token count. */
size_t essl_matching(const struct tokens *tokens, size_t open);
/* The token after the one at `i` or after what it opens: brackets, or the middle of a ?:. */
size_t essl_after(const struct tokens *tokens, size_t i);

/* --- rules.c, link.c: checks ---------------------------------------------------------------------------- */
/* Definitions of structures inside of others become statements of their own. */
void essl_hoist_structures(struct run *run, struct unit *unit);

bool essl_limits(struct run *run, const struct unit *unit); /* before glslang; false: it must not see this */
bool essl_const_places(struct run *run, const struct unit *unit); /* the same */
bool essl_costs(struct run *run, const struct unit *unit);        /* costs.c; a part of essl_limits */
bool essl_block_names(struct run *run, const struct unit *unit, const struct declarations *d); /* likewise */
void essl_numbers(struct run *run, struct unit *unit); /* numbers.c: before glslang reads any */
void essl_rules_text(struct run *run,
                     const struct unit *unit); /* needs no declarations: runs before glslang's check */
void all_rules(struct run *run, const struct unit *unit,
               const struct declarations *d); /* of every language */
void essl300_rules(struct run *run, const struct unit *unit, const struct declarations *d);
void essl_rules(struct run *run, const struct unit *unit, const struct declarations *d);
/* Also finds what gl_FragCoord's layout says. */
void desktop_rules(struct run *run, struct unit *unit, const struct declarations *d);
void essl_link(struct run *run, const struct unit *vertex, const struct declarations *vd,
               const struct unit *fragment, const struct declarations *fd, const struct fe_options *options);
/* When the types are known: do the varyings fit? `fragment` or `vertex` may be absent. */
struct stage_module {
    const struct unit *unit;
    const struct declarations *declarations;
    const uint32_t *words;
    size_t count;
};
void essl_capacity(struct run *run, const struct stage_module *vertex, const struct stage_module *fragment);

/* --- glsl/warnings.c: what is legal and yet probably wrong, of a stage without errors ------------------- */
void warn_stage(struct run *run, const struct unit *unit, const struct declarations *d);

/* --- glsl/messages.c ------------------------------------------------------------------------------------ */
bool messages_noise(const char *text); /* no message to a user */
/* `d`: NULL for those of the text for code. One message for each statement that is wrong. */
void messages_report(struct run *run, const struct unit *unit, const struct declarations *d,
                     const struct pass_text *text, struct messages *messages);
/* The token that a syntax error is at, the number of tokens for the text's end, or -1. */
long messages_syntax_error(const struct messages *messages, const struct pass_text *text, size_t count);
/* What the left-out tokens named is now unknown for no fault of the user's. */
void messages_drop_consequences(struct run *run, const struct unit *unit, const bool *skip,
                                struct messages *messages);
/* The linker's. False: there was nothing that a user has to know. */
bool messages_report_link(struct run *run, const struct stage_module *stages, size_t count,
                          const struct messages *messages);

/* --- fixed_names.c -------------------------------------------------------------------------------------- */
/* Did 1.40 take that name away with the fixed pipeline? */
bool essl_is_fixed_name(const char *name);
bool essl_uses(const struct unit *unit,
               const char *name); /* does the word stand anywhere? false for no unit */
/* Is token i one of the language's functions of which the text for code has its own? */
bool essl_is_old_function(const struct unit *unit, const struct declarations *d, size_t i);
/* What token i, a lookup by an old name in a core profile, is called now; NULL: it is none. */
const char *essl_core_lookup(struct run *run, const struct unit *unit, const struct declarations *d, size_t i,
                             enum text_use use);
void essl_add_old_functions(struct run *run, const struct unit *unit, const struct declarations *d,
                            struct pass_text *out);

/* --- recover.c ------------------------------------------------------------------------------------------ */
/* glslang stops at a syntax error. Marks the statement around token `at` (or the function body when brackets
 * are not balanced there) in `skip`, so that the rest can be checked. False: nothing sensible to leave out.
 */
bool essl_recover(const struct unit *unit, size_t at, bool *skip);

/* --- shapes.c ------------------------------------------------------------------------------------------- */
struct shape {
    unsigned columns, rows; /* 0: of a structure, or not known; a vector has one column */
    bool array;             /* of such elements */
    bool structure;
    uint32_t members; /* as in struct meaning */
};
/* Of the constant expression between two tokens. */
struct shape essl_shape(const struct unit *unit, const struct declarations *d, size_t begin, size_t end);
/* Of the operand that begins at a token, in any expression: none where a function of the user's is called. */
struct shape essl_operand_shape(const struct unit *unit, const struct declarations *d, size_t begin);

/* --- constants.c ---------------------------------------------------------------------------------------- */
struct unfolded_call {
    size_t open, comma, close;            /* tokens; comma 0: one argument */
    const char *before, *between, *after; /* what stands for them in the check text */
};
/* Is token i a function that glslang would have to fold there and does not? */
bool essl_unfolded(struct run *run, const struct unit *unit, const struct declarations *d, size_t i,
                   struct unfolded_call *call);
/* For each token whether it is a `const` that the text for code drops; NULL: none. In the arena. */
bool *essl_unfolded_constants(struct run *run, const struct unit *unit, const struct declarations *d);
/* For each token whether it belongs to a sequence of constants and is not its last operand, whose value the
 * sequence has; NULL: none. In the arena. */
bool *essl_sequence_operands(struct run *run, const struct unit *unit, const struct declarations *d);
/* Comparisons of constants as the text for code writes them, for each token; NULL: none. In the arena. */
struct negation {
    unsigned opens, closes; /* "!(" before the token, ")" behind it */
    bool turns;             /* == into !=, or the other way round */
};
struct negation *essl_constant_comparisons(struct run *run, const struct unit *unit,
                                           const struct declarations *d);

/* --- source.c ------------------------------------------------------------------------------------------- */
const char *essl_unalias(struct run *run, const char *text); /* in glslang's messages, and names */
#define ESSL_HIGHP_COORDINATES "qpudgl_UFragCoord"           /* the alias of gl_FragCoord as a varying */
/* The version that the text says: glslang has inverse() since 1.50, so that the code of 1.40 is of that. */
int essl_text_version(const struct unit *unit, enum text_use use);
/* `skip`: NULL, or for each token whether it is left out (see recover.c). */
void essl_text(struct run *run, const struct unit *unit, const struct declarations *d,
               enum fe_precision default_float, const bool *skip, enum text_use use, struct pass_text *out);
const char *essl_precision_name(enum fe_precision precision);
void essl_add_line(struct run *run, struct pass_text *out, const char *text);

#endif
