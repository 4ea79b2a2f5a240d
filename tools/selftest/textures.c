/* Lookups of a texture from every pixel of a tile.
 *
 * A row's text is what submits the lookup: writes of t0t, t0b, t0r and t0s, in the order in which they take
 * the texture's set-up words. It finds coordinates in r0 and r1 (they grow with the pixel's column and row),
 * a third number in r2, and 1.0 in r3. The pattern says what is looked up and where:
 *
 *   "FORMAT WIDTHxHEIGHT levels N wrap MODE mag FILTER min FILTER map SX SY OX OY [THIRD]"
 *
 * Each part may be absent but the first two and the last; "cube" makes a cube map, "child W H X Y" gives the
 * window of a child image, "level" makes B the level itself, "flip" reads ETC1's rows from the first on.
 * Pixel (x, y) has the coordinates (x + 0.5) * SX + OX and (y + 0.5) * SY + OY. Texels are arbitrary; those
 * of formats of floats are floats. */
#include "row.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_LEVELS = 12, MOST_SIZE = 128, FACES = 6, MEMORY = 1 << 20, SET_UP = 5, MOST_WORDS = 4 };

struct description {
    unsigned format, width, height, levels;
    bool cube, child, level, flip;
    unsigned window[4];
    enum qpusim_wrap wrap;
    enum qpusim_mag mag;
    enum qpusim_min min;
    float map[SET_UP]; /* scales, offsets, the third */
};

struct word {
    const char *name;
    unsigned value;
};

static const struct word formats[] = {{"rgba8888", QPUSIM_RGBA8888},
                                      {"rgbx8888", QPUSIM_RGBX8888},
                                      {"rgba4444", QPUSIM_RGBA4444},
                                      {"rgba5551", QPUSIM_RGBA5551},
                                      {"rgb565", QPUSIM_RGB565},
                                      {"luminance", QPUSIM_LUMINANCE},
                                      {"alpha", QPUSIM_ALPHA},
                                      {"lumalpha", QPUSIM_LUMALPHA},
                                      {"etc1", QPUSIM_ETC1},
                                      {"s16f", QPUSIM_S16F},
                                      {"s8", QPUSIM_S8},
                                      {"s16", QPUSIM_S16},
                                      {"rgba32r", QPUSIM_RGBA32R},
                                      {0}};
static const struct word wraps[] = {{"repeat", QPUSIM_REPEAT},
                                    {"clamp", QPUSIM_CLAMP},
                                    {"mirror", QPUSIM_MIRROR},
                                    {"border", QPUSIM_BORDER},
                                    {0}};
static const struct word mags[] = {{"linear", QPUSIM_MAG_LINEAR}, {"nearest", QPUSIM_MAG_NEAREST}, {0}};
static const struct word mins[] = {{"linear_linear", QPUSIM_MIN_LINEAR_MIP_LINEAR},
                                   {"linear_nearest", QPUSIM_MIN_LINEAR_MIP_NEAREST},
                                   {"nearest_linear", QPUSIM_MIN_NEAREST_MIP_LINEAR},
                                   {"nearest_nearest", QPUSIM_MIN_NEAREST_MIP_NEAREST},
                                   {"linear", QPUSIM_MIN_LINEAR},
                                   {"nearest", QPUSIM_MIN_NEAREST},
                                   {0}};

/* The value of the first word of the list that the text begins with. */
static bool read_word(const char *text, const struct word *list, unsigned *value) {
    for (; list->name; list++) {
        if (!strncmp(text, list->name, strlen(list->name))) {
            *value = list->value;
            return true;
        }
    }
    return false;
}

/* The text behind an option's word; NULL without it. */
static const char *option(const char *pattern, const char *word) {
    const char *at = strstr(pattern, word);
    return at ? at + strlen(word) : NULL;
}

static bool read_choice(const char *pattern, const char *word, const struct word *list, unsigned *value) {
    const char *at = option(pattern, word);
    return !at || read_word(at, list, value);
}

static bool read_pattern(const char *pattern, struct description *d) {
    unsigned wrap = QPUSIM_REPEAT, mag = QPUSIM_MAG_NEAREST, min = QPUSIM_MIN_NEAREST;
    const char *levels = option(pattern, " levels "), *child = option(pattern, " child "),
               *map = option(pattern, " map "), *size = strchr(pattern, ' ');
    *d = (struct description){.levels = levels ? (unsigned)strtoul(levels, NULL, 10) : 1,
                              .cube = option(pattern, " cube"),
                              .child = child,
                              .level = option(pattern, " level "),
                              .flip = option(pattern, " flip")};
    if (!read_word(pattern, formats, &d->format) || !size || !map ||
        sscanf(size, "%ux%u", &d->width, &d->height) != 2 || d->width > MOST_SIZE || d->height > MOST_SIZE ||
        d->levels > MOST_LEVELS || !read_choice(pattern, " wrap ", wraps, &wrap) ||
        !read_choice(pattern, " mag ", mags, &mag) || !read_choice(pattern, " min ", mins, &min)) {
        return false;
    }
    if (child &&
        sscanf(child, "%u %u %u %u", &d->window[0], &d->window[1], &d->window[2], &d->window[3]) != 4) {
        return false;
    }
    d->wrap = (enum qpusim_wrap)wrap;
    d->mag = (enum qpusim_mag)mag;
    d->min = (enum qpusim_min)min;
    return sscanf(map, "%f %f %f %f %f", &d->map[0], &d->map[1], &d->map[2], &d->map[3], &d->map[4]) >= 4;
}

/* Texels of one image; floats of 16 bits are from 1/4 to 4, of either sign. */
static uint8_t *make_texels(const struct description *d, unsigned width, unsigned height, uint32_t seed) {
    size_t size = qpusim_image_size((enum qpusim_format)d->format, width, height);
    uint8_t *bytes = malloc(size + 1);
    for (size_t n = 0; bytes && n < size; n++) {
        uint32_t x = (seed + (uint32_t)n + 1) * 0x9e3779b9u;
        x = (x ^ x >> 15) * 0x735a2d97u;
        bytes[n] = (uint8_t)(x >> 20);
        if (d->format == QPUSIM_S16F && n & 1) {
            bytes[n] = (uint8_t)((bytes[n] & 0x83) | (13u + (bytes[n] >> 2 & 3)) << 2);
        }
    }
    return bytes;
}

/* The texture as the units read it, in a buffer of the frame; its set-up words count from that buffer. */
static uint32_t put_texture(struct frame *f, const struct description *d, uint32_t words[MOST_WORDS]) {
    struct qpusim_memory *memory = qpusim_memory_new(MEMORY);
    struct qpusim_image images[FACES * MOST_LEVELS];
    struct qpusim_texture texture = {0};
    unsigned count = (d->cube ? FACES : 1) * d->levels;
    uint32_t buffer = FRAME_NONE;
    bool fine = memory != NULL;
    for (unsigned n = 0; n < count; n++) {
        unsigned level = n % d->levels, width = d->width >> level, height = d->height >> level;
        images[n].width = width ? width : 1;
        images[n].height = height ? height : 1;
        images[n].pixels = make_texels(d, images[n].width, images[n].height, n << 20);
        fine &= images[n].pixels != NULL;
    }
    const struct qpusim_texture_info info = {.format = (enum qpusim_format)d->format,
                                             .levels = images,
                                             .level_count = d->levels,
                                             .cube = d->cube,
                                             .wrap_s = d->wrap,
                                             .wrap_t = d->wrap,
                                             .mag = d->mag,
                                             .min = d->min};
    if (fine && qpusim_upload_texture(memory, &info, &texture) == QPUSIM_OK) {
        size_t end = MEMORY;
        const uint8_t *bytes = qpusim_memory_map(memory, QPUSIM_MEMORY_BASE, MEMORY);
        while (end > texture.address - QPUSIM_MEMORY_BASE + 4096 && !bytes[end - 1]) {
            end--;
        }
        end += 4096; /* a level's last row of tiles may be empty */
        buffer = frame_buffer(f, "texture", bytes, end < MEMORY ? end : MEMORY);
    } else {
        frame_fail(f, "no texture");
    }
    for (unsigned n = 0; n < count; n++) {
        free((void *)images[n].pixels);
    }
    qpusim_memory_free(memory);
    words[0] = texture.p0 - QPUSIM_MEMORY_BASE;
    words[1] = texture.p1 & ~(uint32_t)(d->format == QPUSIM_ETC1 && !d->flip ? 1u << 19 : 0);
    words[2] = d->child ? 2u << 30 | d->window[1] << 12 | d->window[0] : texture.p2;
    words[3] = d->child ? 3u << 30 | d->window[3] << 12 | d->window[2] : 0;
    if (d->level) {
        words[2] |= QPUSIM_P2_BSLOD;
    }
    return buffer;
}

void build_textures(struct frame *f, const struct row *row) {
    static const char prologue[] = "itof r0, x_coord\nitof r1, y_coord\nfadd r0, r0, 0.5\nfadd r1, r1, 0.5\n"
                                   "fmul r0, r0, unif\nfmul r1, r1, unif\nfadd r0, r0, unif\n"
                                   "fadd r1, r1, unif\nmov r2, unif\nmov r3, 1.0\n";
    struct description d;
    char program[2048];
    uint32_t words[SET_UP + MOST_WORDS];
    unsigned writes = 0;
    for (const char *p = strstr(row->text, " t0"); p; p = strstr(p + 1, " t0")) {
        writes++;
    }
    frame_target(f, FRAME_TILE, FRAME_TILE);
    if (!read_pattern(row->pattern, &d) || writes > MOST_WORDS) {
        frame_fail(f, "the pattern %s", row->pattern);
        return;
    }
    memcpy(words, d.map, sizeof d.map);
    uint32_t texture = put_texture(f, &d, words + SET_UP);
    snprintf(program, sizeof program, "%s%s\nnop; nop; ldtmu0\nmov r2, r4" BODY_EPILOGUE, prologue,
             row->text);
    frame_rectangle(f, &(struct frame_rectangle){.width = FRAME_TILE, .height = FRAME_TILE},
                    &(struct frame_stage){.text = program,
                                          .words = words,
                                          .word_count = SET_UP + writes,
                                          .textures = &texture,
                                          .texture_count = 1});
    frame_finish(f);
}
