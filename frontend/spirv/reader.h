/* What the files of frontend/spirv/ share: the module as tables, and the state of one translation.
 *
 * A SPIR-V id that is a value maps to an array of scalar IR values: its words in the order GL flattens them
 * (members in order, array elements in order, matrices column by column). Memory is cut the other way, by
 * leaf: a leaf is a basic type (scalar, vector, matrix, sampler) with all the arrays around it, so that each
 * leaf has one scalar type. A pointer is then a leaf range and one element number, half constant and half
 * run-time (struct fe_pointer). */
#ifndef QPUCC_FRONTEND_SPIRV_READER_H
#define QPUCC_FRONTEND_SPIRV_READER_H

#include "frontend/spirv/spirv.h"
#include "ir/ir.h"

#include <spirv/unified1/GLSL.std.450.h>
#include <spirv/unified1/spirv.h>

/* Bounds on what an untrusted module may make of us, beside the limits of the options (qpucc/limit.h). The
 * largest program the hardware could hold is far smaller. */
enum {
    FE_MAX_TYPE_DEPTH = 64,
    FE_MAX_CALL_DEPTH = 256,
    FE_MAX_FUNCTIONS = 2048,
    FE_MAX_CONSTRUCTS =
        40000000, /* in a function: merges * blocks * nesting, which the validator's time goes by */
    FE_MAX_DECORATIONS = 20000000, /* decorations * module-level variables, likewise */
    FE_MAX_STEPS = 1 << 20,        /* SPIR-V instructions translated, inlined ones counted each time */
    FE_MAX_VALUE_WORDS = 4 << 20,
    FE_MAX_VAR_WORDS = 1 << 18,
    FE_MAX_SYMBOLS = 8192,
    FE_MAX_SAMPLERS = 16, /* the most that a run-time index chooses among */
};

enum fe_kind {
    FE_VOID,
    FE_BOOL,
    FE_INT,
    FE_UINT,
    FE_FLOAT,
    FE_VECTOR,
    FE_MATRIX,
    FE_ARRAY,
    FE_STRUCT,
    FE_POINTER,
    FE_SAMPLED_IMAGE,
    FE_IMAGE,
    FE_SAMPLER,
    FE_FUNCTION,
    FE_OTHER
};

struct fe_deco {
    bool relaxed, invariant, no_contraction, flat, no_perspective, centroid, block, buffer_block, row_major;
    int32_t location, builtin, binding;           /* -1: none */
    uint32_t index;                               /* of a colour: 1 is the second one that blending may use */
    uint32_t component;                           /* of its location, at which it begins */
    uint32_t offset, array_stride, matrix_stride; /* of what lies in a block, in bytes */
};

struct fe_type {
    uint8_t kind; /* enum fe_kind */
    uint8_t depth;
    uint8_t scalar; /* enum ir_type of the words of a basic type or array of it */
    bool shadow;    /* image: depth comparison */
    bool samples;   /* image: multisample */
    uint32_t id;
    uint32_t count; /* components, columns, elements, members or parameters */
    uint32_t words, leaves;
    const struct fe_type *elem; /* component, column, element, pointee, image; return type of a function */
    const struct fe_type **member;
    uint32_t *member_word, *member_leaf; /* first word in a value, first leaf in memory */
    struct fe_deco *member_deco;
    const char **member_name;
    uint32_t storage; /* pointer */
    uint32_t dim;     /* image */
    /* not NULL: cannot be used, and this is what it is; "more than ..." is a limit that it meets */
    const char *why;
};

enum fe_leaf_kind {
    FE_LEAF_VAR,
    FE_LEAF_INPUT,
    FE_LEAF_UNIFORM,
    FE_LEAF_BUILTIN,
    FE_LEAF_SAMPLER,
    FE_LEAF_BUFFER
};

struct fe_leaf {
    uint8_t kind;      /* enum fe_leaf_kind */
    uint8_t type;      /* enum ir_type */
    uint8_t precision; /* enum ir_precision */
    bool stored, invariant;
    uint32_t words;
    uint32_t base;   /* variable number, or first word in the table; BUFFER: sampler's number */
    uint16_t label;  /* of its first word, or 0 */
    int32_t builtin; /* SpvBuiltIn or -1 */
    uint32_t state;  /* UNIFORM: 1 + enum ir_state of the first word when the driver fills it, 0 otherwise */
};

/* A variable: leaves in the order of the type's tree. */
struct fe_object {
    const struct fe_type *type;
    uint32_t id, storage;
    uint32_t nleaves;
    struct fe_leaf *leaf;
    bool output;
    const char *why; /* not NULL: may be declared, may not be used, and this is what it is */
};

/* Built-ins that SPIR-V has no number for. */
enum { FE_BUILTIN_NONE = -1, FE_BUILTIN_LAST_FRAG_DATA = -2 };

/* In a block that lies in a buffer: bytes, and what its decorations say of the matrix that is near. */
struct fe_place {
    uint32_t buffer, offset; /* the buffer: an element of an array of blocks */
    struct ir_inst *run;     /* to be added to the offset, or NULL */
    uint32_t matrix_stride, component_stride;
    bool row_major;
};

/* leaf..leaf+type->leaves of the object; in each, element number fixed + run of things as large as `type`'s
 * part. */
struct fe_pointer {
    struct fe_object *object;
    const struct fe_type *type;
    uint32_t leaf, fixed;
    struct ir_inst *run; /* NULL: no run-time part */
    uint32_t each;       /* with one: elements of the pointee's kind for which its last index moves by one */
    struct fe_place place; /* of leaves of kind BUFFER, instead of `fixed` and what follows it */
};

struct fe_function;

struct fe_member {
    struct fe_member *next;  /* of the same type */
    struct fe_member *chain; /* in the hash table */
    uint32_t id, index;
    const char *name;
    struct fe_deco deco;
};

struct fe_id {
    uint16_t op;
    uint32_t offset;            /* of the defining instruction in the module */
    const struct fe_type *type; /* of the value; for a type: itself */
    const char *name;
    struct fe_deco *deco;
    struct fe_member *members;
    struct ir_inst **word; /* type->words of them, once translated */
    struct fe_pointer *pointer;
    struct ir_block *where; /* constants: block that `word` stands in; labels: IR block of this instance */
    struct fe_function *function;
    uint32_t value; /* constants: if it is known without translation */
    bool known;
    uint32_t block;                   /* labels: index in the function; strings: file number + 1 once used */
    uint32_t phi_value;               /* labels, while a phi is completed */
    uint32_t ends;                    /* labels to come: selections and loops that merge there */
    uint32_t first_sampler, samplers; /* a loaded sampler is one of these, by a run-time index */
};

struct fe_inst {
    uint16_t op, count;    /* count: words */
    uint32_t type, result; /* ids or 0 */
    uint32_t offset;
    struct ir_loc loc;
};

struct fe_edge {
    struct fe_edge *next;
    uint32_t from; /* label id */
    struct ir_block *pred;
};

struct fe_block {
    uint32_t label, first, end; /* instructions after the label, terminator included */
    bool reachable;
    uint32_t preds, pred;  /* reachable edges into this block, where the last of them comes from */
    struct fe_edge *edges; /* into this block, this instance */
};

struct fe_function {
    uint32_t id, ninsts, cap_insts, nblocks, cap_blocks, nparams, cap_params;
    const struct fe_type *result;
    struct fe_inst *inst;
    struct fe_block *block;
    uint32_t *param;
    struct ir_loc loc;
    bool scanned, active;
    uint32_t merges, nesting, deepest; /* of selections and loops, while it is parsed */
    uint32_t steps, instances;         /* SPIR-V instructions translated, and instances they are in */
};

struct fe_reader {
    const struct fe_spirv_options *options;
    struct fe_member **member_bucket; /* members with annotations, by type and index */
    uint32_t member_buckets, members; /* a power of two; how many they are */
    struct ir_names side[2];          /* the side table's entries by name; 1: members of structures */
    uint32_t side_read;               /* entries that are in them */
    const uint32_t *words;
    size_t count;
    struct ir_arena *arena; /* dies with the reading */
    struct ir_shader *shader;
    struct ir_builder b;

    uint32_t bound;
    struct fe_id *id;
    uint32_t entry, model;
    bool entry_found;
    uint32_t glsl_set; /* id of the GLSL.std.450 import */
    bool upper_left, pixel_center_integer;
    bool desktop; /* the source's language, as the module says: desktop GLSL */
    uint32_t nfunctions;
    bool loops; /* some function has one */
    uint32_t decorations;
    struct fe_function *current; /* being parsed */
    struct fe_object **objects;  /* module-level variables in order */
    uint32_t nobjects, cap_objects;
    uint32_t *globals; /* ids of module-level variables */
    uint32_t nglobals, cap_globals;
    uint32_t parse_at; /* word offset of the next instruction */
    struct ir_loc loc; /* OpLine in effect while parsing */

    uint32_t steps, call_depth;
    size_t value_words, var_words;
    uint32_t discard_var; /* + 1; 0: none yet */
    struct ir_block *end_block;
    bool end_used;

    bool failed;
    const char *code;
    struct ir_loc fail_loc;
    char message[400];
};

/* --- failing (spirv.c) ---------------------------------------------------------------------------------- */

/* The first failure counts. Always false, so that a caller may return it. */
bool fe_fail(struct fe_reader *r, const char *code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
bool fe_unsupported(struct fe_reader *r, const char *what);
bool fe_malformed(struct fe_reader *r);
/* Counts an instruction translated; false: a limit is met. */
bool fe_step(struct fe_reader *r);
/* A limit that was met while functions were expanded: names the largest. */
bool fe_too_large(struct fe_reader *r);
void *fe_grow(struct fe_reader *r, void *array, uint32_t count, uint32_t *capacity, size_t element);
/* Display name of an id: the user's own, if known. */
const char *fe_name(struct fe_reader *r, uint32_t id);

/* --- the module (module.c, types.c) --------------------------------------------------------------------- */

bool fe_validate(struct fe_reader *r); /* by SPIRV-Tools */
bool fe_parse_module(struct fe_reader *r);
const char *fe_opcode_name(uint32_t op); /* without the "Op" */
static inline bool fe_is_type(uint32_t op) {
    return (op >= SpvOpTypeVoid && op <= SpvOpTypeForwardPointer) || op == SpvOpTypePipeStorage ||
           op == SpvOpTypeNamedBarrier;
}
bool fe_make_type(struct fe_reader *r, const struct fe_inst *inst);
/* NULL and failed when the id is no type, or one that cannot be used. */
const struct fe_type *fe_type(struct fe_reader *r, uint32_t id);
const struct fe_deco *fe_deco(struct fe_reader *r, uint32_t id); /* never NULL */
/* A constant that is declared: whole numbers and truths are known from here on (constant.c). */
void fe_fold_constant(struct fe_reader *r, const struct fe_inst *inst);
/* Value of an integer constant known without translation. */
bool fe_constant_u32(struct fe_reader *r, uint32_t id, uint32_t *value);
bool fe_is_constant_op(uint32_t op);
/* A NUL-terminated string inside the instruction from word `at`; "" if broken. */
const char *fe_string(struct fe_reader *r, const struct fe_inst *inst, uint32_t at);
static inline const uint32_t *fe_operands(const struct fe_reader *r, const struct fe_inst *inst) {
    return r->words + inst->offset;
}

/* --- values (values.c) ---------------------------------------------------------------------------------- */

struct ir_inst **fe_words(struct fe_reader *r, uint32_t count);
/* The words of a value id, constants made on the spot; NULL and failed on anything else. */
struct ir_inst **fe_value(struct fe_reader *r, uint32_t id);
/* The same, and it must have `count` words. */
struct ir_inst **fe_value_n(struct fe_reader *r, uint32_t id, uint32_t count);
const struct fe_type *fe_value_type(struct fe_reader *r, uint32_t id);
void fe_set(struct fe_reader *r, uint32_t id, const struct fe_type *type, struct ir_inst **word);
/* Undefined words of a type. */
struct ir_inst **fe_undef(struct fe_reader *r, const struct fe_type *type);
enum ir_type fe_word_type(const struct fe_type *type, uint32_t word);
/* The value as one of type `wanted`, IR_VOID being any: the value itself, or a boolean that glslang has left
 * in the other of its two forms. NULL and failed if it is neither. */
struct ir_inst *fe_as(struct fe_reader *r, struct ir_inst *value, enum ir_type wanted);
struct ir_inst *fe_select_index(struct fe_reader *r, struct ir_inst *const *word, uint32_t count,
                                struct ir_inst *index);

/* --- the interface tables (symbols.c) ------------------------------------------------------------------- */

/* What a variable's declaration hands down to its leaves. */
struct fe_inherited {
    uint8_t precision, interp;
    bool invariant, boolean, by_location, centroid;
    const char *block;              /* uniforms: NULL outside of blocks, */
    uint32_t offset, matrix_stride; /* in there */
    bool row_major;
    const char *type_name; /* as the source has it, or NULL */
    int32_t location, builtin;
    struct ir_loc loc;
};

/* By the variable of that id, by a member, and by decorations alone. */
struct fe_inherited fe_root_inherited(struct fe_reader *r, uint32_t id);
struct fe_inherited fe_inherit_member(struct fe_reader *r, struct fe_inherited from,
                                      const struct fe_type *type, uint32_t member);
void fe_inherit_deco(struct fe_reader *r, struct fe_inherited *to, const struct fe_deco *deco);
/* One entry: of `type`, or of `array`, whose elements are of that type, unless it is NULL. */
bool fe_add_symbol(struct fe_reader *r, struct ir_symtab *table, const char *name, const struct fe_type *type,
                   const struct fe_type *array, const struct fe_inherited *from);
/* The entries of leaf `leaf` of `type`, in memory order. `name` is what leads there; it may grow in place. */
bool fe_add_leaf_symbols(struct fe_reader *r, struct ir_symtab *table, char *name, size_t size,
                         const struct fe_type *type, uint32_t leaf, struct fe_inherited from);
/* The member of a structure that holds the leaf. */
uint32_t fe_member_of_leaf(const struct fe_type *type, uint32_t leaf);
/* The word of an integer by that name in the table: what the driver supplies since no hardware counts it. */
uint32_t fe_driver_value(struct fe_reader *r, struct ir_symtab *table, const char *name);
/* Is it a block of the user's, or an array of such? And its name, or NULL. */
bool fe_is_block(struct fe_reader *r, const struct fe_type *type);
const char *fe_block_name(struct fe_reader *r, const struct fe_type *type);
bool fe_is_default_block(const struct fe_reader *r, const struct fe_type *type);
/* How GL names what is inside: a block by the block's name if it has an instance name, by nothing if not. */
void fe_root_name(struct fe_reader *r, uint32_t id, const struct fe_type *type, char *name, size_t size);
/* Marks entries that are used: those of an input's leaf, and all that the code which is left uses. */
void fe_use_input(struct fe_reader *r, const struct fe_leaf *leaf);
void fe_mark_used(struct fe_reader *r);

/* --- memory (memory.c, interface.c) --------------------------------------------------------------------- */

bool fe_interface(struct fe_reader *r);      /* objects and symbols of the module's variables */
bool fe_globals_init(struct fe_reader *r);   /* initializers, at the cursor */
bool fe_finish_outputs(struct fe_reader *r); /* OUTPUTs at the cursor, the end of the shader */
/* Gives the object's leaves labels, if they are asked for. */
void fe_label(struct fe_reader *r, struct fe_object *object, const char *name);
struct fe_object *fe_new_local(struct fe_reader *r, const struct fe_type *type, uint32_t id,
                               const char *name);
struct fe_pointer *fe_pointer_to(struct fe_reader *r, struct fe_object *object);
struct fe_pointer *fe_get_pointer(struct fe_reader *r, uint32_t id);
struct ir_inst **fe_load(struct fe_reader *r, const struct fe_pointer *pointer);
bool fe_store(struct fe_reader *r, const struct fe_pointer *pointer, struct ir_inst *const *word);
bool fe_access_chain(struct fe_reader *r, const struct fe_inst *inst);

/* --- blocks in buffers (buffers.c) */

/* One entry among the samplers, whose number the buffer has, or an array of them; the leaves are BUFFER's. */
bool fe_buffer_symbol(struct fe_reader *r, struct fe_object *object, struct ir_loc loc);
/* One index of a chain: `index` is its value when `run` is NULL. */
bool fe_buffer_step(struct fe_reader *r, struct fe_pointer *p, uint32_t index, struct ir_inst *run);
bool fe_buffer_load(struct fe_reader *r, const struct fe_pointer *pointer, struct ir_inst **out);

/* --- code (control.c, ops.c, matrix.c, ext.c, image.c) -------------------------------------------------- */

void fe_drop_unreachable(struct fe_reader *r);
bool fe_inline(struct fe_reader *r, struct fe_function *function, struct ir_inst ***result);
/* One instruction that is no control flow. `op`, `type` and `operands` may come from OpSpecConstantOp. */
struct fe_op {
    uint32_t op;
    const struct fe_type *type; /* result type or NULL */
    uint32_t result;
    const uint32_t *arg; /* operands after type and result */
    uint32_t nargs;
};
bool fe_translate(struct fe_reader *r, const struct fe_inst *inst);
/* Arithmetic on values: the result's words, NULL and failed; *known false when it is none of these
 * operations. */
struct ir_inst **fe_arithmetic(struct fe_reader *r, const struct fe_op *op, bool *known);
struct ir_inst **fe_matrix_op(struct fe_reader *r, const struct fe_op *op);
struct ir_inst **fe_extended(struct fe_reader *r, const struct fe_op *op);
struct ir_inst **fe_image_op(struct fe_reader *r, const struct fe_op *op);
struct ir_inst *fe_dot(struct fe_reader *r, struct ir_inst *const *a, struct ir_inst *const *b,
                       uint32_t count);
struct ir_inst *fe_determinant(struct fe_reader *r, struct ir_inst *const *m, uint32_t n);
struct ir_inst **fe_inverse(struct fe_reader *r, struct ir_inst *const *m, uint32_t n);

#endif
