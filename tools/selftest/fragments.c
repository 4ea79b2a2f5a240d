/* Fragment programs on what the rasteriser gives them: places, planes, faces, quads.
 *
 * Each program draws a rectangle in a tile of its own. It begins at its first instruction, leaves its result
 * in r2 and reads as many varyings as its text names; a row's pattern has words that say what is drawn:
 * "linear" (varyings 2n and 2n + 1 are 16 (n + 1) times the distance from the left and the upper edge),
 * "random" (floats), "equal" (one float for all corners) or "flat" (random, without interpolation);
 * "perspective": W differs between corners; "slope": so does Z; "reverse": a back face; "odd": 61 by 59
 * pixels, beginning within a quad; "few": 5 by 3 pixels. */
#include "row.h"

#include <stdio.h>
#include <string.h>

enum { ACROSS = 8, MOST_TEXT = 4096, CORNERS = 4, MOST_VARYINGS = 32 };

static unsigned count_of(const char *text, const char *word) {
    unsigned count = 0;
    for (const char *p = strstr(text, word); p; p = strstr(p + 1, word)) {
        count++;
    }
    return count;
}

static bool has(const struct row *row, const char *word) {
    return row->pattern && strstr(row->pattern, word);
}

static uint32_t bits_of(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* A float from 1/64 to 64 of either sign. */
static uint32_t random_float(unsigned n) {
    uint32_t r = (n + 1) * 0x9e3779b9u;
    r = (r ^ r >> 15) * 0x735a2d97u;
    r ^= r >> 13;
    return (r & 0x807fffff) | (121 + (r >> 23) % 12) << 23;
}

static uint32_t varying(const struct row *row, const struct frame_rectangle *r, unsigned v, unsigned corner) {
    if (has(row, "linear")) {
        int distance = v & 1 ? (int)(corner >> 1) * r->height : (int)(corner & 1) * r->width;
        return bits_of((float)(16 * (int)(v / 2 + 1) * distance));
    }
    return random_float(has(row, "equal") ? v : 4 * v + corner);
}

static void draw(struct frame *f, const struct row *row, unsigned tile, const char *body) {
    char program[MOST_TEXT];
    uint32_t words[CORNERS * MOST_VARYINGS];
    struct frame_rectangle r = {.x = (int)(tile % ACROSS * FRAME_TILE),
                                .y = (int)(tile / ACROSS * FRAME_TILE),
                                .width = has(row, "few")   ? 5
                                         : has(row, "odd") ? 61
                                                           : FRAME_TILE,
                                .height = has(row, "few")   ? 3
                                          : has(row, "odd") ? 59
                                                            : FRAME_TILE,
                                .varyings = count_of(body, "vary"),
                                .varying_words = words};
    if (r.varyings > MOST_VARYINGS) {
        frame_fail(f, "%u varyings", r.varyings);
        return;
    }
    if (has(row, "few") || has(row, "odd")) {
        r.x++;
        r.y++;
    }
    for (unsigned c = 0; c < CORNERS; c++) {
        r.z[c] = has(row, "slope") ? 0.125f + 0.1875f * (float)c : 0.5f;
        r.w[c] = has(row, "perspective") ? 1 + 0.75f * (float)c : 1;
        for (unsigned v = 0; v < r.varyings; v++) {
            words[c * r.varyings + v] = varying(row, &r, v, c);
        }
    }
    if (has(row, "reverse")) {
        r.x += r.width;
        r.width = -r.width;
    }
    snprintf(program, sizeof program, "%s" BODY_EPILOGUE, body);
    /* No program reads the stream, but the kernel wants a word for those that branch back. */
    const uint32_t spare = 0;
    uint32_t shader = frame_shader(f, "fragment", program);
    if (shader != FRAME_NONE) {
        size_t bytes = qpusim_drm_shader_stream_size(f->objects[shader].scan);
        frame_rectangle(f, &r,
                        &(struct frame_stage){.text = program, .words = &spare, .word_count = bytes / 4});
    }
}

void build_fragments(struct frame *f, const struct row *row) {
    frame_split(f, row->text);
    unsigned tiles = f->body_count, across = tiles < ACROSS ? tiles : ACROSS;
    frame_target(f, across * FRAME_TILE, (tiles + ACROSS - 1) / ACROSS * FRAME_TILE);
    if (has(row, "flat")) {
        qpusim_put_flat_shade_flags(&f->bin, &(struct qpusim_cl_flat_shade_flags){UINT32_MAX});
    }
    for (unsigned tile = 0; tile < tiles && !f->error[0]; tile++) {
        draw(f, row, tile, f->bodies[tile]);
    }
    frame_finish(f);
}
