/* Vertex shaders on sixteen vertices, which are one batch. The words that they write are shown as pixels.
 *
 * Each of a row's programs has a tile of its own, in which it draws sixteen points of 16 by 16 pixels, one
 * for each vertex. So all pixels of a point have the same varyings. A vertex has X and Y, Zs and 1/W in
 * rows 0 to 2 of the VPM, and data from row 3 on. The pattern of a row is "D V": D words of data, and V
 * words, at most 16, that the program writes.
 *
 * The program is what follows in the vertex shader after rows 0 to 2 have been passed on. It writes each
 * of the V words as two varyings, the low half first: floats that are whole numbers below 65536, so that
 * an error in the last bit of the interpolation is rounded away. Row k of a point's pixels shows word k.
 *
 * With "coordinate" in the pattern the program is the whole coordinate shader instead, and V is 1. The
 * position that it writes decides which tiles a point is binned to. Then the vertices' clip coordinates
 * are in rows 0 to 3, and X and Y, Zs and 1/W in the next three. With "short" the attribute of the data
 * ends within its last word. With "nine" there are nine vertices. */
#include "row.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ACROSS = 8, VERTICES = 16, FIXED = 3, CLIP = 4, MOST_DATA = 32, MOST_TEXT = 8192, POINT = 16 };

/* What every vertex shader begins with: it reads and writes rows 0 to 2. */
#define PASS_FIXED                                                                                           \
    "movi vr_setup, 0x00301a00\n"                                                                            \
    "movi vw_setup, 0x00001a00\n"                                                                            \
    "nop\nnop\n"                                                                                             \
    "mov vpm, vpm\nmov vpm, vpm\nmov vpm, vpm\n"
#define END "\nnop; nop; thrend\nnop\nnop\n"

/* Word `word` of a vertex's data: a hash, so that a byte in the wrong place or of another word shows. */
static uint32_t data_word(unsigned vertex, unsigned word) {
    uint32_t x = (vertex + 1) * 0x9e3779b9u + word * 0x85ebca6bu;
    x = (x ^ x >> 16) * 0x21f0aaadu;
    return x ^ x >> 15;
}

/* The fragment shader puts each pair of varyings together to a word. The pixel's row in its point selects the
 * word that is stored. */
static void fragment_text(char *text, size_t size, unsigned pairs) {
    size_t used = (size_t)snprintf(text, size,
                                   "mov r0, vary\nmov r0, vary\nmov ra5, y_coord\nnop\n"
                                   "and r3, ra5, 15\nmov r2, 0\n");
    for (unsigned k = 0; k < pairs && used < size; k++) {
        used += (size_t)snprintf(text + used, size - used,
                                 "mov r0, vary\nfadd r0, r0, r5\nfadd r0, r0, 0.5\nftoi ra7, r0\n"
                                 "mov r0, vary\nfadd r0, r0, r5\nfadd r0, r0, 0.5\nftoi r0, r0\n"
                                 "shl r0, r0, 8\nshl r0, r0, 8\nadd r0, r0, ra7\n"
                                 "sub.setf nop, r3, %u\nmov.zs r2, r0\n",
                                 k);
    }
    if (used < size) {
        snprintf(text + used, size - used, BODY_EPILOGUE);
    }
}

static uint32_t bits_of(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* A vertex in memory: clip coordinates, X and Y, Zs, 1/W, data. */
static void make_vertex(const struct frame *f, unsigned tile, unsigned vertex, unsigned data_words,
                        uint32_t *to) {
    float x = (float)(tile % ACROSS * FRAME_TILE + vertex % 4 * POINT + POINT / 2),
          y = (float)(tile / ACROSS * FRAME_TILE + vertex / 4 * POINT + POINT / 2);
    float half_x = (float)f->args.width / 2, half_y = (float)f->args.height / 2;
    x -= half_x;
    y -= half_y;
    const float clip[CLIP] = {x / half_x, y / half_y, 0, 1};
    for (unsigned n = 0; n < CLIP; n++) {
        to[n] = bits_of(clip[n]);
    }
    to[CLIP] = ((uint32_t)(int32_t)(x * 16) & 0xffff) | (uint32_t)(int32_t)(y * 16) << 16;
    to[CLIP + 1] = bits_of(0.5f);
    to[CLIP + 2] = bits_of(1);
    for (unsigned n = 0; n < data_words; n++) {
        to[CLIP + FIXED + n] = data_word(vertex, n);
    }
}

static void draw(struct frame *f, const struct row *row, unsigned tile, const char *body) {
    static const char coordinate_copy[] = "movi vr_setup, 0x00701a00\nmovi vw_setup, 0x00001a00\nnop\nnop\n"
                                          "mov vpm, vpm\nmov vpm, vpm\nmov vpm, vpm\nmov vpm, vpm\n"
                                          "mov vpm, vpm\nmov vpm, vpm\nmov vpm, vpm" END;
    unsigned data_words = 0, pairs = 0, words;
    bool coordinate = strstr(row->pattern, "coordinate") != NULL;
    unsigned missing_bytes = strstr(row->pattern, "short") ? 2 : 0;
    char program[MOST_TEXT], fragment[MOST_TEXT];
    uint32_t vertices[VERTICES * (CLIP + FIXED + MOST_DATA)];
    if (sscanf(row->pattern, "%u %u", &data_words, &pairs) != 2 || data_words > MOST_DATA || pairs > POINT) {
        frame_fail(f, "the pattern %s", row->pattern);
        return;
    }
    words = CLIP + FIXED + data_words;
    for (unsigned v = 0; v < VERTICES; v++) {
        make_vertex(f, tile, v, data_words, vertices + v * words);
    }
    uint32_t buffer = frame_buffer(f, "vertices", vertices, sizeof *vertices * VERTICES * words);
    snprintf(program, sizeof program, "%s%s" END, coordinate ? "" : PASS_FIXED, body);
    fragment_text(fragment, sizeof fragment, pairs);
    const struct frame_attribute attributes[] = {
        {buffer, 0, 4 * CLIP, 4 * words, false, true},
        {buffer, 4 * CLIP, 4 * FIXED, 4 * words, true, true},
        {buffer, 4 * (CLIP + FIXED), 4 * data_words - missing_bytes, 4 * words, true, false},
    };
    frame_draw(f, &(struct frame_draw){
                      .fragment = {.text = fragment},
                      .vertex = {.text = coordinate ? PASS_FIXED "mov vpm, 1.0\nmov vpm, 2.0" END : program},
                      .coordinate = {.text = coordinate ? program : coordinate_copy},
                      .attributes = attributes,
                      .attribute_count = data_words ? 3 : 2,
                      .varyings = 2 * pairs,
                      .mode = QPUSIM_POINTS,
                      .count = strstr(row->pattern, "nine") ? 9 : VERTICES});
}

void build_vertices(struct frame *f, const struct row *row) {
    frame_split(f, row->text);
    unsigned tiles = f->body_count, across = tiles < ACROSS ? tiles : ACROSS;
    frame_target(f, across * FRAME_TILE, (tiles + ACROSS - 1) / ACROSS * FRAME_TILE);
    qpusim_put_point_size(&f->bin, &(struct qpusim_cl_point_size){POINT});
    for (unsigned tile = 0; tile < tiles && !f->error[0]; tile++) {
        draw(f, row, tile, f->bodies[tile]);
    }
    frame_finish(f);
}
