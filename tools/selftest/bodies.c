/* Fragment programs that compute one word from two.
 *
 * Each program draws one tile of 64 by 64 pixels for each block of its operands, all of them in one frame.
 * Pixel n of a tile, counted row by row, reads word n of two buffers by direct lookups, which the kernel lets
 * programs do, computes, and writes its result to the tile buffer as a colour of 32 bits. No filter, format
 * or arithmetic but integer sums and shifts comes between, so a word that differs is the program's. */
#include "row.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ACROSS = 8, MOST_TEXT = 8192, BLOCK_BYTES = 4 * OPERANDS_BLOCK, STREAM_WORDS = 64 };

static const char prologue[] = BODY_PROLOGUE;
static const char epilogue[] = BODY_EPILOGUE;

/* The stream: the offset that makes a byte address within the operands of a pixel's place, then the last
 * address and the base of each lookup, then words for programs that read more. */
static void make_stream(uint32_t words[STREAM_WORDS], unsigned x, unsigned y, unsigned block, unsigned blocks,
                        size_t lookups) {
    uint32_t last = blocks * BLOCK_BYTES - 4;
    for (unsigned n = 0; n < STREAM_WORDS; n++) {
        words[n] = 0x01010101u * (n + 1);
    }
    /* A pixel's address is 4 * (64 * y + x); the tile's first pixel stands for the block's first pair. */
    words[0] = block * BLOCK_BYTES - 4 * (64 * y + x);
    for (size_t n = 0; n < lookups; n++) {
        words[1 + 2 * n] = last;
        words[2 + 2 * n] = 0;
    }
}

static void draw_block(struct frame *f, const char *program, const uint32_t buffers[2], unsigned tile,
                       unsigned block, unsigned blocks) {
    uint32_t words[STREAM_WORDS], textures[STREAM_WORDS];
    uint32_t shader = frame_shader(f, "fragment", program);
    if (shader == FRAME_NONE) {
        return;
    }
    const struct qpusim_drm_shader *scan = f->objects[shader].scan;
    struct frame_stage stage = {.text = program,
                                .words = words,
                                .word_count = qpusim_drm_shader_stream_size(scan) / 4,
                                .textures = textures,
                                .texture_count = qpusim_drm_shader_lookups(scan)};
    unsigned x = tile % ACROSS * FRAME_TILE, y = tile / ACROSS * FRAME_TILE;
    if (stage.word_count > STREAM_WORDS || stage.texture_count > STREAM_WORDS / 2 - 1) {
        frame_fail(f, "a stream of %zu words", stage.word_count);
        return;
    }
    make_stream(words, x, y, block, blocks, stage.texture_count);
    for (unsigned n = 0; n < STREAM_WORDS; n++) {
        textures[n] = buffers[n & 1];
    }
    const struct frame_rectangle rectangle = {
        .x = (int)x, .y = (int)y, .width = FRAME_TILE, .height = FRAME_TILE, .z = {0.5f, 0.5f, 0.5f, 0.5f}};
    frame_rectangle(f, &rectangle, &stage);
}

/* The pattern with `body` at each $. */
static void substitute(char *out, size_t size, const char *pattern, const char *body) {
    size_t used = 0;
    for (const char *p = pattern; *p && used + strlen(body) + 1 < size; p++) {
        if (*p == '$') {
            used += (size_t)snprintf(out + used, size - used, "%s", body);
        } else {
            out[used++] = *p;
        }
    }
    out[used] = 0;
}

static void add_operands(struct frame *f, enum operands which, uint32_t buffers[2]) {
    const struct operand_set *set = &operand_sets[which];
    f->operand_count = set->blocks * OPERANDS_BLOCK;
    uint32_t *a = calloc(f->operand_count, sizeof *a), *b = calloc(f->operand_count, sizeof *b);
    for (uint32_t n = 0; a && b && n < f->operand_count; n++) {
        set->make(n, &a[n], &b[n]);
    }
    if (!a || !b) {
        frame_fail(f, "out of memory");
    }
    buffers[0] = frame_buffer(f, "a", a, sizeof *a * f->operand_count);
    buffers[1] = frame_buffer(f, "b", b, sizeof *b * f->operand_count);
    free(a);
    free(b);
    for (unsigned n = 0; n < 2 && !f->error[0]; n++) {
        f->operands[n] = (const uint32_t *)(const void *)f->objects[buffers[n]].bytes;
    }
}

static void build(struct frame *f, const struct row *row, bool whole) {
    const unsigned blocks = operand_sets[row->operands].blocks;
    frame_split(f, row->text);
    unsigned tiles = f->body_count * blocks, across = tiles < ACROSS ? tiles : ACROSS;
    frame_target(f, across * FRAME_TILE, (tiles + ACROSS - 1) / ACROSS * FRAME_TILE);
    uint32_t buffers[2];
    add_operands(f, row->operands, buffers);
    for (unsigned tile = 0; tile < tiles && !f->error[0]; tile++) {
        char inner[MOST_TEXT], program[MOST_TEXT + sizeof prologue + sizeof epilogue];
        substitute(inner, sizeof inner, row->pattern ? row->pattern : "$", f->bodies[tile / blocks]);
        snprintf(program, sizeof program, "%s%s%s", whole ? "" : prologue, inner, whole ? "" : epilogue);
        draw_block(f, program, buffers, tile, tile % blocks, blocks);
    }
    frame_finish(f);
}

void build_bodies(struct frame *f, const struct row *row) {
    build(f, row, false);
}

void build_programs(struct frame *f, const struct row *row) {
    build(f, row, true);
}
