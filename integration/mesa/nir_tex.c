/* Texture lookups. A unit has one sampler variable, and its image type is what the first lookup says. */
#include "nir_translate.h"

#include "pipe/p_defines.h"

static uint32_t dimension_of(const struct translation *t, enum glsl_sampler_dim dim) {
    switch (dim) {
    case GLSL_SAMPLER_DIM_1D: return SpvDim1D;
    case GLSL_SAMPLER_DIM_2D:
    case GLSL_SAMPLER_DIM_3D: /* there are none: GL_MAX_3D_TEXTURE_SIZE is 0, so any answer will do */
    case GLSL_SAMPLER_DIM_MS:
    case GLSL_SAMPLER_DIM_EXTERNAL: return SpvDim2D;
    case GLSL_SAMPLER_DIM_CUBE: return SpvDimCube;
    case GLSL_SAMPLER_DIM_RECT: return t->scaled_rectangles ? SpvDim2D : SpvDimRect;
    default: return SpvDimMax;
    }
}

static struct unit *unit_of(struct translation *t, const nir_tex_instr *tex) {
    uint32_t number = tex->texture_index, dim = dimension_of(t, tex->sampler_dim);
    if (number >= MAX_UNITS || dim == SpvDimMax || tex->is_array) {
        fail(t, "a texture of this kind");
        return NULL;
    }
    struct unit *unit = &t->unit[number];
    if (unit->variable) {
        if (unit->dim != tex->sampler_dim || unit->shadow != tex->is_shadow) {
            fail(t, "a unit that is two kinds of texture");
            return NULL;
        }
        return unit;
    }
    if (dim == SpvDim1D)
        SPIRV_PUT(&t->m, SECTION_HEAD, SpvOpCapability, SpvCapabilitySampled1D);
    if (dim == SpvDimRect)
        SPIRV_PUT(&t->m, SECTION_HEAD, SpvOpCapability, SpvCapabilitySampledRect);
    unit->dim = tex->sampler_dim;
    unit->dimension = dim;
    unit->shadow = tex->is_shadow;
    bool samples = tex->sampler_dim == GLSL_SAMPLER_DIM_MS;
    unit->image = SPIRV_OTHER_TYPE(&t->m, SpvOpTypeImage, type_of(t, KIND_FLOAT, 1), dim, tex->is_shadow, 0,
                                   samples, 1, SpvImageFormatUnknown);
    unit->type = SPIRV_OTHER_TYPE(&t->m, SpvOpTypeSampledImage, unit->image);
    unit->variable = spirv_id(&t->m);
    SPIRV_PUT(&t->m, SECTION_TYPES, SpvOpVariable,
              spirv_pointer(&t->m, SpvStorageClassUniformConstant, unit->type), unit->variable,
              SpvStorageClassUniformConstant);
    spirv_name(&t->m, unit->variable, "%s_t%u", t->prefix, number);
    t->out->texture_mask |= 1u << number;
    t->out->samples_mask |= (uint32_t)samples << number;
    if (tex->is_shadow && !tex->is_new_style_shadow)
        t->out->shadow_mask |= 1u << number;
    return unit;
}

/* What a lookup has beside the texture; 0: not there. */
struct sources {
    const nir_src *coord, *projector, *comparator, *offset, *bias, *lod, *ddx, *ddy, *sample;
};

static bool find_sources(struct translation *t, const nir_tex_instr *tex, struct sources *s) {
    *s = (struct sources){0};
    for (unsigned k = 0; k < tex->num_srcs; k++) {
        const nir_src *src = &tex->src[k].src;
        switch (tex->src[k].src_type) {
        case nir_tex_src_coord: s->coord = src; break;
        case nir_tex_src_projector: s->projector = src; break;
        case nir_tex_src_comparator: s->comparator = src; break;
        case nir_tex_src_offset: s->offset = src; break;
        case nir_tex_src_bias: s->bias = src; break;
        case nir_tex_src_lod: s->lod = src; break;
        case nir_tex_src_ddx: s->ddx = src; break;
        case nir_tex_src_ddy: s->ddy = src; break;
        case nir_tex_src_ms_index: s->sample = src; break;
        default: fail(t, "a texture that is chosen at run time"); return false;
        }
    }
    return true;
}

/* Coordinates as the instruction wants them: with q behind for a projection. There is none of cubes, whose
 * coordinates are divided here (and need not be, as far as only their direction counts). */
static uint32_t coordinates(struct translation *t, const nir_tex_instr *tex, const struct sources *s) {
    static const uint8_t first[] = {0, 1, 2, 3};
    uint32_t part[4], n = tex->sampler_dim == GLSL_SAMPLER_DIM_3D ? 2 : tex->coord_components;
    uint8_t k;
    if (!s->projector)
        return use(t, s->coord->ssa, first, n, KIND_FLOAT);
    if (tex->sampler_dim == GLSL_SAMPLER_DIM_CUBE) {
        uint32_t q = use_src(t, s->projector, KIND_FLOAT), all[4] = {q, q, q, q};
        q = construct(t, NULL, KIND_FLOAT, n, all);
        return SPIRV_OP(&t->m, SpvOpFDiv, type_of(t, KIND_FLOAT, n), use_src(t, s->coord, KIND_FLOAT), q);
    }
    for (k = 0; k < n && k < 3; k++)
        part[k] = use(t, s->coord->ssa, &k, 1, KIND_FLOAT);
    part[k] = use_src(t, s->projector, KIND_FLOAT);
    return construct(t, NULL, KIND_FLOAT, n + 1, part);
}

/* Image operands from `operand` on; returns how many words. */
static uint32_t image_operands(struct translation *t, const struct sources *s, uint32_t *operand) {
    uint32_t mask = 0, count = 1;
    if (s->bias) {
        mask |= SpvImageOperandsBiasMask;
        operand[count++] = use_src(t, s->bias, KIND_FLOAT);
    }
    if (s->lod) {
        mask |= SpvImageOperandsLodMask;
        operand[count++] = use_src(t, s->lod, KIND_FLOAT);
    }
    if (s->ddx && s->ddy) {
        mask |= SpvImageOperandsGradMask;
        operand[count++] = use_src(t, s->ddx, KIND_FLOAT);
        operand[count++] = use_src(t, s->ddy, KIND_FLOAT);
    }
    if (s->offset) {
        mask |= nir_src_is_const(*s->offset) ? SpvImageOperandsConstOffsetMask : SpvImageOperandsOffsetMask;
        operand[count++] = use_src(t, s->offset, KIND_UINT);
    }
    operand[0] = mask;
    return mask ? count : 0;
}

/* [explicit][dref][projective] */
static const uint16_t lookup_op[2][2][2] = {
    {{SpvOpImageSampleImplicitLod, SpvOpImageSampleProjImplicitLod},
     {SpvOpImageSampleDrefImplicitLod, SpvOpImageSampleProjDrefImplicitLod}},
    {{SpvOpImageSampleExplicitLod, SpvOpImageSampleProjExplicitLod},
     {SpvOpImageSampleDrefExplicitLod, SpvOpImageSampleProjDrefExplicitLod}}};

/* The four components of a result that is one number. */
static uint32_t spread(struct translation *t, const nir_tex_instr *tex, uint32_t value) {
    static const uint8_t luminance[4] = {PIPE_SWIZZLE_X, PIPE_SWIZZLE_X, PIPE_SWIZZLE_X, PIPE_SWIZZLE_1};
    const uint8_t *swizzle = t->shadows ? t->shadows->swizzle[tex->texture_index] : luminance;
    const nir_ssa_def *def = &tex->dest.ssa;
    uint32_t part[4];
    for (int k = 0; k < 4; k++)
        part[k] = swizzle[k] <= PIPE_SWIZZLE_W ? value : spirv_float(&t->m, swizzle[k] == PIPE_SWIZZLE_1, 1);
    return construct(t, def, KIND_FLOAT, def->num_components, part);
}

static uint32_t lookup(struct translation *t, const nir_tex_instr *tex, struct unit *unit,
                       struct sources *s) {
    const nir_ssa_def *def = &tex->dest.ssa;
    uint32_t operand[10], count = 0, sampler = SPIRV_OP(&t->m, SpvOpLoad, unit->type, unit->variable);
    bool is_explicit = s->lod || s->ddx;
    if (!is_explicit && !t->fragment) /* a vertex has no derivatives: the first level */
        is_explicit = true;
    operand[count++] = sampler;
    operand[count++] = coordinates(t, tex, s);
    if (s->comparator)
        operand[count++] = use_src(t, s->comparator, KIND_FLOAT);
    if (is_explicit && !s->lod && !s->ddx) {
        s->bias = NULL;
        operand[count++] = SpvImageOperandsLodMask;
        operand[count++] = spirv_float(&t->m, 0, 1);
    } else {
        count += image_operands(t, s, operand + count);
    }
    bool projective = s->projector && tex->sampler_dim != GLSL_SAMPLER_DIM_CUBE;
    uint32_t op = lookup_op[is_explicit][s->comparator != NULL][projective];
    uint32_t n = s->comparator ? 1 : 4;
    uint32_t id = emit(t, def, op, type_of(t, KIND_FLOAT, n), count, operand);
    if (s->comparator && def->num_components > 1)
        return spread(t, tex, id);
    if (n != def->num_components) {
        uint32_t part[4];
        for (uint32_t k = 0; k < def->num_components; k++)
            part[k] = extract(t, id, KIND_FLOAT, k);
        return construct(t, def, KIND_FLOAT, def->num_components, part);
    }
    return id;
}

static uint32_t image_of(struct translation *t, const struct unit *unit) {
    return SPIRV_OP(&t->m, SpvOpImage, unit->image, SPIRV_OP(&t->m, SpvOpLoad, unit->type, unit->variable));
}

static uint32_t fetch(struct translation *t, const nir_tex_instr *tex, const struct unit *unit,
                      const struct sources *s) {
    uint32_t operand[6] = {image_of(t, unit), use_src(t, s->coord, KIND_UINT)}, count = 2, mask = 0, at = 3;
    if (s->lod && unit->dimension != SpvDimRect) {
        mask |= SpvImageOperandsLodMask;
        operand[at++] = use_src(t, s->lod, KIND_UINT);
    }
    if (s->offset) {
        mask |= SpvImageOperandsConstOffsetMask;
        operand[at++] = use_src(t, s->offset, KIND_UINT);
    }
    if (mask) {
        operand[2] = mask;
        count = at;
    }
    return emit(t, &tex->dest.ssa, SpvOpImageFetch, type_of(t, KIND_FLOAT, 4), count, operand);
}

/* All levels but the first are none of a multisample texture's. */
static uint32_t fetch_sample(struct translation *t, const nir_tex_instr *tex, const struct unit *unit,
                             const struct sources *s) {
    uint32_t image = image_of(t, unit), coord = use_src(t, s->coord, KIND_UINT);
    uint32_t number = s->sample ? use_src(t, s->sample, KIND_UINT) : spirv_uint(&t->m, 0);
    return EMIT(t, &tex->dest.ssa, SpvOpImageFetch, type_of(t, KIND_FLOAT, 4), image, coord,
                SpvImageOperandsSampleMask, number);
}

static void need_size_queries(struct translation *t) {
    if (!t->queries)
        SPIRV_PUT(&t->m, SECTION_HEAD, SpvOpCapability, SpvCapabilityImageQuery);
    t->queries = true;
}

static uint32_t size(struct translation *t, const nir_tex_instr *tex, const struct unit *unit,
                     const struct sources *s) {
    uint32_t type = type_of(t, KIND_UINT, tex->dest.ssa.num_components), image = image_of(t, unit);
    need_size_queries(t);
    if (unit->dimension == SpvDimRect || unit->dim == GLSL_SAMPLER_DIM_MS)
        return SPIRV_OP(&t->m, SpvOpImageQuerySize, type, image);
    return SPIRV_OP(&t->m, SpvOpImageQuerySizeLod, type, image,
                    s->lod ? use_src(t, s->lod, KIND_UINT) : spirv_uint(&t->m, 0));
}

/* What texels of a rectangle, which the state tracker has made an ordinary texture, are multiplied by. */
void translate_rectangle_scale(struct translation *t, const nir_intrinsic_instr *intr) {
    uint32_t uvec2 = type_of(t, KIND_UINT, 2), vec2 = type_of(t, KIND_FLOAT, 2);
    nir_foreach_block(block, t->impl) {
        nir_foreach_instr(instr, block) {
            if (instr->type != nir_instr_type_tex || !nir_src_is_const(intr->src[0]) ||
                nir_instr_as_tex(instr)->texture_index != nir_src_as_uint(intr->src[0]))
                continue;
            struct unit *unit = unit_of(t, nir_instr_as_tex(instr));
            if (!unit)
                return;
            need_size_queries(t);
            uint32_t size =
                SPIRV_OP(&t->m, SpvOpImageQuerySizeLod, uvec2, image_of(t, unit), spirv_uint(&t->m, 0));
            size = SPIRV_OP(&t->m, SpvOpConvertUToF, vec2, size);
            define(t, &intr->dest.ssa, SPIRV_OP(&t->m, SpvOpFDiv, vec2, spirv_float(&t->m, 1, 2), size),
                   KIND_FLOAT);
            return;
        }
    }
    define(t, &intr->dest.ssa, fail(t, "the size of a texture that nothing samples"), KIND_FLOAT);
}

void translate_tex(struct translation *t, const nir_tex_instr *tex) {
    struct sources s;
    struct unit *unit = unit_of(t, tex);
    uint32_t id = 0;
    enum spirv_kind kind = KIND_FLOAT;
    if (unit && find_sources(t, tex, &s)) {
        switch (tex->op) {
        case nir_texop_tex:
        case nir_texop_txb:
        case nir_texop_txl:
        case nir_texop_txd: id = lookup(t, tex, unit, &s); break;
        case nir_texop_txf: id = fetch(t, tex, unit, &s); break;
        case nir_texop_txf_ms: id = fetch_sample(t, tex, unit, &s); break;
        case nir_texop_txs:
            if (tex->sampler_dim == GLSL_SAMPLER_DIM_3D) {
                fail(t, "the size of a texture that cannot be");
                break;
            }
            kind = KIND_UINT;
            id = size(t, tex, unit, &s);
            break;
        default: fail(t, "a texture operation that the hardware lacks");
        }
    }
    define(t, &tex->dest.ssa, id ? id : spirv_undef(&t->m, KIND_FLOAT, 4), kind);
}
