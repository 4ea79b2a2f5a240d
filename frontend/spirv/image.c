/* Textures. A sampler value is one integer word: its number in the sampler table, mostly a constant. A TEX
 * makes the raw texel word, four TEXELs take it apart; what is not needed falls away later.
 *
 * The hardware divides nothing and compares nothing: projective coordinates and shadow comparisons are code.
 */
#include "frontend/spirv/reader.h"

#include <string.h>

struct sample {
    const struct fe_type *image;
    struct ir_inst *number;   /* of the sampler */
    struct ir_inst *coord[4]; /* s, t, (r) and the bias or level */
    uint32_t ncoord, flags;
    struct ir_inst *reference;
};

static bool is_image_sample(uint32_t op, bool *implicit, bool *dref, bool *proj) {
    *implicit = op == SpvOpImageSampleImplicitLod || op == SpvOpImageSampleDrefImplicitLod ||
                op == SpvOpImageSampleProjImplicitLod || op == SpvOpImageSampleProjDrefImplicitLod;
    *dref = op == SpvOpImageSampleDrefImplicitLod || op == SpvOpImageSampleDrefExplicitLod ||
            op == SpvOpImageSampleProjDrefImplicitLod || op == SpvOpImageSampleProjDrefExplicitLod;
    *proj = op >= SpvOpImageSampleProjImplicitLod && op <= SpvOpImageSampleProjDrefExplicitLod;
    return op >= SpvOpImageSampleImplicitLod && op <= SpvOpImageSampleProjDrefExplicitLod;
}

/* --- sizes
 * ---------------------------------------------------------------------------------------------------- */

/* Width and height of the texture's first level, from set-up word 1 (guide section 4, table 16): 11 bits
 * each, 0 is 2048. */
static bool texture_size(struct fe_reader *r, const struct ir_inst *number, struct ir_inst **size) {
    static const uint32_t shift[2] = {8, 20};
    if (!ir_is_const(number) || number->imm >= r->shader->samplers.words)
        return fe_unsupported(r, "size of a texture that is chosen at run time");
    struct ir_slot slot = {.kind = IR_SLOT_TEX, .type = IR_I32, .value = number->imm, .param = 1};
    struct ir_inst *word = ir_uniform(&r->b, IR_I32, ir_slot(r->shader, slot));
    for (int k = 0; k < 2; k++) {
        struct ir_inst *field = ir_op2(&r->b, IR_USHR, word, ir_const_i(&r->b, shift[k]));
        struct ir_inst *less = ir_op2(&r->b, IR_ISUB, field, ir_const_i(&r->b, 1));
        less = ir_op2(&r->b, IR_IAND, less, ir_const_i(&r->b, 0x7ff));
        size[k] = ir_op2(&r->b, IR_IADD, less, ir_const_i(&r->b, 1));
    }
    return true;
}

static void size_of_level(struct fe_reader *r, struct ir_inst **size, struct ir_inst *level) {
    if (ir_is_const(level) && level->imm == 0)
        return;
    for (int k = 0; k < 2; k++)
        size[k] = ir_op2(&r->b, IR_IMAX, ir_op2(&r->b, IR_USHR, size[k], level), ir_const_i(&r->b, 1));
}

/* --- operands
 * --------------------------------------------------------------------------------------------------- */

static struct ir_inst *square(struct fe_reader *r, struct ir_inst *const *v, uint32_t n) {
    return fe_dot(r, v, v, n);
}

/* The level that derivatives ask for: log2 of the longer one in texels (ES 3.0 section 3.8.10). On a cube the
 * coordinates are directions: a face is as wide as twice the major axis. */
static bool level_of_gradients(struct fe_reader *r, struct sample *s, const uint32_t *ids) {
    uint32_t n = s->image->dim == SpvDimCube ? 3 : 2;
    struct ir_inst **d[2] = {fe_value_n(r, ids[0], n), fe_value_n(r, ids[1], n)}, *size[2], *length[2],
                   *texels[3];
    if (!d[0] || !d[1] || !texture_size(r, s->number, size))
        return false;
    for (int k = 0; k < 2; k++)
        size[k] = ir_op1(&r->b, IR_I2F, size[k]);
    for (int k = 0; k < 2; k++) {
        for (uint32_t c = 0; c < n; c++) {
            if (d[k][c]->type != IR_F32)
                return fe_malformed(r);
            texels[c] = ir_op2(&r->b, IR_FMUL, d[k][c], size[n == 2 ? c : 0]);
        }
        length[k] = square(r, texels, n);
    }
    struct ir_inst *longer = ir_op2(&r->b, IR_FMAX, length[0], length[1]);
    struct ir_inst *level = ir_op2(&r->b, IR_FMUL, ir_op1(&r->b, IR_FLOG2, longer), ir_const_f(&r->b, 0.5f));
    if (n == 3) {
        struct ir_inst *axis =
            ir_op2(&r->b, IR_FMAXABS, ir_op2(&r->b, IR_FMAXABS, s->coord[0], s->coord[1]), s->coord[2]);
        struct ir_inst *wide = ir_op1(&r->b, IR_FLOG2, ir_op2(&r->b, IR_FADD, axis, axis));
        level = ir_op2(&r->b, IR_FSUB, level, wide);
    }
    s->coord[s->ncoord++] = level;
    s->flags |= IR_TEX_LOD;
    return true;
}

/* Bias, level or derivatives; whatever else may stand there is refused by name. */
static bool image_operands(struct fe_reader *r, struct sample *s, const uint32_t *arg, uint32_t count,
                           bool implicit) {
    uint32_t mask = count ? arg[0] : 0;
    if (mask == 0)
        return implicit || fe_malformed(r);
    if (mask &
        (SpvImageOperandsConstOffsetMask | SpvImageOperandsOffsetMask | SpvImageOperandsConstOffsetsMask))
        return fe_unsupported(r, "texture lookup with a texel offset");
    if (mask == SpvImageOperandsGradMask && !implicit && count >= 3)
        return level_of_gradients(r, s, arg + 1);
    if (mask != SpvImageOperandsBiasMask && mask != SpvImageOperandsLodMask)
        return fe_unsupported(r, "this form of texture lookup");
    if (count < 2 || (mask == SpvImageOperandsBiasMask) != implicit)
        return fe_malformed(r);
    struct ir_inst **value = fe_value_n(r, arg[1], 1);
    if (!value)
        return false;
    if (value[0]->type != IR_F32)
        return fe_malformed(r);
    s->coord[s->ncoord++] = value[0];
    s->flags |= mask == SpvImageOperandsBiasMask ? IR_TEX_BIAS : IR_TEX_LOD;
    return true;
}

static bool coordinates(struct fe_reader *r, struct sample *s, uint32_t id, bool proj) {
    const struct fe_type *type = fe_value_type(r, id);
    struct ir_inst **word = type ? fe_value(r, id) : NULL;
    uint32_t want = s->image->dim == SpvDimCube ? 3 : 2;
    if (!word)
        return false;
    if (type->scalar != IR_F32 || type->kind > FE_VECTOR || type->words < want + proj)
        return fe_malformed(r);
    memcpy(s->coord, word, want * sizeof *word);
    s->ncoord = want;
    if (proj) {
        /* q is the last component that the dimension leaves. */
        struct ir_inst *by = ir_op1(&r->b, IR_FRCP, word[want]);
        for (uint32_t k = 0; k < want; k++)
            s->coord[k] = ir_op2(&r->b, IR_FMUL, s->coord[k], by);
        if (s->reference)
            s->reference = ir_op2(&r->b, IR_FMUL, s->reference, by);
    }
    return true;
}

static void texel(struct fe_reader *r, const struct sample *s, uint32_t number, uint32_t channels,
                  struct ir_inst **out) {
    struct ir_inst *raw = ir_emit(&r->b, IR_TEX, IR_I32, s->ncoord, s->coord, number, s->flags);
    for (uint32_t k = 0; k < channels; k++)
        out[k] = ir_emit(&r->b, IR_TEXEL, IR_F32, 1, &raw, k, 0);
}

/* The samplers a run-time number may mean: all of this kind. Returns how many; at most FE_MAX_SAMPLERS are
 * wanted. */
static uint32_t candidates(const struct fe_reader *r, const struct fe_id *sampler,
                           const struct fe_type *image, uint32_t *number) {
    const struct ir_symtab *table = &r->shader->samplers;
    uint32_t found = 0;
    for (uint32_t k = 0; k < table->count; k++) {
        const struct ir_symbol *symbol = &table->sym[k];
        if (symbol->base != (image->dim == SpvDimCube ? IR_BASE_SAMPLERCUBE : IR_BASE_SAMPLER2D))
            continue;
        for (uint32_t n = 0; n < symbol->array_len; n++) {
            if (sampler->samplers && symbol->word + n - sampler->first_sampler >= sampler->samplers)
                continue;
            if (found == FE_MAX_SAMPLERS)
                return found + 1;
            number[found++] = symbol->word + n;
        }
    }
    return found;
}

static struct ir_inst **sample(struct fe_reader *r, const struct fe_op *op, bool implicit, bool dref,
                               bool proj) {
    struct sample s = {0};
    uint32_t fixed = dref ? 3 : 2, channels = op->type->words;
    if (op->nargs < fixed)
        return fe_malformed(r), NULL;
    const struct fe_type *type = fe_value_type(r, op->arg[0]);
    struct ir_inst **sampler = type ? fe_value_n(r, op->arg[0], 1) : NULL;
    if (!sampler)
        return NULL;
    if (type->kind != FE_SAMPLED_IMAGE || channels > 4 || (dref && channels != 1) ||
        op->type->scalar != IR_F32 || op->type->kind > FE_VECTOR)
        return fe_malformed(r), NULL;
    s.image = type->elem;
    s.number = sampler[0];
    s.flags = s.image->dim == SpvDimCube ? IR_TEX_CUBE : IR_TEX_2D;
    if (dref) {
        struct ir_inst **reference = fe_value_n(r, op->arg[2], 1);
        if (!reference || reference[0]->type != IR_F32)
            return r->failed ? NULL : (fe_malformed(r), NULL);
        s.reference = reference[0];
    }
    if (!coordinates(r, &s, op->arg[1], proj) ||
        !image_operands(r, &s, op->arg + fixed, op->nargs - fixed, implicit))
        return NULL;
    struct ir_inst **out = fe_words(r, channels);
    if (r->failed)
        return NULL;
    if (ir_is_const(s.number)) {
        if (s.number->imm >= r->shader->samplers.words)
            return fe_malformed(r), NULL;
        texel(r, &s, s.number->imm, channels, out);
    } else {
        uint32_t number[FE_MAX_SAMPLERS], count = candidates(r, &r->id[op->arg[0]], s.image, number);
        if (!count || count > FE_MAX_SAMPLERS)
            return fe_fail(r, "unsupported", "run-time index into more than %d samplers", FE_MAX_SAMPLERS),
                   NULL;
        struct ir_inst *other[4];
        texel(r, &s, number[count - 1], channels, out);
        for (uint32_t n = count - 1; n-- > 0;) {
            texel(r, &s, number[n], channels, other);
            struct ir_inst *is = ir_op2(&r->b, IR_IEQ, s.number, ir_const_i(&r->b, number[n]));
            for (uint32_t k = 0; k < channels; k++)
                out[k] = ir_op3(&r->b, IR_SELECT, is, other[k], out[k]);
        }
    }
    if (dref) /* less or equal, GL's usual comparison */
        out[0] = ir_op1(&r->b, IR_B2F, ir_op2(&r->b, IR_FGE, out[0], s.reference));
    return out;
}

/* --- without a sampler
 * ------------------------------------------------------------------------------------------- */

static bool image_2d(struct fe_reader *r, uint32_t id, struct ir_inst **number, bool cube) {
    const struct fe_type *type = fe_value_type(r, id);
    struct ir_inst **word = type ? fe_value_n(r, id, 1) : NULL;
    if (!word)
        return false;
    if (type->kind != FE_IMAGE || (type->dim != SpvDim2D && !(cube && type->dim == SpvDimCube)))
        return fe_malformed(r);
    *number = word[0];
    return true;
}

/* texelFetch: the middle of the texel, by an ordinary lookup with an explicit level. */
static struct ir_inst **fetch(struct fe_reader *r, const struct fe_op *op) {
    struct sample s = {.flags = IR_TEX_2D | IR_TEX_LOD, .ncoord = 3};
    struct ir_inst *size[2], *level = ir_const_i(&r->b, 0);
    uint32_t mask = op->nargs > 2 ? op->arg[2] : 0, next = 3;
    if (op->nargs < 2 || op->type->words != 4 || op->type->scalar != IR_F32 ||
        !image_2d(r, op->arg[0], &s.number, false))
        return r->failed ? NULL : (fe_malformed(r), NULL);
    struct ir_inst **at = fe_value_n(r, op->arg[1], 2), *corner[2];
    if (!at)
        return NULL;
    if (mask & ~(uint32_t)(SpvImageOperandsLodMask | SpvImageOperandsConstOffsetMask))
        return fe_unsupported(r, "this form of texelFetch"), NULL;
    if (mask & SpvImageOperandsLodMask) {
        struct ir_inst **value = next < op->nargs ? fe_value_n(r, op->arg[next++], 1) : NULL;
        if (!value || value[0]->type != IR_I32)
            return r->failed ? NULL : (fe_malformed(r), NULL);
        level = value[0];
    }
    memcpy(corner, at, sizeof corner);
    if (mask & SpvImageOperandsConstOffsetMask) {
        struct ir_inst **offset = next < op->nargs ? fe_value_n(r, op->arg[next], 2) : NULL;
        if (!offset || offset[0]->type != IR_I32 || at[0]->type != IR_I32)
            return r->failed ? NULL : (fe_malformed(r), NULL);
        for (int k = 0; k < 2; k++)
            corner[k] = ir_op2(&r->b, IR_IADD, at[k], offset[k]);
    }
    if (corner[0]->type != IR_I32 || !texture_size(r, s.number, size))
        return r->failed ? NULL : (fe_malformed(r), NULL);
    size_of_level(r, size, level);
    for (int k = 0; k < 2; k++) {
        struct ir_inst *middle =
            ir_op2(&r->b, IR_FADD, ir_op1(&r->b, IR_I2F, corner[k]), ir_const_f(&r->b, 0.5f));
        s.coord[k] = ir_op2(&r->b, IR_FDIV, middle, ir_op1(&r->b, IR_I2F, size[k]));
    }
    s.coord[2] = ir_op1(&r->b, IR_I2F, level);
    struct ir_inst **out = fe_words(r, 4);
    if (r->failed)
        return NULL;
    texel(r, &s, s.number->imm, 4, out);
    return out;
}

static struct ir_inst **query_size(struct fe_reader *r, const struct fe_op *op) {
    struct ir_inst *number = NULL, **out = fe_words(r, 2), **level;
    if (op->nargs < 1 || op->type->words != 2 || op->type->scalar != IR_I32 ||
        !image_2d(r, op->arg[0], &number, true))
        return r->failed ? NULL : (fe_malformed(r), NULL);
    if (r->failed || !texture_size(r, number, out))
        return NULL;
    if (op->op == SpvOpImageQuerySizeLod) {
        level = op->nargs > 1 ? fe_value_n(r, op->arg[1], 1) : NULL;
        if (!level || level[0]->type != IR_I32)
            return r->failed ? NULL : (fe_malformed(r), NULL);
        size_of_level(r, out, level[0]);
    }
    return out;
}

struct ir_inst **fe_image_op(struct fe_reader *r, const struct fe_op *op) {
    bool implicit, dref, proj;
    if (is_image_sample(op->op, &implicit, &dref, &proj))
        return sample(r, op, implicit, dref, proj);
    switch (op->op) {
    case SpvOpImage: return fe_value_n(r, op->arg[0], 1);
    case SpvOpSampledImage: return fe_unsupported(r, "texture apart from its sampler"), NULL;
    case SpvOpImageFetch: return fetch(r, op);
    case SpvOpImageQuerySize:
    case SpvOpImageQuerySizeLod: return query_size(r, op);
    case SpvOpImageGather:
    case SpvOpImageDrefGather: return fe_unsupported(r, "textureGather"), NULL;
    case SpvOpImageQueryLod: return fe_unsupported(r, "textureQueryLod"), NULL;
    case SpvOpImageQueryLevels: return fe_unsupported(r, "textureQueryLevels"), NULL;
    }
    fe_fail(r, "unsupported", "%s: not supported on this hardware", fe_opcode_name(op->op));
    return NULL;
}
