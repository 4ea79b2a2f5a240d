/* The SSA form: one shader, one function, scalars of 32 bits in 16 implicit lanes.
 *
 * A value is the instruction that makes it. Everything lives in the shader's arena and dies with it in one
 * call. What is uniform, which precision, which source line: on the instruction, so that no later module
 * has to ask back. ops.def is the one table of operations; ir_verify holds everybody to it. */
#ifndef QPUCC_IR_H
#define QPUCC_IR_H

#include <qpucc/allocator.h>
#include <qpucc/limit.h>
#include <qpucc/stage.h>
#include <qpucc/state.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* --- arena ---------------------------------------------------------------------------------------------- */

struct ir_arena;
/* All memory comes from that allocator, which has to outlive the arena; NULL: the C library's. */
struct ir_arena *ir_arena_create(const struct qpucc_allocator *from);
/* For what outlives a compile: it grows in small steps. */
struct ir_arena *ir_arena_small(const struct qpucc_allocator *from);
/* That of arenas which are made for others' work is the others'. For what lies in no arena: ir/heap.h. */
const struct qpucc_allocator *ir_allocator(const struct ir_arena *arena);
/* A small one for the same compile, with an account of its own. When the compile is done, other threads may
 * free it. */
struct ir_arena *ir_arena_apart(const struct ir_arena *other);
/* for the same thread: they share what is not in use */
struct ir_arena *ir_arena_beside(struct ir_arena *other);
/* what none of those uses goes back to the system */
void ir_arena_trim(struct ir_arena *arena);
/* The compile is done: what is idle goes back, and what there was for the case that memory runs out. No arena
 * beside this one may be asked for memory any more. */
void ir_arena_close(struct ir_arena *arena);
void ir_arena_destroy(struct ir_arena *arena);
struct ir_mark {
    void *chunk, *behind;
    size_t used;
};
struct ir_mark ir_arena_mark(const struct ir_arena *arena);
/* gives back all that was handed out since */
void ir_arena_rewind(struct ir_arena *arena, struct ir_mark mark);
/* zeroed, aligned for any type; NULL never (see ir_arena_oom) */
void *ir_alloc(struct ir_arena *arena, size_t size);
/* the same for who writes all of it, or reads only what has been written */
void *ir_alloc_uncleared(struct ir_arena *arena, size_t size);
char *ir_strdup(struct ir_arena *arena, const char *text);
/* a limit was met, the caller has cancelled, or the system had no more: give up */
bool ir_arena_oom(const struct ir_arena *arena);
void ir_arena_fail(struct ir_arena *arena); /* the system had no more for what is no arena's */

/* --- limits: what all arenas beside each other, those of one compile, may use --------------------------- */

/* 0: the default. What was used so far is forgotten, but for memory that is still held. */
void ir_limits_set(struct ir_arena *arena, const uint64_t limit[QPUCC_LIMIT_COUNT]);
uint64_t ir_limit(const struct ir_arena *arena, enum qpucc_limit which);
uint64_t ir_limit_default(enum qpucc_limit which);
/* Counts work; size: instructions of a stage as it is now. False: give up, as ir_arena_oom says. */
bool ir_work(struct ir_arena *arena, uint64_t amount);
bool ir_size(struct ir_arena *arena, uint64_t instructions);
/* Work that is not necessary: how much of it is left, and that so much was done. */
uint64_t ir_search_left(const struct ir_arena *arena);
void ir_search(struct ir_arena *arena, uint64_t amount);
/* Before much is allocated at once. False: that is more than is left, and the limit is met. */
bool ir_fits(struct ir_arena *arena, uint64_t bytes);
/* Memory that is no arena's: asked for, given back; and how much more all may hold. */
void ir_hold(struct ir_arena *arena, size_t bytes);
uint64_t ir_bytes_left(const struct ir_arena *arena);
void ir_release(struct ir_arena *arena, size_t bytes);
void ir_limit_meet(struct ir_arena *arena, enum qpucc_limit which);
/* The caller's flag (NULL: none), which is looked at wherever work is counted: not 0 ends it like a limit. It
 * is forgotten when the arena is closed. */
void ir_cancel_by(struct ir_arena *arena, const int *flag);
/* What counts much before it counts looks here in between. */
bool ir_cancelled(const struct ir_arena *arena);
/* The first limit that was met; QPUCC_LIMIT_COUNT: none, or the system had no memory. */
enum qpucc_limit ir_limit_met(const struct ir_arena *arena);
struct qpucc_usage ir_usage(const struct ir_arena *arena);
/* The account of another store goes on here, with its limits; what that store holds counts here, too. */
void ir_account_continue(struct ir_arena *arena, const struct ir_arena *from);
/* What has been done is done once more: work and search are counted from here again. */
void ir_account_rewind(struct ir_arena *arena, uint64_t work, uint64_t search);
/* The account without the store, to be kept, and a store that goes on with that. */
struct ir_account {
    uint64_t limit[QPUCC_LIMIT_COUNT];
    struct qpucc_usage usage;
    uint64_t held;
};
struct ir_account ir_account(const struct ir_arena *arena);
void ir_account_resume(struct ir_arena *arena, const struct ir_account *account);

/* --- types and operations ------------------------------------------------------------------------------- */

enum ir_type { IR_VOID, IR_F32, IR_I32, IR_BOOL };
enum ir_precision { IR_HIGHP, IR_MEDIUMP, IR_LOWP };

enum ir_op {
#define OP(name, text, result, sources, immediate, class, where, slots, latency, may) IR_##name,
#include "ir/ops.def"
#undef OP
    IR_OP_COUNT
};

enum ir_imm {
    IR_IMM_NONE,
    IR_IMM_BITS,
    IR_IMM_SLOT,
    IR_IMM_BYTE,  /* 0..3 */
    IR_IMM_HALF,  /* 0..1 */
    IR_IMM_INPUT, /* word of the table */
    IR_IMM_OUTPUT,
    IR_IMM_FIFO, /* place in the varyings' FIFO or in the VPM's vertex data, below 64 */
    /* of the shaded vertex; lower_stage numbers what only the coordinate shader writes from 256 on */
    IR_IMM_ROW,
    IR_IMM_VAR,
    IR_IMM_BUILTIN,
    IR_IMM_RANGE,
    IR_IMM_TEX,
    IR_IMM_SAMPLER
};

/* Which unit an operation concerns, or who deals with it. */
enum ir_class {
    IR_CLASS_UNKNOWN,
    IR_CLASS_LEAF,  /* no operation at all: a word of the uniform stream, or nothing */
    IR_CLASS_MOVE,  /* its source's bits under another type */
    IR_CLASS_FLOAT, /* one float operation of an ALU, or a short one made of such */
    IR_CLASS_INTEGER,
    IR_CLASS_SHIFT,
    IR_CLASS_FUNCTION, /* lower_math makes it of others */
    IR_CLASS_SFU,      /* the special function unit */
    IR_CLASS_COMPARE,
    IR_CLASS_BOOLEAN,
    IR_CLASS_BYTES, /* four bytes at a time */
    IR_CLASS_UNPACK,
    IR_CLASS_PACK,
    IR_CLASS_QUAD, /* looks at its neighbours in the quad */
    IR_CLASS_VARIABLE,
    IR_CLASS_INTERFACE, /* lower_stage replaces it */
    IR_CLASS_FETCH,     /* a request to a texture unit */
    IR_CLASS_START,     /* there when the shader starts */
    IR_CLASS_VARYING,
    IR_CLASS_TILE, /* touches the tile buffer */
    IR_CLASS_VPM,
    IR_CLASS_CONTROL
};

/* Who may hold an operation: bits by stage and side of lower_stage. */
enum ir_where {
    IR_WHERE_SOURCE_VERTEX = 1,
    IR_WHERE_SOURCE_FRAGMENT = 2,
    IR_WHERE_LOWERED_VERTEX = 4, /* and coordinate */
    IR_WHERE_LOWERED_FRAGMENT = 8,
    IR_WHERE_SOURCE = IR_WHERE_SOURCE_VERTEX | IR_WHERE_SOURCE_FRAGMENT,
    IR_WHERE_FRAGMENT = IR_WHERE_SOURCE_FRAGMENT | IR_WHERE_LOWERED_FRAGMENT,
    IR_WHERE_ANYWHERE = 15
};

/* A line of ops.def, which says what each of these means. Looked at for every instruction, over and over: in
 * one line of the cache, by one shift. */
struct ir_op_info {
    const char *text, *result, *sources;
    enum ir_imm imm;
    enum ir_class cls;
    uint8_t where; /* enum ir_where */
    uint8_t slots, latency;
    uint8_t min_src, max_src; /* max_src 255: any number */
    bool pure, folds, commutes, terminator, remat, operand, lazy, whole, even, bounded;
    bool effect;   /* neither pure nor removable: kept, and keeps its order among effects */
    bool gathers;  /* not known to be lanewise */
    bool diverges; /* not known to be the same in all lanes */
} __attribute__((aligned(64)));
extern const struct ir_op_info ir_ops[IR_OP_COUNT];
/* Of an operation: what the verifier has seen, and what the passes make, has no other number. */
static inline const struct ir_op_info *ir_op_info(enum ir_op op) {
    return &ir_ops[op];
}
/* Of any number; NULL: it is no operation's. */
static inline const struct ir_op_info *ir_op_info_of_any(unsigned op) {
    return op < IR_OP_COUNT ? &ir_ops[op] : NULL;
}

enum ir_op ir_op_named(const char *text, size_t length); /* IR_OP_COUNT: there is none */

/* Values a stage gets besides its declared inputs (BUILTIN). */
enum ir_builtin {
    IR_BUILTIN_FRAG_COORD_X,
    IR_BUILTIN_FRAG_COORD_Y,
    IR_BUILTIN_FRAG_COORD_Z,
    IR_BUILTIN_FRAG_COORD_W,
    IR_BUILTIN_FRONT_FACING, /* bool */
    IR_BUILTIN_POINT_COORD_X,
    IR_BUILTIN_POINT_COORD_Y,
    IR_BUILTIN_LAST_FRAG_COLOR, /* i32: packed 8888 framebuffer colour */
    IR_BUILTIN_COUNT
};

/* aux of TEX. */
enum ir_tex {
    IR_TEX_2D = 0,
    IR_TEX_CUBE = 1, /* sources s, t, r */
    IR_TEX_KIND = 3,
    IR_TEX_BIAS = 4, /* last source is a bias */
    IR_TEX_LOD = 8,  /* last source is an explicit level */
    /* after lower_stage: the source after s and t is the border's colour, a texel's bits */
    IR_TEX_BORDER = 16,
};

struct ir_loc {
    uint32_t line;   /* 1-based, 0 unknown */
    uint16_t column; /* 1-based, 0 unknown */
    uint16_t file;   /* index into the shader's files */
};

/* What nearly every pass reads of every instruction comes first: one line of the cache. */
struct ir_inst {
    uint16_t op;       /* enum ir_op */
    uint8_t type;      /* enum ir_type */
    uint8_t precision; /* enum ir_precision of the result */
    bool exact;        /* feeds gl_Position or an invariant output: no rewriting that depends on context */
    bool mark;         /* scratch for passes; false between passes */
    uint16_t label;    /* what the source calls the value (ir_label_text); 0: nothing, or labels are off */
    uint32_t id;       /* unique in the shader, < shader->next_id; not dense after deletions */
    uint32_t imm, aux;
    uint32_t nsrc;
    struct ir_inst **src;
    struct ir_inst *forward; /* set by ir_replace: this value is now another */
    struct ir_inst *next, *prev;
    struct ir_block *block;
    struct ir_block **phi_block; /* PHI only: predecessor of each source */
    struct ir_loc loc;
};

/* What the source asks for: at a loop, a block's hint; at a branch, its aux. */
enum ir_hint {
    IR_HINT_NONE,
    IR_HINT_UNROLL,
    IR_HINT_DONT_UNROLL,
    IR_HINT_FLATTEN,      /* selections */
    IR_HINT_DONT_FLATTEN, /* a branch */
    IR_HINT_COUNT
};
extern const char *const ir_hint_names[IR_HINT_COUNT]; /* "", "unroll", ..., "dont_flatten" */
static inline bool ir_is_loop_hint(unsigned hint) {
    return hint == IR_HINT_UNROLL || hint == IR_HINT_DONT_UNROLL;
}
static inline bool ir_is_branch_hint(unsigned hint) {
    return hint == IR_HINT_FLATTEN || hint == IR_HINT_DONT_FLATTEN;
}

struct ir_block {
    uint32_t id;                  /* index in shader->blocks order after ir_cfg_update */
    uint8_t hint;                 /* of the loop that it is the header of: 0 or a loop's enum ir_hint */
    struct ir_inst *first, *last; /* phis first, terminator last */
    struct ir_block *succ[2];     /* set with the terminator; NULL where absent */
    /* by ir_cfg_update: */
    struct ir_block **pred;
    uint32_t npred;
    struct ir_block *idom;        /* by ir_dominators */
    uint32_t loop_depth;          /* by ir_loops */
    struct ir_block *loop_header; /* innermost loop this block is in, NULL outside; a header names itself */
    struct ir_block *loop_parent; /* headers only: header of the loop around this one */
    uint32_t dom_first, dom_last; /* by ir_dominators: numbering of the dominator tree, for ir_dominates */
    struct ir_shader *shader;
};

/* --- interface tables ----------------------------------------------------------------------------------- */

enum ir_base {
    IR_BASE_FLOAT,
    IR_BASE_INT,
    IR_BASE_UINT,
    IR_BASE_BOOL,
    IR_BASE_SAMPLER2D,
    IR_BASE_SAMPLERCUBE,
    IR_BASE_SAMPLER1D, /* this and the following are looked up as a SAMPLER2D or a SAMPLERCUBE */
    IR_BASE_SAMPLER1DSHADOW,
    IR_BASE_SAMPLER2DSHADOW,
    IR_BASE_SAMPLERCUBESHADOW,
    IR_BASE_SAMPLER2DRECT,
    IR_BASE_SAMPLER2DRECTSHADOW,
    IR_BASE_SAMPLEREXTERNAL,
    IR_BASE_SAMPLER2DMS,  /* this and the next are buffers: BUFFER_AT looks their words up, and the set-up */
    IR_BASE_UNIFORMBLOCK, /* words say where they lie (qpucc.h, QPUCC_UNIFORM_BLOCK) */
    IR_BASE_COUNT
};
/* as GLSL has them: "float", ..., "sampler2DMS"; of a block "uniform" */
extern const char *const ir_base_names[IR_BASE_COUNT];
enum ir_interp { IR_SMOOTH, IR_FLAT, IR_LINEAR };

/* A uniform, attribute, varying or fragment output as GL names it: struct members and array-of-struct
 * elements are separate entries ("light[0].pos"), arrays of basic type are one. Words are counted tightly: a
 * mat3 has 9. */
struct ir_symbol {
    const char *name;   /* the user's own */
    uint8_t base;       /* enum ir_base */
    uint8_t rows, cols; /* vec4: 4, 1; mat3: 3, 3; scalar: 1, 1 */
    uint8_t precision;  /* enum ir_precision */
    uint8_t interp;     /* enum ir_interp, varyings */
    bool invariant;
    bool used;          /* by code that is left */
    uint32_t array_len; /* 1 when not an array */
    bool is_array;
    uint32_t word;     /* first word in its table's numbering (samplers: first texture unit number) */
    int32_t location;  /* layout(location) or -1 */
    bool by_location;  /* varyings: matched by the location and not by the name */
    bool centroid;     /* varyings: declared so */
    const char *block; /* uniforms: the block's name, or NULL */
    /* where it lies in its block, in bytes as the module says; from front end to linker, not in texts */
    uint32_t block_offset, array_stride, matrix_stride;
    bool row_major;
    uint32_t *initial; /* uniforms: a value for each word, or NULL */
    struct ir_loc loc;
};

struct ir_symtab {
    struct ir_symbol *sym;
    uint32_t count, capacity, words; /* words: sum over entries */
};

struct ir_var {
    const char *name;
    uint8_t type; /* enum ir_type of every word; mixed structs are split by the reader */
    uint8_t precision;
    uint16_t label; /* of its first word; the next word has the next one. 0: none */
    uint32_t words;
};

/* What the words of a variable of the source are called, for who explains the code: labels `first` to
 * `first + words - 1`. */
struct ir_labels {
    const char *text; /* "color", "light.position", "ring[].at" */
    uint32_t first, words;
    uint8_t rows, cols;
};

/* --- uniform slots: what a word of the uniform stream is ------------------------------------------------ */

enum ir_slot_kind {
    IR_SLOT_CONST,   /* value: bits */
    IR_SLOT_UNIFORM, /* value: word of the uniform table */
    IR_SLOT_TEX,     /* value: texture unit, param: 0..3 set-up word */
    IR_SLOT_STATE,   /* value: enum ir_state */
    IR_SLOT_EXPR,    /* op over arg[]: evaluated once per draw in IEEE single, round to nearest */
    IR_SLOT_STREAM,  /* address of the stream itself (kernel: placeholder), for resets in branches */
    IR_SLOT_ARRAY,   /* address of uniform array storage in memory, value: first word */
};

/* Each is the place of its word in struct qpucc_draw_state. */
enum ir_state {
#define STATE(name, text, member) IR_STATE_##name = offsetof(struct qpucc_draw_state, member) / 4,
#include "ir/state.def"
#undef STATE
    IR_STATE_COUNT = QPUCC_DRAW_STATE_WORDS
};
/* "viewport.x_scale": in texts of every kind; NULL: no code may ask for that word */
extern const char *const ir_state_names[IR_STATE_COUNT];

struct ir_slot {
    uint8_t kind; /* enum ir_slot_kind */
    uint8_t param;
    uint16_t op; /* EXPR: enum ir_op, one that folds */
    uint8_t narg;
    uint8_t type;    /* enum ir_type of the word */
    uint16_t zero;   /* in place of padding: what is above is compared as one word */
    uint32_t value;  /* EXPR: imm of the operation (UNPACK_8F's byte, ...) */
    uint32_t arg[4]; /* those beyond narg are 0 */
};

/* --- the shader ----------------------------------------------------------------------------------------- */

/* What passes ask of a shader before they begin. By id, of the values that there were then. */
struct ir_facts {
    uint32_t ids; /* how many; another number than the shader's: nothing is known */
    uint32_t capacity;
    uint32_t *uses;
    bool *per_draw; /* constants, uniforms and what folds out of nothing else */
};

/* The loop that grew most when it was unrolled: its iterations, and instructions of all of them. */
struct ir_unrolled {
    struct ir_loc loc;
    uint32_t trips, size;
};

/* Why: what they skip takes longer than a branch; the source asks for it. */
enum ir_kept { IR_KEPT_BY_COST = 1, IR_KEPT_BY_HINT = 2 };

struct ir_shader {
    struct ir_arena *arena;
    enum qpucc_stage stage;
    struct ir_block **blocks; /* entry first; reverse post-order after ir_cfg_update */
    uint32_t nblocks, cap_blocks;
    /* of all blocks, and of each operation, as ir_link, ir_remove and ir_become count them */
    uint32_t ninsts, nops[IR_OP_COUNT];
    uint32_t next_id, next_block_id;
    struct ir_symtab uniforms, samplers, inputs, outputs;
    struct ir_var *vars;
    uint32_t nvars, cap_vars;
    struct ir_slot *slots;
    uint32_t nslots, cap_slots;
    struct ir_block **pred_pool; /* all blocks' pred arrays lie in here */
    uint32_t pred_pool_size;
    uint32_t *slot_table, slot_table_size; /* hash table of slot index + 1, for interning */
    const char **files;
    uint32_t nfiles, cap_files;
    struct ir_labels *labels; /* by first label; none unless the front end was asked for them */
    uint32_t nlabels, cap_labels;
    struct ir_unrolled unrolled;
    struct ir_facts facts; /* see ir_facts */
    uint8_t kept_branches; /* pass ifconvert left some that it could have converted: enum ir_kept */
    bool lowered;          /* lower_stage has run */
    /* why lower_stage could not (too many attributes, ...); static text, NULL if it could */
    const char *refused;
    /* after lower_stage, VERTEX/COORDINATE: words of each attribute that VARY/ATTR numbering uses, 0 unused
     * */
    uint8_t attr_size[8];
    uint8_t attr_bytes[8]; /* of those words, as they are in memory */
    /* which input symbol each is; UINT32_MAX: the stub of a shader without attributes */
    uint32_t attr_symbol[8];
    uint8_t attr_column[8]; /* and which column of it (array element and column, counted together) */
    uint32_t nattr;
    /* FRAGMENT after lower_stage: input word of each FIFO position (UINT32_MAX: point coordinate) */
    uint32_t vary_symbol_word[64];
    uint32_t nvary;
    uint64_t rough_varyings; /* FRAGMENT after relax_precision: bit by FIFO position, ends in colours only */
    bool point_size;         /* the shaded vertex carries a point size */
    bool uses_discard;
};

extern const char *const ir_stage_names[QPUCC_STAGE_COUNT]; /* "fragment", ... */
/* in an arena of its own, with an empty entry block */
struct ir_shader *ir_shader_create(const struct qpucc_allocator *from, enum qpucc_stage stage);
/* arena beside that one */
struct ir_shader *ir_shader_beside(struct ir_arena *other, enum qpucc_stage stage);
void ir_shader_destroy(struct ir_shader *shader);
/* deep, in an arena beside; ids kept; NULL: no memory */
struct ir_shader *ir_shader_clone(const struct ir_shader *shader);
/* The same in an arena beside `other`: the shader may be one that threads share, which this only reads. */
struct ir_shader *ir_shader_clone_beside(const struct ir_shader *shader, struct ir_arena *other);

/* A shader before lower_stage in a few bytes an instruction (pack.c), for keeping. Values, blocks and slots
 * are numbered anew, so that shaders of the same text come back as the same. From that allocator (NULL: the
 * C library's); NULL: no memory. */
struct ir_packed;
struct ir_packed *ir_pack(const struct ir_shader *shader, const struct qpucc_allocator *from);
/* Another user of it, who frees it, too. NULL is allowed, here and there. */
struct ir_packed *ir_packed_share(struct ir_packed *packed);
void ir_packed_free(struct ir_packed *packed);
size_t ir_packed_bytes(const struct ir_packed *packed); /* NULL: 0 */
bool ir_packed_equal(const struct ir_packed *a, const struct ir_packed *b);
/* In an arena beside that one, analyses not filled; any number of threads may read the same one. NULL: no
 * memory. */
struct ir_shader *ir_unpack(const struct ir_packed *packed, struct ir_arena *beside);

/* The same for shaders that give the same code: they differ in ids and source places only. 0: no memory. */
uint64_t ir_fingerprint(const struct ir_shader *shader);

uint32_t ir_add_file(struct ir_shader *shader, const char *name);
/* zeroed but name, array_len 1, location -1; word = table->words, caller adds to words */
struct ir_symbol *ir_add_symbol(struct ir_shader *shader, struct ir_symtab *table, const char *name);
/* entries lie in the order of their words: the first that ends after `word`, table->count if none does */
uint32_t ir_symbol_at(const struct ir_symtab *table, uint32_t word);
const struct ir_symbol *ir_symbol_of_word(const struct ir_symtab *table, uint32_t word);
uint32_t ir_symbol_words(const struct ir_symbol *symbol); /* rows * cols * array_len; samplers: array_len */
uint32_t ir_add_var(struct ir_shader *shader, const char *name, enum ir_type type, uint32_t words);

/* --- labels: the source's names of values, which nothing but explanations depends on -------------------- */

/* The first of `count` new labels; 0 when there are no more numbers. */
uint16_t ir_add_labels(struct ir_shader *shader, const char *text, uint32_t words, uint8_t rows,
                       uint8_t cols);
/* "color.x", "ring[2].at.y", "m[1].z"; empty for 0. Returns the length it needs. */
size_t ir_label_text(const struct ir_shader *shader, uint32_t label, char *out, size_t size);
/* The labels that one is among, NULL for 0. */
struct ir_labels *ir_labels_of(const struct ir_shader *shader, uint32_t label);
/* Names a value that has no name yet. Constants and uniforms are everybody's and get none. */
static inline void ir_label(struct ir_inst *value, uint32_t label) {
    if (label && !value->label && ir_ops[value->op].cls != IR_CLASS_LEAF)
        value->label = (uint16_t)label;
}

/* Interned: the same contents give the same index. */
uint32_t ir_slot(struct ir_shader *shader, struct ir_slot slot);
uint32_t ir_slot_const(struct ir_shader *shader, enum ir_type type, uint32_t bits);
/* A truth value as a word of ones or none, ineg(b2i(truth)): a boolean UNIFORM may have such a slot. The
 * truth's slot, or UINT32_MAX. */
uint32_t ir_slot_mask_of(const struct ir_shader *shader, uint32_t slot);

/* --- names ---------------------------------------------------------------------------------------------- */

/* Numbers by name; {0} is an empty table. Texts are not copied. */
struct ir_names {
    struct ir_name {
        const char *text;
        uint32_t number;
    } * entry;
    uint32_t size, count;
};

/* The name's number: `number` if it is new, otherwise that of the first time. */
uint32_t ir_names_add(struct ir_names *names, struct ir_arena *arena, const char *text, uint32_t number);
uint32_t ir_names_find(const struct ir_names *names, const char *text); /* UINT32_MAX: there is none */

/* --- building ------------------------------------------------------------------------------------------- */

struct ir_block *ir_block_create(struct ir_shader *shader); /* appended to blocks */

/* A cursor: where the next instruction goes and what it inherits. */
struct ir_builder {
    struct ir_shader *shader;
    struct ir_block *block;
    struct ir_inst *before; /* insert before this one; NULL: at the end of block */
    struct ir_loc loc;
    uint8_t precision;
    bool exact;
};
static inline struct ir_builder ir_builder_at_end(struct ir_block *block) {
    return (struct ir_builder){.shader = block->shader, .block = block};
}
/* Inherits loc, precision and exact from inst. */
static inline struct ir_builder ir_builder_before(struct ir_inst *inst) {
    return (struct ir_builder){inst->block->shader, inst->block,     inst,
                               inst->loc,           inst->precision, inst->exact};
}

struct ir_inst *ir_emit(struct ir_builder *b, enum ir_op op, enum ir_type type, uint32_t nsrc,
                        struct ir_inst *const *src, uint32_t imm, uint32_t aux);
/* Result type from ops.def (for '*' results: the type of the first '*' source). */
/* Of a call's arguments at most one may build: C evaluates them in any order, and the code would depend on
 * the compiler that built this one (tools/hosts.sh; hosts_recorded in the tests). */
struct ir_inst *ir_op1(struct ir_builder *b, enum ir_op op, struct ir_inst *x);
struct ir_inst *ir_op2(struct ir_builder *b, enum ir_op op, struct ir_inst *x, struct ir_inst *y);
struct ir_inst *ir_op3(struct ir_builder *b, enum ir_op op, struct ir_inst *x, struct ir_inst *y,
                       struct ir_inst *z);
struct ir_inst *ir_const_f(struct ir_builder *b, float value);
struct ir_inst *ir_const_i(struct ir_builder *b, uint32_t value);
struct ir_inst *ir_const_b(struct ir_builder *b, bool value);
struct ir_inst *ir_const(struct ir_builder *b, enum ir_type type, uint32_t bits);
struct ir_inst *ir_uniform(struct ir_builder *b, enum ir_type type, uint32_t slot);
struct ir_inst *ir_phi(struct ir_builder *b, enum ir_type type); /* empty, at the block's head */
void ir_phi_add(struct ir_inst *phi, struct ir_block *pred, struct ir_inst *value);
void ir_jump(struct ir_builder *b, struct ir_block *to);
void ir_branch(struct ir_builder *b, struct ir_inst *cond, struct ir_block *then, struct ir_block *otherwise);
void ir_end(struct ir_builder *b);

/* --- changing ------------------------------------------------------------------------------------------- */

static inline bool ir_has(const struct ir_shader *shader, enum ir_op op) {
    return shader->nops[op] != 0;
}
/* Another operation in the same place; counted if it is linked. */
static inline void ir_become(struct ir_inst *inst, enum ir_op op) {
    if (inst->block) {
        inst->block->shader->nops[inst->op]--;
        inst->block->shader->nops[op]++;
    }
    inst->op = (uint16_t)op;
}
void ir_remove(struct ir_inst *inst);                             /* unlink; its memory stays */
void ir_move_before(struct ir_inst *inst, struct ir_inst *where); /* may cross blocks */
/* All that `from` has up to `last`, in constant time; where NULL: at the end of `block`, which is where's.
 * Their own `block` is true of the last one only: ir_resolve is due. */
void ir_move_all_before(struct ir_block *from, struct ir_inst *last, struct ir_inst *where,
                        struct ir_block *block);
void ir_move_to_end(struct ir_inst *inst, struct ir_block *block); /* before the terminator, if any */
/* Marks `old` as replaced and unlinks it; ir_resolve then rewrites every source in one sweep (chains
 * followed). Sources read between the two must go through ir_value. */
void ir_replace(struct ir_inst *old, struct ir_inst *by);
struct ir_inst *ir_last_forward(struct ir_inst *inst);
static inline struct ir_inst *ir_value(struct ir_inst *inst) {
    return inst && inst->forward ? ir_last_forward(inst) : inst;
}
void ir_resolve(struct ir_shader *shader); /* also gives every instruction its block */
/* The same for one instruction's sources. A pass that goes through a shader of one block has done what
 * ir_resolve does if it does this to each instruction. */
static inline void ir_resolve_sources(struct ir_inst *inst) {
    for (uint32_t k = 0; k < inst->nsrc; k++)
        if (inst->src[k]->forward)
            inst->src[k] = ir_last_forward(inst->src[k]);
}
/* drops the phis' sources for pred */
void ir_block_remove_pred(struct ir_block *block, struct ir_block *pred);

/* --- analyses: call again after changing the CFG -------------------------------------------------------- */

void ir_cfg_update(struct ir_shader *shader); /* drops unreachable blocks, orders, numbers, fills pred */
void ir_dominators(struct ir_shader *shader); /* needs ir_cfg_update; fills idom */
bool ir_dominates(const struct ir_block *a, const struct ir_block *b);
/* Numbers for a tree of n, in which all that is below something has one of `first` to `last` of that, itself
 * included. up: by node the one above it, which comes before it; UINT32_MAX: the root. */
struct ir_below {
    uint32_t first, last, size;
};
void ir_number_tree(const uint32_t *up, uint32_t n, struct ir_below *below);
void ir_loops(struct ir_shader *shader); /* needs ir_dominators; fills loop_depth and loop_header */
/* Is it no operation: a word of the uniform stream, or no value at all? */
static inline bool ir_is_free(const struct ir_inst *inst) {
    return ir_ops[inst->op].cls == IR_CLASS_LEAF;
}
/* Sources of a TEX before its bias or level. */
static inline uint32_t ir_tex_coordinates(const struct ir_inst *tex) {
    return (tex->aux & IR_TEX_KIND) == IR_TEX_CUBE || tex->aux & IR_TEX_BORDER ? 3 : 2;
}
/* Does its first source come as a float, which an unpack can ride along with? */
static inline bool ir_takes_floats(const struct ir_inst *inst) {
    return ir_ops[inst->op].sources[0] == 'f';
}
/* The value whose bits these are, whatever their type is said to be. */
static inline const struct ir_inst *ir_through_bits(const struct ir_inst *inst) {
    while (ir_ops[inst->op].cls == IR_CLASS_MOVE)
        inst = inst->src[0];
    return inst;
}
/* Does the block belong to the loop of that header, or to a loop inside it? By what ir_loops found. */
bool ir_in_loop(const struct ir_block *block, const struct ir_block *header);
/* use_count[id] = number of uses; array of shader->next_id, in the arena. */
uint32_t *ir_count_uses(const struct ir_shader *shader);
/* In the arena: check that for memory before use. Made when they are not known, as after ir_resolve or
 * ir_forget_facts, which is due after any other change. */
const struct ir_facts *ir_facts(struct ir_shader *shader);
void ir_forget_facts(struct ir_shader *shader);
/* Gives instructions dense ids in program order; returns the count. */
uint32_t ir_renumber(struct ir_shader *shader);

/* --- checking and text ---------------------------------------------------------------------------------- */

/* Structure, types, SSA dominance, phi/pred agreement, immediates in range. False: the first fault as text.
 * */
bool ir_verify(struct ir_shader *shader, char *error, size_t size);
/* The slots alone, by the tables of uniforms and samplers. */
bool ir_verify_slots(struct ir_shader *shader, char *error, size_t size);
/* The whole as text, a block of ir/heap.h from the shader's allocator; NULL: no memory. */
char *ir_print_text(const struct ir_shader *shader);
char *ir_print_to_string(const struct ir_shader *shader); /* the same, malloc'ed */
void ir_print(const struct ir_shader *shader, FILE *out);
/* NULL on error, with "line N: text" in error. print(parse(print(x))) == print(x). */
/* The result has passed ir_verify; blocks and values keep the text's order and numbers, analyses are not
 * filled. */
struct ir_shader *ir_parse(const char *text, size_t length, char *error, size_t size);
/* The same with memory of that allocator. */
struct ir_shader *ir_parse_in(const struct qpucc_allocator *from, const char *text, size_t length,
                              char *error, size_t size);
const char *ir_type_name(enum ir_type type); /* "f32" */

/* True if the value is the same in all lanes whatever the inputs are: constants, uniforms, pure functions of
 * those. */
static inline bool ir_is_const(const struct ir_inst *inst) {
    return inst->op == IR_CONST;
}
float ir_float(const struct ir_inst *constant);

#define ir_for_blocks(shader, b)                                                                             \
    for (uint32_t b##_i = 0; b##_i < (shader)->nblocks; b##_i++)                                             \
        for (struct ir_block *b = (shader)->blocks[b##_i]; b; b = NULL)
#define ir_for_insts(block, i)                                                                               \
    for (struct ir_inst *i = (block)->first, *i##_next; i && (i##_next = i->next, 1); i = i##_next)

#endif
