#include "reference.h"

#include <math.h>
#include <string.h>

static double clamp(double x) {
    return x < 0 ? 0 : x > 1 ? 1 : x;
}

float half_to_float(uint16_t h) {
    int exponent = h >> 10 & 31;
    double mantissa = h & 1023;
    double value = exponent ? ldexp(1024 + mantissa, exponent - 25) : ldexp(mantissa, -24);
    return (float)(h >> 15 ? -value : value);
}

static bool is_float(const struct qpucc_state *state) {
    return state->target == QPUCC_TARGET_RGBA16F;
}

static bool opaque(const struct qpucc_state *state) {
    return state->target_opaque || state->target == QPUCC_TARGET_RGB565;
}

/* --- formats -------------------------------------------------------------------------------------------- */

unsigned reference_bits(const struct qpucc_state *state, unsigned channel) {
    if (state->target == QPUCC_TARGET_RGBA4444)
        return 4;
    if (state->target == QPUCC_TARGET_RGBA5551)
        return channel == 3 ? 1 : 5;
    return 8;
}

static unsigned byte_of(const struct qpucc_state *state, unsigned channel) {
    switch (state->target) {
    case QPUCC_TARGET_BGRA8888: return channel == 3 ? 3 : 2 - channel;
    case QPUCC_TARGET_ARGB8888: return (channel + 1) & 3;
    case QPUCC_TARGET_ABGR8888: return 3 - channel;
    default: return channel;
    }
}

double reference_channel(const struct qpucc_state *state, const uint32_t words[2], unsigned channel) {
    if (is_float(state))
        return half_to_float((uint16_t)(words[channel / 2] >> 16 * (channel & 1)));
    return (words[0] >> 8 * byte_of(state, channel) & 255) / 255.0;
}

/* --- blending ------------------------------------------------------------------------------------------- */

static double factor(unsigned kind, const struct qpucc_draw_state *draw, const double s[4],
                     const double second[4], const double d[4], unsigned i, bool clamps) {
    double c[4];
    for (int k = 0; k < 4; k++)
        c[k] = clamps ? clamp((double)draw->blend_color[k]) : (double)draw->blend_color[k];
    switch (kind) {
    case QPUCC_FACTOR_ZERO: return 0;
    case QPUCC_FACTOR_ONE: return 1;
    case QPUCC_FACTOR_SRC_COLOR: return s[i];
    case QPUCC_FACTOR_ONE_MINUS_SRC_COLOR: return 1 - s[i];
    case QPUCC_FACTOR_DST_COLOR: return d[i];
    case QPUCC_FACTOR_ONE_MINUS_DST_COLOR: return 1 - d[i];
    case QPUCC_FACTOR_SRC_ALPHA: return s[3];
    case QPUCC_FACTOR_ONE_MINUS_SRC_ALPHA: return 1 - s[3];
    case QPUCC_FACTOR_DST_ALPHA: return d[3];
    case QPUCC_FACTOR_ONE_MINUS_DST_ALPHA: return 1 - d[3];
    case QPUCC_FACTOR_CONSTANT_COLOR: return c[i];
    case QPUCC_FACTOR_ONE_MINUS_CONSTANT_COLOR: return 1 - c[i];
    case QPUCC_FACTOR_CONSTANT_ALPHA: return c[3];
    case QPUCC_FACTOR_ONE_MINUS_CONSTANT_ALPHA: return 1 - c[3];
    case QPUCC_FACTOR_SRC1_COLOR: return second[i];
    case QPUCC_FACTOR_ONE_MINUS_SRC1_COLOR: return 1 - second[i];
    case QPUCC_FACTOR_SRC1_ALPHA: return second[3];
    case QPUCC_FACTOR_ONE_MINUS_SRC1_ALPHA: return 1 - second[3];
    default: return i == 3 ? 1 : fmin(s[3], 1 - d[3]);
    }
}

static double min3(const double c[3]) {
    return fmin(c[0], fmin(c[1], c[2]));
}

static double max3(const double c[3]) {
    return fmax(c[0], fmax(c[1], c[2]));
}

static double lum(const double c[3]) {
    return 0.30 * c[0] + 0.59 * c[1] + 0.11 * c[2];
}

static void set_lum(const double base[3], const double light[3], double out[3]) {
    for (int i = 0; i < 3; i++)
        out[i] = base[i] + lum(light) - lum(base);
    double l = lum(out), least = min3(out), most = max3(out);
    for (int i = 0; i < 3 && least < 0; i++)
        out[i] = l + (out[i] - l) * l / (l - least);
    for (int i = 0; i < 3 && most > 1; i++)
        out[i] = l + (out[i] - l) * (1 - l) / (most - l);
}

static void set_lum_sat(const double base[3], const double saturated[3], const double light[3],
                        double out[3]) {
    double least = min3(base), own = max3(base) - least, wanted = max3(saturated) - min3(saturated), x[3];
    for (int i = 0; i < 3; i++)
        x[i] = own > 0 ? (base[i] - least) * wanted / own : 0;
    set_lum(x, light, out);
}

/* f(Cs, Cd) of GL_KHR_blend_equation_advanced, table X.1 */
static double separable(unsigned equation, double s, double d) {
    switch (equation) {
    case QPUCC_BLEND_MULTIPLY: return s * d;
    case QPUCC_BLEND_SCREEN: return s + d - s * d;
    case QPUCC_BLEND_OVERLAY: return d <= 0.5 ? 2 * s * d : 1 - 2 * (1 - s) * (1 - d);
    case QPUCC_BLEND_DARKEN: return fmin(s, d);
    case QPUCC_BLEND_LIGHTEN: return fmax(s, d);
    case QPUCC_BLEND_COLORDODGE: return d <= 0 ? 0 : s < 1 ? fmin(1, d / (1 - s)) : 1;
    case QPUCC_BLEND_COLORBURN: return d >= 1 ? 1 : s > 0 ? 1 - fmin(1, (1 - d) / s) : 0;
    case QPUCC_BLEND_HARDLIGHT: return s <= 0.5 ? 2 * s * d : 1 - 2 * (1 - s) * (1 - d);
    case QPUCC_BLEND_SOFTLIGHT:
        return s <= 0.5    ? d - (1 - 2 * s) * d * (1 - d)
               : d <= 0.25 ? d + (2 * s - 1) * d * ((16 * d - 12) * d + 3)
                           : d + (2 * s - 1) * (sqrt(d) - d);
    case QPUCC_BLEND_DIFFERENCE: return fabs(d - s);
    default: return s + d - 2 * s * d;
    }
}

static void advanced(unsigned equation, const double s[4], const double d[4], double out[4]) {
    double S[3], D[3], f[3];
    for (int i = 0; i < 3; i++) {
        S[i] = s[3] > 0 ? s[i] / s[3] : 0;
        D[i] = d[3] > 0 ? d[i] / d[3] : 0;
    }
    switch (equation) {
    case QPUCC_BLEND_HSL_HUE: set_lum_sat(S, D, D, f); break;
    case QPUCC_BLEND_HSL_SATURATION: set_lum_sat(D, S, D, f); break;
    case QPUCC_BLEND_HSL_COLOR: set_lum(S, D, f); break;
    case QPUCC_BLEND_HSL_LUMINOSITY: set_lum(D, S, f); break;
    default:
        for (int i = 0; i < 3; i++)
            f[i] = separable(equation, S[i], D[i]);
    }
    double both = s[3] * d[3], s_alone = s[3] * (1 - d[3]), d_alone = d[3] * (1 - s[3]);
    for (int i = 0; i < 3; i++)
        out[i] = f[i] * both + S[i] * s_alone + D[i] * d_alone;
    out[3] = both + s_alone + d_alone;
}

void reference_blend(const struct qpucc_state *state, const struct qpucc_draw_state *draw, const double s[4],
                     const double second[4], const double tile[4], double out[4]) {
    const struct qpucc_blend_state *blend = &state->blend;
    double d[4] = {tile[0], tile[1], tile[2], opaque(state) ? 1 : tile[3]};
    if (!blend->enable) {
        memcpy(out, s, 4 * sizeof *out);
        return;
    }
    if (blend->rgb_equation >= QPUCC_BLEND_MULTIPLY) {
        advanced(blend->rgb_equation, s, d, out);
        return;
    }
    for (unsigned i = 0; i < 4; i++) {
        unsigned equation = i < 3 ? blend->rgb_equation : blend->alpha_equation;
        double x = s[i] * factor(i < 3 ? blend->rgb_source : blend->alpha_source, draw, s, second, d, i,
                                 !is_float(state));
        double y = d[i] * factor(i < 3 ? blend->rgb_target : blend->alpha_target, draw, s, second, d, i,
                                 !is_float(state));
        switch (equation) {
        case QPUCC_BLEND_ADD: out[i] = x + y; break;
        case QPUCC_BLEND_SUBTRACT: out[i] = x - y; break;
        case QPUCC_BLEND_REVERSE_SUBTRACT: out[i] = y - x; break;
        case QPUCC_BLEND_MIN: out[i] = fmin(s[i], d[i]); break;
        default: out[i] = fmax(s[i], d[i]); break;
        }
    }
}

/* --- the rest ------------------------------------------------------------------------------------------- */

static double to_linear(double x) {
    return x <= 0.04045 ? x / 12.92 : pow((x + 0.055) / 1.055, 2.4);
}

static double to_srgb(double x) {
    return x <= 0.0031308 ? 12.92 * x : 1.055 * pow(x, 1 / 2.4) - 0.055;
}

static bool compares(unsigned func, double a, double b) {
    switch (func) {
    case QPUCC_NEVER: return false;
    case QPUCC_LESS: return a < b;
    case QPUCC_EQUAL: return a == b;
    case QPUCC_LEQUAL: return a <= b;
    case QPUCC_GREATER: return a > b;
    case QPUCC_NOTEQUAL: return a != b;
    case QPUCC_GEQUAL: return a >= b;
    default: return true;
    }
}

static bool inside_chroma(const struct qpucc_draw_state *draw, const double color[4]) {
    bool inside = true;
    for (unsigned i = 0; i < 4; i++) {
        unsigned byte = (unsigned)(clamp(color[i]) * 255 + 0.5);
        inside &= byte >= (draw->chroma_low >> 8 * i & 255) && byte <= (draw->chroma_high >> 8 * i & 255);
    }
    return inside;
}

static bool stippled(const struct qpucc_state *state, const struct qpucc_draw_state *draw,
                     const struct fragment *in) {
    unsigned y = state->flip_y ? (unsigned)draw->framebuffer_height - 1 - in->y : in->y;
    if (state->area_stipple == QPUCC_STIPPLE_32X32 &&
        !(draw->stipple_pattern[y & 31] >> (31 - (in->x & 31)) & 1))
        return true;
    if (state->area_stipple == QPUCC_STIPPLE_8X8) {
        unsigned row = draw->stipple_pattern[(y & 7) / 4] >> 8 * (y & 3) & 255;
        if (!(row >> (7 - (in->x & 7)) & 1))
            return true;
    }
    unsigned place = (unsigned)(in->line_distance * (double)draw->line_stipple_scale) & 15;
    return state->line_stipple && !(draw->line_stipple_pattern >> place & 1);
}

static double fogged(const struct qpucc_state *state, const struct qpucc_draw_state *draw,
                     const struct fragment *in, double color, double fog) {
    double c = state->fog_source == QPUCC_FOG_EYE     ? in->w
               : state->fog_source == QPUCC_FOG_DEPTH ? in->z
                                                      : in->fog;
    double density = (double)draw->fog_density, f;
    switch (state->fog) {
    case QPUCC_FOG_LINEAR:
        f = ((double)draw->fog_end - c) / ((double)draw->fog_end - (double)draw->fog_start);
        break;
    case QPUCC_FOG_EXP: f = exp(-density * c); break;
    default: f = exp(-density * density * c * c); break;
    }
    f = clamp(state->fog_per_vertex ? in->fog : f);
    return f * clamp(color) + (1 - f) * fog;
}

static unsigned logic(unsigned op, unsigned s, unsigned d) {
    switch (op) {
    case QPUCC_LOGIC_CLEAR: return 0;
    case QPUCC_LOGIC_AND: return s & d;
    case QPUCC_LOGIC_AND_REVERSE: return s & ~d;
    case QPUCC_LOGIC_AND_INVERTED: return ~s & d;
    case QPUCC_LOGIC_NOOP: return d;
    case QPUCC_LOGIC_XOR: return s ^ d;
    case QPUCC_LOGIC_OR: return s | d;
    case QPUCC_LOGIC_NOR: return ~(s | d);
    case QPUCC_LOGIC_EQUIV: return ~(s ^ d);
    case QPUCC_LOGIC_INVERT: return ~d;
    case QPUCC_LOGIC_OR_REVERSE: return s | ~d;
    case QPUCC_LOGIC_COPY_INVERTED: return ~s;
    case QPUCC_LOGIC_OR_INVERTED: return ~s | d;
    case QPUCC_LOGIC_NAND: return ~(s & d);
    case QPUCC_LOGIC_SET: return ~0u;
    default: return s;
    }
}

/* The matrix of ordered dithering, in sixteenths of a step: 0, 8, 2, 10 in the first row. */
static const uint8_t bayer[4][4] = {{0, 8, 2, 10}, {12, 4, 14, 6}, {3, 11, 1, 9}, {15, 7, 13, 5}};

/* To the target's bits, as a number. */
static unsigned quantise(const struct qpucc_state *state, const struct fragment *in, double x,
                         unsigned channel) {
    unsigned bits = reference_bits(state, channel), most = (1u << bits) - 1;
    double byte = floor(clamp(x) * 255 + 0.5);
    if (state->dither && bits < 8 && channel < 3) {
        double step = bits == 4 ? bayer[in->y & 3][in->x & 3] : bayer[in->y & 3][in->x & 3] / 2;
        byte = fmin(byte + step, 255) - (bits == 4 ? 8 : 4);
        byte = fmax(byte, 0);
    }
    return bits == 8 ? (unsigned)byte : (unsigned)floor(byte * most / 255 + 0.5);
}

static double of_bits(const struct qpucc_state *state, unsigned number, unsigned channel) {
    unsigned bits = reference_bits(state, channel), n = number & ((1u << bits) - 1);
    return (bits == 5 ? n << 3 | n >> 2 : n * 255 / ((1u << bits) - 1)) / 255.0; /* as it reads back */
}

static void one_sample(const struct qpucc_state *state, const struct qpucc_draw_state *draw,
                       const struct fragment *in, const double color[4], unsigned sample, double slack,
                       struct expected *out) {
    double d[4], linear[4], s[4], result[4];
    for (unsigned i = 0; i < 4; i++) {
        d[i] = reference_channel(state, in->tile[sample], i);
        linear[i] = state->srgb_write && i < 3 ? to_linear(d[i]) : d[i];
        s[i] = is_float(state) ? color[i] : clamp(color[i]);
    }
    reference_blend(state, draw, s, in->second, linear, result);
    for (unsigned i = 0; i < 4; i++) {
        if (is_float(state)) {
            out->low[sample][i] = result[i] - slack - fabs(result[i]) / 500;
            out->high[sample][i] = result[i] + slack + fabs(result[i]) / 500;
            continue;
        }
        double x = clamp(result[i]);
        x = state->srgb_write && i < 3 ? to_srgb(x) : x;
        unsigned low = quantise(state, in, x - slack, i), high = quantise(state, in, x + slack, i);
        if (state->logic_op) {
            unsigned most = (1u << reference_bits(state, i)) - 1;
            unsigned tile = (unsigned)(d[i] * most + 0.5);
            low = high = logic(state->logic_op, quantise(state, in, x, i), tile);
        }
        out->low[sample][i] = of_bits(state, low, i);
        out->high[sample][i] = of_bits(state, high, i);
    }
}

void reference(const struct qpucc_state *state, const struct qpucc_draw_state *draw,
               const struct fragment *in, double slack, struct expected *out) {
    double color[4];
    memcpy(color, in->color, sizeof color);
    memset(out, 0, sizeof *out);
    for (unsigned i = 0; i < 4; i++)
        out->kept[i] = state->keep_channels >> i & 1;
    bool inside = inside_chroma(draw, color);
    out->dropped = (state->chroma_key == QPUCC_CHROMA_DISCARD_INSIDE && inside) ||
                   (state->chroma_key == QPUCC_CHROMA_DISCARD_OUTSIDE && !inside) ||
                   stippled(state, draw, in);
    for (int i = 0; i < 3 && state->fog; i++)
        color[i] = fogged(state, draw, in, color[i], (double)draw->fog_color[i]);
    if (state->line_smooth)
        color[3] = clamp(color[3]) * clamp((0.5 - fabs(in->across - 0.5)) * (double)draw->line_width);
    out->samples = state->multisample ? 15 : 1;
    if (state->alpha_to_coverage)
        out->samples &= (1u << (unsigned)(clamp(color[3]) * 4 + 0.5)) - 1;
    if (state->sample_mask)
        out->samples &= draw->sample_mask_bits;
    if (state->alpha_to_one)
        color[3] = 1;
    double alpha = color[3], reference = (double)draw->alpha_reference;
    if (!is_float(state)) {
        alpha = floor(clamp(alpha) * 255 + 0.5);
        reference = floor(clamp(reference) * 255 + 0.5);
    }
    out->dropped |= !compares(state->alpha_func, alpha, reference);
    for (unsigned s = 0; s < (state->multisample ? 4 : 1); s++)
        one_sample(state, draw, in, color, s, slack, out);
}
