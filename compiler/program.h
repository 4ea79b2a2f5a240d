/* What a program is inside: the IR that every variant of it starts from, and the results of a compile. */
#ifndef QPUCC_COMPILER_PROGRAM_H
#define QPUCC_COMPILER_PROGRAM_H

#include "backend/backend.h"
#include "compiler/fill.h"
#include "ir/ir.h"

#include <qpucc/qpucc.h>
#include <stdatomic.h>

#define QPUCC_MAX_UNIFORM_WORDS 16384 /* 4096 vec4, as many as Mesa's vc4 driver has for each stage */
#define QPUCC_MAX_VARYING_WORDS 32    /* the interpolator's coefficient memory; 8 vec4, as GLES 2 asks */

/* Of an instruction: its place in the source, what that calls the results of both ALUs and of the signal.
 * Texts may be NULL. */
struct program_place {
    const char *file, *name[3];
    uint32_t line, column;
};

/* While a program is made it has arrays for all of this. A program that is done has slots, stream and lines
 * packed (keep.c). */
struct program_stage {
    uint64_t *code; /* NULL: the program has no such stage */
    size_t count;
    uint32_t *lines;
    struct program_place *places; /* NULL unless QPUCC_GENERATE_NAMES was set */
    struct ir_slot *slots;
    uint32_t *stream; /* slot of each word */
    uint32_t slot_count;
    uint32_t packed_bytes, packed_line_bytes;
    const uint8_t *packed; /* slots and stream */
    const uint8_t *packed_lines;
    size_t stream_count;
    const struct fill *fill; /* the stream in the form in which a draw fills it */
    uint64_t *takes;         /* a bit for each instruction: it takes a word */
    struct qpucc_stage_stats stats;
    const char *ir;
    uint32_t traits;            /* enum qpucc_trait */
    const struct trial *trials; /* the attempts that were made (compiler/attempts.h), for variants */
    size_t trial_count, winner; /* winner: whose code this is */
};

static inline size_t program_take_words(const struct program_stage *stage) {
    return stage->count / 64 + 1;
}

/* What is made for the first who asks, by any thread (program.c, stream_text.c); blocks of ir/heap.h, as all
 * here that lies in no arena. */
struct program_lazy {
    _Atomic(char **) stream_text[QPUCC_STAGE_COUNT]; /* of each word */
    _Atomic(uint32_t *) lines[QPUCC_STAGE_COUNT];    /* of each instruction */
};

struct program_table {
    struct qpucc_variable *list;
    size_t count;
};

/* Variables lie in the order of their words. NULL: the word is nobody's. */
struct qpucc_variable *program_variable_of_word(const struct program_table *table, uint32_t word);

/* The IR that code for any state is made of, by enum qpucc_stage; NULL: no such stage. */
struct kept_ir {
    const struct qpucc_allocator *from;
    struct ir_packed *read[2];   /* as the front end left it, uniforms merged */
    struct ir_packed *linked[2]; /* after the generic passes and the linker: ignorant of the GL state */
    bool loops[2];               /* there are loops in `linked` */
    uint8_t branches[2];         /* there are branches that could be selections: bits of enum ir_kept */
    bool planned;                /* the linker made a plan for the varyings (compiler/link.h) */
};

/* What does not depend on the GL state. A program and its variants share it and only read it once the first
 * of them is linked; the last one frees it. */
struct program_kept {
    const struct qpucc_allocator *from; /* of the programs that share this; NULL: the C library's */
    size_t bytes;                       /* of the block */
    /* Of all of this while the first program is made; stands alone, because its users may be in several
     * threads. NULL afterwards: then it is a block of its own. */
    struct ir_arena *arena;
    atomic_uint users;
    int opt_level;
    uint32_t flags; /* enum qpucc_flag and enum qpucc_policy */
    uint32_t unroll;
    struct qpucc_chip chip;
    struct ir_account account; /* as of linking; variants go on with it */
    atomic_uint ir_users;      /* programs that have not given it up; the last one frees it */
    /* NULL: not made yet of the texts, which is what `read` was as the IR's text (a program that was loaded)
     */
    _Atomic(struct kept_ir *) ir;
    char *text[2];
    const struct qpucc_diagnostic *diagnostics; /* as of linking: the source's warnings */
    size_t diagnostic_count;
    bool complete; /* linked, without errors */
    /* Of uniform storage: NULL: all 0; which word each packed one is in std140, NULL: no code was made */
    const uint32_t *uniform_initial;
    const uint16_t *std140_word;
};

/* Reflection. Programs that come of one another share it; the last one frees it. A block of its own. */
struct program_names {
    atomic_uint users;
    size_t bytes;
    struct program_table variables[QPUCC_VARYINGS + 1];
    struct qpucc_uniform_place *std140; /* of each uniform; NULL: no code was made */
    uint32_t std140_bytes;
};

/* The same for the sources' SPIR-V. */
struct program_spirv {
    atomic_uint users;
    size_t words[QPUCC_STAGE_COUNT];
    uint32_t *module[QPUCC_STAGE_COUNT];
};

/* Are all functions there? NULL is the C library's. */
static inline bool allocator_is_whole(const struct qpucc_allocator *a) {
    return !a || (a->allocate && a->reallocate && a->release);
}

/* The policy of a program's flags. */
enum qpucc_policy program_policy(uint32_t flags);

struct qpucc_program {
    /* Of what is not shared, while it is made. NULL afterwards, but for programs with texts for readers of
     * code (keep.c): then it is a block of its own. */
    struct ir_arena *arena;
    size_t bytes; /* of that block or arena */
    struct program_kept *kept;
    bool holds_ir;               /* one of its users */
    struct program_names *names; /* NULL: not closed yet */
    struct program_spirv *spirv; /* NULL: there is none */
    struct program_lazy *lazy;
    enum qpucc_status status;
    struct qpucc_diagnostic *diagnostics;
    size_t diagnostic_count, diagnostic_capacity;
    struct program_stage stages[QPUCC_STAGE_COUNT];
    const char *preprocessed[QPUCC_STAGE_COUNT];
    const char **included;    /* NULL at the end, or NULL: none */
    uint8_t included_sum[32]; /* of their paths and contents, each time, in order */
    /* Those of `names`, or its own where other uniforms are in use. */
    struct program_table variables[QPUCC_VARYINGS + 1];
    size_t uniform_words;
    const uint32_t *uniform_initial; /* uniform_words of them, or NULL: all 0 */
    struct qpucc_uniform_place *std140;
    const uint16_t *std140_word; /* of each packed one */
    uint32_t std140_bytes;
    const struct fill *fill; /* of all stages together */
    struct qpucc_layout layout;
    const struct qpucc_state *state; /* that the code is for; NULL: it was loaded */
    struct qpucc_usage usage;
    uint8_t
        sources_key[32]; /* of a program from the cache's functions (compiler/cache.c), for its variants */
    bool has_sources_key;
};

/* Limits at this level (0: the default), of which -O3 alone may use the whole search (sched/schedule.h). */
void program_limits(const uint64_t asked[QPUCC_LIMIT_COUNT], int opt_level,
                    uint64_t limit[QPUCC_LIMIT_COUNT]);
/* They become the arena's. Variants go on with those of what is kept. */
void program_set_limits(struct ir_arena *arena, const uint64_t limit[QPUCC_LIMIT_COUNT], int opt_level);

/* empty; NULL: out of memory */
struct kept_ir *kept_ir_create(const struct qpucc_allocator *from);
void kept_ir_free(struct kept_ir *ir);

/* NULL: out of memory. With `kept`: another user of it, with its allocator. Without: has its own, empty, and
 * memory `from` there. */
struct qpucc_program *program_create(struct program_kept *kept, const struct qpucc_allocator *from);

/* Nothing is added to the program any more: what it keeps goes into blocks without slack. Returns the
 * program, which lies elsewhere then (keep.c). */
struct qpucc_program *program_close(struct qpucc_program *program);

/* Slots and stream of a stage that may be packed. The caller frees it; NULL: out of memory. */
struct stage_stream {
    struct ir_slot *slots;
    uint32_t *stream;
    uint32_t slot_count;
};
struct stage_stream *program_stream(const struct program_stage *stage, const struct qpucc_allocator *from);
/* What a word is called that is no expression, which writes nothing (stream_text.c). */
struct ir_writer;
void program_slot_text(const struct qpucc_program *program, const struct ir_slot *slot,
                       struct ir_writer *out);
/* Source lines of a stage that has them packed. The caller frees them; NULL: out of memory. */
uint32_t *program_unpack_lines(const struct program_stage *stage, const struct qpucc_allocator *from);

/* Takes over a module of ir/heap.h, even if it fails for lack of memory: NULL is no memory, too. */
bool program_keep_spirv(struct qpucc_program *program, enum qpucc_stage stage, uint32_t *module,
                        size_t words);

/* The IR that the program keeps; NULL: none, or not made yet of its texts. */
struct kept_ir *program_ir(const struct qpucc_program *program);
void program_drop_ir(struct qpucc_program *program);

/* The files that another program includes: this one includes them, too, each once. */
void program_add_included(struct qpucc_program *program, const struct qpucc_program *from);

/* A user less. NULL is allowed. */
void program_kept_release(struct program_kept *kept);
void program_names_release(struct program_names *names);
void program_spirv_release(struct program_spirv *spirv);

void program_set_state(struct qpucc_program *program, const struct qpucc_state *state);
/* After linking: the diagnostics so far are the kept IR's. */
void program_keep_diagnostics(struct qpucc_program *program);
/* What a variant has before it is built: diagnostics and interface, as its parent had them after linking; if
 * the parent did not get that far, all of its diagnostics and its status. */
void program_inherit(struct qpucc_program *program, const struct qpucc_program *parent);
/* A program with errors has no code. */
void program_drop_code(struct qpucc_program *program);

/* Adds a diagnostic; an error makes `status` the program's if it had none. Text, file and code are copied. */
void program_diagnose(struct qpucc_program *program, enum qpucc_status status, enum qpucc_severity severity,
                      const char *code, const char *file, unsigned line, unsigned column, const char *format,
                      ...) __attribute__((format(printf, 8, 9)));

/* Which instruction takes which stream word, by the code alone; returns how many are taken (uniforms.c). */
size_t program_index_stream(struct qpucc_program *program, struct program_stage *stage);

#endif
