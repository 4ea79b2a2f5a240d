/* Textures: storage layouts, filters, wrap modes, levels of detail, formats, cube maps, direct loads. The
 * expected colours come from formulas in double precision over the plain image. */
#include <math.h>

#include "machine_test.h"

/* Lookup of s, t (attribute words) with optional bias or explicit level; the result goes to row 0. */
static const char *const plain =
    "movi vr_setup, 0x301a00\nmovi vw_setup, 0x1a00\nmov ra0, vpm\nmov ra1, vpm\nmov ra2, vpm\n"
    "mov t0t, ra1\nmov t0s, ra0\nnop; nop; ldtmu0\nmov vpm, r4\nnop; nop; thrend\nnop\nnop\n";
static const char *const biased =
    "movi vr_setup, 0x301a00\nmovi vw_setup, 0x1a00\nmov ra0, vpm\nmov ra1, vpm\nmov ra2, vpm\n"
    "mov t0t, ra1\nmov t0b, ra2\nmov t0s, ra0\nnop; nop; ldtmu0\nmov vpm, r4\n"
    "nop; nop; thrend\nnop\nnop\n";
static const char *const third =
    "movi vr_setup, 0x301a00\nmovi vw_setup, 0x1a00\nmov ra0, vpm\nmov ra1, vpm\nmov ra2, vpm\n"
    "mov t0t, ra1\nmov t0r, ra2\nmov t0s, ra0\nnop; nop; ldtmu0\nmov vpm, r4\n"
    "nop; nop; thrend\nnop\nnop\n";

static void lookup(const char *text, struct qpusim_memory *memory, const uint32_t *words, unsigned count,
                   const float s[16], const float t[16], const float r[16], uint32_t out[16]) {
    static struct qpusim_vertices v;
    static struct qpusim_result result;
    struct qpusim_program *p = assemble(text, QPUSIM_VERTEX, false);
    v.count = 16;
    v.row_count = 3;
    for (unsigned i = 0; i < 16; i++) {
        v.rows[0][i] = bits_of(s[i]);
        v.rows[1][i] = bits_of(t[i]);
        v.rows[2][i] = bits_of(r ? r[i] : 0);
    }
    struct qpusim_run_info run = {
        .program = p, .memory = memory, .uniforms = {words, count, 0}, .vertices = &v};
    struct qpusim_error error;
    ck_assert_msg(qpusim_run(&run, NULL, &result, &error) == QPUSIM_OK, "%s: %s", error.rule, error.text);
    memcpy(out, result.rows[0], 64);
    qpusim_program_free(p);
}

static uint32_t image_color(unsigned x, unsigned y, unsigned level) {
    return (x * 7 + 3) % 256 | (y * 11 + 5) % 256 << 8 | ((x ^ y) * 5 + 40 * level) % 256 << 16 |
           (x + y + level * 60) % 256 << 24;
}

/* Images of all levels with colours that tell level and place. */
static void fill_levels(struct qpusim_image *images, unsigned w, unsigned h, unsigned levels) {
    for (unsigned n = 0; n < levels; n++) {
        unsigned lw = w >> n ? w >> n : 1, lh = h >> n ? h >> n : 1;
        uint32_t *p = malloc(lw * lh * 4);
        for (unsigned y = 0; y < lh; y++)
            for (unsigned x = 0; x < lw; x++)
                p[y * lw + x] = image_color(x, y, n);
        images[n] = (struct qpusim_image){p, lw, lh};
    }
}

static void free_levels(struct qpusim_image *images, unsigned levels) {
    for (unsigned n = 0; n < levels; n++)
        free((void *)images[n].pixels);
}

static int wrapped(int i, int n, unsigned mode) {
    switch (mode) {
    case QPUSIM_REPEAT: return ((i % n) + n) % n;
    case QPUSIM_MIRROR: i = ((i % (2 * n)) + 2 * n) % (2 * n); return i < n ? i : 2 * n - 1 - i;
    case QPUSIM_BORDER: return i < 0 || i >= n ? -1 : i;
    default: return i < 0 ? 0 : i >= n ? n - 1 : i;
    }
}

/* OpenGL ES 2.0 section 3.7.7, in double, with weights cut off to 7 bits as the chip's. */
static void reference(const struct qpusim_image *m, double s, double t, bool linear, unsigned ws, unsigned wt,
                      uint32_t border, double out[4]) {
    const uint32_t *p = m->pixels;
    int w = (int)m->width, h = (int)m->height;
    double u = s * w - (linear ? 0.5 : 0), v = t * h - (linear ? 0.5 : 0);
    int x = (int)floor(u), y = (int)floor(v);
    double a = linear ? floor((u - x) * 128) / 128 : 0, b = linear ? floor((v - y) * 128) / 128 : 0;
    for (unsigned c = 0; c < 4; c++) {
        out[c] = 0;
        for (int k = 0; k < 4; k++) {
            int tx = wrapped(x + (k & 1), w, ws), ty = wrapped(y + (k >> 1), h, wt);
            uint32_t color = tx < 0 || ty < 0 ? border : p[ty * w + tx];
            out[c] += (k & 1 ? a : 1 - a) * (k >> 1 ? b : 1 - b) * (color >> (8 * c) & 255);
        }
    }
}

static float random_coordinate(float range) {
    return ((float)(rand() % 20001) / 10000 - 1) * range + 0.5f;
}

START_TEST(filters_and_wraps) {
    static const unsigned sizes[][2] = {{64, 64}, {128, 32}, {16, 16}, {100, 60},
                                        {4, 2},   {1, 1},    {33, 70}, {256, 128}};
    struct qpusim_memory *memory = qpusim_memory_new(1 << 20);
    srand(3);
    for (unsigned z = 0; z < sizeof sizes / sizeof *sizes; z++) {
        struct qpusim_image image;
        fill_levels(&image, sizes[z][0], sizes[z][1], 1);
        for (unsigned mode = 0; mode < 32; mode++) {
            unsigned ws = mode & 3, wt = mode >> 2 & 3;
            bool linear = mode >> 4;
            struct qpusim_texture_info info = {.levels = &image,
                                               .level_count = 1,
                                               .wrap_s = ws,
                                               .wrap_t = wt,
                                               .mag = linear ? QPUSIM_MAG_LINEAR : QPUSIM_MAG_NEAREST,
                                               .min = linear ? QPUSIM_MIN_LINEAR : QPUSIM_MIN_NEAREST};
            struct qpusim_texture tex;
            qpusim_memory_reset(memory);
            ck_assert_int_eq(qpusim_upload_texture(memory, &info, &tex), QPUSIM_OK);
            uint32_t words[2] = {tex.p0, tex.p1}, out[16];
            float s[16], t[16];
            for (unsigned i = 0; i < 16; i++) {
                s[i] = random_coordinate(i < 8 ? 0.5f : 2.5f);
                t[i] = random_coordinate(i < 8 ? 0.5f : 2.5f);
                if (!linear) { /* away from texel edges */
                    s[i] = (floorf(s[i] * sizes[z][0]) + 0.5f) / (float)sizes[z][0];
                    t[i] = (floorf(t[i] * sizes[z][1]) + 0.5f) / (float)sizes[z][1];
                }
            }
            lookup(plain, memory, words, 2, s, t, NULL, out);
            for (unsigned i = 0; i < 16; i++) {
                double want[4];
                reference(&image, s[i], t[i], linear, ws, wt, 0, want);
                for (unsigned c = 0; c < 4; c++)
                    ck_assert_msg(fabs(want[c] - (out[i] >> (8 * c) & 255)) < (linear ? 0.6 : 0.1),
                                  "%ux%u mode %u at %g %g channel %u: %u instead of %g", sizes[z][0],
                                  sizes[z][1], mode, s[i], t[i], c, out[i] >> (8 * c) & 255, want[c]);
            }
        }
        free_levels(&image, 1);
    }
    qpusim_memory_free(memory);
}
END_TEST

START_TEST(border_color) {
    struct qpusim_memory *memory = qpusim_memory_new(1 << 20);
    struct qpusim_image image;
    fill_levels(&image, 8, 8, 1);
    struct qpusim_texture_info info = {.levels = &image,
                                       .level_count = 1,
                                       .wrap_s = QPUSIM_BORDER,
                                       .wrap_t = QPUSIM_BORDER,
                                       .mag = QPUSIM_MAG_NEAREST,
                                       .min = QPUSIM_MIN_NEAREST};
    struct qpusim_texture tex;
    ck_assert_int_eq(qpusim_upload_texture(memory, &info, &tex), QPUSIM_OK);
    uint32_t words[3] = {tex.p0, tex.p1, 0}, out[16];
    float s[16], t[16], r[16];
    for (unsigned i = 0; i < 16; i++) {
        s[i] = i & 1 ? 1.2f : 0.3f;
        t[i] = 0.3f;
        r[i] = float_of(0x11223344);
    }
    lookup(third, memory, words, 3, s, t, r, out);
    for (unsigned i = 0; i < 16; i++)
        ck_assert_uint_eq(out[i], i & 1 ? 0x11223344 : image_color(2, 2, 0));
    free_levels(&image, 1);
    qpusim_memory_free(memory);
}
END_TEST

START_TEST(mipmaps) {
    static const unsigned sizes[][2] = {{64, 64}, {256, 64}, {100, 36}, {48, 200}};
    struct qpusim_memory *memory = qpusim_memory_new(1 << 21);
    srand(5);
    for (unsigned z = 0; z < sizeof sizes / sizeof *sizes; z++) {
        unsigned w = sizes[z][0], h = sizes[z][1], levels = 1;
        while ((w > h ? w : h) >> levels)
            levels++;
        struct qpusim_image images[12];
        fill_levels(images, w, h, levels);
        for (unsigned min = 0; min < 6; min++) {
            struct qpusim_texture_info info = {.levels = images,
                                               .level_count = levels,
                                               .min = (enum qpusim_min)min,
                                               .mag = QPUSIM_MAG_NEAREST};
            struct qpusim_texture tex;
            qpusim_memory_reset(memory);
            ck_assert_int_eq(qpusim_upload_texture(memory, &info, &tex), QPUSIM_OK);
            for (unsigned explicit_lod = 0; explicit_lod < 2; explicit_lod++) {
                float s[16], t[16], b[16];
                double lod[16];
                for (unsigned quad = 0; quad < 4; quad++) {
                    /* A step of 2^k texels in x: the level of detail is k; plus the bias. */
                    double k = (quad + 1) * 0.7, step = exp2(k);
                    float s0 = random_coordinate(0.5f), t0 = random_coordinate(0.5f);
                    for (unsigned i = 0; i < 4; i++) {
                        unsigned l = quad * 4 + i;
                        s[l] = s0 + (float)(i & 1 ? step / w : 0);
                        t[l] = t0 + (float)(i & 2 ? step / 2 / h : 0);
                        b[l] = (float)l * 0.37f - 1.5f;
                        lod[l] = (explicit_lod ? 0 : k) + b[l];
                    }
                }
                uint32_t words[3] = {tex.p0, tex.p1, explicit_lod ? tex.p2 | QPUSIM_P2_BSLOD : 0}, out[16];
                lookup(biased, memory, words, 3, s, t, b, out);
                for (unsigned i = 0; i < 16; i++) {
                    double want[4], low[4], high[4];
                    double l = lod[i] > levels - 1 ? levels - 1 : lod[i];
                    bool linear = min == QPUSIM_MIN_LINEAR || min >= QPUSIM_MIN_LINEAR_MIP_NEAREST;
                    if (fabs(lod[i]) < 0.01 || (min % 2 == 0 && fabs(l - floor(l) - 0.5) < 0.01))
                        continue;
                    double u = s[i] * images[0].width, frac = u - floor(u), tv = t[i] * images[0].height;
                    if (lod[i] <= 0) {
                        if (frac < 0.01 || frac > 0.99 || tv - floor(tv) < 0.01 || tv - floor(tv) > 0.99)
                            continue;
                        reference(&images[0], s[i], t[i], false, 0, 0, 0, want);
                    } else if (min < 2) {
                        if (!linear &&
                            (frac < 0.01 || frac > 0.99 || tv - floor(tv) < 0.01 || tv - floor(tv) > 0.99))
                            continue;
                        reference(&images[0], s[i], t[i], linear, 0, 0, 0, want);
                    } else if (min == QPUSIM_MIN_NEAREST_MIP_NEAREST ||
                               min == QPUSIM_MIN_LINEAR_MIP_NEAREST) {
                        reference(&images[(unsigned)floor(l + 0.5)], s[i], t[i], linear, 0, 0, 0, want);
                    } else {
                        unsigned n = (unsigned)floor(l);
                        reference(&images[n], s[i], t[i], linear, 0, 0, 0, low);
                        reference(&images[n + 1 < levels ? n + 1 : n], s[i], t[i], linear, 0, 0, 0, high);
                        for (unsigned c = 0; c < 4; c++)
                            want[c] = low[c] + (high[c] - low[c]) * (l - n);
                    }
                    for (unsigned c = 0; c < 4; c++)
                        ck_assert_msg(fabs(want[c] - (out[i] >> (8 * c) & 255)) < 3,
                                      "%ux%u filter %u lod %g lane %u channel %u: %u instead of %g", w, h,
                                      min, lod[i], i, c, out[i] >> (8 * c) & 255, want[c]);
                }
            }
        }
        free_levels(images, levels);
    }
    qpusim_memory_free(memory);
}
END_TEST

/* Lookups at (s, t) and beside it, by steps in texels, in a texture whose level n has the colour 0x20 n;
 * every second column of level 0 is white. */
static uint32_t with_steps(const struct qpusim_texture_info *like, unsigned w, unsigned h, double s,
                           double step_s, double step_t) {
    struct qpusim_memory *memory = qpusim_memory_new(1 << 18);
    struct qpusim_image images[12];
    struct qpusim_texture_info info = *like;
    unsigned levels = 1;
    while ((w > h ? w : h) >> levels)
        levels++;
    fill_levels(images, w, h, levels);
    for (unsigned n = 0; n < levels; n++)
        for (unsigned i = 0; i < images[n].width * images[n].height; i++)
            ((uint32_t *)images[n].pixels)[i] = !n && i & 1 ? 0xffffffff : 0x20202020 * n;
    info.levels = images;
    info.level_count = levels;
    struct qpusim_texture tex;
    ck_assert_int_eq(qpusim_upload_texture(memory, &info, &tex), QPUSIM_OK);
    float u[16], v[16];
    for (unsigned i = 0; i < 16; i++) {
        u[i] = (float)((s + (i & 1 ? step_s : 0)) / w);
        v[i] = (float)((0.5 + (i & 2 ? step_t : 0)) / h);
    }
    uint32_t words[2] = {tex.p0, tex.p1}, out[16];
    lookup(plain, memory, words, 2, u, v, NULL, out);
    free_levels(images, levels);
    qpusim_memory_free(memory);
    return out[0] & 255;
}

/* Steps of more than the image, and levels of detail up to a half, as a Pi's verdicts have them. */
START_TEST(limits_of_levels) {
    struct qpusim_texture_info blend = {.mag = QPUSIM_MAG_NEAREST, .min = QPUSIM_MIN_NEAREST_MIP_LINEAR};
    ck_assert_uint_eq(with_steps(&blend, 64, 64, 0.5, 34.3, 14), 5 * 0x20 + 3); /* 5.1 */
    ck_assert_uint_eq(with_steps(&blend, 32, 64, 0.5, 34.3, 14), 5 * 0x20);
    ck_assert_uint_eq(with_steps(&blend, 64, 32, 0.5, 14, -34.3), 5 * 0x20);
    ck_assert_uint_eq(with_steps(&blend, 32, 64, 0.5, -40, 64), 6 * 0x20);
    /* Between a black and a white texel; the nearest one is white. */
    struct qpusim_texture_info level = {.mag = QPUSIM_MAG_LINEAR, .min = QPUSIM_MIN_NEAREST_MIP_NEAREST};
    for (unsigned i = 0; i < 2; i++) {
        level.min = i ? QPUSIM_MIN_NEAREST_MIP_LINEAR : QPUSIM_MIN_NEAREST_MIP_NEAREST;
        ck_assert_uint_eq(with_steps(&level, 16, 16, 9, 1.4, 1.4), 0x80);
        ck_assert_uint_ne(with_steps(&level, 16, 16, 9, 1.43, 1), 0x80);
    }
    level.mag = QPUSIM_MAG_NEAREST;
    level.min = QPUSIM_MIN_LINEAR_MIP_NEAREST;
    ck_assert_uint_eq(with_steps(&level, 16, 16, 9, 0.9, 0.9), 0xff);
    ck_assert_uint_eq(with_steps(&level, 16, 16, 9, 1.1, 0.9), 0x80);
}
END_TEST

START_TEST(generated_mipmaps) {
    struct qpusim_memory *memory = qpusim_memory_new(1 << 20);
    uint32_t pixels[32 * 32];
    for (unsigned i = 0; i < 32 * 32; i++)
        pixels[i] = (i / 32 + i % 32) & 1 ? 0xffffffff : 0xff000000;
    struct qpusim_image image = {pixels, 32, 32};
    struct qpusim_texture_info info = {
        .levels = &image, .level_count = 1, .generate_mipmaps = true, .min = QPUSIM_MIN_NEAREST_MIP_NEAREST};
    struct qpusim_texture tex;
    ck_assert_int_eq(qpusim_upload_texture(memory, &info, &tex), QPUSIM_OK);
    ck_assert_uint_eq(tex.p0 & 15, 5);
    uint32_t words[3] = {tex.p0, tex.p1, QPUSIM_P2_BSLOD}, out[16];
    float s[16] = {0}, b[16];
    for (unsigned i = 0; i < 16; i++)
        b[i] = 1 + (float)(i % 5);
    lookup(biased, memory, words, 3, s, s, b, out);
    for (unsigned i = 0; i < 16; i++)
        ck_assert_uint_eq(out[i], 0xff808080);
    qpusim_memory_free(memory);
}
END_TEST

/* Levels made of random pixels, one side longer than the other: each texel is the mean of four. */
START_TEST(generated_levels) {
    enum { W = 32, H = 8, LEVELS = 6 };
    uint8_t level[LEVELS][W * H][4];
    unsigned w = W, h = H;
    srand(11);
    for (unsigned i = 0; i < W * H * 4; i++)
        level[0][i / 4][i % 4] = (uint8_t)(rand() >> 7);
    for (unsigned n = 1; n < LEVELS; n++) {
        unsigned from = w, across = w > 1 ? 2 : 1, down = h > 1 ? 2 : 1;
        w /= across, h /= down;
        for (unsigned i = 0; i < w * h * 4; i++) {
            unsigned sum = 0, x = i / 4 % w * across, y = i / 4 / w * down;
            for (unsigned k = 0; k < across * down; k++)
                sum += level[n - 1][(y + k / across) * from + x + k % across][i % 4];
            level[n][i / 4][i % 4] = (uint8_t)floor((double)sum / (across * down) + 0.5);
        }
    }
    struct qpusim_memory *memory = qpusim_memory_new(1 << 20);
    struct qpusim_image image = {level[0], W, H};
    struct qpusim_texture_info info = {
        .levels = &image, .level_count = 1, .generate_mipmaps = true, .min = QPUSIM_MIN_NEAREST_MIP_NEAREST};
    struct qpusim_texture tex;
    ck_assert_int_eq(qpusim_upload_texture(memory, &info, &tex), QPUSIM_OK);
    uint32_t words[3] = {tex.p0, tex.p1, QPUSIM_P2_BSLOD}, out[16], want;
    w = W, h = H;
    for (unsigned n = 0; n<LEVELS; n++, w = w> 1 ? w / 2 : 1, h = h > 1 ? h / 2 : 1)
        for (unsigned i = 0; i < w * h; i++) {
            float s[16], t[16], b[16];
            for (unsigned lane = 0; lane < 16; lane++) {
                s[lane] = ((float)(i % w) + 0.5f) / (float)w;
                t[lane] = ((float)(i / w) + 0.5f) / (float)h;
                b[lane] = (float)n;
            }
            lookup(biased, memory, words, 3, s, t, b, out);
            memcpy(&want, level[n][i], sizeof want);
            ck_assert_msg(out[0] == want, "level %u texel %u: %08x instead of %08x", n, i, out[0], want);
        }
    qpusim_memory_free(memory);
}
END_TEST

/* Random blocks of both kinds and both ways to halve a block, against the format's definition. */
START_TEST(compressed_blocks) {
    static const int modifiers[8][2] = {{2, 8},   {5, 17},  {9, 29},   {13, 42},
                                        {18, 60}, {24, 80}, {33, 106}, {47, 183}};
    struct qpusim_memory *memory = qpusim_memory_new(1 << 16);
    srand(12);
    for (unsigned n = 0; n < 200; n++) {
        uint8_t block[8];
        for (unsigned i = 0; i < 8; i++)
            block[i] = (uint8_t)(rand() >> 7);
        bool flip = block[3] % 2, differential = block[3] / 2 % 2;
        for (unsigned c = 0; c < 3 && differential; c++)
            block[c] = (uint8_t)((4 + rand() % 24) << 3 | (block[c] & 7)); /* the sum stays within 5 bits */
        struct qpusim_image image = {block, 4, 4};
        struct qpusim_texture_info info = {.format = QPUSIM_ETC1,
                                           .levels = &image,
                                           .level_count = 1,
                                           .mag = QPUSIM_MAG_NEAREST,
                                           .min = QPUSIM_MIN_NEAREST};
        struct qpusim_texture tex;
        qpusim_memory_reset(memory);
        ck_assert_int_eq(qpusim_upload_texture(memory, &info, &tex), QPUSIM_OK);
        uint32_t words[2] = {tex.p0, tex.p1}, out[16];
        float s[16], t[16];
        for (unsigned i = 0; i < 16; i++) {
            s[i] = ((float)(i % 4) + 0.5f) / 4;
            t[i] = ((float)(i / 4) + 0.5f) / 4;
        }
        lookup(plain, memory, words, 2, s, t, NULL, out);
        for (unsigned i = 0; i < 16; i++) {
            unsigned x = i % 4, y = i / 4, k = 4 * x + y;
            bool second = (flip ? y : x) >= 2;
            int larger = block[7 - k / 8] >> k % 8 & 1, minus = block[5 - k / 8] >> k % 8 & 1;
            int add = modifiers[block[3] / (second ? 4 : 32) % 8][larger] * (minus ? -1 : 1);
            for (unsigned c = 0; c < 3; c++) {
                int low = block[c] % 16, high = block[c] / 16, base = 17 * (second ? low : high);
                if (differential) {
                    int delta = block[c] % 8, five = block[c] / 8;
                    five += !second ? 0 : delta < 4 ? delta : delta - 8;
                    base = 8 * five + five / 4;
                }
                int want = base + add < 0 ? 0 : base + add > 255 ? 255 : base + add;
                ck_assert_msg((int)(out[i] >> 8 * c & 255) == want, "block %u texel %u channel %u: %u not %d",
                              n, i, c, out[i] >> 8 * c & 255, want);
            }
        }
    }
    qpusim_memory_free(memory);
}
END_TEST

START_TEST(formats) {
    static const struct {
        enum qpusim_format format;
        unsigned bytes;
        uint32_t raw, color;
    } cases[] = {
        {QPUSIM_RGBA8888, 4, 0x80402010, 0x80402010}, {QPUSIM_RGBX8888, 4, 0x80402010, 0xff402010},
        {QPUSIM_RGBA4444, 2, 0x1f08, 0x8800ff11},     {QPUSIM_RGBA5551, 2, 0xf801, 0xff0000ff},
        {QPUSIM_RGBA5551, 2, 0x07fe, 0x00ffff00},     {QPUSIM_RGB565, 2, 0x07e0, 0xff00ff00},
        {QPUSIM_RGB565, 2, 0x8410, 0xff848284},       {QPUSIM_LUMINANCE, 1, 0x5a, 0xff5a5a5a},
        {QPUSIM_ALPHA, 1, 0x5a, 0x5a000000},          {QPUSIM_LUMALPHA, 2, 0x805a, 0x805a5a5a},
        {QPUSIM_RGBA32R, 4, 0x01020304, 0x01020304},
    };
    struct qpusim_memory *memory = qpusim_memory_new(1 << 20);
    for (unsigned k = 0; k < sizeof cases / sizeof *cases; k++) {
        for (unsigned size = 8; size <= 128; size *= 4) {
            uint8_t *pixels = calloc(size * size, cases[k].bytes);
            unsigned x = size * 5 / 8, y = size * 3 / 8;
            memcpy(pixels + (y * size + x) * cases[k].bytes, &cases[k].raw, cases[k].bytes);
            struct qpusim_image image = {pixels, size, size};
            struct qpusim_texture_info info = {.format = cases[k].format,
                                               .levels = &image,
                                               .level_count = 1,
                                               .mag = QPUSIM_MAG_NEAREST,
                                               .min = QPUSIM_MIN_NEAREST};
            struct qpusim_texture tex;
            qpusim_memory_reset(memory);
            ck_assert_int_eq(qpusim_upload_texture(memory, &info, &tex), QPUSIM_OK);
            uint32_t words[2] = {tex.p0, tex.p1}, out[16];
            float s[16], t[16];
            for (unsigned i = 0; i < 16; i++) {
                s[i] = ((float)x + 0.5f) / (float)size;
                t[i] = ((float)y + 0.5f) / (float)size;
            }
            lookup(plain, memory, words, 2, s, t, NULL, out);
            ck_assert_msg(out[0] == cases[k].color, "format %d: %08x instead of %08x", cases[k].format,
                          out[0], cases[k].color);
            free(pixels);
        }
    }
    /* ETC1: one differential block, by hand: base (16, 8, 4) of 31, delta (1, -1, 0), tables 0 and 7,
     * flipped. */
    uint8_t block[8] = {16 << 3 | 1, 8 << 3 | 7, 4 << 3 | 0, 0 << 5 | 7 << 2 | 2 | 1, 0, 0, 0x80, 0x01};
    struct qpusim_image image = {block, 4, 4};
    struct qpusim_texture_info info = {.format = QPUSIM_ETC1,
                                       .levels = &image,
                                       .level_count = 1,
                                       .mag = QPUSIM_MAG_NEAREST,
                                       .min = QPUSIM_MIN_NEAREST};
    struct qpusim_texture tex;
    ck_assert_int_eq(qpusim_upload_texture(memory, &info, &tex), QPUSIM_OK);
    uint32_t words[2] = {tex.p0, tex.p1}, out[16];
    float s[16], t[16];
    for (unsigned i = 0; i < 16; i++) {
        s[i] = ((float)(i % 4) + 0.5f) / 4;
        t[i] = ((float)(i / 4) + 0.5f) / 4;
    }
    lookup(plain, memory, words, 2, s, t, NULL, out);
    for (unsigned i = 0; i < 16; i++) {
        bool lower = i / 4 >= 2;
        int base[3] = {lower ? 17 : 16, lower ? 7 : 8, 4}, modifier = lower ? 47 : 2;
        /* Texel (0, 0) is bit 0, (3, 3) bit 15: their low bits are set, the larger modifier. */
        if (i == 0)
            modifier = 8;
        if (i == 15)
            modifier = 183;
        for (unsigned c = 0; c < 3; c++) {
            int v = (base[c] << 3 | base[c] >> 2) + modifier;
            ck_assert_int_eq((int)(out[i] >> (8 * c) & 255), v > 255 ? 255 : v);
        }
    }
    qpusim_memory_free(memory);
}
END_TEST

START_TEST(cube) {
    struct qpusim_memory *memory = qpusim_memory_new(1 << 20);
    struct qpusim_image images[6];
    for (unsigned f = 0; f < 6; f++) {
        uint32_t *p = malloc(16 * 16 * 4);
        for (unsigned i = 0; i < 256; i++)
            p[i] = f << 24 | i;
        images[f] = (struct qpusim_image){p, 16, 16};
    }
    struct qpusim_texture_info info = {.levels = images,
                                       .level_count = 1,
                                       .cube = true,
                                       .mag = QPUSIM_MAG_NEAREST,
                                       .min = QPUSIM_MIN_NEAREST};
    struct qpusim_texture tex;
    ck_assert_int_eq(qpusim_upload_texture(memory, &info, &tex), QPUSIM_OK);
    uint32_t words[3] = {tex.p0, tex.p1, tex.p2}, out[16];
    /* OpenGL ES 2.0 table 3.10; s = (sc / |ma| + 1) / 2. */
    static const float dirs[6][3] = {{1, 0.3f, -0.6f},  {-1, 0.3f, -0.6f}, {0.3f, 1, -0.6f},
                                     {0.3f, -1, -0.6f}, {0.3f, -0.6f, 1},  {0.3f, -0.6f, -1}};
    static const float st[6][2] = {{0.6f, -0.3f}, {-0.6f, -0.3f}, {0.3f, -0.6f},
                                   {0.3f, 0.6f},  {0.3f, 0.6f},   {-0.3f, 0.6f}};
    float s[16], t[16], r[16];
    for (unsigned i = 0; i < 16; i++) {
        s[i] = dirs[i % 6][0];
        t[i] = dirs[i % 6][1];
        r[i] = dirs[i % 6][2];
    }
    lookup(third, memory, words, 3, s, t, r, out);
    for (unsigned i = 0; i < 16; i++) {
        unsigned f = i % 6, x = (unsigned)((st[f][0] + 1) / 2 * 16), y = (unsigned)((st[f][1] + 1) / 2 * 16);
        ck_assert_uint_eq(out[i], f << 24 | (y * 16 + x));
    }
    for (unsigned f = 0; f < 6; f++)
        free((void *)images[f].pixels);
    qpusim_memory_free(memory);
}
END_TEST

/* At a face's edge a linear filter's other texel is the one that the wrap mode says, of the same face. */
START_TEST(cube_edges) {
    struct qpusim_memory *memory = qpusim_memory_new(1 << 20);
    struct qpusim_image images[6];
    uint32_t pixels[16 * 16];
    for (unsigned i = 0; i < 256; i++)
        pixels[i] = i % 16 * 16;
    for (unsigned f = 0; f < 6; f++)
        images[f] = (struct qpusim_image){pixels, 16, 16};
    static const struct {
        unsigned wrap, want;
    } modes[] = {{QPUSIM_REPEAT, 120}, {QPUSIM_CLAMP, 0}, {QPUSIM_MIRROR, 0}};
    for (unsigned n = 0; n < 3; n++) {
        struct qpusim_texture_info info = {.levels = images, .level_count = 1, .cube = true};
        info.wrap_s = info.wrap_t = modes[n].wrap;
        info.mag = QPUSIM_MAG_LINEAR;
        info.min = QPUSIM_MIN_LINEAR;
        struct qpusim_texture tex;
        ck_assert_int_eq(qpusim_upload_texture(memory, &info, &tex), QPUSIM_OK);
        uint32_t words[3] = {tex.p0, tex.p1, tex.p2}, out[16];
        float s[16], t[16], r[16];
        for (unsigned i = 0; i < 16; i++) {
            s[i] = -0.99999f;
            t[i] = 0;
            r[i] = 1;
        }
        lookup(third, memory, words, 3, s, t, r, out);
        for (unsigned i = 0; i < 16; i++)
            ck_assert_uint_eq(out[i], modes[n].want);
    }
    qpusim_memory_free(memory);
}
END_TEST

START_TEST(direct) {
    struct qpusim_memory *memory = qpusim_memory_new(65536);
    uint32_t address = qpusim_memory_alloc(memory, 64, 16);
    uint32_t *words = qpusim_memory_map(memory, address, 64);
    for (unsigned i = 0; i < 16; i++)
        words[i] = i * i + 1000;
    struct qpusim_program *p =
        assemble("movi r0, 0x3c\nmov r1, elem_num\nshl r1, r1, 2\nsub r0, r0, r1\nadd t0s, r0, unif\n"
                 "nop; nop; ldtmu0\nmov r2, r4\nnop; nop; thrend\nnop\nnop\n",
                 QPUSIM_VERTEX, false);
    static struct qpusim_vertices v = {.count = 16};
    static struct qpusim_result result;
    struct qpusim_run_info run = {
        .program = p, .memory = memory, .uniforms = {&address, 1, 0}, .vertices = &v};
    struct qpusim_error error;
    ck_assert_msg(qpusim_run(&run, NULL, &result, &error) == QPUSIM_OK, "%s", error.text);
    for (unsigned i = 0; i < 16; i++)
        ck_assert_uint_eq(result.acc[2][i], (15 - i) * (15 - i) + 1000);
    qpusim_program_free(p);
    qpusim_memory_free(memory);
}
END_TEST

/* A level in T format, read back by the published order of sub-tiles (capture notes: (0,0) (0,1) (1,1) (1,0)
 * on even rows of tiles left to right; (1,1) (1,0) (0,0) (0,1) on odd rows right to left). */
START_TEST(t_format) {
    struct qpusim_memory *memory = qpusim_memory_new(1 << 20);
    static uint32_t pixels[96 * 64];
    for (unsigned i = 0; i < 96 * 64; i++)
        pixels[i] = i;
    struct qpusim_image image = {pixels, 96, 64};
    struct qpusim_texture_info info = {.levels = &image, .level_count = 1};
    struct qpusim_texture tex;
    ck_assert_int_eq(qpusim_upload_texture(memory, &info, &tex), QPUSIM_OK);
    const uint32_t *m = qpusim_memory_map(memory, tex.address, sizeof pixels);
    static const unsigned order[2][4][2] = {{{0, 0}, {0, 1}, {1, 1}, {1, 0}},
                                            {{1, 1}, {1, 0}, {0, 0}, {0, 1}}};
    for (unsigned tile = 0; tile < 6; tile++) {
        unsigned row = tile / 3, column = row ? 2 - tile % 3 : tile % 3;
        for (unsigned sub = 0; sub < 4; sub++) {
            for (unsigned micro = 0; micro < 16; micro++) {
                for (unsigned word = 0; word < 16; word++) {
                    unsigned x = column * 32 + order[row][sub][0] * 16 + micro % 4 * 4 + word % 4;
                    unsigned y = row * 32 + order[row][sub][1] * 16 + micro / 4 * 4 + word / 4;
                    ck_assert_uint_eq(*m++, y * 96 + x);
                }
            }
        }
    }
    qpusim_memory_free(memory);
}
END_TEST

int main(void) {
    Suite *s = suite_create("texture");
    TCase *c = tcase_create("texture");
    tcase_set_timeout(c, 60);
    tcase_add_test(c, filters_and_wraps);
    tcase_add_test(c, border_color);
    tcase_add_test(c, mipmaps);
    tcase_add_test(c, limits_of_levels);
    tcase_add_test(c, generated_mipmaps);
    tcase_add_test(c, generated_levels);
    tcase_add_test(c, compressed_blocks);
    tcase_add_test(c, formats);
    tcase_add_test(c, cube);
    tcase_add_test(c, cube_edges);
    tcase_add_test(c, direct);
    tcase_add_test(c, t_format);
    suite_add_tcase(s, c);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_NORMAL);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed ? 1 : 0;
}
