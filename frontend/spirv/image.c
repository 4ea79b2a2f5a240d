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

/* Bias and level; whatever else may stand there is refused by name. */
static bool image_operands(struct fe_reader *r, struct sample *s, const uint32_t *arg, uint32_t count,
                           bool implicit) {
    if (!count)
        return true;
    uint32_t mask = arg[0], next = 1;
    if (mask & ~(uint32_t)(SpvImageOperandsBiasMask | SpvImageOperandsLodMask)) {
        if (mask & SpvImageOperandsGradMask)
            return fe_unsupported(r, "texture lookup with explicit derivatives");
        if (mask &
            (SpvImageOperandsConstOffsetMask | SpvImageOperandsOffsetMask | SpvImageOperandsConstOffsetsMask))
            return fe_unsupported(r, "texture lookup with a texel offset");
        return fe_unsupported(r, "this form of texture lookup");
    }
    if (mask == 0)
        return true;
    if (mask == (SpvImageOperandsBiasMask | SpvImageOperandsLodMask) || count < 2 ||
        ((mask == SpvImageOperandsBiasMask) != implicit))
        return fe_malformed(r);
    const struct fe_type *type = fe_value_type(r, arg[next]);
    struct ir_inst **value = type ? fe_value_n(r, arg[next], 1) : NULL;
    if (!value)
        return false;
    if (value[0]->type == IR_I32) /* the level of a fetch; a sample's is a float */
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

struct ir_inst **fe_image_op(struct fe_reader *r, const struct fe_op *op) {
    bool implicit, dref, proj;
    if (is_image_sample(op->op, &implicit, &dref, &proj))
        return sample(r, op, implicit, dref, proj);
    switch (op->op) {
    case SpvOpImage: return fe_value_n(r, op->arg[0], 1);
    case SpvOpSampledImage: return fe_unsupported(r, "texture apart from its sampler"), NULL;
    case SpvOpImageFetch: return fe_unsupported(r, "texelFetch"), NULL;
    case SpvOpImageGather:
    case SpvOpImageDrefGather: return fe_unsupported(r, "textureGather"), NULL;
    case SpvOpImageQuerySize:
    case SpvOpImageQuerySizeLod: return fe_unsupported(r, "textureSize"), NULL;
    case SpvOpImageQueryLod: return fe_unsupported(r, "textureQueryLod"), NULL;
    case SpvOpImageQueryLevels: return fe_unsupported(r, "textureQueryLevels"), NULL;
    }
    fe_fail(r, "unsupported", "%s: not supported on this hardware", fe_opcode_name(op->op));
    return NULL;
}
