/* Texture lookups in whole vectors against one lane at a time: wrap modes, tilings, formats, windows, flips,
 * levels and borders at random, on each version that the host can run. */
#include <math.h>

#include "machine_test.h"

#include "runtime/machine.h"
#include "runtime/texture.h"

#define TEXTURES 0x200000u /* bytes of texels; levels above 0 lie before their base */

static uint64_t state = 88172645463325252ull;

static uint32_t random_word(void) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state * 0x2545f4914f6cdd1dull >> 32);
}

static const struct {
    const char *name;
    sim_sample_fn *run;
    enum sim_host host;
} versions[] = {
    {"plain", sim_sample_plain, SIM_HOST_PLAIN},
#ifdef SIM_X86_LOOPS
    {"AVX2", sim_sample_avx2, SIM_HOST_AVX2},
    {"AVX-512", sim_sample_avx512, SIM_HOST_AVX512},
#endif
};

/* --- one lane ------------------------------------------------------------------------------------------- */

static int wrapped(int v, int size, unsigned mode) {
    switch (mode) {
    case QPUSIM_REPEAT: return v < 0 ? v + size : v >= size ? v - size : v;
    case QPUSIM_MIRROR:
        v = v < 0 ? v + 2 * size : v >= 2 * size ? v - 2 * size : v;
        return v < size ? v : 2 * size - 1 - v;
    case QPUSIM_BORDER: return v < 0 || v >= size ? -1 : v;
    default: return v < 0 ? 0 : v >= size ? size - 1 : v;
    }
}

/* Texel numbers and the second's weight. */
static unsigned place(uint32_t bits, unsigned size, unsigned mode, bool linear, int texel[2]) {
    float c;
    memcpy(&c, &bits, 4);
    double v = isfinite(c) ? c : 0, most = 2.0 * size + 2;
    if (mode == QPUSIM_REPEAT)
        v -= floor(v);
    else if (mode == QPUSIM_MIRROR)
        v -= 2 * floor(v * 0.5);
    v = fmin(fmax(v * size, -most), most);
    int f = (int)floor((linear ? v - 0.5 : v) * 128);
    texel[0] = wrapped(f >> 7, (int)size, mode);
    texel[1] = wrapped((f >> 7) + 1, (int)size, mode);
    return linear ? (f & 127) * 2 : 0;
}

static uint32_t texel_at(const struct sim_sampler *s, const struct qpusim_memory *m, unsigned level,
                         unsigned face, int tx, int ty, uint32_t border) {
    const struct sim_layout *l = &s->layout;
    if (tx < 0 || ty < 0)
        return border;
    unsigned x = (unsigned)tx + s->child_x, y = (unsigned)ty + s->child_y;
    if (s->flip_y)
        y = l->level[level].height - 1 - y;
    uint32_t address = s->base + (uint32_t)l->level[level].offset + face * s->cube_stride +
                       sim_layout_offset(l, level, x >> l->log_block_w, y >> l->log_block_h);
    const uint8_t *element = sim_memory_at(m, address, l->unit);
    ck_assert_ptr_nonnull(element);
    return (uint32_t)sim_texel_decode(l->format, element, x & ((1u << l->log_block_w) - 1),
                                      y & ((1u << l->log_block_h) - 1), s->etc_flip);
}

/* A cube map's coordinates end with its face. */
static uint32_t coordinate(const struct sim_sampler *s, uint32_t bits) {
    if (!s->cube)
        return bits;
    return bits >> 31 ? 0 : bits >= 0x3f800000 ? 0x3f7fffff : bits;
}

static uint32_t one_level(const struct sim_sampler *s, const struct qpusim_memory *m,
                          const struct sim_places *at, unsigned lane, unsigned level) {
    const struct sim_level *v = &s->layout.level[level];
    bool linear = at->linear >> lane & 1;
    int x[2], y[2];
    unsigned a =
        place(coordinate(s, at->c[0][lane]), s->child ? s->child_w : v->width, s->wrap[0], linear, x);
    unsigned b =
        place(coordinate(s, at->c[1][lane]), s->child ? s->child_h : v->height, s->wrap[1], linear, y);
    uint32_t c[4], r = 0;
    for (unsigned k = 0; k < (linear ? 4 : 1); k++)
        c[k] = texel_at(s, m, level, at->face[lane], x[k & 1], y[k >> 1], (uint32_t)at->border);
    if (!linear)
        return c[0];
    for (unsigned k = 0; k < 32; k += 8) {
        uint32_t top = (c[0] >> k & 255) * (256 - a) + (c[1] >> k & 255) * a;
        uint32_t bottom = (c[2] >> k & 255) * (256 - a) + (c[3] >> k & 255) * a;
        r |= (top * (256 - b) + bottom * b + 0x8000) >> 16 << k;
    }
    return r;
}

static uint32_t one_lane(const struct sim_sampler *s, const struct qpusim_memory *m,
                         const struct sim_places *at, unsigned lane) {
    uint32_t near = one_level(s, m, at, lane, at->level[lane]), r = 0;
    if (!(at->blended >> lane & 1))
        return near;
    uint32_t far = one_level(s, m, at, lane, at->second[lane]), f = at->fraction[lane];
    for (unsigned k = 0; k < 32; k += 8)
        r |= ((near >> k & 255) * (256 - f) + (far >> k & 255) * f + 128) >> 8 << k;
    return r;
}

/* --- sixteen -------------------------------------------------------------------------------------------- */

static void random_sampler(struct sim_sampler *s, uint32_t base) {
    unsigned format = random_word() % 3 ? random_word() % SIM_FORMATS : QPUSIM_RGBA8888;
    unsigned width = random_word() & 1 ? 1u << random_word() % 9 : 1 + random_word() % 300;
    unsigned height = random_word() & 1 ? 1u << random_word() % 9 : 1 + random_word() % 300;
    unsigned levels = random_word() & 1 ? random_word() % 6 : 0, filter = levels ? 2 + random_word() % 4 : 0;
    uint32_t word[4] = {base + 4096 * (random_word() % 64), 0, 0, 0};
    word[0] |= (format & 15) << 4 | levels | (random_word() % 4 == 0) << 8;
    word[1] = (format >> 4) << 31 | height << 20 | (random_word() & 1) << 19 | width << 8 | filter << 4 |
              (random_word() & 15);
    if (random_word() % 4 == 0) {
        word[0] |= 1 << 9;
        word[2] = 1u << 30 | 4096 * (random_word() % 64);
    } else if (!levels && random_word() % 4 == 0) {
        unsigned w = 1 + random_word() % width, h = 1 + random_word() % height;
        word[2] = 2u << 30 | h << 12 | w;
        word[3] = 3u << 30 | (random_word() % (height - h + 1)) << 12 | random_word() % (width - w + 1);
    }
    sim_sampler_decode(s, word);
}

static uint32_t random_place(void) {
    static const float special[] = {0,       -0.0f, 1,      -1,      0.5f,        1e-30f,
                                    -1e-30f, 1e30f, -1e30f, 0x1p52f, 0.99999994f, -0x1p-24f};
    float f = (float)(random_word() & 0xffffff) / 0x400000 - 2;
    uint32_t bits;
    if (random_word() % 16 == 0)
        return random_word();
    if (random_word() % 4 == 0)
        f = special[random_word() % (sizeof special / sizeof *special)];
    memcpy(&bits, &f, 4);
    return bits;
}

static void random_places(const struct sim_sampler *s, struct sim_places *at) {
    unsigned levels = s->layout.level_count;
    memset(at, 0, sizeof *at);
    at->border = random_word();
    at->linear = random_word() % 4 ? random_word() & 1 ? 0xffff : 0 : random_word() & 0xffff;
    at->blended = levels > 1 ? random_word() & 0xffff : 0;
    for (unsigned i = 0; i < SIM_LANES; i++) {
        at->c[0][i] = random_place();
        at->c[1][i] = random_place();
        at->face[i] = s->cube ? (uint8_t)(random_word() % 6) : 0;
        at->level[i] = (uint8_t)(random_word() % levels);
        at->blended &= ~((unsigned)(at->level[i] + 1u == levels) << i);
        at->second[i] = (uint8_t)(at->level[i] + 1);
        at->fraction[i] = (uint8_t)random_word();
    }
}

/* Lookups of random textures, and of some that lie partly outside memory: the same lane and address fail. */
START_TEST(same_colors) {
    struct qpusim_memory *m = qpusim_memory_new(2 * TEXTURES);
    uint32_t start = QPUSIM_MEMORY_BASE, bytes = 2 * TEXTURES;
    uint8_t *texels = qpusim_memory_map(m, start, bytes);
    for (uint32_t i = 0; i < bytes; i++)
        texels[i] = (uint8_t)random_word();
    for (unsigned n = 0; n < 20000; n++) {
        struct sim_sampler s;
        struct sim_places at;
        struct sim_samples first = {.lane = 0};
        bool outside = n % 16 == 0, first_ok = false;
        random_sampler(&s, outside ? start + bytes - 0x40000 : start + TEXTURES);
        if (s.refused)
            continue;
        random_places(&s, &at);
        unsigned lanes = random_word() % 4 ? 0xffff : 1 | (random_word() & 0xffff);
        at.blended &= lanes;
        for (unsigned v = 0; v < sizeof versions / sizeof *versions; v++) {
            struct sim_samples out = {.lane = 0};
            if (versions[v].host > sim_host())
                continue;
            bool ok = versions[v].run(&s, m, &at, lanes, NULL, &out);
            ck_assert_msg(ok || outside, "lookup %u, %s: lane %u fails", n, versions[v].name, out.lane);
            if (v == 0) {
                first = out;
                first_ok = ok;
            }
            ck_assert_msg(ok == first_ok && out.lane == first.lane && out.address == first.address &&
                              (!ok || !memcmp(out.word, first.word, sizeof out.word)),
                          "lookup %u: %s and %s differ", n, versions[v].name, versions[0].name);
        }
        for (unsigned i = 0; i < SIM_LANES && first_ok && !s.layout.info->halves; i++)
            if (lanes >> i & 1)
                ck_assert_msg(first.word[0][i] == one_lane(&s, m, &at, i),
                              "lookup %u, format %u, lane %u: %08x instead of %08x", n, s.layout.format, i,
                              first.word[0][i], one_lane(&s, m, &at, i));
    }
    qpusim_memory_free(m);
}
END_TEST

int main(void) {
    Suite *s = suite_create("sample");
    TCase *c = tcase_create("sample");
    tcase_set_timeout(c, 300);
    tcase_add_test(c, same_colors);
    suite_add_tcase(s, c);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_NORMAL);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed ? 1 : 0;
}
