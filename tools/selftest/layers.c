/* Layers of rectangles in one tile: depth and stencil tests, formats of targets.
 *
 * Each program draws one layer, in order, and leaves its colour in r2. Nothing but the program itself writes
 * Z. A margin of four pixels around the layers keeps the clear colour.
 *
 * The pattern has two parts with a colon between them. The first describes the target:
 *
 *   rgba8888, 565, dithered, decimated   its format; decimated: one pixel of four is stored
 *   load                                 load 565 colours into it first
 *   dump                                 store the raw tile as well
 *   clear A B                            clear colours of even and odd columns, hexadecimal
 *   stencil N                            clear value of the stencil
 *
 * The second describes the layers, separated by commas; the last description holds for all further layers:
 *
 *   never, less, ... always              the depth function; it comes first
 *   write                                keep Zs that pass the test
 *   early                                early Z
 *   back                                 a rectangle that faces back
 *   z A B                                Z at the left and the right edge; 0.5 without it */
#include "row.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MARGIN = 4, MOST_TEXT = 4096, LOAD_565 = 0x201 }; /* LOAD_565: drm_vc4_submit_rcl_surface.bits */

static const char *const depth_functions[] = {"never",   "less",     "equal",  "lequal",
                                              "greater", "notequal", "gequal", "always"};

/* The text after `word`, if that begins between `from` and `to`; else NULL. */
static const char *text_after(const char *from, const char *to, const char *word) {
    const char *at = strstr(from, word);
    return at && at < to ? at + strlen(word) : NULL;
}

static void set_depth(struct frame *f, const char *from, const char *to) {
    unsigned function = QPUSIM_FUNC_ALWAYS;
    while (*from == ' ') {
        from++;
    }
    for (unsigned n = 0; n < sizeof depth_functions / sizeof *depth_functions; n++) {
        if (!strncmp(from, depth_functions[n], strlen(depth_functions[n]))) {
            function = n;
        }
    }
    qpusim_put_configuration_bits(
        &f->bin, &(struct qpusim_cl_configuration_bits){.front_facing = true,
                                                        .reverse_facing = true,
                                                        .depth_func = function,
                                                        .depth_write = text_after(from, to, "write"),
                                                        .early_z = text_after(from, to, "early"),
                                                        .early_z_updates = text_after(from, to, "early")});
}

static void draw(struct frame *f, const char *from, const char *to, const char *body) {
    char program[MOST_TEXT];
    float left = 0.5f, right = 0.5f;
    const char *z = text_after(from, to, " z ");
    if (z) {
        sscanf(z, "%f %f", &left, &right);
    }
    bool back = text_after(from, to, " back");
    int side = FRAME_TILE - 2 * MARGIN;
    snprintf(program, sizeof program, "%s" BODY_EPILOGUE, body);
    set_depth(f, from, to);
    frame_rectangle(f,
                    &(struct frame_rectangle){.x = back ? FRAME_TILE - MARGIN : MARGIN,
                                              .y = MARGIN,
                                              .width = back ? -side : side,
                                              .height = side,
                                              .z = {left, right, left, right}},
                    &(struct frame_stage){.text = program});
}

/* The 4096 colours are all different: the factor is odd. */
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
