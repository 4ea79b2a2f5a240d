/* From Gallium's state to libqpucc's: the state key of a variant, and the values in its uniform streams. */
#include "glue.h"

#include "util/format/u_format.h"
#include "util/format_srgb.h"
#include "util/u_math.h"
#include "util/u_prim.h"
#include "vc4_qpu_defines.h"
#include "vc4_resource.h"

/* --- textures ------------------------------------------------------------------------------------------- */

static const struct vc4_texture_stateobj *textures_of(const struct vc4_context *vc4, struct glue_unit unit) {
    return unit.vertex ? &vc4->verttex : &vc4->fragtex;
}

struct vc4_sampler_view *glue_view(const struct vc4_context *vc4, struct glue_unit unit) {
    const struct vc4_texture_stateobj *t = textures_of(vc4, unit);
    return unit.unit < t->num_textures ? vc4_sampler_view(t->textures[unit.unit]) : NULL;
}

static const struct pipe_constant_buffer *constant_buffer_of(const struct vc4_context *vc4,
                                                             struct glue_unit unit) {
    enum pipe_shader_type type = unit.vertex ? PIPE_SHADER_VERTEX : PIPE_SHADER_FRAGMENT;
    const struct pipe_constant_buffer *cb = &vc4->constbuf[type].cb[unit.unit];
    return cb->buffer ? cb : NULL;
}

struct vc4_bo *glue_buffer(const struct vc4_context *vc4, struct glue_unit unit) {
    if (unit.kind == GLUE_BLOCK)
        return constant_buffer_of(vc4, unit) ? vc4_resource(constant_buffer_of(vc4, unit)->buffer)->bo : NULL;
    return glue_view(vc4, unit) ? vc4_resource(glue_view(vc4, unit)->texture)->bo : NULL;
}

static const struct pipe_sampler_state *sampler_of(const struct vc4_context *vc4, struct glue_unit unit) {
    const struct vc4_texture_stateobj *t = textures_of(vc4, unit);
    return unit.unit < t->num_samplers ? t->samplers[unit.unit] : NULL;
}

static bool wraps_to_border(const struct pipe_sampler_state *s, unsigned wrap) {
    bool nearest =
        s->min_img_filter == PIPE_TEX_FILTER_NEAREST || s->mag_img_filter == PIPE_TEX_FILTER_NEAREST;
    return wrap == PIPE_TEX_WRAP_CLAMP_TO_BORDER || (wrap == PIPE_TEX_WRAP_CLAMP && !nearest);
}

static bool has_border(const struct pipe_sampler_state *s) {
    return wraps_to_border(s, s->wrap_s) || wraps_to_border(s, s->wrap_t);
}

static uint8_t swizzle_of(unsigned source) {
    static const uint8_t swizzles[] = {
        [PIPE_SWIZZLE_X] = QPUCC_SWIZZLE_RED,  [PIPE_SWIZZLE_Y] = QPUCC_SWIZZLE_GREEN,
        [PIPE_SWIZZLE_Z] = QPUCC_SWIZZLE_BLUE, [PIPE_SWIZZLE_W] = QPUCC_SWIZZLE_ALPHA,
        [PIPE_SWIZZLE_0] = QPUCC_SWIZZLE_ZERO, [PIPE_SWIZZLE_1] = QPUCC_SWIZZLE_ONE,
    };
    return source < ARRAY_SIZE(swizzles) ? swizzles[source] : QPUCC_SWIZZLE_SAME;
}

static uint8_t compare_of(unsigned func) {
    static const uint8_t compares[] = {
        [PIPE_FUNC_NEVER] = QPUCC_COMPARE_NEVER,     [PIPE_FUNC_LESS] = QPUCC_COMPARE_LESS,
        [PIPE_FUNC_EQUAL] = QPUCC_COMPARE_EQUAL,     [PIPE_FUNC_LEQUAL] = QPUCC_COMPARE_LEQUAL,
        [PIPE_FUNC_GREATER] = QPUCC_COMPARE_GREATER, [PIPE_FUNC_NOTEQUAL] = QPUCC_COMPARE_NOTEQUAL,
        [PIPE_FUNC_GEQUAL] = QPUCC_COMPARE_GEQUAL,   [PIPE_FUNC_ALWAYS] = QPUCC_COMPARE_ALWAYS,
    };
    return compares[func & 7];
}

/* The unit delivers four bytes. The view's swizzle, then the driver's swizzle of the format, say which of
 * them holds a channel. */
static void texture_key(const struct vc4_context *vc4, struct glue_unit unit,
                        struct qpucc_texture_state *key) {
    const struct vc4_sampler_view *view = glue_view(vc4, unit);
    const struct pipe_sampler_state *sampler = sampler_of(vc4, unit);
    if (unit.kind == GLUE_BLOCK || !view || (!sampler && unit.kind == GLUE_TEXTURE))
        return;
    bool depth = util_format_is_depth_or_stencil(view->base.format);
    const uint8_t *format = vc4_get_format_swizzle(view->base.format);
    const unsigned swizzle[4] = {view->base.swizzle_r, view->base.swizzle_g, view->base.swizzle_b,
                                 view->base.swizzle_a};
    for (int i = 0; i < 4; i++) {
        unsigned from = swizzle[i];
        if (from <= PIPE_SWIZZLE_W)
            from = depth ? PIPE_SWIZZLE_X : format[from]; /* depth is in all channels */
        key->swizzle[i] = swizzle_of(from) == QPUCC_SWIZZLE_RED + i ? QPUCC_SWIZZLE_SAME : swizzle_of(from);
    }
    key->format = depth ? QPUCC_TEX_DEPTH24 : QPUCC_TEX_RGBA;
    key->srgb = util_format_is_srgb(view->base.format);
    if (unit.kind == GLUE_SAMPLES)
        return;
    key->border = has_border(sampler);
    key->compare = sampler->compare_mode ? compare_of(sampler->compare_func) : QPUCC_COMPARE_LEQUAL;
    key->one_level = view->force_first_level ? (uint8_t)(view->base.u.tex.first_level + 1) : 0;
}

/* The border colour in the texture's own format, as the unit would read it from memory. */
static uint32_t border_bytes(const struct vc4_sampler_view *view, const struct pipe_sampler_state *s) {
    if (util_format_is_depth_or_stencil(view->base.format)) {
        double depth = CLAMP(s->border_color.f[0], 0.0f, 1.0f);
        return (uint32_t)(depth * 0xffffff + 0.5) << 8;
    }
    const uint8_t *format = vc4_get_format_swizzle(view->base.format);
    uint32_t bytes = 0, filled = 0;
    for (int i = 0; i < 4; i++) {
        float value = s->border_color.f[i];
        if (format[i] > PIPE_SWIZZLE_W || filled & 1u << format[i])
            continue;
        if (i < 3 && util_format_is_srgb(view->base.format))
            value = util_format_linear_to_srgb_float(value);
        filled |= 1u << format[i];
        bytes |= (uint32_t)float_to_ubyte(value) << 8 * format[i];
    }
    return bytes;
}

/* Without a mipmap filter the unit reads level 0 whatever level a lookup names, so a view that has to name
 * its first level gets the nearest mipmap level instead. */
static uint32_t filter_words(const struct vc4_sampler_view *view, const struct pipe_sampler_state *sampler) {
    uint32_t words = ((const struct vc4_sampler_state *)sampler)->texture_p1;
    if (!view->force_first_level || sampler->min_mip_filter != PIPE_TEX_MIPFILTER_NONE)
        return words;
    bool nearest = sampler->min_img_filter == PIPE_TEX_FILTER_NEAREST;
    return (words & ~(uint32_t)VC4_TEX_P1_MINFILT_MASK) |
           VC4_SET_FIELD(nearest ? VC4_TEX_P1_MINFILT_NEAR_MIP_NEAR : VC4_TEX_P1_MINFILT_LIN_MIP_NEAR,
                         VC4_TEX_P1_MINFILT);
}

/* words[0]: offset of the data in the buffer object. words[1]: offset of the last word from there. words[2]:
 * of a multisampled picture, width and height. */
static void buffer_words(const struct vc4_context *vc4, struct glue_unit unit, uint32_t words[4]) {
    const struct vc4_bo *bo = glue_buffer(vc4, unit);
    uint32_t size;
    if (!bo)
        return;
    if (unit.kind == GLUE_BLOCK) {
        const struct pipe_constant_buffer *cb = constant_buffer_of(vc4, unit);
        words[0] = cb->buffer_offset;
        size = cb->buffer_size;
    } else {
        const struct pipe_resource *texture = glue_view(vc4, unit)->texture;
        words[0] = vc4_resource((struct pipe_resource *)texture)->slices[0].offset;
        size = vc4_resource((struct pipe_resource *)texture)->slices[0].size;
        words[2] = texture->width0 | (uint32_t)texture->height0 << 16;
    }
    size = MIN2(size, bo->size - MIN2(words[0], bo->size)) & ~3u;
    words[1] = size ? size - 4 : 0;
}

static void texture_words(const struct vc4_context *vc4, struct glue_unit unit, uint32_t words[4],
                          uint32_t *border) {
    const struct vc4_sampler_view *view = glue_view(vc4, unit);
    const struct pipe_sampler_state *sampler = sampler_of(vc4, unit);
    if (unit.kind != GLUE_TEXTURE) {
        buffer_words(vc4, unit, words);
        return;
    }
    if (!view || !sampler)
        return;
    words[0] = view->texture_p0;
    words[1] = view->texture_p1 | filter_words(view, sampler);
    if (view->base.target == PIPE_TEXTURE_CUBE)
        words[2] = VC4_SET_FIELD(VC4_TEX_P2_PTYPE_CUBE_MAP_STRIDE, VC4_TEX_P2_PTYPE) |
                   VC4_SET_FIELD(vc4_resource(view->texture)->cube_map_stride >> 12, VC4_TEX_P2_CMST);
    if (has_border(sampler))
        *border = border_bytes(view, sampler);
}

/* --- attributes ----------------------------------------------------------------------------------------- */

static uint8_t attribute_type(const struct util_format_description *d) {
    const struct util_format_channel_description *c = &d->channel[0];
    bool is_signed = c->type == UTIL_FORMAT_TYPE_SIGNED;
    if (c->type == UTIL_FORMAT_TYPE_FLOAT)
        return c->size == 16 ? QPUCC_ATTR_HALF : QPUCC_ATTR_FLOAT;
    if (c->type == UTIL_FORMAT_TYPE_FIXED)
        return QPUCC_ATTR_FIXED;
    switch (c->size) {
    case 8: return is_signed ? QPUCC_ATTR_BYTE : QPUCC_ATTR_UBYTE;
    case 10: return is_signed ? QPUCC_ATTR_INT_2_10_10_10_REV : QPUCC_ATTR_UINT_2_10_10_10_REV;
    case 16: return is_signed ? QPUCC_ATTR_SHORT : QPUCC_ATTR_USHORT;
    default: return is_signed ? QPUCC_ATTR_INT : QPUCC_ATTR_UINT;
    }
}

static void attribute_key(enum pipe_format format, struct qpucc_attribute_state *key) {
    const struct util_format_description *d = util_format_description(format);
    key->type = attribute_type(d);
    key->normalized = d->channel[0].normalized ? QPUCC_ATTR_NORMALIZED : QPUCC_ATTR_AS_IS;
    key->components = (uint8_t)d->nr_channels;
    key->bgra = d->swizzle[0] == PIPE_SWIZZLE_Z;
}

/* --- after the fragment shader -------------------------------------------------------------------------- */

static uint8_t factor_of(unsigned factor) {
    switch (factor) {
    case PIPE_BLENDFACTOR_ONE: return QPUCC_FACTOR_ONE;
    case PIPE_BLENDFACTOR_SRC_COLOR: return QPUCC_FACTOR_SRC_COLOR;
    case PIPE_BLENDFACTOR_SRC_ALPHA: return QPUCC_FACTOR_SRC_ALPHA;
    case PIPE_BLENDFACTOR_DST_ALPHA: return QPUCC_FACTOR_DST_ALPHA;
    case PIPE_BLENDFACTOR_DST_COLOR: return QPUCC_FACTOR_DST_COLOR;
    case PIPE_BLENDFACTOR_SRC_ALPHA_SATURATE: return QPUCC_FACTOR_SRC_ALPHA_SATURATE;
    case PIPE_BLENDFACTOR_CONST_COLOR: return QPUCC_FACTOR_CONSTANT_COLOR;
    case PIPE_BLENDFACTOR_CONST_ALPHA: return QPUCC_FACTOR_CONSTANT_ALPHA;
    case PIPE_BLENDFACTOR_SRC1_COLOR: return QPUCC_FACTOR_SRC1_COLOR;
    case PIPE_BLENDFACTOR_SRC1_ALPHA: return QPUCC_FACTOR_SRC1_ALPHA;
    case PIPE_BLENDFACTOR_INV_SRC_COLOR: return QPUCC_FACTOR_ONE_MINUS_SRC_COLOR;
    case PIPE_BLENDFACTOR_INV_SRC_ALPHA: return QPUCC_FACTOR_ONE_MINUS_SRC_ALPHA;
    case PIPE_BLENDFACTOR_INV_DST_ALPHA: return QPUCC_FACTOR_ONE_MINUS_DST_ALPHA;
    case PIPE_BLENDFACTOR_INV_DST_COLOR: return QPUCC_FACTOR_ONE_MINUS_DST_COLOR;
    case PIPE_BLENDFACTOR_INV_CONST_COLOR: return QPUCC_FACTOR_ONE_MINUS_CONSTANT_COLOR;
    case PIPE_BLENDFACTOR_INV_CONST_ALPHA: return QPUCC_FACTOR_ONE_MINUS_CONSTANT_ALPHA;
    case PIPE_BLENDFACTOR_INV_SRC1_COLOR: return QPUCC_FACTOR_ONE_MINUS_SRC1_COLOR;
    case PIPE_BLENDFACTOR_INV_SRC1_ALPHA: return QPUCC_FACTOR_ONE_MINUS_SRC1_ALPHA;
    default: return QPUCC_FACTOR_ZERO;
    }
}

static uint8_t equation_of(unsigned func) {
    static const uint8_t equations[] = {
        [PIPE_BLEND_ADD] = QPUCC_BLEND_ADD,
        [PIPE_BLEND_SUBTRACT] = QPUCC_BLEND_SUBTRACT,
        [PIPE_BLEND_REVERSE_SUBTRACT] = QPUCC_BLEND_REVERSE_SUBTRACT,
        [PIPE_BLEND_MIN] = QPUCC_BLEND_MIN,
        [PIPE_BLEND_MAX] = QPUCC_BLEND_MAX,
    };
    return func < ARRAY_SIZE(equations) ? equations[func] : QPUCC_BLEND_ADD;
}

static uint8_t logic_op_of(unsigned func) {
    static const uint8_t operations[] = {
        [PIPE_LOGICOP_CLEAR] = QPUCC_LOGIC_CLEAR,
        [PIPE_LOGICOP_NOR] = QPUCC_LOGIC_NOR,
        [PIPE_LOGICOP_AND_INVERTED] = QPUCC_LOGIC_AND_INVERTED,
        [PIPE_LOGICOP_COPY_INVERTED] = QPUCC_LOGIC_COPY_INVERTED,
        [PIPE_LOGICOP_AND_REVERSE] = QPUCC_LOGIC_AND_REVERSE,
        [PIPE_LOGICOP_INVERT] = QPUCC_LOGIC_INVERT,
        [PIPE_LOGICOP_XOR] = QPUCC_LOGIC_XOR,
        [PIPE_LOGICOP_NAND] = QPUCC_LOGIC_NAND,
        [PIPE_LOGICOP_AND] = QPUCC_LOGIC_AND,
        [PIPE_LOGICOP_EQUIV] = QPUCC_LOGIC_EQUIV,
        [PIPE_LOGICOP_NOOP] = QPUCC_LOGIC_NOOP,
        [PIPE_LOGICOP_OR_INVERTED] = QPUCC_LOGIC_OR_INVERTED,
        [PIPE_LOGICOP_COPY] = QPUCC_LOGIC_COPY,
        [PIPE_LOGICOP_OR_REVERSE] = QPUCC_LOGIC_OR_REVERSE,
        [PIPE_LOGICOP_OR] = QPUCC_LOGIC_OR,
        [PIPE_LOGICOP_SET] = QPUCC_LOGIC_SET,
    };
    return operations[func & 15];
}

static void blend_key(const struct pipe_blend_state *blend, struct qpucc_state *key) {
    const struct pipe_rt_blend_state *rt = &blend->rt[0];
    if (blend->logicop_enable)
        key->logic_op = logic_op_of(blend->logicop_func);
    else if (rt->blend_enable)
        key->blend = (struct qpucc_blend_state){
            .enable = 1,
            .rgb_equation = equation_of(rt->rgb_func),
            .rgb_source = factor_of(rt->rgb_src_factor),
            .rgb_target = factor_of(rt->rgb_dst_factor),
            .alpha_equation = equation_of(rt->alpha_func),
            .alpha_source = factor_of(rt->alpha_src_factor),
            .alpha_target = factor_of(rt->alpha_dst_factor),
        };
    key->keep_channels = (uint8_t)(~rt->colormask & PIPE_MASK_RGBA);
}

static void target_key(const struct pipe_surface *surface, struct qpucc_state *key) {
    if (!surface) {
        key->keep_channels = PIPE_MASK_RGBA;
        key->blend.enable = 0;
        return;
    }
    const struct util_format_description *d = util_format_description(surface->format);
    key->target = vc4_rt_format_is_565(surface->format)                          ? QPUCC_TARGET_RGB565
                  : vc4_get_format_swizzle(surface->format)[0] == PIPE_SWIZZLE_Z ? QPUCC_TARGET_BGRA8888
                                                                                 : QPUCC_TARGET_RGBA8888;
    key->target_opaque = d->swizzle[3] == PIPE_SWIZZLE_1;
    key->srgb_write = util_format_is_srgb(surface->format);
}

static void multisample_key(const struct vc4_context *vc4, struct qpucc_state *key) {
    if (!vc4->job->msaa)
        return;
    key->multisample = 1;
    key->alpha_to_coverage = vc4->rasterizer->base.multisample && vc4->blend->alpha_to_coverage;
    key->alpha_to_one = vc4->rasterizer->base.multisample && vc4->blend->alpha_to_one;
    key->sample_mask = vc4->sample_mask != (1 << VC4_MAX_SAMPLES) - 1;
}

static void depth_key(const struct vc4_context *vc4, struct qpucc_state *key) {
    const struct vc4_depth_stencil_alpha_state *zsa = vc4->zsa;
    if (!vc4->framebuffer.zsbuf)
        return;
    key->depth_test = zsa->base.depth_enabled || zsa->base.stencil[0].enabled;
    if (!zsa->base.stencil[0].enabled)
        return;
    key->stencil = zsa->base.stencil[1].enabled ? QPUCC_STENCIL_SEPARATE : QPUCC_STENCIL_BOTH;
    key->stencil_masks = zsa->stencil_uniforms[2] != 0;
}

/* --- key and values ------------------------------------------------------------------------------------- */

static void raster_key(const struct pipe_rasterizer_state *r, uint8_t mode, struct qpucc_state *key) {
    unsigned reduced = u_reduced_prim(mode);
    key->primitive = reduced == PIPE_PRIM_POINTS  ? QPUCC_POINTS
                     : reduced == PIPE_PRIM_LINES ? QPUCC_LINES
                                                  : QPUCC_TRIANGLES;
    key->flat_shade = r->flatshade;
    key->two_sided = r->light_twoside;
    key->clip_planes = (uint8_t)r->clip_plane_enable;
    if (key->primitive != QPUCC_POINTS)
        return;
    key->point_size = r->point_size_per_vertex ? QPUCC_POINT_SIZE_SHADER : QPUCC_POINT_SIZE_FIXED;
    /* Gallium's rows begin at the top, the key's at the bottom. */
    key->point_lower_left = r->sprite_coord_mode == PIPE_SPRITE_COORD_UPPER_LEFT;
    key->coord_replace = r->point_quad_rasterization ? (uint8_t)r->sprite_coord_enable : 0;
}

void glue_key(const struct vc4_context *vc4, const struct glue_program *program, uint8_t mode,
              struct qpucc_state *key) {
    memset(key, 0, sizeof *key);
    raster_key(&vc4->rasterizer->base, mode, key);
    for (unsigned i = 0; i < program->unit_count; i++)
        texture_key(vc4, program->unit[i], &key->texture[i]);
    for (unsigned i = 0; i < program->attribute_count; i++)
        if (program->element[i] < vc4->vtx->num_elements)
            attribute_key(vc4->vtx->pipe[program->element[i]].src_format, &key->attribute[i]);
    blend_key(vc4->blend, key);
    target_key(vc4->framebuffer.cbufs[0], key);
    multisample_key(vc4, key);
    depth_key(vc4, key);
}

void glue_values(const struct vc4_context *vc4, const struct glue_program *program,
                 struct qpucc_draw_values *values, uint32_t textures[QPUCC_MAX_TEXTURES][4]) {
    struct qpucc_draw_state *s = &values->state;
    const struct pipe_viewport_state *viewport = &vc4->viewport;
    s->viewport_scale[0] = viewport->scale[0] * 16;
    s->viewport_scale[1] = viewport->scale[1] * 16;
    s->viewport_scale[2] = viewport->scale[2];
    s->viewport_offset_z = viewport->translate[2];
    s->framebuffer_height = (float)vc4->framebuffer.height;
    memcpy(s->clip_plane, vc4->clip.ucp, sizeof s->clip_plane);
    memcpy(s->blend_color, vc4->blend_color.f.color, sizeof s->blend_color);
    for (int i = 0; i < 4; i++)
        s->blend_color[i] = CLAMP(s->blend_color[i], 0.0f, 1.0f);
    s->sample_mask_bits = vc4->sample_mask;
    for (int i = 0; i < 3; i++)
        s->stencil_setup[i] = vc4->zsa->stencil_uniforms[i];
    for (int i = 0; i < 2; i++)
        s->stencil_setup[i] |= (uint32_t)vc4->stencil_ref.ref_value[i] << 8;
    for (unsigned i = 0; i < program->unit_count; i++)
        texture_words(vc4, program->unit[i], textures[i], &s->border_color[i]);
}
