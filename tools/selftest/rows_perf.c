/* Rows of section perf: performance counters of frames whose primitives and quads can be counted by hand. */
#include "rows.h"

#include <string.h>

/* A frame of 128 by 128 pixels with rectangles of two triangles each: one inside a tile, one across four
 * tiles, one within a quad, and one more. If the row's text is "culled", that last one faces away. If it is
 * "window", a fifth one reaches beyond the window. If it is "clipped", there is a sixth, too, whose corners
 * lie beyond the near and far planes. The row's pattern lists the counters by number. */
static void build_counters(struct frame *f, const struct row *row) {
    static const struct frame_stage white = {.text = "nop\nnop\nnop\nmov r2, -1" BODY_EPILOGUE};
    uint8_t events[DRM_VC4_MAX_PERF_COUNTERS];
    unsigned count = 0;
    frame_target(f, 2 * FRAME_TILE, 2 * FRAME_TILE);
    for (const char *p = row->pattern; *p; p += strspn(p, " ")) {
        unsigned number = 0;
        for (; *p >= '0' && *p <= '9'; p++) {
            number = 10 * number + (unsigned)(*p - '0');
        }
        events[count++] = (uint8_t)number;
    }
    frame_counters(f, events, count);
    if (strstr(row->text, "culled")) {
        qpusim_put_configuration_bits(&f->bin, &(struct qpusim_cl_configuration_bits){
                                                   .front_facing = true, .depth_func = QPUSIM_FUNC_ALWAYS});
    }
    struct frame_rectangle r[] = {{4, 6, 20, 10, {0.5f, 0.5f, 0.5f, 0.5f}, {0}, 0, NULL},
                                  {40, 40, 60, 50, {0.5f, 0.5f, 0.5f, 0.5f}, {0}, 0, NULL},
                                  {71, 3, 1, 1, {0.5f, 0.5f, 0.5f, 0.5f}, {0}, 0, NULL},
                                  {90, 10, 24, 8, {0.5f, 0.5f, 0.5f, 0.5f}, {0}, 0, NULL},
                                  {100, 30, 60, 12, {0.5f, 0.5f, 0.5f, 0.5f}, {0}, 0, NULL},
                                  {8, 80, 16, 16, {-0.5f, 1.5f, 1.5f, 0.5f}, {0}, 0, NULL}};
    r[3].x += strstr(row->text, "culled") ? r[3].width : 0;
    r[3].width = strstr(row->text, "culled") ? -r[3].width : r[3].width;
    unsigned drawn = strstr(row->text, "clipped") ? 6 : strstr(row->text, "window") ? 5 : 4;
    for (unsigned n = 0; n < drawn; n++) {
        frame_rectangle(f, &r[n], &white);
    }
    frame_finish(f);
}

#define ROW(name, what, text, pattern)                                                                       \
    { "perf." name, "performance_counters", what, build_counters, text, pattern, OPERANDS_INTS, false }

static const struct row rows[] = {
    ROW("count.primitives", "primitives that tiles see", "plain", "1"),
    ROW("count.quads", "quads", "plain", "3"),
    ROW("count.quads.window", "quads of what reaches beyond the window", "window", "3"),
    ROW("count.quads.passing", "quads that pass Z, that have pixels, that are written", "plain", "5 6 8 9"),
    ROW("count.culled", "primitives that face away", "culled", "12"),
    ROW("count.clipped", "primitives that are clipped", "clipped", "11"),
};

const struct row_section section_perf = SECTION("perf", "performance counters", rows);
