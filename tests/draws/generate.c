/* Random cases. Each has one theme, which says how far the pictures can agree:
 *
 * grid        vertices on sixteenths of a pixel inside the view volume, as the hardware has them: the same
 *             pixels are covered, whatever the rasteriser's precision
 * layers      the same with one depth for each draw, so that depth and stencil tests decide alike
 * textures    the same with lookups; a texel's edge may lie on a pixel's centre, so a few may differ
 * clipped     vertices anywhere, also behind the eye
 * points, lines   with sizes and widths; with samples, where GL's lines have another shape, lines are
 *             horizontal or vertical, and away from the picture's edges, where that GL loses some
 *
 * All other state is random in each. */
#include <math.h>
#include <string.h>

#include "draws.h"

static unsigned below(uint32_t *seed, unsigned n) {
    *seed = *seed * 1664525u + 1013904223u;
    uint32_t v = *seed;
    v = (v ^ v >> 15) * 0x2c1b3c6du;
    v ^= v >> 13;
    return (unsigned)((uint64_t)v * n >> 32);
}

static bool once_in(uint32_t *seed, unsigned n) {
    return below(seed, n) == 0;
}

static float between(uint32_t *seed, float from, float to) {
    return from + (to - from) * (float)below(seed, 1u << 20) / (1 << 20);
}

/* --- primitives ----------------------------------------------------------------------------------------- */

enum { MARGIN = 6 }; /* pixels that lines with samples stay away from the edges */
enum theme { GRID, LAYERS, TEXTURES, CLIPPED, POINTS, LINES, THEMES };

/* A point of the hardware's grid in the viewport, in clip coordinates. Horizontal edges through samples are
 * the GL's choice, which another orientation of the picture would change: with samples they are left out. */
static void place_on_grid(uint32_t *seed, const struct draws_case *c, const struct draws_draw *d, int margin,
                          float w, float position[4]) {
    for (unsigned k = 0; k < 2; k++) {
        int half = 8 * d->viewport[2 + k], reach = half - margin,
            at = (int)below(seed, 2 * (unsigned)reach + 1) - reach;
        if (once_in(seed, 3)) /* through centres of pixels, or along their edges */
            at = ((at + half) & ~7) - half;
        if (k && c->multisample && ((at + half) & 3) == 2)
            at += at < half ? 1 : -1;
        position[k] = (float)at / (float)half * w;
    }
    position[2] = between(seed, -1, 1) * w;
    position[3] = w;
}

static void place_anywhere(uint32_t *seed, float position[4]) {
    static const float ranges[] = {1.5f, 4, 30, 1000};
    float range = ranges[below(seed, 4)];
    position[3] = once_in(seed, 2) ? 1 : between(seed, -1, 3);
    for (unsigned k = 0; k < 2; k++)
        position[k] = between(seed, -range, range);
    position[2] = between(seed, -2, 2) * (once_in(seed, 3) ? 3 : 0.4f);
}

static void random_vertices(uint32_t *seed, enum theme theme, const struct draws_case *c,
                            struct draws_draw *d) {
    /* layers: where vertices' rounding leaves 24 bits of depth the same */
    float z = c->multisample ? between(seed, -0.99f, 0.99f) : (float)below(seed, 17) / 32 - 1,
          scale = between(seed, 0.5f, 4), at = between(seed, -2, 2);
    d->vertex_count = theme == LINES ? 2 + below(seed, 5) : 3 + below(seed, DRAWS_VERTICES - 2);
    for (unsigned i = 0; i < d->vertex_count; i++) {
        struct draws_vertex *v = &d->vertex[i];
        if (theme != LINES && i && once_in(seed, 12)) { /* the vertex before again */
            *v = v[-1];
            continue;
        }
        bool axial = theme == LINES && c->multisample;
        if (theme == CLIPPED)
            place_anywhere(seed, v->position);
        else
            place_on_grid(seed, c, d, axial ? 16 * MARGIN : 0,
                          theme == LAYERS || once_in(seed, 2) ? 1 : between(seed, 0.25f, 4), v->position);
        if (theme != CLIPPED && i && (once_in(seed, 4) || axial)) { /* a horizontal or a vertical edge */
            unsigned k = axial ? i & 1 : below(seed, 2);
            v->position[k] = v[-1].position[k] / v[-1].position[3] * v->position[3];
        }
        if (theme == LAYERS)
            v->position[2] = z;
        v->size = between(seed, 1, once_in(seed, 4) ? 40 : 8);
        for (unsigned k = 0; k < 4; k++)
            v->varying[k] = (float)below(seed, 256) / 255;
        if (d->kind == DRAWS_TEXTURE)
            for (unsigned k = 0; k < 2; k++)
                v->varying[k] = at + between(seed, -scale, scale);
        if (d->kind == DRAWS_CUBE)
            for (unsigned k = 0; k < 3; k++)
                v->varying[k] = between(seed, -1, 1);
    }
}

static void random_list(uint32_t *seed, enum theme theme, bool multisample, struct draws_draw *d) {
    d->mode = theme == POINTS  ? QPUSIM_POINTS
              : theme == LINES ? (enum qpusim_mode)(QPUSIM_LINES + below(seed, 3))
                               : (enum qpusim_mode)(QPUSIM_TRIANGLES + below(seed, 3));
    if (theme == LINES && multisample && d->mode == QPUSIM_LINE_LOOP) /* whose last line may lie askew */
        d->mode = QPUSIM_LINE_STRIP;
    d->index_bytes = below(seed, 3);
    if (d->index_bytes) {
        /* that GL fills the window with lines without length */
        d->count = theme == LINES ? d->vertex_count : 1 + below(seed, DRAWS_COUNT);
        for (unsigned i = 0; i < d->count; i++)
            d->index[i] = (uint16_t)(theme == LINES ? d->count - 1 - i : below(seed, d->vertex_count));
    } else {
        d->first = below(seed, d->vertex_count - (theme == LINES));
        d->count = d->vertex_count - d->first;
    }
}

/* --- state ---------------------------------------------------------------------------------------------- */

static void random_rectangle(uint32_t *seed, const struct draws_case *c, int r[4]) {
    r[0] = (int)below(seed, c->width);
    r[1] = (int)below(seed, c->height);
    r[2] = 1 + (int)below(seed, c->width - (unsigned)r[0]);
    r[3] = 1 + (int)below(seed, c->height - (unsigned)r[1]);
}

static void random_viewport(uint32_t *seed, bool fixed, const struct draws_case *c, struct draws_draw *d) {
    const int whole[4] = {0, 0, (int)c->width, (int)c->height};
    memcpy(d->viewport, whole, sizeof whole);
    memcpy(d->window, whole, sizeof whole);
    if (once_in(seed, 3) && !fixed) {
        d->viewport[0] = (int)below(seed, 100) - 50;
        d->viewport[1] = (int)below(seed, 100) - 50;
        d->viewport[2] = 8 + (int)below(seed, 260);
        d->viewport[3] = 8 + (int)below(seed, 260);
    }
    if (once_in(seed, 3))
        random_rectangle(seed, c, d->window);
    /* a driver's window is no larger than the viewport */
    for (unsigned k = 0; k < 2; k++) {
        int from = d->window[k] > d->viewport[k] ? d->window[k] : d->viewport[k];
        int to = d->window[k] + d->window[2 + k], limit = d->viewport[k] + d->viewport[2 + k];
        to = to < limit ? to : limit;
        d->window[k] = from;
        d->window[2 + k] = to > from ? to - from : 0;
    }
    if (!d->window[2] || !d->window[3])
        memset(d->window, 0, sizeof d->window);
}

/* A float of 16 bits. */
static float short_float(float f) {
    uint32_t bits;
    memcpy(&bits, &f, 4);
    bits &= 0xffff0000u;
    memcpy(&f, &bits, 4);
    return f;
}

static struct draws_stencil random_side(uint32_t *seed) {
    static const uint8_t masks[] = {255, 15, 3, 1, 0x5a};
    return (struct draws_stencil){.func = (uint8_t)below(seed, 8),
                                  .fail = (uint8_t)below(seed, 8),
                                  .depth_fail = (uint8_t)below(seed, 8),
                                  .depth_pass = (uint8_t)below(seed, 8),
                                  .reference = (uint8_t)below(seed, 4),
                                  .mask = (uint8_t)(once_in(seed, 2) ? 255 : below(seed, 256)),
                                  .write_mask = masks[below(seed, 5)]};
}

static void random_tests(uint32_t *seed, enum theme theme, bool multisample, struct draws_draw *d) {
    d->depth_func = QPUSIM_FUNC_ALWAYS;
    d->max_z = 2;
    d->min_z = -1;
    d->cull = once_in(seed, 3) ? (enum qpusim_cull)below(seed, 4) : QPUSIM_CULL_NONE;
    d->clockwise = once_in(seed, 2);
    if (once_in(seed, 3))
        return;
    /* ties only where depths are the same in both; and not the same triangle twice, whose vertices in another
     * order make depths that differ in the last bit */
    static const enum qpusim_func ordered[] = {QPUSIM_FUNC_LESS, QPUSIM_FUNC_LEQUAL, QPUSIM_FUNC_GREATER,
                                               QPUSIM_FUNC_GEQUAL, QPUSIM_FUNC_ALWAYS};
    if (theme == LAYERS && !multisample)
        d->depth_func = (enum qpusim_func)below(seed, 8);
    else if (theme == LAYERS || (theme == CLIPPED && !d->index_bytes))
        d->depth_func = ordered[below(seed, 5)];
    d->depth_write = !once_in(seed, 4);
    d->stencil = once_in(seed, 3);
    d->side[0] = random_side(seed);
    d->side[1] = once_in(seed, 2) ? d->side[0] : random_side(seed);
    if (!d->stencil) {
        d->early = once_in(seed, 2);
        d->early_updates = once_in(seed, 2);
    }
    if (theme != LAYERS && once_in(seed, 4)) {
        d->offset_factor = short_float(between(seed, -4, 4));
        d->offset_units = short_float(between(seed, -1e5f, 1e5f));
    }
    if (once_in(seed, 5)) {
        d->min_z = between(seed, -0.1f, 0.6f);
        d->max_z = between(seed, 0.4f, 1.1f);
    }
}

/* --- textures ------------------------------------------------------------------------------------------- */

static const enum qpusim_format colors[] = {
    QPUSIM_RGBA8888,  QPUSIM_RGBX8888, QPUSIM_RGBA4444, QPUSIM_RGBA5551, QPUSIM_RGB565,
    QPUSIM_LUMINANCE, QPUSIM_ALPHA,    QPUSIM_LUMALPHA, QPUSIM_ETC1,     QPUSIM_BW1,
    QPUSIM_A4,        QPUSIM_A1,       QPUSIM_RGBA32R,  QPUSIM_YUYV422R};

static void random_texture(uint32_t *seed, struct draws_draw *d) {
    struct draws_texture *t = &d->texture;
    t->seed = below(seed, 1u << 30);
    t->format = colors[below(seed, sizeof colors / sizeof *colors)];
    t->cube = d->kind == DRAWS_CUBE;
    bool raster = t->format == QPUSIM_RGBA32R || t->format == QPUSIM_YUYV422R, power = once_in(seed, 2);
    t->width = power ? 1u << below(seed, 8) : 1 + below(seed, 120);
    t->height = power ? 1u << below(seed, 8) : 1 + below(seed, 120);
    if (t->format == QPUSIM_YUYV422R)
        t->width += t->width & 1;
    if (t->cube)
        t->height = t->width;
    t->levels = 1;
    t->mag = (enum qpusim_mag)below(seed, 2);
    t->min = (enum qpusim_min)below(seed, 2);
    t->wrap_s = (enum qpusim_wrap)below(seed, 4);
    t->wrap_t = (enum qpusim_wrap)below(seed, 4);
    if (t->cube)
        t->wrap_s = t->wrap_t = QPUSIM_CLAMP;
    /* Of a face of few texels a pixel's step is large where it is one texel. The hardware's is the difference
     * of two places on the face, that GL's the derivative of the quotient: which of the filters counts is not
     * the same. */
    if (t->cube && t->width < 16)
        t->mag = t->min == QPUSIM_MIN_LINEAR ? QPUSIM_MAG_LINEAR : QPUSIM_MAG_NEAREST;
    if (!t->cube && !raster && once_in(seed, 2)) {
        t->min = (enum qpusim_min)(QPUSIM_MIN_NEAREST_MIP_NEAREST + below(seed, 4));
        /* The hardware counts steps up to the image's size, that GL all of them: both take the last level
         * there, but for a shorter side that has one texel before, or a bias down from it. */
        while (t->width >> t->levels && t->height >> t->levels)
            t->levels++;
        if (t->min == QPUSIM_MIN_NEAREST_MIP_LINEAR || t->min == QPUSIM_MIN_LINEAR_MIP_LINEAR)
            t->bias = once_in(seed, 2) ? between(seed, -2, 2) : 0;
        if (t->width < 16 || t->height < 16)
            t->bias = fabsf(t->bias);
        /* OpenGL ES 2.0 magnifies up to a half with these filters, that GL up to 0. */
        if (t->min == QPUSIM_MIN_NEAREST_MIP_NEAREST || t->min == QPUSIM_MIN_NEAREST_MIP_LINEAR)
            t->mag = QPUSIM_MAG_NEAREST;
    }
}

void draws_image(const struct draws_texture *t, unsigned face, unsigned level, void *pixels, size_t size) {
    uint32_t seed = t->seed * 31 + face * 16 + level + 1;
    uint8_t *out = pixels;
    for (size_t i = 0; i < size; i++)
        out[i] = (uint8_t)below(&seed, 256);
}

/* --- cases ---------------------------------------------------------------------------------------------- */

static void random_draw(uint32_t *seed, enum theme theme, struct draws_case *c, struct draws_draw *d) {
    if (theme == TEXTURES)
        d->kind = once_in(seed, 4) ? DRAWS_CUBE : DRAWS_TEXTURE;
    /* with samples that GL's places within a point are half a pixel off */
    if (theme == POINTS && !c->multisample && once_in(seed, 2))
        d->kind = DRAWS_POINT_COORD;
    random_viewport(seed, theme == LINES && c->multisample, c, d);
    random_vertices(seed, theme, c, d);
    random_list(seed, theme, c->multisample, d);
    random_tests(seed, theme, c->multisample, d);
    d->flat = d->kind == DRAWS_COLOR && once_in(seed, 2) ? below(seed, 16) : 0;
    d->sizes = once_in(seed, 2);
    d->point_size = between(seed, 1, 20);
    d->line_width = once_in(seed, 2) ? 1 : (float)(1 + below(seed, 8));
    if (d->kind == DRAWS_TEXTURE || d->kind == DRAWS_CUBE)
        random_texture(seed, d);
}

/* What shaders do at their end. */
static void random_output(uint32_t *seed, enum theme theme, struct draws_case *c, struct draws_draw *d) {
    d->sample_mask = c->multisample && once_in(seed, 4) ? below(seed, 16) : 15;
    if (theme == LINES && c->multisample) { /* GL's varyings and depths are half a pixel off */
        d->flat = 15;
        d->min_z = -1;
        d->max_z = 2;
    }
    /* errors of a colour would add up */
    if (d->kind == DRAWS_COLOR && !c->hdr && once_in(seed, 4)) {
        d->blend = (enum draws_blend)below(seed, 6);
        d->flat = 15;
    }
    /* where layers meet, pixels would not be the same */
    d->discard = d->kind == DRAWS_COLOR && once_in(seed, 5) && (theme != LAYERS || d->flat & 8);
}

/* Blending by factors, and coverage by alpha: numbers of their own, so that all else of a case stays. */
static void random_more(uint32_t *seed, const struct draws_case *c, struct draws_draw *d) {
    if (d->kind != DRAWS_COLOR || c->hdr)
        return;
    if (d->blend == DRAWS_REPLACE && once_in(seed, 3)) {
        d->blend = DRAWS_GENERAL;
        d->flat = 15;
        for (unsigned k = 0; k < 2; k++) {
            d->general.equation[k] = (enum draws_equation)below(seed, 5);
            d->general.source[k] = (enum draws_factor)below(seed, DRAWS_FACTORS);
            d->general.destination[k] = (enum draws_factor)below(seed, DRAWS_SATURATE);
        }
        for (unsigned k = 0; k < 4; k++)
            d->general.constant[k] = (float)below(seed, 256) / 255;
    }
    if (c->multisample && once_in(seed, 4)) {
        d->coverage = true;
        d->flat |= 8;
    }
}

/* Does a line that goes through here in this direction count in one way to GL and in the other to the
 * machine? */
static bool is_ambiguous(const float at[2], const float direction[2]) {
    unsigned major = fabsf(direction[1]) > fabsf(direction[0]);
    float past = at[major] - floorf(at[major]) - 0.5f, aside = at[!major] - floorf(at[!major]) - 0.5f;
    past = direction[major] < 0 ? -past : past;
    return past >= 0 && past + fabsf(aside) <= 0.5f;
}

/* Steps of a line at which its side lies on pixels' centres, as far as GL's 256ths of a pixel can tell: there
 * one of two pixels is drawn. */
static unsigned count_ties(const float from[2], const float direction[2], float width) {
    unsigned major = fabsf(direction[1]) > fabsf(direction[0]), ties = 0;
    float low = fminf(from[major], from[major] + direction[major]), length = fabsf(direction[major]);
    if (direction[!major] == 0) /* which GL has exactly */
        return 0;
    for (float at = floorf(low) + 0.5f; at < low + length; at++) {
        float side =
            from[!major] + (at - from[major]) / direction[major] * direction[!major] + width / 2 - 0.5f;
        ties += fabsf(side - roundf(side)) < 0.005f;
    }
    return ties;
}

/* Pixels of a draw's lines that GL and the machine may see in two ways. */
static unsigned ambiguous_pixels(const struct draws_draw *d) {
    unsigned n = 0, lines = d->mode == QPUSIM_LINES        ? d->count / 2
                            : d->mode == QPUSIM_LINE_STRIP ? d->count - 1
                                                           : d->count;
    for (unsigned i = 0; i < lines; i++) {
        unsigned at = d->mode == QPUSIM_LINES ? 2 * i : i, ends[2] = {at, (at + 1) % d->count};
        float place[2][2], direction[2];
        for (unsigned k = 0; k < 2; k++) {
            const float *v = d->vertex[d->index_bytes ? d->index[ends[k]] : d->first + ends[k]].position;
            for (unsigned axis = 0; axis < 2; axis++)
                place[k][axis] = (float)d->viewport[axis] +
                                 roundf(8 * (float)d->viewport[2 + axis] * (v[axis] / v[3] + 1)) / 16;
        }
        for (unsigned axis = 0; axis < 2; axis++)
            direction[axis] = place[1][axis] - place[0][axis];
        n +=
            (is_ambiguous(place[0], direction) + is_ambiguous(place[1], direction)) * (unsigned)d->line_width;
        n += 2 * count_ties(place[0], direction, d->line_width);
    }
    return n;
}

void draws_generate(unsigned number, struct draws_case *c) {
    static const struct {
        const char *name;
        bool exact;
        unsigned tolerance;
        double share;
    } themes[THEMES] = {[GRID] = {"grid", true, 1, 0.005},        [LAYERS] = {"layers", true, 1, 0},
                        [TEXTURES] = {"textures", true, 3, 0.02}, [CLIPPED] = {"clipped", false, 6, 0.005},
                        [POINTS] = {"points", false, 2, 0.005},   [LINES] = {"lines", true, 3, 0}};
    uint32_t seed = number * 2654435761u + 1, more = number * 2246822519u + 7;
    enum theme theme = (enum theme)(number % THEMES);
    memset(c, 0, sizeof *c);
    c->seed = number;
    unsigned least = theme == CLIPPED || theme == LINES
                         ? 2 * MARGIN + 4
                         : 1; /* what is rounded differently is at most a share of the picture */
    c->width = least + below(&seed, DRAWS_SIDE + 1 - least);
    c->height = least + below(&seed, DRAWS_SIDE + 1 - least);
    c->multisample = once_in(&seed, 3);
    c->bgr565 = once_in(&seed, 6);
    c->hdr = !c->bgr565 && !c->multisample && once_in(&seed, 5); /* the hardware resolves none */
    c->early_greater = once_in(&seed, 2);
    c->format = below(&seed, 3);
    c->clear = below(&seed, 1u << 31) * 2;
    c->clear_z = once_in(&seed, 2) ? 0xffffff
                 : theme == LAYERS ? (uint32_t)(16777215 * below(&seed, 17) / 64.0 + 0.5)
                                   : below(&seed, 1 << 24);
    c->clear_stencil = (uint8_t)below(&seed, 4);
    c->exact = themes[theme].exact;
    c->tolerance = themes[theme].tolerance + c->multisample;
    c->share = themes[theme].share;
    c->name = themes[theme].name;
    c->count = 1 + below(&seed, DRAWS_MAX);
    for (unsigned i = 0; i < c->count; i++) {
        random_draw(&seed, theme, c, &c->draw[i]);
        random_output(&seed, theme, c, &c->draw[i]);
        random_more(&more, c, &c->draw[i]);
        if (theme == LINES)
            c->ends += ambiguous_pixels(&c->draw[i]);
    }
    if (theme == LINES && c->multisample) { /* that GL's are of another shape at their ends, too */
        c->ends = 0;
        c->exact = false;
        c->share = 0.005;
    }
    /* where triangles meet; with samples the hardware has one Z for all of a pixel, GL one for each */
    for (unsigned i = 0; i < c->count; i++)
        if (theme == CLIPPED && c->draw[i].depth_func != QPUSIM_FUNC_ALWAYS)
            c->share = c->multisample ? 0.02 : 0.01;
    /* products are rounded in two ways, layer for layer */
    for (unsigned i = 0; i < c->count; i++)
        c->tolerance += c->draw[i].blend == DRAWS_MULTIPLY ? 2 : c->draw[i].blend == DRAWS_GENERAL ? 4 : 0;
    if (theme == TEXTURES && c->multisample)
        c->share = 0.04;
    /* that GL's weights of two levels come from a logarithm with an error of 0.09; where it only chooses one
     * it is exact as long as there is no bias */
    for (unsigned i = 0; i < c->count; i++)
        if (c->draw[i].texture.min == QPUSIM_MIN_NEAREST_MIP_LINEAR ||
            c->draw[i].texture.min == QPUSIM_MIN_LINEAR_MIP_LINEAR)
            c->tolerance = 24;
}
