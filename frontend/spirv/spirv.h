/* SPIR-V to the IR: one entry point of a module becomes one shader, everything inlined and scalar.
 *
 * The module may come from frontend/glsl or from outside; from outside it is untrusted. Nothing here aborts,
 * leaks or loops without bound. Thread-safe, no state between calls. */
#ifndef QPUCC_FRONTEND_SPIRV_H
#define QPUCC_FRONTEND_SPIRV_H

#include "frontend/glsl/glsl.h"
#include "ir/ir.h"

struct fe_spirv_options {
    enum qpucc_stage stage; /* QPUCC_VERTEX or QPUCC_FRAGMENT */
    const char *entry;      /* entry point; NULL: "main" */
    const char *name;       /* of the module, for diagnostics without a file of their own; NULL: "shader" */
    bool trusted; /* from frontend/glsl: skip SPIRV-Tools' validator (0.1 to 0.4 ms), not our own checks */
    bool valid;   /* from outside, but its maker vouches for it: the same, unless we cannot read it */
    /* What SPIR-V cannot say: lowp, booleans among uniforms, invariant. From fe_stage_result; may be empty.
     */
    const struct fe_symbol *symbols;
    size_t symbol_count;
    bool ignore_locations;   /* Location decorations are the translator's, not the user's: symbols get -1 */
    struct ir_arena *beside; /* of the shader's arena; NULL: it stands alone */
    bool labels;             /* keep the source's names of values (struct ir_labels) */
    bool blocks_in_buffers;  /* QPUCC_BLOCKS_IN_BUFFERS */
    bool lower_left;         /* gl_FragCoord counts from the lower left whatever the execution mode says */
};

/* A value for the constants that are decorated with SpecId `id`: a number's bits, or 0 and anything else. */
struct fe_spec_constant {
    uint32_t id, bits;
};

/* Puts these values in the place of the module's defaults; the last one for an id counts. Constants of more
 * than 32 bits keep theirs. Returns how many of the list were known, up to the first one that is not. Words
 * that are no module stay as they are, as far as they make no sense. */
size_t fe_spirv_specialise(uint32_t *words, size_t count, const struct fe_spec_constant *list,
                           size_t constants);

struct fe_spirv_error {
    struct fe_diagnostic diagnostic; /* file and text point into this very structure */
    const char
        *code; /* "invalid": no valid SPIR-V; "unsupported": valid, but not for this compiler; "limit": too
                    large for it; "internal" */
    char file[256], text[512];
};

/* The shader, owned by the caller (ir_shader_destroy), or NULL with *error filled in. `error` may be NULL.
 *
 * What the shader looks like:
 * - Outputs are variables until the last block, which alone has OUTPUT instructions (only for words that some
 * code stores to), then DISCARD if any lane may be dropped, then END. There is exactly one END.
 * - Output symbols: "gl_Position", "gl_PointSize", "gl_FragColor", "gl_FragDepth" and varyings under their
 * own names.
 * - Memory order of the tables: for each basic type inside a structure, all its array elements follow one
 * another
 *   ("light[0].pos", "light[1].pos", "light[0].color", ...). INPUT with a run-time offset and UNIFORM_AT
 * reach over such a run of entries, so a merge of tables must keep the runs together and in order.
 * - Run-time indices of variables and inputs are clamped here; those of uniforms by UNIFORM_AT itself.
 * - OpKill sets a boolean variable "$discard". Inside a shader that has loops the lanes then leave for the
 * last block at once; otherwise `if (c) discard;` goes on as helper lanes do, which later is a select and no
 * branch.
 * - textureSize, texelFetch and textureGrad read the texture's set-up word 1 as a uniform (IR_SLOT_TEX, param
 * 1).
 * - gl_VertexID becomes an input and gl_InstanceID a uniform of these names.
 * - gl_DepthRange becomes IR_SLOT_STATE and no symbol; gl_LastFragData is LAST_FRAG_COLOR taken apart, byte 0
 * red.
 * - texelFetch of a multisample texture, and any load from a block in a buffer, is a BUFFER_AT.
 * - A run-time index into an array of samplers is a TEX of each and a selection: it folds when the index
 * turns out constant.
 * - Stores to gl_Position are not marked exact; NoContraction and invariant outputs are. */
struct ir_shader *fe_spirv_read(const uint32_t *words, size_t count, const struct fe_spirv_options *options,
                                struct fe_spirv_error *error);

#endif
