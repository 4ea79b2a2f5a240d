/* Texture environments: GL 2.1 section 3.8.13, tables 3.20 to 3.24 (GLES 1.1 section 3.7.12), with the
 * sources of ARB_texture_env_crossbar. */
#include "frontend/fixed/combine.h"

static const struct fixed_name env_color = {"gl_TextureEnvColor", 4, 1, QPUCC_FIXED_TEXTURES, NULL};

static bool has_color(unsigned base) {
    return base != QPUCC_BASE_ALPHA;
}
static bool has_alpha(unsigned base) {
    return base != QPUCC_BASE_RGB && base != QPUCC_BASE_LUMINANCE;
}

/* --- the simple ones ------------------------------------------------------------------------------------ */

/* Of a colour's channel: which differ from alpha's is in environment(). */
static val plain(struct fixed_builder *f, unsigned env, val previous, val texel, val constant) {
    switch (env) {
    case QPUCC_ENV_REPLACE: return texel;
    case QPUCC_ENV_BLEND: return fixed_mix(f, previous, constant, texel);
    case QPUCC_ENV_ADD: return one(f, IR_FSAT, add(f, previous, texel));
    default: return mul(f, previous, texel);
    }
}

static void environment(struct fixed_builder *f, const struct qpucc_fixed_texture *t, unsigned unit,
                        const val texel[4], val color[4]) {
    val constant[4] = {NULL, NULL, NULL, NULL};
    unsigned base = t->base_format;
    if (t->env == QPUCC_ENV_BLEND)
        fixed_uniform(f, &env_color, unit, constant);
    for (unsigned k = 0; k < 3 && has_color(base); k++)
        if (t->env != QPUCC_ENV_DECAL)
            color[k] = plain(f, t->env, color[k], texel[k], constant[k]);
        else
            color[k] = has_alpha(base) ? fixed_mix(f, color[k], texel[k], texel[3]) : texel[k];
    if (!has_alpha(base) || t->env == QPUCC_ENV_DECAL)
        return;
    bool intensity = base == QPUCC_BASE_INTENSITY; /* its alpha takes part as a colour does */
    unsigned env = t->env == QPUCC_ENV_REPLACE || intensity ? t->env : (unsigned)QPUCC_ENV_MODULATE;
    color[3] = plain(f, env, color[3], texel[3], constant[3]);
}

/* --- COMBINE -------------------------------------------------------------------------------------------- */

struct combiner {
    struct fixed_builder *f;
    const struct combine_in *in;
    const struct qpucc_fixed_texture *texture;
    unsigned unit;
    const val *previous;
    val constant[4];
};

/* The unit whose texture an argument is, or QPUCC_FIXED_TEXTURES. */
static unsigned other_unit(unsigned source) {
    return source >= QPUCC_SOURCE_TEXTURE0 ? source - QPUCC_SOURCE_TEXTURE0 : QPUCC_FIXED_TEXTURES;
}

static unsigned arguments_of(unsigned combine) {
    return combine == QPUCC_COMBINE_REPLACE ? 1 : combine == QPUCC_COMBINE_INTERPOLATE ? 3 : 2;
}

/* Does an argument ask for a texture that is not there? */
static bool lacks_texture(const struct combiner *c) {
    const struct qpucc_fixed_texture *t = c->texture;
    for (unsigned k = 0; k < 3; k++) {
        unsigned rgb = other_unit(t->source_rgb[k]), alpha = other_unit(t->source_alpha[k]);
        if (k < arguments_of(t->combine_rgb) && rgb < QPUCC_FIXED_TEXTURES && !c->in->texel[rgb][0])
            return true;
        if (k < arguments_of(t->combine_alpha) && alpha < QPUCC_FIXED_TEXTURES && !c->in->texel[alpha][0])
            return true;
    }
    return false;
}

static const val *source_of(struct combiner *c, unsigned source, unsigned argument) {
    static const uint8_t initial[3] = {QPUCC_SOURCE_TEXTURE, QPUCC_SOURCE_PREVIOUS, QPUCC_SOURCE_CONSTANT};
    switch (source == QPUCC_SOURCE_INITIAL ? initial[argument] : source) {
    case QPUCC_SOURCE_TEXTURE: return c->in->texel[c->unit];
    case QPUCC_SOURCE_PREVIOUS: return c->previous;
    case QPUCC_SOURCE_PRIMARY_COLOR: return c->in->primary;
    case QPUCC_SOURCE_CONSTANT:
        if (!c->constant[0])
            fixed_uniform(c->f, &env_color, c->unit, c->constant);
        return c->constant;
    default: return c->in->texel[other_unit(source)];
    }
}

static val operand(struct combiner *c, const val *source, unsigned operand, unsigned channel) {
    bool alpha = operand == QPUCC_OPERAND_SRC_ALPHA || operand == QPUCC_OPERAND_ONE_MINUS_SRC_ALPHA;
    val x = source[alpha ? 3 : channel];
    if (operand == QPUCC_OPERAND_SRC_ALPHA || operand == QPUCC_OPERAND_SRC_COLOR)
        return x;
    return sub(c->f, flt(c->f, 1), x);
}

static val argument(struct combiner *c, unsigned k, unsigned channel) {
    const struct qpucc_fixed_texture *t = c->texture;
    bool alpha = channel == 3;
    unsigned what = alpha ? t->operand_alpha[k] : t->operand_rgb[k];
    if (what == QPUCC_OPERAND_INITIAL)
        what = alpha || k == 2 ? QPUCC_OPERAND_SRC_ALPHA : QPUCC_OPERAND_SRC_COLOR;
    return operand(c, source_of(c, alpha ? t->source_alpha[k] : t->source_rgb[k], k), what, channel);
}

/* 4 (a - 1/2) . (b - 1/2) of the colours */
static val dot3(struct combiner *c) {
    struct fixed_builder *f = c->f;
    val sum = NULL, half = flt(f, 0.5f);
    for (unsigned k = 0; k < 3; k++) {
        val a = sub(f, argument(c, 0, k), half), b = sub(f, argument(c, 1, k), half);
        sum = sum ? add(f, sum, mul(f, a, b)) : mul(f, a, b);
    }
    return mul(f, sum, flt(f, 4));
}

static val combine(struct combiner *c, unsigned how, unsigned channel) {
    struct fixed_builder *f = c->f;
    val a = argument(c, 0, channel), b = how == QPUCC_COMBINE_REPLACE ? NULL : argument(c, 1, channel);
    switch (how) {
    case QPUCC_COMBINE_REPLACE: return a;
    case QPUCC_COMBINE_ADD: return add(f, a, b);
    case QPUCC_COMBINE_ADD_SIGNED: {
        val half = flt(f, 0.5f);
        return sub(f, add(f, a, b), half);
    }
    case QPUCC_COMBINE_INTERPOLATE: return fixed_mix(f, b, a, argument(c, 2, channel));
    case QPUCC_COMBINE_SUBTRACT: return sub(f, a, b);
    default: return mul(f, a, b);
    }
}

static val scaled(struct fixed_builder *f, val x, unsigned scale, bool clamp) {
    if (scale)
        x = mul(f, x, flt(f, scale == 1 ? 2 : 4));
    return clamp || scale ? one(f, IR_FSAT, x) : x;
}

/* Can a combination of numbers in 0..1 leave that range? */
static bool leaves_range(unsigned how) {
    return how != QPUCC_COMBINE_REPLACE && how != QPUCC_COMBINE_MODULATE && how != QPUCC_COMBINE_INTERPOLATE;
}

static void combiner(struct fixed_builder *f, const struct combine_in *in, unsigned unit, val color[4]) {
    const struct qpucc_fixed_texture *t = &f->fixed->texture[unit];
    const val previous[4] = {color[0], color[1], color[2], color[3]};
    struct combiner c = {.f = f, .in = in, .texture = t, .unit = unit, .previous = previous};
    if (lacks_texture(&c))
        return;
    if (t->combine_rgb >= QPUCC_COMBINE_DOT3_RGB) {
        val dot = dot3(&c);
        color[0] = color[1] = color[2] = scaled(f, dot, t->scale_rgb, true);
        if (t->combine_rgb == QPUCC_COMBINE_DOT3_RGBA) {
            color[3] = scaled(f, dot, t->scale_alpha, true);
            return;
        }
    } else
        for (unsigned k = 0; k < 3; k++)
            color[k] = scaled(f, combine(&c, t->combine_rgb, k), t->scale_rgb, leaves_range(t->combine_rgb));
    color[3] = scaled(f, combine(&c, t->combine_alpha, 3), t->scale_alpha, leaves_range(t->combine_alpha));
}

void combine_unit(struct fixed_builder *f, const struct combine_in *in, unsigned unit, val color[4]) {
    if (f->fixed->texture[unit].env == QPUCC_ENV_COMBINE)
        combiner(f, in, unit, color);
    else
        environment(f, &f->fixed->texture[unit], unit, in->texel[unit], color);
}
