/* Fragment programs on triangles, lines and points of a few vertices.
 *
 * Each program draws in a tile of its own and leaves its result in r2, as in fragments.c. A row's pattern
 * says what is drawn: a word for the kind ("triangles", "strip", "lines", "loop" or "points"), options, a
 * colon, and vertices with commas between them: X and Y in pixels from the tile's corner, then Z (0 to 1;
 * 0.5), W (1) and a varying (0) as far as they are not those. Options: "size N" of points, "width N" of
 * lines, "offset FACTOR UNITS" of depths, "samples": four of a pixel, "layers": all programs draw in the one
 * tile, in order, "flipped": the clip space stands on its head, as Mesa's does in
 * targets whose first row is the upper one. */
#include "row.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ACROSS = 8, MOST_TEXT = 4096, MOST_VERTICES = 32, CLIP = 4, FIXED = 3, WORDS = CLIP + FIXED + 1 };

struct shape {
    unsigned mode, count;
    bool flipped;
    float vertices[MOST_VERTICES][5]; /* X, Y, Z, W, varying */
};

static const struct kind {
    const char *word;
    unsigned mode, own_varyings; /* those that come before the vertices' */
} kinds[] = {{"triangles", QPUSIM_TRIANGLES, 0},
             {"strip", QPUSIM_TRIANGLE_STRIP, 0},
             {"lines", QPUSIM_LINES, 1},
             {"loop", QPUSIM_LINE_LOOP, 1},
             {"points", QPUSIM_POINTS, 2}};

static const struct kind *kind_of(const char *pattern) {
    for (size_t n = 0; n < sizeof kinds / sizeof *kinds; n++) {
        if (!strncmp(pattern, kinds[n].word, strlen(kinds[n].word))) {
            return &kinds[n];
        }
    }
    return NULL;
}

static bool read_vertices(const char *text, struct shape *s) {
    while (text && s->count < MOST_VERTICES) {
        float *v = s->vertices[s->count++];
        v[2] = 0.5f;
        v[3] = 1;
        text++; /* the colon, or a comma */
        if (sscanf(text, "%f %f %f %f %f", &v[0], &v[1], &v[2], &v[3], &v[4]) < 2) {
            return false;
        }
        text = strchr(text, ',');
    }
    return !text;
}

/* The option's text behind its word; NULL without it. */
static const char *option(const char *pattern, const char *word) {
    const char *at = strstr(pattern, word);
    return at ? at + strlen(word) : NULL;
}

static void set_state(struct frame *f, const char *pattern, struct shape *s) {
    const char *size = option(pattern, "size "), *width = option(pattern, "width "),
               *offset = option(pattern, "offset ");
    float factor = 0, units = 0;
    if (size) {
        qpusim_put_point_size(&f->bin, &(struct qpusim_cl_point_size){strtof(size, NULL)});
    }
    if (width) {
        qpusim_put_line_width(&f->bin, &(struct qpusim_cl_line_width){strtof(width, NULL)});
    }
    if (offset && sscanf(offset, "%f %f", &factor, &units) == 2) {
        qpusim_put_depth_offset(&f->bin, &(struct qpusim_cl_depth_offset){factor, units});
        qpusim_put_configuration_bits(
            &f->bin, &(struct qpusim_cl_configuration_bits){.front_facing = true,
                                                            .reverse_facing = true,
                                                            .depth_offset = true,
                                                            .depth_func = QPUSIM_FUNC_ALWAYS});
    }
    if (option(pattern, "flipped")) {
        s->flipped = true;
        qpusim_put_clipper_xy_scaling(&f->bin, &(struct qpusim_cl_clipper_xy_scaling){
                                                   (float)f->args.width * 8, (float)f->args.height * -8});
    }
}

static void make_vertex(const struct frame *f, const struct shape *s, unsigned tile, const float v[5],
                        uint32_t *to) {
    float half_x = (float)f->args.width / 2, half_y = (float)f->args.height / 2, w = v[3];
    float x = v[0] + (float)(tile % ACROSS * FRAME_TILE) - half_x,
          y = v[1] + (float)(tile / ACROSS * FRAME_TILE) - half_y;
    const float words[WORDS] = {
        x / half_x * w, y / half_y * w * (s->flipped ? -1 : 1), (2 * v[2] - 1) * w, w, 0, v[2], 1 / w, v[4]};
    memcpy(to, words, sizeof words);
    to[CLIP] = ((uint32_t)(int32_t)floorf(x * 16 + 0.5f) & 0xffff) | (uint32_t)(int32_t)floorf(y * 16 + 0.5f)
                                                                         << 16;
}

static void draw(struct frame *f, const struct kind *kind, const struct shape *s, unsigned tile,
                 const char *body) {
    char program[MOST_TEXT], vertex_text[512], coordinate_text[512];
    uint32_t vertices[MOST_VERTICES * WORDS];
    unsigned varyings = 0;
    for (const char *p = strstr(body, "vary"); p; p = strstr(p + 1, "vary")) {
        varyings++;
    }
    if (varyings < kind->own_varyings || varyings > kind->own_varyings + 1) {
        frame_fail(f, "%u varyings of %s", varyings, kind->word);
        return;
    }
    varyings -= kind->own_varyings;
    for (unsigned n = 0; n < s->count; n++) {
        make_vertex(f, s, tile, s->vertices[n], vertices + n * WORDS);
    }
    uint32_t buffer = frame_buffer(f, "vertices", vertices, sizeof *vertices * s->count * WORDS);
    snprintf(program, sizeof program, "%s" BODY_EPILOGUE, body);
    frame_copy_text(vertex_text, sizeof vertex_text, FIXED + varyings);
    frame_copy_text(coordinate_text, sizeof coordinate_text, CLIP + FIXED);
    const struct frame_attribute attributes[] = {
        {buffer, 0, 4 * CLIP, 4 * WORDS, false, true},
        {buffer, 4 * CLIP, 4 * FIXED, 4 * WORDS, true, true},
        {buffer, 4 * (CLIP + FIXED), 4, 4 * WORDS, true, false},
    };
    frame_draw(f, &(struct frame_draw){.fragment = {.text = program},
                                       .vertex = {.text = vertex_text},
                                       .coordinate = {.text = coordinate_text},
                                       .attributes = attributes,
                                       .attribute_count = varyings ? 3 : 2,
                                       .varyings = varyings,
                                       .mode = s->mode,
                                       .count = s->count});
}

void build_shapes(struct frame *f, const struct row *row) {
    const struct kind *kind = kind_of(row->pattern);
    struct shape shape = {.mode = kind ? kind->mode : 0};
    frame_split(f, row->text);
    bool layers = option(row->pattern, "layers");
    unsigned tiles = layers ? 1 : f->body_count, across = tiles < ACROSS ? tiles : ACROSS;
    frame_target_of(f, across * FRAME_TILE, (tiles + ACROSS - 1) / ACROSS * FRAME_TILE,
                    RASTER_RGBA8888_STORE | (option(row->pattern, "samples") ? SAMPLES_STORE : 0));
    if (!kind || !read_vertices(strchr(row->pattern, ':'), &shape)) {
        frame_fail(f, "the pattern %s", row->pattern);
        return;
    }
    set_state(f, row->pattern, &shape);
    for (unsigned n = 0; n < f->body_count && !f->error[0]; n++) {
        draw(f, kind, &shape, layers ? 0 : n, f->bodies[n]);
    }
    frame_finish(f);
}
