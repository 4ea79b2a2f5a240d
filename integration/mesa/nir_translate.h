/* What the files of the translation share: one entry point on its way from NIR to SPIR-V.
 *
 * NIR's values are bits. Each gets the kind that its producer makes, or that its users want where the
 * producer only moves it (nir_gather_ssa_types), and is cast where it is used otherwise. Those that are
 * mediump (nir_precision.c) are decorated with RelaxedPrecision. */
#ifndef NIR_TRANSLATE_H
#define NIR_TRANSLATE_H

#include "nir_spirv.h"
#include "spirv_words.h"

#include "compiler/nir/nir.h"

#include <spirv/unified1/GLSL.std.450.h>
#include <spirv/unified1/spirv.h>

enum { MAX_UNITS = 32, MAX_SLOTS = 64, MAX_BLOCKS = 16 };

struct value {
    uint32_t id;         /* 0: not yet */
    uint8_t kind;        /* enum spirv_kind */
    uint32_t cast;       /* the whole value as the other kind of number, */
    uint32_t cast_block; /* in the SPIR-V block of this label */
};

/* The SPIR-V blocks of a NIR block: where it begins and what it ends in. */
struct block {
    uint32_t first, last;
    bool emitted;
};

struct unit {
    uint32_t variable, type; /* the sampler and its OpTypeSampledImage */
    uint32_t image;          /* its OpTypeImage */
    enum glsl_sampler_dim dim;
    uint32_t dimension; /* SpvDim */
    bool shadow;
};

struct loop {
    uint32_t merge, next; /* where break and continue lead */
};

struct translation {
    struct spirv_module m;
    nir_shader *shader;
    nir_function_impl *impl;
    const struct nir_spirv_shadows *shadows; /* NULL: luminance */
    struct nir_spirv *out;
    bool fragment;
    const char *prefix; /* of the names: "vs" or "fs" */
    const char *why;    /* the first failure */

    struct value *value; /* by the SSA definition's index */
    uint8_t *precision;  /* by the same; nir_precision.c has its values */
    uint8_t input_precision[MAX_SLOTS];
    struct block *block;           /* by the NIR block's index */
    struct hash_table *phi_source; /* nir_phi_src to the id of its value */
    uint32_t label;                /* of the block that is being written */
    bool ended;                    /* it has its terminator */
    struct loop loop;              /* the innermost */
    struct hash_table *variable;   /* nir_variable to the id of its OpVariable */

    uint32_t interface[MAX_SLOTS * 2 + 16], interfaces;
    uint32_t uniforms, uniform_vectors;           /* XX_u */
    uint32_t block_variable[MAX_BLOCKS];          /* XX_b<n> */
    uint32_t input[MAX_SLOTS], output[MAX_SLOTS]; /* variables by slot or attribute */
    uint8_t input_size[MAX_SLOTS];                /* attributes: components */
    uint32_t texcoord[2];                         /* gl_TexCoord as input and output */
    uint32_t front_facing;
    uint32_t second_color;
    struct unit unit[MAX_UNITS];
    uint64_t flat, no_perspective, centroid, invariant; /* by slot */
    bool scaled_rectangles; /* they are ordinary textures, and their coordinates are multiplied already */
    bool writes_depth;
    bool kills, queries; /* the module has the capability */
};

/* The first reason counts. Returns an undefined value so that a caller can go on. */
uint32_t fail(struct translation *t, const char *why);

/* --- values (nir_value.c) */

uint32_t type_of(struct translation *t, enum spirv_kind kind, uint32_t count);
/* Components swizzle[0..count-1] of a value, as a kind. */
uint32_t use(struct translation *t, const nir_ssa_def *def, const uint8_t *swizzle, uint32_t count,
             enum spirv_kind kind);
/* All of a source. */
uint32_t use_src(struct translation *t, const nir_src *src, enum spirv_kind kind);
/* The value of `def` is `id`, of the kind that it natively has. */
void define(struct translation *t, const nir_ssa_def *def, uint32_t id, enum spirv_kind kind);
/* An instruction for `def`, whose precision it takes. */
uint32_t emit(struct translation *t, const nir_ssa_def *def, uint32_t op, uint32_t type, uint32_t count,
              const uint32_t *operand);
#define EMIT(t, def, op, type, ...)                                                                          \
    emit(t, def, op, type, sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t),                       \
         (const uint32_t[]){__VA_ARGS__})
uint32_t emit_ext(struct translation *t, const nir_ssa_def *def, uint32_t which, uint32_t type,
                  uint32_t count, const uint32_t *operand);
bool choose_kinds(struct translation *t);
/* Components of an instruction's result put together from scalars of a kind. */
uint32_t construct(struct translation *t, const nir_ssa_def *def, enum spirv_kind kind, uint32_t count,
                   const uint32_t *part);
uint32_t extract(struct translation *t, uint32_t id, enum spirv_kind kind, uint32_t component);

/* --- precision (nir_precision.c) */

void note_input_precision(struct translation *t); /* before nir_lower_io */
void gather_precision(struct translation *t);
bool is_relaxed(const struct translation *t, const nir_ssa_def *def);

/* --- what the shader is made to look like */

bool multiply_matrices(nir_function_impl *impl); /* nir_matrix.c; true: something changed */

/* --- instructions */

void translate_alu(struct translation *t, const nir_alu_instr *alu); /* nir_alu.c */
void translate_tex(struct translation *t, const nir_tex_instr *tex); /* nir_tex.c */
void translate_rectangle_scale(struct translation *t, const nir_intrinsic_instr *intr);
void translate_intrinsic(struct translation *t, const nir_intrinsic_instr *intr); /* nir_io.c */
void translate_deref(struct translation *t, nir_deref_instr *deref);

/* --- control flow (nir_flow.c) */

void translate_body(struct translation *t);
void start_block(struct translation *t, uint32_t label);
void branch_to(struct translation *t, uint32_t label);

/* --- interface (nir_io.c) */

void gather_interface(struct translation *t);         /* before nir_lower_io */
void gather_accesses(struct translation *t);          /* after it */
bool is_first_block(const nir_intrinsic_instr *intr); /* load_ubo of constant buffer 0 (nir_spirv.c) */
void declare_outputs(struct translation *t);          /* of a vertex shader, after the code */

#endif
