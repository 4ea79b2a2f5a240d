/* Every texture format, against an independent reading of its definition: random images, sizes, levels,
 * filters and wrap modes. Converters and readers back. Random set-up words, which must not read outside the
 * memory. */
#include <math.h>
#include <sys/mman.h>
#include <unistd.h>

#include "machine_test.h"

/* s, t, the level, and a third coordinate (border colour, child images); both halves of the answer come back
 * in rows 0 and 1. */
static const char *const explicit_level =
    "movi vr_setup, 0x401a00\nmovi vw_setup, 0x1a00\nmov ra0, vpm\nmov ra1, vpm\nmov ra2, vpm\nmov ra3, vpm\n"
    "mov t0t, ra1\nmov t0b, ra2\nmov t0r, ra3\nmov t0s, ra0\nnop; nop; ldtmu0\nmov vpm, r4\n%s"
    "nop; nop; thrend\nnop\nnop\n";

static bool lookup(struct qpusim_memory *memory, const uint32_t words[4], unsigned halves,
                   const uint32_t in[4][16], uint32_t out[2][16], struct qpusim_error *error) {
    static struct qpusim_program *program[2];
    static struct qpusim_vertices v;
    static struct qpusim_result result;
    if (!program[halves]) {
        char text[600];
        snprintf(text, sizeof text, explicit_level, halves ? "nop; nop; ldtmu0\nmov vpm, r4\n" : "");
        program[halves] = assemble(text, QPUSIM_VERTEX, false);
    }
    v.count = 16;
    v.row_count = 4;
    memcpy(v.rows, in, 4 * 64);
    struct qpusim_run_info run = {
        .program = program[halves], .memory = memory, .uniforms = {words, 4, 0}, .vertices = &v};
    enum qpusim_status status = qpusim_run(&run, NULL, &result, error);
    memcpy(out, result.rows, 128);
    return status == QPUSIM_OK;
}

static const struct {
    const char *name;
    unsigned bits; /* of a texel; ETC1: 64 of a block */
    enum { COLOR, HALF, HALF4, INT8, INT16 } kind;
} formats[18] = {
    {"RGBA8888", 32, COLOR}, {"RGBX8888", 32, COLOR}, {"RGBA4444", 16, COLOR}, {"RGBA5551", 16, COLOR},
    {"RGB565", 16, COLOR},   {"LUMINANCE", 8, COLOR}, {"ALPHA", 8, COLOR},     {"LUMALPHA", 16, COLOR},
    {"ETC1", 64, COLOR},     {"S16F", 16, HALF},      {"S8", 8, INT8},         {"S16", 16, INT16},
    {"BW1", 1, COLOR},       {"A4", 4, COLOR},        {"A1", 1, COLOR},        {"RGBA64", 64, HALF4},
    {"RGBA32R", 32, COLOR},  {"YUYV422R", 16, COLOR},
};

static size_t row_bytes(unsigned format, unsigned width) {
    if (format == QPUSIM_ETC1)
        return (width + 3) / 4 * 8;
    if (format == QPUSIM_YUYV422R)
        return (width + 1) / 2 * 4;
    return ((size_t)width * formats[format].bits + 7) / 8;
}

static unsigned rows_of(unsigned format, unsigned height) {
    return format == QPUSIM_ETC1 ? (height + 3) / 4 : height;
}

static double half_value(unsigned h) {
    double m = (h & 1023) / 1024.0;
    int e = (int)(h >> 10 & 31);
    double v = e == 31 ? (h & 1023 ? NAN : INFINITY) : e ? (1 + m) * pow(2, e - 15) : m * pow(2, -14);
    return h >> 15 ? -v : v;
}

/* What the texel's channels are: 0..255 for colours, numbers for the rest. */
static void channels(unsigned format, const uint8_t *pixels, unsigned width, unsigned x, unsigned y,
                     double c[4]) {
    const uint8_t *row = pixels + y * row_bytes(format, width);
    unsigned bits = formats[format].bits, word = 0;
    c[0] = c[1] = c[2] = 0;
    c[3] = 255;
    if (format == QPUSIM_ETC1) { /* Khronos data format specification, section 21.1 */
        static const int modifiers[8][4] = {{2, 8, -2, -8},       {5, 17, -5, -17},    {9, 29, -9, -29},
                                            {13, 42, -13, -42},   {18, 60, -18, -60},  {24, 80, -24, -80},
                                            {33, 106, -33, -106}, {47, 183, -47, -183}};
        const uint8_t *b = pixels + y / 4 * row_bytes(format, width) + x / 4 * 8;
        unsigned i = x % 4, j = y % 4, second = b[3] & 1 ? j / 2 : i / 2, bit = i * 4 + j;
        unsigned pick = (b[5 - bit / 8] >> bit % 8 & 1) << 1 | (b[7 - bit / 8] >> bit % 8 & 1);
        int modifier = modifiers[second ? b[3] >> 2 & 7 : b[3] >> 5][pick];
        for (unsigned k = 0; k < 3; k++) {
            int base;
            if (b[3] & 2) {
                int delta = (b[k] & 7) ^ 4;
                base = b[k] / 8 + (second ? delta - 4 : 0);
                base = base * 8 + base / 4;
            } else {
                base = (second ? b[k] % 16 : b[k] / 16) * 17;
            }
            c[k] = fmin(fmax(base + modifier, 0), 255);
        }
        return;
    }
    if (format == QPUSIM_YUYV422R) {
        const uint8_t *pair = row + x / 2 * 4;
        c[0] = pair[x % 2 * 2], c[1] = pair[1], c[2] = pair[3];
        return;
    }
    if (bits < 8) {
        unsigned v = row[x * bits / 8] >> x * bits % 8 & ((1u << bits) - 1);
        double level = v * 255.0 / ((1u << bits) - 1);
        if (format == QPUSIM_BW1)
            c[0] = c[1] = c[2] = level;
        else
            c[3] = level;
        return;
    }
    const uint8_t *p = row + x * bits / 8;
    word = p[0] | (bits > 8 ? (unsigned)p[1] << 8 : 0);
    switch (format) {
    case QPUSIM_RGBA8888:
    case QPUSIM_RGBA32R:
    case QPUSIM_RGBX8888:
        for (unsigned k = 0; k < (format == QPUSIM_RGBX8888 ? 3 : 4); k++)
            c[k] = p[k];
        break;
    case QPUSIM_RGBA4444:
        for (unsigned k = 0; k < 4; k++)
            c[k] = (word >> (12 - 4 * k) & 15) * 17;
        break;
    case QPUSIM_RGBA5551:
        for (unsigned k = 0; k < 3; k++)
            c[k] = floor((word >> (11 - 5 * k) & 31) * 33 / 4.0);
        c[3] = word % 2 * 255;
        break;
    case QPUSIM_RGB565:
        c[0] = floor((word >> 11) * 33 / 4.0), c[1] = floor((word >> 5 & 63) * 65 / 16.0);
        c[2] = floor((word & 31) * 33 / 4.0);
        break;
    case QPUSIM_LUMINANCE: c[0] = c[1] = c[2] = p[0]; break;
    case QPUSIM_ALPHA: c[3] = p[0]; break;
    case QPUSIM_LUMALPHA: c[0] = c[1] = c[2] = p[0], c[3] = p[1]; break;
    case QPUSIM_S16F: c[0] = half_value(word); break;
    case QPUSIM_RGBA64:
        for (unsigned k = 0; k < 4; k++)
            c[k] = half_value(p[2 * k] | (unsigned)p[2 * k + 1] << 8);
        break;
    default: c[0] = word; break;
    }
}

static int wrapped(int i, int n, unsigned mode) {
    if (mode == QPUSIM_REPEAT)
        return (i % n + n) % n;
    if (mode == QPUSIM_MIRROR) {
        i = (i % (2 * n) + 2 * n) % (2 * n);
        return i < n ? i : 2 * n - 1 - i;
    }
    return mode == QPUSIM_BORDER && (i < 0 || i >= n) ? -1 : i < 0 ? 0 : i >= n ? n - 1 : i;
}

/* An image of one level as the sampler sees it: the whole, or a window of it. */
struct view {
    unsigned format;
    const uint8_t *pixels;
    int width, height; /* of the image */
    int x, y, w, h;    /* the window */
    bool flip;
    unsigned wrap_s, wrap_t;
    double border[4];
};

static void sample(const struct view *v, double s, double t, bool linear, double out[4]) {
    double u = s * v->w - (linear ? 0.5 : 0), w = t * v->h - (linear ? 0.5 : 0);
    int x = (int)floor(u), y = (int)floor(w);
    double a = floor((u - x) * 128) / 128, b = floor((w - y) * 128) / 128; /* 7 bits, as the chip's */
    for (unsigned c = 0; c < 4; c++)
        out[c] = 0;
    for (int k = 0; k < (linear ? 4 : 1); k++) {
        double weight = linear ? (k & 1 ? a : 1 - a) * (k >> 1 ? b : 1 - b) : 1, texel[4];
        int tx = wrapped(x + (k & 1), v->w, v->wrap_s), ty = wrapped(y + (k >> 1), v->h, v->wrap_t);
        if (tx < 0 || ty < 0) {
            memcpy(texel, v->border, sizeof texel);
        } else {
            tx += v->x;
            ty += v->y;
            channels(v->format, v->pixels, (unsigned)v->width, (unsigned)tx,
                     (unsigned)(v->flip ? v->height - 1 - ty : ty), texel);
        }
        for (unsigned c = 0; c < 4; c++)
            out[c] += weight * texel[c];
    }
}

static unsigned pick(unsigned n) {
    return (unsigned)(rand() >> 4) % n;
}

static uint8_t *random_image(unsigned format, unsigned width, unsigned height) {
    size_t size = row_bytes(format, width) * rows_of(format, height);
    ck_assert_uint_eq(qpusim_image_size(format, width, height), size);
    uint8_t *p = malloc(size);
    for (size_t i = 0; i < size; i++)
        p[i] = (uint8_t)(rand() >> 7);
    if (formats[format].kind == HALF || formats[format].kind == HALF4)
        for (size_t i = 1; i < size; i += 2) /* ordinary numbers of similar size */
            p[i] = (uint8_t)((p[i] & 0x83) | 0x3c);
    if (format == QPUSIM_ETC1)
        for (size_t i = 0; i < size; i += 8)
            for (unsigned c = 0; c < 3; c++) /* the sum of base and difference stays within 5 bits */
                p[i + c] = (uint8_t)((4 + pick(24)) << 3 | (p[i + c] & 7));
    return p;
}

static void decode_answer(unsigned format, uint32_t w0, uint32_t w1, double c[4]) {
    for (unsigned k = 0; k < 4; k++) {
        uint32_t word = k < 2 ? w0 : w1;
        switch (formats[format].kind) {
        case COLOR: c[k] = w0 >> 8 * k & 255; break;
        case HALF4: c[k] = half_value(word >> 16 * (k & 1) & 0xffff); break;
        case HALF: c[k] = k ? (k == 3 ? 255 : 0) : half_value(w0); break;
        default: c[k] = k ? (k == 3 ? 255 : 0) : w0; break;
        }
    }
}

/* Away from places where a step of the fixed-point arithmetic could choose another texel. */
static bool doubtful(double s, int n) {
    double u = s * n;
    return fabs(u - floor(u + 0.5)) < 0.02;
}

/* No byte beyond its last one is looked at: here there is none. */
START_TEST(fills_its_memory) {
    enum { SIDE = 64 };
    static uint8_t pixels[SIDE * SIDE], back[SIDE * SIDE];
    struct qpusim_memory *memory = qpusim_memory_new(sizeof pixels);
    struct qpusim_image image = {pixels, SIDE, SIDE};
    struct qpusim_texture_info info = {
        .format = QPUSIM_LUMINANCE, .levels = &image, .level_count = 1, .min = QPUSIM_MIN_NEAREST};
    struct qpusim_texture texture;
    for (unsigned i = 0; i < sizeof pixels; i++)
        pixels[i] = (uint8_t)(i * 7);
    ck_assert_int_eq(qpusim_upload_texture(memory, &info, &texture), QPUSIM_OK);
    ck_assert_int_eq(qpusim_read_texture(memory, &texture, 0, 0, back, sizeof back), QPUSIM_OK);
    ck_assert_mem_eq(back, pixels, sizeof pixels);
    qpusim_memory_free(memory);
}
END_TEST

/* Each half float as a byte, in each component. */
START_TEST(halves_unpack) {
    for (unsigned half = 0; half < 0x10000; half++)
        for (unsigned k = 0; k < 4; k++) {
            uint64_t pixel = (uint64_t)half << 16 * k;
            uint32_t color;
            double v = half_value((uint16_t)half);
            unsigned want = !(v > 0) ? 0 : v >= 1 ? 255 : (unsigned)floor(v * 255 + 0.5);
            ck_assert(qpusim_image_unpack(QPUSIM_RGBA64, 1, 1, &pixel, &color));
            ck_assert_msg(color == want << 8 * k, "%04x in component %u: %08x", half, k, color);
        }
}
END_TEST

START_TEST(all_formats) {
    unsigned format = (unsigned)_i;
    struct qpusim_memory *memory = qpusim_memory_new(8 << 20);
    srand(format + 1);
    for (unsigned round = 0; round < 150; round++) {
        unsigned most = round % 3 ? 40 : 150, w = 1 + pick(most), h = 1 + pick(most), levels = 1;
        unsigned all = 1;
        while ((w > h ? w : h) >> all)
            all++;
        if (pick(2))
            levels = 1 + pick(all);
        uint8_t *pixels[12];
        struct qpusim_image images[12];
        for (unsigned n = 0; n < levels; n++) {
            images[n].width = w >> n ? w >> n : 1;
            images[n].height = h >> n ? h >> n : 1;
            images[n].pixels = pixels[n] = random_image(format, images[n].width, images[n].height);
        }
        bool linear = formats[format].kind != INT16 && pick(2), flip = !pick(4);
        struct qpusim_texture_info info = {.format = (enum qpusim_format)format,
                                           .levels = images,
                                           .level_count = levels,
                                           .wrap_s = pick(4),
                                           .wrap_t = pick(4),
                                           .mag = linear ? QPUSIM_MAG_LINEAR : QPUSIM_MAG_NEAREST,
                                           .min = linear ? QPUSIM_MIN_LINEAR_MIP_NEAREST
                                                         : QPUSIM_MIN_NEAREST_MIP_NEAREST};
        struct qpusim_texture tex;
        qpusim_memory_reset(memory);
        ck_assert_int_eq(qpusim_upload_texture(memory, &info, &tex), QPUSIM_OK);
        for (unsigned n = 0; n < levels; n++) { /* read back as it was */
            size_t size = qpusim_image_size(format, images[n].width, images[n].height);
            uint8_t *back = malloc(size);
            ck_assert_int_eq(qpusim_read_texture(memory, &tex, 0, n, back, size), QPUSIM_OK);
            ck_assert_mem_eq(back, pixels[n], size);
            ck_assert_int_eq(qpusim_read_texture(memory, &tex, 0, n, back, size - 1), QPUSIM_BAD_ARGUMENT);
            free(back);
        }
        unsigned level = pick(levels), cw = 0, ch = 0, cx = 0, cy = 0;
        struct view v = {.format = format,
                         .pixels = pixels[level],
                         .width = (int)images[level].width,
                         .height = (int)images[level].height,
                         .flip = flip,
                         .wrap_s = info.wrap_s,
                         .wrap_t = info.wrap_t};
        v.w = v.width, v.h = v.height;
        bool child = !level && !pick(3);
        if (child) {
            v.x = (int)(cx = pick(w)), v.y = (int)(cy = pick(h));
            v.w = (int)(cw = 1 + pick(w - cx)), v.h = (int)(ch = 1 + pick(h - cy));
        }
        /* A border colour is an RGBA8888 word; single samples are its low bits. */
        uint32_t border = child ? 0 : (uint32_t)rand() * 5;
        if (formats[format].kind == HALF && !child)
            border = (border & 0x83ff) | 0x3c00;
        double border_color[4];
        decode_answer(QPUSIM_RGBA8888, border, 0, border_color);
        for (unsigned c = 0; c < 4; c++)
            v.border[c] = formats[format].kind == COLOR   ? border_color[c]
                          : formats[format].kind == HALF4 ? border_color[c] / 255
                          : c                             ? (c == 3 ? 255 : 0)
                          : formats[format].kind == HALF  ? half_value(border & 0xffff)
                          : formats[format].kind == INT16 ? border & 0xffff
                                                          : border & 0xff;
        /* The words go with B, R, S in the order of writes: T takes the first. */
        uint32_t words[4] = {tex.p0 | (uint32_t)flip << 8, tex.p1, QPUSIM_P2_BSLOD, 0}, in[4][16], out[2][16];
        if (child) {
            words[2] = 2u << 30 | ch << 12 | cw;
            words[3] = 3u << 30 | cy << 12 | cx;
        }
        float s[16], t[16];
        for (unsigned i = 0; i < 16; i++) {
            s[i] = (float)(pick(4000) / 1000.0 - 1.5);
            t[i] = (float)(pick(4000) / 1000.0 - 1.5);
            in[0][i] = bits_of(s[i]);
            in[1][i] = bits_of(t[i]);
            in[2][i] = bits_of((float)level - (child ? 100.0f : 0));
            in[3][i] = border;
        }
        struct qpusim_error error;
        ck_assert_msg(lookup(memory, words, formats[format].kind == HALF4, in, out, &error), "%s",
                      error.text);
        for (unsigned i = 0; i < 16; i++) {
            if (!linear && (doubtful(s[i], v.w) || doubtful(t[i], v.h)))
                continue;
            double want[4], got[4];
            sample(&v, s[i], t[i], linear, want);
            decode_answer(format, out[0][i], out[1][i], got);
            bool whole = formats[format].kind != HALF && formats[format].kind != HALF4;
            for (unsigned c = 0; c < 4; c++)
                ck_assert_msg(fabs(want[c] - got[c]) <= (!linear ? 1e-3
                                                         : whole ? 1.8
                                                                 : 0.02),
                              "%s %ux%u level %u of %u, linear %d wrap %u %u flip %d child %d at %g %g "
                              "channel %u: %g instead of %g",
                              formats[format].name, w, h, level, levels, linear, info.wrap_s, info.wrap_t,
                              flip, child, s[i], t[i], c, got[c], want[c]);
        }
        for (unsigned n = 0; n < levels; n++)
            free(pixels[n]);
    }
    qpusim_memory_free(memory);
}
END_TEST

/* Two levels blended, of floats: halfway between them. */
START_TEST(blended_halves) {
    struct qpusim_memory *memory = qpusim_memory_new(1 << 20);
    uint16_t big[8 * 8 * 4], small[4 * 4 * 4];
    for (unsigned i = 0; i < 256; i++)
        big[i] = 0x3c00; /* 1 */
    for (unsigned i = 0; i < 64; i++)
        small[i] = 0xc400; /* -4 */
    struct qpusim_image images[2] = {{big, 8, 8}, {small, 4, 4}};
    struct qpusim_texture_info info = {
        .format = QPUSIM_RGBA64, .levels = images, .level_count = 2, .min = QPUSIM_MIN_LINEAR_MIP_LINEAR};
    struct qpusim_texture tex;
    ck_assert_int_eq(qpusim_upload_texture(memory, &info, &tex), QPUSIM_OK);
    uint32_t words[4] = {tex.p0, tex.p1, QPUSIM_P2_BSLOD, 0}, in[4][16] = {{0}}, out[2][16];
    for (unsigned i = 0; i < 16; i++)
        in[2][i] = bits_of((float)i / 16);
    struct qpusim_error error;
    ck_assert(lookup(memory, words, 1, in, out, &error));
    for (unsigned i = 0; i < 16; i++)
        for (unsigned k = 0; k < 4; k++)
            ck_assert_double_eq_tol(half_value(out[k / 2][i] >> 16 * (k & 1) & 0xffff), 1 - 5 * i / 16.0,
                                    1e-3);
    qpusim_memory_free(memory);
}
END_TEST

/* What is packed comes back to within the format's step; packing again changes nothing. */
START_TEST(converters) {
    unsigned format = (unsigned)_i;
    enum { W = 21, H = 13 };
    static const unsigned steps[18][4] = {
        {1, 1, 1, 1},   {1, 1, 1, 0},  {17, 17, 17, 17}, {9, 9, 9, 255}, {9, 5, 9, 0}, {1, 0, 0, 0},
        {0, 0, 0, 1},   {1, 0, 0, 1},  {40, 40, 40, 0},  {1, 0, 0, 0},   {1, 0, 0, 0}, {1, 0, 0, 0},
        {255, 0, 0, 0}, {0, 0, 0, 17}, {0, 0, 0, 255},   {1, 1, 1, 1},   {1, 1, 1, 1}, {1, 0, 0, 0}};
    uint32_t colors[W * H], back[W * H], again[W * H];
    srand(format + 50);
    for (unsigned y = 0; y < H; y++) /* smooth, for ETC1 */
        for (unsigned x = 0; x < W; x++)
            colors[y * W + x] = (x * 9 + pick(8)) | (y * 12 + pick(8)) << 8 |
                                (x * 4 + y * 5 + pick(8)) << 16 | pick(256) << 24;
    size_t size = qpusim_image_size(format, W, H);
    uint8_t *pixels = malloc(2 * size);
    ck_assert(qpusim_image_pack(format, W, H, colors, pixels));
    ck_assert(qpusim_image_unpack(format, W, H, pixels, back));
    for (unsigned i = 0; i < W * H; i++) {
        for (unsigned c = 0; c < 4; c++) {
            double want[4];
            channels(format, pixels, W, i % W, i / W, want);
            if (formats[format].kind == COLOR)
                ck_assert_double_eq_tol(want[c], back[i] >> 8 * c & 255, 0.01);
            if (steps[format][c])
                ck_assert_msg(abs((int)(colors[i] >> 8 * c & 255) - (int)(back[i] >> 8 * c & 255)) * 2 <=
                                  (int)steps[format][c] + 1,
                              "%s channel %u: %08x became %08x", formats[format].name, c, colors[i], back[i]);
        }
    }
    if (format != QPUSIM_ETC1) {
        ck_assert(qpusim_image_pack(format, W, H, back, pixels + size));
        ck_assert(qpusim_image_unpack(format, W, H, pixels + size, again));
        ck_assert_mem_eq(back, again, sizeof back);
    }
    free(pixels);
    ck_assert(!qpusim_image_pack(18, W, H, colors, colors));
    ck_assert_uint_eq(qpusim_image_size(18, 4, 4), 0);
}
END_TEST

/* Random words and coordinates on a small buffer with nothing behind it: an answer or an error. */
START_TEST(random_setups) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE), size = 3 * page;
    uint8_t *area = mmap(NULL, size + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ck_assert(area != MAP_FAILED && !mprotect(area + page, size, PROT_READ | PROT_WRITE));
    struct qpusim_memory *memory = qpusim_memory_new(0);
    for (size_t i = 0; i < size; i++)
        area[page + i] = (uint8_t)(i * 7);
    ck_assert_int_eq(qpusim_memory_add(memory, 0x20000, size, area + page, "textures"), QPUSIM_OK);
    srand(77);
    unsigned answered = 0, refused = 0, outside = 0;
    for (unsigned n = 0; n < 20000; n++) {
        uint32_t words[4], in[4][16], out[2][16];
        for (unsigned i = 0; i < 4; i++)
            words[i] = (uint32_t)rand() ^ (uint32_t)rand() << 16;
        unsigned small = pick(4);
        if (small) { /* mostly textures that lie in the buffer, as far as they are not large */
            words[0] = (words[0] & 0xff8) | (0x20000 + 4096 * pick(3));
            words[1] = (words[1] & 0x800800ff) | (1 + pick(small * 40)) << 8 | (1 + pick(small * 30)) << 20;
            words[2] &= small == 1 ? 0x0fffffff : 0xc01fffff;
            words[3] &= small == 1 ? 0 : 0x401f00ff;
        }
        for (unsigned i = 0; i < 64; i++)
            in[i / 16][i % 16] =
                pick(5) ? bits_of((float)pick(2000) / 500 - 2) : (uint32_t)rand() ^ (uint32_t)rand() << 16;
        struct qpusim_error error;
        if (lookup(memory, words, 0, in, out, &error)) {
            answered++;
        } else {
            ck_assert_int_eq(error.status, QPUSIM_STRICT);
            refused += !strcmp(error.rule, "tmu-setup");
            outside += !strcmp(error.rule, "tmu-address");
        }
    }
    ck_assert_uint_gt(answered, 2000);
    ck_assert_uint_gt(refused, 500);
    ck_assert_uint_gt(outside, 500);
    qpusim_memory_free(memory);
    munmap(area, size + 2 * page);
}
END_TEST

int main(void) {
    Suite *s = suite_create("format");
    TCase *c = tcase_create("format");
    tcase_set_timeout(c, 60);
    tcase_add_test(c, fills_its_memory);
    tcase_add_test(c, halves_unpack);
    tcase_add_loop_test(c, all_formats, 0, 18);
    tcase_add_test(c, blended_halves);
    tcase_add_loop_test(c, converters, 0, 18);
    tcase_add_test(c, random_setups);
    suite_add_tcase(s, c);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_NORMAL);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed ? 1 : 0;
}
