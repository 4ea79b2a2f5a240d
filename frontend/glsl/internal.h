/* internal.h: what the files of this folder share: names, tokens, the run's context, and who does what. */
#ifndef QPUCC_FRONTEND_GLSL_INTERNAL_H
#define QPUCC_FRONTEND_GLSL_INTERNAL_H

#include "frontend/glsl/glsl.h"
#include "ir/ir.h"

#include <string.h>

struct macro;

/* An interned spelling: two tokens are spelled alike when their names are the same pointer. */
struct name {
    const char *text;
    uint32_t length;
    uint32_t hash;
    struct name *next;
    struct macro *macro;
    uint32_t mark;   /* scratch of one function at a time, which leaves it 0 */
    uint32_t values; /* of a structure, while it is marked */
    uint32_t file;   /* index into run.files + 1, if it names a file */
    uint32_t
        structure; /* number of the last structure of that name in the unit read last; 0: there is none */
    bool function; /* of GLSL 1.10; scratch of scopes.c, like mark */
    bool included; /* it names a file that #include took in */
    uint8_t undeclared; /* the stages, as bits, in which a message explains why it is not known */
};

struct place {
    uint32_t file; /* index into run.files */
    uint32_t line, column;
};

enum token_kind {
    T_END,
    T_NEWLINE,
    T_IDENTIFIER,
    T_NUMBER,
    T_PUNCTUATION,
    T_DIRECTIVE,
    T_STRAY,
    T_PLACEMARKER
};

struct token {
    const struct name *name; /* T_DIRECTIVE: the whole line as it goes to glslang */
    struct place place;
    uint32_t call_line; /* what __LINE__ is where a macro's body has it; 0: the place's line */
    uint8_t kind;
    bool space;       /* white space before it */
    bool no_expand;   /* a macro's own name inside its expansion */
    bool after_stray; /* before it stood what was reported as no token */
};

struct tokens {
    struct token *at;
    size_t count, capacity;
};

/* What lives as long as the result. */
enum { MOST_ERRORS = 100 }; /* kept of a compile, beside as many warnings and notes */

struct run {
    struct ir_arena *arena;
    const struct qpucc_allocator *from; /* the arena's, of what lies in ir/heap.h */
    struct name **buckets;
    size_t bucket_count, name_count;
    const struct fe_source *reading; /* names what has no place, also before it has a file */
    const char **files;              /* display names */
    struct place *origin;            /* by file: the #include or #line that led there; line 0: a source */
    size_t file_count, file_capacity, origin_capacity;
    struct fe_diagnostic *diagnostics;
    struct place *order; /* by diagnostic: where it comes among the others */
    size_t diagnostic_count, diagnostic_capacity, order_capacity, error_count;
    size_t kept_errors; /* of the diagnostics; error_count has those that are not said as well */
    struct {            /* those of the arena that are asked for often */
        size_t tokens, expansion;
        unsigned nesting, chain, includes, include_depth;
        size_t source_bytes;
    } limits;
    uint32_t warnings[2]; /* by stage, that are on: bits 1 << enum qpucc_warning */
    size_t held;          /* bytes of memory that is no arena's */
    bool failed;          /* out of memory, or a limit on it or on work is met */
};

/* --- text.c: memory, names, files, diagnostics ---------------------------------------------------------- */
bool run_begin(struct run *run, struct ir_arena *beside);
void run_end(struct run *run); /* frees all but the arena and the diagnostics */
struct name *run_name(struct run *run, const char *text, size_t length);
struct name *run_name_z(struct run *run, const char *text);
const char *run_format(struct run *run, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Both in one, whatever their length; run_format cuts. */
const char *run_join(struct run *run, const char *first, const char *second);
uint32_t run_file(struct run *run, const char *name, struct place origin);
void run_sort(struct run *run); /* diagnostics by stage, then by place */
void run_report(struct run *run, enum fe_severity severity, enum qpucc_stage stage, struct place place,
                const char *format, ...) __attribute__((format(printf, 5, 6)));
uint32_t run_warnings_of(const struct fe_options *options); /* those that are on */
/* A warning, if it is on. */
void run_warn(struct run *run, enum qpucc_warning warning, enum qpucc_stage stage, struct place place,
              const char *format, ...) __attribute__((format(printf, 5, 6)));
static inline bool run_warns(const struct run *run, enum qpucc_warning warning, enum qpucc_stage stage) {
    return run->warnings[stage == QPUCC_FRAGMENT] >> warning & 1;
}
/* An error: the shader meets a limit. */
void run_limit(struct run *run, enum qpucc_stage stage, struct place place, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void tokens_free(struct run *run, struct tokens *list);
void run_free(struct run *run, void *array, size_t bytes); /* what run_grow made */
/* Zeroed, in the arena; on failure sets run->failed and is NULL. */
void *run_zeroed(struct run *run, size_t count, size_t element);
/* Grows an array of ir/heap.h so that one more fits; on failure sets run->failed and says false. */
bool run_double(struct run *run, void **array, size_t *capacity, size_t element);
static inline bool run_grow(struct run *run, void **array, size_t *capacity, size_t count, size_t element) {
    return count < *capacity || run_double(run, array, capacity, element);
}
static inline bool tokens_push(struct run *run, struct tokens *list, struct token token) {
    void *array = list->at;
    if (!run_grow(run, &array, &list->capacity, list->count, sizeof *list->at))
        return false;
    list->at = array;
    list->at[list->count++] = token;
    return true;
}

struct buffer {
    char *text;
    size_t length, capacity;
};
void buffer_free(struct run *run, struct buffer *buffer);
bool buffer_grow(struct run *run, struct buffer *buffer, size_t length); /* so that `length` more fit */
static inline void buffer_add(struct run *run, struct buffer *buffer, const char *text, size_t length) {
    if (buffer->length + length + 1 > buffer->capacity && !buffer_grow(run, buffer, length))
        return;
    memcpy(buffer->text + buffer->length, text, length);
    buffer->length += length;
    buffer->text[buffer->length] = 0;
}
static inline void buffer_add_z(struct run *run, struct buffer *buffer, const char *text) {
    buffer_add(run, buffer, text, strlen(text));
}

/* Both are nearly always asked of a literal, so that they become a comparison or two. */
static inline bool name_is(const struct name *name, const char *spelling) {
    size_t length = strlen(spelling);
    return name->length == length && memcmp(name->text, spelling, length) == 0;
}
static inline bool name_begins(const struct name *name, const char *spelling) {
    size_t length = strlen(spelling);
    return name->length >= length && memcmp(name->text, spelling, length) == 0;
}

static inline bool token_is(const struct token *token, const char *spelling) {
    return name_is(token->name, spelling) && token->kind != T_DIRECTIVE;
}

/* --- lexer.c -------------------------------------------------------------------------------------------- */
struct lexer {
    const char *at, *end;
    uint32_t file, line, column; /* line is the logical one: #line changes it */
    bool unterminated_comment;   /* set once, by the comment that runs into the end */
    struct place comment_place;
};
void lexer_begin(struct lexer *lexer, const char *text, size_t length, uint32_t file);
/* Comments count as a space; a newline inside one still moves the line on, without a T_NEWLINE. */
bool lexer_skip_space(struct lexer *lexer); /* and comments; was there any? */
struct token lexer_next(struct run *run, struct lexer *lexer);
/* The rest of the line as raw text, comments stripped at neither end; stops before the newline. */
const char *lexer_rest(struct run *run, struct lexer *lexer);
/* A file's name in quotes or <>, behind which the lexer is then, and what closed it. NULL: there is none. */
const char *lexer_file_name(struct run *run, struct lexer *lexer, char *close);

/* --- preprocess.c --------------------------------------------------------------------------------------- */
struct unit { /* one source after preprocessing */
    const struct fe_source *source;
    enum qpucc_stage stage;
    uint32_t file;
    struct tokens tokens; /* no newlines, no macros; T_DIRECTIVE for what glslang must see; no T_END */
    int version;
    bool es;
    bool arb_compatibility;
    bool compatibility; /* desktop: the variables of the fixed pipeline are there */
    struct place version_place;
    bool invariant_all; /* #pragma STDGL invariant(all) */
    bool control_flow;  /* attributes of statements */
    bool framebuffer_fetch, frag_depth, texture_lod, derivatives, external_image, draw_buffers;
    bool texture_rectangle, separate_objects, explicit_location, uniform_blocks, coord_conventions,
        bit_encoding, pack420;
    enum fe_precision default_float;       /* of a fragment shader of ES without a precision statement */
    bool upper_left, pixel_center_integer; /* layout of gl_FragCoord */
    bool stopped;                          /* the preprocessor gave up: what there is must not go on */
    struct place end;                      /* where the text ends */
};
void preprocess(struct run *run, const struct fe_options *options, struct unit *unit);

/* --- write.c: what is left after preprocessing, as text in the run's arena that compiles to the same ---- */
const char *write_preprocessed(struct run *run, const struct unit *unit);

/* --- expression.c: #if ---------------------------------------------------------------------------------- */
struct expression_error {
    struct place place;
    const char *text; /* NULL: no error */
};
long long expression_evaluate(struct run *run, const struct token *tokens, size_t count, struct place end,
                              bool es, struct expression_error *error);

/* --- glslang.c: what is asked of glslang, and what it says ---------------------------------------------- */
/* Text for glslang with one token a line: line `first_line + i` holds token i. */
struct pass_text {
    struct buffer text;
    uint32_t first_line;
    bool highp_coordinates; /* gl_FragCoord has an alias */
    bool differs;           /* of a text to be checked: code needs another one (TEXT_CODE) */
};
struct message { /* one line of glslang's log */
    bool warning;
    long line;         /* 0: none given */
    const char *token; /* quoted, may be empty */
    const char *text;
};
struct messages {
    struct message *at;
    size_t count, capacity;
};
struct engine;                      /* here: stages that are in order, ready to be linked */
struct engine *glslang_begin(void); /* NULL: no memory */
bool glslang_parse(struct run *run, struct engine *engine, const struct pass_text *text,
                   enum qpucc_stage stage, struct messages *messages);
bool glslang_link(struct run *run, struct engine *engine, struct messages *messages);
/* Numbers linked stages' variables. */
bool glslang_map(struct run *run, struct engine *engine, struct messages *messages);
/* SPIR-V of linked stages whose variables have numbers, the engine's. NULL: the run has failed. */
const uint32_t *glslang_spirv(struct run *run, struct engine *engine, enum qpucc_stage stage, size_t *words);
void glslang_end(struct engine *engine);

/* --- module.c: SPIR-V rewritten for the outside --------------------------------------------------------- */
struct interface_slot { /* an attribute or a varying */
    const char *name;
    uint32_t rows, columns; /* rows of up to four components */
};
/* Located variables of the storage class (SpvStorageClass) in the order of the module; returns how many. */
size_t module_interface(struct run *run, const uint32_t *words, size_t count, int storage,
                        struct interface_slot *out, size_t most);
/* The user's names, positions from tokens, no source text, uniforms in the order of their declarations. What
 * is returned is a block of ir/heap.h. */
struct declarations;
uint32_t *module_rewrite(struct run *run, const struct unit *unit, const struct pass_text *text,
                         const struct declarations *declarations, const uint32_t *words, size_t count,
                         size_t *new_count);
/* Same Location for varyings of one name in both modules; either may have no words. What has layout(location)
 * keeps it. Attributes are numbered in order, or keep what glslang gave them. */
struct stage_module;
void module_match_locations(struct run *run, bool keep_attributes, const struct stage_module *vertex,
                            const struct stage_module *fragment);

#endif
