/* libqpucc, libqpucc_core and libqpucc_rt: GLSL or SPIR-V in, VideoCore IV QPU code out.
 *
 *     program = qpucc_compile(sources, 2, &state, NULL);   code for one GL state
 *     other   = qpucc_variant(program, &other_state);      code for another, in a fraction of the time
 *     code    = qpucc_program_code(program, QPUCC_FRAGMENT, &count);
 *     layout  = qpucc_program_layout(program);             what the shader record and the control list say
 *     qpucc_uniforms_fill(program, QPUCC_FRAGMENT, &values, stream);   at each draw
 *
 * libqpucc has all of it. libqpucc_core takes SPIR-V alone and refuses GLSL with a diagnostic of code
 * "usage". libqpucc_rt has what a program that is there is asked, and qpucc_program_load.
 * docs/driver-guide.md says more.
 *
 * Programs do not change: once a function has returned one, any number of threads may use it at once,
 * until one of them frees it, or gives up a part of it (qpucc_program_drop). All functions are thread-safe.
 * The only process-wide state is glslang's own tables, which are built on first use and kept. Nothing here
 * aborts, exits or prints. Memory comes from malloc, or from an allocator of the caller's
 * (qpucc/allocator.h). A compile takes at most 256 KiB of its caller's stack, a variant 128, loading,
 * filling and a record 16 (docs/limits.md). What a function returns a pointer to belongs to the program and
 * lives as long as it, unless stated otherwise. A word is 32 bits in host byte order. "Guide" is Broadcom's
 * VideoCore IV 3D Architecture Reference Guide. */
#ifndef QPUCC_H
#define QPUCC_H

#include <qpucc/allocator.h>
#include <qpucc/chip.h>
#include <qpucc/limit.h>
#include <qpucc/stage.h>
#include <qpucc/state.h>
#include <qpucc/warnings.h>
#include <qpucc/version.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct qpucc_program qpucc_program;

/* --- version -------------------------------------------------------------------------------------------- */

/* The version of the library in use, "major.minor.patch"; static storage. It may be newer than the
 * header's (qpucc/version.h). */
const char *qpucc_version(void);

/* Has the library in use this feature? False for a name it does not know; NULL is no name. It knows all names
 * of its headers: functions, enumeration constants, structures and enumerations, without "qpucc_" and in
 * lower case, and members of structures behind the structure's name: "variant", "program_save",
 * "link_by_location", "tex_rgb10_a2", "options", "options.chip". So a program that was built with a newer
 * header finds out before it asks for what would be refused. "glsl" is in libqpucc alone; libqpucc_rt knows
 * the names of its functions and no others. */
bool qpucc_has(const char *feature);

/* --- what to compile ------------------------------------------------------------------------------------ */

enum qpucc_language { QPUCC_GLSL, QPUCC_SPIRV };

/* "fragment", "vertex" or "coordinate"; NULL for anything else. */
const char *qpucc_stage_name(enum qpucc_stage stage);

/* One shader. `data` is text for GLSL (it need not be NUL-terminated) and a module of words for SPIR-V.
 * `stage` is QPUCC_FRAGMENT or QPUCC_VERTEX; the coordinate shader is cut from the vertex shader. */
struct qpucc_source {
    const char *name; /* for diagnostics: "shader.frag" */
    const void *data;
    size_t size; /* bytes */
    enum qpucc_stage stage;
    enum qpucc_language language;
};

enum qpucc_default_precision { QPUCC_PRECISION_NONE, QPUCC_PRECISION_MEDIUMP, QPUCC_PRECISION_HIGHP };

/* Bits of qpucc_options.flags. */
enum qpucc_flag {
    QPUCC_GENERATE_LINES = 1 << 0, /* source map in the program (qpucc_program_lines) */
    QPUCC_GENERATE_IR = 1 << 1,    /* keep the IR's text in the program (qpucc_program_ir) */
    QPUCC_NO_INCLUDE = 1 << 2,     /* refuse #include, for text that is not trusted */
    /* keep uniform arithmetic in the shader: streams hold constants, uniforms and state only */
    QPUCC_NO_UNIFORM_EXPRESSIONS = 1 << 3,
    /* Varyings of the two stages belong together when their layout(location) is the same, whatever their
     * names; one without a location is an error of code "link". Without this bit a location decides where a
     * GLSL source gives one, else the name does; SPIR-V varyings that find no partner by name may find one by
     * location. Uniforms and samplers are always linked by name. */
    QPUCC_LINK_BY_LOCATION = 1 << 4,
    /* stop after preprocessing: the program has qpucc_program_preprocessed, included files and diagnostics */
    QPUCC_PREPROCESS_ONLY = 1 << 5,
    /* Keep what the source calls each result, and its whole place, for explanations (qpucc/explain.h). It
     * changes no code. A container and the compile cache keep none of it. */
    QPUCC_GENERATE_NAMES = 1 << 6,
    /* The code tells a trace of the machine where it computes what GLSL leaves undefined, for `qpucc run
     * --undefined`. It is longer, and computes the same. */
    QPUCC_WATCH_UNDEFINED = 1 << 7,
    /* Loops whose number of iterations is known stay loops: less code that takes longer. Only where registers
     * suffice in no other form, all of a loop happens at compile time, or the source asks for it
     * ([[unroll]]), are there copies. */
    QPUCC_NO_UNROLL = 1 << 10,
    /* No branch remains for a condition on uniforms that could be a selection: all draws take the same time.
     * Without this bit such branches stay where they are expected to be faster (docs/loops.md). Those that
     * the source asks for ([[branch]]) stay in any case. */
    QPUCC_NO_UNIFORM_BRANCHES = 1 << 11,
    /* Sources that are SPIR-V are valid modules: a driver's own translator makes them. SPIRV-Tools'
     * validator, most of the time that reading a small module takes, is left out, and its parser, unless we
     * cannot read the module. A module that is not valid may then do anything, a crash included. */
    QPUCC_VALID_SPIRV = 1 << 12,
    /* GLSL ES that misses what other drivers do not ask for is accepted, with a warning for each: a fragment
     * shader without a precision of float (it is mediump), derivatives without their #extension, a uniform of
     * two precisions (as QPUCC_UNIFORM_PRECISION_WARN). */
    QPUCC_PERMISSIVE = 1 << 13,
    /* Uniform blocks are no part of uniform storage: each lies in a buffer of the driver's, in the layout
     * that the SPIR-V module's decorations say (of GLSL std140), and its members are read from there by
     * lookups (QPUCC_UNIFORM_BLOCK). A run-time index that is too large never leads out of the buffer.
     * Without this bit members are uniforms like others. */
    QPUCC_BLOCKS_IN_BUFFERS = 1 << 14,
    /* For qpucc_shader_compile: the shader is read when qpucc_shader_status, its diagnostics or qpucc_link
     * ask what it says, or a qpucc_cache_link that does not find the program. So a driver whose own front end
     * has checked the source pays nothing for programs that its cache has. Arguments are checked at once;
     * `cancel` does not count for what is read later. Nothing else changes. */
    QPUCC_READ_LATER = 1 << 15,
};

/* What becomes of a uniform that both stages use with different precisions, which GLSL ES forbids: an
 * error, or the higher precision in both stages, silently or with a warning. */
enum qpucc_uniform_precision {
    QPUCC_UNIFORM_PRECISION_ERROR,
    QPUCC_UNIFORM_PRECISION_HIGHP,
    QPUCC_UNIFORM_PRECISION_WARN,
};

/* How exact arithmetic is: one of these in qpucc_options.flags, beside the bits of enum qpucc_flag. What each
 * gives and costs is measured in docs/numerics.md. None of them is less exact than GLSL demands. */
enum qpucc_policy {
    /* Special functions are refined where the precision qualifier asks for it and a colour could show it. */
    QPUCC_POLICY_DEFAULT = 0,
    /* Refined only what decides positions, texture coordinates and whole numbers, highp or not. */
    QPUCC_POLICY_FAST = 1 << 8,
    /* Everything is computed as highp, every special function is refined, exp2, log2 and pow included, and
     * nothing is computed in bytes, in another order or from other terms than the shader has. */
    QPUCC_POLICY_PRECISE = 2 << 8,
    QPUCC_POLICY_BITS = 3 << 8, /* where it is in the flags; there both bits are PRECISE */
};

/* "default", "fast" or "precise"; NULL for anything else. */
const char *qpucc_policy_name(enum qpucc_policy policy);

/* The largest qpucc_options.unroll. */
enum { QPUCC_UNROLL_MOST = 100000 };

/* A value for the specialisation constants of a stage's SPIR-V module that are decorated with SpecId `id`:
 * the bits of a number of 32 bits; of a bool 0 or anything else. */
struct qpucc_spec_constant {
    enum qpucc_stage stage;
    uint32_t id, bits;
};

/* Take them from qpucc_options_default and change what should be otherwise. What the library does not know, a
 * flag, level or precision, the name of no pass, a count whose list is NULL, is an error of code "usage" that
 * names the member and its value. */
struct qpucc_options {
    /* Bytes that the caller's header has, as qpucc_options_default sets it; no other number is accepted. New
     * members come at the end: a library whose options are shorter refuses those that are not 0, a library
     * whose options are longer takes the missing ones as 0, the default. */
    size_t size;
    int opt_level;  /* 0: no optimisation; 1..3: more and more; 2 is the default */
    uint32_t flags; /* enum qpucc_flag, and an enum qpucc_policy */
    /* for old fragment shaders without a precision statement */
    enum qpucc_default_precision default_precision;
    const char *const *defines; /* "NAME" or "NAME=value" */
    size_t define_count;
    const char *const *include_dirs;
    size_t include_dir_count;
    /* Called with the IR's text after each pass whose name is `print_after` ("all": every pass). NULL: never;
     * then print_after is NULL, too. */
    const char *print_after;
    void (*on_ir)(void *user, enum qpucc_stage stage, const char *pass, const char *text);
    /* Called after each pass with the seconds it took (wall time). NULL: never. */
    void (*on_pass_time)(void *user, enum qpucc_stage stage, const char *pass, double seconds);
    void *user;
    uint64_t limit[QPUCC_LIMIT_COUNT]; /* what the compile may use, by enum qpucc_limit; 0: the default */
    /* What code may rely on of the chip; all 0: what is measured or seen in programs that shipped. Other
     * values come from the functions of qpucc/chip.h, or the compile fails with a diagnostic of code "usage".
     * A row that all code relies on and that the profile says the chip does not have is warned of, with code
     * "chip". */
    struct qpucc_chip chip;
    /* NULL, or a flag that another thread may set, atomically (`__atomic_store_n`, or an atomic_int of the
     * same size and representation): a value other than 0 ends the compile with QPUCC_CANCELLED. It is read
     * wherever work is counted, nearly always within 10 ms on a desktop, but not while glslang parses. It has
     * to stay set until the call has returned; afterwards it is not read any more. */
    const int *cancel;
    /* For sources that are SPIR-V. The last one for an id counts; an id that the module does not have is an
     * error of code "usage". qpucc_program_spirv gives the module as it came. */
    const struct qpucc_spec_constant *spec_constants;
    size_t spec_constant_count;
    /* Where the program's memory comes from, and all that the library needs while it is made; NULL: the C
     * library's malloc. It changes no code, and no key of the compile cache. qpucc_variant_with and
     * qpucc_link take the program's, or the first shader's, where this is NULL. */
    const struct qpucc_allocator *allocator;
    /* Bits 1 << enum qpucc_warning (qpucc_warning_bits): warnings beside those that are on by default, and
     * warnings that are off, which counts more. */
    uint32_t warnings, no_warnings;
    enum qpucc_uniform_precision uniform_precision;
    uint32_t reserved; /* 0. A member here would not make the options longer, and older libraries miss it */
    /* IR instructions that a loop's copies may have together, 1 to QPUCC_UNROLL_MOST; the shader may grow to
     * five times that by all of them, or to 6,000 if that is more. 0: the default, 1,200. QPUCC_NO_UNROLL
     * counts more, and so does what the source asks for one loop (docs/loops.md). */
    uint32_t unroll;
};

/* A limit's name ("tokens") and what it is when the options have 0 there; NULL and 0 for no limit. */
const char *qpucc_limit_name(enum qpucc_limit limit);
uint64_t qpucc_limit_default(enum qpucc_limit limit);

/* Writes the defaults into `size` bytes of options: opt_level 2 and QPUCC_GENERATE_LINES; everything else is
 * off, NULL or 0. For callers in other languages than C and C++. */
void qpucc_options_init(struct qpucc_options *options, size_t size);
/* The defaults, in the caller's own size. */
static inline struct qpucc_options qpucc_options_default(void) {
    struct qpucc_options options;
    qpucc_options_init(&options, sizeof options);
    return options;
}

/* Compiles one or two shaders (a vertex and a fragment shader are linked together) for a state. `state` and
 * `options` may be NULL for the defaults. Nothing of the arguments is needed afterwards. Returns a program,
 * or NULL only if memory runs out at the very start; qpucc_program_status says whether it has code. The
 * caller frees it with qpucc_program_free. */
qpucc_program *qpucc_compile(const struct qpucc_source *sources, size_t count,
                             const struct qpucc_state *state, const struct qpucc_options *options);

/* The same shaders and options for another state (NULL: GL's initial one): the same code, streams and layout
 * as qpucc_compile makes for that state, but the sources are not read again, and a stage that the state does
 * not touch is not scheduled again. Any program will do as the start, also a variant, or one whose own state
 * needs more than the hardware has; its status is QPUCC_OK after linking, or the variant has its diagnostics.
 * A variant is a program like any other: the caller frees it, and it may outlive `program`. The callbacks of
 * the options are not called. It shares the numbering of `program`: variables of QPUCC_UNIFORMS,
 * QPUCC_SAMPLERS and QPUCC_ATTRIBUTES have the same indices, words, units and numbers in the key, and storage
 * of one serves the other; only `used` is its own. Returns NULL only if memory runs out at the very start. */
qpucc_program *qpucc_variant(const qpucc_program *program, const struct qpucc_state *state);

/* The same with options of its own: a driver takes a program of level 1 at the draw that needs it, and one of
 * level 2 or 3 from another thread, and draws with that from then on. Level, policy, limits, callbacks,
 * `cancel`, `unroll` and the flags about code are the options'. What is about sources (defines, include_dirs,
 * default_precision, spec_constants, QPUCC_NO_INCLUDE, QPUCC_LINK_BY_LOCATION, QPUCC_VALID_SPIRV,
 * QPUCC_BLOCKS_IN_BUFFERS) is as `program` was compiled with, whatever the options say, and so is the chip,
 * which is all 0 here, or the same; names (QPUCC_GENERATE_NAMES) are there if `program` has them. The code is
 * that of qpucc_compile with these options; interface and numbers are those of `program`, as qpucc_variant
 * says, and so are its warnings. Where level, flags or `unroll` differ it costs a compile without the front
 * end. `options` NULL: qpucc_variant. */
qpucc_program *qpucc_variant_with(const qpucc_program *program, const struct qpucc_state *state,
                                  const struct qpucc_options *options);

/* A word of the packed uniform storage (struct qpucc_variable.word and what follows it) and its value: the
 * bits of a float or a whole number; of a bool 0 or anything else. */
struct qpucc_constant {
    uint32_t word, bits;
};

/* The program for a state (NULL: GL's initial one) and for certain values of uniforms: code is made as if
 * they were constants, so branches, trip counts and lookups that they decide are decided. What else a
 * driver sees is the program's: uniform storage, numbers of samplers and attributes, reflection. So it may
 * go from one to the other at any draw without touching a uniform. At a draw the storage's values for those
 * words should be these. Others are ignored, but for elements of arrays that the shader reaches by an index
 * at run time. Of several constants for one word the last one counts. A word that the storage does not have
 * is an error of code "usage". The result is a program like any other: it may be the start of variants, or
 * specialised further, the caller frees it, and it may outlive `program`. Its SPIR-V is that of the sources.
 * It costs a compile without the front end. Returns NULL only if memory runs out at the very start. */
qpucc_program *qpucc_specialise(const qpucc_program *program, const struct qpucc_state *state,
                                const struct qpucc_constant *constants, size_t count);

/* A word of uniform storage that decides something. */
struct qpucc_control {
    uint32_t word, variable; /* variable: index of the uniform that it belongs to */
    /* Branches, selections and indices of arrays that know nothing but this word, other uniforms, constants
     * and the counters of loops. */
    uint32_t conditions;
    /* What hangs on these, the longer side of each: operations of the IR before it is optimised, and texture
     * lookups among them; a loop's body counts once. A value given to the word saves about so much, where it
     * takes the shorter sides. */
    uint32_t instructions, lookups;
    bool trips; /* one of them ends a loop */
};

/* The words that decide something, those with most instructions first: up to `capacity` of them into
 * `list`, which may be NULL if capacity is 0. Returns how many there are. Both stages are counted, in
 * about a tenth of a compile's time. 0 for a program without its IR, one that was loaded and has had no
 * variant included, and where memory runs out. */
size_t qpucc_program_controls(const qpucc_program *program, struct qpucc_control *list, size_t capacity);

/* NULL is allowed. */
void qpucc_program_free(qpucc_program *program);

/* --- memory --------------------------------------------------------------------------------------------- */

/* What a program holds memory for. */
enum qpucc_memory {
    QPUCC_MEMORY_CODE,    /* qpucc_program_code */
    QPUCC_MEMORY_STREAMS, /* what a draw fills streams with, and what is said of their words */
    QPUCC_MEMORY_LAYOUT,  /* the layout, the state, diagnostics, statistics, source lines and all the rest */
    QPUCC_MEMORY_IR,      /* what variants are made of */
    QPUCC_MEMORY_SPIRV,   /* qpucc_program_spirv */
    QPUCC_MEMORY_NAMES,   /* variables; texts of streams and lists of lines that somebody asked for */
    QPUCC_MEMORY_ALL      /* all of these together */
};

/* Bytes that the program holds for that; each block takes up to 16 bytes more of the allocator. The IR,
 * SPIR-V and variables that it shares with its variants, and the few hundred bytes of warnings and options,
 * are counted for each of them. 0 for what is none of these. */
size_t qpucc_program_bytes(const qpucc_program *program, enum qpucc_memory what);

/* Gives up the IR, SPIR-V or names of a program, once or again. Code, streams, layout and records stay as
 * they are. No other thread may use this program at the time, and pointers into what it gives up are dead.
 * Programs that share it, variants and what they were made from, are not affected, and other threads may use
 * them: the memory goes when the last of them has given it up, too, or is freed.
 * - QPUCC_MEMORY_IR: the program has no variants, no controls, and is saved without its IR.
 * - QPUCC_MEMORY_SPIRV: qpucc_program_spirv gives NULL, and a container has none.
 * - QPUCC_MEMORY_NAMES: the program has no variables (the layout still counts them), no places of uniforms,
 *   no variants, and cannot be saved. Storage in either layout still fills its streams.
 * False for anything else, which a program cannot do without. */
bool qpucc_program_drop(qpucc_program *program, enum qpucc_memory what);

/* --- how it went ---------------------------------------------------------------------------------------- */

enum qpucc_status {
    QPUCC_OK = 0,
    QPUCC_SOURCE_ERROR = 2, /* the shader is wrong, uses something unsupported, or meets a limit */
    /* correct, but needs more than the hardware has; the diagnostic says what and where */
    QPUCC_DOES_NOT_FIT = 3,
    QPUCC_INTERNAL = 4,  /* a fault of the compiler: please report it */
    QPUCC_CANCELLED = 5, /* qpucc_options.cancel was set */
};

enum qpucc_severity { QPUCC_ERROR, QPUCC_WARNING, QPUCC_NOTE };

struct qpucc_diagnostic {
    enum qpucc_severity severity;
    const char *file;
    unsigned line, column; /* 1-based; 0 unknown */
    const char *text;
    /* short stable name: "usage", "state", "source", "link", "unsupported", "registers", "uniforms",
     * "samplers", "attributes", "varyings", "limit", "cancelled", "container", "internal"; of a warning
     * also "undefined", "chip", or the name of its switch (qpucc_warning_name) */
    const char *code;
};

enum qpucc_status qpucc_program_status(const qpucc_program *program);
size_t qpucc_program_diagnostic_count(const qpucc_program *program);
/* Owned by the program. `index` < count. */
const struct qpucc_diagnostic *qpucc_program_diagnostic(const qpucc_program *program, size_t index);

/* What it was compiled with; a variant has its program's, a container keeps it. */
enum qpucc_policy qpucc_program_policy(const qpucc_program *program);
struct qpucc_chip qpucc_program_chip(const qpucc_program *program);

/* What the compile took, to set limits by. */
struct qpucc_usage qpucc_program_usage(const qpucc_program *program);

/* A GLSL stage's text without macros, conditionals and #include, which compiles to the same code; its lines
 * are the source's, by #line. NULL unless QPUCC_PREPROCESS_ONLY was set. Owned by the program. */
const char *qpucc_program_preprocessed(const qpucc_program *program, enum qpucc_stage stage);
/* The files that #include took in, for build systems: paths as they were opened, each once, in order; NULL
 * from the last one on. Owned by the program. */
const char *qpucc_program_included(const qpucc_program *program, size_t index);

/* --- shaders, one by one -------------------------------------------------------------------------------- */

/* A shader that was parsed and checked alone, as by glCompileShader. It does not change, and any number of
 * threads may use it. */
typedef struct qpucc_shader qpucc_shader;

/* Reads one source: all errors that are its own are found, and it costs no more than the front end. Of the
 * options count those about sources, the limits, `cancel`, QPUCC_READ_LATER, and QPUCC_GENERATE_NAMES, if
 * names are wanted later. Returns a shader, which qpucc_shader_free frees, or NULL only if memory runs out at
 * the very start. */
qpucc_shader *qpucc_shader_compile(const struct qpucc_source *source, const struct qpucc_options *options);
enum qpucc_status qpucc_shader_status(const qpucc_shader *shader);
/* Errors and warnings: glGetShaderInfoLog's lines. Owned by the shader. `index` < count, or NULL. */
size_t qpucc_shader_diagnostic_count(const qpucc_shader *shader);
const struct qpucc_diagnostic *qpucc_shader_diagnostic(const qpucc_shader *shader, size_t index);
/* NULL is allowed. Programs that were linked from it stay. */
void qpucc_shader_free(qpucc_shader *shader);

/* Links a vertex shader, a fragment shader or both, as glLinkProgram does, any number of times and in any
 * number of threads: the code, streams and diagnostics that qpucc_compile makes of the same sources, without
 * the front end. Of the options count all but those about sources, which are each shader's own; of
 * uniform_precision the link's, or where that is an error the more lenient one of the shaders'. Only where
 * two shaders may not fit together, as when one of them has uniform blocks or arrays whose length is an
 * expression, and for a vertex shader alone, the front end reads them again (and what they include, as the
 * files are then). A shader with errors is an error of code "link". qpucc_program_spirv gives each shader as
 * it is alone: Locations of varyings need not match. */
qpucc_program *qpucc_link(const qpucc_shader *const *shaders, size_t count, const struct qpucc_state *state,
                          const struct qpucc_options *options);

/* --- code ----------------------------------------------------------------------------------------------- */

struct qpucc_stage_stats {
    unsigned instructions, uniforms, threads; /* threads: 1 or 2 */
    unsigned regs_a, regs_b, accumulators;    /* most in use at once */
    unsigned cycles;      /* modelled issue slots for one batch of 16, latencies included */
    unsigned lower_bound; /* no schedule of these operations is shorter, in instructions */
    unsigned tmu, sfu;    /* texture requests, special function operations */
    /* basic blocks; how many of them are proven to be as short as possible */
    unsigned blocks, blocks_optimal;
};

/* Code as 64-bit instruction words; NULL and 0 when the program has no such stage. Owned by the program. */
const uint64_t *qpucc_program_code(const qpucc_program *program, enum qpucc_stage stage, size_t *count);
const struct qpucc_stage_stats *qpucc_program_stats(const qpucc_program *program, enum qpucc_stage stage);
/* Source line of each instruction (0 unknown), `count` of them as in qpucc_program_code; NULL when there is
 * no code or QPUCC_GENERATE_LINES was not set. */
const uint32_t *qpucc_program_lines(const qpucc_program *program, enum qpucc_stage stage);
/* SPIR-V of a source stage, from glslang or as given; NULL if there is none. */
const uint32_t *qpucc_program_spirv(const qpucc_program *program, enum qpucc_stage stage, size_t *words);
/* The IR before selection, as text; NULL if the compile did not get that far or QPUCC_GENERATE_IR was not
 * set. */
const char *qpucc_program_ir(const qpucc_program *program, enum qpucc_stage stage);

/* --- interface ------------------------------------------------------------------------------------------ */

/* Types of which variables are made. Every sampler is one of SAMPLER2D and what follows. */
enum qpucc_base_type {
    QPUCC_FLOAT,
    QPUCC_INT,
    QPUCC_UINT,
    QPUCC_BOOL,
    QPUCC_SAMPLER2D,
    QPUCC_SAMPLERCUBE,
    QPUCC_SAMPLER1D, /* a texture of one row */
    QPUCC_SAMPLER1D_SHADOW,
    QPUCC_SAMPLER2D_SHADOW,
    QPUCC_SAMPLERCUBE_SHADOW,
    QPUCC_SAMPLER2D_RECT, /* its unit's state key says `rectangle` */
    QPUCC_SAMPLER2D_RECT_SHADOW,
    QPUCC_SAMPLER_EXTERNAL, /* samplerExternalOES; its unit's state key may have a `yuv` */
    /* This and the next are not sampled: code reads words of a buffer by direct lookups (guide section 4),
     * and set-up words tell which. P0 is the buffer's address, a multiple of 4; P1 the offset in bytes of
     * the last word that may be read, which limits every access.
     *
     * sampler2DMS, only fetched from: the buffer holds four samples a pixel as the tile buffer's store
     * in full resolution leaves them, 16 KiB for each tile of 32 x 32 pixels, row after row of tiles. P2 is
     * the width in pixels, and the height << 16. The unit's state key has `format` and `swizzle`; the tile
     * buffer has RGBA, of depths DEPTH24. */
    QPUCC_SAMPLER2D_MS,
    /* A uniform block in a buffer (QPUCC_BLOCKS_IN_BUFFERS), or an array of them, by the block's name, or by
     * "_block" and the binding where it has none. `location` is the binding, -1: none given. P2 and P3 are
     * not used, nor is the unit's state. */
    QPUCC_UNIFORM_BLOCK,
    QPUCC_BASE_TYPE_COUNT
};
#define QPUCC_IS_SAMPLER(base) ((base) >= QPUCC_SAMPLER2D)

/* The type's name in GLSL, "float" or "samplerExternalOES"; of a block "uniform". NULL for a number that is
 * none. Static storage. */
const char *qpucc_base_type_name(enum qpucc_base_type base);

/* A uniform, attribute or varying as GL names it. Attributes that no code reads are left out, as are uniforms
 * and samplers where there are more than fit; else `used` says which of them are active. Inputs that GL
 * supplies and the hardware does not are included when a shader uses them: attribute gl_VertexID and uniform
 * gl_InstanceID, both int, and the compatibility profile's gl_Vertex, gl_ModelViewMatrix, gl_TexCoord and so
 * on. */
struct qpucc_variable {
    const char *name;
    enum qpucc_base_type base;
    unsigned rows, cols;   /* vec4: 4 and 1; mat3: 3 and 3 */
    unsigned array_length; /* elements; 1 when not an array */
    bool is_array;         /* declared with brackets: float a[1] is an array, too */
    /* Uniforms: first word in the packed storage, of rows * cols * array_length (qpucc_program_uniform_place
     * has std140). Samplers: first texture unit, of array_length. Attributes and varyings: first word of the
     * list. */
    unsigned word;
    bool used;         /* by some stage's code */
    int location;      /* layout(location), also where it did not decide the linking; -1: none given */
    const char *block; /* uniforms: the name of the block that it is a member of; NULL: none */
    /* Where a member lies in its block, in bytes as its layout (std140, or what the SPIR-V module says) has
     * it: component r of column c of element e is at block_offset + e * block_array_stride + c *
     * block_matrix_stride + 4 * r, or with block_row_major + r * block_matrix_stride + 4 * c. Strides are 0
     * of what is no array, no matrix; all are 0 outside of blocks. Of an array of blocks each has its own
     * offsets. */
    uint32_t block_offset, block_array_stride, block_matrix_stride;
    bool block_row_major;
};

/* The name that glGetActiveUniform and glGetActiveAttrib give, which of an array ends in "[0]". Returns its
 * length; writes at most `size` bytes, the last of them zero. */
size_t qpucc_variable_gl_name(const struct qpucc_variable *variable, char *buffer, size_t size);
/* The type that they give: GL_FLOAT_VEC3 is 0x8B51; 0 of a block. Their size is array_length. A location that
 * the source does not give is the driver's to choose. */
uint32_t qpucc_variable_gl_type(const struct qpucc_variable *variable);

enum qpucc_interface { QPUCC_UNIFORMS, QPUCC_SAMPLERS, QPUCC_ATTRIBUTES, QPUCC_VARYINGS };

size_t qpucc_program_variable_count(const qpucc_program *program, enum qpucc_interface which);
/* NULL from the count on. Owned by the program. */
const struct qpucc_variable *qpucc_program_variable(const qpucc_program *program, enum qpucc_interface which,
                                                    size_t index);
/* Initial contents of the uniform storage (desktop GLSL's `uniform float x = 1.0;`),
 * packed (enum qpucc_uniform_layout); NULL if all are zero. */
const uint32_t *qpucc_program_uniform_initial(const qpucc_program *program);

/* --- layout --------------------------------------------------------------------------------------------- */

#define QPUCC_MAX_VARYINGS 64

/* Bits of qpucc_layout.flags. */
enum qpucc_trait {
    /* The fragment shader switches threads at its texture fetches: two batches of 16 share a QPU, each with
     * half of the registers (guide section 3, "Thread Control"). */
    QPUCC_THREADED = 1 << 0,
    /* The record's flag bit 0, "Fragment Shader is single threaded": always the opposite. */
    QPUCC_SINGLE_THREADED = 1 << 1,
    /* The fragment shader writes Z, which makes the hardware test and update Z and stencil (guide section 5,
     * "Z and Stencil"). Without this bit there is no Z or stencil test, whatever the control list says. */
    QPUCC_WRITES_Z = 1 << 2,
    /* Some fragments may be left unwritten: discard, or what a state key does like it. */
    QPUCC_DISCARDS = 1 << 3,
    /* The fragment shader loads colours from the tile buffer. A tile that was stored has to be loaded again
     * before such a draw, and overlapping primitives are in order without any barrier. */
    QPUCC_READS_TILE = 1 << 4,
    /* "Early Z enable" (control ID 96, bit 16) may be set: dropping a fragment whose interpolated Z fails
     * against the tile's early Z buffer, before it is shaded, changes nothing in the picture. True when the
     * shader writes Z and the Z it writes is the interpolated one. A discard does no harm: such a fragment is
     * dropped either way. The driver has to add what the library cannot know: the depth function is less,
     * lequal, greater or gequal in the direction of the tile's "Early-Z Update Direction" (control ID 113),
     * and the stencil operation for a failed depth test is KEEP on both faces. */
    QPUCC_EARLY_Z_TEST_SAFE = 1 << 5,
    /* "Early Z updates enable" (bit 17) may be set too: the above, and the shader writes Z for every fragment
     * that reaches it. After a discard the early Z buffer, which has less than the tile's resolution, could
     * hide what is behind a fragment that was never written. The guide (section 5) does not say how partial
     * quads update it, so this bit is on the safe side. */
    QPUCC_EARLY_Z_SAFE = 1 << 6,
    /* The shaded vertex carries a point size word (the record's flag bit 1). */
    QPUCC_POINT_SIZE = 1 << 7,
};

/* One attribute of the record's list, in which none is that no code reads. The hardware reads `bytes` bytes
 * of each vertex and puts them into the VPM, attribute after attribute, for the vertex and for the coordinate
 * shader (guide section 9, "Shader State Record Formats"). */
struct qpucc_attribute_slot {
    uint32_t variable; /* index among QPUCC_ATTRIBUTES; UINT32_MAX: the placeholder of a shader without any */
    uint8_t column;    /* of a matrix or array: element and column counted together; else 0 */
    uint8_t words;     /* 1 to 4, of 32 bits, that it takes in the VPM */
    uint8_t bytes;     /* in memory: the record's size. 4 * words, or less where the last word is not full */
    uint8_t number;    /* its place in the state key: qpucc_state.attribute */
    bool selected[QPUCC_STAGE_COUNT];      /* by stage: its code reads it; the record's select bit */
    uint8_t vpm_offset[QPUCC_STAGE_COUNT]; /* by stage: bytes from the vertex's start in the VPM */
};

enum qpucc_varying_kind {
    QPUCC_VARYING_POINT_S, /* made by the hardware for points, first and second; not in the shaded vertex */
    QPUCC_VARYING_POINT_T,
    QPUCC_VARYING_LINE, /* made by the hardware for lines: the first, not in the shaded vertex */
    QPUCC_VARYING_USER, /* a word of a variable */
    QPUCC_VARYING_STATE /* a word that the state key asks for and no shader declares */
};

/* One word of varyings, in the order of the shaded vertex and of the fragment shader's reads (guide section
 * 3, "Varyings"). */
struct qpucc_varying_slot {
    uint8_t kind;      /* enum qpucc_varying_kind */
    bool flat;         /* not interpolated: a bit of flat_varyings */
    bool centroid;     /* declared so. The hardware has only centre interpolation */
    bool perspective;  /* the shader multiplies by W; false: linear on the screen (noperspective, flat) */
    uint32_t variable; /* USER: index among QPUCC_VARYINGS; else UINT32_MAX */
    uint32_t word;     /* USER: word of the variable, its first is 0 */
};

/* What goes from a program into shader record and control list besides code and addresses. */
struct qpucc_layout {
    uint32_t flags;                       /* enum qpucc_trait */
    uint32_t textures[QPUCC_STAGE_COUNT]; /* by stage: bit n: it samples unit n */
    uint32_t varying_words;               /* in the shaded vertex, after its fixed part */
    /* Bit n: word n of these is not interpolated. For "Flat Shade Flags" (guide section 9, control ID 97). */
    uint32_t flat_varyings;
    uint8_t attribute_select[QPUCC_STAGE_COUNT]; /* by stage: bit n: attribute n */
    uint8_t attribute_bytes[QPUCC_STAGE_COUNT];  /* by stage: of all that it selects, in the VPM */
    uint32_t attribute_count, varying_count;
    struct qpucc_attribute_slot attributes[QPUCC_MAX_ATTRIBUTES];
    struct qpucc_varying_slot varyings[QPUCC_MAX_VARYINGS];
};

/* All zero if the program has no code. */
const struct qpucc_layout *qpucc_program_layout(const qpucc_program *program);

/* --- uniform storage ------------------------------------------------------------------------------------ */

/* How a driver's memory holds the uniforms of a program. Both layouts hold all variables of QPUCC_UNIFORMS,
 * matrices column after column, booleans as 0 or 1. */
enum qpucc_uniform_layout {
    /* word after word: variable `word` of qpucc_variable, no gaps */
    QPUCC_UNIFORMS_PACKED,
    /* as if the uniforms, in order of declaration, were the members of one block of layout(std140) (OpenGL
     * ES 3.0, "Standard Uniform Block Layout"): a scalar is aligned to 4 bytes, a vec2 to 8, a vec3 or vec4
     * to 16; elements of arrays, columns of matrices and structures begin at multiples of 16. */
    QPUCC_UNIFORMS_STD140,
};

/* Where a uniform lies, in bytes from the start of the storage. Component r of column c of element e is at
 * offset + e * array_stride + c * matrix_stride + 4 * r. */
struct qpucc_uniform_place {
    uint32_t offset;
    uint32_t array_stride;  /* from one element to the next; 0: not an array */
    uint32_t matrix_stride; /* from one column to the next; 0: not a matrix */
};

/* The place of variable `index` of QPUCC_UNIFORMS. False when there is no such variable or layout. */
bool qpucc_program_uniform_place(const qpucc_program *program, enum qpucc_uniform_layout layout, size_t index,
                                 struct qpucc_uniform_place *out);
/* Bytes of uniform storage in that layout; 0 for one that is none. */
size_t qpucc_program_uniform_bytes(const qpucc_program *program, enum qpucc_uniform_layout layout);
/* Copies uniforms from `source` in that layout to `out`, packed: what `uniform_address` of a draw points to.
 * Zeros where the layout is not known, as std140 of a program without code. */
void qpucc_uniforms_pack(const qpucc_program *program, enum qpucc_uniform_layout layout,
                         const uint32_t *source, uint32_t *out);

/* --- uniform streams ------------------------------------------------------------------------------------ */

/* What a draw supplies. */
struct qpucc_draw_values {
    /* qpucc_program_uniform_bytes() of them, in the layout below; NULL if the program has none */
    const uint32_t *uniforms;
    enum qpucc_uniform_layout layout;
    /* set-up words P0..P3 (guide section 4, tables 15 to 17), QPUCC_MAX_TEXTURES or as many as the program
     * has slots and the state key's planes reach; NULL if it has none */
    const uint32_t (*textures)[4];
    struct qpucc_draw_state state; /* what the state key asks for at each draw (qpucc/state.h) */
    /* where each stage's stream will lie in memory; 0 if unused */
    uint32_t stream_address[QPUCC_STAGE_COUNT];
    /* where a packed copy of `uniforms` lies in memory, for run-time indexing; 0 if unused */
    uint32_t uniform_address;
};

/* Words of the stage's uniform stream. */
size_t qpucc_uniforms_size(const qpucc_program *program, enum qpucc_stage stage);
/* Fills `out` (qpucc_uniforms_size() words) for one draw: constants, uniform words, texture set-up, driver
 * state and uniform expressions evaluated in IEEE single precision. `out` is written from its first word to
 * its last and never read, so it may be memory that is not cached. Returns false, with every word of `out`
 * zero, if the layout is none or the stream needs uniforms or textures for which `values` has NULL; false if
 * the program has no code for the stage, or `out` is NULL and the stream is not empty. Allocates nothing,
 * unless the stream has more than QPUCC_FILL_WORDS different words and intermediate values; then it may also
 * fail for lack of memory. */
bool qpucc_uniforms_fill(const qpucc_program *program, enum qpucc_stage stage,
                         const struct qpucc_draw_values *values, uint32_t *out);
#define QPUCC_FILL_WORDS 2304
/* The same for all stages of the program at once. out[stage] may be NULL when the stage has no code or an
 * empty stream; where another is missing, the result is false and the streams that are there are zero. What
 * streams have in common, as vertex and coordinate shader do, is evaluated once. */
bool qpucc_uniforms_fill_all(const qpucc_program *program, const struct qpucc_draw_values *values,
                             uint32_t *const out[QPUCC_STAGE_COUNT]);

/* What a word of a stream is, for drivers that walk the stream: to relocate addresses, or to fill what is not
 * an expression themselves. */
enum qpucc_slot_kind {
    QPUCC_SLOT_CONSTANT,   /* value: the word */
    QPUCC_SLOT_UNIFORM,    /* value: word of the packed uniform storage */
    QPUCC_SLOT_TEXTURE,    /* value: texture unit; part: which of its set-up words, 0 for P0 to 3 for P3 */
    QPUCC_SLOT_STATE,      /* value: word of struct qpucc_draw_state */
    QPUCC_SLOT_EXPRESSION, /* arithmetic over others; only qpucc_uniforms_fill knows its value */
    QPUCC_SLOT_STREAM_ADDRESS,  /* the address of this stream itself; the Linux kernel writes it */
    QPUCC_SLOT_UNIFORM_ADDRESS, /* value: bytes to add to the address of the packed uniform storage */
};
struct qpucc_slot {
    enum qpucc_slot_kind kind;
    uint32_t value, part;
};
/* The slot of word `index` of the stage's stream; false when there is none. */
bool qpucc_uniforms_slot(const qpucc_program *program, enum qpucc_stage stage, size_t index,
                         struct qpucc_slot *out);

/* A texture sample or, where code indexes uniforms at run time, a lookup in uniform storage; a lookup in a
 * buffer counts as a sample of one word, P0. */
struct qpucc_texture_sample {
    uint32_t instruction; /* which writes the S coordinate and so makes the request */
    uint32_t unit;        /* texture unit or buffer's number; UINT32_MAX: a lookup in uniform storage */
    uint32_t word_count;  /* 1..4 */
    uint32_t word[4];     /* of the stream: P0, P1, ...; of a lookup the one word with the address */
};
/* The stage's samples in the order of their S writes, which is the order in which the Linux kernel wants
 * their buffers listed. Returns their number, writes at most `max`. */
size_t qpucc_texture_samples(const qpucc_program *program, enum qpucc_stage stage,
                             struct qpucc_texture_sample *out, size_t max);

/* The word at `index` of the stream, described as text ("u_matrix[2].x", "0.5", "u_picture.p0",
 * "viewport.x_scale", "fmul(u_scale, 2)"), which ends in "..." where it would be longer than 4096 bytes;
 * owned by the program. NULL when there is none. */
const char *qpucc_uniform_text(const qpucc_program *program, enum qpucc_stage stage, size_t index);
/* Index of the stream word that an instruction takes, by reading a uniform or by a TMU coordinate write,
 * which takes its set-up word; SIZE_MAX if it takes none. */
size_t qpucc_uniform_index(const qpucc_program *program, enum qpucc_stage stage, size_t instruction);

/* --- programs as bytes ---------------------------------------------------------------------------------- */

/* What a container holds besides code, streams, layout, reflection, source map and warnings. */
enum qpucc_save {
    QPUCC_SAVE_IR = 1 << 0,    /* the kept IR: the program that is loaded can make variants */
    QPUCC_SAVE_SPIRV = 1 << 1, /* for qpucc_program_spirv */
};

/* Writes a program that has code as a container. `parts`: bits of enum qpucc_save. Returns the size in bytes,
 * and writes to `buffer` if `size` is no less; ask with NULL and 0 first. The same program gives the same
 * bytes on every host. 0: the program has errors, `parts` has other bits, or memory ran out. */
size_t qpucc_program_save(const qpucc_program *program, uint32_t parts, void *buffer, size_t size);

/* The program of a container, which need not be trusted: bytes that are damaged, of another format or made to
 * do harm give a program with one diagnostic of code "container" that says why. What is accepted is
 * consistent and its code passes the rule checker; that the code does what a source says is known only as far
 * as the bytes' origin is. The program needs nothing of `bytes` afterwards and is like the one that was
 * saved; without QPUCC_SAVE_IR its variants have a diagnostic and no code. Its IR is read and checked by the
 * first variant. The limits of its variants are those that it was compiled with, but none above the default:
 * bytes raise no limit. Where those were raised, qpucc_variant_with takes the caller's, and the compile cache
 * knows them. Where memory runs out the diagnostic is of code "internal", or, at the very start, NULL is
 * returned. The caller frees it. */
qpucc_program *qpucc_program_load(const void *bytes, size_t size);
/* The same with memory of that allocator (NULL: the C library's), also of its variants. NULL, too, if the
 * allocator lacks a function. */
qpucc_program *qpucc_program_load_with(const void *bytes, size_t size,
                                       const struct qpucc_allocator *allocator);

/* --- shader state records ------------------------------------------------------------------------------- */

/* The hardware has two kinds of record for programs like ours (guide section 9, "Shader State Record
 * Formats"). */
enum qpucc_record_mode {
    QPUCC_RECORD_GL, /* table 45: fragment, vertex and coordinate shader with attribute arrays */
    QPUCC_RECORD_NV, /* table 46: fragment shader alone; the vertices in memory are shaded already */
};

/* What a driver adds to the program. Zero is an address that is not known yet, or none. */
struct qpucc_record_inputs {
    uint32_t code_address[QPUCC_STAGE_COUNT];    /* multiples of 8 */
    uint32_t uniform_address[QPUCC_STAGE_COUNT]; /* of the streams, multiples of 4 */
    bool no_clipping;                            /* the binner need not clip */
    /* GL: where the arrays of qpucc_layout.attributes lie, and the bytes from one vertex to the next
     * below 2^26, 0 when all have the same. A stride above 255 needs an extended record. */
    struct {
        uint32_t address, stride;
    } attribute[QPUCC_MAX_ATTRIBUTES];
    bool extended; /* GL: make an extended record even if no stride needs it */
    /* NV: the vertices, each of them (guide figure 12) clip coordinates if there is a header, screen
     * coordinates, depth, 1/w, the point size if there is one, and qpucc_layout.varying_words words */
    uint32_t vertex_address; /* a multiple of 4, of 16 with the header */
    uint32_t vertex_stride;  /* bytes; 0: tightly packed; at most 255 */
    bool clip_header, point_size;
};

enum qpucc_relocation_kind {
    QPUCC_RELOCATE_CODE,      /* index: the stage whose code is meant */
    QPUCC_RELOCATE_UNIFORMS,  /* index: the stage whose stream is meant */
    QPUCC_RELOCATE_ATTRIBUTE, /* index: the attribute array */
    QPUCC_RELOCATE_VERTICES,  /* the shaded vertices of an NV record */
};

/* An address in a record: to what the driver gave, the bus address of the buffer is to be added. */
struct qpucc_relocation {
    uint32_t offset; /* bytes from the record's start; the address has four */
    enum qpucc_relocation_kind kind;
    uint32_t index;
    uint32_t alignment; /* of the address, in bytes */
};

#define QPUCC_RECORD_MAX_BYTES 132 /* no record is larger */
#define QPUCC_RECORD_ALIGNMENT 16  /* of a record in memory */

struct qpucc_record_bytes {
    uint8_t bytes[QPUCC_RECORD_MAX_BYTES]; /* as the hardware reads them, little endian */
    size_t size;                           /* GL: 36 and 8 for each attribute array, extended 132; NV: 16 */
    /* the low four bits of the control list's item, beside the record's address: of GL (ID 64) the number of
     * attribute arrays and whether the record is extended, of NV (ID 65) zero */
    uint32_t list_bits;
    size_t relocation_count;
    struct qpucc_relocation relocations[2 * QPUCC_STAGE_COUNT + QPUCC_MAX_ATTRIBUTES];
};

/* Fills a record. What belongs to a stage that the program lacks is zero. `inputs` may be NULL: all addresses
 * are zero then and all arrays tightly packed. Returns false, with nothing in `out`, if the program has
 * errors, an address is not aligned, a stride is too large or too small for a vertex, or an NV record is
 * asked for without a fragment shader. */
bool qpucc_record_fill(const qpucc_program *program, enum qpucc_record_mode mode,
                       const struct qpucc_record_inputs *inputs, struct qpucc_record_bytes *out);

/* A decoded GL record. */
struct qpucc_record {
    bool single_threaded, point_size, clipping;
    bool extended; /* strides may be larger than 255, and all eight attributes are there */
    unsigned fragment_uniforms, varyings;
    uint32_t code_address[QPUCC_STAGE_COUNT], uniform_address[QPUCC_STAGE_COUNT];
    struct {
        unsigned uniforms, attribute_mask, attribute_bytes;
    } shader[2]; /* vertex, coordinate */
    unsigned attribute_count;
    struct {
        uint32_t address;
        unsigned bytes, stride, vertex_offset, coordinate_offset;
    } attribute[QPUCC_MAX_ATTRIBUTES];
};
/* False when `size` bytes can't be a GL record. */
bool qpucc_record_decode(const uint8_t *bytes, size_t size, struct qpucc_record *out);

/* A decoded NV record. */
struct qpucc_nv_record {
    bool single_threaded, point_size, clipping, clip_header;
    unsigned stride, fragment_uniforms, varyings;
    uint32_t code_address, uniform_address, vertex_address;
};
/* False when `size` bytes can't be an NV record. */
bool qpucc_nv_record_decode(const uint8_t *bytes, size_t size, struct qpucc_nv_record *out);

/* --- text ----------------------------------------------------------------------------------------------- */

/* One instruction as assembly; returns the length needed, NUL-terminates within `size`. */
size_t qpucc_disassemble(uint64_t instruction, unsigned index, char *buffer, size_t size);
/* Assembles a whole text; on error returns NULL and writes "line N: text". Free the result with free(). */
uint64_t *qpucc_assemble(const char *text, size_t length, size_t *count, char *error, size_t error_size);

struct qpucc_rule_violation {
    unsigned instruction;
    bool warning;
    const char *rule;
    char text[200];
};
/* Checks code against the hardware's rules, and the Linux kernel's if `linux_rules`. Returns the number of
 * violations; writes at most `max` of them. */
size_t qpucc_check(const uint64_t *code, size_t count, enum qpucc_stage stage, bool threaded,
                   bool linux_rules, struct qpucc_rule_violation *out, size_t max);
/* The same for what code relies on beyond these rules, and the chip's profile says it may not (rules
 * "chip-..."): what a chip is known to do, not what it is known to forbid. Of VPM set-ups only those count
 * whose word the instruction itself holds; what a program takes from its stream it is checked for when it
 * is compiled. */
size_t qpucc_check_chip(const uint64_t *code, size_t count, enum qpucc_stage stage,
                        const struct qpucc_chip *chip, struct qpucc_rule_violation *out, size_t max);

/* Runs passes (comma separated) on IR text; the result is malloc'ed text, or NULL with the reason in error.
 * */
char *qpucc_opt(const char *text, size_t length, const char *passes, char *error, size_t error_size);
/* Lists the passes: returns the name (static storage) and, if `description` is not NULL, what the pass does
 * there; NULL after the last pass. */
const char *qpucc_pass_name(size_t index, const char **description);

#ifdef __cplusplus
}
#endif

#endif
