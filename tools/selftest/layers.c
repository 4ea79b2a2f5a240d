/* Rectangles over one another in one tile: tests of Z and stencil, formats of targets.
 *
 * Each program draws a layer, in their order, and leaves its colour in r2; it writes Z itself, if at all.
 * The pattern says what the target is ("rgba8888", "565", "dithered", "decimated": one pixel of four; "load"
 * fills it from colours of 565 first; "dump" keeps the tile as it is, too), then options: "clear A B",
 * hexadecimal, the colours of even and odd columns; "stencil N", what the stencil is cleared to; then a
 * colon, and for each layer, with commas between them, the function of Z, "write" where passing Zs are kept,
 * "early" with early Z, "back" for a reversed rectangle, and Z at the left and the right edge ("z A B"; 0.5).
 * A last layer's description serves all layers behind it. The margin of four pixels stays as it was
 * cleared. */
#include "row.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MARGIN = 4, MOST_TEXT = 4096, LOAD_565 = 0x201 }; /* LOAD_565: bits of a colour load */

static const char *const functions[] = {"never",   "less",     "equal",  "lequal",
                                        "greater", "notequal", "gequal", "always"};

/* The text behind a word between `from` and `to`; NULL without it. */
static const char *find(const char *from, const char *to, const char *word) {
    const char *at = strstr(from, word);
    return at && at < to ? at + strlen(word) : NULL;
}

static void set_depth(struct frame *f, const char *from, const char *to) {
    unsigned function = QPUSIM_FUNC_ALWAYS;
    while (*from == ' ') {
        from++;
    }
    for (unsigned n = 0; n < sizeof functions / sizeof *functions; n++) {
        if (!strncmp(from, functions[n], strlen(functions[n]))) {
            function = n;
        }
    }
    qpusim_put_configuration_bits(
        &f->bin, &(struct qpusim_cl_configuration_bits){.front_facing = true,
                                                        .reverse_facing = true,
                                                        .depth_func = function,
                                                        .depth_write = find(from, to, "write"),
                                                        .early_z = find(from, to, "early"),
                                                        .early_z_updates = find(from, to, "early")});
}

static void draw(struct frame *f, const char *from, const char *to, const char *body) {
    char program[MOST_TEXT];
    float left = 0.5f, right = 0.5f;
    const char *z = find(from, to, " z ");
    if (z) {
        sscanf(z, "%f %f", &left, &right);
    }
    bool back = find(from, to, " back");
    int across = FRAME_TILE - 2 * MARGIN;
    snprintf(program, sizeof program, "%s" BODY_EPILOGUE, body);
    set_depth(f, from, to);
    frame_rectangle(f,
                    &(struct frame_rectangle){.x = back ? FRAME_TILE - MARGIN : MARGIN,
                                              .y = MARGIN,
                                              .width = back ? -across : across,
                                              .height = across,
                                              .z = {left, right, left, right}},
                    &(struct frame_stage){.text = program});
}

/* Colours of 16 bits, all of them different. */
static void load_colors(struct frame *f) {
    uint16_t colors[FRAME_TILE * FRAME_TILE];
    for (unsigned n = 0; n < FRAME_TILE * FRAME_TILE; n++) {
        colors[n] = (uint16_t)(n * 40503u);
    }
    f->args.color_read.hindex = frame_buffer(f, "colours", colors, sizeof colors);
    f->args.color_read.bits = LOAD_565;
    f->args.flags &= ~(uint32_t)VC4_SUBMIT_CL_USE_CLEAR_COLOR;
}

void build_layers(struct frame *f, const struct row *row) {
    const char *layer = strchr(row->pattern, ':'), *clear = strstr(row->pattern, "clear "),
               *stencil = strstr(row->pattern, "stencil ");
    uint16_t bits = strstr(row->pattern, "565")         ? RASTER_565_STORE
                    : strstr(row->pattern, "dithered")  ? RASTER_DITHERED_STORE
                    : strstr(row->pattern, "decimated") ? RASTER_RGBA8888_STORE | DECIMATED_STORE
                                                        : RASTER_RGBA8888_STORE;
    frame_split(f, row->text);
    frame_target_of(f, FRAME_TILE, FRAME_TILE, bits);
    if (!layer) {
        frame_fail(f, "the pattern %s", row->pattern);
        return;
    }
    if (clear) {
        char *end;
        f->args.clear_color[0] = (uint32_t)strtoul(clear + strlen("clear "), &end, 16);
        f->args.clear_color[1] = (uint32_t)strtoul(end, NULL, 16);
    }
    f->args.clear_s = stencil ? (uint8_t)strtoul(stencil + strlen("stencil "), NULL, 0) : 0;
    if (strstr(row->pattern, "dump")) {
        uint32_t dump = frame_buffer(f, "dump", NULL, FRAME_TILE * FRAME_TILE * 4);
        f->args.msaa_color_write.hindex = dump;
        f->objects[dump == FRAME_NONE ? 0 : dump].result = true;
    }
    if (strstr(row->pattern, "load")) {
        load_colors(f);
    }
    for (unsigned n = 0; n < f->body_count && !f->error[0]; n++) {
        const char *end = strchr(layer + 1, ',');
        draw(f, layer + 1, end ? end : layer + strlen(layer), f->bodies[n]);
        layer = end ? end : layer;
    }
    frame_finish(f);
}
