/* Texture state against a model in C: random formats, swizzles, sRGB, comparisons, borders and rectangles;
 * every byte of sRGB; luma and chroma against the standards' formulas.
 *
 *     state_textures [SEED [COUNT]]
 *
 * A vertex shader looks up sixteen texels, so that the words of its varyings can be compared and not the
 * bytes of a picture. Numbers of a texel's own bits must be exact; what is multiplied may be off in the last
 * two places, because levels of optimisation order products differently. */
#include "lanes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 16, TEXELS = SIDE * SIDE };

static unsigned failures;

static void fail(const char *what, const struct qpucc_texture_state *t, float got, double want) {
    if (failures++ < 20)
        printf("%s: format %u, swizzle %u %u %u %u, sRGB %u, compare %u, YUV %u %u: %.9g instead of %.9g\n",
               what, t->format, t->swizzle[0], t->swizzle[1], t->swizzle[2], t->swizzle[3], t->srgb,
               t->compare, t->yuv, t->yuv_matrix, (double)got, want);
}

/* --- a texture in memory -------------------------------------------------------------------------------- */

static struct qpusim_memory *memory;

static void upload(const void *pixels, enum qpusim_format format, unsigned width, unsigned height,
                   enum qpusim_wrap wrap, uint32_t setup[4]) {
    struct qpusim_image image = {pixels, width, height};
    struct qpusim_texture_info info = {.format = format,
                                       .levels = &image,
                                       .level_count = 1,
                                       .wrap_s = wrap,
                                       .wrap_t = wrap,
                                       .mag = QPUSIM_MAG_NEAREST,
                                       .min = QPUSIM_MIN_NEAREST};
    struct qpusim_texture texture;
    if (qpusim_upload_texture(memory, &info, &texture) != QPUSIM_OK) {
        printf("no memory for a texture\n");
        exit(1);
    }
    setup[0] = texture.p0;
    setup[1] = texture.p1;
    setup[2] = texture.p2;
}

/* How a format lies in memory. */
static enum qpusim_format storage(unsigned format, unsigned *bytes) {
    switch (format) {
    case QPUCC_TEX_LUMINANCE:
    case QPUCC_TEX_INTENSITY:
    case QPUCC_TEX_RED:
    case QPUCC_TEX_RED_SNORM: *bytes = 1; return QPUSIM_LUMINANCE;
    case QPUCC_TEX_ALPHA: *bytes = 1; return QPUSIM_ALPHA;
    case QPUCC_TEX_LUMINANCE_ALPHA:
    case QPUCC_TEX_RG:
    case QPUCC_TEX_RG_SNORM:
    case QPUCC_TEX_R16:
    case QPUCC_TEX_R16F:
    case QPUCC_TEX_DEPTH16: *bytes = 2; return QPUSIM_LUMALPHA;
    default: *bytes = 4; return QPUSIM_RGBA8888;
    }
}

/* --- the model ------------------------------------------------------------------------------------------ */

static double half(unsigned h) {
    int exponent = (int)(h >> 10 & 31);
    double value = ldexp(1024 + (h & 1023), exponent - 25);
    return h & 0x8000 ? -value : value;
}

static double snorm(unsigned byte) {
    double value = (double)(int8_t)byte / 127;
    return value < -1 ? -1 : value;
}

/* Channel 0 to 3 of a texel as GL has it, by what its bytes mean in memory. */
static double format_channel(unsigned format, const uint8_t *p, unsigned channel) {
    uint32_t pair = p[0] | (uint32_t)p[1] << 8, word = pair | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
    double missing = channel == 3;
    switch (format) {
    case QPUCC_TEX_RGBX: return channel == 3 ? 1 : p[channel] / 255.0;
    case QPUCC_TEX_BGRA: return p[channel == 3 ? 3 : 2 - channel] / 255.0;
    case QPUCC_TEX_BGRX: return channel == 3 ? 1 : p[2 - channel] / 255.0;
    case QPUCC_TEX_LUMINANCE: return channel == 3 ? 1 : p[0] / 255.0;
    case QPUCC_TEX_ALPHA: return channel == 3 ? p[0] / 255.0 : 0;
    case QPUCC_TEX_LUMINANCE_ALPHA: return p[channel == 3] / 255.0;
    case QPUCC_TEX_INTENSITY: return p[0] / 255.0;
    case QPUCC_TEX_RED: return channel < 1 ? p[0] / 255.0 : missing;
    case QPUCC_TEX_RG: return channel < 2 ? p[channel] / 255.0 : missing;
    case QPUCC_TEX_RGBA_SNORM: return snorm(p[channel]);
    case QPUCC_TEX_RG_SNORM: return channel < 2 ? snorm(p[channel]) : missing;
    case QPUCC_TEX_RED_SNORM: return channel < 1 ? snorm(p[0]) : missing;
    case QPUCC_TEX_R16:
    case QPUCC_TEX_DEPTH16: return channel < 1 ? pair / 65535.0 : missing;
    case QPUCC_TEX_RG16: return channel < 2 ? (word >> 16 * channel & 0xffff) / 65535.0 : missing;
    case QPUCC_TEX_R16F: return channel < 1 ? half(pair) : missing;
    case QPUCC_TEX_RG16F: return channel < 2 ? half(word >> 16 * channel & 0xffff) : missing;
    case QPUCC_TEX_R32F:
    case QPUCC_TEX_DEPTH32F: return channel < 1 ? (double)lanes_float(word) : missing;
    case QPUCC_TEX_RGB10_A2:
        return channel == 3 ? (word >> 30) / 3.0 : (word >> 10 * channel & 1023) / 1023.0;
    case QPUCC_TEX_DEPTH24: return channel < 1 ? (word >> 8) / 16777215.0 : missing;
    default: return p[channel] / 255.0;
    }
}

static double srgb_to_linear(double c) {
    return c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
}

static double model(const struct qpucc_texture_state *t, const uint8_t *texel, unsigned channel) {
    unsigned swizzle = t->swizzle[channel];
    if (swizzle >= QPUCC_SWIZZLE_ZERO)
        return swizzle == QPUCC_SWIZZLE_ONE;
    unsigned from = swizzle ? swizzle - QPUCC_SWIZZLE_RED : channel;
    double value = format_channel(t->format, texel, from);
    return t->srgb && from < 3 ? srgb_to_linear(value) : value;
}

/* Are the texel's bits the result's, so that nothing may be lost? */
static bool is_plain(unsigned format) {
    unsigned bytes;
    storage(format, &bytes);
    return (format <= QPUCC_TEX_RG) || format == QPUCC_TEX_R16F || format == QPUCC_TEX_RG16F ||
           format == QPUCC_TEX_R32F || format == QPUCC_TEX_DEPTH32F;
}

/* --- random state --------------------------------------------------------------------------------------- */

static void random_texels(struct lanes_random *random, unsigned format, uint8_t *pixels, size_t size) {
    for (size_t i = 0; i < size; i++)
        pixels[i] = (uint8_t)lanes_word(random);
    /* numbers that the hardware has: no denormals, infinities and NaN */
    for (size_t i = 0; i + 1 < size; i += 2)
        if (format == QPUCC_TEX_R16F || format == QPUCC_TEX_RG16F)
            pixels[i + 1] = (uint8_t)((pixels[i + 1] & 0x83) | (1 + lanes_below(random, 30)) << 2);
    for (size_t i = 0; i + 3 < size; i += 4)
        if (format == QPUCC_TEX_R32F || format == QPUCC_TEX_DEPTH32F) {
            uint32_t bits = lanes_bits((float)lanes_word(random) / 4294967296.0f);
            memcpy(pixels + i, &bits, 4);
        }
}

static struct qpusim_vertices coordinates(struct lanes_random *random, double unit,
                                          unsigned place[QPUSIM_LANES]) {
    struct qpusim_vertices v = {.count = QPUSIM_LANES, .row_count = 2};
    for (unsigned i = 0; i < QPUSIM_LANES; i++) {
        unsigned x = lanes_below(random, SIDE), y = lanes_below(random, SIDE);
        place[i] = y * SIDE + x;
        v.rows[0][i] = lanes_bits((float)((x + 0.25 + lanes_below(random, 128) / 256.0) * unit));
        v.rows[1][i] = lanes_bits((float)((y + 0.25 + lanes_below(random, 128) / 256.0) * unit));
    }
    return v;
}

static const char lookup[] =
    "attribute vec2 c;\nuniform sampler2D s;\nvarying vec4 v;\n"
    "void main() {\n    v = texture2D(s, c);\n    gl_Position = vec4(c, 0.0, 1.0);\n}\n";

static void expect(const char *what, const struct qpucc_texture_state *t, uint32_t bits, double want,
                   double tolerance) {
    float got = lanes_float(bits);
    if (!(fabs((double)got - want) <= tolerance))
        fail(what, t, got, want);
}

static void try_format(struct lanes_random *random, struct qpucc_texture_state t, int level) {
    uint8_t pixels[4 * TEXELS];
    unsigned bytes, place[QPUSIM_LANES];
    uint32_t setup[QPUCC_MAX_TEXTURES][4] = {{0}}, out[LANES_VARYINGS][QPUSIM_LANES];
    enum qpusim_format format = storage(t.format, &bytes);
    struct qpucc_state state = {.texture = {t}};
    struct qpucc_draw_values values = {.textures = (const uint32_t(*)[4])setup};
    random_texels(random, t.format, pixels, (size_t)bytes * TEXELS);
    qpusim_memory_reset(memory);
    upload(pixels, format, SIDE, SIDE, QPUSIM_REPEAT, setup[0]);
    struct qpusim_vertices vertices = coordinates(random, t.rectangle ? 1 : 1.0 / SIDE, place);
    qpucc_program *program = lanes_compile(lookup, &state, level);
    if (!program || !lanes_run(program, &values, memory, &vertices, out)) {
        failures++;
    } else {
        for (unsigned i = 0; i < QPUSIM_LANES; i++)
            for (unsigned k = 0; k < 4; k++) {
                uint8_t texel[4] = {0};
                memcpy(texel, pixels + bytes * place[i], bytes);
                double want = model(&t, texel, k), size = fmax(fabs(want), 1.0 / 1024);
                double tolerance = t.srgb ? 3e-5 : is_plain(t.format) ? size * 0x1p-23 : size * 0x1p-21;
                if (is_plain(t.format) && !t.srgb && lanes_float(out[k][i]) != lanes_truncate(want))
                    fail("not exact", &t, lanes_float(out[k][i]), want);
                expect("texel", &t, out[k][i], want, tolerance);
            }
    }
    qpucc_program_free(program);
}

static void random_formats(struct lanes_random *random, unsigned count) {
    for (unsigned n = 0; n < count; n++) {
        struct qpucc_texture_state t = {.format = (uint8_t)(n % QPUCC_TEX_FORMAT_COUNT)};
        for (unsigned k = 0; k < 4; k++)
            t.swizzle[k] = n >= QPUCC_TEX_FORMAT_COUNT && lanes_below(random, 2)
                               ? (uint8_t)lanes_below(random, QPUCC_SWIZZLE_COUNT)
                               : 0;
        bool bytes = t.format <= QPUCC_TEX_RG;
        t.srgb = bytes && lanes_below(random, 4) == 0;
        t.rectangle = lanes_below(random, 4) == 0;
        try_format(random, t, n % 2 ? 2 : 0);
    }
}

/* --- one level of several ------------------------------------------------------------------------------- */

/* Each level has a colour of its own, and three lookups ask for others. */
static void one_level(int optimisation) {
    enum { LEVELS = 4 };
    static const char shader[] =
        "attribute vec2 c;\nuniform sampler2D s;\nvarying vec4 v;\n"
        "void main() {\n    v = vec4(texture2D(s, c).r, texture2DLod(s, c, 1.0).r,"
        " texture2DLod(s, c, 3.0).r, 1.0);\n    gl_Position = vec4(c, 0.0, 1.0);\n}\n";
    static const uint8_t red[LEVELS] = {10, 90, 170, 250};
    uint8_t pixels[LEVELS][TEXELS];
    struct qpusim_image images[LEVELS];
    for (unsigned n = 0; n < LEVELS; n++) {
        memset(pixels[n], red[n], TEXELS);
        images[n] = (struct qpusim_image){pixels[n], SIDE >> n, SIDE >> n};
    }
    struct qpusim_texture_info info = {.format = QPUSIM_LUMINANCE,
                                       .levels = images,
                                       .level_count = LEVELS,
                                       .min = QPUSIM_MIN_NEAREST_MIP_NEAREST};
    for (unsigned one = 0; one <= LEVELS; one++) {
        struct qpucc_state state = {.texture = {{.format = QPUCC_TEX_LUMINANCE, .one_level = (uint8_t)one}}};
        uint32_t setup[QPUCC_MAX_TEXTURES][4] = {{0}}, out[LANES_VARYINGS][QPUSIM_LANES];
        struct qpucc_draw_values values = {.textures = (const uint32_t(*)[4])setup};
        struct qpusim_vertices v = {.count = QPUSIM_LANES, .row_count = 2};
        struct qpusim_texture texture;
        qpusim_memory_reset(memory);
        qpusim_upload_texture(memory, &info, &texture);
        setup[0][0] = texture.p0, setup[0][1] = texture.p1, setup[0][2] = texture.p2;
        qpucc_program *program = lanes_compile(shader, &state, optimisation);
        if (!program || !lanes_run(program, &values, memory, &v, out))
            failures++;
        else
            for (unsigned k = 0; k < 3; k++) {
                static const unsigned asked[3] = {0, 1, 3};
                expect("level", &state.texture[0], out[k][0], red[one ? one - 1 : asked[k]] / 255.0, 1e-6);
            }
        qpucc_program_free(program);
    }
}

/* --- sRGB: every byte ----------------------------------------------------------------------------------- */

static void every_srgb_byte(int level) {
    uint8_t pixels[TEXELS];
    uint32_t setup[QPUCC_MAX_TEXTURES][4] = {{0}}, out[LANES_VARYINGS][QPUSIM_LANES];
    struct qpucc_state state = {.texture = {{.format = QPUCC_TEX_LUMINANCE, .srgb = 1}}};
    struct qpucc_draw_values values = {.textures = (const uint32_t(*)[4])setup};
    for (unsigned i = 0; i < TEXELS; i++)
        pixels[i] = (uint8_t)i;
    qpusim_memory_reset(memory);
    upload(pixels, QPUSIM_LUMINANCE, SIDE, SIDE, QPUSIM_REPEAT, setup[0]);
    qpucc_program *program = lanes_compile(lookup, &state, level);
    for (unsigned row = 0; program && row < SIDE; row++) {
        struct qpusim_vertices v = {.count = QPUSIM_LANES, .row_count = 2};
        for (unsigned i = 0; i < QPUSIM_LANES; i++) {
            v.rows[0][i] = lanes_bits(((float)i + 0.5f) / SIDE);
            v.rows[1][i] = lanes_bits(((float)row + 0.5f) / SIDE);
        }
        if (!lanes_run(program, &values, memory, &v, out)) {
            failures++;
            break;
        }
        for (unsigned i = 0; i < QPUSIM_LANES; i++) {
            double want = srgb_to_linear((row * SIDE + i) / 255.0), got = (double)lanes_float(out[0][i]);
            if (floor(got * 255 + 0.5) != floor(want * 255 + 0.5) || fabs(got - want) > 2.4e-5)
                fail("sRGB byte", &state.texture[0], (float)got, want);
        }
        if (row == SIDE - 1 && lanes_float(out[0][15]) != 1.0f)
            fail("sRGB white", &state.texture[0], lanes_float(out[0][15]), 1);
        if (row == 0 && out[0][0] != 0)
            fail("sRGB black", &state.texture[0], lanes_float(out[0][0]), 0);
    }
    failures += !program;
    qpucc_program_free(program);
}

/* --- comparisons ---------------------------------------------------------------------------------------- */

static bool holds(unsigned compare, double reference, double depth) {
    switch (compare) {
    case QPUCC_COMPARE_LEQUAL: return reference <= depth;
    case QPUCC_COMPARE_LESS: return reference < depth;
    case QPUCC_COMPARE_GEQUAL: return reference >= depth;
    case QPUCC_COMPARE_GREATER: return reference > depth;
    case QPUCC_COMPARE_EQUAL: return reference == depth;
    case QPUCC_COMPARE_NOTEQUAL: return reference != depth;
    default: return compare == QPUCC_COMPARE_ALWAYS;
    }
}

static const char shadow[] = "#version 300 es\nin vec3 c;\nuniform highp sampler2DShadow s;\nout vec4 v;\n"
                             "void main() {\n    v = vec4(textureLod(s, c, 0.0));\n"
                             "    gl_Position = vec4(c, 1.0);\n}\n";

/* References are near the depth, the depth itself where its bits are known, and beyond 0 and 1. */
static void try_compare(struct lanes_random *random, struct qpucc_texture_state t, int level) {
    uint8_t pixels[4 * TEXELS];
    unsigned bytes, place[QPUSIM_LANES];
    uint32_t setup[QPUCC_MAX_TEXTURES][4] = {{0}}, out[LANES_VARYINGS][QPUSIM_LANES];
    enum qpusim_format format = storage(t.format, &bytes);
    struct qpucc_state state = {.texture = {t}};
    struct qpucc_draw_values values = {.textures = (const uint32_t(*)[4])setup};
    bool whole = t.format == QPUCC_TEX_DEPTH16 || t.format == QPUCC_TEX_DEPTH24;
    random_texels(random, t.format, pixels, (size_t)bytes * TEXELS);
    for (unsigned i = 0; i < TEXELS; i += 8) /* 0 and 1 are what references beyond them are clamped to */
        if (whole)
            memset(pixels + bytes * i, i % 16 ? 255 : 0, bytes);
    qpusim_memory_reset(memory);
    upload(pixels, format, SIDE, SIDE, QPUSIM_REPEAT, setup[0]);
    struct qpusim_vertices vertices = coordinates(random, 1.0 / SIDE, place);
    vertices.row_count = 3;
    double reference[QPUSIM_LANES], depth[QPUSIM_LANES];
    for (unsigned i = 0; i < QPUSIM_LANES; i++) {
        uint8_t texel[4] = {0};
        if (whole && i % 4 == 0) {
            place[i] &= ~7u;
            vertices.rows[0][i] = lanes_bits(((float)(place[i] % SIDE) + 0.5f) / SIDE);
        }
        memcpy(texel, pixels + bytes * place[i], bytes);
        double d = format_channel(t.format, texel, 0);
        bool exact = !whole || d == 0 || d == 1;
        unsigned kind = lanes_below(random, 4);
        float r = exact && kind == 0 ? (float)d : (float)(d + (kind == 1 ? -1e-4 : 1e-4));
        if (whole && kind == 3)
            r = d < 0.5 ? -3.0f : 7.0f;
        vertices.rows[2][i] = lanes_bits(r);
        depth[i] = d;
        reference[i] = whole ? fmin(fmax((double)r, 0), 1) : (double)r;
    }
    qpucc_program *program = lanes_compile(shadow, &state, level);
    if (!program || !lanes_run(program, &values, memory, &vertices, out))
        failures++;
    for (unsigned i = 0; program && i < QPUSIM_LANES; i++)
        expect("shadow", &t, out[0][i], holds(t.compare, reference[i], depth[i]), 0);
    qpucc_program_free(program);
}

static void comparisons(struct lanes_random *random) {
    static const uint8_t formats[] = {QPUCC_TEX_DEPTH16, QPUCC_TEX_DEPTH24, QPUCC_TEX_DEPTH32F};
    for (unsigned n = 0; n < 2 * QPUCC_COMPARE_COUNT; n++) {
        struct qpucc_texture_state t = {.format = formats[n % 3],
                                        .compare = (uint8_t)(n % QPUCC_COMPARE_COUNT),
                                        .swizzle = {QPUCC_SWIZZLE_ONE}}; /* is about texels only */
        try_compare(random, t, n < QPUCC_COMPARE_COUNT ? 2 : 0);
    }
}

/* --- the border ----------------------------------------------------------------------------------------- */

static void border(struct lanes_random *random, int level) {
    uint32_t pixels[TEXELS], setup[QPUCC_MAX_TEXTURES][4] = {{0}}, out[LANES_VARYINGS][QPUSIM_LANES];
    struct qpucc_state state = {.texture = {{.border = 1}}};
    struct qpucc_draw_values values = {.textures = (const uint32_t(*)[4])setup};
    struct qpusim_vertices v = {.count = QPUSIM_LANES, .row_count = 2};
    values.state.border_color[0] = lanes_word(random);
    values.state.border_color[1] = ~values.state.border_color[0];
    for (unsigned i = 0; i < TEXELS; i++)
        pixels[i] = lanes_word(random);
    qpusim_memory_reset(memory);
    upload(pixels, QPUSIM_RGBA8888, SIDE, SIDE, QPUSIM_BORDER, setup[0]);
    unsigned place[QPUSIM_LANES];
    v = coordinates(random, 1.0 / SIDE, place);
    for (unsigned i = 0; i < QPUSIM_LANES; i += 2)
        v.rows[i / 2 % 2][i] = lanes_bits(i % 8 < 4 ? -0.3f : 1.2f);
    qpucc_program *program = lanes_compile(lookup, &state, level);
    if (!program || !lanes_run(program, &values, memory, &v, out))
        failures++;
    for (unsigned i = 0; program && i < QPUSIM_LANES; i++)
        for (unsigned k = 0; k < 4; k++) {
            uint32_t word = i % 2 ? pixels[place[i]] : values.state.border_color[0];
            expect("border", &state.texture[0], out[k][i], (word >> 8 * k & 255) / 255.0, 0x1p-23);
        }
    qpucc_program_free(program);
}

/* --- luma and chroma ------------------------------------------------------------------------------------ */

/* ITU-R BT.601 and BT.709: from bytes to red, green and blue. */
static void to_rgb(unsigned matrix, double y, double u, double v, double rgb[3]) {
    bool full = matrix == QPUCC_YUV_BT601_FULL || matrix == QPUCC_YUV_BT709_FULL;
    bool bt601 = matrix == QPUCC_YUV_BT601_FULL || matrix == QPUCC_YUV_BT601_VIDEO;
    double kr = bt601 ? 0.299 : 0.2126, kb = bt601 ? 0.114 : 0.0722, kg = 1 - kr - kb;
    double luma = full ? y / 255 : (y - 16) / 219, range = full ? 255 : 224;
    double cb = (u - 128) / range, cr = (v - 128) / range;
    rgb[0] = luma + 2 * (1 - kr) * cr;
    rgb[2] = luma + 2 * (1 - kb) * cb;
    rgb[1] = (luma - kr * rgb[0] - kb * rgb[2]) / kg;
    for (unsigned k = 0; k < 3; k++)
        rgb[k] = fmin(fmax(rgb[k], 0), 1);
}

static void try_yuv(struct lanes_random *random, struct qpucc_texture_state t, int level) {
    uint8_t y[TEXELS], u[TEXELS / 4], v[TEXELS / 4], uv[TEXELS / 2], pairs[2 * TEXELS];
    uint32_t setup[QPUCC_MAX_TEXTURES][4] = {{0}}, out[LANES_VARYINGS][QPUSIM_LANES];
    unsigned place[QPUSIM_LANES], half_side = SIDE / 2;
    bool packed = t.yuv == QPUCC_YUV_YUYV || t.yuv == QPUCC_YUV_UYVY;
    for (unsigned i = 0; i < TEXELS; i++)
        y[i] = (uint8_t)lanes_word(random);
    for (unsigned i = 0; i < TEXELS / 4; i++) {
        u[i] = (uint8_t)lanes_word(random);
        v[i] = (uint8_t)lanes_word(random);
        uv[2 * i] = t.yuv == QPUCC_YUV_2_PLANES ? u[i] : v[i];
        uv[2 * i + 1] = t.yuv == QPUCC_YUV_2_PLANES ? v[i] : u[i];
    }
    for (unsigned i = 0; i < 2 * TEXELS; i++) /* chroma of a pair: one of the rows of u and v, each twice */
        pairs[i] = (t.yuv == QPUCC_YUV_YUYV) == (i % 2 == 0)
                       ? y[i / 2]
                       : (i / 2 % 2 ? v : u)[i / 2 / SIDE / 2 * half_side + i / 2 % SIDE / 2];
    t.plane[0] = (uint8_t)(1 + lanes_below(random, 15));
    t.plane[1] = (uint8_t)(1 + (t.plane[0] + lanes_below(random, 14)) % 15);
    qpusim_memory_reset(memory);
    upload(packed ? pairs : y, packed ? QPUSIM_RGBA8888 : QPUSIM_LUMINANCE, packed ? half_side : SIDE, SIDE,
           QPUSIM_CLAMP, setup[0]);
    if (t.yuv == QPUCC_YUV_3_PLANES) {
        upload(u, QPUSIM_LUMINANCE, half_side, half_side, QPUSIM_CLAMP, setup[t.plane[0]]);
        upload(v, QPUSIM_LUMINANCE, half_side, half_side, QPUSIM_CLAMP, setup[t.plane[1]]);
    } else if (!packed)
        upload(uv, QPUSIM_LUMALPHA, half_side, half_side, QPUSIM_CLAMP, setup[t.plane[0]]);
    struct qpucc_state state = {.texture = {t}};
    struct qpucc_draw_values values = {.textures = (const uint32_t(*)[4])setup};
    struct qpusim_vertices vertices = coordinates(random, 1.0 / SIDE, place);
    vertices.rows[0][0] = lanes_bits(1.0f); /* beyond the edge is the edge */
    place[0] |= SIDE - 1;
    vertices.rows[0][1] = lanes_bits(-0.1f);
    place[1] -= place[1] % SIDE;
    qpucc_program *program = lanes_compile(lookup, &state, level);
    if (!program || !lanes_run(program, &values, memory, &vertices, out))
        failures++;
    for (unsigned i = 0; program && i < QPUSIM_LANES; i++) {
        unsigned at = place[i] / SIDE / 2 * half_side + place[i] % SIDE / 2;
        double rgb[3];
        to_rgb(t.yuv_matrix, y[place[i]], u[at], v[at], rgb);
        for (unsigned k = 0; k < 3; k++)
            expect("YUV", &t, out[k][i], t.srgb ? srgb_to_linear(rgb[k]) : rgb[k], t.srgb ? 3e-5 : 1e-6);
        expect("YUV", &t, out[3][i], 1, 0);
    }
    qpucc_program_free(program);
}

static void luma_and_chroma(struct lanes_random *random) {
    for (unsigned n = 0; n < 2 * QPUCC_YUV_MATRIX_COUNT * (QPUCC_YUV_COUNT - 1); n++) {
        struct qpucc_texture_state t = {.yuv = (uint8_t)(1 + n % (QPUCC_YUV_COUNT - 1)),
                                        .yuv_matrix =
                                            (uint8_t)(n / (QPUCC_YUV_COUNT - 1) % QPUCC_YUV_MATRIX_COUNT),
                                        .srgb = lanes_below(random, 8) == 0};
        try_yuv(random, t, n % 2 ? 2 : 0);
    }
}

int main(int argc, char **argv) {
    struct lanes_random random = {argc > 1 ? strtoull(argv[1], NULL, 0) : 1};
    unsigned count = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 0) : 4 * QPUCC_TEX_FORMAT_COUNT;
    memory = qpusim_memory_new(1 << 20);
    if (!memory)
        return 1;
    random_formats(&random, count);
    every_srgb_byte(0);
    every_srgb_byte(2);
    comparisons(&random);
    border(&random, 0);
    border(&random, 2);
    one_level(0);
    one_level(2);
    luma_and_chroma(&random);
    qpusim_memory_free(memory);
    printf("%u random formats, every byte of sRGB, comparisons, borders, single levels, luma and chroma: %u "
           "wrong\n",
           count, failures);
    return failures != 0;
}
